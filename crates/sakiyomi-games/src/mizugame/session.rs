//! One session, frame by frame: what the robots do with their commands.
//!
//! In every frame first all actions that end there take effect, in the order of the teams, then the
//! robots that are free start their next command. Frames in which nothing ends are skipped. A command
//! that turns out to be impossible (a wall, an empty tank, a full cell) takes its time for nothing.

use super::cells::Cell;
use super::map::{MAX_ROBOTS, TEAM_ROBOTS, Terrain};
use super::orders::{Command, Orders};
use super::settings::{Effect, Rough, Settings};
use super::water::Pool;
use super::{Field, Position};

/// A robot at the end of a session. An action that still runs goes on in the next one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Robot {
    pub cell: Cell,
    pub tank: u32,
    /// Frames until the action that runs has ended; 0 if none does.
    pub busy: u16,
    pub deed: Deed,
}

/// What a robot is doing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Deed {
    Idle,
    Move(u8),
    Refill,
    Suck,
    Pour,
    Wait,
}

impl Field {
    /// Carries out one session with these orders, one for each team.
    pub fn run_session(&self, position: &mut Position, orders: &[Orders]) {
        self.watch_session(position, orders, |_, _, _| {});
    }

    /// The same, and `watch` is told which robot has ended an action, in which frame and on which
    /// cell.
    pub(super) fn watch_session(
        &self,
        position: &mut Position,
        orders: &[Orders],
        mut watch: impl FnMut(usize, u16, Cell),
    ) {
        let n = self.n_robots();
        let end = self.settings.session_frames;
        let order = self.acting_order(position.session);
        let mut until = [u16::MAX; MAX_ROBOTS];
        let mut next = [0; MAX_ROBOTS];
        let mut start = |position: &mut Position, robot: usize, frame: u16| -> u16 {
            let plan = orders[robot / TEAM_ROBOTS].0[robot % TEAM_ROBOTS];
            let command = plan.get(next[robot]);
            next[robot] += 1;
            self.start_command(position, robot, command).map_or(u16::MAX, |frames| frame + frames)
        };
        for robot in order.clone() {
            until[robot] = match position.robots[robot].busy {
                0 => start(position, robot, 0),
                frames => frames,
            };
        }
        loop {
            let frame = until[..n].iter().copied().min().unwrap_or(u16::MAX);
            if frame > end {
                break;
            }
            for robot in order.clone().filter(|&robot| until[robot] == frame) {
                if self.settings.effect == Effect::AtEnd {
                    self.take_effect(position, robot);
                }
                position.robots[robot].deed = Deed::Idle;
                watch(robot, frame, position.robots[robot].cell);
            }
            for robot in order.clone() {
                if until[robot] == frame {
                    until[robot] =
                        if frame < end { start(position, robot, frame) } else { u16::MAX };
                }
            }
        }
        for (robot, &until) in position.robots[..n].iter_mut().zip(&until) {
            robot.busy = if until == u16::MAX { 0 } else { until - end };
        }
        position.session += 1;
    }

    /// The robots in the order in which actions that end in the same frame take effect.
    fn acting_order(&self, session: u16) -> impl Iterator<Item = usize> + Clone {
        let n = self.n_robots();
        let n_teams = n / TEAM_ROBOTS;
        let first = match self.settings.rotates_order {
            true => usize::from(session) % n_teams * TEAM_ROBOTS,
            false => 0,
        };
        (first..n).chain(0..first)
    }

    /// Starts a command; none if there is none left. Returns how many frames it takes.
    fn start_command(
        &self,
        position: &mut Position,
        robot: usize,
        command: Option<Command>,
    ) -> Option<u16> {
        let command = command?;
        let team = robot / TEAM_ROBOTS;
        let cell = position.robots[robot].cell;
        let deed = self.deed(position, team, cell, command);
        position.robots[robot].deed = deed;
        if self.settings.effect == Effect::AtStart {
            self.take_effect(position, robot);
        }
        Some(self.frames(cell, deed))
    }

    /// What a command means for a robot of the team on a cell.
    #[inline]
    pub(super) fn deed(
        &self,
        position: &Position,
        team: usize,
        cell: Cell,
        command: Command,
    ) -> Deed {
        match command {
            Command::Move(direction) => Deed::Move(direction),
            Command::Wait => Deed::Wait,
            Command::Act if self.map.terrain(cell) == Terrain::Jar => Deed::Refill,
            Command::Act => match position.water.at(cell) {
                Some(pool) if usize::from(pool.team) != team => Deed::Suck,
                _ => Deed::Pour,
            },
        }
    }

    /// How many frames a deed takes that is started on a cell.
    #[inline]
    pub fn frames(&self, cell: Cell, deed: Deed) -> u16 {
        let Settings { move_frames, suck_frames, refill_frames, pour_frames, .. } = self.settings;
        let (frames, slow_at) = match deed {
            Deed::Move(direction) => match self.settings.rough {
                Rough::Standing => (move_frames, Some(cell)),
                Rough::Entering => (move_frames, Some(cell.step(direction.into()))),
            },
            Deed::Suck => (suck_frames, Some(cell)),
            Deed::Refill => (refill_frames, Some(cell)),
            Deed::Pour => (pour_frames, Some(cell)),
            Deed::Wait | Deed::Idle => (self.settings.wait_frames, None),
        };
        let is_move = matches!(deed, Deed::Move(_));
        let is_slow = slow_at.is_some_and(|at| self.map.terrain(at) == Terrain::Rough)
            && (is_move || self.settings.rough == Rough::Standing);
        match is_slow {
            true => (u32::from(frames) * u32::from(self.settings.rough_percent) / 100) as u16,
            false => frames,
        }
    }

    #[inline]
    fn take_effect(&self, position: &mut Position, robot: usize) {
        let Settings { refill_units, suck_gain, tank_max, cell_max, .. } = self.settings;
        let Robot { cell, tank, deed, .. } = position.robots[robot];
        let team = (robot / TEAM_ROBOTS) as u8;
        match deed {
            Deed::Idle | Deed::Wait => {}
            Deed::Move(direction) => {
                let to = cell.step(direction.into());
                if self.map.terrain(to).is_open() && !self.is_blocked(position, to) {
                    position.robots[robot].cell = to;
                }
            }
            Deed::Refill => {
                position.robots[robot].tank = (tank + u32::from(refill_units)).min(tank_max);
            }
            Deed::Suck => {
                if let Some(pool) = position.water.at(cell).filter(|pool| pool.team != team) {
                    let left = Pool { amount: pool.amount - 1, ..pool };
                    position.water.set(&self.map, cell, Some(left));
                    position.robots[robot].tank = (tank + u32::from(suck_gain)).min(tank_max);
                }
            }
            Deed::Pour => {
                let pool = position.water.at(cell).unwrap_or(Pool { team, amount: 0 });
                let is_possible = tank > 0 && pool.team == team && pool.amount < cell_max;
                if is_possible && self.map.terrain(cell).is_ground() {
                    let more = Pool { amount: pool.amount + 1, ..pool };
                    position.water.set(&self.map, cell, Some(more));
                    position.robots[robot].tank = tank - 1;
                    position.poured[usize::from(team)] += 1;
                }
            }
        }
    }

    fn is_blocked(&self, position: &Position, cell: Cell) -> bool {
        let robots = &position.robots[..self.n_robots()];
        self.settings.robots_block && robots.iter().any(|robot| robot.cell == cell)
    }
}
