//! A state whose actions are numbers.

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use sakiyomi::{draw, picture};
use sakiyomi_catalog::GameSpec;
use sakiyomi_core::{ObservationShape, Player, Turn};
use sakiyomi_learn::{Layout, PositionError, open_position};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::errors::Raised;
use crate::evaluation::{from_json, parse};
use crate::past::Past;

/// A state of a game, which can be copied and compared. Chance waits for its outcome.
#[pyclass(module = "sakiyomi", frozen)]
pub(crate) struct Position {
    position: Mutex<Box<dyn sakiyomi_learn::Position>>,
    /// For pickles, which hold a match and not a state.
    game: Arc<str>,
    past: Mutex<Past>,
}

/// What reads a pickle, and its arguments: the game and the steps.
type Pickle<'py> = (Bound<'py, PyAny>, (String, Vec<Vec<u32>>));

impl Position {
    fn lock(&self) -> MutexGuard<'_, Box<dyn sakiyomi_learn::Position>> {
        self.position.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn past(&self) -> MutexGuard<'_, Past> {
        self.past.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn player(&self, player: Option<u8>) -> PyResult<Player> {
        let lock = self.lock();
        let n_players = lock.layout().n_players;
        match (player, lock.turn()) {
            (Some(player), _) if usize::from(player) < n_players => Ok(Player(player)),
            (Some(player), _) => {
                let text = format!(
                    "there is no player {player}; players are counted from 0 to {}",
                    n_players - 1
                );
                Err(Raised::bad_input(text).into())
            }
            (None, Turn::Choose(who)) => who.single().ok_or_else(|| {
                Raised::bad_input("several players choose at once: say which one is meant").into()
            }),
            (None, Turn::Over(_)) => Err(Raised::from(PositionError::Over).into()),
            (None, Turn::Chance) => Err(Raised::bad_input("it is chance's turn").into()),
        }
    }
}

/// The shape of observations as numpy writes it: planes, rows and columns, or a flat vector.
pub(crate) fn shape_of(layout: &Layout) -> Vec<usize> {
    match layout.observation {
        Some(ObservationShape { planes: 1, rows: 1, columns }) => vec![columns],
        Some(ObservationShape { planes, rows, columns }) => vec![planes, rows, columns],
        None => vec![0],
    }
}

#[pymethods]
impl Position {
    #[new]
    fn new(game: &Bound<'_, PyAny>) -> PyResult<Position> {
        let game: GameSpec = parse(game)?;
        let position = open_position(&game).map_err(Raised::from)?;
        let past = Mutex::new(Past::default());
        Ok(Position { position: Mutex::new(position), game: game.to_string().into(), past })
    }

    #[getter]
    fn players(&self) -> usize {
        self.lock().layout().n_players
    }

    #[getter]
    fn n_actions(&self) -> usize {
        self.lock().layout().n_actions
    }

    #[getter]
    fn is_ranked(&self) -> bool {
        self.lock().layout().is_ranked
    }

    #[getter]
    fn is_simultaneous(&self) -> bool {
        self.lock().layout().is_simultaneous
    }

    #[getter]
    fn is_constant_sum(&self) -> bool {
        self.lock().layout().is_constant_sum
    }

