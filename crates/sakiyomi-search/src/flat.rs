//! Flat Monte Carlo: the same number of random playouts after every action, best mean wins.
//! Others who choose at the same moment are drawn at random.

use sakiyomi_core::{
    Agent, Budget, Choice, Context, Forfeit, Game, Player, Players, Scratch, Turn,
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
        let mut next = state.clone();
        while meter.another() {
            let arm = (meter.done() - 1) as usize % actions.len();
            next.clone_from(state);
            let joint = join(game, state, who, (player, actions[arm]), &mut scratch, context);
            game.apply(&mut next, &joint);
            let payoffs = game.playout(&mut next, &mut scratch, context.rng);
            arms[arm].0 += payoffs[player];
            arms[arm].1 += 1;
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

/// The joint action in which `player` takes `action` and the others choose at random.
pub(crate) fn join<G: Game>(
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
