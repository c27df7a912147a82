//! `sakiyomi ggp-host`: the referee of the general game playing protocol.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use sakiyomi::ggp::{
    Clocks, Contestant, FaultKind, MatchResult, Standing, Tournament, TournamentReport,
};
use sakiyomi_catalog::{GameSpec, GdlSpec, RuleSheet};
use sakiyomi_core::stats::Interval;
use sakiyomi_eval::Store;

use super::{BadInput, positive, print_json, progress_bar, stop_on_interrupt, text_table};

/// Referee matches between players on the network
#[derive(Debug, Args)]
#[command(
    after_help = "Players are given as host:port, in the order of the roles in the first match. \
Seats rotate from match to match; with more players than seats everyone meets everyone.
Who is late or answers what is not legal gets a random legal move, and the fault is counted. The role \
`random` is played by the host. Ctrl-C aborts the match that is played; finished ones are kept.
A match in which a player never gave a legal move, or was busy all the time, is no result: it is not \
kept, and the exit code is 1. With --store, the same game, players, clocks and seed are the same \
tournament: what is in the store is not played again.

Examples:
  sakiyomi ggp-host gdl:sheet=tic-tac-toe localhost:9147 localhost:9148
  sakiyomi ggp-host games/gdl/pig.kif localhost:9147 localhost:9148 --startclock 10 --playclock 5 --matches 20
  sakiyomi store show"
)]
pub(super) struct Options {
    /// The game: a rule sheet FILE.kif, or gdl:sheet=NAME
    game: String,
    /// The players, at least one for each role
    #[arg(required = true, value_name = "PLAYER-URL")]
    players: Vec<String>,
    /// Seconds from START to the first move
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = positive)]
    startclock: f64,
    /// Seconds for every move
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = positive)]
    playclock: f64,
    /// Seconds that a move may come late, for the way over the network
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = not_negative)]
    grace: f64,
    /// Seconds to wait for a player that is busy with another match; by default as long as it takes
    /// `sakiyomi ggp` to give up a silent host
    #[arg(long, value_name = "SECONDS", value_parser = not_negative)]
    wait: Option<f64>,
    /// Matches to play, those in the store counted; by default every player has every seat once
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    matches: Option<u64>,
    /// The seed of chance, and of moves in place of faults
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keep the results in this file; `sakiyomi store` and `sakiyomi replay` read it
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
    let spec = game(&options.game)?;
    let contestants: Result<Vec<Contestant>, _> =
        options.players.iter().map(|url| Contestant::new(url)).collect();
    let seconds = Duration::from_secs_f64;
    let (start, play) = (seconds(options.startclock), seconds(options.playclock));
    let wait = options.wait.map_or_else(|| Clocks::default_wait(start, play), seconds);
    let clocks = Clocks { start, play, grace: seconds(options.grace), wait };
    let mut tournament = Tournament::new(spec, contestants?, clocks, options.seed)?;
    let store = options.store.as_deref().map(Store::open).transpose()?;
    for contestant in tournament.contestants_mut() {
        let url = contestant.url().to_owned();
        contestant.introduce().with_context(|| format!("{url}: no player"))?;
    }
    let stop = stop_on_interrupt();
    let matches = options.matches.unwrap_or_else(|| tournament.round());
    let bar = progress_bar(options.quiet, "{bar:30} {pos} of {len}  {msg}  {eta} left");
    bar.set_length(matches);
    let stored = store.as_ref().map(Store::network_matches).transpose()?.unwrap_or_default();
    let notices = |text: &str| bar.suspend(|| eprint_line(text));
    let report = tournament.run(matches, stored, &stop, &notices, |result| {
        bar.inc(1);
        bar.set_message(goals_text(result));
        match &store {
            Some(store) => {
                let (played, record) = tournament.to_store(result);
                store.add_network_match(&played, &record).map(drop)
            }
            None => Ok(()),
        }
    })?;
    bar.finish_and_clear();
    match options.json {
        true => print_json(&report, out)?,
        false => print_report(&report, out)?,
    }
    match report.void.len() {
        0 => Ok(()),
        n => Err(anyhow::anyhow!(
            "{n} of {matches} matches are no result: {}",
            absent_players(&report)
        )),
    }
}

