//! The messages of the general game playing protocol, both ways, as text. Nothing here knows of
//! sockets.
//!
//! A message is one expression in parentheses. Real hosts and players differ in case, spacing and
//! the fields that they leave out, so reading is lenient where only one meaning is possible, and
//! writing is what all of them understand. Clocks are whole seconds between strangers; decimals are
//! read and written too, for those who agree on them.

use std::fmt;
use std::time::Duration;

use crate::read::kif::{Expression, read};

/// What a host asks of a player.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Who are you, and are you free?
    Info,
    /// A look at rules that may be played soon.
    Preview { rules: String, clock: Duration },
    /// A match begins.
    Start { id: String, role: String, rules: String, start_clock: Duration, play_clock: Duration },
    /// A ply: what everyone played last, in the order of the roles, and nothing before the first.
    Play { id: String, moves: Option<Vec<String>> },
    /// The match is over.
    Stop { id: String, moves: Option<Vec<String>> },
    /// The match is cancelled.
    Abort { id: String },
}

/// Whether a player takes a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Available,
    Busy,
}

/// What a player says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerStatus {
    pub name: Option<String>,
    pub status: Status,
}

/// The answer to a START that was understood, or to a PREVIEW.
pub const READY: &str = "ready";
/// The answer to a START during a match, and to whatever belongs to a match that is not played.
pub const BUSY: &str = "busy";
/// The answer to a STOP.
pub const DONE: &str = "done";
/// The answer to an ABORT.
pub const ABORTED: &str = "aborted";
/// What stands for a move where there is none.
pub const NIL: &str = "nil";

/// A message that cannot be understood: what is wrong with it, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}; {remedy}")]
pub struct ProtocolError {
    pub problem: String,
    pub remedy: &'static str,
}

const FORMS: &str = "expected (INFO), (PREVIEW (RULE ..) CLOCK), \
    (START ID ROLE (RULE ..) STARTCLOCK PLAYCLOCK), (PLAY ID (MOVE ..)), (STOP ID (MOVE ..)) or (ABORT ID)";

/// What a clock is worth that a message leaves out.
const DEFAULT_CLOCK: Duration = Duration::from_secs(10);
/// No clock is longer than a day, so that a time of day can always be added to it.
const MAX_CLOCK_SECONDS: f64 = 86_400.0;

impl Request {
    /// Reads a message of a host.
    pub fn parse(text: &str) -> Result<Request, ProtocolError> {
        let expressions = expressions(text)?;
        // A bare word is as good as a list of one.
        let items = match expressions.as_slice() {
            [Expression::List(items, _), ..] => items.as_slice(),
            [Expression::Token(..)] => expressions.as_slice(),
            _ => return Err(wrong("the message is empty", FORMS)),
        };
        let Some((first, fields)) = items.split_first() else {
            return Err(wrong("the message is an empty list", FORMS));
        };
        let keyword = first.token().unwrap_or_default().to_ascii_lowercase();
        match keyword.as_str() {
            "info" | "ping" => Ok(Request::Info),
            "preview" => {
                let rules = rules(fields.first())?;
                Ok(Request::Preview {
                    rules,
                    clock: clock(fields.get(1))?.unwrap_or(DEFAULT_CLOCK),
                })
            }
            "start" => start(fields),
            "play" => Ok(Request::Play { id: id(fields)?, moves: moves(fields.get(1)) }),
            "stop" => Ok(Request::Stop { id: id(fields)?, moves: moves(fields.get(1)) }),
            "abort" => Ok(Request::Abort { id: id(fields)? }),
            _ => Err(wrong(format!("`{}` is no message", cut(&first.to_string())), FORMS)),
        }
    }

