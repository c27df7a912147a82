//! The settings of Hagetaka and Goofspiel as fields. A deck is written as `deck=-1/1/2/3`.

use sakiyomi_games::hagetaka::{Order, Payoff, Settings, Ties};

use crate::fields::{Fields, Reader};
use crate::{Parameter, SpecError};

pub(crate) const HAGETAKA: &str = "hagetaka";
pub(crate) const GOOFSPIEL: &str = "goofspiel";

pub(crate) const HAGETAKA_PARAMETERS: &[Parameter] = &[
    Parameter { name: "n", default: "15", meaning: "cards of a hand, 1 to 20" },
    PLAYERS,
    Parameter {
        name: "deck",
        default: "none",
        meaning: "vulture cards such as -1/1/2/3; if not given, a third is -1, -2 .., the rest 1, 2 ..",
    },
    Parameter {
        name: "ties",
        default: "carry",
        meaning: "equal cards cancel and the stake may be carried over (carry), or lose it (discard)",
    },
    ORDER,
    PAYOFF,
];

pub(crate) const GOOFSPIEL_PARAMETERS: &[Parameter] = &[
    Parameter { name: "n", default: "13", meaning: "cards of a hand and prizes, 1 to 20" },
    PLAYERS,
    Parameter {
        name: "deck",
        default: "none",
        meaning: "prizes such as 1/2/5; 1 to n if not given",
    },
    Parameter {
        name: "ties",
        default: "discard",
        meaning: "highest cards that are equal lose the prize (discard), or cancel each other (carry)",
    },
    ORDER,
    PAYOFF,
];

const PLAYERS: Parameter = Parameter { name: "players", default: "2", meaning: "2 to 6" };
const ORDER: Parameter = Parameter {
    name: "order",
    default: "random",
    meaning: "how the deck is turned over: random, ascending or descending",
};
const PAYOFF: Parameter = Parameter {
    name: "payoff",
    default: "win-loss",
    meaning: "win-loss, or point-difference: 1/2 plus the scaled distance from the mean total",
};

const TIES: [(&str, Ties); 2] = [("carry", Ties::Carry), ("discard", Ties::Discard)];
const ORDERS: [(&str, Order); 3] =
    [("random", Order::Random), ("ascending", Order::Ascending), ("descending", Order::Descending)];
const PAYOFFS: [(&str, Payoff); 2] =
    [("win-loss", Payoff::WinLoss), ("point-difference", Payoff::PointDifference)];

/// What is left unsaid, for so many cards and players.
fn defaults(name: &str, cards: usize, players: usize) -> Settings {
    match name {
        GOOFSPIEL => Settings::goofspiel(cards, players),
        _ => Settings::hagetaka(cards, players),
    }
}

fn default_cards(name: &str) -> u32 {
    if name == GOOFSPIEL { 13 } else { 15 }
}

pub(crate) fn read(name: &str, reader: &mut Reader) -> Result<Settings, SpecError> {
    let cards = reader.integer("n", 1..=20)?.unwrap_or(default_cards(name).into());
    let players = reader.integer("players", 2..=6)?.unwrap_or(2);
    let mut settings = defaults(name, cards as usize, players as usize);
    if let Some(text) = reader.text("deck") {
        let values: Result<Vec<i16>, _> = text.split('/').map(|v| v.trim().parse()).collect();
        settings.deck = values.map_err(|_| {
            let message = format!("`deck` must be numbers such as -1/1/2/3, not `{text}`");
            reader.fields().error(message)
        })?;
        settings.deck.sort_unstable();
    }
    settings.ties = word(reader, "ties", &TIES, settings.ties)?;
    settings.order = word(reader, "order", &ORDERS, settings.order)?;
    settings.payoff = word(reader, "payoff", &PAYOFFS, settings.payoff)?;
    Ok(settings)
}

pub(crate) fn write(name: &str, settings: &Settings) -> Fields {
    let Settings { cards, players, deck, ties, order, payoff } = settings;
    let default = defaults(name, *cards, *players);
    let deck_text = || deck.iter().map(i16::to_string).collect::<Vec<_>>().join("/");
    Fields::new(name)
        .with_unless("n", *cards as u32, default_cards(name))
        .with_unless("players", *players as u32, 2)
        .with_some("deck", (*deck != default.deck).then(deck_text))
        .with_some("ties", (*ties != default.ties).then(|| text_of(&TIES, ties)))
        .with_some("order", (*order != default.order).then(|| text_of(&ORDERS, order)))
        .with_some("payoff", (*payoff != default.payoff).then(|| text_of(&PAYOFFS, payoff)))
}

fn word<T: Copy>(
    reader: &mut Reader,
    key: &'static str,
    words: &[(&str, T)],
    default: T,
) -> Result<T, SpecError> {
    let Some(text) = reader.text(key) else { return Ok(default) };
    let known = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    known.ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        reader.fields().error(format!("`{key}` must be {}, not `{text}`", words.join(" or ")))
    })
}

fn text_of<T: PartialEq>(words: &[(&str, T)], value: &T) -> String {
    words.iter().find(|(_, known)| known == value).map_or("", |(word, _)| word).to_owned()
}
