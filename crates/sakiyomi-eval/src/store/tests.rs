use super::*;
use crate::{Forfeited, Measure, Measured, Measurement, Outcome, Pairing, Played, Readings};
use sakiyomi_core::Stop;
use std::fs;

fn task(seed: u64) -> Task {
    let agents = ["uct:iterations=10".parse().unwrap(), "random".parse().unwrap()];
    Task::Matches(Pairing::new("tic-tac-toe".parse().unwrap(), agents, seed))
}

fn unit(first: u64, outcomes: &str) -> DoneUnit {
    let played = outcomes.chars().zip(first..).map(|(letter, number)| {
        let mut measures = Measures::default();
        measures[Measure::PAYOFF] = Some(0.5);
        measures[Measure::TURNS] = Some((5 + number % 3) as f64);
        measures[Measure::LENGTH] = Some(2.0);
        let outcome = Outcome::from_letter(letter).unwrap();
        Played { number, outcome, measures, key: Some(!number), forfeit: None, record: None }
    });
    DoneUnit { first, results: Results::Games(played.collect()), seconds: 0.1 }
}

/// What the store has of a measure: values and numbers of games.
fn values(evidence: &Evidence, measure: Measure) -> Vec<(f64, u64)> {
    evidence.measures[measure].iter().map(|(value, tally)| (value, tally.games())).collect()
}

#[test]
fn units_are_counted_once_and_cut_where_asked() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("s")).unwrap();
    let cell = store.cell(&task(1), &"b".into(), 2).unwrap();
    assert!(store.add(cell.id, &unit(0, "WL")).unwrap());
    assert!(store.add(cell.id, &unit(4, "DDWW")).unwrap());
    for again in [unit(0, "WW"), unit(1, "W"), unit(3, "WW"), unit(2, "WWWWWWWW")] {
        assert!(!store.add(cell.id, &again).unwrap(), "games were added twice");
    }
    assert_eq!(store.done(cell.id).unwrap(), [(0, 2), (4, 4)]);
    let count = |games| store.count(cell.id, 2, games).unwrap().evidence.tally;
    assert_eq!(count(100), Tally { wins: 3, draws: 2, losses: 1 });
    assert_eq!(count(6), Tally { wins: 1, draws: 2, losses: 1 });
    let seats = store.count(cell.id, 2, 100).unwrap().evidence.seats;
    assert_eq!(seats[0], Tally { wins: 2, draws: 1, losses: 0 });
    let evidence = store.count(cell.id, 2, 3).unwrap().evidence;
    assert_eq!(values(&evidence, Measure::TURNS), [(5.0, 1), (6.0, 1)]);
    let lengths: Vec<_> = evidence.measures[Measure::LENGTH].iter().collect();
    assert_eq!(lengths, [(2.0, Tally { wins: 1, draws: 0, losses: 1 })]);
}

#[test]
fn other_seeds_and_other_behaviour_are_other_cells() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("s")).unwrap();
    let id = |seed, behaviour: &str| store.cell(&task(seed), &behaviour.into(), 2).unwrap().id;
    assert_eq!(id(1, "b"), id(1, "b"));
    assert_ne!(id(1, "b"), id(2, "b"));
    assert_ne!(id(1, "b"), id(1, "c"));
    assert_eq!(store.find(&task(9), &"b".into()).unwrap(), None);
    assert_eq!(store.cells().unwrap().len(), 3);
    store.remove(id(1, "c")).unwrap();
    assert_eq!(store.cells().unwrap().len(), 2);
    assert_eq!(store.settle_unit_games(id(1, "b"), 8).unwrap(), 8);
    assert_eq!(store.settle_unit_games(id(1, "b"), 99).unwrap(), 8, "the first decides");
}

#[test]
fn measurements_are_kept_beside_games() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("s")).unwrap();
    let (game, agent) = ("hagetaka:n=3".parse().unwrap(), "rm:iterations=10".parse().unwrap());
    let of = Measured::NashConv { fresh: true };
    let task = Task::Measure(Measurement { game, agent, of, seed: 3 });
    let cell = store.cell(&task, &"b".into(), 1).unwrap();
    let unit = |first, values: Vec<f64>| {
        let run = |value| Readings::from([("nash_conv".to_owned(), value)]);
        let results = Results::Readings(values.into_iter().map(run).collect());
        DoneUnit { first, results, seconds: 0.1 }
    };
    assert!(store.add(cell.id, &unit(2, vec![0.5])).unwrap());
    assert!(store.add(cell.id, &unit(0, vec![0.1, 0.2])).unwrap());
    assert_eq!(store.count(cell.id, 1, 9).unwrap().evidence.readings["nash_conv"], [0.1, 0.2, 0.5]);
    assert_eq!(store.count(cell.id, 1, 2).unwrap().evidence.readings["nash_conv"], [0.1, 0.2]);
    assert_eq!(store.cells().unwrap()[0].task, task);
}

