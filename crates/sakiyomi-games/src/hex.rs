//! Hex (Piet Hein 1942, John Nash 1948): the players take turns to put a stone on an empty cell of a
//! board of hexagons. The first player wins with a chain from the bottom row to the top row, the
//! second with one from the first column to the last. A full board has exactly one such chain, so
//! there are no draws. There is no swap rule.

use sakiyomi_core::{
    Board, CellShape, Colour, Encode, Game, Grid, Hint, HintSet, Hints, ObservationShape, Orders,
    Payoffs, Phrase, Player, Rng, Scratch, Shape, Show, Symmetry, Turn, View, cell_name, if_legal,
    parse_cell,
};

use crate::two_players::{
    Status, name_of, observe_pieces, opponent, owner_code, piece_cell, write_mask,
};
use crate::{SizeError, Word};

/// The rules on one size of board; 11x11 needs `u128`. `W` holds width x height bits, row by row
/// from the bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hex<W = u128> {
    width: u32,
    height: u32,
    board: W,
    /// The cells that are not in the first column, and those that are not in the last one.
    beyond_first: W,
    before_last: W,
    /// For each player the edge where a chain starts, and the one where it ends.
    edges: [[W; 2]; 2],
}

/// The stones of both players, and who is to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position<W = u128> {
    stones: [W; 2],
    status: Status,
}

/// The cell on which a stone is put.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stone(u8);

impl<W: Word> Hex<W> {
    /// A board of at least 2x2 cells that fits into the bits of `W`.
    pub fn new(width: usize, height: usize) -> Result<Hex<W>, SizeError> {
        let fits = width.checked_mul(height).is_some_and(|cells| cells <= W::BITS as usize);
        if !fits || width < 2 || height < 2 {
            let possible = format!(
                "the board must be at least 2 wide and 2 high, and width x height at most {}",
                W::BITS
            );
            return Err(SizeError { game: "hex", width, height, possible });
        }
        let (width, height) = (width as u32, height as u32);
        let board = W::lowest_bits(width * height);
        let bottom = W::lowest_bits(width);
        let first = (0..height).fold(W::NONE, |cells, y| cells | W::bit(y * width));
        let last = first << (width - 1);
        let edges = [[bottom, bottom << (width * (height - 1))], [first, last]];
        Ok(Hex {
            width,
            height,
            board,
            beyond_first: board & !first,
            before_last: board & !last,
            edges,
        })
    }

    fn width(&self) -> usize {
        self.width as usize
    }

    fn height(&self) -> usize {
        self.height as usize
    }

    /// The cells that touch one of these, and these themselves. Cell (x, y) touches (x±1, y),
    /// (x, y±1), (x+1, y-1) and (x-1, y+1).
    #[inline]
    fn around(&self, cells: W) -> W {
        let same_row = cells << 1 & self.beyond_first | cells >> 1 & self.before_last;
        let column = cells << self.width | cells >> self.width;
        let diagonal = cells << (self.width - 1) & self.before_last
            | cells >> (self.width - 1) & self.beyond_first;
        cells | same_row | column | diagonal
    }

    /// The stones of a player that hang together with the edge where a chain starts.
    #[inline]
    fn chain(&self, player: Player, stones: W) -> W {
        let [start, end] = self.edges[player.index()];
        let mut chain = stones & start;
        loop {
            let grown = self.around(chain) & stones;
            if grown == chain || grown.meets(end) {
                return grown;
            }
            chain = grown;
        }
    }

    /// The shortest chain between the two edges of a player who has won.
    fn shortest_chain(&self, player: Player, stones: W) -> Vec<u32> {
        let [start, end] = self.edges[player.index()];
        let mut reached = vec![stones & start];
        while let Some(&last) = reached.last().filter(|last| !last.meets(end)) {
            let grown = self.around(last) & stones;
            if grown == last {
                return Vec::new();
            }
            reached.push(grown);
        }
        let mut chain = Vec::new();
        let mut near = end;
        for &stones in reached.iter().rev() {
            let cell = (stones & near).lowest();
            chain.push(cell);
            near = self.around(W::bit(cell));
        }
        chain
    }

