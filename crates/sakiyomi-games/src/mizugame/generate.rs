//! Random maps with one of the two symmetries. The same settings and seed give the same map.

use sakiyomi_core::Rng;

use super::cells::{AREA, Cell};
use super::map::{Map, TEAM_ROBOTS, Terrain};
use super::settings::{MapSettings, SettingError, Symmetry};

/// Maps that are tried before giving up.
const MAX_ATTEMPTS: u64 = 2_000;
/// Starts that are tried for one map.
const MAX_START_ATTEMPTS: usize = 200;
/// How far from the centre the six jars around it may be.
const JAR_DISTANCE: std::ops::RangeInclusive<u32> = 4..=18;

/// Why no map was made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MakeMapError {
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(
        "no map with these settings in {MAX_ATTEMPTS} attempts; fewer walls or a smaller start \
             distance would help"
    )]
    NotFound,
}

impl Map {
    /// Makes a map at random.
    pub fn generate(settings: &MapSettings, seed: u64) -> Result<Map, MakeMapError> {
        let settings = settings.clone().checked()?;
        let attempt = |i| attempt(&settings, seed, &mut Rng::stream(&[seed, i]));
        (0..MAX_ATTEMPTS).find_map(attempt).ok_or(MakeMapError::NotFound)
    }

    /// The cells that can be reached from a cell, itself included.
    pub(super) fn component(&self, from: Cell) -> Vec<Cell> {
        let mut seen = [false; AREA];
        let mut reached = vec![from];
        seen[from.index()] = true;
        let mut next = 0;
        while let Some(&cell) = reached.get(next) {
            next += 1;
            for neighbour in cell.neighbours() {
                if self.terrain(neighbour).is_open() && !seen[neighbour.index()] {
                    seen[neighbour.index()] = true;
                    reached.push(neighbour);
                }
            }
        }
        reached
    }
}

fn attempt(settings: &MapSettings, seed: u64, rng: &mut Rng) -> Option<Map> {
    let symmetry = settings.symmetry;
    let starts = (0..MAX_START_ATTEMPTS).find_map(|_| draw_starts(settings, rng))?;
    let mut terrain = Box::new([Terrain::Outside; AREA]);
    let (walls, rough) = (usize::from(settings.wall_percent), usize::from(settings.rough_percent));
    for cell in Cell::all() {
        let images = images(symmetry, cell);
        if images.iter().all(|&image| image >= cell) {
            let kind = match rng.below(100) {
                roll if roll < walls => Terrain::Wall,
                roll if roll < walls + rough => Terrain::Rough,
                _ => Terrain::Plain,
            };
            images.iter().for_each(|image| terrain[image.index()] = kind);
        }
    }
    for cell in draw_jars(settings, rng) {
        terrain[cell.index()] = Terrain::Jar;
    }
    for start in starts.iter().flatten() {
        for image in images(symmetry, *start) {
            terrain[image.index()] = Terrain::Plain;
        }
    }
    let map = Map::new(Some(symmetry), seed, terrain, starts);
    is_playable(&map, settings).then_some(map)
}

/// All cells that have the same ground as this one, itself included.
fn images(symmetry: Symmetry, cell: Cell) -> Vec<Cell> {
    let mut images = vec![cell];
    match symmetry {
        Symmetry::Point => images.push(cell.opposite()),
        Symmetry::SixFold => {
            for _ in 1..6 {
                images.push(images[images.len() - 1].rotated());
            }
        }
    }
    images
}

fn draw_jars(settings: &MapSettings, rng: &mut Rng) -> Vec<Cell> {
    let cells: Vec<Cell> = Cell::all().collect();
    match settings.symmetry {
        Symmetry::SixFold => {
            let is_near = |cell: &&Cell| JAR_DISTANCE.contains(&cell.distance(Cell::centre()));
            let near: Vec<&Cell> = cells.iter().filter(is_near).collect();
            let mut jars = images(Symmetry::SixFold, *near[rng.below(near.len())]);
            jars.push(Cell::centre());
            jars
        }
        Symmetry::Point => {
            let [fewest, most] = settings.jars.map(usize::from);
            let n = fewest + rng.below(most - fewest + 1);
            let mut jars = if n % 2 == 1 { vec![Cell::centre()] } else { Vec::new() };
            while jars.len() < n {
                let cell = cells[rng.below(cells.len())];
                if !jars.contains(&cell) && cell != Cell::centre() {
                    jars.extend([cell, cell.opposite()]);
                }
            }
            jars
        }
    }
}

