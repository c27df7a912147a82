//! Files that are not text: networks, solutions, stores.

use std::fs;
use std::path::Path;

use sakiyomi::catalog::{AgentSpec, GameSpec, load_solution, open_table};
use sakiyomi::core::{Player, Stop};
use sakiyomi::eval::Store;

/// Puts the bytes into a file of a folder of its own, which is removed afterwards. Its name is new
/// each time, since some readers keep what they have read by its name.
fn with_file(bytes: &[u8], read: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().expect("a folder for a file");
    let path = folder.path().join("file");
    fs::write(&path, bytes).expect("room for a small file");
    read(&path);
}

/// A network that is tried on a game and asked once.
pub(crate) fn network(bytes: &[u8]) {
    with_file(bytes, |path| {
        let game: GameSpec = "tic-tac-toe".parse().expect("a game of the catalog");
        let agent = format!("net:file={},iterations=3", path.display());
        let agent: AgentSpec = agent.parse().expect("a path without commas");
        let mut table = open_table(&game, 1).expect("a small game");
        if table.seat(Player(0), &agent).is_ok() {
            let _ = table.think(Player(0), &Stop::new());
        }
    });
}

/// A solution of the smallest game that has one.
pub(crate) fn solution(bytes: &[u8]) {
    with_file(bytes, |path| {
        let game: GameSpec = "hagetaka:n=2".parse().expect("a game of the catalog");
        if let Ok(values) = load_solution(path, &game) {
            assert!(values.values().all(|value| (0.0..=1.0).contains(value)));
        }
    });
}

/// A store whose cells, units, games and records are all looked at.
pub(crate) fn store(bytes: &[u8]) {
    with_file(bytes, |path| {
        let Ok(store) = Store::open_existing(path) else { return };
        let _ = store.network_matches();
        let _ = store.each_game(|_| {});
        for cell in store.cells().unwrap_or_default().into_iter().take(20) {
            let _ = (store.count(cell.id, cell.round, 1_000), store.done(cell.id));
            let _ = store.each_unit(cell.id, |_| {});
            for game in store.kept(cell.id, 5).unwrap_or_default() {
                let _ = store.record(cell.id, game);
            }
        }
    });
}
