//! Agents that are programs: one process per match, spoken to in lines (docs/protocol.md).
//!
//! A program that cannot be started, answers nonsense, crashes or takes too long forfeits the match
//! and nothing else: the process is ended and the reason reported.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use sakiyomi_core::{Agent, Budget, Choice, Context, Forfeit, Playable, Player, Turn};

use super::{AgentSettings, Seat};
use crate::fields::Value;
use crate::parameter::{Defined, Definition, Domain, Parameter, place};

pub(crate) const NAME: &str = "exec";
/// The field that holds the command line. In text it stands last and without its name, so that it
/// may contain commas and equals signs.
pub(crate) const COMMAND: &str = "command";
const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// What a program gets beyond its time to start, and for the way of lines through pipes.
const START_TIME: Duration = Duration::from_secs(10);
const GRACE: Duration = Duration::from_millis(100);
/// A longer line is no answer, and must not fill the memory.
const LONGEST_LINE: u64 = 1 << 16;

/// Splits `time=2s,./bot.py --fast` into its fields.
pub(crate) fn split(rest: &str) -> Vec<(String, Value)> {
    let mut entries = Vec::new();
    let mut command = rest;
    if let Some((time, after)) = rest.strip_prefix("time=").and_then(|rest| rest.split_once(',')) {
        entries.push(("time".to_owned(), Value::Text(time.to_owned())));
        command = after;
    }
    entries.push((COMMAND.to_owned(), Value::Text(command.trim().to_owned())));
    entries
}

/// A program, and how long it may think.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecSpec {
    pub command: String,
    /// Wall time a decision.
    pub time: Duration,
}

impl Defined for ExecSpec {
    const DEFINITIONS: &'static [Definition<ExecSpec>] = &[Definition {
        check: |spec, _| check(&spec.command),
        ..Definition::new(
            NAME,
            "a program in any language that speaks the line protocol of docs/protocol.md",
            || ExecSpec { command: String::new(), time: DEFAULT_TIME },
            &[
                Parameter::new(
                    "time",
                    Domain::Time,
                    place!(time),
                    "wall time a decision; a program that takes longer loses the game",
                ),
                Parameter::new(
                    COMMAND,
                    Domain::Text,
                    place!(command),
                    "what is started; in the short text it stands last, without its name",
                ),
            ],
            "exec:time=2s,./bot.py",
        )
    }];
}

impl AgentSettings for ExecSpec {
    fn build<G: Playable>(&self, game: &G, seat: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        Ok(Box::new(Program::new(&self.command, self.time, seat, game.players())))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        None
    }

    /// What a program does is its own affair.
    fn shorten(&mut self) -> bool {
        false
    }

    fn is_repeatable(&self) -> bool {
        false
    }

    fn uses_machine(&self) -> bool {
        true
    }
}

/// What is wrong with the command line, if anything is.
fn check(command: &str) -> Result<(), String> {
    match shlex::split(command) {
        None => Err("the command has an open quote".to_owned()),
        Some(words) if words.is_empty() => {
            Err("a command is missing; expected for example `exec:./bot.py`".to_owned())
        }
        Some(_) => Ok(()),
    }
}

/// One seat of one match, played by a process.
#[derive(Debug)]
struct Program {
    command: String,
    time: Duration,
    /// The lines that open the conversation.
    greeting: String,
    /// What happened so far, one tab-separated field per action.
    moves: String,
    process: Option<Process>,
}

impl Program {
    fn new(command: &str, time: Duration, seat: &Seat<'_>, n_players: usize) -> Program {
        let Seat { game, player, seed } = seat;
        let greeting =
            format!("sakiyomi\t1\ngame\t{game}\nseat\t{}\t{n_players}\nseed\t{seed}\n", player.0);
        Program { command: command.to_owned(), time, greeting, moves: String::new(), process: None }
    }

