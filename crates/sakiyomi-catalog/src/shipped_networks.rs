//! The networks that come with the program, from `networks/`; docs/results/networks.md says how each was made.

use crate::GameSpec;

macro_rules! networks {
    ($($game:literal: $file:literal),+ $(,)?) => {
        &[$(($game, include_bytes!(concat!("../networks/", $file, ".onnx")) as &[u8])),+]
    };
}

/// Games as they are written in full, and their networks.
const NETWORKS: &[(&str, &[u8])] = networks![
    "connect-four": "connect-four",
    "othello": "othello",
    "breakthrough": "breakthrough",
    "hex:width=7,height=7": "hex-7x7",
];

/// The games that a network comes for, as texts.
pub fn games_with_networks() -> impl Iterator<Item = &'static str> {
    NETWORKS.iter().map(|(game, _)| *game)
}

/// The network of a game as ONNX, if one comes with the program, and the game that it was taught.
pub(crate) fn shipped_network(game: &GameSpec) -> Option<(&'static str, &'static [u8])> {
    let text = game.to_string();
    NETWORKS.iter().find(|(of, _)| *of == text).copied()
}
