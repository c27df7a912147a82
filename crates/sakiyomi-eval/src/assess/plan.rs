//! What is played: which players, and how many games. A budget decides it from measured speed; after
//! that no clock is asked.

use cpu_time::ThreadTime;
use sakiyomi_catalog::{AgentSpec, GameSpec, RandomSpec, SpecError};
use sakiyomi_core::{Fault, Stop};

use super::players::{self, FACTOR, LEVELS};
use crate::{Pairing, Task, TaskError, Unit, run_unit};

/// The strongest search of a plan, from the strongest that is tried: the iterations of its last level.
const STRENGTHS: [u64; 5] = [25_600, 6_400, 1_600, 400, 100];
/// Games that a strength must allow to be chosen before a weaker one, and the most of a plan.
const ENOUGH_GAMES: u64 = 200;
const MAX_GAMES: u64 = 400;
/// A plan has one of these numbers of games of each kind.
const NUMBERS: [u64; 11] = [10, 20, 30, 40, 60, 80, 100, 150, 200, 300, MAX_GAMES];
/// Iterations with which speed is measured, and about how long it is measured, of each player.
const TRIAL_ITERATIONS: u64 = 40;
const TRIAL_SECONDS: f64 = 0.3;
const MAX_TRIALS: u64 = 20;
/// Players that take more than this share of all time for their games are left out.
const MAX_SHARE: f64 = 0.5;

/// The sizes of an assessment, fixed before its first game.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Iterations of the searches of rising strength; none where the search cannot play the game.
    pub strengths: Vec<u64>,
    /// Players beside them and beside random moves.
    pub others: Vec<AgentSpec>,
    /// Games of each player against itself, and of each step of the ladder.
    pub games: u64,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error(transparent)]
    Task(TaskError),
    #[error("0 games; an assessment needs at least 1 of each player")]
    NoGames,
    #[error("strengths must rise; expected numbers such as 100,400,1600")]
    NotRising,
}

impl Fault for PlanError {
    fn is_input(&self) -> bool {
        match self {
            PlanError::Task(error) => error.is_input(),
            _ => true,
        }
    }
}

impl Plan {
    /// A plan of these sizes, with the usual players where none are named.
    pub fn of_sizes(
        game: &GameSpec,
        strengths: Vec<u64>,
        games: u64,
        others: Vec<AgentSpec>,
    ) -> Result<Plan, PlanError> {
        if games == 0 {
            return Err(PlanError::NoGames);
        }
        if !strengths.is_sorted_by(|a, b| a < b) || strengths.first() == Some(&0) {
            return Err(PlanError::NotRising);
        }
        let searches: Vec<AgentSpec> = strengths.iter().map(|&n| players::search_of(n)).collect();
        let can_search = players::playable(game, &searches)?.len() == searches.len();
        let strengths = if can_search { strengths } else { Vec::new() };
        let others = match others.is_empty() {
            true => players::others(game, strength_of_others(&strengths))?,
            false => others,
        };
        Ok(Plan { strengths, others, games })
    }

    /// The largest plan that takes about this long, with the usual players where none are named.
    pub fn within(
        game: &GameSpec,
        minutes: f64,
        threads: usize,
        others: Vec<AgentSpec>,
        stop: &Stop,
    ) -> Result<Plan, PlanError> {
        let cpu = 60.0 * minutes * (1.0 - super::EXACT_SHARE) * threads as f64;
        let speeds = Speeds::measure(game, &others, cpu, stop)?;
        let plan = |top: u64| {
            let strengths = if speeds.search.is_some() { levels(top) } else { Vec::new() };
            let games = cpu / speeds.seconds_of_each(&strengths).max(1e-9);
            (strengths, games as u64)
        };
        let plans: Vec<_> = STRENGTHS.map(plan).into();
        let chosen = plans.iter().find(|(_, games)| *games >= ENOUGH_GAMES).or(plans.last());
        let (strengths, fitting) = chosen.cloned().unwrap_or_default();
        let fits = |number: &&u64| **number <= fitting;
        let games = NUMBERS.iter().rev().find(fits).copied().unwrap_or(NUMBERS[0]);
        let mut plan = Plan::of_sizes(game, strengths, games, others)?;
        plan.others.retain(|agent| !speeds.too_slow.contains(agent));
        Ok(plan)
    }

    /// Everyone who plays against itself.
    pub fn players(&self) -> Vec<AgentSpec> {
        let searches = self.strengths.iter().map(|&n| players::search_of(n));
        let random = AgentSpec::from(RandomSpec);
        [random].into_iter().chain(searches).chain(self.others.iter().cloned()).collect()
    }

