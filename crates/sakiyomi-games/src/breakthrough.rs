//! Breakthrough (Dan Troyka, 2000): each player has two rows of pawns, which step straight or
//! diagonally forward and capture diagonally only. The player who first reaches the far row, or captures
//! every pawn of the other, wins. Someone can always move: the foremost pawn has a diagonal, and
//! nothing of its own side stands there. So there are no draws.
//!
//! White is the first player, starts in rows 1 and 2 and moves up; black starts in the two highest
//! rows and moves down.

use sakiyomi_core::{
    Board, CellShape, Colour, Encode, Game, Hint, HintSet, Hints, ObservationShape, Orders,
    Payoffs, Phrase, Player, PruneLevel, Rng, Scratch, Shape, Show, Symmetry, Turn, View,
    cell_name, if_legal, parse_cell,
};

use crate::two_players::{
    Status, keep_good, name_of, observe_pieces, opponent, owner_code, piece_cell, squash,
};
use crate::{SizeError, Word};

/// The rules on one size of board; 8x8 by default. `W` holds width x height bits, row by row from
/// the bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakthrough<W = u64> {
    width: u32,
    height: u32,
    /// The cells that are not in the first column, and those that are not in the last one.
    beyond_first: W,
    before_last: W,
}

/// The pawns of both players, and who is to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position<W = u64> {
    pawns: [W; 2],
    status: Status,
}

const _: () = assert!(size_of::<Position<u64>>() <= 24);
const _: () = assert!(size_of::<Position<u128>>() <= 48);

/// A step of a pawn from one cell to another, whether it captures or not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    from: u8,
    to: u8,
}

const _: () = assert!(size_of::<Step>() == 2);

impl<W: Word> Breakthrough<W> {
    /// A board with a free row between the pawns that fits into the bits of `W`.
    pub fn new(width: usize, height: usize) -> Result<Breakthrough<W>, SizeError> {
        let fits = width.checked_mul(height).is_some_and(|cells| cells <= W::BITS as usize);
        if !fits || width < 2 || height < 5 {
            let possible = format!(
                "the board must be at least 2 wide and 5 high, and width x height at most {}",
                W::BITS
            );
            return Err(SizeError { game: "breakthrough", width, height, possible });
        }
        let (width, height) = (width as u32, height as u32);
        let first = (0..height).fold(W::NONE, |cells, y| cells | W::bit(y * width));
        let board = W::lowest_bits(width * height);
        let before_last = board & !(first << (width - 1));
        Ok(Breakthrough { width, height, beyond_first: board & !first, before_last })
    }

    pub fn width(&self) -> usize {
        self.width as usize
    }

    pub fn height(&self) -> usize {
        self.height as usize
    }

    /// The cells of a row, counted from the bottom.
    #[inline(always)]
    fn row(&self, y: u32) -> W {
        W::lowest_bits(self.width) << (y * self.width)
    }

    /// The row from which `player` needs `n_steps` to the goal; with 0, the goal itself.
    #[inline(always)]
    fn row_before_goal(&self, player: Player, n_steps: u32) -> W {
        self.row(if player.0 == 0 { self.height - 1 - n_steps } else { n_steps })
    }

    /// Where the pawns of `player` can step to: towards the first column, straight ahead, and
    /// towards the last column.
    #[inline(always)]
    fn targets(&self, player: Player, own: W, other: W) -> [W; 3] {
        let ahead = if player.0 == 0 { own << self.width } else { own >> self.width };
        let first = ahead >> 1 & self.before_last & !own;
        let last = ahead << 1 & self.beyond_first & !own;
        [first, ahead & !(own | other), last]
    }

    /// The step of `player` to this cell; `lane` is an index into what [`Self::targets`] returns.
    #[inline(always)]
    fn step(&self, player: Player, lane: u32, to: u32) -> Step {
        let ahead_of = if player.0 == 0 { to - self.width } else { to + self.width };
        Step { from: (ahead_of + 1 - lane) as u8, to: to as u8 }
    }

