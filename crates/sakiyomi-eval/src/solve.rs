//! The exact equilibrium of a game of the catalog.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use cpu_time::ThreadTime;
use sakiyomi_catalog::{
    AgentSpec, CatalogGame, ExactSpec, GameSpec, SpecError, Visitor, save_solution,
};
use sakiyomi_core::{Fault, Playable, Player, Stop, Turn};
use sakiyomi_search::{Exact, Unsolved, bytes_for};
use serde::Serialize;

use crate::exploit::{Exploit, ExploitError, run_exploit};

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
    pub cpu_seconds: f64,
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
    #[error(transparent)]
    Check(#[from] ExploitError),
    #[error("{path}: {error}")]
    Save { path: PathBuf, error: io::Error },
}

impl Fault for SolveError {
    fn is_input(&self) -> bool {
        match self {
            SolveError::Spec(_) => true,
            SolveError::Unsolved { error, .. } => {
                matches!(error, Unsolved::Players | Unsolved::States { .. })
            }
            SolveError::Check(error) => error.is_input(),
            SolveError::Save { .. } => false,
        }
    }
}

/// Solves the game; `progress` is told how many states are solved and the bytes they take.
pub fn run_solve(
    solve: &Solve,
    stop: &Stop,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<SolveReport, SolveError> {
    let mut report = solve.game.with(Run { solve, stop, progress })??;
    if solve.check {
        let agent = AgentSpec::from(ExactSpec {
            file: solve.save.as_ref().map(|path| path.display().to_string()),
            memory: solve.memory,
        });
        let exploit = Exploit {
            game: solve.game.clone(),
            agent,
            checkpoints: Vec::new(),
            fresh: true,
            seed: 0,
            memory: solve.memory,
        };
        report.nash_conv = Some(run_exploit(&exploit, stop, &mut |_| {})?.last.nash_conv);
    }
    Ok(report)
}

struct Run<'a> {
    solve: &'a Solve,
    stop: &'a Stop,
    progress: &'a mut dyn FnMut(u64, u64),
}

impl Visitor for Run<'_> {
    type Out = Result<SolveReport, SolveError>;

    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        let Run { solve, stop, progress } = self;
        let unsolved = |error| SolveError::Unsolved { game: solve.game.clone(), error };
        let begin = ThreadTime::now();
        let mut exact: Exact<G> = Exact::new(solve.memory, Arc::default());
        let mut watch = |n: usize| {
            progress(n as u64, bytes_for(n));
            !stop.requested()
        };
        Exact::check(&game, solve.memory).map_err(unsolved)?;
        let value = exact.value(&game, &game.start(), &mut watch).map_err(unsolved)?;
        let openings = openings(&game, &mut exact).map_err(unsolved)?;
        let report = SolveReport {
            game: solve.game.clone(),
            values: vec![value, 1.0 - value],
            openings,
            states: exact.values().len() as u64,
            bytes: bytes_for(exact.values().len()),
            nash_conv: None,
            cpu_seconds: begin.elapsed().as_secs_f64(),
        };
        if let Some(path) = &solve.save {
            save_solution(path, &solve.game, exact.values())
                .map_err(|error| SolveError::Save { path: path.clone(), error })?;
        }
        Ok(report)
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
