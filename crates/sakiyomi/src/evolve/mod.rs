//! Runs of evolution in a folder: a checkpoint after each generation, what was found, and how it is shown.
//!
//! A run has two parts. Evolution makes candidates; then judges, some of which evolution never asked, play fresh games on them, and
//! those that are fair for all of them are delivered. Both parts go on where they were stopped.

mod gallery;
mod hand_out;
mod presets;

pub use gallery::{curves_figure, fairness_lines, gallery_html, maps_figure, picture};
pub use hand_out::HandOut;
pub use presets::{Preset, fair_polish, fair_settings, paper_settings};

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sakiyomi_catalog::{read_text, write_atomically};
use sakiyomi_core::{Rng, Stop};
use sakiyomi_evolve::{
    Evolution, EvolveError, Fairness, FairnessSettings, Fitness, GameRunner, Generation,
    Individual, Judge, JudgeFairness, MapGenome, MapProblem, NumberGenome, NumberProblem, Problem,
    Quorum, ScenarioGenome, ScenarioProblem, Settings, Step, judge_game,
};
use sakiyomi_games::sangoku::{Scenario, Stat, Talent};
use sakiyomi_games::tubstap::{Map, write_map};
use serde::{Deserialize, Serialize};

/// What a run is asked for, beyond its evolution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delivery {
    /// Who plays the fresh games; those that the evolution never asks come first.
    pub judges: Vec<Judge>,
    /// For how many of them a candidate must be fair.
    pub quorum: Quorum,
    pub games: u64,
    /// Candidates are this different from each other.
    pub distance: f64,
    /// Candidates that are tried, at most.
    pub candidates: usize,
    /// Ends as soon as this number is fair.
    pub wanted: usize,
}

/// What the page and the gallery show of a run, written after each generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gallery {
    pub title: String,
    pub settings: Settings,
    pub delivery: Delivery,
    pub problem: String,
    /// The names of the shares in [`Generation::remarks`].
    pub remarks: Vec<String>,
    pub history: Vec<Generation>,
    /// Candidates that were tried with fresh games, and that are fair.
    pub tried: usize,
    pub passed: usize,
    /// Whether all is done.
    pub is_complete: bool,
    /// Best first: those that are fair on fresh games, or, while it runs, the best so far.
    pub finds: Vec<Find>,
}

/// A map, a scenario or numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Find {
    pub id: u64,
    /// The word that makes the game.
    pub code: String,
    pub fitness: f64,
    /// What the judges of the evolution say.
    pub search: Vec<JudgeFairness>,
    /// What fresh games say.
    pub fresh: Option<Fairness>,
}

/// A problem whose finds can be written.
pub trait Written: Problem {
    /// The word that makes the game.
    fn code(&self, genome: &Self::Genome) -> String;
    /// The ending of files, and the text of one.
    fn file(&self, genome: &Self::Genome, title: &str) -> (&'static str, String);
}

impl Written for MapProblem {
    fn code(&self, genome: &MapGenome) -> String {
        self.write(genome).map.code()
    }

    fn file(&self, genome: &MapGenome, title: &str) -> (&'static str, String) {
        let author = Some("Sakiyomi".to_owned());
        let map = Map { author, comment: Some(title.to_owned()), ..self.write(genome).map };
        ("tbsmap", write_map(&map))
    }
}

impl Written for ScenarioProblem {
    fn code(&self, genome: &ScenarioGenome) -> String {
        self.write(genome).map(|scenario| scenario.code()).unwrap_or_default()
    }

    fn file(&self, genome: &ScenarioGenome, title: &str) -> (&'static str, String) {
        ("toml", scenario_text(self.write(genome), title))
    }
}

impl Written for NumberProblem {
    fn code(&self, genome: &NumberGenome) -> String {
        self.write(genome).map(|scenario| scenario.code()).unwrap_or_default()
    }

