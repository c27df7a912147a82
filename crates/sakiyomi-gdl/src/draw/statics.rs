//! What the rules say once and for all, as far as drawing asks for it: which cells touch, who owns
//! what, and what may stand on a cell. It is read off the sheet, so that it is there for rules that
//! are interpreted too.

use std::collections::{BTreeMap, BTreeSet};

use sakiyomi_core::Grid;

use crate::read::parse::{Atom, Literal, Pattern, Rule, Sheet};
use crate::read::term::Terms;

/// Facts that never change, and the rules from which a neighbourhood may follow.
#[derive(Debug, Default)]
pub(crate) struct Statics {
    /// As texts without variables.
    facts: BTreeSet<String>,
    neighbours: Vec<NeighbourRule>,
    /// The constants that stand at an argument, wherever the relation is spoken of.
    constants: BTreeMap<Argument, BTreeSet<String>>,
    /// Arguments at which a variable stands in some `next`.
    open: BTreeSet<Argument>,
    /// Which arguments of a relation are constants where others are variables.
    partly_fixed: BTreeSet<(String, Vec<usize>)>,
    /// Relations of which something is said to hold at the start.
    begun: BTreeSet<String>,
}

/// A relation, the number of its arguments, and one of them.
type Argument = (String, usize, usize);

/// A rule that says what touches if all its conditions hold. A condition is a relation with its
/// arguments, as words.
#[derive(Debug)]
struct NeighbourRule {
    variables: Vec<String>,
    conditions: Vec<Vec<String>>,
}

/// Cells of boards whose neighbours are looked at.
const MAX_CELLS: usize = 200;
/// What relations are called that say what touches.
const NEIGHBOURS: [&str; 5] = ["adjacent", "adj", "neighbor", "neighbour", "touches"];

impl Statics {
    pub(crate) fn new(sheet: &Sheet) -> Statics {
        let mut statics = Statics::default();
        for rule in &sheet.rules {
            let reading = Reading { terms: &sheet.terms, rule };
            let is_next = reading.terms.name(rule.head.predicate) == "next";
            statics.visit(&reading, &rule.head, is_next);
            for literal in &rule.body {
                if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                    statics.visit(&reading, atom, false);
                }
            }
            match rule.body.is_empty() {
                true => drop(statics.facts.insert(reading.atom_text(&rule.head))),
                false => statics.neighbours.extend(reading.neighbour_rule()),
            }
        }
        statics
    }

    /// Takes down which constants stand where.
    fn visit(&mut self, reading: &Reading<'_>, atom: &Atom, is_next: bool) {
        self.visit_term(reading, reading.terms.name(atom.predicate), &atom.arguments, is_next);
    }

    fn visit_term(&mut self, reading: &Reading<'_>, name: &str, parts: &[Pattern], is_next: bool) {
        let words: Option<Vec<&str>> = parts.iter().map(|part| reading.word(part)).collect();
        for (i, word) in words.iter().flatten().enumerate() {
            let place = (name.to_owned(), parts.len(), i);
            if !word.starts_with('?') {
                self.constants.entry(place).or_default().insert((*word).to_owned());
            } else if is_next {
                self.open.insert(place);
            }
        }
        let words = words.unwrap_or_default();
        let fixed: Vec<usize> = (0..words.len()).filter(|&i| !words[i].starts_with('?')).collect();
        if !fixed.is_empty() && fixed.len() < words.len() {
            self.partly_fixed.insert((name.to_owned(), fixed));
        }
        let is_start = name == "init";
        for part in parts {
            if let Pattern::Compound(name, inner) = part {
                if is_start {
                    self.begun.insert(reading.terms.name(*name).to_owned());
                }
                self.visit_term(reading, reading.terms.name(*name), inner, is_next);
            }
        }
    }

    /// What may stand at the last argument of a relation: the constants that the rules name there,
    /// and the players if a variable stands there.
    pub(crate) fn contents(
        &self,
        relation: &str,
        n_arguments: usize,
        roles: &[String],
    ) -> BTreeSet<String> {
        let place = (relation.to_owned(), n_arguments, n_arguments - 1);
        let mut found = self.constants.get(&place).cloned().unwrap_or_default();
        if self.open.contains(&place) {
            found.extend(roles.iter().cloned());
        }
        found
    }

    /// Whether nothing of a relation holds at the start.
    pub(crate) fn starts_empty(&self, relation: &str) -> bool {
        !self.begun.contains(relation)
    }

    /// Whether the first two and the next two arguments of a relation are coordinates, each of them
    /// in two parts: where rules go over all of it with the first two fixed, and with the next two.
    /// Otherwise the first and the third belong together, and the second and the fourth.
    pub(crate) fn are_pairs(&self, relation: &str) -> bool {
        let is_fixed = |pair: [usize; 2]| {
            let is_same = |fixed: &Vec<usize>| fixed.iter().copied().filter(|&i| i < 4).eq(pair);
            self.partly_fixed.iter().any(|(name, fixed)| name == relation && is_same(fixed))
        };
        is_fixed([0, 1]) && is_fixed([2, 3])
    }

    /// The role that owns each of the names, if there are two roles and facts such as `(owner north
    /// p7)` say it of all of them.
    pub(crate) fn owners(
        &self,
        names: &BTreeSet<String>,
        roles: &[String],
    ) -> Option<BTreeMap<String, usize>> {
        let owner = |name: &String| {
            let mut owners = (0..2).filter(|&role| {
                let end = format!(" {} {name})", roles[role]);
                self.facts.iter().any(|fact| fact.ends_with(&end) && fact.matches(' ').count() == 2)
            });
            let first = owners.next();
            first.filter(|_| owners.next().is_none())
        };
        let is_pair = roles.len() == 2;
        is_pair.then(|| names.iter().map(|name| Some((name.clone(), owner(name)?))).collect())?
    }

    /// The grid of a board with columns and rows, by the cells that touch; and whether its rows
    /// have to be turned over to be drawn on it.
    pub(crate) fn grid(&self, cells: &BTreeMap<String, usize>, width: usize) -> (Grid, bool) {
        if cells.len() > MAX_CELLS || self.neighbours.is_empty() && !self.lists_neighbours() {
            return (Grid::Square, false);
        }
        let at = |cell: &usize| ((cell % width) as i64, (cell / width) as i64);
        let mut steps = BTreeSet::new();
        for (from, a) in cells {
            for (to, b) in cells {
                let (a, b) = (at(a), at(b));
                if a != b && self.touch(from, to) {
                    steps.insert((b.0 - a.0, b.1 - a.1));
                }
            }
        }
        let is_hex = |diagonal: [(i64, i64); 2]| {
            let mut hex = vec![(1, 0), (-1, 0), (0, 1), (0, -1)];
            hex.extend(diagonal);
            steps.len() == hex.len() && hex.iter().all(|step| steps.contains(step))
        };
        // Drawn with the highest row first, a cell touches the one to the right of it in the row
        // below.
        if is_hex([(1, 1), (-1, -1)]) {
            (Grid::Hex, true)
        } else if is_hex([(1, -1), (-1, 1)]) {
            (Grid::Hex, false)
        } else {
            (Grid::Square, false)
        }
    }

    fn lists_neighbours(&self) -> bool {
        let is_one =
            |fact: &String| NEIGHBOURS.iter().any(|name| fact.starts_with(&format!("({name} ")));
        self.facts.iter().any(is_one)
    }

    fn touch(&self, from: &str, to: &str) -> bool {
        let names: Vec<&str> = from.split(' ').chain(to.split(' ')).collect();
        let is_listed = |name: &&str| self.facts.contains(&format!("({name} {from} {to})"));
        NEIGHBOURS.iter().any(is_listed)
            || self.neighbours.iter().any(|rule| {
                let variables = rule.variables.iter().map(String::as_str);
                let values: BTreeMap<&str, &str> = variables.zip(names.iter().copied()).collect();
                rule.variables.len() == names.len()
                    && rule.conditions.iter().all(|words| self.holds(words, &values))
            })
    }

    fn holds(&self, condition: &[String], values: &BTreeMap<&str, &str>) -> bool {
        let value =
            |word: &String| values.get(word.as_str()).map_or(word.clone(), |v| (*v).to_owned());
        let words: Vec<String> = condition.iter().map(value).collect();
        match &words[..] {
            [name, a, b] if name == "distinct" => a != b,
            _ => self.facts.contains(&format!("({})", words.join(" "))),
        }
    }
}

