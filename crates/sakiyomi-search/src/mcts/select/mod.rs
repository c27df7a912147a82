//! Selection: how players pick arms of their rows, and what the arms learn from payoffs. A rule is
//! one file with its settings, its columns, how it picks and how it backs up; [`Select`] is one of
//! them at work in one tree. None of it depends on the game, so it is compiled once.

pub(crate) mod grave;
pub(crate) mod joint;
pub(crate) mod mixed;
pub(crate) mod prior;
mod rows;
pub(crate) mod sampling;
pub(crate) mod scores;
pub(crate) mod solver;
mod spread;
mod strategy;
pub(crate) mod ucb;

use sakiyomi_core::{Payoffs, Rng};

use super::answer::Answer;
use super::arms::Columns;
use super::means::Means;
use super::path::{NodeId, Path};
use super::tree::{Moved, Tree};
use joint::{JointSelect, JointUcb};
use mixed::{Mixed, MixedSelect};
use prior::PriorSelect;
use sampling::{OutcomeSampling, SamplingSelect};
use ucb::{Ucb, UcbSelect};

/// The rule by which a tree search with playouts picks arms, with its options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// UCB for every player.
    Ucb(Ucb),
    /// SM-UCT.
    Joint(JointUcb),
    /// Exp3 or regret matching for every player.
    Mixed(Mixed),
    /// Online outcome sampling.
    Sampling(OutcomeSampling),
}

impl Selection {
    /// Which action is chosen in the end.
    pub fn answer(&self) -> Answer {
        match self {
            Selection::Ucb(ucb) => ucb.answer,
            Selection::Joint(_) => Answer::Max,
            Selection::Mixed(_) | Selection::Sampling(_) => Answer::Mix,
        }
    }

    /// The options of UCB, if that is the rule.
    pub const fn ucb(&self) -> Option<&Ucb> {
        match self {
            Selection::Ucb(ucb) => Some(ucb),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub const fn ucb_mut(&mut self) -> Option<&mut Ucb> {
        match self {
            Selection::Ucb(ucb) => Some(ucb),
            _ => None,
        }
    }
}

/// A rule at work in one tree.
#[derive(Clone, Debug)]
pub(super) enum Select {
    Ucb(UcbSelect),
    Joint(JointSelect),
    Mixed(MixedSelect),
    Sampling(SamplingSelect),
    Prior(PriorSelect),
}

impl Select {
    /// `expand` is the expansion threshold, `memory` what the tree may take in bytes.
    pub(super) fn new(selection: Selection, expand: u32, memory: u64) -> Select {
        match selection {
            Selection::Ucb(ucb) => Select::Ucb(UcbSelect::new(ucb, expand, memory)),
            Selection::Joint(joint) => Select::Joint(JointSelect::new(joint, expand)),
            Selection::Mixed(mixed) => Select::Mixed(MixedSelect::new(mixed)),
            Selection::Sampling(sampling) => Select::Sampling(SamplingSelect::new(sampling)),
        }
    }

    /// The columns that arms have.
    pub(super) fn columns(&self) -> Columns {
        match self {
            Select::Ucb(ucb) => ucb.columns(),
            Select::Joint(_) => JointSelect::columns(),
            Select::Mixed(mixed) => mixed.columns(),
            Select::Sampling(_) => SamplingSelect::columns(),
            Select::Prior(_) => PriorSelect::columns(),
        }
    }

    /// What every node knows about its payoffs.
    pub(super) fn means(&self) -> Means {
        match self {
            Select::Ucb(_) | Select::Prior(_) => Means::None,
            Select::Joint(_) => Means::OfAll,
            Select::Mixed(mixed) => mixed.means(),
            Select::Sampling(_) => Means::OfEach,
        }
    }

    /// Begins a descent.
    #[inline]
    pub(super) fn restart(&mut self) {
        if let Select::Ucb(ucb) = self {
            ucb.restart();
        }
    }

    /// Picks an arm for every choosing player.
    #[inline]
    pub(super) fn pick(&mut self, tree: &mut Tree, node: NodeId, path: &mut Path, rng: &mut Rng) {
        match self {
            Select::Ucb(ucb) => ucb.pick(tree, node, path, rng),
            Select::Joint(joint) => joint.pick(tree, node, path, rng),
            Select::Mixed(mixed) => mixed.pick(tree, node, path, rng),
            Select::Sampling(sampling) => sampling.pick(tree, node, path, rng),
            Select::Prior(prior) => prior.pick(tree, node, path),
        }
    }

    /// Lets all nodes of the path learn.
    pub(super) fn back_up(
        &mut self,
        tree: &mut Tree,
        path: &Path,
        payoffs: &Payoffs,
        n_players: usize,
    ) {
        match self {
            Select::Ucb(ucb) => ucb.back_up(tree, path, payoffs, n_players),
            Select::Joint(_) => JointSelect::back_up(tree, path, payoffs),
            Select::Mixed(mixed) => mixed.back_up(tree, path, payoffs),
            Select::Sampling(sampling) => sampling.back_up(tree, path, payoffs, n_players),
            Select::Prior(_) => PriorSelect::back_up(tree, path, payoffs),
        }
    }

    /// Whether visits can be counted before payoffs are there.
    pub(super) fn counts_ahead(&self) -> bool {
        matches!(self, Select::Ucb(_))
    }

    /// Counts the visits of an iteration whose payoffs are to come, where that is possible.
    pub(super) fn count_ahead(&self, tree: &mut Tree, path: &mut Path) {
        if let Select::Ucb(ucb) = self {
            ucb.count_ahead(tree, path);
        }
    }

    /// Takes back what was counted ahead: the payoffs never came.
    pub(super) fn take_back(&self, tree: &mut Tree, path: &mut Path) {
        if let Select::Ucb(ucb) = self {
            ucb.take_back(tree, path);
        }
    }

    /// Lets what was learned so far weigh less than what is to come.
    pub(super) fn reduce(&mut self) {
        if let Select::Ucb(ucb) = self {
            ucb.reduce();
        }
    }

    /// Forgets what belongs to the nodes of the tree, which was emptied.
    pub(super) fn forget(&mut self) {
        if let Select::Ucb(ucb) = self {
            ucb.forget();
        }
    }

    /// Keeps what belongs to the nodes that are kept.
    pub(super) fn follow(&mut self, moved: &Moved) {
        if let Select::Ucb(ucb) = self {
            ucb.follow(moved);
        }
    }

    /// The visits with which arms begin at a value that is learned, if they do.
    #[inline]
    pub(super) fn value_visits(&self) -> Option<f64> {
        match self {
            Select::Ucb(ucb) => ucb.value_visits(),
            _ => None,
        }
    }

    /// UCB at work, if that is the rule.
    #[inline]
    pub(super) fn ucb_mut(&mut self) -> Option<&mut UcbSelect> {
        match self {
            Select::Ucb(ucb) => Some(ucb),
            _ => None,
        }
    }
}
