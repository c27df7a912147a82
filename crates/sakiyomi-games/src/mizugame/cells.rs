//! The hexagon of cells: coordinates, neighbours, distances, and sets of cells as rows of bits.
//!
//! Cell (x, y) has 0 <= x, y <= 40 with y downwards and lies on the field if |x - y| <= 20. A margin
//! of one cell around the array means that no neighbour has to be checked.

/// Columns and rows of the array.
pub const SIDE: usize = 41;
/// Cells of the field.
pub const N_CELLS: usize = 1261;
const MIDDLE: i32 = 20;
/// The array with its margin.
pub(super) const STRIDE: usize = SIDE + 2;
pub const AREA: usize = STRIDE * STRIDE;

/// A cell of the array or of its margin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(pub(super) u16);

/// The six neighbours in the order of the commands `0` to `5`: E, SE, SW, W, NW, NE.
pub const DIRECTIONS: [(i32, i32); 6] = [(1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)];

const OFFSETS: [i32; 6] = {
    let mut offsets = [0; 6];
    let mut i = 0;
    while i < 6 {
        offsets[i] = DIRECTIONS[i].1 * STRIDE as i32 + DIRECTIONS[i].0;
        i += 1;
    }
    offsets
};

impl Cell {
    /// The cell of the field at these coordinates.
    pub fn at(x: i32, y: i32) -> Option<Cell> {
        let side = 0..SIDE as i32;
        let is_inside = side.contains(&x) && side.contains(&y) && (x - y).abs() <= MIDDLE;
        is_inside.then(|| Cell(((y + 1) * STRIDE as i32 + x + 1) as u16))
    }

    /// All cells of the field, row by row.
    pub fn all() -> impl Iterator<Item = Cell> {
        let side = 0..SIDE as i32;
        side.clone().flat_map(move |y| side.clone().filter_map(move |x| Cell::at(x, y)))
    }

    pub fn x(self) -> i32 {
        i32::from(self.0) % STRIDE as i32 - 1
    }

    pub fn y(self) -> i32 {
        i32::from(self.0) / STRIDE as i32 - 1
    }

    /// The neighbour in one of the six directions; of a cell of the field only.
    #[inline]
    pub fn step(self, direction: usize) -> Cell {
        Cell((i32::from(self.0) + OFFSETS[direction]) as u16)
    }

    pub fn neighbours(self) -> [Cell; 6] {
        std::array::from_fn(|direction| self.step(direction))
    }

    /// Steps from one cell to the other if nothing is in the way.
    #[inline]
    pub fn distance(self, other: Cell) -> u32 {
        let (dx, dy) = (self.x() - other.x(), self.y() - other.y());
        dx.abs().max(dy.abs()).max((dx - dy).abs()) as u32
    }

    /// The cell on the other side of the centre.
    pub fn opposite(self) -> Cell {
        Cell((AREA - 1) as u16 - self.0)
    }

    /// The cell after a turn of 60 degrees about the centre.
    pub fn rotated(self) -> Cell {
        let (u, v) = (self.x() - MIDDLE, self.y() - MIDDLE);
        Cell::at(u - v + MIDDLE, u + MIDDLE).expect("the field is symmetric")
    }

    pub fn centre() -> Cell {
        Cell((AREA / 2) as u16)
    }

    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The place in a row of all cells of the array, row by row.
    pub fn array_index(self) -> usize {
        self.y() as usize * SIDE + self.x() as usize
    }

    #[inline]
    fn row_bit(self) -> (usize, u64) {
        (self.index() / STRIDE, 1 << (self.index() % STRIDE))
    }
}

/// A set of cells: a word per row, margin included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Board(pub(super) [u64; STRIDE]);

impl Board {
    pub(super) const EMPTY: Board = Board([0; STRIDE]);

    #[inline]
    pub(super) fn has(&self, cell: Cell) -> bool {
        let (row, bit) = cell.row_bit();
        self.0[row] & bit != 0
    }

    #[inline]
    pub(super) fn insert(&mut self, cell: Cell) {
        let (row, bit) = cell.row_bit();
        self.0[row] |= bit;
    }

    #[inline]
    pub(super) fn remove(&mut self, cell: Cell) {
        let (row, bit) = cell.row_bit();
        self.0[row] &= !bit;
    }

    /// Which of the six neighbours are in the set: bit `d` is the one in direction `d`.
    #[inline]
    pub(super) fn around(&self, cell: Cell) -> usize {
        let (row, column) = (cell.index() / STRIDE, cell.index() % STRIDE);
        let [above, here, below] =
            [self.0[row - 1], self.0[row], self.0[row + 1]].map(|bits| bits >> (column - 1));
        let ordered = here >> 2 & 1
            | (below >> 2 & 1) << 1
            | (below >> 1 & 1) << 2
            | (here & 1) << 3
            | (above & 1) << 4
            | (above >> 1 & 1) << 5;
        ordered as usize
    }

