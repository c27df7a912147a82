//! Online outcome sampling (Lanctot et al. 2009; online: Lisý, Lanctot and Bowling 2015): regret
//! matching in which one player explores at a time.
//!
//! It learns what the explorer's strategy is worth from iterations in which it explores. An arm is
//! worth what the mean of its child says, and the pick also by how much that mean was wrong,
//! divided by how likely the pick was: whatever the means are, the estimate has the right
//! expectation, and good means keep its variance low (Schmid et al. 2019). What a node hands up is
//! what the strategy is worth there, and that is also what its mean is made of. The form of
//! Lanctot, Lisý and Winands (2013) takes the payoff itself for the pick and hands it up
//! unweighted, and means are those of all iterations, whichever player explored in them. That is
//! what exploring is worth, and does not converge: on the 5-card game its NashConv stays above 0.3.
//! It can be asked for (`raw_payoff`), to repeat what was published.
//!
//! With one opponent an arm is summed over all its actions, weighted by its strategy. With more
//! than one their picks, which are drawn from their strategies, stand for that sum: the expectation
//! is the same, and the cost does not grow with the number of players.

use sakiyomi_core::{Payoffs, Player, Rng};

use super::rows::Rows;
use super::strategy::{draw_from, match_regrets};
use crate::mcts::arms::Columns;
use crate::mcts::path::{NodeId, Path, ROOT, Visit};
use crate::mcts::tree::{Row, Tree};

/// Regret matching in which one player explores at a time, and what it learns is weighted by how
/// likely its own picks were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutcomeSampling {
    pub explore: f64,
    /// Backs up the payoff of the iteration itself, as the paper of 2013 writes it, instead of an
    /// estimate of what the strategy is worth.
    pub raw_payoff: bool,
}

/// Outcome sampling at work in one tree.
#[derive(Clone, Debug)]
pub(in crate::mcts) struct SamplingSelect {
    settings: OutcomeSampling,
    /// Who explores in this iteration.
    explorer: Player,
    /// How likely the explorer's picks were up to each step of the path.
    reaches: Vec<f64>,
    /// Buffers for the strategies of a node, and for what the arms of a row are worth.
    strategies: Vec<f64>,
    worth: Vec<f64>,
}

impl SamplingSelect {
    pub(in crate::mcts) fn new(settings: OutcomeSampling) -> SamplingSelect {
        SamplingSelect {
            settings,
            explorer: Player(0),
            reaches: Vec::new(),
            strategies: Vec::new(),
            worth: Vec::new(),
        }
    }

    pub(super) fn columns() -> Columns {
        Columns { weights: true, strategies: true, ..Columns::default() }
    }

    /// Draws the picks of all choosing players. Those who do not explore in this iteration follow
    /// their strategy alone.
    pub(super) fn pick(&mut self, tree: &Tree, node: NodeId, path: &mut Path, rng: &mut Rng) {
        let strategy = &mut self.strategies;
        for Row { player, first, len } in tree.rows(node) {
            strategy.clear();
            match_regrets(&tree.arms.weights[first..first + len], strategy);
            let explore = if player == self.explorer { self.settings.explore } else { 0.0 };
            let (pick, probability) = draw_from(|| strategy.iter().copied(), len, explore, rng);
            path.picks.push(pick as u16);
            path.odds.push(probability);
        }
    }

    /// Learns from an iteration; in the next one the next player explores.
    pub(super) fn back_up(
        &mut self,
        tree: &mut Tree,
        path: &Path,
        payoffs: &Payoffs,
        n_players: usize,
    ) {
        let (player, is_raw) = (self.explorer, self.settings.raw_payoff);
        let mut reach = 1.0;
        self.reaches.clear();
        for visit in path.visits() {
            self.reaches.push(reach);
            let choosing = tree.nodes[visit.node as usize].choosing();
            let own = choosing.zip(visit.odds).find(|(other, _)| *other == player);
            reach *= own.map_or(1.0, |(_, probability)| *probability);
        }
        let mut value = payoffs[player];
        for (i, visit) in path.visits().enumerate().rev() {
            let below = value;
            if !visit.picks.is_empty() {
                let worth = self.match_outcome(tree, visit, self.reaches[i], below);
                value = if is_raw { below } else { worth };
            }
            tree.learn(visit.node, visit.picks, payoffs, |_, _, _| {});
            // Only now: the node above must not know what it is about to learn.
            match visit.child {
                Some(child) if is_raw => tree.means.learn_each(child, payoffs),
                Some(child) => tree.means.learn_one(child, player, below),
                None => {}
            }
        }
        match is_raw {
            true => tree.means.learn_each(ROOT, payoffs),
            false => tree.means.learn_one(ROOT, player, value),
        }
        self.explorer = Player((player.0 + 1) % n_players as u8);
    }

    /// Updates the explorer's regrets and the others' average strategies, and returns what the
    /// explorer's strategy is worth here, `below` being what it is worth after the picks; `reach`
    /// is how likely its own picks were from the root to here.
    fn match_outcome(&mut self, tree: &mut Tree, visit: Visit<'_>, reach: f64, below: f64) -> f64 {
        let rows = Rows::of(tree, visit.node, visit.picks);
        let weight = 1.0 / reach;
        let mut value = below;
        let SamplingSelect { settings, explorer, strategies, worth, .. } = self;
        strategies.clear();
        for row in &rows.rows[..rows.n] {
            match_regrets(&tree.arms.weights[row.first..row.first + row.len], strategies);
        }
        for (i, row) in rows.rows[..rows.n].iter().enumerate() {
            let strategy = &strategies[rows.arms_of(i)];
            if row.player != *explorer {
                let average = &mut tree.arms.strategies[row.first..row.first + row.len];
                average.iter_mut().zip(strategy).for_each(|(sum, share)| *sum += weight * share);
                continue;
            }
            settings.weigh_arms(tree, visit, (&rows, i), below, strategies, worth);
            value = worth.iter().zip(strategy).map(|(value, share)| value * share).sum();
            let regrets = &mut tree.arms.weights[row.first..row.first + row.len];
            for (regret, arm) in regrets.iter_mut().zip(&*worth) {
                *regret += weight * (arm - value);
            }
        }
        value
    }
}

impl OutcomeSampling {
    /// Writes what each arm of row `i` is worth against the others' strategies: what the means say,
    /// and for the pick by how much they were wrong, weighted by how seldom they are tried there.
    fn weigh_arms(
        &self,
        tree: &Tree,
        visit: Visit<'_>,
        (rows, i): (&Rows, usize),
        below: f64,
        strategies: &[f64],
        worth: &mut Vec<f64>,
    ) {
        let row = rows.rows[i];
        let known = |node| tree.means.known_mean(node, row.player);
        let unknown = known(visit.node).unwrap_or(below);
        let value = |joint: u64| {
            tree.child(rows.first_child.plus(joint)).and_then(known).unwrap_or(unknown)
        };
        let pick = visit.picks[i] as usize;
        worth.clear();
        worth.resize(row.len, 0.0);
        let error = below - value(rows.played);
        worth[pick] = match self.raw_payoff {
            false => error / visit.odds[i],
            // The form of 2013 puts the payoff in the place of the mean of the joint action that
            // was played, which counts as often as the other's strategy plays its part in it.
            true if rows.n == 2 => {
                error * strategies[rows.arms_of(1 - i)][visit.picks[1 - i] as usize]
            }
            true => error,
        };
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
}
