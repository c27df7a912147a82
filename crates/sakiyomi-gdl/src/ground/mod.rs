//! Stage 2: from rules with variables to ground rules.
//!
//! Takes a sheet, gives a [`program::Program`], in which everything that does not depend on the
//! state is evaluated, and on demand all its ground rules ([`program::Instances`]). [`facts`] is
//! the indexed set of atoms, [`join`] finds the ways to satisfy a rule, [`split`] cuts rules with
//! many variables into smaller ones, [`meter`] keeps to the limits of time and memory.
//!
//! Must not know: gates, states, moves that are made.

pub(crate) mod facts;
pub(crate) mod join;
pub(crate) mod meter;
pub(crate) mod program;
pub(crate) mod split;
