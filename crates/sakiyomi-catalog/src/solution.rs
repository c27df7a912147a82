//! Exact solutions as files: a line that names the format and the game, then the number of entries,
//! then the entries, then a checksum of all of it (FNV-1a), the numbers as 8 bytes with the lowest
//! first. The entries of a solution are key and value, in order of the keys; those of a layer are
//! the values of states with equally many rounds left, in the order of the solver by layers.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use sakiyomi_core::hash::Fnv64;
use sakiyomi_search::Values;

use crate::GameSpec;
use crate::files::{open_regular, write_atomically};

const FORMAT: &str = "sakiyomi-solution";
const VERSION: &str = "2";
const LAYER_FORMAT: &str = "sakiyomi-layer";
const LAYER_VERSION: &str = "1";
/// The longest first line.
const MAX_HEADER_BYTES: u64 = 4096;

/// Writes the values of a game's solution.
pub fn save_solution(path: &Path, game: &GameSpec, values: &Values) -> io::Result<()> {
    let mut sorted: Vec<(u64, f64)> = values.iter().map(|(&key, &value)| (key, value)).collect();
    sorted.sort_unstable_by_key(|entry| entry.0);
    let numbers = sorted.iter().flat_map(|&(key, value)| [key, value.to_bits()]);
    write(path, &format!("{FORMAT} {VERSION} {game}"), sorted.len(), numbers)
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
    let values = Arc::new(read_solution(path, game)?);
    *last = Some((name, Arc::clone(&values)));
    Ok(values)
}

fn read_solution(path: &Path, game: &GameSpec) -> io::Result<Values> {
    let damaged = format!("is damaged; solve {game} again");
    let mut numbers = Numbers::open(path, 2, damaged, |header| check_header(header, path, game))?;
    let mut values = Values::default();
    values.reserve(numbers.n_entries);
    for _ in 0..numbers.n_entries {
        let (key, value) = (numbers.next()?, f64::from_bits(numbers.next()?));
        if !(0.0..=1.0).contains(&value) {
            return Err(numbers.damaged());
        }
        values.insert(key, value);
    }
    match values.len() == numbers.n_entries {
        true => numbers.finish().map(|()| values),
        false => Err(numbers.damaged()),
    }
}

/// A solved layer: its values, and how far its matrix games are from equilibria at most.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptLayer {
    pub values: Vec<f64>,
    pub largest_gap: f64,
}

/// Writes the values of the states with this many rounds left.
pub fn save_layer(
    path: &Path,
    game: &GameSpec,
    rounds: usize,
    values: &[f64],
    largest_gap: f64,
) -> io::Result<()> {
    let numbers = values.iter().chain([&largest_gap]).map(|value| value.to_bits());
    write(path, &layer_header(game, rounds), values.len() + 1, numbers)
}

/// Reads the values of the states with this many rounds left.
pub fn load_layer(path: &Path, game: &GameSpec, rounds: usize) -> io::Result<KeptLayer> {
    let expected = layer_header(game, rounds);
    let check = |header: &str| match header.trim_end() {
        header if header == expected => Ok(()),
        header if header.starts_with(LAYER_FORMAT) => {
            Err(format!("is `{header}`, not `{expected}`; another folder would be right"))
        }
        _ => Err(format!("is no solved layer; expected `{expected}`")),
    };
    let damaged = "is damaged; without it the layer is solved again".to_owned();
    let mut numbers = Numbers::open(path, 1, damaged, check)?;
    let mut values = Vec::with_capacity(numbers.n_entries);
    for _ in 0..numbers.n_entries {
        values.push(f64::from_bits(numbers.next()?));
    }
    let largest_gap = values.pop().ok_or_else(|| numbers.damaged())?;
    numbers.finish().map(|()| KeptLayer { values, largest_gap })
}

fn layer_header(game: &GameSpec, rounds: usize) -> String {
    format!("{LAYER_FORMAT} {LAYER_VERSION} {game} rounds={rounds}")
}

