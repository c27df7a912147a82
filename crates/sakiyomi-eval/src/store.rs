//! Results on disk: one SQLite file that survives being killed, shared by any number of processes.
//!
//! A *cell* is a task together with the fingerprint of its behaviour; it is found by the full text of
//! both. A *unit* is a range of the cell's numbered games (or measurements), written in one transaction when it is
//! done. Units keep the outcome of every game, so any number of games can be counted from units of
//! any size. Ranges never overlap: who comes second with the same games is told so and adds nothing.
//!
//! Matches between players on the network are kept apart, in [`network`], since they cannot be played again.
//!
//! Units and kept records carry a checksum ([`row`]), so a changed byte is an error when they are read,
//! never another result.
//!
//! A file is looked at read-only before anything is written, so what is not a store, is damaged or
//! was written by another version stays untouched.

mod network;
mod row;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{io, thread};

use rusqlite::ErrorCode::{DatabaseBusy, DatabaseCorrupt, DiskFull, NotADatabase};
use rusqlite::{Connection, OpenFlags, OptionalExtension, ToSql, TransactionBehavior, params};
use sakiyomi_catalog::Record;
use sakiyomi_core::hash::Fnv64;
use sakiyomi_core::stats::Tally;
use sakiyomi_core::{MAX_PLAYERS, Stop};
use serde::{Deserialize, Serialize};

use crate::experiment::{Evidence, KEPT};
use crate::task::TaskTexts;
use crate::{
    DistinctCounter, DistinctGames, DoneUnit, Fingerprint, Measures, Outcome, Played, Readings,
    Results, Task,
};
use row::{COLUMNS, MEASURED, UnitRow, checksum_of_record};

pub use network::{NetworkMatch, StoredMatch};
pub use row::StoredUnit;

/// Marks the file as ours: "SAKI".
const APPLICATION_ID: i64 = 0x5341_4b49;
/// How long a process waits for another one that is writing.
const PATIENCE: Duration = Duration::from_secs(60);

/// The one schema that is read and written. Whatever changes it takes another number.
const SCHEMA_VERSION: i64 = 8;
const SCHEMA: [&str; 2] = [CELLS, network::MATCHES];

const CELLS: &str = "
CREATE TABLE cells (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL,
    first TEXT NOT NULL,
    second TEXT NOT NULL,
    seed TEXT NOT NULL,
    openings TEXT NOT NULL,
    behaviour TEXT NOT NULL,
    n_players INTEGER NOT NULL,
    unit_games INTEGER
);
CREATE TABLE units (
    cell INTEGER NOT NULL REFERENCES cells(id) ON DELETE CASCADE,
    first_game INTEGER NOT NULL,
    n_games INTEGER NOT NULL,
    outcomes TEXT NOT NULL,
    measures TEXT NOT NULL,
    game_keys BLOB NOT NULL,
    forfeits TEXT NOT NULL,
    seconds REAL NOT NULL,
    engine TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    PRIMARY KEY (cell, first_game)
);
CREATE TABLE records (
    cell INTEGER NOT NULL REFERENCES cells(id) ON DELETE CASCADE,
    game INTEGER NOT NULL,
    record TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (cell, game)
);
";

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{}: is no store of Sakiyomi; choose another file with --store", file.display())]
    NotAStore { file: PathBuf },
    #[error("{}: is damaged ({message}); nothing was changed. Move it away to start with an empty one, or \
             recover it with `sqlite3 {} .recover`", file.display(), file.display())]
    Damaged { file: PathBuf, message: String },
    #[error("{}: is damaged: in cell {cell}, {problem}. `sakiyomi store prune --cell {cell}` removes the \
             cell, so that it is played again; nothing was changed", file.display())]
    DamagedCell { file: PathBuf, cell: i64, problem: String },
    #[error("{}: is damaged: in match {number} on the network, {problem}. `sakiyomi store prune --match {number}` \
             removes it; nothing was changed", file.display())]
    DamagedMatch { file: PathBuf, number: i64, problem: String },
    #[error("{}: was written by another version of Sakiyomi (schema {found}, this one has {SCHEMA_VERSION}); \
             nothing was changed. Choose another file with --store, or use that version", file.display())]
    OtherVersion { file: PathBuf, found: i64 },
    #[error("{}: the disk is full; what was finished before is kept", file.display())]
    Full { file: PathBuf },
    #[error("{}: {message}", file.display())]
    Unusable { file: PathBuf, message: String },
}

