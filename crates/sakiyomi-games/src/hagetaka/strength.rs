//! SP, the reference player of Shimura and Yamaguchi: it plays a card of about the strength of the
//! vulture card that is turned over.

use sakiyomi_core::{Agent, Choice, Context, Forfeit, Player, Script};

use super::{Card, Hagetaka, NONE, Position, nth_bit};

/// Ranks the vulture card by magnitude among those that are left, itself included (of equal
/// magnitudes the positive one ranks higher), and plays the card of the same rank in the hand.
#[derive(Clone, Copy, Debug, Default)]
pub struct StrengthPlayer;

impl StrengthPlayer {
    pub const SCRIPT: Script =
        Script { name: "sp", summary: "plays a card as strong as the vulture card" };
}

impl Agent<Hagetaka> for StrengthPlayer {
    fn choose(
        &mut self,
        game: &Hagetaka,
        position: &Position,
        player: Player,
        _: &mut Context<'_>,
    ) -> Result<Choice<Card>, Forfeit> {
        let action = game.card_of_strength(position, player);
        Ok(Choice { action, policy: vec![(action, 1.0)], value: None, iterations: 0, nodes: 0 })
    }
}

impl Hagetaka {
    fn card_of_strength(&self, position: &Position, player: Player) -> Card {
        let strength = |place: usize| (self.values[place].abs(), self.values[place]);
        let hand = position.hands[player.index()];
        let turned = match position.turned {
            NONE => 0,
            place => place as usize,
        };
        let below = (0..self.settings.deck.len())
            .filter(|&place| position.deck >> place & 1 == 1)
            .filter(|&place| strength(place) < strength(turned))
            .count();
        // A deck that is shorter than the hand spreads over it.
        let (n_cards, n_left) = (hand.count_ones() as usize, self.rounds_left(position) as usize);
        Card(nth_bit(hand, below * n_cards / n_left.max(1)))
    }
}
