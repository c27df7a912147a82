//! The referee of a match between players on the network.
//!
//! Every player is asked at the same time, and the match goes on when all have answered or their
//! time is over. Who is late, cannot be reached or answers what is not legal gets a random legal
//! move, and the fault is noted; no player is disqualified. Chance is played by the host.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use sakiyomi_core::{Game, Rng, Stop};
use sakiyomi_gdl::protocol::{Request, read_move, rules_text};
use sakiyomi_gdl::{GdlGame, Move, State, Stepper};
use serde::{Deserialize, Serialize};

use super::client::{Answered, ClientError, Contestant};

/// How long players may think.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clocks {
    pub start: Duration,
    pub play: Duration,
    /// What an answer to PLAY may come late, for the way over the network.
    pub grace: Duration,
}

/// What a player did wrong at a ply; ply 0 is the START.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub seat: usize,
    pub ply: u32,
    pub kind: FaultKind,
    pub detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    Timeout,
    Connection,
    Illegal,
}

/// A match that was played to its end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchResult {
    pub id: String,
    pub seed: u64,
    /// Who sat in each seat, as a number in the list of contestants.
    pub seats: Vec<usize>,
    /// The goal of each seat, where the rules give exactly one.
    pub goals: Vec<Option<u8>>,
    /// The joint moves, chance included, in the order of the roles.
    pub plies: Vec<Vec<String>>,
    /// The same as a record keeps them: only what was chosen.
    pub steps: Vec<Vec<String>>,
    pub faults: Vec<Fault>,
    /// The longest time that each seat took for an answer to PLAY, in seconds.
    pub slowest: Vec<f64>,
    pub seconds: f64,
    /// Whether it was cut off because it did not end.
    pub cut_off: bool,
}

/// The match was cancelled, and the players were told so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// The referee of one game.
#[derive(Debug)]
pub struct Host {
    game: GdlGame,
    rules: String,
    clocks: Clocks,
}

/// How long a player may take to notice that a match is cancelled.
const ABORT_TIME: Duration = Duration::from_secs(1);

impl Host {
    /// `sheet` is the text of the rules of `game`.
    pub fn new(game: GdlGame, sheet: &str, clocks: Clocks) -> Host {
        // The sheet has become a game, so it can be read.
        let rules = rules_text(sheet).unwrap_or_default();
        Host { game, rules, clocks }
    }

    /// The number of seats, chance not counted.
    pub fn n_seats(&self) -> usize {
        self.game.players()
    }

    /// Plays a match. `seats` says which contestant has which seat.
    pub fn play(
        &self,
        contestants: &[Contestant],
        seats: &[usize],
        id: &str,
        seed: u64,
        stop: &Stop,
    ) -> Result<MatchResult, Stopped> {
        let players: Vec<&Contestant> = seats.iter().map(|&seat| &contestants[seat]).collect();
        let mut table = HostTable {
            host: self,
            players,
            id,
            stop,
            stepper: self.game.stepper(),
            state: self.game.start(),
            rng: Rng::new(seed),
            faults: Vec::new(),
            slowest: vec![0.0; seats.len()],
            plies: Vec::new(),
            steps: Vec::new(),
        };
        let begun = Instant::now();
        if table.run().is_err() {
            table.abort();
            return Err(Stopped);
        }
        let goals = table.stepper.goals();
        Ok(MatchResult {
            id: id.to_owned(),
            seed,
            seats: seats.to_vec(),
            goals: (0..seats.len()).map(|seat| goals[self.role(seat)]).collect(),
            cut_off: !table.stepper.is_terminal(),
            plies: table.plies,
            steps: table.steps,
            faults: table.faults,
            slowest: table.slowest,
            seconds: begun.elapsed().as_secs_f64(),
        })
    }

    fn role(&self, seat: usize) -> usize {
        self.game.role_of(sakiyomi_core::Player(seat as u8))
    }
}

/// A match that is being played.
struct HostTable<'a> {
    host: &'a Host,
    players: Vec<&'a Contestant>,
    id: &'a str,
    stop: &'a Stop,
    stepper: Stepper,
    state: State,
    rng: Rng,
    faults: Vec<Fault>,
    slowest: Vec<f64>,
    plies: Vec<Vec<String>>,
    steps: Vec<Vec<String>>,
}

