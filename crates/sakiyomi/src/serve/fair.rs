//! Fair maps on the page: the galleries of runs of evolution, live while they run, and verdicts on maps that are handed over.
//!
//! Runs are the folders in `evolved`, beside the store, that `sakiyomi evolve --out evolved/NAME` writes.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use sakiyomi_catalog::{MAX_TEXT_BYTES, read_bytes, read_text};
use sakiyomi_core::{Fault, Stop};
use sakiyomi_evolve::{
    FairnessSettings, Find, Gallery, Generation, JudgeFairness, Threads, default_judges,
    judge_game, map_game,
};
use sakiyomi_games::tubstap::{Map, SizeClass, read_map, write_map};
use serde::Deserialize;

use super::api::{
    ApiError, ErrorCode, FairGallery, FairGeneration, FairMap, FairRun, FairnessAnswer,
    FairnessRequest, JudgeVerdict,
};
use super::evolution::{folder, generation_file};
use super::lab::{Body, Lab, PathOf, Shared};
use super::maps;
use super::queues::Kind;
use crate::report::Span;

/// Games of each judge on the page.
const GAMES: u64 = 200;
/// Runs that are listed.
const MOST_RUNS: usize = 100;

pub(super) async fn runs(State(lab): State<Shared>) -> Result<Json<Vec<FairRun>>, ApiError> {
    let shared = Arc::clone(&lab);
    lab.work(Kind::Reading, move || Ok(shared.fair_runs())).await.map(Json)
}

/// Which generation is asked for; without one the latest.
#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    generation: Option<usize>,
}

/// What a run has found.
pub(super) async fn gallery(
    State(lab): State<Shared>,
    PathOf(run): PathOf<String>,
    Query(wanted): Query<Wanted>,
) -> Result<Json<FairGallery>, ApiError> {
    let shared = Arc::clone(&lab);
    let missing = format!("there is no run `{run}`");
    let found =
        lab.work(Kind::Reading, move || Ok(shared.fair_gallery(&run, wanted.generation))).await?;
    found.map(Json).ok_or_else(|| ApiError::new(ErrorCode::NotFound, missing))
}

/// A file of a run: its page or a picture.
pub(super) async fn file(
    State(lab): State<Shared>,
    PathOf((run, file)): PathOf<(String, String)>,
) -> Result<Response, ApiError> {
    let missing =
        || ApiError::new(ErrorCode::NotFound, format!("there is no `{file}` of a run `{run}`"));
    let kind = match file.as_str() {
        "gallery.html" => "text/html; charset=utf-8",
        "curves.svg" | "maps.svg" => "image/svg+xml",
        _ => return Err(missing()),
    };
    if !is_name(&run) {
        return Err(missing());
    }
    let path = lab.evolved().join(&run).join(&file);
    let bytes = lab.work(Kind::Reading, move || Ok(read_bytes(&path, MAX_TEXT_BYTES).ok())).await?;
    Ok(([(CONTENT_TYPE, kind)], bytes.ok_or_else(missing)?).into_response())
}

/// Judges a map file.
pub(super) async fn judge(
    State(lab): State<Shared>,
    Body(request): Body<FairnessRequest>,
) -> Result<Json<FairnessAnswer>, ApiError> {
    let threads = lab.settings.threads;
    let stop = Arc::new(Stop::new());
    let until = Arc::clone(&stop);
    let work = move || verdict(&request.map, threads, &until);
    lab.work_until(stop, Kind::Judging, work).await.map(Json)
}

