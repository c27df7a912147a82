//! The results that the program brings along: the files of `results/`, which `sakiyomi report --results` writes.

use std::sync::OnceLock;

use rust_embed::RustEmbed;

use crate::report::ExperimentResult;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../results"]
#[allow_missing = true]
struct Files;

/// All of them, in the order of their ids.
pub(super) fn shipped() -> &'static [ExperimentResult] {
    static SHIPPED: OnceLock<Vec<ExperimentResult>> = OnceLock::new();
    SHIPPED.get_or_init(|| {
        let mut names: Vec<_> = Files::iter().filter(|name| name.ends_with(".json")).collect();
        names.sort();
        // A file that cannot be read is left out; a test reads them all.
        names.iter().filter_map(|name| read(name).ok()).collect()
    })
}

fn read(name: &str) -> Result<ExperimentResult, String> {
    let file = Files::get(name).ok_or_else(|| format!("{name}: is not there"))?;
    serde_json::from_slice(&file.data).map_err(|error| format!("{name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_read_and_has_the_name_of_its_content() {
        let names: Vec<_> = Files::iter().filter(|name| name.ends_with(".json")).collect();
        assert!(!names.is_empty(), "results/ has no files");
        for name in names {
            let result = read(&name).unwrap();
            assert_eq!(result.file_name(), name);
            assert!(result.games_done > 0, "{name} has no games");
            assert!(result.cells.iter().all(|cell| cell.games <= cell.games_wanted), "{name}");
        }
    }
}
