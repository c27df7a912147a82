//! Counts of action sequences, by which move generators are compared.

use sakiyomi_catalog::{CatalogGame, GameSpec, SpecError, Visitor};
use sakiyomi_core::{Game, Players, Turn};

/// Sequences of exactly `depth` steps from `state`. A joint action of several players, and an
/// outcome of chance, is one step; matches that end before are not counted.
pub fn perft<G: Game>(game: &G, state: &G::State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    match game.turn(state) {
        Turn::Over(_) => 0,
        Turn::Chance => {
            let mut outcomes = Vec::new();
            game.outcomes(state, &mut outcomes);
            outcomes.iter().map(|(outcome, _)| after(game, state, &[*outcome], depth)).sum()
        }
        Turn::Choose(who) => joint(game, state, who, &mut Vec::new(), depth),
    }
}

fn after<G: Game>(game: &G, state: &G::State, actions: &[G::Action], depth: u32) -> u64 {
    let mut next = state.clone();
    game.apply(&mut next, actions);
    perft(game, &next, depth - 1)
}

/// Completes the joint action with every choice of those still waiting.
fn joint<G: Game>(
    game: &G,
    state: &G::State,
    mut waiting: Players,
    chosen: &mut Vec<G::Action>,
    depth: u32,
) -> u64 {
    let Some(player) = waiting.next() else { return after(game, state, chosen, depth) };
    let mut actions = Vec::new();
    game.actions(state, player, &mut actions);
    // The last player of the last step adds one sequence per action.
    if depth == 1 && waiting.is_empty() {
        return actions.len() as u64;
    }
    let mut sum = 0;
    for action in actions {
        chosen.push(action);
        sum += joint(game, state, waiting, chosen, depth);
        chosen.pop();
    }
    sum
}

/// The count of a game of the catalog, from its start.
pub fn perft_of(game: &GameSpec, depth: u32) -> Result<u64, SpecError> {
    struct Count(u32);
    impl Visitor for Count {
        type Out = u64;
        fn visit<G: CatalogGame>(self, game: G) -> u64 {
            perft(&game, &game.start(), self.0)
        }
    }
    game.with(Count(depth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::toy::Toy;

    #[test]
    fn every_kind_of_turn_is_counted() {
        let toy = Toy::read(
            "start: 0+1  a/x -> coin  a/y -> 1 0  b/x -> 0 1  b/y -> coin
             coin: chance h 0.5 -> 1 0  t 0.25 -> one  u 0.25 -> one
             one: 1  l -> 0 1  r -> 0 1",
        )
        .unwrap();
        let counts: Vec<u64> = (0..5).map(|depth| perft(&toy, &toy.start(), depth)).collect();
        assert_eq!(counts, [1, 4, 6, 8, 0]);
    }
}
