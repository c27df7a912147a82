//! The runs of the store: what was played by whom, for which experiments, and every game of it.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use sakiyomi_eval::experiment::{Experiment, KEPT, Part, Quantity, Scale};
use sakiyomi_eval::{Measure, Store, StoredCell, Task};

use super::api::{ApiError, ErrorCode, KeptGame, MatchRecord, RunUse, StoreEntry, StoredGames};
use super::{PathOf, Shared};
use crate::report::{ResultTally, Span};

/// Kept games of one run that are listed.
const LISTED_GAMES: usize = 5_000;

pub(super) async fn list(State(lab): State<Shared>) -> Result<Json<Vec<StoreEntry>>, ApiError> {
    let shared = Arc::clone(&lab);
    let work = move || {
        let Some(store) = shared.open_store()? else { return Ok(Vec::new()) };
        let uses = uses(&shared.experiments()?);
        let cells = store.cells().map_err(ApiError::failed)?;
        cells.iter().map(|cell| entry(&store, cell, &uses)).collect()
    };
    lab.work(work).await.map(Json)
}

/// Every game of one run.
pub(super) async fn games(
    State(lab): State<Shared>,
    PathOf(cell): PathOf<i64>,
) -> Result<Json<StoredGames>, ApiError> {
    let shared = Arc::clone(&lab);
    let work = move || {
        let missing = || ApiError::new(ErrorCode::NotFound, format!("there is no run {cell}"));
        let store = shared.open_store()?.ok_or_else(missing)?;
        let cells = store.cells().map_err(ApiError::failed)?;
        let found = cells.iter().find(|known| known.id == cell).ok_or_else(missing)?;
        stored_games(&store, found)
    };
    lab.work(work).await.map(Json)
}

pub(super) async fn record(
    State(lab): State<Shared>,
    PathOf((cell, game)): PathOf<(i64, u64)>,
) -> Result<Json<MatchRecord>, ApiError> {
    let shared = Arc::clone(&lab);
    let work = move || {
        let store = shared.open_store()?;
        let found = store.map(|store| store.record(cell, game)).transpose();
        let record = found.map_err(ApiError::failed)?.flatten();
        let missing = || format!("no record of game {game} of cell {cell} was kept");
        let record = record.ok_or_else(|| ApiError::new(ErrorCode::NotFound, missing()))?;
        Ok((&record).into())
    };
    lab.work(work).await.map(Json)
}

/// The experiments that want a task, by what is played, and how many games they want at most.
type Uses = HashMap<String, (Vec<RunUse>, u64)>;

fn uses(experiments: &[Experiment]) -> Uses {
    let mut uses = Uses::new();
    for experiment in experiments {
        for scale in [Scale::Quick, Scale::Paper] {
            for cell in experiment.cells(scale) {
                let (known, wanted) = uses.entry(key(&cell.task)).or_default();
                *wanted = (*wanted).max(cell.games);
                let new = RunUse {
                    experiment: experiment.id.clone(),
                    scale: scale.to_string(),
                    repeats: experiment.repeats.clone().unwrap_or_default(),
                    name: cell.address.to_string(),
                };
                known.push(new);
            }
        }
    }
    uses
}

/// What is played, as a text.
fn key(task: &Task) -> String {
    let agents: Vec<String> = task.agents().iter().map(ToString::to_string).collect();
    let openings = task.openings().map_or_else(String::new, |openings| openings.to_string());
    [
        task.game().to_string(),
        agents.join("\n"),
        task.second_text(),
        task.seed().to_string(),
        openings,
    ]
    .join("\n")
}

fn entry(store: &Store, cell: &StoredCell, uses: &Uses) -> Result<StoreEntry, ApiError> {
    let task = &cell.task;
    let counted = store.count(cell.id, cell.round, u64::MAX).map_err(ApiError::failed)?;
    let evidence = &counted.evidence;
    let (used_by, wanted) = uses.get(&key(task)).cloned().unwrap_or_default();
    let turns = evidence.measures[Measure::TURNS].mean(Part::All);
    let then = cell.behaviour.trim_end_matches(KEPT);
    let kept = store.kept(cell.id, LISTED_GAMES).map_err(ApiError::failed)?;
    Ok(StoreEntry {
        cell: cell.id,
        game: task.game().to_string(),
        agents: [task.agents()[0].to_string(), task.second_text()],
        seed: task.seed(),
        openings: task.openings().map_or_else(String::new, |openings| openings.to_string()),
        games: evidence.n(),
        games_wanted: (wanted > 0).then_some(wanted),
        all: ResultTally::new(evidence.tally),
        seats: evidence.seats.iter().map(|seat| ResultTally::new(*seat)).collect(),
        p: evidence.tally.sign_test_of(evidence.seats.len()),
        nash_conv: evidence.estimate(Quantity::NashConv, Part::All).map(Span::from),
        mean_turns: turns.map(|turns| turns.value),
        seconds: counted.seconds,
        is_stale: task.fingerprint().map_or(true, |now| !now.is_of(then)),
        used_by,
        n_kept: kept.len() as u64,
    })
}

fn stored_games(store: &Store, cell: &StoredCell) -> Result<StoredGames, ApiError> {
    let kept = store.kept(cell.id, LISTED_GAMES).map_err(ApiError::failed)?;
    let mut outcomes = String::new();
    let mut games = Vec::new();
    let read = store.each_unit(cell.id, |stored| {
        for played in stored.unit.results.games() {
            outcomes.push(played.outcome.letter());
            if kept.binary_search(&played.number).is_ok() {
                games.push(KeptGame {
                    number: played.number,
                    seat: played.number % cell.round + 1,
                    outcome: played.outcome.letter(),
                    turns: played.measures[Measure::TURNS],
                });
            }
        }
    });
    read.map_err(ApiError::failed)?;
    Ok(StoredGames { outcomes, kept: games })
}
