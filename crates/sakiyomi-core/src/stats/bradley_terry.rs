//! Ratings of several agents from the results of their pairs.
//!
//! The model is that of R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs"
//! (1952): the expected score of i against j is `1 / (1 + exp(r_j - r_i))`. A draw counts as half a
//! win. Every pair has one drawn game more than were played, as a prior, so that an agent that won or
//! lost all of its games has a finite rating; with more games it matters less and less.
//!
//! The likelihood is maximised by Newton's method. Intervals come from the covariance
//! `H^-1 J H^-1`, in which `H` is the information and `J` the variance of the scores: draws make a
//! score less variable than wins and losses do.

use super::{Interval, Tally, Z95};

/// Points of Elo in a unit of the model.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Newton's method ends when no rating moves by more, in units of the model.
const TOLERANCE: f64 = 1e-12;
/// The longest step of a rating, which keeps the method from overshooting.
const MAX_STEP: f64 = 1.0;
const MAX_STEPS: usize = 1000;

/// The results of one pair, as the first of the two sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairTally {
    pub first: usize,
    pub second: usize,
    pub tally: Tally,
}

/// How strong an agent is, beside the mean of all that were rated.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Rating {
    pub elo: f64,
    /// 95 %.
    pub interval: Interval,
}

/// The ratings of `n` agents, whose mean is 0. Pairs that name one agent twice, or one that is not
/// there, are left out.
pub fn bradley_terry(n: usize, pairs: &[PairTally]) -> Vec<Rating> {
    let games = Games::of(n, pairs);
    let mut strengths = vec![0.0; n];
    for _ in 0..MAX_STEPS {
        let step = solve(games.information(&strengths), games.gradient(&strengths));
        let largest = step.iter().fold(0.0_f64, |most, by| most.max(by.abs()));
        let scale = if largest > MAX_STEP { MAX_STEP / largest } else { 1.0 };
        strengths.iter_mut().zip(&step).for_each(|(strength, by)| *strength += scale * by);
        if largest < TOLERANCE {
            break;
        }
    }
    let variances = games.variances(&strengths);
    let rating = |(strength, variance): (f64, f64)| {
        let (elo, half) = (ELO * strength, ELO * Z95 * variance.max(0.0).sqrt());
        Rating { elo, interval: Interval { low: elo - half, high: elo + half } }
    };
    strengths.into_iter().zip(variances).map(rating).collect()
}

/// Games and points of every pair, with the prior; of the second of a pair the same mirrored.
struct Games {
    n: usize,
    played: Vec<Vec<f64>>,
    points: Vec<Vec<f64>>,
    draws: Vec<Vec<f64>>,
}

impl Games {
    fn of(n: usize, pairs: &[PairTally]) -> Games {
        let square = |value: f64| vec![vec![value; n]; n];
        let mut games = Games { n, played: square(1.0), points: square(0.5), draws: square(0.0) };
        for pair in pairs.iter().filter(|pair| pair.first.max(pair.second) < n) {
            let mirrored = pair.tally.mirrored();
            for (i, j, tally) in
                [(pair.first, pair.second, pair.tally), (pair.second, pair.first, mirrored)]
            {
                games.played[i][j] += tally.games() as f64;
                games.points[i][j] += tally.wins as f64 + tally.draws as f64 / 2.0;
                games.draws[i][j] += tally.draws as f64;
            }
        }
        games
    }

    /// What every agent scored beyond what was expected of it.
    fn gradient(&self, strengths: &[f64]) -> Vec<f64> {
        let beyond =
            |i: usize, j: usize| self.points[i][j] - self.played[i][j] * expected(strengths, i, j);
        (0..self.n).map(|i| self.others(i).map(|j| beyond(i, j)).sum()).collect()
    }

    /// The information, made regular by holding the mean of all ratings.
    fn information(&self, strengths: &[f64]) -> Vec<Vec<f64>> {
        let mut matrix = self.laplacian(|i, j| {
            let p = expected(strengths, i, j);
            self.played[i][j] * p * (1.0 - p)
        });
        let share = 1.0 / self.n as f64;
        matrix.iter_mut().flatten().for_each(|entry| *entry += share);
        matrix
    }

