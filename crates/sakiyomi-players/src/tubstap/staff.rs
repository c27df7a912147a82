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

use super::*;

pub(super) const DECLARATION: Declaration = Declaration {
    word: Some(NUMBERS),
    ..Declaration::searching(
        "staff",
        "Military Staff System of TUBSTAP, which wants attacks=all",
        "combined plans a round; 100 if nothing is said",
    )
};

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
    /// Processor time for a whole turn, shared equally by its four stages (actions and plans of two rounds). Numbers of
    /// playouts then follow from it.
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

    /// For judging maps: much the same player in a thirtieth of the time.
    pub const QUICK: MilitaryStaffSettings = MilitaryStaffSettings {
        action_playouts: 10,
        plan_playouts: 10,
        plans: 10,
        ..MilitaryStaffSettings::STOCK
    };
}

player_settings!(
    MilitaryStaffSettings,
    STOCK,
    |settings, n| settings.plans = n.min(u32::MAX.into()) as u32,
    timed: STOCK {}
);

/// Playouts that an action or a plan gets at once when the time is limited.
const SWEEP: u32 = 4;
/// Plans that are made and rated together.
const PLANS_AT_ONCE: u32 = 1_000;
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

struct Decided {
    plan: Vec<Action>,
    rating: f64,
    n_playouts: u64,
}

impl<const W: usize, const N: usize> MilitaryStaff<W, N> {
    pub fn new(settings: MilitaryStaffSettings) -> MilitaryStaff<W, N> {
        MilitaryStaff { settings, plan: Plan::default() }
    }

    fn make_plan(
        &self,
        game: &Tubstap<W, N>,
        start: &State<W, N>,
        player: Player,
        context: &mut Context<'_>,
    ) -> Decided {
        let units: Vec<u8> = bits(game.unfinished(start, player)).collect();
        let stay = |&unit: &u8| Action::go(unit, start.cells[unit as usize]);
        let mut decided =
            Decided { plan: units.iter().map(stay).collect(), rating: 0.0, n_playouts: 0 };
        for round in 0..self.settings.rounds {
            let (rated, n_playouts) =
                self.rate_units(game, start, player, &units, &decided.plan, context);
            decided.n_playouts += n_playouts;
            self.try_plans(game, start, player, round, &rated, &mut decided, context);
        }
        decided
    }

    /// Tries combined plans and keeps the best. They are made and rated a limited number at a time, so that any number
    /// of them takes little memory and a stop is noticed; with a limit of time there is one such lot.
    #[allow(clippy::too_many_arguments, reason = "a part of make_plan")]
    fn try_plans(
        &self,
        game: &Tubstap<W, N>,
        start: &State<W, N>,
        player: Player,
        round: u32,
        rated: &[Rated],
        decided: &mut Decided,
        context: &mut Context<'_>,
    ) {
        let before = std::mem::take(&mut decided.plan);
        let n_trials = match self.settings.cpu_per_turn {
            Some(_) => self.settings.plans.clamp(1, PLANS_AT_ONCE),
            None => self.settings.plans.max(1),
        };
        decided.rating = -1.0;
        let mut first = 0;
        while first < n_trials && (first == 0 || !context.stop.requested()) {
            let end = first.saturating_add(PLANS_AT_ONCE).min(n_trials);
            let (mut plans, mut ends) = (Vec::new(), Vec::new());
            for trial in first..end {
                let kept = if round == 0 { 0 } else { kept(trial, n_trials, before.len()) };
                let (plan, end) = combine(game, start, player, &before[..kept], rated, context.rng);
                plans.push(plan);
                ends.push(Some(end));
            }
            let n = self.settings.plan_playouts;
            let (ratings, n_playouts) = self.rate(game, &ends, player, n, context);
            decided.n_playouts += n_playouts;
            let best = first_best(&ratings);
            if ratings[best] > decided.rating {
                decided.rating = ratings[best];
                decided.plan = plans.swap_remove(best);
            }
            first = end;
        }
    }

    /// Rates every action of every unit while the others follow the plan. Also returns the playouts that were made.
    fn rate_units(
        &self,
        game: &Tubstap<W, N>,
        start: &State<W, N>,
        player: Player,
        units: &[u8],
        plan: &[Action],
        context: &mut Context<'_>,
    ) -> (Vec<Rated>, u64) {
        let mut actions = Vec::new();
        let mut seen = Vec::new();
        for &unit in units {
            let mut state = *start;
            for &action in plan.iter().filter(|action| action.unit != unit) {
                if game.is_legal(&state, player, action, game.rules().settings.attacks) {
                    game.act(&mut state, action);
                }
            }
            let first = actions.len();
            game.actions_of(&state, unit, game.rules().settings.attacks, &mut actions);
            seen.extend(actions[first..].iter().map(|&action| view(game, &state, player, action)));
        }
        let n = self.settings.action_playouts;
        let (ratings, n_playouts) = self.rate(game, &seen, player, n, context);
        let rated_of = |&unit: &u8| {
            let of_unit = actions.iter().zip(&ratings).filter(|(action, _)| action.unit == unit);
            let bonus = |action: &Action| {
                if action.is_attack() { self.settings.attack_bonus } else { 0.0 }
            };
            let mut rated: Rated =
                of_unit.map(|(&action, rating)| (action, rating + bonus(&action))).collect();
            rated.sort_by(|a, b| b.1.total_cmp(&a.1));
            rated
        };
        (units.iter().map(rated_of).collect(), n_playouts)
    }

