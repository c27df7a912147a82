//! Whether a game can be solved within some memory, looked at once per game.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;
use sakiyomi_core::Hints;
use sakiyomi_search::{Exact, Unsolved};

use crate::GameSpec;

/// Answers that are remembered; beyond that all are looked for again.
const MAX_REMEMBERED: usize = 1_000;

type Answers = FxHashMap<(String, u64), Result<(), Unsolved>>;

/// See [`Exact::check`]. Agents are built for every match, so the answer is remembered.
pub(crate) fn check<G: Hints>(game: &G, spec: &GameSpec, memory: u64) -> Result<(), Unsolved> {
    static ANSWERS: Mutex<Option<Answers>> = Mutex::new(None);
    let key = (spec.to_string(), memory);
    let known = || ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(answer) = known().as_ref().and_then(|answers| answers.get(&key)) {
        return *answer;
    }
    let answer = Exact::check(game, memory);
    let mut answers = known();
    let answers = answers.get_or_insert_default();
    if answers.len() >= MAX_REMEMBERED {
        answers.clear();
    }
    answers.insert(key, answer);
    answer
}
