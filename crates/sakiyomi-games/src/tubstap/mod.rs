//! TUBSTAP: the turn-based strategy game of the platform by Fujiki, Ikeda and others (JAIST), as its
//! program in version 1.08 plays it.
//!
//! RED and BLUE move units of six kinds on a grid of terrain. In a turn each unit of a side acts once,
//! in any order: it moves, or stays, and a unit that strikes directly may then attack an enemy next
//! to it. A cannon attacks from two or three steps away, without moving, and takes no counter-attack.
//! Paths lead through own units, never through enemies. Damage is certain: it follows from the kinds, the
//! hit points of both and the terrain below the defender, who strikes back if it survives. A side
//! without units has lost; after the last turn the side with more hit points has won, if its lead is
//! larger than the map's threshold, and otherwise it is a draw. Turns of both sides are counted.
//!
//! The actions of a turn come one by one. Ending the turn leaves all other units where they are. The
//! turn passes by itself when no unit is left to act. Noise, if asked for, is dealt by chance before
//! the first turn. See `docs/reference/tubstap.md`.

/// Builds the game of the size class that a map needs, which has been checked.
macro_rules! with_game {
    ($map:expr, $settings:expr, |$game:ident| $body:expr) => {
        match $crate::tubstap::SizeClass::of($map) {
            $crate::tubstap::SizeClass::Small => {
                let $game =
                    $crate::tubstap::Small::new($map, $settings).expect("the map was checked");
                $body
            }
            $crate::tubstap::SizeClass::Medium => {
                let $game =
                    $crate::tubstap::Medium::new($map, $settings).expect("the map was checked");
                $body
            }
            $crate::tubstap::SizeClass::Large => {
                let $game =
                    $crate::tubstap::Large::new($map, $settings).expect("the map was checked");
                $body
            }
        }
    };
}

mod battle;
pub mod cells;
mod code;
mod encode;
mod file;
mod generator;
mod hints;
mod map;
mod moves;
pub mod network;
mod playout;
mod replay;
mod rules;
mod show;
mod tags;
mod trace;
mod units;

pub use battle::{AttackCounts, BattleResult, RESULT_HEADER, log_header, log_row};
pub use file::{read_map, write_map, write_map_shift_jis};
pub use generator::Generator;
pub use hints::WORTH;
pub use map::{
    FULL_HIT_POINTS, MAX_HIT_POINTS, MAX_HP_THRESHOLD, MAX_SIZE, MAX_TURN_LIMIT, MAX_UNITS,
    MAX_UNITS_A_SIDE, MIN_SIZE, Map, MapFault, Place, Unit,
};
pub use playout::{AttackFirst, Options};
pub use replay::{Replay, ReplayAction, ReplayTurn, read_replay, write_replay};
pub use rules::Rules;
pub use tags::{FileError, Warnings};
pub use trace::{Difference, Legal, Question, Step, Trace, TraceError, verify};
pub use units::{CANNON_RANGE, Kind, Terrain, damage, exchange};

use sakiyomi_core::{Game, Payoffs, Player, Rng, Scratch, Turn};
use std::sync::Arc;

use crate::two_players::{Status, opponent};
use cells::{Cells, bits};

/// The rules on one map. `W` words hold the board and `N` is the most units of both sides.
#[derive(Clone, Debug)]
pub struct Tubstap<const W: usize, const N: usize> {
    rules: Arc<Rules<W, N>>,
}

/// Up to 64 cells with 16 units: nearly all maps of contests.
pub type Small = Tubstap<1, 16>;
/// Up to 256 cells with 48 units.
pub type Medium = Tubstap<4, 48>;
/// Up to 1,024 cells with 48 units.
pub type Large = Tubstap<16, 48>;

/// What may differ from match to match on one map.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Settings {
    pub attacks: Attacks,
    /// Every unit gains or loses a hit point before the start.
    pub noise_hp: bool,
    /// Every unit is shifted by a step before the start.
    pub noise_position: bool,
    /// The sides have exchanged their units and BLUE moves first: the second half of an auto-battle.
    pub swapped: bool,
}