    fn start(&mut self) -> Result<&mut Process, String> {
        if self.process.is_none() {
            let mut process = Process::spawn(&self.command)?;
            process.send(&self.greeting);
            let answer = process.answer(START_TIME)?;
            if answer != "ready" {
                return Err(format!("answered `{}` instead of `ready`", shorten(&answer)));
            }
            self.process = Some(process);
        }
        Ok(self.process.as_mut().expect("it was started above"))
    }

    fn ask(&mut self, legal: &str) -> Result<String, String> {
        let time = self.time;
        let request =
            format!("moves{}\nlegal{legal}\nclock\t{}\ngo\n", self.moves, time.as_millis());
        let process = self.start()?;
        process.send(&request);
        let answer = process.answer(time + GRACE)?;
        match answer.split_once('\t') {
            Some(("move", text)) => Ok(text.to_owned()),
            _ => Err(format!("answered `{}` instead of `move<tab>..`", shorten(&answer))),
        }
    }
}

impl<G: Playable> Agent<G> for Program {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        _: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let mut actions = Vec::new();
        game.actions(state, player, &mut actions);
        let text = |&action: &G::Action| format!("\t{}", game.action_text(state, player, action));
        let legal: String = actions.iter().map(text).collect();
        let answer = self.ask(&legal).and_then(|text| {
            let action = game.parse(state, player, &text);
            action.ok_or_else(|| format!("`{}` is not legal", shorten(&text)))
        });
        let action = answer.map_err(|reason| {
            // Nobody answers for it any more: the process ends with its handle.
            self.process = None;
            Forfeit { reason: format!("{}: {reason}", self.command) }
        })?;
        let policy = actions.iter().map(|&a| (a, f64::from(u8::from(a == action)))).collect();
        Ok(Choice { action, policy, value: None, iterations: 0, nodes: 0 })
    }

    fn observe(&mut self, game: &G, before: &G::State, actions: &[G::Action]) {
        match game.turn(before) {
            Turn::Choose(who) => {
                for (player, &action) in who.zip(actions) {
                    let text = game.action_text(before, player, action);
                    self.moves += &format!("\t{}:{text}", player.0);
                }
            }
            _ => self.moves += &format!("\t*:{}", game.outcome_text(before, actions[0])),
        }
    }
}

/// A running program and the lines it says.
#[derive(Debug)]
struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Process {
    fn spawn(command: &str) -> Result<Process, String> {
        let words = shlex::split(command).unwrap_or_default();
        let (program, arguments) = words.split_first().ok_or("no command")?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot be started: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("has no standard input and output".to_owned());
        };
        let (sender, lines) = mpsc::channel();
        // Pipes cannot be read with a time limit, so a thread waits for the lines instead.
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            loop {
                line.clear();
                match (&mut output).take(LONGEST_LINE).read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {}
                }
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                if sender.send(text).is_err() {
                    return;
                }
            }
        });
        Ok(Process { child, input, lines })
    }

    /// Whoever does not listen any more may still have answered, so what became of the program is
    /// left to [`Process::answer`] to tell.
    fn send(&mut self, text: &str) {
        let _ = self.input.write_all(text.as_bytes()).and_then(|()| self.input.flush());
    }

    /// The next line that is neither empty nor a comment.
    fn answer(&mut self, time: Duration) -> Result<String, String> {
        let deadline = Instant::now() + time;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) if line.is_empty() || line.starts_with('#') => {}
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("gave no answer within {:.1} s", time.as_secs_f64()));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.end()),
            }
        }
    }

    /// Why the program no longer speaks.
    fn end(&mut self) -> String {
        // It closed its side; if it is still alive it gets a moment to end by itself.
        for _ in 0..20 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return format!("ended ({status})");
            }
            thread::sleep(Duration::from_millis(5));
        }
        "closed its standard output".to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A program may want to clean up; it hears `quit` and its input closes. Then it is ended.
        let _ = self.input.write_all(b"quit\n");
        for _ in 0..10 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 60 {
        return text.to_owned();
    }
    text.chars().take(57).chain("...".chars()).collect()
}
