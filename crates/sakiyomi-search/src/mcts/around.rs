//! Learning from the joint actions around the one that was played: SM-UCT, regret matching, and
//! online outcome sampling (Lanctot, Lisý and Winands 2013).
//!
//! These know the mean payoffs of every node. What another arm would have given is the mean of the
//! child to which it leads, the others' picks being what they were; a joint action that was never
//! tried counts as much as the node itself does on average, which the papers leave open.
//!
//! Outcome sampling (Lanctot et al. 2009; online: Lisý, Lanctot and Bowling 2015) learns what the
//! explorer's strategy is worth from iterations in which it explores. An arm is worth what the mean
//! of its child says, and the pick also by how much that mean was wrong, divided by how likely the
//! pick was: whatever the means are, the estimate has the right expectation, and good means keep its
//! variance low (Schmid et al. 2019). What a node hands up is what the strategy is worth there, and
//! that is also what its mean is made of. The form of 2013 takes the payoff itself for the pick and
//! hands it up unweighted, and means are those of all iterations, whoever explored in them. That is what
//! exploring is worth, and does not converge: on the 5-card game its NashConv stays above 0.3. It can
//! be asked for (`payoff`), to repeat what was published.
//!
//! With one opponent an arm is summed over all its actions, weighted by its strategy. With more than
//! one their picks, which are drawn from their strategies, stand for that sum: the expectation is
//! the same, and the cost does not grow with the number of players.

use std::hash::Hash;
use std::mem;
use std::ops::Range;

use sakiyomi_core::{Hints, MAX_PLAYERS, Payoffs, Player};

use super::ROOT;
use super::bandit::Bandit;
use super::tree::{NodeId, Row, Slot, Tree};
use super::walk::{Step, Walk};

impl<G: Hints> Walk<G> {
    /// Backs up where a row learns more than its own payoff.
    pub(super) fn back_up_more(&mut self, payoffs: &Payoffs) {
        if let Bandit::OutcomeSampling { .. } = self.tree.bandit {
            return self.back_up_outcome(payoffs);
        }
        for i in 0..self.path.len() {
            let Walk { tree, path, picks, odds, .. } = &mut *self;
            tree.learn_more(visit(path, picks, odds, i), payoffs);
        }
    }

    fn back_up_outcome(&mut self, payoffs: &Payoffs) {
        let Walk { tree, path, picks, odds, reaches, explorer: player, .. } = self;
        let (player, backs_up_payoff) = (*player, tree.bandit.backs_up_payoff());
        let mut reach = 1.0;
        reaches.clear();
        for i in 0..path.len() {
            reaches.push(reach);
            let visit = visit(path, picks, odds, i);
            let choosing = tree.nodes[visit.node as usize].choosing();
            let own = choosing.zip(visit.odds).find(|(other, _)| *other == player);
            reach *= own.map_or(1.0, |(_, probability)| *probability);
        }
        let mut value = payoffs[player];
        for i in (0..path.len()).rev() {
            let visit = visit(path, picks, odds, i);
            let explorer = Explorer { player, reach: reaches[i] };
            let below = value;
            if !visit.picks.is_empty() {
                let worth = tree.match_outcome(visit, explorer, below);
                value = if backs_up_payoff { below } else { worth };
            }
            tree.learn(visit.node, visit.picks, payoffs);
            // Only now: the node above must not know what it is about to learn.
            match visit.child {
                Some(child) if backs_up_payoff => tree.outlook.learn_each(child, payoffs),
                Some(child) => tree.outlook.learn_one(child, player, below),
                None => {}
            }
        }
        match backs_up_payoff {
            true => tree.outlook.learn_each(ROOT, payoffs),
            false => tree.outlook.learn_one(ROOT, player, value),
        }
    }
}

