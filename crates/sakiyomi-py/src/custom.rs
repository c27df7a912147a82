//! Games written in Python, searched by the same tree search as all others. Every call of the rules goes through the
//! interpreter, which costs microseconds instead of nanoseconds: for teaching and for first drafts.
//!
//! An exception in the rules is kept, ends the search at once, and is raised where the search was asked for.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use sakiyomi_catalog::AgentSpec;
use sakiyomi_core::stats::Tally;
use sakiyomi_core::{
    Agent, Choice, Context, Forfeit, Game, Hints, MAX_PLAYERS, Payoffs, Player, Players, Rng, Stop,
    Turn,
};
use sakiyomi_search::{Mcts, RandomPlayer};
use serde_json::json;

use crate::errors::Raised;
use crate::evaluation::{parse, to_text};
use crate::jobs;

/// The rules: a Python object with the methods `players`, `start`, `turn`, `actions` and `apply`.
struct Rules {
    rules: Py<PyAny>,
    n_players: usize,
    actions: Mutex<Actions>,
    failed: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

/// Actions of Python by number, so that the search can copy them.
struct Actions {
    numbers: Py<PyDict>,
    list: Vec<Py<PyAny>>,
}

/// A state, with what happens next in it, which is asked once.
#[derive(Clone)]
struct State(Arc<Known>);

struct Known {
    state: Py<PyAny>,
    hash: isize,
    turn: Turn,
    outcomes: Vec<(u32, f64)>,
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        let is_equal =
            |py: Python<'_>| self.0.state.bind(py).eq(other.0.state.bind(py)).unwrap_or(false);
        Arc::ptr_eq(&self.0, &other.0) || self.0.hash == other.0.hash && Python::attach(is_equal)
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash.hash(hasher);
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Python::attach(|py| write!(f, "{}", self.0.state.bind(py)))
    }
}

impl Rules {
    fn new(rules: &Bound<'_, PyAny>) -> PyResult<Rules> {
        let n_players: usize = rules.call_method0("players")?.extract()?;
        if n_players == 0 || n_players > MAX_PLAYERS {
            let text = format!("players() returned {n_players}; expected 1 to {MAX_PLAYERS}");
            return Err(Raised::bad_input(text).into());
        }
        Ok(Rules {
            rules: rules.clone().unbind(),
            n_players,
            actions: Mutex::new(Actions {
                numbers: PyDict::new(rules.py()).unbind(),
                list: Vec::new(),
            }),
            failed: AtomicBool::new(false),
            error: Mutex::new(None),
        })
    }

