//! SatD2 (Sato): alpha-beta over two turns, its own and the enemy's, unit by unit. Units act by
//! ascending or by descending number only, the enemy only attacks, once per target and unit, and what
//! follows is judged by one greedy exchange and hit points. Only the first action is played; then it
//! searches again.
//!
//! The original searches without any limit, which takes minutes with five units a side. Here a node
//! limit is shared equally by the actions at the root, so that all of them are looked at; with a limit of
//! time such searches follow each other, with ever more nodes. In flipped
//! games the original takes the wrong side; this one does not.

use super::*;

pub(super) const DECLARATION: Declaration = Declaration::searching(
    "satd2",
    "SatD2 of TUBSTAP: looks two turns ahead with some of the units",
    "positions an action; 100,000 if nothing is said",
);

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SatD2Settings {
    /// Positions that are looked at for one action.
    pub node_limit: u64,
    /// The most units of the own side and of the enemy's that take part.
    pub own_units: usize,
    pub enemy_units: usize,
    /// Processor time for a whole turn. An action may take a fixed part of what the actions before it left: with a unit
    /// less to search, the next one needs much less.
    pub cpu_per_turn: Option<Duration>,
}

impl SatD2Settings {
    /// As in version 1.08, which has no node limit.
    pub const STOCK: SatD2Settings =
        SatD2Settings { node_limit: u64::MAX, own_units: 5, enemy_units: 20, cpu_per_turn: None };

    /// With the node limit of the related player that entered GAT 2017.
    pub const LIMITED: SatD2Settings =
        SatD2Settings { node_limit: 100_000, ..SatD2Settings::STOCK };
}

player_settings!(
    SatD2Settings,
    LIMITED,
    |settings, n| settings.node_limit = n,
    timed: STOCK {}
);

/// With a limit of time it searches again and again, with this number of nodes first and then with more.
const FIRST_PASS: u64 = 10_000;
const PASS_GROWTH: u64 = 4;
/// The part of the time that is left in a turn which an action may take.
const TIME_SHARE: f64 = 0.6;
/// Weights of the units that take part: hit points, and nearness to the middle of the fight.
const HIT_POINT_WEIGHT: i32 = 10;
const NEARNESS_BASE: i32 = 15;
/// An exchange at a leaf must be worth more than this.
const LEAST_EXCHANGE: i32 = -8;

fn weight(kind: Kind) -> i32 {
    if kind == Kind::Infantry { 1 } else { 4 }
}

#[derive(Clone, Debug, Default)]
pub struct SatD2 {
    settings: SatD2Settings,
}

impl SatD2 {
    pub fn new(settings: SatD2Settings) -> SatD2 {
        SatD2 { settings }
    }
}

/// The units that take part, on both sides.
fn participants<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    player: Player,
    settings: &SatD2Settings,
) -> u64 {
    let own = game.unfinished(state, player);
    let enemies = state.alive & game.rules().sides[player.index() ^ 1];
    let all_own = state.alive & game.rules().sides[player.index()];
    let centroid = |units: u64| {
        let n = units.count_ones().max(1) as i32;
        let places = || bits(units).map(|unit| game.rules().grid.place(state.cells[unit as usize]));
        let x: i32 = places().map(|(x, _)| i32::from(x)).sum();
        let y: i32 = places().map(|(_, y)| i32::from(y)).sum();
        (x / n, y / n)
    };
    let (own_middle, enemy_middle) = (centroid(all_own), centroid(enemies));
    let middle = ((own_middle.0 + enemy_middle.0) / 2, (own_middle.1 + enemy_middle.1) / 2);
    let best = |units: u64, n: usize| {
        let mut ranked: Vec<(i32, u8)> = bits(units)
            .map(|unit| {
                let (x, y) = game.rules().grid.place(state.cells[unit as usize]);
                let distance = (i32::from(x) - middle.0).abs() + (i32::from(y) - middle.1).abs();
                let hit_points = i32::from(state.hit_points[unit as usize]);
                (HIT_POINT_WEIGHT * hit_points + NEARNESS_BASE - distance, unit)
            })
            .collect();
        ranked.sort_by_key(|&(weight, unit)| (-weight, unit));
        ranked.iter().take(n).fold(0, |set, &(_, unit)| set | 1u64 << unit)
    };
    best(own, settings.own_units) | best(enemies, settings.enemy_units)
}

