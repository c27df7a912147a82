//! Games that are rule sheets: the project's own by name, any other by file.

use std::fs;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;
use sakiyomi_gdl::{GdlGame, Limits, Settings};

use crate::Parameter;
use crate::fields::{Fields, Reader, bytes_text};
use crate::{SpecError, fields};

pub(crate) const NAME: &str = "gdl";
const DEFAULT_SHEET: &str = "tic-tac-toe";

/// A game from its rules, and what making it may cost.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GdlSpec {
    pub sheet: RuleSheet,
    /// CPU time that grounding may take. Beyond it the rules are interpreted.
    pub time: Duration,
    /// Bytes that grounding may take, roughly. Beyond them the rules are interpreted.
    pub memory: u64,
}

/// Where rules come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RuleSheet {
    /// One of the sheets in games/gdl, which are always there.
    Named(String),
    /// A file in the Game Description Language.
    File(String),
}

macro_rules! sheets {
    ($($name:literal: $file:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../games/gdl/", $file, ".kif")))),*]
    };
}

/// The sheets that are always there, by name.
const SHEETS: &[(&str, &str)] = sheets![
    "tic-tac-toe": "tic_tac_toe",
    "connect-four": "connect_four",
    "connect-five": "connect_five",
    "breakthrough": "breakthrough",
    "breakthrough-small": "breakthrough_small",
    "knightthrough": "knightthrough",
    "pawn-whopping": "pawn_whopping",
    "pawn-whopping-corrected": "pawn_whopping_corrected",
    "ttcc4": "ttcc4",
    "checkers": "checkers",
    "checkers-small": "checkers_small",
    "sheep-and-wolf": "sheep_and_wolf",
    "free-for-all": "free_for_all",
    "golden-rectangle": "golden_rectangle",
    "tug-of-war": "tug_of_war",
    "sliding-eight": "sliding_eight",
    "melting-ice": "melting_ice",
    "pig": "pig",
];

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "sheet",
        default: DEFAULT_SHEET,
        meaning: "one of the rule sheets in games/gdl, such as connect-four or sliding-eight",
    },
    Parameter { name: "file", default: "none", meaning: "a rule sheet of your own, a .kif file" },
    Parameter {
        name: "time",
        default: "20s",
        meaning: "CPU time for grounding; beyond it the rules are interpreted, which is slow",
    },
    Parameter {
        name: "memory",
        default: "600MB",
        meaning: "memory for grounding; beyond it the rules are interpreted, which is slow",
    },
];

const DEFAULT_TIME: Duration = Duration::from_secs(20);
const DEFAULT_MEMORY: u64 = 600_000_000;

impl GdlSpec {
    /// A sheet, with the default limits.
    pub fn new(sheet: RuleSheet) -> GdlSpec {
        GdlSpec { sheet, time: DEFAULT_TIME, memory: DEFAULT_MEMORY }
    }

    /// The rules as they were written.
    pub fn text(&self) -> Result<String, SpecError> {
        text_of(&self.sheet).map_err(|message| write(self).error(message))
    }

    /// The game. Rules that were compiled once are not compiled again.
    pub fn load(&self) -> Result<GdlGame, SpecError> {
        type Key = (String, Duration, u64);
        static KNOWN: LazyLock<Mutex<FxHashMap<Key, GdlGame>>> = LazyLock::new(Mutex::default);
        let key = (self.text()?, self.time, self.memory);
        if let Some(game) = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(game.clone());
        }
        let limits = Limits::new(self.time, self.memory);
        let settings = Settings { limits, ..Settings::default() };
        let game = GdlGame::new(&key.0, &settings)
            .map_err(|error| write(self).error(error.to_string()))?;
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(key, game.clone());
        Ok(game)
    }
}

pub(crate) fn read(reader: &mut Reader) -> Result<GdlSpec, SpecError> {
    let bare = reader.bare(|text| text.ends_with(".kif").then(|| text.to_owned()));
    let named = reader.text("sheet");
    let sheet = match (reader.text("file").or(bare), named) {
        (Some(_), Some(_)) => {
            return Err(reader.fields().error("either `sheet` or `file`, not both"));
        }
        (Some(path), None) => RuleSheet::File(path),
        (None, named) => RuleSheet::Named(named.unwrap_or_else(|| DEFAULT_SHEET.to_owned())),
    };
    let time = reader.duration("time")?.unwrap_or(DEFAULT_TIME);
    let memory = reader.bytes("memory")?.unwrap_or(DEFAULT_MEMORY);
    Ok(GdlSpec { sheet, time, memory })
}

pub(crate) fn write(spec: &GdlSpec) -> Fields {
    let fields = match &spec.sheet {
        RuleSheet::Named(name) if name == DEFAULT_SHEET => Fields::new(NAME),
        RuleSheet::Named(name) => Fields::new(NAME).with("sheet", name.clone()),
        RuleSheet::File(path) => Fields::new(NAME).with("file", path.clone()),
    };
    let memory = (spec.memory != DEFAULT_MEMORY).then(|| bytes_text(spec.memory));
    fields.with_unless("time", spec.time, DEFAULT_TIME).with_some("memory", memory)
}

fn text_of(sheet: &RuleSheet) -> Result<String, String> {
    match sheet {
        RuleSheet::Named(name) => {
            let known = SHEETS.iter().find(|(known, _)| known == name);
            known.map(|(_, text)| (*text).to_owned()).ok_or_else(|| {
                let names: Vec<&str> = SHEETS.iter().map(|(name, _)| *name).collect();
                let suggestion = fields::suggestion(name, &names);
                format!("no sheet is called `{name}`{suggestion}; known: {}", names.join(", "))
            })
        }
        RuleSheet::File(path) => {
            let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
            // Old sheets have stray bytes in their comments.
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::{Game, Rng, Scratch};

    #[test]
    fn every_sheet_is_a_game_that_ends() {
        for (name, _) in SHEETS {
            let game = GdlSpec::new(RuleSheet::Named((*name).to_owned())).load().unwrap();
            let mut state = game.start();
            let payoffs = game.playout(&mut state, &mut Scratch::default(), &mut Rng::new(1));
            assert!(
                payoffs.as_slice(game.players()).iter().all(|p| (0.0..=1.0).contains(p)),
                "{name}"
            );
        }
    }

    #[test]
    fn limits_of_grounding_are_settings() {
        let open = |text: &str| match text.parse().unwrap() {
            crate::GameSpec::Gdl(spec) => spec.load().unwrap(),
            _ => unreachable!(),
        };
        assert_eq!(open("gdl:sheet=connect-five").notice(), None);
        let tight = open("gdl:sheet=connect-five,memory=100KB,time=5s");
        assert!(tight.notice().unwrap().contains("interpreted"), "{:?}", tight.notice());
        let text = "gdl:sheet=connect-five,time=5s,memory=1MiB";
        assert_eq!(text.parse::<crate::GameSpec>().unwrap().to_string(), text);
    }
}
