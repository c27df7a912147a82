//! Boards of cells that are numbered column by column, each from the top, which is the order of the original's lists.

use crate::cells::nth_bit;
pub use crate::cells::{Cells, bits};

/// The set bit of a set of units with `n` others below it.
#[inline]
pub(crate) fn nth_unit(units: u64, n: usize) -> u8 {
    nth_bit(units, n as u32) as u8
}

/// Beside a cell at the edge of the board.
pub const NO_CELL: u16 = u16::MAX;

/// The shape of a board: how cells lie beside each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid<const W: usize> {
    pub width: u16,
    pub height: u16,
    /// All but the top row, and all but the bottom one.
    not_top: Cells<W>,
    not_bottom: Cells<W>,
}

impl<const W: usize> Grid<W> {
    pub fn new(width: u16, height: u16) -> Grid<W> {
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
    pub fn cell(&self, x: u16, y: u16) -> u16 {
        x * self.height + y
    }

    /// Column and row of a cell, both from 0 at the top left.
    #[inline]
    pub fn place(&self, cell: u16) -> (u16, u16) {
        (cell / self.height, cell % self.height)
    }

    pub fn distance(&self, a: u16, b: u16) -> u32 {
        let ((ax, ay), (bx, by)) = (self.place(a), self.place(b));
        u32::from(ax.abs_diff(bx)) + u32::from(ay.abs_diff(by))
    }

    pub fn n_cells(&self) -> u16 {
        self.width * self.height
    }

    /// The cells one step to the east of these, and so on. They may lie beyond the last column.
    #[inline]
    pub fn east(&self, cells: Cells<W>) -> Cells<W> {
        cells.up(self.height.into())
    }

    #[inline]
    pub fn west(&self, cells: Cells<W>) -> Cells<W> {
        cells.down(self.height.into())
    }

    #[inline]
    pub fn south(&self, cells: Cells<W>) -> Cells<W> {
        (cells & self.not_bottom).up(1)
    }

    #[inline]
    pub fn north(&self, cells: Cells<W>) -> Cells<W> {
        (cells & self.not_top).down(1)
    }

    #[inline]
    pub fn spread(&self, cells: Cells<W>) -> Cells<W> {
        self.east(cells) | self.north(cells) | self.west(cells) | self.south(cells)
    }

    /// The cells next to this one in the original's order: east, north, west, south.
    pub fn around(&self, cell: u16) -> [u16; 4] {
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
}
