//! The binary as a user meets it: output, errors and exit codes.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;

fn sakiyomi(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("sakiyomi").unwrap();
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> Output {
    sakiyomi(arguments).output().unwrap()
}

pub(super) fn succeeds(arguments: &[&str]) -> String {
    let output = output(arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {text}{errors}");
    text
}

pub(super) fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&succeeds(arguments)).unwrap()
}

/// Checks that the command fails with exit code 2 and an error that has these parts.
pub(super) fn is_refused(arguments: &[&str], parts: &[&str]) {
    let output = output(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    for part in parts {
        assert!(errors.contains(part), "{arguments:?}: `{part}` is not in: {errors}");
    }
}

#[test]
fn every_command_has_help_with_an_example() {
    let commands = [
        "games",
        "agents",
        "play",
        "duel",
        "rate",
        "tune",
        "experiments",
        "run",
        "report",
        "store",
        "replay",
        "gdl",
        "ggp",
        "ggp-host",
        "bench",
        "perft",
        "exploit",
        "solve",
        "completions",
    ];
    for command in commands {
        let help = succeeds(&[command, "--help"]);
        assert!(help.contains("Example") && help.contains("sakiyomi "), "{command}: {help}");
    }
    assert!(succeeds(&["--help"]).contains("Exit codes: 0"));
}

#[test]
fn lists_name_everything_and_are_json_on_request() {
    let games = succeeds(&["games"]);
    assert!(games.contains("connect-four") && !games.contains("width"));
    assert!(succeeds(&["games", "connect-four"]).contains("width"));
    assert!(games.lines().count() <= 20, "a short list: {games}");
    let uct = succeeds(&["agents", "uct"]);
    assert!(uct.contains("iterations") && uct.contains("for example"), "{uct}");
    is_refused(&["agents", "alphazero"], &["alphazero", "uct"]);
    let agents = json(&["agents", "--json"]);
    let names: Vec<&str> =
        agents.as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"uct") && names.contains(&"exec"), "{names:?}");
}

#[test]
fn bad_input_is_refused_with_what_would_be_right() {
    is_refused(&["duel", "conect-four", "uct", "random"], &["did you mean `connect-four`?"]);
    is_refused(&["duel", "connect-four", "utc", "random"], &["did you mean `uct`?", "known:"]);
    is_refused(&["duel", "connect-four:2x2", "uct", "random"], &["2x2", "at least 4"]);
    is_refused(&["duel", "breakthrough:99x99", "uct", "random"], &["99x99", "at most 128"]);
    is_refused(
        &["duel", "othello", "uct:pruned", "random"],
        &["othello does not provide a rule by which actions are pruned"],
    );
    is_refused(&["duel", "othello", "uct", "random", "--games", "0"], &["0"]);
    is_refused(&["duel", "othello", "uct", "random", "--sprt", "5,0"], &["elo0 = 5", "less than"]);
    is_refused(&["duel", "othello", "uct", "random", "--sprt", "x"], &["expected numbers"]);
    is_refused(&["duel", "othello", "uct"], &["SECOND"]);
    is_refused(&["play", "chess"], &["no game is called `chess`", "known: tic-tac-toe"]);
    is_refused(&["play", "othello", "--seat", "uct:c=x"], &["`c` must be a number"]);
    let three = ["play", "othello", "--seat", "uct", "--seat", "uct", "--seat", "uct"];
    is_refused(&three, &["3 seats are named, but othello has 2"]);
    is_refused(&["bench", "--agent", "random"], &["no tree search"]);
    is_refused(&["bench", "--seconds", "0"], &["positive"]);
    is_refused(&["perft"], &["GAME"]);
    is_refused(&["dual"], &["duel"]);
}

#[test]
fn a_person_plays_a_whole_match() {
    let played =
        sakiyomi(&["play", "tic-tac-toe", "--seat", "human", "--seat", "human", "--record"])
            .write_stdin("help\nmoves\nz9\nB2\nundo\nundo\nb2\na1\nhint maxn:depth=9\nb1\na2\nb3\n")
            .output()
            .unwrap();
    let text = String::from_utf8(played.stdout).unwrap();
    assert!(played.status.success(), "{text}");
    assert!(text.contains("a1 b1 c1 a2 b2 c2 a3 b3 c3"), "moves are listed: {text}");
    assert!(text.contains("`z9` is not legal"), "{text}");
    assert!(text.contains("there is nothing to take back"), "{text}");
    assert!(text.contains("maxn:depth=9 would play"), "{text}");
    assert!(text.contains("x (human): 1"), "{text}");
    assert!(text.contains("\"moves\""), "{text}");
}

