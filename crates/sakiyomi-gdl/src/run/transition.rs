//! Plays joint moves: by what was worked out for them if they occur often, or forward (see
//! `forward.rs`). docs/reference/gdl-engine.md has a table of which path runs when.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use crate::run::cases::{Cases, MAX_BYTES};
use crate::run::compiled::Compiled;
use crate::run::live::Live;

/// Transitions that were worked out, shared by all threads. A joint move is worked out when it has
/// occurred a few times; until then, and where the table or its memory is full, what it does is
/// computed at every ply (see `forward.rs`). Nothing is ever removed.
#[derive(Debug)]
pub(crate) struct Cache {
    slots: Vec<OnceLock<Box<Entry>>>,
    /// How often joint moves occurred that are not in the table: part of the key, and the count. A
    /// joint move that has the same place as another one begins again.
    occurrences: Vec<AtomicU32>,
    /// How often a joint move must occur, for the first transitions and for later ones.
    min_occurrences_first: u32,
    min_occurrences: u32,
    n_entries: AtomicUsize,
    /// How many transitions are the first ones.
    n_first: usize,
    /// Bytes of all transitions.
    size: AtomicUsize,
}

#[derive(Debug)]
struct Entry {
    key: u64,
    joint: Box<[u32]>,
    cases: Cases,
    /// The fluents that do not become their default next value.
    exceptions: Box<[u32]>,
    /// How much work it is to compute the joint move forward, on average.
    forward_work: AtomicUsize,
}

impl Entry {
    /// Plays the joint move by what is known of it, or forward if that is less work.
    #[inline]
    fn run(&self, compiled: &Compiled, live: &mut Live, min_occurrences: u32, size: &AtomicUsize) {
        // A step forward costs about twice as much as looking at an input of a formula.
        let mut allowed = self.forward_work.load(Ordering::Relaxed) * 2;
        match self.cases.note(live, min_occurrences, size, &mut allowed) {
            true => live.advance(&compiled.layout, Some(&self.exceptions)),
            false => self.run_forward(compiled, live),
        }
    }

    #[inline(never)]
    fn run_forward(&self, compiled: &Compiled, live: &mut Live) {
        live.clear_notes();
        let work = compiled.forward.run(&compiled.layout, live, &self.joint);
        let average = self.forward_work.load(Ordering::Relaxed);
        self.forward_work.store((average * 7 + work) / 8, Ordering::Relaxed);
    }
}

/// How many slots are tried before the table counts as full.
const MAX_PROBES: usize = 32;
/// A joint move is worked out when it occurs this often: that costs as much as some dozens of
/// plies. Where one role moves at a time the joint moves are about equal in number to the moves, so
/// that many are worked out earlier.
const MIN_OCCURRENCES: u32 = 12;
const MIN_OCCURRENCES_FIRST: u32 = 3;
/// Joint moves whose occurrences are counted.
const MAX_COUNTED: usize = 1 << 16;

impl Cache {
    /// A cache for a game with this many moves. With `eagerly` every joint move is worked out when
    /// it first occurs.
    pub(crate) fn new(n_moves: usize, eagerly: bool) -> Cache {
        let n_slots = (n_moves * 8).next_power_of_two().clamp(1 << 12, 1 << 18);
        let slots = std::iter::repeat_with(OnceLock::new).take(n_slots).collect();
        let occurrences = (0..n_slots.min(MAX_COUNTED)).map(|_| AtomicU32::new(0)).collect();
        Cache {
            slots,
            occurrences,
            min_occurrences_first: if eagerly { 1 } else { MIN_OCCURRENCES_FIRST },
            min_occurrences: if eagerly { 1 } else { MIN_OCCURRENCES },
            n_entries: AtomicUsize::new(0),
            n_first: n_moves,
            size: AtomicUsize::new(0),
        }
    }

    /// Plays a joint move.
    #[inline]
    pub(crate) fn run(&self, compiled: &Compiled, joint: &[u32], live: &mut Live) {
        // For one or two roles the key is the joint move itself, for more it is a hash.
        let key = match *joint {
            [only] => u64::from(only),
            [first, second] => u64::from(first) << 32 | u64::from(second),
            _ => joint.iter().fold(0, |key: u64, &index| {
                (key.rotate_left(5) ^ u64::from(index)).wrapping_mul(FACTOR)
            }),
        };
        let mask = self.slots.len() - 1;
        let home = ((key ^ key >> 32).wrapping_mul(FACTOR) >> 32) as usize;
        for probe in 0..MAX_PROBES {
            let slot = &self.slots[(home + probe) & mask];
            let entry = match slot.get() {
                Some(entry) => entry,
                None if self.is_frequent(key) && self.size.load(Ordering::Relaxed) < MAX_BYTES => {
                    slot.get_or_init(|| self.entry(compiled, key, joint))
                }
                None => break,
            };
            if entry.key == key && (joint.len() <= 2 || *entry.joint == *joint) {
                return entry.run(compiled, live, self.min_occurrences, &self.size);
            }
        }
        compiled.forward.run(&compiled.layout, live, joint);
    }

    /// Counts that a joint move occurs, and says whether it does often.
    fn is_frequent(&self, key: u64) -> bool {
        let hash = (key ^ key >> 29).wrapping_mul(FACTOR);
        let place = &self.occurrences[(hash >> 32) as usize & (self.occurrences.len() - 1)];
        let tag = hash as u32 & !0xff;
        let old = place.load(Ordering::Relaxed);
        let count = if old & !0xff == tag { (old & 0xff) + 1 } else { 1 };
        place.store(tag | count.min(0xff), Ordering::Relaxed);
        let is_first = self.n_entries.load(Ordering::Relaxed) < self.n_first;
        count >= if is_first { self.min_occurrences_first } else { self.min_occurrences }
    }

    fn entry(&self, compiled: &Compiled, key: u64, joint: &[u32]) -> Box<Entry> {
        let (residual, exceptions) = compiled.specialise(joint);
        self.size.fetch_add(residual.bytes(), Ordering::Relaxed);
        self.n_entries.fetch_add(1, Ordering::Relaxed);
        let forward_work = AtomicUsize::new(0);
        let (joint, exceptions) = (joint.into(), exceptions.into());
        Box::new(Entry { key, joint, cases: Cases::new(residual), exceptions, forward_work })
    }
}

const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
