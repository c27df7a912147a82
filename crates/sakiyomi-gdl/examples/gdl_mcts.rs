//! Measures UCT on rule sheets: `gdl_mcts SECONDS FILE..` prints simulations per CPU second from the
//! start position, and the CPU time of one decision of 500 simulations.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::Path;
use std::time::Duration;

use cpu_time::ThreadTime;
use sakiyomi_core::{Agent, Budget, Context, Game, Rng, Stop, Turn};
use sakiyomi_gdl::{GdlGame, Settings};
use sakiyomi_search::{Mcts, MctsSettings};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    for file in arguments {
        let name = Path::new(&file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let Ok(bytes) = std::fs::read(&file) else {
            eprintln!("{name}: cannot be read");
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        match GdlGame::new(&text, &Settings::default()) {
            Ok(game) => {
                let cpu = Some(Duration::from_secs_f64(seconds));
                let unlimited = Budget { iterations: None, cpu, ..Budget::iterations(0) };
                let (iterations, spent) = decide(&game, unlimited);
                let (_, decision) = decide(&game, Budget::iterations(500));
                println!(
                    "{name:<24} {:>10.0} simulations/s, 500 in {:.2} ms",
                    iterations as f64 / spent,
                    decision * 1000.0
                );
            }
            Err(error) => println!("{name:<24} {error}"),
        }
    }
}

/// The simulations and CPU seconds of the first decision of a match.
fn decide(game: &GdlGame, budget: Budget) -> (u64, f64) {
    let state = game.start();
    let Turn::Choose(who) = game.turn(&state) else { return (0, 1.0) };
    let Some(player) = who.into_iter().next() else { return (0, 1.0) };
    let mut agent = Mcts::new(MctsSettings::new(budget));
    let (mut rng, stop) = (Rng::new(1), Stop::new());
    let clock = ThreadTime::now();
    let mut context = Context { rng: &mut rng, stop: &stop };
    let iterations = match agent.choose(game, &state, player, &mut context) {
        Ok(choice) => choice.iterations,
        Err(_) => 0,
    };
    (iterations, clock.elapsed().as_secs_f64().max(1e-9))
}
