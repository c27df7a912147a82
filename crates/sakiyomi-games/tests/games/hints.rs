//! Pruning never changes the value of a game, and estimates are worth something.

use std::collections::HashMap;

use sakiyomi_core::{Game, Hint, Hints, Player, PruneLevel, Rng, Show, Turn};
use sakiyomi_games::{Breakthrough, ConnectFour, Othello, TicTacToe};

use crate::{after, choices};

/// What the first player gets with best play, for every position that can arise.
fn solve<G: Game>(game: &G, state: &G::State, values: &mut HashMap<G::State, f64>) -> f64 {
    if let Turn::Over(payoffs) = game.turn(state) {
        return payoffs[Player(0)];
    }
    if let Some(&value) = values.get(state) {
        return value;
    }
    let (player, actions) = choices(game, state).unwrap();
    let next = actions.iter().map(|&action| solve(game, &after(game, state, action), values));
    let value = best(player, next);
    values.insert(state.clone(), value);
    value
}

fn best(player: Player, values: impl Iterator<Item = f64>) -> f64 {
    if player == Player(0) { values.fold(0.0, f64::max) } else { values.fold(1.0, f64::min) }
}

fn pruned<G: Hints>(
    game: &G,
    state: &G::State,
    player: Player,
    actions: &[G::Action],
) -> Vec<G::Action> {
    let mut kept = actions.to_vec();
    game.prune(state, player, PruneLevel::Actions, &mut kept);
    assert!(!kept.is_empty() && kept.iter().all(|action| actions.contains(action)));
    kept
}

fn winning<G: Game>(game: &G, state: &G::State) -> Vec<G::Action> {
    let Some((player, actions)) = choices(game, state) else { return Vec::new() };
    let wins = |action: &G::Action| {
        let next = game.turn(&after(game, state, *action));
        matches!(next, Turn::Over(payoffs) if payoffs[player] == 1.0)
    };
    actions.into_iter().filter(wins).collect()
}

/// In every position that can arise: the best of the kept actions is as good as the best of all,
/// and if some win at once, these are kept and nothing else.
fn check_soundness<G: Hints>(game: &G) -> HashMap<G::State, f64> {
    assert!(game.provides().contains(Hint::Prune) && game.constant_sum());
    let mut values = HashMap::new();
    solve(game, &game.start(), &mut values);
    let mut has_pruned = false;
    for (state, &value) in &values {
        let (player, actions) = choices(game, state).unwrap();
        let kept = pruned(game, state, player, &actions);
        has_pruned |= kept.len() < actions.len();
        let next = kept.iter().map(|&action| {
            let next = after(game, state, action);
            values.get(&next).copied().unwrap_or_else(|| match game.turn(&next) {
                Turn::Over(payoffs) => payoffs[Player(0)],
                _ => panic!("not solved: {next:?}"),
            })
        });
        assert_eq!(best(player, next), value, "{state:?}: {kept:?}");
        let wins = winning(game, state);
        assert!(wins.is_empty() || kept == wins, "{state:?}: {kept:?}");
    }
    assert!(has_pruned);
    values
}

#[test]
fn pruning_tic_tac_toe_is_sound() {
    let values = check_soundness(&TicTacToe);
    assert_eq!(values[&TicTacToe.start()], 0.5);
}

#[test]
fn pruning_connect_four_is_sound() {
    for (width, height) in [(4, 4), (3, 5), (2, 6), (6, 2), (9, 1)] {
        let small = ConnectFour::<u64>::new(width, height).unwrap();
        let large = ConnectFour::<u128>::new(width, height).unwrap();
        // All of these are draws.
        assert_eq!(check_soundness(&small)[&small.start()], 0.5, "{width}x{height}");
        assert_eq!(check_soundness(&large)[&large.start()], 0.5, "{width}x{height}");
    }
}

/// Breakthrough keeps exactly the steps after which the opponent cannot win at once, if any.
#[test]
fn pruning_breakthrough_is_sound_and_exact() {
    for (width, height) in [(2, 5), (2, 6), (3, 5), (2, 7)] {
        let game = Breakthrough::<u64>::new(width, height).unwrap();
        let values = check_soundness(&game);
        for state in values.keys().filter(|state| winning(&game, state).is_empty()) {
            let (player, actions) = choices(&game, state).unwrap();
            let is_safe = |&&action: &&_| winning(&game, &after(&game, state, action)).is_empty();
            let safe: Vec<_> = actions.iter().filter(is_safe).copied().collect();
            let expected = if safe.is_empty() { &actions } else { &safe };
            assert_eq!(&pruned(&game, state, player, &actions), expected, "{state:?}");
        }
    }
}

