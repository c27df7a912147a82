//! What a joint move leaves open about the next state, and its split into cases.
//!
//! A residual lists the fluents that become true or false, and formulas for the rest. Formulas that
//! depend on nothing in common, such as the lines in which a move of reversi turns pieces, are parts, each
//! with cases of its own. In a part the state is asked about the live node that most of its formulas
//! depend on, and each answer folds them further; the cases are worked out when they first occur. So most
//! plies end as a short list of fluents, and a stone that falls down a column finds its place by a few
//! questions. Cases that are rare, and parts with too many of them, are left to `forward.rs`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

use crate::eval::{Live, LiveLit};
use crate::formula::{ALWAYS, Code, Formulas, Gate, NEVER, gate_of, local, read};
use crate::transition::MOST_BYTES;

#[derive(Clone, Debug, Default)]
pub(crate) struct Residual {
    pub(crate) becomes_true: Vec<u32>,
    pub(crate) becomes_false: Vec<u32>,
    /// Fluents with the code of their next value.
    pub(crate) follows: Vec<(u32, Code)>,
    pub(crate) gates: Vec<Gate>,
}

impl Residual {
    /// The bytes that it takes, and a transition that is made of it, more or less.
    pub(crate) fn bytes(&self) -> usize {
        let gates: usize = self.gates.iter().map(|(_, inputs)| 40 + 12 * inputs.len()).sum();
        let n_changes = self.becomes_true.len() + self.becomes_false.len();
        300 + 16 * n_changes + 24 * self.follows.len() + gates
    }

    /// The live node on which most of the formulas depend.
    fn question(&self, supports: &[Vec<u32>]) -> Option<u32> {
        let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
        for &node in supports.iter().flatten() {
            *counts.entry(node).or_default() += 1;
        }
        // Among equals the lowest number, so that the same game always asks the same.
        counts.into_iter().max_by_key(|&(node, count)| (count, u32::MAX - node)).map(|best| best.0)
    }

