//! Duels: the same on any number of threads, fair to seats, and robust against their agents.

use std::time::Duration;

use sakiyomi_catalog::{AgentSpec, ExecSpec};
use sakiyomi_core::Stop;
use sakiyomi_core::stats::{Hypothesis, Sprt};
use sakiyomi_eval::{DistinctGames, Duel, DuelError, DuelReport, Pairing, run_duel};

fn duel(game: &str, first: &str, second: &str, games: u64) -> Duel {
    let agents = [first.parse().unwrap(), second.parse().unwrap()];
    let pairing = Pairing::new(game.parse().unwrap(), agents, 5);
    Duel { pairing, games, threads: 2, sprt: None }
}

fn run(duel: &Duel) -> DuelReport {
    run_duel(duel, None, &Stop::new(), &mut |_| {}).unwrap()
}

/// All that is reported, less the time it took.
fn facts(report: &DuelReport) -> String {
    let mut report = report.clone();
    report.seconds = 0.0;
    serde_json::to_string(&report).unwrap()
}

#[test]
fn threads_change_nothing() {
    let base = duel("connect-four:5x4", "uct:iterations=60", "uct:iterations=30,tuned", 60);
    let alone = facts(&run(&Duel { threads: 1, ..base.clone() }));
    for threads in [2, 5, 16] {
        assert_eq!(facts(&run(&Duel { threads, ..base.clone() })), alone, "{threads} threads");
    }
    let pairing = Pairing { seed: 6, ..base.pairing.clone() };
    let other = facts(&run(&Duel { pairing, ..base }));
    assert_ne!(other, alone, "another seed is another duel");
}

#[test]
fn the_sequential_test_stops_at_the_same_batch_on_any_number_of_threads() {
    let sprt = Some(Sprt::new(0.0, 100.0, 0.05, 0.05).unwrap());
    let base = Duel { sprt, ..duel("tic-tac-toe", "uct:iterations=50", "random", 10_000) };
    let alone = run(&Duel { threads: 1, ..base.clone() });
    assert_eq!(alone.sprt.as_ref().unwrap().accepted, Some(Hypothesis::H1));
    assert!(alone.games < 200 && alone.games.is_multiple_of(32), "{} games", alone.games);
    assert!(!alone.interrupted);
    for threads in [2, 5] {
        assert_eq!(facts(&run(&Duel { threads, ..base.clone() })), facts(&alone));
    }
    let mut weaker = base;
    weaker.pairing.agents.reverse();
    assert_eq!(run(&weaker).sprt.unwrap().accepted, Some(Hypothesis::H0));
}

#[test]
fn seats_are_balanced_and_add_up() {
    let report = run(&duel("breakthrough:5x5", "uct:iterations=100", "random", 31));
    assert_eq!(report.games, 32, "rounded up, so that both seats are taken equally often");
    assert_eq!(report.seats.len(), 2);
    assert!(report.seats.iter().all(|seat| seat.tally.games() == 16));
    let sum: u64 = report.seats.iter().map(|seat| seat.tally.wins).sum();
    assert_eq!(sum, report.wins);
    assert_eq!(report.wins + report.draws + report.losses, report.games);
    assert!(report.score.unwrap() > 0.8);
    assert!(report.interval.low < report.score.unwrap() && report.interval.high <= 1.0);
    assert!(report.sign_test < 0.01 && report.repeatable);
}

/// Chance is the same in both matches of a pair; the agents' own streams differ.
#[test]
fn equal_agents_are_equal() {
    let report = run(&duel("connect-four", "uct:iterations=40", "uct:iterations=40", 400));
    assert!(report.interval.low < 0.5 && report.interval.high > 0.5, "{:?}", report.interval);
}

#[test]
fn the_report_has_what_machines_read() {
    let report = run(&duel("tic-tac-toe", "uct:iterations=20", "random", 10));
    let json: serde_json::Value = serde_json::from_str(&facts(&report)).unwrap();
    for field in ["games", "wins", "draws", "losses", "score", "interval", "seats", "seed"] {
        assert!(!json[field].is_null(), "{field} is missing");
    }
    assert_eq!(json["games"], 10);
    assert_eq!(json["interval"].as_array().unwrap().len(), 2);
    assert_eq!(json["seats"][1]["wins"].as_u64().map(|wins| wins <= 5), Some(true));
    assert_eq!(
        json["command"],
        "sakiyomi duel tic-tac-toe uct:iterations=20 random --games 10 --seed 5"
    );
}

#[test]
fn a_program_that_fails_loses_games_and_not_the_match() {
    let mut base = duel("tic-tac-toe", "random", "random", 6);
    // Answers the first request of every game and then ends.
    let script = "echo ready; while read -r word rest; do case $word in \
                  legal) set -- $rest;; go) printf 'move\\t%s\\n' \"$1\"; exit 1;; esac; done";
    base.pairing.agents[0] = AgentSpec::from(ExecSpec {
        command: format!("sh -c {}", shlex::try_quote(script).unwrap()),
        time: Duration::from_secs(5),
    });
    let report = run(&base);
    assert_eq!((report.games, report.losses, report.n_forfeits), (6, 6, 6));
    assert!(report.forfeits[0].reason.contains("ended (exit status: 1)"), "{:?}", report.forfeits);
    assert!(!report.repeatable);
}

