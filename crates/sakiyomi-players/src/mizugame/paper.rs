//! The player of Takeshita, Hashimoto and Akama: drive to a jar and fill the tank for the whole match,
//! then search all short plans and take the one with the best evaluation.
//!
//! Three simplifications make the search small enough: the enemies stay as they are; each robot is
//! searched for alone; and a move into a cell without water is always followed by pouring. Each can be
//! left out by its setting, to measure what it is worth. Sucking goes on until the cell is empty, in the search and
//! outside it. What the paper leaves open: a robot that has no plan which changes anything goes to the
//! nearest cell that it could paint, and one that runs dry goes back to a jar.

use sakiyomi_core::{Agent, Budget, Choice, Context, Forfeit, Meter, Player};
use sakiyomi_games::Mizugame;
use sakiyomi_games::mizugame::plans::{Draft, Job, Place, Writer};
use sakiyomi_games::mizugame::{
    Cell, Command, Field, Map, Orders, Pool, Position, TEAM_ROBOTS, Terrain, Water,
};

use crate::{Declaration, PlayerOf};

pub(super) const PLAYER: PlayerOf<Mizugame> = PlayerOf {
    declaration: &Declaration::searching(
        "mizugame-paper",
        "the paper's player of Mizugame: fills up, then searches 4 moves of each robot alone",
        "leaves of all searches of a session; 4 moves, if nothing is said",
    ),
    make: |settings| Box::new(PaperPlayer::new(PaperSettings::default(), settings.own_budget())),
};

/// The rules of the player; the default is the paper's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperSettings {
    /// The first simplification. Otherwise enemies choose what is worst for the team.
    pub freezes_enemies: bool,
    /// The second simplification. Otherwise the plans of the three robots are searched together.
    pub searches_each_alone: bool,
    /// The third simplification: a ply is a move with all the pouring or sucking that follows it.
    /// Otherwise it is one of seven commands.
    pub always_pours: bool,
    /// Plies of a plan, if there is no budget.
    pub depth: usize,
    /// Points for a cell that scores, for an enemy's, and for an own one with two units or more.
    pub own_cell: i32,
    pub enemy_cell: i32,
    pub deep_cell: i32,
    /// A robot within this distance costs one point, and one more for each cell that it is closer.
    pub shy_distance: u32,
    /// Units that a cell gets, and in the last sessions.
    pub pours: u8,
    pub late_pours: u8,
    pub late_sessions: u16,
    /// Units that a robot takes for 100 sessions.
    pub fill: u32,
}

impl Default for PaperSettings {
    fn default() -> PaperSettings {
        PaperSettings {
            freezes_enemies: true,
            searches_each_alone: true,
            always_pours: true,
            depth: 4,
            own_cell: 20,
            enemy_cell: -10,
            deep_cell: 1,
            shy_distance: 5,
            pours: 2,
            late_pours: 1,
            late_sessions: 20,
            fill: 170,
        }
    }
}

/// The most plies of a search with a budget.
const MAX_DEPTH: usize = 16;

/// The paper's player for one match.
#[derive(Clone, Debug)]
pub struct PaperPlayer {
    settings: PaperSettings,
    budget: Option<Budget>,
    /// How much each robot is filling its tank up to, while it does.
    filling: [Option<u32>; TEAM_ROBOTS],
    has_begun: bool,
    depth_reached: usize,
}

impl PaperPlayer {
    pub fn new(settings: PaperSettings, budget: Option<Budget>) -> PaperPlayer {
        PaperPlayer {
            settings,
            budget,
            filling: [None; TEAM_ROBOTS],
            has_begun: false,
            depth_reached: 0,
        }
    }

    /// The deepest search that was completed in the last decision, of any robot.
    pub fn depth_reached(&self) -> usize {
        self.depth_reached
    }

