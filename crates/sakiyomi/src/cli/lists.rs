//! `sakiyomi games` and `sakiyomi agents`.

use std::io::Write;

use clap::Args;
use sakiyomi_catalog::{AGENTS, Entry, GAMES};
use serde_json::json;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn games(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    list(GAMES, options, out)
}

pub(super) fn agents(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    list(AGENTS, options, out)
}

fn list(entries: &[Entry], options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    if options.json {
        let entries: Vec<_> = entries.iter().map(as_json).collect();
        return super::print_json(&entries, out);
    }
    for entry in entries {
        writeln!(out, "{:<14}{}", entry.name, entry.summary)?;
        for parameter in entry.parameters {
            let default = format!("[{}]", parameter.default);
            writeln!(out, "    {:<12}{default:<8}{}", parameter.name, parameter.meaning)?;
        }
        if !entry.parameters.is_empty() {
            writeln!(out, "    for example {}", entry.example)?;
        }
    }
    Ok(())
}

fn as_json(entry: &Entry) -> serde_json::Value {
    let parameters: Vec<_> = entry
        .parameters
        .iter()
        .map(|p| json!({ "name": p.name, "default": p.default, "meaning": p.meaning }))
        .collect();
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "parameters": parameters,
        "example": entry.example,
    })
}
