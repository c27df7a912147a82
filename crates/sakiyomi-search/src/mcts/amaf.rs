//! GRAVE, generalised rapid action value estimation (Cazenave 2015).
//!
//! Every node with rows knows, for each action of each player, the payoffs of the iterations through
//! it in which the action came later, in the tree or in the playout (all moves as first, AMAF); an
//! action that comes several times counts once. An arm is scored by
//!
//! (1 - beta) mean + beta AMAF + c sqrt(ln n / (1 + n_j)), beta = m / (m + n_j + bias m n_j),
//!
//! where AMAF and its count m are those of the closest node above, itself included, that has at least
//! `reference` visits. The paper has no exploration term: there c is 0. An arm that was never tried
//! is scored by AMAF alone, and comes first if there is none. This holds where one player chooses;
//! where several do, arms are picked as without it.
//!
//! The table takes at most a quarter of the search's memory. When it is full, actions that are new to a
//! node are not added to it any more.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use sakiyomi_core::{Payoffs, Player};

use super::bandit::Exploration;
use super::learned::key;
use super::tree::{NodeId, Row, Tree};
use super::walk::Step;

/// How GRAVE weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grave {
    /// Visits of a node from which its own AMAF values are used.
    pub reference: u32,
    /// The squared bias of AMAF values, by which the mean takes over from them.
    pub bias: f64,
}

/// The AMAF values of all nodes of a tree.
#[derive(Clone, Debug)]
pub(super) struct Amaf {
    grave: Grave,
    /// Count and mean by node and action.
    values: FxHashMap<(NodeId, u64), [f32; 2]>,
    max_entries: usize,
    /// The actions of an iteration, each with one more than where it was before, or 0.
    keys: Vec<(u64, u32)>,
    last_at: FxHashMap<u64, u32>,
}

/// Bytes of an entry in the hash map, with the room that it leaves.
const ENTRY_BYTES: u64 = 48;

