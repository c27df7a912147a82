//! Matches between players on the network: who they were is all that is known of them, so there is
//! no pairing to repeat, and every match stands for itself.

use rusqlite::{Row, params};
use sakiyomi_catalog::Record;
use sakiyomi_core::hash::Fnv64;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Store, StoreError};

pub(super) const MATCHES: &str = "
CREATE TABLE network_matches (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL,
    players TEXT NOT NULL,
    start_clock REAL NOT NULL,
    play_clock REAL NOT NULL,
    goals TEXT NOT NULL,
    timeouts TEXT NOT NULL,
    connection_errors TEXT NOT NULL,
    illegal_moves TEXT NOT NULL,
    plies INTEGER NOT NULL,
    seconds REAL NOT NULL,
    record TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
);
";

/// A match that was refereed over the network. What is counted, is counted per seat.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NetworkMatch {
    pub id: String,
    pub players: Vec<String>,
    /// In seconds.
    pub start_clock: f64,
    pub play_clock: f64,
    pub goals: Vec<Option<u8>>,
    pub timeouts: Vec<u32>,
    pub connection_errors: Vec<u32>,
    pub illegal_moves: Vec<u32>,
    pub plies: u32,
    pub seconds: f64,
}

/// A match as the store lists it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredMatch {
    pub number: i64,
    pub game: String,
    #[serde(flatten)]
    pub played: NetworkMatch,
    pub finished: String,
}

impl Store {
    /// Adds a match and returns its number.
    pub fn add_network_match(
        &self,
        played: &NetworkMatch,
        record: &Record,
    ) -> Result<i64, StoreError> {
        let row = MatchRow::new(played, record).map_err(|error| {
            self.explain(&rusqlite::Error::ToSqlConversionFailure(error.into()))
        })?;
        let insert =
            "INSERT INTO network_matches (id, game, players, start_clock, play_clock, goals,
                      timeouts, connection_errors, illegal_moves, plies, seconds, record, checksum)
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
        let values = params![
            row.id,
            row.game,
            row.players,
            row.start_clock,
            row.play_clock,
            row.goals,
            row.timeouts,
            row.connection_errors,
            row.illegal_moves,
            row.plies,
            row.seconds,
            row.record,
            row.checksum(),
        ];
        self.connection.execute(insert, values).map_err(|error| self.explain(&error))?;
        Ok(self.connection.last_insert_rowid())
    }

    /// All matches, in the order in which they were added.
    pub fn network_matches(&self) -> Result<Vec<StoredMatch>, StoreError> {
        let rows = self.match_rows("ORDER BY number", [])?;
        rows.into_iter()
            .map(|row| {
                let number = row.number;
                row.stored().map_err(|problem| self.damaged_match(number, problem))
            })
            .collect()
    }

    /// Removes a match. False if there is none with this number.
    pub fn remove_network_match(&self, number: i64) -> Result<bool, StoreError> {
        let delete = "DELETE FROM network_matches WHERE number = ?1";
        let removed = self.connection.execute(delete, [number]);
        removed.map(|n| n > 0).map_err(|error| self.explain(&error))
    }

    /// The record of the match with this number.
    pub fn network_record(&self, number: i64) -> Result<Option<Record>, StoreError> {
        let row = self.match_rows("WHERE number = ?1", [number])?.pop();
        row.map(|row| row.record().map_err(|problem| self.damaged_match(number, problem)))
            .transpose()
    }

    fn match_rows(
        &self,
        which: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<MatchRow>, StoreError> {
        let select = format!(
            "SELECT number, id, game, players, start_clock, play_clock, goals, timeouts, connection_errors,
             illegal_moves, plies, seconds, record, finished, checksum FROM network_matches {which}"
        );
        let read = || -> rusqlite::Result<Vec<MatchRow>> {
            self.connection.prepare(&select)?.query_map(values, MatchRow::read)?.collect()
        };
        read().map_err(|error| self.explain(&error))
    }

    fn damaged_match(&self, number: i64, problem: String) -> StoreError {
        StoreError::DamagedMatch { file: self.file.clone(), number, problem }
    }
}

/// A match as it stands in the file.
#[derive(Default)]
struct MatchRow {
    number: i64,
    id: String,
    game: String,
    players: String,
    start_clock: f64,
    play_clock: f64,
    goals: String,
    timeouts: String,
    connection_errors: String,
    illegal_moves: String,
    plies: u32,
    seconds: f64,
    record: String,
    finished: String,
    checksum: i64,
}

