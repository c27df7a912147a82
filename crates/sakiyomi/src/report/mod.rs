//! Reports: our numbers beside the paper's, with intervals, tests, verdicts and figures.

mod assessment;
mod document;
mod layouts;
mod papers;
mod result;
mod shipped;
mod tables;
mod told;

use std::path::Path;

use sakiyomi_catalog::{AgentSpec, Record, write_atomically};
use sakiyomi_core::stats::{Interval, Tally};
use sakiyomi_eval::experiment::{
    Address, Cell, Estimate, Evidence, Experiment, Kind, Layout, PaperNumbers, Part, Quantity,
    Scale, Verdict,
};
use sakiyomi_eval::{
    Counted, DistinctGames, FirstGame, Measure, Openings, Store, StoreError, speed_text,
};
use serde::Serialize;

use crate::figures::Figure;

pub use assessment::assessment_blocks;
pub use document::{Block, to_html, to_markdown};
pub use papers::{PAPERS, Paper, PaperPart, PrintedRow, PrintedTable, Words};
pub use result::{
    EloSpan, ExperimentResult, PaperScore, ResultCell, ResultClaim, ResultTally, ResultVerdict,
    Span,
};
pub use tables::{ResultTable, ResultTableCell, ResultTableRow};

/// An experiment with what is known of it, for people (see [`ExperimentReport::blocks`]) and, as
/// JSON, for machines.
#[derive(Clone, Debug, Serialize)]
pub struct ExperimentReport {
    pub id: String,
    pub title: String,
    pub kind: Kind,
    pub repeats: Option<String>,
    pub notes: Option<String>,
    pub scale: String,
    pub games_done: u64,
    pub games: u64,
    pub cells: Vec<CellReport>,
    pub claims: Vec<ClaimReport>,
    pub command: String,
    /// Versions of the program that played the games.
    pub engines: Vec<String>,
    /// False if budgets are times or agents programs: the same seeds may then end otherwise.
    pub repeatable: bool,
    /// Where results by time were played, with the class of speed; empty if no budget is a time.
    pub machines: Vec<String>,
    pub seconds: f64,
    /// Whether the games came with the program; if not, they are those of a store.
    pub is_shipped: bool,
    #[serde(skip)]
    pub figure: Option<Figure>,
    #[serde(skip)]
    layout: Layout,
    #[serde(skip)]
    record: Option<Record>,
}

#[derive(Clone, Debug, Serialize)]
pub struct CellReport {
    pub name: String,
    pub game: String,
    pub first: String,
    /// What is measured, where there is no second agent.
    pub second: String,
    pub seed: u64,
    /// The random openings that the games began with.
    pub openings: Option<Openings>,
    pub games: u64,
    pub games_wanted: u64,
    #[serde(flatten)]
    pub tally: Tally,
    pub score: Option<f64>,
    /// 95 %.
    pub interval: Interval,
    /// Two-sided sign test against an equal share of the wins.
    pub p: f64,
    pub seats: Vec<Tally>,
    pub mean_turns: Option<f64>,
    /// Of the games that the first agent won, in rounds where the game counts them, else in turns.
    pub mean_length_of_won: Option<Estimate>,
    /// Over all runs, if it is this that was measured.
    pub measured: Option<Estimate>,
    /// Nothing if it is not known, as of results that came with the program.
    pub n_forfeits: Option<u64>,
    /// How many games were different.
    pub distinct_games: Option<DistinctGames>,
    /// What a reader should know of repeated games.
    pub remark: Option<String>,
    pub paper_score: Option<f64>,
    pub paper_tally: Option<Tally>,
    pub paper_seats: Vec<Tally>,
    /// What the paper prints for the other side of a pair.
    pub paper_score_turned: Option<f64>,
    /// The games that the paper's score is of.
    pub paper_games: Option<u64>,
    /// Whether our score and the paper's could be of the same strength.
    pub verdict: Option<Verdict>,
    /// The same for each seat that the paper tells apart.
    pub verdict_seats: Vec<Option<Verdict>>,
    /// The text of the fingerprint of what played, and the first few games, to be checked.
    pub fingerprint: Option<String>,
    pub first_games: Vec<FirstGame>,
    #[serde(skip)]
    pub address: Address,
    #[serde(skip)]
    pub evidence: Evidence,
    /// What a shipped figure shows of it, where a measure is not part of the evidence.
    #[serde(skip)]
    drawn: Option<Estimate>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ClaimReport {
    pub text: String,
    pub verdict: Verdict,
}

impl ExperimentReport {
    /// Gathers what the store has of an experiment.
    pub fn new(
        experiment: &Experiment,
        scale: Scale,
        store: &Store,
    ) -> anyhow::Result<ExperimentReport> {
        let mut cells = Vec::new();
        let (mut engines, mut machines, mut seconds) = (Vec::new(), Vec::new(), 0.0);
        for (cell, counts) in experiment.cells(scale).iter().zip(experiment.counts_once(scale)) {
            let (counted, games) = cell.counted(Some(store))?;
            seconds += if counts { counted.seconds } else { 0.0 };
            engines.extend(counted.engines.iter().cloned());
            machines.extend(counted.behaviour.as_deref().and_then(speed_text));
            cells.push(CellReport::new(cell, counted, games));
        }
        for texts in [&mut engines, &mut machines] {
            texts.sort();
            texts.dedup();
        }
        let counts = counts(&cells);
        let claim = |claim: &sakiyomi_eval::experiment::Claim| ClaimReport {
            text: claim.text.clone(),
            verdict: claim.judge(&counts),
        };
        let claims = experiment.claims.iter().map(claim).collect();
        let mut report = ExperimentReport {
            claims,
            engines,
            machines,
            seconds,
            record: shown_game(experiment, scale, store)?,
            ..ExperimentReport::around(experiment, scale, cells)
        };
        report.figure = layouts::figure(&report);
        Ok(report)
    }