#[test]
fn undo_goes_back_to_the_persons_turn() {
    let played =
        sakiyomi(&["play", "connect-four", "--seat", "human", "--seat", "uct:iterations=50"])
            .write_stdin("d\nundo\nrecord\nquit\n")
            .output()
            .unwrap();
    let text = String::from_utf8(played.stdout).unwrap();
    assert!(played.status.success() && text.contains("\"moves\": []"), "{text}");
}

#[test]
fn a_closed_input_is_an_error_and_not_a_panic() {
    is_refused(&["play", "connect-four"], &["standard input ended"]);
}

#[test]
fn agents_play_by_themselves() {
    let text =
        succeeds(&["play", "breakthrough:5x5", "--seat", "uct:iterations=50", "--seat", "random"]);
    assert!(text.contains("plays") && text.contains("(random):"), "{text}");
}

#[test]
fn a_duel_prints_a_table_and_json() {
    let arguments = ["duel", "tic-tac-toe", "uct:iterations=100", "random", "--games", "20"];
    let text = succeeds(&arguments);
    assert!(text.contains("| all "), "{text}");
    assert!(text.contains("repeat with: sakiyomi duel tic-tac-toe"), "{text}");
    let report = json(&[&arguments[..], &["--json", "--threads", "1"]].concat());
    let again = json(&[&arguments[..], &["--json", "--threads", "3"]].concat());
    for field in
        ["games", "wins", "draws", "losses", "score", "interval", "seats", "seed", "command"]
    {
        assert!(!report[field].is_null(), "{field} is missing");
        assert_eq!(report[field], again[field], "{field} depends on the threads");
    }
}

#[test]
fn a_rating_is_a_round_robin_that_goes_on_with_more_agents() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("ratings.sqlite");
    let rate = |agents: &[&str], more: &[&str]| {
        let start = ["rate", "tic-tac-toe", "--games", "19", "--json"];
        json(&[&start[..], agents, more].concat())
    };
    let (strong, weak) = ("uct:iterations=200", "uct:iterations=10");
    let keep = ["--store", store.to_str().unwrap()];
    let two = rate(&["random", strong], &keep);
    assert_eq!((&two["games_before"], &two["agents"][0]["agent"]), (&0.into(), &strong.into()));
    let three = rate(&[strong, "random", weak], &keep);
    assert_eq!(three["games_before"], 20, "the pair of before is not played again");
    let fresh = rate(&[weak, strong, "random"], &["--threads", "3"]);
    assert_eq!(fresh["agents"], three["agents"], "order, threads and store change nothing");
    let places: Vec<&str> = (0..3).map(|i| fresh["agents"][i]["agent"].as_str().unwrap()).collect();
    assert_eq!(places, [strong, weak, "random"]);
    let elo = |i: usize| fresh["agents"][i]["elo"].as_f64().unwrap();
    assert!((elo(0) + elo(1) + elo(2)).abs() < 1e-6);
    let text = succeeds(&["rate", "tic-tac-toe", "random", weak, "--games", "4"]);
    assert!(text.contains("95 % interval") && text.contains("beside the mean"), "{text}");
}

#[test]
fn tuning_goes_on_from_its_store_and_tests_what_it_chose() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("tuning.sqlite");
    let tune = |more: &[&str]| {
        let start = ["tune", "uct:iterations=5", "--parameter", "iterations=2:100"];
        let rest =
            ["--on", "tic-tac-toe", "--test-on", "connect-four:5x4", "--games", "10", "--json"];
        json(&[&start[..], &rest, &["--steps", "4", "--test-games", "40"], more].concat())
    };
    let kept = tune(&["--store", store.to_str().unwrap()]);
    let again = tune(&["--store", store.to_str().unwrap(), "--threads", "1"]);
    assert_eq!(kept["games_before"], 0);
    let played: u64 = kept["steps"].as_array().unwrap().iter().map(games_of).sum::<u64>()
        + kept["tests"][0]["games"].as_u64().unwrap();
    assert_eq!(again["games_before"], played);
    assert_eq!(again["steps"], kept["steps"]);
    assert_eq!(kept["tests"][0]["game"], "connect-four:width=5,height=4");
    assert!(kept["tests"][0]["sprt"]["llr"].is_number(), "{kept}");
}

fn games_of(step: &Value) -> u64 {
    ["wins", "draws", "losses"].iter().map(|name| step[name].as_u64().unwrap()).sum()
}

#[test]
fn tuning_refuses_what_is_no_number() {
    let refused = |parameter: &str, parts: &[&str]| {
        is_refused(&["tune", "uct", "--parameter", parameter, "--on", "tic-tac-toe"], parts);
    };
    refused("speed", &["uct has no number `speed`", "expand"]);
    refused("c=3:1", &["expected LOW:HIGH", "0 to 1000"]);
    is_refused(&["tune", "uct", "--on", "tic-tac-toe"], &["--parameter"]);
}

