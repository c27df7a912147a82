//! The games of the catalog as types, and the one place where searches are compiled for them.
//!
//! A search compiled for a game is fast because it is generic, and large. If every crate that plays
//! named the search itself, each would compile every search for every game. So the pairs are made
//! here, in functions that are not generic, and leave as boxed agents: one call through a pointer
//! for a whole decision.

use sakiyomi_core::{Agent, Playable};
use sakiyomi_games::sangoku::{Battle, Skirmish, War};
use sakiyomi_games::{Breakthrough, ConnectFour, Hagetaka, Othello, TicTacToe};
use sakiyomi_gdl::GdlGame;
use sakiyomi_search::{Mcts, MctsSettings, TreeSearch};

use crate::{AgentSpec, Seat, SpecError};

/// A game that [`GameSpec`](crate::GameSpec) can name.
pub trait Listed: Playable {
    /// The agent for a seat of a match; see [`AgentSpec::build`].
    fn agent(&self, spec: &AgentSpec, seat: &Seat<'_>) -> Result<Box<dyn Agent<Self>>, SpecError>;

    /// A tree search with all that can be measured of its tree.
    fn tree_search(settings: MctsSettings) -> Box<dyn TreeSearch<Self>>;
}

macro_rules! list {
    ($($game:ty),+ $(,)?) => {$(
        impl Listed for $game {
            fn agent(
                &self,
                spec: &AgentSpec,
                seat: &Seat<'_>,
            ) -> Result<Box<dyn Agent<Self>>, SpecError> {
                spec.compile(self, seat)
            }

            fn tree_search(settings: MctsSettings) -> Box<dyn TreeSearch<Self>> {
                Box::new(Mcts::new(settings))
            }
        }
    )+};
}

list!(
    TicTacToe,
    ConnectFour<u64>,
    ConnectFour<u128>,
    Breakthrough<u64>,
    Breakthrough<u128>,
    Othello,
    Hagetaka,
    Skirmish,
    Battle,
    War,
    GdlGame,
);
