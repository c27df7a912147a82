//! Static checks of a rule sheet: what the language demands and what a writer probably did not
//! mean.
//!
//! Errors are findings that leave the rules without a meaning: a variable that nothing binds, or a
//! relation without which there is no game. Public sheets bend other demands, so those are
//! warnings: one name with several numbers of arguments, undefined relations, and negation through
//! recursion of whole predicates, which often is harmless for the single atoms and is judged there,
//! when the rules are ground.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::read::kif::Span;
use crate::read::parse::{Atom, Literal, Rule, Sheet};
use crate::read::term::{Functor, Symbol};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    Error,
    Warning,
}

/// One thing that a check found.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Finding {
    pub severity: Severity,
    /// Line and column, if the finding belongs to one rule.
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// All findings, errors first.
pub fn check(sheet: &Sheet) -> Vec<Finding> {
    let mut check = Check { sheet, findings: Vec::new(), known: FxHashSet::default() };
    check.required_relations();
    for rule in &sheet.rules {
        check.safety(rule);
        check.placement(rule);
    }
    check.arities();
    check.undefined();
    check.negative_cycles();
    check.findings.sort_by_key(|finding| finding.severity == Severity::Warning);
    check.findings
}

type Key = (Functor, usize);

struct Check<'a> {
    sheet: &'a Sheet,
    findings: Vec<Finding>,
    /// The same, to be looked up.
    known: FxHashSet<Finding>,
}

impl Check<'_> {
    fn add(&mut self, severity: Severity, span: Option<Span>, message: String) {
        let position = span.map(|span| self.sheet.position(span));
        let (line, column) = (position.map(|p| p.0), position.map(|p| p.1));
        let finding = Finding { severity, line, column, message };
        if self.known.insert(finding.clone()) {
            self.findings.push(finding);
        }
    }

    fn name(&self, symbol: Symbol) -> &str {
        self.sheet.terms.name(symbol)
    }

    fn required_relations(&mut self) {
        for name in ["role", "legal", "next", "terminal", "goal"] {
            let defined = (self.sheet.rules.iter())
                .any(|rule| self.sheet.terms.name(rule.head.predicate) == name);
            if !defined {
                // A game of one step needs no next state, and one that never ends is only odd.
                let severity = match name {
                    "role" | "legal" => Severity::Error,
                    _ => Severity::Warning,
                };
                self.add(severity, None, format!("no rule defines `{name}`"));
            }
        }
        for rule in &self.sheet.rules {
            if self.name(rule.head.predicate) == "role" && !rule.body.is_empty() {
                let message = "`role` is defined by a rule; roles must be facts".to_owned();
                self.add(Severity::Warning, Some(rule.span), message);
            }
        }
    }

    /// Every variable must stand in a positive literal of the body.
    fn safety(&mut self, rule: &Rule) {
        let mut bound = vec![false; rule.variables.len()];
        for literal in &rule.body {
            if matches!(literal, Literal::Positive(_)) {
                literal.for_each_variable(&mut |variable| bound[variable] = true);
            }
        }
        // A case of an expanded `or` need not mention every variable of its rule.
        let mut mentioned = vec![false; rule.variables.len()];
        let mut visit = |variable: usize| mentioned[variable] = true;
        rule.head.arguments.iter().for_each(|argument| argument.for_each_variable(&mut visit));
        rule.body.iter().for_each(|literal| literal.for_each_variable(&mut visit));
        for (variable, name) in rule.variables.iter().enumerate() {
            if !bound[variable] && mentioned[variable] {
                let message = format!(
                    "nothing binds {name}; add a positive condition with {name} to the rule of `{}`",
                    self.name(rule.head.predicate)
                );
                self.add(Severity::Error, Some(rule.span), message);
            }
        }
    }

    /// `init` may not depend on a state, and `legal` and the like not on moves.
    fn placement(&mut self, rule: &Rule) {
        let sheet = self.sheet;
        let head = sheet.terms.name(rule.head.predicate);
        let forbidden: &[&str] = match head {
            "init" | "role" => &["true", "does", "next", "legal"],
            "legal" | "goal" | "terminal" => &["does", "next"],
            _ => &[],
        };
        for atom in atoms(rule) {
            let name = sheet.terms.name(atom.predicate);
            if forbidden.contains(&name) {
                let message = format!("`{head}` may not depend on `{name}`");
                self.add(Severity::Warning, Some(rule.span), message);
            }
        }
    }

    fn arities(&mut self) {
        let mut first: FxHashMap<Symbol, Key> = FxHashMap::default();
        let mut told: FxHashSet<Symbol> = FxHashSet::default();
        for rule in &self.sheet.rules {
            for atom in atoms(rule).chain([&rule.head]) {
                let key = *first.entry(atom.predicate).or_insert(atom.key());
                if key != atom.key() && told.insert(atom.predicate) {
                    let message = format!(
                        "`{}` has {} arguments here and {} elsewhere; these are two relations",
                        self.name(atom.predicate),
                        atom.arguments.len(),
                        key.1
                    );
                    self.add(Severity::Warning, Some(rule.span), message);
                }
            }
        }
    }

    fn undefined(&mut self) {
        let defined: FxHashSet<Key> = self.sheet.rules.iter().map(|rule| rule.head.key()).collect();
        for rule in &self.sheet.rules {
            for atom in atoms(rule) {
                let name = self.name(atom.predicate);
                if !defined.contains(&atom.key()) && !["true", "does"].contains(&name) {
                    let message = format!("nothing defines `{name}`, so it never holds");
                    self.add(Severity::Warning, Some(rule.span), message);
                }
            }
        }
    }

    fn negative_cycles(&mut self) {
        let dependencies = Dependencies::new(&self.sheet.rules);
        let mut told = FxHashSet::default();
        for rule in &self.sheet.rules {
            for literal in &rule.body {
                let Literal::Negative(atom) = literal else { continue };
                let through = dependencies.are_mutual(atom.key(), rule.head.key());
                if through && told.insert(rule.head.key()) {
                    let name = self.name(rule.head.predicate);
                    let message = format!(
                        "`{name}` depends on a negation of itself; this is right only if no single \
                         atom does"
                    );
                    self.add(Severity::Warning, Some(rule.span), message);
                }
            }
        }
    }
}

