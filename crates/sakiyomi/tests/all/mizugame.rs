//! The contest's server as a process of its own, with teams that are processes too, and with clients
//! that misbehave.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use sakiyomi::catalog::{Record, replay};
use sakiyomi::core::Turn;

const BINARY: &str = env!("CARGO_BIN_EXE_sakiyomi");

struct Host {
    process: Child,
    out: BufReader<ChildStdout>,
    address: String,
}

impl Host {
    fn new(arguments: &[&str]) -> Host {
        let mut process = Command::new(BINARY)
            .args(["mizugame", "host", "--listen", "127.0.0.1:0", "--linger", "2"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let address = line.trim().rsplit("http://").next().unwrap().to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{line}");
        Host { process, out, address }
    }

    /// Waits for the end and returns the report.
    fn report(mut self) -> String {
        let mut text = String::new();
        self.out.read_to_string(&mut text).unwrap();
        assert!(self.process.wait().unwrap().success(), "{text}");
        text
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn ask(address: &str, path: &str) -> String {
    raw(address, format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes())
}

fn raw(address: &str, bytes: &[u8]) -> String {
    let Ok(mut stream) = TcpStream::connect(address) else { return String::new() };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// The columns of a team's row in the report.
fn row(report: &str, team: usize) -> Vec<f64> {
    let name = format!("| team {team} ");
    let line = report.lines().find(|line| line.starts_with(&name)).unwrap_or_default();
    line.split('|').skip(2).filter_map(|cell| cell.trim().parse().ok()).collect()
}

#[test]
fn six_teams_play_a_whole_match() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no python3 for the sample client");
        return;
    }
    let record = tempfile::NamedTempFile::new().unwrap();
    let file = record.path().to_str().unwrap().to_owned();
    let mut arguments = vec!["mizugame:sessions=18,seed=3", "--session", "0.4", "--record", &file];
    let tokens = ["a1", "b2", "c3", "d4", "e5", "f6"];
    tokens.iter().for_each(|token| arguments.extend(["--token", token]));
    let host = Host::new(&arguments);
    let client =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/mizugame_client.py");
    let teams: Vec<Child> = tokens
        .iter()
        .enumerate()
        .map(|(i, token)| {
            let server = format!("http://{}", host.address);
            let team = (i + 1).to_string();
            let mut command = Command::new("python3");
            command.arg(&client).args([&server, &(*token).to_owned(), &team]).spawn().unwrap()
        })
        .collect();
    let report = host.report();
    for mut team in teams {
        let _ = team.wait();
    }
    let mut cells = 0.0;
    for team in 1..=6 {
        let [score, _, silent, malformed, _] = row(&report, team)[..] else { panic!("{report}") };
        assert_eq!(malformed, 0.0, "{report}");
        assert!(silent < 9.0, "{report}");
        cells += score;
    }
    assert!(cells >= 6.0, "{report}");
    let record: Record =
        serde_json::from_str(&std::fs::read_to_string(record.path()).unwrap()).unwrap();
    assert_eq!(record.moves.len(), 17);
    assert!(matches!(replay(&record).unwrap().turn(), Turn::Over(_)));
}

#[test]
fn bad_clients_do_not_stop_the_clock() {
    let host = Host::new(&[
        "mizugame:teams=2,sessions=12",
        "--session",
        "0.5",
        "--token",
        "good",
        "--token",
        "other",
        "--wait",
        "20",
    ]);
    let address = host.address.clone();
    let is_over = Arc::new(AtomicBool::new(false));
    let bad = bad_clients(&address, &is_over);
    assert!(ask(&address, "/system/map/?token=other").contains("state=\"waiting\""));
    let mut n_taken = 0;
    loop {
        let command = "/system/command/machine_1=0A&machine_2=zzz&machine_3=&token=good";
        let answer = ask(&address, command);
        n_taken += u32::from(answer.contains("taken=\"true\""));
        if answer.is_empty() || answer.contains("state=\"over\"") {
            break;
        }
        assert!(answer.contains("machine_2=\"malformed\""), "{answer}");
        thread::sleep(Duration::from_millis(100));
    }
    is_over.store(true, Ordering::Relaxed);
    let report = host.report();
    bad.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(n_taken >= 11, "{n_taken} commands were taken");
    let [_, _, silent, malformed, _] = row(&report, 1)[..] else { panic!("{report}") };
    assert!(silent <= 4.0 && malformed >= 11.0, "{report}");
    assert_eq!(row(&report, 2)[2], 11.0, "the other team gave no orders: {report}");
    let late = report.split("at most ").nth(1).and_then(|text| text.split(' ').next());
    let late: f64 = late.unwrap().parse().unwrap();
    assert!(late < 250.0, "{late} ms: {report}");
}

/// 200 clients that send nothing, half a request, nonsense, foreign tokens, or too much.
fn bad_clients(address: &str, is_over: &Arc<AtomicBool>) -> Vec<thread::JoinHandle<()>> {
    let long = format!("GET /system/command/token={} HTTP/1.1\r\n\r\n", "x".repeat(200_000));
    let requests: [Vec<u8>; 8] = [
        Vec::new(),
        b"GET /system/m".to_vec(),
        b"\x00\xff\xfe nonsense \r\n\r\n".to_vec(),
        b"GET /system/command/machine_1=A&token=nope HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        b"POST /system/map/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\nabc".to_vec(),
        long.into_bytes(),
        b"GET /system/command/machine_9=%zz&&&=&token=good HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        b"GET /etc/passwd HTTP/1.0\r\n\r\n".to_vec(),
    ];
    let client = |i: usize| {
        let (address, is_over) = (address.to_owned(), Arc::clone(is_over));
        let request = requests[i % requests.len()].clone();
        thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                let Ok(mut stream) = TcpStream::connect(&address) else { return };
                let _ = stream.write_all(&request);
                // They hold the connection, and come again.
                thread::sleep(Duration::from_millis(300 + i as u64));
            }
        })
    };
    (0..200).map(client).collect()
}
