//! Games that are rule sheets: the project's own by name, any other by file.

use std::io;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use sakiyomi_gdl::{GdlError, GdlGame, Limits, Progress, Settings, size};

use super::{GameSettings, Visitor};
use crate::cancel::current_stop;
use crate::compiled::compiled;
use crate::fields::{Value, suggestion};
use crate::kept_rules::kept_rules;
use crate::parameter::{Defined, Definition, Domain, Parameter, Place, place};
use crate::shared_rules::SharedRules;
use crate::{GameSpec, MAX_TEXT_BYTES, SpecError, read_bytes, read_text};

const DEFAULT_SHEET: &str = "tic-tac-toe";

/// A game from its rules, and what making it may cost.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GdlSpec {
    pub sheet: RuleSheet,
    /// CPU time until the game is ready, of which grounding has most; where that does not suffice
    /// the rules are interpreted. A position that is interpreted may take as long again.
    pub time: Duration,
    /// Bytes that are held meanwhile, roughly.
    pub memory: u64,
}

/// Where rules come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RuleSheet {
    /// One of the sheets in games/gdl, which are always there.
    Named(String),
    /// A file in the Game Description Language.
    File(String),
    /// Rules that were handed over as text, by the name that [`crate::keep_rules`] gave them.
    Kept(String),
}

/// A sheet that is always there.
struct KnownSheet {
    name: &'static str,
    rules: &'static str,
    /// How it is drawn, where the rules do not tell.
    picture: Option<&'static str>,
}

macro_rules! sheet {
    ($name:literal, $file:literal) => {
        KnownSheet {
            name: $name,
            rules: include_str!(concat!("../../sheets/", $file, ".kif")),
            picture: None,
        }
    };
    ($name:literal, $file:literal, drawn) => {
        KnownSheet {
            picture: Some(include_str!(concat!("../../sheets/", $file, ".toml"))),
            ..sheet!($name, $file)
        }
    };
}

const SHEETS: &[KnownSheet] = &[
    sheet!("tic-tac-toe", "tic_tac_toe"),
    sheet!("connect-four", "connect_four"),
    sheet!("connect-five", "connect_five"),
    sheet!("breakthrough", "breakthrough"),
    sheet!("breakthrough-small", "breakthrough_small"),
    sheet!("knightthrough", "knightthrough"),
    sheet!("pawn-whopping", "pawn_whopping"),
    sheet!("pawn-whopping-corrected", "pawn_whopping_corrected"),
    sheet!("ttcc4", "ttcc4", drawn),
    sheet!("checkers", "checkers", drawn),
    sheet!("checkers-small", "checkers_small", drawn),
    sheet!("checkers-tiny", "checkers_tiny", drawn),
    sheet!("sheep-and-wolf", "sheep_and_wolf"),
    sheet!("free-for-all", "free_for_all"),
    sheet!("golden-rectangle", "golden_rectangle"),
    sheet!("tug-of-war", "tug_of_war"),
    sheet!("sliding-eight", "sliding_eight"),
    sheet!("melting-ice", "melting_ice", drawn),
    sheet!("pig", "pig"),
    sheet!("hex", "hex", drawn),
];

/// The place of a sheet that is named in one of the ways.
macro_rules! sheet_place {
    ($Way:ident) => {
        Place {
            get: |spec: &GdlSpec| match &spec.sheet {
                RuleSheet::$Way(name) => Some(Value::Text(name.clone())),
                _ => None,
            },
            set: |spec, name| {
                spec.sheet = RuleSheet::$Way(name.text().to_owned());
                Ok(())
            },
        }
    };
}

const SHEET: Parameter<GdlSpec> = Parameter::new(
    "sheet",
    Domain::Text,
    sheet_place!(Named),
    "one of the rule sheets in games/gdl, such as connect-four or sliding-eight",
);
const FILE: Parameter<GdlSpec> = Parameter::new(
    "file",
    Domain::Text,
    sheet_place!(File),
    "a rule sheet of your own, a .kif file",
);
const RULES: Parameter<GdlSpec> = Parameter::new(
    "rules",
    Domain::Text,
    sheet_place!(Kept),
    "rules that were handed to the web page",
);
const TIME: Parameter<GdlSpec> = Parameter::new(
    "time",
    Domain::Time,
    place!(time),
    "CPU time until the game is ready; if grounding needs most of it the rules are interpreted, \
     which is slow, and every position may take as long",
);
const MEMORY: Parameter<GdlSpec> = Parameter::new(
    "memory",
    Domain::Bytes,
    Place {
        get: |spec| Some(Value::Bytes(spec.memory)),
        set: |spec, bytes| {
            spec.memory = bytes.bytes();
            Ok(())
        },
    },
    "memory for grounding; beyond it the rules are interpreted, which is slow and has the same limit",
);