fn play<G: Show>(game: &G, moves: &str) -> G::State {
    let mut state = game.start();
    for text in moves.split_whitespace() {
        let (player, _) = choices(game, &state).expect("not over");
        let action = game.parse(&state, player, text).unwrap_or_else(|| panic!("illegal: {text}"));
        state = after(game, &state, action);
    }
    state
}

fn kept<G: Hints + Show>(game: &G, moves: &str) -> Vec<String> {
    let state = play(game, moves);
    let (player, actions) = choices(game, &state).unwrap();
    let kept = pruned(game, &state, player, &actions);
    kept.into_iter().map(|action| game.action_text(&state, player, action)).collect()
}

#[test]
fn wins_are_taken_and_threats_are_stopped() {
    assert_eq!(kept(&TicTacToe, "a1 b1 a2 b2"), ["a3"]);
    assert_eq!(kept(&TicTacToe, "a1 b2 a2"), ["a3"]);
    assert_eq!(kept(&TicTacToe, "a1").len(), 8);
    let four = ConnectFour::default();
    assert_eq!(kept(&four, "c c d d e e"), ["b", "f"]);
    assert_eq!(kept(&four, "c c d d e"), ["b", "f"]);
    assert_eq!(kept(&four, "a b a b a"), ["a"]);
    assert_eq!(kept(&four, "d d").len(), 7);
    let pawns = Breakthrough::<u64>::new(5, 5).unwrap();
    // The pawn on b4 is captured, by either neighbour.
    assert_eq!(kept(&pawns, "b2-b3 e4-e3 b3xa4 e3xd2"), ["a4xb5"]);
}

/// A player who looks one move ahead with the estimate beats one who plays at random.
fn check_estimates<G: Hints>(game: &G, at_least: f64) {
    let n_games = 200;
    let mut rng = Rng::new(4);
    let mut score = 0.0;
    for round in 0..n_games {
        let greedy = Player((round % 2) as u8);
        let mut state = game.start();
        while let Some((player, actions)) = choices(game, &state) {
            let payoffs = game.estimate(&state).expect("an estimate of every position");
            let [first, second] = [payoffs[Player(0)], payoffs[Player(1)]];
            assert!(0.0 < first && first < 1.0 && first + second == 1.0, "{payoffs:?}");
            let worth = |action: G::Action| {
                let next = after(game, &state, action);
                match game.turn(&next) {
                    Turn::Over(payoffs) => payoffs[player],
                    _ => game.estimate(&next).unwrap()[player],
                }
            };
            let action = if player == greedy {
                let better = |a: &G::Action, b: &G::Action| worth(*a).total_cmp(&worth(*b));
                actions.into_iter().max_by(better).unwrap()
            } else {
                actions[rng.below(actions.len())]
            };
            state = after(game, &state, action);
        }
        let Turn::Over(payoffs) = game.turn(&state) else { unreachable!("no more choices") };
        score += payoffs[greedy] / f64::from(n_games);
    }
    assert!(score >= at_least, "{score}");
}

#[test]
fn estimates_beat_random_play() {
    check_estimates(&ConnectFour::default(), 0.85);
    check_estimates(&ConnectFour::<u128>::new(9, 7).unwrap(), 0.85);
    check_estimates(&Breakthrough::default(), 0.85);
    check_estimates(&Breakthrough::<u128>::new(9, 9).unwrap(), 0.85);
    check_estimates(&Othello, 0.85);
}

/// Who plays which colour does not matter to the estimates: in the start all is even.
#[test]
fn the_start_is_even() {
    fn check<G: Hints>(game: &G) {
        assert_eq!(game.estimate(&game.start()).unwrap()[Player(0)], 0.5);
    }
    check(&ConnectFour::default());
    check(&Breakthrough::default());
    check(&Othello);
    assert_eq!(TicTacToe.estimate(&TicTacToe.start()), None);
    assert!(!Othello.provides().contains(Hint::Prune));
}
