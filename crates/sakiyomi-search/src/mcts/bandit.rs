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
//! that need the means of neighbouring joint actions learn in the modules `joint`, `smuct` and `oos`.
//! Average strategies leave out the exploration, as Bošanský et al. advise. PUCT (Rosin 2011; Silver
//! et al. 2017) follows priors that an evaluator gives; the module `batch` searches with it.
//!
//! A bandit is one variant: [`Bandit::traits`] says which columns it keeps and how it is used, then
//! come how it scores or draws and what it learns.

use std::ops::Range;
use std::sync::LazyLock;

use sakiyomi_core::{Player, Rng};

use super::spread::Spread;

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
    /// mean + c prior_j sqrt(n) / (1 + n_j); an arm that was never tried has the mean of its row.
    Puct { c: f64 },
}

/// What a bandit keeps, and how it is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    pub(super) columns: Columns,
    /// What every node knows about its payoffs.
    pub(super) means: Means,
}

/// The columns that arms have beside visits and sums.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    squares: bool,
    ready: bool,
    joint: bool,
    weights: bool,
    strategies: bool,
    priors: bool,
    pub(super) lent: bool,
    pub(super) numbers: bool,
}

/// The mean payoffs of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Means {
    None,
    /// One number of visits, and the mean of each player.
    OfAll,
    /// Visits and mean of each player, who learn in different iterations.
    OfEach,
}

impl Bandit {
    pub(super) const fn traits(self) -> Traits {
        const NO: Columns = Columns {
            squares: false,
            ready: false,
            joint: false,
            weights: false,
            strategies: false,
            priors: false,
            lent: false,
            numbers: false,
        };
        let plain = Traits { columns: NO, means: Means::None };
        let averaged = Traits {
            columns: Columns { weights: true, strategies: true, ..NO },
            means: Means::OfAll,
        };
        match self {
            Bandit::Ucb1 { .. } => Traits { columns: Columns { ready: true, ..NO }, ..plain },
            Bandit::Ucb1Tuned { .. } => {
                Traits { columns: Columns { squares: true, ..NO }, ..plain }
            }
            Bandit::JointUcb1 { .. } => {
                Traits { columns: Columns { joint: true, ..NO }, means: Means::OfAll }
            }
            Bandit::Exp3 { .. } => Traits { columns: Columns { weights: true, ..NO }, ..plain },
            Bandit::RegretMatching { .. } => averaged,
            Bandit::OutcomeSampling { .. } => Traits { means: Means::OfEach, ..averaged },
            Bandit::Puct { .. } => Traits { columns: Columns { priors: true, ..NO }, ..plain },
        }
    }

