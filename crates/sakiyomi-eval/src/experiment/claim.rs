//! Claims as sentences that can be checked.
//!
//! A test compares quantities of cells with numbers or with each other: `score(500) > 0.5`,
//! `turns(bonus) < turns(plain)`, `draws(a) > 0.1 and draws(a) < 0.3`, `lost(a; seat 1) <= 0`.
//! Every quantity is an estimate with its 95 % interval. A comparison agrees with our games if the
//! interval of the difference lies on its side, is contradicted if it lies on the other side, and
//! differs if our games show neither.

use std::fmt;

use sakiyomi_core::stats::{Interval, Tally, Z95, wilson};
use serde::Serialize;

/// A sentence, and the test that stands for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    pub text: String,
    pub test: Test,
}

/// Comparisons that must all hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Test(Vec<Comparison>);

#[derive(Clone, Debug, PartialEq)]
struct Comparison {
    left: Term,
    relation: Relation,
    right: Term,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Relation {
    Less,
    AtMost,
    Greater,
    AtLeast,
}

#[derive(Clone, Debug, PartialEq)]
enum Term {
    Number(f64),
    Quantity { name: Quantity, cell: String, seat: Option<usize> },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Quantity {
    Score,
    /// The score over all cells of a row of a round robin.
    Row,
    Wins,
    Draws,
    Losses,
    Won,
    Drawn,
    Lost,
    Turns,
}

const QUANTITIES: [(&str, Quantity); 9] = [
    ("score", Quantity::Score),
    ("row", Quantity::Row),
    ("wins", Quantity::Wins),
    ("draws", Quantity::Draws),
    ("losses", Quantity::Losses),
    ("won", Quantity::Won),
    ("drawn", Quantity::Drawn),
    ("lost", Quantity::Lost),
    ("turns", Quantity::Turns),
];

/// What our games say about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Our games show it too, with 95 % confidence.
    Agrees,
    /// Our games show neither it nor the opposite.
    Differs,
    /// Our games show the opposite, with 95 % confidence.
    Contradicts,
    /// Cells that it speaks of have no games yet.
    NotRun,
}

/// A value and the 95 % interval in which the truth lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// What was counted in a cell: all that a test may ask for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    pub tally: Tally,
    pub seats: Vec<Tally>,
    /// How often a match had each number of turns, in rising order.
    pub turns: Vec<(u32, u64)>,
}

impl Claim {
    /// The verdict on what was counted. `cell` finds the evidence of a cell by its name, and
    /// `row` that of all cells of a row of a round robin.
    pub fn judge(
        &self,
        cell: &dyn Fn(&str) -> Option<Evidence>,
        row: &dyn Fn(&str) -> Option<Evidence>,
    ) -> Verdict {
        let verdicts: Vec<Verdict> =
            self.test.0.iter().map(|comparison| comparison.judge(cell, row)).collect();
        [Verdict::NotRun, Verdict::Contradicts, Verdict::Differs]
            .into_iter()
            .find(|verdict| verdicts.contains(verdict))
            .unwrap_or(Verdict::Agrees)
    }

    /// The cells and rows that the test speaks of.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, bool)> {
        let terms = self.test.0.iter().flat_map(|comparison| [&comparison.left, &comparison.right]);
        terms.filter_map(|term| match term {
            Term::Number(_) => None,
            Term::Quantity { name, cell, .. } => Some((cell.as_str(), *name == Quantity::Row)),
        })
    }
}

impl Test {
    /// Reads the text form.
    pub(super) fn parse(text: &str) -> Result<Test, String> {
        text.split(" and ").map(parse_comparison).collect::<Result<_, _>>().map(Test)
    }
}

fn parse_comparison(text: &str) -> Result<Comparison, String> {
    let relations = [
        ("<=", Relation::AtMost),
        (">=", Relation::AtLeast),
        ("<", Relation::Less),
        (">", Relation::Greater),
    ];
    let found = relations.iter().find_map(|(sign, relation)| {
        text.split_once(sign).map(|(left, right)| (left, *relation, right))
    });
    let Some((left, relation, right)) = found else {
        return Err(format!("`{}` compares nothing; expected <, <=, > or >=", text.trim()));
    };
    Ok(Comparison { left: parse_term(left)?, relation, right: parse_term(right)? })
}

