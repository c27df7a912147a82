//! Measurements: matches between agents, and what they prove.

mod arena;
mod duel;
pub mod experiment;
mod perft;

pub use arena::{Match, Outcome, Pairing, Played, play_match};
pub use duel::{
    Duel, DuelError, DuelReport, ForfeitReport, Progress, SeatReport, SprtReport, run_duel,
};
pub use perft::{perft, perft_of};
