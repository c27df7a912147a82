//! What the page and the server say to each other. The page's `web/src/api.ts` is made from these types.

use std::collections::BTreeMap;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use sakiyomi_catalog::{Entry, LegalAction, PlayedStep, PlayerFace, Record, SpecError, TableError};
use sakiyomi_core::{Fault, LegendEntry, OrderForm, Payoffs, View, Way};
use sakiyomi_evolve::Unfair;
use serde::{Deserialize, Serialize};

use super::networks;
use crate::figures::{Content, Figure};
use crate::report::{
    ExperimentResult, PrintedTable, ResultTable, ResultTally, ResultVerdict, Span, Words,
};

/// What can be played, by whom, and within which limits: `GET /api/catalog`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Catalog {
    pub version: String,
    pub games: Vec<GameEntry>,
    /// The game to begin with.
    pub start_with: String,
    pub agents: Vec<Entry>,
    pub limits: Limits,
}

/// A game in the list, with specifications that are ready to play.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GameEntry {
    pub entry: Entry,
    /// What it is called in English.
    pub title: String,
    pub choices: Vec<String>,
    pub players: Vec<PlayerFace>,
    /// A position in the middle of a match, for a picture.
    pub sample: View,
    /// If its maps can be drawn on the page.
    pub editor: Option<MapEditor>,
}

/// What one request may ask for. An agent that is asked to think longer is cut short.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Limits {
    pub seconds: f64,
    pub memory_bytes: u64,
    pub upload_bytes: usize,
    pub duel_games: u64,
}

/// Asks for one game, and whether these agents can play it: `POST /api/game`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct GameRequest {
    pub game: String,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub check: Vec<String>,
}

/// A game or an agent with its parameters apart: those that are not left at their defaults. A flag
/// that is set has the value `on`. `POST /api/agent` with an [`AgentRequest`] gives that of an
/// agent.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SpecFields {
    /// The whole specification, as it is always written.
    pub text: String,
    pub name: String,
    pub values: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct AgentRequest {
    pub agent: String,
}

/// `agents` are the names of those who can play it, and those with a network that fits it, such as
/// `net:file=four.onnx`; `opponents` are some of them by strength, and `suggested` is the one to begin with.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GameAnswer {
    pub game: String,
    pub fields: SpecFields,
    pub players: Vec<PlayerFace>,
    /// What the drawings on the board stand for.
    pub legend: Vec<LegendEntry>,
    pub agents: Vec<String>,
    pub opponents: Vec<Opponent>,
    pub suggested: String,
    /// One for each agent that was to be checked.
    pub checked: Vec<AgentCheck>,
    pub start: Position,
}

/// An agent of some strength.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Opponent {
    pub level: Level,
    pub agent: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    Easy,
    Medium,
    Hard,
    Strongest,
}

/// Whether an agent can play a game here.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AgentCheck {
    pub agent: String,
    /// Why it cannot; empty if it can.
    pub problem: String,
    /// It asks for more time than a request may take, and gets `Limits::seconds`.
    pub is_cut_short: bool,
}

/// A match: playing its texts in order rebuilds it. Per step one text for each choosing player, or
/// the outcome of chance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct MatchRecord {
    pub game: String,
    pub seed: u64,
    pub moves: Vec<Vec<String>>,
}

/// Asks for the position at the end of a match, `POST /api/position`, or for that after every step,
/// `POST /api/replay`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct PositionRequest {
    pub record: MatchRecord,
}

/// `record` has what chance drew since the last move. `past` says who did what, one entry per step,
/// and `ways` how pieces went in the last one, where the views before and after it do not tell.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Position {
    pub record: MatchRecord,
    pub players: Vec<PlayerFace>,
    pub turn: ApiTurn,
    pub view: View,
    pub legal: Vec<Choosing>,
    pub past: Vec<PlayedStep>,
    pub ways: Vec<Way>,
}