#[derive(Debug)]
pub struct Store {
    connection: Connection,
    file: PathBuf,
}

/// A cell as the store knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredCell {
    pub id: i64,
    pub task: Task,
    pub behaviour: String,
    /// Numbers that are done together: see [`Task::round`].
    pub round: u64,
    /// Games in a unit, once it is known how long a game takes.
    pub unit_games: Option<u64>,
}

impl StoredCell {
    /// Whether the game or an agent behaves differently by now, or is another on this machine.
    pub fn is_stale(&self) -> bool {
        let then = self.behaviour.trim_end_matches(KEPT);
        let now = self.task.fingerprint(&Stop::new()).ok().flatten();
        now.is_none_or(|now| !now.is_of(then))
    }
}

/// What is known of the first games of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    pub evidence: Evidence,
    pub n_forfeits: u64,
    /// Wall seconds, summed over threads.
    pub seconds: f64,
    /// Versions of the program that played them.
    pub engines: Vec<String>,
    /// How many games were different.
    pub distinct_games: Option<DistinctGames>,
    /// The text of the fingerprint by which they were found.
    pub behaviour: Option<String>,
    /// The first few games, so that anyone can play them again and compare.
    pub first_games: Vec<FirstGame>,
}

/// A game, or a measurement, as it can be checked by doing it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirstGame {
    pub number: u64,
    /// W, D or L, of the first agent; M if it is a measurement.
    pub outcome: char,
    /// [`Played::key`](crate::Played::key) in hexadecimal digits, the measured value, or a hash of several.
    pub key: String,
}

/// Of every cell, at most.
const MAX_FIRST_GAMES: usize = 4;

impl FirstGame {
    /// What is kept of these results, at most `most` of them.
    pub fn of(first: u64, results: &Results, most: usize) -> Vec<FirstGame> {
        match results {
            Results::Games(games) => {
                let game = |played: &Played| FirstGame {
                    number: played.number,
                    outcome: played.outcome.letter(),
                    key: format!("{:016x}", played.key.unwrap_or_default()),
                };
                games.iter().take(most).map(game).collect()
            }
            Results::Readings(runs) => {
                let run = |(number, readings): (u64, &Readings)| FirstGame {
                    number,
                    outcome: MEASURED,
                    key: key_of(readings),
                };
                (first..).zip(runs.iter().take(most)).map(run).collect()
            }
        }
    }
}

/// The only reading of a run, or a hash of several.
fn key_of(readings: &Readings) -> String {
    if let [value] = readings.values().collect::<Vec<_>>()[..] {
        return value.to_string();
    }
    let mut hash = Fnv64::default();
    for (name, value) in readings {
        hash.write_field(name.as_bytes());
        hash.write(&value.to_bits().to_le_bytes());
    }
    format!("{:016x}", hash.finish())
}

impl Counted {
    fn note_first(&mut self, unit: &DoneUnit) {
        let left = MAX_FIRST_GAMES - self.first_games.len();
        self.first_games.extend(FirstGame::of(unit.first, &unit.results, left));
    }
}

impl Store {
    /// Opens the file, and makes it if there is none.
    pub fn open(file: &Path) -> Result<Store, StoreError> {
        if file.exists() {
            inspect(file)?;
        }
        let connection = patiently(|| connect(file)).map_err(|error| explain(file, &error))?;
        Ok(Store { connection, file: file.to_owned() })
    }

