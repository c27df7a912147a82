//! Mizugame: the field is drawn by seed, one of several that chance draws, a file, or a word that says
//! it all. Every decision of the reconstruction is a parameter.

use std::path::Path;

use sakiyomi_games::Mizugame;
use sakiyomi_games::mizugame::{
    Effect, MAX_COMMANDS, MAX_MAPS, MAX_TEAMS, Map, MapSettings, Payoff, Rough, Settings, Symmetry,
    TieBreak,
};

use super::{GameSettings, Visitor};
use crate::compiled::compiled;
use crate::fields::Value;
use crate::parameter::{Defined, Definition, Domain, Parameter, Place, place, word_place};
use crate::read_text;

/// Fields, and how they are played on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MizugameSpec {
    pub field: FieldSource,
    /// In a box, since specifications of games are moved about and there are many settings.
    pub rules: Box<Settings>,
}

/// Where fields come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldSource {
    /// A map that is given: nothing else matters then.
    pub given: Option<GivenField>,
    /// The seed of the first map.
    pub seed: u64,
    /// Maps with this seed and those that follow it, of which chance draws one.
    pub maps: u32,
    pub settings: MapSettings,
}

/// A map that is given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GivenField {
    File(String),
    /// The map itself, as [`Map::code`] writes it.
    Code(String),
}

/// The place of a map that is given in one of the ways.
macro_rules! given_place {
    ($Way:ident) => {
        Place {
            get: |spec: &MizugameSpec| match &spec.field.given {
                Some(GivenField::$Way(text)) => Some(Value::Text(text.clone())),
                _ => None,
            },
            set: |spec, text| {
                spec.field.given = Some(GivenField::$Way(text.text().to_owned()));
                Ok(())
            },
        }
    };
}

/// The place of one of the two bounds of the number of jars.
macro_rules! jars_place {
    ($i:literal) => {
        Place {
            get: |spec: &MizugameSpec| Some(Value::Integer(spec.field.settings.jars[$i].into())),
            set: |spec, number| {
                let number = number.whole().and_then(|number| u8::try_from(number).ok());
                spec.field.settings.jars[$i] = number.ok_or("a number of jars is at most 60")?;
                Ok(())
            },
        }
    };
}

const MAP_PARAMETERS: [&str; 14] = [
    "seed",
    "maps",
    "file",
    "code",
    "teams",
    "symmetry",
    "walls",
    "rough-ground",
    "min-jars",
    "max-jars",
    "connected",
    "start-ring",
    "start-spread",
    "start-distance",
];

const PARAMETERS: &[Parameter<MizugameSpec>] = &[
    Parameter::integer("seed", 0..=u32::MAX as u64, place!(field.seed), "the map is drawn by it"),
    Parameter::integer(
        "maps",
        1..=MAX_MAPS as u64,
        place!(field.maps),
        "maps drawn by this seed and those that follow; chance takes one for each round of matches",
    ),
    Parameter::new("file", Domain::Text, given_place!(File), "a map file"),
    Parameter::new(
        "code",
        Domain::Text,
        given_place!(Code),
        "the map itself in one word; records of matches on files have it",
    ),
    Parameter::integer(
        "teams",
        2..=MAX_TEAMS as u64,
        place!(field.settings.teams),
        "teams of three robots",
    ),
    Parameter::new(
        "symmetry",
        Domain::Word(&["C6", "C2"]),
        word_place!(field.settings.symmetry, [("C6", Symmetry::SixFold), ("C2", Symmetry::Point)]),
        "all six seats are equal (C6), or only opposite ones, as in the contest (C2)",
    ),
    Parameter::integer(
        "sessions",
        2..=10_000,
        place!(rules.sessions),
        "sessions of 3 s; 140 in the final",
    ),
    Parameter::integer(
        "latency",
        0..=1,
        place!(rules.latency),
        "sessions until orders are carried out; 1 as in the contest",
    ),
    Parameter::new(
        "payoff",
        Domain::Word(&["rank", "first"]),
        word_place!(rules.payoff, [("rank", Payoff::Rank), ("first", Payoff::First)]),
        "the share of the others that are left behind, or one point for the first place",
    ),
    Parameter::integer(
        "session-frames",
        1..=10_000,
        place!(rules.session_frames),
        "frames of a session, 60 to the second",
    ),
    Parameter::integer(
        "commands",
        1..=MAX_COMMANDS as u64,
        place!(rules.max_commands),
        "the most commands of a robot in a session",
    ),
    Parameter::integer("move-frames", 1..=1_000, place!(rules.move_frames), "frames of a move"),
    Parameter::integer("suck-frames", 1..=1_000, place!(rules.suck_frames), "frames of a suck"),
    Parameter::integer(
        "refill-frames",
        1..=1_000,
        place!(rules.refill_frames),
        "frames of a refill",
    ),
    Parameter::integer("pour-frames", 1..=1_000, place!(rules.pour_frames), "frames of a pour"),
    Parameter::integer("wait-frames", 1..=1_000, place!(rules.wait_frames), "frames of a wait"),
    Parameter::integer(
        "rough-percent",
        100..=1_000,
        place!(rules.rough_percent),
        "how long an action takes on rough ground, in percent",
    ),
    Parameter::new(
        "rough",
        Domain::Word(&["standing", "entering"]),
        word_place!(rules.rough, [("standing", Rough::Standing), ("entering", Rough::Entering)]),
        "rough ground makes all actions on it longer, or moves into it",
    ),
    Parameter::new(
        "effect",
        Domain::Word(&["end", "start"]),
        word_place!(rules.effect, [("end", Effect::AtEnd), ("start", Effect::AtStart)]),
        "when an action changes the field",
    ),
    Parameter::flag(
        "rotates",
        place!(rules.rotates_order),
        "the team whose actions take effect first changes from session to session",
    ),
    Parameter::integer(
        "refill-units",
        1..=10_000,
        place!(rules.refill_units),
        "units of one refill",
    ),
    Parameter::integer("suck-gain", 0..=1, place!(rules.suck_gain), "units that a suck brings"),
    Parameter::integer("tank", 1..=1_000_000, place!(rules.tank_max), "units that a tank holds"),
    Parameter::integer("cell", 1..=255, place!(rules.cell_max), "units that a cell holds"),
    Parameter::flag("block", place!(rules.robots_block), "robots cannot share a cell"),
    Parameter::new(
        "tie-break",
        Domain::Word(&["field", "poured"]),
        word_place!(
            rules.tie_break,
            [("field", TieBreak::WaterOnField), ("poured", TieBreak::WaterPoured)]
        ),
        "water that decides between equal scores: on the field at the end, or all that was poured",
    ),
    Parameter::integer(
        "walls",
        0..=30,
        place!(field.settings.wall_percent),
        "percent of the cells",
    ),
    Parameter::integer(
        "rough-ground",
        0..=60,
        place!(field.settings.rough_percent),
        "percent of the cells",
    ),
    Parameter::integer("min-jars", 1..=60, jars_place!(0), "fewest jars of a map with C2"),
    Parameter::integer("max-jars", 1..=60, jars_place!(1), "most jars of a map with C2"),
    Parameter::integer(
        "connected",
        0..=100,
        place!(field.settings.connected_percent),
        "percent of the cells without walls that are connected, at least",
    ),
    Parameter::integer(
        "start-ring",
        6..=18,
        place!(field.settings.start_ring),
        "distance of the teams' starts from the centre",
    ),
    Parameter::integer(
        "start-spread",
        2..=8,
        place!(field.settings.start_spread),
        "most distance between the starts of a team's robots",
    ),
    Parameter::integer(
        "start-distance",
        1..=12,
        place!(field.settings.start_distance),
        "least distance between the starts of robots of different teams",
    ),
];

