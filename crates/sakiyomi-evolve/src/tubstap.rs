//! Maps of TUBSTAP as genomes: terrain and units. The operators are the paper's (Yoshikawa and
//! Takeuchi), or ours.

mod constraints;
mod operators;

pub use constraints::MapConstraints;

use sakiyomi_catalog::{GameSpec, MapSource, TubstapSpec};
use sakiyomi_core::Rng;
use sakiyomi_games::tubstap::{Attacks, Kind, Map, Settings, Terrain, Unit};
use serde::{Deserialize, Serialize};

use crate::{Evidence, Problem, Strength};

/// Terrain row by row without the border, and units in any number and anywhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MapGenome {
    /// The codes of map files.
    pub terrain: Vec<u8>,
    pub units: Vec<UnitGene>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct UnitGene {
    /// From 0 at the top left.
    pub x: u16,
    pub y: u16,
    /// By the order of [`Kind::ALL`].
    pub kind: u8,
    pub team: u8,
    pub hit_points: u8,
    pub finished: bool,
}

/// Which operators make children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MapOperators {
    /// One-point crossover of the cells row by row; every cell and every field of a unit mutates
    /// with a small probability; nothing is repaired.
    Paper,
    /// A rectangle from a point to the lower right against the rest; a few small changes; repaired.
    Rectangle,
    /// Ours, with the paper's one-point crossover.
    OnePoint,
}

/// What maps are allowed to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapProblem {
    /// Cells that can be played on.
    pub columns: u16,
    pub rows: u16,
    pub units_a_side: usize,
    /// The kinds that units are drawn from, by the order of [`Kind::ALL`].
    pub kinds: Vec<u8>,
    /// The codes that terrain is drawn from.
    pub terrain: Vec<u8>,
    pub hit_points: (u8, u8),
    pub turn_limit: u16,
    pub hp_threshold: u32,
    pub operators: MapOperators,
    /// The probability of a mutation, for each cell and field.
    pub mutation: f64,
    /// Maps of the first generation are the same for both sides, turned by half a turn.
    pub symmetric_start: bool,
    pub constraints: Option<MapConstraints>,
}

/// A genome as a map, and what had to be left out for it.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenMap {
    pub map: Map,
    /// Units on terrain that they cannot enter.
    pub stuck: usize,
    /// Units on the cell of another one.
    pub sharing: usize,
}

impl MapProblem {
    /// The paper's: 6 x 6 cells, four units a side, 10 turns, a threshold of 10, with or without
    /// aircraft.
    pub fn paper(aircraft: bool) -> MapProblem {
        MapProblem {
            columns: 6,
            rows: 6,
            units_a_side: 4,
            kinds: (0..6)
                .filter(|&kind| aircraft || !Kind::ALL[usize::from(kind)].is_air())
                .collect(),
            terrain: (1..=6).collect(),
            hit_points: (1, 10),
            turn_limit: 10,
            hp_threshold: 10,
            operators: MapOperators::Paper,
            mutation: 0.05,
            symmetric_start: false,
            constraints: None,
        }
    }

    /// The same maps with our operators and what a designer asks for, and any lead decides: with
    /// the paper's threshold a third of the games is drawn, and draws cost as much as defeats.
    pub fn fair(aircraft: bool) -> MapProblem {
        MapProblem {
            operators: MapOperators::Rectangle,
            constraints: Some(MapConstraints::default()),
            hp_threshold: 0,
            ..MapProblem::paper(aircraft)
        }
    }

    pub fn check(&self) -> Result<(), String> {
        let is_kind = |kind: &u8| usize::from(*kind) < Kind::ALL.len();
        let is_terrain = |code: &u8| usize::from(*code) < Terrain::ALL.len();
        if !(2..=32).contains(&self.columns) || !(2..=32).contains(&self.rows) {
            return Err(format!(
                "{}x{} cells; each side must have 2 to 32",
                self.columns, self.rows
            ));
        }
        if !(1..=24).contains(&self.units_a_side) {
            return Err(format!("{} units a side; possible are 1 to 24", self.units_a_side));
        }
        if 3 * self.units_a_side > self.n_cells() {
            return Err("too many units: at least a third of the cells must stay empty".to_owned());
        }
        if self.kinds.is_empty() || !self.kinds.iter().all(is_kind) {
            return Err("there must be at least one kind of unit".to_owned());
        }
        if self.terrain.is_empty() || !self.terrain.iter().all(is_terrain) {
            return Err("there must be at least one terrain".to_owned());
        }
        let (least, most) = self.hit_points;
        if least == 0 || least > most || most > 10 {
            return Err("hit points must go from at least 1 to at most 10".to_owned());
        }
        if self.turn_limit == 0 || !(0.0..=1.0).contains(&self.mutation) {
            return Err(
                "the turn limit must be at least 1, and a probability from 0 to 1".to_owned()
            );
        }
        if let Some(constraints) = &self.constraints {
            constraints.check(self)?;
        }
        Ok(())
    }

