//! Runs experiments into a store, from which they are resumed.
//!
//! What is to be done is worked out from what the store has: the games of a cell that are in no
//! unit. Several processes may run at once: each hands out units in an order of its own and sees
//! what the others have added, so that they seldom play the same games, and if they do the store
//! takes only one of them.

use std::path::Path;
use std::time::Instant;

use sakiyomi_catalog::TableError;
use sakiyomi_core::stats::Tally;
use sakiyomi_core::{Fault, Stop};

use crate::experiment::{Experiment, Scale};
use crate::schedule::{
    News, Order, ScheduleError, ScheduleSettings, Sink, Standing, Work, run_works,
};
use crate::store::{NewUnit, Store, StoreError};
use crate::{DoneUnit, Fingerprint, Task, TaskError, Worker, WrongAnswer};

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{experiment}: {error}")]
    Spec { experiment: String, error: TableError },
    #[error("{cell}: {error}")]
    Task { cell: String, error: TaskError },
    #[error(transparent)]
    Answer(#[from] WrongAnswer),
}

impl Fault for RunError {
    fn is_input(&self) -> bool {
        match self {
            RunError::Spec { error, .. } => error.is_input(),
            RunError::Task { error, .. } => error.is_input(),
            RunError::Store(_) | RunError::Answer(_) => false,
        }
    }
}

/// How far a run is.
#[derive(Clone, Debug)]
pub struct RunProgress {
    pub games_done: u64,
    pub games: u64,
    pub seconds_left: Option<f64>,
    /// The latest unit's cell and what is known of it by now.
    pub latest: Option<(String, Tally)>,
    /// Everything that is known of matches.
    pub tallies: Vec<CellTally>,
}

/// The matches of a cell so far.
#[derive(Clone, Debug)]
pub struct CellTally {
    pub name: String,
    pub tally: Tally,
    pub n_players: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct RunSummary {
    pub games_played: u64,
    pub games_done: u64,
    pub games: u64,
    pub seconds: f64,
    /// Time spent on the store.
    pub store_seconds: f64,
}

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct RunSettings {
    pub scale: Scale,
    pub threads: usize,
    /// How long a unit should take: what is lost at most when the program is killed.
    pub unit_seconds: f64,
    pub worker: Worker,
}

/// Plays what is missing of these experiments.
pub fn run_experiments(
    experiments: &[&Experiment],
    settings: RunSettings,
    store_file: &Path,
    stop: &Stop,
    progress: &mut dyn FnMut(&RunProgress),
) -> Result<RunSummary, RunError> {
    let start = Instant::now();
    let RunSettings { scale, threads, unit_seconds, worker } = settings;
    let mut sink = StoreSink::new(Store::open(store_file)?)?;
    let Opened { works, n_unopened } = open_works(experiments, scale, &mut sink, stop)?;
    let names = WorkNames::of(&works);
    let settings = ScheduleSettings { threads, unit_seconds, order: Order::Spread, worker };
    let mut tell =
        |standing: &Standing, sink: &StoreSink| progress(&names.progress(standing, sink));
    let done = run_works(works, settings, &mut sink, stop, &mut tell)?;
    Ok(RunSummary {
        games_played: done.done_here,
        games_done: done.done,
        games: done.wanted + n_unopened,
        seconds: start.elapsed().as_secs_f64(),
        store_seconds: done.sink_seconds,
    })
}

/// The names of works, and whether they are matches.
#[derive(Debug)]
pub(crate) struct WorkNames(Vec<(String, bool)>);

impl WorkNames {
    pub(crate) fn of(works: &[Work]) -> WorkNames {
        let name = |work: &Work| (work.name.clone(), matches!(work.task, Task::Matches(_)));
        WorkNames(works.iter().map(name).collect())
    }

    pub(crate) fn progress(&self, standing: &Standing, sink: &StoreSink) -> RunProgress {
        let WorkNames(names) = self;
        let tally = |at: usize| CellTally {
            name: names[at].0.clone(),
            tally: sink.cells[at].tally,
            n_players: sink.cells[at].round as usize,
        };
        RunProgress {
            games_done: standing.done,
            games: standing.wanted,
            seconds_left: standing.seconds_left,
            latest: standing.latest.map(|at| (names[at].0.clone(), sink.cells[at].tally)),
            tallies: (0..names.len()).filter(|&at| names[at].1).map(tally).collect(),
        }
    }
}

/// What the cells of experiments want.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) works: Vec<Work>,
    /// Games of the cells that were not opened before a stop.
    pub(crate) n_unopened: u64,
}

