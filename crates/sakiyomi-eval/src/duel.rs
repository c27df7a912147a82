//! Two agents over many matches, in every seat equally often, on any number of threads.
//!
//! What happens in a match depends on the seed and the match's number alone (see [`Pairing`]), so
//! threads change nothing. A sequential test (SPRT) looks only at complete batches in the order of their numbers; matches that other threads have
//! already played beyond the batch that decides are not counted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Instant;

use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, SpecError, Visitor};
use sakiyomi_core::stats::{Elo, Hypothesis, Interval, Sprt, Tally};
use sakiyomi_core::{Player, Stop};
use serde::Serialize;

use crate::arena::{Pairing, Played};
use crate::experiment::{Estimate, Lengths, Part};

/// Rounds between two looks of the sequential test.
const BATCH_ROUNDS: u64 = 16;
/// Reports name this many forfeits; all are counted.
const LISTED_FORFEITS: usize = 10;

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Duel {
    pub pairing: Pairing,
    /// Matches; rounded up so that every seat is taken equally often.
    pub games: u64,
    pub threads: usize,
    /// Stops as soon as one of two hypotheses is accepted; `games` is then the most.
    pub sprt: Option<Sprt>,
}

/// How far it is, told after every match.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub done: u64,
    pub games: u64,
    pub tally: Tally,
}

#[derive(Clone, Debug, Serialize)]
pub struct DuelReport {
    /// The short texts of the specifications.
    pub game: String,
    pub agents: [String; 2],
    pub games: u64,
    /// Of the first agent, as are all that follow.
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    pub score: Option<f64>,
    /// 95 %, from the trinomial variance of the score.
    pub interval: Interval,
    pub elo: Option<Elo>,
    /// Two-sided p of the exact sign test; draws are left out.
    pub sign_test: f64,
    pub seats: Vec<SeatReport>,
    pub sprt: Option<SprtReport>,
    pub mean_turns: f64,
    /// The mean length of the games that the first agent won, with its 95 % interval: in rounds,
    /// where the game counts rounds, and otherwise in turns.
    pub length_of_won: Option<Estimate>,
    pub length_of_drawn: Option<Estimate>,
    pub length_of_lost: Option<Estimate>,
    /// Games that were lost by crashes, time and nonsense: all, and the first of them.
    pub n_forfeits: u64,
    pub forfeits: Vec<ForfeitReport>,
    pub seed: u64,
    /// False if a budget is a time, or an agent a program: the same seed may then end otherwise.
    pub repeatable: bool,
    /// True if it was stopped before all games were played.
    pub interrupted: bool,
    pub seconds: f64,
    pub command: String,
}

/// What the first agent did in one seat.
#[derive(Clone, Debug, Serialize)]
pub struct SeatReport {
    pub seat: usize,
    pub name: String,
    #[serde(flatten)]
    pub tally: Tally,
    pub score: Option<f64>,
    pub interval: Interval,
}

#[derive(Clone, Debug, Serialize)]
pub struct SprtReport {
    #[serde(flatten)]
    pub test: Sprt,
    pub llr: f64,
    pub lower: f64,
    pub upper: f64,
    /// Nothing if the games ran out before.
    pub accepted: Option<Hypothesis>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ForfeitReport {
    /// The number of the match, from 0.
    pub game: u64,
    /// The short text of its specification.
    pub agent: String,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DuelError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("{game} has {players} player; a duel needs at least 2")]
    TooFewPlayers { game: GameSpec, players: usize },
    #[error("0 games; a duel needs at least 1")]
    NoGames,
}

/// Plays the duel. `stop` ends it early with what is complete by then.
pub fn run_duel(
    duel: &Duel,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress),
) -> Result<DuelReport, DuelError> {
    if duel.games == 0 {
        return Err(DuelError::NoGames);
    }
    duel.pairing.game.with(Run { duel, stop, progress })?
}

impl Duel {
    /// The command that repeats it.
    pub fn command(&self) -> String {
        let quote = |text: String| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_:=,./".contains(c);
            if text.chars().all(plain) {
                text
            } else {
                format!("'{}'", text.replace('\'', "'\\''"))
            }
        };
        let [first, second] = [0, 1].map(|i| quote(self.pairing.agents[i].to_string()));
        let mut command = format!(
            "sakiyomi duel {} {first} {second} --games {} --seed {}",
            self.pairing.game, self.games, self.pairing.seed
        );
        if let Some(Sprt { elo0, elo1, alpha, beta }) = self.sprt {
            command += &format!(" --sprt {elo0},{elo1},{alpha},{beta}");
        }
        command
    }
}

struct Run<'a> {
    duel: &'a Duel,
    stop: &'a Stop,
    progress: &'a mut dyn FnMut(Progress),
}

impl Visitor for Run<'_> {
    type Out = Result<DuelReport, DuelError>;

    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        let Run { duel, stop, progress } = self;
        let n_players = game.players();
        if n_players < 2 {
            let game = duel.pairing.game.clone();
            return Err(DuelError::TooFewPlayers { game, players: n_players });
        }
        duel.pairing.check(&game)?;
        let start = Instant::now();
        let games = duel.games.next_multiple_of(n_players as u64);
        let mut ledger = Ledger::new(duel, games, n_players as u64);
        let (next, enough) = (AtomicU64::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            let (sender, results) = mpsc::channel();
            for _ in 0..duel.threads.max(1) {
                let (sender, game, next, enough) = (sender.clone(), &game, &next, &enough);
                let more = move || !stop.requested() && !enough.load(Ordering::Relaxed);
                scope.spawn(move || work(game, duel, (next, games), &more, stop, &sender));
            }
            drop(sender);
            for result in results {
                ledger.enter(result);
                if ledger.decided.is_some() {
                    enough.store(true, Ordering::Relaxed);
                }
                progress(Progress { done: ledger.n_done, games, tally: ledger.so_far });
            }
        });
        let names = (0..n_players).map(|i| game.player_name(Player(i as u8))).collect();
        Ok(ledger.report(names, start.elapsed().as_secs_f64()))
    }
}

