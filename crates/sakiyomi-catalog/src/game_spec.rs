//! Games by name, with their parameters.

use sakiyomi_games::hagetaka::{Payoff, Settings};
use sakiyomi_games::sangoku::{Battle, SCENARIOS, Scenario, Skirmish, War};
use sakiyomi_games::{Breakthrough, ConnectFour, Hagetaka, Othello, SizeError, TicTacToe};

use crate::fields::{Fields, Reader, spec_forms};
use crate::gdl::{self, GdlSpec, RuleSheet};
use crate::hagetaka::{self, GOOFSPIEL, HAGETAKA};
use crate::{Entry, Listed, Parameter, SpecError};

/// Which game, with all its parameters. The text form is `name:key=value`; boards may also be
/// written as `name:7x6`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GameSpec {
    TicTacToe,
    ConnectFour {
        width: u32,
        height: u32,
    },
    Breakthrough {
        width: u32,
        height: u32,
    },
    Othello,
    Hagetaka(Settings),
    /// The same engine as Hagetaka, with other defaults.
    Goofspiel(Settings),
    Sangoku(Battlefield),
    Gdl(GdlSpec),
}

/// Where a battle of sangoku comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Battlefield {
    /// One of the scenarios that are always there.
    Scenario(String),
    /// A scenario in a file.
    File(String),
}

const WIDTH: Parameter = Parameter { name: "width", default: "8", meaning: "columns of the board" };
const HEIGHT: Parameter = Parameter { name: "height", default: "8", meaning: "rows of the board" };

/// All games, in the order in which they are listed.
pub const GAMES: &[Entry] = &[
    Entry {
        name: "tic-tac-toe",
        summary: "three in a row on 3x3",
        parameters: &[],
        example: "tic-tac-toe",
    },
    Entry {
        name: "connect-four",
        summary: "stones drop into columns, four in a row win",
        parameters: &[Parameter { default: "7", ..WIDTH }, Parameter { default: "6", ..HEIGHT }],
        example: "connect-four:8x7",
    },
    Entry {
        name: "breakthrough",
        summary: "pawns race to the far row",
        parameters: &[WIDTH, HEIGHT],
        example: "breakthrough:6x6",
    },
    Entry {
        name: "othello",
        summary: "enclosed discs change their colour, most discs win",
        parameters: &[],
        example: "othello",
    },
    Entry {
        name: "sangoku",
        summary: "tactics of three against three: zones of control, recoil and five abilities",
        parameters: &[
            Parameter {
                name: "scenario",
                default: "a",
                meaning: "a, b, c (the paper's), random (parameters too), field (20x20), plain (40x40)",
            },
            Parameter {
                name: "file",
                default: "none",
                meaning: "a scenario of your own as TOML, such as games/sangoku/c.toml",
            },
        ],
        example: "sangoku:scenario=c",
    },
    Entry {
        name: HAGETAKA,
        summary: "everyone plays a card at once for the vulture card; equal cards cancel out",
        parameters: hagetaka::HAGETAKA_PARAMETERS,
        example: "hagetaka:n=5,players=3",
    },
    Entry {
        name: GOOFSPIEL,
        summary: "the game of pure strategy: everyone bids a card at once for the prize",
        parameters: hagetaka::GOOFSPIEL_PARAMETERS,
        example: "goofspiel:n=5,order=descending,payoff=point-difference",
    },
    Entry {
        name: gdl::NAME,
        summary: "any game from its rules in the Game Description Language",
        parameters: gdl::PARAMETERS,
        example: "gdl:sheet=connect-four",
    },
];

/// Specifications of a game that are ready to play: its scenarios or sheets, or else its default and
/// its example.
pub fn ready_made(entry: &Entry) -> Vec<String> {
    match entry.name {
        gdl::NAME => gdl::sheet_names().map(|name| format!("{}:sheet={name}", gdl::NAME)).collect(),
        "sangoku" => SCENARIOS.iter().map(|(name, _)| format!("sangoku:scenario={name}")).collect(),
        name if entry.example == name => vec![name.to_owned()],
        name => vec![name.to_owned(), entry.example.to_owned()],
    }
}

