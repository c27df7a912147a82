//! The interpreter of rules: slow, simple, and the oracle for the network.
//!
//! Queries are proved from the goal backwards, and what was asked is kept in a table until the
//! state changes. A query that needs itself gets the answers found so far, and the first query of
//! such a cycle is repeated until nothing new appears: the least fixpoint. A negative condition
//! asks a complete query of its own, so rules need be stratified only atom by atom.
//!
//! Proofs may nest deeply, so they run on a stack that grows. Every position has a limit of time,
//! of memory and of how deep proofs nest. What needs more is given up, and the state has no moves:
//! a match ends there rather than go on by wrong rules. The terms that a proof makes are forgotten
//! after it, but for the fluents and moves of the position.

use std::hash::Hasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use sakiyomi_core::Stop;

use crate::ground::join::{Buffer, Build, build_compound, build_pattern, find, make};
use crate::ground::meter::{Limits, MAX_DEPTH, Meter, Over, Progress};
use crate::ground::program::{Keywords, Program, goal_value};
use crate::read::check::atoms;
use crate::read::error::GdlError;
use crate::read::parse::{Atom, Literal, Rule, RulePlace};
use crate::read::term::{Functor, NO_TERM, TermId, Terms, vec_bytes};
use crate::run::condition_order::{Order, Orders, without_recursion};
use crate::run::rules::Rules;

/// A state with what the rules say about it.
#[derive(Debug, Default)]
pub(crate) struct Interpreted {
    /// The terms of the fluents that hold, sorted.
    pub(super) facts: Vec<u64>,
    terminal: bool,
    /// The terms of the legal moves of each role, sorted by text.
    legal: Vec<Vec<u32>>,
    goals: Vec<Option<u8>>,
    /// Whether the rules could not be followed to here.
    pub(super) is_given_up: bool,
}

impl Clone for Interpreted {
    fn clone(&self) -> Interpreted {
        let mut clone = Interpreted::default();
        clone.clone_from(self);
        clone
    }

    fn clone_from(&mut self, other: &Interpreted) {
        self.facts.clone_from(&other.facts);
        self.terminal = other.terminal;
        self.legal.clone_from(&other.legal);
        self.goals.clone_from(&other.goals);
        self.is_given_up = other.is_given_up;
    }
}

impl Interpreted {
    /// The bytes that it takes beside its own, more or less.
    pub(super) fn bytes(&self) -> usize {
        let n_moves: usize = self.legal.iter().map(Vec::len).sum();
        8 * self.facts.len() + 4 * n_moves + 32 * self.legal.len()
    }

    /// Leaves a state without moves and goals.
    fn give_up(&mut self) {
        self.legal.iter_mut().for_each(Vec::clear);
        self.goals.fill(None);
        (self.terminal, self.is_given_up) = (false, true);
    }
}

/// Proves queries for one caller at a time.
#[derive(Debug)]
pub(crate) struct Interpreter {
    prover: Mutex<Prover>,
    start: Interpreted,
    limits: Limits,
}

impl Interpreter {
    /// An error if the start needs more than the meter allows.
    pub(super) fn new(program: Program, meter: &mut Meter<'_>) -> Result<Interpreter, GdlError> {
        let mut prover = Prover::new(program);
        let initial = prover.initial.clone();
        meter.begin(STAGE, 0);
        let start = prover.position(&initial, meter);
        meter.check()?;
        Ok(Interpreter { prover: Mutex::new(prover), start, limits: *meter.limits() })
    }

    /// The bytes that it takes between two positions.
    pub(crate) fn bytes(&self) -> u64 {
        self.prover().bytes()
    }

    /// What one position may take.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Ends a position to which the rules were followed for too long.
    pub(super) fn give_up(&self, position: &mut Interpreted) {
        let limit = format!("{:.3} s of CPU time", self.limits.seconds);
        let error = GdlError::TooLarge { stage: "following forced moves", limit, rule: None };
        self.prover().trouble.get_or_insert(error);
        position.give_up();
    }

