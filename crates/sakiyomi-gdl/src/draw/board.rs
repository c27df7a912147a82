//! Finds the board in the facts of a game: a relation whose first arguments say where, such as
//! `(cell 1 2 white)`, `(cell e 2 white pawn)` or `(cell a1 red)`, and whose other arguments say
//! what stands there. The largest such relation is the board; [`crate::draw::places`] lays its
//! places out. A piece file may say otherwise ([`crate::draw::picture`]).

use std::collections::{BTreeMap, BTreeSet};

use sakiyomi_core::Shape;

use crate::draw::lattice::lattice;
use crate::draw::picture::{Coordinate, Picture, error_at};
use crate::draw::places::{self, Places};
use crate::draw::shape::{BoardShape, Piece, Relation, flat};
use crate::draw::statics::Statics;
use crate::read::error::PictureError;
use crate::read::parse::Sheet;

const MAX_PIECES: usize = 100;

impl BoardShape {
    /// The board of a game, drawn as the piece file says if there is one.
    pub(crate) fn detect(
        source: &Source<'_>,
        picture: Option<&str>,
    ) -> Result<Option<BoardShape>, PictureError> {
        let Source { sheet, roles, fluents, is_complete } = *source;
        let relations = relations(fluents);
        let statics = Statics::new(sheet);
        let file = picture.map(Picture::parse).transpose()?;
        let row_first = file.as_ref().is_some_and(|file| file.first == Coordinate::Row);
        let finder = Finder { roles, statics: &statics, row_first, is_complete };
        let mut shapes: Vec<BoardShape> =
            relations.iter().filter_map(|facts| finder.shape(facts)).collect();
        if let Some(name) = file.as_ref().and_then(|file| file.relation.as_ref()) {
            let known: Vec<String> = shapes.iter().map(|shape| shape.relation.clone()).collect();
            shapes.retain(|shape| shape.relation == *name.get_ref());
            if shapes.is_empty() {
                let (wanted, known) = (name.get_ref(), known.join(", "));
                let message = format!("relation: `{wanted}` is no board; boards: {known}");
                return Err(error_at(picture.unwrap_or_default(), &name.span(), message));
            }
        }
        // Numbers of things are drawn as a board only where nothing else is one.
        let size = |shape: &BoardShape| shape.exists.iter().filter(|&&exists| exists).count();
        let mut board = shapes.into_iter().max_by_key(|shape| (!shape.is_counted, size(shape)));
        if file.is_none() {
            let with_lines = relations.iter().find_map(|facts| lattice(facts, board.as_ref()));
            board = with_lines.or(board);
            if let Some(board) = board.as_mut().filter(|board| !board.is_counted) {
                let movers = relations.iter().find(|facts| board.is_moved_on(facts, roles));
                board.movers = movers.map(|facts| facts.name.to_owned());
            }
        }
        let Some(mut board) = board else { return Ok(None) };
        if let (Some(file), Some(text)) = (&file, picture) {
            board.grid = file.grid();
            board.arrange(file);
            file.describe_pieces(text, &mut board, roles)?;
        }
        board.piece_shape = board.common_shape(roles);
        board.sort_places();
        Ok(Some(board))
    }

    /// Lists the places by fluent, once it is known which pieces mean that nothing is there.
    fn sort_places(&mut self) {
        let n_fluents = self.places.iter().map(|place| place.0 + 1).max().unwrap_or(0);
        self.by_fluent = vec![(0, 0); n_fluents as usize];
        self.by_fluent_bits = vec![0; n_fluents.div_ceil(64) as usize];
        for &(fluent, cell, piece) in &self.places {
            if !self.pieces[usize::from(piece)].symbol.is_empty() {
                self.by_fluent[fluent as usize] = (cell, piece + 1);
                self.by_fluent_bits[fluent as usize / 64] |= 1 << (fluent % 64);
            }
        }
    }

