//! A result as the table that a paper prints: its rows and columns, in each cell the paper's number and
//! ours. Shipped results have no layout, so that rows and columns follow from the names of their cells.

use sakiyomi_core::stats::Tally;
use sakiyomi_eval::experiment::{Address, Evidence, Quantity, mean_of_series};
use serde::Serialize;

use super::{ExperimentResult, ResultCell, ResultTally, ResultVerdict, Span};
use crate::figures::Content;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ResultTable {
    /// Names of the experiment, or a word: `score`, `all`, `seat 1`, `NashConv`, `turns` ..
    pub columns: Vec<String>,
    pub rows: Vec<ResultTableRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ResultTableRow {
    pub name: String,
    /// Null where nothing belongs, as an agent against itself.
    pub cells: Vec<Option<ResultTableCell>>,
}

/// A number of a paper beside ours; either may be missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ResultTableCell {
    /// Its place among the cells of the result; null of a mean over cells.
    pub of: Option<usize>,
    pub paper: Option<f64>,
    /// Won, drawn and lost games, where the paper prints them.
    pub paper_counts: Option<[u64; 3]>,
    pub ours: Option<Span>,
    pub counts: [u64; 3],
    pub verdict: Option<ResultVerdict>,
}

/// The row of means over names, in which the paper's mean is ours of its numbers.
const MEAN: &str = "mean";

impl ResultTable {
    pub fn new(result: &ExperimentResult) -> ResultTable {
        let names: Vec<&str> = result.cells.iter().map(|cell| cell.name.as_str()).collect();
        let split =
            |by: &str| names.iter().map(|name| name.split_once(by)).collect::<Option<Vec<_>>>();
        let is_square = |pairs: &Vec<(&str, &str)>| {
            let [rows, columns] = [
                distinct(pairs.iter().map(|pair| pair.0)),
                distinct(pairs.iter().map(|pair| pair.1)),
            ];
            rows.len() > 1 && columns.len() > 1 && rows.len() * columns.len() == names.len()
        };
        match result.kind.as_str() {
            "round-robin" => round_robin(result, &split(" - ").unwrap_or_default()),
            "curve" | "exploitability" | "probe" | "features" | "evolution" => {
                curve(result, &split(" @ ").unwrap_or_default())
            }
            "sweep" => {
                let points = split(", ").unwrap_or_default();
                grid(result, &points.into_iter().map(|(x, y)| (y, x)).collect::<Vec<_>>())
            }
            _ => match split(" - ").filter(is_square) {
                Some(pairs) => grid(result, &pairs),
                None => duels(result),
            },
        }
    }
}

/// Names in the order in which they come first.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// A row for each name; the seats apart where the paper tells them apart.
fn duels(result: &ExperimentResult) -> ResultTable {
    let by_seat = |cell: &ResultCell| cell.seats.iter().any(|seat| seat.paper.is_some());
    let n_seats = match result.cells.iter().any(by_seat) {
        true => result.cells.iter().map(|cell| cell.seats.len()).max().unwrap_or(0),
        false => 0,
    };
    let seats = (1..=n_seats).map(|seat| format!("seat {seat}"));
    let last = if n_seats > 0 { "all" } else { "score" };
    let row = |(at, cell): (usize, &ResultCell)| {
        let seat = |seat: usize| Some(of_tally(at, cell.seats.get(seat)?));
        let cells = (0..n_seats).map(seat).chain([Some(value(result, at, cell))]).collect();
        ResultTableRow { name: cell.name.clone(), cells }
    };
    ResultTable {
        columns: seats.chain([last.to_owned()]).collect(),
        rows: result.cells.iter().enumerate().map(row).collect(),
    }
}

/// Rows and columns by the two halves of the names.
fn grid(result: &ExperimentResult, names: &[(&str, &str)]) -> ResultTable {
    let rows = distinct(names.iter().map(|name| name.0));
    let columns = distinct(names.iter().map(|name| name.1));
    let at = |row: &str, column: &str| {
        let at = names.iter().position(|name| *name == (row, column))?;
        Some(value(result, at, &result.cells[at]))
    };
    let row = |row: &&str| ResultTableRow {
        name: (*row).to_owned(),
        cells: columns.iter().map(|column| at(row, column)).collect(),
    };
    ResultTable {
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
        rows: rows.iter().map(row).collect(),
    }
}