impl Amaf {
    pub(super) fn new(grave: Grave, memory: u64) -> Amaf {
        Amaf {
            grave,
            values: FxHashMap::default(),
            max_entries: (memory / 4 / ENTRY_BYTES) as usize,
            keys: Vec::new(),
            last_at: FxHashMap::default(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.values.clear();
    }

    /// The values of the nodes that are kept, which get new numbers.
    pub(super) fn moved(&self, new_of: impl Fn(NodeId) -> Option<NodeId>) -> Amaf {
        let entries = self.values.iter();
        let kept = entries.filter_map(|(&(node, key), &value)| Some(((new_of(node)?, key), value)));
        Amaf {
            grave: self.grave,
            values: kept.collect(),
            max_entries: self.max_entries,
            keys: Vec::new(),
            last_at: FxHashMap::default(),
        }
    }

    /// What one node knows, by action.
    #[cfg(test)]
    pub(super) fn of_node(&self, node: NodeId) -> std::collections::BTreeMap<u64, [u32; 2]> {
        let entries = self.values.iter().filter(|((at, _), _)| *at == node);
        entries.map(|(&(_, key), value)| (key, value.map(f32::to_bits))).collect()
    }

    pub(super) fn is_reference(&self, visits: u32) -> bool {
        visits >= self.grave.reference
    }

    /// Adds an iteration: its path through the tree, and all its actions.
    pub(super) fn learn<A: Hash>(
        &mut self,
        path: &[Step],
        trail: &[(Player, A)],
        payoffs: &Payoffs,
    ) {
        self.keys.clear();
        self.last_at.clear();
        for (i, (player, action)) in trail.iter().enumerate() {
            let key = key(*player, action);
            let before = self.last_at.insert(key, i as u32 + 1).unwrap_or(0);
            self.keys.push((key, before));
        }
        for step in path.iter().filter(|step| step.n_picks > 0) {
            // A pick is an action, so the picks before a step are the actions before it.
            let start = step.first_pick as usize;
            for (&(key, before), (player, _)) in self.keys[start..].iter().zip(&trail[start..]) {
                if before as usize > start {
                    continue;
                }
                let is_full = self.values.len() >= self.max_entries;
                if is_full && !self.values.contains_key(&(step.node, key)) {
                    continue;
                }
                let [n, mean] = self.values.entry((step.node, key)).or_default();
                *n += 1.0;
                *mean += (payoffs[*player] as f32 - *mean) / *n;
            }
        }
    }

    fn score(&self, reference: NodeId, key: u64, [n, sum]: [f32; 2], exploration: f32) -> f32 {
        let mean = if n > 0.0 { sum / n } else { 0.0 };
        let value = match self.values.get(&(reference, key)) {
            None if n == 0.0 => return f32::INFINITY,
            None => mean,
            Some(&[m, amaf]) => {
                let beta = m / (m + n + self.grave.bias as f32 * m * n);
                (1.0 - beta) * mean + beta * amaf
            }
        };
        value + exploration / (1.0 + n).sqrt()
    }
}

/// Picks an arm of a row by GRAVE; what is proven is scored by what it gives.
pub(super) fn pick<A: Copy + Eq + Hash>(
    tree: &Tree<A>,
    amaf: &Amaf,
    (node, reference): (NodeId, NodeId),
    row: Row,
    exploration: Exploration,
) -> usize {
    let weight = tree.bandit.exploration_weight(exploration);
    let (mut best, mut top) = (0, f32::NEG_INFINITY);
    for pick in 0..row.len {
        let arm = row.first + pick;
        let score = match tree.arm_proof(node, pick) {
            Some(payoffs) => payoffs[row.player] as f32,
            None => {
                let key = key(row.player, &tree.actions[arm]);
                amaf.score(reference, key, tree.arms.visits_and_sum(arm), weight)
            }
        };
        if score > top {
            (best, top) = (pick, score);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(node: NodeId, first_pick: u32) -> Step {
        Step { node, first_pick, n_picks: 1 }
    }

    fn value(amaf: &Amaf, node: NodeId, player: u8, action: u8) -> Option<[f32; 2]> {
        amaf.values.get(&(node, key(Player(player), &action))).copied()
    }

    #[test]
    fn a_node_learns_the_actions_that_follow_it_once_each() {
        let mut amaf = Amaf::new(Grave { reference: 1, bias: 0.0 }, 1 << 20);
        let (me, other) = (Player(0), Player(1));
        let trail = [(me, 1u8), (other, 2), (me, 3), (other, 2), (me, 1)];
        amaf.learn(&[step(0, 0), step(5, 1)], &trail, &Payoffs::of([1.0, 0.0]));
        amaf.learn(&[step(0, 0)], &trail[..2], &Payoffs::of([0.0, 1.0]));
        assert_eq!(value(&amaf, 0, 0, 1), Some([2.0, 0.5]));
        assert_eq!(value(&amaf, 0, 1, 2), Some([2.0, 0.5]));
        assert_eq!(value(&amaf, 0, 0, 3), Some([1.0, 1.0]));
        // Below node 5 the first action comes at the end only.
        assert_eq!(value(&amaf, 5, 0, 1), Some([1.0, 1.0]));
        assert_eq!(value(&amaf, 5, 1, 2), Some([1.0, 0.0]));
        let moved = amaf.moved(|node| (node == 5).then_some(0));
        assert_eq!(value(&moved, 0, 0, 1), Some([1.0, 1.0]));
        assert_eq!(moved.values.len(), 3);
    }

    #[test]
    fn the_mean_takes_over_from_amaf() {
        let mut amaf = Amaf::new(Grave { reference: 1, bias: 0.1 }, 1 << 20);
        let trail = [(Player(0), 1u8)];
        (0..10).for_each(|_| amaf.learn(&[step(0, 0)], &trail, &Payoffs::of([1.0, 0.0])));
        let score = |n: f32| amaf.score(0, key(Player(0), &1u8), [n, 0.0], 0.0);
        assert_eq!(score(0.0), 1.0);
        // beta = 10 / (10 + 10 + 0.1 * 10 * 10)
        assert!((score(10.0) - 1.0 / 3.0).abs() < 1e-6);
        assert!(score(1_000.0) < 0.01);
        assert_eq!(amaf.score(0, 99, [0.0, 0.0], 0.0), f32::INFINITY);
        assert_eq!(amaf.score(0, 99, [4.0, 3.0], 1.0), 0.75 + 1.0 / 5f32.sqrt());
    }

    #[test]
    fn a_full_table_learns_what_it_knows_only() {
        let mut amaf = Amaf::new(Grave { reference: 1, bias: 0.0 }, 4 * ENTRY_BYTES * 2);
        let payoffs = Payoffs::of([1.0, 0.0]);
        for action in [1u8, 2, 3, 1] {
            amaf.learn(&[step(0, 0)], &[(Player(0), action)], &payoffs);
        }
        assert_eq!(amaf.values.len(), 2);
        assert_eq!(value(&amaf, 0, 0, 1), Some([2.0, 1.0]));
        assert_eq!(value(&amaf, 0, 0, 3), None);
    }
}
