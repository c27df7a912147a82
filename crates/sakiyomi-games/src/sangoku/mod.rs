//! Sangoku: the tactics game of Kato, Miwa, Tsuruoka and Chikayama, "UCT and Its Enhancement for
//! Tactical Decisions in Turn-based Strategy Games", after the battles of Sangokushi 11.
//!
//! Two sides of three pieces fight on 7 columns and 6 rows. A piece has attack, defence, intellect
//! and one ability. In a turn a side acts with its pieces in any order: each may move once and may
//! use one attack or skill, before or after it moves. A piece moves 4 cells, through its own side
//! but not through the other, and stops where it comes next to an enemy; from there it may leave in
//! its next turn. An attack hits an enemy next to the piece and costs the attacker a third of the
//! damage, so both may fall. Sprint moves one cell more; fire hits from up to two cells away and
//! costs nothing; valour does 2 % more damage; charge attacks and pushes; confusion, from up to two
//! cells away, may take the target's next turn. That is the one thing left to chance once the
//! battle runs; what a scenario leaves open is dealt by chance before it begins.
//!
//! Who wipes out the other wins; if neither has after 10 rounds, the larger sum of hit points does.
//! The turn passes by itself when nothing but ending it is left to do.

mod code;
pub mod formulas;
mod hints;
mod playout;
mod scenario;
mod setup;
mod show;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use sakiyomi_core::{Game, Payoffs, Player, Players, PlayoutOptions, Rng, Scratch, Turn};
use serde::Deserialize;

pub use hints::Restriction;
pub use scenario::{Random, SCENARIOS, Scenario, ScenarioError, Soldier, Stat, Talent};

use crate::cells::{Cells, bits};
use crate::two_players::{Status, opponent};
use playout::Reach;

/// The rules of one scenario. `W` words hold the board and `N` is the most pieces of both sides.
#[derive(Clone, Debug)]
pub struct Sangoku<const W: usize, const N: usize> {
    rules: Arc<Rules<W, N>>,
    /// Pieces that can get into these cells go nowhere else: all cells, unless a battlefield was
    /// cut out.
    field: Cells<W>,
}

/// The paper's board.
pub type Skirmish = Sangoku<1, 6>;
/// Up to 20 x 20 with 16 pieces.
pub type Battle = Sangoku<7, 16>;
/// Up to 40 x 40 with 64 pieces.
pub type War = Sangoku<26, 64>;

/// A position: pieces, what they have done in this turn, and what chance has to decide.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position<const W: usize, const N: usize> {
    /// The cells of each side's pieces.
    pub occupied: [Cells<W>; 2],
    pub pieces: [Piece; N],
    /// Sets of pieces, a bit each.
    pub alive: u64,
    pub moved: u64,
    pub acted: u64,
    /// Pieces that cannot do anything in their next turn, or in the one that runs.
    pub confused: u64,
    pub status: Status,
    pub round: u16,
    /// How much was dealt before the start.
    pub dealt: u16,
    /// Who tries to confuse whom, until chance has decided; or `NO_ATTEMPT`.
    pub attempt: [u8; 2],
}

const _: () = assert!(size_of::<Position<1, 6>>() <= 104);

const NO_ATTEMPT: [u8; 2] = [u8::MAX; 2];

/// A piece. One that fell has no hit points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Piece {
    pub cell: u16,
    pub hit_points: u16,
    pub attack: u8,
    pub defence: u8,
    pub intellect: u8,
    pub ability: Ability,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ability {
    #[default]
    Sprint,
    Fire,
    Valour,
    Charge,
    Confuse,
}

impl Ability {
    pub const ALL: [Ability; 5] =
        [Ability::Sprint, Ability::Fire, Ability::Valour, Ability::Charge, Ability::Confuse];
}

/// What one piece does, the end of the turn, or what chance decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Order {
    pub deed: Deed,
    pub piece: u8,
    /// The cell of a move, the piece that is the target, or the value that is dealt.
    pub to: u16,
}

const _: () = assert!(size_of::<Order>() == 4);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Deed {
    Move,
    Attack,
    Fire,
    Charge,
    Confuse,
    End,
    /// Chance: the attempt to confuse works, or fails.
    Works,
    Fails,
    /// Chance: an ability or a parameter is dealt.
    Deal,
}

impl Order {
    pub const END: Order = Order { deed: Deed::End, piece: 0, to: 0 };

    fn chance(deed: Deed) -> Order {
        Order { deed, piece: 0, to: 0 }
    }

