//! GRAVE, generalised rapid action value estimation (Cazenave 2015).
//!
//! A node knows, for each action of each player, the payoffs of the iterations through it in which
//! the action came later, in the tree or in the playout (all moves as first, AMAF); an action that
//! comes several times counts once. An arm is scored by
//!
//! (1 - beta) mean + beta AMAF + c sqrt(ln n / (1 + n_j)), beta = m / (m + n_j + bias m n_j),
//!
//! where AMAF and its count m are those of the closest node above, itself included, that has at
//! least `reference` visits. The paper has no exploration term: there c is 0. An arm that was never
//! tried is scored by AMAF alone, and comes first if there is none. This holds where one player
//! chooses; where several do, arms are picked as without it, and nothing is learned.
//!
//! Only the root and nodes with half of `reference` visits learn: what the many others would know
//! is hardly ever used, and to learn it everywhere, as in the paper, takes up to a third of a
//! search's time. Values take at most a quarter of the search's memory. When that is full, nodes
//! learn nothing about actions that are new to them.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use sakiyomi_core::{Payoffs, Player};

use crate::mcts::path::{NodeId, Path, ROOT};
use crate::mcts::playout::learned::key;
use crate::mcts::tree::{Row, Tree};

/// How GRAVE weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grave {
    /// Visits of a node from which its own AMAF values are used.
    pub reference: u32,
    /// The squared bias of AMAF values, by which the mean takes over from them.
    pub bias: f64,
}

/// The AMAF values of the nodes of a tree. Actions have numbers, which the arms know, so that
/// nothing is hashed when arms are compared.
#[derive(Clone, Debug)]
pub(in crate::mcts) struct Amaf {
    grave: Grave,
    /// The number of every action of every player that was met so far.
    numbers: FxHashMap<u64, u32>,
    /// Count and mean of each node that learns, by the number of the action.
    values: FxHashMap<NodeId, Vec<[f32; 2]>>,
    /// Values that may still be added.
    n_left: usize,
    /// The actions of an iteration.
    iteration: Vec<Met>,
    /// One more than where each action was last in this iteration, or 0.
    last_at: Vec<u32>,
}

/// An action of an iteration.
#[derive(Clone, Copy, Debug)]
struct Met {
    player: Player,
    number: u32,
    /// One more than where it was met before in this iteration, or 0.
    before: u32,
}

/// Values that a node makes room for beyond those that it needs.
const SPARE: usize = 16;

