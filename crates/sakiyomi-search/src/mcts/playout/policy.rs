//! Playouts: from a leaf to the end, by a policy that may learn.
//!
//! A policy is a variant of [`Policy`]: what it has learned, how it picks and what it learns stand
//! together. A policy that learns nothing and is not observed leaves the whole playout to the game,
//! which has a fast way for it; all others go step by step, over the trail of (player, action) that
//! begins at the root of the tree.

use std::hash::Hash;

use sakiyomi_core::{ActionMeans, Hints, Payoffs, Player, PlayoutOptions, Rng, Scratch, Turn};

use super::learned::{Learned, LearnedMeans, Learning};
use super::trail::Trail;
use crate::mcts::leaf::Leaf;
use crate::mcts::value::Value;

/// How a leaf is played out, and what the end of the match is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayoutSettings {
    /// How playouts go, and which actions are left out there and in the tree.
    pub options: PlayoutOptions,
    /// How a playout picks among the actions that are left.
    pub policy: PlayoutPolicy,
    /// The share of a payoff that every round before the end takes away (Kato et al. 2013, section
    /// 6.3): it brings the payoffs closer to even, so that a win is better sooner, and a loss
    /// later.
    pub discount: f64,
    /// The weight of [`Hints::progress`] in what the end of a playout is worth, beside the payoffs.
    pub progress_weight: f64,
    /// How leaves share playouts, where the game plays many at once.
    pub batch: LeafBatch,
    /// Playouts end after this number of turns, and what follows is worth what the value expects
    /// that is learned from playouts, where it is of use.
    pub cut: Option<u32>,
}

/// How many leaves wait for a batch of playouts, and how many playouts each of them gets. It counts
/// where the game plays many at once ([`sakiyomi_core::Game::playouts_at_once`]), and these playouts
/// are uniform or tournaments; elsewhere a leaf gets one by the policy, at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafBatch {
    /// The most leaves that wait at a time.
    pub leaves: u32,
    /// Playouts of a leaf; their mean is backed up as one visit.
    pub playouts: u32,
}

impl LeafBatch {
    /// One leaf at a time, with one playout.
    pub const SINGLE: LeafBatch = LeafBatch { leaves: 1, playouts: 1 };

    /// Fewer playouts are not faster at once than one after the other.
    pub const MIN_AT_ONCE: usize = 32;

    /// Playouts of a whole batch.
    pub const fn n_playouts(self) -> usize {
        self.leaves as usize * self.playouts as usize
    }
}

impl Default for LeafBatch {
    fn default() -> LeafBatch {
        LeafBatch::SINGLE
    }
}

/// How a playout picks among the actions that the playout options leave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum PlayoutPolicy {
    /// Each with the same probability.
    #[default]
    Uniform,
    /// By what was learned in the match.
    Learned(Learning),
}

impl PlayoutSettings {
    /// Whether nothing guides playouts and their payoffs are all that counts, the policy aside.
    pub fn is_plain(&self) -> bool {
        let ends_by_itself = self.options.is_plain() && self.cut.is_none();
        ends_by_itself && self.discount == 0.0 && self.progress_weight == 0.0
    }

    /// What payoffs that come in this state are worth: mixed with progress, then discounted.
    #[inline]
    pub(in crate::mcts) fn shaped<G: Hints>(
        &self,
        game: &G,
        state: &G::State,
        mut payoffs: Payoffs,
    ) -> Payoffs {
        if self.progress_weight != 0.0 {
            let mut mixed = Payoffs::default();
            mixed.add_scaled(&payoffs, 1.0 - self.progress_weight);
            mixed.add_scaled(&self.options.progress(game, state), self.progress_weight);
            payoffs = mixed;
        }
        if self.discount == 0.0 {
            return payoffs;
        }
        let keep = (1.0 - self.discount).powi(game.round(state) as i32);
        let n_players = game.players();
        let mut shaped = Payoffs::uniform(n_players, (1.0 - keep) / n_players as f64);
        shaped.add_scaled(&payoffs, keep);
        shaped
    }
}

/// How far a playout goes step by step.
#[derive(Clone, Copy, Debug)]
pub(in crate::mcts) enum Until<'a> {
    TheEnd,
    /// After this number of steps the rest is of no interest, and goes in the way that the game is
    /// fastest at, if the policy is uniform.
    Watched(u32),
    /// After this number of steps what follows is worth what the value says.
    Cut(u32, &'a Value),
}

/// How actions are drawn in playouts.
#[derive(Clone, Debug)]
pub(in crate::mcts) enum Policy {
    /// Each action with the same probability.
    Uniform,
    /// As the options say.
    Guided(PlayoutOptions),
    /// By what was learned.
    Learned(Box<Learned>),
}

impl Policy {
    pub(in crate::mcts) fn new(settings: &PlayoutSettings) -> Policy {
        let options = settings.options;
        match settings.policy {
            PlayoutPolicy::Learned(learning) => {
                Policy::Learned(Box::new(Learned::new(learning, options)))
            }
            PlayoutPolicy::Uniform if options.is_plain() => Policy::Uniform,
            PlayoutPolicy::Uniform => Policy::Guided(options),
        }
    }

