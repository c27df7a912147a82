//! Sample_MaxActionEvalFunc, the example player of the original: one step of greed.
//!
//! Each call it rates every attack that does damage by what it does and takes, where a target counts
//! more if it threatens own units that have already acted; without a good attack, a random unit goes
//! where terrain and distance to an enemy that it can hurt suit it best.

use super::*;

pub(super) const DECLARATION: Declaration = Declaration::plain(
    "sample",
    "Sample_MaxActionEvalFunc of TUBSTAP: the best attack, or a step towards the enemy",
);

/// What is added to the threat of a target, and to the own hit points.
const BASE: i32 = 10;
/// An attack must be worth more than this.
const LEAST_VALUE: i32 = -20;
const STAR_WEIGHT: i32 = 5;
/// Added to the distance of an enemy.
const DISTANCE_BASE: i32 = 5;

#[derive(Clone, Copy, Debug, Default)]
pub struct MaxActionEval;

impl<const W: usize, const N: usize> Agent<Tubstap<W, N>> for MaxActionEval {
    fn choose(
        &mut self,
        game: &Tubstap<W, N>,
        state: &State<W, N>,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Action>, Forfeit> {
        let units = game.unfinished(state, player);
        if units == 0 {
            return Err(not_to_move());
        }
        let mut attacks = Vec::new();
        game.attacks(state, player, Attacks::Effective, &mut attacks);
        let action = best_attack(game, state, player, &attacks).unwrap_or_else(|| {
            let n = context.rng.below(units.count_ones() as usize);
            approach(game, state, bits(units).nth(n).expect("counted"))
        });
        Ok(decided(action, None, attacks.len() as u64 + 1, 0))
    }
}

/// The first of the best attacks, if one is good enough.
pub(super) fn best_attack<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    player: Player,
    attacks: &[Action],
) -> Option<Action> {
    if attacks.is_empty() {
        return None;
    }
    let threats = threats(game, state, player);
    let mut best = None;
    let mut best_value = LEAST_VALUE;
    for &attack in attacks {
        let (damage, counter) = game.exchange_of(state, attack);
        let hit_points = i32::from(state.hit_points[attack.unit as usize]);
        let value = i32::from(damage) * (BASE + threats[attack.target as usize])
            - i32::from(counter) * (BASE + hit_points);
        if value > best_value {
            (best, best_value) = (Some(attack), value);
        }
    }
    best
}

/// By enemy: the most damage it could do to a unit of ours that has acted.
fn threats<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    player: Player,
) -> [i32; N] {
    let mut threats = [0; N];
    let own = state.alive & state.finished & game.rules().sides[player.index()];
    if own == 0 {
        return threats;
    }
    for enemy in bits(state.alive & game.rules().sides[player.index() ^ 1]) {
        let strikes = game.strikes(state, enemy);
        let damages = bits(own)
            .filter(|&unit| strikes.has(state.cells[unit as usize]))
            .map(|unit| game.damage_between(state, enemy as usize, unit as usize).into());
        threats[enemy as usize] = damages.max().unwrap_or(0);
    }
    threats
}

/// The cell with the best terrain and nearness to an enemy that the unit can hurt.
pub(super) fn approach<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    unit: u8,
) -> Action {
    let kind = game.rules().kinds[unit as usize];
    let enemies = state.alive & game.rules().sides[game.enemy_index(unit)];
    let landing = game.landing(state, unit, game.reach(state, unit));
    let mut best = Action::go(unit, state.cells[unit as usize]);
    let mut best_value = i32::MIN;
    for to in landing.iter() {
        let stars = if kind.is_air() { 0 } else { i32::from(game.rules().stars[usize::from(to)]) };
        for enemy in bits(enemies) {
            let power = kind.power(game.rules().kinds[enemy as usize]) as i32;
            let distance = game.rules().distance(to, state.cells[enemy as usize]) as i32;
            let value = STAR_WEIGHT * stars + power / (distance + DISTANCE_BASE);
            if value > best_value {
                (best, best_value) = (Action::go(unit, to), value);
            }
        }
    }
    best
}