fn parse_term(text: &str) -> Result<Term, String> {
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return Ok(Term::Number(number));
    }
    let known = || QUANTITIES.map(|(name, _)| name).join(", ");
    let Some((name, rest)) = text.split_once('(').filter(|(_, rest)| rest.ends_with(')')) else {
        return Err(format!("`{text}` is neither a number nor a quantity; known: {}", known()));
    };
    let quantity = QUANTITIES.iter().find(|(known, _)| *known == name.trim());
    let Some(&(_, quantity)) = quantity else {
        return Err(format!("no quantity is called `{name}`; known: {}", known()));
    };
    let inside = &rest[..rest.len() - 1];
    let (cell, seat) = match inside.split_once(';') {
        None => (inside, None),
        Some((cell, seat)) => {
            let number = seat.trim().strip_prefix("seat ").and_then(|n| n.trim().parse().ok());
            let wrong = || format!("`{}` is no seat; expected `seat 1`, `seat 2` ..", seat.trim());
            (cell, Some(number.filter(|&n: &usize| n > 0).ok_or_else(wrong)? - 1))
        }
    };
    Ok(Term::Quantity { name: quantity, cell: cell.trim().to_owned(), seat })
}

impl Comparison {
    fn judge(
        &self,
        cell: &dyn Fn(&str) -> Option<Evidence>,
        row: &dyn Fn(&str) -> Option<Evidence>,
    ) -> Verdict {
        let (Some(left), Some(right)) =
            (self.left.estimate(cell, row), self.right.estimate(cell, row))
        else {
            return Verdict::NotRun;
        };
        let Interval { low, high } = left.minus(&right);
        let (holds, fails) = match self.relation {
            Relation::Less => (high < 0.0, low >= 0.0),
            Relation::AtMost => (high <= 0.0, low > 0.0),
            Relation::Greater => (low > 0.0, high <= 0.0),
            Relation::AtLeast => (low >= 0.0, high < 0.0),
        };
        match (holds, fails) {
            (true, _) => Verdict::Agrees,
            (_, true) => Verdict::Contradicts,
            _ => Verdict::Differs,
        }
    }
}

impl Term {
    fn estimate(
        &self,
        cell: &dyn Fn(&str) -> Option<Evidence>,
        row: &dyn Fn(&str) -> Option<Evidence>,
    ) -> Option<Estimate> {
        match self {
            Term::Number(number) => Some(Estimate::exactly(*number)),
            Term::Quantity { name, cell: of, seat } => {
                let evidence = if *name == Quantity::Row { row(of)? } else { cell(of)? };
                evidence.estimate(*name, *seat)
            }
        }
    }
}

impl Estimate {
    pub fn exactly(value: f64) -> Estimate {
        Estimate { value, low: value, high: value }
    }

    /// The interval of the difference of two independent estimates, from theirs (Zou and Donner
    /// 2008, "MOVER").
    fn minus(&self, other: &Estimate) -> Interval {
        let difference = self.value - other.value;
        let below = (self.value - self.low).hypot(other.high - other.value);
        let above = (self.high - self.value).hypot(other.value - other.low);
        Interval { low: difference - below, high: difference + above }
    }
}

impl Evidence {
    pub fn score(&self) -> Option<Estimate> {
        self.estimate(Quantity::Score, None)
    }

    pub fn draws(&self) -> Option<Estimate> {
        self.estimate(Quantity::Draws, None)
    }

    pub fn turns(&self) -> Option<Estimate> {
        self.estimate(Quantity::Turns, None)
    }

    /// Adds the counts of other games.
    pub fn add(&mut self, other: &Evidence) {
        self.tally += other.tally;
        self.seats.resize(self.seats.len().max(other.seats.len()), Tally::default());
        for (seat, more) in self.seats.iter_mut().zip(&other.seats) {
            *seat += *more;
        }
        for &(turns, count) in &other.turns {
            match self.turns.binary_search_by_key(&turns, |&(known, _)| known) {
                Ok(at) => self.turns[at].1 += count,
                Err(at) => self.turns.insert(at, (turns, count)),
            }
        }
    }

    fn estimate(&self, quantity: Quantity, seat: Option<usize>) -> Option<Estimate> {
        let tally = match seat {
            None => self.tally,
            Some(seat) => *self.seats.get(seat)?,
        };
        let n = tally.games();
        let score = tally.score()?;
        let share = |count: u64| {
            let Interval { low, high } = wilson(count, n, Z95);
            Estimate { value: count as f64 / n as f64, low, high }
        };
        Some(match quantity {
            Quantity::Score | Quantity::Row => {
                let Interval { low, high } = tally.interval();
                Estimate { value: score, low, high }
            }
            Quantity::Wins => share(tally.wins),
            Quantity::Draws => share(tally.draws),
            Quantity::Losses => share(tally.losses),
            Quantity::Won => Estimate::exactly(tally.wins as f64),
            Quantity::Drawn => Estimate::exactly(tally.draws as f64),
            Quantity::Lost => Estimate::exactly(tally.losses as f64),
            Quantity::Turns => self.mean_turns()?,
        })
    }

