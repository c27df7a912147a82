//! A board: its cells, what may stand on them, and how both are read off facts.

use std::collections::BTreeMap;

use sakiyomi_core::{Grid, Shape};

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
    /// Cells of every other part of a board that has parts.
    pub(crate) shaded: Vec<usize>,
    /// What stands on a cell is a number of things.
    pub(crate) is_counted: bool,
    /// The relation of lines between dots, if the board has some.
    pub(crate) lines: Option<String>,
    /// The relation of pieces that stand for the roles and are told with their place behind them,
    /// such as `(position red 3 4)`, if there is one. They are drawn above what the board has.
    pub(crate) movers: Option<String>,
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
    /// The number that it stands for, if things are counted or numbers are written down.
    pub(crate) count: Option<i32>,
    /// It is no piece but a kind of ground.
    pub(crate) ground: Option<&'static str>,
}

/// The facts of one relation: their numbers among the fluents, and their arguments.
#[derive(Debug)]
pub(crate) struct Relation<'a> {
    pub(crate) name: &'a str,
    pub(crate) facts: Vec<(u32, Vec<&'a str>)>,
}

impl BoardShape {
    pub(crate) fn n_cells(&self) -> usize {
        self.exists.len()
    }

    /// The cell that these arguments name.
    pub(super) fn cell(&self, arguments: &[&str]) -> Option<usize> {
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
        let others = [self.lines.as_deref(), self.movers.as_deref()];
        let is_drawn = |name: &str| name == self.relation || others.contains(&Some(name));
        flat(fact).is_some_and(|(relation, _)| is_drawn(relation))
    }

    /// The cells between dots whose lines are drawn.
    pub(crate) fn drawn_lines(&self, facts: &[String]) -> impl Iterator<Item = usize> {
        facts.iter().filter_map(|text| {
            let lines = self.lines.as_ref()?;
            let (_, arguments) = flat(text).filter(|(relation, _)| relation == lines)?;
            self.cell(&arguments)
        })
    }

    /// The cells and the roles of the pieces that are told with their place behind them.
    pub(crate) fn movers<'a>(
        &'a self,
        facts: &'a [String],
    ) -> impl Iterator<Item = (usize, &'a str)> {
        facts.iter().filter_map(|text| {
            let movers = self.movers.as_ref()?;
            let (_, arguments) = flat(text).filter(|(relation, _)| relation == movers)?;
            let (role, place) = arguments.split_first()?;
            Some((self.cell(place)?, *role))
        })
    }

    /// Whether a relation tells a role and a cell of this board in all its facts.
    pub(crate) fn is_moved_on(&self, relation: &Relation<'_>, roles: &[String]) -> bool {
        let tells = |(_, arguments): &(u32, Vec<&str>)| match arguments.split_first() {
            Some((role, place)) => {
                place.len() == self.n_place
                    && roles.iter().any(|other| other == role)
                    && self.cell(place).is_some()
            }
            None => false,
        };
        self.n_place == 2 && relation.name != self.relation && relation.facts.iter().all(tells)
    }

    /// Appends a board with nothing on it.
    fn append_empty<'a>(&self, out: &'a mut Vec<u8>) -> &'a mut [u8] {
        let start = out.len();
        out.resize(start + self.n_cells(), 0);
        &mut out[start..]
    }

    /// Appends what stands on every cell: 0 for nothing, otherwise one more than the piece's
    /// number. The facts are bits by the numbers of the fluents.
    pub(crate) fn read_bits(&self, facts: &[u64], out: &mut Vec<u8>) {
        let cells = self.append_empty(out);
        // Few fluents hold at a time: going over those is several times faster than over all.
        for (i, (&word, &bits)) in facts.iter().zip(&self.by_fluent_bits).enumerate() {
            let mut rest = word & bits;
            while rest != 0 {
                let fluent = 64 * i + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let (cell, code) = self.by_fluent[fluent];
                cells[cell as usize] = code;
            }
        }
    }

    /// The same for facts as texts.
    pub(crate) fn read_texts(&self, facts: &[String], out: &mut Vec<u8>) {
        let cells = self.append_empty(out);
        for text in facts {
            let Some((_, arguments)) = flat(text).filter(|fact| fact.0 == self.relation) else {
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
