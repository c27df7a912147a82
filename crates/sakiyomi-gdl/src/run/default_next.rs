//! What fluents become at most plies, whatever is played: a mark that lasts for one ply goes out,
//! the cell above a free one is free. Such a fluent is watched. A joint move need not mention it
//! unless it makes something else of it, and a state knows those that will change without looking
//! at all of them.

use rustc_hash::FxHashMap;
use sakiyomi_core::Rng;

use crate::network::gates::{Kind, Lit, holds, node_of};
use crate::network::graph::Network;
use crate::network::sequence::Sequence;
use crate::run::effects::Effects;

/// Joint moves of a random match that are looked at.
const MAX_JOINT_MOVES: usize = 24;
/// Inputs that may be read to find them.
const MAX_WORK: usize = 10_000_000;

/// For fluents that change without a move, the next value at most plies, if there is one and it is
/// not the value that they have. Gates are added for it.
pub(crate) fn default_next(
    network: &mut Network,
    effects: &Effects,
    sequence: &Sequence,
) -> FxHashMap<u32, Lit> {
    if effects.changes_without_move().is_empty() {
        return FxHashMap::default();
    }
    let joints = joint_moves(network);
    let mut counts: FxHashMap<(u32, Lit), usize> = FxHashMap::default();
    for joint in &joints {
        for (fluent, value) in effects.next_values(network, sequence, joint) {
            *counts.entry((fluent, value)).or_default() += 1;
        }
    }
    let is_default = |&(_, n): &(_, usize)| n * 2 > joints.len();
    let values = counts.into_iter().filter(is_default).map(|(value, _)| value);
    values
        .filter(|&(fluent, value)| value != (fluent + 1) << 1 && is_simple(network, value))
        .collect()
}

/// Whether little has to be kept up to date to know a value: a gate of few fluents at most.
fn is_simple(network: &Network, value: Lit) -> bool {
    let inputs = network.gates.inputs(node_of(value));
    inputs.len() <= MAX_INPUTS
        && inputs.iter().all(|&lit| network.gates.kind(node_of(lit)) == Kind::Fluent)
}

const MAX_INPUTS: usize = 3;

/// The different joint moves of a random match.
fn joint_moves(network: &Network) -> Vec<Vec<u32>> {
    let mut rng = Rng::new(1);
    let mut facts = network.initial_facts();
    let mut joints: Vec<Vec<u32>> = Vec::new();
    let mut values = Vec::new();
    let max_plies = (MAX_WORK / (network.gates.n_inputs() + 1)).min(4 * MAX_JOINT_MOVES);
    for _ in 0..max_plies {
        network.evaluate(&facts, &[], &mut values);
        if holds(&values, network.terminal) || joints.len() == MAX_JOINT_MOVES {
            break;
        }
        let mut joint = Vec::new();
        for range in &network.role_moves {
            let legal: Vec<usize> =
                range.clone().filter(|&i| holds(&values, network.legal[i])).collect();
            if legal.is_empty() {
                return joints;
            }
            joint.push(legal[rng.below(legal.len())] as u32);
        }
        network.evaluate(&facts, &joint, &mut values);
        for (fluent, &next) in network.next.iter().enumerate() {
            let bit = 1 << (fluent % 64);
            match holds(&values, next) {
                true => facts[fluent / 64] |= bit,
                false => facts[fluent / 64] &= !bit,
            }
        }
        if !joints.contains(&joint) {
            joints.push(joint);
        }
    }
    joints
}
