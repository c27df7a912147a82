//! Runs experiments: unit by unit, on threads, into a store that it can be resumed from.
//!
//! What is to be done is always worked out from what the store has: the games of a cell that are in
//! no unit. The first unit of a cell is one round, which tells how long a game takes; the others are
//! about a second long. Several processes may run at once: each takes units in an order of its own
//! and looks into the store before each, so that they seldom play the same games, and if they do the
//! store takes only one of them.

use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use sakiyomi_catalog::TableError;
use sakiyomi_core::Stop;
use sakiyomi_core::stats::Tally;

use crate::experiment::{Experiment, Scale};
use crate::store::{Store, StoreError, StoredCell, Unit};
use crate::{ExploitError, Results, Task};

const LARGEST_UNIT: u64 = 100_000;
/// How often progress is told.
const TICK: Duration = Duration::from_millis(100);

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{experiment}: {error}")]
    Spec { experiment: String, error: TableError },
    #[error("{cell}: {error}")]
    Task { cell: String, error: ExploitError },
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
    /// Time spent on the store, over all threads.
    pub store_seconds: f64,
}

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct RunSettings {
    pub scale: Scale,
    pub threads: usize,
    /// How long a unit should take: what is lost at most when the program is killed.
    pub unit_seconds: f64,
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
    let RunSettings { scale, threads, unit_seconds } = settings;
    let store = Store::open(store_file)?;
    let mut cells: Vec<CellWork> = Vec::new();
    for experiment in experiments {
        for cell in experiment.cells(scale) {
            let wrong = |error| RunError::Spec { experiment: experiment.id.clone(), error };
            let fingerprint = cell.fingerprint().map_err(wrong)?;
            let round = cell.task.round().map_err(|e| wrong(e.into()))?;
            let name = format!("{}: {}", experiment.id, cell.name);
            let failed = |error| RunError::Task { cell: name.clone(), error };
            cell.task.check().map_err(failed)?;
            let stored = store.cell(&cell.task, &fingerprint, round)?;
            let done = store.done(stored.id)?;
            let games = cell.balanced_games().map_err(|error| wrong(error.into()))?;
            match cells.iter_mut().find(|known| known.stored.id == stored.id) {
                Some(known) => known.games = known.games.max(games),
                None => {
                    let known = store.count(stored.id, round, games)?.evidence.tally;
                    let work = CellWork::new(name, stored, games, cell.keep, done);
                    cells.push(CellWork { tally: known, ..work });
                }
            }
        }
    }
    let shared = Mutex::new(Shared {
        cells,
        store,
        unit_seconds,
        turn: u64::from(std::process::id()),
        summary: RunSummary::default(),
        latest: None,
        error: None,
    });
    thread::scope(|scope| {
        let workers: Vec<_> =
            (0..threads.max(1)).map(|_| scope.spawn(|| work(&shared, stop))).collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            progress(&lock(&shared).progress(threads, start));
            thread::sleep(TICK);
        }
    });
    let mut shared = shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    progress(&shared.progress(threads, start));
    if let Some(error) = shared.error.take() {
        return Err(error);
    }
    let (games_done, games) = shared.games();
    let seconds = start.elapsed().as_secs_f64();
    Ok(RunSummary { games_done, games, seconds, ..shared.summary })
}

struct Shared {
    cells: Vec<CellWork>,
    store: Store,
    unit_seconds: f64,
    /// Counts up with every unit that is handed out; where it starts differs between processes.
    turn: u64,
    summary: RunSummary,
    latest: Option<usize>,
    error: Option<RunError>,
}

/// What is done and what is being done of one cell.
struct CellWork {
    name: String,
    stored: StoredCell,
    games: u64,
    keep: bool,
    done: Vec<(u64, u64)>,
    in_flight: Vec<(u64, u64)>,
    tally: Tally,
    seconds_per_game: Option<f64>,
}

#[derive(Clone, Copy)]
struct Job {
    cell: usize,
    first: u64,
    n: u64,
}

fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn work(shared: &Mutex<Shared>, stop: &Stop) {
    loop {
        if stop.requested() {
            return;
        }
        let (job, task, keep) = {
            let mut shared = lock(shared);
            if shared.error.is_some() {
                return;
            }
            match shared.next_job() {
                Next::Job(job) => {
                    let cell = &shared.cells[job.cell];
                    (job, cell.stored.task.clone(), cell.keep)
                }
                Next::Wait => {
                    drop(shared);
                    thread::sleep(TICK);
                    continue;
                }
                Next::Nothing => return,
            }
        };
        let start = Instant::now();
        let results = task.run(job.first, job.n, keep, stop);
        let seconds = start.elapsed().as_secs_f64();
        let mut shared = lock(shared);
        shared.cells[job.cell].in_flight.retain(|&(first, _)| first != job.first);
        // A game in which thinking was cut short is not what it would have been.
        if stop.requested() {
            return;
        }
        let entered = match results {
            Ok(results) => shared.enter(job, &Unit { first: job.first, results, seconds }),
            Err(error) => Err(RunError::Task { cell: shared.cells[job.cell].name.clone(), error }),
        };
        if let Err(error) = entered {
            shared.error.get_or_insert(error);
            return;
        }
    }
}

enum Next {
    Job(Job),
    /// Others are at work on what this depends on.
    Wait,
    Nothing,
}

impl Shared {
    /// Hands out the next unit, cell after cell in turn.
    fn next_job(&mut self) -> Next {
        let n = self.cells.len();
        let mut waits = false;
        for i in 0..n {
            let at = (self.turn as usize + i) % n;
            if self.cells[at].is_complete() {
                continue;
            }
            let id = self.cells[at].stored.id;
            match self.store.done(id) {
                Ok(done) => self.cells[at].done = done,
                Err(error) => {
                    self.error.get_or_insert(error.into());
                    return Next::Nothing;
                }
            }
            match self.cells[at].next_range(self.turn) {
                Some((first, n)) => {
                    self.turn += 1;
                    self.cells[at].in_flight.push((first, n));
                    return Next::Job(Job { cell: at, first, n });
                }
                None => waits |= !self.cells[at].in_flight.is_empty(),
            }
        }
        if waits { Next::Wait } else { Next::Nothing }
    }

    fn enter(&mut self, job: Job, unit: &Unit) -> Result<(), RunError> {
        let start = Instant::now();
        let cell = &mut self.cells[job.cell];
        let added = self.store.add(cell.stored.id, unit)?;
        let per_game = unit.seconds / unit.results.len().max(1) as f64;
        cell.seconds_per_game = Some(per_game);
        if cell.stored.unit_games.is_none() {
            let rounds = (self.unit_seconds / (per_game * cell.stored.round as f64)).round() as u64;
            let n = (rounds.max(1) * cell.stored.round).min(LARGEST_UNIT);
            cell.stored.unit_games = Some(self.store.settle_unit_games(cell.stored.id, n)?);
        }
        cell.done = self.store.done(cell.stored.id)?;
        if added {
            if let Results::Games(games) = &unit.results {
                cell.tally += games.iter().map(|played| played.outcome.tally()).sum();
            }
            self.summary.games_played += job.n;
        }
        self.latest = Some(job.cell);
        self.summary.store_seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    fn games(&self) -> (u64, u64) {
        let done = self.cells.iter().map(CellWork::n_done).sum();
        (done, self.cells.iter().map(|cell| cell.games).sum())
    }

    fn progress(&self, threads: usize, start: Instant) -> RunProgress {
        let (games_done, games) = self.games();
        let played = self.summary.games_played;
        let mean =
            (played > 0).then(|| start.elapsed().as_secs_f64() * threads as f64 / played as f64);
        let left = self.cells.iter().map(|cell| {
            let per_game = cell.seconds_per_game.or(mean)?;
            Some((cell.games - cell.n_done()) as f64 * per_game)
        });
        let seconds_left: Option<f64> = left.sum::<Option<f64>>().map(|all| all / threads as f64);
        let latest = self.latest.map(|at| (self.cells[at].name.clone(), self.cells[at].tally));
        let matches = |cell: &&CellWork| matches!(cell.stored.task, Task::Matches(_));
        let tally = |cell: &CellWork| CellTally {
            name: cell.name.clone(),
            tally: cell.tally,
            n_players: cell.stored.round as usize,
        };
        let tallies = self.cells.iter().filter(matches).map(tally).collect();
        RunProgress { games_done, games, seconds_left, latest, tallies }
    }
}

impl CellWork {
    fn new(
        name: String,
        stored: StoredCell,
        games: u64,
        keep: bool,
        done: Vec<(u64, u64)>,
    ) -> CellWork {
        CellWork {
            name,
            stored,
            games,
            keep,
            done,
            in_flight: Vec::new(),
            tally: Tally::default(),
            seconds_per_game: None,
        }
    }

