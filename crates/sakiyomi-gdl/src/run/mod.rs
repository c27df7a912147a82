//! Stage 4: one match at a time.
//!
//! Takes a sheet, a program and its network, gives an [`engine::Engine`]: one door to two
//! implementations of [`rules::Rules`]. [`network_engine`] plays by the network, as fast as can be;
//! [`interpret`] proves what the rules say, slowly, for sheets that are too large for a network,
//! and is the tests' oracle.
//!
//! The fast evaluation computes only what changes. Every gate counts the inputs that keep it from
//! its neutral value: an And counts false inputs, an Or true ones. A fluent that changes adjusts
//! the counts of the gates that read it, and a gate whose count reaches or leaves zero has changed
//! in turn. A ply changes few fluents, so this touches few gates. Four things keep it so:
//!
//! - A literal that many legal moves share, such as who is in control, is not an input of their
//!   gates. The moves form a group with that literal as its condition, which is read when moves are
//!   listed.
//! - Fluents that follow from each other whatever is played, such as control and step counters, run
//!   through a fixed sequence of phases, which is worked out in advance ([`phase`]).
//! - Other fluents whose next value does not depend on moves, or only at few plies
//!   ([`default_next`]), are watched: those that will change are kept in a set.
//! - Everything that depends on moves is specialised for each joint move ([`effects`],
//!   [`residual`], [`cases`]; kept by [`transition`]) or computed on demand ([`forward`]), so move
//!   inputs never enter the counts.
//!
//! Components, that is recursion through the state, are computed again when an input changes;
//! counts cannot do that, since facts that support each other would keep each other alive.
//!
//! [`live`] is a state with its [`buffers`], [`layout`] what is the same for all states,
//! [`propagate`] follows changes, [`select`] finds the k-th legal move in a word, [`formula`] and
//! [`goals`] compute what is only asked for at times, [`compiled`] holds everything of one game.
//! [`draw`] is the rule by which random matches draw their moves.
//!
//! Must not know: players, seats, payoffs, boards, and core's games.

pub(crate) mod buffers;
pub(crate) mod cases;
pub(crate) mod compiled;
mod condition_order;
pub(crate) mod default_next;
pub(crate) mod draw;
pub(crate) mod effects;
pub(crate) mod engine;
pub(crate) mod formula;
pub(crate) mod forward;
pub(crate) mod goals;
pub(crate) mod interpret;
pub(crate) mod layout;
pub(crate) mod live;
pub(crate) mod network_engine;
pub(crate) mod phase;
pub(crate) mod propagate;
pub(crate) mod residual;
pub(crate) mod rules;
pub(crate) mod select;
pub(crate) mod transition;
