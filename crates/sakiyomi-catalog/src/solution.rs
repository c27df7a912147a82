//! Exact solutions as files: a line that names the format and the game, then the number of values,
//! then key and value of each in order of their keys, all as 8 bytes with the lowest first.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use sakiyomi_search::Values;

use crate::GameSpec;

const FORMAT: &str = "sakiyomi-solution 1";

/// Writes the values of a game's solution.
pub fn save_solution(path: &Path, game: &GameSpec, values: &Values) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "{FORMAT} {game}")?;
    out.write_all(&(values.len() as u64).to_le_bytes())?;
    let mut sorted: Vec<(u64, f64)> = values.iter().map(|(&key, &value)| (key, value)).collect();
    sorted.sort_unstable_by_key(|entry| entry.0);
    for (key, value) in sorted {
        out.write_all(&key.to_le_bytes())?;
        out.write_all(&value.to_le_bytes())?;
    }
    out.flush()
}

/// Reads the solution of this game. The last one that was read is kept and shared, since an agent
/// is built for every match.
pub fn load_solution(path: &Path, game: &GameSpec) -> io::Result<Arc<Values>> {
    static LAST: Mutex<Option<(String, Arc<Values>)>> = Mutex::new(None);
    let name = format!("{} {game}", path.display());
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, values)) = &*last
        && *known == name
    {
        return Ok(Arc::clone(values));
    }
    let values = Arc::new(read(path, game)?);
    *last = Some((name, Arc::clone(&values)));
    Ok(values)
}

fn read(path: &Path, game: &GameSpec) -> io::Result<Values> {
    let wrong = |message: String| io::Error::new(io::ErrorKind::InvalidData, message);
    let mut file = BufReader::new(File::open(path)?);
    let mut header = Vec::new();
    (&mut file).take(4096).read_until(b'\n', &mut header)?;
    let header = String::from_utf8_lossy(&header);
    match header.trim_end().strip_prefix(FORMAT).map(str::trim) {
        None => return Err(wrong(format!("this is no solution; expected `{FORMAT} ..`"))),
        Some(other) if other != game.to_string() => {
            return Err(wrong(format!("this is the solution of {other}, not of {game}")));
        }
        Some(_) => {}
    }
    let mut number = || {
        let mut bytes = [0; 8];
        file.read_exact(&mut bytes).map(|()| u64::from_le_bytes(bytes))
    };
    let n_values = number()?;
    // The length is not to be trusted before the values are there.
    let mut values = Values::default();
    values.reserve(n_values.min(1 << 24) as usize);
    for _ in 0..n_values {
        let (key, value) = (number()?, f64::from_bits(number()?));
        if !(0.0..=1.0).contains(&value) {
            return Err(wrong(format!("{value} is no value from 0 to 1")));
        }
        values.insert(key, value);
    }
    Ok(values)
}