    /// The live nodes on which each of the formulas depends; none where it is a single one.
    fn supports(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![usize::MAX; self.gates.len()];
        let support = |(i, &(_, code)): (usize, &(u32, Code))| {
            let mut nodes: Vec<u32> = Vec::new();
            let mut open: Vec<usize> = gate_of(code).into_iter().collect();
            while let Some(gate) = open.pop() {
                if std::mem::replace(&mut seen[gate], i) == i {
                    continue;
                }
                for &input in &self.gates[gate].1 {
                    match gate_of(input) {
                        Some(inner) => open.push(inner),
                        None => nodes.push(input >> 1),
                    }
                }
            }
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        self.follows.iter().enumerate().map(support).collect()
    }

    /// The formulas in parts that depend on no node together; none if all that are more than a node depend on each
    /// other.
    fn parts(&self, supports: &[Vec<u32>]) -> Vec<Residual> {
        // Each formula points to an earlier one of its part, or to itself.
        let mut leaders: Vec<usize> = (0..self.follows.len()).collect();
        let leader = |leaders: &[usize], mut i: usize| {
            while leaders[i] != i {
                i = leaders[i];
            }
            i
        };
        let mut first_readers: FxHashMap<u32, usize> = FxHashMap::default();
        for (i, nodes) in supports.iter().enumerate() {
            for &node in nodes {
                let other = *first_readers.entry(node).or_insert(i);
                let (a, b) = (leader(&leaders, i), leader(&leaders, other));
                leaders[a.max(b)] = a.min(b);
            }
        }
        let leads = |&i: &usize| leaders[i] == i && !supports[i].is_empty();
        if (0..leaders.len()).filter(leads).count() < 2 {
            return Vec::new();
        }
        let mut members: Vec<Vec<(u32, Code)>> = vec![Vec::new(); self.follows.len()];
        for (i, &follow) in self.follows.iter().enumerate() {
            members[leader(&leaders, i)].push(follow);
        }
        members.retain(|members| !members.is_empty());
        let part = |follows| {
            let mut part = Residual::default();
            part.keep_used(follows, &self.gates);
            part
        };
        members.into_iter().map(part).collect()
    }

    /// What is left when a live node is known to be high or low.
    fn assume(&self, node: u32, high: bool) -> Residual {
        let mut left = Residual {
            becomes_true: self.becomes_true.clone(),
            becomes_false: self.becomes_false.clone(),
            ..Residual::default()
        };
        let mut folded: Vec<Code> = Vec::with_capacity(self.gates.len());
        let mut gates: Vec<Gate> = Vec::new();
        let known = |code: Code, folded: &[Code]| match gate_of(code) {
            Some(gate) => negate_if(folded[gate], code & 1 == 1),
            None if code < NEVER && code >> 1 == node => constant(high != (code & 1 == 1)),
            None => code,
        };
        for (is_and, inputs) in &self.gates {
            let inputs = inputs.iter().map(|&code| known(code, &folded)).collect();
            folded.push(fold(*is_and, inputs, &mut gates));
        }
        let mut open = Vec::new();
        for &(fluent, code) in &self.follows {
            match known(code, &folded) {
                ALWAYS if fluent == node && high => {}
                NEVER if fluent == node && !high => {}
                ALWAYS => left.becomes_true.push(fluent),
                NEVER => left.becomes_false.push(fluent),
                code if code == fluent << 1 => {}
                code => open.push((fluent, code)),
            }
        }
        left.keep_used(open, &gates);
        left
    }

    /// Takes over formulas with the gates that they use.
    fn keep_used(&mut self, follows: Vec<(u32, Code)>, gates: &[Gate]) {
        let mut used = vec![false; gates.len()];
        for gate in follows.iter().filter_map(|&(_, code)| gate_of(code)) {
            used[gate] = true;
        }
        for gate in (0..gates.len()).rev().filter(|&gate| gates[gate].1.len() > 1) {
            if used[gate] {
                for inner in gates[gate].1.iter().filter_map(|&code| gate_of(code)) {
                    used[inner] = true;
                }
            }
        }
        let mut codes = vec![0; gates.len()];
        let renumber = |code: Code, codes: &[Code]| match gate_of(code) {
            Some(gate) => codes[gate] ^ (code & 1),
            None => code,
        };
        for (gate, (is_and, inputs)) in gates.iter().enumerate().filter(|(gate, _)| used[*gate]) {
            codes[gate] = local(self.gates.len());
            let inputs = inputs.iter().map(|&code| renumber(code, &codes)).collect();
            self.gates.push((*is_and, inputs));
        }
        self.follows =
            follows.into_iter().map(|(fluent, code)| (fluent, renumber(code, &codes))).collect();
    }
}

fn constant(value: bool) -> Code {
    if value { ALWAYS } else { NEVER }
}

fn negate_if(code: Code, negate: bool) -> Code {
    match code {
        ALWAYS | NEVER => constant((code == ALWAYS) != negate),
        _ => code ^ u32::from(negate),
    }
}

/// The code of a gate with these inputs; a gate is added only if something is left of it.
fn fold(is_and: bool, mut inputs: Vec<Code>, gates: &mut Vec<Gate>) -> Code {
    let (neutral, decides) = (constant(is_and), constant(!is_and));
    inputs.retain(|&code| code != neutral);
    inputs.sort_unstable();
    inputs.dedup();
    let opposed = inputs.windows(2).any(|pair| pair[0] ^ 1 == pair[1] && pair[1] < NEVER);
    match inputs[..] {
        _ if opposed || inputs.contains(&decides) => decides,
        [] => neutral,
        [code] => code,
        _ => {
            gates.push((is_and, inputs));
            local(gates.len() - 1)
        }
    }
}

/// A residual in the form in which it is played: one list of numbers, so that it lies together.
///
/// For each fluent that may change there is an operation: the fluent, a head, and literals. The
/// condition is that all literals hold, or that not all do; the fluent changes if it differs from the
/// condition and the head lets it change from the value that it has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transition {
    operations: Vec<u32>,
    n_most: usize,
    /// What is more than a condition.
    follows: Vec<(u32, Code)>,
    formulas: Formulas,
}

