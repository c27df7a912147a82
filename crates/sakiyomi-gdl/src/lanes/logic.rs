//! Logic over words of lanes: Ands of any number of signed literals, and tables of three inputs.
//! Equal operations are stored once and constants are folded away. An Or is a negated And.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::network::gates::{FALSE, Lit, TRUE, is_negated, node_of};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) enum Op {
    /// Node 0, which is false.
    Constant,
    Fluent,
    /// A bit of a number that is drawn, by its place among all of them.
    Draw,
    /// A variable of a fixpoint.
    Variable,
    And,
    Xor,
    Xor3,
    Majority,
    /// The first input, or both of the others.
    AndOr,
    /// The second input if the first holds, else the third.
    Choose,
}

/// Conjuncts of a literal that are looked at, and inputs of an And that is simplified by them.
const MAX_KNOWN: usize = 256;
const MAX_SIMPLIFIED: usize = 24;
const SIMPLIFY_DEPTH: u32 = 3;

#[derive(Debug)]
pub(super) struct Logic {
    ops: Vec<Op>,
    /// Where the inputs of an operation lie; the number of a leaf.
    ranges: Vec<(u32, u32)>,
    inputs: Vec<Lit>,
    /// How many fixpoints have to be computed one after the other before a node is known.
    levels: Vec<u16>,
    /// The variables of fixpoints with what they must be equal to.
    pub(super) fixpoints: Vec<(u32, Lit)>,
    /// Open addressing over the operations; the length is a power of two.
    table: Vec<u32>,
}

impl Logic {
    pub(super) fn new() -> Logic {
        let mut logic = Logic {
            ops: Vec::new(),
            ranges: Vec::new(),
            inputs: Vec::new(),
            levels: Vec::new(),
            fixpoints: Vec::new(),
            table: vec![EMPTY; 1024],
        };
        logic.push(Op::Constant, (0, 0), 0);
        logic
    }

    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    pub(super) fn n_inputs(&self) -> usize {
        self.inputs.len()
    }

    pub(super) fn op(&self, node: usize) -> Op {
        self.ops[node]
    }

    pub(super) fn inputs(&self, node: usize) -> &[Lit] {
        match self.ops[node] {
            Op::Constant | Op::Fluent | Op::Draw | Op::Variable => &[],
            _ => &self.inputs[self.ranges[node].0 as usize..self.ranges[node].1 as usize],
        }
    }

    /// The number of a leaf.
    pub(super) fn number(&self, node: usize) -> u32 {
        self.ranges[node].0
    }

    pub(super) fn level(&self, node: usize) -> u16 {
        self.levels[node]
    }

    fn push(&mut self, op: Op, range: (u32, u32), level: u16) -> Lit {
        self.ops.push(op);
        self.ranges.push(range);
        self.levels.push(level);
        (self.ops.len() as Lit - 1) << 1
    }

    /// A fluent or a drawn bit; asked for once.
    pub(super) fn leaf(&mut self, op: Op, number: u32) -> Lit {
        self.push(op, (number, 0), 0)
    }

    /// A new variable of a fixpoint that needs nodes of lower levels.
    pub(super) fn variable(&mut self, level: u16) -> Lit {
        self.push(Op::Variable, (0, 0), level)
    }

