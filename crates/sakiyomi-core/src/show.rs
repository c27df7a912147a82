//! What people and other programs see of a game: action texts and a drawable view.

use serde::{Deserialize, Serialize};

use crate::{Game, Player, Turn};

/// The face of a game. Texts can be typed back: [`Show::parse`] finds the action of a text.
pub trait Show: Game {
    /// The text of an action, unique among the legal actions of `player` in `state`.
    fn action_text(&self, state: &Self::State, player: Player, action: Self::Action) -> String;

    /// The picture of a state.
    fn view(&self, state: &Self::State) -> View;

    /// The board's cells (indices into [`Board::cells`]) that a person clicks, in order, to choose
    /// this action. Empty means that the action is chosen by its text.
    fn action_cells(
        &self,
        _state: &Self::State,
        _player: Player,
        _action: Self::Action,
    ) -> Vec<u16> {
        Vec::new()
    }

    /// What an action would do, in a few words, such as the damage of a strike; empty if there is
    /// nothing to say that the board does not show.
    fn action_note(&self, _state: &Self::State, _player: Player, _action: Self::Action) -> String {
        String::new()
    }

    /// The text of an outcome of chance, unique among the outcomes in `state`.
    fn outcome_text(&self, _state: &Self::State, outcome: Self::Action) -> String {
        format!("{outcome:?}")
    }

    fn player_name(&self, player: Player) -> String {
        format!("player {}", player.0 + 1)
    }

    /// The legal action with this text. Case and surrounding space do not matter.
    fn parse(&self, state: &Self::State, player: Player, text: &str) -> Option<Self::Action> {
        let Turn::Choose(who) = self.turn(state) else { return None };
        if !who.contains(player) {
            return None;
        }
        let mut actions = Vec::new();
        self.actions(state, player, &mut actions);
        let exact = actions.iter().find(|&&a| self.action_text(state, player, a) == text.trim());
        let same = |&&action: &&Self::Action| {
            self.action_text(state, player, action).eq_ignore_ascii_case(text.trim())
        };
        exact.or_else(|| actions.iter().find(same)).copied()
    }
}

/// A drawable state: a board if there is one, lines of text beside it, and what happens now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct View {
    pub board: Option<Board>,
    /// Facts beside the board, such as scores, hands and counters.
    pub panels: Vec<Panel>,
    /// One sentence: who is to move, or how it ended.
    pub caption: String,
}

/// Cells in rows from top to bottom, each row from left to right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Board {
    pub grid: Grid,
    pub column_labels: Vec<String>,
    pub row_labels: Vec<String>,
    pub cells: Vec<Cell>,
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

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Cell {
    /// What stands here, in a letter or two; empty if nothing does.
    pub symbol: String,
    /// Whose it is.
    pub owner: Option<u8>,
    /// What the ground is, if it is not plain.
    pub ground: Option<String>,
}

impl Cell {
    pub fn piece(symbol: &str, owner: Player) -> Cell {
        Cell { symbol: symbol.to_owned(), owner: Some(owner.0), ground: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Panel {
    pub title: String,
    pub text: String,
}

impl Board {
    /// A square board with columns a, b, c .. and rows numbered from the bottom, 1 upwards.
    /// `piece` is asked for the piece in (column, row), row 0 at the bottom.
    pub fn square(columns: usize, rows: usize, piece: impl Fn(usize, usize) -> Cell) -> Board {
        Board {
            grid: Grid::Square,
            column_labels: (0..columns).map(column_name).collect(),
            row_labels: (1..=rows).rev().map(|row| row.to_string()).collect(),
            cells: (0..rows)
                .rev()
                .flat_map(|row| (0..columns).map(move |column| (column, row)))
                .map(|(column, row)| piece(column, row))
                .collect(),
        }
    }

    /// The index in [`Board::cells`] of (column, row) on a board made by [`Board::square`].
    pub fn square_index(columns: usize, rows: usize, column: usize, row: usize) -> u16 {
        ((rows - 1 - row) * columns + column) as u16
    }
}

/// The name of a cell as in chess: column letter, then row number from 1; `a1` is (0, 0).
pub fn cell_name(column: usize, row: usize) -> String {
    format!("{}{}", column_name(column), row + 1)
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
    fn a_square_board_lists_its_top_row_first() {
        let board = Board::square(3, 2, |column, row| Cell {
            symbol: cell_name(column, row),
            ..Cell::default()
        });
        let symbols: Vec<&str> = board.cells.iter().map(|cell| cell.symbol.as_str()).collect();
        assert_eq!(symbols, ["a2", "b2", "c2", "a1", "b1", "c1"]);
        assert_eq!(board.row_labels, ["2", "1"]);
        for (column, row) in [(0, 0), (2, 1), (1, 0)] {
            let index = Board::square_index(3, 2, column, row) as usize;
            assert_eq!(board.cells[index].symbol, cell_name(column, row));
        }
    }
}
