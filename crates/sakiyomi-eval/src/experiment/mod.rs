//! Experiments as data: a file says what is played, how often, what a paper found and what is
//! claimed. Everything that is done is a list of cells, each a task and how often it is done; the
//! kind of an experiment only says how cells are made and laid out (docs/reference/experiments.md).

mod address;
mod claim;
mod evidence;
mod file;
mod kind;
mod library;
mod paper;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use sakiyomi_catalog::{SpecError, TableError};
use sakiyomi_core::{Fault, Stop};
use serde::Serialize;

use crate::store::{Counted, Store, StoreError};
use crate::{Fingerprint, Pairing, Task};

pub use address::{Address, Counts, Row, evidence_at, evidence_called, mean_of_series};
pub use claim::{Claim, Verdict};
pub use evidence::{Distribution, Estimate, Evidence, Part, Quantity, Reading};
pub use file::ExperimentError;
pub use kind::Kind;
pub use library::{FindError, Library, has_experiments};
pub use paper::PaperNumbers;

/// One experiment, read and checked.
#[derive(Clone, Debug)]
pub struct Experiment {
    pub id: String,
    pub title: String,
    /// The paper and the table or figure that it repeats.
    pub repeats: Option<String>,
    pub notes: Option<String>,
    pub layout: Layout,
    pub claims: Vec<Claim>,
    pub file: PathBuf,
    quick: Vec<Cell>,
    paper: Vec<Cell>,
}

/// How large an experiment is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Minutes on two cores.
    Quick,
    /// As large as in the paper.
    Paper,
}

/// One task of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Unique in its experiment; claims speak of it by its text.
    pub address: Address,
    pub task: Task,
    /// Games, or measurements.
    pub games: u64,
    /// Whether its matches are kept as records.
    pub keep: bool,
    pub paper: Option<PaperNumbers>,
    /// Which of its readings it shows, if it is a measurement; several cells may share one.
    pub reading: Option<(String, Reading)>,
}

/// How the cells are shown together.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// One row per duel.
    Duels,
    /// Every agent against every other: [`Address::Pair`].
    RoundRobin { agents: Vec<String> },
    /// A measure over values of x: [`Address::Point`].
    Curve { x: Axis, series: Vec<String>, measure: Quantity },
    /// How often each value occurs; one cell per series.
    Histogram { series: Vec<String> },
    /// A measure over two parameters: [`Address::Grid`].
    Sweep { x: Axis, y: Axis, measure: Quantity },
    /// One match, shown move by move.
    Game,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub label: String,
    /// As written into the specifications in place of `{x}` or `{y}`.
    pub values: Vec<String>,
    pub log: bool,
}

impl Cell {
    /// What its results are found by in a store, beside the task: the fingerprint of its
    /// behaviour, and a mark if matches are kept, since results without records would not do. Nothing
    /// if it was stopped.
    pub fn fingerprint(&self, stop: &Stop) -> Result<Option<Fingerprint>, TableError> {
        let fingerprint = self.task.fingerprint(stop)?;
        let marked = |plain: Fingerprint| if self.keep { plain.marked(KEPT) } else { plain };
        Ok(fingerprint.map(marked))
    }

    /// The number of its cell in a store, if there is one.
    pub fn find(&self, store: &Store) -> Result<Option<i64>, CountError> {
        // A fingerprint is worked out by playing, which is not done for what was never played.
        if !store.knows(&self.task)? {
            return Ok(None);
        }
        match self.fingerprint(&Stop::new())? {
            Some(fingerprint) => Ok(store.find(&self.task, &fingerprint)?),
            None => Ok(None),
        }
    }

    /// The games that are played so that every seat is taken equally often. A single game is not
    /// rounded up: it is to be looked at.
    pub fn balanced_games(&self) -> Result<u64, SpecError> {
        let round = self.task.round()?;
        Ok(if self.games == 1 { 1 } else { self.games.next_multiple_of(round) })
    }

    /// What the store has of it, and how many games (or measurements) are wanted.
    pub fn counted(&self, store: Option<&Store>) -> Result<(Counted, u64), CountError> {
        let (round, games) = (self.task.round()?, self.balanced_games()?);
        let Some(store) = store else { return Ok((Counted::default(), games)) };
        let counted = match self.find(store)? {
            Some(id) => {
                let behaviour = Some(store.behaviour(id)?);
                Counted { behaviour, ..store.count(id, round, games)? }
            }
            None => Counted::default(),
        };
        let counted = match &self.reading {
            Some((name, reading)) => {
                Counted { evidence: counted.evidence.reading(name, *reading), ..counted }
            }
            None => counted,
        };
        Ok((counted, games))
    }
}

