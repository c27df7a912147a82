//! `sakiyomi rate`.

use std::io::Write;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use sakiyomi::numbers::score_text;
use sakiyomi_catalog::{AgentSpec, GameSpec};
use sakiyomi_core::stats::Interval;
use sakiyomi_eval::{Openings, RateReport, RoundRobin, run_rate};

use super::duel::tally_text;
use super::{cores, print_json, progress_bar, stop_on_interrupt, text_table, warn};

/// Rate agents by a round robin: each against each, in both seats equally often
#[derive(Debug, Args)]
#[command(
    after_help = "Ratings are Elo points beside the mean of all agents, by the model of Bradley and \
Terry; a draw counts as half a win.
Ctrl-C rates what is complete; with --store, the same command goes on from there, and one with more agents \
plays only their games.

Examples:
  sakiyomi rate connect-four uct:iterations=400 uct:iterations=100 flat:iterations=400 random
  sakiyomi rate breakthrough:6x6 uct uct:tuned maxn:depth=3 --games 200 --store ratings.sqlite
  sakiyomi rate othello maxn:depth=1 maxn:depth=2 maxn:depth=3 --openings 100 --json"
)]
pub(super) struct Options {
    /// The game, which has two players
    game: GameSpec,
    /// The agents, such as uct:iterations=2000
    #[arg(required = true, num_args = 2..)]
    agents: Vec<AgentSpec>,
    /// Games of each pair; rounded up so that both agents take both seats equally often
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    games: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games played at the same time; the number of cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Begin games with one of N random openings instead of at the start; each is played from both seats
    #[arg(long, value_name = "N")]
    openings: Option<NonZeroU64>,
    /// Moves of an opening
    #[arg(long, value_name = "K", requires = "openings", default_value_t = Openings::DEFAULT_PLIES)]
    opening_plies: u32,
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

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    options.game.warnings().iter().for_each(|warning| warn(warning));
    let plies = options.opening_plies;
    let round_robin = RoundRobin {
        game: options.game.clone(),
        agents: options.agents.clone(),
        games: options.games,
        seed: options.seed,
        openings: options.openings.map(|n| Openings { n, plies }),
        threads: options.threads.map_or_else(cores, usize::from),
    };
    let stop = stop_on_interrupt();
    let bar = progress_bar(options.quiet, "{bar:30} {pos} of {len}  {msg}  {eta} left");
    let report = run_rate(&round_robin, options.store.as_deref(), &stop, &mut |progress| {
        bar.set_length(progress.games);
        bar.set_position(progress.done);
        bar.set_message(tally_text(&progress.tally));
    })?;
    bar.finish_and_clear();
    match options.json {
        true => print_json(&report, out),
        false => print_report(&report, out),
    }
}

fn print_report(report: &RateReport, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "{}, seed {}\n", report.game, report.seed)?;
    let header = ["", "agent", "Elo", "95 % interval", "games", "won", "drawn", "lost", "score"];
    let mut table = text_table(&header);
    for (place, agent) in report.agents.iter().enumerate() {
        let Interval { low, high } = agent.rating.interval;
        table.add_row([
            (place + 1).to_string(),
            agent.agent.clone(),
            format!("{:+.0}", agent.rating.elo),
            format!("[{low:+.0}, {high:+.0}]"),
            agent.tally.games().to_string(),
            agent.tally.wins.to_string(),
            agent.tally.draws.to_string(),
            agent.tally.losses.to_string(),
            score_text(agent.score),
        ]);
    }
    writeln!(out, "{table}\n")?;
    let mut table = text_table(&["pair", "won-drawn-lost, score and 95 % interval of the first"]);
    for pair in &report.pairs {
        table.add_row([format!("{} - {}", pair.first, pair.second), tally_text(&pair.tally)]);
    }
    writeln!(out, "{table}\n")?;
    writeln!(out, "Elo is beside the mean of all agents; a draw counts as half a win.")?;
    for pair in &report.pairs {
        let name = format!("{} - {}", pair.first, pair.second);
        if let Some(remark) = &pair.remark {
            writeln!(out, "{name}: {remark}")?;
        }
        if pair.n_forfeits > 0 {
            writeln!(out, "{name}: {} games lost by forfeit", pair.n_forfeits)?;
        }
    }
    if report.games_before > 0 {
        writeln!(out, "{} of the games were in the store before", report.games_before)?;
    }
    if report.interrupted {
        writeln!(out, "stopped early: only complete rounds are counted")?;
    }
    if !report.repeatable {
        writeln!(out, "not exactly repeatable: a budget is a time, or an agent a program")?;
    }
    Ok(writeln!(out, "{:.1} s", report.seconds)?)
}
