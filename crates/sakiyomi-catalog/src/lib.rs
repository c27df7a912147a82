//! Everything that has a name: games, agents, their parameters, and a running match of any of them
//! with its types erased.

mod agents;
mod compiled;
mod fields;
mod games;
mod kept_rules;
mod list;
mod parameter;
mod solution;
mod table;
mod thought;

pub use agents::{
    AgentSpec, ExactSpec, ExecSpec, FlatSpec, MaxNSpec, RandomSpec, ScriptedSpec, Seat,
    SequentialSpec,
};
pub use compiled::CatalogGame;
pub use fields::{SpecError, parse_bytes};
pub use games::{
    Battlefield, BreakthroughSpec, ConnectFourSpec, GameSpec, GdlSpec, HagetakaSpec, OthelloSpec,
    RuleSheet, TicTacToeSpec, Visitor, game_presets,
};
pub use kept_rules::{keep_rules, kept_rules};
pub use parameter::{Entry, Named, ParameterEntry, Values};
pub use solution::{load_solution, save_solution};
pub use table::{
    Advice, LegalAction, Past, Record, Share, Table, TableError, open_table, replay, replay_each,
    views,
};
pub use thought::{Thought, ThoughtArm, ThoughtBranch, ThoughtRow};
