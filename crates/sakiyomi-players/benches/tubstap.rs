//! Prints how many playouts of TUBSTAP are done in a second of processor time on one thread, for each
//! map file that is named: the best of several repetitions, as other programs may run on the machine.
//! `cargo bench -p sakiyomi-players --bench tubstap -- MAP.tbsmap ..`

#![allow(clippy::print_stdout)]

use std::path::Path;
use std::{env, fs};

use cpu_time::ThreadTime;
use sakiyomi_core::{Agent, Context, Game, Rng, Scratch, Stop};
use sakiyomi_games::tubstap::{
    AttackFirst, Large, Medium, Settings, SizeClass, Small, Tubstap, read_map,
};
use sakiyomi_players::tubstap::{MUct, MUctSettings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let named = env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let mut paths: Vec<_> = named.map(Into::into).collect();
    if paths.is_empty() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/tubstap");
        paths = fs::read_dir(own)?
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<Vec<_>>>()?;
        paths.sort();
    }
    for path in paths {
        let (map, _) = read_map(&fs::read(&path)?)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match SizeClass::of(&map) {
            SizeClass::Small => measure(&name, &Small::new(&map, Settings::default())?),
            SizeClass::Medium => measure(&name, &Medium::new(&map, Settings::default())?),
            SizeClass::Large => measure(&name, &Large::new(&map, Settings::default())?),
        }
    }
    Ok(())
}

fn measure<const W: usize, const N: usize>(name: &str, game: &Tubstap<W, N>) {
    let (mut rng, mut scratch) = (Rng::new(1), Scratch::default());
    let uniform = best(|| {
        game.playout(&mut game.start(), &mut scratch, &mut rng);
    });
    let attack_first = best(|| {
        game.attack_first_playout(&mut game.start(), AttackFirst::M_UCT, &mut rng);
    });
    let stop = Stop::new();
    let mut player = MUct::new(MUctSettings::STOCK);
    let first = game.start().to_move().expect("a side moves first");
    let decision = (0..10)
        .map(|_| {
            let begin = ThreadTime::now();
            let mut context = Context { rng: &mut rng, stop: &stop };
            player.choose(game, &game.start(), first, &mut context).expect("it decides");
            1_000.0 * begin.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    println!(
        "{name:16} uniform {uniform:9.0}/s   attack-first {attack_first:9.0}/s   \
         M-UCT decision {decision:6.2} ms"
    );
}

/// Calls in a second of processor time.
fn best(mut call: impl FnMut()) -> f64 {
    const N_CALLS: u32 = 2_000;
    let mut best = 0.0f64;
    for _ in 0..20 {
        let begin = ThreadTime::now();
        (0..N_CALLS).for_each(|_| call());
        best = best.max(f64::from(N_CALLS) / begin.elapsed().as_secs_f64());
    }
    best
}
