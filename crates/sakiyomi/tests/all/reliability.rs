//! The rows of docs/reference/reliability.md that no other test shows: signals, full disks, folders that cannot be written,
//! closed pipes, damaged files, two processes at once, and clocks.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{fair, resume};

const BINARY: &str = env!("CARGO_BIN_EXE_sakiyomi");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const FORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tubstap/ford.tbsmap");
const SHEET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/gdl/tic_tac_toe.kif");
const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

const LONG: &str = r#"
id = "long"
title = "A test"
kind = "duels"
game = "connect-four"
second = "uct:iterations=3000"
[scale.quick]
games = 100000
[scale.paper]
games = 100000
[[duel]]
name = "a"
first = "uct:iterations=3000"
"#;

/// Commands that do not end by themselves within a minute, and how Ctrl-C ends them: with 130 if they report what
/// is complete, with 0 if they only serve, or by the signal if there is nothing to keep.
fn long_commands() -> Vec<(String, Ended)> {
    let report = Ended::Code(130);
    let serve = Ended::Code(0);
    [
        ("run long.toml --store run.sqlite -q", report),
        ("duel connect-four uct:iterations=3000 uct --games 1000000 -q", report),
        ("duel connect-four uct:iterations=3000 uct --games 100000 -q --store duel.sqlite", report),
        ("rate connect-four uct:iterations=3000 uct --games 100000 -q --store rate.sqlite", report),
        ("tune uct:iterations=3000 --parameter c --on connect-four --games 1000000 -q", report),
        ("solve hagetaka:n=10 --layers kept -q", report),
        ("exploit hagetaka:n=9 uniform -q", report),
        ("exploit connect-four uct:iterations=3000 --minutes 10 -q", report),
        ("evolve --preset fair --out evolved -q", report),
        ("fairness FORD --games 1000000 -q", report),
        ("tubstap battle FORD --red sample --blue m-uct --games 100000 -q", report),
        ("tubstap host FORD --port 0", Ended::Signal),
        ("tubstap answer --agent sample", Ended::Signal),
        ("ggp --listen 127.0.0.1:0", serve),
        ("serve --listen 127.0.0.1:0 --store serve.sqlite", serve),
        ("mizugame host --listen 127.0.0.1:0", report),
        ("play tic-tac-toe --seat human --seat uct", Ended::Signal),
        ("play connect-four --seat uct:time=60s --seat uct", Ended::Signal),
        ("gdl info SHEET --seconds 1000 -q", report),
        ("bench connect-four --seconds 1000", Ended::Signal),
        ("perft othello --depth 14", Ended::Signal),
        ("probe connect-four --playouts 10000000", Ended::Signal),
    ]
    .map(|(command, ended)| (command.replace("FORD", FORD).replace("SHEET", SHEET), ended))
    .to_vec()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ended {
    Code(i32),
    Signal,
}

fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(BINARY);
    command.args(arguments.split_whitespace()).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn output(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().unwrap()
}

fn succeeds(folder: &Path, arguments: &str) {
    let done = output(folder, arguments);
    assert!(done.status.success(), "{arguments}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Checks that a command failed on the way, and said where.
fn failed(arguments: &str, done: &Output, part: &str) {
    let errors = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{arguments}: {errors}");
    assert!(!errors.contains("panicked"), "{arguments}: {errors}");
    assert!(errors.contains(part), "{arguments}: `{part}` is not in: {errors}");
}

fn signal(child: &Child, signal: i32) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(sent.unwrap().success(), "a process that has ended");
}

/// What of these commands keep their results.
const STORES: [&str; 3] = ["run.sqlite", "duel.sqlite", "rate.sqlite"];

/// Starts all of these commands, sends all of them a signal when they have begun, and hands over how they ended. They
/// have much longer than they need, since they share the cores with all other tests.
fn ended_by(number: i32, folder: &Path, commands: &[String]) -> Vec<ExitStatus> {
    let mut children: Vec<Child> =
        commands.iter().map(|arguments| command(folder, arguments).spawn().unwrap()).collect();
    let begin = Instant::now();
    let is_there = |name: &&str| fs::metadata(folder.join(name)).is_ok_and(|found| found.len() > 0);
    while !STORES.iter().all(is_there) {
        assert!(begin.elapsed() < Duration::from_secs(120), "no run has made its store");
        thread::sleep(Duration::from_millis(50));
    }
    // Those that keep nothing have begun by then, or end like any program.
    thread::sleep(Duration::from_secs(3));
    for (child, arguments) in children.iter_mut().zip(commands) {
        assert!(child.try_wait().unwrap().is_none(), "{arguments} ended by itself");
        signal(child, number);
    }
    let begin = Instant::now();
    let wait = |(child, arguments): (&mut Child, &String)| {
        while begin.elapsed() < Duration::from_secs(120) {
            if let Some(status) = child.try_wait().unwrap() {
                return status;
            }
            thread::sleep(Duration::from_millis(10));
        }
        child.kill().unwrap();
        panic!("{arguments} does not end by signal {number}");
    };
    children.iter_mut().zip(commands).map(wait).collect()
}

#[test]
fn an_interrupt_ends_every_command() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("long.toml"), LONG).unwrap();
    let mut commands = long_commands();
    // A shell that starts tests in the background has programs ignore Ctrl-C, unless they listen to it.
    commands.retain(|(_, ended)| *ended != Ended::Signal || !ignores_interrupts());
    check_ended_by(SIGINT, folder.path(), commands);
}