fn curve(result: &ExperimentResult, names: &[(&str, &str)]) -> ResultTable {
    let turned: Vec<(&str, &str)> = names.iter().map(|(series, x)| (*x, *series)).collect();
    let mut table = grid(result, &turned);
    // A mean over numbers that grow says nothing; one over games does.
    let is_named = turned.iter().any(|(x, _)| x.parse::<f64>().is_err());
    if result.kind == "curve" && is_named && drawn_values(result).is_none() {
        let mean = |(i, series): (usize, &String)| Some(mean(result, names, &table, i, series));
        let cells = table.columns.iter().enumerate().map(mean).collect();
        table.rows.push(ResultTableRow { name: MEAN.to_owned(), cells });
    }
    table
}

fn mean(
    result: &ExperimentResult,
    names: &[(&str, &str)],
    table: &ResultTable,
    column: usize,
    series: &str,
) -> ResultTableCell {
    let points: Vec<(Address, Evidence)> = names
        .iter()
        .zip(&result.cells)
        .map(|((series, x), cell)| {
            let ResultTally { wins, draws, losses, .. } = cell.all;
            let tally = Tally { wins, draws, losses };
            (Address::point(series, x), Evidence { tally, ..Evidence::default() })
        })
        .collect();
    let counts: Vec<(&Address, &Evidence)> = points.iter().map(|(at, e)| (at, e)).collect();
    let papers: Option<Vec<f64>> =
        table.rows.iter().map(|row| row.cells[column].as_ref()?.paper).collect();
    ResultTableCell {
        paper: papers.map(|scores| scores.iter().sum::<f64>() / scores.len() as f64),
        ours: mean_of_series(&counts, series).map(|(mean, _)| mean.into()),
        ..ResultTableCell::default()
    }
}

/// Every agent in a row and in a column.
fn round_robin(result: &ExperimentResult, names: &[(&str, &str)]) -> ResultTable {
    let agents = distinct(names.iter().flat_map(|name| [name.0, name.1]));
    let find = |row: &str, column: &str| names.iter().position(|name| *name == (row, column));
    let at = |row: &str, column: &str| match (find(row, column), find(column, row)) {
        (Some(at), _) => Some(value(result, at, &result.cells[at])),
        (None, Some(at)) => Some(turned(at, &result.cells[at])),
        _ => None,
    };
    let row = |row: &&str| ResultTableRow {
        name: (*row).to_owned(),
        cells: agents.iter().map(|column| at(row, column)).collect(),
    };
    ResultTable {
        columns: agents.iter().map(|agent| (*agent).to_owned()).collect(),
        rows: agents.iter().map(row).collect(),
    }
}

/// A pair of two players seen from the other side.
fn turned(at: usize, cell: &ResultCell) -> ResultTableCell {
    let [wins, draws, losses] = of_tally(at, &cell.all).counts;
    let tally = ResultTally::new(Tally { wins: losses, draws, losses: wins });
    ResultTableCell {
        paper: cell.paper_turned.or(cell.all.paper.map(|paper| 1.0 - paper.score)),
        verdict: cell.all.verdict,
        ..of_tally(at, &tally)
    }
}

/// What the experiment measures of a cell.
fn value(result: &ExperimentResult, at: usize, cell: &ResultCell) -> ResultTableCell {
    let score = of_tally(at, &cell.all);
    match drawn_values(result) {
        Some(drawn) => ResultTableCell { ours: drawn_value(drawn, &cell.name), ..score },
        None => ResultTableCell { ours: cell.measured.or(score.ours), ..score },
    }
}

fn of_tally(at: usize, tally: &ResultTally) -> ResultTableCell {
    let counts = tally.paper.and_then(|paper| Some([paper.wins?, paper.draws?, paper.losses?]));
    ResultTableCell {
        of: Some(at),
        paper: tally.paper.map(|paper| paper.score),
        paper_counts: counts,
        ours: tally.score,
        counts: [tally.wins, tally.draws, tally.losses],
        verdict: tally.verdict,
    }
}

/// The figure, if what it shows of games is not their score.
fn drawn_values(result: &ExperimentResult) -> Option<&Content> {
    let figure = result.figure.as_ref()?;
    let label = match figure {
        Content::Bars { value_label, .. } => value_label,
        Content::Curves { y_label, .. } => y_label,
        _ => return None,
    };
    (result.kind == "curve" && label != Quantity::Score.label()).then_some(figure)
}