    /// The jar first: what is left to fill, if the robot has not finished with that.
    fn fill(&mut self, writer: &mut Writer<'_, '_>, robot: usize, sessions_left: u16) {
        if self.filling[robot].is_none() && writer.place.tank == 0 {
            self.filling[robot] = Some(self.settings.fill * u32::from(sessions_left) / 100);
        }
        let Some(units) = self.filling[robot] else { return };
        writer.follow(Job::Refill { units });
        if writer.place.tank >= units || !writer.is_full() {
            self.filling[robot] = None;
        }
    }

    fn pours(&self, sessions_left: u16) -> u8 {
        match sessions_left <= self.settings.late_sessions {
            true => self.settings.late_pours,
            false => self.settings.pours,
        }
    }
}

impl Agent<Mizugame> for PaperPlayer {
    fn choose(
        &mut self,
        game: &Mizugame,
        position: &Position,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Orders>, Forfeit> {
        let (game, team) = (game.field(position), player.index());
        let seen = game.foreseen_by(position, player);
        let sessions_left = game.settings().sessions - seen.session;
        let pours = self.pours(sessions_left);
        if !self.has_begun {
            self.filling = [Some(self.settings.fill * u32::from(sessions_left) / 100); TEAM_ROBOTS];
            self.has_begun = true;
        }
        let mut draft = Draft::new(game, &seen);
        let mut orders = Orders::NONE;
        let mut ready: Vec<(usize, Place)> = Vec::new();
        for robot in 0..TEAM_ROBOTS {
            let mut writer = draft.robot(team, robot);
            self.fill(&mut writer, robot, sessions_left);
            if self.filling[robot].is_none() {
                finish_cell(&mut writer, pours);
            }
            orders.0[robot] = writer.place.plan;
            if !writer.is_full() {
                let place = writer.place;
                draft.robots[team * TEAM_ROBOTS + robot].cell = place.cell;
                draft.robots[team * TEAM_ROBOTS + robot].tank = place.tank;
                ready.push((robot, place));
            }
        }
        self.depth_reached = 0;
        let groups: Vec<&[(usize, Place)]> = match self.settings.searches_each_alone {
            true => ready.chunks(1).collect(),
            false => ready.chunks(TEAM_ROBOTS).collect(),
        };
        let mut n_leaves = 0;
        for &group in &groups {
            let budget = self.budget.map(|budget| share(&budget, groups.len()));
            let mut meter = budget.map(|budget| budget.begin(context.stop));
            let robots: Vec<usize> = group.iter().map(|ready| ready.0).collect();
            let mut search = Search::new(game, &self.settings, &draft, team, &robots, pours);
            context.rng.shuffle(&mut search.directions);
            let lines = search.run(meter.as_mut());
            self.depth_reached = self.depth_reached.max(search.depth_reached);
            n_leaves += search.n_leaves;
            for (&(robot, place), line) in group.iter().zip(&lines) {
                // What the others are about to do is not taken into account.
                let mut draft = draft.clone();
                let mut writer = draft.resume(team, place);
                self.carry_out(&mut writer, line, pours);
                orders.0[robot] = writer.place.plan;
            }
        }
        Ok(Choice {
            action: orders,
            policy: vec![(orders, 1.0)],
            value: None,
            iterations: n_leaves,
            nodes: n_leaves,
        })
    }
}

impl PaperPlayer {
    /// Writes the commands of a plan; one that changes nothing is replaced by going somewhere else.
    fn carry_out(&self, writer: &mut Writer<'_, '_>, line: &[Step], pours: u8) {
        let before = writer.draft.water.clone();
        let changes = {
            let mut trial = writer.draft.clone();
            let mut probe = Probe { cell: writer.place.cell, tank: writer.place.tank };
            line.iter().for_each(|&step| probe.take(&mut trial, writer.team, step, pours));
            trial.water != before
        };
        if !changes && self.settings.always_pours {
            let paint = Job::Paint { pours };
            while !writer.is_full()
                && (writer.advance(paint) || writer.advance(Job::Suck { team: None }))
            {}
            return;
        }
        for &step in line {
            match step {
                Step::Stay => writer.push(Command::Wait),
                Step::Act => writer.push(Command::Act),
                Step::Move(direction) => {
                    writer.push(Command::Move(direction));
                    if self.settings.always_pours {
                        finish_cell(writer, pours);
                    }
                }
            }
        }
    }
}

/// What the paper's player would order with plans of this depth if its robots had nothing left to fill:
/// a guess of what any team does next.
pub(super) fn predicted_orders(
    game: &Field,
    position: &Position,
    team: usize,
    depth: usize,
) -> Orders {
    let settings = PaperSettings { depth, ..PaperSettings::default() };
    let player = PaperPlayer { has_begun: true, ..PaperPlayer::new(settings, None) };
    let pours = player.pours(game.settings().sessions - position.session);
    let mut draft = Draft::new(game, position);
    let mut orders = Orders::NONE;
    for robot in 0..TEAM_ROBOTS {
        let mut writer = draft.robot(team, robot);
        let at_jar = game.map().terrain(writer.place.cell) == Terrain::Jar;
        if at_jar || writer.place.tank == 0 {
            // It goes on filling, or begins to.
            writer.follow(Job::Refill { units: u32::MAX });
        }
        finish_cell(&mut writer, pours);
        let place = writer.place;
        if !writer.is_full() {
            draft.robots[team * TEAM_ROBOTS + robot].cell = place.cell;
            draft.robots[team * TEAM_ROBOTS + robot].tank = place.tank;
            let mut search = Search::new(game, &settings, &draft, team, &[robot], pours);
            let lines = search.run(None);
            let mut trial = draft.clone();
            let mut writer = trial.resume(team, place);
            player.carry_out(&mut writer, &lines[0], pours);
            orders.0[robot] = writer.place.plan;
        } else {
            orders.0[robot] = place.plan;
        }
    }
    orders
}

/// The part of a budget for one of `n` searches that run one after the other.
fn share(budget: &Budget, n: usize) -> Budget {
    let part = budget.share(0, n as u64);
    Budget { wall: budget.wall.map(|wall| wall / n as u32), ..part }
}

/// Empties a cell with another team's water and pours what the cell is to get.
fn finish_cell(writer: &mut Writer<'_, '_>, pours: u8) {
    let own = writer.team as u8;
    while !writer.is_full() && writer.game().map().terrain(writer.place.cell).is_ground() {
        let pool = writer.pool();
        let is_enemy = pool.is_some_and(|pool| pool.team != own);
        let amount = pool.map_or(0, |pool| pool.amount);
        if !is_enemy && (amount >= pours || writer.place.tank == 0) {
            break;
        }
        writer.push(Command::Act);
    }
}

/// What a robot does in one ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Move(u8),
    Act,
    /// It has nowhere to go.
    Stay,
}

