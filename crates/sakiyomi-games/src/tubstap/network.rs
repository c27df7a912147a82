//! The messages of network play: lines from a server to its two players, and their answers.
//!
//! The server sends `command arguments` and a line end. A player answers `= text` and an empty line. After
//! `name`, `opponent`, `MAP` (the whole text of a map file in one line) and `Color` come `Genmove`, answered with
//! the eleven fields of an action, and `play` with the action of the other, until `gameover`.

use sakiyomi_core::{Game, Player};

use super::cells::bits;
use super::trace::read_fields;
use super::{Action, FileError, Map, State, Status, Tubstap, read_map, write_map};

/// The port of the original's server.
pub const PORT: u16 = 7777;

/// Lines beyond this are refused; the largest map has about 6,000 characters without its comment.
pub const MAX_LINE_BYTES: u64 = 1 << 16;

/// What a server asks or tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// What the player is called.
    Name,
    /// What the other player is called.
    Opponent(String),
    Map(Box<Map>),
    /// Which side the player has: 0 is RED, 1 is BLUE.
    Color(u8),
    /// What the player does now.
    Genmove,
    /// What the other player did, as eleven fields.
    Play(String),
    /// The match has ended, in the server's words.
    GameOver(String),
    Status,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    #[error(
        "`{0}` is no command; known are name, opponent, MAP, Color, Genmove, play, gameover and status"
    )]
    Unknown(String),
    #[error("the map cannot be read: {0}")]
    Map(#[from] FileError),
    #[error("Color is `{0}`, but it must be 0 (RED) or 1 (BLUE)")]
    Color(String),
}

impl Order {
    /// Reads a line of a server. Capitals do not matter in commands.
    pub fn read(line: &str) -> Result<Order, OrderError> {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        Ok(match command.to_ascii_lowercase().as_str() {
            "name" => Order::Name,
            "opponent" => Order::Opponent(rest.to_owned()),
            "map" => Order::Map(Box::new(read_map(rest.as_bytes())?.0)),
            "color" => match rest {
                "0" => Order::Color(0),
                "1" => Order::Color(1),
                _ => return Err(OrderError::Color(shown(rest))),
            },
            "genmove" => Order::Genmove,
            "play" => Order::Play(rest.to_owned()),
            "gameover" => Order::GameOver(rest.to_owned()),
            "status" => Order::Status,
            _ => return Err(OrderError::Unknown(shown(command))),
        })
    }

    /// The line that a server sends.
    pub fn text(&self) -> String {
        match self {
            Order::Name => "name".to_owned(),
            Order::Opponent(name) => format!("opponent {}", one_line(name)),
            Order::Map(map) => format!("MAP {}", one_line(&write_map(map))),
            Order::Color(color) => format!("Color {color}"),
            Order::Genmove => "Genmove".to_owned(),
            Order::Play(fields) => format!("play {fields}"),
            Order::GameOver(words) => format!("gameover {}", one_line(words)).trim_end().to_owned(),
            Order::Status => "status".to_owned(),
        }
    }
}

/// The text of an answer line, if it is one.
pub fn read_answer(line: &str) -> Option<&str> {
    line.trim().strip_prefix('=').map(str::trim)
}

/// An answer with its empty line.
pub fn answer_line(text: &str) -> String {
    format!("= {}\r\n\r\n", one_line(text))
}

fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], "")
}

/// The beginning of what someone sent, for an error message.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

/// The numbers of an action's kind in its ninth field.
const SURRENDER: &str = "0";
const END_OF_TURN: &str = "3";

impl<const W: usize, const N: usize> Tubstap<W, N> {
    /// The eleven fields of an action that is legal. The end of a turn becomes the stay of the first unit that has not acted;
    /// the action that the fields stand for is returned too.
    pub fn action_fields(&self, state: &State<W, N>, action: Action) -> Option<(Action, String)> {
        let action = if action == Action::END {
            let unit = bits(self.unfinished(state, state.to_move()?)).next()?;
            Action::go(unit, state.cells[usize::from(unit)])
        } else {
            action
        };
        let mut after = *state;
        self.act(&mut after, action);
        Some((action, self.fields_text(state, &after, action)))
    }

