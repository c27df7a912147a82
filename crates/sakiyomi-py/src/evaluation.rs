//! Games and agents by name, and what is measured of them. Results are JSON texts.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread::available_parallelism;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyAny;
use sakiyomi_catalog::{AgentSpec, GameSpec, SpecError, game_presets};
use sakiyomi_core::Stop;
use sakiyomi_core::stats::Sprt;
use sakiyomi_eval::assess::{Assess, AssessError, AssessReport, Plan, remedies_of, run_assess};
use sakiyomi_eval::{
    BestResponse, Duel, Exploit, ExploitProgress, Openings, Pairing, Progress, ResponseBudget,
    Solve, run_best_response, run_duel, run_exploit, run_solve,
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
    let openings = openings.map(|n| Openings { n, plies: opening_plies });
    let agents = [parse(first)?, parse(second)?];
    let pairing = Pairing { openings, ..Pairing::new(parse(game)?, agents, seed) };
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
#[pyo3(signature = (game, agent, *, minutes, search_games, games, seed, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn best_response(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    agent: &Bound<'_, PyAny>,
    minutes: Option<f64>,
    search_games: Option<u64>,
    games: u64,
    seed: u64,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let time = minutes.map(|minutes| Duration::try_from_secs_f64(60.0 * minutes));
    let budget = match (time, search_games) {
        (Some(Ok(time)), None) => ResponseBudget::Wall(time),
        (None, Some(games)) => ResponseBudget::Games(games),
        _ => {
            let message = "either `minutes` above 0 or `search_games` would be right";
            return Err(Raised::bad_input(message).into());
        }
    };
    let threads = threads_or_cores(threads);
    let request =
        BestResponse { game: parse(game)?, agent: parse(agent)?, budget, games, seed, threads };
    let report = jobs::run(py, progress, move |duty| {
        run_best_response(&request, duty.stop(), &|at| duty.tell(|| json!(at)))
    })?;
    to_text(&report.map_err(Raised::from)?)
}

#[pyfunction]
#[pyo3(signature = (game, *, memory, save, check, threads, layers, progress))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn solve(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    memory: u64,
    save: Option<PathBuf>,
    check: bool,
    threads: Option<usize>,
    layers: Option<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let threads = threads_or_cores(threads);
    let solve = Solve { game: parse(game)?, memory, save, check, threads, layers };
    let report = jobs::run(py, progress, move |duty| {
        run_solve(&solve, duty.stop(), &mut |progress| duty.tell(|| json!(progress)))
    })?;
    to_text(&report.map_err(Raised::from)?)
}

/// What is asked of an assessment, beside the game.
struct AssessRequest {
    minutes: f64,
    strengths: Vec<u64>,
    games: Option<u64>,
    players: Vec<AgentSpec>,
    seed: u64,
    threads: usize,
    store: Option<PathBuf>,
}

impl AssessRequest {
    fn assess(
        &self,
        game: &GameSpec,
        minutes: f64,
        stop: &Stop,
        tell: &mut dyn FnMut(serde_json::Value),
    ) -> Result<AssessReport, AssessError> {
        let players = self.players.clone();
        let plan = match self.games {
            None => Plan::within(game, minutes, self.threads, players, stop)?,
            Some(games) => Plan::of_sizes(game, self.strengths.clone(), games, players)?,
        };
        let (seed, threads) = (self.seed, self.threads);
        let assess = Assess { game: game.clone(), plan, seed, threads, minutes };
        run_assess(&assess, self.store.as_deref(), stop, &mut |progress| {
            let (done, games) = (progress.done, progress.games);
            tell(json!({ "done": done, "games": games, "latest": progress.latest }));
        })
    }
}

#[pyfunction]
#[pyo3(signature = (game, *, minutes, strengths, games, players, remedies, seed, threads, store, progress))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn assess(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    minutes: f64,
    strengths: Vec<u64>,
    games: Option<u64>,
    players: Vec<String>,
    remedies: bool,
    seed: u64,
    threads: Option<usize>,
    store: Option<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    if !(minutes > 0.0 && minutes < 1e5) {
        return Err(Raised::bad_input("minutes must be a positive number").into());
    }
    let game: GameSpec = parse(game)?;
    let players = players.iter().map(|text| text.parse()).collect::<Result<_, SpecError>>();
    let request = AssessRequest {
        minutes,
        strengths,
        games,
        players: players.map_err(Raised::from)?,
        seed,
        threads: threads_or_cores(threads),
        store,
    };
    let report = jobs::run(py, progress, move |duty| {
        let changed = if remedies { remedies_of(&game)? } else { Vec::new() };
        let minutes = request.minutes / (1 + changed.len()) as f64;
        let mut tell = |value| duty.tell(|| value);
        let mut report = request.assess(&game, minutes, duty.stop(), &mut tell)?;
        for remedy in &changed {
            report.remedies.push(request.assess(remedy, minutes, duty.stop(), &mut tell)?);
        }
        Ok::<_, AssessError>(report)
    })?;
    to_text(&report.map_err(Raised::from)?)
}
