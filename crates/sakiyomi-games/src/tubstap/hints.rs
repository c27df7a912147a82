//! What a search may know beyond the rules.

use sakiyomi_core::{
    Agent, Budget, CellShape, Hint, HintSet, Hints, Payoffs, Player, PruneLevel, Script,
};

use super::cells::bits;
use super::{Action, Attacks, Kind, State, Tubstap, players};
use crate::two_players::{keep_good, squash};

/// What a hit point of each kind is worth, as in Neller's evaluation.
pub(super) const WORTH: [f64; 6] = [4.0, 6.0, 4.0, 4.0, 2.5, 1.0];

/// Hit points that a unit counts for in addition when it falls.
const KILL_BONUS: f64 = 2.0;

/// A lead of this share of all that is left is half of the way to a sure win.
const SCALE: f64 = 0.25;

/// The scripted players of this game. Those with a budget take `iterations` of their own unit, and `cpu` for a
/// whole turn, shared by its actions.
const SCRIPTS: &[Script] = &[
    Script {
        name: "sample",
        summary: "Sample_MaxActionEvalFunc: the best attack, or a step ahead",
    },
    Script {
        name: "m-uct",
        summary: "M-UCT of the original: UCT over the actions of single units",
    },
    Script { name: "m3lee", summary: "M3Lee of the original: UCT against rated random turns" },
    Script { name: "staff", summary: "Military Staff System of the original; wants attacks=all" },
    Script { name: "satd2", summary: "SatD2 of the original: two turns ahead with few units" },
    Script { name: "tubstap-best", summary: "our strongest player" },
];

impl<const W: usize, const N: usize> Hints for Tubstap<W, N> {
    fn provides(&self) -> HintSet {
        HintSet::of(&[Hint::Prune, Hint::Urgent, Hint::Estimate, Hint::Rounds, Hint::Cells])
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

    /// Attacks go first.
    fn urgent(&self, _: &State<W, N>, _: Player, actions: &mut Vec<Action>) {
        keep_good(actions, |action| action.is_attack());
    }

    fn estimate(&self, state: &State<W, N>) -> Option<Payoffs> {
        let [red, blue] = self.worths(state);
        Some(squash((red - blue) / (red + blue).max(1.0), SCALE))
    }

    /// Turns of both sides are a round.
    fn round(&self, state: &State<W, N>) -> u32 {
        state.turns() / 2
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

    fn scripted(&self) -> &'static [Script] {
        SCRIPTS
    }

    fn script(&self, name: &str, budget: Option<Budget>) -> Option<Box<dyn Agent<Self>>> {
        players::scripted(name, budget)
    }
}

/// Classes of hit points in [`Hints::cells`].
const HIT_POINT_CLASSES: usize = 3;

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
