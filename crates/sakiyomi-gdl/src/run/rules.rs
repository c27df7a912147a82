//! What an engine does with the positions of its game.

use std::sync::Arc;

use sakiyomi_core::Stop;

use crate::read::error::GdlError;

/// The rules of one game. A position is one raw state: nothing is skipped, and every role moves at
/// every ply. Moves are numbers that mean the same in every position.
pub(crate) trait Rules {
    type Position: Clone;

    fn role_names(&self) -> Vec<String>;

    fn start(&self) -> Self::Position;

    fn is_terminal(&self, position: &Self::Position) -> bool;

    /// How many legal moves a role has.
    fn n_legal(&self, position: &Self::Position, role: usize) -> usize;

    /// The legal move with this place among all of them, in an order that depends on the facts
    /// only; in a network it is the order of their numbers.
    fn legal(&self, position: &Self::Position, role: usize, place: usize) -> u32;

    /// Plays one legal move per role. When `stop` is requested meanwhile the position may be
    /// without moves and goals.
    fn step(&self, position: &mut Self::Position, joint: &[u32], stop: Option<&Arc<Stop>>);

    /// The legal moves of one role after one legal move per role: what a match needs first. An engine
    /// that works out the parts of a position one by one works out nothing else.
    fn legal_after(&self, position: &Self::Position, joint: &[u32], role: usize) -> Vec<u32> {
        let mut next = position.clone();
        self.step(&mut next, joint, None);
        (0..self.n_legal(&next, role)).map(|place| self.legal(&next, role, place)).collect()
    }

    /// The goal of each role, or nothing where not exactly one value holds. The facts stay; only
    /// buffers of the position may grow.
    fn goals(&self, position: &mut Self::Position, out: &mut [Option<u8>]);

    /// The fluents that hold, sorted by text.
    fn facts(&self, position: &Self::Position) -> Vec<String>;

    fn move_text(&self, number: u32) -> String;

    /// What went wrong in evaluating the rules of some position.
    fn trouble(&self) -> Option<GdlError>;
}
