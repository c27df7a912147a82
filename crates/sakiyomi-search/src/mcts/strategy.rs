//! The strategy that a tree has learned, for every node: this is what exact measurements read.

use sakiyomi_core::{Game, Hints, Player, Turn};

use super::answer::Answer;
use super::game_tree::GameTree;
use super::path::{NodeId, ROOT};
use super::walk::Walk;

/// The strategy of one tree, followed from its root.
#[derive(Debug)]
pub struct TreeStrategy<'a, G: Game> {
    tree: &'a GameTree<G::Action>,
    shares_arms: bool,
    answer: Answer,
}

/// A node of the tree; states are known by the path that leads to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeRef(NodeId);

impl<'a, G: Hints> TreeStrategy<'a, G> {
    pub(super) fn new(walk: &'a Walk<G>, answer: Answer) -> TreeStrategy<'a, G> {
        TreeStrategy { tree: &walk.tree, shares_arms: walk.candidates.shares_arms(), answer }
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
        self.tree.child_after(node.0, actions, is_chance, self.shares_arms).map(NodeRef)
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
            tree.find(row, action).map_or(0.0, |pick| tree.weight(row.first + pick))
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