/// A rule with the names of its symbols.
struct Reading<'a> {
    terms: &'a Terms,
    rule: &'a Rule,
}

impl<'a> Reading<'a> {
    /// A constant or a variable as it is written; nothing for a term with arguments.
    fn word(&self, pattern: &Pattern) -> Option<&'a str> {
        match pattern {
            Pattern::Variable(variable) => Some(&self.rule.variables[*variable]),
            Pattern::Constant(symbol) => Some(self.terms.name(*symbol)),
            Pattern::Compound(..) => None,
        }
    }

    /// The relation and its arguments, if these are words.
    fn words(&self, atom: &Atom) -> Option<Vec<String>> {
        let name = atom.compound.then(|| self.terms.name(atom.predicate))?;
        let arguments = atom.arguments.iter().map(|argument| self.word(argument));
        [Some(name)].into_iter().chain(arguments).map(|word| word.map(str::to_owned)).collect()
    }

    fn atom_text(&self, atom: &Atom) -> String {
        self.text(self.terms.name(atom.predicate), &atom.arguments)
    }

    fn text(&self, name: &str, parts: &[Pattern]) -> String {
        let mut text = format!("({name}");
        for part in parts {
            text.push(' ');
            match part {
                Pattern::Compound(name, inner) => {
                    text.push_str(&self.text(self.terms.name(*name), inner));
                }
                _ => text.push_str(self.word(part).unwrap_or_default()),
            }
        }
        text + ")"
    }

    /// The rule, if it says what touches by facts that never change.
    fn neighbour_rule(&self) -> Option<NeighbourRule> {
        let [relation, variables @ ..] = &self.words(&self.rule.head)?[..] else { return None };
        if !NEIGHBOURS.contains(&relation.as_str()) {
            return None;
        }
        let condition = |literal: &Literal| match literal {
            Literal::Positive(atom) => {
                let is_state = ["true", "does"].contains(&self.terms.name(atom.predicate));
                self.words(atom).filter(|_| !is_state)
            }
            Literal::Distinct(left, right) => {
                let words = ["distinct", self.word(left)?, self.word(right)?];
                Some(words.map(str::to_owned).to_vec())
            }
            Literal::Negative(_) | Literal::Same(..) => None,
        };
        let conditions = self.rule.body.iter().map(condition).collect::<Option<_>>()?;
        Some(NeighbourRule { variables: variables.to_vec(), conditions })
    }
}
