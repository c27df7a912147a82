//! The algorithm: generations of a fixed size, chosen by tournaments. Elites, racing, fresh games
//! for survivors and an archive of different individuals (MAP-Elites, Mouret and Clune 2015) are
//! settings, and without them it is the paper's. So is a last phase that refines the best, each by
//! itself ([`Polish`]).
//!
//! No library of evolution is used: fitness is a series of games that must run on any number of
//! threads, be stopped, kept and continued, and those that were looked at evaluate one individual
//! at a time inside a loop of their own, draw from their own random source, and never evaluate a
//! survivor again.

mod model;
mod polish;

pub use polish::{Lineage, Polish};

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use sakiyomi_catalog::{MAX_TEXT_BYTES, read_bytes, write_atomically};
use sakiyomi_core::stats::Tally;
use sakiyomi_core::{Fault, Rng, Stop};
use sakiyomi_eval::{TaskError, WrongAnswer};
use serde::{Deserialize, Serialize};

use crate::sealed::{seal, unseal};
use crate::series::{Series, play_series};
use crate::{Ending, Endings, Evidence, Fitness, GameRunner, Generation, Judge, Problem};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub seed: u64,
    pub population: usize,
    pub generations: usize,
    /// Individuals that are drawn for a tournament, of which the best becomes a parent.
    pub tournament: usize,
    /// The best of a generation that go over into the next as they are.
    pub elites: usize,
    pub fitness: Fitness,
    pub judges: Vec<Judge>,
    /// Rounds of games; each is played by the best of the children only.
    pub stages: Vec<Stage>,
    /// Fresh games of each judge for every elite and the same number of the archive, in each
    /// generation.
    pub fresh_games: u64,
    /// An individual that has this number of games of each judge plays no more.
    pub max_games: u64,
    /// Whether different individuals are kept in an archive.
    pub archive: bool,
    /// The share of parents that are drawn from the archive.
    pub from_archive: f64,
    /// Whether a child that is equal to another one is mutated until it is not.
    pub distinct: bool,
    /// The share of pairs of parents that are crossed; the others' children differ from one parent
    /// by their mutations alone.
    pub crossover: f64,
    /// What is done after the generations with the best; nothing if it is not given.
    pub polish: Option<Polish>,
}

/// A round of games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Further games of each judge.
    pub games: u64,
    /// The share of the children that play it, the best of them by the games so far.
    pub share: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Individual<G> {
    /// Counted from 0 in the order in which they were made.
    pub id: u64,
    pub genome: G,
    /// By judge.
    pub evidence: Vec<Evidence>,
}

impl<G> Individual<G> {
    /// The games of all judges together.
    pub fn total(&self) -> Evidence {
        let mut total = Evidence::default();
        self.evidence.iter().for_each(|evidence| total.merge(evidence));
        total
    }

    fn tallies(&self) -> Vec<Tally> {
        self.evidence.iter().map(|evidence| evidence.tally).collect()
    }

    fn fewest_games(&self) -> u64 {
        self.evidence.iter().map(Evidence::games).min().unwrap_or(0)
    }
}

/// A run, between two generations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "G: Serialize + serde::de::DeserializeOwned")]
pub struct Evolution<G> {
    pub settings: Settings,
    /// What is evolved, in words; a run goes on only with the same.
    pub problem: String,
    pub population: Vec<Individual<G>>,
    /// The best individual of each cell.
    #[serde(with = "pairs")]
    pub archive: BTreeMap<Vec<u8>, Individual<G>>,
    pub history: Vec<Generation>,
    /// Those that are refined; none before all generations are complete.
    #[serde(default = "Vec::new")]
    pub lineages: Vec<Lineage<G>>,
    next_id: u64,
    /// Games of a generation that was stopped before it was complete.
    begun: Vec<(GameKey, Ending)>,
}

/// How often a generation that is not complete yet is kept, and how.
pub type Keep<'a, G> = (Duration, &'a dyn Fn(&Evolution<G>));

