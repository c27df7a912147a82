//! Runs of evolution in a folder: a checkpoint after each generation, what was found, and how it is
//! shown.
//!
//! A run has two parts. Evolution makes candidates; then judges, some of which evolution never
//! asked, play fresh games on them, and those that are fair for all of them are delivered. Both
//! parts go on where they were stopped.

use std::fs;
use std::path::{Path, PathBuf};

use sakiyomi_catalog::{read_text, write_atomically};
use sakiyomi_core::{Rng, Stop};
use serde::Serialize;

use crate::written::Written;
use crate::{
    Delivery, Evolution, EvolveError, Fairness, FairnessSettings, Find, Gallery, GameRunner,
    Generation, Individual, JudgeFairness, MapProblem, NumberProblem, ScenarioProblem, Settings,
    Step, judge_game,
};

/// A run as it is asked for.
#[derive(Clone, Debug)]
pub struct Run {
    pub title: String,
    pub subject: Subject,
    pub settings: Settings,
    pub delivery: Delivery,
    /// It is made if it is not there.
    pub folder: PathBuf,
}

/// What is evolved.
#[derive(Clone, Debug)]
pub enum Subject {
    Map(MapProblem),
    Scenario(ScenarioProblem),
    Numbers(NumberProblem),
}

/// The pages and pictures of a gallery, with the names of their files.
pub type Draw = fn(&Gallery) -> Vec<(&'static str, Vec<u8>)>;

/// How far a run is.
#[derive(Clone, Debug)]
pub enum Progress<'a> {
    /// Games of a stage.
    Games {
        generation: usize,
        done: u64,
        games: u64,
    },
    Generation {
        number: usize,
        generation: &'a Generation,
    },
    /// A candidate was tried.
    Tried {
        tried: usize,
        candidates: usize,
        passed: usize,
    },
}

impl Run {
    /// What makes no sense.
    pub fn check(&self) -> Result<(), EvolveError> {
        let checked = match &self.subject {
            Subject::Map(problem) => problem.check(),
            Subject::Scenario(problem) => problem.check(),
            Subject::Numbers(problem) => problem.check(),
        };
        checked.map_err(EvolveError::Settings)?;
        self.settings.check()
    }

    /// Does what is missing of the run. `stop` ends it with all games that are complete kept.
    pub fn run(
        &self,
        runner: &dyn GameRunner,
        draw: Draw,
        stop: &Stop,
        tell: &dyn Fn(&Progress<'_>),
    ) -> Result<Gallery, EvolveError> {
        self.check()?;
        let maps = self.folder.join(MAPS);
        fs::create_dir_all(&maps).map_err(|error| file_error(&maps, error))?;
        match &self.subject {
            Subject::Map(problem) => RunOf { run: self, problem, runner, draw }.run(stop, tell),
            Subject::Scenario(problem) => {
                RunOf { run: self, problem, runner, draw }.run(stop, tell)
            }
            Subject::Numbers(problem) => RunOf { run: self, problem, runner, draw }.run(stop, tell),
        }
    }

    /// Where the checkpoint is.
    fn checkpoint(&self) -> PathBuf {
        self.folder.join("run.json")
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), EvolveError> {
        let path = self.folder.join(name);
        write_atomically(&path, |out| out.write_all(bytes))
            .map_err(|error| file_error(&path, error))
    }
}

fn file_error(path: &Path, error: std::io::Error) -> EvolveError {
    EvolveError::File { path: path.display().to_string(), error }
}

/// The folder of what was found, within that of the run.
const MAPS: &str = "maps";
/// What is known of the candidates that were tried.
const TRIED: &str = "tried.json";

/// A run with what it evolves.
struct RunOf<'a, P> {
    run: &'a Run,
    problem: &'a P,
    runner: &'a dyn GameRunner,
    draw: Draw,
}

