//! Named settings.

use std::str::FromStr;

use crate::{Delivery, EvolveError, Fitness, Judge, MapProblem, Polish, Quorum, Settings, Stage};

/// A name for settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The experiment of Yoshikawa and Takeuchi.
    Paper,
    /// Ours.
    Fair,
}

/// Three players that think in different ways and cost little.
const SEARCH_JUDGES: [&str; 3] =
    ["sample+noise", "m-uct:iterations=20+noise", "satd2:iterations=100+noise"];
/// One that no run asks.
const HELD_OUT: &str = "tubstap-best:iterations=30+noise";
/// For how many judges a candidate must be fair.
const FAIR_FOR: usize = 3;

fn judges(texts: &[&str]) -> Vec<Judge> {
    texts.iter().map(|text| text.parse().expect("our own judges can be read")).collect()
}

impl FromStr for Preset {
    type Err = String;
    fn from_str(name: &str) -> Result<Preset, String> {
        match name {
            "paper" => Ok(Preset::Paper),
            "fair" => Ok(Preset::Fair),
            _ => Err("expected paper or fair".to_owned()),
        }
    }
}

impl Preset {
    pub fn title(self, seed: u64) -> String {
        match self {
            Preset::Paper => format!("The paper's run, seed {seed}"),
            Preset::Fair => format!("Fair games, seed {seed}"),
        }
    }

    pub fn maps(self, aircraft: bool) -> MapProblem {
        match self {
            Preset::Paper => MapProblem::paper(aircraft),
            Preset::Fair => MapProblem::fair(aircraft),
        }
    }

    pub fn settings(self) -> Settings {
        match self {
            Preset::Paper => paper_settings(),
            Preset::Fair => fair_settings(),
        }
    }
}

/// The paper's: 100 individuals, tournaments of 5, 100 games, nothing kept.
fn paper_settings() -> Settings {
    Settings {
        seed: 1,
        population: 100,
        generations: 30,
        tournament: 5,
        elites: 0,
        fitness: Fitness::Paper,
        judges: judges(&["staff"]),
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

/// Ours: many first maps and few generations, graded fitness, elites that play on, racing, an
/// archive from which many of the parents come, and a last phase that refines the best. Most
/// children are mutated only: crossing two maps that are each balanced seldom gives a balanced one.
fn fair_settings() -> Settings {
    Settings {
        seed: 1,
        population: 240,
        generations: 2,
        tournament: 3,
        elites: 30,
        fitness: Fitness::Graded,
        judges: judges(&SEARCH_JUDGES),
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
        polish: Some(Polish::default()),
    }
}

/// Many maps are refined at once, since a judge that is never asked does not agree with the others
/// on all of them.
impl Default for Polish {
    fn default() -> Polish {
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
}

impl Delivery {
    /// Fresh games of these judges, or of ours, for candidates of a run that has asked others.
    /// Those that were never asked go first: most candidates fail there, which saves the games of
    /// the others.
    pub fn new(
        asked: &[Judge],
        verify: &[Judge],
        fair_for: Option<usize>,
    ) -> Result<Delivery, EvolveError> {
        let verify = match verify {
            [] => judges(&[&[HELD_OUT], SEARCH_JUDGES.as_slice()].concat()),
            given => given.to_vec(),
        };
        let (mut judges, others): (Vec<Judge>, Vec<Judge>) =
            verify.into_iter().partition(|judge| !asked.contains(judge));
        let first = judges.len();
        judges.extend(others);
        let n = judges.len();
        let of_all = fair_for.unwrap_or(FAIR_FOR.min(n));
        if of_all > n {
            let message = format!("fair for {of_all}: only {n} judges play fresh games");
            return Err(EvolveError::Settings(message));
        }
        let quorum = Quorum { first, of_all };
        Ok(Delivery { judges, quorum, games: 1600, distance: 0.25, candidates: 150, wanted: 30 })
    }
}
