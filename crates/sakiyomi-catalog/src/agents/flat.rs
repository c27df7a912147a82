use sakiyomi_core::{Agent, Budget, Playable};
use sakiyomi_search::FlatMonteCarlo;

use super::search::{Budgeted, DEFAULT_ITERATIONS, adjust_iterations, cpu, iterations, time};
use super::{AgentSettings, Seat};
use crate::parameter::{Defined, Definition};

#[derive(Clone, Debug, PartialEq)]
pub struct FlatSpec {
    pub budget: Budget,
}

impl Budgeted for FlatSpec {
    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn budget_mut(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

impl Defined for FlatSpec {
    const DEFINITIONS: &'static [Definition<FlatSpec>] = &[Definition {
        adjust: adjust_iterations,
        ..Definition::new(
            "flat",
            "flat Monte Carlo: the same number of random playouts after every action",
            || FlatSpec { budget: Budget::iterations(DEFAULT_ITERATIONS) },
            &[iterations(), time(), cpu()],
            "flat:iterations=5000",
        )
    }];
}

impl AgentSettings for FlatSpec {
    fn build<G: Playable>(&self, _: &G, _: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        Ok(Box::new(FlatMonteCarlo::new(self.budget)))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        Some(&mut self.budget)
    }
}