#[test]
fn ratings_refuse_what_they_cannot_rate() {
    is_refused(&["rate", "tic-tac-toe", "random"], &["required", "AGENTS"]);
    is_refused(&["rate", "tic-tac-toe", "random", "random"], &["random is named twice"]);
    is_refused(&["rate", "hagetaka:players=3", "random", "rm"], &["has 3 players"]);
}

#[test]
fn bench_measures_and_signs() {
    let report =
        json(&["bench", "tic-tac-toe", "--seconds", "0.01", "--simulations", "200", "--json"]);
    let game = &report["games"][0];
    for field in ["playouts_per_cpu_second", "simulations_per_cpu_second", "bytes_per_node"] {
        assert!(game[field].as_f64().unwrap() > 0.0, "{field}");
    }
}

/// All games are measured but those on which the search cannot play, which are named.
#[test]
fn bench_leaves_out_what_the_search_cannot_play() {
    let report = json(&["bench", "--seconds", "0.001", "--simulations", "20", "--json"]);
    let names = |field: &str| {
        let games = report[field].as_array().unwrap().iter();
        games.map(|game| game["game"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(names("games").iter().any(|game| game == "othello"), "{report}");
    assert_eq!(names("left_out"), ["mizugame"]);
    is_refused(&["bench", "mizugame"], &["too many to list"]);
}

#[test]
fn strategies_are_measured_and_games_solved() {
    let report = json(&["exploit", "goofspiel:n=4", "uniform", "--json"]);
    assert!((report["nash_conv"].as_f64().unwrap() - 215.0 / 288.0).abs() < 1e-9, "{report}");
    assert_eq!(report["best_response"].as_array().unwrap().len(), 2);
    assert!(report["states"].as_u64().unwrap() > 100 && report["cpu_seconds"].is_f64());
    let curve = succeeds(&["exploit", "hagetaka:n=3", "rm", "--iterations", "1000"]);
    assert!(curve.contains("| 1000 ") && curve.contains('#'), "{curve}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("solution").display().to_string();
    let solved = succeeds(&["solve", "hagetaka:n=4", "--save", &file, "--check"]);
    assert!(solved.contains("value 0.5") && solved.contains("NashConv"), "{solved}");
    let exact = format!("exact:file={file}");
    let report = json(&["duel", "hagetaka:n=4", &exact, "sp", "--games", "20", "--json"]);
    assert_eq!(report["n_forfeits"], 0, "{report}");
    is_refused(&["duel", "hagetaka:n=5", &exact, "sp"], &["solution of hagetaka:n=4"]);
    is_refused(&["duel", "othello", "sp", "random"], &["othello has no players of its own"]);
    is_refused(&["duel", "hagetaka:players=3", "rm:endgame=3", "random"], &["two players"]);
    is_refused(&["solve", "hagetaka:n=4,players=3"], &["two players"]);
    is_refused(&["exploit", "hagetaka:n=3", "exec:./bot.py"], &["is a program"]);
    is_refused(&["solve", "hagetaka:n=30"], &["from 1 to 20"]);
}

#[test]
fn perft_counts() {
    let counts = json(&["perft", "othello", "--depth", "5", "--json"]);
    assert_eq!(counts["counts"][4]["sequences"], 1396);
}

#[test]
fn completions_are_printed() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(succeeds(&["completions", shell]).contains("sakiyomi"));
    }
}

#[test]
fn the_example_program_plays_every_game() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3");
        return;
    }
    let bot = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/bot.py");
    let bot = format!("exec:python3 {}", fs::canonicalize(bot).unwrap().display());
    for game in ["tic-tac-toe", "connect-four", "breakthrough:5x5", "othello"] {
        let report = json(&["duel", game, &bot, "random", "--games", "4", "--json"]);
        assert_eq!(report["n_forfeits"], 0, "{game}: {}", report["forfeits"]);
    }
}