    /// Lays columns and rows out as the file says, and the cells with them.
    fn arrange(&mut self, file: &Picture) {
        let (columns, rows) = (self.columns.clone(), self.rows.clone());
        file.arrange(&mut self.columns, &mut self.rows);
        self.follow(&columns, &rows);
    }

    /// Moves the cells to where their columns and rows, which had this order, stand now.
    fn follow(&mut self, columns: &[String], rows: &[String]) {
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
        let by_name = self.by_name.iter().map(|(name, &cell)| (name.clone(), moved(cell)));
        (self.places, self.by_name) = (places.collect(), by_name.collect());
        self.exists = exists;
    }

    /// Stones if no symbol says more than whose piece it is, and marks if they are crosses and
    /// rings on a small board.
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
}

/// What a board is looked for in.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    pub(crate) sheet: &'a Sheet,
    pub(crate) roles: &'a [String],
    /// The texts of the fluents, by number.
    pub(crate) fluents: &'a [String],
    /// Whether these are all that there can ever be; otherwise they are those of the start.
    pub(crate) is_complete: bool,
}

/// Facts with plain arguments by relation and number of arguments.
fn relations(fluents: &[String]) -> Vec<Relation<'_>> {
    let mut relations: BTreeMap<(&str, usize), Relation<'_>> = BTreeMap::new();
    for (number, text) in fluents.iter().enumerate() {
        if let Some((name, arguments)) = flat(text) {
            let same = relations.entry((name, arguments.len()));
            let same = same.or_insert_with(|| Relation { name, facts: Vec::new() });
            same.facts.push((number as u32, arguments));
        }
    }
    relations.into_values().collect()
}

/// What is known when relations are looked at.
struct Finder<'a> {
    roles: &'a [String],
    statics: &'a Statics,
    row_first: bool,
    /// Whether the facts are all that there can ever be.
    is_complete: bool,
}

impl Finder<'_> {
    /// The board of one relation, if it is one.
    fn shape(&self, Relation { name: relation, facts }: &Relation<'_>) -> Option<BoardShape> {
        let n_arguments = facts.first()?.1.len();
        // Two coordinates and what stands there in one or two words, or a name and what stands
        // there.
        let (n_place, layout) = match n_arguments {
            3 | 4 => {
                let pairs: Vec<[&str; 2]> = facts.iter().map(|(_, a)| [a[0], a[1]]).collect();
                (2, places::of_two(&pairs, self.row_first, self.is_complete)?)
            }
            2 => {
                let names = facts.iter().map(|(_, arguments)| arguments[0].to_owned()).collect();
                (1, places::of_one(&names, self.statics, self.roles)?)
            }
            _ => return None,
        };
        let names = self.contents(relation, facts, n_place, n_arguments);
        // Of two words the first is a role; lines between dots and other pairs of places are no
        // pieces.
        let is_own = |name: &String| {
            name.split_once(' ').is_some_and(|(role, _)| self.roles.iter().any(|r| r == role))
        };
        let are_pieces = n_arguments < 4 || names.iter().any(is_own);
        let is_counted = layout.is_row;
        if names.len() > MAX_PIECES || !are_pieces || is_counted && !are_counts(&names) {
            return None;
        }
        let Places { columns, rows, cells: by_name, grid, .. } = layout;
        let mut board = BoardShape {
            relation: (*relation).to_owned(),
            grid,
            n_place,
            exists: vec![false; columns.len() * rows.len()],
            columns,
            rows,
            by_name,
            pieces: pieces(&names, self.roles, is_counted),
            piece_shape: Shape::Token,
            dots: Vec::new(),
            is_counted,
            lines: None,
            movers: None,
            places: Vec::new(),
            by_fluent: Vec::new(),
            by_fluent_bits: Vec::new(),
        };
        if !self.is_complete {
            // What is not known to be missing is there.
            board.by_name.values().for_each(|&cell| board.exists[cell] = true);
        }
        for (fluent, arguments) in facts {
            let (place, content) = arguments.split_at(n_place);
            let (cell, name) = (board.cell(place)?, content.join(" "));
            let piece = board.pieces.iter().position(|piece| piece.name == name)?;
            board.exists[cell] = true;
            board.places.push((*fluent, cell as u32, piece as u8));
        }
        if n_place == 2 && !self.row_first {
            self.lay_hexagons(&mut board);
        }
        Some(board)
    }

    /// What may stand on the places. Rules that are interpreted tell only what is there at the
    /// start, and their text says what may come.
    fn contents(
        &self,
        relation: &str,
        facts: &[(u32, Vec<&str>)],
        n_place: usize,
        n_arguments: usize,
    ) -> BTreeSet<String> {
        let told = facts.iter().map(|(_, arguments)| arguments[n_place..].join(" "));
        let mut names: BTreeSet<String> = told.collect();
        if !self.is_complete && n_arguments == n_place + 1 {
            names.extend(self.statics.contents(relation, n_arguments, self.roles));
        }
        names
    }

    /// Draws the board on hexagons if its cells touch like these.
    fn lay_hexagons(&self, board: &mut BoardShape) {
        let (grid, is_turned) = self.statics.grid(&board.by_name, board.columns.len());
        board.grid = grid;
        if is_turned {
            let (columns, rows) = (board.columns.clone(), board.rows.clone());
            board.rows.reverse();
            board.follow(&columns, &rows);
        }
    }
}

