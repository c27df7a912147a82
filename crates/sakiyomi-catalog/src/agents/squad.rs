use sakiyomi_core::{Agent, Budget, Playable};
use sakiyomi_search::{Squad, SquadSettings};

use super::search::{Budgeted, adjust_iterations, cpu, iterations, time};
use super::{AgentSettings, Seat};
use crate::parameter::{Defined, Definition, Parameter, place};

/// Trials of a decision, if nothing is said. A trial is several turns of all players.
const DEFAULT_TRIALS: u64 = 300;

impl Budgeted for SquadSettings {
    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn budget_mut(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

impl Defined for SquadSettings {
    const DEFINITIONS: &'static [Definition<SquadSettings>] = &[Definition {
        adjust: adjust_iterations,
        ..Definition::new(
            "squad",
            "improves the orders of a player's agents in turn, rated by short trials",
            || SquadSettings::new(Budget::iterations(DEFAULT_TRIALS)),
            &[
                Parameter {
                    meaning: "trials a decision; no limit if only a time is given",
                    ..iterations()
                },
                time(),
                cpu(),
                Parameter::integer(
                    "horizon",
                    0..=1_000,
                    place!(horizon),
                    "turns that a trial goes on before it takes the game's estimate or a playout",
                ),
                Parameter::integer(
                    "trials",
                    1..=1_000_000,
                    place!(first_trials),
                    "how often each order is tried at first in the first sweep",
                ),
            ],
            "squad:cpu=100ms,horizon=3",
        )
    }];
}

impl AgentSettings for SquadSettings {
    fn build<G: Playable>(&self, _: &G, _: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        Ok(Box::new(Squad::new(*self)))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        Some(&mut self.budget)
    }

    fn plays_without_list(&self) -> bool {
        true
    }
}
