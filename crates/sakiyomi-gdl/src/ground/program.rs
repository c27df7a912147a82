//! From rules with variables to ground rules.
//!
//! First the relations that do not depend on the state are evaluated for good, stratum by stratum.
//! Then everything that may ever hold is found by a semi-naive fixpoint: what is legal may be done,
//! what may come next may be true, and a negative condition on the state is taken as possible.
//! Last, every rule is instantiated once over the facts that are left.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ground::facts::{BitSet, Facts, Predicate};
use crate::ground::join::{NewFacts, Plan, Sink, Use, find, make};
use crate::ground::meter::{Meter, Over};
use crate::ground::split::Splitter;
use crate::read::check::{Dependencies, atoms};
use crate::read::error::GdlError;
use crate::read::parse::{Atom, Literal, Rule, Sheet};
use crate::read::term::{Functor, TermId, Terms, vec_bytes};

/// What is evaluated before the first state is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Evaluate {
    /// Every relation that does not depend on the state.
    All,
    /// Only what the roles and the initial state need, for sheets in which the rest is too much.
    StartOnly,
}

/// The rules with what does not depend on the state evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) terms: Terms,
    pub(crate) facts: Facts,
    /// The rules of relations that depend on the state or on moves.
    pub(crate) rules: Vec<Rule>,
    pub(crate) dynamic: FxHashSet<(Functor, usize)>,
    pub(crate) keywords: Keywords,
    pub(crate) roles: Vec<TermId>,
    /// The fluents that hold at the start, sorted.
    pub(crate) initial: Vec<TermId>,
}

/// The functors of the language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keywords {
    pub(crate) role: Functor,
    pub(crate) init: Functor,
    pub(crate) true_: Functor,
    pub(crate) does: Functor,
    pub(crate) next: Functor,
    pub(crate) legal: Functor,
    pub(crate) goal: Functor,
    pub(crate) terminal: Functor,
}

