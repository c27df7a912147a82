//! Tests of whole matches and their engines.

use sakiyomi_core::toy::Plain;
use sakiyomi_core::{Game, Hints, Payoffs, Player, Players, Rng, Scratch, Show, Turn};

use crate::tests::shared::shared_data;
use crate::tests::sheets::{ALL, AT_ONCE, DICE, LINES, PATHS, PUZZLE};
use crate::{EngineChoice, GdlError, GdlGame, Settings, info, verify};

fn game(text: &str) -> GdlGame {
    let game = GdlGame::new(text, &Settings::default()).unwrap();
    assert_eq!(game.notice(), None);
    game
}

fn interpreted(text: &str) -> GdlGame {
    let settings = Settings { engine: EngineChoice::Interpreter, ..Settings::default() };
    GdlGame::new(text, &settings).unwrap()
}

/// Plays the same random matches on the network and by interpretation, and compares every ply.
pub(crate) fn compare_engines(text: &str, n_matches: u64) {
    let (network, rules) = (game(text), interpreted(text));
    for seed in 0..n_matches {
        let mut rng = Rng::new(seed);
        let (mut fast, mut slow) = (network.stepper(), rules.stepper());
        for _ in 0..60 {
            assert_eq!(fast.facts(), slow.facts());
            assert_eq!(fast.is_terminal(), slow.is_terminal());
            assert_eq!(fast.goals(), slow.goals());
            if fast.is_terminal() {
                break;
            }
            let mut joint: Vec<String> = Vec::new();
            for role in 0..network.roles().len() {
                let texts = |game: &GdlGame, moves: Vec<crate::Move>| {
                    let mut texts: Vec<String> =
                        moves.into_iter().map(|action| game.move_text(action)).collect();
                    texts.sort_unstable();
                    texts
                };
                let moves = texts(&network, fast.legal(role));
                assert_eq!(moves, texts(&rules, slow.legal(role)));
                joint.push(moves[rng.below(moves.len())].clone());
            }
            fast.step_texts(&joint).unwrap();
            slow.step_texts(&joint).unwrap();
        }
    }
}

#[test]
fn network_and_interpreter_agree() {
    for text in ALL {
        compare_engines(text, 10);
    }
}

#[test]
fn an_alternating_game_is_sequential() {
    let game = game(LINES);
    let mut state = game.start();
    assert_eq!(game.turn(&state), Turn::Choose(Players::one(Player(0))));
    let mut actions = Vec::new();
    game.actions(&state, Player(0), &mut actions);
    assert_eq!(actions.len(), 9);
    assert_eq!(game.action_text(&state, Player(0), actions[4]), "(put 2 2)");
    let middle = game.parse(&state, Player(0), " (PUT 2 2)").unwrap();
    game.apply(&mut state, &[middle]);
    assert_eq!(game.turn(&state), Turn::Choose(Players::one(Player(1))));
    assert_eq!(state.plies(), 1);
}

#[test]
fn both_choose_where_both_can() {
    let game = game(AT_ONCE);
    let state = game.start();
    assert_eq!(game.turn(&state), Turn::Choose(Players::all(2)));
    let mut playouts = Scratch::default();
    let mut rng = Rng::new(1);
    let payoffs = game.playout(&mut state.clone(), &mut playouts, &mut rng);
    assert_eq!(payoffs[Player(0)] + payoffs[Player(1)], 1.0);
}

#[test]
fn chance_comes_after_the_players() {
    let game = game(DICE);
    assert_eq!((game.players(), game.roles().len()), (1, 2));
    let mut state = game.start();
    let before = state.clone();
    assert_eq!(game.turn(&state), Turn::Choose(Players::one(Player(0))));
    let more = game.parse(&state, Player(0), "more").unwrap();
    game.apply(&mut state, &[more]);
    assert_eq!(game.turn(&state), Turn::Chance);
    assert_ne!(state, before, "the player has chosen");
    let mut outcomes = Vec::new();
    game.outcomes(&state, &mut outcomes);
    assert_eq!(outcomes.len(), 2);
    assert!(outcomes.iter().all(|outcome| outcome.1 == 0.5));
    assert_eq!(game.outcome_text(&state, outcomes[1].0), "(roll 2)");
    game.apply(&mut state, &[outcomes[1].0]);
    assert_eq!(game.facts(&state), ["(sum 2)"]);
    let stop = game.parse(&state, Player(0), "stop").unwrap();
    game.apply(&mut state, &[stop]);
    let Turn::Chance = game.turn(&state) else { panic!("chance also moves when the hero stops") };
    let roll = game.sample(&state, &mut outcomes, &mut Rng::new(3));
    game.apply(&mut state, &[roll]);
    assert_eq!(game.turn(&state), Turn::Over(Payoffs::of([0.4])));
}

