//! `sakiyomi store`: what is in it, out of it, and away with it.

mod network;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use sakiyomi::numbers::{interval_text, score_text};
use sakiyomi_catalog::write_atomically;
use sakiyomi_eval::experiment::{Part, Quantity, Reading};
use sakiyomi_eval::{GameRow, Measure, Store};
use serde_json::json;

use super::{BadInput, print_json, text_table};

/// Show, export and prune the results
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sakiyomi store show
  sakiyomi store export --format csv --output games.csv
  sakiyomi store prune --stale")]
pub(super) struct Options {
    /// The file of the results
    #[arg(long, value_name = "FILE", default_value = "sakiyomi.sqlite", global = true)]
    store: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List what was played: one line per pairing
    #[command(after_help = "Example:\n  sakiyomi store show --json")]
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// List the matches of players on the network, one by one
        #[arg(long)]
        network: bool,
    },
    /// Write one line per game
    #[command(after_help = "Example:\n  sakiyomi store export --format jsonl --output games.jsonl")]
    Export {
        #[arg(long, default_value = "csv")]
        format: Format,
        /// The file to write; standard output if not given
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// The matches of players on the network
        #[arg(long)]
        network: bool,
    },
    /// Remove results for good
    #[command(after_help = "Example:\n  sakiyomi store prune --stale")]
    Prune {
        /// Those of games or agents that behave differently by now
        #[arg(long)]
        stale: bool,
        /// The one with this number, as `show` lists it
        #[arg(long, value_name = "NUMBER")]
        cell: Vec<i64>,
        /// The match on the network with this number, as `show --network` lists it
        #[arg(long = "match", value_name = "NUMBER")]
        matches: Vec<i64>,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Csv,
    Jsonl,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let store = Store::open_existing(&options.store)?;
    match &options.command {
        Command::Show { json, network: true } => network::show(&store, *json, out),
        Command::Show { json, network: false } => show(&store, *json, out),
        Command::Export { format, output, network } => {
            let write = if *network { network::export } else { export };
            match output {
                None => write(&store, *format, out),
                Some(file) => {
                    let exported = write_atomically(file, |out| {
                        write(&store, *format, out).map_err(io::Error::other)
                    });
                    exported.with_context(|| format!("cannot write {}", file.display()))
                }
            }
        }
        Command::Prune { stale, cell, matches } => prune(&store, *stale, cell, matches, out),
    }
}

fn show(store: &Store, as_json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let header = ["cell", "game", "first", "second", "seed", "games", "score", "95 %", "state"];
    let mut table = text_table(&header);
    let mut all = Vec::new();
    for cell in store.cells()? {
        let evidence = store.count(cell.id, cell.round, u64::MAX)?.evidence;
        let (tally, task) = (evidence.tally, &cell.task);
        let (game, first, second) =
            (task.game().to_string(), task.agents()[0].to_string(), task.second_text());
        let nash_conv = evidence.estimate(Quantity::Measured(Reading::NashConv), Part::All);
        let score = nash_conv.map(|estimate| estimate.value).or(tally.score());
        let interval = nash_conv.map_or(tally.interval(), |estimate| estimate.interval());
        let state = if cell.is_stale() { "stale" } else { "current" };
        all.push(json!({
            "cell": cell.id, "game": game, "first": first, "second": second,
            "seed": task.seed(), "openings": task.openings(), "wins": tally.wins, "draws": tally.draws,
            "losses": tally.losses, "score": tally.score(), "nash_conv": nash_conv,
            "interval": interval, "behaviour": cell.behaviour, "state": state,
        }));
        table.add_row([
            cell.id.to_string(),
            game,
            first,
            second,
            task.seed().to_string(),
            evidence.n().to_string(),
            score_text(score),
            interval_text(interval),
            state.to_owned(),
        ]);
    }
    match as_json {
        true => print_json(&all, out),
        false => {
            if !all.is_empty() || store.network_matches()?.is_empty() {
                writeln!(out, "{table}")?;
            }
            network::summary(store, out)
        }
    }
}