impl HostTable<'_> {
    fn run(&mut self) -> Result<(), Stopped> {
        let Clocks { start, play, .. } = self.host.clocks;
        self.start()?;
        let max_plies = self.host.game.settings().max_plies;
        while !self.stepper.is_terminal() && self.stepper.plies() < max_plies {
            let Some(joint) = self.ply()? else { break };
            self.step(&joint);
        }
        let request = Request::Stop { id: self.id.to_owned(), moves: self.plies.last().cloned() };
        // What is answered to STOP does not matter.
        self.ask_all(&vec![request.to_string(); self.players.len()], play.max(start))?;
        Ok(())
    }

    fn start(&mut self) -> Result<(), Stopped> {
        let Clocks { start, play, .. } = self.host.clocks;
        let roles = self.host.game.roles();
        let messages: Vec<String> = (0..self.players.len())
            .map(|seat| {
                let request = Request::Start {
                    id: self.id.to_owned(),
                    role: roles[self.host.role(seat)].clone(),
                    rules: self.host.rules.clone(),
                    start_clock: start,
                    play_clock: play,
                };
                request.to_string()
            })
            .collect();
        // The text of the answer does not matter, only that there is one.
        for (seat, answered) in self.ask_all(&messages, start)?.into_iter().enumerate() {
            if let Err(error) = answered.text {
                self.note(seat, 0, &error);
            }
        }
        Ok(())
    }

    /// Asks everyone for a move. Nothing if somebody has none, which the language forbids.
    fn ply(&mut self) -> Result<Option<Vec<Move>>, Stopped> {
        let game = &self.host.game;
        let legal: Vec<Vec<Move>> =
            (0..game.roles().len()).map(|role| self.stepper.legal(role)).collect();
        if legal.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        let request = Request::Play { id: self.id.to_owned(), moves: self.plies.last().cloned() };
        let Clocks { play, grace, .. } = self.host.clocks;
        let messages = vec![request.to_string(); self.players.len()];
        let answers = self.ask_all(&messages, play + grace)?;
        let mut joint: Vec<Move> =
            legal.iter().map(|legal| legal[self.rng.below(legal.len())]).collect();
        let ply = self.stepper.plies() + 1;
        for (seat, Answered { text, time }) in answers.into_iter().enumerate() {
            self.slowest[seat] = self.slowest[seat].max(time.as_secs_f64());
            let role = self.host.role(seat);
            match text.map(|text| self.find(role, &text)) {
                Ok(Ok(found)) => joint[role] = found,
                Ok(Err(detail)) => {
                    self.faults.push(Fault { seat, ply, kind: FaultKind::Illegal, detail });
                }
                Err(error) => self.note(seat, ply, &error),
            }
        }
        Ok(Some(joint))
    }

    fn find(&self, role: usize, answer: &str) -> Result<Move, String> {
        let text = read_move(answer).map_err(|error| error.to_string())?;
        self.stepper.find(role, &text).ok_or_else(|| {
            let short: String = text.chars().take(100).collect();
            format!("`{short}` is not legal")
        })
    }

    fn step(&mut self, joint: &[Move]) {
        let game = &self.host.game;
        let before = self.stepper.plies();
        self.stepper.step(joint).expect("every move was found among the legal ones");
        self.plies.push(joint.iter().map(|&action| game.move_text(action)).collect());
        let steps = &mut self.steps;
        game.follow(&mut self.state, before, joint, |_, actions| {
            steps.push(actions.iter().map(|&action| game.move_text(action)).collect());
        });
    }

    fn note(&mut self, seat: usize, ply: u32, error: &ClientError) {
        let kind = match error {
            ClientError::Timeout => FaultKind::Timeout,
            _ => FaultKind::Connection,
        };
        self.faults.push(Fault { seat, ply, kind, detail: error.to_string() });
    }

    /// Sends each player its message, all at the same time.
    fn ask_all(&self, messages: &[String], limit: Duration) -> Result<Vec<Answered>, Stopped> {
        let n = self.players.len();
        let (to_answers, answers) = mpsc::channel();
        let mut all: Vec<Option<Answered>> = vec![None; n];
        for (seat, (player, message)) in self.players.iter().zip(messages).enumerate() {
            let (player, message) = ((*player).clone(), message.clone());
            let to_answers = to_answers.clone();
            // Threads of their own, so that they are not waited for when the match is stopped.
            let thread = thread::Builder::new().spawn(move || {
                let _ = to_answers.send((seat, player.ask(&message, limit)));
            });
            if let Err(error) = thread {
                let text = Err(ClientError::Connection(error.to_string()));
                all[seat] = Some(Answered { text, time: Duration::ZERO });
            }
        }
        drop(to_answers);
        while all.iter().any(Option::is_none) {
            if self.stop.requested() {
                return Err(Stopped);
            }
            match answers.recv_timeout(Duration::from_millis(20)) {
                Ok((seat, answered)) => all[seat] = Some(answered),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let nothing = || Answered {
            text: Err(ClientError::Connection("the request failed".to_owned())),
            time: Duration::ZERO,
        };
        Ok(all.into_iter().map(|answered| answered.unwrap_or_else(nothing)).collect())
    }

    /// Tells everyone that the match is cancelled.
    fn abort(&self) {
        let message = Request::Abort { id: self.id.to_owned() }.to_string();
        thread::scope(|scope| {
            for player in &self.players {
                scope.spawn(|| player.ask(&message, ABORT_TIME));
            }
        });
    }
}
