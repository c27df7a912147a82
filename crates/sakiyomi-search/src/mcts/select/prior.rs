//! PUCT (Rosin 2011; Silver et al. 2017): follows priors that an evaluator of leaves gives. Where
//! players choose at once each has a row, as for UCB.
//!
//! A leaf may wait for its evaluation. Until then the iteration counts as a loss of those who
//! picked (virtual loss), so that other descents go elsewhere.

use sakiyomi_core::{Payoffs, Rng};

use super::scores::highest;
use crate::mcts::arms::{Arms, Columns};
use crate::mcts::path::{NodeId, Path, ROOT};
use crate::mcts::tree::{Row, Tree};

/// Dirichlet noise: priors become (1 - share) prior + share noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootNoise {
    pub alpha: f64,
    pub share: f64,
}

/// PUCT at work in one tree: mean + c prior_j sqrt(n) / (1 + n_j).
#[derive(Clone, Debug)]
pub(in crate::mcts) struct PriorSelect {
    c: f32,
}

impl PriorSelect {
    pub(in crate::mcts) fn new(c: f64) -> PriorSelect {
        PriorSelect { c: c as f32 }
    }

    pub(super) fn columns() -> Columns {
        Columns { priors: true, ..Columns::default() }
    }

    /// Picks an arm for every choosing player.
    pub(super) fn pick(&self, tree: &Tree, node: NodeId, path: &mut Path) {
        let visits = tree.nodes[node as usize].visits;
        for row in tree.rows(node) {
            path.picks.push(self.best(&tree.arms, row, visits) as u16);
        }
    }

    /// The arm with the highest score. An arm that was never tried has the mean of what was tried.
    fn best(&self, arms: &Arms, row: Row, total: u32) -> usize {
        let row = row.first..row.first + row.len;
        let sum: f64 = arms.sums[row.clone()].iter().sum();
        let unknown = if total > 0 { (sum / f64::from(total)) as f32 } else { 0.5 };
        let weight = self.c * (total.max(1) as f32).sqrt();
        highest(row.map(|arm| {
            let visits = arms.visits[arm] as f32;
            let mean = if visits > 0.0 { arms.sums[arm] as f32 / visits } else { unknown };
            mean + weight * arms.priors[arm] / (1.0 + visits)
        }))
    }

    /// Counts the visits of an iteration whose evaluation is to come: for the time being as a loss.
    pub(in crate::mcts) fn count_ahead(tree: &mut Tree, path: &Path) {
        for step in &path.steps {
            tree.learn(step.node, path.picks_at(step), &Payoffs::default(), |_, _, _| {});
        }
    }

    /// Adds the payoffs of an iteration whose visits were counted ahead.
    pub(super) fn back_up(tree: &mut Tree, path: &Path, payoffs: &Payoffs) {
        for step in &path.steps {
            for (i, &pick) in path.picks_at(step).iter().enumerate() {
                let Some(row) = tree.rows(step.node).nth(i) else { break };
                tree.arms.sums[row.first + pick as usize] += payoffs[row.player];
            }
        }
    }

    /// Gives the arms of a new node their priors, or the same to all of a row.
    pub(in crate::mcts) fn set_priors(tree: &mut Tree, node: NodeId, priors: Option<&[f32]>) {
        let first = tree.first_arm(node);
        if let Some(priors) = priors {
            return tree.arms.priors[first..first + priors.len()].copy_from_slice(priors);
        }
        for i in 0..tree.nodes[node as usize].choosing().len() {
            let Some(Row { first, len, .. }) = tree.rows(node).nth(i) else { break };
            tree.arms.priors[first..first + len].fill(1.0 / len as f32);
        }
    }

