//! A simultaneous game treated as a sequential one (Den Teuling and Winands 2012): the searching
//! player commits first, and the others choose one after the other knowing what was chosen before.
//! That overrates the others, so the search never counts on deceiving them.

use sakiyomi_core::{
    Agent, Choice, Context, Forfeit, Game, Hint, HintSet, Hints, MAX_PLAYERS, Payoffs, Player,
    Players, PruneLevel, Rng, Scratch, Turn,
};

use crate::mcts::agent::Mcts;
use crate::mcts::settings::MctsSettings;

/// The game in which `first` chooses before all others.
#[derive(Clone, Copy, Debug)]
struct OneByOne<'a, G> {
    game: &'a G,
    first: Player,
}

/// A state of the game, and what was chosen in it so far.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Pending<S, A> {
    state: S,
    chosen: [Option<A>; MAX_PLAYERS],
}

impl<G: Game> OneByOne<'_, G> {
    /// Who is next of those choosing at once.
    fn next(&self, pending: &Pending<G::State, G::Action>, who: Players) -> Option<Player> {
        let is_open = |player: &Player| pending.chosen[player.index()].is_none();
        let mut order = [self.first].into_iter().filter(|&first| who.contains(first)).chain(who);
        order.find(is_open)
    }

    /// Plays the joint action once everyone has chosen.
    fn complete(&self, pending: &mut Pending<G::State, G::Action>, who: Players) {
        let mut joint = [None; MAX_PLAYERS];
        let mut n = 0;
        for player in who {
            joint[n] = pending.chosen[player.index()];
            n += 1;
        }
        if let Some(first) = joint[0] {
            let joint = joint.map(|action| action.unwrap_or(first));
            self.game.apply(&mut pending.state, &joint[..n]);
        }
        pending.chosen = [None; MAX_PLAYERS];
    }
}

impl<G: Game> Game for OneByOne<'_, G> {
    type State = Pending<G::State, G::Action>;
    type Action = G::Action;

    fn players(&self) -> usize {
        self.game.players()
    }

    fn start(&self) -> Self::State {
        Pending { state: self.game.start(), chosen: [None; MAX_PLAYERS] }
    }

    fn turn(&self, pending: &Self::State) -> Turn {
        match self.game.turn(&pending.state) {
            Turn::Choose(who) => Turn::Choose(self.next(pending, who).map_or(who, Players::one)),
            turn => turn,
        }
    }

    fn actions(&self, pending: &Self::State, player: Player, out: &mut Vec<G::Action>) {
        self.game.actions(&pending.state, player, out);
    }

    fn apply(&self, pending: &mut Self::State, actions: &[G::Action]) {
        let Turn::Choose(who) = self.game.turn(&pending.state) else {
            return self.game.apply(&mut pending.state, actions);
        };
        if let Some(player) = self.next(pending, who) {
            pending.chosen[player.index()] = Some(actions[0]);
        }
        if self.next(pending, who).is_none() {
            self.complete(pending, who);
        }
    }

    fn outcomes(&self, pending: &Self::State, out: &mut Vec<(G::Action, f64)>) {
        self.game.outcomes(&pending.state, out);
    }

    fn sample(
        &self,
        pending: &Self::State,
        outcomes: &mut Vec<(G::Action, f64)>,
        rng: &mut Rng,
    ) -> G::Action {
        self.game.sample(&pending.state, outcomes, rng)
    }

    fn random_action(
        &self,
        pending: &Self::State,
        player: Player,
        actions: &mut Vec<G::Action>,
        rng: &mut Rng,
    ) -> G::Action {
        self.game.random_action(&pending.state, player, actions, rng)
    }

    /// Completes the joint action at random, then lets the game play itself out.
    fn playout(
        &self,
        pending: &mut Self::State,
        scratch: &mut Scratch<G::Action>,
        rng: &mut Rng,
    ) -> Payoffs {
        if let Turn::Choose(who) = self.game.turn(&pending.state) {
            while pending.chosen.iter().any(Option::is_some) {
                let Some(player) = self.next(pending, who) else { break };
                let Pending { state, .. } = &*pending;
                let action = self.game.random_action(state, player, &mut scratch.actions, rng);
                self.apply(pending, &[action]);
            }
        }
        self.game.playout(&mut pending.state, scratch, rng)
    }

    fn constant_sum(&self) -> bool {
        self.game.constant_sum()
    }
}

impl<G: Hints> Hints for OneByOne<'_, G> {
    fn provides(&self) -> HintSet {
        let kept = [Hint::Prune, Hint::PrunePairs].into_iter();
        kept.filter(|&hint| self.game.provides().contains(hint)).fold(HintSet::NONE, HintSet::with)
    }

    fn prune(
        &self,
        pending: &Self::State,
        player: Player,
        level: PruneLevel,
        actions: &mut Vec<G::Action>,
    ) {
        self.game.prune(&pending.state, player, level, actions);
    }
}

/// UCT on the sequentialised game, rebuilt at each decision.
#[derive(Clone, Copy, Debug)]
pub struct SequentialUct {
    settings: MctsSettings,
}

impl SequentialUct {
    pub fn new(settings: MctsSettings) -> SequentialUct {
        SequentialUct { settings }
    }
}

impl<G: Hints> Agent<G> for SequentialUct {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let game = OneByOne { game, first: player };
        let pending = Pending { state: state.clone(), chosen: [None; MAX_PLAYERS] };
        let choice = Mcts::new(self.settings).choose(&game, &pending, player, context)?;
        // What it plays is what it is measured by.
        let share = |(action, _): &(G::Action, f64)| {
            (*action, f64::from(u8::from(*action == choice.action)))
        };
        let policy = choice.policy.iter().map(share).collect();
        Ok(Choice { policy, ..choice })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::toy::Toy;
    use sakiyomi_core::{Budget, Stop};

    #[test]
    fn the_player_who_commits_first_expects_the_best_reply() {
        // Matching pennies is lost for the player who moves first; the safe row gives 0.3.
        let toy = Toy::matrix(&[&[1.0, 0.0], &[0.0, 1.0], &[0.3, 0.4]]);
        let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
        let settings = MctsSettings::new(Budget::iterations(5_000));
        let mut agent = SequentialUct::new(settings);
        let choice = agent.choose(&toy, &0, Player(0), &mut context).unwrap();
        assert_eq!(choice.action, toy.word("r2"));
        assert!((choice.value.unwrap() - 0.3).abs() < 0.03, "{:?}", choice.value);
    }
}
