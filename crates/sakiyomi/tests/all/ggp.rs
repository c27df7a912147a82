//! Player and host as processes of their own, against each other and against peers that misbehave.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sakiyomi::catalog::{GdlSpec, Record, RuleSheet, replay};
use sakiyomi::core::{Player as Seat, Rng, Turn};
use sakiyomi::gdl::GdlGame;
use sakiyomi::gdl::protocol::{Request, rules_text};
use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_sakiyomi");

/// A player that runs until it is dropped.
struct Player {
    process: Child,
    address: String,
}

impl Player {
    fn new(arguments: &[&str]) -> Player {
        let mut process = Command::new(BINARY)
            .args(["ggp", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit(' ').next().unwrap().to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{line}");
        Player { process, address }
    }

    /// Sends bytes as they are and returns everything that comes back.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // A server that has seen enough may close before everything is written.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends a message as hosts do, and returns the answer without its head.
    fn ask(&self, message: &str) -> String {
        let length = message.len();
        let head = format!("POST / HTTP/1.0\r\nContent-Type: text/acl\r\nContent-Length: {length}");
        let answer = self.raw(format!("{head}\r\n\r\n{message}").as_bytes());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
        assert!(head.to_ascii_lowercase().contains(&format!("content-length: {}", body.len())));
        body.to_owned()
    }

    fn is_available(&self) -> bool {
        self.ask("(INFO)").contains("(status available)")
    }

    /// Resident memory in MiB, threads and open files.
    fn size(&self) -> (u64, u64, usize) {
        let folder = format!("/proc/{}", self.process.id());
        let status = fs::read_to_string(format!("{folder}/status")).unwrap();
        let number = |key: &str| -> u64 {
            let line = status.lines().find(|line| line.starts_with(key)).unwrap();
            line.split_whitespace().nth(1).unwrap().parse().unwrap()
        };
        let files = fs::read_dir(format!("{folder}/fd")).unwrap().count();
        (number("VmRSS:") / 1024, number("Threads:"), files)
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn host(game: &str, players: &[&str], options: &[&str]) -> Value {
    let (code, report, errors) = try_host(game, players, options);
    assert_eq!(code, 0, "{game}: {errors}");
    report
}

/// The exit code of a host, its report and what it says beside it.
fn try_host(game: &str, players: &[&str], options: &[&str]) -> (i32, Value, String) {
    let output = host_command(game, players, options).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{errors}"));
    (output.status.code().unwrap(), report, errors)
}

fn host_command(game: &str, players: &[&str], options: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.args(["ggp-host", game]).args(players).args(options).args(["--json", "--quiet"]);
    command
}

fn each<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("no {key} in {value}"))
}

/// Nothing went wrong, and the goals are what the moves lead to.
fn check_matches(report: &Value, n: usize, clock: f64) {
    assert_eq!(each(report, "matches").len(), n);
    for result in each(report, "matches") {
        assert_eq!(result["faults"], Value::Array(Vec::new()), "{}", result["id"]);
        assert_eq!(result["cut_off"], false);
        let late = each(result, "slowest").iter().any(|s| s.as_f64().unwrap() > clock);
        assert!(!late, "{}", result["slowest"]);
        let record = Record {
            game: report["game"].as_str().unwrap().parse().unwrap(),
            seed: 1,
            moves: serde_json::from_value(result["steps"].clone()).unwrap(),
        };
        let Turn::Over(payoffs) = replay(&record).unwrap().turn() else {
            panic!("the record does not lead to an end")
        };
        for (seat, goal) in each(result, "goals").iter().enumerate() {
            let payoff = payoffs[Seat(seat as u8)] * 100.0;
            assert!((goal.as_f64().unwrap() - payoff).abs() < 1e-9, "{goal} and {payoff}");
        }
    }
    for standing in each(report, "standings") {
        for fault in ["timeouts", "connection_errors", "illegal_moves"] {
            assert_eq!(standing[fault], 0);
        }
    }
}

/// One game of each kind: in turn, at once, alone, for three, with chance.
const GAMES: [(&str, usize); 5] = [
    ("gdl:sheet=tic-tac-toe", 2),
    ("gdl:sheet=tug-of-war", 2),
    ("gdl:sheet=sliding-eight", 1),
    ("gdl:sheet=melting-ice", 3),
    ("gdl:sheet=pig", 2),
];

#[test]
fn a_hundred_matches_in_a_row_miss_no_clock_and_leak_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let store = store.to_str().unwrap();
    let log = folder.path().join("log");
    let agents = ["uct", "duct", "uct:solver,graph"];
    let players = agents.map(|agent| {
        Player::new(&["--agent", agent, "--iterations", "40", "--log", log.to_str().unwrap()])
    });
    let addresses: Vec<&str> = players.iter().map(|player| player.address.as_str()).collect();
    let mut sizes = Vec::new();
    for matches in [6, 14] {
        for (game, n_seats) in GAMES {
            let count = matches.to_string();
            let options = ["--startclock", "4", "--playclock", "4", "--grace", "0"];
            // Another seed is another tournament, which does not go on with the first one.
            let more = ["--matches", &count, "--seed", &count, "--store", store];
            let options = [&options[..], &more].concat();
            let report = host(game, &addresses[..n_seats], &options);
            check_matches(&report, matches, 4.0);
        }
        sizes.push(players.each_ref().map(Player::size));
    }
    for (before, after) in sizes[0].iter().zip(&sizes[1]) {
        assert!(after.0 < before.0 + 40, "memory grew: {before:?} to {after:?}");
        assert!(after.1 <= before.1 + 8, "threads are left over: {before:?} to {after:?}");
        assert!(after.2 <= before.2 + 4, "files are left open: {before:?} to {after:?}");
    }
    assert!(players.iter().all(Player::is_available));
    let log = fs::read_to_string(log).unwrap();
    assert!(log.lines().filter(|line| line.contains("> (START ")).count() >= 100);
    assert!(!log.contains("out of time") && !log.contains("failed"), "a search was given up");

    let text = |arguments: &[&str]| {
        let output =
            Command::new(BINARY).args(arguments).args(["--store", store]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(text(&["store", "show"]).contains("gdl:sheet=melting-ice"));
    assert_eq!(text(&["store", "export", "--network"]).lines().count(), 101);
    let replay = text(&["replay", "--match", "1"]);
    assert!(replay.contains("over") && replay.contains("goal "), "{replay}");
}

/// Without a limit of iterations it is the clock that ends thinking. The margin is wide, so that a
/// busy machine does not matter.
#[test]
fn the_whole_clock_is_used_and_kept() {
    let players = ["uct", "random"].map(|a| Player::new(&["--agent", a, "--margin", "1.5"]));
    let addresses: Vec<&str> = players.iter().map(|player| player.address.as_str()).collect();
    let clocks = ["--startclock", "2", "--playclock", "3", "--grace", "0", "--matches", "1"];
    let report = host("gdl:sheet=tic-tac-toe", &addresses, &clocks);
    check_matches(&report, 1, 3.0);
    let slowest = report["standings"][0]["slowest"].as_f64().unwrap();
    assert!(slowest >= 1.5, "it did not think on its whole clock: {slowest}");
}

#[test]
fn with_more_players_than_seats_everyone_meets_everyone() {
    let players = ["uct", "flat", "random"]
        .map(|agent| Player::new(&["--agent", agent, "--iterations", "20"]));
    let addresses: Vec<&str> = players.iter().map(|player| player.address.as_str()).collect();
    let report = host("gdl:sheet=tic-tac-toe", &addresses, &["--grace", "0"]);
    check_matches(&report, 6, 5.0);
    for standing in each(&report, "standings") {
        assert_eq!(standing["matches"], 4);
    }
}

/// A player that answers every message as it is told to, on a thread of its own.
fn fake_player(answer: fn(&str, TcpStream)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            thread::spawn(move || {
                let message = read_request(&mut stream);
                answer(&message, stream);
            });
        }
    });
    address
}

