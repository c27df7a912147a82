//! What a run has found, as the page and its folder show it.

use serde::{Deserialize, Serialize};

use crate::{Fairness, Fitness, Generation, Judge, JudgeFairness, Quorum, Settings};

/// What a run is asked for, beyond its evolution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delivery {
    /// Who plays the fresh games; those that the evolution never asks come first.
    pub judges: Vec<Judge>,
    /// For how many of them a candidate must be fair.
    pub quorum: Quorum,
    pub games: u64,
    /// Candidates are this different from each other.
    pub distance: f64,
    /// Candidates that are tried, at most.
    pub candidates: usize,
    /// Ends as soon as this number is fair.
    pub wanted: usize,
}

/// What the page and the gallery show of a run, written after each generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gallery {
    pub title: String,
    pub settings: Settings,
    pub delivery: Delivery,
    pub problem: String,
    /// The names of the shares in [`Generation::remarks`].
    pub remarks: Vec<String>,
    pub history: Vec<Generation>,
    /// Candidates that were tried with fresh games, and that are fair.
    pub tried: usize,
    pub passed: usize,
    /// Whether all is done.
    pub is_complete: bool,
    /// Best first: those that are fair on fresh games, or, while it runs, the best so far.
    pub finds: Vec<Find>,
}

/// A map, a scenario or numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Find {
    pub id: u64,
    /// The word that makes the game.
    pub code: String,
    pub fitness: f64,
    /// What the judges of the evolution say.
    pub search: Vec<JudgeFairness>,
    /// What fresh games say.
    pub fresh: Option<Fairness>,
}

impl Gallery {
    /// A row for each generation.
    pub(crate) fn history_csv(&self) -> String {
        let mut text =
            "generation,best,mean,worst,paper best,paper mean,paper worst,zero".to_owned();
        self.remarks.iter().for_each(|name| text += &format!(",{name}"));
        text += ",games,archived,archive mean,refined\n";
        for (number, one) in self.history.iter().enumerate() {
            let mut row = vec![number.to_string()];
            for sums in [one.fitness, one.paper] {
                row.extend([sums.best, sums.mean, sums.worst].map(|value| format!("{value:.4}")));
            }
            row.push(format!("{:.4}", one.zero));
            row.extend(one.remarks.iter().map(|share| format!("{share:.4}")));
            row.push(one.games.to_string());
            row.push(one.archived.to_string());
            row.push(format!("{:.4}", one.archive_mean));
            row.push(u8::from(one.is_polished).to_string());
            text += &row.join(",");
            text.push('\n');
        }
        text
    }

    /// The mean of the paper's fitness over finds and judges, on fresh games.
    pub fn paper_fitness(&self) -> Option<f64> {
        let fresh: Vec<f64> = self
            .finds
            .iter()
            .filter_map(|find| find.fresh.as_ref())
            .map(Fairness::paper_fitness)
            .collect();
        (!fresh.is_empty()).then(|| fresh.iter().sum::<f64>() / fresh.len() as f64)
    }

    /// How many candidates are fair, and which kind of fairness that is.
    pub fn tried_text(&self) -> String {
        let Gallery { passed, tried, delivery, .. } = self;
        let share = 100.0 * *passed as f64 / (*tried).max(1) as f64;
        let mut text = format!(
            "{passed} of {tried} candidates ({share:.0} %) are fair on {} fresh games for ",
            delivery.games
        );
        let n_judges = delivery.judges.len();
        text += &match delivery.quorum.of_all {
            n if n == n_judges => format!("all {n} judges"),
            n => format!("at least {n} of {n_judges} judges"),
        };
        let fresh = self.finds.iter().filter_map(|find| find.fresh.as_ref());
        if let Some(fair) = fresh.max_by_key(|fresh| fresh.judges.len()) {
            text += &format!(", tested {}", fair.tested());
        }
        text
    }

    /// The paper's fitness of the evidence is what curves show if that is what selects.
    pub fn is_paper(&self) -> bool {
        self.settings.fitness == Fitness::Paper
    }
}
