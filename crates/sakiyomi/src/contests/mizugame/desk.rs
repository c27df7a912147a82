//! What passes between the clock and the teams: the field as it is published, and the orders that have
//! come in since.

use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use sakiyomi_core::{Board, Cell, View};

/// Robots of a team.
const ROBOTS: usize = 3;
/// The longest string of commands; what is longer is malformed.
const MAX_COMMANDS: usize = 9;

/// Shared by the clock and all requests.
#[derive(Debug)]
pub struct Desk {
    tokens: Vec<String>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    phase: Phase,
    /// Sessions that have passed, and all of them.
    session: usize,
    sessions: usize,
    /// When the orders that come in now are collected.
    next: Option<Instant>,
    /// The field as XML, without its head.
    field: String,
    /// The orders of each team for the session to come, if any came.
    orders: Vec<Option<[String; ROBOTS]>>,
    has_called: Vec<bool>,
    n_malformed: Vec<u64>,
    n_late: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Until all teams have called.
    Waiting,
    Running,
    Over,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::Waiting => "waiting",
            Phase::Running => "running",
            Phase::Over => "over",
        }
    }
}

/// Why a command was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    #[error("no team has this token")]
    Token,
    #[error("`{0}` is given twice")]
    Twice(String),
    #[error("`{0}` is no field of a command; expected machine_1, machine_2, machine_3 and token")]
    Field(String),
    #[error("a command needs a token")]
    NoToken,
}

