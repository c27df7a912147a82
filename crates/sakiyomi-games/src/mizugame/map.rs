//! The ground and where the robots start, as a value and as text.
//!
//! A map file has a first line `41 41 symmetry seed`, where the symmetry is `C2`, `C6` or `free`;
//! then 41 lines of 41 characters: `#` outside, `.` plain, `~` rough, `X` wall, `O` jar; then a line
//! `team robot x y` for each robot, teams and robots counted from 0, in this order.

use std::fmt::Write as _;

use super::cells::{AREA, Board, Cell, SIDE};
use super::settings::Symmetry;

/// The most teams of a match.
pub const MAX_TEAMS: usize = 6;
/// Robots of a team.
pub const TEAM_ROBOTS: usize = 3;
pub(super) const MAX_ROBOTS: usize = MAX_TEAMS * TEAM_ROBOTS;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Terrain {
    Outside,
    Plain,
    Rough,
    Wall,
    Jar,
}

impl Terrain {
    const ALL: [Terrain; 5] =
        [Terrain::Outside, Terrain::Plain, Terrain::Rough, Terrain::Wall, Terrain::Jar];

    /// Its character in a map file.
    pub fn letter(self) -> char {
        match self {
            Terrain::Outside => '#',
            Terrain::Plain => '.',
            Terrain::Rough => '~',
            Terrain::Wall => 'X',
            Terrain::Jar => 'O',
        }
    }

    /// Whether a robot may stand there.
    #[inline]
    pub fn is_open(self) -> bool {
        !matches!(self, Terrain::Outside | Terrain::Wall)
    }

    /// Whether it can hold water and can score.
    #[inline]
    pub fn is_ground(self) -> bool {
        matches!(self, Terrain::Plain | Terrain::Rough)
    }
}

/// A map: 2 to 6 teams of three robots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// None if the ground need not be symmetric.
    pub symmetry: Option<Symmetry>,
    /// What the map was made from; 0 if a person drew it.
    pub seed: u64,
    pub(super) terrain: Box<[Terrain; AREA]>,
    pub(super) starts: Vec<[Cell; TEAM_ROBOTS]>,
    pub(super) ground: Board,
}

/// What is wrong with a text, and in which line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TextError {
    pub line: usize,
    pub message: String,
}

pub(super) fn error<T>(line: usize, message: impl Into<String>) -> Result<T, TextError> {
    Err(TextError { line, message: message.into() })
}

impl Map {
    pub(super) fn new(
        symmetry: Option<Symmetry>,
        seed: u64,
        terrain: Box<[Terrain; AREA]>,
        starts: Vec<[Cell; TEAM_ROBOTS]>,
    ) -> Map {
        let mut ground = Board::EMPTY;
        for cell in Cell::all().filter(|cell| terrain[cell.index()].is_ground()) {
            ground.insert(cell);
        }
        Map { symmetry, seed, terrain, starts, ground }
    }

    pub fn n_teams(&self) -> usize {
        self.starts.len()
    }

    #[inline]
    pub fn terrain(&self, cell: Cell) -> Terrain {
        self.terrain[cell.index()]
    }

    /// Where the robots of a team start.
    pub fn starts(&self, team: usize) -> [Cell; TEAM_ROBOTS] {
        self.starts[team]
    }

    /// Reads a map file.
    pub fn read(text: &str) -> Result<Map, TextError> {
        let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim_end()));
        let (symmetry, seed) = read_head(lines.next().map_or("", |line| line.1))?;
        let terrain = read_terrain(&mut lines)?;
        if let Some(symmetry) = symmetry {
            check_symmetry(symmetry, &terrain)?;
        }
        let starts = read_starts(&terrain, lines)?;
        Ok(Map::new(symmetry, seed, terrain, starts))
    }

    /// The map as a file.
    pub fn text(&self) -> String {
        let symmetry = self.symmetry.map_or("free", Symmetry::name);
        let mut text = format!("{SIDE} {SIDE} {symmetry} {}\n", self.seed);
        for y in 0..SIDE as i32 {
            let terrain = |x| Cell::at(x, y).map_or(Terrain::Outside, |cell| self.terrain(cell));
            text.extend((0..SIDE as i32).map(|x| terrain(x).letter()));
            text.push('\n');
        }
        for (team, robots) in self.starts.iter().enumerate() {
            for (robot, cell) in robots.iter().enumerate() {
                let _ = writeln!(text, "{team} {robot} {} {}", cell.x(), cell.y());
            }
        }
        text
    }
}

