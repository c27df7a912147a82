//! Many environments at once, with arrays of numpy in and out.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyReadwriteArrayDyn};
use pyo3::prelude::*;
use sakiyomi_learn::{BatchSettings, Buffers, open_batch};

use crate::errors::Raised;
use crate::evaluation::{parse, threads_or_cores};

/// What there is to see of a game (players, actions, shapes) a `Position` of it tells.
#[pyclass(module = "sakiyomi", frozen)]
pub(crate) struct Batch {
    batch: Mutex<Box<dyn sakiyomi_learn::Batch>>,
}

impl Batch {
    fn lock(&self) -> MutexGuard<'_, Box<dyn sakiyomi_learn::Batch>> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The arrays of a batch, borrowed from Python for one call.
#[derive(FromPyObject)]
pub(crate) struct Arrays<'py> {
    #[pyo3(attribute)]
    observations: Bound<'py, PyArrayDyn<f32>>,
    #[pyo3(attribute)]
    masks: Bound<'py, PyArrayDyn<bool>>,
    #[pyo3(attribute)]
    rewards: Bound<'py, PyArrayDyn<f32>>,
    #[pyo3(attribute)]
    ended: Bound<'py, PyArrayDyn<bool>>,
    #[pyo3(attribute)]
    players: Bound<'py, PyArrayDyn<i8>>,
}

/// Arrays that are held for writing.
struct Held<'py> {
    observations: PyReadwriteArrayDyn<'py, f32>,
    masks: PyReadwriteArrayDyn<'py, bool>,
    rewards: PyReadwriteArrayDyn<'py, f32>,
    ended: PyReadwriteArrayDyn<'py, bool>,
    players: PyReadwriteArrayDyn<'py, i8>,
}

impl<'py> Held<'py> {
    fn new(arrays: &Arrays<'py>) -> PyResult<Held<'py>> {
        let wrong = |error| Raised::other(format!("the arrays of the batch are in use: {error}"));
        use numpy::PyArrayMethods;
        Ok(Held {
            observations: arrays.observations.try_readwrite().map_err(wrong)?,
            masks: arrays.masks.try_readwrite().map_err(wrong)?,
            rewards: arrays.rewards.try_readwrite().map_err(wrong)?,
            ended: arrays.ended.try_readwrite().map_err(wrong)?,
            players: arrays.players.try_readwrite().map_err(wrong)?,
        })
    }

    fn buffers(&mut self) -> PyResult<Buffers<'_>> {
        let wrong = |_| Raised::bad_input("the arrays of the batch must be contiguous");
        Ok(Buffers {
            observations: self.observations.as_slice_mut().map_err(wrong)?,
            masks: self.masks.as_slice_mut().map_err(wrong)?,
            rewards: self.rewards.as_slice_mut().map_err(wrong)?,
            ended: self.ended.as_slice_mut().map_err(wrong)?,
            players: self.players.as_slice_mut().map_err(wrong)?,
        })
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (game, n, *, per_player, threads, seed))]
    fn new(
        game: &Bound<'_, PyAny>,
        n: usize,
        per_player: bool,
        threads: Option<usize>,
        seed: u64,
    ) -> PyResult<Batch> {
        let settings = BatchSettings {
            n_environments: n,
            per_player,
            threads: threads_or_cores(threads),
            seed,
        };
        let opened = open_batch(&parse(game)?, settings).map_err(Raised::from)?;
        Ok(Batch { batch: Mutex::new(opened.map_err(Raised::from)?) })
    }

    fn reset(&self, py: Python<'_>, seed: u64, arrays: Arrays<'_>) -> PyResult<()> {
        let mut held = Held::new(&arrays)?;
        let buffers = held.buffers()?;
        Ok(py.detach(|| self.lock().reset(seed, buffers)).map_err(Raised::from)?)
    }

    fn step(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArrayDyn<'_, i64>,
        arrays: Arrays<'_>,
    ) -> PyResult<()> {
        let mut held = Held::new(&arrays)?;
        let buffers = held.buffers()?;
        let actions = actions
            .as_slice()
            .map_err(|_| Raised::bad_input("the array of actions must be contiguous"))?;
        Ok(py.detach(|| self.lock().step(actions, buffers)).map_err(Raised::from)?)
    }

    fn random_actions(
        &self,
        py: Python<'_>,
        mut out: PyReadwriteArrayDyn<'_, i64>,
    ) -> PyResult<()> {
        let out = out
            .as_slice_mut()
            .map_err(|_| Raised::bad_input("the array of actions must be contiguous"))?;
        Ok(py.detach(|| self.lock().random_actions(out)).map_err(Raised::from)?)
    }
}
