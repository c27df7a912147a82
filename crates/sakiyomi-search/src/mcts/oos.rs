//! Online outcome sampling (Lanctot et al. 2009; online: Lisý, Lanctot and Bowling 2015): regret
//! matching in which one player explores at a time.
//!
//! It learns what the explorer's strategy is worth from iterations in which it explores. An arm is
//! worth what the mean of its child says, and the pick also by how much that mean was wrong, divided
//! by how likely the pick was: whatever the means are, the estimate has the right expectation, and
//! good means keep its variance low (Schmid et al. 2019). What a node hands up is what the strategy
//! is worth there, and that is also what its mean is made of. The form of Lanctot, Lisý and Winands
//! (2013) takes the payoff itself for the pick and hands it up unweighted, and means are those of all
//! iterations, whichever player explored in them. That is what exploring is worth, and does not
//! converge: on the 5-card game its NashConv stays above 0.3. It can be asked for (`payoff`), to
//! repeat what was published.
//!
//! With one opponent an arm is summed over all its actions, weighted by its strategy. With more than
//! one their picks, which are drawn from their strategies, stand for that sum: the expectation is
//! the same, and the cost does not grow with the number of players.

use std::hash::Hash;
use std::mem;

use sakiyomi_core::{Hints, Payoffs, Player, Rng};

use super::ROOT;
use super::bandit::{Bandit, draw_from};
use super::joint::{Rows, Visit};
use super::playout::Observer;
use super::tree::{NodeId, Row, Tree};
use super::walk::{Leaf, Walk};

/// What an iteration of outcome sampling needs beside the tree.
#[derive(Clone, Debug)]
pub(super) struct Sampling {
    /// Who explores in this iteration.
    explorer: Player,
    /// How likely the explorer's picks were up to each step of the path.
    reaches: Vec<f64>,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling { explorer: Player(0), reaches: Vec::new() }
    }
}

impl Sampling {
    /// Lets the next player explore.
    pub(super) fn rotate(&mut self, n_players: usize) {
        self.explorer = Player((self.explorer.0 + 1) % n_players as u8);
    }
}

/// The part that the exploring player has in an iteration of outcome sampling.
#[derive(Clone, Copy, Debug)]
struct Explorer {
    player: Player,
    /// How likely its own picks were, from the root to the node.
    reach: f64,
}

impl<G: Hints, O: Observer<G>> Walk<G, O> {
    /// Draws the picks of all choosing players. Those who do not explore in this iteration follow
    /// their strategy alone.
    pub(super) fn draw_outcome(&mut self, node: NodeId, leaf: &mut Leaf<G>, rng: &mut Rng) {
        let Walk { tree, scratch, sampling, .. } = self;
        let Bandit::OutcomeSampling { explore, .. } = tree.bandit else { return };
        let mut strategy = mem::take(&mut tree.arms.draft);
        for Row { player, first, len } in tree.rows(node) {
            strategy.clear();
            tree.arms.match_regrets(first, len, &mut strategy);
            let explore = if player == sampling.explorer { explore } else { 0.0 };
            let (pick, probability) = draw_from(|| strategy.iter().copied(), len, explore, rng);
            leaf.picks.push(pick as u16);
            leaf.odds.push(probability);
            scratch.joint.push(tree.actions[first + pick]);
        }
        tree.arms.draft = strategy;
    }

    pub(super) fn back_up_outcome(&mut self, leaf: &Leaf<G>, payoffs: &Payoffs) {
        let Walk { tree, sampling: Sampling { explorer: player, reaches }, .. } = self;
        let player = *player;
        let backs_up_payoff = tree.backs_up_payoff();
        let mut reach = 1.0;
        reaches.clear();
        for i in 0..leaf.path.len() {
            reaches.push(reach);
            let visit = leaf.visit(i);
            let choosing = tree.nodes[visit.node as usize].choosing();
            let own = choosing.zip(visit.odds).find(|(other, _)| *other == player);
            reach *= own.map_or(1.0, |(_, probability)| *probability);
        }
        let mut value = payoffs[player];
        for i in (0..leaf.path.len()).rev() {
            let visit = leaf.visit(i);
            let explorer = Explorer { player, reach: reaches[i] };
            let below = value;
            if !visit.picks.is_empty() {
                let worth = tree.match_outcome(visit, explorer, below);
                value = if backs_up_payoff { below } else { worth };
            }
            tree.learn(visit.node, visit.picks, payoffs);
            // Only now: the node above must not know what it is about to learn.
            match visit.child {
                Some(child) if backs_up_payoff => tree.means.learn_each(child, payoffs),
                Some(child) => tree.means.learn_one(child, player, below),
                None => {}
            }
        }
        match backs_up_payoff {
            true => tree.means.learn_each(ROOT, payoffs),
            false => tree.means.learn_one(ROOT, player, value),
        }
    }
}

impl<A: Copy + Eq + Hash> Tree<A> {
    /// Whether the payoff itself is handed up.
    fn backs_up_payoff(&self) -> bool {
        matches!(self.bandit, Bandit::OutcomeSampling { payoff: true, .. })
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
        let known = |node| self.means.known_mean(node, row.player);
        let unknown = known(visit.node).unwrap_or(below);
        let value = |joint: u64| {
            self.child(rows.first_child.plus(joint)).and_then(known).unwrap_or(unknown)
        };
        let pick = visit.picks[i] as usize;
        worth.clear();
        worth.resize(row.len, 0.0);
        let error = below - value(rows.played);
        worth[pick] = match self.backs_up_payoff() {
            false => error / visit.odds[i],
            // The form of 2013 puts the payoff in the place of the mean of the joint action that was
            // played, which counts as often as the other's strategy plays its part in it.
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
