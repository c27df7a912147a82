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

    /// At most so many more turns of players until the end, if the game can tell.
    fn turns_left(&self, _state: &Self::State) -> Option<u32> {
        None
    }

    /// The simplest state with the same future, by which exact work recognises states that differ
    /// only in what no longer matters.
    fn essence(&self, state: &Self::State) -> Essence<Self::State> {
        Essence::State { state: state.clone(), exchanged: false }
    }
}

/// What matters about a state; see [`Hints::essence`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Essence<S> {
    /// The same is still to come as in this state, in which two players have changed seats if
    /// `exchanged` is set. Actions may have other names there.
    State { state: S, exchanged: bool },
    /// Everyone gets this, whatever is played.
    Settled(Payoffs),
}
