//! Where the places that facts speak of lie: coordinates on a board, coordinates in two parts on a
//! board of boards, names such as `a1`, points of the compass on rings, or a row of heaps.

use std::collections::{BTreeMap, BTreeSet};

use sakiyomi_core::Grid;

use crate::draw::statics::Statics;

const MAX_COORDINATES: usize = 40;
const MAX_HEAPS: usize = 30;

/// Places on a grid. Rows count from the lowest.
#[derive(Debug)]
pub(crate) struct Places {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<String>,
    /// Cells by the arguments that name them.
    pub(crate) cells: BTreeMap<String, usize>,
    pub(crate) grid: Grid,
    /// It is a row of names, which is a board only if things are counted there.
    pub(crate) is_row: bool,
    /// Cells of every other part of a board that has parts.
    pub(crate) shaded: Vec<usize>,
}

impl Places {
    fn new(columns: Vec<String>, rows: Vec<String>) -> Places {
        let (cells, shaded) = (BTreeMap::new(), Vec::new());
        Places { columns, rows, cells, grid: Grid::Square, is_row: false, shaded }
    }

    fn put(&mut self, name: String, column: usize, row: usize) {
        self.cells.insert(name, row * self.columns.len() + column);
    }
}

/// Places that two arguments name: coordinates, or a ring and a point of the compass. Where not all
/// facts are known, coordinates between the known ones are added.
pub(crate) fn of_two(places: &[[&str; 2]], row_first: bool, is_complete: bool) -> Option<Places> {
    let argument = |i: usize| places.iter().map(|place| place[i].to_owned()).collect();
    if let Some(places) = on_rings(argument(0), argument(1)) {
        return Some(places);
    }
    let whole = |names: Vec<String>| if is_complete { names } else { without_gaps(names) };
    let first = whole(coordinates(argument(0))?);
    let second = whole(coordinates(argument(1))?);
    let (columns, rows) = if row_first { (second, first) } else { (first, second) };
    let mut places = Places::new(columns.clone(), rows.clone());
    for (y, row) in rows.iter().enumerate() {
        for (x, column) in columns.iter().enumerate() {
            let (first, second) = if row_first { (row, column) } else { (column, row) };
            places.put(format!("{first} {second}"), x, y);
        }
    }
    Some(places)
}

/// Places that four arguments name: boards on a board, as in sudoku. With `are_pairs` the first two
/// are the column and the next two the row; otherwise the first and the third are the row. The first
/// row is the highest.
pub(crate) fn of_four(places: &[[&str; 4]], are_pairs: bool) -> Option<Places> {
    const MAX_PARTS: usize = 5;
    let values = |i: usize| {
        let values = coordinates(places.iter().map(|place| place[i].to_owned()).collect());
        values.filter(|values| values.len() <= MAX_PARTS)
    };
    let values = [values(0)?, values(1)?, values(2)?, values(3)?];
    let ([outer_column, inner_column], [outer_row, inner_row]) =
        if are_pairs { ([0, 1], [2, 3]) } else { ([1, 3], [0, 2]) };
    let width = values[outer_column].len() * values[inner_column].len();
    let height = values[outer_row].len() * values[inner_row].len();
    let names = |n: usize| (1..=n).map(|i| i.to_string());
    let letters = (b'a'..=b'z').take(width).map(|letter| char::from(letter).to_string());
    let mut board = Places::new(letters.collect(), names(height).rev().collect());
    let mut put = |parts: [usize; 4]| {
        let place: Vec<&str> = (0..4).map(|i| values[i][parts[i]].as_str()).collect();
        let column = parts[outer_column] * values[inner_column].len() + parts[inner_column];
        let row = parts[outer_row] * values[inner_row].len() + parts[inner_row];
        board.put(place.join(" "), column, height - 1 - row);
        if (parts[outer_column] + parts[outer_row]) % 2 == 1 {
            board.shaded.push((height - 1 - row) * width + column);
        }
    };
    for a in 0..values[0].len() {
        for b in 0..values[1].len() {
            for c in 0..values[2].len() {
                (0..values[3].len()).for_each(|d| put([a, b, c, d]));
            }
        }
    }
    Some(board)
}

