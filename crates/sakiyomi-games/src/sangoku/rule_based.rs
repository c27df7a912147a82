//! The rule-based player that Kato et al. compare their search with.

use sakiyomi_core::{Agent, Choice, Context, Forfeit, Player, Rng, Script};

use super::{Deed, Order, Position, Sangoku};
use crate::cells::bits;
use crate::two_players::opponent;

/// Piece by piece: next to an enemy it attacks and then moves to a random cell; otherwise it moves
/// to a random cell and attacks if it then can.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleBased;

impl RuleBased {
    pub const SCRIPT: Script = Script {
        name: "rule-based",
        summary: "piece by piece: attacks if it is next to an enemy, then moves to a random cell",
    };
}

impl<const W: usize, const N: usize> Agent<Sangoku<W, N>> for RuleBased {
    fn choose(
        &mut self,
        game: &Sangoku<W, N>,
        position: &Position<W, N>,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Order>, Forfeit> {
        let action = game.rule_based_order(position, player, context.rng);
        Ok(Choice { action, policy: vec![(action, 1.0)], value: None, iterations: 0, nodes: 0 })
    }
}

impl<const W: usize, const N: usize> Sangoku<W, N> {
    fn rule_based_order(&self, position: &Position<W, N>, player: Player, rng: &mut Rng) -> Order {
        let [unmoved, unacted] = self.ready(position, player);
        let enemies = self.enemies(position, player);
        for piece in bits(unmoved | unacted) {
            let here = &position.pieces[piece as usize];
            let beside = self.rules.near[here.cell as usize][0] & enemies;
            if unacted >> piece & 1 == 1 && !beside.is_empty() {
                let cell = beside.nth(rng.below(beside.count() as usize) as u32);
                let target = self.piece_at(position, opponent(player), cell);
                return Order { deed: Deed::Attack, piece, to: target.into() };
            }
            if unmoved >> piece & 1 == 1 {
                let reached = self.reach(here, enemies, self.zone(enemies));
                let landing = self.landing(position, reached);
                if !landing.is_empty() {
                    let to = landing.nth(rng.below(landing.count() as usize) as u32);
                    return Order { deed: Deed::Move, piece, to };
                }
            }
        }
        Order::END
    }
}
