//! Every command of README.md and of the documents in docs is run as it is written, in a folder where nothing but
//! the program is installed. Commands in code blocks are run one after the other, document by
//! document; those within sentences are run too. Blocks that name a file are saved before.
//!
//! Three things differ from what a reader does, and stand in the tables below: what takes long is
//! made small ([`SMALL_OPTIONS`], [`SMALL_PARAMETERS`], [`SMALL_COMMANDS`]), servers listen at a
//! free port and are ended, and [`LEFT_OUT`] is not run at all.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Options whose values are replaced.
const SMALL_OPTIONS: &[(&str, &str)] = &[
    ("--games", "2"),
    ("--iterations", "200"),
    ("--simulations", "50"),
    ("--depth", "3"),
    ("--search-games", "20"),
    ("--minutes", "0.02"),
];

/// Parameters of games and agents whose values are replaced.
const SMALL_PARAMETERS: &[(&str, &str)] = &[
    ("iterations=", "20"),
    ("time=", "5ms"),
    ("cpu=", "1ms"),
    ("hagetaka:n=", "4"),
    ("goofspiel:n=", "4"),
];

/// How a command begins, what is replaced in it, and what is added.
type Small = (&'static str, &'static [(&'static str, &'static str)], &'static str);

/// Words, and options behind all others, that make a command small: by how it begins, what is
/// replaced in it, and what is added.
const SMALL_COMMANDS: &[Small] = &[
    ("sakiyomi duel", &[], "--games 2"),
    ("sakiyomi bench", &[], "--seconds 0.001 --simulations 50"),
    ("sakiyomi probe", &[], "--playouts 5"),
    ("sakiyomi fairness", &[], "--games 2"),
    ("sakiyomi tune", &[], "--steps 2 --games 2 --test-games 2"),
    ("sakiyomi gdl info", &[], "--seconds 0.01"),
    (
        "sakiyomi tubstap battle",
        &[("tubstap-best", "tubstap-best:iterations=20"), ("m-uct", "m-uct:iterations=20")],
        "",
    ),
    // One generation of four individuals with two games of each judge, and no candidates.
    (
        "sakiyomi evolve",
        &[("--judge staff", "--judge sample")],
        "--population 4 --elites 1 --generations 1 --stages 2:1 --polish 0 --candidates 0",
    ),
    // A browser is not opened.
    ("sakiyomi serve", &[("--open", "")], ""),
];

/// What is not run: how it begins, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("make ", "builds and tests everything, this test included"),
    ("cargo ", "builds the program, which needs the network"),
    ("pip ", "needs the network"),
    ("docker ", "needs images from the network"),
    ("python ", "needs packages from the network"),
    ("python3 ", "needs a running host; tests/all/mizugame.rs runs this client"),
    ("curl ", "asks a running server; tests/all/serve.rs asks the same"),
    ("sakiyomi ggp-host ", "waits whole seconds for each ply; tests/all/ggp.rs hosts matches"),
    ("sakiyomi store show --store pig.sqlite", "shows the matches of ggp-host"),
    ("sakiyomi replay --match", "shows a match of ggp-host"),
    ("sakiyomi replay --cell", "needs a match that a long run has kept; tests/all/cli.rs has one"),
    ("sakiyomi bench breakthrough --growth", "grows a tree of a million nodes"),
    ("sakiyomi run experiments/public", "needs rule sheets that are not ours"),
    ("sakiyomi serve --network", "needs a network that was trained"),
    ("sakiyomi train", "needs PyTorch; python/tests/test_train.py trains"),
    ("sakiyomi duel connect-four net:", "needs a network that was trained"),
];

/// Commands that run until they are ended, and what their first line has.
const SERVERS: &[(&str, &str)] = &[
    ("sakiyomi serve", "listening on http://"),
    ("sakiyomi mizugame host", "teams at http://"),
    ("sakiyomi ggp", "listens on"),
];

/// Nothing that is run here may take longer.
const TOO_LONG: Duration = Duration::from_secs(120);

