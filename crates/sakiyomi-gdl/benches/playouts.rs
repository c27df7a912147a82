//! Measures rule sheets: `cargo bench -p sakiyomi-gdl --bench playouts -- 0.5 FILE..` compiles each
//! sheet, plays random playouts for that many seconds of CPU time, first one at a time and then in
//! lanes, and prints one line per sheet.
//! Words are options: `interpreter` or `network` picks the engine, `limit=5` the seconds that
//! grounding may take. `plies=20` steps through that many plies of one random match instead, and
//! prints how long a ply takes. `games=100` plays that many playouts and prints a digest of how
//! they end, which must be the same before and after a change of the engine. `same=100` plays that
//! many in lanes and one at a time and compares their payoffs; `cut=50` ends matches at that ply.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use cpu_time::ThreadTime;
use sakiyomi_core::{Game, Rng, Scratch};
use sakiyomi_gdl::{EngineChoice, GdlGame, Settings, lane_info, size};

fn main() {
    let mut settings = Settings::default();
    let mut seconds = 1.0;
    let mut files = Vec::new();
    let (mut max_plies, mut n_games, mut n_same) = (None, None, None);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            // Cargo adds this to what every bench is told.
            "--bench" => {}
            "interpreter" => settings.engine = EngineChoice::Interpreter,
            "network" => settings.engine = EngineChoice::Network,
            text => {
                let option = |name: &str| text.strip_prefix(name).and_then(|v| v.parse().ok());
                if let Ok(number) = text.parse() {
                    seconds = number;
                } else if let Some(limit) = option("limit=") {
                    settings.limits.seconds = limit;
                } else if let Some(cut) = option("cut=") {
                    settings.max_plies = cut as u32;
                } else if text.contains('=') {
                    max_plies = max_plies.or(option("plies="));
                    n_games = n_games.or(option("games="));
                    n_same = n_same.or(option("same="));
                } else {
                    files.push(argument);
                }
            }
        }
    }
    if n_games.is_none() && n_same.is_none() {
        println!(
            "{:<26} {:>7} {:>8} {:>8} {:>11} {:>11} {:>7} {:>6} {:>6} {:>7} {:>9} {:>12} {:>7}",
            "sheet",
            "ready s",
            "gates",
            "edges",
            "playouts/s",
            "plies/s",
            "plies",
            "MB",
            "peak",
            "lanes s",
            "inputs",
            "in lanes/s",
            "ratio"
        );
    }
    for file in files {
        let name = Path::new(&file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match std::fs::read(&file) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                match (max_plies, n_games, n_same) {
                    (Some(max), ..) => step_through(&name, &text, &settings, max),
                    (_, Some(n), _) => digest(&name, &text, &settings, n),
                    (.., Some(n)) => compare(&name, &text, &settings, n as usize),
                    _ => measure(&name, &text, &settings, seconds),
                }
            }
            Err(error) => eprintln!("{name}: {error}"),
        }
    }
}

fn measure(name: &str, text: &str, settings: &Settings, seconds: f64) {
    // Linux keeps the peak of the resident memory until it is told to begin again.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = resident("VmRSS:").unwrap_or(0.0);
    let clock = ThreadTime::now();
    let game = match GdlGame::new(text, settings) {
        Ok(game) => game,
        Err(error) => return println!("{name:<36} {error}"),
    };
    let start = game.start();
    let ready = clock.elapsed().as_secs_f64();
    let memory = |field| resident(field).map_or("-".to_owned(), |mb| format!("{:.0}", mb - before));
    let (now, peak) = (memory("VmRSS:"), memory("VmHWM:"));
    let size = size(&game);
    let gates = size.map_or("rules".to_owned(), |size| size.gates.to_string());
    let edges = size.map_or("-".to_owned(), |size| size.live_edges.to_string());
    let (mut rng, mut scratch, mut state) = (Rng::new(1), Scratch::default(), start.clone());
    let (mut n_playouts, mut n_plies, mut spent, mut batch) = (0, 0, 0.0, 1);
    let clock = ThreadTime::now();
    while spent < seconds {
        for _ in 0..batch {
            state.clone_from(&start);
            game.playout(&mut state, &mut scratch, &mut rng);
            n_plies += u64::from(state.plies());
        }
        n_playouts += batch;
        spent = clock.elapsed().as_secs_f64().max(1e-9);
        // Reading the clock must not matter, and a batch must not overrun the time by much.
        batch = ((n_playouts as f64 / spent * seconds / 50.0) as u64).clamp(1, 10_000);
    }
    let playouts = n_playouts as f64;
    print!(
        "{name:<26} {ready:>7.3} {gates:>8} {edges:>8} {:>11.1} {:>11.0} {:>7.1} {now:>6} {peak:>6}",
        playouts / spent,
        n_plies as f64 / spent,
        n_plies as f64 / playouts,
    );
    match lane_info(&game, seconds, 1) {
        Ok(lanes) => println!(
            " {:>7.3} {:>9} {:>12.0} {:>7.1}",
            lanes.ready_seconds,
            lanes.inputs,
            lanes.playouts_per_cpu_second,
            lanes.playouts_per_cpu_second * spent / playouts
        ),
        Err(refusal) => println!(" {refusal}"),
    }
}

