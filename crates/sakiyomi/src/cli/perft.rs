//! `sakiyomi perft`.

use std::io::Write;
use std::time::Instant;

use clap::Args;
use sakiyomi_catalog::GameSpec;
use sakiyomi_eval::perft_of;
use serde_json::json;

/// Count the action sequences of each length, to compare rules with published numbers
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  sakiyomi perft othello --depth 8")]
pub(super) struct Options {
    /// The game, such as connect-four or breakthrough:6x6
    game: GameSpec,
    /// The longest sequences to count
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    depth: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut counts = Vec::new();
    for depth in 1..=options.depth {
        let start = Instant::now();
        let sequences = perft_of(&options.game, depth)?;
        let seconds = start.elapsed().as_secs_f64();
        if !options.json {
            writeln!(out, "{depth:>3} {sequences:>16} {seconds:>9.3} s")?;
            out.flush()?;
        }
        counts.push(json!({ "depth": depth, "sequences": sequences, "seconds": seconds }));
    }
    if options.json {
        super::print_json(&json!({ "game": options.game.to_string(), "counts": counts }), out)?;
    }
    Ok(())
}