/// Who took no part, and why.
fn absent_players(report: &TournamentReport) -> String {
    let mut texts = Vec::new();
    for result in &report.void {
        for &seat in &result.absent {
            let player = &report.standings[result.seats[seat]].player;
            let fault = result.faults.iter().find(|fault| fault.seat == seat);
            let detail = fault.map_or("no answer", |fault| &fault.detail);
            let text = format!("{player} never gave a legal move ({detail})");
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    texts.truncate(MOST_FAULTS);
    texts.join("; ")
}

fn eprint_line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A game by its name, or the file of its rules.
fn game(text: &str) -> anyhow::Result<GdlSpec> {
    if text.ends_with(".kif") && !text.starts_with("gdl:") {
        return Ok(GdlSpec::new(RuleSheet::File(text.to_owned())));
    }
    match text.parse()? {
        GameSpec::Gdl(named) => Ok(named.settings),
        other => {
            let message = format!(
                "{other} has no rule sheet to send; expected FILE.kif or gdl:sheet=NAME, such as \
                 gdl:sheet=connect-four"
            );
            Err(BadInput(message).into())
        }
    }
}

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..1e6).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds".to_owned()),
    }
}

fn goals_text(result: &MatchResult) -> String {
    let goal = |goal: &Option<u8>| goal.map_or("-".to_owned(), |goal| goal.to_string());
    result.goals.iter().map(goal).collect::<Vec<_>>().join(" to ")
}

fn print_report(report: &TournamentReport, out: &mut dyn Write) -> anyhow::Result<()> {
    let TournamentReport { game, start_clock, play_clock, .. } = report;
    writeln!(out, "{game}, start clock {start_clock} s, play clock {play_clock} s\n")?;
    let mut table = text_table(&[
        "player",
        "matches",
        "mean goal",
        "95 % interval",
        "won",
        "drawn",
        "lost",
        "timeouts",
        "no connection",
        "illegal",
        "slowest s",
    ]);
    for standing in &report.standings {
        table.add_row(row(standing));
    }
    writeln!(out, "{table}\n")?;
    if !report.earlier.is_empty() {
        writeln!(out, "{} matches were in the store already", report.earlier.len())?;
    }
    if !report.void.is_empty() {
        writeln!(out, "{} matches are no result and do not count", report.void.len())?;
    }
    let cut_off = report.matches.iter().filter(|result| result.cut_off).count();
    if cut_off > 0 {
        writeln!(out, "{cut_off} matches did not end and were cut off")?;
    }
    let all = report.matches.iter().chain(&report.void);
    let faults = all.flat_map(|r| r.faults.iter().map(move |f| (r, f)));
    for (result, fault) in faults.take(MOST_FAULTS) {
        let kind = match fault.kind {
            FaultKind::Timeout => "timeout",
            FaultKind::Connection => "no connection",
            FaultKind::Illegal => "illegal move",
            FaultKind::Busy => "refusal",
        };
        let player = &report.standings[result.seats[fault.seat]].player;
        let (id, ply, detail) = (&result.id, fault.ply, &fault.detail);
        writeln!(out, "{id}, ply {ply}: {kind} of {player}: {detail}")?;
    }
    if report.interrupted {
        writeln!(out, "stopped early: only finished matches are counted")?;
    }
    Ok(())
}

/// Faults that are listed one by one.
const MOST_FAULTS: usize = 10;

fn row(standing: &Standing) -> Vec<String> {
    let count = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
    let Interval { low, high } = standing.interval;
    let tally = standing.tally;
    vec![
        standing.player.clone(),
        standing.matches.to_string(),
        standing.mean_goal.map_or("-".to_owned(), |goal| format!("{goal:.1}")),
        format!("[{low:.1}, {high:.1}]"),
        count(tally.map(|tally| tally.wins)),
        count(tally.map(|tally| tally.draws)),
        count(tally.map(|tally| tally.losses)),
        standing.timeouts.to_string(),
        standing.connection_errors.to_string(),
        standing.illegal_moves.to_string(),
        format!("{:.2}", standing.slowest),
    ]
}
