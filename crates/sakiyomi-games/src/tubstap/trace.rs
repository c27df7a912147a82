//! Traces of the original program: replaying them shows that the rules here are the same.
//!
//! A trace is one line of JSON: the states after every action, how many actions were legal and a hash of
//! them, and how it ended. A state has a word for each unit: x, y and hit points in base 36 and whether
//! it has acted; `-` for a unit that is not there.

use sakiyomi_core::Player;
use serde::Deserialize;

use super::cells::{Cells, bits};
use super::file::read_map;
use super::{Action, Attacks, FileError, Settings, State, Status, Tubstap};

/// One game of the original.
#[derive(Clone, Debug, Deserialize)]
pub struct Trace {
    pub map: String,
    pub swapped: bool,
    pub first: u8,
    pub start: String,
    pub legal: Legal,
    pub steps: Vec<Step>,
    pub winner: i8,
    pub how: String,
    pub turns: u32,
    pub end: String,
}

/// Turn, side, action, state after it, and what its side may still do.
pub type Step = (u32, u8, String, String, Legal);

/// Numbers of moves, of attacks, of those with power and of those with damage, and a hash of all.
pub type Legal = (u32, u32, u32, u32, String);

/// Where a replay first differs from a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of the step from 0; none before the first and after the last.
    pub step: Option<usize>,
    pub field: &'static str,
    /// What the trace says.
    pub expected: String,
    pub found: String,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    #[error("the map cannot be read: {0}")]
    Map(#[from] FileError),
    #[error("the trace cannot be read: {0}")]
    Trace(String),
    #[error("{0}")]
    Difference(Difference),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.step {
            Some(step) => write!(f, "step {step}, ")?,
            None => write!(f, "game, ")?,
        }
        write!(f, "{}: expected {}, found {}", self.field, self.expected, self.found)
    }
}

/// Replays one line of a trace file and names the first difference.
pub fn verify(map: &[u8], line: &str) -> Result<(), TraceError> {
    let (map, _) = read_map(map)?;
    let trace: Trace =
        serde_json::from_str(line).map_err(|error| TraceError::Trace(error.to_string()))?;
    let settings =
        Settings { attacks: Attacks::All, swapped: trace.swapped, ..Settings::default() };
    with_game!(&map, settings, |game| replay(&game, &trace)).map_err(TraceError::Difference)
}

/// A request for one action: what a driver of the original program asks.
#[derive(Clone, Debug, Deserialize)]
pub struct Question {
    /// The name of the map.
    pub map: String,
    #[serde(default)]
    pub swapped: bool,
    pub turn: u32,
    pub side: u8,
    /// As in traces.
    pub state: String,
}

impl Question {
    /// One line of JSON.
    pub fn read(line: &str) -> Result<Question, TraceError> {
        serde_json::from_str(line).map_err(|error| TraceError::Trace(error.to_string()))
    }
}

impl<const W: usize, const N: usize> Tubstap<W, N> {
    /// The state of a question. Its sides must be those of this game's settings.
    pub fn state_of(&self, question: &Question) -> Result<State<W, N>, TraceError> {
        let fault = |text: String| TraceError::Trace(text);
        if question.swapped != self.rules.settings.swapped {
            return Err(fault(format!("swapped is {}", question.swapped)));
        }
        if question.side > 1 {
            return Err(fault(format!("side is {}, but it must be 0 or 1", question.side)));
        }
        let limit = self.rules.map.turn_limit;
        if question.turn >= limit.into() {
            return Err(fault(format!("turn is {}, but the limit is {limit}", question.turn)));
        }
        let mut state = self.read_state(&question.state).map_err(fault)?;
        state.turn = question.turn as u16;
        state.status = Status::ToMove(Player(question.side));
        let player = Player(question.side);
        if self.rules.sides.iter().any(|side| state.alive & side == 0) {
            return Err(fault("a side has no unit left".to_owned()));
        }
        if self.unfinished(&state, player) == 0 {
            return Err(fault(format!("all units of side {} have acted", question.side)));
        }
        Ok(state)
    }

    /// The answer `unit,x,y,target`, with target -1 for a move. The end of the turn is given as the
    /// stay of the first unit that has not acted.
    pub fn answer_text(&self, state: &State<W, N>, action: Action) -> Option<String> {
        let action = if action == Action::END {
            let unit = bits(self.unfinished(state, state.to_move()?)).next()?;
            Action::go(unit, state.cells[unit as usize])
        } else {
            action
        };
        Some(self.line_of(action))
    }

