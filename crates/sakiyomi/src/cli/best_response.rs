//! `sakiyomi exploit --minutes`: what is shown of a response that was found by playing.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use sakiyomi::numbers::{interval_text, score_text, seconds_text};
use sakiyomi_catalog::write_atomically;
use sakiyomi_core::stats::Interval;
use sakiyomi_eval::{
    BestResponse, ResponseBudget, ResponseProgress, ResponseReport, Way, run_best_response,
};

use super::{SPINNER, print_json, progress_bar, stop_on_interrupt, text_table};

pub(super) struct Output<'a> {
    pub(super) record: Option<&'a Path>,
    pub(super) json: bool,
    pub(super) quiet: bool,
}

pub(super) fn run(
    request: &BestResponse,
    output: &Output<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let stop = stop_on_interrupt();
    let bar = progress_bar(output.quiet, SPINNER);
    if let ResponseBudget::Wall(time) = request.budget {
        bar.set_prefix(format!("of {}", seconds_text(time.as_secs_f64())));
    }
    let report = run_best_response(request, &stop, &|at| bar.set_message(progress_text(&at)))?;
    bar.finish_and_clear();
    if let (Some(file), Some(record)) = (output.record, &report.record) {
        let written = write_atomically(file, |out| {
            serde_json::to_writer_pretty(&mut *out, record)?;
            writeln!(out)
        });
        written.with_context(|| format!("cannot write {}", file.display()))?;
    }
    match output.json {
        true => print_json(&report, out),
        false => print_report(&report, output.record, out),
    }
}

fn progress_text(at: &ResponseProgress) -> String {
    match at {
        ResponseProgress::Search { games, mean } => {
            format!("looking for responses: {games} games, mean payoff {mean:.3}")
        }
        ResponseProgress::Trials { games, of } => {
            format!("comparing responses: {games} of {of} games")
        }
        ResponseProgress::Games { games, of, mean } => {
            format!("games that count: {games} of {of}, mean payoff {mean:.3}")
        }
    }
}

fn print_report(
    report: &ResponseReport,
    file: Option<&Path>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    writeln!(out, "{}: {}\n", report.game, report.agent)?;
    let mut table = text_table(&["response", "games to find it", "places", "trial games", "mean"]);
    for trial in &report.trials {
        let sparring = report.sparring.iter().find(|sparring| sparring.way == trial.way);
        let count = |count: Option<u64>| count.map_or_else(|| "-".to_owned(), |n| n.to_string());
        table.add_row([
            way_text(trial.way).to_owned(),
            count(sparring.map(|sparring| sparring.games)),
            count(sparring.map(|sparring| sparring.places)),
            trial.games.to_string(),
            score_text(Some(trial.mean)),
        ]);
    }
    writeln!(out, "{table}\n")?;
    let mut table = text_table(&["seat", "games", "won", "drawn", "lost", "mean payoff"]);
    for seat in &report.seats {
        table.add_row([
            (seat.seat + 1).to_string(),
            seat.tally.games().to_string(),
            seat.tally.wins.to_string(),
            seat.tally.draws.to_string(),
            seat.tally.losses.to_string(),
            score_text(Some(seat.mean)),
        ]);
    }
    writeln!(out, "{}, in games that count:\n{table}\n", way_text(report.response))?;
    print_verdict(report, out)?;
    if let (Some(record), Some(seat)) = (&report.record, report.record_seat) {
        let moves: Vec<String> = record.moves.iter().map(|texts| texts.join("/")).collect();
        writeln!(out, "a game that it won in seat {}: {}", seat + 1, moves.join(" "))?;
        if let Some(file) = file {
            writeln!(out, "written to {}", file.display())?;
        }
    }
    if report.interrupted {
        writeln!(out, "stopped early: only complete games are counted")?;
    }
    Ok(writeln!(out, "{:.1} s", report.seconds)?)
}

fn print_verdict(report: &ResponseReport, out: &mut dyn Write) -> anyhow::Result<()> {
    let (mean, interval) = (score_text(Some(report.mean)), interval_text(report.interval));
    writeln!(
        out,
        "mean payoff {mean} {interval}, {:.3} if it could not be exploited",
        report.fair
    )?;
    let Interval { low, high } = report.exploitability_interval;
    match report.found {
        true => writeln!(
            out,
            "found: a best response gains at least {:.3} [{low:.3}, {high:.3}] per player, {:.3} in \
             the game's units",
            report.exploitability,
            report.exploitability * report.unit
        )?,
        false => writeln!(
            out,
            "nothing found: what the response gains, {:.3} [{low:.3}, {high:.3}], is not above 0 beyond \
             doubt. That is no proof that there is nothing",
            report.exploitability
        )?,
    }
    if let Some(reason) = &report.forfeit {
        writeln!(out, "{} games given up by the agent, the first: {reason}", report.n_forfeits)?;
    }
    Ok(())
}

fn way_text(way: Way) -> &'static str {
    match way {
        Way::Search => "a search that knows nothing of the agent",
        Way::TreeAtRandom => "a tree against the agent, at random beyond it",
        Way::TreeAsTheSearch => "a tree against the agent, as the search beyond it",
    }
}
