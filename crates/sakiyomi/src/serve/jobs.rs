//! Duels, experiments, assessments and evolutions that run on the server. What they play goes into the store, so that a job that
//! was stopped, or whose server was, goes on where it was.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use sakiyomi_catalog::{GameSpec, cancellable, read_text, write_atomically};
use sakiyomi_core::Stop;
use sakiyomi_eval::assess::{
    Assess, AssessProgress, AssessReport, DEFAULT_MINUTES, Plan, remedies_of, run_assess,
};
use sakiyomi_eval::experiment::{Experiment, Library, Scale};
use sakiyomi_eval::{CellTally, Pairing, RunProgress, RunSettings, run_experiments};
use tokio::sync::watch;

use super::api::{ApiError, ErrorCode, Job, JobRequest, JobRow, JobState};
use super::limits::{LIMITS, ServeSettings};
use super::panics::without_panic;
use super::{evolution, guard};
use crate::report::{assessment_blocks, to_html};

/// Jobs that run at the same time.
const MAX_RUNNING: usize = 2;
const MAX_JOBS: usize = 200;
const UNIT_SECONDS: f64 = 1.0;
/// Searches of an assessment, and the iterations of the strongest.
const MAX_STRENGTHS: usize = 8;
const MAX_STRENGTH: u32 = 1_000_000;

/// All jobs, the running ones with their threads.
#[derive(Debug)]
pub(super) struct Jobs {
    list: Mutex<Vec<Entry>>,
    /// The requests are written here, so that a server that starts again knows them.
    file: PathBuf,
}

#[derive(Debug)]
struct Entry {
    told: watch::Sender<Job>,
    run: Option<Run>,
    /// Of an assessment, as far as it is known.
    report: Arc<Mutex<Option<AssessReport>>>,
}

#[derive(Debug)]
struct Run {
    stop: Arc<Stop>,
    thread: JoinHandle<()>,
}

impl Entry {
    fn new(id: u32, request: JobRequest) -> Entry {
        let title = match &request {
            JobRequest::Duel { game, agents: [first, second], .. } => {
                format!("{first} against {second} at {game}")
            }
            JobRequest::Experiment { id, scale } => format!("{id} ({scale})"),
            JobRequest::Assess { game, .. } => format!("assessment of {game}"),
            JobRequest::Evolve { .. } => evolution::run_name(&request).unwrap_or_default(),
        };
        let job = Job {
            id,
            request,
            title,
            state: JobState::Stopped,
            games_done: 0,
            games: 0,
            seconds: 0.0,
            seconds_left: None,
            rows: Vec::new(),
            certificates: Vec::new(),
            message: String::new(),
        };
        Entry { told: watch::Sender::new(job), run: None, report: Arc::default() }
    }

    fn job(&self) -> Job {
        self.told.borrow().clone()
    }

    fn is_running(&self) -> bool {
        self.run.as_ref().is_some_and(|run| !run.thread.is_finished())
    }
}

impl Jobs {
    /// The jobs that a server with this store knew before, stopped.
    pub(super) fn load(settings: &ServeSettings) -> Jobs {
        let file = settings.store.with_extension("jobs.json");
        let text = read_text(&file).unwrap_or_default();
        let known: Vec<(u32, JobRequest)> = serde_json::from_str(&text).unwrap_or_default();
        let list = known.into_iter().map(|(id, request)| Entry::new(id, request)).collect();
        Jobs { list: Mutex::new(list), file }
    }

    pub(super) fn all(&self) -> Vec<Job> {
        self.list().iter().map(Entry::job).collect()
    }

