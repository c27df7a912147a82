//! The search in breadth of a puzzle in lanes: ply by ply, hundreds of states at a time. States are
//! packed facts in one list.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHasher};
use sakiyomi_core::Game;

use crate::game::gdl_game::GdlGame;
use crate::game::puzzle::{PLAYER, Solver};
use crate::game::state::{Move, State};
use crate::lanes::expand::{Expander, Look};
use crate::lanes::{Lanes, N_LANES};

/// All states that were found, level by level.
pub(super) struct Levels<'a> {
    expander: Expander<&'a Lanes>,
    /// Words of a state.
    n_words: usize,
    facts: Vec<u64>,
    /// Each state's parent, and the number of the move that led to it among the legal ones.
    parents: Vec<(u32, u32)>,
    /// States by the hash of their facts, or by the next number that is free.
    seen: FxHashMap<u64, u32>,
    /// States and moves that are to be expanded, and what comes of them.
    jobs: Vec<(u32, u32)>,
    children: Vec<u64>,
}

/// Where a level is: all its states have made the same number of plies.
#[derive(Clone, Copy, Debug)]
struct Ply {
    phase: usize,
    plies: u32,
}

/// The search has come to its end, whether or not it has seen everything.
struct Ended;

impl<'a> Levels<'a> {
    pub(super) fn new(lanes: &'a Lanes) -> Levels<'a> {
        let expander = Expander::new(lanes);
        Levels {
            n_words: expander.n_words(),
            expander,
            facts: Vec::new(),
            parents: Vec::new(),
            seen: FxHashMap::default(),
            jobs: Vec::new(),
            children: Vec::new(),
        }
    }

    /// Looks at up to `max` states from this one on.
    pub(super) fn search(mut self, solver: &mut Solver<'_>, from: &State, max: usize) {
        let Some(start) = from.as_start() else { return };
        self.insert(&start.facts[..self.n_words], (0, 0));
        let mut ply = Ply { phase: start.phase, plies: start.plies };
        let mut level = 0..1;
        while !level.is_empty() {
            let end = level.end;
            if self.expand(solver, from, level, ply, max).is_err() {
                return;
            }
            level = end..self.parents.len();
            ply = Ply { phase: ply.phase + 1, plies: ply.plies + 1 };
        }
        solver.is_complete = true;
    }

    /// Finds the states after those of a level.
    fn expand(
        &mut self,
        solver: &mut Solver<'_>,
        from: &State,
        level: Range<usize>,
        ply: Ply,
        max: usize,
    ) -> Result<(), Ended> {
        let mut looks = Vec::new();
        for first in level.clone().step_by(N_LANES) {
            let block = first..level.end.min(first + N_LANES);
            let states: Vec<&[u64]> = self.facts
                [block.start * self.n_words..block.end * self.n_words]
                .chunks_exact(self.n_words)
                .collect();
            self.expander.load(ply.phase, &states);
            looks.clear();
            looks.extend((0..states.len()).map(|lane| self.expander.look(lane)));
            let is_cut = ply.plies >= solver.game.settings().max_plies;
            if is_cut || looks.iter().any(|look| !matches!(look, Look::Moves(_))) {
                self.note_ends(solver, from, &block, &looks, is_cut)?;
            }
            for (node, look) in block.zip(&looks) {
                if let (Look::Moves(n), false) = (*look, is_cut) {
                    self.jobs.extend((0..n).map(|pick| (node as u32, pick)));
                }
            }
            self.follow(solver, ply, max, N_LANES)?;
        }
        self.follow(solver, ply, max, 1)
    }

    /// Tells the solver what the ends among the states that were looked at pay.
    fn note_ends(
        &mut self,
        solver: &mut Solver<'_>,
        from: &State,
        block: &Range<usize>,
        looks: &[Look],
        is_cut: bool,
    ) -> Result<(), Ended> {
        let parents = &self.parents;
        let goal = self.expander.goals();
        for (lane, (node, look)) in block.clone().zip(looks).enumerate() {
            let missing = match look {
                Look::Terminal => 0.0,
                Look::Moves(_) if !is_cut => continue,
                Look::Stuck | Look::Moves(_) => 0.5,
            };
            let payoff = solver.game.payoffs_of(missing, |role| goal(lane, role))[PLAYER];
            let game = solver.game;
            solver.found(payoff, || line_to(game, from, parents, node));
        }
        if solver.is_done() { Err(Ended) } else { Ok(()) }
    }

    /// Does jobs, hundreds at a time, until fewer than `least` are left.
    fn follow(
        &mut self,
        solver: &mut Solver<'_>,
        ply: Ply,
        max: usize,
        least: usize,
    ) -> Result<(), Ended> {
        let mut done = 0;
        while self.jobs.len() - done >= least {
            let n = solver.meter.several(N_LANES.min(self.jobs.len() - done) as u64) as usize;
            solver.is_spent = n == 0;
            if n == 0 {
                return Err(Ended);
            }
            let n_words = self.n_words;
            let jobs = &self.jobs[done..done + n];
            let state = |&(node, _): &(u32, u32)| &self.facts[node as usize * n_words..][..n_words];
            let states: Vec<&[u64]> = jobs.iter().map(state).collect();
            let picks: Vec<u32> = jobs.iter().map(|job| job.1).collect();
            self.children.clear();
            self.expander.load(ply.phase, &states);
            self.expander.follow(&picks, &mut self.children);
            let children = std::mem::take(&mut self.children);
            for (i, child) in children.chunks_exact(n_words).enumerate() {
                if self.parents.len() >= max {
                    return Err(Ended);
                }
                self.insert(child, self.jobs[done + i]);
            }
            self.children = children;
            done += n;
        }
        self.jobs.drain(..done);
        Ok(())
    }

    /// Adds a state, unless it is there.
    fn insert(&mut self, facts: &[u64], parent: (u32, u32)) {
        let mut hasher = FxHasher::default();
        facts.hash(&mut hasher);
        let mut hash = hasher.finish();
        while let Some(&node) = self.seen.get(&hash) {
            if self.facts[node as usize * self.n_words..][..self.n_words] == *facts {
                return;
            }
            hash = hash.wrapping_add(1);
        }
        self.seen.insert(hash, self.parents.len() as u32);
        self.facts.extend_from_slice(facts);
        self.parents.push(parent);
    }
}

/// The moves that led to a state, where there was a choice.
fn line_to(game: &GdlGame, from: &State, parents: &[(u32, u32)], mut node: usize) -> Vec<Move> {
    let mut picks = Vec::new();
    while node > 0 {
        let (parent, pick) = parents[node];
        picks.push(pick);
        node = parent as usize;
    }
    let (mut line, mut state, mut actions) = (Vec::new(), from.clone(), Vec::new());
    for (plies, pick) in (from.plies()..).zip(picks.into_iter().rev()) {
        // Plies without a choice are played together with the one before.
        if state.plies() == plies {
            actions.clear();
            game.actions(&state, PLAYER, &mut actions);
            line.push(actions[pick as usize]);
            game.apply(&mut state, &[actions[pick as usize]]);
        }
    }
    line
}