/// The start first, then one position after every step of `past`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Replay {
    pub record: MatchRecord,
    pub players: Vec<PlayerFace>,
    pub past: Vec<PlayedStep>,
    pub positions: Vec<ReplayPosition>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReplayPosition {
    pub turn: ApiTurn,
    pub view: View,
    /// How pieces came here.
    pub ways: Vec<Way>,
}

/// Who chooses, or what everyone got, from 0 to 1. It is chance's turn only inside a replay.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[cfg_attr(feature = "typescript", ts(rename = "Turn"))]
pub enum ApiTurn {
    Choose { players: Vec<u8> },
    Chance,
    Over { payoffs: Vec<f64> },
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Choosing {
    pub player: u8,
    pub actions: Vec<LegalAction>,
    /// How an action is put together, where it is orders for several pieces; `actions` are then
    /// only some.
    pub orders: Option<OrderForm>,
}

/// Lets an agent think: `POST /api/think`. The answer is a stream of server-sent events: `thought` while
/// it thinks, then `done` (both a Thought) or `error` (an ApiError). Closing the connection stops it.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct ThinkRequest {
    pub record: MatchRecord,
    pub player: u8,
    pub agent: String,
}

/// A choice that stays hidden until all `persons` who choose now have chosen: `POST /api/sealed`.
/// `match_id`, of the page's making, tells apart matches that look the same.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct SealRequest {
    pub match_id: String,
    pub record: MatchRecord,
    pub player: u8,
    pub text: String,
    pub persons: Vec<u8>,
}

/// Once all have chosen, `choices` has all of them. `GET /api/sealed/{match_id}/{step}`, with the
/// number of steps so far, is a stream of it as events `sealed`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Sealed {
    pub waiting_for: Vec<u8>,
    pub choices: Vec<SealedChoice>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SealedChoice {
    pub player: u8,
    pub text: String,
}

/// Rules in the Game Description Language: `POST /api/rules`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct RulesRequest {
    pub text: String,
}

/// How maps of a game are drawn on the page, and where they are read and written.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MapEditor {
    /// Takes a [`MapRequest`] and gives a [`MapAnswer`].
    pub address: String,
    /// A map to begin with.
    pub empty: DrawnMap,
    /// Names of the ground, the usual one first.
    pub terrains: Vec<String>,
    pub units: Vec<MapUnit>,
    pub sides: Vec<PlayerFace>,
    pub max_hit_points: u8,
    /// The most columns, and the most rows.
    pub max_size: u16,
    /// The ending of map files, with its dot.
    pub file_ending: String,
}

/// A kind of unit, with the letter that it is drawn as.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MapUnit {
    pub name: String,
    pub mark: char,
}

/// A map to be checked and written in every form: `POST` to the address of a
/// [`MapEditor`].
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "from", rename_all = "kebab-case", deny_unknown_fields)]
pub enum MapRequest {
    /// The text of a map file.
    Text { text: String },
    /// A map as it is drawn.
    Drawn { map: DrawnMap },
    /// The map that a game is played on.
    Game { game: String },
    /// A map drawn by chance.
    Random { seed: u32 },
}

/// The map in all forms.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MapAnswer {
    pub map: DrawnMap,
    /// The text of a map file.
    pub text: String,
    /// The game that is played on it.
    pub game: String,
    /// What is odd but can be played.
    pub warnings: Vec<String>,
}

/// A map without its border. Its cells go row by row from the top left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct DrawnMap {
    pub columns: u16,
    pub rows: u16,
    /// Turns of both sides together.
    pub turn_limit: u16,
    /// The lead in hit points that is still a draw.
    pub hp_threshold: u32,
    pub author: String,
    pub comment: String,
    /// Some of [`MapEditor::terrains`].
    pub terrain: Vec<String>,
    pub units: Vec<DrawnUnit>,
}

