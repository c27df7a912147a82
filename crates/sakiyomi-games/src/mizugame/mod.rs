//! Mizugame: the robot contest of Takeshita, Hashimoto and Akama's paper, the 21st National College of
//! Technology Programming Contest of 2010, "blessings of the water jar".
//!
//! Two to six teams of three robots play on a hexagon of 1261 cells with walls, rough ground and jars.
//! A robot moves, refills its tank at a jar, pours water on a cell, or sucks another team's water
//! from one. A team scores the cells that hold its water and those that its water encloses. A match
//! is 100 sessions of 3 seconds, 180 frames each. For every session all teams send their robots
//! strings of commands at the same time, and these are carried out in the session after it.
//!
//! The contest's rule sheet is lost. What the paper does not say is our reconstruction; every such
//! decision has a name and its default in [`Settings`] and [`MapSettings`].

mod cells;
mod generate;
mod hints;
mod map;
mod orders;
pub mod plans;
mod reference;
mod replay;
mod session;
mod settings;
mod show;
#[cfg(test)]
mod tests;
mod water;

use std::borrow::Cow;
use std::sync::Arc;

use sakiyomi_core::{Game, Payoffs, Player, Players, Rng, Turn};

pub use cells::{AREA, Cell, DIRECTIONS, N_CELLS, SIDE};
pub use generate::MakeMapError;
pub use map::{MAX_TEAMS, Map, TEAM_ROBOTS, Terrain, TextError};
pub use orders::{Command, MAX_COMMANDS, Orders, Plan};
pub use reference::plain_scores;
pub use replay::{ReplayLine, ReplayRobot, read_replay, replay_text};
pub use session::{Deed, Robot};
pub use settings::{
    Effect, MapSettings, Payoff, Rough, SettingError, Settings, Symmetry, TieBreak,
};
pub use water::{Pool, Water};

use map::MAX_ROBOTS;

/// The most maps that a match may be drawn on.
pub const MAX_MAPS: usize = 1_000;

/// The rules on one or several maps. With several, chance draws the map before the first session, so
/// that matches are played on many maps and those of a round share theirs.
#[derive(Clone, Debug)]
pub struct Mizugame {
    fields: Arc<[Field]>,
}

/// The rules on one map.
#[derive(Clone, Debug)]
pub struct Field {
    number: u16,
    map: Map,
    settings: Settings,
}

/// Why there is no match on these maps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MizugameError {
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error("{0} maps; expected 1 to {MAX_MAPS}")]
    Number(usize),
    #[error("maps with {0} and with {1} teams; all must have the same number")]
    Teams(usize, usize),
}

/// A position between two sessions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The number of its map, once that is drawn; until then this is the start on the first one.
    pub field: Option<u16>,
    pub water: Water,
    pub robots: [Robot; MAX_ROBOTS],
    /// What the teams have ordered for the session that comes next, if orders have a latency.
    pub pending: [Orders; MAX_TEAMS],
    /// The session that comes next.
    pub session: u16,
    /// Units that each team has poured so far.
    pub poured: [u32; MAX_TEAMS],
}

impl Mizugame {
    /// The rules on these maps, or what cannot be played.
    pub fn new(maps: Vec<Map>, settings: &Settings) -> Result<Mizugame, MizugameError> {
        if !(1..=MAX_MAPS).contains(&maps.len()) {
            return Err(MizugameError::Number(maps.len()));
        }
        let n_teams = maps[0].n_teams();
        if let Some(other) = maps.iter().find(|map| map.n_teams() != n_teams) {
            return Err(MizugameError::Teams(n_teams, other.n_teams()));
        }
        let settings = settings.clone().checked()?;
        let field = |(number, map)| Field { number, map, settings: settings.clone() };
        Ok(Mizugame { fields: (0..).zip(maps).map(field).collect() })
    }

    /// The rules on the map of a position.
    pub fn field(&self, position: &Position) -> &Field {
        &self.fields[usize::from(position.field.unwrap_or_default())]
    }
}

