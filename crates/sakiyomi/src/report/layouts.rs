//! How the cells of each kind of experiment become tables and figures.

use sakiyomi_catalog::{replay, views};
use sakiyomi_core::Player;
use sakiyomi_core::stats::{Interval, Tally};
use sakiyomi_eval::Measure;
use sakiyomi_eval::experiment::{
    Address, Axis, Distribution, Estimate, Evidence, Layout, Part, Quantity, Reading, Row,
    evidence_at, mean_of_series,
};

use super::{Block, CellReport, ExperimentReport, counts};
use crate::draw::draw;
use crate::figures::{Bar, Content, Counts, Curve, CurvePoint, Figure};
use crate::numbers::{interval_text, p_text, score_text};

fn measured(cell: &CellReport, measure: Quantity) -> Option<Estimate> {
    let shipped = cell.measured.filter(|_| matches!(measure, Quantity::Measured(_)));
    cell.evidence.estimate(measure, Part::All).or(cell.drawn).or(shipped)
}

fn score(evidence: Option<Evidence>) -> Option<Estimate> {
    evidence?.estimate(Quantity::Score, Part::All)
}

fn at<'a>(report: &'a ExperimentReport, address: &Address) -> Option<&'a CellReport> {
    report.cells.iter().find(|cell| cell.address == *address)
}

pub(super) fn tables(report: &ExperimentReport) -> Vec<Block> {
    match &report.layout {
        Layout::Duels => vec![duel_table(report)],
        Layout::RoundRobin { agents } => round_robin_tables(report, agents),
        Layout::Curve { x, series, measure } => vec![curve_table(report, x, series, *measure)],
        Layout::Histogram { series } => vec![histogram_table(report, series)],
        Layout::Sweep { x, y, measure } => vec![sweep_table(report, x, y, *measure)],
        Layout::Game => shown_game(report),
    }
}

fn duel_table(report: &ExperimentReport) -> Block {
    let header =
        ["duel", "seat", "games", "won", "drawn", "lost", "score", "95 %", "p", "paper", "verdict"];
    let mut rows = Vec::new();
    for cell in &report.cells {
        let seats = cell
            .seats
            .iter()
            .enumerate()
            .map(|(i, tally)| (format!("{}", i + 1), *tally, cell.paper_seats.get(i).copied()));
        let all = ("all".to_owned(), cell.tally, cell.paper_tally);
        for (i, (seat, tally, paper)) in seats.chain([all]).enumerate() {
            let is_all = seat == "all";
            let score = if is_all { cell.paper_score } else { paper.and_then(|p| p.score()) };
            let verdict = match is_all {
                true => cell.verdict,
                false => cell.verdict_seats.get(i).copied().flatten(),
            };
            rows.push(vec![
                cell.name.clone(),
                seat,
                tally.games().to_string(),
                tally.wins.to_string(),
                tally.draws.to_string(),
                tally.losses.to_string(),
                score_text(tally.score()),
                interval_text(tally.interval()),
                p_text(tally.sign_test_of(cell.seats.len())),
                paper_text(score, paper),
                verdict.map(|verdict| verdict.to_string()).unwrap_or_default(),
            ]);
        }
    }
    Block::Table { header: header.map(str::to_owned).to_vec(), rows }
}

fn round_robin_tables(report: &ExperimentReport, agents: &[String]) -> Vec<Block> {
    let percent = |estimate: Option<Estimate>| match estimate {
        Some(Estimate { value, low, high }) => {
            format!("{:.1} [{:.1}, {:.1}]", 100.0 * value, 100.0 * low, 100.0 * high)
        }
        None => "-".to_owned(),
    };
    let header: Vec<String> = ["%".to_owned()]
        .into_iter()
        .chain(agents.iter().cloned())
        .chain(["mean".to_owned()])
        .collect();
    let counts = counts(&report.cells);
    let row = |row: &String| {
        let cell = |column: &String| match row == column {
            true => String::new(),
            false => percent(score(evidence_at(&counts, &Address::pair(row, column)))),
        };
        let mean = percent(Row::of(&counts, row).map(|row| row.estimate()));
        [row.clone()].into_iter().chain(agents.iter().map(cell)).chain([mean]).collect::<Vec<_>>()
    };
    vec![Block::Table { header, rows: agents.iter().map(row).collect() }]
}

fn curve_table(report: &ExperimentReport, x: &Axis, series: &[String], measure: Quantity) -> Block {
    let counted = report.kind.counted();
    let header = [x.label.as_str(), "series", measure.label(), "95 %", counted, "paper", "verdict"];
    let mut rows = Vec::new();
    for value in &x.values {
        for name in series {
            let Some(cell) = at(report, &Address::point(name, value)) else { continue };
            let estimate = measured(cell, measure);
            rows.push(vec![
                value.clone(),
                name.clone(),
                score_text(estimate.map(|estimate| estimate.value)),
                estimate.map_or_else(|| "-".to_owned(), |e| interval_text(e.interval())),
                cell.games.to_string(),
                paper_text(cell.paper_score, None),
                cell.verdict.map(|verdict| verdict.to_string()).unwrap_or_default(),
            ]);
        }
    }
    // A mean over numbers that grow says nothing; one over games does.
    if measure == Quantity::Score && x.values.iter().all(|value| value.parse::<f64>().is_err()) {
        rows.extend(series.iter().filter_map(|name| mean_row(report, x, name)));
    }
    Block::Table { header: header.map(str::to_owned).to_vec(), rows }
}

