//! From the text of a rule sheet to rules.
//!
//! Keywords are recognised in any case where a predicate or a connective stands; every other token
//! is kept as it was received. `or` and `and` may nest and are expanded into several rules, since
//! their branches may bind different variables.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::read::kif::{Expression, Fault, Span, line_starts, read};
use crate::read::term::{Functor, Symbol, Terms};

/// A text that is not a rule sheet: where, what is wrong, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}; {remedy}")]
pub struct ParseError {
    pub line: usize,
    pub column: usize,
    pub problem: String,
    pub remedy: String,
}

/// Rules as they were read, with the symbols that they use.
#[derive(Clone, Debug)]
pub struct Sheet {
    pub(crate) terms: Terms,
    pub(crate) rules: Vec<Rule>,
    /// Where every line of the text starts, so that later stages can name lines and columns.
    line_starts: Vec<u32>,
}

impl Sheet {
    pub fn parse(text: &str) -> Result<Sheet, ParseError> {
        let line_starts = line_starts(text);
        let mut sheet = Sheet { terms: Terms::new(), rules: Vec::new(), line_starts };
        let expressions = read(text).map_err(|e| sheet.located(e))?;
        for expression in &expressions {
            sheet.statement(expression).map_err(|e| sheet.located(e))?;
        }
        Ok(sheet)
    }

    /// Rules after the expansion of `or`.
    pub fn n_rules(&self) -> usize {
        self.rules.len()
    }

    /// The names of the roles, in order.
    pub fn roles(&self) -> Vec<String> {
        let facts = self.rules.iter().filter(|rule| rule.body.is_empty()).map(|rule| &rule.head);
        let roles = facts.filter(|head| self.terms.name(head.predicate) == "role");
        roles
            .filter_map(|head| match head.arguments[..] {
                [Pattern::Constant(name)] => Some(self.terms.name(name).to_owned()),
                _ => None,
            })
            .collect()
    }

    /// The line and column of a position, both counted from 1.
    pub fn position(&self, span: Span) -> (usize, usize) {
        let line = self.line_starts.partition_point(|&start| start <= span.start);
        (line, (span.start - self.line_starts[line - 1]) as usize + 1)
    }

    fn located(&self, fault: Fault) -> ParseError {
        let (line, column) = self.position(fault.span);
        ParseError { line, column, problem: fault.problem, remedy: fault.remedy.to_owned() }
    }

    fn statement(&mut self, expression: &Expression) -> Result<(), Fault> {
        let mut scope = Scope { terms: &mut self.terms, variables: FxHashMap::default() };
        let span = expression.span();
        let (head, body) = match expression {
            Expression::List(items, _)
                if items.first().and_then(Expression::token) == Some("<=") =>
            {
                let Some(head) = items.get(1) else {
                    return Err(Fault::new(
                        span,
                        "a rule without a head",
                        "write (<= head condition ..)",
                    ));
                };
                let body: Result<Vec<Formula>, Fault> =
                    items[2..].iter().map(|item| scope.formula(item)).collect();
                (scope.atom(head)?, body?)
            }
            _ => (scope.atom(expression)?, Vec::new()),
        };
        let names = scope.names();
        let name = self.terms.name(head.predicate);
        let (line, column) = self.position(span);
        let place = Arc::new(RulePlace { relation: name.to_owned(), line, column });
        if ["not", "or", "and", "distinct", "true", "does"].contains(&name) {
            let problem = format!("`{name}` stands at the head of a rule");
            return Err(Fault::new(span, problem, "only other relations can be defined"));
        }
        for body in expand(body).ok_or_else(|| {
            Fault::new(
                span,
                "nested `or`s make too many cases",
                "split the rule with new relations",
            )
        })? {
            if body.len() > MAX_CONDITIONS {
                let problem = format!("a rule with {} conditions", body.len());
                return Err(Fault::new(span, problem, "split the rule with new relations"));
            }
            let (head, variables, place) = (head.clone(), names.clone(), Arc::clone(&place));
            self.rules.push(Rule { head, body, variables, span, place });
        }
        Ok(())
    }
}

/// `head` holds if every literal of `body` holds.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) head: Atom,
    pub(crate) body: Vec<Literal>,
    /// The names of the variables, by number.
    pub(crate) variables: Vec<String>,
    pub(crate) span: Span,
    pub(crate) place: Arc<RulePlace>,
}

/// Which rule it is, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RulePlace {
    /// The relation that the rule defines.
    pub relation: String,
    pub line: usize,
    pub column: usize,
}

impl fmt::Display for RulePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RulePlace { relation, line, column } = self;
        write!(f, "the rule of `{relation}` at line {line}, column {column}")
    }
}

/// Conditions of one rule; public sheets have up to about a hundred.
const MAX_CONDITIONS: usize = 2_000;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Atom {
    pub(crate) predicate: Symbol,
    /// Whether it was written in parentheses.
    pub(crate) compound: bool,
    pub(crate) arguments: Vec<Pattern>,
}

