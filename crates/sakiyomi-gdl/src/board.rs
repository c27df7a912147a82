//! Finds the board in the facts of a game: a relation whose first arguments say where, such as
//! `(cell 1 2 white)`, `(cell e 2 white pawn)` or `(cell a1 red)`, and whose other arguments say what stands
//! there. The largest such relation is the board; [`crate::places`] lays its places out. A piece file may say
//! otherwise ([`crate::picture`]).

use std::collections::{BTreeMap, BTreeSet};

use sakiyomi_core::{Grid, Shape};

use crate::engine::{Engine, Position};
use crate::lattice::lattice;
use crate::picture::{Coordinate, Picture, PictureError, error_at};
use crate::places::{self, Layout};
use crate::statics::Statics;

/// The cells of a board and what may stand on them.
#[derive(Clone, Debug)]
pub(crate) struct BoardShape {
    pub(crate) relation: String,
    pub(crate) grid: Grid,
    /// How many arguments of a fact or a move name a place.
    pub(crate) n_place: usize,
    /// Cells by the arguments that name them; cells count row by row from the lowest.
    pub(crate) by_name: BTreeMap<String, usize>,
    /// The labels of columns and rows, in order.
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<String>,
    pub(crate) pieces: Vec<Piece>,
    /// How all of them are drawn.
    pub(crate) piece_shape: Shape,
    /// Whether anything can ever be said about a cell.
    pub(crate) exists: Vec<bool>,
    /// Cells that are only dots, between which lines are drawn.
    pub(crate) dots: Vec<usize>,
    /// What stands on a cell is a number of things.
    pub(crate) is_counted: bool,
    /// The relation of lines between dots, if the board has some.
    pub(crate) lines: Option<String>,
    /// For the fluents of the network: fluent, cell and piece.
    pub(crate) places: Vec<(u32, u32, u8)>,
    /// The same by fluent: the cell, and one more than the piece's number; 0 for a fluent that puts
    /// nothing on the board.
    pub(crate) by_fluent: Vec<(u32, u8)>,
    /// The fluents that put something on the board, as bits.
    pub(crate) by_fluent_bits: Vec<u64>,
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
    /// The number that it stands for, if things are counted.
    pub(crate) count: Option<i32>,
}

/// The facts of one relation: their numbers among the fluents, and their arguments.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) relation: &'a str,
    pub(crate) facts: Vec<(u32, Vec<&'a str>)>,
}

const MOST_PIECES: usize = 100;

