//! Executes code on words of 512 lanes. It is compiled several times, for what processors have, and
//! the best is taken when the program runs; all do the same. The width is a parameter: words of 64
//! or 256 lanes have the same matches in them, which tests show, but a step costs nearly as much.
//!
//! The compiler inlines into a function for certain processors only what is marked so: iterators
//! and closures would be called for every word. Hence the plain loops below.

use multiversion::multiversion;

use crate::lanes::WIDTH;
use crate::lanes::code::{Operands, Segment, Shape};
use crate::lanes::logic::Op;

/// One bit for each of 64 `W` lanes.
#[repr(align(64))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word<const W: usize = WIDTH>(pub(super) [u64; W]);

impl<const W: usize> Word<W> {
    pub(super) const ZERO: Word<W> = Word([0; W]);
    pub(super) const ALL: Word<W> = Word([u64::MAX; W]);

    #[inline(always)]
    pub(super) fn map(mut self, f: impl Fn(u64) -> u64) -> Word<W> {
        for word in &mut self.0 {
            *word = f(*word);
        }
        self
    }

    #[inline(always)]
    pub(super) fn map2(mut self, other: Word<W>, f: impl Fn(u64, u64) -> u64) -> Word<W> {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word = f(*word, *other);
        }
        self
    }

    #[inline(always)]
    pub(super) fn inverted_if(self, is_negated: bool) -> Word<W> {
        let sign = 0u64.wrapping_sub(u64::from(is_negated));
        self.map(|word| word ^ sign)
    }

    pub(super) fn is_zero(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    pub(super) fn get(self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    pub(super) fn set(&mut self, lane: usize, value: bool) {
        let bit = 1 << (lane % 64);
        let word = &mut self.0[lane / 64];
        *word = if value { *word | bit } else { *word & !bit };
    }

    /// The lanes whose bit is set, in order.
    pub(super) fn lanes(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(i, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(i * 64 + bit)
            })
        })
    }
}

/// Executes a segment; a fixpoint is repeated until nothing changes.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2",
    "x86_64+avx2+bmi1+bmi2",
))]
pub(super) fn execute<const W: usize>(segment: &Segment, words: &mut [Word<W>]) {
    let Some((variables, sets)) = &segment.fixpoint else {
        return execute_once(segment, words);
    };
    for &slot in variables {
        words[slot as usize] = Word::ZERO;
    }
    loop {
        execute_once(segment, words);
        let mut changed: Word<W> = Word::ZERO;
        let mut at = 0;
        while at < sets.len() {
            let (to, from, is_negated) = sets[at];
            let sign = 0u64.wrapping_sub(is_negated as u64);
            let (old, mut new) = (words[to as usize], words[from as usize]);
            let mut i = 0;
            while i < W {
                new.0[i] ^= sign;
                changed.0[i] |= old.0[i] ^ new.0[i];
                i += 1;
            }
            words[to as usize] = new;
            at += 1;
        }
        if changed.is_zero() {
            return;
        }
    }
}

/// The same as it is compiled for any processor.
#[cfg(test)]
pub(super) fn execute_anywhere<const W: usize>(segment: &Segment, words: &mut [Word<W>]) {
    assert!(segment.fixpoint.is_none());
    execute_once(segment, words);
}

/// The same as it is compiled for processors with AVX2 and no more.
#[cfg(test)]
#[multiversion(targets("x86_64+avx2+bmi1+bmi2"))]
pub(super) fn execute_avx2<const W: usize>(segment: &Segment, words: &mut [Word<W>]) {
    assert!(segment.fixpoint.is_none());
    execute_once(segment, words);
}

/// Copies the bits of some lanes from words to others, both by these slots.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2",
    "x86_64+avx2+bmi1+bmi2",
))]
pub(super) fn copy_lanes<const W: usize>(
    slots: &[u32],
    lanes: Word<W>,
    from: &[Word<W>],
    to: &mut [Word<W>],
) {
    let mut at = 0;
    while at < slots.len() {
        let slot = slots[at] as usize;
        let (mut old, new) = (to[slot], &from[slot]);
        let mut i = 0;
        while i < W {
            old.0[i] ^= (old.0[i] ^ new.0[i]) & lanes.0[i];
            i += 1;
        }
        to[slot] = old;
        at += 1;
    }
}

