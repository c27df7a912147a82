//! Judges: players that play a game against themselves, and what their games say about it.

use std::fmt;
use std::str::FromStr;

use sakiyomi_catalog::AgentSpec;
use sakiyomi_core::stats::Tally;
use sakiyomi_eval::{Measure, Outcome, Played};
use serde::{Deserialize, Serialize};

/// A player that takes both sides. One that would otherwise play the same game again and again can
/// begin with random actions, or with noise, by which the start itself differs from game to game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Judge {
    pub agent: AgentSpec,
    /// How many first actions of each side are drawn at random.
    pub opening: u32,
    pub noise: bool,
}

/// What the name of a judge with noise ends with.
pub const NOISE: &str = "+noise";
/// What stands before the number of random actions.
pub const OPENING: &str = "+opening=";

impl Judge {
    /// The name of its agent: judges of the same kind differ in strength or start alone.
    pub fn kind(&self) -> String {
        let text = self.agent.to_string();
        text.split(':').next().unwrap_or_default().to_owned()
    }
}

impl FromStr for Judge {
    type Err = String;
    fn from_str(text: &str) -> Result<Judge, String> {
        let (text, noise) = match text.strip_suffix(NOISE) {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (agent, opening) = match text.split_once(OPENING) {
            Some((agent, number)) => {
                let number = number.parse().map_err(|_| format!("{OPENING}{number}: no number"))?;
                (agent, number)
            }
            None => (text, 0),
        };
        let agent = agent.parse().map_err(|error| format!("{error}"))?;
        Ok(Judge { agent, opening, noise })
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
        write!(f, "{}", self.agent)?;
        if self.opening > 0 {
            write!(f, "{OPENING}{}", self.opening)?;
        }
        f.write_str(if self.noise { NOISE } else { "" })
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// Of the side that moves first.
    pub outcome: Outcome,
    /// From 0 to 1: the game's own estimate of the first side's payoff in the last state, or its
    /// payoff.
    pub estimate: f64,
    /// Steps in which a side chose.
    pub turns: u32,
    /// Equal for equal courses of play.
    pub key: u64,
}

impl Ending {
    /// Of a match whose first agent moves first.
    pub(crate) fn of(played: &Played) -> Ending {
        let payoff = played.measures[Measure::PAYOFF].unwrap_or(0.5);
        Ending {
            outcome: played.outcome,
            estimate: played.measures[Measure::ESTIMATE].unwrap_or(payoff),
            turns: played.measures[Measure::TURNS].unwrap_or_default() as u32,
            key: played.key.unwrap_or_default(),
        }
    }

    /// Whether nothing was left of one of the sides.
    pub fn is_wipe_out(&self) -> bool {
        self.outcome != Outcome::Draw && (self.estimate - 0.5).abs() > WIPE_OUT - 0.5 - 1e-9
    }
}

/// The estimate of the games with hit points when the other side has none left.
const WIPE_OUT: f64 = 0.9;

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

    /// Steps in which a side chose.
    pub fn mean_actions(&self) -> f64 {
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

    #[test]
    fn judges_are_read_and_written() {
        for text in
            ["sample+opening=2+noise", "m-uct:iterations=50+opening=1", "random+noise", "uct"]
        {
            let judge: Judge = text.parse().unwrap();
            assert_eq!(judge.to_string(), text);
            assert_eq!(judge.noise, text.ends_with("noise"));
            assert_eq!(judge.opening > 0, text.contains("opening"));
            assert!(text.starts_with(&judge.kind()) && !judge.kind().contains([':', '+']));
            let json = serde_json::to_string(&judge).unwrap();
            assert_eq!(serde_json::from_str::<Judge>(&json).unwrap(), judge);
        }
        assert!("samples".parse::<Judge>().unwrap_err().contains("samples"));
        assert!("sample+opening=x".parse::<Judge>().unwrap_err().contains("no number"));
    }
}
