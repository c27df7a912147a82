use sakiyomi_games::Hex;

use super::size::sized_game;
use super::{GameSettings, Visitor};
use crate::compiled::compiled;

sized_game!(
    HexSpec,
    "hex",
    "stones on hexagons, a chain between two sides wins",
    11,
    11,
    "hex:7x7"
);

compiled!(Hex<u64>, Hex<u128>);

impl GameSettings for HexSpec {
    fn open<V: Visitor>(&self, visitor: V) -> Result<V::Out, String> {
        let HexSpec { width, height } = *self;
        // What fits into 64 bits is played on 64 bits, which are faster.
        if let Ok(game) = Hex::<u64>::new(width, height) {
            return Ok(visitor.visit(game));
        }
        let game = Hex::<u128>::new(width, height).map_err(|error| error.to_string())?;
        Ok(visitor.visit(game))
    }
}
