//! A match as text: one line of JSON per session, the start included.
//!
//! A line tells the frame, all robots, the cells whose water has changed since the line before, and
//! the scores:
//! ```text
//! {"frame":180,"robots":[{"x":10,"y":10,"tank":3,"busy":0,"queue":"0AA"},..],
//!  "changed":[[10,10,0,2],..],"scores":[1,..]}
//! ```
//! `queue` is what the robot has been ordered for the session that follows. A changed cell is
//! `[x, y, team, amount]`; where no water is left, the amount is 0 and the team the one that had it.

use serde::{Deserialize, Serialize};

use super::cells::Cell;
use super::map::{MAX_TEAMS, Map, TEAM_ROBOTS, TextError, error};
use super::orders::{Orders, Plan};
use super::water::{Pool, Water};
use super::{Field, Position};

/// One line of a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayLine {
    pub frame: u32,
    /// Three for each team.
    pub robots: Vec<ReplayRobot>,
    /// x, y, team and amount.
    pub changed: Vec<(i32, i32, u8, u8)>,
    pub scores: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayRobot {
    pub x: i32,
    pub y: i32,
    pub tank: u32,
    /// Frames until the action that runs has ended.
    pub busy: u16,
    pub queue: String,
}

impl Field {
    /// The line of a position. `before` is the position of the line before it, and `orders` are those
    /// that the coming session carries out, one for each team, if it is known already.
    pub fn replay_line(
        &self,
        before: Option<&Position>,
        position: &Position,
        orders: &[Orders],
    ) -> ReplayLine {
        let robots = self.robots(position).iter().enumerate().map(|(i, robot)| ReplayRobot {
            x: robot.cell.x(),
            y: robot.cell.y(),
            tank: robot.tank,
            busy: robot.busy,
            queue: orders
                .get(i / TEAM_ROBOTS)
                .map_or(Plan::EMPTY, |orders| orders.0[i % TEAM_ROBOTS])
                .to_string(),
        });
        let changed = Cell::all().filter_map(|cell| {
            let old = before.and_then(|before| before.water.at(cell));
            let new = position.water.at(cell);
            let shown = new.or(old.map(|pool| Pool { amount: 0, ..pool }))?;
            (old != new).then_some((cell.x(), cell.y(), shown.team, shown.amount))
        });
        ReplayLine {
            frame: u32::from(position.session) * u32::from(self.settings.session_frames),
            robots: robots.collect(),
            changed: changed.collect(),
            scores: (0..self.n_teams()).map(|team| position.water.score(team)).collect(),
        }
    }

    /// The replay of a whole match, from the orders of every decision in it.
    pub fn replay(&self, decisions: &[Vec<Orders>]) -> Vec<ReplayLine> {
        let mut position = self.start();
        let mut lines = Vec::new();
        let mut before: Option<Position> = None;
        let mut due = vec![Orders::NONE; self.n_teams()];
        for orders in decisions {
            if self.settings.latency == 0 {
                due.clone_from(orders);
            }
            lines.push(self.replay_line(before.as_ref(), &position, &due));
            before = Some(position.clone());
            self.run_session(&mut position, &due);
            due.clone_from(orders);
        }
        if self.settings.latency > 0 && position.session + 1 == self.settings.sessions {
            lines.push(self.replay_line(before.as_ref(), &position, &due));
            before = Some(position.clone());
            self.run_session(&mut position, &due);
        }
        lines.push(self.replay_line(before.as_ref(), &position, &[]));
        lines
    }
}

/// The lines as text.
pub fn replay_text(lines: &[ReplayLine]) -> String {
    let json = |line: &ReplayLine| serde_json::to_string(line).expect("a line is plain data");
    lines.iter().map(|line| json(line) + "\n").collect()
}

/// Reads a replay on a map, and checks that its scores are those of its water.
pub fn read_replay(map: &Map, text: &str) -> Result<Vec<ReplayLine>, TextError> {
    let mut lines: Vec<ReplayLine> = Vec::new();
    let mut water = Water::default();
    for (number, text) in text.lines().enumerate().map(|(i, text)| (i + 1, text)) {
        let line: ReplayLine = match serde_json::from_str(text) {
            Ok(line) => line,
            Err(problem) => {
                let (column, what) = (problem.column(), problem.to_string());
                let what = what.split(" at line ").next().unwrap_or_default();
                let expected = "expected an object with frame, robots, changed and scores";
                return error(number, format!("column {column}: {what}; {expected}"));
            }
        };
        let last = lines.last().map(|line| line.frame);
        match last {
            None if line.frame != 0 => {
                return error(number, format!("frame {}; the first must be 0", line.frame));
            }
            Some(last) if line.frame <= last => {
                let what = format!("frame {}; it must be after {last}", line.frame);
                return error(number, what);
            }
            _ => {}
        }
        check_robots(map, number, &line)?;
        check_water(map, number, &line, &mut water)?;
        lines.push(line);
    }
    match lines.is_empty() {
        true => error(1, "no line; expected at least the one of frame 0"),
        false => Ok(lines),
    }
}

