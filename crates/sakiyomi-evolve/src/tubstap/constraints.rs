//! What a designer asks of a map, and how a map is made to keep it.

use sakiyomi_core::Rng;
use sakiyomi_games::tubstap::{Kind, Map, Unit};
use serde::{Deserialize, Serialize};

use super::operators::{draw_unit, free_cells};
use super::{MapGenome, MapProblem, UnitGene};

/// Beyond these every unit stands where it can, on a cell of its own, and each side has its number of units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapConstraints {
    /// How many rows from its edge a side starts within, RED at the top; none for anywhere.
    pub start_rows: Option<u16>,
    /// The most cells, as a share, that ground vehicles cannot enter.
    pub max_blocked: f64,
    /// Every unit can get to an enemy that it can hurt, and some enemy can hurt it.
    pub connected: bool,
    /// No terrain of a single cell that differs from all cells beside it, except for this share of the cells.
    pub max_lonely: f64,
    /// The map is not the same for both sides, turned or mirrored.
    pub asymmetric: bool,
    /// Whether a unit may miss its first turn.
    pub flags: bool,
}

impl Default for MapConstraints {
    fn default() -> MapConstraints {
        MapConstraints {
            start_rows: Some(2),
            max_blocked: 0.35,
            connected: true,
            max_lonely: 0.5,
            asymmetric: true,
            flags: false,
        }
    }
}

/// Cells that are opened until all units are connected, at most.
const MAX_OPENED: usize = 40;
const PLAIN: u8 = 1;

impl MapConstraints {
    pub(super) fn check(&self, problem: &MapProblem) -> Result<(), String> {
        let is_share = |share: f64| (0.0..=1.0).contains(&share);
        if !is_share(self.max_blocked) || !is_share(self.max_lonely) {
            return Err("shares must be from 0 to 1".to_owned());
        }
        match self.start_rows {
            Some(rows)
                if usize::from(rows) * usize::from(problem.columns) < problem.units_a_side =>
            {
                Err(format!("{} units do not fit into {rows} rows", problem.units_a_side))
            }
            Some(rows) if 2 * rows > problem.rows => Err(format!(
                "the sides start within {rows} rows each, but there are {}",
                problem.rows
            )),
            _ => Ok(()),
        }
    }

    /// Whether a side may start in this row.
    pub(super) fn may_start(&self, problem: &MapProblem, team: u8, y: u16) -> bool {
        let from_edge = if team == 0 { y } else { problem.rows - 1 - y };
        self.start_rows.is_none_or(|rows| from_edge < rows)
    }

    /// Makes numbers, places and hit points right, and opens ways between the sides.
    pub(super) fn repair(&self, problem: &MapProblem, genome: &mut MapGenome, rng: &mut Rng) {
        for team in 0..2 {
            loop {
                let own: Vec<usize> = (0..genome.units.len())
                    .filter(|&unit| genome.units[unit].team == team)
                    .collect();
                if own.len() <= problem.units_a_side {
                    break;
                }
                genome.units.remove(own[rng.below(own.len())]);
            }
        }
        self.place_units(problem, genome, rng);
        self.unblock(problem, genome, rng);
        for team in 0..2 {
            let n = genome.units.iter().filter(|unit| unit.team == team).count();
            for _ in n..problem.units_a_side {
                if let Some(unit) = draw_unit(problem, genome, team, rng) {
                    genome.units.push(unit);
                }
            }
        }
        if !self.flags {
            genome.units.iter_mut().for_each(|unit| unit.finished = false);
        }
        genome.units.sort_by_key(|unit| unit.team);
        if self.connected {
            self.open_ways(problem, genome, rng);
        }
    }

