//! A rule sheet as a [`Game`].
//!
//! Roles are players in the order of the sheet; a role called `random` is chance and has no seat. A
//! role with a single legal move has nothing to choose, and a ply at which no role has one is
//! played at once, so that an alternating game is sequential by itself. Payoffs are goals / 100.
//!
//! Some sheets never end by themselves. A match is over after [`Settings::max_plies`] plies, and
//! everyone gets the goal that holds there, or a half if there is not exactly one. The same happens
//! when a role has no legal move, which the language forbids.

use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use cpu_time::ThreadTime;
use sakiyomi_core::{
    ActionMeans, CellShape, EndAhead, Game, Hint, HintSet, Hints, MAX_PLAYERS, Payoffs, Player,
    Players, Rng, Scratch, Stop, Turn, each_end_ahead,
};

use crate::draw::board::Source;
use crate::draw::shape::BoardShape;
use crate::game::state::{Joint, Move, State};
use crate::ground::meter::{Limits, Watcher};
#[cfg(feature = "cuda")]
use crate::lanes::cuda::device::{GpuRefusal, GpuSettings, Kernel};
use crate::lanes::expand::Expander;
use crate::lanes::{LaneLimits, Lanes, N_LANES, Picks, Refusal};
use crate::read::check::{Finding, Severity, check};
use crate::read::error::GdlError;
use crate::read::parse::Sheet;
use crate::run::compiled::Compiled;
use crate::run::engine::{Engine, EngineChoice, Position};
use crate::run::interpret::Interpreter;
use crate::run::live::Live;

/// How a rule sheet becomes a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    pub limits: Limits,
    pub engine: EngineChoice,
    /// The ply at which a match is cut off.
    pub max_plies: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { limits: Limits::default(), engine: EngineChoice::Auto, max_plies: 2_000 }
    }
}

/// A game that was described by rules. Cheap to clone.
#[derive(Clone)]
pub struct GdlGame {
    shared: Arc<Shared>,
    /// Ends playouts in the middle.
    stop: Option<Arc<Stop>>,
    /// The ply at which matches are cut off, if that is before the one of the settings.
    horizon: u32,
}

struct Shared {
    engine: Engine,
    settings: Settings,
    roles: Vec<String>,
    /// The roles that have a seat, in order.
    seats: Vec<u8>,
    /// The role that is chance.
    random: Option<u8>,
    findings: Vec<Finding>,
    notice: Option<String>,
    board: Option<BoardShape>,
    lanes: MadeLanes,
    /// Those in which moves compete.
    competing_lanes: MadeLanes,
    making_lanes: Mutex<()>,
    /// How often making lanes was stopped.
    n_stopped: AtomicU32,
    /// Lanes that look ahead, not in use.
    expanders: Mutex<Vec<Expander<Arc<Lanes>>>>,
    /// CPU time that went into playouts which lanes could have played, in nanoseconds.
    spent: AtomicU64,
    /// Random playouts one at a time, and in batches that fill the lanes.
    pace_alone: Pace,
    pace_in_lanes: Pace,
    #[cfg(feature = "cuda")]
    gpu: OnceLock<Result<Kernel, GpuRefusal>>,
}

/// Playouts and the CPU time that went into them.
#[derive(Default)]
struct Pace {
    playouts: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Pace {
    fn note(&self, playouts: usize, time: Duration) {
        self.playouts.fetch_add(playouts as u64, Ordering::Relaxed);
        self.nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    fn nanoseconds(&self) -> u64 {
        self.nanoseconds.load(Ordering::Relaxed)
    }

    /// Nanoseconds a playout, if there were enough to tell.
    fn mean(&self) -> Option<u64> {
        let playouts = self.playouts.load(Ordering::Relaxed);
        (playouts >= N_LANES as u64).then(|| self.nanoseconds() / playouts)
    }
}

type MadeLanes = OnceLock<Result<Arc<Lanes>, Refusal>>;

/// What it takes to make lanes, per input of the network.
const NANOSECONDS_PER_INPUT: u64 = 1_000;

/// What it takes to compile a kernel, per input of the code for lanes.
#[cfg(feature = "cuda")]
const KERNEL_NANOSECONDS_PER_INPUT: u64 = 500_000;

impl fmt::Debug for GdlGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GdlGame").field("roles", &self.shared.roles).finish_non_exhaustive()
    }
}

