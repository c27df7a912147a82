//! Players that a game brings along, by the names that it gives them.

use sakiyomi_core::{Agent, Budget, Playable};

use super::{AgentSettings, Seat};
use crate::fields::Value;
use crate::parameter::{Defined, Definition, Domain, Parameter, Place};

/// A scripted player. Its name is one of those that [`sakiyomi_core::Hints::scripted`] lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptedSpec {
    pub script: &'static str,
}

const NEAREST: &str = "sp";
const RANK: &str = "sp-rank";

const READING: Parameter<ScriptedSpec> = Parameter::new(
    "reading",
    Domain::Word(&["nearest", "rank"]),
    Place {
        get: |spec| {
            let word = if spec.script == RANK { "rank" } else { "nearest" };
            Some(Value::Text(word.to_owned()))
        },
        set: |spec, word| {
            spec.script = if word.text() == "rank" { RANK } else { NEAREST };
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
            || ScriptedSpec { script: "rule-based" },
            &[],
            "rule-based",
        ),
        Definition::new(
            "sp",
            "plays a card as strong as the vulture card (hagetaka and goofspiel)",
            || ScriptedSpec { script: NEAREST },
            &[READING],
            "sp",
        ),
    ];
}

impl AgentSettings for ScriptedSpec {
    fn build<G: Playable>(&self, game: &G, seat: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        game.script(self.script, None).ok_or_else(|| {
            let known: Vec<&str> = game.scripted().iter().map(|script| script.name).collect();
            match known.as_slice() {
                [] => format!("{} has no players of its own", seat.game),
                known => format!(
                    "{} has no player `{}`; known: {}",
                    seat.game,
                    self.script,
                    known.join(", ")
                ),
            }
        })
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        None
    }
}
