//! The lanes: their states, one bit of all of them per word, and what is computed from them.

use std::ops::Deref;

use crate::lanes::code::Output;
use crate::lanes::draw::draw;
use crate::lanes::run::{Word, copy_lanes, execute, fill_lanes};
use crate::lanes::{Lanes, WIDTH};
use crate::run::draw::{AGAIN, STEP};

/// Where no goal or more than one holds.
pub(super) const NO_GOAL: u8 = u8::MAX;

/// From this many lanes on a state is written to all of them at once.
const MIN_TOGETHER: usize = 6;

#[derive(Debug)]
pub(super) struct Batch<L, const W: usize = WIDTH> {
    pub(super) lanes: L,
    words: Vec<Word<W>>,
    /// The states of lanes that have ended, for the goals, with what is computed of these.
    ended: Vec<Word<W>>,
    /// The phase that all lanes are in.
    pub(super) phase: usize,
    /// How often the lanes have made a step, and the keys of their matches less what that adds.
    pub(super) n_steps: u64,
    keys: Box<[Word<W>; 64]>,
}

/// The lanes whose match is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Over<const W: usize = WIDTH> {
    /// By the rules.
    pub(super) terminal: Word<W>,
    /// Some role has no legal move.
    pub(super) stuck: Word<W>,
}

impl<L: Deref<Target = Lanes>, const W: usize> Batch<L, W> {
    pub(super) fn new(lanes: L) -> Batch<L, W> {
        Batch {
            words: vec![Word::ZERO; lanes.n_slots],
            ended: vec![Word::ZERO; lanes.goals.code.n_slots],
            lanes,
            phase: 0,
            n_steps: 0,
            keys: Box::new([Word::ZERO; 64]),
        }
    }

    /// Puts a state into lanes; it must be in the phase that the lanes are in.
    pub(super) fn load(&mut self, lanes: Word<W>, facts: &[u64]) {
        let n = lanes.0.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let fluents = &mut self.words[1..=self.lanes.n_fluents];
        let holds = |fluent: usize| facts[fluent / 64] >> (fluent % 64) & 1 == 1;
        if n >= MIN_TOGETHER {
            return fill_lanes(facts, lanes, fluents);
        }
        for lane in lanes.lanes() {
            let (i, bit) = (lane / 64, lane % 64);
            for (fluent, word) in fluents.iter_mut().enumerate() {
                let value = u64::from(holds(fluent)) << bit;
                word.0[i] = word.0[i] & !(1 << bit) | value;
            }
        }
    }

    /// Puts one state into each of the first lanes.
    pub(super) fn load_each(&mut self, states: &[&[u64]]) {
        let fluents = &mut self.words[1..=self.lanes.n_fluents];
        for (i, states) in states.chunks(64).enumerate() {
            for (at, fluents) in fluents.chunks_mut(64).enumerate() {
                let mut block = [0; 64];
                for (row, state) in block.iter_mut().zip(states) {
                    *row = state[at];
                }
                transpose(&mut block);
                for (word, &row) in fluents.iter_mut().zip(&block) {
                    word.0[i] = row;
                }
            }
        }
    }

    /// Appends the states of the first lanes, `n` of them, one after the other.
    pub(super) fn unload(&self, n: usize, out: &mut Vec<u64>) {
        let (first, n_words) = (out.len(), self.lanes.n_words());
        pack(self.lanes.n_fluents, n, |fluent, i| self.words[1 + fluent].0[i], out);
        for &(fluent, value) in &self.lanes.phases[self.phase].fixed {
            let (at, bit) = (fluent as usize / 64, 1 << (fluent % 64));
            for state in out[first..].chunks_exact_mut(n_words) {
                state[at] = if value { state[at] | bit } else { state[at] & !bit };
            }
        }
    }

    /// Appends which moves of a role are legal in the first lanes, `n` of them, in the same form.
    /// Nothing is appended if the role has no choice in this phase.
    pub(super) fn unload_legal(&self, role: usize, n: usize, out: &mut Vec<u64>) -> bool {
        let phase = &self.lanes.phases[self.phase];
        let has_choice = !phase.roles[role].draws.is_empty();
        if has_choice {
            let bits = |index: usize, i: usize| {
                let Output { slot, is_negated } = phase.legal[role][index];
                self.words[slot as usize].0[i] ^ 0u64.wrapping_sub(u64::from(is_negated))
            };
            pack(phase.legal[role].len(), n, bits, out);
        }
        has_choice
    }

