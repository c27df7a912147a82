//! What has been tried against the agent: a tree of one's own decisions. What lies between two of
//! them, chance and the agent's answers, is known by the state it led to alone.

use rustc_hash::FxHashMap;
use sakiyomi_core::Rng;

/// The weight of exploration in UCB1, for payoffs from 0 to 1.
const EXPLORATION: f64 = 0.7;

/// An action that was taken in a node; the actions before the first decision are those of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Edge {
    node: u32,
    action: u32,
}

#[derive(Debug, Default)]
pub(super) struct ResponseTree {
    nodes: Vec<Node>,
    /// By the edge before and the key of the state.
    places: FxHashMap<(Edge, u64), u32>,
}

#[derive(Debug)]
struct Node {
    arms: Vec<Arm>,
    visits: u32,
    sum: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Arm {
    visits: u32,
    sum: f64,
}

impl ResponseTree {
    /// What comes before the first decision of a seat.
    pub(super) fn before(seat: usize) -> Edge {
        Edge { node: u32::MAX, action: seat as u32 }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn find(&self, before: Edge, key: u64) -> Option<u32> {
        self.places.get(&(before, key)).copied()
    }

    pub(super) fn add(&mut self, before: Edge, key: u64, n_actions: usize) -> u32 {
        let node = self.nodes.len() as u32;
        self.nodes.push(Node { arms: vec![Arm::default(); n_actions], visits: 0, sum: 0.0 });
        self.places.insert((before, key), node);
        node
    }

    pub(super) fn edge(node: u32, action: usize) -> Edge {
        Edge { node, action: action as u32 }
    }

    pub(super) fn visits(&self, node: u32) -> u32 {
        self.nodes[node as usize].visits
    }

    /// UCB1. An action that was never tried counts as one that was tried once and brought what the
    /// node brings, so that not all have to be tried before the first is tried again.
    pub(super) fn pick(&self, node: u32, rng: &mut Rng) -> usize {
        let Node { arms, visits, sum } = &self.nodes[node as usize];
        let mean = if *visits == 0 { 0.5 } else { sum / f64::from(*visits) };
        let log = f64::from(visits + 1).ln();
        let urgency = |arm: &Arm| {
            let tries = f64::from(arm.visits.max(1));
            let value = if arm.visits == 0 { mean } else { arm.sum / tries };
            value + EXPLORATION * (log / tries).sqrt()
        };
        let first = rng.below(arms.len());
        let order = (first..arms.len()).chain(0..first);
        let best = order.map(|i| (i, urgency(&arms[i]))).max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(first, |(i, _)| i)
    }

    /// The action that was tried most, of equals the one that brought more.
    pub(super) fn most_tried(&self, node: u32) -> usize {
        let arms = self.nodes[node as usize].arms.iter().enumerate();
        let best =
            arms.max_by(|(_, a), (_, b)| a.visits.cmp(&b.visits).then(a.sum.total_cmp(&b.sum)));
        best.map_or(0, |(i, _)| i)
    }

    /// Enters what a game brought whose decisions these were.
    pub(super) fn learn(&mut self, path: &[Edge], payoff: f64) {
        for edge in path {
            let node = &mut self.nodes[edge.node as usize];
            node.visits += 1;
            node.sum += payoff;
            let arm = &mut node.arms[edge.action as usize];
            arm.visits += 1;
            arm.sum += payoff;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_action_is_tried_more_and_all_are_tried() {
        let mut tree = ResponseTree::default();
        let node = tree.add(ResponseTree::before(1), 7, 4);
        assert_eq!(tree.find(ResponseTree::before(1), 7), Some(node));
        assert_eq!(tree.find(ResponseTree::before(0), 7), None);
        let mut rng = Rng::new(1);
        for _ in 0..500 {
            let action = tree.pick(node, &mut rng);
            let payoff = f64::from(u8::from(rng.unit() < [0.2, 0.8, 0.5, 0.0][action]));
            tree.learn(&[ResponseTree::edge(node, action)], payoff);
        }
        assert_eq!((tree.most_tried(node), tree.visits(node)), (1, 500));
        assert!(tree.nodes[0].arms.iter().all(|arm| arm.visits > 3), "{tree:?}");
    }
}
