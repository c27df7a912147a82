//! Playouts without lists: what a side can do is drawn from sets of cells.
//!
//! Where the units of a side can get to changes within its turn only when an enemy falls. Own units
//! take and free cells all the time, but they do not block. So the uniform playout counts what a
//! unit could do on an empty board of its own side, once per turn, draws from all of that and draws
//! again if the cell is taken or out of reach: what it accepts is uniform over what is legal.

use sakiyomi_core::{Payoffs, Player, Rng};

use super::cells::{Cells, Grid, NO_CELL, bits, nth_unit};
use super::{Action, Attacks, State, Status, Tubstap};

/// The playout policy of M-UCT: attacks go first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttackFirst {
    /// How often a step is an attack, if there is any: one of all attacks. Otherwise it is one of
    /// all actions of a random unit.
    pub probability: f64,
    pub attacks: Attacks,
}

impl AttackFirst {
    /// As in M-UCT 1.08.
    pub const M_UCT: AttackFirst = AttackFirst { probability: 0.8, attacks: Attacks::All };
}

/// What the units of the side to move can do, own units in the way or not.
#[derive(Clone, Debug)]
pub struct Options<const W: usize, const N: usize> {
    reach: [Cells<W>; N],
    targets: [Cells<W>; N],
    n_moves: [u16; N],
    n_attacks: [u16; N],
    /// Moves and attacks of all units.
    total: u32,
    /// Whether there is an attack that does no damage now, but may do some when its target is weaker.
    may_grow: bool,
}

impl<const W: usize, const N: usize> Default for Options<W, N> {
    fn default() -> Options<W, N> {
        Options {
            reach: [Cells::NONE; N],
            targets: [Cells::NONE; N],
            n_moves: [0; N],
            n_attacks: [0; N],
            total: 0,
            may_grow: false,
        }
    }
}

impl<const W: usize, const N: usize> Options<W, N> {
    /// Where the attack on a target from one of its four sides comes from, if the unit gets there, and
    /// the target's cell. A cannon attacks from where it is, and its number is not divided by four.
    #[inline]
    fn attack_from(
        &self,
        game: &Tubstap<W, N>,
        state: &State<W, N>,
        unit: u8,
        [target, side]: [u32; 2],
    ) -> Option<(u16, u16)> {
        let i = unit as usize;
        if game.rules.kinds[i].is_indirect() {
            return Some((state.cells[i], self.targets[i].nth(4 * target + side)));
        }
        let cell = self.targets[i].nth(target);
        let from = game.rules.around[usize::from(cell)][side as usize];
        (from != NO_CELL && self.reach[i].has(from)).then_some((from, cell))
    }

    /// Counts for these units: moves, and attacks from all four sides of a target, reached or not.
    #[inline]
    fn count(&mut self, game: &Tubstap<W, N>, state: &State<W, N>, units: u64) {
        self.total = 0;
        self.may_grow = false;
        for unit in bits(units) {
            self.count_unit(game, state, unit);
            self.total += self.n_of(unit);
        }
    }

    /// Counts again for those of these units that could have to do with an enemy on `cell`.
    #[inline]
    fn recount(&mut self, game: &Tubstap<W, N>, state: &State<W, N>, units: u64, cell: u16) {
        for unit in bits(units) {
            let from = usize::from(state.cells[unit as usize]);
            let kind = game.rules.kinds[unit as usize] as usize;
            if game.rules.free[from][kind].has(cell) || game.rules.threat[from][kind].has(cell) {
                self.total -= self.n_of(unit);
                self.count_unit(game, state, unit);
                self.total += self.n_of(unit);
            }
        }
    }

    #[inline]
    fn n_of(&self, unit: u8) -> u32 {
        u32::from(self.n_moves[unit as usize]) + u32::from(self.n_attacks[unit as usize])
    }

    #[inline]
    fn count_unit(&mut self, game: &Tubstap<W, N>, state: &State<W, N>, unit: u8) {
        let i = unit as usize;
        self.reach[i] = game.reach(state, unit);
        self.n_moves[i] = self.reach[i].count() as u16;
        let near = game.in_reach(state, unit, self.reach[i]) & game.enemies_of(state, unit);
        self.n_attacks[i] = 0;
        if !near.is_empty() {
            let which = game.rules.settings.attacks;
            self.targets[i] = game.targets_among(state, unit, near, which);
            self.may_grow |= which == Attacks::Effective && self.targets[i] != near;
            let n_from = if game.rules.kinds[i].is_indirect() { 1 } else { 4 };
            self.n_attacks[i] = n_from * self.targets[i].count() as u16;
        }
    }

