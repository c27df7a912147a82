//! Evolution of fair maps as a job: a run in a folder, as `sakiyomi evolve --preset fair` makes it, with the best maps of
//! each generation kept beside it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use sakiyomi_catalog::{read_text, write_atomically};
use sakiyomi_core::{Fault, Stop};
use sakiyomi_evolve::{
    Delivery, EvolveError, Find, Gallery, MapProblem, Preset, Progress, Run, Settings, Subject,
    Threads,
};
use tokio::sync::watch;

use super::api::{ApiError, ErrorCode, Job, JobRequest, JobState};
use super::limits::ServeSettings;
use crate::gallery::gallery_files;

const MAX_CELLS: u16 = 64;
const MAX_TURNS: u16 = 60;
const MAX_GENERATIONS: u16 = 200;
const MAX_POPULATION: u16 = 1_000;
/// Maps of a generation that are kept.
const KEPT: usize = 6;
/// A run that a page starts tries fewer candidates than one of the command line, each as thoroughly.
const CANDIDATES: usize = 20;
const WANTED: usize = 6;

/// The name of the run that a request asks for: the same settings are the same run.
pub(super) fn run_name(request: &JobRequest) -> Option<String> {
    let JobRequest::Evolve {
        columns,
        rows,
        units_a_side,
        turn_limit,
        generations,
        population,
        seed,
    } = request
    else {
        return None;
    };
    Some(format!(
        "{columns}x{rows}-units-{units_a_side}-turns-{turn_limit}-{generations}x{population}-seed-{seed}"
    ))
}

/// Where the runs are.
pub(super) fn folder(settings: &ServeSettings) -> PathBuf {
    settings.store.with_file_name("evolved")
}

/// The run of a request, checked.
pub(super) fn run_of(request: &JobRequest, settings: &ServeSettings) -> Result<Run, ApiError> {
    let wrong = |message: String| ApiError::new(ErrorCode::BadRequest, message);
    let JobRequest::Evolve {
        columns,
        rows,
        units_a_side,
        turn_limit,
        generations,
        population,
        seed,
    } = *request
    else {
        return Err(wrong("this is no evolution".to_owned()));
    };
    let is_small = columns.saturating_mul(rows) <= MAX_CELLS && turn_limit <= MAX_TURNS;
    if !is_small || generations > MAX_GENERATIONS || population > MAX_POPULATION {
        return Err(wrong(format!(
            "from the page maps have up to {MAX_CELLS} cells and {MAX_TURNS} turns, and a run up to {MAX_GENERATIONS} \
             generations of {MAX_POPULATION}; `sakiyomi evolve` takes larger ones"
        )));
    }
    let name = run_name(request).expect("it is an evolution");
    let preset = Preset::Fair;
    let asked = preset.settings();
    let bad = |error: EvolveError| wrong(error.to_string());
    let delivery = Delivery::new(&asked.judges, &[], None).map_err(bad)?;
    let run = Run {
        title: preset.title(seed),
        subject: Subject::Map(MapProblem {
            columns,
            rows,
            units_a_side: units_a_side.into(),
            turn_limit,
            ..MapProblem::fair(false)
        }),
        delivery: Delivery { candidates: CANDIDATES, wanted: WANTED, ..delivery },
        settings: Settings {
            seed,
            generations: generations.into(),
            population: population.into(),
            elites: asked.elites.min(usize::from(population) / 4),
            polish: None,
            ..asked
        },
        folder: folder(settings).join(name),
    };
    run.check().map_err(bad)?;
    Ok(run)
}

/// Does what is missing of a run, and says how many generations are done.
pub(super) fn evolve(
    run: &Run,
    threads: usize,
    told: &watch::Sender<Job>,
    stop: &Stop,
) -> Result<JobState, ApiError> {
    let start = Instant::now();
    let generations = run.settings.all_generations() as u64 + 1;
    let tell = |progress: &Progress<'_>| {
        let done = match progress {
            Progress::Games { generation, .. } => *generation as u64,
            Progress::Generation { number, .. } => {
                // What cannot be kept is not shown; the run itself tells of a full disk.
                let _ = keep_generation(&run.folder, *number);
                *number as u64 + 1
            }
            Progress::Tried { .. } => generations - 1,
        };
        told.send_modify(|job| {
            job.games_done = done.min(generations);
            job.games = generations;
            job.seconds = start.elapsed().as_secs_f64();
        });
    };
    let gallery = run.run(&Threads(threads), gallery_files, stop, &tell).map_err(|error| {
        match error.is_input() {
            true => ApiError::new(ErrorCode::BadRequest, error.to_string()),
            false => ApiError::failed(error),
        }
    })?;
    if !gallery.is_complete {
        return Ok(JobState::Stopped);
    }
    told.send_modify(|job| job.games_done = generations);
    Ok(JobState::Done)
}

/// The best maps of a generation, as they were when it was complete.
pub(super) fn generation_file(folder: &Path, number: usize) -> PathBuf {
    folder.join("generations").join(format!("{number}.json"))
}

fn keep_generation(folder: &Path, number: usize) -> std::io::Result<()> {
    let text = read_text(&folder.join("gallery.json"))?;
    let gallery: Gallery = serde_json::from_str(&text)?;
    let best: Vec<&Find> = gallery.finds.iter().take(KEPT).collect();
    let file = generation_file(folder, number);
    std::fs::create_dir_all(folder.join("generations"))?;
    let bytes = serde_json::to_vec(&best)?;
    write_atomically(&file, |out| out.write_all(&bytes))
}
