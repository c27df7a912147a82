//! Whole turns of a side, drawn by what actions promise, and small changes of turns that were drawn.
//!
//! A turn is a list of actions, one for each unit that has not acted. It is repaired while it is played: where
//! an action cannot be done any more, its unit does what promises most instead.

use sakiyomi_core::{Player, Rng};

use crate::tubstap::cells::{Cells, bits};
use crate::tubstap::hints::WORTH;
use crate::tubstap::{Action, Attacks, State, Tubstap};

/// What a turn is drawn by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taste {
    /// How much damage that is to be expected counts against a cell.
    pub risk: f64,
    /// How much it counts to come near to enemies that the unit can hurt.
    pub nearness: f64,
    /// The largest random number that is added to what an action promises.
    pub noise: f64,
}

impl Taste {
    /// No chance in it.
    pub(super) const PLAIN: Taste = Taste { risk: 0.5, nearness: 0.1, noise: 0.0 };

    /// Careful or bold, and with some chance.
    pub(super) fn draw(rng: &mut Rng) -> Taste {
        Taste { risk: 1.2 * rng.unit(), nearness: 0.4 * rng.unit(), noise: 6.0 * rng.unit() }
    }
}

/// The damage that a unit has to expect on cells with each number of stars, from each enemy.
struct Risk<const W: usize> {
    threats: [(Cells<W>, [u8; 5]); MAX_ENEMIES],
    n: usize,
}

/// Enemies beyond this number are not feared.
const MAX_ENEMIES: usize = 24;

impl<const W: usize> Risk<W> {
    fn new<const N: usize>(game: &Tubstap<W, N>, state: &State<W, N>, unit: u8) -> Risk<W> {
        let mut risk = Risk { threats: [(Cells::NONE, [0; 5]); MAX_ENEMIES], n: 0 };
        let (kind, left) = (game.rules.kinds[unit as usize], state.hit_points[unit as usize]);
        let enemies = state.alive & game.rules.sides[game.enemy_index(unit)];
        for enemy in bits(enemies).take(MAX_ENEMIES).map(usize::from) {
            let other = game.rules.kinds[enemy];
            if other.power(kind) > 0 {
                let threat = game.rules.threat[usize::from(state.cells[enemy])][other as usize];
                let hit_points = state.hit_points[enemy];
                let damage =
                    |stars| game.rules.damage_on_stars(other, hit_points, kind, left, stars as u8);
                risk.threats[risk.n] = (threat, std::array::from_fn(damage));
                risk.n += 1;
            }
        }
        risk
    }

    /// What is to be expected on a cell, at most `left`.
    #[inline]
    fn on(&self, cell: u16, stars: u8, left: u8) -> u32 {
        let sum: u32 = self.threats[..self.n]
            .iter()
            .filter(|(threat, _)| threat.has(cell))
            .map(|(_, damage)| u32::from(damage[usize::from(stars)]))
            .sum();
        sum.min(left.into())
    }
}

impl<const W: usize, const N: usize> Tubstap<W, N> {
    /// Plays and appends a turn of all units that have not acted. The turn is not passed.
    pub(super) fn draw_turn(
        &self,
        state: &mut State<W, N>,
        player: Player,
        taste: Taste,
        rng: &mut Rng,
        out: &mut Vec<Action>,
    ) {
        let other = player.index() ^ 1;
        let mut units = self.unfinished(state, player);
        let mut found = [(Action::END, 0.0); N];
        let mut known = 0u64;
        while units != 0 && !self.is_wiped_out(state, other) {
            let mut best: Option<(f64, u8)> = None;
            for unit in bits(units) {
                let i = unit as usize;
                if known >> unit & 1 == 0 {
                    found[i] = self.most_promising(state, unit, taste, rng);
                    known |= 1 << unit;
                }
                let (action, promise) = found[i];
                // Attacks go first: they open ways and take away risks.
                let score = if action.is_attack() { promise + 1_000.0 } else { promise };
                if best.is_none_or(|(before, _)| score > before) {
                    best = Some((score, unit));
                }
            }
            let Some((_, unit)) = best else { break };
            let (action, _) = found[unit as usize];
            self.act(state, action);
            out.push(action);
            units &= !(1 << unit);
            if action.is_attack() {
                known = 0;
            } else {
                for unit in bits(units & known) {
                    if found[unit as usize].0.to == action.to {
                        known &= !(1 << unit);
                    }
                }
            }
        }
    }

