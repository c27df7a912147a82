//! The rows of a node as a table of joint actions, for selections that learn from more of them than
//! the one that was played.

use std::ops::Range;

use sakiyomi_core::MAX_PLAYERS;

use crate::mcts::path::NodeId;
use crate::mcts::tree::{Row, Slot, Tree};

/// The rows of a node, and how joint actions are numbered in their table.
pub(super) struct Rows {
    pub(super) rows: [Row; MAX_PLAYERS],
    pub(super) strides: [u64; MAX_PLAYERS],
    pub(super) n: usize,
    /// The number of the joint action that was played.
    pub(super) played: u64,
    /// Where the child of the first joint action is kept.
    pub(super) first_child: Slot,
}

impl Rows {
    pub(super) fn of(tree: &Tree, node: NodeId, picks: &[u16]) -> Rows {
        let mut rows = Rows {
            rows: [Row::EMPTY; MAX_PLAYERS],
            strides: [1; MAX_PLAYERS],
            n: picks.len(),
            played: 0,
            first_child: tree.first_slot(node, picks.len()),
        };
        for (place, row) in rows.rows.iter_mut().zip(tree.rows(node)) {
            *place = row;
        }
        for i in (0..rows.n).rev() {
            if i + 1 < rows.n {
                rows.strides[i] = rows.strides[i + 1] * rows.rows[i + 1].len as u64;
            }
            rows.played += u64::from(picks[i]) * rows.strides[i];
        }
        rows
    }

    /// The places of row `i` among the arms of the node.
    pub(super) fn arms_of(&self, i: usize) -> Range<usize> {
        let start = self.rows[i].first - self.rows[0].first;
        start..start + self.rows[i].len
    }
}
