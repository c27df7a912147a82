//! Tests of the catalog through its public door, in one binary: each binary links every search for every game.

mod conformance;
mod large_boards;
mod limits;
mod network;
mod puct;
mod specs;
mod tables;
