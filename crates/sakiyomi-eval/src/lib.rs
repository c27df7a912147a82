//! Measurements: matches between agents, and what they prove.

mod arena;
mod distinct;
mod duel;
pub mod experiment;
mod exploit;
mod fingerprint;
mod ledger;
mod machine;
mod measure;
mod open_run;
mod opening;
mod perft;
mod ranges;
mod runner;
mod schedule;
mod short_match;
pub mod signature;
mod solve;
mod store;
mod task;

pub use arena::{Forfeited, Match, Outcome, Pairing, Played, Watch, parse_agents, play_match};
pub use distinct::{DistinctCounter, DistinctGames};
pub use duel::{
    Duel, DuelError, DuelReport, ForfeitReport, Progress, SeatReport, SprtReport, run_duel,
};
pub use exploit::{
    Exploit, ExploitError, ExploitPoint, ExploitProgress, ExploitReport, run_exploit,
};
pub use fingerprint::{Fingerprint, speed_text};
pub use measure::{MEASURES, Measure, MeasureEntry, Measures, PerMeasure};
pub use open_run::{Handed, OpenRun, OpenWorks, Ticket, WrongAnswer};
pub use opening::Openings;
pub use perft::{perft, perft_of};
pub use runner::{CellTally, RunError, RunProgress, RunSettings, RunSummary, run_experiments};
pub use schedule::{
    News, Order, ScheduleError, ScheduleSettings, Sink, Standing, Summary, Work, run_works,
};
pub use solve::{Opening, Solve, SolveError, SolveReport, run_solve};
pub use store::{
    Counted, FirstGame, GameRow, NetworkMatch, Store, StoreError, StoredCell, StoredMatch,
    StoredUnit,
};
pub use task::{DoneUnit, Learner, Results, Task, TaskError, Unit, run_unit};
