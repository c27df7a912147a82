//! What was measured: experiments, their reports, and the games of the store.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Redirect, Response};
use sakiyomi_eval::experiment::{Experiment, Scale};
use sakiyomi_eval::{Pairing, Store, Task};
use serde::Deserialize;

use super::api::{ApiError, ErrorCode, ExperimentEntry, ExperimentState, MatchRecord, StoreEntry};
use super::{Lab, PathOf, Shared};
use crate::report::{ExperimentReport, to_html};

/// Kept games of one cell that are listed.
const LISTED_GAMES: usize = 100;

pub(super) async fn experiments(
    State(lab): State<Shared>,
) -> Result<Json<Vec<ExperimentEntry>>, ApiError> {
    let shared = Arc::clone(&lab);
    let work = move || {
        let store = shared.open_store()?;
        let entry = |experiment: &Experiment| {
            let done = |scale| {
                let state = experiment.done(scale, store.as_ref()).map_err(ApiError::failed)?;
                Ok::<_, ApiError>(ExperimentState {
                    games_done: state.games_done,
                    games: state.games,
                })
            };
            Ok(ExperimentEntry {
                id: experiment.id.clone(),
                title: experiment.title.clone(),
                kind: experiment.kind().to_string(),
                repeats: experiment.repeats.clone().unwrap_or_default(),
                quick: done(Scale::Quick)?,
                paper: done(Scale::Paper)?,
            })
        };
        shared.experiments()?.iter().map(entry).collect()
    };
    lab.work(work).await.map(Json)
}

pub(super) async fn store(State(lab): State<Shared>) -> Result<Json<Vec<StoreEntry>>, ApiError> {
    let shared = Arc::clone(&lab);
    let work = move || {
        let Some(store) = shared.open_store()? else { return Ok(Vec::new()) };
        let mut entries = Vec::new();
        for cell in store.cells().map_err(ApiError::failed)? {
            let Task::Matches(Pairing { game, agents, seed, .. }) = &cell.task else { continue };
            let first = agents.first().map_or_else(String::new, |agent| agent.to_string());
            let counted = store.count(cell.id, cell.round, u64::MAX).map_err(ApiError::failed)?;
            let tally = counted.evidence.tally;
            entries.push(StoreEntry {
                cell: cell.id,
                game: game.to_string(),
                agents: [first, cell.task.second_text()],
                seed: *seed,
                wins: tally.wins,
                draws: tally.draws,
                losses: tally.losses,
                kept: store.kept(cell.id, LISTED_GAMES).map_err(ApiError::failed)?,
            });
        }
        Ok(entries)
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

#[derive(Debug, Deserialize)]
pub(super) struct ReportQuery {
    scale: Option<String>,
}

/// Sends on to the page of the scale, beside which its pictures are found.
pub(super) async fn report(
    PathOf(id): PathOf<String>,
    Query(query): Query<ReportQuery>,
) -> Result<Redirect, ApiError> {
    let scale = query.scale.as_deref().unwrap_or("quick");
    let scale: Scale =
        scale.parse().map_err(|e: String| ApiError::new(ErrorCode::BadRequest, e))?;
    // What is no id has no page either, and must not become another address.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match id.chars().all(is_plain) {
        true => Ok(Redirect::to(&format!("/reports/{scale}/{id}.html"))),
        false => Err(no_report(&id)),
    }
}

pub(super) async fn report_file(
    State(lab): State<Shared>,
    PathOf((scale, file)): PathOf<(String, String)>,
) -> Result<Response, ApiError> {
    let shared = Arc::clone(&lab);
    let work = move || {
        let scale: Scale = scale.parse().map_err(|_| no_report(&file))?;
        let (id, ending) = file.rsplit_once('.').ok_or_else(|| no_report(&file))?;
        let all = shared.experiments()?;
        let found = all.iter().find(|experiment| experiment.id == id);
        let experiment = found.ok_or_else(|| no_report(id))?;
        let store = Store::open(&shared.settings.store).map_err(ApiError::failed)?;
        let report = ExperimentReport::new(experiment, scale, &store).map_err(ApiError::failed)?;
        let page =
            |bytes: Vec<u8>, kind: &'static str| ([(CONTENT_TYPE, kind)], bytes).into_response();
        match (ending, &report.figure) {
            ("html", _) => {
                let html = to_html(&report.title, &report.blocks());
                Ok(page(html.into_bytes(), "text/html; charset=utf-8"))
            }
            ("svg", Some(figure)) => Ok(page(figure.to_svg().into_bytes(), "image/svg+xml")),
            ("png", Some(figure)) => {
                Ok(page(figure.to_png().map_err(ApiError::failed)?, "image/png"))
            }
            _ => Err(no_report(&file)),
        }
    };
    lab.work(work).await
}

fn no_report(name: &str) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("there is no report `{name}`"))
}

impl Lab {
    fn experiments(&self) -> Result<Vec<Experiment>, ApiError> {
        Experiment::load_all(&self.settings.experiments).map_err(ApiError::failed)
    }

    /// The store, if there is one yet.
    fn open_store(&self) -> Result<Option<Store>, ApiError> {
        let file = &self.settings.store;
        file.exists().then(|| Store::open_existing(file).map_err(ApiError::failed)).transpose()
    }
}
