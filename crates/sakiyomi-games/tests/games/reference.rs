//! The rules once more, on arrays and as plainly as possible, to compare the games with.

use sakiyomi_core::{Cell, Game, Payoffs, Player, Players, Rng, Show, Turn, cell_name};
use sakiyomi_games::{Breakthrough, ConnectFour, Othello, TicTacToe};

use crate::{after, choices};

/// Cells by column and row, row 0 at the bottom.
#[derive(Clone)]
pub(crate) struct Grid {
    width: i32,
    height: i32,
    cells: Vec<Option<u8>>,
}

impl Grid {
    fn new(width: usize, height: usize) -> Grid {
        Grid { width: width as i32, height: height as i32, cells: vec![None; width * height] }
    }

    fn contains(&self, (x, y): (i32, i32)) -> bool {
        (0..self.width).contains(&x) && (0..self.height).contains(&y)
    }

    /// What stands in a cell; nothing stands outside.
    fn get(&self, (x, y): (i32, i32)) -> Option<u8> {
        self.contains((x, y)).then(|| self.cells[(y * self.width + x) as usize]).flatten()
    }

    fn set(&mut self, (x, y): (i32, i32), piece: Option<u8>) {
        self.cells[(y * self.width + x) as usize] = piece;
    }

    fn places(&self) -> impl Iterator<Item = (i32, i32)> + use<> {
        let (width, height) = (self.width, self.height);
        (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
    }

    fn count(&self, player: u8) -> usize {
        self.cells.iter().filter(|&&cell| cell == Some(player)).count()
    }

    fn is_full(&self) -> bool {
        self.cells.iter().all(Option::is_some)
    }

    fn has_row_of(&self, length: i32, player: u8) -> bool {
        self.places().any(|(x, y)| {
            [(1, 0), (0, 1), (1, 1), (1, -1)].iter().any(|(dx, dy)| {
                (0..length).all(|i| self.get((x + i * dx, y + i * dy)) == Some(player))
            })
        })
    }
}

fn name((x, y): (i32, i32)) -> String {
    cell_name(x as usize, y as usize)
}

/// A position that lists its moves by their texts, each with the position that it leads to.
pub(crate) trait Reference: Sized {
    fn grid(&self) -> &Grid;
    fn mover(&self) -> u8;
    /// What the first player gets, if it is over.
    fn result(&self) -> Option<f64>;
    fn moves(&self) -> Vec<(String, Self)>;
}

/// Three or four in a row, with marks placed anywhere or dropped.
#[derive(Clone)]
pub(crate) struct InARow {
    grid: Grid,
    mover: u8,
    length: i32,
    drops: bool,
}

impl InARow {
    pub(crate) fn tic_tac_toe() -> InARow {
        InARow { grid: Grid::new(3, 3), mover: 0, length: 3, drops: false }
    }

    pub(crate) fn connect_four(width: usize, height: usize) -> InARow {
        InARow { grid: Grid::new(width, height), mover: 0, length: 4, drops: true }
    }
}

impl Reference for InARow {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn mover(&self) -> u8 {
        self.mover
    }

    fn result(&self) -> Option<f64> {
        if self.grid.has_row_of(self.length, 0) {
            Some(1.0)
        } else if self.grid.has_row_of(self.length, 1) {
            Some(0.0)
        } else {
            self.grid.is_full().then_some(0.5)
        }
    }

    fn moves(&self) -> Vec<(String, InARow)> {
        let is_free = |&(x, y): &(i32, i32)| {
            let rests = !self.drops || y == 0 || self.grid.get((x, y - 1)).is_some();
            rests && self.grid.get((x, y)).is_none()
        };
        let places = self.grid.places().filter(is_free);
        let leads_to = |(x, y)| {
            let mut next = InARow { mover: 1 - self.mover, ..self.clone() };
            next.grid.set((x, y), Some(self.mover));
            let text = name((x, y));
            let is_digit = |c: char| c.is_ascii_digit();
            (if self.drops { text.trim_end_matches(is_digit).to_owned() } else { text }, next)
        };
        places.map(leads_to).collect()
    }
}

#[derive(Clone)]
pub(crate) struct Pawns {
    grid: Grid,
    mover: u8,
}

impl Pawns {
    pub(crate) fn new(width: usize, height: usize) -> Pawns {
        let mut grid = Grid::new(width, height);
        for (x, y) in grid.places() {
            if y < 2 {
                grid.set((x, y), Some(0));
            } else if y >= grid.height - 2 {
                grid.set((x, y), Some(1));
            }
        }
        Pawns { grid, mover: 0 }
    }
}

impl Reference for Pawns {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn mover(&self) -> u8 {
        self.mover
    }

