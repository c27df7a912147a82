//! A Gaussian process over the score of a few parameters, after C. E. Rasmussen and C. K. I.
//! Williams, "Gaussian Processes for Machine Learning" (2006), algorithm 2.1: squared exponential
//! covariance, with the noise of a score of this many games. The next place is where the mean and one
//! standard deviation together are highest, among places that are drawn.

use sakiyomi_core::Rng;

/// How far apart places are whose scores have little to do with each other.
const LENGTH: f64 = 0.3;
/// The standard deviation of scores over all places.
const SPREAD: f64 = 0.15;
/// The mean that is expected where nothing is known: weaker than what there is.
const PRIOR: f64 = 0.45;
const CANDIDATES: usize = 512;

pub(super) struct Surface {
    places: Vec<Vec<f64>>,
    scores: Vec<f64>,
    start: Vec<f64>,
    noise: f64,
    rng: Rng,
}

impl Surface {
    /// `games` of a score tell how far it may be off.
    pub(super) fn new(start: Vec<f64>, games: u64, seed: u64) -> Surface {
        let noise = 0.25 / games.max(1) as f64;
        let rng = Rng::stream(&[seed, 1]);
        // What the agent scores against itself is known.
        Surface { places: vec![start.clone()], scores: vec![0.5], start, noise, rng }
    }

    /// Where to look next.
    pub(super) fn ask(&mut self) -> Vec<f64> {
        let n = self.start.len();
        let drawn: Vec<Vec<f64>> =
            (0..CANDIDATES).map(|_| (0..n).map(|_| self.rng.unit()).collect()).collect();
        let fit = self.fit();
        let promise = |place: &Vec<f64>| {
            let (mean, deviation) = self.at(&fit, place);
            mean + deviation
        };
        let best = drawn.iter().max_by(|a, b| promise(a).total_cmp(&promise(b)));
        best.cloned().unwrap_or_else(|| self.start.clone())
    }

    pub(super) fn tell(&mut self, place: Vec<f64>, score: f64) {
        self.places.push(place);
        self.scores.push(score);
    }

    /// The place, of those that were looked at, of which most is expected by all games together.
    pub(super) fn best(&self) -> Vec<f64> {
        let fit = self.fit();
        let expected = |place: &Vec<f64>| self.at(&fit, place).0;
        let best = self.places.iter().max_by(|a, b| expected(a).total_cmp(&expected(b)));
        best.cloned().unwrap_or_else(|| self.start.clone())
    }

    fn fit(&self) -> Fit {
        let n = self.places.len();
        let mut lower = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..=i {
                let noise = if i == j { self.noise } else { 0.0 };
                let known: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
                let rest = covariance(&self.places[i], &self.places[j]) + noise - known;
                lower[i][j] = if i == j { rest.sqrt() } else { rest / lower[j][j] };
            }
        }
        let above: Vec<f64> = self.scores.iter().map(|score| score - PRIOR).collect();
        let weights = solve_upper(&lower, solve_lower(&lower, above));
        Fit { lower, weights }
    }

    /// The mean and the standard deviation of what is expected at a place.
    fn at(&self, fit: &Fit, place: &[f64]) -> (f64, f64) {
        let near: Vec<f64> = self.places.iter().map(|other| covariance(other, place)).collect();
        let mean = PRIOR + dot(&near, &fit.weights);
        let explained = solve_lower(&fit.lower, near);
        let variance = SPREAD * SPREAD - dot(&explained, &explained);
        (mean, variance.max(0.0).sqrt())
    }
}

/// The Cholesky factor of the covariance of all places, and what each score adds to the mean.
struct Fit {
    lower: Vec<Vec<f64>>,
    weights: Vec<f64>,
}

fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let distance: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    SPREAD * SPREAD * libm::exp(-distance / (2.0 * LENGTH * LENGTH))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves `lower x = right`.
fn solve_lower(lower: &[Vec<f64>], mut right: Vec<f64>) -> Vec<f64> {
    for (i, row) in lower.iter().enumerate() {
        let known = dot(&row[..i], &right[..i]);
        right[i] = (right[i] - known) / row[i];
    }
    right
}

/// Solves `transposed(lower) x = right`.
fn solve_upper(lower: &[Vec<f64>], mut right: Vec<f64>) -> Vec<f64> {
    for i in (0..right.len()).rev() {
        let known: f64 = (i + 1..right.len()).map(|k| lower[k][i] * right[k]).sum();
        right[i] = (right[i] - known) / lower[i][i];
    }
    right
}
