//! How a player picks an arm of its row, and learns from the payoff.
//!
//! A row is what one choosing player has at one node. At a simultaneous node every choosing player
//! has a row and picks for itself, so UCB1 there is DUCT, decoupled UCT (Finnsson and Björnsson
//! 2008). UCB1 and UCB1-Tuned are those of Auer, Cesa-Bianchi and Fischer (2002); the constant `c`
//! stands where they have the square root of 2 and 1. Arms that were never tried come first, in the
//! row's order, which the tree draws at random.
//!
//! Rows of one simultaneous node that all take their highest score fall into step with each other
//! and do not mix, so there an arm is drawn among those within 0.01 of the highest, as Bošanský et
//! al. (2016) found necessary.

use sakiyomi_core::Rng;

/// The rule by which arms are picked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bandit {
    /// mean + c sqrt(ln n / n_j)
    Ucb1 { c: f64 },
    /// mean + c sqrt(ln n / n_j * min(1/4, variance_j + sqrt(2 ln n / n_j)))
    Ucb1Tuned { c: f64 },
}

/// The statistics of all arms of a tree, in columns; a row is a range of them. A column that the
/// bandit does not need stays empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Arms {
    pub(super) visits: Vec<u32>,
    pub(super) sums: Vec<f64>,
    pub(super) squares: Vec<f64>,
}

impl Bandit {
    /// Bytes that an arm takes in the columns of this bandit.
    pub(super) fn bytes_per_arm(self) -> usize {
        match self {
            Bandit::Ucb1 { .. } => 4 + 8,
            Bandit::Ucb1Tuned { .. } => 4 + 8 + 8,
        }
    }

    /// Appends `n` untried arms.
    pub(super) fn grow(self, arms: &mut Arms, n: usize) {
        let len = arms.visits.len() + n;
        arms.visits.resize(len, 0);
        arms.sums.resize(len, 0.0);
        if matches!(self, Bandit::Ucb1Tuned { .. }) {
            arms.squares.resize(len, 0.0);
        }
    }

    /// Appends a copy of `n` arms of another tree.
    pub(super) fn copy(self, arms: &mut Arms, from: &Arms, first: usize, n: usize) {
        arms.visits.extend_from_slice(&from.visits[first..first + n]);
        arms.sums.extend_from_slice(&from.sums[first..first + n]);
        if matches!(self, Bandit::Ucb1Tuned { .. }) {
            arms.squares.extend_from_slice(&from.squares[first..first + n]);
        }
    }

    /// Picks an arm of the row of `n` arms at `first`, in which `total` picks were made before.
    /// `ln` is the logarithm of the node's visits.
    #[inline]
    pub(super) fn pick(self, arms: &Arms, first: usize, n: usize, total: u32, ln: f32) -> usize {
        if (total as usize) < n {
            return total as usize;
        }
        let row = first..first + n;
        let (visits, sums) = (&arms.visits[row.clone()], &arms.sums[row.clone()]);
        match self {
            Bandit::Ucb1 { c } => {
                let c = c as f32;
                highest(visits.iter().zip(sums).map(|(&n, &sum)| ucb1(c, ln, n, sum)))
            }
            Bandit::Ucb1Tuned { c } => {
                let each = visits.iter().zip(sums).zip(&arms.squares[row]);
                let c = c as f32;
                highest(each.map(|((&n, &sum), &square)| ucb1_tuned(c, ln, n, sum, square)))
            }
        }
    }

    /// Picks as `pick` does, but draws among the arms whose score is close to the highest.
    pub(super) fn pick_loosely(
        self,
        arms: &Arms,
        first: usize,
        n: usize,
        total: u32,
        ln: f32,
        rng: &mut Rng,
    ) -> usize {
        if (total as usize) < n {
            return total as usize;
        }
        let scores = || (first..first + n).map(|arm| self.score(arms, arm, ln));
        let bar = scores().fold(f32::NEG_INFINITY, f32::max) - CLOSE;
        let draw = rng.below(scores().filter(|&score| score >= bar).count());
        let mut close = scores().enumerate().filter(|&(_, score)| score >= bar);
        close.nth(draw).map_or(0, |(pick, _)| pick)
    }