    fn result(&self) -> Option<f64> {
        let arrived = |player, y| (0..self.grid.width).any(|x| self.grid.get((x, y)) == player);
        if arrived(Some(0), self.grid.height - 1) || self.grid.count(1) == 0 {
            Some(1.0)
        } else if arrived(Some(1), 0) || self.grid.count(0) == 0 {
            Some(0.0)
        } else {
            None
        }
    }

    fn moves(&self) -> Vec<(String, Pawns)> {
        let mut moves = Vec::new();
        for (x, y) in self.grid.places().filter(|&at| self.grid.get(at) == Some(self.mover)) {
            for dx in [-1, 0, 1] {
                let to = (x + dx, if self.mover == 0 { y + 1 } else { y - 1 });
                let captured = self.grid.get(to);
                if !self.grid.contains(to)
                    || captured == Some(self.mover)
                    || (dx == 0 && captured.is_some())
                {
                    continue;
                }
                let mut next = Pawns { mover: 1 - self.mover, ..self.clone() };
                next.grid.set((x, y), None);
                next.grid.set(to, Some(self.mover));
                let sign = if captured.is_some() { 'x' } else { '-' };
                moves.push((format!("{}{sign}{}", name((x, y)), name(to)), next));
            }
        }
        moves
    }
}

#[derive(Clone)]
pub(crate) struct Discs {
    grid: Grid,
    mover: u8,
}

impl Discs {
    pub(crate) fn new() -> Discs {
        let mut grid = Grid::new(8, 8);
        for (at, player) in [((3, 3), 1), ((4, 4), 1), ((3, 4), 0), ((4, 3), 0)] {
            grid.set(at, Some(player));
        }
        Discs { grid, mover: 0 }
    }

    /// Every disc that a new disc of `player` turns over.
    fn turned(&self, player: u8, (x, y): (i32, i32)) -> Vec<(i32, i32)> {
        let mut turned = Vec::new();
        if self.grid.get((x, y)).is_some() {
            return turned;
        }
        for (dx, dy) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
            let ray: Vec<_> = (1..8).map(|i| (x + i * dx, y + i * dy)).collect();
            let n = ray.iter().take_while(|&&at| self.grid.get(at) == Some(1 - player)).count();
            if n < ray.len() && self.grid.get(ray[n]) == Some(player) {
                turned.extend(&ray[..n]);
            }
        }
        turned
    }

    fn can_place(&self, player: u8) -> bool {
        self.grid.places().any(|at| !self.turned(player, at).is_empty())
    }
}

impl Reference for Discs {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn mover(&self) -> u8 {
        self.mover
    }

    fn result(&self) -> Option<f64> {
        if self.can_place(0) || self.can_place(1) {
            return None;
        }
        let (black, white) = (self.grid.count(0) as f64, self.grid.count(1) as f64);
        Some(((black - white).signum() * f64::from(black != white) + 1.0) / 2.0)
    }

    fn moves(&self) -> Vec<(String, Discs)> {
        let mut moves = Vec::new();
        for at in self.grid.places() {
            let turned = self.turned(self.mover, at);
            if turned.is_empty() {
                continue;
            }
            let mut next = Discs { mover: 1 - self.mover, ..self.clone() };
            for at in turned.into_iter().chain([at]) {
                next.grid.set(at, Some(self.mover));
            }
            moves.push((name(at), next));
        }
        if moves.is_empty() {
            moves.push(("pass".to_owned(), Discs { mover: 1 - self.mover, ..self.clone() }));
        }
        moves
    }
}

