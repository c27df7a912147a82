//! TUBSTAP: a map is one of ours, a file, a word that says it all, or drawn by seed.

use std::path::Path;

use sakiyomi_core::Rng;
use sakiyomi_games::tubstap::{
    Attacks, Generator, Large, Map, Medium, Settings, SizeClass, Small, read_map,
};

use super::{GameSettings, Visitor};
use crate::compiled::compiled;
use crate::fields::{Value, suggestion};
use crate::parameter::{Defined, Definition, Domain, Parameter, Place, place, word_place};
use crate::{MAX_TEXT_BYTES, read_bytes};

/// A map, and how it is played.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TubstapSpec {
    pub map: MapSource,
    pub settings: Settings,
}

/// Where a map comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MapSource {
    /// One of the maps in games/tubstap, which are always there.
    Named(String),
    /// A `.tbsmap` file.
    File(String),
    /// The map itself, as [`Map::code`] writes it.
    Code(String),
    /// Drawn by this seed.
    Seed(u64),
}

macro_rules! maps {
    ($($name:literal: $file:literal),+ $(,)?) => {
        &[$((
            $name,
            include_bytes!(concat!("../../maps/", $file, ".tbsmap")) as &[u8],
        )),+]
    };
}

/// The maps that are always there: those that were drawn by hand, and those that evolution found.
const MAPS: &[(&str, &[u8])] = maps![
    "ford": "ford",
    "pass": "pass",
    "coast": "coast",
    "air": "air",
    "fair-01": "fair/01",
    "fair-02": "fair/02",
    "fair-03": "fair/03",
    "fair-04": "fair/04",
    "fair-05": "fair/05",
    "fair-06": "fair/06",
    "fair-07": "fair/07",
    "fair-08": "fair/08",
    "fair-09": "fair/09",
    "fair-10": "fair/10",
];
/// The first of them, which lists of presets show.
const N_DRAWN_BY_HAND: usize = 4;

/// The place of a map that is given in one of the ways.
macro_rules! map_place {
    ($Way:ident) => {
        Place {
            get: |spec: &TubstapSpec| match &spec.map {
                MapSource::$Way(text) => Some(Value::Text(text.clone())),
                _ => None,
            },
            set: |spec, text| {
                spec.map = MapSource::$Way(text.text().to_owned());
                Ok(())
            },
        }
    };
}

const MAP: Parameter<TubstapSpec> = Parameter::new(
    "map",
    Domain::Text,
    map_place!(Named),
    "one of ford, pass, coast, air, and fair-01 to fair-10, which evolution found",
);
const FILE: Parameter<TubstapSpec> =
    Parameter::new("file", Domain::Text, map_place!(File), "a .tbsmap file");
const CODE: Parameter<TubstapSpec> = Parameter::new(
    "code",
    Domain::Text,
    map_place!(Code),
    "the map itself in one word; records of matches on files have it",
);
const SEED: Parameter<TubstapSpec> = Parameter::integer(
    "seed",
    0..=u32::MAX as u64,
    Place {
        get: |spec| match spec.map {
            MapSource::Seed(seed) => Some(Value::Integer(seed)),
            _ => None,
        },
        set: |spec, seed| {
            spec.map = MapSource::Seed(seed.whole().unwrap_or_default());
            Ok(())
        },
    },
    "a random map of 6x10 cells with five units a side, drawn by this seed",
);
const ATTACKS: Parameter<TubstapSpec> = Parameter::new(
    "attacks",
    Domain::Word(&["effective", "power", "all"]),
    word_place!(
        settings.attacks,
        [("effective", Attacks::Effective), ("power", Attacks::Power), ("all", Attacks::All)]
    ),
    "attacks that are legal: those that do damage, those of a kind that can, or all",
);
const NOISE_HP: Parameter<TubstapSpec> = Parameter::flag(
    "noise-hp",
    place!(settings.noise_hp),
    "every unit gains or loses a hit point before the start",
);
const NOISE_POSITION: Parameter<TubstapSpec> = Parameter::flag(
    "noise-position",
    place!(settings.noise_position),
    "every unit is shifted by a step before the start",
);
const SWAPPED: Parameter<TubstapSpec> = Parameter::flag(
    "swapped",
    place!(settings.swapped),
    "the sides have exchanged their units and BLUE moves first",
);

