//! What rule sheets, searches and pages may take: explosive rules end with an error, Ctrl-C ends every command at
//! once, and no kind of work keeps others from their turn.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_sakiyomi");
/// Much longer than an interrupt may take, for machines that do other work as well.
const SOON: Duration = Duration::from_secs(4);

/// Moves with one value for each of 24 bits, which takes all the time that there is.
fn explosive_sheet() -> String {
    let variables: String = (0..24).map(|i| format!(" ?b{i}")).collect();
    let conditions: String = (0..24).map(|i| format!(" (bit ?b{i})")).collect();
    format!(
        "(role a) (bit 0) (bit 1) (init (at 0))
         (<= (legal a (set{variables})){conditions})
         (<= (next (at ?b0)) (does a (set{variables})))
         (<= terminal (true (at 2))) (goal a 50)"
    )
}

/// A server in a process of its own, which ends with this.
struct Served {
    process: Child,
    address: String,
}

impl Served {
    fn start(folder: &Path) -> Served {
        Served::start_by(&mut Command::new(BINARY), folder)
    }

    fn start_by(program: &mut Command, folder: &Path) -> Served {
        let mut process = program
            .args(["serve", "--listen", "127.0.0.1:0"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("listening on http://").trim_end_matches('/');
        Served { address: address.to_owned(), process }
    }

    fn post(&self, path: &str, body: &Value) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, body) = (&self.address, body.to_string());
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        stream
    }

    /// The status and the body of an answer that comes within a time.
    fn answer(&self, path: &str, body: &Value, within: Duration) -> (u16, String) {
        let mut stream = self.post(path, body);
        stream.set_read_timeout(Some(within)).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap_or_else(|error| panic!("{path}: {error}"));
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn interrupt(&mut self) -> Duration {
        let begin = Instant::now();
        interrupt(&self.process);
        self.process.wait().unwrap();
        begin.elapsed()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn interrupt(process: &Child) {
    let id = process.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
}

#[test]
fn a_page_is_told_which_rule_takes_too_much() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    // Both grow by doubling, so that a busy machine reaches the limit of their size before that of time.
    let endless = "(role a)\n(number zero)\n(<= (number (pair ?x ?x)) (number ?x))
        (<= (legal a (say ?x)) (number ?x))\n(<= terminal (true over)) (goal a 50)";
    let doubling = "(role a) (init (n zero)) (legal a wait)
        (<= (next (n (pair ?x ?x))) (true (n ?x)))\n(<= terminal (true over)) (goal a 50)";
    let within = Duration::from_secs(60);
    let (status, error) = served.answer("/api/rules", &json!({ "text": endless }), within);
    assert_eq!(status, 422, "{error}");
    assert!(error.contains("10000 characters") && error.contains("`number` at line 3"), "{error}");
    let (status, error) = served.answer("/api/rules", &json!({ "text": doubling }), within);
    assert_eq!(status, 422, "{error}");
    assert!(error.contains("the rule of `next` at line 2"), "{error}");
}

/// Twenty pages hand over rules that take all the time there is, and go away.
#[test]
fn rules_of_pages_that_went_away_are_not_worked_on() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    let request = json!({ "text": explosive_sheet() });
    let gone: Vec<TcpStream> = (0..20).map(|_| served.post("/api/rules", &request)).collect();
    thread::sleep(Duration::from_secs(1));
    drop(gone);
    let text = include_str!("../../../../games/gdl/tic_tac_toe.kif");
    let within = Duration::from_secs(14);
    let (status, answer) = served.answer("/api/rules", &json!({ "text": text }), within);
    assert_eq!(status, 200, "{answer}");
}

#[test]
fn an_interrupt_ends_a_server_that_compiles_rules() {
    let folder = tempfile::tempdir().unwrap();
    let mut served = Served::start(folder.path());
    let _asked = served.post("/api/rules", &json!({ "text": explosive_sheet() }));
    thread::sleep(Duration::from_secs(1));
    let time = served.interrupt();
    assert!(time < SOON, "{time:?}");
}

const EXPERIMENT: &str = r#"
id = "explosive"
title = "A test"
kind = "duels"
game = "gdl:file=explosive.kif,time=100s"
second = "random"
[scale.quick]
games = 10
[scale.paper]
games = 10
[[duel]]
name = "a"
first = "random"
"#;

#[test]
fn an_interrupt_ends_commands_at_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("explosive.kif"), explosive_sheet()).unwrap();
    fs::write(folder.path().join("explosive.toml"), EXPERIMENT).unwrap();
    let long = [
        &["run", "explosive.toml", "--store", "s"][..],
        &["duel", "gdl:file=explosive.kif,time=100s", "random", "random"],
        &["mizugame", "host", "--listen", "127.0.0.1:0", "--token", "a", "--linger", "50"],
    ];
    for arguments in long {
        let mut child = Command::new(BINARY)
            .args(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_secs(1));
        assert!(child.try_wait().unwrap().is_none(), "{arguments:?} was over before");
        let begin = Instant::now();
        interrupt(&child);
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(130), "{arguments:?}");
        assert!(begin.elapsed() < SOON, "{arguments:?}: {:?}", begin.elapsed());
    }
}

/// A server gives the memory of trees back, unless the user says otherwise.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn large_blocks_of_a_server_are_the_systems() {
    const THRESHOLD: &str = "MALLOC_MMAP_THRESHOLD_";
    let folder = tempfile::tempdir().unwrap();
    let threshold = |served: &Served| {
        let environment = fs::read(format!("/proc/{}/environ", served.process.id())).unwrap();
        let environment = String::from_utf8_lossy(&environment).into_owned();
        let value = environment.split('\0').find_map(|one| one.strip_prefix(THRESHOLD));
        value.map(|value| value.trim_start_matches('=').to_owned())
    };
    let served = Served::start(folder.path());
    assert_eq!(threshold(&served).as_deref(), Some("262144"));
    let own = Served::start_by(Command::new(BINARY).env(THRESHOLD, "300000"), folder.path());
    assert_eq!(threshold(&own).as_deref(), Some("300000"));
}

/// More searches than there are threads for blocking work in the whole server.
#[test]
fn positions_do_not_wait_for_searches() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    let record = json!({ "game": "connect-four", "seed": 1, "moves": [] });
    let agent = "uct:time=40s,memory=1MiB";
    let search = json!({ "record": record, "player": 0, "agent": agent });
    let _searches: Vec<TcpStream> = (0..560).map(|_| served.post("/api/think", &search)).collect();
    thread::sleep(Duration::from_secs(1));
    let within = Duration::from_secs(20);
    let (status, answer) = served.answer("/api/position", &json!({ "record": record }), within);
    assert_eq!(status, 200, "{answer}");
}
