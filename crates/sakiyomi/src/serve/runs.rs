//! The runs of the store: what was played by whom, for which experiments, and every game of it.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use sakiyomi_core::stats::{Interval, Tally};
use sakiyomi_eval::experiment::{Experiment, Part, Quantity, Reading, Scale};
use sakiyomi_eval::{Measure, Outcome, Store, StoredCell, Task};

use super::api::{
    ApiError, DrawnFigure, ErrorCode, KeptGame, MatchRecord, RunUse, StoreEntry, StoredGames,
};
use super::lab::{PathOf, Shared};
use super::queues::Kind;
use crate::figures::{Content, Curve, CurvePoint};
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
    lab.work(Kind::Reading, work).await.map(Json)
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
    lab.work(Kind::Reading, work).await.map(Json)
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
    lab.work(Kind::Reading, work).await.map(Json)
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
        nash_conv: evidence
            .estimate(Quantity::Measured(Reading::NashConv), Part::All)
            .map(Span::from),
        mean_turns: turns.map(|turns| turns.value),
        seconds: counted.seconds,
        is_stale: cell.is_stale(),
        used_by,
        n_kept: kept.len() as u64,
    })
}

fn stored_games(store: &Store, cell: &StoredCell) -> Result<StoredGames, ApiError> {
    let kept = store.kept(cell.id, LISTED_GAMES).map_err(ApiError::failed)?;
    let mut outcomes = Vec::new();
    let mut games = Vec::new();
    let read = store.each_unit(cell.id, |stored| {
        for played in stored.unit.results.games() {
            outcomes.push(played.outcome);
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
    let name = cell.task.agents()[0].to_string();
    Ok(StoredGames { figure: course(name, &outcomes).map(DrawnFigure::from), kept: games })
}

/// Places at which the score is drawn.
const MAX_PLACES: usize = 60;

/// How the score went, game by game.
fn course(name: String, outcomes: &[Outcome]) -> Option<Content> {
    let step = outcomes.len().div_ceil(MAX_PLACES).max(1);
    let (mut tally, mut points) = (Tally::default(), Vec::new());
    for (i, outcome) in outcomes.iter().enumerate() {
        tally += outcome.tally();
        if (i + 1) % step == 0 || i + 1 == outcomes.len() {
            let Interval { low, high } = tally.interval();
            let x = (i + 1) as f64;
            points.extend(tally.score().map(|y| CurvePoint { x, y, low, high }));
        }
    }
    (points.len() > 1).then(|| Content::Curves {
        x_label: "games".to_owned(),
        y_label: "score".to_owned(),
        log_x: false,
        curves: vec![Curve { name, points, references: Vec::new() }],
        baseline: Some(0.5),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_has_few_places_and_ends_with_the_last_game() {
        let Some(Content::Curves { curves, .. }) = course("a".to_owned(), &[Outcome::Win; 1_001])
        else {
            panic!("there are games");
        };
        let points = &curves[0].points;
        assert!(points.len() <= MAX_PLACES && points.last().unwrap().x == 1_001.0);
        assert!(points[0].low < 1.0 && points[0].y == 1.0, "all games alike leave an interval");
        assert_eq!(course("a".to_owned(), &[Outcome::Draw]), None);
    }
}
