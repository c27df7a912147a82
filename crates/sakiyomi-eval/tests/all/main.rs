//! Matches, exact work and the signature through the public door of the crate.

mod best_response;
mod duels;
mod exploitability;
mod shipped;
mod signature;