/// Individual, judge and number.
type GameKey = (u64, u64, u64);

/// How a call of [`Evolution::step`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A generation is complete.
    Generation,
    /// It was stopped; the games that were complete are kept.
    Stopped,
    /// All generations were complete before.
    Done,
}

#[derive(Debug, thiserror::Error)]
pub enum EvolveError {
    #[error(transparent)]
    Play(#[from] TaskError),
    #[error("{path}: {error}")]
    File { path: String, error: io::Error },
    #[error("{path}: {error}; it is no checkpoint of such a run")]
    Checkpoint { path: String, error: String },
    #[error("{0}")]
    Settings(String),
    #[error(transparent)]
    Answer(#[from] WrongAnswer),
}

impl Fault for EvolveError {
    fn is_input(&self) -> bool {
        match self {
            EvolveError::Settings(_) => true,
            EvolveError::Play(error) => error.is_input(),
            EvolveError::File { .. } | EvolveError::Checkpoint { .. } | EvolveError::Answer(_) => {
                false
            }
        }
    }
}

/// Streams by purpose.
const BREED: u64 = 1;
const PLAY: u64 = 2;
const POLISH: u64 = 5;
/// A child that breaks a constraint, or is equal to another, is made again as often as this.
const MAX_TRIES: usize = 50;
/// Checkpoints hold the population, which is long for large maps.
const MAX_CHECKPOINT_BYTES: u64 = 16 * MAX_TEXT_BYTES;

impl Settings {
    /// What makes no sense.
    pub fn check(&self) -> Result<(), EvolveError> {
        let wrong = |message: &str| Err(EvolveError::Settings(message.to_owned()));
        let is_share = |share: f64| (0.0..=1.0).contains(&share);
        if self.population < 2 || self.population > 100_000 {
            return wrong("the population must have 2 to 100000 individuals");
        }
        if self.elites >= self.population {
            return wrong("there must be fewer elites than individuals");
        }
        if self.tournament == 0 {
            return wrong("a tournament needs at least 1 individual");
        }
        if self.judges.is_empty() {
            return wrong("there must be at least one judge");
        }
        if self.stages.first().is_none_or(|stage| stage.games == 0 || stage.share < 1.0) {
            return wrong("in the first stage all individuals must play at least one game");
        }
        let shares = [self.from_archive, self.crossover];
        if !shares.into_iter().all(is_share)
            || self.stages.iter().any(|stage| !is_share(stage.share))
        {
            return wrong("shares must be from 0 to 1");
        }
        if let Some(polish) = &self.polish {
            polish.check().map_err(EvolveError::Settings)?;
        }
        if let Some(judge) = self.judges.iter().find(|judge| !judge.agent.is_repeatable()) {
            let message = format!(
                "{judge} has a budget of time: a run could not be repeated; use iterations"
            );
            return Err(EvolveError::Settings(message));
        }
        Ok(())
    }

    /// Generations of both phases.
    pub fn all_generations(&self) -> usize {
        self.generations + self.polish.as_ref().map_or(0, |polish| polish.generations)
    }
}

impl<G: Clone + PartialEq + Serialize + serde::de::DeserializeOwned + Send + Sync> Evolution<G> {
    pub fn new(settings: Settings, problem: String) -> Result<Evolution<G>, EvolveError> {
        settings.check()?;
        Ok(Evolution {
            settings,
            problem,
            population: Vec::new(),
            archive: BTreeMap::new(),
            history: Vec::new(),
            lineages: Vec::new(),
            next_id: 0,
            begun: Vec::new(),
        })
    }

    pub fn load(path: &Path) -> Result<Evolution<G>, EvolveError> {
        let name = || path.display().to_string();
        let bytes = read_bytes(path, MAX_CHECKPOINT_BYTES)
            .map_err(|error| EvolveError::File { path: name(), error })?;
        let damaged = |error: String| EvolveError::Checkpoint { path: name(), error };
        let content = unseal(&bytes).map_err(damaged)?;
        serde_json::from_slice(&content).map_err(|error| damaged(error.to_string()))
    }

    pub fn save(&self, path: &Path) -> Result<(), EvolveError> {
        let text = serde_json::to_string(self).unwrap_or_default();
        write_atomically(path, |out| out.write_all(seal(&text).as_bytes()))
            .map_err(|error| EvolveError::File { path: path.display().to_string(), error })
    }

    pub fn is_done(&self) -> bool {
        self.history.len() >= self.settings.all_generations()
    }

    /// The fitness that selects.
    pub fn fitness(&self, individual: &Individual<G>) -> f64 {
        self.settings.fitness.of_all(&individual.evidence)
    }

    /// What was refined or, without that, the archive and the last generation: best first, none of
    /// them closer to a better one than `distance`.
    pub fn best<P: Problem<Genome = G>>(&self, problem: &P, distance: f64) -> Vec<&Individual<G>> {
        let mut all: Vec<&Individual<G>> = match self.lineages.is_empty() {
            true => self.archive.values().chain(&self.population).collect(),
            false => self.lineages.iter().map(|lineage| &lineage.individual).collect(),
        };
        match self.lineages.is_empty() {
            true => sort_by_fitness(&mut all, |one| self.fitness(one), |one| one.id),
            false => polish::sort_by_balance(&mut all),
        }
        let mut kept: Vec<&Individual<G>> = Vec::new();
        for one in all {
            // One that is in the archive and in the population counts once.
            let differs = |other: &&Individual<G>| {
                other.id != one.id && problem.distance(&one.genome, &other.genome) >= distance
            };
            if kept.iter().all(differs) {
                kept.push(one);
            }
        }
        kept
    }

    /// Makes and judges the next generation. `tell` hears of games that are done, and of how many
    /// there are in a stage; `keep` now and then of the run with the games of the generation so far.
    pub fn step<P: Problem<Genome = G>>(
        &mut self,
        problem: &P,
        runner: &dyn GameRunner,
        stop: &Stop,
        tell: &dyn Fn(u64, u64),
        keep: Option<Keep<'_, G>>,
    ) -> Result<Step, EvolveError> {
        if self.is_done() {
            return Ok(Step::Done);
        }
        let keep_games = |played: Vec<(GameKey, Ending)>| {
            let mut copy = self.clone();
            copy.begun.extend(played);
            keep.iter().for_each(|(_, keep)| keep(&copy));
        };
        let mut play = Play {
            seed: self.settings.seed,
            judges: &self.settings.judges,
            known: self.begun.iter().copied().collect(),
            played: Vec::new(),
            runner,
            stop,
            tell,
            keep: keep.map(|(every, _)| (every, &keep_games as &dyn Fn(_))),
            kept_at: Cell::new(Instant::now()),
        };
        let next = match &self.settings.polish {
            Some(polish) if self.history.len() >= self.settings.generations => {
                self.polished(problem, polish, &mut play)?
            }
            _ => self.next_generation(problem, &mut play)?,
        };
        let Some(next) = next else {
            let played = play.played;
            self.begun.extend(played);
            return Ok(Step::Stopped);
        };
        let n_games = self.begun.len() + play.played.len();
        self.begun.clear();
        self.next_id = next.next_id;
        self.population = next.population;
        self.archive = next.archive;
        self.lineages = next.lineages;
        self.remember(problem, n_games as u64);
        Ok(Step::Generation)
    }

    /// Adds the generation that is complete to the history.
    fn remember<P: Problem<Genome = G>>(&mut self, problem: &P, games: u64) {
        let is_polished = !self.lineages.is_empty();
        let all: Vec<&Individual<G>> = match is_polished {
            // One that was chosen by what others showed has no games of its own yet.
            true => {
                let all = self.lineages.iter().map(|lineage| &lineage.individual);
                all.filter(|one| one.fewest_games() > 0).collect()
            }
            false => self.population.iter().collect(),
        };
        let remarks: Vec<Vec<bool>> = all.iter().map(|one| problem.remark(&one.genome)).collect();
        let archived: Vec<f64> = self.archive.values().map(|one| self.fitness(one)).collect();
        let generation = Generation {
            games,
            archived: archived.len(),
            archive_mean: crate::Sums::of(&archived).mean,
            is_polished,
            ..Generation::of(&all, self.settings.fitness, &remarks, problem.remarks().len())
        };
        self.history.push(generation);
    }

    /// The next generation with its games; nothing if it was stopped.
    fn next_generation<P: Problem<Genome = G>>(
        &self,
        problem: &P,
        play: &mut Play<'_>,
    ) -> Result<Option<Next<G>>, EvolveError> {
        let settings = &self.settings;
        let (mut elites, mut archive) = (self.elites(), self.archive.clone());
        let mut children = self.children(problem, settings.population - elites.len());
        let next_id = children.last().map_or(self.next_id, |child| child.id + 1);
        if !play.race(problem, settings, &mut children)? {
            return Ok(None);
        }
        // Survivors play fresh games: those that were lucky are found out.
        let ids: Vec<u64> = elites.iter().map(|one| one.id).collect();
        let mut again: Vec<&mut Individual<G>> = elites.iter_mut().collect();
        again.extend(self.lively(&mut archive, &ids));
        let want = |one: &Individual<G>| {
            settings.fresh_games.min(settings.max_games.saturating_sub(one.fewest_games()))
        };
        let wanted: Vec<u64> = again.iter().map(|one| want(one)).collect();
        if !play.games(problem, &mut again, &wanted)? {
            return Ok(None);
        }
        if settings.archive {
            let all_games: u64 = settings.stages.iter().map(|stage| stage.games).sum();
            let is_tried = |one: &&Individual<G>| one.fewest_games() >= all_games;
            for one in children.iter().chain(&elites).filter(is_tried) {
                self.enter(problem, &mut archive, one);
            }
        }
        elites.extend(children);
        Ok(Some(Next { population: elites, archive, lineages: Vec::new(), next_id }))
    }

    /// The best of the generation before.
    fn elites(&self) -> Vec<Individual<G>> {
        let mut all: Vec<&Individual<G>> = self.population.iter().collect();
        sort_by_fitness(&mut all, |one| self.fitness(one), |one| one.id);
        all.into_iter().take(self.settings.elites).cloned().collect()
    }

    /// The individuals of the archive that play fresh games: the best of those that may and that no
    /// elite is.
    fn lively<'a>(
        &self,
        archive: &'a mut BTreeMap<Vec<u8>, Individual<G>>,
        elites: &[u64],
    ) -> Vec<&'a mut Individual<G>> {
        let max = self.settings.max_games;
        let mut all: Vec<&mut Individual<G>> =
            archive.values_mut().filter(|one| one.fewest_games() < max).collect();
        all.retain(|one| !elites.contains(&one.id));
        sort_by_fitness(&mut all, |one| self.fitness(one), |one| one.id);
        all.truncate(self.settings.elites);
        all
    }

