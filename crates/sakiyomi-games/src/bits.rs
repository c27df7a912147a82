//! Boards as words of bits, one bit per cell.
//!
//! [`Word`] is the one place that knows which words there are. A game that comes in many sizes is
//! generic over it: `u64` is the fast one, `u128` holds what does not fit into 64 bits. Code that
//! knows the size only at run time tries `u64` first and `u128` if that is refused; the error of
//! the second attempt states the real limits.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

use sakiyomi_core::Rng;

/// A word whose bits are the cells of a board: `u64` or `u128`.
pub trait Word:
    sealed::Sealed
    + Copy
    + Eq
    + Hash
    + Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const BITS: u32;
    const NONE: Self;
    const ALL: Self;

    /// The word in which only this bit is set.
    fn bit(index: u32) -> Self;

    fn count(self) -> u32;

    /// The index of the lowest bit that is set; there must be one.
    fn lowest(self) -> u32;

    /// The sum as numbers. A carry runs up through a block of set bits to the first free one.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// Draws one of the bits that are set in some words, each with the same probability: which
    /// word, and which bit of it. There must be one, and no aligned 64 bits may hold more than 127
    /// in all words together.
    fn draw<const N: usize>(words: [Self; N], rng: &mut Rng) -> (u32, u32);

    /// The lowest `n` bits; `n` may be all of them.
    #[inline]
    fn lowest_bits(n: u32) -> Self {
        if n == 0 { Self::NONE } else { Self::ALL >> (Self::BITS - n) }
    }

    #[inline]
    fn is_empty(self) -> bool {
        self == Self::NONE
    }

    #[inline]
    fn has(self, index: u32) -> bool {
        !(self & Self::bit(index)).is_empty()
    }

    #[inline]
    fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// The indices of the set bits, lowest first.
    #[inline]
    fn indices(self) -> impl Iterator<Item = u32> {
        let mut rest = self;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let index = rest.lowest();
            rest ^= Self::bit(index);
            Some(index)
        })
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u64 {}
    impl Sealed for u128 {}
}

macro_rules! word {
    ($word:ident, |$words:ident, $rng:ident| $draw:block) => {
        impl Word for $word {
            const BITS: u32 = $word::BITS;
            const NONE: $word = 0;
            const ALL: $word = $word::MAX;

            #[inline]
            fn bit(index: u32) -> $word {
                1 << index
            }

            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline]
            fn plus(self, other: $word) -> $word {
                self.wrapping_add(other)
            }

            #[inline]
            fn draw<const N: usize>($words: [$word; N], $rng: &mut Rng) -> (u32, u32) $draw
        }
    };
}

word!(u64, |words, rng| {
    let tally = Tally::new(words);
    tally.nth(rng.below(tally.total() as usize) as u64)
});

word!(u128, |words, rng| {
    let low = Tally::new(words.map(|word| word as u64));
    let high = Tally::new(words.map(|word| (word >> 64) as u64));
    let n = rng.below((low.total() + high.total()) as usize) as u64;
    if n < low.total() {
        low.nth(n)
    } else {
        let (word, bit) = high.nth(n - low.total());
        (word, bit + 64)
    }
});

/// The set bits of some words, counted so that the n-th of them is found without a branch.
struct Tally<const N: usize> {
    words: [u64; N],
    /// In each byte: how many bits of that byte are set in this word and those before it.
    counts: [u64; N],
    /// In each byte: how many bits of that byte and the bytes below it are set in all words. At
    /// most 127, so that the highest bit is free for comparing all bytes at once.
    sums: u64,
}

impl<const N: usize> Tally<N> {
    #[inline(always)]
    fn new(words: [u64; N]) -> Tally<N> {
        let mut total = 0;
        let counts = words.map(|word| {
            total += counts_of_bytes(word);
            total
        });
        Tally { words, counts, sums: total.wrapping_mul(EVERY_BYTE) }
    }

    #[inline(always)]
    fn total(&self) -> u64 {
        self.sums >> 56
    }

