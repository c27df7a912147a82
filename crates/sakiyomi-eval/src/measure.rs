//! What is measured of a match. One table names every measure, says what it means and how it is
//! read, and everything else follows from it: what the store keeps, what experiment files and
//! claims may ask for, and what exports list. Results keep measures by name, so a new entry needs
//! no change of the store, and results of before simply lack it.

use std::collections::BTreeMap;
use std::fmt;

use sakiyomi_core::{Payoffs, Player};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::course::{CourseMeasures, winners};

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
    /// None if the match does not have it.
    read: fn(&Ended) -> Option<f64>,
}

/// What can be read from a match that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) payoffs: Payoffs,
    /// The player of the first agent.
    pub(crate) first: Player,
    pub(crate) n_players: usize,
    /// Steps in which players chose.
    pub(crate) n_turns: u32,
    /// Rounds that were begun, if the game counts rounds.
    pub(crate) n_rounds: Option<u32>,
    /// What each player has achieved, if the game measures progress.
    pub(crate) progress: Option<Payoffs>,
    /// What the game's own estimate says of the last state, if it has one.
    pub(crate) estimate: Option<Payoffs>,
    /// What was measured along the match; nothing if nothing was.
    pub(crate) course: CourseMeasures,
}

impl Ended {
    /// Something of every player but the first agent's.
    fn others<'a>(&self, each: &'a Payoffs) -> impl Iterator<Item = f64> + 'a {
        let first = self.first.index();
        let each = each.as_slice(self.n_players).iter().copied().enumerate();
        each.filter(move |(i, _)| *i != first).map(|(_, payoff)| payoff)
    }
}