impl Keywords {
    fn new(terms: &mut Terms) -> Keywords {
        let mut compound = |name| Functor::compound(terms.symbol(name));
        let (role, init, true_) = (compound("role"), compound("init"), compound("true"));
        let (does, next, legal) = (compound("does"), compound("next"), compound("legal"));
        let goal = compound("goal");
        let terminal = Functor::constant(terms.symbol("terminal"));
        Keywords { role, init, true_, does, next, legal, goal, terminal }
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

/// A goal counts if it is a number from 0 to 100.
pub(crate) fn goal_value(terms: &Terms, value: TermId) -> Option<u8> {
    terms.text(value).parse().ok().filter(|&value| value <= 100)
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

    pub(crate) fn n(&self) -> u64 {
        self.heads.len() as u64
    }

    /// How many there are, and the bytes of all that is held while they are made.
    fn made(&self, facts: &Facts, terms: &Terms) -> (usize, u64) {
        (self.heads.len(), self.bytes() + terms.bytes() + facts.bytes())
    }

    pub(crate) fn bytes(&self) -> u64 {
        vec_bytes(&self.heads) + vec_bytes(&self.ends) + vec_bytes(&self.literals)
    }
}

impl Program {
    pub(crate) fn new(
        sheet: &Sheet,
        meter: &mut Meter<'_>,
        evaluate: Evaluate,
    ) -> Result<Program, GdlError> {
        let mut terms = sheet.terms.clone();
        let keywords = Keywords::new(&mut terms);
        let rules = relevant(&sheet.rules, &keywords);
        let mut dynamic = dynamic_predicates(&rules, &keywords);
        if evaluate == Evaluate::StartOnly {
            let dependencies = Dependencies::new(&rules);
            let early = dependencies.closure(&[(keywords.init, 1), (keywords.role, 1)]);
            dynamic.extend(rules.iter().filter(|rule| !rule.body.is_empty()).map(|r| r.head.key()));
            dynamic.retain(|key| !early.contains(key));
        }
        let (rules, fixed): (Vec<Rule>, Vec<Rule>) =
            rules.into_iter().partition(|rule| dynamic.contains(&rule.head.key()));
        let mut facts = Facts::default();
        // What comes later needs most of the memory.
        meter.begin("grounding what does not change", meter.limits().bytes / 5 * 4);
        for layer in layers(&fixed) {
            let ready = Fixpoint::new(&layer, &|_| Use::Exact, &mut facts, &mut terms);
            let keys: FxHashSet<_> = layer.iter().map(|rule| rule.head.key()).collect();
            let recursive = |atom: &Atom| keys.contains(&atom.key());
            ready.run(&layer, &recursive, &mut facts, &mut terms, meter, None)?;
        }
        let arguments = |functor, facts: &mut Facts, terms: &Terms| -> Vec<TermId> {
            let predicate = facts.predicate((functor, 1));
            facts.list(predicate).iter().map(|&fact| terms.arguments(fact)[0]).collect()
        };
        let roles = arguments(keywords.role, &mut facts, &terms);
        let mut initial = arguments(keywords.init, &mut facts, &terms);
        initial.sort_unstable();
        Ok(Program { terms, facts, rules, dynamic, keywords, roles, initial })
    }

    /// The ground rules of everything that may ever hold. Rules that would have too many instances
    /// are split.
    pub(crate) fn ground(
        &mut self,
        meter: &mut Meter<'_>,
        splitting: Splitting,
    ) -> Result<Instances, GdlError> {
        let unsplit = self.clone();
        meter.allow_ticks(splitting.max_unsplit_steps);
        let bytes = unsplit.bytes();
        let instances = self.reach(meter, bytes).and_then(|()| self.instantiate(meter, bytes));
        if meter.over() != Some(Over::Ticks) {
            return instances;
        }
        drop(instances);
        meter.forgive_ticks();
        *self = unsplit;
        let choices = self.split_rules();
        self.reach(meter, 0)?;
        self.choose_rules(choices, splitting, meter);
        self.instantiate(meter, 0)
    }

    /// The bytes that terms and facts take.
    pub(crate) fn bytes(&self) -> u64 {
        self.terms.bytes() + self.facts.bytes()
    }

    /// Finds every atom that may ever hold, and adds it to the facts.
    fn reach(&mut self, meter: &mut Meter<'_>, held: u64) -> Result<(), GdlError> {
        let Program { terms, facts, rules, dynamic, keywords, .. } = self;
        let use_of = possible_if(dynamic);
        for &fluent in &self.initial {
            let atom = terms.intern(keywords.true_, &[fluent]);
            let predicate = facts.predicate((keywords.true_, 1));
            facts.insert(atom, predicate);
        }
        let follow = Follow {
            next: facts.predicate((keywords.next, 1)),
            legal: facts.predicate((keywords.legal, 2)),
            true_: (keywords.true_, facts.predicate((keywords.true_, 1))),
            does: (keywords.does, facts.predicate((keywords.does, 2))),
        };
        let dynamic = |atom: &Atom| dynamic.contains(&atom.key());
        meter.begin("grounding facts", held);
        let fixpoint = Fixpoint::new(rules, &use_of, facts, terms);
        fixpoint.run(rules, &dynamic, facts, terms, meter, Some(&follow))
    }

    /// Replaces the rules that can be split. Returns the old form and the new form of these, by the
    /// place of the rule.
    fn split_rules(&mut self) -> Vec<(usize, Rule)> {
        let mut splitter = Splitter::new(&mut self.terms, &mut self.dynamic);
        let mut whole = Vec::new();
        for (i, rule) in self.rules.iter_mut().enumerate() {
            if let Some(split) = splitter.split(rule) {
                whole.push((i, std::mem::replace(rule, split)));
            }
        }
        let parts = splitter.parts;
        self.rules.extend(parts);
        whole
    }

    /// Takes the whole rule again where it has hardly more instances than its parts.
    fn choose_rules(
        &mut self,
        whole: Vec<(usize, Rule)>,
        splitting: Splitting,
        meter: &mut Meter<'_>,
    ) {
        let parts = (0..self.rules.len()).filter(|&i| self.is_part(&self.rules[i]));
        let places: FxHashMap<_, usize> = parts.map(|i| (self.rules[i].head.key(), i)).collect();
        let mut sizes: FxHashMap<usize, usize> = FxHashMap::default();
        for (i, rule) in whole {
            let mut n_parts = 0;
            for part in self.parts_of(i, &places) {
                let n = match sizes.get(&part) {
                    Some(&n) => n,
                    None => self.count_instances(&self.rules[part].clone(), usize::MAX, meter),
                };
                sizes.insert(part, n);
                n_parts += n;
            }
            let max = n_parts * splitting.factor + splitting.few;
            if self.count_instances(&rule, max, meter) < max {
                self.rules[i] = rule;
            }
        }
        let mut used = FxHashSet::default();
        for i in 0..self.rules.len() {
            if !self.is_part(&self.rules[i]) {
                used.extend(self.parts_of(i, &places));
            }
        }
        let mut place = 0..self.rules.len();
        self.rules.retain(|_| place.next().is_some_and(|i| used.contains(&i)));
    }

    /// A rule and the rules of the new relations that it uses.
    fn parts_of(&self, rule: usize, places: &FxHashMap<(Functor, usize), usize>) -> Vec<usize> {
        let mut parts = vec![rule];
        let mut at = 0;
        while let Some(&rule) = parts.get(at) {
            at += 1;
            for part in atoms(&self.rules[rule]).filter_map(|atom| places.get(&atom.key())) {
                if !parts.contains(part) {
                    parts.push(*part);
                }
            }
        }
        parts
    }

    fn is_part(&self, rule: &Rule) -> bool {
        self.terms.name(rule.head.predicate).starts_with("part(")
    }

    /// How many instances a rule has, counted up to `max`.
    fn count_instances(&mut self, rule: &Rule, max: usize, meter: &mut Meter<'_>) -> usize {
        let Program { terms, facts, dynamic, .. } = self;
        let use_of = possible_if(dynamic);
        let plan = Plan::new(rule, &use_of, None, facts, terms);
        meter.at(&plan.place);
        let mut count = Count { n: 0, max, meter };
        plan.run(&[], facts, terms, &mut count);
        count.n
    }

    /// Instantiates every rule over the facts.
    fn instantiate(&mut self, meter: &mut Meter<'_>, held: u64) -> Result<Instances, GdlError> {
        meter.begin("grounding rules", held);
        let Program { terms, facts, rules, dynamic, .. } = self;
        let use_of = possible_if(dynamic);
        let mut collect = Collect { instances: Instances::default(), meter };
        for rule in rules.iter() {
            let plan = Plan::new(rule, &use_of, None, facts, terms);
            collect.meter.at(&plan.place);
            plan.run(&[], facts, terms, &mut collect);
            collect.meter.check()?;
        }
        collect.meter.look(collect.instances.made(facts, terms));
        collect.meter.check()?;
        Ok(collect.instances)
    }
}

/// When rules are split.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Splitting {
    /// Rules are split if whole ones would take more steps than this to ground.
    pub(crate) max_unsplit_steps: u64,
    /// A rule is split if it has this many times the instances of its parts, and more than a few.
    pub(crate) factor: usize,
    pub(crate) few: usize,
}

impl Default for Splitting {
    fn default() -> Splitting {
        Splitting { max_unsplit_steps: 400_000, factor: 3, few: 2_000 }
    }
}

struct Collect<'a, 'b> {
    instances: Instances,
    meter: &'a mut Meter<'b>,
}

impl Sink for Collect<'_, '_> {
    fn knows(&mut self, _head: TermId) -> bool {
        false
    }