/// Which attacks are listed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Attacks {
    /// Those that do damage.
    #[default]
    Effective,
    /// Those of a kind on a kind that it can hurt, even if the damage is rounded to nothing.
    Power,
    /// On any enemy, as the original's program lists them.
    All,
}

/// A position: units, which of them have acted, and whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State<const W: usize, const N: usize> {
    /// The cells of each side's units.
    pub occupied: [Cells<W>; 2],
    /// By unit; 0 for one that fell or never was.
    pub cells: [u16; N],
    pub hit_points: [u8; N],
    /// Sets of units, a bit each.
    pub alive: u64,
    pub finished: u64,
    pub status: Status,
    /// Completed turns of both sides.
    pub turn: u16,
    /// How much of the noise was dealt before the start.
    pub dealt: u16,
}

const _: () = assert!(size_of::<State<1, 16>>() <= 96);

/// What one unit does, the end of the turn, or the noise of one unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Action {
    pub unit: u8,
    pub target: u8,
    /// The cell where the unit goes; for noise the new cell or the new hit points.
    pub to: u16,
}

const _: () = assert!(size_of::<Action>() == 4);

const NO_TARGET: u8 = u8::MAX;
const NOISE_HP: u8 = u8::MAX - 1;
const NOISE_POSITION: u8 = u8::MAX - 2;

impl Action {
    /// All units that have not acted stay where they are.
    pub const END: Action = Action { unit: u8::MAX, target: NO_TARGET, to: 0 };

    #[inline]
    pub fn go(unit: u8, to: u16) -> Action {
        Action { unit, target: NO_TARGET, to }
    }

    #[inline]
    pub fn attack(unit: u8, to: u16, target: u8) -> Action {
        Action { unit, target, to }
    }

    /// The unit that acts; none for an end of turn.
    pub fn unit(self) -> Option<usize> {
        (self.unit != u8::MAX).then_some(usize::from(self.unit))
    }

    /// The enemy that is attacked.
    pub fn target(self) -> Option<usize> {
        (usize::from(self.target) < MAX_UNITS).then_some(usize::from(self.target))
    }

    #[inline]
    pub fn is_attack(self) -> bool {
        usize::from(self.target) < MAX_UNITS
    }
}

impl<const W: usize, const N: usize> State<W, N> {
    /// Completed turns of both sides.
    pub fn turns(&self) -> u32 {
        self.turn.into()
    }

    pub fn hit_points(&self, unit: usize) -> u32 {
        self.hit_points.get(unit).copied().unwrap_or_default().into()
    }

    pub fn has_acted(&self, unit: usize) -> bool {
        unit < 64 && self.finished >> unit & 1 == 1
    }

    /// The side whose turn it is, unless the match is over.
    pub fn to_move(&self) -> Option<Player> {
        match self.status {
            Status::ToMove(player) => Some(player),
            _ => None,
        }
    }
}

/// The size class that holds a map.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SizeClass {
    Small,
    Medium,
    Large,
}

impl SizeClass {
    /// The smallest class for this map, which need not be playable.
    pub fn of(map: &Map) -> SizeClass {
        let n_cells =
            usize::from(map.width.saturating_sub(2)) * usize::from(map.height.saturating_sub(2));
        if n_cells <= 64 && map.units.len() <= 16 {
            SizeClass::Small
        } else if n_cells <= 256 {
            SizeClass::Medium
        } else {
            SizeClass::Large
        }
    }
}

impl<const W: usize, const N: usize> Tubstap<W, N> {
    /// The rules on a map, unless it is faulty or too large for `W` words or `N` units.
    pub fn new(map: &Map, settings: Settings) -> Result<Tubstap<W, N>, MapFault> {
        map.check()?;
        let n_cells = usize::from(map.width - 2) * usize::from(map.height - 2);
        if n_cells > Cells::<W>::BITS || map.units.len() > N {
            let message = format!(
                "{n_cells} cells and {} units are too many for {} and {N}",
                map.units.len(),
                Cells::<W>::BITS
            );
            return Err(MapFault { place: Place::Map, message });
        }
        let mut game = Tubstap { rules: Arc::new(Rules::new(map, settings)) };
        if game.rules.n_deals() == 0 {
            let mut start = game.rules.start;
            game.begin(&mut start);
            Arc::get_mut(&mut game.rules).expect("it was just made").start = start;
        }
        Ok(game)
    }

