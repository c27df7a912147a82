//! Many matches between players on the network, with every seat taken equally often.
//!
//! The same game, players, clocks and seed are the same tournament, whose matches have the same
//! names: one that was interrupted, or killed, goes on with the first match that is not in its store.

use std::collections::BTreeMap;

use sakiyomi_catalog::{GameSpec, GdlSpec, Record, SpecError};
use sakiyomi_core::Stop;
use sakiyomi_core::hash::Fnv64;
use sakiyomi_core::stats::{Interval, Tally, Z95, bounded_mean_interval};
use sakiyomi_eval::{NetworkMatch, StoredMatch};
use serde::Serialize;

use super::client::Contestant;
use super::host::{Clocks, FaultKind, Host, MatchResult, Notices, Stopped};

/// Who plays what, and how often.
#[derive(Debug)]
pub struct Tournament {
    spec: GdlSpec,
    host: Host,
    contestants: Vec<Contestant>,
    clocks: Clocks,
    seed: u64,
    name: String,
}

#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("{game} has {seats} seats, but {players} players are named")]
    TooFew { game: String, seats: usize, players: usize },
    #[error("{url} is named twice; a player plays one match at a time")]
    Twice { url: String },
}

impl sakiyomi_core::Fault for TournamentError {}

/// What the matches so far say.
#[derive(Clone, Debug, Serialize)]
pub struct TournamentReport {
    pub game: String,
    pub start_clock: f64,
    pub play_clock: f64,
    pub seed: u64,
    pub standings: Vec<Standing>,
    /// The matches that were played before and kept; they count as well.
    pub earlier: Vec<StoredMatch>,
    pub matches: Vec<MatchResult>,
    /// Matches in which a player took no part. They do not count.
    pub void: Vec<MatchResult>,
    /// Whether it was stopped before all matches were played.
    pub interrupted: bool,
}

/// How one player did.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    pub player: String,
    pub url: String,
    pub matches: u64,
    /// From 0 to 100; a match without a goal counts as 0.
    pub mean_goal: Option<f64>,
    pub interval: Interval,
    /// Against the best of the others; not there in games for one.
    pub tally: Option<Tally>,
    pub timeouts: u64,
    pub connection_errors: u64,
    pub illegal_moves: u64,
    /// The longest time that it took for an answer to PLAY, in seconds; earlier matches not counted.
    pub slowest: f64,
}

impl Tournament {
    pub fn new(
        spec: GdlSpec,
        contestants: Vec<Contestant>,
        clocks: Clocks,
        seed: u64,
    ) -> Result<Tournament, TournamentError> {
        let rules = spec.text()?;
        let host = Host::new(spec.load()?, &rules, clocks);
        let (seats, players) = (host.n_seats(), contestants.len());
        if players < seats {
            let game = GameSpec::from(spec).to_string();
            return Err(TournamentError::TooFew { game, seats, players });
        }
        for (i, contestant) in contestants.iter().enumerate() {
            if contestants[..i].iter().any(|other| other.url() == contestant.url()) {
                return Err(TournamentError::Twice { url: contestant.url().to_owned() });
            }
        }
        let name = name(&rules, &contestants, clocks, seed);
        Ok(Tournament { spec, host, contestants, clocks, seed, name })
    }

    pub fn contestants_mut(&mut self) -> &mut [Contestant] {
        &mut self.contestants
    }

    /// Matches after which everyone has had every seat equally often: each group of players that
    /// fills the table plays one match per seat.
    pub fn round(&self) -> u64 {
        (groups(self.contestants.len(), self.host.n_seats()).len() * self.host.n_seats()) as u64
    }

    /// Plays this number of matches, those in the store counted, unless it is stopped. Each one that
    /// is done and says something is told.
    pub fn run<E>(
        &self,
        matches: u64,
        stored: Vec<StoredMatch>,
        stop: &Stop,
        notices: &Notices<'_>,
        mut done: impl FnMut(&MatchResult) -> Result<(), E>,
    ) -> Result<TournamentReport, E> {
        let numbered =
            stored.into_iter().filter_map(|stored| Some((self.number(&stored)?, stored)));
        let earlier: BTreeMap<u64, StoredMatch> =
            numbered.filter(|(number, _)| *number < matches).collect();
        let (mut results, mut void) = (Vec::new(), Vec::new());
        let mut interrupted = false;
        for number in (0..matches).filter(|number| !earlier.contains_key(number)) {
            let id = format!("{}.{number}", self.name);
            if results.is_empty() && void.is_empty() {
                // The match that was played when this tournament was killed.
                self.host.abort(&self.contestants, &id);
            }
            let seed = self.seed.wrapping_add(number);
            let seats = self.seats(number);
            match self.host.play(&self.contestants, &seats, &id, seed, stop, notices) {
                Ok(result) if result.is_void() => void.push(result),
                Ok(result) => {
                    done(&result)?;
                    results.push(result);
                }
                Err(Stopped) => {
                    interrupted = true;
                    break;
                }
            }
        }
        Ok(self.report(earlier, results, void, interrupted))
    }