impl Amaf {
    pub(super) fn new(grave: Grave, memory: u64) -> Amaf {
        Amaf {
            grave,
            numbers: FxHashMap::default(),
            values: FxHashMap::default(),
            n_left: memory as usize / 4 / size_of::<[f32; 2]>(),
            iteration: Vec::new(),
            last_at: Vec::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.n_left += self.values.values().map(Vec::len).sum::<usize>();
        self.values.clear();
    }

    /// Keeps the values of the nodes that are kept, which get new numbers.
    pub(super) fn follow(&mut self, new_of: impl Fn(NodeId) -> Option<NodeId>) {
        for (node, values) in std::mem::take(&mut self.values) {
            match new_of(node) {
                Some(node) => {
                    self.values.insert(node, values);
                }
                None => self.n_left += values.len(),
            }
        }
    }

    /// What one node knows, by action.
    #[cfg(test)]
    pub(in crate::mcts) fn of_node(
        &self,
        node: NodeId,
    ) -> std::collections::BTreeMap<usize, [u32; 2]> {
        let values = self.values.get(&node).into_iter().flatten().enumerate();
        values.filter(|(_, [n, _])| *n > 0.0).map(|(i, v)| (i, v.map(f32::to_bits))).collect()
    }

    /// The number of an action of a player.
    pub(in crate::mcts) fn number<A: Hash>(&mut self, player: Player, action: &A) -> u32 {
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(key(player, action)).or_insert(next);
        if number == next {
            self.last_at.push(0);
        }
        number
    }

    pub(super) fn is_reference(&self, node: NodeId, visits: u32) -> bool {
        visits >= self.grave.reference && self.values.contains_key(&node)
    }

    /// Adds an iteration: its path through the tree, and all its actions.
    pub(in crate::mcts) fn learn<A: Hash>(
        &mut self,
        tree: &Tree,
        path: &Path,
        trail: &[(Player, A)],
        payoffs: &Payoffs,
    ) {
        self.meet(trail);
        self.back_up(path, |node| tree.nodes[node as usize].visits, payoffs);
    }

    /// Numbers the actions of an iteration.
    fn meet<A: Hash>(&mut self, trail: &[(Player, A)]) {
        self.iteration.clear();
        for (i, (player, action)) in trail.iter().enumerate() {
            let number = self.number(*player, action);
            let before = std::mem::replace(&mut self.last_at[number as usize], i as u32 + 1);
            self.iteration.push(Met { player: *player, number, before });
        }
        for met in &self.iteration {
            self.last_at[met.number as usize] = 0;
        }
    }

    fn back_up(&mut self, path: &Path, visits: impl Fn(NodeId) -> u32, payoffs: &Payoffs) {
        let iteration = std::mem::take(&mut self.iteration);
        let min_visits = self.grave.reference / 2;
        for step in path.steps.iter().filter(|step| step.n_picks == 1) {
            if step.node != ROOT && visits(step.node) < min_visits {
                continue;
            }
            let Some(values) = self.values_of(step.node) else { continue };
            // A pick is an action, so the picks before a step are the actions before it.
            let start = step.first_pick as usize;
            for &Met { player, number, before } in &iteration[start..] {
                if before as usize > start {
                    continue;
                }
                if let Some([n, mean]) = values.get_mut(number as usize) {
                    *n += 1.0;
                    *mean += (payoffs[player] as f32 - *mean) / *n;
                }
            }
        }
        self.iteration = iteration;
    }

    /// The values of a node, with room for all actions that are known as far as there is memory.
    fn values_of(&mut self, node: NodeId) -> Option<&mut Vec<[f32; 2]>> {
        let n_known = self.values.get(&node).map_or(0, Vec::len);
        let n_wanted = self.numbers.len() + SPARE;
        if n_known < self.numbers.len() && n_wanted - n_known <= self.n_left {
            self.n_left -= n_wanted - n_known;
            self.values.entry(node).or_default().resize(n_wanted, [0.0; 2]);
        }
        self.values.get_mut(&node)
    }

    fn score(&self, amaf: Option<&[f32; 2]>, [n, sum]: [f32; 2], exploration: f32) -> f32 {
        let mean = if n > 0.0 { sum / n } else { 0.0 };
        let value = match amaf {
            Some(&[m, amaf]) if m > 0.0 => {
                let beta = m / (m + n + self.grave.bias as f32 * m * n);
                (1.0 - beta) * mean + beta * amaf
            }
            _ if n == 0.0 => return f32::INFINITY,
            _ => mean,
        };
        value + exploration / (1.0 + n).sqrt()
    }
}

/// Picks an arm of a row by GRAVE; what is proven is scored by what it gives.
pub(super) fn pick(
    tree: &Tree,
    amaf: &Amaf,
    (node, reference): (NodeId, NodeId),
    row: Row,
    weight: f32,
) -> usize {
    let values = amaf.values.get(&reference).map_or(&[][..], Vec::as_slice);
    let (mut best, mut top) = (0, f32::NEG_INFINITY);
    for pick in 0..row.len {
        let arm = row.first + pick;
        let score = match tree.arm_proof(node, pick) {
            Some(payoffs) => payoffs[row.player] as f32,
            None => {
                let value = values.get(tree.arms.numbers[arm] as usize);
                amaf.score(value, tree.arms.visits_and_sum(arm), weight)
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

    use crate::mcts::path::Step;

    fn step(node: NodeId, first_pick: u32) -> Step {
        Step { node, first_pick, n_picks: 1 }
    }

    fn learn(amaf: &mut Amaf, steps: &[Step], visits: u32, trail: &[(Player, u8)], won: [f64; 2]) {
        amaf.meet(trail);
        let path = Path { steps: steps.to_vec(), ..Path::default() };
        amaf.back_up(&path, |_| visits, &Payoffs::of(won));
    }

    fn value(amaf: &Amaf, node: NodeId, player: u8, action: u8) -> Option<[f32; 2]> {
        let number = *amaf.numbers.get(&key(Player(player), &action))?;
        amaf.values.get(&node)?.get(number as usize).copied().filter(|[n, _]| *n > 0.0)
    }

    #[test]
    fn a_node_learns_the_actions_that_follow_it_once_each() {
        let mut amaf = Amaf::new(Grave { reference: 1, bias: 0.0 }, 1 << 20);
        let (me, other) = (Player(0), Player(1));
        let trail = [(me, 1u8), (other, 2), (me, 3), (other, 2), (me, 1)];
        learn(&mut amaf, &[step(0, 0), step(5, 1)], 1, &trail, [1.0, 0.0]);
        learn(&mut amaf, &[step(0, 0)], 1, &trail[..2], [0.0, 1.0]);
        assert_eq!(value(&amaf, 0, 0, 1), Some([2.0, 0.5]));
        assert_eq!(value(&amaf, 0, 1, 2), Some([2.0, 0.5]));
        assert_eq!(value(&amaf, 0, 0, 3), Some([1.0, 1.0]));
        // Below node 5 the first action comes at the end only.
        assert_eq!(value(&amaf, 5, 0, 1), Some([1.0, 1.0]));
        assert_eq!(value(&amaf, 5, 1, 2), Some([1.0, 0.0]));
        let mut moved = amaf.clone();
        moved.follow(|node| (node == 5).then_some(0));
        assert_eq!(value(&moved, 0, 0, 1), Some([1.0, 1.0]));
        assert_eq!(moved.of_node(0).len(), 3);
        assert_eq!(moved.values.len(), 1);
        moved.clear();
        assert_eq!(moved.n_left, Amaf::new(amaf.grave, 1 << 20).n_left, "all room is given back");
    }

    #[test]
    fn nodes_learn_from_half_of_the_visits_of_a_reference_on() {
        let mut amaf = Amaf::new(Grave { reference: 10, bias: 0.0 }, 1 << 20);
        let trail = [(Player(0), 1u8), (Player(1), 2)];
        learn(&mut amaf, &[step(ROOT, 0), step(5, 1)], 4, &trail, [1.0, 0.0]);
        assert_eq!(value(&amaf, ROOT, 0, 1), Some([1.0, 1.0]));
        assert_eq!(value(&amaf, 5, 1, 2), None);
        learn(&mut amaf, &[step(ROOT, 0), step(5, 1)], 5, &trail, [1.0, 0.0]);
        assert_eq!(value(&amaf, 5, 1, 2), Some([1.0, 0.0]));
        assert!(!amaf.is_reference(5, 9) && amaf.is_reference(5, 10) && !amaf.is_reference(6, 10));
    }

    #[test]
    fn the_mean_takes_over_from_amaf() {
        let mut amaf = Amaf::new(Grave { reference: 1, bias: 0.1 }, 1 << 20);
        let trail = [(Player(0), 1u8)];
        (0..10).for_each(|_| learn(&mut amaf, &[step(0, 0)], 1, &trail, [1.0, 0.0]));
        let known = value(&amaf, 0, 0, 1);
        let score = |n: f32| amaf.score(known.as_ref(), [n, 0.0], 0.0);
        assert_eq!(score(0.0), 1.0);
        // beta = 10 / (10 + 10 + 0.1 * 10 * 10)
        assert!((score(10.0) - 1.0 / 3.0).abs() < 1e-6);
        assert!(score(1_000.0) < 0.01);
        for nothing in [None, Some(&[0.0, 0.0])] {
            assert_eq!(amaf.score(nothing, [0.0, 0.0], 0.0), f32::INFINITY);
            assert_eq!(amaf.score(nothing, [4.0, 3.0], 1.0), 0.75 + 1.0 / 5f32.sqrt());
        }
    }

    #[test]
    fn where_memory_is_full_nodes_learn_what_they_know_only() {
        let room_for = |n_values: usize| 4 * (n_values * size_of::<[f32; 2]>()) as u64;
        let mut amaf = Amaf::new(Grave { reference: 1, bias: 0.0 }, room_for(1 + SPARE));
        for action in (0..=1 + SPARE as u8).chain([1]) {
            learn(&mut amaf, &[step(0, 0)], 1, &[(Player(0), action)], [1.0, 0.0]);
        }
        assert_eq!(amaf.of_node(0).len(), 1 + SPARE);
        assert_eq!(value(&amaf, 0, 0, 1), Some([2.0, 1.0]));
        assert_eq!(value(&amaf, 0, 0, 1 + SPARE as u8), None);
        learn(&mut amaf, &[step(7, 0)], 1, &[(Player(0), 1u8)], [1.0, 0.0]);
        assert!(!amaf.is_reference(7, 1), "a node that has learned nothing is no reference");
    }
}