    fn fail(&self, error: PyErr) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.failed.store(true, Ordering::SeqCst);
    }

    fn has_failed(&self) -> bool {
        self.failed.load(Ordering::SeqCst)
    }

    /// The exception that the rules raised since they were last asked for it.
    fn raised(&self) -> Option<PyErr> {
        self.failed.store(false, Ordering::SeqCst);
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What is returned instead of a state when the rules have failed: an end, so that the search comes to one.
    fn nowhere(&self, py: Python<'_>) -> State {
        let turn = Turn::Over(Payoffs::uniform(self.n_players, 0.5));
        State(Arc::new(Known { state: py.None(), hash: 0, turn, outcomes: Vec::new() }))
    }

    fn state(&self, state: Bound<'_, PyAny>) -> PyResult<State> {
        let py = state.py();
        let answer = self.rules.bind(py).call_method1("turn", (&state,))?;
        let (turn, outcomes) = self.turn_of(&answer)?;
        let hash = state.hash()?;
        Ok(State(Arc::new(Known { state: state.unbind(), hash, turn, outcomes })))
    }

    /// Reads what `turn` returned: a player, several players, an end with payoffs, or chance with its outcomes.
    fn turn_of(&self, answer: &Bound<'_, PyAny>) -> PyResult<(Turn, Vec<(u32, f64)>)> {
        let wrong = |text: String| -> PyErr { Raised::bad_input(text).into() };
        if let Ok(payoffs) = answer.getattr("payoffs") {
            let payoffs: Vec<f64> = payoffs.extract()?;
            let is_right = |payoff: &f64| (0.0..=1.0).contains(payoff);
            if payoffs.len() != self.n_players || !payoffs.iter().all(is_right) {
                let n = self.n_players;
                return Err(wrong(format!(
                    "payoffs {payoffs:?}; expected {n} numbers from 0 to 1"
                )));
            }
            return Ok((Turn::Over(Payoffs::from_slice(&payoffs)), Vec::new()));
        }
        if let Ok(outcomes) = answer.getattr("outcomes") {
            let outcomes: Vec<(Bound<'_, PyAny>, f64)> = outcomes.extract()?;
            let sum: f64 = outcomes.iter().map(|(_, probability)| probability).sum();
            if outcomes.is_empty() || (sum - 1.0).abs() > 1e-6 {
                return Err(wrong(format!(
                    "the probabilities of chance add up to {sum}; expected 1"
                )));
            }
            let mut numbered = Vec::with_capacity(outcomes.len());
            for (outcome, probability) in &outcomes {
                numbered.push((self.number(outcome)?, *probability));
            }
            return Ok((Turn::Chance, numbered));
        }
        let who: Vec<u8> = match answer.extract::<u8>() {
            Ok(one) => vec![one],
            Err(_) => answer.extract().map_err(|_| {
                wrong(format!(
                    "turn() returned {answer}; expected a player, a tuple of players, Over(..) or Chance(..)"
                ))
            })?,
        };
        let mut players = Players::NONE;
        for player in who {
            if usize::from(player) >= self.n_players {
                let most = self.n_players - 1;
                return Err(wrong(format!(
                    "turn() named player {player}; players are 0 to {most}"
                )));
            }
            players = players.with(Player(player));
        }
        match players.is_empty() {
            true => Err(wrong("turn() named no player; an end is Over(payoffs)".to_owned())),
            false => Ok((Turn::Choose(players), Vec::new())),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Actions> {
        self.actions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of an action, which it keeps.
    fn number(&self, action: &Bound<'_, PyAny>) -> PyResult<u32> {
        // The hash of a user's class may run Python code, so no lock is held meanwhile.
        let numbers = self.lock().numbers.clone_ref(action.py());
        let numbers = numbers.bind(action.py());
        if let Some(number) = numbers.get_item(action)? {
            return number.extract();
        }
        let number = {
            let mut actions = self.lock();
            actions.list.push(action.clone().unbind());
            (actions.list.len() - 1) as u32
        };
        numbers.set_item(action, number)?;
        Ok(number)
    }

    fn action<'py>(&self, py: Python<'py>, number: u32) -> Bound<'py, PyAny> {
        let actions = self.lock();
        let found = actions.list.get(number as usize);
        found.map_or_else(|| py.None().into_bound(py), |action| action.bind(py).clone())
    }

    fn list(&self, py: Python<'_>, state: &State, player: Player) -> PyResult<Vec<u32>> {
        let actions = self.rules.bind(py).call_method1("actions", (&state.0.state, player.0))?;
        let mut numbers = Vec::new();
        for action in actions.try_iter()? {
            numbers.push(self.number(&action?)?);
        }
        if numbers.is_empty() {
            let text = format!("actions() returned nothing for player {}, who chooses", player.0);
            return Err(Raised::bad_input(text).into());
        }
        Ok(numbers)
    }

    fn after(&self, py: Python<'_>, state: &State, joint: &[u32]) -> PyResult<State> {
        let actions = PyTuple::new(py, joint.iter().map(|&number| self.action(py, number)))?;
        self.state(self.rules.bind(py).call_method1("apply", (&state.0.state, actions))?)
    }
}

impl Game for Rules {
    type State = State;
    type Action = u32;

    fn players(&self) -> usize {
        self.n_players
    }

    fn start(&self) -> State {
        Python::attach(|py| {
            let start = self.rules.bind(py).call_method0("start");
            start.and_then(|start| self.state(start)).unwrap_or_else(|error| {
                self.fail(error);
                self.nowhere(py)
            })
        })
    }

    fn turn(&self, state: &State) -> Turn {
        match self.has_failed() {
            true => Turn::Over(Payoffs::uniform(self.n_players, 0.5)),
            false => state.0.turn,
        }
    }

    fn actions(&self, state: &State, player: Player, out: &mut Vec<u32>) {
        let listed = match self.has_failed() {
            true => Ok(vec![0]),
            false => Python::attach(|py| self.list(py, state, player)),
        };
        out.extend(listed.unwrap_or_else(|error| {
            self.fail(error);
            vec![0]
        }));
    }

    fn apply(&self, state: &mut State, actions: &[u32]) {
        let next = Python::attach(|py| match self.has_failed() {
            true => self.nowhere(py),
            false => self.after(py, state, actions).unwrap_or_else(|error| {
                self.fail(error);
                self.nowhere(py)
            }),
        });
        *state = next;
    }

    fn outcomes(&self, state: &State, out: &mut Vec<(u32, f64)>) {
        out.extend_from_slice(&state.0.outcomes);
    }
}

impl Hints for Rules {}

/// An agent for a game that is written in Python. It keeps its tree between moves.
#[pyclass(module = "sakiyomi", frozen)]
pub(crate) struct CustomAgent {
    rules: Arc<Rules>,
    /// It is taken out while it thinks.
    thinker: Mutex<Option<Thinker>>,
}

/// The agent itself and its random numbers.
struct Thinker {
    agent: Box<dyn Agent<Rules>>,
    rng: Rng,
}

impl Thinker {
    fn choose(
        &mut self,
        rules: &Rules,
        state: &State,
        player: Player,
        stop: &Stop,
    ) -> Result<Choice<u32>, Forfeit> {
        let mut context = Context { rng: &mut self.rng, stop };
        self.agent.choose(rules, state, player, &mut context)
    }
}

/// What was decided: the action, what the player expects, the policy, and the iterations.
type Decided<'py> = (Bound<'py, PyAny>, Option<f64>, Vec<(Bound<'py, PyAny>, f64)>, u64);

#[pymethods]
impl CustomAgent {
    #[new]
    fn new(rules: &Bound<'_, PyAny>, agent: &Bound<'_, PyAny>, seed: u64) -> PyResult<CustomAgent> {
        let spec: AgentSpec = parse(agent)?;
        refuse_hints(&spec)?;
        let agent: Box<dyn Agent<Rules>> = match (&spec, spec.tree_search()) {
            (AgentSpec::Random(_), _) => Box::new(RandomPlayer),
            (_, Some(settings)) => Box::new(Mcts::new(*settings)),
            _ => {
                let text = format!(
                    "{spec}: a game in Python is played by random and by tree searches, such as uct"
                );
                return Err(Raised::bad_input(text).into());
            }
        };
        let thinker = Thinker { agent, rng: Rng::stream(&[seed]) };
        let rules = Arc::new(Rules::new(rules)?);
        let checked = spec.check_turns(&*rules, "this game");
        rules.raised().map_or(Ok(()), Err)?;
        checked.map_err(|error| Raised::bad_input(error.to_string()))?;
        Ok(CustomAgent { rules, thinker: Mutex::new(Some(thinker)) })
    }

    fn choose<'py>(
        &self,
        py: Python<'py>,
        state: &Bound<'py, PyAny>,
        player: u8,
    ) -> PyResult<Decided<'py>> {
        let at = self.rules.state(state.clone())?;
        if !matches!(at.0.turn, Turn::Choose(who) if who.contains(Player(player))) {
            let text = format!("player {player} does not choose in this state");
            return Err(Raised::bad_input(text).into());
        }
        let busy = || Raised::other("the agent is thinking in another thread");
        let mut thinker = self.lock().take().ok_or_else(busy)?;
        let rules = Arc::clone(&self.rules);
        let ((thinker, choice), ended) = jobs::run_keeping(py, None, move |duty| {
            let choice = thinker.choose(&rules, &at, Player(player), duty.stop());
            (thinker, choice)
        })?;
        *self.lock() = Some(thinker);
        ended?;
        if let Some(error) = self.rules.raised() {
            return Err(error);
        }
        let choice = choice.map_err(|forfeit| Raised::other(forfeit.reason))?;
        let action = |number| self.rules.action(py, number);
        let policy = choice.policy.iter().map(|&(number, share)| (action(number), share)).collect();
        Ok((action(choice.action), choice.value, policy, choice.iterations))
    }

    /// Is told every step of the match, so that the tree can be kept.
    fn observe(&self, before: &Bound<'_, PyAny>, actions: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        let state = self.rules.state(before.clone())?;
        let joint: Vec<u32> =
            actions.iter().map(|action| self.rules.number(action)).collect::<PyResult<_>>()?;
        if let Some(thinker) = self.lock().as_mut() {
            thinker.agent.observe(&self.rules, &state, &joint);
        }
        self.rules.raised().map_or(Ok(()), Err)
    }
}

impl CustomAgent {
    fn lock(&self) -> MutexGuard<'_, Option<Thinker>> {
        self.thinker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Parameters that need hints would do nothing: a game in Python gives none.
fn refuse_hints(spec: &AgentSpec) -> PyResult<()> {
    let text = spec.to_string();
    let (name, given) = text.split_once(':').unwrap_or((&text, ""));
    let entry = AgentSpec::entries().iter().find(|entry| entry.name == name);
    let given = || given.split(',').map(|part| part.split('=').next().unwrap_or(part));
    let needs = entry
        .iter()
        .flat_map(|entry| &entry.parameters)
        .find(|parameter| parameter.needs.is_some() && given().any(|name| name == parameter.name));
    match needs {
        Some(parameter) => {
            let (word, need) = (parameter.name, parameter.needs.unwrap_or_default());
            let text =
                format!("`{word}` would do nothing: a game in Python does not provide {need}");
            Err(Raised::bad_input(text).into())
        }
        None => Ok(()),
    }
}

/// What games won, drawn and lost say.
#[pyfunction]
pub(crate) fn tally(wins: u64, draws: u64, losses: u64) -> PyResult<String> {
    let tally = Tally { wins, draws, losses };
    to_text(&json!({
        "score": tally.score(),
        "interval": tally.interval(),
        "elo": tally.elo(),
        "sign_test": tally.sign_test(),
    }))
}
