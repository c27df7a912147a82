//! The signature of all behaviour. A commit that changes it on purpose changes the file too:
//! `sakiyomi bench --signature > tests/signature.txt`.

use sakiyomi::bench::{signature, signature_pairs};
use sakiyomi_catalog::{AgentSpec, GameSpec};

#[test]
fn behaviour_is_as_it_was() {
    let known = include_str!("../../../tests/signature.txt").trim();
    assert_eq!(format!("{:016x}", signature().unwrap()), known);
}

/// What is added to the catalog is part of the signature without further ado.
#[test]
fn the_signature_covers_the_catalog() {
    let pairs = signature_pairs().unwrap();
    for entry in GameSpec::entries() {
        let n = pairs.iter().filter(|(game, _)| game.name() == entry.name).count();
        assert!(n >= 5, "{} has {n} agents", entry.name);
    }
    // A program is known by its command alone, a network by its file.
    let is_code = |name: &str| !["exec", "net"].contains(&name);
    for entry in AgentSpec::entries().iter().filter(|entry| is_code(entry.name)) {
        assert!(pairs.iter().any(|(_, agent)| agent.name() == entry.name), "{}", entry.name);
    }
}
