//! Texts, cells and captions, and every player in a match.

use std::collections::HashSet;

use sakiyomi_core::{Agent, Context, Effect, Game, Player, Rng, Show, Stop, Turn};
use sakiyomi_games::tubstap::players::{
    Best, BestSettings, M3Lee, M3LeeSettings, MUct, MUctSettings, MaxActionEval, MilitaryStaff,
    MilitaryStaffSettings, SatD2, SatD2Settings,
};
use sakiyomi_games::tubstap::{Action, Attacks, Settings, Small, State, read_map};

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

/// Every player plays legal actions to the end, the same again from the same seed, and takes part in
/// matches where sides are swapped.
#[test]
fn players_play_legally_and_repeatably() {
    let muct = || MUct::new(MUctSettings { simulations: 60, ..MUctSettings::STOCK });
    check_player(|| Box::new(MaxActionEval), Attacks::Effective);
    check_player(|| Box::new(muct()), Attacks::Effective);
    let m3lee = M3LeeSettings {
        playouts: 100,
        random_turns: 5,
        rating_playouts: 4,
        comparing_playouts: 4,
        cpu_per_turn: None,
    };
    check_player(|| Box::new(M3Lee::new(m3lee)), Attacks::Effective);
    check_player(|| Box::new(M3Lee::new(m3lee)), Attacks::All);
    let staff = MilitaryStaffSettings {
        action_playouts: 2,
        plan_playouts: 2,
        plans: 10,
        ..MilitaryStaffSettings::STOCK
    };
    check_player(|| Box::new(MilitaryStaff::new(staff)), Attacks::All);
    check_player(|| Box::new(MilitaryStaff::new(staff)), Attacks::Effective);
    let sat = SatD2Settings { node_limit: 500, ..SatD2Settings::STOCK };
    check_player(|| Box::new(SatD2::new(sat)), Attacks::Effective);
    let best = BestSettings { iterations: 60, ..BestSettings::DEFAULT };
    check_player(|| Box::new(Best::new(best)), Attacks::Effective);
    check_player(|| Box::new(Best::new(best)), Attacks::All);
}

fn check_player(make: impl Fn() -> Box<dyn Agent<Small>>, attacks: Attacks) {
    for (bytes, swapped) in [(FORD, false), (AIR, true)] {
        let settings = Settings { attacks, swapped, ..Settings::default() };
        let game = Small::new(&read_map(bytes).unwrap().0, settings).unwrap();
        let match_once = || {
            let mut players = [make(), make()];
            let (mut state, mut rng, stop) = (game.start(), Rng::new(7), Stop::new());
            let mut played: Vec<Action> = Vec::new();
            while let Turn::Choose(who) = game.turn(&state) {
                let player = who.single().unwrap();
                let mut context = Context { rng: &mut rng, stop: &stop };
                let choice =
                    players[player.index()].choose(&game, &state, player, &mut context).unwrap();
                assert!(game.is_legal(&state, player, choice.action, attacks), "{choice:?}");
                let total: f64 = choice.policy.iter().map(|(_, share)| share).sum();
                assert!((total - 1.0).abs() < 1e-9);
                played.push(choice.action);
                game.apply(&mut state, &[choice.action]);
            }
            played
        };
        assert_eq!(match_once(), match_once());
    }
}

/// A request to stop ends every search soon.
#[test]
fn players_stop_when_asked() {
    let game = game(AIR, Attacks::All);
    let stop = Stop::new();
    stop.request();
    let mut players: [Box<dyn Agent<Small>>; 5] = [
        Box::new(Best::new(BestSettings { iterations: u64::MAX, ..BestSettings::DEFAULT })),
        Box::new(MUct::new(MUctSettings { simulations: u64::MAX, ..MUctSettings::STOCK })),
        Box::new(M3Lee::new(M3LeeSettings {
            playouts: u64::MAX,
            random_turns: u64::MAX,
            ..M3LeeSettings::STOCK
        })),
        Box::new(MilitaryStaff::new(MilitaryStaffSettings {
            plans: u32::MAX,
            plan_playouts: u32::MAX,
            ..MilitaryStaffSettings::STOCK
        })),
        Box::new(SatD2::new(SatD2Settings::STOCK)),
    ];
    for player in &mut players {
        let mut rng = Rng::new(1);
        let mut context = Context { rng: &mut rng, stop: &stop };
        let start = game.start();
        let choice = player.choose(&game, &start, Player(0), &mut context).unwrap();
        assert!(game.is_legal(&start, Player(0), choice.action, Attacks::All));
    }
}