/// Which predicates the rules of a predicate use.
pub(crate) struct Dependencies {
    uses: FxHashMap<Key, Vec<Key>>,
    /// The number of a predicate's cycle, of those that depend on each other. A cycle has a higher
    /// number than those on which it depends.
    cycles: FxHashMap<Key, usize>,
}

impl Dependencies {
    pub(crate) fn new(rules: &[Rule]) -> Dependencies {
        let mut uses: FxHashMap<Key, Vec<Key>> = FxHashMap::default();
        for rule in rules {
            uses.entry(rule.head.key()).or_default().extend(atoms(rule).map(Atom::key));
        }
        for keys in uses.values_mut() {
            keys.sort_unstable();
            keys.dedup();
        }
        let cycles = cycles(&uses);
        Dependencies { uses, cycles }
    }

    /// Whether each of two predicates depends on the other.
    pub(crate) fn are_mutual(&self, first: Key, second: Key) -> bool {
        self.cycles.get(&first).is_some_and(|cycle| self.cycles.get(&second) == Some(cycle))
    }

    /// The number of the cycle of a predicate that has rules.
    pub(crate) fn cycle(&self, key: Key) -> usize {
        self.cycles.get(&key).copied().unwrap_or(0)
    }

    /// The predicates on which these depend, and themselves.
    pub(crate) fn closure(&self, from: &[Key]) -> FxHashSet<Key> {
        let mut seen = FxHashSet::default();
        let mut open = from.to_vec();
        while let Some(key) = open.pop() {
            if seen.insert(key) {
                open.extend(self.uses.get(&key).into_iter().flatten());
            }
        }
        seen
    }

    /// The predicates that depend on one of these, and these.
    pub(crate) fn dependents(&self, of: impl IntoIterator<Item = Key>) -> FxHashSet<Key> {
        let mut users: FxHashMap<Key, Vec<Key>> = FxHashMap::default();
        for (&user, used) in &self.uses {
            used.iter().for_each(|&used| users.entry(used).or_default().push(user));
        }
        let mut seen = FxHashSet::default();
        let mut open: Vec<Key> = of.into_iter().collect();
        while let Some(key) = open.pop() {
            if seen.insert(key) {
                open.extend(users.get(&key).into_iter().flatten());
            }
        }
        seen
    }
}