    /// A match as the store keeps it.
    pub fn to_store(&self, result: &MatchResult) -> (NetworkMatch, Record) {
        let faults = |kind: FaultKind| -> Vec<u32> {
            let of =
                |seat| result.faults.iter().filter(|f| f.seat == seat && f.kind == kind).count();
            (0..result.seats.len()).map(|seat| of(seat) as u32).collect()
        };
        let played = NetworkMatch {
            id: result.id.clone(),
            players: result.seats.iter().map(|&seat| self.contestants[seat].name()).collect(),
            start_clock: self.clocks.start.as_secs_f64(),
            play_clock: self.clocks.play.as_secs_f64(),
            goals: result.goals.clone(),
            timeouts: faults(FaultKind::Timeout),
            connection_errors: faults(FaultKind::Connection),
            illegal_moves: faults(FaultKind::Illegal),
            plies: result.plies.len() as u32,
            seconds: result.seconds,
        };
        let record = Record {
            game: GameSpec::from(self.spec.clone()),
            seed: result.seed,
            moves: result.steps.clone(),
        };
        (played, record)
    }

    /// Who sits where in a match.
    fn seats(&self, number: u64) -> Vec<usize> {
        let n_seats = self.host.n_seats();
        let groups = groups(self.contestants.len(), n_seats);
        let mut seats = groups[number as usize / n_seats % groups.len()].clone();
        seats.rotate_right(number as usize % n_seats);
        seats
    }

    /// The number of a match in this tournament, if it belongs to it.
    fn number(&self, stored: &StoredMatch) -> Option<u64> {
        stored.played.id.strip_prefix(&self.name)?.strip_prefix('.')?.parse().ok()
    }

    fn report(
        &self,
        earlier: BTreeMap<u64, StoredMatch>,
        matches: Vec<MatchResult>,
        void: Vec<MatchResult>,
        interrupted: bool,
    ) -> TournamentReport {
        let of_stored = |(number, stored): (&u64, &StoredMatch)| {
            let seats = self.seats(*number);
            Counted { slowest: vec![0.0; seats.len()], seats, played: stored.played.clone() }
        };
        let of_result = |result: &MatchResult| Counted {
            seats: result.seats.clone(),
            played: self.to_store(result).0,
            slowest: result.slowest.clone(),
        };
        let counted: Vec<Counted> =
            earlier.iter().map(of_stored).chain(matches.iter().map(of_result)).collect();
        let standing = |i| standing(&self.contestants[i], i, &counted);
        TournamentReport {
            game: GameSpec::from(self.spec.clone()).to_string(),
            start_clock: self.clocks.start.as_secs_f64(),
            play_clock: self.clocks.play.as_secs_f64(),
            seed: self.seed,
            standings: (0..self.contestants.len()).map(standing).collect(),
            earlier: earlier.into_values().collect(),
            matches,
            void,
            interrupted,
        }
    }
}

/// A match as it counts, played now or earlier.
struct Counted {
    seats: Vec<usize>,
    played: NetworkMatch,
    slowest: Vec<f64>,
}

/// What the matches of a tournament are called: the same if it is started again.
fn name(rules: &str, contestants: &[Contestant], clocks: Clocks, seed: u64) -> String {
    let mut hash = Fnv64::default();
    hash.write_field(rules.as_bytes());
    contestants.iter().for_each(|contestant| hash.write_field(contestant.url().as_bytes()));
    for clock in [clocks.start, clocks.play, clocks.grace] {
        hash.write(&clock.as_nanos().to_le_bytes());
    }
    hash.write(&seed.to_le_bytes());
    format!("sakiyomi.{:016x}", hash.finish())
}

/// All groups of this size of the players, each in ascending order.
fn groups(n_players: usize, size: usize) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new()];
    for _ in 0..size {
        let longer = groups.iter().flat_map(|group: &Vec<usize>| {
            let next = group.last().map_or(0, |last| last + 1);
            (next..n_players).map(move |player| [group.as_slice(), &[player]].concat())
        });
        groups = longer.collect();
    }
    groups
}

