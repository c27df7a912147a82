//! Work as data. A task is a row of numbered pieces of work, each of which depends on the task and
//! its number alone; a unit is a range of its numbers. Tasks, units and results are written and
//! read as JSON, and [`run_unit`] keeps nothing: whatever hands out units (threads, processes, a
//! cluster) gets the same results.

use std::ops::Range;
use std::sync::{LazyLock, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, SpecError, TableError, Visitor};
use sakiyomi_core::{Fault, Stop};
use serde::{Deserialize, Serialize};

use crate::exploit::ExploitError;
use crate::{
    Fingerprint, Measured, Measurement, Openings, Pairing, Played, Readings, parse_agents,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "there are few of them, one per cell")]
pub enum Task {
    /// Matches of two agents, or of more.
    Matches(Pairing),
    /// Measurements of a game and an agent.
    Measure(Measurement),
}

/// A range of a task's numbers, as it is handed out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    pub task: Task,
    /// From `start` up to, but not including, `end`.
    pub numbers: Range<u64>,
    /// Whether matches are kept as records.
    #[serde(default)]
    pub keep: bool,
}

/// What came out of numbers that follow each other, in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Results {
    Games(Vec<Played>),
    Readings(Vec<Readings>),
}

/// A unit that is done, as sinks and stores take it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DoneUnit {
    /// The number of the first result.
    pub first: u64,
    pub results: Results,
    /// Wall time on one thread.
    pub seconds: f64,
}

/// Why a unit of work cannot be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TaskError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error(transparent)]
    NashConv(ExploitError),
}

impl Fault for TaskError {
    fn is_input(&self) -> bool {
        match self {
            TaskError::Spec(_) => true,
            TaskError::NashConv(error) => error.is_input(),
        }
    }
}

impl From<ExploitError> for TaskError {
    fn from(error: ExploitError) -> TaskError {
        match error {
            ExploitError::Spec(error) => TaskError::Spec(error),
            error => TaskError::NashConv(error),
        }
    }
}

impl DoneUnit {
    /// The numbers of its results.
    pub fn numbers(&self) -> Range<u64> {
        self.first..self.first + self.results.len() as u64
    }
}

/// What does units: [`run_unit`], or a function that does more kinds of work.
pub type Worker = fn(&Unit, &Stop) -> Result<Results, TaskError>;

/// Does a unit. The results depend on the unit alone, if the budgets of the agents are iterations.
/// If it is stopped, the results of the numbers that were complete by then are returned; the number
/// at which it was stopped is not one of them, since thinking that was cut short is not what it
/// would have been.
pub fn run_unit(unit: &Unit, stop: &Stop) -> Result<Results, TaskError> {
    let Unit { task, numbers, keep } = unit;
    match task {
        Task::Matches(pairing) => {
            let play = Play { pairing, numbers: numbers.clone(), keep: *keep, stop };
            Ok(Results::Games(pairing.game.with(play)??))
        }
        Task::Measure(measurement) => {
            run_measurement(numbers.clone(), |number| measurement.run(number, stop))
        }
    }
}

/// The runs with these numbers, until one of them was stopped.
pub fn run_measurement(
    numbers: Range<u64>,
    mut run: impl FnMut(u64) -> Result<Option<Readings>, TaskError>,
) -> Result<Results, TaskError> {
    let mut all = Vec::new();
    for number in numbers {
        let Some(readings) = run(number)? else { break };
        all.push(readings);
    }
    Ok(Results::Readings(all))
}

impl Default for Results {
    fn default() -> Results {
        Results::Games(Vec::new())
    }
}

