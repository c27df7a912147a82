//! Actions and observations as numbers, also where a game has none of its own.

use sakiyomi_core::{Encode, ObservationShape, Player, Turn};

/// Numbers of actions in a game that has no indices of its own. There an action's number is its place in the
/// list of legal actions, so it means something only together with the position.
pub const MAX_RANKS: usize = 4_096;

/// How a game looks to a learner. It is the same in all positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub n_players: usize,
    /// Nothing if the game has no observations.
    pub observation: Option<ObservationShape>,
    /// Actions are numbered from 0 up to, but not including, this.
    pub n_actions: usize,
    /// Whether numbers are places in the list of legal actions, for want of indices of the game's own.
    pub is_ranked: bool,
    /// Whether several players choose at once in the first turn.
    pub is_simultaneous: bool,
    pub is_constant_sum: bool,
}

impl Layout {
    pub fn of<G: Encode>(game: &G) -> Layout {
        let n_own = game.n_action_indices();
        Layout {
            n_players: game.players(),
            observation: game.observation_shape().filter(|shape| !shape.is_empty()),
            n_actions: if n_own > 0 { n_own } else { MAX_RANKS },
            is_ranked: n_own == 0,
            is_simultaneous: first_choosing(game) > 1,
            is_constant_sum: game.constant_sum(),
        }
    }

    /// How many numbers an observation has.
    pub fn observation_len(&self) -> usize {
        self.observation.map_or(0, |shape| shape.len())
    }
}

/// How many players choose in the first turn. Chance is followed along its first outcomes.
fn first_choosing<G: Encode>(game: &G) -> usize {
    let mut state = game.start();
    loop {
        match game.turn(&state) {
            Turn::Over(_) => return 0,
            Turn::Choose(who) => return who.len(),
            Turn::Chance => {
                let mut outcomes = Vec::new();
                game.outcomes(&state, &mut outcomes);
                let Some(&(outcome, _)) = outcomes.first() else { return 0 };
                game.apply(&mut state, &[outcome]);
            }
        }
    }
}

/// Appends the legal actions of a choosing player with their numbers. Actions beyond the last number are left
/// out, which happens only where numbers are ranks.
pub(crate) fn numbered<G: Encode>(
    game: &G,
    layout: &Layout,
    state: &G::State,
    player: Player,
    buffer: &mut Vec<G::Action>,
    out: &mut Vec<(u32, G::Action)>,
) {
    buffer.clear();
    game.actions(state, player, buffer);
    for (rank, &action) in buffer.iter().enumerate() {
        let number = match layout.is_ranked {
            true => Some(rank),
            false => game.action_index(state, player, action),
        };
        if let Some(number) = number.filter(|&number| number < layout.n_actions) {
            out.push((number as u32, action));
        }
    }
}
