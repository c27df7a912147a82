//! Learning from other joint actions than the one that was played: what every node knows about its
//! payoffs, and regret matching in the form of Lanctot, Lisý and Winands (2013).
//!
//! What another arm would have given is the mean of the child to which it leads, the others' picks
//! being what they were; a joint action that was never tried counts as much as the node itself does
//! on average, which the papers leave open. SM-UCT and outcome sampling read the same means, in walks
//! of their own (`smuct.rs`, `oos.rs`).

use std::hash::Hash;
use std::mem;
use std::ops::Range;

use sakiyomi_core::{MAX_PLAYERS, Payoffs, Player};

use super::bandit::{Bandit, Means, column_bytes, growth, make_room};
use super::tree::{NodeId, Row, Slot, Tree};

/// How an iteration went at one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit<'a> {
    pub(super) node: NodeId,
    pub(super) picks: &'a [u16],
    /// How likely each pick was; empty if picks are not drawn.
    pub(super) odds: &'a [f64],
    /// The node after this one on the path.
    pub(super) child: Option<NodeId>,
}

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
    /// The places of row `i` among the arms of the node.
    pub(super) fn arms_of(&self, i: usize) -> Range<usize> {
        let start = self.rows[i].first - self.rows[0].first;
        start..start + self.rows[i].len
    }
}

impl<A: Copy + Eq + Hash> Tree<A> {
    /// Lets the rows of a node learn, as [`Tree::learn`] does, and beyond that what their bandit
    /// asks for.
    pub(super) fn learn_more(&mut self, visit: Visit<'_>, payoffs: &Payoffs) {
        let Visit { node, picks, odds, .. } = visit;
        match self.bandit {
            _ if picks.is_empty() => {}
            Bandit::Exp3 { .. } => self.learn_weights(node, picks, odds, payoffs),
            Bandit::RegretMatching { plus, .. } => self.learn_regrets(node, picks, payoffs, plus),
            _ => {}
        }
        self.learn(node, picks, payoffs);
        self.means.learn(node, payoffs);
    }

    fn learn_weights(&mut self, node: NodeId, picks: &[u16], odds: &[f64], payoffs: &Payoffs) {
        let rows = self.rows_of(node, picks);
        for (i, row) in rows.rows[..rows.n].iter().enumerate() {
            self.arms.weights[row.first + picks[i] as usize] += payoffs[row.player] / odds[i];
        }
    }

    fn learn_regrets(&mut self, node: NodeId, picks: &[u16], payoffs: &Payoffs, plus: bool) {
        let rows = self.rows_of(node, picks);
        let mut weights = mem::take(&mut self.arms.weights);
        for (i, (row, &pick)) in rows.rows[..rows.n].iter().zip(picks).enumerate() {
            let (stride, payoff) = (rows.strides[i], payoffs[row.player]);
            let unknown = self.means.mean(node, row.player) - payoff;
            let first = rows.first_child.plus(rows.played - u64::from(pick) * stride);
            let regrets = &mut weights[row.first..row.first + row.len];
            let visits = &self.arms.visits[row.first..row.first + row.len];
            let known = regrets[pick as usize];
            for (arm, (regret, &visits)) in regrets.iter_mut().zip(visits).enumerate() {
                // An arm that was never tried leads to no child, which saves looking for it.
                let slot = (visits > 0).then(|| first.plus(arm as u64 * stride));
                *regret += match slot.and_then(|slot| self.child(slot)) {
                    Some(child) => self.means.mean(child, row.player) - payoff,
                    None => unknown,
                };
            }
            // The pick itself is regretted by nothing.
            regrets[pick as usize] = known;
            if plus {
                regrets.iter_mut().for_each(|regret| *regret = regret.max(0.0));
            }
        }
        self.arms.weights = weights;
    }

