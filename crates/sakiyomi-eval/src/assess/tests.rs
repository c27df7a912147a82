use sakiyomi_catalog::AgentSpec;

use super::*;
use crate::assess::verdict::Fairness;

fn plan(game: &GameSpec, strengths: &[u64], games: u64) -> Plan {
    Plan::of_sizes(game, strengths.to_vec(), games, Vec::new()).unwrap()
}

fn assess(game: &str, strengths: &[u64], games: u64, threads: usize) -> Assess {
    let game: GameSpec = game.parse().unwrap();
    let plan = plan(&game, strengths, games);
    Assess { game, plan, seed: 1, threads, minutes: 5.0 }
}

fn run(assess: &Assess, store: Option<&Path>) -> AssessReport {
    let report = run_assess(assess, store, &Stop::new(), &mut |_| {}).unwrap();
    AssessReport { seconds: 0.0, cpu_seconds: 0.0, ..report }
}

#[test]
fn an_assessment_is_the_same_on_any_number_of_threads_and_from_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store");
    let alone = run(&assess("tic-tac-toe", &[5, 20], 12, 1), None);
    assert_eq!(run(&assess("tic-tac-toe", &[5, 20], 12, 3), None), alone);
    assert_eq!(run(&assess("tic-tac-toe", &[5, 20], 12, 2), Some(&file)), alone);
    let mut played = Vec::new();
    let again = assess("tic-tac-toe", &[5, 20], 12, 2);
    run_assess(&again, Some(&file), &Stop::new(), &mut |progress| played.push(progress.done))
        .unwrap();
    let total = 12 * (alone.players.len() + alone.ladder.len()) as u64;
    assert!(played.contains(&total), "everything was in the store: {played:?}");
    assert_eq!(run(&again, Some(&file)), alone);
}

#[test]
fn perfect_play_is_found_where_it_can_be() {
    let report = run(&assess("tic-tac-toe", &[10, 40], 20, 2), None);
    assert_eq!(report.exact.values, Some(vec![0.5, 0.5]));
    let report = run(&assess("connect-four:4x4", &[10, 40], 4, 2), None);
    assert_eq!(report.exact.values, Some(vec![0.5, 0.5]), "{:?}", report.exact);
    // With three cells each way the first player of hex wins.
    let report = run(&assess("hex:3x3", &[10, 40], 20, 2), None);
    assert_eq!(report.exact.values, Some(vec![1.0, 0.0]));
    let larger = run(&assess("pie:hex:3x3", &[10, 40], 2, 2), None);
    assert_eq!(larger.exact.values, Some(vec![0.0, 1.0]), "{:?}", larger.exact);
    assert_eq!(report.verdict.fairness, Fairness::Unfair);
    assert!(report.verdict.sentence.contains("with perfect play"), "{}", report.verdict.sentence);
}

#[test]
fn every_kind_of_game_has_at_least_four_kinds_of_players() {
    for game in [
        "connect-four",
        "sangoku",
        "tubstap",
        "hagetaka:players=3",
        "gdl:sheet=free-for-all",
        "mizugame",
    ] {
        let game: GameSpec = game.parse().unwrap();
        let plan = plan(&game, &[10, 40], 2);
        let players = plan.players();
        let texts: Vec<String> = players.iter().map(AgentSpec::to_string).collect();
        let mut kinds: Vec<Kind> = players.iter().map(Kind::of).collect();
        kinds.dedup();
        let enough = if game.name() == "mizugame" { 2 } else { 4 };
        assert!(kinds.len() >= enough && players.len() >= 4, "{game}: {texts:?} {kinds:?}");
    }
}

#[test]
fn three_players_and_one_have_scores_too() {
    let report = run(&assess("hagetaka:n=5,players=3", &[10, 40], 9, 2), None);
    let sum: f64 = report.players[0].seats.iter().map(|seat| seat.score).sum();
    assert!((sum - 1.0).abs() < 1e-9, "the points of a game add up to 1");
    assert_eq!((report.seats.len(), report.ladder[0].games), (3, 9));
    let puzzle = run(&assess("gdl:sheet=sliding-eight", &[10, 40], 2, 2), None);
    assert_eq!(puzzle.verdict.fairness, Fairness::OneSeat);
}

#[test]
fn what_was_stopped_tells_what_is_complete() {
    let stop = Stop::new();
    stop.request();
    let stopped = run_assess(&assess("othello", &[10, 40], 4, 2), None, &stop, &mut |_| {});
    let report = stopped.unwrap();
    assert!(report.interrupted && report.players.is_empty());
    assert!(report.verdict.sentence.starts_with("No conclusion"));
}

#[test]
fn sizes_follow_from_the_budget_and_are_checked() {
    let game: GameSpec = "tic-tac-toe".parse().unwrap();
    let within = |minutes| Plan::within(&game, minutes, 1, Vec::new(), &Stop::new()).unwrap();
    let small = within(0.003);
    let large = within(50.0);
    assert!(small.strengths.last() < large.strengths.last(), "{small:?} {large:?}");
    assert_eq!((large.strengths.len(), large.games), (LEVELS, 400));
    let sizes = |strengths: &[u64], games| {
        Plan::of_sizes(&game, strengths.to_vec(), games, Vec::new()).unwrap_err().to_string()
    };
    assert!(sizes(&[10, 5], 4).contains("rise") && sizes(&[5], 0).contains("0 games"));
}
