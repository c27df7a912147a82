//! A rule sheet as a [`Game`].
//!
//! Roles are players in the order of the sheet; a role called `random` is chance and has no seat.
//! A role with a single legal move has nothing to choose, and a ply at which nobody has is played at
//! once, so that an alternating game is sequential by itself. Payoffs are goals / 100.
//!
//! Some sheets never end by themselves. A match is over after [`Settings::most_plies`] plies, and
//! everyone gets the goal that holds there, or a half if there is not exactly one. The same happens
//! when a role has no legal move, which the language forbids.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use sakiyomi_core::{
    CellShape, Encode, Game, Hint, HintSet, Hints, MAX_PLAYERS, Payoffs, Player, Players, Rng,
    Scratch, Turn,
};

use crate::board::BoardShape;
use crate::check::{Finding, Severity, check};
use crate::engine::{Engine, EngineChoice, Position};
use crate::error::GdlError;
use crate::ground::Limits;
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
pub struct GdlGame(Arc<Shared>);

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
        f.debug_struct("GdlGame").field("roles", &self.0.roles).finish_non_exhaustive()
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
        let sheet = Sheet::parse(text)?;
        let findings = check(&sheet);
        let errors: Vec<Finding> =
            findings.iter().filter(|f| f.severity == Severity::Error).cloned().collect();
        if !errors.is_empty() {
            return Err(GdlError::Check(errors));
        }
        let (engine, notice) = Engine::new(sheet, settings.engine, &settings.limits)?;
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
        let board = BoardShape::detect(&engine, picture)?;
        let settings = *settings;
        let shared = Shared { engine, settings, roles, seats, random, findings, notice, board };
        Ok(GdlGame(Arc::new(shared)))
    }

    /// The names of all roles in the order of the sheet, chance included.
    pub fn roles(&self) -> &[String] {
        &self.0.roles
    }

    /// The role of a player.
    pub fn role_of(&self, player: Player) -> usize {
        self.0.seats.get(player.index()).map_or(0, |&role| role.into())
    }

    /// The player of a role, if it has a seat.
    pub fn player_of(&self, role: usize) -> Option<Player> {
        let seat = self.0.seats.iter().position(|&other| usize::from(other) == role)?;
        Some(Player(seat as u8))
    }

    /// What the checks found; errors would have refused the sheet, so these are warnings.
    pub fn findings(&self) -> &[Finding] {
        &self.0.findings
    }

    /// Whether the rules are interpreted: slowly, and for one caller at a time.
    pub fn is_interpreted(&self) -> bool {
        matches!(self.0.engine, Engine::Rules(_))
    }

    /// Says why the rules are interpreted, if they are.
    pub fn notice(&self) -> Option<&str> {
        self.0.notice.as_deref()
    }

    /// What went wrong while the game was played. A state in which the rules cannot be followed has
    /// no moves and no goals, so a match ends there.
    pub fn trouble(&self) -> Option<GdlError> {
        self.0.engine.trouble()
    }

    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// A move as it is written in the rules.
    pub fn move_text(&self, action: Move) -> String {
        self.0.engine.move_text(action.0)
    }

    /// The facts of a state as they are written in the rules, sorted.
    pub fn facts(&self, state: &State) -> Vec<String> {
        self.0.engine.facts(&state.position)
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    pub(crate) fn board(&self) -> Option<&BoardShape> {
        self.0.board.as_ref()
    }

    /// The role that is chance, if there is one.
    pub fn random_role(&self) -> Option<usize> {
        self.0.random.map(usize::from)
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
        let Shared { engine, settings, seats, random, .. } = &*self.0;
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
        for (role, slot) in joint[..self.0.roles.len()].iter_mut().enumerate() {
            *slot = self.0.engine.legal(position, role, 0);
        }
    }

    fn advance(&self, state: &mut State, joint: &Joint) {
        self.0.engine.step(&mut state.position, &joint[..self.0.roles.len()]);
        state.plies += 1;
    }

    fn payoffs(&self, position: &mut Position, missing: f64) -> Payoffs {
        let mut goals = [None; MAX_PLAYERS + 1];
        self.0.engine.goals_mut(position, &mut goals[..self.0.roles.len()]);
        let mut payoffs = Payoffs::default();
        for (seat, &role) in self.0.seats.iter().enumerate() {
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
        self.0.seats.len()
    }

    fn start(&self) -> State {
        self.settled(self.0.engine.start(), 0)
    }

    fn turn(&self, state: &State) -> Turn {
        state.turn
    }

    fn actions(&self, state: &State, player: Player, out: &mut Vec<Move>) {
        let role = self.role_of(player);
        let start = out.len();
        let n = self.0.engine.n_legal(&state.position, role);
        out.extend((0..n).map(|i| Move(self.0.engine.legal(&state.position, role, i))));
        // The engine's order depends on how the state was reached.
        out[start..].sort_unstable();
    }

    fn apply(&self, state: &mut State, actions: &[Move]) {
        let mut joint: Joint = [0; MAX_PLAYERS + 1];
        match state.turn {
            Turn::Over(_) => return,
            Turn::Chance => {
                joint = state.chosen.take().unwrap_or(joint);
                if let (Some(random), Some(outcome)) = (self.0.random, actions.first()) {
                    joint[usize::from(random)] = outcome.0;
                }
            }
            Turn::Choose(who) => {
                self.forced(&state.position, &mut joint);
                for (player, action) in who.zip(actions) {
                    joint[self.role_of(player)] = action.0;
                }
                let chance = |role: u8| self.0.engine.n_legal(&state.position, role.into()) > 1;
                if self.0.random.is_some_and(chance) {
                    (state.turn, state.chosen) = (Turn::Chance, Some(joint));
                    return;
                }
            }
        }
        self.advance(state, &joint);
        self.settle(state);
    }

    fn outcomes(&self, state: &State, out: &mut Vec<(Move, f64)>) {
        let Some(random) = self.0.random else { return };
        let n = self.0.engine.n_legal(&state.position, random.into());
        let start = out.len();
        out.extend((0..n).map(|i| {
            (Move(self.0.engine.legal(&state.position, random.into(), i)), 1.0 / n as f64)
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
        let n = self.0.engine.n_legal(&state.position, role);
        Move(self.0.engine.legal(&state.position, role, rng.below(n)))
    }

    fn playout(&self, state: &mut State, _scratch: &mut Scratch<Move>, rng: &mut Rng) -> Payoffs {
        if let Turn::Over(payoffs) = state.turn {
            return payoffs;
        }
        let Shared { engine, settings, roles, random, .. } = &*self.0;
        let State { position, plies, chosen, .. } = state;
        let mut walk = RandomWalk {
            n_roles: roles.len(),
            random: random.map(usize::from),
            chosen: chosen.take(),
            plies,
            most_plies: settings.most_plies,
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
                |position, joint| engine.step(position, joint),
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
            if *self.plies >= self.most_plies {
                return false;
            }
        }
    }
}

impl Encode for GdlGame {}

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
