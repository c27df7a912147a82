//! Experiments as data: a file says what is played, how often, what a paper found and what is
//! claimed. Everything that is done is a list of cells, each a task and how often it is done; the
//! kind of an experiment only says how cells are made and laid out (docs/experiments.md).

mod claim;
mod evidence;
mod file;
mod paper;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use sakiyomi_catalog::{SpecError, TableError};

use crate::{Pairing, Task};

pub use claim::{Claim, Verdict};
pub use evidence::{Estimate, Evidence, Lengths, Part, Quantity};
pub use file::ExperimentError;
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
    /// Unique in its experiment; claims speak of it by this name.
    pub name: String,
    pub task: Task,
    /// Games, or measurements.
    pub games: u64,
    /// Whether its matches are kept as records.
    pub keep: bool,
    pub paper: Option<PaperNumbers>,
}

/// How the cells are shown together.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// One row per duel.
    Duels,
    /// Every agent against every other; the cell of a pair is called `row - column`.
    RoundRobin { agents: Vec<String> },
    /// A measure over values of x; the cell of a point is called `series @ x`.
    Curve { x: Axis, series: Vec<String>, measure: Quantity },
    /// How often each value occurs; one cell per series.
    Histogram { series: Vec<String> },
    /// A measure over two parameters; the cells are called `x, y`.
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
    /// behaviour, and a mark if matches are kept, since results without records would not do.
    pub fn fingerprint(&self) -> Result<String, TableError> {
        let behaviour = self.task.behaviour()?;
        Ok(if self.keep { behaviour + KEPT } else { behaviour })
    }

    /// The games that are played so that every seat is taken equally often. A single game is not
    /// rounded up: it is to be looked at.
    pub fn balanced_games(&self) -> Result<u64, SpecError> {
        let round = self.task.round()?;
        Ok(if self.games == 1 { 1 } else { self.games.next_multiple_of(round) })
    }
}

/// Marks the fingerprint of a cell whose matches are kept.
pub const KEPT: &str = "+records";

impl Experiment {
    /// Reads one file.
    pub fn load(path: &Path) -> Result<Experiment, ExperimentError> {
        file::load(path)
    }

    /// Reads all files of a folder, in the order of their ids.
    pub fn load_all(folder: &Path) -> Result<Vec<Experiment>, ExperimentError> {
        file::load_all(folder)
    }

    /// A single duel as an experiment without a file, so that it runs, stops and resumes like one.
    /// Its matches are kept.
    pub fn of_duel(id: &str, pairing: Pairing, games: u64) -> Experiment {
        let [first, second] = &pairing.agents;
        let name = format!("{first} - {second}");
        let title = format!("{first} against {second} at {}", pairing.game);
        let cells =
            vec![Cell { name, task: Task::Matches(pairing), games, keep: true, paper: None }];
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

    pub fn kind(&self) -> &'static str {
        match self.layout {
            Layout::Duels => "duels",
            Layout::RoundRobin { .. } => "round-robin",
            Layout::Curve { measure: Quantity::NashConv, .. } => "exploitability",
            Layout::Curve { .. } => "curve",
            Layout::Histogram { .. } => "histogram",
            Layout::Sweep { .. } => "sweep",
            Layout::Game => "game",
        }
    }
}

/// The name of the cell of a pair in a round robin.
pub fn pair_name(row: &str, column: &str) -> String {
    format!("{row} - {column}")
}

/// The name of the cell of a point of a curve.
pub fn point_name(series: &str, x: &str) -> String {
    format!("{series} @ {x}")
}

/// The name of a cell of a sweep.
pub fn sweep_name(x: &str, y: &str) -> String {
    format!("{x}, {y}")
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