fn read_request(stream: &mut TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    String::from_utf8_lossy(&body).into_owned()
}

fn reply(mut stream: TcpStream, text: &str) {
    let head = format!("HTTP/1.0 200 OK\r\nContent-length: {}\r\n\r\n", text.len());
    let _ = stream.write_all(format!("{head}{text}").as_bytes());
}

fn is_play(message: &str) -> bool {
    message.starts_with("(PLAY")
}

/// What a player does with a message and its connection.
type Misbehaviour = fn(&str, TcpStream);

#[test]
fn players_that_never_make_a_move_are_noted_and_the_match_is_no_result() {
    let ours = Player::new(&["--agent", "uct", "--iterations", "50"]);
    let kinds: [(&str, &str, Misbehaviour); 8] = [
        ("silent", "timeout", |message, stream| {
            if is_play(message) {
                thread::sleep(Duration::from_secs(2));
            }
            drop(stream);
        }),
        ("trickling", "timeout", |message, mut stream| {
            if !is_play(message) {
                return reply(stream, "ready");
            }
            for byte in
                b"HTTP/1.0 200 OK\r\nContent-length: 100\r\n\r\n".iter().chain([b' '; 99].iter())
            {
                thread::sleep(Duration::from_millis(30));
                if stream.write_all(&[*byte]).is_err() {
                    return;
                }
            }
        }),
        ("disconnecting", "connection", |_, stream| {
            let _ = stream.shutdown(Shutdown::Both);
        }),
        ("no http", "connection", |_, mut stream| {
            let _ = stream.write_all(b"\xff\xfe\x00 what is this?\r\n\r\n");
        }),
        ("garbage", "illegal", |_, stream| reply(stream, "((( \u{1}\u{2} ;")),
        ("nil", "illegal", |_, stream| reply(stream, "nil")),
        ("illegal", "illegal", |_, stream| reply(stream, "(mark 9 9)")),
        ("endless", "connection", |_, mut stream| {
            let _ = stream.write_all(b"HTTP/1.0 200 OK\r\n\r\n");
            while stream.write_all(&[b'x'; 4096]).is_ok() {}
        }),
    ];
    for (name, kind, answer) in kinds {
        let fake = fake_player(answer);
        let options =
            ["--startclock", "0.8", "--playclock", "0.8", "--grace", "0", "--matches", "1"];
        let sheet = "gdl:sheet=tic-tac-toe";
        let (code, report, errors) = try_host(sheet, &[&ours.address, &fake], &options);
        assert_eq!((code, &report["matches"]), (1, &Value::Array(Vec::new())), "{name}");
        assert!(errors.contains("1 of 1 matches are no result"), "{name}: {errors}");
        let result = &report["void"][0];
        assert_eq!(result["absent"], serde_json::json!([1]), "{name}");
        let faults = each(result, "faults");
        let at_plies: Vec<&Value> = faults.iter().filter(|fault| fault["ply"] != 0).collect();
        assert_eq!(at_plies.len(), each(result, "plies").len(), "{name}: a fault at every ply");
        for fault in at_plies {
            assert_eq!((&fault["seat"], fault["kind"].as_str()), (&1.into(), Some(kind)), "{name}");
        }
        for standing in each(&report, "standings") {
            assert_eq!(standing["matches"], 0, "{name}");
        }
    }
    assert!(ours.is_available());
}

