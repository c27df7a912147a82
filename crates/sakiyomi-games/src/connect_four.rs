//! Connect four (Howard Wexler, 1974): two players drop stones into the columns of an upright
//! board, and four of one's own stones in a row, upright, level or diagonal, win. A full board is a
//! draw.
//!
//! A column takes one bit more than it has cells, and that bit is never set: lines cannot run on
//! from one column into the next, and adding the lowest cells to the stones finds the free cell of
//! every column (the layout of John Tromp's Fhourstones).

use sakiyomi_core::{
    Board, CellShape, Colour, Encode, Game, Hint, HintSet, Hints, ObservationShape, Orders,
    Payoffs, Phrase, Player, PruneLevel, Rng, Scratch, Shape, Show, Symmetry, Turn, View,
    cell_name, if_legal, parse_column,
};

use crate::two_players::{
    Status, keep_good, name_of, observe_pieces, opponent, owner_code, piece_cell, squash,
};
use crate::{SizeError, Word};

/// The rules on one size of board; 7x6 by default. `W` holds width x (height + 1) bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectFour<W = u64> {
    width: u32,
    height: u32,
    /// The lowest cell of every column.
    bottom: W,
    /// All cells.
    board: W,
    /// How far apart neighbours are in the four kinds of lines.
    lines: [u32; 4],
}

/// The stones of both players, and who is to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position<W = u64> {
    stones: [W; 2],
    status: Status,
}

const _: () = assert!(size_of::<Position<u64>>() <= 24);
const _: () = assert!(size_of::<Position<u128>>() <= 48);

/// The column, counted from the left, into which a stone is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Column(u8);

impl Column {
    /// The column with this number, counted from the left. Whether the board has it, the rules say.
    pub fn new(x: u8) -> Column {
        Column(x)
    }

    pub fn index(self) -> usize {
        self.0.into()
    }
}

const _: () = assert!(size_of::<Column>() == 1);

impl<W: Word> ConnectFour<W> {
    /// A board with room for four in a row that fits into the bits of `W`.
    pub fn new(width: usize, height: usize) -> Result<ConnectFour<W>, SizeError> {
        let bits = height.checked_add(1).and_then(|stride| stride.checked_mul(width));
        let fits = bits.is_some_and(|bits| bits <= W::BITS as usize);
        if !fits || width.min(height) == 0 || width.max(height) < 4 {
            let possible = format!(
                "the board must be at least 4 wide or 4 high (and 1 the other way), \
                 and width x (height + 1) at most {}",
                W::BITS
            );
            return Err(SizeError { game: "connect four", width, height, possible });
        }
        Ok(ConnectFour::of_size(width as u32, height as u32))
    }

    /// A board whose size was checked. Inlined, so that the compiler knows all of a known size.
    #[inline(always)]
    fn of_size(width: u32, height: u32) -> ConnectFour<W> {
        let stride = height + 1;
        let bottom = (0..width).fold(W::NONE, |bottom, x| bottom | W::bit(x * stride));
        let board = (0..height).fold(W::NONE, |board, y| board | bottom << y);
        // Less than four columns have room for upright lines only, and the distances of the other
        // kinds could exceed the word.
        let lines = if width < 4 { [1; 4] } else { [1, stride - 1, stride, stride + 1] };
        ConnectFour { width, height, bottom, board, lines }
    }

    pub fn width(&self) -> usize {
        self.width as usize
    }

    pub fn height(&self) -> usize {
        self.height as usize
    }

    /// The stones of both players: the cell of column x and row y is bit x * (height + 1) + y.
    pub fn stones(&self, position: &Position<W>) -> [W; 2] {
        position.stones
    }

    /// The free cell of every column that is not full, out of the stones of both players.
    #[inline(always)]
    fn playable(&self, stones: W) -> W {
        stones.plus(self.bottom) & self.board
    }

    /// The cells of one column.
    #[inline(always)]
    fn column(&self, x: u32) -> W {
        W::lowest_bits(self.height) << (x * (self.height + 1))
    }