    fn prover(&self) -> MutexGuard<'_, Prover> {
        self.prover.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rules for Interpreter {
    type Position = Interpreted;

    fn role_names(&self) -> Vec<String> {
        let prover = self.prover();
        prover.roles.iter().map(|&role| prover.terms.text(role)).collect()
    }

    fn start(&self) -> Interpreted {
        self.start.clone()
    }

    fn is_terminal(&self, position: &Interpreted) -> bool {
        position.terminal
    }

    fn n_legal(&self, position: &Interpreted, role: usize) -> usize {
        position.legal[role].len()
    }

    fn legal(&self, position: &Interpreted, role: usize, number: usize) -> u32 {
        position.legal[role][number]
    }

    fn step(&self, position: &mut Interpreted, joint: &[u32], stop: Option<&Arc<Stop>>) {
        let mut prover = self.prover();
        let mut goes_on = |_: &Progress| !stop.is_some_and(|stop| stop.requested());
        let mut meter = Meter::new(&self.limits, &mut goes_on);
        meter.begin(STAGE, 0);
        meter.look((0, 0));
        let ahead = prover.ahead.take();
        let is_ahead = |ahead: &Ahead| ahead.facts == position.facts && ahead.joint == joint;
        let next = match ahead.filter(is_ahead) {
            Some(ahead) => ahead.next,
            None => prover.next(&position.facts, joint, &mut meter),
        };
        *position = prover.position(&next, &mut meter);
        if let Err(error) = meter.check()
            && error != GdlError::Stopped
        {
            prover.trouble.get_or_insert(error);
        }
    }

    /// The fluents are kept until the next step, which is most likely this one.
    fn legal_after(&self, position: &Interpreted, joint: &[u32], role: usize) -> Vec<u32> {
        let mut prover = self.prover();
        let mut goes_on = |_: &Progress| true;
        let mut meter = Meter::new(&self.limits, &mut goes_on);
        meter.begin(STAGE, 0);
        meter.look((0, 0));
        let next = prover.next(&position.facts, joint, &mut meter);
        prover.set_state(&next, None);
        let legal = prover.legal(role, &mut meter);
        let mut legal = [prover.sorted_by_text(&legal, &mut meter)];
        prover.forget(&mut legal);
        let [legal] = legal;
        if meter.check().is_err() {
            return Vec::new();
        }
        let facts = position.facts.clone();
        prover.ahead = Some(Ahead { facts, joint: joint.to_vec(), next });
        legal
    }

    fn goals(&self, position: &mut Interpreted, out: &mut [Option<u8>]) {
        out.copy_from_slice(&position.goals[..out.len()]);
    }

    fn facts(&self, position: &Interpreted) -> Vec<String> {
        let prover = self.prover();
        let mut texts: Vec<String> =
            position.facts.iter().map(|&term| prover.terms.text(term as TermId)).collect();
        texts.sort_unstable();
        texts
    }

    fn move_text(&self, number: u32) -> String {
        self.prover().terms.text(number)
    }

    fn trouble(&self) -> Option<GdlError> {
        self.prover().trouble.clone()
    }
}

/// What a meter calls the work.
const STAGE: &str = "interpreting a position";

#[derive(Clone, Debug)]
struct ProverRule {
    number: usize,
    head: Build,
    body: Vec<Step>,
    n_variables: usize,
    place: Arc<RulePlace>,
}

#[derive(Clone, Debug)]
enum Step {
    Holds(Build),
    Fails(Build),
    Distinct(Build, Build),
    Same(Build, Build),
}

/// What is being proved: a query, by a rule, at a depth of the stack.
#[derive(Clone, Copy, Debug)]
struct Goal<'a> {
    rule: &'a ProverRule,
    query: TermId,
    depth: usize,
    order: Order,
}

/// Terms that outlive the table in which they stand. New ones are numbered from the end of what
/// the table keeps.
#[derive(Debug, Default)]
struct Copies {
    terms: Vec<(Functor, Vec<TermId>)>,
    numbers: FxHashMap<TermId, TermId>,
}

impl Copies {
    /// The number of a term's copy, or of the term itself if it is kept.
    fn add(&mut self, term: TermId, terms: &Terms, n_kept: TermId) -> TermId {
        if term < n_kept {
            return term;
        }
        if let Some(&number) = self.numbers.get(&term) {
            return number;
        }
        let parts = terms.arguments(term);
        let parts: Vec<TermId> = parts.iter().map(|&part| self.add(part, terms, n_kept)).collect();
        let number = n_kept + self.terms.len() as TermId;
        self.terms.push((terms.functor(term), parts));
        self.numbers.insert(term, number);
        number
    }

    /// Puts the copies into a table that has nothing but what is kept. They differ from each other
    /// and from that, and parts come first, so they have the numbers there that they have here.
    fn enter(self, terms: &mut Terms) {
        for (functor, parts) in self.terms {
            terms.intern(functor, &parts);
        }
    }
}

/// A step of which the fluents were worked out.
#[derive(Debug)]
struct Ahead {
    facts: Vec<u64>,
    joint: Vec<u32>,
    next: Vec<TermId>,
}

