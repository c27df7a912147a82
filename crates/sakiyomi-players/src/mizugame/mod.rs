//! Players of Mizugame: the paper's, those in the place of the contest's, and our own.

mod best;
mod paper;
mod stand_ins;
#[cfg(test)]
mod tests;
mod worth;

use sakiyomi_games::Mizugame;

pub use best::{BestPlayer, BestSettings};
pub use paper::{PaperPlayer, PaperSettings};
pub use stand_ins::StandIn;

use crate::{HasPlayers, PlayerOf};

impl HasPlayers for Mizugame {
    const PLAYERS: &'static [PlayerOf<Mizugame>] = &{
        let [a, b, c, d, e, f, g] = stand_ins::PLAYERS;
        [best::PLAYER, paper::PLAYER, a, b, c, d, e, f, g]
    };
}
