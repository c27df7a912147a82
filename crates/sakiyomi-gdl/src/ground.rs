//! From rules with variables to ground rules.
//!
//! First the relations that do not depend on the state are evaluated for good, stratum by stratum.
//! Then everything that may ever hold is found by a semi-naive fixpoint: what is legal may be done,
//! what may come next may be true, and a negative condition on the state is taken as possible.
//! Last, every rule is instantiated once over the facts that are left.

use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::{Dependencies, atoms};
use crate::error::GdlError;
use crate::facts::{BitSet, Facts, Predicate};
use crate::join::{Clock, NewFacts, Plan, Sink, Use, find, make};
use crate::parse::{Atom, Literal, Rule, Sheet};
use crate::term::{Functor, TermId, Terms};

/// What grounding may cost. Beyond this a game is played by interpreting its rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Ground terms and atoms.
    pub terms: usize,
    /// Literals in all ground rules together; one takes about 20 bytes until the game is ready.
    pub literals: usize,
    /// Seconds of CPU time.
    pub seconds: f64,
}

impl Limits {
    /// Limits for this much CPU time and about this many bytes.
    pub fn new(time: Duration, bytes: u64) -> Limits {
        let literals = usize::try_from(bytes / 20).unwrap_or(usize::MAX);
        Limits { terms: literals / 10, literals, seconds: time.as_secs_f64() }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::new(Duration::from_secs(20), 600_000_000)
    }
}

/// What is evaluated before the first state is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Evaluate {
    /// Every relation that does not depend on the state.
    All,
    /// Only what the roles and the initial state need, for sheets in which the rest is too much.
    Little,
}

/// The rules with what does not depend on the state evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) terms: Terms,
    pub(crate) facts: Facts,
    /// The rules of relations that depend on the state or on moves.
    pub(crate) rules: Vec<Rule>,
    pub(crate) dynamic: FxHashSet<(Functor, usize)>,
    pub(crate) words: Words,
    pub(crate) roles: Vec<TermId>,
    /// The fluents that hold at the start, sorted.
    pub(crate) initial: Vec<TermId>,
}

/// The functors of the language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    pub(crate) role: Functor,
    pub(crate) init: Functor,
    pub(crate) true_: Functor,
    pub(crate) does: Functor,
    pub(crate) next: Functor,
    pub(crate) legal: Functor,
    pub(crate) goal: Functor,
    pub(crate) terminal: Functor,
}

impl Words {
    fn new(terms: &mut Terms) -> Words {
        let mut compound = |name| Functor::compound(terms.symbol(name));
        let (role, init, true_) = (compound("role"), compound("init"), compound("true"));
        let (does, next, legal) = (compound("does"), compound("next"), compound("legal"));
        let goal = compound("goal");
        let terminal = Functor::constant(terms.symbol("terminal"));
        Words { role, init, true_, does, next, legal, goal, terminal }
    }

    fn always_dynamic(&self) -> [(Functor, usize); 6] {
        [
            (self.true_, 1),
            (self.does, 2),
            (self.next, 1),
            (self.legal, 2),
            (self.goal, 2),
            (self.terminal, 0),
        ]
    }
}

/// Ground rules over atoms. A literal is twice the number of an atom, plus one if it is negative.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instances {
    pub(crate) heads: Vec<TermId>,
    ends: Vec<u32>,
    literals: Vec<u32>,
}

impl Instances {
    pub(crate) fn body(&self, instance: usize) -> &[u32] {
        let start = if instance == 0 { 0 } else { self.ends[instance - 1] };
        &self.literals[start as usize..self.ends[instance] as usize]
    }
}

