//! The gates of a network: Ands and Ors over fluents and moves. Equal gates are stored once,
//! constants are folded away, and so is what follows from the other inputs of a gate.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::FxHasher;

use crate::read::term::vec_bytes;

/// Twice the number of a node, plus one for its negation.
pub(crate) type Lit = u32;

pub(crate) const FALSE: Lit = 0;
pub(crate) const TRUE: Lit = 1;

pub(crate) fn node_of(lit: Lit) -> usize {
    (lit >> 1) as usize
}

pub(crate) fn is_negated(lit: Lit) -> bool {
    lit & 1 == 1
}

/// Whether a literal holds, by the values of all nodes.
pub(crate) fn holds(values: &[bool], lit: Lit) -> bool {
    values[node_of(lit)] != is_negated(lit)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Node 0, which is false.
    Constant,
    /// A fluent of the state.
    Fluent,
    /// A move that is being made.
    Move,
    And,
    Or,
}

/// Alternatives of an Or that are looked through for one that holds, and literals that are known
/// to.
const MAX_ALTERNATIVES: usize = 256;
const MAX_KNOWN: usize = 64;

/// The gates and what they read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gates {
    kinds: Vec<Kind>,
    ranges: Vec<(u32, u32)>,
    inputs: Vec<Lit>,
    /// Whether a node depends on moves.
    by_moves: Vec<bool>,
    /// Ranges of nodes that depend on each other, in order.
    components: Vec<Range<usize>>,
    /// Open addressing over the gates that are stored once; the length is a power of two.
    table: Vec<u32>,
    n_in_table: usize,
}

impl Gates {
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn n_inputs(&self) -> usize {
        self.inputs.len()
    }

    pub(crate) fn kind(&self, node: usize) -> Kind {
        self.kinds[node]
    }

    pub(crate) fn inputs(&self, node: usize) -> &[Lit] {
        let (start, end) = self.ranges[node];
        &self.inputs[start as usize..end as usize]
    }

    pub(crate) fn by_moves(&self, node: usize) -> bool {
        self.by_moves[node]
    }

    pub(crate) fn components(&self) -> &[Range<usize>] {
        &self.components
    }

    /// The component that a node belongs to.
    pub(crate) fn component(&self, node: usize) -> Option<Range<usize>> {
        let after = self.components.partition_point(|range| range.start <= node);
        let range = self.components.get(after.checked_sub(1)?)?;
        range.contains(&node).then(|| range.clone())
    }

    pub(crate) fn value(&self, node: usize, values: &[bool]) -> bool {
        match self.kinds[node] {
            Kind::And => self.inputs(node).iter().all(|&lit| holds(values, lit)),
            Kind::Or => self.inputs(node).iter().any(|&lit| holds(values, lit)),
            _ => values[node],
        }
    }

    pub(crate) fn leaf(&mut self, kind: Kind) -> usize {
        self.kinds.push(kind);
        self.ranges.push((0, 0));
        self.by_moves.push(kind == Kind::Move);
        self.kinds.len() - 1
    }

    /// The conjunction of literals.
    pub(crate) fn and(&mut self, lits: &mut Vec<Lit>) -> Lit {
        if !clean(lits, TRUE, FALSE) {
            return FALSE;
        }
        self.absorb(lits);
        match lits[..] {
            [] => TRUE,
            [lit] => lit,
            // "None of these" and "any of these" are one gate.
            _ if lits.iter().all(|&lit| is_negated(lit)) => {
                lits.iter_mut().for_each(|lit| *lit ^= 1);
                self.gate(Kind::Or, lits) ^ 1
            }
            _ => self.gate(Kind::And, lits),
        }
    }