/// Ends commands by a signal; what is complete must be kept.
fn check_ended_by(signal: i32, folder: &Path, commands: Vec<(String, Ended)>) {
    let (commands, expected): (Vec<String>, Vec<Ended>) = commands.into_iter().unzip();
    let found = ended_by(signal, folder, &commands);
    for ((arguments, status), expected) in commands.iter().zip(found).zip(expected) {
        // A command that has not yet got to its work ends like any program.
        let is_signal = status.signal() == Some(signal);
        let is_right = match expected {
            Ended::Code(code) => status.code() == Some(code) || is_signal,
            Ended::Signal => is_signal,
        };
        assert!(is_right, "{arguments}: {status}, not {expected:?}");
    }
    for store in STORES {
        succeeds(folder, &format!("store show --store {store}"));
    }
}

/// Whether programs that are started here inherit that SIGINT is ignored.
fn ignores_interrupts() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let bits = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    bits.is_some_and(|bits| bits >> (SIGINT - 1) & 1 == 1)
}

#[test]
fn a_termination_ends_every_command_as_an_interrupt_does() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("long.toml"), LONG).unwrap();
    check_ended_by(SIGTERM, folder.path(), long_commands());
}

#[test]
fn a_killed_evolution_goes_on_to_the_identical_result() {
    let folder = tempfile::tempdir().unwrap();
    let begin = Instant::now();
    assert!(fair::output(&fair::evolve("whole", "2"), folder.path()).status.success());
    let time = begin.elapsed();
    let mut n_killed = 0;
    for part in [0.3, 0.6, 0.5, 0.8] {
        let arguments = fair::evolve("killed", "2").join(" ");
        let mut child = command(folder.path(), &arguments).spawn().unwrap();
        thread::sleep(time.mul_f64(part));
        n_killed += u32::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        child.wait().unwrap();
    }
    assert!(n_killed > 0, "no run was killed before it was complete");
    assert!(fair::output(&fair::evolve("killed", "2"), folder.path()).status.success());
    assert_eq!(fair::found(folder.path(), "killed"), fair::found(folder.path(), "whole"));
}

/// A round robin that is killed plays what is missing; its numbers are those of an undisturbed one.
#[test]
fn a_killed_rating_goes_on_to_the_same_ratings() {
    let folder = tempfile::tempdir().unwrap();
    let rate = "rate tic-tac-toe random uct:iterations=60 uct:iterations=150 --games 1000 -q";
    let report = |store: &str| {
        let done = output(folder.path(), &format!("{rate} --json --store {store}"));
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        serde_json::from_slice::<Value>(&done.stdout).unwrap()
    };
    let begin = Instant::now();
    let whole = report("whole.sqlite");
    let time = begin.elapsed();
    let mut n_killed = 0;
    for part in [0.4, 0.7, 0.3] {
        let mut child =
            command(folder.path(), &format!("{rate} --store killed.sqlite")).spawn().unwrap();
        thread::sleep(time.mul_f64(part));
        n_killed += u32::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        child.wait().unwrap();
    }
    assert!(n_killed > 0, "no round robin was killed before it was complete");
    let killed = report("killed.sqlite");
    assert_eq!((&killed["agents"], &killed["pairs"]), (&whole["agents"], &whole["pairs"]));
}

/// A server of the page and its address.
fn serve(folder: &Path) -> (Child, String) {
    let arguments = "serve --listen 127.0.0.1:0 --store jobs.sqlite --experiments . --threads 1";
    let mut child = command(folder, arguments).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
    (child, address)
}

fn post(address: &str, path: &str, body: &Value) -> Value {
    let text = ureq::post(format!("{address}{path}")).send(body.to_string()).unwrap();
    serde_json::from_str(&text.into_body().read_to_string().unwrap()).unwrap()
}