#[test]
fn forced_plies_are_skipped_and_counted() {
    let game = game(PUZZLE);
    let state = game.start();
    // The first two moves are forced; at the third place there is a choice.
    assert_eq!(state.plies(), 2);
    assert_eq!(game.facts(&state), ["(at (place 3))", "(did (go (place 2) (place 3)))"]);
    assert_eq!(game.stepper().facts(), ["(at (place 1))"]);
}

#[test]
fn equal_facts_are_equal_states() {
    let game = game(LINES);
    let play = |texts: &[&str]| {
        let mut state = game.start();
        for (i, text) in texts.iter().enumerate() {
            let action = game.parse(&state, Player(i as u8 % 2), text).unwrap();
            game.apply(&mut state, &[action]);
        }
        state
    };
    let one = play(&["(put 1 1)", "(put 2 2)", "(put 3 3)"]);
    let other = play(&["(put 3 3)", "(put 2 2)", "(put 1 1)"]);
    assert_eq!(one, other);
    assert_eq!(game.key(&one), game.key(&other));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    game.actions(&one, Player(1), &mut a);
    game.actions(&other, Player(1), &mut b);
    assert_eq!(a, b);
    assert_ne!(one, play(&["(put 1 1)", "(put 2 2)", "(put 3 2)"]));
}

/// The override of `playout` has the distribution of the default: mean payoffs agree within 5
/// standard errors.
#[test]
fn playouts_are_uniform() {
    let n = 4000;
    for text in [LINES, AT_ONCE, PATHS, DICE] {
        let game = game(text);
        let plain = Plain(&game);
        let mut scratch = Scratch::default();
        let (mut fast, mut slow) = (0.0, 0.0);
        for seed in 0..n {
            let mut rng = Rng::stream(&[seed, 1]);
            fast += game.playout(&mut game.start(), &mut scratch, &mut rng)[Player(0)];
            slow += plain.playout(&mut game.start(), &mut scratch, &mut rng)[Player(0)];
        }
        let error = (0.5 / n as f64).sqrt();
        assert!((fast - slow).abs() / (n as f64) < 5.0 * error, "{fast} {slow}");
    }
}

#[test]
fn a_match_that_never_ends_is_cut() {
    let text = "(role r) (init (at 0)) (legal r stay) (legal r leap)
        (<= (next (at ?x)) (true (at ?x))) (<= terminal (true (at 1))) (goal r 30)";
    let settings = Settings { max_plies: 50, ..Settings::default() };
    let game = GdlGame::new(text, &settings).unwrap();
    let mut state = game.start();
    let payoffs = game.playout(&mut state, &mut Scratch::default(), &mut Rng::new(1));
    assert_eq!((payoffs, state.plies()), (Payoffs::of([0.3]), 50));
    // No role has a choice here, so the cut must come inside the skipping.
    let forced = text.replace("(legal r leap)", "");
    let game = GdlGame::new(&forced, &settings).unwrap();
    assert_eq!(game.turn(&game.start()), Turn::Over(Payoffs::of([0.3])));
    let stuck = "(role r) (<= (legal r go) (true never)) (next x) terminal (goal r 70)";
    let game = GdlGame::new(stuck, &settings).unwrap();
    assert_eq!(game.turn(&game.start()), Turn::Over(Payoffs::of([0.7])));
}