    pub(super) fn rows_of(&self, node: NodeId, picks: &[u16]) -> Rows {
        let mut rows = Rows {
            rows: [Row::EMPTY; MAX_PLAYERS],
            strides: [1; MAX_PLAYERS],
            n: picks.len(),
            played: 0,
            first_child: Slot::Table(0),
        };
        for (place, row) in rows.rows.iter_mut().zip(self.rows(node)) {
            *place = row;
        }
        for i in (0..rows.n).rev() {
            if i + 1 < rows.n {
                rows.strides[i] = rows.strides[i + 1] * rows.rows[i + 1].len as u64;
            }
            rows.played += u64::from(picks[i]) * rows.strides[i];
        }
        rows.first_child = self.first_slot(node, rows.n);
        rows
    }
}

/// The visits and the mean payoffs of every node, if the bandit asks for them; otherwise nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeMeans {
    /// Per node the visits, then the mean of each player; or visits and mean of one player after
    /// the other, if players learn in different iterations.
    numbers: Vec<f64>,
    /// Numbers per node; 0 if nothing is kept.
    width: usize,
    /// From the mean of one player to that of the next.
    step: usize,
}

impl NodeMeans {
    pub(super) fn new(bandit: Bandit, n_players: usize) -> NodeMeans {
        let (width, step) = match bandit.traits().means {
            Means::OfEach => (2 * n_players, 2),
            Means::OfAll => (1 + n_players, 1),
            Means::None => (0, 1),
        };
        NodeMeans { numbers: Vec::new(), width, step }
    }

    pub(super) fn clear(&mut self) {
        self.numbers.clear();
    }

    pub(super) fn bytes_per_node(&self) -> usize {
        self.width * size_of::<f64>()
    }

    pub(super) fn bytes(&self) -> usize {
        column_bytes(&self.numbers)
    }

    /// By how many bytes the memory grows with the next node.
    pub(super) fn bytes_to_grow(&self) -> usize {
        match self.numbers.capacity() - self.numbers.len() < self.width {
            true => growth(&self.numbers, self.width) * size_of::<f64>(),
            false => 0,
        }
    }

    pub(super) fn add(&mut self) {
        make_room(&mut self.numbers, self.width);
        self.numbers.resize(self.numbers.len() + self.width, 0.0);
    }

    /// Appends the numbers of a node of another tree.
    pub(super) fn copy(&mut self, from: &NodeMeans, node: NodeId) {
        let start = node as usize * from.width;
        make_room(&mut self.numbers, from.width);
        self.numbers.extend_from_slice(&from.numbers[start..start + from.width]);
    }

    /// An empty one of the same kind.
    pub(super) fn like(&self) -> NodeMeans {
        NodeMeans { numbers: Vec::new(), ..*self }
    }

    #[inline]
    pub(super) fn visits(&self, node: NodeId) -> f64 {
        self.numbers[node as usize * self.width]
    }

    #[inline]
    pub(super) fn mean(&self, node: NodeId, player: Player) -> f64 {
        self.numbers[node as usize * self.width + 1 + player.index() * self.step]
    }

    /// The mean, if the player has learned here.
    pub(super) fn known_mean(&self, node: NodeId, player: Player) -> Option<f64> {
        let start = node as usize * self.width + player.index() * self.step;
        (self.numbers[start] > 0.0).then(|| self.numbers[start + 1])
    }

    pub(super) fn learn_one(&mut self, node: NodeId, player: Player, payoff: f64) {
        let start = node as usize * self.width + player.index() * self.step;
        self.numbers[start] += 1.0;
        self.numbers[start + 1] += (payoff - self.numbers[start + 1]) / self.numbers[start];
    }

    /// Lets every player learn its own payoff, where visits are kept for each.
    pub(super) fn learn_each(&mut self, node: NodeId, payoffs: &Payoffs) {
        for player in 0..self.width / self.step {
            let player = Player(player as u8);
            self.learn_one(node, player, payoffs[player]);
        }
    }

    #[inline]
    pub(super) fn learn(&mut self, node: NodeId, payoffs: &Payoffs) {
        if self.width == 0 {
            return;
        }
        let start = node as usize * self.width;
        let (visits, means) = self.numbers[start..start + self.width].split_at_mut(1);
        visits[0] += 1.0;
        let share = 1.0 / visits[0];
        for (mean, payoff) in means.iter_mut().zip(payoffs.as_slice(MAX_PLAYERS)) {
            *mean += share * (payoff - *mean);
        }
    }
}
