//! `sakiyomi assess`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indicatif::ProgressBar;
use sakiyomi::report::{assessment_blocks, to_html, to_markdown};
use sakiyomi_catalog::{AgentSpec, GameSpec, write_atomically};
use sakiyomi_core::Stop;
use sakiyomi_eval::assess::{
    Assess, AssessError, AssessReport, DEFAULT_MINUTES, Plan, remedies_of, run_assess,
};

use super::{cores, print_json, progress_bar, stop_on_interrupt, warn};

/// Minutes of `--thorough`.
const THOROUGH_MINUTES: f64 = 60.0;
/// Of sizes that are given in part.
const DEFAULT_STRENGTHS: [u64; 4] = [25, 100, 400, 1600];
const DEFAULT_GAMES: u64 = 100;

/// Assess a game: is it fair, deep and alive, and what would mend it
#[derive(Debug, Args)]
#[command(
    after_help = "Players of at least four kinds play the game against themselves: random moves, searches of rising strength, \
players that follow rules or are greedy, one with learning playouts and one that solves what it can. Searches also play those with \
a quarter of their iterations. A seat's score is one point for a game won, shared by those who have the same payoff.

Who leads and when a match is decided follows from what the players themselves expect: a player leads that expects at least 0.1 \
more than every other, and a match is decided when its winner expects at least 0.9 to the end.

The budget fixes the numbers of games and iterations before the first game; the report ends with the command that repeats \
them exactly. Ctrl-C reports what is complete; with --store, that command goes on from there.

Examples:
  sakiyomi assess connect-four
  sakiyomi assess hex:5x5 --minutes 2 --remedies --html hex.html
  sakiyomi assess gdl:my-game.kif --games 40 --strengths 50,200,800 --store my-game.sqlite --json"
)]
pub(super) struct Options {
    /// The game, or a rule sheet such as gdl:my-game.kif
    game: GameSpec,
    /// About how long it may take on all threads; remedies share it
    #[arg(long, default_value_t = DEFAULT_MINUTES, value_parser = minutes)]
    minutes: f64,
    /// As --minutes 60
    #[arg(long, conflicts_with = "minutes")]
    thorough: bool,
    /// Games of each player against itself, and of each step of the ladder, instead of what the budget allows
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: Option<u64>,
    /// Iterations of the searches of rising strength, instead of what the budget allows
    #[arg(long, value_name = "N,N,..", value_delimiter = ',')]
    strengths: Vec<u64>,
    /// A player beside random moves and the searches, given several times for several, instead of the usual ones
    #[arg(long = "player", value_name = "AGENT")]
    players: Vec<AgentSpec>,
    /// Assess the pie rule and balanced openings too, in a game of two who choose in turn
    #[arg(long)]
    remedies: bool,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games played at the same time; the number of cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Keep the games in this file, and play only what it lacks
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write the report as a page with figures, which can be printed
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    options.game.warnings().iter().for_each(|warning| warn(warning));
    let stop = stop_on_interrupt();
    let bar = progress_bar(options.quiet, "{bar:30} {pos} of {len}  {msg}  {prefix}");
    let remedies = if options.remedies { remedies_of(&options.game)? } else { Vec::new() };
    let minutes = if options.thorough { THOROUGH_MINUTES } else { options.minutes };
    let minutes = minutes / (1 + remedies.len()) as f64;
    let mut report = assess(options, &options.game, minutes, &stop, &bar)?;
    for remedy in &remedies {
        if stop.requested() {
            break;
        }
        report.remedies.push(assess(options, remedy, minutes, &stop, &bar)?);
    }
    bar.finish_and_clear();
    if let Some(file) = &options.html {
        write_html(file, &report)?;
    }
    if options.json {
        return print_json(&report, out);
    }
    write!(out, "{}", to_markdown(&assessment_blocks(&report)))?;
    match &options.store {
        Some(file) if report.interrupted => {
            Ok(writeln!(out, "goes on with: {} --store {}", report.command, file.display())?)
        }
        _ => Ok(()),
    }
}

fn assess(
    options: &Options,
    game: &GameSpec,
    minutes: f64,
    stop: &Stop,
    bar: &ProgressBar,
) -> Result<AssessReport, AssessError> {
    let threads = options.threads.map_or_else(cores, usize::from);
    bar.set_message(format!("{game}: how long its games take"));
    let has_sizes = options.games.is_some() || !options.strengths.is_empty();
    let plan = match has_sizes {
        false => Plan::within(game, minutes, threads, options.players.clone(), stop)?,
        true => {
            let strengths = match options.strengths.as_slice() {
                [] => DEFAULT_STRENGTHS.to_vec(),
                given => given.to_vec(),
            };
            let games = options.games.unwrap_or(DEFAULT_GAMES);
            Plan::of_sizes(game, strengths, games, options.players.clone())?
        }
    };
    let assess = Assess { game: game.clone(), plan, seed: options.seed, threads, minutes };
    run_assess(&assess, options.store.as_deref(), stop, &mut |progress| {
        bar.set_length(progress.games);
        bar.set_position(progress.done);
        bar.set_message(format!("{game}: {}", progress.latest));
        let left = progress.seconds_left.map(|seconds| Duration::from_secs(seconds as u64));
        bar.set_prefix(left.map_or_else(String::new, |left| format!("{left:?} left")));
    })
}

fn write_html(file: &Path, report: &AssessReport) -> anyhow::Result<()> {
    let title = format!("Assessment of {}", report.game);
    let page = to_html(&title, &assessment_blocks(report));
    write_atomically(file, |out| out.write_all(page.as_bytes()))
        .map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))
}

/// A number of minutes, for arguments.
fn minutes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(minutes) if minutes > 0.0 && minutes < 1e5 => Ok(minutes),
        _ => Err("expected a positive number of minutes".to_owned()),
    }
}