/// A generic closure over games, so that a choice at run time reaches code compiled for the game.
pub trait Visitor {
    type Out;
    fn visit<G: Listed>(self, game: G) -> Self::Out;
}

impl GameSpec {
    /// Hands the game itself to the visitor.
    pub fn with<V: Visitor>(&self, visitor: V) -> Result<V::Out, SpecError> {
        let wrong = |error: SizeError| self.to_fields().error(error.to_string());
        // What fits into 64 bits is played on 64 bits, which are faster.
        Ok(match *self {
            GameSpec::Sangoku(ref field) => {
                let scenario = field.scenario().map_err(|error| self.to_fields().error(error))?;
                if let Some(game) = Skirmish::new(&scenario) {
                    visitor.visit(game)
                } else if let Some(game) = Battle::new(&scenario) {
                    visitor.visit(game)
                } else {
                    visitor.visit(War::new(&scenario).expect("every scenario fits the largest"))
                }
            }
            GameSpec::Gdl(ref spec) => visitor.visit(spec.load()?),
            GameSpec::TicTacToe => visitor.visit(TicTacToe),
            GameSpec::Othello => visitor.visit(Othello),
            GameSpec::ConnectFour { width, height } => {
                match ConnectFour::<u64>::new(width as usize, height as usize) {
                    Ok(game) => visitor.visit(game),
                    Err(_) => visitor.visit(
                        ConnectFour::<u128>::new(width as usize, height as usize).map_err(wrong)?,
                    ),
                }
            }
            GameSpec::Breakthrough { width, height } => {
                match Breakthrough::<u64>::new(width as usize, height as usize) {
                    Ok(game) => visitor.visit(game),
                    Err(_) => visitor.visit(
                        Breakthrough::<u128>::new(width as usize, height as usize)
                            .map_err(wrong)?,
                    ),
                }
            }
            GameSpec::Hagetaka(ref settings) | GameSpec::Goofspiel(ref settings) => {
                let game = Hagetaka::new(settings.clone());
                visitor.visit(game.map_err(|error| self.to_fields().error(error.to_string()))?)
            }
        })
    }

    pub fn players(&self) -> Result<usize, SpecError> {
        struct CountPlayers;
        impl Visitor for CountPlayers {
            type Out = usize;
            fn visit<G: Listed>(self, game: G) -> usize {
                game.players()
            }
        }
        self.with(CountPlayers)
    }

    /// The file that it is read from, if it is.
    pub fn file(&self) -> Option<&str> {
        match self {
            GameSpec::Gdl(GdlSpec { sheet: RuleSheet::File(path), .. })
            | GameSpec::Sangoku(Battlefield::File(path)) => Some(path),
            _ => None,
        }
    }

    /// By what a difference of payoffs is multiplied to be one in the game's own units: points
    /// where points are what counts, and otherwise from -1 for a loss to 1 for a win.
    pub fn unit(&self) -> f64 {
        match self {
            GameSpec::Hagetaka(settings) | GameSpec::Goofspiel(settings)
                if settings.payoff == Payoff::PointDifference =>
            {
                2.0 * settings.largest_distance()
            }
            _ => 2.0,
        }
    }

    /// Reads a text without opening what it names, such as a file. Whether it can be played shows
    /// when it is.
    pub fn named(text: &str) -> Result<GameSpec, SpecError> {
        GameSpec::of_fields(Fields::parse(text)?)
    }

    pub(crate) fn from_fields(fields: Fields) -> Result<GameSpec, SpecError> {
        let spec = GameSpec::of_fields(fields)?;
        spec.players()?;
        Ok(spec)
    }

