//! The exact equilibrium of a game of the catalog: of Hagetaka and Goofspiel of two by layers
//! (`by_layers.rs`), of any other by the recursive solver.

mod by_layers;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use cpu_time::ThreadTime;
use sakiyomi_catalog::{CatalogGame, GameSpec, SpecError, Visitor, save_solution};
use sakiyomi_core::{Fault, Hints, Playable, Player, Stop, Turn};
use sakiyomi_players::layers::LayersError;
use sakiyomi_search::{Exact, Unsolved, Values, bytes_for};
use serde::Serialize;

use crate::exploit::{ExploitError, nash_conv_of};

/// What is to be solved.
#[derive(Clone, Debug)]
pub struct Solve {
    pub game: GameSpec,
    /// In bytes; a solution that would take more is given up.
    pub memory: u64,
    /// Where the solution is kept.
    pub save: Option<PathBuf>,
    /// Measures the NashConv of the solution, over all states.
    pub check: bool,
    /// Threads that a layer is shared out to, where the game is solved by layers.
    pub threads: usize,
    /// Where solved layers are kept, so that they are not solved again.
    pub layers: Option<PathBuf>,
}

/// How far it is.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SolveProgress {
    /// States that are solved, and the bytes that are taken.
    pub states: u64,
    pub bytes: u64,
    /// What is ahead, where that is known before anything is solved.
    pub ahead: Option<Ahead>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ahead {
    /// All states.
    pub states: u64,
    /// The layer in work, by its rounds left, and how many layers there are.
    pub rounds_left: usize,
    pub layers: usize,
    /// The share of the work that is done, and the part of it that was found on the disk.
    pub done: f64,
    pub done_before: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct SolveReport {
    pub game: GameSpec,
    /// What each player gets in equilibrium.
    pub values: Vec<f64>,
    /// The first turns: one after every outcome of chance, or only one.
    pub openings: Vec<Opening>,
    /// States whose value is kept, symmetric ones counted once.
    pub states: u64,
    /// The most that their table has taken.
    pub bytes: u64,
    pub nash_conv: Option<f64>,
    /// What the solver knows of it by itself: the sum over layers of the largest gain that a matrix
    /// game leaves open.
    pub nash_conv_bound: Option<f64>,
    /// Without the check, as `seconds`, which are those of a clock on the wall.
    pub cpu_seconds: f64,
    pub seconds: f64,
}

/// Both players' strategies in a first turn.
#[derive(Clone, Debug, Serialize)]
pub struct Opening {
    /// The outcome of chance before it.
    pub outcome: Option<String>,
    pub value: f64,
    /// Per player its actions and their shares; those of one who does not choose are empty.
    pub strategies: Vec<Vec<(String, f64)>>,
}

#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("{game}: {error}")]
    Unsolved { game: GameSpec, error: Unsolved },
    #[error("{game}: {error}")]
    Layers { game: GameSpec, error: LayersError },
    #[error(
        "{game} is not solved by layers, so there are none to keep: that is for hagetaka and goofspiel of two"
    )]
    NoLayers { game: GameSpec },
    #[error(transparent)]
    Check(#[from] ExploitError),
    #[error("{path}: {error}")]
    Save { path: PathBuf, error: io::Error },
    /// A layer that was kept cannot be used.
    #[error("{path}: {error}")]
    Kept { path: PathBuf, error: io::Error },
}

impl Fault for SolveError {
    fn is_input(&self) -> bool {
        match self {
            SolveError::Spec(_) | SolveError::NoLayers { .. } => true,
            SolveError::Layers { error, .. } => {
                matches!(error, LayersError::Unsuitable | LayersError::Memory { .. })
            }
            SolveError::Unsolved { error, .. } => {
                matches!(error, Unsolved::Players | Unsolved::States { .. })
            }
            SolveError::Check(error) => error.is_input(),
            SolveError::Kept { error, .. } => error.kind() == io::ErrorKind::InvalidData,
            SolveError::Save { .. } => false,
        }
    }
}

/// Solves the game. The values are the same on any number of threads.
pub fn run_solve(
    solve: &Solve,
    stop: &Stop,
    progress: &mut dyn FnMut(SolveProgress),
) -> Result<SolveReport, SolveError> {
    match by_layers::game_of(&solve.game)? {
        Some(game) => by_layers::solve(&game, solve, stop, progress),
        None if solve.layers.is_some() => Err(SolveError::NoLayers { game: solve.game.clone() }),
        None => solve.game.with(Run { solve, stop, progress })?,
    }
}

struct Run<'a> {
    solve: &'a Solve,
    stop: &'a Stop,
    progress: &'a mut dyn FnMut(SolveProgress),
}