fn verdict(text: &str, threads: usize, stop: &Stop) -> Result<FairnessAnswer, ApiError> {
    let wrong = |message: String| ApiError::new(ErrorCode::BadRequest, message);
    let (map, warnings) = read_map(text.as_bytes()).map_err(|error| wrong(error.to_string()))?;
    if SizeClass::of(&map) != SizeClass::Small || map.turn_limit > 60 {
        return Err(wrong(
            "on the page maps have up to 64 cells, 16 units and 60 turns; `sakiyomi fairness` judges larger ones".to_owned(),
        ));
    }
    let judges = default_judges();
    let game = |noise: bool| Some(map_game(&map, noise));
    let settings = FairnessSettings { games: GAMES, seed: 1, quorum: None };
    let fairness = judge_game(&game, &judges, settings, &Threads(threads), stop, &|_| {}).map_err(
        |error| match error.is_input() {
            true => wrong(error.to_string()),
            false => ApiError::failed(error),
        },
    )?;
    Ok(FairnessAnswer {
        judges: fairness.judges.iter().map(judge_verdict).collect(),
        is_fair: fairness.is_fair,
        warnings: warnings.iter().map(ToString::to_string).collect(),
    })
}

fn judge_verdict(one: &JudgeFairness) -> JudgeVerdict {
    JudgeVerdict {
        judge: one.judge.clone(),
        wins: one.wins,
        draws: one.draws,
        score: Span { value: one.score, low: one.interval.low, high: one.interval.high },
        unfair: one.unfair.iter().map(|&unfair| unfair.into()).collect(),
    }
}

/// A find as a map; nothing if it is something else.
fn map_of(find: &Find) -> Option<FairMap> {
    let map = Map::from_code(&find.code).ok()?;
    let judges = find.fresh.as_ref().map_or(&find.search, |fresh| &fresh.judges);
    Some(FairMap {
        text: write_map(&map),
        game: maps::game_of(&map).to_string(),
        map: maps::drawn(&map),
        fitness: find.fitness,
        judges: judges.iter().map(judge_verdict).collect(),
        is_fair: find.fresh.as_ref().map(|fresh| fresh.is_fair),
    })
}

/// Whether this is the name of a folder and not a way to another one.
fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    !text.is_empty() && text.chars().all(is_plain)
}

impl Lab {
    fn evolved(&self) -> PathBuf {
        folder(&self.settings)
    }

    /// The runs that have a gallery, by name.
    fn fair_runs(&self) -> Vec<FairRun> {
        let Ok(folders) = fs::read_dir(self.evolved()) else { return Vec::new() };
        let mut names: Vec<String> = folders
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| is_name(name))
            .collect();
        names.sort_unstable();
        names.truncate(MOST_RUNS);
        let run = |name: String| {
            let gallery = self.read_gallery(&name)?;
            Some(told(name, &gallery))
        };
        names.into_iter().filter_map(run).collect()
    }

    fn read_gallery(&self, name: &str) -> Option<Gallery> {
        let text = read_text(&self.evolved().join(name).join("gallery.json")).ok()?;
        serde_json::from_str(&text).ok()
    }

    fn fair_gallery(&self, name: &str, generation: Option<usize>) -> Option<FairGallery> {
        let gallery = is_name(name).then(|| self.read_gallery(name))??;
        let kept = |number| generation_file(&self.evolved().join(name), number);
        let finds: Vec<Find> = match generation {
            Some(number) => serde_json::from_str(&read_text(&kept(number)).ok()?).ok()?,
            None => gallery.finds.clone(),
        };
        let told_of = |(number, one): (usize, &Generation)| FairGeneration {
            best: one.fitness.best,
            mean: one.fitness.mean,
            games: one.games,
            has_maps: kept(number).is_file(),
        };
        Some(FairGallery {
            generations: gallery.history.iter().enumerate().map(told_of).collect(),
            shown: generation,
            maps: finds.iter().filter_map(map_of).collect(),
            run: told(name.to_owned(), &gallery),
        })
    }
}

fn told(name: String, gallery: &Gallery) -> FairRun {
    FairRun {
        name,
        title: gallery.title.clone(),
        generation: gallery.history.len(),
        generations: gallery.settings.all_generations(),
        tried: gallery.tried,
        passed: gallery.passed,
        is_complete: gallery.is_complete,
    }
}
