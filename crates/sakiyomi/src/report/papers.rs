//! The papers that are repeated: what they are called, what they found, and their tables and figures in
//! their own order (`papers.toml`). The page and the reports tell results along them.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// All papers, in the order in which they are told.
pub static PAPERS: LazyLock<Vec<Paper>> = LazyLock::new(|| {
    let file: File =
        toml::from_str(include_str!("../../papers.toml")).expect("a test reads the file");
    file.paper
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    paper: Vec<Paper>,
}

/// A text in the languages of the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Words {
    pub en: String,
    pub ja: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// One word for addresses.
    pub key: String,
    /// The authors as experiments name them.
    pub names: String,
    /// What the ids of its experiments begin with.
    pub topics: Vec<String>,
    pub title: Words,
    pub authors: Words,
    /// As far as it is known.
    pub year: Words,
    /// Where it appeared, if that is known.
    pub venue: Option<Words>,
    /// What it found, in one sentence.
    pub found: Words,
    #[serde(rename = "part")]
    pub parts: Vec<PaperPart>,
}

/// A table, a figure or a section of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperPart {
    /// As experiments name it.
    pub name: String,
    /// As a heading: `Table 1`.
    pub label: Words,
    pub title: Words,
    /// What a reader should know of it, in one sentence.
    pub remark: Words,
    /// False of settings, rules and matches that cannot be played again.
    #[serde(default = "yes")]
    pub is_measured: bool,
    /// The paper's own numbers, where no experiment has them.
    pub printed: Option<PrintedTable>,
}

fn yes() -> bool {
    true
}

/// A table as a paper has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct PrintedTable {
    pub columns: Vec<Words>,
    pub rows: Vec<PrintedRow>,
}

/// A row with its name in both languages.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct PrintedRow {
    pub en: String,
    pub ja: String,
    pub cells: Vec<String>,
}

impl Paper {
    /// The paper and its part that an experiment names as what it repeats: `Kato, Miwa .., table 1`.
    pub fn repeated(repeats: &str) -> Option<(&'static Paper, &'static PaperPart)> {
        PAPERS.iter().find_map(|paper| {
            let part = repeats.strip_prefix(&paper.names)?.strip_prefix(", ")?;
            Some((paper, paper.parts.iter().find(|known| known.name == part)?))
        })
    }

    /// The paper to which an experiment that repeats nothing adds something.
    pub fn of_topic(id: &str) -> Option<&'static Paper> {
        let topic = id.split('-').next()?;
        PAPERS.iter().find(|paper| paper.topics.iter().any(|known| known == topic))
    }

    /// Authors, title, year and place in one line.
    pub fn reference(&self) -> String {
        let venue = self.venue.as_ref().map_or_else(String::new, |venue| format!("; {}", venue.en));
        format!("{}: {} ({}{venue})", self.authors.en, self.title.en, self.year.en)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use sakiyomi_eval::experiment::{Experiment, Library};

    use super::*;

    fn experiments() -> Vec<Experiment> {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments"));
        let folders = [folder.to_owned(), folder.join("public")];
        folders.into_iter().flat_map(|folder| Library::Folder(folder).all().unwrap()).collect()
    }

    #[test]
    fn every_experiment_repeats_a_part_that_is_known() {
        for experiment in experiments() {
            let Some(repeats) = &experiment.repeats else { continue };
            let known = Paper::repeated(repeats);
            assert!(
                known.is_some(),
                "{}: papers.toml does not know `{repeats}`; add the part, or name one of its parts",
                experiment.file.display()
            );
            // Its id tells the same paper, so that it is found under it by either.
            let (paper, _) = known.unwrap();
            let of_topic = Paper::of_topic(&experiment.id).map(|paper| &paper.key);
            assert_eq!(of_topic, Some(&paper.key), "{}", experiment.id);
        }
    }

    #[test]
    fn papers_and_parts_can_be_told_apart_and_tables_are_whole() {
        let keys: HashSet<&str> = PAPERS.iter().map(|paper| paper.key.as_str()).collect();
        assert_eq!((keys.len(), PAPERS.len()), (5, 5));
        for paper in PAPERS.iter() {
            let names: HashSet<&str> = paper.parts.iter().map(|part| part.name.as_str()).collect();
            assert_eq!(names.len(), paper.parts.len(), "{}: a part is there twice", paper.key);
            for table in paper.parts.iter().filter_map(|part| part.printed.as_ref()) {
                let width = table.columns.len();
                let wrong = table.rows.iter().find(|row| row.cells.len() != width);
                assert!(wrong.is_none(), "{}: {wrong:?} has not {width} cells", paper.key);
            }
        }
    }

    #[test]
    fn what_is_repeated_is_found_by_its_whole_name() {
        let found =
            |repeats| Paper::repeated(repeats).map(|(paper, part)| (&*paper.key, &*part.name));
        assert_eq!(found("Shimura and Yamaguchi, table 1"), Some(("hagetaka", "table 1")));
        assert_eq!(found("Shimura and Yamaguchi, table 9"), None);
        assert_eq!(found("Author 2012, table 3"), None);
        assert_eq!(Paper::of_topic("experience-other-games").map(|paper| &*paper.key), Some("gdl"));
        assert!(Paper::of_topic("classics-tuned").is_none());
    }
}
