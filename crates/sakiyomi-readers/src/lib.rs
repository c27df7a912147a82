//! Every reader of outside text as a function of bytes.
//!
//! A reader takes any bytes and returns; a panic, an endless loop or unbounded memory is a fault of
//! ours. What it accepts is also used a little: written and read back, or played for a few plies.
//! The targets in `fuzz/` run these functions with coverage as their guide, and the test here
//! replays the corpora of `fuzz/corpus` and a few thousand seeded mutations of them.

mod files;
mod games;
mod requests;
mod rules;
mod specs;

/// A reader, its name and that of its corpus.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    pub name: &'static str,
    pub read: fn(&[u8]),
    /// Files of the project that are examples too, relative to its root: folders and an ending.
    pub examples: &'static [(&'static str, &'static str)],
}

/// All of them; `fuzz/fuzz_targets` has a file for each.
pub const READERS: [Reader; 13] = [
    Reader { name: "rule_sheet", read: rules::rule_sheet, examples: &[("games/gdl", "kif")] },
    Reader { name: "piece_file", read: rules::piece_file, examples: &[("games/gdl", "toml")] },
    Reader { name: "message", read: rules::message, examples: &[] },
    Reader { name: "map", read: games::map, examples: &[("games/tubstap", "tbsmap")] },
    Reader { name: "scenario", read: games::scenario, examples: &[("games/sangoku", "toml")] },
    Reader { name: "replay", read: games::replay, examples: &[] },
    Reader { name: "contest", read: games::contest, examples: &[] },
    Reader { name: "spec", read: specs::spec, examples: &[] },
    Reader { name: "experiment", read: specs::experiment, examples: &[("experiments", "toml")] },
    Reader { name: "http_body", read: requests::http_body, examples: &[] },
    Reader { name: "network", read: files::network, examples: &[("tests/networks", "onnx")] },
    Reader { name: "solution", read: files::solution, examples: &[] },
    Reader { name: "store", read: files::store, examples: &[] },
];

/// The reader of this name; the targets ask for theirs.
pub fn reader(name: &str) -> Option<fn(&[u8])> {
    READERS.iter().find(|reader| reader.name == name).map(|reader| reader.read)
}

#[cfg(test)]
mod tests;
