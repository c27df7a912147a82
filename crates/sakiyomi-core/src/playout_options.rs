//! How a search plays out, and which actions it leaves out there and in its tree.

use crate::{Hints, Payoffs, Player, PruneLevel, Rng, Scratch, Turn};

#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct PlayoutOptions {
    /// Follows [`Hints::prune`] at the level of single actions.
    pub prune: bool,
    /// Follows [`Hints::prune`] at the level of pairs.
    pub prune_pairs: bool,
    /// The probability with which a playout step considers [`Hints::urgent`] actions only.
    pub urgent_probability: f64,
    /// Playouts stop at this round, or half that number of rounds after they start if that is later, and
    /// give [`Hints::progress`].
    pub round_limit: Option<u32>,
    /// The progress of two players is balanced: half of its difference, around 1/2.
    pub balance: bool,
    /// Playouts stop this many rounds after they start, and give [`Hints::estimate`].
    pub horizon: Option<u32>,
}

impl PlayoutOptions {
    /// Whether playouts are uniform over all actions, to the end.
    pub fn is_plain(&self) -> bool {
        !self.draws_differently() && self.round_limit.is_none() && self.horizon.is_none()
    }

    /// Whether actions are drawn in another way than uniformly from all.
    fn draws_differently(&self) -> bool {
        self.prune || self.prune_pairs || self.urgent_probability != 0.0
    }

    /// Removes the actions that are left out in tree and playout.
    pub fn prune<G: Hints + ?Sized>(
        &self,
        game: &G,
        state: &G::State,
        player: Player,
        actions: &mut Vec<G::Action>,
    ) {
        if self.prune {
            game.prune(state, player, PruneLevel::Actions, actions);
        }
        if self.prune_pairs {
            game.prune(state, player, PruneLevel::Pairs, actions);
        }
    }

    /// Writes the actions from which a playout step draws.
    pub fn candidates<G: Hints + ?Sized>(
        &self,
        game: &G,
        state: &G::State,
        player: Player,
        actions: &mut Vec<G::Action>,
        rng: &mut Rng,
    ) {
        actions.clear();
        game.actions(state, player, actions);
        self.prune(game, state, player, actions);
        if self.urgent_probability > 0.0 && rng.unit() < self.urgent_probability {
            game.urgent(state, player, actions);
        }
    }

    /// Draws the action of a playout step. A game whose actions cannot be listed is asked for one.
    pub fn draw<G: Hints + ?Sized>(
        &self,
        game: &G,
        state: &G::State,
        player: Player,
        actions: &mut Vec<G::Action>,
        rng: &mut Rng,
    ) -> G::Action {
        if !self.draws_differently() {
            return game.random_action(state, player, actions, rng);
        }
        self.candidates(game, state, player, actions, rng);
        actions[rng.below(actions.len())]
    }

    /// Plays out step by step, from lists of actions.
    pub fn play_out<G: Hints + ?Sized>(
        &self,
        game: &G,
        state: &mut G::State,
        scratch: &mut Scratch<G::Action>,
        rng: &mut Rng,
    ) -> Payoffs {
        let last = self.last_round(game.round(state));
        loop {
            match game.turn(state) {
                Turn::Over(payoffs) => return payoffs,
                _ if game.round(state) >= last => return self.cut_payoffs(game, state),
                Turn::Chance => {
                    let outcome = game.sample(state, &mut scratch.outcomes, rng);
                    game.apply(state, &[outcome]);
                }
                Turn::Choose(who) => {
                    scratch.joint.clear();
                    for player in who {
                        let action = self.draw(game, state, player, &mut scratch.actions, rng);
                        scratch.joint.push(action);
                    }
                    game.apply(state, &scratch.joint);
                }
            }
        }
    }

    /// The round at which a playout that starts in `round` stops:
    /// max(limit, start + limit / 2), and start + horizon if that is earlier.
    pub fn last_round(&self, round: u32) -> u32 {
        let limit = self.round_limit.map_or(u32::MAX, |limit| limit.max(round + limit / 2));
        let horizon = self.horizon.map_or(u32::MAX, |horizon| round + horizon);
        limit.min(horizon)
    }

    /// The payoffs of a playout that stops in this state.
    pub fn cut_payoffs<G: Hints + ?Sized>(&self, game: &G, state: &G::State) -> Payoffs {
        if self.horizon.is_some()
            && let Some(estimate) = game.estimate(state)
        {
            return estimate;
        }
        self.progress(game, state)
    }

    /// What each player has achieved, balanced if that is asked for.
    pub fn progress<G: Hints + ?Sized>(&self, game: &G, state: &G::State) -> Payoffs {
        let progress = game.progress(state);
        match progress.as_slice(game.players()) {
            &[first, second] if self.balance => {
                let lead = (first - second) / 2.0;
                Payoffs::of([0.5 + lead, 0.5 - lead])
            }
            _ => progress,
        }
    }
}