/// A robot that tries a plan.
struct Probe {
    cell: Cell,
    tank: u32,
}

impl Probe {
    fn take(&mut self, draft: &mut Draft<'_>, team: usize, step: Step, pours: u8) {
        let Step::Move(direction) = step else { return };
        self.cell = self.cell.step(direction.into());
        let change = visit(draft.map(), &draft.water, team as u8, self.cell, self.tank, pours);
        if let Some((pool, tank)) = change {
            draft.water.set(draft.map(), self.cell, Some(pool));
            self.tank = tank;
        }
    }
}

/// What a visit with all its sucking and pouring leaves on a cell and in the tank, if it changes
/// anything.
fn visit(
    map: &Map,
    water: &Water,
    team: u8,
    cell: Cell,
    tank: u32,
    pours: u8,
) -> Option<(Pool, u32)> {
    if !map.terrain(cell).is_ground() {
        return None;
    }
    let (amount, tank) = match water.at(cell) {
        None => (0, tank),
        Some(pool) if pool.team == team => return None,
        Some(pool) => (0, tank + u32::from(pool.amount)),
    };
    let poured = (u32::from(pours)).min(tank) as u8;
    let is_change = poured > 0 || water.at(cell).is_some();
    is_change.then_some((Pool { team, amount: amount + poured }, tank - u32::from(poured)))
}

