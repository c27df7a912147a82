//! Splits rules with many variables into rules with few, so that they have fewer instances.
//!
//! A rule says that something holds for every way to bind its variables. A variable that occurs
//! only in some of the conditions is bound inside these conditions alone: a new relation says for
//! which values of the other variables they can hold at all. "A cell keeps its mark if both players
//! mark other cells" has an instance per cell and pair of moves; with the relation "this player
//! marks another cell than this one" it has one per cell, and the relation one per cell and move.
//! This is elimination of variables, as in joins of databases (Bichler, Morak and Woltran, "lpopt:
//! A rule optimization tool for answer set programming", 2016).

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::read::parse::{Atom, Literal, Pattern, Rule};
use crate::read::term::{Functor, Terms};

type Key = (Functor, usize);

/// Makes new relations; equal ones are made once.
#[derive(Debug)]
pub(crate) struct Splitter<'a> {
    terms: &'a mut Terms,
    dynamic: &'a mut FxHashSet<Key>,
    /// The rules of the new relations.
    pub(crate) parts: Vec<Rule>,
    known: FxHashMap<String, Atom>,
}

/// Conditions that become a relation of their own.
struct Part {
    /// The conditions, by their places in the body.
    conditions: Vec<usize>,
    /// The variables that others see.
    seen: Vec<usize>,
}

impl<'a> Splitter<'a> {
    pub(crate) fn new(terms: &'a mut Terms, dynamic: &'a mut FxHashSet<Key>) -> Splitter<'a> {
        Splitter { terms, dynamic, parts: Vec::new(), known: FxHashMap::default() }
    }

    /// The rule over new relations, if it can be split.
    pub(crate) fn split(&mut self, rule: &Rule) -> Option<Rule> {
        let mut rule = rule.clone();
        let mut is_split = false;
        while let Some(part) = self.best_part(&rule) {
            let literals: Vec<Literal> =
                part.conditions.iter().map(|&i| rule.body[i].clone()).collect();
            let atom = self.relation(&literals, &part.seen, &rule);
            let mut place = 0..rule.body.len();
            rule.body.retain(|_| place.next().is_some_and(|i| !part.conditions.contains(&i)));
            rule.body.push(Literal::Positive(atom));
            is_split = true;
        }
        is_split.then_some(rule)
    }

    /// The part with the fewest variables that others see.
    fn best_part(&self, rule: &Rule) -> Option<Part> {
        let variables: Vec<Vec<usize>> = rule.body.iter().map(variables_of).collect();
        let head = variables_of(&Literal::Positive(rule.head.clone()));
        let mut best: Option<Part> = None;
        for variable in (0..rule.variables.len()).filter(|variable| !head.contains(variable)) {
            let Some(part) = self.part(rule, &variables, &head, variable) else { continue };
            if best.as_ref().is_none_or(|best| part.seen.len() < best.seen.len()) {
                best = Some(part);
            }
        }
        best
    }

    /// The conditions on a variable, if a relation of them is worth it.
    fn part(
        &self,
        rule: &Rule,
        variables: &[Vec<usize>],
        head: &[usize],
        variable: usize,
    ) -> Option<Part> {
        let with_it = |i: &usize| variables[*i].contains(&variable);
        let mut conditions: Vec<usize> = (0..rule.body.len()).filter(with_it).collect();
        let mut inside: Vec<usize> =
            conditions.iter().flat_map(|&i| &variables[i]).copied().collect();
        inside.sort_unstable();
        inside.dedup();
        // Conditions that do not depend on the state make the relation smaller.
        for (i, (literal, own)) in rule.body.iter().zip(variables).enumerate() {
            let fits = own.iter().all(|variable| inside.contains(variable));
            if fits && !self.is_dynamic(literal) && !conditions.contains(&i) {
                conditions.push(i);
            }
        }
        conditions.sort_unstable();
        let others = (0..rule.body.len()).filter(|i| !conditions.contains(i));
        let outside: Vec<usize> = others.flat_map(|i| &variables[i]).chain(head).copied().collect();
        let seen: Vec<usize> =
            inside.iter().copied().filter(|variable| outside.contains(variable)).collect();
        let bound: Vec<usize> = (conditions.iter())
            .filter(|&&i| matches!(rule.body[i], Literal::Positive(_)))
            .flat_map(|&i| &variables[i])
            .copied()
            .collect();
        let is_safe = inside.iter().all(|variable| bound.contains(variable));
        let is_dynamic = conditions.iter().any(|&i| self.is_dynamic(&rule.body[i]));
        let multiplies = outside.iter().any(|variable| !inside.contains(variable));
        let is_whole = conditions.len() == rule.body.len();
        (is_safe && is_dynamic && multiplies && !is_whole).then_some(Part { conditions, seen })
    }

    fn is_dynamic(&self, literal: &Literal) -> bool {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => self.dynamic.contains(&atom.key()),
            Literal::Distinct(..) | Literal::Same(..) => false,
        }
    }

    /// The relation that holds where all literals do, over the variables of a rule.
    fn relation(&mut self, literals: &[Literal], seen: &[usize], rule: &Rule) -> Atom {
        let mut numbers: Vec<usize> = literals.iter().flat_map(variables_of).collect();
        let mut met = FxHashSet::default();
        numbers.retain(|&variable| met.insert(variable));
        let place = |variable: usize| numbers.iter().position(|&v| v == variable).unwrap_or(0);
        let body: Vec<Literal> = literals.iter().map(|literal| renamed(literal, &place)).collect();
        let mut arguments: Vec<(usize, usize)> = seen.iter().map(|&v| (place(v), v)).collect();
        arguments.sort_unstable();
        let own: Vec<Pattern> = arguments.iter().map(|&(own, _)| Pattern::Variable(own)).collect();
        let text = format!("{own:?} {body:?}");
        let mut atom = match self.known.get(&text) {
            Some(atom) => atom.clone(),
            None => {
                // No name in a sheet has a parenthesis.
                let predicate = self.terms.symbol(&format!("part({}", self.known.len()));
                let head = Atom { predicate, compound: true, arguments: own };
                self.dynamic.insert(head.key());
                self.known.insert(text, head.clone());
                let variables = numbers.iter().map(|&v| rule.variables[v].clone()).collect();
                let (span, place) = (rule.span, Arc::clone(&rule.place));
                let part = Rule { head: head.clone(), body, variables, span, place };
                let part = self.split(&part).unwrap_or(part);
                self.parts.push(part);
                head
            }
        };
        atom.arguments = arguments.iter().map(|&(_, outer)| Pattern::Variable(outer)).collect();
        atom
    }
}

