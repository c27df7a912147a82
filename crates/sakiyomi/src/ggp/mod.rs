//! General game playing over the network: the player, which is asked for moves, and the host, which
//! asks for them. The messages are those of [`sakiyomi_gdl::protocol`].
//!
//! ```text
//! player:  http (requests) -> player (one match at a time) -> session (clocks, answers)
//!          session -> mind (a thread that thinks; its best move so far, its account of the match),
//!                     follower (what is legal)
//! host:    host (a match) -> client (requests);  tournament (many matches, seats balanced)
//! ```

mod account;
mod best;
mod client;
mod follower;
mod host;
mod http;
mod log;
mod mind;
mod player;
mod session;
mod tournament;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use client::{ClientError, Contestant};
pub use host::{Clocks, Fault, FaultKind, Host, MatchResult, Notices, Stopped};
pub use http::serve;
pub use log::Log;
pub use player::{Player, PlayerSettings, Timeless};
pub use tournament::{Standing, Tournament, TournamentError, TournamentReport};

/// What a thread has left behind that panicked is still good enough to answer with.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
