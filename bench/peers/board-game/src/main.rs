//! Measures the `board-game` crate on connect four from the start position and prints the figures
//! in the shape of `sakiyomi bench --json`.

use std::env;
use std::f32::consts::SQRT_2;
use std::ops::Range;
use std::time::Duration;

use board_game::ai::mcts::mcts_build_tree;
use board_game::board::{Board, Outcome, Player};
use board_game::games::connect4::Connect4;
use cpu_time::ProcessTime;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Playouts between two looks at the clock.
const PLAYOUT_BATCH: u64 = 10_000;

/// How often the first player wins a uniformly random game, 0.5555 measured over millions of games.
/// A share outside of this range means that the loop does not play random connect four.
const FIRST_PLAYER_WINS: Range<f64> = 0.53..0.58;

fn main() {
    let options = Options::from_args();
    let mut rng = SmallRng::seed_from_u64(1);

    let simulations = simulations_per_second(&options, &mut rng);
    let playouts = playouts_per_second(&options, &mut rng, playout);
    let blind = playouts_per_second(&options, &mut rng, blind_playout);

    println!(
        r#"{{"games": [{{
            "game": "connect-four",
            "playouts_per_cpu_second": {playouts:.1},
            "blind_playouts_per_cpu_second": {blind:.1},
            "simulations_per_cpu_second": {simulations:.1},
            "simulations": {}
        }}]}}"#,
        options.simulations
    );
}

struct Options {
    simulations: u64,
    seconds: Duration,
}

impl Options {
    fn from_args() -> Self {
        let args: Vec<String> = env::args().skip(1).collect();
        let [simulations_flag, simulations, seconds_flag, seconds] = args.as_slice() else {
            usage()
        };
        if simulations_flag != "--simulations" || seconds_flag != "--seconds" {
            usage();
        }
        Options {
            simulations: simulations.parse().unwrap_or_else(|_| usage()),
            seconds: Duration::from_secs_f64(seconds.parse().unwrap_or_else(|_| usage())),
        }
    }
}

fn usage() -> ! {
    panic!("usage: board-game-peer --simulations N --seconds S")
}

fn simulations_per_second(options: &Options, rng: &mut SmallRng) -> f64 {
    units_per_cpu_second(options.seconds, || {
        let tree = mcts_build_tree(&Connect4::default(), options.simulations, SQRT_2, rng);
        assert_eq!(tree[0].visits, options.simulations as i64, "the search stopped early");
        options.simulations
    })
}

fn playouts_per_second(
    options: &Options,
    rng: &mut SmallRng,
    playout: impl Fn(&mut SmallRng) -> Outcome,
) -> f64 {
    let mut played = 0;
    let mut first_player_wins = 0;
    let rate = units_per_cpu_second(options.seconds, || {
        for _ in 0..PLAYOUT_BATCH {
            first_player_wins += u64::from(playout(rng) == Outcome::WonBy(Player::A));
        }
        played += PLAYOUT_BATCH;
        PLAYOUT_BATCH
    });

    let share = first_player_wins as f64 / played as f64;
    assert!(FIRST_PLAYER_WINS.contains(&share), "the first player won {share} of the playouts");
    rate
}

/// One random game by the crate's own helper: the loop of its MCTS, which is private there.
fn playout(rng: &mut SmallRng) -> Outcome {
    let mut board = Connect4::default();
    loop {
        board.play_random_available_move(rng).unwrap();
        if let Some(outcome) = board.outcome() {
            return outcome;
        }
    }
}

/// One random game that draws a column blindly and draws again when it is full.
///
/// This too is uniform over the legal moves. It is not how the crate plays out games, but it is
/// what a user who knows that the moves are 0..7 can get from the board, and much faster.
fn blind_playout(rng: &mut SmallRng) -> Outcome {
    let mut board = Connect4::default();
    loop {
        // An error means a full column and leaves the board as it was.
        let _ = board.play(rng.gen_range(0..Connect4::WIDTH));
        if let Some(outcome) = board.outcome() {
            return outcome;
        }
    }
}

/// Repeats `work`, which returns how many units it did, until `seconds` of CPU time are used.
fn units_per_cpu_second(seconds: Duration, mut work: impl FnMut() -> u64) -> f64 {
    let start = ProcessTime::now();
    let mut units = 0;
    loop {
        units += work();
        let elapsed = start.elapsed();
        if elapsed >= seconds {
            return units as f64 / elapsed.as_secs_f64();
        }
    }
}
