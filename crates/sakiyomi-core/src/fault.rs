//! Whose fault an error is.

use std::error::Error;

/// An error that knows whether what was asked for is wrong. The command line then ends with another
/// exit code, a server answers with another status.
pub trait Fault: Error {
    /// Whether the input is wrong, so that it would fail again; if not, something failed on the
    /// way.
    fn is_input(&self) -> bool {
        true
    }
}