    /// Draws one of the legal actions of these units, which were counted, or the end of the turn.
    #[inline]
    fn draw(
        &self,
        game: &Tubstap<W, N>,
        state: &State<W, N>,
        units: u64,
        player: Player,
        rng: &mut Rng,
    ) -> Action {
        let own = state.occupied[player.index()];
        let enemies = state.alive & game.rules.sides[player.index() ^ 1];
        loop {
            let mut n = rng.below(self.total as usize + 1) as u32;
            if n == self.total {
                return Action::END;
            }
            for unit in bits(units) {
                let i = unit as usize;
                let (n_moves, n_attacks) = (self.n_moves[i].into(), self.n_attacks[i].into());
                if n < n_moves {
                    let to = self.reach[i].nth(n);
                    if to == state.cells[i] || !own.has(to) {
                        return Action::go(unit, to);
                    }
                    break;
                }
                n -= n_moves;
                if n < n_attacks {
                    let side = [n / 4, n % 4];
                    if let Some((to, target)) = self.attack_from(game, state, unit, side)
                        && (to == state.cells[i] || !own.has(to))
                    {
                        return Action::attack(unit, to, game.unit_on(state, enemies, target));
                    }
                    break;
                }
                n -= n_attacks;
            }
        }
    }
}

impl<const W: usize, const N: usize> Tubstap<W, N> {
    /// Draws one of all legal actions.
    pub fn draw_action(&self, state: &State<W, N>, player: Player, rng: &mut Rng) -> Action {
        let units = self.unfinished(state, player);
        let mut options = Options::default();
        options.count(self, state, units);
        options.draw(self, state, units, player, rng)
    }

    /// Plays uniformly at random to the end.
    pub fn play_uniformly(&self, state: &mut State<W, N>, rng: &mut Rng) -> Payoffs {
        let mut options = Options::default();
        while let Status::ToMove(player) = state.status {
            self.play_turn_uniformly(state, player, &mut options, rng);
            self.pass_turns(state);
        }
        state.status.payoffs()
    }

    /// Plays the rest of a turn. It is passed only if it is ended before all units have acted.
    fn play_turn_uniformly(
        &self,
        state: &mut State<W, N>,
        player: Player,
        options: &mut Options<W, N>,
        rng: &mut Rng,
    ) {
        let enemies = self.rules.sides[player.index() ^ 1];
        let mut units = self.unfinished(state, player);
        options.count(self, state, units);
        while units != 0 {
            let action = options.draw(self, state, units, player, rng);
            if action == Action::END {
                self.end_turn(state, player);
                return;
            }
            let target = action.is_attack().then(|| state.cells[action.target as usize]);
            let before = state.alive & enemies;
            self.act(state, action);
            units &= !(1 << action.unit);
            options.total -= options.n_of(action.unit);
            if let Some(cell) = target {
                let left = state.alive & enemies;
                if left == 0 {
                    return;
                }
                if left != before || options.may_grow {
                    options.recount(self, state, units, cell);
                }
            }
        }
    }

    /// Plays to the end: with this probability one of the attacks that do damage if there are any,
    /// otherwise one of all actions.
    pub fn play_urgently(
        &self,
        state: &mut State<W, N>,
        probability: f64,
        rng: &mut Rng,
    ) -> Payoffs {
        let policy = AttackFirst { probability, attacks: Attacks::Effective };
        let mut options = [Options::default(), Options::default()];
        while let Status::ToMove(player) = state.status {
            self.play_turn_urgently(state, player, policy, &mut options, rng);
            self.pass_turns(state);
        }
        state.status.payoffs()
    }

    /// Plays the rest of a turn. It is passed only if it is ended before all units have acted.
    fn play_turn_urgently(
        &self,
        state: &mut State<W, N>,
        player: Player,
        policy: AttackFirst,
        [attacks, all]: &mut [Options<W, N>; 2],
        rng: &mut Rng,
    ) {
        let other = player.index() ^ 1;
        let mut units = self.unfinished(state, player);
        let (mut enemies, mut striking, mut known) = (Cells::NONE, 0, 0);
        // Where units get to is counted when it is asked for, and again after an attack.
        let mut is_counted = false;
        while units != 0 && !state.occupied[other].is_empty() {
            if enemies != state.occupied[other] {
                enemies = state.occupied[other];
                striking = self.within_threat(state, units, enemies);
                known = 0;
            }
            let attack =
                self.draw_attacker(state, striking & units, &mut known, policy, attacks, rng);
            let action = attack.unwrap_or_else(|| {
                if !is_counted {
                    all.count(self, state, units);
                    is_counted = true;
                }
                all.draw(self, state, units, player, rng)
            });
            if action == Action::END {
                return self.end_turn(state, player);
            }
            self.act(state, action);
            units &= !(1 << action.unit);
            is_counted &= !action.is_attack();
            if is_counted {
                all.total -= all.n_of(action.unit);
            }
        }
    }