impl Map {
    /// The map in one word: symmetry and seed, the rows of the field without what is outside, and where
    /// the robots start, with slashes between them. A number says how often the letter after it stands.
    pub fn code(&self) -> String {
        let mut code = format!("{}.{}", self.symmetry.map_or("free", Symmetry::name), self.seed);
        for y in 0..SIDE as i32 {
            code.push('/');
            let row = (0..SIDE as i32).filter_map(|x| Cell::at(x, y));
            let letters: Vec<char> = row.map(|cell| self.terrain(cell).letter()).collect();
            for run in letters.chunk_by(|a, b| a == b) {
                if run.len() > 1 {
                    code += &run.len().to_string();
                }
                code.push(run[0]);
            }
        }
        for cell in self.starts.iter().flatten() {
            let _ = write!(code, "/{}.{}", cell.x(), cell.y());
        }
        code
    }

    /// Reads what [`Map::code`] has written.
    pub fn from_code(code: &str) -> Result<Map, String> {
        let wrong = |what: String| format!("`{code}` is no map: {what}");
        let mut parts = code.split('/');
        let head = parts.next().unwrap_or_default().replace('.', " ");
        let mut text = format!("{SIDE} {SIDE} {head}\n");
        for y in 0..SIDE {
            let row = parts.next().ok_or_else(|| wrong(format!("row {y} is missing")))?;
            let inside = read_runs(row).ok_or_else(|| {
                wrong(format!("row {y} is `{row}`; expected letters and how often they stand"))
            })?;
            // The field is cut off at the upper right and the lower left.
            let before = y.saturating_sub(SIDE / 2);
            let after = (SIDE / 2).saturating_sub(y);
            text += &format!("{}{inside}{}\n", "#".repeat(before), "#".repeat(after));
        }
        for (i, place) in parts.enumerate() {
            let (team, robot) = (i / TEAM_ROBOTS, i % TEAM_ROBOTS);
            text += &format!("{team} {robot} {}\n", place.replace('.', " "));
        }
        Map::read(&text).map_err(|error| wrong(format!("as a map file, {error}")))
    }
}

/// A row of letters, each with how often it stands, if that is not once.
fn read_runs(text: &str) -> Option<String> {
    let mut row = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let n: usize = if n_digits == 0 { 1 } else { rest[..n_digits].parse().ok()? };
        let letter = rest[n_digits..].chars().next().filter(|_| n <= SIDE)?;
        row.extend(std::iter::repeat_n(letter, n));
        rest = &rest[n_digits + letter.len_utf8()..];
    }
    (row.len() <= 4 * SIDE).then_some(row)
}

fn read_head(line: &str) -> Result<(Option<Symmetry>, u64), TextError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[width, height, symmetry, seed] = words.as_slice() else {
        return error(1, format!("`{line}`; expected `41 41 C6 1`: size, symmetry, seed"));
    };
    if width != "41" || height != "41" {
        return error(1, format!("the size is {width} {height}; it must be 41 41"));
    }
    let known = Symmetry::named(symmetry);
    if known.is_none() && symmetry != "free" {
        return error(1, format!("the symmetry is `{symmetry}`; it must be C2, C6 or free"));
    }
    match seed.parse() {
        Ok(seed) => Ok((known, seed)),
        Err(_) => error(1, format!("the seed is `{seed}`; it must be a number from 0 to 2^64 - 1")),
    }
}