#[test]
fn the_commands_of_the_documents_work_outside_of_the_repository() {
    let documents = documents();
    assert!(documents.len() > 10, "{}", documents.len());
    let failed: Vec<String> = thread::scope(|scope| {
        let run = |(name, text): &(String, String)| {
            let folder = tempfile::tempdir().unwrap();
            save_files(text, folder.path());
            let commands = commands_of(text);
            let run = |command: &String| run(command, folder.path()).err();
            let failed = commands.iter().filter_map(run);
            failed.map(|why| format!("{name}: {why}")).collect::<Vec<_>>()
        };
        let threads: Vec<_> =
            documents.iter().map(|document| scope.spawn(move || run(document))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn what_is_left_out_is_still_written_somewhere() {
    let commands: Vec<String> =
        documents().iter().flat_map(|(_, text)| all_commands_of(text)).collect();
    for (start, reason) in LEFT_OUT {
        let is_there = commands.iter().any(|command| command.starts_with(start));
        assert!(is_there, "`{start}` ({reason}) is in no document any more");
    }
}

/// The names and texts of the documents with commands: README.md and those of `docs`.
fn documents() -> Vec<(String, String)> {
    let files = crate::markdown::documents().into_iter();
    let files = files.filter(|file| file.starts_with("docs") || file == Path::new("README.md"));
    let text = |file: &PathBuf| fs::read_to_string(repository().join(file)).unwrap();
    files.map(|file| (file.display().to_string(), text(&file))).collect()
}

fn repository() -> PathBuf {
    fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap()
}

/// The commands of a document that are run.
fn commands_of(text: &str) -> Vec<String> {
    let is_left_out =
        |command: &String| LEFT_OUT.iter().any(|(start, _)| command.starts_with(start));
    all_commands_of(text).into_iter().filter(|command| !is_left_out(command)).collect()
}

/// All commands: those of code blocks in their order, then those within sentences.
fn all_commands_of(text: &str) -> Vec<String> {
    let (blocks, sentences) = split(text);
    let lines = blocks.replace("\\\n", " ");
    let mut commands: Vec<String> = lines.lines().flat_map(commands_of_line).collect();
    let spans = sentences.split('`').skip(1).step_by(2);
    let spans = spans.map(|span| span.split_whitespace().collect::<Vec<_>>().join(" "));
    let spans: BTreeSet<String> = spans
        .filter(|span| span.starts_with("sakiyomi ") && !has_placeholder(span))
        .flat_map(|span| commands_of_line(&span))
        // The name of a command alone is no command that a reader should type.
        .map(|command| match command.split(' ').count() {
            2 => command + " --help",
            _ => command,
        })
        // What a sentence says that it runs is looked up only: there are some forty.
        .map(|command| match command.strip_prefix("sakiyomi run ") {
            Some(rest) if !rest.starts_with("experiments/") => format!("sakiyomi report {rest}"),
            _ => command,
        })
        .filter(|command| !commands.contains(command))
        .collect();
    commands.extend(spans);
    commands
}

/// Saves the blocks that name a file behind their language, as a reader is asked to.
fn save_files(text: &str, folder: &Path) {
    for block in text.split("\n```").skip(1).step_by(2) {
        let (head, body) = block.split_once('\n').unwrap_or((block, ""));
        if let Some((_, name)) = head.split_once(' ') {
            fs::write(folder.join(name), format!("{body}\n")).unwrap();
        }
    }
}

/// The lines of the blocks of commands, and all text outside of blocks.
fn split(text: &str) -> (String, String) {
    let (mut commands, mut sentences, mut block) = (String::new(), String::new(), None);
    for line in text.lines() {
        match (line.strip_prefix("```"), block) {
            (Some(kind), None) => block = Some(kind == "sh"),
            (Some(_), Some(_)) => block = None,
            (None, Some(true)) => commands += &format!("{line}\n"),
            (None, Some(false)) => {}
            (None, None) => sentences += &format!("{line}\n"),
        }
    }
    (commands, sentences)
}

/// A line without its comment, as one command or several that follow each other.
fn commands_of_line(line: &str) -> Vec<String> {
    let line = line.split(" # ").next().unwrap_or_default().trim().trim_end_matches(" &");
    let commands = line.split(" && ").map(|command| command.trim().to_owned());
    commands.filter(|command| !command.is_empty()).collect()
}

/// Whether words stand for what a reader puts there, such as ID or GAME.
fn has_placeholder(command: &str) -> bool {
    let is_placeholder = |word: &str| {
        let letters: Vec<char> = word.chars().filter(|c| c.is_alphabetic()).collect();
        let is_name = word.split(['.', '[']).next().unwrap_or_default();
        let is_capital = |c: char| c.is_ascii_uppercase();
        !letters.is_empty() && !is_name.is_empty() && is_name.chars().all(is_capital)
    };
    command.contains("..") || command.split(' ').any(is_placeholder) || !command.contains(' ')
}

/// Runs a command in a folder; says what is wrong with how it ended.
fn run(command: &str, folder: &Path) -> Result<(), String> {
    provide(command, folder);
    let small = small(command);
    if let Some((_, expected)) = SERVERS.iter().find(|(start, _)| is_command(&small, start)) {
        return serves(&small, expected, folder);
    }
    let is_run = small.starts_with("sakiyomi run ");
    let store = folder.join("sakiyomi.sqlite");
    if is_run {
        let _ = fs::remove_file(&store);
    }
    let mut child = shell(&small, folder, Stdio::null());
    // Who plays types one word; who does not is not listened to.
    child.stdin.take().unwrap().write_all(b"quit\n").ok();
    if is_run {
        // As a reader would: experiments take long, and what is done stays done.
        wait_until(|| store.exists() || child.try_wait().unwrap().is_some());
        interrupt(&child);
    }
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > TOO_LONG {
            child.kill().unwrap();
            return Err(format!("`{small}` takes too long"));
        }
        thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    let code = output.status.code();
    match code == Some(0) || is_run && code == Some(130) {
        true => Ok(()),
        false => Err(format!("`{small}` ends with {code:?}: {}", tail(&output.stderr))),
    }
}

/// Files that the command names and that a reader has: those of the repository, if it names them,
/// and files of the reader's own.
fn provide(command: &str, folder: &Path) {
    let link = |name: &str| {
        let _ = std::os::unix::fs::symlink(repository().join(name), folder.join(name));
    };
    let copy = |from: &str, to: &str| {
        fs::copy(repository().join(from), folder.join(to)).unwrap();
    };
    for name in ["games", "docs"] {
        if command.contains(&format!("{name}/")) {
            link(name);
        }
    }
    if command.contains("my_game.kif") && !folder.join("my_game.kif").exists() {
        copy("games/gdl/tic_tac_toe.kif", "my_game.kif");
    }
    if command.contains("exec:./bot.py") {
        copy("docs/reference/bot.py", "bot.py");
    }
    if command.contains("my-battle.toml") {
        copy("games/sangoku/c.toml", "my-battle.toml");
    }
}

/// The command with small budgets, and with a free port if it listens.
fn small(command: &str) -> String {
    let mut text = command.to_owned();
    let mut added = String::new();
    for (start, replaced, more) in SMALL_COMMANDS {
        if text.contains(start) {
            for (from, to) in *replaced {
                text = text.replace(from, to);
            }
            added = (*more).to_owned();
        }
    }
    for (parameter, value) in SMALL_PARAMETERS {
        text = with_parameter(&text, parameter, value);
    }
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    for i in 1..words.len() {
        if let Some((_, value)) = SMALL_OPTIONS.iter().find(|(option, _)| words[i - 1] == *option) {
            words[i] = (*value).to_owned();
        }
        if words[i - 1] == "--listen" {
            words[i] = ANY_PORT.to_owned();
        }
    }
    let mut text = words.join(" ");
    // The same option may not be given twice.
    let added: Vec<&str> = added.split_whitespace().collect();
    for option in added.chunks(2) {
        if !text.contains(option[0]) {
            let end = text.find("; done").unwrap_or(text.len());
            text.insert_str(end, &format!(" {}", option.join(" ")));
        }
    }
    let listens = SERVERS.iter().any(|(start, _)| is_command(&text, start));
    if listens && !text.contains("--listen") {
        text += &format!(" --listen {ANY_PORT}");
    }
    text
}

const ANY_PORT: &str = "127.0.0.1:0";

/// Every value of a parameter replaced.
fn with_parameter(text: &str, parameter: &str, value: &str) -> String {
    let mut parts = text.split(parameter);
    let mut replaced = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
        replaced += &format!("{parameter}{value}{}", &part[end..]);
    }
    replaced
}

/// Whether it is this command, and not its help.
fn is_command(text: &str, start: &str) -> bool {
    !text.ends_with("--help")
        && text.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// A shell that runs the text, with the program in its path.
fn shell(text: &str, folder: &Path, stdout: Stdio) -> Child {
    let program = Path::new(env!("CARGO_BIN_EXE_sakiyomi")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    // A single command takes the place of the shell, so that it gets the signals.
    let text = if text.contains(';') { text.to_owned() } else { format!("exec {text}") };
    Command::new("sh")
        .args(["-c", &text])
        .current_dir(folder)
        .env("PATH", path)
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Starts a server, looks at its first line and, if it is the page's, at what it answers.
fn serves(command: &str, expected: &str, folder: &Path) -> Result<(), String> {
    let mut server = shell(command, folder, Stdio::piped());
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().rsplit([' ', '/']).find(|part| part.contains(':'));
    let answers = match (line.contains(expected), address) {
        (false, _) | (_, None) => Err(format!("`{command}` says `{line}`")),
        (true, Some(address)) if command.starts_with("sakiyomi serve") => {
            let paths = ["/api/experiments", "/api/results", "/api/store", "/"];
            paths.iter().try_for_each(|path| is_answered(address, path))
        }
        (true, Some(_)) => Ok(()),
    };
    server.kill().unwrap();
    let output = server.wait_with_output().unwrap();
    answers.map_err(|why| format!("{why} {}", tail(&output.stderr)))
}

fn is_answered(address: &str, path: &str) -> Result<(), String> {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let first = String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned();
    match first.contains(" 200 ") {
        true => Ok(()),
        false => Err(format!("{path} is answered with `{first}`")),
    }
}

fn wait_until(mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() && begin.elapsed() < TOO_LONG {
        thread::sleep(Duration::from_millis(5));
    }
}

fn interrupt(child: &Child) {
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.is_ok());
}

fn tail(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(5)..].join("\n")
}
