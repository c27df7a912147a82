//! The network as plain data, and its plain evaluation.

use std::ops::Range;

use crate::ground::meter::Meter;
use crate::network::gates::{Gates, Lit};
use crate::read::error::GdlError;
use crate::read::term::TermId;

/// A move that a role may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RoleMove {
    pub(crate) role: u8,
    pub(crate) term: TermId,
}

/// A game as gates over its fluents and moves.
///
/// Nodes are numbered: 0 is the constant false, then come the fluents, the moves, and the gates, a
/// gate after its inputs except inside components. A [`Lit`] is a node or its negation. Everything
/// that a state or a joint move decides is one of the literals below.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// Every node: its kind, its inputs, whether it depends on moves, and the components.
    pub(crate) gates: Gates,
    /// The terms of the fluents, sorted by text. Fluent i is node 1 + i.
    pub(crate) fluents: Vec<TermId>,
    /// Move j is node 1 + number of fluents + j. Moves are sorted by role, then by text.
    pub(crate) moves: Vec<RoleMove>,
    /// The numbers of the moves of each role.
    pub(crate) role_moves: Vec<Range<usize>>,
    /// Whether each fluent holds after a joint move.
    pub(crate) next: Vec<Lit>,
    /// Whether each move is legal.
    pub(crate) legal: Vec<Lit>,
    pub(crate) terminal: Lit,
    /// Per role, the values with the literals that grant them.
    pub(crate) goals: Vec<Vec<(u8, Lit)>>,
    /// The fluents that hold at the start, sorted.
    pub(crate) initial: Vec<u32>,
}

impl Network {
    /// The node of a move.
    pub(crate) fn move_node(&self, index: usize) -> usize {
        1 + self.fluents.len() + index
    }

    /// Compares what has been spent, and what the network and all that is made of it take at most,
    /// with the limits.
    pub(crate) fn look(&self, meter: &mut Meter<'_>) -> Result<(), GdlError> {
        meter.look(self.made());
        meter.check()
    }

    /// How many gates there are, and the bytes of all until the game is ready.
    pub(crate) fn made(&self) -> (usize, u64) {
        // Moves and fluents have bits, groups, phases and places in the table of transitions.
        let leaves = 200 * self.moves.len() as u64 + 100 * self.fluents.len() as u64;
        (self.gates.len(), self.gates.bytes_until_ready() + leaves)
    }

    /// The fluents of the start as bits.
    pub(crate) fn initial_facts(&self) -> Vec<u64> {
        let mut facts = vec![0u64; self.fluents.len().div_ceil(64)];
        for &fluent in &self.initial {
            facts[fluent as usize / 64] |= 1 << (fluent % 64);
        }
        facts
    }

    /// The value of every node, the plain way: the oracle of the incremental evaluation.
    pub(crate) fn evaluate(&self, facts: &[u64], does: &[u32], values: &mut Vec<bool>) {
        values.clear();
        values.resize(self.gates.len(), false);
        for fluent in 0..self.fluents.len() {
            values[1 + fluent] = facts[fluent / 64] >> (fluent % 64) & 1 == 1;
        }
        for &index in does {
            values[self.move_node(index as usize)] = true;
        }
        let mut node = self.move_node(self.moves.len());
        while node < self.gates.len() {
            match self.gates.component(node) {
                None => {
                    values[node] = self.gates.value(node, values);
                    node += 1;
                }
                Some(range) => {
                    let mut changed = true;
                    while std::mem::take(&mut changed) {
                        for inner in range.clone() {
                            if !values[inner] && self.gates.value(inner, values) {
                                values[inner] = true;
                                changed = true;
                            }
                        }
                    }
                    node = range.end;
                }
            }
        }
    }
}