    /// Plays to the end with attacks first.
    pub fn attack_first_playout(
        &self,
        state: &mut State<W, N>,
        policy: AttackFirst,
        rng: &mut Rng,
    ) -> Payoffs {
        self.play_attack_first(state, policy, &mut Options::default(), rng)
    }

    #[inline]
    pub fn play_attack_first(
        &self,
        state: &mut State<W, N>,
        policy: AttackFirst,
        options: &mut Options<W, N>,
        rng: &mut Rng,
    ) -> Payoffs {
        while let Status::ToMove(player) = state.status {
            self.play_turn_attack_first(state, player, policy, options, rng);
            self.pass_turns(state);
        }
        state.status.payoffs()
    }

    /// All units of a side that have not acted do so, attacks first. The turn is not passed.
    #[inline]
    pub fn play_turn_attack_first(
        &self,
        state: &mut State<W, N>,
        player: Player,
        policy: AttackFirst,
        options: &mut Options<W, N>,
        rng: &mut Rng,
    ) {
        let (own, other) = (player.index(), player.index() ^ 1);
        let mut units = self.unfinished(state, player);
        let mut enemies = Cells::NONE;
        let (mut striking, mut known) = (0, 0);
        while units != 0 && !state.occupied[other].is_empty() {
            if enemies != state.occupied[other] {
                enemies = state.occupied[other];
                striking = self.within_threat(state, units, enemies);
                known = 0;
            }
            let unit =
                self.draw_attacker(state, striking & units, &mut known, policy, options, rng);
            let action = unit.unwrap_or_else(|| {
                let unit = nth_unit(units, rng.below(units.count_ones() as usize));
                if known >> unit & 1 == 0 {
                    options.reach[unit as usize] = self.reach(state, unit);
                    known |= 1 << unit;
                }
                let landing = options.reach[unit as usize] & !state.occupied[own]
                    | Cells::one(state.cells[unit as usize]);
                self.draw_of_unit(state, unit, landing, striking, policy.attacks, rng)
            });
            self.act(state, action);
            units &= !(1 << action.unit);
        }
    }

    /// Draws one of all attacks of these units, as often as the policy says, if there is any.
    #[inline]
    fn draw_attacker(
        &self,
        state: &State<W, N>,
        units: u64,
        known: &mut u64,
        policy: AttackFirst,
        options: &mut Options<W, N>,
        rng: &mut Rng,
    ) -> Option<Action> {
        if units == 0 || (policy.probability < 1.0 && rng.unit() >= policy.probability) {
            return None;
        }
        let mut total = 0;
        for unit in bits(units) {
            let i = unit as usize;
            if *known >> unit & 1 == 0 {
                options.reach[i] = self.reach(state, unit);
                *known |= 1 << unit;
            }
            let landing = self.landing(state, unit, options.reach[i]);
            let near = self.in_reach(state, unit, landing) & self.enemies_of(state, unit);
            options.n_attacks[i] = 0;
            if !near.is_empty() {
                options.targets[i] = self.targets_among(state, unit, near, policy.attacks);
                options.n_attacks[i] = self.n_attacks(unit, landing, options.targets[i]) as u16;
                total += u32::from(options.n_attacks[i]);
            }
        }
        if total == 0 {
            return None;
        }
        let n = rng.below(total as usize) as u32;
        Some(self.counted_attack(state, units, options, n))
    }

    /// The attack with a number of those that were counted for these units.
    #[inline]
    fn counted_attack(
        &self,
        state: &State<W, N>,
        units: u64,
        options: &Options<W, N>,
        mut n: u32,
    ) -> Action {
        for unit in bits(units) {
            let n_attacks = u32::from(options.n_attacks[unit as usize]);
            if n < n_attacks {
                let landing = self.landing(state, unit, options.reach[unit as usize]);
                let targets = options.targets[unit as usize];
                let (to, target) = self.nth_attack(state, unit, landing, targets, n);
                return Action::attack(unit, to, target);
            }
            n -= n_attacks;
        }
        panic!("there is no attack with this number")
    }

    /// Draws one of the attacks of a unit on enemies that are near enough, if there is any.
    #[inline]
    pub fn draw_attack(
        &self,
        state: &State<W, N>,
        unit: u8,
        landing: Cells<W>,
        near: Cells<W>,
        which: Attacks,
        rng: &mut Rng,
    ) -> Option<Action> {
        if near.is_empty() {
            return None;
        }
        let targets = self.targets_among(state, unit, near, which);
        let n_attacks = self.n_attacks(unit, landing, targets);
        if n_attacks == 0 {
            return None;
        }
        let n = rng.below(n_attacks as usize) as u32;
        let (to, target) = self.nth_attack(state, unit, landing, targets, n);
        Some(Action::attack(unit, to, target))
    }