fn read_terrain<'a>(
    lines: &mut impl Iterator<Item = (usize, &'a str)>,
) -> Result<Box<[Terrain; AREA]>, TextError> {
    let mut terrain = Box::new([Terrain::Outside; AREA]);
    for y in 0..SIDE as i32 {
        let line = y as usize + 2;
        let text = lines.next().map_or("", |line| line.1);
        let n = text.chars().count();
        if n != SIDE {
            return error(line, format!("{n} characters; row {y} of the field must have {SIDE}"));
        }
        for (x, letter) in text.chars().enumerate() {
            let Some(kind) = Terrain::ALL.into_iter().find(|kind| kind.letter() == letter) else {
                let column = x + 1;
                return error(line, format!("column {column}: `{letter}`; expected # . ~ X or O"));
            };
            match (Cell::at(x as i32, y), kind) {
                (Some(cell), kind) if kind != Terrain::Outside => terrain[cell.index()] = kind,
                (None, Terrain::Outside) => {}
                (Some(_), _) => {
                    let what = "`#` on the field; outside is where x and y differ by more than 20";
                    return error(line, format!("column {}: {what}", x + 1));
                }
                (None, _) => {
                    let what = "is outside the field, where x and y differ by more than 20, \
                                and must be `#`";
                    return error(line, format!("column {}: `{letter}` {what}", x + 1));
                }
            }
        }
    }
    Ok(terrain)
}

fn check_symmetry(symmetry: Symmetry, terrain: &[Terrain; AREA]) -> Result<(), TextError> {
    for cell in Cell::all() {
        let image = match symmetry {
            Symmetry::Point => cell.opposite(),
            Symmetry::SixFold => cell.rotated(),
        };
        let [own, other] = [cell, image].map(|cell| terrain[cell.index()]);
        if own != other {
            let name = symmetry.name();
            let [own, other] = [own, other].map(Terrain::letter);
            let [(x, y), (u, v)] = [cell, image].map(|cell| (cell.x(), cell.y()));
            let message = format!(
                "column {}: `{own}` at ({x}, {y}) but `{other}` at ({u}, {v}); with {name} they must \
                 be equal, or line 1 must say free",
                x + 1
            );
            return error(y as usize + 2, message);
        }
    }
    Ok(())
}

fn read_starts<'a>(
    terrain: &[Terrain; AREA],
    lines: impl Iterator<Item = (usize, &'a str)>,
) -> Result<Vec<[Cell; TEAM_ROBOTS]>, TextError> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut last = SIDE + 1;
    for (line, text) in lines.filter(|line| !line.1.is_empty()) {
        last = line;
        let (team, robot) = (cells.len() / TEAM_ROBOTS, cells.len() % TEAM_ROBOTS);
        if team == MAX_TEAMS {
            return error(line, format!("`{text}` after the robots of {MAX_TEAMS} teams"));
        }
        let numbers: Vec<Option<i32>> =
            text.split_whitespace().map(|word| word.parse().ok()).collect();
        let place = match numbers.as_slice() {
            &[Some(t), Some(r), Some(x), Some(y)] if (t, r) == (team as i32, robot as i32) => {
                (x, y)
            }
            _ => return error(line, format!("`{text}`; expected `{team} {robot} x y`")),
        };
        let on_field = Cell::at(place.0, place.1);
        match on_field.filter(|cell| terrain[cell.index()].is_open()) {
            Some(cell) => cells.push(cell),
            None => {
                let what = "is a wall or outside the field; a robot must start on plain or rough \
                            ground or on a jar";
                return error(line, format!("({}, {}) {what}", place.0, place.1));
            }
        }
    }
    if cells.len() < 2 * TEAM_ROBOTS || !cells.len().is_multiple_of(TEAM_ROBOTS) {
        let n = cells.len();
        let what = format!("{n} robots; expected {TEAM_ROBOTS} for each of 2 to {MAX_TEAMS} teams");
        return error(last + 1, what);
    }
    Ok(cells.chunks_exact(TEAM_ROBOTS).map(|team| [team[0], team[1], team[2]]).collect())
}
