//! The error of a board whose size cannot be played.

use std::error::Error;
use std::fmt;

/// A board that cannot be played: which one, and what would be possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeError {
    pub game: &'static str,
    pub width: usize,
    pub height: usize,
    /// What a size has to satisfy.
    pub possible: String,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SizeError { game, width, height, possible } = self;
        write!(f, "{game} on {width}x{height}: {possible}")
    }
}

impl Error for SizeError {}