/// What the cells of the experiments want, each once, however many experiments share it. A stop ends it with
/// those that are known by then.
pub(crate) fn open_works(
    experiments: &[&Experiment],
    scale: Scale,
    sink: &mut StoreSink,
    stop: &Stop,
) -> Result<Opened, RunError> {
    let mut works: Vec<Work> = Vec::new();
    let mut n_unopened = 0;
    for experiment in experiments {
        for cell in experiment.cells(scale) {
            let wrong = |error| RunError::Spec { experiment: experiment.id.clone(), error };
            let Some(fingerprint) = cell.fingerprint(stop).map_err(wrong)? else {
                n_unopened += cell.games;
                continue;
            };
            let round = cell.task.round().map_err(|error| wrong(error.into()))?;
            let games = cell.balanced_games().map_err(|error| wrong(error.into()))?;
            let name = format!("{}: {}", experiment.id, cell.address);
            cell.task.check().map_err(|error| RunError::Task { cell: name.clone(), error })?;
            let mut work = Work { keep: cell.keep, ..Work::new(name, cell.task.clone(), games) };
            if let Task::Matches(_) = cell.task {
                work.expected_seconds = fingerprint.match_seconds();
            }
            let at = sink.add_work(&mut work, &fingerprint, round)?;
            match works.get_mut(at) {
                Some(known) => known.wanted = known.wanted.max(games),
                None => works.push(work),
            }
        }
    }
    Ok(Opened { works, n_unopened })
}

impl From<ScheduleError<StoreError>> for RunError {
    fn from(error: ScheduleError<StoreError>) -> RunError {
        match error {
            ScheduleError::Sink(error) => RunError::Store(error),
            ScheduleError::Task { name, error } => RunError::Task { cell: name, error },
        }
    }
}

/// Puts units into a store, and sees what other processes put there.
#[derive(Debug)]
pub(crate) struct StoreSink {
    store: Store,
    cells: Vec<SinkCell>,
    /// Units up to this row are known.
    last_row: i64,
}

#[derive(Debug)]
struct SinkCell {
    id: i64,
    round: u64,
    wanted: u64,
    unit_size: Option<u64>,
    tally: Tally,
}

impl StoreSink {
    pub(crate) fn new(store: Store) -> Result<StoreSink, StoreError> {
        let last_row = store.last_row()?;
        Ok(StoreSink { store, cells: Vec::new(), last_row })
    }

    /// Finds or makes the cell of a work and fills in what is done of it. Returns the number of the
    /// cell; two works may have the same.
    pub(crate) fn add_work(
        &mut self,
        work: &mut Work,
        fingerprint: &Fingerprint,
        round: u64,
    ) -> Result<usize, StoreError> {
        let stored = self.store.cell(&work.task, fingerprint, round)?;
        work.unit_size = stored.unit_games;
        work.first_unit = round.min(work.wanted);
        let units = self.store.units_up_to(stored.id, self.last_row)?;
        let known = self.cells.iter().position(|cell| cell.id == stored.id);
        let at = known.unwrap_or(self.cells.len());
        let mut cell = SinkCell {
            id: stored.id,
            round,
            wanted: work.wanted,
            unit_size: stored.unit_games,
            tally: Tally::default(),
        };
        match known {
            Some(at) => {
                cell.wanted = cell.wanted.max(self.cells[at].wanted);
                self.cells[at] = cell;
            }
            None => self.cells.push(cell),
        }
        for unit in units {
            work.done.add(unit.numbers());
            self.count(at, &unit);
        }
        Ok(at)
    }

    /// The unit of a cell that begins with this number.
    pub(crate) fn unit_at(&self, at: usize, first: u64) -> Result<Option<DoneUnit>, StoreError> {
        self.store.unit_at(self.cells[at].id, first)
    }

