//! Othello (Goro Hasegawa, 1971), also known as Reversi: a disc is placed so that it encloses
//! discs of the other colour in straight lines, and all of those are turned over. Who cannot place
//! a disc passes; when neither can, the game is over and more discs win. Black is the first player.

use std::cmp::Ordering;

use sakiyomi_core::{
    Board, CellShape, Colour, Encode, Game, Hint, HintSet, Hints, ObservationShape, Orders,
    Payoffs, Phrase, Player, PlayerView, Rng, Score, Scratch, Shape, Show, Symmetry, Turn, View,
    cell_name, if_legal, parse_cell,
};

use crate::Word;
use crate::two_players::{
    Status, name_of, observe_pieces, opponent, owner_code, piece_cell, squash, write_mask,
};

/// The rules, on the usual board of 8x8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Othello;

/// The discs of both players, and who is to move. Cells are numbered row by row from the bottom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    discs: [u64; 2],
    /// Where the player to move may place a disc; if there is no such cell, they have to pass.
    open: u64,
    status: Status,
}

const _: () = assert!(size_of::<Position>() <= 32);

/// The cell in which a disc is placed, or a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Placement(u8);

const _: () = assert!(size_of::<Placement>() == 1);

impl Placement {
    /// What a player does who cannot place a disc.
    pub const PASS: Placement = Placement(64);
}

const SIDE: usize = 8;

impl Game for Othello {
    type State = Position;
    type Action = Placement;

    fn players(&self) -> usize {
        2
    }

    /// White has d4 and e5, black d5 and e4.
    fn start(&self) -> Position {
        let cell = |x: usize, y: usize| 1 << (y * SIDE + x);
        let discs = [cell(3, 4) | cell(4, 3), cell(3, 3) | cell(4, 4)];
        Position { discs, open: open_cells(discs[0], discs[1]), status: Status::ToMove(Player(0)) }
    }

    #[inline]
    fn turn(&self, position: &Position) -> Turn {
        position.status.turn()
    }

    #[inline]
    fn actions(&self, position: &Position, _: Player, out: &mut Vec<Placement>) {
        if position.open == 0 {
            out.push(Placement::PASS);
        }
        out.extend(position.open.indices().map(|cell| Placement(cell as u8)));
    }

    #[inline]
    fn apply(&self, position: &mut Position, actions: &[Placement]) {
        let mover = position.status.mover();
        let next = opponent(mover);
        let (mut own, mut other) = (position.discs[mover.index()], position.discs[next.index()]);
        if actions[0] != Placement::PASS {
            place(&mut own, &mut other, actions[0].0.into());
            position.discs[mover.index()] = own;
            position.discs[next.index()] = other;
        }
        position.open = open_cells(other, own);
        let is_over = position.open == 0 && open_cells(own, other) == 0;
        position.status = if is_over { result(position.discs) } else { Status::ToMove(next) };
    }

    fn legal(&self, position: &Position, player: Player, action: Placement) -> bool {
        let is_possible = match action {
            Placement::PASS => position.open == 0,
            Placement(cell) => position.open.has(cell.into()),
        };
        position.status == Status::ToMove(player) && is_possible
    }

    #[inline]
    fn random_action(
        &self,
        position: &Position,
        _: Player,
        _: &mut Vec<Placement>,
        rng: &mut Rng,
    ) -> Placement {
        if position.open == 0 {
            return Placement::PASS;
        }
        Placement(u64::draw([position.open], rng).1 as u8)
    }

    fn playout(
        &self,
        position: &mut Position,
        _: &mut Scratch<Placement>,
        rng: &mut Rng,
    ) -> Payoffs {
        let Status::ToMove(mut mover) = position.status else { return position.status.payoffs() };
        let mut own = position.discs[mover.index()];
        let mut other = position.discs[opponent(mover).index()];
        let mut open = position.open;
        loop {
            if open != 0 {
                let (_, cell) = u64::draw([open], rng);
                place(&mut own, &mut other, cell);
            } else if open_cells(other, own) == 0 {
                break;
            }
            (own, other) = (other, own);
            mover = opponent(mover);
            open = open_cells(own, other);
        }
        position.discs[mover.index()] = own;
        position.discs[opponent(mover).index()] = other;
        position.open = 0;
        position.status = result(position.discs);
        position.status.payoffs()
    }

    fn constant_sum(&self) -> bool {
        true
    }
}

