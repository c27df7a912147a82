//! Judges: players that play a game against themselves, and what their games say about it.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use sakiyomi_catalog::{AgentSpec, GameSpec};
use sakiyomi_core::Stop;
use sakiyomi_core::stats::Tally;
use sakiyomi_eval::{
    ExploitError, Measure, Outcome, Pairing, Played, Results, Task, Unit, run_unit,
};
use serde::{Deserialize, Serialize};

use crate::EvolveError;

/// A player that takes both sides. With noise the start differs from game to game, for players that would
/// otherwise play the same game again and again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Judge {
    pub agent: AgentSpec,
    pub noise: bool,
}

const NOISE: &str = "+noise";

impl FromStr for Judge {
    type Err = String;
    fn from_str(text: &str) -> Result<Judge, String> {
        let (agent, noise) = match text.strip_suffix(NOISE) {
            Some(agent) => (agent, true),
            None => (text, false),
        };
        let agent = agent.parse().map_err(|error| format!("{error}"))?;
        Ok(Judge { agent, noise })
    }
}

impl TryFrom<String> for Judge {
    type Error = String;
    fn try_from(text: String) -> Result<Judge, String> {
        text.parse()
    }
}

impl From<Judge> for String {
    fn from(judge: Judge) -> String {
        judge.to_string()
    }
}

impl fmt::Display for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.agent, if self.noise { NOISE } else { "" })
    }
}

/// One game of a judge. What comes out depends on this alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    pub game: GameSpec,
    pub agent: AgentSpec,
    pub seed: u64,
    pub number: u64,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// Of the side that moves first.
    pub outcome: Outcome,
    /// From 0 to 1: the game's own estimate of the first side's payoff in the last state, or its payoff.
    pub estimate: f64,
    /// Steps in which a side chose.
    pub turns: u32,
    /// Equal for equal courses of play.
    pub key: u64,
}

impl Ending {
    /// Whether nothing was left of one of the sides.
    pub fn is_wipe_out(&self) -> bool {
        self.outcome != Outcome::Draw && (self.estimate - 0.5).abs() > WIPE_OUT - 0.5 - 1e-9
    }
}

/// The estimate of the games with hit points when the other side has none left.
const WIPE_OUT: f64 = 0.9;

impl Game {
    /// Every second number of the pairing of the player with itself, so that the matches of no two numbers share their
    /// chance, and the first agent is always the side that moves first.
    pub fn unit(&self) -> Unit {
        let agents = [self.agent.clone(), self.agent.clone()];
        let pairing = Pairing::new(self.game.clone(), agents, self.seed);
        let numbers = 2 * self.number..2 * self.number + 1;
        Unit { task: Task::Matches(pairing), numbers, keep: true }
    }

    /// Plays it; nothing if it was stopped.
    fn play(&self, stop: &Stop) -> Result<Option<Ending>, ExploitError> {
        Ok(Ending::of(&run_unit(&self.unit(), stop)?))
    }
}

impl Ending {
    /// The ending of the game whose unit had these results; nothing if it was stopped.
    pub fn of(results: &Results) -> Option<Ending> {
        match results {
            Results::Games(games) => games.first().map(ending),
            Results::Values(_) => None,
        }
    }
}

fn ending(played: &Played) -> Ending {
    let payoff = played.measures[Measure::PAYOFF].unwrap_or(0.5);
    Ending {
        outcome: played.outcome,
        estimate: played.last_estimate.unwrap_or(payoff),
        turns: played.measures[Measure::TURNS].unwrap_or_default() as u32,
        key: played.key.unwrap_or_default(),
    }
}