    #[inline]
    fn connects(&self, player: Player, stones: W) -> bool {
        self.chain(player, stones).meets(self.edges[player.index()][1])
    }

    fn empty(&self, position: &Position<W>) -> W {
        self.board & !(position.stones[0] | position.stones[1])
    }

    fn board_index(&self, cell: u32) -> u16 {
        let (x, y) = (cell % self.width, cell / self.width);
        Board::square_index(self.width(), self.height(), x as usize, y as usize)
    }
}

impl<W: Word> Game for Hex<W> {
    type State = Position<W>;
    type Action = Stone;

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

    fn actions(&self, position: &Position<W>, _: Player, out: &mut Vec<Stone>) {
        out.extend(self.empty(position).indices().map(|cell| Stone(cell as u8)));
    }

    fn apply(&self, position: &mut Position<W>, actions: &[Stone]) {
        let mover = position.status.mover();
        let own = &mut position.stones[mover.index()];
        *own |= W::bit(actions[0].0.into());
        let won = self.connects(mover, *own);
        position.status = if won { Status::Won(mover) } else { Status::ToMove(opponent(mover)) };
    }

    fn legal(&self, position: &Position<W>, player: Player, action: Stone) -> bool {
        position.status == Status::ToMove(player)
            && u32::from(action.0) < W::BITS
            && self.empty(position).has(action.0.into())
    }

    fn random_action(
        &self,
        position: &Position<W>,
        _: Player,
        _: &mut Vec<Stone>,
        rng: &mut Rng,
    ) -> Stone {
        Stone(W::draw([self.empty(position)], rng).1 as u8)
    }

    /// Stones that come after the win do not change the winner, so the board is filled at once: the
    /// player to move gets half of the empty cells, and one more if their number is odd.
    fn playout(
        &self,
        position: &mut Position<W>,
        _: &mut Scratch<Stone>,
        rng: &mut Rng,
    ) -> Payoffs {
        let Status::ToMove(mover) = position.status else { return position.status.payoffs() };
        let mut rest = self.empty(position);
        let n_empty = rest.count();
        for _ in 0..n_empty / 2 {
            let cell = W::bit(W::draw([rest], rng).1);
            position.stones[opponent(mover).index()] |= cell;
            rest ^= cell;
        }
        position.stones[mover.index()] |= rest;
        let first_wins = self.connects(Player(0), position.stones[0]);
        position.status = Status::Won(Player(u8::from(!first_wins)));
        position.status.payoffs()
    }

    fn constant_sum(&self) -> bool {
        true
    }
}

impl<W: Word> Hints for Hex<W> {
    fn provides(&self) -> HintSet {
        HintSet::of(&[Hint::TurnsLeft, Hint::Cells])
    }

    fn turns_left(&self, position: &Position<W>) -> Option<u32> {
        Some(self.empty(position).count())
    }

    fn cell_shape(&self) -> Option<CellShape> {
        Some(CellShape { rows: self.height(), columns: self.width(), n_codes: 3 })
    }

    fn cells(&self, position: &Position<W>, out: &mut Vec<u8>) {
        let code = |cell| owner_code(position.stones.map(|stones| stones.has(cell)));
        out.extend((0..self.width * self.height).map(code));
    }
}

impl<W: Word> Orders for Hex<W> {}

impl<W: Word> Encode for Hex<W> {
    fn observation_shape(&self) -> Option<ObservationShape> {
        Some(ObservationShape { planes: 3, rows: self.height(), columns: self.width() })
    }

    fn observe(&self, position: &Position<W>, player: Player, out: &mut [f32]) {
        observe_pieces(player, position.status, position.stones, |bit| bit as usize, out);
    }

