use sakiyomi_games::TicTacToe;

use super::{GameSettings, Visitor};
use crate::compiled::compiled;
use crate::parameter::{Defined, Definition};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TicTacToeSpec;

compiled!(TicTacToe);

impl Defined for TicTacToeSpec {
    const DEFINITIONS: &'static [Definition<TicTacToeSpec>] = &[Definition::new(
        "tic-tac-toe",
        "three in a row on 3x3",
        || TicTacToeSpec,
        &[],
        "tic-tac-toe",
    )];
}

impl GameSettings for TicTacToeSpec {
    fn open<V: Visitor>(&self, visitor: V) -> Result<V::Out, String> {
        Ok(visitor.visit(TicTacToe))
    }

    fn opponents(&self) -> Option<[&'static str; 4]> {
        Some(["random", "uct:iterations=20", "uct:iterations=200", "maxn:depth=9"])
    }
}