    /// What the experiment itself says, around these cells.
    fn around(experiment: &Experiment, scale: Scale, cells: Vec<CellReport>) -> ExperimentReport {
        let mut agents = experiment.cells(scale).iter().flat_map(|cell| cell.task.agents());
        let once = experiment.counts_once(scale);
        let sum = |of: fn(&CellReport) -> u64| {
            cells.iter().zip(&once).filter(|(_, counts)| **counts).map(|(cell, _)| of(cell)).sum()
        };
        ExperimentReport {
            id: experiment.id.clone(),
            title: experiment.title.clone(),
            kind: experiment.kind(),
            repeats: experiment.repeats.clone(),
            notes: experiment.notes.clone(),
            scale: scale.to_string(),
            games_done: sum(|cell| cell.games),
            games: sum(|cell| cell.games_wanted),
            cells,
            claims: Vec::new(),
            command: format!("sakiyomi run {} --scale {scale}", experiment.id),
            engines: Vec::new(),
            repeatable: agents.all(AgentSpec::is_repeatable),
            machines: Vec::new(),
            seconds: 0.0,
            is_shipped: false,
            figure: None,
            layout: experiment.layout.clone(),
            record: None,
        }
    }

    /// The report for people.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = vec![Block::Heading(format!("{}: {}", self.id, self.title))];
        blocks.extend(self.paper_head());
        if let Some(notes) = &self.notes {
            blocks.push(Block::Paragraph(notes.trim().replace('\n', " ")));
        }
        if self.games_done < self.games {
            let (done, games) = (self.games_done, self.games);
            let text = format!("Only {done} of {games} {} are done so far.", self.kind.counted());
            blocks.push(Block::Paragraph(text));
        }
        blocks.extend(self.paper_table());
        blocks.extend(layouts::tables(self));
        if let Some(figure) = &self.figure {
            blocks.push(Block::Picture { name: self.id.clone(), title: figure.title.clone() });
        }
        if !self.claims.is_empty() {
            let row = |claim: &ClaimReport| vec![claim.text.clone(), claim.verdict.to_string()];
            blocks.push(Block::Table {
                header: vec!["claim".to_owned(), "our games".to_owned()],
                rows: self.claims.iter().map(row).collect(),
            });
        }
        blocks.extend(self.differing_by_chance().map(Block::Paragraph));
        for cell in &self.cells {
            if let Some(remark) = &cell.remark {
                blocks.push(Block::Paragraph(format!("{}: {remark}.", cell.name)));
            }
        }
        blocks.push(Block::Paragraph(self.footer()));
        blocks
    }

    /// Many comparisons at 95 % differ now and then without a cause; a reader should know how often.
    fn differing_by_chance(&self) -> Option<String> {
        let judged = |verdict: &Verdict| {
            matches!(verdict, Verdict::Agrees | Verdict::AgreesButSmaller | Verdict::Differs)
        };
        let verdicts: Vec<Verdict> =
            self.cells.iter().filter_map(|cell| cell.verdict).filter(judged).collect();
        let differing = verdicts.iter().filter(|verdict| **verdict != Verdict::Agrees).count();
        let by_chance = 0.05 * verdicts.len() as f64;
        (verdicts.len() > 1).then(|| {
            format!(
                "Of {} numbers of the paper that can be judged {differing} lie outside of our error and its own; {by_chance:.1} would by chance alone.",
                verdicts.len()
            )
        })
    }

