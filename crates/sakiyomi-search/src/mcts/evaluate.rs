//! Leaf evaluators: what a search asks about states that are new to its tree. A playout is one; a
//! network that evaluates many states at a time is another.

use sakiyomi_core::{Game, Hints, Payoffs, Player, PlayoutOptions, Rng, Scratch};

/// Evaluates leaves of a tree, several at a time.
pub trait LeafEvaluator<G: Game>: Send {
    /// One evaluation for each leaf, in their order. In each of them a player chooses. A failure ends the
    /// search, and its agent forfeits.
    fn evaluate(
        &mut self,
        game: &G,
        leaves: &[LeafPosition<'_, G>],
        rng: &mut Rng,
    ) -> Result<Vec<Evaluation>, EvaluationError>;
}

impl<G: Game> LeafEvaluator<G> for Box<dyn LeafEvaluator<G> + '_> {
    fn evaluate(
        &mut self,
        game: &G,
        leaves: &[LeafPosition<'_, G>],
        rng: &mut Rng,
    ) -> Result<Vec<Evaluation>, EvaluationError> {
        (**self).evaluate(game, leaves, rng)
    }
}

/// A state that is to be evaluated, with its legal actions.
#[derive(Debug)]
pub struct LeafPosition<'a, G: Game> {
    pub state: &'a G::State,
    /// The choosing players in order, with the number of their actions.
    pub players: &'a [(Player, usize)],
    /// The actions of all of them, one player after the other.
    pub actions: &'a [G::Action],
}

/// What an evaluator says about a leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// What each player is going to get, from 0 to 1.
    pub payoffs: Payoffs,
    /// A weight for every action, in the order of [`LeafPosition::actions`], from 0 on; those of a
    /// player need not add up to 1. Without priors all actions are equal.
    pub priors: Option<Vec<f32>>,
}

/// An evaluation that cannot be used; `leaf` counts from 0 in its batch.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EvaluationError {
    /// The evaluator itself says why.
    #[error("{0}")]
    Failed(String),
    #[error("the evaluator returned {found} evaluations for {expected} leaves: expected one each")]
    Count { expected: usize, found: usize },
    #[error(
        "leaf {leaf}: the payoff of player {} is {value}: expected 0 to 1",
        .player.0 + 1
    )]
    Payoff { leaf: usize, player: Player, value: f64 },
    #[error(
        "leaf {leaf}: {found} priors for {expected} actions: expected one each, or none at all"
    )]
    PriorCount { leaf: usize, expected: usize, found: usize },
    #[error("leaf {leaf}: the prior of action {action} is {value}: expected a number from 0 on")]
    Prior { leaf: usize, action: usize, value: f32 },
    #[error("leaf {leaf}: the priors of player {} add up to 0: expected more", .player.0 + 1)]
    NoPrior { leaf: usize, player: Player },
}

/// Checks the evaluations of a batch, and makes the priors of every player add up to 1.
pub(super) fn check<G: Game>(
    game: &G,
    leaves: &[LeafPosition<'_, G>],
    evaluations: &mut [Evaluation],
) -> Result<(), EvaluationError> {
    if evaluations.len() != leaves.len() {
        let (expected, found) = (leaves.len(), evaluations.len());
        return Err(EvaluationError::Count { expected, found });
    }
    for (leaf, (position, evaluation)) in leaves.iter().zip(evaluations).enumerate() {
        let payoffs = evaluation.payoffs.as_slice(game.players());
        let is_wrong = |value: &f64| !(0.0..=1.0).contains(value);
        if let Some(player) = payoffs.iter().position(is_wrong) {
            let value = payoffs[player];
            return Err(EvaluationError::Payoff { leaf, player: Player(player as u8), value });
        }
        let Some(priors) = &mut evaluation.priors else { continue };
        normalise(leaf, position, priors)?;
    }
    Ok(())
}

fn normalise<G: Game>(
    leaf: usize,
    position: &LeafPosition<'_, G>,
    priors: &mut [f32],
) -> Result<(), EvaluationError> {
    if priors.len() != position.actions.len() {
        let (expected, found) = (position.actions.len(), priors.len());
        return Err(EvaluationError::PriorCount { leaf, expected, found });
    }
    let is_usable = |prior: f32| prior.is_finite() && prior >= 0.0;
    if let Some(action) = priors.iter().position(|&prior| !is_usable(prior)) {
        return Err(EvaluationError::Prior { leaf, action, value: priors[action] });
    }
    let mut rest = priors;
    for &(player, n) in position.players {
        let (row, others) = rest.split_at_mut(n);
        let sum: f64 = row.iter().map(|&prior| f64::from(prior)).sum();
        if sum <= 0.0 {
            return Err(EvaluationError::NoPrior { leaf, player });
        }
        row.iter_mut().for_each(|prior| *prior = (f64::from(*prior) / sum) as f32);
        rest = others;
    }
    Ok(())
}

/// Evaluates a leaf by one playout, without priors.
#[derive(Clone, Debug)]
pub struct PlayoutEvaluator<G: Game> {
    options: PlayoutOptions,
    scratch: Scratch<G::Action>,
}

impl<G: Game> PlayoutEvaluator<G> {
    pub fn new(options: PlayoutOptions) -> PlayoutEvaluator<G> {
        PlayoutEvaluator { options, scratch: Scratch::default() }
    }
}

impl<G: Hints> LeafEvaluator<G> for PlayoutEvaluator<G> {
    fn evaluate(
        &mut self,
        game: &G,
        leaves: &[LeafPosition<'_, G>],
        rng: &mut Rng,
    ) -> Result<Vec<Evaluation>, EvaluationError> {
        let PlayoutEvaluator { options, scratch } = self;
        let each = leaves.iter().map(|leaf| {
            let mut state = leaf.state.clone();
            let payoffs = match options.is_plain() {
                true => game.playout(&mut state, scratch, rng),
                false => game.guided_playout(&mut state, options, scratch, rng),
            };
            Evaluation { payoffs, priors: None }
        });
        Ok(each.collect())
    }
}