    /// Whether it learns from playouts, for which it needs their trail.
    #[inline]
    pub(in crate::mcts) fn learns(&self) -> bool {
        match self {
            Policy::Uniform | Policy::Guided(_) => false,
            Policy::Learned(_) => true,
        }
    }

    /// How many actions compete for a turn, if that is how it picks and nothing else guides it.
    pub(in crate::mcts) fn competing(&self) -> Option<u32> {
        match self {
            Policy::Uniform | Policy::Guided(_) => None,
            Policy::Learned(learned) => learned.competing(),
        }
    }

    /// What is known of actions, for playouts of the game's own, each of which counts as `weight` of
    /// an iteration.
    pub(in crate::mcts) fn means<A: Copy + Hash>(
        &mut self,
        weight: f64,
    ) -> Option<impl ActionMeans<A> + '_> {
        match self {
            Policy::Uniform | Policy::Guided(_) => None,
            Policy::Learned(learned) => Some(LearnedMeans { learned, weight }),
        }
    }

    /// Picks an action of `player` after the actions `before`; `actions` is a buffer for its list.
    fn pick<G: Hints>(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        before: &[(Player, G::Action)],
        actions: &mut Vec<G::Action>,
        rng: &mut Rng,
    ) -> G::Action {
        match self {
            Policy::Uniform => game.random_action(state, player, actions, rng),
            Policy::Guided(options) => options.draw(game, state, player, actions, rng),
            Policy::Learned(learned) => {
                let mut draw = || game.random_action(state, player, actions, rng);
                if let Some(action) = learned.pick_drawn(player, &mut draw) {
                    return action;
                }
                learned.options.candidates(game, state, player, actions, rng);
                actions[learned.pick(player, before, actions, rng)]
            }
        }
    }

    /// The mean payoff of the iterations with an action, if it is learned.
    pub(in crate::mcts) fn mean_payoff<A: Hash>(&self, player: Player, action: &A) -> Option<f64> {
        match self {
            Policy::Uniform | Policy::Guided(_) => None,
            Policy::Learned(learned) => Some(learned.mean_payoff(player, action)),
        }
    }

    /// Learns from an iteration: all actions from the root to the end, and what they gave.
    pub(in crate::mcts) fn learn<A: Copy + Hash>(
        &mut self,
        trail: Trail<'_, A>,
        payoffs: &Payoffs,
    ) {
        match self {
            Policy::Uniform | Policy::Guided(_) => {}
            Policy::Learned(learned) => learned.learn(trail, payoffs),
        }
    }

    /// Lets what was learned so far weigh less than what is to come.
    pub(in crate::mcts) fn reduce(&mut self) {
        match self {
            Policy::Uniform | Policy::Guided(_) => {}
            Policy::Learned(learned) => learned.reduce(),
        }
    }

    /// Where playouts stop, and what they are then worth.
    fn options(&self) -> PlayoutOptions {
        match self {
            Policy::Uniform => PlayoutOptions::default(),
            Policy::Guided(options) => *options,
            Policy::Learned(learned) => learned.options,
        }
    }

    /// Plays out from `state`, which becomes the last state of the playout, in the way that the
    /// game is fastest at.
    #[inline]
    pub(in crate::mcts) fn play_out<G: Hints>(
        &self,
        game: &G,
        state: &mut G::State,
        scratch: &mut Scratch<G::Action>,
        rng: &mut Rng,
    ) -> Payoffs {
        match self {
            Policy::Uniform => game.playout(state, scratch, rng),
            Policy::Guided(options) => game.guided_playout(state, options, scratch, rng),
            Policy::Learned(_) => unreachable!("a policy that learns goes step by step"),
        }
    }

    /// Plays out from a leaf step by step, and hands every position to `pass`.
    pub(in crate::mcts) fn play_out_by_steps<G: Hints>(
        &mut self,
        game: &G,
        leaf: &mut Leaf<G>,
        scratch: &mut Scratch<G::Action>,
        until: Until<'_>,
        mut pass: impl FnMut(&G::State),
        rng: &mut Rng,
    ) -> Payoffs {
        let Leaf { state, steps, .. } = leaf;
        let options = self.options();
        let last = options.last_round(game.round(state));
        let mut left = match until {
            Until::Cut(n_steps, _) => n_steps,
            Until::Watched(n_steps) if matches!(self, Policy::Uniform) => n_steps,
            Until::Watched(_) | Until::TheEnd => u32::MAX,
        };
        loop {
            match game.turn(state) {
                Turn::Over(payoffs) => return payoffs,
                _ if left == 0 => match until {
                    Until::Cut(_, value) => return value.of(game.facts(state)),
                    Until::Watched(_) | Until::TheEnd => return game.playout(state, scratch, rng),
                },
                _ if game.round(state) >= last => return options.cut_payoffs(game, state),
                Turn::Chance => {
                    let outcome = game.sample(state, &mut scratch.outcomes, rng);
                    game.apply(state, &[outcome]);
                }
                Turn::Choose(who) => {
                    scratch.joint.clear();
                    let start = steps.begin_turn();
                    for player in who {
                        let before = &steps.trail().steps[..start];
                        let actions = &mut scratch.actions;
                        let action = self.pick(game, state, player, before, actions, rng);
                        scratch.joint.push(action);
                        steps.push(player, action);
                    }
                    game.apply(state, &scratch.joint);
                }
            }
            pass(state);
            left -= 1;
        }
    }
}
