//! Games that another program plays. A line of JSON with units of work goes out, `{"units": [..]}`; for each of them a line comes back,
//! `{"number": 0, "done": {..}}`, in any order: its place in the list, and what `run_unit` made of it. When all are
//! back, the next line may follow. So a cluster of any kind can play, and the run stays here with its checkpoints.

use std::io::{BufRead, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use sakiyomi_core::Stop;
use sakiyomi_eval::{DoneUnit, Unit};
use sakiyomi_evolve::{Ending, EvolveError, Game, GameRunner};
use serde::{Deserialize, Serialize};

/// Hands games out and waits for their results.
#[derive(Debug)]
pub struct HandOut<W> {
    lines: Mutex<Receiver<String>>,
    out: Mutex<W>,
}

#[derive(Serialize)]
struct Request {
    units: Vec<Unit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    number: usize,
    done: DoneUnit,
}

/// How often a stop is looked for.
const TICK: Duration = Duration::from_millis(50);

impl<W: Write> HandOut<W> {
    /// Writes units to `out` and reads results from `input`, on a thread of its own.
    pub fn new(input: impl BufRead + Send + 'static, out: W) -> HandOut<W> {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            for line in input.lines().map_while(Result::ok).filter(|line| !line.trim().is_empty()) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        HandOut { lines: Mutex::new(receiver), out: Mutex::new(out) }
    }

    fn send(&self, request: &Request) -> Result<(), EvolveError> {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = serde_json::to_writer(&mut *out, request).map_err(std::io::Error::from);
        sent.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()).map_err(|error| {
            EvolveError::Answer(format!("the games cannot be handed out: {error}"))
        })
    }
}

impl<W: Write + Send + std::fmt::Debug> GameRunner for HandOut<W> {
    /// If the other program ends, the run is stopped: what has come back by then is kept.
    fn play_games(
        &self,
        games: &[Game],
        stop: &Stop,
        tell: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Option<Ending>>, EvolveError> {
        let mut endings = vec![None; games.len()];
        if games.is_empty() {
            return Ok(endings);
        }
        self.send(&Request { units: games.iter().map(Game::unit).collect() })?;
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut n_done = 0;
        while n_done < games.len() && !stop.requested() {
            let line = match lines.recv_timeout(TICK) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => {
                    stop.request();
                    break;
                }
            };
            let (number, ending) = read(&line, games)?;
            n_done += usize::from(endings[number].is_none());
            endings[number] = Some(ending);
            tell(n_done);
        }
        Ok(endings)
    }
}

/// A line that came back, if it is a result of one of these games.
fn read(line: &str, games: &[Game]) -> Result<(usize, Ending), EvolveError> {
    let wrong = |what: String| EvolveError::Answer(format!("a result that came back: {what}"));
    let Answer { number, done } =
        serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
    let n = games.len();
    let game = games.get(number);
    let game = game.ok_or_else(|| wrong(format!("number {number}; expected 0 to {}", n - 1)))?;
    let first = game.unit().numbers.start;
    if done.first != first {
        let found = done.first;
        return Err(wrong(format!("match {found} for number {number}; expected match {first}")));
    }
    let ending = Ending::of(&done.results);
    ending
        .ok_or_else(|| wrong(format!("number {number} has no match; expected one")))
        .map(|ending| (number, ending))
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};
    use std::sync::{Arc, mpsc::Sender};

    use sakiyomi_eval::run_unit;
    use sakiyomi_evolve::Threads;

    use super::*;

    fn games(n: u64) -> Vec<Game> {
        let game = |number| Game {
            game: "tubstap:map=ford,attacks=all,noise-hp,noise-position".parse().unwrap(),
            agent: "sample".parse().unwrap(),
            seed: 3,
            number,
        };
        (0..n).map(game).collect()
    }

    /// A pipe: what is written to one end is read from the other.
    struct Pipe(Receiver<Vec<u8>>, Vec<u8>);

    impl Read for Pipe {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            if self.1.is_empty() {
                self.1 = self.0.recv().unwrap_or_default();
            }
            let n = out.len().min(self.1.len());
            out[..n].copy_from_slice(&self.1[..n]);
            self.1.drain(..n);
            Ok(n)
        }
    }

    /// Another program: it answers the units in the opposite order; if it leaves some out, it ends after that.
    #[derive(Debug)]
    struct Other {
        back: Option<Sender<Vec<u8>>>,
        leaves_out: usize,
        says: Option<&'static str>,
    }

    impl Write for Other {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            #[derive(Deserialize)]
            struct Got {
                units: Vec<Unit>,
            }
            let Got { units } = serde_json::from_slice(bytes).unwrap();
            let back = self.back.as_ref().unwrap();
            // The last units are left out.
            for (number, unit) in units.iter().enumerate().rev().skip(self.leaves_out) {
                let results = run_unit(unit, &Stop::new()).unwrap();
                let done = DoneUnit { first: unit.numbers.start, results, seconds: 0.1 };
                let line = serde_json::json!({ "number": number, "done": done }).to_string();
                back.send(format!("{}\n", self.says.unwrap_or(&line)).into_bytes()).unwrap();
            }
            if self.leaves_out > 0 {
                self.back = None;
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn hand_out(
        leaves_out: usize,
        says: Option<&'static str>,
    ) -> HandOut<std::io::BufWriter<Other>> {
        let (sender, receiver) = mpsc::channel();
        let other = Other { back: Some(sender), leaves_out, says };
        // One line is one write.
        let out = std::io::BufWriter::with_capacity(1 << 20, other);
        HandOut::new(BufReader::new(Pipe(receiver, Vec::new())), out)
    }

    #[test]
    fn games_that_are_handed_out_end_as_those_that_are_played_here() {
        let games = games(12);
        let here = Threads(2).play_games(&games, &Stop::new(), &|_| {}).unwrap();
        let told = Arc::new(Mutex::new(Vec::new()));
        let tell = |done| told.lock().unwrap().push(done);
        let there = hand_out(0, None);
        assert_eq!(there.play_games(&games, &Stop::new(), &tell).unwrap(), here);
        assert_eq!(*told.lock().unwrap(), (1..=12).collect::<Vec<_>>());
        assert_eq!(there.play_games(&games[3..5], &Stop::new(), &|_| {}).unwrap(), here[3..5]);
        assert_eq!(there.play_games(&[], &Stop::new(), &|_| {}).unwrap(), []);
    }

    #[test]
    fn if_the_other_program_ends_the_run_is_stopped_with_what_came_back() {
        let (games, stop) = (games(6), Stop::new());
        let endings = hand_out(2, None).play_games(&games, &stop, &|_| {}).unwrap();
        let is_there: Vec<bool> = endings.iter().map(Option::is_some).collect();
        assert_eq!(is_there, [true, true, true, true, false, false]);
        assert!(stop.requested());
    }

    #[test]
    fn wrong_answers_are_errors_that_say_what() {
        let error = |says| {
            let there = hand_out(0, Some(says));
            there.play_games(&games(2), &Stop::new(), &|_| {}).unwrap_err().to_string()
        };
        assert!(error("nonsense").contains("a result that came back: expected"));
        let done = r#""done": {"first": 0, "results": {"games": []}, "seconds": 0.0}}"#;
        let line = |number: u32| -> &'static str {
            Box::leak(format!(r#"{{"number": {number}, {done}"#).into_boxed_str())
        };
        assert!(error(line(2)).ends_with("number 2; expected 0 to 1"));
        assert!(error(line(1)).ends_with("match 0 for number 1; expected match 2"));
        assert!(error(line(0)).ends_with("number 0 has no match; expected one"));
    }
}