    /// Draws a step. No 64 cells hold more targets than [`Word::draw`] can count. Up to 21 columns
    /// there are at most 42 pawns with three steps each. With 22 or more, 64 cells are two rows and
    /// 20 cells at most, and two neighbouring rows hold no more than three targets per column
    /// between them, as a cell of the nearer row is the source or the target of steps, never both.
    #[inline(always)]
    fn random_step(&self, player: Player, own: W, other: W, rng: &mut Rng) -> Step {
        let (lane, to) = W::draw(self.targets(player, own, other), rng);
        self.step(player, lane, to)
    }

    /// Moves a pawn of `own` and removes what stands in its way; true if that wins.
    #[inline(always)]
    fn make(&self, player: Player, own: &mut W, other: &mut W, step: Step) -> bool {
        let to = W::bit(u32::from(step.to));
        *own ^= W::bit(u32::from(step.from)) | to;
        *other &= !to;
        to.meets(self.row_before_goal(player, 0)) || other.is_empty()
    }

    /// Whether `player`, who is to move, can win with this move. A pawn one step from its goal
    /// always gets there: it has a diagonal, and nothing of its own side has arrived before it.
    fn wins_at_once(&self, player: Player, own: W, other: W) -> bool {
        let [first, _, last] = self.targets(player, own, other);
        own.meets(self.row_before_goal(player, 1))
            || (other.count() == 1 && other.meets(first | last))
    }

    /// The column and row of a cell.
    fn place(&self, cell: u8) -> (usize, usize) {
        (cell as usize % self.width(), cell as usize / self.width())
    }
}

impl Default for Breakthrough<u64> {
    fn default() -> Breakthrough<u64> {
        Breakthrough::new(8, 8).expect("64 bits fit into 64")
    }
}

impl<W: Word> Game for Breakthrough<W> {
    type State = Position<W>;
    type Action = Step;

    fn players(&self) -> usize {
        2
    }

    fn start(&self) -> Position<W> {
        let rows = |y: u32| self.row(y) | self.row(y + 1);
        Position { pawns: [rows(0), rows(self.height - 2)], status: Status::ToMove(Player(0)) }
    }

    #[inline]
    fn turn(&self, position: &Position<W>) -> Turn {
        position.status.turn()
    }

    #[inline]
    fn actions(&self, position: &Position<W>, player: Player, out: &mut Vec<Step>) {
        let own = position.pawns[player.index()];
        let other = position.pawns[opponent(player).index()];
        for (lane, targets) in (0..).zip(self.targets(player, own, other)) {
            out.extend(targets.indices().map(|to| self.step(player, lane, to)));
        }
    }

    #[inline]
    fn apply(&self, position: &mut Position<W>, actions: &[Step]) {
        let mover = position.status.mover();
        let [white, black] = &mut position.pawns;
        let (own, other) = if mover.0 == 0 { (white, black) } else { (black, white) };
        let won = self.make(mover, own, other, actions[0]);
        position.status = if won { Status::Won(mover) } else { Status::ToMove(opponent(mover)) };
    }

    #[inline]
    fn random_action(
        &self,
        position: &Position<W>,
        player: Player,
        _: &mut Vec<Step>,
        rng: &mut Rng,
    ) -> Step {
        let own = position.pawns[player.index()];
        let other = position.pawns[opponent(player).index()];
        self.random_step(player, own, other, rng)
    }

    fn playout(&self, position: &mut Position<W>, _: &mut Scratch<Step>, rng: &mut Rng) -> Payoffs {
        let Status::ToMove(first) = position.status else { return position.status.payoffs() };
        let [mut white, mut black] = position.pawns;
        let mut is_white_to_move = first.0 == 0;
        // Both colours in one round: the compiler then knows which way the pawns go.
        let winner = loop {
            if is_white_to_move {
                let step = self.random_step(Player(0), white, black, rng);
                if self.make(Player(0), &mut white, &mut black, step) {
                    break Player(0);
                }
            }
            is_white_to_move = true;
            let step = self.random_step(Player(1), black, white, rng);
            if self.make(Player(1), &mut black, &mut white, step) {
                break Player(1);
            }
        };
        *position = Position { pawns: [white, black], status: Status::Won(winner) };
        Payoffs::win(winner)
    }