/// The seats around the field that are taken, by the number of teams.
const SEATS: [&[usize]; 7] =
    [&[], &[], &[0, 3], &[0, 2, 4], &[0, 1, 3, 4], &[0, 1, 2, 3, 4], &[0, 1, 2, 3, 4, 5]];

/// Draws the robots of one seat, or of three neighbouring ones, turns them to the others, and checks
/// the distances.
fn draw_starts(settings: &MapSettings, rng: &mut Rng) -> Option<Vec<[Cell; TEAM_ROBOTS]>> {
    let ring: Vec<Cell> = Cell::all()
        .filter(|cell| cell.distance(Cell::centre()) == u32::from(settings.start_ring))
        .collect();
    let mut seats: Vec<[Cell; TEAM_ROBOTS]> = Vec::new();
    match settings.symmetry {
        Symmetry::SixFold => {
            seats.push(draw_team(settings, ring[rng.below(ring.len())], rng)?);
            for seat in 1..6 {
                seats.push(seats[seat - 1].map(Cell::rotated));
            }
        }
        Symmetry::Point => {
            let first = ring[rng.below(ring.len())];
            for seat in 0..3 {
                // Seats stay in their order around the field, but not at equal distances.
                let middle = (0..seat).fold(first, |cell, _| cell.rotated());
                let near: Vec<&Cell> =
                    ring.iter().filter(|cell| cell.distance(middle) <= 3).collect();
                seats.push(draw_team(settings, *near[rng.below(near.len())], rng)?);
            }
            for seat in 0..3 {
                seats.push(seats[seat].map(Cell::opposite));
            }
        }
    }
    let starts: Vec<_> =
        SEATS[usize::from(settings.teams)].iter().map(|&seat| seats[seat]).collect();
    let is_apart = starts.iter().enumerate().all(|(i, team)| {
        let others = starts[..i].iter().flatten();
        let far = |other: &Cell| {
            team.iter().all(|own| own.distance(*other) >= u32::from(settings.start_distance))
        };
        others.into_iter().all(far)
    });
    is_apart.then_some(starts)
}

/// Three robots around a cell, which is exactly in their middle.
fn draw_team(settings: &MapSettings, middle: Cell, rng: &mut Rng) -> Option<[Cell; TEAM_ROBOTS]> {
    let reach = i32::from(settings.start_spread / 2);
    let mut draw = || rng.below(2 * reach as usize + 1) as i32 - reach;
    let (a, b) = ((draw(), draw()), (draw(), draw()));
    let c = (-a.0 - b.0, -a.1 - b.1);
    let cells = [a, b, c].map(|(dx, dy)| Cell::at(middle.x() + dx, middle.y() + dy));
    let cells = [cells[0]?, cells[1]?, cells[2]?];
    let spread = u32::from(settings.start_spread);
    let is_close = |a: Cell, b: Cell| a != b && a.distance(b) <= spread;
    let [a, b, c] = cells;
    (is_close(a, b) && is_close(b, c) && is_close(a, c)).then_some(cells)
}

fn is_playable(map: &Map, settings: &MapSettings) -> bool {
    let n_open = Cell::all().filter(|&cell| map.terrain(cell).is_open()).count();
    let mut component = Vec::new();
    map.starts.iter().flatten().all(|&start| {
        if !component.contains(&start) {
            component = map.component(start);
        }
        component.len() * 100 >= n_open * usize::from(settings.connected_percent)
            && component.iter().any(|&cell| map.terrain(cell) == Terrain::Jar)
    })
}
