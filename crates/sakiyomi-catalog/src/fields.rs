//! The one form behind all forms of a specification. A spec is a name with named values, and is
//! written as text (`uct:c=0.15,pruned`), as a table of TOML or as an object of JSON
//! (`{"name": "uct", "c": 0.15, "pruned": true}`); wherever an object may stand, the text may too.

use std::fmt;
use std::time::Duration;

use sakiyomi_core::Fault;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};

/// The largest whole number that every form can hold: TOML has 64 bits with a sign.
pub(crate) const MAX_INTEGER: u64 = i64::MAX as u64;

/// The name of agents that are programs. In text their command line stands last and without its
/// name, so that it may contain commas and equals signs.
pub(crate) const PROGRAM: &str = "exec";
pub(crate) const PROGRAM_COMMAND: &str = "command";

/// The names of games that are another game with a change. In text that game stands last and without
/// its name, so that it may contain commas and equals signs: `pie:hex:7x7`.
const CHANGED_GAMES: [&str; 2] = ["pie", "balanced-opening"];
pub(crate) const CHANGED_GAME: &str = "game";

/// What is wrong with a specification, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{spec}`: {message}")]
pub struct SpecError {
    /// The specification, as far as it is known.
    pub spec: String,
    pub message: String,
}

impl Fault for SpecError {}

/// A name and its values, in the order in which they are written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fields {
    pub(crate) name: String,
    entries: Vec<(String, Value)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Flag(bool),
    Integer(u64),
    Number(f64),
    Text(String),
    Time(Duration),
    Bytes(u64),
}

impl Fields {
    pub(crate) fn new(name: &str) -> Fields {
        Fields { name: name.to_owned(), entries: Vec::new() }
    }

    /// Reads the text form. A part without `=` is a flag, or a bare value such as a size.
    pub(crate) fn parse(text: &str) -> Result<Fields, SpecError> {
        let (name, rest) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
        let mut fields = Fields::new(name);
        if name.is_empty() {
            return Err(fields.error("a name is missing before the colon"));
        }
        if name == PROGRAM {
            fields.entries = program_fields(rest);
            return Ok(fields);
        }
        let (rest, changed) = match CHANGED_GAMES.contains(&name) {
            true => split_changed_game(rest),
            false => (rest, ""),
        };
        for part in parts(rest).filter(|_| !rest.is_empty()) {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key.trim(), Value::of_text(value.trim())),
                None => (part.trim(), Value::Flag(true)),
            };
            if key.is_empty() {
                return Err(SpecError {
                    spec: text.to_owned(),
                    message: "an empty part between commas; expected `key=value` or a flag".into(),
                });
            }
            if fields.entries.iter().any(|(known, _)| known == key) {
                return Err(SpecError {
                    spec: text.to_owned(),
                    message: format!("`{key}` is given twice"),
                });
            }
            fields.entries.push((key.to_owned(), value));
        }
        if !changed.is_empty() {
            fields.entries.push((CHANGED_GAME.to_owned(), Value::Text(changed.to_owned())));
        }
        Ok(fields)
    }

    #[must_use]
    pub(crate) fn with(mut self, key: &str, value: Value) -> Fields {
        self.entries.push((key.to_owned(), value));
        self
    }

    pub(crate) fn entries(&self) -> &[(String, Value)] {
        &self.entries
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> SpecError {
        SpecError { spec: self.to_string(), message: message.into() }
    }

    /// The error for a name that nothing has.
    pub(crate) fn unknown_name(&self, kind: &str, known: &[&str]) -> SpecError {
        self.error(format!(
            "no {kind} is called `{}`{}; known: {}",
            self.name,
            suggestion(&self.name, known),
            known.join(", ")
        ))
    }
}

/// The parts between commas; those in parentheses, of an agent within an agent, separate nothing.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    text.split(move |letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        letter == ',' && depth <= 0
    })
}

