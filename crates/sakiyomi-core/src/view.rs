//! What a state looks like: a board, hands of cards, scores, and what happens now. Everything that a
//! page or a terminal draws has a field of its own, so that no text has to be read to draw it.

use serde::{Deserialize, Serialize};

use crate::{Phrase, Player};

/// A drawable state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct View {
    pub board: Option<Board>,
    /// Cards that are in no player's hand.
    pub piles: Vec<Pile>,
    /// Scores and hands, in seat order; empty if the game has neither.
    pub players: Vec<PlayerView>,
    /// Further facts beside the board, such as counters.
    pub facts: Vec<Fact>,
    /// Who is to move, or how it ended.
    pub caption: Phrase,
    /// What else matters now, such as the round or what is at stake.
    pub note: Option<Phrase>,
}

/// Cells in rows from top to bottom, each row from left to right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Board {
    pub grid: Grid,
    pub column_labels: Vec<String>,
    pub row_labels: Vec<String>,
    pub cells: Vec<Cell>,
    /// Cells that decided the match, such as a winning line.
    pub marked: Vec<u16>,
    /// Whose the edges are, top, right, bottom and left, where it matters who reaches them.
    pub edges: [Option<u8>; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Grid {
    Square,
    /// Axial hexagons: cell (x, y) touches (x±1, y), (x, y±1), (x+1, y+1) and (x-1, y-1), with y
    /// counted from the top. So each row starts half a cell further left than the one above it.
    Hex,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Cell {
    /// What stands here. Usually it is one piece; the last one is on top.
    pub pieces: Vec<Piece>,
    /// The kind of ground, if it is not plain: `forest`, `water`, `wall` ..
    pub ground: Option<String>,
    /// Whose ground it is: cells that a player holds or has enclosed. More than one if areas overlap.
    pub owners: Vec<u8>,
    /// How much lies here, such as water or stones.
    pub amount: Option<i32>,
    /// The board has no cell here.
    pub is_hole: bool,
}

/// What stands on a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Piece {
    /// A letter or two.
    pub symbol: String,
    pub owner: Option<u8>,
    pub shape: Shape,
    /// What it can still take or carry: hit points, the contents of a tank.
    pub gauge: Option<Gauge>,
    /// What is drawn in place of the symbol, by name, such as `infantry`. A page without that drawing
    /// writes the symbol.
    pub picture: Option<String>,
    /// What kind of piece it is, in a letter and in a word.
    pub badge: Option<Badge>,
    /// It can do nothing more in this turn.
    pub has_acted: bool,
    /// Further numbers and states, such as `attack 50` or `moved`.
    pub facts: Vec<Phrase>,
    /// The cells that it can go to in a turn of its own, and those that it can strike at.
    pub reach: Reach,
}

/// How far a piece gets; empty where that says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Reach {
    pub moves: Vec<u16>,
    pub strikes: Vec<u16>,
}

/// What a drawing on the board stands for, with the numbers that matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LegendEntry {
    /// A kind of ground, or else a picture of a piece or a badge.
    pub ground: Option<String>,
    pub picture: Option<String>,
    pub name: Phrase,
    pub facts: Vec<Phrase>,
}

/// How a piece is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Shape {
    /// A disc with its symbol on it.
    #[default]
    Token,
    /// A disc that says no more than whose it is.
    Stone,
    /// A cross or a ring, drawn by hand.
    Mark,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Gauge {
    pub value: i32,
    pub max: i32,
    /// What is counted, such as `hp`.
    pub unit: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Badge {
    pub letter: String,
    /// What is drawn in place of the letter, by name.
    pub picture: Option<String>,
    pub name: Phrase,
}

/// What is known of a player beside the board.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlayerView {
    pub name: Phrase,
    pub score: Option<Score>,
    /// None if the game has no hands; an empty hand is a hand.
    pub hand: Option<Vec<Card>>,
}

