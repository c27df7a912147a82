//! Plans for one robot that are more than a string of commands: paint what is near, suck a team's
//! water, refill. They are the candidates that a search chooses from, and what the players of the game
//! are made of.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sakiyomi_core::Player;

use super::cells::{AREA, Cell};
use super::map::{TEAM_ROBOTS, Terrain};
use super::orders::{Command, Plan};
use super::session::{Deed, Robot};
use super::water::{Pool, Water};
use super::{Field, Position};

/// What a robot does for the rest of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// Goes to the nearest cell without water, pours this often, and so on.
    Paint { pours: u8 },
    /// Goes to the nearest cell with another team's water, or with this team's, empties it, pours
    /// once, and so on.
    Suck { team: Option<u8> },
    /// Goes to the nearest jar and refills until the tank holds this much.
    Refill { units: u32 },
    /// Goes straight on and pours this often on every cell that holds less of its water.
    Straight { direction: u8, pours: u8 },
    /// Pours where it stands.
    Pour,
}

impl Field {
    /// Plans for one robot of a team, each once and none of them illegal, the first one usually not
    /// bad. The position is the one in which they begin to be carried out.
    pub fn candidate_plans(&self, position: &Position, player: Player, robot: usize) -> Vec<Plan> {
        const FILL: u32 = 1_000;
        let team = player.index();
        let others = (0..self.n_teams()).filter(|&other| other != team);
        let leader = others.max_by_key(|&other| (position.water.score(other), Reverse(other)));
        let mut jobs = vec![
            Job::Paint { pours: 1 },
            Job::Paint { pours: 2 },
            Job::Suck { team: None },
            Job::Suck { team: leader.map(|leader| leader as u8) },
            Job::Refill { units: FILL },
        ];
        jobs.extend((0..6).map(|direction| Job::Straight { direction, pours: 2 }));
        jobs.push(Job::Pour);
        let mut plans = vec![];
        for job in jobs {
            let mut draft = Draft::new(self, position);
            let mut writer = draft.robot(team, robot);
            writer.follow(job);
            if !plans.contains(&writer.place.plan) {
                plans.push(writer.place.plan);
            }
        }
        if !plans.contains(&Plan::EMPTY) {
            plans.push(Plan::EMPTY);
        }
        plans
    }

    /// The directions of a quickest way to a cell with a property, and the cell; none if it stands
    /// on one there is no way to any.
    pub fn way(&self, from: Cell, is_goal: impl Fn(Cell) -> bool) -> Option<(Vec<u8>, Cell)> {
        let mut came_by = [u8::MAX; AREA];
        let mut best = [u32::MAX; AREA];
        let mut heap = BinaryHeap::from([(Reverse(0), Reverse(from))]);
        best[from.index()] = 0;
        while let Some((Reverse(cost), Reverse(cell))) = heap.pop() {
            if cost > best[cell.index()] {
                continue;
            }
            if is_goal(cell) {
                let mut way = Vec::new();
                let mut at = cell;
                while at != from {
                    let direction = came_by[at.index()];
                    way.push(direction);
                    at = at.step((usize::from(direction) + 3) % 6);
                }
                way.reverse();
                return Some((way, cell));
            }
            for direction in 0..6 {
                let to = cell.step(direction);
                let frames = self.frames(cell, Deed::Move(direction as u8));
                let cost = cost + u32::from(frames);
                if self.map.terrain(to).is_open() && cost < best[to.index()] {
                    best[to.index()] = cost;
                    came_by[to.index()] = direction as u8;
                    heap.push((Reverse(cost), Reverse(to)));
                }
            }
        }
        None
    }
}

/// Orders of a team in the making: the water as it will be, and where its robots want to go.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    game: &'a Field,
    pub robots: Vec<Robot>,
    pub water: Water,
    claimed: Vec<Cell>,
}

impl<'a> Draft<'a> {
    pub fn new(game: &'a Field, position: &Position) -> Draft<'a> {
        Draft {
            game,
            robots: game.robots(position).to_vec(),
            water: position.water.clone(),
            claimed: Vec::new(),
        }
    }

    pub fn map(&self) -> &'a super::Map {
        &self.game.map
    }

    /// Begins the plan of one robot: the action that still runs is completed first.
    pub fn robot(&mut self, team: usize, robot: usize) -> Writer<'_, 'a> {
        let Robot { cell, tank, busy, deed } = self.robots[team * TEAM_ROBOTS + robot];
        let mut writer =
            self.resume(team, Place { cell, tank, frames: busy.into(), plan: Plan::EMPTY });
        if busy > 0 {
            writer.take_effect(deed);
        }
        writer
    }

    /// Goes on with the plan of a robot from where it has come to.
    pub fn resume(&mut self, team: usize, place: Place) -> Writer<'_, 'a> {
        let settings = &self.game.settings;
        Writer {
            team,
            place,
            limit: settings.session_frames.into(),
            max_commands: settings.max_commands.into(),
            draft: self,
        }
    }
}

/// What a robot has come to with the commands that are written so far.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub cell: Cell,
    pub tank: u32,
    /// Frames since the start of the session.
    pub frames: u32,
    pub plan: Plan,
}

impl Place {
    /// Whether the session has no room for another command.
    pub fn is_full(&self, game: &Field) -> bool {
        self.frames >= u32::from(game.settings.session_frames)
            || self.plan.len() >= usize::from(game.settings.max_commands)
    }
}

/// Writes the commands of one robot and follows what they do.
#[derive(Debug)]
pub struct Writer<'d, 'a> {
    pub team: usize,
    pub place: Place,
    /// Commands are written as long as they start before this frame.
    limit: u32,
    max_commands: usize,
    pub draft: &'d mut Draft<'a>,
}

