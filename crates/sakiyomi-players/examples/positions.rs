//! Solves positions of a class of connect four, and prints them as `crates/sakiyomi/positions.txt` keeps
//! them: `cargo run --release -p sakiyomi-players --example positions -- begin-hard 23 1`, with the seed at the end.

use std::error::Error;
use std::io::{Write, stdout};

use sakiyomi_players::connect_four::{Class, Judged, Solver, position_of_class};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [class, n, seed] = arguments.as_slice() else {
        return Err("expected a class, a number of positions and a seed".into());
    };
    let (class, seed): (Class, u64) = (class.parse()?, seed.parse()?);
    let (mut solver, mut out) = (Solver::new(7, 6), stdout());
    for i in 0..n.parse()? {
        let moves = position_of_class(class, i, seed, &mut solver);
        writeln!(out, "{class} {}", Judged::new(moves, &mut solver))?;
    }
    Ok(())
}