    /// Whether it hits, pushes or confuses an enemy.
    fn is_strike(self) -> bool {
        matches!(self.deed, Deed::Attack | Deed::Fire | Deed::Charge | Deed::Confuse)
    }
}

/// What chance deals before the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Deal {
    piece: u8,
    what: Quality,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Quality {
    Attack,
    Defence,
    Intellect,
    Ability,
}

/// Everything that follows from a scenario.
#[derive(Debug)]
struct Rules<const W: usize, const N: usize> {
    scenario: Scenario,
    start: Position<W, N>,
    deals: Vec<Deal>,
    stride: u32,
    board: Cells<W>,
    /// By cell: the cells within a distance of 1 and of 2.
    near: Vec<[Cells<W>; 2]>,
    /// By cell: the cells at the distance that a piece moves, without and with sprint.
    ring: Vec<[Cells<W>; 2]>,
    /// Damage of attack against defence, and of intellect against intellect.
    attack_damage: Vec<u16>,
    fire_damage: Vec<u16>,
    /// The pieces of each side, a bit each.
    sides: [u64; 2],
}

/// Index of two parameters, each at most 100, in a table of damages.
#[inline]
fn pair(own: u8, other: u8) -> usize {
    usize::from(own) * 101 + usize::from(other)
}

impl<const W: usize, const N: usize> Sangoku<W, N> {
    /// The rules of a scenario, unless it is too large for `W` words or `N` pieces.
    pub fn new(scenario: &Scenario) -> Option<Sangoku<W, N>> {
        let stride = scenario.width + 1;
        let fits = (stride * scenario.height) as usize <= Cells::<W>::BITS
            && scenario.first.len() + scenario.second.len() <= N;
        if !fits {
            return None;
        }
        let rules = Rules::new(scenario);
        let field = rules.board;
        let mut game = Sangoku { rules: Arc::new(rules), field };
        let mut start = game.rules.start;
        if game.rules.deals.is_empty() {
            game.settle(&mut start, scenario.rounds);
            Arc::get_mut(&mut game.rules).expect("it is not shared yet").start = start;
        }
        Some(game)
    }

    pub fn scenario(&self) -> &Scenario {
        &self.rules.scenario
    }

    /// Whether this is a copy of the other, with the same tables in memory.
    pub fn shares_rules_with(&self, other: &Sangoku<W, N>) -> bool {
        Arc::ptr_eq(&self.rules, &other.rules)
    }

    /// The memory that the rules take, nearly all of it in tables.
    pub fn n_bytes(&self) -> u64 {
        let rules = &*self.rules;
        let tables = size_of_val(&*rules.near) + size_of_val(&*rules.ring);
        let damages = size_of_val(&*rules.attack_damage) + size_of_val(&*rules.fire_damage);
        let rest = size_of_val(rules) + size_of_val(&*rules.deals);
        (tables + damages + rest) as u64
    }

    /// The pieces of `player` that are alive and can still move; then those that can still strike.
    #[inline]
    pub fn ready(&self, position: &Position<W, N>, player: Player) -> [u64; 2] {
        let own = position.alive & self.rules.sides[player.index()];
        [own & !position.moved, own & !position.acted]
    }

    #[inline]
    pub fn enemies(&self, position: &Position<W, N>, player: Player) -> Cells<W> {
        position.occupied[opponent(player).index()]
    }

    /// The cells that a piece can get to or pass: a step at a time, not through enemies, and not
    /// on from a cell of `zone`, which is next to an enemy.
    #[inline]
    pub fn reach(&self, piece: &Piece, enemies: Cells<W>, zone: Cells<W>) -> Cells<W> {
        let Rules { stride, board, scenario, .. } = &*self.rules;
        let open = *board & !enemies;
        let steps = scenario.movement + u8::from(piece.ability == Ability::Sprint);
        let mut front = Cells::one(piece.cell);
        let mut reached = front;
        for _ in 0..steps {
            let next = front.spread(*stride) & open & !reached;
            reached |= next;
            front = next & !zone;
        }
        reached
    }

    /// The cells next to an enemy.
    #[inline]
    pub fn zone(&self, enemies: Cells<W>) -> Cells<W> {
        enemies.spread(self.rules.stride) & self.rules.board
    }

    /// Where a piece may end its move, of the cells it reaches.
    #[inline]
    pub fn landing(&self, position: &Position<W, N>, reached: Cells<W>) -> Cells<W> {
        let free = reached & !(position.occupied[0] | position.occupied[1]);
        let inside = free & self.field;
        if inside.is_empty() { free } else { inside }
    }