/// Writes bit i of `bits` to some lanes of word i.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2",
    "x86_64+avx2+bmi1+bmi2",
))]
pub(super) fn fill_lanes<const W: usize>(bits: &[u64], lanes: Word<W>, to: &mut [Word<W>]) {
    let mut at = 0;
    while at < to.len() {
        let value = 0u64.wrapping_sub(bits[at / 64] >> (at % 64) & 1);
        let word = &mut to[at];
        let mut i = 0;
        while i < W {
            word.0[i] = word.0[i] & !lanes.0[i] | value & lanes.0[i];
            i += 1;
        }
        at += 1;
    }
}

#[inline(always)]
fn execute_once<const W: usize>(segment: &Segment, words: &mut [Word<W>]) {
    match segment.operands() {
        Operands::Narrow(operands) => execute_runs(&segment.runs, operands, words),
        Operands::Wide(operands) => execute_runs(&segment.runs, operands, words),
    }
}

/// The number of a slot.
trait Slot: Copy {
    fn at(self) -> usize;
}

impl Slot for u16 {
    #[inline(always)]
    fn at(self) -> usize {
        self as usize
    }
}

impl Slot for u32 {
    #[inline(always)]
    fn at(self) -> usize {
        self as usize
    }
}

#[inline(always)]
fn execute_runs<S: Slot, const W: usize>(
    runs: &[(Shape, usize)],
    mut operands: &[S],
    words: &mut [Word<W>],
) {
    for &(shape, n) in runs {
        let (own, rest) = operands.split_at(n);
        operands = rest;
        match shape {
            Shape::And { positive, negated, is_inverted } => {
                let sign = 0u64.wrapping_sub(is_inverted as u64);
                ands(positive as usize, negated as usize, sign, own, words);
            }
            Shape::Table { op, signs } => tables(op, signs, own, words),
            Shape::Copy { is_negated } => {
                let sign = 0u64.wrapping_sub(is_negated as u64);
                few::<S, 1, 2, W>(sign, own, words);
            }
        }
    }
}

#[inline(always)]
fn ands<S: Slot, const W: usize>(
    positive: usize,
    negated: usize,
    sign: u64,
    operands: &[S],
    words: &mut [Word<W>],
) {
    match (positive, negated) {
        (2, 0) => few::<S, 2, 3, W>(sign, operands, words),
        (1, 1) => few::<S, 1, 3, W>(sign, operands, words),
        (0, 2) => few::<S, 0, 3, W>(sign, operands, words),
        (3, 0) => few::<S, 3, 4, W>(sign, operands, words),
        (2, 1) => few::<S, 2, 4, W>(sign, operands, words),
        (1, 2) => few::<S, 1, 4, W>(sign, operands, words),
        (0, 3) => few::<S, 0, 4, W>(sign, operands, words),
        (4, 0) => few::<S, 4, 5, W>(sign, operands, words),
        (3, 1) => few::<S, 3, 5, W>(sign, operands, words),
        (2, 2) => few::<S, 2, 5, W>(sign, operands, words),
        (1, 3) => few::<S, 1, 5, W>(sign, operands, words),
        (0, 4) => few::<S, 0, 5, W>(sign, operands, words),
        _ => many(positive, negated, sign, operands, words),
    }
}

/// Ands of `LENGTH - 1` inputs, the first `POSITIVE` of which are not negated; `sign` negates the
/// results.
#[inline(always)]
fn few<S: Slot, const POSITIVE: usize, const LENGTH: usize, const W: usize>(
    sign: u64,
    operands: &[S],
    words: &mut [Word<W>],
) {
    let operands = operands.as_chunks::<LENGTH>().0;
    let mut at = 0;
    while at < operands.len() {
        let operands = &operands[at];
        let mut all = words[operands[1].at()];
        if POSITIVE == 0 {
            invert(&mut all, u64::MAX);
        }
        let mut next = 2;
        while next < LENGTH {
            let word = &words[operands[next].at()];
            and(&mut all, word, next > POSITIVE);
            next += 1;
        }
        invert(&mut all, sign);
        words[operands[0].at()] = all;
        at += 1;
    }
}

