//! Finds the board in the facts of a game: a relation of three arguments whose first two are
//! coordinates, such as `(cell 1 2 white)`. The largest such relation is the board, the third argument
//! what stands there. A piece file may say otherwise ([`crate::picture`]).

use std::collections::{BTreeMap, BTreeSet};

use sakiyomi_core::{Grid, Shape};

use crate::engine::{Engine, Position};
use crate::picture::{Coordinate, Picture, PictureError, error_at};

/// The cells of a board and what may stand on them.
#[derive(Clone, Debug)]
pub(crate) struct BoardShape {
    pub(crate) relation: String,
    pub(crate) grid: Grid,
    /// Whether the row comes first in facts and moves.
    row_first: bool,
    /// Coordinates in order.
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<String>,
    pub(crate) pieces: Vec<Piece>,
    /// How all of them are drawn.
    pub(crate) piece_shape: Shape,
    /// Whether anything can ever be said about a cell, row by row from the lowest.
    pub(crate) exists: Vec<bool>,
    /// For the fluents of the network: fluent, cell and piece.
    places: Vec<(u32, u32, u8)>,
    /// The same by fluent: the cell, and one more than the piece's number; 0 for a fluent that puts
    /// nothing on the board.
    by_fluent: Vec<(u32, u8)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) name: String,
    /// A letter or two; empty for what means that nothing is there.
    pub(crate) symbol: String,
    /// The role that it belongs to, as far as names tell.
    pub(crate) role: Option<usize>,
    /// What people call it, if a piece file says so.
    pub(crate) long_name: Option<String>,
}

const MOST_COORDINATES: usize = 40;
const MOST_PIECES: usize = 100;

impl BoardShape {
    /// The board of a game, drawn as the piece file says if there is one.
    pub(crate) fn detect(
        engine: &Engine,
        picture: Option<&str>,
    ) -> Result<Option<BoardShape>, PictureError> {
        let mut fluents = engine.all_fluents();
        if fluents.is_empty() {
            fluents = engine.facts(&engine.start());
        }
        let mut relations: BTreeMap<&str, Vec<(u32, [&str; 3])>> = BTreeMap::new();
        for (number, text) in fluents.iter().enumerate() {
            if let Some((relation, arguments)) = cell(text) {
                relations.entry(relation).or_default().push((number as u32, arguments));
            }
        }
        let roles = engine.role_names();
        let file = picture.map(Picture::parse).transpose()?;
        let row_first = file.as_ref().is_some_and(|file| file.first == Coordinate::Row);
        let shapes =
            relations.iter().filter_map(|(name, facts)| shape(name, facts, &roles, row_first));
        let mut shapes: Vec<BoardShape> = shapes.collect();
        if let Some(name) = file.as_ref().and_then(|file| file.relation.as_ref()) {
            let known: Vec<String> = shapes.iter().map(|shape| shape.relation.clone()).collect();
            shapes.retain(|shape| shape.relation == *name.get_ref());
            if shapes.is_empty() {
                let (wanted, known) = (name.get_ref(), known.join(", "));
                let message = format!("relation: `{wanted}` is no board; boards: {known}");
                return Err(error_at(picture.unwrap_or_default(), &name.span(), message));
            }
        }
        let largest = |shape: &BoardShape| shape.exists.iter().filter(|&&exists| exists).count();
        let Some(mut board) = shapes.into_iter().max_by_key(largest) else { return Ok(None) };
        if let (Some(file), Some(text)) = (&file, picture) {
            board.grid = file.grid();
            board.turn_over(file);
            file.dress(text, &mut board, &roles)?;
        }
        board.piece_shape = board.common_shape(&roles);
        board.sort_places();
        Ok(Some(board))
    }

    /// Lists the places by fluent, once it is known which pieces mean that nothing is there.
    fn sort_places(&mut self) {
        let n_fluents = self.places.iter().map(|place| place.0 + 1).max().unwrap_or(0);
        self.by_fluent = vec![(0, 0); n_fluents as usize];
        for &(fluent, cell, piece) in &self.places {
            if !self.pieces[usize::from(piece)].symbol.is_empty() {
                self.by_fluent[fluent as usize] = (cell, piece + 1);
            }
        }
    }

