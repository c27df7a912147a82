//! Actions that are put together from orders for several agents, such as the robots of a team.

use crate::{Game, Player};

/// How an action consists of orders. By default a player commands one agent, whose orders are the
/// actions. Where actions are too many to list, a search of one agent after the other still works.
pub trait Orders: Game {
    /// How many agents `player` commands in this state. An action is one order for each of them.
    fn agents(&self, _state: &Self::State, _player: Player) -> usize {
        1
    }

    /// Appends orders for one agent, numbered from 0: at least one, each once. An order is an action
    /// that says what this agent does, whatever it says about the others.
    fn orders(
        &self,
        state: &Self::State,
        player: Player,
        _agent: usize,
        out: &mut Vec<Self::Action>,
    ) {
        self.actions(state, player, out);
    }

    /// The action that consists of these orders, one for each agent. It is legal if each of them is
    /// one of that agent's [`Orders::orders`].
    fn combine(
        &self,
        _state: &Self::State,
        _player: Player,
        orders: &[Self::Action],
    ) -> Self::Action {
        orders[0]
    }
}