/// A full-width search of short plans.
struct Search<'a> {
    game: &'a Field,
    settings: &'a PaperSettings,
    water: Water,
    robots: Vec<SearchRobot>,
    team: usize,
    /// The robots that choose in a ply, the own ones first.
    choosing: Vec<usize>,
    n_own: usize,
    pours: u8,
    directions: [u8; 6],
    depth: usize,
    depth_reached: usize,
    n_leaves: u64,
    is_out_of_budget: bool,
}

#[derive(Clone, Copy, Debug)]
struct SearchRobot {
    cell: Cell,
    previous: Cell,
    tank: u32,
}

impl<'a> Search<'a> {
    fn new(
        game: &'a Field,
        settings: &'a PaperSettings,
        draft: &Draft<'_>,
        team: usize,
        group: &[usize],
        pours: u8,
    ) -> Search<'a> {
        let robots: Vec<SearchRobot> = draft
            .robots
            .iter()
            .map(|robot| SearchRobot { cell: robot.cell, previous: robot.cell, tank: robot.tank })
            .collect();
        let own = group.iter().map(|robot| team * TEAM_ROBOTS + robot);
        let is_enemy = |robot: &usize| robot / TEAM_ROBOTS != team;
        let enemies = (0..robots.len()).filter(is_enemy).filter(|_| !settings.freezes_enemies);
        Search {
            game,
            settings,
            water: draft.water.clone(),
            choosing: own.chain(enemies).collect(),
            robots,
            team,
            n_own: group.len(),
            pours,
            directions: [0, 1, 2, 3, 4, 5],
            depth: 0,
            depth_reached: 0,
            n_leaves: 0,
            is_out_of_budget: false,
        }
    }

    /// The best plan of each own robot: with a budget the one of the deepest search that it allows.
    fn run(&mut self, mut meter: Option<&mut Meter<'_>>) -> Vec<Vec<Step>> {
        let mut best = vec![Vec::new(); self.n_own];
        let first = if meter.is_some() { 1 } else { self.settings.depth };
        let last = if meter.is_some() { MAX_DEPTH } else { self.settings.depth };
        for depth in first..=last {
            self.depth = depth;
            let mut lines = vec![Vec::new(); self.n_own];
            let mut line = Vec::new();
            self.best(0, &mut line, meter.as_deref_mut());
            for (ply, steps) in line.chunks(self.choosing.len().max(1)).enumerate() {
                debug_assert!(ply < depth);
                for (own, step) in lines.iter_mut().zip(steps) {
                    own.push(*step);
                }
            }
            let is_first = best.iter().all(Vec::is_empty);
            if !self.is_out_of_budget || is_first {
                best = lines;
            }
            if self.is_out_of_budget {
                break;
            }
            self.depth_reached = depth;
        }
        best
    }

    /// The value of the best plan from here, whose steps are written to `line`.
    fn best(&mut self, n: usize, line: &mut Vec<Step>, mut meter: Option<&mut Meter<'_>>) -> i32 {
        line.clear();
        if n == self.depth * self.choosing.len() {
            self.n_leaves += 1;
            if meter.as_deref_mut().is_some_and(|meter| !meter.another()) {
                self.is_out_of_budget = true;
            }
            return self.evaluate();
        }
        let robot = self.choosing[n % self.choosing.len()];
        let is_own = robot / TEAM_ROBOTS == self.team;
        let mut best: Option<i32> = None;
        let mut rest = Vec::new();
        let before = self.robots[robot];
        for step in self.steps(robot).into_iter().flatten() {
            let undo = self.take(robot, step);
            let value = self.best(n + 1, &mut rest, meter.as_deref_mut());
            self.robots[robot] = before;
            if let Some((cell, pool)) = undo {
                self.water.set(self.game.map(), cell, pool);
            }
            let is_better =
                best.is_none_or(|best| if is_own { value > best } else { value < best });
            if is_better {
                best = Some(value);
                line.clear();
                line.push(step);
                line.extend_from_slice(&rest);
            }
            if self.is_out_of_budget {
                break;
            }
        }
        best.unwrap_or_default()
    }

    /// The steps that a robot may take: not into walls and not back to where it comes from.
    fn steps(&self, robot: usize) -> [Option<Step>; 7] {
        let SearchRobot { cell, previous, .. } = self.robots[robot];
        let mut steps = [None; 7];
        for (slot, &direction) in steps.iter_mut().zip(&self.directions) {
            let to = cell.step(direction.into());
            if self.game.map().terrain(to).is_open() && to != previous {
                *slot = Some(Step::Move(direction));
            }
        }
        if !self.settings.always_pours {
            steps[6] = Some(Step::Act);
        } else if steps.iter().all(Option::is_none) {
            steps[6] = Some(Step::Stay);
        }
        steps
    }

    /// Takes a step and returns what was on the cell whose water has changed.
    fn take(&mut self, robot: usize, step: Step) -> Option<(Cell, Option<Pool>)> {
        let map = self.game.map();
        let own = (robot / TEAM_ROBOTS) as u8;
        let here = &mut self.robots[robot];
        let (cell, pool, tank) = match step {
            Step::Stay => return None,
            Step::Move(direction) => {
                here.previous = here.cell;
                here.cell = here.cell.step(direction.into());
                if !self.settings.always_pours {
                    return None;
                }
                let (cell, tank) = (here.cell, here.tank);
                let (pool, tank) = visit(map, &self.water, own, cell, tank, self.pours)?;
                (cell, pool, tank)
            }
            Step::Act => {
                here.previous = here.cell;
                let terrain = map.terrain(here.cell);
                match self.water.at(here.cell) {
                    _ if terrain == Terrain::Jar => {
                        here.tank += u32::from(self.game.settings().refill_units);
                        return None;
                    }
                    Some(pool) if pool.team != own => {
                        let left = Pool { amount: pool.amount - 1, ..pool };
                        (here.cell, left, here.tank + u32::from(self.game.settings().suck_gain))
                    }
                    pool => {
                        let pool = pool.unwrap_or(Pool { team: own, amount: 0 });
                        if here.tank == 0 || pool.amount >= self.game.settings().cell_max {
                            return None;
                        }
                        let more = Pool { amount: pool.amount + 1, ..pool };
                        (here.cell, more, here.tank - 1)
                    }
                }
            }
        };
        here.tank = tank;
        let before = self.water.at(cell);
        self.water.set(map, cell, Some(pool));
        Some((cell, before))
    }

    fn evaluate(&self) -> i32 {
        let PaperSettings { own_cell, enemy_cell, deep_cell, shy_distance, .. } = *self.settings;
        let teams = 0..self.game.n_teams();
        let cells: i32 = teams
            .map(|team| {
                let worth = if team == self.team { own_cell } else { enemy_cell };
                worth * self.water.score(team) as i32
            })
            .sum();
        let mut shy = 0;
        for &robot in &self.choosing[..self.n_own] {
            let here = self.robots[robot].cell;
            for (other, there) in self.robots.iter().enumerate() {
                let distance = there.cell.distance(here);
                if other != robot && distance <= shy_distance {
                    shy += (shy_distance + 1 - distance) as i32;
                }
            }
        }
        cells + deep_cell * self.water.n_deep(self.team) as i32 - shy
    }
}