#[inline(always)]
fn many<S: Slot, const W: usize>(
    positive: usize,
    negated: usize,
    sign: u64,
    operands: &[S],
    words: &mut [Word<W>],
) {
    let length = 1 + positive + negated;
    let mut start = 0;
    while start + length <= operands.len() {
        let mut all = Word::<W>::ALL;
        let mut next = start + 1;
        while next <= start + positive {
            and(&mut all, &words[operands[next].at()], false);
            next += 1;
        }
        while next < start + length {
            and(&mut all, &words[operands[next].at()], true);
            next += 1;
        }
        invert(&mut all, sign);
        words[operands[start].at()] = all;
        start += length;
    }
}

#[inline(always)]
fn and<const W: usize>(all: &mut Word<W>, word: &Word<W>, is_negated: bool) {
    let mut i = 0;
    while i < W {
        all.0[i] &= if is_negated { !word.0[i] } else { word.0[i] };
        i += 1;
    }
}

#[inline(always)]
fn invert<const W: usize>(word: &mut Word<W>, sign: u64) {
    let mut i = 0;
    while i < W {
        word.0[i] ^= sign;
        i += 1;
    }
}

/// Operations of three inputs, each inverted by a sign.
macro_rules! table {
    ($operands:expr, $words:expr, $signs:expr, |$a:ident, $b:ident, $c:ident| $result:expr) => {{
        let [sign_a, sign_b, sign_c] = $signs;
        let operands = $operands.as_chunks::<4>().0;
        let mut at = 0;
        while at < operands.len() {
            let operands = &operands[at];
            let mut a = $words[operands[1].at()];
            let (b, c) = (&$words[operands[2].at()], &$words[operands[3].at()]);
            let mut i = 0;
            while i < W {
                let ($a, $b, $c) = (a.0[i] ^ sign_a, b.0[i] ^ sign_b, c.0[i] ^ sign_c);
                a.0[i] = $result;
                i += 1;
            }
            $words[operands[0].at()] = a;
            at += 1;
        }
    }};
}

#[inline(always)]
fn tables<S: Slot, const W: usize>(op: Op, signs: u32, operands: &[S], words: &mut [Word<W>]) {
    const NONE: [u64; 3] = [0; 3];
    let sign = [
        0u64.wrapping_sub((signs & 1) as u64),
        0u64.wrapping_sub((signs >> 1 & 1) as u64),
        0u64.wrapping_sub((signs >> 2 & 1) as u64),
    ];
    match (op, signs) {
        (Op::Xor, _) => {
            let operands = operands.as_chunks::<3>().0;
            let mut at = 0;
            while at < operands.len() {
                let operands = &operands[at];
                let (mut a, b) = (words[operands[1].at()], &words[operands[2].at()]);
                let mut i = 0;
                while i < W {
                    a.0[i] ^= b.0[i];
                    i += 1;
                }
                words[operands[0].at()] = a;
                at += 1;
            }
        }
        (Op::Xor3, _) => table!(operands, words, NONE, |a, b, c| a ^ b ^ c),
        (Op::Majority, 0) => table!(operands, words, NONE, |a, b, c| a & b | c & (a | b)),
        (Op::Majority, _) => table!(operands, words, sign, |a, b, c| a & b | c & (a | b)),
        (Op::AndOr, 0) => table!(operands, words, NONE, |a, b, c| a | b & c),
        (Op::AndOr, _) => table!(operands, words, sign, |a, b, c| a | b & c),
        (Op::Choose, 0) => table!(operands, words, NONE, |a, b, c| a & b | !a & c),
        (Op::Choose, _) => table!(operands, words, sign, |a, b, c| a & b | !a & c),
        _ => unreachable!("only tables are executed as tables"),
    }
}
