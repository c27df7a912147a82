//! Flat Monte Carlo: the same number of random playouts after every action, best mean wins.
//! Others who choose at the same moment are drawn at random.

use sakiyomi_core::{
    Agent, Budget, Choice, Context, Forfeit, Game, Payoffs, Player, Players, Scratch, Turn,
};

#[derive(Clone, Debug)]
pub struct FlatMonteCarlo {
    budget: Budget,
}

impl FlatMonteCarlo {
    pub fn new(budget: Budget) -> FlatMonteCarlo {
        FlatMonteCarlo { budget }
    }
}

impl<G: Game> Agent<G> for FlatMonteCarlo {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let Turn::Choose(who) = game.turn(state) else { panic!("no player chooses in this state") };
        let mut actions = Vec::new();
        game.actions(state, player, &mut actions);
        // Ties go to the first, so the order is drawn: a fixed one would favour some actions.
        context.rng.shuffle(&mut actions);
        let mut arms = vec![(0.0, 0u64); actions.len()];
        let mut meter = self.budget.begin(context.stop);
        let mut scratch = Scratch::default();
        let mut playouts = AfterAction::new(game, state, who, player);
        let (mut batch, mut payoffs) = (Vec::new(), Vec::new());
        loop {
            let first = meter.done();
            let n = meter.several(playouts.most().max(MIN_AT_ONCE));
            if n == 0 {
                break;
            }
            batch.clear();
            batch.extend((first..first + n).map(|i| i as usize % actions.len()));
            payoffs.clear();
            playouts.play(&batch, &actions, &mut scratch, context, &mut payoffs);
            for (&arm, payoff) in batch.iter().zip(&payoffs) {
                arms[arm].0 += payoff;
                arms[arm].1 += 1;
            }
        }
        let mean = |&(sum, n): &(f64, u64)| if n == 0 { f64::NEG_INFINITY } else { sum / n as f64 };
        let mut best = 0;
        for arm in 1..arms.len() {
            if mean(&arms[arm]) > mean(&arms[best]) {
                best = arm;
            }
        }
        let policy = actions.iter().enumerate().map(|(i, &a)| (a, f64::from(u8::from(i == best))));
        Ok(Choice {
            action: actions[best],
            policy: policy.collect(),
            value: Some(mean(&arms[best])),
            iterations: meter.done(),
            nodes: 0,
        })
    }
}

/// So many playouts are asked for at once also if the game gains nothing by it: it costs nothing.
const MIN_AT_ONCE: u64 = 64;

/// Playouts after actions of one player.
pub(crate) struct AfterAction<'a, G: Game> {
    game: &'a G,
    state: &'a G::State,
    who: Players,
    player: Player,
    /// The states after each action; where others choose as well there is but one.
    after: Vec<G::State>,
    payoffs: Vec<Payoffs>,
    starts: Vec<u32>,
}

impl<'a, G: Game> AfterAction<'a, G> {
    pub(crate) fn new(game: &'a G, state: &'a G::State, who: Players, player: Player) -> Self {
        let (after, payoffs, starts) = (Vec::new(), Vec::new(), Vec::new());
        AfterAction { game, state, who, player, after, payoffs, starts }
    }

    /// How many playouts are best asked for at once.
    pub(crate) fn most(&self) -> u64 {
        // What others choose is drawn before each playout.
        if self.who.len() == 1 { self.game.playouts_at_once() } else { 1 }
    }

    /// Plays one playout after each action of the batch, in this order, and appends what the player
    /// gets. `actions` are the same in every call.
    pub(crate) fn play(
        &mut self,
        batch: &[usize],
        actions: &[G::Action],
        scratch: &mut Scratch<G::Action>,
        context: &mut Context<'_>,
        out: &mut Vec<f64>,
    ) {
        let AfterAction { game, state, who, player, .. } = *self;
        if who.len() == 1 {
            if self.after.is_empty() {
                self.after.resize(actions.len(), state.clone());
                for (after, &action) in self.after.iter_mut().zip(actions) {
                    game.apply(after, &[action]);
                }
            }
            self.starts.clear();
            self.starts.extend(batch.iter().map(|&arm| arm as u32));
            self.payoffs.clear();
            game.playouts(&self.after, &self.starts, scratch, context.rng, &mut self.payoffs);
            out.extend(self.payoffs.iter().map(|payoffs| payoffs[player]));
            return;
        }
        self.after.resize(1, state.clone());
        for &arm in batch {
            let joint = join(game, state, who, (player, actions[arm]), scratch, context);
            let next = &mut self.after[0];
            next.clone_from(state);
            game.apply(next, &joint);
            out.push(game.playout(next, scratch, context.rng)[player]);
        }
    }
}

/// The joint action in which `player` takes `action` and the others choose at random.
fn join<G: Game>(
    game: &G,
    state: &G::State,
    who: Players,
    (player, action): (Player, G::Action),
    scratch: &mut Scratch<G::Action>,
    context: &mut Context<'_>,
) -> Vec<G::Action> {
    let mut each = |other: Player| {
        if other == player {
            action
        } else {
            game.random_action(state, other, &mut scratch.actions, context.rng)
        }
    };
    who.map(&mut each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::toy::Toy;
    use sakiyomi_core::{Rng, Stop};

    #[test]
    fn the_best_mean_wins_against_random_opponents() {
        // Against a random column, row r1 earns 0.6 on average and r0 only 0.5.
        let toy = Toy::matrix(&[&[1.0, 0.0], &[0.5, 0.7]]);
        let mut agent = FlatMonteCarlo::new(Budget::iterations(2_000));
        let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
        let choice = agent.choose(&toy, &toy.start(), Player(0), &mut context).unwrap();
        assert_eq!(choice.action, toy.word("r1"));
        assert!((choice.value.unwrap() - 0.6).abs() < 0.02);
        assert_eq!(choice.iterations, 2_000);
    }
}
