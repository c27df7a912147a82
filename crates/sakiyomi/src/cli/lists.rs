//! `sakiyomi games` and `sakiyomi agents`.

use std::io::Write;

use clap::Args;
use sakiyomi_catalog::{AgentSpec, Entry, GameSpec, ParameterEntry};

use super::BadInput;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// One of them, with its parameters
    name: Option<String>,
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

/// One line for each entry, or all about the one that is named.
fn list(entries: &[Entry], options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(name) = &options.name else {
        if options.json {
            return super::print_json(&entries, out);
        }
        let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
        for entry in entries {
            writeln!(out, "{:<width$}  {}", entry.name, entry.summary)?;
        }
        return Ok(());
    };
    let known = || entries.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
    let Some(entry) = entries.iter().find(|entry| entry.name == name) else {
        return Err(BadInput(format!("`{name}` is not listed; listed: {}", known())).into());
    };
    if options.json {
        return super::print_json(entry, out);
    }
    details(entry, out)
}

fn details(entry: &Entry, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "{}: {}", entry.name, entry.summary)?;
    if let Some(text) = entry.stands_for {
        writeln!(out, "stands for {text}")?;
    }
    let width = |text: &dyn Fn(&ParameterEntry) -> usize| entry.parameters.iter().map(text).max();
    let names = width(&|parameter| parameter.name.len()).unwrap_or(0);
    let defaults = width(&|parameter| parameter.default.len()).unwrap_or(0) + 2;
    let mut headings = Vec::new();
    for heading in entry.parameters.iter().map(|parameter| parameter.group) {
        if headings.contains(&heading) {
            continue;
        }
        headings.push(heading);
        heading.map_or(Ok(()), |heading| writeln!(out, "{heading}"))?;
        for parameter in entry.parameters.iter().filter(|other| other.group == heading) {
            let default = format!("[{}]", parameter.default);
            let (name, meaning) = (&parameter.name, &parameter.meaning);
            writeln!(out, "  {name:<names$}  {default:<defaults$}  {meaning}")?;
        }
    }
    if !entry.parameters.is_empty() {
        writeln!(out, "for example {}", entry.example)?;
    }
    Ok(())
}
