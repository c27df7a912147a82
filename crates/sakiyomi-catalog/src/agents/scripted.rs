//! Players that only one game has, as `sakiyomi-players` declares them.

use std::sync::LazyLock;

use sakiyomi_core::{Agent, Budget};
use sakiyomi_games::{ConnectFour, Hagetaka, Mizugame, sangoku, tubstap};
use sakiyomi_players::{Declaration, PlayerSettings};

use super::search::{Budgeted, cpu, iterations};
use super::{AgentSettings, Seat};
use crate::CatalogGame;
use crate::fields::Value;
use crate::parameter::{Defined, Definition, Domain, Parameter, Place};

impl Budgeted for PlayerSettings {
    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn budget_mut(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

impl Defined for PlayerSettings {
    fn definitions() -> &'static [Definition<PlayerSettings>] {
        static ALL: LazyLock<Vec<Definition<PlayerSettings>>> =
            LazyLock::new(|| declarations().map(definition).collect());
        &ALL
    }
}

/// The declarations of all games that have players of their own. Sizes of a game have the same ones.
fn declarations() -> impl Iterator<Item = &'static Declaration> {
    fn of<G: CatalogGame>() -> impl Iterator<Item = &'static Declaration> {
        G::PLAYERS.iter().map(|player| player.declaration)
    }
    of::<sangoku::Skirmish>()
        .chain(of::<Hagetaka>())
        .chain(of::<tubstap::Small>())
        .chain(of::<Mizugame>())
        .chain(of::<ConnectFour>())
}

/// The definition of a player. It is made once and lives as long as the program.
fn definition(player: &'static Declaration) -> Definition<PlayerSettings> {
    let word = player.word.map(|word| {
        let get = |settings: &PlayerSettings| Some(Value::Text(settings.word.to_owned()));
        let set = |settings: &mut PlayerSettings, value: Value| {
            let words = settings.player.word.map_or(&[][..], |word| word.words);
            let known = words.iter().find(|word| **word == value.text());
            settings.word = known.ok_or("an unknown word")?;
            Ok(())
        };
        Parameter::new(word.name, Domain::Word(word.words), Place { get, set }, word.meaning)
    });
    let budget = player.iterations.map(|meaning| {
        let shared = "CPU time a turn, shared by its actions, instead of a number";
        [Parameter { meaning, ..iterations() }, Parameter { meaning: shared, ..cpu() }]
    });
    let example = match player.iterations {
        Some(_) => format!("{}:cpu=100ms", player.name).leak(),
        None => player.name,
    };
    let parameters: Vec<_> = word.into_iter().chain(budget.into_iter().flatten()).collect();
    let defaults = Box::leak(Box::new(PlayerSettings::new(player)));
    Definition::of_value(player.name, player.summary, defaults, parameters.leak(), example)
}

impl AgentSettings for PlayerSettings {
    fn build<G: CatalogGame>(&self, _: &G, seat: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        let own = G::PLAYERS.iter().find(|player| player.declaration == self.player);
        own.map(|player| (player.make)(self)).ok_or_else(|| match &*player_names::<G>() {
            "" => format!("{} has no players of its own", seat.game),
            known => {
                format!("{} has no player `{}`; known: {known}", seat.game, self.player.name)
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

/// The names of the game's own players, separated by commas.
pub(super) fn player_names<G: CatalogGame>() -> String {
    let names = G::PLAYERS.iter().map(|player| player.declaration.name);
    names.collect::<Vec<_>>().join(", ")
}