    /// What the set encloses: the cells outside it that cannot be reached from beyond the field.
    pub(super) fn enclosed(&self) -> Board {
        let mut enclosed = Board::EMPTY;
        let Some(first) = self.0.iter().position(|&row| row != 0) else { return enclosed };
        let last = self.0.iter().rposition(|&row| row != 0).unwrap_or(first);
        let mut reached = [0; STRIDE];
        reached[first] = !self.0[first] & ROW;
        reached[last] = !self.0[last] & ROW;
        let mut going_down = true;
        loop {
            let mut has_changed = false;
            for i in first + 1..last {
                let row = if going_down { i } else { first + last - i };
                let open = !self.0[row] & ROW;
                let (above, below) = (reached[row - 1], reached[row + 1]);
                let beside = above | above << 1 | below | below >> 1 | MARGIN;
                let seeds = beside & open;
                if seeds & !reached[row] != 0 {
                    reached[row] = fill_runs(open, seeds | reached[row]);
                    has_changed = true;
                }
            }
            if !has_changed {
                break;
            }
            going_down = !going_down;
        }
        for ((inside, own), reached) in
            enclosed.0.iter_mut().zip(&self.0).zip(&reached).take(last).skip(first + 1)
        {
            *inside = !own & ROW & !reached;
        }
        enclosed
    }

    /// How many cells are in all three sets, the last one being turned round.
    pub(super) fn count_in(&self, other: &Board, without: &Board) -> u32 {
        let rows = self.0.iter().zip(&other.0).zip(&without.0);
        rows.map(|((a, b), c)| (a & b & !c).count_ones()).sum()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Cell> + '_ {
        self.0.iter().enumerate().flat_map(|(row, &bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                let column = left.trailing_zeros() as usize;
                (left != 0).then(|| {
                    left &= left - 1;
                    Cell((row * STRIDE + column) as u16)
                })
            })
        })
    }
}

/// The columns of a row, and those of the margin.
const ROW: u64 = (1 << STRIDE) - 1;
const MARGIN: u64 = 1 | 1 << (STRIDE - 1);

/// The runs of set bits in `open` that contain one of the `seeds`, which are some of these bits.
#[inline]
fn fill_runs(open: u64, seeds: u64) -> u64 {
    // A carry runs upwards through a run from its lowest seed. Downwards the distance doubles.
    let mut filled = ((open + seeds) ^ open | seeds) & open;
    let mut through = open;
    let mut shift = 1;
    while shift < STRIDE {
        filled |= through & filled >> shift;
        through &= through >> shift;
        shift *= 2;
    }
    filled
}

/// By the set of neighbours: into how many runs around the cell they fall. A cell whose neighbours
/// are one run cannot close a ring.
pub(super) const RUNS: [u8; 64] = {
    let mut runs = [0; 64];
    let mut set = 0;
    while set < 64 {
        let mut direction = 0;
        while direction < 6 {
            let next = (direction + 1) % 6;
            if set >> direction & 1 == 1 && set >> next & 1 == 0 {
                runs[set] += 1;
            }
            direction += 1;
        }
        set += 1;
    }
    runs
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_a_hexagon_of_side_21() {
        assert_eq!(Cell::all().count(), N_CELLS);
        assert!(Cell::at(0, 20).is_some() && Cell::at(0, 21).is_none());
        assert!(Cell::at(40, 40).is_some() && Cell::at(41, 41).is_none());
        assert_eq!(Cell::centre(), Cell::at(20, 20).unwrap());
        let far = Cell::all().map(|cell| cell.distance(Cell::centre())).max();
        assert_eq!(far, Some(20));
    }

    #[test]
    fn turns_keep_distances() {
        for cell in Cell::all() {
            let turned = (0..3).fold(cell, |cell, _| cell.rotated());
            assert_eq!(turned, cell.opposite());
            assert_eq!(Cell::at(40 - cell.x(), 40 - cell.y()), Some(cell.opposite()));
            assert_eq!(cell.rotated().distance(Cell::centre()), cell.distance(Cell::centre()));
            for (direction, (dx, dy)) in DIRECTIONS.into_iter().enumerate() {
                let step = cell.step(direction);
                assert_eq!((step.x(), step.y()), (cell.x() + dx, cell.y() + dy));
                if let Some(neighbour) = Cell::at(step.x(), step.y()) {
                    assert_eq!(neighbour.distance(cell), 1);
                    let turned = neighbour.rotated();
                    assert_eq!(cell.rotated().step((direction + 1) % 6), turned);
                }
            }
        }
    }

    #[test]
    fn neighbours_are_seen_in_the_order_of_directions() {
        let cell = Cell::at(7, 12).unwrap();
        for direction in 0..6 {
            let mut board = Board::EMPTY;
            board.insert(cell.step(direction));
            assert_eq!(board.around(cell), 1 << direction);
            assert_eq!(board.iter().collect::<Vec<_>>(), [cell.step(direction)]);
        }
        assert_eq!(
            [0, 0b111, 0b100001, 0b101, 0b10101, 63].map(|set| RUNS[set]),
            [0, 1, 1, 2, 3, 0]
        );
    }

    /// A ring of radius k has 6k cells and encloses 3k(k-1)+1; without one of its cells, none.
    #[test]
    fn rings_enclose_their_inside() {
        for k in 1..=20 {
            let mut ring = Board::EMPTY;
            for cell in Cell::all().filter(|cell| cell.distance(Cell::centre()) == k) {
                ring.insert(cell);
            }
            let size = |board: Board| board.iter().count() as u32;
            assert_eq!((size(ring), size(ring.enclosed())), (6 * k, 3 * k * (k - 1) + 1));
            for gap in ring.iter() {
                let mut broken = ring;
                broken.remove(gap);
                assert_eq!(size(broken.enclosed()), 0);
            }
        }
    }
}
