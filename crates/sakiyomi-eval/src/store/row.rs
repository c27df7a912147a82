//! A unit as a row of the file, and whether what is read is what was written: every unit and every kept record
//! carries a checksum. SQLite finds damage to its own structure, but not a changed byte inside a value.
//!
//! Measures are kept by name, in one column that grows with their table.

use std::collections::BTreeMap;

use rusqlite::{Row, Transaction, params};
use sakiyomi_core::hash::Fnv64;
use serde::{Deserialize, Serialize};

use crate::{DoneUnit, Forfeited, Measure, Measures, Outcome, Played, Readings, Results};

/// The columns of `units` that are read, and of its cell what the checksum covers, in the order in which
/// [`UnitRow::read`] takes them.
pub(super) const COLUMNS: &str = "units.first_game, units.n_games, units.outcomes,
    units.measures, units.game_keys, units.forfeits, units.seconds, units.engine, units.checksum,
    cells.key, cells.n_players";

/// Stands for the outcome of a measurement.
pub(super) const MEASURED: char = 'M';

/// A unit as it was stored, without records.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredUnit {
    pub unit: DoneUnit,
    /// The version of the program.
    pub engine: String,
}

/// A unit as it stands in the file.
pub(super) struct UnitRow {
    first_game: i64,
    n_games: i64,
    outcomes: String,
    measures: String,
    game_keys: Vec<u8>,
    forfeits: String,
    seconds: f64,
    engine: String,
}

#[derive(Serialize, Deserialize)]
struct ForfeitRow {
    number: u64,
    #[serde(flatten)]
    forfeit: Forfeited,
}