    /// Plays the action of eleven fields for the side to move, or says why not. Damage is computed, not taken from the
    /// fields. An end of turn is returned as such; a surrender is no action.
    pub fn play_fields(
        &self,
        state: &mut State<W, N>,
        fields: &str,
    ) -> Result<Option<Action>, String> {
        let Status::ToMove(player) = state.status else {
            return Err("the match is over".to_owned());
        };
        let parts: Vec<&str> = fields.split(',').map(str::trim).collect();
        if parts.len() != 11 {
            return Err(format!("`{}` has {} fields, not 11", shown(fields), parts.len()));
        }
        let action = match parts[8] {
            SURRENDER => {
                self.resign(state, player);
                return Ok(None);
            }
            END_OF_TURN => Action::END,
            _ => read_fields(self, state, player, fields).ok_or_else(|| {
                format!("{} is not legal for {}", shown(fields), side_name(player))
            })?,
        };
        self.apply(state, &[action]);
        Ok(Some(action))
    }

    /// Who has won, in words for a message; none if the match goes on.
    pub fn result_text(&self, state: &State<W, N>) -> Option<&'static str> {
        match state.status {
            Status::ToMove(_) => None,
            Status::Won(Player(0)) => Some("RED wins"),
            Status::Won(_) => Some("BLUE wins"),
            Status::Drawn => Some("draw"),
        }
    }
}

fn side_name(player: Player) -> &'static str {
    ["RED", "BLUE"][player.index() & 1]
}

#[cfg(test)]
mod tests {
    use sakiyomi_core::{Rng, Turn};

    use super::*;
    use crate::tubstap::{Attacks, Settings, Small};

    fn game() -> Small {
        let bytes = include_bytes!("../../../../games/tubstap/air.tbsmap");
        let settings = Settings { attacks: Attacks::All, ..Settings::default() };
        Small::new(&read_map(bytes).unwrap().0, settings).unwrap()
    }

    #[test]
    fn orders_are_written_and_read() {
        let map = game().map().clone();
        for order in [
            Order::Name,
            Order::Opponent("M-UCT".to_owned()),
            Order::Map(Box::new(map)),
            Order::Color(1),
            Order::Genmove,
            Order::Play("1,2,3,4,5,-1,0,0,1,0,0".to_owned()),
            Order::GameOver("RED wins".to_owned()),
            Order::Status,
        ] {
            let text = order.text();
            assert!(!text.contains('\n'), "{text}");
            assert_eq!(Order::read(&format!("{text}\r\n")).unwrap(), order);
        }
        assert_eq!(Order::read("GENMOVE").unwrap(), Order::Genmove);
        let message = |line: &str| Order::read(line).unwrap_err().to_string();
        assert!(message("resign").contains("`resign` is no command"));
        assert!(message("Color 7").contains("must be 0 (RED)"));
        assert!(message("MAP SIZEX[1000000000];").contains("SIZEX"));
        assert_eq!(read_answer(&answer_line("a\nb")), Some("ab"));
        assert_eq!(read_answer("? no"), None);
    }

    #[test]
    fn fields_take_a_match_to_its_end() {
        let game = game();
        let (mut state, mut other, mut rng) = (game.start(), game.start(), Rng::new(8));
        while let Turn::Choose(who) = game.turn(&state) {
            let player = who.single().unwrap();
            let drawn = game.random_action(&state, player, &mut Vec::new(), &mut rng);
            let (action, fields) = game.action_fields(&state, drawn).unwrap();
            assert_eq!(fields.split(',').count(), 11);
            game.apply(&mut state, &[action]);
            game.play_fields(&mut other, &fields).unwrap();
            assert_eq!(other, state);
        }
        assert!(game.result_text(&state).is_some());
        assert!(game.play_fields(&mut other, "0,1,1,1,1,-1,0,0,1,0,0").is_err());
    }

    #[test]
    fn odd_actions_are_understood_or_refused() {
        let game = game();
        let mut state = game.start();
        for (fields, expected) in [
            ("", "1 fields"),
            ("1,2", "2 fields"),
            ("99,1,1,1,1,-1,0,0,1,0,0", "not legal for RED"),
            ("x,1,1,1,1,-1,0,0,1,0,0", "not legal for RED"),
        ] {
            let message = game.play_fields(&mut state, fields).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
        game.play_fields(&mut state, "0,0,0,0,0,-1,0,0,3,0,0").unwrap();
        assert_eq!((state.turns(), state.to_move()), (1, Some(Player(1))));
        game.play_fields(&mut state, "0,0,0,0,0,-1,0,0,0,0,0").unwrap();
        assert_eq!(game.result_text(&state), Some("RED wins"));
    }
}