    /// Puts an individual into its cell if that is empty, or it is better than the one there.
    fn enter<P: Problem<Genome = G>>(
        &self,
        problem: &P,
        archive: &mut BTreeMap<Vec<u8>, Individual<G>>,
        one: &Individual<G>,
    ) {
        let cell = problem.cell(&one.genome, &one.total());
        let is_better = |there: &Individual<G>| {
            there.id == one.id && there.fewest_games() < one.fewest_games()
                || self.fitness(one) > self.fitness(there)
        };
        if archive.get(&cell).is_none_or(is_better) {
            archive.insert(cell, one.clone());
        }
    }

    /// The children of the present generation, or the first generation.
    fn children<P: Problem<Genome = G>>(&self, problem: &P, n: usize) -> Vec<Individual<G>> {
        let rng = &mut Rng::stream(&[self.settings.seed, self.history.len() as u64, BREED]);
        let fitness: Vec<f64> = self.population.iter().map(|one| self.fitness(one)).collect();
        let mut genomes: Vec<G> = Vec::new();
        while genomes.len() < n {
            if self.population.is_empty() {
                genomes.push(self.fresh(problem, rng));
                continue;
            }
            let parents = [self.parent(&fitness, rng), self.parent(&fitness, rng)];
            let children = match rng.unit() < self.settings.crossover {
                true => problem.cross(parents, rng),
                false => parents.map(Clone::clone),
            };
            for mut child in children {
                problem.mutate(&mut child, rng);
                problem.repair(&mut child, rng);
                if genomes.len() < n {
                    let child = self.acceptable(problem, child, &genomes, rng);
                    genomes.push(child);
                }
            }
        }
        (self.next_id..).zip(genomes).map(|(id, genome)| self.blank(id, genome)).collect()
    }

