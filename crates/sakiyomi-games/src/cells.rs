//! Sets of cells or units as words of bits, for boards of any size. With one word everything is plain arithmetic on
//! 64 bits.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A set of cells in `W` words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cells<const W: usize>([u64; W]);

impl<const W: usize> Cells<W> {
    pub const NONE: Cells<W> = Cells([0; W]);
    pub const BITS: usize = 64 * W;

    #[inline]
    pub fn one(cell: u16) -> Cells<W> {
        let mut cells = Cells::NONE;
        cells.insert(cell);
        cells
    }

    #[inline]
    pub fn insert(&mut self, cell: u16) {
        self.0[cell as usize / 64 % W] |= 1 << (cell % 64);
    }

    #[inline]
    pub fn remove(&mut self, cell: u16) {
        self.0[cell as usize / 64 % W] &= !(1 << (cell % 64));
    }

    #[inline]
    pub fn has(&self, cell: u16) -> bool {
        self.0[cell as usize / 64 % W] >> (cell % 64) & 1 == 1
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    #[inline]
    pub fn meets(&self, other: Cells<W>) -> bool {
        self.0.iter().zip(other.0).any(|(&a, b)| a & b != 0)
    }

    #[inline]
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The cell with `n` others of the set before it; there must be one.
    #[inline]
    pub fn nth(&self, mut n: u32) -> u16 {
        if W > 1 {
            for (i, &word) in self.0.iter().enumerate() {
                let count = word.count_ones();
                if n < count {
                    return 64 * i as u16 + nth_bit(word, n);
                }
                n -= count;
            }
            panic!("the set has no cell of this number");
        }
        nth_bit(self.0[0], n)
    }

    #[inline]
    pub fn iter(self) -> impl Iterator<Item = u16> {
        self.0
            .into_iter()
            .enumerate()
            .flat_map(|(i, word)| bits(word).map(move |bit| (64 * i) as u16 + u16::from(bit)))
    }

    /// The cells next to these, orthogonally, on rows that are `stride` apart. It may hold cells
    /// beyond the board.
    #[inline]
    pub fn spread(&self, stride: u32) -> Cells<W> {
        self.up(1) | self.down(1) | self.up(stride) | self.down(stride)
    }

    /// Cells with numbers higher by `n`, which is from 1 to 63.
    #[inline]
    pub fn up(&self, n: u32) -> Cells<W> {
        Cells(std::array::from_fn(|i| {
            self.0[i] << n | if i > 0 { self.0[i - 1] >> (64 - n) } else { 0 }
        }))
    }

    #[inline]
    pub fn down(&self, n: u32) -> Cells<W> {
        Cells(std::array::from_fn(|i| {
            self.0[i] >> n | if i + 1 < W { self.0[i + 1] << (64 - n) } else { 0 }
        }))
    }
}

/// The number of the set bit with `n` set bits below it.
#[inline]
pub fn nth_bit(mut word: u64, n: u32) -> u16 {
    for _ in 0..n {
        word &= word - 1;
    }
    word.trailing_zeros() as u16
}

/// The numbers of the set bits, lowest first.
#[inline]
pub fn bits(word: u64) -> impl Iterator<Item = u8> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let bit = rest.trailing_zeros() as u8;
        rest &= rest - 1;
        Some(bit)
    })
}

impl<const W: usize> BitAnd for Cells<W> {
    type Output = Cells<W>;

    #[inline]
    fn bitand(self, other: Cells<W>) -> Cells<W> {
        Cells(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl<const W: usize> BitOr for Cells<W> {
    type Output = Cells<W>;

    #[inline]
    fn bitor(self, other: Cells<W>) -> Cells<W> {
        Cells(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl<const W: usize> BitOrAssign for Cells<W> {
    #[inline]
    fn bitor_assign(&mut self, other: Cells<W>) {
        *self = *self | other;
    }
}

impl<const W: usize> Not for Cells<W> {
    type Output = Cells<W>;

    #[inline]
    fn not(self) -> Cells<W> {
        Cells(self.0.map(|word| !word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_across_words() {
        let mut cells = Cells::<3>::NONE;
        for cell in [0, 63, 64, 130, 191] {
            cells.insert(cell);
        }
        assert_eq!(cells.iter().collect::<Vec<_>>(), [0, 63, 64, 130, 191]);
        assert_eq!((0..5).map(|n| cells.nth(n)).collect::<Vec<_>>(), [0, 63, 64, 130, 191]);
        assert_eq!(cells.count(), 5);
        cells.remove(64);
        assert!(!cells.has(64) && cells.has(63));
    }

    #[test]
    fn neighbours_are_found_across_words() {
        let next = Cells::<2>::one(63).spread(21);
        assert_eq!(next.iter().collect::<Vec<_>>(), [42, 62, 64, 84]);
        let next = Cells::<2>::one(0).spread(40);
        assert_eq!(next.iter().collect::<Vec<_>>(), [1, 40]);
    }
}