    /// The score by which `pick` compares arms that were tried.
    pub(super) fn score(self, arms: &Arms, arm: usize, ln: f32) -> f32 {
        let (n, sum) = (arms.visits[arm], arms.sums[arm]);
        match self {
            Bandit::Ucb1 { c } => ucb1(c as f32, ln, n, sum),
            Bandit::Ucb1Tuned { c } => ucb1_tuned(c as f32, ln, n, sum, arms.squares[arm]),
        }
    }

    #[inline]
    pub(super) fn learn(self, arms: &mut Arms, arm: usize, payoff: f64) {
        arms.visits[arm] += 1;
        arms.sums[arm] += payoff;
        if matches!(self, Bandit::Ucb1Tuned { .. }) {
            arms.squares[arm] += payoff * payoff;
        }
    }
}

/// How far from the highest score an arm may be to be drawn at a simultaneous node.
const CLOSE: f32 = 0.01;

#[inline]
fn ucb1(c: f32, ln: f32, visits: u32, sum: f64) -> f32 {
    let share = 1.0 / visits as f32;
    sum as f32 * share + c * (ln * share).sqrt()
}

#[inline]
fn ucb1_tuned(c: f32, ln: f32, visits: u32, sum: f64, square: f64) -> f32 {
    let share = 1.0 / visits as f32;
    let mean = sum as f32 * share;
    let variance = (square as f32 * share - mean * mean).max(0.0) + (2.0 * ln * share).sqrt();
    mean + c * (ln * share * variance.min(0.25)).sqrt()
}

/// The index of the highest score, the first of equals.
#[inline]
fn highest(scores: impl Iterator<Item = f32>) -> usize {
    let (mut best, mut top) = (0, f32::NEG_INFINITY);
    for (i, score) in scores.enumerate() {
        if score > top {
            (best, top) = (i, score);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arms(stats: &[(u32, f64)]) -> Arms {
        Arms {
            visits: stats.iter().map(|s| s.0).collect(),
            sums: stats.iter().map(|s| s.1).collect(),
            squares: stats.iter().map(|s| s.1).collect(),
        }
    }

    #[test]
    fn untried_arms_come_first_in_order() {
        let arms = arms(&[(1, 1.0), (1, 1.0), (0, 0.0)]);
        assert_eq!(Bandit::Ucb1 { c: 1.0 }.pick(&arms, 0, 3, 2, 0.7), 2);
    }

    #[test]
    fn scores_are_the_formulas_of_the_papers() {
        // 7 of 10 after 100 visits: 0.7 + 1.4 * sqrt(ln 100 / 10) = 1.6500597
        let arms = arms(&[(10, 7.0)]);
        let ln = 100f32.ln();
        let close = |a: f32, b: f32| assert!((a - b).abs() < 1e-5, "{a} {b}");
        close(Bandit::Ucb1 { c: 1.4 }.score(&arms, 0, ln), 1.650_06);
        // The variance 0.21 plus sqrt(2 ln 100 / 10) is above 1/4: 0.7 + sqrt(0.4605170 / 4).
        close(Bandit::Ucb1Tuned { c: 1.0 }.score(&arms, 0, ln), 1.039_307);
        // With 1000 of 1000000: mean 0.001, variance 0.000999 + sqrt(2 * 13.8155 / 1e6) = 0.0062556
        let arms = self::arms(&[(1_000_000, 1_000.0)]);
        let ln = 1e6f32.ln();
        let expected = 0.001 + (13.815_511e-6f32 * 0.006_255_56).sqrt();
        close(Bandit::Ucb1Tuned { c: 1.0 }.score(&arms, 0, ln), expected);
    }

    #[test]
    fn the_better_arm_is_tried_more_often_and_the_worse_never_forgotten() {
        for bandit in [Bandit::Ucb1 { c: 1.0 }, Bandit::Ucb1Tuned { c: 1.0 }] {
            let mut arms = Arms::default();
            bandit.grow(&mut arms, 2);
            for total in 0..10_000u32 {
                let arm = bandit.pick(&arms, 0, 2, total, (total.max(1) as f32).ln());
                // Arm 0 pays 0.5, arm 1 pays 1 in five of eight cases.
                let payoff = if arm == 0 { 0.5 } else { f64::from(u8::from(total % 8 < 5)) };
                bandit.learn(&mut arms, arm, payoff);
            }
            assert!(arms.visits[1] > 2 * arms.visits[0], "{bandit:?} {:?}", arms.visits);
            assert!(arms.visits[0] > 50, "{bandit:?} {:?}", arms.visits);
        }
    }
}
