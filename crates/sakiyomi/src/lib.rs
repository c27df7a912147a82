#![doc = include_str!("../README.md")]

pub use sakiyomi_catalog as catalog;
pub use sakiyomi_core as core;
pub use sakiyomi_eval as eval;
pub use sakiyomi_evolve as evolve;
pub use sakiyomi_games as games;
pub use sakiyomi_gdl as gdl;
pub use sakiyomi_search as search;

// The command line is written against the facade, like any other user of it.
extern crate self as sakiyomi;

mod accept;
pub mod accuracy;
mod bad_input;
pub mod bench;
pub mod cli;
pub mod contests;
pub mod draw;
pub mod figures;
pub mod gallery;
pub mod ggp;
pub mod numbers;
pub mod picture;
pub mod report;
pub mod serve;
pub mod shipped;
pub mod text_table;
