//! Games that are fair to both sides, by evolution: maps of TUBSTAP, scenarios of sangoku, and
//! numbers of rules.
//!
//! A [`Problem`] says what a genome is and how it is drawn, crossed, mutated and repaired, and
//! which game it stands for. An [`Evolution`] lets judges play those games, which are the ordinary
//! tasks of `sakiyomi-eval`, and keeps what is fair. Everything random follows from the seed and
//! from numbers of generations, individuals and games, never from threads or the clock, so a run
//! that was stopped and goes on ends as if it had not been stopped.
//!
//! A [`Run`] keeps an evolution in a folder and tries what it has found.

mod evolution;
mod fairness;
mod fitness;
mod gallery;
mod hand_out;
mod history;
mod judge;
mod measured;
mod numbers;
mod presets;
mod problem;
mod run;
mod sangoku;
mod sealed;
mod series;
mod tubstap;
mod written;

pub use evolution::{
    Evolution, EvolveError, Individual, Keep, Lineage, Polish, Settings, Stage, Step,
};
pub use fairness::{
    Fairness, FairnessSettings, JudgeFairness, MAX_DRAWS, Quorum, SCORE_RANGE, Unfair,
    default_judges, judge_game,
};
pub use fitness::Fitness;
pub use gallery::{Delivery, Find, Gallery};
pub use hand_out::{HandOut, StageTicket};
pub use history::{Generation, Sums};
pub use judge::{Ending, Evidence, Judge, NOISE, OPENING};
pub use measured::run_unit;
pub use numbers::{Number, NumberGenome, NumberProblem};
pub use presets::Preset;
pub use problem::{Problem, Remark, Strength};
pub use run::{Draw, Progress, Run, Subject};
pub use sangoku::{ScenarioGenome, ScenarioProblem, SoldierGene};
pub use series::{Endings, GameRunner, Threads};
pub use tubstap::{
    MapConstraints, MapGenome, MapOperators, MapProblem, UnitGene, WrittenMap, map_distance,
    map_game,
};