    fn mean_turns(&self) -> Option<Estimate> {
        let n: u64 = self.turns.iter().map(|&(_, count)| count).sum();
        if n == 0 {
            return None;
        }
        let mean = |power: i32| {
            let sum = |&(turns, count): &(u32, u64)| f64::from(turns).powi(power) * count as f64;
            self.turns.iter().map(sum).sum::<f64>() / n as f64
        };
        let value = mean(1);
        // One game tells nothing about the spread, so its interval is open to all sides.
        let variance = (mean(2) - value * value).max(0.0) * n as f64 / (n as f64 - 1.0);
        let half = if n == 1 { f64::INFINITY } else { Z95 * (variance / n as f64).sqrt() };
        Some(Estimate { value, low: value - half, high: value + half })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Agrees => "agrees",
            Verdict::Differs => "differs",
            Verdict::Contradicts => "contradicts",
            Verdict::NotRun => "not run",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(test: &str, cells: &[(&str, Evidence)]) -> Verdict {
        let claim = Claim { text: String::new(), test: Test::parse(test).unwrap() };
        let find = |name: &str| {
            cells.iter().find(|(known, _)| *known == name).map(|(_, evidence)| evidence.clone())
        };
        claim.judge(&find, &find)
    }

    fn evidence(wins: u64, draws: u64, losses: u64) -> Evidence {
        let tally = Tally { wins, draws, losses };
        let turns = vec![(10, tally.games() / 2), (12, tally.games() - tally.games() / 2)];
        Evidence { tally, seats: vec![tally, Tally::default()], turns }
    }

    #[test]
    fn a_claim_is_judged_by_intervals() {
        let cells =
            [("a", evidence(70, 0, 30)), ("b", evidence(52, 0, 48)), ("c", evidence(9, 2, 89))];
        for (test, verdict) in [
            ("score(a) > 0.5", Verdict::Agrees),
            ("score(b) > 0.5", Verdict::Differs),
            ("score(c) > 0.5", Verdict::Contradicts),
            ("score(c) < score(a)", Verdict::Agrees),
            ("score(a) < score(b)", Verdict::Contradicts),
            ("score(a) > 0.5 and score(b) > 0.5", Verdict::Differs),
            ("score(a) > 0.5 and score(c) > 0.5", Verdict::Contradicts),
            ("score(z) > 0.5 and score(c) > 0.5", Verdict::NotRun),
            ("draws(c) > 0.5", Verdict::Contradicts),
            ("lost(a) <= 30 and lost(a) >= 30", Verdict::Agrees),
            ("lost(a) < 30", Verdict::Contradicts),
            ("wins(a) > 0.5 and losses(a) < 0.5", Verdict::Agrees),
            ("score(a; seat 1) > 0.5", Verdict::Agrees),
            ("score(a; seat 2) > 0.5", Verdict::NotRun),
            ("turns(a) > 10.5 and turns(a) < 11.5", Verdict::Agrees),
            ("turns(a) > turns(b)", Verdict::Differs),
            ("row(a) > 0.5", Verdict::Agrees),
            ("0.5 < score(a)", Verdict::Agrees),
        ] {
            assert_eq!(judge(test, &cells), verdict, "{test}");
        }
    }

    #[test]
    fn wrong_tests_say_what_would_be_right() {
        let error = |text: &str| Test::parse(text).unwrap_err();
        assert!(error("score(a)").contains("expected <, <=, > or >="));
        assert!(error("skore(a) > 1").contains("no quantity is called `skore`; known: score"));
        assert!(error("score > 1").contains("neither a number nor a quantity"));
        assert!(error("score(a; seat 0) > 1").contains("no seat"));
    }

    #[test]
    fn evidence_adds_up() {
        let mut sum = evidence(1, 2, 3);
        sum.add(&evidence(10, 20, 30));
        assert_eq!(sum.tally, Tally { wins: 11, draws: 22, losses: 33 });
        assert_eq!(sum.turns, [(10, 33), (12, 33)]);
        let mut empty = Evidence::default();
        empty.add(&sum);
        assert_eq!(empty, sum);
        assert_eq!(Evidence::default().score(), None);
        assert!(evidence(1, 0, 0).turns().unwrap().high.is_infinite());
    }
}
