//! Many matches of a game that are played on together, by games that are faster at many than at
//! one after the other.

use crate::{Payoffs, Player, Players};

/// Matches that a game keeps and plays on together. Each is what one match is by
/// [`crate::Game::apply`], seen as numbers by [`crate::Encode`]; matches know nothing of each other.
/// There is always someone who chooses: a match that ends begins again.
pub trait MatchBatch: Send {
    /// Begins all matches again.
    fn restart(&mut self);

    /// Who chooses in a match.
    fn choosing(&self, number: usize) -> Players;

    /// How many legal actions a choosing player has.
    fn n_legal(&self, number: usize, player: Player) -> usize;

    /// The index of one of them, which come in the order of [`crate::Game::actions`].
    fn legal_index(&self, number: usize, player: Player, place: usize) -> usize;

    /// Whether the player chooses, and the action with this index is legal.
    fn is_legal(&self, number: usize, player: Player, index: usize) -> bool;

    /// The same as [`crate::Encode::legal_mask`].
    fn legal_mask(&self, number: usize, player: Player, out: &mut [bool]);

    /// The same as [`crate::Encode::observe`].
    fn observe(&self, number: usize, player: Player, out: &mut [f32]);

    /// Plays the legal action with the index `chosen(match, player)` of every player who chooses, and
    /// tells what the matches pay that this ends.
    fn step(
        &mut self,
        chosen: &dyn Fn(usize, Player) -> usize,
        ended: &mut dyn FnMut(usize, Payoffs),
    );
}