    /// The variance of every rating.
    fn variances(&self, strengths: &[f64]) -> Vec<f64> {
        let scores = self.laplacian(|i, j| {
            let p = expected(strengths, i, j);
            // The prior is a game that can be won or lost.
            (self.played[i][j] * p * (1.0 - p) - self.draws[i][j] / 4.0).max(p * (1.0 - p))
        });
        let information = self.information(strengths);
        let unit = |i: usize| (0..self.n).map(|j| f64::from(u8::from(i == j))).collect();
        let variance = |i: usize| {
            let row: Vec<f64> = solve(information.clone(), unit(i));
            let times =
                |scores: &Vec<f64>| scores.iter().zip(&row).map(|(s, r)| s * r).sum::<f64>();
            scores.iter().zip(&row).map(|(scores, weight)| weight * times(scores)).sum()
        };
        (0..self.n).map(variance).collect()
    }

    /// The matrix whose rows add up to 0 and have the negated weights beside the diagonal.
    fn laplacian(&self, weight: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
        let row = |i: usize| {
            let mut row = vec![0.0; self.n];
            for j in self.others(i) {
                row[j] = -weight(i, j);
                row[i] += weight(i, j);
            }
            row
        };
        (0..self.n).map(row).collect()
    }

    fn others(&self, i: usize) -> impl Iterator<Item = usize> + use<> {
        (0..self.n).filter(move |&j| j != i)
    }
}

/// The expected score of i against j.
fn expected(strengths: &[f64], i: usize, j: usize) -> f64 {
    1.0 / (1.0 + libm::exp(strengths[j] - strengths[i]))
}