impl GdlGame {
    /// Reads, checks and compiles a rule sheet.
    pub fn new(text: &str, settings: &Settings) -> Result<GdlGame, GdlError> {
        GdlGame::with_picture(text, settings, None)
    }

    /// The same, drawn as a piece file says; docs/reference/gdl.md has its format.
    pub fn with_picture(
        text: &str,
        settings: &Settings,
        picture: Option<&str>,
    ) -> Result<GdlGame, GdlError> {
        GdlGame::watched(text, settings, picture, &mut |_| true)
    }

    /// The same; `watcher` is told how grounding goes on, and ends it with [`GdlError::Stopped`] by
    /// returning false.
    pub fn watched<'a>(
        text: &str,
        settings: &Settings,
        picture: Option<&str>,
        watcher: &'a mut Watcher<'a>,
    ) -> Result<GdlGame, GdlError> {
        let sheet = Sheet::parse(text)?;
        let findings = check(&sheet);
        let errors: Vec<Finding> =
            findings.iter().filter(|f| f.severity == Severity::Error).cloned().collect();
        if !errors.is_empty() {
            return Err(GdlError::Check(errors));
        }
        let (engine, notice) = Engine::new(&sheet, settings.engine, &settings.limits, watcher)?;
        let roles = engine.role_names();
        let is_random = |role: &String| role.eq_ignore_ascii_case("random");
        let random = roles.iter().position(is_random).map(|role| role as u8);
        let seats: Vec<u8> =
            (0..roles.len().min(255) as u8).filter(|&role| Some(role) != random).collect();
        if seats.is_empty() || seats.len() > MAX_PLAYERS {
            return Err(GdlError::Roles { n: seats.len(), max: MAX_PLAYERS });
        }
        let compiled = engine.compiled();
        let fluents = match compiled {
            Some(compiled) => compiled.fluent_texts(),
            None => engine.facts(&engine.start()),
        };
        let source = Source {
            sheet: &sheet,
            roles: &roles,
            fluents: &fluents,
            is_complete: compiled.is_some(),
        };
        let board = BoardShape::detect(&source, picture)?;
        let settings = *settings;
        let [lanes, competing_lanes] = [OnceLock::new(), OnceLock::new()];
        let making_lanes = Mutex::new(());
        let spent = AtomicU64::new(0);
        let shared = Shared {
            engine,
            settings,
            roles,
            seats,
            random,
            findings,
            notice,
            board,
            lanes,
            competing_lanes,
            making_lanes,
            n_stopped: AtomicU32::new(0),
            expanders: Mutex::default(),
            spent,
            pace_alone: Pace::default(),
            pace_in_lanes: Pace::default(),
            #[cfg(feature = "cuda")]
            gpu: OnceLock::new(),
        };
        Ok(GdlGame { shared: Arc::new(shared), stop: None, horizon: u32::MAX })
    }

    /// A game that is ready within a second whatever the rules are: they are interpreted, and what
    /// does not change is worked out in advance only if that is quick. For the legal moves of a
    /// match while the same rules are still being grounded.
    pub fn interpreted(text: &str) -> Result<GdlGame, GdlError> {
        let engine = EngineChoice::InterpreterAtOnce;
        GdlGame::new(text, &Settings { engine, ..Settings::default() })
    }

    /// The same game, sharing everything, whose playouts end as soon as `stop` is requested, also
    /// in the middle. What a playout returns then means nothing, and a state after which that
    /// happens may have no moves: a search ends without looking at it.
    #[must_use]
    pub fn with_stop(&self, stop: Arc<Stop>) -> GdlGame {
        GdlGame { stop: Some(stop), ..self.clone() }
    }

    /// The same game, sharing everything, cut off at this ply: for searches whose playouts would not
    /// end in time.
    #[must_use]
    pub fn with_horizon(&self, plies: u32) -> GdlGame {
        GdlGame { horizon: plies, ..self.clone() }
    }

    /// The ply at which a match is cut off.
    pub(super) fn max_plies(&self) -> u32 {
        self.shared.settings.max_plies.min(self.horizon)
    }

    /// The names of all roles in the order of the sheet, chance included.
    pub fn roles(&self) -> &[String] {
        &self.shared.roles
    }

    /// The role of a player.
    pub fn role_of(&self, player: Player) -> usize {
        self.shared.seats.get(player.index()).map_or(0, |&role| role.into())
    }

    /// The player of a role, if it has a seat.
    pub fn player_of(&self, role: usize) -> Option<Player> {
        let seat = self.shared.seats.iter().position(|&other| usize::from(other) == role)?;
        Some(Player(seat as u8))
    }

    /// What the checks found; errors would have refused the sheet, so these are warnings.
    pub fn findings(&self) -> &[Finding] {
        &self.shared.findings
    }

    /// The code that plays many matches at a time; made when it is asked for first, within the
    /// limits of the rules. A stop ends that, and then the next to ask makes it.
    pub(super) fn lanes(&self) -> Result<&Arc<Lanes>, Refusal> {
        self.made_lanes(&self.shared.lanes, Picks::Once)
    }

    /// The same for matches in which moves compete.
    pub(super) fn competing_lanes(&self) -> Result<&Arc<Lanes>, Refusal> {
        self.made_lanes(&self.shared.competing_lanes, Picks::Repeated)
    }

    fn made_lanes<'a>(
        &'a self,
        lanes: &'a MadeLanes,
        picks: Picks,
    ) -> Result<&'a Arc<Lanes>, Refusal> {
        let Shared { engine, settings, making_lanes, .. } = &*self.shared;
        let _turn = match lanes.get() {
            Some(made) => return made.as_ref().map_err(Clone::clone),
            None => making_lanes.lock().unwrap_or_else(PoisonError::into_inner),
        };
        if lanes.get().is_none() {
            let made = match engine.compiled() {
                Some(compiled) => {
                    let limits = LaneLimits::of(&settings.limits);
                    let Compiled { network, sequence, .. } = compiled;
                    Lanes::new(network, sequence, picks, limits, self.stop()).map(Arc::new)
                }
                None => Err(Refusal::NoNetwork),
            };
            if matches!(made, Err(Refusal::Stopped)) {
                self.shared.n_stopped.fetch_add(1, Ordering::Relaxed);
                return Err(Refusal::Stopped);
            }
            let _ = lanes.set(made);
        }
        let made = lanes.get().ok_or(Refusal::Stopped)?;
        made.as_ref().map_err(Clone::clone)
    }

    /// The same if they are made, or if that takes no longer than what has been spent without them;
    /// not if playouts one at a time have turned out to be faster. The matches are the same ones.
    pub(super) fn lanes_if_worth_it(&self) -> Option<&Lanes> {
        let Shared { lanes, pace_alone, pace_in_lanes, .. } = &*self.shared;
        let are_slower = pace_in_lanes.mean().zip(pace_alone.mean()).is_some_and(|(a, b)| a > b);
        let is_worth_it = !are_slower && self.is_worth_it(lanes);
        is_worth_it.then(|| self.lanes().ok().map(|lanes| &**lanes))?
    }

    /// The same for matches in which moves compete.
    pub(super) fn competing_lanes_if_worth_it(&self) -> Option<&Lanes> {
        let is_worth_it = self.is_worth_it(&self.shared.competing_lanes);
        is_worth_it.then(|| self.competing_lanes().ok().map(|lanes| &**lanes))?
    }

    /// Lanes that are there already; those in which moves compete do for everything.
    pub(super) fn lanes_made(&self) -> Option<&Arc<Lanes>> {
        let Shared { competing_lanes, lanes, .. } = &*self.shared;
        let made = [competing_lanes, lanes].into_iter().filter_map(OnceLock::get);
        made.filter_map(|made| made.as_ref().ok()).next()
    }

    /// Lanes that look ahead and are not in use.
    pub(super) fn spare_expanders(&self) -> MutexGuard<'_, Vec<Expander<Arc<Lanes>>>> {
        self.shared.expanders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_worth_it(&self, lanes: &MadeLanes) -> bool {
        if lanes.get().is_none() {
            let Some(compiled) = self.shared.engine.compiled() else { return false };
            let network = &compiled.network;
            let n_inputs = network.gates.n_inputs() + network.moves.len();
            // What was stopped before is begun again much later.
            let n_stopped = self.shared.n_stopped.load(Ordering::Relaxed).min(8);
            let estimate = (n_inputs as u64 * NANOSECONDS_PER_INPUT) << (3 * n_stopped);
            return self.shared.spent.load(Ordering::Relaxed) >= estimate;
        }
        true
    }

    #[cfg(test)]
    pub(super) fn has_lanes(&self) -> bool {
        self.shared.lanes.get().is_some()
    }

    /// Notes what was spent on playouts without lanes.
    pub(super) fn note_spent(&self, time: Duration) {
        self.shared.spent.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// The same for random ones.
    pub(super) fn note_alone(&self, playouts: usize, time: Duration) {
        self.note_spent(time);
        self.shared.pace_alone.note(playouts, time);
    }

    /// Notes what was spent on a batch of random playouts that fills the lanes.
    pub(super) fn note_in_lanes(&self, playouts: usize, time: Duration) {
        self.shared.pace_in_lanes.note(playouts, time);
    }

    /// The game on a graphics processor, made when this is called for the first time.
    #[cfg(feature = "cuda")]
    pub(super) fn gpu(&self) -> Result<&Kernel, &GpuRefusal> {
        let make = || Kernel::new(self.lanes()?, &GpuSettings::default());
        self.shared.gpu.get_or_init(make).as_ref()
    }

    /// Makes what playouts need to run on a graphics processor now, and not when enough were
    /// played.
    #[cfg(feature = "cuda")]
    pub fn prepare_gpu(&self) -> Result<(), GpuRefusal> {
        self.gpu().map(|_| ()).map_err(Clone::clone)
    }

    /// The game on a graphics processor, if it is made or if that takes no longer than what has been
    /// spent without it.
    #[cfg(feature = "cuda")]
    pub(super) fn gpu_if_worth_it(&self) -> Option<&Kernel> {
        if self.shared.gpu.get().is_none() {
            let lanes = self.shared.lanes.get()?.as_ref().ok()?;
            let n_inputs = (lanes.work() * lanes.period()) as u64;
            if self.shared.pace_in_lanes.nanoseconds() < n_inputs * KERNEL_NANOSECONDS_PER_INPUT {
                return None;
            }
        }
        self.gpu().ok()
    }

    /// Whether the rules are interpreted: slowly, and for one caller at a time.
    pub fn is_interpreted(&self) -> bool {
        self.shared.engine.compiled().is_none()
    }

    /// Says why the rules are interpreted, if they are.
    pub fn notice(&self) -> Option<&str> {
        self.shared.notice.as_deref()
    }

    /// What went wrong while the game was played. A state in which the rules cannot be followed has
    /// no moves and no goals, so a match ends there.
    pub fn trouble(&self) -> Option<GdlError> {
        self.shared.engine.trouble()
    }

    /// The bytes that the interpreter holds, if the rules are interpreted.
    pub fn interpreter_bytes(&self) -> Option<u64> {
        self.shared.engine.interpreted().map(Interpreter::bytes)
    }

    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// A move as it is written in the rules.
    pub fn move_text(&self, action: Move) -> String {
        self.shared.engine.move_text(action.0)
    }

    /// The facts of a state as they are written in the rules, sorted.
    pub fn facts(&self, state: &State) -> Vec<String> {
        self.shared.engine.facts(&state.position)
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.shared.engine
    }

    pub(crate) fn board(&self) -> Option<&BoardShape> {
        self.shared.board.as_ref()
    }

    pub(super) fn stop(&self) -> Option<&Arc<Stop>> {
        self.stop.as_ref()
    }

    /// Appends what stands on every cell of the board.
    pub(super) fn read_board(&self, shape: &BoardShape, state: &State, out: &mut Vec<u8>) {
        match state.position.live() {
            Some(live) => shape.read_bits(live.facts(), out),
            None => shape.read_texts(&self.facts(state), out),
        }
    }

    /// The role that is chance, if there is one.
    pub fn random_role(&self) -> Option<usize> {
        self.shared.random.map(usize::from)
    }

    /// The state at a position, or the next one at which someone has a choice.
    pub(super) fn settled(&self, position: Position, plies: u32) -> State {
        let mut state = self.unsettled(position, plies);
        self.settle(&mut state);
        state
    }

    fn unsettled(&self, position: Position, plies: u32) -> State {
        State { position, plies, turn: Turn::Chance, chosen: None }
    }

    /// Plays forced plies until someone has a choice or the match is over.
    fn settle(&self, state: &mut State) {
        let Shared { engine, seats, random, .. } = &*self.shared;
        let clock = engine.interpreted().map(|rules| (ThreadTime::now(), rules.limits().seconds));
        let is_late = || clock.is_some_and(|(start, s)| start.elapsed().as_secs_f64() > s);
        loop {
            if is_late() {
                engine.give_up(&mut state.position);
            }
            if engine.is_terminal(&state.position) {
                state.turn = Turn::Over(self.payoffs(&mut state.position, 0.0));
                return;
            }
            let mut who = Players::NONE;
            let mut stuck = state.plies >= self.max_plies();
            for (seat, &role) in seats.iter().enumerate() {
                match engine.n_legal(&state.position, role.into()) {
                    0 => stuck = true,
                    1 => {}
                    _ => who = who.with(Player(seat as u8)),
                }
            }
            let chance = random.map_or(1, |role| engine.n_legal(&state.position, role.into()));
            if stuck || chance == 0 {
                state.turn = Turn::Over(self.payoffs(&mut state.position, 0.5));
                return;
            }
            if !who.is_empty() {
                state.turn = Turn::Choose(who);
                return;
            }
            let mut joint: Joint = [0; MAX_PLAYERS + 1];
            self.forced(&state.position, &mut joint);
            if chance > 1 {
                (state.turn, state.chosen) = (Turn::Chance, Some(joint));
                return;
            }
            self.advance(state, &joint);
        }
    }

    /// Fills in the first legal move of every role, which is the move where it is the only one.
    fn forced(&self, position: &Position, joint: &mut Joint) {
        for (role, slot) in joint[..self.shared.roles.len()].iter_mut().enumerate() {
            *slot = self.shared.engine.legal(position, role, 0);
        }
    }

    fn advance(&self, state: &mut State, joint: &Joint) {
        let joint = &joint[..self.shared.roles.len()];
        self.shared.engine.step(&mut state.position, joint, self.stop());
        state.plies += 1;
    }

    /// Goals as payoffs; `missing` stands where a role has not exactly one goal.
    pub(super) fn payoffs(&self, position: &mut Position, missing: f64) -> Payoffs {
        let mut goals = [None; MAX_PLAYERS + 1];
        self.shared.engine.goals(position, &mut goals[..self.shared.roles.len()]);
        self.payoffs_of(missing, |role| goals[role])
    }

    /// The goals of roles as payoffs.
    pub(super) fn payoffs_of(&self, missing: f64, goal: impl Fn(usize) -> Option<u8>) -> Payoffs {
        let mut payoffs = Payoffs::default();
        for (seat, &role) in self.shared.seats.iter().enumerate() {
            payoffs[Player(seat as u8)] =
                goal(role.into()).map_or(missing, |goal| f64::from(goal) / 100.0);
        }
        payoffs
    }
}