    fn n_action_indices(&self) -> usize {
        self.width() * self.height()
    }

    fn action_index(&self, _: &Position<W>, _: Player, stone: Stone) -> Option<usize> {
        Some(stone.0.into())
    }

    fn action_at(&self, position: &Position<W>, player: Player, index: usize) -> Option<Stone> {
        let stone = Stone(u8::try_from(index).ok()?);
        self.legal(position, player, stone).then_some(stone)
    }

    fn legal_mask(&self, position: &Position<W>, player: Player, out: &mut [bool]) {
        let is_mover = position.status == Status::ToMove(player);
        write_mask(if is_mover { self.empty(position) } else { W::NONE }, out);
    }

    fn has_direct_indices(&self) -> bool {
        true
    }

    /// Half a turn.
    fn symmetries(&self) -> Vec<Symmetry> {
        let (rows, columns) = (self.height(), self.width());
        let shape = ObservationShape { planes: 3, rows, columns };
        let actions = (0..rows * columns).rev().collect();
        let turned = |y: usize, x: usize| (rows - 1 - y, columns - 1 - x);
        vec![Symmetry::of_cells(shape, turned, actions)]
    }
}

impl<W: Word> Show for Hex<W> {
    fn action_text(&self, _: &Position<W>, _: Player, action: Stone) -> String {
        let cell = usize::from(action.0);
        cell_name(cell % self.width(), cell / self.width())
    }

    fn view(&self, position: &Position<W>) -> View {
        let mut board = Board::square(self.width(), self.height(), |x, y| {
            let cell = (y * self.width() + x) as u32;
            let owner = position.stones.iter().position(|stones| stones.has(cell));
            piece_cell(owner, ["x", "o"], Shape::Stone)
        });
        board.grid = Grid::Hex;
        board.edges = [Some(0), Some(1), Some(0), Some(1)];
        let caption = match position.status {
            Status::Won(player) => {
                let chain = self.shortest_chain(player, position.stones[player.index()]);
                board.marked = chain.into_iter().map(|cell| self.board_index(cell)).collect();
                let sides = [
                    "{0} wins with a chain from bottom to top",
                    "{0} wins with a chain from left to right",
                ];
                Phrase::new(sides[player.index()]).with(self.player_name(player))
            }
            Status::ToMove(player) => Phrase::to_move(self.player_name(player)),
            Status::Drawn => Phrase::new("draw"),
        };
        View { board: Some(board), caption, ..View::default() }
    }

    fn action_cells(&self, _: &Position<W>, _: Player, action: Stone) -> Vec<u16> {
        vec![self.board_index(action.0.into())]
    }

    fn player_name(&self, player: Player) -> Phrase {
        name_of(player, ["red", "blue"])
    }

    fn player_colour(&self, player: Player) -> Option<Colour> {
        Some([Colour::Red, Colour::Blue][player.index()])
    }

    fn parse(&self, position: &Position<W>, player: Player, text: &str) -> Option<Stone> {
        let (x, y) = parse_cell(text.trim())?;
        let is_inside = x < self.width() && y < self.height();
        let stone = is_inside.then(|| Stone((y * self.width() + x) as u8))?;
        if_legal(self, position, player, stone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a player's stones connect its edges, cell by cell.
    fn plainly_connects(size: (i32, i32), player: usize, has: impl Fn(i32, i32) -> bool) -> bool {
        let (width, height) = size;
        let along = |(x, y): (i32, i32)| if player == 0 { y } else { x };
        let mut open: Vec<(i32, i32)> = (0..width)
            .flat_map(|x| (0..height).map(move |y| (x, y)))
            .filter(|&cell| along(cell) == 0 && has(cell.0, cell.1))
            .collect();
        let mut seen = open.clone();
        while let Some((x, y)) = open.pop() {
            if along((x, y)) == along((width - 1, height - 1)) {
                return true;
            }
            for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)] {
                let next = (x + dx, y + dy);
                let is_inside = (0..width).contains(&next.0) && (0..height).contains(&next.1);
                if is_inside && has(next.0, next.1) && !seen.contains(&next) {
                    seen.push(next);
                    open.push(next);
                }
            }
        }
        false
    }