fn first_job(address: &str) -> Value {
    let text = ureq::get(format!("{address}api/jobs")).call().unwrap();
    let jobs: Value = serde_json::from_str(&text.into_body().read_to_string().unwrap()).unwrap();
    jobs[0].clone()
}

/// Asks for the first job until it is as wanted.
fn wait_for_job(address: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
    let begin = Instant::now();
    loop {
        let job = first_job(address);
        if is_wanted(&job) {
            return job;
        }
        assert!(begin.elapsed() < Duration::from_secs(120), "{job}");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_killed_server_lists_its_jobs_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (mut server, address) = serve(folder.path());
    let agents = ["uct:iterations=2000", "random"];
    let duel =
        json!({"kind": "duel", "game": "tic-tac-toe", "agents": agents, "games": 600, "seed": 7});
    let id = post(&address, "api/jobs", &duel)["id"].clone();
    wait_for_job(&address, |job| job["games_done"].as_u64() > Some(0));
    server.kill().unwrap();
    server.wait().unwrap();
    let (mut server, address) = serve(folder.path());
    let known = first_job(&address);
    assert_eq!((&known["id"], &known["state"]), (&id, &json!("stopped")), "{known}");
    post(&address, &format!("api/jobs/{id}/resume"), &json!({}));
    let done = wait_for_job(&address, |job| job["state"] != "running");
    assert_eq!((&done["state"], &done["games_done"]), (&json!("done"), &json!(600)), "{done}");
    server.kill().unwrap();
    server.wait().unwrap();
}

/// The size of files is limited in place of the disk, in units of 512 bytes.
fn on_a_full_disk(folder: &Path, arguments: &str, blocks: u32) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {BINARY} {arguments}");
    Command::new("sh").args(["-c", &script]).current_dir(folder).output().unwrap()
}

/// Commands that write a file at their end: the file and what it costs.
fn writing_commands(place: &str) -> Vec<(String, String)> {
    [
        ("solve hagetaka:n=4 -q --save", "solution"),
        ("exploit hagetaka:n=3 uniform -q --svg", "exploit.svg"),
        ("fairness FORD --games 2 --agents sample -q --picture", "map.svg"),
        ("tubstap battle FORD --red sample --blue sample --games 2 -q --log", "log.csv"),
    ]
    .map(|(command, file)| {
        let file = format!("{place}{file}");
        (format!("{} {file}", command.replace("FORD", FORD)), file)
    })
    .to_vec()
}

#[test]
fn a_full_disk_is_told_and_leaves_no_half_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, file) in writing_commands("") {
        failed(&arguments, &on_a_full_disk(folder.path(), &arguments, 0), &file);
    }
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 0, "nothing is left behind");
    fs::write(folder.path().join("resume.toml"), resume::EXPERIMENT).unwrap();
    let run = "run resume.toml --store store.sqlite -q --unit-seconds 0.02";
    failed(run, &on_a_full_disk(folder.path(), run, 40), "store.sqlite");
    succeeds(folder.path(), run);
    let rate = "rate tic-tac-toe random uct:iterations=9 --games 9 -q --store rate.sqlite";
    failed(rate, &on_a_full_disk(folder.path(), rate, 8), "rate.sqlite");
    succeeds(folder.path(), rate);
    let evolve = fair::evolve("evolved", "1").join(" ");
    failed(&evolve, &on_a_full_disk(folder.path(), &evolve, 8), "run.json");
    succeeds(folder.path(), &evolve);
    succeeds(folder.path(), &fair::evolve("whole", "2").join(" "));
    assert_eq!(fair::found(folder.path(), "evolved"), fair::found(folder.path(), "whole"));
}

const PRINTING: [&str; 10] = [
    "games",
    "agents --json",
    "completions bash",
    "perft tic-tac-toe --depth 3",
    "duel tic-tac-toe random random --games 4 -q",
    "rate tic-tac-toe random flat:iterations=9 --games 4 -q",
    "play tic-tac-toe --seat random --seat random",
    "solve hagetaka:n=3 -q",
    "exploit hagetaka:n=3 uniform -q",
    "bench tic-tac-toe --seconds 0.01 --simulations 100",
];

#[test]
fn an_output_that_is_full_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in PRINTING {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let done = command(folder.path(), arguments).stdout(full).output().unwrap();
        failed(arguments, &done, "No space left on device");
    }
}

