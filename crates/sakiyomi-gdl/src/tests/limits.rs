//! Rule sheets of a few lines that would take all time and all memory: each ends within its limits,
//! says which limit and which rule, and can be stopped.

use cpu_time::ThreadTime;
use sakiyomi_core::{Game, Rng, Turn};

use crate::{EngineChoice, GdlError, GdlGame, Progress, Settings};

/// A game of one player with these rules.
fn game_of(rules: &str) -> String {
    format!("(role a)\n{rules}\n(<= terminal (true over)) (goal a 50)")
}

fn numbered(n: usize, name: &str) -> String {
    (0..n).map(|i| format!(" {name}{i}")).collect()
}

/// Moves with one value for each of 24 bits.
fn bits() -> String {
    let conditions: String = (0..24).map(|i| format!(" (bit ?b{i})")).collect();
    let all = numbered(24, "?b");
    game_of(&format!(
        "(bit 0) (bit 1) (init (at 0))\n(<= (legal a (set{all})){conditions})
         (<= (next (at ?b0)) (does a (set{all})))"
    ))
}

/// 400 to the power of 4 legal moves.
fn cross() -> String {
    let numbers: String = (0..400).map(|i| format!("(n {i}) ")).collect();
    game_of(&format!(
        "{numbers}\n(<= (legal a (go ?x ?y ?u ?v)) (n ?x) (n ?y) (n ?u) (n ?v))
         (<= (next (at ?x ?v)) (does a (go ?x ?y ?u ?v)))"
    ))
}

/// The same number of cases for a relation of which none holds.
fn empty_cross() -> String {
    let numbers: String = (0..400).map(|i| format!("(n {i}) ")).collect();
    game_of(&format!(
        "{numbers}\n(<= (odd ?x ?y ?u ?v) (n ?x) (n ?y) (n ?u) (n ?v)
            (distinct (t ?x ?y ?u ?v) (t ?x ?y ?u ?v)))
         (legal a wait) (<= (next over) (odd ?x ?y ?u ?v))"
    ))
}

/// Numbers without end that moves are made of.
fn endless_numbers() -> String {
    game_of("(number zero)\n(<= (number (s ?x)) (number ?x))\n(<= (legal a (say ?x)) (number ?x))")
}

/// A fluent that doubles with every ply.
fn doubling() -> String {
    game_of("(init (n zero)) (legal a wait)\n(<= (next (n (pair ?x ?x))) (true (n ?x)))")
}

/// One fluent with 24 bits, each of which a move may turn over.
fn states() -> String {
    let (variables, zeros) = (numbered(24, "?b"), " 0".repeat(24));
    let rule = |i: usize| {
        let turned = turned_at(i);
        format!(
            "(<= (next (state{turned})) (does a (turn {i})) (true (state{variables}))
                (other ?b{i} ?turned))\n"
        )
    };
    let rules: String = (0..24).map(rule).collect();
    let moves: String = (0..24).map(|i| format!("(legal a (turn {i})) ")).collect();
    game_of(&format!("(other 0 1) (other 1 0) (init (state{zeros})) {moves}\n{rules}"))
}

/// All variables, the one with this number turned over.
fn turned_at(turned: usize) -> String {
    let name = |i: usize| if i == turned { " ?turned".to_owned() } else { format!(" ?b{i}") };
    (0..24).map(name).collect()
}

fn small_limits() -> Settings {
    let mut settings = Settings::default();
    settings.limits.seconds = 1.0;
    settings.limits.bytes = 40_000_000;
    settings
}

/// Compiles within one second and 40 MB, and checks that it took no longer.
fn compile(text: &str) -> Result<GdlGame, GdlError> {
    let clock = ThreadTime::now();
    let game = GdlGame::new(text, &small_limits());
    let seconds = clock.elapsed().as_secs_f64();
    // What is between two looks at the clock, and what is dropped, comes on top.
    assert!(seconds < 2.0, "{seconds:.1} s of 1 s: {game:?}");
    game
}