impl Results {
    pub fn len(&self) -> usize {
        match self {
            Results::Games(games) => games.len(),
            Results::Readings(runs) => runs.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps the first `n`.
    pub fn truncate(&mut self, n: usize) {
        match self {
            Results::Games(games) => games.truncate(n),
            Results::Readings(runs) => runs.truncate(n),
        }
    }

    /// The matches themselves; none if it is measurements.
    pub fn into_games(self) -> Vec<Played> {
        match self {
            Results::Games(games) => games,
            Results::Readings(_) => Vec::new(),
        }
    }

    /// The matches; none if it is measurements.
    pub fn games(&self) -> &[Played] {
        match self {
            Results::Games(games) => games,
            Results::Readings(_) => &[],
        }
    }
}

/// The task as a store keeps it: game, first agent, second agent, seed, openings (empty if there
/// are none).
pub(crate) type TaskTexts = [String; 5];

/// What stands in place of the second agent where an agent plays against itself.
const SELF_PLAY: &str = "self-play";
/// What stands before the openings where the first agent always has the first seat.
const FIRST_SEAT: &str = "first-seat ";
/// The same, with a number, where choices are drawn at random.
const RANDOM_CHOICES: &str = "random-choices=";

impl Task {
    pub fn game(&self) -> &GameSpec {
        match self {
            Task::Matches(pairing) => &pairing.game,
            Task::Measure(measurement) => &measurement.game,
        }
    }

    pub fn agents(&self) -> &[AgentSpec] {
        match self {
            Task::Matches(pairing) => &pairing.agents,
            Task::Measure(measurement) => std::slice::from_ref(&measurement.agent),
        }
    }

    /// The random first moves of matches, if there are any.
    pub fn openings(&self) -> Option<Openings> {
        match self {
            Task::Matches(pairing) => pairing.openings,
            Task::Measure(_) => None,
        }
    }

    pub fn seed(&self) -> u64 {
        match self {
            Task::Matches(pairing) => pairing.seed,
            Task::Measure(measurement) => measurement.seed,
        }
    }

    /// Numbers that belong together: the seats of a round of matches.
    pub fn round(&self) -> Result<u64, SpecError> {
        match self {
            Task::Matches(pairing) if pairing.has_single_rounds() => Ok(1),
            Task::Matches(pairing) => Ok(n_players(&pairing.game)? as u64),
            Task::Measure(_) => Ok(1),
        }
    }

    /// The fingerprint of game and agents; nothing if it was stopped.
    pub fn fingerprint(&self, stop: &Stop) -> Result<Option<Fingerprint>, TableError> {
        Fingerprint::new(self.game(), self.agents(), stop)
    }

    pub(crate) fn texts(&self) -> TaskTexts {
        let agents = self.agents();
        let second = match self {
            Task::Matches(pairing) if pairing.is_self_play() => SELF_PLAY.to_owned(),
            Task::Matches(pairing) => pairing.others_text(),
            Task::Measure(measurement) => measurement.of.to_string(),
        };
        let mut openings = self.openings().map_or_else(String::new, |it| it.to_string());
        if let Task::Matches(pairing) = self {
            if pairing.random_choices > 0 {
                openings = format!("{RANDOM_CHOICES}{} {openings}", pairing.random_choices);
            }
            if pairing.first_seat {
                openings.insert_str(0, FIRST_SEAT);
            }
        }
        let (game, first) = (self.game().to_string(), agents[0].to_string());
        [game, first, second, self.seed().to_string(), openings]
    }

    /// What the second text of an agent says: that of an opponent, or what is measured.
    pub fn second_text(&self) -> String {
        let [_, _, second, _, _] = self.texts();
        second
    }

    /// Reads the texts back, if this version knows their names.
    pub(crate) fn from_texts([game, first, second, seed, openings]: &TaskTexts) -> Option<Task> {
        let (game, seed, first) = (game.parse().ok()?, seed.parse().ok()?, first.parse().ok()?);
        if let Ok(of) = second.parse::<Measured>() {
            return Some(Task::Measure(Measurement { game, agent: first, of, seed }));
        }
        let others = match second.as_str() {
            SELF_PLAY => Vec::new(),
            others => parse_agents(others).ok()?,
        };
        let agents = [vec![first], others].concat();
        let without = openings.strip_prefix(FIRST_SEAT);
        let first_seat = without.is_some();
        let openings = without.unwrap_or(openings);
        let (random_choices, openings) = match openings.strip_prefix(RANDOM_CHOICES) {
            Some(text) => {
                let (number, openings) = text.split_once(' ')?;
                (number.parse().ok()?, openings)
            }
            None => (0, openings),
        };
        let openings = match openings {
            "" => None,
            text => Some(text.parse().ok()?),
        };
        let pairing = Pairing { openings, first_seat, ..Pairing::of(game, agents, seed) };
        Some(Task::Matches(Pairing { random_choices, ..pairing }))
    }

    /// Whether the agents can do it, before anything is begun.
    pub(crate) fn check(&self) -> Result<(), TaskError> {
        match self {
            Task::Matches(pairing) => Ok(pairing.try_out()?),
            Task::Measure(measurement) => measurement.check(),
        }
    }
}

struct Play<'a> {
    pairing: &'a Pairing,
    numbers: Range<u64>,
    keep: bool,
    stop: &'a Stop,
}

impl Visitor for Play<'_> {
    type Out = Result<Vec<Played>, SpecError>;
    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        let Play { pairing, numbers, keep, stop } = self;
        pairing.check_number(game.players())?;
        let mut games = Vec::new();
        for number in numbers {
            let played = pairing.play(&game, number, keep, stop);
            if stop.requested() {
                break;
            }
            games.push(played?);
        }
        Ok(games)
    }
}

