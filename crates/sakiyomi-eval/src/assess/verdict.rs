//! What the numbers of an assessment say, in words that can be checked against them.

use serde::{Deserialize, Serialize};

use super::exact::ExactValue;
use super::players::Kind;
use super::report::{LadderStep, PlayerReport, SeatScore};

/// A game is fair if every seat's score is within this share of an equal one: [0.4, 0.6] for two.
const TOLERANCE: f64 = 0.2;

/// What is concluded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub fairness: Fairness,
    /// How far scores of seats may be from equal ones, for all players but random moves, with their
    /// 95 % intervals.
    pub within: f64,
    /// The player whose seats differ most, by its place in the report, and its best seat.
    pub worst: Option<(usize, usize)>,
    /// What happens to the advantage of the best seat as searches get stronger.
    pub trend: Trend,
    /// How many steps of the ladder the stronger search has won for sure, and all of them.
    pub steps_won: u64,
    pub steps: u64,
    /// The certificate: one sentence.
    pub sentence: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fairness {
    /// All intervals lie within the tolerance.
    Fair,
    /// An interval lies beyond the tolerance, or perfect play is not equal.
    Unfair,
    /// Neither: more games would tell.
    Unclear,
    /// There is one player only.
    OneSeat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trend {
    Grows,
    Vanishes,
    NoClearChange,
    /// There are fewer than two searches.
    Unknown,
}

impl Trend {
    pub fn meaning(self) -> &'static str {
        match self {
            Trend::Grows => "grows with strength",
            Trend::Vanishes => "shrinks with strength",
            Trend::NoClearChange => "does not clearly change with strength",
            Trend::Unknown => "is not known at different strengths",
        }
    }
}

impl Verdict {
    pub(super) fn new(
        seats: &[String],
        players: &[PlayerReport],
        ladder: &[LadderStep],
        exact: &ExactValue,
    ) -> Verdict {
        let n = seats.len();
        let equal = 1.0 / n as f64;
        let thinking = || players.iter().enumerate().filter(|(_, p)| p.kind != Kind::Random);
        let scores = || {
            thinking().flat_map(|(i, player)| {
                player.seats.iter().enumerate().map(move |(seat, score)| ((i, seat), score))
            })
        };
        let farthest = |score: &SeatScore| {
            (score.interval.low - equal).abs().max((score.interval.high - equal).abs())
        };
        let within = scores().map(|(_, score)| farthest(score)).fold(0.0, f64::max);
        let best = scores().max_by(|a, b| a.1.score.total_cmp(&b.1.score));
        let worst = best.map(|(place, _)| place);
        let tolerance = TOLERANCE * equal;
        let is_beyond = |score: &SeatScore| {
            score.interval.low > equal + tolerance || score.interval.high < equal - tolerance
        };
        let unequal = exact.values.as_ref().is_some_and(|values| {
            let sum: f64 = values.iter().sum();
            values.iter().any(|value| (value - sum * equal).abs() > 1e-9)
        });
        let fairness = match () {
            () if n < 2 => Fairness::OneSeat,
            () if unequal || scores().any(|(_, score)| is_beyond(score)) => Fairness::Unfair,
            () if within <= tolerance && worst.is_some() => Fairness::Fair,
            () => Fairness::Unclear,
        };
        let is_won = |step: &&LadderStep| step.interval.low > equal;
        let mut verdict = Verdict {
            fairness,
            within,
            worst,
            trend: trend(players),
            steps_won: ladder.iter().filter(is_won).count() as u64,
            steps: ladder.len() as u64,
            sentence: String::new(),
        };
        verdict.sentence = verdict.certificate(seats, players, exact, unequal);
        verdict
    }

    fn certificate(
        &self,
        seats: &[String],
        players: &[PlayerReport],
        exact: &ExactValue,
        unequal: bool,
    ) -> String {
        let n_thinking = players.iter().filter(|player| player.kind != Kind::Random).count();
        let Some((i, seat)) = self.worst else {
            return "No conclusion: no games of players that think were played.".to_owned();
        };
        let player = &players[i];
        let SeatScore { score, interval } = player.seats[seat];
        let range = format!("95 %: {:.2} to {:.2}", interval.low, interval.high);
        let (name, agent) = (&seats[seat], &player.agent);
        let most =
            format!("the most that a seat gets is {score:.2} ({range}), {name} with `{agent}`");
        let itself = format!("{name} scores {score:.2} ({range}) when `{agent}` plays itself");
        let trend = match self.trend {
            Trend::Unknown => String::new(),
            known => format!("; the advantage {}", known.meaning()),
        };
        let within = self.within;
        match self.fairness {
            Fairness::OneSeat => format!(
                "A game of one player: there are no seats to compare; `{agent}` gets {score:.2} of 1 \
                 ({range})."
            ),
            Fairness::Fair => format!(
                "Fair within \u{b1}{within:.2} for all {n_thinking} players that think, each against \
                 itself: {most}{trend}."
            ),
            Fairness::Unfair if unequal => {
                let values = exact.values.as_deref().unwrap_or_default();
                let best = values.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
                let (best, value) = best.unwrap_or((0, &0.0));
                let gets = match *value == 1.0 {
                    true => "wins".to_owned(),
                    false => format!("gets {value:.2} of 1"),
                };
                format!("Not fair: with perfect play {} {gets}; {itself}{trend}.", seats[best])
            }
            Fairness::Unfair => {
                let though = match exact.values {
                    Some(_) => ", though perfect play gives equal shares",
                    None => "",
                };
                format!("Not fair: {itself}{though}{trend}.")
            }
            Fairness::Unclear => format!(
                "Not decided: these games show it to be fair within \u{b1}{within:.2}, and \
                 \u{b1}{:.2} is asked; {most}{trend}.",
                TOLERANCE / seats.len() as f64
            ),
        }
    }
}

/// Compares the weakest and the strongest search by the seat that is best for the strongest.
fn trend(players: &[PlayerReport]) -> Trend {
    let searches: Vec<&PlayerReport> =
        players.iter().filter(|player| player.iterations.is_some()).collect();
    let [weakest, .., strongest] = searches.as_slice() else { return Trend::Unknown };
    let by_score =
        |a: &(usize, &SeatScore), b: &(usize, &SeatScore)| a.1.score.total_cmp(&b.1.score);
    let (seat, last) = match strongest.seats.iter().enumerate().max_by(by_score) {
        Some(best) if strongest.seats.len() > 1 => best,
        _ => return Trend::Unknown,
    };
    let equal = 1.0 / strongest.seats.len() as f64;
    let first = weakest.seats[seat];
    let half = |score: &SeatScore| (score.interval.high - score.interval.low) / 2.0;
    let error = half(last).hypot(half(&first));
    let advantage = |score: f64| (score - equal).abs();
    match advantage(last.score) - advantage(first.score) {
        change if change > error => Trend::Grows,
        change if change < -error => Trend::Vanishes,
        _ => Trend::NoClearChange,
    }
}
