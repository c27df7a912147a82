//! Hagetaka and Goofspiel: one engine with other defaults. A deck is written as `deck=-1/1/2/3`.

use sakiyomi_games::Hagetaka;
use sakiyomi_games::hagetaka::{MAX_CARDS, MAX_HANDS, Order, Payoff, Settings, Ties};

use super::{GameSettings, Visitor};
use crate::compiled::compiled;
use crate::fields::Value;
use crate::parameter::{Defined, Definition, Domain, Parameter, Place, place, word_place};

const HAGETAKA_CARDS: usize = 15;
const GOOFSPIEL_CARDS: usize = 13;
const PLAYERS: usize = 2;

const PARAMETERS: &[Parameter<Settings>] = &[
    Parameter::integer("n", 1..=MAX_CARDS as u64, place!(cards), "cards of a hand"),
    Parameter::integer("players", 2..=MAX_HANDS as u64, place!(players), "players"),
    Parameter::new(
        "deck",
        Domain::Text,
        Place {
            get: |settings| {
                let values: Vec<String> = settings.deck.iter().map(i16::to_string).collect();
                Some(Value::Text(values.join("/")))
            },
            set: |settings, text| {
                let values = text.text().split('/').map(|value| value.trim().parse());
                let deck: Result<Vec<i16>, _> = values.collect();
                settings.deck = deck.map_err(|_| "expected numbers such as -1/1/2/3")?;
                settings.deck.sort_unstable();
                Ok(())
            },
        },
        "the cards that are played for; this one is for the default number of cards",
    ),
    Parameter::new(
        "ties",
        Domain::Word(&["carry", "discard"]),
        word_place!(ties, [("carry", Ties::Carry), ("discard", Ties::Discard)]),
        "equal cards cancel each other and the stake may be carried over, or lose it (discard)",
    ),
    Parameter::new(
        "order",
        Domain::Word(&["random", "ascending", "descending"]),
        word_place!(
            order,
            [
                ("random", Order::Random),
                ("ascending", Order::Ascending),
                ("descending", Order::Descending)
            ]
        ),
        "how the deck is turned over",
    ),
    Parameter::new(
        "payoff",
        Domain::Word(&["win-loss", "point-difference"]),
        word_place!(
            payoff,
            [("win-loss", Payoff::WinLoss), ("point-difference", Payoff::PointDifference)]
        ),
        "what counts; point-difference is 1/2 plus the scaled distance from the mean total",
    ),
];

impl Defined for Settings {
    const DEFINITIONS: &'static [Definition<Settings>] = &[
        Definition {
            // The deck follows from the number of cards.
            adjust: |defaults, said| Settings {
                deck: Settings::hagetaka(said.cards, said.players).deck,
                ..defaults
            },
            ..Definition::new(
                "hagetaka",
                "everyone plays a card at once for the vulture card; equal cards cancel out",
                || Settings::hagetaka(HAGETAKA_CARDS, PLAYERS),
                PARAMETERS,
                "hagetaka:n=5,players=3",
            )
        },
        Definition {
            adjust: |defaults, said| Settings {
                deck: Settings::goofspiel(said.cards, said.players).deck,
                ..defaults
            },
            ..Definition::new(
                "goofspiel",
                "the game of pure strategy: everyone bids a card at once for the prize",
                || Settings::goofspiel(GOOFSPIEL_CARDS, PLAYERS),
                PARAMETERS,
                "goofspiel:n=5,order=descending,payoff=point-difference",
            )
        },
    ];
}

compiled!(Hagetaka; with players, at once);

impl GameSettings for Settings {
    fn open<V: Visitor>(&self, visitor: V) -> Result<V::Out, String> {
        let game = Hagetaka::new(self.clone()).map_err(|error| error.to_string())?;
        Ok(visitor.visit(game))
    }

    fn payoff_unit(&self) -> f64 {
        match self.payoff {
            Payoff::PointDifference => 2.0 * self.largest_distance(),
            Payoff::WinLoss => 2.0,
        }
    }
}
