//! Agents that are programs: one process per match, spoken to in lines (docs/reference/protocol.md).
//!
//! A program that answers nonsense, crashes, says too much or takes too long forfeits the match and nothing
//! else: the process is ended, with all that it has started, and the reason reported. A program
//! that does not exist is an error before the first match.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use sakiyomi_core::{Agent, Budget, Choice, Context, Forfeit, Playable, Player, Stop, Turn};

use super::{AgentSettings, Seat};
use crate::fields::{PROGRAM, PROGRAM_COMMAND};
use crate::parameter::{Defined, Definition, Domain, Parameter, place};
use crate::printable;

const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// What a program gets beyond its time to start, and for the way of lines through pipes.
const START_TIME: Duration = Duration::from_secs(10);
const GRACE: Duration = Duration::from_millis(100);
/// A longer line is no answer, and must not fill the memory.
const MAX_LINE_BYTES: u64 = 1 << 16;
/// Lines that wait to be read; a program that says more waits itself.
const MAX_WAITING_LINES: usize = 64;
/// How often a stop is looked for while a program thinks.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

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
            PROGRAM,
            "a program in any language that speaks the line protocol of docs/reference/protocol.md",
            || ExecSpec { command: String::new(), time: DEFAULT_TIME },
            &[
                Parameter::new(
                    "time",
                    Domain::Time,
                    place!(time),
                    "wall time a decision; a program that takes longer loses the game",
                ),
                Parameter::new(
                    PROGRAM_COMMAND,
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
        find(&self.command)?;
        Ok(Box::new(Program::new(&self.command, self.time, seat, game.players())))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        None
    }

    fn plays_without_list(&self) -> bool {
        true
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

/// Looks for the program of a command, and says what is wrong with it. What was found once is not looked for again:
/// a program that goes away later forfeits its matches.
fn find(command: &str) -> Result<(), String> {
    static FOUND: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let program = shlex::split(command).unwrap_or_default().into_iter().next().unwrap_or_default();
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if found.contains(&program) {
        return Ok(());
    }
    // Without a slash it is looked for as a shell would.
    let places: Vec<PathBuf> = match program.contains('/') {
        true => vec![PathBuf::from(&program)],
        false => env::var_os("PATH").map_or_else(Vec::new, |path| {
            env::split_paths(&path).map(|folder| folder.join(&program)).collect()
        }),
    };
    if places.iter().any(|place| is_executable(place)) {
        found.push(program);
        return Ok(());
    }
    let is_there = places.iter().any(|place| place.exists());
    Err(match (is_there, program.contains('/')) {
        (true, _) => format!(
            "`{program}` cannot be executed; `chmod +x` or its interpreter before it would be right"
        ),
        (false, true) => format!("there is no program `{program}`"),
        (false, false) => format!(
            "there is no program `{program}` in the folders of PATH; write `./{program}` if it is here"
        ),
    })
}

#[cfg(unix)]
fn is_executable(place: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(place)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(place: &Path) -> bool {
    fs::metadata(place.with_extension(env::consts::EXE_EXTENSION))
        .is_ok_and(|found| found.is_file())
        || fs::metadata(place).is_ok_and(|found| found.is_file())
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

    fn start(&mut self, stop: &Stop) -> Result<&mut Process, String> {
        if self.process.is_none() {
            let mut process = Process::spawn(&self.command)?;
            process.send(&self.greeting);
            let answer = process.answer(START_TIME, stop)?;
            if answer != "ready" {
                return Err(format!("answered `{}` instead of `ready`", shorten(&answer)));
            }
            self.process = Some(process);
        }
        Ok(self.process.as_mut().expect("it was started above"))
    }

    fn ask(&mut self, legal: &str, stop: &Stop) -> Result<String, String> {
        let time = self.time;
        let request =
            format!("moves{}\nlegal{legal}\nclock\t{}\ngo\n", self.moves, time.as_millis());
        let process = self.start(stop)?;
        process.send(&request);
        let answer = process.answer(time + GRACE, stop)?;
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
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let mut actions = Vec::new();
        game.actions(state, player, &mut actions);
        let text = |&action: &G::Action| format!("\t{}", game.action_text(state, player, action));
        let legal: String = actions.iter().map(text).collect();
        let answer = self.ask(&legal, context.stop).and_then(|text| {
            let action = game.parse(state, player, &text);
            action.ok_or_else(|| format!("`{}` is not legal", shorten(&text)))
        });
        let action = answer.map_err(|reason| {
            // It is not used any more: the process ends with its handle.
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
    /// What it is told; closed when the program is to end.
    input: Option<Sender<String>>,
    lines: Receiver<Line>,
}

/// A line, or nothing if it was too long.
type Line = Option<String>;

impl Process {
    fn spawn(command: &str) -> Result<Process, String> {
        let words = shlex::split(command).unwrap_or_default();
        let (program, arguments) = words.split_first().ok_or("no command")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        // A group of its own, so that what the program starts can be ended with it. What leaves the
        // group, by a session of its own, is out of reach; the protocol says so.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("has no standard input and output".to_owned());
        };
        // Pipes can neither be read nor be written with a time limit, so threads wait for them instead.
        let (sender, lines) = mpsc::sync_channel(MAX_WAITING_LINES);
        thread::spawn(move || listen(output, &sender));
        let (sender, texts) = mpsc::channel();
        thread::spawn(move || speak(input, &texts));
        Ok(Process { child, input: Some(sender), lines })
    }

    /// A program that does not listen any more may still have answered, so what became of it is left
    /// to [`Process::answer`] to tell.
    fn send(&mut self, text: &str) {
        if let Some(input) = &self.input {
            let _ = input.send(text.to_owned());
        }
    }

    /// The next line that is neither empty nor a comment. The clock is looked at after every line, so that a
    /// program cannot gain time by talking.
    fn answer(&mut self, time: Duration, stop: &Stop) -> Result<String, String> {
        let deadline = Instant::now() + time;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(format!("gave no answer within {:.1} s", time.as_secs_f64()));
            }
            if stop.requested() {
                return Err("was stopped".to_owned());
            }
            match self.lines.recv_timeout(left.min(STOP_INTERVAL)) {
                Ok(Some(line)) if line.is_empty() || line.starts_with('#') => {}
                Ok(Some(line)) => return Ok(line),
                Ok(None) => {
                    return Err(format!("said a line of more than {MAX_LINE_BYTES} bytes"));
                }
                Err(RecvTimeoutError::Timeout) => {}
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
        self.send("quit\n");
        self.input = None;
        for _ in 0..10 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                break;
            }
            thread::sleep(Duration::from_millis(2));
        }
        self.kill_group();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    /// Ends whatever the program has started, even if it has ended itself.
    #[cfg(unix)]
    fn kill_group(&self) {
        let group = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }

    #[cfg(not(unix))]
    fn kill_group(&self) {}
}

/// Hands on what a program says, line by line, until it says no more or is not listened to.
fn listen(output: ChildStdout, lines: &SyncSender<Line>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut output).take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let is_too_long = line.len() as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n");
        let text = (!is_too_long).then(|| String::from_utf8_lossy(&line).trim().to_owned());
        if lines.send(text).is_err() || is_too_long {
            return;
        }
    }
}

/// Tells a program what it is to hear. Its input closes when there is no more.
fn speak(mut input: ChildStdin, texts: &Receiver<String>) {
    for text in texts {
        if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// What a program said, as an error may quote it.
fn shorten(text: &str) -> String {
    let text = printable(text);
    if text.chars().count() <= 60 {
        return text;
    }
    text.chars().take(57).chain("...".chars()).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn process(script: &str) -> Process {
        Process::spawn(&format!("sh -c {}", shlex::try_quote(script).unwrap())).unwrap()
    }

    fn answer(script: &str, time: Duration) -> Result<String, String> {
        process(script).answer(time, &Stop::new())
    }

    #[test]
    fn talking_gains_no_time() {
        let begin = Instant::now();
        let error = answer("while :; do echo '# thinking'; done", Duration::from_millis(300));
        assert_eq!(error.unwrap_err(), "gave no answer within 0.3 s");
        assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
        assert_eq!(answer("echo '# one'; echo; echo two", START_TIME).unwrap(), "two");
    }

    #[test]
    fn a_line_without_end_is_no_answer() {
        let error = answer("cat /dev/zero", START_TIME).unwrap_err();
        assert!(error.contains("more than 65536 bytes"), "{error}");
    }

    #[test]
    fn a_stop_ends_the_wait() {
        let stop = Stop::new();
        let begin = Instant::now();
        thread::scope(|scope| {
            let waiting =
                scope.spawn(|| process("sleep 60").answer(Duration::from_secs(60), &stop));
            thread::sleep(Duration::from_millis(100));
            stop.request();
            assert_eq!(waiting.join().unwrap().unwrap_err(), "was stopped");
        });
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    }

    /// Whether a process is there and not only waiting to be counted out.
    fn is_alive(id: &str) -> bool {
        let state = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        state.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_program_has_started_ends_with_it() {
        for script in ["sleep 1000 & echo $!; wait", "sleep 1000 & echo $!"] {
            let mut process = process(script);
            let child = process.answer(START_TIME, &Stop::new()).unwrap();
            assert!(is_alive(&child), "{script}");
            drop(process);
            let begin = Instant::now();
            while is_alive(&child) {
                assert!(begin.elapsed() < Duration::from_secs(5), "{script}: {child} lives on");
                thread::sleep(Duration::from_millis(5));
            }
        }
    }

    /// What a program says is quoted without what would change the terminal of the reader.
    #[test]
    fn quoted_answers_have_no_escapes() {
        assert_eq!(shorten("\x1b[2Jhello"), "\u{fffd}[2Jhello");
    }

    /// More than a pipe holds.
    #[test]
    fn a_program_that_does_not_listen_is_not_waited_for() {
        let mut process = process("sleep 60");
        let begin = Instant::now();
        process.send(&"x".repeat(1 << 20));
        assert!(process.answer(Duration::from_millis(100), &Stop::new()).is_err());
        drop(process);
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    }

    #[test]
    fn a_program_must_be_there() {
        assert_eq!(find("sh -c true"), Ok(()));
        assert_eq!(find("/bin/sh"), Ok(()));
        assert!(find("/nonexistent").unwrap_err().contains("there is no program `/nonexistent`"));
        assert!(find("no-such-program-x").unwrap_err().contains("folders of PATH"));
        assert!(find("/etc/passwd").unwrap_err().contains("cannot be executed"));
        assert!(find("/etc").unwrap_err().contains("cannot be executed"));
    }
}