    fn count(&mut self, at: usize, unit: &NewUnit) {
        let cell = &mut self.cells[at];
        let wanted = cell.wanted.saturating_sub(unit.first) as usize;
        cell.tally +=
            unit.outcomes.iter().flatten().take(wanted).map(|outcome| outcome.tally()).sum();
    }
}

impl Sink for StoreSink {
    type Error = StoreError;

    fn take(&mut self, work: usize, unit: DoneUnit) -> Result<Vec<News>, StoreError> {
        let id = self.cells[work].id;
        let Some(own_row) = self.store.add_row(id, &unit)? else {
            // Another process was faster. Its units are counted as they are in the store.
            let units = self.store.units_up_to(id, i64::MAX)?;
            self.cells[work].tally = Tally::default();
            units.iter().for_each(|unit| self.count(work, unit));
            return Ok(units.iter().map(|unit| News { work, numbers: unit.numbers() }).collect());
        };
        let mut news = self.look_beside(Some(own_row))?;
        let outcomes = unit.results.games().iter().map(|played| Some(played.outcome)).collect();
        let n = unit.results.len() as u64;
        let own = NewUnit { row: own_row, cell: id, first: unit.first, n, outcomes };
        self.count(work, &own);
        news.push(News { work, numbers: own.numbers() });
        Ok(news)
    }

    fn look(&mut self) -> Result<Vec<News>, StoreError> {
        self.look_beside(None)
    }

    fn unit_size(&mut self, work: usize, suggested: u64) -> Result<u64, StoreError> {
        let cell = &mut self.cells[work];
        if cell.unit_size.is_none() {
            // Whole rounds, and the same for all processes.
            let n = (suggested / cell.round).max(1) * cell.round;
            cell.unit_size = Some(self.store.settle_unit_games(cell.id, n)?);
        }
        Ok(cell.unit_size.unwrap_or(suggested))
    }
}

impl StoreSink {
    /// The units that other processes have added.
    fn look_beside(&mut self, own_row: Option<i64>) -> Result<Vec<News>, StoreError> {
        let mut news = Vec::new();
        for unit in self.store.units_after(self.last_row)? {
            self.last_row = self.last_row.max(unit.row);
            let work = self.cells.iter().position(|cell| cell.id == unit.cell);
            if let Some(work) = work.filter(|_| own_row != Some(unit.row)) {
                self.count(work, &unit);
                news.push(News { work, numbers: unit.numbers() });
            }
        }
        Ok(news)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pairing, run_unit};

    #[test]
    fn the_time_is_estimated_before_the_first_game() {
        let folder = tempfile::tempdir().unwrap();
        let agents = ["uct:iterations=50".parse().unwrap(), "random".parse().unwrap()];
        let pairing = Pairing::new("connect-four".parse().unwrap(), agents, 1);
        let experiment = Experiment::of_duel("test", pairing, 20);
        let settings =
            RunSettings { scale: Scale::Quick, threads: 1, unit_seconds: 1.0, worker: run_unit };
        let mut told = Vec::new();
        let file = folder.path().join("s");
        run_experiments(&[&experiment], settings, &file, &Stop::new(), &mut |progress| {
            told.push((progress.games_done, progress.seconds_left));
        })
        .unwrap();
        assert!(matches!(told[0], (0, Some(seconds)) if seconds > 0.0), "{:?}", told[0]);
        assert!(matches!(told[told.len() - 1], (20, Some(0.0))), "{told:?}");
    }

    /// Cells are opened and probed before the first game, which takes a while if there are many.
    #[test]
    fn a_stop_ends_the_opening_of_cells() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s");
        let agents = ["uct:iterations=2000,c=0.7".parse().unwrap(), "random".parse().unwrap()];
        let pairing = Pairing::new("othello".parse().unwrap(), agents, 1);
        let experiment = Experiment::of_duel("test", pairing, 1_000);
        let settings =
            RunSettings { scale: Scale::Quick, threads: 1, unit_seconds: 1.0, worker: run_unit };
        let stop = Stop::new();
        stop.request();
        let done = run_experiments(&[&experiment], settings, &file, &stop, &mut |_| {}).unwrap();
        assert_eq!((done.games_played, done.games_done, done.games), (0, 0, 1_000));
        assert!(Store::open(&file).unwrap().cells().unwrap().is_empty());
    }
}
