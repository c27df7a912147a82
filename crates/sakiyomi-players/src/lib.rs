//! Players that only one game has: those of papers and of original programs, and our own best. One
//! file each; what a player is called, what it does and what can be set is declared there, once,
//! and the catalog's entries follow from it.

pub mod connect_four;
mod declaration;
pub mod hagetaka;
pub mod layers;
pub mod mizugame;
pub mod sangoku;
pub mod tubstap;

pub use declaration::{Declaration, HasPlayers, PlayerOf, PlayerSettings, Word};
