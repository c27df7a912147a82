//! Games as numbers, for learners: a position whose actions are numbers, many environments that are stepped at
//! once, and self-play with a network. Everything works on any game of the catalog; types are erased, as in
//! [`Table`](sakiyomi_catalog::Table), so that bindings need not be compiled for every game.

mod agent_matches;
mod batch;
mod many_matches;
mod match_search;
mod numbers;
mod position;
mod self_play;

pub use agent_matches::{AgentMatches, play_agent_matches};
pub use batch::{Batch, BatchError, BatchSettings, Buffers, open_batch};
pub use many_matches::{ManyMatches, play_many_matches};
pub use match_search::SearchSettings;
pub use numbers::{Layout, MAX_RANKS};
pub use position::{Position, PositionError, open_position};
pub use self_play::{
    Answer, GameRecord, Network, NetworkError, Rows, SelfPlay, SelfPlayError, Step, self_play,
};