impl Game for GdlGame {
    type State = State;
    type Action = Move;

    fn players(&self) -> usize {
        self.shared.seats.len()
    }

    fn start(&self) -> State {
        self.settled(self.shared.engine.start(), 0)
    }

    fn turn(&self, state: &State) -> Turn {
        state.turn
    }

    fn actions(&self, state: &State, player: Player, out: &mut Vec<Move>) {
        let role = self.role_of(player);
        let start = out.len();
        let n = self.shared.engine.n_legal(&state.position, role);
        out.extend((0..n).map(|i| Move(self.shared.engine.legal(&state.position, role, i))));
        // The engine lists the moves group by group; here they come in the order of their numbers.
        out[start..].sort_unstable();
    }

    fn apply(&self, state: &mut State, actions: &[Move]) {
        let mut joint: Joint = [0; MAX_PLAYERS + 1];
        match state.turn {
            Turn::Over(_) => return,
            Turn::Chance => {
                joint = state.chosen.take().unwrap_or(joint);
                if let (Some(random), Some(outcome)) = (self.shared.random, actions.first()) {
                    joint[usize::from(random)] = outcome.0;
                }
            }
            Turn::Choose(who) => {
                self.forced(&state.position, &mut joint);
                for (player, action) in who.zip(actions) {
                    joint[self.role_of(player)] = action.0;
                }
                let chance =
                    |role: u8| self.shared.engine.n_legal(&state.position, role.into()) > 1;
                if self.shared.random.is_some_and(chance) {
                    (state.turn, state.chosen) = (Turn::Chance, Some(joint));
                    return;
                }
            }
        }
        self.advance(state, &joint);
        self.settle(state);
    }

