//! What a search may know about a game beyond its rules.

use crate::{Game, Payoffs, Player};

/// Knowledge that a search may use. Every default is neutral: it knows nothing and forbids nothing.
pub trait Hints: Game {
    /// Whether [`Hints::prune`] ever removes anything. Agents that are asked to prune refuse games
    /// in which it would do nothing.
    fn prunes(&self) -> bool {
        false
    }

    /// Removes actions that are not worth a look; at least one stays.
    fn prune(&self, _state: &Self::State, _player: Player, _actions: &mut Vec<Self::Action>) {}

    /// A guess of the payoffs in a state that is not over, for searches that stop early.
    fn estimate(&self, _state: &Self::State) -> Option<Payoffs> {
        None
    }
}
