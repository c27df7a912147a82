//! Players of Sangoku.

mod restricted;
mod rule_based;

use sakiyomi_core::Agent;
use sakiyomi_games::sangoku::{Restriction, Sangoku};

pub use restricted::Restricted;
pub use rule_based::RuleBased;

use crate::{HasPlayers, PlayerOf};

impl<const W: usize, const N: usize> HasPlayers for Sangoku<W, N> {
    const PLAYERS: &'static [PlayerOf<Sangoku<W, N>>] =
        &[PlayerOf { declaration: &rule_based::DECLARATION, make: |_| Box::new(RuleBased) }];

    fn restricted(by: Restriction, agent: Box<dyn Agent<Self>>) -> Option<Box<dyn Agent<Self>>> {
        Some(Box::new(Restricted::new(by, agent)))
    }
}
