use sakiyomi_core::{Agent, Budget, Playable};
use sakiyomi_search::{Bandit, MctsSettings, SequentialUct};

use super::search::{Budgeted, DEFAULT_ITERATIONS, adjust_iterations, cpu, iterations, time};
use super::{AgentSettings, Seat};
use crate::parameter::{Defined, Definition, Parameter, place};

/// UCT that treats choosing at once as choosing one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct SequentialSpec {
    pub c: f64,
    pub budget: Budget,
}

impl Budgeted for SequentialSpec {
    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn budget_mut(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

impl Defined for SequentialSpec {
    const DEFINITIONS: &'static [Definition<SequentialSpec>] = &[Definition {
        adjust: adjust_iterations,
        ..Definition::new(
            "sequential",
            "UCT that commits first and lets those who choose at once reply one by one",
            || SequentialSpec { c: 1.0, budget: Budget::iterations(DEFAULT_ITERATIONS) },
            &[
                iterations(),
                time(),
                cpu(),
                Parameter::number("c", 0.0..=1_000.0, place!(c), "exploration constant"),
            ],
            "sequential:iterations=10000",
        )
    }];
}

impl AgentSettings for SequentialSpec {
    fn build<G: Playable>(&self, _: &G, _: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        let settings = MctsSettings::new(self.budget);
        let settings = MctsSettings { bandit: Bandit::Ucb1 { c: self.c }, ..settings };
        Ok(Box::new(SequentialUct::new(settings)))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        Some(&mut self.budget)
    }
}