    /// Searches that play each other, the weaker first.
    pub fn ladder(&self) -> Vec<[AgentSpec; 2]> {
        let pairs = self.strengths.windows(2);
        pairs.map(|pair| [players::search_of(pair[0]), players::search_of(pair[1])]).collect()
    }

    /// Its part of a command.
    pub(super) fn arguments(&self) -> String {
        let mut text = format!("--games {}", self.games);
        if !self.strengths.is_empty() {
            let strengths: Vec<String> = self.strengths.iter().map(u64::to_string).collect();
            text += &format!(" --strengths {}", strengths.join(","));
        }
        for player in &self.others {
            text += &format!(" --player {player}");
        }
        text
    }
}

/// The strengths of a plan whose strongest search is this.
fn levels(top: u64) -> Vec<u64> {
    let mut levels: Vec<u64> = (0..LEVELS as u32).map(|i| (top / FACTOR.pow(i)).max(1)).collect();
    levels.reverse();
    levels
}

/// The players beside the ladder think as long as its last but one.
fn strength_of_others(strengths: &[u64]) -> u64 {
    strengths.iter().rev().nth(1).or(strengths.last()).copied().unwrap_or(STRENGTHS[3])
}

/// CPU seconds of a match of each kind of player against itself.
struct Speeds {
    random: f64,
    /// With [`TRIAL_ITERATIONS`].
    search: Option<f64>,
    /// Of the players beside it: their own, or with [`TRIAL_ITERATIONS`] if they search as well.
    others: Vec<(f64, bool)>,
    too_slow: Vec<AgentSpec>,
}

impl Speeds {
    /// `cpu` is the time for everything, in seconds.
    fn measure(
        game: &GameSpec,
        named: &[AgentSpec],
        cpu: f64,
        stop: &Stop,
    ) -> Result<Speeds, PlanError> {
        let measure = |agent: &AgentSpec| match_seconds(game, agent, stop).map_err(PlanError::Task);
        let search = players::playable(game, &[players::search_of(TRIAL_ITERATIONS)])?;
        let search = search.first().map(measure).transpose()?;
        let mut speeds = Speeds {
            random: measure(&RandomSpec.into())?,
            search,
            others: Vec::new(),
            too_slow: Vec::new(),
        };
        let others = match named {
            [] => players::others(game, TRIAL_ITERATIONS)?,
            named => named.to_vec(),
        };
        for agent in others {
            let seconds = measure(&agent)?;
            // Those that are named think as long as they say.
            let searches =
                named.is_empty() && !matches!(agent, AgentSpec::Scripted(_) | AgentSpec::MaxN(_));
            let is_kept = searches || !named.is_empty();
            match is_kept || seconds * (ENOUGH_GAMES as f64) < MAX_SHARE * cpu {
                true => speeds.others.push((seconds, searches)),
                false => speeds.too_slow.push(agent),
            }
        }
        Ok(speeds)
    }

    /// One game of each player, and of each step of the ladder.
    fn seconds_of_each(&self, strengths: &[u64]) -> f64 {
        let at = |seconds: f64, n: u64| seconds * (n as f64 / TRIAL_ITERATIONS as f64).max(0.1);
        let search = |n: u64| self.search.map_or(0.0, |seconds| at(seconds, n));
        let alone: f64 = strengths.iter().map(|&n| search(n)).sum();
        let ladder: f64 =
            strengths.windows(2).map(|pair| (search(pair[0]) + search(pair[1])) / 2.0).sum();
        let other = |&(seconds, searches): &(f64, bool)| match searches {
            true => at(seconds, strength_of_others(strengths)),
            false => seconds,
        };
        self.random + alone + ladder + self.others.iter().map(other).sum::<f64>()
    }
}

/// The mean CPU time of a match of the agent against itself.
fn match_seconds(game: &GameSpec, agent: &AgentSpec, stop: &Stop) -> Result<f64, TaskError> {
    let pairing = Pairing::self_play(game.clone(), agent.clone(), 0);
    // The first match may compile rules, which is done once.
    let unit = |numbers| Unit { task: Task::Matches(pairing.clone()), numbers, keep: false };
    let begin = ThreadTime::now();
    run_unit(&unit(0..1), stop)?;
    let first = begin.elapsed().as_secs_f64();
    if first > TRIAL_SECONDS || stop.requested() {
        return Ok(first);
    }
    let n = ((TRIAL_SECONDS / first.max(1e-6)) as u64).clamp(1, MAX_TRIALS);
    let begin = ThreadTime::now();
    run_unit(&unit(0..n), stop)?;
    Ok(begin.elapsed().as_secs_f64() / n as f64)
}
