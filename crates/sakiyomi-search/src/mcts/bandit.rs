//! How a player picks an arm of its row, and learns from the payoff.
//!
//! A row is what one choosing player has at one node. At a simultaneous node every choosing player
//! has a row and picks for itself, so UCB1 there is DUCT, decoupled UCT (Finnsson and Björnsson
//! 2008). UCB1 and UCB1-Tuned are those of Auer, Cesa-Bianchi and Fischer (2002); the constant `c`
//! stands where they have the square root of 2 and 1. Arms that were never tried come first, in the
//! row's order, which the tree draws at random unless it is asked for the order of the game's list.
//!
//! Rows of one simultaneous node that all take their highest score fall into step with each other
//! and do not mix, so there an arm is drawn among those within 0.01 of the highest, as Bošanský et
//! al. (2016) found necessary.
//!
//! For simultaneous nodes there are also rules that draw from a mixed strategy: Exp3 (Auer et al.
//! 1995), regret matching (Hart and Mas-Colell 2000) and online outcome sampling, all in the form of
//! Lanctot, Lisý and Winands (2013); and SM-UCT, which adds up the scores of joint actions. Those
//! that need the means of neighbouring joint actions learn in the module `around`. Average
//! strategies leave out the exploration, as Bošanský et al. advise.

use std::sync::LazyLock;

use sakiyomi_core::Rng;

/// The rule by which arms are picked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bandit {
    /// mean + c sqrt(ln n / n_j)
    Ucb1 { c: f64 },
    /// mean + c sqrt(ln n / n_j * min(1/4, variance_j + sqrt(2 ln n / n_j)))
    Ucb1Tuned { c: f64 },
    /// SM-UCT: the sum of mean + c sqrt(ln n / n_j) over the joint actions with this arm. Each of
    /// them is tried once before; with `tried` only every arm is, and the sum is over the joint
    /// actions that were tried so far.
    JointUcb1 { c: f64, tried: bool },
    /// Drawn with (1 - g) exp(g/k x_a) / sum + g/k, where x_a adds up payoff / probability.
    Exp3 { explore: f64 },
    /// Drawn in proportion to the positive regrets, and uniformly with probability `explore`.
    /// `plus` keeps regrets from falling below 0.
    RegretMatching { explore: f64, plus: bool },
    /// Regret matching in which one player explores at a time, and what it learns is weighted by how
    /// likely its own picks were. With `payoff` it backs up the payoff of the iteration itself, as
    /// the paper of 2013 writes it, instead of an estimate of what the strategy is worth.
    OutcomeSampling { explore: f64, payoff: bool },
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
    /// The means and one over the root of the visits, added up over joint actions, for SM-UCT.
    pub(super) joint: Vec<[f64; 2]>,
    /// Estimated payoffs of Exp3, or regrets.
    pub(super) weights: Vec<f64>,
    /// Strategies added up, for those whose answer is their average.
    pub(super) strategies: Vec<f64>,
    /// Room for the strategies of a node.
    pub(super) draft: Vec<f64>,
    /// Room for what the arms of a row are worth.
    pub(super) worth: Vec<f64>,
}

impl Arms {
    pub(super) fn clear(&mut self) {
        self.visits.clear();
        self.sums.clear();
        self.squares.clear();
        self.ready.clear();
        self.joint.clear();
        self.weights.clear();
        self.strategies.clear();
    }

    /// Appends the strategy that the regrets of a row stand for.
    pub(super) fn match_regrets(&self, first: usize, n: usize, strategies: &mut Vec<f64>) {
        let regrets = &self.weights[first..first + n];
        let matching = Matching::of(regrets);
        strategies.extend(regrets.iter().map(|&regret| matching.share(regret)));
    }

    /// Draws an arm by its regret, and adds up the strategy from which it was drawn.
    fn draw_by_regret(
        &mut self,
        first: usize,
        n: usize,
        explore: f64,
        rng: &mut Rng,
    ) -> (usize, f64) {
        let regrets = &self.weights[first..first + n];
        let matching = Matching::of(regrets);
        let shares = || regrets.iter().map(|&regret| matching.share(regret));
        let average = &mut self.strategies[first..first + n];
        average.iter_mut().zip(shares()).for_each(|(sum, share)| *sum += share);
        draw_from(shares, n, explore, rng)
    }
}

/// Regrets as a strategy: in proportion to those above 0, or uniform if there are none.
#[derive(Clone, Copy, Debug)]
struct Matching {
    scale: f64,
    base: f64,
}

impl Matching {
    fn of(regrets: &[f64]) -> Matching {
        let sum: f64 = regrets.iter().map(|regret| regret.max(0.0)).sum();
        match 1.0 / sum {
            scale if scale.is_finite() => Matching { scale, base: 0.0 },
            _ => Matching { scale: 0.0, base: 1.0 / regrets.len() as f64 },
        }
    }