/// Plays a number of playouts and prints how they end, in short.
fn digest(name: &str, text: &str, settings: &Settings, n_games: f64) {
    let game = match GdlGame::new(text, settings) {
        Ok(game) => game,
        Err(error) => return println!("{name:<36} {error}"),
    };
    let start = game.start();
    let (mut rng, mut scratch, mut state) = (Rng::new(1), Scratch::default(), start.clone());
    let (mut n_plies, mut hash) = (0, DefaultHasher::new());
    for _ in 0..n_games as u64 {
        state.clone_from(&start);
        let payoffs = game.playout(&mut state, &mut scratch, &mut rng);
        n_plies += u64::from(state.plies());
        payoffs.as_slice(game.players()).iter().for_each(|payoff| payoff.to_bits().hash(&mut hash));
        state.hash(&mut hash);
    }
    println!("{name:<36} {n_plies:>9} plies {:016x}", hash.finish());
}

/// Plays the same playouts in lanes and one at a time.
fn compare(name: &str, text: &str, settings: &Settings, n: usize) {
    let game = match GdlGame::new(text, settings) {
        Ok(game) => game,
        Err(error) => return println!("{name:<36} {error}"),
    };
    if let Err(refusal) = lane_info(&game, 0.0, 1) {
        return println!("{name:<36} {refusal}");
    }
    let (start, mut rngs, mut scratch) =
        (game.start(), [Rng::new(1), Rng::new(1)], Scratch::default());
    let mut many = Vec::new();
    // Fewer would be played one at a time.
    let starts = vec![0; n.max(64)];
    game.playouts(std::slice::from_ref(&start), &starts, &mut scratch, &mut rngs[0], &mut many);
    let (mut state, mut n_wrong, mut n_plies) = (start.clone(), 0, 0);
    for in_lanes in &many {
        state.clone_from(&start);
        n_wrong += u64::from(game.playout(&mut state, &mut scratch, &mut rngs[1]) != *in_lanes);
        n_plies += u64::from(state.plies());
    }
    println!("{name:<36} {} matches of {n_plies} plies, {n_wrong} wrong", many.len());
}

/// Plays a random match ply by ply, for sheets that are too slow for whole playouts.
fn step_through(name: &str, text: &str, settings: &Settings, max_plies: f64) {
    let clock = ThreadTime::now();
    let game = match GdlGame::new(text, settings) {
        Ok(game) => game,
        Err(error) => return println!("{name:<36} {error}"),
    };
    let mut stepper = game.stepper();
    let ready = clock.elapsed().as_secs_f64();
    let (mut rng, mut slowest, mut total) = (Rng::new(1), 0.0_f64, 0.0);
    while !stepper.is_terminal() && f64::from(stepper.plies()) < max_plies {
        let legal: Vec<_> = (0..game.roles().len()).map(|role| stepper.legal(role)).collect();
        if legal.iter().any(Vec::is_empty) {
            break;
        }
        let joint: Vec<_> = legal.iter().map(|moves| moves[rng.below(moves.len())]).collect();
        let clock = ThreadTime::now();
        if let Err(error) = stepper.step(&joint) {
            return println!("{name:<36} {error}");
        }
        let spent = clock.elapsed().as_secs_f64();
        (slowest, total) = (slowest.max(spent), total + spent);
    }
    let n = stepper.plies();
    println!(
        "{name:<36} ready {ready:.3} s, {n} plies of {:.1} ms, the slowest {:.1} ms",
        total / f64::from(n.max(1)) * 1e3,
        slowest * 1e3
    );
}

/// A number of `/proc/self/status` in MB, where there is such a file.
fn resident(field: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1000.0)
}