impl Program {
    pub(crate) fn new(
        sheet: Sheet,
        limits: &Limits,
        evaluate: Evaluate,
    ) -> Result<Program, GdlError> {
        let mut terms = sheet.terms;
        let words = Words::new(&mut terms);
        let rules = relevant(sheet.rules, &words);
        let mut dynamic = dynamic_predicates(&rules, &words);
        if evaluate == Evaluate::Little {
            let dependencies = Dependencies::new(&rules);
            let early = [(words.init, 1), (words.role, 1)];
            dynamic.extend(rules.iter().filter(|rule| !rule.body.is_empty()).map(|r| r.head.key()));
            dynamic.retain(|&key| !early.iter().any(|&from| dependencies.reaches(from, key)));
        }
        let (rules, fixed): (Vec<Rule>, Vec<Rule>) =
            rules.into_iter().partition(|rule| dynamic.contains(&rule.head.key()));
        let mut facts = Facts::default();
        for layer in layers(&fixed) {
            let ready = Fixpoint::new(&layer, &|_| Use::Exact, &mut facts, &mut terms);
            let keys: FxHashSet<_> = layer.iter().map(|rule| rule.head.key()).collect();
            let recursive = |atom: &Atom| keys.contains(&atom.key());
            ready
                .run(&layer, &recursive, &mut facts, &mut terms, limits, None)
                .map_err(|_| GdlError::TooManyFacts { limit: limits.terms })?;
        }
        let arguments = |functor, facts: &mut Facts, terms: &Terms| -> Vec<TermId> {
            let predicate = facts.predicate((functor, 1));
            facts.list(predicate).iter().map(|&fact| terms.arguments(fact)[0]).collect()
        };
        let roles = arguments(words.role, &mut facts, &terms);
        let mut initial = arguments(words.init, &mut facts, &terms);
        initial.sort_unstable();
        Ok(Program { terms, facts, rules, dynamic, words, roles, initial })
    }

    /// Finds every atom that may ever hold, and adds it to the facts.
    pub(crate) fn reach(&mut self, limits: &Limits) -> Result<(), GdlError> {
        let Program { terms, facts, rules, dynamic, words, .. } = self;
        let use_of = |atom: &Atom| match dynamic.contains(&atom.key()) {
            true => Use::Possible,
            false => Use::Exact,
        };
        for &fluent in &self.initial {
            let atom = terms.intern(words.true_, &[fluent]);
            let predicate = facts.predicate((words.true_, 1));
            facts.insert(atom, predicate);
        }
        let follow = Follow {
            next: facts.predicate((words.next, 1)),
            legal: facts.predicate((words.legal, 2)),
            true_: (words.true_, facts.predicate((words.true_, 1))),
            does: (words.does, facts.predicate((words.does, 2))),
        };
        let dynamic = |atom: &Atom| dynamic.contains(&atom.key());
        let fixpoint = Fixpoint::new(rules, &use_of, facts, terms);
        fixpoint.run(rules, &dynamic, facts, terms, limits, Some(&follow))
    }

    /// Instantiates every rule over the facts.
    pub(crate) fn instantiate(&mut self, limits: &Limits) -> Result<Instances, GdlError> {
        let Program { terms, facts, rules, dynamic, .. } = self;
        let use_of = |atom: &Atom| match dynamic.contains(&atom.key()) {
            true => Use::Possible,
            false => Use::Exact,
        };
        let mut collect = Collect {
            instances: Instances::default(),
            limits: *limits,
            clock: Clock::new(limits.seconds),
            exceeded: false,
        };
        for rule in rules.iter() {
            let plan = Plan::new(rule, &use_of, None, facts, terms);
            plan.run(&[], facts, terms, &mut collect);
            if collect.exceeded {
                return Err(collect.error());
            }
        }
        Ok(collect.instances)
    }
}

struct Collect {
    instances: Instances,
    limits: Limits,
    clock: Clock,
    exceeded: bool,
}

impl Collect {
    fn error(&self) -> GdlError {
        let limit = match self.instances.literals.len() > self.limits.literals {
            true => format!("{} literals in ground rules", self.limits.literals),
            false => format!("{} seconds", self.limits.seconds),
        };
        GdlError::TooLarge { limit }
    }
}

impl Sink for Collect {
    fn knows(&mut self, _head: TermId) -> bool {
        false
    }

