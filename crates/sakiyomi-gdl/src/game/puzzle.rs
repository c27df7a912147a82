//! Solves games of one player without chance, as far as a budget allows.
//!
//! Two searches take turns, each with more states every time, and a third one goes on when they
//! have ended; the best line that any of them finds is kept:
//!
//! 1. Breadth first over exact states, which is complete where there are few of them. After the
//!    first turn of a few states, hundreds of them are expanded at a time, in lanes.
//! 2. Depth first by subgoals. The facts that the best goal asks for are read off the network; of
//!    those that are not there yet the one that the fewest moves bring about is next, and only
//!    these moves are tried. Moves are taken as a set, as if they commuted: a move is played once
//!    in a line, and a move that failed is not tried again beside its alternatives. This fills in
//!    grids and switches lights; where order matters it may miss a solution, but finds none that is
//!    wrong.
//! 3. Random playouts.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use sakiyomi_core::{Budget, Game, Meter, Player, Rng, Stop, Turn};

use crate::game::gdl_game::GdlGame;
use crate::game::puzzle_levels::Levels;
use crate::game::state::{Move, State};
use crate::network::gates::{Kind, Lit, is_negated, node_of};
use crate::network::graph::Network;

/// A line of moves to an end of the game.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// The moves of the player from state to state, where there is a choice.
    pub line: Vec<Move>,
    pub payoff: f64,
    /// Whether no line is better.
    pub is_best: bool,
}

/// Looks for the best line of a game from a state. Nothing if the game has several players or
/// chance, or no end was found. The budget counts states.
pub fn solve(
    game: &GdlGame,
    from: &State,
    budget: &Budget,
    stop: &Stop,
    rng: &mut Rng,
) -> Option<Solved> {
    if game.players() != 1 || game.random_role().is_some() {
        return None;
    }
    let mut solver = Solver {
        game,
        meter: budget.begin(stop),
        max_payoff: best_payoff(game),
        best: None,
        is_complete: false,
        left: 0,
        is_spent: false,
    };
    let max = max_states(from, (budget.memory / 2) as usize);
    let (mut states, mut has_subgoals) = (FIRST_STATES, true);
    while !solver.is_over() && (states < max || has_subgoals) {
        if states < max {
            // A few states are not worth making lanes.
            let lanes = if states > FIRST_STATES { solver.lanes(from) } else { None };
            match lanes {
                Some(lanes) => lanes.search(&mut solver, from, states),
                None => solver.breadth_first(from, states),
            }
        }
        if !solver.is_over() && has_subgoals {
            solver.left = states;
            has_subgoals = !solver.by_subgoals(from);
        }
        states = states.saturating_mul(GROWTH);
    }
    while !solver.is_over() {
        solver.playout(from, rng);
    }
    let is_best = solver.is_done();
    solver.best.map(|(payoff, line)| Solved { line, payoff, is_best })
}

/// The largest payoff that the rules mention.
fn best_payoff(game: &GdlGame) -> f64 {
    let Some(compiled) = game.engine().compiled() else { return 1.0 };
    let values = compiled.network.goals.iter().flatten().map(|&(value, _)| value);
    values.max().map_or(1.0, |value| f64::from(value) / 100.0)
}

pub(super) struct Solver<'a> {
    pub(super) game: &'a GdlGame,
    pub(super) meter: Meter<'a>,
    /// The best payoff that there can be.
    max_payoff: f64,
    best: Option<(f64, Vec<Move>)>,
    /// Whether every state was seen.
    pub(super) is_complete: bool,
    /// States that the search by subgoals may still look at.
    left: usize,
    /// Whether the budget is spent.
    pub(super) is_spent: bool,
}

pub(super) const PLAYER: Player = Player(0);
/// States that the search in breadth keeps at most, beside the limit of memory.
const MAX_STATES: usize = 400_000;
/// States of the first turn of both searches, and how many times more the next turn has.
const FIRST_STATES: usize = 5_000;
const GROWTH: usize = 8;
/// Moves in a line that is found by subgoals.
const MAX_DEPTH: usize = 400;

