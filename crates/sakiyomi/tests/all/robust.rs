//! What goes wrong outside of the program stays outside: interrupts, programs that misbehave, full disks, files
//! that are not what they should be.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use sakiyomi::eval::Store;

const BINARY: &str = env!("CARGO_BIN_EXE_sakiyomi");

fn output(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(BINARY).args(arguments).current_dir(folder).output().unwrap()
}

/// Checks that the command fails with this exit code and an error that has these parts.
fn fails(folder: &Path, arguments: &[&str], code: i32, parts: &[&str]) {
    let output = output(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    for part in parts {
        assert!(errors.contains(part), "{arguments:?}: `{part}` is not in: {errors}");
    }
}

/// A reader that has had enough of the output is no fault; a server that closes the connection is one.
#[test]
fn a_closed_connection_is_told_from_a_closed_output() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        // Each unknown order is answered, and the answers come to a connection that is closed.
        let _ = stream.write_all("dance\r\n".repeat(10_000).as_bytes());
    });
    fails(folder.path(), &["tubstap", "join", &address, "--agent", "sample"], 1, &["error: "]);
    server.join().unwrap();
    let mut child = Command::new(BINARY).arg("agents").stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Runs a command, presses Ctrl-C after a while, and returns how it ended and how long that took.
fn interrupted(folder: &Path, arguments: &[&str]) -> (Output, Duration) {
    let child = Command::new(BINARY)
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(1_500));
    let begin = Instant::now();
    let pressed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(pressed.success(), "{arguments:?} was over before it was interrupted");
    let output = child.wait_with_output().unwrap();
    (output, begin.elapsed())
}

const EXPERIMENT: &str = r#"
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

#[test]
fn an_interrupt_has_an_exit_code_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("long.toml"), EXPERIMENT).unwrap();
    let long = [
        &["run", "long.toml", "--store", "s"][..],
        &["duel", "connect-four", "uct:iterations=3000", "uct", "--games", "1000000"],
        &["solve", "hagetaka:n=9"],
        &["exploit", "hagetaka:n=9", "uniform"],
        &["duel", "tic-tac-toe", "exec:time=100s,sh -c 'echo ready; sleep 100'", "random"],
    ];
    for arguments in long {
        let (output, time) = interrupted(folder.path(), arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{arguments:?}: {errors}");
        assert!(time < Duration::from_secs(15), "{arguments:?}: {time:?}");
    }
    let shown = output(folder.path(), &["store", "show", "--store", "s"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("connect-four"), "what is done stays");
}

/// A program that talks without end, or says a line without end, loses its games and ends.
#[test]
fn a_program_cannot_talk_its_way_out_of_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let floods = [
        ("echo ready; read a; while :; do echo '# let me think'; done", "gave no answer within"),
        ("echo ready; cat /dev/zero", "more than 65536 bytes"),
    ];
    for (script, reason) in floods {
        fs::write(folder.path().join("bot.sh"), script).unwrap();
        let begin = Instant::now();
        let bot = "exec:time=300ms,sh bot.sh";
        let played = output(
            folder.path(),
            &["duel", "tic-tac-toe", bot, "random", "--games", "2", "--json"],
        );
        let text = String::from_utf8_lossy(&played.stdout);
        assert!(played.status.success() && text.contains(reason), "{reason}: {text}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    }
}

#[test]
fn what_cannot_be_played_is_refused_before_the_first_game() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str], parts: &[&str]| fails(folder.path(), arguments, 2, parts);
    refused(&["duel", "tic-tac-toe", "exec:/nonexistent", "random"], &["there is no program"]);
    let plain = "sangoku:scenario=plain";
    refused(&["duel", plain, "exact", "random", "--games", "2"], &["more than", "`uct`"]);
    for scenario in ["plain", "field", "random", "a"] {
        let game = format!("sangoku:scenario={scenario}");
        refused(&["solve", &game], &["more than", "states"]);
    }
}

/// The size of a file is limited in place of the disk.
#[test]
fn a_full_disk_leaves_an_older_solution_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let saved = output(folder.path(), &["solve", "hagetaka:n=3", "--save", "s"]);
    assert!(saved.status.success(), "{}", String::from_utf8_lossy(&saved.stderr));
    let before = fs::read(folder.path().join("s")).unwrap();
    let script = format!("trap '' XFSZ; ulimit -f 4; exec {BINARY} solve hagetaka:n=6 --save s");
    let full =
        Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    let errors = String::from_utf8_lossy(&full.stderr);
    assert_eq!(full.status.code(), Some(1), "{errors}");
    assert!(errors.contains("error: s: "), "the error names the file: {errors}");
    assert_eq!(fs::read(folder.path().join("s")).unwrap(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    let exact = "exact:file=s";
    let played = output(folder.path(), &["duel", "hagetaka:n=3", exact, "random", "--games", "2"]);
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
}

#[test]
fn files_that_are_something_else_are_named_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink("/dev/zero", at("zero.toml")).unwrap();
    for arguments in [
        &["run", "zero.toml"][..],
        &["replay", "/dev/zero"],
        &["gdl", "check", "/dev/zero"],
        &["duel", "gdl:file=/dev/zero", "uct", "uct"],
        &["duel", "sangoku:file=/dev/zero", "uct", "uct"],
        &["duel", "hagetaka:n=3", "exact:file=/dev/zero", "uct"],
    ] {
        let refused = output(folder.path(), arguments);
        let errors = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && errors.contains("is a device or a pipe"), "{errors}");
        assert!(errors.contains("zero"), "the file is named: {errors}");
    }
    fs::write(at("empty"), "").unwrap();
    fails(folder.path(), &["store", "show", "--store", "empty"], 1, &["is no store of Sakiyomi"]);
    assert_eq!(fs::read(at("empty")).unwrap(), b"");
    Store::open(&at("s")).unwrap();
    let export = ["store", "export", "--store", "s", "--output", "missing/games.csv"];
    fails(folder.path(), &export, 1, &["cannot write missing/games.csv", "No such file"]);
    let export = ["store", "export", "--store", "s", "--output", "games.csv"];
    assert!(output(folder.path(), &export).status.success());
    assert!(fs::read_to_string(at("games.csv")).unwrap().starts_with("cell,game"));
}

#[test]
fn bytes_that_are_no_text_are_no_move_and_no_end() {
    let mut child = Command::new(BINARY)
        .args(["play", "tic-tac-toe", "--seat", "human", "--seat", "human"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"b\xff\xfe2\nb2\na1\nb1\na2\nb3\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("x (human): 1"), "{text}");
    assert!(text.contains("is not legal"), "{text}");
}
