//! Games and positions: everything that follows from a record alone.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use sakiyomi_catalog::{
    AgentSpec, GameSpec, PlayerFace, Record, Table, game_presets, keep_rules, open_table, replay,
    replay_each,
};
use sakiyomi_core::{Player, Turn};
use sakiyomi_gdl::GdlError;
use serde::Serialize;
use serde_json::Value;

use super::api::{
    AgentRequest, ApiError, ApiTurn, Catalog, Choosing, ErrorCode, GameAnswer, GameEntry,
    GameRequest, MatchRecord, Position, PositionRequest, Replay, ReplayPosition, RulesRequest,
    SpecFields,
};
use super::lab::{Body, Shared};
use super::limits::{LIMITS, MAX_ACTIONS};
use super::opponents::{Check, Suited, opponents, suggested};
use super::queues::Kind;
use super::samples::{Sample, samples};
use super::{guard, maps};

/// A game that most people know.
const START_WITH: &str = "connect-four";
/// Steps of a match that are rebuilt.
const MAX_STEPS: usize = 5_000;

pub(super) async fn catalog(State(lab): State<Shared>) -> Result<Json<Catalog>, ApiError> {
    lab.work(Kind::Reading, || Ok(list())).await.map(Json)
}

fn list() -> Catalog {
    let entry = |(entry, sample): (&sakiyomi_catalog::Entry, &Sample)| GameEntry {
        entry: entry.clone(),
        title: title(entry.name),
        choices: game_presets(entry),
        players: sample.players.clone(),
        sample: sample.view.clone(),
        editor: maps::editor(entry.name),
    };
    Catalog {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        games: GameSpec::entries().iter().zip(samples()).map(entry).collect(),
        start_with: START_WITH.to_owned(),
        agents: AgentSpec::entries().iter().filter(|agent| agent.name != "exec").cloned().collect(),
        limits: LIMITS,
    }
}

/// Names that are short for something.
const SHORT: [&str; 2] = ["gdl", "tubstap"];

/// `Connect four`, `GDL`.
fn title(name: &str) -> String {
    if SHORT.contains(&name) {
        return name.to_uppercase();
    }
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters.map(|c| if c == '-' { ' ' } else { c })).collect()
}

/// A specification with its parameters apart.
fn fields(text: String, name: &str, spec: &impl Serialize) -> Result<SpecFields, ApiError> {
    let fields: BTreeMap<String, Value> =
        serde_json::to_value(spec).and_then(serde_json::from_value).map_err(ApiError::failed)?;
    let value = |value: Value| match value {
        Value::String(text) => text,
        Value::Bool(true) => "on".to_owned(),
        Value::Bool(false) => "off".to_owned(),
        other => other.to_string(),
    };
    let parameters = fields.into_iter().filter(|(key, _)| key != "name");
    let values = parameters.map(|(key, given)| (key, value(given))).collect();
    Ok(SpecFields { text, name: name.to_owned(), values })
}

pub(super) async fn agent(Body(request): Body<AgentRequest>) -> Result<Json<SpecFields>, ApiError> {
    let agent: AgentSpec = request.agent.parse().map_err(|error| ApiError::agent(&error))?;
    fields(agent.to_string(), agent.name(), &agent).map(Json)
}

pub(super) async fn game(
    State(lab): State<Shared>,
    Body(request): Body<GameRequest>,
) -> Result<Json<GameAnswer>, ApiError> {
    let kind = guard::kind(&request.game);
    lab.work(kind, move || describe(&guard::game(&request.game)?, &request.check)).await.map(Json)
}

pub(super) async fn rules(
    State(lab): State<Shared>,
    Body(request): Body<RulesRequest>,
) -> Result<Json<GameAnswer>, ApiError> {
    let keep = move || describe(&keep_rules(&request.text).map_err(|error| broken(&error))?, &[]);
    lab.work(Kind::Rules, keep).await.map(Json)
}

pub(super) async fn position(
    State(lab): State<Shared>,
    Body(request): Body<PositionRequest>,
) -> Result<Json<Position>, ApiError> {
    let kind = guard::kind(&request.record.game);
    lab.work(kind, move || position_of(rebuild(&request.record)?.as_ref())).await.map(Json)
}

pub(super) async fn replayed(
    State(lab): State<Shared>,
    Body(request): Body<PositionRequest>,
) -> Result<Json<Replay>, ApiError> {
    let kind = guard::kind(&request.record.game);
    let work = move || {
        let record = checked(&request.record)?;
        let mut positions = Vec::new();
        let table = replay_each(&record, &mut |table| {
            let turn = ApiTurn::new(table.turn(), table.players());
            positions.push(ReplayPosition { turn, view: table.view(), ways: table.ways() });
        })?;
        let (record, players, past) =
            ((&table.record()).into(), faces(table.as_ref()), table.past());
        Ok(Replay { record, players, past, positions })
    };
    lab.work(kind, work).await.map(Json)
}

/// Opens the match of a record.
pub(super) fn rebuild(record: &MatchRecord) -> Result<Box<dyn Table>, ApiError> {
    Ok(replay(&checked(record)?)?)
}

fn checked(record: &MatchRecord) -> Result<Record, ApiError> {
    if record.moves.len() > MAX_STEPS {
        let message = format!("a match may have up to {MAX_STEPS} steps here");
        return Err(ApiError::new(ErrorCode::TooLarge, message));
    }
    guard::record(record)
}

fn describe(game: &GameSpec, check: &[String]) -> Result<GameAnswer, ApiError> {
    let table = open_table(game, 1)?;
    let agents = game.with(Suited(game))?;
    let opponents = opponents(game, &table.turn(), &agents);
    Ok(GameAnswer {
        game: game.to_string(),
        fields: fields(game.to_string(), game.name(), game)?,
        players: faces(table.as_ref()),
        legend: table.legend(),
        agents,
        suggested: suggested(&opponents),
        checked: game.with(Check { game, agents: check })?,
        opponents,
        start: position_of(table.as_ref())?,
    })
}

fn faces(table: &dyn Table) -> Vec<PlayerFace> {
    (0..table.players()).map(|i| table.player_face(Player(i as u8))).collect()
}

fn position_of(table: &dyn Table) -> Result<Position, ApiError> {
    let n_actions: usize = match table.turn() {
        Turn::Choose(who) => who.map(|player| table.n_legal(player)).sum(),
        _ => 0,
    };
    if n_actions > MAX_ACTIONS {
        let message = format!("{n_actions} legal actions; a page shows up to {MAX_ACTIONS}");
        return Err(ApiError::new(ErrorCode::TooLarge, message));
    }
    let legal = match table.turn() {
        Turn::Choose(who) => {
            let choosing = |player: Player| {
                let (actions, orders) = (table.legal(player), table.order_form(player));
                Choosing { player: player.0, actions, orders }
            };
            who.map(choosing).collect()
        }
        _ => Vec::new(),
    };
    Ok(Position {
        record: (&table.record()).into(),
        players: faces(table),
        turn: ApiTurn::new(table.turn(), table.players()),
        view: table.view(),
        legal,
        past: table.past(),
        ways: table.ways(),
    })
}

/// What is wrong with rules, and where.
fn broken(error: &GdlError) -> ApiError {
    let place = error.place();
    ApiError {
        line: place.map(|(line, _)| line),
        column: place.map(|(_, column)| column),
        ..ApiError::new(ErrorCode::BrokenRules, error.to_string())
    }
}
