//! What was found, with its uncertainty.

use sakiyomi_catalog::{CatalogGame, Record};
use sakiyomi_core::Player;
use sakiyomi_core::stats::{Interval, Tally, mean_interval};
use serde::Serialize;

use super::{Bout, Fair, Hunt, Response, ResponseBudget, Way};
use crate::arena::outcome;

#[derive(Clone, Debug, Serialize)]
pub struct ResponseReport {
    /// The specifications as text.
    pub game: String,
    pub agent: String,
    pub budget: ResponseBudget,
    pub seed: u64,
    /// Games in which responses were looked for.
    pub sparring: Vec<SparringReport>,
    pub trials: Vec<TrialReport>,
    /// The response that did best in trial games and played the games that count; all that follows is
    /// of those.
    pub response: Way,
    pub games: u64,
    #[serde(flatten)]
    pub tally: Tally,
    pub seats: Vec<ResponseSeat>,
    /// Its mean payoff, with its 95 % interval.
    pub mean: f64,
    pub interval: Interval,
    /// What all seats get on average if no one exploits the agent, with its 95 % interval.
    pub fair: f64,
    pub fair_interval: Interval,
    /// The mean beyond that: a lower bound of what a best response gains per player, in payoffs from 0
    /// to 1, with its 95 % interval.
    pub exploitability: f64,
    pub exploitability_interval: Interval,
    /// By what a difference of payoffs is multiplied to be one in the game's own units.
    pub unit: f64,
    /// Whether all of the interval is above 0.
    pub found: bool,
    /// Games that the agent gave up, and why it did the first time.
    pub n_forfeits: u64,
    pub forfeit: Option<String>,
    /// The game in which the response got most, the shortest of them.
    pub record: Option<Record>,
    /// The seat that the response had there, from 0.
    pub record_seat: Option<u8>,
    /// Fewer games were played than were asked for.
    pub interrupted: bool,
    pub seconds: f64,
}

/// Games that were played to find a response.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SparringReport {
    pub way: Way,
    pub games: u64,
    /// Decisions in its tree.
    pub places: u64,
    pub mean: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialReport {
    pub way: Way,
    pub games: u64,
    pub mean: f64,
}

/// The games that count in one seat.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResponseSeat {
    pub seat: u8,
    #[serde(flatten)]
    pub tally: Tally,
    pub mean: f64,
}

impl TrialReport {
    pub(super) fn new(way: Way, bouts: &[Bout]) -> TrialReport {
        TrialReport { way, games: bouts.len() as u64, mean: mean_of(bouts) }
    }
}

impl ResponseReport {
    pub(super) fn new<G: CatalogGame>(
        hunt: &Hunt<'_, G>,
        responses: &[Response],
        response: &Response,
        trials: Vec<TrialReport>,
        bouts: &[Bout],
        fair: &Fair,
    ) -> ResponseReport {
        let n_players = hunt.opponent.game.players();
        let tally = tally_of(bouts, n_players);
        let payoffs: Vec<f64> = bouts.iter().map(Bout::own).collect();
        let interval = interval_of(&payoffs, (n_players == 2).then_some(tally));
        let mean = mean_of(bouts);
        let (fair_mean, fair_interval) = match fair {
            Fair::Known(known) => (*known, Interval { low: *known, high: *known }),
            Fair::Played(means) => {
                let mean = means.iter().sum::<f64>() / means.len() as f64;
                (mean, interval_of(means, None))
            }
        };
        let gain = mean - fair_mean;
        let below = (mean - interval.low).hypot(fair_interval.high - fair_mean);
        let above = (interval.high - mean).hypot(fair_mean - fair_interval.low);
        let exploitability_interval = Interval { low: gain - below, high: gain + above };
        let forfeits = || bouts.iter().filter_map(Bout::forfeit_of_agent);
        let best = best_game(bouts, fair_mean);
        ResponseReport {
            game: hunt.request.game.to_string(),
            agent: hunt.request.agent.to_string(),
            budget: hunt.request.budget,
            seed: hunt.request.seed,
            sparring: responses.iter().filter_map(Response::report).collect(),
            trials,
            response: response.way,
            games: bouts.len() as u64,
            tally,
            seats: seats_of(bouts, n_players),
            mean,
            interval,
            fair: fair_mean,
            fair_interval,
            exploitability: gain,
            exploitability_interval,
            unit: hunt.request.game.payoff_unit(),
            found: exploitability_interval.low > 0.0,
            n_forfeits: forfeits().count() as u64,
            forfeit: forfeits().next().map(str::to_owned),
            record: best.map(|bout| hunt.record(bout)),
            record_seat: best.map(|bout| bout.seat.0),
            interrupted: (bouts.len() as u64) < hunt.request.games,
            seconds: hunt.begin.elapsed().as_secs_f64(),
        }
    }
}

impl Bout {
    /// What the response got.
    fn own(&self) -> f64 {
        self.payoffs[self.seat]
    }

    fn forfeit_of_agent(&self) -> Option<&str> {
        let given_up = self.forfeit.as_ref().filter(|(player, _)| *player != self.seat);
        given_up.map(|(_, reason)| reason.as_str())
    }
}

