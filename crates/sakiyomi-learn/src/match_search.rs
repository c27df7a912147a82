//! The search of one match, whichever it is: what it wants to ask the network, what it takes from the answer, the move that it
//! finds, and what is learned.

use sakiyomi_catalog::CatalogGame;
use sakiyomi_core::{Player, Rng};
use sakiyomi_search::{
    DescentSearch, LeafRows, StepAnswer, StepError, StepRule, StepSearch, StepSettings,
};

use crate::numbers::Layout;
use crate::self_play::Step;

/// How moves are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SearchSettings {
    /// By a tree that grows leaf by leaf; the decisions of the match are learned.
    Step(StepSettings),
    /// By descent, which asks about all states that follow on one; all of its tree is learned.
    Descent {
        /// For a move, at least.
        evaluations: u32,
        /// How likely the best action is taken rather than one of the others, and so on with those.
        share: f64,
    },
}

impl SearchSettings {
    pub(crate) fn evaluations(&self) -> u32 {
        match self {
            SearchSettings::Step(settings) => settings.simulations,
            SearchSettings::Descent { evaluations, .. } => *evaluations,
        }
    }
}

pub(crate) enum MatchSearch<G: CatalogGame> {
    Step(StepSearch<G>, StepRule),
    Descent(DescentSearch<G>, f64),
}

/// Who moves, and where.
pub(crate) struct Decision<'a, G: CatalogGame> {
    pub game: &'a G,
    pub layout: &'a Layout,
    pub state: &'a G::State,
    pub player: Player,
    /// Whether PUCT draws its move by visits.
    pub is_drawn: bool,
}

impl<G: CatalogGame> MatchSearch<G> {
    pub(crate) fn new(settings: SearchSettings, start: G::State) -> MatchSearch<G> {
        match settings {
            SearchSettings::Step(own) => MatchSearch::Step(StepSearch::new(own, start), own.rule),
            SearchSettings::Descent { evaluations, share } => {
                MatchSearch::Descent(DescentSearch::new(evaluations), share)
            }
        }
    }

    /// Begins a match in this state.
    pub(crate) fn begin(&mut self, game: &G, state: &G::State) -> Result<(), StepError> {
        match self {
            MatchSearch::Step(search, _) => {
                search.begin(state);
                Ok(())
            }
            MatchSearch::Descent(search, _) => search.begin(game, state),
        }
    }

    /// Writes the rows that the search waits for; none if it is done with this move.
    pub(crate) fn ask(
        &mut self,
        game: &G,
        layout: &Layout,
        out: &mut LeafRows,
    ) -> Result<(), StepError> {
        out.n = 0;
        let n_leaves = match self {
            MatchSearch::Step(search, _) => {
                let Some((state, player)) = search.next_leaf(game)? else { return Ok(()) };
                out.observations.resize(layout.observation_len(), 0.0);
                out.masks.resize(layout.n_actions, false);
                game.observe(state, player, &mut out.observations);
                game.legal_mask(state, player, &mut out.masks);
                1
            }
            MatchSearch::Descent(search, _) => {
                let leaves = search.next_leaves(game)?;
                out.observations.resize(leaves.len() * layout.observation_len(), 0.0);
                out.masks.resize(leaves.len() * layout.n_actions, false);
                let observations = out.observations.chunks_exact_mut(layout.observation_len());
                let masks = out.masks.chunks_exact_mut(layout.n_actions);
                for (((state, player), row), mask) in leaves.iter().zip(observations).zip(masks) {
                    game.observe(state, *player, row);
                    game.legal_mask(state, *player, mask);
                }
                leaves.len()
            }
        };
        out.n = n_leaves;
        Ok(())
    }

    /// Takes the answer to each row: weights of actions, and what a player gets.
    pub(crate) fn supply(
        &mut self,
        game: &G,
        priors: &[f32],
        value: impl Fn(usize, Player) -> f32,
        rng: &mut Rng,
    ) -> Result<(), StepError> {
        match self {
            MatchSearch::Step(search, _) => {
                let player = search.player(game)?;
                search.supply(game, priors, value(0, player), rng)
            }
            MatchSearch::Descent(search, _) => {
                let leaves = search.leaves().iter().enumerate();
                let values: Vec<f32> = leaves.map(|(row, leaf)| value(row, leaf.1)).collect();
                search.supply(&values);
                Ok(())
            }
        }
    }

    /// The move that was found, and what is learned from that alone.
    pub(crate) fn decide(
        &mut self,
        at: &Decision<'_, G>,
        rng: &mut Rng,
    ) -> Result<(G::Action, Option<Step>), StepError> {
        match self {
            MatchSearch::Step(search, rule) => {
                let answer = search.answer();
                let Decision { game, layout, state, player, .. } = *at;
                let step = Step::of(game, layout, state, player, &answer.policy, answer.value);
                let is_drawn = at.is_drawn && matches!(rule, StepRule::Puct { .. });
                let action = if is_drawn { draw(&answer, rng) } else { answer.action };
                Ok((action, Some(step)))
            }
            MatchSearch::Descent(search, share) => {
                let action = search.draw(*share, rng);
                search.follow(at.game, action)?;
                Ok((action, None))
            }
        }
    }

    /// Goes on in this state, after the move that was found.
    pub(crate) fn go_on(&mut self, state: &G::State) {
        if let MatchSearch::Step(search, _) = self {
            search.begin(state);
        }
    }

    /// What is learned when the match is over.
    pub(crate) fn learned(&self, game: &G, layout: &Layout) -> Vec<Step> {
        let MatchSearch::Descent(search, _) = self else { return Vec::new() };
        let step = |learned: &sakiyomi_search::Learned<G::State, G::Action>| {
            Step::of(game, layout, &learned.state, learned.player, &learned.policy, learned.value)
        };
        search.learned().iter().map(step).collect()
    }
}

fn draw<A: Copy>(answer: &StepAnswer<A>, rng: &mut Rng) -> A {
    answer.policy[rng.weighted(answer.policy.iter().map(|(_, share)| f64::from(*share)))].0
}
