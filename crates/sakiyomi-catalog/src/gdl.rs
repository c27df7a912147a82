//! Games that are rule sheets: the project's own by name, any other by file.

use std::fs;
use std::sync::{LazyLock, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use sakiyomi_gdl::{GdlError, GdlGame, Settings};

use crate::Parameter;
use crate::fields::{Fields, Reader};
use crate::{GameSpec, SpecError, fields};

pub(crate) const NAME: &str = "gdl";
const DEFAULT_SHEET: &str = "tic-tac-toe";

/// Where rules come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RuleSheet {
    /// One of the sheets in games/gdl, which are always there.
    Named(String),
    /// A file in the Game Description Language.
    File(String),
    /// Rules that were handed over as text, by the name that [`keep_rules`] gave them.
    Kept(String),
}

/// Texts that are kept at the same time; the oldest goes first.
const MOST_KEPT: usize = 64;

/// Rules that were handed over, oldest first.
static KEPT: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// Keeps the text of rules until the program ends, so that they can be played as a game. The same
/// text always makes the same game. An error is one of the rules, with line and column.
pub fn keep_rules(text: &str) -> Result<GameSpec, GdlError> {
    GdlGame::new(text, &Settings::default())?;
    let name = content_name(text);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.retain(|(known, _)| *known != name);
    if kept.len() == MOST_KEPT {
        kept.remove(0);
    }
    kept.push((name.clone(), text.to_owned()));
    Ok(GameSpec::Gdl(RuleSheet::Kept(name)))
}

/// Whether rules of this name are kept.
pub fn keeps_rules(name: &str) -> bool {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.iter().any(|(known, _)| known == name)
}

/// A name that follows from the text alone: FNV-1a of 128 bits. The letter keeps it from looking like
/// a number.
fn content_name(text: &str) -> String {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let hash = text.bytes().fold(START, |hash, b| (hash ^ u128::from(b)).wrapping_mul(PRIME));
    format!("r{hash:032x}")
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
    Parameter { name: "rules", default: "none", meaning: "rules that were handed to the web page" },
];

pub(crate) fn read(reader: &mut Reader) -> Result<RuleSheet, SpecError> {
    let bare = reader.bare(|text| text.ends_with(".kif").then(|| text.to_owned()));
    let sources = [
        reader.text("sheet").map(RuleSheet::Named),
        reader.text("file").or(bare).map(RuleSheet::File),
        reader.text("rules").map(RuleSheet::Kept),
    ];
    let mut given = sources.into_iter().flatten();
    match (given.next(), given.next()) {
        (Some(_), Some(_)) => Err(reader.fields().error("only one of `sheet`, `file` and `rules`")),
        (Some(sheet), None) => Ok(sheet),
        (None, _) => Ok(RuleSheet::Named(DEFAULT_SHEET.to_owned())),
    }
}

pub(crate) fn write(sheet: &RuleSheet) -> Fields {
    match sheet {
        RuleSheet::Named(name) if name == DEFAULT_SHEET => Fields::new(NAME),
        RuleSheet::Named(name) => Fields::new(NAME).with("sheet", name.clone()),
        RuleSheet::File(path) => Fields::new(NAME).with("file", path.clone()),
        RuleSheet::Kept(name) => Fields::new(NAME).with("rules", name.clone()),
    }
}

/// Compiled rules that are kept; beyond that all are compiled anew.
const MOST_COMPILED: usize = 256;

/// The names of the sheets that are always there.
pub(crate) fn sheet_names() -> impl Iterator<Item = &'static str> {
    SHEETS.iter().map(|(name, _)| *name)
}

/// The game of a sheet. Rules that were compiled once are not compiled again.
pub(crate) fn load(sheet: &RuleSheet) -> Result<GdlGame, String> {
    static KNOWN: LazyLock<Mutex<FxHashMap<String, GdlGame>>> = LazyLock::new(Mutex::default);
    let text = text_of(sheet)?;
    if let Some(game) = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&text) {
        return Ok(game.clone());
    }
    let game = GdlGame::new(&text, &Settings::default()).map_err(|error| error.to_string())?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= MOST_COMPILED {
        known.clear();
    }
    known.insert(text, game.clone());
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
        RuleSheet::Kept(name) => {
            let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
            let text = kept.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone());
            text.ok_or_else(|| {
                format!("the rules `{name}` are not known; hand over their text again")
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
    fn rules_are_kept_by_their_content() {
        let text = text_of(&RuleSheet::Named("tic-tac-toe".to_owned())).unwrap();
        let game = keep_rules(&text).unwrap();
        assert_eq!(keep_rules(&text).unwrap(), game);
        assert_eq!(game.to_string().parse::<GameSpec>().unwrap(), game);
        assert_eq!(game.players().unwrap(), 2);
        let unknown: GameSpec = "gdl:rules=r0".parse().unwrap();
        assert!(unknown.players().unwrap_err().message.contains("hand over their text again"));
        let broken = keep_rules("(role white").unwrap_err();
        assert!(broken.to_string().contains("line 1"), "{broken}");
    }

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
