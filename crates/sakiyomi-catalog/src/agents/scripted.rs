//! Players that a game brings along, by the names that it gives them.

use sakiyomi_core::{Agent, Budget, Playable};

use super::search::{Budgeted, cpu, iterations};
use super::{AgentSettings, Seat};
use crate::fields::Value;
use crate::parameter::{Defined, Definition, Domain, Parameter, Place};

/// A scripted player. Its name is one of those that [`sakiyomi_core::Hints::scripted`] lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScriptedSpec {
    pub script: &'static str,
    /// Without limits the player has its own.
    pub budget: Budget,
}

impl ScriptedSpec {
    fn named(script: &'static str) -> ScriptedSpec {
        ScriptedSpec { script, budget: Budget { iterations: None, ..Budget::iterations(0) } }
    }
}

impl Budgeted for ScriptedSpec {
    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn budget_mut(&mut self) -> &mut Budget {
        &mut self.budget
    }
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

/// A player that searches, within iterations or CPU time.
macro_rules! searching {
    ($name:literal, $summary:literal, $unit:literal) => {
        Definition::new(
            $name,
            $summary,
            || ScriptedSpec::named($name),
            &[
                Parameter { meaning: $unit, ..iterations() },
                Parameter {
                    meaning: "CPU time a turn, shared by its actions, instead of a number",
                    ..cpu()
                },
            ],
            concat!($name, ":cpu=100ms"),
        )
    };
}

/// A player without parameters.
macro_rules! plain {
    ($name:literal, $summary:literal) => {
        Definition::new($name, $summary, || ScriptedSpec::named($name), &[], $name)
    };
}

impl Defined for ScriptedSpec {
    const DEFINITIONS: &'static [Definition<ScriptedSpec>] = &[
        Definition::new(
            "rule-based",
            "the simple player that some games bring along",
            || ScriptedSpec::named("rule-based"),
            &[],
            "rule-based",
        ),
        Definition::new(
            "sp",
            "plays a card as strong as the vulture card (hagetaka and goofspiel)",
            || ScriptedSpec::named(NEAREST),
            &[READING],
            "sp",
        ),
        Definition::new(
            "sample",
            "Sample_MaxActionEvalFunc of TUBSTAP: the best attack, or a step towards the enemy",
            || ScriptedSpec::named("sample"),
            &[],
            "sample",
        ),
        searching!(
            "m-uct",
            "M-UCT of TUBSTAP: UCT over the actions of single units",
            "simulations an action; 2,000 if nothing is said"
        ),
        searching!(
            "m3lee",
            "M3Lee of TUBSTAP: a turn by UCT, or a better one of random turns",
            "playouts a turn; 3,000 if nothing is said"
        ),
        searching!(
            "staff",
            "Military Staff System of TUBSTAP, which wants attacks=all",
            "combined plans a round; 100 if nothing is said"
        ),
        searching!(
            "satd2",
            "SatD2 of TUBSTAP: looks two turns ahead with some of the units",
            "positions an action; 100,000 if nothing is said"
        ),
        searching!(
            "tubstap-best",
            "our strongest player of TUBSTAP",
            "playouts an action; 4,000 if nothing is said"
        ),
        searching!(
            "mizugame-best",
            "our strongest player of Mizugame: robots planned together against predicted others",
            "plans that are looked at in a session; 20,000 if nothing is said"
        ),
        searching!(
            "mizugame-paper",
            "the paper's player of Mizugame: fills up, then searches 4 moves of each robot alone",
            "leaves of all searches of a session; 4 moves, if nothing is said"
        ),
        searching!(
            "mizugame-paper-seven",
            "mizugame-paper without its third simplification: seven commands a ply",
            "leaves of all searches of a session; 1 ply, if nothing is said"
        ),
        searching!(
            "mizugame-paper-team",
            "mizugame-paper with its first simplification alone: three robots at once",
            "leaves of the search of a session; 1 ply, if nothing is said"
        ),
        searching!(
            "mizugame-paper-all",
            "mizugame-paper without its simplifications: all robots of all teams at once",
            "leaves of the search of a session; 10,000 if nothing is said"
        ),
        plain!("painter", "paints the nearest free cells with one unit each (mizugame)"),
        plain!("double-painter", "paints the nearest free cells with two units each (mizugame)"),
        plain!("ring-builder", "closes rings of radius 2 (mizugame)"),
        plain!("sucker", "empties cells of the leading other team and takes them (mizugame)"),
        plain!("wanderer", "walks at random and paints what it comes upon (mizugame)"),
        plain!("strong-painter", "paints the nearest free cells in every session (mizugame)"),
        plain!("hunter", "paints first, hunts the leading team in the end (mizugame)"),
    ];
}

impl AgentSettings for ScriptedSpec {
    fn build<G: Playable>(&self, game: &G, seat: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        let Budget { iterations, cpu, .. } = self.budget;
        let budget = (iterations.is_some() || cpu.is_some()).then_some(self.budget);
        game.script(self.script, budget).ok_or_else(|| {
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
        Some(&mut self.budget)
    }

    fn plays_without_list(&self) -> bool {
        true
    }

    /// Wall time is not among the limits of these players.
    fn is_repeatable(&self) -> bool {
        self.budget.cpu.is_none()
    }
}
