use sakiyomi_games::ConnectFour;

use super::size::sized_game;
use super::{GameSettings, Visitor};
use crate::compiled::compiled;

sized_game!(
    ConnectFourSpec,
    "connect-four",
    "stones drop into columns, four in a row win",
    7,
    6,
    "connect-four:8x7"
);

compiled!(ConnectFour<u64>; with players);
compiled!(ConnectFour<u128>);

impl GameSettings for ConnectFourSpec {
    fn open<V: Visitor>(&self, visitor: V) -> Result<V::Out, String> {
        let ConnectFourSpec { width, height } = *self;
        // What fits into 64 bits is played on 64 bits, which are faster.
        if let Ok(game) = ConnectFour::<u64>::new(width, height) {
            return Ok(visitor.visit(game));
        }
        let game = ConnectFour::<u128>::new(width, height).map_err(|error| error.to_string())?;
        Ok(visitor.visit(game))
    }
    fn opponents(&self) -> Option<[&'static str; 4]> {
        let is_usual = (self.width, self.height) == (7, 6);
        // Who wins from the first stones is known on the usual board alone.
        is_usual.then_some([
            "uct:iterations=30",
            "uct:iterations=2000",
            "uct:time=1s,solver",
            "perfect",
        ])
    }
}
