//! What fluents become at most plies, whatever is played: a mark that lasts for one ply goes out, the cell
//! above a free one is free. Such a fluent is watched. A joint move need not mention it unless it makes
//! something else of it, and a state knows those that will change without looking at all of them.

use rustc_hash::FxHashMap;
use sakiyomi_core::Rng;

use crate::gates::{Kind, Lit, is_negated, node_of};
use crate::network::Network;
use crate::transition::Effects;

/// Joint moves of a random match that are looked at.
const MOST_JOINT_MOVES: usize = 24;
/// Inputs that may be read to find them.
const MOST_WORK: usize = 10_000_000;

/// For fluents that do not keep their value by themselves, the next value at most plies, if there is one
/// and it is not the value that they have. Gates are added for it.
pub(crate) fn usual_values(network: &mut Network, effects: &Effects) -> FxHashMap<u32, Lit> {
    if effects.restless().is_empty() {
        return FxHashMap::default();
    }
    let joints = joint_moves(network);
    let mut counts: FxHashMap<(u32, Lit), usize> = FxHashMap::default();
    for joint in &joints {
        for (fluent, value) in effects.next_values(network, joint) {
            *counts.entry((fluent, value)).or_default() += 1;
        }
    }
    let most = |&(_, n): &(_, usize)| n * 2 > joints.len();
    let values = counts.into_iter().filter(most).map(|(value, _)| value);
    values
        .filter(|&(fluent, value)| value != (fluent + 1) << 1 && is_simple(network, value))
        .collect()
}

/// Whether little has to be kept up to date to know a value: a gate of few fluents at most.
fn is_simple(network: &Network, value: Lit) -> bool {
    let inputs = network.gates.inputs(node_of(value));
    inputs.len() <= MOST_INPUTS
        && inputs.iter().all(|&lit| network.gates.kind(node_of(lit)) == Kind::Base)
}

const MOST_INPUTS: usize = 3;

/// The different joint moves of a random match.
fn joint_moves(network: &Network) -> Vec<Vec<u32>> {
    let mut rng = Rng::new(1);
    let mut facts = vec![0u64; network.fluents.len().div_ceil(64)];
    for &fluent in &network.initial {
        facts[fluent as usize / 64] |= 1 << (fluent % 64);
    }
    let mut joints: Vec<Vec<u32>> = Vec::new();
    let mut values = Vec::new();
    let most_plies = (MOST_WORK / (network.gates.n_inputs() + 1)).min(4 * MOST_JOINT_MOVES);
    for _ in 0..most_plies {
        network.evaluate(&facts, &[], &mut values);
        let holds = |lit: Lit| values[node_of(lit)] != is_negated(lit);
        if holds(network.terminal) || joints.len() == MOST_JOINT_MOVES {
            break;
        }
        let mut joint = Vec::new();
        for range in &network.role_moves {
            let legal: Vec<usize> = range.clone().filter(|&i| holds(network.legal[i])).collect();
            if legal.is_empty() {
                return joints;
            }
            joint.push(legal[rng.below(legal.len())] as u32);
        }
        network.evaluate(&facts, &joint, &mut values);
        let holds = |lit: Lit| values[node_of(lit)] != is_negated(lit);
        for (fluent, &next) in network.next.iter().enumerate() {
            let bit = 1 << (fluent % 64);
            match holds(next) {
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
