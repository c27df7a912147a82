//! Small pieces of a network that are computed on demand, on top of the live nodes: goals, and the
//! parts of a transition that depend on the state.

use rustc_hash::FxHashMap;

use crate::eval::{Layout, Live, LiveLit};
use crate::network::{Lit, is_negated, node_of};

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

/// What is needed to know literals beyond the live nodes, and the codes of the literals. `gate` says
/// whether a node is an And, and what it reads; numbers of inputs are lower than those of readers.
pub(crate) fn localise<'a>(
    lits: &[Lit],
    layout: &Layout,
    gate: &dyn Fn(usize) -> (bool, &'a [Lit]),
) -> (Vec<Gate>, Vec<Code>) {
    let mut missing: Vec<usize> = Vec::new();
    let mut codes: FxHashMap<usize, Code> = FxHashMap::default();
    let mut open: Vec<Lit> = lits.to_vec();
    while let Some(lit) = open.pop() {
        let node = node_of(lit);
        if layout.try_live_lit(lit).is_none() && codes.insert(node, 0).is_none() {
            missing.push(node);
            open.extend(gate(node).1);
        }
    }
    missing.sort_unstable();
    let code_of = |codes: &FxHashMap<usize, Code>, lit: Lit| match layout.try_live_lit(lit) {
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

    pub(crate) fn n_gates(&self) -> usize {
        self.gates.len()
    }

    pub(crate) fn n_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Where the inputs of a gate start.
    fn start(&self, gate: usize) -> u32 {
        gate.checked_sub(1).map_or(0, |before| self.gates[before] >> 1)
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

/// What is known of gates while formulas are computed on demand: only what is asked for, until it is
/// decided. Nothing is known between calls.
#[derive(Debug, Default)]
pub(crate) struct Demand {
    /// `UNKNOWN`, or the value.
    known: Vec<u8>,
    touched: Vec<u32>,
    /// Gates that wait for an input, each with the place of that input.
    open: Vec<(u32, u32)>,
}

const UNKNOWN: u8 = 2;

impl Demand {
    pub(crate) fn begin(&mut self, formulas: &Formulas) {
        self.known.resize(formulas.gates.len(), UNKNOWN);
    }

    /// Forgets everything. Returns how many gates had to be computed.
    pub(crate) fn end(&mut self) -> usize {
        let n = self.touched.len();
        for gate in self.touched.drain(..) {
            self.known[gate as usize] = UNKNOWN;
        }
        n
    }

    /// Whether a code holds.
    pub(crate) fn ask(&mut self, code: Code, formulas: &Formulas, live: &Live) -> bool {
        if let Some(gate) = gate_of(code) {
            if self.known[gate] == UNKNOWN {
                self.open.push((gate as u32, formulas.start(gate)));
            }
            while let Some((gate, at)) = self.open.pop() {
                self.go_on(gate, at, formulas, live);
            }
            return self.known[gate] == u8::from(code & 1 == 0);
        }
        live.holds(code)
    }

    /// Reads the inputs of a gate from a place on, until it is decided or needs another gate first.
    fn go_on(&mut self, gate: u32, start: u32, formulas: &Formulas, live: &Live) {
        let own = formulas.gates[gate as usize];
        let is_and = own & 1 == 1;
        let mut decided = false;
        for at in start..own >> 1 {
            let code = formulas.inputs[at as usize];
            let value = match gate_of(code) {
                None => live.holds(code),
                Some(inner) if self.known[inner] == UNKNOWN => {
                    self.open.push((gate, at));
                    self.open.push((inner as u32, formulas.start(inner)));
                    return;
                }
                Some(inner) => self.known[inner] == u8::from(code & 1 == 0),
            };
            if value != is_and {
                decided = true;
                break;
            }
        }
        self.known[gate as usize] = u8::from(decided != is_and);
        self.touched.push(gate);
    }
}

#[inline]
pub(crate) fn read(code: Code, live: &Live, values: &[bool]) -> bool {
    if code & LOCAL == 0 {
        return live.holds(code as LiveLit);
    }
    values[(code & !LOCAL) as usize >> 1] != (code & 1 == 1)
}
