//! What a search may know beyond the rules.

use sakiyomi_core::{
    CellShape, Hint, HintSet, Hints, Payoffs, Player, PlayoutOptions, PruneLevel, Rng, Scratch,
};

use super::cells::bits;
use super::{Action, Attacks, Kind, State, Tubstap};
use crate::two_players::{keep_good, squash};

/// What a hit point of each kind is worth, as in Neller's evaluation.
pub const WORTH: [f64; 6] = [4.0, 6.0, 4.0, 4.0, 2.5, 1.0];

/// Hit points that a unit counts for in addition when it falls.
const KILL_BONUS: f64 = 2.0;

/// A lead of this share of all that is left is half of the way to a sure win.
const SCALE: f64 = 0.25;

/// The same for a lead in hit points.
const LEAD_SCALE: f64 = 0.3;

/// How much an expected loss counts against an action, and nearness for it.
const RISK: f64 = 0.5;
const NEARNESS: f64 = 0.1;

impl<const W: usize, const N: usize> Hints for Tubstap<W, N> {
    fn provides(&self) -> HintSet {
        HintSet::of(&[
            Hint::Prune,
            Hint::Urgent,
            Hint::Ranks,
            Hint::Estimate,
            Hint::Progress,
            Hint::Rounds,
            Hint::Cells,
        ])
    }

    /// Leaves out stays, which have the same effect as ending the turn later, and attacks that do no damage.
    fn prune(&self, state: &State<W, N>, _: Player, level: PruneLevel, actions: &mut Vec<Action>) {
        if level != PruneLevel::Actions {
            return;
        }
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

    /// Attacks that do damage go first.
    fn urgent(&self, state: &State<W, N>, _: Player, actions: &mut Vec<Action>) {
        keep_good(actions, |action| {
            action.is_attack()
                && self.may_attack(state, action.unit, action.target, Attacks::Effective)
        });
    }

    /// What an action wins, what it risks among the enemies that can strike there, and how near it comes
    /// to those that it can hurt. The end of the turn comes last.
    fn rank(&self, state: &State<W, N>, _: Player, action: Action) -> f32 {
        if action == Action::END {
            return f32::MIN;
        }
        let gain = if action.is_attack() { self.exchange_worth(state, action) } else { 0.0 };
        let unit = action.unit as usize;
        let kind = self.rules.kinds[unit];
        let worth = WORTH[kind as usize];
        let (mut risk, mut near) = (0u32, 0.0f64);
        for enemy in bits(state.alive & self.rules.sides[self.enemy_index(action.unit)]) {
            let other = self.rules.kinds[enemy as usize];
            let cell = state.cells[enemy as usize];
            if enemy != action.target
                && self.rules.threat[usize::from(cell)][other as usize].has(action.to)
            {
                let hit_points = state.hit_points[enemy as usize];
                let left = state.hit_points[unit];
                risk += u32::from(self.rules.damage(other, hit_points, kind, left, action.to));
            }
            let distance = f64::from(self.rules.distance(action.to, cell));
            near = near.max(f64::from(kind.power(other)) / (distance + 5.0));
        }
        let risk = f64::from(risk.min(state.hit_points[unit].into()));
        (gain - RISK * worth * risk + NEARNESS * near * worth) as f32
    }

    /// The lead in hit points, which tells more of the end of a match than its result.
    fn progress(&self, state: &State<W, N>) -> Payoffs {
        let [red, blue] = self.totals(state).map(f64::from);
        let lead = (red - blue) / (red + blue).max(1.0);
        let share = 0.5 * lead * (1.0 + LEAD_SCALE) / (LEAD_SCALE + lead.abs());
        Payoffs::of([0.5 + share, 0.5 - share])
    }

    fn estimate(&self, state: &State<W, N>) -> Option<Payoffs> {
        let [red, blue] = self.worths(state);
        Some(squash((red - blue) / (red + blue).max(1.0), SCALE))
    }

    /// Turns of both sides are a round.
    fn round(&self, state: &State<W, N>) -> u32 {
        state.turns() / 2
    }

    /// Attacks that do damage first, to the end, without lists; other options step by step.
    fn guided_playout(
        &self,
        state: &mut State<W, N>,
        options: &PlayoutOptions,
        scratch: &mut Scratch<Action>,
        rng: &mut Rng,
    ) -> Payoffs {
        let urgent_probability = options.urgent_probability;
        let urgent = PlayoutOptions { urgent_probability, ..PlayoutOptions::default() };
        if *options != urgent {
            return options.play_out(self, state, scratch, rng);
        }
        self.deal_all(state, scratch, rng);
        self.play_urgently(state, urgent_probability, rng)
    }

    fn cell_shape(&self) -> Option<CellShape> {
        let (rows, columns) = (self.rules.grid.height.into(), self.rules.grid.width.into());
        Some(CellShape { rows, columns, n_codes: 1 + 2 * Kind::ALL.len() * HIT_POINT_CLASSES })
    }

    /// A unit is coded by its kind, its side, and its hit points in three classes.
    fn cells(&self, state: &State<W, N>, out: &mut Vec<u8>) {
        let first = out.len();
        let grid = &self.rules.grid;
        out.resize(first + usize::from(grid.width) * usize::from(grid.height), 0);
        for unit in bits(state.alive).map(usize::from) {
            let (x, y) = grid.place(state.cells[unit]);
            let row = usize::from(grid.height - 1 - y);
            let class = usize::from(state.hit_points[unit].min(10) - 1) * HIT_POINT_CLASSES / 10;
            let kind = self.rules.kinds[unit] as usize + Kind::ALL.len() * self.side(unit).index();
            out[first + row * usize::from(grid.width) + usize::from(x)] =
                (1 + kind * HIT_POINT_CLASSES + class) as u8;
        }
    }
}

/// Classes of hit points in [`Hints::cells`].
const HIT_POINT_CLASSES: usize = 3;

impl<const W: usize, const N: usize> Tubstap<W, N> {
    /// What an attack wins and loses in worth, with a bonus for a target that falls.
    #[inline]
    pub fn exchange_worth(&self, state: &State<W, N>, attack: Action) -> f64 {
        let (damage, counter) = self.exchange_of(state, attack);
        let (unit, target) = (attack.unit as usize, attack.target as usize);
        let own = WORTH[self.rules.kinds[unit] as usize];
        let other = WORTH[self.rules.kinds[target] as usize];
        let falls = if damage == state.hit_points[target] { KILL_BONUS * other } else { 0.0 };
        f64::from(damage) * other + falls - f64::from(counter) * own
    }

    /// What the units of each side are worth.
    pub fn worths(&self, state: &State<W, N>) -> [f64; 2] {
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
