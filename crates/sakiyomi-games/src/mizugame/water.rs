//! The water on the field and what it scores, kept up to date with every change.
//!
//! A team scores the cells that hold its water and the plain or rough cells without water that its
//! water encloses: those that cannot be reached from outside the field without crossing it. Most
//! changes cannot open or close a ring, which shows in the six neighbours; the others flood the field
//! once for the one team concerned, a row of bits at a time.

use std::hash::{Hash, Hasher};

use super::cells::{AREA, Board, Cell, RUNS};
use super::map::{MAX_TEAMS, Map};

/// Water on a cell and whose it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pool {
    pub team: u8,
    pub amount: u8,
}

/// All the water on the field.
#[derive(Clone, Debug)]
pub struct Water {
    /// By cell: the team, counted from 1, in the high byte, and the amount; 0 without water.
    pools: [u16; AREA],
    /// The cells with water.
    watered: Board,
    teams: [TeamWater; MAX_TEAMS],
}

#[derive(Clone, Debug)]
struct TeamWater {
    own: Board,
    /// What the own cells enclose, whatever is there.
    enclosed: Board,
    n_own: u16,
    /// Cells that the own ones enclose and that score.
    n_enclosed: u16,
    /// Own cells with two units or more.
    n_deep: u16,
    units: u32,
}

/// What else is known follows from the pools.
impl PartialEq for Water {
    fn eq(&self, other: &Water) -> bool {
        self.pools == other.pools
    }
}

impl Eq for Water {}

impl Hash for Water {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pools.hash(state);
    }
}

impl Default for Water {
    fn default() -> Water {
        let none = TeamWater {
            own: Board::EMPTY,
            enclosed: Board::EMPTY,
            n_own: 0,
            n_enclosed: 0,
            n_deep: 0,
            units: 0,
        };
        Water {
            pools: [0; AREA],
            watered: Board::EMPTY,
            teams: std::array::from_fn(|_| none.clone()),
        }
    }
}

impl Water {
    #[inline]
    pub fn at(&self, cell: Cell) -> Option<Pool> {
        let pool = self.pools[cell.index()];
        (pool != 0).then(|| Pool { team: (pool >> 8) as u8 - 1, amount: pool as u8 })
    }

    /// Cells that score for a team.
    #[inline]
    pub fn score(&self, team: usize) -> u32 {
        u32::from(self.teams[team].n_own) + u32::from(self.teams[team].n_enclosed)
    }

    /// Cells with the team's water.
    pub fn n_own(&self, team: usize) -> u32 {
        self.teams[team].n_own.into()
    }

    /// Cells with at least two units of the team's water.
    #[inline]
    pub fn n_deep(&self, team: usize) -> u32 {
        self.teams[team].n_deep.into()
    }

    /// Units of the team's water on the field.
    pub fn units(&self, team: usize) -> u32 {
        self.teams[team].units
    }

    /// Whether a cell scores for a team because its water encloses it.
    pub fn is_enclosed(&self, map: &Map, cell: Cell, team: usize) -> bool {
        self.teams[team].enclosed.has(cell) && map.ground.has(cell) && !self.watered.has(cell)
    }

    /// The cells with the team's water.
    pub fn cells_of(&self, team: usize) -> impl Iterator<Item = Cell> + '_ {
        self.teams[team].own.iter()
    }

    /// Puts a pool on a cell of plain or rough ground in place of what is there.
    #[inline]
    pub fn set(&mut self, map: &Map, cell: Cell, pool: Option<Pool>) {
        debug_assert!(map.ground.has(cell));
        let old = self.at(cell);
        let pool = pool.filter(|pool| pool.amount > 0);
        if let Some(Pool { team, amount }) = old {
            let team = &mut self.teams[usize::from(team)];
            team.units -= u32::from(amount);
            team.n_deep -= u16::from(amount >= 2);
        }
        if let Some(Pool { team, amount }) = pool {
            let team = &mut self.teams[usize::from(team)];
            team.units += u32::from(amount);
            team.n_deep += u16::from(amount >= 2);
        }
        self.pools[cell.index()] =
            pool.map_or(0, |pool| (u16::from(pool.team) + 1) << 8 | u16::from(pool.amount));
        let [before, after] = [old, pool].map(|pool| pool.map(|pool| usize::from(pool.team)));
        if before != after {
            if let Some(team) = before {
                self.lose(map, cell, team);
            }
            if let Some(team) = after {
                self.gain(map, cell, team);
            }
        }
    }

    /// A cell without water becomes the team's.
    fn gain(&mut self, map: &Map, cell: Cell, team: usize) {
        for other in &mut self.teams {
            other.n_enclosed -= u16::from(other.enclosed.has(cell));
        }
        self.watered.insert(cell);
        let own = &mut self.teams[team];
        own.n_own += 1;
        own.own.insert(cell);
        if own.enclosed.has(cell) {
            // Whatever it divides is enclosed on both sides.
            own.enclosed.remove(cell);
        } else if RUNS[own.own.around(cell)] >= 2 {
            self.flood(map, team);
        }
    }

    /// A cell of the team becomes one without water.
    fn lose(&mut self, map: &Map, cell: Cell, team: usize) {
        self.watered.remove(cell);
        let own = &mut self.teams[team];
        own.n_own -= 1;
        own.own.remove(cell);
        let (around, inside) = (own.own.around(cell), own.enclosed.around(cell));
        if around | inside == 63 {
            own.enclosed.insert(cell);
        } else if inside != 0 {
            self.flood(map, team);
        }
        for other in &mut self.teams {
            other.n_enclosed += u16::from(other.enclosed.has(cell));
        }
    }

    fn flood(&mut self, map: &Map, team: usize) {
        let team = &mut self.teams[team];
        team.enclosed = team.own.enclosed();
        team.n_enclosed = team.enclosed.count_in(&map.ground, &self.watered) as u16;
    }

    /// The score of every team, computed from the pools alone by a flood of the whole field.
    pub fn scores_from_nothing(&self, map: &Map) -> [u32; MAX_TEAMS] {
        std::array::from_fn(|team| {
            let own = &self.teams[team].own;
            let n_own = own.0.iter().map(|row| row.count_ones()).sum::<u32>();
            n_own + own.enclosed().count_in(&map.ground, &self.watered)
        })
    }
}

