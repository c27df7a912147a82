//! `sakiyomi accuracy`.

use std::io::Write;

use clap::Args;
use sakiyomi::accuracy::{Accuracy, ClassErrors, accuracy};
use sakiyomi_catalog::AgentSpec;
use sakiyomi_players::connect_four::Class;
use serde_json::json;

use super::{cores, print_json, progress_bar, stop_on_interrupt, text_table};

/// Measure how often an agent keeps the value of positions of connect four
#[derive(Debug, Args)]
#[command(
    after_help = "Positions come from random moves, in six classes: by the stones on the board (begin up to \
14, middle up to 28, end), and by the moves that are left under perfect play (easy up to 13, medium up to 27, hard). A \
move is an error if perfect play after it ends worse than before it. Of begin-medium the first 200 positions of seed 1 \
come with the program, of begin-hard the first 23; others of these classes take seconds to solve.

Examples:
  sakiyomi accuracy uct:iterations=1000 --class end-easy --positions 100
  sakiyomi accuracy net:file=four.onnx,iterations=64 --threads 2 --json"
)]
pub(super) struct Options {
    /// The agent, such as net:file=four.onnx,iterations=64
    agent: AgentSpec,
    /// A class of positions, such as begin-hard, or several; all six if not given
    #[arg(long = "class", value_name = "CLASS")]
    classes: Vec<Class>,
    /// Positions of each class
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    positions: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Positions at the same time; the number of cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let classes =
        if options.classes.is_empty() { Class::ALL.to_vec() } else { options.classes.clone() };
    let settings = Accuracy {
        agent: options.agent.clone(),
        positions: options.positions,
        seed: options.seed,
        threads: options.threads.map_or_else(cores, usize::from),
        classes,
    };
    let stop = stop_on_interrupt();
    let bar = progress_bar(options.quiet, "{bar:30} {pos} of {len} positions, {eta} left");
    bar.set_length(settings.positions * settings.classes.len() as u64);
    let found = accuracy(&settings, &stop, &|done| bar.set_position(done))?;
    bar.finish_and_clear();
    let Some(found) = found else { return Ok(()) };
    if options.json {
        let agent = settings.agent.to_string();
        let all = json!({ "agent": agent, "seed": settings.seed, "classes": found });
        return print_json(&all, out);
    }
    let mut table = text_table(&["positions", "errors", "of", "share", "95 % interval"]);
    found.iter().for_each(|errors| table.add_row(row(errors)));
    if found.len() > 1 {
        let sum = |number: fn(&ClassErrors) -> u64| found.iter().map(number).sum();
        table.add_row(row(&ClassErrors {
            class: "all".to_owned(),
            positions: sum(|class| class.positions),
            errors: sum(|class| class.errors),
        }));
    }
    writeln!(out, "{table}")?;
    Ok(())
}

fn row(class: &ClassErrors) -> Vec<String> {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let interval = class.interval();
    vec![
        class.class.clone(),
        class.errors.to_string(),
        class.positions.to_string(),
        percent(class.errors as f64 / class.positions.max(1) as f64),
        format!("{} to {}", percent(interval.low), percent(interval.high)),
    ]
}