    fn line_of(&self, action: Action) -> String {
        let (x, y) = self.file_place(action.to);
        let target = action.target().map_or(-1, |target| target as i32);
        format!("{},{x},{y},{target}", action.unit)
    }

    /// A word for each unit of the map.
    pub fn state_text(&self, state: &State<W, N>) -> String {
        let words: Vec<String> = (0..self.rules.map.units.len())
            .map(|unit| match self.position(state, unit) {
                Some((x, y)) => {
                    let digits = [x.into(), y.into(), state.hit_points(unit)];
                    let word: String = digits.iter().map(|&digit| digit_text(digit)).collect();
                    word + if state.has_acted(unit) { "1" } else { "0" }
                }
                None => "-".to_owned(),
            })
            .collect();
        words.join(" ")
    }

    /// The units of a state text. Whose turn it is does not stand in it.
    fn read_state(&self, text: &str) -> Result<State<W, N>, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let n_units = self.rules.map.units.len();
        if words.len() != n_units {
            return Err(format!("the state has {} units, the map {n_units}", words.len()));
        }
        let mut state = State {
            occupied: [Cells::NONE; 2],
            cells: [0; N],
            hit_points: [0; N],
            alive: 0,
            finished: 0,
            turn: 0,
            dealt: self.rules.n_deals(),
            ..self.rules.start
        };
        for (unit, word) in words.iter().enumerate().filter(|(_, word)| **word != "-") {
            let bad = |why: &str| format!("unit {unit}, `{word}`: {why}");
            let digits: Option<Vec<u32>> = word.chars().map(|c| c.to_digit(36)).collect();
            let Some(&[x, y, hp, acted]) = digits.as_deref() else {
                return Err(bad("not x, y, HP and finished in base 36"));
            };
            if !self.rules.map.is_inside(x as u16, y as u16) {
                return Err(bad("off the map"));
            }
            if hp == 0 || hp > self.rules.most_hit_points() || acted > 1 {
                return Err(bad("hit points or finished out of range"));
            }
            let cell = self.rules.grid.cell(x as u16 - 1, y as u16 - 1);
            if (state.occupied[0] | state.occupied[1]).has(cell) {
                return Err(bad("another unit stands there"));
            }
            state.occupied[self.side(unit).index()].insert(cell);
            state.cells[unit] = cell;
            state.hit_points[unit] = hp as u8;
            state.alive |= 1 << unit;
            state.finished |= u64::from(acted) << unit;
        }
        Ok(state)
    }

    /// What a side may do, counted and hashed as in traces.
    pub fn legal_summary(&self, state: &State<W, N>, player: Player) -> Legal {
        let mut lines = Vec::new();
        let mut counts = [0; 4];
        let mut attacks = Vec::new();
        for unit in bits(self.unfinished(state, player)) {
            let landing = self.landing(state, unit, self.reach(state, unit));
            counts[0] += landing.count();
            lines.extend(landing.iter().map(|to| self.line_of(Action::go(unit, to))));
            for (i, which) in
                [Attacks::Effective, Attacks::Power, Attacks::All].into_iter().enumerate()
            {
                attacks.clear();
                self.attacks_of(state, unit, landing, which, &mut attacks);
                counts[3 - i] += attacks.len() as u32;
            }
            lines.extend(attacks.iter().map(|&attack| self.line_of(attack)));
        }
        lines.sort_unstable();
        let [moves, all, power, effective] = counts;
        (moves, all, power, effective, format!("{:08x}", fnv_1a(lines.join("\n").as_bytes())))
    }
}

