//! Symbols and ground terms. Every ground term is stored once, so equal terms have equal numbers
//! and the stages after the parser compare, hash and index numbers only.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

/// A name as it stands in the rules.
pub(crate) type Symbol = u32;

/// A ground term: a constant or a function of ground terms. Ground atoms are terms as well.
pub(crate) type TermId = u32;

/// A number that no term has.
pub(crate) const NO_TERM: TermId = u32::MAX;

/// What stands at the head of a term. `(f)` and `f` are different terms, so the lowest bit says
/// whether there were parentheses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct Functor(u32);

impl Functor {
    pub(crate) fn constant(symbol: Symbol) -> Functor {
        Functor(symbol << 1)
    }

    pub(crate) fn compound(symbol: Symbol) -> Functor {
        Functor(symbol << 1 | 1)
    }

    pub(crate) fn symbol(self) -> Symbol {
        self.0 >> 1
    }

    pub(crate) fn is_compound(self) -> bool {
        self.0 & 1 == 1
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    functor: Functor,
    start: u32,
    length: u32,
    /// Characters of the term as it is written, or the most that a number holds.
    written: u32,
}

/// The table of all symbols and ground terms of one game.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    names: Vec<String>,
    by_name: FxHashMap<String, Symbol>,
    nodes: Vec<Node>,
    arguments: Vec<TermId>,
    /// Open addressing over `nodes`; the length is a power of two.
    table: Vec<TermId>,
}

impl Terms {
    pub(crate) fn new() -> Terms {
        Terms {
            names: Vec::new(),
            by_name: FxHashMap::default(),
            nodes: Vec::new(),
            arguments: Vec::new(),
            table: vec![NO_TERM; 1024],
        }
    }

    pub(crate) fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.by_name.get(name) {
            return symbol;
        }
        let symbol = self.names.len() as Symbol;
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), symbol);
        symbol
    }

    pub(crate) fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The bytes that terms take; names are few.
    pub(crate) fn bytes(&self) -> u64 {
        // The table doubles when it is half full.
        let grows = self.nodes.len() >= self.table.len() / 16 * 7;
        let table = 4 * self.table.len() as u64 * if grows { 2 } else { 1 };
        vec_bytes(&self.nodes) + vec_bytes(&self.arguments) + table
    }

    /// How long the text of a term is, in bytes. A term stands once wherever it occurs, so a small
    /// table may hold a term whose text fills no memory.
    pub(crate) fn written(&self, term: TermId) -> u64 {
        u64::from(self.nodes[term as usize].written)
    }

    pub(crate) fn functor(&self, term: TermId) -> Functor {
        self.nodes[term as usize].functor
    }

    pub(crate) fn arguments(&self, term: TermId) -> &[TermId] {
        let node = self.nodes[term as usize];
        &self.arguments[node.start as usize..(node.start + node.length) as usize]
    }

    pub(crate) fn find(&self, functor: Functor, arguments: &[TermId]) -> Option<TermId> {
        let mask = self.table.len() - 1;
        let mut slot = hash(functor, arguments) as usize & mask;
        loop {
            let term = self.table[slot];
            if term == NO_TERM {
                return None;
            }
            if self.functor(term) == functor && self.arguments(term) == arguments {
                return Some(term);
            }
            slot = (slot + 1) & mask;
        }
    }

    pub(crate) fn intern(&mut self, functor: Functor, arguments: &[TermId]) -> TermId {
        if let Some(term) = self.find(functor, arguments) {
            return term;
        }
        let term = self.nodes.len() as TermId;
        let start = self.arguments.len() as u32;
        let written = self.written_length(functor, arguments);
        self.arguments.extend_from_slice(arguments);
        self.nodes.push(Node { functor, start, length: arguments.len() as u32, written });
        if self.nodes.len() * 2 > self.table.len() {
            // The old table goes first, so that both are never there at the same time.
            let length = self.table.len() * 2;
            self.table = Vec::new();
            self.table = vec![NO_TERM; length];
            for term in 0..self.nodes.len() {
                self.place(term as TermId);
            }
        } else {
            self.place(term);
        }
        term
    }

    pub(crate) fn constant(&mut self, symbol: Symbol) -> TermId {
        self.intern(Functor::constant(symbol), &[])
    }

    /// Forgets all terms but the first `n`, which must not refer to later ones.
    pub(crate) fn truncate(&mut self, n: usize) {
        let is_small = self.table.len() <= MAX_SPARE_SLOTS.max(16 * n);
        // In the reverse of the order in which they came, so no chain of slots is broken.
        for term in (n..self.nodes.len()).rev().take_while(|_| is_small) {
            let mask = self.table.len() - 1;
            let node = self.nodes[term];
            let mut slot = hash(node.functor, self.arguments(term as TermId)) as usize & mask;
            while self.table[slot] != term as TermId {
                slot = (slot + 1) & mask;
            }
            self.table[slot] = NO_TERM;
        }
        if let Some(first) = self.nodes.get(n) {
            self.arguments.truncate(first.start as usize);
            self.nodes.truncate(n);
        }
        if !is_small {
            self.nodes.shrink_to(2 * n);
            self.arguments.shrink_to(2 * self.arguments.len());
            self.table = vec![NO_TERM; (4 * n).next_power_of_two().max(1024)];
            (0..n).for_each(|term| self.place(term as TermId));
        }
    }

    /// The length of the text of a term: its parts, spaces between them, and parentheses.
    fn written_length(&self, functor: Functor, arguments: &[TermId]) -> u32 {
        let name = self.name(functor.symbol()).len() as u64;
        let parts: u64 = arguments.iter().map(|&part| self.written(part) + 1).sum();
        let all = if functor.is_compound() { name + parts + 2 } else { name };
        u32::try_from(all).unwrap_or(u32::MAX)
    }

    /// The term as it is written in rules, with single spaces.
    pub(crate) fn text(&self, term: TermId) -> String {
        let mut out = String::new();
        self.write(term, &mut out);
        out
    }

    fn write(&self, term: TermId, out: &mut String) {
        let functor = self.functor(term);
        if !functor.is_compound() {
            out.push_str(self.name(functor.symbol()));
            return;
        }
        out.push('(');
        out.push_str(self.name(functor.symbol()));
        for &argument in self.arguments(term) {
            out.push(' ');
            self.write(argument, out);
        }
        out.push(')');
    }

    fn place(&mut self, term: TermId) {
        let mask = self.table.len() - 1;
        let mut slot = hash(self.functor(term), self.arguments(term)) as usize & mask;
        while self.table[slot] != NO_TERM {
            slot = (slot + 1) & mask;
        }
        self.table[slot] = term;
    }
}