/// One search: the units that take part, and what is left of the budget.
struct Search<'a, 'b, const W: usize, const N: usize> {
    game: &'a Tubstap<W, N>,
    own: usize,
    units: u64,
    meter: &'a mut Meter<'b>,
    /// Positions that the action at the root may still cost.
    left: u64,
    /// Whether something was left out for lack of budget.
    is_cut: bool,
    rng: &'a mut Rng,
    is_descending: [bool; 2],
    buffers: Vec<Vec<Action>>,
}

impl<const W: usize, const N: usize> Search<'_, '_, W, N> {
    /// The next unit of a side in the order of this search.
    fn next_unit(&self, state: &State<W, N>, side: usize) -> Option<u8> {
        let units = self.game.unfinished(state, Player(side as u8)) & self.units;
        if units == 0 {
            None
        } else if self.is_descending[usize::from(side != self.own)] {
            Some(63 - units.leading_zeros() as u8)
        } else {
            Some(units.trailing_zeros() as u8)
        }
    }

    fn may_go_on(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        let may = self.left > 0 && self.meter.another();
        self.is_cut |= !may;
        may
    }

    /// The best action at the root with this many nodes for all of them together.
    fn pass(&mut self, state: &State<W, N>, roots: &[(bool, Action)], nodes: u64) -> Action {
        let mut best = (i32::MIN + 1, roots[0].1);
        let end = self.meter.done().saturating_add(nodes);
        self.is_cut = false;
        for (i, &(is_descending, action)) in (0..).zip(roots) {
            let n_left = roots.len() as u64 - i;
            self.left = (end.saturating_sub(self.meter.done()) / n_left).max(2);
            self.is_descending[0] = is_descending;
            let mut next = *state;
            self.game.act(&mut next, action);
            let value = self.own_turn(&next, best.0, i32::MAX);
            if value > best.0 {
                best = (value, action);
            }
        }
        best.1
    }

    /// The value of the rest of the own turn.
    fn own_turn(&mut self, state: &State<W, N>, mut alpha: i32, beta: i32) -> i32 {
        let next = self.next_unit(state, self.own);
        let (Some(unit), false) = (next, self.game.is_wiped_out(state, self.own ^ 1)) else {
            return self.reply(state, alpha, beta);
        };
        let mut actions = self.buffers.pop().unwrap_or_default();
        actions.clear();
        self.game.actions_of(state, unit, Attacks::Effective, &mut actions);
        for &action in &actions {
            let mut next = *state;
            self.game.act(&mut next, action);
            let value = self.own_turn(&next, alpha, beta);
            alpha = alpha.max(value);
            if alpha >= beta || !self.may_go_on() {
                break;
            }
        }
        self.buffers.push(actions);
        alpha
    }

    /// The enemy's best turn in either order of its units.
    fn reply(&mut self, state: &State<W, N>, alpha: i32, mut beta: i32) -> i32 {
        let mut state = *state;
        self.game.refresh(&mut state, self.own ^ 1);
        for is_descending in [false, true] {
            self.is_descending[1] = is_descending;
            beta = beta.min(self.enemy_turn(&state, alpha, beta));
            if alpha >= beta {
                break;
            }
        }
        beta
    }

    fn enemy_turn(&mut self, state: &State<W, N>, alpha: i32, mut beta: i32) -> i32 {
        let next = self.next_unit(state, self.own ^ 1);
        let (Some(unit), false) = (next, self.game.is_wiped_out(state, self.own)) else {
            return leaf(self.game, state, self.own);
        };
        let mut actions = self.buffers.pop().unwrap_or_default();
        actions.clear();
        self.one_attack_per_target(state, unit, &mut actions);
        if actions.is_empty() {
            actions.push(Action::go(unit, state.cells[unit as usize]));
        }
        for &action in &actions {
            let mut next = *state;
            self.game.act(&mut next, action);
            let value = self.enemy_turn(&next, alpha, beta);
            beta = beta.min(value);
            if alpha >= beta || !self.may_go_on() {
                break;
            }
        }
        self.buffers.push(actions);
        beta
    }