/// Solves linear equations by elimination; the matrix is symmetric and positive definite.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for pivot in 0..n {
        let row = matrix[pivot].clone();
        for other in pivot + 1..n {
            let factor = matrix[other][pivot] / row[pivot];
            matrix[other].iter_mut().zip(&row).for_each(|(to, from)| *to -= factor * from);
            right[other] -= factor * right[pivot];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| matrix[i][j] * right[j]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(first: usize, second: usize, wins: u64, draws: u64, losses: u64) -> PairTally {
        PairTally { first, second, tally: Tally { wins, draws, losses } }
    }

    #[test]
    fn two_agents_have_the_rating_of_their_score() {
        let ratings = bradley_terry(2, &[pair(0, 1, 70, 10, 20)]);
        // 75 points of 100, and the drawn game of the prior: the odds are 75.5 to 25.5.
        let difference = 400.0 * (75.5_f64 / 25.5).log10();
        assert!((ratings[0].elo - ratings[1].elo - difference).abs() < 1e-9, "{ratings:?}");
        assert!((ratings[0].elo + ratings[1].elo).abs() < 1e-9);
        // The difference has the variance (n p (1 - p) - draws / 4) / (n p (1 - p))^2.
        let (n, p) = (101.0, 75.5 / 101.0);
        let information: f64 = n * p * (1.0 - p);
        let deviation = (information - 2.5).sqrt() / information;
        let half = (ratings[0].interval.high - ratings[0].interval.low) / 2.0;
        assert!((half - ELO * Z95 * deviation / 2.0).abs() < 1e-9, "{half}");
    }

    #[test]
    fn scores_that_follow_from_ratings_give_these_ratings() {
        // Odds of 4 to 2 to 1. With the prior every pair has 3,000 games, or 1,500 and 1,200.
        let pairs = [
            // 2 to 1 of 3,000: 2,000 points, less half a point and half a game of the prior.
            pair(0, 1, 1_999, 1, 999),
            pair(1, 2, 1_999, 1, 999),
            // 4 to 1 of 3,000: 2,400 points.
            pair(0, 2, 2_399, 1, 599),
        ];
        let ratings = bradley_terry(3, &pairs);
        let step = 400.0 * 2.0_f64.log10();
        for (rating, expected) in ratings.iter().zip([step, 0.0, -step]) {
            assert!((rating.elo - expected).abs() < 1e-8, "{ratings:?}");
        }
    }

    /// The logarithm of the likelihood, pair by pair, with the prior's drawn game.
    fn log_likelihood(strengths: &[f64], pairs: &[PairTally]) -> f64 {
        let n = strengths.len();
        let win = |i: usize, j: usize| (1.0 / (1.0 + (strengths[j] - strengths[i]).exp())).ln();
        let unordered = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let prior: f64 = unordered.map(|(i, j)| (win(i, j) + win(j, i)) / 2.0).sum();
        let of_pair = |PairTally { first, second, tally }: &PairTally| {
            let half = tally.draws as f64 / 2.0;
            (tally.wins as f64 + half) * win(*first, *second)
                + (tally.losses as f64 + half) * win(*second, *first)
        };
        prior + pairs.iter().map(of_pair).sum::<f64>()
    }

    /// Tries steps of every strength in turn, ever shorter ones.
    fn maximum_by_trial(n: usize, pairs: &[PairTally]) -> Vec<f64> {
        let mut best = vec![0.0; n];
        let mut step = 1.0;
        while step > 1e-7 {
            let mut better = false;
            for i in 1..n {
                for by in [-step, step] {
                    let mut tried = best.clone();
                    tried[i] += by;
                    if log_likelihood(&tried, pairs) > log_likelihood(&best, pairs) {
                        (best, better) = (tried, true);
                    }
                }
            }
            step = if better { step } else { step / 2.0 };
        }
        let mean = best.iter().sum::<f64>() / n as f64;
        best.iter().map(|strength| strength - mean).collect()
    }

    #[test]
    fn ratings_are_the_maximum_that_trying_finds() {
        let tables = [
            vec![pair(0, 1, 5, 3, 9), pair(2, 1, 30, 0, 1), pair(3, 0, 0, 12, 0)],
            vec![pair(0, 1, 7, 0, 3), pair(1, 2, 6, 2, 2), pair(2, 0, 5, 1, 4)],
            vec![pair(0, 1, 20, 0, 0), pair(1, 2, 20, 0, 0)],
            vec![pair(1, 0, 1, 0, 0)],
        ];
        for pairs in tables {
            let n = 1 + pairs.iter().map(|pair| pair.first.max(pair.second)).max().unwrap_or(0);
            let ratings = bradley_terry(n, &pairs);
            for (rating, strength) in ratings.iter().zip(maximum_by_trial(n, &pairs)) {
                assert!((rating.elo / ELO - strength).abs() < 1e-4, "{pairs:?}: {ratings:?}");
            }
        }
    }

    #[test]
    fn the_gradient_is_0_at_the_ratings() {
        let pairs = [pair(0, 1, 5, 3, 9), pair(2, 1, 30, 0, 1), pair(3, 0, 0, 12, 0)];
        let ratings = bradley_terry(4, &pairs);
        let strengths: Vec<f64> = ratings.iter().map(|rating| rating.elo / ELO).collect();
        let gradient = Games::of(4, &pairs).gradient(&strengths);
        assert!(gradient.iter().all(|by| by.abs() < 1e-9), "{gradient:?}");
        assert!(ratings.iter().map(|rating| rating.elo).sum::<f64>().abs() < 1e-8);
    }

    #[test]
    fn who_wins_everything_has_a_finite_rating() {
        let ratings = bradley_terry(3, &[pair(0, 1, 1_000_000, 0, 0), pair(1, 2, 10, 0, 0)]);
        assert!(ratings.iter().all(|rating| rating.elo.is_finite()), "{ratings:?}");
        assert!(ratings[0].elo > ratings[1].elo && ratings[1].elo > ratings[2].elo);
    }

    #[test]
    fn draws_narrow_the_interval() {
        let width = |wins, draws, losses| {
            let Interval { low, high } =
                bradley_terry(2, &[pair(0, 1, wins, draws, losses)])[0].interval;
            high - low
        };
        assert!(width(10, 80, 10) < width(50, 0, 50) / 2.0);
        assert!((width(500, 0, 500) / width(50, 0, 50) - 0.1_f64.sqrt()).abs() < 0.01);
    }

    #[test]
    fn without_games_and_without_agents_nothing_fails() {
        assert!(bradley_terry(0, &[]).is_empty());
        let ratings = bradley_terry(2, &[pair(0, 7, 1, 0, 0)]);
        assert_eq!((ratings[0].elo, ratings[1].elo), (0.0, 0.0));
    }
}
