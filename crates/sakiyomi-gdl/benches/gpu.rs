//! Measures rule sheets on a graphics processor:
//! `cargo bench -p sakiyomi-gdl --features cuda --bench gpu -- 1 FILE..` plays random matches for
//! about that many seconds and prints one line per sheet. Words are options: `inlined=0`,
//! `part=2000` and `compiled=400000` are the limits of the source in operations, `cycles=4` how
//! often goals are computed, `blocks=2` the blocks of each processor. `same=200000` plays that many
//! matches on the device and in lanes, from the start and from states after it, and compares each;
//! `batch=100000` plays batches of that size through `Game::playouts`, once all is compiled.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::Path;
use std::time::Instant;

use sakiyomi_core::{Game, Rng, Scratch};
use sakiyomi_gdl::{GdlGame, GpuSettings, Settings, compare_gpu, gpu_info};

fn main() {
    let (mut settings, mut seconds, mut files) = (GpuSettings::default(), 1.0, Vec::new());
    let (mut n_same, mut n_batch) = (None, None);
    for argument in std::env::args().skip(1).filter(|argument| argument != "--bench") {
        let option = |name: &str| -> Option<usize> {
            argument.strip_prefix(name).and_then(|value| value.parse().ok())
        };
        if let Ok(number) = argument.parse() {
            seconds = number;
        } else if let Some(n) = option("inlined=") {
            settings.limits.inlined = n;
        } else if let Some(n) = option("part=") {
            settings.limits.part = n;
        } else if let Some(n) = option("compiled=") {
            settings.limits.compiled = n;
        } else if let Some(n) = option("cycles=") {
            settings.cycles = Some(n as u32);
        } else if let Some(n) = option("blocks=") {
            settings.blocks = Some(n as u32);
        } else if let Some(n) = option("same=") {
            n_same = Some(n);
        } else if let Some(n) = option("batch=") {
            n_batch = Some(n);
        } else {
            files.push(argument);
        }
    }
    for file in files {
        let name = Path::new(&file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = match std::fs::read(&file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                eprintln!("{name}: {error}");
                continue;
            }
        };
        match GdlGame::new(&text, &Settings::default()) {
            Ok(game) => measure(&name, &game, seconds, &settings, n_same, n_batch),
            Err(error) => println!("{name:<24} {error}"),
        }
    }
}

fn measure(
    name: &str,
    game: &GdlGame,
    seconds: f64,
    settings: &GpuSettings,
    n_same: Option<usize>,
    n_batch: Option<usize>,
) {
    let refused = |refusal| println!("{name:<24} {refusal}");
    if let Some(n) = n_same {
        match compare_gpu(game, n, settings) {
            Ok(n_wrong) => println!("{name:<24} {n} matches, {n_wrong} wrong"),
            Err(refusal) => refused(refusal),
        }
    } else if let Some(n) = n_batch {
        let (start, mut rng) = ([game.start()], Rng::new(1));
        let (starts, mut out) = (vec![0; n], Vec::new());
        let mut once = || {
            let clock = Instant::now();
            out.clear();
            game.playouts(&start, &starts, &mut Scratch::default(), &mut rng, &mut out);
            n as f64 / clock.elapsed().as_secs_f64()
        };
        let first = once();
        if let Err(refusal) = game.prepare_gpu() {
            return refused(refusal);
        }
        once();
        println!(
            "{name:<24} batches of {n}: {first:.0} a second in lanes, {:.0} on the GPU",
            once()
        );
    } else {
        match gpu_info(game, seconds, 1, settings) {
            Ok(gpu) => println!(
                "{name:<24} {:>15.0} playouts/s {:>9.4} plies, goals {:.3?} ± {:.3?}, {:?}, \
                 {} at once, ready {:.2} s, {} registers, {} bytes of local memory",
                gpu.playouts_per_second,
                gpu.mean_plies,
                gpu.mean_goals,
                gpu.mean_goal_errors,
                gpu.form,
                gpu.lanes,
                gpu.ready_seconds,
                gpu.registers,
                gpu.local_bytes,
            ),
            Err(refusal) => refused(refusal),
        }
    }
}
