//! UCB: every player takes the arm with the highest upper confidence bound of its own row.
//!
//! UCB1 and UCB1-Tuned are those of Auer, Cesa-Bianchi and Fischer (2002); the constant `c` stands
//! where they have the square root of 2 and 1. At a node where several players choose at once each
//! of them picks for itself, which is DUCT, decoupled UCT (Finnsson and Björnsson 2008). Arms that
//! were never tried come first, in the row's order.
//!
//! What only UCB can do stands in its settings:
//! - *Spread*: the exploration constant follows the spread of the payoffs, see `spread.rs`.
//! - *GRAVE*: AMAF values, see `grave.rs`.
//! - *Prior*: arms of a new node begin with visits at the mean payoff that playouts know of their
//!   action.
//! - *Experience*: similar positions lend what was found there, see `experience/`.
//! - *Groups* and *progressive widening* (Coulom 2007; Chaslot et al. 2008): see `candidates.rs`;
//!   1 + widen * sqrt(visits) arms are considered, best rank first.
//! - *Proofs*: see `solver.rs`.

use sakiyomi_core::{Payoffs, Player, Rng};

use super::grave::{self, Amaf, Grave};
use super::scores::{Exploration, Ties, draw_close, highest};
use super::solver::{self, Proofs};
use super::spread::Spread;
use crate::experience::settings::ExperienceSettings;
use crate::mcts::answer::Answer;
use crate::mcts::arms::{Arms, Columns};
use crate::mcts::candidates::Groups;
use crate::mcts::path::{NodeId, Path, ROOT, Step};
use crate::mcts::tree::{Moved, Node, Row, Tree};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ucb {
    /// The exploration constant.
    pub c: f64,
    pub bound: Bound,
    /// Actions of one group have one arm.
    pub groups: Option<Groups>,
    /// Progressive widening: 1 + widen * sqrt(visits) arms, best rank first; otherwise all arms.
    pub widen: Option<f64>,
    pub proofs: Proofs,
    pub ties: Ties,
    pub answer: Answer,
}

/// The upper confidence bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// mean + c sqrt(ln n / n_j)
    Ucb1(Ucb1),
    /// mean + c sqrt(ln n / n_j * min(1/4, variance_j + sqrt(2 ln n / n_j)))
    Tuned,
}

/// What the bound of UCB1 may be made of beyond own visits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ucb1 {
    /// The exploration constant is multiplied by the spread of the payoffs.
    pub spread: bool,
    pub estimate: Estimate,
    /// Similar positions lend to new nodes what was found there.
    pub experience: Option<ExperienceSettings>,
}

/// What is known of arms with few visits where one player chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Estimate {
    #[default]
    None,
    Grave(Grave),
    /// Arms of a new node begin with this number of visits at the mean payoff of their action,
    /// which playouts that learn know, instead of being tried once each.
    Prior(f64),
    /// The same at what a value that is learned from playouts expects after the action.
    Value(ValuePrior),
}

/// How arms begin at a value that is learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValuePrior {
    /// The visits with which they begin.
    pub visits: f64,
    /// The exploration constant of rows that began so: a value lies closer to the middle than the
    /// payoffs of playouts.
    pub c: f64,
}

impl Ucb {
    /// UCB1 and nothing else.
    pub const fn new(c: f64) -> Ucb {
        let plain = Ucb1 { spread: false, estimate: Estimate::None, experience: None };
        Ucb {
            c,
            bound: Bound::Ucb1(plain),
            groups: None,
            widen: None,
            proofs: Proofs::Off,
            ties: Ties::Draw,
            answer: Answer::Max,
        }
    }

    /// What UCB1 may be made of, if it is the bound.
    pub const fn ucb1(&self) -> Option<&Ucb1> {
        match &self.bound {
            Bound::Ucb1(ucb1) => Some(ucb1),
            Bound::Tuned => None,
        }
    }

