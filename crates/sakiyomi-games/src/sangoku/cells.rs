//! Sets of cells as words of bits, for boards of any size.
//!
//! Rows are kept with a free cell at their end, so that a step to the side never runs on into the
//! next row. With one word everything below is plain arithmetic on 64 bits.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A set of cells in `W` words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Cells<const W: usize>([u64; W]);

impl<const W: usize> Cells<W> {
    pub(super) const NONE: Cells<W> = Cells([0; W]);
    pub(super) const BITS: usize = 64 * W;

    #[inline]
    pub(super) fn one(cell: u16) -> Cells<W> {
        let mut cells = Cells::NONE;
        cells.insert(cell);
        cells
    }

    #[inline]
    pub(super) fn insert(&mut self, cell: u16) {
        self.0[cell as usize / 64] |= 1 << (cell % 64);
    }

    #[inline]
    pub(super) fn remove(&mut self, cell: u16) {
        self.0[cell as usize / 64] &= !(1 << (cell % 64));
    }

    #[inline]
    pub(super) fn has(&self, cell: u16) -> bool {
        self.0[cell as usize / 64] >> (cell % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    #[inline]
    pub(super) fn meets(&self, other: Cells<W>) -> bool {
        self.0.iter().zip(other.0).any(|(&a, b)| a & b != 0)
    }

    #[inline]
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The cell with `n` others of the set before it; there must be one.
    #[inline]
    pub(super) fn nth(&self, mut n: u32) -> u16 {
        for (i, &word) in self.0.iter().enumerate() {
            let count = word.count_ones();
            if n < count {
                let mut rest = word;
                for _ in 0..n {
                    rest &= rest - 1;
                }
                return (64 * i as u32 + rest.trailing_zeros()) as u16;
            }
            n -= count;
        }
        panic!("the set has no cell of this number")
    }

    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = u16> {
        self.0
            .into_iter()
            .enumerate()
            .flat_map(|(i, word)| bits(word).map(move |bit| (64 * i) as u16 + u16::from(bit)))
    }

    /// The cells next to these, orthogonally, on rows that are `stride` apart. It may hold cells
    /// beyond the board.
    #[inline]
    pub(super) fn spread(&self, stride: u32) -> Cells<W> {
        self.up(1) | self.down(1) | self.up(stride) | self.down(stride)
    }

    /// Cells with numbers higher by `n`, which is from 1 to 63.
    #[inline]
    fn up(&self, n: u32) -> Cells<W> {
        Cells(std::array::from_fn(|i| {
            self.0[i] << n | if i > 0 { self.0[i - 1] >> (64 - n) } else { 0 }
        }))
    }

    #[inline]
    fn down(&self, n: u32) -> Cells<W> {
        Cells(std::array::from_fn(|i| {
            self.0[i] >> n | if i + 1 < W { self.0[i + 1] << (64 - n) } else { 0 }
        }))
    }
}

/// The numbers of the set bits, lowest first.
#[inline]
pub(super) fn bits(word: u64) -> impl Iterator<Item = u8> {
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
