//! Solves the openings of connect four, and prints them as `openings.txt` keeps them:
//! `cargo run --release -p sakiyomi-players --example openings > openings.txt`. With a part `2/4` it solves and prints
//! the second quarter alone.

use std::error::Error;
use std::io::{Write, stderr, stdout};
use std::time::Instant;

use sakiyomi_players::connect_four::{Solver, opening_layers};

fn main() -> Result<(), Box<dyn Error>> {
    let part = std::env::args().nth(1).unwrap_or_else(|| "1/1".to_owned());
    let (number, parts) = part.split_once('/').ok_or("expected a part such as 2/4")?;
    let (number, parts): (usize, usize) = (number.parse()?, parts.parse()?);
    // A table of 512 MiB: what is known of one opening helps with the next.
    let mut solver = Solver::of_openings(24);
    let layers = opening_layers(&solver);
    let last = layers.last().ok_or("no openings")?;
    let range = (number - 1) * last.len() / parts..number * last.len() / parts;
    let (begin, n) = (Instant::now(), range.len());
    let mut out = stdout();
    for (done, &stones) in last[range].iter().enumerate() {
        let sign = match solver.outcome(stones) {
            1 => '+',
            0 => '=',
            _ => '-',
        };
        write!(out, "{sign}")?;
        if (done + 1) % 64 == 0 || done + 1 == n {
            writeln!(out)?;
            let seconds = begin.elapsed().as_secs_f64();
            writeln!(stderr(), "{} of {n}, {seconds:.0} s", done + 1)?;
        }
    }
    Ok(())
}