/// The mean of a series over all values of x, beside that of the paper if it has them all.
fn mean_row(report: &ExperimentReport, x: &Axis, series: &str) -> Option<Vec<String>> {
    let (mean, n_games) = mean_of_series(&counts(&report.cells), series)?;
    let paper = |value: &String| at(report, &Address::point(series, value))?.paper_score;
    let papers: Option<Vec<f64>> = x.values.iter().map(paper).collect();
    let paper = papers.map(|scores| scores.iter().sum::<f64>() / scores.len() as f64);
    Some(vec![
        "mean".to_owned(),
        series.to_owned(),
        score_text(Some(mean.value)),
        interval_text(mean.interval()),
        n_games.to_string(),
        paper_text(paper, None),
        String::new(),
    ])
}

fn histogram_table(report: &ExperimentReport, series: &[String]) -> Block {
    let header = ["series", "games", "mean turns", "95 %", "shortest", "median", "longest"];
    let row = |name: &String| {
        let cell = at(report, &Address::named(name))?;
        let turns = &cell.evidence.measures[Measure::TURNS];
        let mean = turns.mean(Part::All);
        let mut left = cell.games.div_ceil(2);
        let median = turns.iter().find(|(_, tally)| {
            let is_here = tally.games() >= left;
            left = left.saturating_sub(tally.games());
            is_here
        });
        let text = |turns: Option<(f64, Tally)>| {
            turns.map_or_else(|| "-".to_owned(), |(turns, _)| turns.to_string())
        };
        Some(vec![
            name.clone(),
            cell.games.to_string(),
            mean.map_or_else(|| "-".to_owned(), |mean| format!("{:.2}", mean.value)),
            mean.map_or_else(
                || "-".to_owned(),
                |mean| format!("[{:.2}, {:.2}]", mean.low, mean.high),
            ),
            text(turns.iter().next()),
            text(median),
            text(turns.iter().next_back()),
        ])
    };
    Block::Table {
        header: header.map(str::to_owned).to_vec(),
        rows: series.iter().filter_map(row).collect(),
    }
}

fn sweep_table(report: &ExperimentReport, x: &Axis, y: &Axis, measure: Quantity) -> Block {
    let corner = format!("{} \\ {}", y.label, x.label);
    let header: Vec<String> = [corner].into_iter().chain(x.values.iter().cloned()).collect();
    let row = |y: &String| {
        let cell = |x: &String| {
            let estimate =
                at(report, &Address::grid(x, y)).and_then(|cell| measured(cell, measure));
            match estimate {
                Some(e) => format!("{:.3} {}", e.value, interval_text(e.interval())),
                None => "-".to_owned(),
            }
        };
        [y.clone()].into_iter().chain(x.values.iter().map(cell)).collect::<Vec<_>>()
    };
    Block::Table { header, rows: y.values.iter().map(row).collect() }
}

/// The match move by move.
fn shown_game(report: &ExperimentReport) -> Vec<Block> {
    let Some(record) = &report.record else { return Vec::new() };
    let (Ok(table), Ok(views)) = (replay(record), views(record)) else { return Vec::new() };
    let [first, second] = [0, 1].map(|i| table.player_name(Player(i)));
    let cell = &report.cells[0];
    let seats = format!("{first}: `{}`, {second}: `{}`", cell.first, cell.second);
    let steps =
        record.moves.iter().enumerate().map(|(i, texts)| format!("{}. {}", i + 1, texts.join(" ")));
    let mut blocks = Vec::new();
    for (step, view) in std::iter::once(seats).chain(steps).zip(views) {
        blocks.push(Block::Paragraph(step));
        blocks.push(Block::Verbatim(draw(&view, false)));
    }
    blocks
}

pub(super) fn figure(report: &ExperimentReport) -> Option<Figure> {
    let content = match &report.layout {
        Layout::Duels => duel_bars(report),
        Layout::RoundRobin { agents } => round_robin_map(report, agents),
        // Lengths, kinds and shares have no axis in common.
        Layout::Curve { measure: Quantity::Measured(Reading::Feature), .. } => return None,
        Layout::Curve { x, series, measure } => curves(report, x, series, *measure),
        Layout::Histogram { series } => Content::Histogram {
            x_label: Measure::TURNS.entry().label.to_owned(),
            y_label: "share of games".to_owned(),
            series: series
                .iter()
                .filter_map(|name| at(report, &Address::named(name)))
                .map(|cell| Counts {
                    name: cell.name.clone(),
                    counts: games_of(&cell.evidence.measures[Measure::TURNS]),
                })
                .collect(),
        },
        Layout::Sweep { x, y, measure } => sweep_map(report, x, y, *measure),
        Layout::Game => return None,
    };
    Some(Figure { title: report.title.clone(), content })
}

