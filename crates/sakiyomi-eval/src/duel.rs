//! Two agents over many matches, in every seat equally often, on any number of threads.
//!
//! What happens in a match depends on the seed and the match's number alone (see [`Pairing`]), so
//! threads change nothing. Results are counted and forgotten (see [`Ledger`]), or kept in a store,
//! from which the duel goes on when it is run again.

use std::convert::Infallible;
use std::path::Path;
use std::time::Instant;

use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, SpecError, TableError, Visitor};
use sakiyomi_core::stats::{Elo, Hypothesis, Interval, Sprt, Tally};
use sakiyomi_core::{Fault, Player, Stop};
use serde::Serialize;

use crate::arena::Pairing;
use crate::experiment::{Estimate, Part};
use crate::ledger::Ledger;
use crate::runner::StoreSink;
use crate::schedule::{News, Order, ScheduleError, ScheduleSettings, Sink, Work, run_works};
use crate::store::{Store, StoreError};
use crate::{DistinctGames, DoneUnit, Measure, Openings, Results, Task, TaskError, run_unit};

/// How long a unit takes that is kept in memory, and one that goes to a store.
const UNIT_SECONDS: f64 = 0.1;
const STORED_UNIT_SECONDS: f64 = 1.0;
/// Games in a unit that is kept in memory, at most.
const MAX_UNIT: u64 = 4096;

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

/// How far it is, told after every unit.
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
    /// The random openings that the games began with.
    pub openings: Option<Openings>,
    /// How many games were different.
    pub distinct_games: Option<DistinctGames>,
    /// What a reader should know of repeated games.
    pub remark: Option<String>,
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
    /// Games that the store had before.
    pub games_before: u64,
    /// Of this run.
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

#[derive(Debug, thiserror::Error)]
pub enum DuelError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Task(TaskError),
    #[error("{game} has {players} player; a duel needs at least 2")]
    TooFewPlayers { game: GameSpec, players: usize },
    #[error("0 games; a duel needs at least 1")]
    NoGames,
}

impl Fault for DuelError {
    fn is_input(&self) -> bool {
        match self {
            DuelError::Spec(_) | DuelError::TooFewPlayers { .. } | DuelError::NoGames => true,
            DuelError::Table(error) => error.is_input(),
            DuelError::Task(error) => error.is_input(),
            DuelError::Store(_) => false,
        }
    }
}

/// Plays the duel, or what a store lacks of it. `stop` ends it early with what is complete by then.
pub fn run_duel(
    duel: &Duel,
    store: Option<&Path>,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress),
) -> Result<DuelReport, DuelError> {
    let start = Instant::now();
    let names = duel.player_names()?;
    let n_players = names.len() as u64;
    let games = duel.games.next_multiple_of(n_players);
    let task = Task::Matches(duel.pairing.clone());
    let mut work = Work::new(duel.name(), task, games);
    let mut ledger = Ledger::new(games, n_players, duel.sprt);
    let Some(file) = store else {
        duel.play(work, UNIT_SECONDS, &mut ledger, stop, progress)?;
        return Ok(duel.report(&ledger, names, 0, start));
    };
    let mut stored = StoreSink::new(Store::open(file)?)?;
    let Some(fingerprint) = work.task.fingerprint(stop)? else {
        // Stopped before anything was looked up: nothing is resumed and nothing played.
        return Ok(duel.report(&ledger, names, 0, start));
    };
    stored.add_work(&mut work, &fingerprint, n_players)?;
    let mut sink = CountedStore { ledger, stored };
    sink.catch_up()?;
    let games_before = sink.ledger.evidence.tally.games();
    if !sink.ledger.is_complete() {
        duel.play(work, STORED_UNIT_SECONDS, &mut sink, stop, progress)?;
    }
    Ok(duel.report(&sink.ledger, names, games_before, start))
}

impl<E> From<ScheduleError<E>> for DuelError
where
    DuelError: From<E>,
{
    fn from(error: ScheduleError<E>) -> DuelError {
        match error {
            ScheduleError::Sink(error) => error.into(),
            ScheduleError::Task { error: TaskError::Spec(error), .. } => DuelError::Spec(error),
            ScheduleError::Task { error, .. } => DuelError::Task(error),
        }
    }
}

impl From<Infallible> for DuelError {
    fn from(never: Infallible) -> DuelError {
        match never {}
    }
}

impl Duel {
    /// The names of the players, if there are enough of them. Whether the agents can play the game,
    /// its first match tells.
    fn player_names(&self) -> Result<Vec<String>, DuelError> {
        struct Names;
        impl Visitor for Names {
            type Out = Vec<String>;
            fn visit<G: CatalogGame>(self, game: G) -> Vec<String> {
                let name = |i| game.player_name(Player(i as u8)).to_string();
                (0..game.players()).map(name).collect()
            }
        }
        if self.games == 0 {
            return Err(DuelError::NoGames);
        }
        let names = self.pairing.game.with(Names)?;
        match names.len() {
            players @ 0..2 => {
                Err(DuelError::TooFewPlayers { game: self.pairing.game.clone(), players })
            }
            _ => Ok(names),
        }
    }

    /// Plays what is missing of the work into a sink.
    fn play<S: Sink + AsRef<Ledger>>(
        &self,
        work: Work,
        unit_seconds: f64,
        sink: &mut S,
        stop: &Stop,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), DuelError>
    where
        DuelError: From<S::Error>,
    {
        let games = work.wanted;
        let settings = ScheduleSettings {
            threads: self.threads,
            unit_seconds,
            order: Order::Ascending,
            worker: run_unit,
        };
        run_works(vec![work], settings, sink, stop, &mut |standing, sink: &S| {
            let tally = sink.as_ref().evidence.tally;
            progress(Progress { done: standing.done, games, tally });
        })?;
        Ok(())
    }

