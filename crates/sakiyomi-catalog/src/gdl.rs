//! Games that are rule sheets: the project's own by name, any other by file.

use std::fs;
use std::sync::{LazyLock, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use sakiyomi_gdl::{GdlGame, Settings};

use crate::Parameter;
use crate::fields::{Fields, Reader};
use crate::{SpecError, fields};

pub(crate) const NAME: &str = "gdl";
const DEFAULT_SHEET: &str = "tic-tac-toe";

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
];

pub(crate) fn read(reader: &mut Reader) -> Result<RuleSheet, SpecError> {
    let bare = reader.bare(|text| text.ends_with(".kif").then(|| text.to_owned()));
    let named = reader.text("sheet");
    match (reader.text("file").or(bare), named) {
        (Some(_), Some(_)) => Err(reader.fields().error("either `sheet` or `file`, not both")),
        (Some(path), None) => Ok(RuleSheet::File(path)),
        (None, named) => Ok(RuleSheet::Named(named.unwrap_or_else(|| DEFAULT_SHEET.to_owned()))),
    }
}

pub(crate) fn write(sheet: &RuleSheet) -> Fields {
    match sheet {
        RuleSheet::Named(name) if name == DEFAULT_SHEET => Fields::new(NAME),
        RuleSheet::Named(name) => Fields::new(NAME).with("sheet", name.clone()),
        RuleSheet::File(path) => Fields::new(NAME).with("file", path.clone()),
    }
}

/// The game of a sheet. Rules that were compiled once are not compiled again.
pub(crate) fn load(sheet: &RuleSheet) -> Result<GdlGame, String> {
    static KNOWN: LazyLock<Mutex<FxHashMap<String, GdlGame>>> = LazyLock::new(Mutex::default);
    let text = text_of(sheet)?;
    if let Some(game) = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&text) {
        return Ok(game.clone());
    }
    let game = GdlGame::new(&text, &Settings::default()).map_err(|error| error.to_string())?;
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(text, game.clone());
    Ok(game)
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
            let game = load(&RuleSheet::Named((*name).to_owned())).unwrap();
            let mut state = game.start();
            let payoffs = game.playout(&mut state, &mut Scratch::default(), &mut Rng::new(1));
            assert!(
                payoffs.as_slice(game.players()).iter().all(|p| (0.0..=1.0).contains(p)),
                "{name}"
            );
        }
    }
}
