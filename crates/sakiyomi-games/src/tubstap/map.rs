//! A map as data: sizes, limits, terrain and units, and what is wrong with it.

use super::units::{Kind, Terrain};

/// The largest size of a map with its border, so 32 x 32 cells can be played on.
pub const MAX_SIZE: u16 = 34;
/// The smallest size with the border: one cell.
pub const MIN_SIZE: u16 = 3;
pub const MAX_UNITS_A_SIDE: usize = 24;
pub const MAX_UNITS: usize = 2 * MAX_UNITS_A_SIDE;
pub const MAX_HIT_POINTS: u8 = 99;
/// Hit points of a unit that is whole.
pub const FULL_HIT_POINTS: u8 = 10;
pub const MAX_TURN_LIMIT: u16 = 9_999;
pub const MAX_HP_THRESHOLD: u32 = 999_999;

/// A map in the coordinates of map files: x and y from 0 at the top left, border included.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map {
    /// Size with the border of one forbidden cell on every side.
    pub width: u16,
    pub height: u16,
    /// The turn, counting those of both sides, after which hit points decide.
    pub turn_limit: u16,
    /// The lead in hit points that is still a draw.
    pub hp_threshold: u32,
    pub author: Option<String>,
    pub comment: Option<String>,
    /// Row by row, border included.
    pub terrain: Vec<Terrain>,
    /// The number of a unit is its place in this list.
    pub units: Vec<Unit>,
    /// The units of RED and BLUE that a file announces, if they are not those that it lists. The
    /// original takes them for the room that it needs, and copies them into replays.
    pub announced: Option<[u32; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    pub x: u16,
    pub y: u16,
    pub kind: Kind,
    /// 0 is RED, 1 is BLUE.
    pub team: u8,
    pub hit_points: u8,
    /// Whether it misses the first turn of its side.
    pub finished: bool,
}

/// What makes a map unplayable, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}{message}")]
pub struct MapFault {
    pub place: Place,
    pub message: String,
}

/// The part of a map that a fault or a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Map,
    Unit(usize),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Map => Ok(()),
            Place::Unit(unit) => write!(f, "unit {unit}: "),
        }
    }
}

impl Map {
    /// A map of forbidden border and plain inside, without units.
    pub fn plain(width: u16, height: u16) -> Map {
        let mut map = Map {
            width,
            height,
            turn_limit: 29,
            hp_threshold: 10,
            author: None,
            comment: None,
            terrain: vec![Terrain::Forbidden; usize::from(width) * usize::from(height)],
            units: Vec::new(),
            announced: None,
        };
        for y in 1..height.saturating_sub(1) {
            for x in 1..width.saturating_sub(1) {
                map.set_terrain(x, y, Terrain::Plain);
            }
        }
        map
    }

    pub fn terrain_at(&self, x: u16, y: u16) -> Terrain {
        self.terrain[usize::from(y) * usize::from(self.width) + usize::from(x)]
    }

    pub fn set_terrain(&mut self, x: u16, y: u16, terrain: Terrain) {
        self.terrain[usize::from(y) * usize::from(self.width) + usize::from(x)] = terrain;
    }

    pub fn unit_at(&self, x: u16, y: u16) -> Option<usize> {
        self.units.iter().position(|unit| (unit.x, unit.y) == (x, y))
    }

    /// Whether units may stand on this cell: it is not part of the border.
    pub fn is_inside(&self, x: u16, y: u16) -> bool {
        x >= 1 && y >= 1 && x + 1 < self.width && y + 1 < self.height
    }

    /// How many units each side has.
    pub fn n_units(&self) -> [usize; 2] {
        let blue = self.units.iter().filter(|unit| unit.team == 1).count();
        [self.units.len() - blue, blue]
    }

    /// The first thing that makes this map unplayable.
    pub fn check(&self) -> Result<(), MapFault> {
        let fault = |message: String| Err(MapFault { place: Place::Map, message });
        for (name, size) in [("SIZEX", self.width), ("SIZEY", self.height)] {
            if !(MIN_SIZE..=MAX_SIZE).contains(&size) {
                let range = format!("{MIN_SIZE} to {MAX_SIZE} with the border");
                return fault(format!("{name} is {size}, but it must be {range}"));
            }
        }
        if !(1..=MAX_TURN_LIMIT).contains(&self.turn_limit) {
            let limit = self.turn_limit;
            return fault(format!("TURNLIMIT is {limit}, but it must be 1 to {MAX_TURN_LIMIT}"));
        }
        if self.hp_threshold > MAX_HP_THRESHOLD {
            let threshold = self.hp_threshold;
            return fault(format!("HPTHRESHOLD is {threshold}, but at most {MAX_HP_THRESHOLD}"));
        }
        let n_cells = usize::from(self.width) * usize::from(self.height);
        if self.terrain.len() != n_cells {
            return fault(format!("{} cells of terrain instead of {n_cells}", self.terrain.len()));
        }
        if self.units.is_empty() {
            return fault("there is no unit".to_owned());
        }
        self.units.iter().enumerate().try_for_each(|(i, _)| self.check_unit(i))?;
        for (team, n) in ["RED", "BLUE"].iter().zip(self.n_units()) {
            if n > MAX_UNITS_A_SIDE {
                return fault(format!("{team} has {n} units, but at most {MAX_UNITS_A_SIDE}"));
            }
        }
        Ok(())
    }

    fn check_unit(&self, number: usize) -> Result<(), MapFault> {
        let unit = &self.units[number];
        let (x, y) = (unit.x, unit.y);
        let message = if unit.team > 1 {
            format!("its team is {}, but it must be 0 (RED) or 1 (BLUE)", unit.team)
        } else if !(1..=MAX_HIT_POINTS).contains(&unit.hit_points) {
            format!("it has {} hit points, but 1 to {MAX_HIT_POINTS}", unit.hit_points)
        } else if !self.is_inside(x, y) {
            let (right, bottom) = (self.width - 2, self.height - 2);
            format!("it stands at ({x}, {y}), but the map goes from (1, 1) to ({right}, {bottom})")
        } else if let Some(other) = self.unit_at(x, y).filter(|&other| other < number) {
            format!("it stands at ({x}, {y}), where unit {other} already stands")
        } else {
            return Ok(());
        };
        Err(MapFault { place: Place::Unit(number), message })
    }

    /// What is odd but playable.
    pub fn warnings(&self) -> Vec<(Place, String)> {
        let mut warnings = Vec::new();
        for (i, unit) in self.units.iter().enumerate() {
            let terrain = self.terrain_at(unit.x, unit.y);
            if unit.kind.step_cost(terrain).is_none() {
                let text = format!(
                    "{} starts on {}, which it cannot enter; it may leave",
                    unit.kind.name(),
                    terrain.name()
                );
                warnings.push((Place::Unit(i), text));
            }
            if unit.hit_points > FULL_HIT_POINTS {
                let text = format!("{} hit points are more than 10", unit.hit_points);
                warnings.push((Place::Unit(i), text));
            }
        }
        for (team, n) in ["RED", "BLUE"].iter().zip(self.n_units()) {
            if n == 0 {
                warnings.push((Place::Map, format!("{team} has no unit and loses at once")));
            }
        }
        warnings
    }

    /// The same map with the sides exchanged, as the second half of an auto-battle has it.
    #[must_use]
    pub fn flipped(&self) -> Map {
        let mut map = self.clone();
        map.units.iter_mut().for_each(|unit| unit.team ^= 1);
        map.announced = map.announced.map(|[red, blue]| [blue, red]);
        map
    }
}
