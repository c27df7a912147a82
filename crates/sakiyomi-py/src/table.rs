//! A running match, and what an agent thinks of it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use sakiyomi::{draw, picture};
use sakiyomi_catalog::{AgentSpec, Record, TableError, open_table, replay};
use sakiyomi_core::{Player, Stop, Turn};

use crate::errors::Raised;
use crate::evaluation::{from_json, parse};
use crate::jobs;

/// One match. Chance is drawn by the table itself, from the seed.
#[pyclass(module = "sakiyomi", frozen)]
pub(crate) struct Table {
    /// It is taken out while an agent thinks about it.
    table: Mutex<Option<Inner>>,
}

type Inner = Box<dyn sakiyomi_catalog::Table>;

impl Table {
    fn lock(&self) -> MutexGuard<'_, Option<Inner>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, act: impl FnOnce(&mut Inner) -> T) -> PyResult<T> {
        match self.lock().as_mut() {
            Some(table) => Ok(act(table)),
            None => Err(busy()),
        }
    }

    /// The player who is meant: the one that is named, or the one who chooses.
    fn player(&self, player: Option<u8>) -> PyResult<Player> {
        self.with(|table| match (player, table.turn()) {
            (Some(player), _) if usize::from(player) < table.players() => Ok(Player(player)),
            (Some(player), _) => Err(PyIndexError::new_err(format!(
                "there is no player {player}; players are counted from 0 to {}",
                table.players() - 1
            ))),
            (None, Turn::Choose(who)) => who.single().ok_or_else(|| {
                let text = "several players choose at once: say which one is meant (player=..)";
                Raised::bad_input(text).into()
            }),
            (None, _) => Err(PyErr::from(Raised::from(TableError::Over))),
        })?
    }

    /// Lets an agent think while Python goes on, and puts the table back.
    fn think_beside(
        &self,
        py: Python<'_>,
        think: impl FnOnce(&mut Inner, &Stop) -> Result<sakiyomi_catalog::Thought, TableError>
        + Send
        + 'static,
    ) -> PyResult<Thought> {
        let mut inner = self.lock().take().ok_or_else(busy)?;
        let ((inner, thought), ended) = jobs::run_keeping(py, None, move |duty| {
            let thought = think(&mut inner, duty.stop());
            (inner, thought)
        })?;
        *self.lock() = Some(inner);
        ended?;
        Ok(Thought(thought.map_err(Raised::from)?))
    }
}

fn busy() -> PyErr {
    Raised::other("an agent is thinking at this table in another thread").into()
}

#[pymethods]
impl Table {
    #[new]
    #[pyo3(signature = (game, seed = 1))]
    fn new(game: &Bound<'_, PyAny>, seed: u64) -> PyResult<Table> {
        let table = open_table(&parse(game)?, seed).map_err(Raised::from)?;
        Ok(Table { table: Mutex::new(Some(table)) })
    }

    /// Rebuilds a match from its record.
    #[staticmethod]
    fn replay(record: &Bound<'_, PyAny>) -> PyResult<Table> {
        let text: String =
            record.py().import("json")?.call_method1("dumps", (record,))?.extract()?;
        let record: Record = serde_json::from_str(&text)
            .map_err(|error| Raised::bad_input(format!("this is no record: {error}")))?;
        let table = replay(&record).map_err(Raised::from)?;
        Ok(Table { table: Mutex::new(Some(table)) })
    }

    #[getter]
    fn game(&self) -> PyResult<String> {
        self.with(|table| table.game().to_string())
    }

    #[getter]
    fn players(&self) -> PyResult<usize> {
        self.with(|table| table.players())
    }

    #[getter]
    fn player_names(&self) -> PyResult<Vec<String>> {
        self.with(|table| {
            (0..table.players()).map(|i| table.player_name(Player(i as u8))).collect()
        })
    }

