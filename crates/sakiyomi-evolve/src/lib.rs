//! Games that are fair to both sides, by evolution: maps of TUBSTAP, scenarios of sangoku, and numbers of rules.
//!
//! A [`Problem`] says what a genome is and how it is drawn, crossed, mutated and repaired, and which game it stands for.
//! An [`Evolution`] lets judges play those games, which are the ordinary tasks of `sakiyomi-eval`, and keeps what is fair. Everything random
//! follows from the seed and from numbers of generations, individuals and games, never from threads or the clock, so a run
//! that was stopped and goes on ends as if it had not been stopped.

mod evolution;
mod fairness;
mod fitness;
mod history;
mod judge;
mod numbers;
mod problem;
mod sangoku;
mod tubstap;

pub use evolution::{Evolution, EvolveError, Individual, Lineage, Polish, Settings, Stage, Step};
pub use fairness::{
    Fairness, FairnessSettings, JudgeFairness, MAX_DRAWS, Quorum, SCORE_RANGE, Unfair, judge_game,
};
pub use fitness::Fitness;
pub use history::{Generation, Sums};
pub use judge::{Ending, Evidence, Game, GameRunner, Judge, Threads};
pub use numbers::{NumberGenome, NumberProblem};
pub use problem::{Problem, Remark, Strength};
pub use sangoku::{ScenarioGenome, ScenarioProblem, SoldierGene};
pub use tubstap::{
    MapConstraints, MapGenome, MapOperators, MapProblem, UnitGene, WrittenMap, map_distance,
};
