//! Players in the place of the contest's official ones, which are lost: five for the paper's ten
//! matches, and a strong one for the official player that came second in a preliminary round. They
//! differ in what they do and in the part of the sessions for which they give orders, by which their
//! strength was calibrated.

use sakiyomi_core::{Agent, Choice, Context, Forfeit, Player, Rng};
use sakiyomi_games::Mizugame;
use sakiyomi_games::mizugame::plans::{Draft, Job, Writer};
use sakiyomi_games::mizugame::{
    Cell, Command, Field, Orders, Position, TEAM_ROBOTS, Terrain, Water,
};

use crate::{Declaration, PlayerOf};

/// One of them. It keeps nothing in mind between sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandIn {
    kind: &'static Kind,
    effort: u32,
    batch: u32,
}

#[derive(Debug, PartialEq, Eq)]
struct Kind {
    declaration: Declaration,
    style: Style,
    pours: u8,
    /// Units that a robot takes at a jar.
    batch: u32,
    /// The part of the sessions for which it gives orders, in percent.
    effort: u32,
}

#[derive(Debug, PartialEq, Eq)]
enum Style {
    Paint,
    /// Closes rings of a radius.
    Rings(u32),
    /// Empties cells of the best other team.
    Suck,
    /// Walks at random and paints what it comes upon.
    Walk,
    /// Paints for five sevenths of the match, as long as the contest's final was open, and hunts the
    /// leading team in the rest.
    Hunt,
}

const KINDS: &[Kind; 7] = &[
    Kind {
        declaration: Declaration::plain(
            "painter",
            "paints the nearest free cells with one unit each (mizugame)",
        ),
        style: Style::Paint,
        pours: 1,
        batch: 20,
        effort: 43,
    },
    Kind {
        declaration: Declaration::plain(
            "double-painter",
            "paints the nearest free cells with two units each (mizugame)",
        ),
        style: Style::Paint,
        pours: 2,
        batch: 30,
        effort: 42,
    },
    Kind {
        declaration: Declaration::plain("ring-builder", "closes rings of radius 2 (mizugame)"),
        style: Style::Rings(2),
        pours: 1,
        batch: 12,
        effort: 30,
    },
    Kind {
        declaration: Declaration::plain(
            "sucker",
            "empties cells of the leading other team and takes them (mizugame)",
        ),
        style: Style::Suck,
        pours: 1,
        batch: 10,
        effort: 40,
    },
    Kind {
        declaration: Declaration::plain(
            "wanderer",
            "walks at random and paints what it comes upon (mizugame)",
        ),
        style: Style::Walk,
        pours: 1,
        batch: 15,
        effort: 72,
    },
    Kind {
        declaration: Declaration::plain(
            "strong-painter",
            "paints the nearest free cells in every session (mizugame)",
        ),
        style: Style::Paint,
        pours: 1,
        batch: 30,
        effort: 100,
    },
    Kind {
        declaration: Declaration::plain(
            "hunter",
            "paints first, hunts the leading team in the end (mizugame)",
        ),
        style: Style::Hunt,
        pours: 1,
        batch: 30,
        effort: 100,
    },
];

pub(super) const PLAYERS: [PlayerOf<Mizugame>; KINDS.len()] =
    [player(0), player(1), player(2), player(3), player(4), player(5), player(6)];

const fn player(i: usize) -> PlayerOf<Mizugame> {
    PlayerOf {
        declaration: &KINDS[i].declaration,
        make: |settings| {
            Box::new(StandIn::named(settings.player.name).expect("one of those declared here"))
        },
    }
}

impl StandIn {
    /// The stand-in of this name.
    pub fn named(name: &str) -> Option<StandIn> {
        let kind = KINDS.iter().find(|kind| kind.declaration.name == name)?;
        Some(StandIn { kind, effort: kind.effort, batch: kind.batch })
    }

    /// The same one giving orders for this part of the sessions, in percent.
    #[must_use]
    pub fn with_effort(self, effort: u32) -> StandIn {
        StandIn { effort: effort.min(100), ..self }
    }

    /// The same one taking this many units at a jar.
    #[must_use]
    pub fn with_batch(self, batch: u32) -> StandIn {
        StandIn { batch, ..self }
    }

    /// Whether it gives orders in this session: as often as its effort says, evenly spread.
    fn is_awake(self, session: u16) -> bool {
        let due = |session: u32| session * self.effort / 100;
        due(u32::from(session) + 1) > due(session.into())
    }
}

