//! Our player. What the paper leaves open is built here:
//!
//! - A plan is searched for in frames, so that what takes long is worth less: a beam over what a robot
//!   can do on its way, with all plans of about the same length compared with each other.
//! - The three robots are planned together: each in turn, with the plans of the other two carried out,
//!   until a sweep over all three brings nothing more (coordinate ascent).
//! - The others are not frozen: what they do until our orders take effect is predicted by a short search
//!   of their own.
//! - A cell of a rival is worth what it means for the place, by scores and time left, not a constant,
//!   and more if that team has taken own cells. Teams that leave each other alone stay that way.
//! - A cell near robots of others is worth less, since it will not last, and a second unit is worth as
//!   much as a cell: those who reckon in time take cells with one unit first.
//!
//! Robots take half as much water as the paper's at first and go back to a jar when they are dry.

use std::rc::Rc;

use sakiyomi_core::{Agent, Budget, Choice, Context, Forfeit, Meter, Player};
use sakiyomi_games::Mizugame;
use sakiyomi_games::mizugame::plans::{Draft, Job, Place, Writer};
use sakiyomi_games::mizugame::{
    Cell, Command, Deed, Field, MAX_TEAMS, Orders, Plan, Pool, Position, TEAM_ROBOTS, Water,
};

use super::paper::predicted_orders;
use super::worth::Worth;
use crate::{Declaration, PlayerOf};

pub(super) const PLAYER: PlayerOf<Mizugame> = PlayerOf {
    declaration: &Declaration::searching(
        "mizugame-best",
        "our strongest player of Mizugame: robots planned together against predicted others",
        "plans that are looked at in a session; 20,000 if nothing is said",
    ),
    make: |settings| {
        let budget = settings.own_budget().unwrap_or_else(|| Budget::iterations(DEFAULT_PLANS));
        Box::new(BestPlayer::new(BestSettings::new(budget)))
    },
};

/// What the player does; the default is what plays best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestSettings {
    /// Within it beams get wider and wider. Iterations are plans that are looked at.
    pub budget: Budget,
    /// Units that a robot takes at first, for 100 sessions, and whenever it has run dry.
    pub fill: u32,
    pub refill: u32,
    /// Frames that a plan looks ahead.
    pub horizon: u32,
    /// A gain after this time counts e times less.
    pub patience: f64,
    /// The worth of a second unit on a cell, in cells.
    pub deep_cell: f64,
    /// A second unit loses its worth in the last part of a match, which is one over this.
    pub fade: f64,
    /// What all cells of the others together are worth, in own cells, if all were equal.
    pub rivalry: f64,
    /// The worth of neighbours that are still to be had at the end of a plan.
    pub outlook: f64,
    /// Plies of the search by which the others are predicted; 0 freezes them.
    pub prediction: usize,
    /// With a robot of another team on it a cell is worth 1 / (1 + threat), less so up to a distance of 5.
    pub threat: f64,
    /// How much more a cell of the team is worth, in own cells, that has taken all the own cells that were lost.
    pub grudge: f64,
}

impl BestSettings {
    pub fn new(budget: Budget) -> BestSettings {
        BestSettings {
            budget,
            fill: 80,
            refill: 60,
            horizon: 600,
            patience: 400.0,
            deep_cell: 1.0,
            fade: 4.0,
            rivalry: 0.6,
            grudge: 2.0,
            threat: 0.5,
            outlook: 0.05,
            prediction: 2,
        }
    }
}

/// Plans that are looked at in a decision, if nothing is said.
const DEFAULT_PLANS: u64 = 20_000;
/// The widths of beams: the first, and the widest.
const FIRST_WIDTH: usize = 2;
const MAX_WIDTH: usize = 1 << 12;
/// Units that a cell gets at most.
const MAX_UNITS: u8 = 2;
/// Plans whose lengths differ by less than this are compared with each other.
const BUCKET_FRAMES: u32 = 20;

