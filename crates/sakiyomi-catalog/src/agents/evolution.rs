use sakiyomi_core::{Agent, Budget, Playable, PlayoutOptions};
use sakiyomi_search::{Evolution, EvolutionSettings};

use super::search::{
    Budgeted, DEFAULT_ITERATIONS, PlaysOut, adjust_iterations, cpu, iterations, pruned,
    round_limit, time, urgent,
};
use super::{AgentSettings, Seat};
use crate::parameter::{Defined, Definition, Parameter, place};

impl Budgeted for EvolutionSettings {
    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn budget_mut(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

impl PlaysOut for EvolutionSettings {
    fn options(&self) -> &PlayoutOptions {
        &self.playout
    }

    fn options_mut(&mut self) -> &mut PlayoutOptions {
        &mut self.playout
    }
}

impl Defined for EvolutionSettings {
    const DEFINITIONS: &'static [Definition<EvolutionSettings>] = &[Definition {
        adjust: adjust_iterations,
        ..Definition::new(
            "oep",
            "online evolution of the actions of a whole turn, rated by playouts",
            || EvolutionSettings {
                budget: Budget::iterations(DEFAULT_ITERATIONS),
                population: 20,
                mutation: 0.2,
                playout: PlayoutOptions::default(),
            },
            &[
                iterations(),
                time(),
                cpu(),
                Parameter::integer(
                    "population",
                    2..=100_000,
                    place!(population),
                    "plans that compete",
                ),
                Parameter::number(
                    "mutation",
                    0.0..=1.0,
                    place!(mutation),
                    "probability that an action of a new plan is replaced at random",
                ),
                pruned(),
                urgent(),
                round_limit(),
            ],
            "oep:cpu=50ms,urgent=0.8",
        )
    }];
}

impl AgentSettings for EvolutionSettings {
    fn build<G: Playable>(&self, _: &G, _: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        Ok(Box::new(Evolution::new(*self)))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        Some(&mut self.budget)
    }
}
