//! `sakiyomi games` and `sakiyomi agents`.

use std::io::Write;

use clap::Args;
use sakiyomi_catalog::{AgentSpec, Entry, GameSpec};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn games(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    list(GameSpec::entries(), options, out)
}

pub(super) fn agents(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    list(AgentSpec::entries(), options, out)
}

fn list(entries: &[Entry], options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    if options.json {
        return super::print_json(&entries, out);
    }
    for entry in entries {
        writeln!(out, "{:<14}{}", entry.name, entry.summary)?;
        for parameter in &entry.parameters {
            let default = format!("[{}]", parameter.default);
            writeln!(out, "    {:<12}{default:<8}{}", parameter.name, parameter.meaning)?;
        }
        if !entry.parameters.is_empty() {
            writeln!(out, "    for example {}", entry.example)?;
        }
    }
    Ok(())
}