    fn constant_sum(&self) -> bool {
        true
    }
}

impl<W: Word> Hints for Breakthrough<W> {
    fn provides(&self) -> HintSet {
        HintSet::of(&[Hint::Prune, Hint::Estimate, Hint::Cells])
    }

    /// Decisive and anti-decisive moves (Teytaud and Teytaud 2010): a win at once is taken, and
    /// otherwise only the steps after which the opponent has none are worth a look.
    fn prune(
        &self,
        position: &Position<W>,
        player: Player,
        level: PruneLevel,
        actions: &mut Vec<Step>,
    ) {
        if level != PruneLevel::Actions {
            return;
        }
        let rival = opponent(player);
        let (own, other) = (position.pawns[player.index()], position.pawns[rival.index()]);
        let after = |step: &Step| {
            let (mut own, mut other) = (own, other);
            let won = self.make(player, &mut own, &mut other, *step);
            (won, own, other)
        };
        if self.wins_at_once(player, own, other) {
            keep_good(actions, |step| after(step).0);
        } else if own.count() == 1 || self.wins_at_once(rival, other, own) {
            // A step never brings a pawn of the rival closer to its goal, but it can bring the
            // last one of the player within their reach.
            keep_good(actions, |step| {
                let (_, own, other) = after(step);
                !self.wins_at_once(rival, other, own)
            });
        }
    }

    /// Counts pawns, and how far they have come: with the square of the way, up to two pawns more.
    fn estimate(&self, position: &Position<W>) -> Option<Payoffs> {
        let [white, black] = [Player(0), Player(1)].map(|player| {
            let pawns = position.pawns[player.index()];
            let value = |n_steps: u32| {
                let way = 1.0 - f64::from(n_steps) / f64::from(self.height - 1);
                let n_pawns = (pawns & self.row_before_goal(player, n_steps)).count();
                f64::from(n_pawns) * (1.0 + 2.0 * way * way)
            };
            (1..self.height).map(value).sum::<f64>()
        });
        Some(squash(white - black, 4.0))
    }

    fn cell_shape(&self) -> Option<CellShape> {
        Some(CellShape { rows: self.height(), columns: self.width(), n_codes: 3 })
    }

    fn cells(&self, position: &Position<W>, out: &mut Vec<u8>) {
        let cell = |cell| owner_code(position.pawns.map(|pawns| pawns.has(cell)));
        out.extend((0..self.width * self.height).map(cell));
    }
}

impl<W: Word> Orders for Breakthrough<W> {}

impl<W: Word> Encode for Breakthrough<W> {
    /// One's own pawns, those of the opponent, and whether one is to move. Black sees the board
    /// turned around, so that the own pawns always move up.
    fn observation_shape(&self) -> Option<ObservationShape> {
        Some(ObservationShape { planes: 3, rows: self.height(), columns: self.width() })
    }

    fn observe(&self, position: &Position<W>, player: Player, out: &mut [f32]) {
        let place = |bit: u32| self.seen_by(player, bit as usize);
        observe_pieces(player, position.status, position.pawns, place, out);
    }

    /// Three for every cell that a pawn may leave.
    fn n_action_indices(&self) -> usize {
        3 * self.width() * self.height()
    }

    fn action_index(&self, _: &Position<W>, player: Player, step: Step) -> Option<usize> {
        let [from, to] = [step.from, step.to].map(|cell| self.seen_by(player, cell.into()));
        // One row up, and a column to the left, none, or one to the right.
        let lane = (to + 1).checked_sub(from + self.width())?;
        Some(3 * from + lane)
    }