    /// Moves every unit that stands wrongly to the nearest cell where it may stand; one without such a cell is removed.
    fn place_units(&self, problem: &MapProblem, genome: &mut MapGenome, rng: &mut Rng) {
        let units = std::mem::take(&mut genome.units);
        for unit in units {
            let here = problem.index(unit.x, unit.y);
            let free = free_cells(problem, genome, unit.kind, unit.team);
            let steps = |&index: &usize| {
                let (x, y) = problem.place(index);
                x.abs_diff(unit.x) + y.abs_diff(unit.y)
            };
            let place = if free.contains(&here) {
                Some(here)
            } else {
                let nearest = free.iter().map(steps).min();
                let near: Vec<usize> =
                    free.iter().copied().filter(|index| Some(steps(index)) == nearest).collect();
                (!near.is_empty()).then(|| near[rng.below(near.len())])
            };
            if let Some(index) = place {
                let (x, y) = problem.place(index);
                genome.units.push(UnitGene { x, y, ..unit });
            }
        }
    }

    /// Makes cells plain until vehicles have room.
    fn unblock(&self, problem: &MapProblem, genome: &mut MapGenome, rng: &mut Rng) {
        let Some(open) = self.open_terrain(problem) else { return };
        loop {
            let blocked: Vec<usize> = (0..genome.terrain.len())
                .filter(|&index| is_blocked(genome.terrain[index]))
                .collect();
            if blocked.len() as f64 <= self.max_blocked * problem.n_cells() as f64 {
                return;
            }
            genome.terrain[blocked[rng.below(blocked.len())]] = open;
        }
    }

    /// Makes blocked cells plain until every unit can fight.
    fn open_ways(&self, problem: &MapProblem, genome: &mut MapGenome, rng: &mut Rng) {
        let Some(open) = self.open_terrain(problem) else { return };
        for _ in 0..MAX_OPENED {
            let blocked: Vec<usize> = (0..genome.terrain.len())
                .filter(|&index| is_blocked(genome.terrain[index]))
                .collect();
            if blocked.is_empty() || is_connected(&problem.write(genome).map) {
                return;
            }
            genome.terrain[blocked[rng.below(blocked.len())]] = open;
        }
    }

    /// A terrain that all can enter, if there is one among those that are allowed.
    fn open_terrain(&self, problem: &MapProblem) -> Option<u8> {
        [PLAIN, 5, 6, 3].into_iter().find(|code| problem.terrain.contains(code))
    }

    pub(super) fn holds(&self, problem: &MapProblem, genome: &MapGenome) -> bool {
        let written = problem.write(genome);
        let map = &written.map;
        let starts_right = |unit: &UnitGene| {
            self.may_start(problem, unit.team, unit.y) && (self.flags || !unit.finished)
        };
        let blocked = genome.terrain.iter().filter(|&&code| is_blocked(code)).count() as f64;
        let cells = problem.n_cells() as f64;
        written.stuck + written.sharing == 0
            && map.n_units() == [problem.units_a_side; 2]
            && genome.units.iter().all(starts_right)
            && blocked <= self.max_blocked * cells
            && lonely(problem, genome) as f64 <= self.max_lonely * cells
            && (!self.connected || is_connected(map) && can_all_fight(map))
            && !(self.asymmetric && is_symmetric(map))
    }
}

/// Whether ground vehicles cannot enter a terrain.
fn is_blocked(code: u8) -> bool {
    matches!(code, 0 | 2 | 4)
}

/// Cells that differ from all cells beside them.
fn lonely(problem: &MapProblem, genome: &MapGenome) -> usize {
    let code = |index: usize| genome.terrain[index];
    let is_lonely =
        |&index: &usize| problem.neighbours(index).all(|beside| code(beside) != code(index));
    (0..problem.n_cells()).filter(is_lonely).count()
}

/// Whether every unit can hurt some enemy, and some enemy can hurt it.
fn can_all_fight(map: &Map) -> bool {
    let hurts = |unit: &Unit, other: &Unit| unit.kind.power(other.kind) > 0;
    map.units.iter().all(|unit| {
        let enemies = || map.units.iter().filter(|other| other.team != unit.team);
        enemies().any(|other| hurts(unit, other)) && enemies().any(|other| hurts(other, unit))
    })
}