// The head of an operation: these bits, and above them the number of literals.
const FROM_FALSE: u32 = 1;
const FROM_TRUE: u32 = 2;
const NOT_ALL: u32 = 4;

impl Transition {
    fn new(residual: &Residual) -> Transition {
        let mut transition = Transition::default();
        transition.extend(residual);
        transition.n_most += transition.follows.len();
        if !transition.follows.is_empty() {
            transition.formulas = Formulas::new(&residual.gates);
        }
        transition
    }

    /// Adds operations for a residual. What is more than a condition is put aside.
    fn extend(&mut self, residual: &Residual) {
        for &fluent in &residual.becomes_true {
            self.add(fluent, FROM_FALSE | FROM_TRUE, &[]);
        }
        for &fluent in &residual.becomes_false {
            self.add(fluent, FROM_FALSE | FROM_TRUE | NOT_ALL, &[]);
        }
        for &(fluent, code) in &residual.follows {
            match residual.condition(fluent, code) {
                Some((head, literals)) => self.add(fluent, head, &literals),
                None => self.follows.push((fluent, code)),
            }
        }
    }

    fn add(&mut self, fluent: u32, head: u32, literals: &[LiveLit]) {
        self.operations.extend([fluent, head | (literals.len() as u32) << 3]);
        self.operations.extend(literals);
        self.n_most += 1;
    }

    /// Notes what it changes.
    #[inline(always)]
    fn note(&self, live: &mut Live) {
        live.reserve_events(self.n_most);
        let mut operations = &self.operations[..];
        while let [fluent, head, rest @ ..] = operations {
            let (literals, rest) = rest.split_at((head >> 3) as usize);
            operations = rest;
            let all = literals.iter().fold(true, |all, &literal| all & live.holds(literal));
            let condition = all != (head & NOT_ALL != 0);
            let now = live.fact(*fluent);
            let may_change = head >> u32::from(now) & 1 == 1;
            live.note(*fluent, now, (now != condition) & may_change);
        }
    }

    /// The same where formulas are left, if they are not more work than allowed.
    #[inline(never)]
    fn note_formulas(&self, live: &mut Live, allowed: &mut usize) -> bool {
        let work = self.operations.len() / 2 + self.formulas.n_inputs();
        if work > *allowed {
            return false;
        }
        *allowed -= work;
        self.note(live);
        let mut values = std::mem::take(&mut live.buffers.values);
        self.formulas.evaluate(live, &mut values);
        for &(fluent, code) in &self.follows {
            let now = live.fact(fluent);
            live.note(fluent, now, read(code, live, &values) != now);
        }
        live.buffers.values = values;
        true
    }
}

impl Residual {
    /// The head and the literals of an operation that is as good as the formula, if there is one.
    fn condition(&self, fluent: u32, code: Code) -> Option<(u32, Vec<LiveLit>)> {
        let Some(gate) = gate_of(code) else {
            return Some((FROM_FALSE | FROM_TRUE, vec![code]));
        };
        let (is_and, inputs) = &self.gates[gate];
        let own = fluent << 1;
        let others: Vec<Code> = inputs.iter().copied().filter(|&input| input != own).collect();
        let keeps = others.len() < inputs.len() && code & 1 == 0;
        if !keeps {
            let mut head = FROM_FALSE | FROM_TRUE;
            let negated = code & 1 == 1;
            let literals = self.conjunction(inputs, *is_and)?;
            // An Or holds if not all negations do.
            if *is_and == negated {
                head |= NOT_ALL;
            }
            return Some((head, literals));
        }
        match is_and {
            // Stays true only if the others hold.
            true => Some((FROM_TRUE, self.conjunction(&others, true)?)),
            // Becomes true if any of the others holds.
            false => match others[..] {
                [single] if gate_of(single).is_some() => {
                    let (head, literals) = self.condition(u32::MAX >> 1, single)?;
                    Some((head & NOT_ALL | FROM_FALSE, literals))
                }
                _ => Some((FROM_FALSE | NOT_ALL, self.conjunction(&others, false)?)),
            },
        }
    }

