//! SP, the reference player of Shimura and Yamaguchi: it plays a card of about the strength of the
//! vulture card that is turned over. The paper says no more than that (めくられたハゲタカカードの数字の
//! 大きさとほぼ同じ強さのカード), so there are two readings.

use sakiyomi_core::{Agent, Choice, Context, Forfeit, Player, Script};

use super::{Card, Hagetaka, NONE, Position, nth_bit};

/// Plays a card of the same strength as the vulture card, whatever is carried over.
#[derive(Clone, Copy, Debug, Default)]
pub struct StrengthPlayer(pub Reading);

/// What the same strength is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// The card of the hand whose number is nearest to the vulture card's magnitude; of two that
    /// are equally near, the lower.
    #[default]
    Nearest,
    /// The vulture card is ranked by magnitude among those that are left, itself included (of equal
    /// magnitudes the positive one ranks higher), and the card of the same rank in the hand is played.
    Rank,
}

/// The player's names, with its two readings.
pub(super) const SCRIPTS: &[Script] = &[
    Script { name: "sp", summary: "plays the card nearest to the vulture card's magnitude" },
    Script { name: "sp-rank", summary: "plays the card that ranks like the vulture card" },
];

impl StrengthPlayer {
    pub(super) fn named(name: &str) -> Option<StrengthPlayer> {
        match name {
            "sp" => Some(StrengthPlayer(Reading::Nearest)),
            "sp-rank" => Some(StrengthPlayer(Reading::Rank)),
            _ => None,
        }
    }
}

impl Agent<Hagetaka> for StrengthPlayer {
    fn choose(
        &mut self,
        game: &Hagetaka,
        position: &Position,
        player: Player,
        _: &mut Context<'_>,
    ) -> Result<Choice<Card>, Forfeit> {
        let action = match self.0 {
            Reading::Nearest => game.nearest_card(position, player),
            Reading::Rank => game.card_of_rank(position, player),
        };
        Ok(Choice { action, policy: vec![(action, 1.0)], value: None, iterations: 0, nodes: 0 })
    }
}

impl Hagetaka {
    fn nearest_card(&self, position: &Position, player: Player) -> Card {
        let hand = position.hands[player.index()];
        let magnitude = match position.turned {
            NONE => 0,
            place => i32::from(self.values[place as usize]).abs(),
        };
        // Bit 0 is the card 1.
        let nearest = (0..32i32)
            .filter(|bit| hand >> bit & 1 == 1)
            .min_by_key(|bit| (bit + 1 - magnitude).abs());
        Card(nearest.unwrap_or(0) as u8)
    }

    fn card_of_rank(&self, position: &Position, player: Player) -> Card {
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