    fn n_cells(&self) -> usize {
        usize::from(self.columns) * usize::from(self.rows)
    }

    fn index(&self, x: u16, y: u16) -> usize {
        usize::from(y) * usize::from(self.columns) + usize::from(x)
    }

    fn place(&self, index: usize) -> (u16, u16) {
        let columns = usize::from(self.columns);
        ((index % columns) as u16, (index / columns) as u16)
    }

    fn neighbours(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let (x, y) = self.place(index);
        let inside = move |(dx, dy): (i32, i32)| {
            let (x, y) = (i32::from(x) + dx, i32::from(y) + dy);
            let is_inside =
                (0..i32::from(self.columns)).contains(&x) && (0..i32::from(self.rows)).contains(&y);
            is_inside.then(|| self.index(x as u16, y as u16))
        };
        [(1, 0), (0, -1), (-1, 0), (0, 1)].into_iter().filter_map(inside)
    }

    /// Whether a kind of unit can stand on a cell.
    fn can_stand(&self, genome: &MapGenome, kind: u8, index: usize) -> bool {
        let terrain = Terrain::ALL[usize::from(genome.terrain[index])];
        Kind::ALL[usize::from(kind)].step_cost(terrain).is_some()
    }

    /// The map of a genome: a unit that stands where it cannot, or where another one does, is left
    /// out.
    pub fn write(&self, genome: &MapGenome) -> WrittenMap {
        let mut map = Map::plain(self.columns + 2, self.rows + 2);
        map.turn_limit = self.turn_limit;
        map.hp_threshold = self.hp_threshold;
        for (index, &code) in genome.terrain.iter().enumerate() {
            let (x, y) = self.place(index);
            map.set_terrain(x + 1, y + 1, Terrain::ALL[usize::from(code)]);
        }
        let mut written = WrittenMap { map, stuck: 0, sharing: 0 };
        // The file lists RED first; otherwise the order of units is that of the genome.
        for team in 0..2 {
            for gene in genome.units.iter().filter(|gene| gene.team == team) {
                let (x, y) = (gene.x + 1, gene.y + 1);
                if !self.can_stand(genome, gene.kind, self.index(gene.x, gene.y)) {
                    written.stuck += 1;
                } else if written.map.unit_at(x, y).is_some() {
                    written.sharing += 1;
                } else {
                    written.map.units.push(Unit {
                        x,
                        y,
                        kind: Kind::ALL[usize::from(gene.kind)],
                        team,
                        hit_points: gene.hit_points,
                        finished: gene.finished,
                    });
                }
            }
        }
        written
    }

    /// The genome of a map of this size.
    pub fn read(&self, map: &Map) -> Option<MapGenome> {
        if (map.width, map.height) != (self.columns + 2, self.rows + 2) {
            return None;
        }
        let terrain = (0..self.n_cells()).map(|index| self.place(index));
        Some(MapGenome {
            terrain: terrain.map(|(x, y)| map.terrain_at(x + 1, y + 1).code()).collect(),
            units: map
                .units
                .iter()
                .map(|unit| UnitGene {
                    x: unit.x - 1,
                    y: unit.y - 1,
                    kind: unit.kind as u8,
                    team: unit.team,
                    hit_points: unit.hit_points,
                    finished: unit.finished,
                })
                .collect(),
        })
    }
}

const REMARKS: &[&str] =
    &["empty side", "units share a cell", "unit cannot stand", "unequal numbers"];
const AXES: &[&str] = &["rough terrain", "vehicles and aircraft", "distance", "length"];

impl Problem for MapProblem {
    type Genome = MapGenome;

    fn draw(&self, rng: &mut Rng) -> MapGenome {
        operators::draw(self, rng)
    }

    fn cross(&self, parents: [&MapGenome; 2], rng: &mut Rng) -> [MapGenome; 2] {
        operators::cross(self, parents, rng)
    }

    fn mutate(&self, genome: &mut MapGenome, rng: &mut Rng) {
        match self.operators {
            MapOperators::Paper => operators::mutate_all(self, genome, rng),
            MapOperators::Rectangle | MapOperators::OnePoint => {
                operators::mutate_few(self, genome, rng);
            }
        }
    }

    /// Hit points of units: the finest change of balance there is.
    fn strengths(&self, genome: &MapGenome) -> Vec<Strength> {
        let (least, most) = self.hit_points;
        let strength = |unit: &UnitGene| Strength {
            value: unit.hit_points.into(),
            least: least.into(),
            most: most.into(),
            side: Some(unit.team.into()),
        };
        genome.units.iter().map(strength).collect()
    }