    /// Games that are done, of those that are wanted.
    fn n_done(&self) -> u64 {
        let wanted = |&(first, n): &(u64, u64)| (first + n).min(self.games).saturating_sub(first);
        self.done.iter().map(wanted).sum()
    }

    fn is_complete(&self) -> bool {
        self.n_done() >= self.games
    }

    /// A range of games that nobody has played or is playing here: the one with this turn, if the
    /// gaps are counted off in units.
    fn next_range(&self, turn: u64) -> Option<(u64, u64)> {
        let Some(unit) = self.stored.unit_games else {
            let first_round = (0, self.stored.round.min(self.games));
            return self.in_flight.is_empty().then_some(first_round);
        };
        let gaps = self.gaps();
        let units_in = |&(first, n): &(u64, u64)| {
            (first + n).div_ceil(unit).saturating_sub(first / unit).max(1)
        };
        let total: u64 = gaps.iter().map(units_in).sum();
        if total == 0 {
            return None;
        }
        let mut pick = turn % total;
        for gap in &gaps {
            let here = units_in(gap);
            if pick < here {
                let first = gap.0.max((gap.0 / unit + pick) * unit);
                let end = ((first / unit + 1) * unit).min(gap.0 + gap.1);
                return Some((first, end - first));
            }
            pick -= here;
        }
        None
    }

    /// What is neither done nor in flight.
    fn gaps(&self) -> Vec<(u64, u64)> {
        let mut taken: Vec<(u64, u64)> = self.done.iter().chain(&self.in_flight).copied().collect();
        taken.sort_unstable();
        let mut gaps = Vec::new();
        let mut next = 0;
        for (first, n) in taken.into_iter().chain([(self.games, 0)]) {
            let first = first.min(self.games);
            if first > next {
                gaps.push((next, first - next));
            }
            next = next.max(first + n);
        }
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pairing, Task};

    fn cell(games: u64, unit_games: Option<u64>) -> CellWork {
        let task = Task::Matches(Pairing {
            game: "tic-tac-toe".parse().unwrap(),
            agents: ["random".parse().unwrap(), "random".parse().unwrap()],
            seed: 1,
        });
        let behaviour = String::new();
        let stored = StoredCell { id: 1, task, behaviour, round: 2, unit_games };
        CellWork::new("cell".to_owned(), stored, games, false, Vec::new())
    }

    #[test]
    fn units_cover_all_games_once_in_any_order() {
        for turn_step in [1, 3, 7] {
            let mut work = cell(103, None);
            assert_eq!(work.next_range(5), Some((0, 2)), "the first round tells the time");
            work.in_flight.push((0, 2));
            assert_eq!(work.next_range(5), None, "until then there is nothing else to do");
            work.in_flight.clear();
            work.done.push((0, 2));
            work.stored.unit_games = Some(10);
            let mut games = vec![0; 103];
            games[..2].fill(1);
            let mut turn = 0;
            while let Some((first, n)) = work.next_range(turn) {
                assert!(n <= 10 && first / 10 == (first + n - 1) / 10, "a unit stays on its grid");
                games[first as usize..(first + n) as usize].iter_mut().for_each(|g| *g += 1);
                work.done.push((first, n));
                work.done.sort_unstable();
                turn += turn_step;
            }
            assert!(games.iter().all(|&n| n == 1), "{games:?}");
            assert!(work.is_complete());
        }
    }

    #[test]
    fn games_beyond_what_is_wanted_do_not_count() {
        let mut work = cell(10, Some(4));
        work.done = vec![(0, 4), (8, 4)];
        assert_eq!(work.n_done(), 6);
        assert_eq!(work.gaps(), [(4, 4)]);
        assert_eq!(work.next_range(99), Some((4, 4)));
    }
}