    /// Mixes noise into the priors of the root.
    pub(in crate::mcts) fn add_noise(tree: &mut Tree, noise: RootNoise, rng: &mut Rng) {
        let RootNoise { alpha, share } = noise;
        let rows: Vec<Row> = tree.rows(ROOT).collect();
        for Row { first, len, .. } in rows {
            let draws: Vec<f64> = (0..len).map(|_| gamma(alpha, rng)).collect();
            let sum: f64 = draws.iter().sum();
            let priors = &mut tree.arms.priors[first..first + len];
            for (prior, draw) in priors.iter_mut().zip(draws) {
                let noise = if sum > 0.0 { draw / sum } else { 1.0 / len as f64 };
                *prior = ((1.0 - share) * f64::from(*prior) + share * noise) as f32;
            }
        }
    }
}

/// What a row of the root comes down to.
#[derive(Clone, Debug)]
pub(in crate::mcts) struct PriorAnswer {
    pub(in crate::mcts) pick: usize,
    pub(in crate::mcts) shares: Vec<f64>,
    pub(in crate::mcts) value: Option<f64>,
}

impl PriorAnswer {
    /// The move is drawn in proportion to visits^(1 / temperature); 0 takes the most visited.
    pub(in crate::mcts) fn of(
        arms: &Arms,
        row: Row,
        temperature: f64,
        rng: &mut Rng,
    ) -> PriorAnswer {
        let range = row.first..row.first + row.len;
        let most = arms.visits[range.clone()].iter().copied().max().unwrap_or(0).max(1);
        let power = if temperature == 0.0 { 1.0 } else { 1.0 / temperature };
        let weight = |&n: &u32| libm::pow(f64::from(n) / f64::from(most), power);
        let mut shares: Vec<f64> = arms.visits[range.clone()].iter().map(weight).collect();
        let sum: f64 = shares.iter().sum();
        // Without any visit the priors are all that is known.
        let by_prior = arms.priors[range.clone()].iter().map(|&prior| f64::from(prior));
        match sum > 0.0 {
            true => shares.iter_mut().for_each(|share| *share /= sum),
            false => shares = by_prior.collect(),
        }
        let mean =
            |pick: usize| arms.sums[row.first + pick] / f64::from(arms.visits[row.first + pick]);
        let better = |&a: &usize, &b: &usize| {
            let by_mean = mean(a).total_cmp(&mean(b));
            shares[a].total_cmp(&shares[b]).then(by_mean).then(b.cmp(&a))
        };
        let pick = match temperature == 0.0 {
            true => (0..row.len).max_by(better).unwrap_or(0),
            false => rng.weighted(shares.iter().copied()),
        };
        let visits: f64 = arms.visits[range.clone()].iter().map(|&n| f64::from(n)).sum();
        let value = (visits > 0.0).then(|| arms.sums[range].iter().sum::<f64>() / visits);
        PriorAnswer { pick, shares, value }
    }
}

/// A number from the gamma distribution with this shape and scale 1 (Marsaglia and Tsang 2000).
pub(crate) fn gamma(shape: f64, rng: &mut Rng) -> f64 {
    if shape < 1.0 {
        let unit = (1.0 - rng.unit()).max(f64::MIN_POSITIVE);
        return gamma(shape + 1.0, rng) * libm::pow(unit, 1.0 / shape.max(1e-6));
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        let unit = 1.0 - rng.unit();
        if v > 0.0 && libm::log(unit) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}

/// A number from the normal distribution (Box and Muller 1958).
fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - rng.unit())).sqrt();
    radius * libm::cos(std::f64::consts::TAU * rng.unit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_numbers_have_their_mean_and_variance() {
        let mut rng = Rng::new(1);
        for shape in [0.3, 1.0, 4.5] {
            let n = 20_000;
            let draws: Vec<f64> = (0..n).map(|_| gamma(shape, &mut rng)).collect();
            let mean = draws.iter().sum::<f64>() / f64::from(n);
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
            assert!((mean - shape).abs() < 0.05 * shape.max(0.5), "{shape}: {mean}");
            assert!((variance - shape).abs() < 0.1 * shape.max(0.5), "{shape}: {variance}");
        }
    }
}