/// A score in the game's own points, and as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Score {
    pub value: f64,
    pub text: Phrase,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Pile {
    pub title: Phrase,
    pub cards: Vec<Card>,
    /// What else belongs to it, such as points that are carried over.
    pub note: Option<Phrase>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Card {
    /// What is written on it; empty if it lies face down.
    pub text: String,
    /// What it is worth, where that is a number.
    pub value: Option<i32>,
    /// Whether everyone may see it.
    pub is_known: bool,
    /// Whether its owner may play it now.
    pub is_playable: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Fact {
    pub title: Phrase,
    pub text: Phrase,
}

/// What an action would do, in numbers that the board does not show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Effect {
    /// The piece on the cell loses `amount` and has `left`; with 0 left it is gone.
    Damage { cell: u16, amount: i32, left: i32 },
    /// The acting piece loses `amount` in return.
    Counter { cell: u16, amount: i32, left: i32 },
    /// It works with this probability.
    Chance { probability: f64 },
    /// The player's score changes by `amount`.
    Points { player: u8, amount: f64 },
}

/// How an action is written that gives orders to several pieces: a string of commands for each of
/// them, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OrderForm {
    pub pieces: Vec<OrderedPiece>,
    /// What a string is made of.
    pub commands: Vec<OrderCommand>,
    /// The most commands of one piece.
    pub max_commands: u16,
    /// Stands between the strings of two pieces.
    pub separator: String,
    /// Stands for a piece without commands.
    pub no_commands: String,
}

/// A piece that is given orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OrderedPiece {
    pub symbol: String,
    pub cell: u16,
    /// Strings of commands that make sense for it now.
    pub suggested: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OrderCommand {
    /// How it is written, in one letter.
    pub letter: String,
    /// How it is shown, such as an arrow.
    pub sign: String,
    /// What it does.
    pub name: Phrase,
    /// Columns and rows that it moves the piece by, if it moves it.
    pub step: Option<[i8; 2]>,
}

/// Where a piece was while a step was carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Way {
    pub symbol: String,
    pub owner: u8,
    /// From its place before the step to that after it. In between it moves evenly.
    pub points: Vec<WayPoint>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WayPoint {
    /// The part of the step's time that has passed, from 0 to 1.
    pub at: f64,
    pub cell: u16,
}

/// The colour of a player's pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Colour {
    White,
    Black,
    Red,
    Blue,
    Green,
    Yellow,
}

impl Board {
    /// A square board with columns a, b, c .. and rows numbered from the bottom, 1 upwards.
    /// `cell` is asked for the cell in (column, row), row 0 at the bottom.
    pub fn square(columns: usize, rows: usize, cell: impl Fn(usize, usize) -> Cell) -> Board {
        Board {
            grid: Grid::Square,
            column_labels: (0..columns).map(column_name).collect(),
            row_labels: (1..=rows).rev().map(|row| row.to_string()).collect(),
            cells: (0..rows)
                .rev()
                .flat_map(|row| (0..columns).map(move |column| (column, row)))
                .map(|(column, row)| cell(column, row))
                .collect(),
            marked: Vec::new(),
            edges: [None; 4],
        }
    }

    /// The index in [`Board::cells`] of (column, row) on a board made by [`Board::square`].
    pub fn square_index(columns: usize, rows: usize, column: usize, row: usize) -> u16 {
        ((rows - 1 - row) * columns + column) as u16
    }

    /// What people call a cell: `b3`, or `4 2` where columns are numbers too.
    pub fn cell_label(&self, cell: usize) -> String {
        let columns = self.column_labels.len();
        let column = &self.column_labels[cell % columns];
        let row = &self.row_labels[cell / columns];
        match column.ends_with(|c: char| c.is_ascii_digit()) {
            true => format!("{column} {row}"),
            false => format!("{column}{row}"),
        }
    }
}

impl Cell {
    /// A cell with one piece.
    pub fn of(piece: Piece) -> Cell {
        Cell { pieces: vec![piece], ..Cell::default() }
    }

    pub fn piece(symbol: &str, owner: Player) -> Cell {
        Cell::of(Piece::new(symbol, owner))
    }

    /// The piece on top.
    pub fn top(&self) -> Option<&Piece> {
        self.pieces.last()
    }
}

