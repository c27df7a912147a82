//! Military Staff System, winner at GPW 2015: two rounds of planning. In each round every unit rates its
//! actions on a map that shows only who is near, while the others follow the plan before; then
//! combinations of good actions are tried and rated by playouts of the whole map.
//!
//! What is kept of the original because it changes its strength:
//! - an attack gets a bonus even if it does no damage, so it wants `attacks=all`;
//! - after a whole plan a playout begins with an empty turn of its own side;
//! - playouts do not stop at a wipe-out, and an even end counts as lost.
//!
//! The original lets its loose check of legality decide which actions can still be done in another
//! order; here that is the strict check.

use std::time::Duration;

use sakiyomi_core::{Agent, Choice, Context, Forfeit, Meter, Player, Rng};

use super::{Plan, budget, decided, not_to_move};
use crate::tubstap::cells::{Cells, bits};
use crate::tubstap::{Action, Attacks, Kind, State, Tubstap};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MilitaryStaffSettings {
    pub rounds: u32,
    /// Playouts for each action of a unit, and for each combined plan.
    pub action_playouts: u32,
    pub plan_playouts: u32,
    /// Combined plans that are tried in a round.
    pub plans: u32,
    /// Turns of both sides in a playout.
    pub depth: u32,
    pub attack_bonus: f64,
    /// Processor time for a whole turn: numbers of playouts shrink when it runs out.
    pub cpu_per_turn: Option<Duration>,
}

impl MilitaryStaffSettings {
    /// As in version 1.08.
    pub const STOCK: MilitaryStaffSettings = MilitaryStaffSettings {
        rounds: 2,
        action_playouts: 100,
        plan_playouts: 100,
        plans: 100,
        depth: 10,
        attack_bonus: 0.2,
        cpu_per_turn: None,
    };

    /// The stock player with a limit of processor time for a turn.
    pub fn timed(cpu_per_turn: Duration) -> MilitaryStaffSettings {
        MilitaryStaffSettings { cpu_per_turn: Some(cpu_per_turn), ..MilitaryStaffSettings::STOCK }
    }
}

impl Default for MilitaryStaffSettings {
    fn default() -> MilitaryStaffSettings {
        MilitaryStaffSettings::STOCK
    }
}

/// The rating of a move that no enemy sees.
const UNSEEN: f64 = 0.5;
/// In the second round: how many of the trials keep which share of the first round's plan.
const KEPT: [(u32, f64); 3] = [(30, 0.7), (60, 0.5), (100, 0.3)];

#[derive(Clone, Debug)]
pub struct MilitaryStaff<const W: usize, const N: usize> {
    settings: MilitaryStaffSettings,
    plan: Plan<W, N>,
}

/// The actions of one unit, best first.
type Rated = Vec<(Action, f64)>;

impl<const W: usize, const N: usize> MilitaryStaff<W, N> {
    pub fn new(settings: MilitaryStaffSettings) -> MilitaryStaff<W, N> {
        MilitaryStaff { settings, plan: Plan::default() }
    }

    fn make_plan(
        &self,
        game: &Tubstap<W, N>,
        start: &State<W, N>,
        player: Player,
        meter: &mut Meter<'_>,
        rng: &mut Rng,
    ) -> (Vec<Action>, f64) {
        let units: Vec<u8> = bits(game.unfinished(start, player)).collect();
        let mut plan: Vec<Action> =
            units.iter().map(|&unit| Action::go(unit, start.cells[unit as usize])).collect();
        let mut best_rating = 0.0;
        for round in 0..self.settings.rounds {
            let rated: Vec<Rated> = units
                .iter()
                .map(|&unit| self.rate_unit(game, start, unit, &plan, meter, rng))
                .collect();
            let before = plan.clone();
            best_rating = -1.0;
            for trial in 0..self.settings.plans {
                let kept =
                    if round == 0 { 0 } else { kept(trial, self.settings.plans, before.len()) };
                let (candidate, after) = combine(game, start, player, &before[..kept], &rated, rng);
                let rating =
                    self.rate(game, &after, player, self.settings.plan_playouts, meter, rng);
                if rating > best_rating {
                    (plan, best_rating) = (candidate, rating);
                }
                if !meter.another() {
                    return (plan, best_rating);
                }
            }
        }
        (plan, best_rating)
    }

