//! Random maps by seed.

use sakiyomi_core::Rng;

use super::map::{MAX_SIZE, MAX_UNITS_A_SIDE, MIN_SIZE, Map, Unit};
use super::units::{CANNON_RANGE, Kind, Terrain};

/// What random maps look like.
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    /// Cells that can be played on, without the border.
    pub columns: u16,
    pub rows: u16,
    pub units_a_side: usize,
    /// The kinds that units are drawn from.
    pub kinds: Vec<Kind>,
    /// From the least to the most hit points.
    pub hit_points: (u8, u8),
    /// How likely each terrain is, from forbidden to fortress; any positive numbers.
    pub terrain: [f64; 7],
    /// The sides are the same, turned by half a turn.
    pub is_symmetric: bool,
    /// How many rows from its edge a side starts within.
    pub start_rows: u16,
    /// A unit that could attack in its first turn misses it, as aircraft do on maps of contests: otherwise the side
    /// that moves first has half won.
    pub is_quiet: bool,
    /// For every unit there is an enemy that can hurt it well. Otherwise matches end with units that cannot fight.
    pub is_mixed: bool,
    pub turn_limit: u16,
    pub hp_threshold: u32,
}

impl Default for Generator {
    /// 6 x 10 cells, mostly plain, five units of all kinds a side, the same for both.
    fn default() -> Generator {
        Generator {
            columns: 6,
            rows: 10,
            units_a_side: 5,
            kinds: Kind::ALL.to_vec(),
            hit_points: (5, 10),
            terrain: [1.0, 12.0, 2.0, 4.0, 2.0, 2.0, 1.0],
            is_symmetric: true,
            start_rows: 2,
            is_quiet: true,
            is_mixed: true,
            turn_limit: 25,
            hp_threshold: 5,
        }
    }
}

/// Maps are drawn again as often as this until they are playable.
const MAX_TRIES: usize = 1_000;
/// The power from which on a kind hurts another well.
const GOOD_POWER: u32 = 40;

impl Generator {
    /// A map, or what is wrong with the settings.
    pub fn generate(&self, rng: &mut Rng) -> Result<Map, String> {
        self.check()?;
        for _ in 0..MAX_TRIES {
            let mut map = self.draw_terrain(rng);
            let is_playable = self.draw_units(&mut map, rng)
                && is_connected(&map)
                && (!self.is_mixed || is_mixed(&map));
            if is_playable {
                if self.is_quiet {
                    let can_strike: Vec<bool> =
                        map.units.iter().map(|unit| can_strike(&map, unit)).collect();
                    map.units
                        .iter_mut()
                        .zip(can_strike)
                        .for_each(|(unit, can)| unit.finished = can);
                }
                return Ok(map);
            }
        }
        Err(format!(
            "no playable map in {MAX_TRIES} tries: allow more plain, more kinds, or fewer units"
        ))
    }

    fn check(&self) -> Result<(), String> {
        for (name, n) in [("columns", self.columns), ("rows", self.rows)] {
            if !(MIN_SIZE - 1..=MAX_SIZE - 2).contains(&n) {
                return Err(format!("{name} is {n}, but it must be 2 to {}", MAX_SIZE - 2));
            }
        }
        if !(1..=MAX_UNITS_A_SIDE).contains(&self.units_a_side) {
            return Err(format!("units_a_side must be 1 to {MAX_UNITS_A_SIDE}"));
        }
        let (least, most) = self.hit_points;
        if least < 1 || most < least || most > 10 {
            return Err("hit_points must go from at least 1 to at most 10".to_owned());
        }
        let is_bad = |weight: &f64| !weight.is_finite() || *weight < 0.0;
        if self.kinds.is_empty() || self.terrain.iter().any(is_bad) || self.weights() <= 0.0 {
            return Err(
                "there must be a kind of unit, and a terrain with a weight above 0".to_owned()
            );
        }
        if self.start_rows == 0 || self.turn_limit == 0 {
            return Err("start_rows and turn_limit must be at least 1".to_owned());
        }
        Ok(())
    }

    fn weights(&self) -> f64 {
        self.terrain.iter().sum()
    }

    fn draw_terrain(&self, rng: &mut Rng) -> Map {
        let mut map = Map::plain(self.columns + 2, self.rows + 2);
        map.turn_limit = self.turn_limit;
        map.hp_threshold = self.hp_threshold;
        let total = self.weights();
        for y in 1..=self.rows {
            for x in 1..=self.columns {
                let weights = self.terrain.iter().map(|weight| weight / total);
                map.set_terrain(x, y, Terrain::ALL[rng.weighted(weights)]);
            }
        }
        if self.is_symmetric {
            for y in 1..=self.rows {
                for x in 1..=self.columns {
                    let (to_x, to_y) = self.opposite(x, y);
                    map.set_terrain(to_x, to_y, map.terrain_at(x, y));
                }
            }
        }
        map
    }

    fn opposite(&self, x: u16, y: u16) -> (u16, u16) {
        (self.columns + 1 - x, self.rows + 1 - y)
    }

    /// Places the units; false if there is no room. RED starts at the top.
    fn draw_units(&self, map: &mut Map, rng: &mut Rng) -> bool {
        let teams = if self.is_symmetric { 1 } else { 2 };
        for team in 0..teams {
            for _ in 0..self.units_a_side {
                let kind = self.kinds[rng.below(self.kinds.len())];
                let (least, most) = self.hit_points;
                let hit_points = least + rng.below(usize::from(most - least) + 1) as u8;
                let Some((x, y)) = self.draw_cell(map, kind, team, rng) else { return false };
                map.units.push(Unit { x, y, kind, team, hit_points, finished: false });
            }
        }
        if self.is_symmetric {
            for i in 0..self.units_a_side {
                let unit = map.units[i];
                let (x, y) = self.opposite(unit.x, unit.y);
                if map.unit_at(x, y).is_some() {
                    return false;
                }
                map.units.push(Unit { x, y, team: 1, ..unit });
            }
        }
        true
    }