#[test]
fn odd_but_understandable_players_are_understood() {
    let ours = Player::new(&["--agent", "random"]);
    let noop_or_nothing: [fn(&str, TcpStream); 3] = [
        // An error as a status, but a body that is a move.
        |_, mut stream| {
            let _ =
                stream.write_all(b"HTTP/1.1 500 Oops\r\nContent-Length: 12\r\n\r\n (  NOOP )   ");
        },
        // No length, line feeds only, another case.
        |_, mut stream| {
            let _ = stream.write_all(b"HTTP/1.0 200 OK\nContent-type: text/acl\n\nNoop\n");
        },
        |_, stream| reply(stream, "noop"),
    ];
    for (i, answer) in noop_or_nothing.into_iter().enumerate() {
        let fake = fake_player(answer);
        let options = ["--startclock", "2", "--playclock", "2", "--matches", "1"];
        let sheet = "gdl:sheet=tic-tac-toe";
        let (_, report, _) = try_host(sheet, &[&ours.address, &fake], &options);
        let waits = |fault: &&Value| fault["ply"].as_u64().unwrap() % 2 == 1;
        // A term of one word in parentheses is another term than the word.
        let result = &report[if i == 0 { "void" } else { "matches" }][0];
        let faults = each(result, "faults").iter().filter(waits).count();
        let plies = each(result, "plies").len();
        assert_eq!(faults, if i == 0 { plies.div_ceil(2) } else { 0 }, "player {i}");
    }
}