impl MatchRow {
    fn new(played: &NetworkMatch, record: &Record) -> serde_json::Result<MatchRow> {
        Ok(MatchRow {
            id: played.id.clone(),
            game: record.game.to_string(),
            players: serde_json::to_string(&played.players)?,
            start_clock: played.start_clock,
            play_clock: played.play_clock,
            goals: serde_json::to_string(&played.goals)?,
            timeouts: serde_json::to_string(&played.timeouts)?,
            connection_errors: serde_json::to_string(&played.connection_errors)?,
            illegal_moves: serde_json::to_string(&played.illegal_moves)?,
            plies: played.plies,
            seconds: played.seconds,
            record: serde_json::to_string(record)?,
            ..MatchRow::default()
        })
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<MatchRow> {
        Ok(MatchRow {
            number: row.get(0)?,
            id: row.get(1)?,
            game: row.get(2)?,
            players: row.get(3)?,
            start_clock: row.get(4)?,
            play_clock: row.get(5)?,
            goals: row.get(6)?,
            timeouts: row.get(7)?,
            connection_errors: row.get(8)?,
            illegal_moves: row.get(9)?,
            plies: row.get(10)?,
            seconds: row.get(11)?,
            record: row.get(12)?,
            finished: row.get(13)?,
            checksum: row.get(14)?,
        })
    }

    fn checksum(&self) -> i64 {
        let mut hash = Fnv64::default();
        let texts = [&self.id, &self.game, &self.players, &self.goals, &self.timeouts];
        texts.into_iter().for_each(|text| hash.write_field(text.as_bytes()));
        let texts = [&self.connection_errors, &self.illegal_moves, &self.record];
        texts.into_iter().for_each(|text| hash.write_field(text.as_bytes()));
        for number in [self.start_clock, self.play_clock, self.seconds, f64::from(self.plies)] {
            hash.write(&number.to_le_bytes());
        }
        hash.finish() as i64
    }

    /// What was written, or what is wrong with what is there.
    fn stored(self) -> Result<StoredMatch, String> {
        self.check()?;
        let players: Vec<String> = list("players", &self.players, None)?;
        let n = Some(players.len());
        let played = NetworkMatch {
            goals: list("goals", &self.goals, n)?,
            timeouts: list("timeouts", &self.timeouts, n)?,
            connection_errors: list("connection errors", &self.connection_errors, n)?,
            illegal_moves: list("illegal moves", &self.illegal_moves, n)?,
            id: self.id,
            players,
            start_clock: self.start_clock,
            play_clock: self.play_clock,
            plies: self.plies,
            seconds: self.seconds,
        };
        Ok(StoredMatch { number: self.number, game: self.game, played, finished: self.finished })
    }

    fn record(&self) -> Result<Record, String> {
        self.check()?;
        serde_json::from_str(&self.record).map_err(|error| format!("its record: {error}"))
    }

    fn check(&self) -> Result<(), String> {
        match self.checksum == self.checksum() {
            true => Ok(()),
            false => Err("its checksum does not fit its content".to_owned()),
        }
    }
}

/// A list as JSON, with one entry for each of `n` seats.
fn list<T: DeserializeOwned>(name: &str, text: &str, n: Option<usize>) -> Result<Vec<T>, String> {
    let list: Vec<T> =
        serde_json::from_str(text).map_err(|error| format!("its {name}: {error}"))?;
    match n {
        Some(n) if list.len() != n => Err(format!("it has {} {name} for {n} players", list.len())),
        _ => Ok(list),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(id: &str) -> NetworkMatch {
        NetworkMatch {
            id: id.to_owned(),
            players: vec!["a".into(), "b".into()],
            start_clock: 5.0,
            play_clock: 0.5,
            goals: vec![Some(100), None],
            timeouts: vec![0, 1],
            connection_errors: vec![0, 0],
            illegal_moves: vec![2, 0],
            plies: 5,
            seconds: 1.5,
        }
    }

    fn record() -> Record {
        Record { game: "gdl".parse().unwrap(), seed: 3, moves: vec![vec!["(mark 1 1)".into()]] }
    }

    #[test]
    fn matches_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s");
        let store = Store::open(&file).unwrap();
        let first = store.add_network_match(&played("one"), &record()).unwrap();
        let second = store.add_network_match(&played("two"), &record()).unwrap();
        drop(store);
        let store = Store::open_existing(&file).unwrap();
        let all = store.network_matches().unwrap();
        assert_eq!(all.iter().map(|m| m.number).collect::<Vec<_>>(), [first, second]);
        assert_eq!(all[0].played, played("one"));
        assert_eq!(all[1].played, played("two"));
        assert_eq!(store.network_record(first).unwrap(), Some(record()));
        assert_eq!(store.network_record(99).unwrap(), None);
        assert!(
            store.add_network_match(&played("two"), &record()).is_err(),
            "a match is added once"
        );
        assert!(store.remove_network_match(first).unwrap());
        assert!(!store.remove_network_match(first).unwrap());
        assert_eq!(store.network_matches().unwrap().len(), 1);
    }

    /// Every column is covered.
    #[test]
    fn a_changed_value_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("s")).unwrap();
        let number = store.add_network_match(&played("one"), &record()).unwrap();
        let set = |change: &str| {
            let update = format!("UPDATE network_matches SET {change} WHERE number = {number}");
            store.connection.execute(&update, []).unwrap();
        };
        for (change, back) in [
            ("goals = '[100,100]'", "goals = '[100,null]'"),
            ("illegal_moves = '[0,2]'", "illegal_moves = '[2,0]'"),
            ("play_clock = 0.25", "play_clock = 0.5"),
            ("plies = 6", "plies = 5"),
            ("id = 'two'", "id = 'one'"),
        ] {
            set(change);
            let message = store.network_matches().unwrap_err().to_string();
            assert!(message.contains("store prune --match 1"), "{change}: {message}");
            set(back);
            assert_eq!(store.network_matches().unwrap()[0].played, played("one"));
        }
        set("record = replace(record, 'mark', 'mask')");
        assert!(store.network_record(number).is_err());
    }
}
