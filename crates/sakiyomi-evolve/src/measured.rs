//! Runs of evolution as units of experiments.

use sakiyomi_core::Stop;
use sakiyomi_eval::{
    EvolutionSize, Measured, Measurement, Readings, Results, Task, TaskError, Unit, reading_at,
    run_measurement,
};

use crate::{Evolution, EvolveError, Judge, MapGenome, Preset, Settings, Stage, Step, Threads};

/// Does a unit of any task, runs of evolution included.
pub fn run_unit(unit: &Unit, stop: &Stop) -> Result<Results, TaskError> {
    let Task::Measure(measurement) = &unit.task else { return sakiyomi_eval::run_unit(unit, stop) };
    let Measured::Evolution(size) = measurement.of else {
        return sakiyomi_eval::run_unit(unit, stop);
    };
    run_measurement(unit.numbers.clone(), |number| {
        evolve(measurement, size, number, stop)
            .map_err(|error| measurement.wrong(&error.to_string()))
    })
}

/// The paper's evolution with another seed for each number; nothing if it was stopped.
fn evolve(
    measurement: &Measurement,
    size: EvolutionSize,
    number: u64,
    stop: &Stop,
) -> Result<Option<Readings>, EvolveError> {
    let settings = Settings {
        seed: measurement.seed.wrapping_add(number),
        population: size.population,
        generations: size.generations,
        judges: vec![Judge { agent: measurement.agent.clone(), opening: 0, noise: false }],
        stages: vec![Stage { games: size.games, share: 1.0 }],
        max_games: size.games,
        ..Preset::Paper.settings()
    };
    let problem = Preset::Paper.maps(size.aircraft);
    let mut evolution = Evolution::<MapGenome>::new(settings, String::new())?;
    while !evolution.is_done() {
        if evolution.step(&problem, &Threads(1), stop, &|_, _| {}, None)? == Step::Stopped {
            return Ok(None);
        }
    }
    let generations = (1..).zip(&evolution.history);
    let readings = generations.flat_map(|(n, generation)| {
        let sums = generation.paper;
        [("best", sums.best), ("mean", sums.mean), ("worst", sums.worst)]
            .map(|(name, value): (&str, f64)| (reading_at(name, &n.to_string()), value))
    });
    Ok(Some(readings.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_a_unit_that_depends_on_its_number_alone() {
        let size = EvolutionSize { population: 10, games: 10, generations: 3, aircraft: false };
        let measurement = Measurement {
            game: "tubstap".parse().unwrap(),
            agent: "m-uct:iterations=3".parse().unwrap(),
            of: Measured::Evolution(size),
            seed: 3,
        };
        let task = Task::Measure(measurement);
        let runs = |numbers, stop: &Stop| {
            let unit = Unit { task: task.clone(), numbers, keep: false };
            match run_unit(&unit, stop).unwrap() {
                Results::Readings(runs) => runs,
                Results::Games(games) => panic!("{games:?}"),
            }
        };
        let both = runs(0..2, &Stop::new());
        assert_eq!(both[1..], runs(1..2, &Stop::new()));
        assert_ne!(both[0], both[1]);
        assert_eq!(both[0].len(), 9, "three of each of three generations");
        for generation in 1..=3 {
            let [best, mean, worst] =
                ["best", "mean", "worst"].map(|name| both[0][&format!("{name}@{generation}")]);
            assert!(best >= mean && mean >= worst && worst >= 0.0 && best <= 1.0);
        }
        let stopped = Stop::new();
        stopped.request();
        assert_eq!(runs(0..2, &stopped), []);
    }
}