impl Agent<Mizugame> for StandIn {
    fn choose(
        &mut self,
        game: &Mizugame,
        position: &Position,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Orders>, Forfeit> {
        let (game, team) = (game.field(position), player.index());
        let seen = game.foreseen_by(position, player);
        let target = Target::new(game, &seen, team, self.kind);
        let mut draft = Draft::new(game, &seen);
        let mut orders = Orders::NONE;
        for robot in (0..TEAM_ROBOTS).filter(|_| self.is_awake(position.session)) {
            let mut writer = draft.robot(team, robot);
            while !writer.is_full() && self.advance(&mut writer, &target, context.rng) {}
            orders.0[robot] = writer.place.plan;
        }
        let policy = vec![(orders, 1.0)];
        Ok(Choice { action: orders, policy, value: None, iterations: 0, nodes: 0 })
    }
}

/// What a team aims at in a session.
struct Target {
    /// The leading other team, if it is hunted.
    leader: Option<u8>,
    ring: Vec<Cell>,
}

impl Target {
    fn new(game: &Field, position: &Position, team: usize, kind: &Kind) -> Target {
        let water = &position.water;
        let others = (0..game.n_teams()).filter(|&other| other != team);
        let leader = others.filter(|&other| water.n_own(other) > 0);
        let leader = leader.max_by_key(|&other| (water.score(other), std::cmp::Reverse(other)));
        let is_hunted = match kind.style {
            Style::Suck => true,
            Style::Hunt => 7 * position.session >= 5 * game.settings().sessions,
            _ => false,
        };
        let ring = match kind.style {
            Style::Rings(radius) => best_ring(game, position, team, radius),
            _ => Vec::new(),
        };
        Target { leader: leader.filter(|_| is_hunted).map(|leader| leader as u8), ring }
    }
}

impl StandIn {
    /// Does the next thing; false if there is nothing to do.
    fn advance(self, writer: &mut Writer<'_, '_>, target: &Target, rng: &mut Rng) -> bool {
        let Kind { style, pours, .. } = self.kind;
        let terrain = writer.game().map().terrain(writer.place.cell);
        let is_at_jar = terrain == Terrain::Jar && writer.place.tank < self.batch;
        let can_suck = target.leader.is_some();
        if is_at_jar || writer.place.tank == 0 && !can_suck {
            return writer.advance(Job::Refill { units: self.batch });
        }
        let paint = Job::Paint { pours: *pours };
        match style {
            Style::Paint => writer.advance(paint) || writer.advance(Job::Suck { team: None }),
            Style::Suck | Style::Hunt if target.leader.is_some() => {
                writer.advance(Job::Suck { team: target.leader }) || writer.advance(paint)
            }
            Style::Suck => writer.advance(paint),
            Style::Hunt => writer.advance(paint) || writer.advance(Job::Suck { team: None }),
            Style::Walk => walk(writer, *pours, rng),
            Style::Rings(_) => build(writer, &target.ring) || writer.advance(paint),
        }
    }
}

/// Pours on a free cell, or takes a step in a random direction that is open.
fn walk(writer: &mut Writer<'_, '_>, pours: u8, rng: &mut Rng) -> bool {
    let own = writer.team as u8;
    let amount = writer.pool().map_or(0, |pool| pool.amount);
    let is_free = writer.pool().is_none_or(|pool| pool.team == own);
    if writer.game().map().terrain(writer.place.cell).is_ground() && is_free && amount < pours {
        writer.push(Command::Act);
        return true;
    }
    let cell = writer.place.cell;
    let is_open = |direction: &usize| writer.game().map().terrain(cell.step(*direction)).is_open();
    let open: Vec<usize> = (0..6).filter(is_open).collect();
    if !open.is_empty() {
        writer.push(Command::Move(open[rng.below(open.len())] as u8));
    }
    !open.is_empty()
}

/// Goes to the nearest cell that is missing in a ring, and makes it an own one.
fn build(writer: &mut Writer<'_, '_>, ring: &[Cell]) -> bool {
    let own = writer.team as u8;
    let is_missing = |water: &Water, cell: Cell| {
        ring.contains(&cell) && water.at(cell).is_none_or(|pool| pool.team != own)
    };
    if is_missing(&writer.draft.water, writer.place.cell) {
        writer.push(Command::Act);
        return true;
    }
    writer.go(is_missing)
}

/// The ring to build: one without walls and with at most two cells of others, around a cell that the
/// team does not hold yet; of these the most complete one, then the nearest.
fn best_ring(game: &Field, position: &Position, team: usize, radius: u32) -> Vec<Cell> {
    let water = &position.water;
    let robots = &game.robots(position)[team * TEAM_ROBOTS..][..TEAM_ROBOTS];
    let is_own = |cell: Cell| water.at(cell).is_some_and(|pool| usize::from(pool.team) == team);
    let mut best = (i32::MIN, Vec::new());
    for centre in Cell::all() {
        if is_own(centre) || water.is_enclosed(game.map(), centre, team) {
            continue;
        }
        let ring = ring(centre, radius);
        let is_possible = ring.len() == 6 * radius as usize
            && ring.iter().all(|&cell| game.map().terrain(cell).is_ground());
        if !is_possible {
            continue;
        }
        let n_own = ring.iter().filter(|&&cell| is_own(cell)).count() as i32;
        let n_taken = ring.iter().filter(|&&cell| water.at(cell).is_some()).count() as i32 - n_own;
        let distance: u32 = robots.iter().map(|robot| robot.cell.distance(centre)).sum();
        let value = 30 * n_own - distance as i32;
        if n_taken <= 2 && value > best.0 {
            best = (value, ring);
        }
    }
    best.1
}

/// The cells of the field at a distance.
fn ring(centre: Cell, radius: u32) -> Vec<Cell> {
    let (x, y) = (centre.x(), centre.y());
    let reach = radius as i32;
    let mut ring = Vec::with_capacity(6 * radius as usize);
    for dy in -reach..=reach {
        for dx in -reach..=reach {
            let is_on = dx.abs().max(dy.abs()).max((dx - dy).abs()) == reach;
            ring.extend(is_on.then(|| Cell::at(x + dx, y + dy)).flatten());
        }
    }
    ring
}
