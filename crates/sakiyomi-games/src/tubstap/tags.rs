//! The text form that maps and replays share: `KEY[value]` with `;` after a group of them.
//!
//! The original joins all lines, splits at `;` and looks for `KEY[` anywhere. Here a key counts only at
//! the start of a line or group, or right after a value, so a comment cannot be taken for a key.

use encoding_rs::SHIFT_JIS;

/// What is wrong with a file, and in which line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct FileError {
    /// Counted from 1; none if the fault is that something is missing.
    pub line: Option<usize>,
    pub message: String,
}

impl FileError {
    pub(super) fn at(line: usize, message: impl Into<String>) -> FileError {
        FileError { line: Some(line), message: message.into() }
    }

    pub(super) fn whole(message: impl Into<String>) -> FileError {
        FileError { line: None, message: message.into() }
    }
}

/// Warnings beyond this number are not kept.
const MAX_WARNINGS: usize = 100;

/// What is odd about a file but does not matter, as texts with their lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings(Vec<FileError>);

impl Warnings {
    pub(super) fn add(&mut self, warning: FileError) {
        if self.0.len() < MAX_WARNINGS {
            self.0.push(warning);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &FileError> {
        self.0.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) key: String,
    /// Line ends inside are left out.
    pub(super) value: String,
    pub(super) line: usize,
    /// Whether its `]` was found before the next `;`.
    pub(super) is_closed: bool,
}

/// Text out of bytes: UTF-8 if it is that, with or without a byte order mark, or else Shift_JIS.
pub(super) fn decode(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => SHIFT_JIS.decode_without_bom_handling(bytes).0.into_owned(),
    }
}

pub(super) fn tags(text: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut line = 1;
    let mut may_start = true;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if may_start && first.is_ascii_alphabetic() {
            let is_of_key = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let key = &rest[..rest.find(|c| !is_of_key(c)).unwrap_or(rest.len())];
            rest = &rest[key.len()..];
            if let Some(after) = rest.strip_prefix('[') {
                let end = after.find([']', ';']).unwrap_or(after.len());
                let is_closed = after[end..].starts_with(']');
                let value = after[..end].replace(['\r', '\n'], "");
                tags.push(Tag { key: key.to_owned(), value, line, is_closed });
                line += after[..end].matches('\n').count();
                rest = &after[end + usize::from(is_closed)..];
            } else {
                may_start = false;
            }
            continue;
        }
        line += usize::from(first == '\n');
        may_start = matches!(first, '\n' | ';') || may_start && first.is_whitespace();
        rest = &rest[first.len_utf8()..];
    }
    tags
}

/// The numbers of a value, separated by commas; `n` of them if that is given.
pub(super) fn numbers(tag: &Tag, n: Option<usize>) -> Result<Vec<i64>, FileError> {
    let parts = tag.value.split(',').map(str::trim);
    let numbers = parts.map(|part| number(tag, part)).collect::<Result<Vec<_>, _>>()?;
    match n {
        Some(n) if numbers.len() != n => {
            let found = numbers.len();
            Err(FileError::at(tag.line, format!("{}[] has {found} numbers, not {n}", tag.key)))
        }
        _ => Ok(numbers),
    }
}

pub(super) fn number(tag: &Tag, text: &str) -> Result<i64, FileError> {
    text.trim().parse().map_err(|_| {
        let shown: String = text.chars().take(20).collect();
        FileError::at(tag.line, format!("{}[]: `{shown}` is not a whole number", tag.key))
    })
}

/// A text as it may stand in a value: without what would end it.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ']' | ';' | '\r' | '\n')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_inside_comments_are_not_keys() {
        let text = "# notes on MAP[9]\nSIZEX[8] ;SIZEY[7];\nMAPCOM[see MAP[1,1] or UNIT[2]; x MAP[3];\nMAP[0,\r\n1];";
        let found: Vec<_> =
            tags(text).into_iter().map(|tag| (tag.key, tag.value, tag.line)).collect();
        let expected =
            [("SIZEX", "8", 2), ("SIZEY", "7", 2), ("MAPCOM", "see MAP[1,1", 3), ("MAP", "0,1", 4)];
        let expected = expected.map(|(key, value, line)| (key.to_owned(), value.to_owned(), line));
        assert_eq!(found, expected);
    }

    #[test]
    fn shift_jis_is_recognised() {
        // The second byte of the second character is the byte of `]`.
        let bytes = b"MAPCOM[\x83\x7d\x83\x5d];";
        assert_eq!(tags(&decode(bytes))[0].value, "マゾ");
        assert_eq!(decode("\u{feff}城".as_bytes()), "城");
    }
}
