//! What the program brings along, so that it works wherever it is installed: the experiments of
//! `experiments/`, and the results of `results/`, which `sakiyomi report --results` writes.

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rust_embed::{EmbeddedFile, RustEmbed};
use sakiyomi_eval::Store;
use sakiyomi_eval::experiment::{Experiment, Library, Scale, has_experiments};

use crate::report::{ExperimentReport, ExperimentResult};

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/results"]
#[allow_missing = true]
struct ResultFiles;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/experiments"]
#[allow_missing = true]
struct ExperimentFiles;

/// All results, in the order of their ids.
pub fn results() -> &'static [ExperimentResult] {
    static SHIPPED: OnceLock<Vec<ExperimentResult>> = OnceLock::new();
    SHIPPED.get_or_init(|| {
        // A file that cannot be read is left out; a test reads them all.
        names::<ResultFiles>(".json").iter().filter_map(|name| read(name).ok()).collect()
    })
}

/// The result of one experiment.
pub fn result(id: &str, scale: Scale) -> Option<&'static ExperimentResult> {
    let scale = scale.to_string();
    results().iter().find(|result| result.id == id && result.scale == scale)
}

/// The experiments of the folder that was named; without one those of `experiments` in the current
/// folder, and if there are none, those that the program brings along.
pub fn library(named: Option<&Path>) -> Library {
    let here = Path::new("experiments");
    match named {
        Some(folder) => Library::Folder(folder.to_owned()),
        None if has_experiments(here) => Library::Folder(here.to_owned()),
        None => Library::Shipped(experiments()),
    }
}

/// What is known of an experiment: the games of a store or those that the program brings along,
/// whichever are more.
pub fn report(
    experiment: &Experiment,
    scale: Scale,
    store: Option<&Store>,
) -> anyhow::Result<ExperimentReport> {
    let done = experiment.done(scale, store)?;
    match (result(&experiment.id, scale), store) {
        (Some(result), _) if result.games_done > done.games_done => {
            Ok(ExperimentReport::shipped(experiment, scale, result))
        }
        (_, Some(store)) => ExperimentReport::new(experiment, scale, store),
        (_, None) => Ok(ExperimentReport::empty(experiment, scale)?),
    }
}

fn experiments() -> Arc<[(String, String)]> {
    let text = |name: &String| {
        let file = ExperimentFiles::get(name)?;
        Some((name.clone(), String::from_utf8(file.data.into_owned()).ok()?))
    };
    names::<ExperimentFiles>(".toml").iter().filter_map(text).collect()
}

/// The files of the folder itself: what `experiments/public` has needs rule sheets that are not ours.
fn names<Files: RustEmbed>(ending: &str) -> Vec<String> {
    let is_one = |name: &Cow<'static, str>| name.ends_with(ending) && !name.contains('/');
    let mut names: Vec<String> = Files::iter().filter(is_one).map(String::from).collect();
    names.sort();
    names
}

fn read(name: &str) -> Result<ExperimentResult, String> {
    let file: EmbeddedFile =
        ResultFiles::get(name).ok_or_else(|| format!("{name}: is not there"))?;
    serde_json::from_slice(&file.data).map_err(|error| format!("{name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::to_markdown;

    #[test]
    fn every_result_can_be_read_and_has_the_name_of_its_content() {
        let names = names::<ResultFiles>(".json");
        assert!(!names.is_empty(), "results/ has no files");
        for name in names {
            let result = read(&name).unwrap();
            assert_eq!(result.file_name(), name);
            assert!(result.games_done > 0, "{name} has no games");
            assert!(result.cells.iter().all(|cell| cell.games <= cell.games_wanted), "{name}");
        }
    }

    #[test]
    fn every_experiment_of_the_repository_is_part_of_the_program() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments");
        let ids = |library: Library| -> Vec<String> {
            library.all().unwrap().into_iter().map(|experiment| experiment.id).collect()
        };
        let own = ids(Library::Shipped(experiments()));
        assert!(own.len() > 40, "{own:?}");
        assert_eq!(own, ids(library(Some(Path::new(folder)))));
    }

    /// A report of a shipped result has every number of its file.
    #[test]
    fn shipped_results_are_reported_with_their_numbers() {
        let all = Library::Shipped(experiments()).all().unwrap();
        let mut n_cells = 0;
        for result in results() {
            let scale: Scale = result.scale.parse().unwrap();
            let experiment = all.iter().find(|experiment| experiment.id == result.id).unwrap();
            let report = report(experiment, scale, None).unwrap();
            assert!(report.is_shipped && report.games_done == result.games_done);
            for cell in result.cells.iter().filter(|cell| cell.games > 0) {
                let own = report.cells.iter().find(|own| own.name == cell.name);
                let Some(own) = own else { panic!("{}: {} is lost", result.id, cell.name) };
                n_cells += 1;
                let counts = (own.tally.wins, own.tally.draws, own.tally.losses);
                assert_eq!(counts, (cell.all.wins, cell.all.draws, cell.all.losses));
                assert_eq!(own.games, cell.games, "{}: {}", result.id, cell.name);
                assert_eq!(own.verdict.map(Into::into), cell.all.verdict, "{}", cell.name);
            }
            let text = to_markdown(&report.blocks());
            assert!(text.contains("came with the program"), "{text}");
            let figure = report.figure.map(|figure| figure.content);
            assert_eq!(figure, result.figure);
        }
        assert!(n_cells > 100, "{n_cells}");
    }
}
