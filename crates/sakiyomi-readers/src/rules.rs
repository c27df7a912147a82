//! Rule sheets, piece files and the messages of general game playing.

use sakiyomi::core::{Game, Rng, Scratch};
use sakiyomi::gdl::protocol::{Request, read_move, read_status, rules_text};
use sakiyomi::gdl::{EngineChoice, GdlGame, Limits, Settings, Sheet, Stepper, check, verify};

/// What a sheet of an example may take here: enough for those of the project that are small.
const LIMITS: Limits = Limits { seconds: 0.1, bytes: 8_000_000 };
const MAX_PLIES: u32 = 6;
/// Enough for lanes to be used.
const N_MATCHES: usize = 40;

/// Compiles a sheet within small limits. Random matches in lanes must end as on the network, and the
/// first legal moves, played on the network and by interpretation, must lead to the same positions.
pub(crate) fn rule_sheet(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(sheet) = Sheet::parse(&text) else { return };
    let _ = check(&sheet);
    let open = |engine| {
        let settings = Settings { limits: LIMITS, engine, max_plies: 50 };
        GdlGame::new(&text, &settings).ok()
    };
    let Some(network) = open(EngineChoice::Network) else { return };
    let _ = verify(&network, "{}", Some(1));
    play_in_lanes(&network);
    let Some(interpreted) = open(EngineChoice::Interpreter) else { return };
    let (mut fast, mut slow) = (network.stepper(), interpreted.stepper());
    for _ in 0..MAX_PLIES {
        let known = facts(&network, &fast);
        if facts(&interpreted, &slow) != known {
            // A sheet whose proofs are too deep is refused while it is played.
            assert!(interpreted.trouble().is_some(), "network and interpreter differ");
            return;
        }
        let joint: Vec<String> = known.legal.iter().filter_map(|l| l.first().cloned()).collect();
        if known.is_terminal || joint.len() < network.roles().len() {
            return;
        }
        // Texts that differ only in case may be found as each other's.
        if fast.step_texts(&joint).is_err() || slow.step_texts(&joint).is_err() {
            return;
        }
    }
}

fn play_in_lanes(game: &GdlGame) {
    let (start, mut scratch) = (game.start(), Scratch::default());
    game.prepare_playouts();
    let mut many = Vec::new();
    let states = std::slice::from_ref(&start);
    game.playouts(states, &[0; N_MATCHES], &mut scratch, &mut Rng::new(1), &mut many);
    let mut rng = Rng::new(1);
    let single = (0..N_MATCHES).map(|_| game.playout(&mut start.clone(), &mut scratch, &mut rng));
    assert!(single.eq(many), "lanes and network differ");
}

#[derive(PartialEq, Debug)]
struct Facts {
    facts: Vec<String>,
    is_terminal: bool,
    goals: Vec<Option<u8>>,
    /// Per role.
    legal: Vec<Vec<String>>,
}

fn facts(game: &GdlGame, stepper: &Stepper) -> Facts {
    let texts = |role: usize| {
        let moves = stepper.legal(role).into_iter();
        let mut texts: Vec<String> = moves.map(|action| game.move_text(action)).collect();
        texts.sort_unstable();
        texts
    };
    Facts {
        facts: stepper.facts(),
        is_terminal: stepper.is_terminal(),
        goals: stepper.goals(),
        legal: (0..game.roles().len()).map(texts).collect(),
    }
}

const BOARD: &str = "(role x) (role o) (init (control x)) (init (cell 1 1 b)) (init (cell 1 2 x))
    (init (cell 2 1 o)) (init (cell 2 2 b)) (<= (legal ?p (mark ?x ?y)) (true (control ?p))
    (true (cell ?x ?y b))) (<= (legal x noop) (true (control o))) (<= (legal o noop)
    (true (control x))) (<= (next (cell ?x ?y ?p)) (does ?p (mark ?x ?y))) (goal x 50) (goal o 50)
    (<= (next (control o)) (true (control x))) (<= terminal (true (control o)))";

/// How the pieces of a small board are drawn.
pub(crate) fn piece_file(bytes: &[u8]) {
    let picture = String::from_utf8_lossy(bytes);
    let settings = Settings { limits: LIMITS, ..Settings::default() };
    let Ok(game) = GdlGame::with_picture(BOARD, &settings, Some(&picture)) else { return };
    let state = game.start();
    let _ = sakiyomi::core::Show::view(&game, &state);
}

/// What a host asks and what a player answers; what is understood is written and read again.
pub(crate) fn message(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(request) = Request::parse(&text) {
        let again = Request::parse(&request.to_string());
        assert_eq!(again, Ok(request));
    }
    let _ = (read_status(&text), read_move(&text), rules_text(&text));
}