    /// The mirror image.
    fn symmetries(&self) -> Vec<Symmetry> {
        let (rows, columns) = (self.height(), self.width());
        let shape = ObservationShape { planes: 3, rows, columns };
        let action = |index: usize| {
            let (cell, lane) = (index / 3, index % 3);
            let mirrored = cell - cell % columns + columns - 1 - cell % columns;
            3 * mirrored + 2 - lane
        };
        let actions = (0..3 * rows * columns).map(action).collect();
        vec![Symmetry::of_cells(shape, |y, x| (y, columns - 1 - x), actions)]
    }
}

impl<W: Word> Breakthrough<W> {
    /// A cell as `player` sees the board: black from the other side.
    fn seen_by(&self, player: Player, cell: usize) -> usize {
        if player.0 == 0 { cell } else { self.width() * self.height() - 1 - cell }
    }
}

impl<W: Word> Show for Breakthrough<W> {
    /// From and to, with `x` between them if a pawn is captured: `b2-b3`, `b2xc3`.
    fn action_text(&self, position: &Position<W>, player: Player, action: Step) -> String {
        let captures = position.pawns[opponent(player).index()].has(action.to.into());
        let [from, to] = [action.from, action.to].map(|cell| {
            let (x, y) = self.place(cell);
            cell_name(x, y)
        });
        format!("{from}{}{to}", if captures { 'x' } else { '-' })
    }

    fn view(&self, position: &Position<W>) -> View {
        let mut board = Board::square(self.width(), self.height(), |x, y| {
            let cell = (y * self.width() + x) as u32;
            let owner = position.pawns.iter().position(|pawns| pawns.has(cell));
            piece_cell(owner, ["w", "b"], Shape::Stone)
        });
        let caption = match position.status {
            Status::Won(player) => {
                let arrived = position.pawns[player.index()] & self.row_before_goal(player, 0);
                let goal = if player.0 == 0 { self.height } else { 1 };
                board.marked = arrived.indices().map(|cell| self.board_index(cell as u8)).collect();
                let name = self.player_name(player);
                match board.marked.is_empty() {
                    false => Phrase::new("{0} wins by reaching row {1}").with(name).with(goal),
                    true => Phrase::new("{0} wins by capturing every pawn").with(name),
                }
            }
            Status::ToMove(player) => Phrase::to_move(self.player_name(player)),
            Status::Drawn => Phrase::new("draw"),
        };
        View { board: Some(board), caption, ..View::default() }
    }

    /// The pawn, then where it goes.
    fn action_cells(&self, _: &Position<W>, _: Player, action: Step) -> Vec<u16> {
        [action.from, action.to].map(|cell| self.board_index(cell)).to_vec()
    }

    fn player_name(&self, player: Player) -> Phrase {
        name_of(player, NAMES)
    }

    fn player_colour(&self, player: Player) -> Option<Colour> {
        Some([Colour::White, Colour::Black][player.index()])
    }

    /// Whether a pawn is captured follows from the cells, but `-` and `x` must be told apart.
    fn parse(&self, position: &Position<W>, player: Player, text: &str) -> Option<Step> {
        let text = text.trim();
        let number = text.find(|c: char| c.is_ascii_digit())?;
        let middle = number + text[number..].find(['-', 'x', 'X'])?;
        let (from, to) = (&text[..middle], &text[middle + 1..]);
        let cell = |text: &str| {
            let inside = |&(x, y): &(usize, usize)| x < self.width() && y < self.height();
            let (x, y) = parse_cell(text).filter(inside)?;
            Some((y * self.width() + x) as u8)
        };
        let step = if_legal(self, position, player, Step { from: cell(from)?, to: cell(to)? })?;
        let written = self.action_text(position, player, step);
        written.eq_ignore_ascii_case(text).then_some(step)
    }
}

impl<W: Word> Breakthrough<W> {
    fn board_index(&self, cell: u8) -> u16 {
        let (x, y) = self.place(cell);
        Board::square_index(self.width(), self.height(), x, y)
    }
}

const NAMES: [&str; 2] = ["white", "black"];
