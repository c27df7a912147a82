//! What is kept of a generation that has passed.

use serde::{Deserialize, Serialize};

use crate::{Fitness, Individual};

/// The best, the mean and the worst of a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    pub best: f64,
    pub mean: f64,
    pub worst: f64,
}

impl Sums {
    pub fn of(values: &[f64]) -> Sums {
        if values.is_empty() {
            return Sums::default();
        }
        Sums {
            best: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            mean: values.iter().sum::<f64>() / values.len() as f64,
            worst: values.iter().copied().fold(f64::INFINITY, f64::min),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Of the fitness that selects.
    pub fitness: Sums,
    /// Of the paper's fitness.
    pub paper: Sums,
    /// The share of individuals whose fitness by the paper's formula is exactly 0.
    pub zero: f64,
    /// The share of individuals of which each remark is true.
    pub remarks: Vec<f64>,
    /// Games that were played for it.
    pub games: u64,
    /// The individuals in the archive, and their mean fitness.
    pub archived: usize,
    pub archive_mean: f64,
    /// Whether it is one of those that refine the best, of which the numbers are then.
    #[serde(default)]
    pub is_polished: bool,
}

impl Generation {
    pub(crate) fn of<G>(
        population: &[&Individual<G>],
        fitness: Fitness,
        remarks: &[Vec<bool>],
        n_remarks: usize,
    ) -> Generation {
        let values = |fitness: Fitness| -> Vec<f64> {
            population.iter().map(|one| fitness.of_all(&one.evidence)).collect()
        };
        let paper = values(Fitness::Paper);
        let share =
            |n: usize| if population.is_empty() { 0.0 } else { n as f64 / population.len() as f64 };
        let count = |at: usize| remarks.iter().filter(|all| all.get(at) == Some(&true)).count();
        Generation {
            fitness: Sums::of(&values(fitness)),
            zero: share(paper.iter().filter(|&&value| value == 0.0).count()),
            paper: Sums::of(&paper),
            remarks: (0..n_remarks).map(|at| share(count(at))).collect(),
            ..Generation::default()
        }
    }
}
