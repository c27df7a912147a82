//! A rule sheet as a [`Game`].
//!
//! Roles are players in the order of the sheet; a role called `random` is chance and has no seat.
//! A role with a single legal move has nothing to choose, and a ply at which no role has one is played at
//! once, so that an alternating game is sequential by itself. Payoffs are goals / 100.
//!
//! Some sheets never end by themselves. A match is over after [`Settings::most_plies`] plies, and
//! everyone gets the goal that holds there, or a half if there is not exactly one. The same happens
//! when a role has no legal move, which the language forbids.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use sakiyomi_core::{
    CellShape, Game, Hint, HintSet, Hints, MAX_PLAYERS, Payoffs, Player, Players, Rng, Scratch,
    Stop, Turn,
};

use crate::board::BoardShape;
use crate::check::{Finding, Severity, check};
use crate::engine::{Engine, EngineChoice, Position};
use crate::error::GdlError;
use crate::meter::{Limits, Watcher};
use crate::parse::Sheet;

/// How a rule sheet becomes a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    pub limits: Limits,
    pub engine: EngineChoice,
    /// The ply at which a match is cut off.
    pub most_plies: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { limits: Limits::default(), engine: EngineChoice::Auto, most_plies: 2_000 }
    }
}

/// A game that was described by rules. Cheap to clone.
#[derive(Clone)]
pub struct GdlGame {
    shared: Arc<Shared>,
    /// Ends playouts in the middle.
    stop: Option<Arc<Stop>>,
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
}

impl fmt::Debug for GdlGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GdlGame").field("roles", &self.shared.roles).finish_non_exhaustive()
    }
}

/// One move of one role: a number in the game's table of moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Move(pub(crate) u32);

/// A state: equal and hashed by its facts alone, and by what the players chose where chance follows.
pub struct State {
    pub(crate) position: Position,
    plies: u32,
    turn: Turn,
    /// What the players chose, while chance has not yet moved.
    chosen: Option<[u32; MAX_PLAYERS + 1]>,
}

impl Clone for State {
    fn clone(&self) -> State {
        State { position: self.position.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &State) {
        self.position.clone_from(&other.position);
        (self.plies, self.turn, self.chosen) = (other.plies, other.turn, other.chosen);
    }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.position.key() == other.position.key() && self.chosen == other.chosen
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.position.key().hash(hasher);
        self.chosen.hash(hasher);
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut state = f.debug_struct("State");
        state.field("facts", &self.position.key()).field("plies", &self.plies);
        state.field("turn", &self.turn).finish_non_exhaustive()
    }
}

impl State {
    /// Plies since the start, those that were forced included.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Whether a fluent of the network holds; none does for the interpreter, which does not number
    /// them.
    pub(crate) fn fact(&self, fluent: u32) -> bool {
        matches!(&self.position, Position::Network(live) if live.fact(fluent))
    }

    /// The bytes that a state takes, more or less.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<State>() + self.position.bytes()
    }
}

type Joint = [u32; MAX_PLAYERS + 1];

impl GdlGame {
    /// Reads, checks and compiles a rule sheet.
    pub fn new(text: &str, settings: &Settings) -> Result<GdlGame, GdlError> {
        GdlGame::with_picture(text, settings, None)
    }

