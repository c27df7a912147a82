//! Replays, `.sgf`: the text of the map, then what was done turn by turn.

use sakiyomi_core::{Game, Player};

use super::cells::bits;
use super::file::{map_of_tags, write_map};
use super::tags::{FileError, Tag, Warnings, decode, numbers, plain, tags};
use super::trace::read_fields;
use super::{Action, Map, State, Status, Tubstap};

const RULE: &str = "rule_set_version_0100";

/// A recorded match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    pub map: Map,
    /// When it was played, in whatever words.
    pub date: String,
    /// RED's name and BLUE's.
    pub players: [String; 2],
    pub turns: Vec<ReplayTurn>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayTurn {
    /// Completed turns before it.
    pub number: u32,
    pub team: u8,
    pub actions: Vec<ReplayAction>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayAction {
    /// Unit, where to (x, y), where from, target or -1, where that stands, type (1 move, 2 attack),
    /// damage and counter.
    pub fields: [i64; 11],
    /// What the player logged.
    pub comment: Option<String>,
}

impl ReplayAction {
    pub fn fields_text(&self) -> String {
        self.fields.map(|field| field.to_string()).join(",")
    }
}

pub fn read_replay(bytes: &[u8]) -> Result<(Replay, Warnings), FileError> {
    let tags = tags(&decode(bytes));
    let (map, mut warnings) = map_of_tags(&tags)?;
    let mut replay =
        Replay { map, date: String::new(), players: Default::default(), turns: Vec::new() };
    let mut announced = Vec::new();
    for tag in &tags {
        match tag.key.as_str() {
            "PLAYEDDATE" => replay.date = tag.value.clone(),
            "PLAYERRED" => replay.players[0] = tag.value.clone(),
            "PLAYERBLUE" => replay.players[1] = tag.value.clone(),
            "TURNINFO" => announced.push((tag.line, read_turn(tag, &mut replay)?)),
            "ACTION" => {
                let fields = numbers(tag, Some(11))?;
                let turn = replay.turns.last_mut().ok_or_else(|| {
                    FileError::at(tag.line, "ACTION[] before the first TURNINFO[]")
                })?;
                let fields = fields.try_into().expect("there are eleven");
                turn.actions.push(ReplayAction { fields, comment: None });
            }
            "COM" => {
                let last = replay.turns.last_mut().and_then(|turn| turn.actions.last_mut());
                let action =
                    last.ok_or_else(|| FileError::at(tag.line, "COM[] before the first ACTION[]"))?;
                action.comment = Some(tag.value.clone());
            }
            _ => {}
        }
    }
    for ((line, n), turn) in announced.into_iter().zip(&replay.turns) {
        if n != turn.actions.len() as i64 {
            let text = format!("TURNINFO[] announces {n} actions, not {}", turn.actions.len());
            warnings.add(FileError::at(line, text));
        }
    }
    Ok((replay, warnings))
}

/// Begins a turn and returns how many actions it announces.
fn read_turn(tag: &Tag, replay: &mut Replay) -> Result<i64, FileError> {
    let values = numbers(tag, Some(3))?;
    let number = u32::try_from(values[0]).ok();
    let team = u8::try_from(values[1]).ok().filter(|&team| team < 2);
    let (Some(number), Some(team)) = (number, team) else {
        let text = "TURNINFO[] is the turn from 0, the team 0 or 1, and the number of actions";
        return Err(FileError::at(tag.line, text));
    };
    replay.turns.push(ReplayTurn { number, team, actions: Vec::new() });
    Ok(values[2])
}

pub fn write_replay(replay: &Replay) -> String {
    let [red, blue] = replay.players.each_ref().map(|name| plain(name));
    let mut text = write_map(&replay.map);
    text += &format!(
        "PLAYEDDATE[{}];\nPLAYEDRULE[{RULE}];\nPLAYERRED[{red}]PLAYERBLUE[{blue}];\n",
        plain(&replay.date)
    );
    for turn in &replay.turns {
        let ReplayTurn { number, team, actions } = turn;
        text += &format!("TURNINFO[{number},{team},{}];\n", actions.len());
        for action in actions {
            text += &format!("ACTION[{}];\n", action.fields_text());
            if let Some(comment) = &action.comment {
                text += &format!("COM[{}];\n", plain(comment));
            }
        }
    }
    text
}

impl<const W: usize, const N: usize> Tubstap<W, N> {
    /// The map with the units as they stand in a state, which must have lost none. A replay of a
    /// match with noise carries this map.
    pub fn map_at(&self, state: &State<W, N>) -> Map {
        let mut map = self.rules.map.clone();
        for (i, unit) in map.units.iter_mut().enumerate() {
            if let Some((x, y)) = self.position(state, i) {
                (unit.x, unit.y) = (x, y);
                unit.hit_points = state.hit_points[i];
                unit.team = self.side(i).0;
            }
        }
        map
    }

    /// The turns of a match from a state, after the noise, by its actions. The stays that an end of
    /// turn stands for are written out. All actions must be legal.
    pub fn replay_turns(&self, start: &State<W, N>, actions: &[Action]) -> Vec<ReplayTurn> {
        let mut turns: Vec<ReplayTurn> = Vec::new();
        let mut state = *start;
        for &action in actions {
            let Some(player) = state.to_move() else { break };
            if turns.last().is_none_or(|turn| turn.number != state.turns()) {
                let number = state.turns();
                turns.push(ReplayTurn { number, team: player.0, actions: Vec::new() });
            }
            let turn = turns.last_mut().expect("it was just begun");
            let stays = self.unfinished(&state, player);
            let single = [action];
            let steps: Vec<Action> = if action == Action::END {
                bits(stays).map(|unit| Action::go(unit, state.cells[unit as usize])).collect()
            } else {
                single.to_vec()
            };
            for step in steps {
                let before = state;
                self.act(&mut state, step);
                let text = self.fields_text(&before, &state, step);
                let fields: Vec<i64> =
                    text.split(',').map(|field| field.parse().expect("a number")).collect();
                let fields = fields.try_into().expect("there are eleven");
                turn.actions.push(ReplayAction { fields, comment: None });
            }
            self.pass_turns(&mut state);
        }
        turns
    }

    /// Plays a replay by the rules, from the start of this game, and returns the state it leads to
    /// and its actions; or what is not legal.
    pub fn play_replay(&self, replay: &Replay) -> Result<(State<W, N>, Vec<Action>), String> {
        let mut state = self.start();
        let mut actions = Vec::new();
        for turn in &replay.turns {
            for (i, recorded) in turn.actions.iter().enumerate() {
                let place = format!("turn {}, action {i}", turn.number);
                if state.turns() != turn.number || state.status != Status::ToMove(Player(turn.team))
                {
                    return Err(format!("{place}: it is not team {}'s turn", turn.team));
                }
                let text = recorded.fields_text();
                let action = read_fields(self, &state, Player(turn.team), &text)
                    .ok_or_else(|| format!("{place}: {text} is not legal"))?;
                let before = state;
                self.act(&mut state, action);
                let found = self.fields_text(&before, &state, action);
                if found != text {
                    return Err(format!("{place}: {text} should be {found}"));
                }
                actions.push(action);
                self.pass_turns(&mut state);
            }
        }
        Ok((state, actions))
    }
}

#[cfg(test)]
mod tests {
    use sakiyomi_core::{Rng, Turn};

    use super::*;
    use crate::tubstap::{Settings, Small, read_map};

    #[test]
    fn replays_are_written_read_and_played() {
        let bytes = include_bytes!("../../../../games/tubstap/air.tbsmap");
        let game = Small::new(&read_map(bytes).unwrap().0, Settings::default()).unwrap();
        let (mut state, mut rng, mut actions) = (game.start(), Rng::new(4), Vec::new());
        while let Turn::Choose(who) = game.turn(&state) {
            let player = who.single().unwrap();
            let drawn = game.random_action(&state, player, &mut Vec::new(), &mut rng);
            // An end of turn is written out as stays.
            let action = if actions.len() == 2 { Action::END } else { drawn };
            actions.push(action);
            game.apply(&mut state, &[action]);
        }
        let mut replay = Replay {
            map: game.map_at(&game.start()),
            date: "today".to_owned(),
            players: ["one".to_owned(), "two".to_owned()],
            turns: game.replay_turns(&game.start(), &actions),
        };
        replay.turns[0].actions[0].comment = Some("first,0".to_owned());
        let (read, warnings) = read_replay(write_replay(&replay).as_bytes()).unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!(read, replay);
        assert_eq!(game.play_replay(&read).unwrap().0, state);

        let mut wrong = replay.clone();
        wrong.turns[0].actions[0].fields[10] += 1;
        assert!(game.play_replay(&wrong).unwrap_err().starts_with("turn 0, action 0"));
        wrong.turns[0].actions[0].fields[0] = 99;
        assert!(game.play_replay(&wrong).unwrap_err().ends_with("is not legal"));
    }

    #[test]
    fn faulty_replays_are_named() {
        let map = include_str!("../../../../games/tubstap/pass.tbsmap");
        let message =
            |text: &str| read_replay(format!("{map}{text}").as_bytes()).unwrap_err().message;
        assert_eq!(
            message("ACTION[1,1,1,1,1,1,1,1,1,1,1];"),
            "ACTION[] before the first TURNINFO[]"
        );
        assert_eq!(message("TURNINFO[0,0,1];ACTION[1,2];"), "ACTION[] has 2 numbers, not 11");
        assert_eq!(message("COM[x];"), "COM[] before the first ACTION[]");
        assert!(message("TURNINFO[0,7,1];").starts_with("TURNINFO[] is the turn"));
    }
}
