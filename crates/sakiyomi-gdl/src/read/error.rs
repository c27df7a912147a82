//! What can be wrong with a rule sheet.

use crate::read::check::Finding;
use crate::read::parse::{ParseError, RulePlace};

/// A rule sheet that does not become a game.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GdlError {
    #[error(transparent)]
    Parse(#[from] ParseError),
    #[error("the rules break the language: {}", list(.0))]
    Check(Vec<Finding>),
    #[error("{stage} needs more than {limit}{}; the limits are settings", at(.rule))]
    TooLarge { stage: &'static str, limit: String, rule: Option<RulePlace> },
    #[error("{stage} makes a term of more than {limit} characters{}", at(.rule))]
    LongTerm { stage: &'static str, limit: u64, rule: Option<RulePlace> },
    #[error("compiling the rules was stopped")]
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
    /// Whether the rules need more than they may.
    pub fn is_too_large(&self) -> bool {
        matches!(self, GdlError::TooLarge { .. } | GdlError::LongTerm { .. })
    }

    /// Line and column of the first thing that is wrong, from 1, if it has a place.
    pub fn place(&self) -> Option<(usize, usize)> {
        match self {
            GdlError::Parse(error) => Some((error.line, error.column)),
            GdlError::Check(findings) => findings.iter().find_map(|f| f.line.zip(f.column)),
            GdlError::TooLarge { rule, .. } | GdlError::LongTerm { rule, .. } => {
                rule.as_ref().map(|rule| (rule.line, rule.column))
            }
            _ => None,
        }
    }
}

/// At which rule something happened, as the end of a sentence.
fn at(rule: &Option<RulePlace>) -> String {
    rule.as_ref().map_or_else(String::new, |rule| format!(", at {rule}"))
}

fn list(findings: &[Finding]) -> String {
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
