//! The referee of a match between players on the network.
//!
//! Every player is asked at the same time, and the match goes on when all have answered or their
//! time is over. Who is late, cannot be reached or answers what is not legal gets a random legal
//! move, and the fault is noted; no player is disqualified. Chance is played by the host.
//!
//! A player that is busy with another match is waited for. A match in which a player never gave a
//! legal move, or to which it did not come, says nothing about anyone: it is void.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use sakiyomi_core::{Game, Rng, Stop};
use sakiyomi_gdl::protocol::{BUSY, Request, read_move, rules_text};
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
    /// How long a player that is busy with another match is waited for.
    pub wait: Duration,
}

impl Clocks {
    /// How long our own player takes to give up a host that is silent, and some more.
    pub fn default_wait(start: Duration, play: Duration) -> Duration {
        3 * start.max(play) + Duration::from_secs(70)
    }
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
    /// It plays another match.
    Busy,
}

/// A match that is over.
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
    /// The seats that took no part: they never gave a legal move, or did not even come.
    pub absent: Vec<usize>,
}

impl MatchResult {
    /// Whether it says nothing, because a player took no part.
    pub fn is_void(&self) -> bool {
        !self.absent.is_empty()
    }
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
/// How long a player that is busy is left alone before it is asked again.
const PAUSE: Duration = Duration::from_millis(500);

/// What is told while a match is played.
pub type Notices<'a> = dyn Fn(&str) + Sync + 'a;

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
        notices: &Notices<'_>,
    ) -> Result<MatchResult, Stopped> {
        let players: Vec<&Contestant> = seats.iter().map(|&seat| &contestants[seat]).collect();
        let mut table = HostTable {
            host: self,
            players,
            id,
            stop,
            notices,
            stepper: self.game.stepper(),
            state: self.game.start(),
            rng: Rng::new(seed),
            faults: Vec::new(),
            slowest: vec![0.0; seats.len()],
            n_answers: vec![0; seats.len()],
            plies: Vec::new(),
            steps: Vec::new(),
        };
        let begun = Instant::now();
        if table.run().is_err() {
            table.abort();
            return Err(Stopped);
        }
        let goals = table.stepper.goals();
        let absent = table.absent();
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
            absent,
        })
    }

    /// Tells all contestants that a match is cancelled, in case that it is still played: by a host
    /// that was killed.
    pub fn abort(&self, contestants: &[Contestant], id: &str) {
        abort(contestants.iter(), id);
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
    notices: &'a Notices<'a>,
    stepper: Stepper,
    state: State,
    rng: Rng,
    faults: Vec<Fault>,
    slowest: Vec<f64>,
    /// How many legal moves each seat has given.
    n_answers: Vec<usize>,
    plies: Vec<Vec<String>>,
    steps: Vec<Vec<String>>,
}

impl HostTable<'_> {
    fn run(&mut self) -> Result<(), Stopped> {
        let Clocks { start, play, .. } = self.host.clocks;
        if !self.start()? {
            return Ok(());
        }
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

    /// Starts the match, as soon as no player is in another one. False if one of them never leaves it.
    fn start(&mut self) -> Result<bool, Stopped> {
        let Clocks { start, wait, .. } = self.host.clocks;
        let messages = self.start_messages();
        let begun = Instant::now();
        let mut has_told = false;
        loop {
            let answers = self.ask_all(&messages, start)?;
            let is_busy = |answered: &Answered| {
                answered.text.as_ref().is_ok_and(|text| text.trim().eq_ignore_ascii_case(BUSY))
            };
            let busy: Vec<usize> = (0..answers.len()).filter(|&i| is_busy(&answers[i])).collect();
            if busy.is_empty() {
                // Else the text of the answer does not matter, only that there is one.
                for (seat, answered) in answers.into_iter().enumerate() {
                    if let Err(error) = answered.text {
                        self.note(seat, 0, &error);
                    }
                }
                return Ok(true);
            }
            // Those who are ready need not wait for a match that has not begun.
            self.abort();
            if begun.elapsed() >= wait {
                let detail = format!("busy with another match for {} s", wait.as_secs_f64());
                let fault =
                    |seat| Fault { seat, ply: 0, kind: FaultKind::Busy, detail: detail.clone() };
                self.faults.extend(busy.into_iter().map(fault));
                return Ok(false);
            }
            if !has_told {
                let names: Vec<String> = busy.iter().map(|&i| self.players[i].name()).collect();
                let (names, seconds) = (names.join(", "), wait.as_secs_f64());
                (self.notices)(&format!(
                    "{names}: busy with another match; waiting for up to {seconds} s"
                ));
                has_told = true;
            }
            self.pause()?;
        }
    }

    fn pause(&self) -> Result<(), Stopped> {
        let until = Instant::now() + PAUSE;
        while Instant::now() < until {
            if self.stop.requested() {
                return Err(Stopped);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn start_messages(&self) -> Vec<String> {
        let Clocks { start, play, .. } = self.host.clocks;
        let roles = self.host.game.roles();
        let message = |seat| {
            let request = Request::Start {
                id: self.id.to_owned(),
                role: roles[self.host.role(seat)].clone(),
                rules: self.host.rules.clone(),
                start_clock: start,
                play_clock: play,
            };
            request.to_string()
        };
        (0..self.players.len()).map(message).collect()
    }

    /// Who took no part in the match as it is now.
    fn absent(&self) -> Vec<usize> {
        let is_busy =
            |seat| self.faults.iter().any(|f| f.seat == seat && f.kind == FaultKind::Busy);
        let is_silent = |seat: usize| !self.plies.is_empty() && self.n_answers[seat] == 0;
        (0..self.players.len()).filter(|&seat| is_busy(seat) || is_silent(seat)).collect()
    }

    /// Asks all players for a move. Nothing if one of them has none, which the language forbids.
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
                Ok(Ok(found)) => {
                    joint[role] = found;
                    self.n_answers[seat] += 1;
                }
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
        abort(self.players.iter().copied(), self.id);
    }
}

fn abort<'a>(players: impl Iterator<Item = &'a Contestant>, id: &str) {
    let message = Request::Abort { id: id.to_owned() }.to_string();
    let message = message.as_str();
    thread::scope(|scope| {
        for player in players {
            scope.spawn(move || player.ask(message, ABORT_TIME));
        }
    });
}