/// What is known about a query.
#[derive(Debug, Default)]
struct Answers {
    list: Vec<TermId>,
    set: FxHashSet<TermId>,
    status: Status,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Status {
    #[default]
    New,
    /// Being proved, at this depth of the stack.
    Running(usize),
    /// Needs a query at a lower depth; proved in this pass already.
    Partial {
        depth: usize,
        pass: u64,
    },
    Complete,
}

/// A relation, and which of its arguments are known.
type IndexKey = ((Functor, usize), u64);

/// How many values an unknown is expected to have at most.
const VALUES: u64 = 8;
/// Answers that are looked at in about the time of one step.
const ANSWERS_PER_STEP: usize = 16;
/// Queries whose places in the table stay between two positions.
const MAX_SPARE_QUERIES: usize = 1 << 14;
/// The stack that one more proof may need, and by how much it grows if it is not there.
const STACK_LEFT: usize = 128 << 10;
const STACK_STEP: usize = 4 << 20;

#[derive(Debug)]
struct Prover {
    terms: Terms,
    roles: Vec<TermId>,
    initial: Vec<TermId>,
    rules: FxHashMap<(Functor, usize), Arc<Vec<ProverRule>>>,
    keywords: Keywords,
    /// The term that stands for any term in a query.
    any: TermId,
    facts: FxHashMap<(Functor, usize), Vec<TermId>>,
    fact_set: FxHashSet<TermId>,
    indexes: FxHashMap<IndexKey, FxHashMap<u64, Vec<TermId>>>,
    /// The same for the fluents that hold, by what stands inside `true`.
    held: FxHashMap<IndexKey, FxHashMap<u64, Vec<TermId>>>,
    /// How many fluents of each relation hold.
    n_held: FxHashMap<(Functor, usize), usize>,
    table: FxHashMap<TermId, Answers>,
    ahead: Option<Ahead>,
    /// Values of variables to which the steps of a proof go back, one step after the other.
    saved: Vec<TermId>,
    /// Answers of queries that wait for what follows from them.
    n_waiting: usize,
    pass: u64,
    /// Answers to all queries about the current state.
    n_answers: usize,
    /// Facts in the indexes of relations that do not change.
    n_indexed: usize,
    /// Terms from this one on are forgotten when the position is known.
    n_kept: usize,
    /// Why a position was given up first.
    trouble: Option<GdlError>,
    /// Conditions that were looked at, all together.
    n_steps: u64,
    orders: Orders,
    /// Relations that may be asked for before facts.
    without_recursion: FxHashSet<(Functor, usize)>,
}

impl Prover {
    fn new(mut program: Program) -> Prover {
        let mut terms = program.terms.clone();
        let without_recursion = without_recursion(&program);
        let any = terms.symbol("?");
        let any = terms.constant(any);
        let mut rules: FxHashMap<_, Vec<ProverRule>> = FxHashMap::default();
        for (number, rule) in program.rules.iter().enumerate() {
            let compiled = compile(number, rule, &mut terms);
            rules.entry(rule.head.key()).or_default().push(compiled);
        }
        let mut facts: FxHashMap<_, Vec<TermId>> = FxHashMap::default();
        let mut fact_set = FxHashSet::default();
        let keys: FxHashSet<(Functor, usize)> = (program.rules.iter())
            .flat_map(|rule| atoms(rule).map(Atom::key))
            .filter(|key| !program.dynamic.contains(key))
            .collect();
        for key in keys {
            let predicate = program.facts.predicate(key);
            let list = program.facts.list(predicate).to_vec();
            fact_set.extend(list.iter().copied());
            facts.insert(key, list);
        }
        Prover {
            n_kept: terms.len(),
            terms,
            roles: program.roles,
            initial: program.initial,
            rules: rules.into_iter().map(|(key, rules)| (key, Arc::new(rules))).collect(),
            keywords: program.keywords,
            any,
            facts,
            fact_set,
            indexes: FxHashMap::default(),
            held: FxHashMap::default(),
            n_held: FxHashMap::default(),
            table: FxHashMap::default(),
            ahead: None,
            saved: Vec::new(),
            n_waiting: 0,
            pass: 0,
            n_answers: 0,
            n_indexed: 0,
            trouble: None,
            n_steps: 0,
            orders: Orders::default(),
            without_recursion,
        }
    }

    /// The position in which these fluents hold. What was made on the way is forgotten.
    fn position(&mut self, facts: &[TermId], meter: &mut Meter<'_>) -> Interpreted {
        let keywords = self.keywords;
        self.set_state(facts, None);
        let mut position = Interpreted {
            facts: facts.iter().map(|&term| u64::from(term)).collect(),
            terminal: !self.ask(keywords.terminal, &[], meter).is_empty(),
            ..Interpreted::default()
        };
        let mut legal: Vec<Vec<TermId>> = Vec::new();
        for number in 0..self.roles.len() {
            legal.push(self.legal(number, meter));
            let role = self.roles[number];
            let goals = self.ask(keywords.goal, &[role, self.any], meter);
            let mut values = (goals.iter())
                .filter_map(|&atom| goal_value(&self.terms, self.terms.arguments(atom)[1]));
            let first = values.next();
            position.goals.push(first.filter(|_| values.next().is_none()));
        }
        for moves in &mut legal {
            *moves = self.sorted_by_text(moves, meter);
        }
        if meter.is_over() {
            legal.iter_mut().for_each(Vec::clear);
            position.give_up();
        }
        self.forget(&mut legal);
        position.legal = legal;
        position
    }

