//! The commands and the routes of fair maps, from outside.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

const MAPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tubstap");

fn sakiyomi(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sakiyomi"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn output(arguments: &[&str], folder: &Path) -> Output {
    sakiyomi(arguments, folder).output().unwrap()
}

/// A small run with both phases and fresh games.
pub(crate) fn evolve<'a>(out: &'a str, threads: &'a str) -> Vec<&'a str> {
    let fixed = "evolve --preset fair --seed 7 --population 8 --elites 2 --generations 2 --stages 4:1,8:0.5 --polish 3 --lineages 4 \
                 --polish-children 2 --polish-games 10 --polish-last-games 40 --judge sample+noise --verify sample+noise \
                 --verify m-uct:iterations=10 --verify-games 60 --quiet";
    fixed.split_whitespace().chain(["--out", out, "--threads", threads]).collect()
}

/// What a run has found: everything that does not depend on when it was stopped.
pub(crate) fn found(folder: &Path, out: &str) -> Vec<String> {
    ["run.json", "gallery.json", "tried.json", "history.csv"]
        .map(|name| fs::read_to_string(folder.join(out).join(name)).unwrap())
        .to_vec()
}

#[test]
fn a_run_that_is_stopped_goes_on_to_the_identical_result() {
    let folder = tempfile::tempdir().unwrap();
    let begin = Instant::now();
    let whole = output(&evolve("whole", "2"), folder.path());
    let time = begin.elapsed();
    assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));
    let expected = found(folder.path(), "whole");
    let gallery: Value = serde_json::from_str(&expected[1]).unwrap();
    assert_eq!(gallery["is_complete"], true);
    assert_eq!(gallery["tried"], 4, "each of those that were refined is tried");
    assert_eq!(gallery["history"].as_array().unwrap().len(), 5);
    for name in ["gallery.html", "maps.svg", "curves.svg"] {
        assert!(folder.path().join("whole").join(name).exists(), "{name}");
    }

    let mut stopped = 0;
    for part in [0.2, 0.4, 0.6, 0.5, 0.3] {
        let mut child = sakiyomi(&evolve("stopped", "1"), folder.path()).spawn().unwrap();
        thread::sleep(time.mul_f64(part).max(Duration::from_millis(30)));
        let id = child.id().to_string();
        Command::new("kill").args(["-INT", &id]).stderr(Stdio::null()).status().unwrap();
        match child.wait().unwrap().code() {
            Some(130) => stopped += 1,
            // One that was not yet listening ends like any program; nothing may be broken by that either.
            code => assert!(matches!(code, Some(0) | None), "{code:?}"),
        }
    }
    assert!(stopped > 0, "no run was stopped before it was complete");
    assert!(output(&evolve("stopped", "2"), folder.path()).status.success());
    assert_eq!(found(folder.path(), "stopped"), expected);

    let mut other = evolve("whole", "2");
    other.extend(["--tournament", "4"]);
    let refused = output(&other, folder.path());
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("other settings"));
}

#[test]
fn maps_are_judged_and_the_reason_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let judge = |map: &str| {
        let arguments = ["fairness", map, "--agents", "sample+noise", "m-uct:iterations=10"];
        let games = ["--games", "100", "--seed", "3", "--json", "--quiet"];
        let output = output(&[arguments.as_slice(), &games].concat(), folder.path());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let fairness = judge(&format!("{MAPS}/ford.tbsmap"));
    for judge in fairness["judges"].as_array().unwrap() {
        let number = |value: &Value| value.as_u64().unwrap();
        let games = number(&judge["wins"][0]) + number(&judge["wins"][1]) + number(&judge["draws"]);
        assert_eq!(games, 100);
        // In a turn a side acts once with each of its units, so the limit of turns is far below.
        let actions = judge["mean_actions"].as_f64().unwrap();
        assert!(actions > 29.0 && judge["mean_turns"].is_null(), "{judge}");
    }
    assert_eq!(fairness, judge(&format!("{MAPS}/ford.tbsmap")), "the same seed, the same games");

    // BLUE's units have one hit point each.
    let text = fs::read_to_string(format!("{MAPS}/ford.tbsmap")).unwrap();
    let weak: String = text
        .lines()
        .map(|line| match line.split(',').collect::<Vec<_>>().as_slice() {
            [x, y, kind, "1", _, flag] => format!("{x},{y},{kind},1,1,{flag}\r\n"),
            _ => format!("{line}\r\n"),
        })
        .collect();
    assert_ne!(weak.lines().collect::<Vec<_>>(), text.lines().collect::<Vec<_>>());
    fs::write(folder.path().join("weak.tbsmap"), weak).unwrap();
    let unfair = judge("weak.tbsmap");
    assert_eq!(unfair["is_fair"], false);
    assert_eq!(unfair["judges"][0]["unfair"][0], "first-side");

    let missing = output(&["fairness", "missing.tbsmap"], folder.path());
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("missing.tbsmap"));
}

/// A run that is terminated in its first generation, which may take hours, keeps its games.
#[cfg(unix)]
#[test]
fn a_run_that_is_terminated_before_its_first_generation_keeps_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let run =
        "evolve --preset paper --judge m-uct:iterations=200 --population 200 --quiet --out run";
    let arguments: Vec<&str> = run.split(' ').collect();
    let mut child = sakiyomi(&arguments, folder.path()).spawn().unwrap();
    let begin = Instant::now();
    while !folder.path().join("run/maps").exists() && begin.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    Command::new("kill").args(["-TERM", &id]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("stopped before the first generation was complete"), "{text}");
    let kept = fs::read_to_string(folder.path().join("run/run.json")).unwrap();
    assert!(kept.starts_with("{\"checksum\":\"") && kept.contains("\"begun\":["), "{kept}");
}
