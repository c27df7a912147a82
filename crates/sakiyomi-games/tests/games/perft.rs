//! Counts of the game trees: published ones where there are any, those of the reference otherwise.

use std::collections::HashSet;

use sakiyomi_core::{Game, Player, Turn};
use sakiyomi_games::{Breakthrough, ConnectFour, Othello, TicTacToe};

use crate::reference::{Pawns, Reference};
use crate::{after, choices};

/// How many sequences of `depth` moves there are; a game that is over before counts as `ended`.
fn perft<G: Game>(game: &G, state: &G::State, depth: u32, ended: u64) -> u64 {
    let Some((_, actions)) = choices(game, state) else { return ended };
    if depth == 1 {
        return actions.len() as u64;
    }
    let next = |&action: &G::Action| perft(game, &after(game, state, action), depth - 1, ended);
    actions.iter().map(next).sum()
}

fn perfts<G: Game>(game: &G, depths: u32) -> Vec<u64> {
    (1..=depths).map(|depth| perft(game, &game.start(), depth, 0)).collect()
}

fn reference_perft<R: Reference>(position: &R, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if position.result().is_some() {
        return 0;
    }
    position.moves().iter().map(|(_, next)| reference_perft(next, depth - 1)).sum()
}

/// How many different positions there are after each number of moves.
fn positions_by_ply<G: Game>(game: &G, plies: usize) -> Vec<usize> {
    let mut level = HashSet::from([game.start()]);
    let mut counts = vec![1];
    for _ in 0..plies {
        let successors = |state: &G::State| {
            let actions = choices(game, state).map_or(Vec::new(), |(_, actions)| actions);
            let next = |&action: &G::Action| after(game, state, action);
            actions.iter().map(next).collect::<Vec<_>>()
        };
        level = level.iter().flat_map(successors).collect();
        counts.push(level.len());
    }
    counts
}

/// Games won by the first player, won by the second and drawn, and all nodes of the tree.
fn outcomes<G: Game>(game: &G, state: &G::State, counts: &mut [u64; 4]) {
    counts[3] += 1;
    if let Turn::Over(payoffs) = game.turn(state) {
        let which = [1.0, 0.0, 0.5].iter().position(|&payoff| payoff == payoffs[Player(0)]);
        counts[which.unwrap()] += 1;
        return;
    }
    let (_, actions) = choices(game, state).unwrap();
    actions.iter().for_each(|&action| outcomes(game, &after(game, state, action), counts));
}

/// 255,168 games of 549,946 nodes, and 5,478 positions.
#[test]
fn tic_tac_toe_has_the_known_number_of_games() {
    let mut counts = [0; 4];
    outcomes(&TicTacToe, &TicTacToe.start(), &mut counts);
    assert_eq!(counts, [131_184, 77_904, 46_080, 549_946]);
    assert_eq!(positions_by_ply(&TicTacToe, 9).iter().sum::<usize>(), 5_478);
}

#[test]
fn connect_four_has_the_known_numbers_of_move_sequences() {
    let known = [7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234, 39_394_572];
    assert_eq!(perfts(&ConnectFour::default(), 9), known);
    assert_eq!(perfts(&ConnectFour::<u128>::new(7, 6).unwrap(), 7), known[..7]);
}

/// John Tromp's counts, A212693 in the encyclopedia of integer sequences.
#[test]
fn connect_four_has_the_known_numbers_of_positions() {
    let known = [1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275, 558_186, 1_662_623];
    assert_eq!(positions_by_ply(&ConnectFour::default(), 10), known);
}

/// Aart Bik's counts (2009). Passes are moves, the first ones in depth 9; a game that is over,
/// first after 9 moves, counts once in every greater depth.
#[test]
fn othello_has_the_known_numbers_of_move_sequences() {
    let known = [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288, 24_571_284];
    for (depth, known) in (1..).zip(known) {
        assert_eq!(perft(&Othello, &Othello.start(), depth, 1), known);
    }
}

/// There are no published counts; these were computed by the reference as well, as far as it goes.
#[test]
fn breakthrough_has_as_many_move_sequences_as_on_arrays() {
    for (width, height, depth) in [(8, 8, 4), (5, 5, 4), (6, 6, 4), (3, 8, 5), (2, 5, 8)] {
        let game = Breakthrough::<u64>::new(width, height).unwrap();
        let large = Breakthrough::<u128>::new(width, height).unwrap();
        let slow: Vec<u64> =
            (1..=depth).map(|depth| reference_perft(&Pawns::new(width, height), depth)).collect();
        assert_eq!(perfts(&game, depth), slow, "{width}x{height}");
        assert_eq!(perfts(&large, depth), slow, "{width}x{height}");
    }
    assert_eq!(perfts(&Breakthrough::default(), 5), [22, 484, 11_132, 256_036, 6_182_818]);
}
