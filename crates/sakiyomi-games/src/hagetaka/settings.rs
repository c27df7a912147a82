//! The settings of the game: how many cards and players, which deck, and what decides.

use std::error::Error;
use std::fmt;

/// The most players of the game in the box.
pub const MAX_HANDS: usize = 6;
/// The most cards that a hand may have.
pub const MAX_CARDS: usize = 20;
/// The largest value of a vulture card, so that sums fit into 16 bits.
const MAX_VALUE: i16 = 999;

/// What is played. [`Settings::hagetaka`] and [`Settings::goofspiel`] are the usual ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Settings {
    /// Every hand is the cards 1 to `cards`.
    pub cards: usize,
    pub players: usize,
    /// The vulture cards in ascending order: at least one, and at most one per card of a hand.
    pub deck: Vec<i16>,
    pub ties: Ties,
    pub order: Order,
    pub payoff: Payoff,
}

/// What equal cards do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ties {
    /// They cancel each other, and the next card takes the stake; if none is left, the stake is
    /// carried to the next round.
    Carry,
    /// If they are the cards that would take the stake, it is lost.
    Discard,
}

/// How the deck is turned over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    Random,
    Ascending,
    Descending,
}

/// What the players get at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Payoff {
    /// 1 for the highest total, shared by those who have it, and 0 for the others.
    WinLoss,
    /// 1/2 plus the distance from the mean of all totals, scaled so that the payoff stays
    /// from 0 to 1; see [`Settings::largest_distance`].
    PointDifference,
}

/// Settings that cannot be played, and what would be possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError(String);

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for SettingsError {}

impl Settings {
    /// Hagetaka no Ejiki. A third of the deck is negative: -1, -2 .., and the rest is 1, 2 ..; with
    /// 15 cards that is the deck of the box, -5 to 10 without 0.
    pub fn hagetaka(cards: usize, players: usize) -> Settings {
        let n_negative = (cards / 3) as i16;
        let deck = (-n_negative..=cards as i16 - n_negative).filter(|&value| value != 0).collect();
        Settings {
            cards,
            players,
            deck,
            ties: Ties::Carry,
            order: Order::Random,
            payoff: Payoff::WinLoss,
        }
    }

    /// Goofspiel, also called the game of pure strategy: prizes 1, 2 .., ties discard the prize.
    pub fn goofspiel(cards: usize, players: usize) -> Settings {
        Settings {
            deck: (1..=cards as i16).collect(),
            ties: Ties::Discard,
            ..Settings::hagetaka(cards, players)
        }
    }

    /// How far a total can be from the mean of all totals. A payoff by point difference is
    /// 1/2 + distance / (2 * this). With two players the distance is half of the difference.
    pub fn largest_distance(&self) -> f64 {
        let sum = |sign: i16| {
            let values = self.deck.iter().map(|&value| i32::from((value * sign).max(0)));
            f64::from(values.sum::<i32>())
        };
        let (gain, loss, share) = (sum(1), sum(-1), 1.0 / self.players as f64);
        // One takes all that is good and the others all that is bad, or the other way round.
        let above = gain * (1.0 - share) + loss * share;
        let below = loss * (1.0 - share) + gain * share;
        above.max(below)
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let Settings { cards, players, deck, .. } = self;
        let error = |message: String| Err(SettingsError(message));
        if !(2..=MAX_HANDS).contains(players) {
            return error(format!("{players} players: possible are 2 to {MAX_HANDS}"));
        }
        if !(1..=MAX_CARDS).contains(cards) {
            return error(format!("{cards} cards: possible are 1 to {MAX_CARDS}"));
        }
        if deck.is_empty() || deck.len() > *cards {
            let n = deck.len();
            return error(format!("a deck of {n}: possible are 1 to {cards}, one for each card"));
        }
        match deck.iter().find(|value| **value == 0 || value.abs() > MAX_VALUE) {
            Some(value) => error(format!(
                "a vulture card of {value}: possible are 1 to {MAX_VALUE} and their negatives"
            )),
            None => Ok(()),
        }
    }
}