/// How the iteration went at step `i` of the path.
fn visit<'a>(path: &[Step], picks: &'a [u16], odds: &'a [f64], i: usize) -> Visit<'a> {
    let Step { node, first_pick, n_picks } = path[i];
    let range = first_pick as usize..(first_pick + n_picks) as usize;
    let child = path.get(i + 1).map(|step| step.node);
    Visit { node, picks: &picks[range.clone()], odds: odds.get(range).unwrap_or_default(), child }
}

/// A joint action that was never played, for SM-UCT. All of them come once before any comes again:
/// as long as some arms have more children than others, a sum over children would only say so.
#[derive(Clone, Copy, Debug)]
pub(super) struct UntriedJoint {
    digits: [u64; MAX_PLAYERS],
}

impl UntriedJoint {
    /// The one that comes after so many others at a node with these rows, if any is left.
    pub(super) fn after(rows: impl Iterator<Item = Row>, visits: u32) -> Option<UntriedJoint> {
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
    pub(super) fn pick(&self, i: usize, n: usize) -> usize {
        let shift = if i > 0 { self.digits[0] } else { 0 };
        ((self.digits[i] + shift) % n as u64) as usize
    }
}

/// How an iteration went at one node.
#[derive(Clone, Copy, Debug)]
struct Visit<'a> {
    node: NodeId,
    picks: &'a [u16],
    /// How likely each pick was; empty if picks are not drawn.
    odds: &'a [f64],
    /// The node after this one on the path.
    child: Option<NodeId>,
}

/// The part that the exploring player has in an iteration of outcome sampling.
#[derive(Clone, Copy, Debug)]
struct Explorer {
    player: Player,
    /// How likely its own picks were, from the root to the node.
    reach: f64,
}

/// The rows of a node, and how joint actions are numbered in their table.
struct Rows {
    rows: [Row; MAX_PLAYERS],
    strides: [u64; MAX_PLAYERS],
    n: usize,
    /// The number of the joint action that was played.
    played: u64,
    /// Where the child of the first joint action is kept.
    first_child: Slot,
}

impl Rows {
    /// The places of row `i` among the arms of the node.
    fn arms_of(&self, i: usize) -> Range<usize> {
        let start = self.rows[i].first - self.rows[0].first;
        start..start + self.rows[i].len
    }
}

impl<A: Copy + Eq + Hash> Tree<A> {
    /// Lets the rows of a node learn, as [`Tree::learn`] does, and beyond that what their bandit
    /// asks for.
    fn learn_more(&mut self, visit: Visit<'_>, payoffs: &Payoffs) {
        let Visit { node, picks, odds, child } = visit;
        if !picks.is_empty() {
            match self.bandit {
                Bandit::Ucb1 { .. } | Bandit::Ucb1Tuned { .. } => {}
                Bandit::Exp3 { .. } => self.learn_weights(node, picks, odds, payoffs),
                Bandit::JointUcb1 { .. } => self.learn_joint(node, picks, child, payoffs),
                Bandit::RegretMatching { plus, .. } => {
                    self.learn_regrets(node, picks, payoffs, plus);
                }
                Bandit::OutcomeSampling { .. } => unreachable!("learns on the way back"),
            }
        }
        self.learn(node, picks, payoffs);
        self.outlook.learn(node, payoffs);
    }

    fn learn_weights(&mut self, node: NodeId, picks: &[u16], odds: &[f64], payoffs: &Payoffs) {
        let rows = self.rows_of(node, picks);
        for (i, row) in rows.rows[..rows.n].iter().enumerate() {
            self.arms.weights[row.first + picks[i] as usize] += payoffs[row.player] / odds[i];
        }
    }

