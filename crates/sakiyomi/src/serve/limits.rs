//! How the lab is served, and what requests may ask for.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use sakiyomi_eval::experiment::Library;

use super::api::Limits;

/// How the lab is served.
#[derive(Clone, Debug)]
pub struct ServeSettings {
    pub listen: SocketAddr,
    /// Requests must carry it; without one all are answered, which is for loopback only.
    pub token: Option<String>,
    pub store: PathBuf,
    pub experiments: Library,
    pub threads: usize,
    /// How long a request may take to arrive, its head and then its body; see [`PATIENCE`].
    pub patience: Duration,
}

/// What the slowest honest browser needs many times over.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub(super) const LIMITS: Limits =
    Limits { seconds: 60.0, memory_bytes: 128 << 20, upload_bytes: 1 << 20, duel_games: 100_000 };

/// Connections at the same time. Where there are more, the least active stream is closed.
pub(super) const MAX_CONNECTIONS: usize = 1_000;
/// What all searches together may hold, in [`MEMORY_UNIT`]s. A search that finds no room waits for its turn.
pub(super) const SEARCH_MEMORY: usize = 2 << 10;
pub(super) const MEMORY_UNIT: u64 = 1 << 20;
/// Threads of all searches together, so that they leave the processor to others, and searches that
/// wait for their turn.
pub(super) const SEARCH_THREADS: usize = 64;
pub(super) const MAX_WAITING_SEARCHES: usize = 256;
/// Legal actions of a position that a page is sent.
pub(super) const MAX_ACTIONS: usize = 50_000;

/// How often a quiet stream shows that it is alive, and notices that the client has gone.
pub(super) const PULSE: Duration = Duration::from_secs(1);