    /// The same, to be changed.
    pub const fn ucb1_mut(&mut self) -> Option<&mut Ucb1> {
        match &mut self.bound {
            Bound::Ucb1(ucb1) => Some(ucb1),
            Bound::Tuned => None,
        }
    }

    fn estimate(&self) -> Estimate {
        self.ucb1().map_or(Estimate::None, |ucb1| ucb1.estimate)
    }

    /// How many of `n` arms are considered after this many visits.
    fn n_shown(&self, n: usize, visits: u32) -> usize {
        match self.widen {
            Some(pace) => n.min(1 + (pace * f64::from(visits).sqrt()) as usize),
            None => n,
        }
    }

    /// The score by which arms that were tried are compared.
    #[inline]
    pub(super) fn score(&self, arms: &Arms, arm: usize, exploration: Exploration) -> f32 {
        let c = self.c as f32;
        match self.bound {
            Bound::Ucb1(_) => ucb1(arms.ready[arm], c * exploration.root),
            Bound::Tuned => {
                let share = 1.0 / arms.visits[arm].max(1) as f32;
                let mean = arms.sums[arm] as f32 * share;
                let variance = (arms.squares[arm] as f32 * share - mean * mean).max(0.0);
                let ln = exploration.ln * share;
                mean + c * (ln * (variance + (2.0 * ln).sqrt()).min(0.25)).sqrt()
            }
        }
    }

    /// Picks an arm of the row of `n` arms at `first`, in which `total` picks were made before.
    #[inline]
    fn best(
        &self,
        arms: &Arms,
        first: usize,
        n: usize,
        total: u32,
        exploration: Exploration,
    ) -> usize {
        match self.bound {
            _ if (total as usize) < n => total as usize,
            Bound::Ucb1(_) => {
                let weight = self.c as f32 * exploration.root;
                highest(arms.ready[first..first + n].iter().map(|&ready| ucb1(ready, weight)))
            }
            Bound::Tuned => {
                highest((first..first + n).map(|arm| self.score(arms, arm, exploration)))
            }
        }
    }
}

#[inline]
fn ucb1([mean, width]: [f32; 2], weight: f32) -> f32 {
    mean + weight * width
}

/// UCB at work in one tree.
#[derive(Clone, Debug)]
pub(in crate::mcts) struct UcbSelect {
    pub(in crate::mcts) settings: Ucb,
    /// The expansion threshold: visits that a node has before it has rows.
    expand: u32,
    /// How far the payoffs lie apart, if the exploration constant follows that.
    spread: Option<Box<Spread>>,
    amaf: Option<Box<Amaf>>,
    /// The node whose AMAF values are used on this descent.
    reference: NodeId,
    /// A buffer.
    scores: Vec<f32>,
}

impl UcbSelect {
    pub(in crate::mcts) fn new(settings: Ucb, expand: u32, memory: u64) -> UcbSelect {
        let has_spread = settings.ucb1().is_some_and(|ucb1| ucb1.spread);
        UcbSelect {
            settings,
            expand,
            spread: has_spread.then(|| Box::new(Spread::new())),
            amaf: match settings.estimate() {
                Estimate::Grave(grave) => Some(Box::new(Amaf::new(grave, memory))),
                _ => None,
            },
            reference: ROOT,
            scores: Vec::new(),
        }
    }

    pub(super) fn columns(&self) -> Columns {
        let none = Columns::default();
        match self.settings.bound {
            Bound::Tuned => Columns { squares: true, ..none },
            Bound::Ucb1(Ucb1 { estimate, experience, .. }) => Columns {
                ready: true,
                lent: experience.is_some()
                    || matches!(estimate, Estimate::Prior(_) | Estimate::Value(_)),
                numbers: matches!(estimate, Estimate::Grave(_)),
                ..none
            },
        }
    }

    /// Begins a descent.
    #[inline]
    pub(super) fn restart(&mut self) {
        self.reference = ROOT;
    }

