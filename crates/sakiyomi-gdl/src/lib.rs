//! Games from their rules: the Game Description Language of general game playing.
//!
//! ```text
//! text -> parse -> check -> ground -> network -> eval + transition -> game
//!                               \-> interpret (too large for a network; the tests' oracle)
//! ```
//!
//! A sheet is read by [`Sheet::parse`], judged by [`check()`], and becomes a game with
//! [`GdlGame::new`]. The game is a [`sakiyomi_core::Game`], so every search plays it; a [`Stepper`] goes
//! through a match ply by ply, as the protocol and recorded matches see it.

mod board;
mod check;
#[cfg(test)]
mod drawings;
mod encode;
mod engine;
mod error;
mod eval;
mod facts;
mod formula;
mod forward;
mod game;
mod gates;
mod ground;
mod info;
mod interpret;
mod join;
mod kif;
mod lattice;
mod meter;
mod network;
mod parse;
mod phase;
mod picture;
mod places;
pub mod protocol;
mod puzzle;
mod residual;
mod share;
#[cfg(test)]
mod shared;
#[cfg(test)]
mod sheets;
mod show;
mod split;
mod statics;
mod stepper;
mod term;
#[cfg(test)]
mod tests;
mod transition;
mod usual;
mod verify;

pub use check::{Finding, Severity, check};
pub use engine::EngineChoice;
pub use error::GdlError;
pub use game::{GdlGame, Move, Settings, State};
pub use info::{Info, NetworkSize, info, info_watched, size};
pub use kif::Span;
pub use meter::{Limits, Progress, Watcher};
pub use parse::{ParseError, Sheet};
pub use picture::PictureError;
pub use puzzle::{Solved, solve};
pub use stepper::{StepError, Stepper};
pub use verify::{Verified, VerifyError, digest, verify};