fn write(
    path: &Path,
    header: &str,
    n_entries: usize,
    numbers: impl Iterator<Item = u64>,
) -> io::Result<()> {
    write_atomically(path, |out| {
        let mut hash = Fnv64::default();
        let mut put = |bytes: &[u8]| {
            hash.write(bytes);
            out.write_all(bytes)
        };
        put(header.as_bytes())?;
        put(b"\n")?;
        put(&(n_entries as u64).to_le_bytes())?;
        for number in numbers {
            put(&number.to_le_bytes())?;
        }
        out.write_all(&hash.finish().to_le_bytes())
    })
}

/// The numbers of a file that is being read.
struct Numbers {
    file: BufReader<File>,
    hash: Fnv64,
    n_entries: usize,
    /// What is said of a file that was changed.
    damaged: String,
}

impl Numbers {
    /// Opens a file whose entries are of `width` numbers.
    fn open(
        path: &Path,
        width: u64,
        damaged: String,
        check_header: impl FnOnce(&str) -> Result<(), String>,
    ) -> io::Result<Numbers> {
        let file = open_regular(path)?;
        let n_bytes = file.metadata()?.len();
        let mut numbers =
            Numbers { file: BufReader::new(file), hash: Fnv64::default(), n_entries: 0, damaged };
        let mut header = Vec::new();
        (&mut numbers.file).take(MAX_HEADER_BYTES).read_until(b'\n', &mut header)?;
        numbers.hash.write(&header);
        check_header(&String::from_utf8_lossy(&header)).map_err(wrong)?;
        let n_entries = numbers.next()?;
        let expected =
            n_entries.checked_mul(8 * width).and_then(|n| n.checked_add(header.len() as u64 + 16));
        if expected != Some(n_bytes) {
            return Err(numbers.damaged());
        }
        numbers.n_entries = n_entries as usize;
        Ok(numbers)
    }

    fn next(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.file.read_exact(&mut bytes).map_err(|_| self.damaged())?;
        self.hash.write(&bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    /// Compares the checksum.
    fn finish(mut self) -> io::Result<()> {
        let checksum = self.hash.finish();
        match self.next()? == checksum {
            true => Ok(()),
            false => Err(self.damaged()),
        }
    }

    fn damaged(&self) -> io::Error {
        wrong(self.damaged.clone())
    }
}

fn wrong(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
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
        assert_eq!(read_solution(&path, &game).unwrap(), values);
        let bytes = fs::read(&path).unwrap();
        let try_bytes = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            read_solution(&path, &game)
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
            read_solution(&path, &game).unwrap_err().to_string()
        };
        let old = message(b"sakiyomi-solution 1 hagetaka:n=3\n\0\0\0\0\0\0\0\0");
        assert!(old.contains("sakiyomi solve hagetaka:n=3 --save"), "{old}");
        let other = message(b"sakiyomi-solution 2 hagetaka:n=4\n");
        assert!(other.contains("solution of hagetaka:n=4, not of hagetaka:n=3"), "{other}");
        assert!(message(b"something else").contains("is no solution"));
        assert!(message(b"sakiyomi-solution 9 hagetaka:n=3\n").contains("newer version"));
        let device = read_solution(Path::new("/dev/zero"), &game).unwrap_err().to_string();
        assert!(device.contains("device"), "{device}");
    }

    #[test]
    fn layers_are_kept_by_game_and_rounds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("layer");
        let game: GameSpec = "hagetaka:n=3".parse().unwrap();
        let layer = KeptLayer { values: vec![0.25, -1.0, 0.0], largest_gap: 1e-15 };
        save_layer(&path, &game, 2, &layer.values, layer.largest_gap).unwrap();
        assert_eq!(load_layer(&path, &game, 2).unwrap(), layer);
        let other = load_layer(&path, &game, 3).unwrap_err().to_string();
        assert!(other.contains("rounds=2`, not `") && other.contains("rounds=3`"), "{other}");
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, bytes).unwrap();
        assert!(load_layer(&path, &game, 2).unwrap_err().to_string().contains("damaged"));
    }
}