/// The parameters of a changed game, and the game: it begins where no `key=value` stands any more.
fn split_changed_game(text: &str) -> (&str, &str) {
    let mut start = 0;
    for part in text.split_inclusive(',') {
        match part.split_once('=') {
            Some((key, _)) if key.trim() != CHANGED_GAME && !key.contains(':') => {
                start += part.len();
            }
            _ => break,
        }
    }
    let (parameters, game) = text.split_at(start);
    let game = game.trim();
    let named = game.strip_prefix(CHANGED_GAME).and_then(|rest| rest.strip_prefix('='));
    (parameters.trim_end_matches(','), named.unwrap_or(game))
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let has_game = CHANGED_GAMES.contains(&self.name.as_str());
        for (i, (key, value)) in self.entries.iter().enumerate() {
            f.write_str(if i == 0 { ":" } else { "," })?;
            match value {
                Value::Flag(true) => f.write_str(key)?,
                // The command of a program is written as it is.
                Value::Text(text) if key == PROGRAM_COMMAND => f.write_str(text)?,
                Value::Text(text) if has_game && key == CHANGED_GAME => f.write_str(text)?,
                value => write!(f, "{key}={value}")?,
            }
        }
        Ok(())
    }
}

/// The fields of a program: `time=2s,./bot.py --fast`.
fn program_fields(rest: &str) -> Vec<(String, Value)> {
    let mut entries = Vec::new();
    let mut command = rest;
    if let Some((time, after)) = rest.strip_prefix("time=").and_then(|rest| rest.split_once(',')) {
        entries.push(("time".to_owned(), Value::Text(time.to_owned())));
        command = after;
    }
    entries.push((PROGRAM_COMMAND.to_owned(), Value::Text(command.trim().to_owned())));
    entries
}

impl Value {
    fn of_text(text: &str) -> Value {
        match (text, text.parse(), text.parse()) {
            ("true", _, _) => Value::Flag(true),
            ("false", _, _) => Value::Flag(false),
            (_, Ok(integer), _) => Value::Integer(integer),
            (_, _, Ok(number)) => Value::Number(number),
            _ => Value::Text(text.to_owned()),
        }
    }

    /// As a whole number, also if it is written like 1e3.
    pub(crate) fn whole(&self) -> Option<u64> {
        match *self {
            Value::Integer(integer) => Some(integer),
            Value::Number(x) if (0.0..MAX_EXACT).contains(&x) && x.fract() == 0.0 => Some(x as u64),
            _ => None,
        }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        match *self {
            Value::Integer(integer) => Some(integer as f64),
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The size, if it is one.
    pub(crate) fn bytes(&self) -> u64 {
        match *self {
            Value::Bytes(bytes) => bytes,
            _ => 0,
        }
    }

    /// The text, if it is one.
    pub(crate) fn text(&self) -> &str {
        match self {
            Value::Text(text) => text,
            _ => "",
        }
    }
}

/// Up to here a floating-point number holds every whole number.
const MAX_EXACT: f64 = (1u64 << 53) as f64;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Integer(integer) => write!(f, "{integer}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => f.write_str(text),
            Value::Time(time) => f.write_str(&duration_text(*time)),
            Value::Bytes(bytes) => f.write_str(&bytes_text(*bytes)),
        }
    }
}

/// `, did you mean ..?` if a known word is one slip of the keyboard away, or a few for long words.
pub(crate) fn suggestion(word: &str, known: &[&str]) -> String {
    let word = word.to_lowercase();
    let slips = |other: &str| strsim::damerau_levenshtein(&word, &other.to_lowercase());
    let most = (word.chars().count() / 3).clamp(1, 3);
    match known.iter().min_by_key(|other| slips(other)) {
        Some(best) if slips(best) <= most => format!(", did you mean `{best}`?"),
        _ => String::new(),
    }
}

/// Seconds, milliseconds or microseconds, whichever is the largest unit that needs no fraction.
fn duration_text(duration: Duration) -> String {
    let micros = duration.as_micros();
    match micros {
        _ if micros.is_multiple_of(1_000_000) => format!("{}s", micros / 1_000_000),
        _ if micros.is_multiple_of(1_000) => format!("{}ms", micros / 1_000),
        _ => format!("{micros}us"),
    }
}

pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    let units = [("us", 1e-6), ("ms", 1e-3), ("min", 60.0), ("s", 1.0), ("m", 60.0)];
    let (number, unit) = units.iter().find_map(|(u, s)| Some((text.strip_suffix(u)?, s)))?;
    let seconds = number.trim().parse::<f64>().ok()? * unit;
    let rounded = (seconds * 1e6).round() / 1e6;
    (rounded > 0.0 && rounded <= 1e6).then(|| Duration::from_secs_f64(rounded))
}