/// Marks the fingerprint of a cell whose matches are kept.
pub const KEPT: &str = "+records";

impl Experiment {
    /// Reads one file.
    pub fn load(path: &Path) -> Result<Experiment, ExperimentError> {
        file::load(path)
    }

    /// Reads the text of a file; the path is the one that errors name.
    pub fn read(path: &Path, text: &str) -> Result<Experiment, ExperimentError> {
        file::read(path, text)
    }

    /// A single duel as an experiment without a file, so that it runs, stops and resumes like one.
    /// Its matches are kept.
    pub fn of_duel(id: &str, pairing: Pairing, games: u64) -> Experiment {
        let first = pairing.agents.first().map_or_else(String::new, |agent| agent.to_string());
        let second = pairing.others_text();
        let address = Address::pair(&first, &second);
        let title = format!("{first} against {second} at {}", pairing.game);
        let cells = vec![Cell {
            address,
            task: Task::Matches(pairing),
            games,
            keep: true,
            paper: None,
            reading: None,
        }];
        Experiment {
            id: id.to_owned(),
            title,
            repeats: None,
            notes: None,
            layout: Layout::Duels,
            claims: Vec::new(),
            file: PathBuf::new(),
            quick: cells.clone(),
            paper: cells,
        }
    }

    pub fn cells(&self, scale: Scale) -> &[Cell] {
        match scale {
            Scale::Quick => &self.quick,
            Scale::Paper => &self.paper,
        }
    }

    /// Of every cell, whether it counts: of those that show readings of the same run only the first does.
    pub fn counts_once(&self, scale: Scale) -> Vec<bool> {
        let cells = self.cells(scale);
        let is_first = |at: usize| {
            let Cell { task, reading, .. } = &cells[at];
            reading.is_none() || cells[..at].iter().all(|other| other.task != *task)
        };
        (0..cells.len()).map(is_first).collect()
    }

    pub fn kind(&self) -> Kind {
        match self.layout {
            Layout::Duels => Kind::Duels,
            Layout::RoundRobin { .. } => Kind::RoundRobin,
            Layout::Curve { measure: Quantity::Measured(reading), .. } => reading.kind(),
            Layout::Curve { .. } => Kind::Curve,
            Layout::Histogram { .. } => Kind::Histogram,
            Layout::Sweep { .. } => Kind::Sweep,
            Layout::Game => Kind::Game,
        }
    }

    /// How much of it the store has.
    pub fn done(&self, scale: Scale, store: Option<&Store>) -> Result<Done, CountError> {
        let mut done = Done { games_done: 0, games: 0 };
        for (cell, counts) in self.cells(scale).iter().zip(self.counts_once(scale)) {
            if !counts {
                continue;
            }
            let (counted, games) = cell.counted(store)?;
            done.games += games;
            done.games_done += counted.evidence.n();
        }
        Ok(done)
    }
}

/// How much of an experiment is done: games, or measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Done {
    pub games_done: u64,
    pub games: u64,
}

impl Done {
    /// As a list shows it.
    pub fn text(self, scale: Scale) -> String {
        match (self.games_done, self.games) {
            (0, _) => "never run".to_owned(),
            (done, games) if done >= games => format!("{scale} done"),
            (done, games) => format!("{scale} {} %", 100 * done / games),
        }
    }
}

/// Why the results of a cell cannot be counted.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Fault for CountError {
    fn is_input(&self) -> bool {
        match self {
            CountError::Table(error) => error.is_input(),
            CountError::Spec(_) => true,
            CountError::Store(_) => false,
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scale::Quick => "quick",
            Scale::Paper => "paper",
        })
    }
}

impl FromStr for Scale {
    type Err = String;

    fn from_str(text: &str) -> Result<Scale, String> {
        match text {
            "quick" => Ok(Scale::Quick),
            "paper" => Ok(Scale::Paper),
            _ => Err(format!("`{text}` is no scale; known: quick, paper")),
        }
    }
}