/// Places that three arguments name: layers of a board, which the third one numbers, beside and below
/// each other.
pub(crate) fn of_three(places: &[[&str; 3]]) -> Option<Places> {
    const MAX_COLUMNS: usize = 26;
    let values = |i: usize| coordinates(places.iter().map(|place| place[i].to_owned()).collect());
    let [columns, rows, layers] = [values(0)?, values(1)?, values(2)?];
    let across = (1..).find(|n| n * n >= layers.len())?;
    let down = layers.len().div_ceil(across);
    let [width, height] = [across * columns.len(), down * rows.len()];
    if width > MAX_COLUMNS || height > MAX_COORDINATES {
        return None;
    }
    let letters = (b'a'..=b'z').take(width).map(|letter| char::from(letter).to_string());
    let mut board = Places::new(letters.collect(), (1..=height).map(|i| i.to_string()).collect());
    for (i, layer) in layers.iter().enumerate() {
        let (left, low) = (i % across * columns.len(), (down - 1 - i / across) * rows.len());
        for (y, row) in rows.iter().enumerate() {
            for (x, column) in columns.iter().enumerate() {
                board.put(format!("{column} {row} {layer}"), left + x, low + y);
                if (i % across + i / across) % 2 == 1 {
                    board.shaded.push((low + y) * width + left + x);
                }
            }
        }
    }
    Some(board)
}

/// Places that two arguments name and of which nothing more is said than that they are marked: all
/// pairs of two coordinates.
pub(crate) fn of_marks(places: &[[&str; 2]], roles: &[String], row_first: bool) -> Option<Places> {
    const LEAST: usize = 9;
    if places.iter().any(|[first, _]| roles.iter().any(|role| role == first)) {
        return None;
    }
    let found = of_two(places, row_first, true)?;
    let n_cells = found.columns.len() * found.rows.len();
    (places.len() == n_cells && n_cells >= LEAST).then_some(found)
}

/// Places that one argument names.
pub(crate) fn of_one(
    names: &BTreeSet<String>,
    statics: &Statics,
    roles: &[String],
) -> Option<Places> {
    if names.iter().all(|name| roles.contains(name)) {
        return None;
    }
    named_cells(names).or_else(|| heaps(names, statics, roles))
}

