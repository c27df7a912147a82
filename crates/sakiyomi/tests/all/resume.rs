//! Experiments survive being killed at any moment, and being run by several processes at once.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;

use serde_json::Value;

pub(crate) const EXPERIMENT: &str = r#"
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

pub(crate) const MEASUREMENTS: &str = r#"
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

pub(crate) fn start(folder: &Path, store: &str, threads: &str) -> Child {
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
pub(crate) fn results(folder: &Path, store: &str) -> Vec<Value> {
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
        "measured",
    ];
    cells.map(|cell| fields.iter().map(|&field| cell[field].clone()).collect()).collect()
}

/// Parts of a whole that look random and are always the same.
fn parts(n: u32) -> impl Iterator<Item = f64> {
    (0..n).map(|i| f64::from(i.wrapping_mul(0x9e37_79b9) % 1000) / 1000.0)
}

#[test]
fn twenty_kills_change_nothing() {
    kills_change_nothing(EXPERIMENT, 400, 20);
}

#[test]
fn kills_change_nothing_in_measurements() {
    kills_change_nothing(MEASUREMENTS, 40, 8);
}

/// Kills runs at moments spread over the time that an undisturbed run takes, whatever that is here. A
/// store that is complete before its next kill must be right, and makes room for another one.
fn kills_change_nothing(experiment: &str, n_results: u64, kills: u32) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("resume.toml"), experiment).unwrap();
    let begin = Instant::now();
    assert!(start(folder.path(), "undisturbed", "1").wait().unwrap().success());
    let whole = begin.elapsed();
    let expected = results(folder.path(), "undisturbed");
    assert!(expected.iter().all(|cell| cell[1] == n_results), "{expected:?}");
    let (mut n_killed, mut n_stores) = (0, 0);
    for part in parts(kills) {
        let store = format!("killed-{n_stores}");
        let mut child = start(folder.path(), &store, "2");
        thread::sleep(whole.mul_f64(part));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            assert_eq!(results(folder.path(), &store), expected);
            n_stores += 1;
        } else {
            child.kill().unwrap();
            child.wait().unwrap();
            n_killed += 1;
        }
    }
    assert!(n_killed > 0, "all runs were complete before they could be killed");
    let store = format!("killed-{n_stores}");
    assert!(start(folder.path(), &store, "2").wait().unwrap().success());
    assert_eq!(results(folder.path(), &store), expected);
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
