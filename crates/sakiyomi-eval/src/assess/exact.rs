//! The exact value of a game, where it can be found within limits: by backward induction, or by the
//! game's own perfect player.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use cpu_time::ThreadTime;
use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, SpecError, Visitor, open_table};
use sakiyomi_core::{Player, Stop, Turn};
use sakiyomi_search::{Exact, Unsolved, bytes_for};
use serde::{Deserialize, Serialize};

use super::players;

/// States that backward induction may keep.
pub const MAX_EXACT_STATES: usize = 7_000_000;
/// A game with more states is not begun: stopping at wins spares most of them, but not that many.
const MAX_ALL_STATES: usize = 200 * MAX_EXACT_STATES;
/// The name of players that play perfectly.
pub(super) const PERFECT: &str = "perfect";
/// How often a limit of time is looked at.
const TICK: Duration = Duration::from_millis(20);

/// What is known of perfect play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExactValue {
    /// What each player gets, if it was found.
    pub values: Option<Vec<f64>>,
    /// How it was found, or why not.
    pub how: String,
}

pub(super) fn look_for(
    game: &GameSpec,
    limit: Duration,
    stop: &Stop,
) -> Result<ExactValue, SpecError> {
    if stop.requested() {
        return Ok(ExactValue { values: None, how: "stopped".to_owned() });
    }
    if let Some(perfect) = players::playable(game, &[PERFECT.parse()?])?.first() {
        return by_player(game, perfect, limit, stop);
    }
    game.with(Solve { limit, stop })
}

struct Solve<'a> {
    limit: Duration,
    stop: &'a Stop,
}

impl Visitor for Solve<'_> {
    type Out = ExactValue;

    fn visit<G: CatalogGame>(self, game: G) -> ExactValue {
        let Solve { limit, stop } = self;
        let none = |how: String| ExactValue { values: None, how };
        if !Exact::suits(&game) {
            let why = "exact solutions need two players whose payoffs are known to add up to 1";
            return none(why.to_owned());
        }
        // What is certainly too large is not begun.
        let check = Exact::check(&game, bytes_for(MAX_ALL_STATES));
        if let Err(Unsolved::States { states, .. }) = check {
            return none(format!("it has more than {states} states"));
        }
        let begin = ThreadTime::now();
        let memory = bytes_for(MAX_EXACT_STATES);
        let mut exact: Exact<G> = Exact::new(memory, Arc::default()).stopping_at_wins();
        let mut watch =
            |n: usize| n <= MAX_EXACT_STATES && !stop.requested() && begin.elapsed() < limit;
        match exact.value(&game, &game.start(), &mut watch) {
            Ok(value) => {
                let n = exact.values().len();
                let how = format!("by backward induction over {n} states");
                ExactValue { values: Some(vec![value, 1.0 - value]), how }
            }
            Err(Unsolved::Stopped | Unsolved::Memory) => none(format!(
                "not found within {MAX_EXACT_STATES} states and {:.0} s",
                limit.as_secs_f64()
            )),
            Err(error) => none(error.to_string()),
        }
    }
}

/// The value that the game's perfect player gives the start.
fn by_player(
    game: &GameSpec,
    perfect: &AgentSpec,
    limit: Duration,
    stop: &Stop,
) -> Result<ExactValue, SpecError> {
    let table = open_table(game, 0)?;
    let Turn::Choose(who) = table.turn() else {
        return Ok(ExactValue { values: None, how: "it begins with chance".to_owned() });
    };
    let first = who.single().unwrap_or(Player(0));
    let value = within(limit, stop, |stop| table.advise(perfect, first, stop).ok()?.value);
    let values = value.map(|value| match first {
        Player(0) => vec![value, 1.0 - value],
        _ => vec![1.0 - value, value],
    });
    let how = match values {
        Some(_) => format!("by the solver of `{perfect}`"),
        None => format!("not found by `{perfect}` within {:.0} s", limit.as_secs_f64()),
    };
    Ok(ExactValue { values, how })
}

/// Does work that is asked to stop when its time is over, or `stop` is requested.
fn within<T>(limit: Duration, stop: &Stop, work: impl FnOnce(&Stop) -> T) -> T {
    let (own, is_done) = (Stop::new(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut left = limit;
            while !is_done.load(Ordering::Relaxed) {
                if left.is_zero() || stop.requested() {
                    own.request();
                }
                thread::sleep(TICK);
                left = left.saturating_sub(TICK);
            }
        });
        let worked = work(&own);
        is_done.store(true, Ordering::Relaxed);
        worked
    })
}
