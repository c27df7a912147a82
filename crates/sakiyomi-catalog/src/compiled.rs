//! Where searches are compiled for games.
//!
//! A search compiled for a game is fast because it is generic, and large. If every crate that plays
//! named the search itself, each would compile every search for every game. So the pairs are made
//! here, in functions that are not generic, and leave as boxed agents: one call through a pointer
//! for a whole decision.

use sakiyomi_core::{Agent, Playable};
use sakiyomi_search::{MctsSettings, TreeSearch};

use crate::{AgentSpec, Seat, SpecError};

/// A game that [`GameSpec`](crate::GameSpec) can open.
pub trait CatalogGame: Playable {
    /// The agent for a seat of a match; see [`AgentSpec::build`].
    fn agent(&self, spec: &AgentSpec, seat: &Seat<'_>) -> Result<Box<dyn Agent<Self>>, SpecError>;

    /// A tree search with all that can be measured of its tree.
    fn tree_search(settings: MctsSettings) -> Box<dyn TreeSearch<Self>>;
}

/// Compiles all searches for these types of games.
macro_rules! compiled {
    ($($game:ty),+ $(,)?) => {$(
        impl $crate::CatalogGame for $game {
            fn agent(
                &self,
                spec: &$crate::AgentSpec,
                seat: &$crate::Seat<'_>,
            ) -> Result<Box<dyn sakiyomi_core::Agent<Self>>, $crate::SpecError> {
                spec.compile(self, seat)
            }

            fn tree_search(
                settings: sakiyomi_search::MctsSettings,
            ) -> Box<dyn sakiyomi_search::TreeSearch<Self>> {
                Box::new(sakiyomi_search::Mcts::new(settings))
            }
        }
    )+};
}
pub(crate) use compiled;
