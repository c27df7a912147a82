//! Rules that draw every player's pick from a mixed strategy of its own: Exp3 (Auer et al. 1995)
//! and regret matching (Hart and Mas-Colell 2000), both in the form of Lanctot, Lisý and Winands
//! (2013). Average strategies leave out the exploration, as Bošanský et al. (2016) advise.
//!
//! Regret matching asks what another arm would have given: the mean of the child to which it leads,
//! the others' picks being what they were. A joint action that was never tried counts as much as
//! the node itself does on average, which the papers leave open.

use std::mem;

use sakiyomi_core::{Payoffs, Rng};

use super::rows::Rows;
use super::strategy::{Matching, draw_from};
use crate::mcts::arms::{Arms, Columns};
use crate::mcts::means::Means;
use crate::mcts::path::{NodeId, Path, Visit};
use crate::mcts::tree::{Row, Tree};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mixed {
    /// Drawn with (1 - g) exp(g/k x_a) / sum + g/k, where x_a adds up payoff / probability.
    Exp3 { explore: f64 },
    /// Drawn in proportion to the positive regrets, and uniformly with probability `explore`.
    /// `plus` keeps regrets from falling below 0.
    RegretMatching { explore: f64, plus: bool },
}

/// A mixed rule at work in one tree.
#[derive(Clone, Debug)]
pub(in crate::mcts) struct MixedSelect {
    rule: Mixed,
    /// A buffer for a strategy.
    draft: Vec<f64>,
}

impl MixedSelect {
    pub(in crate::mcts) fn new(rule: Mixed) -> MixedSelect {
        MixedSelect { rule, draft: Vec::new() }
    }

    pub(super) fn columns(&self) -> Columns {
        let has_regrets = matches!(self.rule, Mixed::RegretMatching { .. });
        Columns { weights: true, strategies: has_regrets, ..Columns::default() }
    }

    pub(super) fn means(&self) -> Means {
        match self.rule {
            Mixed::Exp3 { .. } => Means::None,
            Mixed::RegretMatching { .. } => Means::OfAll,
        }
    }

    /// Draws an arm for every choosing player.
    pub(super) fn pick(&mut self, tree: &mut Tree, node: NodeId, path: &mut Path, rng: &mut Rng) {
        for i in 0..tree.nodes[node as usize].choosing().len() {
            let Some(row) = tree.rows(node).nth(i) else { break };
            let (pick, probability) = match self.rule {
                Mixed::RegretMatching { explore, .. } => {
                    draw_by_regret(&mut tree.arms, row, explore, rng)
                }
                Mixed::Exp3 { explore } => {
                    let Row { first, len, .. } = row;
                    self.draft.clear();
                    let weights = &tree.arms.weights[first..first + len];
                    exponential_weights(weights, explore, &mut self.draft);
                    draw_from(|| self.draft.iter().copied(), len, explore, rng)
                }
            };
            path.picks.push(pick as u16);
            path.odds.push(probability);
        }
    }

    pub(super) fn back_up(&self, tree: &mut Tree, path: &Path, payoffs: &Payoffs) {
        for visit in path.visits() {
            let Visit { node, picks, odds, .. } = visit;
            match self.rule {
                _ if picks.is_empty() => {}
                Mixed::Exp3 { .. } => learn_weights(tree, node, picks, odds, payoffs),
                Mixed::RegretMatching { plus, .. } => {
                    learn_regrets(tree, node, picks, payoffs, plus);
                }
            }
            tree.learn(node, picks, payoffs, |_, _, _| {});
            tree.means.learn(node, payoffs);
        }
    }
}

/// Draws an arm by its regret, and adds up the strategy from which it was drawn.
fn draw_by_regret(arms: &mut Arms, row: Row, explore: f64, rng: &mut Rng) -> (usize, f64) {
    let Row { first, len, .. } = row;
    let regrets = &arms.weights[first..first + len];
    let matching = Matching::of(regrets);
    let shares = || regrets.iter().map(|&regret| matching.share(regret));
    let average = &mut arms.strategies[first..first + len];
    average.iter_mut().zip(shares()).for_each(|(sum, share)| *sum += share);
    draw_from(shares, len, explore, rng)
}

/// The strategy of Exp3 before exploration is mixed in. The largest weight is taken off all, which
/// changes nothing but keeps the exponentials in range.
fn exponential_weights(weights: &[f64], explore: f64, strategy: &mut Vec<f64>) {
    let rate = explore / weights.len() as f64;
    let largest = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    strategy.extend(weights.iter().map(|weight| libm::exp(rate * (weight - largest))));
    let sum: f64 = strategy.iter().sum();
    strategy.iter_mut().for_each(|share| *share /= sum);
}

fn learn_weights(tree: &mut Tree, node: NodeId, picks: &[u16], odds: &[f64], payoffs: &Payoffs) {
    let rows = Rows::of(tree, node, picks);
    for (i, row) in rows.rows[..rows.n].iter().enumerate() {
        tree.arms.weights[row.first + picks[i] as usize] += payoffs[row.player] / odds[i];
    }
}

fn learn_regrets(tree: &mut Tree, node: NodeId, picks: &[u16], payoffs: &Payoffs, plus: bool) {
    let rows = Rows::of(tree, node, picks);
    let mut weights = mem::take(&mut tree.arms.weights);
    for (i, (row, &pick)) in rows.rows[..rows.n].iter().zip(picks).enumerate() {
        let (stride, payoff) = (rows.strides[i], payoffs[row.player]);
        let unknown = tree.means.mean(node, row.player) - payoff;
        let first = rows.first_child.plus(rows.played - u64::from(pick) * stride);
        let regrets = &mut weights[row.first..row.first + row.len];
        let visits = &tree.arms.visits[row.first..row.first + row.len];
        let known = regrets[pick as usize];
        for (arm, (regret, &visits)) in regrets.iter_mut().zip(visits).enumerate() {
            // An arm that was never tried leads to no child, which saves looking for it.
            let slot = (visits > 0).then(|| first.plus(arm as u64 * stride));
            *regret += match slot.and_then(|slot| tree.child(slot)) {
                Some(child) => tree.means.mean(child, row.player) - payoff,
                None => unknown,
            };
        }
        // The pick itself is regretted by nothing.
        regrets[pick as usize] = known;
        if plus {
            regrets.iter_mut().for_each(|regret| *regret = regret.max(0.0));
        }
    }
    tree.arms.weights = weights;
}