    fn operation(&mut self, op: Op, lits: &[Lit]) -> Lit {
        if self.ops.len() * 2 >= self.table.len() {
            self.grow_table();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(op, lits) & mask;
        loop {
            match self.table[slot] {
                EMPTY => break,
                node if self.ops[node as usize] == op && self.inputs(node as usize) == lits => {
                    return node << 1;
                }
                _ => slot = (slot + 1) & mask,
            }
        }
        self.table[slot] = self.ops.len() as u32;
        let start = self.inputs.len() as u32;
        self.inputs.extend_from_slice(lits);
        let level = lits.iter().map(|&lit| self.levels[node_of(lit)]).max().unwrap_or(0);
        self.push(op, (start, self.inputs.len() as u32), level)
    }

    fn grow_table(&mut self) {
        self.table = vec![EMPTY; self.table.len() * 2];
        let mask = self.table.len() - 1;
        for node in 0..self.ops.len() {
            if self.inputs(node).is_empty() {
                continue;
            }
            let mut slot = hash(self.ops[node], self.inputs(node)) & mask;
            while self.table[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.table[slot] = node as u32;
        }
    }

    pub(super) fn and(&mut self, mut lits: Vec<Lit>) -> Lit {
        lits.retain(|&lit| lit != TRUE);
        lits.sort_unstable();
        lits.dedup();
        if lits.first() == Some(&FALSE) || lits.windows(2).any(|pair| pair[0] ^ 1 == pair[1]) {
            return FALSE;
        }
        match lits[..] {
            [] => TRUE,
            [lit] => lit,
            _ => self.operation(Op::And, &lits),
        }
    }

    pub(super) fn or(&mut self, mut lits: Vec<Lit>) -> Lit {
        lits.iter_mut().for_each(|lit| *lit ^= 1);
        self.and(lits) ^ 1
    }

    /// An And or an Or.
    pub(super) fn combine(&mut self, is_and: bool, lits: Vec<Lit>) -> Lit {
        if is_and { self.and(lits) } else { self.or(lits) }
    }

    pub(super) fn and2(&mut self, a: Lit, b: Lit) -> Lit {
        self.and(vec![a, b])
    }

    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let sign = (a ^ b) & 1;
        let (a, b) = (a & !1, b & !1);
        match (a.min(b), a.max(b)) {
            (FALSE, b) => b ^ sign,
            (a, b) if a == b => sign,
            (a, b) => self.operation(Op::Xor, &[a, b]) ^ sign,
        }
    }

    pub(super) fn xor3(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut lits = [a & !1, b & !1, c & !1];
        lits.sort_unstable();
        if lits[0] == FALSE || lits[0] == lits[1] || lits[1] == lits[2] {
            let both = self.xor(a, b);
            return self.xor(both, c);
        }
        self.operation(Op::Xor3, &lits) ^ ((a ^ b ^ c) & 1)
    }

    pub(super) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        for (one, two, three) in [(a, b, c), (b, a, c), (c, a, b)] {
            match one {
                FALSE => return self.and2(two, three),
                TRUE => return self.or(vec![two, three]),
                _ if two == three => return two,
                _ if two ^ 1 == three => return one,
                _ => {}
            }
        }
        let mut lits = [a, b, c];
        lits.sort_unstable();
        self.operation(Op::Majority, &lits)
    }

    /// `first`, or both `a` and `b`.
    pub(super) fn and_or(&mut self, first: Lit, a: Lit, b: Lit) -> Lit {
        if [first, a, b].iter().any(|&lit| lit <= TRUE) || a >> 1 == b >> 1 {
            let both = self.and2(a, b);
            return self.or(vec![first, both]);
        }
        self.operation(Op::AndOr, &[first, a.min(b), a.max(b)])
    }

    /// `then` if `condition` holds, else `other`.
    pub(super) fn choose(&mut self, condition: Lit, then: Lit, other: Lit) -> Lit {
        let node = condition >> 1;
        match condition {
            TRUE => return then,
            FALSE => return other,
            _ if then == other => return then,
            _ if then <= TRUE || other <= TRUE || node == then >> 1 || node == other >> 1 => {
                let first = self.and2(condition, then);
                let second = self.and2(condition ^ 1, other);
                return self.or(vec![first, second]);
            }
            _ => {}
        }
        let (then, other) = if is_negated(condition) { (other, then) } else { (then, other) };
        self.operation(Op::Choose, &[condition & !1, then, other])
    }

    /// Literals that hold if one does, itself included, sorted.
    pub(super) fn conjuncts(&self, lit: Lit) -> Vec<Lit> {
        let mut known = vec![lit];
        let mut next = 0;
        while next < known.len() && known.len() < MAX_KNOWN {
            let lit = known[next];
            if !is_negated(lit) && self.op(node_of(lit)) == Op::And {
                known.extend(self.inputs(node_of(lit)));
            }
            next += 1;
        }
        known.sort_unstable();
        known.dedup();
        known
    }

    /// A literal with the same value wherever all of `known`, which is sorted, hold.
    pub(super) fn simplify(&mut self, lit: Lit, known: &[Lit]) -> Lit {
        self.simplify_to(lit, known, SIMPLIFY_DEPTH)
    }

    fn simplify_to(&mut self, lit: Lit, known: &[Lit], depth: u32) -> Lit {
        match lit {
            TRUE | FALSE => return lit,
            _ if known.binary_search(&lit).is_ok() => return TRUE,
            _ if known.binary_search(&(lit ^ 1)).is_ok() => return FALSE,
            _ => {}
        }
        let inputs = self.inputs(node_of(lit));
        if depth == 0 || self.op(node_of(lit)) != Op::And || inputs.len() > MAX_SIMPLIFIED {
            return lit;
        }
        let old = inputs.to_vec();
        let new: Vec<Lit> = old.iter().map(|&l| self.simplify_to(l, known, depth - 1)).collect();
        if new == old { lit } else { self.and(new) ^ (lit & 1) }
    }
}

/// A place in the table without an operation.
const EMPTY: u32 = u32::MAX;

fn hash(op: Op, lits: &[Lit]) -> usize {
    let mut hasher = FxHasher::default();
    (op, lits).hash(&mut hasher);
    let hash = hasher.finish();
    (hash ^ hash >> 32) as usize
}
