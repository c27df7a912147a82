//! The set of ground atoms that are known to hold or to be possible, with indexes for joins.
//!
//! An index is made for a shape of access: which parts of the arguments are given. It maps the hash
//! of the given parts to the facts that have them; the reader compares again, so that a collision
//! of hashes costs time and nothing else.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use crate::read::term::{Functor, TermId, Terms, vec_bytes};

/// The number of a predicate: a functor with a number of arguments.
pub(crate) type Predicate = usize;

/// What an access knows of one argument.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Shape {
    Given,
    Free,
    /// A function term with this head, and what is known of its arguments.
    Inside(Functor, Vec<Shape>),
}

#[derive(Clone, Debug)]
struct Index {
    predicate: Predicate,
    shape: Vec<Shape>,
    /// How many facts of the predicate are already in the map.
    n_entered: usize,
    map: FxHashMap<u64, Vec<TermId>>,
}

impl Index {
    fn bytes(&self) -> u64 {
        // A place in the map, its control byte, and a list of its own with what the allocator adds.
        (self.map.capacity() * 33 + self.map.len() * 32 + self.n_entered * 6) as u64
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    predicates: FxHashMap<(Functor, usize), Predicate>,
    lists: Vec<Vec<TermId>>,
    known: BitSet,
    indexes: Vec<Index>,
    by_shape: FxHashMap<(Predicate, Vec<Shape>), usize>,
}

impl Facts {
    pub(crate) fn predicate(&mut self, key: (Functor, usize)) -> Predicate {
        let next = self.lists.len();
        let predicate = *self.predicates.entry(key).or_insert(next);
        if predicate == next {
            self.lists.push(Vec::new());
        }
        predicate
    }

    pub(crate) fn n_predicates(&self) -> usize {
        self.lists.len()
    }

    /// The predicate of a key, if there is one.
    pub(crate) fn find_predicate(&self, key: (Functor, usize)) -> Option<Predicate> {
        self.predicates.get(&key).copied()
    }

    /// How many facts there are.
    pub(crate) fn len(&self) -> usize {
        self.lists.iter().map(Vec::len).sum()
    }

    /// The bytes that facts and indexes take, more or less.
    pub(crate) fn bytes(&self) -> u64 {
        let lists: u64 = self.lists.iter().map(vec_bytes).sum();
        let indexes: u64 = self.indexes.iter().map(Index::bytes).sum();
        lists + indexes + vec_bytes(&self.known.0)
    }

    pub(crate) fn list(&self, predicate: Predicate) -> &[TermId] {
        &self.lists[predicate]
    }

    pub(crate) fn contains(&self, atom: TermId) -> bool {
        self.known.contains(atom as usize)
    }

    pub(crate) fn insert(&mut self, atom: TermId, predicate: Predicate) -> bool {
        let new = self.known.insert(atom as usize);
        if new {
            self.lists[predicate].push(atom);
        }
        new
    }

    pub(crate) fn index(&mut self, predicate: Predicate, shape: Vec<Shape>) -> usize {
        let next = self.indexes.len();
        let index = *self.by_shape.entry((predicate, shape.clone())).or_insert(next);
        if index == next {
            self.indexes.push(Index { predicate, shape, n_entered: 0, map: FxHashMap::default() });
        }
        index
    }

    /// Enters the facts that came since the last time.
    pub(crate) fn refresh(&mut self, index: usize, terms: &Terms) {
        let index = &mut self.indexes[index];
        let list = &self.lists[index.predicate];
        for &fact in &list[index.n_entered..] {
            let mut hasher = FxHasher::default();
            let fits = (index.shape.iter().zip(terms.arguments(fact)))
                .all(|(shape, &argument)| hash_given(shape, argument, terms, &mut hasher));
            if fits {
                index.map.entry(hasher.finish()).or_default().push(fact);
            }
        }
        index.n_entered = list.len();
    }

    /// The facts of the index that may have the parts with this hash.
    pub(crate) fn lookup(&self, index: usize, hash: u64) -> &[TermId] {
        self.indexes[index].map.get(&hash).map_or(&[], Vec::as_slice)
    }
}

fn hash_given(shape: &Shape, term: TermId, terms: &Terms, hasher: &mut FxHasher) -> bool {
    match shape {
        Shape::Free => true,
        Shape::Given => {
            hasher.write_u32(term);
            true
        }
        Shape::Inside(functor, shapes) => {
            let arguments = terms.arguments(term);
            terms.functor(term) == *functor
                && arguments.len() == shapes.len()
                && (shapes.iter().zip(arguments))
                    .all(|(shape, &argument)| hash_given(shape, argument, terms, hasher))
        }
    }
}

/// A set of small numbers that grows by itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitSet(Vec<u64>);

impl BitSet {
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Whether the number is new.
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        if number / 64 >= self.0.len() {
            self.0.resize((number / 64 + 1).next_power_of_two(), 0);
        }
        let word = &mut self.0[number / 64];
        let new = *word >> (number % 64) & 1 == 0;
        *word |= 1 << (number % 64);
        new
    }
}