    /// The child's part in the sums of the arms that lead to it changes from what it is to what it
    /// is going to be.
    fn learn_joint(
        &mut self,
        node: NodeId,
        picks: &[u16],
        child: Option<NodeId>,
        payoffs: &Payoffs,
    ) {
        let Some(child) = child else { return };
        let rows = self.rows_of(node, picks);
        let visits = self.outlook.visits(child);
        for (row, &pick) in rows.rows[..rows.n].iter().zip(picks) {
            let mean = self.outlook.mean(child, row.player);
            let width = if visits > 0.0 { 1.0 / visits.sqrt() } else { 0.0 };
            let sums = &mut self.arms.joint[row.first + pick as usize];
            sums[0] += (payoffs[row.player] - mean) / (visits + 1.0);
            sums[1] += 1.0 / (visits + 1.0).sqrt() - width;
        }
    }

    fn learn_regrets(&mut self, node: NodeId, picks: &[u16], payoffs: &Payoffs, plus: bool) {
        let rows = self.rows_of(node, picks);
        let mut weights = mem::take(&mut self.arms.weights);
        for (i, (row, &pick)) in rows.rows[..rows.n].iter().zip(picks).enumerate() {
            let (stride, payoff) = (rows.strides[i], payoffs[row.player]);
            let unknown = self.outlook.mean(node, row.player) - payoff;
            let first = rows.first_child.plus(rows.played - u64::from(pick) * stride);
            let regrets = &mut weights[row.first..row.first + row.len];
            let visits = &self.arms.visits[row.first..row.first + row.len];
            let known = regrets[pick as usize];
            for (arm, (regret, &visits)) in regrets.iter_mut().zip(visits).enumerate() {
                // An arm that nobody tried leads to no child, which saves looking for it.
                let slot = (visits > 0).then(|| first.plus(arm as u64 * stride));
                *regret += match slot.and_then(|slot| self.child(slot)) {
                    Some(child) => self.outlook.mean(child, row.player) - payoff,
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

    /// Updates the explorer's regrets and the others' average strategies, and returns what the
    /// explorer's strategy is worth here, `below` being what it is worth after the picks.
    fn match_outcome(&mut self, visit: Visit<'_>, explorer: Explorer, below: f64) -> f64 {
        let rows = self.rows_of(visit.node, visit.picks);
        let weight = 1.0 / explorer.reach;
        let mut value = below;
        let mut strategies = mem::take(&mut self.arms.draft);
        let mut worth = mem::take(&mut self.arms.worth);
        strategies.clear();
        for row in &rows.rows[..rows.n] {
            self.arms.match_regrets(row.first, row.len, &mut strategies);
        }
        for (i, row) in rows.rows[..rows.n].iter().enumerate() {
            let strategy = &strategies[rows.arms_of(i)];
            if row.player != explorer.player {
                let average = &mut self.arms.strategies[row.first..row.first + row.len];
                average.iter_mut().zip(strategy).for_each(|(sum, share)| *sum += weight * share);
                continue;
            }
            self.weigh_arms(visit, &rows, i, below, &strategies, &mut worth);
            value = worth.iter().zip(strategy).map(|(value, share)| value * share).sum();
            let regrets = &mut self.arms.weights[row.first..row.first + row.len];
            for (regret, arm) in regrets.iter_mut().zip(&worth) {
                *regret += weight * (arm - value);
            }
        }
        self.arms.draft = strategies;
        self.arms.worth = worth;
        value
    }

    /// Writes what each arm of row `i` is worth against the others' strategies: what the means say,
    /// and for the pick by how much they were wrong, weighted by how seldom they are tried there.
    fn weigh_arms(
        &self,
        visit: Visit<'_>,
        rows: &Rows,
        i: usize,
        below: f64,
        strategies: &[f64],
        worth: &mut Vec<f64>,
    ) {
        let row = rows.rows[i];
        let known = |node| self.outlook.known_mean(node, row.player);
        let unknown = known(visit.node).unwrap_or(below);
        let value = |joint: u64| {
            self.child(rows.first_child.plus(joint)).and_then(known).unwrap_or(unknown)
        };
        let pick = visit.picks[i] as usize;
        worth.clear();
        worth.resize(row.len, 0.0);
        // The form of 2013 puts the payoff in the place of the mean of the joint action that was
        // played, which counts as often as the other's strategy plays its part in it.
        let weight = match self.bandit.backs_up_payoff() {
            false => 1.0 / visit.odds[i],
            true if rows.n == 2 => strategies[rows.arms_of(1 - i)][visit.picks[1 - i] as usize],
            true => 1.0,
        };
        worth[pick] = (below - value(rows.played)) * weight;
        if rows.n != 2 {
            let own = pick as u64 * rows.strides[i];
            for (arm, sum) in worth.iter_mut().enumerate() {
                *sum += value(rows.played - own + arm as u64 * rows.strides[i]);
            }
            return;
        }
        let (replies, stride) = (&strategies[rows.arms_of(1 - i)], rows.strides[1 - i]);
        for (reply, share) in replies.iter().enumerate().filter(|(_, share)| **share > 0.0) {
            for (arm, sum) in worth.iter_mut().enumerate() {
                *sum += share * value(arm as u64 * rows.strides[i] + reply as u64 * stride);
            }
        }
    }

    fn rows_of(&self, node: NodeId, picks: &[u16]) -> Rows {
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
pub(super) struct Outlook {
    /// Per node the visits, then the mean of each player; or visits and mean of one player after
    /// the other, if players learn in different iterations.
    numbers: Vec<f64>,
    /// Numbers per node; 0 if nothing is kept.
    width: usize,
    /// From the mean of one player to that of the next.
    step: usize,
}

impl Outlook {
    pub(super) fn new(bandit: Bandit, n_players: usize) -> Outlook {
        let (width, step) = match bandit {
            Bandit::OutcomeSampling { .. } => (2 * n_players, 2),
            _ if bandit.looks_around() => (1 + n_players, 1),
            _ => (0, 1),
        };
        Outlook { numbers: Vec::new(), width, step }
    }

    pub(super) fn clear(&mut self) {
        self.numbers.clear();
    }

    pub(super) fn bytes_per_node(&self) -> usize {
        self.width * size_of::<f64>()
    }

    pub(super) fn add(&mut self) {
        self.numbers.resize(self.numbers.len() + self.width, 0.0);
    }

    /// Appends the numbers of a node of another tree.
    pub(super) fn copy(&mut self, from: &Outlook, node: NodeId) {
        let start = node as usize * from.width;
        self.numbers.extend_from_slice(&from.numbers[start..start + from.width]);
    }

    /// An empty one of the same kind.
    pub(super) fn like(&self) -> Outlook {
        Outlook { numbers: Vec::new(), ..*self }
    }

    #[inline]
    fn visits(&self, node: NodeId) -> f64 {
        self.numbers[node as usize * self.width]
    }

    #[inline]
    fn mean(&self, node: NodeId, player: Player) -> f64 {
        self.numbers[node as usize * self.width + 1 + player.index() * self.step]
    }

    /// The mean, if the player has learned here.
    fn known_mean(&self, node: NodeId, player: Player) -> Option<f64> {
        let start = node as usize * self.width + player.index() * self.step;
        (self.numbers[start] > 0.0).then(|| self.numbers[start + 1])
    }

    fn learn_one(&mut self, node: NodeId, player: Player, payoff: f64) {
        let start = node as usize * self.width + player.index() * self.step;
        self.numbers[start] += 1.0;
        self.numbers[start + 1] += (payoff - self.numbers[start + 1]) / self.numbers[start];
    }

    /// Lets every player learn its own payoff, where visits are kept for each.
    fn learn_each(&mut self, node: NodeId, payoffs: &Payoffs) {
        for player in 0..self.width / self.step {
            let player = Player(player as u8);
            self.learn_one(node, player, payoffs[player]);
        }
    }

    #[inline]
    fn learn(&mut self, node: NodeId, payoffs: &Payoffs) {
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