/// Whether every unit can get into reach of an enemy that it can hurt, if no unit is in its way.
fn is_connected(map: &Map) -> bool {
    map.units.iter().all(|unit| {
        let reached = reachable(map, unit);
        let near = |other: &Unit| {
            let steps = if unit.kind.is_indirect() { 3 } else { 1 };
            reached.iter().any(|&(x, y)| {
                let distance = x.abs_diff(other.x) + y.abs_diff(other.y);
                (1..=steps).contains(&distance)
            })
        };
        let enemies = map.units.iter().filter(|other| other.team != unit.team);
        enemies.filter(|other| unit.kind.power(other.kind) > 0).any(near)
    })
}

/// Where a unit can ever get to.
fn reachable(map: &Map, unit: &Unit) -> Vec<(u16, u16)> {
    let mut reached = vec![(unit.x, unit.y)];
    let mut next = 0;
    while let Some(&(x, y)) = reached.get(next) {
        next += 1;
        for (x, y) in [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)] {
            let is_open =
                map.is_inside(x, y) && unit.kind.step_cost(map.terrain_at(x, y)).is_some();
            if is_open && !reached.contains(&(x, y)) {
                reached.push((x, y));
            }
        }
    }
    reached
}

/// Whether turning or mirroring the map makes each side the other one.
fn is_symmetric(map: &Map) -> bool {
    type Turn = fn(&Map, u16, u16) -> (u16, u16);
    let turns: [Turn; 3] = [
        |map, x, y| (map.width - 1 - x, y),
        |map, x, y| (x, map.height - 1 - y),
        |map, x, y| (map.width - 1 - x, map.height - 1 - y),
    ];
    let inside = || (1..map.height - 1).flat_map(|y| (1..map.width - 1).map(move |x| (x, y)));
    let content = |x: u16, y: u16, flip: u8| -> Option<(Kind, u8, u8)> {
        let unit = &map.units[map.unit_at(x, y)?];
        Some((unit.kind, unit.team ^ flip, unit.hit_points))
    };
    turns.iter().any(|turn| {
        inside().all(|(x, y)| {
            let (to_x, to_y) = turn(map, x, y);
            map.terrain_at(x, y) == map.terrain_at(to_x, to_y)
                && content(x, y, 0) == content(to_x, to_y, 1)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(code: &str) -> Map {
        Map::from_code(code).unwrap()
    }

    #[test]
    fn symmetry_is_seen_in_all_ways() {
        // Turned by half a turn, mirrored to the right, mirrored down; then hit points, terrain and kinds that differ.
        assert!(is_symmetric(&map("5x4-9-5-113311-I1.1.5_i3.2.5")));
        assert!(is_symmetric(&map("5x4-9-5-111333-I1.1.5_i3.1.5")));
        assert!(is_symmetric(&map("5x4-9-5-123123-I1.1.5_i1.2.5")));
        assert!(!is_symmetric(&map("5x4-9-5-113311-I1.1.5_i3.2.6")));
        assert!(!is_symmetric(&map("5x4-9-5-113361-I1.1.5_i3.2.5")));
        assert!(!is_symmetric(&map("5x4-9-5-113311-I1.1.5_p3.2.5")));
    }

    #[test]
    fn units_must_be_able_to_fight() {
        assert!(is_connected(&map("7x3-9-5-11111-P1.1.5_i5.1.5")));
        assert!(
            !is_connected(&map("7x3-9-5-11411-P1.1.5_i5.1.5")),
            "tanks cannot cross a mountain"
        );
        assert!(is_connected(&map("7x3-9-5-11411-I1.1.5_i5.1.5")), "infantry can");
        assert!(is_connected(&map("7x3-9-5-11411-U1.1.5_i5.1.5")), "a cannon shoots across it");
        assert!(!can_all_fight(&map("7x3-9-5-11111-F1.1.5_i5.1.5")), "neither can hurt the other");
        assert!(!can_all_fight(&map("7x3-9-5-11111-A1.1.5_i5.1.5")), "one cannot be hurt");
    }
}
