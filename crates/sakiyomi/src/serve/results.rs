//! What was measured: experiments, their results and their reports.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Redirect, Response};
use sakiyomi_eval::Store;
use sakiyomi_eval::experiment::{Done, Experiment, Scale};
use serde::Deserialize;

use super::api::{
    ApiError, DrawnFigure, ErrorCode, ExperimentEntry, ExperimentState, ResultAnswer, ResultEntry,
};
use super::lab::{Lab, PathOf, Shared};
use super::queues::Kind;
use crate::report::{ExperimentReport, ExperimentResult, ResultTable, to_html};
use crate::shipped;

pub(super) async fn experiments(
    State(lab): State<Shared>,
) -> Result<Json<Vec<ExperimentEntry>>, ApiError> {
    let shared = Arc::clone(&lab);
    let work = move || {
        let store = shared.open_store()?;
        let entry = |experiment: &Experiment| {
            let state = |scale| shared.state(experiment, scale, store.as_ref());
            Ok(ExperimentEntry {
                id: experiment.id.clone(),
                title: experiment.title.clone(),
                kind: experiment.kind().to_string(),
                repeats: experiment.repeats.clone().unwrap_or_default(),
                quick: state(Scale::Quick)?,
                paper: state(Scale::Paper)?,
            })
        };
        shared.experiments()?.iter().map(entry).collect()
    };
    lab.work(Kind::Reading, work).await.map(Json)
}

/// What is measured, whether the program brought it along or it was played here.
pub(super) async fn results(State(lab): State<Shared>) -> Result<Json<Vec<ResultEntry>>, ApiError> {
    let shared = Arc::clone(&lab);
    let work = move || {
        let mut entries: Vec<ResultEntry> =
            shipped::results().iter().map(|result| ResultEntry::new(result, true)).collect();
        let Some(store) = shared.open_store()? else { return Ok(entries) };
        for experiment in shared.experiments()? {
            for scale in [Scale::Quick, Scale::Paper] {
                let at = entries.iter().position(|entry| entry.is_of(&experiment.id, scale));
                let least = at.map_or(0, |at| entries[at].games_done);
                if done(&experiment, scale, &store)?.games_done <= least {
                    continue;
                }
                let own = ResultEntry::new(&measured(&experiment, scale, &store)?, false);
                match at {
                    Some(at) => entries[at] = own,
                    None => entries.push(own),
                }
            }
        }
        entries.sort_by(|a, b| (&a.id, &a.scale).cmp(&(&b.id, &b.scale)));
        Ok(entries)
    };
    lab.work(Kind::Reading, work).await.map(Json)
}

/// One of them, the larger one if there are two. Of an experiment that was never run the paper's numbers.
pub(super) async fn result(
    State(lab): State<Shared>,
    PathOf((scale, id)): PathOf<(String, String)>,
) -> Result<Json<ResultAnswer>, ApiError> {
    let shared = Arc::clone(&lab);
    let work = move || Ok(drawn(find(&shared, &scale, &id)?));
    lab.work(Kind::Reading, work).await.map(Json)
}

/// With its figure drawn. The page has a title of its own.
fn drawn(mut result: ExperimentResult) -> ResultAnswer {
    let table = ResultTable::new(&result);
    let figure = result.figure.take().map(DrawnFigure::from);
    ResultAnswer { result, table, figure }
}

fn find(lab: &Lab, scale: &str, id: &str) -> Result<ExperimentResult, ApiError> {
    let missing = || {
        let message = format!("nothing is measured of `{id}` ({scale})");
        ApiError::new(ErrorCode::NotFound, message)
    };
    let size: Scale = scale.parse().map_err(|_| missing())?;
    let brought = shipped::result(id, size);
    let experiments = lab.experiments()?;
    let experiment = experiments.iter().find(|experiment| experiment.id == id);
    if let (Some(store), Some(experiment)) = (lab.open_store()?, experiment) {
        let least = brought.map_or(0, |result| result.games_done);
        if done(experiment, size, &store)?.games_done > least {
            return measured(experiment, size, &store);
        }
    }
    match (brought, experiment) {
        (Some(result), _) => Ok(result.clone()),
        (None, Some(experiment)) => {
            let report = ExperimentReport::empty(experiment, size).map_err(ApiError::failed)?;
            Ok(ExperimentResult::from(&report))
        }
        (None, None) => Err(missing()),
    }
}

fn measured(
    experiment: &Experiment,
    scale: Scale,
    store: &Store,
) -> Result<ExperimentResult, ApiError> {
    let report = ExperimentReport::new(experiment, scale, store).map_err(ApiError::failed)?;
    Ok(ExperimentResult::from(&report))
}