#[test]
fn explosive_sheets_end_with_the_rule_that_explodes() {
    for (text, relation, line) in
        [(bits(), "legal", 3), (cross(), "legal", 3), (endless_numbers(), "number", 3)]
    {
        let error = compile(&text).unwrap_err();
        assert!(error.is_too_large(), "{error}");
        assert_eq!(error.place(), Some((line, 1)), "{error}");
        assert!(error.to_string().contains(&format!("the rule of `{relation}`")), "{error}");
    }
}

#[test]
fn sheets_that_are_too_large_to_ground_are_played_within_limits() {
    let game = compile(&states()).unwrap();
    assert!(game.is_interpreted(), "{:?}", game.notice());
    let (mut state, mut rng, mut moves) = (game.start(), Rng::new(1), Vec::new());
    for _ in 0..30 {
        let Turn::Choose(_) = game.turn(&state) else { panic!("the match has ended") };
        moves.clear();
        game.actions(&state, sakiyomi_core::Player(0), &mut moves);
        assert_eq!(moves.len(), 24);
        game.apply(&mut state, &[moves[rng.below(24)]]);
        assert_eq!(Game::trouble(&game, &state), None);
    }
}

/// A term may be too long to be written long before it takes memory.
#[test]
fn a_match_whose_terms_double_ends_with_an_error() {
    let game = compile(&doubling()).unwrap();
    let start = game.start();
    let trouble = Game::trouble(&game, &start).unwrap();
    assert!(trouble.contains("the rule of `next` at line 3"), "{trouble}");
    assert!(matches!(game.turn(&start), Turn::Over(_)));
}

#[test]
fn joins_that_find_nothing_end_as_well() {
    let game = compile(&empty_cross());
    // The relation is needed for the first move, which is forced.
    let trouble = game.map(|game| Game::trouble(&game, &game.start()));
    let text = format!("{trouble:?}");
    assert!(text.contains("line 3"), "{text}");
}

#[test]
fn every_stage_can_be_stopped() {
    for text in [bits(), cross(), empty_cross(), states()] {
        for engine in [EngineChoice::Auto, EngineChoice::Network, EngineChoice::Interpreter] {
            let settings = Settings { engine, ..Settings::default() };
            let mut n_looks = 0;
            let mut twice = |_: &Progress| {
                n_looks += 1;
                n_looks <= 2
            };
            match GdlGame::watched(&text, &settings, None, &mut twice) {
                Err(error) => assert_eq!(error, GdlError::Stopped, "{engine:?}"),
                // An interpreter may be ready before it is looked at.
                Ok(_) => assert_eq!(engine, EngineChoice::Interpreter),
            }
            assert!(n_looks <= 3, "{n_looks}");
        }
    }
}

/// Thousands of relations in a row: what is worked out about all of them takes time in proportion.
#[test]
fn long_chains_of_relations_are_read() {
    let chain: String = (0..6_000).map(|i| format!("(<= r{} r{i})\n", i + 1)).collect();
    let text = game_of(&format!("r0\n{chain}(legal a wait)\n(<= (next over) r6000)"));
    let game = GdlGame::new(&text, &Settings::default()).unwrap();
    assert!(!game.is_interpreted());
}

/// What proofs make on the way is forgotten after every position.
#[test]
fn an_interpreter_does_not_grow_with_what_it_has_played() {
    let settings = Settings { engine: EngineChoice::Interpreter, ..Settings::default() };
    let game = GdlGame::new(super::sheets::LINES, &settings).unwrap();
    let play = |seed: u64| {
        let mut state = game.start();
        game.playout(&mut state, &mut Default::default(), &mut Rng::new(seed));
        game.interpreter_bytes().unwrap()
    };
    let first = (0..20).map(play).max().unwrap();
    let later = (20..60).map(play).max().unwrap();
    assert!(later <= first, "{first} and then {later} bytes");
}
