//! Texts, cells and captions.

use std::collections::HashSet;

use sakiyomi_core::{Game, Player, PlayerView, Rng, Show};
use sakiyomi_games::{Breakthrough, ConnectFour, Othello, TicTacToe};

use crate::{after, choices};

/// In random games every action has its own text, which is read back, and its own cells.
fn check<G: Show>(game: &G) {
    let mut rng = Rng::new(8);
    for _ in 0..5 {
        let mut state = game.start();
        while let Some((player, actions)) = choices(game, &state) {
            let n_cells = game.view(&state).board.unwrap().cells.len();
            let mut clicks = HashSet::new();
            for &action in &actions {
                let text = game.action_text(&state, player, action);
                let loud = format!(" {} ", text.to_uppercase());
                assert_eq!(game.parse(&state, player, &loud), Some(action), "{text}");
                assert_eq!(game.parse(&state, Player(1 - player.0), &text), None);
                let cells = game.action_cells(&state, player, action);
                assert!(cells.iter().all(|&cell| (cell as usize) < n_cells));
                assert!(clicks.insert(cells), "{text}");
            }
            state = after(game, &state, actions[rng.below(actions.len())]);
        }
    }
}

/// The state after the moves.
fn play<G: Show>(game: &G, moves: &str) -> G::State {
    let mut state = game.start();
    for text in moves.split_whitespace() {
        let (player, _) = choices(game, &state).expect("not over");
        let action = game.parse(&state, player, text).unwrap_or_else(|| panic!("illegal: {text}"));
        state = after(game, &state, action);
    }
    state
}

/// The captions before the first and after each of the moves.
fn captions<G: Show>(game: &G, moves: &str) -> Vec<String> {
    let mut state = game.start();
    let caption = |state: &G::State| game.view(state).caption.to_string();
    let mut captions = vec![caption(&state)];
    for text in moves.split_whitespace() {
        let (player, _) = choices(game, &state).expect("not over");
        let action = game.parse(&state, player, text).unwrap_or_else(|| panic!("illegal: {text}"));
        state = after(game, &state, action);
        captions.push(caption(&state));
    }
    captions
}

fn last_caption<G: Show>(game: &G, moves: &str) -> String {
    captions(game, moves).pop().unwrap()
}

#[test]
fn texts_are_read_back_and_cells_tell_actions_apart() {
    check(&TicTacToe);
    check(&ConnectFour::default());
    check(&ConnectFour::<u128>::new(64, 1).unwrap());
    check(&Breakthrough::default());
    check(&Breakthrough::<u128>::new(11, 11).unwrap());
    check(&Othello);
}

#[test]
fn captions_say_who_moves_and_how_it_ended() {
    assert_eq!(captions(&TicTacToe, "b2 a1")[..2], ["x to move", "o to move"]);
    assert_eq!(last_caption(&TicTacToe, "a1 a2 b1 b2 c1"), "x wins with three in a row");
    assert_eq!(last_caption(&TicTacToe, "a1 b2 c3 c2 a2 a3 c1 b1 b3"), "draw");
    let four = ConnectFour::default();
    assert_eq!(last_caption(&four, "a b a b a b c b"), "red (o) wins with four in a row");
    let flat = ConnectFour::<u64>::new(4, 1).unwrap();
    assert_eq!(last_caption(&flat, "a b c d"), "draw");
    let pawns = Breakthrough::<u64>::new(2, 5).unwrap();
    assert_eq!(captions(&pawns, "a2-a3")[..], ["white to move", "black to move"]);
    assert_eq!(
        last_caption(&pawns, "a2-a3 b4xa3 b2xa3 a4-b3 a3-b4 b3-b2 b4xa5"),
        "white wins by reaching row 5"
    );
    assert_eq!(
        last_caption(&pawns, "b2-a3 b4xa3 b1-b2 a3xb2 a2-b3 a4xb3 a1-a2 b3xa2"),
        "black wins by capturing every pawn"
    );
}

#[test]
fn othello_counts_discs_and_names_a_pass() {
    let view = Othello.view(&Othello.start());
    assert_eq!(view.caption, "black (x) to move");
    let score = |player: &PlayerView| {
        let score = player.score.clone().unwrap();
        format!("{}: {}", player.name, score.text)
    };
    let scores: Vec<String> = view.players.iter().map(score).collect();
    assert_eq!(scores, ["black (x): 2 discs", "white (o): 2 discs"]);
    // The shortest game: white loses every disc.
    let shortest = "e6 f4 e3 f6 g5 d6 e7 f5 c5";
    assert_eq!(last_caption(&Othello, shortest), "black (x) wins by 13 to 0");
    // One of the shortest ways to a pass.
    let passing = "d3 c3 b3 b2 f5 a3 a1 c1";
    let passed = play(&Othello, passing);
    assert_eq!(Othello.view(&passed).note.unwrap(), "no move but a pass");
    assert_eq!(last_caption(&Othello, &format!("{passing} pass")), "white (o) to move");
}

/// The cells that decided a match, by name.
fn marked<G: Show>(game: &G, moves: &str) -> Vec<String> {
    let board = game.view(&play(game, moves)).board.unwrap();
    board.marked.iter().map(|&cell| board.cell_label(cell.into())).collect()
}

#[test]
fn what_decided_a_match_is_marked() {
    assert_eq!(marked(&TicTacToe, "a1 a2 b1 b2"), [""; 0]);
    assert_eq!(marked(&TicTacToe, "a1 a2 b1 b2 c1"), ["a1", "b1", "c1"]);
    let four = ConnectFour::default();
    assert_eq!(marked(&four, "a b a b a b c b"), ["b4", "b3", "b2", "b1"]);
    assert_eq!(marked(&four, "a b b c c d c d d a d"), ["d4", "c3", "b2", "a1"]);
    assert_eq!(marked(&four, "d c c b b a b a a g a"), ["a4", "b3", "c2", "d1"]);
    let pawns = Breakthrough::<u64>::new(2, 5).unwrap();
    let reached = "a2-a3 b4xa3 b2xa3 a4-b3 a3-b4 b3-b2 b4xa5";
    assert_eq!(marked(&pawns, reached), ["a5"]);
}

#[test]
fn a_whole_column_may_be_clicked() {
    let four = ConnectFour::default();
    let state = play(&four, "d d");
    let action = four.parse(&state, Player(0), "d").unwrap();
    let board = four.view(&state).board.unwrap();
    let names = |cells: Vec<u16>| -> Vec<String> {
        cells.iter().map(|&cell| board.cell_label(cell.into())).collect()
    };
    assert_eq!(names(four.action_cells(&state, Player(0), action)), ["d3"]);
    let area = names(four.action_area(&state, Player(0), action));
    assert_eq!(area, ["d1", "d2", "d3", "d4", "d5", "d6"]);
}

#[test]
fn players_have_names() {
    assert_eq!(TicTacToe.player_name(Player(0)), "x");
    assert_eq!(ConnectFour::default().player_name(Player(1)), "red (o)");
    assert_eq!(Breakthrough::default().player_name(Player(0)), "white");
    assert_eq!(Othello.player_name(Player(0)), "black (x)");
}