    /// Lays columns and rows out as the file says, and the cells with them.
    fn turn_over(&mut self, file: &Picture) {
        let (columns, rows) = (self.columns.clone(), self.rows.clone());
        file.arrange(&mut self.columns, &mut self.rows);
        let place = |names: &[String], name: &String| {
            names.iter().position(|other| other == name).unwrap_or_default()
        };
        let width = columns.len();
        let moved = |cell: usize| {
            let (column, row) = (&columns[cell % width], &rows[cell / width]);
            place(&self.rows, row) * width + place(&self.columns, column)
        };
        let mut exists = vec![false; self.exists.len()];
        for (cell, &there) in self.exists.iter().enumerate() {
            exists[moved(cell)] = there;
        }
        let places = self.places.iter().map(|&(f, cell, p)| (f, moved(cell as usize) as u32, p));
        self.places = places.collect();
        self.exists = exists;
    }

    /// Stones if no symbol says more than whose piece it is, and marks if they are crosses and rings
    /// on a small board.
    fn common_shape(&self, roles: &[String]) -> Shape {
        const MAX_MARK_CELLS: usize = 25;
        const STONES: [&str; 4] = ["●", "○", "⚫", "⚪"];
        let drawn = || self.pieces.iter().filter(|piece| !piece.symbol.is_empty());
        let repeats_owner = |piece: &Piece| {
            let Some(role) = piece.role else { return true };
            let (symbol, role) = (piece.symbol.to_lowercase(), roles[role].to_lowercase());
            let is_letter = symbol.chars().count() == 1;
            STONES.contains(&symbol.as_str()) || is_letter && role.starts_with(&symbol)
        };
        let is_mark = |piece: &Piece| matches!(piece.symbol.as_str(), "x" | "X" | "o" | "O");
        if !drawn().all(repeats_owner) {
            Shape::Token
        } else if self.n_cells() <= MAX_MARK_CELLS && drawn().all(is_mark) {
            Shape::Mark
        } else {
            Shape::Stone
        }
    }

    pub(crate) fn n_cells(&self) -> usize {
        self.exists.len()
    }

    /// The cell with these coordinates, in the order of the rules; cells count row by row from the
    /// lowest.
    pub(crate) fn cell(&self, first: &str, second: &str) -> Option<usize> {
        let (column, row) = if self.row_first { (second, first) } else { (first, second) };
        let column = self.columns.iter().position(|other| other == column)?;
        let row = self.rows.iter().position(|other| other == row)?;
        Some(row * self.columns.len() + column)
    }

    /// Appends what stands on every cell: 0 for nothing, otherwise one more than the piece's number.
    pub(crate) fn read(&self, engine: &Engine, position: &Position, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + self.n_cells(), 0);
        let cells = &mut out[start..];
        if let Position::Network(live) = position {
            // Few fluents hold at a time: going over those is several times faster than over all.
            for (i, &word) in live.facts().iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    let fluent = 64 * i + rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    if let Some(&(cell, code)) = self.by_fluent.get(fluent)
                        && code > 0
                    {
                        cells[cell as usize] = code;
                    }
                }
            }
            return;
        }
        for text in engine.facts(position) {
            let Some((_, [first, second, name])) = cell(&text).filter(|c| c.0 == self.relation)
            else {
                continue;
            };
            let piece = self.pieces.iter().position(|piece| piece.name == name);
            if let (Some(cell), Some(piece)) = (self.cell(first, second), piece)
                && !self.pieces[piece].symbol.is_empty()
            {
                cells[cell] = piece as u8 + 1;
            }
        }
    }
}

/// The parts of a fact of three plain arguments.
pub(crate) fn cell(text: &str) -> Option<(&str, [&str; 3])> {
    let (relation, arguments) = flat(text)?;
    Some((relation, arguments.try_into().ok()?))
}

/// The name and arguments of a term whose arguments are constants.
pub(crate) fn flat(text: &str) -> Option<(&str, Vec<&str>)> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    if inner.contains(['(', ')']) {
        return None;
    }
    let mut parts = inner.split(' ');
    Some((parts.next()?, parts.collect()))
}

