use sakiyomi_core::{Agent, Budget, Hint, Playable};
use sakiyomi_search::MaxN;

use super::search::{Budgeted, cpu, iterations, time};
use super::{AgentSettings, Seat};
use crate::parameter::{Defined, Definition, Parameter, place};

#[derive(Clone, Debug, PartialEq)]
pub struct MaxNSpec {
    pub depth: u32,
    pub pruned: bool,
    pub budget: Budget,
}

/// Decisions that a short test of what it does looks ahead.
const SHORT_DEPTH: u32 = 2;

impl Budgeted for MaxNSpec {
    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn budget_mut(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

impl Defined for MaxNSpec {
    const DEFINITIONS: &'static [Definition<MaxNSpec>] = &[Definition::new(
        "maxn",
        "max^n by iterative deepening; alpha-beta where two players make it sound",
        || MaxNSpec {
            depth: 4,
            pruned: false,
            budget: Budget { iterations: None, ..Budget::iterations(0) },
        },
        &[
            Parameter::integer("depth", 1..=1_000, place!(depth), "decisions to look ahead"),
            Parameter { meaning: "positions that a decision may look at", ..iterations() },
            time(),
            cpu(),
            Parameter {
                needs: Some(Hint::Prune),
                ..Parameter::flag(
                    "pruned",
                    place!(pruned),
                    "considers only the actions that the game's own pruning rule keeps",
                )
            },
        ],
        "maxn:depth=6",
    )];
}

impl AgentSettings for MaxNSpec {
    fn build<G: Playable>(&self, _: &G, _: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        Ok(Box::new(MaxN::new(self.depth, self.pruned, self.budget)))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        Some(&mut self.budget)
    }

    fn shorten(&mut self) -> bool {
        self.depth = self.depth.min(SHORT_DEPTH);
        true
    }
}