    /// The enemies that a piece can attack, and its skill with those that it can use it on.
    #[inline]
    pub fn targets(
        &self,
        piece: &Piece,
        enemies: Cells<W>,
    ) -> (Cells<W>, Option<(Deed, Cells<W>)>) {
        let near = &self.rules.near[piece.cell as usize];
        let beside = near[0] & enemies;
        let skill = match piece.ability {
            Ability::Sprint | Ability::Valour => None,
            Ability::Charge => Some((Deed::Charge, beside)),
            Ability::Fire => Some((Deed::Fire, near[1] & enemies)),
            Ability::Confuse => Some((Deed::Confuse, near[1] & enemies)),
        };
        (beside, skill)
    }

    /// The living piece of a side in a cell; there must be one.
    #[inline]
    pub fn piece_at(&self, position: &Position<W, N>, side: Player, cell: u16) -> u8 {
        let here = |&piece: &u8| position.pieces[piece as usize].cell == cell;
        bits(position.alive & self.rules.sides[side.index()])
            .find(here)
            .expect("an occupied cell has a piece")
    }

    /// Appends the attacks and skills of one piece.
    fn strikes_of(
        &self,
        position: &Position<W, N>,
        player: Player,
        piece: u8,
        out: &mut Vec<Order>,
    ) {
        let (beside, skill) =
            self.targets(&position.pieces[piece as usize], self.enemies(position, player));
        for (deed, cells) in [(Deed::Attack, beside)].into_iter().chain(skill) {
            out.extend(cells.iter().map(|cell| {
                let target = self.piece_at(position, opponent(player), cell);
                Order { deed, piece, to: target.into() }
            }));
        }
    }

    /// What a strike takes from its target, if it takes anything.
    #[inline]
    fn damage(&self, position: &Position<W, N>, order: Order) -> u16 {
        let Rules { attack_damage, fire_damage, scenario, .. } = &*self.rules;
        let own = &position.pieces[order.piece as usize];
        let target = &position.pieces[order.to as usize];
        let blow = || attack_damage[pair(own.attack, target.defence)];
        match order.deed {
            Deed::Attack if own.ability == Ability::Valour => {
                formulas::with_valour(blow().into()) as u16
            }
            Deed::Attack => blow(),
            Deed::Charge if scenario.charge_hurts => blow(),
            Deed::Fire => fire_damage[pair(own.intellect, target.intellect)],
            _ => 0,
        }
    }

    /// What an attacker suffers from its own attack that does this damage.
    #[inline]
    fn recoil(&self, deed: Deed, damage: u16) -> u16 {
        match deed {
            Deed::Attack | Deed::Charge => {
                u32::from(damage).checked_div(self.rules.scenario.recoil).unwrap_or(0) as u16
            }
            _ => 0,
        }
    }

    /// Takes hit points from a piece, which falls if none are left.
    #[inline]
    fn hurt(&self, position: &mut Position<W, N>, piece: u8, damage: u16) {
        let hit = &mut position.pieces[piece as usize];
        hit.hit_points = hit.hit_points.saturating_sub(damage);
        if hit.hit_points == 0 {
            let cell = std::mem::take(&mut hit.cell);
            for side in &mut position.occupied {
                side.remove(cell);
            }
            for set in [
                &mut position.alive,
                &mut position.moved,
                &mut position.acted,
                &mut position.confused,
            ] {
                *set &= !(1 << piece);
            }
        }
    }

    /// Puts a piece into a free cell.
    #[inline]
    fn put(&self, position: &mut Position<W, N>, side: Player, piece: u8, cell: u16) {
        let from = std::mem::replace(&mut position.pieces[piece as usize].cell, cell);
        position.occupied[side.index()].remove(from);
        position.occupied[side.index()].insert(cell);
    }

    /// Pushes a piece straight away from where it is pushed, if that cell is free.
    fn push(&self, position: &mut Position<W, N>, side: Player, target: u8, from: u16) {
        let at = position.pieces[target as usize].cell;
        let behind = i32::from(at) * 2 - i32::from(from);
        let Ok(behind) = u16::try_from(behind) else { return };
        let is_free = usize::from(behind) < Cells::<W>::BITS
            && self.rules.board.has(behind)
            && !position.occupied.iter().any(|side| side.has(behind));
        if is_free {
            self.put(position, side, target, behind);
        }
    }

