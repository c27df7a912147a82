//! `sakiyomi replay`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use sakiyomi::draw::draw;
use sakiyomi_catalog::{Record, read_text, views};
use sakiyomi_eval::Store;

use super::BadInput;

/// Show a recorded match move by move
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sakiyomi play tic-tac-toe --seat uct --seat uct --record | sed -n '/^{/,$p' > match.json
  sakiyomi replay match.json
  sakiyomi replay --cell 3 --game 0 --store sakiyomi.sqlite
  sakiyomi replay --match 7")]
pub(super) struct Options {
    /// A record as JSON
    #[arg(required_unless_present_any = ["cell", "network_match"])]
    file: Option<PathBuf>,
    /// A cell of the store, as `sakiyomi store show` lists it
    #[arg(long, conflicts_with = "file")]
    cell: Option<i64>,
    /// The number of the game in the cell
    #[arg(long, default_value_t = 0)]
    game: u64,
    /// A match of players on the network, as `sakiyomi store show --network` lists it
    #[arg(long = "match", value_name = "NUMBER", conflicts_with_all = ["file", "cell"])]
    network_match: Option<i64>,
    /// The file of the results
    #[arg(long, value_name = "FILE", default_value = "sakiyomi.sqlite")]
    store: PathBuf,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let record = load(options)?;
    writeln!(out, "{}, seed {}", record.game, record.seed)?;
    let steps = record
        .moves
        .iter()
        .enumerate()
        .map(|(i, texts)| format!("{}. {}\n", i + 1, texts.join(" ")));
    for (step, view) in std::iter::once(String::new()).chain(steps).zip(views(&record)?) {
        writeln!(out, "{step}\n{}", draw(&view, false))?;
    }
    Ok(())
}

fn load(options: &Options) -> anyhow::Result<Record> {
    if let Some(file) = &options.file {
        let text = read_text(file).with_context(|| format!("{}", file.display()))?;
        return serde_json::from_str(&text)
            .map_err(|error| BadInput(format!("{}: {error}", file.display())).into());
    }
    if let Some(number) = options.network_match {
        let record = Store::open_existing(&options.store)?.network_record(number)?;
        return record.ok_or_else(|| {
            let message = format!("there is no match {number}; `store show --network` lists them");
            BadInput(message).into()
        });
    }
    let cell = options.cell.unwrap_or_default();
    let record = Store::open_existing(&options.store)?.record(cell, options.game)?;
    record.ok_or_else(|| {
        let game = options.game;
        BadInput(format!("no record of game {game} of cell {cell} was kept")).into()
    })
}
