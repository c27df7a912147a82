//! Several agents, each against each, and the ratings that follow from their games.
//!
//! A pair is a [`Duel`], so a store keeps its games and a rating that is run again, with the same
//! agents or with one more, plays only what is missing.

use std::path::Path;
use std::time::Instant;

use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, SpecError, Visitor};
use sakiyomi_core::stats::{PairTally, Rating, Tally, bradley_terry};
use sakiyomi_core::{Fault, Stop};
use serde::Serialize;

use crate::arena::Pairing;
use crate::duel::{Duel, DuelError, DuelReport, run_duel};
use crate::{Openings, Progress};

/// What is to be played.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    pub game: GameSpec,
    pub agents: Vec<AgentSpec>,
    /// Matches of each pair; rounded up so that both seats are taken equally often.
    pub games: u64,
    pub seed: u64,
    pub openings: Option<Openings>,
    pub threads: usize,
}

#[derive(Clone, Debug, Serialize)]
pub struct RateReport {
    pub game: String,
    /// The strongest first.
    pub agents: Vec<RatedAgent>,
    pub pairs: Vec<RatedPair>,
    pub seed: u64,
    pub openings: Option<Openings>,
    /// False if a budget is a time, or an agent a program.
    pub repeatable: bool,
    /// True if it was stopped before all games were played.
    pub interrupted: bool,
    /// Games that the store had before.
    pub games_before: u64,
    pub seconds: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct RatedAgent {
    pub agent: String,
    /// Beside the mean of all agents.
    #[serde(flatten)]
    pub rating: Rating,
    #[serde(flatten)]
    pub tally: Tally,
    pub score: Option<f64>,
}

/// One pair, as the first of the two sees it.
#[derive(Clone, Debug, Serialize)]
pub struct RatedPair {
    pub first: String,
    pub second: String,
    #[serde(flatten)]
    pub tally: Tally,
    /// What a reader should know of repeated games.
    pub remark: Option<String>,
    pub n_forfeits: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum RateError {
    #[error(transparent)]
    Duel(#[from] DuelError),
    #[error("{n} agent(s); ratings need at least 2")]
    TooFewAgents { n: usize },
    #[error("{agent} is named twice; every agent is rated once")]
    NamedTwice { agent: String },
    #[error("{game} has {players} players; ratings are of games of two")]
    NotOfTwo { game: GameSpec, players: usize },
}

impl From<SpecError> for RateError {
    fn from(error: SpecError) -> RateError {
        DuelError::from(error).into()
    }
}

impl Fault for RateError {
    fn is_input(&self) -> bool {
        match self {
            RateError::Duel(error) => error.is_input(),
            _ => true,
        }
    }
}

/// Plays the round robin, or what a store lacks of it. `stop` ends it early with what is complete.
pub fn run_rate(
    round_robin: &RoundRobin,
    store: Option<&Path>,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress),
) -> Result<RateReport, RateError> {
    let start = Instant::now();
    round_robin.check()?;
    let round_robin = round_robin.sorted();
    let mut duels = Vec::new();
    let pairs = round_robin.pairs();
    let games = pairs.len() as u64 * round_robin.games.next_multiple_of(2);
    for &(first, second) in &pairs {
        if stop.requested() {
            break;
        }
        let before: u64 = duels.iter().map(|(_, _, report): &PlayedPair| report.games).sum();
        let duel = round_robin.duel(first, second);
        let report = run_duel(&duel, store, stop, &mut |of_pair| {
            progress(Progress { done: before + of_pair.done, games, tally: of_pair.tally });
        })?;
        duels.push((first, second, report));
    }
    Ok(round_robin.report(&duels, games, start))
}

type PlayedPair = (usize, usize, DuelReport);

impl RoundRobin {
    fn check(&self) -> Result<(), RateError> {
        struct CountPlayers;
        impl Visitor for CountPlayers {
            type Out = usize;
            fn visit<G: CatalogGame>(self, game: G) -> usize {
                game.players()
            }
        }
        let texts: Vec<String> = self.agents.iter().map(AgentSpec::to_string).collect();
        if let n @ 0..2 = texts.len() {
            return Err(RateError::TooFewAgents { n });
        }
        for (i, text) in texts.iter().enumerate() {
            if texts[..i].contains(text) {
                return Err(RateError::NamedTwice { agent: text.clone() });
            }
        }
        match self.game.with(CountPlayers)? {
            2 => Ok(()),
            players => Err(RateError::NotOfTwo { game: self.game.clone(), players }),
        }
    }

    /// The agents by their texts, so that the same games are found in a store, and the same
    /// numbers come out, however the agents were listed.
    fn sorted(&self) -> RoundRobin {
        let mut sorted = self.clone();
        sorted.agents.sort_by_cached_key(AgentSpec::to_string);
        sorted
    }

    fn pairs(&self) -> Vec<(usize, usize)> {
        let n = self.agents.len();
        (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect()
    }

    fn duel(&self, first: usize, second: usize) -> Duel {
        let agents = [first, second].map(|at| self.agents[at].clone());
        let pairing = Pairing {
            openings: self.openings,
            ..Pairing::new(self.game.clone(), agents, self.seed)
        };
        Duel { pairing, games: self.games, threads: self.threads, sprt: None }
    }

    fn report(&self, duels: &[PlayedPair], games: u64, start: Instant) -> RateReport {
        let tally_of = |report: &DuelReport| Tally {
            wins: report.wins,
            draws: report.draws,
            losses: report.losses,
        };
        let tallies: Vec<PairTally> = duels
            .iter()
            .map(|&(first, second, ref report)| PairTally {
                first,
                second,
                tally: tally_of(report),
            })
            .collect();
        let own = |agent: usize| {
            let of = |pair: &PairTally| match agent {
                _ if agent == pair.first => Some(pair.tally),
                _ if agent == pair.second => Some(pair.tally.mirrored()),
                _ => None,
            };
            tallies.iter().filter_map(of).sum::<Tally>()
        };
        let rated = |(i, rating): (usize, Rating)| {
            let tally = own(i);
            RatedAgent { agent: self.agents[i].to_string(), rating, tally, score: tally.score() }
        };
        let ratings = bradley_terry(self.agents.len(), &tallies);
        let mut agents: Vec<RatedAgent> = ratings.into_iter().enumerate().map(rated).collect();
        agents.sort_by(|a, b| b.rating.elo.total_cmp(&a.rating.elo));
        let pair = |(first, second, report): &PlayedPair| RatedPair {
            first: self.agents[*first].to_string(),
            second: self.agents[*second].to_string(),
            tally: tally_of(report),
            remark: report.remark.clone(),
            n_forfeits: report.n_forfeits,
        };
        RateReport {
            game: self.game.to_string(),
            agents,
            pairs: duels.iter().map(pair).collect(),
            seed: self.seed,
            openings: self.openings,
            repeatable: duels.iter().all(|(_, _, report)| report.repeatable),
            interrupted: duels.iter().map(|(_, _, report)| report.games).sum::<u64>() < games,
            games_before: duels.iter().map(|(_, _, report)| report.games_before).sum(),
            seconds: start.elapsed().as_secs_f64(),
        }
    }
}
