//! The overrides of the provided methods have the distribution of what they replace.

use std::collections::HashSet;

use sakiyomi_core::toy::Plain;
use sakiyomi_core::{Game, Payoffs, Player, Rng, Scratch, Show, Turn};
use sakiyomi_games::{Breakthrough, ConnectFour, Othello, TicTacToe};

use crate::{after, choices};

/// A position after some random moves, before the end.
fn random_position<G: Game>(game: &G, n_moves: usize, rng: &mut Rng) -> G::State {
    'retry: loop {
        let mut state = game.start();
        for _ in 0..n_moves {
            let Some((_, actions)) = choices(game, &state) else { continue 'retry };
            state = after(game, &state, actions[rng.below(actions.len())]);
        }
        if choices(game, &state).is_some() {
            return state;
        }
    }
}

/// Fails if the counts are more than five standard deviations from where a fair draw puts them.
fn assert_fair(counts: &[u32], what: &str) {
    let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    let chi_square: f64 =
        counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
    let freedom = counts.len() as f64 - 1.0;
    assert!(chi_square <= freedom + 5.0 * (2.0 * freedom).sqrt(), "{what}: {counts:?}");
}

/// Random actions are uniform over the legal ones in positions of all phases of the game.
fn check_random_actions<G: Game>(game: &G, lengths: &[usize]) {
    for &n_moves in lengths {
        let mut rng = Rng::stream(&[1, n_moves as u64]);
        let state = random_position(game, n_moves, &mut rng);
        let (player, actions) = choices(game, &state).unwrap();
        let mut counts = vec![0; actions.len()];
        let mut scratch = Vec::new();
        for _ in 0..2_000 * actions.len() {
            let action = game.random_action(&state, player, &mut scratch, &mut rng);
            counts[actions.iter().position(|&legal| legal == action).expect("legal")] += 1;
        }
        assert_fair(&counts, &format!("{state:?}"));
    }
}

/// What can be summed up of playouts: payoffs of the first player, pieces left, and the squares of
/// both, from a few positions.
fn sums<G: Show, P: Game<State = G::State>>(
    game: &G,
    player: &P,
    state: &G::State,
    n_playouts: u64,
) -> [f64; 4] {
    let (mut rng, mut scratch) = (Rng::new(5), Scratch::default());
    let mut sums = [0.0; 4];
    for _ in 0..n_playouts {
        let mut state = state.clone();
        let payoffs = player.playout(&mut state, &mut scratch, &mut rng);
        assert_eq!(game.turn(&state), Turn::Over(payoffs), "{state:?}");
        let board = game.view(&state).board.unwrap();
        let n_pieces = board.cells.iter().filter(|cell| cell.top().is_some()).count() as f64;
        for (sum, x) in sums.chunks_mut(2).zip([payoffs[Player(0)], n_pieces]) {
            sum[0] += x;
            sum[1] += x * x;
        }
    }
    sums
}

/// Playouts have the mean payoff and the mean number of pieces at the end that the provided method
/// gives: within four standard errors.
fn check_playouts<G: Show>(game: &G, lengths: &[usize], n_playouts: u64) {
    for &n_moves in lengths {
        let state = random_position(game, n_moves, &mut Rng::stream(&[2, n_moves as u64]));
        let fast = sums(game, game, &state, n_playouts);
        let slow = sums(game, &Plain(game), &state, n_playouts);
        let n = n_playouts as f64;
        for (fast, slow) in fast.chunks(2).zip(slow.chunks(2)) {
            let variance = |sums: &[f64]| sums[1] / n - (sums[0] / n).powi(2);
            let error = ((variance(fast) + variance(slow)) / n).sqrt();
            let difference = (fast[0] - slow[0]) / n;
            assert!(difference.abs() <= 4.0 * error + 1e-9, "{difference} of {error}: {state:?}");
        }
    }
}

