//! Players of this game: those that come with the original program, written from descriptions of what
//! they do, and our own. Each has its stock constants as a preset and settings for its budget.

/// What the settings of all players have in common: which preset is the default, and how they follow from a budget.
/// CPU time is that of a whole turn; a number of iterations is that of the player's own unit, which `$set` stores.
macro_rules! player_settings {
    ($Settings:ident, $PRESET:ident, |$settings:ident, $n:ident| $set:expr) => {
        impl Default for $Settings {
            fn default() -> $Settings {
                $Settings::$PRESET
            }
        }

        impl From<Budget> for $Settings {
            fn from(budget: Budget) -> $Settings {
                let mut $settings = budget.cpu.map_or($Settings::$PRESET, $Settings::timed);
                if let Some($n) = budget.iterations {
                    $set;
                }
                $settings
            }
        }
    };
}

mod best;
mod m3lee;
mod muct;
mod sample;
mod satd2;
mod staff;

pub use best::{Best, BestSettings};
pub use m3lee::{M3Lee, M3LeeSettings};
pub use muct::{MUct, MUctSettings};
pub use sample::MaxActionEval;
pub use satd2::{SatD2, SatD2Settings};
pub use staff::{MilitaryStaff, MilitaryStaffSettings};

use std::collections::VecDeque;
use std::time::Duration;

use sakiyomi_core::{Agent, Budget, Choice, Forfeit, Player};

use super::cells::{Cells, bits};
use super::units::Kind;
use super::{Action, Attacks, State, Status, Tubstap};

/// The player of this name. Iterations are of its own unit, CPU time is that of a whole turn.
pub(super) fn scripted<const W: usize, const N: usize>(
    name: &str,
    budget: Option<Budget>,
) -> Option<Box<dyn Agent<Tubstap<W, N>>>> {
    let budget = budget.unwrap_or(Budget { iterations: None, ..Budget::iterations(0) });
    Some(match name {
        "sample" => Box::new(MaxActionEval),
        "m-uct" => Box::new(MUct::new(budget.into())),
        "m3lee" => Box::new(M3Lee::new(budget.into())),
        "staff" => Box::new(MilitaryStaff::new(budget.into())),
        "satd2" => Box::new(SatD2::new(budget.into())),
        "tubstap-best" => Box::new(Best::new(budget.into())),
        _ => return None,
    })
}

/// What a player decided, as its only action.
fn decided(action: Action, value: Option<f64>, iterations: u64, nodes: u64) -> Choice<Action> {
    Choice { action, policy: vec![(action, 1.0)], value, iterations, nodes }
}

fn not_to_move() -> Forfeit {
    Forfeit { reason: "there is nothing to decide".to_owned() }
}

/// A budget of iterations, and of processor time if that is given.
fn budget(iterations: u64, cpu: Option<Duration>) -> Budget {
    Budget { cpu, ..Budget::iterations(iterations) }
}

/// A turn that was planned at its start.
#[derive(Clone, Debug)]
struct Plan<const W: usize, const N: usize> {
    actions: VecDeque<Action>,
    /// The state in which the next action is due.
    due: Option<State<W, N>>,
}

impl<const W: usize, const N: usize> Default for Plan<W, N> {
    fn default() -> Plan<W, N> {
        Plan { actions: VecDeque::new(), due: None }
    }
}

impl<const W: usize, const N: usize> Plan<W, N> {
    fn set(&mut self, state: &State<W, N>, actions: &[Action]) {
        self.actions = actions.iter().copied().collect();
        self.due = Some(*state);
    }

    /// The next action, if the plan was made for what happened since.
    fn next(&mut self, game: &Tubstap<W, N>, state: &State<W, N>) -> Option<Action> {
        if self.due.as_ref() != Some(state) {
            return None;
        }
        let action = self.actions.pop_front()?;
        let player = state.to_move()?;
        if !game.is_legal(state, player, action, game.rules.settings.attacks) {
            return None;
        }
        let mut next = *state;
        game.act(&mut next, action);
        game.pass_turns(&mut next);
        self.due = Some(next);
        Some(action)
    }
}

/// What players share.
impl<const W: usize, const N: usize> Tubstap<W, N> {
    /// How many of a side's units take part in the turn that runs, so that its time can be shared.
    fn n_sharing(&self, state: &State<W, N>, player: Player) -> u32 {
        (state.alive & self.rules.sides[player.index()]).count_ones().max(1)
    }

    /// Appends attacks, then moves, of one unit.
    fn actions_of(&self, state: &State<W, N>, unit: u8, which: Attacks, out: &mut Vec<Action>) {
        let landing = self.landing(state, unit, self.reach(state, unit));
        self.attacks_of(state, unit, landing, which, out);
        out.extend(landing.iter().map(|to| Action::go(unit, to)));
    }

    /// The sum of hit points of a side, each weighted by its kind.
    fn weighted(&self, state: &State<W, N>, side: usize, weight: impl Fn(Kind) -> i32) -> i32 {
        bits(state.alive & self.rules.sides[side])
            .map(|unit| {
                let kind = self.rules.kinds[unit as usize];
                weight(kind) * i32::from(state.hit_points[unit as usize])
            })
            .sum()
    }

    fn is_wiped_out(&self, state: &State<W, N>, side: usize) -> bool {
        state.alive & self.rules.sides[side] == 0
    }

    /// All units of a side may act again.
    fn refresh(&self, state: &mut State<W, N>, side: usize) {
        state.finished &= !self.rules.sides[side];
    }

    /// Takes units off the board.
    fn hide(&self, state: &mut State<W, N>, units: u64) {
        for unit in bits(units & state.alive) {
            state.hit_points[unit as usize] = 0;
            self.remove(state, unit as usize, self.side(unit as usize).index());
        }
    }

    /// The cells that a unit could strike in its next turn, enemies in its way or not its own side.
    fn strikes(&self, state: &State<W, N>, unit: u8) -> Cells<W> {
        let landing = self.landing(state, unit, self.reach(state, unit));
        self.in_reach(state, unit, landing)
    }

    fn is_over(&self, state: &State<W, N>) -> bool {
        !matches!(state.status, Status::ToMove(_))
    }
}