/// Plays random games on both and compares everything that can be seen after every move.
fn compare<G: Show, R: Reference>(game: &G, n_games: u64, start: impl Fn() -> R) {
    for seed in 0..n_games {
        let mut rng = Rng::stream(&[7, seed]);
        let (mut state, mut reference) = (game.start(), start());
        loop {
            compare_boards(game, &state, &reference);
            let Some((player, actions)) = choices(game, &state) else { break };
            assert_eq!(reference.result(), None, "{state:?}");
            assert_eq!(player, Player(reference.mover()));
            let mut texts: Vec<String> =
                actions.iter().map(|&action| game.action_text(&state, player, action)).collect();
            let action = rng.below(actions.len());
            let text = texts[action].clone();
            let moves = reference.moves();
            let mut expected: Vec<&String> = moves.iter().map(|(text, _)| text).collect();
            texts.sort_unstable();
            expected.sort_unstable();
            assert!(texts.iter().eq(expected), "{state:?}: {texts:?}");
            state = after(game, &state, actions[action]);
            reference = moves.into_iter().find(|(known, _)| *known == text).unwrap().1;
        }
        let first = reference.result().expect("over on both");
        assert_eq!(game.turn(&state), Turn::Over(Payoffs::of([first, 1.0 - first])));
    }
}

fn compare_boards<G: Show>(game: &G, state: &G::State, reference: &impl Reference) {
    let board = game.view(state).board.expect("all of these have a board");
    let grid = reference.grid();
    assert_eq!(board.column_labels.len() as i32, grid.width);
    assert_eq!(board.row_labels.len() as i32, grid.height);
    // The labels say which row stands where.
    let labels = board.row_labels.iter().map(|label| label.parse::<i32>().expect("a number") - 1);
    let rows = labels.flat_map(|y| (0..grid.width).map(move |x| (x, y)));
    let owner = |cell: &Cell| cell.top().and_then(|piece| piece.owner);
    assert!(board.cells.iter().map(owner).eq(rows.map(|at| grid.get(at))), "{state:?}");
    assert!(board.cells.iter().flat_map(|cell| &cell.pieces).all(|piece| piece.owner.is_some()));
}

#[test]
fn tic_tac_toe_is_played_as_on_arrays() {
    compare(&TicTacToe, 300, InARow::tic_tac_toe);
    assert_eq!(TicTacToe.turn(&TicTacToe.start()), Turn::Choose(Players::one(Player(0))));
}

#[test]
fn connect_four_is_played_as_on_arrays() {
    compare(&ConnectFour::default(), 60, || InARow::connect_four(7, 6));
    for (width, height) in [(4, 4), (4, 1), (1, 4), (3, 5), (2, 31), (1, 63), (32, 1), (5, 10)] {
        let game = ConnectFour::<u64>::new(width, height).unwrap();
        compare(&game, 20, || InARow::connect_four(width, height));
    }
    for (width, height) in [(9, 7), (8, 8), (4, 31), (64, 1), (1, 127), (3, 41), (12, 9), (4, 4)] {
        let game = ConnectFour::<u128>::new(width, height).unwrap();
        compare(&game, 10, || InARow::connect_four(width, height));
    }
}

#[test]
fn breakthrough_is_played_as_on_arrays() {
    compare(&Breakthrough::default(), 40, || Pawns::new(8, 8));
    for (width, height) in [(5, 5), (6, 6), (3, 8), (2, 5), (2, 32), (12, 5)] {
        let game = Breakthrough::<u64>::new(width, height).unwrap();
        compare(&game, 30, || Pawns::new(width, height));
    }
    for (width, height) in [(9, 9), (11, 11), (25, 5), (2, 64), (5, 5), (16, 8)] {
        let game = Breakthrough::<u128>::new(width, height).unwrap();
        compare(&game, 10, || Pawns::new(width, height));
    }
}

#[test]
fn othello_is_played_as_on_arrays() {
    compare(&Othello, 150, Discs::new);
}