impl BoardShape {
    /// The board of a game, drawn as the piece file says if there is one. `rules` is the sheet.
    pub(crate) fn detect(
        engine: &Engine,
        rules: &str,
        picture: Option<&str>,
    ) -> Result<Option<BoardShape>, PictureError> {
        let mut fluents = engine.all_fluents();
        let is_complete = !fluents.is_empty();
        if !is_complete {
            fluents = engine.facts(&engine.start());
        }
        let relations = relations(&fluents);
        let (roles, statics) = (engine.role_names(), Statics::read(rules));
        let file = picture.map(Picture::parse).transpose()?;
        let row_first = file.as_ref().is_some_and(|file| file.first == Coordinate::Row);
        let finder = Finder { roles: &roles, statics: &statics, row_first, is_complete };
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
        }
        let Some(mut board) = board else { return Ok(None) };
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
        self.by_fluent_bits = vec![0; n_fluents.div_ceil(64) as usize];
        for &(fluent, cell, piece) in &self.places {
            if !self.pieces[usize::from(piece)].symbol.is_empty() {
                self.by_fluent[fluent as usize] = (cell, piece + 1);
                self.by_fluent_bits[fluent as usize / 64] |= 1 << (fluent % 64);
            }
        }
    }

    /// Lays columns and rows out as the file says, and the cells with them.
    fn turn_over(&mut self, file: &Picture) {
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

    /// The cell that these arguments name.
    fn cell(&self, arguments: &[&str]) -> Option<usize> {
        self.by_name.get(&arguments.join(" ")).copied()
    }

    /// The cells that the arguments of a move name, in order.
    pub(crate) fn cells_of_move(&self, arguments: &[&str]) -> Vec<usize> {
        let mut cells = Vec::new();
        let mut rest = arguments;
        while !rest.is_empty() {
            let named = rest.get(..self.n_place).and_then(|place| self.cell(place));
            cells.extend(named);
            rest = &rest[if named.is_some() { self.n_place } else { 1 }..];
        }
        cells
    }

    /// Whether a fact is part of what is drawn.
    pub(crate) fn shows(&self, fact: &str) -> bool {
        let is_drawn = |name: &str| name == self.relation || self.lines.as_deref() == Some(name);
        flat(fact).is_some_and(|(relation, _)| is_drawn(relation))
    }

    /// The cells between dots whose lines are drawn.
    pub(crate) fn drawn_lines(&self, engine: &Engine, position: &Position) -> Vec<usize> {
        let Some(lines) = &self.lines else { return Vec::new() };
        let cell = |text: &String| {
            let (_, arguments) = flat(text).filter(|(relation, _)| relation == lines)?;
            self.cell(&arguments)
        };
        engine.facts(position).iter().filter_map(cell).collect()
    }

    /// Appends what stands on every cell: 0 for nothing, otherwise one more than the piece's number.
    pub(crate) fn read(&self, engine: &Engine, position: &Position, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + self.n_cells(), 0);
        let cells = &mut out[start..];
        if let Position::Network(live) = position {
            // Few fluents hold at a time: going over those is several times faster than over all.
            for (i, (&word, &bits)) in live.facts().iter().zip(&self.by_fluent_bits).enumerate() {
                let mut rest = word & bits;
                while rest != 0 {
                    let fluent = 64 * i + rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    let (cell, code) = self.by_fluent[fluent];
                    cells[cell as usize] = code;
                }
            }
            return;
        }
        for text in engine.facts(position) {
            let Some((_, arguments)) = flat(&text).filter(|fact| fact.0 == self.relation) else {
                continue;
            };
            let (place, content) = arguments.split_at(self.n_place.min(arguments.len()));
            let name = content.join(" ");
            let piece = self.pieces.iter().position(|piece| piece.name == name);
            if let (Some(cell), Some(piece)) = (self.cell(place), piece)
                && !self.pieces[piece].symbol.is_empty()
            {
                cells[cell] = piece as u8 + 1;
            }
        }
    }
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

/// Facts with plain arguments by relation and number of arguments.
fn relations(fluents: &[String]) -> Vec<Facts<'_>> {
    let mut relations: BTreeMap<(&str, usize), Facts<'_>> = BTreeMap::new();
    for (number, text) in fluents.iter().enumerate() {
        if let Some((relation, arguments)) = flat(text) {
            let same = relations.entry((relation, arguments.len()));
            let same = same.or_insert_with(|| Facts { relation, facts: Vec::new() });
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
    fn shape(&self, Facts { relation, facts }: &Facts<'_>) -> Option<BoardShape> {
        let n_arguments = facts.first()?.1.len();
        // Two coordinates and what stands there in one or two words, or a name and what stands there.
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
        // Of two words the first is a role; lines between dots and other pairs of places are no pieces.
        let is_own = |name: &String| {
            name.split_once(' ').is_some_and(|(role, _)| self.roles.iter().any(|r| r == role))
        };
        let are_pieces = n_arguments < 4 || names.iter().any(is_own);
        let is_counted = layout.is_row;
        if names.len() > MOST_PIECES || !are_pieces || is_counted && !are_counts(&names) {
            return None;
        }
        let Layout { columns, rows, cells: by_name, grid, .. } = layout;
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

    /// What may stand on the places. Rules that are interpreted tell only what is there at the start, and their
    /// text says what may come.
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