    pub fn map(&self) -> &Map {
        &self.rules.map
    }

    pub fn settings(&self) -> Settings {
        self.rules.settings
    }

    /// What follows from the map once and for all.
    #[inline]
    pub fn rules(&self) -> &Rules<W, N> {
        &self.rules
    }

    /// The same map with other settings.
    pub fn with_settings(&self, settings: Settings) -> Tubstap<W, N> {
        Tubstap::new(&self.rules.map, settings).expect("the map has been checked")
    }

    /// The side of a unit.
    pub fn side(&self, unit: usize) -> Player {
        Player(u8::from(self.rules.sides[0] >> unit & 1 == 0))
    }

    pub fn kind(&self, unit: usize) -> Kind {
        self.rules.kinds[unit]
    }

    /// Where a unit stands, in the coordinates of map files; none if it fell.
    pub fn position(&self, state: &State<W, N>, unit: usize) -> Option<(u16, u16)> {
        (unit < N && state.alive >> unit & 1 == 1).then(|| self.file_place(state.cells[unit]))
    }

    /// Where an action takes its unit, in the coordinates of map files.
    pub fn destination(&self, action: Action) -> Option<(u16, u16)> {
        action.unit().map(|_| self.file_place(action.to))
    }

    /// The sum of hit points of each side.
    pub fn totals(&self, state: &State<W, N>) -> [u32; 2] {
        self.rules.sides.map(|side| {
            bits(state.alive & side).map(|unit| u32::from(state.hit_points[unit as usize])).sum()
        })
    }

    fn file_place(&self, cell: u16) -> (u16, u16) {
        let (x, y) = self.rules.grid.place(cell);
        (x + 1, y + 1)
    }

    /// What happens before the first turn: a side without units has lost, and a side whose units
    /// all miss their first turn passes.
    fn begin(&self, state: &mut State<W, N>) {
        let empty = self.rules.sides.map(|side| state.alive & side == 0);
        match empty {
            [true, _] => state.status = Status::Won(Player(1)),
            [_, true] => state.status = Status::Won(Player(0)),
            _ => self.pass_turns(state),
        }
    }

    /// One unit acts. Nothing else happens: the turn does not pass.
    #[inline]
    pub fn act(&self, state: &mut State<W, N>, action: Action) {
        let unit = action.unit as usize;
        let side = self.enemy_index(action.unit) ^ 1;
        let from = state.cells[unit];
        if from != action.to {
            state.occupied[side].remove(from);
            state.occupied[side].insert(action.to);
            state.cells[unit] = action.to;
        }
        state.finished |= 1 << unit;
        if action.is_attack() {
            self.strike(state, unit, action.target as usize, side);
        }
    }

    #[inline]
    fn strike(&self, state: &mut State<W, N>, unit: usize, target: usize, side: usize) {
        let damage = self.damage_between(state, unit, target);
        state.hit_points[target] -= damage;
        if state.hit_points[target] == 0 {
            self.remove(state, target, side ^ 1);
        } else if !self.rules.kinds[unit].is_indirect() && !self.rules.kinds[target].is_indirect() {
            let counter = self.damage_between(state, target, unit);
            state.hit_points[unit] -= counter;
            if state.hit_points[unit] == 0 {
                self.remove(state, unit, side);
            }
        }
    }

    pub fn remove(&self, state: &mut State<W, N>, unit: usize, side: usize) {
        state.occupied[side].remove(state.cells[unit]);
        state.cells[unit] = 0;
        state.alive &= !(1 << unit);
        state.finished &= !(1 << unit);
    }

    /// What `unit` does to `other` with the hit points and from the cells that they have now.
    #[inline]
    pub fn damage_between(&self, state: &State<W, N>, unit: usize, other: usize) -> u8 {
        self.rules.damage(
            self.rules.kinds[unit],
            state.hit_points[unit],
            self.rules.kinds[other],
            state.hit_points[other],
            state.cells[other],
        )
    }

    /// The units of a side that may still act in its turn.
    #[inline]
    pub fn unfinished(&self, state: &State<W, N>, player: Player) -> u64 {
        state.alive & self.rules.sides[player.index()] & !state.finished
    }

