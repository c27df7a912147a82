//! SP, the reference player of Shimura and Yamaguchi: it plays a card of about the strength of the
//! vulture card that is turned over. The paper says no more than that (めくられたハゲタカカードの数字の
//! 大きさとほぼ同じ強さのカード), so there are two readings.

use sakiyomi_core::{Agent, Choice, Context, Forfeit, Player};
use sakiyomi_games::Hagetaka;
use sakiyomi_games::cells::nth_bit;
use sakiyomi_games::hagetaka::{Card, NONE, Position};

use crate::{Declaration, HasPlayers, PlayerOf, Word};

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

const RANK: &str = "rank";

const DECLARATION: Declaration = Declaration {
    word: Some(Word {
        name: "reading",
        words: &["nearest", RANK],
        meaning: "a card as strong is the one nearest to the magnitude of the vulture card, or the \
                  one with the same rank in the hand as it has in the deck",
    }),
    ..Declaration::plain(
        "sp",
        "plays a card as strong as the vulture card (hagetaka and goofspiel)",
    )
};

impl HasPlayers for Hagetaka {
    const PLAYERS: &'static [PlayerOf<Hagetaka>] = &[PlayerOf {
        declaration: &DECLARATION,
        make: |settings| {
            let reading = if settings.word == RANK { Reading::Rank } else { Reading::Nearest };
            Box::new(StrengthPlayer(reading))
        },
    }];
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
            Reading::Nearest => nearest_card(game, position, player),
            Reading::Rank => card_of_rank(game, position, player),
        };
        Ok(Choice { action, policy: vec![(action, 1.0)], value: None, iterations: 0, nodes: 0 })
    }
}

fn nearest_card(game: &Hagetaka, position: &Position, player: Player) -> Card {
    let hand = position.hands[player.index()];
    let magnitude = match position.turned {
        NONE => 0,
        place => i32::from(game.settings().deck[place as usize]).abs(),
    };
    // Bit 0 is the card 1.
    let nearest =
        (0..32i32).filter(|bit| hand >> bit & 1 == 1).min_by_key(|bit| (bit + 1 - magnitude).abs());
    Card(nearest.unwrap_or(0) as u8)
}

fn card_of_rank(game: &Hagetaka, position: &Position, player: Player) -> Card {
    let deck = &game.settings().deck;
    let strength = |place: usize| (deck[place].abs(), deck[place]);
    let hand = position.hands[player.index()];
    let turned = match position.turned {
        NONE => 0,
        place => place as usize,
    };
    let below = (0..deck.len())
        .filter(|&place| position.deck >> place & 1 == 1)
        .filter(|&place| strength(place) < strength(turned))
        .count();
    // A deck that is shorter than the hand spreads over it.
    let (n_cards, n_left) = (hand.count_ones() as usize, game.rounds_left(position) as usize);
    Card(nth_bit(hand.into(), (below * n_cards / n_left.max(1)) as u32) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::{Game, Rng, Show, Stop};
    use sakiyomi_games::hagetaka::Settings;

    #[test]
    fn sp_plays_the_rank_of_the_vulture_card() {
        let game = Hagetaka::new(Settings::hagetaka(15, 2)).unwrap();
        let mut rng = Rng::new(1);
        for (value, card) in [(1, 2), (-1, 1), (5, 10), (-5, 9), (6, 11), (10, 15)] {
            let mut position = game.start();
            let place = game.settings().deck.iter().position(|&v| v == value).unwrap();
            game.apply(&mut position, &[Card(place as u8)]);
            let mut context = Context { rng: &mut rng, stop: &Stop::new() };
            let mut player = StrengthPlayer(Reading::Rank);
            let choice = player.choose(&game, &position, Player(0), &mut context).unwrap();
            assert_eq!(game.action_text(&position, Player(0), choice.action), card.to_string());
        }
    }

    #[test]
    fn sp_plays_the_card_nearest_to_the_magnitude() {
        let game = Hagetaka::new(Settings::hagetaka(15, 2)).unwrap();
        let mut rng = Rng::new(1);
        let mut play = |value: i16, hand: &[u32]| {
            let mut position = game.start();
            let place = game.settings().deck.iter().position(|&v| v == value).unwrap();
            game.apply(&mut position, &[Card(place as u8)]);
            position.hands[0] = hand.iter().fold(0, |cards, card| cards | 1 << (card - 1));
            let mut context = Context { rng: &mut rng, stop: &Stop::new() };
            let mut player = StrengthPlayer::default();
            let choice = player.choose(&game, &position, Player(0), &mut context).unwrap();
            game.action_text(&position, Player(0), choice.action)
        };
        let all: Vec<u32> = (1..=15).collect();
        for (value, card) in [(1, "1"), (-1, "1"), (5, "5"), (-5, "5"), (10, "10")] {
            assert_eq!(play(value, &all), card);
        }
        assert_eq!(play(-5, &[1, 2, 12, 15]), "2");
        assert_eq!(play(10, &[1, 13, 15]), "13");
        assert_eq!(play(4, &[3, 5]), "3", "of two that are equally near, the lower");
    }
}