    fn trouble(&self, state: &State) -> Option<String> {
        let error = || self.trouble().unwrap_or(GdlError::Stopped).to_string();
        state.position.is_given_up().then(error)
    }

    fn outcomes(&self, state: &State, out: &mut Vec<(Move, f64)>) {
        let Some(random) = self.shared.random else { return };
        let n = self.shared.engine.n_legal(&state.position, random.into());
        let start = out.len();
        out.extend((0..n).map(|i| {
            (Move(self.shared.engine.legal(&state.position, random.into(), i)), 1.0 / n as f64)
        }));
        out[start..].sort_unstable_by_key(|outcome| outcome.0);
    }

    fn random_action(
        &self,
        state: &State,
        player: Player,
        _actions: &mut Vec<Move>,
        rng: &mut Rng,
    ) -> Move {
        let role = self.role_of(player);
        let n = self.shared.engine.n_legal(&state.position, role);
        Move(self.shared.engine.legal(&state.position, role, rng.below(n)))
    }

    fn playout(&self, state: &mut State, _scratch: &mut Scratch<Move>, rng: &mut Rng) -> Payoffs {
        if let Turn::Over(payoffs) = state.turn {
            return payoffs;
        }
        self.random_playout(state, rng.bits())
    }

    /// In lanes, if there are enough of them.
    fn playouts(
        &self,
        states: &[State],
        starts: &[u32],
        _scratch: &mut Scratch<Move>,
        rng: &mut Rng,
        out: &mut Vec<Payoffs>,
    ) {
        self.random_playouts(states, starts, rng, out);
    }