    /// Drops from a conjunction what follows from the rest: "some capture can be made" beside one
    /// that can. Whatever changes in one capture would otherwise have to be told to all others.
    fn absorb(&self, lits: &mut Vec<Lit>) {
        let alternatives = |lit: Lit| match self.kinds[node_of(lit)] {
            Kind::Or if !is_negated(lit) => self.inputs(node_of(lit)),
            _ => &[],
        };
        let is_open = |lit: &Lit| (1..=MAX_ALTERNATIVES).contains(&alternatives(*lit).len());
        if lits.len() < 2 || !lits.iter().any(is_open) {
            return;
        }
        // All that holds if the others do.
        let mut known: Vec<Lit> = lits.iter().copied().filter(|lit| !is_open(lit)).collect();
        let mut next = 0;
        while next < known.len() && known.len() < MAX_KNOWN {
            known.extend(self.conjuncts(known[next]));
            next += 1;
        }
        known.sort_unstable();
        let holds = |lit: &Lit| known.binary_search(lit).is_ok();
        let follows = |&lit: &Lit| {
            holds(&lit) || !self.conjuncts(lit).is_empty() && self.conjuncts(lit).iter().all(holds)
        };
        lits.retain(|lit| !is_open(lit) || !alternatives(*lit).iter().any(follows));
    }

    /// The literals that a conjunction consists of; none if it is something else.
    fn conjuncts(&self, lit: Lit) -> &[Lit] {
        match self.kinds[node_of(lit)] {
            Kind::And if !is_negated(lit) => self.inputs(node_of(lit)),
            _ => &[],
        }
    }

    /// The literals that a conjunction consists of, or the literal itself.
    pub(crate) fn conjuncts_or_self<'a>(&'a self, lit: &'a Lit) -> &'a [Lit] {
        match self.kinds[node_of(*lit)] {
            Kind::And if !is_negated(*lit) => self.inputs(node_of(*lit)),
            _ => std::slice::from_ref(lit),
        }
    }

    /// The disjunction of literals. Literals that all cases share are taken out, which lets a
    /// search for moves see at once that a role is not in control.
    pub(crate) fn or(&mut self, lits: &mut Vec<Lit>) -> Lit {
        if !clean(lits, FALSE, TRUE) {
            return TRUE;
        }
        match lits[..] {
            [] => return FALSE,
            [lit] => return lit,
            _ => {}
        }
        let mut shared = self.shared(lits);
        if shared.is_empty() {
            return self.gate(Kind::Or, lits);
        }
        let mut rests = Vec::with_capacity(lits.len());
        for &lit in lits.iter() {
            let mut rest: Vec<Lit> = self.conjuncts_or_self(&lit).to_vec();
            rest.retain(|lit| !shared.contains(lit));
            let rest = self.and(&mut rest);
            rests.push(rest);
        }
        let rest = self.or(&mut rests);
        shared.push(rest);
        self.and(&mut shared)
    }

    fn shared(&self, lits: &[Lit]) -> Vec<Lit> {
        let mut shared = self.conjuncts(lits[0]).to_vec();
        for &lit in &lits[1..] {
            let inputs = self.conjuncts(lit);
            shared.retain(|lit| inputs.binary_search(lit).is_ok());
            if shared.is_empty() {
                break;
            }
        }
        shared
    }

