//! Experiments: run here, or handed out unit by unit to other machines, and reported.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use pyo3::prelude::*;
use sakiyomi::report::to_markdown;
use sakiyomi::shipped;
use sakiyomi_eval::experiment::{Experiment, Scale};
use sakiyomi_eval::{
    DoneUnit, Handed, RunProgress, RunSettings, RunSummary, Store, Ticket, Unit, run_experiments,
};
use serde_json::{Value, json};

use crate::errors::Raised;
use crate::evaluation::{threads_or_cores, to_text};
use crate::jobs;

fn scale_of(text: &str) -> PyResult<Scale> {
    Ok(text.parse().map_err(Raised::bad_input)?)
}

/// The experiments of these names, of a folder or of the package.
fn found(ids: &[String], folder: Option<PathBuf>) -> PyResult<Vec<Experiment>> {
    Ok(shipped::library(folder.as_deref()).find(ids).map_err(Raised::from)?)
}

/// The experiments of a folder, or of the package, and how much of them a store has.
#[pyfunction]
#[pyo3(signature = (*, folder, store))]
pub(crate) fn experiments(folder: Option<PathBuf>, store: PathBuf) -> PyResult<String> {
    let all = found(&["all".to_owned()], folder)?;
    let store = match store.exists() {
        true => Some(Store::open_existing(&store).map_err(Raised::from)?),
        false => None,
    };
    let mut list = Vec::new();
    for experiment in &all {
        let done = |scale| experiment.done(scale, store.as_ref()).map_err(Raised::from);
        list.push(json!({
            "id": experiment.id,
            "kind": experiment.kind(),
            "title": experiment.title,
            "repeats": experiment.repeats,
            "quick": done(Scale::Quick)?,
            "paper": done(Scale::Paper)?,
        }));
    }
    to_text(&list)
}

#[pyfunction]
#[pyo3(signature = (ids, *, folder, scale, store, threads, unit_seconds, progress))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn run(
    py: Python<'_>,
    ids: Vec<String>,
    folder: Option<PathBuf>,
    scale: &str,
    store: PathBuf,
    threads: Option<usize>,
    unit_seconds: f64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let experiments = found(&ids, folder)?;
    let threads = threads_or_cores(threads);
    let settings = RunSettings {
        scale: scale_of(scale)?,
        threads,
        unit_seconds,
        worker: sakiyomi::evolve::run_unit,
    };
    let summary = jobs::run(py, progress, move |duty| {
        let chosen: Vec<&Experiment> = experiments.iter().collect();
        run_experiments(&chosen, settings, &store, duty.stop(), &mut |progress| {
            duty.tell(|| progress_value(progress));
        })
    })?;
    to_text(&summary_value(&summary.map_err(Raised::from)?))
}

/// What a store has of experiments, or what came with the package where that is more, beside the numbers of the papers.
#[pyfunction]
#[pyo3(signature = (ids, *, folder, scale, store))]
pub(crate) fn report(
    py: Python<'_>,
    ids: Vec<String>,
    folder: Option<PathBuf>,
    scale: &str,
    store: PathBuf,
) -> PyResult<String> {
    let scale = scale_of(scale)?;
    let experiments = found(&ids, folder)?;
    let reports = jobs::run(py, None, move |_| -> Result<Vec<Value>, Raised> {
        let store = store.exists().then(|| Store::open_existing(&store)).transpose()?;
        let mut reports = Vec::new();
        for experiment in &experiments {
            let report = shipped::report(experiment, scale, store.as_ref())
                .map_err(|error| Raised::other(format!("{error:#}")))?;
            let mut value = serde_json::to_value(&report).map_err(Raised::other)?;
            value["markdown"] = to_markdown(&report.blocks()).into();
            value["figure_svg"] = report.figure.as_ref().map(|figure| figure.to_svg()).into();
            reports.push(value);
        }
        Ok(reports)
    })?;
    to_text(&reports?)
}

fn progress_value(progress: &RunProgress) -> Value {
    let RunProgress { games_done, games, seconds_left, latest, tallies } = progress;
    let cell = latest.as_ref().map(|(name, _)| name);
    let tallies: Vec<Value> = tallies
        .iter()
        .map(|cell| {
            let tally = cell.tally;
            json!({ "name": cell.name, "wins": tally.wins, "draws": tally.draws, "losses": tally.losses })
        })
        .collect();
    json!({ "done": games_done, "games": games, "seconds_left": seconds_left, "cell": cell, "tallies": tallies })
}

