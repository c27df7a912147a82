//! The results that are shipped are those of today's program: of every file in `results/` the first
//! games of some cells are played again, the cheapest ones. What differs is to be run again
//! (`sakiyomi run`, `sakiyomi report --results results`) or removed.

use std::fs;
use std::path::{Path, PathBuf};

use cpu_time::ThreadTime;
use sakiyomi_core::Stop;
use sakiyomi_eval::experiment::{Cell, Experiment, Scale};
use sakiyomi_eval::{FirstGame, Measured, Task, Unit, parse_agents, run_unit};
use serde::Deserialize;

/// As much of a result as is checked.
#[derive(Deserialize)]
struct Shipped {
    id: String,
    scale: String,
    repeatable: bool,
    cells: Vec<ShippedCell>,
}

#[derive(Debug, Deserialize)]
struct ShippedCell {
    name: String,
    game: String,
    first: String,
    second: String,
    games: u64,
    fingerprint: Option<String>,
    first_games: Vec<FirstGame>,
}

/// CPU time for a file, beyond which no other cell is begun.
const SECONDS_PER_FILE: f64 = 0.5;
/// A cell is not begun if its agents have more playouts a decision together, unless all have.
const MAX_ITERATIONS: u64 = 25_000;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn shipped() -> Vec<(String, Shipped)> {
    let files = fs::read_dir(folder("results")).unwrap().map(|file| file.unwrap().path());
    let read = |file: PathBuf| {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&file).unwrap();
        let shipped = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, shipped)
    };
    let mut all: Vec<_> = files.map(read).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

/// The cells of the experiment that have shipped results, with these.
fn cells<'a>(experiment: &'a Experiment, shipped: &'a Shipped) -> Vec<(&'a Cell, &'a ShippedCell)> {
    let scale: Scale = shipped.scale.parse().unwrap();
    let found = |ours: &'a ShippedCell| {
        let is_it = |cell: &&Cell| cell.address.to_string() == ours.name;
        let cell = experiment.cells(scale).iter().find(is_it);
        let cell = cell.unwrap_or_else(|| panic!("{}: no cell {}", shipped.id, ours.name));
        (cell, ours)
    };
    shipped.cells.iter().filter(|cell| cell.games > 0).map(found).collect()
}

/// Playouts of a decision, of all agents together, or of a probe: about what a game costs.
fn cost(cell: &Cell) -> u64 {
    if let Task::Measure(measurement) = &cell.task
        && let Measured::Probe { playouts, plies } = measurement.of
    {
        return playouts * plies as u64;
    }
    let iterations = |agent: &sakiyomi_catalog::AgentSpec| {
        agent.clone().budget_mut().and_then(|budget| budget.iterations).unwrap_or(0)
    };
    cell.task.agents().iter().map(iterations).sum()
}

#[test]
fn shipped_results_are_of_the_experiments_as_they_are() {
    for (name, shipped) in shipped() {
        let file = folder("experiments").join(format!("{}.toml", shipped.id));
        let experiment = Experiment::load(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (cell, ours) in cells(&experiment, &shipped) {
            // What was said and is a default by now is not written any more.
            let same = |text: &str, now: &str| match (parse_agents(text), parse_agents(now)) {
                (Ok(then), Ok(now)) => then == now,
                _ => text == now,
            };
            let is_same = same(&ours.first, &cell.task.agents()[0].to_string())
                && same(&ours.second, &cell.task.second_text())
                && ours.game == cell.task.game().to_string();
            assert!(is_same, "{name} {}: {ours:?}", ours.name);
            if shipped.repeatable {
                assert!(!ours.first_games.is_empty(), "{name} {}: nothing to check", ours.name);
                assert!(ours.fingerprint.is_some(), "{name} {}: no fingerprint", ours.name);
            }
        }
    }
}

#[test]
fn shipped_results_come_out_again() {
    let mut n_played = 0;
    for (name, shipped) in shipped().iter().filter(|(_, shipped)| shipped.repeatable) {
        let file = folder("experiments").join(format!("{}.toml", shipped.id));
        let experiment = Experiment::load(&file).unwrap();
        let mut cells = cells(&experiment, shipped);
        cells.sort_by_key(|(cell, _)| cost(cell));
        let start = ThreadTime::now();
        for (i, (cell, ours)) in cells.iter().enumerate() {
            let is_late = start.elapsed().as_secs_f64() > SECONDS_PER_FILE;
            if i > 0 && (is_late || cost(cell) > MAX_ITERATIONS) {
                break;
            }
            let fingerprint = cell.fingerprint(&Stop::new()).unwrap().unwrap();
            let stored = ours.fingerprint.as_deref().unwrap_or_default();
            assert!(fingerprint.is_of(stored), "{name} {}: plays otherwise", ours.name);
            // A run of evolution takes minutes; its crate tests that runs come out again.
            let most = match &cell.task {
                Task::Measure(measurement) if measurement.is_evolution() => 0,
                Task::Measure(_) if cost(cell) > MAX_ITERATIONS => 1,
                _ => ours.first_games.len(),
            };
            for first in ours.first_games.iter().take(most) {
                let numbers = first.number..first.number + 1;
                let unit = Unit { task: cell.task.clone(), numbers, keep: false };
                let results = run_unit(&unit, &Stop::new()).unwrap();
                let again = FirstGame::of(first.number, &results, 1);
                assert_eq!(again, std::slice::from_ref(first), "{name} {}", ours.name);
                n_played += 1;
            }
        }
    }
    assert!(n_played > 60, "{n_played} games were played again");
}
