//! Short texts for people, in English and ready for translation.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A text that is either taken as it is, or a pattern with values. The pattern is the key of a
/// translation, so that nothing has to be read out of a finished sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Phrase {
    /// Not to be translated: numbers, cells, and names that come from a rule sheet.
    Literal(String),
    /// English with `{0}`, `{1}` .. where the values stand.
    Pattern { pattern: String, values: Vec<Phrase> },
}

impl Phrase {
    /// A pattern; [`Phrase::with`] gives its values, in order.
    pub fn new(pattern: &str) -> Phrase {
        Phrase::Pattern { pattern: pattern.to_owned(), values: Vec::new() }
    }

    #[must_use]
    pub fn with(self, value: impl Into<Phrase>) -> Phrase {
        match self {
            Phrase::Pattern { pattern, mut values } => {
                values.push(value.into());
                Phrase::Pattern { pattern, values }
            }
            literal => literal,
        }
    }

    /// "{0} to move", which every game says in the same words.
    pub fn to_move(name: Phrase) -> Phrase {
        Phrase::new("{0} to move").with(name)
    }

    /// All phrases as one: `a`, `a and b`, `a, b and c`.
    pub fn all_of(phrases: impl IntoIterator<Item = Phrase>) -> Phrase {
        let mut phrases: Vec<Phrase> = phrases.into_iter().collect();
        let Some(last) = phrases.pop() else { return Phrase::default() };
        let joined = phrases.into_iter().reduce(|a, b| Phrase::new("{0}, {1}").with(a).with(b));
        match joined {
            Some(others) => Phrase::new("{0} and {1}").with(others).with(last),
            None => last,
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Phrase::Literal(text) => text.is_empty(),
            Phrase::Pattern { pattern, .. } => pattern.is_empty(),
        }
    }
}

/// The English text.
impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pattern, values) = match self {
            Phrase::Literal(text) => return f.write_str(text),
            Phrase::Pattern { pattern, values } => (pattern, values),
        };
        let mut rest = pattern.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            f.write_str(before)?;
            let place = after.split_once('}');
            let value = place.and_then(|(place, _)| values.get(place.parse::<usize>().ok()?));
            match (place, value) {
                (Some((_, after)), Some(value)) => {
                    value.fmt(f)?;
                    rest = after;
                }
                _ => {
                    f.write_str("{")?;
                    rest = after;
                }
            }
        }
        f.write_str(rest)
    }
}

impl Default for Phrase {
    fn default() -> Phrase {
        Phrase::Literal(String::new())
    }
}

impl From<String> for Phrase {
    fn from(text: String) -> Phrase {
        Phrase::Literal(text)
    }
}

impl From<&str> for Phrase {
    fn from(text: &str) -> Phrase {
        Phrase::Literal(text.to_owned())
    }
}

macro_rules! from_numbers {
    ($($number:ty),+) => {$(
        impl From<$number> for Phrase {
            fn from(number: $number) -> Phrase {
                Phrase::Literal(number.to_string())
            }
        }
    )+};
}

from_numbers!(u8, u16, u32, u64, usize, i16, i32, i64, f64);

/// Phrases are compared with plain text by what they say in English.
impl PartialEq<str> for Phrase {
    fn eq(&self, text: &str) -> bool {
        let english = self.to_string();
        english == text
    }
}

impl PartialEq<&str> for Phrase {
    fn eq(&self, text: &&str) -> bool {
        *self == **text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_the_pattern_says() {
        let name = Phrase::new("blue");
        let won = Phrase::new("{1} to {2} for {0}").with(name.clone()).with(34).with("x{0}");
        assert_eq!(won, "34 to x{0} for blue");
        assert_eq!(Phrase::new("{0} {1} {x} {").with("a"), "a {1} {x} {");
        assert_eq!(Phrase::from("{0}").with(1), "{0}", "a literal has no values");
        assert_eq!(Phrase::all_of(["a", "b", "c"].map(Phrase::from)), "a, b and c");
        assert_eq!(Phrase::all_of([name]), "blue");
        assert!(Phrase::all_of([]).is_empty());
    }

    #[test]
    fn a_literal_is_written_as_plain_text() {
        let phrase = Phrase::new("round {0}").with(3);
        let json = serde_json::to_string(&phrase).unwrap();
        assert_eq!(json, r#"{"pattern":"round {0}","values":["3"]}"#);
        assert_eq!(serde_json::from_str::<Phrase>(&json).unwrap(), phrase);
    }
}