    fn check_random_matches<W: Word>(width: usize, height: usize) {
        let game = Hex::<W>::new(width, height).unwrap();
        for seed in 0..40 {
            let mut rng = Rng::new(seed);
            let mut position = game.start();
            while let Turn::Choose(who) = game.turn(&position) {
                let player = who.single().unwrap();
                let action = game.random_action(&position, player, &mut Vec::new(), &mut rng);
                game.apply(&mut position, &[action]);
                let connects = [0, 1].map(|side| {
                    plainly_connects((width as i32, height as i32), side, |x, y| {
                        position.stones[side].has((y * width as i32 + x) as u32)
                    })
                });
                let expected = [0, 1].map(|side| position.status == Status::Won(Player(side)));
                assert_eq!(connects, expected, "{position:?}");
            }
        }
    }

    #[test]
    fn a_chain_wins_and_nothing_else_does() {
        check_random_matches::<u64>(2, 2);
        check_random_matches::<u64>(3, 5);
        check_random_matches::<u64>(8, 8);
        check_random_matches::<u128>(11, 11);
        check_random_matches::<u128>(2, 64);
    }

    /// Published numbers of first moves that win (Hayward and others): all are found by search.
    #[test]
    fn the_chain_that_is_shown_has_no_other_stones() {
        let hex: Hex<u128> = Hex::new(4, 4).unwrap();
        // Rows from the lowest: the chain climbs from b1 over b2 and b3 to a4; a1, d1 and d4 touch
        // an edge and nothing else.
        let stones = [0, 1, 3, 5, 9, 12, 15].iter().map(|&cell| u128::bit(cell));
        let stones = stones.reduce(|all, bit| all | bit).unwrap();
        let mut chain = hex.shortest_chain(Player(0), stones);
        chain.sort_unstable();
        assert_eq!(chain, [1, 5, 9, 12]);
        assert!(hex.shortest_chain(Player(0), stones & !u128::bit(5)).is_empty());
    }

    #[test]
    fn winning_openings_on_small_boards() {
        fn wins<W: Word>(game: &Hex<W>, position: &Position<W>, player: Player) -> bool {
            match game.turn(position) {
                Turn::Over(payoffs) => payoffs[player] == 1.0,
                _ => {
                    let mover = position.status.mover();
                    let mut actions = Vec::new();
                    game.actions(position, mover, &mut actions);
                    let mut after = actions.into_iter().map(|action| {
                        let mut next = *position;
                        game.apply(&mut next, &[action]);
                        wins(game, &next, player)
                    });
                    if mover == player { after.any(|won| won) } else { after.all(|won| won) }
                }
            }
        }
        for (side, expected) in [(2, 2), (3, 5)] {
            let game = Hex::<u64>::new(side, side).unwrap();
            let mut actions = Vec::new();
            game.actions(&game.start(), Player(0), &mut actions);
            let winning = actions.into_iter().filter(|&action| {
                let mut next = game.start();
                game.apply(&mut next, &[action]);
                wins(&game, &next, Player(0))
            });
            assert_eq!(winning.count(), expected, "{side}x{side}");
        }
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        let error = Hex::<u64>::new(9, 8).unwrap_err().to_string();
        assert!(error.contains("hex on 9x8") && error.contains("at most 64"), "{error}");
        assert!(Hex::<u128>::new(11, 11).is_ok() && Hex::<u128>::new(12, 11).is_err());
        assert!(Hex::<u64>::new(1, 9).is_err() && Hex::<u64>::new(usize::MAX, 2).is_err());
    }
}