/// A unit; its column and row are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct DrawnUnit {
    pub column: u16,
    pub row: u16,
    /// One of [`MapEditor::units`].
    pub kind: String,
    /// A number in [`MapEditor::sides`].
    pub side: u8,
    pub hit_points: u8,
    /// It misses the first turn of its side.
    pub is_late: bool,
}

/// Starts a job: `POST /api/jobs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum JobRequest {
    Duel {
        game: String,
        agents: [String; 2],
        games: u64,
        seed: u64,
    },
    Experiment {
        id: String,
        scale: String,
    },
    /// `sakiyomi assess` with these numbers; the report is `GET /api/jobs/{id}/report`.
    Assess {
        game: String,
        strengths: Vec<u32>,
        games: u32,
        remedies: bool,
        seed: u64,
    },
    /// Evolution of fair maps of TUBSTAP, counted in generations. The job's title is the name of the run, for
    /// `GET /api/fair/{name}`.
    Evolve {
        columns: u16,
        rows: u16,
        units_a_side: u16,
        turn_limit: u16,
        generations: u16,
        population: u16,
        seed: u64,
    },
}

/// `GET /api/jobs` lists them, `GET /api/jobs/{id}/events` is a stream of events `job`, and
/// `POST /api/jobs/{id}/stop`, `resume` and `forget` do what they say. What was played stays in the store.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Job {
    pub id: u32,
    pub request: JobRequest,
    pub title: String,
    pub state: JobState,
    pub games_done: u64,
    pub games: u64,
    /// Since it was started or resumed.
    pub seconds: f64,
    pub seconds_left: Option<f64>,
    pub rows: Vec<JobRow>,
    /// Of an assessment: its certificates in one sentence each, as far as they are known.
    pub certificates: Vec<String>,
    /// Why it failed; empty otherwise.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum JobState {
    Running,
    Stopped,
    Done,
    Failed,
}

/// Results of the first agent: its score with the 95 % interval, and p of the two-sided sign test.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct JobRow {
    pub name: String,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    pub score: Option<f64>,
    pub low: f64,
    pub high: f64,
    pub p: f64,
}

/// One of `GET /api/experiments`. Its report is a page: `/reports/{id}?scale=quick`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ExperimentEntry {
    pub id: String,
    pub title: String,
    pub kind: String,
    pub repeats: String,
    pub quick: ExperimentState,
    pub paper: ExperimentState,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ExperimentState {
    pub games_done: u64,
    pub games: u64,
    /// How long the rest will take on this server, by games of the same kind that were played here or came with the program; null if there are none.
    pub seconds_left: Option<f64>,
}

/// One of `GET /api/results`; the result itself is at `/api/results/{scale}/{id}`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ResultEntry {
    pub id: String,
    pub title: String,
    pub kind: String,
    pub repeats: String,
    pub scale: String,
    pub games_done: u64,
    pub games: u64,
    /// What our games say about the claims.
    pub claims: Vec<ResultVerdict>,
    /// What our games say about the numbers of the paper.
    pub numbers: Vec<ResultVerdict>,
    /// The program brought it along; else it was played here.
    pub is_shipped: bool,
}

/// `GET /api/results/{scale}/{id}`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ResultAnswer {
    pub result: ExperimentResult,
    /// Its numbers beside those of the paper, in the paper's rows and columns.
    pub table: ResultTable,
    pub figure: Option<DrawnFigure>,
}

/// One of `GET /api/papers`: a paper with its tables and figures in its own order.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PaperEntry {
    /// One word for addresses.
    pub key: String,
    pub title: Words,
    pub authors: Words,
    /// As far as it is known.
    pub year: Words,
    /// Where it appeared; null if that is not known.
    pub venue: Option<Words>,
    /// What it found, in one sentence.
    pub found: Words,
    pub parts: Vec<PartEntry>,
    /// Experiments that add something to it.
    pub added: Vec<String>,
}