    /// The share of playouts that a side wins from each of these positions, and how many were made. A position that
    /// is not there is rated without any.
    ///
    /// Without a limit of time each gets `n` playouts. With one each gets some in turn until the time for this
    /// stage is over, so that more time means more playouts for all of them.
    fn rate(
        &self,
        game: &Tubstap<W, N>,
        positions: &[Option<State<W, N>>],
        player: Player,
        n: u32,
        context: &mut Context<'_>,
    ) -> (Vec<f64>, u64) {
        let n_stages = 2 * self.settings.rounds.max(1);
        let cpu = self.settings.cpu_per_turn.map(|turn| turn / n_stages);
        let mut meter = budget(u64::MAX, cpu).begin(context.stop);
        let a_sweep = if cpu.is_some() { SWEEP } else { n.max(1) };
        let mut tallies = vec![(0u32, 0u32); positions.len()];
        let mut n_playouts = 0;
        let mut goes_on = positions.iter().any(Option::is_some);
        while goes_on {
            for (position, (wins, done)) in positions.iter().zip(&mut tallies) {
                let Some(position) = position else { continue };
                for _ in 0..a_sweep {
                    goes_on &= meter.another();
                    // Each is played out at least once, whatever the time.
                    if !goes_on && *done > 0 {
                        break;
                    }
                    *wins += u32::from(self.play_out(game, position, player, context.rng));
                    *done += 1;
                    n_playouts += 1;
                }
            }
            goes_on &= cpu.is_some();
        }
        let share = |&(wins, done): &(u32, u32)| {
            if done == 0 { UNSEEN } else { f64::from(wins) / f64::from(done) }
        };
        (tallies.iter().map(share).collect(), n_playouts)
    }

    /// Whether a side is ahead after a playout.
    fn play_out(
        &self,
        game: &Tubstap<W, N>,
        position: &State<W, N>,
        player: Player,
        rng: &mut Rng,
    ) -> bool {
        let mut end = *position;
        for turn in 0..self.settings.depth {
            let side = player.index() ^ (turn as usize & 1);
            play_turn(game, &mut end, Player(side as u8), rng);
            game.refresh(&mut end, side);
        }
        let worth = |side: usize| {
            weighted(game, &end, side, |kind| if kind == Kind::Infantry { 1 } else { 5 })
        };
        worth(player.index()) > worth(player.index() ^ 1)
    }
}

/// What a unit sees after an action: itself, the enemies near it and the allies that can hit those. None if it
/// only moves and sees no enemy.
fn view<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    player: Player,
    action: Action,
) -> Option<State<W, N>> {
    let mut after = *state;
    game.act(&mut after, action);
    let enemies = near_enemies(game, &after, action.unit);
    if enemies == 0 && !action.is_attack() {
        return None;
    }
    let own = after.alive & game.rules().sides[player.index()];
    let helpers = bits(own)
        .filter(|&ally| ally == action.unit || can_hit_any(game, &after, ally, enemies))
        .fold(0, |set, ally| set | 1u64 << ally);
    hide(game, &mut after, !(enemies | helpers));
    Some(after)
}

/// The number of the largest; the first of equals.
fn first_best(ratings: &[f64]) -> usize {
    let mut best = 0;
    for (i, rating) in ratings.iter().enumerate() {
        if *rating > ratings[best] {
            best = i;
        }
    }
    best
}

/// How many actions of the first round's plan a trial keeps, rounded half to even.
fn kept(trial: u32, trials: u32, n_actions: usize) -> usize {
    let percent = (u64::from(trial) * 100 / u64::from(trials.max(1))) as u32;
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
    let which = game.rules().settings.attacks;
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
    bits(state.alive & game.rules().sides[game.enemy_index(unit)])
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
    let enemies = bits(state.alive & game.rules().sides[game.enemy_index(unit)]);
    let nearest = enemies
        .map(|enemy| state.cells[enemy as usize])
        .min_by_key(|&cell| game.rules().distance(own, cell));
    let Some(nearest) = nearest else { return own };
    let choice = landing & game.rules().rectangle(own, nearest);
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
        check_turn(game, state, player)?;
        let made = self.make_plan(game, state, player, context);
        self.plan.set(state, &made.plan);
        let action = self.plan.next(game, state).unwrap_or(Action::END);
        Ok(decided(action, Some(made.rating), made.n_playouts, 0))
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
