//! Joins: finds every way to satisfy the body of a rule with known facts.
//!
//! A rule is compiled into steps, cheapest first: tests run as soon as their variables are bound,
//! and a scan goes through an index over the parts that are already known.

use std::hash::Hasher;
use std::sync::Arc;

use rustc_hash::FxHasher;

use crate::ground::facts::{BitSet, Facts, Predicate, Shape};
use crate::ground::meter::Meter;
use crate::read::parse::{Atom, Literal, Pattern, Rule, RulePlace};
use crate::read::term::{Functor, NO_TERM, TermId, Terms, vec_bytes};

/// How the literals of a rule take part in a join.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// Satisfied by the known facts, or by their absence.
    Exact,
    /// A positive literal is satisfied by possible facts, a negative one is not looked at.
    Possible,
}

/// A term to be built from bound variables.
#[derive(Clone, Debug)]
pub(crate) enum Build {
    Known(TermId),
    Variable(usize),
    Compound(Functor, Vec<Build>),
}

/// A compiled rule.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    n_variables: usize,
    /// The literal that runs over new facts only, if the plan is for new facts.
    first: Option<Vec<Match>>,
    steps: Vec<Step>,
    pub(crate) head: Build,
    pub(crate) head_predicate: Predicate,
    /// The step before which the head is complete.
    head_at: usize,
    pub(crate) place: Arc<RulePlace>,
    /// The dynamic literals, which become the body of a ground rule; true means negative.
    pub(crate) body: Vec<(Build, bool)>,
}

#[derive(Clone, Debug)]
enum Step {
    Scan { index: usize, keys: Vec<Key>, arguments: Vec<Match> },
    Holds { atom: Build, expected: bool },
    Equal { left: Build, right: Build, expected: bool },
}

#[derive(Clone, Copy, Debug)]
enum Key {
    Known(TermId),
    Variable(usize),
}

/// What an argument of a fact must look like.
#[derive(Clone, Debug)]
enum Match {
    Known(TermId),
    Bind(usize),
    Check(usize),
    Inside(Functor, Vec<Match>),
}

/// Receives the solutions of a join.
pub(crate) trait Sink {
    /// Whether a solution with this head is of no interest, so that the rest need not be searched.
    fn knows(&mut self, head: TermId) -> bool;
    /// Whether the join must end, since it costs too much.
    fn gives_up(&self) -> bool;
    /// Counts a fact that was looked at, whether it fits or not. False ends the join.
    fn looked(&mut self, facts: &Facts, terms: &Terms) -> bool;
    /// One solution. False ends the join.
    fn solution(
        &mut self,
        plan: &Plan,
        variables: &[TermId],
        facts: &Facts,
        terms: &mut Terms,
    ) -> bool;
}

impl Plan {
    /// Compiles a rule. `use_of` says how a predicate takes part; `first` is the body literal that
    /// runs over new facts. Every variable is bound by a positive literal (the check sees to it).
    pub(crate) fn new(
        rule: &Rule,
        use_of: &dyn Fn(&Atom) -> Use,
        first: Option<usize>,
        facts: &mut Facts,
        terms: &mut Terms,
    ) -> Plan {
        let mut compiler = Compiler { bound: vec![false; rule.variables.len()], facts, terms };
        let mut open: Vec<usize> = (0..rule.body.len()).collect();
        let mut body = Vec::new();
        open.retain(|&i| {
            let (atom, negative) = match &rule.body[i] {
                Literal::Positive(atom) => (atom, false),
                Literal::Negative(atom) => (atom, true),
                _ => return true,
            };
            if use_of(atom) == Use::Possible {
                body.push((compiler.build_atom(atom), negative));
                return !negative;
            }
            true
        });
        let first = first.map(|i| {
            open.retain(|&other| other != i);
            let Literal::Positive(atom) = &rule.body[i] else {
                unreachable!("only positive literals are scanned")
            };
            compiler.scan(atom).1
        });
        let mut steps = Vec::new();
        let mut head_at = None;
        loop {
            let mut tests: Vec<usize> = Vec::new();
            open.retain(|&i| {
                let ready = compiler.is_bound(&rule.body[i]);
                tests.extend(ready.then_some(i));
                !ready
            });
            steps.extend(tests.iter().map(|&i| compiler.test(&rule.body[i])));
            if head_at.is_none() && compiler.binds_atom(&rule.head) {
                head_at = Some(steps.len());
            }
            let Some(best) = compiler.cheapest(&open, rule) else { break };
            open.retain(|&other| other != best);
            let Literal::Positive(atom) = &rule.body[best] else {
                unreachable!("only positive literals are scanned")
            };
            let (keys_and_shape, arguments) = compiler.scan(atom);
            let predicate = compiler.facts.predicate(atom.key());
            let index = compiler.facts.index(predicate, keys_and_shape.1);
            steps.push(Step::Scan { index, keys: keys_and_shape.0, arguments });
        }
        let head_at = head_at.unwrap_or(steps.len());
        let head = compiler.build_atom(&rule.head);
        let head_predicate = compiler.facts.predicate(rule.head.key());
        let n_variables = rule.variables.len();
        let place = Arc::clone(&rule.place);
        Plan { n_variables, first, steps, head, head_predicate, head_at, place, body }
    }