/// A table, a figure or a section of a paper.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PartEntry {
    pub label: Words,
    pub title: Words,
    /// What a reader should know of it, in one sentence.
    pub remark: Words,
    /// False of settings, rules and matches that cannot be played again.
    pub is_measured: bool,
    /// The paper's own numbers, where no experiment has them.
    pub printed: Option<PrintedTable>,
    /// Experiments that repeat it; those that keep to the paper's words come first.
    pub experiments: Vec<String>,
}

/// A figure as SVG, without a title, and its values as comma-separated text. Elements of class
/// `value` have a `data-name` and numbers: `data-value`, `-low`, `-high` and `-paper`. Texts of
/// class `word` can be translated.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DrawnFigure {
    pub svg: String,
    pub csv: String,
}

/// A run, one of `GET /api/store`: what one agent did against another, or what was measured of it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StoreEntry {
    pub cell: i64,
    pub game: String,
    /// The second is what is measured, where there is no second agent.
    pub agents: [String; 2],
    pub seed: u64,
    pub openings: String,
    pub games: u64,
    /// What experiments want of it; null if none does.
    pub games_wanted: Option<u64>,
    pub all: ResultTally,
    /// By the seat of the first agent.
    pub seats: Vec<ResultTally>,
    /// p of the two-sided sign test against an equal share of the wins.
    pub p: f64,
    pub nash_conv: Option<Span>,
    pub mean_turns: Option<f64>,
    /// Wall time, summed over threads.
    pub seconds: f64,
    /// The game or an agent behaves differently by now: reports leave it out.
    pub is_stale: bool,
    pub used_by: Vec<RunUse>,
    /// Games whose records are kept: `GET /api/store/{cell}` lists them.
    pub n_kept: u64,
}

/// An experiment that a run belongs to, and what it is called there.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunUse {
    pub experiment: String,
    pub scale: String,
    pub repeats: String,
    pub name: String,
}

/// The games of a run: `GET /api/store/{cell}`. `GET /api/store/{cell}/{game}` is the MatchRecord of one that is
/// kept.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StoredGames {
    /// The score of the first agent as the games were played; nothing before the second.
    pub figure: Option<DrawnFigure>,
    pub kept: Vec<KeptGame>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct KeptGame {
    pub number: u64,
    /// The seat of the first agent, from 1.
    pub seat: u64,
    /// W, D or L, as the first agent sees it.
    pub outcome: char,
    pub turns: Option<f64>,
}

/// Every answer that is not a success, with a status from 400 on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ApiError {
    pub code: ErrorCode,
    pub message: String,
    /// Where in the rules, from 1.
    pub line: Option<usize>,
    pub column: Option<usize>,
    /// Which step of the record is wrong, from 1.
    pub step: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// The request is not what is expected here.
    BadRequest,
    UnknownGame,
    UnknownAgent,
    IllegalMove,
    BrokenRules,
    BrokenMap,
    /// Rules that were handed over once and are not there any more: hand them over again.
    UnknownRules,
    TooLarge,
    /// Too much goes on at the moment.
    Busy,
    NotFound,
    Unauthorized,
    /// What a page may not ask for, such as a program or a file of the server.
    Refused,
    /// An agent gave up, or something went wrong on the server.
    Failed,
}

impl ApiError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> ApiError {
        ApiError { code, message: message.into(), line: None, column: None, step: None }
    }

    pub fn failed(error: impl std::fmt::Display) -> ApiError {
        ApiError::new(ErrorCode::Failed, error.to_string())
    }

    /// A wrong agent; the other specifications are those of games.
    pub fn agent(error: &SpecError) -> ApiError {
        let message = networks::without_folders(&error.to_string());
        ApiError::new(ErrorCode::UnknownAgent, message)
    }

    fn status(&self) -> StatusCode {
        match self.code {
            ErrorCode::BadRequest => StatusCode::BAD_REQUEST,
            ErrorCode::UnknownGame
            | ErrorCode::UnknownAgent
            | ErrorCode::IllegalMove
            | ErrorCode::BrokenRules
            | ErrorCode::BrokenMap => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorCode::UnknownRules | ErrorCode::NotFound => StatusCode::NOT_FOUND,
            ErrorCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ErrorCode::Busy => StatusCode::SERVICE_UNAVAILABLE,
            ErrorCode::Unauthorized => StatusCode::UNAUTHORIZED,
            ErrorCode::Refused => StatusCode::FORBIDDEN,
            ErrorCode::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status(), Json(self)).into_response()
    }
}