    /// Gives a lane the key of its match, which is at this ply now.
    pub(super) fn set_key(&mut self, lane: usize, key: u64, ply: u32) {
        let steps = u64::from(ply).wrapping_sub(self.n_steps);
        let turns = steps.wrapping_mul(self.lanes.n_roles as u64);
        self.keys[lane % 64].0[lane / 64] = key.wrapping_add(turns.wrapping_mul(STEP));
    }

    /// Computes what is known of all states before moves are chosen.
    pub(super) fn evaluate(&mut self) -> Over<W> {
        let code = &self.lanes.phases[self.phase].code;
        code.first.iter().for_each(|segment| execute(segment, &mut self.words));
        let [terminal, stuck] = [0, 1].map(|i| self.read(code.outputs[i]));
        Over { terminal, stuck }
    }

    fn read(&self, output: Output) -> Word<W> {
        self.words[output.slot as usize].inverted_if(output.is_negated)
    }

    /// Draws a move of every role in every lane; `again` counts the draws before this one at the same
    /// ply.
    pub(super) fn draw(&mut self, again: u64) {
        let phase = &self.lanes.phases[self.phase];
        let n_roles = self.lanes.n_roles as u64;
        for (role, own) in phase.roles.iter().enumerate().filter(|(_, own)| !own.draws.is_empty()) {
            // A role has fewer than 2^32 moves.
            let mut counts = [Word::<W>::ZERO; 32];
            for (count, &output) in counts.iter_mut().zip(&phase.code.outputs[own.count.clone()]) {
                *count = self.read(output);
            }
            let turn = self.n_steps.wrapping_mul(n_roles).wrapping_add(role as u64);
            let turn = turn.wrapping_add(again.wrapping_mul(AGAIN));
            let numbers = &mut self.words[own.draws.clone()];
            draw(&counts[..own.count.len()], numbers, &self.keys, turn);
        }
    }

    /// The lanes in which a role has several legal moves.
    pub(super) fn has_choice(&self, role: usize) -> Word<W> {
        let phase = &self.lanes.phases[self.phase];
        let count = &phase.code.outputs[phase.roles[role].count.clone()];
        let bits = count.iter().skip(1).map(|&output| self.read(output));
        bits.fold(Word::ZERO, |some, bit| some.map2(bit, |some, bit| some | bit))
    }

    /// How many legal moves a role has in a lane.
    pub(super) fn count(&self, role: usize, lane: usize) -> u32 {
        let phase = &self.lanes.phases[self.phase];
        let bits = phase.code.outputs[phase.roles[role].count.clone()].iter().rev();
        bits.fold(0, |n, &output| n << 1 | u32::from(self.read(output).get(lane)))
    }

    /// Chooses the legal move of a role in a lane by its number among them.
    pub(super) fn pick(&mut self, role: usize, lane: usize, number: u32) {
        let draws = self.lanes.phases[self.phase].roles[role].draws.clone();
        for (bit, word) in self.words[draws].iter_mut().enumerate() {
            word.set(lane, number >> bit & 1 == 1);
        }
    }

    /// Finds the moves by the numbers that are drawn, without making them, where picks are repeated.
    pub(super) fn find_moves(&mut self) {
        let code = &self.lanes.phases[self.phase].code;
        code.pick.iter().for_each(|segment| execute(segment, &mut self.words));
    }

    /// What the matches drew last for a role, lowest bit first.
    pub(super) fn numbers(&mut self, role: usize) -> &mut [Word<W>] {
        &mut self.words[self.lanes.phases[self.phase].roles[role].draws.clone()]
    }

    /// All values, by slot.
    pub(super) fn words(&self) -> &[Word<W>] {
        &self.words
    }

    /// Makes the moves that were chosen.
    pub(super) fn step(&mut self) {
        self.find_moves();
        self.make_moves();
    }