fn variables_of(literal: &Literal) -> Vec<usize> {
    let mut variables = Vec::new();
    literal.for_each_variable(&mut |variable| {
        if !variables.contains(&variable) {
            variables.push(variable);
        }
    });
    variables
}

fn renamed(literal: &Literal, place: &impl Fn(usize) -> usize) -> Literal {
    fn pattern(from: &Pattern, place: &impl Fn(usize) -> usize) -> Pattern {
        match from {
            Pattern::Variable(variable) => Pattern::Variable(place(*variable)),
            Pattern::Constant(symbol) => Pattern::Constant(*symbol),
            Pattern::Compound(symbol, parts) => {
                Pattern::Compound(*symbol, parts.iter().map(|part| pattern(part, place)).collect())
            }
        }
    }
    let atom = |from: &Atom| Atom {
        arguments: from.arguments.iter().map(|argument| pattern(argument, place)).collect(),
        ..from.clone()
    };
    match literal {
        Literal::Positive(inner) => Literal::Positive(atom(inner)),
        Literal::Negative(inner) => Literal::Negative(atom(inner)),
        Literal::Distinct(left, right) => {
            Literal::Distinct(pattern(left, place), pattern(right, place))
        }
        Literal::Same(left, right) => Literal::Same(pattern(left, place), pattern(right, place)),
    }
}