impl Piece {
    pub fn new(symbol: &str, owner: Player) -> Piece {
        Piece { symbol: symbol.to_owned(), owner: Some(owner.0), ..Piece::default() }
    }
}

impl Card {
    /// A card that everyone sees, with its number on it.
    pub fn number(value: i32, is_playable: bool) -> Card {
        Card { text: value.to_string(), value: Some(value), is_known: true, is_playable }
    }
}

impl Colour {
    /// The colour of this name, such as that of a role.
    pub fn named(name: &str) -> Option<Colour> {
        Some(match name.to_ascii_lowercase().as_str() {
            "white" | "light" => Colour::White,
            "black" | "dark" => Colour::Black,
            "red" => Colour::Red,
            "blue" => Colour::Blue,
            "green" => Colour::Green,
            "yellow" => Colour::Yellow,
            _ => return None,
        })
    }
}

/// The name of a cell as in chess: column letter, then row number from 1; `a1` is (0, 0).
pub fn cell_name(column: usize, row: usize) -> String {
    format!("{}{}", column_name(column), row + 1)
}

/// The column and row, from 0, of a cell's name as [`cell_name`] writes it. Case does not matter.
pub fn parse_cell(text: &str) -> Option<(usize, usize)> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let (letters, row) = text.split_at(digits);
    let is_canonical = !row.starts_with('0') && row.bytes().all(|b| b.is_ascii_digit());
    let row: usize = row.parse().ok().filter(|_| is_canonical)?;
    Some((parse_column(letters)?, row - 1))
}

/// The number, from 0, of a column's name. Case does not matter.
pub fn parse_column(letters: &str) -> Option<usize> {
    const MAX_LETTERS: usize = 4;
    if letters.is_empty() || letters.len() > MAX_LETTERS {
        return None;
    }
    let digit = |b: u8| b.is_ascii_alphabetic().then(|| usize::from(b.to_ascii_lowercase() - b'a'));
    let number = letters.bytes().try_fold(0, |sum, b| Some(sum * 26 + digit(b)? + 1))?;
    Some(number - 1)
}

/// a .. z, then aa, ab ..
fn column_name(column: usize) -> String {
    let letter = char::from(b'a' + (column % 26) as u8);
    if column < 26 {
        letter.to_string()
    } else {
        column_name(column / 26 - 1) + &letter.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_named_as_in_chess() {
        assert_eq!(cell_name(0, 0), "a1");
        assert_eq!(cell_name(25, 9), "z10");
        assert_eq!(cell_name(26, 0), "aa1");
        assert_eq!(cell_name(39, 39), "an40");
    }

    #[test]
    fn names_of_cells_are_read_back() {
        for (column, row) in [(0, 0), (25, 9), (26, 0), (39, 39), (701, 3), (702, 11)] {
            let name = cell_name(column, row);
            assert_eq!(parse_cell(&name), Some((column, row)), "{name}");
            assert_eq!(parse_cell(&name.to_uppercase()), Some((column, row)), "{name}");
        }
        for wrong in ["", "a", "1", "a0", "a01", "a-1", "a1b", "ä1", "a1 ", "aaaaaaaaaaaaaa1"] {
            assert_eq!(parse_cell(wrong), None, "{wrong}");
        }
        assert_eq!(parse_cell("a99999999999999999999999"), None);
    }

    #[test]
    fn a_square_board_lists_its_top_row_first() {
        let board =
            Board::square(3, 2, |column, row| Cell::piece(&cell_name(column, row), Player(0)));
        let symbols: Vec<&str> =
            board.cells.iter().filter_map(|cell| Some(cell.top()?.symbol.as_str())).collect();
        assert_eq!(symbols, ["a2", "b2", "c2", "a1", "b1", "c1"]);
        assert_eq!(board.row_labels, ["2", "1"]);
        for (column, row) in [(0, 0), (2, 1), (1, 0)] {
            let index = Board::square_index(3, 2, column, row) as usize;
            assert_eq!(board.cell_label(index), cell_name(column, row));
        }
    }
}
