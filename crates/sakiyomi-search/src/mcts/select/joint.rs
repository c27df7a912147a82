//! SM-UCT: UCT over joint actions (Den Teuling and Winands 2012; in the form that Lanctot, Lisý and
//! Winands 2013 compare with). The score of an arm is the sum of UCB1 over its joint actions. Only
//! one of them changes in a visit, so the two sums of the formula are kept up to date.

use sakiyomi_core::{MAX_PLAYERS, Payoffs, Rng};

use super::rows::Rows;
use super::scores::{Exploration, Ties, draw_close, highest};
use crate::mcts::arms::{Arms, Columns};
use crate::mcts::path::{NodeId, Path};
use crate::mcts::tree::{Row, Tree};

/// The sum of mean + c sqrt(ln n / n_j) over the joint actions with an arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointUcb {
    pub c: f64,
    /// Every arm is tried once, and the sum is over the joint actions that were tried so far,
    /// instead of trying each joint action once before.
    pub tried_only: bool,
    pub ties: Ties,
}

/// SM-UCT at work in one tree.
#[derive(Clone, Debug)]
pub(in crate::mcts) struct JointSelect {
    settings: JointUcb,
    /// The expansion threshold: visits that a node has before it has rows.
    expand: u32,
    /// A buffer.
    scores: Vec<f32>,
}

impl JointSelect {
    pub(in crate::mcts) fn new(settings: JointUcb, expand: u32) -> JointSelect {
        JointSelect { settings, expand, scores: Vec::new() }
    }

    pub(super) fn columns() -> Columns {
        Columns { joint: true, ..Columns::default() }
    }

    fn score(&self, arms: &Arms, arm: usize, exploration: Exploration) -> f32 {
        let [mean, width] = arms.joint[arm];
        mean as f32 + self.settings.c as f32 * exploration.root * width as f32
    }

    /// Lets every choosing player pick an arm by its sum.
    pub(super) fn pick(&mut self, tree: &Tree, node: NodeId, path: &mut Path, rng: &mut Rng) {
        let entry = tree.nodes[node as usize];
        let (visits, is_alone) = (entry.visits, entry.choosing().len() == 1);
        let exploration = Exploration::of(visits.saturating_add(self.expand));
        let untried = match self.settings.tried_only {
            false => UntriedJoint::after(tree.rows(node), visits),
            true => None,
        };
        let mut buffer = std::mem::take(&mut self.scores);
        for (i, Row { first, len, .. }) in tree.rows(node).enumerate() {
            let scores = (first..first + len).map(|arm| self.score(&tree.arms, arm, exploration));
            let pick = match &untried {
                Some(joint) => joint.pick(i, len),
                None if (visits as usize) < len => visits as usize,
                None if is_alone || self.settings.ties == Ties::First => highest(scores),
                None => draw_close(scores, &mut buffer, rng),
            };
            path.picks.push(pick as u16);
        }
        self.scores = buffer;
    }

    pub(super) fn back_up(tree: &mut Tree, path: &Path, payoffs: &Payoffs) {
        for visit in path.visits() {
            if let (false, Some(child)) = (visit.picks.is_empty(), visit.child) {
                learn_joint(tree, visit.node, visit.picks, child, payoffs);
            }
            tree.learn(visit.node, visit.picks, payoffs, |_, _, _| {});
            tree.means.learn(visit.node, payoffs);
        }
    }
}

/// The child's part in the sums of the arms that lead to it changes from what it is to what it
/// is going to be.
fn learn_joint(tree: &mut Tree, node: NodeId, picks: &[u16], child: NodeId, payoffs: &Payoffs) {
    let rows = Rows::of(tree, node, picks);
    let visits = tree.means.visits(child);
    for (row, &pick) in rows.rows[..rows.n].iter().zip(picks) {
        let mean = tree.means.mean(child, row.player);
        let width = if visits > 0.0 { 1.0 / visits.sqrt() } else { 0.0 };
        let sums = &mut tree.arms.joint[row.first + pick as usize];
        sums[0] += (payoffs[row.player] - mean) / (visits + 1.0);
        sums[1] += 1.0 / (visits + 1.0).sqrt() - width;
    }
}

/// A joint action that was never played. All of them come once before any comes again:
/// as long as some arms have more children than others, a sum over children would only say so.
#[derive(Clone, Copy, Debug)]
struct UntriedJoint {
    digits: [u64; MAX_PLAYERS],
}

impl UntriedJoint {
    /// The joint action of visit number `visits`, from 0, at a node with these rows, if any is
    /// left.
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
