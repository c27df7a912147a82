//! How often an agent keeps what a position of connect four is worth, by class of positions: what the field measures
//! players of this game by.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use sakiyomi_catalog::{AgentSpec, GameSpec, Seat, SpecError};
use sakiyomi_core::stats::{Interval, wilson};
use sakiyomi_core::{Context, Fault, Game, Player, Rng, Stop, Turn};
use sakiyomi_games::ConnectFour;
use sakiyomi_games::connect_four::Column;
use sakiyomi_players::connect_four::{Class, Judged, Solver, is_error, position_of_class};
use serde::Serialize;

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Accuracy {
    pub agent: AgentSpec,
    pub classes: Vec<Class>,
    /// Of each class.
    pub positions: u64,
    pub seed: u64,
    pub threads: usize,
}

/// How an agent did on the positions of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassErrors {
    pub class: String,
    pub positions: u64,
    /// Moves after which perfect play ends worse than it would have: a win became a draw or a loss, or a draw a loss.
    pub errors: u64,
}

impl ClassErrors {
    /// Between which shares of errors the truth lies, at 95 %.
    pub fn interval(&self) -> Interval {
        wilson(self.errors, self.positions, 1.96)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum AccuracyError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("position {position} of {class}: {reason}")]
    Forfeit { class: String, position: u64, reason: String },
}

impl Fault for AccuracyError {
    fn is_input(&self) -> bool {
        matches!(self, AccuracyError::Spec(_))
    }
}

/// The seed of the positions that are kept.
const KEPT_SEED: u64 = 1;

/// Position `i` of a class, if it is kept with its right moves: those of the two classes that take longest.
fn kept(class: Class, i: u64) -> Option<Judged> {
    let of_class = class.to_string();
    let lines = include_str!("../positions.txt").lines();
    let mut lines = lines.filter_map(|line| line.strip_prefix(&of_class)?.strip_prefix(' '));
    lines.nth(usize::try_from(i).ok()?)?.parse().ok()
}

/// Asks the agent for its move in every position. Every position is decided on its own, so the result does not depend
/// on threads. None if it was stopped. `progress` is told how many positions are done.
pub fn accuracy(
    settings: &Accuracy,
    stop: &Stop,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Option<Vec<ClassErrors>>, AccuracyError> {
    let spec: GameSpec = "connect-four".parse()?;
    let game = ConnectFour::<u64>::new(7, 6).expect("the usual size is one");
    let work = Work { settings, spec: &spec, game: &game, stop, progress };
    let done = AtomicU64::new(0);
    let mut found = Vec::new();
    for class in &settings.classes {
        match work.class(*class, &done)? {
            Some(errors) => found.push(errors),
            None => return Ok(None),
        }
    }
    Ok(Some(found))
}

#[derive(Clone, Copy)]
struct Work<'a> {
    settings: &'a Accuracy,
    spec: &'a GameSpec,
    game: &'a ConnectFour<u64>,
    stop: &'a Stop,
    progress: &'a (dyn Fn(u64) + Sync),
}

impl Work<'_> {
    fn class(self, class: Class, done: &AtomicU64) -> Result<Option<ClassErrors>, AccuracyError> {
        let Accuracy { positions, threads, .. } = *self.settings;
        let next = AtomicU64::new(0);
        let errors = AtomicU64::new(0);
        let work = || {
            let mut solver = Solver::new(7, 6);
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= positions || self.stop.requested() {
                    return Ok(());
                }
                let is_error = self.errs(class, i, &mut solver)?;
                errors.fetch_add(u64::from(is_error), Ordering::Relaxed);
                (self.progress)(1 + done.fetch_add(1, Ordering::Relaxed));
            }
        };
        let all: Result<(), AccuracyError> = thread::scope(|scope| {
            let running: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            let ended = running.into_iter().map(|thread| thread.join().expect("no panic"));
            ended.collect()
        });
        all?;
        let (class, errors) = (class.to_string(), errors.into_inner());
        Ok((!self.stop.requested()).then_some(ClassErrors { class, positions, errors }))
    }

    /// Whether the agent errs in a position.
    fn errs(self, class: Class, i: u64, solver: &mut Solver) -> Result<bool, AccuracyError> {
        let Work { settings, game, .. } = self;
        let mut state = game.start();
        let kept = kept(class, i).filter(|_| settings.seed == KEPT_SEED);
        let moves = match &kept {
            Some(kept) => kept.moves.clone(),
            None => position_of_class(class, i, settings.seed, solver),
        };
        moves.iter().for_each(|&x| game.apply(&mut state, &[Column::new(x)]));
        let Turn::Choose(who) = game.turn(&state) else { return Ok(false) };
        let player = who.single().unwrap_or(Player(0));
        let seat = Seat { game: self.spec, player, seed: settings.seed.wrapping_add(i) };
        let mut agent = settings.agent.build(game, &seat)?;
        let mut rng = Rng::stream(&[settings.seed, i]);
        let mut context = Context { rng: &mut rng, stop: self.stop };
        let chosen = agent.choose(game, &state, player, &mut context).map_err(|forfeit| {
            let class = class.to_string();
            AccuracyError::Forfeit { class, position: i, reason: forfeit.reason }
        })?;
        let x = chosen.action.index();
        Ok(match kept {
            Some(kept) => !kept.keeping.contains(&(x as u8)),
            None => is_error(&moves, x as u32, solver),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors_of(agent: &str, threads: usize) -> Vec<ClassErrors> {
        let settings = Accuracy {
            agent: agent.parse().unwrap(),
            classes: vec!["end-easy".parse().unwrap(), "middle-easy".parse().unwrap()],
            positions: 20,
            seed: 5,
            threads,
        };
        accuracy(&settings, &Stop::new(), &|_| {}).unwrap().unwrap()
    }

    /// The file is as the example `positions` writes it: a sample that does not take long, which is of later positions.
    #[test]
    fn kept_positions_are_those_that_are_solved() {
        let mut solver = Solver::new(7, 6);
        for (class, n) in [("begin-medium", 200), ("begin-hard", 23)] {
            let class: Class = class.parse().unwrap();
            let all: Vec<Judged> = (0..).map_while(|i| kept(class, i)).collect();
            assert_eq!(all.len(), n, "{class}");
            for i in (0..n).filter(|&i| all[i].moves.len() > 12).take(4) {
                let moves = position_of_class(class, i as u64, KEPT_SEED, &mut solver);
                assert_eq!(Judged::new(moves, &mut solver), all[i], "{class} {i}");
            }
        }
    }

    #[test]
    fn perfect_play_has_no_errors_and_random_play_has_some() {
        let perfect = errors_of("perfect", 1);
        assert!(perfect.iter().all(|class| class.errors == 0), "{perfect:?}");
        assert!(perfect.iter().all(|class| class.positions == 20));
        let random = errors_of("random", 2);
        assert!(random.iter().all(|class| (1..20).contains(&class.errors)));
        assert_eq!(random, errors_of("random", 1), "threads change nothing");
    }
}