    /// The action of a unit that promises most, with its promise.
    pub(super) fn most_promising(
        &self,
        state: &State<W, N>,
        unit: u8,
        taste: Taste,
        rng: &mut Rng,
    ) -> (Action, f64) {
        let i = unit as usize;
        let kind = self.rules.kinds[i];
        let left = state.hit_points[i];
        let worth = WORTH[kind as usize];
        let risk = Risk::new(self, state, unit);
        let landing = self.landing(state, unit, self.reach(state, unit));
        let enemies = state.alive & self.rules.sides[self.enemy_index(unit)];
        let mut best = (Action::go(unit, state.cells[i]), f64::NEG_INFINITY);
        let mut consider = |action: Action, promise: f64, rng: &mut Rng| {
            let noise = if taste.noise > 0.0 { taste.noise * rng.unit() } else { 0.0 };
            if promise + noise > best.1 {
                best = (action, promise + noise);
            }
        };
        let stars = |cell: u16| self.rules.stars[usize::from(cell)];
        let risk_on = |cell: u16| taste.risk * worth * f64::from(risk.on(cell, stars(cell), left));
        let near = self.in_reach(state, unit, landing);
        for enemy in bits(enemies) {
            let cell = state.cells[enemy as usize];
            if !near.has(cell) || !self.may_attack(state, unit, enemy, Attacks::Effective) {
                continue;
            }
            if kind.is_indirect() {
                let attack = Action::attack(unit, state.cells[i], enemy);
                consider(attack, self.exchange_worth(state, attack) - risk_on(attack.to), rng);
                continue;
            }
            for from in self.rules.around[usize::from(cell)] {
                if from != crate::tubstap::cells::NO_CELL && landing.has(from) {
                    let attack = Action::attack(unit, from, enemy);
                    consider(attack, self.exchange_worth(state, attack) - risk_on(from), rng);
                }
            }
        }
        let mut powers = [(0.0, 0u16); MAX_ENEMIES];
        let mut n_powers = 0;
        for enemy in bits(enemies).take(MAX_ENEMIES).map(usize::from) {
            let power = f64::from(kind.power(self.rules.kinds[enemy]));
            if power > 0.0 {
                powers[n_powers] = (power, state.cells[enemy]);
                n_powers += 1;
            }
        }
        for to in landing.iter() {
            let near = powers[..n_powers]
                .iter()
                .map(|&(power, cell)| power / (f64::from(self.rules.distance(to, cell)) + 5.0))
                .fold(0.0, f64::max);
            consider(Action::go(unit, to), taste.nearness * near * worth - risk_on(to), rng);
        }
        best
    }

    /// Plays a turn like a given one, but with other actions for the units of `changed`: each takes its turn at
    /// the place of the list where it was. Appends what was played. The turn is not passed.
    pub(super) fn play_changed(
        &self,
        state: &mut State<W, N>,
        player: Player,
        turn: &[Action],
        changed: u64,
        rng: &mut Rng,
        out: &mut Vec<Action>,
    ) {
        let other = player.index() ^ 1;
        let taste = Taste::draw(rng);
        for &planned in turn {
            if self.is_wiped_out(state, other) {
                return;
            }
            let unit = planned.unit;
            if self.unfinished(state, player) >> unit & 1 == 0 {
                continue;
            }
            let action = if changed >> unit & 1 == 1 {
                self.draw_change(state, unit, taste, rng)
            } else if self.is_possible(state, planned) {
                planned
            } else {
                self.most_promising(state, unit, taste, rng).0
            };
            self.act(state, action);
            out.push(action);
        }
        self.draw_turn(state, player, taste, rng, out);
    }

