//! Exact solutions as files: a line that names the format and the game, then the number of values, then key and
//! value of each in order of their keys, then a checksum of all of it (FNV-1a), the numbers as 8 bytes with the lowest first.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use sakiyomi_core::hash::Fnv64;
use sakiyomi_search::Values;

use crate::GameSpec;
use crate::files::{open_regular, write_atomically};

const FORMAT: &str = "sakiyomi-solution";
const VERSION: &str = "2";
/// The longest first line.
const MAX_HEADER_BYTES: u64 = 4096;

/// Writes the values of a game's solution.
pub fn save_solution(path: &Path, game: &GameSpec, values: &Values) -> io::Result<()> {
    let mut sorted: Vec<(u64, f64)> = values.iter().map(|(&key, &value)| (key, value)).collect();
    sorted.sort_unstable_by_key(|entry| entry.0);
    write_atomically(path, |out| {
        let mut hash = Fnv64::default();
        let mut put = |bytes: &[u8]| {
            hash.write(bytes);
            out.write_all(bytes)
        };
        put(format!("{FORMAT} {VERSION} {game}\n").as_bytes())?;
        put(&(sorted.len() as u64).to_le_bytes())?;
        for (key, value) in sorted {
            put(&key.to_le_bytes())?;
            put(&value.to_le_bytes())?;
        }
        out.write_all(&hash.finish().to_le_bytes())
    })
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
    let file = open_regular(path)?;
    let n_bytes = file.metadata()?.len();
    let mut file = BufReader::new(file);
    let mut hash = Fnv64::default();
    let mut header = Vec::new();
    (&mut file).take(MAX_HEADER_BYTES).read_until(b'\n', &mut header)?;
    hash.write(&header);
    check_header(&String::from_utf8_lossy(&header), path, game).map_err(wrong)?;
    let damaged = || wrong(format!("is damaged; solve {game} again"));
    let mut number = |hash: &mut Fnv64| {
        let mut bytes = [0; 8];
        file.read_exact(&mut bytes)?;
        hash.write(&bytes);
        io::Result::Ok(u64::from_le_bytes(bytes))
    };
    let n_values = number(&mut hash).map_err(|_| damaged())?;
    let expected = n_values.checked_mul(16).and_then(|n| n.checked_add(header.len() as u64 + 16));
    if expected != Some(n_bytes) {
        return Err(damaged());
    }
    let mut values = Values::default();
    values.reserve(n_values as usize);
    for _ in 0..n_values {
        let (key, value) = (number(&mut hash)?, f64::from_bits(number(&mut hash)?));
        if !(0.0..=1.0).contains(&value) {
            return Err(damaged());
        }
        values.insert(key, value);
    }
    let checksum = hash.finish();
    if number(&mut hash)? != checksum || values.len() as u64 != n_values {
        return Err(damaged());
    }
    Ok(values)
}

fn check_header(header: &str, path: &Path, game: &GameSpec) -> Result<(), String> {
    let mut words = header.trim_end().splitn(3, ' ');
    let (format, version, of) = (words.next(), words.next(), words.next().unwrap_or_default());
    match version {
        _ if format != Some(FORMAT) => {
            Err(format!("is no solution; expected `{FORMAT} {VERSION} ..`"))
        }
        Some(VERSION) if of == game.to_string() => Ok(()),
        Some(VERSION) => Err(format!("is the solution of {of}, not of {game}")),
        Some("1") => Err(format!(
            "was written by an older version, without a checksum; solve it again with `sakiyomi solve {game} --save {}`",
            path.display()
        )),
        _ => Err(format!("was written by a newer version; this one reads version {VERSION}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Every bit counts, and so does the length.
    #[test]
    fn what_was_changed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("solution");
        let game: GameSpec = "hagetaka:n=3".parse().unwrap();
        let values: Values = (0..20u64).map(|i| (i * i * 977, i as f64 / 32.0)).collect();
        save_solution(&path, &game, &values).unwrap();
        assert_eq!(read(&path, &game).unwrap(), values);
        let bytes = fs::read(&path).unwrap();
        let try_bytes = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            read(&path, &game)
        };
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(try_bytes(&flipped).is_err(), "bit {bit}");
        }
        assert!(try_bytes(&[&bytes[..], b"x"].concat()).is_err());
        assert!(try_bytes(&bytes[..bytes.len() - 1]).is_err());
        assert!(try_bytes(b"").is_err());
        assert_eq!(try_bytes(&bytes).unwrap(), values);
    }

    #[test]
    fn errors_say_what_would_be_right() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("solution");
        let game: GameSpec = "hagetaka:n=3".parse().unwrap();
        let message = |text: &[u8]| {
            fs::write(&path, text).unwrap();
            read(&path, &game).unwrap_err().to_string()
        };
        let old = message(b"sakiyomi-solution 1 hagetaka:n=3\n\0\0\0\0\0\0\0\0");
        assert!(old.contains("sakiyomi solve hagetaka:n=3 --save"), "{old}");
        let other = message(b"sakiyomi-solution 2 hagetaka:n=4\n");
        assert!(other.contains("solution of hagetaka:n=4, not of hagetaka:n=3"), "{other}");
        assert!(message(b"something else").contains("is no solution"));
        assert!(message(b"sakiyomi-solution 9 hagetaka:n=3\n").contains("newer version"));
        let device = read(Path::new("/dev/zero"), &game).unwrap_err().to_string();
        assert!(device.contains("device"), "{device}");
    }
}