    /// The match that it belongs to, if it belongs to one.
    pub fn id(&self) -> Option<&str> {
        match self {
            Request::Info | Request::Preview { .. } => None,
            Request::Start { id, .. }
            | Request::Play { id, .. }
            | Request::Stop { id, .. }
            | Request::Abort { id } => Some(id),
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Request::Info => f.write_str("(INFO)"),
            Request::Preview { rules, clock } => {
                write!(f, "(PREVIEW ({rules}) {})", clock.as_secs_f64())
            }
            Request::Start { id, role, rules, start_clock, play_clock } => {
                let (start, play) = (start_clock.as_secs_f64(), play_clock.as_secs_f64());
                write!(f, "(START {id} {role} ({rules}) {start} {play})")
            }
            Request::Play { id, moves } => write!(f, "(PLAY {id} {})", moves_text(moves)),
            Request::Stop { id, moves } => write!(f, "(STOP {id} {})", moves_text(moves)),
            Request::Abort { id } => write!(f, "(ABORT {id})"),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Available => "available",
            Status::Busy => BUSY,
        })
    }
}

impl fmt::Display for PlayerStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => {
                write!(f, "((name {name}) (status {}) (species alien))", self.status)
            }
            None => self.status.fmt(f),
        }
    }
}

/// Reads a player's answer to INFO: a word, or a list of pairs.
pub fn read_status(text: &str) -> Result<PlayerStatus, ProtocolError> {
    const REMEDY: &str = "expected available, busy or ((name NAME) (status available))";
    let expressions = expressions(text)?;
    let status = |word: &str| match word.to_ascii_lowercase().as_str() {
        "available" | "ready" => Some(Status::Available),
        "busy" => Some(Status::Busy),
        _ => None,
    };
    let mut found = PlayerStatus { name: None, status: Status::Available };
    let mut said = None;
    match expressions.first() {
        Some(Expression::Token(word, _)) => said = status(word),
        Some(Expression::List(pairs, _)) => {
            for pair in pairs.iter().filter_map(Expression::list) {
                let [key, value, ..] = pair else { continue };
                match key.token().unwrap_or_default().to_ascii_lowercase().as_str() {
                    "name" => found.name = Some(value.to_string()),
                    "status" => said = value.token().and_then(status),
                    _ => {}
                }
            }
        }
        None => {}
    }
    found.status = said.ok_or_else(|| wrong(format!("`{}` names no status", cut(text)), REMEDY))?;
    Ok(found)
}

/// Reads a player's answer to PLAY: one term, spelled with single spaces.
pub fn read_move(text: &str) -> Result<String, ProtocolError> {
    const REMEDY: &str = "expected one move, such as noop or (mark 1 2)";
    match expressions(text)?.as_slice() {
        [] => Err(wrong("the answer is empty", REMEDY)),
        [one] => Ok(one.to_string()),
        [..] => Err(wrong(format!("`{}` is more than one move", cut(text)), REMEDY)),
    }
}

/// The rules of a sheet as they stand in a message: on one line, without comments.
pub fn rules_text(sheet: &str) -> Result<String, ProtocolError> {
    let rules: Vec<String> = expressions(sheet)?.iter().map(ToString::to_string).collect();
    Ok(rules.join(" "))
}

/// Whether two match ids are the same; hosts change their case.
pub fn same_id(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

fn expressions(text: &str) -> Result<Vec<Expression<'_>>, ProtocolError> {
    // Some senders put the whole message in quotes.
    let bare = text.trim_matches(|c: char| c.is_whitespace() || "\"'\u{feff}\0".contains(c));
    read(bare).map_err(|fault| ProtocolError { problem: fault.problem, remedy: fault.remedy })
}