    /// Opens a file that must be there.
    pub fn open_existing(file: &Path) -> Result<Store, StoreError> {
        if !file.exists() {
            let message = "there is no such store; `sakiyomi run` makes one".to_owned();
            return Err(StoreError::Unusable { file: file.to_owned(), message });
        }
        if !inspect(file)? {
            return Err(StoreError::NotAStore { file: file.to_owned() });
        }
        Store::open(file)
    }

    fn explain(&self, error: &rusqlite::Error) -> StoreError {
        explain(&self.file, error)
    }

    /// The cell of a task with this behaviour, which is made if there is none.
    pub fn cell(
        &self,
        task: &Task,
        fingerprint: &Fingerprint,
        round: u64,
    ) -> Result<StoredCell, StoreError> {
        if let Some(id) = self.find(task, fingerprint)? {
            return self.stored_cell(id, task);
        }
        let (texts, behaviour) = (task.texts(), fingerprint.as_str());
        let key = key(&texts, behaviour);
        let [game, first, second, seed, openings] = texts;
        let insert = "INSERT OR IGNORE INTO cells
                      (key, game, first, second, seed, openings, behaviour, n_players)
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let values = params![key, game, first, second, seed, openings, behaviour, round as i64];
        self.connection.execute(insert, values).map_err(|error| self.explain(&error))?;
        let select = "SELECT id FROM cells WHERE key = ?1";
        let id = self.connection.query_row(select, [key], |row| row.get(0));
        self.stored_cell(id.map_err(|error| self.explain(&error))?, task)
    }

    fn stored_cell(&self, id: i64, task: &Task) -> Result<StoredCell, StoreError> {
        let select = "SELECT behaviour, n_players, unit_games FROM cells WHERE id = ?1";
        let cell = self.connection.query_row(select, [id], |row| {
            let unit_games: Option<i64> = row.get(2)?;
            Ok(StoredCell {
                id,
                task: task.clone(),
                behaviour: row.get(0)?,
                round: row.get::<_, i64>(1)? as u64,
                unit_games: unit_games.map(|n| n as u64),
            })
        });
        cell.map_err(|error| self.explain(&error))
    }