    /// Whether the strategy that was learned is the average of those that were followed; otherwise
    /// it is the share of visits.
    pub(super) const fn averages(self) -> bool {
        self.traits().columns.strategies
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
        match self {
            Bandit::Puct { c } => pick_by_prior(arms, first..first + n, total, c as f32),
            _ if (total as usize) < n => total as usize,
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
        arms: &mut Arms,
        first: usize,
        n: usize,
        total: u32,
        exploration: Exploration,
        rng: &mut Rng,
    ) -> usize {
        if (total as usize) < n {
            return total as usize;
        }
        let mut scores = std::mem::take(&mut arms.scores);
        scores.clear();
        scores.extend((first..first + n).map(|arm| self.score(arms, arm, exploration)));
        let bar = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max) - CLOSE;
        let draw = rng.below(scores.iter().filter(|&&score| score >= bar).count());
        let mut close = scores.iter().enumerate().filter(|&(_, &score)| score >= bar);
        let pick = close.nth(draw).map_or(0, |(pick, _)| pick);
        arms.scores = scores;
        pick
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
            Bandit::Puct { .. } => arms.priors[arm],
        }
    }

    /// What one over the root of an arm's visits is multiplied with, for UCB1.
    pub(super) fn exploration_weight(self, exploration: Exploration) -> f32 {
        match self {
            Bandit::Ucb1 { c } => c as f32 * exploration.root,
            _ => 0.0,
        }
    }

    /// Draws an arm of the row from its mixed strategy, which it may mix with uniform picks, and
    /// returns it with its probability.
    pub(super) fn draw(
        self,
        arms: &mut Arms,
        first: usize,
        n: usize,
        rng: &mut Rng,
    ) -> (usize, f64) {
        match self {
            Bandit::RegretMatching { explore, .. } => arms.draw_by_regret(first, n, explore, rng),
            Bandit::Exp3 { explore } => {
                let mut strategy = std::mem::take(&mut arms.draft);
                strategy.clear();
                exponential_weights(&arms.weights[first..first + n], explore, &mut strategy);
                let drawn = draw_from(|| strategy.iter().copied(), n, explore, rng);
                arms.draft = strategy;
                drawn
            }
            _ => unreachable!("these pick by score, or have a walk of their own"),
        }
    }

    #[inline]
    pub(super) fn learn(self, arms: &mut Arms, arm: usize, payoff: f64) {
        arms.visits[arm] += 1;
        arms.sums[arm] += payoff;
        match self {
            Bandit::Ucb1 { .. } => {
                let [visits, sum] = arms.visits_and_sum(arm);
                arms.ready[arm] = [sum / visits, 1.0 / visits.sqrt()];
            }
            Bandit::Ucb1Tuned { .. } => arms.squares[arm] += payoff * payoff,
            // These learn from the probability of the pick or from other joint actions as well, or
            // from nothing else.
            Bandit::JointUcb1 { .. }
            | Bandit::Exp3 { .. }
            | Bandit::RegretMatching { .. }
            | Bandit::OutcomeSampling { .. }
            | Bandit::Puct { .. } => {}
        }
    }
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
    /// What an evaluator expects of an arm before it is tried, for PUCT.
    pub(super) priors: Vec<f32>,
    /// Visits and payoffs that similar positions lend, for UCB1.
    lent: Vec<[f32; 2]>,
    /// The numbers of the actions, for GRAVE.
    pub(super) numbers: Vec<u32>,
    /// What is lent is divided by 1 + this times own visits.
    pub(super) lent_decay: f32,
    /// Buffers for the strategies of a node, for what the arms of a row are worth, and for scores.
    pub(super) draft: Vec<f64>,
    pub(super) worth: Vec<f64>,
    scores: Vec<f32>,
}

/// Applies an expression to every column that is kept.
macro_rules! each_column {
    ($columns:expr, $apply:ident $(, $argument:expr)*) => {{
        let Columns { squares, ready, joint, weights, strategies, priors, lent, numbers } = $columns;
        $apply!(visits $(, $argument)*);
        $apply!(sums $(, $argument)*);
        if squares { $apply!(squares $(, $argument)*); }
        if ready { $apply!(ready $(, $argument)*); }
        if joint { $apply!(joint $(, $argument)*); }
        if weights { $apply!(weights $(, $argument)*); }
        if strategies { $apply!(strategies $(, $argument)*); }
        if priors { $apply!(priors $(, $argument)*); }
        if lent { $apply!(lent $(, $argument)*); }
        if numbers { $apply!(numbers $(, $argument)*); }
    }};
}

impl Arms {
    /// The visits and payoffs of an arm, with what is lent to it.
    #[inline]
    pub(super) fn visits_and_sum(&self, arm: usize) -> [f32; 2] {
        let own = [self.visits[arm] as f32, self.sums[arm] as f32];
        match self.lent.get(arm) {
            None => own,
            Some(&[visits, sum]) => {
                let weight = 1.0 / (1.0 + self.lent_decay * own[0]);
                [own[0] + weight * visits, own[1] + weight * sum]
            }
        }
    }

    /// Lends visits and payoffs to an arm. They count in its score when it learns the next time.
    pub(super) fn lend(&mut self, arm: usize, visits: f64, sum: f64) {
        let lent = &mut self.lent[arm];
        lent[0] += visits as f32;
        lent[1] += sum as f32;
    }

    /// Lends visits to an untried arm of UCB1, which count at once.
    pub(super) fn begin_with(&mut self, arm: usize, visits: f64, mean: f64) {
        self.lend(arm, visits, visits * mean);
        self.ready[arm] = [mean as f32, 1.0 / (visits as f32).sqrt()];
    }

    pub(super) fn clear(&mut self, columns: Columns) {
        macro_rules! clear {
            ($column:ident) => {
                self.$column.clear()
            };
        }
        each_column!(columns, clear);
    }

    /// Appends `n` untried arms.
    pub(super) fn grow(&mut self, columns: Columns, n: usize) {
        macro_rules! grow {
            ($column:ident) => {
                make_room(&mut self.$column, n);
                let len = self.$column.len() + n;
                self.$column.resize(len, Default::default());
            };
        }
        each_column!(columns, grow);
    }