fn games_of(values: &Distribution) -> Vec<(f64, u64)> {
    values.iter().map(|(value, tally)| (value, tally.games())).collect()
}

fn duel_bars(report: &ExperimentReport) -> Content {
    let bar = |cell: &CellReport| {
        let Interval { low, high } = cell.interval;
        Some(Bar {
            label: cell.name.clone(),
            series: String::new(),
            value: Some(cell.score?),
            low,
            high,
            reference: cell.paper_score,
        })
    };
    Content::Bars {
        value_label: "score of the first agent".to_owned(),
        bars: report.cells.iter().filter_map(bar).collect(),
        // An equal share; without games there are no seats.
        baseline: report.cells.first().map(|cell| 1.0 / cell.seats.len().max(2) as f64),
    }
}

fn round_robin_map(report: &ExperimentReport, agents: &[String]) -> Content {
    let counts = counts(&report.cells);
    let score = |(row, column): (&String, &String)| {
        score(evidence_at(&counts, &Address::pair(row, column))).map(|e| e.value)
    };
    Content::HeatMap {
        x_label: "against".to_owned(),
        y_label: "agent".to_owned(),
        value_label: "score".to_owned(),
        columns: agents.to_vec(),
        rows: agents.to_vec(),
        values: agents
            .iter()
            .flat_map(|row| agents.iter().map(move |c| (row, c)))
            .map(score)
            .collect(),
        range: (0.0, 1.0),
    }
}

/// Lines over numbers. Values that are names have a row each, for nothing lies between them.
fn curves(report: &ExperimentReport, x: &Axis, series: &[String], measure: Quantity) -> Content {
    let numbers: Option<Vec<f64>> = x.values.iter().map(|value| value.parse().ok()).collect();
    let Some(numbers) = numbers else { return named_rows(report, x, series, measure) };
    let curve = |name: &String| {
        let cells = || {
            let cell =
                |(x, value): (&f64, &String)| Some((*x, at(report, &Address::point(name, value))?));
            numbers.iter().zip(&x.values).filter_map(cell)
        };
        let point = |(x, cell): (f64, &CellReport)| {
            let Estimate { value, low, high } = measured(cell, measure)?;
            Some(CurvePoint { x, y: value, low, high })
        };
        Curve {
            name: name.clone(),
            points: cells().filter_map(point).collect(),
            references: cells().filter_map(|(x, cell)| Some((x, cell.paper_score?))).collect(),
        }
    };
    Content::Curves {
        x_label: x.label.clone(),
        y_label: measure.label().to_owned(),
        log_x: x.log,
        curves: series.iter().map(curve).collect(),
        baseline: (measure == Quantity::Score).then_some(0.5),
    }
}

fn named_rows(
    report: &ExperimentReport,
    x: &Axis,
    series: &[String],
    measure: Quantity,
) -> Content {
    let bar = |(label, name): (&String, &String)| {
        let cell = at(report, &Address::point(name, label))?;
        let estimate = measured(cell, measure);
        let (low, high) = estimate.map_or((0.0, 0.0), |estimate| (estimate.low, estimate.high));
        Some(Bar {
            label: label.clone(),
            series: name.clone(),
            value: estimate.map(|estimate| estimate.value),
            low,
            high,
            reference: cell.paper_score,
        })
    };
    let pairs = x.values.iter().flat_map(|label| series.iter().map(move |name| (label, name)));
    let bars = pairs.filter_map(bar).filter(|bar| bar.value.is_some() || bar.reference.is_some());
    Content::Bars {
        value_label: measure.label().to_owned(),
        bars: bars.collect(),
        baseline: (measure == Quantity::Score).then_some(0.5),
    }
}

fn sweep_map(report: &ExperimentReport, x: &Axis, y: &Axis, measure: Quantity) -> Content {
    let value = |(y, x): (&String, &String)| {
        at(report, &Address::grid(x, y)).and_then(|cell| measured(cell, measure)).map(|e| e.value)
    };
    let values: Vec<Option<f64>> =
        y.values.iter().flat_map(|y| x.values.iter().map(move |x| (y, x))).map(value).collect();
    let range = match measure {
        Quantity::Score | Quantity::Draws => (0.0, 1.0),
        _ => {
            let known = || values.iter().flatten().copied();
            let range =
                (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
            // Without values there is no range, and files cannot hold one that is infinite.
            if range.0.is_finite() { range } else { (0.0, 1.0) }
        }
    };
    Content::HeatMap {
        x_label: x.label.clone(),
        y_label: y.label.clone(),
        value_label: measure.label().to_owned(),
        columns: x.values.clone(),
        rows: y.values.clone(),
        values,
        range,
    }
}

fn paper_text(score: Option<f64>, tally: Option<Tally>) -> String {
    match (score, tally) {
        (Some(score), Some(Tally { wins, draws, losses })) => {
            format!("{score:.3} ({wins}-{draws}-{losses})")
        }
        (Some(score), None) => format!("{score:.3}"),
        _ => String::new(),
    }
}