impl Field {
    pub fn map(&self) -> &Map {
        &self.map
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn n_teams(&self) -> usize {
        self.map.n_teams()
    }

    pub fn start(&self) -> Position {
        let idle = Robot { cell: Cell::centre(), tank: 0, busy: 0, deed: Deed::Idle };
        let mut robots = [idle; MAX_ROBOTS];
        for (robot, &cell) in robots.iter_mut().zip(self.map.starts.iter().flatten()) {
            robot.cell = cell;
        }
        Position {
            field: Some(self.number),
            water: Water::default(),
            robots,
            pending: [Orders::NONE; MAX_TEAMS],
            session: 0,
            poured: [0; MAX_TEAMS],
        }
    }

    fn n_robots(&self) -> usize {
        self.n_teams() * TEAM_ROBOTS
    }

    /// The robots of all teams, three each.
    pub fn robots<'a>(&self, position: &'a Position) -> &'a [Robot] {
        &position.robots[..self.n_robots()]
    }

    /// The position in which orders that are chosen now will begin to be carried out, as far as the
    /// team can tell: its own robots do what they were ordered to, and the others stay.
    pub fn foreseen_by(&self, position: &Position, player: Player) -> Position {
        let mut seen = position.seen_by(player).into_owned();
        if self.settings.latency > 0 {
            let pending = seen.pending;
            self.run_session(&mut seen, &pending[..self.n_teams()]);
            seen.pending = [Orders::NONE; MAX_TEAMS];
        }
        seen
    }

    /// Carries out the sessions that follow these actions. `watch` is told which robot has ended an
    /// action: in which session, counted from 0, in which frame of it, and on which cell.
    #[inline]
    fn apply_watched(
        &self,
        position: &mut Position,
        actions: &[Orders],
        mut watch: impl FnMut(usize, u16, u16, Cell),
    ) {
        let n = self.n_teams();
        if self.settings.latency == 0 {
            return self.watch_session(position, actions, |robot, at, cell| {
                watch(robot, 0, at, cell);
            });
        }
        let due = position.pending;
        self.watch_session(position, &due[..n], |robot, at, cell| watch(robot, 0, at, cell));
        position.pending[..n].copy_from_slice(actions);
        if position.session + 1 == self.settings.sessions {
            let due = std::mem::replace(&mut position.pending, [Orders::NONE; MAX_TEAMS]);
            self.watch_session(position, &due[..n], |robot, at, cell| watch(robot, 1, at, cell));
        }
    }

    /// What is compared at the end: the score, then what breaks a tie.
    fn result(&self, position: &Position, team: usize) -> i64 {
        let water = match self.settings.tie_break {
            TieBreak::WaterOnField => position.water.units(team),
            TieBreak::WaterPoured => position.poured[team],
        };
        i64::from(position.water.score(team)) << 32 | i64::from(water)
    }

    fn payoffs(&self, position: &Position) -> Payoffs {
        let n = self.n_teams();
        let mut results = [0; MAX_TEAMS];
        for (team, result) in results[..n].iter_mut().enumerate() {
            *result = self.result(position, team);
        }
        let results = &results[..n];
        match self.settings.payoff {
            Payoff::First => Payoffs::best_of(results),
            Payoff::Rank => {
                let mut payoffs = Payoffs::default();
                for (team, own) in results.iter().enumerate() {
                    let beaten = results.iter().filter(|&other| other < own).count() as f64;
                    let equal = results.iter().filter(|&other| other == own).count() as f64 - 1.0;
                    payoffs[Player(team as u8)] = (beaten + 0.5 * equal) / (n as f64 - 1.0);
                }
                payoffs
            }
        }
    }
}

impl Position {
    /// Without what the others have ordered for the session to come.
    pub fn seen_by(&self, player: Player) -> Cow<'_, Position> {
        let is_hidden = |team: usize| team != player.index();
        let hides = |(team, orders): (usize, &Orders)| is_hidden(team) && *orders != Orders::NONE;
        if !self.pending.iter().enumerate().any(hides) {
            return Cow::Borrowed(self);
        }
        let mut seen = self.clone();
        for team in (0..MAX_TEAMS).filter(|&team| is_hidden(team)) {
            seen.pending[team] = Orders::NONE;
        }
        Cow::Owned(seen)
    }
}

impl Game for Mizugame {
    type State = Position;
    /// An outcome of chance is the number of a map, [`Orders::of_number`].
    type Action = Orders;

    fn players(&self) -> usize {
        self.fields[0].n_teams()
    }

    fn start(&self) -> Position {
        let start = self.fields[0].start();
        Position { field: start.field.filter(|_| self.fields.len() == 1), ..start }
    }

    fn turn(&self, position: &Position) -> Turn {
        let field = self.field(position);
        match position.session >= field.settings.sessions {
            _ if position.field.is_none() => Turn::Chance,
            true => Turn::Over(field.payoffs(position)),
            false => Turn::Choose(Players::all(self.players())),
        }
    }

    /// Some of the many: all robots with the same kind of plan.
    fn actions(&self, position: &Position, player: Player, out: &mut Vec<Orders>) {
        let (field, first) = (self.field(position), out.len());
        let seen = field.foreseen_by(position, player);
        let plans: [Vec<Plan>; TEAM_ROBOTS] =
            std::array::from_fn(|robot| field.candidate_plans(&seen, player, robot));
        let longest = plans.iter().map(Vec::len).max().unwrap_or_default();
        for i in 0..longest {
            let orders = Orders(std::array::from_fn(|robot| plans[robot][i % plans[robot].len()]));
            if !out[first..].contains(&orders) {
                out.push(orders);
            }
        }
    }

    /// Orders for a session that will not take place are not asked for: with a latency the last
    /// session follows at once.
    fn apply(&self, position: &mut Position, actions: &[Orders]) {
        if position.field.is_none() {
            *position = self.fields[usize::from(actions[0].number())].start();
            return;
        }
        self.field(position).apply_watched(position, actions, |_, _, _, _| {});
    }

    fn outcomes(&self, _: &Position, out: &mut Vec<(Orders, f64)>) {
        let share = 1.0 / self.fields.len() as f64;
        out.extend((0..self.fields.len()).map(|i| (Orders::of_number(i as u16), share)));
    }

    fn sample(&self, _: &Position, _: &mut Vec<(Orders, f64)>, rng: &mut Rng) -> Orders {
        Orders::of_number(rng.below(self.fields.len()) as u16)
    }

    fn lists_all_actions(&self) -> bool {
        false
    }

    fn legal(&self, position: &Position, player: Player, orders: Orders) -> bool {
        let settings = &self.field(position).settings;
        position.field.is_some()
            && position.session < settings.sessions
            && player.index() < self.players()
            && orders.is_legal(settings.max_commands.into())
    }

    fn random_action(
        &self,
        position: &Position,
        _: Player,
        _: &mut Vec<Orders>,
        rng: &mut Rng,
    ) -> Orders {
        let max_commands = self.field(position).settings.max_commands.into();
        Orders(std::array::from_fn(|_| Plan::random(max_commands, rng)))
    }

    fn seen_by<'s>(&self, position: &'s Position, player: Player) -> Cow<'s, Position> {
        position.seen_by(player)
    }

    fn constant_sum(&self) -> bool {
        true
    }
}

const _: () = assert!(MAX_TEAMS <= sakiyomi_core::MAX_PLAYERS && MAX_MAPS <= u16::MAX as usize);