/// The states that the search in breadth may keep in this many bytes.
fn max_states(from: &State, bytes: usize) -> usize {
    let key_bytes = 8 * from.position.key().len() + 64;
    MAX_STATES.min(bytes / (key_bytes + from.bytes()))
}

impl<'a> Solver<'a> {
    /// The search in breadth in lanes, where the game has them.
    fn lanes(&self, from: &State) -> Option<Levels<'a>> {
        let lanes = self.game.lanes().ok()?;
        from.chosen.is_none().then(|| Levels::new(lanes))
    }

    /// Whether nothing better can be found, or the budget is spent.
    fn is_over(&self) -> bool {
        self.is_spent || self.is_done()
    }

    /// Whether the budget allows for one more state.
    fn another(&mut self) -> bool {
        self.is_spent = self.is_spent || !self.meter.another();
        !self.is_spent
    }

    pub(super) fn is_done(&self) -> bool {
        self.is_complete || self.best.as_ref().is_some_and(|(payoff, _)| *payoff >= self.max_payoff)
    }

    pub(super) fn found(&mut self, payoff: f64, line: impl FnOnce() -> Vec<Move>) {
        if self.best.as_ref().is_none_or(|(best, _)| payoff > *best) {
            self.best = Some((payoff, line()));
        }
    }

    /// Looks at up to this many states in breadth.
    fn breadth_first(&mut self, from: &State, max: usize) {
        let mut seen: FxHashSet<Box<[u64]>> = FxHashSet::default();
        // Every state's parent and the move that led to it.
        let mut nodes: Vec<(usize, Option<Move>)> = vec![(0, None)];
        let mut open: VecDeque<(usize, State)> = VecDeque::from([(0, from.clone())]);
        let mut actions = Vec::new();
        while let Some((node, state)) = open.pop_front() {
            if let Turn::Over(payoffs) = self.game.turn(&state) {
                self.found(payoffs[PLAYER], || line_to(node, &nodes));
                if self.is_done() {
                    return;
                }
                continue;
            }
            actions.clear();
            self.game.actions(&state, PLAYER, &mut actions);
            for &action in &actions {
                if !self.another() || nodes.len() >= max {
                    return;
                }
                let mut child = state.clone();
                self.game.apply(&mut child, &[action]);
                if seen.insert(child.position.key().into()) {
                    nodes.push((node, Some(action)));
                    open.push_back((nodes.len() - 1, child));
                }
            }
        }
        self.is_complete = true;
    }

    /// Whether it has come to its end, and need not be tried again.
    fn by_subgoals(&mut self, from: &State) -> bool {
        let Some(compiled) = self.game.engine().compiled() else { return true };
        let subgoals = subgoals(&compiled.network);
        if subgoals.is_empty() {
            return true;
        }
        let mut excluded = vec![0; compiled.network.moves.len()];
        self.descend(from, &subgoals, &mut excluded, &mut Vec::new())
    }

    /// Tries the moves that bring about the subgoal that the fewest moves do. False ends it all.
    fn descend(
        &mut self,
        state: &State,
        subgoals: &[(u32, bool)],
        excluded: &mut [u32],
        line: &mut Vec<Move>,
    ) -> bool {
        if let Turn::Over(payoffs) = self.game.turn(state) {
            self.found(payoffs[PLAYER], || line.clone());
            return !self.is_done();
        }
        let missing: Vec<(u32, bool)> = (subgoals.iter().copied())
            .filter(|&(fluent, value)| state.fact(fluent) != value)
            .collect();
        let mut actions = Vec::new();
        self.game.actions(state, PLAYER, &mut actions);
        actions.retain(|action| excluded[action.0 as usize] == 0);
        let mut achievers: Vec<Vec<usize>> = vec![Vec::new(); missing.len()];
        let mut children = Vec::with_capacity(actions.len());
        for (i, &action) in actions.iter().enumerate() {
            if self.left == 0 || !self.another() {
                return false;
            }
            self.left -= 1;
            let mut child = state.clone();
            self.game.apply(&mut child, &[action]);
            for (achievers, &(fluent, value)) in achievers.iter_mut().zip(&missing) {
                if child.fact(fluent) == value {
                    achievers.push(i);
                }
            }
            children.push(child);
        }
        let all = || (0..actions.len()).collect();
        let chosen: Vec<usize> = achievers.into_iter().min_by_key(Vec::len).unwrap_or_else(all);
        if line.len() >= MAX_DEPTH {
            return true;
        }
        let mut goes_on = true;
        for &i in &chosen {
            // Excluded below, where it has been played, and beside, where it has failed.
            excluded[actions[i].0 as usize] += 1;
            line.push(actions[i]);
            goes_on = goes_on && self.descend(&children[i], subgoals, excluded, line);
            line.pop();
        }
        for &i in &chosen {
            excluded[actions[i].0 as usize] -= 1;
        }
        goes_on
    }

    fn playout(&mut self, from: &State, rng: &mut Rng) {
        if !self.another() {
            return;
        }
        let mut state = from.clone();
        let (mut line, mut actions) = (Vec::new(), Vec::new());
        loop {
            if let Turn::Over(payoffs) = self.game.turn(&state) {
                return self.found(payoffs[PLAYER], || line);
            }
            let action = self.game.random_action(&state, PLAYER, &mut actions, rng);
            line.push(action);
            self.game.apply(&mut state, &[action]);
        }
    }
}

