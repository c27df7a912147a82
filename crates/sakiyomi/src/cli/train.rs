//! `sakiyomi train`, which is written in Python, since networks are taught by PyTorch.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;
use clap::Args;

use super::{BadInput, stop_on_interrupt};

/// Where the Python package says which interpreter it runs in.
const PYTHON: &str = "SAKIYOMI_PYTHON";
/// Ask an interpreter whether it has all that is needed, or what can at least say what is missing.
const CHECKS: [&str; 2] = ["import sakiyomi.train, torch", "import sakiyomi.train"];

/// Teach a network a game; needs Python with this package and PyTorch
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    after_help = "Everything after `train` is handed to `python -m sakiyomi.train`."
)]
pub(super) struct Options {
    /// The game and the options; `sakiyomi train --help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "GAME AND OPTIONS")]
    arguments: Vec<OsString>,
}

/// Hands over to Python, and returns its exit code.
pub(super) fn run(options: &Options) -> anyhow::Result<u8> {
    let python = python().ok_or_else(|| {
        BadInput(
            "`train` needs Python 3.11 or newer with this package and PyTorch: `pip install .` in a clone, and \
             `pip install torch`; SAKIYOMI_PYTHON=PATH names the interpreter if it is not `python3`"
                .to_owned(),
        )
    })?;
    // Ctrl-C reaches the child too, which ends by itself.
    stop_on_interrupt();
    let mut command = Command::new(&python);
    command.args(["-m", "sakiyomi.train"]).args(&options.arguments);
    let status = command.status().with_context(|| python.display().to_string())?;
    Ok(status.code().map_or(1, |code| code as u8))
}

/// The first interpreter that can teach, or print its help.
fn python() -> Option<PathBuf> {
    let named = std::env::var_os(PYTHON).map(PathBuf::from);
    let usual = ["python3", "python"].map(PathBuf::from);
    let all: Vec<PathBuf> = named.into_iter().chain(usual).collect();
    let passes = |python: &PathBuf, check: &str| {
        let asked = Command::new(python).args(["-c", check]).output();
        asked.is_ok_and(|answer| answer.status.success())
    };
    CHECKS.iter().find_map(|check| all.iter().find(|python| passes(python, check)).cloned())
}
