//! Games that are solved by layers, and agents that are exploited by playing against them.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

use super::cli::{is_refused, json, succeeds};

#[test]
fn layers_are_kept_and_not_solved_again() {
    let folder = tempfile::tempdir().unwrap();
    let layers = folder.path().join("layers").display().to_string();
    let solve = ["solve", "goofspiel:n=5", "--layers", &layers, "--json"];
    let without_times = |mut report: Value| {
        for key in ["cpu_seconds", "seconds"] {
            report.as_object_mut().unwrap().remove(key).unwrap();
        }
        report
    };
    let first = without_times(json(&solve));
    assert_eq!(first["values"], serde_json::json!([0.5, 0.5]));
    assert!(first["nash_conv_bound"].as_f64().unwrap() < 1e-9, "{first}");
    let last = folder.path().join("layers/layer-05");
    let solved_last = fs::read(&last).unwrap();
    fs::remove_file(&last).unwrap();
    assert_eq!(without_times(json(&solve)), first, "the last layer is solved again");
    assert_eq!(fs::read(&last).unwrap(), solved_last);
    assert_eq!(without_times(json(&solve)), first, "all layers are there");
    is_refused(
        &["solve", "goofspiel:n=4", "--layers", &layers],
        &["layer-01", "rounds=1", "another folder would be right"],
    );
    let mut damaged = solved_last;
    damaged[60] ^= 1;
    fs::write(&last, damaged).unwrap();
    is_refused(&solve, &["layer-05: is damaged"]);
    is_refused(&["solve", "tic-tac-toe", "--layers", &layers], &["not solved by layers"]);
    let much = ["solve", "goofspiel:n=13", "--memory", "1GiB"];
    is_refused(&much, &["MiB and 1024 MiB are allowed"]);
    let checked = succeeds(&["solve", "hagetaka:n=4,payoff=point-difference", "--check"]);
    assert!(checked.contains("NashConv is at most") && checked.contains("NashConv of the"));
}

/// A program that overlooks one of the lines is beaten on it, and the game opens as a record.
#[test]
fn the_weakness_of_a_program_is_found() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3");
        return;
    }
    let bot = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/blind_bot.py");
    let bot = format!("exec:python3 -S {}", bot.display());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("match.json").display().to_string();
    let report = json(&[
        "exploit",
        "tic-tac-toe",
        &bot,
        "--search-games",
        "120",
        "--games",
        "10",
        "--record",
        &file,
        "--json",
    ]);
    assert_eq!((&report["found"], &report["n_forfeits"]), (&true.into(), &0.into()), "{report}");
    let record: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(record, report["record"]);
    let own: Vec<&str> = record["moves"]
        .as_array()
        .unwrap()
        .iter()
        .skip(report["record_seat"].as_u64().unwrap() as usize)
        .step_by(2)
        .map(|step| step[0].as_str().unwrap())
        .collect();
    assert!(["c3", "b2", "a1"].iter().all(|cell| own.contains(cell)), "{own:?}");
    assert!(succeeds(&["replay", &file]).contains("b2"), "it opens as a record");
}

#[test]
fn who_cannot_be_exploited_is_not() {
    let exploit = ["exploit", "tic-tac-toe", "exact", "--search-games", "100", "--games", "20"];
    let text = succeeds(&exploit);
    assert!(text.contains("nothing found") && text.contains("no proof"), "{text}");
    is_refused(&["exploit", "tic-tac-toe", "random", "--minutes", "0"], &["minutes above 0"]);
    let both = ["exploit", "tic-tac-toe", "random", "--minutes", "1", "--search-games", "5"];
    is_refused(&both, &["cannot be used with"]);
    is_refused(&["exploit", "tic-tac-toe", "random", "--games", "10"], &["--minutes"]);
}
