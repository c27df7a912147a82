//! How a player is declared, and how a game lists its own.

use std::fmt;

use sakiyomi_core::{Agent, Budget, Game};
use sakiyomi_games::sangoku::Restriction;

/// What a player is called, what it does, and what can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub name: &'static str,
    pub summary: &'static str,
    /// Of a player that searches: what its iterations are, and how many it has by default.
    pub iterations: Option<&'static str>,
    /// A word that changes how it plays.
    pub word: Option<Word>,
}

/// A parameter that is one of several words, the first by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub name: &'static str,
    pub words: &'static [&'static str],
    pub meaning: &'static str,
}

impl Declaration {
    /// A player without parameters.
    pub const fn plain(name: &'static str, summary: &'static str) -> Declaration {
        Declaration { name, summary, iterations: None, word: None }
    }

    /// A player that searches within iterations or CPU time.
    pub const fn searching(
        name: &'static str,
        summary: &'static str,
        iterations: &'static str,
    ) -> Declaration {
        Declaration { iterations: Some(iterations), ..Declaration::plain(name, summary) }
    }
}

/// Which player, and what was set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayerSettings {
    pub player: &'static Declaration,
    /// Without limits the player has its own. CPU time is that of a turn, shared by its actions.
    pub budget: Budget,
    /// One of the words of the declaration; empty if it has none.
    pub word: &'static str,
}

impl PlayerSettings {
    pub fn new(player: &'static Declaration) -> PlayerSettings {
        PlayerSettings {
            player,
            budget: Budget { iterations: None, ..Budget::iterations(0) },
            word: player.word.map_or("", |word| word.words[0]),
        }
    }

    /// The budget, if one was set.
    pub fn own_budget(&self) -> Option<Budget> {
        let Budget { iterations, cpu, .. } = self.budget;
        (iterations.is_some() || cpu.is_some()).then_some(self.budget)
    }
}

/// A player of one game: its declaration and how it is made.
pub struct PlayerOf<G: Game> {
    pub declaration: &'static Declaration,
    pub make: fn(&PlayerSettings) -> Box<dyn Agent<G>>,
}

impl<G: Game> fmt::Debug for PlayerOf<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PlayerOf").field(self.declaration).finish()
    }
}

/// A game with players of its own.
pub trait HasPlayers: Game + Sized + 'static {
    const PLAYERS: &'static [PlayerOf<Self>];

    /// The player of this name, with its own budget unless there is another.
    fn named(name: &str, budget: Option<Budget>) -> Option<Box<dyn Agent<Self>>> {
        let player = Self::PLAYERS.iter().find(|player| player.declaration.name == name)?;
        let mut settings = PlayerSettings::new(player.declaration);
        settings.budget = budget.unwrap_or(settings.budget);
        Some((player.make)(&settings))
    }

    /// The agent on a part of the board; none if there are no parts.
    fn restricted(_by: Restriction, _agent: Box<dyn Agent<Self>>) -> Option<Box<dyn Agent<Self>>> {
        None
    }
}