    /// The terms of the legal moves of a role in the state that was set.
    fn legal(&mut self, role: usize, meter: &mut Meter<'_>) -> Vec<TermId> {
        let moves = self.ask(self.keywords.legal, &[self.roles[role], self.any], meter);
        moves.iter().map(|&atom| self.terms.arguments(atom)[1]).collect()
    }

    /// None if there is no room for their texts.
    fn sorted_by_text(&self, moves: &[TermId], meter: &mut Meter<'_>) -> Vec<TermId> {
        let written = |&term: &TermId| 64 + self.terms.written(term);
        let bytes: u64 = moves.iter().map(written).sum();
        meter.look((self.n_answers, self.bytes() + bytes));
        if meter.is_over() {
            return Vec::new();
        }
        let text = |&term: &TermId| (self.terms.text(term), term);
        let mut texts: Vec<(String, TermId)> = moves.iter().map(text).collect();
        texts.sort_unstable();
        texts.into_iter().map(|(_, term)| term).collect()
    }

    /// The fluents after a joint move, sorted.
    fn next(&mut self, facts: &[u64], joint: &[u32], meter: &mut Meter<'_>) -> Vec<TermId> {
        let facts: Vec<TermId> = facts.iter().map(|&term| term as TermId).collect();
        self.set_state(&facts, Some(joint));
        let next = self.ask(self.keywords.next, &[self.any], meter);
        let mut fluents: Vec<TermId> =
            next.iter().map(|&atom| self.terms.arguments(atom)[0]).collect();
        if meter.is_over() {
            fluents.clear();
        }
        self.forget(std::slice::from_mut(&mut fluents));
        fluents.sort_unstable();
        fluents
    }

    /// Forgets the state and all terms that proofs about it have made, but for these, which get
    /// new numbers.
    fn forget(&mut self, kept: &mut [Vec<TermId>]) {
        self.clear_state();
        let mut copies = Copies::default();
        let n_kept = self.n_kept as TermId;
        for term in kept.iter_mut().flatten().filter(|term| **term >= n_kept) {
            *term = copies.add(*term, &self.terms, n_kept);
        }
        self.terms.truncate(self.n_kept);
        copies.enter(&mut self.terms);
        self.n_kept = self.terms.len();
    }

    fn clear_state(&mut self) {
        if self.table.capacity() > MAX_SPARE_QUERIES {
            self.table = FxHashMap::default();
        }
        self.table.clear();
        self.n_answers = 0;
        for key in [(self.keywords.true_, 1), (self.keywords.does, 2)] {
            for atom in self.facts.remove(&key).unwrap_or_default() {
                self.fact_set.remove(&atom);
            }
        }
        self.held.clear();
        self.n_held.clear();
    }

    /// The bytes that it holds, more or less.
    fn bytes(&self) -> u64 {
        // A query has a list and a set of its own, an answer its places in both; a fact has its
        // places in a list and a set.
        let queries = 96 * self.table.capacity() + 64 * self.table.len() + 28 * self.n_answers;
        let facts = 16 * self.fact_set.len() + 24 * self.n_indexed;
        let waiting = 4 * self.n_waiting;
        let learned = self.orders.bytes();
        (queries + facts + waiting) as u64 + self.terms.bytes() + vec_bytes(&self.saved) + learned
    }

    fn set_state(&mut self, facts: &[TermId], joint: Option<&[u32]>) {
        self.clear_state();
        let keywords = self.keywords;
        let dynamic = [(keywords.true_, 1), (keywords.does, 2)];
        let held: Vec<TermId> =
            facts.iter().map(|&fluent| self.terms.intern(keywords.true_, &[fluent])).collect();
        let done: Vec<TermId> = (self.roles.iter().zip(joint.unwrap_or_default()))
            .map(|(&role, &m)| self.terms.intern(keywords.does, &[role, m]))
            .collect();
        self.fact_set.extend(held.iter().chain(&done).copied());
        for &fluent in facts {
            let key = (self.terms.functor(fluent), self.terms.arguments(fluent).len());
            *self.n_held.entry(key).or_default() += 1;
        }
        self.facts.insert(dynamic[0], held);
        self.facts.insert(dynamic[1], done);
    }

    fn ask(
        &mut self,
        functor: Functor,
        arguments: &[TermId],
        meter: &mut Meter<'_>,
    ) -> Vec<TermId> {
        let query = self.terms.intern(functor, arguments);
        self.prove(query, 0, meter);
        self.table.get(&query).map(|answers| answers.list.clone()).unwrap_or_default()
    }

