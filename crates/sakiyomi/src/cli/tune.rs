//! `sakiyomi tune`.

use std::io::Write;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sakiyomi::numbers::score_text;
use sakiyomi_catalog::{AgentSpec, GameSpec};
use sakiyomi_core::stats::Tally;
use sakiyomi_eval::{Dimension, Method, Openings, TuneReport, Tuning, run_tuning};

use super::duel::{parse_sprt, sprt_text, tally_text};
use super::{cores, print_json, progress_bar, stop_on_interrupt, text_table, warn};

/// Choose numbers of an agent by matches, and test them on seeds and games that were not used
#[derive(Debug, Args)]
#[command(
    after_help = "Up to three parameters are chosen by a Gaussian process over the score against the agent as it \
is, more by SPSA. Without bounds a parameter is looked for between an eighth and eight times its value.
In the end what was chosen plays the agent as it was, with other seeds and on the games of --test-on, until an \
SPRT decides.
Ctrl-C reports what is complete; with --store, the same command goes on from there.

Examples:
  sakiyomi tune uct:iterations=200 --parameter c --on connect-four --steps 20 --games 100
  sakiyomi tune uct:iterations=200 --parameter c=0.1:2 expand=1:10 --on othello hex:7x7 --test-on breakthrough:6x6
  sakiyomi tune ggp-best:cpu=5ms --parameter c=0.1:2 --on gdl:sheet=hex --store tuning.sqlite --json"
)]
pub(super) struct Options {
    /// The agent, such as uct:iterations=200
    agent: AgentSpec,
    /// What to tune: numbers that `sakiyomi agents NAME` lists, with bounds if wished
    #[arg(long = "parameter", value_name = "NAME[=LOW:HIGH]", required = true, num_args = 1..)]
    parameters: Vec<String>,
    /// The games; the mean of their scores counts
    #[arg(long, value_name = "GAME", required = true, num_args = 1..)]
    on: Vec<GameSpec>,
    /// Games of the final test; those of --on, with other seeds, if not given
    #[arg(long, value_name = "GAME", num_args = 1..)]
    test_on: Vec<GameSpec>,
    /// How to choose; by the number of parameters if not given
    #[arg(long)]
    method: Option<MethodName>,
    /// Places that are looked at
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    steps: u32,
    /// Games of a step, on each game; rounded up so that both agents take every seat equally often
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// Games of the final test, on each game, at most
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    test_games: u64,
    /// The hypotheses of the final test in Elo: no stronger, and stronger
    #[arg(long, default_value = "0,30", value_name = "ELO0,ELO1[,ALPHA,BETA]")]
    sprt: String,
    /// Begin games with one of N random openings instead of at the start; each is played from both seats
    #[arg(long, value_name = "N")]
    openings: Option<NonZeroU64>,
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..1 << 62))]
    seed: u64,
    /// Games played at the same time; the number of cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Keep the results in this file, and play only what it lacks
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MethodName {
    /// Simultaneous perturbation, for many parameters
    Spsa,
    /// A Gaussian process, for few
    Surface,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    for game in options.on.iter().chain(&options.test_on) {
        game.warnings().iter().for_each(|warning| warn(warning));
    }
    let dimension = |text: &String| Dimension::parse(&options.agent, text);
    let tuning = Tuning {
        agent: options.agent.clone(),
        dimensions: options.parameters.iter().map(dimension).collect::<Result<_, _>>()?,
        games: options.on.clone(),
        unseen_games: match options.test_on.is_empty() {
            true => options.on.clone(),
            false => options.test_on.clone(),
        },
        method: options.method.map(|method| match method {
            MethodName::Spsa => Method::Spsa,
            MethodName::Surface => Method::Surface,
        }),
        steps: options.steps,
        games_per_step: options.games,
        test_games: options.test_games,
        test: parse_sprt(&options.sprt)?,
        openings: options.openings.map(|n| Openings { n, plies: Openings::DEFAULT_PLIES }),
        seed: options.seed,
        threads: options.threads.map_or_else(cores, usize::from),
    };
    let stop = stop_on_interrupt();
    let bar = progress_bar(options.quiet, "{bar:30} {pos} of {len} steps  {msg}");
    let report = run_tuning(&tuning, options.store.as_deref(), &stop, &mut |progress| {
        bar.set_length(progress.of.into());
        bar.set_position(progress.steps.into());
        let (done, games) = (progress.duel.done, progress.duel.games);
        bar.set_message(format!("{done} of {games} games  {}", tally_text(&progress.duel.tally)));
    })?;
    bar.finish_and_clear();
    match options.json {
        true => print_json(&report, out),
        false => print_report(&report, out),
    }
}

fn print_report(report: &TuneReport, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = text_table(&["step", "first", "second", "games", "score"]);
    for (step, told) in report.steps.iter().enumerate() {
        table.add_row([
            (step + 1).to_string(),
            told.first.clone(),
            told.second.clone(),
            told.tally.games().to_string(),
            score_text(Some(told.score)),
        ]);
    }
    writeln!(out, "{table}\n")?;
    for parameter in &report.parameters {
        let dimension = &parameter.dimension;
        let (name, low, high) = (dimension.name, dimension.low, dimension.high);
        let (start, tuned) = (dimension.start, parameter.tuned);
        writeln!(out, "{name}: {start} -> {tuned}, looked for from {low} to {high}")?;
    }
    writeln!(out, "tuned: {}", report.tuned)?;
    for test in &report.tests {
        let tally = Tally { wins: test.wins, draws: test.draws, losses: test.losses };
        writeln!(out, "test on {}, seed {}: {}", test.game, test.seed, tally_text(&tally))?;
        if let Some(sprt) = &test.sprt {
            writeln!(out, "  SPRT: {}", sprt_text(sprt))?;
        }
        if let Some(remark) = &test.remark {
            writeln!(out, "  {remark}")?;
        }
    }
    if report.tests.is_empty() && !report.interrupted {
        writeln!(out, "nothing to test: what was chosen is what there was")?;
    }
    if report.games_before > 0 {
        writeln!(out, "{} of the games were in the store before", report.games_before)?;
    }
    if report.interrupted {
        writeln!(out, "stopped early: only complete steps are counted")?;
    }
    Ok(writeln!(out, "{:.1} s", report.seconds)?)
}
