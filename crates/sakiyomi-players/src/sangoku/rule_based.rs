//! The rule-based player that Kato et al. compare their search with.

use sakiyomi_core::{Agent, Choice, Context, Forfeit, Player, Rng};
use sakiyomi_games::cells::bits;
use sakiyomi_games::sangoku::{Deed, Order, Position, Sangoku};
use sakiyomi_games::two_players::opponent;

use crate::Declaration;

pub(super) const DECLARATION: Declaration = Declaration::plain(
    "rule-based",
    "the paper's simple player of sangoku: attacks next to an enemy, then moves at random",
);

/// Piece by piece: next to an enemy it attacks and then moves to a random cell; otherwise it moves
/// to a random cell and attacks if it then can.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleBased;

impl<const W: usize, const N: usize> Agent<Sangoku<W, N>> for RuleBased {
    fn choose(
        &mut self,
        game: &Sangoku<W, N>,
        position: &Position<W, N>,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Order>, Forfeit> {
        let action = next_order(game, position, player, context.rng);
        Ok(Choice { action, policy: vec![(action, 1.0)], value: None, iterations: 0, nodes: 0 })
    }
}

fn next_order<const W: usize, const N: usize>(
    game: &Sangoku<W, N>,
    position: &Position<W, N>,
    player: Player,
    rng: &mut Rng,
) -> Order {
    let [unmoved, unacted] = game.ready(position, player);
    let enemies = game.enemies(position, player);
    for piece in bits(unmoved | unacted) {
        let here = &position.pieces[piece as usize];
        let (beside, _) = game.targets(here, enemies);
        if unacted >> piece & 1 == 1 && !beside.is_empty() {
            let cell = beside.nth(rng.below(beside.count() as usize) as u32);
            let target = game.piece_at(position, opponent(player), cell);
            return Order { deed: Deed::Attack, piece, to: target.into() };
        }
        if unmoved >> piece & 1 == 1 {
            let reached = game.reach(here, enemies, game.zone(enemies));
            let landing = game.landing(position, reached);
            if !landing.is_empty() {
                let to = landing.nth(rng.below(landing.count() as usize) as u32);
                return Order { deed: Deed::Move, piece, to };
            }
        }
    }
    Order::END
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::{Game, Stop, Turn};
    use sakiyomi_games::sangoku::{Scenario, Skirmish};

    #[test]
    fn it_attacks_before_it_moves() {
        let piece =
            |side, cell, ability| format!("[[{side}]]\ncell = '{cell}'\nability = '{ability}'\n");
        let pieces = [("first", "b2", "fire"), ("first", "a6", "valour")];
        let enemy = piece("second", "c2", "valour");
        let text = pieces.map(|(side, cell, ability)| piece(side, cell, ability)).concat() + &enemy;
        let game = Skirmish::new(&Scenario::read(&text).unwrap()).unwrap();
        let (mut position, mut rng, mut deeds) = (game.start(), Rng::new(1), Vec::new());
        while matches!(game.turn(&position), Turn::Choose(who) if who.contains(Player(0))) {
            let mut context = Context { rng: &mut rng, stop: &Stop::new() };
            let choice = RuleBased.choose(&game, &position, Player(0), &mut context).unwrap();
            deeds.push((choice.action.piece, choice.action.deed));
            game.apply(&mut position, &[choice.action]);
        }
        assert_eq!(deeds[..3], [(0, Deed::Attack), (0, Deed::Move), (1, Deed::Move)]);
    }
}
