//! The binary as a user meets it: output, errors and exit codes.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

fn sakiyomi(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("sakiyomi").unwrap();
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> Output {
    sakiyomi(arguments).output().unwrap()
}

fn succeeds(arguments: &[&str]) -> String {
    let output = output(arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {text}{errors}");
    text
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&succeeds(arguments)).unwrap()
}

/// Checks that the command fails with exit code 2 and an error that has these parts.
fn is_refused(arguments: &[&str], parts: &[&str]) {
    let output = output(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    for part in parts {
        assert!(errors.contains(part), "{arguments:?}: `{part}` is not in: {errors}");
    }
}

#[test]
fn every_command_has_help_with_an_example() {
    for command in ["games", "agents", "play", "duel", "bench", "perft", "completions"] {
        let help = succeeds(&[command, "--help"]);
        assert!(help.contains("Example") && help.contains("sakiyomi "), "{command}: {help}");
    }
    assert!(succeeds(&["--help"]).contains("Exit codes: 0"));
}

#[test]
fn lists_name_everything_and_are_json_on_request() {
    let games = succeeds(&["games"]);
    assert!(games.contains("connect-four") && games.contains("width"));
    let agents = json(&["agents", "--json"]);
    let names: Vec<&str> =
        agents.as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"uct") && names.contains(&"exec"), "{names:?}");
}

#[test]
fn bad_input_is_refused_with_what_would_be_right() {
    is_refused(&["duel", "conect-four", "uct", "random"], &["did you mean `connect-four`?"]);
    is_refused(&["duel", "connect-four", "utc", "random"], &["did you mean `uct`?", "known:"]);
    is_refused(&["duel", "connect-four:2x2", "uct", "random"], &["2x2", "at least 4"]);
    is_refused(&["duel", "breakthrough:99x99", "uct", "random"], &["99x99", "at most 128"]);
    is_refused(&["duel", "othello", "uct:pruned", "random"], &["othello has no rule"]);
    is_refused(&["duel", "othello", "uct", "random", "--games", "0"], &["0"]);
    is_refused(&["duel", "othello", "uct", "random", "--sprt", "5,0"], &["elo0 = 5", "less than"]);
    is_refused(&["duel", "othello", "uct", "random", "--sprt", "x"], &["expected numbers"]);
    is_refused(&["duel", "othello", "uct"], &["SECOND"]);
    is_refused(&["play", "chess"], &["no game is called `chess`", "known: tic-tac-toe"]);
    is_refused(&["play", "othello", "--seat", "uct:c=x"], &["`c` must be a number"]);
    let three = ["play", "othello", "--seat", "uct", "--seat", "uct", "--seat", "uct"];
    is_refused(&three, &["3 seats are named, but othello has 2"]);
    is_refused(&["bench", "--agent", "random"], &["no tree search"]);
    is_refused(&["bench", "--seconds", "0"], &["positive"]);
    is_refused(&["perft"], &["GAME"]);
    is_refused(&["dual"], &["duel"]);
}

#[test]
fn a_person_plays_a_whole_match() {
    let played =
        sakiyomi(&["play", "tic-tac-toe", "--seat", "human", "--seat", "human", "--record"])
            .write_stdin("help\nmoves\nz9\nB2\nundo\nundo\nb2\na1\nhint maxn:depth=9\nb1\na2\nb3\n")
            .output()
            .unwrap();
    let text = String::from_utf8(played.stdout).unwrap();
    assert!(played.status.success(), "{text}");
    assert!(text.contains("a1 b1 c1 a2 b2 c2 a3 b3 c3"), "moves are listed: {text}");
    assert!(text.contains("`z9` is not legal"), "{text}");
    assert!(text.contains("there is nothing to take back"), "{text}");
    assert!(text.contains("maxn:depth=9 would play"), "{text}");
    assert!(text.contains("x (human): 1"), "{text}");
    assert!(text.contains("\"moves\""), "{text}");
}

#[test]
fn undo_goes_back_to_the_persons_turn() {
    let played =
        sakiyomi(&["play", "connect-four", "--seat", "human", "--seat", "uct:iterations=50"])
            .write_stdin("d\nundo\nrecord\nquit\n")
            .output()
            .unwrap();
    let text = String::from_utf8(played.stdout).unwrap();
    assert!(played.status.success() && text.contains("\"moves\": []"), "{text}");
}

#[test]
fn a_closed_input_is_an_error_and_not_a_panic() {
    is_refused(&["play", "connect-four"], &["standard input ended"]);
}

#[test]
fn agents_play_by_themselves() {
    let text =
        succeeds(&["play", "breakthrough:5x5", "--seat", "uct:iterations=50", "--seat", "random"]);
    assert!(text.contains("plays") && text.contains("(random):"), "{text}");
}

#[test]
fn a_duel_prints_a_table_and_json() {
    let arguments = ["duel", "tic-tac-toe", "uct:iterations=100", "random", "--games", "20"];
    let text = succeeds(&arguments);
    assert!(text.contains("| all "), "{text}");
    assert!(text.contains("repeat with: sakiyomi duel tic-tac-toe"), "{text}");
    let report = json(&[&arguments[..], &["--json", "--threads", "1"]].concat());
    let again = json(&[&arguments[..], &["--json", "--threads", "3"]].concat());
    for field in
        ["games", "wins", "draws", "losses", "score", "interval", "seats", "seed", "command"]
    {
        assert!(!report[field].is_null(), "{field} is missing");
        assert_eq!(report[field], again[field], "{field} depends on the threads");
    }
}

#[test]
fn bench_measures_and_signs() {
    let report =
        json(&["bench", "tic-tac-toe", "--seconds", "0.01", "--simulations", "200", "--json"]);
    let game = &report["games"][0];
    for field in ["playouts_per_cpu_second", "simulations_per_cpu_second", "bytes_per_node"] {
        assert!(game[field].as_f64().unwrap() > 0.0, "{field}");
    }
    let signature = succeeds(&["bench", "--signature"]);
    assert_eq!(signature, include_str!("../../../tests/signature.txt"));
}

#[test]
fn perft_counts() {
    let counts = json(&["perft", "othello", "--depth", "5", "--json"]);
    assert_eq!(counts["counts"][4]["sequences"], 1396);
}

#[test]
fn completions_are_printed() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(succeeds(&["completions", shell]).contains("sakiyomi"));
    }
}

#[test]
fn the_example_program_plays_every_game() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3");
        return;
    }
    let bot = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bot.py");
    let bot = format!("exec:python3 {}", fs::canonicalize(bot).unwrap().display());
    for game in ["tic-tac-toe", "connect-four", "breakthrough:5x5", "othello"] {
        let report = json(&["duel", game, &bot, "random", "--games", "4", "--json"]);
        assert_eq!(report["n_forfeits"], 0, "{game}: {}", report["forfeits"]);
    }
}