/// All measures. New ones are added at the end.
pub const MEASURES: [MeasureEntry; 13] = [
    MeasureEntry {
        name: "payoff",
        label: "payoff",
        meaning: "the payoff of the first agent, from 0 to 1",
        of_first: true,
        read: |ended| Some(ended.payoffs[ended.first]),
    },
    MeasureEntry {
        name: "turns",
        label: "turns a game",
        meaning: "steps in which players chose",
        of_first: false,
        read: |ended| Some(f64::from(ended.n_turns)),
    },
    MeasureEntry {
        name: "length",
        label: "length of a game",
        meaning: "rounds that were begun, or turns if the game does not count rounds",
        of_first: false,
        read: |ended| Some(f64::from(ended.n_rounds.unwrap_or(ended.n_turns))),
    },
    MeasureEntry {
        name: "place",
        label: "place",
        meaning: "the place of the first agent, from 1; those with equal payoffs share the mean",
        of_first: true,
        read: |ended| {
            let own = ended.payoffs[ended.first];
            let before = ended.others(&ended.payoffs).filter(|&other| other > own).count();
            let equal = ended.others(&ended.payoffs).filter(|&other| other == own).count();
            Some(1.0 + before as f64 + 0.5 * equal as f64)
        },
    },
    MeasureEntry {
        name: "progress",
        label: "progress",
        meaning: "what the first agent has achieved at the end, if the game measures progress",
        of_first: true,
        read: |ended| Some(ended.progress?[ended.first]),
    },
    MeasureEntry {
        name: "share",
        label: "share of all progress",
        meaning: "what the first agent has achieved by what all have, if the game measures progress",
        of_first: true,
        read: |ended| {
            let progress = ended.progress?;
            let all: f64 = progress.as_slice(ended.n_players).iter().sum();
            (all > 0.0).then(|| progress[ended.first] / all)
        },
    },
    MeasureEntry {
        name: "ratio",
        label: "ratio to the best other",
        meaning: "what the first agent has achieved by what the best other has, if the game measures progress",
        of_first: true,
        read: |ended| {
            let progress = ended.progress?;
            let best = ended.others(&progress).fold(0.0, f64::max);
            (best > 0.0).then(|| progress[ended.first] / best)
        },
    },
    MeasureEntry {
        name: "estimate",
        label: "estimate of the last state",
        meaning: "the game's own estimate of the last state for the first agent, from 0 to 1: how clear a win was",
        of_first: true,
        read: |ended| Some(ended.estimate?[ended.first]),
    },
    MeasureEntry {
        name: "winners",
        label: "players with the best payoff",
        meaning: "the players with the best payoff: the sum of 1 for the first, 2 for the second, 4 for the third and so on",
        of_first: false,
        read: |ended| Some(f64::from(winners(&ended.payoffs, ended.n_players))),
    },
    MeasureEntry {
        name: "branching",
        label: "legal actions",
        meaning: "the mean number of legal actions of a choice; of matches of an agent against itself",
        of_first: false,
        read: |ended| ended.course.branching,
    },
    MeasureEntry {
        name: "forced",
        label: "share of forced choices",
        meaning: "the share of choices with one legal action; of matches of an agent against itself",
        of_first: false,
        read: |ended| ended.course.forced,
    },
    MeasureEntry {
        name: "lead-changes",
        label: "changes of the lead",
        meaning: "how often another player took the lead by what the players expected; of matches of a \
                  search against itself",
        of_first: false,
        read: |ended| ended.course.lead_changes,
    },
    MeasureEntry {
        name: "decided",
        label: "share of turns until it was decided",
        meaning: "the share of turns after which the winner always expected at least 0.9; of matches of a \
                  search against itself that one player won",
        of_first: false,
        read: |ended| ended.course.decided,
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
    pub const ESTIMATE: Measure = Measure(7);
    pub const WINNERS: Measure = Measure(8);
    pub const BRANCHING: Measure = Measure(9);
    pub const FORCED: Measure = Measure(10);
    pub const LEAD_CHANGES: Measure = Measure(11);
    pub const DECIDED: Measure = Measure(12);

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
        PerMeasure(MEASURES.map(|entry| (entry.read)(ended)))
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
        for (measure, name) in [
            (Measure::PAYOFF, "payoff"),
            (Measure::TURNS, "turns"),
            (Measure::LENGTH, "length"),
            (Measure::ESTIMATE, "estimate"),
        ] {
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
            n_players: 2,
            n_turns: 9,
            n_rounds: Some(3),
            progress: Some(Payoffs::of([0.1, 0.3])),
            estimate: Some(Payoffs::of([0.8, 0.2])),
            course: CourseMeasures { branching: Some(2.5), ..CourseMeasures::default() },
        };
        let of = |ended| Measures::read(&ended).0;
        let some = |each: [f64; 10]| each.map(|x| Some((x * 1e9).round() / 1e9));
        let rounded = |each: &[Option<f64>]| -> Vec<Option<f64>> {
            each.iter().map(|value| value.map(|x| (x * 1e9).round() / 1e9)).collect()
        };
        let all = some([0.75, 9.0, 3.0, 1.0, 0.3, 0.75, 3.0, 0.2, 2.0, 2.5]);
        assert_eq!(rounded(&of(ended)[..10]), all);
        assert_eq!(of(ended)[10..], [None; 3]);
        let without =
            Ended { n_rounds: None, first: Player(0), progress: None, estimate: None, ..ended };
        assert_eq!(of(without)[..4], [0.25, 9.0, 9.0, 2.0].map(Some));
        assert_eq!(of(without)[4..8], [None; 4]);
        let drawn = Ended { payoffs: Payoffs::of([0.5, 0.5, 0.0]), n_players: 3, ..ended };
        assert_eq!(of(drawn)[3], Some(1.5));
        let nothing = Ended { progress: Some(Payoffs::default()), ..ended };
        assert_eq!(of(nothing)[4..7], [Some(0.0), None, None], "nothing is no part of nothing");
    }

    #[test]
    fn measures_are_stored_by_name_and_may_be_missing() {
        let some: Measures = serde_json::from_str(r#"{"turns":7,"of the future":1.5}"#).unwrap();
        assert_eq!((some[Measure::TURNS], some[Measure::LENGTH]), (Some(7.0), None));
        assert_eq!(serde_json::to_string(&some).unwrap(), r#"{"turns":7.0}"#);
    }
}