/// The number of players of a game. To count them it is opened, which takes a while where a hundred
/// maps are made for it, so they are counted once; a game in a file may change.
fn n_players(game: &GameSpec) -> Result<usize, SpecError> {
    static KNOWN: LazyLock<Mutex<FxHashMap<String, usize>>> = LazyLock::new(Mutex::default);
    if game.file().is_some() {
        return game.players();
    }
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = game.to_string();
    if let Some(n) = known().get(&key) {
        return Ok(*n);
    }
    let n = game.players()?;
    known().insert(key, n);
    Ok(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::DeserializeOwned;
    use std::fmt::Debug;

    fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> String {
        let text = serde_json::to_string(value).unwrap();
        assert_eq!(serde_json::from_str::<T>(&text).unwrap(), *value, "{text}");
        text
    }

    fn matches() -> Task {
        let agents = ["uct:iterations=20,c=0.5".parse().unwrap(), "random".parse().unwrap()];
        let openings = Some("openings=2,plies=3".parse().unwrap());
        let game = "connect-four:5x4".parse().unwrap();
        Task::Matches(Pairing { openings, ..Pairing::new(game, agents, 7) })
    }

    #[test]
    fn work_is_data() {
        let unit = Unit { task: matches(), numbers: 3..7, keep: true };
        let text = round_trip(&unit);
        assert!(text.starts_with(r#"{"task":{"matches":{"game":{"name":"connect-four""#), "{text}");
        let unit: Unit = serde_json::from_str(&text).unwrap();
        let results = run_unit(&unit, &Stop::new()).unwrap();
        assert_eq!(results.games().iter().map(|p| p.number).collect::<Vec<_>>(), [3, 4, 5, 6]);
        assert!(results.games().iter().all(|played| played.record.is_some()));
        round_trip(&DoneUnit { first: 3, results, seconds: 0.25 });
        let measurement = r#"{"measure":{"game":"hagetaka:n=3","agent":"rm:iterations=10","of":"nash-conv","seed":3}}"#;
        let task: Task = serde_json::from_str(measurement).unwrap();
        round_trip(&task);
        let results = run_unit(&Unit { task, numbers: 0..2, keep: false }, &Stop::new()).unwrap();
        assert_eq!(results.len(), 2);
        round_trip(&results);
    }

    #[test]
    fn a_unit_is_the_sum_of_its_parts() {
        let run = |numbers| {
            let unit = Unit { task: matches(), numbers, keep: false };
            run_unit(&unit, &Stop::new()).unwrap().games().to_vec()
        };
        assert_eq!(run(0..5), [run(0..2), run(2..5)].concat());
    }

    #[test]
    fn what_was_stopped_is_left_out_and_what_cannot_be_done_is_an_error() {
        let stop = Stop::new();
        stop.request();
        let unit = Unit { task: matches(), numbers: 0..5, keep: false };
        assert!(run_unit(&unit, &stop).unwrap().is_empty());
        let Task::Matches(mut pairing) = matches() else { unreachable!() };
        pairing.agents[0] = "uct:pruned".parse().unwrap();
        pairing.game = "othello".parse().unwrap();
        let unit = Unit { task: Task::Matches(pairing), ..unit };
        assert!(matches!(run_unit(&unit, &Stop::new()), Err(TaskError::Spec(_))));
    }

    /// Choices that are drawn follow from seed and number alone: where all are drawn, it makes no
    /// difference who would choose.
    #[test]
    fn first_choices_may_be_drawn_at_random() {
        let run = |agent: &str, random_choices, numbers| {
            let agents = [agent, agent].map(|text| text.parse().unwrap());
            let pairing = Pairing::new("connect-four:5x4".parse().unwrap(), agents, 7);
            let task = Task::Matches(Pairing { first_seat: true, random_choices, ..pairing });
            assert_eq!(Task::from_texts(&task.texts()), Some(task.clone()));
            let unit = Unit { task, numbers, keep: false };
            let games = run_unit(&unit, &Stop::new()).unwrap().games().to_vec();
            games.into_iter().map(|one| one.key).collect::<Vec<_>>()
        };
        let drawn = run("uct:iterations=30", 10, 0..20);
        assert_eq!(run("maxn:depth=2", 10, 0..20), drawn);
        assert_eq!(run("maxn:depth=2", 10, 7..9), drawn[7..9]);
        assert!((1..20).any(|at| drawn[at] != drawn[0]));
        assert_ne!(run("maxn:depth=2", 1, 0..20), run("uct:iterations=30", 1, 0..20));
    }

    /// The matches of the first seat are every second one of both seats, with numbers of their own.
    #[test]
    fn the_first_seat_alone_has_the_first_match_of_every_round() {
        let run = |first_seat, numbers| {
            let Task::Matches(pairing) = matches() else { unreachable!() };
            let task = Task::Matches(Pairing { first_seat, ..pairing });
            assert_eq!(Task::from_texts(&task.texts()), Some(task.clone()));
            let unit = Unit { task, numbers, keep: true };
            run_unit(&unit, &Stop::new()).unwrap().games().to_vec()
        };
        let both = run(false, 0..8);
        for (number, one) in (2..).zip(run(true, 2..4)) {
            assert_eq!(one, Played { number, ..both[2 * number as usize].clone() });
        }
    }
}