/// Where a disc of `own` would enclose some of `other`.
#[inline(always)]
fn open_cells(own: u64, other: u64) -> u64 {
    // Lines other than upright ones turn over no disc at the left or right edge, so leaving those
    // out keeps lines from running on into the next row.
    let inner = other & 0x7e7e_7e7e_7e7e_7e7e;
    let mut open = 0;
    for (step, through) in [(1, inner), (7, inner), (8, other), (9, inner)] {
        // Runs of up to six discs next to one's own, grown by one disc, then by two at a time.
        let mut up = through & own << step;
        let mut down = through & own >> step;
        up |= through & up << step;
        down |= through & down >> step;
        let pairs_up = through & through << step;
        let pairs_down = pairs_up >> step;
        for _ in 0..2 {
            up |= pairs_up & up << (2 * step);
            down |= pairs_down & down >> (2 * step);
        }
        open |= up << step | down >> step;
    }
    open & !(own | other)
}

/// Places a disc of `own` and turns over what it encloses: on every ray from the cell the discs
/// before the nearest cell that is not the opponent's, if that is the mover's.
#[inline(always)]
fn place(own: &mut u64, other: &mut u64, cell: u32) {
    let mut flips = 0;
    for (up, down) in RAYS[cell as usize & 63] {
        let stops = up & !*other;
        let end = stops & stops.wrapping_neg() & *own;
        flips |= up & end.wrapping_sub(u64::from(end != 0));
        // Bit 0 stands in for a ray without a stop; it belongs to the opponent or to no ray then.
        let stops = down & !*other | 1;
        let end = 1 << stops.ilog2() & *own & down;
        flips |= down & (end << 1).wrapping_neg();
    }
    *own |= 1 << cell | flips;
    *other ^= flips;
}

/// The cells on the eight rays from each cell: the four on which bits go up, with their opposites.
static RAYS: [[(u64, u64); 4]; 64] = {
    let mut table = [[(0, 0); 4]; 64];
    let mut cell = 0;
    while cell < 64 {
        let mut i = 0;
        while i < 4 {
            let (dx, dy) = [(1, 0), (-1, 1), (0, 1), (1, 1)][i];
            table[cell][i] = (ray(cell as i32, dx, dy), ray(cell as i32, -dx, -dy));
            i += 1;
        }
        cell += 1;
    }
    table
};

const fn ray(cell: i32, dx: i32, dy: i32) -> u64 {
    let side = SIDE as i32;
    let (mut x, mut y, mut cells) = (cell % side + dx, cell / side + dy, 0);
    while 0 <= x && x < side && 0 <= y && y < side {
        cells |= 1 << (y * side + x);
        (x, y) = (x + dx, y + dy);
    }
    cells
}

/// How it ended, by the discs of black and white.
fn result(discs: [u64; 2]) -> Status {
    match discs[0].count_ones().cmp(&discs[1].count_ones()) {
        Ordering::Greater => Status::Won(Player(0)),
        Ordering::Less => Status::Won(Player(1)),
        Ordering::Equal => Status::Drawn,
    }
}

impl Hints for Othello {
    fn provides(&self) -> HintSet {
        HintSet::of(&[Hint::Estimate, Hint::Cells])
    }

    /// Counts open cells, corners, discs that give a corner away, and, the fuller the board is,
    /// discs as such.
    fn estimate(&self, position: &Position) -> Option<Payoffs> {
        let [black, white] = position.discs;
        let filled = f64::from((black | white).count_ones()) / 64.0;
        let [first, second] = [(black, white), (white, black)].map(|(own, other)| {
            let mut score = f64::from(open_cells(own, other).count_ones());
            for (corner, diagonal) in CORNERS {
                if own.has(corner) {
                    score += 8.0;
                } else if own.has(diagonal) && !other.has(corner) {
                    score -= 4.0;
                }
            }
            score + filled * filled * f64::from(own.count_ones())
        });
        Some(squash(first - second, 10.0))
    }

    fn cell_shape(&self) -> Option<CellShape> {
        Some(CellShape { rows: SIDE, columns: SIDE, n_codes: 3 })
    }

    fn cells(&self, position: &Position, out: &mut Vec<u8>) {
        out.extend((0..64).map(|cell| owner_code(position.discs.map(|discs| discs.has(cell)))));
    }
}

/// The corners, each with its diagonal neighbour.
const CORNERS: [(u32, u32); 4] = [(0, 9), (7, 14), (56, 49), (63, 54)];

impl Orders for Othello {}

impl Encode for Othello {
    /// One's own discs, those of the opponent, whether one is to move, and where one may place a disc.
    fn observation_shape(&self) -> Option<ObservationShape> {
        Some(ObservationShape { planes: 4, rows: SIDE, columns: SIDE })
    }

    #[inline]
    fn observe(&self, position: &Position, player: Player, out: &mut [f32]) {
        let (planes, of_open) = out.split_at_mut(3 * SIDE * SIDE);
        observe_pieces(player, position.status, position.discs, |bit| bit as usize, planes);
        let open = if position.status == Status::ToMove(player) { position.open } else { 0 };
        of_open.fill(0.0);
        open.indices().for_each(|cell| of_open[cell as usize] = 1.0);
    }