    fn list(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the requests. That they outlive the server is a comfort, not a promise, so a disk that
    /// cannot be written to is no reason to refuse a job.
    fn save(&self, list: &[Entry]) {
        let known: Vec<(u32, JobRequest)> =
            list.iter().map(|entry| (entry.job().id, entry.job().request)).collect();
        if let Ok(text) = serde_json::to_string_pretty(&known) {
            let _ = write_atomically(&self.file, |out| out.write_all(text.as_bytes()));
        }
    }

    pub(super) fn start(
        &self,
        request: JobRequest,
        settings: &ServeSettings,
    ) -> Result<Job, ApiError> {
        let mut list = self.list();
        if let Some(at) = list.iter().position(|entry| entry.job().request == request) {
            return run(&mut list, at, settings);
        }
        if list.len() >= MAX_JOBS {
            let message = format!("{MAX_JOBS} jobs are listed; forget some first");
            return Err(ApiError::new(ErrorCode::Busy, message));
        }
        let id = list.iter().map(|entry| entry.job().id).max().unwrap_or(0) + 1;
        list.push(Entry::new(id, request));
        let at = list.len() - 1;
        match run(&mut list, at, settings) {
            Ok(job) => {
                self.save(&list);
                Ok(job)
            }
            // What cannot be started at all is not worth a line in the list.
            Err(error) => {
                list.pop();
                Err(error)
            }
        }
    }

    pub(super) fn command(
        &self,
        id: u32,
        what: &str,
        settings: &ServeSettings,
    ) -> Result<Job, ApiError> {
        let mut list = self.list();
        let at = find(&list, id)?;
        match what {
            "stop" => {
                if let Some(run) = &list[at].run {
                    run.stop.request();
                }
                Ok(list[at].job())
            }
            "resume" => run(&mut list, at, settings),
            "forget" if list[at].is_running() => {
                Err(ApiError::new(ErrorCode::BadRequest, "it runs; stop it first"))
            }
            "forget" => {
                let entry = list.remove(at);
                self.save(&list);
                Ok(entry.job())
            }
            _ => Err(ApiError::new(ErrorCode::NotFound, "known: stop, resume, forget")),
        }
    }

    pub(super) fn watch(&self, id: u32) -> Result<watch::Receiver<Job>, ApiError> {
        let list = self.list();
        Ok(list[find(&list, id)?].told.subscribe())
    }

    /// The report of an assessment as a page of its own.
    pub(super) fn report(&self, id: u32) -> Result<String, ApiError> {
        let list = self.list();
        let report = Arc::clone(&list[find(&list, id)?].report);
        drop(list);
        let report = report.lock().unwrap_or_else(PoisonError::into_inner);
        let missing =
            || ApiError::new(ErrorCode::NotFound, "there is no report yet; resume the assessment");
        let report = report.as_ref().ok_or_else(missing)?;
        Ok(to_html(&format!("Assessment of {}", report.game), &assessment_blocks(report)))
    }

    /// Stops everything and waits until it has stopped.
    pub(super) fn stop_all(&self) {
        let runs: Vec<Run> = self.list().iter_mut().filter_map(|entry| entry.run.take()).collect();
        runs.iter().for_each(|run| run.stop.request());
        for run in runs {
            let _ = run.thread.join();
        }
    }
}

fn find(list: &[Entry], id: u32) -> Result<usize, ApiError> {
    let message = || format!("there is no job {id} any more");
    let found = list.iter().position(|entry| entry.told.borrow().id == id);
    found.ok_or_else(|| ApiError::new(ErrorCode::NotFound, message()))
}

/// Starts a job, or lets it go on.
fn run(list: &mut [Entry], at: usize, settings: &ServeSettings) -> Result<Job, ApiError> {
    if list[at].is_running() {
        return Ok(list[at].job());
    }
    if list.iter().filter(|entry| entry.is_running()).count() >= MAX_RUNNING {
        let message = format!("{MAX_RUNNING} jobs are running; stop one or wait");
        return Err(ApiError::new(ErrorCode::Busy, message));
    }
    let job = list[at].job();
    let work = work_of(&job, list[at].report.clone(), settings)?;
    let told = list[at].told.clone();
    told.send_modify(|job| {
        job.state = JobState::Running;
        job.message.clear();
    });
    let stop = Arc::new(Stop::new());
    let on_thread = Arc::clone(&stop);
    let thread = thread::spawn(move || {
        let ran = without_panic(|| cancellable(&on_thread, || work(&told, &on_thread)));
        told.send_modify(|job| match ran {
            Ok(state) => job.state = state,
            Err(error) => {
                job.state = JobState::Failed;
                job.message = error.message;
            }
        });
    });
    list[at].run = Some(Run { stop, thread });
    Ok(list[at].job())
}

/// The work of a job: it says how far it is, and in the end whether it is complete.
type JobWork =
    Box<dyn FnOnce(&watch::Sender<Job>, &Stop) -> Result<JobState, ApiError> + Send + 'static>;

fn work_of(
    job: &Job,
    report: Arc<Mutex<Option<AssessReport>>>,
    settings: &ServeSettings,
) -> Result<JobWork, ApiError> {
    let settings = settings.clone();
    if let JobRequest::Assess { .. } = &job.request {
        let assessments = assessments(&job.request, settings.threads)?;
        return Ok(Box::new(move |told: &watch::Sender<Job>, stop: &Stop| {
            assess(&assessments, &settings.store, &report, told, stop)
        }));
    }
    if let JobRequest::Evolve { .. } = &job.request {
        let run = evolution::run_of(&job.request, &settings)?;
        return Ok(Box::new(move |told: &watch::Sender<Job>, stop: &Stop| {
            evolution::evolve(&run, settings.threads, told, stop)
        }));
    }
    let (experiment, scale) = experiment(job, &settings.experiments)?;
    Ok(Box::new(move |told: &watch::Sender<Job>, stop: &Stop| {
        told.send_modify(|job| job.title.clone_from(&experiment.title));
        let run_settings = RunSettings {
            scale,
            threads: settings.threads,
            unit_seconds: UNIT_SECONDS,
            worker: sakiyomi_evolve::run_unit,
        };
        let start = Instant::now();
        let mut tell = |progress: &RunProgress| {
            let seconds = start.elapsed().as_secs_f64();
            told.send_modify(|job| show_progress(job, &experiment.id, progress, seconds));
        };
        let store = &settings.store;
        let summary = run_experiments(&[&experiment], run_settings, store, stop, &mut tell)
            .map_err(ApiError::failed)?;
        Ok(match summary.games_done < summary.games {
            true => JobState::Stopped,
            false => JobState::Done,
        })
    }))
}

/// The assessments that a request asks for: of the game, and of what would mend it.
fn assessments(request: &JobRequest, threads: usize) -> Result<Vec<Assess>, ApiError> {
    let JobRequest::Assess { game, strengths, games, remedies, seed } = request else {
        return Ok(Vec::new());
    };
    let wrong = |message: String| ApiError::new(ErrorCode::BadRequest, message);
    let limit = LIMITS.duel_games;
    let strongest = strengths.last().copied().unwrap_or(0);
    if u64::from(*games) > limit || strengths.len() > MAX_STRENGTHS || strongest > MAX_STRENGTH {
        return Err(wrong(format!(
            "at most {limit} games and {MAX_STRENGTHS} strengths of up to {MAX_STRENGTH} iterations are possible"
        )));
    }
    let game = guard::game(game)?;
    let changed = if *remedies { remedies_of(&game)? } else { Vec::new() };
    let assess = |game: GameSpec| {
        let strengths = strengths.iter().map(|&n| u64::from(n)).collect();
        let plan = Plan::of_sizes(&game, strengths, (*games).into(), Vec::new());
        let plan = plan.map_err(|error| wrong(error.to_string()))?;
        Ok(Assess { game, plan, seed: *seed, threads, minutes: DEFAULT_MINUTES })
    };
    [game].into_iter().chain(changed).map(assess).collect()
}

fn assess(
    assessments: &[Assess],
    store: &Path,
    report: &Mutex<Option<AssessReport>>,
    told: &watch::Sender<Job>,
    stop: &Stop,
) -> Result<JobState, ApiError> {
    let start = Instant::now();
    let mut whole: Option<AssessReport> = None;
    told.send_modify(|job| job.certificates.clear());
    for one in assessments {
        let mut tell = |progress: &AssessProgress| {
            told.send_modify(|job| {
                job.games_done = progress.done;
                job.games = progress.games;
                job.seconds = start.elapsed().as_secs_f64();
                job.seconds_left = progress.seconds_left;
            });
        };
        let found = run_assess(one, Some(store), stop, &mut tell).map_err(ApiError::failed)?;
        let sentence = format!("{}: {}", found.game, found.verdict.sentence);
        told.send_modify(|job| job.certificates.push(sentence));
        match &mut whole {
            Some(whole) => whole.remedies.push(found),
            None => whole = Some(found),
        }
        *report.lock().unwrap_or_else(PoisonError::into_inner) = whole.clone();
        if stop.requested() {
            return Ok(JobState::Stopped);
        }
    }
    Ok(JobState::Done)
}

/// What a request wants to be played.
fn experiment(job: &Job, library: &Library) -> Result<(Experiment, Scale), ApiError> {
    let wrong = |message: String| ApiError::new(ErrorCode::BadRequest, message);
    match &job.request {
        JobRequest::Duel { game, agents: [first, second], games, seed } => {
            if *games == 0 || *games > LIMITS.duel_games {
                return Err(wrong(format!(
                    "{games} games; 1 to {} are possible",
                    LIMITS.duel_games
                )));
            }
            let game = guard::game(game)?;
            if game.players()? < 2 {
                return Err(wrong(format!("{game} has 1 player; a duel needs at least 2")));
            }
            let agents = [guard::player(first)?, guard::player(second)?];
            let pairing = Pairing::new(game, agents, *seed);
            pairing.try_out().map_err(|error| ApiError::agent(&error))?;
            let id = format!("duel-{}", job.id);
            Ok((Experiment::of_duel(&id, pairing, *games), Scale::Quick))
        }
        JobRequest::Assess { .. } | JobRequest::Evolve { .. } => {
            Err(wrong("this is no experiment".to_owned()))
        }
        JobRequest::Experiment { id, scale } => {
            let scale = scale.parse().map_err(wrong)?;
            let all = library.all().map_err(ApiError::failed)?;
            let found = all.into_iter().find(|experiment| experiment.id == *id);
            let missing =
                || ApiError::new(ErrorCode::NotFound, format!("no experiment is called `{id}`"));
            Ok((found.ok_or_else(missing)?, scale))
        }
    }
}

fn show_progress(job: &mut Job, experiment: &str, progress: &RunProgress, seconds: f64) {
    job.games_done = progress.games_done;
    job.games = progress.games;
    job.seconds = seconds;
    job.seconds_left = progress.seconds_left;
    let prefix = format!("{experiment}: ");
    let row = |CellTally { name, tally, n_players }: &CellTally| {
        let interval = tally.interval();
        JobRow {
            name: name.strip_prefix(&prefix).unwrap_or(name).to_owned(),
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            score: tally.score(),
            low: interval.low,
            high: interval.high,
            p: tally.sign_test_of(*n_players),
        }
    };
    job.rows = progress.tallies.iter().map(row).collect();
}
