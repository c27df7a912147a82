//! What a search may know beyond the rules.

use sakiyomi_core::{Hints, Payoffs, Player};

use super::cells::bits;
use super::{Action, Attacks, Kind, State, Tubstap};
use crate::two_players::squash;

/// What a hit point of each kind is worth, as in Neller's evaluation.
pub(super) const WORTH: [f64; 6] = [4.0, 6.0, 4.0, 4.0, 2.5, 1.0];

/// A unit that falls counts as so many hit points more.
const KILL_BONUS: f64 = 2.0;

/// A lead of this share of all that is left is half of the way to a sure win.
const SCALE: f64 = 0.25;

impl<const W: usize, const N: usize> Hints for Tubstap<W, N> {
    fn prunes(&self) -> bool {
        true
    }

    /// Leaves out stays, which come to the same as ending the turn later, and attacks that do no damage.
    fn prune(&self, state: &State<W, N>, _: Player, actions: &mut Vec<Action>) {
        actions.retain(|&action| {
            let unit = action.unit as usize;
            action == Action::END
                || if action.is_attack() {
                    self.may_attack(state, action.unit, action.target, Attacks::Effective)
                } else {
                    action.to != state.cells[unit]
                }
        });
    }

    fn estimate(&self, state: &State<W, N>) -> Option<Payoffs> {
        let [red, blue] = self.worths(state);
        Some(squash((red - blue) / (red + blue).max(1.0), SCALE))
    }
}

impl<const W: usize, const N: usize> Tubstap<W, N> {
    /// What an attack wins and loses in worth, with a bonus for a target that falls.
    #[inline]
    pub(super) fn exchange_worth(&self, state: &State<W, N>, attack: Action) -> f64 {
        let (damage, counter) = self.exchange_of(state, attack);
        let (unit, target) = (attack.unit as usize, attack.target as usize);
        let own = WORTH[self.rules.kinds[unit] as usize];
        let other = WORTH[self.rules.kinds[target] as usize];
        let falls = if damage == state.hit_points[target] { KILL_BONUS * other } else { 0.0 };
        f64::from(damage) * other + falls - f64::from(counter) * own
    }

    /// What the units of each side are worth.
    pub(super) fn worths(&self, state: &State<W, N>) -> [f64; 2] {
        self.rules.sides.map(|side| {
            bits(state.alive & side)
                .map(|unit| {
                    let kind: Kind = self.rules.kinds[unit as usize];
                    WORTH[kind as usize] * f64::from(state.hit_points[unit as usize])
                })
                .sum()
        })
    }
}