/// A small experiment of every kind is run, listed, reported, exported, pruned and replayed.
#[test]
fn experiments_of_every_kind_work() {
    let folder = tempfile::tempdir().unwrap();
    let common = "title = \"A test\"\ngame = \"tic-tac-toe\"\nfirst = \"uct:iterations=20\"\n\
                  second = \"random\"\npaper_games = 1000\n\
                  scale = { quick = { games = 10 }, paper = { games = 20 } }\n";
    let axis = "x = { label = \"x\", values = [5, 20], log = true }\n";
    let kinds = [
        (
            "duels",
            "[[duel]]\nname = \"a\"\nfirst = \"uct:iterations=30\"\ngames = 100\n\
             paper = { score = 0.1 }\n\
             [[duel]]\nname = \"b\"\npaper = { score = 0.9 }\n\
             [[claim]]\ntext = \"c\"\ntest = \"score(a) > 0.5\"\n\
             [[claim]]\ntext = \"d\"\ntest = \"score(b) > 0.5\"\n",
        ),
        (
            "round-robin",
            "[[agent]]\nname = \"u\"\nspec = \"uct:iterations=9\"\n[[agent]]\nname = \"r\"\nspec = \"random\"\n",
        ),
        ("curve", "[[series]]\nname = \"s\"\nsecond = \"uct:iterations={x}\"\n"),
        ("histogram", "[[series]]\nname = \"h\"\n"),
        ("sweep", "y = { label = \"y\", values = [1, 2] }\n"),
        ("game", ""),
    ];
    let experiments = folder.path().join("experiments");
    fs::create_dir(&experiments).unwrap();
    for (kind, rest) in kinds {
        let axis = if ["curve", "sweep"].contains(&kind) { axis } else { "" };
        let (before, tables) = if rest.starts_with('[') { ("", rest) } else { (rest, "") };
        let text = format!("id = \"t-{kind}\"\nkind = \"{kind}\"\n{common}{axis}{before}{tables}");
        fs::write(experiments.join(format!("{kind}.toml")), text).unwrap();
    }
    let run = |arguments: &[&str]| {
        let output = sakiyomi(arguments).current_dir(folder.path()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {text}{errors}");
        text
    };
    assert!(run(&["experiments"]).contains("never run"));
    assert!(run(&["run", "all"]).contains("are done"));
    let list = run(&["experiments"]);
    // The one match of a shown game is the same at both scales.
    assert_eq!(list.matches("quick done").count(), 5, "{list}");
    assert_eq!(list.matches("paper done").count(), 1, "{list}");
    assert!(run(&["run", "all"]).contains("0 played or measured"), "all is done already");
    let report = run(&["report", "t-duels"]);
    let line = |start: &str| {
        let mut lines = report.lines().filter(|line| line.starts_with(start));
        lines.next_back().unwrap_or_default().to_owned()
    };
    for (start, verdict) in [
        ("| a ", "differs"),
        ("| b ", "not enough games"),
        ("| c ", "agrees"),
        ("| d ", "not enough games"),
    ] {
        assert!(line(start).contains(verdict), "`{start}` is not said to be {verdict}: {report}");
    }
    run(&["report", "--html", "pages"]);
    for file in ["index.html", "t-game.html", "t-curve.svg", "t-sweep.svg"] {
        assert!(folder.path().join("pages").join(file).metadata().unwrap().len() > 500, "{file}");
    }
    // The same as data, for programs that bring results along; a file with more games stays.
    let written = run(&["report", "--results", "results"]);
    assert_eq!(written.lines().count(), 6, "{written}");
    let file = folder.path().join("results/t-duels.quick.json");
    let mut result: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(result["cells"][0]["all"]["verdict"], "differs");
    assert!(result["figure"]["bars"][0]["value"].is_f64(), "{result}");
    result["games_done"] = 1_000_000.into();
    fs::write(&file, result.to_string()).unwrap();
    let again = run(&["report", "t-duels", "--results", "results"]);
    assert!(again.contains("has more games and stays"), "{again}");
    fs::write(&file, "{}").unwrap();
    let arguments = ["report", "t-duels", "--results", "results"];
    let refused = sakiyomi(&arguments).current_dir(folder.path()).output().unwrap();
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert!(errors.contains("t-duels.quick.json") && errors.contains("missing field"), "{errors}");
    assert!(run(&["store", "show"]).contains("current"));
    assert!(run(&["store", "export", "--format", "csv"]).lines().count() > 40);
    let line = run(&["store", "export", "--format", "jsonl"]).lines().next().unwrap().to_owned();
    assert!(serde_json::from_str::<Value>(&line).unwrap()["outcome"].is_string());
    let cells: Value = serde_json::from_str(&run(&["store", "show", "--json"])).unwrap();
    let kept = cells.as_array().unwrap().iter().find(|cell| {
        let id = cell["cell"].to_string();
        let arguments = ["replay", "--cell", &id];
        sakiyomi(&arguments).current_dir(folder.path()).output().unwrap().status.success()
    });
    assert!(kept.is_some(), "the shown game was kept");
    assert!(run(&["store", "prune", "--cell", "1"]).starts_with("1 of"));
    assert!(run(&["experiments", "--json"]).contains("\"games_done\""));
}

/// In a folder where nothing is, experiments and results are those that the program brings along.
#[test]
fn experiments_and_results_are_part_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let output = sakiyomi(arguments).current_dir(folder.path()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    };
    let list = run(&["experiments"]);
    let row = |id: &str| {
        let mut rows = list.lines().filter(|row| row.contains(&format!(" {id} ")));
        rows.next().unwrap_or_else(|| panic!("{id} is not in {list}")).to_owned()
    };
    assert!(row("classics-tuned").contains("paper done (shipped)"), "{list}");
    assert!(list.lines().count() > 40, "{list}");
    let listed: Value = serde_json::from_str(&run(&["experiments", "--json"])).unwrap();
    let tuned = |entry: &&Value| entry["id"] == "classics-tuned";
    let tuned = listed.as_array().unwrap().iter().find(tuned).unwrap();
    assert_eq!(tuned["paper"]["games_done"], 0);
    assert!(tuned["shipped"]["paper"]["games_done"].as_u64().unwrap() > 100, "{tuned}");
    let report = run(&["report", "classics-tuned"]);
    assert!(report.contains("games that came with the program"), "{report}");
    assert!(report.contains("| all "), "{report}");
    let reports: Value = serde_json::from_str(&run(&["report", "--json"])).unwrap();
    let reports = reports.as_array().unwrap();
    assert!(reports.len() > 10 && reports.iter().all(|one| one["is_shipped"] == true));
    run(&["report", "--html", "pages"]);
    for file in ["index.html", "classics-tuned.html", "classics-tuned.svg"] {
        assert!(folder.path().join("pages").join(file).exists(), "{file}");
    }
    // A folder that is named wins, and so does one that is here.
    fs::create_dir(folder.path().join("experiments")).unwrap();
    assert!(run(&["experiments"]).contains("classics-tuned"), "an empty folder has none");
    let own = "id = \"own\"\ntitle = \"Own\"\nkind = \"duels\"\ngame = \"tic-tac-toe\"\n\
               first = \"random\"\nsecond = \"random\"\n[[duel]]\nname = \"a\"\n\
               [scale.quick]\ngames = 2\n[scale.paper]\ngames = 2\n";
    fs::write(folder.path().join("experiments/own.toml"), own).unwrap();
    assert!(!run(&["experiments"]).contains("classics-tuned"));
    fs::create_dir(folder.path().join("none")).unwrap();
    assert!(!run(&["experiments", "--experiments", "none"]).contains("classics-tuned"));
    is_refused(&["report", "no-such-id"], &["no experiment in", "classics-tuned"]);
}

