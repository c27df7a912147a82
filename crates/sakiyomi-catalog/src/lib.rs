//! Everything that has a name: games, agents, their parameters, and a running match of any of them
//! with its types erased.

mod agent_spec;
mod evolution;
mod exec;
mod fields;
mod game_spec;
mod gdl;
mod hagetaka;
mod parameters;
mod simultaneous;
mod solution;
mod table;

pub use agent_spec::{AGENTS, AgentSpec, Seat};
pub use fields::{SpecError, parse_bytes};
pub use game_spec::{Battlefield, GAMES, GameSpec, Visitor};
pub use gdl::RuleSheet;
pub use solution::{load_solution, save_solution};
pub use table::{Advice, LegalAction, Record, Share, Table, TableError, open_table, replay, views};

/// What a list of games or agents says about one of them.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub name: &'static str,
    pub summary: &'static str,
    /// Each parameter with its default and what it means.
    pub parameters: &'static [Parameter],
    pub example: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub default: &'static str,
    pub meaning: &'static str,
}