    /// Whether there is a cell of a task, of whatever behaviour.
    pub fn knows(&self, task: &Task) -> Result<bool, StoreError> {
        let select =
            "SELECT EXISTS (SELECT 1 FROM cells WHERE game = ?1 AND first = ?2 AND second = ?3
                      AND seed = ?4 AND openings = ?5)";
        let found = self.connection.query_row(select, task.texts(), |row| row.get(0));
        found.map_err(|error| self.explain(&error))
    }

    /// The cell of a task with this behaviour, if there is one. Where budgets are times, speeds that
    /// are measured vary: the first one that can be taken for it is.
    pub fn find(&self, task: &Task, fingerprint: &Fingerprint) -> Result<Option<i64>, StoreError> {
        let select =
            "SELECT id, behaviour FROM cells WHERE game = ?1 AND first = ?2 AND second = ?3
                      AND seed = ?4 AND openings = ?5 ORDER BY id";
        let read = || -> rusqlite::Result<Vec<(i64, String)>> {
            let mut statement = self.connection.prepare_cached(select)?;
            statement.query_map(task.texts(), |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        let cells = read().map_err(|error| self.explain(&error))?;
        Ok(cells.into_iter().find(|(_, stored)| fingerprint.is_of(stored)).map(|(id, _)| id))
    }

    /// The text of the fingerprint of a cell.
    pub fn behaviour(&self, cell: i64) -> Result<String, StoreError> {
        let select = "SELECT behaviour FROM cells WHERE id = ?1";
        let read = self.connection.query_row(select, [cell], |row| row.get(0));
        read.map_err(|error| self.explain(&error))
    }

    /// Settles how many games a unit of the cell has. The first to say it decides for all.
    pub fn settle_unit_games(&self, cell: i64, n: u64) -> Result<u64, StoreError> {
        let update = "UPDATE cells SET unit_games = ?2 WHERE id = ?1 AND unit_games IS NULL";
        self.connection
            .execute(update, params![cell, n as i64])
            .and_then(|_| {
                let select = "SELECT unit_games FROM cells WHERE id = ?1";
                self.connection.query_row(select, [cell], |row| row.get::<_, i64>(0))
            })
            .map(|n| n as u64)
            .map_err(|error| self.explain(&error))
    }

    /// The ranges of games that are done, in order: first number and count.
    pub fn done(&self, cell: i64) -> Result<Vec<(u64, u64)>, StoreError> {
        let select = "SELECT first_game, n_games FROM units WHERE cell = ?1 ORDER BY first_game";
        let read = || -> rusqlite::Result<Vec<(u64, u64)>> {
            let mut statement = self.connection.prepare_cached(select)?;
            let rows = statement.query_map([cell], |row| {
                Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64))
            })?;
            rows.collect()
        };
        read().map_err(|error| self.explain(&error))
    }

    /// Adds a unit, unless games of it are there already. True if it was added.
    pub fn add(&mut self, cell: i64, unit: &DoneUnit) -> Result<bool, StoreError> {
        self.add_row(cell, unit).map(|row| row.is_some())
    }

    /// Adds a unit, unless games of it are there already. The row in which it stands, if it was added.
    pub(crate) fn add_row(
        &mut self,
        cell: i64,
        unit: &DoneUnit,
    ) -> Result<Option<i64>, StoreError> {
        let file = self.file.clone();
        self.try_add(cell, unit).map_err(|error| explain(&file, &error))
    }

    fn try_add(&mut self, cell: i64, unit: &DoneUnit) -> rusqlite::Result<Option<i64>> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let (first, n) = (unit.first as i64, unit.results.len() as i64);
        let overlap = "SELECT EXISTS (SELECT 1 FROM units
                       WHERE cell = ?1 AND first_game < ?2 + ?3 AND first_game + n_games > ?2)";
        if transaction.query_row(overlap, params![cell, first, n], |row| row.get(0))? {
            return Ok(None);
        }
        let select = "SELECT key, n_players FROM cells WHERE id = ?1";
        let (key, round): (String, i64) =
            transaction.query_row(select, [cell], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let json = |error| rusqlite::Error::ToSqlConversionFailure(Box::new(error));
        let row = UnitRow::new(unit).map_err(json)?;
        row.insert(&transaction, cell, (&key, round))?;
        let added = transaction.last_insert_rowid();
        for played in unit.results.games() {
            let Some(record) = &played.record else { continue };
            let insert = "INSERT OR REPLACE INTO records (cell, game, record, checksum)
                          VALUES (?1, ?2, ?3, ?4)";
            let (number, text) =
                (played.number as i64, serde_json::to_string(record).map_err(json)?);
            let checksum = checksum_of_record(number, &text);
            transaction.execute(insert, params![cell, number, text, checksum])?;
        }
        transaction.commit()?;
        Ok(Some(added))
    }

    /// Counts the first `games` games of a cell, as far as they are done.
    pub fn count(&self, cell: i64, round: u64, games: u64) -> Result<Counted, StoreError> {
        let mut counted = Counted::default();
        let mut distinct = DistinctCounter::default();
        counted.evidence.seats.resize(round as usize, Tally::default());
        self.each_unit(cell, |stored| {
            let StoredUnit { mut unit, engine } = stored;
            let whole = unit.results.len() as u64;
            let n = whole.min(games.saturating_sub(unit.first));
            if n == 0 {
                return;
            }
            unit.results.truncate(n as usize);
            counted.evidence.count(&unit.results, round);
            distinct.add_all(unit.results.games());
            let forfeits = unit.results.games().iter().filter(|played| played.forfeit.is_some());
            counted.n_forfeits += forfeits.count() as u64;
            counted.note_first(&unit);
            counted.seconds += unit.seconds * n as f64 / whole as f64;
            if !counted.engines.contains(&engine) {
                counted.engines.push(engine);
            }
        })?;
        counted.distinct_games = distinct.count();
        Ok(counted)
    }

    /// Looks at all units of a cell, in the order of their numbers.
    pub fn each_unit(&self, cell: i64, mut look: impl FnMut(StoredUnit)) -> Result<(), StoreError> {
        let select = format!(
            "SELECT {COLUMNS} FROM units JOIN cells ON cells.id = units.cell
             WHERE units.cell = ?1 ORDER BY units.first_game"
        );
        let mut read = || -> rusqlite::Result<Result<(), String>> {
            let mut statement = self.connection.prepare_cached(&select)?;
            let mut rows = statement.query([cell])?;
            while let Some(row) = rows.next()? {
                match UnitRow::read(row)? {
                    Ok(unit) => look(unit),
                    Err(problem) => return Ok(Err(problem)),
                }
            }
            Ok(Ok(()))
        };
        let read = read().map_err(|error| self.explain(&error))?;
        read.map_err(|problem| self.damaged(cell, problem))
    }

    fn damaged(&self, cell: i64, problem: String) -> StoreError {
        StoreError::DamagedCell { file: self.file.clone(), cell, problem }
    }

    /// The unit of a cell that begins with this number, if there is one.
    pub fn unit_at(&self, cell: i64, first: u64) -> Result<Option<DoneUnit>, StoreError> {
        let select = format!(
            "SELECT {COLUMNS} FROM units JOIN cells ON cells.id = units.cell
             WHERE units.cell = ?1 AND units.first_game = ?2"
        );
        let read = || -> rusqlite::Result<Option<Result<StoredUnit, String>>> {
            let mut statement = self.connection.prepare_cached(&select)?;
            statement.query_row(params![cell, first as i64], UnitRow::read).optional()
        };
        let read = read().map_err(|error| self.explain(&error))?.transpose();
        Ok(read.map_err(|problem| self.damaged(cell, problem))?.map(|stored| stored.unit))
    }

    /// The row of the latest unit; rows are numbered in the order in which they are added.
    pub(crate) fn last_row(&self) -> Result<i64, StoreError> {
        let select = "SELECT coalesce(max(rowid), 0) FROM units";
        self.connection
            .query_row(select, [], |row| row.get(0))
            .map_err(|error| self.explain(&error))
    }

    /// The units that were added after a row, of all cells.
    pub(crate) fn units_after(&self, row: i64) -> Result<Vec<NewUnit>, StoreError> {
        self.new_units("WHERE rowid > ?1 ORDER BY rowid", &[&row])
    }

    /// The units of a cell that were added up to a row.
    pub(crate) fn units_up_to(&self, cell: i64, row: i64) -> Result<Vec<NewUnit>, StoreError> {
        self.new_units("WHERE cell = ?1 AND rowid <= ?2 ORDER BY first_game", &[&cell, &row])
    }

    fn new_units(&self, which: &str, values: &[&dyn ToSql]) -> Result<Vec<NewUnit>, StoreError> {
        let select =
            format!("SELECT rowid, cell, first_game, n_games, outcomes FROM units {which}");
        let read = || -> rusqlite::Result<Vec<NewUnit>> {
            let mut statement = self.connection.prepare_cached(&select)?;
            let unit = |row: &rusqlite::Row<'_>| {
                let outcomes: String = row.get(4)?;
                Ok(NewUnit {
                    row: row.get(0)?,
                    cell: row.get(1)?,
                    first: row.get::<_, i64>(2)? as u64,
                    n: row.get::<_, i64>(3)? as u64,
                    outcomes: outcomes.chars().map(Outcome::from_letter).collect(),
                })
            };
            statement.query_map(values, unit)?.collect()
        };
        read().map_err(|error| self.explain(&error))
    }

    /// All cells, in the order in which they were made.
    pub fn cells(&self) -> Result<Vec<StoredCell>, StoreError> {
        let select = "SELECT id, game, first, second, seed, behaviour, n_players, unit_games, key,
                      openings FROM cells ORDER BY id";
        let read = || -> rusqlite::Result<Vec<(TaskTexts, StoredCellRow)>> {
            let mut statement = self.connection.prepare(select)?;
            let rows = statement.query_map([], |row| {
                let texts = [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(9)?];
                let unit_games: Option<i64> = row.get(7)?;
                Ok((texts, (row.get(0)?, row.get(5)?, row.get(6)?, unit_games, row.get(8)?)))
            })?;
            rows.collect()
        };
        let rows = read().map_err(|error| self.explain(&error))?;
        for (texts, (id, behaviour, round, _, stored)) in &rows {
            if *stored != key(texts, behaviour) || !(1..=MAX_PLAYERS as i64).contains(round) {
                let message = format!("what was played does not match the key of the cell {id}");
                return Err(StoreError::Damaged { file: self.file.clone(), message });
            }
        }
        // A name that this version does not know is of no use to it.
        let known =
            rows.into_iter().filter_map(|(texts, (id, behaviour, round, unit_games, _))| {
                Some(StoredCell {
                    id,
                    task: Task::from_texts(&texts)?,
                    behaviour,
                    round: round as u64,
                    unit_games: unit_games.map(|n| n as u64),
                })
            });
        Ok(known.collect())
    }

    /// One line per game, in the order of cells and numbers.
    pub fn each_game(&self, mut look: impl FnMut(&GameRow)) -> Result<(), StoreError> {
        for cell in self.cells()? {
            self.each_unit(cell.id, |stored| {
                let DoneUnit { first, results, .. } = stored.unit;
                let row = GameRow {
                    cell: &cell,
                    number: first,
                    outcome: MEASURED,
                    measures: Measures::default(),
                    readings: None,
                };
                match results {
                    Results::Games(games) => games.iter().for_each(|played| {
                        let outcome = played.outcome.letter();
                        let (number, measures) = (played.number, played.measures);
                        look(&GameRow { number, outcome, measures, ..row });
                    }),
                    Results::Readings(runs) => {
                        for (number, readings) in (first..).zip(&runs) {
                            look(&GameRow { number, readings: Some(readings), ..row });
                        }
                    }
                }
            })?;
        }
        Ok(())
    }

    /// The kept record of one game of a cell.
    pub fn record(&self, cell: i64, game: u64) -> Result<Option<Record>, StoreError> {
        let select = "SELECT record, checksum FROM records WHERE cell = ?1 AND game = ?2";
        let number = game as i64;
        let found: Option<(String, i64)> = self
            .connection
            .query_row(select, params![cell, number], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .map_err(|error| self.explain(&error))?;
        let Some((text, checksum)) = found else { return Ok(None) };
        if checksum != checksum_of_record(number, &text) {
            let problem = format!("the record of game {game} does not match its checksum");
            return Err(self.damaged(cell, problem));
        }
        Ok(serde_json::from_str(&text).ok())
    }

    /// The numbers of the first games of a cell whose records were kept.
    pub fn kept(&self, cell: i64, most: usize) -> Result<Vec<u64>, StoreError> {
        let select = "SELECT game FROM records WHERE cell = ?1 ORDER BY game LIMIT ?2";
        let read = || -> rusqlite::Result<Vec<u64>> {
            let mut statement = self.connection.prepare(select)?;
            let games =
                statement.query_map(params![cell, most as i64], |row| row.get::<_, i64>(0))?;
            games.map(|game| Ok(game? as u64)).collect()
        };
        read().map_err(|error| self.explain(&error))
    }

    /// Removes a cell with everything in it.
    pub fn remove(&self, cell: i64) -> Result<(), StoreError> {
        let delete = "DELETE FROM cells WHERE id = ?1";
        self.connection.execute(delete, [cell]).map(drop).map_err(|error| self.explain(&error))
    }

    /// Gives the space of removed cells back to the system.
    pub fn compact(&self) -> Result<(), StoreError> {
        self.connection.execute_batch("VACUUM").map_err(|error| self.explain(&error))
    }
}

