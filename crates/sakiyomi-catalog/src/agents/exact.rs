use std::path::Path;
use std::sync::Arc;

use sakiyomi_core::{Agent, Budget, Playable};
use sakiyomi_search::{Exact, ExactPlayer, Unsolved};

use super::{AgentSettings, Seat};
use crate::fields::Value;
use crate::parameter::{Defined, Definition, Domain, Parameter, Place, place};
use crate::{load_solution, solvable};

/// Plays the exact solution, which it reads from a file or works out.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactSpec {
    pub file: Option<String>,
    pub memory: u64,
}

impl Defined for ExactSpec {
    const DEFINITIONS: &'static [Definition<ExactSpec>] = &[Definition::new(
        "exact",
        "plays the exact equilibrium of a game of two",
        || ExactSpec { file: None, memory: Budget::DEFAULT_MEMORY },
        &[
            Parameter::new(
                "file",
                Domain::Text,
                place!(file),
                "a solution that `sakiyomi solve` has saved; worked out if not given",
            ),
            Parameter::new(
                "memory",
                Domain::Bytes,
                Place {
                    get: |spec| Some(Value::Bytes(spec.memory)),
                    set: |spec, bytes| {
                        spec.memory = bytes.bytes();
                        Ok(())
                    },
                },
                "for what it works out itself",
            ),
        ],
        "exact:file=hagetaka-7.solution",
    )];
}

impl AgentSettings for ExactSpec {
    fn build<G: Playable>(&self, game: &G, seat: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        let known = match &self.file {
            // With a solution nothing is left to work out, so its size does not matter.
            Some(_) if !Exact::suits(game) => return Err(Unsolved::Players.to_string()),
            Some(file) => load_solution(Path::new(file), seat.game)
                .map_err(|error| format!("{file}: {error}"))?,
            None => {
                let solvable = solvable::check(game, seat.game, self.memory);
                solvable.map_err(|error| error.to_string())?;
                Arc::default()
            }
        };
        Ok(Box::new(ExactPlayer::new(self.memory, known)))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        None
    }

    /// A solution is what it is, and to work one out takes long.
    fn shorten(&mut self) -> bool {
        false
    }

    fn uses_machine(&self) -> bool {
        self.file.is_some()
    }
}
