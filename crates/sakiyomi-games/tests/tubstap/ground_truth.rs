//! What the original program computed: traces of games, damages and first turns. The files are not
//! part of this project; `SAKIYOMI_SHARED` names the folder that has them.

use std::io::Write;
use std::path::PathBuf;
use std::{env, fs};

use sakiyomi_core::{Game, Player};
use sakiyomi_games::tubstap::{
    Kind, Settings, Small, exchange, read_map, verify, write_map, write_map_shift_jis,
};

const VARIABLE: &str = "SAKIYOMI_SHARED";

/// The folder, or a line on standard error that says that the test is skipped.
fn folder(test: &str) -> Option<PathBuf> {
    let folder = env::var_os(VARIABLE).map(|path| PathBuf::from(path).join("data/tubstap"));
    if folder.is_none() {
        tell(&format!("skipped: {test} needs {VARIABLE}"));
    }
    folder
}

/// Written past the capture of test output.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Sums up whether these tests were all run.
#[test]
fn tests_that_need_shared_data_are_told() {
    match env::var_os(VARIABLE) {
        Some(folder) => {
            let folder = PathBuf::from(folder);
            assert!(folder.is_dir(), "{VARIABLE} = {} is no folder", folder.display());
            tell(&format!("{VARIABLE} is set: no test of TUBSTAP was skipped for want of it"));
        }
        None => tell(&format!("{VARIABLE} is not set: tests of TUBSTAP that need it were skipped")),
    }
}

fn maps(folder: &PathBuf) -> Vec<(String, Vec<u8>)> {
    let mut maps: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tbsmap"))
        .map(|path| {
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap())
        })
        .collect();
    maps.sort();
    maps
}

#[test]
fn all_traces_agree() {
    let Some(folder) = folder("all_traces_agree") else { return };
    let mut n_traces = 0;
    for (name, bytes) in maps(&folder) {
        let traces = fs::read_to_string(folder.join(format!("traces/{name}.jsonl"))).unwrap();
        for (i, line) in traces.lines().enumerate() {
            if let Err(error) = verify(&bytes, line) {
                panic!("{name}, game {i}: {error}");
            }
            n_traces += 1;
        }
    }
    assert_eq!(n_traces, 220);
}

/// A trace that was changed anywhere is found out, and the place is named.
#[test]
fn a_changed_trace_is_noticed() {
    let Some(folder) = folder("a_changed_trace_is_noticed") else { return };
    let map = fs::read(folder.join("map04.tbsmap")).unwrap();
    let traces = fs::read_to_string(folder.join("traces/map04.jsonl")).unwrap();
    let line = traces.lines().nth(4).unwrap();
    let changes = [
        ("\"winner\":1", "\"winner\":0", "game, winner: expected 0, found 1"),
        (
            "\"how\":\"wiped\"",
            "\"how\":\"limit\"",
            "game, how: expected \"limit\", found \"wiped\"",
        ),
        ("\"turns\":8", "\"turns\":9", "game, turns: expected 9, found 8"),
        ("\"first\":0", "\"first\":1", "game, first: expected 1, found 0"),
    ];
    for (from, to, expected) in changes {
        assert!(line.contains(from), "{from}");
        let error = verify(&map, &line.replacen(from, to, 1)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let second = line.match_indices("[0,0,\"").nth(1).unwrap().0;
    let changed = format!("{}[1,0,\"{}", &line[..second], &line[second + 6..]);
    let error = verify(&map, &changed).unwrap_err().to_string();
    assert_eq!(error, "step 1, turn: expected 1, found 0");
    assert!(verify(&map, "{").unwrap_err().to_string().contains("cannot be read"));
}

#[test]
fn all_damages_agree() {
    let Some(folder) = folder("all_damages_agree") else { return };
    let text = fs::read_to_string(folder.join("damage.csv")).unwrap();
    let mut n_rows = 0;
    for row in text.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let kind =
            |mark: &str| Kind::ALL.into_iter().find(|k| k.mark().to_string() == mark).unwrap();
        let numbers: Vec<u32> = fields[2..].iter().map(|field| field.parse().unwrap()).collect();
        let &[hp, left, stars, other_stars, damage, counter] = numbers.as_slice() else {
            panic!("{row}")
        };
        let attacker = (kind(fields[0]), hp, stars);
        let defender = (kind(fields[1]), left, other_stars);
        assert_eq!(exchange(attacker, defender), (damage, counter), "{row}");
        n_rows += 1;
    }
    assert_eq!(n_rows, 57_600);
}

#[test]
fn first_turns_agree() {
    let Some(folder) = folder("first_turns_agree") else { return };
    let text = fs::read_to_string(folder.join("first-turn.jsonl")).unwrap();
    let mut n_maps = 0;
    for line in text.lines() {
        let expected: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = expected["map"].as_str().unwrap();
        let bytes = fs::read(folder.join(format!("{name}.tbsmap"))).unwrap();
        let (map, warnings) = read_map(&bytes).unwrap();
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        let game = Small::new(&map, Settings::default()).unwrap();
        let found = serde_json::json!({
            "map": name,
            "size": [map.width, map.height],
            "turn_limit": map.turn_limit,
            "hp_threshold": map.hp_threshold,
            "units": map.n_units(),
            "start": game.state_text(&game.start()),
            "red": game.legal_summary(&game.start(), Player(0)),
            "blue": game.legal_summary(&game.start(), Player(1)),
        });
        assert_eq!(found, expected, "{name}");
        n_maps += 1;
    }
    assert_eq!(n_maps, 11);
}

#[test]
fn map_files_are_read_written_and_read_again() {
    let Some(folder) = folder("map_files_are_read_written_and_read_again") else { return };
    for (name, bytes) in maps(&folder) {
        let (map, _) = read_map(&bytes).unwrap();
        assert_eq!(read_map(write_map(&map).as_bytes()).unwrap().0, map, "{name}");
        assert_eq!(read_map(&write_map_shift_jis(&map)).unwrap().0, map, "{name}");
    }
}
