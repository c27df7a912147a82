//! The native side of the Python package `sakiyomi`: thin functions and classes over the facade. Results of
//! experiments leave as JSON, from which the Python side makes objects; what is called often (tables, positions,
//! batches) is a class.

#![allow(clippy::needless_pass_by_value, reason = "arguments come from Python as values")]

mod batch;
mod custom;
mod errors;
mod evaluation;
mod evolution;
mod jobs;
mod past;
mod position;
mod runs;
mod self_play;
mod table;

use pyo3::prelude::*;

#[pymodule]
#[pyo3(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::custom::{CustomAgent, tally};
    #[pymodule_export]
    use crate::evaluation::{
        agent_text, agents, assess, best_response, duel, exploit, game_text, games, main, solve,
    };
    #[pymodule_export]
    use crate::evolution::{OpenEvolution, evolve, fairness};
    #[pymodule_export]
    use crate::position::Position;
    #[pymodule_export]
    use crate::runs::{OpenRun, experiments, report, run, run_unit};
    #[pymodule_export]
    use crate::self_play::{agent_matches, many_matches, self_play};
    #[pymodule_export]
    use crate::table::{Table, Thought};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