    /// Finds all solutions, or those in which the first literal is one of `new`.
    pub(crate) fn run(
        &self,
        new: &[TermId],
        facts: &mut Facts,
        terms: &mut Terms,
        sink: &mut impl Sink,
    ) -> bool {
        for step in &self.steps {
            if let Step::Scan { index, .. } = step {
                facts.refresh(*index, terms);
            }
        }
        let mut variables = vec![NO_TERM; self.n_variables];
        let Some(first) = &self.first else {
            return self.step(0, &mut variables, facts, terms, sink);
        };
        for &fact in new {
            if !sink.looked(facts, terms) {
                return false;
            }
            if matches_all(first, terms.arguments(fact), &mut variables, terms)
                && !self.step(0, &mut variables, facts, terms, sink)
            {
                return false;
            }
        }
        true
    }

    fn step(
        &self,
        at: usize,
        variables: &mut [TermId],
        facts: &Facts,
        terms: &mut Terms,
        sink: &mut impl Sink,
    ) -> bool {
        if at == self.head_at
            && find(&self.head, variables, terms).is_some_and(|head| sink.knows(head))
        {
            return !sink.gives_up();
        }
        let Some(step) = self.steps.get(at) else {
            return sink.solution(self, variables, facts, terms);
        };
        match step {
            Step::Holds { atom, expected } => {
                let holds = find(atom, variables, terms).is_some_and(|atom| facts.contains(atom));
                holds != *expected || self.step(at + 1, variables, facts, terms, sink)
            }
            Step::Equal { left, right, expected } => {
                let equal = make(left, variables, terms) == make(right, variables, terms);
                equal != *expected || self.step(at + 1, variables, facts, terms, sink)
            }
            Step::Scan { index, keys, arguments } => {
                let mut hasher = FxHasher::default();
                for key in keys {
                    hasher.write_u32(match *key {
                        Key::Known(term) => term,
                        Key::Variable(variable) => variables[variable],
                    });
                }
                for &fact in facts.lookup(*index, hasher.finish()) {
                    if !sink.looked(facts, terms) {
                        return false;
                    }
                    if matches_all(arguments, terms.arguments(fact), variables, terms)
                        && !self.step(at + 1, variables, facts, terms, sink)
                    {
                        return false;
                    }
                }
                true
            }
        }
    }
}

/// Facts that a join derives for the first time.
#[derive(Debug)]
pub(crate) struct NewFacts<'a, 'b> {
    pub(crate) seen: &'a mut BitSet,
    pub(crate) fresh: Vec<(TermId, Predicate)>,
    pub(crate) meter: &'a mut Meter<'b>,
}

impl Sink for NewFacts<'_, '_> {
    fn knows(&mut self, head: TermId) -> bool {
        let known = self.seen.contains(head as usize);
        if known {
            self.meter.tick(|| (0, 0));
        }
        known
    }

    fn gives_up(&self) -> bool {
        self.meter.is_over()
    }

    fn looked(&mut self, facts: &Facts, terms: &Terms) -> bool {
        let NewFacts { fresh, meter, .. } = self;
        meter.work(1, || made(fresh, facts, terms));
        !meter.is_over()
    }