    /// Draws one of all actions of a unit.
    #[inline]
    fn draw_of_unit(
        &self,
        state: &State<W, N>,
        unit: u8,
        landing: Cells<W>,
        striking: u64,
        which: Attacks,
        rng: &mut Rng,
    ) -> Action {
        let n_moves = landing.count();
        let mut n_attacks = 0;
        let mut targets = Cells::NONE;
        if striking >> unit & 1 == 1 {
            let near = self.in_reach(state, unit, landing) & self.enemies_of(state, unit);
            if !near.is_empty() {
                targets = self.targets_among(state, unit, near, which);
                n_attacks = self.n_attacks(unit, landing, targets);
            }
        }
        let n = rng.below((n_moves + n_attacks) as usize) as u32;
        if n < n_moves {
            return Action::go(unit, landing.nth(n));
        }
        let (to, target) = self.nth_attack(state, unit, landing, targets, n - n_moves);
        Action::attack(unit, to, target)
    }

    /// The units that could strike an enemy if nothing were in their way.
    #[inline]
    pub fn within_threat(&self, state: &State<W, N>, units: u64, enemies: Cells<W>) -> u64 {
        let mut striking = 0;
        for unit in bits(units) {
            let kind = self.rules.kinds[unit as usize];
            let cell = usize::from(state.cells[unit as usize]);
            striking |= u64::from(self.rules.threat[cell][kind as usize].meets(enemies)) << unit;
        }
        striking
    }

    /// The cells that a unit can strike if it may stop on these.
    #[inline]
    pub fn in_reach(&self, state: &State<W, N>, unit: u8, landing: Cells<W>) -> Cells<W> {
        if self.rules.kinds[unit as usize].is_indirect() {
            self.rules.range[usize::from(state.cells[unit as usize])]
        } else {
            self.rules.grid.spread(landing)
        }
    }

    /// The cells of those enemies on `near` that a unit may attack.
    #[inline]
    pub fn targets_among(
        &self,
        state: &State<W, N>,
        unit: u8,
        near: Cells<W>,
        which: Attacks,
    ) -> Cells<W> {
        let (kind, hp) = (self.rules.kinds[unit as usize], state.hit_points[unit as usize]);
        if which == Attacks::All || self.rules.is_sure(kind, hp) {
            return near;
        }
        let mut targets = near;
        for target in bits(state.alive & self.rules.sides[self.enemy_index(unit)]) {
            let cell = state.cells[target as usize];
            if near.has(cell) && !self.may_attack(state, unit, target, which) {
                targets.remove(cell);
            }
        }
        targets
    }

    /// How many attacks a unit has on targets that it can strike.
    #[inline]
    fn n_attacks(&self, unit: u8, landing: Cells<W>, targets: Cells<W>) -> u32 {
        if self.rules.kinds[unit as usize].is_indirect() {
            return targets.count();
        }
        steps(&self.rules.grid, landing).iter().map(|&step| (step & targets).count()).sum()
    }

    /// The attack with a number: where it comes from, and which unit it hits.
    #[inline]
    fn nth_attack(
        &self,
        state: &State<W, N>,
        unit: u8,
        landing: Cells<W>,
        targets: Cells<W>,
        mut n: u32,
    ) -> (u16, u8) {
        let enemies = state.alive & self.rules.sides[self.enemy_index(unit)];
        if self.rules.kinds[unit as usize].is_indirect() {
            return (state.cells[unit as usize], self.unit_on(state, enemies, targets.nth(n)));
        }
        let height = self.rules.grid.height;
        let steps = steps(&self.rules.grid, landing);
        for (direction, &step) in steps.iter().enumerate() {
            let hit = step & targets;
            let count = hit.count();
            if n < count {
                let cell = hit.nth(n);
                let from =
                    [cell.wrapping_sub(height), cell + 1, cell + height, cell.wrapping_sub(1)];
                return (from[direction], self.unit_on(state, enemies, cell));
            }
            n -= count;
        }
        panic!("there is no attack with this number")
    }

    /// Which of these units stands on a cell; there must be one.
    #[inline]
    pub fn unit_on(&self, state: &State<W, N>, units: u64, cell: u16) -> u8 {
        bits(units)
            .find(|&unit| state.cells[unit as usize] == cell)
            .expect("a unit stands on an occupied cell")
    }
}

/// The cells one step to the east, north, west and south of these.
#[inline]
fn steps<const W: usize>(grid: &Grid<W>, cells: Cells<W>) -> [Cells<W>; 4] {
    [grid.east(cells), grid.north(cells), grid.west(cells), grid.south(cells)]
}