    fn with_strengths(&self, genome: &MapGenome, values: &[i32]) -> MapGenome {
        let mut changed = genome.clone();
        for (unit, &value) in changed.units.iter_mut().zip(values) {
            unit.hit_points = value as u8;
        }
        changed
    }

    fn repair(&self, genome: &mut MapGenome, rng: &mut Rng) {
        if let Some(constraints) = &self.constraints {
            constraints.repair(self, genome, rng);
        }
    }

    fn is_allowed(&self, genome: &MapGenome) -> bool {
        self.constraints.as_ref().is_none_or(|constraints| constraints.holds(self, genome))
    }

    fn game(&self, genome: &MapGenome, noise: bool) -> Option<GameSpec> {
        let map = self.write(genome).map;
        map.check().ok()?;
        Some(map_game(&map, noise))
    }

    fn remarks(&self) -> &'static [&'static str] {
        REMARKS
    }

    fn remark(&self, genome: &MapGenome) -> Vec<bool> {
        let written = self.write(genome);
        let [red, blue] = written.map.n_units();
        vec![red == 0 || blue == 0, written.sharing > 0, written.stuck > 0, red != blue]
    }

    fn axes(&self) -> &'static [&'static str] {
        AXES
    }

    fn cell(&self, genome: &MapGenome, evidence: &Evidence) -> Vec<u8> {
        let class = |share: f64, n: u8| ((share * f64::from(n)) as u8).min(n - 1);
        let map = self.write(genome).map;
        let is_rough = |code: &&u8| !matches!(code, 1 | 5);
        let rough = genome.terrain.iter().filter(is_rough).count() as f64 / self.n_cells() as f64;
        let heavy = map.units.iter().filter(|unit| unit.kind != Kind::Infantry).count() as f64;
        let steps = f64::from(self.columns + self.rows - 2);
        let most = (2 * usize::from(self.turn_limit) * self.units_a_side / 2) as f64;
        vec![
            class(rough, 5),
            class(heavy / map.units.len().max(1) as f64, 4),
            class(army_distance(&map) / steps, 4),
            class(evidence.mean_actions() / most, 4),
        ]
    }

    fn distance(&self, a: &MapGenome, b: &MapGenome) -> f64 {
        map_distance(&self.write(a).map, &self.write(b).map)
    }
}

/// The game on a map that judges play. The original lists all attacks, so they are legal here too.
pub fn map_game(map: &Map, noise: bool) -> GameSpec {
    let settings =
        Settings { attacks: Attacks::All, noise_hp: noise, noise_position: noise, swapped: false };
    TubstapSpec { map: MapSource::Code(map.code()), settings }.into()
}

/// The mean distance of a unit from the nearest enemy, in steps.
fn army_distance(map: &Map) -> f64 {
    let nearest = |unit: &Unit| {
        let others = map.units.iter().filter(|other| other.team != unit.team);
        others.map(|other| unit.x.abs_diff(other.x) + unit.y.abs_diff(other.y)).min().unwrap_or(0)
    };
    map.units.iter().map(|unit| f64::from(nearest(unit))).sum::<f64>()
        / map.units.len().max(1) as f64
}

/// How different two maps are: the share of cells whose terrain or unit (kind and side) differs,
/// for the way of turning or mirroring one of them by which they are most alike. Maps of different
/// sizes are entirely different.
pub fn map_distance(a: &Map, b: &Map) -> f64 {
    if (a.width, a.height) != (b.width, b.height) {
        return 1.0;
    }
    let (columns, rows) = (a.width - 2, a.height - 2);
    let content = |map: &Map, x: u16, y: u16| {
        let unit = map.unit_at(x, y).map(|unit| map.units[unit]);
        (map.terrain_at(x, y), unit.map(|unit| (unit.kind, unit.team)))
    };
    let different = |flip_x: bool, flip_y: bool| {
        let cells = (1..=rows).flat_map(|y| (1..=columns).map(move |x| (x, y)));
        cells
            .filter(|&(x, y)| {
                let to_x = if flip_x { columns + 1 - x } else { x };
                let to_y = if flip_y { rows + 1 - y } else { y };
                content(a, x, y) != content(b, to_x, to_y)
            })
            .count()
    };
    let ways = [(false, false), (true, false), (false, true), (true, true)];
    let least = ways.into_iter().map(|(x, y)| different(x, y)).min().unwrap_or(0);
    least as f64 / (usize::from(columns) * usize::from(rows)) as f64
}

#[cfg(test)]
mod tests;
