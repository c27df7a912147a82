//! The games against slow references, published counts, and each other's provided methods.

mod face;
mod hints;
mod perft;
mod playouts;
mod reference;
mod sizes;

use sakiyomi_core::{Game, Player, Turn};

/// The player to move and their actions; none if the game is over.
fn choices<G: Game>(game: &G, state: &G::State) -> Option<(Player, Vec<G::Action>)> {
    match game.turn(state) {
        Turn::Choose(who) => {
            let player = who.single().expect("one player moves at a time");
            let mut actions = Vec::new();
            game.actions(state, player, &mut actions);
            assert!(!actions.is_empty(), "someone to move without an action: {state:?}");
            Some((player, actions))
        }
        Turn::Over(_) => None,
        Turn::Chance => panic!("there is no chance in these games"),
    }
}

fn after<G: Game>(game: &G, state: &G::State, action: G::Action) -> G::State {
    let mut next = state.clone();
    game.apply(&mut next, &[action]);
    next
}
