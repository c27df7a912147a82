//! Games as numbers, for learners: a position whose actions are numbers, many environments that are stepped at
//! once, and self-play with a network. Everything works on any game of the catalog; types are erased, as in
//! [`Table`](sakiyomi_catalog::Table), so that bindings need not be compiled for every game.

mod batch;
mod numbers;
mod position;
mod self_play;

pub use batch::{Batch, BatchError, BatchSettings, Buffers, open_batch};
pub use numbers::{Layout, MAX_RANKS};
pub use position::{Position, PositionError, open_position};
pub use self_play::{
    Answer, GameRecord, Network, NetworkError, Rows, SelfPlay, SelfPlayError, Step, self_play,
};