/// The playout is nothing but random actions, one after the other: the same random numbers lead to
/// the same end. It does not touch its scratch, so there is nothing to allocate.
fn check_playouts_step_by_step<G: Game>(game: &G, n_playouts: u64) {
    for seed in 0..n_playouts {
        let (mut rng, mut same) = (Rng::stream(&[3, seed]), Rng::stream(&[3, seed]));
        let (mut state, mut fast) = (game.start(), game.start());
        let mut actions = Vec::new();
        let payoffs = loop {
            match game.turn(&state) {
                Turn::Over(payoffs) => break payoffs,
                Turn::Choose(who) => {
                    let player = who.single().unwrap();
                    let action = game.random_action(&state, player, &mut actions, &mut rng);
                    game.apply(&mut state, &[action]);
                }
                Turn::Chance => panic!("there is no chance in these games"),
            }
        };
        let mut scratch = Scratch::default();
        assert_eq!(game.playout(&mut fast, &mut scratch, &mut same), payoffs);
        assert_eq!((fast, same), (state, rng));
        assert_eq!(actions.capacity() + scratch.actions.capacity() + scratch.joint.capacity(), 0);
    }
}

#[test]
fn tic_tac_toe_is_drawn_uniformly() {
    check_random_actions(&TicTacToe, &[0, 1, 4, 6, 8]);
    check_playouts(&TicTacToe, &[0, 1, 3, 5, 8], 20_000);
}

/// The exact chances of random play are 737/1260 for x and 8/63 for a draw, and each of the 958
/// final positions is reached.
#[test]
fn tic_tac_toe_has_the_known_odds() {
    let (mut rng, mut scratch) = (Rng::new(9), Scratch::default());
    let n = 200_000;
    let mut payoffs = Payoffs::default();
    let mut ends = HashSet::new();
    for _ in 0..n {
        let mut state = TicTacToe.start();
        payoffs.add_scaled(&TicTacToe.playout(&mut state, &mut scratch, &mut rng), 1.0);
        ends.insert(state);
    }
    let (exact, error) = (737.0 / 1260.0 + 8.0 / 63.0 / 2.0, 0.5 / f64::from(n).sqrt());
    assert!((payoffs[Player(0)] / f64::from(n) - exact).abs() < 4.0 * error, "{payoffs:?}");
    assert_eq!(ends.len(), 958);
}

#[test]
fn connect_four_is_drawn_uniformly() {
    let usual = ConnectFour::default();
    check_random_actions(&usual, &[0, 1, 12, 24, 30, 36]);
    check_playouts(&usual, &[0, 7, 20, 30], 8_000);
    check_playouts_step_by_step(&usual, 2_000);
    let high = ConnectFour::<u64>::new(5, 10).unwrap();
    check_random_actions(&high, &[0, 15, 30]);
    check_playouts(&high, &[0, 16], 5_000);
    let large = ConnectFour::<u128>::new(9, 7).unwrap();
    check_random_actions(&large, &[0, 20, 45]);
    check_playouts(&large, &[0, 25], 5_000);
    check_playouts_step_by_step(&large, 500);
    check_playouts_step_by_step(&ConnectFour::<u128>::new(64, 1).unwrap(), 100);
}

#[test]
fn breakthrough_is_drawn_uniformly() {
    let usual = Breakthrough::default();
    check_random_actions(&usual, &[0, 1, 20, 35, 50, 61]);
    check_playouts(&usual, &[0, 11, 40], 4_000);
    check_playouts_step_by_step(&usual, 1_000);
    let small = Breakthrough::<u64>::new(5, 5).unwrap();
    check_random_actions(&small, &[0, 5, 10]);
    check_playouts(&small, &[0, 7], 6_000);
    let large = Breakthrough::<u128>::new(11, 11).unwrap();
    check_random_actions(&large, &[0, 30, 71, 100]);
    check_playouts(&large, &[0, 50], 1_500);
    check_playouts_step_by_step(&large, 300);
    check_playouts_step_by_step(&Breakthrough::<u128>::new(25, 5).unwrap(), 300);
}

#[test]
fn othello_is_drawn_uniformly() {
    check_random_actions(&Othello, &[0, 1, 15, 30, 45, 57]);
    check_playouts(&Othello, &[0, 20, 45], 4_000);
    check_playouts_step_by_step(&Othello, 2_000);
}

/// A playout of a finished game returns its result and leaves it alone.
#[test]
fn a_finished_game_stays_as_it_is() {
    fn check<G: Game>(game: &G) {
        let (mut rng, mut scratch) = (Rng::new(1), Scratch::default());
        let mut state = game.start();
        let payoffs = game.playout(&mut state, &mut scratch, &mut rng);
        let over = state.clone();
        assert_eq!(game.playout(&mut state, &mut scratch, &mut rng), payoffs);
        assert_eq!(state, over);
    }
    check(&TicTacToe);
    check(&ConnectFour::default());
    check(&Breakthrough::default());
    check(&Othello);
}