#[test]
fn a_board_is_found_and_drawn() {
    let game = game(LINES);
    let mut state = game.start();
    for (player, text) in [(0, "(put 1 3)"), (1, "(put 3 1)")] {
        let action = game.parse(&state, Player(player), text).unwrap();
        let cells = game.action_cells(&state, Player(player), action);
        assert_eq!(cells, [if player == 0 { 0 } else { 8 }]);
        game.apply(&mut state, &[action]);
    }
    let view = game.view(&state);
    let board = view.board.unwrap();
    let symbols: Vec<&str> =
        board.cells.iter().map(|cell| cell.top().map_or("", |p| p.symbol.as_str())).collect();
    assert_eq!(symbols, ["c", "", "", "", "", "", "", "", "r"]);
    let owner = |cell: usize| board.cells[cell].top().and_then(|piece| piece.owner);
    assert_eq!((owner(0), owner(8)), (Some(0), Some(1)));
    assert_eq!(view.caption, "cross to move");
    assert_eq!(view.facts.len(), 1);
    assert_eq!((&view.facts[0].title, &view.facts[0].text), (&"turn".into(), &"cross".into()));
    let mut cells = Vec::new();
    game.cells(&state, &mut cells);
    assert_eq!(cells, [0, 0, 3, 0, 0, 0, 1, 0, 0]);
    assert_eq!(game.piece_names(), ["cross", "free", "ring"]);
    let mut again = Vec::new();
    let rules = interpreted(LINES);
    rules.cells(&rules.start(), &mut again);
    assert_eq!(again, [0; 9]);
}

#[test]
fn a_negation_of_itself_is_refused() {
    let text = "(role r) (init (p 1)) (legal r a) (next (p 1)) (goal r 0) terminal
        (<= q (true (p 1)) (not q)) (<= (goal r 100) q)";
    let error = GdlGame::new(text, &Settings::default()).unwrap_err();
    assert_eq!(error, GdlError::NotStratified { atom: "q".to_owned() });
}

#[test]
fn small_limits_lead_to_the_interpreter() {
    let mut settings = Settings::default();
    settings.limits.bytes = 20_000;
    let game = GdlGame::new(LINES, &settings).unwrap();
    assert!(game.notice().unwrap().contains("0.0 MB"), "{:?}", game.notice());
    settings.engine = EngineChoice::Network;
    assert!(matches!(GdlGame::new(LINES, &settings), Err(GdlError::TooLarge { .. })));
}

/// Each of 24 by 24 cells can be marked together with any other one, which has too many legal moves
/// to be grounded in little memory.
const PAIRS: &str = "(role a) (role b) (init (step 0))
    (<= (legal ?r (pair ?x ?y ?u ?v)) (role ?r) (n ?x) (n ?y) (n ?u) (n ?v) (not (true (c ?x ?y ?u))))
    (<= (next (c ?x ?y ?u)) (does ?r (pair ?x ?y ?u ?v)))
    (<= (next (c ?x ?y ?u)) (true (c ?x ?y ?u)))
    (<= (next (step 1)) (true (step 0)))
    (<= terminal (true (step 1))) (goal a 50) (goal b 50)
    (n 1) (n 2) (n 3) (n 4) (n 5) (n 6) (n 7) (n 8) (n 9) (n 10) (n 11) (n 12) (n 13) (n 14)";

#[test]
fn grounding_is_told_and_stopped() {
    let mut n_told = 0;
    let settings = Settings::default();
    let game = GdlGame::watched(PAIRS, &settings, None, &mut |progress| {
        n_told += 1;
        assert!(progress.seconds >= 0.0 && progress.bytes <= settings.limits.bytes);
        true
    });
    assert_eq!(game.unwrap().notice(), None);
    assert!(n_told > 5, "{n_told}");
    let error = GdlGame::watched(PAIRS, &settings, None, &mut |_| false).unwrap_err();
    assert_eq!(error, GdlError::Stopped);
}

#[test]
fn playouts_are_stopped_in_the_middle() {
    let endless = "(role r) (init (at 0)) (legal r stay) (legal r leap)
        (<= (next (at ?x)) (true (at ?x))) (<= terminal (true (at 1))) (goal r 30)";
    for engine in [EngineChoice::Network, EngineChoice::Interpreter] {
        let settings = Settings { engine, max_plies: u32::MAX, ..Settings::default() };
        let stop = std::sync::Arc::new(sakiyomi_core::Stop::new());
        let game = GdlGame::new(endless, &settings).unwrap().with_stop(stop.clone());
        std::thread::scope(|scope| {
            let playout = scope.spawn(|| {
                let mut state = game.start();
                game.playout(&mut state, &mut Scratch::default(), &mut Rng::new(1));
                state.plies()
            });
            std::thread::sleep(std::time::Duration::from_millis(30));
            stop.request();
            // Without the stop this would not end.
            assert!(playout.join().unwrap() > 0);
        });
    }
}

