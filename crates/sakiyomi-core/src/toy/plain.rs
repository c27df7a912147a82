//! A game without its fast paths, as the reference for tests of these.

use crate::{Game, Hints, Payoffs, Player, PruneLevel, Turn};

/// The same rules and hints, but whatever a game may override for speed is the provided method:
/// chance is sampled from the list of outcomes, actions are drawn from the list of actions, and
/// playouts go step by step.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a, G>(pub &'a G);

impl<G: Game> Game for Plain<'_, G> {
    type State = G::State;
    type Action = G::Action;

    fn players(&self) -> usize {
        self.0.players()
    }

    fn start(&self) -> G::State {
        self.0.start()
    }

    fn turn(&self, state: &G::State) -> Turn {
        self.0.turn(state)
    }

    fn actions(&self, state: &G::State, player: Player, out: &mut Vec<G::Action>) {
        self.0.actions(state, player, out);
    }

    fn apply(&self, state: &mut G::State, actions: &[G::Action]) {
        self.0.apply(state, actions);
    }

    fn outcomes(&self, state: &G::State, out: &mut Vec<(G::Action, f64)>) {
        self.0.outcomes(state, out);
    }
}

impl<G: Hints> Hints for Plain<'_, G> {
    fn prune(
        &self,
        state: &G::State,
        player: Player,
        level: PruneLevel,
        actions: &mut Vec<G::Action>,
    ) {
        self.0.prune(state, player, level, actions);
    }

    fn urgent(&self, state: &G::State, player: Player, actions: &mut Vec<G::Action>) {
        self.0.urgent(state, player, actions);
    }

    fn estimate(&self, state: &G::State) -> Option<Payoffs> {
        self.0.estimate(state)
    }

    fn progress(&self, state: &G::State) -> Payoffs {
        self.0.progress(state)
    }

    fn round(&self, state: &G::State) -> u32 {
        self.0.round(state)
    }
}