    #[getter]
    fn observation_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, shape_of(self.lock().layout()))
    }

    #[getter]
    fn turn<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let choosing: Vec<u8> = match self.lock().turn() {
            Turn::Choose(who) => who.map(|player| player.0).collect(),
            _ => Vec::new(),
        };
        PyTuple::new(py, choosing)
    }

    #[getter]
    fn is_chance(&self) -> bool {
        self.lock().turn() == Turn::Chance
    }

    #[getter]
    fn is_over(&self) -> bool {
        matches!(self.lock().turn(), Turn::Over(_))
    }

    #[getter]
    fn payoffs(&self) -> Option<Vec<f64>> {
        let lock = self.lock();
        match lock.turn() {
            Turn::Over(payoffs) => Some(payoffs.as_slice(lock.layout().n_players).to_vec()),
            _ => None,
        }
    }

    #[pyo3(signature = (player = None))]
    fn legal(&self, player: Option<u8>) -> PyResult<Vec<u32>> {
        let player = self.player(player)?;
        Ok(self.lock().legal(player))
    }

    #[pyo3(signature = (action, player = None))]
    fn action_text(&self, action: u32, player: Option<u8>) -> PyResult<String> {
        let player = self.player(player)?;
        Ok(self.lock().action_text(player, action).map_err(Raised::from)?)
    }

    #[pyo3(signature = (text, player = None))]
    fn action(&self, text: &str, player: Option<u8>) -> PyResult<u32> {
        let player = self.player(player)?;
        Ok(self.lock().action_of(player, text).map_err(Raised::from)?)
    }

    fn outcomes(&self) -> Vec<(String, f64)> {
        self.lock().outcomes()
    }

    #[pyo3(signature = (*actions))]
    fn apply(&self, actions: Vec<u32>) -> PyResult<()> {
        self.lock().apply(&actions).map_err(Raised::from)?;
        self.past().push(actions);
        Ok(())
    }

    #[pyo3(signature = (player = None))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        player: Option<u8>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let player = self.player(player)?;
        let lock = self.lock();
        let mut numbers = Vec::with_capacity(lock.layout().observation_len());
        lock.observe(player, &mut numbers);
        PyArray1::from_vec(py, numbers).reshape(shape_of(lock.layout()))
    }

    #[pyo3(signature = (player = None))]
    fn mask<'py>(
        &self,
        py: Python<'py>,
        player: Option<u8>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let player = self.player(player)?;
        let lock = self.lock();
        let mut mask = vec![false; lock.layout().n_actions];
        for number in lock.legal(player) {
            mask[number as usize] = true;
        }
        Ok(PyArray1::from_vec(py, mask))
    }

    /// For each symmetry of the game, beside leaving everything as it is, which number of the state's observation each
    /// number of the image's observation is, and which action of the state each action of the image is.
    #[allow(clippy::type_complexity, reason = "a list of pairs of arrays")]
    fn symmetries<'py>(
        &self,
        py: Python<'py>,
    ) -> Vec<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>)> {
        let numbers = |all: &[usize]| PyArray1::from_iter(py, all.iter().map(|&own| own as i64));
        let symmetries = self.lock().symmetries();
        symmetries.iter().map(|own| (numbers(&own.numbers), numbers(&own.actions))).collect()
    }

    /// For each number of an action the cell of the observation's board that it belongs to, if it does; empty if numbers
    /// have nothing to do with cells.
    fn cells_of_indices(&self) -> Vec<Option<usize>> {
        self.lock().cells_of_indices()
    }

    fn copy(&self) -> Position {
        Position {
            position: Mutex::new(self.lock().copy()),
            game: Arc::clone(&self.game),
            past: Mutex::new(self.past().clone()),
        }
    }

    fn __copy__(&self) -> Position {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Position {
        self.copy()
    }

    /// A pickle is the game and everything that was applied.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        let read = py.import("sakiyomi._pickle")?.getattr("position")?;
        Ok((read, (self.game.to_string(), self.past().steps())))
    }

    /// Everything that tells this state from others, as text.
    fn key(&self) -> String {
        self.lock().state_text()
    }

    fn view<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.lock().view())
    }

    fn svg(&self) -> String {
        let lock = self.lock();
        let colour = |i: usize| lock.player_colour(Player(i as u8));
        let colours: Vec<_> = (0..lock.layout().n_players).map(colour).collect();
        picture::to_svg(&lock.view(), &colours)
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        match other.cast::<Position>() {
            Ok(other) => {
                let other = other.get();
                std::ptr::eq(self, other) || self.key() == other.key()
            }
            Err(_) => false,
        }
    }

    fn __hash__(&self) -> u64 {
        self.lock().state_hash()
    }

    fn __str__(&self) -> String {
        draw::draw(&self.lock().view(), false)
    }
}