#[test]
fn what_is_no_store_or_of_another_version_or_damaged_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, part: &str| {
        let file = folder.path().join(name);
        let before = fs::read(&file).unwrap();
        let message = Store::open(&file).unwrap_err().to_string();
        assert!(message.contains(part), "`{part}` is not in: {message}");
        assert_eq!(fs::read(&file).unwrap(), before, "the file was changed");
    };
    fs::write(folder.path().join("text"), "this is no database, but a text of some length")
        .unwrap();
    refused("text", "is no store of Sakiyomi");
    let other = Connection::open(folder.path().join("other")).unwrap();
    other.execute_batch("CREATE TABLE t (x)").unwrap();
    drop(other);
    refused("other", "is no store of Sakiyomi");
    for version in [1, SCHEMA_VERSION - 1, SCHEMA_VERSION + 1] {
        let store = Store::open(&folder.path().join(version.to_string())).unwrap();
        store.connection.pragma_update(None, "user_version", version).unwrap();
        drop(store);
        let part = format!("another version of Sakiyomi (schema {version}, this one has 8)");
        refused(&version.to_string(), &part);
    }
    let damaged = folder.path().join("damaged");
    let mut store = Store::open(&damaged).unwrap();
    let cell = store.cell(&task(1), &"b".into(), 2).unwrap();
    store.add(cell.id, &unit(0, &"WDL".repeat(20_000))).unwrap();
    drop(store);
    let mut bytes = fs::read(&damaged).unwrap();
    let end = bytes.len();
    bytes[5_000..end - 3_000].fill(0xa5);
    fs::write(&damaged, bytes).unwrap();
    refused("damaged", "is damaged");
    let message = Store::open(folder.path()).unwrap_err().to_string();
    assert!(message.contains("cannot be used"), "{message}");
    let missing = folder.path().join("no/such/folder/s");
    assert!(Store::open(&missing).is_err() && Store::open_existing(&missing).is_err());
}

/// The number of pages is limited in place of the disk.
#[test]
fn a_full_disk_loses_nothing_that_was_finished() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s");
    let mut store = Store::open(&file).unwrap();
    let cell = store.cell(&task(1), &"b".into(), 2).unwrap();
    store.connection.pragma_update(None, "max_page_count", 24).unwrap();
    let mut added = 0;
    let error = loop {
        match store.add(cell.id, &unit(added * 1_000, &"W".repeat(1_000))) {
            Ok(_) => added += 1,
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("the disk is full"), "{error}");
    drop(store);
    let store = Store::open(&file).unwrap();
    assert!(added > 0);
    assert_eq!(store.count(cell.id, 2, u64::MAX).unwrap().evidence.tally.wins, added * 1_000);
}

/// A process that opens a file while others make it sees all of what they did, or nothing.
#[test]
fn a_store_is_born_once_however_many_open_it() {
    for _ in 0..100 {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s");
        let opened: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..6).map(|_| scope.spawn(|| Store::open(&file))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for store in opened {
            store.unwrap();
        }
    }
}

/// Every byte of what was stored is covered: whatever single bit is flipped, the store is refused or says what
/// it said before.
#[test]
fn a_flipped_bit_is_never_another_result() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s");
    let mut store = Store::open(&file).unwrap();
    let cell = store.cell(&task(1), &"b".into(), 2).unwrap();
    store.add(cell.id, &unit(0, &"WDLL".repeat(30))).unwrap();
    store.add(cell.id, &unit(120, &"LWWD".repeat(30))).unwrap();
    store.connection.pragma_update(None, "journal_mode", "delete").unwrap();
    drop(store);
    let games = |file: &Path| -> Result<String, StoreError> {
        let mut text = String::new();
        Store::open_existing(file)?.each_game(|row| {
            text += &format!(
                "{} {} {} {:?} {:?}\n",
                row.cell.task.seed(),
                row.outcome,
                row.measures[Measure::PAYOFF].unwrap(),
                row.measures[Measure::TURNS],
                row.measures[Measure::LENGTH]
            );
        })?;
        Ok(text)
    };
    let (whole, bytes) = (games(&file).unwrap(), fs::read(&file).unwrap());
    assert_eq!(whole.lines().count(), 240);
    let (mut n_refused, copy) = (0, folder.path().join("copy"));
    // A step that is prime to 8 and to the size of a page meets every bit and all of the pages.
    for bit in (0..bytes.len() * 8).step_by(1_201) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&copy, flipped).unwrap();
        for extra in ["copy-wal", "copy-shm"] {
            let _ = fs::remove_file(folder.path().join(extra));
        }
        match games(&copy) {
            Ok(text) => assert_eq!(text, whole, "bit {bit}"),
            Err(_) => n_refused += 1,
        }
    }
    assert!(n_refused > 10, "{n_refused} refused: the bits have missed the units");
}

