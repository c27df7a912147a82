//! The settings of a tree search.

use sakiyomi_core::Budget;

use super::playout::policy::PlayoutSettings;
use super::select::Selection;
use super::select::ucb::{Estimate, Ucb};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsSettings {
    pub budget: Budget,
    pub selection: Selection,
    pub tree: TreeSettings,
    pub playout: PlayoutSettings,
}

/// How trees grow, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeSettings {
    /// Expansion threshold: visits before a leaf is expanded.
    pub expand: u32,
    /// Transpositions: states that meet share a node.
    pub graph: bool,
    /// Tries arms in the order in which the game lists its actions, instead of a drawn one.
    pub listed_order: bool,
    /// Trees that are grown at the same time.
    pub trees: u32,
    /// Keeps the tree between moves instead of starting from nothing at every decision.
    pub reuse: bool,
    /// The last turns, this many, are solved exactly; see [`sakiyomi_core::Hints::turns_left`].
    pub endgame: u32,
}

impl MctsSettings {
    /// Plain UCT.
    pub fn new(budget: Budget) -> MctsSettings {
        MctsSettings {
            budget,
            selection: Selection::Ucb(Ucb::new(1.0)),
            tree: TreeSettings::default(),
            playout: PlayoutSettings::default(),
        }
    }

    /// Whether what positions are worth is learned.
    pub(super) fn uses_value(&self) -> bool {
        let ucb1 = self.selection.ucb().and_then(Ucb::ucb1);
        self.playout.cut.is_some()
            || ucb1.is_some_and(|ucb1| matches!(ucb1.estimate, Estimate::Value(_)))
    }

    /// What one of the trees may take, in bytes.
    pub(super) fn memory(&self) -> u64 {
        self.budget.memory / u64::from(self.tree.trees.max(1))
    }
}

impl Default for TreeSettings {
    fn default() -> TreeSettings {
        TreeSettings {
            expand: 1,
            graph: false,
            listed_order: false,
            trees: 1,
            reuse: true,
            endgame: 0,
        }
    }
}
