//! Every command that uses several cores gives the same numbers on 1, 2, 3 and 8 threads.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use sakiyomi::core::Stop;
use sakiyomi::eval::{Exploit, Solve, run_exploit, run_solve};
use serde_json::Value;

use crate::{fair, resume};

const THREADS: [usize; 4] = [1, 2, 3, 8];

/// Asks with each number of threads; all answers must be the first one.
fn are_the_same<T: PartialEq + std::fmt::Debug>(what: &str, answer: impl Fn(usize) -> T) {
    let alone = answer(THREADS[0]);
    for threads in &THREADS[1..] {
        assert_eq!(answer(*threads), alone, "{what} on {threads} threads");
    }
}

fn printed(folder: &Path, arguments: &str, threads: usize) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_sakiyomi"))
        .args(arguments.split_whitespace())
        .args(["--threads", &threads.to_string()])
        .current_dir(folder)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn duels_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for agents in ["uct:iterations=40 uct:iterations=20,tuned", "uct:iterations=40,trees=3 random"]
    {
        let duel = format!("duel connect-four:5x4 {agents} --games 30 --json");
        are_the_same(&duel, |threads| {
            let mut report: Value =
                serde_json::from_str(&printed(folder.path(), &duel, threads)).unwrap();
            assert!(report.as_object_mut().unwrap().remove("seconds").is_some());
            report
        });
    }
}

#[test]
fn ratings_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let rate =
        "rate connect-four:5x4 random uct:iterations=20 flat:iterations=30 --games 20 --json";
    are_the_same(rate, |threads| {
        let report: Value = serde_json::from_str(&printed(folder.path(), rate, threads)).unwrap();
        [report["agents"].clone(), report["pairs"].clone()]
    });
}

#[test]
fn runs_are_the_same() {
    for experiment in [resume::EXPERIMENT, resume::MEASUREMENTS] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("resume.toml"), experiment).unwrap();
        are_the_same("run", |threads| {
            let store = format!("store-{threads}");
            let mut run = resume::start(folder.path(), &store, &threads.to_string());
            assert!(run.wait().unwrap().success());
            resume::results(folder.path(), &store)
        });
    }
}

#[test]
fn evolution_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    are_the_same("evolve", |threads| {
        let (out, threads) = (format!("run-{threads}"), threads.to_string());
        let run = fair::output(&fair::evolve(&out, &threads), folder.path());
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        fair::found(folder.path(), &out)
    });
}

#[test]
fn battles_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let ford = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tubstap/ford.tbsmap");
    fs::copy(ford, folder.path().join("ford.tbsmap")).unwrap();
    let battle = "tubstap battle ford.tbsmap --red sample --blue m-uct:iterations=20 --games 10 \
                  --swap --noise-hp -q";
    are_the_same(battle, |threads| printed(folder.path(), battle, threads));
}

/// These work on one thread, and as many of them as there are threads at the same time.
#[test]
fn exact_work_is_the_same_beside_others() {
    let at_once = |threads: usize, answer: &(dyn Fn() -> String + Sync)| {
        let answers: Vec<String> = thread::scope(|scope| {
            let started: Vec<_> = (0..threads).map(|_| scope.spawn(answer)).collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|other| *other == answers[0]), "{answers:?}");
        answers[0].clone()
    };
    are_the_same("solve", |threads| at_once(threads, &solved));
    for agent in ["rm:iterations=300", "duct:iterations=300,trees=3", "uniform"] {
        are_the_same(agent, |threads| at_once(threads, &|| exploited(agent)));
    }
}

fn solved() -> String {
    let game = "hagetaka:n=4".parse().unwrap();
    let solve = Solve { game, memory: 1 << 28, save: None, check: true, threads: 2, layers: None };
    let mut report = run_solve(&solve, &Stop::new(), &mut |_| {}).unwrap();
    (report.cpu_seconds, report.seconds) = (0.0, 0.0);
    serde_json::to_string(&report).unwrap()
}

fn exploited(agent: &str) -> String {
    let exploit = Exploit {
        game: "hagetaka:n=3".parse().unwrap(),
        agent: agent.parse().unwrap(),
        checkpoints: vec![100, 300],
        fresh: false,
        seed: 1,
        memory: 1 << 28,
    };
    let mut report = run_exploit(&exploit, &Stop::new(), &mut |_| {}).unwrap();
    for point in report.curve.iter_mut().chain([&mut report.last]) {
        (point.cpu_seconds, point.search_cpu_seconds) = (0.0, 0.0);
    }
    serde_json::to_string(&report).unwrap()
}