    /// The same, drawn as a piece file says; docs/gdl.md has its format.
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
        let (engine, notice) = Engine::new(sheet, settings.engine, &settings.limits, watcher)?;
        engine.start();
        if let Some(error) = engine.trouble() {
            return Err(error);
        }
        let roles = engine.role_names();
        let is_random = |role: &String| role.eq_ignore_ascii_case("random");
        let random = roles.iter().position(is_random).map(|role| role as u8);
        let seats: Vec<u8> =
            (0..roles.len().min(255) as u8).filter(|&role| Some(role) != random).collect();
        if seats.is_empty() || seats.len() > MAX_PLAYERS {
            return Err(GdlError::Roles { n: seats.len(), most: MAX_PLAYERS });
        }
        let board = BoardShape::detect(&engine, text, picture)?;
        let settings = *settings;
        let shared = Shared { engine, settings, roles, seats, random, findings, notice, board };
        Ok(GdlGame { shared: Arc::new(shared), stop: None })
    }

    /// A game that is ready within a second whatever the rules are: they are interpreted, and what does
    /// not change is worked out in advance only if that is quick. For the legal moves of a match while
    /// the same rules are still being grounded.
    pub fn at_once(text: &str) -> Result<GdlGame, GdlError> {
        let limits = Limits { seconds: 0.3, ..Limits::default() };
        let engine = EngineChoice::Interpreter;
        GdlGame::new(text, &Settings { limits, engine, ..Settings::default() })
    }

    /// The same game, sharing everything, whose playouts end as soon as `stop` is requested, also
    /// in the middle. What a playout returns then means nothing, and a state after which that happens
    /// may have no moves: a search ends without looking at it.
    #[must_use]
    pub fn with_stop(&self, stop: Arc<Stop>) -> GdlGame {
        GdlGame { shared: Arc::clone(&self.shared), stop: Some(stop) }
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

    /// Whether the rules are interpreted: slowly, and for one caller at a time.
    pub fn is_interpreted(&self) -> bool {
        matches!(self.shared.engine, Engine::Rules(_))
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

    pub(crate) fn engine(&self) -> &Engine {
        &self.shared.engine
    }

    pub(crate) fn board(&self) -> Option<&BoardShape> {
        self.shared.board.as_ref()
    }

    /// The role that is chance, if there is one.
    pub fn random_role(&self) -> Option<usize> {
        self.shared.random.map(usize::from)
    }

    /// The state at a position, or the next one at which someone has a choice.
    pub(crate) fn settled(&self, position: Position, plies: u32) -> State {
        let mut state = self.unsettled(position, plies);
        self.settle(&mut state);
        state
    }

    fn unsettled(&self, position: Position, plies: u32) -> State {
        State { position, plies, turn: Turn::Chance, chosen: None }
    }

    /// Plays forced plies until someone has a choice or the match is over.
    fn settle(&self, state: &mut State) {
        let Shared { engine, settings, seats, random, .. } = &*self.shared;
        loop {
            if engine.is_terminal(&state.position) {
                state.turn = Turn::Over(self.payoffs(&mut state.position, 0.0));
                return;
            }
            let mut who = Players::NONE;
            let mut stuck = state.plies >= settings.most_plies;
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
        self.shared.engine.step(&mut state.position, joint, self.stop.as_ref());
        state.plies += 1;
    }

    fn payoffs(&self, position: &mut Position, missing: f64) -> Payoffs {
        let mut goals = [None; MAX_PLAYERS + 1];
        self.shared.engine.goals_mut(position, &mut goals[..self.shared.roles.len()]);
        let mut payoffs = Payoffs::default();
        for (seat, &role) in self.shared.seats.iter().enumerate() {
            let goal = goals[usize::from(role)];
            payoffs[Player(seat as u8)] = goal.map_or(missing, |goal| f64::from(goal) / 100.0);
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
        // The engine's order depends on how the state was reached.
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
        let Shared { engine, settings, roles, random, .. } = &*self.shared;
        let State { position, plies, chosen, .. } = state;
        let mut walk = RandomWalk {
            n_roles: roles.len(),
            random: random.map(usize::from),
            chosen: chosen.take(),
            plies,
            most_plies: settings.most_plies,
            stop: self.stop.as_deref(),
            rng,
        };
        let by_the_rules = match (engine, &mut *position) {
            (Engine::Network(compiled), Position::Network(live)) => walk.run(
                live,
                |live, role| live.n_legal(&compiled.layout, role),
                |live, role, number| live.legal(&compiled.layout, role, number),
                |live, joint| compiled.step(live, joint),
                |live| live.holds(compiled.layout.terminal),
            ),
            (_, position) => walk.run(
                position,
                |position, role| engine.n_legal(position, role),
                |position, role, number| engine.legal(position, role, number),
                |position, joint| engine.step(position, joint, self.stop.as_ref()),
                |position| engine.is_terminal(position),
            ),
        };
        self.payoffs(position, if by_the_rules { 0.0 } else { 0.5 })
    }
}

/// Random moves of everyone until a match is over.
struct RandomWalk<'a> {
    n_roles: usize,
    random: Option<usize>,
    /// The players may have chosen already, and only chance is open at the first ply.
    chosen: Option<Joint>,
    plies: &'a mut u32,
    most_plies: u32,
    stop: Option<&'a Stop>,
    rng: &'a mut Rng,
}

impl RandomWalk<'_> {
    /// Whether the rules ended the match. What a position can do is passed in, so that this is
    /// compiled for each engine.
    #[inline]
    fn run<P>(
        &mut self,
        position: &mut P,
        n_legal: impl Fn(&P, usize) -> usize,
        legal: impl Fn(&P, usize, usize) -> u32,
        step: impl Fn(&mut P, &[u32]),
        is_terminal: impl Fn(&P) -> bool,
    ) -> bool {
        loop {
            let mut joint = self.chosen.unwrap_or([0; MAX_PLAYERS + 1]);
            for (role, slot) in joint[..self.n_roles].iter_mut().enumerate() {
                if self.chosen.is_some() && self.random != Some(role) {
                    continue;
                }
                let n = n_legal(position, role);
                if n == 0 {
                    return false;
                }
                let number = if n == 1 { 0 } else { self.rng.below(n) };
                *slot = legal(position, role, number);
            }
            self.chosen = None;
            step(position, &joint[..self.n_roles]);
            *self.plies += 1;
            if is_terminal(position) {
                return true;
            }
            let is_stopped = || self.stop.is_some_and(Stop::requested);
            if *self.plies >= self.most_plies || self.plies.is_multiple_of(8) && is_stopped() {
                return false;
            }
        }
    }
}

impl Hints for GdlGame {
    fn provides(&self) -> HintSet {
        if self.board().is_some() { HintSet::of(&[Hint::Cells]) } else { HintSet::NONE }
    }

    fn cell_shape(&self) -> Option<CellShape> {
        let (columns, rows) = self.board_size()?;
        Some(CellShape { rows, columns, n_codes: self.piece_names().len() + 1 })
    }

    /// The code of a piece is its place in [`GdlGame::piece_names`], from 1.
    fn cells(&self, state: &State, out: &mut Vec<u8>) {
        if let Some(shape) = self.board() {
            shape.read(self.engine(), &state.position, out);
        }
    }
}