    fn gives_up(&self) -> bool {
        self.exceeded
    }

    fn solution(
        &mut self,
        plan: &Plan,
        variables: &[TermId],
        facts: &Facts,
        terms: &mut Terms,
    ) -> bool {
        let instances = &mut self.instances;
        instances.heads.push(make(&plan.head, variables, terms));
        for (build, negative) in &plan.body {
            match find(build, variables, terms).filter(|&atom| facts.contains(atom)) {
                Some(atom) => instances.literals.push(atom << 1 | u32::from(*negative)),
                // An atom that never holds: its negation always does. Positive ones were matched.
                None => debug_assert!(negative),
            }
        }
        instances.ends.push(instances.literals.len() as u32);
        self.clock.tick();
        self.exceeded = instances.literals.len() > self.limits.literals || self.clock.is_over();
        !self.exceeded
    }
}

/// What follows from facts beyond the rules while the possible facts are collected.
struct Follow {
    next: Predicate,
    legal: Predicate,
    true_: (Functor, Predicate),
    does: (Functor, Predicate),
}

/// Plans for a semi-naive fixpoint: one per rule to begin with, and one per literal that may get
/// new facts.
struct Fixpoint {
    begin: Vec<Plan>,
    use_of_possible: bool,
}

impl Fixpoint {
    fn new(
        rules: &[Rule],
        use_of: &dyn Fn(&Atom) -> Use,
        facts: &mut Facts,
        terms: &mut Terms,
    ) -> Fixpoint {
        let use_of_possible = rules.iter().flat_map(atoms).any(|a| use_of(a) == Use::Possible);
        let begin = rules.iter().map(|rule| Plan::new(rule, use_of, None, facts, terms)).collect();
        Fixpoint { begin, use_of_possible }
    }

    fn run(
        self,
        rules: &[Rule],
        grows: &dyn Fn(&Atom) -> bool,
        facts: &mut Facts,
        terms: &mut Terms,
        limits: &Limits,
        follow: Option<&Follow>,
    ) -> Result<(), GdlError> {
        let use_of = |atom: &Atom| match self.use_of_possible && grows(atom) {
            true => Use::Possible,
            false => Use::Exact,
        };
        let mut clock = Clock::new(limits.seconds);
        let mut seen = BitSet::default();
        let mut n_done: FxHashMap<Predicate, usize> = FxHashMap::default();
        for plan in &self.begin {
            let limit = limits.terms;
            let mut sink =
                NewFacts { seen: &mut seen, fresh: Vec::new(), limit, clock: &mut clock };
            if !plan.run(&[], facts, terms, &mut sink) {
                return Err(too_large(&clock, limits));
            }
            add(sink.fresh, facts, terms, follow);
        }
        let mut triggers: Vec<(Predicate, Plan)> = Vec::new();
        for rule in rules {
            for (i, literal) in rule.body.iter().enumerate() {
                let Literal::Positive(atom) = literal else { continue };
                if grows(atom) {
                    let plan = Plan::new(rule, &use_of, Some(i), facts, terms);
                    triggers.push((facts.predicate(atom.key()), plan));
                }
            }
        }
        loop {
            let mut grown = false;
            for predicate in 0..facts.n_predicates() {
                let start = n_done.get(&predicate).copied().unwrap_or(0);
                let new = facts.list(predicate)[start..].to_vec();
                if new.is_empty() {
                    continue;
                }
                n_done.insert(predicate, start + new.len());
                for (_, plan) in triggers.iter().filter(|(trigger, _)| *trigger == predicate) {
                    let limit = limits.terms;
                    let mut sink =
                        NewFacts { seen: &mut seen, fresh: Vec::new(), limit, clock: &mut clock };
                    if !plan.run(&new, facts, terms, &mut sink) {
                        return Err(too_large(&clock, limits));
                    }
                    add(sink.fresh, facts, terms, follow);
                }
                grown = true;
            }
            if !grown {
                return Ok(());
            }
        }
    }
}

