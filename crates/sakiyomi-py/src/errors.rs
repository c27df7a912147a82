//! Our errors as Python's exceptions. The classes are written in Python (`sakiyomi/errors.py`), since they have
//! more than one base.

use std::fmt::Display;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use sakiyomi::evolve::EvolveError;
use sakiyomi_catalog::{SpecError, TableError};
use sakiyomi_core::Fault;
use sakiyomi_eval::assess::AssessError;
use sakiyomi_eval::experiment::{CountError, FindError};
use sakiyomi_eval::{
    DuelError, ExploitError, ResponseError, RunError, SolveError, StoreError, TaskError,
};
use sakiyomi_learn::{BatchError, PositionError, SelfPlayError};

/// Which exception an error becomes, and its text.
pub(crate) struct Raised(&'static str, String);

impl Raised {
    fn new(class: &'static str, error: &impl Display) -> Raised {
        Raised(class, error.to_string())
    }

    /// A value that makes no sense.
    pub(crate) fn bad_input(text: impl Display) -> Raised {
        Raised::new("SpecError", &text)
    }

    pub(crate) fn other(error: impl Display) -> Raised {
        Raised::new("SakiyomiError", &error)
    }
}

impl From<Raised> for PyErr {
    fn from(Raised(class, text): Raised) -> PyErr {
        Python::attach(|py| {
            let found = py
                .import("sakiyomi.errors")
                .and_then(|module| module.getattr(class))
                .and_then(|class| Ok(class.cast_into::<PyType>()?));
            match found {
                Ok(class) => PyErr::from_type(class, text),
                // Without the Python side there are only the exceptions of Python itself.
                Err(_) => PyRuntimeError::new_err(text),
            }
        })
    }
}

impl From<SpecError> for Raised {
    fn from(error: SpecError) -> Raised {
        Raised::new("SpecError", &error)
    }
}

impl From<TableError> for Raised {
    fn from(error: TableError) -> Raised {
        let class = match &error {
            TableError::Illegal { .. } | TableError::Count { .. } | TableError::Chance { .. } => {
                "IllegalAction"
            }
            TableError::Spec(_) => "SpecError",
            TableError::Forfeit { .. } => "AgentError",
            _ => "TableError",
        };
        Raised::new(class, &error)
    }
}

impl From<PositionError> for Raised {
    fn from(error: PositionError) -> Raised {
        let class = match error {
            PositionError::Over | PositionError::NotChoosing { .. } => "TableError",
            _ => "IllegalAction",
        };
        Raised::new(class, &error)
    }
}

impl From<BatchError> for Raised {
    fn from(error: BatchError) -> Raised {
        let class = match error {
            BatchError::Illegal { .. } => "IllegalAction",
            BatchError::Threads { .. } => "SakiyomiError",
            _ => "SpecError",
        };
        Raised::new(class, &error)
    }
}

impl From<StoreError> for Raised {
    fn from(error: StoreError) -> Raised {
        Raised::new("StoreError", &error)
    }
}

impl From<ExploitError> for Raised {
    fn from(error: ExploitError) -> Raised {
        let class = match &error {
            ExploitError::Forfeit { .. } => "AgentError",
            ExploitError::Memory { .. } => "SakiyomiError",
            _ => "SpecError",
        };
        Raised::new(class, &error)
    }
}

impl From<ResponseError> for Raised {
    fn from(error: ResponseError) -> Raised {
        match error.is_input() {
            true => Raised::bad_input(error),
            false => Raised::other(error),
        }
    }
}

impl From<TaskError> for Raised {
    fn from(error: TaskError) -> Raised {
        match error {
            TaskError::Spec(error) => error.into(),
            TaskError::NashConv(error) => error.into(),
        }
    }
}

impl From<EvolveError> for Raised {
    fn from(error: EvolveError) -> Raised {
        match error.is_input() {
            true => Raised::bad_input(error),
            false => Raised::other(error),
        }
    }
}

impl From<DuelError> for Raised {
    fn from(error: DuelError) -> Raised {
        match error {
            DuelError::Store(error) => error.into(),
            DuelError::Task(error) => error.into(),
            DuelError::Table(error) => error.into(),
            error => Raised::new("SpecError", &error),
        }
    }
}

impl From<AssessError> for Raised {
    fn from(error: AssessError) -> Raised {
        match error {
            AssessError::Store(error) => error.into(),
            error => Raised::new("SpecError", &error),
        }
    }
}

impl From<SolveError> for Raised {
    fn from(error: SolveError) -> Raised {
        let class = match &error {
            SolveError::Save { .. } => "StoreError",
            _ => "SpecError",
        };
        Raised::new(class, &error)
    }
}

impl From<RunError> for Raised {
    fn from(error: RunError) -> Raised {
        match error {
            RunError::Store(error) => error.into(),
            error => Raised::new("SpecError", &error),
        }
    }
}

impl From<FindError> for Raised {
    fn from(error: FindError) -> Raised {
        Raised::new("SpecError", &error)
    }
}

impl From<CountError> for Raised {
    fn from(error: CountError) -> Raised {
        match error {
            CountError::Store(error) => error.into(),
            error => Raised::new("SpecError", &error),
        }
    }
}

impl From<SelfPlayError> for Raised {
    fn from(error: SelfPlayError) -> Raised {
        let class = match &error {
            SelfPlayError::Network(_) => "NetworkError",
            SelfPlayError::Forfeit { .. } => "AgentError",
            _ => "SpecError",
        };
        Raised::new(class, &error)
    }
}
