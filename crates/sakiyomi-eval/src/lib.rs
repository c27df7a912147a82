//! Measurements: matches between agents, and what they prove.

mod arena;
mod behaviour;
mod duel;
pub mod experiment;
mod exploit;
mod perft;
mod runner;
mod solve;
mod store;
mod task;

pub use arena::{Match, Outcome, Pairing, Played, Watch, play_match};
pub use behaviour::behaviour;
pub use duel::{
    Duel, DuelError, DuelReport, ForfeitReport, Progress, SeatReport, SprtReport, run_duel,
};
pub use exploit::{
    Exploit, ExploitError, ExploitPoint, ExploitProgress, ExploitReport, run_exploit,
};
pub use perft::{perft, perft_of};
pub use runner::{CellTally, RunError, RunProgress, RunSettings, RunSummary, run_experiments};
pub use solve::{Opening, Solve, SolveError, SolveReport, run_solve};
pub use store::{Counted, GameRow, NetworkMatch, Store, StoreError, StoredCell, StoredMatch, Unit};
pub use task::{Learner, Results, Task};
