//! Claims as sentences that can be checked.
//!
//! A test compares quantities of cells with numbers or with each other: `score(500) > 0.5`,
//! `length(bonus; won) < length(plain; won)`, `draws(a) > 0.1 and draws(a) < 0.3`,
//! `lost(a; seat 1) <= 0`.
//! Every quantity is an estimate with its 95 % interval. A comparison agrees with our games if the
//! interval of the difference lies on its side, is contradicted if it lies on the other side, and
//! differs if our games show neither although they would have shown a difference of 0.02 (of lengths: a
//! fiftieth). With less, and with fewer than 30 games, there are not enough games for a verdict.

use std::fmt;

use sakiyomi_core::stats::Interval;
use serde::Serialize;

use super::address::{Counts, Row, evidence_called, mean_of_series};
use super::evidence::{Estimate, Part, Quantity};

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
    Quantity { name: Quantity, cell: String, part: Part },
}

/// What our games say about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Our games show it too, with 95 % confidence.
    Agrees,
    /// Our games lie on the same side of one half as a paper's number, but nearer to it.
    AgreesButSmaller,
    /// Our games show that there is hardly a difference, where it says that there is one.
    Differs,
    /// Our games show the opposite, with 95 % confidence.
    Contradicts,
    /// Too few games to show it, the opposite, or that there is hardly a difference.
    NotEnoughGames,
    /// Cells that it speaks of have no games yet.
    NotRun,
}

impl Verdict {
    /// Half of the widest interval of a difference at which a number of a paper can be said to agree: scores are
    /// told apart to a tenth.
    pub(super) const RESOLUTION: f64 = 0.1;
    /// A difference that lies within this for certain is hardly one: of scores as it is, of lengths in
    /// parts of themselves. Whatever may be larger has not been told apart yet.
    const HARDLY: f64 = 0.02;
    /// With fewer games the intervals of scores near 0 and 1 are too narrow to be relied on.
    pub(super) const LEAST_GAMES: u64 = 30;
}

impl Claim {
    /// The verdict on what was counted.
    pub fn judge(&self, cells: Counts<'_>) -> Verdict {
        let verdicts: Vec<Verdict> =
            self.test.0.iter().map(|comparison| comparison.judge(cells)).collect();
        [Verdict::NotRun, Verdict::Contradicts, Verdict::NotEnoughGames, Verdict::Differs]
            .into_iter()
            .find(|verdict| verdicts.contains(verdict))
            .unwrap_or(Verdict::Agrees)
    }

