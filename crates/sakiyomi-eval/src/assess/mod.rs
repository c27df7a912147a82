//! The assessment of a game: whether it is fair, deep and alive, as players of many kinds show that
//! play it against themselves, and searches of rising strength that play each other.
//!
//! What is played follows from a [`Plan`], whose sizes are fixed before the first game: a budget of
//! time decides them from the speed that is measured, and the report tells them and the command that
//! repeats it. Games are units of the one runner and can be kept in a store, from which an
//! assessment goes on.

mod exact;
mod plan;
mod players;
mod report;
mod verdict;

use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use sakiyomi_catalog::{
    CatalogGame, ChangeSpec, GameSpec, OpeningsSpec, RemedySpec, SpecError, Visitor,
};
use sakiyomi_core::{Fault, Player, Stop};

use crate::schedule::{
    News, Order, ScheduleError, ScheduleSettings, Sink, Standing, Work, run_works,
};
use crate::store::{Store, StoreError};
use crate::{DoneUnit, Pairing, Played, Task, TaskError, run_unit};

pub use exact::{ExactValue, MAX_EXACT_STATES};
pub use plan::{Plan, PlanError};
pub use players::{Kind, LEVELS};
pub use report::{AssessReport, LadderStep, Mean, PlayerReport, SeatScore};
pub use verdict::{Fairness, Trend, Verdict};

/// How long a unit takes that is kept in memory, and one that goes to a store.
const UNIT_SECONDS: f64 = 0.2;
const STORED_UNIT_SECONDS: f64 = 1.0;
/// About how long an assessment takes if nothing is said.
pub const DEFAULT_MINUTES: f64 = 5.0;
/// The share of the budget within which the exact value is looked for, on one thread.
const EXACT_SHARE: f64 = 0.2;

/// What is to be assessed, and how.
#[derive(Clone, Debug)]
pub struct Assess {
    pub game: GameSpec,
    pub plan: Plan,
    pub seed: u64,
    pub threads: usize,
    /// The budget, of which a part is for the exact value.
    pub minutes: f64,
}

/// How far it is.
#[derive(Clone, Debug)]
pub struct AssessProgress {
    pub done: u64,
    pub games: u64,
    pub seconds_left: Option<f64>,
    /// What is being done, such as the players of the latest games.
    pub latest: String,
}

#[derive(Debug, thiserror::Error)]
pub enum AssessError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{name}: {error}")]
    Task { name: String, error: TaskError },
}

impl Fault for AssessError {
    fn is_input(&self) -> bool {
        match self {
            AssessError::Spec(_) | AssessError::Plan(_) => true,
            AssessError::Task { error, .. } => error.is_input(),
            AssessError::Store(_) => false,
        }
    }
}

impl From<ScheduleError<StoreError>> for AssessError {
    fn from(error: ScheduleError<StoreError>) -> AssessError {
        match error {
            ScheduleError::Sink(error) => AssessError::Store(error),
            ScheduleError::Task { name, error } => AssessError::Task { name, error },
        }
    }
}

/// What players of a game are called.
#[derive(Clone, Debug)]
pub(crate) struct Seats {
    pub(crate) names: Vec<String>,
}

impl Seats {
    fn of(game: &GameSpec) -> Result<Seats, SpecError> {
        struct Names;
        impl Visitor for Names {
            type Out = Vec<String>;
            fn visit<G: CatalogGame>(self, game: G) -> Vec<String> {
                let name = |i| game.player_name(Player(i as u8)).to_string();
                (0..game.players()).map(name).collect()
            }
        }
        Ok(Seats { names: game.with(Names)? })
    }
}

/// Assesses the game. `stop` ends it early, with a report of what is complete by then.
pub fn run_assess(
    assess: &Assess,
    store: Option<&Path>,
    stop: &Stop,
    progress: &mut dyn FnMut(&AssessProgress),
) -> Result<AssessReport, AssessError> {
    let (start, cpu) = (Instant::now(), ProcessTime::now());
    let seats = Seats::of(&assess.game)?;
    let mut works = assess.works(seats.names.len() as u64);
    let total = works.iter().map(|work| work.wanted).sum();
    let latest = "the exact value".to_owned();
    progress(&AssessProgress { done: 0, games: total, seconds_left: None, latest });
    let exact = exact::look_for(&assess.game, exact_time(assess.minutes), stop)?;
    let mut sink = GameSink::new(works.len());
    let names: Vec<String> = works.iter().map(|work| work.name.clone()).collect();
    let mut tell = |standing: &Standing, _: &GameSink| {
        progress(&AssessProgress {
            done: standing.done,
            games: standing.wanted,
            seconds_left: standing.seconds_left,
            latest: standing.latest.map_or_else(String::new, |at| names[at].clone()),
        });
    };
    let mut unit_seconds = UNIT_SECONDS;
    if let Some(file) = store {
        unit_seconds = STORED_UNIT_SECONDS;
        sink.open(Store::open(file)?, &mut works, stop)?;
    }
    let settings = ScheduleSettings {
        threads: assess.threads,
        unit_seconds,
        order: Order::Ascending,
        worker: run_unit,
    };
    run_works(works, settings, &mut sink, stop, &mut tell)?;
    let mut report = AssessReport::new(assess, &seats, &sink.into_games(), exact);
    report.interrupted = stop.requested();
    report.seconds = start.elapsed().as_secs_f64();
    report.cpu_seconds = cpu.elapsed().as_secs_f64();
    Ok(report)
}

