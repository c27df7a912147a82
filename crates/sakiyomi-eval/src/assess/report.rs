//! What an assessment found, as numbers.

use sakiyomi_core::stats::{Elo, Interval, Tally, mean_interval};
use serde::{Deserialize, Serialize};

use super::exact::ExactValue;
use super::players::Kind;
use super::verdict::Verdict;
use super::{Assess, DEFAULT_MINUTES, Seats};
use crate::{DistinctCounter, Measure, Played};

/// The whole assessment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssessReport {
    pub game: String,
    /// Names of the seats.
    pub seats: Vec<String>,
    /// Random moves, searches of rising strength, then the others.
    pub players: Vec<PlayerReport>,
    /// Searches against those with a quarter of their iterations.
    pub ladder: Vec<LadderStep>,
    pub exact: ExactValue,
    pub verdict: Verdict,
    /// Changes of the rules that might mend the game, assessed in the same way.
    pub remedies: Vec<AssessReport>,
    /// Games of each player against itself.
    pub games: u64,
    pub seed: u64,
    /// True if it was stopped before all games were played.
    pub interrupted: bool,
    pub seconds: f64,
    pub cpu_seconds: f64,
    /// Repeats it exactly.
    pub command: String,
}

/// A player against itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerReport {
    pub agent: String,
    pub kind: Kind,
    /// Iterations, of a search of the ladder.
    pub iterations: Option<u64>,
    pub games: u64,
    pub seats: Vec<SeatScore>,
    /// The share of games that no player won alone.
    pub draws: f64,
    /// How many of the games were different.
    pub distinct_games: u64,
    /// In rounds where the game counts rounds, and otherwise in turns.
    pub length: Mean,
    /// Legal actions of a choice, and the share of choices with only one; nothing where there are too
    /// many actions to list.
    pub branching: Option<f64>,
    pub forced: Option<f64>,
    /// How often another player took the lead, in a game, and the share of its turns after which it
    /// was decided: by what the players expected of their own searches. Nothing for those who do not
    /// tell.
    pub lead_changes: Option<Mean>,
    pub decided: Option<Mean>,
    pub n_forfeits: u64,
}

/// What a seat brings: one point for a game won, shared with those who have the same payoff; of a
/// single player its mean payoff.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeatScore {
    pub score: f64,
    /// 95 %.
    pub interval: Interval,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    pub mean: f64,
    /// 95 %, by Student.
    pub low: f64,
    pub high: f64,
}

/// One step of the ladder of skill: the stronger search against the weaker one, in all seats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderStep {
    pub weaker: String,
    pub stronger: String,
    pub games: u64,
    /// Of the stronger one.
    pub score: f64,
    pub interval: Interval,
    /// Beside an equal player; nothing with more than two players.
    pub elo: Option<Elo>,
}

impl AssessReport {
    /// `games` are those of the works of the assessment, in their order.
    pub(super) fn new(
        assess: &Assess,
        seats: &Seats,
        games: &[Vec<Played>],
        exact: ExactValue,
    ) -> AssessReport {
        let n = seats.names.len();
        let agents = assess.plan.players();
        let n_searches = assess.plan.strengths.len();
        let player = |(i, agent): (usize, &sakiyomi_catalog::AgentSpec)| {
            let level = i.checked_sub(1).filter(|level| *level < n_searches);
            let iterations = level.map(|level| assess.plan.strengths[level]);
            (!games[i].is_empty()).then(|| PlayerReport {
                agent: agent.to_string(),
                kind: Kind::of(agent),
                iterations,
                ..PlayerReport::of_games(&games[i], n)
            })
        };
        let players: Vec<PlayerReport> = agents.iter().enumerate().filter_map(player).collect();
        let steps = assess.plan.ladder();
        let ladder: Vec<LadderStep> = steps
            .iter()
            .zip(&games[agents.len()..])
            .filter_map(|([weaker, stronger], games)| {
                let (score, interval) = score_of_first(games, n)?;
                Some(LadderStep {
                    weaker: weaker.to_string(),
                    stronger: stronger.to_string(),
                    games: games.len() as u64,
                    score,
                    interval,
                    elo: (n == 2).then(|| Elo::from_score(score, interval)),
                })
            })
            .collect();
        let verdict = Verdict::new(&seats.names, &players, &ladder, &exact);
        AssessReport {
            game: assess.game.to_string(),
            seats: seats.names.clone(),
            players,
            ladder,
            exact,
            verdict,
            remedies: Vec::new(),
            games: assess.plan.games,
            seed: assess.seed,
            interrupted: false,
            seconds: 0.0,
            cpu_seconds: 0.0,
            command: assess.command(),
        }
    }

    /// The strongest search, or else the last player that is not random.
    pub fn strongest(&self) -> Option<&PlayerReport> {
        let searches = self.players.iter().rev().find(|player| player.iterations.is_some());
        searches.or(self.players.last())
    }
}