fn shape(
    name: &str,
    facts: &[(u32, [&str; 3])],
    roles: &[String],
    row_first: bool,
) -> Option<BoardShape> {
    let argument = |i: usize| coordinates(facts.iter().map(|fact| fact.1[i].to_owned()).collect());
    let (first, second) = (argument(0)?, argument(1)?);
    let (columns, rows) = if row_first { (second, first) } else { (first, second) };
    let names: BTreeSet<&str> = facts.iter().map(|fact| fact.1[2]).collect();
    if names.len() > MOST_PIECES {
        return None;
    }
    let mut board = BoardShape {
        relation: name.to_owned(),
        grid: Grid::Square,
        row_first,
        exists: vec![false; columns.len() * rows.len()],
        columns,
        rows,
        pieces: pieces(&names, roles),
        piece_shape: Shape::Token,
        places: Vec::new(),
        by_fluent: Vec::new(),
    };
    for (fluent, [first, second, name]) in facts {
        let cell = board.cell(first, second)?;
        let piece = board.pieces.iter().position(|piece| piece.name == *name)?;
        board.exists[cell] = true;
        board.places.push((*fluent, cell as u32, piece as u8));
    }
    Some(board)
}

/// Values in their order, if they look like coordinates: numbers, letters, or one prefix with
/// numbers behind it.
fn coordinates(values: BTreeSet<String>) -> Option<Vec<String>> {
    if !(2..=MOST_COORDINATES).contains(&values.len()) {
        return None;
    }
    let split = |value: &String| {
        let digits = value.len() - value.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (prefix, number) = value.split_at(value.len() - digits);
        (prefix.to_owned(), number.parse::<u64>().ok())
    };
    let mut parts: Vec<((String, Option<u64>), String)> =
        values.into_iter().map(|value| (split(&value), value)).collect();
    let letters = parts.iter().all(|((prefix, number), _)| prefix.len() == 1 && number.is_none());
    let first = parts[0].0.0.clone();
    let numbers = parts.iter().all(|((prefix, number), _)| *prefix == first && number.is_some());
    if !letters && !numbers {
        return None;
    }
    parts.sort_by_key(|((prefix, number), _)| (*number, prefix.clone()));
    Some(parts.into_iter().map(|(_, value)| value).collect())
}

fn pieces(names: &BTreeSet<&str>, roles: &[String]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for &name in names {
        let is_role = roles.iter().any(|role| role == name);
        let blank = ["b", "blank", "empty", "none", "free", "e", "-", "0"]
            .iter()
            .any(|blank| name.eq_ignore_ascii_case(blank));
        let symbol = match blank && !is_role {
            true => String::new(),
            false => short(name, &pieces),
        };
        let role = if symbol.is_empty() { None } else { owner(name, roles) };
        pieces.push(Piece { name: name.to_owned(), symbol, role, long_name: None });
    }
    pieces
}

/// A letter or two that no other piece has: the name itself if it is short, its initials, its
/// first letters, or a number.
fn short(name: &str, others: &[Piece]) -> String {
    let letters: Vec<char> = name.chars().collect();
    let parts = name.split(['_', '-']).filter_map(|part| part.chars().next());
    let humps = letters.windows(2).filter(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let initials: Vec<char> = match parts.clone().count() {
        0 | 1 => letters.iter().take(1).copied().chain(humps.map(|pair| pair[1])).collect(),
        _ => parts.collect(),
    };
    let mut options: Vec<String> = Vec::new();
    if letters.len() <= 2 {
        options.push(name.to_owned());
    }
    options.push(initials.iter().take(2).collect());
    options.extend(letters.iter().skip(1).map(|&second| format!("{}{second}", letters[0])));
    options.extend((1..=MOST_PIECES).map(|i| format!("{}{i}", letters[0])));
    let free = |option: &String| others.iter().all(|piece| piece.symbol != *option);
    options.into_iter().find(free).unwrap_or_default()
}

/// The role whose name the piece has or starts with, or whose first letter it shares with no other.
fn owner(name: &str, roles: &[String]) -> Option<usize> {
    let lower = name.to_ascii_lowercase();
    let exact = roles.iter().position(|role| *role == name);
    let prefix = || roles.iter().position(|role| lower.starts_with(&role.to_ascii_lowercase()));
    let initial = || {
        let first = lower.chars().next();
        let same = |role: &String| role.to_ascii_lowercase().chars().next() == first;
        let mut found = (0..roles.len()).filter(|&role| same(&roles[role]));
        found.next().filter(|_| found.next().is_none())
    };
    exact.or_else(prefix).or_else(initial)
}
