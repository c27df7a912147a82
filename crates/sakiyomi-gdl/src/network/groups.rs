//! Legal moves in groups that share a condition, such as who is in control. The condition of a
//! group is looked at once for all its moves, and what is left of a move's own condition is
//! smaller.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::network::gates::{FALSE, Lit, TRUE, node_of};
use crate::network::graph::Network;
use crate::network::sequence::Sequence;

/// A literal that at least this many moves of a role share becomes the condition of a group.
const MIN_GROUP: usize = 3;
/// Groups with conditions that one role may have; more would be slow to look through.
const MAX_GROUPS: usize = 6;

/// The moves of all roles in groups. A move is legal if its own condition and that of its group
/// hold.
#[derive(Debug, Default)]
pub(crate) struct MoveGroups {
    /// Per move, the condition beside that of its group, and the group.
    pub(crate) moves: Vec<(Lit, u32)>,
    /// Per group, its condition and how many moves it has.
    pub(crate) groups: Vec<(Lit, u32)>,
    /// The groups of each role.
    pub(crate) by_role: Vec<Range<usize>>,
}

impl MoveGroups {
    /// Splits the legal moves into groups. What is left of a move's condition may be a new gate.
    pub(crate) fn new(network: &mut Network, sequence: &Sequence) -> MoveGroups {
        let moves = vec![(FALSE, 0); network.moves.len()];
        let mut groups = MoveGroups { moves, ..MoveGroups::default() };
        for range in network.role_moves.clone() {
            groups.add_role(range, network, sequence);
        }
        groups
    }

    fn add_role(&mut self, range: Range<usize>, network: &mut Network, sequence: &Sequence) {
        let first = self.groups.len();
        self.groups.push((TRUE, 0));
        let mut open: Vec<usize> = range.collect();
        while self.groups.len() - first <= MAX_GROUPS {
            let mut counts: FxHashMap<Lit, usize> = FxHashMap::default();
            for &index in &open {
                for &lit in network.gates.conjuncts_or_self(&network.legal[index]) {
                    *counts.entry(lit).or_default() += 1;
                }
            }
            let best = counts.into_iter().max_by_key(|&(lit, count)| (count, lit));
            let Some((gate, count)) = best.filter(|&(_, count)| count >= MIN_GROUP) else {
                break;
            };
            let group = self.groups.len() as u32;
            self.groups.push((gate, count as u32));
            open.retain(|&index| {
                let mut rest = network.gates.conjuncts_or_self(&network.legal[index]).to_vec();
                let n = rest.len();
                rest.retain(|&lit| lit != gate);
                let is_member = rest.len() < n;
                if is_member {
                    self.moves[index] = (network.gates.and(&mut rest), group);
                }
                !is_member
            });
        }
        self.groups[first].1 = open.len() as u32;
        // A single move that is left, which is waiting nearly always, is a group as well, if its
        // phase decides about it: the condition of a group is a gate that is read, which is more
        // work than one that decides about a move.
        if let [index] = open[..]
            && sequence.decides(network.legal[index])
        {
            (self.groups[first].0, self.moves[index]) =
                (network.legal[index], (TRUE, first as u32));
            open.clear();
        }
        for index in open {
            self.moves[index] = (network.legal[index], first as u32);
        }
        self.by_role.push(first..self.groups.len());
    }

    /// What must be known in every state: the conditions of moves, the end, and the fluents whose
    /// next value does not depend on moves.
    pub(crate) fn state_roots(&self, network: &Network) -> Vec<Lit> {
        let fixed_next =
            network.next.iter().filter(|&&lit| !network.gates.by_moves(node_of(lit))).copied();
        (self.moves.iter().chain(&self.groups).map(|&(lit, _)| lit))
            .chain([network.terminal])
            .chain(fixed_next)
            .collect()
    }
}