    /// A gate with exactly these inputs, which are sorted, if there is one.
    pub(crate) fn find(&self, is_and: bool, lits: &[Lit]) -> Option<Lit> {
        let kind = if is_and { Kind::And } else { Kind::Or };
        let mask = self.table.len().checked_sub(1)?;
        let mut slot = hash(kind, lits) & mask;
        while self.table[slot] != EMPTY {
            let node = self.table[slot] as usize;
            if self.kinds[node] == kind && self.inputs(node) == lits {
                return Some((node as Lit) << 1);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// A gate with exactly these inputs, which are sorted.
    pub(crate) fn exact(&mut self, is_and: bool, lits: &[Lit]) -> Lit {
        self.gate(if is_and { Kind::And } else { Kind::Or }, lits)
    }

    fn gate(&mut self, kind: Kind, lits: &[Lit]) -> Lit {
        // Counts of inputs are small numbers, so a very wide gate becomes two layers of gates.
        if lits.len() > MAX_INPUTS {
            let mut parts: Vec<Lit> =
                lits.chunks(MAX_INPUTS / 32).map(|part| self.gate(kind, part)).collect();
            parts.sort_unstable();
            return self.gate(kind, &parts);
        }
        if self.n_in_table * 2 >= self.table.len() {
            self.grow_table();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(kind, lits) & mask;
        loop {
            match self.table[slot] {
                EMPTY => break,
                node if self.kinds[node as usize] == kind && self.inputs(node as usize) == lits => {
                    return node << 1;
                }
                _ => slot = (slot + 1) & mask,
            }
        }
        let node = self.leaf(kind);
        self.fill(node, lits);
        self.table[slot] = node as u32;
        self.n_in_table += 1;
        (node as Lit) << 1
    }

    fn grow_table(&mut self) {
        let old = std::mem::take(&mut self.table);
        self.table = vec![EMPTY; (old.len() * 2).max(1024)];
        let mask = self.table.len() - 1;
        for node in old.into_iter().filter(|&node| node != EMPTY) {
            let mut slot = hash(self.kinds[node as usize], self.inputs(node as usize)) & mask;
            while self.table[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.table[slot] = node;
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        vec_bytes(&self.kinds)
            + vec_bytes(&self.ranges)
            + vec_bytes(&self.inputs)
            + vec_bytes(&self.by_moves)
            // The table doubles when it is half full, and the old one is read meanwhile.
            + 4 * self.table.len() as u64
                * if self.n_in_table >= self.table.len() / 16 * 7 { 3 } else { 1 }
    }

    /// The bytes that the gates and all that is made of them take, at most, until the game is
    /// ready.
    pub(crate) fn bytes_until_ready(&self) -> u64 {
        self.bytes() + 100 * self.len() as u64 + 24 * self.inputs.len() as u64
    }

    pub(crate) fn fill(&mut self, node: usize, lits: &[Lit]) {
        let start = self.inputs.len() as u32;
        self.inputs.extend_from_slice(lits);
        self.ranges[node] = (start, self.inputs.len() as u32);
        self.by_moves[node] = lits.iter().any(|&lit| self.by_moves[node_of(lit)]);
    }

    /// Declares the nodes from `start` on as one component.
    pub(crate) fn close_component(&mut self, start: usize) {
        let end = self.len();
        let by_moves = (start..end)
            .any(|node| self.inputs(node).iter().any(|&lit| self.by_moves[node_of(lit)]));
        self.by_moves[start..end].fill(by_moves);
        self.components.push(start..end);
    }
}

/// A place in the table without a gate.
const EMPTY: u32 = u32::MAX;

fn hash(kind: Kind, lits: &[Lit]) -> usize {
    let mut hasher = FxHasher::default();
    (kind == Kind::And, lits).hash(&mut hasher);
    let hash = hasher.finish();
    (hash ^ hash >> 32) as usize
}

/// Inputs of a gate outside components.
const MAX_INPUTS: usize = 16_384;

/// Sorts, and drops what does not matter. False if the whole is decided: a literal is `decides`, or
/// a literal and its negation are there.
fn clean(lits: &mut Vec<Lit>, neutral: Lit, decides: Lit) -> bool {
    lits.retain(|&lit| lit != neutral);
    lits.sort_unstable();
    lits.dedup();
    let opposed = lits.windows(2).any(|pair| pair[0] ^ 1 == pair[1]);
    !opposed && !lits.contains(&decides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_from_the_rest_is_dropped() {
        let mut gates = Gates::default();
        gates.leaf(Kind::Constant);
        let [a, b, c, d] = [0; 4].map(|_| (gates.leaf(Kind::Fluent) as Lit) << 1);
        let pair = gates.and(&mut vec![a, b]);
        let some = gates.or(&mut vec![pair, c]);
        // One of the alternatives itself, and what it consists of, on its own or inside another
        // gate.
        assert_eq!(gates.and(&mut vec![some, c]), c);
        assert_eq!(gates.and(&mut vec![some, pair]), pair);
        assert_eq!(gates.and(&mut vec![a, b, some]), pair);
        let more = gates.and(&mut vec![a, b, d]);
        assert_eq!(gates.and(&mut vec![some, more]), more);
        // Half an alternative is not enough, and two Ors do not hold each other up.
        let half = gates.and(&mut vec![a, some]);
        assert_eq!(gates.inputs(node_of(half)), [a, some]);
        let other = gates.or(&mut vec![some, d]);
        let both = gates.and(&mut vec![some, other]);
        assert_eq!(gates.inputs(node_of(both)), [some, other]);
    }
}