/// As much of a unit as is needed to see what is done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NewUnit {
    pub(crate) row: i64,
    pub(crate) cell: i64,
    pub(crate) first: u64,
    pub(crate) n: u64,
    /// Nothing for a measurement.
    pub(crate) outcomes: Vec<Option<Outcome>>,
}

impl NewUnit {
    pub(crate) fn numbers(&self) -> Range<u64> {
        self.first..self.first + self.n
    }
}

/// A game, or a measurement, as it is exported.
#[derive(Clone, Copy, Debug)]
pub struct GameRow<'a> {
    pub cell: &'a StoredCell,
    pub number: u64,
    /// W, D or L, of the first agent; M if it is a measurement.
    pub outcome: char,
    pub measures: Measures,
    /// What was measured, if it is a measurement.
    pub readings: Option<&'a Readings>,
}

type StoredCellRow = (i64, String, i64, Option<i64>, String);

/// Looks at an existing file without changing it. False if there is nothing in it yet.
fn inspect(file: &Path) -> Result<bool, StoreError> {
    let look = || -> rusqlite::Result<(i64, i64, i64, String)> {
        let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(PATIENCE)?;
        // One look for all: another process may be making the file right now.
        let connection = connection.unchecked_transaction()?;
        let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get(0));
        let (application, version) = (number("application_id")?, number("user_version")?);
        let tables =
            connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        let health = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        Ok((application, version, tables, health))
    };
    let file = file.to_owned();
    match patiently(look) {
        // The program that made it was killed before it wrote anything into it.
        Ok((0, 0, 0, health)) if health == "ok" => Ok(false),
        Ok((APPLICATION_ID, found, ..)) if found != SCHEMA_VERSION => {
            Err(StoreError::OtherVersion { file, found })
        }
        Ok((APPLICATION_ID, _, _, health)) if health == "ok" => Ok(true),
        Ok((APPLICATION_ID, _, _, health)) => Err(StoreError::Damaged { file, message: health }),
        Ok(_) => Err(StoreError::NotAStore { file }),
        Err(error) => Err(explain(&file, &error)),
    }
}

