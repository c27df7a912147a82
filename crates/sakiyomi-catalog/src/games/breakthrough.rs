use sakiyomi_games::Breakthrough;

use super::size::sized_game;
use super::{GameSettings, Visitor};
use crate::compiled::compiled;

sized_game!(
    BreakthroughSpec,
    "breakthrough",
    "pawns race to the far row",
    8,
    8,
    "breakthrough:6x6"
);

compiled!(Breakthrough<u64>, Breakthrough<u128>);

impl GameSettings for BreakthroughSpec {
    fn open<V: Visitor>(&self, visitor: V) -> Result<V::Out, String> {
        let BreakthroughSpec { width, height } = *self;
        // What fits into 64 bits is played on 64 bits, which are faster.
        if let Ok(game) = Breakthrough::<u64>::new(width, height) {
            return Ok(visitor.visit(game));
        }
        let game = Breakthrough::<u128>::new(width, height).map_err(|error| error.to_string())?;
        Ok(visitor.visit(game))
    }
}