    fn solution(
        &mut self,
        plan: &Plan,
        variables: &[TermId],
        facts: &Facts,
        terms: &mut Terms,
    ) -> bool {
        let head = make(&plan.head, variables, terms);
        self.meter.note_written(terms.written(head));
        if self.seen.insert(head as usize) {
            self.fresh.push((head, plan.head_predicate));
        }
        let fresh = &self.fresh;
        self.meter.tick(|| made(fresh, facts, terms));
        !self.meter.is_over()
    }
}

/// How many facts there are with those that are new, and the bytes of all.
fn made(fresh: &Vec<(TermId, Predicate)>, facts: &Facts, terms: &Terms) -> (usize, u64) {
    // A new fact is listed, and a move or a fluent becomes one more fact; the set of heads that were
    // seen has up to two bits per term.
    let lists = vec_bytes(fresh) + 56 * fresh.len() as u64 + terms.len() as u64 / 4;
    let bytes = terms.bytes() + facts.bytes() + lists;
    (facts.len() + fresh.len(), bytes)
}

/// Builds a term that may be new.
pub(crate) fn make(build: &Build, variables: &[TermId], terms: &mut Terms) -> TermId {
    match build {
        Build::Known(term) => *term,
        Build::Variable(variable) => variables[*variable],
        Build::Compound(functor, parts) => {
            let mut buffer = Buffer::new(parts.len());
            for (slot, part) in buffer.slots(parts.len()).iter_mut().zip(parts) {
                *slot = make(part, variables, terms);
            }
            terms.intern(*functor, buffer.slots(parts.len()))
        }
    }
}

/// Finds a term if it exists already.
pub(crate) fn find(build: &Build, variables: &[TermId], terms: &Terms) -> Option<TermId> {
    match build {
        Build::Known(term) => Some(*term),
        Build::Variable(variable) => Some(variables[*variable]),
        Build::Compound(functor, parts) => {
            let mut buffer = Buffer::new(parts.len());
            for (slot, part) in buffer.slots(parts.len()).iter_mut().zip(parts) {
                *slot = find(part, variables, terms)?;
            }
            terms.find(*functor, buffer.slots(parts.len()))
        }
    }
}

/// Arguments on the stack unless there are many.
pub(crate) struct Buffer {
    few: [TermId; 12],
    many: Vec<TermId>,
}

impl Buffer {
    pub(crate) fn new(length: usize) -> Buffer {
        Buffer {
            few: [NO_TERM; 12],
            many: if length > 12 { vec![NO_TERM; length] } else { vec![] },
        }
    }

    pub(crate) fn slots(&mut self, length: usize) -> &mut [TermId] {
        if length > 12 { &mut self.many } else { &mut self.few[..length] }
    }
}

fn matches_all(
    patterns: &[Match],
    arguments: &[TermId],
    variables: &mut [TermId],
    terms: &Terms,
) -> bool {
    patterns.len() == arguments.len()
        && (patterns.iter().zip(arguments)).all(|(pattern, &argument)| match pattern {
            Match::Known(term) => *term == argument,
            Match::Check(variable) => variables[*variable] == argument,
            Match::Bind(variable) => {
                variables[*variable] = argument;
                true
            }
            Match::Inside(functor, inner) => {
                terms.functor(argument) == *functor
                    && matches_all(inner, terms.arguments(argument), variables, terms)
            }
        })
}

/// Turns a pattern into a term to be built; parts without variables are built at once.
pub(crate) fn build_pattern(pattern: &Pattern, terms: &mut Terms) -> Build {
    match pattern {
        Pattern::Variable(variable) => Build::Variable(*variable),
        Pattern::Constant(symbol) => Build::Known(terms.constant(*symbol)),
        Pattern::Compound(symbol, arguments) => {
            build_compound(Functor::compound(*symbol), arguments, terms)
        }
    }
}

