//! The state of one match with everything that is derived from it and kept up to date.

use crate::run::buffers::{Buffers, ForwardBuffers};

/// A literal over live nodes: twice the live number, plus one if it holds while the node's bit is
/// clear. The bit of a fluent is set while it is true, that of a gate while its count is zero.
///
/// Live numbers are the places of [`Live::bits`]: fluents first, then at least one bit that is
/// never set and stands for the constant, then gates from the next word on.
pub(crate) type LiveLit = u32;

/// The state of one match with everything that is derived from it.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// The bit of each live number. Gates that only decide about a move are left out.
    pub(super) bits: Vec<u64>,
    pub(super) n_fact_words: usize,
    pub(super) counts: Vec<u16>,
    /// The moves whose own condition holds, whatever the condition of their group.
    pub(super) possible: Vec<u64>,
    /// How many members of each group are possible.
    pub(super) lengths: Vec<u32>,
    /// The watched fluents that change with the next ply.
    pub(super) pending: Vec<u64>,
    pub(super) phase: u32,
    /// Buffers, of no meaning between calls. `events` holds `n_events` changes that have not been
    /// followed yet: a live number doubled, plus one if its bit is set now.
    pub(super) events: Vec<u32>,
    pub(super) n_events: usize,
    /// Changes that have been followed.
    pub(super) n_followed: u32,
    /// The gates that have changed and have not been followed yet.
    pub(super) changed: Vec<u64>,
    pub(super) dirty: Vec<u32>,
    pub(super) open: Vec<u32>,
    pub(super) buffers: Buffers,
    pub(super) forward: Option<Box<ForwardBuffers>>,
}

impl Clone for Live {
    fn clone(&self) -> Live {
        let mut clone = Live::default();
        clone.clone_from(self);
        clone
    }

    fn clone_from(&mut self, other: &Live) {
        self.bits.clone_from(&other.bits);
        self.n_fact_words = other.n_fact_words;
        self.counts.clone_from(&other.counts);
        self.possible.clone_from(&other.possible);
        self.lengths.clone_from(&other.lengths);
        self.pending.clone_from(&other.pending);
        self.phase = other.phase;
        self.changed.resize(other.changed.len(), 0);
    }
}

impl Live {
    /// The fluents that hold, as bits.
    pub(crate) fn facts(&self) -> &[u64] {
        &self.bits[..self.n_fact_words]
    }

    /// The place in the sequence of phases.
    pub(crate) fn phase(&self) -> usize {
        self.phase as usize
    }

    /// The bytes that a state takes.
    pub(crate) fn bytes(&self) -> usize {
        let words = self.bits.len() + self.possible.len() + self.pending.len();
        8 * words + 2 * self.counts.len() + 4 * self.lengths.len()
    }

    #[inline]
    pub(crate) fn fact(&self, fluent: u32) -> bool {
        self.holds(fluent << 1)
    }

    #[inline]
    pub(crate) fn holds(&self, lit: LiveLit) -> bool {
        let is_set = self.bits[(lit >> 7) as usize] >> (lit >> 1 & 63) & 1;
        is_set != u64::from(lit & 1)
    }

    /// Makes room for this many changes of fluents beyond those that are there.
    #[inline]
    pub(crate) fn reserve_events(&mut self, n: usize) {
        if self.n_events + n > self.events.len() {
            self.events.resize((self.n_events + n) * 2 + 64, 0);
        }
    }

    /// Notes that a fluent will change, if `changes`; without a branch, since that is hard to
    /// predict. There must be room for it.
    #[inline]
    pub(crate) fn note(&mut self, fluent: u32, now: bool, changes: bool) {
        self.events[self.n_events] = fluent << 1 | u32::from(!now);
        self.n_events += usize::from(changes);
    }

    /// How many live nodes have changed since the state was made or cloned.
    pub(crate) fn n_followed(&self) -> u32 {
        self.n_followed
    }

    /// Forgets what was noted.
    pub(crate) fn clear_notes(&mut self) {
        self.n_events = 0;
    }

    #[inline]
    pub(super) fn push_event(&mut self, event: u32) {
        if self.n_events == self.events.len() {
            self.events.resize(self.n_events * 2 + 64, 0);
        }
        self.events[self.n_events] = event;
        self.n_events += 1;
    }
}
