//! A rule sheet as a game of `sakiyomi_core`.
//!
//! Takes an engine of `run` and a board of `draw`, gives [`gdl_game::GdlGame`] with its [`state`]s:
//! forced plies are skipped, chance is the role `random`, payoffs are goals / 100. [`playout`]
//! plays random matches, [`tournament`] those in which moves compete, [`ends_ahead`] finds ends that
//! are one move away, [`stepper`] plays a match ply by ply with nothing skipped, [`encode`] and
//! [`show`] are core's traits for networks and people, [`puzzle`] solves games of one player
//! ([`puzzle_levels`] many states at a time), [`match_batch`] keeps matches that are played on
//! together, [`info`] says how large and how fast a game is, `gpu` how fast on a graphics processor.
//!
//! Must not know: gates and how an engine works, except for [`puzzle`] and [`info`], which read the
//! network as data.

pub(crate) mod encode;
mod ends_ahead;
pub(crate) mod gdl_game;
#[cfg(feature = "cuda")]
pub(crate) mod gpu;
pub(crate) mod info;
mod match_batch;
pub(crate) mod playout;
pub(crate) mod puzzle;
mod puzzle_levels;
pub(crate) mod show;
pub(crate) mod state;
pub(crate) mod stepper;
mod tournament;