    fn gives_up(&self) -> bool {
        self.meter.is_over()
    }

    fn looked(&mut self, facts: &Facts, terms: &Terms) -> bool {
        let Collect { instances, meter } = self;
        meter.work(1, || instances.made(facts, terms));
        !meter.is_over()
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
        self.meter.tick(|| instances.made(facts, terms));
        !self.meter.is_over()
    }
}

struct Count<'a, 'b> {
    n: usize,
    max: usize,
    meter: &'a mut Meter<'b>,
}

impl Sink for Count<'_, '_> {
    fn knows(&mut self, _head: TermId) -> bool {
        false
    }

    fn gives_up(&self) -> bool {
        self.meter.is_over() || self.n >= self.max
    }

    fn looked(&mut self, facts: &Facts, terms: &Terms) -> bool {
        self.meter.work(1, || (facts.n_predicates(), terms.bytes() + facts.bytes()));
        !self.meter.is_over()
    }

    fn solution(&mut self, _: &Plan, _: &[TermId], facts: &Facts, terms: &mut Terms) -> bool {
        self.n += 1;
        self.meter.tick(|| (facts.n_predicates(), terms.bytes() + facts.bytes()));
        !self.gives_up()
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
        meter: &mut Meter<'_>,
        follow: Option<&Follow>,
    ) -> Result<(), GdlError> {
        let use_of = |atom: &Atom| match self.use_of_possible && grows(atom) {
            true => Use::Possible,
            false => Use::Exact,
        };
        let mut seen = BitSet::default();
        let mut n_done: FxHashMap<Predicate, usize> = FxHashMap::default();
        for plan in &self.begin {
            meter.at(&plan.place);
            let mut sink = NewFacts { seen: &mut seen, fresh: Vec::new(), meter };
            plan.run(&[], facts, terms, &mut sink);
            add(sink.fresh, facts, terms, follow);
            meter.check()?;
        }
        let mut triggers: FxHashMap<Predicate, Vec<Plan>> = FxHashMap::default();
        for rule in rules {
            for (i, literal) in rule.body.iter().enumerate() {
                let Literal::Positive(atom) = literal else { continue };
                if grows(atom) {
                    let plan = Plan::new(rule, &use_of, Some(i), facts, terms);
                    triggers.entry(facts.predicate(atom.key())).or_default().push(plan);
                }
            }
        }
        loop {
            let mut grown = false;
            for predicate in 0..facts.n_predicates() {
                let start = n_done.get(&predicate).copied().unwrap_or(0);
                let new = facts.list(predicate)[start..].to_vec();
                meter.work(1, || (facts.len(), terms.bytes() + facts.bytes()));
                meter.check()?;
                if new.is_empty() {
                    continue;
                }
                n_done.insert(predicate, start + new.len());
                for plan in triggers.get(&predicate).into_iter().flatten() {
                    meter.at(&plan.place);
                    let mut sink = NewFacts { seen: &mut seen, fresh: Vec::new(), meter };
                    plan.run(&new, facts, terms, &mut sink);
                    add(sink.fresh, facts, terms, follow);
                    meter.check()?;
                }
                grown = true;
            }
            if !grown {
                return Ok(());
            }
        }
    }
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

/// Atoms of these relations are satisfied by what may hold, others by what does.
fn possible_if(dynamic: &FxHashSet<(Functor, usize)>) -> impl Fn(&Atom) -> Use {
    |atom| if dynamic.contains(&atom.key()) { Use::Possible } else { Use::Exact }
}

/// The rules on which the game depends: most sheets also describe their moves and fluents.
fn relevant(rules: &[Rule], keywords: &Keywords) -> Vec<Rule> {
    let mut roots = vec![(keywords.role, 1), (keywords.init, 1)];
    roots.extend(keywords.always_dynamic());
    let wanted = Dependencies::new(rules).closure(&roots);
    rules.iter().filter(|rule| wanted.contains(&rule.head.key())).cloned().collect()
}

/// The predicates that depend on the state or on moves. A predicate that depends on a negation of
/// itself joins them: ground atoms decide whether that has a meaning.
fn dynamic_predicates(rules: &[Rule], keywords: &Keywords) -> FxHashSet<(Functor, usize)> {
    let mut dynamic: FxHashSet<_> = keywords.always_dynamic().into_iter().collect();
    let dependencies = Dependencies::new(rules);
    for rule in rules {
        for literal in &rule.body {
            if let Literal::Negative(atom) = literal
                && dependencies.are_mutual(atom.key(), rule.head.key())
            {
                dynamic.insert(rule.head.key());
            }
        }
    }
    let mut dynamic = dependencies.dependents(dynamic);
    dynamic.remove(&(keywords.init, 1));
    dynamic.remove(&(keywords.role, 1));
    dynamic
}

/// The rules in layers: a layer uses itself and earlier layers only, and no negation of itself.
fn layers(rules: &[Rule]) -> Vec<Vec<Rule>> {
    let dependencies = Dependencies::new(rules);
    let mut layers: BTreeMap<usize, Vec<Rule>> = BTreeMap::new();
    for rule in rules {
        layers.entry(dependencies.cycle(rule.head.key())).or_default().push(rule.clone());
    }
    layers.into_values().collect()
}