    /// The inputs of an And as live literals, with Ors of negations and Ands inside it taken apart;
    /// or the negations of the inputs of an Or.
    fn conjunction(&self, inputs: &[Code], is_and: bool) -> Option<Vec<LiveLit>> {
        let mut literals = Vec::new();
        let mut open: Vec<Code> = inputs.iter().map(|&code| code ^ u32::from(!is_and)).collect();
        while let Some(code) = open.pop() {
            match gate_of(code) {
                None => literals.push(code),
                Some(gate) => {
                    let (inner_and, inner) = &self.gates[gate];
                    // A negated Or is an And of negations; anything else is not a conjunction.
                    if *inner_and == (code & 1 == 1) {
                        return None;
                    }
                    open.extend(inner.iter().map(|&input| input ^ u32::from(!inner_and)));
                }
            }
            if literals.len() + open.len() > MOST_LITERALS {
                return None;
            }
        }
        Some(literals)
    }

    /// Whether operations do it: no formula needs to be computed, and there is little to look at.
    fn is_plain(&self) -> bool {
        let mut n_literals = 0;
        self.follows.iter().all(|&(fluent, code)| match self.condition(fluent, code) {
            Some((_, literals)) => {
                n_literals += literals.len();
                gate_of(code).is_none() || n_literals <= MOST_PLAIN
            }
            None => false,
        })
    }
}

/// Literals in one operation.
const MOST_LITERALS: usize = 8;
/// Literals in all operations of a transition that is not split any more.
const MOST_PLAIN: usize = 24;

/// Formulas of more gates than this are not split: there would be too many cases.
const MOST_GATES: usize = 600;
/// Cases of one part of a joint move.
const MOST_CASES: usize = 200;
/// Questions from the joint move to a case.
const MOST_QUESTIONS: usize = 24;

/// The cases of a joint move or of a part of it, as far as they have occurred.
#[derive(Debug)]
pub(crate) struct Cases {
    root: Case,
    n_cases: AtomicUsize,
}

#[derive(Debug)]
enum Case {
    /// Nothing more to ask.
    Leaf(Transition),
    Split(Box<Split>),
    Parts(Box<Parts>),
    /// Too large to be asked about.
    Open(Box<Transition>),
}

#[derive(Debug)]
struct Split {
    /// Holds if the node is high.
    question: LiveLit,
    residual: Residual,
    /// The cases in which the node is low and high.
    answers: [OnceLock<Box<Case>>; 2],
    /// How often each of them occurred before it was worked out.
    occurrences: [AtomicU32; 2],
    /// How many questions came before.
    n_questions: usize,
    /// What is played without asking.
    unsplit: Transition,
}

/// What has nothing in common.
#[derive(Debug)]
struct Parts {
    /// All that needs no questions.
    plain: Transition,
    open: Vec<Cases>,
}

impl Case {
    fn new(residual: Residual, n_questions: usize) -> Case {
        if residual.is_plain() {
            return Case::Leaf(Transition::new(&residual));
        }
        if residual.gates.len() > MOST_GATES {
            return Case::Open(Box::new(Transition::new(&residual)));
        }
        let supports = residual.supports();
        let (plain, open): (Vec<Residual>, Vec<Residual>) =
            residual.parts(&supports).into_iter().partition(Residual::is_plain);
        // What is plain beside a single open part becomes plain in each of its cases. Parts in which more would have to
        // be asked than may be are left together: what most plies ask is the same for all of them.
        let mut nodes = supports.concat();
        nodes.sort_unstable();
        nodes.dedup();
        let is_small = open.is_empty() || nodes.len() <= MOST_QUESTIONS * open.len();
        if plain.len() + open.len() > 1 && open.len() != 1 && is_small {
            let mut together = Transition::default();
            plain.iter().for_each(|part| together.extend(part));
            together.extend(&Residual { follows: Vec::new(), gates: Vec::new(), ..residual });
            let open = open.into_iter().map(Cases::new).collect();
            return Case::Parts(Box::new(Parts { plain: together, open }));
        }
        let unsplit = Transition::new(&residual);
        match residual.question(&supports) {
            None => Case::Open(Box::new(unsplit)),
            Some(node) => Case::Split(Box::new(Split {
                question: node << 1,
                residual,
                answers: [OnceLock::new(), OnceLock::new()],
                occurrences: [AtomicU32::new(0), AtomicU32::new(0)],
                n_questions,
                unsplit,
            })),
        }
    }
}