/// Values in their order, if they look like coordinates: numbers, letters, or one prefix with
/// numbers behind it.
pub(crate) fn coordinates(values: BTreeSet<String>) -> Option<Vec<String>> {
    if !(2..=MAX_COORDINATES).contains(&values.len()) {
        return None;
    }
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

/// Coordinates with all numbers or letters between the first and the last.
fn without_gaps(names: Vec<String>) -> Vec<String> {
    let (Some(first), Some(last)) = (names.first(), names.last()) else { return names };
    let whole: Vec<String> = match (split(first), split(last)) {
        ((prefix, Some(from)), (_, Some(to))) => {
            (from..=to).map(|n| format!("{prefix}{n}")).collect()
        }
        ((from, None), (to, None)) => {
            let letter = |text: &str| text.chars().next().unwrap_or_default();
            (letter(&from)..=letter(&to)).map(String::from).collect()
        }
        _ => return names,
    };
    // Names such as 01 are not what counting gives.
    let is_whole = names.iter().all(|name| whole.contains(name));
    if is_whole && whole.len() <= MAX_COORDINATES { whole } else { names }
}

/// What stands before the digits at the end, and the number that they are.
fn split(value: &str) -> (String, Option<u64>) {
    let digits = value.len() - value.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (prefix, number) = value.split_at(value.len() - digits);
    (prefix.to_owned(), number.parse().ok())
}

/// The lines of names such as `a1`: by letter, then by number.
type Lines<'a> = BTreeMap<String, BTreeMap<u64, &'a String>>;

/// Names such as `a1`. If all letters have the same numbers, letters are columns; lines of other
/// lengths, each longer or shorter by an odd number than the next, lie centred on hexagons, as on a
/// star.
fn named_cells(names: &BTreeSet<String>) -> Option<Places> {
    const LEAST: usize = 9;
    let mut lines: Lines<'_> = BTreeMap::new();
    for name in names {
        let (letter, number) = split(name);
        let is_letter = letter.len() == 1 && letter.chars().all(|c| c.is_ascii_alphabetic());
        lines.entry(letter).or_default().insert(number.filter(|_| is_letter)?, name);
    }
    let numbers: BTreeSet<u64> = lines.values().flat_map(|line| line.keys().copied()).collect();
    let sizes = [lines.len(), numbers.len()];
    if names.len() < LEAST || sizes.iter().any(|size| !(2..=MAX_COORDINATES).contains(size)) {
        return None;
    }
    if lines.values().any(|line| line.len() != numbers.len()) {
        return centred(&lines);
    }
    let rows = numbers.iter().map(u64::to_string).collect();
    let mut places = Places::new(lines.keys().cloned().collect(), rows);
    for (x, line) in lines.values().enumerate() {
        line.values().enumerate().for_each(|(y, name)| places.put((*name).clone(), x, y));
    }
    Some(places)
}

fn centred(lines: &Lines<'_>) -> Option<Places> {
    // Twice the column at which a line begins, on a board whose rows stand half a cell to the left
    // of those above.
    let start = |(y, line): (usize, &BTreeMap<u64, &String>)| y as i64 - line.len() as i64 + 1;
    let starts: Vec<i64> = lines.values().enumerate().map(start).collect();
    let least = *starts.iter().min()?;
    if starts.iter().any(|start| (start - least) % 2 != 0) {
        return None;
    }
    let firsts: Vec<usize> = starts.iter().map(|start| ((start - least) / 2) as usize).collect();
    let width = firsts.iter().zip(lines.values()).map(|(first, line)| first + line.len()).max()?;
    let rows = lines.keys().rev().cloned().collect();
    let mut places = Places::new(vec![String::new(); width], rows);
    places.grid = Grid::Hex;
    for (y, (first, line)) in firsts.iter().zip(lines.values()).enumerate() {
        let row = lines.len() - 1 - y;
        line.values().enumerate().for_each(|(i, name)| places.put((*name).clone(), first + i, row));
    }
    Some(places)
}

/// The points of the compass, as steps from the middle.
const COMPASS: [(&str, [i64; 2]); 8] = [
    ("n", [0, 1]),
    ("ne", [1, 1]),
    ("e", [1, 0]),
    ("se", [1, -1]),
    ("s", [0, -1]),
    ("sw", [-1, -1]),
    ("w", [-1, 0]),
    ("nw", [-1, 1]),
];

/// Points on square rings around each other, as in nine men's morris: `(pit outer ne ..)`.
fn on_rings(first: BTreeSet<String>, second: BTreeSet<String>) -> Option<Places> {
    const MAX_RINGS: usize = 4;
    let is_compass = |names: &BTreeSet<String>| {
        names.len() >= 4 && names.iter().all(|name| COMPASS.iter().any(|(point, _)| point == name))
    };
    let points_first = is_compass(&first);
    let (rings, points) = if points_first { (second, first) } else { (first, second) };
    if !is_compass(&points) || rings.len() > MAX_RINGS || is_compass(&rings) {
        return None;
    }
    let mut rings: Vec<String> = rings.into_iter().collect();
    rings.sort_by_key(|ring| ["inner", "middle", "outer"].iter().position(|name| name == ring));
    let n = rings.len() as i64;
    let letters = (0..=2 * n).map(|i| char::from(b'a' + i as u8).to_string());
    let numbers = (1..=2 * n + 1).map(|i| i.to_string());
    let mut places = Places::new(letters.collect(), numbers.collect());
    for (distance, ring) in (1..).zip(&rings) {
        for (point, [x, y]) in COMPASS.iter().filter(|(point, _)| points.contains(*point)) {
            let parts = if points_first { [point, ring.as_str()] } else { [ring.as_str(), point] };
            let at = |step: &i64| (n + distance * step) as usize;
            places.put(parts.join(" "), at(x), at(y));
        }
    }
    Some(places)
}

/// Heaps in a row, or in one row for each of two owners, those without a number at the ends, as in
/// kalaha.
fn heaps(names: &BTreeSet<String>, statics: &Statics, roles: &[String]) -> Option<Places> {
    if !(2..=MAX_HEAPS).contains(&names.len()) {
        return None;
    }
    // Words are no names of heaps, but of what is counted once.
    let is_name = |name: &String| name.len() == 1 || split(name).1.is_some();
    if !names.iter().any(is_name) {
        return None;
    }
    let mut order: Vec<&String> = names.iter().collect();
    order.sort_by_key(|name| (split(name).1.is_none(), split(name).1, (*name).clone()));
    let owners = statics.owners(names, roles);
    let of = |role: usize| {
        let is_own = |name: &&String| owners.as_ref().is_none_or(|owners| owners[*name] == role);
        order.iter().copied().filter(is_own).collect::<Vec<_>>()
    };
    let [upper, lower] = if owners.is_some() { [of(0), of(1)] } else { [Vec::new(), of(1)] };
    let n_ends = |line: &[&String]| line.iter().filter(|name| split(name).1.is_none()).count();
    let left = n_ends(&upper);
    let width =
        (left + lower.len()).max(upper.len() + if upper.is_empty() { 0 } else { n_ends(&lower) });
    let n_rows = if upper.is_empty() { 1 } else { 2 };
    let mut places = Places::new(vec![String::new(); width], vec![String::new(); n_rows]);
    places.is_row = true;
    for (i, name) in lower.iter().enumerate() {
        places.put((*name).clone(), left + i, 0);
        if upper.is_empty() {
            places.columns[i].clone_from(name);
        }
    }
    for (i, name) in upper.iter().rev().enumerate() {
        places.put((*name).clone(), i, 1);
    }
    Some(places)
}
