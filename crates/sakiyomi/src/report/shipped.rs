//! Reports of results that came with the program: the same tables from the numbers of a file in
//! `results/`, without a store.

use sakiyomi_catalog::Record;
use sakiyomi_core::stats::Tally;
use sakiyomi_eval::experiment::{
    Address, Cell, Claim, CountError, Estimate, Evidence, Experiment, Scale, Verdict,
};
use sakiyomi_eval::{Counted, Measure};

use super::{
    CellReport, ClaimReport, ExperimentReport, ExperimentResult, ResultCell, ResultTally, Span,
    layouts,
};
use crate::figures::{Content, Figure};
use crate::serve::api::MatchRecord;

impl ExperimentReport {
    /// What a shipped result says of an experiment. Cells that the file does not have, since the
    /// experiment has changed, are without games.
    pub fn shipped(
        experiment: &Experiment,
        scale: Scale,
        result: &ExperimentResult,
    ) -> ExperimentReport {
        let report = |cell: &Cell| {
            let name = cell.address.to_string();
            match result.cells.iter().find(|known| known.name == name) {
                Some(known) => CellReport::shipped(cell, known, result.figure.as_ref()),
                None => CellReport::new(cell, Counted::default(), cell.games),
            }
        };
        let cells = experiment.cells(scale).iter().map(report).collect();
        let claims = result
            .claims
            .iter()
            .map(|claim| ClaimReport { text: claim.text.clone(), verdict: claim.verdict.into() });
        let title = result.title.clone();
        ExperimentReport {
            games_done: result.games_done,
            games: result.games,
            claims: claims.collect(),
            engines: result.engines.clone(),
            repeatable: result.repeatable,
            machines: result.machines.clone(),
            seconds: result.seconds,
            is_shipped: true,
            figure: result.figure.clone().map(|content| Figure { title, content }),
            record: result.shown.as_ref().and_then(record),
            ..ExperimentReport::around(experiment, scale, cells)
        }
    }

    /// The report of an experiment that was never run: what is to be played, beside the paper's
    /// numbers.
    pub fn empty(experiment: &Experiment, scale: Scale) -> Result<ExperimentReport, CountError> {
        let report = |cell: &Cell| {
            let (counted, games) = cell.counted(None)?;
            Ok(CellReport::new(cell, counted, games))
        };
        let cells =
            experiment.cells(scale).iter().map(report).collect::<Result<_, CountError>>()?;
        let not_run =
            |claim: &Claim| ClaimReport { text: claim.text.clone(), verdict: Verdict::NotRun };
        let mut report = ExperimentReport {
            claims: experiment.claims.iter().map(not_run).collect(),
            ..ExperimentReport::around(experiment, scale, cells)
        };
        // A figure without values is worth showing only if it has the paper's.
        report.figure = layouts::figure(&report).filter(
            |figure| matches!(&figure.content, Content::Bars { bars, .. } if !bars.is_empty()),
        );
        Ok(report)
    }
}

impl CellReport {
    fn shipped(cell: &Cell, known: &ResultCell, figure: Option<&Content>) -> CellReport {
        let mut evidence = Evidence {
            tally: known.all.tally(),
            seats: known.seats.iter().map(ResultTally::tally).collect(),
            ..Evidence::default()
        };
        for (turns, games) in
            figure.map(|content| lengths(content, &known.name)).unwrap_or_default()
        {
            // Who won games of this length is not in the file; only the lengths are read again.
            evidence.measures[Measure::TURNS]
                .add(turns, Tally { draws: games, ..Tally::default() });
        }
        let counted = Counted {
            evidence,
            behaviour: known.fingerprint.clone(),
            first_games: known.first_games.clone(),
            ..Counted::default()
        };
        CellReport {
            games: known.games,
            mean_turns: known.mean_turns,
            measured: known.measured.map(Estimate::from),
            n_forfeits: None,
            remark: Some(known.remark.clone()).filter(|remark| !remark.is_empty()),
            drawn: figure.and_then(|content| drawn(content, &cell.address)),
            ..CellReport::new(cell, counted, known.games_wanted)
        }
    }
}

/// The match that is shown; nothing if its game is not known any more.
fn record(shown: &MatchRecord) -> Option<Record> {
    let MatchRecord { game, seed, moves } = shown;
    Some(Record { game: game.parse().ok()?, seed: *seed, moves: moves.clone() })
}

/// The games of each length of a series of a histogram.
fn lengths(content: &Content, name: &str) -> Vec<(f64, u64)> {
    let Content::Histogram { series, .. } = content else { return Vec::new() };
    let own = series.iter().find(|series| series.name == name);
    own.map(|series| series.counts.clone()).unwrap_or_default()
}

/// The point of a curve, which is the measure that its table shows.
fn drawn(content: &Content, address: &Address) -> Option<Estimate> {
    let Address::Point { series, x } = address else { return None };
    match content {
        Content::Curves { curves, .. } => {
            let curve = curves.iter().find(|curve| curve.name == *series)?;
            let x: f64 = x.parse().ok()?;
            let point = curve.points.iter().find(|point| point.x == x)?;
            Some(Estimate { value: point.y, low: point.low, high: point.high })
        }
        Content::Bars { bars, .. } => {
            let bar = bars.iter().find(|bar| bar.label == *x && bar.series == *series)?;
            Some(Estimate { value: bar.value?, low: bar.low, high: bar.high })
        }
        _ => None,
    }
}

impl ResultTally {
    fn tally(&self) -> Tally {
        Tally { wins: self.wins, draws: self.draws, losses: self.losses }
    }
}

impl From<Span> for Estimate {
    fn from(Span { value, low, high }: Span) -> Estimate {
        Estimate { value, low, high }
    }
}