    pub fn is_wiped_out(&self, state: &State<W, N>, side: usize) -> bool {
        state.alive & self.rules.sides[side] == 0
    }

    /// All units of a side may act again.
    pub fn refresh(&self, state: &mut State<W, N>, side: usize) {
        state.finished &= !self.rules.sides[side];
    }

    pub fn is_over(&self, state: &State<W, N>) -> bool {
        !matches!(state.status, Status::ToMove(_))
    }

    /// Passes the turn if it is done, and the next one too if that side has nothing to act with.
    #[inline]
    pub fn pass_turns(&self, state: &mut State<W, N>) {
        while let Status::ToMove(player) = state.status {
            let is_fought_out = self.rules.sides.iter().any(|side| state.alive & side == 0);
            if !is_fought_out && self.unfinished(state, player) != 0 {
                return;
            }
            self.end_turn(state, player);
        }
    }

    /// Ends the turn of a side: its units may act again, and the end of the match is tested.
    pub fn end_turn(&self, state: &mut State<W, N>, player: Player) {
        self.refresh(state, player.index());
        state.turn += 1;
        let [red, blue] = self.rules.sides.map(|side| state.alive & side);
        state.status = if red == 0 {
            Status::Won(Player(1))
        } else if blue == 0 {
            Status::Won(Player(0))
        } else if state.turn >= self.rules.map.turn_limit {
            self.judge(state)
        } else {
            Status::ToMove(opponent(player))
        };
    }

    /// Who has won by hit points.
    fn judge(&self, state: &State<W, N>) -> Status {
        let [red, blue] = self.totals(state);
        let threshold = self.rules.map.hp_threshold;
        if red > blue + threshold {
            Status::Won(Player(0))
        } else if blue > red + threshold {
            Status::Won(Player(1))
        } else {
            Status::Drawn
        }
    }

    /// A side gives up: its other units stay, its turn counts, and the other side has won.
    pub fn resign(&self, state: &mut State<W, N>, player: Player) {
        self.refresh(state, player.index());
        state.turn += 1;
        state.status = Status::Won(opponent(player));
    }
}

impl<const W: usize, const N: usize> Game for Tubstap<W, N> {
    type State = State<W, N>;
    type Action = Action;

    fn players(&self) -> usize {
        2
    }

    fn start(&self) -> State<W, N> {
        self.rules.start
    }

    #[inline]
    fn turn(&self, state: &State<W, N>) -> Turn {
        if state.dealt < self.rules.n_deals() { Turn::Chance } else { state.status.turn() }
    }

    /// The attacks and moves of every unit that has not acted, unit by unit in the original's order,
    /// then the end of the turn. A move to the own cell is a stay.
    fn actions(&self, state: &State<W, N>, player: Player, out: &mut Vec<Action>) {
        for unit in bits(self.unfinished(state, player)) {
            self.actions_of(state, unit, self.rules.settings.attacks, out);
        }
        out.push(Action::END);
    }

    fn legal(&self, state: &State<W, N>, player: Player, action: Action) -> bool {
        self.is_legal(state, player, action, self.rules.settings.attacks)
    }

    #[inline]
    fn apply(&self, state: &mut State<W, N>, actions: &[Action]) {
        let action = actions[0];
        if action.target == NOISE_HP || action.target == NOISE_POSITION {
            self.deal(state, action);
        } else if action == Action::END {
            self.end_turn(state, state.status.mover());
            self.pass_turns(state);
        } else {
            self.act(state, action);
            self.pass_turns(state);
        }
    }

    fn outcomes(&self, state: &State<W, N>, out: &mut Vec<(Action, f64)>) {
        self.noise(state, out);
    }

    fn random_action(
        &self,
        state: &State<W, N>,
        player: Player,
        _: &mut Vec<Action>,
        rng: &mut Rng,
    ) -> Action {
        self.draw_action(state, player, rng)
    }

    fn playout(
        &self,
        state: &mut State<W, N>,
        scratch: &mut Scratch<Action>,
        rng: &mut Rng,
    ) -> Payoffs {
        self.deal_all(state, scratch, rng);
        self.play_uniformly(state, rng)
    }

    fn constant_sum(&self) -> bool {
        true
    }
}
