//! Self-play with a network that is a Python callable.

use std::sync::{Mutex, PoisonError};

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sakiyomi_catalog::GameSpec;
use sakiyomi_core::Stop;
use sakiyomi_learn::{
    AgentMatches, Answer, GameRecord, Layout, ManyMatches, Network, NetworkError, Rows,
    SearchSettings, SelfPlay, SelfPlayError, open_position,
};
use sakiyomi_search::{RootNoise, StepRule, StepSettings};

use crate::errors::Raised;
use crate::evaluation::parse;
use crate::position::shape_of;

/// Plays matches and returns arrays: what was observed and decided, and how it ended.
#[pyfunction]
#[pyo3(signature = (game, network, *, games, at_once, simulations, leaves, c, noise, temperature, temperature_moves, seed, opponent, progress))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn self_play<'py>(
    py: Python<'py>,
    game: &Bound<'py, PyAny>,
    network: &Bound<'py, PyAny>,
    games: u64,
    at_once: usize,
    simulations: u64,
    leaves: usize,
    c: f64,
    noise: Option<(f64, f64)>,
    temperature: f64,
    temperature_moves: u32,
    seed: u64,
    opponent: Option<&Bound<'py, PyAny>>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let game = parse(game)?;
    let layout = *open_position(&game).map_err(Raised::from)?.layout();
    let settings = SelfPlay {
        game,
        games,
        at_once,
        simulations,
        leaves,
        c,
        noise: noise.map(|(alpha, share)| RootNoise { alpha, share }),
        temperature,
        temperature_moves,
        seed,
        opponent: opponent.map(parse).transpose()?,
    };
    with_callbacks(py, network, progress, layout, |network, stop, tell| {
        sakiyomi_learn::self_play(&settings, network, stop, tell)
    })
}

/// Plays many matches of a network against itself on few threads, and returns the same arrays.
#[pyfunction]
#[pyo3(signature = (games, network, *, matches, at_once, simulations, rule, considered, c, noise, share, images, opening_plies, drawn_moves, seed, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn many_matches<'py>(
    py: Python<'py>,
    games: Vec<Bound<'py, PyAny>>,
    network: &Bound<'py, PyAny>,
    matches: u64,
    at_once: usize,
    simulations: u32,
    rule: &str,
    considered: usize,
    c: f64,
    noise: Option<(f64, f64)>,
    share: f64,
    images: bool,
    opening_plies: usize,
    drawn_moves: u32,
    seed: u64,
    threads: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let games = games.iter().map(parse::<GameSpec>).collect::<PyResult<Vec<_>>>()?;
    let first = games.first().ok_or_else(|| Raised::bad_input("no game was given"))?;
    let layout = *open_position(first).map_err(Raised::from)?.layout();
    let by = |rule| SearchSettings::Step(StepSettings { simulations, rule });
    let search = match rule {
        "gumbel" => by(StepRule::Gumbel { considered, is_noisy: true }),
        "puct" => {
            let noise = noise.map(|(alpha, share)| RootNoise { alpha, share });
            by(StepRule::Puct { c, noise })
        }
        "descent" => SearchSettings::Descent { evaluations: simulations, share },
        other => {
            let problem = format!("unknown rule `{other}`; expected gumbel, puct or descent");
            return Err(Raised::bad_input(problem).into());
        }
    };
    let settings = ManyMatches {
        games,
        matches,
        at_once,
        search,
        has_random_images: images,
        opening_plies,
        drawn_moves,
        seed,
        threads,
    };
    with_callbacks(py, network, progress, layout, |network, stop, tell| {
        sakiyomi_learn::play_many_matches(&settings, network, stop, tell)
    })
}

/// Plays matches of an agent against itself, and returns the same arrays.
#[pyfunction]
#[pyo3(signature = (games, agent, *, matches, opening_plies, drawn_moves, seed, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn agent_matches<'py>(
    py: Python<'py>,
    games: Vec<Bound<'py, PyAny>>,
    agent: &Bound<'py, PyAny>,
    matches: u64,
    opening_plies: usize,
    drawn_moves: u32,
    seed: u64,
    threads: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let games = games.iter().map(parse::<GameSpec>).collect::<PyResult<Vec<_>>>()?;
    let first = games.first().ok_or_else(|| Raised::bad_input("no game was given"))?;
    let layout = *open_position(first).map_err(Raised::from)?.layout();
    let agent = parse(agent)?;
    let settings =
        AgentMatches { games, agent, matches, opening_plies, drawn_moves, seed, threads };
    with_progress(py, progress, layout, &Mutex::new(None), |stop, tell| {
        sakiyomi_learn::play_agent_matches(&settings, stop, tell)
    })
}

/// Plays with a network and a callback for progress that are Python's, whose exceptions end it.
fn with_callbacks<'py>(
    py: Python<'py>,
    network: &Bound<'py, PyAny>,
    progress: Option<&Bound<'py, PyAny>>,
    layout: Layout,
    play: impl FnOnce(
        &mut dyn Network,
        &Stop,
        &mut dyn FnMut(u64),
    ) -> Result<Vec<GameRecord>, SelfPlayError>
    + Send,
) -> PyResult<Bound<'py, PyDict>> {
    let raised = Mutex::new(None);
    let mut callable = Callable { network: network.clone().unbind(), layout, raised: &raised };
    with_progress(py, progress, layout, &raised, |stop, tell| play(&mut callable, stop, tell))
}