#[test]
fn wrong_experiments_and_stores_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.toml");
    fs::write(&file, "id = \"wrong\"\ntitle = 3\n").unwrap();
    is_refused(&["run", file.to_str().unwrap()], &["wrong.toml:2:9", "expected a string"]);
    let folder = folder.path().to_str().unwrap();
    is_refused(&["run", "nothing", "--experiments", folder], &["wrong.toml:2:9"]);
    is_refused(&["run", "x", "--experiments", "no-such-folder"], &["no-such-folder"]);
    let missing = output(&["report", "--store", "no-such-store"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("there is no such store"));
}

#[test]
fn rule_sheets_are_checked_measured_and_verified() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl");
    let sheet = folder.join("tic_tac_toe.kif");
    let sheet = sheet.to_str().unwrap();
    assert!(succeeds(&["gdl", "check", sheet]).contains("no errors"));
    let info = json(&["gdl", "info", sheet, "--seconds", "0.05", "--json"]);
    for field in ["ready_seconds", "playouts_per_cpu_second", "mean_plies"] {
        assert!(info[field].as_f64().unwrap() > 0.0, "{field}");
    }
    let counts = json(&["gdl", "perft", sheet, "--depth", "4", "--json"]);
    assert_eq!(counts["counts"][3]["sequences"], 3024);
    let report = json(&["duel", "gdl", "uct:iterations=100", "random", "--games", "6", "--json"]);
    assert_eq!(report["games"], 6);
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("wrong.kif");
    fs::write(&wrong, "(role x)\n(<= (legal x ?y)").unwrap();
    is_refused(&["gdl", "check", wrong.to_str().unwrap()], &["line 2"]);
    is_refused(&["gdl", "verify", sheet, wrong.to_str().unwrap()], &["line 1"]);
    is_refused(
        &["duel", "gdl:sheet=tic-tac-to", "uct", "random"],
        &["did you mean `tic-tac-toe`?"],
    );
    is_refused(&["play", "gdl:no-such-file.kif"], &["no-such-file.kif"]);
    let drawn = Path::new(sheet).with_file_name("hex.kif");
    assert!(succeeds(&["gdl", "check", drawn.to_str().unwrap()]).contains("no errors"));
    let copy = folder.path().join("hex.kif");
    fs::copy(&drawn, &copy).unwrap();
    fs::write(copy.with_extension("toml"), "board = \"hex\"\nrelation = \"tile\"").unwrap();
    is_refused(&["gdl", "check", copy.to_str().unwrap()], &["line 2, column 12", "boards: stone"]);
}