/// The player for one match.
#[derive(Clone, Debug)]
pub struct BestPlayer {
    settings: BestSettings,
    /// How much each robot is filling its tank up to, while it does.
    filling: [Option<u32>; TEAM_ROBOTS],
    has_begun: bool,
    /// The own cells when it was asked last, and by team how many were lost since, the latest counting most.
    cells: Vec<Cell>,
    losses: [f64; MAX_TEAMS],
}

impl BestPlayer {
    pub fn new(settings: BestSettings) -> BestPlayer {
        BestPlayer {
            settings,
            filling: [None; TEAM_ROBOTS],
            has_begun: false,
            cells: Vec::new(),
            losses: [0.0; MAX_TEAMS],
        }
    }

    /// Counts who has taken cells from the team.
    fn remember(&mut self, water: &Water, team: usize) {
        const KEPT: f64 = 0.95;
        self.losses.iter_mut().for_each(|losses| *losses *= KEPT);
        for pool in self.cells.iter().filter_map(|&cell| water.at(cell)) {
            if usize::from(pool.team) != team {
                self.losses[usize::from(pool.team)] += 1.0;
            }
        }
        self.cells.clear();
        self.cells.extend(water.cells_of(team));
    }

    /// What is expected to be there when the orders begin to be carried out.
    fn expected(&self, game: &Field, position: &Position, player: Player) -> Position {
        let mut seen = position.seen_by(player).into_owned();
        if game.settings().latency > 0 {
            let mut orders = seen.pending;
            if self.settings.prediction > 0 {
                for team in (0..game.n_teams()).filter(|&team| team != player.index()) {
                    orders[team] = predicted_orders(game, &seen, team, self.settings.prediction);
                }
            }
            game.run_session(&mut seen, &orders[..game.n_teams()]);
            seen.pending = [Orders::NONE; MAX_TEAMS];
        }
        seen
    }

    /// The jar first, if the robot is to fill its tank. Whether it has nothing else to do.
    fn fill(&mut self, draft: &mut Draft<'_>, team: usize, robot: usize, left: u16) -> Place {
        let mut writer = draft.robot(team, robot);
        if self.filling[robot].is_none()
            && writer.place.tank == 0
            && self.is_worth_a_trip(&writer, left)
        {
            self.filling[robot] = Some(self.settings.refill);
        }
        if let Some(units) = self.filling[robot] {
            writer.follow(Job::Refill { units });
            if writer.place.tank >= units || !writer.is_full() {
                self.filling[robot] = None;
            }
        }
        writer.place
    }

    /// Whether there are cells enough without water near the robot, and time to go to a jar.
    fn is_worth_a_trip(&self, writer: &Writer<'_, '_>, sessions_left: u16) -> bool {
        const NEAR: u32 = 8;
        const FREE: usize = 15;
        const SESSIONS: u16 = 15;
        let map = writer.draft.map();
        let is_free = |cell: &Cell| {
            map.terrain(*cell).is_ground()
                && writer.draft.water.at(*cell).is_none()
                && cell.distance(writer.place.cell) <= NEAR
        };
        sessions_left > SESSIONS && Cell::all().filter(is_free).count() >= FREE
    }
}

