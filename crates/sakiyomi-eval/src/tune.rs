//! Numbers of an agent, chosen by matches.
//!
//! Few numbers are chosen by a model of the score over all of them ([`Surface`]), many by
//! simultaneous perturbation ([`Spsa`]). Every step is a duel with a seed of its own, so a store
//! keeps its games, and a tuning that is run again goes on where it was stopped. What was chosen is
//! then tested against what there was, on seeds, and if wished on games, that were not used.

mod dimension;
mod spsa;
mod surface;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Instant;

use sakiyomi_catalog::{AgentSpec, GameSpec, SpecError};
use sakiyomi_core::stats::{Sprt, Tally};
use sakiyomi_core::{Fault, Stop};
use serde::Serialize;

pub use dimension::{Dimension, RangeError};

use crate::arena::Pairing;
use crate::duel::{Duel, DuelError, DuelReport, run_duel};
use crate::{Openings, Progress};
use spsa::Spsa;
use surface::Surface;

/// Up to this number of parameters the model is used if nothing else is asked for.
const FEW: usize = 3;
/// How far the seeds of the final test are from those of the steps.
const UNSEEN: u64 = 1 << 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    Spsa,
    Surface,
}

/// What is to be tuned, and how.
#[derive(Clone, Debug)]
pub struct Tuning {
    pub agent: AgentSpec,
    pub dimensions: Vec<Dimension>,
    /// The mean of their scores counts.
    pub games: Vec<GameSpec>,
    /// Where the final test is played.
    pub unseen_games: Vec<GameSpec>,
    /// By the number of dimensions if it is not given.
    pub method: Option<Method>,
    pub steps: u32,
    /// Matches of a step on each game.
    pub games_per_step: u64,
    /// Matches of the final test on each game, at most.
    pub test_games: u64,
    pub test: Sprt,
    pub openings: Option<Openings>,
    pub seed: u64,
    pub threads: usize,
}