    /// An individual without games.
    fn blank(&self, id: u64, genome: G) -> Individual<G> {
        Individual { id, genome, evidence: vec![Evidence::default(); self.settings.judges.len()] }
    }

    /// A child, mutated again until it keeps the constraints and is new.
    fn acceptable<P: Problem<Genome = G>>(
        &self,
        problem: &P,
        mut child: G,
        others: &[G],
        rng: &mut Rng,
    ) -> G {
        let is_new = |child: &G| {
            !self.settings.distinct
                || !others.contains(child) && self.population.iter().all(|one| one.genome != *child)
        };
        for _ in 0..MAX_TRIES {
            if problem.is_allowed(&child) && is_new(&child) {
                return child;
            }
            problem.mutate(&mut child, rng);
            problem.repair(&mut child, rng);
        }
        self.fresh(problem, rng)
    }

    /// A genome from nothing that keeps the constraints, if one is found.
    fn fresh<P: Problem<Genome = G>>(&self, problem: &P, rng: &mut Rng) -> G {
        let mut draw = || {
            let mut genome = problem.draw(rng);
            problem.repair(&mut genome, rng);
            genome
        };
        let mut genome = draw();
        for _ in 0..MAX_TRIES {
            if problem.is_allowed(&genome) {
                break;
            }
            genome = draw();
        }
        genome
    }

