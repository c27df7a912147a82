//! An agent that thinks about a part of the board only, as Kato et al. propose for large ones: it is
//! handed the same game with fewer moves.

use std::fmt;

use sakiyomi_core::{Agent, Choice, Context, Forfeit, Insight, Player, Preparation, Watch};
use sakiyomi_games::sangoku::{Order, Position, Restriction, Sangoku};

pub struct Restricted<const W: usize, const N: usize> {
    by: Restriction,
    agent: Box<dyn Agent<Sangoku<W, N>>>,
    /// The game that the agent is handed, once there is a fight to cut out.
    restricted: Option<Sangoku<W, N>>,
}

impl<const W: usize, const N: usize> fmt::Debug for Restricted<W, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Restricted").field("by", &self.by).finish_non_exhaustive()
    }
}

impl<const W: usize, const N: usize> Restricted<W, N> {
    pub fn new(by: Restriction, agent: Box<dyn Agent<Sangoku<W, N>>>) -> Restricted<W, N> {
        Restricted { by, agent, restricted: None }
    }

    /// A box stays for the match; what the enemies can strike is found again at every decision.
    fn cut_out(&mut self, game: &Sangoku<W, N>, position: &Position<W, N>, player: Player) {
        if self.restricted.is_none() || self.by == Restriction::Reach {
            self.restricted = game.restrict(position, player, self.by);
        }
    }
}

impl<const W: usize, const N: usize> Agent<Sangoku<W, N>> for Restricted<W, N> {
    fn choose(
        &mut self,
        game: &Sangoku<W, N>,
        position: &Position<W, N>,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Order>, Forfeit> {
        self.cut_out(game, position, player);
        self.agent.choose(self.restricted.as_ref().unwrap_or(game), position, player, context)
    }

    fn choose_watched(
        &mut self,
        game: &Sangoku<W, N>,
        position: &Position<W, N>,
        player: Player,
        context: &mut Context<'_>,
        watch: &mut Watch<'_, Order>,
    ) -> Result<Choice<Order>, Forfeit> {
        self.cut_out(game, position, player);
        let game = self.restricted.as_ref().unwrap_or(game);
        self.agent.choose_watched(game, position, player, context, watch)
    }

    fn prepare(&mut self, game: &Sangoku<W, N>, context: &mut Context<'_>) {
        self.agent.prepare(game, context);
    }

    fn preparation(&self) -> Option<Preparation> {
        self.agent.preparation()
    }

    fn insight(
        &self,
        game: &Sangoku<W, N>,
        position: &Position<W, N>,
        places: usize,
    ) -> Option<Insight<Order>> {
        self.agent.insight(self.restricted.as_ref().unwrap_or(game), position, places)
    }

    fn observe(&mut self, game: &Sangoku<W, N>, before: &Position<W, N>, actions: &[Order]) {
        self.agent.observe(game, before, actions);
    }
}
