//! The fluents that follow from each other whatever is played: whose turn it is, how many steps
//! were made. Together they run through a fixed sequence of phases from the start of a match, so a
//! state needs only its phase to know how they change and which moves are out of turn.

use rustc_hash::FxHashMap;

use crate::ground::facts::BitSet;
use crate::ground::meter::Meter;
use crate::network::gates::{Kind, Lit, is_negated, node_of};
use crate::network::graph::Network;

/// A sequence that is longer is not worked out, nor one that takes more work: nodes times phases.
const MAX_PHASES: usize = 2_000;
const MAX_WORK: usize = 100_000_000;

/// Which fluents form the sequence.
#[derive(Debug)]
pub(crate) struct Sequence {
    member: Vec<bool>,
    /// Everything that depends on these fluents alone, inputs first.
    nodes: Vec<u32>,
    /// Per phase the fluents that hold, sorted; and the phase after the last.
    phases: Vec<Vec<u32>>,
    after_last: usize,
}

/// The values of nodes in one phase, where the phase decides them.
#[derive(Debug)]
pub(crate) struct PhaseValues(FxHashMap<u32, bool>);

impl PhaseValues {
    pub(crate) fn value(&self, lit: Lit) -> Option<bool> {
        self.0.get(&(lit >> 1)).map(|value| *value != is_negated(lit))
    }
}

impl Sequence {
    /// Without phases if the meter is over.
    pub(crate) fn new(network: &Network, meter: &mut Meter<'_>) -> Sequence {
        let n = network.fluents.len();
        let by_moves = |lit: Lit| network.gates.by_moves(node_of(lit));
        let mut member: Vec<bool> = (0..n).map(|fluent| !by_moves(network.next[fluent])).collect();
        // Drop fluents that need others, until those that are left need only each other.
        let nodes = loop {
            meter.work(network.gates.len() / 8, || network.made());
            let closed = closed_nodes(network, &member);
            let before = member.iter().filter(|&&m| m).count();
            for (fluent, member) in member.iter_mut().enumerate() {
                *member &= closed.contains(node_of(network.next[fluent]));
            }
            if member.iter().filter(|&&m| m).count() == before || meter.is_over() {
                break (0..network.gates.len() as u32)
                    .filter(|&node| closed.contains(node as usize))
                    .collect();
            }
        };
        let mut sequence = Sequence { member, nodes, phases: Vec::new(), after_last: 0 };
        if !sequence.unroll(network, meter) {
            sequence.member.fill(false);
            sequence.nodes = vec![0];
            (sequence.phases, sequence.after_last) = (vec![Vec::new()], 0);
        }
        sequence
    }

    pub(crate) fn contains(&self, fluent: usize) -> bool {
        self.member[fluent]
    }

    /// Whether a literal has the same value whenever a phase comes.
    pub(crate) fn decides(&self, lit: Lit) -> bool {
        self.nodes.binary_search(&(lit >> 1)).is_ok()
    }

    /// What else is known of the fluents of the sequence if some of them have these values: those
    /// that have the same value in all phases in which they do.
    pub(crate) fn follows_from(&self, known: &[(u32, bool)]) -> Vec<(u32, bool)> {
        let known: Vec<(u32, bool)> =
            known.iter().copied().filter(|known| self.member[known.0 as usize]).collect();
        let fits = |state: &&Vec<u32>| {
            known.iter().all(|(fluent, value)| state.binary_search(fluent).is_ok() == *value)
        };
        if known.is_empty() {
            return Vec::new();
        }
        let mut n_phases = 0;
        let mut counts = vec![0u32; self.member.len()];
        for state in self.phases.iter().filter(fits) {
            n_phases += 1;
            state.iter().for_each(|&fluent| counts[fluent as usize] += 1);
        }
        (0..self.member.len() as u32)
            .filter(|&fluent| self.member[fluent as usize])
            .map(|fluent| (fluent, counts[fluent as usize]))
            .filter(|&(_, count)| count == 0 || count == n_phases)
            .map(|(fluent, count)| (fluent, count > 0))
            .collect()
    }

    /// Follows the sequence until it repeats; false if it is too long.
    fn unroll(&mut self, network: &Network, meter: &mut Meter<'_>) -> bool {
        let mut seen: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut state: Vec<u32> = (network.initial.iter().copied())
            .filter(|&fluent| self.member[fluent as usize])
            .collect();
        let max_phases = MAX_PHASES.min(MAX_WORK / self.nodes.len().max(1));
        while self.phases.len() < max_phases && !meter.is_over() {
            meter.work(self.nodes.len(), || network.made());
            if let Some(&again) = seen.get(&state) {
                self.after_last = again;
                return true;
            }
            seen.insert(state.clone(), self.phases.len());
            self.phases.push(state.clone());
            let values = self.values(network, &state);
            let holds = |fluent: &u32| {
                self.member[*fluent as usize]
                    && values.value(network.next[*fluent as usize]) == Some(true)
            };
            state = (0..self.member.len() as u32).filter(holds).collect();
        }
        false
    }

    /// The fluents of the sequence that hold in each phase, sorted.
    pub(crate) fn phases(&self) -> &[Vec<u32>] {
        &self.phases
    }

    /// The phase that comes after this one.
    pub(crate) fn next(&self, phase: usize) -> usize {
        if phase + 1 < self.phases.len() { phase + 1 } else { self.after_last }
    }

    /// The values that a phase decides; `state` are the fluents of the sequence that hold in it.
    pub(crate) fn values(&self, network: &Network, state: &[u32]) -> PhaseValues {
        let mut values: FxHashMap<u32, bool> = FxHashMap::default();
        for &node in &self.nodes {
            let holds = |lit: &Lit| values.get(&(lit >> 1)) == Some(&!is_negated(*lit));
            let inputs = network.gates.inputs(node as usize);
            let value = match network.gates.kind(node as usize) {
                Kind::And => inputs.iter().all(holds),
                Kind::Or => inputs.iter().any(holds),
                Kind::Fluent => state.binary_search(&(node - 1)).is_ok(),
                _ => false,
            };
            values.insert(node, value);
        }
        PhaseValues(values)
    }
}

/// The nodes that depend on these fluents alone.
fn closed_nodes(network: &Network, member: &[bool]) -> BitSet {
    let gates = &network.gates;
    let mut closed = BitSet::default();
    for node in 0..gates.len() {
        let fits = match gates.kind(node) {
            Kind::Constant => true,
            Kind::Fluent => member[node - 1],
            Kind::Move => false,
            // Components are left out: their values need a fixpoint.
            Kind::And | Kind::Or => {
                gates.inputs(node).iter().all(|&lit| closed.contains(node_of(lit)))
                    && gates.component(node).is_none()
            }
        };
        if fits {
            closed.insert(node);
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_fluent_of_the_sequence_tells_of_others() {
        // Fluent 0 is in no phase, fluents 1 and 2 take turns, 3 is a step.
        let sequence = Sequence {
            member: vec![false, true, true, true],
            nodes: Vec::new(),
            phases: vec![vec![1], vec![2], vec![1, 3]],
            after_last: 1,
        };
        assert_eq!(sequence.follows_from(&[(1, true)]), [(1, true), (2, false)]);
        assert_eq!(sequence.follows_from(&[(1, false)]), [(1, false), (2, true), (3, false)]);
        assert_eq!(sequence.follows_from(&[(0, true)]), []);
    }
}