fn standing(contestant: &Contestant, number: usize, matches: &[Counted]) -> Standing {
    let mut standing = Standing {
        player: contestant.name(),
        url: contestant.url().to_owned(),
        matches: 0,
        mean_goal: None,
        interval: Interval { low: 0.0, high: 100.0 },
        tally: None,
        timeouts: 0,
        connection_errors: 0,
        illegal_moves: 0,
        slowest: 0.0,
    };
    let mut sum = 0.0;
    for Counted { seats, played, slowest } in matches {
        let Some(seat) = seats.iter().position(|&seat| seat == number) else { continue };
        standing.matches += 1;
        let goal = |seat: usize| played.goals[seat].unwrap_or(0);
        sum += f64::from(goal(seat));
        let others = (0..seats.len()).filter(|&other| other != seat);
        if let Some(best) = others.map(goal).max() {
            let tally = standing.tally.get_or_insert_default();
            match goal(seat).cmp(&best) {
                std::cmp::Ordering::Greater => tally.wins += 1,
                std::cmp::Ordering::Equal => tally.draws += 1,
                std::cmp::Ordering::Less => tally.losses += 1,
            }
        }
        standing.timeouts += u64::from(played.timeouts[seat]);
        standing.connection_errors += u64::from(played.connection_errors[seat]);
        standing.illegal_moves += u64::from(played.illegal_moves[seat]);
        standing.slowest = standing.slowest.max(slowest[seat]);
    }
    if standing.matches > 0 {
        let mean = sum / standing.matches as f64;
        let Interval { low, high } = bounded_mean_interval(mean / 100.0, standing.matches, Z95);
        standing.mean_goal = Some(mean);
        standing.interval = Interval { low: 100.0 * low, high: 100.0 * high };
    }
    standing
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_catalog::RuleSheet;
    use std::time::Duration;

    fn tournament(sheet: &str, n_players: u16) -> Result<Tournament, TournamentError> {
        let contestants = (0..n_players).map(|i| Contestant::new(&format!("a:{}", i + 1)).unwrap());
        let second = Duration::from_secs(1);
        let clocks = Clocks { start: second, play: second, grace: second, wait: second };
        let spec = GdlSpec::new(RuleSheet::Named(sheet.to_owned()));
        Tournament::new(spec, contestants.collect(), clocks, 1)
    }

    #[test]
    fn everyone_has_every_seat_equally_often() {
        for (sheet, n_players, round) in
            [("tic-tac-toe", 2, 2), ("tic-tac-toe", 4, 12), ("melting-ice", 4, 12), ("pig", 2, 2)]
        {
            let tournament = tournament(sheet, n_players).unwrap();
            assert_eq!(tournament.round(), round);
            let n_seats = tournament.host.n_seats();
            let mut counts = vec![vec![0; n_seats]; usize::from(n_players)];
            for number in 0..round {
                for (seat, player) in tournament.seats(number).into_iter().enumerate() {
                    counts[player][seat] += 1;
                }
            }
            let first = counts[0][0];
            assert!(counts.iter().flatten().all(|&count| count == first), "{counts:?}");
        }
    }

    #[test]
    fn the_same_tournament_has_the_same_name() {
        let of = |sheet, n_players| tournament(sheet, n_players).unwrap();
        let first = of("tic-tac-toe", 2);
        assert_eq!(first.name, of("tic-tac-toe", 2).name);
        assert_ne!(first.name, of("tic-tac-toe", 3).name);
        assert_ne!(first.name, of("pig", 2).name);
        let again = |clocks, seed| name("", &first.contestants, clocks, seed);
        let longer = Clocks { play: Duration::from_secs(2), ..first.clocks };
        assert_ne!(again(first.clocks, 1), again(first.clocks, 2));
        assert_ne!(again(first.clocks, 1), again(longer, 1));
    }

    #[test]
    fn too_few_and_repeated_players_are_refused() {
        let error = tournament("melting-ice", 2).unwrap_err().to_string();
        assert!(error.contains("has 3 seats, but 2 players"), "{error}");
        let one = || Contestant::new("a:1").unwrap();
        let second = Duration::from_secs(1);
        let clocks = Clocks { start: second, play: second, grace: second, wait: second };
        let spec = GdlSpec::new(RuleSheet::Named("tic-tac-toe".to_owned()));
        let error = Tournament::new(spec, vec![one(), one()], clocks, 1).unwrap_err().to_string();
        assert!(error.contains("named twice"), "{error}");
    }
}
