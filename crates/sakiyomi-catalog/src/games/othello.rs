use sakiyomi_games::Othello;

use super::{GameSettings, Visitor};
use crate::compiled::compiled;
use crate::parameter::{Defined, Definition};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OthelloSpec;

compiled!(Othello);

impl Defined for OthelloSpec {
    const DEFINITIONS: &'static [Definition<OthelloSpec>] = &[Definition::new(
        "othello",
        "enclosed discs change their colour, most discs win",
        || OthelloSpec,
        &[],
        "othello",
    )];
}

impl GameSettings for OthelloSpec {
    fn open<V: Visitor>(&self, visitor: V) -> Result<V::Out, String> {
        Ok(visitor.visit(Othello))
    }
}
