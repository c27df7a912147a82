//! Playouts: from a leaf to the end, by a policy that may learn, seen by an observer if there is one.
//!
//! A policy is a variant of [`Policy`]: what it has learned, how it picks and what it learns stand
//! together. A policy that learns nothing and is not observed leaves the whole playout to the game,
//! which has a fast way for it; all others go step by step, over the trail of (player, action) that
//! begins at the root of the tree.

use std::fmt::Debug;

use sakiyomi_core::{Game, Hints, Payoffs, Player, PlayoutOptions, Rng, Scratch, Turn};

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
}

impl Policy {
    pub(super) fn new(options: PlayoutOptions) -> Policy {
        if options.is_plain() { Policy::Uniform } else { Policy::Guided(options) }
    }

    /// Whether it learns from playouts, for which it needs their trail.
    #[inline]
    pub(super) fn learns(&self) -> bool {
        match self {
            Policy::Uniform | Policy::Guided(_) => false,
        }
    }

    /// Picks an action of `player`; `actions` is a buffer for its list.
    fn pick<G: Hints>(
        &self,
        game: &G,
        state: &G::State,
        player: Player,
        actions: &mut Vec<G::Action>,
        rng: &mut Rng,
    ) -> G::Action {
        match self {
            Policy::Uniform => game.random_action(state, player, actions, rng),
            Policy::Guided(options) => options.draw(game, state, player, actions, rng),
        }
    }

    /// Learns from an iteration: all actions from the root to the end, and what they gave.
    pub(super) fn learn<A>(&mut self, _trail: Trail<'_, A>, _payoffs: &Payoffs) {
        match self {
            Policy::Uniform | Policy::Guided(_) => {}
        }
    }

    /// Where playouts stop, and what they are then worth.
    fn options(&self) -> PlayoutOptions {
        match self {
            Policy::Uniform => PlayoutOptions::default(),
            Policy::Guided(options) => *options,
        }
    }

    /// Plays out from `state`, which becomes the last state of the playout.
    #[inline]
    pub(super) fn play_out<G: Hints, O: Observer<G>>(
        &self,
        game: &G,
        state: &mut G::State,
        trail: &mut Vec<(Player, G::Action)>,
        scratch: &mut Scratch<G::Action>,
        observer: &mut O,
        rng: &mut Rng,
    ) -> Payoffs {
        if O::OBSERVES || self.learns() {
            return self.play_out_by_steps(game, state, trail, scratch, observer, rng);
        }
        match self {
            Policy::Uniform => game.playout(state, scratch, rng),
            Policy::Guided(options) => game.guided_playout(state, options, scratch, rng),
        }
    }

    fn play_out_by_steps<G: Hints, O: Observer<G>>(
        &self,
        game: &G,
        state: &mut G::State,
        trail: &mut Vec<(Player, G::Action)>,
        scratch: &mut Scratch<G::Action>,
        observer: &mut O,
        rng: &mut Rng,
    ) -> Payoffs {
        let options = self.options();
        let last = options.last_round(game.round(state));
        let n_in_tree = trail.len();
        loop {
            match game.turn(state) {
                Turn::Over(payoffs) => return payoffs,
                _ if game.round(state) >= last => return options.cut_payoffs(game, state),
                Turn::Chance => {
                    let outcome = game.sample(state, &mut scratch.outcomes, rng);
                    game.apply(state, &[outcome]);
                }
                Turn::Choose(who) => {
                    scratch.joint.clear();
                    for player in who {
                        let action = self.pick(game, state, player, &mut scratch.actions, rng);
                        scratch.joint.push(action);
                        trail.push((player, action));
                    }
                    game.apply(state, &scratch.joint);
                }
            }
            observer.pass(game, state, Trail { steps: trail, n_in_tree });
        }
    }
}