impl Writer<'_, '_> {
    pub fn game(&self) -> &Field {
        self.draft.game
    }

    pub fn is_full(&self) -> bool {
        self.place.frames >= self.limit || self.place.plan.len() >= self.max_commands
    }

    pub fn pool(&self) -> Option<Pool> {
        self.draft.water.at(self.place.cell)
    }

    /// Adds a command and does what it does, if there is room for it.
    pub fn push(&mut self, command: Command) {
        if self.is_full() {
            return;
        }
        let deed = match command {
            Command::Move(direction) => Deed::Move(direction),
            Command::Wait => Deed::Wait,
            Command::Act if self.game().map.terrain(self.place.cell) == Terrain::Jar => {
                Deed::Refill
            }
            Command::Act if self.pool().is_some_and(|pool| !self.owns(pool)) => Deed::Suck,
            Command::Act => Deed::Pour,
        };
        self.place.frames += u32::from(self.game().frames(self.place.cell, deed));
        self.take_effect(deed);
        self.place.plan.push(command);
    }

    fn owns(&self, pool: Pool) -> bool {
        usize::from(pool.team) == self.team
    }

    fn take_effect(&mut self, deed: Deed) {
        let game = self.draft.game;
        let settings = &game.settings;
        match deed {
            Deed::Idle | Deed::Wait => {}
            Deed::Move(direction) => {
                let to = self.place.cell.step(direction.into());
                if game.map.terrain(to).is_open() {
                    self.place.cell = to;
                }
            }
            Deed::Refill => {
                self.place.tank =
                    (self.place.tank + u32::from(settings.refill_units)).min(settings.tank_max);
            }
            Deed::Suck => {
                if let Some(pool) = self.pool().filter(|&pool| !self.owns(pool)) {
                    let left = Pool { amount: pool.amount - 1, ..pool };
                    self.draft.water.set(&game.map, self.place.cell, Some(left));
                    self.place.tank =
                        (self.place.tank + u32::from(settings.suck_gain)).min(settings.tank_max);
                }
            }
            Deed::Pour => {
                let pool = self.pool().unwrap_or(Pool { team: self.team as u8, amount: 0 });
                let is_possible =
                    self.place.tank > 0 && self.owns(pool) && pool.amount < settings.cell_max;
                if is_possible && game.map.terrain(self.place.cell).is_ground() {
                    let more = Pool { amount: pool.amount + 1, ..pool };
                    self.draft.water.set(&game.map, self.place.cell, Some(more));
                    self.place.tank -= 1;
                }
            }
        }
    }

    /// Goes the quickest way to a cell with a property. False if there is none. No other robot of
    /// the team is sent to the same cell.
    pub fn go(&mut self, is_goal: impl Fn(&Water, Cell) -> bool) -> bool {
        let (water, claimed) = (&self.draft.water, &self.draft.claimed);
        let way = self
            .game()
            .way(self.place.cell, |cell| is_goal(water, cell) && !claimed.contains(&cell));
        let Some((way, goal)) = way else { return false };
        for direction in way {
            self.push(Command::Move(direction));
        }
        if self.place.cell != goal {
            self.draft.claimed.push(goal);
        }
        true
    }

    /// Does a job until the session is full or there is nothing left to do.
    pub fn follow(&mut self, job: Job) {
        while !self.is_full() && self.advance(job) {}
    }

    /// Does the next thing of a job; false if there is nothing to do.
    pub fn advance(&mut self, job: Job) -> bool {
        let map = self.draft.map();
        let is_ground = map.terrain(self.place.cell).is_ground();
        let own_here = match self.pool() {
            Some(pool) if self.owns(pool) => Some(pool.amount),
            Some(_) => None,
            None => Some(0),
        };
        match job {
            Job::Paint { pours } => {
                if self.place.tank == 0 {
                    return false;
                }
                if is_ground && own_here.is_some_and(|amount| amount < pours) {
                    self.push(Command::Act);
                    return true;
                }
                self.go(|water, cell| map.terrain(cell).is_ground() && water.at(cell).is_none())
            }
            Job::Suck { team } => {
                if is_ground && (own_here.is_none() || own_here == Some(0) && self.place.tank > 0) {
                    self.push(Command::Act);
                    return true;
                }
                let own = self.team as u8;
                let is_target =
                    |pool: Pool| pool.team != own && team.is_none_or(|team| team == pool.team);
                let has_water = |&other: &u8| self.draft.water.n_own(other.into()) > 0;
                let mut others = (0..map.n_teams() as u8).filter(has_water);
                if !others.any(|other| is_target(Pool { team: other, amount: 1 })) {
                    return false;
                }
                self.go(|water, cell| water.at(cell).is_some_and(is_target))
            }
            Job::Refill { units } => {
                if self.place.tank >= units.min(self.game().settings.tank_max) {
                    return false;
                }
                if map.terrain(self.place.cell) == Terrain::Jar {
                    self.push(Command::Act);
                    return true;
                }
                let before = self.draft.claimed.len();
                let went = self.go(|_, cell| map.terrain(cell) == Terrain::Jar);
                // A jar serves everyone.
                self.draft.claimed.truncate(before);
                went
            }
            Job::Straight { direction, pours } => {
                let is_open = map.terrain(self.place.cell.step(direction.into())).is_open();
                let does_pour = is_ground && self.place.tank > 0 && !self.place.plan.is_empty();
                if does_pour && own_here.is_some_and(|amount| amount < pours) {
                    self.push(Command::Act);
                    return true;
                }
                if is_open {
                    self.push(Command::Move(direction));
                }
                is_open
            }
            Job::Pour => {
                let is_possible = is_ground && self.place.tank > 0 && own_here.is_some();
                if is_possible {
                    self.push(Command::Act);
                }
                is_possible
            }
        }
    }
}