impl Cases {
    pub(crate) fn new(residual: Residual) -> Cases {
        Cases { root: Case::new(residual, 0), n_cases: AtomicUsize::new(1) }
    }

    /// Notes what changes in a state. False if formulas would have to be computed that are more work
    /// than allowed; then what was noted is not all. A case is worked out when it has occurred `often`;
    /// `size` counts the bytes of all cases of the game. Parts have cases in turn; without being told, the compiler
    /// would take that recursion as a reason to call this at every ply.
    #[inline(always)]
    pub(crate) fn note(
        &self,
        live: &mut Live,
        often: u32,
        size: &AtomicUsize,
        allowed: &mut usize,
    ) -> bool {
        let mut case = &self.root;
        loop {
            let split = match case {
                Case::Leaf(transition) => {
                    transition.note(live);
                    return true;
                }
                Case::Split(split) => split,
                Case::Parts(parts) => return parts.note(live, often, size, allowed),
                Case::Open(unsplit) => return unsplit.note_formulas(live, allowed),
            };
            let high = live.holds(split.question);
            case = match split.answers[usize::from(high)].get() {
                Some(answer) => answer,
                None => match self.answer(split, high, often, size) {
                    Some(answer) => answer,
                    None => return split.unsplit.note_formulas(live, allowed),
                },
            };
        }
    }

    /// Works out a case, unless it is rare or there is no room for it.
    #[cold]
    fn answer<'a>(
        &self,
        split: &'a Split,
        high: bool,
        often: u32,
        size: &AtomicUsize,
    ) -> Option<&'a Case> {
        let occurrences = &split.occurrences[usize::from(high)];
        if occurrences.fetch_add(1, Ordering::Relaxed) + 1 < often
            || split.n_questions >= MOST_QUESTIONS
            || self.n_cases.load(Ordering::Relaxed) >= MOST_CASES
            || size.load(Ordering::Relaxed) >= MOST_BYTES
        {
            return None;
        }
        self.n_cases.fetch_add(1, Ordering::Relaxed);
        let residual = split.residual.assume(split.question >> 1, high);
        size.fetch_add(residual.bytes(), Ordering::Relaxed);
        Some(
            split.answers[usize::from(high)]
                .get_or_init(|| Box::new(Case::new(residual, split.n_questions + 1))),
        )
    }
}

impl Parts {
    #[inline(never)]
    fn note(&self, live: &mut Live, often: u32, size: &AtomicUsize, allowed: &mut usize) -> bool {
        self.plain.note(live);
        self.open.iter().all(|cases| cases.note(live, often, size, allowed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_no_node() {
        // Fluents 0 and 1 depend on node 9, fluent 2 on others, fluent 3 on a single node.
        let residual = Residual {
            follows: vec![(0, local(0)), (1, local(1)), (2, local(2)), (3, 18)],
            gates: vec![(true, vec![18, 20]), (false, vec![19, 22]), (true, vec![24, 26])],
            ..Residual::default()
        };
        let parts = residual.parts(&residual.supports());
        let fluents: Vec<Vec<u32>> =
            parts.iter().map(|part| part.follows.iter().map(|follow| follow.0).collect()).collect();
        assert_eq!(fluents, [vec![0, 1], vec![2], vec![3]]);
        assert_eq!(parts[1].gates, [(true, vec![24, 26])]);
    }
}