#[derive(Clone, Debug, Serialize)]
pub struct TuneReport {
    pub agent: String,
    /// What was chosen; the agent itself if it was stopped before the first step was over.
    pub tuned: String,
    pub method: Method,
    pub parameters: Vec<TunedParameter>,
    pub steps: Vec<TuneStep>,
    /// Of what was chosen against what there was, one for each game; empty if it was stopped.
    pub tests: Vec<DuelReport>,
    /// True if it was stopped before all was played.
    pub interrupted: bool,
    /// Games that the store had before.
    pub games_before: u64,
    pub seconds: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct TunedParameter {
    #[serde(flatten)]
    pub dimension: Dimension,
    pub tuned: f64,
}

/// Two agents that met, and the score of the first over all games, each counting the same.
#[derive(Clone, Debug, Serialize)]
pub struct TuneStep {
    pub first: String,
    pub second: String,
    pub score: f64,
    #[serde(flatten)]
    pub tally: Tally,
}

/// How far it is, told after every unit of matches.
#[derive(Clone, Copy, Debug)]
pub struct TuneProgress {
    /// Steps that are complete; all of them when the final test is played.
    pub steps: u32,
    pub of: u32,
    pub duel: Progress,
}

#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    #[error(transparent)]
    Duel(#[from] DuelError),
    #[error("no parameter to tune; name one, such as c")]
    NoParameter,
    #[error("no game to tune on")]
    NoGame,
    #[error("{agent} with {parameter}={value}: {error}")]
    Refused { agent: String, parameter: &'static str, value: f64, error: SpecError },
}

impl Fault for TuneError {
    fn is_input(&self) -> bool {
        match self {
            TuneError::Duel(error) => error.is_input(),
            _ => true,
        }
    }
}

/// Tunes, or does what a store lacks of it. `stop` ends it early with what is complete.
pub fn run_tuning(
    tuning: &Tuning,
    store: Option<&Path>,
    stop: &Stop,
    progress: &mut dyn FnMut(TuneProgress),
) -> Result<TuneReport, TuneError> {
    if tuning.dimensions.is_empty() {
        return Err(TuneError::NoParameter);
    }
    if tuning.games.is_empty() {
        return Err(TuneError::NoGame);
    }
    let mut run = Run { tuning, store, stop, progress, steps: Vec::new(), before: 0 };
    let start = Instant::now();
    let method = tuning.method.unwrap_or(match tuning.dimensions.len() {
        0..=FEW => Method::Surface,
        _ => Method::Spsa,
    });
    let chosen = match method {
        Method::Spsa => run.climb()?,
        Method::Surface => run.explore()?,
    };
    let tuned = run.agent_at(&chosen)?;
    let is_complete = run.steps.len() == tuning.steps as usize;
    let tests = if is_complete { run.test(&tuned)? } else { Vec::new() };
    let parameter = |(dimension, &place): (&Dimension, &f64)| TunedParameter {
        dimension: dimension.clone(),
        tuned: dimension.value(place),
    };
    Ok(TuneReport {
        agent: tuning.agent.to_string(),
        tuned: tuned.to_string(),
        method,
        parameters: tuning.dimensions.iter().zip(&chosen).map(parameter).collect(),
        steps: run.steps,
        interrupted: !is_complete || stop.requested(),
        tests,
        games_before: run.before,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// A tuning while it runs.
struct Run<'a> {
    tuning: &'a Tuning,
    store: Option<&'a Path>,
    stop: &'a Stop,
    progress: &'a mut dyn FnMut(TuneProgress),
    steps: Vec<TuneStep>,
    before: u64,
}

impl Run<'_> {
    /// Two agents on both sides of where it is meet in every step; what wins is followed.
    fn climb(&mut self) -> Result<Vec<f64>, TuneError> {
        let mut spsa = Spsa::new(self.start(), self.tuning.steps, self.tuning.seed);
        for step in 0..self.tuning.steps {
            let [plus, minus] = spsa.ask(step);
            let agents = [self.agent_at(&plus)?, self.agent_at(&minus)?];
            let Some(score) = self.step(step, &agents)? else { break };
            spsa.tell(score);
        }
        Ok(spsa.mean())
    }

    /// An agent that the model expects much of meets the given one in every step.
    fn explore(&mut self) -> Result<Vec<f64>, TuneError> {
        let games = self.tuning.games_per_step * self.tuning.games.len() as u64;
        let mut surface = Surface::new(self.start(), games, self.tuning.seed);
        for step in 0..self.tuning.steps {
            let place = surface.ask();
            let agents = [self.agent_at(&place)?, self.tuning.agent.clone()];
            let Some(score) = self.step(step, &agents)? else { break };
            surface.tell(place, score);
        }
        Ok(surface.best())
    }

    fn start(&self) -> Vec<f64> {
        self.tuning.dimensions.iter().map(Dimension::start_place).collect()
    }

    /// The agent with the values of a place, each from 0 to 1.
    fn agent_at(&self, place: &[f64]) -> Result<AgentSpec, TuneError> {
        let mut agent = self.tuning.agent.clone();
        for (dimension, &place) in self.tuning.dimensions.iter().zip(place) {
            let value = dimension.value(place);
            agent = dimension.set(&agent, value).map_err(|error| TuneError::Refused {
                agent: agent.to_string(),
                parameter: dimension.name,
                value,
                error,
            })?;
        }
        Ok(agent)
    }

    /// The mean score of the first over all games; nothing if it was stopped. Agents that are the
    /// same need no match.
    fn step(&mut self, step: u32, agents: &[AgentSpec; 2]) -> Result<Option<f64>, TuneError> {
        let texts = agents.each_ref().map(AgentSpec::to_string);
        let (mut scores, mut tally) = (Vec::new(), Tally::default());
        if texts[0] == texts[1] {
            scores.push(0.5);
        }
        let games = if scores.is_empty() { &self.tuning.games[..] } else { &[] };
        for game in games {
            let duel = self.duel(game, agents.clone(), self.tuning.seed + u64::from(step) + 1);
            let report = self.play(&duel)?;
            if report.interrupted {
                return Ok(None);
            }
            scores.extend(report.score);
            tally = [tally, tally_of(&report)].into_iter().sum();
        }
        let score = scores.iter().sum::<f64>() / scores.len() as f64;
        let [first, second] = texts;
        self.steps.push(TuneStep { first, second, score, tally });
        Ok(Some(score))
    }

    /// What was chosen against what there was, where neither was looked at before.
    fn test(&mut self, tuned: &AgentSpec) -> Result<Vec<DuelReport>, TuneError> {
        let mut reports = Vec::new();
        if tuned.to_string() == self.tuning.agent.to_string() {
            return Ok(reports);
        }
        for game in &self.tuning.unseen_games {
            let agents = [tuned.clone(), self.tuning.agent.clone()];
            let mut duel = self.duel(game, agents, self.tuning.seed + UNSEEN);
            duel.games = self.tuning.test_games;
            duel.sprt = Some(self.tuning.test);
            reports.push(self.play(&duel)?);
            if self.stop.requested() {
                break;
            }
        }
        Ok(reports)
    }

    fn duel(&self, game: &GameSpec, agents: [AgentSpec; 2], seed: u64) -> Duel {
        let openings = self.tuning.openings;
        let pairing = Pairing { openings, ..Pairing::new(game.clone(), agents, seed) };
        let (games, threads) = (self.tuning.games_per_step, self.tuning.threads);
        Duel { pairing, games, threads, sprt: None }
    }

    fn play(&mut self, duel: &Duel) -> Result<DuelReport, DuelError> {
        let (steps, of) = (self.steps.len() as u32, self.tuning.steps);
        let report = run_duel(duel, self.store, self.stop, &mut |duel| {
            (self.progress)(TuneProgress { steps, of, duel });
        })?;
        self.before += report.games_before;
        Ok(report)
    }
}

fn tally_of(report: &DuelReport) -> Tally {
    Tally { wins: report.wins, draws: report.draws, losses: report.losses }
}
