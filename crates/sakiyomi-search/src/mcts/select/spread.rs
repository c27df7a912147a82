//! The exploration constant in the measure of the payoffs.
//!
//! UCB1's constant fits payoffs that are 0 or 1 about equally often. Where a game's payoffs lie
//! closer together, the same constant explores more than they differ. With `spread` it is
//! multiplied by twice the standard deviation of the payoffs that iterations have brought to the
//! player, which is 1 where half of them are 0 and half are 1. What earlier decisions saw counts
//! less and less.

use sakiyomi_core::{MAX_PLAYERS, Payoffs, Player};

/// Payoffs from which on the spread is believed.
const MIN_VISITS: f64 = 32.0;
/// The smallest factor: something is left to explore even if all payoffs were equal so far.
const MIN_FACTOR: f64 = 0.05;

#[derive(Clone, Debug)]
pub(super) struct Spread {
    visits: f64,
    sums: [f64; MAX_PLAYERS],
    squares: [f64; MAX_PLAYERS],
    factors: [f32; MAX_PLAYERS],
}

impl Spread {
    pub(super) fn new() -> Spread {
        Spread {
            visits: 0.0,
            sums: [0.0; MAX_PLAYERS],
            squares: [0.0; MAX_PLAYERS],
            factors: [1.0; MAX_PLAYERS],
        }
    }

    #[inline]
    pub(super) fn factor(&self, player: Player) -> f32 {
        self.factors[player.index()]
    }

    #[inline]
    pub(super) fn learn(&mut self, payoffs: &Payoffs, n_players: usize) {
        self.visits += 1.0;
        for (i, &payoff) in payoffs.as_slice(n_players).iter().enumerate() {
            self.sums[i] += payoff;
            self.squares[i] += payoff * payoff;
            if self.visits >= MIN_VISITS {
                let mean = self.sums[i] / self.visits;
                let variance = (self.squares[i] / self.visits - mean * mean).max(0.0);
                self.factors[i] = (2.0 * variance.sqrt()).max(MIN_FACTOR) as f32;
            }
        }
    }

    /// Lets what was seen so far count as no more than this many payoffs.
    pub(super) fn reduce(&mut self, most: f64) {
        let keep = (most / self.visits.max(1.0)).min(1.0);
        self.visits *= keep;
        self.sums.iter_mut().chain(&mut self.squares).for_each(|sum| *sum *= keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(payoffs: [f64; 2]) -> f32 {
        let mut spread = Spread::new();
        for payoff in payoffs.into_iter().cycle().take(1_000) {
            spread.learn(&Payoffs::of([payoff]), 1);
        }
        spread.factor(Player(0))
    }

    #[test]
    fn the_factor_is_twice_the_standard_deviation() {
        assert!((factor([0.0, 1.0]) - 1.0).abs() < 1e-6);
        assert!((factor([0.4, 0.6]) - 0.2).abs() < 1e-6);
        assert!((factor([0.5, 0.5]) - MIN_FACTOR as f32).abs() < 1e-6);
    }

    #[test]
    fn what_was_seen_before_can_be_made_to_count_less() {
        let mut spread = Spread::new();
        (0..1_000).for_each(|_| spread.learn(&Payoffs::of([0.5]), 1));
        spread.reduce(10.0);
        (0..90).for_each(|i| spread.learn(&Payoffs::of([f64::from(i % 2)]), 1));
        let factor = spread.factor(Player(0));
        assert!((factor - 0.9f32.sqrt()).abs() < 1e-6, "{factor}");
    }
}
