//! The papers with the experiments that repeat their tables and figures.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::api::{ApiError, PaperEntry, PartEntry};
use super::lab::Shared;
use super::queues::Kind;
use crate::report::{PAPERS, Paper, PaperPart};
use crate::shipped;

pub(super) async fn papers(State(lab): State<Shared>) -> Result<Json<Vec<PaperEntry>>, ApiError> {
    let shared = Arc::clone(&lab);
    let work = move || {
        let results =
            shipped::results().iter().map(|result| (result.id.clone(), result.repeats.clone()));
        // Where the folder of experiments cannot be read there is still what came with the program.
        let experiments = shared.experiments().unwrap_or_default().into_iter();
        let experiments =
            experiments.map(|experiment| (experiment.id, experiment.repeats.unwrap_or_default()));
        let known: BTreeMap<String, String> = results.chain(experiments).collect();
        Ok(PAPERS.iter().map(|paper| PaperEntry::new(paper, &known)).collect())
    };
    lab.work(Kind::Reading, work).await.map(Json)
}

impl PaperEntry {
    /// With its experiments among those that are known, by their ids with what they repeat.
    fn new(paper: &'static Paper, known: &BTreeMap<String, String>) -> PaperEntry {
        let is_same = |found: &Paper| found.key == paper.key;
        let ids = |part: &PaperPart| {
            let is_of = |repeats: &str| {
                Paper::repeated(repeats)
                    .is_some_and(|(found, its)| is_same(found) && its.name == part.name)
            };
            let found = known.iter().filter(|(_, repeats)| is_of(repeats));
            let mut ids: Vec<String> = found.map(|(id, _)| id.clone()).collect();
            ids.sort_by_key(|id| !id.ends_with("-as-written"));
            ids
        };
        let is_added = |id: &str, repeats: &str| {
            Paper::repeated(repeats).is_none() && Paper::of_topic(id).is_some_and(is_same)
        };
        let part = |part: &PaperPart| PartEntry {
            label: part.label.clone(),
            title: part.title.clone(),
            remark: part.remark.clone(),
            is_measured: part.is_measured,
            printed: part.printed.clone(),
            experiments: ids(part),
        };
        PaperEntry {
            key: paper.key.clone(),
            title: paper.title.clone(),
            authors: paper.authors.clone(),
            year: paper.year.clone(),
            venue: paper.venue.clone(),
            found: paper.found.clone(),
            parts: paper.parts.iter().map(part).collect(),
            added: known
                .iter()
                .filter(|(id, repeats)| is_added(id, repeats))
                .map(|(id, _)| id.clone())
                .collect(),
        }
    }
}