    /// The cells on which one more stone would make four in a row, whether playable or not.
    fn completing(&self, own: W) -> W {
        let mut cells = W::NONE;
        for step in self.lines {
            // The free cell is the last, the third, the second or the first of the four.
            let two_before = own << step & own << (2 * step);
            let two_after = own >> step & own >> (2 * step);
            cells |= two_before & (own << (3 * step) | own >> step);
            cells |= two_after & (own << step | own >> (3 * step));
        }
        cells & self.board
    }

    /// The column and row of a cell.
    fn place(&self, index: u32) -> (usize, usize) {
        ((index / (self.height + 1)) as usize, (index % (self.height + 1)) as usize)
    }

    /// The loop of [`Game::playout`]. A column is drawn out of all and drawn again if it is full,
    /// which is uniform over the open ones and needs no list of them.
    #[inline(always)]
    fn play_out(&self, position: &mut Position<W>, rng: &mut Rng) {
        let Status::ToMove(mut mover) = position.status else { return };
        let mut own = position.stones[mover.index()];
        let mut other = position.stones[opponent(mover).index()];
        // A copy of one's own stays in registers for the whole match.
        let mut draws = rng.clone();
        let status = loop {
            let column = self.column(draws.below(self.width as usize) as u32);
            let stone = self.playable(own | other) & column;
            if stone.is_empty() {
                continue;
            }
            own |= stone;
            if has_four(own, self.lines) {
                break Status::Won(mover);
            }
            if own | other == self.board {
                break Status::Drawn;
            }
            (own, other) = (other, own);
            mover = opponent(mover);
        };
        *rng = draws;
        position.stones[mover.index()] = own;
        position.stones[opponent(mover).index()] = other;
        position.status = status;
    }
}

impl Default for ConnectFour<u64> {
    fn default() -> ConnectFour<u64> {
        ConnectFour::new(7, 6).expect("49 bits fit into 64")
    }
}

/// Whether four stones stand in a row, with these distances between neighbours.
#[inline(always)]
fn has_four<W: Word>(stones: W, lines: [u32; 4]) -> bool {
    let mut four = W::NONE;
    for step in lines {
        let two = stones & stones >> step;
        four |= two & two >> (2 * step);
    }
    !four.is_empty()
}

impl<W: Word> Game for ConnectFour<W> {
    type State = Position<W>;
    type Action = Column;

    fn players(&self) -> usize {
        2
    }

    fn start(&self) -> Position<W> {
        Position { stones: [W::NONE; 2], status: Status::ToMove(Player(0)) }
    }

    #[inline]
    fn turn(&self, position: &Position<W>) -> Turn {
        position.status.turn()
    }

    #[inline]
    fn actions(&self, position: &Position<W>, _: Player, out: &mut Vec<Column>) {
        let playable = self.playable(position.stones[0] | position.stones[1]);
        let open = (0..self.width).filter(|&x| playable.meets(self.column(x)));
        out.extend(open.map(|x| Column(x as u8)));
    }

    #[inline]
    fn apply(&self, position: &mut Position<W>, actions: &[Column]) {
        let mover = position.status.mover();
        let stones = position.stones[0] | position.stones[1];
        let stone = self.playable(stones) & self.column(u32::from(actions[0].0));
        debug_assert!(!stone.is_empty(), "the column is full");
        let own = position.stones[mover.index()] | stone;
        position.stones[mover.index()] = own;
        position.status = if has_four(own, self.lines) {
            Status::Won(mover)
        } else if stones | stone == self.board {
            Status::Drawn
        } else {
            Status::ToMove(opponent(mover))
        };
    }

    fn legal(&self, position: &Position<W>, player: Player, column: Column) -> bool {
        let playable = self.playable(position.stones[0] | position.stones[1]);
        let x = u32::from(column.0);
        position.status == Status::ToMove(player)
            && x < self.width
            && playable.meets(self.column(x))
    }

    #[inline]
    fn random_action(
        &self,
        position: &Position<W>,
        _: Player,
        _: &mut Vec<Column>,
        rng: &mut Rng,
    ) -> Column {
        let playable = self.playable(position.stones[0] | position.stones[1]);
        loop {
            let x = rng.below(self.width as usize) as u32;
            if playable.meets(self.column(x)) {
                return Column(x as u8);
            }
        }
    }

