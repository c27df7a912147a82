//! Prints how many random playouts from the start each game does in a second of processor time, on
//! one thread: the best of several repetitions, as other programs may run on the machine.

#![allow(clippy::print_stdout)]

use cpu_time::ProcessTime;
use sakiyomi_core::{Game, Player, Rng, Scratch};
use sakiyomi_games::{Breakthrough, ConnectFour, Othello, TicTacToe};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    measure("tic-tac-toe", &TicTacToe);
    measure("connect four 7x6", &ConnectFour::default());
    measure("connect four 8x7", &ConnectFour::<u64>::new(8, 7)?);
    measure("connect four 9x8", &ConnectFour::<u128>::new(9, 8)?);
    measure("breakthrough 8x8", &Breakthrough::default());
    measure("breakthrough 6x6", &Breakthrough::<u64>::new(6, 6)?);
    measure("breakthrough 10x10", &Breakthrough::<u128>::new(10, 10)?);
    measure("othello", &Othello);
    Ok(())
}

fn measure<G: Game>(name: &str, game: &G) {
    const N_PLAYOUTS: u32 = 30_000;
    let (mut rng, mut scratch) = (Rng::new(1), Scratch::default());
    let (mut best, mut wins) = (0.0f64, 0.0);
    for _ in 0..30 {
        let begin = ProcessTime::now();
        for _ in 0..N_PLAYOUTS {
            wins += game.playout(&mut game.start(), &mut scratch, &mut rng)[Player(0)];
        }
        best = best.max(f64::from(N_PLAYOUTS) / begin.elapsed().as_secs_f64());
    }
    let mean = wins / 30.0 / f64::from(N_PLAYOUTS);
    println!("{name:20} {best:11.0} playouts/s, first player gets {mean:.4}");
}
