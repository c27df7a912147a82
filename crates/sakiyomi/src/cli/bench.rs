//! `sakiyomi bench`.

use std::io::Write;

use clap::Args;
use sakiyomi::bench::{Growth, Speed, measure_growth, measure_speed};
use sakiyomi::numbers::thousands;
use sakiyomi_catalog::{AgentSpec, GameSpec, open_table};
use sakiyomi_core::Player;
use sakiyomi_eval::signature::{signature, signature_table};
use sakiyomi_search::MctsSettings;
use serde::Serialize;
use serde_json::json;

use super::{BadInput, print_json, text_table};

/// Measure playouts and searches per second of CPU time, on one thread
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sakiyomi bench
  sakiyomi bench connect-four othello --simulations 100000 --json
  sakiyomi bench breakthrough --growth
  sakiyomi bench --signature")]
pub(super) struct Options {
    /// Games to measure; if none is named, all on which the search can play
    games: Vec<GameSpec>,
    /// Simulations of one search, each from nothing
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    simulations: u64,
    /// CPU seconds per measurement, at least
    #[arg(long, default_value_t = 1.0, value_parser = super::positive)]
    seconds: f64,
    /// The search to measure: uct, rm or another one, with any of its parameters but budgets
    #[arg(long, default_value = "uct")]
    agent: AgentSpec,
    /// Measure time per iteration and memory as a tree grows
    #[arg(long)]
    growth: bool,
    /// Print one number that changes when any behaviour does
    #[arg(long, conflicts_with_all = ["games", "growth"])]
    signature: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const GROWTH_ITERATIONS: [u64; 3] = [10_000, 100_000, 1_000_000];

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    if options.signature {
        let signature = format!("{:016x}", signature(&signature_table()?));
        return match options.json {
            true => print_json(&json!({ "signature": signature }), out),
            false => Ok(writeln!(out, "{signature}")?),
        };
    }
    let Some(&settings) = options.agent.tree_search() else {
        let message = format!("`{}` is no tree search; expected uct:.. or rm:..", options.agent);
        return Err(BadInput(message).into());
    };
    let (games, left_out) = options.games()?;
    if options.growth {
        return growth(&games, &left_out, settings, options.json, out);
    }
    let mut speeds = Vec::new();
    for game in &games {
        speeds.push(measure_speed(game, settings, options.simulations, options.seconds)?);
    }
    match options.json {
        true => print_json(&json!({ "games": speeds, "left_out": left_out }), out),
        false => {
            print_speeds(&speeds, out)?;
            print_left_out(&left_out, out)
        }
    }
}

/// A game on which the search cannot play.
#[derive(Debug, Serialize)]
struct LeftOut {
    game: String,
    reason: String,
}

impl Options {
    /// The games to measure. A game that was named must be one on which the search can play; of all
    /// games those on which it cannot are left out.
    fn games(&self) -> anyhow::Result<(Vec<GameSpec>, Vec<LeftOut>)> {
        let try_out = |game: &GameSpec| open_table(game, 0)?.seat(Player(0), &self.agent);
        if !self.games.is_empty() {
            self.games.iter().try_for_each(try_out)?;
            return Ok((self.games.clone(), Vec::new()));
        }
        let (mut games, mut left_out) = (Vec::new(), Vec::new());
        for entry in GameSpec::entries() {
            let game = entry.name.parse()?;
            match try_out(&game) {
                Ok(()) => games.push(game),
                Err(error) => left_out
                    .push(LeftOut { game: entry.name.to_owned(), reason: error.to_string() }),
            }
        }
        match games.as_slice() {
            [] => Err(BadInput(format!("`{}` can play no game", self.agent)).into()),
            _ => Ok((games, left_out)),
        }
    }
}

fn print_left_out(left_out: &[LeftOut], out: &mut dyn Write) -> anyhow::Result<()> {
    for LeftOut { game, reason } in left_out {
        writeln!(out, "{game} is left out: {reason}")?;
    }
    Ok(())
}

fn print_speeds(speeds: &[Speed], out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = text_table(&[
        "game",
        "playouts / CPU s",
        "turns each",
        "simulations / CPU s",
        "bytes / node",
        "bytes / arm",
    ]);
    for speed in speeds {
        table.add_row([
            speed.game.clone(),
            thousands(speed.playouts_per_cpu_second),
            format!("{:.1}", speed.turns_per_playout),
            thousands(speed.simulations_per_cpu_second),
            format!("{:.0}", speed.bytes_per_node),
            speed.bytes_per_arm.to_string(),
        ]);
    }
    Ok(writeln!(out, "{table}")?)
}

fn growth(
    games: &[GameSpec],
    left_out: &[LeftOut],
    settings: MctsSettings,
    as_json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut table =
        text_table(&["game", "iterations", "ns / iteration", "nodes", "MiB", "bytes / node"]);
    let mut all = Vec::new();
    for game in games {
        let steps = measure_growth(game, settings, &GROWTH_ITERATIONS)?;
        for Growth { iterations, nanoseconds_per_iteration, nodes, bytes } in &steps {
            table.add_row([
                game.to_string(),
                thousands(*iterations as f64),
                format!("{nanoseconds_per_iteration:.0}"),
                thousands(*nodes as f64),
                format!("{:.1}", *bytes as f64 / f64::from(1 << 20)),
                format!("{:.0}", *bytes as f64 / *nodes as f64),
            ]);
        }
        all.push(json!({ "game": game.to_string(), "growth": steps }));
    }
    match as_json {
        true => print_json(&json!({ "games": all, "left_out": left_out }), out),
        false => {
            writeln!(out, "{table}")?;
            print_left_out(left_out, out)
        }
    }
}
