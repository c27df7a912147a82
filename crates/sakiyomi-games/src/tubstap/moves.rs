//! What a unit can do, and the noise before the start.

use sakiyomi_core::{Player, Rng, Scratch};

use super::cells::{Cells, NO_CELL, bits};
use super::map::FULL_HIT_POINTS;
use super::{Action, Attacks, Kind, NOISE_HP, NOISE_POSITION, State, Tubstap};

impl<const W: usize, const N: usize> Tubstap<W, N> {
    /// The side that a unit fights against.
    #[inline]
    pub fn enemy_index(&self, unit: u8) -> usize {
        (self.rules.sides[0] >> unit & 1) as usize
    }

    /// The cells of the enemies of a unit.
    #[inline]
    pub fn enemies_of(&self, state: &State<W, N>, unit: u8) -> Cells<W> {
        state.occupied[self.enemy_index(unit)]
    }

    /// The cells that a unit can get to or pass.
    #[inline]
    pub fn reach(&self, state: &State<W, N>, unit: u8) -> Cells<W> {
        let enemies = self.enemies_of(state, unit);
        self.reach_past(self.rules.kinds[unit as usize], state.cells[unit as usize], enemies)
    }

    /// The same for a kind of unit on a cell: without a flood if no enemy is near.
    #[inline]
    pub fn reach_past(&self, kind: Kind, cell: u16, enemies: Cells<W>) -> Cells<W> {
        let free = self.rules.free[usize::from(cell)][kind as usize];
        if free.meets(enemies) { self.rules.flood(kind, cell, enemies) } else { free }
    }

    /// The part of a reach where the unit may stop: free cells and its own.
    #[inline]
    pub fn landing(&self, state: &State<W, N>, unit: u8, reach: Cells<W>) -> Cells<W> {
        let taken = state.occupied[0] | state.occupied[1];
        reach & !taken | Cells::one(state.cells[unit as usize])
    }

    #[inline]
    pub fn may_attack(&self, state: &State<W, N>, unit: u8, target: u8, which: Attacks) -> bool {
        let (unit, target) = (unit as usize % N, target as usize);
        match which {
            Attacks::All => true,
            Attacks::Power => self.rules.kinds[unit].power(self.rules.kinds[target]) > 0,
            Attacks::Effective => self.damage_between(state, unit, target) > 0,
        }
    }

    /// Appends the attacks of a unit: enemy by enemy, each from the cells to its east, north, west
    /// and south where the unit can stop; or, for a cannon, from where it stands.
    pub fn attacks_of(
        &self,
        state: &State<W, N>,
        unit: u8,
        landing: Cells<W>,
        which: Attacks,
        out: &mut Vec<Action>,
    ) {
        let enemies = self.enemies_of(state, unit);
        let own = state.cells[unit as usize];
        let is_indirect = self.rules.kinds[unit as usize].is_indirect();
        let near = if is_indirect {
            self.rules.range[usize::from(own)]
        } else {
            self.rules.grid.spread(landing)
        };
        if !near.meets(enemies) {
            return;
        }
        let side = self.enemy_index(unit);
        for target in bits(state.alive & self.rules.sides[side]) {
            let cell = state.cells[target as usize];
            if !near.has(cell) || !self.may_attack(state, unit, target, which) {
                continue;
            }
            if is_indirect {
                out.push(Action::attack(unit, own, target));
            } else {
                for from in self.rules.around[usize::from(cell)] {
                    if from != NO_CELL && landing.has(from) {
                        out.push(Action::attack(unit, from, target));
                    }
                }
            }
        }
    }

    /// Appends attacks, then moves, of one unit.
    pub fn actions_of(&self, state: &State<W, N>, unit: u8, which: Attacks, out: &mut Vec<Action>) {
        let landing = self.landing(state, unit, self.reach(state, unit));
        self.attacks_of(state, unit, landing, which, out);
        out.extend(landing.iter().map(|to| Action::go(unit, to)));
    }

    /// The cells that a unit could strike in its next turn, enemies in its way or not its own side.
    pub fn strikes(&self, state: &State<W, N>, unit: u8) -> Cells<W> {
        let landing = self.landing(state, unit, self.reach(state, unit));
        self.in_reach(state, unit, landing)
    }

    /// Appends all attacks of the units of a side that have not acted.
    pub fn attacks(
        &self,
        state: &State<W, N>,
        player: Player,
        which: Attacks,
        out: &mut Vec<Action>,
    ) {
        for unit in bits(self.unfinished(state, player)) {
            let landing = self.landing(state, unit, self.reach(state, unit));
            self.attacks_of(state, unit, landing, which, out);
        }
    }

