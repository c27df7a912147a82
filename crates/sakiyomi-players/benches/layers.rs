//! Goofspiel solved by layers: `cargo bench -p sakiyomi-players --bench layers -- N
//! win-loss|point-difference THREADS`.

#![allow(clippy::print_stdout, reason = "a measurement prints what it measured")]

use std::time::Instant;

use cpu_time::ProcessTime;
use sakiyomi_core::Stop;
use sakiyomi_games::Hagetaka;
use sakiyomi_games::hagetaka::{Payoff, Settings};
use sakiyomi_players::layers::Layers;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let word = |i: usize, default: &str| words.get(i).map_or(default, String::as_str).to_owned();
    let n: usize = word(0, "7").parse().expect("a number of cards");
    let n_threads: usize = word(2, "1").parse().expect("a number of threads");
    let payoff = match word(1, "win-loss").as_str() {
        "win-loss" => Payoff::WinLoss,
        _ => Payoff::PointDifference,
    };
    let game = Hagetaka::new(Settings { payoff, ..Settings::goofspiel(n, 2) }).expect("a game");
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    let mut layers = Layers::plan(&game, 20 << 30, false, &Stop::new()).expect("enough memory");
    let plan = layers.planned().clone();
    println!(
        "{} states, {} MiB, {:.1} s to plan",
        plan.n_states(),
        plan.bytes >> 20,
        wall.elapsed().as_secs_f64()
    );
    while layers.next_layer().is_some() {
        layers.solve_next(n_threads, &Stop::new(), &mut |_| {}).expect("not stopped");
    }
    println!(
        "n={n} {payoff:?} {n_threads} threads: {:.2} s CPU, {:.2} s wall, value {:?}, NashConv at most {:.1e}",
        cpu.elapsed().as_secs_f64(),
        wall.elapsed().as_secs_f64(),
        layers.value(),
        layers.nash_conv_bound()
    );
    for (card, solution) in layers.openings() {
        let prize = card.map_or(0, |card| game.value_at(card.0));
        let shares: Vec<String> = solution.strategies[0]
            .iter()
            .filter(|(_, share)| *share > 0.0)
            .map(|(bid, share)| format!("{} {:.3} %", bid.0 + 1, 100.0 * share))
            .collect();
        println!("prize {prize}: {:.9} {}", solution.value, shares.join(", "));
    }
}