/// The time for the exact value.
fn exact_time(minutes: f64) -> Duration {
    Duration::from_secs_f64(60.0 * minutes * EXACT_SHARE)
}

/// Changes that may mend a game, as games: none if it is not one of two who choose in turn.
pub fn remedies_of(game: &GameSpec) -> Result<Vec<GameSpec>, SpecError> {
    struct Open;
    impl Visitor for Open {
        type Out = ();
        fn visit<G: CatalogGame>(self, _: G) {}
    }
    // What is wrong with the game itself is an error, and not that it cannot be changed.
    game.with(Open)?;
    let changes = [ChangeSpec::Pie, ChangeSpec::Openings(OpeningsSpec::default())];
    let changed = changes.map(|change| GameSpec::from(RemedySpec::of(game.clone(), change)));
    Ok(changed.into_iter().filter(|game| game.with(Open).is_ok()).collect())
}

impl Assess {
    /// All matches: of each player against itself, then the steps of the ladder.
    fn works(&self, n_seats: u64) -> Vec<Work> {
        let games = self.plan.games;
        let alone = self.plan.players().into_iter().map(|player| {
            let pairing = Pairing::self_play(self.game.clone(), player.clone(), self.seed);
            (player.to_string(), pairing, games)
        });
        let ladder = self.plan.ladder().into_iter().map(|[weaker, stronger]| {
            let name = format!("{stronger} against {weaker}");
            let pairing = Pairing::new(self.game.clone(), [stronger, weaker], self.seed);
            // Both take every seat equally often.
            (name, pairing, games.next_multiple_of(n_seats))
        });
        let work = |(name, pairing, games)| Work::new(name, Task::Matches(pairing), games);
        alone.chain(ladder).map(work).collect()
    }
}

/// Keeps all games, and writes them into a store if there is one.
struct GameSink {
    games: Vec<Vec<Played>>,
    stored: Option<Stored>,
}

struct Stored {
    store: Store,
    /// The cell of each work.
    cells: Vec<i64>,
}

impl GameSink {
    fn new(n_works: usize) -> GameSink {
        GameSink { games: vec![Vec::new(); n_works], stored: None }
    }

    /// Takes what the store has of the works.
    fn open(&mut self, store: Store, works: &mut [Work], stop: &Stop) -> Result<(), AssessError> {
        let mut cells = Vec::new();
        for (at, work) in works.iter_mut().enumerate() {
            let name = || work.name.clone();
            let found = work.task.fingerprint(stop);
            let found = found.map_err(|error| AssessError::Task {
                name: name(),
                error: TaskError::Spec(SpecError {
                    spec: work.task.game().to_string(),
                    message: error.to_string(),
                }),
            })?;
            // Stopped: nothing is resumed and nothing played.
            let Some(fingerprint) = found else { return Ok(()) };
            let cell = store.cell(&work.task, &fingerprint, work.task.round()?)?;
            let games = &mut self.games[at];
            let mut known = Vec::new();
            store.each_unit(cell.id, |stored| {
                known.push(stored.unit.numbers());
                games.extend(stored.unit.results.into_games());
            })?;
            known.into_iter().for_each(|numbers| work.leave_out(numbers));
            cells.push(cell.id);
        }
        self.stored = Some(Stored { store, cells });
        Ok(())
    }

    /// The games of each work in the order of their numbers.
    fn into_games(self) -> Vec<Vec<Played>> {
        let mut games = self.games;
        games.iter_mut().for_each(|games| games.sort_by_key(|played| played.number));
        games
    }
}

impl Sink for GameSink {
    type Error = StoreError;

    fn take(&mut self, work: usize, unit: DoneUnit) -> Result<Vec<News>, StoreError> {
        let numbers = unit.numbers();
        if let Some(Stored { store, cells }) = &mut self.stored {
            store.add(cells[work], &unit)?;
        }
        self.games[work].extend(unit.results.into_games());
        Ok(vec![News { work, numbers }])
    }
}

#[cfg(test)]
mod tests;
