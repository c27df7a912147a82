//! What follows from a map once and for all: tables of terrain, steps, ranges and damages.

use super::cells::{Cells, Grid};
use super::map::{FULL_HIT_POINTS, Map};
use super::units::{CANNON_RANGE, Kind, Terrain, damage};
use super::{Settings, State, Status};
use sakiyomi_core::Player;

/// Stars are from 0 to 4.
const N_STARS: usize = 5;

#[derive(Debug)]
pub struct Rules<const W: usize, const N: usize> {
    pub map: Map,
    pub settings: Settings,
    /// The state as the map has it, before noise and before a side passes that cannot act.
    pub undealt: State<W, N>,
    pub start: State<W, N>,
    pub grid: Grid<W>,
    /// The units of each side, a bit each.
    pub sides: [u64; 2],
    pub kinds: [Kind; N],
    /// By kind: the cells that cost one point to enter, and two.
    pub easy: [Cells<W>; 6],
    pub hard: [Cells<W>; 6],
    /// By cell and kind: where a unit gets to if no enemy is in its way.
    pub free: Vec<[Cells<W>; 6]>,
    /// By cell and kind: what it could strike then.
    pub threat: Vec<[Cells<W>; 6]>,
    /// By cell: its neighbours to the east, north, west and south, or `NO_CELL`.
    pub around: Vec<[u16; 4]>,
    /// By cell: its column and row.
    places: Vec<[u8; 2]>,
    /// By cell: those in range of a cannon.
    pub range: Vec<Cells<W>>,
    pub stars: Vec<u8>,
    pub terrain: Vec<Terrain>,
    /// By n: the cells in the n leftmost columns, and in the n topmost rows.
    columns: Vec<Cells<W>>,
    rows: Vec<Cells<W>>,
    damages: Box<[u8]>,
    /// By kind and hit points: whether an attack does damage to whatever unit of this map, however
    /// well it stands.
    is_sure: Box<[bool]>,
    /// One more than the most hit points that a unit can have.
    hp_slots: usize,
}

impl<const W: usize, const N: usize> Rules<W, N> {
    /// The tables of a map that has been checked and fits.
    pub fn new(map: &Map, settings: Settings) -> Rules<W, N> {
        let grid = Grid::new(map.width - 2, map.height - 2);
        let terrain: Vec<Terrain> = (0..grid.n_cells())
            .map(|cell| grid.place(cell))
            .map(|(x, y)| map.terrain_at(x + 1, y + 1))
            .collect();
        let mut easy = [Cells::NONE; 6];
        let mut hard = [Cells::NONE; 6];
        for (cell, &terrain) in (0..).zip(&terrain) {
            for kind in Kind::ALL {
                match kind.step_cost(terrain) {
                    Some(1) => easy[kind as usize].insert(cell),
                    Some(_) => hard[kind as usize].insert(cell),
                    None => {}
                }
            }
        }
        let cells = || 0..grid.n_cells();
        let near = |cell: u16, steps: std::ops::RangeInclusive<u32>| {
            let mut near = Cells::NONE;
            cells()
                .filter(|&to| steps.contains(&grid.distance(cell, to)))
                .for_each(|to| near.insert(to));
            near
        };
        let most = map.units.iter().map(|unit| unit.hit_points).max().unwrap_or(0);
        let hp_slots = usize::from(most.max(FULL_HIT_POINTS)) + 1;
        let start = start(map, settings, &grid);
        let mut rules = Rules {
            map: map.clone(),
            settings,
            undealt: start,
            start,
            grid,
            sides: sides(map, settings),
            kinds: std::array::from_fn(|i| {
                map.units.get(i).map_or(Kind::Infantry, |unit| unit.kind)
            }),
            easy,
            hard,
            free: Vec::new(),
            threat: Vec::new(),
            around: cells().map(|cell| grid.around(cell)).collect(),
            places: cells().map(|cell| grid.place(cell)).map(|(x, y)| [x as u8, y as u8]).collect(),
            range: cells().map(|cell| near(cell, CANNON_RANGE)).collect(),
            stars: terrain.iter().map(|terrain| terrain.stars() as u8).collect(),
            terrain,
            columns: (0..=grid.width).map(|n| first_cells(&grid, |x, _| x < n)).collect(),
            rows: (0..=grid.height).map(|n| first_cells(&grid, |_, y| y < n)).collect(),
            damages: damages(hp_slots),
            is_sure: Box::default(),
            hp_slots,
        };
        rules.is_sure = rules.sure_attackers();
        let free = cells()
            .map(|cell| Kind::ALL.map(|kind| rules.flood(kind, cell, Cells::NONE)))
            .collect::<Vec<_>>();
        rules.threat = cells()
            .map(|cell| {
                Kind::ALL.map(|kind| match kind.is_indirect() {
                    true => rules.range[usize::from(cell)],
                    false => grid.spread(free[usize::from(cell)][kind as usize]),
                })
            })
            .collect();
        rules.free = free;
        rules
    }

    /// How many outcomes of chance come before the first turn.
    #[inline]
    pub fn n_deals(&self) -> u16 {
        let per_unit = u16::from(self.settings.noise_hp) + u16::from(self.settings.noise_position);
        per_unit * self.map.units.len() as u16
    }

