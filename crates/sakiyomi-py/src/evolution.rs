//! Evolution, here or on other machines, and verdicts on maps.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use pyo3::prelude::*;
use sakiyomi::cli::evolution_of;
use sakiyomi::evolve::{
    EvolveError, FairnessSettings, Gallery, HandOut, Judge, Progress, StageTicket, Threads,
    default_judges, judge_game, map_game,
};
use sakiyomi::gallery::gallery_files;
use sakiyomi_catalog::MapSource;
use sakiyomi_core::Stop;
use serde_json::{Map, Value, json};

use crate::errors::Raised;
use crate::evaluation::{threads_or_cores, to_text};
use crate::jobs;
use crate::runs::{Tickets, done_unit};

/// Judges whether a map is fair.
#[pyfunction]
#[pyo3(signature = (map, agents, *, games, seed, threads))]
pub(crate) fn fairness(
    py: Python<'_>,
    map: PathBuf,
    agents: Vec<String>,
    games: u64,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<String> {
    let map = MapSource::File(map.display().to_string()).read().map_err(Raised::bad_input)?;
    let judges: Result<Vec<Judge>, _> = agents.iter().map(|text| text.parse()).collect();
    let judges = match judges.map_err(Raised::bad_input)? {
        none if none.is_empty() => default_judges(),
        judges => judges,
    };
    let runner = Threads(threads_or_cores(threads));
    let fairness = jobs::run(py, None, move |duty| {
        let game = |noise: bool| Some(map_game(&map, noise));
        let settings = FairnessSettings { games, seed, quorum: None };
        judge_game(&game, &judges, settings, &runner, duty.stop(), &|_| {})
    })?;
    to_text(&fairness.map_err(Raised::from)?)
}

/// Evolves as the command of the same name with these arguments does. Returns the gallery.
#[pyfunction]
#[pyo3(signature = (arguments, *, progress))]
pub(crate) fn evolve(
    py: Python<'_>,
    arguments: Vec<OsString>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (run, threads) = evolution_of(arguments).map_err(Raised::bad_input)?;
    let gallery = jobs::run(py, progress, move |duty| {
        let told = RefCell::default();
        run.run(&Threads(threads), gallery_files, duty.stop(), &|progress| {
            duty.tell(|| tell(progress, &mut told.borrow_mut()));
        })
    })?;
    to_text(&gallery.map_err(Raised::from)?)
}

/// Adds what is told to what was told before: some of it may come up only for a moment.
fn tell(progress: &Progress<'_>, told: &mut Map<String, Value>) -> Value {
    let news = match progress {
        Progress::Games { generation, done, games } => {
            json!({ "generations": generation, "done": done, "games": games })
        }
        Progress::Generation { number, generation } => json!({
            "generations": number + 1,
            "best": generation.fitness.best,
            "mean": generation.fitness.mean,
        }),
        Progress::Tried { tried, candidates, passed } => {
            json!({ "tried": tried, "candidates": candidates, "passed": passed })
        }
    };
    told.extend(news.as_object().cloned().unwrap_or_default());
    Value::Object(told.clone())
}

/// An evolution whose games are played elsewhere. It has a thread of its own, which waits for what
/// comes back.
#[pyclass(module = "sakiyomi", frozen)]
pub(crate) struct OpenEvolution {
    shared: Arc<Shared>,
    tickets: Mutex<Tickets<StageTicket>>,
}

struct Shared {
    hand_out: HandOut,
    stop: Stop,
    told: Mutex<Map<String, Value>>,
    ended: Mutex<Ended>,
}

#[derive(Default)]
enum Ended {
    #[default]
    NotYet,
    With(Box<Result<Gallery, EvolveError>>),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl OpenEvolution {
    #[new]
    #[pyo3(signature = (arguments, *, workers))]
    fn new(arguments: Vec<OsString>, workers: usize) -> PyResult<OpenEvolution> {
        let (run, _) = evolution_of(arguments).map_err(Raised::bad_input)?;
        let shared = Arc::new(Shared {
            hand_out: HandOut::new(workers),
            stop: Stop::new(),
            told: Mutex::default(),
            ended: Mutex::default(),
        });
        let own = Arc::clone(&shared);
        thread::spawn(move || {
            let gallery = run.run(&own.hand_out, gallery_files, &own.stop, &|progress| {
                tell(progress, &mut lock(&own.told));
            });
            *lock(&own.ended) = Ended::With(Box::new(gallery));
        });
        Ok(OpenEvolution { shared, tickets: Mutex::default() })
    }

    /// Waits a moment for further units. False if the run has ended.
    fn wait(&self, py: Python<'_>) -> PyResult<bool> {
        py.check_signals()?;
        let shared = &self.shared;
        Ok(py.detach(|| {
            shared.hand_out.wait();
            matches!(*lock(&shared.ended), Ended::NotYet)
        }))
    }

    /// The next unit as (ticket, unit); nothing if there is none at the moment.
    fn next(&self) -> PyResult<Option<(usize, String)>> {
        let Some((ticket, unit)) = self.shared.hand_out.next() else { return Ok(None) };
        Ok(Some((lock(&self.tickets).add(ticket), to_text(&unit)?)))
    }

    /// Takes what came of a unit.
    fn enter(&self, ticket: usize, done: &str) -> PyResult<()> {
        let done = done_unit(done)?;
        let ticket = lock(&self.tickets).take(ticket)?;
        Ok(self.shared.hand_out.enter(&ticket, done).map_err(Raised::from)?)
    }

    /// Takes a unit back that is lost, so that it is handed out again.
    fn lose(&self, ticket: usize) -> PyResult<()> {
        let ticket = lock(&self.tickets).take(ticket)?;
        Ok(self.shared.hand_out.lose(&ticket).map_err(Raised::from)?)
    }

    fn progress(&self) -> PyResult<String> {
        to_text(&*lock(&self.shared.told))
    }

    /// Ends the run, with its checkpoint if it is not complete, and returns the gallery.
    fn close(&self, py: Python<'_>) -> PyResult<String> {
        self.shared.stop.request();
        py.detach(|| {
            while matches!(*lock(&self.shared.ended), Ended::NotYet) {
                self.shared.hand_out.wait();
            }
        });
        match std::mem::take(&mut *lock(&self.shared.ended)) {
            Ended::With(gallery) => to_text(&gallery.map_err(Raised::from)?),
            Ended::NotYet => Err(Raised::other("it was closed before").into()),
        }
    }
}
