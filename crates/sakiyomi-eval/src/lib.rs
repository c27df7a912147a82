//! Measurements: matches between agents, and what they prove.

mod arena;
pub mod assess;
mod best_response;
mod course;
mod distinct;
mod duel;
pub mod experiment;
mod exploit;
mod fingerprint;
mod ledger;
mod machine;
mod measure;
mod measurement;
mod open_run;
mod opening;
mod perft;
mod ranges;
mod rate;
mod runner;
mod schedule;
mod short_match;
pub mod signature;
mod solve;
mod store;
mod task;
mod tune;

pub use arena::{Forfeited, Match, Outcome, Pairing, Played, Watch, parse_agents, play_match};
pub use best_response::{
    BestResponse, ResponseBudget, ResponseError, ResponseProgress, ResponseReport, ResponseSeat,
    SparringReport, TrialReport, Way, run_best_response,
};
pub use distinct::{DistinctCounter, DistinctGames};
pub use duel::{
    Duel, DuelError, DuelReport, ForfeitReport, Progress, SeatReport, SprtReport, run_duel,
};
pub use exploit::{
    Exploit, ExploitError, ExploitPoint, ExploitProgress, ExploitReport, run_exploit,
};
pub use fingerprint::{Fingerprint, speed_text};
pub use measure::{MEASURES, Measure, MeasureEntry, Measures, PerMeasure};
pub use measurement::{EvolutionSize, Measured, Measurement, Readings, reading_at};
pub use open_run::{Handed, OpenRun, OpenWorks, Ticket, WrongAnswer};
pub use opening::Openings;
pub use perft::{perft, perft_of};
pub use rate::{RateError, RateReport, RatedAgent, RatedPair, RoundRobin, run_rate};
pub use runner::{CellTally, RunError, RunProgress, RunSettings, RunSummary, run_experiments};
pub use schedule::{
    News, Order, ScheduleError, ScheduleSettings, Sink, Standing, Summary, Work, run_works,
};
pub use solve::{Ahead, Opening, Solve, SolveError, SolveProgress, SolveReport, run_solve};
pub use store::{
    Counted, FirstGame, GameRow, NetworkMatch, Store, StoreError, StoredCell, StoredMatch,
    StoredUnit,
};
pub use task::{DoneUnit, Results, Task, TaskError, Unit, Worker, run_measurement, run_unit};
pub use tune::{
    Dimension, Method, RangeError, TuneError, TuneProgress, TuneReport, TuneStep, TunedParameter,
    Tuning, run_tuning,
};
