//! Small pieces of a network that are computed on demand, on top of the live nodes: goals, and the
//! parts of a transition that depend on the state.

use rustc_hash::FxHashMap;

use crate::network::gates::{Lit, is_negated, node_of};
use crate::run::buffers::Counts;
use crate::run::live::{Live, LiveLit};

/// Either a live literal, or a gate of the formulas: its number doubled, plus one if negated, with
/// the highest bit set.
pub(crate) type Code = u32;

const LOCAL: u32 = 1 << 31;

/// Codes of what always and what never holds. They fold away and are never read.
pub(crate) const ALWAYS: Code = u32::MAX;
pub(crate) const NEVER: Code = u32::MAX - 1;

#[derive(Clone, Debug, Default)]
pub(crate) struct Formulas {
    /// Where the inputs of each gate end, doubled, plus one for an And.
    gates: Vec<u32>,
    inputs: Vec<Code>,
}

/// A gate of formulas: whether it is an And, and what it reads.
pub(crate) type Gate = (bool, Vec<Code>);

/// What is needed to know literals beyond the live nodes, and the codes of the literals. `live_lit`
/// is the live form of a literal, if it has one; `gate` says whether a node is an And, and what it
/// reads; numbers of inputs are lower than those of readers.
pub(crate) fn localise<'a>(
    lits: &[Lit],
    live_lit: impl Fn(Lit) -> Option<LiveLit>,
    gate: impl Fn(usize) -> (bool, &'a [Lit]),
) -> (Vec<Gate>, Vec<Code>) {
    let mut missing: Vec<usize> = Vec::new();
    let mut codes: FxHashMap<usize, Code> = FxHashMap::default();
    let mut open: Vec<Lit> = lits.to_vec();
    while let Some(lit) = open.pop() {
        let node = node_of(lit);
        if live_lit(lit).is_none() && codes.insert(node, 0).is_none() {
            missing.push(node);
            open.extend(gate(node).1);
        }
    }
    missing.sort_unstable();
    let code_of = |codes: &FxHashMap<usize, Code>, lit: Lit| match live_lit(lit) {
        Some(live) => live,
        None => codes[&node_of(lit)] ^ u32::from(is_negated(lit)),
    };
    let mut gates = Vec::new();
    for node in missing {
        let (is_and, inputs) = gate(node);
        let inputs = inputs.iter().map(|&lit| code_of(&codes, lit)).collect();
        codes.insert(node, local(gates.len()));
        gates.push((is_and, inputs));
    }
    let lits = lits.iter().map(|&lit| code_of(&codes, lit)).collect();
    (gates, lits)
}

/// The code of a gate.
pub(crate) fn local(gate: usize) -> Code {
    LOCAL | (gate as u32) << 1
}

/// The number of the gate that a code refers to, if it does not refer to a live node.
pub(crate) fn gate_of(code: Code) -> Option<usize> {
    (code & LOCAL != 0 && code < NEVER).then_some((code & !LOCAL) as usize >> 1)
}

impl Formulas {
    pub(crate) fn new(gates: &[Gate]) -> Formulas {
        let mut formulas = Formulas::default();
        for (is_and, inputs) in gates {
            let start = formulas.inputs.len();
            formulas.inputs.extend(inputs);
            // Live nodes come first: they are known, and most often decide.
            formulas.inputs[start..].sort_unstable();
            formulas.gates.push((formulas.inputs.len() as u32) << 1 | u32::from(*is_and));
        }
        formulas
    }

    pub(crate) fn n_inputs(&self) -> usize {
        self.inputs.len()
    }

    pub(crate) fn evaluate(&self, live: &Live, values: &mut Vec<bool>) {
        values.clear();
        let mut start = 0;
        for &gate in &self.gates {
            let end = (gate >> 1) as usize;
            let is_and = gate & 1 == 1;
            let inputs = &self.inputs[start..end];
            start = end;
            // An And is false as soon as an input is, an Or true.
            let decided = inputs.iter().any(|&code| read(code, live, values) != is_and);
            values.push(decided != is_and);
        }
    }
}

/// Formulas whose gates are counted like live ones, starting from one state: for large formulas of
/// which a state changes little.
#[derive(Debug)]
pub(crate) struct Counting {
    /// The live nodes that are read, and whether their bits are set in the first state.
    sources: Vec<(u32, bool)>,
    /// Where the edges of each source, and then of each gate, end. An edge is twice a gate, plus
    /// one if its count grows when the source's bit is set, or the gate before it becomes true.
    ends: Vec<u32>,
    edges: Vec<u32>,
    is_and: Vec<bool>,
    /// How many inputs keep each gate from the value that it has otherwise, in the first state.
    counts: Vec<u16>,
}

