use sakiyomi_core::{Agent, Budget, Playable};
use sakiyomi_search::SequentialHalving;

use super::search::{Budgeted, DEFAULT_ITERATIONS, adjust_iterations, cpu, iterations, time};
use super::{AgentSettings, Seat};
use crate::parameter::{Defined, Definition};

#[derive(Clone, Debug, PartialEq)]
pub struct HalvingSpec {
    pub budget: Budget,
}

impl Budgeted for HalvingSpec {
    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn budget_mut(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

impl Defined for HalvingSpec {
    const DEFINITIONS: &'static [Definition<HalvingSpec>] = &[Definition {
        adjust: adjust_iterations,
        ..Definition::new(
            "halving",
            "sequential halving: random playouts after every action, most of them after the best",
            || HalvingSpec { budget: Budget::iterations(DEFAULT_ITERATIONS) },
            &[iterations(), time(), cpu()],
            "halving:iterations=5000",
        )
    }];
}

impl AgentSettings for HalvingSpec {
    fn build<G: Playable>(&self, _: &G, _: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        Ok(Box::new(SequentialHalving::new(self.budget)))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        Some(&mut self.budget)
    }
}