fn done(experiment: &Experiment, scale: Scale, store: &Store) -> Result<Done, ApiError> {
    experiment.done(scale, Some(store)).map_err(ApiError::failed)
}

impl ResultEntry {
    fn new(result: &ExperimentResult, is_shipped: bool) -> ResultEntry {
        let rows = result.cells.iter().flat_map(|cell| cell.seats.iter().chain([&cell.all]));
        ResultEntry {
            id: result.id.clone(),
            title: result.title.clone(),
            kind: result.kind.clone(),
            repeats: result.repeats.clone(),
            scale: result.scale.clone(),
            games_done: result.games_done,
            games: result.games,
            claims: result.claims.iter().map(|claim| claim.verdict).collect(),
            numbers: rows.filter_map(|row| row.verdict).collect(),
            is_shipped,
        }
    }

    fn is_of(&self, id: &str, scale: Scale) -> bool {
        self.id == id && self.scale == scale.to_string()
    }
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
        let store = shared.open_store()?;
        let report =
            shipped::report(experiment, scale, store.as_ref()).map_err(ApiError::failed)?;
        let page =
            |bytes: Vec<u8>, kind: &'static str| ([(CONTENT_TYPE, kind)], bytes).into_response();
        match (ending, &report.figure) {
            ("html", _) => {
                let html = to_html(&report.title, &report.blocks());
                Ok(page(html.into_bytes(), "text/html; charset=utf-8"))
            }
            ("svg", Some(figure)) => Ok(page(figure.to_svg().into_bytes(), "image/svg+xml")),
            _ => Err(no_report(&file)),
        }
    };
    lab.work(Kind::Reading, work).await
}

fn no_report(name: &str) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("there is no report `{name}`"))
}

/// Games that were played, and how long they took.
#[derive(Clone, Copy, Debug, Default)]
struct Played {
    games: u64,
    games_wanted: u64,
    seconds: f64,
}

impl Played {
    /// Those of the store.
    fn here(
        experiment: &Experiment,
        scale: Scale,
        store: Option<&Store>,
    ) -> Result<Played, ApiError> {
        let mut played = Played::default();
        for cell in experiment.cells(scale) {
            let (counted, games) = cell.counted(store).map_err(ApiError::failed)?;
            played.games_wanted += games;
            played.games += counted.evidence.n();
            played.seconds += counted.seconds;
        }
        Ok(played)
    }

    /// Those that came with the program.
    fn brought(id: &str, scale: Scale) -> Played {
        shipped::result(id, scale).map_or_else(Played::default, |result| Played {
            games: result.games_done,
            games_wanted: result.games,
            seconds: result.seconds,
        })
    }

    fn seconds_per_game(&self) -> Option<f64> {
        (self.games > 0).then(|| self.seconds / self.games as f64)
    }
}

/// Whether both scales play the same, one of them more of it.
fn is_same_play(experiment: &Experiment) -> bool {
    let [quick, paper] = [Scale::Quick, Scale::Paper].map(|scale| experiment.cells(scale));
    quick.len() == paper.len() && quick.iter().zip(paper).all(|(a, b)| a.task == b.task)
}

impl Lab {
    pub(super) fn experiments(&self) -> Result<Vec<Experiment>, ApiError> {
        self.settings.experiments.all().map_err(ApiError::failed)
    }

    /// How much is done, and how long the rest will take on this server's threads, by the games of before.
    fn state(
        &self,
        experiment: &Experiment,
        scale: Scale,
        store: Option<&Store>,
    ) -> Result<ExperimentState, ApiError> {
        let own = Played::here(experiment, scale, store)?;
        let left = own.games_wanted.saturating_sub(own.games) as f64;
        // A game takes as long at the other scale if the same is played there, only less of it.
        let other = match scale {
            Scale::Quick => Scale::Paper,
            Scale::Paper => Scale::Quick,
        };
        let mut known = vec![own, Played::brought(&experiment.id, scale)];
        if is_same_play(experiment) {
            known.push(Played::here(experiment, other, store)?);
            known.push(Played::brought(&experiment.id, other));
        }
        let rate = known.iter().find_map(Played::seconds_per_game);
        let threads = self.settings.threads as f64;
        Ok(ExperimentState {
            games_done: own.games,
            games: own.games_wanted,
            seconds_left: rate.map(|seconds| seconds * left / threads),
        })
    }

    /// The store, if there is one yet.
    pub(super) fn open_store(&self) -> Result<Option<Store>, ApiError> {
        let file = &self.settings.store;
        file.exists().then(|| Store::open_existing(file).map_err(ApiError::failed)).transpose()
    }
}
