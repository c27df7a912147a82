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

use std::sync::LazyLock;

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
    /// Sums of squared payoffs, for UCB1-Tuned.
    squares: Vec<f64>,
    /// The mean and one over the root of the visits, for UCB1: kept up to date for the one arm that
    /// learns, so that the many that are compared cost a multiplication each.
    ready: Vec<[f32; 2]>,
}

impl Arms {
    pub(super) fn clear(&mut self) {
        self.visits.clear();
        self.sums.clear();
        self.squares.clear();
        self.ready.clear();
    }
}

/// The logarithm of a node's visits, and its root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exploration {
    ln: f32,
    root: f32,
}

impl Exploration {
    /// Small numbers, which are asked for most, come from a table.
    #[inline]
    pub(super) fn of(visits: u32) -> Exploration {
        const SMALL: usize = 2048;
        static TABLE: LazyLock<Vec<Exploration>> =
            LazyLock::new(|| (0..SMALL).map(|n| Exploration::compute(n as u32)).collect());
        match TABLE.get(visits as usize) {
            Some(&known) => known,
            None => Exploration::compute(visits),
        }
    }

    fn compute(visits: u32) -> Exploration {
        let ln = libm::logf(visits.max(1) as f32);
        Exploration { ln, root: ln.sqrt() }
    }
}

impl Bandit {
    /// Bytes that an arm takes in the columns of this bandit.
    pub(super) fn bytes_per_arm(self) -> usize {
        match self {
            Bandit::Ucb1 { .. } => 4 + 8 + 8,
            Bandit::Ucb1Tuned { .. } => 4 + 8 + 8,
        }
    }

    /// Appends `n` untried arms.
    pub(super) fn grow(self, arms: &mut Arms, n: usize) {
        let len = arms.visits.len() + n;
        arms.visits.resize(len, 0);
        arms.sums.resize(len, 0.0);
        match self {
            Bandit::Ucb1 { .. } => arms.ready.resize(len, [0.0; 2]),
            Bandit::Ucb1Tuned { .. } => arms.squares.resize(len, 0.0),
        }
    }

    /// Appends a copy of `n` arms of another tree.
    pub(super) fn copy(self, arms: &mut Arms, from: &Arms, first: usize, n: usize) {
        let row = first..first + n;
        arms.visits.extend_from_slice(&from.visits[row.clone()]);
        arms.sums.extend_from_slice(&from.sums[row.clone()]);
        match self {
            Bandit::Ucb1 { .. } => arms.ready.extend_from_slice(&from.ready[row]),
            Bandit::Ucb1Tuned { .. } => arms.squares.extend_from_slice(&from.squares[row]),
        }
    }

