//! Matches between players on the network: who they were is all that is known of them, so there is
//! no pairing to repeat, and every match stands for itself.

use rusqlite::{OptionalExtension, Row, params};
use sakiyomi_catalog::Record;
use serde::Serialize;

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
    finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
);
";

/// A match that was refereed over the network. What is counted, is counted per seat.
#[derive(Clone, Debug, PartialEq)]
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
    pub record: Record,
}

/// A match as the store lists it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredMatch {
    pub number: i64,
    pub id: String,
    pub game: String,
    pub players: Vec<String>,
    pub start_clock: f64,
    pub play_clock: f64,
    pub goals: Vec<Option<u8>>,
    pub timeouts: Vec<u32>,
    pub connection_errors: Vec<u32>,
    pub illegal_moves: Vec<u32>,
    pub plies: u32,
    pub seconds: f64,
    pub finished: String,
}

impl Store {
    /// Adds a match and returns its number.
    pub fn add_network_match(&self, played: &NetworkMatch) -> Result<i64, StoreError> {
        let insert =
            "INSERT INTO network_matches (id, game, players, start_clock, play_clock, goals,
                      timeouts, connection_errors, illegal_moves, plies, seconds, record)
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
        let values = params![
            played.id,
            played.record.game.to_string(),
            json(&played.players),
            played.start_clock,
            played.play_clock,
            json(&played.goals),
            json(&played.timeouts),
            json(&played.connection_errors),
            json(&played.illegal_moves),
            played.plies,
            played.seconds,
            json(&played.record),
        ];
        self.connection.execute(insert, values).map_err(|error| self.explain(&error))?;
        Ok(self.connection.last_insert_rowid())
    }

    /// All matches, in the order in which they were added.
    pub fn network_matches(&self) -> Result<Vec<StoredMatch>, StoreError> {
        let select = "SELECT number, id, game, players, start_clock, play_clock, goals, timeouts,
                      connection_errors, illegal_moves, plies, seconds, finished
                      FROM network_matches ORDER BY number";
        let read = || -> rusqlite::Result<Vec<StoredMatch>> {
            let mut statement = self.connection.prepare(select)?;
            let rows = statement.query_map([], stored)?;
            rows.collect()
        };
        read().map_err(|error| self.explain(&error))
    }

    /// Removes a match. False if there is none with this number.
    pub fn remove_network_match(&self, number: i64) -> Result<bool, StoreError> {
        let delete = "DELETE FROM network_matches WHERE number = ?1";
        let removed = self.connection.execute(delete, [number]);
        removed.map(|n| n > 0).map_err(|error| self.explain(&error))
    }

    /// The record of the match with this number.
    pub fn network_record(&self, number: i64) -> Result<Option<Record>, StoreError> {
        let select = "SELECT record FROM network_matches WHERE number = ?1";
        let text: Option<String> = self
            .connection
            .query_row(select, [number], |row| row.get(0))
            .optional()
            .map_err(|error| self.explain(&error))?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredMatch> {
    let players: Vec<String> = list(row, 3)?;
    let n = players.len();
    // Whatever the file says, there is one entry per seat.
    let counts = |column| -> rusqlite::Result<Vec<u32>> {
        let mut counts: Vec<u32> = list(row, column)?;
        counts.resize(n, 0);
        Ok(counts)
    };
    let mut goals: Vec<Option<u8>> = list(row, 6)?;
    goals.resize(n, None);
    Ok(StoredMatch {
        number: row.get(0)?,
        id: row.get(1)?,
        game: row.get(2)?,
        players,
        start_clock: row.get(4)?,
        play_clock: row.get(5)?,
        goals,
        timeouts: counts(7)?,
        connection_errors: counts(8)?,
        illegal_moves: counts(9)?,
        plies: row.get(10)?,
        seconds: row.get(11)?,
        finished: row.get(12)?,
    })
}

fn list<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<T>> {
    let text: String = row.get(column)?;
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::super::{APPLICATION_ID, MIGRATIONS};
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
            record: Record {
                game: "gdl".parse().unwrap(),
                seed: 3,
                moves: vec![vec!["(mark 1 1)".into()]],
            },
        }
    }

    #[test]
    fn matches_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s");
        let store = Store::open(&file).unwrap();
        let first = store.add_network_match(&played("one")).unwrap();
        let second = store.add_network_match(&played("two")).unwrap();
        drop(store);
        let store = Store::open_existing(&file).unwrap();
        let all = store.network_matches().unwrap();
        assert_eq!(all.iter().map(|m| m.number).collect::<Vec<_>>(), [first, second]);
        assert_eq!(all[1].id, "two");
        assert_eq!(all[1].goals, [Some(100), None]);
        assert_eq!(all[0].illegal_moves, [2, 0]);
        assert_eq!(store.network_record(first).unwrap(), Some(played("one").record));
        assert_eq!(store.network_record(99).unwrap(), None);
        assert!(store.add_network_match(&played("two")).is_err(), "a match is added once");
        assert!(store.remove_network_match(first).unwrap());
        assert!(!store.remove_network_match(first).unwrap());
        assert_eq!(store.network_matches().unwrap().len(), 1);
    }

    /// A file of an older version gets the table, and keeps what it has.
    #[test]
    fn older_files_are_brought_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s");
        let old = Connection::open(&file).unwrap();
        MIGRATIONS[..2].iter().for_each(|step| old.execute_batch(step).unwrap());
        old.pragma_update(None, "user_version", 2).unwrap();
        old.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        drop(old);
        let store = Store::open(&file).unwrap();
        assert!(store.network_matches().unwrap().is_empty());
    }
}
