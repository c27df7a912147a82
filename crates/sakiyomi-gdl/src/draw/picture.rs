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

use crate::draw::shape::BoardShape;
use crate::read::error::PictureError;
use crate::read::kif::line_starts;

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
const MAX_CHARACTERS: usize = 4;

impl Picture {
    pub(crate) fn parse(text: &str) -> Result<Picture, PictureError> {
        toml::from_str(text).map_err(|error| {
            let at = error.span().unwrap_or_default();
            error_at(text, &at, error.message().to_owned())
        })
    }

    /// Puts the coordinates in the order in which they are drawn, from the left and from the
    /// bottom.
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
    pub(crate) fn describe_pieces(
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
                if symbol.chars().count() > MAX_CHARACTERS || symbol.chars().any(char::is_control) {
                    let message = format!(
                        "pieces.{name}.symbol: expected at most {MAX_CHARACTERS} characters"
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