pub(crate) fn build_compound(functor: Functor, arguments: &[Pattern], terms: &mut Terms) -> Build {
    let parts: Vec<Build> = arguments.iter().map(|part| build_pattern(part, terms)).collect();
    let known: Option<Vec<TermId>> = parts
        .iter()
        .map(|part| match part {
            Build::Known(term) => Some(*term),
            _ => None,
        })
        .collect();
    match known {
        Some(known) => Build::Known(terms.intern(functor, &known)),
        None => Build::Compound(functor, parts),
    }
}

struct Compiler<'a> {
    bound: Vec<bool>,
    facts: &'a mut Facts,
    terms: &'a mut Terms,
}

impl Compiler<'_> {
    fn build_atom(&mut self, atom: &Atom) -> Build {
        build_compound(atom.functor(), &atom.arguments, self.terms)
    }

    fn is_bound(&self, literal: &Literal) -> bool {
        let mut all = true;
        literal.for_each_variable(&mut |variable| all &= self.bound[variable]);
        all
    }

    fn binds_atom(&self, atom: &Atom) -> bool {
        self.is_bound(&Literal::Positive(atom.clone()))
    }

    fn test(&mut self, literal: &Literal) -> Step {
        match literal {
            Literal::Positive(atom) => Step::Holds { atom: self.build_atom(atom), expected: true },
            Literal::Negative(atom) => Step::Holds { atom: self.build_atom(atom), expected: false },
            Literal::Distinct(left, right) | Literal::Same(left, right) => Step::Equal {
                left: build_pattern(left, self.terms),
                right: build_pattern(right, self.terms),
                expected: matches!(literal, Literal::Same(..)),
            },
        }
    }

    /// The positive literal with the fewest expected matches, in which every free part counts as
    /// if the facts filled a cube evenly.
    fn cheapest(&mut self, open: &[usize], rule: &Rule) -> Option<usize> {
        let mut best = None;
        for &i in open {
            let Literal::Positive(atom) = &rule.body[i] else { continue };
            let predicate = self.facts.predicate(atom.key());
            let n_facts = match self.facts.list(predicate).len() {
                0 => 1000.0,
                n => n as f64,
            };
            let (mut free, mut leaves) = (0.0, 0.0);
            for argument in &atom.arguments {
                self.count_leaves(argument, &mut free, &mut leaves);
            }
            let cost = n_facts.powf(free / f64::max(leaves, 1.0));
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, i));
            }
        }
        best.map(|(_, i)| i)
    }

    fn count_leaves(&self, pattern: &Pattern, free: &mut f64, leaves: &mut f64) {
        match pattern {
            Pattern::Variable(variable) => {
                *leaves += 1.0;
                *free += f64::from(u8::from(!self.bound[*variable]));
            }
            Pattern::Constant(_) => *leaves += 1.0,
            Pattern::Compound(_, parts) => {
                parts.iter().for_each(|part| self.count_leaves(part, free, leaves));
            }
        }
    }

    /// Compiles the access to an atom and binds its variables.
    fn scan(&mut self, atom: &Atom) -> ((Vec<Key>, Vec<Shape>), Vec<Match>) {
        let before = self.bound.clone();
        let mut keys = Vec::new();
        let (shapes, matches) =
            atom.arguments.iter().map(|part| self.access(part, &before, &mut keys)).unzip();
        ((keys, shapes), matches)
    }

    fn access(
        &mut self,
        pattern: &Pattern,
        before: &[bool],
        keys: &mut Vec<Key>,
    ) -> (Shape, Match) {
        match pattern {
            Pattern::Variable(variable) if before[*variable] => {
                keys.push(Key::Variable(*variable));
                (Shape::Given, Match::Check(*variable))
            }
            Pattern::Variable(variable) => {
                let again = std::mem::replace(&mut self.bound[*variable], true);
                let bind = if again { Match::Check(*variable) } else { Match::Bind(*variable) };
                (Shape::Free, bind)
            }
            Pattern::Constant(symbol) => {
                let term = self.terms.constant(*symbol);
                keys.push(Key::Known(term));
                (Shape::Given, Match::Known(term))
            }
            Pattern::Compound(symbol, parts) => {
                let functor = Functor::compound(*symbol);
                let (shapes, matches) =
                    parts.iter().map(|part| self.access(part, before, keys)).unzip();
                (Shape::Inside(functor, shapes), Match::Inside(functor, matches))
            }
        }
    }
}