    /// Damage and counter of an attack that is legal.
    #[inline]
    pub fn exchange_of(&self, state: &State<W, N>, action: Action) -> (u8, u8) {
        let (unit, target) = (action.unit as usize, action.target as usize);
        let kinds = (self.rules.kinds[unit], self.rules.kinds[target]);
        let damage = self.damage_between(state, unit, target);
        let left = state.hit_points[target] - damage;
        if left == 0 || kinds.0.is_indirect() || kinds.1.is_indirect() {
            return (damage, 0);
        }
        (damage, self.rules.damage(kinds.1, left, kinds.0, state.hit_points[unit], action.to))
    }

    /// Whether an action is legal, with this choice of attacks.
    pub fn is_legal(
        &self,
        state: &State<W, N>,
        player: Player,
        action: Action,
        which: Attacks,
    ) -> bool {
        if state.to_move() != Some(player) {
            return false;
        }
        if action == Action::END {
            return true;
        }
        if action.unit >= 64 || self.unfinished(state, player) >> action.unit & 1 == 0 {
            return false;
        }
        let landing = self.landing(state, action.unit, self.reach(state, action.unit));
        if action.to >= self.rules.grid.n_cells() || !landing.has(action.to) {
            return false;
        }
        if !action.is_attack() {
            return action.target == super::NO_TARGET;
        }
        let mut attacks = Vec::new();
        self.attacks_of(state, action.unit, landing, which, &mut attacks);
        attacks.contains(&action)
    }

    /// The outcomes of the noise that is dealt next: hit points unit by unit, then positions.
    pub fn noise(&self, state: &State<W, N>, out: &mut Vec<(Action, f64)>) {
        let n_units = self.rules.map.units.len();
        let dealt = usize::from(state.dealt);
        let unit = dealt % n_units;
        let deals_hp = self.rules.settings.noise_hp && dealt < n_units;
        if deals_hp {
            let hp = state.hit_points[unit];
            let less = if hp >= 2 { hp - 1 } else { hp };
            let more = if hp < FULL_HIT_POINTS { hp + 1 } else { hp };
            let deal = |hp: u8| Action { unit: unit as u8, target: NOISE_HP, to: hp.into() };
            add(out, deal(less), 0.5);
            add(out, deal(more), 0.5);
            return;
        }
        let own = state.cells[unit];
        let kind = self.rules.kinds[unit];
        let enterable = self.rules.easy[kind as usize] | self.rules.hard[kind as usize];
        let free = enterable & !(state.occupied[0] | state.occupied[1]);
        let deal = |to: u16| Action { unit: unit as u8, target: NOISE_POSITION, to };
        let mut stays = 1.0;
        let around = self.rules.around[usize::from(own)].into_iter();
        for cell in around.filter(|&cell| cell != NO_CELL && free.has(cell)) {
            add(out, deal(cell), 0.25);
            stays -= 0.25;
        }
        if stays > 0.0 {
            add(out, deal(own), stays);
        }
    }

    pub fn deal(&self, state: &mut State<W, N>, noise: Action) {
        let unit = usize::from(noise.unit);
        if noise.target == NOISE_HP {
            state.hit_points[unit] = noise.to as u8;
        } else {
            let side = self.side(unit).index();
            state.occupied[side].remove(state.cells[unit]);
            state.occupied[side].insert(noise.to);
            state.cells[unit] = noise.to;
        }
        state.dealt += 1;
        if state.dealt == self.rules.n_deals() {
            self.begin(state);
        }
    }

    /// Deals all noise that is left.
    pub fn deal_all(&self, state: &mut State<W, N>, scratch: &mut Scratch<Action>, rng: &mut Rng) {
        while state.dealt < self.rules.n_deals() {
            scratch.outcomes.clear();
            self.noise(state, &mut scratch.outcomes);
            let weights = scratch.outcomes.iter().map(|outcome| outcome.1);
            let outcome = scratch.outcomes[rng.weighted(weights)].0;
            self.deal(state, outcome);
        }
    }
}

/// Adds to an outcome's probability, or a new outcome.
fn add(out: &mut Vec<(Action, f64)>, action: Action, probability: f64) {
    match out.iter_mut().find(|outcome| outcome.0 == action) {
        Some(outcome) => outcome.1 += probability,
        None => out.push((action, probability)),
    }
}
