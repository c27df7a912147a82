//! The rule-based player that a game brings along, if it does (see [`Hints::rule`]).

use sakiyomi_core::{Agent, Choice, Context, Forfeit, Hints, Player};

#[derive(Clone, Copy, Debug, Default)]
pub struct RulePlayer;

impl<G: Hints> Agent<G> for RulePlayer {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let no_rule = || Forfeit { reason: "this game has no rule-based player".into() };
        let action = game.rule(state, player, context.rng).ok_or_else(no_rule)?;
        Ok(Choice { action, policy: vec![(action, 1.0)], value: None, iterations: 0, nodes: 0 })
    }
}
