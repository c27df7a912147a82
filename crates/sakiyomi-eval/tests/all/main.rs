//! Matches, exact work and the signature through the public door of the crate.

mod duels;
mod exploitability;
mod shipped;
mod signature;
