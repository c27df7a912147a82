//! What a step of each number of a genome does to its games, learnt from all games of its kin: linear regression with a prior
//! (Bayesian), brought up to date one trial at a time.
//!
//! Each trial alone has far too few games to tell a lead of 0.05; together they tell what every number is worth for every
//! judge, and which few steps bring all judges to balance at once.

use sakiyomi_core::stats::Tally;
use serde::{Deserialize, Serialize};

use crate::Strength;

/// What is known before the first game: the variance of the lead at the start, and what a step is worth to the side that it helps.
const START_VARIANCE: f64 = 0.2 * 0.2;
const STEP: f64 = 0.08;
const STEP_VARIANCE: f64 = 0.08 * 0.08;
/// How much of that a change of another kind makes uncertain again.
const START_SHIFT: f64 = 0.15 * 0.15;
const STEP_SHIFT: f64 = 0.03 * 0.03;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Model {
    /// The numbers at which it began.
    origin: Vec<Strength>,
    /// For each output the value at the origin, and what a step of each number adds. The outputs are those of
    /// [`outputs`].
    coefficients: Vec<Vec<f64>>,
    /// Of the coefficients of every output, row by row. It is the same for all, since all are measured in the same games.
    covariance: Vec<f64>,
}

/// How far from fair some games are, in numbers that a fair map has at 0: for each judge the lead of the first side, and half of the share of
/// draws, which by the paper's formula costs the same.
fn outputs(tallies: &[Tally]) -> Vec<f64> {
    let lead = |tally: &Tally| tally.score().map_or(0.5, |score| score - 0.5);
    let draws = |tally: &Tally| tally.draws as f64 / tally.games().max(1) as f64;
    let leads = tallies.iter().map(lead);
    leads.chain(tallies.iter().map(|tally| draws(tally) / 2.0)).collect()
}

/// How far from fair an individual is by the games of each judge: 0 is best.
pub(super) fn imbalance(tallies: &[Tally]) -> f64 {
    outputs(tallies).iter().map(|value| value * value).sum()
}

impl Model {
    pub(super) fn new(strengths: &[Strength], n_judges: usize) -> Model {
        let worth = |strength: &Strength| match strength.side {
            Some(0) => STEP,
            Some(_) => -STEP,
            None => 0.0,
        };
        let n = strengths.len() + 1;
        let lead: Vec<f64> = [0.0].into_iter().chain(strengths.iter().map(worth)).collect();
        let mut coefficients = vec![lead; n_judges];
        coefficients.resize(2 * n_judges, vec![0.0; n]);
        let mut covariance = vec![0.0; n * n];
        covariance[0] = START_VARIANCE;
        (1..n).for_each(|at| covariance[at * n + at] = STEP_VARIANCE);
        Model { origin: strengths.to_vec(), coefficients, covariance }
    }

    /// The same for an individual that differs by a change of another kind, if its numbers are of the same sort.
    pub(super) fn loosened(&self, strengths: &[Strength]) -> Model {
        let n_judges = self.coefficients.len() / 2;
        let sides = |all: &[Strength]| all.iter().map(|it| it.side).collect::<Vec<_>>();
        if sides(strengths) != sides(&self.origin) {
            return Model::new(strengths, n_judges);
        }
        let mut model = self.clone();
        let n = self.origin.len() + 1;
        model.covariance[0] += START_SHIFT;
        (1..n).for_each(|at| model.covariance[at * n + at] += STEP_SHIFT);
        model
    }

    /// Learns from the games of an individual with these numbers.
    pub(super) fn learn(&mut self, strengths: &[Strength], tallies: &[Tally]) {
        let games = tallies.iter().map(Tally::games).min().unwrap_or(0);
        if games == 0 {
            return;
        }
        let at = self.position(strengths);
        let spread = self.spread(&at);
        // A game's result has at most a variance of 1/4.
        let total = dot(&at, &spread) + 0.25 / games as f64;
        for (coefficients, value) in self.coefficients.iter_mut().zip(outputs(tallies)) {
            let error = (value - dot(coefficients, &at)) / total;
            coefficients.iter_mut().zip(&spread).for_each(|(it, spread)| *it += spread * error);
        }
        let n = at.len();
        for row in 0..n {
            for column in 0..n {
                self.covariance[row * n + column] -= spread[row] * spread[column] / total;
            }
        }
    }

