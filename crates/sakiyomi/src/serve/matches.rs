//! Games and positions: everything that follows from a record alone.

use axum::Json;
use axum::extract::State;
use sakiyomi_catalog::{
    AgentSpec, CatalogGame, GameSpec, Record, Seat, Table, Visitor, game_presets, keep_rules,
    open_table, replay, replay_each,
};
use sakiyomi_core::{Player, Turn};
use sakiyomi_gdl::GdlError;

use super::api::{
    ApiError, Catalog, Choosing, ErrorCode, GameAnswer, GameEntry, GameRequest, Position,
    PositionRequest, Replay, ReplayPosition, RulesRequest, TurnOf,
};
use super::{Body, LIMITS, Shared, guard};

/// Steps of a match that are rebuilt.
const MOST_STEPS: usize = 5_000;

pub(super) async fn catalog() -> Json<Catalog> {
    let entry = |entry: &sakiyomi_catalog::Entry| GameEntry {
        entry: entry.clone(),
        choices: game_presets(entry),
    };
    Json(Catalog {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        games: GameSpec::entries().iter().map(entry).collect(),
        agents: AgentSpec::entries().iter().filter(|agent| agent.name != "exec").cloned().collect(),
        limits: LIMITS,
    })
}

pub(super) async fn game(
    State(lab): State<Shared>,
    Body(request): Body<GameRequest>,
) -> Result<Json<GameAnswer>, ApiError> {
    lab.work(move || describe(&guard::game(&request.game)?)).await.map(Json)
}

pub(super) async fn rules(
    State(lab): State<Shared>,
    Body(request): Body<RulesRequest>,
) -> Result<Json<GameAnswer>, ApiError> {
    let keep = move || describe(&keep_rules(&request.text).map_err(|error| broken(&error))?);
    lab.work(keep).await.map(Json)
}

pub(super) async fn position(
    State(lab): State<Shared>,
    Body(request): Body<PositionRequest>,
) -> Result<Json<Position>, ApiError> {
    lab.work(move || Ok(position_of(rebuild(&request)?.as_ref()))).await.map(Json)
}

pub(super) async fn replayed(
    State(lab): State<Shared>,
    Body(request): Body<PositionRequest>,
) -> Result<Json<Replay>, ApiError> {
    let work = move || {
        let record = checked(&request)?;
        let mut positions = Vec::new();
        let table = replay_each(&record, &mut |table| {
            let turn = TurnOf::new(table.turn(), table.players());
            positions.push(ReplayPosition { turn, view: table.view() });
        })?;
        let (record, players, past) =
            ((&table.record()).into(), names(table.as_ref()), table.past());
        Ok(Replay { record, players, past, positions })
    };
    lab.work(work).await.map(Json)
}

/// Opens the match of a request.
pub(super) fn rebuild(request: &PositionRequest) -> Result<Box<dyn Table>, ApiError> {
    Ok(replay(&checked(request)?)?)
}

fn checked(request: &PositionRequest) -> Result<Record, ApiError> {
    if request.record.moves.len() > MOST_STEPS {
        let message = format!("a match may have up to {MOST_STEPS} steps here");
        return Err(ApiError::new(ErrorCode::TooLarge, message));
    }
    guard::record(&request.record)
}

fn describe(game: &GameSpec) -> Result<GameAnswer, ApiError> {
    let table = open_table(game, 1)?;
    Ok(GameAnswer {
        game: game.to_string(),
        players: names(table.as_ref()),
        agents: game.with(Suited(game))?,
        start: position_of(table.as_ref()),
    })
}

fn names(table: &dyn Table) -> Vec<String> {
    (0..table.players()).map(|i| table.player_name(Player(i as u8))).collect()
}

pub(super) fn position_of(table: &dyn Table) -> Position {
    let legal = match table.turn() {
        Turn::Choose(who) => {
            who.map(|player| Choosing { player: player.0, actions: table.legal(player) }).collect()
        }
        _ => Vec::new(),
    };
    Position {
        record: (&table.record()).into(),
        players: names(table),
        turn: TurnOf::new(table.turn(), table.players()),
        view: table.view(),
        legal,
        past: table.past(),
    }
}

/// The names of the agents that can play a game with their defaults.
struct Suited<'a>(&'a GameSpec);

impl Visitor for Suited<'_> {
    type Out = Vec<String>;

    fn visit<G: CatalogGame>(self, game: G) -> Vec<String> {
        let seat = Seat { game: self.0, player: Player(0), seed: 1 };
        let can_play = |name: &str| {
            let agent: Result<AgentSpec, _> = name.parse();
            name != "exec" && agent.is_ok_and(|agent| agent.build(&game, &seat).is_ok())
        };
        AgentSpec::entries()
            .iter()
            .map(|agent| agent.name)
            .filter(|name| can_play(name))
            .map(str::to_owned)
            .collect()
    }
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