impl Atom {
    pub(crate) fn functor(&self) -> Functor {
        match self.compound {
            true => Functor::compound(self.predicate),
            false => Functor::constant(self.predicate),
        }
    }

    pub(crate) fn key(&self) -> (Functor, usize) {
        (self.functor(), self.arguments.len())
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Positive(Atom),
    Negative(Atom),
    Distinct(Pattern, Pattern),
    /// The negation of `distinct`.
    Same(Pattern, Pattern),
}

/// A term that may contain variables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pattern {
    Variable(usize),
    Constant(Symbol),
    Compound(Symbol, Vec<Pattern>),
}

impl Pattern {
    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(usize)) {
        match self {
            Pattern::Variable(variable) => visit(*variable),
            Pattern::Constant(_) => {}
            Pattern::Compound(_, arguments) => {
                arguments.iter().for_each(|argument| argument.for_each_variable(visit));
            }
        }
    }
}

impl Literal {
    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(usize)) {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                atom.arguments.iter().for_each(|argument| argument.for_each_variable(visit));
            }
            Literal::Distinct(left, right) | Literal::Same(left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Formula {
    Literal(Literal),
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

/// The most cases that the `or`s of one rule may make.
const MAX_CASES: usize = 20_000;

/// The disjunctive normal form of a conjunction, or nothing if it is too large.
fn expand(conjunction: Vec<Formula>) -> Option<Vec<Vec<Literal>>> {
    let mut cases = vec![Vec::new()];
    for formula in conjunction {
        let options = match formula {
            Formula::Literal(literal) => vec![vec![literal]],
            Formula::And(parts) => expand(parts)?,
            Formula::Or(parts) => {
                let expanded: Option<Vec<_>> = parts.into_iter().map(|p| expand(vec![p])).collect();
                expanded?.concat()
            }
        };
        if cases.len() * options.len() > MAX_CASES {
            return None;
        }
        cases = cases
            .iter()
            .flat_map(|case: &Vec<Literal>| {
                options.iter().map(|option| [case.as_slice(), option].concat())
            })
            .collect();
    }
    Some(cases)
}

/// The words that mean something where a predicate or a connective stands.
const KEYWORDS: [&str; 15] = [
    "role", "init", "true", "next", "legal", "does", "goal", "terminal", "base", "input", "sees",
    "not", "or", "and", "distinct",
];

fn keyword(token: &str) -> &str {
    KEYWORDS.into_iter().find(|keyword| keyword.eq_ignore_ascii_case(token)).unwrap_or(token)
}

/// One rule being read: its variables get numbers in the order in which they appear.
struct Scope<'a> {
    terms: &'a mut Terms,
    variables: FxHashMap<String, usize>,
}

impl Scope<'_> {
    fn names(self) -> Vec<String> {
        let mut names = vec![String::new(); self.variables.len()];
        for (name, number) in self.variables {
            names[number] = name;
        }
        names
    }

    fn formula(&mut self, expression: &Expression) -> Result<Formula, Fault> {
        let Expression::List(items, span) = expression else {
            return Ok(Formula::Literal(Literal::Positive(self.atom(expression)?)));
        };
        match items.first().and_then(Expression::token).map_or("", keyword) {
            "or" => Ok(Formula::Or(self.formulas(&items[1..])?)),
            "and" => Ok(Formula::And(self.formulas(&items[1..])?)),
            "not" => match &items[1..] {
                [inner] => Ok(negate(self.formula(inner)?)),
                _ => Err(Fault::new(
                    *span,
                    format!("`not` with {} arguments", items.len() - 1),
                    "write (not condition)",
                )),
            },
            "distinct" => match &items[1..] {
                [left, right] => {
                    let literal = Literal::Distinct(self.pattern(left)?, self.pattern(right)?);
                    Ok(Formula::Literal(literal))
                }
                _ => Err(Fault::new(
                    *span,
                    format!("`distinct` with {} arguments", items.len() - 1),
                    "write (distinct term term)",
                )),
            },
            _ => Ok(Formula::Literal(Literal::Positive(self.atom(expression)?))),
        }
    }

    fn formulas(&mut self, items: &[Expression]) -> Result<Vec<Formula>, Fault> {
        items.iter().map(|item| self.formula(item)).collect()
    }

    fn atom(&mut self, expression: &Expression) -> Result<Atom, Fault> {
        let (name, rest, compound) = match expression {
            Expression::Token(token, _) => (token, &[][..], false),
            Expression::List(items, span) => match items.split_first() {
                Some((Expression::Token(token, _), rest)) => (token, rest, true),
                Some(_) => {
                    return Err(Fault::new(
                        *span,
                        "a list in the place of a relation's name",
                        "write (relation argument ..)",
                    ));
                }
                None => {
                    return Err(Fault::new(*span, "an empty list", "write (relation argument ..)"));
                }
            },
        };
        if name.starts_with('?') {
            let problem = format!("the variable `{name}` in the place of a relation's name");
            return Err(Fault::new(expression.span(), problem, "name a relation"));
        }
        let name = keyword(name);
        if let Some(arity) = fixed_arity(name).filter(|&arity| arity != rest.len()) {
            let problem = format!("`{name}` with {} arguments", rest.len());
            let remedy = match arity {
                0 => "write it without arguments",
                1 => "it takes one argument",
                _ => "it takes two arguments",
            };
            return Err(Fault::new(expression.span(), problem, remedy));
        }
        // A bare `terminal` and `(terminal)` mean the same; other names do not.
        let compound = compound && name != "terminal";
        let arguments: Result<Vec<Pattern>, Fault> =
            rest.iter().map(|argument| self.pattern(argument)).collect();
        Ok(Atom { predicate: self.terms.symbol(name), compound, arguments: arguments? })
    }

    fn pattern(&mut self, expression: &Expression) -> Result<Pattern, Fault> {
        match expression {
            Expression::Token(token, _) if token.starts_with('?') => {
                let next = self.variables.len();
                Ok(Pattern::Variable(*self.variables.entry((*token).to_owned()).or_insert(next)))
            }
            Expression::Token(token, _) => Ok(Pattern::Constant(self.terms.symbol(token))),
            Expression::List(items, span) => match items.split_first() {
                Some((Expression::Token(token, _), rest)) if !token.starts_with('?') => {
                    let arguments: Result<Vec<Pattern>, Fault> =
                        rest.iter().map(|argument| self.pattern(argument)).collect();
                    Ok(Pattern::Compound(self.terms.symbol(token), arguments?))
                }
                _ => Err(Fault::new(
                    *span,
                    "a term that does not start with a name",
                    "write (function argument ..)",
                )),
            },
        }
    }
}

