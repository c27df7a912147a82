//! Experiments survive being killed at any moment, and being run by several processes at once.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

const EXPERIMENT: &str = r#"
id = "resume"
title = "A test"
kind = "duels"
game = "tic-tac-toe"
second = "uct:iterations=100"
[scale.quick]
games = 400
[scale.paper]
games = 1000
[[duel]]
name = "a"
first = "uct:iterations=150"
[[duel]]
name = "b"
first = "uct:iterations=50,tuned"
[[duel]]
name = "c"
first = "flat:iterations=100"
"#;

const MEASUREMENTS: &str = r#"
id = "measure"
title = "A test"
kind = "exploitability"
game = "hagetaka:n=3"
x = { label = "iterations", values = [10, 100, 1000], log = true }
[scale.quick]
runs = 40
[scale.paper]
runs = 100
[[series]]
name = "RM"
agent = "rm:iterations={x}"
[[series]]
name = "DUCT(mix)"
agent = "duct:iterations={x},mix"
[[claim]]
text = "more is better"
test = "nash_conv(RM @ 1000) < nash_conv(RM @ 10)"
"#;

fn start(folder: &Path, store: &str, threads: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_sakiyomi"))
        .args(["run", "resume.toml", "--unit-seconds", "0.02", "--store", store])
        .args(["--threads", threads])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// What the store has of every cell, games and outcomes.
fn results(folder: &Path, store: &str) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_sakiyomi"))
        .args(["report", "resume.toml", "--json", "--store", store])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cells = report[0]["cells"].as_array().unwrap().iter();
    let fields = [
        "name",
        "games",
        "wins",
        "draws",
        "losses",
        "seats",
        "mean_turns",
        "mean_length_of_won",
        "nash_conv",
    ];
    cells.map(|cell| fields.iter().map(|&field| cell[field].clone()).collect()).collect()
}

/// Numbers that look random and are always the same.
fn moments(n: u64) -> impl Iterator<Item = Duration> {
    (0..n).map(|i| Duration::from_millis(20 + i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 260))
}

#[test]
fn twenty_kills_change_nothing() {
    kills_change_nothing(EXPERIMENT, 400, 20);
}

#[test]
fn kills_change_nothing_in_measurements() {
    kills_change_nothing(MEASUREMENTS, 40, 8);
}

fn kills_change_nothing(experiment: &str, n_results: u64, kills: u64) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("resume.toml"), experiment).unwrap();
    assert!(start(folder.path(), "undisturbed", "1").wait().unwrap().success());
    let expected = results(folder.path(), "undisturbed");
    assert!(expected.iter().all(|cell| cell[1] == n_results), "{expected:?}");
    let mut n_killed = 0;
    for moment in moments(kills) {
        let mut child = start(folder.path(), "killed", "2");
        thread::sleep(moment);
        n_killed += u64::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(n_killed * 4 > kills, "only {n_killed} were killed in the middle");
    assert!(start(folder.path(), "killed", "2").wait().unwrap().success());
    assert_eq!(results(folder.path(), "killed"), expected);
}

#[test]
fn processes_share_a_store() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("resume.toml"), EXPERIMENT).unwrap();
    assert!(start(folder.path(), "alone", "2").wait().unwrap().success());
    let mut children: Vec<Child> = (0..4).map(|_| start(folder.path(), "shared", "1")).collect();
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_eq!(results(folder.path(), "shared"), results(folder.path(), "alone"));
}