    /// Picks an arm for every choosing player.
    #[inline]
    pub(super) fn pick(&mut self, tree: &Tree, node: NodeId, path: &mut Path, rng: &mut Rng) {
        let entry = tree.nodes[node as usize];
        if self.amaf.as_ref().is_some_and(|amaf| amaf.is_reference(node, entry.visits)) {
            self.reference = node;
        }
        if entry.choosing().len() > 1 {
            return self.pick_at_once(tree, node, path, rng);
        }
        let Node { visits, .. } = entry;
        let Some(Row { player, first, len }) = tree.rows(node).next() else { return };
        let mut exploration = self.scaled(self.exploration(tree, node), player);
        let settings = &self.settings;
        let n_shown = settings.n_shown(len, visits);
        // Arms that begin with visits are not tried once each before scores count.
        let has_prior = match settings.estimate() {
            Estimate::Prior(_) => true,
            // While there is no value of use, arms begin without visits.
            Estimate::Value(prior) if tree.arms.lent[first][0] > 0.0 => {
                exploration = exploration.scaled((prior.c / settings.c.max(1e-9)) as f32);
                true
            }
            Estimate::Value(_) | Estimate::None | Estimate::Grave(_) => false,
        };
        let visits = if has_prior { visits.max(n_shown as u32) } else { visits };
        let row = Row { player, first, len: n_shown };
        let untried = (n_shown < len).then(|| untried(&tree.arms, first, n_shown));
        let pick = match (untried.flatten(), &self.amaf) {
            (_, Some(amaf)) => {
                let weight = settings.c as f32 * exploration.root;
                grave::pick(tree, amaf, (node, self.reference), row, weight)
            }
            (Some(untried), None) => untried,
            (None, None) if settings.proofs != Proofs::Off && visits as usize >= n_shown => {
                let score = |arm| settings.score(&tree.arms, arm, exploration);
                solver::pick(tree, node, row, score)
            }
            (None, None) => settings.best(&tree.arms, first, n_shown, visits, exploration),
        };
        path.picks.push(pick as u16);
    }

    /// The picks of players who choose at the same time.
    fn pick_at_once(&mut self, tree: &Tree, node: NodeId, path: &mut Path, rng: &mut Rng) {
        let visits = tree.nodes[node as usize].visits;
        let exploration = self.exploration(tree, node);
        let mut scores = std::mem::take(&mut self.scores);
        for Row { player, first, len } in tree.rows(node) {
            let exploration = self.scaled(exploration, player);
            let settings = &self.settings;
            let pick = match settings.ties {
                Ties::First => {
                    let n_shown = settings.n_shown(len, visits);
                    settings.best(&tree.arms, first, n_shown, visits, exploration)
                }
                Ties::Draw if (visits as usize) < len => visits as usize,
                Ties::Draw => {
                    let arms = first..first + len;
                    let all = arms.map(|arm| settings.score(&tree.arms, arm, exploration));
                    draw_close(all, &mut scores, rng)
                }
            };
            path.picks.push(pick as u16);
        }
        self.scores = scores;
    }

    #[inline]
    fn exploration(&self, tree: &Tree, node: NodeId) -> Exploration {
        let visits = tree.nodes[node as usize].visits;
        let lent = tree.lent_visits(node);
        Exploration::of(visits.saturating_add(self.expand).saturating_add(lent))
    }

    /// Exploration in the measure of a player's payoffs, if that is known.
    #[inline]
    fn scaled(&self, exploration: Exploration, player: Player) -> Exploration {
        match &self.spread {
            None => exploration,
            Some(spread) => exploration.scaled(spread.factor(player)),
        }
    }

    pub(super) fn back_up(
        &mut self,
        tree: &mut Tree,
        path: &Path,
        payoffs: &Payoffs,
        n_players: usize,
    ) {
        if path.is_counted_ahead {
            // What is taken back here is learned at once.
            let take_back = |step: &Step| tree.take_back(step.node, path.picks_at(step), |_, _| {});
            path.steps.iter().for_each(take_back);
        }
        self.learn(tree, path, payoffs);
        if self.settings.proofs != Proofs::Off {
            solver::back_up(tree, path);
        }
        if let Some(spread) = &mut self.spread {
            spread.learn(payoffs, n_players);
        }
    }

