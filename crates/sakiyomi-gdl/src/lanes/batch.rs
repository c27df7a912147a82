//! 512 lanes: their states, one bit of all of them per word, and what is computed from them.

use crate::lanes::code::Output;
use crate::lanes::draw::draw;
use crate::lanes::run::{Word, copy_lanes, execute, fill_lanes};
use crate::lanes::{Lanes, N_LANES};
use crate::run::draw::STEP;

/// Where no goal or more than one holds.
pub(super) const NO_GOAL: u8 = u8::MAX;

/// From this many lanes on a state is written to all of them at once.
const MIN_TOGETHER: usize = 6;

#[derive(Debug)]
pub(super) struct Batch<'a> {
    pub(super) lanes: &'a Lanes,
    words: Vec<Word>,
    /// The states of lanes that have ended, for the goals, with what is computed of these.
    ended: Vec<Word>,
    /// The phase that all lanes are in.
    pub(super) phase: usize,
    /// How often the lanes have made a step, and the keys of their matches less what that adds.
    pub(super) n_steps: u64,
    keys: Box<[Word; 64]>,
}

/// The lanes whose match is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Over {
    /// By the rules.
    pub(super) terminal: Word,
    /// Some role has no legal move.
    pub(super) stuck: Word,
}

impl<'a> Batch<'a> {
    pub(super) fn new(lanes: &'a Lanes) -> Batch<'a> {
        Batch {
            lanes,
            words: vec![Word::ZERO; lanes.n_slots],
            ended: vec![Word::ZERO; lanes.goals.code.n_slots],
            phase: 0,
            n_steps: 0,
            keys: Box::new([Word::ZERO; 64]),
        }
    }

    /// Puts a state into lanes; it must be in the phase that the lanes are in.
    pub(super) fn load(&mut self, lanes: Word, facts: &[u64]) {
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
        out.resize(first + n * n_words, 0);
        let out = &mut out[first..];
        let fluents = &self.words[1..=self.lanes.n_fluents];
        for (i, states) in out.chunks_mut(64 * n_words).enumerate() {
            for (at, fluents) in fluents.chunks(64).enumerate() {
                let mut block = [0; 64];
                for (row, word) in block.iter_mut().zip(fluents) {
                    *row = word.0[i];
                }
                transpose(&mut block);
                for (state, &row) in states.chunks_exact_mut(n_words).zip(&block) {
                    state[at] = row;
                }
            }
        }
        for &(fluent, value) in &self.lanes.phases[self.phase].fixed {
            let (at, bit) = (fluent as usize / 64, 1 << (fluent % 64));
            for state in out.chunks_exact_mut(n_words) {
                state[at] = if value { state[at] | bit } else { state[at] & !bit };
            }
        }
    }

    /// Gives a lane the key of its match, which is at this ply now.
    pub(super) fn set_key(&mut self, lane: usize, key: u64, ply: u32) {
        let steps = u64::from(ply).wrapping_sub(self.n_steps);
        let turns = steps.wrapping_mul(self.lanes.n_roles as u64);
        self.keys[lane % 64].0[lane / 64] = key.wrapping_add(turns.wrapping_mul(STEP));
    }

    /// Computes what is known of all states before moves are chosen.
    pub(super) fn evaluate(&mut self) -> Over {
        let code = &self.lanes.phases[self.phase].code;
        code.first.iter().for_each(|segment| execute(segment, &mut self.words));
        let [terminal, stuck] = [0, 1].map(|i| self.read(code.outputs[i]));
        Over { terminal, stuck }
    }

    fn read(&self, output: Output) -> Word {
        self.words[output.slot as usize].inverted_if(output.is_negated)
    }

    /// Draws a move of every role in every lane.
    pub(super) fn draw(&mut self) {
        let phase = &self.lanes.phases[self.phase];
        let n_roles = self.lanes.n_roles as u64;
        for (role, own) in phase.roles.iter().enumerate().filter(|(_, own)| !own.draws.is_empty()) {
            // A role has fewer than 2^32 moves.
            let mut counts = [Word::ZERO; 32];
            for (count, &output) in counts.iter_mut().zip(&phase.code.outputs[own.count.clone()]) {
                *count = self.read(output);
            }
            let turn = self.n_steps.wrapping_mul(n_roles).wrapping_add(role as u64);
            let numbers = &mut self.words[own.draws.clone()];
            draw(&counts[..own.count.len()], numbers, &self.keys, turn);
        }
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

    /// Makes the moves that were chosen.
    pub(super) fn step(&mut self) {
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
    pub(super) fn keep(&mut self, lanes: Word) {
        copy_lanes(&self.lanes.goals.slots, lanes, &self.words, &mut self.ended);
        for &(fluent, value) in &self.lanes.phases[self.phase].fixed {
            let word = &mut self.ended[1 + fluent as usize];
            *word =
                word.map2(lanes, |kept, lanes| if value { kept | lanes } else { kept & !lanes });
        }
    }

    /// The goals of the lanes whose states were kept: per lane one value for every role.
    pub(super) fn goals(&mut self, lanes: Word, out: &mut Vec<u8>) {
        let Lanes { goals, n_roles, .. } = self.lanes;
        goals.code.first.iter().for_each(|segment| execute(segment, &mut self.ended));
        out.clear();
        out.resize(N_LANES * n_roles, NO_GOAL);
        let mut outputs = goals.code.outputs.iter();
        for (role, values) in goals.values.iter().enumerate() {
            let (mut some, mut several) = (Word::ZERO, Word::ZERO);
            let words: Vec<Word> = (outputs.by_ref().take(values.len()))
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
