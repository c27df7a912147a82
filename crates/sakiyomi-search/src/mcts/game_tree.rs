//! The tree of a game: nodes and statistics, with the actions of the arms, and how large it may
//! grow.

use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

use rustc_hash::FxHasher;
use sakiyomi_core::Budget;

use super::arms::{column_bytes, growth, make_room};
use super::path::NodeId;
use super::tree::{MAX_ARMS, MAX_ENTRIES, MAX_NODES, Moved, Row, Slot, Tree};

/// A state that does not fit into a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooManyActions {
    #[error(
        "a player has {0} actions, and a tree search can tell {MAX_ARMS} apart: prune them, or \
         take an agent that draws actions instead of listing them"
    )]
    OfPlayer(usize),
    #[error(
        "the players have more than 2^64 joint actions, which a tree search cannot number: \
         prune their actions, or take an agent that does not look at joint actions"
    )]
    Joint,
}

/// How large a tree may become.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    nodes: usize,
    bytes: usize,
}

impl Room {
    /// A tree that is kept between moves is copied, so it takes two fifths of the memory: the copy
    /// may have a quarter more than it uses, and the rest is for the numbers of moved nodes.
    pub(super) fn of(budget: &Budget, is_kept: bool) -> Room {
        let nodes = budget.nodes.unwrap_or(u64::MAX).min(MAX_NODES as u64);
        let bytes = if is_kept { budget.memory / 5 * 2 } else { budget.memory };
        Room { nodes: nodes as usize, bytes: usize::try_from(bytes).unwrap_or(usize::MAX) }
    }
}

/// A tree with the actions of its arms.
#[derive(Clone, Debug)]
pub(super) struct GameTree<A> {
    tree: Tree,
    pub(super) actions: Vec<A>,
    arm_bytes: usize,
}

impl<A> Deref for GameTree<A> {
    type Target = Tree;

    #[inline]
    fn deref(&self) -> &Tree {
        &self.tree
    }
}

impl<A> DerefMut for GameTree<A> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Tree {
        &mut self.tree
    }
}

impl<A: Copy + Eq + Hash> GameTree<A> {
    pub(super) fn new(tree: Tree) -> GameTree<A> {
        let arm_bytes = tree.columns().bytes_per_arm() + size_of::<A>();
        GameTree { tree, actions: Vec::new(), arm_bytes }
    }

    pub(super) fn clear(&mut self) {
        self.tree.clear();
        self.actions.clear();
    }

    /// Bytes that are allocated.
    pub(super) fn bytes(&self) -> usize {
        self.tree.bytes() + column_bytes(&self.actions)
    }

    /// Bytes that are allocated, once there is room for one more node and for its rows, if these
    /// have up to `n_arms` arms.
    fn bytes_with_room(&self, n_arms: usize) -> usize {
        let arms = self.actions.capacity() - self.actions.len() < n_arms;
        self.bytes()
            + self.tree.bytes_to_grow(n_arms)
            + if arms { growth(&self.actions, n_arms) * self.arm_bytes } else { 0 }
    }

    /// Whether the tree may not grow any more: there is no room left, or numbers of 32 bits do not
    /// reach further.
    #[inline]
    pub(super) fn is_full(&self, room: Room) -> bool {
        self.nodes.len() >= room.nodes
            || self.n_entries() >= MAX_ENTRIES
            || (self.bytes_at_most() > room.bytes && self.bytes_with_room(USUAL_ARMS) > room.bytes)
    }

    /// More than [`GameTree::bytes_with_room`], and quick: columns have at most twice the room that
    /// they need, and tables of hash maps 16/7 of it.
    #[inline]
    fn bytes_at_most(&self) -> usize {
        3 * (self.tree.bytes_used() + self.actions.len() * self.arm_bytes) + ROOM
    }

    /// Bytes of one arm of a sequential node, its entry in the table of children included.
    pub(super) fn bytes_per_arm(&self) -> usize {
        self.arm_bytes + size_of::<u32>()
    }

    /// Gives the node its rows: the actions of its choosing players, in order, `lengths` of each.
    pub(super) fn grow(
        &mut self,
        node: NodeId,
        actions: &[A],
        lengths: &[usize],
    ) -> Result<(), TooManyActions> {
        check_lengths(lengths)?;
        self.tree.grow(node, lengths);
        make_room(&mut self.actions, actions.len());
        self.actions.extend_from_slice(actions);
        Ok(())
    }

    /// Where the child of a chance node after this outcome is kept.
    pub(super) fn chance_slot(&self, node: NodeId, outcome: &A) -> Slot {
        let mut hasher = FxHasher::default();
        outcome.hash(&mut hasher);
        Slot::Far(node, hasher.finish())
    }

    /// The child that these actions lead to, one per choosing player or the outcome of chance, if
    /// the tree has it. A shared arm has chance behind it.
    pub(super) fn child_after(
        &self,
        node: NodeId,
        actions: &[A],
        is_chance: bool,
        shares_arms: bool,
    ) -> Option<NodeId> {
        if is_chance || shares_arms && actions.len() == 1 {
            return self.child(self.chance_slot(node, &actions[0]));
        }
        if !self.nodes[node as usize].has_rows() {
            return None;
        }
        let pick = |(row, action): (Row, &A)| self.find(row, action).map(|pick| pick as u16);
        let picks: Option<Vec<u16>> = self.rows(node).zip(actions).map(pick).collect();
        self.child(self.slot(node, &picks?))
    }

    /// The place of an action in its row.
    pub(super) fn find(&self, row: Row, action: &A) -> Option<usize> {
        self.actions[row.first..row.first + row.len].iter().position(|arm| arm == action)
    }

    /// The part of the tree that can be reached from `root`, which becomes node 0.
    pub(super) fn below(&self, root: NodeId) -> (GameTree<A>, Moved) {
        let (tree, moved) = self.tree.below(root);
        let mut actions = Vec::new();
        for &old in moved.order.iter().filter(|&&old| self.nodes[old as usize].has_rows()) {
            let first = self.first_arm(old);
            let n_arms: usize = self.rows(old).map(|row| row.len).sum();
            make_room(&mut actions, n_arms);
            actions.extend_from_slice(&self.actions[first..first + n_arms]);
        }
        (GameTree { tree, actions, arm_bytes: self.arm_bytes }, moved)
    }
}

/// What small columns may have beyond three times their use, and the arms of one more node.
const ROOM: usize = 1 << 20;
/// Arms for which there must be room before a node is added: the rows of most nodes have fewer.
const USUAL_ARMS: usize = 256;

fn check_lengths(lengths: &[usize]) -> Result<(), TooManyActions> {
    if let Some(&n) = lengths.iter().find(|&&n| n > MAX_ARMS) {
        return Err(TooManyActions::OfPlayer(n));
    }
    let product = lengths.iter().map(|&n| n as u64).try_fold(1, u64::checked_mul);
    product.map(|_| ()).ok_or(TooManyActions::Joint)
}
