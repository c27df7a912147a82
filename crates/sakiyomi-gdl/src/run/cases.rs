//! The form in which a joint move is played: a residual, split into cases.
//!
//! Formulas that depend on nothing in common, such as the lines in which a move of reversi turns
//! pieces, are parts, each with cases of its own. In a part the state is asked about the live node
//! that most of its formulas depend on, and each answer folds them further; the cases are worked
//! out when they first occur. So most plies end as a short list of fluents, and a stone that falls
//! down a column finds its place by a few questions. Cases that are rare, and parts with too many
//! of them, are left to `forward.rs`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use crate::run::formula::{Code, Formulas, read};
use crate::run::live::{Live, LiveLit};
use crate::run::residual::{FROM_FALSE, FROM_TRUE, NOT_ALL, Residual};

/// Bytes of all transitions together.
pub(super) const MAX_BYTES: usize = 192 << 20;
/// Formulas of more gates than this are not split: there would be too many cases.
const MAX_GATES: usize = 600;
/// Cases of one part of a joint move.
const MAX_CASES: usize = 200;
/// Questions from the joint move to a case.
const MAX_QUESTIONS: usize = 24;

/// A residual in the form in which it is played: one list of numbers, so that it lies together.
///
/// For each fluent that may change there is an operation: the fluent, a head, and literals. The
/// condition is that all literals hold, or that not all do; the fluent changes if it differs from
/// the condition and the head lets it change from the value that it has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transition {
    operations: Vec<u32>,
    max_changes: usize,
    /// What is more than a condition.
    follows: Vec<(u32, Code)>,
    formulas: Formulas,
}

impl Transition {
    fn new(residual: &Residual) -> Transition {
        let mut transition = Transition::default();
        transition.extend(residual);
        transition.max_changes += transition.follows.len();
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
        self.max_changes += 1;
    }

    /// Notes what it changes.
    #[inline(always)]
    fn note(&self, live: &mut Live) {
        live.reserve_events(self.max_changes);
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
    /// Holds if the node's bit is set.
    question: LiveLit,
    residual: Residual,
    /// The cases in which the node's bit is clear and set.
    answers: [OnceLock<Box<Case>>; 2],
    /// How min_occurrences each of them occurred before it was worked out.
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
        if residual.gates.len() > MAX_GATES {
            return Case::Open(Box::new(Transition::new(&residual)));
        }
        let supports = residual.supports();
        let (plain, open): (Vec<Residual>, Vec<Residual>) =
            residual.parts(&supports).into_iter().partition(Residual::is_plain);
        // What is plain beside a single open part becomes plain in each of its cases. Parts in
        // which more would have to be asked than may be are left together: what most plies ask is
        // the same for all of them.
        let mut nodes = supports.concat();
        nodes.sort_unstable();
        nodes.dedup();
        let is_small = open.is_empty() || nodes.len() <= MAX_QUESTIONS * open.len();
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

    /// Notes what changes in a state. False if formulas would have to be computed that are more
    /// work than allowed; then what was noted is not all. A case is worked out when it has occurred
    /// `min_occurrences` times; `size` counts the bytes of all cases of the game. Parts have cases
    /// in turn; without being told, the compiler would take that recursion as a reason to call this
    /// at every ply.
    #[inline(always)]
    pub(crate) fn note(
        &self,
        live: &mut Live,
        min_occurrences: u32,
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
                Case::Parts(parts) => return parts.note(live, min_occurrences, size, allowed),
                Case::Open(unsplit) => return unsplit.note_formulas(live, allowed),
            };
            let is_set = live.holds(split.question);
            case = match split.answers[usize::from(is_set)].get() {
                Some(answer) => answer,
                None => match self.answer(split, is_set, min_occurrences, size) {
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
        is_set: bool,
        min_occurrences: u32,
        size: &AtomicUsize,
    ) -> Option<&'a Case> {
        let occurrences = &split.occurrences[usize::from(is_set)];
        if occurrences.fetch_add(1, Ordering::Relaxed) + 1 < min_occurrences
            || split.n_questions >= MAX_QUESTIONS
            || self.n_cases.load(Ordering::Relaxed) >= MAX_CASES
            || size.load(Ordering::Relaxed) >= MAX_BYTES
        {
            return None;
        }
        self.n_cases.fetch_add(1, Ordering::Relaxed);
        let residual = split.residual.assume(split.question >> 1, is_set);
        size.fetch_add(residual.bytes(), Ordering::Relaxed);
        Some(
            split.answers[usize::from(is_set)]
                .get_or_init(|| Box::new(Case::new(residual, split.n_questions + 1))),
        )
    }
}

impl Parts {
    #[inline(never)]
    fn note(
        &self,
        live: &mut Live,
        min_occurrences: u32,
        size: &AtomicUsize,
        allowed: &mut usize,
    ) -> bool {
        self.plain.note(live);
        self.open.iter().all(|cases| cases.note(live, min_occurrences, size, allowed))
    }
}