    /// The players who choose now; none if the match is over.
    #[getter]
    fn turn<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let choosing: Vec<u8> = self.with(|table| match table.turn() {
            Turn::Choose(who) => who.map(|player| player.0).collect(),
            _ => Vec::new(),
        })?;
        PyTuple::new(py, choosing)
    }

    #[getter]
    fn is_over(&self) -> PyResult<bool> {
        self.with(|table| matches!(table.turn(), Turn::Over(_)))
    }

    /// What each player gets, from 0 to 1; nothing before the end.
    #[getter]
    fn payoffs(&self) -> PyResult<Option<Vec<f64>>> {
        self.with(|table| match table.turn() {
            Turn::Over(payoffs) => Some(payoffs.as_slice(table.players()).to_vec()),
            _ => None,
        })
    }

    #[getter]
    fn caption(&self) -> PyResult<String> {
        self.with(|table| table.view().caption.to_string())
    }

    #[pyo3(signature = (player = None))]
    fn legal(&self, player: Option<u8>) -> PyResult<Vec<String>> {
        if player.is_none() && self.is_over()? {
            return Ok(Vec::new());
        }
        let player = self.player(player)?;
        self.with(|table| table.legal(player).into_iter().map(|action| action.text).collect())
    }

    #[pyo3(signature = (*actions))]
    fn play(&self, actions: Vec<String>) -> PyResult<()> {
        let texts: Vec<&str> = actions.iter().map(String::as_str).collect();
        Ok(self.with(|table| table.play(&texts))?.map_err(Raised::from)?)
    }

    fn undo(&self) -> PyResult<bool> {
        self.with(|table| table.undo())
    }

    fn seat(&self, player: u8, agent: &Bound<'_, PyAny>) -> PyResult<()> {
        let (player, agent) = (self.player(Some(player))?, parse(agent)?);
        Ok(self.with(|table| table.seat(player, &agent))?.map_err(Raised::from)?)
    }

    #[pyo3(signature = (player = None))]
    fn think(&self, py: Python<'_>, player: Option<u8>) -> PyResult<Thought> {
        let player = self.player(player)?;
        self.think_beside(py, move |table, stop| table.think(player, stop))
    }

    #[pyo3(signature = (agent, player = None))]
    fn advise(
        &self,
        py: Python<'_>,
        agent: &Bound<'_, PyAny>,
        player: Option<u8>,
    ) -> PyResult<Thought> {
        let (player, agent): (Player, AgentSpec) = (self.player(player)?, parse(agent)?);
        self.think_beside(py, move |table, stop| table.advise(&agent, player, stop))
    }

    /// Everything that is drawn of the state.
    fn view<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.with(|table| table.view())?)
    }

    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.with(|table| table.record())?)
    }

    /// A pickle is the record; agents that were seated are no part of it.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        Ok((py.import("sakiyomi._pickle")?.getattr("table")?, (self.record(py)?,)))
    }

    /// Who did what so far, one entry per step.
    fn past<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.with(|table| table.past())?)
    }

    fn svg(&self) -> PyResult<String> {
        self.with(|table| {
            let colour = |i: usize| table.player_face(Player(i as u8)).colour;
            let colours: Vec<_> = (0..table.players()).map(colour).collect();
            picture::to_svg(&table.view(), &colours)
        })
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg()
    }

    fn __str__(&self) -> PyResult<String> {
        self.with(|table| draw::draw(&table.view(), false))
    }

    fn __repr__(&self) -> PyResult<String> {
        self.with(|table| {
            let record = table.record();
            format!("<Table {}, seed {}, {} steps>", record.game, record.seed, record.moves.len())
        })
    }
}

/// What an agent thinks.
#[pyclass(module = "sakiyomi", frozen)]
pub(crate) struct Thought(sakiyomi_catalog::Thought);

#[pymethods]
impl Thought {
    #[getter]
    fn player(&self) -> u8 {
        self.0.player
    }

    #[getter]
    fn action(&self) -> &str {
        &self.0.action
    }

    /// What the player expects to get, from 0 to 1.
    #[getter]
    fn value(&self) -> Option<f64> {
        self.0.value
    }

    #[getter]
    fn iterations(&self) -> u64 {
        self.0.iterations
    }

    #[getter]
    fn nodes(&self) -> u64 {
        self.0.nodes
    }

    #[getter]
    fn seconds(&self) -> f64 {
        self.0.seconds
    }

    /// The share of every action that was considered, the largest first.
    #[getter]
    fn policy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let policy = PyDict::new(py);
        for arm in self.0.policy() {
            policy.set_item(&arm.text, arm.share)?;
        }
        Ok(policy)
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.0)
    }

    fn __repr__(&self) -> String {
        let value = self.0.value.map_or_else(String::new, |value| format!(", value {value:.3}"));
        format!("<Thought {}{value}, {} iterations>", self.0.action, self.0.iterations)
    }
}