/// A battle is file-compatible, the same on any number of threads, and answers can be asked for one by one.
#[test]
fn tubstap_battles_and_answers() {
    let maps = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tubstap");
    let ford = format!("{maps}/ford.tbsmap");
    let battle = |threads: &str| {
        let arguments =
            ["tubstap", "battle", &ford, "--red", "sample", "--blue", "m-uct:iterations=30"];
        let options = ["--games", "6", "--swap", "--noise-hp", "--threads", threads, "-q"];
        succeeds(&[&arguments[..], &options[..]].concat())
    };
    let table = battle("1");
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 3, "{table}");
    assert!(rows[0].starts_with("MapName,RedPlayerName"), "{table}");
    assert!(rows[1].contains(",sample,m-uct:iterations=30,3,") && rows[2].ends_with(",True,False"));
    assert_eq!(battle("3"), table);
    let sample = ["--red", "sample", "--blue", "sample"];
    is_refused(&[&["tubstap", "battle", "no.tbsmap"][..], &sample].concat(), &["no.tbsmap"]);
    is_refused(
        &["tubstap", "battle", &ford, "--red", "sp", "--blue", "sample"],
        &["no player `sp`", "known: sample, m-uct"],
    );
    let ask = |question: &str| {
        let mut command = sakiyomi(&["tubstap", "answer", "--agent", "sample", "--maps", maps]);
        let answer = command.write_stdin(format!("{question}\n")).output().unwrap().stdout;
        String::from_utf8(answer).unwrap()
    };
    assert!(ask("{}").starts_with("error: "), "{}", ask("{}"));
    let elsewhere = r#"{"map": "../x", "turn": 0, "side": 0, "state": ""}"#;
    assert!(ask(elsewhere).contains("is no name of a map"));
}

/// The original plays the larger half of an odd number of games with swapped sides, and its table
/// of games has this header.
#[test]
fn tubstap_battles_are_divided_and_logged_as_by_the_original() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.csv");
    let ford = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tubstap/ford.tbsmap");
    let players = ["--red", "sample", "--blue", "sample", "--games", "3", "--swap", "-q"];
    let arguments = [&["tubstap", "battle", ford, "--log", log.to_str().unwrap()], &players[..]];
    let table = succeeds(&arguments.concat());
    let counts: Vec<&str> =
        table.lines().skip(1).map(|row| row.split(',').nth(3).unwrap()).collect();
    assert_eq!(counts, ["1", "2"], "{table}");
    let log = fs::read_to_string(log).unwrap();
    assert!(log.starts_with("WinTeam,Resing,EndTurn,AttackCntBlue_0_5,"), "{log}");
    assert_eq!(log.lines().count(), 4, "{log}");
}

