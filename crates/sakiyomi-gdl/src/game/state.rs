//! The states and moves of a game.

use std::fmt;
use std::hash::{Hash, Hasher};

use sakiyomi_core::{MAX_PLAYERS, Turn};

use crate::lanes::play::Start;
use crate::run::engine::Position;

/// One move of one role: a number in the game's table of moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Move(pub(crate) u32);

/// One move per role, by number; chance is a role beside the players.
pub(super) type Joint = [u32; MAX_PLAYERS + 1];

/// A state: equal and hashed by its facts alone, and by what the players chose where chance
/// follows.
pub struct State {
    pub(super) position: Position,
    pub(super) plies: u32,
    pub(super) turn: Turn,
    /// What the players chose, while chance has not yet moved.
    pub(super) chosen: Option<Joint>,
}

impl Clone for State {
    fn clone(&self) -> State {
        State { position: self.position.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &State) {
        self.position.clone_from(&other.position);
        (self.plies, self.turn, self.chosen) = (other.plies, other.turn, other.chosen);
    }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.position.key() == other.position.key() && self.chosen == other.chosen
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.position.key().hash(hasher);
        self.chosen.hash(hasher);
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut state = f.debug_struct("State");
        state.field("facts", &self.position.key()).field("plies", &self.plies);
        state.field("turn", &self.turn).finish_non_exhaustive()
    }
}

impl State {
    /// Plies since the start, those that were forced included.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Whether a fluent of the network holds.
    ///
    /// # Panics
    /// If the rules are interpreted: then fluents have no numbers.
    pub(super) fn fact(&self, fluent: u32) -> bool {
        self.position.live().expect("fluents have numbers in a network only").fact(fluent)
    }

    /// The state as the beginning of matches in lanes, if the game has a network.
    pub(super) fn as_start(&self) -> Option<Start<'_>> {
        let live = self.position.live()?;
        Some(Start { facts: live.facts(), phase: live.phase(), plies: self.plies })
    }

    /// The bytes that a state takes, more or less.
    pub(super) fn bytes(&self) -> usize {
        size_of::<State>() + self.position.bytes()
    }
}