    /// The winner of a tournament in the population or in the archive. Of equals the first that was
    /// drawn wins.
    fn parent(&self, fitness: &[f64], rng: &mut Rng) -> &G {
        let share = self.settings.from_archive;
        if share > 0.0 && !self.archive.is_empty() && rng.unit() < share {
            let mut draw = || {
                let at = rng.below(self.archive.len());
                self.archive.values().nth(at).expect("below the length")
            };
            let first = draw();
            let best = (1..self.settings.tournament).fold(first, |best, _| {
                let other = draw();
                if self.fitness(other) > self.fitness(best) { other } else { best }
            });
            return &best.genome;
        }
        let mut best = rng.below(self.population.len());
        for _ in 1..self.settings.tournament {
            let other = rng.below(self.population.len());
            if fitness[other] > fitness[best] {
                best = other;
            }
        }
        &self.population[best].genome
    }
}

struct Next<G> {
    population: Vec<Individual<G>>,
    archive: BTreeMap<Vec<u8>, Individual<G>>,
    lineages: Vec<Lineage<G>>,
    next_id: u64,
}

/// Sorts the best to the front; of equals the one that was made first.
fn sort_by_fitness<T>(all: &mut [T], fitness: impl Fn(&T) -> f64, id: impl Fn(&T) -> u64) {
    all.sort_by(|a, b| fitness(b).total_cmp(&fitness(a)).then_with(|| id(a).cmp(&id(b))));
}

/// Keeps games that were played.
type KeepGames<'a> = dyn Fn(Vec<(GameKey, Ending)>) + 'a;

/// Plays the games of a generation, except those that were played before it was stopped.
struct Play<'a> {
    seed: u64,
    judges: &'a [Judge],
    known: HashMap<GameKey, Ending>,
    played: Vec<(GameKey, Ending)>,
    runner: &'a dyn GameRunner,
    stop: &'a Stop,
    tell: &'a dyn Fn(u64, u64),
    /// How often the games are kept that were played so far, and how.
    keep: Option<(Duration, &'a KeepGames<'a>)>,
    kept_at: Cell<Instant>,
}

