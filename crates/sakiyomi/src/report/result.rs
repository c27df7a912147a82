//! What was measured, as data: the files in `results/`, which the program brings along, and what the page draws.
//! Unlike a store it needs no games to be played again, and is small.

use std::path::{Path, PathBuf};

use sakiyomi_catalog::{read_text, write_atomically};
use sakiyomi_core::stats::Tally;
use sakiyomi_eval::FirstGame;
use sakiyomi_eval::experiment::{Estimate, Verdict};
use serde::{Deserialize, Serialize};

use super::{CellReport, ExperimentReport};
use crate::figures::Content;
use crate::serve::api::MatchRecord;

/// One experiment with what is known of it: a file in `results/`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct ExperimentResult {
    pub id: String,
    pub title: String,
    pub kind: String,
    /// The paper with its table or figure; empty if it repeats none.
    pub repeats: String,
    pub notes: String,
    pub scale: String,
    /// Games, or runs if it is measured in runs.
    pub games_done: u64,
    pub games: u64,
    /// Wall time, summed over threads.
    pub seconds: f64,
    /// Versions of the program that played the games.
    pub engines: Vec<String>,
    /// False if budgets are times or agents programs: the same seeds may then end otherwise.
    pub repeatable: bool,
    /// Where results by time were played, with the class of speed; empty if no budget is a time.
    pub machines: Vec<String>,
    pub command: String,
    pub claims: Vec<ResultClaim>,
    pub cells: Vec<ResultCell>,
    /// The page gets it drawn.
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub figure: Option<Content>,
    /// The match that is shown move by move, if that is what the experiment is.
    pub shown: Option<MatchRecord>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ResultClaim {
    pub text: String,
    pub verdict: ResultVerdict,
}

/// What our games say about a claim or a number of a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum ResultVerdict {
    Agrees,
    /// The direction of a paper's number, by less.
    AgreesButSmaller,
    Differs,
    Contradicts,
    NotEnoughGames,
    /// What it speaks of has no games yet.
    NotRun,
}

/// One pairing of an experiment. Counts are of the first agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ResultCell {
    pub name: String,
    pub game: String,
    pub first: String,
    pub second: String,
    pub seed: u64,
    pub games: u64,
    pub games_wanted: u64,
    pub all: ResultTally,
    /// By the seat of the first agent.
    pub seats: Vec<ResultTally>,
    /// p of the two-sided sign test against an equal share of the wins.
    pub p: f64,
    pub mean_turns: Option<f64>,
    /// What was measured in runs, with its 95 % interval.
    pub measured: Option<Span>,
    /// What a reader should know of repeated games; empty if there is nothing.
    pub remark: String,
    /// The text of the fingerprint of what played, if there are games.
    pub fingerprint: Option<String>,
    /// The first few games, which a test plays again.
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub first_games: Vec<FirstGame>,
    /// What the paper prints for the other side of a pair.
    #[cfg_attr(feature = "typescript", ts(skip))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper_turned: Option<f64>,
}

/// Won, drawn and lost games with the score, beside what a paper has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ResultTally {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// With its 95 % interval; nothing without games.
    pub score: Option<Span>,
    pub elo: Option<EloSpan>,
    pub paper: Option<PaperScore>,
    pub verdict: Option<ResultVerdict>,
}

/// A value and its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Span {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// An Elo difference and its 95 % interval. What is infinite is null.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EloSpan {
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// A score of a paper; the counts where it prints them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PaperScore {
    pub score: f64,
    pub games: Option<u64>,
    pub wins: Option<u64>,
    pub draws: Option<u64>,
    pub losses: Option<u64>,
}

impl From<Verdict> for ResultVerdict {
    fn from(verdict: Verdict) -> ResultVerdict {
        match verdict {
            Verdict::Agrees => ResultVerdict::Agrees,
            Verdict::AgreesButSmaller => ResultVerdict::AgreesButSmaller,
            Verdict::Differs => ResultVerdict::Differs,
            Verdict::Contradicts => ResultVerdict::Contradicts,
            Verdict::NotEnoughGames => ResultVerdict::NotEnoughGames,
            Verdict::NotRun => ResultVerdict::NotRun,
        }
    }
}

impl From<ResultVerdict> for Verdict {
    fn from(verdict: ResultVerdict) -> Verdict {
        match verdict {
            ResultVerdict::Agrees => Verdict::Agrees,
            ResultVerdict::AgreesButSmaller => Verdict::AgreesButSmaller,
            ResultVerdict::Differs => Verdict::Differs,
            ResultVerdict::Contradicts => Verdict::Contradicts,
            ResultVerdict::NotEnoughGames => Verdict::NotEnoughGames,
            ResultVerdict::NotRun => Verdict::NotRun,
        }
    }
}

