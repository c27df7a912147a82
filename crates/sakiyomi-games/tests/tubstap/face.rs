//! Texts, cells and captions.

use std::collections::HashSet;

use sakiyomi_core::{Effect, Game, Player, Rng, Show, Turn};
use sakiyomi_games::tubstap::{Attacks, Settings, Small, State, read_map};

const FORD: &[u8] = include_bytes!("../../../../games/tubstap/ford.tbsmap");
const AIR: &[u8] = include_bytes!("../../../../games/tubstap/air.tbsmap");

fn game(bytes: &[u8], attacks: Attacks) -> Small {
    let settings = Settings { attacks, ..Settings::default() };
    Small::new(&read_map(bytes).unwrap().0, settings).unwrap()
}

#[test]
fn texts_are_read_back_and_cells_tell_actions_apart() {
    let game = game(AIR, Attacks::All);
    let mut rng = Rng::new(8);
    let mut notes = HashSet::new();
    for _ in 0..2 {
        let mut state = game.start();
        while let Turn::Choose(who) = game.turn(&state) {
            let player = who.single().unwrap();
            let mut actions = Vec::new();
            game.actions(&state, player, &mut actions);
            let (mut clicks, mut texts) = (HashSet::new(), HashSet::new());
            for &action in &actions {
                assert!(texts.insert(game.action_text(&state, player, action).to_lowercase()));
                let cells = game.action_cells(&state, player, action);
                assert!(cells.iter().all(|&cell| cell < 64));
                assert!(clicks.insert(cells));
                let effects = game.action_effects(&state, player, action);
                notes.extend(effects.iter().map(|effect| matches!(effect, Effect::Counter { .. })));
            }
            let action = actions[rng.below(actions.len())];
            let text = game.action_text(&state, player, action);
            assert_eq!(
                game.parse(&state, player, &format!(" {} ", text.to_uppercase())),
                Some(action)
            );
            assert_eq!(game.parse(&state, Player(1 - player.0), &text), None);
            game.apply(&mut state, &[action]);
        }
    }
    assert_eq!(notes.len(), 2, "some attacks are answered");
}

#[test]
fn a_battle_is_told() {
    let game = game(FORD, Attacks::Effective);
    let mut state = game.start();
    let view = game.view(&state);
    assert_eq!(view.caption.to_string(), "RED to move");
    assert_eq!(view.note.unwrap().to_string(), "turn 1 of 29, 6 units left to act");
    assert_eq!(view.players[0].score.as_ref().unwrap().text.to_string(), "51 hp, 6 units");
    let board = view.board.unwrap();
    let cell = &board.cells[3 + 5 * 6];
    let piece = cell.top().unwrap();
    assert_eq!(
        (piece.symbol.as_str(), piece.owner, cell.ground.as_deref()),
        ("i", Some(1), Some("road"))
    );
    assert_eq!(piece.gauge.as_ref().map(|gauge| (gauge.value, gauge.max)), Some((10, 10)));
    assert_eq!((board.column_labels[0].as_str(), board.row_labels[0].as_str()), ("a", "1"));

    let play = |state: &mut State<1, 16>, text: &str| {
        let player = state.to_move().unwrap();
        let action = game.parse(state, player, text).unwrap_or_else(|| panic!("{text}"));
        game.apply(state, &[action]);
    };
    play(&mut state, "d1-d2");
    let board = game.view(&state).board.unwrap();
    let piece = board.cells[3 + 6].top().unwrap();
    assert!(piece.has_acted && piece.symbol == "P", "{piece:?}");
    play(&mut state, "end");
    assert_eq!(game.view(&state).caption.to_string(), "BLUE to move");
}
