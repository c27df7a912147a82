//! Where experiments are looked for by their ids.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sakiyomi_core::Fault;

use super::{Experiment, ExperimentError};

/// Experiments by their ids.
#[derive(Clone, Debug)]
pub enum Library {
    /// The files of a folder.
    Folder(PathBuf),
    /// Files that a program brings along: their names and texts.
    Shipped(Arc<[(String, String)]>),
}

impl Library {
    /// All experiments, in the order of the names of their files.
    pub fn all(&self) -> Result<Vec<Experiment>, ExperimentError> {
        let mut experiments: Vec<Experiment> = Vec::new();
        let mut add = |experiment: Experiment| {
            if let Some(other) = experiments.iter().find(|other| other.id == experiment.id) {
                let (id, file) = (&other.id, other.file.display());
                let message = format!("the id `{id}` is that of {file} too");
                return Err(ExperimentError::File { file: experiment.file, message });
            }
            experiments.push(experiment);
            Ok(())
        };
        match self {
            Library::Folder(folder) => {
                toml_files(folder)?.iter().try_for_each(|file| add(Experiment::load(file)?))?;
            }
            Library::Shipped(files) => files
                .iter()
                .try_for_each(|(name, text)| add(Experiment::read(Path::new(name), text)?))?,
        }
        Ok(experiments)
    }

    /// The experiments of these names. A name that ends with .toml is a file, and `all` is the
    /// whole library.
    pub fn find(&self, ids: &[String]) -> Result<Vec<Experiment>, FindError> {
        let is_file = |id: &&String| id.ends_with(".toml");
        let mut found = Vec::new();
        let listed = match ids.iter().all(|id| is_file(&id)) {
            true => Vec::new(),
            false => self.all()?,
        };
        for id in ids {
            if is_file(&id) {
                found.push(Experiment::load(Path::new(id))?);
            } else if id == "all" {
                found.extend(listed.iter().cloned());
            } else {
                let known: Vec<&str> = listed.iter().map(|known| known.id.as_str()).collect();
                let experiment = listed.iter().find(|known| known.id == *id);
                found.push(experiment.cloned().ok_or_else(|| FindError::Unknown {
                    id: id.clone(),
                    library: self.to_string(),
                    known: known.join(", "),
                })?);
            }
        }
        Ok(found)
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Library::Folder(folder) => write!(f, "{}", folder.display()),
            Library::Shipped(_) => f.write_str("this program"),
        }
    }
}

/// Whether a folder has files that could be experiments.
pub fn has_experiments(folder: &Path) -> bool {
    toml_files(folder).is_ok_and(|files| !files.is_empty())
}

fn toml_files(folder: &Path) -> Result<Vec<PathBuf>, ExperimentError> {
    let entries = fs::read_dir(folder).map_err(|error| ExperimentError::File {
        file: folder.to_owned(),
        message: format!("experiments cannot be listed: {error}"),
    })?;
    let is_toml = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "toml");
    let mut files: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(is_toml).collect();
    files.sort();
    Ok(files)
}

/// Why an experiment is not found.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    #[error("no experiment in {library} is called `{id}`; known: {known}")]
    Unknown { id: String, library: String, known: String },
}

impl Fault for FindError {}