    fn footer(&self) -> String {
        let mut seeds: Vec<u64> = self.cells.iter().map(|cell| cell.seed).collect();
        seeds.dedup();
        let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
        let repeatable = match self.repeatable {
            true => "repeatable exactly",
            false => "not repeatable exactly, because a budget is a time or an agent a program",
        };
        let engines = self.engines.join(", ");
        let tests = match self.kind.is_measured() {
            false => {
                "Intervals are 95 %, p is of the two-sided sign test against an equal share of the wins. A verdict on the paper's number counts the error of both."
            }
            true => "Intervals are 95 % over runs with other seeds.",
        };
        let machines = match self.machines.as_slice() {
            [] => String::new(),
            machines => format!(", on {}", machines.join("; on ")),
        };
        let openings = match self.cells.iter().find_map(|cell| cell.openings) {
            Some(Openings { n, plies }) => format!(", {n} random openings of {plies} moves"),
            None => String::new(),
        };
        let shipped = if self.is_shipped { " that came with the program" } else { "" };
        format!(
            "{} {}{shipped}{openings}, {:.0} s, seed {}, version {}{machines}; {repeatable}. {tests} Run it with `{}`.",
            self.games_done,
            self.kind.counted(),
            self.seconds,
            seeds.join(", "),
            if engines.is_empty() { "-" } else { &engines },
            self.command
        )
    }

    /// Writes the page and its pictures into a folder.
    pub fn write_html(&self, folder: &Path) -> anyhow::Result<()> {
        let write = |ending: &str, bytes: &[u8]| {
            let file = folder.join(format!("{}.{ending}", self.id));
            write_atomically(&file, |out| out.write_all(bytes))
        };
        if let Some(figure) = &self.figure {
            write("svg", figure.to_svg().as_bytes())?;
        }
        let mut blocks = self.blocks();
        blocks.push(Block::Paragraph("[All experiments](index.html)".to_owned()));
        let page = to_html(&self.title, &blocks);
        Ok(write("html", page.as_bytes())?)
    }
}

fn shown_game(
    experiment: &Experiment,
    scale: Scale,
    store: &Store,
) -> anyhow::Result<Option<Record>> {
    let [cell] = experiment.cells(scale) else { return Ok(None) };
    if experiment.layout != Layout::Game {
        return Ok(None);
    }
    let id = cell.find(store)?;
    let record = id.map(|id| store.record(id, 0)).transpose();
    Ok(record.map_err(|error: StoreError| anyhow::anyhow!(error))?.flatten())
}

impl CellReport {
    fn new(cell: &Cell, counted: Counted, games_wanted: u64) -> CellReport {
        let task = &cell.task;
        let (evidence, distinct_games) = (counted.evidence, counted.distinct_games);
        let (fingerprint, first_games) = (counted.behaviour, counted.first_games);
        let n_seats = evidence.seats.len() as u64;
        let tally = evidence.tally;
        let interval = tally.interval();
        let paper = cell.paper.as_ref();
        let verdict_seats = |paper: &PaperNumbers| {
            let seats = evidence.seats.iter().enumerate();
            seats.map(|(seat, tally)| paper.judge_seat(seat, tally)).collect()
        };
        CellReport {
            name: cell.address.to_string(),
            game: task.game().to_string(),
            first: task.agents()[0].to_string(),
            second: task.second_text(),
            seed: task.seed(),
            openings: task.openings(),
            games: evidence.n(),
            games_wanted,
            fingerprint,
            first_games,
            tally,
            score: tally.score(),
            interval,
            p: tally.sign_test_of(evidence.seats.len()),
            seats: evidence.seats.clone(),
            mean_turns: evidence.measures[Measure::TURNS].mean(Part::All).map(|turns| turns.value),
            mean_length_of_won: evidence.measures[Measure::LENGTH].mean(Part::Won),
            measured: cell.reading.as_ref().and_then(|(_, reading)| {
                evidence.estimate(Quantity::Measured(*reading), Part::All)
            }),
            n_forfeits: Some(counted.n_forfeits),
            distinct_games,
            remark: distinct_games.and_then(|games| games.remark(n_seats, task.openings())),
            paper_score: paper.map(|paper| paper.score),
            paper_tally: paper.and_then(|paper| paper.tally),
            paper_seats: paper.map(|paper| paper.seats.clone()).unwrap_or_default(),
            paper_score_turned: paper.and_then(|paper| paper.turned),
            paper_games: paper.and_then(|paper| paper.tally.map(|t| t.games()).or(paper.games)),
            verdict: paper.and_then(|paper| paper.judge(&tally)),
            verdict_seats: paper.map(verdict_seats).unwrap_or_default(),
            address: cell.address.clone(),
            evidence,
            drawn: None,
        }
    }
}

/// The cells with what was counted in them.
fn counts(cells: &[CellReport]) -> Vec<(&Address, &Evidence)> {
    cells.iter().map(|cell| (&cell.address, &cell.evidence)).collect()
}
