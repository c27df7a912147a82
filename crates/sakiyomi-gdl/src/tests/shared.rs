//! Data of tests that is not part of the project. The folder that holds it is named by
//! `SAKIYOMI_SHARED`; tests that need it are skipped without it, and say so even where the output
//! of tests is captured.

use std::env;
use std::io::Write;
use std::path::PathBuf;

const VARIABLE: &str = "SAKIYOMI_SHARED";

/// The folder, or a line on standard error that says that the test is skipped.
pub(crate) fn shared_data(test: &str) -> Option<PathBuf> {
    let folder = env::var_os(VARIABLE).map(PathBuf::from);
    if folder.is_none() {
        tell(&format!("skipped: {test} needs {VARIABLE}"));
    }
    folder
}

/// Written past the capture of test output.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Sums up whether this crate's tests were all run.
#[test]
fn tests_that_need_shared_data_are_told() {
    match env::var_os(VARIABLE) {
        Some(folder) => {
            let folder = PathBuf::from(folder);
            assert!(folder.is_dir(), "{VARIABLE} = {} is no folder", folder.display());
            tell(&format!("{VARIABLE} is set: no test of sakiyomi-gdl was skipped for want of it"));
        }
        None => {
            tell(&format!(
                "{VARIABLE} is not set: tests of sakiyomi-gdl that need it were skipped"
            ));
        }
    }
}
