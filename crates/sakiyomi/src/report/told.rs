//! What a report says of the paper that it repeats: what the paper is, and its table with our numbers in it.

use sakiyomi_eval::experiment::Verdict;

use super::{Block, ExperimentReport, ExperimentResult, Paper, ResultTable, ResultTableCell};
use crate::numbers::score_text;

impl ExperimentReport {
    /// The paper, what it found, and which part of it this is.
    pub(super) fn paper_head(&self) -> Vec<Block> {
        let Some(repeats) = &self.repeats else { return Vec::new() };
        let texts = match Paper::repeated(repeats) {
            Some((paper, part)) => vec![
                format!("{}.", paper.reference()),
                paper.found.en.clone(),
                format!("{}: {}. {}", part.label.en, part.title.en, part.remark.en),
            ],
            None => vec![format!("Repeats: {repeats}.")],
        };
        texts.into_iter().map(Block::Paragraph).collect()
    }

    /// The paper's table with our numbers beside its own, if it has numbers.
    pub(super) fn paper_table(&self) -> Vec<Block> {
        if self.cells.iter().all(|cell| cell.paper_score.is_none()) {
            return Vec::new();
        }
        let table = ResultTable::new(&ExperimentResult::from(self));
        let text =
            |cell: &Option<ResultTableCell>| cell.as_ref().map_or_else(String::new, cell_text);
        let rows = table
            .rows
            .iter()
            .map(|row| [row.name.clone()].into_iter().chain(row.cells.iter().map(text)).collect());
        let legend = "The paper's number → ours [95 %]; what our games say of it:";
        vec![
            Block::Paragraph(legend.to_owned()),
            Block::Table {
                header: [String::new()].into_iter().chain(table.columns).collect(),
                rows: rows.collect(),
            },
        ]
    }
}

/// `0.695 → 0.698 [0.640, 0.751]; agrees`
fn cell_text(cell: &ResultTableCell) -> String {
    let paper =
        cell.paper.map_or_else(String::new, |paper| format!("{} → ", score_text(Some(paper))));
    let ours = match cell.ours {
        Some(ours) => format!("{:.3} [{:.3}, {:.3}]", ours.value, ours.low, ours.high),
        None => "not run yet".to_owned(),
    };
    let verdict =
        cell.verdict.map(Verdict::from).map_or_else(String::new, |verdict| format!("; {verdict}"));
    format!("{paper}{ours}{verdict}")
}
