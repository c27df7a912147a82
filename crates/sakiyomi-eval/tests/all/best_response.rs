//! Responses that are found by playing, against exact best responses.

use sakiyomi_core::Stop;
use sakiyomi_eval::{
    BestResponse, Exploit, ResponseBudget, ResponseReport, run_best_response, run_exploit,
};

fn respond(
    game: &str,
    agent: &str,
    search_games: u64,
    games: u64,
    threads: usize,
) -> ResponseReport {
    let request = BestResponse {
        game: game.parse().unwrap(),
        agent: agent.parse().unwrap(),
        budget: ResponseBudget::Games(search_games),
        games,
        seed: 1,
        threads,
    };
    run_best_response(&request, &Stop::new(), &|_| {}).unwrap()
}

/// What the best response gains per player.
fn best_gain(game: &str, agent: &str) -> f64 {
    let exploit = Exploit {
        game: game.parse().unwrap(),
        agent: agent.parse().unwrap(),
        checkpoints: Vec::new(),
        fresh: true,
        seed: 1,
        memory: 1 << 28,
    };
    run_exploit(&exploit, &Stop::new(), &mut |_| {}).unwrap().last.exploitability
}

#[test]
fn a_response_gains_at_most_what_the_best_one_does() {
    for (game, agent) in [
        ("hagetaka:n=4", "sp"),
        ("goofspiel:n=3", "random"),
        ("hagetaka:n=4,payoff=point-difference", "sp"),
    ] {
        let (best, found) = (best_gain(game, agent), respond(game, agent, 600, 60, 2));
        assert!(found.found, "{game} {agent}: {found:?}");
        assert!(found.exploitability_interval.low <= best + 1e-9, "{game}: {best}, {found:?}");
        assert!(found.exploitability > 0.5 * best, "{game} {agent}: {best}, {found:?}");
    }
}

/// Equal shares of the point are what three players get if no one exploits anyone.
#[test]
fn three_players_share_the_point() {
    let (game, agent) = ("hagetaka:n=3,players=3", "random");
    let (best, found) = (best_gain(game, agent), respond(game, agent, 60, 60, 2));
    assert!((found.fair - 1.0 / 3.0).abs() < 1e-12 && found.seats.len() == 3, "{found:?}");
    assert!(found.exploitability_interval.low <= best + 1e-9, "{best}, {found:?}");
}

#[test]
fn nothing_is_found_against_an_equilibrium() {
    for game in ["tic-tac-toe", "goofspiel:n=3"] {
        let report = respond(game, "exact", 200, 40, 2);
        assert!(!report.found && report.exploitability_interval.low <= 0.0, "{report:?}");
        assert_eq!(report.fair, 0.5);
    }
}

#[test]
fn the_same_is_found_on_any_number_of_threads() {
    let text = |threads| {
        let mut report = respond("connect-four:5x4", "uct:iterations=20", 60, 8, threads);
        report.seconds = 0.0;
        serde_json::to_string(&report).unwrap()
    };
    let one = text(1);
    assert!([2, 3].into_iter().all(|threads| text(threads) == one), "{one}");
}
