//! Whether what is read from the file is what was written: every unit and every kept record carries
//! a checksum. SQLite finds damage to its own structure, but not a changed byte inside a value.
//!
//! Units of before have no checksum. They are taken if every value is one that a unit can have.

use rusqlite::Row;
use sakiyomi_core::hash::Fnv64;

use super::{MEASURED, UnitRow};

/// Those of before have none.
pub(super) const CHECKSUMS: &str = "
ALTER TABLE units ADD COLUMN checksum INTEGER;
ALTER TABLE records ADD COLUMN checksum INTEGER;
";

/// The columns of `units` that are read, and of its cell what the checksum covers, in the order in which
/// [`UnitTexts::read`] takes them.
pub(super) const COLUMNS: &str = "units.first_game, units.n_games, units.outcomes, units.payoffs,
    units.turns, units.lengths, units.n_forfeits, units.seconds, units.engine, units.checksum,
    cells.key, cells.n_players";

/// A unit as it stands in the file.
pub(super) struct UnitTexts {
    pub(super) first_game: i64,
    pub(super) n_games: i64,
    pub(super) outcomes: String,
    pub(super) payoffs: String,
    pub(super) turns: String,
    pub(super) lengths: String,
    pub(super) n_forfeits: i64,
    pub(super) seconds: f64,
    pub(super) engine: String,
}

impl UnitTexts {
    /// Reads a row of [`COLUMNS`], and says what is wrong with it.
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Result<UnitRow, String>> {
        let texts = UnitTexts {
            first_game: row.get(0)?,
            n_games: row.get(1)?,
            outcomes: row.get(2)?,
            payoffs: row.get(3)?,
            turns: row.get(4)?,
            lengths: row.get(5)?,
            n_forfeits: row.get(6)?,
            seconds: row.get(7)?,
            engine: row.get(8)?,
        };
        let checksum: Option<i64> = row.get(9)?;
        let (key, round): (String, i64) = (row.get(10)?, row.get(11)?);
        let n = texts.n_games.max(1);
        let name =
            format!("games {} to {}", texts.first_game, texts.first_game.saturating_add(n - 1));
        if checksum.is_some_and(|stored| stored != texts.checksum(&key, round)) {
            return Ok(Err(format!("{name} do not match their checksum")));
        }
        Ok(texts.parse().map_err(|problem| format!("{name}: {problem}")))
    }

    /// Of everything that counts, and of the cell to which it belongs.
    pub(super) fn checksum(&self, key: &str, round: i64) -> i64 {
        let mut hash = Fnv64::default();
        hash.write_field(key.as_bytes());
        for number in [round, self.first_game, self.n_games, self.n_forfeits] {
            hash.write(&number.to_le_bytes());
        }
        hash.write(&self.seconds.to_bits().to_le_bytes());
        for text in [&self.outcomes, &self.payoffs, &self.turns, &self.lengths, &self.engine] {
            hash.write_field(text.as_bytes());
        }
        hash.finish().cast_signed()
    }

    fn parse(self) -> Result<UnitRow, String> {
        let wrong =
            |column: &str| format!("the column `{column}` has no value that a unit can have");
        let n = usize::try_from(self.n_games).map_err(|_| wrong("n_games"))?;
        let first_game = u64::try_from(self.first_game).map_err(|_| wrong("first_game"))?;
        let n_forfeits = u64::try_from(self.n_forfeits).map_err(|_| wrong("n_forfeits"))?;
        let payoffs: Vec<f64> =
            serde_json::from_str(&self.payoffs).map_err(|_| wrong("payoffs"))?;
        let turns: Vec<u32> = serde_json::from_str(&self.turns).map_err(|_| wrong("turns"))?;
        let lengths: Vec<u32> =
            serde_json::from_str(&self.lengths).map_err(|_| wrong("lengths"))?;
        let is_measured = self.outcomes.starts_with(MEASURED);
        let known =
            |letter: char| if is_measured { letter == MEASURED } else { "WDL".contains(letter) };
        // A measurement is NashConv: at least 0 but for rounding, at most 1 for each of 8 players.
        let range = if is_measured { -1e-6..=8.0 } else { 0.0..=1.0 };
        let n_turns = if is_measured { 0 } else { n };
        let checks = [
            (n > 0 && self.outcomes.len() == n && self.outcomes.chars().all(known), "outcomes"),
            (payoffs.len() == n && payoffs.iter().all(|p| range.contains(p)), "payoffs"),
            (turns.len() == n_turns, "turns"),
            (lengths.is_empty() || lengths.len() == n_turns, "lengths"),
            (n_forfeits <= n as u64, "n_forfeits"),
            (self.seconds.is_finite() && self.seconds >= 0.0, "seconds"),
        ];
        if let Some((_, column)) = checks.iter().find(|(is_right, _)| !is_right) {
            return Err(wrong(column));
        }
        let UnitTexts { outcomes, seconds, engine, .. } = self;
        Ok(UnitRow { first_game, outcomes, payoffs, turns, lengths, n_forfeits, seconds, engine })
    }
}

/// Of a kept record, with the number of its game.
pub(super) fn of_record(game: i64, text: &str) -> i64 {
    let mut hash = Fnv64::default();
    hash.write(&game.to_le_bytes());
    hash.write_field(text.as_bytes());
    hash.finish().cast_signed()
}
