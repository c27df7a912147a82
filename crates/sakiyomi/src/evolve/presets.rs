//! Named settings.

use sakiyomi_evolve::{Fitness, Judge, Polish, Settings, Stage};

/// A name for settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The experiment of Yoshikawa and Takeuchi.
    Paper,
    /// Ours.
    Fair,
}

/// The paper's: 100 individuals, tournaments of 5, 100 games, nothing kept.
pub fn paper_settings(seed: u64, judges: Vec<Judge>) -> Settings {
    Settings {
        seed,
        population: 100,
        generations: 30,
        tournament: 5,
        elites: 0,
        fitness: Fitness::Paper,
        judges,
        stages: vec![Stage { games: 100, share: 1.0 }],
        fresh_games: 0,
        max_games: 100,
        archive: false,
        from_archive: 0.0,
        distinct: false,
        crossover: 1.0,
        polish: None,
    }
}

/// Ours: many first maps and few generations, graded fitness, elites that play on, racing, an archive from which many of the parents
/// come, and a last phase that refines the best. Most children are mutated only: crossing two maps that are each balanced seldom gives a balanced one.
pub fn fair_settings(seed: u64, judges: Vec<Judge>) -> Settings {
    Settings {
        seed,
        population: 240,
        generations: 2,
        tournament: 3,
        elites: 30,
        fitness: Fitness::Graded,
        judges,
        stages: vec![
            Stage { games: 4, share: 1.0 },
            Stage { games: 8, share: 0.3 },
            Stage { games: 16, share: 0.12 },
        ],
        fresh_games: 20,
        max_games: 200,
        archive: true,
        from_archive: 0.4,
        distinct: true,
        crossover: 0.3,
        polish: Some(fair_polish()),
    }
}

/// Many maps are refined at once, since a judge that is never asked does not agree with the others on all of them.
pub fn fair_polish() -> Polish {
    Polish {
        generations: 10,
        lineages: 100,
        children: 3,
        mutants: 1,
        games: 40,
        last_games: 300,
        distance: 0.25,
    }
}