    /// Counts the visits of an iteration whose payoffs are to come, so that the next descents go
    /// elsewhere. UCB1 leaves the means as they are (Liu et al. 2020), and counts a first visit as a
    /// loss; with UCB1-Tuned all of them count as losses of all players (virtual loss).
    pub(super) fn count_ahead(&self, tree: &mut Tree, path: &mut Path) {
        let (none, is_kept_ready) =
            (Payoffs::default(), matches!(self.settings.bound, Bound::Ucb1(_)));
        for step in &path.steps {
            tree.learn(step.node, path.picks_at(step), &none, |arms, arm, _| {
                if is_kept_ready {
                    arms.make_ready_unseen(arm);
                }
            });
        }
        path.is_counted_ahead = true;
    }

    /// Takes back what was counted ahead.
    pub(super) fn take_back(&self, tree: &mut Tree, path: &mut Path) {
        let is_kept_ready = matches!(self.settings.bound, Bound::Ucb1(_));
        for step in &path.steps {
            let picks = path.picks_at(step);
            tree.take_back(step.node, picks, |arms, arm| {
                if is_kept_ready {
                    arms.make_ready(arm);
                }
            });
        }
        path.is_counted_ahead = false;
    }

    fn learn(&self, tree: &mut Tree, path: &Path, payoffs: &Payoffs) {
        for step in &path.steps {
            let picks = path.picks_at(step);
            // A leaf that was expanded while it waited has begun to count again.
            if path.is_counted_ahead && tree.has_begun_anew(step.node, picks) {
                continue;
            }
            match self.settings.bound {
                Bound::Ucb1(_) => tree.learn(step.node, picks, payoffs, |arms, arm, _| {
                    arms.make_ready(arm);
                }),
                Bound::Tuned => tree.learn(step.node, picks, payoffs, |arms, arm, payoff| {
                    arms.squares[arm] += payoff * payoff;
                }),
            }
        }
    }

    /// Lets what was learned so far weigh less than what is to come.
    pub(super) fn reduce(&mut self) {
        if let Some(spread) = &mut self.spread {
            spread.reduce(SPREAD_KEPT);
        }
    }

    /// Forgets what belongs to the nodes of the tree, which was emptied.
    pub(super) fn forget(&mut self) {
        if let Some(amaf) = &mut self.amaf {
            amaf.clear();
        }
    }

    /// Keeps what belongs to the nodes that are kept.
    pub(super) fn follow(&mut self, moved: &Moved) {
        if let Some(amaf) = &mut self.amaf {
            amaf.follow(|old| moved.new_of(old));
        }
    }

    /// The AMAF values, if there are any.
    #[inline]
    pub(in crate::mcts) fn amaf_mut(&mut self) -> Option<&mut Amaf> {
        self.amaf.as_deref_mut()
    }

    /// The visits with which arms begin, if they do.
    #[inline]
    pub(in crate::mcts) fn prior(&self) -> Option<f64> {
        match self.settings.estimate() {
            Estimate::Prior(visits) => Some(visits),
            _ => None,
        }
    }

    /// The same at the value that is learned.
    #[inline]
    pub(super) fn value_visits(&self) -> Option<f64> {
        match self.settings.estimate() {
            Estimate::Value(prior) => Some(prior.visits),
            _ => None,
        }
    }
}

/// Payoffs of earlier decisions that the spread remembers.
const SPREAD_KEPT: f64 = 1_000.0;