    /// For each target the attack from the cell that the fewest opponents can strike; ties by coin.
    fn one_attack_per_target(&mut self, state: &State<W, N>, unit: u8, out: &mut Vec<Action>) {
        let game = self.game;
        let landing = game.landing(state, unit, game.reach(state, unit));
        game.attacks_of(state, unit, landing, Attacks::Effective, out);
        if game.rules().kinds[unit as usize].is_indirect() || out.is_empty() {
            return;
        }
        let opponents = state.alive & game.rules().sides[game.enemy_index(unit)];
        let seen = |cell: u16| {
            let sees = |&other: &u8| {
                let kind = game.rules().kinds[other as usize];
                let from = usize::from(state.cells[other as usize]);
                game.rules().threat[from][kind as usize].has(cell)
            };
            bits(opponents).filter(sees).count()
        };
        let mut kept: usize = 0;
        for i in 0..out.len() {
            let action = out[i];
            let last = kept.checked_sub(1).map(|last| out[last]);
            match last.filter(|last| last.target == action.target) {
                Some(last) => {
                    let (old, new) = (seen(last.to), seen(action.to));
                    if new < old || new == old && self.rng.below(2) == 0 {
                        out[kept - 1] = action;
                    }
                }
                None => {
                    out[kept] = action;
                    kept += 1;
                }
            }
        }
        out.truncate(kept);
    }
}

/// What a position is worth to a side that is to move: each of its units makes its best exchange with
/// an enemy that seems to be in range, then hit points are compared.
fn leaf<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    own: usize,
) -> i32 {
    let mut state = *state;
    for unit in bits(state.alive & game.rules().sides[own]) {
        let factor = weight(game.rules().kinds[unit as usize]);
        let mut best = None;
        let mut best_value = LEAST_EXCHANGE;
        for enemy in bits(state.alive & game.rules().sides[own ^ 1]) {
            if !seems_in_range(game, &state, unit, enemy) {
                continue;
            }
            let attack = Action::attack(unit, state.cells[unit as usize], enemy);
            let (damage, counter) = game.exchange_of(&state, attack);
            let value = (i32::from(damage) - i32::from(counter)) * factor;
            if value > best_value && damage > 0 {
                (best, best_value) = (Some(attack), value);
            }
        }
        if let Some(attack) = best {
            game.act(&mut state, attack);
        }
    }
    weighted(game, &state, own, weight) - weighted(game, &state, own ^ 1, weight)
}

/// Whether an enemy looks attackable: obstacles do not count for aircraft and infantry, and only
/// terrain counts for vehicles.
fn seems_in_range<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    unit: u8,
    enemy: u8,
) -> bool {
    let kind = game.rules().kinds[unit as usize];
    let (from, to) = (state.cells[unit as usize], state.cells[enemy as usize]);
    let distance = game.rules().distance(from, to);
    match kind {
        Kind::Cannon => CANNON_RANGE.contains(&distance),
        Kind::Panzer | Kind::AntiAir => {
            game.rules().threat[usize::from(from)][Kind::Panzer as usize].has(to)
        }
        _ => distance <= kind.move_points() + 1,
    }
}

impl<const W: usize, const N: usize> Agent<Tubstap<W, N>> for SatD2 {
    fn choose(
        &mut self,
        game: &Tubstap<W, N>,
        state: &State<W, N>,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Action>, Forfeit> {
        check_turn(game, state, player)?;
        let n_acted = n_sharing(game, state, player) - game.unfinished(state, player).count_ones();
        let share = TIME_SHARE * libm::pow(1.0 - TIME_SHARE, n_acted.into());
        let cpu = self.settings.cpu_per_turn.map(|turn| turn.mul_f64(share));
        let limit = self.settings.node_limit;
        let mut meter = budget(limit, cpu).begin(context.stop);
        let units = participants(game, state, player, &self.settings);
        let mut roots = Vec::new();
        for is_descending in [false, true] {
            let own = game.unfinished(state, player) & units;
            let n = if is_descending { own.count_ones() as usize - 1 } else { 0 };
            let unit = bits(own).nth(n).expect("there is one");
            let mut actions = Vec::new();
            game.actions_of(state, unit, Attacks::Effective, &mut actions);
            roots.extend(actions.into_iter().map(|action| (is_descending, action)));
        }
        let mut search = Search {
            game,
            own: player.index(),
            units,
            meter: &mut meter,
            left: 0,
            is_cut: false,
            rng: context.rng,
            is_descending: [false; 2],
            buffers: Vec::new(),
        };
        let mut nodes = if cpu.is_some() { FIRST_PASS.min(limit) } else { limit };
        let mut action = search.pass(state, &roots, nodes);
        while nodes < limit && search.is_cut && search.meter.another() {
            nodes = nodes.saturating_mul(PASS_GROWTH).min(limit);
            let found = search.pass(state, &roots, nodes);
            // A pass that ran out of time has looked at the last actions less closely.
            if search.meter.another() {
                action = found;
            }
        }
        let nodes = meter.done();
        Ok(decided(action, None, nodes, nodes))
    }
}
