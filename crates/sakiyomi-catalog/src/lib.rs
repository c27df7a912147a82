//! Everything that has a name: games, agents, their parameters, and a running match of any of them
//! with its types erased.

mod agents;
mod cancel;
mod compiled;
mod fields;
mod files;
mod games;
mod kept_rules;
mod list;
mod network;
mod onnx_lengths;
mod parameter;
mod printable;
mod shared_rules;
mod shipped_networks;
mod solution;
mod solvable;
mod table;
mod thought;
mod turns;

pub use agents::*;
pub use cancel::{cancel_with, cancellable};
pub use compiled::CatalogGame;
pub use fields::{SpecError, parse_bytes};
pub use files::{MAX_TEXT_BYTES, read_bytes, read_text, write_atomically};
pub use games::*;
pub use kept_rules::{keep_rules, kept_rules};
pub use network::check_network;
pub use parameter::{Entry, Named, ParameterEntry, Values};
pub use printable::printable;
pub use shipped_networks::games_with_networks;
pub use solution::{KeptLayer, load_layer, load_solution, save_layer, save_solution};
pub use table::{
    LegalAction, PlayerFace, Record, Table, TableError, open_table, replay, replay_each, views,
};
pub use thought::{PlayedStep, Thought, ThoughtArm, ThoughtBranch, ThoughtRow, step_texts};