impl From<SpecError> for ApiError {
    fn from(error: SpecError) -> ApiError {
        ApiError::new(ErrorCode::UnknownGame, error.to_string())
    }
}

impl From<TableError> for ApiError {
    fn from(error: TableError) -> ApiError {
        match error {
            TableError::Spec(error) => error.into(),
            error if !error.is_input() => ApiError::failed(error),
            error => ApiError {
                step: error.step(),
                ..ApiError::new(ErrorCode::IllegalMove, error.to_string())
            },
        }
    }
}

impl From<Content> for DrawnFigure {
    fn from(content: Content) -> DrawnFigure {
        let csv = content.to_csv();
        DrawnFigure { svg: Figure { title: String::new(), content }.to_svg(), csv }
    }
}

impl From<&Record> for MatchRecord {
    fn from(record: &Record) -> MatchRecord {
        let Record { game, seed, moves } = record;
        MatchRecord { game: game.to_string(), seed: *seed, moves: moves.clone() }
    }
}

impl ApiTurn {
    pub fn new(turn: sakiyomi_core::Turn, n_players: usize) -> ApiTurn {
        use sakiyomi_core::Turn;
        let list = |payoffs: Payoffs| payoffs.as_slice(n_players).to_vec();
        match turn {
            Turn::Choose(who) => ApiTurn::Choose { players: who.map(|player| player.0).collect() },
            Turn::Chance => ApiTurn::Chance,
            Turn::Over(payoffs) => ApiTurn::Over { payoffs: list(payoffs) },
        }
    }
}

/// A run of evolution: `GET /api/fair`. Its page and pictures are at `/fair/NAME/gallery.html`, `maps.svg` and `curves.svg`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FairRun {
    pub name: String,
    pub title: String,
    /// Generations that are complete, of all.
    pub generation: usize,
    pub generations: usize,
    /// Candidates that were tried with fresh games, and that are fair.
    pub tried: usize,
    pub passed: usize,
    pub is_complete: bool,
}

/// Asks whether a map is fair: `POST /api/fairness`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct FairnessRequest {
    /// The text of the map file.
    pub map: String,
}

/// What the judges say.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FairnessAnswer {
    pub judges: Vec<JudgeVerdict>,
    pub is_fair: bool,
    /// What is odd about the file.
    pub warnings: Vec<String>,
}

/// How the games of one player against itself ended.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct JudgeVerdict {
    pub judge: String,
    /// Wins of the side that moves first and of the other.
    pub wins: [u64; 2],
    pub draws: u64,
    /// Of the side that moves first.
    pub score: Span,
    /// Nothing if it is fair.
    pub unfair: Vec<UnfairName>,
}

/// Why a map is not fair.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum UnfairName {
    FirstSide,
    SecondSide,
    /// More games are needed.
    Undecided,
    Draws,
    /// Always the same game.
    OneCourse,
}

impl From<Unfair> for UnfairName {
    fn from(unfair: Unfair) -> UnfairName {
        match unfair {
            Unfair::FirstSide => UnfairName::FirstSide,
            Unfair::SecondSide => UnfairName::SecondSide,
            Unfair::Undecided => UnfairName::Undecided,
            Unfair::Draws => UnfairName::Draws,
            Unfair::OneCourse => UnfairName::OneCourse,
        }
    }
}