    /// Answers a query into the table. Returns the lowest depth on which the answers depend.
    fn prove(&mut self, query: TermId, depth: usize, meter: &mut Meter<'_>) -> usize {
        match self.table.entry(query).or_default().status {
            Status::Complete => return usize::MAX,
            Status::Running(depth) => return depth,
            Status::Partial { depth, pass } if pass == self.pass => return depth,
            _ => {}
        }
        let key = (self.terms.functor(query), self.terms.arguments(query).len());
        if depth >= MAX_DEPTH {
            meter.give_up(Over::Depth);
        }
        let Some(rules) = self.rules.get(&key).filter(|_| !meter.is_over()).cloned() else {
            self.set_status(query, Status::Complete);
            return usize::MAX;
        };
        self.set_status(query, Status::Running(depth));
        stacker::maybe_grow(STACK_LEFT, STACK_STEP, || self.saturate(query, depth, &rules, meter))
    }

    /// Applies rules to a query until nothing new appears.
    fn saturate(
        &mut self,
        query: TermId,
        depth: usize,
        rules: &[ProverRule],
        meter: &mut Meter<'_>,
    ) -> usize {
        let known = (self.terms.arguments(query).iter().take(64).enumerate())
            .fold(0, |known, (i, &part)| known | u64::from(!self.is_open(part)) << i);
        loop {
            let before = self.n_answers;
            let mut lowest = usize::MAX;
            for rule in rules {
                let mut variables = vec![NO_TERM; rule.n_variables];
                if self.unify(&rule.head, query, &mut variables) {
                    let order = self.orders.choose(rule.number, known);
                    let goal = Goal { rule, query, depth, order };
                    let mut open: Vec<&Step> = rule.body.iter().collect();
                    let n_steps = self.n_steps;
                    lowest = lowest.min(self.solve(goal, &mut open, &mut variables, meter));
                    self.orders.note(rule.number, known, order, self.n_steps - n_steps);
                }
            }
            if lowest < depth {
                self.set_status(query, Status::Partial { depth: lowest, pass: self.pass });
                return lowest;
            }
            if lowest > depth || self.n_answers == before {
                self.set_status(query, Status::Complete);
                return usize::MAX;
            }
            self.pass += 1;
        }
    }

    fn set_status(&mut self, query: TermId, status: Status) {
        self.table.entry(query).or_default().status = status;
    }

    /// Looks for all ways to meet the open conditions of a rule, which are in the same order again
    /// afterwards.
    fn solve(
        &mut self,
        goal: Goal<'_>,
        open: &mut [&Step],
        variables: &mut [TermId],
        meter: &mut Meter<'_>,
    ) -> usize {
        meter.tick(|| (self.n_answers, self.bytes()));
        if meter.is_over() {
            meter.blame(&goal.rule.place);
            return usize::MAX;
        }
        self.n_steps += 1;
        let Some(choice) = self.choose(goal.order, open, variables) else {
            self.answer(goal, variables, meter);
            return usize::MAX;
        };
        open[..=choice].rotate_right(1);
        let lowest = match &mut *open {
            [step, rest @ ..] => self.solve_step(step, goal, rest, variables, meter),
            [] => usize::MAX,
        };
        open[..=choice].rotate_left(1);
        lowest
    }

    /// Meets one condition and then the rest.
    fn solve_step(
        &mut self,
        step: &Step,
        goal: Goal<'_>,
        rest: &mut [&Step],
        variables: &mut [TermId],
        meter: &mut Meter<'_>,
    ) -> usize {
        match step {
            Step::Distinct(left, right) | Step::Same(left, right) => {
                let equal = make(left, variables, &mut self.terms)
                    == make(right, variables, &mut self.terms);
                if equal != matches!(step, Step::Same(..)) {
                    return usize::MAX;
                }
                self.solve(goal, rest, variables, meter)
            }
            Step::Fails(atom) => {
                let (lowest, answers) = self.answers(atom, variables, goal.depth, meter);
                match answers.is_empty() {
                    true => lowest.min(self.solve(goal, rest, variables, meter)),
                    false => lowest,
                }
            }
            Step::Holds(atom) => {
                let (mut lowest, answers) = self.answers(atom, variables, goal.depth, meter);
                let first_saved = self.saved.len();
                let n_answers = answers.len();
                self.saved.extend_from_slice(variables);
                self.n_waiting += n_answers;
                for answer in answers {
                    if self.unify(atom, answer, variables) {
                        lowest = lowest.min(self.solve(goal, rest, variables, meter));
                    }
                    variables.copy_from_slice(&self.saved[first_saved..]);
                    if meter.is_over() {
                        break;
                    }
                }
                self.n_waiting -= n_answers;
                self.saved.truncate(first_saved);
                lowest
            }
        }
    }