    fn file(&self, genome: &NumberGenome, title: &str) -> (&'static str, String) {
        ("toml", scenario_text(self.write(genome), title))
    }
}

/// A scenario as a file that sangoku reads.
fn scenario_text(scenario: Option<Scenario>, title: &str) -> String {
    let Some(it) = scenario else { return String::new() };
    let mut text = format!(
        "title = {title:?}\nwidth = {}\nheight = {}\nrounds = {}\nhit-points = {}\nmovement = {}\nattack-scale = {}\n\
         fire-scale = {}\nrecoil = {}\ncharge-hurts = {}\ndraw = {:?}\n",
        it.width,
        it.height,
        it.rounds,
        it.hit_points,
        it.movement,
        it.attack_scale,
        it.fire_scale,
        it.recoil,
        it.charge_hurts,
        it.draw
    );
    for (side, soldiers) in [("first", &it.first), ("second", &it.second)] {
        for soldier in soldiers {
            let stat = |stat: Stat| match stat {
                Stat::Given(value) => value.to_string(),
                Stat::Dealt(_) => "\"random\"".to_owned(),
            };
            let ability = match soldier.ability {
                Talent::Random => "random".to_owned(),
                Talent::Given(ability) => format!("{ability:?}").to_lowercase(),
            };
            let [attack, defence, intellect] =
                [soldier.attack, soldier.defence, soldier.intellect].map(stat);
            text += &format!(
                "\n[[{side}]]\ncell = {:?}\nattack = {attack}\ndefence = {defence}\nintellect = {intellect}\n\
                 ability = {ability:?}\n",
                soldier.cell
            );
        }
    }
    text
}

/// How far a run is.
#[derive(Clone, Debug)]
pub enum Progress<'a> {
    /// Games of a stage.
    Games {
        generation: usize,
        done: usize,
        games: usize,
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

/// Files of a run.
#[derive(Clone, Debug)]
pub struct RunFolder(PathBuf);

impl RunFolder {
    pub fn new(path: &Path) -> io::Result<RunFolder> {
        fs::create_dir_all(path.join("maps"))?;
        Ok(RunFolder(path.to_owned()))
    }

    pub fn checkpoint(&self) -> PathBuf {
        self.0.join("run.json")
    }

    fn tried(&self) -> PathBuf {
        self.0.join("tried.json")
    }

    pub fn gallery(&self) -> PathBuf {
        self.0.join("gallery.json")
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), EvolveError> {
        let path = self.file(name);
        write_atomically(&path, |out| out.write_all(bytes))
            .map_err(|error| EvolveError::File { path: path.display().to_string(), error })
    }

    /// Writes the gallery as data, as a page and as pictures.
    pub fn write_gallery(&self, gallery: &Gallery, with_pictures: bool) -> Result<(), EvolveError> {
        let text = serde_json::to_string(gallery).unwrap_or_default();
        self.write("gallery.json", text.as_bytes())?;
        self.write("history.csv", history_csv(gallery).as_bytes())?;
        let curves = curves_figure(gallery);
        let maps = maps_figure(gallery);
        self.write("curves.svg", curves.to_svg().as_bytes())?;
        self.write("maps.svg", maps.to_svg().as_bytes())?;
        self.write("gallery.html", gallery_html(gallery).as_bytes())?;
        if with_pictures {
            for (name, figure) in [("curves.png", curves), ("maps.png", maps)] {
                if let Ok(png) = figure.to_png() {
                    self.write(name, &png)?;
                }
            }
        }
        Ok(())
    }
}

/// A run as it is asked for.
#[derive(Debug)]
pub struct Run<'a, P> {
    pub title: String,
    pub problem: &'a P,
    pub settings: Settings,
    pub delivery: Delivery,
    pub folder: RunFolder,
    /// Where games are played.
    pub runner: &'a dyn GameRunner,
}

impl<P: Written + Serialize> Run<'_, P> {
    /// Does what is missing of the run. `stop` ends it with all games that are complete kept.
    pub fn run(
        &self,
        stop: &Stop,
        tell: &(dyn Fn(&Progress<'_>) + Sync),
    ) -> Result<Gallery, EvolveError> {
        let mut evolution = self.open()?;
        while !evolution.is_done() {
            let generation = evolution.history.len();
            let step = evolution.step(self.problem, self.runner, stop, &|done, games| {
                tell(&Progress::Games { generation, done, games });
            })?;
            evolution.save(&self.folder.checkpoint())?;
            if step == Step::Stopped {
                return Ok(self.gallery(&evolution, &[], false));
            }
            self.folder.write_gallery(&self.gallery(&evolution, &[], false), false)?;
            if let Some(last) = evolution.history.last() {
                tell(&Progress::Generation { number: generation, generation: last });
            }
        }
        let tried = self.try_candidates(&evolution, stop, tell)?;
        let gallery = self.gallery(&evolution, &tried, !stop.requested());
        self.write_files(&evolution, &gallery)?;
        self.folder.write_gallery(&gallery, gallery.is_complete)?;
        Ok(gallery)
    }

    /// The checkpoint, or a new run.
    fn open(&self) -> Result<Evolution<P::Genome>, EvolveError> {
        let problem = serde_json::to_string(self.problem).unwrap_or_default();
        let path = self.folder.checkpoint();
        if !path.exists() {
            return Evolution::new(self.settings.clone(), problem);
        }
        let mut evolution: Evolution<P::Genome> = Evolution::load(&path)?;
        // More generations may be asked for, until the last phase has begun; all else must be the same, or it would be another run.
        if evolution.lineages.is_empty() {
            evolution.settings.generations = self.settings.generations;
        }
        if evolution.settings != self.settings || evolution.problem != problem {
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
        tell: &(dyn Fn(&Progress<'_>) + Sync),
    ) -> Result<Vec<(u64, Fairness)>, EvolveError> {
        let delivery = &self.delivery;
        let mut candidates = evolution.best(self.problem, delivery.distance);
        candidates.truncate(delivery.candidates);
        let path = self.folder.tried();
        // Results of other judges or numbers of games are no results of these.
        let key = serde_json::to_string(delivery).unwrap_or_default();
        let known: Option<(String, Vec<(u64, Fairness)>)> =
            read_text(&path).ok().and_then(|text| serde_json::from_str(&text).ok());
        let known = match known {
            Some((known, tried)) if known == key => tried,
            _ => Vec::new(),
        };
        let mut tried: Vec<(u64, Fairness)> = Vec::new();
        for one in &candidates {
            let passed = tried.iter().filter(|(_, fairness)| fairness.is_fair).count();
            tell(&Progress::Tried { tried: tried.len(), candidates: candidates.len(), passed });
            if passed >= delivery.wanted || stop.requested() {
                break;
            }
            // What was tried before and is no candidate any more does not count.
            if let Some(known) = known.iter().find(|(id, _)| *id == one.id) {
                tried.push(known.clone());
                continue;
            }
            let game = |noise: bool| self.problem.game(&one.genome, noise);
            let seed = Rng::stream(&[self.settings.seed, one.id, FRESH]).bits();
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
        // Those that were known come in another order if the run has gone on since. If it is stopped, not
        // all of them have been looked at, and none may be lost.
        if !stop.requested() {
            self.keep_tried(&key, &tried)?;
        }
        Ok(tried)
    }

    fn keep_tried(&self, key: &str, tried: &[(u64, Fairness)]) -> Result<(), EvolveError> {
        let text = serde_json::to_string(&(key, tried)).unwrap_or_default();
        self.folder.write("tried.json", text.as_bytes())
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
        let all = evolution.best(self.problem, self.delivery.distance);
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
            title: self.title.clone(),
            settings: evolution.settings.clone(),
            delivery: self.delivery.clone(),
            problem: evolution.problem.clone(),
            remarks: self.problem.remarks().iter().map(|&name| name.to_owned()).collect(),
            history: evolution.history.clone(),
            tried: tried.len(),
            passed: tried.iter().filter(|(_, fairness)| fairness.is_fair).count(),
            is_complete,
            finds,
        }
    }

    /// The finds as files that other programs load.
    fn write_files(
        &self,
        evolution: &Evolution<P::Genome>,
        gallery: &Gallery,
    ) -> Result<(), EvolveError> {
        let all = evolution.best(self.problem, self.delivery.distance);
        for (number, find) in (1..).zip(&gallery.finds) {
            let Some(one) = all.iter().find(|one| one.id == find.id) else { continue };
            let title = format!("{} {number}", self.title);
            let (ending, text) = self.problem.file(&one.genome, &title);
            self.folder.write(&format!("maps/{number:02}.{ending}"), text.as_bytes())?;
        }
        Ok(())
    }
}

/// The stream of fresh games.
const FRESH: u64 = 4;
/// Finds that are shown while a run is not complete.
const SHOWN: usize = 24;

fn history_csv(gallery: &Gallery) -> String {
    let mut text = "generation,best,mean,worst,paper best,paper mean,paper worst,zero".to_owned();
    gallery.remarks.iter().for_each(|name| text += &format!(",{name}"));
    text += ",games,archived,archive mean,refined\n";
    for (number, one) in gallery.history.iter().enumerate() {
        let mut row = vec![number.to_string()];
        for sums in [one.fitness, one.paper] {
            row.extend([sums.best, sums.mean, sums.worst].map(|value| format!("{value:.4}")));
        }
        row.push(format!("{:.4}", one.zero));
        row.extend(one.remarks.iter().map(|share| format!("{share:.4}")));
        row.push(one.games.to_string());
        row.push(one.archived.to_string());
        row.push(format!("{:.4}", one.archive_mean));
        row.push(u8::from(one.is_polished).to_string());
        text += &row.join(",");
        text.push('\n');
    }
    text
}

impl Gallery {
    /// The mean of the paper's fitness over finds and judges, on fresh games.
    pub fn paper_fitness(&self) -> Option<f64> {
        let fresh: Vec<f64> = self
            .finds
            .iter()
            .filter_map(|find| find.fresh.as_ref())
            .map(Fairness::paper_fitness)
            .collect();
        (!fresh.is_empty()).then(|| fresh.iter().sum::<f64>() / fresh.len() as f64)
    }

    /// How many candidates are fair.
    pub fn tried_text(&self) -> String {
        let Gallery { passed, tried, delivery, .. } = self;
        let share = 100.0 * *passed as f64 / (*tried).max(1) as f64;
        format!(
            "{passed} of {tried} candidates ({share:.0} %) are fair on {} fresh games for at least {} of {} judges, {} for all of them",
            delivery.games,
            delivery.quorum.of_all,
            delivery.judges.len(),
            self.n_fair_for_all()
        )
    }

    /// The finds that every judge calls fair.
    pub fn n_fair_for_all(&self) -> usize {
        let fresh = self.finds.iter().filter_map(|find| find.fresh.as_ref());
        fresh.filter(|it| it.n_fair() == self.delivery.judges.len()).count()
    }

    /// The paper's fitness of the evidence is what curves show if that is what selects.
    pub fn is_paper(&self) -> bool {
        self.settings.fitness == Fitness::Paper
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_games::sangoku::SCENARIOS;

    #[test]
    fn scenarios_are_written_as_they_are_read() {
        for (name, _) in SCENARIOS {
            let scenario = Scenario::named(name).unwrap();
            let text = scenario_text(Some(scenario.clone()), &scenario.title);
            assert_eq!(Scenario::read(&text).unwrap(), scenario, "{name}");
        }
    }
}