impl Agent<Mizugame> for BestPlayer {
    fn choose(
        &mut self,
        game: &Mizugame,
        position: &Position,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Orders>, Forfeit> {
        let mut meter = self.settings.budget.begin(context.stop);
        let (game, team) = (game.field(position), player.index());
        self.remember(&position.water, team);
        let expected = self.expected(game, position, player);
        let left = game.settings().sessions - expected.session;
        if !self.has_begun {
            let units = self.settings.fill * u32::from(left) / 100;
            self.filling = [Some(units.max(1)); TEAM_ROBOTS];
            self.has_begun = true;
        }
        let mut draft = Draft::new(game, &expected);
        let places: [Place; TEAM_ROBOTS] =
            std::array::from_fn(|robot| self.fill(&mut draft, team, robot, left));
        let worth = Worth::new(game, &expected, team, &self.settings, &self.losses);
        let mut squad = Planner {
            game,
            team,
            settings: &self.settings,
            worth,
            frames_left: u32::from(left) * u32::from(game.settings().session_frames),
            water: draft.water.clone(),
            plans: std::array::from_fn(|_| BeamPlan::default()),
            places,
            discounts: (0..=self.settings.horizon + 120)
                .scan(1.0, |discount, _| {
                    let now = *discount;
                    *discount *= (-1.0 / self.settings.patience).exp();
                    Some(now)
                })
                .collect(),
        };
        squad.run(&mut meter);
        let mut orders = Orders::NONE;
        for robot in 0..TEAM_ROBOTS {
            orders.0[robot] = squad.commands(&draft, robot);
        }
        Ok(Choice {
            action: orders,
            policy: vec![(orders, 1.0)],
            value: None,
            iterations: meter.done(),
            nodes: meter.done(),
        })
    }
}

/// The plans of the three robots while they are improved.
struct Planner<'a> {
    game: &'a Field,
    team: usize,
    settings: &'a BestSettings,
    worth: Worth,
    /// Until the end of the match.
    frames_left: u32,
    /// Before anything is done.
    water: Water,
    places: [Place; TEAM_ROBOTS],
    plans: [BeamPlan; TEAM_ROBOTS],
    /// By frame: what part of a gain counts.
    discounts: Vec<f64>,
}

/// What one robot is going to do.
#[derive(Clone, Debug, Default)]
struct BeamPlan {
    commands: Vec<Command>,
    changes: Vec<(Cell, Pool)>,
}