impl<P: Written + Serialize> RunOf<'_, P> {
    fn run(&self, stop: &Stop, tell: &dyn Fn(&Progress<'_>)) -> Result<Gallery, EvolveError> {
        let mut evolution = self.open()?;
        while !evolution.is_done() {
            let generation = evolution.history.len();
            let step = evolution.step(self.problem, self.runner, stop, &|done, games| {
                tell(&Progress::Games { generation, done, games });
            })?;
            evolution.save(&self.run.checkpoint())?;
            if step == Step::Stopped {
                return Ok(self.gallery(&evolution, &[], false));
            }
            self.write_gallery(&self.gallery(&evolution, &[], false))?;
            if let Some(last) = evolution.history.last() {
                tell(&Progress::Generation { number: generation, generation: last });
            }
        }
        let tried = self.try_candidates(&evolution, stop, tell)?;
        let gallery = self.gallery(&evolution, &tried, !stop.requested());
        self.write_files(&evolution, &gallery)?;
        self.write_gallery(&gallery)?;
        Ok(gallery)
    }

    /// The checkpoint, or a new run.
    fn open(&self) -> Result<Evolution<P::Genome>, EvolveError> {
        let problem = serde_json::to_string(self.problem).unwrap_or_default();
        let path = self.run.checkpoint();
        if !path.exists() {
            return Evolution::new(self.run.settings.clone(), problem);
        }
        let mut evolution: Evolution<P::Genome> = Evolution::load(&path)?;
        // More generations may be asked for, until the last phase has begun; all else must be the
        // same, or it would be another run.
        if evolution.lineages.is_empty() {
            evolution.settings.generations = self.run.settings.generations;
        }
        if evolution.settings != self.run.settings || evolution.problem != problem {
            return Err(EvolveError::Settings(format!(
                "{} is a run with other settings; repeat them, or use another folder",
                path.display()
            )));
        }
        Ok(evolution)
    }

    /// Lets judges play fresh games on the candidates, best first.
    fn try_candidates(
        &self,
        evolution: &Evolution<P::Genome>,
        stop: &Stop,
        tell: &dyn Fn(&Progress<'_>),
    ) -> Result<Vec<(u64, Fairness)>, EvolveError> {
        let delivery = &self.run.delivery;
        let mut candidates = evolution.best(self.problem, delivery.distance);
        candidates.truncate(delivery.candidates);
        let path = self.run.folder.join(TRIED);
        // Results of other judges or numbers of games are no results of these.
        let key = serde_json::to_string(delivery).unwrap_or_default();
        let known: Option<(String, Vec<(u64, Fairness)>)> =
            read_text(&path).ok().and_then(|text| serde_json::from_str(&text).ok());
        let known = match known {
            Some((known, tried)) if known == key => tried,
            _ => Vec::new(),
        };
        let mut tried: Vec<(u64, Fairness)> = Vec::new();
        let n = candidates.len();
        for one in &candidates {
            let passed = tell_tried(&tried, n, tell);
            if passed >= delivery.wanted || stop.requested() {
                break;
            }
            // What was tried before and is no candidate any more does not count.
            if let Some(known) = known.iter().find(|(id, _)| *id == one.id) {
                tried.push(known.clone());
                continue;
            }
            let game = |noise: bool| self.problem.game(&one.genome, noise);
            let seed = Rng::stream(&[self.run.settings.seed, one.id, FRESH]).bits();
            let quorum = Some(delivery.quorum);
            let settings = FairnessSettings { games: delivery.games, seed, quorum };
            let fairness =
                judge_game(&game, &delivery.judges, settings, self.runner, stop, &|_| {})?;
            if stop.requested() {
                break;
            }
            tried.push((one.id, fairness));
            self.keep_tried(&key, &tried)?;
        }
        tell_tried(&tried, n, tell);
        // Those that were known come in another order if the run has gone on since. If it is
        // stopped, not all of them have been looked at, and none may be lost.
        if !stop.requested() {
            self.keep_tried(&key, &tried)?;
        }
        Ok(tried)
    }

    fn keep_tried(&self, key: &str, tried: &[(u64, Fairness)]) -> Result<(), EvolveError> {
        let text = serde_json::to_string(&(key, tried)).unwrap_or_default();
        self.run.write(TRIED, text.as_bytes())
    }

    /// What is shown: the fair ones, or the best of all while nothing was tried.
    fn gallery(
        &self,
        evolution: &Evolution<P::Genome>,
        tried: &[(u64, Fairness)],
        is_complete: bool,
    ) -> Gallery {
        let find = |one: &Individual<P::Genome>, fresh: Option<&Fairness>| Find {
            id: one.id,
            code: self.problem.code(&one.genome),
            fitness: evolution.fitness(one),
            search: evolution
                .settings
                .judges
                .iter()
                .zip(&one.evidence)
                .map(|(judge, evidence)| JudgeFairness::of(judge, evidence))
                .collect(),
            fresh: fresh.cloned(),
        };
        let all = evolution.best(self.problem, self.run.delivery.distance);
        let finds = if tried.is_empty() {
            all.iter().take(SHOWN).map(|one| find(one, None)).collect()
        } else {
            let mut fair: Vec<&(u64, Fairness)> =
                tried.iter().filter(|(_, fairness)| fairness.is_fair).collect();
            fair.sort_by_key(|(_, fairness)| std::cmp::Reverse(fairness.n_fair()));
            let fair = fair.into_iter();
            fair.filter_map(|(id, fairness)| {
                Some(find(all.iter().find(|one| one.id == *id)?, Some(fairness)))
            })
            .collect()
        };
        Gallery {
            title: self.run.title.clone(),
            settings: evolution.settings.clone(),
            delivery: self.run.delivery.clone(),
            problem: evolution.problem.clone(),
            remarks: self.problem.remarks().iter().map(|&name| name.to_owned()).collect(),
            history: evolution.history.clone(),
            tried: tried.len(),
            passed: tried.iter().filter(|(_, fairness)| fairness.is_fair).count(),
            is_complete,
            finds,
        }
    }

    /// Writes the gallery as data, and all that is drawn of it.
    fn write_gallery(&self, gallery: &Gallery) -> Result<(), EvolveError> {
        let text = serde_json::to_string(gallery).unwrap_or_default();
        self.run.write("gallery.json", text.as_bytes())?;
        self.run.write("history.csv", gallery.history_csv().as_bytes())?;
        (self.draw)(gallery).iter().try_for_each(|(name, bytes)| self.run.write(name, bytes))
    }

    /// The finds as files that other programs load.
    fn write_files(
        &self,
        evolution: &Evolution<P::Genome>,
        gallery: &Gallery,
    ) -> Result<(), EvolveError> {
        let all = evolution.best(self.problem, self.run.delivery.distance);
        for (number, find) in (1..).zip(&gallery.finds) {
            let Some(one) = all.iter().find(|one| one.id == find.id) else { continue };
            let title = format!("{} {number}", self.run.title);
            let (ending, text) = self.problem.file(&one.genome, &title);
            self.run.write(&format!("{MAPS}/{number:02}.{ending}"), text.as_bytes())?;
        }
        Ok(())
    }
}

/// Tells how many candidates were tried; returns how many of them are fair.
fn tell_tried(tried: &[(u64, Fairness)], candidates: usize, tell: &dyn Fn(&Progress<'_>)) -> usize {
    let passed = tried.iter().filter(|(_, fairness)| fairness.is_fair).count();
    tell(&Progress::Tried { tried: tried.len(), candidates, passed });
    passed
}

/// The stream of fresh games.
const FRESH: u64 = 4;
/// Finds that are shown while a run is not complete.
const SHOWN: usize = 24;