impl Assess {
    /// The command that repeats it exactly.
    pub fn command(&self) -> String {
        let quoted = |text: String| match text.contains([' ', '(', ')', '\'', '&', ';']) {
            true => format!("'{}'", text.replace('\'', "'\\''")),
            false => text,
        };
        let game = quoted(self.game.to_string());
        let (plan, seed) = (self.plan.arguments(), self.seed);
        let minutes = match self.minutes {
            DEFAULT_MINUTES => String::new(),
            minutes => format!(" --minutes {}", (100.0 * minutes).ceil() / 100.0),
        };
        format!("sakiyomi assess {game} {plan}{minutes} --seed {seed}")
    }
}

impl PlayerReport {
    fn of_games(games: &[Played], n_seats: usize) -> PlayerReport {
        let mut distinct = DistinctCounter::default();
        distinct.add_all(games);
        let is_shared = |played: &&Played| winners(played).count_ones() > 1;
        let of = |measure: Measure| games.iter().filter_map(move |played| played.measures[measure]);
        let mean = |measure| Mean::of(of(measure));
        PlayerReport {
            agent: String::new(),
            kind: Kind::Random,
            iterations: None,
            games: games.len() as u64,
            seats: (0..n_seats).map(|seat| SeatScore::of(games, seat, n_seats)).collect(),
            draws: games.iter().filter(is_shared).count() as f64 / games.len().max(1) as f64,
            distinct_games: distinct.count().map_or(0, |count| count.distinct),
            length: mean(Measure::LENGTH).unwrap_or_default(),
            branching: mean(Measure::BRANCHING).map(|mean| mean.mean),
            forced: mean(Measure::FORCED).map(|mean| mean.mean),
            lead_changes: mean(Measure::LEAD_CHANGES),
            decided: mean(Measure::DECIDED),
            n_forfeits: games.iter().filter(|played| played.forfeit.is_some()).count() as u64,
        }
    }
}

impl Default for Mean {
    fn default() -> Mean {
        Mean { mean: 0.0, low: 0.0, high: 0.0 }
    }
}

impl Mean {
    fn of(values: impl Iterator<Item = f64>) -> Option<Mean> {
        let (mut n, mut sum, mut squares) = (0, 0.0, 0.0);
        for value in values {
            n += 1;
            sum += value;
            squares += value * value;
        }
        let (mean, Interval { low, high }) = mean_interval(n, sum, squares)?;
        // One game says nothing about the spread.
        let [low, high] = if n == 1 { [mean, mean] } else { [low, high] };
        Some(Mean { mean, low, high })
    }
}

impl SeatScore {
    fn of(games: &[Played], seat: usize, n_seats: usize) -> SeatScore {
        let (score, interval) = match n_seats {
            1 => share_interval(games.iter().filter_map(|game| game.measures[Measure::PAYOFF])),
            2 => tally_of(games.iter().map(|game| (game, seat))),
            _ => share_interval(games.iter().map(|game| points(game, seat))),
        };
        SeatScore { score, interval }
    }
}

/// The players with the best payoff, as bits.
fn winners(played: &Played) -> u32 {
    played.measures[Measure::WINNERS].map_or(0, |bits| bits as u32)
}

/// The points of a seat: one, shared by the winners.
fn points(played: &Played, seat: usize) -> f64 {
    let bits = winners(played);
    let has_won = bits >> seat & 1 == 1;
    if has_won { 1.0 / f64::from(bits.count_ones()) } else { 0.0 }
}

/// The score of the first agent of a pairing, which has the seats in turn.
fn score_of_first(games: &[Played], n_seats: usize) -> Option<(f64, Interval)> {
    let seated = || games.iter().map(|game| (game, game.number as usize % n_seats));
    match n_seats {
        _ if games.is_empty() => None,
        2 => Some(tally_of(seated())),
        _ => Some(share_interval(seated().map(|(game, seat)| points(game, seat)))),
    }
}

/// The score of seats in games of two, with the interval of won, drawn and lost games.
fn tally_of<'a>(games: impl Iterator<Item = (&'a Played, usize)>) -> (f64, Interval) {
    let mut tally = Tally::default();
    for (game, seat) in games {
        match points(game, seat) {
            0.0 => tally.losses += 1,
            1.0 => tally.wins += 1,
            _ => tally.draws += 1,
        }
    }
    (tally.score().unwrap_or(0.5), tally.interval())
}

/// The mean of shares with its interval, which stays within 0 and 1.
fn share_interval(shares: impl Iterator<Item = f64>) -> (f64, Interval) {
    let mean = Mean::of(shares).unwrap_or_default();
    (mean.mean, Interval { low: mean.low.max(0.0), high: mean.high.min(1.0) })
}
