//! What a tree has learned, as a strategy for every node: this is what exact measurements read.

use sakiyomi_core::{Game, Hints, Player};

use super::tree::NodeId;
use super::{Answer, ROOT, Walk};

/// The strategy of one tree, followed from its root.
#[derive(Debug)]
pub struct Learned<'a, G: Game> {
    walk: &'a Walk<G>,
    answer: Answer,
}

/// A node of the tree; states are known by the path that leads to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(NodeId);

impl<'a, G: Hints> Learned<'a, G> {
    pub(super) fn new(walk: &'a Walk<G>, answer: Answer) -> Learned<'a, G> {
        Learned { walk, answer }
    }

    pub fn root(&self) -> Place {
        Place(ROOT)
    }

    /// The node after these actions (one per choosing player, or the outcome of chance) in `state`,
    /// which is the state of `place`; none if the tree has never been there.
    pub fn after(
        &self,
        game: &G,
        place: Place,
        state: &G::State,
        actions: &[G::Action],
    ) -> Option<Place> {
        self.walk.child_after(game, place.0, state, actions).map(Place)
    }

    /// Writes the shares of these actions of `player`. False if the tree knows nothing about them.
    pub fn shares(
        &self,
        place: Place,
        player: Player,
        actions: &[G::Action],
        shares: &mut Vec<f64>,
    ) -> bool {
        let tree = &self.walk.tree;
        let Some(row) = tree.row(place.0, player) else { return false };
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