fn connect(file: &Path) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open(file)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    // A finished unit is on the disk when the program says so, even if the power fails.
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", "on")?;
    make_schema(&mut connection)?;
    Ok(connection)
}

/// Tries again while others hold the file. SQLite waits by itself, but not where two that wait for
/// each other would wait for ever, such as when both turn the write-ahead log on.
fn patiently<T>(attempt: impl Fn() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let begin = Instant::now();
    loop {
        match attempt() {
            Err(error)
                if error.sqlite_error_code() == Some(DatabaseBusy)
                    && begin.elapsed() < PATIENCE =>
            {
                thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}

fn make_schema(connection: &mut Connection) -> rusqlite::Result<()> {
    // Looked at again under the lock: another process may have been faster.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version == 0 {
        SCHEMA.iter().try_for_each(|tables| transaction.execute_batch(tables))?;
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    transaction.commit()
}

fn explain(file: &Path, error: &rusqlite::Error) -> StoreError {
    let file = file.to_owned();
    match error.sqlite_error_code() {
        Some(DiskFull) => StoreError::Full { file },
        Some(NotADatabase) => StoreError::NotAStore { file },
        Some(DatabaseCorrupt) => StoreError::Damaged { file, message: error.to_string() },
        _ => StoreError::Unusable { file, message: format!("cannot be used: {error}") },
    }
}

impl From<StoreError> for io::Error {
    fn from(error: StoreError) -> io::Error {
        io::Error::other(error)
    }
}

/// What a cell is found by: its specification and its behaviour, in full.
fn key(texts: &TaskTexts, behaviour: &str) -> String {
    format!("{}\n{behaviour}", texts.join("\n"))
}

#[cfg(test)]
mod tests;