impl Response {
    fn report(&self) -> Option<SparringReport> {
        self.way.own()?;
        let games = self.sparred.games;
        let mean = (games > 0).then(|| self.sparred.sum / games as f64);
        Some(SparringReport { way: self.way, games, places: self.tree.len() as u64, mean })
    }
}

fn mean_of(bouts: &[Bout]) -> f64 {
    bouts.iter().map(Bout::own).sum::<f64>() / bouts.len() as f64
}

fn tally_of<'a>(bouts: impl IntoIterator<Item = &'a Bout>, n_players: usize) -> Tally {
    bouts.into_iter().fold(Tally::default(), |all, bout| {
        let one = outcome(&bout.payoffs, bout.seat, n_players).tally();
        Tally {
            wins: all.wins + one.wins,
            draws: all.draws + one.draws,
            losses: all.losses + one.losses,
        }
    })
}

fn seats_of(bouts: &[Bout], n_players: usize) -> Vec<ResponseSeat> {
    let seat = |seat: u8| {
        let own: Vec<&Bout> = bouts.iter().filter(|bout| bout.seat == Player(seat)).collect();
        let sum: f64 = own.iter().map(|bout| bout.own()).sum();
        let tally = tally_of(own.iter().copied(), n_players);
        ResponseSeat { seat, tally, mean: sum / own.len().max(1) as f64 }
    };
    (0..n_players as u8).map(seat).collect()
}

/// The 95 % interval of a mean payoff: that of a score where there are only wins, draws and losses,
/// and elsewhere by Student's t, or by Hoeffding's bound if all were the same.
fn interval_of(payoffs: &[f64], tally: Option<Tally>) -> Interval {
    let is_score = |payoff: &f64| [0.0, 0.5, 1.0].contains(payoff);
    if let Some(tally) = tally.filter(|_| payoffs.iter().all(is_score)) {
        return tally.interval();
    }
    let n = payoffs.len() as u64;
    let (sum, squares) = (payoffs.iter().sum(), payoffs.iter().map(|x| x * x).sum());
    let Some((mean, interval)) = mean_interval(n, sum, squares) else {
        return Interval { low: 0.0, high: 1.0 };
    };
    let are_all_alike = payoffs.windows(2).all(|two| two[0] == two[1]);
    let half = (f64::ln(2.0 / 0.05) / (2.0 * n as f64)).sqrt();
    match are_all_alike {
        true => Interval { low: (mean - half).max(0.0), high: (mean + half).min(1.0) },
        false => interval,
    }
}

/// The game in which the response got most, if that is more than its share: one that was played to
/// its end if there is one, and the shortest.
fn best_game(bouts: &[Bout], fair: f64) -> Option<&Bout> {
    let rank = |bout: &Bout| (bout.forfeit.is_none(), bout.own());
    bouts.iter().filter(|bout| bout.own() > fair).max_by(|a, b| {
        let (a_rank, b_rank) = (rank(a), rank(b));
        let by_payoff = a_rank.0.cmp(&b_rank.0).then(a_rank.1.total_cmp(&b_rank.1));
        by_payoff.then(b.n_turns.cmp(&a.n_turns)).then(b.number.cmp(&a.number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::Payoffs;

    fn bout(number: u64, own: f64, n_turns: u32, gives_up: bool) -> Bout {
        let seat = Player((number % 2) as u8);
        let mut payoffs = Payoffs::of([1.0 - own, 1.0 - own]);
        payoffs[seat] = own;
        let forfeit = gives_up.then(|| (Player(1 - seat.0), "crashed".to_owned()));
        Bout { number, seat, payoffs, n_turns, forfeit, moves: Vec::new() }
    }

    #[test]
    fn the_shortest_win_that_was_played_out_is_shown() {
        let bouts = [
            bout(0, 0.5, 3, false),
            bout(1, 1.0, 9, false),
            bout(2, 1.0, 7, false),
            bout(3, 1.0, 1, true),
            bout(4, 1.0, 7, false),
        ];
        assert_eq!(best_game(&bouts, 0.5).map(|bout| bout.number), Some(2));
        assert_eq!(best_game(&bouts[..1], 0.5).map(|bout| bout.number), None);
        assert_eq!(bouts[3].forfeit_of_agent(), Some("crashed"));
        assert_eq!(tally_of(&bouts, 2), Tally { wins: 4, draws: 1, losses: 0 });
        let seats = seats_of(&bouts, 2);
        assert_eq!((seats[0].tally.games(), seats[1].mean), (3, 1.0));
    }

    #[test]
    fn intervals_are_never_points() {
        let tally = Tally { wins: 20, draws: 0, losses: 0 };
        assert!(interval_of(&[1.0; 20], Some(tally)).low < 0.9);
        let alike = interval_of(&[0.8; 20], None);
        assert!((alike.low - (0.8 - 0.3037)).abs() < 1e-3 && alike.high == 1.0, "{alike:?}");
        let spread = interval_of(&[0.2, 0.4, 0.6, 0.8], None);
        assert!(spread.low < 0.3 && spread.high > 0.7, "{spread:?}");
    }
}