/// Reads a size such as 512MiB or 2GiB.
pub fn parse_bytes(text: &str) -> Option<u64> {
    let units = [("KiB", 1u64 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("KB", 1_000)];
    let units = units.iter().chain(&[("MB", 1_000_000), ("GB", 1_000_000_000), ("B", 1)]);
    let (number, unit) = units.into_iter().find_map(|(u, s)| Some((text.strip_suffix(u)?, s)))?;
    let bytes = number.trim().parse::<f64>().ok()? * *unit as f64;
    (0.0..1e18).contains(&bytes).then_some(bytes as u64)
}

/// The first of these units that divides the size.
fn bytes_text(bytes: u64) -> String {
    let units = [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let units = units.iter().chain(&[("GB", 1_000_000_000), ("MB", 1_000_000)]);
    let mut units = units.into_iter();
    let whole = units.find(|(_, size)| bytes > 0 && bytes.is_multiple_of(*size));
    whole.map_or_else(|| format!("{bytes}B"), |(unit, size)| format!("{}{unit}", bytes / size))
}

impl serde::Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.entries.len() + 1))?;
        map.serialize_entry("name", &self.name)?;
        for (key, value) in &self.entries {
            match value {
                Value::Flag(flag) => map.serialize_entry(key, flag)?,
                Value::Integer(integer) => map.serialize_entry(key, integer)?,
                Value::Number(number) => map.serialize_entry(key, number)?,
                Value::Text(text) => map.serialize_entry(key, text)?,
                Value::Time(_) | Value::Bytes(_) => {
                    map.serialize_entry(key, &value.to_string())?;
                }
            }
        }
        map.end()
    }
}

impl<'de> serde::Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        deserializer.deserialize_any(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a spec such as \"uct:c=0.15\", or a table with a `name`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Fields, E> {
        Fields::parse(text).map_err(E::custom)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Fields, M::Error> {
        let mut fields = Fields::new("");
        while let Some(key) = map.next_key::<String>()? {
            if key == "name" {
                fields.name = map.next_value()?;
            } else {
                let Scalar(value) = map.next_value()?;
                fields.entries.push((key, value));
            }
        }
        if fields.name.is_empty() {
            return Err(de::Error::missing_field("name"));
        }
        Ok(fields)
    }
}

struct Scalar(Value);

impl<'de> serde::Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
        struct ScalarVisitor;
        impl Visitor<'_> for ScalarVisitor {
            type Value = Scalar;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a text, or true or false")
            }

            fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Scalar, E> {
                Ok(Scalar(Value::Flag(flag)))
            }

            fn visit_u64<E: de::Error>(self, integer: u64) -> Result<Scalar, E> {
                Ok(Scalar(Value::Integer(integer)))
            }

            fn visit_i64<E: de::Error>(self, integer: i64) -> Result<Scalar, E> {
                let negative = || Value::Number(integer as f64);
                Ok(Scalar(u64::try_from(integer).map_or_else(|_| negative(), Value::Integer)))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Scalar, E> {
                Ok(Scalar(Value::Number(number)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Scalar, E> {
                Ok(Scalar(Value::Text(text.to_owned())))
            }
        }
        deserializer.deserialize_any(ScalarVisitor)
    }
}

/// Lets a spec be written, read and serialised through its fields.
macro_rules! spec_forms {
    ($spec:ty) => {
        impl std::fmt::Display for $spec {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.to_fields().fmt(f)
            }
        }

        impl std::str::FromStr for $spec {
            type Err = $crate::SpecError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                <$spec>::from_fields(&$crate::fields::Fields::parse(text)?)
            }
        }

        impl serde::Serialize for $spec {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.to_fields().serialize(serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $spec {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let fields = $crate::fields::Fields::deserialize(d)?;
                <$spec>::from_fields(&fields).map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use spec_forms;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_read_and_written() {
        for (text, micros) in [("50ms", 50_000), ("1.5s", 1_500_000), ("2m", 120_000_000)] {
            assert_eq!(parse_duration(text), Some(Duration::from_micros(micros)), "{text}");
        }
        for text in ["", "5", "ms", "-1s", "0s", "nans", "infs", "1h", "1e99s"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
        for text in ["3s", "1500ms", "50ms", "7us", "120s"] {
            assert_eq!(duration_text(parse_duration(text).unwrap()), text);
        }
        for (text, bytes) in [("1GiB", 1 << 30), ("1.5KiB", 1536), ("10MB", 10_000_000), ("7B", 7)]
        {
            assert_eq!(parse_bytes(text), Some(bytes), "{text}");
        }
        for text in ["", "5", "MiB", "-1B", "nanB", "1TiB"] {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
        assert_eq!((bytes_text(1 << 30), bytes_text(1000)), ("1GiB".into(), "1000B".into()));
    }
}
