//! The ends of a match that are one move away from many states, found in lanes: every legal move of
//! every state has a lane.

use std::sync::Arc;

use sakiyomi_core::{EndAhead, Game, Turn};

use crate::game::gdl_game::GdlGame;
use crate::game::state::{Move, State};
use crate::lanes::expand::{Expander, Look};
use crate::lanes::{Lanes, N_LANES};

/// With fewer moves lanes are not faster on every sheet than one move after the other.
const MIN_MOVES: usize = 48;

/// A legal move of a state, by its number among them.
#[derive(Clone, Copy)]
struct Job {
    state: u32,
    role: usize,
    pick: u32,
}

impl GdlGame {
    /// Finds them in lanes; false, and nothing, if the game has none yet, or chance.
    pub(super) fn ends_in_lanes(&self, states: &[State], out: &mut Vec<EndAhead<Move>>) -> bool {
        let Some(lanes) = self.lanes_made().filter(|_| self.random_role().is_none()) else {
            return false;
        };
        let mut by_phase: Vec<Vec<Job>> = vec![Vec::new(); lanes.period()];
        for (number, state) in states.iter().enumerate() {
            let (Turn::Choose(who), Some(start)) = (self.turn(state), state.as_start()) else {
                continue;
            };
            let Some(player) = who.single() else { continue };
            let role = self.role_of(player);
            let n = self.engine().n_legal(&state.position, role) as u32;
            let jobs = (0..n).map(|pick| Job { state: number as u32, role, pick });
            by_phase[start.phase % lanes.period()].extend(jobs);
        }
        if by_phase.iter().map(Vec::len).sum::<usize>() < MIN_MOVES {
            return false;
        }
        let first = out.len();
        let mut expander = self.take_expander(lanes);
        for (phase, jobs) in by_phase.iter().enumerate() {
            for jobs in jobs.chunks(N_LANES) {
                self.ends_of(&mut expander, phase, jobs, states, out);
            }
        }
        self.spare_expanders().push(expander);
        out[first..].sort_unstable_by_key(|end| (end.state, end.action));
        true
    }

    /// Plays one move in each lane, and the plies after it in which nothing is to be chosen.
    fn ends_of(
        &self,
        expander: &mut Expander<Arc<Lanes>>,
        phase: usize,
        jobs: &[Job],
        states: &[State],
        out: &mut Vec<EndAhead<Move>>,
    ) {
        let n_words = expander.n_words();
        let starts = jobs.iter().filter_map(|job| states[job.state as usize].as_start());
        let facts: Vec<&[u64]> = starts.map(|start| &start.facts[..n_words]).collect();
        expander.load(phase, &facts);
        let n_roles = self.roles().len();
        let mut picks = vec![0; jobs.len() * n_roles];
        for (lane, job) in jobs.iter().enumerate() {
            picks[lane * n_roles + job.role] = job.pick;
        }
        let mut open: Vec<usize> = (0..jobs.len()).collect();
        let mut n_plies = 0;
        while !open.is_empty() {
            expander.play(&picks);
            expander.evaluate();
            n_plies += 1;
            let missing = |lane: usize| match expander.look(lane) {
                Look::Terminal => Some(0.0),
                Look::Stuck => Some(0.5),
                Look::Moves(_) => {
                    let plies = states[jobs[lane].state as usize].plies() + n_plies;
                    (plies >= self.max_plies()).then_some(0.5)
                }
            };
            let ended: Vec<(usize, f64)> =
                open.iter().filter_map(|&lane| Some((lane, missing(lane)?))).collect();
            open.retain(|&lane| missing(lane).is_none() && !expander.has_choice(lane));
            if !ended.is_empty() {
                let goal = expander.goals();
                for (lane, missing) in ended {
                    let payoffs = self.payoffs_of(missing, |role| goal(lane, role));
                    let Job { state, .. } = jobs[lane];
                    let action = self.move_of(&states[state as usize], jobs[lane]);
                    out.push(EndAhead { state, action, payoffs });
                }
            }
            picks.fill(0);
        }
    }

    fn move_of(&self, state: &State, Job { role, pick, .. }: Job) -> Move {
        let n = self.engine().n_legal(&state.position, role);
        let mut moves: Vec<u32> =
            (0..n).map(|i| self.engine().legal(&state.position, role, i)).collect();
        moves.sort_unstable();
        Move(moves[pick as usize])
    }

    fn take_expander(&self, lanes: &Arc<Lanes>) -> Expander<Arc<Lanes>> {
        let spare = self.spare_expanders().pop();
        spare.unwrap_or_else(|| Expander::new(Arc::clone(lanes)))
    }
}

#[cfg(test)]
mod tests {
    use sakiyomi_core::{Rng, Scratch, each_end_ahead};

    use super::*;
    use crate::Settings;

    /// The states of random matches in which players choose.
    fn states_of_matches(game: &GdlGame, n_matches: usize) -> Vec<State> {
        let (mut states, mut rng) = (Vec::new(), Rng::new(5));
        for _ in 0..n_matches {
            let mut state = game.start();
            while let Turn::Choose(who) = game.turn(&state) {
                states.push(state.clone());
                let joint: Vec<_> = who
                    .map(|player| game.random_action(&state, player, &mut Vec::new(), &mut rng))
                    .collect();
                game.apply(&mut state, &joint);
            }
        }
        states
    }

    /// How many ends there are, after comparing those that are found in lanes with those found one
    /// by one. None if they are not looked for in lanes.
    fn compare(text: &str) -> Option<usize> {
        let settings = Settings { max_plies: 60, ..Settings::default() };
        let game = GdlGame::new(text, &settings).unwrap();
        let states = states_of_matches(&game, 12);
        let [mut each, mut together] = [Vec::new(), Vec::new()];
        assert!(!game.ends_in_lanes(&states, &mut together), "there are no lanes yet");
        game.lanes().unwrap();
        let in_lanes = game.ends_in_lanes(&states, &mut together);
        each_end_ahead(&game, &states, &mut Scratch::default(), &mut each);
        each.sort_unstable_by_key(|end| (end.state, end.action));
        if in_lanes {
            assert_eq!(together, each);
            // Lanes that have been used are used again.
            let mut again = Vec::new();
            assert!(game.ends_in_lanes(&states, &mut again));
            assert_eq!(again, each);
            assert_eq!(game.spare_expanders().len(), 1);
        }
        in_lanes.then_some(each.len())
    }

    #[test]
    fn ends_in_lanes_are_those_found_one_by_one() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files = files.filter(|path| path.extension().is_some_and(|kind| kind == "kif"));
        let own: Vec<String> = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
        let all = crate::tests::sheets::ALL.iter().copied().chain(own.iter().map(String::as_str));
        let found: Vec<usize> = all.filter_map(compare).collect();
        assert!(found.len() > 10 && found.iter().sum::<usize>() > 200, "{found:?}");
    }
}