impl Planner<'_> {
    /// Sweeps over the robots with wider and wider beams.
    fn run(&mut self, meter: &mut Meter<'_>) {
        let mut width = FIRST_WIDTH;
        while width <= MAX_WIDTH {
            for robot in 0..TEAM_ROBOTS {
                if self.places[robot].is_full(self.game) {
                    continue;
                }
                let mut water = self.water.clone();
                for other in (0..TEAM_ROBOTS).filter(|&other| other != robot) {
                    for &(cell, pool) in &self.plans[other].changes {
                        water.set(self.game.map(), cell, Some(pool));
                    }
                }
                let (plan, is_complete) = self.beam(robot, water, width, meter);
                // What was cut short is better than nothing, but not than a plan with a narrower beam.
                if is_complete || self.plans[robot].commands.is_empty() {
                    self.plans[robot] = plan;
                }
                if !is_complete {
                    return;
                }
            }
            width *= 2;
        }
    }

    /// The commands of a robot: what is settled, then its plan, or a walk to where there is something
    /// to do.
    fn commands(&self, draft: &Draft<'_>, robot: usize) -> Plan {
        let place = self.places[robot];
        let mut draft = draft.clone();
        for other in (0..TEAM_ROBOTS).filter(|&other| other != robot) {
            for &(cell, pool) in &self.plans[other].changes {
                draft.water.set(self.game.map(), cell, Some(pool));
            }
        }
        let mut writer = draft.resume(self.team, place);
        if self.plans[robot].changes.is_empty() {
            let paint = Job::Paint { pours: 1 };
            while !writer.is_full()
                && (writer.advance(paint) || writer.advance(Job::Suck { team: None }))
            {}
        }
        for &command in &self.plans[robot].commands {
            writer.push(command);
        }
        writer.place.plan
    }

    /// The best plan of one robot that a beam of this width finds, as far as it came within the budget,
    /// and whether it came to the end.
    fn beam(
        &self,
        robot: usize,
        water: Water,
        width: usize,
        meter: &mut Meter<'_>,
    ) -> (BeamPlan, bool) {
        let horizon = self.settings.horizon.min(self.frames_left);
        let n_buckets = (horizon / BUCKET_FRAMES) as usize + 1;
        let mut buckets: Vec<Vec<Node>> = (0..n_buckets).map(|_| Vec::new()).collect();
        let start = self.places[robot];
        let root = Node {
            cell: start.cell,
            tank: start.tank,
            frame: start.frames,
            value: 0.0,
            rank: 0.0,
            hash: 0,
            parent: None,
            doing: Doing::default(),
        };
        let first = (start.frames / BUCKET_FRAMES) as usize;
        if let Some(bucket) = buckets.get_mut(first) {
            bucket.push(root);
        }
        let mut best: Option<Rc<Done>> = None;
        let mut children = Vec::new();
        let water = Rc::new(water);
        for i in first..n_buckets {
            let mut nodes = std::mem::take(&mut buckets[i]);
            keep_best(&mut nodes, width);
            for node in nodes {
                if !meter.another() {
                    return (best.map(|best| best.plan()).unwrap_or_default(), false);
                }
                let mut water = self.carry_out(&node, &water);
                self.expand(&node, &mut water, &mut children);
                let done = Rc::new(Done { node, water });
                if best.as_ref().is_none_or(|best| done.node.rank > best.node.rank) {
                    best = Some(Rc::clone(&done));
                }
                for mut child in children.drain(..) {
                    if let Some(bucket) = buckets.get_mut((child.frame / BUCKET_FRAMES) as usize) {
                        child.parent = Some(Rc::clone(&done));
                        bucket.push(child);
                    }
                }
            }
        }
        (best.map(|best| best.plan()).unwrap_or_default(), true)
    }

    /// The water that a plan leaves.
    fn carry_out(&self, node: &Node, start: &Rc<Water>) -> Water {
        let mut water = match &node.parent {
            Some(parent) => parent.water.clone(),
            None => (**start).clone(),
        };
        if let Some(pool) = node.doing.pool {
            water.set(self.game.map(), node.cell, Some(pool));
        }
        water
    }

    /// All that a robot can do next: on its cell, if it has just begun, and on its neighbours. The water is
    /// left as it was.
    fn expand(&self, here: &Node, water: &mut Water, out: &mut Vec<Node>) {
        let before = self.worth.of(water);
        if here.parent.is_none() {
            self.visit(here, water, before, None, out);
        }
        let previous = here.parent.as_ref().map(|parent| parent.node.cell);
        for direction in 0..6 {
            let to = here.cell.step(direction);
            // Going back makes sense only after something was done.
            let turns_back = Some(to) == previous && here.doing.pool.is_none();
            if self.game.map().terrain(to).is_open() && !turns_back {
                self.visit(here, water, before, Some(direction as u8), out);
            }
        }
    }

    /// What can be done on the own cell or a neighbour: nothing, pour, or empty it and pour.
    fn visit(
        &self,
        from: &Node,
        water: &mut Water,
        before: f64,
        direction: Option<u8>,
        out: &mut Vec<Node>,
    ) {
        let (map, settings) = (self.game.map(), self.game.settings());
        let own = self.team as u8;
        let (mut cell, mut frame) = (from.cell, from.frame);
        if let Some(direction) = direction {
            frame += u32::from(self.game.frames(cell, Deed::Move(direction)));
            cell = cell.step(direction.into());
        }
        let outlook = self.settings.outlook * self.outlook(water, cell);
        let mut put = |n_acts: u32, pool: Option<Pool>, gain: f64, tank: u32, frame: u32| {
            if frame <= self.frames_left {
                let discount = self.discount(frame);
                let doing = Doing { direction, n_acts: n_acts as u8, pool };
                let worth = [gain * discount, outlook * discount];
                out.push(from.next(cell, tank, frame, worth, doing));
            }
        };
        let mut tank = from.tank;
        if direction.is_some() {
            put(0, None, 0.0, tank, frame);
        }
        if !map.terrain(cell).is_ground() {
            return;
        }
        let old = water.at(cell);
        let mut gain_of = |pool: Option<Pool>| {
            water.set(map, cell, pool);
            let gain = (self.worth.of(water) - before) * self.worth.safety[cell.index()];
            water.set(map, cell, old);
            gain
        };
        let (mut n_sucks, mut amount, mut gain) = (0, 0, 0.0);
        match old {
            Some(pool) if pool.team == own => amount = pool.amount,
            Some(pool) => {
                n_sucks = u32::from(pool.amount);
                tank += n_sucks * u32::from(settings.suck_gain);
                frame += n_sucks * u32::from(self.game.frames(cell, Deed::Suck));
                put(n_sucks, Some(Pool { amount: 0, ..pool }), gain_of(None), tank, frame);
            }
            None => {}
        }
        let depth = MAX_UNITS.min(settings.cell_max);
        let most = u32::from(depth.saturating_sub(amount)).min(tank);
        if most > 0 && amount == 0 {
            gain = gain_of(Some(Pool { team: own, amount: 1 }));
        }
        let pour = u32::from(self.game.frames(cell, Deed::Pour));
        for n in 1..=most {
            let pool = Pool { team: own, amount: amount + n as u8 };
            let gain = gain + if pool.amount > 1 { self.worth.deep } else { 0.0 };
            put(n_sucks + n, Some(pool), gain, tank - n, frame + n * pour);
        }
    }

    /// What part of a gain counts that comes at a frame.
    fn discount(&self, frame: u32) -> f64 {
        match self.discounts.get(frame as usize) {
            Some(&discount) => discount,
            None => (-f64::from(frame) / self.settings.patience).exp(),
        }
    }

    /// How many neighbours of a cell are still to be had.
    fn outlook(&self, water: &Water, cell: Cell) -> f64 {
        let is_open = |cell: &Cell| {
            self.game.map().terrain(*cell).is_ground()
                && water.at(*cell).is_none_or(|pool| usize::from(pool.team) != self.team)
        };
        cell.neighbours().iter().filter(|cell| is_open(cell)).count() as f64
    }
}

