//! Names with parameters, and experiments made of them.

use std::path::Path;

use sakiyomi::catalog::{AgentSpec, GameSpec, open_table, parse_bytes};
use sakiyomi::core::Player;
use sakiyomi::eval::experiment::{Experiment, Scale};
use sakiyomi::eval::{Openings, parse_agents};
use sakiyomi::evolve::Judge;

/// Games and agents as text, TOML and JSON; what is read is written and read again. Games are
/// opened and agents seated, where that needs no file and starts no program.
pub(crate) fn spec(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = (parse_bytes(&text), text.parse::<Openings>(), text.parse::<Judge>());
    let _ = parse_agents(&text);
    let games = [text.parse().ok(), serde_json::from_str(&text).ok(), toml::from_str(&text).ok()];
    for game in games.into_iter().flatten() {
        let game: GameSpec = game;
        assert_eq!(game.to_string().parse().as_ref(), Ok(&game), "{text}");
        if game.file().is_none() && !matches!(game.base(), GameSpec::Gdl(_)) {
            let _ = open_table(&game, 1);
        }
    }
    let agents = [text.parse().ok(), serde_json::from_str(&text).ok(), toml::from_str(&text).ok()];
    for agent in agents.into_iter().flatten() {
        let agent: AgentSpec = agent;
        assert_eq!(agent.to_string().parse().as_ref(), Ok(&agent), "{text}");
        if !agent.uses_machine() {
            let game: GameSpec = "tic-tac-toe".parse().expect("a game of the catalog");
            let mut table = open_table(&game, 1).expect("a small game");
            let _ = table.seat(Player(0), &agent);
        }
    }
}

/// Experiments, down to their cells.
pub(crate) fn experiment(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(experiment) = Experiment::read(Path::new("fuzzed.toml"), &text) else { return };
    let _ = (experiment.cells(Scale::Quick), experiment.cells(Scale::Paper), experiment.kind());
}
