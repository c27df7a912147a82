//! How a game is drawn, found in its facts.
//!
//! Takes the sheet, the texts of fluents and a piece file, gives a [`shape::BoardShape`]: which
//! cells there are and what stands on them. [`board`] finds it, [`places`] lays out what facts call
//! places, [`lattice`] dots with lines between them, [`statics`] is what the rules say once and for
//! all, [`picture`] the piece file.
//!
//! Must not know: engines, states, core's games; it reads facts as texts or as bits.

pub(crate) mod board;
pub(crate) mod lattice;
pub(crate) mod picture;
pub(crate) mod places;
pub(crate) mod shape;
pub(crate) mod statics;
