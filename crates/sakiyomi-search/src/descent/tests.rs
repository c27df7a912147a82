use sakiyomi_core::toy::{Toy, Word};
use sakiyomi_core::{Game, Turn};

use super::*;

/// A random tree in which two players choose in turn.
fn random_tree(rng: &mut Rng) -> Toy {
    let (mut text, mut next, mut open) = (String::new(), 1, vec![(0, 0)]);
    while let Some((name, depth)) = open.pop() {
        text += &format!("n{name}: {}", depth % 2);
        for action in 0..2 + rng.below(3) {
            if depth < 6 && rng.below(4) > 0 {
                text += &format!("  a{action} -> n{next}");
                open.push((next, depth + 1));
                next += 1;
            } else {
                let payoff = rng.below(5) as f64 / 4.0;
                text += &format!("  a{action} -> {payoff} {}", 1.0 - payoff);
            }
        }
        text += "\n";
    }
    Toy::read(&text).unwrap()
}

/// What the first player gets if both play perfectly.
fn minimax(game: &Toy, state: u16) -> f64 {
    let player = match game.turn(&state) {
        Turn::Over(payoffs) => return payoffs[Player(0)],
        Turn::Choose(who) => who.single().unwrap(),
        Turn::Chance => unreachable!(),
    };
    let mut actions = Vec::new();
    game.actions(&state, player, &mut actions);
    let values = actions.iter().map(|action| minimax(game, after(game, state, *action)));
    if player.0 == 0 { values.fold(0.0, f64::max) } else { values.fold(1.0, f64::min) }
}

fn after(game: &Toy, mut state: u16, action: Word) -> u16 {
    game.apply(&mut state, &[action]);
    state
}

/// Searches for one move; `value` is what the first player is expected to get.
fn search(game: &Toy, evaluations: u32, mut value: impl FnMut(u16) -> f64) -> DescentSearch<Toy> {
    let mut search = DescentSearch::<Toy>::new(evaluations);
    search.begin(game, &game.start()).unwrap();
    think(&mut search, game, &mut value);
    search
}

fn think(search: &mut DescentSearch<Toy>, game: &Toy, value: &mut impl FnMut(u16) -> f64) {
    loop {
        let leaves = search.next_leaves(game).unwrap();
        if leaves.is_empty() {
            return;
        }
        let own = |&(state, player): &(u16, Player)| {
            let of_first = value(state) as f32;
            if player.0 == 0 { of_first } else { 1.0 - of_first }
        };
        let values: Vec<f32> = leaves.iter().map(own).collect();
        search.supply(&values);
    }
}

#[test]
fn whatever_the_network_says_the_value_is_found_in_the_end() {
    let mut rng = Rng::new(5);
    for _ in 0..60 {
        let game = random_tree(&mut rng);
        let found = search(&game, 1_000_000, |_| rng.unit());
        let (action, own) = found.best_action();
        let value = minimax(&game, game.start());
        assert_eq!(own, value, "the first player begins");
        assert_eq!(minimax(&game, after(&game, game.start(), action)), value);
        for node in found.nodes.iter().filter(|node| node.value.is_exact) {
            assert_eq!(f64::from(node.value.value), minimax(&game, node.state));
        }
    }
}

#[test]
fn a_network_that_knows_needs_one_descent() {
    let mut rng = Rng::new(6);
    for _ in 0..60 {
        let game = random_tree(&mut rng);
        let found = search(&game, 1, |state| minimax(&game, state));
        let (action, _) = found.best_action();
        let value = minimax(&game, game.start());
        assert_eq!(minimax(&game, after(&game, game.start(), action)), value);
        // All that is learned from is right.
        for learned in found.learned() {
            let of_first = minimax(&game, learned.state);
            let own = if learned.player.0 == 0 { of_first } else { 1.0 - of_first };
            assert_eq!(learned.value, own);
            let sum: f32 = learned.policy.iter().map(|(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn a_match_is_played_in_one_tree() {
    let mut rng = Rng::new(7);
    for _ in 0..60 {
        let game = random_tree(&mut rng);
        let mut value = |_| 0.5;
        let mut search = DescentSearch::<Toy>::new(4);
        let mut state = game.start();
        search.begin(&game, &state).unwrap();
        let mut visited = Vec::new();
        while let Turn::Choose(_) = game.turn(&state) {
            visited.push(state);
            think(&mut search, &game, &mut value);
            let action = search.draw(0.5, &mut rng);
            state = after(&game, state, action);
            search.follow(&game, action).unwrap();
        }
        let learned: Vec<u16> = search.learned().iter().map(|learned| learned.state).collect();
        assert!(visited.iter().all(|state| learned.contains(state)));
    }
}

#[test]
fn better_actions_are_drawn_more_often() {
    let text = "s: 0  a -> 0 1  b -> 1 0  c -> 0.5 0.5";
    let game = Toy::read(text).unwrap();
    let search = search(&game, 100, |_| 0.5);
    let mut rng = Rng::new(8);
    let mut counts = [0; 3];
    for _ in 0..3_000 {
        let action = search.draw(0.5, &mut rng);
        let reached = minimax(&game, after(&game, game.start(), action));
        counts[(2.0 * reached) as usize] += 1;
    }
    // The best with 1/2 + 1/2 * 1/3, the second with 1/2 + 1/2 * 1/2 of what is left.
    for (count, share) in counts.iter().zip([1.0 / 12.0, 1.0 / 4.0, 2.0 / 3.0]) {
        assert!((f64::from(*count) / 3_000.0 - share).abs() < 0.03, "{counts:?}");
    }
}