    /// Picks an arm of the row of `n` arms at `first`, in which `total` picks were made before.
    #[inline]
    pub(super) fn pick(
        self,
        arms: &Arms,
        first: usize,
        n: usize,
        total: u32,
        exploration: Exploration,
    ) -> usize {
        if (total as usize) < n {
            return total as usize;
        }
        match self {
            Bandit::Ucb1 { c } => {
                let weight = c as f32 * exploration.root;
                highest(arms.ready[first..first + n].iter().map(|&ready| ucb1(ready, weight)))
            }
            Bandit::Ucb1Tuned { .. } => {
                highest((first..first + n).map(|arm| self.score(arms, arm, exploration)))
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
        exploration: Exploration,
        rng: &mut Rng,
    ) -> usize {
        if (total as usize) < n {
            return total as usize;
        }
        let scores = || (first..first + n).map(|arm| self.score(arms, arm, exploration));
        let bar = scores().fold(f32::NEG_INFINITY, f32::max) - CLOSE;
        let draw = rng.below(scores().filter(|&score| score >= bar).count());
        let mut close = scores().enumerate().filter(|&(_, score)| score >= bar);
        close.nth(draw).map_or(0, |(pick, _)| pick)
    }

    /// The score by which `pick` compares arms that were tried.
    #[inline]
    pub(super) fn score(self, arms: &Arms, arm: usize, exploration: Exploration) -> f32 {
        match self {
            Bandit::Ucb1 { c } => ucb1(arms.ready[arm], c as f32 * exploration.root),
            Bandit::Ucb1Tuned { c } => {
                let share = 1.0 / arms.visits[arm] as f32;
                let mean = arms.sums[arm] as f32 * share;
                let variance = (arms.squares[arm] as f32 * share - mean * mean).max(0.0);
                let ln = exploration.ln * share;
                mean + c as f32 * (ln * (variance + (2.0 * ln).sqrt()).min(0.25)).sqrt()
            }
        }
    }

    #[inline]
    pub(super) fn learn(self, arms: &mut Arms, arm: usize, payoff: f64) {
        arms.visits[arm] += 1;
        arms.sums[arm] += payoff;
        match self {
            Bandit::Ucb1 { .. } => {
                let visits = arms.visits[arm] as f32;
                arms.ready[arm] = [arms.sums[arm] as f32 / visits, 1.0 / visits.sqrt()];
            }
            Bandit::Ucb1Tuned { .. } => arms.squares[arm] += payoff * payoff,
        }
    }
}

/// How far from the highest score an arm may be to be drawn at a simultaneous node.
const CLOSE: f32 = 0.01;

#[inline]
fn ucb1([mean, width]: [f32; 2], weight: f32) -> f32 {
    mean + weight * width
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

    /// One arm after so many visits with payoff 1, and the others with payoff 0.
    fn arm(bandit: Bandit, visits: u32, wins: u32) -> Arms {
        let mut arms = Arms::default();
        bandit.grow(&mut arms, 1);
        for visit in 0..visits {
            bandit.learn(&mut arms, 0, f64::from(u8::from(visit < wins)));
        }
        arms
    }

    #[test]
    fn untried_arms_come_first_in_order() {
        let bandit = Bandit::Ucb1 { c: 1.0 };
        let mut arms = Arms::default();
        bandit.grow(&mut arms, 3);
        bandit.learn(&mut arms, 0, 1.0);
        bandit.learn(&mut arms, 1, 1.0);
        assert_eq!(bandit.pick(&arms, 0, 3, 2, Exploration::of(3)), 2);
    }

    #[test]
    fn scores_are_the_formulas_of_the_papers() {
        let check = |bandit: Bandit, (visits, wins), parent, expected: f32| {
            let score = bandit.score(&arm(bandit, visits, wins), 0, Exploration::of(parent));
            assert!((score - expected).abs() < 1e-5, "{bandit:?}: {score} is not {expected}");
        };
        // 7 of 10 after 100 visits: 0.7 + 1.4 * sqrt(ln 100 / 10)
        check(Bandit::Ucb1 { c: 1.4 }, (10, 7), 100, 1.650_06);
        // The variance 0.21 plus sqrt(2 ln 100 / 10) is above 1/4: 0.7 + sqrt(ln 100 / 10 / 4).
        check(Bandit::Ucb1Tuned { c: 1.0 }, (10, 7), 100, 1.039_307);
        // 100 of 100,000: 0.001 + sqrt(ln 1e6 / 1e5 * (0.000999 + sqrt(2 ln 1e6 / 1e5)))
        check(Bandit::Ucb1Tuned { c: 1.0 }, (100_000, 100), 1_000_000, 0.002_560_3);
    }

    #[test]
    fn the_better_arm_is_tried_more_often_and_the_worse_never_forgotten() {
        for bandit in [Bandit::Ucb1 { c: 1.0 }, Bandit::Ucb1Tuned { c: 1.0 }] {
            let mut arms = Arms::default();
            bandit.grow(&mut arms, 2);
            for total in 0..10_000u32 {
                let arm = bandit.pick(&arms, 0, 2, total, Exploration::of(total));
                // Arm 0 pays 0.5, arm 1 pays 1 in five of eight cases.
                let payoff = if arm == 0 { 0.5 } else { f64::from(u8::from(total % 8 < 5)) };
                bandit.learn(&mut arms, arm, payoff);
            }
            assert!(arms.visits[1] > 2 * arms.visits[0], "{bandit:?} {:?}", arms.visits);
            assert!(arms.visits[0] > 50, "{bandit:?} {:?}", arms.visits);
        }
    }
}
