//! Perfect play of connect four: `solver.rs` the exact solver, `classes.rs` positions by how far they are from the
//! end, and the agent.

mod classes;
mod openings;
mod solver;
mod table;

pub use classes::{Class, Grade, Judged, Phase, is_error, position_of_class};
pub use openings::layers as opening_layers;
pub use solver::{Solver, Stones};

use sakiyomi_core::{Agent, Choice, Context, Forfeit, Player};
use sakiyomi_games::ConnectFour;
use sakiyomi_games::connect_four::{Column, Position};

use crate::{Declaration, HasPlayers, PlayerOf};

const DECLARATION: Declaration = Declaration::plain(
    "perfect",
    "plays connect four perfectly: it keeps every win and every draw, on the usual board from the \
     first stone on, and mostly from the ninth wins as soon and loses as late as possible",
);

/// Positions that are looked at for the best move, about a second's work. In the opening that would take minutes.
const MAX_NODES: u64 = 8_000_000;
/// And on the usual board for a move that keeps the outcome, where the best one was not found.
const MAX_NODES_TO_KEEP: u64 = 64_000_000;

impl HasPlayers for ConnectFour<u64> {
    const PLAYERS: &'static [PlayerOf<ConnectFour<u64>>] =
        &[PlayerOf { declaration: &DECLARATION, make: |_| Box::new(PerfectPlayer::default()) }];
}

/// Plays the nearest column to the middle among those that keep the exact score; where the score
/// cannot be found in time, among those that keep the outcome; and where that cannot be found, which
/// happens on other boards than the usual one, among those that do not lose at once.
#[derive(Debug, Default)]
pub struct PerfectPlayer {
    /// It is kept over the match, since what it knows of later positions stays true.
    solver: Option<Solver>,
}

impl Agent<ConnectFour<u64>> for PerfectPlayer {
    fn choose(
        &mut self,
        game: &ConnectFour<u64>,
        position: &Position<u64>,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Column>, Forfeit> {
        let solver = self.solver.get_or_insert_with(|| Solver::new(game.width(), game.height()));
        let stones = Stones::of(game, position, player);
        let before = solver.nodes();
        let mut found = match solver.knows(stones) {
            true => None,
            false => solver.best_move(stones, MAX_NODES, context.stop),
        };
        if found.is_none() && solver.knows_openings() {
            found = solver.keeping_move(stones, MAX_NODES_TO_KEEP, context.stop);
        }
        let column = found.map(|(column, _)| column).or_else(|| solver.sensible_move(stones));
        let Some(column) = column else {
            return Err(Forfeit { reason: "the board is full".to_owned() });
        };
        let action = Column::new(column as u8);
        let value = found.map(|(_, score)| f64::from(score.signum() + 1) / 2.0);
        let nodes = solver.nodes() - before;
        Ok(Choice { action, policy: vec![(action, 1.0)], value, iterations: 1, nodes })
    }
}

#[cfg(test)]
mod tests;
