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
            formulas.inputs.extend(inputs);
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

#[inline]
pub(crate) fn read(code: Code, live: &Live, values: &[bool]) -> bool {
    if code & LOCAL == 0 {
        return live.holds(code as LiveLit);
    }
    values[(code & !LOCAL) as usize >> 1] != (code & 1 == 1)
}
