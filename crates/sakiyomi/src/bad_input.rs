//! Input that makes no sense, where no other error says so.

use std::io::{self, Write};

use sakiyomi_catalog::printable;
use sakiyomi_core::Fault;

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BadInput(pub(crate) String);

impl Fault for BadInput {}

/// Tells on standard error what is odd about the input, though it can be used.
pub(crate) fn warn(text: &str) {
    // If standard error is closed, nothing can be told.
    let _ = writeln!(io::stderr(), "warning: {}", printable(text));
}
