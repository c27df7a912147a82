//! What the rules say once and for all, as far as drawing asks for it: which cells touch, who owns what, and what
//! may stand on a cell. It is read from the text of the sheet, so that it is there for rules that are interpreted
//! too.

use std::collections::{BTreeMap, BTreeSet};

use sakiyomi_core::Grid;

use crate::kif::{Expression, read};

/// Facts that never change, and the rules from which a neighbourhood may follow.
#[derive(Debug, Default)]
pub(crate) struct Statics {
    /// As texts without variables.
    facts: BTreeSet<String>,
    neighbours: Vec<Rule>,
    /// The constants that stand at an argument, wherever the relation is spoken of.
    constants: BTreeMap<Argument, BTreeSet<String>>,
    /// Arguments at which a variable stands in some `next`.
    open: BTreeSet<Argument>,
}

/// A relation, the number of its arguments, and one of them.
type Argument = (String, usize, usize);

/// A rule that says what touches.
#[derive(Debug)]
struct Rule {
    variables: Vec<String>,
    conditions: Vec<Condition>,
}

#[derive(Debug)]
enum Condition {
    Holds(Vec<String>),
    Any(Vec<Condition>),
}

/// Cells of boards whose neighbours are looked at.
const MOST_CELLS: usize = 200;
/// What relations are called that say what touches.
const NEIGHBOURS: [&str; 5] = ["adjacent", "adj", "neighbor", "neighbour", "touches"];

impl Statics {
    /// Sheets that cannot be read say nothing.
    pub(crate) fn read(text: &str) -> Statics {
        let mut statics = Statics::default();
        for expression in read(text).unwrap_or_default() {
            statics.visit(&expression, false);
            let Some([head, rest @ ..]) = expression.list() else { continue };
            match (head.token(), rest) {
                (Some("<="), [head, conditions @ ..]) => statics.add_rule(head, conditions),
                (Some(_), _) => drop(statics.facts.insert(expression.to_string())),
                _ => {}
            }
        }
        statics
    }

    fn add_rule(&mut self, head: &Expression<'_>, conditions: &[Expression<'_>]) {
        let Some(words) = flat(head) else { return };
        let [relation, variables @ ..] = &words[..] else { return };
        let conditions: Option<Vec<Condition>> = conditions.iter().map(condition).collect();
        if let Some(conditions) = conditions.filter(|_| NEIGHBOURS.contains(&relation.as_str())) {
            self.neighbours.push(Rule { variables: variables.to_vec(), conditions });
        }
    }

    /// Takes down which constants stand where.
    fn visit(&mut self, expression: &Expression<'_>, is_next: bool) {
        let Some(items) = expression.list() else { return };
        let is_next = is_next || items.first().and_then(Expression::token) == Some("next");
        if let Some([relation, arguments @ ..]) = flat(expression).as_deref() {
            for (i, argument) in arguments.iter().enumerate() {
                let place = (relation.clone(), arguments.len(), i);
                if !argument.starts_with('?') {
                    self.constants.entry(place).or_default().insert(argument.clone());
                } else if is_next {
                    self.open.insert(place);
                }
            }
        }
        items.iter().for_each(|item| self.visit(item, is_next));
    }

    /// What may stand at the last argument of a relation: the constants that the rules name there, and the players
    /// if a variable stands there.
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

    /// The role that owns each of the names, if there are two roles and facts such as `(owner north p7)` say it of
    /// all of them.
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

    /// The grid of a board with columns and rows, by the cells that touch; and whether its rows have to be turned
    /// over to be drawn on it.
    pub(crate) fn grid(&self, cells: &BTreeMap<String, usize>, width: usize) -> (Grid, bool) {
        if cells.len() > MOST_CELLS || self.neighbours.is_empty() && !self.lists_neighbours() {
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
        // Drawn with the highest row first, a cell touches the one to the right of it in the row below.
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
                    && rule.conditions.iter().all(|condition| self.holds(condition, &values))
            })
    }

    fn holds(&self, condition: &Condition, values: &BTreeMap<&str, &str>) -> bool {
        match condition {
            Condition::Any(options) => options.iter().any(|option| self.holds(option, values)),
            Condition::Holds(words) => {
                let value = |word: &String| {
                    values.get(word.as_str()).map_or(word.clone(), |v| (*v).to_owned())
                };
                let words: Vec<String> = words.iter().map(value).collect();
                match &words[..] {
                    [name, a, b] if name == "distinct" => a != b,
                    _ => self.facts.contains(&format!("({})", words.join(" "))),
                }
            }
        }
    }
}

/// A condition on facts that never change.
fn condition(expression: &Expression<'_>) -> Option<Condition> {
    let items = expression.list()?;
    match items.first()?.token()? {
        "or" => items[1..].iter().map(condition).collect::<Option<_>>().map(Condition::Any),
        "true" | "does" | "not" => None,
        _ => flat(expression).map(Condition::Holds),
    }
}

/// The words of a list without lists in it.
fn flat(expression: &Expression<'_>) -> Option<Vec<String>> {
    let words = expression.list()?.iter().map(|item| item.token().map(str::to_owned));
    words.collect::<Option<Vec<_>>>().filter(|words| !words.is_empty())
}
