//! What can be wrong with a rule sheet.

use crate::read::check::Finding;
use crate::read::parse::ParseError;

/// A rule sheet that does not become a game.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GdlError {
    #[error(transparent)]
    Parse(#[from] ParseError),
    #[error("the rules break the language: {}", list(.0))]
    Check(Vec<Finding>),
    #[error("what does not depend on the state needs more than {limit}; the limits are settings")]
    TooManyFacts { limit: String },
    #[error("grounding needs more than {limit}; the limits are settings")]
    TooLarge { limit: String },
    #[error("grounding was stopped")]
    Stopped,
    #[error("`{atom}` depends on its own negation, so the rules have no meaning")]
    NotStratified { atom: String },
    #[error("a proof from the rules nests deeper than {limit} steps")]
    TooDeep { limit: usize },
    #[error("{n} roles; a game has 1 to {max}")]
    Roles { n: usize, max: usize },
    #[error("the piece file, {0}")]
    Picture(#[from] PictureError),
}

/// A piece file that makes no sense: where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct PictureError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl sakiyomi_core::Fault for GdlError {}

impl GdlError {
    /// Line and column of the first thing that is wrong, from 1, if it has a place.
    pub fn place(&self) -> Option<(usize, usize)> {
        match self {
            GdlError::Parse(error) => Some((error.line, error.column)),
            GdlError::Check(findings) => findings.iter().find_map(|f| f.line.zip(f.column)),
            _ => None,
        }
    }
}

fn list(findings: &[Finding]) -> String {
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
