//! What others say about matches: the messages of general game playing, and recorded matches.
//!
//! Takes and gives texts: `messages.rs` both ways between a host and a player, `verify.rs` replays
//! the traces of other programs. Must not know: sockets, clocks, files, engines.

mod messages;
pub(crate) mod verify;

pub use messages::*;
