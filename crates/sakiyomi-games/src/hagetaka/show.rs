//! What people see: the table, the deck, and everyone's hand and total.

use sakiyomi_core::{Game, Panel, Player, Show, Turn, View};

use super::{Card, Hagetaka, NONE, Position};

impl Show for Hagetaka {
    fn action_text(&self, _: &Position, _: Player, action: Card) -> String {
        (action.0 + 1).to_string()
    }

    fn outcome_text(&self, _: &Position, outcome: Card) -> String {
        signed(self.values[outcome.0 as usize])
    }

    fn view(&self, position: &Position) -> View {
        let mut panels = Vec::new();
        let mut panel = |title: String, text: String| panels.push(Panel { title, text });
        if position.turned != NONE || position.stake != 0 {
            let value = match position.turned {
                NONE => 0,
                place => self.values[place as usize],
            };
            let carried = position.stake - value;
            panel(
                "on the table".to_owned(),
                match carried {
                    0 => signed(value),
                    _ => format!("{} and {} carried over", signed(value), signed(carried)),
                },
            );
        }
        let places = |bits: u32| (0..32).filter(move |place| bits >> place & 1 == 1);
        let deck = places(position.deck).map(|place| signed(self.values[place as usize]));
        panel("face down".to_owned(), list(deck));
        for player in 0..self.players() {
            let hand = places(position.hands[player]).map(|card| (card + 1).to_string());
            let text = format!("{} points, holds {}", position.totals[player], list(hand));
            panel(self.player_name(Player(player as u8)), text);
        }
        View { board: None, panels, caption: self.caption(position) }
    }
}

impl Hagetaka {
    fn caption(&self, position: &Position) -> String {
        match self.turn(position) {
            Turn::Chance => "a vulture card is turned over".to_owned(),
            Turn::Choose(_) if position.stake < 0 => {
                format!("everyone plays a card; the lowest takes {}", signed(position.stake))
            }
            Turn::Choose(_) => {
                format!("everyone plays a card; the highest takes {}", signed(position.stake))
            }
            Turn::Over(_) => {
                let totals = &position.totals[..self.players()];
                let best = totals.iter().max().copied().unwrap_or_default();
                let winners = (0..self.players()).filter(|&player| totals[player] == best);
                let names: Vec<String> =
                    winners.map(|player| self.player_name(Player(player as u8))).collect();
                format!("{} with {best} points", names.join(" and "))
            }
        }
    }
}

fn signed(value: i16) -> String {
    format!("{value:+}")
}

fn list(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() { "nothing".to_owned() } else { texts.join(" ") }
}
