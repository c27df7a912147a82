//! Sets of cells as words of bits, and steps between them. Cells are numbered column by column, each
//! from the top, which is the order of the original's lists.

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
        self.0[cell as usize / 64 % W] |= 1 << (cell % 64);
    }

    #[inline]
    pub(super) fn remove(&mut self, cell: u16) {
        self.0[cell as usize / 64 % W] &= !(1 << (cell % 64));
    }

    #[inline]
    pub(super) fn has(&self, cell: u16) -> bool {
        self.0[cell as usize / 64 % W] >> (cell % 64) & 1 == 1
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
    pub(super) fn iter(self) -> impl Iterator<Item = u16> {
        self.0
            .into_iter()
            .enumerate()
            .flat_map(|(i, word)| bits(word).map(move |bit| (64 * i) as u16 + u16::from(bit)))
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

/// The number of the set bit with `n` set bits below it.
#[inline]
fn nth_bit(mut word: u64, n: u32) -> u16 {
    for _ in 0..n {
        word &= word - 1;
    }
    word.trailing_zeros() as u16
}

/// The set bit of a set of units with `n` others below it.
#[inline]
pub(super) fn nth_unit(units: u64, n: usize) -> u8 {
    nth_bit(units, n as u32) as u8
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

/// Beside a cell at the edge of the board.
pub(super) const NO_CELL: u16 = u16::MAX;

/// The shape of a board: how cells lie beside each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Grid<const W: usize> {
    pub(super) width: u16,
    pub(super) height: u16,
    /// All but the top row, and all but the bottom one.
    not_top: Cells<W>,
    not_bottom: Cells<W>,
}

impl<const W: usize> Grid<W> {
    pub(super) fn new(width: u16, height: u16) -> Grid<W> {
        let (mut not_top, mut not_bottom) = (Cells::NONE, Cells::NONE);
        for x in 0..width {
            for y in 0..height {
                let cell = x * height + y;
                if y > 0 {
                    not_top.insert(cell);
                }
                if y + 1 < height {
                    not_bottom.insert(cell);
                }
            }
        }
        Grid { width, height, not_top, not_bottom }
    }

    #[inline]
    pub(super) fn cell(&self, x: u16, y: u16) -> u16 {
        x * self.height + y
    }

    /// Column and row of a cell, both from 0 at the top left.
    #[inline]
    pub(super) fn place(&self, cell: u16) -> (u16, u16) {
        (cell / self.height, cell % self.height)
    }

    pub(super) fn distance(&self, a: u16, b: u16) -> u32 {
        let ((ax, ay), (bx, by)) = (self.place(a), self.place(b));
        u32::from(ax.abs_diff(bx)) + u32::from(ay.abs_diff(by))
    }

    pub(super) fn n_cells(&self) -> u16 {
        self.width * self.height
    }

    /// The cells one step to the east of these, and so on. They may lie beyond the last column.
    #[inline]
    pub(super) fn east(&self, cells: Cells<W>) -> Cells<W> {
        cells.up(self.height.into())
    }

    #[inline]
    pub(super) fn west(&self, cells: Cells<W>) -> Cells<W> {
        cells.down(self.height.into())
    }

    #[inline]
    pub(super) fn south(&self, cells: Cells<W>) -> Cells<W> {
        (cells & self.not_bottom).up(1)
    }

    #[inline]
    pub(super) fn north(&self, cells: Cells<W>) -> Cells<W> {
        (cells & self.not_top).down(1)
    }

    #[inline]
    pub(super) fn spread(&self, cells: Cells<W>) -> Cells<W> {
        self.east(cells) | self.north(cells) | self.west(cells) | self.south(cells)
    }

    /// The cells next to this one in the original's order: east, north, west, south.
    pub(super) fn around(&self, cell: u16) -> [u16; 4] {
        let (x, y) = self.place(cell);
        let step = |is_there: bool, to: u16| if is_there { to } else { NO_CELL };
        [
            step(x + 1 < self.width, cell + self.height),
            step(y > 0, cell.wrapping_sub(1)),
            step(x > 0, cell.wrapping_sub(self.height)),
            step(y + 1 < self.height, cell + 1),
        ]
    }
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
    fn steps_stay_on_the_board() {
        let grid = Grid::<1>::new(8, 8);
        let around = |x, y| grid.spread(Cells::one(grid.cell(x, y))).iter().collect::<Vec<_>>();
        assert_eq!(around(0, 0), [1, 8]);
        assert_eq!(around(0, 7), [6, 15]);
        assert_eq!(around(7, 7), [55, 62]);
        assert_eq!(around(4, 3), [27, 34, 36, 43]);
        assert_eq!(grid.around(35), [43, 34, 27, 36]);
        assert_eq!(grid.around(63), [NO_CELL, 62, 55, NO_CELL]);
        let large = Grid::<16>::new(32, 32);
        let cells = large.spread(Cells::one(large.cell(1, 31)));
        assert_eq!(cells.iter().collect::<Vec<_>>(), [31, 62, 95]);
    }

    #[test]
    fn cells_are_counted_across_words() {
        let mut cells = Cells::<4>::NONE;
        for cell in [0, 63, 64, 130, 255] {
            cells.insert(cell);
        }
        assert_eq!((0..5).map(|n| cells.nth(n)).collect::<Vec<_>>(), [0, 63, 64, 130, 255]);
        assert_eq!(cells.count(), 5);
        cells.remove(64);
        assert!(!cells.has(64) && cells.has(63));
    }
}
