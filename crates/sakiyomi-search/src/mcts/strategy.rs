//! The strategy that a tree has learned, for every node: this is what exact measurements read.

use sakiyomi_core::{Game, Hints, Player, Turn};

use super::playout::Observer;
use super::tree::{NodeId, Tree};
use super::{Answer, ROOT, Walk, knowledge};

/// The strategy of one tree, followed from its root.
#[derive(Debug)]
pub struct TreeStrategy<'a, G: Game> {
    tree: &'a Tree<G::Action>,
    shares_arms: bool,
    answer: Answer,
}

/// A node of the tree; states are known by the path that leads to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeRef(NodeId);

impl<'a, G: Hints> TreeStrategy<'a, G> {
    pub(super) fn new<O: Observer<G>>(walk: &'a Walk<G, O>) -> TreeStrategy<'a, G> {
        let Walk { tree, settings, .. } = walk;
        TreeStrategy { tree, shares_arms: settings.shares_arms(), answer: settings.answer }
    }

    pub fn root(&self) -> NodeRef {
        NodeRef(ROOT)
    }

    /// The node after these actions (one per choosing player, or the outcome of chance) in `state`,
    /// which is the state of `node`; none if the tree has never been there.
    pub fn after(
        &self,
        game: &G,
        node: NodeRef,
        state: &G::State,
        actions: &[G::Action],
    ) -> Option<NodeRef> {
        let is_chance = game.turn(state) == Turn::Chance;
        knowledge::child_after(self.tree, node.0, actions, is_chance, self.shares_arms).map(NodeRef)
    }

    /// Writes the shares of these actions of `player`. False if the tree knows nothing about them.
    pub fn shares(
        &self,
        node: NodeRef,
        player: Player,
        actions: &[G::Action],
        shares: &mut Vec<f64>,
    ) -> bool {
        let tree = self.tree;
        let Some(row) = tree.row(node.0, player) else { return false };
        let weight = |action: &G::Action| {
            let arms = &tree.actions[row.first..row.first + row.len];
            arms.iter().position(|arm| arm == action).map_or(0.0, |i| tree.weight(row.first + i))
        };
        shares.clear();
        shares.extend(actions.iter().map(weight));
        if self.answer == Answer::Max {
            let best = shares.iter().copied().fold(0.0, f64::max);
            let first = shares.iter().position(|&share| share == best);
            for (i, share) in shares.iter_mut().enumerate() {
                *share = f64::from(u8::from(best > 0.0 && Some(i) == first));
            }
        }
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        sum > 0.0
    }
}