    /// Rates every action of a unit while the others follow the plan.
    fn rate_unit(
        &self,
        game: &Tubstap<W, N>,
        start: &State<W, N>,
        unit: u8,
        plan: &[Action],
        meter: &mut Meter<'_>,
        rng: &mut Rng,
    ) -> Rated {
        let player = game.side(unit as usize);
        let mut state = *start;
        for &action in plan.iter().filter(|action| action.unit != unit) {
            if game.is_legal(&state, player, action, game.rules.settings.attacks) {
                game.act(&mut state, action);
            }
        }
        let mut actions = Vec::new();
        game.actions_of(&state, unit, game.rules.settings.attacks, &mut actions);
        let mut rated: Rated = actions
            .into_iter()
            .map(|action| (action, self.rate_action(game, &state, player, action, meter, rng)))
            .collect();
        rated.sort_by(|a, b| b.1.total_cmp(&a.1));
        rated
    }

    fn rate_action(
        &self,
        game: &Tubstap<W, N>,
        state: &State<W, N>,
        player: Player,
        action: Action,
        meter: &mut Meter<'_>,
        rng: &mut Rng,
    ) -> f64 {
        let mut after = *state;
        game.act(&mut after, action);
        let bonus = if action.is_attack() { self.settings.attack_bonus } else { 0.0 };
        let enemies = near_enemies(game, &after, action.unit);
        if enemies == 0 && !action.is_attack() {
            return UNSEEN;
        }
        let own = after.alive & game.rules.sides[player.index()];
        let helpers = bits(own)
            .filter(|&ally| ally == action.unit || can_hit_any(game, &after, ally, enemies))
            .fold(0, |set, ally| set | 1u64 << ally);
        game.hide(&mut after, !(enemies | helpers));
        let n = if meter.another() { self.settings.action_playouts } else { 1 };
        self.rate(game, &after, player, n, meter, rng) + bonus
    }

    /// The share of playouts that a side wins.
    fn rate(
        &self,
        game: &Tubstap<W, N>,
        state: &State<W, N>,
        player: Player,
        n: u32,
        meter: &mut Meter<'_>,
        rng: &mut Rng,
    ) -> f64 {
        let (mut wins, mut done) = (0, 0);
        while done < n.max(1) {
            let mut end = *state;
            for turn in 0..self.settings.depth {
                let side = player.index() ^ (turn as usize & 1);
                play_turn(game, &mut end, Player(side as u8), rng);
                game.refresh(&mut end, side);
            }
            let worth = |side: usize| {
                game.weighted(&end, side, |kind| if kind == Kind::Infantry { 1 } else { 5 })
            };
            wins += u32::from(worth(player.index()) > worth(player.index() ^ 1));
            done += 1;
            if !meter.another() {
                break;
            }
        }
        f64::from(wins) / f64::from(done)
    }
}

/// How many actions of the first round's plan a trial keeps, rounded half to even.
fn kept(trial: u32, trials: u32, n_actions: usize) -> usize {
    let percent = trial * 100 / trials.max(1);
    let share = KEPT.iter().find(|(below, _)| percent < *below).map_or(0.3, |(_, share)| *share);
    libm::rint(share * n_actions as f64) as usize
}

/// The start of a plan, then the other units in random order, each with its best action that is
/// still legal. Returns the plan and the state after it.
fn combine<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    start: &State<W, N>,
    player: Player,
    kept: &[Action],
    rated: &[Rated],
    rng: &mut Rng,
) -> (Vec<Action>, State<W, N>) {
    let which = game.rules.settings.attacks;
    let mut state = *start;
    let mut plan = Vec::new();
    for &action in kept {
        if game.is_legal(&state, player, action, which) {
            game.act(&mut state, action);
            plan.push(action);
        }
    }
    let mut order: Vec<usize> = (0..rated.len()).collect();
    rng.shuffle(&mut order);
    for unit in order {
        let mut actions = rated[unit].iter().map(|(action, _)| *action);
        if let Some(action) = actions.find(|&a| game.is_legal(&state, player, a, which)) {
            game.act(&mut state, action);
            plan.push(action);
        }
    }
    (plan, state)
}

