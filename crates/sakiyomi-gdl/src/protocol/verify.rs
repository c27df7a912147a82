//! Replays recorded matches and names the first ply that differs.
//!
//! A trace is a text of JSON lines. The first is `{"game", "roles", "init"}`; every further one is
//! a match: `{"plies": [{"n", "s", "t", "l", "m"}, ..], "goals"}` with the number of facts, a
//! digest of the facts, whether the state is terminal, per role the number of legal moves and their
//! digest, and the moves made. A digest is the first 16 hexadecimal digits of the SHA-1 of the
//! sorted terms joined by newlines. Goals are null where the match was cut off.

use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};

use crate::game::gdl_game::GdlGame;
use crate::game::stepper::Stepper;

/// A trace that agrees with the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Verified {
    pub matches: usize,
    pub plies: usize,
}

/// A trace that is none, or that does not agree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("line {line} is not part of a trace: {reason}")]
    Format { line: usize, reason: String },
    #[error("the trace has {what} {expected}, the rules give {got}")]
    Start { what: &'static str, expected: String, got: String },
    #[error("match {number}, ply {ply}: the trace has {what} {expected}, the rules give {got}")]
    Differs { number: usize, ply: usize, what: String, expected: String, got: String },
}

impl sakiyomi_core::Fault for VerifyError {}

#[derive(Deserialize)]
struct Header {
    roles: Vec<String>,
    init: Vec<String>,
}

#[derive(Deserialize)]
struct Match {
    plies: Vec<Ply>,
    goals: Option<Vec<Option<u8>>>,
}

#[derive(Deserialize)]
struct Ply {
    n: usize,
    s: String,
    t: bool,
    #[serde(default)]
    l: Option<Vec<Option<(usize, String)>>>,
    #[serde(default)]
    m: Option<Vec<String>>,
}

/// Replays a trace. `max_plies` bounds the work: matches are cut after that many plies in all.
pub fn verify(
    game: &GdlGame,
    trace: &str,
    max_plies: Option<usize>,
) -> Result<Verified, VerifyError> {
    let mut lines = trace.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let format = |line: usize, reason: String| VerifyError::Format { line: line + 1, reason };
    let (at, first) = lines.next().ok_or_else(|| format(0, "there is nothing".to_owned()))?;
    let header: Header = serde_json::from_str(first).map_err(|e| format(at, e.to_string()))?;
    same_start("roles", header.roles, game.roles().to_vec())?;
    same_start("initial facts", header.init, game.stepper().facts())?;
    let mut verified = Verified::default();
    for (at, line) in lines {
        let record: Match = serde_json::from_str(line).map_err(|e| format(at, e.to_string()))?;
        let mut replay = Replay {
            game,
            stepper: game.stepper(),
            number: verified.matches + 1,
            ply: 0,
            left: max_plies.map(|max| max.saturating_sub(verified.plies)),
        };
        verified.plies += replay.run(&record)?;
        verified.matches += 1;
        if max_plies.is_some_and(|max| verified.plies >= max) {
            break;
        }
    }
    Ok(verified)
}

fn same_start(
    what: &'static str,
    mut expected: Vec<String>,
    mut got: Vec<String>,
) -> Result<(), VerifyError> {
    if what != "roles" {
        expected.sort_unstable();
        got.sort_unstable();
    }
    match expected == got {
        true => Ok(()),
        false => Err(VerifyError::Start { what, expected: expected.join(" "), got: got.join(" ") }),
    }
}

struct Replay<'a> {
    game: &'a GdlGame,
    stepper: Stepper,
    number: usize,
    ply: usize,
    left: Option<usize>,
}

impl Replay<'_> {
    fn run(&mut self, record: &Match) -> Result<usize, VerifyError> {
        for (i, ply) in record.plies.iter().enumerate() {
            if self.left.is_some_and(|left| i >= left) {
                return Ok(i);
            }
            self.ply = i + 1;
            let facts = self.stepper.facts();
            self.same("number of facts", &ply.n, &facts.len())?;
            self.same("facts with digest", &ply.s, &digest(facts))?;
            self.same("terminal", &ply.t, &self.stepper.is_terminal())?;
            for (role, legal) in ply.l.iter().flatten().enumerate() {
                let Some((n, expected)) = legal else { continue };
                let moves = self.stepper.legal(role);
                let texts: Vec<String> = moves.iter().map(|&m| self.game.move_text(m)).collect();
                let name = &self.game.roles()[role];
                self.same(&format!("number of legal moves of {name}"), n, &texts.len())?;
                let what = format!("legal moves of {name} with digest");
                self.same(&what, expected, &digest(texts))?;
            }
            if let Some(moves) = &ply.m
                && let Err(error) = self.stepper.step_texts(moves)
            {
                return Err(self.differs("moves", moves.join(" "), error.to_string()));
            }
        }
        if let Some(goals) = &record.goals {
            let got = self.stepper.goals();
            if *goals != got {
                return Err(self.differs("goals", format!("{goals:?}"), format!("{got:?}")));
            }
        }
        Ok(record.plies.len())
    }

    fn same<T: PartialEq + ToString>(
        &self,
        what: &str,
        expected: &T,
        got: &T,
    ) -> Result<(), VerifyError> {
        match expected == got {
            true => Ok(()),
            false => Err(self.differs(what, expected.to_string(), got.to_string())),
        }
    }

    fn differs(&self, what: &str, expected: String, got: String) -> VerifyError {
        let what = what.to_owned();
        VerifyError::Differs { number: self.number, ply: self.ply, what, expected, got }
    }
}

/// The digest of a set of terms.
fn digest(mut terms: Vec<String>) -> String {
    terms.sort_unstable();
    let hash = Sha1::digest(terms.join("\n"));
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_sha1() {
        assert_eq!(digest(vec!["abc".into()]), "a9993e364706816a");
        assert_eq!(digest(vec![]), "da39a3ee5e6b4b0d");
        assert_eq!(digest(vec!["a".repeat(119)]), "ee971065aaa017e0");
        assert_eq!(digest(vec!["b".into(), "a".into()]), digest(vec!["a".into(), "b".into()]));
    }
}