    /// A free cell near the team's edge that a kind of unit can enter.
    fn draw_cell(&self, map: &Map, kind: Kind, team: u8, rng: &mut Rng) -> Option<(u16, u16)> {
        let rows = self.start_rows.min(self.rows);
        let cells: Vec<(u16, u16)> = (1..=rows)
            .map(|row| if team == 0 { row } else { self.rows + 1 - row })
            .flat_map(|y| (1..=self.columns).map(move |x| (x, y)))
            .filter(|&(x, y)| map.unit_at(x, y).is_none())
            .filter(|&(x, y)| kind.step_cost(map.terrain_at(x, y)).is_some())
            .collect();
        (!cells.is_empty()).then(|| cells[rng.below(cells.len())])
    }
}

/// Whether every unit can get next to some enemy, if no unit is in its way.
fn is_connected(map: &Map) -> bool {
    map.units.iter().all(|unit| {
        let reached = reachable(map, unit);
        let at = |x: u16, y: u16| reached[usize::from(y) * usize::from(map.width) + usize::from(x)];
        map.units.iter().filter(|other| other.team != unit.team).any(|other| {
            let (x, y) = (other.x, other.y);
            at(x + 1, y) || at(x - 1, y) || at(x, y + 1) || at(x, y - 1)
        })
    })
}

/// Whether every unit has an enemy that can hurt it well.
fn is_mixed(map: &Map) -> bool {
    map.units.iter().all(|unit| {
        let mut enemies = map.units.iter().filter(|other| other.team != unit.team);
        enemies.any(|enemy| enemy.kind.power(unit.kind) >= GOOD_POWER)
    })
}

/// Whether a unit can attack an enemy in its first turn, if no unit is in its way.
fn can_strike(map: &Map, unit: &Unit) -> bool {
    let distance = |x: u16, y: u16, other: &Unit| {
        u32::from(x.abs_diff(other.x)) + u32::from(y.abs_diff(other.y))
    };
    let enemies = || {
        map.units.iter().filter(|other| other.team != unit.team && unit.kind.power(other.kind) > 0)
    };
    if unit.kind.is_indirect() {
        return enemies().any(|enemy| CANNON_RANGE.contains(&distance(unit.x, unit.y, enemy)));
    }
    // Points left on each cell, the best found so far.
    let mut left: Vec<Option<u32>> = vec![None; map.terrain.len()];
    let mut open = vec![(unit.x, unit.y, unit.kind.move_points())];
    while let Some((x, y, points)) = open.pop() {
        let cell = usize::from(y) * usize::from(map.width) + usize::from(x);
        if left[cell].is_some_and(|before| before >= points) {
            continue;
        }
        left[cell] = Some(points);
        if enemies().any(|enemy| distance(x, y, enemy) == 1) {
            return true;
        }
        for (x, y) in [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)] {
            let cost =
                if map.is_inside(x, y) { unit.kind.step_cost(map.terrain_at(x, y)) } else { None };
            if let Some(rest) = cost.and_then(|cost| points.checked_sub(cost)) {
                open.push((x, y, rest));
            }
        }
    }
    false
}

/// Where a unit can ever get to.
fn reachable(map: &Map, unit: &Unit) -> Vec<bool> {
    let mut reached = vec![false; map.terrain.len()];
    let mut open = vec![(unit.x, unit.y)];
    while let Some((x, y)) = open.pop() {
        let index = usize::from(y) * usize::from(map.width) + usize::from(x);
        if !map.is_inside(x, y) || std::mem::replace(&mut reached[index], true) {
            continue;
        }
        for (x, y) in [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)] {
            if unit.kind.step_cost(map.terrain_at(x, y)).is_some() {
                open.push((x, y));
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tubstap::{read_map, write_map};

    #[test]
    fn maps_follow_from_the_seed_and_are_playable() {
        for (seed, is_symmetric) in (0..60).flat_map(|seed| [(seed, true), (seed, false)]) {
            let generator = Generator { is_symmetric, ..Generator::default() };
            let map = generator.generate(&mut Rng::new(seed)).unwrap();
            assert_eq!(generator.generate(&mut Rng::new(seed)).unwrap(), map);
            assert_eq!(map.n_units(), [5, 5]);
            let (read, warnings) = read_map(write_map(&map).as_bytes()).unwrap();
            assert!(warnings.is_empty(), "{warnings:?}");
            assert_eq!(read, map);
            let turned = |unit: &Unit| map.unit_at(7 - unit.x, 11 - unit.y).is_some();
            assert!(!is_symmetric || map.units.iter().all(turned));
        }
    }

    #[test]
    fn impossible_settings_are_refused() {
        let message = |generator: Generator| generator.generate(&mut Rng::new(1)).unwrap_err();
        let base = Generator::default;
        assert!(message(Generator { columns: 40, ..base() }).contains("columns is 40"));
        assert!(message(Generator { units_a_side: 25, ..base() }).contains("1 to 24"));
        assert!(
            message(Generator { terrain: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], ..base() })
                .contains("no playable map")
        );
        assert!(message(Generator { hit_points: (0, 10), ..base() }).contains("hit_points"));
    }
}
