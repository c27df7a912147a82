//! Matches in which moves compete: a role draws a few of its legal moves and makes the one with the
//! highest level, the first of them if several have it. Levels are the caller's, one for each move
//! of the game and the same in all lanes, so a level of the drawn moves is five words: bit by bit
//! the Or of the moves that have it.
//!
//! Which moves a match makes is noted as one bit per move and lane, so counting how often a move led
//! to which goal is one count of bits per move and goal.

use std::ops::Deref;

use multiversion::multiversion;

use crate::lanes::batch::{Batch, NO_GOAL};
use crate::lanes::code::Output;
use crate::lanes::run::Word;
use crate::lanes::{Lanes, WIDTH};

/// Bits of a level.
const LEVEL_BITS: usize = 5;

/// Levels are below this.
pub(crate) const N_LEVELS: usize = 1 << LEVEL_BITS;

/// How moves compete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tournament<'a> {
    /// Moves that a role draws at a ply, at least one.
    pub(crate) draws: u32,
    /// By move.
    pub(crate) levels: &'a [u8],
}

/// By move: in how many matches it was made, and what these paid together, in hundredths.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tally {
    pub(crate) matches: Vec<u32>,
    pub(crate) hundredths: Vec<u64>,
}

impl Tally {
    pub(crate) fn new(n_moves: usize) -> Tally {
        Tally { matches: vec![0; n_moves], hundredths: vec![0; n_moves] }
    }

    pub(crate) fn add(&mut self, index: usize, matches: u32, hundredths: u64) {
        self.matches[index] += matches;
        self.hundredths[index] += hundredths;
    }
}

/// The matches that are in the lanes now.
pub(super) struct Competing<'a, const W: usize = WIDTH> {
    tournament: Tournament<'a>,
    /// What a goal pays in hundredths, and what there is where the rules grant none.
    worth: &'a dyn Fn(Option<u8>, bool) -> u8,
    tally: &'a mut Tally,
    /// By move, in which lanes it was made.
    made: Vec<Word<W>>,
    /// Per role in which lanes it has a choice at this ply.
    choosing: Vec<Word<W>>,
    /// Per role the highest levels so far, and the numbers of the moves that have them.
    best: Vec<([Word<W>; LEVEL_BITS], Vec<Word<W>>)>,
}