/// The first arm of a row that is shown and was never tried. Arms are tried in their order.
fn untried(arms: &Arms, first: usize, n_shown: usize) -> Option<usize> {
    let tried = (0..n_shown).rev().find(|&pick| arms.visits[first + pick] > 0);
    let next = tried.map_or(0, |pick| pick + 1);
    (next < n_shown).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::means::Means;
    use sakiyomi_core::{Players, Turn};

    fn tuned(c: f64) -> Ucb {
        Ucb { bound: Bound::Tuned, ..Ucb::new(c) }
    }

    /// A tree of one row of arms.
    fn row(settings: Ucb, n: usize) -> (UcbSelect, Tree) {
        let select = UcbSelect::new(settings, 1, 0);
        let mut tree = Tree::new(select.columns(), Means::None, false, 1);
        let root = tree.add(&Turn::Choose(Players::one(Player(0))));
        tree.grow(root, &[n]);
        (select, tree)
    }

    fn learn(select: &mut UcbSelect, tree: &mut Tree, pick: u16, payoff: f64) {
        let mut path = Path::default();
        path.enter(ROOT);
        path.picks.push(pick);
        path.count_picks();
        select.back_up(tree, &path, &Payoffs::of([payoff]), 1);
    }

    #[test]
    fn untried_arms_come_first_in_order() {
        let (mut select, mut tree) = row(Ucb::new(1.0), 3);
        learn(&mut select, &mut tree, 0, 1.0);
        learn(&mut select, &mut tree, 1, 1.0);
        assert_eq!(select.settings.best(&tree.arms, 0, 3, 2, Exploration::of(3)), 2);
    }

    #[test]
    fn scores_are_the_formulas_of_the_papers() {
        let check = |settings: Ucb, (visits, wins), parent, expected: f32| {
            let (mut select, mut tree) = row(settings, 1);
            for visit in 0..visits {
                learn(&mut select, &mut tree, 0, f64::from(u8::from(visit < wins)));
            }
            let score = settings.score(&tree.arms, 0, Exploration::of(parent));
            assert!((score - expected).abs() < 1e-5, "{settings:?}: {score} is not {expected}");
        };
        // 7 of 10 after 100 visits: 0.7 + 1.4 * sqrt(ln 100 / 10)
        check(Ucb::new(1.4), (10, 7), 100, 1.650_06);
        // The variance 0.21 plus sqrt(2 ln 100 / 10) is above 1/4: 0.7 + sqrt(ln 100 / 10 / 4).
        check(tuned(1.0), (10, 7), 100, 1.039_307);
        // 100 of 100,000: 0.001 + sqrt(ln 1e6 / 1e5 * (0.000999 + sqrt(2 ln 1e6 / 1e5)))
        check(tuned(1.0), (100_000, 100), 1_000_000, 0.002_560_3);
    }

    #[test]
    fn the_better_arm_is_tried_more_often_and_the_worse_now_and_then() {
        for settings in [Ucb::new(1.0), tuned(1.0)] {
            let (mut select, mut tree) = row(settings, 2);
            for total in 0..10_000u32 {
                let arm = settings.best(&tree.arms, 0, 2, total, Exploration::of(total));
                // Arm 0 pays 0.5, arm 1 pays 1 in five of eight cases.
                let payoff = if arm == 0 { 0.5 } else { f64::from(u8::from(total % 8 < 5)) };
                learn(&mut select, &mut tree, arm as u16, payoff);
            }
            let visits = &tree.arms.visits;
            assert!(visits[1] > 2 * visits[0] && visits[0] > 50, "{settings:?} {visits:?}");
        }
    }

    #[test]
    fn arms_are_shown_one_by_one() {
        let widening = Ucb { widen: Some(1.0), ..Ucb::new(1.0) };
        let shown = [0, 1, 3, 4, 8, 9, 100].map(|visits| widening.n_shown(5, visits));
        assert_eq!(shown, [1, 2, 2, 3, 3, 4, 5]);
        assert_eq!(Ucb::new(1.0).n_shown(5, 0), 5);
    }

    #[test]
    fn the_next_arm_is_the_first_that_was_never_tried() {
        let mut arms = Arms::default();
        arms.visits.extend([9, 2, 1, 0, 0]);
        let next = [1, 2, 3, 4].map(|n_shown| untried(&arms, 1, n_shown));
        assert_eq!(next, [None, None, Some(2), Some(2)]);
        assert_eq!(untried(&arms, 3, 2), Some(0));
    }
}
