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

/// Players that think in different ways and cost little. Those that do not vary by themselves begin
/// with a random action of each side.
const SEARCH_JUDGES: [&str; 6] = [
    "sample+opening=1",
    "satd2:iterations=250+opening=1",
    "m3lee:numbers=quick",
    "staff:numbers=quick",
    "oep:iterations=50",
    "m-uct:iterations=150",
];
/// Who plays fresh games on a map of TUBSTAP: two kinds that no run of ours asks, two that must find
/// it fair besides, and others, of which the last two were never asked either.
const FRESH_JUDGES: [&str; 10] = [
    "uct:iterations=300",
    "puct:iterations=200",
    "m3lee:numbers=quick",
    "staff:numbers=quick",
    "m-uct:iterations=300",
    "sample+opening=1",
    "satd2:iterations=500+opening=1",
    "oep:iterations=100",
    "tubstap-best:iterations=100",
    "halving:iterations=200",
];
/// How many of them must find it fair: the first four, and this number in all.
const FRESH_QUORUM: Quorum = Quorum { first: 4, of_all: 7 };
/// Players of any game of two, and others that a run with those never asks.
const ANY_SEARCH: [&str; 3] = ["uct:iterations=30", "uct:iterations=300", "flat:iterations=100"];
const ANY_FRESH: [&str; 5] = [
    "halving:iterations=200",
    "puct:iterations=200",
    "flat:iterations=400",
    "uct:iterations=1000",
    "uct:iterations=100,playout=mast",
];

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

    /// Who is asked about a game that is none of TUBSTAP's, and who plays fresh games on it.
    pub fn judges_of_any_game() -> [Vec<Judge>; 2] {
        [judges(&ANY_SEARCH), judges(&ANY_FRESH)]
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
        population: 500,
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

/// Many maps are tried, since on most of them the judges do not agree, and few are refined to the
/// end.
impl Default for Polish {
    fn default() -> Polish {
        Polish {
            generations: 9,
            lineages: 120,
            children: 3,
            mutants: 1,
            games: 20,
            share: 0.9,
            last_games: 100,
            distance: 0.25,
        }
    }
}

impl Delivery {
    /// Fresh games of these judges, or of ours, for candidates of a run that has asked others. Of
    /// judges that are given, kinds of players that were never asked go first and must find it fair:
    /// most candidates fail there, which saves the games of the others.
    pub fn new(
        asked: &[Judge],
        verify: &[Judge],
        fair_for: Option<usize>,
    ) -> Result<Delivery, EvolveError> {
        let is_new = |judge: &Judge| asked.iter().all(|other| other.kind() != judge.kind());
        let (mut judges, others): (Vec<Judge>, Vec<Judge>) =
            verify.iter().cloned().partition(is_new);
        let mut quorum = Quorum { first: judges.len(), of_all: verify.len() };
        judges.extend(others);
        if verify.is_empty() {
            (judges, quorum) = (self::judges(&FRESH_JUDGES), FRESH_QUORUM);
        }
        let n = judges.len();
        let of_all = fair_for.unwrap_or(quorum.of_all);
        if of_all > n {
            let message = format!("fair for {of_all}: only {n} judges play fresh games");
            return Err(EvolveError::Settings(message));
        }
        quorum.of_all = of_all;
        Ok(Delivery { judges, quorum, games: 1000, distance: 0.25, candidates: 150, wanted: 20 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What preset `fair` delivers is fair for two kinds of players that it never asks, and for
    /// M3Lee and the Military Staff System.
    #[test]
    fn a_map_must_be_fair_for_four_kinds_of_which_two_were_never_asked() {
        let asked = Preset::Fair.settings().judges;
        let kinds = |judges: &[Judge]| judges.iter().map(Judge::kind).collect::<Vec<_>>();
        let delivery = Delivery::new(&asked, &[], None).unwrap();
        let must = kinds(&delivery.judges[..delivery.quorum.first]);
        assert_eq!(must, ["uct", "puct", "m3lee", "staff"]);
        assert!(must[..2].iter().all(|kind| !kinds(&asked).contains(kind)));
        assert!(delivery.quorum.of_all > must.len());
        // Of judges that are given all must agree, and those that are new go first.
        let given = judges(&["sample", "flat", "m3lee"]);
        let delivery = Delivery::new(&asked, &given, None).unwrap();
        assert_eq!(kinds(&delivery.judges), ["flat", "sample", "m3lee"]);
        assert_eq!(delivery.quorum, Quorum { first: 1, of_all: 3 });
        assert_eq!(Delivery::new(&asked, &given, Some(2)).unwrap().quorum.of_all, 2);
        assert!(Delivery::new(&asked, &given, Some(4)).is_err());
    }
}