    fn of_fields(fields: Fields) -> Result<GameSpec, SpecError> {
        let name = fields.name.clone();
        let mut reader = Reader::new(fields);
        let spec = match name.as_str() {
            "tic-tac-toe" => GameSpec::TicTacToe,
            "connect-four" => {
                let (width, height) = read_size(&mut reader, (7, 6))?;
                GameSpec::ConnectFour { width, height }
            }
            "breakthrough" => {
                let (width, height) = read_size(&mut reader, (8, 8))?;
                GameSpec::Breakthrough { width, height }
            }
            "othello" => GameSpec::Othello,
            "sangoku" => {
                let scenario = reader.text("scenario");
                match (reader.text("file"), scenario) {
                    (Some(_), Some(_)) => {
                        return Err(reader.fields().error("either `scenario` or `file`, not both"));
                    }
                    (Some(path), None) => GameSpec::Sangoku(Battlefield::File(path)),
                    (None, scenario) => GameSpec::Sangoku(Battlefield::Scenario(
                        scenario.unwrap_or_else(|| DEFAULT_SCENARIO.to_owned()),
                    )),
                }
            }
            gdl::NAME => GameSpec::Gdl(gdl::read(&mut reader)?),
            HAGETAKA => GameSpec::Hagetaka(hagetaka::read(HAGETAKA, &mut reader)?),
            GOOFSPIEL => GameSpec::Goofspiel(hagetaka::read(GOOFSPIEL, &mut reader)?),
            _ => return Err(reader.fields().unknown_name("game", GAMES)),
        };
        reader.finish()?;
        Ok(spec)
    }

    pub(crate) fn to_fields(&self) -> Fields {
        let sized = |name, size: (u32, u32), default: (u32, u32)| {
            Fields::new(name)
                .with_unless("width", size.0, default.0)
                .with_unless("height", size.1, default.1)
        };
        match *self {
            GameSpec::Gdl(ref spec) => gdl::write(spec),
            GameSpec::Sangoku(ref field) => match field {
                Battlefield::Scenario(name) => Fields::new("sangoku")
                    .with_some("scenario", (name != DEFAULT_SCENARIO).then(|| name.clone())),
                Battlefield::File(path) => Fields::new("sangoku").with("file", path.clone()),
            },
            GameSpec::TicTacToe => Fields::new("tic-tac-toe"),
            GameSpec::ConnectFour { width, height } => {
                sized("connect-four", (width, height), (7, 6))
            }
            GameSpec::Breakthrough { width, height } => {
                sized("breakthrough", (width, height), (8, 8))
            }
            GameSpec::Othello => Fields::new("othello"),
            GameSpec::Hagetaka(ref settings) => hagetaka::write(HAGETAKA, settings),
            GameSpec::Goofspiel(ref settings) => hagetaka::write(GOOFSPIEL, settings),
        }
    }
}

spec_forms!(GameSpec);

const DEFAULT_SCENARIO: &str = "a";

impl Battlefield {
    fn scenario(&self) -> Result<Scenario, String> {
        match self {
            Battlefield::Scenario(name) => Scenario::named(name).ok_or_else(|| {
                let known: Vec<&str> = SCENARIOS.iter().map(|(name, _)| *name).collect();
                format!("no scenario is called `{name}`; known: {}", known.join(", "))
            }),
            Battlefield::File(path) => {
                let text = crate::read_text(path.as_ref()).map_err(|e| format!("{path}: {e}"))?;
                Scenario::read(&text).map_err(|error| format!("{path}: {error}"))
            }
        }
    }
}

/// The size of a board: `width` and `height`, or both at once as in `7x6`.
fn read_size(reader: &mut Reader, default: (u32, u32)) -> Result<(u32, u32), SpecError> {
    let both = reader.bare(|text| {
        let (width, height) = text.split_once('x')?;
        Some((width.parse::<u32>().ok()?, height.parse::<u32>().ok()?))
    });
    let width = reader.integer("width", 1..=1_000)?;
    let height = reader.integer("height", 1..=1_000)?;
    if both.is_some() && (width.is_some() || height.is_some()) {
        return Err(reader.fields().error("the size is given twice"));
    }
    let (default_width, default_height) = both.unwrap_or(default);
    let size = |given: Option<u64>, default: u32| given.map_or(default, |n| n as u32);
    Ok((size(width, default_width), size(height, default_height)))
}
