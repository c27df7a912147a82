//! The documents themselves: where they are, how wide they are, and that their links lead somewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The documents of the project, relative to its root: those of the root and all of `docs`.
pub(crate) fn documents() -> Vec<PathBuf> {
    let root = fs::canonicalize(ROOT).unwrap();
    let mut found = Vec::new();
    collect(&root, false, &mut found);
    collect(&root.join("docs"), true, &mut found);
    found.sort();
    found.iter().map(|path| path.strip_prefix(&root).unwrap().to_owned()).collect()
}

fn collect(folder: &Path, is_deep: bool, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if is_deep => collect(&path, true, found),
            false if path.extension().is_some_and(|it| it == "md") => found.push(path),
            _ => {}
        }
    }
}

fn read(document: &Path) -> String {
    fs::read_to_string(Path::new(ROOT).join(document)).unwrap()
}

/// The files of the project to which a document links, relative to its root.
fn links(document: &Path) -> Vec<PathBuf> {
    let text = read(document);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    let folder = document.parent().unwrap();
    files.map(|target| folder.join(target.split('#').next().unwrap())).collect()
}

/// Lines of documents can be read in any window. Rules of games are paragraphs, as the page reads them.
#[test]
fn documents_are_wrapped() {
    let mut long = Vec::new();
    let is_wrapped = |document: &PathBuf| !document.starts_with("docs/reference/rules");
    for document in documents().into_iter().filter(is_wrapped) {
        let mut is_code = false;
        for (number, line) in read(&document).lines().enumerate() {
            is_code ^= line.starts_with("```");
            // A command or a link stays in one piece.
            let may_be_long = is_code || line.starts_with('|') || line.contains("](");
            let prose: usize = line.split('`').step_by(2).map(|part| part.chars().count()).sum();
            if !may_be_long && prose > 100 {
                long.push(format!("{}:{}", document.display(), number + 1));
            }
        }
    }
    assert!(long.is_empty(), "lines of more than 100 characters:\n{}", long.join("\n"));
}

#[test]
fn links_lead_to_files() {
    let lost = |document: &PathBuf| {
        let gone = links(document).into_iter().filter(|file| !Path::new(ROOT).join(file).exists());
        gone.map(|file| format!("{}: {}", document.display(), file.display())).collect::<Vec<_>>()
    };
    let lost: Vec<String> = documents().iter().flat_map(lost).collect();
    assert!(lost.is_empty(), "links to files that are not there:\n{}", lost.join("\n"));
}

/// Every page of the three parts can be reached from the index, and no page is outside of them.
#[test]
fn the_index_names_every_page() {
    let index: BTreeSet<PathBuf> = links(Path::new("docs/README.md")).into_iter().collect();
    let is_missing = |page: &PathBuf| {
        page.starts_with("docs") && page != Path::new("docs/README.md") && !index.contains(page)
    };
    let missing: Vec<PathBuf> = documents().into_iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "docs/README.md does not name {missing:?}");
}
