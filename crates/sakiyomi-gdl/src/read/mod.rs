//! Stage 1: from the text of a rule sheet to rules with symbols.
//!
//! Takes a text, gives a checked [`parse::Sheet`]: [`kif`] reads lists and tokens, [`parse`] makes
//! rules of them over the table of [`term`]s, [`check`] says what is wrong with the rules, and
//! [`error`] is everything that can keep a sheet from becoming a game.
//!
//! Must not know: what rules mean for a state, grounding, or any later stage.

pub(crate) mod check;
pub(crate) mod error;
pub(crate) mod kif;
pub(crate) mod parse;
pub(crate) mod term;
