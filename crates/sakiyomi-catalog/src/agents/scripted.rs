//! Players without a search that a game brings along.

use std::any::Any;

use sakiyomi_core::{Agent, Budget, Hint, Playable};
use sakiyomi_games::Hagetaka;
use sakiyomi_games::hagetaka::{Reading, StrengthPlayer};
use sakiyomi_search::RulePlayer;

use super::{AgentSettings, Seat};
use crate::fields::Value;
use crate::parameter::{Defined, Definition, Domain, Parameter, Place};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptedSpec {
    RuleBased,
    /// The reference player of Hagetaka.
    Strength(Reading),
}

const READING: Parameter<ScriptedSpec> = Parameter::new(
    "reading",
    Domain::Word(&["nearest", "rank"]),
    Place {
        get: |spec| match spec {
            ScriptedSpec::Strength(Reading::Nearest) => Some(Value::Text("nearest".to_owned())),
            ScriptedSpec::Strength(Reading::Rank) => Some(Value::Text("rank".to_owned())),
            ScriptedSpec::RuleBased => None,
        },
        set: |spec, word| {
            let is_rank = word.text() == "rank";
            *spec = ScriptedSpec::Strength(if is_rank { Reading::Rank } else { Reading::Nearest });
            Ok(())
        },
    },
    "a card as strong is the one nearest to the magnitude of the vulture card, or the one with the \
     same rank in the hand as it has in the deck",
);

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
            || ScriptedSpec::Strength(Reading::Nearest),
            &[READING],
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
            ScriptedSpec::Strength(reading) => {
                let player: Box<dyn Agent<Hagetaka>> = Box::new(StrengthPlayer(*reading));
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
