//! The player that chooses uniformly at random.

use sakiyomi_core::{Agent, Choice, Context, Forfeit, Game, Player};

#[derive(Clone, Copy, Debug, Default)]
pub struct RandomPlayer;

impl<G: Game> Agent<G> for RandomPlayer {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let mut actions = Vec::new();
        if !game.lists_all_actions() {
            // The policy cannot be listed either, so it names what was drawn.
            let action = game.random_action(state, player, &mut actions, context.rng);
            let policy = vec![(action, 1.0)];
            return Ok(Choice { action, policy, value: None, iterations: 0, nodes: 0 });
        }
        game.actions(state, player, &mut actions);
        let action = actions[context.rng.below(actions.len())];
        let share = 1.0 / actions.len() as f64;
        let policy = actions.into_iter().map(|action| (action, share)).collect();
        Ok(Choice { action, policy, value: None, iterations: 0, nodes: 0 })
    }
}