    /// The atoms that match a condition, and the depth on which they depend.
    fn answers(
        &mut self,
        atom: &Build,
        variables: &[TermId],
        depth: usize,
        meter: &mut Meter<'_>,
    ) -> (usize, Vec<TermId>) {
        let key = match atom {
            Build::Compound(functor, parts) => (*functor, parts.len()),
            Build::Known(_) | Build::Variable(_) => {
                let term = self.query(atom, variables);
                (self.terms.functor(term), self.terms.arguments(term).len())
            }
        };
        let is_derived = self.rules.contains_key(&key);
        if !is_derived && bound(atom, variables) {
            let ground = find(atom, variables, &self.terms);
            let fact = ground.and_then(|ground| self.fact_set.get(&ground).copied());
            return (usize::MAX, Vec::from_iter(fact));
        }
        let query = self.query(atom, variables);
        let (lowest, answers) = match is_derived {
            false => (usize::MAX, self.matching_facts(key, query)),
            true => {
                let lowest = self.prove(query, depth + 1, meter);
                let answers = self.table.get(&query).map(|answers| answers.list.clone());
                (if lowest > depth { usize::MAX } else { lowest }, answers.unwrap_or_default())
            }
        };
        let steps = answers.len() / ANSWERS_PER_STEP;
        meter.work(steps, || (self.n_answers, self.bytes() + vec_bytes(&answers)));
        (lowest, answers)
    }

    /// The facts of a relation that may match a query, found by the arguments that are known. An
    /// index is made when it is first needed; those of fluents last as long as the state.
    fn matching_facts(&mut self, key: (Functor, usize), query: TermId) -> Vec<TermId> {
        let Some(list) = self.facts.get(&key) else { return Vec::new() };
        let keywords = self.keywords;
        let of_state = key == (keywords.true_, 1);
        let (terms, any) = (&self.terms, self.any);
        // What is known of a fluent stands one level deeper.
        let inside = |atom: TermId| if of_state { terms.arguments(atom)[0] } else { atom };
        let pattern = inside(query);
        if pattern == any || key.0 == keywords.does {
            return list.clone();
        }
        let inner_key = (terms.functor(pattern), terms.arguments(pattern).len());
        let arguments = terms.arguments(pattern);
        let known: Vec<usize> =
            (0..arguments.len().min(64)).filter(|&i| !self.is_open(arguments[i])).collect();
        if known.is_empty() && !of_state {
            return list.clone();
        }
        let hash = |term: TermId| {
            let mut hasher = FxHasher::default();
            known.iter().for_each(|&i| hasher.write_u32(terms.arguments(term)[i]));
            hasher.finish()
        };
        let is_of_kind =
            |term: TermId| (terms.functor(term), terms.arguments(term).len()) == inner_key;
        let mask = known.iter().fold(0u64, |mask, &i| mask | 1 << i);
        let indexes = if of_state { &mut self.held } else { &mut self.indexes };
        let n_indexed = &mut self.n_indexed;
        let index = indexes.entry((inner_key, mask)).or_insert_with(|| {
            *n_indexed += if of_state { 0 } else { list.len() };
            let mut index: FxHashMap<u64, Vec<TermId>> = FxHashMap::default();
            for &fact in list.iter().filter(|&&fact| is_of_kind(inside(fact))) {
                index.entry(hash(inside(fact))).or_default().push(fact);
            }
            index
        });
        index.get(&hash(pattern)).cloned().unwrap_or_default()
    }

    /// The condition to look at next: a test that is ready, or else the positive condition that is
    /// expected to have the fewest answers.
    fn choose(&self, order: Order, open: &[&Step], variables: &[TermId]) -> Option<usize> {
        let cost = |step: &Step| match step {
            Step::Distinct(left, right) | Step::Same(left, right) => {
                if bound(left, variables) && bound(right, variables) { 0 } else { u64::MAX }
            }
            Step::Fails(atom) => {
                if bound(atom, variables) {
                    2
                } else {
                    u64::MAX
                }
            }
            Step::Holds(atom) => match count_free(atom, variables) {
                0 => 1,
                n_free if order == Order::Rules && self.is_early(atom, variables) => {
                    3 + n_free as u64
                }
                n_free => 3 + self.expected_answers(atom, variables, n_free),
            },
        };
        (0..open.len()).min_by_key(|&i| cost(open[i]))
    }

    /// Whether a condition may come before facts: it asks for a relation without recursion, of which
    /// an argument is known.
    fn is_early(&self, atom: &Build, variables: &[TermId]) -> bool {
        let Build::Compound(functor, parts) = atom else { return false };
        self.without_recursion.contains(&(*functor, parts.len()))
            && parts.iter().any(|part| bound(part, variables))
    }

