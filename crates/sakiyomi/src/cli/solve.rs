//! `sakiyomi solve`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use sakiyomi_catalog::GameSpec;
use sakiyomi_eval::{Solve, SolveReport, run_solve};

use super::{SPINNER, memory, print_json, progress_bar, stop_on_interrupt, text_table};

/// Solve a game of two exactly, by backward induction with one matrix game per state
#[derive(Debug, Args)]
#[command(
    after_help = "Hagetaka and Goofspiel are what it is made for, but any small game of two \
whose payoffs add up to 1 can be solved.

Examples:
  sakiyomi solve goofspiel:n=4,order=descending --check
  sakiyomi solve hagetaka:n=7 --save hagetaka-7.solution
  sakiyomi duel hagetaka:n=7 exact:file=hagetaka-7.solution rm:iterations=10000"
)]
pub(super) struct Options {
    /// The game, such as hagetaka:n=6 or goofspiel:n=5,order=descending
    game: GameSpec,
    /// The most memory; a solution that would take more is given up
    #[arg(long, default_value = "8GiB", value_parser = memory)]
    memory: u64,
    /// Keep the solution in this file, for the agent `exact:file=..`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Measure the NashConv of the solution
    #[arg(long)]
    check: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let solve = Solve {
        game: options.game.clone(),
        memory: options.memory,
        save: options.save.clone(),
        check: options.check,
    };
    let stop = stop_on_interrupt();
    let bar = progress_bar(options.quiet, SPINNER);
    bar.set_prefix(format!("at most {} MiB", options.memory >> 20));
    let report = run_solve(&solve, &stop, &mut |states, bytes| {
        bar.set_message(format!("{states} states, {} MiB", bytes >> 20));
    })?;
    bar.finish_and_clear();
    match options.json {
        true => print_json(&report, out),
        false => print_report(&report, out),
    }
}

fn print_report(report: &SolveReport, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "{}: value {:.9}\n", report.game, report.values[0])?;
    let mut table = text_table(&["first card", "value", "first player", "second player"]);
    for opening in &report.openings {
        let mut cells =
            vec![opening.outcome.clone().unwrap_or_default(), format!("{:.6}", opening.value)];
        for strategy in &opening.strategies {
            let played = strategy.iter().filter(|(_, share)| *share > 0.0);
            let texts: Vec<String> =
                played.map(|(action, share)| format!("{action} {:.1} %", share * 100.0)).collect();
            cells.push(texts.join(", "));
        }
        table.add_row(cells);
    }
    writeln!(out, "{table}\n")?;
    let (states, mib, seconds) = (report.states, report.bytes >> 20, report.cpu_seconds);
    writeln!(out, "{states} states, at most {mib} MiB, {seconds:.2} s of CPU time")?;
    if let Some(nash_conv) = report.nash_conv {
        writeln!(out, "NashConv of the solution: {nash_conv:.2e}")?;
    }
    Ok(())
}
