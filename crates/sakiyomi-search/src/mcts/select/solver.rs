//! Proofs: MCTS-Solver (Winands et al. 2008). Ends are proven; a node is proven when its player has
//! an arm that is proven to give 1, or when all arms are proven. It departs from the paper in that
//! payoffs are not only win or loss: an arm that is proven is scored by its exact payoff. Proofs
//! stop at chance and at simultaneous turns. With more than two players a node whose best arms
//! differ for the others stays open.
//!
//! A node that is expanded may look for ends one action away (decisive moves, Teytaud and Teytaud
//! 2010, in the tree), which are then proven.

use sakiyomi_core::Payoffs;

use crate::mcts::path::{NodeId, Path};
use crate::mcts::tree::{Kind, Row, Tree};

/// What is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proofs {
    Off,
    /// Known results are backed up.
    Solver,
    /// A node that is expanded also proves the ends one action away.
    LookAhead,
}

/// Picks where one player chooses and some arms may be proven: these are scored by what they give.
pub(super) fn pick(tree: &Tree, node: NodeId, row: Row, score: impl Fn(usize) -> f32) -> usize {
    let (mut best, mut top) = (0, f32::NEG_INFINITY);
    for pick in 0..row.len {
        let score = match tree.arm_proof(node, pick) {
            Some(payoffs) => payoffs[row.player] as f32,
            None => score(row.first + pick),
        };
        if score > top {
            (best, top) = (pick, score);
        }
    }
    best
}

/// Carries the proof of the path's last node up as far as it goes.
pub(in crate::mcts) fn back_up(tree: &mut Tree, path: &Path) {
    let Some((last, above)) = path.steps.split_last() else { return };
    let mut child = last.node;
    for step in above.iter().rev() {
        if tree.proof(child).is_none() || step.n_picks != 1 {
            return;
        }
        let parent = step.node;
        if tree.nodes[parent as usize].kind() == Kind::Proven {
            return;
        }
        tree.mark_proven(parent, path.picks[step.first_pick as usize]);
        if let Some(payoffs) = proof_by_arms(tree, parent) {
            tree.prove(parent, payoffs);
        }
        child = parent;
    }
}

/// What the arms of a node where one player chooses prove: a sure 1, or the best of all.
pub(in crate::mcts) fn proof_by_arms(tree: &Tree, node: NodeId) -> Option<Payoffs> {
    let row = tree.rows(node).next()?;
    let mut best: Option<Payoffs> = None;
    let mut differ = false;
    let mut open = false;
    for pick in 0..row.len {
        let Some(payoffs) = tree.arm_proof(node, pick) else {
            open = true;
            continue;
        };
        if payoffs[row.player] >= 1.0 {
            return Some(*payoffs);
        }
        match best {
            Some(known) if known[row.player] > payoffs[row.player] => {}
            Some(known) if known[row.player] == payoffs[row.player] => differ |= known != *payoffs,
            _ => (best, differ) = (Some(*payoffs), false),
        }
    }
    if open || differ { None } else { best }
}