    /// How many answers a condition has of which this many variables are not known: counted if facts
    /// were looked for in this way before, or else a guess.
    fn expected_answers(&self, atom: &Build, variables: &[TermId], n_free: usize) -> u64 {
        let Build::Compound(functor, parts) = atom else { return u64::MAX / 2 };
        let key = (*functor, parts.len());
        let keywords = self.keywords;
        if key == (keywords.does, 2) {
            return 1;
        }
        // Facts come before derived relations with the same number of unknowns: recursion is asked
        // for one instance after another, and not for all of them.
        let max = VALUES.saturating_pow(n_free as u32).min(u64::MAX / 4);
        if self.rules.contains_key(&key) {
            return 2 * max;
        }
        if let Some(count) = self.count_facts(key, parts, variables) {
            return count;
        }
        // Each unknown argument takes its part of the facts that there are.
        let (n_facts, n_arguments) = match &parts[..] {
            [Build::Compound(inner, parts)] if *functor == keywords.true_ => {
                let n = self.n_held.get(&(*inner, parts.len())).copied().unwrap_or(0);
                (n, parts.len())
            }
            _ => (self.facts.get(&key).map_or(0, Vec::len), parts.len()),
        };
        let n_bits = n_facts.checked_ilog2().map_or(0, |bits| bits as usize + 1);
        max.min(1 << (n_bits * n_free / n_arguments.max(n_free).max(1)).min(60))
    }

    /// The facts that may match a condition, if there is an index by what is known of it.
    fn count_facts(
        &self,
        key: (Functor, usize),
        parts: &[Build],
        variables: &[TermId],
    ) -> Option<u64> {
        let (key, parts, indexes) = match parts {
            [Build::Compound(inner, parts)] if key == (self.keywords.true_, 1) => {
                ((*inner, parts.len()), parts.as_slice(), &self.held)
            }
            _ => (key, parts, &self.indexes),
        };
        let (mut mask, mut hasher) = (0u64, FxHasher::default());
        for (i, part) in parts.iter().enumerate().take(64) {
            let term = match part {
                Build::Known(term) => *term,
                Build::Variable(variable) => variables[*variable],
                Build::Compound(..) => return None,
            };
            if term != NO_TERM {
                mask |= 1 << i;
                hasher.write_u32(term);
            }
        }
        let index = indexes.get(&(key, mask))?;
        Some(index.get(&hasher.finish()).map_or(0, |facts| facts.len() as u64))
    }

    fn answer(&mut self, goal: Goal<'_>, variables: &[TermId], meter: &mut Meter<'_>) {
        let atom = make(&goal.rule.head, variables, &mut self.terms);
        meter.note_written(self.terms.written(atom));
        if meter.is_over() {
            meter.blame(&goal.rule.place);
        } else if self.fits(goal.query, atom) {
            let answers = self.table.entry(goal.query).or_default();
            if answers.set.insert(atom) {
                answers.list.push(atom);
                self.n_answers += 1;
            }
        }
    }

    /// The query of an atom: unknown parts become the term that stands for any.
    fn query(&mut self, build: &Build, variables: &[TermId]) -> TermId {
        match build {
            Build::Known(term) => *term,
            Build::Variable(variable) => match variables[*variable] {
                NO_TERM => self.any,
                term => term,
            },
            Build::Compound(functor, parts) => {
                let mut buffer = Buffer::new(parts.len());
                for (slot, part) in buffer.slots(parts.len()).iter_mut().zip(parts) {
                    *slot = self.query(part, variables);
                }
                self.terms.intern(*functor, buffer.slots(parts.len()))
            }
        }
    }

    /// Whether an atom is an instance of a query.
    fn fits(&self, query: TermId, atom: TermId) -> bool {
        if query == self.any || query == atom {
            return true;
        }
        let (mine, theirs) = (self.terms.arguments(query), self.terms.arguments(atom));
        self.terms.functor(query) == self.terms.functor(atom)
            && mine.len() == theirs.len()
            && !mine.is_empty()
            && mine.iter().zip(theirs).all(|(&mine, &theirs)| self.fits(mine, theirs))
    }

    fn is_open(&self, term: TermId) -> bool {
        term == self.any || self.terms.arguments(term).iter().any(|&part| self.is_open(part))
    }

