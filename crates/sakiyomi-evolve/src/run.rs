//! Runs of evolution in a folder: a checkpoint after each generation, what was found, and how it is
//! shown.
//!
//! A run has two parts. Evolution makes candidates; then judges, some of which evolution never
//! asked, play fresh games on them, and those that are fair for all of them are delivered. Both
//! parts go on where they were stopped.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sakiyomi_catalog::{read_text, write_atomically};
use sakiyomi_core::{Rng, Stop};
use serde::{Deserialize, Serialize};

use crate::sealed::{seal, unseal};
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
/// How often a generation that is not complete yet is kept: some take hours.
const KEEP_EVERY: Duration = Duration::from_secs(20);
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
            let checkpoint = self.run.checkpoint();
            let tell_games = |done, games| tell(&Progress::Games { generation, done, games });
            // If it cannot be saved, that is told when the generation is complete.
            let keep = |so_far: &Evolution<P::Genome>| drop(so_far.save(&checkpoint));
            let keep = Some((KEEP_EVERY, &keep as &dyn Fn(&_)));
            let step = evolution.step(self.problem, self.runner, stop, &tell_games, keep)?;
            evolution.save(&checkpoint)?;
            if step == Step::Stopped {
                return Ok(self.gallery(&evolution, &[], false));
            }
            self.write_gallery(&self.gallery(&evolution, &[], false))?;
            if let Some(last) = evolution.history.last() {
                tell(&Progress::Generation { number: generation, generation: last });
            }
        }
        let tried = self.try_candidates(&evolution, stop, tell)?;
        self.deliver(&evolution, &tried, !stop.requested())
    }

    /// Writes what is found so far: the gallery, and the finds as files.
    fn deliver(
        &self,
        evolution: &Evolution<P::Genome>,
        tried: &[(u64, Fairness)],
        is_complete: bool,
    ) -> Result<Gallery, EvolveError> {
        let gallery = self.gallery(evolution, tried, is_complete);
        self.write_files(evolution, &gallery)?;
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
        let known = match read_tried(&path) {
            Some(known) if known.delivery == key => known.tried,
            _ => Vec::new(),
        };
        let mut tried: Vec<(u64, Fairness)> = Vec::new();
        let n = candidates.len();
        for one in &candidates {
            let passed = tell_tried(&tried, n, tell);
            if passed >= delivery.wanted {
                break;
            }
            // What was tried before and is no candidate any more does not count.
            if let Some(known) = known.iter().find(|(id, _)| *id == one.id) {
                tried.push(known.clone());
                continue;
            }
            // Those that are known are counted even if it is stopped.
            if stop.requested() {
                continue;
            }
            let game = |noise: bool| self.problem.game(&one.genome, noise);
            let seed = Rng::stream(&[self.run.settings.seed, one.id, FRESH]).bits();
            let quorum = Some(delivery.quorum);
            let settings = FairnessSettings { games: delivery.games, seed, quorum };
            let fairness =
                judge_game(&game, &delivery.judges, settings, self.runner, stop, &|_| {})?;
            if stop.requested() {
                continue;
            }
            tried.push((one.id, fairness));
            self.keep_tried(&key, &tried)?;
            // Trying takes as long as evolution did: what is fair is shown and written at once.
            self.deliver(evolution, &tried, false)?;
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
        let tried = Tried { delivery: key.to_owned(), tried: tried.to_vec() };
        let text = serde_json::to_string(&tried).unwrap_or_default();
        self.run.write(TRIED, seal(&text).as_bytes())
    }

    /// What is shown: the fair ones, or the best of all while none is known to be fair.
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
        let has_fair = tried.iter().any(|(_, fairness)| fairness.is_fair);
        let finds = if tried.is_empty() || !has_fair && !is_complete {
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

    /// The finds as files that other programs load. While it runs those that are shown as the best
    /// so far are no finds yet.
    fn write_files(
        &self,
        evolution: &Evolution<P::Genome>,
        gallery: &Gallery,
    ) -> Result<(), EvolveError> {
        let all = evolution.best(self.problem, self.run.delivery.distance);
        let is_find = |find: &&Find| gallery.is_complete || find.fresh.is_some();
        for (number, find) in (1..).zip(gallery.finds.iter().filter(is_find)) {
            let Some(one) = all.iter().find(|one| one.id == find.id) else { continue };
            let title = format!("{} {number}", self.run.title);
            let (ending, text) = self.problem.file(&one.genome, &title);
            self.run.write(&format!("{MAPS}/{number:02}.{ending}"), text.as_bytes())?;
        }
        Ok(())
    }
}

/// What was found of candidates.
#[derive(Debug, Serialize, Deserialize)]
struct Tried {
    /// What was asked for, as a text.
    delivery: String,
    tried: Vec<(u64, Fairness)>,
}

/// What was found before. A file that is damaged is none: its games are played again.
fn read_tried(path: &Path) -> Option<Tried> {
    let text = read_text(path).ok()?;
    serde_json::from_slice(&unseal(text.as_bytes()).ok()?).ok()
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::{Preset, Quorum, Stage, Threads};

    /// A run whose candidates are all taken for fair.
    fn run(folder: &Path) -> Run {
        let mut settings = Preset::Fair.settings();
        (settings.population, settings.generations, settings.elites) = (8, 1, 2);
        settings.stages = vec![Stage { games: 4, share: 1.0 }];
        settings.judges = vec!["sample+noise".parse().unwrap()];
        settings.polish = None;
        Run {
            title: "test".to_owned(),
            subject: Subject::Map(MapProblem::fair(false)),
            delivery: Delivery {
                judges: settings.judges.clone(),
                quorum: Quorum { first: 0, of_all: 0 },
                games: 4,
                distance: 0.0,
                candidates: 4,
                wanted: 4,
            },
            settings,
            folder: folder.to_owned(),
        }
    }

    fn shown(folder: &Path) -> Gallery {
        serde_json::from_str(&read_text(&folder.join("gallery.json")).unwrap()).unwrap()
    }

    /// What is fair is in the gallery and in files while others are tried, and stays there when the
    /// run goes on and is stopped before it has played a game.
    #[test]
    fn fair_candidates_are_delivered_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let (stop, n_looks) = (Stop::new(), Cell::new(0));
        let look = |progress: &Progress<'_>| {
            let Progress::Tried { tried, passed, .. } = progress else { return };
            assert_eq!(tried, passed);
            if !(1..=2).contains(tried) || stop.requested() {
                return;
            }
            n_looks.set(n_looks.get() + 1);
            assert_eq!((shown(folder).passed, shown(folder).finds.len()), (*passed, *passed));
            assert!(folder.join(format!("maps/{passed:02}.tbsmap")).exists());
            if *tried == 2 {
                stop.request();
            }
        };
        let stopped = run(folder).run(&Threads(1), |_| Vec::new(), &stop, &look).unwrap();
        assert_eq!((n_looks.get(), stopped.passed, stopped.is_complete), (2, 2, false));
        let again = run(folder).run(&Threads(1), |_| Vec::new(), &stop, &|_| {}).unwrap();
        assert_eq!((again.passed, shown(folder).passed), (2, 2));
        let whole = run(folder).run(&Threads(1), |_| Vec::new(), &Stop::new(), &|_| {}).unwrap();
        assert_eq!((whole.passed, whole.is_complete), (4, true));
    }

    /// A digit that was changed in the checkpoint is an error, and the file is named.
    #[test]
    fn a_damaged_checkpoint_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let run = run(folder.path());
        let stop = Stop::new();
        run.run(&Threads(1), |_| Vec::new(), &stop, &|_| {}).unwrap();
        let text = read_text(&run.checkpoint()).unwrap();
        let at = text.rfind("\"estimates\":").unwrap() + "\"estimates\":".len();
        let mut damaged = text.into_bytes();
        damaged[at] = if damaged[at] == b'1' { b'2' } else { b'1' };
        fs::write(run.checkpoint(), damaged).unwrap();
        let error = run.run(&Threads(1), |_| Vec::new(), &stop, &|_| {}).unwrap_err().to_string();
        assert!(error.contains("run.json") && error.contains("checksum"), "{error}");
    }
}