fn summary_value(summary: &RunSummary) -> Value {
    let RunSummary { games_played, games_done, games, seconds, store_seconds } = *summary;
    json!({
        "games_played": games_played,
        "games_done": games_done,
        "games": games,
        "seconds": seconds,
        "store_seconds": store_seconds,
    })
}

/// Does a unit of work: a pure function from JSON to JSON, the same on every machine.
#[pyfunction]
pub(crate) fn run_unit(py: Python<'_>, unit: &str) -> PyResult<String> {
    let unit: Unit = serde_json::from_str(unit)
        .map_err(|error| Raised::bad_input(format!("this is no unit of work: {error}")))?;
    let done = jobs::run(py, None, move |duty| {
        let start = Instant::now();
        let results = sakiyomi::evolve::run_unit(&unit, duty.stop());
        let seconds = start.elapsed().as_secs_f64();
        results.map(|results| DoneUnit { first: unit.numbers.start, results, seconds })
    })?;
    to_text(&done.map_err(Raised::from)?)
}

/// What came of a unit, from its text.
pub(crate) fn done_unit(text: &str) -> PyResult<DoneUnit> {
    let read = serde_json::from_str(text);
    Ok(read.map_err(|error| Raised::bad_input(format!("this is no result: {error}")))?)
}

/// A run whose units are done elsewhere.
#[pyclass(module = "sakiyomi", frozen)]
pub(crate) struct OpenRun {
    run: Mutex<Run>,
}

struct Run {
    run: sakiyomi_eval::OpenRun,
    tickets: Tickets<Ticket>,
}

/// What was handed out, by number.
pub(crate) struct Tickets<T>(Vec<Option<T>>);

impl<T> Default for Tickets<T> {
    fn default() -> Tickets<T> {
        Tickets(Vec::new())
    }
}

impl<T> Tickets<T> {
    pub(crate) fn add(&mut self, ticket: T) -> usize {
        self.0.push(Some(ticket));
        self.0.len() - 1
    }

    pub(crate) fn take(&mut self, number: usize) -> PyResult<T> {
        let own = self.0.get_mut(number).and_then(Option::take);
        own.ok_or_else(|| Raised::bad_input(format!("unit {number} is not handed out")).into())
    }
}

impl OpenRun {
    fn lock(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl OpenRun {
    #[new]
    #[pyo3(signature = (ids, *, folder, scale, store, workers, unit_seconds))]
    fn new(
        ids: Vec<String>,
        folder: Option<PathBuf>,
        scale: &str,
        store: PathBuf,
        workers: usize,
        unit_seconds: f64,
    ) -> PyResult<OpenRun> {
        let experiments = found(&ids, folder)?;
        let chosen: Vec<&Experiment> = experiments.iter().collect();
        let settings = RunSettings {
            scale: scale_of(scale)?,
            threads: workers,
            unit_seconds,
            worker: sakiyomi::evolve::run_unit,
        };
        let run = sakiyomi_eval::OpenRun::new(&chosen, settings, &store).map_err(Raised::from)?;
        Ok(OpenRun { run: Mutex::new(Run { run, tickets: Tickets::default() }) })
    }

    /// The next unit as (ticket, unit); nothing if there is none at the moment.
    fn next(&self) -> PyResult<Option<(usize, String)>> {
        let mut lock = self.lock();
        let Handed::Unit(ticket, unit) = lock.run.hand_out() else { return Ok(None) };
        Ok(Some((lock.tickets.add(ticket), to_text(&*unit)?)))
    }

    /// Takes what came of a unit.
    fn enter(&self, ticket: usize, done: &str) -> PyResult<()> {
        let done = done_unit(done)?;
        let mut lock = self.lock();
        let own = lock.tickets.take(ticket)?;
        Ok(lock.run.enter(&own, done).map_err(Raised::from)?)
    }

    /// Takes a unit back that is lost, so that it is handed out again.
    fn lose(&self, ticket: usize) -> PyResult<()> {
        let mut lock = self.lock();
        let own = lock.tickets.take(ticket)?;
        Ok(lock.run.lose(&own).map_err(Raised::from)?)
    }

    fn progress(&self) -> PyResult<String> {
        to_text(&progress_value(&self.lock().run.progress()))
    }

    fn summary(&self) -> PyResult<String> {
        to_text(&summary_value(&self.lock().run.summary()))
    }
}
