//! Boards of dots with lines between them, as in dots and boxes: facts of four arguments such as
//! `(line 1 1 1 2)` that name two dots next to each other.

use std::collections::BTreeMap;

use sakiyomi_core::{Grid, Shape};

use crate::draw::places::coordinates;
use crate::draw::shape::{BoardShape, Relation};

/// The board of such a relation, if it is one. What `inside` has stands in the boxes between the
/// dots.
pub(crate) fn lattice(relation: &Relation<'_>, inside: Option<&BoardShape>) -> Option<BoardShape> {
    let ends: Vec<[&str; 4]> = relation
        .facts
        .iter()
        .map(|(_, names)| names.clone().try_into().ok())
        .collect::<Option<_>>()?;
    let dots = Dots {
        columns: coordinates(ends.iter().flat_map(|e| [e[0], e[2]]).map(str::to_owned).collect())?,
        rows: coordinates(ends.iter().flat_map(|e| [e[1], e[3]]).map(str::to_owned).collect())?,
    };
    let mut by_name = BTreeMap::new();
    for end in &ends {
        by_name.insert(end.join(" "), dots.between(*end)?);
    }
    let n_cells = dots.width() * (2 * dots.rows.len() - 1);
    let width = dots.width();
    let is_dot =
        |cell: &usize| (cell % width).is_multiple_of(2) && (cell / width).is_multiple_of(2);
    let boxes = inside.filter(|board| board.n_place == 2 && !board.is_counted);
    Some(BoardShape {
        relation: boxes.map_or_else(String::new, |board| board.relation.clone()),
        grid: Grid::Square,
        n_place: 4,
        by_name,
        columns: spread(&dots.columns),
        rows: spread(&dots.rows),
        pieces: boxes.map_or_else(Vec::new, |board| board.pieces.clone()),
        piece_shape: Shape::Token,
        exists: vec![true; n_cells],
        dots: (0..n_cells).filter(is_dot).collect(),
        shaded: Vec::new(),
        is_counted: false,
        lines: Some(relation.name.to_owned()),
        movers: None,
        places: boxes.map_or_else(Vec::new, |board| dots.places(board)),
        by_fluent: Vec::new(),
        by_fluent_bits: Vec::new(),
    })
}

/// The coordinates of the dots.
struct Dots {
    columns: Vec<String>,
    rows: Vec<String>,
}

impl Dots {
    /// Cells in a row: dots, and what lies between them.
    fn width(&self) -> usize {
        2 * self.columns.len() - 1
    }

    fn dot(&self, column: &str, row: &str) -> Option<(usize, usize)> {
        let at = |names: &[String], name: &str| names.iter().position(|other| other == name);
        Some((at(&self.columns, column)?, at(&self.rows, row)?))
    }

    /// The cell between two dots; nothing if they are not next to each other.
    fn between(&self, [x1, y1, x2, y2]: [&str; 4]) -> Option<usize> {
        let (a, b) = (self.dot(x1, y1)?, self.dot(x2, y2)?);
        let is_next = a.0.abs_diff(b.0) + a.1.abs_diff(b.1) == 1;
        is_next.then(|| (a.1 + b.1) * self.width() + a.0 + b.0)
    }

    /// Where the facts of a board of boxes are drawn: a box is named after its first dot.
    fn places(&self, board: &BoardShape) -> Vec<(u32, u32, u8)> {
        let n = board.columns.len();
        let place = |&(fluent, cell, piece): &(u32, u32, u8)| {
            let cell = cell as usize;
            let (x, y) = self.dot(&board.columns[cell % n], &board.rows[cell / n])?;
            let is_inside = x + 1 < self.columns.len() && y + 1 < self.rows.len();
            is_inside.then(|| (fluent, ((2 * y + 1) * self.width() + 2 * x + 1) as u32, piece))
        };
        board.places.iter().filter_map(place).collect()
    }
}

/// Labels at the dots, and none between them.
fn spread(names: &[String]) -> Vec<String> {
    let label = |i: usize| if i.is_multiple_of(2) { names[i / 2].clone() } else { String::new() };
    (0..2 * names.len() - 1).map(label).collect()
}