/// The same without a network. `raised` keeps the first exception.
fn with_progress<'py>(
    py: Python<'py>,
    progress: Option<&Bound<'py, PyAny>>,
    layout: Layout,
    raised: &Mutex<Option<PyErr>>,
    play: impl FnOnce(&Stop, &mut dyn FnMut(u64)) -> Result<Vec<GameRecord>, SelfPlayError> + Send,
) -> PyResult<Bound<'py, PyDict>> {
    let stop = Stop::new();
    let progress = progress.map(|callback| callback.clone().unbind());
    let mut tell = |ended: u64| {
        let called = Python::attach(|py| {
            py.check_signals()?;
            progress.as_ref().map_or(Ok(()), |callback| callback.call1(py, (ended,)).map(drop))
        });
        if let Err(error) = called {
            keep(raised, error);
            stop.request();
        }
    };
    let records = py.detach(|| play(&stop, &mut tell));
    if let Some(error) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    arrays(py, &records.map_err(Raised::from)?, &layout)
}

/// Keeps the first exception that Python raised.
fn keep(raised: &Mutex<Option<PyErr>>, error: PyErr) {
    raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
}

/// The network as the search sees it. It is called on the thread that called us, between two batches, so Ctrl-C is
/// noticed there too.
struct Callable<'a> {
    network: Py<PyAny>,
    layout: Layout,
    raised: &'a Mutex<Option<PyErr>>,
}

impl Network for Callable<'_> {
    fn evaluate(&mut self, rows: Rows<'_>) -> Result<Answer, NetworkError> {
        Python::attach(|py| self.ask(py, rows)).map_err(|error| {
            let text = error.to_string();
            keep(self.raised, error);
            NetworkError(text)
        })
    }
}

impl Callable<'_> {
    fn ask(&self, py: Python<'_>, Rows { n, observations, masks }: Rows<'_>) -> PyResult<Answer> {
        py.check_signals()?;
        let shape: Vec<usize> = [n].into_iter().chain(shape_of(&self.layout)).collect();
        let observations = PyArray1::from_slice(py, observations).reshape(shape)?;
        let masks = PyArray1::from_slice(py, masks).reshape(vec![n, self.layout.n_actions])?;
        let answer = self.network.bind(py).call1((observations, masks))?;
        let (priors, values): (PyReadonlyArrayDyn<'_, f32>, PyReadonlyArrayDyn<'_, f32>) =
            answer.extract()?;
        let numbers = |array: &PyReadonlyArrayDyn<'_, f32>| -> PyResult<Vec<f32>> {
            let slice = array.as_slice();
            Ok(slice.map_err(|_| Raised::bad_input("the arrays must be contiguous"))?.to_vec())
        };
        Ok(Answer { priors: numbers(&priors)?, values: numbers(&values)? })
    }
}

/// One row per decision: what was observed, the share of every action, who decided, what it got in the end, what the
/// search expected, and in which match. Beside them the payoffs of every match.
fn arrays<'py>(
    py: Python<'py>,
    records: &[GameRecord],
    layout: &Layout,
) -> PyResult<Bound<'py, PyDict>> {
    let Layout { n_actions, n_players, .. } = *layout;
    let n: usize = records.iter().map(|record| record.steps.len()).sum();
    let mut observations = Vec::with_capacity(n * layout.observation_len());
    let mut policies = vec![0.0f32; n * n_actions];
    let (mut players, mut results, mut values, mut matches) = (vec![], vec![], vec![], vec![]);
    let mut row = 0;
    for record in records {
        for step in &record.steps {
            observations.extend_from_slice(&step.observation);
            for &(action, share) in &step.policy {
                policies[row * n_actions + action as usize] = share;
            }
            players.push(step.player.0 as i8);
            results.push(record.payoffs[step.player.index()] as f32);
            values.push(step.value as f32);
            matches.push(record.number as i64);
            row += 1;
        }
    }
    let payoffs: Vec<f32> =
        records.iter().flat_map(|record| &record.payoffs).map(|&payoff| payoff as f32).collect();
    let seats: Vec<i8> =
        records.iter().map(|record| record.seat.map_or(-1, |seat| seat.0 as i8)).collect();
    let shape: Vec<usize> = [n].into_iter().chain(shape_of(layout)).collect();
    let all = PyDict::new(py);
    all.set_item("observations", PyArray1::from_vec(py, observations).reshape(shape)?)?;
    all.set_item("policies", PyArray1::from_vec(py, policies).reshape(vec![n, n_actions])?)?;
    all.set_item("players", PyArray1::from_vec(py, players))?;
    all.set_item("results", PyArray1::from_vec(py, results))?;
    all.set_item("values", PyArray1::from_vec(py, values))?;
    all.set_item("matches", PyArray1::from_vec(py, matches))?;
    let shape = vec![records.len(), n_players];
    all.set_item("payoffs", PyArray1::from_vec(py, payoffs).reshape(shape)?)?;
    all.set_item("seats", PyArray1::from_vec(py, seats))?;
    Ok(all)
}