/// A host that is killed leaves a player in the middle of a match. Started again, it ends that match,
/// plays what is left and nothing twice.
#[test]
fn a_killed_tournament_goes_on_where_it_was() {
    static N_ASKED: AtomicUsize = AtomicUsize::new(0);
    // Its second match, whose first PLAY is the sixth message at the earliest, hangs once.
    static HAS_HUNG: AtomicBool = AtomicBool::new(false);
    let fake = fake_player(|message, stream| {
        N_ASKED.fetch_add(usize::from(message.starts_with("(START")), Ordering::SeqCst);
        let is_second = N_ASKED.load(Ordering::SeqCst) == 2;
        if is_play(message) && is_second && !HAS_HUNG.swap(true, Ordering::SeqCst) {
            thread::sleep(Duration::from_secs(300));
        }
        reply(stream, "noop");
    });
    let ours = Player::new(&["--agent", "uct", "--iterations", "50"]);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let options = ["--startclock", "9", "--playclock", "99", "--store", store.to_str().unwrap()];
    let (game, players) = ("gdl:sheet=tic-tac-toe", [ours.address.as_str(), &fake]);
    let mut process = host_command(game, &players, &options).stdout(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    while !HAS_HUNG.load(Ordering::SeqCst) {
        assert!(begin.elapsed() < Duration::from_secs(60), "the second match never began");
        thread::sleep(Duration::from_millis(20));
    }
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(!ours.is_available(), "nobody has told it that the match is over");

    let report = host(game, &players, &options);
    let counts = |report: &Value| (each(report, "earlier").len(), each(report, "matches").len());
    assert_eq!(counts(&report), (1, 1));
    let faults = each(&report["matches"][0], "faults");
    assert!(faults.iter().all(|fault| fault["seat"] == 0), "ours sits second: {faults:?}");
    for standing in each(&report, "standings") {
        assert_eq!(standing["matches"], 2);
    }
    assert_eq!(counts(&host(game, &players, &options)), (2, 0), "everything is played");
    let more = [&options[..], &["--matches", "3"]].concat();
    assert_eq!(counts(&host(game, &players, &more)), (2, 1));
    let export = Command::new(BINARY)
        .args(["store", "export", "--network", "--store", store.to_str().unwrap()])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(export.stdout).unwrap().lines().count(), 1 + 3);
}

/// A player that plays with another host is waited for, and said to be waited for.
#[test]
fn busy_players_are_waited_for() {
    let ours = Player::new(&["--agent", "uct", "--iterations", "50"]);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let options = ["--startclock", "3", "--playclock", "3", "--store", store.to_str().unwrap()];
    let run = |wait: &str| {
        let options = [&options[..], &["--wait", wait]].concat();
        try_host("gdl:sheet=sliding-eight", &[&ours.address], &options)
    };
    assert_eq!(ours.ask(&start("tic-tac-toe", "other", "xplayer", 2.0)), "ready");
    let (code, report, errors) = run("0.1");
    assert_eq!((code, each(&report, "matches").len()), (1, 0), "{errors}");
    assert_eq!(report["void"][0]["faults"][0]["kind"], "busy");
    assert!(errors.contains("waiting for up to 0.1 s"), "{errors}");
    assert!(errors.contains("never gave a legal move (busy with another match"), "{errors}");

    let (code, report, errors) = thread::scope(|scope| {
        let running = scope.spawn(|| run("60"));
        thread::sleep(Duration::from_secs(1));
        assert_eq!(ours.ask("(ABORT other)"), "aborted");
        running.join().unwrap()
    });
    assert_eq!(code, 0, "{errors}");
    assert_eq!(each(&report, "earlier").len(), 0, "what is no result was not stored");
    check_matches(&report, 1, 3.0);
}

#[test]
fn an_interrupted_host_aborts_its_match() {
    let ours = Player::new(&["--agent", "uct"]);
    let mut process = Command::new(BINARY)
        .args(["ggp-host", "gdl:sheet=sliding-eight", &ours.address, "--playclock", "30"])
        .args(["--startclock", "30", "--json", "--quiet"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let busy_since = Instant::now();
    while ours.is_available() {
        assert!(busy_since.elapsed() < Duration::from_secs(20), "the match never began");
        thread::sleep(Duration::from_millis(20));
    }
    let signal = Command::new("kill").args(["-INT", &process.id().to_string()]).status().unwrap();
    assert!(signal.success());
    let mut text = String::new();
    process.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(130));
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&report["interrupted"], each(&report, "matches").len()), (&true.into(), 0));
    assert!(ours.is_available());
}

fn start(sheet: &str, id: &str, role: &str, clock: f64) -> String {
    let text = GdlSpec::new(RuleSheet::Named(sheet.to_owned())).text().unwrap();
    let clock = Duration::from_secs_f64(clock);
    let (id, role, rules) = (id.to_owned(), role.to_owned(), rules_text(&text).unwrap());
    Request::Start { id, role, rules, start_clock: clock, play_clock: clock }.to_string()
}