fn check_robots(map: &Map, number: usize, line: &ReplayLine) -> Result<(), TextError> {
    let n = map.n_teams() * TEAM_ROBOTS;
    if line.robots.len() != n {
        return error(number, format!("{} robots; the map has {n}", line.robots.len()));
    }
    for (i, robot) in line.robots.iter().enumerate() {
        let ReplayRobot { x, y, queue, .. } = robot;
        if !Cell::at(*x, *y).is_some_and(|cell| map.terrain(cell).is_open()) {
            return error(number, format!("robot {i} at ({x}, {y}), where the map has no ground"));
        }
        if Plan::parse(queue).is_none() {
            let what = "expected up to 9 of 0 to 5, A and `.`, or `-`";
            return error(number, format!("robot {i} has the queue `{queue}`; {what}"));
        }
    }
    Ok(())
}

fn check_water(
    map: &Map,
    number: usize,
    line: &ReplayLine,
    water: &mut Water,
) -> Result<(), TextError> {
    let n_teams = map.n_teams();
    for &(x, y, team, amount) in &line.changed {
        let cell = Cell::at(x, y).filter(|&cell| map.terrain(cell).is_ground());
        let Some(cell) = cell else {
            return error(number, format!("water at ({x}, {y}), which is not plain or rough"));
        };
        if usize::from(team) >= n_teams {
            let last = n_teams - 1;
            return error(number, format!("water of team {team}; teams are 0 to {last}"));
        }
        water.set(map, cell, Some(Pool { team, amount }));
    }
    let mut scores = [0; MAX_TEAMS];
    for (team, score) in scores.iter_mut().enumerate() {
        *score = water.score(team);
    }
    match line.scores == scores[..n_teams] {
        true => Ok(()),
        false => {
            let (found, right) = (&line.scores, &scores[..n_teams]);
            error(
                number,
                format!("the scores are {found:?}; with this water they must be {right:?}"),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use sakiyomi_core::{Game, Player, Rng, Turn};

    use super::*;
    use crate::mizugame::Mizugame;
    use crate::mizugame::settings::{MapSettings, Settings};

    fn short_match(latency: u8) -> (Field, Vec<ReplayLine>, Position) {
        let map = Map::generate(&MapSettings::default(), 5).unwrap();
        let settings = Settings { latency, sessions: 12, ..Settings::default() };
        let game = Mizugame::new(vec![map], &settings).unwrap();
        let mut state = game.start();
        let (mut rng, mut decisions) = (Rng::new(1), Vec::new());
        while let Turn::Choose(who) = game.turn(&state) {
            let mut choose = |player: Player| {
                let mut actions = Vec::new();
                game.actions(&state, player, &mut actions);
                actions[rng.below(actions.len())]
            };
            let orders: Vec<Orders> = who.map(&mut choose).collect();
            game.apply(&mut state, &orders);
            decisions.push(orders);
        }
        let field = game.field(&state);
        (field.clone(), field.replay(&decisions), state)
    }

    #[test]
    fn a_replay_ends_where_the_match_does() {
        for latency in [0, 1] {
            let (field, lines, end) = short_match(latency);
            assert_eq!(lines.len(), 13);
            let last = field.replay_line(None, &end, &[]);
            assert_eq!(lines[12].frame, 12 * 180);
            assert_eq!((&lines[12].robots, &lines[12].scores), (&last.robots, &last.scores));
            let text = replay_text(&lines);
            assert_eq!(read_replay(field.map(), &text).unwrap(), lines);
        }
    }

    #[test]
    fn broken_replays_say_what_would_be_right() {
        let (field, lines, _) = short_match(0);
        let text = replay_text(&lines);
        let broken = |from: &str, to: &str| {
            let text = text.replacen(from, to, 1);
            read_replay(field.map(), &text).unwrap_err().to_string()
        };
        assert_eq!(broken("\"frame\":0", "\"frame\":7"), "line 1: frame 7; the first must be 0");
        assert_eq!(
            broken("\"frame\":360", "\"frame\":10"),
            "line 3: frame 10; it must be after 180"
        );
        assert!(broken("\"tank\":0", "\"tank\":-1").starts_with("line 1: column "));
        assert!(broken("\"busy\"", "\"lazy\"").contains("unknown field `lazy`"));
        assert!(broken("\"scores\":[0", "\"scores\":[1").contains("they must be [0, 0"));
        assert!(broken("\"x\":", "\"x\":9").contains("no ground"));
        assert!(read_replay(field.map(), "").unwrap_err().message.contains("frame 0"));
        for cut in (0..text.len().min(3_000)).step_by(97) {
            let _ = read_replay(field.map(), &text[..cut]);
        }
    }
}
