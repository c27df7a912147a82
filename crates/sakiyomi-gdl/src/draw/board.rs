//! Finds the board in the facts of a game: a relation whose first arguments say where, such as
//! `(cell 1 2 white)`, `(cell e 2 white pawn)`, `(cell a1 red)` or, on boards of boards,
//! `(cell 1 1 2 3 x)`, and whose other arguments say what stands there. The largest such relation is
//! the board; [`crate::draw::places`] lays its
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
/// The kind of ground that nothing can enter.
const WALL: &str = "wall";

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
                // Where the players walk about, what lies in their way is no piece.
                if let ([piece], true) = (&mut board.drawn_pieces()[..], movers.is_some())
                    && piece.role.is_none()
                {
                    piece.ground = Some(WALL);
                }
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

    /// The pieces that mean that something is there.
    fn drawn_pieces(&mut self) -> Vec<&mut Piece> {
        self.pieces.iter_mut().filter(|piece| !piece.symbol.is_empty()).collect()
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
    fn shape(&self, relation: &Relation<'_>) -> Option<BoardShape> {
        let Relation { name, facts } = relation;
        let n_arguments = facts.first()?.1.len();
        let is_written = n_arguments == 4 && are_written(facts);
        let (n_place, layout) = self.places(relation, n_arguments, is_written)?;
        let names = self.contents(name, facts, n_place, n_arguments);
        let is_counted = layout.is_row;
        if names.len() > MAX_PIECES || is_counted && !are_counts(&names) {
            return None;
        }
        let Places { columns, rows, cells: by_name, grid, shaded, .. } = layout;
        let mut board = BoardShape {
            relation: (*name).to_owned(),
            grid,
            n_place,
            exists: vec![false; columns.len() * rows.len()],
            columns,
            rows,
            by_name,
            pieces: match is_written {
                true => written(&names),
                false => pieces(&names, self.roles, is_counted, n_place == 4),
            },
            piece_shape: Shape::Token,
            dots: Vec::new(),
            shaded,
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
            let (cell, content) = (board.cell(place)?, content.join(" "));
            let piece = board.pieces.iter().position(|piece| piece.name == content)?;
            board.exists[cell] = true;
            board.places.push((*fluent, cell as u32, piece as u8));
        }
        if n_place == 2 && !self.row_first {
            self.lay_hexagons(&mut board);
        }
        Some(board)
    }

    /// The number of arguments that are a place, and the places.
    ///
    /// Coordinates, of which there may be three or two parts each, and what stands there in one or
    /// two words; or a name and what stands there; or only coordinates. Of two words the first is a
    /// role.
    fn places(
        &self,
        Relation { name: relation, facts }: &Relation<'_>,
        n_arguments: usize,
        is_written: bool,
    ) -> Option<(usize, Places)> {
        let pairs = || facts.iter().map(|(_, a)| [a[0], a[1]]).collect::<Vec<[&str; 2]>>();
        Some(match n_arguments {
            5 => {
                let fours: Vec<[&str; 4]> =
                    facts.iter().map(|(_, a)| [a[0], a[1], a[2], a[3]]).collect();
                (4, places::of_four(&fours, self.statics.are_pairs(relation))?)
            }
            4 if !is_written
                && !facts.iter().any(|(_, a)| self.roles.iter().any(|r| r == a[2])) =>
            {
                // Four numbers are lines between dots or other pairs of places.
                if facts.iter().all(|(_, a)| a[3].parse::<i32>().is_ok()) {
                    return None;
                }
                let threes: Vec<[&str; 3]> =
                    facts.iter().map(|(_, a)| [a[0], a[1], a[2]]).collect();
                (3, places::of_three(&threes)?)
            }
            3 | 4 => (2, places::of_two(&pairs(), self.row_first, self.is_complete)?),
            2 => match self.marks(relation, &pairs()) {
                Some(places) => (2, places),
                None => {
                    let names =
                        facts.iter().map(|(_, arguments)| arguments[0].to_owned()).collect();
                    (1, places::of_one(&names, self.statics, self.roles)?)
                }
            },
            _ => return None,
        })
    }

    /// The places of a relation of two coordinates that are marked in the course of a match.
    fn marks(&self, relation: &str, pairs: &[[&str; 2]]) -> Option<Places> {
        let may_be = self.is_complete && self.statics.starts_empty(relation);
        may_be.then(|| places::of_marks(pairs, self.roles, self.row_first))?
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

/// Whether numbers are written on places that have one each, and a word behind each says what became
/// of it: `(cell 1 2 5 empty)`.
fn are_written(facts: &[(u32, Vec<&str>)]) -> bool {
    const MAX_WORDS: usize = 3;
    let number = |text: &str| text.parse::<i32>().ok();
    let mut written: BTreeMap<[&str; 2], &str> = BTreeMap::new();
    let is_one = |(_, a): &(u32, Vec<&'_ str>)| number(a[2]).is_some() && number(a[3]).is_none();
    let words: BTreeSet<&str> = facts.iter().map(|(_, a)| a[3]).collect();
    facts.iter().all(is_one)
        && words.len() <= MAX_WORDS
        && facts.iter().all(|(_, a)| *written.entry([a[0], a[1]]).or_insert(a[2]) == a[2])
}

/// Numbers that are written on a board, with a word each.
fn written(names: &BTreeSet<String>) -> Vec<Piece> {
    const PLAIN: [&str; 8] = ["e", "empty", "free", "open", "clear", "w", "white", "blank"];
    let piece = |name: &String| {
        let (number, word) = name.split_once(' ').unwrap_or((name, ""));
        let is_plain = PLAIN.iter().any(|plain| word.eq_ignore_ascii_case(plain));
        Piece {
            name: name.clone(),
            symbol: number.to_owned(),
            role: None,
            long_name: None,
            count: number.parse().ok(),
            ground: (!is_plain).then_some("dark"),
        }
    };
    names.iter().map(piece).collect()
}

/// What stands on the cells. Numbers on a board of boards are written down, not put there.
fn pieces(names: &BTreeSet<String>, roles: &[String], counted: bool, parts: bool) -> Vec<Piece> {
    const BLANKS: [&str; 9] = ["b", "blank", "empty", "none", "free", "e", "-", "0", "off"];
    const WALLS: [&str; 4] = [WALL, "obstacle", "block", "rock"];
    let is_role = |name: &String| roles.iter().any(|role| role == name);
    let is_blank = |name: &String| {
        let is_known = BLANKS.iter().any(|blank| name.eq_ignore_ascii_case(blank));
        let is_denied = || {
            let denied = ["no", "not", "un"].iter().filter_map(|no| name.strip_prefix(no));
            denied.map(|rest| rest.trim_start_matches(['_', '-'])).any(|rest| names.contains(rest))
        };
        !is_role(name) && (is_known || is_denied())
    };
    let mut drawn = names.iter().filter(|name| !is_blank(name));
    let numbers = drawn.clone().all(|name| name.parse::<i32>().is_ok());
    let only = drawn.next().filter(|_| drawn.next().is_none());
    let prefix = drawn_prefix(names.iter().filter(|name| !is_blank(name)));
    let mut pieces: Vec<Piece> = Vec::new();
    for name in names {
        let count = count(name).filter(|_| counted || parts && numbers && !is_blank(name));
        // A single kind of piece of a single player needs no letter.
        let is_plain = only == Some(name) && roles.len() == 1 && count.is_none();
        let is_wall = WALLS.contains(&name.as_str()) && !is_role(name);
        let symbol = match count {
            Some(count) => count.to_string(),
            None if is_blank(name) => String::new(),
            None if is_wall => "#".to_owned(),
            None => match (chessman(name, roles), prefix) {
                (Some(sign), _) => sign,
                (None, _) if is_plain || name.is_empty() => "●".to_owned(),
                (None, Some(prefix)) => name[prefix..].to_owned(),
                (None, None) => short(name, &pieces),
            },
        };
        let is_one = !symbol.is_empty() && !counted;
        let own =
            || if roles.len() == 1 && only == Some(name) { Some(0) } else { owner(name, roles) };
        let role = if is_one && !is_wall { own() } else { None };
        let ground = is_wall.then_some(WALL);
        pieces.push(Piece { name: name.clone(), symbol, role, long_name: None, count, ground });
    }
    pieces
}

/// How long the beginning is that all names share, where numbers of several digits follow that tell
/// them apart: `p0101`.
fn drawn_prefix<'a>(names: impl Iterator<Item = &'a String>) -> Option<usize> {
    const DIGITS: std::ops::RangeInclusive<usize> = 2..=4;
    let lengths = names.map(|name| {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        (prefix, name.len() - prefix)
    });
    let lengths: BTreeSet<(usize, usize)> = lengths.collect();
    match lengths.into_iter().collect::<Vec<_>>()[..] {
        [(prefix, digits)] if prefix > 0 && DIGITS.contains(&digits) => Some(prefix),
        _ => None,
    }
}

/// The sign of a chessman, where one of two roles and a kind are named: `white pawn`. A single player
/// has men without a colour.
fn chessman(name: &str, roles: &[String]) -> Option<String> {
    const MEN: [(&str, [&str; 2]); 6] = [
        ("king", ["♔", "♚"]),
        ("queen", ["♕", "♛"]),
        ("rook", ["♖", "♜"]),
        ("bishop", ["♗", "♝"]),
        ("knight", ["♘", "♞"]),
        ("pawn", ["♙", "♟"]),
    ];
    let (role, kind) = match name.split_once(' ') {
        Some((role, kind)) => (roles.iter().position(|other| other == role)?, kind),
        None if roles.len() == 1 => (1, name),
        None => return None,
    };
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