    /// The word and the bit of number `n`, in order of bytes, then words, then bits.
    #[inline(always)]
    fn nth(&self, n: u64) -> (u32, u32) {
        debug_assert!(n < self.total() && self.total() < 128);
        let beyond = (self.sums | HIGH_BITS) - (n + 1) * EVERY_BYTE;
        // The highest bit is set anyway; saying so spares a test for zero.
        let shift = ((beyond & HIGH_BITS) | 1 << 63).trailing_zeros() - 7;
        let rank = n - (self.sums << 8 >> shift & 0xff);
        let (mut which, mut word, mut before) = (0, self.words[0], 0);
        for i in 1..N {
            let so_far = self.counts[i - 1] >> shift & 0xff;
            if rank >= so_far {
                (which, word, before) = (i as u32, self.words[i], so_far);
            }
        }
        let byte = (word >> shift) as u8;
        let bit = NTH_IN_BYTE[byte as usize][(rank - before) as usize & 7];
        (which, shift + u32::from(bit))
    }
}

const EVERY_BYTE: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = EVERY_BYTE << 7;

/// In each byte, how many of its bits are set.
#[inline]
fn counts_of_bytes(word: u64) -> u64 {
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    (nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f
}

/// `NTH_IN_BYTE[byte][n]` is the index of the set bit of `byte` with `n` set bits below it.
static NTH_IN_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut n) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][n] = bit;
                n += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use sakiyomi_core::Rng;

    use super::*;

    /// Random words of every density: the conjunction or disjunction of a few draws.
    fn words(seed: u64) -> impl Iterator<Item = u64> {
        let mut rng = Rng::new(seed);
        (0..4_000).map(move |i| match i % 5 {
            0 => rng.bits(),
            1 => rng.bits() & rng.bits() & rng.bits(),
            2 => rng.bits() | rng.bits() | rng.bits(),
            3 => rng.bits() << rng.below(64),
            _ => 1 << rng.below(64),
        })
    }

    #[test]
    fn the_nth_bit_is_the_one_that_counting_finds() {
        for word in words(1).chain([1, u64::MAX, 1 << 63, HIGH_BITS, EVERY_BYTE]) {
            let slow: Vec<u32> = (0..64).filter(|&index| word.has(index)).collect();
            assert!(word.indices().eq(slow.iter().copied()), "{word:x}");
            let tally = Tally::new([word]);
            assert_eq!(tally.total() as usize, slow.len());
            let nth = (0..tally.total()).map(|n| tally.nth(n));
            assert!(nth.eq(slow.into_iter().map(|index| (0, index))), "{word:x}");
        }
    }

    #[test]
    fn every_bit_of_three_words_has_one_number() {
        for ((a, b), c) in words(2).zip(words(3)).zip(words(4)) {
            let words = [a, b, c];
            let tally = Tally::new(words);
            if (a.count() + b.count() + c.count()) >= 128 {
                continue;
            }
            let mut nth: Vec<(u32, u32)> = (0..tally.total()).map(|n| tally.nth(n)).collect();
            nth.sort_unstable();
            let bits = |i: u32| words[i as usize].indices().map(move |index| (i, index));
            assert!(nth.into_iter().eq((0..3).flat_map(bits)), "{words:x?}");
        }
    }

    #[test]
    fn bits_are_drawn_evenly() {
        fn check<W: Word>(words: [W; 3]) {
            let n_bits: u32 = words.iter().map(|word| word.count()).sum();
            let mut counts = vec![[0u32; 3]; W::BITS as usize];
            let mut rng = Rng::new(9);
            for _ in 0..1_000 * n_bits {
                let (word, index) = W::draw(words, &mut rng);
                counts[index as usize][word as usize] += 1;
            }
            for (index, counts) in (0..).zip(counts) {
                for (word, count) in words.iter().zip(counts) {
                    let expected = if word.has(index) { 840..1_160 } else { 0..1 };
                    assert!(expected.contains(&count), "{words:x?} {index}: {count}");
                }
            }
        }
        check([0x8000_0000_dead_beef_u64, 0, 0x00ff_0000_0000_0001]);
        check([0x8000_0000_dead_beef_0000_0000_0000_0000_u128, 1, 0xff << 60]);
        check([0, u128::MAX >> 3, 0]);
    }

    #[test]
    fn the_lowest_bits_may_be_none_or_all() {
        assert_eq!(u64::lowest_bits(0), 0);
        assert_eq!(u64::lowest_bits(5), 31);
        assert_eq!(u64::lowest_bits(64), u64::MAX);
        assert_eq!(u128::lowest_bits(0), 0);
        assert_eq!(u128::lowest_bits(65), (1 << 65) - 1);
        assert_eq!(u128::lowest_bits(128), u128::MAX);
    }
}