    /// The cells, and a pass.
    fn n_action_indices(&self) -> usize {
        SIDE * SIDE + 1
    }

    fn action_index(&self, _: &Position, _: Player, action: Placement) -> Option<usize> {
        Some(action.0.into())
    }

    #[inline]
    fn action_at(&self, position: &Position, player: Player, index: usize) -> Option<Placement> {
        let action = Placement(index as u8);
        (index <= SIDE * SIDE && self.legal(position, player, action)).then_some(action)
    }

    #[inline]
    fn legal_mask(&self, position: &Position, player: Player, out: &mut [bool]) {
        let is_mover = position.status == Status::ToMove(player);
        let (of_cells, of_pass) = out.split_at_mut(SIDE * SIDE);
        write_mask(if is_mover { position.open } else { 0 }, of_cells);
        of_pass.fill(is_mover && position.open == 0);
    }

    fn has_direct_indices(&self) -> bool {
        true
    }

    /// The first position is its own image across both diagonals, and so after half a turn.
    fn symmetries(&self) -> Vec<Symmetry> {
        type CellMap = fn(usize, usize) -> (usize, usize);
        const LAST: usize = SIDE - 1;
        let maps: [CellMap; 3] =
            [|y, x| (x, y), |y, x| (LAST - x, LAST - y), |y, x| (LAST - y, LAST - x)];
        let symmetry = |map: CellMap| {
            let shape = ObservationShape { planes: 4, rows: SIDE, columns: SIDE };
            let cell = |cell: usize| {
                let (y, x) = map(cell / SIDE, cell % SIDE);
                y * SIDE + x
            };
            let actions = (0..SIDE * SIDE).map(cell).chain([SIDE * SIDE]).collect();
            Symmetry::of_cells(shape, map, actions)
        };
        maps.into_iter().map(symmetry).collect()
    }
}

impl Show for Othello {
    fn action_text(&self, _: &Position, _: Player, action: Placement) -> String {
        if action == Placement::PASS {
            return "pass".to_owned();
        }
        cell_name(action.0 as usize % SIDE, action.0 as usize / SIDE)
    }

    fn view(&self, position: &Position) -> View {
        let mut board = Board::square(SIDE, SIDE, |x, y| {
            let cell = (from_top(y) * SIDE + x) as u32;
            let owner = position.discs.iter().position(|discs| discs.has(cell));
            piece_cell(owner, ["x", "o"], Shape::Stone)
        });
        board.row_labels.reverse();
        let counts = position.discs.map(u64::count_ones);
        let players = [Player(0), Player(1)].map(|player| {
            let n = counts[player.index()];
            let score = Some(Score { value: n.into(), text: discs(n) });
            PlayerView { name: self.player_name(player), score, hand: None }
        });
        let (caption, note) = match position.status {
            Status::ToMove(player) => {
                let note = (position.open == 0).then(|| Phrase::new("no move but a pass"));
                (Phrase::to_move(self.player_name(player)), note)
            }
            Status::Won(player) => {
                let (more, less) = (counts[player.index()], counts[opponent(player).index()]);
                let name = self.player_name(player);
                (Phrase::new("{0} wins by {1} to {2}").with(name).with(more).with(less), None)
            }
            Status::Drawn => (Phrase::new("draw"), None),
        };
        let players = players.to_vec();
        View { board: Some(board), players, caption, note, ..View::default() }
    }

    fn action_cells(&self, _: &Position, _: Player, action: Placement) -> Vec<u16> {
        if action == Placement::PASS {
            return Vec::new();
        }
        let cell = action.0 as usize;
        vec![Board::square_index(SIDE, SIDE, cell % SIDE, from_top(cell / SIDE))]
    }

    fn player_name(&self, player: Player) -> Phrase {
        name_of(player, NAMES)
    }

    fn player_colour(&self, player: Player) -> Option<Colour> {
        Some([Colour::Black, Colour::White][player.index()])
    }

    fn parse(&self, position: &Position, player: Player, text: &str) -> Option<Placement> {
        if text.trim().eq_ignore_ascii_case("pass") {
            return if_legal(self, position, player, Placement::PASS);
        }
        let (x, y) = parse_cell(text.trim()).filter(|&(x, y)| x < SIDE && y < SIDE)?;
        if_legal(self, position, player, Placement((y * SIDE + x) as u8))
    }
}

fn discs(n: u32) -> Phrase {
    Phrase::new(if n == 1 { "{0} disc" } else { "{0} discs" }).with(n)
}

const NAMES: [&str; 2] = ["black (x)", "white (o)"];

/// Othello is written with its first row at the top.
fn from_top(row: usize) -> usize {
    SIDE - 1 - row
}