    /// Makes the moves that were found last.
    pub(super) fn make_moves(&mut self) {
        let code = &self.lanes.phases[self.phase].code;
        code.second.iter().for_each(|segment| execute(segment, &mut self.words));
        self.skip();
    }

    /// Goes on to the next phase although no lane plays.
    pub(super) fn skip(&mut self) {
        self.phase = if self.phase + 1 < self.lanes.period() { self.phase + 1 } else { 0 };
        self.n_steps += 1;
    }

    /// The fluents that hold in a lane.
    #[cfg(test)]
    pub(super) fn facts(&self, lane: usize) -> Vec<u64> {
        let mut facts = vec![0; self.lanes.n_fluents.div_ceil(64)];
        let fixed = &self.lanes.phases[self.phase].fixed;
        for fluent in 0..self.lanes.n_fluents {
            let holds = match fixed.binary_search_by_key(&(fluent as u32), |fixed| fixed.0) {
                Ok(at) => fixed[at].1,
                Err(_) => self.words[1 + fluent].get(lane),
            };
            facts[fluent / 64] |= u64::from(holds) << (fluent % 64);
        }
        facts
    }

    /// Keeps the states of lanes for [`Batch::goals`].
    pub(super) fn keep(&mut self, lanes: Word<W>) {
        copy_lanes(&self.lanes.goals.slots, lanes, &self.words, &mut self.ended);
        for &(fluent, value) in &self.lanes.phases[self.phase].fixed {
            let word = &mut self.ended[1 + fluent as usize];
            *word =
                word.map2(lanes, |kept, lanes| if value { kept | lanes } else { kept & !lanes });
        }
    }

    /// The goals of the lanes whose states were kept: per lane one value for every role.
    pub(super) fn goals(&mut self, lanes: Word<W>, out: &mut Vec<u8>) {
        let Lanes { goals, n_roles, .. } = &*self.lanes;
        goals.code.first.iter().for_each(|segment| execute(segment, &mut self.ended));
        out.clear();
        out.resize(64 * W * n_roles, NO_GOAL);
        let mut outputs = goals.code.outputs.iter();
        for (role, values) in goals.values.iter().enumerate() {
            let (mut some, mut several) = (Word::<W>::ZERO, Word::<W>::ZERO);
            let words: Vec<Word<W>> = (outputs.by_ref().take(values.len()))
                .map(|output| self.ended[output.slot as usize].inverted_if(output.is_negated))
                .collect();
            for &word in &words {
                let again = some.map2(word, |some, word| some & word);
                several = several.map2(again, |several, again| several | again);
                some = some.map2(word, |some, word| some | word);
            }
            let sure = lanes.map2(several, |lanes, several| lanes & !several);
            for (word, &value) in words.iter().zip(values) {
                for lane in word.map2(sure, |word, sure| word & sure).lanes() {
                    out[lane * n_roles + role] = value;
                }
            }
        }
    }
}

/// Appends the bits of the first lanes, `n` of them, one lane after the other, each beginning with a
/// new word. Row r has bit r of all lanes, and `row(r, i)` those of the lanes from 64 i on.
fn pack(n_rows: usize, n: usize, row: impl Fn(usize, usize) -> u64, out: &mut Vec<u64>) {
    let (first, n_words) = (out.len(), n_rows.div_ceil(64).max(1));
    out.resize(first + n * n_words, 0);
    for (i, lanes) in out[first..].chunks_mut(64 * n_words).enumerate() {
        for at in 0..n_words {
            let mut block = [0; 64];
            for (bits, number) in block.iter_mut().zip(64 * at..n_rows) {
                *bits = row(number, i);
            }
            transpose(&mut block);
            for (lane, &bits) in lanes.chunks_exact_mut(n_words).zip(&block) {
                lane[at] = bits;
            }
        }
    }
}

/// Bit j of row i becomes bit i of row j (Warren 2013, section 7-3).
fn transpose(block: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, 0x0000_0000_ffff_ffff_u64);
    while width > 0 {
        for i in (0..64).filter(|i| i & width == 0) {
            let swapped = (block[i] >> width ^ block[i + width]) & mask;
            block[i] ^= swapped << width;
            block[i + width] ^= swapped;
        }
        width /= 2;
        mask ^= mask << width;
    }
}