    /// What the test speaks of: cells, rows and series, by the quantity that is asked for.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, Quantity)> {
        let terms = self.test.0.iter().flat_map(|comparison| [&comparison.left, &comparison.right]);
        terms.filter_map(|term| match term {
            Term::Number(_) => None,
            Term::Quantity { name, cell, .. } => Some((cell.as_str(), *name)),
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
    let known = || Quantity::all().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
    let Some((name, rest)) = text.split_once('(').filter(|(_, rest)| rest.ends_with(')')) else {
        return Err(format!("`{text}` is neither a number nor a quantity; known: {}", known()));
    };
    let Some(quantity) = Quantity::named(name.trim()) else {
        return Err(format!("no quantity is called `{name}`; known: {}", known()));
    };
    let inside = &rest[..rest.len() - 1];
    let (cell, part) = match inside.split_once(';') {
        None => (inside, Part::All),
        Some((cell, part)) => (cell, parse_part(part.trim())?),
    };
    if !quantity.has(part) {
        let parts = match quantity {
            Quantity::Mean(_) => "`won`, `drawn` or `lost` games",
            Quantity::Measured(_) => "nothing less than the whole cell",
            Quantity::MeanScore => "nothing less than the whole series",
            Quantity::Row => "nothing less than the whole row",
            _ => "a seat",
        };
        return Err(format!("`{name}` can be asked for in {parts}, not as in `{text}`"));
    }
    Ok(Term::Quantity { name: quantity, cell: cell.trim().to_owned(), part })
}

fn parse_part(text: &str) -> Result<Part, String> {
    let number = || text.strip_prefix("seat ").and_then(|n| n.trim().parse().ok());
    match text {
        "won" => Ok(Part::Won),
        "drawn" => Ok(Part::Drawn),
        "lost" => Ok(Part::Lost),
        _ => number().filter(|&n: &usize| n > 0).map(|n| Part::Seat(n - 1)).ok_or_else(|| {
            format!("`{text}` is no part of the games; expected `seat 1`, `seat 2` .., `won`, `drawn` or `lost`")
        }),
    }
}

impl Comparison {
    fn judge(&self, cells: Counts<'_>) -> Verdict {
        let (Some((left, n_left)), Some((right, n_right))) =
            (self.left.estimate(cells), self.right.estimate(cells))
        else {
            return Verdict::NotRun;
        };
        if n_left.min(n_right) < Verdict::LEAST_GAMES {
            return Verdict::NotEnoughGames;
        }
        let Interval { low, high } = match (self.left.row(cells), self.right.row(cells)) {
            (Some(left), Some(right)) => left.minus(&right),
            _ => left.minus(&right),
        };
        let (holds, fails) = match self.relation {
            Relation::Less => (high < 0.0, low >= 0.0),
            Relation::AtMost => (high <= 0.0, low > 0.0),
            Relation::Greater => (low > 0.0, high <= 0.0),
            Relation::AtLeast => (low >= 0.0, high < 0.0),
        };
        match (holds, fails) {
            (true, _) => Verdict::Agrees,
            (_, true) => Verdict::Contradicts,
            // Numbers above 1 are lengths of games.
            _ if high.max(-low) > Verdict::HARDLY * left.value.abs().max(1.0) => {
                Verdict::NotEnoughGames
            }
            _ => Verdict::Differs,
        }
    }
}

impl Term {
    /// The row of a round robin, if that is what it asks for.
    fn row(&self, cells: Counts<'_>) -> Option<Row> {
        match self {
            Term::Quantity { name: Quantity::Row, cell, .. } => Row::of(cells, cell),
            _ => None,
        }
    }

    /// What is known, and from how many games. What is not counted in games has no least number: the
    /// spread of measurements is part of their interval.
    fn estimate(&self, cells: Counts<'_>) -> Option<(Estimate, u64)> {
        match self {
            Term::Number(number) => Some((Estimate::exactly(*number), u64::MAX)),
            Term::Quantity { name: Quantity::MeanScore, cell: series, .. } => {
                mean_of_series(cells, series)
            }
            Term::Quantity { name: Quantity::Row, .. } => {
                self.row(cells).map(|row| (row.estimate(), row.n_games))
            }
            Term::Quantity { name, cell: of, part } => {
                let evidence = evidence_called(cells, of)?;
                let n = match name {
                    Quantity::Measured(_) => u64::MAX,
                    _ => evidence.n_games(*part),
                };
                Some((evidence.estimate(*name, *part)?, n))
            }
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Agrees => "agrees",
            Verdict::AgreesButSmaller => "agrees, but smaller",
            Verdict::Differs => "differs",
            Verdict::Contradicts => "contradicts",
            Verdict::NotEnoughGames => "not enough games",
            Verdict::NotRun => "not run",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::evidence::tests::{evidence, nash_convs};
    use super::super::{Address, Evidence};
    use super::*;

    fn judge(test: &str, cells: &[(&str, Evidence)]) -> Verdict {
        let claim = Claim { text: String::new(), test: Test::parse(test).unwrap() };
        let address = |name: &str| match (name.split_once(" - "), name.split_once(" @ ")) {
            (Some((row, column)), _) => Address::pair(row, column),
            (_, Some((series, x))) => Address::point(series, x),
            _ => Address::named(name),
        };
        let addresses: Vec<Address> = cells.iter().map(|(name, _)| address(name)).collect();
        let evidence = cells.iter().map(|(_, evidence)| evidence);
        claim.judge(&addresses.iter().zip(evidence).collect::<Vec<_>>())
    }

    #[test]
    fn a_claim_is_judged_by_intervals() {
        let measured = nash_convs(&[0.30, 0.31, 0.32]);
        let cells = [
            ("a", evidence(70, 0, 30)),
            ("b", evidence(52, 0, 48)),
            ("c", evidence(9, 2, 89)),
            ("d", evidence(72, 0, 28)),
            ("e", measured),
            ("f", evidence(21, 0, 19)),
            ("g", evidence(12, 0, 0)),
            ("h", evidence(5010, 0, 4990)),
            ("r - s", Evidence { seats: vec![Default::default(); 2], ..evidence(70, 0, 30) }),
            // Told apart if the two rows were independent: the interval is [-0.02, 0.26], not [0.02, 0.22].
            ("u - v", evidence(56, 0, 44)),
            ("x - y", evidence(70, 0, 30)),
            ("x - z", Evidence::default()),
            ("m @ 1", evidence(70, 0, 30)),
            ("m @ 2", evidence(60, 0, 40)),
        ];
        for (test, verdict) in [
            ("score(a) > 0.5", Verdict::Agrees),
            ("score(b) > 0.5", Verdict::NotEnoughGames),
            ("score(h) > 0.5", Verdict::Differs),
            ("score(c) > 0.5", Verdict::Contradicts),
            ("score(c) < score(a)", Verdict::Agrees),
            ("score(a) < score(b)", Verdict::Contradicts),
            ("score(a) > 0.5 and score(h) > 0.5", Verdict::Differs),
            ("score(a) > 0.5 and score(c) > 0.5", Verdict::Contradicts),
            ("score(z) > 0.5 and score(c) > 0.5", Verdict::NotRun),
            ("draws(c) > 0.5", Verdict::Contradicts),
            ("lost(a) <= 30 and lost(a) >= 30", Verdict::Agrees),
            ("lost(a) < 30", Verdict::Contradicts),
            ("wins(a) > 0.5 and losses(a) < 0.5", Verdict::Agrees),
            ("score(a; seat 1) > 0.5", Verdict::Agrees),
            ("score(a; seat 2) > 0.5", Verdict::NotRun),
            ("turns(a) > 11 and turns(a) < 12", Verdict::Agrees),
            ("turns(d) > turns(a)", Verdict::NotEnoughGames),
            ("length(a; won) > length(a; lost)", Verdict::Agrees),
            ("length(a; won) < 11", Verdict::Contradicts),
            ("length(a; drawn) > 0", Verdict::NotRun),
            ("nash_conv(e) < 0.5", Verdict::Agrees),
            ("nash_conv(a) < 0.5", Verdict::NotRun),
            ("row(r) > 0.5 and row(s) < 0.5", Verdict::Agrees),
            ("row(x) > row(y)", Verdict::NotRun),
            ("row(u) > row(v)", Verdict::NotEnoughGames),
            ("mean(m) > 0.55 and mean(m) < 0.75", Verdict::Agrees),
            ("mean(m) > score(m @ 1)", Verdict::NotEnoughGames),
            ("mean(n) > 0.5", Verdict::NotRun),
            ("0.5 < score(a)", Verdict::Agrees),
            ("score(f) > 0.5", Verdict::NotEnoughGames),
            ("score(f) < 0.9", Verdict::Agrees),
            ("score(f) > 0.9", Verdict::Contradicts),
            ("score(f) > 0.5 and score(c) > 0.5", Verdict::Contradicts),
            ("score(f) > 0.5 and score(b) > 0.5", Verdict::NotEnoughGames),
            ("score(g) > 0.5", Verdict::NotEnoughGames),
            ("lost(g) <= 0", Verdict::NotEnoughGames),
            ("length(c; won) > 11", Verdict::NotEnoughGames),
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
        assert!(error("score(a; seat 0) > 1").contains("is no part of the games"));
        assert!(error("score(a; won) > 1").contains("can be asked for in a seat"));
        assert!(error("mean(a; seat 1) > 1").contains("nothing less than the whole series"));
        assert!(error("row(a; seat 1) > 1").contains("nothing less than the whole row"));
        assert!(error("length(a; seat 1) > 1").contains("`won`, `drawn` or `lost` games"));
    }
}
