//! Mixed strategies of a row: what regrets stand for, and how an arm is drawn.

use sakiyomi_core::Rng;

/// Regrets as a strategy: in proportion to those above 0, or uniform if there are none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matching {
    scale: f64,
    base: f64,
}

impl Matching {
    pub(super) fn of(regrets: &[f64]) -> Matching {
        let sum: f64 = regrets.iter().map(|regret| regret.max(0.0)).sum();
        match 1.0 / sum {
            scale if scale.is_finite() => Matching { scale, base: 0.0 },
            _ => Matching { scale: 0.0, base: 1.0 / regrets.len() as f64 },
        }
    }

    #[inline]
    pub(super) fn share(self, regret: f64) -> f64 {
        regret.max(0.0) * self.scale + self.base
    }
}

/// Appends the strategy that these regrets stand for.
pub(super) fn match_regrets(regrets: &[f64], strategies: &mut Vec<f64>) {
    let matching = Matching::of(regrets);
    strategies.extend(regrets.iter().map(|&regret| matching.share(regret)));
}

/// Draws one of `n` shares, or any with probability `explore`, and returns its index with how
/// likely that was.
#[inline]
pub(super) fn draw_from<S: Iterator<Item = f64>>(
    shares: impl Fn() -> S,
    n: usize,
    explore: f64,
    rng: &mut Rng,
) -> (usize, f64) {
    let roll = rng.unit();
    let pick = if roll < explore {
        (roll / explore * n as f64) as usize
    } else {
        share_at(shares(), (roll - explore) / (1.0 - explore))
    };
    let share = shares().nth(pick).unwrap_or(0.0);
    (pick, (1.0 - explore) * share + explore / n as f64)
}

/// The index at which the shares, added up, exceed `roll`; rounding falls to the last one above 0.
#[inline]
fn share_at(shares: impl Iterator<Item = f64>, mut roll: f64) -> usize {
    let mut last = 0;
    for (i, share) in shares.enumerate() {
        if share > 0.0 {
            last = i;
            if roll < share {
                break;
            }
            roll -= share;
        }
    }
    last
}
