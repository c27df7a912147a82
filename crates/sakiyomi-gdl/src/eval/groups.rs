//! What of a network has to be live: legal moves in groups that share a condition, and all that
//! conditions depend on.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::gates::{FALSE, Kind, Lit, TRUE, is_negated, node_of};
use crate::network::Network;
use crate::phase::Sequence;

/// The gates that nothing reads but the list of moves, each with its one move.
pub(super) fn deciding_gates(
    network: &Network,
    gates: &[u32],
    moves: &[(Lit, u32)],
    read: &[u32],
) -> FxHashMap<u32, u32> {
    let mut n_readers: FxHashMap<u32, u32> = read.iter().map(|&node| (node, 1)).collect();
    for &gate in gates {
        for &lit in network.gates.inputs(gate as usize) {
            *n_readers.entry(lit >> 1).or_default() += 1;
        }
    }
    for &lit in network.next.iter().chain(moves.iter().map(|(rest, _)| rest)) {
        *n_readers.entry(lit >> 1).or_default() += 1;
    }
    let needed: FxHashMap<u32, ()> = gates.iter().map(|&gate| (gate, ())).collect();
    (moves.iter().enumerate())
        .map(|(index, &(rest, _))| (rest >> 1, index as u32))
        .filter(|(node, _)| needed.contains_key(node) && n_readers[node] == 1)
        .filter(|&(node, _)| network.gates.component(node as usize).is_none())
        .collect()
}

/// A literal that at least this many moves of a role share becomes the gate of a group.
const LEAST_GROUP: usize = 3;
/// Groups with gates that one role may have; more would be slow to look through.
const MOST_GROUPS: usize = 6;

type Moves = Vec<(Lit, u32)>;

/// What must be known in every state: the conditions of moves, the end, and the fluents that change
/// by themselves.
pub(crate) fn live_roots(
    network: &Network,
    moves: &[(Lit, u32)],
    groups: &[(Lit, u32)],
) -> Vec<Lit> {
    let fixed_next =
        network.next.iter().filter(|&&lit| !network.gates.by_moves(node_of(lit))).copied();
    (moves.iter().chain(groups).map(|&(lit, _)| lit))
        .chain([network.terminal])
        .chain(fixed_next)
        .collect()
}

/// Splits the legal moves into groups. Returns per move the literal that is left and its group, per
/// role the groups, and per group its gate and length.
pub(crate) fn group_moves(
    network: &mut Network,
    sequence: &Sequence,
) -> (Moves, Vec<Range<usize>>, Vec<(Lit, u32)>) {
    let mut moves = vec![(FALSE, 0); network.moves.len()];
    let mut groups: Vec<(Lit, u32)> = Vec::new();
    let mut role_groups = Vec::new();
    for range in network.role_moves.clone() {
        let first = groups.len();
        groups.push((TRUE, 0));
        let mut open: Vec<usize> = range.collect();
        while groups.len() - first <= MOST_GROUPS {
            let mut counts: FxHashMap<Lit, usize> = FxHashMap::default();
            for &index in &open {
                for lit in conjuncts(network, network.legal[index]) {
                    *counts.entry(lit).or_default() += 1;
                }
            }
            let best = counts.into_iter().max_by_key(|&(lit, count)| (count, lit));
            let Some((gate, count)) = best.filter(|&(_, count)| count >= LEAST_GROUP) else {
                break;
            };
            let group = groups.len() as u32;
            groups.push((gate, count as u32));
            open.retain(|&index| {
                let legal = network.legal[index];
                let member = conjuncts(network, legal).contains(&gate);
                if member {
                    let mut rest = conjuncts(network, legal);
                    rest.retain(|&lit| lit != gate);
                    moves[index] = (network.gates.and(&mut rest), group);
                }
                !member
            });
        }
        groups[first].1 = open.len() as u32;
        // A single move that is left, which is waiting nearly always, is a group as well, if its phase decides about it:
        // the gate of a group is one that is read, which is more work than one that decides about a move.
        if let [index] = open[..]
            && sequence.decides(network.legal[index])
        {
            (groups[first].0, moves[index]) = (network.legal[index], (TRUE, first as u32));
            open.clear();
        }
        for index in open {
            moves[index] = (network.legal[index], first as u32);
        }
        role_groups.push(first..groups.len());
    }
    (moves, role_groups, groups)
}

fn conjuncts(network: &Network, lit: Lit) -> Vec<Lit> {
    match network.gates.kind(node_of(lit)) {
        Kind::And if !is_negated(lit) => network.gates.inputs(node_of(lit)).to_vec(),
        _ => vec![lit],
    }
}

/// The nodes on which literals depend, in order.
pub(super) fn cone(network: &Network, roots: impl Iterator<Item = Lit>) -> Vec<u32> {
    let mut seen = vec![false; network.gates.len()];
    let mut open: Vec<usize> = roots.map(node_of).collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(network.gates.inputs(node).iter().map(|&lit| node_of(lit)));
        }
    }
    (0..seen.len()).filter(|&node| seen[node]).map(|node| node as u32).collect()
}
