//! Successors of many states at once, for searches that look at all of them. A state is its
//! fluents, packed as bits, 64 to a word.

use crate::lanes::batch::{Batch, NO_GOAL, Over};
use crate::lanes::run::Word;
use crate::lanes::{Lanes, N_LANES};

/// Lanes in which states are looked at that the caller gives, up to 512 at a time.
#[derive(Debug)]
pub(crate) struct Expander<'a> {
    batch: Batch<'a>,
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

impl<'a> Expander<'a> {
    pub(crate) fn new(lanes: &'a Lanes) -> Expander<'a> {
        Expander { batch: Batch::new(lanes), goals: Vec::new() }
    }

    /// Words that a packed state has.
    pub(crate) fn n_words(&self) -> usize {
        self.batch.lanes.n_words()
    }

    /// Looks at states of one phase, at most 512, and appends what it finds.
    pub(crate) fn look(&mut self, phase: usize, states: &[&[u64]], out: &mut Vec<Look>) {
        let Over { terminal, stuck } = self.evaluate(phase, states);
        out.extend((0..states.len()).map(|lane| match (terminal.get(lane), stuck.get(lane)) {
            (true, _) => Look::Terminal,
            (false, true) => Look::Stuck,
            (false, false) => Look::Moves(self.batch.count(0, lane)),
        }));
    }

    /// The goals of the first role in the states that were looked at last, where exactly one holds.
    pub(crate) fn goals(&mut self) -> impl Iterator<Item = Option<u8>> {
        let all = Word([u64::MAX; 8]);
        self.batch.keep(all);
        self.batch.goals(all, &mut self.goals);
        let n_roles = self.batch.lanes.n_roles;
        let first = self.goals.chunks_exact(n_roles).map(|goals| goals[0]);
        first.map(|goal| Some(goal).filter(|&goal| goal != NO_GOAL))
    }

    /// Plays a legal move of the only role in every state, given by its number among them, and
    /// appends the states after them. At most 512, and all in one phase.
    pub(crate) fn follow(
        &mut self,
        phase: usize,
        states: &[&[u64]],
        picks: &[u32],
        out: &mut Vec<u64>,
    ) {
        debug_assert_eq!(self.batch.lanes.n_roles, 1);
        self.evaluate(phase, states);
        for (lane, &pick) in picks.iter().enumerate() {
            self.batch.pick(0, lane, pick);
        }
        self.batch.step();
        self.batch.unload(states.len(), out);
    }

    fn evaluate(&mut self, phase: usize, states: &[&[u64]]) -> Over {
        debug_assert!(states.len() <= N_LANES);
        self.batch.phase = phase % self.batch.lanes.period();
        self.batch.load_each(states);
        self.batch.evaluate()
    }
}