/// The enemies that a unit can hit from where it stands, or that can hit it.
fn near_enemies<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    unit: u8,
) -> u64 {
    if state.alive >> unit & 1 == 0 {
        return 0;
    }
    let strikes = game.strikes(state, unit);
    let own = state.cells[unit as usize];
    bits(state.alive & game.rules.sides[game.enemy_index(unit)])
        .filter(|&enemy| {
            strikes.has(state.cells[enemy as usize]) || game.strikes(state, enemy).has(own)
        })
        .fold(0, |set, enemy| set | 1 << enemy)
}

fn can_hit_any<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    unit: u8,
    enemies: u64,
) -> bool {
    let strikes = game.strikes(state, unit);
    bits(enemies).any(|enemy| strikes.has(state.cells[enemy as usize]))
}

/// A turn of a playout: units in random order, each attacks if it can or else goes towards the
/// nearest enemy.
fn play_turn<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &mut State<W, N>,
    player: Player,
    rng: &mut Rng,
) {
    let mut units = game.unfinished(state, player);
    let other = player.index() ^ 1;
    while units != 0 && !game.is_wiped_out(state, other) {
        let n = rng.below(units.count_ones() as usize);
        let unit = bits(units).nth(n).expect("counted");
        units &= !(1 << unit);
        let landing = game.landing(state, unit, game.reach(state, unit));
        let near = game.in_reach(state, unit, landing) & state.occupied[other];
        let action = game
            .draw_attack(state, unit, landing, near, Attacks::All, rng)
            .unwrap_or_else(|| Action::go(unit, draw_advance(game, state, unit, landing, rng)));
        game.act(state, action);
    }
}

/// A random cell of those where the unit may stop in the rectangle between it and the nearest enemy.
fn draw_advance<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    unit: u8,
    landing: Cells<W>,
    rng: &mut Rng,
) -> u16 {
    let own = state.cells[unit as usize];
    let enemies = bits(state.alive & game.rules.sides[game.enemy_index(unit)]);
    let nearest = enemies
        .map(|enemy| state.cells[enemy as usize])
        .min_by_key(|&cell| game.rules.distance(own, cell));
    let Some(nearest) = nearest else { return own };
    let choice = landing & game.rules.rectangle(own, nearest);
    choice.nth(rng.below(choice.count() as usize) as u32)
}

impl<const W: usize, const N: usize> Agent<Tubstap<W, N>> for MilitaryStaff<W, N> {
    fn choose(
        &mut self,
        game: &Tubstap<W, N>,
        state: &State<W, N>,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Action>, Forfeit> {
        if let Some(action) = self.plan.next(game, state) {
            return Ok(decided(action, None, 1, 0));
        }
        if game.unfinished(state, player) == 0 || game.is_over(state) {
            return Err(not_to_move());
        }
        let mut meter = budget(u64::MAX, self.settings.cpu_per_turn).begin(context.stop);
        let (plan, rating) = self.make_plan(game, state, player, &mut meter, context.rng);
        self.plan.set(state, &plan);
        let action = self.plan.next(game, state).unwrap_or(Action::END);
        Ok(decided(action, Some(rating.clamp(0.0, 1.0)), meter.done(), 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_shares_are_rounded_half_to_even() {
        assert_eq!([0, 29, 30, 59, 60, 99].map(|trial| kept(trial, 100, 5)), [4, 4, 2, 2, 2, 2]);
        assert_eq!([0, 30, 60].map(|trial| kept(trial, 100, 7)), [5, 4, 2]);
        assert_eq!([0, 2, 4].map(|trial| kept(trial, 5, 10)), [7, 5, 3]);
    }
}
