//! The signature of all behaviour. A commit that changes it on purpose changes the table too:
//! `SAKIYOMI_BLESS=1 cargo test -p sakiyomi-eval --test all signature` writes it.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use sakiyomi_catalog::{AgentSpec, GameSpec};
use sakiyomi_eval::signature::{SignatureLine, decisions_hash, signature_entries, signature_table};

static TABLE: LazyLock<Vec<SignatureLine>> = LazyLock::new(|| signature_table().unwrap());

#[test]
fn behaviour_is_as_it_was() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/signature.txt");
    let lines: Vec<String> = TABLE.iter().map(ToString::to_string).collect();
    if std::env::var_os("SAKIYOMI_BLESS").is_some() {
        fs::write(&file, lines.join("\n") + "\n").unwrap();
    }
    let known = fs::read_to_string(&file).unwrap();
    let known: Vec<&str> = known.lines().collect();
    let changes = changes(&known, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(
        changes.is_empty(),
        "{} entries of the signature differ; if that is intended, say so in the commit and write \
         tests/signature.txt again with SAKIYOMI_BLESS=1\n{}",
        changes.len(),
        changes.join("\n")
    );
}

/// What differs between two tables, line by line.
fn changes(known: &[&str], now: &[&str]) -> Vec<String> {
    let parts = |lines: &[&str]| -> Vec<(String, String)> {
        let parts = lines.iter().filter_map(|line| line.split_once(' '));
        parts.map(|(hash, name)| (name.to_owned(), hash.to_owned())).collect()
    };
    let (before, after) = (parts(known), parts(now));
    let has = |lines: &[(String, String)], name: &str| lines.iter().any(|line| line.0 == name);
    let is_new = |line: &&(String, String)| !has(&before, &line.0);
    let mut new: Vec<&(String, String)> = after.iter().filter(is_new).collect();
    let mut changes = Vec::new();
    for (name, hash) in &before {
        match after.iter().find(|line| line.0 == *name) {
            Some((_, now)) if now == hash => {}
            Some(_) => changes.push(format!("changed: {name}")),
            // What is decided in the same way under another name was renamed.
            None => match new.iter().position(|line| line.1 == *hash) {
                Some(i) => changes.push(format!("renamed: {name} is {}", new.remove(i).0)),
                None => changes.push(format!("gone: {name}")),
            },
        }
    }
    changes.extend(new.iter().map(|(name, _)| format!("new: {name}")));
    changes
}

#[test]
fn tables_are_compared_line_by_line() {
    let known = ["01 tic-tac-toe random", "02 hex uct", "03 hex flat", "04 hex maxn"];
    let now = ["01 tic-tac-toe random", "05 hex uct", "03 hex plain", "06 hex puct"];
    let expected =
        ["changed: hex uct", "renamed: hex flat is hex plain", "gone: hex maxn", "new: hex puct"];
    assert_eq!(changes(&known, &now), expected);
}

/// What is added to the catalog is part of the signature by itself.
#[test]
fn the_signature_covers_the_catalog() {
    let all = signature_entries().unwrap();
    for entry in GameSpec::entries() {
        let n = all.entries.iter().filter(|known| known.game.name() == entry.name).count();
        assert!(n >= 5, "{} has {n} entries", entry.name);
    }
    // A program is known by its command alone, a network by its file.
    let is_code = |name: &str| !["exec", "net"].contains(&name);
    for entry in AgentSpec::entries().iter().filter(|entry| is_code(entry.name)) {
        assert!(all.entries.iter().any(|known| known.agent.name() == entry.name), "{}", entry.name);
    }
}