    /// Appends a copy of some arms of another tree.
    pub(super) fn copy(&mut self, columns: Columns, from: &Arms, row: &Range<usize>) {
        macro_rules! copy {
            ($column:ident) => {
                make_room(&mut self.$column, row.len());
                self.$column.extend_from_slice(&from.$column[row.clone()])
            };
        }
        each_column!(columns, copy);
    }

    /// Bytes that the columns have allocated.
    pub(super) fn bytes(&self, columns: Columns) -> usize {
        let mut bytes = 0;
        macro_rules! add {
            ($column:ident) => {
                bytes += column_bytes(&self.$column)
            };
        }
        each_column!(columns, add);
        bytes
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

impl Columns {
    /// Bytes that an arm takes.
    pub(super) fn bytes_per_arm(self) -> usize {
        let arms = Arms::default();
        let mut bytes = 0;
        macro_rules! add {
            ($column:ident) => {
                bytes += entry_bytes(&arms.$column)
            };
        }
        each_column!(self, add);
        bytes
    }
}

fn entry_bytes<T>(_: &[T]) -> usize {
    size_of::<T>()
}

/// Bytes that a column has allocated.
pub(super) fn column_bytes<T>(column: &Vec<T>) -> usize {
    column.capacity() * size_of::<T>()
}

/// Columns up to this size double when they are full, larger ones grow by a quarter.
const DOUBLING_BYTES: usize = 1 << 20;

/// Makes room for `n` more entries.
#[inline]
pub(super) fn make_room<T>(column: &mut Vec<T>, n: usize) {
    if column.capacity() - column.len() < n {
        column.reserve_exact(growth(column, n));
    }
}

/// By how many entries a column that has no room for `n` more grows.
pub(super) fn growth<T>(column: &[T], n: usize) -> usize {
    let len = column.len();
    let more = if size_of_val(column) < DOUBLING_BYTES { len.max(64) } else { len / 4 };
    more.max(n)
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

    /// The same in the measure of a player's payoffs, if that is known.
    #[inline]
    pub(super) fn scaled(self, spread: Option<&Spread>, player: Player) -> Exploration {
        match spread {
            None => self,
            Some(spread) => Exploration { root: self.root * spread.factor(player), ..self },
        }
    }

    fn compute(visits: u32) -> Exploration {
        let ln = libm::logf(visits.max(1) as f32);
        Exploration { ln, root: ln.sqrt() }
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

/// How far from the highest score an arm may be to be drawn at a simultaneous node.
const CLOSE: f32 = 0.01;

#[inline]
fn ucb1([mean, width]: [f32; 2], weight: f32) -> f32 {
    mean + weight * width
}

/// Picks by PUCT. An arm that was never tried has the mean of what was tried.
fn pick_by_prior(arms: &Arms, row: Range<usize>, total: u32, c: f32) -> usize {
    let sum: f64 = arms.sums[row.clone()].iter().sum();
    let unknown = if total > 0 { (sum / f64::from(total)) as f32 } else { 0.5 };
    let weight = c * (total.max(1) as f32).sqrt();
    highest(row.map(|arm| {
        let visits = arms.visits[arm] as f32;
        let mean = if visits > 0.0 { arms.sums[arm] as f32 / visits } else { unknown };
        mean + weight * arms.priors[arm] / (1.0 + visits)
    }))
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

    /// One arm after this many visits, `wins` of them with payoff 1 and the others with payoff 0.
    fn arm(bandit: Bandit, visits: u32, wins: u32) -> Arms {
        let mut arms = Arms::default();
        arms.grow(bandit.traits().columns, 1);
        for visit in 0..visits {
            bandit.learn(&mut arms, 0, f64::from(u8::from(visit < wins)));
        }
        arms
    }

    #[test]
    fn untried_arms_come_first_in_order() {
        let bandit = Bandit::Ucb1 { c: 1.0 };
        let mut arms = Arms::default();
        arms.grow(bandit.traits().columns, 3);
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
    fn the_better_arm_is_tried_more_often_and_the_worse_now_and_then() {
        for bandit in [Bandit::Ucb1 { c: 1.0 }, Bandit::Ucb1Tuned { c: 1.0 }] {
            let mut arms = Arms::default();
            arms.grow(bandit.traits().columns, 2);
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
