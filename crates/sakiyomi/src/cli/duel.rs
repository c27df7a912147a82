//! `sakiyomi duel`.

use std::io::Write;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use sakiyomi::numbers::{interval_text, p_text, score_text};
use sakiyomi_catalog::{AgentSpec, GameSpec};
use sakiyomi_core::stats::{Elo, Hypothesis, Sprt, Tally};
use sakiyomi_eval::experiment::Estimate;
use sakiyomi_eval::{Duel, DuelReport, Openings, Pairing, SprtReport, parse_agents, run_duel};

use super::{BadInput, cores, print_json, progress_bar, stop_on_interrupt, text_table, warn};

/// Match two agents over many games, in every seat equally often
#[derive(Debug, Args)]
#[command(after_help = "The same games, agents, seed and iteration budgets give the same result \
on any number of threads.
Stops early with --sprt, or with Ctrl-C, which reports the games that are complete; with --store, the same \
command goes on from there.

Examples:
  sakiyomi duel connect-four uct:iterations=2000 uct:iterations=1000 --games 200
  sakiyomi duel breakthrough uct:cpu=20ms,pruned uct:cpu=20ms --games 1000 --sprt 0,50
  sakiyomi duel othello maxn:depth=3 maxn:depth=2 --games 400 --openings 200 --opening-plies 6
  sakiyomi duel connect-four uct:iterations=9000 uct:iterations=3000 --games 10000 --store duels.sqlite
  sakiyomi duel tic-tac-toe exec:./bot.py random --json")]
pub(super) struct Options {
    /// The game, such as connect-four or breakthrough:6x6
    game: GameSpec,
    /// The agent whose results are counted, such as uct:iterations=2000
    first: AgentSpec,
    /// Its opponent, or several with ` + ` between them, which take the seats after it in turn
    second: String,
    /// Games to play; rounded up so that both agents take every seat equally often
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    games: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games played at the same time; the number of cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Stop as soon as the Elo difference is shown to be ELO0 (H0) or ELO1 (H1); both errors are
    /// 0.05 if not given
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", allow_hyphen_values = true)]
    sprt: Option<String>,
    /// Begin games with one of N random openings instead of at the start; each is played from every seat
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
    let others = parse_agents(&options.second).map_err(|error| BadInput(error.to_string()))?;
    let agents = [vec![options.first.clone()], others].concat();
    let pairing = Pairing {
        openings: options.openings.map(|n| Openings { n, plies }),
        ..Pairing::of(options.game.clone(), agents, options.seed)
    };
    let duel = Duel {
        pairing,
        games: options.games,
        threads: options.threads.map_or_else(cores, usize::from),
        sprt: options.sprt.as_deref().map(parse_sprt).transpose()?,
    };
    let stop = stop_on_interrupt();
    let bar = progress_bar(options.quiet, "{bar:30} {pos} of {len}  {msg}  {eta} left");
    let report = run_duel(&duel, options.store.as_deref(), &stop, &mut |progress| {
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

pub(super) fn parse_sprt(text: &str) -> anyhow::Result<Sprt> {
    let numbers: Vec<f64> = text
        .split(',')
        .map(|part| part.trim().parse())
        .collect::<Result<_, _>>()
        .map_err(|_| BadInput(format!("--sprt {text}: expected numbers, such as 0,50")))?;
    let sprt = match numbers[..] {
        [elo0, elo1] => Sprt::new(elo0, elo1, 0.05, 0.05),
        [elo0, elo1, alpha, beta] => Sprt::new(elo0, elo1, alpha, beta),
        _ => {
            let message = format!("--sprt {text}: expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA");
            return Err(BadInput(message).into());
        }
    };
    sprt.map_err(|error| BadInput(format!("--sprt {text}: {error}")).into())
}

pub(super) fn tally_text(tally: &Tally) -> String {
    let Tally { wins, draws, losses } = tally;
    let (score, interval) = (score_text(tally.score()), interval_text(tally.interval()));
    format!("{wins}-{draws}-{losses}  {score} {interval}")
}

pub(super) fn sprt_text(sprt: &SprtReport) -> String {
    let verdict = match sprt.accepted {
        Some(Hypothesis::H0) => format!("H0 accepted: Elo {}", sprt.test.elo0),
        Some(Hypothesis::H1) => format!("H1 accepted: Elo {}", sprt.test.elo1),
        None => "undecided".to_owned(),
    };
    let (llr, lower, upper) = (sprt.llr, sprt.lower, sprt.upper);
    format!("{verdict} (LLR {llr:.2} in [{lower:.2}, {upper:.2}])")
}

fn print_report(report: &DuelReport, out: &mut dyn Write) -> anyhow::Result<()> {
    let [first, second] = &report.agents;
    writeln!(out, "{}: {first} against {second}\n", report.game)?;
    let mut table =
        text_table(&["seat", "games", "won", "drawn", "lost", "score", "95 % interval"]);
    let total = Tally { wins: report.wins, draws: report.draws, losses: report.losses };
    let seats =
        report.seats.iter().map(|seat| (format!("{} {}", seat.seat + 1, seat.name), seat.tally));
    for (name, tally) in seats.chain([("all".to_owned(), total)]) {
        table.add_row([
            name,
            tally.games().to_string(),
            tally.wins.to_string(),
            tally.draws.to_string(),
            tally.losses.to_string(),
            score_text(tally.score()),
            interval_text(tally.interval()),
        ]);
    }
    writeln!(out, "{table}\n")?;
    if let Some(Elo { difference, low, high }) = report.elo {
        writeln!(out, "Elo difference {difference:+.0} [{low:+.0}, {high:+.0}]")?;
    }
    let p = p_text(report.sign_test);
    let is = if p.starts_with('<') { "" } else { "= " };
    writeln!(out, "sign test, two-sided: p {is}{p}")?;
    if let Some(sprt) = &report.sprt {
        writeln!(out, "SPRT: {}", sprt_text(sprt))?;
    }
    writeln!(out, "{:.1} turns a game, {:.1} s", report.mean_turns, report.seconds)?;
    let lengths = [
        ("won", report.length_of_won),
        ("drawn", report.length_of_drawn),
        ("lost", report.length_of_lost),
    ];
    let lengths: Vec<String> = lengths
        .iter()
        .filter_map(|(name, length)| {
            let Estimate { value, low, high } = (*length)?;
            Some(format!("{name} {value:.2} [{low:.2}, {high:.2}]"))
        })
        .collect();
    writeln!(out, "mean length (rounds, or turns if there are none): {}", lengths.join(", "))?;
    if let Some(Openings { n, plies }) = report.openings {
        writeln!(out, "{n} random openings of {plies} moves, each played from every seat")?;
    }
    if let Some(remark) = &report.remark {
        writeln!(out, "{remark}")?;
    }
    if report.n_forfeits > 0 {
        writeln!(out, "{} games lost by forfeit, the first of them:", report.n_forfeits)?;
        for forfeit in &report.forfeits {
            writeln!(out, "  game {}: {}", forfeit.game, forfeit.reason)?;
        }
    }
    if report.games_before > 0 {
        writeln!(out, "{} of the games were in the store before", report.games_before)?;
    }
    if report.interrupted {
        writeln!(out, "stopped early: only complete rounds are counted")?;
    }
    let note = if report.repeatable { "repeat with" } else { "not exactly repeatable" };
    Ok(writeln!(out, "{note}: {}", report.command)?)
}