    /// How far from fair an individual with these numbers is expected to be. With doubt, what is not known counts as well.
    pub(super) fn expected(&self, strengths: &[Strength], with_doubt: bool) -> f64 {
        let at = self.position(strengths);
        let values = self.coefficients.iter().map(|coefficients| dot(coefficients, &at));
        let sum: f64 = values.map(|value| value * value).sum();
        match with_doubt {
            true => sum + self.coefficients.len() as f64 * dot(&at, &self.spread(&at)),
            false => sum,
        }
    }

    /// 1, and the steps of each number from the origin.
    fn position(&self, strengths: &[Strength]) -> Vec<f64> {
        let steps = strengths.iter().zip(&self.origin);
        [1.0].into_iter().chain(steps.map(|(it, from)| f64::from(it.value - from.value))).collect()
    }

    fn spread(&self, at: &[f64]) -> Vec<f64> {
        self.covariance.chunks_exact(at.len()).map(|row| dot(row, at)).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strengths(values: [i32; 3]) -> Vec<Strength> {
        let sides = [Some(0), Some(1), None];
        let strength = |(value, side)| Strength { value, least: 1, most: 10, side };
        values.into_iter().zip(sides).map(strength).collect()
    }

    fn tally(score: f64, draws: f64, games: u64) -> Tally {
        let share = |share: f64| (share * games as f64).round() as u64;
        let draws = share(draws);
        let wins = share(score) - draws / 2;
        Tally { wins, draws, losses: games - wins - draws }
    }

    /// Games that follow a linear rule are foretold, at numbers that were never tried too.
    #[test]
    fn a_linear_rule_is_learnt() {
        let truth = |[a, b, c]: [i32; 3], judge: usize| {
            let worth = [[0.06, -0.03, 0.01], [0.02, -0.05, -0.02]][judge];
            let steps = [a - 5, b - 5, c - 5].map(f64::from);
            0.5 + 0.1 * judge as f64 + dot(&steps, &worth)
        };
        let mut model = Model::new(&strengths([5, 5, 5]), 2);
        for values in [[5, 5, 5], [6, 5, 5], [5, 6, 5], [5, 5, 6], [4, 4, 5], [4, 5, 4]] {
            let games = [0, 1].map(|judge| tally(truth(values, judge), 0.1, 1_000_000));
            model.learn(&strengths(values), &games);
        }
        let other = [3, 7, 6];
        let wanted: f64 = [0, 1].map(|judge| (truth(other, judge) - 0.5).powi(2)).iter().sum();
        let draws = 2.0 * 0.05 * 0.05;
        let found = model.expected(&strengths(other), false);
        assert!((found - wanted - draws).abs() < 1e-4, "{found} {wanted}");
        let doubt = model.expected(&strengths(other), true) - found;
        assert!((0.0..1e-4).contains(&doubt), "{doubt}");
    }

    #[test]
    fn what_was_never_tried_is_in_doubt_and_a_change_of_another_kind_brings_doubt_back() {
        let start = strengths([5, 5, 5]);
        let mut model = Model::new(&start, 1);
        assert!(model.expected(&start, true) > 2.0 * START_VARIANCE - 1e-12);
        // Before any game a step up is thought to help its own side.
        let two_steps = (2.0 * STEP).powi(2);
        assert!((model.expected(&strengths([7, 5, 5]), false) - two_steps).abs() < 1e-12);
        assert!((model.expected(&strengths([7, 7, 5]), false)).abs() < 1e-12);
        model.learn(&start, &[tally(0.5, 0.0, 400)]);
        let known = model.expected(&start, true);
        assert!(known < 2.0 * 0.25 / 400.0);
        assert!(model.expected(&strengths([6, 4, 5]), true) > known + 0.01);
        let loosened = model.loosened(&start).expected(&start, true);
        assert!((loosened - known - 2.0 * START_SHIFT).abs() < 1e-12);
        // Without games nothing is learnt, and with other numbers it begins again.
        let before = model.clone();
        model.learn(&start, &[Tally::default()]);
        assert_eq!(model, before);
        assert_eq!(model.loosened(&start[..2]), Model::new(&start[..2], 1));
    }

    #[test]
    fn imbalance_is_zero_where_nothing_is_unfair() {
        assert_eq!(imbalance(&[tally(0.5, 0.0, 100)]), 0.0);
        assert!(imbalance(&[tally(0.5, 0.4, 100)]) > imbalance(&[tally(0.6, 0.0, 100)]));
        assert!(imbalance(&[Tally::default()]) > imbalance(&[tally(0.9, 0.0, 100)]));
    }
}