/// Parameters without an entry, of all games and agents or of one, and why there is none.
const LEFT_OUT: &[(&str, &str, &str)] = &[
    ("*", "time", "what a time allows cannot be repeated"),
    ("*", "cpu", "what a time allows cannot be repeated"),
    ("*", "file", "files are not part of the program"),
    ("*", "code", "maps in one word; what reads them has tests of its own"),
    ("net", "*", "a network is a file"),
    ("exact", "memory", "it plays the same or refuses to"),
    ("exec", "*", "a program is not part of this one"),
    ("experience", "tuned", "it is refused beside the experience that the preset has"),
    ("gdl", "rules", "they are handed over while the program runs"),
    ("tubstap-best", "leaf-batch", "it is refused beside what guides the preset's playouts"),
    ("tubstap-best", "playouts-per-leaf", "it is refused beside what guides the preset's playouts"),
    ("experience", "leaf-batch", "it is refused beside the experience that the preset has"),
    ("experience", "playouts-per-leaf", "it is refused beside the experience that the preset has"),
    ("sangoku-best", "leaf-batch", "no game has batches and what the preset needs"),
    ("sangoku-best", "playouts-per-leaf", "no game has batches and what the preset needs"),
    ("sangoku-best", "value-prior", "no game has facts and what the preset needs"),
    ("sangoku-best", "value-c", "no game has facts and what the preset needs"),
    ("sangoku-best", "cut", "no game has facts and what the preset needs"),
    ("tubstap-best", "value-prior", "no game has facts and what the preset needs"),
    ("tubstap-best", "value-c", "no game has facts and what the preset needs"),
    ("tubstap-best", "cut", "no game has facts and what the preset needs"),
];

/// Parameters that change nothing in the entries they have, and why.
const WITHOUT_EFFECT: &[(&str, &str, &str)] = &[
    ("uct", "leaf-batch", "no leaf waits in few iterations; more have an entry of their own"),
    ("uct", "playouts-per-leaf", "no leaf waits in few iterations"),
    ("ggp-best", "leaf-batch", "no leaf waits in few iterations"),
    ("ggp-best", "playouts-per-leaf", "no leaf waits in few iterations"),
    ("restricted", "margin", "the box of a small board is the whole board"),
    ("sangoku-best", "solver", "nothing is proven in so few iterations"),
    ("sangoku-best", "look-ahead", "nothing ends in so few iterations"),
    ("tubstap-best", "solver", "nothing is proven in so few iterations"),
    ("tubstap-best", "look-ahead", "nothing ends in so few iterations"),
    ("gdl", "memory", "rules that are interpreted play as those that are compiled"),
    ("mizugame", "cell", "no cell is filled in so few sessions"),
    ("mizugame", "tank", "no tank is filled in so few sessions"),
    ("mizugame", "connected", "the map of this seed is connected well enough for both"),
    ("mizugame", "min-jars", "of maps with C2 only"),
    ("mizugame", "max-jars", "of maps with C2 only"),
    ("mizugame", "start-distance", "the teams of this map start further apart"),
    ("mizugame", "payoff", "it is the same for two teams"),
    ("mizugame", "rotates", "no two robots act on a cell in the same frame"),
    ("mizugame", "suck-frames", "no robot sucks in a short match"),
    ("mizugame", "suck-gain", "no robot sucks in a short match"),
    ("mizugame", "tie-break", "scores are not equal"),
];

fn is_listed(list: &[(&str, &str, &str)], name: &str, parameter: &str) -> bool {
    let is = |known: &str, found: &str| known == "*" || known == found;
    list.iter().any(|(of, known, _)| is(of, name) && is(known, parameter))
}

#[test]
fn no_parameter_is_left_out_without_a_reason() {
    let mut left_out = signature_entries().unwrap().left_out;
    left_out.retain(|(name, parameter)| !is_listed(LEFT_OUT, name, parameter));
    assert!(left_out.is_empty(), "without entry and without reason: {left_out:?}");
}

#[test]
fn parameters_change_what_is_decided() {
    let lines = TABLE.iter().map(|line| (line.name.clone(), line.hash));
    let mut known: HashMap<String, u64> = lines.collect();
    let mut hash = |game: &GameSpec, agent: &AgentSpec| -> u64 {
        let name = format!("{game} {agent}");
        *known.entry(name).or_insert_with(|| decisions_hash(game, agent).unwrap())
    };
    let mut has_effect: BTreeMap<(&str, &str), bool> = BTreeMap::new();
    for entry in signature_entries().unwrap().entries {
        let (Some(parameter), Some((game, agent))) = (entry.parameter, &entry.without) else {
            continue;
        };
        let differs = hash(&entry.game, &entry.agent) != hash(game, agent);
        *has_effect.entry(parameter).or_default() |= differs;
    }
    assert!(has_effect.len() > 200, "{} parameters have entries", has_effect.len());
    let silent = |((name, parameter), has_effect): &(&(&str, &str), &bool)| {
        !**has_effect && !is_listed(WITHOUT_EFFECT, name, parameter)
    };
    let silent: Vec<_> = has_effect.iter().filter(silent).map(|(names, _)| names).collect();
    assert!(silent.is_empty(), "without effect and without reason: {silent:?}");
}
