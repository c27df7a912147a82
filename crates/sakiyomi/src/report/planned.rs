//! An experiment that was never run, as a report: what is to be played, beside the paper's numbers.

use sakiyomi_catalog::AgentSpec;
use sakiyomi_eval::Counted;
use sakiyomi_eval::experiment::{Experiment, Scale, Verdict};

use super::{CellReport, ClaimReport, ExperimentReport, layouts};
use crate::figures::Content;

impl ExperimentReport {
    /// The report of an experiment without games.
    pub fn planned(experiment: &Experiment, scale: Scale) -> anyhow::Result<ExperimentReport> {
        let cells = experiment.cells(scale).iter().map(|cell| {
            let games = cell.balanced_games()?;
            Ok(CellReport::new(cell, Counted::default(), games))
        });
        let cells = cells.collect::<anyhow::Result<Vec<CellReport>>>()?;
        let claim = |claim: &sakiyomi_eval::experiment::Claim| ClaimReport {
            text: claim.text.clone(),
            verdict: Verdict::NotRun,
        };
        let mut agents = experiment.cells(scale).iter().flat_map(|cell| cell.task.agents());
        let mut report = ExperimentReport {
            id: experiment.id.clone(),
            title: experiment.title.clone(),
            kind: experiment.kind(),
            repeats: experiment.repeats.clone(),
            notes: experiment.notes.clone(),
            scale: scale.to_string(),
            games_done: 0,
            games: cells.iter().map(|cell| cell.games_wanted).sum(),
            claims: experiment.claims.iter().map(claim).collect(),
            command: format!("sakiyomi run {} --scale {scale}", experiment.id),
            engines: Vec::new(),
            repeatable: agents.all(AgentSpec::is_repeatable),
            machines: Vec::new(),
            seconds: 0.0,
            figure: None,
            layout: experiment.layout.clone(),
            record: None,
            cells,
        };
        // A figure without values is worth showing only if it has the paper's.
        report.figure = layouts::figure(&report).filter(
            |figure| matches!(&figure.content, Content::Bars { bars, .. } if !bars.is_empty()),
        );
        Ok(report)
    }
}
