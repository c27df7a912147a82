//! Tic-tac-toe: two players mark the cells of a board of 3x3 in turn, and three of one's own marks
//! in a row win. A full board is a draw.

use sakiyomi_core::{
    Board, CellShape, Encode, Game, Hint, HintSet, Hints, ObservationShape, Orders, Payoffs,
    Phrase, Player, PruneLevel, Rng, Scratch, Shape, Show, Symmetry, Turn, View, cell_name,
    if_legal, parse_cell,
};

use crate::Word;
use crate::two_players::{
    Status, keep_good, name_of, observe_pieces, opponent, owner_code, piece_cell, write_mask,
};

/// The rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TicTacToe;

/// The marks of both players, and who is to move. Cells are numbered row by row from the bottom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    marks: [u16; 2],
    status: Status,
}

const _: () = assert!(size_of::<Position>() <= 8);

/// The cell that is marked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mark(u8);

const _: () = assert!(size_of::<Mark>() == 1);

const SIDE: usize = 3;
const BOARD: u16 = 0b111_111_111;

impl Position {
    #[inline]
    fn free(&self) -> u16 {
        BOARD & !(self.marks[0] | self.marks[1])
    }
}

impl Game for TicTacToe {
    type State = Position;
    type Action = Mark;

    fn players(&self) -> usize {
        2
    }

    fn start(&self) -> Position {
        Position { marks: [0; 2], status: Status::ToMove(Player(0)) }
    }

    #[inline]
    fn turn(&self, position: &Position) -> Turn {
        position.status.turn()
    }

    #[inline]
    fn actions(&self, position: &Position, _: Player, out: &mut Vec<Mark>) {
        out.extend(u64::from(position.free()).indices().map(|cell| Mark(cell as u8)));
    }

    #[inline]
    fn apply(&self, position: &mut Position, actions: &[Mark]) {
        let mover = position.status.mover();
        let own = &mut position.marks[mover.index()];
        *own |= 1 << actions[0].0;
        position.status = if has_three(*own) {
            Status::Won(mover)
        } else if position.free() == 0 {
            Status::Drawn
        } else {
            Status::ToMove(opponent(mover))
        };
    }

    fn legal(&self, position: &Position, player: Player, mark: Mark) -> bool {
        position.status == Status::ToMove(player) && u64::from(position.free()).has(mark.0.into())
    }

    #[inline]
    fn random_action(
        &self,
        position: &Position,
        _: Player,
        _: &mut Vec<Mark>,
        rng: &mut Rng,
    ) -> Mark {
        Mark(u64::draw([u64::from(position.free())], rng).1 as u8)
    }

    /// One draw serves for all moves: what the multiplication of a pick leaves below the point is
    /// the fraction for the next one. The bias stays under 9! / 2^64.
    fn playout(&self, position: &mut Position, _: &mut Scratch<Mark>, rng: &mut Rng) -> Payoffs {
        let Status::ToMove(mut mover) = position.status else { return position.status.payoffs() };
        let mut own = position.marks[mover.index()];
        let mut other = position.marks[opponent(mover).index()];
        let mut n_free = position.free().count_ones();
        let mut list = LISTS[position.free() as usize];
        let mut fraction = rng.bits();
        let status = loop {
            let product = u128::from(fraction) * u128::from(n_free);
            fraction = product as u64;
            let shift = 4 * (product >> 64) as u32;
            own |= 1 << (list >> shift & 15);
            if has_three(own) {
                break Status::Won(mover);
            }
            n_free -= 1;
            if n_free == 0 {
                break Status::Drawn;
            }
            let before = (1 << shift) - 1;
            list = list & before | list >> 4 & !before;
            (own, other) = (other, own);
            mover = opponent(mover);
        };
        position.marks[mover.index()] = own;
        position.marks[opponent(mover).index()] = other;
        position.status = status;
        status.payoffs()
    }

    fn constant_sum(&self) -> bool {
        true
    }
}

/// Whether three of these marks stand in a row.
#[inline]
fn has_three(marks: u16) -> bool {
    HAS_THREE[usize::from(marks & BOARD)]
}

const ROWS: [usize; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];

static HAS_THREE: [bool; 512] = {
    let mut table = [false; 512];
    let mut marks = 0;
    while marks < 512 {
        let mut i = 0;
        while i < ROWS.len() {
            table[marks] |= marks & ROWS[i] == ROWS[i];
            i += 1;
        }
        marks += 1;
    }
    table
};

/// The set bits of a word of nine, lowest first, in four bits each.
static LISTS: [u64; 512] = {
    let mut table = [0; 512];
    let mut word = 0;
    while word < 512 {
        let mut cell = 9;
        while cell > 0 {
            cell -= 1;
            if word >> cell & 1 == 1 {
                table[word] = table[word] << 4 | cell;
            }
        }
        word += 1;
    }
    table
};

impl Hints for TicTacToe {
    fn provides(&self) -> HintSet {
        HintSet::of(&[Hint::Prune, Hint::Cells])
    }