impl Defined for TubstapSpec {
    const DEFINITIONS: &'static [Definition<TubstapSpec>] = &[Definition {
        bare: |text| {
            text.ends_with(".tbsmap").then(|| vec![("file", Value::Text(text.to_owned()))])
        },
        check: |_, said| {
            let sources = said.iter().filter(|name| ["map", "file", "code", "seed"].contains(name));
            match sources.count() {
                0 | 1 => Ok(()),
                _ => Err("only one of `map`, `file`, `code` and `seed`".to_owned()),
            }
        },
        ..Definition::new(
            "tubstap",
            "turn-based tactics with six kinds of units on any TUBSTAP map",
            || TubstapSpec {
                map: MapSource::Named(MAPS[0].0.to_owned()),
                settings: Settings::default(),
            },
            &[MAP, FILE, CODE, SEED, ATTACKS, NOISE_HP, NOISE_POSITION, SWAPPED],
            "tubstap:map=pass",
        )
    }];
}

compiled!(Small, Medium, Large; with players);

impl GameSettings for TubstapSpec {
    fn open<V: Visitor>(&self, visitor: V) -> Result<V::Out, String> {
        let map = self.map.read()?;
        let fault = |fault: sakiyomi_games::tubstap::MapFault| fault.to_string();
        // The smallest size that holds the map is the fastest.
        Ok(match SizeClass::of(&map) {
            SizeClass::Small => visitor.visit(Small::new(&map, self.settings).map_err(fault)?),
            SizeClass::Medium => visitor.visit(Medium::new(&map, self.settings).map_err(fault)?),
            SizeClass::Large => visitor.visit(Large::new(&map, self.settings).map_err(fault)?),
        })
    }

    fn presets() -> Vec<String> {
        MAPS[..N_DRAWN_BY_HAND].iter().map(|(name, _)| format!("tubstap:map={name}")).collect()
    }

    fn opponents(&self) -> Option<[&'static str; 4]> {
        Some(["random", "sample", "m-uct:iterations=500", "tubstap-best:cpu=200ms"])
    }

    fn warnings(&self) -> Vec<String> {
        let MapSource::File(path) = &self.map else { return Vec::new() };
        let read = self.map.read_with_warnings().map(|(_, warnings)| warnings);
        let warnings = read.unwrap_or_default().into_iter();
        warnings.map(|warning| format!("{path}: {warning}")).collect()
    }

    fn file(&self) -> Option<&str> {
        match &self.map {
            MapSource::File(path) => Some(path),
            _ => None,
        }
    }

    /// A file becomes the map that it holds.
    fn make_portable(&mut self) -> Result<(), String> {
        if let MapSource::File(_) = self.map {
            self.map = MapSource::Code(self.map.read()?.code());
        }
        Ok(())
    }
}

impl MapSource {
    /// The map itself.
    pub fn read(&self) -> Result<Map, String> {
        self.read_with_warnings().map(|(map, _)| map)
    }

    /// The map, and what is odd about its file though it can be played.
    pub fn read_with_warnings(&self) -> Result<(Map, Vec<String>), String> {
        let read = |bytes: &[u8]| {
            let (map, warnings) = read_map(bytes).map_err(|error| error.to_string())?;
            Ok((map, warnings.iter().map(ToString::to_string).collect()))
        };
        match self {
            MapSource::Named(name) => {
                let known = MAPS.iter().find(|(known, _)| known == name);
                let (_, bytes) = known.ok_or_else(|| {
                    let names: Vec<&str> = MAPS.iter().map(|(name, _)| *name).collect();
                    let suggestion = suggestion(name, &names);
                    format!("no map is called `{name}`{suggestion}; known: {}", names.join(", "))
                })?;
                read(bytes)
            }
            MapSource::File(path) => {
                let bytes = read_bytes(Path::new(path), MAX_TEXT_BYTES)
                    .map_err(|error| format!("{path}: {error}"))?;
                read(&bytes).map_err(|error: String| format!("{path}: {error}"))
            }
            MapSource::Code(code) => Ok((Map::from_code(code)?, Vec::new())),
            MapSource::Seed(seed) => {
                Ok((Generator::default().generate(&mut Rng::new(*seed))?, Vec::new()))
            }
        }
    }
}