impl Visitor for Run<'_> {
    type Out = Result<SolveReport, SolveError>;

    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        let Run { solve, stop, progress } = self;
        let unsolved = |error| SolveError::Unsolved { game: solve.game.clone(), error };
        let (begin, clock) = (ThreadTime::now(), Instant::now());
        let mut exact: Exact<G> = Exact::new(solve.memory, Arc::default());
        let mut watch = |n: usize| {
            progress(SolveProgress { states: n as u64, bytes: bytes_for(n), ahead: None });
            !stop.requested()
        };
        Exact::check(&game, solve.memory).map_err(unsolved)?;
        let value = exact.value(&game, &game.start(), &mut watch).map_err(unsolved)?;
        let openings = openings(&game, &mut exact).map_err(unsolved)?;
        let mut report = SolveReport {
            game: solve.game.clone(),
            values: vec![value, 1.0 - value],
            openings,
            states: exact.values().len() as u64,
            bytes: bytes_for(exact.values().len()),
            nash_conv: None,
            nash_conv_bound: None,
            cpu_seconds: begin.elapsed().as_secs_f64(),
            seconds: clock.elapsed().as_secs_f64(),
        };
        solve.keep_and_check(&game, exact.into_values(), &mut report, stop)?;
        Ok(report)
    }
}

impl Solve {
    /// Whether all values are needed once they are known.
    fn needs_values(&self) -> bool {
        self.save.is_some() || self.check
    }

    fn keep_and_check<G: Hints>(
        &self,
        game: &G,
        values: Values,
        report: &mut SolveReport,
        stop: &Stop,
    ) -> Result<(), SolveError> {
        if let Some(path) = &self.save {
            save_solution(path, &self.game, &values)
                .map_err(|error| SolveError::Save { path: path.clone(), error })?;
        }
        if self.check {
            let checked = nash_conv_of(game, &self.game, Arc::new(values), self.memory, stop)?;
            report.nash_conv = Some(checked);
        }
        Ok(())
    }
}

fn openings<G: Playable>(game: &G, exact: &mut Exact<G>) -> Result<Vec<Opening>, Unsolved> {
    let mut openings = Vec::new();
    for (outcomes, state) in first_turns(game) {
        let outcome = (!outcomes.is_empty()).then(|| outcomes.join(", "));
        let solution = exact.solve(game, &state)?;
        let texts = solution.strategies.iter().enumerate().map(|(player, strategy)| {
            let text = |&(action, share): &(G::Action, f64)| {
                (game.action_text(&state, Player(player as u8), action), share)
            };
            strategy.iter().map(text).collect()
        });
        openings.push(Opening { outcome, value: solution.value, strategies: texts.collect() });
    }
    Ok(openings)
}

/// The first states in which a player chooses, with the outcomes of chance before: at most
/// [`MAX_OPENINGS`] of them, in order.
fn first_turns<G: Playable>(game: &G) -> Vec<(Vec<String>, G::State)> {
    let mut turns = Vec::new();
    let mut waiting = vec![(Vec::new(), game.start())];
    while let Some((texts, state)) = waiting.pop() {
        match game.turn(&state) {
            Turn::Over(_) => {}
            Turn::Choose(_) => turns.push((texts, state)),
            Turn::Chance => {
                let mut outcomes = Vec::new();
                game.outcomes(&state, &mut outcomes);
                // The last that is put there is looked at first.
                for (outcome, _) in outcomes.into_iter().rev() {
                    let mut next = state.clone();
                    game.apply(&mut next, &[outcome]);
                    let text = game.outcome_text(&state, outcome);
                    waiting.push((texts.iter().cloned().chain([text]).collect(), next));
                }
            }
        }
        if turns.len() == MAX_OPENINGS {
            break;
        }
    }
    turns
}

/// More first turns than this are of no use to a reader.
const MAX_OPENINGS: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::toy::{CHANCE_AFTER_CHANCE, Toy};

    #[test]
    fn openings_follow_chance_to_the_first_choice() {
        let toy = Toy::read(CHANCE_AFTER_CHANCE).unwrap();
        let mut exact = Exact::new(1 << 20, Arc::default());
        let openings = openings(&toy, &mut exact).unwrap();
        let names: Vec<&str> = openings.iter().filter_map(|one| one.outcome.as_deref()).collect();
        assert_eq!(names, ["a, x", "a, y", "b, y, x"]);
        for (opening, value) in openings.iter().zip([0.5, 0.25, 0.25]) {
            assert!((opening.value - value).abs() < 1e-12, "{opening:?}");
        }
    }
}