impl Desk {
    /// A desk for teams with these tokens; a team without one is not played over the network.
    pub fn new(tokens: Vec<Option<String>>, sessions: usize) -> Desk {
        let n = tokens.len();
        let has_called = tokens.iter().map(Option::is_none).collect();
        let state = State {
            phase: Phase::Waiting,
            session: 0,
            sessions,
            next: None,
            field: String::new(),
            orders: vec![None; n],
            has_called,
            n_malformed: vec![0; n],
            n_late: vec![0; n],
        };
        // An empty token is that of no request.
        let tokens = tokens.into_iter().map(Option::unwrap_or_default).collect();
        Desk { tokens, state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether every team has asked for something.
    pub(super) fn is_complete(&self) -> bool {
        self.lock().has_called.iter().all(|&has_called| has_called)
    }

    /// Publishes a field and takes orders for the session after it until `next`.
    pub(super) fn publish(&self, session: usize, view: &View, next: Option<Instant>) {
        let field = field_text(view);
        let mut state = self.lock();
        (state.session, state.field, state.next) = (session, field, next);
        state.phase = if next.is_some() { Phase::Running } else { state.phase };
    }

    /// The match is over; what comes now is late.
    pub(super) fn close(&self, session: usize, view: &View) {
        self.publish(session, view, None);
        self.lock().phase = Phase::Over;
    }

    /// Takes what was ordered: for each team the last orders that came, as text.
    pub(super) fn collect(&self) -> Vec<Option<String>> {
        let mut state = self.lock();
        let orders = state.orders.iter_mut().map(Option::take);
        orders.map(|orders| orders.map(|robots| robots.join(" "))).collect()
    }

    /// Strings that made no sense, and commands that came before or after the match, of each team.
    pub(super) fn faults(&self) -> Vec<[u64; 2]> {
        let state = self.lock();
        state.n_malformed.iter().zip(&state.n_late).map(|(&a, &b)| [a, b]).collect()
    }

    /// The field as XML. Who asks with a token is known to be there.
    pub(super) fn map(&self, query: &str) -> String {
        let token = pairs(query).find(|(key, _)| key == "token").map(|(_, value)| value);
        let mut state = self.lock();
        if let Some(team) = token.and_then(|token| self.team(&token)) {
            state.has_called[team] = true;
        }
        let State { phase, session, sessions, next, field, .. } = &*state;
        let left =
            next.map_or(0.0, |next| next.saturating_duration_since(Instant::now()).as_secs_f64());
        format!(
            "<map state=\"{}\" session=\"{session}\" sessions=\"{sessions}\" next=\"{left:.3}\">\n{field}</map>\n",
            phase.name()
        )
    }

    /// Takes a command such as `machine_1=0A&machine_2=&machine_3=1&token=abc`, and says as XML what
    /// became of it. A robot whose string is missing or malformed gets no orders.
    pub(super) fn command(&self, query: &str) -> Result<String, Refused> {
        let mut said: [Option<String>; ROBOTS] = Default::default();
        let mut token = None;
        for (key, value) in pairs(query) {
            let number = key.strip_prefix("machine_").and_then(|n| n.parse::<usize>().ok());
            let place = match number {
                Some(n @ 1..=ROBOTS) => &mut said[n - 1],
                _ if key == "token" => &mut token,
                _ => return Err(Refused::Field(key)),
            };
            if place.replace(value).is_some() {
                return Err(Refused::Twice(key));
            }
        }
        let team = self.team(&token.ok_or(Refused::NoToken)?).ok_or(Refused::Token)?;
        let mut state = self.lock();
        state.has_called[team] = true;
        let mut answers = [""; ROBOTS];
        let orders = std::array::from_fn(|i| {
            let text = said[i].as_deref().unwrap_or_default();
            let is_plain = text.chars().all(|c| "012345A.".contains(c));
            answers[i] = match text {
                "" | "-" => "empty",
                _ if is_plain && text.len() <= MAX_COMMANDS => "ok",
                _ => "malformed",
            };
            if answers[i] == "ok" { text.to_owned() } else { "-".to_owned() }
        });
        state.n_malformed[team] += answers.iter().filter(|&&a| a == "malformed").count() as u64;
        let is_taken = state.phase == Phase::Running;
        match is_taken {
            true => state.orders[team] = Some(orders),
            false => state.n_late[team] += 1,
        }
        let [first, second, third] = answers;
        Ok(format!(
            "<command state=\"{}\" session=\"{}\" taken=\"{is_taken}\" machine_1=\"{first}\" \
             machine_2=\"{second}\" machine_3=\"{third}\"/>\n",
            state.phase.name(),
            state.session
        ))
    }

    fn team(&self, token: &str) -> Option<usize> {
        self.tokens.iter().position(|known| !known.is_empty() && known == token)
    }
}

/// The fields of a query, decoded.
fn pairs(query: &str) -> impl Iterator<Item = (String, String)> + '_ {
    query.split('&').filter(|part| !part.is_empty()).map(|part| {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        (decoded(key), decoded(value))
    })
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (bytes[at], hex) {
            (b'%', Some(byte)) => {
                decoded.push(byte);
                at += 2;
            }
            (byte, _) => decoded.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Rows of ground, water, robots and scores. Teams and machines are counted from 1.
fn field_text(view: &View) -> String {
    let mut text = String::new();
    for (i, player) in view.players.iter().enumerate() {
        let score = player.score.as_ref().map_or(0.0, |score| score.value);
        let _ = writeln!(text, "<team number=\"{}\" score=\"{score}\"/>", i + 1);
    }
    let Some(board) = &view.board else { return text };
    let columns = board.column_labels.len().max(1);
    for (y, row) in board.cells.chunks(columns).enumerate() {
        let letters: String = row.iter().map(letter).collect();
        let _ = writeln!(text, "<row y=\"{y}\">{letters}</row>");
    }
    write_contents(board, columns, &mut text);
    text
}

fn write_contents(board: &Board, columns: usize, text: &mut String) {
    for (i, cell) in board.cells.iter().enumerate() {
        let (x, y) = (i % columns, i / columns);
        if let (Some(amount), Some(owner)) = (cell.amount, cell.owners.first()) {
            let team = owner + 1;
            let _ =
                writeln!(text, "<water x=\"{x}\" y=\"{y}\" team=\"{team}\" amount=\"{amount}\"/>");
        }
        for piece in &cell.pieces {
            let team = piece.owner.map_or(0, |owner| owner + 1);
            let machine = piece.symbol.bytes().next().map_or(0, |letter| letter - b'a' + 1);
            let tank = piece.gauge.as_ref().map_or(0, |gauge| gauge.value);
            let doing = piece.facts.first().map_or_else(String::new, ToString::to_string);
            let _ = writeln!(
                text,
                "<robot team=\"{team}\" machine=\"{machine}\" x=\"{x}\" y=\"{y}\" tank=\"{tank}\" \
                 doing=\"{doing}\"/>"
            );
        }
    }
}

/// The ground of a cell, as in map files.
fn letter(cell: &Cell) -> char {
    match cell.ground.as_deref() {
        _ if cell.is_hole => '#',
        Some("rough") => '~',
        Some("wall") => 'X',
        Some("jar") => 'O',
        _ => '.',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn desk() -> Desk {
        let desk = Desk::new(vec![Some("one".to_owned()), None], 5);
        desk.publish(0, &View::default(), Some(Instant::now() + Duration::from_secs(3)));
        desk
    }

    #[test]
    fn the_last_orders_count_and_what_is_malformed_is_none() {
        let desk = desk();
        assert_eq!(desk.collect(), [None, None]);
        let answer = desk.command("machine_1=00A&machine_2=9&machine_3=&token=one").unwrap();
        assert!(answer.contains("machine_1=\"ok\" machine_2=\"malformed\" machine_3=\"empty\""));
        desk.command("token=one&machine_3=A%41.&machine_1=0123450123").unwrap();
        assert_eq!(desk.collect(), [Some("- - AA.".to_owned()), None]);
        assert_eq!(desk.collect(), [None, None], "they are for one session");
        assert_eq!(desk.faults(), [[2, 0], [0, 0]]);
    }

    #[test]
    fn what_is_no_command_changes_nothing() {
        let desk = desk();
        for (query, wrong) in [
            ("machine_1=A", Refused::NoToken),
            ("machine_1=A&token=two", Refused::Token),
            ("machine_1=A&token=", Refused::Token),
            ("machine_4=A&token=one", Refused::Field("machine_4".to_owned())),
            ("machine_1=A&machine_1=0&token=one", Refused::Twice("machine_1".to_owned())),
            ("", Refused::NoToken),
        ] {
            assert_eq!(desk.command(query), Err(wrong), "{query}");
        }
        assert_eq!(desk.collect(), [None, None]);
        assert!(!desk.is_complete());
        assert!(
            desk.map("token=one")
                .starts_with("<map state=\"running\" session=\"0\" sessions=\"5\"")
        );
        assert!(desk.is_complete(), "the other team does not come by the network");
        desk.close(5, &View::default());
        let late = desk.command("machine_1=A&token=one").unwrap();
        assert!(late.contains("state=\"over\"") && late.contains("taken=\"false\""), "{late}");
        assert_eq!((desk.collect(), desk.faults()[0]), (vec![None, None], [0, 1]));
    }
}
