//! The pages of the reference that are made from the catalog. `SAKIYOMI_BLESS=1 cargo test -p sakiyomi --test all
//! reference` writes them again.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use sakiyomi::catalog::{AgentSpec, Entry, GameSpec, ParameterEntry, Values};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference");

const AGENTS: &str = "\
# Agents

All agents with all their options, made from the program's own catalog. `sakiyomi agents` lists the
same in the terminal, `sakiyomi agents uct` one of them. An agent is written as its name and its
options, such as `uct:iterations=2000,solver`. A flag is on if it is named; `solver=false` turns it
off. An option that would do nothing, on this game or beside other options, is an error.

";

const GAMES: &str = "\
# Games

All games with all their parameters, made from the program's own catalog. `sakiyomi games` lists the
same in the terminal, `sakiyomi games hex` one of them. A game is written as its name and its
parameters, such as `connect-four:8x7` or `hagetaka:players=3,n=10`. Their rules are in the
[index](../README.md).

";

/// The agent whose options are told in full; others that have the same option refer to it.
const TREE_SEARCH: &str = "uct";

#[test]
fn the_page_of_agents_is_that_of_the_catalog() {
    is_current("agents.md", &page(AGENTS, AgentSpec::entries()));
}

#[test]
fn the_page_of_games_is_that_of_the_catalog() {
    is_current("games.md", &page(GAMES, GameSpec::entries()));
}

fn is_current(name: &str, expected: &str) {
    let path = Path::new(FOLDER).join(name);
    if std::env::var_os("SAKIYOMI_BLESS").is_some() {
        fs::write(&path, expected).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    let differs = written.lines().zip(expected.lines()).find(|(here, there)| here != there);
    assert!(
        written == expected,
        "{name} is not what the catalog says: {differs:?}; SAKIYOMI_BLESS=1 writes it again"
    );
}

fn page(head: &str, entries: &[Entry]) -> String {
    let mut text = head.to_owned();
    text += "| name | what it is |\n|---|---|\n";
    for entry in entries {
        let link = match entry.parameters.is_empty() {
            true => format!("`{}`", entry.name),
            false => format!("[`{0}`](#{0})", entry.name),
        };
        writeln!(text, "| {link} | {} |", in_table(entry.summary)).unwrap();
    }
    let tree_search = entries.iter().find(|entry| entry.name == TREE_SEARCH);
    let known = tree_search.map_or(&[][..], |entry| &entry.parameters);
    for entry in entries.iter().filter(|entry| !entry.parameters.is_empty()) {
        section(entry, if entry.name == TREE_SEARCH { &[] } else { known }, &mut text);
    }
    text
}

/// A game or an agent with its parameters; those that are known from the tree search are only named.
fn section(entry: &Entry, known: &[ParameterEntry], text: &mut String) {
    let example = entry.example;
    writeln!(text, "\n## {}\n\n{}.\nFor example `{example}`.", entry.name, entry.summary).unwrap();
    if let Some(stands_for) = entry.stands_for {
        let base = stands_for.split(':').next().unwrap_or(stands_for);
        writeln!(
            text,
            "It stands for\n`{stands_for}`\nand takes the options of [`{base}`](#{base})."
        )
        .unwrap();
        return;
    }
    let is_known = |parameter: &&ParameterEntry| {
        known.iter().any(|other| {
            (other.name, &other.default, other.meaning)
                == (parameter.name, &parameter.default, parameter.meaning)
        })
    };
    let (shared, own): (Vec<_>, Vec<_>) = entry.parameters.iter().partition(is_known);
    let mut groups = Vec::new();
    for group in own.iter().map(|parameter| parameter.group) {
        if groups.contains(&group) {
            continue;
        }
        groups.push(group);
        let head = group.unwrap_or("option");
        writeln!(text, "\n| {head} | default | values | meaning |\n|---|---|---|---|").unwrap();
        own.iter().filter(|other| other.group == group).for_each(|other| row(other, text));
    }
    if !shared.is_empty() {
        let names: Vec<String> = shared.iter().map(|it| format!("`{}`", it.name)).collect();
        writeln!(text, "\nAs in [`{TREE_SEARCH}`](#{TREE_SEARCH}):\n{}.", names.join(",\n"))
            .unwrap();
    }
}

fn row(parameter: &ParameterEntry, text: &mut String) {
    let needs = parameter.needs.map_or(String::new(), |needs| format!("; needs {needs}"));
    writeln!(
        text,
        "| `{}` | {} | {} | {}{} |",
        parameter.name,
        in_table(&parameter.default),
        in_table(&values(&parameter.values)),
        in_table(parameter.meaning),
        in_table(&needs)
    )
    .unwrap();
}

fn values(values: &Values) -> String {
    match values {
        Values::Flag => "flag".to_owned(),
        Values::Integer { min, max: Some(max) } => format!("{min} to {max}"),
        Values::Integer { min, max: None } => format!("{min} or more"),
        Values::Number { min, max } => format!("{min} to {max}"),
        Values::Time => "time, such as 50ms".to_owned(),
        Values::Bytes => "size, such as 2GB".to_owned(),
        Values::Word { words } => words.join(", "),
        Values::Text => "text".to_owned(),
    }
}

/// A bar would end a cell.
fn in_table(text: &str) -> String {
    text.replace('|', "\\|")
}
