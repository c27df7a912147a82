//! Playouts: from a leaf to the end, by a policy that may learn, seen by an observer if there is one.
//!
//! A policy is a variant of [`Policy`]: what it has learned, how it picks and what it learns stand
//! together. A policy that learns nothing and is not observed leaves the whole playout to the game,
//! which has a fast way for it; all others go step by step, over the trail of (player, action) that
//! begins at the root of the tree.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Range;

use sakiyomi_core::{Game, Hints, Payoffs, Player, PlayoutOptions, Rng, Scratch, Turn};

use super::learned::{Learned, PlayoutPolicy};

/// Is handed every position that iterations pass, in the tree and in playouts. It is compiled into
/// the search; each tree of a search has its own.
pub trait Observer<G: Game>: Clone + Debug + Send {
    /// Whether positions are handed over at all. Without it playouts take the fast way.
    const OBSERVES: bool = true;

    /// A position after the root, with the actions that led there.
    fn pass(&mut self, game: &G, state: &G::State, trail: Trail<'_, G::Action>);

    /// What the iteration with this trail ended with.
    fn finish(&mut self, _game: &G, _trail: Trail<'_, G::Action>, _payoffs: &Payoffs) {}
}

/// The actions of players from the root on. Outcomes of chance are left out.
#[derive(Clone, Copy, Debug)]
pub struct Trail<'a, A> {
    pub steps: &'a [(Player, A)],
    /// How many of them lead through the tree; the others belong to the playout.
    pub n_in_tree: usize,
    /// Where in `steps` the actions of each turn start: players who choose at once share a turn.
    pub turns: &'a [u32],
}

impl<A> Trail<'_, A> {
    /// The steps of each turn.
    pub fn turns(&self) -> impl Iterator<Item = Range<usize>> + use<'_, A> {
        let ends = self.turns.iter().skip(1).map(|&end| end as usize).chain([self.steps.len()]);
        self.turns.iter().map(|&start| start as usize).zip(ends).map(|(start, end)| start..end)
    }
}

/// The trail of an iteration while it grows.
#[derive(Clone, Debug)]
pub(super) struct Steps<A> {
    steps: Vec<(Player, A)>,
    turns: Vec<u32>,
    n_in_tree: usize,
}

impl<A> Default for Steps<A> {
    fn default() -> Steps<A> {
        Steps { steps: Vec::new(), turns: Vec::new(), n_in_tree: 0 }
    }
}

impl<A> Steps<A> {
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.turns.clear();
        self.n_in_tree = 0;
    }

    /// Begins a turn, whose actions follow, in the tree.
    pub(super) fn extend_in_tree(&mut self, actions: impl Iterator<Item = (Player, A)>) {
        self.turns.push(self.steps.len() as u32);
        self.steps.extend(actions);
        self.n_in_tree = self.steps.len();
    }

    pub(super) fn trail(&self) -> Trail<'_, A> {
        Trail { steps: &self.steps, n_in_tree: self.n_in_tree, turns: &self.turns }
    }
}

/// The search is not observed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl<G: Game> Observer<G> for Unobserved {
    const OBSERVES: bool = false;

    fn pass(&mut self, _: &G, _: &G::State, _: Trail<'_, G::Action>) {}
}

/// How actions are drawn in playouts.
#[derive(Clone, Debug)]
pub(super) enum Policy {
    /// Each action with the same probability.
    Uniform,
    /// As the options say.
    Guided(PlayoutOptions),
    /// By what was learned.
    Learned(Box<Learned>),
}

impl Policy {
    pub(super) fn new(policy: PlayoutPolicy, options: PlayoutOptions) -> Policy {
        match Learned::new(policy, options) {
            Some(learned) => Policy::Learned(Box::new(learned)),
            None if options.is_plain() => Policy::Uniform,
            None => Policy::Guided(options),
        }
    }

    /// Whether it learns from playouts, for which it needs their trail.
    #[inline]
    pub(super) fn learns(&self) -> bool {
        match self {
            Policy::Uniform | Policy::Guided(_) => false,
            Policy::Learned(_) => true,
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
    pub(super) fn mean_payoff<A: Hash>(&self, player: Player, action: &A) -> Option<f64> {
        match self {
            Policy::Uniform | Policy::Guided(_) => None,
            Policy::Learned(learned) => Some(learned.mean_payoff(player, action)),
        }
    }

    /// Learns from an iteration: all actions from the root to the end, and what they gave.
    pub(super) fn learn<A: Copy + Hash>(&mut self, trail: Trail<'_, A>, payoffs: &Payoffs) {
        match self {
            Policy::Uniform | Policy::Guided(_) => {}
            Policy::Learned(learned) => learned.learn(trail, payoffs),
        }
    }

    /// Lets what was learned so far weigh less than what is to come.
    pub(super) fn reduce(&mut self, keep: f64) {
        match self {
            Policy::Uniform | Policy::Guided(_) => {}
            Policy::Learned(learned) => learned.reduce(keep),
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
    pub(super) fn play_out<G: Hints>(
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

    /// Plays out from `state` step by step, and hands every position to `pass`. After `n_steps` of
    /// them, if the rest is of no interest, it goes on in the way that the game is fastest at.
    #[expect(
        clippy::too_many_arguments,
        reason = "buffers that are borrowed from different places"
    )]
    pub(super) fn play_out_by_steps<G: Hints>(
        &mut self,
        game: &G,
        state: &mut G::State,
        steps: &mut Steps<G::Action>,
        scratch: &mut Scratch<G::Action>,
        n_steps: Option<u32>,
        mut pass: impl FnMut(&G::State, Trail<'_, G::Action>),
        rng: &mut Rng,
    ) -> Payoffs {
        let options = self.options();
        let last = options.last_round(game.round(state));
        let mut left = n_steps.filter(|_| matches!(self, Policy::Uniform)).unwrap_or(u32::MAX);
        loop {
            match game.turn(state) {
                Turn::Over(payoffs) => return payoffs,
                _ if left == 0 => return game.playout(state, scratch, rng),
                _ if game.round(state) >= last => return options.cut_payoffs(game, state),
                Turn::Chance => {
                    let outcome = game.sample(state, &mut scratch.outcomes, rng);
                    game.apply(state, &[outcome]);
                }
                Turn::Choose(who) => {
                    scratch.joint.clear();
                    let start = steps.steps.len();
                    steps.turns.push(start as u32);
                    for player in who {
                        let before = &steps.steps[..start];
                        let actions = &mut scratch.actions;
                        let action = self.pick(game, state, player, before, actions, rng);
                        scratch.joint.push(action);
                        steps.steps.push((player, action));
                    }
                    game.apply(state, &scratch.joint);
                }
            }
            pass(state, steps.trail());
            left -= 1;
        }
    }
}
