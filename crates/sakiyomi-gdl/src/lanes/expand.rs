//! Successors of many states at once, for searches that look at all of them. A state is its
//! fluents, packed as bits, 64 to a word.

use std::ops::Deref;

use crate::lanes::batch::{Batch, NO_GOAL, Over};
use crate::lanes::run::Word;
use crate::lanes::{Lanes, N_LANES};

/// Lanes in which states are looked at that the caller gives, up to 512 at a time.
#[derive(Debug)]
pub(crate) struct Expander<L> {
    batch: Batch<L>,
    /// What is known of the states that are in the lanes.
    over: Over,
    goals: Vec<u8>,
}

/// What is known of a state that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// It is over by the rules.
    Terminal,
    /// Some role has no legal move.
    Stuck,
    /// The number of legal moves of the first role.
    Moves(u32),
}

impl<L: Deref<Target = Lanes>> Expander<L> {
    pub(crate) fn new(lanes: L) -> Expander<L> {
        let over = Over { terminal: Word::ZERO, stuck: Word::ZERO };
        Expander { batch: Batch::new(lanes), over, goals: Vec::new() }
    }

    /// Words that a packed state has.
    pub(crate) fn n_words(&self) -> usize {
        self.batch.lanes.n_words()
    }

    /// How many phases there are.
    pub(crate) fn period(&self) -> usize {
        self.batch.lanes.period()
    }

    /// Puts states of one phase into the lanes, at most 512.
    pub(crate) fn load(&mut self, phase: usize, states: &[&[u64]]) {
        debug_assert!(states.len() <= N_LANES);
        self.batch.phase = phase % self.batch.lanes.period();
        self.batch.load_each(states);
        self.evaluate();
    }

    /// What the state in a lane is.
    pub(crate) fn look(&self, lane: usize) -> Look {
        match (self.over.terminal.get(lane), self.over.stuck.get(lane)) {
            (true, _) => Look::Terminal,
            (false, true) => Look::Stuck,
            (false, false) => Look::Moves(self.batch.count(0, lane)),
        }
    }

    /// Appends for the states in the first lanes, `n` of them, which moves of a role are legal, as
    /// bits by the order of its moves. False, and nothing, if the role has no choice in this phase.
    pub(crate) fn legal(&self, role: usize, n: usize, out: &mut Vec<u64>) -> bool {
        self.batch.unload_legal(role, n, out)
    }

    /// The goals in the states that are in the lanes, one value for every role where exactly one
    /// holds.
    pub(crate) fn goals(&mut self) -> impl Fn(usize, usize) -> Option<u8> {
        self.batch.keep(Word::ALL);
        self.batch.goals(Word::ALL, &mut self.goals);
        let (n_roles, goals) = (self.batch.lanes.n_roles, &self.goals);
        move |lane, role| Some(goals[lane * n_roles + role]).filter(|&goal| goal != NO_GOAL)
    }

    /// Plays one legal move of every role in every state, given by its number among them, role by
    /// role, and appends the states after them. To look at these, [`Expander::evaluate`] comes first.
    pub(crate) fn follow(&mut self, picks: &[u32], out: &mut Vec<u64>) {
        self.play(picks);
        self.batch.unload(picks.len() / self.batch.lanes.n_roles, out);
    }

    /// The same, and the states after them stay in the lanes alone.
    pub(crate) fn play(&mut self, picks: &[u32]) {
        let n_roles = self.batch.lanes.n_roles;
        for (lane, picks) in picks.chunks_exact(n_roles).enumerate() {
            for (role, &pick) in picks.iter().enumerate() {
                self.batch.pick(role, lane, pick);
            }
        }
        self.batch.step();
    }

    /// Whether some role has several legal moves in a lane.
    pub(crate) fn has_choice(&self, lane: usize) -> bool {
        (0..self.batch.lanes.n_roles).any(|role| self.batch.has_choice(role).get(lane))
    }

    /// Finds out what is known of the states that are in the lanes.
    pub(crate) fn evaluate(&mut self) {
        self.over = self.batch.evaluate();
    }
}