#[test]
fn a_changed_record_or_cell_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("s")).unwrap();
    let cell = store.cell(&task(1), &"b".into(), 2).unwrap();
    let mut kept = unit(0, "WL");
    let moves = vec![vec!["b2".to_owned()]];
    if let Results::Games(games) = &mut kept.results {
        games[0].record = Some(Record { game: "tic-tac-toe".parse().unwrap(), seed: 1, moves });
    }
    store.add(cell.id, &kept).unwrap();
    assert!(store.record(cell.id, 0).unwrap().is_some());
    let change = |text: &str| assert_eq!(store.connection.execute(text, []).unwrap(), 1);
    change("UPDATE records SET record = replace(record, 'b2', 'b3')");
    assert!(store.record(cell.id, 0).unwrap_err().to_string().contains("record of game 0"));
    change("UPDATE cells SET seed = '3'");
    assert!(store.cells().unwrap_err().to_string().contains("key of the cell"));
    change("UPDATE cells SET key = replace(key, '\n1\n', '\n3\n')");
    store.cells().unwrap();
    assert!(store.count(cell.id, 2, 9).unwrap_err().to_string().contains("checksum"));
}

/// Looking at a file that is empty leaves it empty.
#[test]
fn an_empty_file_is_no_store_for_those_who_only_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s");
    fs::write(&file, "").unwrap();
    let message = Store::open_existing(&file).unwrap_err().to_string();
    assert!(message.contains("is no store of Sakiyomi"), "{message}");
    assert_eq!(fs::read(&file).unwrap(), b"");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was written beside it");
    Store::open(&file).unwrap();
}

/// What was done comes back as it was, but for records, which stand beside the units.
#[test]
fn units_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("s")).unwrap();
    let cell = store.cell(&task(1), &"b".into(), 2).unwrap();
    let mut done = unit(6, "WDLL");
    if let Results::Games(games) = &mut done.results {
        games[2].forfeit = Some(Forfeited { first: true, reason: "ended".to_owned() });
        games[3].key = Some(u64::MAX - 1);
        games[1].measures[Measure::LENGTH] = None;
    }
    store.add(cell.id, &done).unwrap();
    let mut units = Vec::new();
    store.each_unit(cell.id, |stored| units.push(stored)).unwrap();
    assert_eq!(units.len(), 1);
    assert_eq!(units[0].unit, done);
    let forfeits = |games| store.count(cell.id, 2, games).unwrap().n_forfeits;
    assert_eq!((forfeits(8), forfeits(9), forfeits(99)), (0, 1, 1));
}

/// Results by time are found again if the speed that is measured is about the same.
#[test]
fn results_by_time_are_found_by_their_class_of_speed() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("s")).unwrap();
    let agents = ["uct:cpu=1ms".parse().unwrap(), "random".parse().unwrap()];
    let task = Task::Matches(Pairing::new("tic-tac-toe".parse().unwrap(), agents, 1));
    let fingerprint = task.fingerprint(&Stop::new()).unwrap().unwrap();
    let cell = store.cell(&task, &fingerprint, 2).unwrap();
    assert_eq!(store.behaviour(cell.id).unwrap(), fingerprint.as_str());
    assert_eq!(store.find(&task, &fingerprint).unwrap(), Some(cell.id));
    let (hash, rest) = fingerprint.as_str().split_once('@').unwrap();
    let (class, machine) = rest.split_once(' ').unwrap();
    let near = format!("{hash}@{} {machine}", class.parse::<i64>().unwrap() + 4);
    let update = "UPDATE cells SET behaviour = ?1";
    store.connection.execute(update, [near]).unwrap();
    assert_eq!(store.find(&task, &fingerprint).unwrap(), None, "sixteen times as fast");
    assert!(store.knows(&task).unwrap() && !store.knows(&self::task(2)).unwrap());
}