/// What a run of evolution has found: `GET /api/fair/{name}`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FairGallery {
    pub run: FairRun,
    /// Fitness by generation.
    pub generations: Vec<FairGeneration>,
    /// The generation whose maps these are; null for the latest.
    pub shown: Option<usize>,
    /// Best first.
    pub maps: Vec<FairMap>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FairGeneration {
    pub best: f64,
    pub mean: f64,
    pub games: u64,
    /// Whether its best maps were kept.
    pub has_maps: bool,
}

/// A map that evolution has found.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FairMap {
    pub map: DrawnMap,
    /// The text of a map file.
    pub text: String,
    /// The game that is played on it.
    pub game: String,
    pub fitness: f64,
    /// By fresh games if it has had them, else by those of the search.
    pub judges: Vec<JudgeVerdict>,
    /// Null before fresh games were played.
    pub is_fair: Option<bool>,
}

/// A network that was handed over: `POST /api/networks?name=FILE`, with the file as the body.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NetworkAnswer {
    /// The agent that plays with it.
    pub agent: String,
}

/// All types as the page's TypeScript.
#[cfg(feature = "typescript")]
pub fn typescript() -> String {
    use sakiyomi_catalog::{
        ParameterEntry, Thought, ThoughtArm, ThoughtBranch, ThoughtRow, Values,
    };
    use sakiyomi_core::{
        Badge, Board, Card, Cell, Colour, Effect, Fact, Gauge, Grid, OrderCommand, OrderedPiece,
        Phrase, Piece, Pile, PlayerView, Reach, Score, Shape, WayPoint,
    };
    use ts_rs::TS;

    use crate::report::{
        EloSpan, PaperScore, PrintedRow, ResultCell, ResultClaim, ResultTableCell, ResultTableRow,
    };

    let config = ts_rs::Config::default().with_large_int("number");
    let mut text = String::from(
        "// Made from the Rust types by `SAKIYOMI_BLESS=1 cargo test -p sakiyomi --test all api_types`.\n",
    );
    macro_rules! write_all {
        ($($type:ty),* $(,)?) => {$(
            text.push('\n');
            text += &<$type as TS>::docs().unwrap_or_default();
            text += &format!("export {}\n", <$type as TS>::decl(&config));
        )*};
    }
    write_all! {
        Catalog, GameEntry, Entry, ParameterEntry, Values, Limits,
        GameRequest, GameAnswer, SpecFields, AgentRequest, AgentCheck, Opponent, Level,
        MatchRecord, PositionRequest, Position, Replay, ReplayPosition, ApiTurn, PlayedStep,
        Way, WayPoint, PlayerFace, Colour, Choosing, LegalAction, Effect,
        OrderForm, OrderedPiece, OrderCommand, Phrase,
        View, Board, Grid, Cell, Piece, Shape, Gauge, Badge, Reach, LegendEntry, Pile, Card, PlayerView, Score, Fact,
        ThinkRequest, Thought, ThoughtRow, ThoughtArm, ThoughtBranch,
        SealRequest, Sealed, SealedChoice, RulesRequest,
        MapEditor, MapUnit, MapRequest, MapAnswer, DrawnMap, DrawnUnit,
        JobRequest, Job, JobState, JobRow, ExperimentEntry, ExperimentState,
        ResultEntry, ResultAnswer, DrawnFigure, ExperimentResult, ResultClaim, ResultVerdict,
        ResultCell, ResultTally, Span, EloSpan, PaperScore,
        ResultTable, ResultTableRow, ResultTableCell,
        PaperEntry, PartEntry, Words, PrintedTable, PrintedRow,
        StoreEntry, RunUse, StoredGames, KeptGame,
        FairRun, FairGallery, FairGeneration, FairMap, FairnessRequest, FairnessAnswer,
        JudgeVerdict, UnfairName, NetworkAnswer, ApiError, ErrorCode,
    }
    text
}