/// Maps are named by files as well as by their folder.
#[test]
fn tubstap_answers_on_maps_given_by_their_paths() {
    let maps = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tubstap");
    let ask = |paths: &[&str], map: &str| {
        let question = format!(r#"{{"map": "{map}", "turn": 0, "side": 0, "state": ""}}"#);
        let arguments = [&["tubstap", "answer", "--agent", "sample", "--maps"], paths].concat();
        let answer = sakiyomi(&arguments).write_stdin(question + "\n").output().unwrap();
        String::from_utf8(answer.stdout).unwrap()
    };
    let files = [format!("{maps}/pass.tbsmap"), format!("{maps}/ford.tbsmap")];
    let files = [files[0].as_str(), files[1].as_str()];
    // The state is the next thing that is wrong.
    let found = ask(&[maps], "ford");
    assert!(found.starts_with("error: ") && !found.contains("ford.tbsmap"), "{found}");
    assert_eq!(ask(&files, "ford"), found);
    assert_eq!(ask(&files, "ford.tbsmap"), found);
    let missing = ask(&files, "coast");
    assert!(missing.contains("there is no map coast.tbsmap in"), "{missing}");
}

/// What is odd about a map file is told, and it is played; the fair maps have names.
#[test]
fn odd_maps_are_played_with_a_warning_and_fair_maps_have_names() {
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join("odd.tbsmap");
    let ford = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tubstap/ford.tbsmap");
    let text = fs::read_to_string(ford).unwrap();
    let n_red = text.split("UNITNUMRED[").nth(1).unwrap().split(']').next().unwrap().to_owned();
    let announced = format!("UNITNUMRED[{n_red}]");
    fs::write(&odd, text.replace(&announced, "UNITNUMRED[20]")).unwrap();
    let odd = odd.to_str().unwrap();
    let game = format!("tubstap:{odd}");
    let players = ["--red", "sample", "--blue", "sample", "--games", "1", "-q"];
    for arguments in [
        [&["tubstap", "battle", odd], &players[..]].concat(),
        vec!["duel", &game, "sample", "sample", "--games", "2", "-q"],
        vec!["fairness", odd, "--agents", "sample", "--games", "1", "-q"],
    ] {
        let output = output(&arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        assert!(errors.contains("warning: ") && errors.contains("odd.tbsmap"), "{errors}");
        assert!(errors.contains("UNITNUMBLUE announce"), "{errors}");
    }
    let fair = ["duel", "tubstap:map=fair-01", "random", "random", "--games", "2", "--json"];
    assert_eq!(json(&fair)["games"], 2);
    is_refused(&["duel", "tubstap:map=fair-11", "random", "random"], &["fair-10"]);
}

/// A server of the original's protocol that sends these lines and hears an answer to each.
fn fake_host(lines: Vec<String>) -> (u16, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let host = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut answers = Vec::new();
        for line in lines {
            if (&stream).write_all(line.as_bytes()).is_err() {
                break;
            }
            let mut answer = String::new();
            while answer.trim().is_empty() {
                answer.clear();
                if reader.read_line(&mut answer).unwrap_or(0) == 0 {
                    return answers;
                }
            }
            answers.push(answer.trim().to_owned());
        }
        answers
    });
    (port, host)
}

fn map_in_one_line(name: &str) -> String {
    let path = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tubstap/{}.tbsmap"), name);
    format!("MAP {}\r\n", fs::read_to_string(path).unwrap().replace(['\r', '\n'], ""))
}

#[test]
fn tubstap_joins_a_server_of_the_original() {
    let join = |lines: Vec<String>| {
        let (port, host) = fake_host(lines);
        let server = format!("127.0.0.1:{port}");
        let output =
            output(&["tubstap", "join", &server, "--agent", "sample", "--name", "our player"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!errors.contains("panicked"), "{errors}");
        (host.join().unwrap(), output.status.code(), text, errors)
    };
    let line = |text: &str| format!("{text}\r\n");
    let begin =
        || vec![line("name"), line("opponent other"), map_in_one_line("ford"), line("Color 0")];

    let lines =
        [begin(), vec![line("hello"), line("Genmove"), line("status"), line("gameover they quit")]];
    let (answers, code, text, _) = join(lines.concat());
    assert_eq!(&answers[..4], ["= our player", "=", "=", "="]);
    assert!(answers[4].starts_with("? `hello` is no command"), "{answers:?}");
    assert_eq!(answers[5].trim_start_matches("= ").split(',').count(), 11, "{answers:?}");
    assert_eq!((answers[6].as_str(), code, text.trim()), ("= playing", Some(0), "they quit"));

    for (lines, expected) in [
        (vec![line("Genmove")], "before MAP and Color"),
        (vec![line("Color 0")], "Color came before MAP"),
        (vec![line("MAP SIZEX[1000000000];SIZEY[8];")], "SIZEX"),
        ([begin(), vec![line("play 0,1,1,1,1,-1,0,0,1,0,0")]].concat(), "it was our turn"),
        ([begin(), vec![line("Genmove")]].concat(), "closed the connection"),
        (vec!["x".repeat(100_000)], "more than 65536 bytes"),
        (vec![], "no match was played"),
    ] {
        let (_, code, _, errors) = join(lines);
        assert!(code.is_some_and(|code| code > 0), "{code:?}");
        assert!(errors.contains(expected), "`{expected}` is not in: {errors}");
    }

    // A server that is gone while it is answered is no reader that has had enough.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = listener.local_addr().unwrap().to_string();
    let gone = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        (&stream).write_all("hello\r\n".repeat(2_000).as_bytes()).unwrap();
    });
    let joined = output(&["tubstap", "join", &server, "--agent", "sample"]);
    gone.join().unwrap();
    assert_eq!(joined.status.code(), Some(1));
    assert!(!joined.stderr.is_empty());
}

