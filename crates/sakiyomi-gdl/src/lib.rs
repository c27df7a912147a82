//! Games from their rules: the Game Description Language of general game playing.
//!
//! Folders are stages, and each knows only those before it:
//!
//! ```text
//! read -> ground -> network -> run -> lanes -> game -> protocol
//!    \------------> draw --------------------/
//! ```
//!
//! A sheet is read by [`Sheet::parse`], judged by [`check()`], and becomes a game with
//! [`GdlGame::new`]. The game is a [`sakiyomi_core::Game`], so every search plays it; a [`Stepper`]
//! goes through a match ply by ply, as the protocol and recorded matches see it. docs/reference/gdl-engine.md
//! follows one joint move through the stages.

mod draw;
mod game;
mod ground;
mod lanes;
mod network;
pub mod protocol;
mod read;
mod run;
#[cfg(test)]
mod tests;

pub use game::gdl_game::{GdlGame, Settings};
#[cfg(feature = "cuda")]
pub use game::gpu::{GpuInfo, compare_gpu, gpu_info};
pub use game::info::{Info, LaneInfo, NetworkSize, info, info_watched, lane_info, size};
pub use game::puzzle::{Solved, solve};
pub use game::state::{Move, State};
pub use game::stepper::{StepError, Stepper};
pub use ground::meter::{Limits, Progress, Watcher};
pub use lanes::Refusal;
#[cfg(feature = "cuda")]
pub use lanes::cuda::device::{GpuForm, GpuRefusal, GpuSettings};
#[cfg(feature = "cuda")]
pub use lanes::cuda::source::SourceLimits;
pub use protocol::verify::{Verified, VerifyError, verify};
pub use read::check::{Finding, Severity, check};
pub use read::error::{GdlError, PictureError};
pub use read::kif::Span;
pub use read::parse::{ParseError, RulePlace, Sheet};
pub use run::engine::EngineChoice;
