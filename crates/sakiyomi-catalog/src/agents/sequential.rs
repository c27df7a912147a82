use sakiyomi_core::{Agent, Budget, Playable};
use sakiyomi_search::{MctsSettings, Selection, Ucb};

use super::search::{Budgeted, DEFAULT_ITERATIONS, adjust_iterations, cpu, iterations, time};
use super::{AgentSettings, MakeSequential, Seat};
use crate::CatalogGame;
use crate::parameter::{Defined, Definition, Group, Parameter, place};
use crate::turns::has_simultaneous_turns;

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
                Parameter {
                    group: Group::Selection,
                    ..Parameter::number("c", 0.0..=1_000.0, place!(c), "exploration constant")
                },
            ],
            "sequential:iterations=10000",
        )
    }];
}

impl SequentialSpec {
    /// The agent, if it was compiled for the game and players choose at once there.
    pub(super) fn compile<G: CatalogGame>(
        &self,
        game: &G,
        seat: &Seat<'_>,
        make: Option<MakeSequential<G>>,
    ) -> Result<Box<dyn Agent<G>>, String> {
        let Some(make) = make.filter(|_| has_simultaneous_turns(game)) else {
            return self.build(game, seat);
        };
        let selection = Selection::Ucb(Ucb::new(self.c));
        Ok(make(MctsSettings { selection, ..MctsSettings::new(self.budget) }))
    }
}

impl AgentSettings for SequentialSpec {
    /// For games in which nothing has to be made sequential.
    fn build<G: Playable>(&self, _: &G, seat: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        Err(format!(
            "it would be `uct`: players of {} never choose at once; expected a game such as hagetaka",
            seat.game
        ))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        Some(&mut self.budget)
    }
}