/// Plays matches until there are no more.
fn work<G: CatalogGame>(
    game: &G,
    duel: &Duel,
    (next, games): (&AtomicU64, u64),
    more: &dyn Fn() -> bool,
    stop: &Stop,
    sender: &Sender<Played>,
) {
    while more() {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= games {
            return;
        }
        let played = duel.pairing.play(game, number, false, stop);
        // A match in which thinking was cut short is not what it would have been.
        if stop.requested() || sender.send(played).is_err() {
            return;
        }
    }
}

/// All results, entered as they come and counted in the order of their numbers.
struct Ledger<'a> {
    duel: &'a Duel,
    n_players: u64,
    results: Vec<Option<Played>>,
    n_done: u64,
    so_far: Tally,
    /// Results before this number are all there, and were looked at by the sequential test.
    tested: u64,
    /// The number at which the test ended it.
    decided: Option<u64>,
}

impl<'a> Ledger<'a> {
    fn new(duel: &'a Duel, games: u64, n_players: u64) -> Ledger<'a> {
        let results = (0..games).map(|_| None).collect();
        Ledger {
            duel,
            n_players,
            results,
            n_done: 0,
            so_far: Tally::default(),
            tested: 0,
            decided: None,
        }
    }

    fn enter(&mut self, played: Played) {
        self.n_done += 1;
        self.so_far += played.outcome.tally();
        let number = played.number as usize;
        self.results[number] = Some(played);
        let Some(sprt) = self.duel.sprt else { return };
        let batch = BATCH_ROUNDS * self.n_players;
        loop {
            let end = (self.tested + batch).min(self.results.len() as u64);
            let complete =
                self.results[self.tested as usize..end as usize].iter().all(Option::is_some);
            if self.decided.is_some() || self.tested == end || !complete {
                return;
            }
            self.tested = end;
            if sprt.verdict(self.llr(&sprt, end)).is_some() {
                self.decided = Some(end);
            }
        }
    }

    fn played(&self, end: u64) -> impl Iterator<Item = &Played> {
        self.results[..end as usize].iter().flatten()
    }

    /// The log-likelihood ratio of the first `end` matches: of pairs with swapped seats if there
    /// are two players, which takes the advantage of a seat out of the variance.
    fn llr(&self, sprt: &Sprt, end: u64) -> f64 {
        if self.n_players != 2 {
            return sprt
                .llr_trinomial(&self.played(end).map(|played| played.outcome.tally()).sum());
        }
        let mut pairs = [0; 5];
        for pair in self.results[..end as usize].chunks_exact(2) {
            let tally: Tally = pair.iter().flatten().map(|played| played.outcome.tally()).sum();
            pairs[(2 * tally.wins + tally.draws) as usize] += 1;
        }
        sprt.llr_pentanomial(&pairs)
    }

    /// The number up to which matches count: whole rounds without a gap.
    fn end(&self) -> u64 {
        let gap =
            self.results.iter().position(Option::is_none).unwrap_or(self.results.len()) as u64;
        self.decided.unwrap_or(gap / self.n_players * self.n_players)
    }

    fn report(&self, names: Vec<String>, seconds: f64) -> DuelReport {
        let duel = self.duel;
        let end = self.end();
        let tally: Tally = self.played(end).map(|played| played.outcome.tally()).sum();
        let seat = |(seat, name): (usize, String)| {
            let own = self.played(end).filter(|p| p.number % self.n_players == seat as u64);
            let tally: Tally = own.map(|played| played.outcome.tally()).sum();
            SeatReport { seat, name, tally, score: tally.score(), interval: tally.interval() }
        };
        let turns: u64 = self.played(end).map(|played| u64::from(played.n_turns)).sum();
        let mut lengths = Lengths::default();
        self.played(end).for_each(|played| lengths.add(played.length, played.outcome.tally()));
        let forfeits = || self.played(end).filter_map(|p| Some((p.number, p.forfeit.as_ref()?)));
        let sprt = |test: Sprt| {
            let llr = self.llr(&test, end);
            let (lower, upper) = test.bounds();
            let accepted = self.decided.and_then(|_| test.verdict(llr));
            SprtReport { test, llr, lower, upper, accepted }
        };
        DuelReport {
            game: duel.pairing.game.to_string(),
            agents: [0, 1].map(|i| duel.pairing.agents[i].to_string()),
            games: tally.games(),
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            score: tally.score(),
            interval: tally.interval(),
            elo: tally.elo(),
            sign_test: tally.sign_test(),
            seats: names.into_iter().enumerate().map(seat).collect(),
            sprt: duel.sprt.map(sprt),
            mean_turns: turns as f64 / tally.games().max(1) as f64,
            length_of_won: lengths.mean(Part::Won),
            length_of_drawn: lengths.mean(Part::Drawn),
            length_of_lost: lengths.mean(Part::Lost),
            n_forfeits: forfeits().count() as u64,
            forfeits: forfeits()
                .take(LISTED_FORFEITS)
                .map(|(game, (first, reason))| ForfeitReport {
                    game,
                    agent: duel.pairing.agents[usize::from(!first)].to_string(),
                    reason: reason.clone(),
                })
                .collect(),
            seed: duel.pairing.seed,
            repeatable: duel.pairing.agents.iter().all(AgentSpec::is_repeatable),
            interrupted: self.decided.is_none() && end < self.results.len() as u64,
            seconds,
            command: duel.command(),
        }
    }
}