fn too_large(clock: &Clock, limits: &Limits) -> GdlError {
    let limit = match clock.is_over() {
        true => format!("{} seconds", limits.seconds),
        false => format!("{} terms", limits.terms),
    };
    GdlError::TooLarge { limit }
}

fn add(
    fresh: Vec<(TermId, Predicate)>,
    facts: &mut Facts,
    terms: &mut Terms,
    follow: Option<&Follow>,
) {
    for (atom, predicate) in fresh {
        facts.insert(atom, predicate);
        let Some(follow) = follow else { continue };
        if predicate == follow.next {
            let fluent = terms.arguments(atom)[0];
            let atom = terms.intern(follow.true_.0, &[fluent]);
            facts.insert(atom, follow.true_.1);
        } else if predicate == follow.legal {
            let arguments = [terms.arguments(atom)[0], terms.arguments(atom)[1]];
            let atom = terms.intern(follow.does.0, &arguments);
            facts.insert(atom, follow.does.1);
        }
    }
}

/// The rules on which the game depends: most sheets also describe their moves and fluents.
fn relevant(rules: Vec<Rule>, words: &Words) -> Vec<Rule> {
    let mut wanted: FxHashSet<(Functor, usize)> = FxHashSet::default();
    let mut open = vec![(words.role, 1), (words.init, 1)];
    open.extend(words.always_dynamic());
    while let Some(key) = open.pop() {
        if wanted.insert(key) {
            for rule in rules.iter().filter(|rule| rule.head.key() == key) {
                open.extend(atoms(rule).map(Atom::key));
            }
        }
    }
    rules.into_iter().filter(|rule| wanted.contains(&rule.head.key())).collect()
}

/// The predicates that depend on the state or on moves. A predicate that depends on a negation of
/// itself joins them: ground atoms decide whether that has a meaning.
fn dynamic_predicates(rules: &[Rule], words: &Words) -> FxHashSet<(Functor, usize)> {
    let mut dynamic: FxHashSet<_> = words.always_dynamic().into_iter().collect();
    let dependencies = Dependencies::new(rules);
    for rule in rules {
        for literal in &rule.body {
            if let Literal::Negative(atom) = literal
                && dependencies.reaches(atom.key(), rule.head.key())
            {
                dynamic.insert(rule.head.key());
            }
        }
    }
    loop {
        let before = dynamic.len();
        for rule in rules {
            if atoms(rule).any(|atom| dynamic.contains(&atom.key())) {
                dynamic.insert(rule.head.key());
            }
        }
        if dynamic.len() == before {
            dynamic.remove(&(words.init, 1));
            dynamic.remove(&(words.role, 1));
            return dynamic;
        }
    }
}

/// The rules in layers: a layer uses itself and earlier layers only, and no negation of itself.
fn layers(rules: &[Rule]) -> Vec<Vec<Rule>> {
    let dependencies = Dependencies::new(rules);
    let mut keys: Vec<(Functor, usize)> = rules.iter().map(|rule| rule.head.key()).collect();
    keys.sort_unstable();
    keys.dedup();
    let reach: FxHashMap<_, FxHashSet<_>> = (keys.iter())
        .map(|&from| {
            (from, keys.iter().copied().filter(|&to| dependencies.reaches(from, to)).collect())
        })
        .collect();
    let mut layers: Vec<Vec<(Functor, usize)>> = Vec::new();
    for &key in &keys {
        let same =
            |other: &(Functor, usize)| reach[&key].contains(other) && reach[other].contains(&key);
        match layers.iter_mut().find(|layer| same(&layer[0])) {
            Some(layer) => layer.push(key),
            None => layers.push(vec![key]),
        }
    }
    // Whoever reaches more predicates comes later.
    layers.sort_by_key(|layer| reach[&layer[0]].len());
    let of = |layer: &[(Functor, usize)]| {
        rules.iter().filter(|rule| layer.contains(&rule.head.key())).cloned().collect()
    };
    layers.iter().map(|layer| of(layer)).collect()
}
