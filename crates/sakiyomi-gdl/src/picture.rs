//! How a game is drawn, where its rules do not tell: a small TOML file beside the rule sheet.
//!
//! ```toml
//! board = "hex"                  # or "square", which it is if nothing is said
//! relation = "cell"              # (cell COLUMN ROW PIECE) is the board; else the largest one is
//! first = "column"               # what its first argument is: "column" or "row"
//! columns = "left-to-right"      # or "right-to-left"
//! rows = "bottom-to-top"         # or "top-to-bottom"
//!
//! [pieces]
//! wp = { symbol = "♙", name = "white pawn", owner = "white" }
//! free = { symbol = "" }         # what means that nothing is there
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use sakiyomi_core::Grid;
use serde::Deserialize;
use toml::Spanned;

use crate::board::BoardShape;
use crate::kif::line_starts;

/// A piece file that makes no sense: where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct PictureError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// What a piece file says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Picture {
    #[serde(default)]
    board: BoardKind,
    pub(crate) relation: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) first: Coordinate,
    #[serde(default)]
    columns: Columns,
    #[serde(default)]
    rows: Rows,
    #[serde(default)]
    pieces: BTreeMap<String, Spanned<PieceEntry>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum BoardKind {
    #[default]
    Square,
    Hex,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Coordinate {
    #[default]
    Column,
    Row,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Columns {
    #[default]
    LeftToRight,
    RightToLeft,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rows {
    #[default]
    BottomToTop,
    TopToBottom,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PieceEntry {
    symbol: Option<String>,
    name: Option<String>,
    owner: Option<Owner>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected the name of a role, or the number of one, from 0")]
enum Owner {
    Number(usize),
    Role(String),
}

/// A symbol is at most so long, or boards would not be readable.
const MOST_CHARACTERS: usize = 4;

impl Picture {
    pub(crate) fn parse(text: &str) -> Result<Picture, PictureError> {
        toml::from_str(text).map_err(|error| {
            let at = error.span().unwrap_or_default();
            error_at(text, &at, error.message().to_owned())
        })
    }

    /// Puts the coordinates in the order in which they are drawn, from the left and from the bottom.
    pub(crate) fn arrange(&self, columns: &mut [String], rows: &mut [String]) {
        if let Columns::RightToLeft = self.columns {
            columns.reverse();
        }
        if let Rows::TopToBottom = self.rows {
            rows.reverse();
        }
    }

    pub(crate) fn grid(&self) -> Grid {
        match self.board {
            BoardKind::Square => Grid::Square,
            BoardKind::Hex => Grid::Hex,
        }
    }

    /// Gives the pieces of a board what the file says about them. `text` is the file.
    pub(crate) fn dress(
        &self,
        text: &str,
        board: &mut BoardShape,
        roles: &[String],
    ) -> Result<(), PictureError> {
        for (name, entry) in &self.pieces {
            let wrong = |message: String| error_at(text, &entry.span(), message);
            let known: Vec<&str> = board.pieces.iter().map(|piece| piece.name.as_str()).collect();
            let Some(number) = known.iter().position(|other| other == name) else {
                let message = format!(
                    "pieces.{name}: the board has no such piece; known: {}",
                    known.join(", ")
                );
                return Err(wrong(message));
            };
            let PieceEntry { symbol, name: long_name, owner } = entry.get_ref();
            let piece = &mut board.pieces[number];
            if let Some(symbol) = symbol {
                if symbol.chars().count() > MOST_CHARACTERS || symbol.chars().any(char::is_control)
                {
                    let message = format!(
                        "pieces.{name}.symbol: expected at most {MOST_CHARACTERS} characters"
                    );
                    return Err(wrong(message));
                }
                piece.symbol.clone_from(symbol);
            }
            if let Some(owner) = owner {
                let role = match owner {
                    Owner::Number(number) => Some(*number).filter(|&number| number < roles.len()),
                    Owner::Role(role) => roles.iter().position(|other| other == role),
                };
                piece.role = Some(role.ok_or_else(|| {
                    let roles = roles.join(", ");
                    wrong(format!("pieces.{name}.owner: no such role; roles: {roles}"))
                })?);
            }
            piece.long_name.clone_from(long_name);
        }
        Ok(())
    }
}

pub(crate) fn error_at(text: &str, at: &Range<usize>, message: String) -> PictureError {
    let starts = line_starts(text);
    let line = starts.partition_point(|&start| start as usize <= at.start).max(1);
    let column = text.get(starts[line - 1] as usize..at.start).map_or(1, |t| t.chars().count() + 1);
    PictureError { line, column, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GdlGame, Settings};
    use crate::sheets::{LINES, PATHS};
    use sakiyomi_core::{Game, Player, Show, View};

    fn game(rules: &str, picture: &str) -> Result<GdlGame, String> {
        GdlGame::with_picture(rules, &Settings::default(), Some(picture))
            .map_err(|error| error.to_string())
    }

    /// The view after cross has put a mark in column 1, row 2.
    fn view(picture: &str) -> View {
        let game = game(LINES, picture).unwrap();
        let mut state = game.start();
        let action = game.parse(&state, Player(0), "(put 1 2)").unwrap();
        game.apply(&mut state, &[action]);
        game.view(&state)
    }

    fn marked(view: &View) -> usize {
        let cells = &view.board.as_ref().unwrap().cells;
        cells.iter().position(|cell| cell.top().is_some_and(|p| !p.symbol.is_empty())).unwrap()
    }

    #[test]
    fn boards_are_laid_out_as_the_file_says() {
        assert_eq!(marked(&view("")), 3);
        assert_eq!(marked(&view("columns = \"right-to-left\"")), 5);
        assert_eq!(marked(&view("first = \"row\"")), 7);
        assert_eq!(marked(&view("first = \"row\"\nrows = \"top-to-bottom\"")), 1);
        let upside_down = view("rows = \"top-to-bottom\"");
        assert_eq!(upside_down.board.unwrap().row_labels, ["1", "2", "3"]);
        let hex = view("board = \"hex\"\nrelation = \"square\"").board.unwrap();
        assert_eq!(hex.grid, Grid::Hex);
        let game = game(LINES, "first = \"row\"").unwrap();
        let start = game.start();
        let action = game.parse(&start, Player(0), "(put 1 2)").unwrap();
        assert_eq!(game.action_cells(&start, Player(0), action), [7]);
    }

    #[test]
    fn pieces_are_named_and_pictured() {
        let text = "[pieces]\ncross = { symbol = \"✗\", name = \"a cross\", owner = 1 }\n\
                    ring = { owner = \"cross\" }\nfree = { symbol = \"·\" }";
        let view = view(text);
        let cells = view.board.unwrap().cells;
        let piece = |cell: usize| cells[cell].top().unwrap();
        assert_eq!((piece(3).symbol.as_str(), piece(3).owner), ("✗", Some(1)));
        assert_eq!(piece(0).symbol, "·");
        let legend = view.facts.iter().find(|fact| fact.title == "pieces").unwrap();
        assert_eq!(legend.text, "✗ a cross");
    }

    #[test]
    fn errors_name_line_column_and_field() {
        let error = |text: &str| game(LINES, text).unwrap_err();
        for (text, parts) in [
            ("board = \"round\"", ["line 1, column 9", "square"]),
            ("\nshape = 1", ["line 2, column 1", "shape"]),
            ("relation = \"cell\"", ["line 1, column 12", "boards: square"]),
            ("[pieces]\nx = { symbol = \"x\" }", ["line 2, column 5", "known: cross, free, ring"]),
            (
                "[pieces]\nring = { owner = \"nobody\" }",
                ["pieces.ring.owner", "roles: cross, ring"],
            ),
            ("[pieces]\nring = { owner = 2 }", ["pieces.ring.owner", "line 2"]),
            ("[pieces]\nring = { owner = 1.5 }", ["line 2", "name of a role"]),
            ("[pieces]\nring = { symbol = \"RRRRRR\" }", ["pieces.ring.symbol", "at most 4"]),
            ("[pieces]\nring = { colour = 1 }", ["line 2", "colour"]),
            ("board =", ["the piece file, line 1", ""]),
        ] {
            let message = error(text);
            assert!(parts.iter().all(|part| message.contains(part)), "{text}: {message}");
        }
        assert!(game(PATHS, "relation = \"stone\"").is_ok());
    }
}