    fn playout(
        &self,
        position: &mut Position<W>,
        _: &mut Scratch<Column>,
        rng: &mut Rng,
    ) -> Payoffs {
        // The same loop twice: on the usual board the compiler knows the masks and distances.
        if (self.width, self.height) == (7, 6) {
            ConnectFour::of_size(7, 6).play_out(position, rng);
        } else {
            self.play_out(position, rng);
        }
        position.status.payoffs()
    }

    fn constant_sum(&self) -> bool {
        true
    }
}

impl<W: Word> Hints for ConnectFour<W> {
    fn provides(&self) -> HintSet {
        HintSet::of(&[Hint::Prune, Hint::Estimate, Hint::Cells])
    }

    /// Decisive and anti-decisive moves (Teytaud and Teytaud 2010): a win at once is taken, and if
    /// the opponent threatens one, only the cells that they need are worth a look.
    fn prune(
        &self,
        position: &Position<W>,
        player: Player,
        level: PruneLevel,
        actions: &mut Vec<Column>,
    ) {
        if level != PruneLevel::Actions {
            return;
        }
        let playable = self.playable(position.stones[0] | position.stones[1]);
        let wins = playable & self.completing(position.stones[player.index()]);
        let threats = playable & self.completing(position.stones[opponent(player).index()]);
        let urgent = if wins.is_empty() { threats } else { wins };
        keep_good(actions, |column| urgent.meets(self.column(u32::from(column.0))));
    }

    /// Counts the free cells that would make four in a row, and stones near the middle column.
    fn estimate(&self, position: &Position<W>) -> Option<Payoffs> {
        let free = !(position.stones[0] | position.stones[1]);
        let [first, second] = position.stones.map(|own| {
            let threats = f64::from((self.completing(own) & free).count());
            let near_middle: u32 = (0..self.width)
                .map(|x| (own & self.column(x)).count() * x.min(self.width - 1 - x))
                .sum();
            3.0 * threats + 0.25 * f64::from(near_middle)
        });
        Some(squash(first - second, 6.0))
    }

    fn cell_shape(&self) -> Option<CellShape> {
        Some(CellShape { rows: self.height(), columns: self.width(), n_codes: 3 })
    }

    fn cells(&self, position: &Position<W>, out: &mut Vec<u8>) {
        for y in 0..self.height {
            out.extend((0..self.width).map(|x| {
                let index = x * (self.height + 1) + y;
                owner_code(position.stones.map(|stones| stones.has(index)))
            }));
        }
    }
}

impl<W: Word> Orders for ConnectFour<W> {}

impl<W: Word> Encode for ConnectFour<W> {
    /// One's own stones, those of the opponent, and whether one is to move.
    fn observation_shape(&self) -> Option<ObservationShape> {
        Some(ObservationShape { planes: 3, rows: self.height(), columns: self.width() })
    }

    fn observe(&self, position: &Position<W>, player: Player, out: &mut [f32]) {
        // The same code twice: on the usual board the compiler knows what it divides by.
        if (self.width, self.height) == (7, 6) {
            ConnectFour::of_size(7, 6).write_planes(position, player, out);
        } else {
            self.write_planes(position, player, out);
        }
    }

    fn n_action_indices(&self) -> usize {
        self.width()
    }

    fn action_index(&self, _: &Position<W>, _: Player, column: Column) -> Option<usize> {
        Some(column.0.into())
    }

    #[inline]
    fn action_at(&self, position: &Position<W>, player: Player, index: usize) -> Option<Column> {
        let column = Column(u8::try_from(index).ok()?);
        self.legal(position, player, column).then_some(column)
    }

    #[inline]
    fn legal_mask(&self, position: &Position<W>, player: Player, out: &mut [bool]) {
        let playable = match position.status {
            Status::ToMove(mover) if mover == player => {
                self.playable(position.stones[0] | position.stones[1])
            }
            _ => W::NONE,
        };
        for (x, is_legal) in (0..).zip(out) {
            *is_legal = playable.meets(self.column(x));
        }
    }

