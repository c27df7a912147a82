//! A second, plain way to score, against which the fast one is checked: one flood per team, a cell at
//! a time, from the cells around the field.

use super::cells::{AREA, Cell, SIDE, STRIDE};
use super::map::{MAX_TEAMS, Map};
use super::water::Water;

/// The score of every team.
pub fn plain_scores(map: &Map, water: &Water) -> [u32; MAX_TEAMS] {
    std::array::from_fn(|team| {
        let is_own = |cell: Cell| water.at(cell).is_some_and(|pool| usize::from(pool.team) == team);
        let reached = flood(is_own);
        let scores = |cell: &Cell| {
            let is_free = water.at(*cell).is_none() && map.terrain(*cell).is_ground();
            is_own(*cell) || is_free && !reached[cell.index()]
        };
        Cell::all().filter(scores).count() as u32
    })
}

/// Which cells of the array and of its margin are reached from the margin without crossing a fence.
fn flood(is_fence: impl Fn(Cell) -> bool) -> [bool; AREA] {
    let mut reached = [false; AREA];
    let mut stack = vec![(0, 0)];
    reached[0] = true;
    while let Some((row, column)) = stack.pop() {
        for (dx, dy) in super::cells::DIRECTIONS {
            let (row, column) = (row + dy, column + dx);
            let margin = 0..STRIDE as i32;
            if !margin.contains(&row) || !margin.contains(&column) {
                continue;
            }
            let index = row as usize * STRIDE + column as usize;
            let is_inside = (1..=SIDE as i32).contains(&row) && (1..=SIDE as i32).contains(&column);
            let is_closed = is_inside && is_fence(Cell(index as u16));
            if !reached[index] && !is_closed {
                reached[index] = true;
                stack.push((row, column));
            }
        }
    }
    reached
}