fn drawn_value(figure: &Content, name: &str) -> Option<Span> {
    let (series, x) = name.split_once(" @ ")?;
    match figure {
        Content::Bars { bars, .. } => {
            let bar = bars.iter().find(|bar| bar.label == x && bar.series == series)?;
            Some(Span { value: bar.value?, low: bar.low, high: bar.high })
        }
        Content::Curves { curves, .. } => {
            let x: f64 = x.parse().ok()?;
            let curve = curves.iter().find(|curve| curve.name == series)?;
            let point = curve.points.iter().find(|point| point.x == x)?;
            Some(Span { value: point.y, low: point.low, high: point.high })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sakiyomi_eval::Measure;
    use sakiyomi_eval::experiment::{Experiment, Scale};

    use super::*;
    use crate::report::ExperimentReport;

    fn planned(id: &str) -> (ExperimentResult, ResultTable) {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments"));
        let experiment = Experiment::load(&folder.join(format!("{id}.toml"))).unwrap();
        let report = ExperimentReport::empty(&experiment, Scale::Paper).unwrap();
        let result = ExperimentResult::from(&report);
        let table = ResultTable::new(&result);
        (result, table)
    }

    fn shape(table: &ResultTable) -> (Vec<&str>, Vec<&str>) {
        let rows = table.rows.iter().map(|row| row.name.as_str()).collect();
        (rows, table.columns.iter().map(String::as_str).collect())
    }

    fn paper(table: &ResultTable, row: usize, column: usize) -> Option<f64> {
        table.rows[row].cells[column].as_ref()?.paper
    }

    #[test]
    fn seats_that_the_paper_tells_apart_are_columns() {
        let (_, table) = planned("sangoku-table-1");
        assert_eq!(shape(&table), (vec!["UCT", "rule-based"], vec!["seat 1", "seat 2", "all"]));
        let cell = table.rows[0].cells[1].as_ref().unwrap();
        assert_eq!((cell.paper_counts, cell.ours), (Some([136, 30, 34]), None));
        assert_eq!(paper(&table, 0, 2), Some(0.725));
    }

    #[test]
    fn pairs_of_names_are_rows_and_columns() {
        let (_, table) = planned("hagetaka-reference");
        let (rows, columns) = shape(&table);
        assert_eq!(rows, ["SM-UCT", "DUCT(max)", "DUCT(mix)", "Exp3", "RM", "OOS"]);
        assert_eq!(columns, ["RAND", "SP", "SP by rank"]);
        assert_eq!(paper(&table, 4, 1), Some(0.633));
    }

    #[test]
    fn both_sides_of_a_round_robin_are_the_papers_own() {
        let (mut result, table) = planned("hagetaka-round-robin");
        assert_eq!(table.rows[0].cells[0], None, "nobody plays itself");
        // In the paper these two add up to 1.01.
        assert_eq!((paper(&table, 0, 1), paper(&table, 1, 0)), (Some(0.235), Some(0.775)));
        result.cells[0].all = ResultTally::new(Tally { wins: 3, draws: 0, losses: 1 });
        let table = ResultTable::new(&result);
        let counts =
            |row: usize, column: usize| table.rows[row].cells[column].as_ref().unwrap().counts;
        assert_eq!((counts(0, 1), counts(1, 0)), ([3, 0, 1], [1, 0, 3]));
    }

    #[test]
    fn a_mean_is_over_names_and_of_scores_only() {
        let (_, table) = planned("gdl-experience-table-3");
        assert_eq!(table.rows.len(), 11);
        assert_eq!(table.rows[10].name, MEAN);
        assert!((paper(&table, 10, 2).unwrap() - 0.6056).abs() < 1e-9, "as the notes have it");
        let (_, features) = planned("gdl-experience-table-1");
        assert_eq!((features.rows.len(), features.columns.len()), (10, 4));
        assert_eq!((paper(&features, 0, 0), paper(&features, 0, 3)), (Some(27.49), Some(19.65)));
        let (_, learned) = planned("hagetaka-figure-1");
        assert_eq!((learned.rows.len(), learned.columns.len()), (7, 6));
    }

    /// What a figure shows is what is measured, not the score of the games.
    #[test]
    fn other_measures_than_scores_are_read_from_the_figure() {
        let (mut result, _) = planned("gdl-experience-table-2");
        let Some(Content::Bars { bars, value_label, .. }) = &mut result.figure else {
            panic!("it has bars")
        };
        *value_label = Quantity::Mean(Measure::TURNS).label().to_owned();
        (bars[0].value, bars[0].low, bars[0].high) = (Some(27.0), 26.0, 28.0);
        result.cells[0].all = ResultTally::new(Tally { wins: 3, draws: 0, losses: 1 });
        let cell = ResultTable::new(&result).rows[0].cells[0].clone().unwrap();
        assert_eq!(cell.ours, Some(Span { value: 27.0, low: 26.0, high: 28.0 }));
    }
}
