//! SM-UCT: UCT over joint actions (Den Teuling and Winands 2012; in the form that Lanctot, Lisý and
//! Winands 2013 compare with). The score of an arm is the sum of UCB1 over its joint actions. Only
//! one of them changes in a visit, so the two sums of the formula are kept up to date.

use std::hash::Hash;

use sakiyomi_core::{Hints, MAX_PLAYERS, Payoffs, Rng};

use super::bandit::{Bandit, Exploration};
use super::playout::Observer;
use super::tree::{NodeId, Row, Tree};
use super::walk::{Leaf, Walk};

impl<G: Hints, O: Observer<G>> Walk<G, O> {
    /// Lets every choosing player pick an arm by its sum.
    pub(super) fn pick_by_sums(&mut self, node: NodeId, leaf: &mut Leaf<G>, rng: &mut Rng) {
        let Walk { tree, scratch, settings, .. } = self;
        let entry = tree.nodes[node as usize];
        let (visits, alone) = (entry.visits, entry.choosing().len() == 1);
        let exploration = Exploration::of(visits.saturating_add(settings.expand));
        let untried = match tree.bandit {
            Bandit::JointUcb1 { tried: false, .. } => UntriedJoint::after(tree.rows(node), visits),
            _ => None,
        };
        for i in 0..entry.choosing().len() {
            let Some(Row { first, len, .. }) = tree.rows(node).nth(i) else { break };
            let pick = match &untried {
                Some(joint) => joint.pick(i, len),
                None if alone || settings.strict => {
                    tree.bandit.pick(&tree.arms, first, len, visits, exploration)
                }
                None => {
                    tree.bandit.pick_loosely(&mut tree.arms, first, len, visits, exploration, rng)
                }
            };
            leaf.picks.push(pick as u16);
            scratch.joint.push(tree.actions[first + pick]);
        }
    }

    pub(super) fn back_up_sums(&mut self, leaf: &Leaf<G>, payoffs: &Payoffs) {
        for i in 0..leaf.path.len() {
            let visit = leaf.visit(i);
            if let (false, Some(child)) = (visit.picks.is_empty(), visit.child) {
                self.tree.learn_joint(visit.node, visit.picks, child, payoffs);
            }
            self.tree.learn(visit.node, visit.picks, payoffs);
            self.tree.means.learn(visit.node, payoffs);
        }
    }
}

impl<A: Copy + Eq + Hash> Tree<A> {
    /// The child's part in the sums of the arms that lead to it changes from what it is to what it
    /// is going to be.
    fn learn_joint(&mut self, node: NodeId, picks: &[u16], child: NodeId, payoffs: &Payoffs) {
        let rows = self.rows_of(node, picks);
        let visits = self.means.visits(child);
        for (row, &pick) in rows.rows[..rows.n].iter().zip(picks) {
            let mean = self.means.mean(child, row.player);
            let width = if visits > 0.0 { 1.0 / visits.sqrt() } else { 0.0 };
            let sums = &mut self.arms.joint[row.first + pick as usize];
            sums[0] += (payoffs[row.player] - mean) / (visits + 1.0);
            sums[1] += 1.0 / (visits + 1.0).sqrt() - width;
        }
    }
}

/// A joint action that was never played. All of them come once before any comes again:
/// as long as some arms have more children than others, a sum over children would only say so.
#[derive(Clone, Copy, Debug)]
struct UntriedJoint {
    digits: [u64; MAX_PLAYERS],
}

impl UntriedJoint {
    /// The joint action of visit number `visits`, from 0, at a node with these rows, if any is left.
    fn after(rows: impl Iterator<Item = Row>, visits: u32) -> Option<UntriedJoint> {
        let mut left = u64::from(visits);
        let mut digits = [0; MAX_PLAYERS];
        for (digit, row) in digits.iter_mut().zip(rows) {
            *digit = left % row.len as u64;
            left /= row.len as u64;
        }
        (left == 0).then_some(UntriedJoint { digits })
    }

    /// The part of row `i`, which has `n` arms. The first row runs fastest, and the others with it,
    /// so that every arm of every row is tried early.
    fn pick(&self, i: usize, n: usize) -> usize {
        let shift = if i > 0 { self.digits[0] } else { 0 };
        ((self.digits[i] + shift) % n as u64) as usize
    }
}
