//! A position of every game, for its picture in the list.

use std::sync::OnceLock;

use sakiyomi_catalog::{
    AgentSpec, Entry, GameSpec, PlayerFace, Table, TableError, game_presets, open_table,
};
use sakiyomi_core::{Player, Stop, Turn, View};

/// Choices into the match: far enough for something to be seen.
const CHOICES: usize = 12;
const AGENT: &str = "uct:iterations=100";
/// Games that are played by others, or for longer, until something is seen.
const OTHER: &[(&str, &str, usize)] = &[("mizugame", "strong-painter", 300)];

/// What is drawn of a game.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) view: View,
    pub(super) players: Vec<PlayerFace>,
}

/// One sample for each of the games that are listed, in order. They are played once, at the first request.
pub(super) fn samples() -> &'static [Sample] {
    static SAMPLES: OnceLock<Vec<Sample>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        GameSpec::entries().iter().map(|entry| sample(entry).unwrap_or_default()).collect()
    })
}

/// A game that cannot be played is listed without a picture.
impl Default for Sample {
    fn default() -> Sample {
        Sample { view: View::default(), players: Vec::new() }
    }
}

fn sample(entry: &Entry) -> Result<Sample, TableError> {
    let presets = game_presets(entry);
    let game: GameSpec = presets.first().map_or(entry.name, String::as_str).parse()?;
    let other = OTHER.iter().find(|(name, _, _)| *name == entry.name);
    let (agent, choices) = other.map_or((AGENT, CHOICES), |(_, agent, choices)| (agent, *choices));
    let agent: AgentSpec = agent.parse()?;
    let mut table = open_table(&game, 1)?;
    let mut n_choices = 0;
    while n_choices < choices {
        let before = shown(table.as_ref());
        let Turn::Choose(who) = table.turn() else { return Ok(before) };
        let decide = |player| Ok(table.advise(&agent, player, &Stop::new())?.action);
        let texts: Vec<String> = who.map(decide).collect::<Result<_, TableError>>()?;
        n_choices += texts.len();
        table.play(&texts.iter().map(String::as_str).collect::<Vec<_>>())?;
        if matches!(table.turn(), Turn::Over(_)) {
            return Ok(before);
        }
    }
    Ok(shown(table.as_ref()))
}

fn shown(table: &dyn Table) -> Sample {
    let players = (0..table.players()).map(|i| table.player_face(Player(i as u8))).collect();
    Sample { view: table.view(), players }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_picture() {
        for (entry, sample) in GameSpec::entries().iter().zip(samples()) {
            let has_pieces = |view: &View| {
                view.board.as_ref().is_some_and(|b| b.cells.iter().any(|c| c.top().is_some()))
            };
            let has_cards = |view: &View| view.players.iter().any(|player| player.hand.is_some());
            assert!(has_pieces(&sample.view) || has_cards(&sample.view), "{}", entry.name);
            assert!(!sample.players.is_empty());
        }
    }
}