#[test]
fn a_reader_that_has_had_enough_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in PRINTING {
        let mut child = command(folder.path(), arguments).spawn().unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{arguments}");
        assert!(done.stderr.is_empty(), "{arguments}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

/// A folder in which no one makes files, not even root.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_is_told_by_the_name_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("resume.toml"), resume::EXPERIMENT).unwrap();
    for (arguments, file) in writing_commands("/sys/") {
        failed(&arguments, &output(folder.path(), &arguments), &file);
    }
    let run = resume::start(folder.path(), "store", "2").wait().unwrap();
    assert!(run.success());
    for (arguments, file) in [
        ("run resume.toml -q --store /sys/store", "/sys/store"),
        ("duel tic-tac-toe random random --games 2 -q --store /sys/store", "/sys/store"),
        ("rate tic-tac-toe random uct --games 2 -q --store /sys/store", "/sys/store"),
        ("evolve --preset fair -q --out /sys/evolved", "/sys/evolved"),
        ("report resume.toml --store store --html /sys/pages", "/sys/pages"),
        ("store export --store store --output /sys/games.csv", "/sys/games.csv"),
        ("ggp --listen 127.0.0.1:0 --log /sys/log", "/sys/log"),
    ] {
        failed(arguments, &output(folder.path(), arguments), file);
    }
}

#[test]
fn damaged_files_are_refused_and_left_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("resume.toml"), resume::EXPERIMENT).unwrap();
    assert!(resume::start(folder.path(), "store", "2").wait().unwrap().success());
    let evolve = fair::evolve("evolved", "2").join(" ");
    succeeds(folder.path(), &evolve);
    let cut = |file: &str| {
        let bytes = fs::read(at(file)).unwrap();
        fs::write(at(file), &bytes[..bytes.len() / 3]).unwrap();
        fs::read(at(file)).unwrap()
    };
    for (file, commands) in [
        (
            "store",
            &[
                "run resume.toml --store store",
                "report resume.toml --store store",
                "store show --store store",
            ][..],
        ),
        ("evolved/run.json", &[evolve.as_str()][..]),
    ] {
        let before = cut(file);
        for arguments in commands {
            let done = output(folder.path(), arguments);
            let errors = String::from_utf8_lossy(&done.stderr);
            assert!(matches!(done.status.code(), Some(1 | 2)), "{arguments}: {errors}");
            assert!(errors.contains(file) && !errors.contains("panicked"), "{arguments}: {errors}");
            assert_eq!(fs::read(at(file)).unwrap(), before, "{arguments}");
        }
    }
}

#[test]
fn two_processes_evolve_in_one_folder_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(folder.path(), &fair::evolve("alone", "2").join(" "));
    let arguments = fair::evolve("shared", "1").join(" ");
    let children = [(); 2].map(|()| command(folder.path(), &arguments).spawn().unwrap());
    for child in children {
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    assert_eq!(fair::found(folder.path(), "shared"), fair::found(folder.path(), "alone"));
}

#[test]
fn a_port_that_is_taken_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let port = address.port();
    for arguments in [
        format!("serve --listen {address}"),
        format!("ggp --listen {address}"),
        format!("mizugame host --listen {address}"),
        format!("tubstap host {FORD} --port {port}"),
    ] {
        failed(&arguments, &output(folder.path(), &arguments), "in use");
    }
}

/// What is measured is measured by clocks that never jump. The time of day is only shown: in the log of the player,
/// and in the names of matches.
#[test]
fn only_what_is_shown_reads_the_time_of_day() {
    let mut readers = Vec::new();
    let mut folders: Vec<PathBuf> = vec![Path::new(ROOT).join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if path.file_name().is_none_or(|name| name != "tests") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && fs::read_to_string(&path).unwrap().contains("SystemTime::now")
            {
                let name = path.strip_prefix(ROOT).unwrap().to_str().unwrap().to_owned();
                readers.push(name);
            }
        }
    }
    readers.sort();
    assert_eq!(readers, ["crates/sakiyomi/src/ggp/log.rs"]);
}

/// The table names tests that there are.
#[test]
fn every_row_of_the_table_has_a_test() {
    let table = fs::read_to_string(Path::new(ROOT).join("docs/reference/reliability.md")).unwrap();
    let mut n_rows = 0;
    // The two lines before the rows are the heads of the columns.
    for row in table.lines().skip_while(|line| !line.starts_with("|---")).skip(1) {
        let Some(cells) = row.strip_prefix("| ").and_then(|row| row.strip_suffix(" |")) else {
            break;
        };
        n_rows += 1;
        let tests: Vec<&str> =
            cells.rsplit(" | ").next().unwrap().split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "no test: {row}");
        for name in tests {
            let (file, test) = name.split_once("::").unwrap_or_else(|| panic!("{name}"));
            let path = Path::new(ROOT).join("crates").join(file);
            let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(text.contains(&format!("fn {test}(")), "{name} is no test");
        }
    }
    assert!(n_rows > 20, "{n_rows} rows");
}
