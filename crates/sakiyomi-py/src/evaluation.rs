//! Games and agents by name, and what is measured of them. Results are JSON texts.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread::available_parallelism;

use pyo3::prelude::*;
use pyo3::types::PyAny;
use sakiyomi_catalog::{AgentSpec, GameSpec, SpecError, game_presets};
use sakiyomi_core::stats::Sprt;
use sakiyomi_eval::{
    Duel, Exploit, ExploitProgress, Openings, Pairing, Progress, Solve, run_duel, run_exploit,
    run_solve,
};
use serde::Serialize;
use serde_json::json;

use crate::errors::Raised;
use crate::jobs;

/// A specification from its text, or from an object that `str` turns into it.
pub(crate) fn parse<S: FromStr<Err = SpecError>>(spec: &Bound<'_, PyAny>) -> PyResult<S> {
    let text: String = spec.str()?.extract()?;
    Ok(text.parse().map_err(Raised::from)?)
}

/// A value as Python's own objects.
pub(crate) fn from_json<'py>(
    py: Python<'py>,
    value: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (to_text(value)?,))
}

pub(crate) fn to_text(value: &impl Serialize) -> PyResult<String> {
    Ok(serde_json::to_string(value).map_err(Raised::other)?)
}

pub(crate) fn threads_or_cores(threads: Option<usize>) -> usize {
    threads.unwrap_or_else(|| available_parallelism().map_or(1, usize::from)).max(1)
}

/// The games of the catalog, with their presets.
#[pyfunction]
pub(crate) fn games() -> PyResult<String> {
    let entry = |entry: &sakiyomi_catalog::Entry| {
        let mut value = serde_json::to_value(entry).map_err(Raised::other)?;
        value["presets"] = game_presets(entry).into();
        Ok(value)
    };
    to_text(&GameSpec::entries().iter().map(entry).collect::<PyResult<Vec<_>>>()?)
}

#[pyfunction]
pub(crate) fn agents() -> PyResult<String> {
    to_text(&AgentSpec::entries())
}

/// The text of a game as the catalog writes it.
#[pyfunction]
pub(crate) fn game_text(spec: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(parse::<GameSpec>(spec)?.to_string())
}

/// The text of an agent as the catalog writes it.
#[pyfunction]
pub(crate) fn agent_text(spec: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(parse::<AgentSpec>(spec)?.to_string())
}

/// The command line.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| sakiyomi::cli::run(arguments))
}

#[pyfunction]
#[pyo3(signature = (game, first, second, *, games, seed, threads, sprt, openings, opening_plies, store, progress))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn duel(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    first: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
    games: u64,
    seed: u64,
    threads: Option<usize>,
    sprt: Option<(f64, f64, f64, f64)>,
    openings: Option<std::num::NonZeroU64>,
    opening_plies: u32,
    store: Option<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let sprt = sprt.map(|(elo0, elo1, alpha, beta)| Sprt::new(elo0, elo1, alpha, beta));
    let pairing = Pairing {
        game: parse(game)?,
        agents: vec![parse(first)?, parse(second)?],
        seed,
        openings: openings.map(|n| Openings { n, plies: opening_plies }),
        first_seat: false,
    };
    let duel = Duel {
        pairing,
        games,
        threads: threads_or_cores(threads),
        sprt: sprt.transpose().map_err(Raised::bad_input)?,
    };
    let report = jobs::run(py, progress, move |duty| {
        run_duel(&duel, store.as_deref(), duty.stop(), &mut |progress| {
            let Progress { done, games, tally } = progress;
            duty.tell(|| json!({ "done": done, "games": games, "wins": tally.wins, "draws": tally.draws, "losses": tally.losses }));
        })
    })?;
    to_text(&report.map_err(Raised::from)?)
}

#[pyfunction]
#[pyo3(signature = (game, agent, *, checkpoints, fresh, seed, memory, progress))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn exploit(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    agent: &Bound<'_, PyAny>,
    checkpoints: Option<Vec<u64>>,
    fresh: bool,
    seed: u64,
    memory: u64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let agent: AgentSpec = parse(agent)?;
    let own = agent.tree_search().and_then(|settings| settings.budget.iterations);
    let mut checkpoints = checkpoints.unwrap_or_else(|| own.into_iter().collect());
    checkpoints.sort_unstable();
    let exploit = Exploit { game: parse(game)?, agent, checkpoints, fresh, seed, memory };
    let report = jobs::run(py, progress, move |duty| {
        run_exploit(&exploit, duty.stop(), &mut |progress| match progress {
            ExploitProgress::States(states) => duty.tell(|| json!({ "states": states })),
            ExploitProgress::Point(point) => duty.tell(|| json!({ "point": point })),
        })
    })?;
    to_text(&report.map_err(Raised::from)?)
}

#[pyfunction]
#[pyo3(signature = (game, *, memory, save, check, progress))]
pub(crate) fn solve(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    memory: u64,
    save: Option<PathBuf>,
    check: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let solve = Solve { game: parse(game)?, memory, save, check };
    let report = jobs::run(py, progress, move |duty| {
        run_solve(&solve, duty.stop(), &mut |states, bytes| {
            duty.tell(|| json!({ "states": states, "bytes": bytes }));
        })
    })?;
    to_text(&report.map_err(Raised::from)?)
}