/// Numbers the strongly connected components, dependencies first (Tarjan's algorithm without
/// recursion).
fn cycles(uses: &FxHashMap<Key, Vec<Key>>) -> FxHashMap<Key, usize> {
    let mut roots: Vec<Key> = uses.keys().copied().collect();
    roots.sort_unstable();
    // Per predicate the order in which it was met, and the earliest that it reaches on the stack.
    let mut met: FxHashMap<Key, (usize, usize)> = FxHashMap::default();
    let mut cycles: FxHashMap<Key, usize> = FxHashMap::default();
    let (mut stack, mut n_cycles) = (Vec::new(), 0);
    for root in roots {
        let mut frames = vec![(root, 0_usize)];
        while let Some((key, at)) = frames.pop() {
            if at == 0 {
                if met.contains_key(&key) {
                    continue;
                }
                met.insert(key, (met.len(), met.len()));
                stack.push(key);
            }
            let used = uses.get(&key).map_or(&[][..], Vec::as_slice);
            if let Some(before) = at.checked_sub(1).and_then(|i| used.get(i))
                && !cycles.contains_key(before)
            {
                let reached = met[before].1;
                let low = &mut met.entry(key).or_default().1;
                *low = reached.min(*low);
            }
            if let Some(&next) = used.get(at) {
                frames.push((key, at + 1));
                frames.push((next, 0));
            } else if met[&key].0 == met[&key].1 {
                let from = stack.iter().rposition(|&other| other == key).unwrap_or(0);
                cycles.extend(stack.drain(from..).map(|member| (member, n_cycles)));
                n_cycles += 1;
            }
        }
    }
    cycles
}

pub(crate) fn atoms(rule: &Rule) -> impl Iterator<Item = &Atom> {
    rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> Vec<String> {
        check(&Sheet::parse(text).unwrap()).iter().map(ToString::to_string).collect()
    }

    const WHOLE: &str = "(role r) (legal r a) (next x) terminal (goal r 100)";

    #[test]
    fn a_whole_game_has_no_findings() {
        assert_eq!(findings(WHOLE), Vec::<String>::new());
    }

    #[test]
    fn missing_parts_are_named() {
        let all = findings("(role r)");
        assert_eq!(all[0], "no rule defines `legal`");
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn unbound_variables_are_errors() {
        let text = format!("{WHOLE}\n(<= (p ?x) (not (q ?x)))\n(<= (q ?x) (or (distinct ?x 1) b))");
        let all = findings(&text);
        assert!(all[0].starts_with("line 2, column 1: nothing binds ?x"), "{all:?}");
        assert!(all[1].starts_with("line 3, column 1: nothing binds ?x"), "{all:?}");
    }

    #[test]
    fn predicates_that_depend_on_each_other_form_a_cycle() {
        let text = format!("{WHOLE} (<= a b) (<= b c) (<= c b) (<= d a e) (<= e d) (<= f f c)");
        let sheet = Sheet::parse(&text).unwrap();
        let dependencies = Dependencies::new(&sheet.rules);
        let rule_of = |name: &str| {
            let is_it = |rule: &&Rule| sheet.terms.name(rule.head.predicate) == name;
            sheet.rules.iter().find(is_it).unwrap().head.key()
        };
        let mutual = |x: &str, y: &str| dependencies.are_mutual(rule_of(x), rule_of(y));
        assert!(mutual("b", "c") && mutual("d", "e") && mutual("f", "f"));
        assert!(!mutual("a", "b") && !mutual("a", "d") && !mutual("f", "c"));
        let cycle = |name: &str| dependencies.cycle(rule_of(name));
        assert!(cycle("b") < cycle("a") && cycle("a") < cycle("d") && cycle("c") < cycle("f"));
        assert_eq!(dependencies.closure(&[rule_of("a")]).len(), 3);
        assert_eq!(dependencies.dependents([rule_of("a")]).len(), 3);
    }

    #[test]
    fn odd_rules_are_warnings() {
        let text = format!("{WHOLE} (<= (goal r 0) (not (goal r 100))) (<= p (q 1)) (q 1 2)");
        let all = check(&Sheet::parse(&text).unwrap());
        assert!(all.iter().all(|finding| finding.severity == Severity::Warning));
        let text = all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert!(text.contains("depends on a negation of itself"), "{text}");
        assert!(text.contains("two relations"), "{text}");
        assert!(text.contains("nothing defines `q`"), "{text}");
    }
}