impl Defined for GdlSpec {
    const DEFINITIONS: &'static [Definition<GdlSpec>] = &[Definition {
        bare: |text| text.ends_with(".kif").then(|| vec![("file", Value::Text(text.to_owned()))]),
        check: |_, said| {
            let sources = said.iter().filter(|name| ["sheet", "file", "rules"].contains(name));
            match sources.count() {
                0 | 1 => Ok(()),
                _ => Err("only one of `sheet`, `file` and `rules`".to_owned()),
            }
        },
        ..Definition::new(
            "gdl",
            "any game from its rules in the Game Description Language",
            || GdlSpec::new(RuleSheet::Named(DEFAULT_SHEET.to_owned())),
            &[SHEET, FILE, RULES, TIME, MEMORY],
            "gdl:sheet=connect-four",
        )
    }];
}

compiled!(GdlGame; at once);

impl GameSettings for GdlSpec {
    fn open<V: Visitor>(&self, visitor: V) -> Result<V::Out, String> {
        self.compile().map(|game| visitor.visit(game)).map_err(|error| error.to_string())
    }

    fn presets() -> Vec<String> {
        SHEETS.iter().map(|known| format!("gdl:sheet={}", known.name)).collect()
    }

    fn file(&self) -> Option<&str> {
        match &self.sheet {
            RuleSheet::File(path) => Some(path),
            RuleSheet::Named(_) | RuleSheet::Kept(_) => None,
        }
    }
}

/// What compiled rules may take together; beyond that those go that were not used for longest.
const MAX_COMPILED_BYTES: u64 = 256 << 20;

const DEFAULT_TIME: Duration = Duration::from_secs(20);
const DEFAULT_MEMORY: u64 = 600_000_000;

impl GdlSpec {
    /// A sheet, with the default limits.
    pub fn new(sheet: RuleSheet) -> GdlSpec {
        GdlSpec { sheet, time: DEFAULT_TIME, memory: DEFAULT_MEMORY }
    }

    /// The rules as they were written.
    pub fn text(&self) -> Result<String, SpecError> {
        self.sheet.files().map(|files| files.rules).map_err(|message| self.error(message))
    }

    /// The game. Rules that were compiled once are not compiled again.
    pub fn load(&self) -> Result<GdlGame, SpecError> {
        self.compile().map_err(|error| self.error(error.to_string()))
    }

    fn error(&self, message: String) -> SpecError {
        GameSpec::from(self.clone()).to_fields().error(message)
    }

    /// The game, or what is wrong with its rules, with line and column where they have one. The
    /// work of [`crate::cancellable`] ends it.
    pub(crate) fn compile(&self) -> Result<GdlGame, CompileError> {
        type Key = (Files, Duration, u64);
        static KNOWN: LazyLock<SharedRules<Key, GdlGame>> =
            LazyLock::new(|| SharedRules::new(MAX_COMPILED_BYTES));
        let key = (self.sheet.files().map_err(CompileError::File)?, self.time, self.memory);
        let stop = current_stop();
        let with_stop = |game: GdlGame| match &stop {
            Some(stop) => game.with_stop(Arc::clone(stop)),
            None => game,
        };
        if let Some(game) = KNOWN.get(&key) {
            return Ok(with_stop(game));
        }
        let limits = Limits::new(self.time, self.memory);
        let settings = Settings { limits, ..Settings::default() };
        let (rules, picture) = (&key.0.rules, key.0.picture.as_deref());
        let mut goes_on = |_: &Progress| !stop.as_ref().is_some_and(|stop| stop.requested());
        let game = GdlGame::watched(rules, &settings, picture, &mut goes_on)?;
        let n_bytes = bytes_of(&game, rules);
        KNOWN.put(key, game.clone(), n_bytes);
        Ok(with_stop(game))
    }
}

