//! `sakiyomi solve`.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::HumanDuration;
use sakiyomi_catalog::GameSpec;
use sakiyomi_eval::{Ahead, Solve, SolveProgress, SolveReport, run_solve};

use super::{SPINNER, cores, memory, print_json, progress_bar, stop_on_interrupt, text_table};

/// Solve a game of two exactly, by backward induction with one matrix game per state
#[derive(Debug, Args)]
#[command(
    after_help = "Hagetaka and Goofspiel are what it is made for, but any small game of two \
whose payoffs add up to 1 can be solved. Those two are solved layer by layer, by the rounds that are \
left, on all threads; what that takes is known before it begins. With --layers the solved layers are \
kept, and the same command goes on after the last of them.

Examples:
  sakiyomi solve goofspiel:n=4,order=descending --check
  sakiyomi solve hagetaka:n=7 --save hagetaka-7.solution
  sakiyomi solve goofspiel:n=10 --layers goofspiel-10
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
    /// Threads; the number of cores if not given. The result is the same on any number
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Keep solved layers of hagetaka or goofspiel in this folder, and go on after those that are there
    #[arg(long, value_name = "FOLDER")]
    layers: Option<PathBuf>,
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
        threads: options.threads.map_or_else(cores, usize::from),
        layers: options.layers.clone(),
    };
    let stop = stop_on_interrupt();
    let bar = progress_bar(options.quiet, SPINNER);
    bar.set_prefix(format!("at most {} MiB", options.memory >> 20));
    let begin = Instant::now();
    let report = run_solve(&solve, &stop, &mut |at| {
        bar.set_message(match at.ahead {
            None => format!("{} states, {} MiB", at.states, at.bytes >> 20),
            Some(ahead) => layers_text(&at, &ahead, begin.elapsed()),
        });
    })?;
    bar.finish_and_clear();
    match options.json {
        true => print_json(&report, out),
        false => print_report(&report, out),
    }
}

/// How far it is and how long it will take, as if all work took as long as what was done here.
fn layers_text(at: &SolveProgress, ahead: &Ahead, elapsed: Duration) -> String {
    let Ahead { states, rounds_left, layers, done, done_before } = *ahead;
    let seconds = elapsed.as_secs_f64() * (1.0 - done) / (done - done_before).max(1e-9);
    let left = match done > done_before {
        true => HumanDuration(Duration::from_secs_f64(seconds.min(1e9))).to_string(),
        false => "unknown time".to_owned(),
    };
    format!(
        "layer {rounds_left} of {layers}, {} of {states} states, {:.0} %, {left} left, {} MiB",
        at.states,
        100.0 * done,
        at.bytes >> 20
    )
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
    let wall = report.seconds;
    writeln!(out, "{states} states, at most {mib} MiB, {seconds:.2} s of CPU time, {wall:.2} s")?;
    if let Some(bound) = report.nash_conv_bound {
        writeln!(out, "NashConv is at most {bound:.2e}, by the gaps of all matrix games")?;
    }
    if let Some(nash_conv) = report.nash_conv {
        writeln!(out, "NashConv of the solution: {nash_conv:.2e}")?;
    }
    Ok(())
}