    fn has_direct_indices(&self) -> bool {
        true
    }

    /// The mirror image.
    fn symmetries(&self) -> Vec<Symmetry> {
        let last = self.width() - 1;
        let mirrored = || (0..=last).map(|x| last - x).collect();
        let shape = self.observation_shape().into_iter();
        shape.map(|shape| Symmetry::of_cells(shape, |y, x| (y, last - x), mirrored())).collect()
    }
}

impl<W: Word> ConnectFour<W> {
    #[inline(always)]
    fn write_planes(&self, position: &Position<W>, player: Player, out: &mut [f32]) {
        let place = |bit: u32| {
            let (x, y) = (bit / (self.height + 1), bit % (self.height + 1));
            (y * self.width + x) as usize
        };
        observe_pieces(player, position.status, position.stones, place, out);
    }
}

impl<W: Word> Show for ConnectFour<W> {
    /// The letter of the column: the name of its lowest cell without the row.
    fn action_text(&self, _: &Position<W>, _: Player, action: Column) -> String {
        cell_name(action.0.into(), 0).trim_end_matches('1').to_owned()
    }

    fn view(&self, position: &Position<W>) -> View {
        let piece = |x: usize, y: usize| {
            let index = x as u32 * (self.height + 1) + y as u32;
            let owner = position.stones.iter().position(|stones| stones.has(index));
            piece_cell(owner, ["x", "o"], Shape::Stone)
        };
        let mut board = Board::square(self.width(), self.height(), piece);
        let caption = match position.status {
            Status::ToMove(player) => Phrase::to_move(self.player_name(player)),
            Status::Won(player) => {
                board.marked = self.winning_cells(position.stones[player.index()]);
                Phrase::new("{0} wins with four in a row").with(self.player_name(player))
            }
            Status::Drawn => Phrase::new("draw"),
        };
        View { board: Some(board), caption, ..View::default() }
    }

    /// The cell in which the stone comes to rest.
    fn action_cells(&self, position: &Position<W>, _: Player, action: Column) -> Vec<u16> {
        let playable = self.playable(position.stones[0] | position.stones[1]);
        let cell = playable & self.column(u32::from(action.0));
        let places = cell.indices().map(|index| self.place(index));
        places.map(|(x, y)| Board::square_index(self.width(), self.height(), x, y)).collect()
    }

    /// The whole column.
    fn action_area(&self, _: &Position<W>, _: Player, action: Column) -> Vec<u16> {
        let (width, height) = (self.width(), self.height());
        (0..height).map(|y| Board::square_index(width, height, action.0.into(), y)).collect()
    }

    fn player_name(&self, player: Player) -> Phrase {
        name_of(player, NAMES)
    }

    fn player_colour(&self, player: Player) -> Option<Colour> {
        Some([Colour::Yellow, Colour::Red][player.index()])
    }

    fn parse(&self, position: &Position<W>, player: Player, text: &str) -> Option<Column> {
        let column = parse_column(text.trim()).filter(|&column| column < self.width())?;
        if_legal(self, position, player, Column(column as u8))
    }
}

impl<W: Word> ConnectFour<W> {
    /// The cells of every four in a row among these stones, as the board lists them.
    fn winning_cells(&self, stones: W) -> Vec<u16> {
        let (width, height) = (self.width(), self.height());
        let has = |x: usize, y: usize| {
            x < width && y < height && stones.has(x as u32 * (self.height + 1) + y as u32)
        };
        let mut cells = std::collections::BTreeSet::new();
        for (x, y) in (0..width).flat_map(|x| (0..height).map(move |y| (x, y))) {
            for (right, up) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                let line = [0, 1, 2, 3].map(|i| {
                    (x + i * right, y.checked_add_signed(up * i as isize).unwrap_or(height))
                });
                if line.iter().all(|&(x, y)| has(x, y)) {
                    cells.extend(line.map(|(x, y)| Board::square_index(width, height, x, y)));
                }
            }
        }
        cells.into_iter().collect()
    }
}

const NAMES: [&str; 2] = ["yellow (x)", "red (o)"];
