//! A bounded replay: all corpora, and seeded mutations of them.

use std::fs;
use std::path::{Path, PathBuf};

use sakiyomi::core::Rng;

use crate::{READERS, Reader};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Mutations of each reader's corpus.
const MUTATIONS: usize = 300;
/// Longer examples are read, but not mutated: one mutation of a kilobyte tells as much.
const MAX_MUTATED_BYTES: usize = 8_000;

/// Files of a folder, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    paths
}

fn corpus(reader: &Reader) -> Vec<Vec<u8>> {
    let own = files(&Path::new(ROOT).join("fuzz/corpus").join(reader.name));
    assert!(!own.is_empty(), "fuzz/corpus/{} has no files", reader.name);
    let examples = reader.examples.iter().flat_map(|(folder, ending)| {
        let mut paths = files(&Path::new(ROOT).join(folder));
        paths.retain(|path| path.extension().is_some_and(|extension| extension == *ending));
        assert!(!paths.is_empty(), "{folder} has no files that end with .{ending}");
        paths
    });
    own.into_iter().chain(examples).map(|path| fs::read(path).unwrap()).collect()
}

/// What readers of texts stumble over.
const WORDS: [&str; 24] = [
    "0",
    "-1",
    "1e999",
    "NaN",
    "99999999999999999999",
    "4294967296",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    ";",
    ",",
    ":",
    "=",
    "?x",
    "(not ",
    "\n",
    "\u{3000}",
    "\u{0}",
    "\\u0000",
];

/// A few changes of an example: bytes changed, words put in, parts left out, doubled or taken from
/// another example.
fn mutated(examples: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = examples[rng.below(examples.len())].clone();
    bytes.truncate(MAX_MUTATED_BYTES);
    for _ in 0..1 + rng.below(6) {
        let at = rng.below(bytes.len() + 1);
        let end = (at + rng.below(24)).min(bytes.len());
        let part = match rng.below(6) {
            0 => WORDS[rng.below(WORDS.len())].as_bytes().to_vec(),
            1 => vec![rng.below(256) as u8],
            2 => Vec::new(),
            3 => bytes[at..end].repeat(2 + rng.below(3)),
            4 => bytes[at..end].repeat(200),
            _ => {
                let other = &examples[rng.below(examples.len())];
                let from = rng.below(other.len() + 1);
                other[from..(from + rng.below(80)).min(other.len())].to_vec()
            }
        };
        bytes.splice(at..end, part);
    }
    bytes
}

fn is_survived(name: &str) {
    let reader = READERS.iter().find(|reader| reader.name == name).unwrap();
    let examples = corpus(reader);
    examples.iter().for_each(|bytes| (reader.read)(bytes));
    for seed in 0..MUTATIONS {
        let bytes = mutated(&examples, &mut Rng::stream(&[seed as u64]));
        let read = std::panic::catch_unwind(|| (reader.read)(&bytes));
        assert!(read.is_ok(), "{name}, mutation {seed}: {}", String::from_utf8_lossy(&bytes));
    }
}

/// A test for each reader, so that they run beside each other and are told apart.
macro_rules! survive {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                is_survived(stringify!($name));
            }
        )*
        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}

survive! {
    rule_sheet piece_file message map scenario replay contest spec experiment http_body network
    solution store
}

#[test]
fn every_reader_has_a_test_and_a_target() {
    let names: Vec<&str> = READERS.iter().map(|reader| reader.name).collect();
    assert_eq!(names, TESTED);
    let manifest = fs::read_to_string(format!("{ROOT}/fuzz/Cargo.toml")).unwrap();
    for name in names {
        let target = fs::read_to_string(format!("{ROOT}/fuzz/fuzz_targets/{name}.rs")).unwrap();
        assert!(target.contains(&format!("reader(\"{name}\")")), "{target}");
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
}
