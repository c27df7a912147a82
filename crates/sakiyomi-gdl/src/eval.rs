//! The fast evaluation of a network: only what changes is computed.
//!
//! Every gate counts the inputs that keep it from its neutral value: an And counts false inputs, an
//! Or true ones. A fluent that changes adjusts the counts of the gates that read it, and a gate whose
//! count reaches or leaves zero has changed in turn. A ply changes few fluents, so this touches few
//! gates. Three things keep it so:
//!
//! - A literal that many legal moves share, such as who is in control, is not an input of their
//!   gates. The moves form a group with that literal as its gate, and the gate is read when the moves
//!   are listed.
//! - Fluents that follow from each other whatever is played, such as control and step counters, run
//!   through a fixed sequence of phases, which is worked out in advance (see `phase.rs`).
//! - Other fluents whose next value does not depend on moves, or only at few plies (see `usual.rs`), are
//!   watched: those that will change are kept in a set.
//! - Everything that depends on moves is specialised for each joint move (see `transition.rs`), so
//!   move inputs never enter the counts.
//!
//! Components, that is recursion through the state, are computed again when an input changes; counts
//! cannot do that, since facts that support each other would keep each other alive.

mod groups;
mod layout;
mod live;
mod select;

use std::ops::Range;
use std::sync::atomic::AtomicUsize;

use crate::formula::{Code, Counting, Formulas};
use crate::gates::Lit;
use crate::phase::Phases;

pub(crate) use groups::{group_moves, live_roots};
pub(crate) use live::{Buffers, Live};

/// A literal over live nodes: twice the live number, plus one if it holds while the node is "low".
/// A fluent is high when it is true, a gate when its count is zero.
///
/// Live numbers are bits of [`Live::bits`]: fluents first, then at least one bit that is never high
/// and stands for the constant, then gates from the next word on.
pub(crate) type LiveLit = u32;

const ABSENT: u32 = u32::MAX;

/// What is the same for all states of a game.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The words of bits that hold the fluents.
    n_fact_words: usize,
    /// The live number of the first gate.
    first_gate: u32,
    /// The live number of every network node, or `ABSENT`.
    live: Vec<u32>,
    /// Whether a network node is an Or.
    is_or: Vec<bool>,
    /// The network node of every live number.
    nodes: Vec<u32>,
    /// The first of the gates that do nothing but decide about one move. They are numbered by the
    /// bits of their moves; a move that has no such gate leaves its number free.
    first_move_gate: u32,
    /// Whether changes are followed in the order of the gates.
    pub(crate) in_order: bool,
    spans: Vec<Fanout>,
    /// Edges and watchers of all live nodes. An edge is twice a gate's number, plus one if the
    /// gate's count grows when the source becomes high.
    edges: Vec<u32>,
    groups: Vec<Group>,
    /// The bit of every move, and the move of every bit; a group starts at a word.
    slots: Vec<u32>,
    moves: Vec<u32>,
    /// The group that a word of bits belongs to.
    word_groups: Vec<u32>,
    /// The condition of every move beside the gate of its group, over network nodes.
    rests: Vec<Lit>,
    phases: Phases,
    watched: Vec<Watched>,
    components: Vec<Component>,
    pub(crate) terminal: LiveLit,
    /// Per role, the values with the codes that grant them.
    goals: Vec<Vec<(u8, Code)>>,
    goal_formulas: Formulas,
    /// The same for large formulas.
    goal_counting: Option<Counting>,
    /// How many edges there were to look at when goals were counted, on average.
    pub(crate) goal_work: AtomicUsize,
}

/// A fluent with its next value.
#[derive(Clone, Copy, Debug)]
struct Watched {
    fluent: u32,
    next: Lit,
    /// Whether a joint move may make something else of it.
    by_moves: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Fanout {
    start: u32,
    moves: u32,
    watchers: u32,
    end: u32,
}

/// Moves of one role that are legal only while the gate holds.
#[derive(Clone, Debug)]
struct Group {
    gate: LiveLit,
    /// The words of [`Live::possible`] that hold its members.
    words: Range<usize>,
}

#[derive(Clone, Debug)]
struct Component {
    /// The gates in it, by live number, contiguous.
    gates: Range<usize>,
    /// Inputs of each gate.
    inputs: Vec<Vec<LiveLit>>,
    /// Whether each gate is an And.
    is_and: Vec<bool>,
    /// The gates inside that read each gate, counted from the component's start.
    readers: Vec<Vec<u32>>,
}

// What a watcher does: the lowest two bits.
const WATCH_MOVE: u32 = 0;
const WATCH_NEXT: u32 = 1;
const WATCH_COMPONENT: u32 = 2;