/// Slots of a table that stay when its terms are forgotten.
const MAX_SPARE_SLOTS: usize = 1 << 16;

fn hash(functor: Functor, arguments: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(functor.0);
    for &argument in arguments {
        hasher.write_u32(argument);
    }
    let hash = hasher.finish();
    hash ^ hash >> 32
}

/// The bytes that a vector takes, or will take soon: one that is nearly full is about to double.
pub(crate) fn vec_bytes<T>(vec: &Vec<T>) -> u64 {
    let grows = vec.len() > 64 && vec.len() >= vec.capacity() / 8 * 7;
    (vec.capacity() * size_of::<T>()) as u64 * if grows { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_have_equal_numbers() {
        let mut terms = Terms::new();
        let (cell, one) = (terms.symbol("cell"), terms.symbol("1"));
        let one = terms.constant(one);
        let first = terms.intern(Functor::compound(cell), &[one, one]);
        for extra in 0..5000 {
            let symbol = terms.symbol(&format!("x{extra}"));
            terms.constant(symbol);
        }
        assert_eq!(terms.intern(Functor::compound(cell), &[one, one]), first);
        assert_eq!(terms.text(first), "(cell 1 1)");
        let bare = terms.constant(cell);
        let empty = terms.intern(Functor::compound(cell), &[]);
        assert_ne!(bare, empty);
        assert_eq!((terms.text(bare), terms.text(empty)), ("cell".into(), "(cell)".into()));
        for term in [first, bare, empty] {
            assert_eq!(terms.written(term), terms.text(term).len() as u64);
        }
    }

    /// A proof makes many terms of which few are kept.
    #[test]
    fn later_terms_can_be_forgotten() {
        let mut terms = Terms::new();
        let (cell, one) = (terms.symbol("cell"), terms.symbol("1"));
        let one = terms.constant(one);
        let kept = terms.intern(Functor::compound(cell), &[one, one]);
        let n = terms.len();
        for round in 0..3 {
            let mut last = one;
            for _ in 0..2_000 {
                last = terms.intern(Functor::compound(cell), &[last, one]);
            }
            assert_eq!(terms.len(), n + 1_999, "round {round}");
            terms.truncate(n);
            assert_eq!(terms.find(Functor::compound(cell), &[one, one]), Some(kept));
            assert_eq!(terms.find(Functor::compound(cell), &[kept, one]), None);
        }
    }

    #[test]
    fn the_length_of_a_text_does_not_overflow() {
        let mut terms = Terms::new();
        let pair = terms.symbol("pair");
        let mut term = terms.constant(pair);
        for _ in 0..100 {
            term = terms.intern(Functor::compound(pair), &[term, term]);
        }
        assert_eq!(terms.written(term), u64::from(u32::MAX));
    }
}