fn replay<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    trace: &Trace,
) -> Result<(), Difference> {
    let mut state = game.rules.undealt;
    let first = Player(game.rules.settings.swapped.into());
    check(None, "first", &trace.first, &first.0)?;
    check(None, "start", &trace.start, &game.state_text(&state))?;
    check(None, "legal", &trace.legal, &game.legal_summary(&state, first))?;
    game.begin(&mut state);
    for (number, step) in trace.steps.iter().enumerate() {
        replay_step(game, &mut state, number, step)?;
        if number + 1 == trace.steps.len() && trace.how == "resigned" {
            game.resign(&mut state, Player(step.1));
        } else {
            game.pass_turns(&mut state);
        }
    }
    let winner = match state.status {
        Status::ToMove(player) => {
            return Err(differs(
                None,
                "end",
                &"the game is over",
                &format!("side {} to move", player.0),
            ));
        }
        Status::Won(player) => player.0 as i8,
        Status::Drawn => -1,
    };
    let how = if trace.how == "resigned" {
        "resigned"
    } else if game.rules.sides.iter().any(|side| state.alive & side == 0) {
        "wiped"
    } else {
        "limit"
    };
    check(None, "winner", &trace.winner, &winner)?;
    check(None, "how", &trace.how.as_str(), &how)?;
    check(None, "turns", &trace.turns, &state.turns())?;
    check(None, "end", &trace.end, &game.state_text(&state))
}

/// One action, up to the state before the turn passes.
fn replay_step<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &mut State<W, N>,
    number: usize,
    (turn, side, fields, after, legal): &Step,
) -> Result<(), Difference> {
    let at = Some(number);
    check(at, "turn", turn, &state.turns())?;
    let to_move = state.to_move().map_or("none".to_owned(), |player| player.0.to_string());
    check(at, "side", &side.to_string(), &to_move)?;
    let player = Player(*side);
    let action = read_fields(game, state, player, fields)
        .ok_or_else(|| differs(at, "action", fields, &"not legal"))?;
    let before = *state;
    game.act(state, action);
    check(at, "action", fields, &game.fields_text(&before, state, action))?;
    check(at, "state", after, &game.state_text(state))?;
    check(at, "legal", legal, &game.legal_summary(state, player))
}

/// The action of eleven fields, if it is legal.
pub(super) fn read_fields<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    player: Player,
    fields: &str,
) -> Option<Action> {
    let numbers: Vec<i64> =
        fields.split(',').map(|field| field.trim().parse().ok()).collect::<Option<_>>()?;
    let &[unit, x, y, _, _, target, ..] = numbers.as_slice() else { return None };
    let inside = u16::try_from(x).ok().zip(u16::try_from(y).ok());
    let (x, y) = inside.filter(|&(x, y)| game.rules.map.is_inside(x, y))?;
    let unit = u8::try_from(unit).ok()?;
    let to = game.rules.grid.cell(x - 1, y - 1);
    let action = match target {
        -1 => Action::go(unit, to),
        _ => Action::attack(unit, to, u8::try_from(target).ok().filter(|&target| target < 64)?),
    };
    game.is_legal(state, player, action, Attacks::All).then_some(action)
}

impl<const W: usize, const N: usize> Tubstap<W, N> {
    /// The eleven fields of an action of one unit: unit, where to, where from, target, where that
    /// stands, type, damage and counter.
    pub(super) fn fields_text(
        &self,
        before: &State<W, N>,
        after: &State<W, N>,
        action: Action,
    ) -> String {
        let unit = usize::from(action.unit);
        let (x, y) = self.file_place(action.to);
        let (from_x, from_y) = self.file_place(before.cells[unit]);
        let Some(target) = action.target() else {
            return format!("{unit},{x},{y},{from_x},{from_y},-1,0,0,1,0,0");
        };
        let (target_x, target_y) = self.file_place(before.cells[target]);
        let lost = |unit: usize| before.hit_points(unit) - after.hit_points(unit);
        let (damage, counter) = (lost(target), lost(unit));
        format!(
            "{unit},{x},{y},{from_x},{from_y},{target},{target_x},{target_y},2,{damage},{counter}"
        )
    }
}

fn check<T: PartialEq + std::fmt::Debug>(
    step: Option<usize>,
    field: &'static str,
    expected: &T,
    found: &T,
) -> Result<(), Difference> {
    if expected == found { Ok(()) } else { Err(differs(step, field, expected, found)) }
}

fn differs(
    step: Option<usize>,
    field: &'static str,
    expected: &dyn std::fmt::Debug,
    found: &dyn std::fmt::Debug,
) -> Difference {
    Difference { step, field, expected: format!("{expected:?}"), found: format!("{found:?}") }
}

fn digit_text(digit: u32) -> char {
    char::from_digit(digit, 36).unwrap_or('?')
}

fn fnv_1a(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(0x811c_9dc5, |hash: u32, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