impl Defined for MizugameSpec {
    const DEFINITIONS: &'static [Definition<MizugameSpec>] = &[Definition {
        check: |spec, said| {
            let others = || said.iter().filter(|name| MAP_PARAMETERS.contains(name));
            match &spec.field.given {
                Some(_) if others().count() > 1 => Err(format!(
                    "a map that is given says it all, so only one of {} can be said",
                    others().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
                )),
                _ => Ok(()),
            }
        },
        ..Definition::new(
            "mizugame",
            "six teams of three robots water a field of hexagons; orders of all teams at once",
            || MizugameSpec {
                field: FieldSource {
                    given: None,
                    seed: 1,
                    maps: 1,
                    settings: MapSettings::default(),
                },
                rules: Box::default(),
            },
            PARAMETERS,
            "mizugame:seed=7,maps=3,teams=2,sessions=12",
        )
    }];
}

compiled!(Mizugame; with players);

impl GameSettings for MizugameSpec {
    fn open<V: Visitor>(&self, visitor: V) -> Result<V::Out, String> {
        let maps = self.field.maps()?;
        let game = Mizugame::new(maps, &self.rules).map_err(|error| error.to_string())?;
        Ok(visitor.visit(game))
    }

    fn opponents(&self) -> Option<[&'static str; 4]> {
        Some(["painter", "strong-painter", "mizugame-paper", "mizugame-best:cpu=500ms"])
    }

    fn presets() -> Vec<String> {
        ["mizugame", "mizugame:symmetry=C2", "mizugame:teams=2,sessions=40"]
            .map(String::from)
            .into()
    }

    fn file(&self) -> Option<&str> {
        match &self.field.given {
            Some(GivenField::File(path)) => Some(path),
            _ => None,
        }
    }

    /// A file becomes the map that it holds.
    fn make_portable(&mut self) -> Result<(), String> {
        if let Some(GivenField::File(path)) = &self.field.given {
            self.field.given = Some(GivenField::Code(read_map(path)?.code()));
        }
        Ok(())
    }
}

impl FieldSource {
    /// The maps themselves.
    pub fn maps(&self) -> Result<Vec<Map>, String> {
        let make = |seed| {
            Map::generate(&self.settings, seed).map_err(|error| format!("map {seed}: {error}"))
        };
        match &self.given {
            Some(GivenField::File(path)) => Ok(vec![read_map(path)?]),
            Some(GivenField::Code(code)) => Ok(vec![Map::from_code(code)?]),
            None => (self.seed..self.seed + u64::from(self.maps)).map(make).collect(),
        }
    }
}

fn read_map(path: &str) -> Result<Map, String> {
    let text = read_text(Path::new(path)).map_err(|error| format!("{path}: {error}"))?;
    Map::read(&text).map_err(|error| format!("{path}: {error}"))
}