#[test]
fn a_stop_harms_no_later_state() {
    let stop = std::sync::Arc::new(sakiyomi_core::Stop::new());
    let rules = interpreted(LINES);
    let game = rules.with_stop(stop.clone());
    stop.request();
    game.playout(&mut game.start(), &mut Scratch::default(), &mut Rng::new(1));
    let mut stepper = rules.stepper();
    stepper.step_texts(&["(put 2 2)", "wait"]).unwrap();
    assert_eq!(stepper.legal(1).len(), 8);
    assert!(GdlGame::interpreted(LINES).unwrap().is_interpreted());
}

#[test]
fn texts_that_are_no_games_are_errors() {
    for text in
        ["", "(role x)", "(", ")", "(<= (p ?x) (not (q ?x)))", "(role r) (legal q a)", "\u{fe}"]
    {
        let _ = GdlGame::new(text, &Settings::default());
    }
    let nine: String = (0..9).map(|i| format!("(role r{i}) (legal r{i} a)")).collect();
    let error = GdlGame::new(&nine, &Settings::default()).unwrap_err();
    assert_eq!(error, GdlError::Roles { n: 9, max: 8 });
}

#[test]
fn numbers_of_a_game_are_told() {
    let info = info(LINES, &Settings::default(), 0.01, 1).unwrap();
    assert_eq!(info.roles, ["cross", "ring"]);
    assert_eq!(info.engine, "network");
    let size = info.size.unwrap();
    assert_eq!((size.fluents, size.moves), (29, 20));
    assert!((7.0..8.5).contains(&info.mean_plies), "{}", info.mean_plies);
    assert!((55.0..75.0).contains(&info.mean_goals[0]), "{:?}", info.mean_goals);
}

/// Replays recorded matches of public sheets. The slow ones are cut after a few plies.
#[test]
fn traces_of_public_sheets_are_identical() {
    let Some(shared) = shared_data("traces_of_public_sheets_are_identical") else { return };
    let mut names: Vec<_> = std::fs::read_dir(shared.join("data/traces"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    let mut settings = Settings::default();
    settings.limits.seconds = 4.0;
    for path in names {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read(shared.join(format!("data/kif/{name}.kif"))).unwrap();
        let game = GdlGame::new(&String::from_utf8_lossy(&text), &settings);
        let game = game.unwrap_or_else(|error| panic!("{name}: {error}"));
        let max_plies = if game.notice().is_some() { Some(3) } else { None };
        let trace = std::fs::read_to_string(&path).unwrap();
        if let Err(error) = verify(&game, &trace, max_plies) {
            panic!("{name}: {error}");
        }
    }
}

/// A light that burns while a chain of `n` links holds. Every link asks for the next one, so
/// proofs nest as deep as the chain is long.
fn chain(n: usize) -> String {
    let links: String = (0..n).map(|i| format!("(link {i} {})\n", i + 1)).collect();
    format!(
        "(role a) (init on) (init (time 0)) {links}
         (<= (holds {n}) (true on))
         (<= (holds ?x) (link ?x ?y) (holds ?y))
         (legal a wait)
         (<= (next on) (true on))
         (<= (next (time 1)) (true (time 0)) (holds 0))
         (<= terminal (true (time 1)))
         (<= (goal a 100) (holds 0))
         (<= (goal a 0) (not (holds 0)))"
    )
}

#[test]
fn deep_proofs_are_found_or_refused_but_never_wrong() {
    let settings = Settings { engine: EngineChoice::Interpreter, ..Settings::default() };
    for (engine, n) in [(EngineChoice::Network, 2_000), (EngineChoice::Interpreter, 2_000)] {
        let game = GdlGame::new(&chain(n), &Settings { engine, ..settings }).unwrap();
        let mut stepper = game.stepper();
        stepper.step_texts(&["wait"]).unwrap();
        assert!(stepper.is_terminal() && stepper.goals() == [Some(100)], "{engine:?}");
    }
    let error = GdlGame::new(&chain(25_000), &settings).unwrap_err();
    assert_eq!(error, GdlError::TooDeep { limit: 20_000 });
}