impl From<Estimate> for Span {
    fn from(Estimate { value, low, high }: Estimate) -> Span {
        Span { value: short(value), low: short(low), high: short(high) }
    }
}

/// Six digits are more than any of these numbers is known to, and keep the files small.
fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

impl ResultTally {
    /// Games of ours alone.
    pub fn new(tally: Tally) -> ResultTally {
        let interval = tally.interval();
        let finite = |value: f64| value.is_finite().then(|| short(value));
        ResultTally {
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            score: tally.score().map(|value| Span {
                value: short(value),
                low: short(interval.low),
                high: short(interval.high),
            }),
            elo: tally.elo().map(|elo| EloSpan {
                value: finite(elo.difference),
                low: finite(elo.low),
                high: finite(elo.high),
            }),
            paper: None,
            verdict: None,
        }
    }

    fn beside(self, paper: Option<PaperScore>, verdict: Option<Verdict>) -> ResultTally {
        ResultTally { paper, verdict: verdict.map(ResultVerdict::from), ..self }
    }
}

impl PaperScore {
    fn new(score: f64, games: Option<u64>, tally: Option<Tally>) -> PaperScore {
        let count = |of: fn(&Tally) -> u64| tally.as_ref().map(of);
        PaperScore {
            score,
            games,
            wins: count(|tally| tally.wins),
            draws: count(|tally| tally.draws),
            losses: count(|tally| tally.losses),
        }
    }
}

impl From<&CellReport> for ResultCell {
    fn from(cell: &CellReport) -> ResultCell {
        let paper = cell.paper_score;
        let paper = paper.map(|score| PaperScore::new(score, cell.paper_games, cell.paper_tally));
        let seat = |seat: usize| {
            let tally = cell.seats.get(seat).copied().unwrap_or_default();
            let theirs = cell.paper_seats.get(seat);
            let paper = theirs.and_then(|tally| {
                Some(PaperScore::new(tally.score()?, Some(tally.games()), Some(*tally)))
            });
            let verdict = cell.verdict_seats.get(seat).copied().flatten();
            ResultTally::new(tally).beside(paper, verdict)
        };
        // Without games there are no seats but those of the paper.
        let n_seats = cell.seats.len().max(cell.paper_seats.len());
        ResultCell {
            name: cell.name.clone(),
            game: cell.game.clone(),
            first: cell.first.clone(),
            second: cell.second.clone(),
            seed: cell.seed,
            games: cell.games,
            games_wanted: cell.games_wanted,
            all: ResultTally::new(cell.tally).beside(paper, cell.verdict),
            seats: (0..n_seats).map(seat).collect(),
            p: short(cell.p),
            mean_turns: cell.mean_turns.map(short),
            measured: cell.measured.map(Span::from),
            remark: cell.remark.clone().unwrap_or_default(),
            fingerprint: cell.fingerprint.clone(),
            first_games: cell.first_games.clone(),
            paper_turned: cell.paper_score_turned,
        }
    }
}

impl From<&ExperimentReport> for ExperimentResult {
    fn from(report: &ExperimentReport) -> ExperimentResult {
        let claim = |claim: &super::ClaimReport| ResultClaim {
            text: claim.text.clone(),
            verdict: claim.verdict.into(),
        };
        ExperimentResult {
            id: report.id.clone(),
            title: report.title.clone(),
            kind: report.kind.to_string(),
            repeats: report.repeats.clone().unwrap_or_default(),
            notes: report.notes.as_deref().unwrap_or_default().trim().replace('\n', " "),
            scale: report.scale.clone(),
            games_done: report.games_done,
            games: report.games,
            seconds: short(report.seconds),
            engines: report.engines.clone(),
            repeatable: report.repeatable,
            machines: report.machines.clone(),
            command: report.command.clone(),
            claims: report.claims.iter().map(claim).collect(),
            cells: report.cells.iter().map(ResultCell::from).collect(),
            figure: report.figure.as_ref().map(|figure| figure.content.clone()),
            shown: report.record.as_ref().map(MatchRecord::from),
        }
    }
}

impl ExperimentResult {
    /// `results/classics-tuned.quick.json`
    pub fn file_name(&self) -> String {
        format!("{}.{}.json", self.id, self.scale)
    }

    /// Writes it into a folder, unless the file there has more games. The file, and whether it was written.
    pub fn write(&self, folder: &Path) -> anyhow::Result<(PathBuf, bool)> {
        let file = folder.join(self.file_name());
        if file.exists() {
            let there: ExperimentResult = serde_json::from_str(&read_text(&file)?)
                .map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
            if there.games_done > self.games_done {
                return Ok((file, false));
            }
        }
        let text = serde_json::to_string(self)? + "\n";
        write_atomically(&file, |out| out.write_all(text.as_bytes()))?;
        Ok((file, true))
    }
}
