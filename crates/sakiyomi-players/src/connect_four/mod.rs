//! Perfect play of connect four: `solver.rs` the exact solver, `classes.rs` positions by how far they are from the
//! end, and the agent.

mod classes;
mod solver;
mod table;

pub use classes::{Class, Grade, Judged, Phase, is_error, position_of_class};
pub use solver::{Solver, Stones};

use sakiyomi_core::{Agent, Choice, Context, Forfeit, Player};
use sakiyomi_games::ConnectFour;
use sakiyomi_games::connect_four::{Column, Position};

use crate::{Declaration, HasPlayers, PlayerOf};

const DECLARATION: Declaration = Declaration::plain(
    "perfect",
    "plays connect four perfectly, wins as soon and loses as late as possible, from where it can \
     solve the position: mostly from the ninth stone on; before that it takes the middle",
);

/// Positions that are looked at for a move, about a second's work. The opening would take minutes.
const MAX_NODES: u64 = 8_000_000;

impl HasPlayers for ConnectFour<u64> {
    const PLAYERS: &'static [PlayerOf<ConnectFour<u64>>] =
        &[PlayerOf { declaration: &DECLARATION, make: |_| Box::new(PerfectPlayer::default()) }];
}

/// Plays the nearest column to the middle among those that keep the exact score; where the score
/// cannot be found in time, among those that do not lose at once.
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
        let found = solver.best_move(stones, MAX_NODES, context.stop);
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
