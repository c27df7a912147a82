//! What is measured of a match. One table names every measure, says what it means and how it is read, and
//! everything else follows from it: what the store keeps, what experiment files and claims may ask for, and what
//! exports list. Results keep measures by name, so a new entry needs no change of the store, and results of
//! before simply lack it.

use std::collections::BTreeMap;
use std::fmt;

use sakiyomi_core::{Payoffs, Player};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct MeasureEntry {
    /// As it is stored, exported and asked for.
    pub name: &'static str,
    /// What a figure writes beside its axis.
    pub label: &'static str,
    pub meaning: &'static str,
    /// Whether it is of the first agent alone, and says nothing of the second.
    pub of_first: bool,
    read: fn(&Ended) -> f64,
}

/// What can be read from a match that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) payoffs: Payoffs,
    /// The player of the first agent.
    pub(crate) first: Player,
    /// Steps in which players chose.
    pub(crate) n_turns: u32,
    /// Rounds that were begun, if the game counts rounds.
    pub(crate) n_rounds: Option<u32>,
}

/// All measures. New ones are added at the end.
pub const MEASURES: [MeasureEntry; 3] = [
    MeasureEntry {
        name: "payoff",
        label: "payoff",
        meaning: "the payoff of the first agent, from 0 to 1",
        of_first: true,
        read: |ended| ended.payoffs[ended.first],
    },
    MeasureEntry {
        name: "turns",
        label: "turns a game",
        meaning: "steps in which players chose",
        of_first: false,
        read: |ended| f64::from(ended.n_turns),
    },
    MeasureEntry {
        name: "length",
        label: "length of a game",
        meaning: "rounds that were begun, or turns if the game does not count rounds",
        of_first: false,
        read: |ended| f64::from(ended.n_rounds.unwrap_or(ended.n_turns)),
    },
];

const N_MEASURES: usize = MEASURES.len();

/// A measure, by its place in the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Measure(usize);

impl Measure {
    pub const PAYOFF: Measure = Measure(0);
    pub const TURNS: Measure = Measure(1);
    pub const LENGTH: Measure = Measure(2);

    pub fn all() -> impl Iterator<Item = Measure> {
        (0..N_MEASURES).map(Measure)
    }

    pub fn named(name: &str) -> Option<Measure> {
        Measure::all().find(|measure| measure.entry().name == name)
    }

    pub fn entry(self) -> &'static MeasureEntry {
        &MEASURES[self.0]
    }
}

impl fmt::Debug for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry().name)
    }
}

/// One value per measure: of one match, or whatever else is kept per measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerMeasure<T>([T; N_MEASURES]);

/// The measures of one match. Those that were not known when it was played are missing.
pub type Measures = PerMeasure<Option<f64>>;

impl<T> PerMeasure<T> {
    pub fn iter(&self) -> impl Iterator<Item = (Measure, &T)> {
        Measure::all().zip(&self.0)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Measure, &mut T)> {
        Measure::all().zip(&mut self.0)
    }
}

impl<T> std::ops::Index<Measure> for PerMeasure<T> {
    type Output = T;
    fn index(&self, measure: Measure) -> &T {
        &self.0[measure.0]
    }
}

impl<T> std::ops::IndexMut<Measure> for PerMeasure<T> {
    fn index_mut(&mut self, measure: Measure) -> &mut T {
        &mut self.0[measure.0]
    }
}

impl Measures {
    pub(crate) fn read(ended: &Ended) -> Measures {
        PerMeasure(MEASURES.map(|entry| Some((entry.read)(ended))))
    }
}

impl Serialize for Measures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (measure, value) in self.iter() {
            if let Some(value) = value {
                map.serialize_entry(measure.entry().name, value)?;
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Measures {
    /// A name that this version does not know is left out.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Measures, D::Error> {
        let named = BTreeMap::<String, f64>::deserialize(deserializer)?;
        let mut measures = Measures::default();
        for (name, value) in named {
            if let Some(measure) = Measure::named(&name) {
                measures[measure] = Some(value);
            }
        }
        Ok(measures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_stand_where_the_table_says() {
        for (measure, name) in
            [(Measure::PAYOFF, "payoff"), (Measure::TURNS, "turns"), (Measure::LENGTH, "length")]
        {
            assert_eq!(Measure::named(name), Some(measure));
        }
        let names: Vec<&str> = MEASURES.iter().map(|entry| entry.name).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), names.len(), "two measures have the same name");
    }

    #[test]
    fn measures_are_read_from_a_match() {
        let ended = Ended {
            payoffs: Payoffs::of([0.25, 0.75]),
            first: Player(1),
            n_turns: 9,
            n_rounds: Some(3),
        };
        let of = |ended| Measures::read(&ended).0.map(Option::unwrap);
        assert_eq!(of(ended), [0.75, 9.0, 3.0]);
        assert_eq!(of(Ended { n_rounds: None, first: Player(0), ..ended }), [0.25, 9.0, 9.0]);
    }

    #[test]
    fn measures_are_stored_by_name_and_may_be_missing() {
        let some: Measures = serde_json::from_str(r#"{"turns":7,"of the future":1.5}"#).unwrap();
        assert_eq!((some[Measure::TURNS], some[Measure::LENGTH]), (Some(7.0), None));
        assert_eq!(serde_json::to_string(&some).unwrap(), r#"{"turns":7.0}"#);
    }
}