/// Where games are played. What comes out depends on the games alone.
pub trait GameRunner: fmt::Debug + Sync {
    /// Plays games and returns their endings in the same order. If it is stopped, those that were not played are
    /// missing. `tell` is called from time to time with the number of games that are done.
    fn play_games(
        &self,
        games: &[Game],
        stop: &Stop,
        tell: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Option<Ending>>, EvolveError>;
}

/// This number of threads of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(pub usize);

impl GameRunner for Threads {
    fn play_games(
        &self,
        games: &[Game],
        stop: &Stop,
        tell: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Option<Ending>>, EvolveError> {
        Ok(play_games(games, self.0, stop, tell)?)
    }
}

fn play_games(
    games: &[Game],
    threads: usize,
    stop: &Stop,
    tell: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Option<Ending>>, ExploitError> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let endings = Mutex::new(vec![None; games.len()]);
    let failed = Mutex::new(None);
    let lock = |error| *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, games.len().max(1)) {
            scope.spawn(|| {
                while !stop.requested() {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(game) = games.get(at) else { return };
                    match game.play(stop) {
                        Ok(ending) => {
                            endings.lock().unwrap_or_else(PoisonError::into_inner)[at] = ending;
                        }
                        Err(error) => {
                            lock(error);
                            // The others need not go on with what will be thrown away.
                            next.store(games.len(), Ordering::Relaxed);
                            return;
                        }
                    }
                    tell(done.fetch_add(1, Ordering::Relaxed) + 1);
                }
            });
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(endings.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

/// What the games of one judge, or of several, say. Sums are made in the order of the games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Of the side that moves first.
    pub tally: Tally,
    /// Wins of each side in which nothing was left of the other.
    pub wipe_outs: [u64; 2],
    /// The sum of the estimates of the last states.
    pub estimates: f64,
    /// The sum of how even the drawn games were, each from 0 (nearly won) to 1.
    pub evenness: f64,
    /// Steps in which a side chose.
    pub turns: u64,
    /// The keys of the first few games, by which different courses of play are counted.
    pub keys: Vec<u64>,
}

/// Games whose courses are compared.
const MAX_KEYS: usize = 400;

impl Evidence {
    pub fn add(&mut self, ending: &Ending) {
        let tally = ending.outcome.tally();
        self.tally.wins += tally.wins;
        self.tally.draws += tally.draws;
        self.tally.losses += tally.losses;
        if ending.is_wipe_out() {
            self.wipe_outs[usize::from(ending.outcome == Outcome::Loss)] += 1;
        }
        self.estimates += ending.estimate;
        if ending.outcome == Outcome::Draw {
            self.evenness += 1.0 - (2.0 * ending.estimate - 1.0).abs();
        }
        self.turns += u64::from(ending.turns);
        if self.keys.len() < MAX_KEYS {
            self.keys.push(ending.key);
        }
    }

    pub fn merge(&mut self, other: &Evidence) {
        self.tally.wins += other.tally.wins;
        self.tally.draws += other.tally.draws;
        self.tally.losses += other.tally.losses;
        for side in 0..2 {
            self.wipe_outs[side] += other.wipe_outs[side];
        }
        self.estimates += other.estimates;
        self.evenness += other.evenness;
        self.turns += other.turns;
        let room = MAX_KEYS.saturating_sub(self.keys.len());
        self.keys.extend(other.keys.iter().take(room));
    }

    pub fn games(&self) -> u64 {
        self.tally.games()
    }

    /// A sum as a mean of all games; 0 without games.
    pub fn mean(&self, sum: f64) -> f64 {
        sum / self.games().max(1) as f64
    }

    pub fn draw_rate(&self) -> f64 {
        self.mean(self.tally.draws as f64)
    }

    pub fn mean_turns(&self) -> f64 {
        self.mean(self.turns as f64)
    }

    /// Different courses of play among those that were compared.
    pub fn distinct(&self) -> usize {
        let mut keys = self.keys.clone();
        keys.sort_unstable();
        keys.dedup();
        keys.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(n: u64, noise: &str) -> Vec<Game> {
        let game = format!("tubstap:map=ford,attacks=all{noise}").parse().unwrap();
        let agent: AgentSpec = "sample".parse().unwrap();
        (0..n)
            .map(|number| Game {
                game: GameSpec::clone(&game),
                agent: agent.clone(),
                seed: 3,
                number,
            })
            .collect()
    }

    #[test]
    fn judges_are_read_and_written() {
        for text in ["sample+noise", "m-uct:iterations=50", "random"] {
            let judge: Judge = text.parse().unwrap();
            assert_eq!(judge.to_string(), text);
            assert_eq!(judge.noise, text.ends_with("noise"));
            let json = serde_json::to_string(&judge).unwrap();
            assert_eq!(serde_json::from_str::<Judge>(&json).unwrap(), judge);
        }
        assert!("samples".parse::<Judge>().unwrap_err().contains("samples"));
    }

    #[test]
    fn endings_depend_on_the_games_alone() {
        let games = games(20, ",noise-hp,noise-position");
        let play = |games: &[Game], threads| {
            play_games(games, threads, &Stop::new(), &|_| {})
                .unwrap()
                .into_iter()
                .map(Option::unwrap)
                .collect::<Vec<_>>()
        };
        let all = play(&games, 1);
        assert_eq!(play(&games, 3), all);
        assert_eq!(play(&games[7..9], 2), all[7..9]);
        let mut evidence = Evidence::default();
        all.iter().for_each(|ending| evidence.add(ending));
        assert!(evidence.distinct() > 10, "noise makes games differ: {}", evidence.distinct());
        let mut halves = Evidence::default();
        all[..10].iter().for_each(|ending| halves.add(ending));
        let mut second = Evidence::default();
        all[10..].iter().for_each(|ending| second.add(ending));
        halves.merge(&second);
        assert_eq!(halves.tally, evidence.tally);
        assert_eq!((halves.turns, halves.keys), (evidence.turns, evidence.keys));
    }

    #[test]
    fn a_stop_leaves_games_out_and_a_fault_is_told() {
        let stop = Stop::new();
        stop.request();
        assert_eq!(play_games(&games(3, ""), 2, &stop, &|_| {}).unwrap(), [None, None, None]);
        let mut wrong = games(1, "");
        wrong[0].game = "connect-four".parse().unwrap();
        assert!(play_games(&wrong, 1, &Stop::new(), &|_| {}).is_err());
    }

    /// The estimate of a wipe-out is the same in the games that are judged by hit points.
    #[test]
    fn wipe_outs_are_told_from_judgements() {
        let code = "4x3-4-5-11-P1.1.10_i2.1.1";
        let agent: AgentSpec = "sample".parse().unwrap();
        let play = |game: &str, agent: &AgentSpec| {
            let game =
                Game { game: game.parse().unwrap(), agent: agent.clone(), seed: 1, number: 0 };
            game.play(&Stop::new()).unwrap().unwrap()
        };
        let won = play(&format!("tubstap:code={code}"), &agent);
        assert_eq!(won.outcome, Outcome::Win);
        assert!(won.is_wipe_out(), "{won:?}");
        let judged = play("tubstap:code=11x3-1-5-111111111-P1.1.10_i9.1.1", &agent);
        assert_eq!(judged.outcome, Outcome::Win);
        assert!(!judged.is_wipe_out(), "{judged:?}");
    }
}