    /// Another action for a unit: half of them are any, half promise something.
    fn draw_change(&self, state: &State<W, N>, unit: u8, taste: Taste, rng: &mut Rng) -> Action {
        if rng.below(2) == 0 {
            return self.most_promising(state, unit, taste, rng).0;
        }
        let landing = self.landing(state, unit, self.reach(state, unit));
        let near = self.in_reach(state, unit, landing) & self.enemies_of(state, unit);
        if rng.below(2) == 0
            && let Some(attack) =
                self.draw_attack(state, unit, landing, near, Attacks::Effective, rng)
        {
            return attack;
        }
        Action::go(unit, landing.nth(rng.below(landing.count() as usize) as u32))
    }

    /// Whether an action of a unit that has not acted can be done, and does damage if it is an attack.
    fn is_possible(&self, state: &State<W, N>, action: Action) -> bool {
        let i = action.unit as usize;
        if action.to != state.cells[i]
            && !self.landing(state, action.unit, self.reach(state, action.unit)).has(action.to)
        {
            return false;
        }
        if !action.is_attack() {
            return true;
        }
        if state.alive >> action.target & 1 == 0 {
            return false;
        }
        let cell = state.cells[action.target as usize];
        let is_near = if self.rules.kinds[i].is_indirect() {
            action.to == state.cells[i] && self.rules.range[usize::from(action.to)].has(cell)
        } else {
            self.rules.distance(action.to, cell) == 1
        };
        is_near && self.damage_between(state, i, action.target as usize) > 0
    }

    /// A turn of good exchanges: always the best there is, with some chance; who has none moves at random.
    pub(super) fn play_turn_of_exchanges(
        &self,
        state: &mut State<W, N>,
        player: Player,
        noise: f64,
        rng: &mut Rng,
    ) {
        let other = player.index() ^ 1;
        let mut units = self.unfinished(state, player);
        while units != 0 && !self.is_wiped_out(state, other) {
            let striking = self.within_threat(state, units, state.occupied[other]);
            let mut best = (Action::END, 0.0);
            for unit in bits(striking) {
                let (action, value) = self.best_exchange(state, unit, noise, rng);
                if value > best.1 {
                    best = (action, value);
                }
            }
            if best.1 <= 0.0 {
                break;
            }
            self.act(state, best.0);
            units &= !(1 << best.0.unit);
        }
        while units != 0 && !self.is_wiped_out(state, other) {
            let unit = units.trailing_zeros() as u8;
            units &= units - 1;
            let landing = self.landing(state, unit, self.reach(state, unit));
            let to = landing.nth(rng.below(landing.count() as usize) as u32);
            self.act(state, Action::go(unit, to));
        }
    }

    /// The attack of a unit that wins most; nothing is worth 0.
    #[inline]
    fn best_exchange(
        &self,
        state: &State<W, N>,
        unit: u8,
        noise: f64,
        rng: &mut Rng,
    ) -> (Action, f64) {
        let landing = self.landing(state, unit, self.reach(state, unit));
        let near = self.in_reach(state, unit, landing);
        let is_indirect = self.rules.kinds[unit as usize].is_indirect();
        let mut best = (Action::END, 0.0);
        for enemy in bits(state.alive & self.rules.sides[self.enemy_index(unit)]) {
            let cell = state.cells[enemy as usize];
            if !near.has(cell) {
                continue;
            }
            let from = if is_indirect {
                state.cells[unit as usize]
            } else {
                let around = self.rules.around[usize::from(cell)].into_iter();
                let reached =
                    around.filter(|&c| c != crate::tubstap::cells::NO_CELL && landing.has(c));
                match reached.max_by_key(|&c| self.rules.stars[usize::from(c)]) {
                    Some(from) => from,
                    None => continue,
                }
            };
            let attack = Action::attack(unit, from, enemy);
            let value = self.exchange_worth(state, attack) * (1.0 - noise * rng.unit());
            if value > best.1 {
                best = (attack, value);
            }
        }
        best
    }
}