    /// The cells that a kind of unit can get to or pass from a cell: its own included.
    #[inline]
    pub fn flood(&self, kind: Kind, from: u16, enemies: Cells<W>) -> Cells<W> {
        let easy = self.easy[kind as usize] & !enemies;
        let hard = self.hard[kind as usize] & !enemies;
        let mut reached = Cells::one(from);
        let mut beside_before = Cells::NONE;
        for _ in 0..kind.move_points() {
            let beside = self.grid.spread(reached);
            let next = reached | beside & easy | beside_before & hard;
            beside_before = beside;
            if W > 1 && next == reached && (beside & hard & !reached).is_empty() {
                break;
            }
            reached = next;
        }
        reached
    }

    /// The cells of the rectangle with these corners.
    pub fn rectangle(&self, a: u16, b: u16) -> Cells<W> {
        let ([ax, ay], [bx, by]) = (self.places[usize::from(a)], self.places[usize::from(b)]);
        self.between_columns(ax.min(bx), ax.max(bx)) & self.between_rows(ay.min(by), ay.max(by))
    }

    /// Steps from cell to cell.
    #[inline]
    pub fn distance(&self, a: u16, b: u16) -> u32 {
        let ([ax, ay], [bx, by]) = (self.places[usize::from(a)], self.places[usize::from(b)]);
        u32::from(ax.abs_diff(bx)) + u32::from(ay.abs_diff(by))
    }

    fn between_columns(&self, first: u8, last: u8) -> Cells<W> {
        self.columns[usize::from(last) + 1] & !self.columns[usize::from(first)]
    }

    fn between_rows(&self, first: u8, last: u8) -> Cells<W> {
        self.rows[usize::from(last) + 1] & !self.rows[usize::from(first)]
    }

    pub fn most_hit_points(&self) -> u32 {
        self.hp_slots as u32 - 1
    }

    fn sure_attackers(&self) -> Box<[bool]> {
        let others = || self.map.units.iter().map(|unit| unit.kind);
        let stars = self.stars.iter().copied().max().unwrap_or(0);
        let most = self.most_hit_points() as u8;
        let is_sure = |kind: Kind, hp: usize| {
            others().all(|other| {
                self.damages[index(self.hp_slots, kind, hp as u8, other, most, stars)] > 0
            })
        };
        let kinds = Kind::ALL.into_iter();
        kinds.flat_map(|kind| (0..self.hp_slots).map(move |hp| is_sure(kind, hp))).collect()
    }

    /// Whether every attack of such a unit does damage.
    #[inline]
    pub fn is_sure(&self, kind: Kind, hp: u8) -> bool {
        self.is_sure[kind as usize * self.hp_slots + usize::from(hp)]
    }

    /// The damage of an attack on a unit that stands on `cell`.
    #[inline]
    pub fn damage(&self, kind: Kind, hp: u8, other: Kind, left: u8, cell: u16) -> u8 {
        let stars = self.stars[usize::from(cell)];
        self.damages[index(self.hp_slots, kind, hp, other, left, stars)]
    }
}

#[inline]
fn index(hp_slots: usize, kind: Kind, hp: u8, other: Kind, left: u8, stars: u8) -> usize {
    let attacker = kind as usize * hp_slots + usize::from(hp);
    let defender = (other as usize * N_STARS + usize::from(stars)) * hp_slots + usize::from(left);
    attacker * (6 * N_STARS * hp_slots) + defender
}

fn damages(hp_slots: usize) -> Box<[u8]> {
    let mut table = vec![0; 6 * hp_slots * 6 * N_STARS * hp_slots].into_boxed_slice();
    for (kind, other) in Kind::ALL.into_iter().flat_map(|kind| Kind::ALL.map(|other| (kind, other)))
    {
        for hp in 0..hp_slots {
            for left in 0..hp_slots {
                for stars in 0..N_STARS {
                    let [hp, left, stars] = [hp, left, stars].map(|n| n as u8);
                    let done = damage(kind, hp.into(), other, left.into(), stars.into());
                    table[index(hp_slots, kind, hp, other, left, stars)] = done as u8;
                }
            }
        }
    }
    table
}

fn first_cells<const W: usize>(grid: &Grid<W>, is_in: impl Fn(u16, u16) -> bool) -> Cells<W> {
    let mut set = Cells::NONE;
    for cell in 0..grid.n_cells() {
        let (x, y) = grid.place(cell);
        if is_in(x, y) {
            set.insert(cell);
        }
    }
    set
}

fn sides(map: &Map, settings: Settings) -> [u64; 2] {
    let mut sides = [0; 2];
    for (i, unit) in map.units.iter().enumerate() {
        sides[usize::from(unit.team ^ u8::from(settings.swapped))] |= 1 << i;
    }
    sides
}

fn start<const W: usize, const N: usize>(
    map: &Map,
    settings: Settings,
    grid: &Grid<W>,
) -> State<W, N> {
    let mut start = State {
        occupied: [Cells::NONE; 2],
        cells: [0; N],
        hit_points: [0; N],
        alive: 0,
        finished: 0,
        status: Status::ToMove(Player(settings.swapped.into())),
        turn: 0,
        dealt: 0,
    };
    for (i, unit) in map.units.iter().enumerate() {
        let cell = grid.cell(unit.x - 1, unit.y - 1);
        start.occupied[usize::from(unit.team ^ u8::from(settings.swapped))].insert(cell);
        start.cells[i] = cell;
        start.hit_points[i] = unit.hit_points;
        start.alive |= 1 << i;
        start.finished |= u64::from(unit.finished) << i;
    }
    start
}