impl UnitRow {
    pub(super) fn new(unit: &DoneUnit) -> serde_json::Result<UnitRow> {
        let games = unit.results.games();
        let mut measures: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
        let outcomes = match &unit.results {
            Results::Games(games) => {
                for measure in Measure::all() {
                    let values: Vec<Option<f64>> =
                        games.iter().map(|played| played.measures[measure]).collect();
                    // What none of them has needs no place.
                    if values.iter().any(Option::is_some) {
                        measures.insert(measure.entry().name, values);
                    }
                }
                games.iter().map(|played| played.outcome.letter()).collect()
            }
            Results::Readings(runs) => {
                for name in runs.iter().flat_map(|readings| readings.keys()) {
                    let values = || runs.iter().map(|readings| readings.get(name).copied());
                    measures.entry(name).or_insert_with(|| values().collect());
                }
                runs.iter().map(|_| MEASURED).collect()
            }
        };
        let keys: Option<Vec<[u8; 8]>> =
            games.iter().map(|played| played.key.map(u64::to_le_bytes)).collect();
        let forfeit = |played: &Played| {
            Some(ForfeitRow { number: played.number, forfeit: played.forfeit.clone()? })
        };
        let forfeits: Vec<ForfeitRow> = games.iter().filter_map(forfeit).collect();
        Ok(UnitRow {
            first_game: unit.first as i64,
            n_games: unit.results.len() as i64,
            outcomes,
            measures: serde_json::to_string(&measures)?,
            game_keys: keys.unwrap_or_default().concat(),
            forfeits: serde_json::to_string(&forfeits)?,
            seconds: unit.seconds,
            engine: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    /// Writes it. `key` and `round` are those of its cell.
    pub(super) fn insert(
        &self,
        transaction: &Transaction<'_>,
        cell: i64,
        (key, round): (&str, i64),
    ) -> rusqlite::Result<()> {
        let insert = "INSERT INTO units (cell, first_game, n_games, outcomes, measures, game_keys,
                      forfeits, seconds, engine, checksum)
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        let values = params![
            cell,
            self.first_game,
            self.n_games,
            self.outcomes,
            self.measures,
            self.game_keys,
            self.forfeits,
            self.seconds,
            self.engine,
            self.checksum(key, round),
        ];
        transaction.execute(insert, values).map(drop)
    }

    /// Reads a row of [`COLUMNS`], and says what is wrong with it.
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Result<StoredUnit, String>> {
        let unit = UnitRow::of(row)?;
        let last = unit.first_game.saturating_add(unit.n_games.max(1) - 1);
        let name = format!("games {} to {last}", unit.first_game);
        if !unit.is_intact(row)? {
            return Ok(Err(format!("{name} do not match their checksum")));
        }
        Ok(unit.parse().map_err(|problem| format!("{name}: {problem}")))
    }

    fn is_intact(&self, row: &Row<'_>) -> rusqlite::Result<bool> {
        let (checksum, key, round): (i64, String, i64) = (row.get(8)?, row.get(9)?, row.get(10)?);
        Ok(checksum == self.checksum(&key, round))
    }

    fn of(row: &Row<'_>) -> rusqlite::Result<UnitRow> {
        Ok(UnitRow {
            first_game: row.get(0)?,
            n_games: row.get(1)?,
            outcomes: row.get(2)?,
            measures: row.get(3)?,
            game_keys: row.get(4)?,
            forfeits: row.get(5)?,
            seconds: row.get(6)?,
            engine: row.get(7)?,
        })
    }

    /// Of everything that counts, and of the cell to which it belongs.
    fn checksum(&self, key: &str, round: i64) -> i64 {
        let mut hash = Fnv64::default();
        hash.write_field(key.as_bytes());
        for number in [round, self.first_game, self.n_games] {
            hash.write(&number.to_le_bytes());
        }
        hash.write(&self.seconds.to_bits().to_le_bytes());
        for text in [&self.outcomes, &self.measures, &self.forfeits, &self.engine] {
            hash.write_field(text.as_bytes());
        }
        hash.write_field(&self.game_keys);
        hash.finish().cast_signed()
    }

    fn parse(self) -> Result<StoredUnit, String> {
        let n = usize::try_from(self.n_games).map_err(|_| wrong("n_games"))?;
        let first = u64::try_from(self.first_game).map_err(|_| wrong("first_game"))?;
        let is_measured = self.outcomes.starts_with(MEASURED);
        let is_known = |c: char| {
            if is_measured { c == MEASURED } else { Outcome::from_letter(c).is_some() }
        };
        let columns = self.columns(n)?;
        let forfeits: Vec<ForfeitRow> =
            serde_json::from_str(&self.forfeits).map_err(|_| wrong("forfeits"))?;
        let checks = [
            (n > 0 && self.outcomes.len() == n && self.outcomes.chars().all(is_known), "outcomes"),
            (self.game_keys.is_empty() || self.game_keys.len() == 8 * n, "game_keys"),
            (self.seconds.is_finite() && self.seconds >= 0.0, "seconds"),
        ];
        if let Some((_, column)) = checks.iter().find(|(is_right, _)| !is_right) {
            return Err(wrong(column));
        }
        let results = match is_measured {
            true => Results::Readings(readings(n, &columns).ok_or_else(|| wrong("measures"))?),
            false => Results::Games(self.games(first, &columns, &forfeits)),
        };
        let unit = DoneUnit { first, results, seconds: self.seconds };
        Ok(StoredUnit { unit, engine: self.engine })
    }

    fn games(&self, first: u64, columns: &Columns, forfeits: &[ForfeitRow]) -> Vec<Played> {
        let by_measure: Vec<(Measure, &Vec<Option<f64>>)> = columns
            .iter()
            .filter_map(|(name, values)| Some((Measure::named(name)?, values)))
            .collect();
        let keys: Vec<u64> = self.game_keys.chunks_exact(8).map(le_number).collect();
        let mut forfeits = forfeits.iter().peekable();
        let game = |(i, outcome): (usize, Outcome)| {
            let number = first + i as u64;
            let mut measures = Measures::default();
            by_measure.iter().for_each(|(measure, values)| measures[*measure] = values[i]);
            let forfeit = forfeits.next_if(|row| row.number == number);
            Played {
                number,
                outcome,
                measures,
                key: keys.get(i).copied(),
                forfeit: forfeit.map(|row| row.forfeit.clone()),
                record: None,
            }
        };
        self.outcomes.chars().filter_map(Outcome::from_letter).enumerate().map(game).collect()
    }

    fn columns(&self, n: usize) -> Result<Columns, String> {
        let columns: Columns =
            serde_json::from_str(&self.measures).map_err(|_| wrong("measures"))?;
        match columns.values().all(|values| values.len() == n) {
            true => Ok(columns),
            false => Err(wrong("measures")),
        }
    }
}

/// What each of `n` runs has read. A run without readings is none.
fn readings(n: usize, columns: &Columns) -> Option<Vec<Readings>> {
    let run = |i: usize| -> Readings {
        columns.iter().filter_map(|(name, values)| Some((name.clone(), values[i]?))).collect()
    };
    let runs: Vec<Readings> = (0..n).map(run).collect();
    runs.iter().all(|readings| !readings.is_empty()).then_some(runs)
}

/// Per name of a measure, one value per game.
type Columns = BTreeMap<String, Vec<Option<f64>>>;

fn wrong(column: &str) -> String {
    format!("the column `{column}` has no value that a unit can have")
}

fn le_number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Of a kept record, with the number of its game.
pub(super) fn checksum_of_record(game: i64, text: &str) -> i64 {
    let mut hash = Fnv64::default();
    hash.write(&game.to_le_bytes());
    hash.write_field(text.as_bytes());
    hash.finish().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A measure that this version does not know does no harm; what no unit can have is refused.
    #[test]
    fn measures_may_come_and_go() {
        let row = |outcomes: &str, measures: &str| UnitRow {
            first_game: 4,
            n_games: 2,
            outcomes: outcomes.to_owned(),
            measures: measures.to_owned(),
            game_keys: Vec::new(),
            forfeits: "[]".to_owned(),
            seconds: 0.1,
            engine: "1".to_owned(),
        };
        let parsed = row("WL", r#"{"of the future":[1.5,2.5],"turns":[3,4]}"#).parse().unwrap();
        let turns = |played: &Played| played.measures[Measure::TURNS];
        let games = parsed.unit.results.games();
        assert_eq!(games.iter().map(turns).collect::<Vec<_>>(), [Some(3.0), Some(4.0)]);
        assert_eq!(games[0].measures[Measure::PAYOFF], None);
        for (outcomes, measures, column) in [
            ("WL", r#"{"turns":[3]}"#, "`measures`"),
            ("WL", "[3;4]", "`measures`"),
            ("WX", r#"{"turns":[3,4]}"#, "`outcomes`"),
            ("WLL", r#"{"turns":[3,4]}"#, "`outcomes`"),
            ("MM", r#"{"nash_conv":[3,null]}"#, "`measures`"),
        ] {
            let message = row(outcomes, measures).parse().unwrap_err();
            assert!(message.contains(column), "{outcomes} {measures}: {message}");
        }
    }
}
