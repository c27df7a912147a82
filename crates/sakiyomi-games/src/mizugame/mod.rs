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

mod best;
mod cells;
mod contest;
mod generate;
mod hints;
mod map;
mod orders;
mod paper;
mod plans;
#[cfg(test)]
mod players_tests;
mod reference;
mod replay;
mod session;
mod settings;
mod show;
mod stand_ins;
#[cfg(test)]
mod tests;
mod water;
mod worth;

use std::borrow::Cow;
use std::sync::Arc;

use sakiyomi_core::{Game, Payoffs, Player, Players, Rng, Turn};

pub use best::{BestPlayer, BestSettings};
pub use cells::{Cell, DIRECTIONS, N_CELLS, SIDE};
pub use contest::{Contest, ContestError, ContestState, MAX_MAPS};
pub use generate::MakeMapError;
pub use map::{MAX_TEAMS, Map, TEAM_ROBOTS, Terrain, TextError};
pub use orders::{Command, MAX_COMMANDS, Orders, Plan};
pub use paper::{PaperPlayer, PaperSettings};
pub use reference::plain_scores;
pub use replay::{ReplayLine, ReplayRobot, read_replay, replay_text};
pub use session::{Deed, Robot};
pub use settings::{
    Effect, MapSettings, Payoff, Rough, SettingError, Settings, Symmetry, TieBreak,
};
pub use stand_ins::StandIn;
pub use water::{Pool, Water};

use map::MAX_ROBOTS;

/// The rules on one map.
#[derive(Clone, Debug)]
pub struct Mizugame {
    map: Arc<Map>,
    settings: Settings,
}

/// A position between two sessions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    water: Water,
    robots: [Robot; MAX_ROBOTS],
    /// What the teams have ordered for the session that comes next, if orders have a latency.
    pending: [Orders; MAX_TEAMS],
    /// The session that comes next.
    session: u16,
    /// Units that each team has poured so far.
    poured: [u32; MAX_TEAMS],
}

impl Mizugame {
    /// The rules on this map, or the setting that cannot be played.
    pub fn new(map: Map, settings: Settings) -> Result<Mizugame, SettingError> {
        Ok(Mizugame { map: Arc::new(map), settings: settings.checked()? })
    }

    pub fn map(&self) -> &Map {
        &self.map
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    fn n_robots(&self) -> usize {
        self.map.n_teams() * TEAM_ROBOTS
    }

    /// The robots of all teams, three each.
    pub fn robots<'a>(&self, position: &'a Position) -> &'a [Robot] {
        &position.robots[..self.n_robots()]
    }

    /// The position in which orders that are chosen now will begin to be carried out, as far as the
    /// team can tell: its own robots do what they were ordered to, and the others stay.
    pub fn foreseen_by(&self, position: &Position, player: Player) -> Position {
        let mut seen = self.seen_by(position, player).into_owned();
        if self.settings.latency > 0 {
            let pending = seen.pending;
            self.run_session(&mut seen, &pending[..self.map.n_teams()]);
            seen.pending = [Orders::NONE; MAX_TEAMS];
        }
        seen
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
        let n = self.map.n_teams();
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
    pub fn water(&self) -> &Water {
        &self.water
    }

    /// Sessions that have passed.
    pub fn session(&self) -> u16 {
        self.session
    }

    /// What a team has ordered for the session that comes next, if orders have a latency.
    pub fn pending(&self, team: usize) -> Orders {
        self.pending[team]
    }

    /// Units that a team has poured so far.
    pub fn poured(&self, team: usize) -> u32 {
        self.poured[team]
    }
}

impl Game for Mizugame {
    type State = Position;
    type Action = Orders;

    fn players(&self) -> usize {
        self.map.n_teams()
    }

    fn start(&self) -> Position {
        let idle = Robot { cell: Cell::centre(), tank: 0, busy: 0, deed: Deed::Idle };
        let mut robots = [idle; MAX_ROBOTS];
        for (robot, &cell) in robots.iter_mut().zip(self.map.starts.iter().flatten()) {
            robot.cell = cell;
        }
        Position {
            water: Water::default(),
            robots,
            pending: [Orders::NONE; MAX_TEAMS],
            session: 0,
            poured: [0; MAX_TEAMS],
        }
    }

    fn turn(&self, position: &Position) -> Turn {
        match position.session >= self.settings.sessions {
            true => Turn::Over(self.payoffs(position)),
            false => Turn::Choose(Players::all(self.players())),
        }
    }

    /// Some of the many: all robots with the same kind of plan.
    fn actions(&self, position: &Position, player: Player, out: &mut Vec<Orders>) {
        let first = out.len();
        let seen = self.foreseen_by(position, player);
        let plans: [Vec<Plan>; TEAM_ROBOTS] =
            std::array::from_fn(|robot| self.candidate_plans(&seen, player, robot));
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
        if self.settings.latency == 0 {
            return self.run_session(position, actions);
        }
        let n = self.map.n_teams();
        let due = position.pending;
        self.run_session(position, &due[..n]);
        position.pending[..n].copy_from_slice(actions);
        if position.session + 1 == self.settings.sessions {
            let due = std::mem::replace(&mut position.pending, [Orders::NONE; MAX_TEAMS]);
            self.run_session(position, &due[..n]);
        }
    }

    fn lists_all_actions(&self) -> bool {
        false
    }

    fn legal(&self, position: &Position, player: Player, orders: Orders) -> bool {
        position.session < self.settings.sessions
            && player.index() < self.players()
            && orders.is_legal(self.settings.max_commands.into())
    }

    fn random_action(&self, _: &Position, _: Player, _: &mut Vec<Orders>, rng: &mut Rng) -> Orders {
        let max_commands = self.settings.max_commands.into();
        Orders(std::array::from_fn(|_| Plan::random(max_commands, rng)))
    }

    /// Without what the others have ordered for the session to come.
    fn seen_by<'s>(&self, position: &'s Position, player: Player) -> Cow<'s, Position> {
        let is_hidden = |team: usize| team != player.index();
        let hides = |(team, orders): (usize, &Orders)| is_hidden(team) && *orders != Orders::NONE;
        if !position.pending.iter().enumerate().any(hides) {
            return Cow::Borrowed(position);
        }
        let mut seen = position.clone();
        for team in (0..MAX_TEAMS).filter(|&team| is_hidden(team)) {
            seen.pending[team] = Orders::NONE;
        }
        Cow::Owned(seen)
    }

    fn constant_sum(&self) -> bool {
        true
    }
}