    fn name(&self) -> String {
        let [first, second] = self.texts();
        format!("{}: {first} against {second}", self.pairing.game)
    }

    /// The first agent, and all the others.
    fn texts(&self) -> [String; 2] {
        let first = self.pairing.agents.first().map_or_else(String::new, AgentSpec::to_string);
        [first, self.pairing.others_text()]
    }

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
        let [first, second] = self.texts().map(quote);
        let mut command = format!(
            "sakiyomi duel {} {first} {second} --games {} --seed {}",
            self.pairing.game, self.games, self.pairing.seed
        );
        if let Some(Openings { n, plies }) = self.pairing.openings {
            command += &format!(" --openings {n} --opening-plies {plies}");
        }
        if let Some(Sprt { elo0, elo1, alpha, beta }) = self.sprt {
            command += &format!(" --sprt {elo0},{elo1},{alpha},{beta}");
        }
        command
    }
}

/// Counts what comes, in memory.
impl Sink for Ledger {
    type Error = Infallible;

    fn take(&mut self, work: usize, unit: DoneUnit) -> Result<Vec<News>, Infallible> {
        let numbers = unit.numbers();
        self.enter(unit.results.into_games());
        Ok(vec![News { work, numbers }])
    }

    fn unit_size(&mut self, _: usize, suggested: u64) -> Result<u64, Infallible> {
        Ok(suggested.min(MAX_UNIT))
    }

    fn is_decided(&self) -> bool {
        Ledger::is_decided(self)
    }
}

impl AsRef<Ledger> for Ledger {
    fn as_ref(&self) -> &Ledger {
        self
    }
}

/// Counts what a store has.
struct CountedStore {
    ledger: Ledger,
    stored: StoreSink,
}

impl AsRef<Ledger> for CountedStore {
    fn as_ref(&self) -> &Ledger {
        &self.ledger
    }
}

impl Sink for CountedStore {
    type Error = StoreError;

    fn take(&mut self, work: usize, unit: DoneUnit) -> Result<Vec<News>, StoreError> {
        let news = self.stored.take(work, unit)?;
        self.catch_up()?;
        Ok(news)
    }

    fn look(&mut self) -> Result<Vec<News>, StoreError> {
        let news = self.stored.look()?;
        self.catch_up()?;
        Ok(news)
    }

    fn unit_size(&mut self, work: usize, suggested: u64) -> Result<u64, StoreError> {
        self.stored.unit_size(work, suggested)
    }

    fn is_decided(&self) -> bool {
        self.ledger.is_decided()
    }
}

impl CountedStore {
    /// Counts what the store has, as far as it goes without a gap. What is counted is what was
    /// stored, also where another process has brought it.
    fn catch_up(&mut self) -> Result<(), StoreError> {
        while !self.ledger.is_complete() {
            match self.stored.unit_at(0, self.ledger.next())? {
                Some(DoneUnit { results: Results::Games(games), .. }) => self.ledger.enter(games),
                _ => break,
            }
        }
        Ok(())
    }
}

impl Duel {
    fn report(
        &self,
        ledger: &Ledger,
        names: Vec<String>,
        games_before: u64,
        start: Instant,
    ) -> DuelReport {
        let pairing = &self.pairing;
        let evidence = &ledger.evidence;
        let tally = evidence.tally;
        let seat = |(seat, name): (usize, String)| {
            let tally = evidence.seats[seat];
            SeatReport { seat, name, tally, score: tally.score(), interval: tally.interval() }
        };
        let length = |part| evidence.measures[Measure::LENGTH].mean(part);
        let turns = evidence.measures[Measure::TURNS].mean(Part::All);
        let sprt = |test: Sprt| {
            let llr = ledger.llr(&test);
            let (lower, upper) = test.bounds();
            let accepted = if ledger.is_decided() { test.verdict(llr) } else { None };
            SprtReport { test, llr, lower, upper, accepted }
        };
        let forfeits = ledger.forfeits.iter().map(|(game, forfeit)| ForfeitReport {
            game: *game,
            agent: self.texts()[usize::from(!forfeit.first)].clone(),
            reason: forfeit.reason.clone(),
        });
        let distinct_games = ledger.distinct.count();
        let n_players = names.len() as u64;
        DuelReport {
            game: pairing.game.to_string(),
            agents: self.texts(),
            games: tally.games(),
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            score: tally.score(),
            interval: tally.interval(),
            elo: tally.elo(),
            sign_test: tally.sign_test_of(n_players as usize),
            seats: names.into_iter().enumerate().map(seat).collect(),
            distinct_games,
            remark: distinct_games.and_then(|games| games.remark(n_players, pairing.openings)),
            openings: pairing.openings,
            sprt: self.sprt.map(sprt),
            mean_turns: turns.map_or(0.0, |turns| turns.value),
            length_of_won: length(Part::Won),
            length_of_drawn: length(Part::Drawn),
            length_of_lost: length(Part::Lost),
            n_forfeits: ledger.n_forfeits,
            forfeits: forfeits.collect(),
            seed: pairing.seed,
            repeatable: pairing.agents.iter().all(AgentSpec::is_repeatable),
            interrupted: !ledger.is_complete(),
            games_before,
            seconds: start.elapsed().as_secs_f64(),
            command: self.command(),
        }
    }
}
