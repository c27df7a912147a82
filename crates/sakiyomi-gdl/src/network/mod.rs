//! Stage 3: from ground rules to a network of gates, as plain data.
//!
//! Takes a program with its ground rules, gives a [`graph::Network`]: fluents and moves as inputs,
//! [`gates`] (Ands and Ors over literals), and the literals that are asked for (legal, next,
//! terminal, goals), with the fluents of the start. [`build`] makes it, [`share`] lets gates share
//! pairs of inputs, and what follows from it for every state is worked out here too: the phases
//! that a match runs through ([`sequence`]) and groups of moves with a common condition
//! ([`groups`]).
//!
//! An evaluator reads these vectors and stands beside this folder, as `run` does; texts of fluents
//! and moves are in the program. Must not know: how states are kept, which joint moves occur, core's games.

pub(crate) mod build;
pub(crate) mod gates;
pub(crate) mod graph;
pub(crate) mod groups;
pub(crate) mod sequence;
pub(crate) mod share;
