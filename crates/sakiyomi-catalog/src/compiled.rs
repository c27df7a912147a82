//! Where searches are compiled for games.
//!
//! A search compiled for a game is fast because it is generic, and large. If every crate that plays
//! named the search itself, each would compile every search for every game. So the pairs are made
//! here, in functions that are not generic, and leave as boxed agents: one call through a pointer
//! for a whole decision.

use sakiyomi_core::{Agent, Playable, Rng, Stop};
use sakiyomi_games::sangoku::Restriction;
use sakiyomi_players::PlayerOf;
use sakiyomi_search::{
    LeafEvaluator, MctsSettings, ProbeReport, ProbeSettings, PuctSettings, TreeSearch,
};

use crate::{AgentSpec, Seat, SpecError};

/// A game that [`GameSpec`](crate::GameSpec) can open.
pub trait CatalogGame: Playable + Sized {
    /// The agent for a seat of a match; see [`AgentSpec::build`].
    fn agent(&self, spec: &AgentSpec, seat: &Seat<'_>) -> Result<Box<dyn Agent<Self>>, SpecError>;

    /// The players that only this game has.
    const PLAYERS: &'static [PlayerOf<Self>] = &[];

    /// The agent on a part of the board; none if this game has no parts.
    fn restricted(_by: Restriction, _agent: Box<dyn Agent<Self>>) -> Option<Box<dyn Agent<Self>>> {
        None
    }

    /// A tree search with all that can be measured of its tree.
    fn tree_search(settings: MctsSettings) -> Box<dyn TreeSearch<Self>>;

    /// PUCT with an evaluator of leaves, such as a network.
    fn puct<'a>(
        settings: PuctSettings,
        evaluator: Box<dyn LeafEvaluator<Self> + 'a>,
    ) -> Box<dyn Agent<Self> + 'a>;

    /// The probe of a search with experience; see [`sakiyomi_search::probe`].
    fn probe(
        &self,
        search: &MctsSettings,
        settings: ProbeSettings,
        rng: &mut Rng,
        stop: &Stop,
    ) -> ProbeReport;
}

/// Compiles all searches for these types of games; `with players` those that only they have, and `at once` the search
/// that makes turns sequential, where there is something to make sequential.
macro_rules! compiled {
    (@players $game:ty, $sequential:expr) => {
        $crate::compiled::compiled!(@own $game, $sequential, {
            const PLAYERS: &'static [sakiyomi_players::PlayerOf<Self>] =
                <Self as sakiyomi_players::HasPlayers>::PLAYERS;

            fn restricted(
                by: sakiyomi_games::sangoku::Restriction,
                agent: Box<dyn sakiyomi_core::Agent<Self>>,
            ) -> Option<Box<dyn sakiyomi_core::Agent<Self>>> {
                <Self as sakiyomi_players::HasPlayers>::restricted(by, agent)
            }
        });
    };
    (@own $game:ty, $sequential:expr, { $($own:item)* }) => {
        impl $crate::CatalogGame for $game {
            $($own)*

            fn agent(
                &self,
                spec: &$crate::AgentSpec,
                seat: &$crate::Seat<'_>,
            ) -> Result<Box<dyn sakiyomi_core::Agent<Self>>, $crate::SpecError> {
                spec.compile(self, seat, $sequential)
            }

            fn tree_search(
                settings: sakiyomi_search::MctsSettings,
            ) -> Box<dyn sakiyomi_search::TreeSearch<Self>> {
                Box::new(sakiyomi_search::Mcts::new(settings))
            }

            fn puct<'a>(
                settings: sakiyomi_search::PuctSettings,
                evaluator: Box<dyn sakiyomi_search::LeafEvaluator<Self> + 'a>,
            ) -> Box<dyn sakiyomi_core::Agent<Self> + 'a> {
                Box::new(sakiyomi_search::PuctSearch::new(settings, evaluator))
            }

            fn probe(
                &self,
                search: &sakiyomi_search::MctsSettings,
                settings: sakiyomi_search::ProbeSettings,
                rng: &mut sakiyomi_core::Rng,
                stop: &sakiyomi_core::Stop,
            ) -> sakiyomi_search::ProbeReport {
                sakiyomi_search::probe(self, search, settings, rng, stop)
            }
        }
    };
    ($($game:ty),+) => {$(
        $crate::compiled::compiled!(@own $game, None, {});
    )+};
    ($($game:ty),+; at once) => {$(
        $crate::compiled::compiled!(@own $game, Some($crate::agents::make_sequential), {});
    )+};
    ($($game:ty),+; with players) => {$(
        $crate::compiled::compiled!(@players $game, None);
    )+};
    ($($game:ty),+; with players, at once) => {$(
        $crate::compiled::compiled!(@players $game, Some($crate::agents::make_sequential));
    )+};
}
pub(crate) use compiled;