impl Counting {
    /// `gates` come after the gates that they read.
    pub(crate) fn new(formulas: &Formulas, first: &Live) -> Counting {
        let mut values = Vec::new();
        formulas.evaluate(first, &mut values);
        let lives = formulas.inputs.iter().filter(|&&code| gate_of(code).is_none());
        let mut numbers: Vec<u32> = lives.map(|&code| code >> 1).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let n_gates = formulas.gates.len();
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); numbers.len() + n_gates];
        let (mut is_and, mut counts) = (Vec::new(), Vec::new());
        let mut start = 0;
        for (number, &gate) in formulas.gates.iter().enumerate() {
            let and = gate & 1 == 1;
            let inputs = &formulas.inputs[start..(gate >> 1) as usize];
            start = (gate >> 1) as usize;
            // An And counts what is false, an Or what is true.
            let against = inputs.iter().filter(|&&code| read(code, first, &values) != and);
            counts.push(against.count() as u16);
            is_and.push(and);
            for &code in inputs {
                let from = match gate_of(code) {
                    Some(inner) => numbers.len() + inner,
                    None => numbers.binary_search(&(code >> 1)).unwrap_or_default(),
                };
                let grows = and == (code & 1 == 1);
                edges[from].push((number as u32) << 1 | u32::from(grows));
            }
        }
        let mut counting = Counting {
            sources: numbers.into_iter().map(|number| (number, first.holds(number << 1))).collect(),
            ends: Vec::new(),
            edges: Vec::new(),
            is_and,
            counts,
        };
        for own in edges {
            counting.edges.extend(own);
            counting.ends.push(counting.edges.len() as u32);
        }
        counting
    }

    /// Counts for a state. [`Counting::undo`] must follow before the next one.
    pub(crate) fn count(&self, live: &Live, counts: &mut Counts) {
        counts.counts.extend_from_slice(&self.counts[counts.counts.len()..]);
        counts.changed.resize(self.counts.len() / 64 + 1, 0);
        for (i, &(number, first)) in self.sources.iter().enumerate() {
            let is_set = live.holds(number << 1);
            if is_set != first {
                self.follow(i, is_set, counts);
            }
        }
        for at in 0..counts.changed.len() {
            // What follows from a change has a higher number, maybe in the same word.
            while counts.changed[at] != 0 {
                let word = counts.changed[at];
                counts.changed[at] = word & (word - 1);
                let gate = at * 64 + word.trailing_zeros() as usize;
                self.follow(self.sources.len() + gate, self.holds(gate, counts), counts);
            }
        }
    }

    fn follow(&self, from: usize, is_set: bool, counts: &mut Counts) {
        counts.followed.push((from as u32) << 1 | u32::from(is_set));
        for &edge in self.edges_of(from) {
            let gate = (edge >> 1) as usize;
            let grows = (edge & 1 == 1) == is_set;
            let old = counts.counts[gate];
            counts.counts[gate] = if grows { old + 1 } else { old - 1 };
            let crosses = old == u16::from(!grows);
            counts.changed[gate / 64] ^= u64::from(crosses) << (gate % 64);
        }
    }

    /// Goes back to the first state. Returns how many edges there were to look at.
    pub(crate) fn undo(&self, counts: &mut Counts) -> usize {
        let mut n_edges = self.sources.len();
        for change in counts.followed.drain(..) {
            let edges = self.edges_of((change >> 1) as usize);
            n_edges += 2 * edges.len();
            for &edge in edges {
                let count = &mut counts.counts[(edge >> 1) as usize];
                *count = if edge & 1 == change & 1 { *count - 1 } else { *count + 1 };
            }
        }
        n_edges
    }

    /// Whether a code holds in the state that was counted.
    pub(crate) fn read(&self, code: Code, live: &Live, counts: &Counts) -> bool {
        match gate_of(code) {
            Some(gate) => self.holds(gate, counts) != (code & 1 == 1),
            None => live.holds(code),
        }
    }

    fn holds(&self, gate: usize, counts: &Counts) -> bool {
        (counts.counts[gate] == 0) == self.is_and[gate]
    }

    fn edges_of(&self, from: usize) -> &[u32] {
        let start = from.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[start as usize..self.ends[from] as usize]
    }
}

#[inline]
pub(crate) fn read(code: Code, live: &Live, values: &[bool]) -> bool {
    if code & LOCAL == 0 {
        return live.holds(code as LiveLit);
    }
    values[(code & !LOCAL) as usize >> 1] != (code & 1 == 1)
}