    fn tournament_playouts(
        &self,
        states: &[State],
        starts: &[u32],
        draws: u32,
        means: &mut dyn ActionMeans<Move>,
        rng: &mut Rng,
        out: &mut Vec<Payoffs>,
    ) -> bool {
        if self.is_interpreted() {
            return false;
        }
        self.competing_playouts(states, starts, draws, means, rng, out);
        true
    }

    /// In lanes, if they are there.
    fn ends_ahead(
        &self,
        states: &[State],
        scratch: &mut Scratch<Move>,
        out: &mut Vec<EndAhead<Move>>,
    ) {
        if !self.ends_in_lanes(states, out) {
            each_end_ahead(self, states, scratch, out);
        }
    }

    /// Several times as many as there are lanes: those that end early take others.
    fn playouts_at_once(&self) -> u64 {
        if self.is_interpreted() { 1 } else { 8 * N_LANES as u64 }
    }

    /// Makes the lanes. If they are refused, playouts go one at a time.
    fn prepare_playouts(&self) {
        let _ = self.lanes();
    }

    fn prepare_tournaments(&self) {
        let _ = self.competing_lanes();
    }
}

impl Hints for GdlGame {
    fn provides(&self) -> HintSet {
        let of_network = match self.is_interpreted() {
            true => HintSet::NONE,
            false => HintSet::of(&[Hint::Facts, Hint::Batches]),
        };
        self.board().map_or(of_network, |_| of_network.with(Hint::Cells))
    }

    fn cell_shape(&self) -> Option<CellShape> {
        let (columns, rows) = self.board_size()?;
        Some(CellShape { rows, columns, n_codes: self.piece_names().len() + 1 })
    }

    /// The code of a piece is its place in [`GdlGame::piece_names`], from 1.
    fn cells(&self, state: &State, out: &mut Vec<u8>) {
        if let Some(shape) = self.board() {
            self.read_board(shape, state, out);
        }
    }

    fn facts<'s>(&self, state: &'s State) -> &'s [u64] {
        state.position.live().map_or(&[], Live::facts)
    }
}