    /// Carries out an order or an outcome. The match is over after `rounds`.
    #[inline]
    fn carry_out(&self, position: &mut Position<W, N>, order: Order, rounds: u16) {
        let mover = position.status.mover();
        let (piece, bit) = (order.piece, 1u64 << (order.piece & 63));
        match order.deed {
            Deed::Move => {
                self.put(position, mover, piece, order.to);
                position.moved |= bit;
            }
            Deed::Attack | Deed::Fire | Deed::Charge => {
                let damage = self.damage(position, order);
                let from = position.pieces[piece as usize].cell;
                let target = order.to as u8;
                position.acted |= bit;
                self.hurt(position, target, damage);
                self.hurt(position, piece, self.recoil(order.deed, damage));
                if order.deed == Deed::Charge && position.alive >> target & 1 == 1 {
                    self.push(position, opponent(mover), target, from);
                }
            }
            Deed::Confuse => {
                position.acted |= bit;
                position.attempt = [piece, order.to as u8];
                return;
            }
            Deed::Works | Deed::Fails => {
                let [_, target] = std::mem::replace(&mut position.attempt, NO_ATTEMPT);
                if order.deed == Deed::Works {
                    position.confused |= 1 << target;
                }
            }
            Deed::End => self.end_turn(position, rounds),
            Deed::Deal => {
                self.deal(position, order.to);
                if usize::from(position.dealt) < self.rules.deals.len() {
                    return;
                }
            }
        }
        self.settle(position, rounds);
    }

    /// Ends the match if a side is wiped out, and turns in which nothing is left to do.
    #[inline]
    fn settle(&self, position: &mut Position<W, N>, rounds: u16) {
        let [first, second] = self.rules.sides.map(|side| position.alive & side != 0);
        match (first, second) {
            (true, true) => {}
            (true, false) => position.status = Status::Won(Player(0)),
            (false, true) => position.status = Status::Won(Player(1)),
            (false, false) => position.status = Status::Drawn,
        }
        while let Status::ToMove(mover) = position.status {
            if self.can_act(position, mover) {
                return;
            }
            self.end_turn(position, rounds);
        }
    }

    /// Whether there is anything to do but end the turn.
    #[inline]
    fn can_act(&self, position: &Position<W, N>, mover: Player) -> bool {
        let [unmoved, unacted] = self.ready(position, mover);
        let enemies = self.enemies(position, mover);
        let free = !(position.occupied[0] | position.occupied[1]);
        let piece = |i: u8| &position.pieces[i as usize];
        bits(unmoved).any(|i| self.rules.near[piece(i).cell as usize][0].meets(free))
            || bits(unacted).any(|i| {
                let (beside, skill) = self.targets(piece(i), enemies);
                !beside.is_empty() || skill.is_some_and(|(_, cells)| !cells.is_empty())
            })
            || bits(unmoved).any(|i| self.reach(piece(i), enemies, self.zone(enemies)).meets(free))
    }

    fn end_turn(&self, position: &mut Position<W, N>, rounds: u16) {
        let mover = position.status.mover();
        let next = opponent(mover);
        position.confused &= !self.rules.sides[mover.index()];
        position.moved = position.confused & self.rules.sides[next.index()];
        position.acted = position.moved;
        position.status = Status::ToMove(next);
        position.round += u16::from(next.0 == 0);
        if position.round >= rounds {
            let [first, second] = self.hit_points(position);
            position.status = match first.cmp(&second) {
                std::cmp::Ordering::Greater => Status::Won(Player(0)),
                std::cmp::Ordering::Less => Status::Won(Player(1)),
                std::cmp::Ordering::Equal => Status::Drawn,
            };
        }
    }

    /// The sum of each side's hit points.
    fn hit_points(&self, position: &Position<W, N>) -> [u32; 2] {
        self.rules.sides.map(|side| {
            bits(position.alive & side)
                .map(|piece| u32::from(position.pieces[piece as usize].hit_points))
                .sum()
        })
    }

    fn deal(&self, position: &mut Position<W, N>, value: u16) {
        let Deal { piece, what } = self.rules.deals[usize::from(position.dealt)];
        let piece = &mut position.pieces[piece as usize];
        match what {
            Quality::Attack => piece.attack = value as u8,
            Quality::Defence => piece.defence = value as u8,
            Quality::Intellect => piece.intellect = value as u8,
            Quality::Ability => piece.ability = Ability::ALL[usize::from(value)],
        }
        position.dealt += 1;
    }