fn export(store: &Store, format: Format, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut written = match format {
        Format::Csv => {
            let measures: Vec<&str> = Measure::all().map(|m| m.entry().name).collect();
            let measures = measures.join(",");
            writeln!(out, "cell,game,first,second,seed,openings,number,seat,outcome,{measures}")
        }
        Format::Jsonl => Ok(()),
    };
    store.each_game(|row| {
        if written.is_ok() {
            written = match format {
                Format::Csv => writeln!(out, "{}", csv_line(row)),
                Format::Jsonl => writeln!(out, "{}", json_line(row)),
            };
        }
    })?;
    Ok(written?)
}

fn seat(row: &GameRow<'_>) -> u64 {
    row.number % row.cell.round + 1
}

/// A text as a field of CSV.
fn quoted(text: String) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

fn csv_line(row: &GameRow<'_>) -> String {
    let task = &row.cell.task;
    let (first, second) = (quoted(task.agents()[0].to_string()), quoted(task.second_text()));
    let game = quoted(task.game().to_string());
    let (cell, seed, number, seat) = (row.cell.id, task.seed(), row.number, seat(row));
    let openings = task.openings().map_or_else(String::new, |openings| openings.to_string());
    let (outcome, openings) = (row.outcome, quoted(openings));
    let mut line =
        format!("{cell},{game},{first},{second},{seed},{openings},{number},{seat},{outcome}");
    for measure in Measure::all() {
        line.push(',');
        if let Some(value) = measured(row, measure) {
            line += &value.to_string();
        }
    }
    line
}

/// A measure of a game. What was measured instead of a game stands in place of the payoff, if it is one
/// value.
fn measured(row: &GameRow<'_>, measure: Measure) -> Option<f64> {
    let only = || row.readings.filter(|readings| readings.len() == 1)?.values().next().copied();
    row.measures[measure].or_else(|| only().filter(|_| measure == Measure::PAYOFF))
}

fn json_line(row: &GameRow<'_>) -> serde_json::Value {
    let task = &row.cell.task;
    let mut line = json!({
        "cell": row.cell.id,
        "game": task.game().to_string(),
        "first": task.agents()[0].to_string(),
        "second": task.second_text(),
        "seed": task.seed(),
        "number": row.number,
        "seat": seat(row),
        "openings": task.openings(),
        "outcome": row.outcome,
    });
    for measure in Measure::all() {
        line[measure.entry().name] = json!(measured(row, measure));
    }
    if let Some(readings) = row.readings {
        line["readings"] = json!(readings);
    }
    line
}

fn prune(
    store: &Store,
    stale: bool,
    cells: &[i64],
    matches: &[i64],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if !stale && cells.is_empty() && matches.is_empty() {
        let message = "nothing to prune: expected --stale, --cell NUMBER or --match NUMBER";
        return Err(BadInput(message.to_owned()).into());
    }
    let known = store.cells()?;
    if let Some(missing) = cells.iter().find(|id| !known.iter().any(|cell| cell.id == **id)) {
        return Err(BadInput(format!("there is no cell {missing}; `store show` lists them")).into());
    }
    for &number in matches {
        if !store.remove_network_match(number)? {
            let message = format!("there is no match {number}; `store show --network` lists them");
            return Err(BadInput(message).into());
        }
    }
    let doomed = known.iter().filter(|c| cells.contains(&c.id) || stale && c.is_stale());
    let mut n = 0;
    for cell in doomed {
        store.remove(cell.id)?;
        n += 1;
    }
    store.compact()?;
    write!(out, "{n} of {} cells removed", known.len())?;
    if !matches.is_empty() {
        write!(out, ", and {} matches on the network", matches.len())?;
    }
    Ok(writeln!(out)?)
}