#[cfg(test)]
mod tests {
    use sakiyomi_core::Rng;

    use super::*;
    use crate::mizugame::reference::plain_scores;
    use crate::mizugame::settings::MapSettings;

    /// Random changes near each other, so that rings close and open all the time.
    #[test]
    fn scores_follow_every_change() {
        for seed in 0..4 {
            let map = Map::generate(&MapSettings::default(), seed).unwrap();
            let ground: Vec<Cell> = map.ground.iter().collect();
            let mut rng = Rng::stream(&[17, seed]);
            let mut water = Water::default();
            let (mut n_rings, mut n_teams, mut near) = (0, 1, Vec::new());
            let n_steps = if cfg!(debug_assertions) { 3_000 } else { 30_000 };
            for step in 0..n_steps {
                if step % 250 == 0 {
                    n_teams = [1, 2, 6][rng.below(3)];
                    let (centre, radius) =
                        (ground[rng.below(ground.len())], 2 + rng.below(5) as u32);
                    let is_near = |cell: &Cell| cell.distance(centre) <= radius;
                    near = ground.iter().copied().filter(is_near).collect();
                }
                let cell = near[rng.below(near.len())];
                let pool = Pool { team: rng.below(n_teams) as u8, amount: rng.below(5) as u8 };
                water.set(&map, cell, Some(pool));
                let plain = plain_scores(&map, &water);
                let kept: [u32; MAX_TEAMS] = std::array::from_fn(|team| water.score(team));
                assert_eq!(kept, plain, "seed {seed} step {step}");
                assert_eq!(water.scores_from_nothing(&map), plain);
                n_rings += u32::from((0..6).any(|team| water.score(team) > water.n_own(team)));
            }
            assert!(n_rings > n_steps / 10, "only {n_rings} states with a ring");
        }
    }

    /// A million changes. After every fourth the teams concerned are flooded, a row of bits at a time; the
    /// plain flood, which takes fifty times as long, is asked now and then.
    #[test]
    fn a_million_changes_are_scored_like_floods() {
        const N_CHANGES: u32 = 1_000_000;
        let map = Map::generate(&MapSettings::default(), 9).unwrap();
        let ground: Vec<Cell> = map.ground.iter().collect();
        let (mut rng, mut water) = (Rng::new(23), Water::default());
        let (mut n_teams, mut near) = (1, Vec::new());
        for step in 0..N_CHANGES {
            if step % 250 == 0 {
                n_teams = 1 + rng.below(6);
                let (centre, radius) = (ground[rng.below(ground.len())], 2 + rng.below(8) as u32);
                let is_near = |cell: &Cell| cell.distance(centre) <= radius;
                near = ground.iter().copied().filter(is_near).collect();
            }
            let cell = near[rng.below(near.len())];
            let old = water.at(cell);
            let pool = Pool { team: rng.below(n_teams) as u8, amount: rng.below(4) as u8 };
            water.set(&map, cell, Some(pool));
            let concerned = [old.map_or(pool.team, |old| old.team), pool.team].map(usize::from);
            for team in concerned.into_iter().filter(|_| step % 4 == 0) {
                let own = &water.teams[team].own;
                let flooded = own.enclosed().count_in(&map.ground, &water.watered);
                assert_eq!(water.score(team), water.n_own(team) + flooded, "change {step}");
            }
            if step % 500 == 0 {
                let kept: [u32; MAX_TEAMS] = std::array::from_fn(|team| water.score(team));
                assert_eq!(kept, plain_scores(&map, &water), "change {step}");
            }
        }
    }

    #[test]
    fn pools_are_counted() {
        let map = Map::generate(&MapSettings::default(), 1).unwrap();
        let cells: Vec<Cell> = map.ground.iter().collect();
        let mut water = Water::default();
        let pool = |team, amount| Some(Pool { team, amount });
        for (cell, put) in cells.iter().zip([pool(0, 1), pool(0, 2), pool(1, 3), pool(0, 9)]) {
            water.set(&map, *cell, put);
        }
        assert_eq!((water.n_own(0), water.units(0), water.n_deep(0)), (3, 12, 2));
        water.set(&map, cells[3], pool(0, 1));
        water.set(&map, cells[1], None);
        water.set(&map, cells[0], pool(1, 1));
        assert_eq!((water.n_own(0), water.units(0), water.n_deep(0)), (1, 1, 0));
        assert_eq!((water.n_own(1), water.units(1), water.n_deep(1)), (2, 4, 1));
        assert_eq!(water.at(cells[0]), pool(1, 1));
        assert_eq!(water.cells_of(1).collect::<Vec<_>>(), [cells[0], cells[2]]);
    }
}