#[test]
fn hosts_that_misbehave_are_survived() {
    let ours = Player::new(&["--agent", "uct", "--iterations", "100"]);
    // Connections that never say anything sensible, and are left open meanwhile.
    let hanging: Vec<TcpStream> = ["", "POST", "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n(IN"]
        .iter()
        .map(|half| {
            let mut stream = ours.connect();
            stream.write_all(half.as_bytes()).unwrap();
            stream
        })
        .collect();
    for garbage in [&b"\x16\x03\x01\x02\x00"[..], b"\r\n\r\n", b"GET\r\n\r\n", b"\0\0\0\0\0\0\n\n"]
    {
        ours.raw(garbage);
    }
    let half = b"POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n(PLAY";
    ours.connect().write_all(half).unwrap();
    let oversized = "x".repeat(20 << 20);
    let head = format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", oversized.len());
    let answer = ours.raw(format!("{head}{oversized}").as_bytes());
    assert!(answer.is_empty() || answer.contains("413"), "{answer}");
    for (message, part) in [
        ("", "the message is empty"),
        ("(((", "never closed"),
        ("(DANCE)", "no message"),
        ("(START m)", "without a role"),
        ("(PLAY nobody nil)", "busy"),
        ("(STOP nobody nil)", "busy"),
        ("(ABORT nobody)", "busy"),
        ("(START m white ((role black)) 1 1)", "busy"),
        ("(START m a ((role a) (<= (legal a ?x) (p ?y))) 1 1)", "busy"),
        ("(PREVIEW ((role a)) 1)", "ready"),
    ] {
        let answer = ours.ask(message);
        assert!(answer.contains(part), "{message}: {answer}");
    }
    assert!(ours.is_available());
    let answer = ours.raw(b"GET /%28INFO%29 HTTP/1.0\n\n");
    assert!(answer.contains("(status available)"), "{answer}");

    // Of many hosts that start at the same time, one gets its match.
    let answers: Vec<String> = thread::scope(|scope| {
        let ours = &ours;
        let threads: Vec<_> = (0..8)
            .map(|i| {
                let message = start("tic-tac-toe", &format!("match.{i}"), "xplayer", 2.0);
                scope.spawn(move || ours.ask(&message))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(answers.iter().filter(|answer| *answer == "ready").count(), 1, "{answers:?}");
    assert_eq!(answers.iter().filter(|answer| *answer == "busy").count(), 7, "{answers:?}");
    let id = format!("MATCH.{}", answers.iter().position(|answer| answer == "ready").unwrap());
    assert!(!ours.is_available());
    assert_eq!(ours.ask("(PREVIEW ((role a)) 1)"), "busy");

    // The same question gets the same answer, and so does one of another match none.
    let first = ours.ask(&format!("(PLAY {id} NIL)"));
    assert!(first.starts_with("(mark "), "{first}");
    assert_eq!(ours.ask(&format!("(PLAY {id} NIL)")), first);
    assert_eq!(ours.ask("(PLAY other nil)"), "busy");
    let joint = format!("( PLAY {id} ( {} NOOP ) )", first.to_ascii_uppercase());
    assert_eq!(ours.ask(&joint), "noop");
    assert_eq!(ours.ask(&joint), "noop", "a repeated message is no new ply");
    let ply = |moves: &str| ours.ask(&format!("(PLAY {id} {moves})"));
    let theirs = if first == "(mark 2 2)" { "(mark 1 1)" } else { "(mark 2 2)" };
    let second = ply(&format!("(noop {theirs})"));
    assert!(second.starts_with("(mark ") && second != first && second != theirs, "{second}");
    // Moves that cannot be: there is still an answer, from the last position that is known.
    assert!(ply("((mark 7 7) noop)").starts_with("(mark "));
    assert!(ply("(a b c d)").starts_with("(mark "));
    assert!(ply("()").starts_with("(mark "));
    assert_eq!(ours.ask(&format!("(ABORT {id})")), "aborted");
    assert_eq!(ply("nil"), "busy");

    // Everything in capitals, as one old host sends it.
    let message = start("tic-tac-toe", "m2", "oplayer", 2.0).to_ascii_uppercase();
    assert_eq!(ours.ask(&message), "ready");
    assert_eq!(ours.ask(&message), "ready", "a repeated START is answered as before");
    assert_eq!(ours.ask("(PLAY m2 NIL)"), "NOOP");
    assert!(ours.ask("(PLAY M2 ((MARK 1 1) NOOP))").starts_with("(MARK "));
    assert_eq!(ours.ask("(STOP M2 NIL)"), "done");
    assert!(ours.is_available());

    // By now the half requests were refused or closed.
    for mut stream in hanging {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.is_empty() || answer.contains("408"), "{answer}");
    }
    let report = host(
        "gdl:sheet=sliding-eight",
        &[&ours.address],
        &["--startclock", "2", "--playclock", "2", "--matches", "1"],
    );
    check_matches(&report, 1, 2.0);
}

/// A search that is cancelled ends at once, whatever the clock says.
#[test]
fn an_abort_ends_a_long_search() {
    let ours = Player::new(&["--agent", "uct"]);
    assert_eq!(
        ours.ask(&start("connect-four", "m", "red", 1.0).replace(" 1 1)", " 1 600)")),
        "ready"
    );
    thread::scope(|scope| {
        let play = scope.spawn(|| ours.ask("(PLAY m nil)"));
        thread::sleep(Duration::from_millis(300));
        assert!(!play.is_finished());
        assert_eq!(ours.ask("(ABORT m)"), "aborted");
        let answer = play.join().unwrap();
        assert!(answer.starts_with("(drop"), "{answer}");
    });
    assert!(ours.is_available());
}

/// A search that has not handed over its answer at the last moment has still published its best move.
#[test]
fn a_late_search_is_answered_for_by_its_best_move_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    // The last moment comes right after the one at which thinking is to end.
    let ours = Player::new(&["--margin", "0.0002", "--log", log.to_str().unwrap()]);
    for _ in 0..4 {
        assert_eq!(ours.ask(&start("connect-four", "m", "red", 1.0)), "ready");
        assert!(ours.ask("(PLAY m nil)").starts_with("(drop "));
        assert_eq!(ours.ask("(ABORT m)"), "aborted");
    }
    drop(ours);
    let log = fs::read_to_string(log).unwrap();
    let decided: Vec<&str> = log.lines().filter(|line| line.contains(" ply 1 ")).collect();
    assert!(decided.len() >= 3, "{log}");
    let is_found = |line: &&str| line.contains("best so far") || line.contains("iterations");
    assert!(decided.iter().all(is_found), "{decided:?}");
}

/// Our legal moves are known before the rest of a position, whose rules may take for ever; a move of
/// another ply is never sent.
#[test]
fn legal_moves_come_before_everything_else() {
    let numbers: Vec<String> =
        (1..=400).map(|n| format!("(succ {n} {}) (number {n})", n + 1)).collect();
    // From the second ply on, the goal asks for a way between any two numbers.
    let rules = format!(
        "(role hero) (init (step 1)) {} (choice a) (choice b)
         (<= (legal hero (go ?x ?y)) (true (step ?x)) (choice ?y))
         (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
         (<= (next late) (true (step ?x)))
         (<= (way ?a ?b) (succ ?a ?b) (true late))
         (<= (way ?a ?c) (way ?a ?b) (way ?b ?c))
         (<= broken (true late) (number ?a) (number ?b) (not (way ?a ?b)) (not (way ?b ?a)))
         (<= (goal hero 50) (not broken)) (<= terminal (true (step 300)))",
        numbers.join(" ")
    );
    let ours = Player::new(&["--ground-memory", "20KB"]);
    assert_eq!(ours.ask(&format!("(START m hero ({rules}) 3 3)")), "ready");
    let first = ours.ask("(PLAY m nil)");
    assert!(first.starts_with("(go 1 "), "{first}");
    let second = ours.ask(&format!("(PLAY m ({first}))"));
    assert!(second.starts_with("(go 2 "), "{second}");
}

/// Rules that do not ground in time are played by interpreting them.
#[test]
fn rules_that_do_not_ground_are_played_anyway() {
    let ours = Player::new(&["--ground-memory", "20KB", "--margin", "0.5"]);
    let options = ["--startclock", "2", "--playclock", "2", "--matches", "1"];
    let report = host("gdl:sheet=sliding-eight", &[&ours.address], &options);
    assert_eq!(report["matches"][0]["faults"], Value::Array(Vec::new()));
}

/// The text of a public sheet, if there is a folder that has it.
fn public_sheet(test: &str, name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("SAKIYOMI_SHARED") else {
        // Written past the capture of test output.
        let _ = writeln!(std::io::stderr(), "skipped: {test} needs SAKIYOMI_SHARED");
        return None;
    };
    Some(PathBuf::from(folder).join(format!("data/kif/{name}.kif")))
}

/// Plays one role of a match against a player, whose answers must be legal and in time. All other
/// roles move at random. Returns how many plies were played.
fn play_against(player: &Player, text: &str, [start, clock]: [u64; 2], max_plies: usize) -> usize {
    let game = GdlGame::interpreted(text).unwrap();
    let mut stepper = game.stepper();
    let (id, role) = ("m".to_owned(), game.roles()[0].clone());
    let message = Request::Start {
        id,
        role,
        rules: rules_text(text).unwrap(),
        start_clock: Duration::from_secs(start),
        play_clock: Duration::from_secs(clock),
    };
    let begin = Instant::now();
    assert_eq!(player.ask(&message.to_string()), "ready");
    assert!(begin.elapsed() <= Duration::from_secs(start), "START: {:?}", begin.elapsed());
    let (mut rng, mut moves) = (Rng::new(1), "nil".to_owned());
    let mut plies = 0;
    while plies < max_plies && !stepper.is_terminal() {
        let begin = Instant::now();
        let answer = player.ask(&format!("(PLAY m {moves})"));
        let taken = begin.elapsed();
        plies += 1;
        assert!(taken <= Duration::from_secs(clock), "ply {plies} took {taken:?}");
        let mut joint = vec![stepper.find(0, &answer)];
        assert!(joint[0].is_some(), "ply {plies}: {answer} is not legal");
        joint.extend((1..game.roles().len()).map(|role| {
            let legal = stepper.legal(role);
            Some(legal[rng.below(legal.len())])
        }));
        let joint: Vec<_> = joint.into_iter().flatten().collect();
        let texts: Vec<String> = joint.iter().map(|&action| game.move_text(action)).collect();
        moves = format!("({})", texts.join(" "));
        stepper.step(&joint).unwrap();
    }
    assert_eq!(player.ask("(ABORT m)"), "aborted");
    plies
}

/// Rules that take long to compile are searched from the first move on, and later by the compiled game.
#[test]
fn the_search_moves_over_when_the_rules_are_compiled() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let ours = Player::new(&["--iterations", "50", "--log", log.to_str().unwrap()]);
    let text = GdlSpec::new(RuleSheet::Named("checkers".to_owned())).text().unwrap();
    play_against(&ours, &text, [1, 6], 12);
    let log = fs::read_to_string(log).unwrap();
    let is_search = |line: &&str| line.contains(" ply ") && line.contains("iterations");
    let interpreted: Vec<bool> =
        log.lines().filter(is_search).map(|line| line.contains("interpreted")).collect();
    assert!(interpreted.len() >= 4, "{log}");
    assert!(!interpreted[interpreted.len() - 1], "{log}");
    assert!(interpreted.is_sorted_by(|early, late| early >= late), "{log}");
    assert!(!log.contains("out of time") && !log.contains("failed"), "{log}");
}

/// Sheets that take long to compile, or cannot be, on a machine that has other things to do: no answer
/// is late, illegal or drawn at random. `SAKIYOMI_PLIES` says how many plies of each are played,
/// `SAKIYOMI_SHEETS` which sheets.
#[test]
fn slow_sheets_lose_no_move_beside_busy_loops() {
    let test = "slow_sheets_lose_no_move_beside_busy_loops";
    let plies = std::env::var("SAKIYOMI_PLIES").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    let names = std::env::var("SAKIYOMI_SHEETS").unwrap_or("chess_200,slaughter".to_owned());
    let folder = tempfile::tempdir().unwrap();
    for name in names.split(',') {
        let Some(file) = public_sheet(test, name) else { return };
        let text = String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned();
        let log = folder.path().join(name);
        let loops: Vec<BusyLoop> = (0..8).map(|_| BusyLoop::new()).collect();
        let ours = Player::new(&["--log", log.to_str().unwrap()]);
        let mut played = 0;
        while played < plies {
            played += play_against(&ours, &text, [5, 2], plies - played);
        }
        drop((ours, loops));
        let log = fs::read_to_string(log).unwrap();
        let decided: Vec<&str> = log.lines().filter(|line| line.contains(" ply ")).collect();
        assert_eq!(decided.len(), plies, "{name}");
        let count = |remark: &str| decided.iter().filter(|line| line.contains(remark)).count();
        let [found, best, forced] = ["iterations", "best so far", "no choice"].map(count);
        println!("{name}: {found} found, {best} best so far, {forced} forced of {plies}");
        assert_eq!((count("at random"), count("no legal move")), (0, 0), "{name}: {log}");
    }
}

/// A program of its own that does nothing but spend time, until it is dropped.
struct BusyLoop(Child);

impl BusyLoop {
    fn new() -> BusyLoop {
        // In a session of its own, as other programs of a machine are; it also ends with this one.
        let work = format!("while kill -0 {} 2> /dev/null; do :; done", std::process::id());
        BusyLoop(Command::new("setsid").args(["sh", "-c", &work]).spawn().unwrap())
    }
}

impl Drop for BusyLoop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn puzzles_are_solved_within_the_clocks() {
    let report = host(
        "gdl:sheet=sliding-eight",
        &[&Player::new(&[]).address],
        &["--startclock", "20", "--playclock", "2", "--matches", "1"],
    );
    assert_eq!(report["matches"][0]["goals"][0], 100);
    for name in ["hanoi_6_disks", "lightsOut", "sudokuGrade3", "sudokuGrade5"] {
        let Some(file) = public_sheet("puzzles_are_solved_within_the_clocks", name) else { return };
        let ours = Player::new(&[]);
        let clocks = ["--startclock", "30", "--playclock", "5", "--matches", "1"];
        let report = host(file.to_str().unwrap(), &[&ours.address], &clocks);
        assert_eq!(report["matches"][0]["goals"][0], 100, "{name}");
        assert_eq!(report["matches"][0]["faults"], Value::Array(Vec::new()), "{name}");
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let refused = |arguments: &[&str], part: &str| {
        let output = Command::new(BINARY).args(arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(part), "{arguments:?}: `{part}` is not in: {errors}");
    };
    refused(&["ggp", "--agent", "exact"], "cannot be held to a clock");
    refused(&["ggp", "--name", "a b"], "one word");
    refused(&["ggp", "--listen", "nowhere"], "invalid");
    refused(&["ggp-host", "tic-tac-toe", "a:1", "b:1"], "no rule sheet");
    refused(&["ggp-host", "gdl", "https://a:1", "b:1"], "expected host:port");
    refused(&["ggp-host", "gdl", "a:1"], "has 2 seats, but 1 players");
    refused(&["ggp-host", "gdl", "a:1", "a:1"], "named twice");
    refused(&["ggp-host", "no-such.kif", "a:1"], "no-such.kif");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = Command::new(BINARY).args(["ggp", "--listen", &address]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    drop(taken);
    let output =
        Command::new(BINARY).args(["ggp-host", "gdl", &address, "127.0.0.1:9"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no player answers"));
}

/// A page that a person looks at must not start matches or abort them.
#[test]
fn web_pages_drive_a_player_only_if_they_are_let_in() {
    let ask = |player: &Player, method: &str, header: &str| {
        let head = format!("{method} /%28INFO%29 HTTP/1.1\r\nHost: x\r\n{header}");
        player.raw(format!("{head}Content-Length: 0\r\n\r\n").as_bytes()).to_ascii_lowercase()
    };
    let page = "Origin: http://page.example\r\n";
    let ours = Player::new(&["--agent", "random"]);
    for (method, header) in [
        ("POST", page),
        ("GET", page),
        ("OPTIONS", page),
        ("GET", "Sec-Fetch-Site: cross-site\r\n"),
        ("GET", "Sec-Fetch-Site: same-origin\r\n"),
    ] {
        let answer = ask(&ours, method, header);
        assert!(answer.starts_with("http/1.1 403"), "{method} {header}: {answer}");
        assert!(!answer.contains("access-control"), "{answer}");
    }
    let answer = ask(&ours, "GET", "");
    assert!(
        answer.contains("(status available)") && !answer.contains("access-control"),
        "{answer}"
    );
    let open = Player::new(&["--agent", "random", "--allow-origin", "http://page.example"]);
    let answer = ask(&open, "GET", page);
    assert!(answer.contains("access-control-allow-origin: http://page.example"), "{answer}");
    assert!(ask(&open, "OPTIONS", page).contains("access-control-allow-methods"));
    assert!(ask(&open, "GET", "Origin: http://other.example\r\n").starts_with("http/1.1 403"));
}

#[test]
fn silent_connections_keep_nobody_out() {
    let ours = Player::new(&["--agent", "random"]);
    let silent: Vec<TcpStream> = (0..300)
        .map(|i| {
            let mut stream = ours.connect();
            let said: &[u8] = match i % 3 {
                0 => b"",
                1 => b"POST / HTTP/1.0\r\nContent-",
                _ => b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(IN",
            };
            stream.write_all(said).unwrap();
            stream
        })
        .collect();
    let begin = Instant::now();
    assert!(ours.is_available());
    assert!(begin.elapsed() < Duration::from_secs(4), "{:?}", begin.elapsed());
    drop(silent);
    let chunk = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n";
    let answer = ours.raw(chunk);
    assert!(answer.starts_with("HTTP/1.1 400"), "a malformed chunk: {answer}");
}