#[test]
fn tubstap_hosts_a_match_of_two_players() {
    let folder = tempfile::tempdir().unwrap();
    let replay = folder.path().join("match.sgf");
    let map = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tubstap/pass.tbsmap");
    let host = |options: &[&str]| {
        let mut host = std::process::Command::new(assert_cmd::cargo::cargo_bin("sakiyomi"))
            .args(["tubstap", "host", map, "--port", "0"])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(host.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let server = first.rsplit(' ').next().unwrap().to_owned();
        (host, lines, server)
    };
    let (mut process, lines, server) = host(&["--replay", replay.to_str().unwrap()]);
    let guest = |agent: &'static str| {
        let server = server.clone();
        std::thread::spawn(move || output(&["tubstap", "join", &server, "--agent", agent]))
    };
    let guests = [guest("sample"), guest("m-uct:iterations=20")];
    let ends = guests.map(|guest| String::from_utf8(guest.join().unwrap().stdout).unwrap());
    assert!(process.wait().unwrap().success());
    let told: Vec<String> = lines.map(Result::unwrap).collect();
    let result = told.last().unwrap();
    assert!(
        ends.iter().all(|end| result.starts_with(end.trim()) && !end.is_empty()),
        "{told:?} {ends:?}"
    );
    let text = fs::read_to_string(&replay).unwrap();
    assert!(text.contains("PLAYERRED[") && text.contains("TURNINFO[0,0,"), "{text}");

    // Peers that drip what is no line keep no other peer out and are refused when their time is over;
    // what they are called cannot change the terminal.
    let (mut process, mut lines, server) = host(&["--seconds", "2"]);
    let drip = |bytes: &'static [u8]| {
        let stream = TcpStream::connect(&server).unwrap();
        std::thread::spawn(move || {
            while (&stream).write_all(bytes).is_ok() {
                std::thread::sleep(Duration::from_millis(100));
            }
        })
    };
    let dripping = [drip(b" "), drip(b"\r\n")];
    let refused: Vec<String> = (0..2).map(|_| lines.next().unwrap().unwrap()).collect();
    let is_late = |line: &String| line.contains("refused: no answer in time");
    assert!(refused.iter().all(is_late), "{refused:?}");
    let also_dripping = drip(b" ");
    let named = |name: &'static str| {
        let server = server.clone();
        let arguments = ["tubstap", "join", "--agent", "sample", "--name", name];
        std::thread::spawn(move || output(&[&arguments[..], &[&server]].concat()))
    };
    let guests = [named("\u{1b}[2Jred"), named("\u{1b}[2Jblue")];
    for guest in guests {
        assert!(guest.join().unwrap().status.success());
    }
    assert!(process.wait().unwrap().success());
    let told: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(told.iter().all(|line| !line.contains('\u{1b}')), "{told:?}");
    assert!(told.iter().any(|line| line.contains("[2Jred")), "{told:?}");
    dripping.into_iter().chain([also_dripping]).for_each(|thread| thread.join().unwrap());

    // A player that says nonsense has lost, and the other is told.
    let (mut process, lines, server) = host(&["--seconds", "20"]);
    let bad = TcpStream::connect(&server).unwrap();
    let mut reader = BufReader::new(bad.try_clone().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert_eq!(line.trim(), "name");
    (&bad).write_all(b"= bad\r\n\r\n").unwrap();
    let other =
        std::thread::spawn(move || output(&["tubstap", "join", &server, "--agent", "sample"]));
    for _ in 0..4 {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let answer = if line.starts_with("Genmove") { "= 1,2,3" } else { "=" };
        (&bad).write_all(format!("{answer}\r\n\r\n").as_bytes()).unwrap();
    }
    let _ = other.join().unwrap();
    assert!(process.wait().unwrap().success());
    let last = lines.map(Result::unwrap).last().unwrap();
    assert!(last.starts_with("BLUE wins: RED failed: `1,2,3` has 3 fields, not 11"), "{last}");
}

#[test]
fn the_probe_prints_and_draws_distances() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("distances.svg");
    let file = svg.to_str().unwrap();
    let game = "gdl:sheet=tic-tac-toe";
    let one = json(&["probe", game, "--playouts", "20", "--svg", file, "--json"]);
    let histograms = one["games"][0]["histograms"].as_array().unwrap();
    assert_eq!(histograms.len(), 10);
    let drawn = fs::read_to_string(&svg).unwrap();
    assert!(drawn.contains("game 1<") && drawn.contains("game 10<"), "{drawn}");
    let agents = ["experience:random,bits=16", "experience:random,bits=24"];
    let both = ["probe", game, "--playouts", "20", "--svg", file, "--histogram"];
    let both = [&both[..], &["--agent", agents[0], "--agent", agents[1]]].concat();
    let text = succeeds(&both);
    let drawn = fs::read_to_string(&svg).unwrap();
    for agent in ["random,bits=16", "random,bits=24"] {
        assert!(text.contains(agent), "{text}");
        assert!(drawn.contains(agent), "{drawn}");
    }
    is_refused(&["probe", game, "--agent", "uct"], &["`uct", "experience:"]);
}