impl Play<'_> {
    /// All stages: few games first, more for the best. False if it was stopped.
    fn race<P: Problem>(
        &mut self,
        problem: &P,
        settings: &Settings,
        children: &mut [Individual<P::Genome>],
    ) -> Result<bool, EvolveError> {
        for stage in &settings.stages {
            let n = (stage.share * children.len() as f64).ceil() as usize;
            let mut ranked: Vec<&mut Individual<P::Genome>> = children.iter_mut().collect();
            let fitness = |one: &&mut Individual<P::Genome>| settings.fitness.of_all(&one.evidence);
            sort_by_fitness(&mut ranked, fitness, |one| one.id);
            ranked.truncate(n);
            let wanted = vec![stage.games; ranked.len()];
            if !self.games(problem, &mut ranked, &wanted)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Further games of each judge for individuals. False if it was stopped.
    fn games<P: Problem>(
        &mut self,
        problem: &P,
        individuals: &mut [&mut Individual<P::Genome>],
        wanted: &[u64],
    ) -> Result<bool, EvolveError> {
        // Of each series the place of its individual, and the key of its first game.
        let (mut owners, mut series) = (Vec::<(usize, GameKey)>::new(), Vec::new());
        for (at, (one, &n)) in individuals.iter().zip(wanted).enumerate() {
            for (judge, index) in self.judges.iter().zip(0..) {
                let Some(game) = problem.game(&one.genome, judge.noise) else { continue };
                let first = one.evidence[index as usize].games();
                let is_known = |number: &u64| self.known.contains_key(&(one.id, index, *number));
                owners.push((at, (one.id, index, first)));
                series.push(Series {
                    game,
                    agent: judge.agent.clone(),
                    random_choices: judge.opening,
                    seed: Rng::stream(&[self.seed, one.id, index, PLAY]).bits(),
                    numbers: first..first + n,
                    known: (first..first + n).filter(is_known).collect(),
                });
            }
        }
        let n_games = series.iter().map(Series::n_missing).sum();
        let endings = play_series(&series, self.runner, self.stop, &|endings| {
            (self.tell)(endings.n_done(), n_games);
            self.keep_now_and_then(endings, &owners);
        })?;
        let mut n_played = 0;
        for ((_, (id, judge, first)), endings) in owners.iter().zip(endings) {
            for (number, ending) in (*first..).zip(endings) {
                let Some(ending) = ending else { continue };
                n_played += 1;
                self.known.insert((*id, *judge, number), ending);
                self.played.push(((*id, *judge, number), ending));
            }
        }
        let complete = n_played == n_games;
        if complete {
            for ((at, (id, judge, _)), series) in owners.into_iter().zip(series) {
                let evidence = &mut individuals[at].evidence[judge as usize];
                series.numbers.for_each(|number| evidence.add(&self.known[&(id, judge, number)]));
            }
        }
        Ok(complete)
    }

    /// Keeps the games of this generation, those of this stage included, if the time has come.
    fn keep_now_and_then(&self, endings: &Endings, owners: &[(usize, GameKey)]) {
        let Some((every, keep)) = self.keep else { return };
        if self.kept_at.get().elapsed() < every {
            return;
        }
        let new = endings.done().map(|(at, number, ending)| {
            let (id, judge, _) = owners[at].1;
            ((id, judge, number), ending)
        });
        keep(self.played.iter().copied().chain(new).collect());
        self.kept_at.set(Instant::now());
    }
}

/// Maps whose keys are not texts, as lists of pairs.
mod pairs {
    use std::collections::BTreeMap;

    use serde::de::{Deserialize, Deserializer};
    use serde::ser::{Serialize, Serializer};

    pub(super) fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map.iter())
    }

    pub(super) fn deserialize<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests;
