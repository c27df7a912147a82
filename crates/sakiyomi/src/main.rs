//! The command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(sakiyomi::cli::run(std::env::args_os()))
}
