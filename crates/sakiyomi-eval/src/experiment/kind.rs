//! The kinds of experiments.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// How cells are made and laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Duels,
    RoundRobin,
    Curve,
    Exploitability,
    Probe,
    Features,
    Evolution,
    Histogram,
    Sweep,
    Game,
}

impl Kind {
    pub const ALL: [Kind; 10] = [
        Kind::Duels,
        Kind::RoundRobin,
        Kind::Curve,
        Kind::Exploitability,
        Kind::Probe,
        Kind::Features,
        Kind::Evolution,
        Kind::Histogram,
        Kind::Sweep,
        Kind::Game,
    ];

    /// As files write it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Duels => "duels",
            Kind::RoundRobin => "round-robin",
            Kind::Curve => "curve",
            Kind::Exploitability => "exploitability",
            Kind::Probe => "probe",
            Kind::Features => "features",
            Kind::Evolution => "evolution",
            Kind::Histogram => "histogram",
            Kind::Sweep => "sweep",
            Kind::Game => "game",
        }
    }

    /// Whether it consists of measurements, not of games.
    pub fn is_measured(self) -> bool {
        matches!(self, Kind::Exploitability | Kind::Probe | Kind::Features | Kind::Evolution)
    }

    /// What its cells consist of.
    pub fn counted(self) -> &'static str {
        if self.is_measured() { "runs" } else { "games" }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Kind, String> {
        Kind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let known = Kind::ALL.map(Kind::name).join(", ");
            format!("`{text}` is no kind of experiment; known: {known}")
        })
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