fn fixed_arity(name: &str) -> Option<usize> {
    match name {
        "role" | "init" | "true" | "next" | "base" => Some(1),
        "legal" | "does" | "goal" | "input" | "sees" => Some(2),
        "terminal" => Some(0),
        _ => None,
    }
}

fn negate(formula: Formula) -> Formula {
    match formula {
        Formula::And(parts) => Formula::Or(parts.into_iter().map(negate).collect()),
        Formula::Or(parts) => Formula::And(parts.into_iter().map(negate).collect()),
        Formula::Literal(literal) => Formula::Literal(match literal {
            Literal::Positive(atom) => Literal::Negative(atom),
            Literal::Negative(atom) => Literal::Positive(atom),
            Literal::Distinct(left, right) => Literal::Same(left, right),
            Literal::Same(left, right) => Literal::Distinct(left, right),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Sheet::parse(text).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_place_and_the_remedy() {
        assert_eq!(
            error("(role x)\n  (init (cell 1)"),
            "line 2, column 3: a list that is never closed; add the missing closing parenthesis"
        );
        assert!(error("(role x))").starts_with("line 1, column 9: a closing parenthesis"));
        assert!(error("(<= )").contains("rule without a head"));
        assert!(error("(<= (p ?x) (not))").contains("`not` with 0 arguments"));
        assert!(error("(role a b)").contains("`role` with 2 arguments; it takes one argument"));
        assert!(error("((a) b)").contains("a list in the place of a relation's name"));
        assert!(error("(<= (?x a) b)").contains("the variable `?x`"));
        assert!(error("()").contains("an empty list"));
        assert!(error(&"(".repeat(1000)).contains("nest too deep"));
    }

    #[test]
    fn keywords_are_read_in_any_case_and_other_tokens_are_kept() {
        let sheet = Sheet::parse("(ROLE White) ; comment\r(<= Terminal (TRUE (Cell ?x)))").unwrap();
        assert_eq!(sheet.rules.len(), 2);
        assert_eq!(sheet.terms.name(sheet.rules[0].head.predicate), "role");
        assert_eq!(sheet.terms.name(sheet.rules[1].head.predicate), "terminal");
        let Pattern::Constant(role) = sheet.rules[0].head.arguments[0] else { panic!() };
        assert_eq!(sheet.terms.name(role), "White");
        assert_eq!(sheet.position(sheet.rules[1].span), (2, 1));
    }

    #[test]
    fn disjunctions_become_rules() {
        let count = |text: &str| Sheet::parse(text).unwrap().rules.len();
        assert_eq!(count("(<= p (or a b) (or c d e))"), 6);
        assert_eq!(count("(<= p (or (and a b) (not (or c d))))"), 2);
        assert_eq!(count("(<= p (not (and a b)))"), 2);
        assert_eq!(count("(<= p)"), 1);
        let many = "(or a b c d e f g h i j)".repeat(6);
        assert!(error(&format!("(<= p {many})")).contains("too many cases"));
    }
}