    /// Decisive and anti-decisive moves (Teytaud and Teytaud 2010): a win at once is taken, and if
    /// the opponent threatens one, only the cells that they need are worth a look.
    fn prune(
        &self,
        position: &Position,
        player: Player,
        level: PruneLevel,
        actions: &mut Vec<Mark>,
    ) {
        if level != PruneLevel::Actions {
            return;
        }
        let completes = |marks: u16, mark: &Mark| has_three(marks | 1 << mark.0);
        let own = position.marks[player.index()];
        let other = position.marks[opponent(player).index()];
        if actions.iter().any(|mark| completes(own, mark)) {
            actions.retain(|mark| completes(own, mark));
        } else {
            keep_good(actions, |mark| completes(other, mark));
        }
    }

    fn cell_shape(&self) -> Option<CellShape> {
        Some(CellShape { rows: SIDE, columns: SIDE, n_codes: 3 })
    }

    fn cells(&self, position: &Position, out: &mut Vec<u8>) {
        out.extend((0..9).map(|cell| owner_code(position.marks.map(|own| own >> cell & 1 == 1))));
    }
}

impl Orders for TicTacToe {}

impl Encode for TicTacToe {
    /// One's own marks, those of the opponent, and whether one is to move.
    fn observation_shape(&self) -> Option<ObservationShape> {
        Some(ObservationShape { planes: 3, rows: SIDE, columns: SIDE })
    }

    #[inline]
    fn observe(&self, position: &Position, player: Player, out: &mut [f32]) {
        let marks = position.marks.map(u64::from);
        observe_pieces(player, position.status, marks, |bit| bit as usize, out);
    }

    fn n_action_indices(&self) -> usize {
        SIDE * SIDE
    }

    fn action_index(&self, _: &Position, _: Player, mark: Mark) -> Option<usize> {
        Some(mark.0.into())
    }

    #[inline]
    fn action_at(&self, position: &Position, player: Player, index: usize) -> Option<Mark> {
        let mark = Mark(index as u8);
        (index < SIDE * SIDE && self.legal(position, player, mark)).then_some(mark)
    }

    #[inline]
    fn legal_mask(&self, position: &Position, player: Player, out: &mut [bool]) {
        let is_mover = position.status == Status::ToMove(player);
        write_mask(if is_mover { u64::from(position.free()) } else { 0 }, out);
    }

    fn has_direct_indices(&self) -> bool {
        true
    }

    /// The seven turns and mirror images of a square.
    fn symmetries(&self) -> Vec<Symmetry> {
        let shape = ObservationShape { planes: 3, rows: SIDE, columns: SIDE };
        let symmetry = |code: usize| {
            let flip = |flips: bool, i: usize| if flips { SIDE - 1 - i } else { i };
            let map = |y: usize, x: usize| {
                let (y, x) = if code & 4 > 0 { (x, y) } else { (y, x) };
                (flip(code & 1 > 0, y), flip(code & 2 > 0, x))
            };
            let cell = |cell: usize| {
                let (y, x) = map(cell / SIDE, cell % SIDE);
                y * SIDE + x
            };
            Symmetry::of_cells(shape, map, (0..SIDE * SIDE).map(cell).collect())
        };
        (1..8).map(symmetry).collect()
    }
}

impl Show for TicTacToe {
    fn action_text(&self, _: &Position, _: Player, action: Mark) -> String {
        cell_name(action.0 as usize % SIDE, action.0 as usize / SIDE)
    }

    fn view(&self, position: &Position) -> View {
        let mut board = Board::square(SIDE, SIDE, |x, y| {
            let owner = position.marks.iter().position(|marks| marks >> (y * SIDE + x) & 1 == 1);
            piece_cell(owner, NAMES, Shape::Mark)
        });
        let caption = match position.status {
            Status::ToMove(player) => Phrase::to_move(self.player_name(player)),
            Status::Won(player) => {
                let own = usize::from(position.marks[player.index()]);
                let lines = ROWS.iter().filter(|&&row| own & row == row);
                let cells = lines.fold(0, |cells, row| cells | *row as u64);
                board.marked = cells.indices().map(|cell| board_index(cell as usize)).collect();
                Phrase::new("{0} wins with three in a row").with(self.player_name(player))
            }
            Status::Drawn => Phrase::new("draw"),
        };
        View { board: Some(board), caption, ..View::default() }
    }

    fn action_cells(&self, _: &Position, _: Player, action: Mark) -> Vec<u16> {
        vec![board_index(action.0.into())]
    }

    fn player_name(&self, player: Player) -> Phrase {
        name_of(player, NAMES)
    }

    fn parse(&self, position: &Position, player: Player, text: &str) -> Option<Mark> {
        let (x, y) = parse_cell(text.trim()).filter(|&(x, y)| x < SIDE && y < SIDE)?;
        if_legal(self, position, player, Mark((y * SIDE + x) as u8))
    }
}

fn board_index(cell: usize) -> u16 {
    Board::square_index(SIDE, SIDE, cell % SIDE, cell / SIDE)
}

const NAMES: [&str; 2] = ["x", "o"];