    #[inline]
    fn share(self, regret: f64) -> f64 {
        regret.max(0.0) * self.scale + self.base
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
            Bandit::Ucb1 { .. } | Bandit::Ucb1Tuned { .. } | Bandit::Exp3 { .. } => 4 + 8 + 8,
            Bandit::JointUcb1 { .. } => 4 + 8 + 16,
            Bandit::RegretMatching { .. } | Bandit::OutcomeSampling { .. } => 4 + 8 + 8 + 8,
        }
    }

    /// Whether rows learn from what is known about the joint actions around the one that was
    /// played, so that every node keeps its mean.
    pub(super) fn looks_around(self) -> bool {
        match self {
            Bandit::Ucb1 { .. } | Bandit::Ucb1Tuned { .. } | Bandit::Exp3 { .. } => false,
            Bandit::JointUcb1 { .. }
            | Bandit::RegretMatching { .. }
            | Bandit::OutcomeSampling { .. } => true,
        }
    }

    /// Whether a row learns from more than its player's payoff for its pick.
    pub(super) fn learns_more(self) -> bool {
        self.looks_around() || self.is_mixed()
    }

    /// Whether picks are drawn from a mixed strategy.
    pub(super) fn is_mixed(self) -> bool {
        match self {
            Bandit::Ucb1 { .. } | Bandit::Ucb1Tuned { .. } | Bandit::JointUcb1 { .. } => false,
            Bandit::Exp3 { .. }
            | Bandit::RegretMatching { .. }
            | Bandit::OutcomeSampling { .. } => true,
        }
    }

    /// Whether the strategy that was learned is the average of those that were followed; otherwise
    /// it is the share of visits.
    pub(super) fn averages(self) -> bool {
        matches!(self, Bandit::RegretMatching { .. } | Bandit::OutcomeSampling { .. })
    }

    /// Whether outcome sampling hands up the payoff itself.
    pub(super) fn backs_up_payoff(self) -> bool {
        matches!(self, Bandit::OutcomeSampling { payoff: true, .. })
    }

    /// Appends `n` untried arms.
    pub(super) fn grow(self, arms: &mut Arms, n: usize) {
        let len = arms.visits.len() + n;
        arms.visits.resize(len, 0);
        arms.sums.resize(len, 0.0);
        match self {
            Bandit::Ucb1 { .. } => arms.ready.resize(len, [0.0; 2]),
            Bandit::Ucb1Tuned { .. } => arms.squares.resize(len, 0.0),
            Bandit::JointUcb1 { .. } => arms.joint.resize(len, [0.0; 2]),
            Bandit::Exp3 { .. } => arms.weights.resize(len, 0.0),
            Bandit::RegretMatching { .. } | Bandit::OutcomeSampling { .. } => {
                arms.weights.resize(len, 0.0);
                arms.strategies.resize(len, 0.0);
            }
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
            Bandit::JointUcb1 { .. } => arms.joint.extend_from_slice(&from.joint[row]),
            Bandit::Exp3 { .. } => arms.weights.extend_from_slice(&from.weights[row]),
            Bandit::RegretMatching { .. } | Bandit::OutcomeSampling { .. } => {
                arms.weights.extend_from_slice(&from.weights[row.clone()]);
                arms.strategies.extend_from_slice(&from.strategies[row]);
            }
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
            _ => highest((first..first + n).map(|arm| self.score(arms, arm, exploration))),
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

    /// Draws an arm of the row from its mixed strategy, and returns it with its probability. Players
    /// who do not explore in this iteration follow their strategy alone.
    pub(super) fn draw(
        self,
        arms: &mut Arms,
        first: usize,
        n: usize,
        explores: bool,
        rng: &mut Rng,
    ) -> (usize, f64) {
        let (explore, exploring) = match self {
            Bandit::RegretMatching { explore, .. } => {
                return arms.draw_by_regret(first, n, explore, rng);
            }
            Bandit::Exp3 { explore } => (explore, explore),
            Bandit::OutcomeSampling { explore, .. } => {
                (explore, if explores { explore } else { 0.0 })
            }
            Bandit::Ucb1 { .. } | Bandit::Ucb1Tuned { .. } | Bandit::JointUcb1 { .. } => {
                unreachable!("these pick by score");
            }
        };
        let mut strategy = std::mem::take(&mut arms.draft);
        strategy.clear();
        match self {
            Bandit::Exp3 { .. } => {
                exponential_weights(&arms.weights[first..first + n], explore, &mut strategy);
            }
            _ => arms.match_regrets(first, n, &mut strategy),
        }
        let drawn = draw_from(|| strategy.iter().copied(), n, exploring, rng);
        arms.draft = strategy;
        drawn
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
            Bandit::JointUcb1 { c, .. } => {
                let [mean, width] = arms.joint[arm];
                mean as f32 + c as f32 * exploration.root * width as f32
            }
            Bandit::Exp3 { .. }
            | Bandit::RegretMatching { .. }
            | Bandit::OutcomeSampling { .. } => arms.weights[arm] as f32,
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
            // These learn from the probability of the pick, or from what is around it.
            Bandit::JointUcb1 { .. }
            | Bandit::Exp3 { .. }
            | Bandit::RegretMatching { .. }
            | Bandit::OutcomeSampling { .. } => {}
        }
    }
}

/// The strategy of Exp3 before exploration is mixed in. The largest weight is taken off all, which
/// changes nothing but keeps the exponentials in range.
fn exponential_weights(weights: &[f64], explore: f64, strategy: &mut Vec<f64>) {
    let rate = explore / weights.len() as f64;
    let largest = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    strategy.extend(weights.iter().map(|weight| libm::exp(rate * (weight - largest))));
    let sum: f64 = strategy.iter().sum();
    strategy.iter_mut().for_each(|share| *share /= sum);
}

/// Draws one of `n` shares, or any with probability `explore`, and returns its index with how likely
/// that was.
#[inline]
fn draw_from<S: Iterator<Item = f64>>(
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
