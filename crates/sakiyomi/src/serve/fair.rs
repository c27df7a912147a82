//! Fair maps on the page: the galleries of runs of evolution, live while they run, and verdicts on maps that are handed over.
//!
//! Runs are the folders in `evolved`, beside the store, that `sakiyomi evolve --out evolved/NAME` writes.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use sakiyomi_catalog::{MAX_TEXT_BYTES, read_bytes, read_text};
use sakiyomi_core::{Fault, Stop};
use sakiyomi_evolve::{FairnessSettings, Gallery, Judge, Threads, judge_game, map_game};
use sakiyomi_games::tubstap::{SizeClass, read_map};

use super::api::{ApiError, ErrorCode, FairRun, FairnessAnswer, FairnessRequest};
use super::lab::{Body, Lab, PathOf, Shared};
use super::queues::Kind;
use crate::figures::{Content, Figure};
use crate::gallery::{fairness_lines, picture};

/// Who judges a map on the page: three that think in different ways and are quick.
const JUDGES: [&str; 3] = ["sample+noise", "m-uct:iterations=40", "satd2:iterations=400+noise"];
const GAMES: u64 = 200;
/// Runs that are listed.
const MOST_RUNS: usize = 100;

pub(super) async fn runs(State(lab): State<Shared>) -> Result<Json<Vec<FairRun>>, ApiError> {
    let shared = Arc::clone(&lab);
    lab.work(Kind::Reading, move || Ok(shared.fair_runs())).await.map(Json)
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
    let judges: Vec<Judge> =
        JUDGES.iter().map(|text| text.parse().expect("our own judges can be read")).collect();
    let game = |noise: bool| Some(map_game(&map, noise));
    let settings = FairnessSettings { games: GAMES, seed: 1, quorum: None };
    let fairness = judge_game(&game, &judges, settings, &Threads(threads), stop, &|_| {}).map_err(
        |error| match error.is_input() {
            true => wrong(error.to_string()),
            false => ApiError::failed(error),
        },
    )?;
    let (header, rows) = fairness_lines(&fairness.judges);
    let maps = vec![picture(&map, String::new(), Vec::new())];
    let title = map.comment.clone().unwrap_or_default();
    Ok(FairnessAnswer {
        picture: Figure { title, content: Content::Maps { maps } }.to_svg(),
        header,
        rows: rows
            .into_iter()
            .map(|row| row.iter().map(|cell| cell.replace('`', "")).collect())
            .collect(),
        is_fair: fairness.is_fair,
        warnings: warnings.iter().map(ToString::to_string).collect(),
    })
}

/// Whether this is the name of a folder and not a way to another one.
fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    !text.is_empty() && text.chars().all(is_plain)
}

impl Lab {
    fn evolved(&self) -> PathBuf {
        self.settings.store.with_file_name("evolved")
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
            let text = read_text(&self.evolved().join(&name).join("gallery.json")).ok()?;
            let gallery: Gallery = serde_json::from_str(&text).ok()?;
            Some(FairRun {
                name,
                title: gallery.title,
                generation: gallery.history.len(),
                generations: gallery.settings.all_generations(),
                tried: gallery.tried,
                passed: gallery.passed,
                is_complete: gallery.is_complete,
            })
        };
        names.into_iter().filter_map(run).collect()
    }
}