/// A plan up to a place, not carried out yet.
#[derive(Clone, Debug)]
struct Node {
    cell: Cell,
    tank: u32,
    frame: u32,
    /// What it has brought.
    value: f64,
    /// By what it is compared: the value and the outlook.
    rank: f64,
    /// Of all changes.
    hash: u64,
    parent: Option<Rc<Done>>,
    doing: Doing,
}

impl Node {
    /// The plan with one thing more: where it leads and when, what that brings and promises.
    fn next(
        &self,
        cell: Cell,
        tank: u32,
        frame: u32,
        [gain, outlook]: [f64; 2],
        doing: Doing,
    ) -> Node {
        let value = self.value + gain;
        let change = doing.pool.map_or(0, |pool| {
            ((cell.index() as u64) << 16 | u64::from(pool.amount) << 8 | u64::from(pool.team))
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let (rank, hash) = (value + outlook, self.hash ^ change);
        Node { cell, tank, frame, value, rank, hash, parent: None, doing }
    }
}

/// The last thing that a plan does: a move, if any, and the context action a number of times.
#[derive(Clone, Copy, Debug, Default)]
struct Doing {
    direction: Option<u8>,
    n_acts: u8,
    /// What it leaves on the cell, if that changes.
    pool: Option<Pool>,
}

/// A plan with the water that it leaves.
#[derive(Debug)]
struct Done {
    node: Node,
    water: Water,
}

impl Done {
    fn plan(&self) -> BeamPlan {
        let mut path = vec![&self.node];
        while let Some(parent) = &path[path.len() - 1].parent {
            path.push(&parent.node);
        }
        let mut plan = BeamPlan::default();
        for node in path.into_iter().rev() {
            plan.commands.extend(node.doing.direction.map(Command::Move));
            plan.commands.extend((0..node.doing.n_acts).map(|_| Command::Act));
            plan.changes.extend(node.doing.pool.map(|pool| (node.cell, pool)));
        }
        plan
    }
}

/// Keeps the best plans, of those that come to the same only one.
fn keep_best(nodes: &mut Vec<Node>, width: usize) {
    nodes.sort_by(|a, b| b.rank.total_cmp(&a.rank).then(a.frame.cmp(&b.frame)));
    let mut kept: Vec<(Cell, u64)> = Vec::with_capacity(width);
    nodes.retain(|node| {
        let key = (node.cell, node.hash);
        let is_new = kept.len() < width && !kept.contains(&key);
        if is_new {
            kept.push(key);
        }
        is_new
    });
}