/// The fluents that the best goal asks for, and the values that they must have.
fn subgoals(network: &Network) -> Vec<(u32, bool)> {
    let best = network.goals.iter().flatten().max_by_key(|&&(value, _)| value);
    let mut open: Vec<Lit> = best.map(|&(_, lit)| lit).into_iter().collect();
    let mut subgoals = Vec::new();
    while let Some(lit) = open.pop() {
        let node = node_of(lit);
        match (network.gates.kind(node), is_negated(lit)) {
            (Kind::Fluent, negated) => subgoals.push((node as u32 - 1, !negated)),
            (Kind::And, false) => open.extend(network.gates.inputs(node)),
            (Kind::Or, true) => {
                open.extend(network.gates.inputs(node).iter().map(|&input| input ^ 1));
            }
            _ => {}
        }
    }
    subgoals.sort_unstable();
    subgoals.dedup();
    subgoals
}

/// The moves that led to a state.
fn line_to(mut node: usize, nodes: &[(usize, Option<Move>)]) -> Vec<Move> {
    let mut line = Vec::new();
    while let (parent, Some(action)) = nodes[node] {
        line.push(action);
        node = parent;
    }
    line.reverse();
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    fn solved(text: &str, states: u64) -> (GdlGame, Option<Solved>) {
        solved_within(text, &Budget::iterations(states))
    }

    fn solved_within(text: &str, budget: &Budget) -> (GdlGame, Option<Solved>) {
        let game = GdlGame::new(text, &Settings::default()).unwrap();
        let solved = solve(&game, &game.start(), budget, &Stop::new(), &mut Rng::new(1));
        if let Some(solved) = &solved {
            // A line leads to the payoff that it claims.
            let mut state = game.start();
            solved.line.iter().for_each(|&action| game.apply(&mut state, &[action]));
            let Turn::Over(payoffs) = game.turn(&state) else { panic!("the line does not end") };
            assert_eq!(payoffs[PLAYER], solved.payoff);
        }
        (game, solved)
    }

    #[test]
    fn a_small_puzzle_is_solved_in_breadth() {
        let (_, solved) = solved(crate::tests::sheets::PUZZLE, 10_000);
        let solved = solved.unwrap();
        assert!(solved.is_best && solved.payoff == 1.0, "{solved:?}");
    }

    /// In lanes the same states are found as one at a time: all of them, and the same best payoff.
    #[test]
    fn breadth_in_lanes_finds_what_breadth_one_at_a_time_finds() {
        let mut n_compared = 0;
        for text in [crate::tests::sheets::PUZZLE, lights(7).as_str(), lights(10).as_str()] {
            let game = GdlGame::new(text, &Settings::default()).unwrap();
            // From the start, and from after some moves.
            let (mut from, mut rng) = (game.start(), Rng::new(1));
            for _ in 0..3 {
                let Turn::Choose(_) = game.turn(&from) else { break };
                let stop = Stop::new();
                let budget = Budget::iterations(10_000_000);
                let solver = || Solver {
                    game: &game,
                    meter: budget.begin(&stop),
                    // More than any line pays, so that all states are seen.
                    max_payoff: 2.0,
                    best: None,
                    is_complete: false,
                    left: 0,
                    is_spent: false,
                };
                let (mut single, mut many) = (solver(), solver());
                single.breadth_first(&from, usize::MAX);
                many.lanes(&from).unwrap().search(&mut many, &from, usize::MAX);
                assert!(single.is_complete && many.is_complete);
                let (best, in_lanes) = (single.best.unwrap(), many.best.unwrap());
                assert_eq!(best.0, in_lanes.0);
                let mut state = from.clone();
                in_lanes.1.iter().for_each(|&action| game.apply(&mut state, &[action]));
                let Turn::Over(payoffs) = game.turn(&state) else { panic!("no end") };
                assert_eq!(payoffs[PLAYER], best.0);
                n_compared += 1;
                let action = game.random_action(&from, PLAYER, &mut Vec::new(), &mut rng);
                game.apply(&mut from, &[action]);
            }
        }
        assert!(n_compared > 6, "{n_compared}");
    }

    #[test]
    fn games_of_several_players_or_chance_are_left_alone() {
        for text in
            [crate::tests::sheets::LINES, crate::tests::sheets::DICE, crate::tests::sheets::AT_ONCE]
        {
            assert_eq!(solved(text, 1_000).1, None);
        }
    }

    /// A row of lights, each of which switches itself and its neighbours.
    fn lights(n: usize) -> String {
        let cells: String = (1..=n)
            .map(|i| format!("(cell {i}) (init (on {i})) (next_to {i} {}) ", i + 1))
            .collect();
        let steps: String = (0..=n).map(|i| format!("(succ {i} {}) ", i + 1)).collect();
        format!(
            "(role a) (init (step 0)) {cells} {steps}
             (<= (legal a (press ?x)) (cell ?x))
             (<= (hit ?x) (does a (press ?x)))
             (<= (hit ?x) (does a (press ?y)) (next_to ?x ?y))
             (<= (hit ?x) (does a (press ?y)) (next_to ?y ?x))
             (<= (next (on ?x)) (true (on ?x)) (not (hit ?x)))
             (<= (next (on ?x)) (cell ?x) (hit ?x) (not (true (on ?x))))
             (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
             (<= burning (true (on ?x)) (cell ?x))
             (<= terminal (not burning)) (<= terminal (true (step {n})))
             (<= (goal a 100) (not burning)) (<= (goal a 0) burning)"
        )
    }

    #[test]
    fn lights_are_switched_by_subgoals() {
        // Far too many states for the search in breadth, which has little memory here.
        let budget = Budget { memory: 1_000_000, ..Budget::iterations(400_000) };
        let (_, solved) = solved_within(&lights(24), &budget);
        assert_eq!(solved.unwrap().payoff, 1.0);
    }

    #[test]
    fn public_puzzles_are_solved() {
        let Some(shared) = crate::tests::shared::shared_data("public_puzzles_are_solved") else {
            return;
        };
        for name in ["hanoi_6_disks", "lightsOut", "sudokuGrade3", "sudokuGrade5"] {
            let text =
                std::fs::read_to_string(shared.join(format!("data/kif/{name}.kif"))).unwrap();
            let (_, solved) = solved(&text, 20_000_000);
            assert_eq!(solved.map(|solved| solved.payoff), Some(1.0), "{name}");
        }
    }
}