    /// Binds the variables of a pattern to the parts of a term, or of a query whose open parts
    /// bind nothing.
    fn unify(&self, build: &Build, term: TermId, variables: &mut [TermId]) -> bool {
        if term == self.any {
            return true;
        }
        match build {
            Build::Known(known) => *known == term || self.fits(term, *known),
            Build::Variable(variable) => match variables[*variable] {
                NO_TERM => {
                    if !self.is_open(term) {
                        variables[*variable] = term;
                    }
                    true
                }
                bound => bound == term || self.fits(term, bound),
            },
            Build::Compound(functor, parts) => {
                self.terms.functor(term) == *functor
                    && self.terms.arguments(term).len() == parts.len()
                    && parts
                        .iter()
                        .enumerate()
                        .all(|(i, part)| self.unify(part, self.terms.arguments(term)[i], variables))
            }
        }
    }
}

fn bound(build: &Build, variables: &[TermId]) -> bool {
    count_free(build, variables) == 0
}

fn count_free(build: &Build, variables: &[TermId]) -> usize {
    match build {
        Build::Known(_) => 0,
        Build::Variable(variable) => usize::from(variables[*variable] == NO_TERM),
        Build::Compound(_, parts) => parts.iter().map(|part| count_free(part, variables)).sum(),
    }
}

fn compile(number: usize, rule: &Rule, terms: &mut Terms) -> ProverRule {
    let atom =
        |atom: &Atom, terms: &mut Terms| build_compound(atom.functor(), &atom.arguments, terms);
    let body = (rule.body.iter())
        .map(|literal| match literal {
            Literal::Positive(positive) => Step::Holds(atom(positive, terms)),
            Literal::Negative(negative) => Step::Fails(atom(negative, terms)),
            Literal::Distinct(left, right) => {
                Step::Distinct(build_pattern(left, terms), build_pattern(right, terms))
            }
            Literal::Same(left, right) => {
                Step::Same(build_pattern(left, terms), build_pattern(right, terms))
            }
        })
        .collect();
    let (n_variables, place) = (rule.variables.len(), Arc::clone(&rule.place));
    ProverRule { number, head: atom(&rule.head, terms), body, n_variables, place }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::meter::{Limits, Meter, Progress};
    use crate::ground::program::Evaluate;
    use crate::read::parse::Sheet;

    /// Thirty cells in a row; a move changes two of them, and which these are is only seen from the
    /// move.
    fn row() -> String {
        let numbers: Vec<String> = (1..=30).map(|n| format!("(number {n})")).collect();
        format!(
            "(role hero) {}
            (<= (different ?x ?y) (number ?x) (number ?y) (distinct ?x ?y))
            (<= (init (cell ?x free)) (number ?x))
            (<= (legal hero (mark ?x ?y)) (true (cell ?x free)) (true (cell ?y free)) (different ?x ?y))
            (<= (next (cell ?x marked)) (does hero (mark ?x ?y)))
            (<= (next (cell ?y marked)) (does hero (mark ?x ?y)))
            (<= (next (cell ?z ?m)) (true (cell ?z ?m)) (different ?z ?x) (different ?z ?y)
                (does hero (mark ?x ?y)) (not (refused ?x ?y)))
            (<= (refused ?x ?y) (does hero (mark ?x ?y)) (true (cell ?x marked)))
            (<= terminal (true (cell 1 marked)))
            (goal hero 50)",
            numbers.join(" ")
        )
    }

    /// Facts are found by what is known of them, and conditions with few answers come first.
    #[test]
    fn a_ply_looks_at_few_conditions() {
        let watcher = &mut |_: &Progress| true;
        let mut meter = Meter::new(&Limits::default(), watcher);
        let sheet = Sheet::parse(&row()).unwrap();
        let program = Program::new(&sheet, &mut meter, Evaluate::All).unwrap();
        let interpreter = Interpreter::new(program, &mut meter).unwrap();
        let position = interpreter.start();
        assert_eq!(position.legal[0].len(), 30 * 29);
        let mut prover = interpreter.prover();
        let before = prover.n_steps;
        let next = prover.next(&position.facts, &position.legal[0][40..41], &mut meter);
        assert_eq!(next.len(), 30);
        let n_steps = prover.n_steps - before;
        assert!(n_steps < 200, "{n_steps}");
    }

    /// Facts that are joined by a relation of few instances are not combined one by one, once it
    /// was seen what that takes. What is legal is the same in both orders.
    #[test]
    fn a_join_of_facts_is_not_enumerated_again_and_again() {
        let pieces: Vec<String> = (1..=30).map(|n| format!("(piece {n})")).collect();
        let marks: Vec<String> = (2..=30).map(|n| format!("(next_to {} {n})", n - 1)).collect();
        let text = format!(
            "(role hero) {} {} (init (at 1)) (<= (next (at ?y)) (true (at ?x)) (next_to ?x ?y))
            (<= (legal hero (go ?x)) (piece ?x) (pinned ?x))
            (<= (pinned ?m) (between ?a ?m ?b) (piece ?a) (piece ?b))
            (<= (between ?a ?m ?b) (next_to ?a ?m) (next_to ?m ?b) (not (true (at ?m))))
            (<= terminal (true (at 30))) (goal hero 50)",
            pieces.join(" "),
            marks.join(" ")
        );
        let watcher = &mut |_: &Progress| true;
        let mut meter = Meter::new(&Limits::default(), watcher);
        let sheet = Sheet::parse(&text).unwrap();
        let program = Program::new(&sheet, &mut meter, Evaluate::All).unwrap();
        let mut prover = Prover::new(program);
        let initial = prover.initial.clone();
        let mut costs = Vec::new();
        for _ in 0..3 {
            let before = prover.n_steps;
            assert_eq!(prover.position(&initial, &mut meter).legal[0].len(), 28);
            costs.push(prover.n_steps - before);
        }
        assert!(20 * costs[2] < 28 * 30 * 30, "{costs:?}");
    }
}
