//! Players without a search that a game brings along.

use std::any::Any;

use sakiyomi_core::{Agent, Budget, Hint, Playable};
use sakiyomi_games::Hagetaka;
use sakiyomi_games::hagetaka::StrengthPlayer;
use sakiyomi_search::RulePlayer;

use super::{AgentSettings, Seat};
use crate::parameter::{Defined, Definition};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptedSpec {
    RuleBased,
    /// The reference player of Hagetaka.
    Strength,
}

impl Defined for ScriptedSpec {
    const DEFINITIONS: &'static [Definition<ScriptedSpec>] = &[
        Definition::new(
            "rule-based",
            "the simple player that some games bring along",
            || ScriptedSpec::RuleBased,
            &[],
            "rule-based",
        ),
        Definition::new(
            "sp",
            "plays a card as strong as the vulture card (hagetaka and goofspiel)",
            || ScriptedSpec::Strength,
            &[],
            "sp",
        ),
    ];
}

impl AgentSettings for ScriptedSpec {
    fn build<G: Playable>(&self, game: &G, seat: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        match self {
            ScriptedSpec::RuleBased if !game.gives().contains(&Hint::Rule) => {
                Err(format!("{} has no rule-based player", seat.game))
            }
            ScriptedSpec::RuleBased => Ok(Box::new(RulePlayer)),
            ScriptedSpec::Strength => {
                let player: Box<dyn Agent<Hagetaka>> = Box::new(StrengthPlayer);
                for_this_game(player)
                    .ok_or_else(|| format!("{} has no vulture cards to rank", seat.game))
            }
        }
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        None
    }
}

/// An agent of one game as an agent of `G`, if that is the game.
fn for_this_game<G: Playable, H: Playable>(agent: Box<dyn Agent<H>>) -> Option<Box<dyn Agent<G>>> {
    let agent: Box<dyn Any> = Box::new(agent);
    agent.downcast::<Box<dyn Agent<G>>>().ok().map(|agent| *agent)
}
