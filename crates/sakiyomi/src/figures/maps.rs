//! Maps of units on terrain, side by side, with lines of text below each.

use serde::Serialize;

use super::axis::{Point, wrap};
use super::drawing::*;

/// A map to be drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MapPicture {
    pub title: String,
    /// What stands below it.
    pub lines: Vec<String>,
    pub columns: usize,
    /// Row by row, the codes of TUBSTAP's map files.
    pub terrain: Vec<u8>,
    pub units: Vec<UnitPicture>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnitPicture {
    /// From 0 at the top left.
    pub x: usize,
    pub y: usize,
    pub mark: char,
    /// 0 is RED, a square; 1 is BLUE, a diamond.
    pub team: u8,
    pub hit_points: u8,
}

/// Colours of terrain by code, from forbidden to fortress, and a letter for those that are hard to tell apart.
const TERRAIN: [([u8; 3], &str, &str); 7] = [
    ([40, 40, 40], "forbidden", ""),
    ([222, 240, 200], "plain", ""),
    ([150, 200, 240], "sea", "~"),
    ([120, 180, 110], "wood", "w"),
    ([190, 160, 130], "mountain", "m"),
    ([225, 220, 205], "road", "="),
    ([200, 190, 215], "fortress", "#"),
];
const RED: [u8; 3] = [190, 30, 30];
const BLUE: [u8; 3] = [30, 60, 170];
const GAP: f64 = 24.0;
const MAX_CELL: f64 = 34.0;
const MIN_CELL: f64 = 14.0;
const TEXT: f64 = 13.0;

pub(super) fn draw_maps(drawing: &mut Drawing, maps: &[MapPicture]) {
    let names: Vec<String> = TERRAIN
        .iter()
        .map(
            |(_, name, letter)| {
                if letter.is_empty() { (*name).to_owned() } else { format!("{name} {letter}") }
            },
        )
        .collect();
    let keys = TERRAIN.iter().zip(&names);
    let keys: Vec<(Key, &str)> =
        keys.map(|((fill, ..), name)| (Key::Fill(Paint::Fixed(*fill)), name.as_str())).collect();
    drawing.legend(&keys);
    let widest_map = maps.iter().map(|map| map.columns).max().unwrap_or(1).max(1) as f64;
    let per_row = if widest_map <= 8.0 { 4.0 } else { 2.0 };
    let room = (WIDTH - 2.0 * MARGIN + GAP) / per_row - GAP;
    let cell = (room / widest_map).clamp(MIN_CELL, MAX_CELL);
    for row in maps.chunks(per_row as usize) {
        let top = drawing.bottom + GAP;
        let mut bottom = top;
        for (at, map) in row.iter().enumerate() {
            let left = MARGIN + at as f64 * (room + GAP);
            bottom = draw_map(drawing, map, (left, top), cell, room).max(bottom);
        }
        drawing.bottom = bottom;
    }
    if maps.is_empty() {
        drawing.bottom += LINE;
        drawing.text((MARGIN, drawing.bottom), "no map", START);
    }
}

/// Draws one map and returns where it ends.
fn draw_map(
    drawing: &mut Drawing,
    map: &MapPicture,
    (left, top): Point,
    cell: f64,
    room: f64,
) -> f64 {
    drawing.text((left, top + TEXT), &map.title, Look { size: LARGE, ..START });
    let top = top + TEXT + 8.0;
    let columns = map.columns.max(1);
    let corner = |x: usize, y: usize| (left + x as f64 * cell, top + y as f64 * cell);
    for (index, code) in map.terrain.iter().enumerate() {
        let (x, y) = corner(index % columns, index / columns);
        let (fill, _, letter) = TERRAIN[usize::from(*code).min(TERRAIN.len() - 1)];
        drawing.filled((x, y), (x + cell, y + cell), Paint::Fixed(fill));
        if !letter.is_empty() {
            let look = Look { size: 10.0, paint: Paint::Fixed([85; 3]), ..START };
            drawing.text((x + 2.0, y + 10.0), letter, look);
        }
    }
    for unit in &map.units {
        draw_unit(drawing, unit, corner(unit.x, unit.y), cell);
    }
    let mut y = top + map.terrain.len().div_ceil(columns) as f64 * cell;
    for line in map.lines.iter().flat_map(|line| wrap(line, room, TEXT)) {
        y += TEXT + 4.0;
        drawing.text((left, y), &line, Look { size: TEXT, ..START });
    }
    y + 8.0
}

/// The sides differ in shape as well as in colour.
fn draw_unit(drawing: &mut Drawing, unit: &UnitPicture, (x, y): Point, cell: f64) {
    let (centre_x, centre_y, half) = (x + cell / 2.0, y + cell / 2.0, cell * 0.44);
    let (colour, outline) = if unit.team == 0 {
        let (near, far) = (half * 0.86, 2.0 * half * 0.86);
        (
            RED,
            format!("M{:.1} {:.1}h{far:.1}v{far:.1}h-{far:.1}Z", centre_x - near, centre_y - near),
        )
    } else {
        (
            BLUE,
            format!(
                "M{centre_x:.1} {:.1}l{half:.1} {half:.1}l-{half:.1} {half:.1}l-{half:.1} -{half:.1}Z",
                centre_y - half
            ),
        )
    };
    let white = Paint::Fixed([255; 3]);
    drawing.path(&outline, Paint::Fixed(colour), white, 1.0);
    let text = format!("{}{}", unit.mark, unit.hit_points);
    let size = (cell * 0.36).max(8.0);
    let look = Look { size, paint: white, ..MIDDLE };
    drawing.text((centre_x, centre_y + size * 0.36), &text, look);
}