fn start(fields: &[Expression<'_>]) -> Result<Request, ProtocolError> {
    let id = id(fields)?;
    let Some(role) = fields.get(1) else {
        return Err(wrong("START without a role", FORMS));
    };
    let (role, rules) = (role.to_string(), rules(fields.get(2))?);
    let start_clock = clock(fields.get(3))?.unwrap_or(DEFAULT_CLOCK);
    let play_clock = clock(fields.get(4))?.unwrap_or(start_clock);
    Ok(Request::Start { id, role, rules, start_clock, play_clock })
}

fn id(fields: &[Expression<'_>]) -> Result<String, ProtocolError> {
    let id = fields.first().and_then(Expression::token);
    id.map(str::to_owned).ok_or_else(|| wrong("a message without the id of its match", FORMS))
}

fn rules(field: Option<&Expression<'_>>) -> Result<String, ProtocolError> {
    let rules = field.and_then(Expression::list);
    let rules = rules.ok_or_else(|| wrong("a message without a list of rules", FORMS))?;
    let texts: Vec<String> = rules.iter().map(ToString::to_string).collect();
    Ok(texts.join(" "))
}

fn clock(field: Option<&Expression<'_>>) -> Result<Option<Duration>, ProtocolError> {
    let Some(field) = field else { return Ok(None) };
    let seconds: Option<f64> = field.token().and_then(|token| token.parse().ok());
    match seconds.filter(|seconds| (0.0..=MAX_CLOCK_SECONDS).contains(seconds)) {
        Some(seconds) => Ok(Some(Duration::from_secs_f64(seconds))),
        None => Err(wrong(
            format!("`{}` is no clock", cut(&field.to_string())),
            "expected seconds, at most a day",
        )),
    }
}

/// The joint move; any word in its place means that there is none.
fn moves(field: Option<&Expression<'_>>) -> Option<Vec<String>> {
    let moves = field?.list()?;
    Some(moves.iter().map(ToString::to_string).collect())
}

fn moves_text(moves: &Option<Vec<String>>) -> String {
    moves.as_ref().map_or_else(|| "NIL".to_owned(), |moves| format!("({})", moves.join(" ")))
}

fn wrong(problem: impl Into<String>, remedy: &'static str) -> ProtocolError {
    ProtocolError { problem: problem.into(), remedy }
}

/// The beginning of a text, for messages.
fn cut(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Request {
        Request::parse(text).unwrap()
    }

    fn texts(moves: &[&str]) -> Option<Vec<String>> {
        Some(moves.iter().map(|&text| text.to_owned()).collect())
    }

    #[test]
    fn messages_are_read_as_real_hosts_send_them() {
        for text in ["(INFO)", "( info )", "INFO", "\"(Info)\"", "\u{feff}(info)\r\n", "(info x)"] {
            assert_eq!(parse(text), Request::Info, "{text}");
        }
        let text = "( PLAY base.ticTacToe.1794 ((mark 1 1 ) noop ) )";
        let moves = texts(&["(mark 1 1)", "noop"]);
        assert_eq!(parse(text), Request::Play { id: "base.ticTacToe.1794".into(), moves });
        for text in ["(play m nil)", "(PLAY m NIL)", "(PLAY m)", "(Play m None)"] {
            assert_eq!(parse(text), Request::Play { id: "m".into(), moves: None }, "{text}");
        }
        assert_eq!(parse("(STOP m ())"), Request::Stop { id: "m".into(), moves: texts(&[]) });
        assert_eq!(parse("(abort m)"), Request::Abort { id: "m".into() });
        let seconds = Duration::from_secs;
        let start = |start, play| Request::Start {
            id: "m".into(),
            role: "White".into(),
            rules: "(role White) (<= terminal (true (p ?x)))".into(),
            start_clock: start,
            play_clock: play,
        };
        let rules = "((role White)\n(<= terminal (true (p ?x))) )";
        assert_eq!(
            parse(&format!("(START m White {rules} 30 15)")),
            start(seconds(30), seconds(15))
        );
        assert_eq!(
            parse(&format!("(start m White {rules} 30 15 more (to come))")),
            start(seconds(30), seconds(15))
        );
        assert_eq!(parse(&format!("(start m White {rules} 7)")), start(seconds(7), seconds(7)));
        let short = Duration::from_millis(250);
        assert_eq!(parse(&format!("(start m White {rules} .25 0.25)")), start(short, short));
        assert_eq!(
            parse("(preview ((role a)) 5)"),
            Request::Preview { rules: "(role a)".into(), clock: seconds(5) }
        );
    }

    #[test]
    fn what_is_no_message_says_what_would_be_right() {
        let error = |text: &str| Request::parse(text).unwrap_err().to_string();
        assert!(error("").contains("the message is empty; expected (INFO)"));
        assert!(error("()").contains("an empty list"));
        assert!(error("(PLAY").contains("never closed"));
        assert!(error("(DANCE m)").contains("`DANCE` is no message"));
        assert!(error("((PLAY) m)").contains("`(PLAY)` is no message"));
        assert!(error("(PLAY (a b) nil)").contains("without the id"));
        assert!(error("(START m r)").contains("without a list of rules"));
        assert!(error("(START m r () -1 5)").contains("`-1` is no clock"));
        assert!(error("(START m r () 1e300 5)").contains("`1e300` is no clock"));
        assert!(error(&"(".repeat(100_000)).contains("nest too deep"));
        assert!(error(&format!("({})", "x".repeat(1_000))).len() < 400);
    }

    #[test]
    fn answers_are_read_as_real_players_send_them() {
        let status = |text: &str| read_status(text).unwrap();
        assert_eq!(status("BUSY "), PlayerStatus { name: None, status: Status::Busy });
        let pairs = status("( ( Name Gamer ) (STATUS available)(species alien))");
        assert_eq!(pairs, PlayerStatus { name: Some("Gamer".into()), status: Status::Available });
        assert!(read_status("( (name x) )").is_err() && read_status("").is_err());
        assert_eq!(read_move(" ( mark 1  (2 3) )\n").unwrap(), "(mark 1 (2 3))");
        assert_eq!(read_move("NOOP").unwrap(), "NOOP");
        assert!(read_move("(((").is_err() && read_move("").is_err() && read_move("a b").is_err());
        assert_eq!(rules_text("(role a) ; hello\n (p  1)").unwrap(), "(role a) (p 1)");
        assert!(same_id("base.TicTacToe", "BASE.TICTACTOE"));
    }

    fn term() -> impl Strategy<Value = String> {
        let word = "[a-zA-Z?][a-zA-Z0-9_+.-]{0,5}";
        word.prop_recursive(3, 12, 4, |inner| {
            prop::collection::vec(inner, 1..4).prop_map(|items| format!("({})", items.join(" ")))
        })
    }

    fn request() -> impl Strategy<Value = Request> {
        let id = || "[a-zA-Z0-9._-]{1,12}";
        let moves = || prop::option::of(prop::collection::vec(term(), 0..4));
        let rules = || prop::collection::vec(term(), 0..4).prop_map(|rules| rules.join(" "));
        let clock = || (0u64..2_000_000).prop_map(Duration::from_millis);
        prop_oneof![
            Just(Request::Info),
            (rules(), clock()).prop_map(|(rules, clock)| Request::Preview { rules, clock }),
            (id(), "[a-z]{1,5}", rules(), clock(), clock()).prop_map(
                |(id, role, rules, start_clock, play_clock)| Request::Start {
                    id,
                    role,
                    rules,
                    start_clock,
                    play_clock
                }
            ),
            (id(), moves()).prop_map(|(id, moves)| Request::Play { id, moves }),
            (id(), moves()).prop_map(|(id, moves)| Request::Stop { id, moves }),
            id().prop_map(|id| Request::Abort { id }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(request in request()) {
            prop_assert_eq!(Request::parse(&request.to_string()), Ok(request));
        }

        #[test]
        fn any_text_is_answered(text in any::<String>(), part in 0usize..400, request in request()) {
            let _ = (Request::parse(&text), read_status(&text), read_move(&text), rules_text(&text));
            let whole = request.to_string();
            let start: String = whole.chars().take(part).collect();
            let _ = (Request::parse(&start), read_status(&start), read_move(&start));
        }

        #[test]
        fn moves_are_read_as_they_are_written(text in term()) {
            prop_assert_eq!(read_move(&text), Ok(text.clone()));
        }
    }
}
