//! Everything that has a name: games, agents, their parameters, and a running match of any of them
//! with its types erased.

mod agent_spec;
mod evolution;
mod exec;
mod fields;
mod game_spec;
mod gdl;
mod hagetaka;
mod kept_rules;
mod listed;
mod parameters;
mod simultaneous;
mod solution;
mod table;
mod thought;

pub use agent_spec::{AGENTS, AgentSpec, Seat};
pub use fields::{SpecError, parse_bytes};
pub use game_spec::{Battlefield, GAMES, GameSpec, Visitor, ready_made};
pub use gdl::{GdlSpec, RuleSheet};
pub use kept_rules::{keep_rules, kept_rules};
pub use listed::Listed;
pub use solution::{load_solution, save_solution};
pub use table::{
    LegalAction, PlayerFace, Record, Table, TableError, open_table, replay, replay_each, views,
};
pub use thought::{PlayedStep, Thought, ThoughtArm, ThoughtBranch, ThoughtRow};

/// What a list of games or agents says about one of them.
#[derive(Clone, Copy, Debug, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Entry {
    pub name: &'static str,
    pub summary: &'static str,
    /// Each parameter with its default and what it means.
    pub parameters: &'static [Parameter],
    pub example: &'static str,
}

#[derive(Clone, Copy, Debug, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Parameter {
    pub name: &'static str,
    /// `off` if it is a flag, `none` if nothing is set.
    pub default: &'static str,
    pub meaning: &'static str,
}
