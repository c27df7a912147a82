//! Players of TUBSTAP: those that come with the original program, written from descriptions of what
//! they do. Each has its stock constants as a preset and settings for its budget. What
//! all of them use is imported here.

/// What the settings of all players have in common: which preset is the default, how they follow from
/// a budget, and what they are with CPU time instead of numbers. CPU time is that of a whole turn; a
/// number of iterations is that of the player's own unit, which `$set` stores.
macro_rules! player_settings {
    (
        $Settings:ident,
        $PRESET:ident,
        |$settings:ident, $n:ident| $set:expr,
        timed: $TIMED:ident { $($unlimited:ident: $most:expr),* $(,)? }
    ) => {
        impl $Settings {
            /// All that fits into the processor time of a turn.
            pub fn timed(cpu_per_turn: Duration) -> $Settings {
                $Settings {
                    $($unlimited: $most,)*
                    cpu_per_turn: Some(cpu_per_turn),
                    ..$Settings::$TIMED
                }
            }
        }

        impl Default for $Settings {
            fn default() -> $Settings {
                $Settings::$PRESET
            }
        }

        impl $Settings {
            /// The same within a budget; CPU time takes the place of all numbers.
            pub fn within(self, budget: Budget) -> $Settings {
                let mut $settings = budget.cpu.map_or(self, $Settings::timed);
                if let Some($n) = budget.iterations {
                    $set;
                }
                $settings
            }
        }

        impl From<Budget> for $Settings {
            fn from(budget: Budget) -> $Settings {
                $Settings::default().within(budget)
            }
        }
    };
}

mod m3lee;
mod muct;
mod sample;
mod satd2;
mod staff;
#[cfg(test)]
mod tests;

pub use m3lee::{M3Lee, M3LeeSettings};
pub use muct::{MUct, MUctSettings};
pub use sample::MaxActionEval;
pub use satd2::{SatD2, SatD2Settings};
pub use staff::{MilitaryStaff, MilitaryStaffSettings};

use std::collections::VecDeque;
use std::time::Duration;

use sakiyomi_core::{Agent, Budget, Choice, Context, Forfeit, Meter, Player, Rng};
use sakiyomi_games::tubstap::cells::{Cells, bits};
use sakiyomi_games::tubstap::{
    Action, AttackFirst, Attacks, CANNON_RANGE, Kind, Options, State, Tubstap,
};

use crate::{Declaration, HasPlayers, PlayerOf, PlayerSettings, Word};

impl<const W: usize, const N: usize> HasPlayers for Tubstap<W, N> {
    const PLAYERS: &'static [PlayerOf<Tubstap<W, N>>] = &[
        PlayerOf { declaration: &sample::DECLARATION, make: |_| Box::new(MaxActionEval) },
        PlayerOf {
            declaration: &muct::DECLARATION,
            make: |settings| Box::new(MUct::new(settings.budget.into())),
        },
        PlayerOf {
            declaration: &m3lee::DECLARATION,
            make: |settings| {
                let own = preset(settings, M3LeeSettings::STOCK, M3LeeSettings::QUICK);
                Box::new(M3Lee::new(own.within(settings.budget)))
            },
        },
        PlayerOf {
            declaration: &staff::DECLARATION,
            make: |settings| {
                let (stock, quick) = (MilitaryStaffSettings::STOCK, MilitaryStaffSettings::QUICK);
                let own = preset(settings, stock, quick);
                Box::new(MilitaryStaff::new(own.within(settings.budget)))
            },
        },
        PlayerOf {
            declaration: &satd2::DECLARATION,
            make: |settings| Box::new(SatD2::new(settings.budget.into())),
        },
    ];
}

/// How many playouts a player makes for each of its purposes.
const NUMBERS: Word = Word {
    name: "numbers",
    words: &["stock", QUICK],
    meaning: "playouts for each of its purposes, where no time is set: those of version 1.08, or \
              about a tenth of them, which is enough for judging a map",
};
const QUICK: &str = "quick";

/// One of two settings, by the word of [`NUMBERS`].
fn preset<T>(settings: &PlayerSettings, stock: T, quick: T) -> T {
    if settings.word == QUICK { quick } else { stock }
}

/// What a player decided, as its only action.
fn decided(action: Action, value: Option<f64>, iterations: u64, nodes: u64) -> Choice<Action> {
    Choice { action, policy: vec![(action, 1.0)], value, iterations, nodes }
}

/// Whether the player has anything to decide.
fn check_turn<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    player: Player,
) -> Result<(), Forfeit> {
    match game.unfinished(state, player) == 0 || game.is_over(state) {
        true => Err(not_to_move()),
        false => Ok(()),
    }
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
        if !game.is_legal(state, player, action, game.rules().settings.attacks) {
            return None;
        }
        let mut next = *state;
        game.act(&mut next, action);
        game.pass_turns(&mut next);
        self.due = Some(next);
        Some(action)
    }
}

/// How many of a side's units take part in the turn that runs, so that its time can be shared.
fn n_sharing<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    player: Player,
) -> u32 {
    (state.alive & game.rules().sides[player.index()]).count_ones().max(1)
}

/// The sum of hit points of a side, each weighted by its kind.
fn weighted<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    side: usize,
    weight: impl Fn(Kind) -> i32,
) -> i32 {
    bits(state.alive & game.rules().sides[side])
        .map(|unit| {
            let kind = game.rules().kinds[unit as usize];
            weight(kind) * i32::from(state.hit_points[unit as usize])
        })
        .sum()
}

/// Takes units off the board.
fn hide<const W: usize, const N: usize>(game: &Tubstap<W, N>, state: &mut State<W, N>, units: u64) {
    for unit in bits(units & state.alive) {
        state.hit_points[unit as usize] = 0;
        game.remove(state, unit as usize, game.side(unit as usize).index());
    }
}