impl<'a, const W: usize> Competing<'a, W> {
    pub(super) fn new(
        tournament: Tournament<'a>,
        lanes: &Lanes,
        worth: &'a dyn Fn(Option<u8>, bool) -> u8,
        tally: &'a mut Tally,
    ) -> Competing<'a, W> {
        let made = vec![Word::ZERO; tournament.levels.len()];
        let best = vec![([Word::ZERO; LEVEL_BITS], Vec::new()); lanes.n_roles];
        let choosing = vec![Word::ZERO; lanes.n_roles];
        Competing { tournament, worth, tally, made, choosing, best }
    }

    /// Draws the moves of all roles and makes the best ones; those of `active` lanes are noted.
    pub(super) fn ply<L: Deref<Target = Lanes>>(
        &mut self,
        batch: &mut Batch<L, W>,
        active: Word<W>,
    ) {
        // Counts are known before moves are found, not after.
        for (role, choosing) in self.choosing.iter_mut().enumerate() {
            *choosing = batch.has_choice(role);
        }
        for again in 0..self.tournament.draws {
            batch.draw(again.into());
            if self.tournament.draws > 1 {
                batch.find_moves();
                self.compare(batch, again == 0);
            }
        }
        if self.tournament.draws > 1 {
            for (role, (_, numbers)) in self.best.iter().enumerate() {
                batch.numbers(role).copy_from_slice(numbers);
            }
        }
        batch.find_moves();
        for (role, does) in batch.lanes.phases[batch.phase].does.iter().enumerate() {
            // A move that is the only one says nothing.
            let lanes = active.map2(self.choosing[role], |active, choosing| active & choosing);
            note(does, batch.words(), lanes, &mut self.made);
        }
        batch.make_moves();
    }

    /// Compares the moves that were drawn last with the best so far.
    fn compare<L: Deref<Target = Lanes>>(&mut self, batch: &mut Batch<L, W>, is_first: bool) {
        for (role, (best, numbers)) in self.best.iter_mut().enumerate() {
            let mut levels = [Word::ZERO; LEVEL_BITS];
            let does = &batch.lanes.phases[batch.phase].does[role];
            find_levels(does, self.tournament.levels, batch.words(), &mut levels);
            let own = batch.numbers(role);
            if is_first {
                *best = levels;
                numbers.clear();
                numbers.extend_from_slice(own);
                continue;
            }
            let is_higher = higher(&levels, best);
            let choose = |new: Word<W>, old: Word<W>| {
                let changed = new.map2(old, |new, old| new ^ old);
                let changed = changed.map2(is_higher, |changed, higher| changed & higher);
                old.map2(changed, |old, changed| old ^ changed)
            };
            for (best, &level) in best.iter_mut().zip(&levels) {
                *best = choose(level, *best);
            }
            for (number, &own) in numbers.iter_mut().zip(&*own) {
                *number = choose(own, *number);
            }
        }
    }

    /// Adds what the moves of lanes led to that have ended, and forgets these moves. `goals` has one
    /// value per lane and role.
    pub(super) fn count(&mut self, lanes: &Lanes, ended: Word<W>, terminal: Word<W>, goals: &[u8]) {
        for (role, moves) in lanes.competing.iter().enumerate() {
            let mut groups: Vec<(u8, Word<W>)> = Vec::new();
            for lane in ended.lanes() {
                let goal = Some(goals[lane * lanes.n_roles + role]).filter(|&goal| goal != NO_GOAL);
                let worth = (self.worth)(goal, terminal.get(lane));
                let at = groups.iter().position(|group| group.0 == worth).unwrap_or_else(|| {
                    groups.push((worth, Word::ZERO));
                    groups.len() - 1
                });
                groups[at].1.set(lane, true);
            }
            for &index in moves {
                let made = &mut self.made[index as usize];
                for &(worth, own) in &groups {
                    let n = made.map2(own, |made, own| made & own);
                    let n: u32 = n.0.iter().map(|word| word.count_ones()).sum();
                    self.tally.add(index as usize, n, u64::from(n) * u64::from(worth));
                }
                *made = made.map2(ended, |made, ended| made & !ended);
            }
        }
    }
}

/// The lanes in which the first number is the higher one; both lowest bit first.
fn higher<const W: usize>(a: &[Word<W>], b: &[Word<W>]) -> Word<W> {
    let mut is_higher = Word::ZERO;
    for (&a, &b) in a.iter().zip(b) {
        let differ = a.map2(b, |a, b| a ^ b);
        let kept = is_higher.map2(differ, |higher, differ| higher & !differ);
        let new = a.map2(differ, |a, differ| a & differ);
        is_higher = kept.map2(new, |kept, new| kept | new);
    }
    is_higher
}

/// The levels of the moves that are made, bit by bit.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2",
    "x86_64+avx2+bmi1+bmi2",
))]
fn find_levels<const W: usize>(
    does: &[(u32, Output)],
    levels: &[u8],
    words: &[Word<W>],
    found: &mut [Word<W>; LEVEL_BITS],
) {
    let mut at = 0;
    while at < does.len() {
        let (index, output) = does[at];
        let word = &words[output.slot as usize];
        let sign = 0u64.wrapping_sub(output.is_negated as u64);
        let level = levels[index as usize] as u64;
        let mut bit = 0;
        while bit < LEVEL_BITS {
            let mask = 0u64.wrapping_sub(level >> bit & 1);
            let mut i = 0;
            while i < W {
                found[bit].0[i] |= (word.0[i] ^ sign) & mask;
                i += 1;
            }
            bit += 1;
        }
        at += 1;
    }
}

/// Notes the moves that are made in these lanes.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2",
    "x86_64+avx2+bmi1+bmi2",
))]
fn note<const W: usize>(
    does: &[(u32, Output)],
    words: &[Word<W>],
    lanes: Word<W>,
    made: &mut [Word<W>],
) {
    let mut at = 0;
    while at < does.len() {
        let (index, output) = does[at];
        let word = &words[output.slot as usize];
        let sign = 0u64.wrapping_sub(output.is_negated as u64);
        let made = &mut made[index as usize];
        let mut i = 0;
        while i < W {
            made.0[i] |= (word.0[i] ^ sign) & lanes.0[i];
            i += 1;
        }
        at += 1;
    }
}
