//! Leaves as rows of numbers, for networks: one row for every choosing player of every leaf, with what the player
//! observes and which actions are legal.

use sakiyomi_core::{Encode, Game, Payoffs, Player};

use super::evaluate::{Evaluation, LeafPosition};

/// What a network is asked about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeafRows {
    pub n: usize,
    /// The observations, one after the other.
    pub observations: Vec<f32>,
    /// For each row and each index of an action whether it is legal.
    pub masks: Vec<bool>,
}

impl LeafRows {
    pub fn of<G: Encode>(game: &G, leaves: &[LeafPosition<'_, G>]) -> LeafRows {
        let mut rows = LeafRows::default();
        let n_actions = game.n_action_indices();
        let n_observed = game.observation_shape().map_or(0, |shape| shape.len());
        for leaf in leaves {
            for_each_row(game, leaf, |player, indices| {
                let first = rows.observations.len();
                rows.observations.resize(first + n_observed, 0.0);
                game.observe(leaf.state, player, &mut rows.observations[first..]);
                let first = rows.masks.len();
                rows.masks.resize(first + n_actions, false);
                indices.iter().for_each(|&index| rows.masks[first + index] = true);
                rows.n += 1;
            });
        }
        rows
    }

    pub fn append(&mut self, other: &LeafRows) {
        self.n += other.n;
        self.observations.extend_from_slice(&other.observations);
        self.masks.extend_from_slice(&other.masks);
    }
}

/// What a network said of the rows of these leaves: for each row a weight of every action and the payoff of its
/// player, or of all players. The slices have the right lengths for this number of rows.
pub fn evaluations_of_rows<G: Encode>(
    game: &G,
    leaves: &[LeafPosition<'_, G>],
    priors: &[f32],
    values: &[f32],
) -> Vec<Evaluation> {
    let n_actions = game.n_action_indices();
    let n_rows = priors.len() / n_actions.max(1);
    let width = values.len() / n_rows.max(1);
    let mut row = 0;
    let mut evaluations = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let mut of_leaf = Vec::with_capacity(leaf.actions.len());
        let mut payoffs = Payoffs::default();
        for_each_row(game, leaf, |player, indices| {
            let of_row = &priors[row * n_actions..][..n_actions];
            of_leaf.extend(indices.iter().map(|&index| of_row[index]));
            match &values[row * width..][..width] {
                [own] => {
                    payoffs[player] = f64::from(*own);
                    // Where both choose at once the other has a row of its own.
                    if leaf.players.len() == 1 && game.players() == 2 {
                        payoffs[Player(1 - player.0)] = 1.0 - f64::from(*own);
                    }
                }
                all => all.iter().enumerate().for_each(|(i, &value)| {
                    payoffs[Player(i as u8)] = f64::from(value);
                }),
            }
            row += 1;
        });
        evaluations.push(Evaluation { payoffs, priors: Some(of_leaf) });
    }
    evaluations
}

/// Whether what the player of a row gets says what all players get.
pub fn one_value_is_enough<G: Game>(game: &G) -> bool {
    match game.players() {
        1 => true,
        2 => game.constant_sum(),
        _ => false,
    }
}

/// Hands over every choosing player of a leaf with the indices of its actions.
fn for_each_row<G: Encode>(
    game: &G,
    leaf: &LeafPosition<'_, G>,
    mut row: impl FnMut(Player, &[usize]),
) {
    let mut rest = leaf.actions;
    let mut indices = Vec::new();
    for &(player, n) in leaf.players {
        let (own, others) = rest.split_at(n);
        rest = others;
        indices.clear();
        let index = |&action| game.action_index(leaf.state, player, action).unwrap_or(0);
        indices.extend(own.iter().map(index));
        row(player, &indices);
    }
}