/// Why a rule sheet is not a game.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CompileError {
    #[error("{0}")]
    File(String),
    #[error(transparent)]
    Rules(#[from] GdlError),
}

/// What a compiled game takes, roughly: its text as terms, and its network or what an interpreter
/// remembers.
fn bytes_of(game: &GdlGame, rules: &str) -> u64 {
    let text = rules.len() as u64 * 64;
    text + match size(game) {
        Some(size) => {
            let per_name = 256 * (size.fluents + size.moves);
            let per_gate = 64 * (size.gates + size.live);
            (per_name + per_gate + 24 * (size.inputs + size.live_edges)) as u64
        }
        // Fluents and moves that it comes to know are kept.
        None => 2 * game.interpreter_bytes().unwrap_or(0) + (4 << 20),
    }
}

/// A rule sheet and its piece file, if it has one.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Files {
    rules: String,
    picture: Option<String>,
}

impl RuleSheet {
    fn files(&self) -> Result<Files, String> {
        match self {
            RuleSheet::Named(name) => {
                let known = SHEETS.iter().find(|known| known.name == name);
                let known = known.ok_or_else(|| {
                    let names: Vec<&str> = SHEETS.iter().map(|known| known.name).collect();
                    let suggestion = suggestion(name, &names);
                    format!("no sheet is called `{name}`{suggestion}; known: {}", names.join(", "))
                })?;
                let picture = known.picture.map(str::to_owned);
                Ok(Files { rules: known.rules.to_owned(), picture })
            }
            RuleSheet::Kept(name) => {
                let missing =
                    || format!("the rules `{name}` are not known; hand over their text again");
                Ok(Files { rules: kept_rules(name).ok_or_else(missing)?, picture: None })
            }
            RuleSheet::File(path) => {
                let path = Path::new(path);
                let bytes = read_bytes(path, MAX_TEXT_BYTES)
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                let beside = path.with_extension("toml");
                let picture = match read_text(&beside) {
                    Ok(text) => Some(text),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                    Err(error) => return Err(format!("{}: {error}", beside.display())),
                };
                // Old sheets have stray bytes in their comments.
                Ok(Files { rules: String::from_utf8_lossy(&bytes).into_owned(), picture })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::{Game, Rng, Scratch};
    use std::fs;

    #[test]
    fn every_sheet_is_a_game_that_ends() {
        for KnownSheet { name, .. } in SHEETS {
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
            GameSpec::Gdl(named) => named.settings.load().unwrap(),
            _ => unreachable!(),
        };
        assert_eq!(open("gdl:sheet=connect-five").notice(), None);
        let tight = open("gdl:sheet=connect-five,memory=100KB,time=5s");
        assert!(tight.notice().unwrap().contains("interpreted"), "{:?}", tight.notice());
        let text = "gdl:sheet=connect-five,time=5s,memory=1MiB";
        assert_eq!(text.parse::<GameSpec>().unwrap().to_string(), text);
    }

    #[test]
    fn every_piece_file_has_its_place_in_the_list() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl");
        let count = |extension: &str| {
            let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
            entries.filter(|path| path.extension().is_some_and(|e| e == extension)).count()
        };
        assert_eq!(count("kif"), SHEETS.len());
        assert_eq!(count("toml"), SHEETS.iter().filter(|known| known.picture.is_some()).count());
    }

    #[test]
    fn a_piece_file_beside_a_sheet_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let sheet = folder.path().join("hex.kif");
        let known = SHEETS.iter().find(|known| known.name == "hex").unwrap();
        fs::write(&sheet, known.rules).unwrap();
        let spec = GdlSpec::new(RuleSheet::File(sheet.to_str().unwrap().to_owned()));
        let grid = || {
            let game = spec.load().unwrap();
            sakiyomi_core::Show::view(&game, &game.start()).board.unwrap().grid
        };
        assert_eq!(grid(), sakiyomi_core::Grid::Square);
        fs::write(sheet.with_extension("toml"), known.picture.unwrap()).unwrap();
        assert_eq!(grid(), sakiyomi_core::Grid::Hex);
        fs::write(sheet.with_extension("toml"), "board = \"round\"").unwrap();
        let message = spec.load().unwrap_err().to_string();
        assert!(message.contains("line 1, column 9"), "{message}");
    }
}