/// Whether all are numbers, or a letter with a number behind it, and at least three.
fn are_counts(names: &BTreeSet<String>) -> bool {
    names.len() >= 3 && names.iter().all(|name| count(name).is_some())
}

fn count(name: &str) -> Option<i32> {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().ok().filter(|_| name.len() - digits.len() <= 1)
}

fn pieces(names: &BTreeSet<String>, roles: &[String], is_counted: bool) -> Vec<Piece> {
    const BLANKS: [&str; 8] = ["b", "blank", "empty", "none", "free", "e", "-", "0"];
    let mut pieces: Vec<Piece> = Vec::new();
    for name in names {
        let count = count(name).filter(|_| is_counted);
        let is_role = roles.iter().any(|role| role == name);
        let is_blank = BLANKS.iter().any(|blank| name.eq_ignore_ascii_case(blank)) && !is_role;
        let symbol = match count {
            Some(count) => count.to_string(),
            None if is_blank => String::new(),
            None => chessman(name, roles).unwrap_or_else(|| short(name, &pieces)),
        };
        let role = if symbol.is_empty() || is_counted { None } else { owner(name, roles) };
        pieces.push(Piece { name: name.clone(), symbol, role, long_name: None, count });
    }
    pieces
}

/// The sign of a chessman, where one of two roles and a kind are named: `white pawn`.
fn chessman(name: &str, roles: &[String]) -> Option<String> {
    const MEN: [(&str, [&str; 2]); 6] = [
        ("king", ["♔", "♚"]),
        ("queen", ["♕", "♛"]),
        ("rook", ["♖", "♜"]),
        ("bishop", ["♗", "♝"]),
        ("knight", ["♘", "♞"]),
        ("pawn", ["♙", "♟"]),
    ];
    let (role, kind) = name.split_once(' ')?;
    let role = roles.iter().position(|other| other == role)?;
    let (_, signs) = MEN.iter().find(|(man, _)| kind.eq_ignore_ascii_case(man))?;
    signs.get(role).map(|sign| (*sign).to_owned())
}

/// A letter or two that no other piece has: the name itself if it is short, its initials, its
/// first letters, or a number.
fn short(name: &str, others: &[Piece]) -> String {
    let letters: Vec<char> = name.chars().collect();
    let parts = name.split(['_', '-', ' ']).filter_map(|part| part.chars().next());
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
    options.extend((1..=MAX_PIECES).map(|i| format!("{}{i}", letters[0])));
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