    /// The percentage with which the attempt that chance has to decide works.
    fn confuse_percent(&self, position: &Position<W, N>) -> u32 {
        let [user, target] = position.attempt.map(|piece| position.pieces[piece as usize]);
        formulas::confuse_percent(user.intellect, target.intellect, target.defence)
    }

    #[inline]
    fn payoffs(&self, status: Status) -> Payoffs {
        match status {
            Status::Drawn => Payoffs::uniform(2, self.rules.scenario.draw),
            status => status.payoffs(),
        }
    }
}

impl<const W: usize, const N: usize> Game for Sangoku<W, N> {
    type State = Position<W, N>;
    type Action = Order;

    fn players(&self) -> usize {
        2
    }

    fn start(&self) -> Position<W, N> {
        self.rules.start
    }

    #[inline]
    fn turn(&self, position: &Position<W, N>) -> Turn {
        match position.status {
            Status::ToMove(_) if usize::from(position.dealt) < self.rules.deals.len() => {
                Turn::Chance
            }
            Status::ToMove(_) if position.attempt != NO_ATTEMPT => Turn::Chance,
            Status::ToMove(player) => Turn::Choose(Players::one(player)),
            over => Turn::Over(self.payoffs(over)),
        }
    }

    fn actions(&self, position: &Position<W, N>, player: Player, out: &mut Vec<Order>) {
        let [unmoved, unacted] = self.ready(position, player);
        let enemies = self.enemies(position, player);
        let zone = self.zone(enemies);
        for piece in bits(unmoved | unacted) {
            if unmoved >> piece & 1 == 1 {
                let reached = self.reach(&position.pieces[piece as usize], enemies, zone);
                let landing = self.landing(position, reached);
                out.extend(landing.iter().map(|to| Order { deed: Deed::Move, piece, to }));
            }
            if unacted >> piece & 1 == 1 {
                self.strikes_of(position, player, piece, out);
            }
        }
        out.push(Order::END);
    }

    #[inline]
    fn apply(&self, position: &mut Position<W, N>, actions: &[Order]) {
        self.carry_out(position, actions[0], self.rules.scenario.rounds);
    }

    fn outcomes(&self, position: &Position<W, N>, out: &mut Vec<(Order, f64)>) {
        if position.attempt != NO_ATTEMPT {
            let works = f64::from(self.confuse_percent(position)) / 100.0;
            out.push((Order::chance(Deed::Works), works));
            out.push((Order::chance(Deed::Fails), 1.0 - works));
            return;
        }
        let Some(deal) = self.rules.deals.get(usize::from(position.dealt)) else { return };
        let values = match deal.what {
            Quality::Ability => 0..Ability::ALL.len() as u16,
            _ => 1..101,
        };
        let share = 1.0 / values.len() as f64;
        let outcome = |to| (Order { deed: Deed::Deal, piece: deal.piece, to }, share);
        out.extend(values.map(outcome));
    }

    fn legal(&self, position: &Position<W, N>, player: Player, order: Order) -> bool {
        if self.turn(position) != Turn::Choose(Players::one(player)) {
            return false;
        }
        let [unmoved, unacted] = self.ready(position, player);
        let can = |set: u64| order.piece < 64 && set >> order.piece & 1 == 1;
        match order.deed {
            Deed::End => order == Order::END,
            Deed::Move if can(unmoved) => {
                let enemies = self.enemies(position, player);
                let here = &position.pieces[usize::from(order.piece)];
                let reached = self.reach(here, enemies, self.zone(enemies));
                usize::from(order.to) < Cells::<W>::BITS
                    && self.landing(position, reached).has(order.to)
            }
            _ if order.is_strike() && can(unacted) => {
                let mut strikes = Vec::new();
                self.strikes_of(position, player, order.piece, &mut strikes);
                strikes.contains(&order)
            }
            _ => false,
        }
    }

    fn random_action(
        &self,
        position: &Position<W, N>,
        player: Player,
        _: &mut Vec<Order>,
        rng: &mut Rng,
    ) -> Order {
        let mut reach = Reach::new();
        reach.refresh(self, position, player);
        self.draw(position, player, &mut reach, &PlayoutOptions::default(), rng)
    }

    fn playout(
        &self,
        position: &mut Position<W, N>,
        scratch: &mut Scratch<Order>,
        rng: &mut Rng,
    ) -> Payoffs {
        self.play_uniformly(position, scratch, rng)
    }

    fn constant_sum(&self) -> bool {
        self.rules.scenario.draw == 0.5
    }
}