#[test]
fn a_stop_reports_complete_rounds() {
    let stop = Stop::new();
    let base = duel("connect-four", "uct:iterations=300", "uct:iterations=300", 100_000);
    let report = run_duel(&base, None, &stop, &mut |progress| {
        assert_eq!(progress.games, 100_000);
        if progress.done >= 21 {
            stop.request();
        }
    })
    .unwrap();
    assert!(report.interrupted);
    assert!(report.games >= 16 && report.games.is_multiple_of(2) && report.games < 5_000);
}

#[test]
fn what_cannot_be_played_is_refused_before_it_starts() {
    let stop = Stop::new();
    let error = run_duel(&duel("othello", "uct:pruned", "random", 10), None, &stop, &mut |_| {});
    assert!(matches!(error, Err(DuelError::Spec(_))));
    let error = run_duel(&duel("othello", "uct", "random", 0), None, &stop, &mut |_| {});
    assert!(matches!(error, Err(DuelError::NoGames)));
}

/// A duel goes on where the store ends, and says the same as one that was played at once.
#[test]
fn a_duel_resumes_from_its_store() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s");
    let base = duel("connect-four:5x4", "uct:iterations=40", "uct:iterations=20", 120);
    let whole = facts(&run(&base));
    let part = |games, threads| {
        let part = Duel { games, threads, ..base.clone() };
        run_duel(&part, Some(&file), &Stop::new(), &mut |_| {}).unwrap()
    };
    assert_eq!((part(40, 2).games, part(40, 2).games_before), (40, 40));
    let mut resumed = part(120, 5);
    assert_eq!((resumed.games_before, resumed.games), (40, 120));
    resumed.games_before = 0;
    assert_eq!(facts(&resumed), whole);
    let mut again = part(120, 1);
    assert_eq!(again.games_before, 120, "nothing was left to play");
    again.games_before = 0;
    assert_eq!(facts(&again), whole);
    let stop = Stop::new();
    let more = Duel { games: 100_000, ..base.clone() };
    let stopped = run_duel(&more, Some(&file), &stop, &mut |progress| {
        if progress.tally.games() > 130 {
            stop.request();
        }
    })
    .unwrap();
    assert!(stopped.interrupted && stopped.games > 130);
    assert!(part(stopped.games, 2).games_before == stopped.games, "what was complete is stored");
}

#[test]
fn a_sequential_test_ends_at_the_same_game_with_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s");
    let sprt = Some(Sprt::new(0.0, 100.0, 0.05, 0.05).unwrap());
    let base = Duel { sprt, ..duel("tic-tac-toe", "uct:iterations=50", "random", 100_000_000) };
    let alone = run(&base);
    assert_eq!(alone.sprt.as_ref().unwrap().accepted, Some(Hypothesis::H1));
    for threads in [1, 2, 5] {
        let base = Duel { threads, ..base.clone() };
        let mut stored = run_duel(&base, Some(&file), &Stop::new(), &mut |_| {}).unwrap();
        stored.games_before = 0;
        assert_eq!(facts(&stored), facts(&alone));
    }
}

/// Answers every request with the first legal action.
const FIRST_ACTION: &str = "echo ready; while read -r word rest; do case $word in \
                            legal) set -- $rest;; go) printf 'move\\t%s\\n' \"$1\";; esac; done";

#[test]
fn deterministic_agents_are_told_and_openings_help() {
    let mut base = duel("connect-four:5x4", "random", "random", 20);
    let command = format!("sh -c {}", shlex::try_quote(FIRST_ACTION).unwrap());
    base.pairing.agents = [0, 1]
        .map(|_| {
            AgentSpec::from(ExecSpec { command: command.clone(), time: Duration::from_secs(5) })
        })
        .to_vec();
    let report = run(&base);
    assert_eq!(report.n_forfeits, 0, "{:?}", report.forfeits);
    assert_eq!(report.distinct_games, Some(DistinctGames { games: 20, distinct: 2 }));
    let remark = report.remark.unwrap();
    assert!(
        remark.contains("of 20 games 2 are different: the agents are deterministic"),
        "{remark}"
    );
    let openings = Some("openings=10,plies=4".parse().unwrap());
    let mut opened = base;
    opened.pairing.openings = openings;
    let report = run(&opened);
    assert!(report.distinct_games.unwrap().distinct > 10, "{:?}", report.distinct_games);
    assert_eq!((report.openings, report.remark.clone()), (openings, None));
    assert!(report.command.ends_with("--openings 10 --opening-plies 4"), "{}", report.command);
    assert_eq!(facts(&run(&Duel { threads: 1, ..opened })), facts(&report));
    let noisy = run(&duel("connect-four", "uct:iterations=40", "random", 40));
    assert_eq!(noisy.distinct_games, Some(DistinctGames { games: 40, distinct: 40 }));
    assert_eq!(noisy.remark, None);
}

/// Results are counted, not kept: a hundred million games that are allowed cost nothing in advance.
#[test]
fn games_that_are_only_allowed_cost_nothing() {
    let stop = Stop::new();
    let base = duel("tic-tac-toe", "random", "random", 100_000_000);
    let report = run_duel(&base, None, &stop, &mut |progress| {
        if progress.done > 1_000 {
            stop.request();
        }
    })
    .unwrap();
    assert!(report.interrupted && report.games > 900);
}
