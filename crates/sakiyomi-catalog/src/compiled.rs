//! Where searches are compiled for games.
//!
//! A search compiled for a game is fast because it is generic, and large. If every crate that plays
//! named the search itself, each would compile every search for every game. So the pairs are made
//! here, in functions that are not generic, and leave as boxed agents: one call through a pointer
//! for a whole decision.

use sakiyomi_core::{Agent, Playable, Rng, Stop};
use sakiyomi_search::{
    Encoding, LeafEvaluator, MctsSettings, ProbeReport, PuctSettings, TreeSearch,
};

use crate::{AgentSpec, Seat, SpecError};

/// A game that [`GameSpec`](crate::GameSpec) can open.
pub trait CatalogGame: Playable {
    /// The agent for a seat of a match; see [`AgentSpec::build`].
    fn agent(&self, spec: &AgentSpec, seat: &Seat<'_>) -> Result<Box<dyn Agent<Self>>, SpecError>;

    /// A tree search with all that can be measured of its tree.
    fn tree_search(settings: MctsSettings) -> Box<dyn TreeSearch<Self>>;

    /// PUCT with an evaluator of leaves, such as a network.
    fn puct<'a>(
        settings: PuctSettings,
        evaluator: Box<dyn LeafEvaluator<Self> + 'a>,
    ) -> Box<dyn Agent<Self> + 'a>;

    /// The probe of a search with experience; see [`sakiyomi_search::probe`].
    fn probe(&self, search: &MctsSettings, playouts: u64, rng: &mut Rng) -> ProbeReport;

    /// Codes of positions of matches; see [`sakiyomi_search::codes_of_matches`].
    fn codes(&self, search: &MctsSettings, encoding: Encoding, n: usize, rng: &mut Rng)
    -> Vec<u64>;
}

/// Nothing stops what is measured.
pub(crate) static UNSTOPPED: Stop = Stop::new();

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

            fn puct<'a>(
                settings: sakiyomi_search::PuctSettings,
                evaluator: Box<dyn sakiyomi_search::LeafEvaluator<Self> + 'a>,
            ) -> Box<dyn sakiyomi_core::Agent<Self> + 'a> {
                Box::new(sakiyomi_search::PuctSearch::new(settings, evaluator))
            }

            fn probe(
                &self,
                search: &sakiyomi_search::MctsSettings,
                playouts: u64,
                rng: &mut sakiyomi_core::Rng,
            ) -> sakiyomi_search::ProbeReport {
                sakiyomi_search::probe(self, search, playouts, rng, &$crate::compiled::UNSTOPPED)
            }

            fn codes(
                &self,
                search: &sakiyomi_search::MctsSettings,
                encoding: sakiyomi_search::Encoding,
                n: usize,
                rng: &mut sakiyomi_core::Rng,
            ) -> Vec<u64> {
                let stop = &$crate::compiled::UNSTOPPED;
                sakiyomi_search::codes_of_matches(self, search, encoding, n, rng, stop)
            }
        }
    )+};
}
pub(crate) use compiled;
