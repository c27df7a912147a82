//! What a player did in a match, told when it is over.

use sakiyomi_catalog::AgentSpec;

/// What came of one search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Searched {
    pub(super) iterations: u64,
    /// What was expected, from 0 to 1.
    pub(super) value: Option<f64>,
    /// Moves of the line that was looked at most.
    pub(super) depth: Option<usize>,
    /// Whether the rules were interpreted.
    pub(super) is_interpreted: bool,
}

/// The decisions of a match.
#[derive(Debug, Default)]
pub(super) struct Account {
    searched: Vec<Searched>,
    /// Moves that followed a line which a solver of puzzles had found.
    n_solved: usize,
}

impl Account {
    pub(super) fn add(&mut self, searched: Option<Searched>) {
        match searched {
            Some(searched) => self.searched.push(searched),
            None => self.n_solved += 1,
        }
    }

    /// One line, unless nothing was to be decided.
    pub(super) fn text(&self, agent: &AgentSpec) -> Option<String> {
        let n = self.searched.len();
        if n + self.n_solved == 0 {
            return None;
        }
        let mut text = format!("played by {agent}: {n} decisions");
        if n > 0 {
            let iterations: u64 = self.searched.iter().map(|one| one.iterations).sum();
            text += &format!(", {iterations} iterations, {} each", iterations / n as u64);
        }
        let depths: Vec<usize> = self.searched.iter().filter_map(|one| one.depth).collect();
        if !depths.is_empty() {
            let (sum, most) = (depths.iter().sum::<usize>(), depths.iter().max().unwrap_or(&0));
            let mean = sum as f64 / depths.len() as f64;
            text += &format!(", main lines of {mean:.1} moves, {most} at most");
        }
        let mut values = self.searched.iter().filter_map(|one| one.value);
        if let Some(first) = values.next() {
            let last = values.next_back().unwrap_or(first);
            text += &format!(", value {:.1} at first, {:.1} at last", 100.0 * first, 100.0 * last);
        }
        match self.searched.iter().filter(|one| one.is_interpreted).count() {
            0 => {}
            n => text += &format!(", {n} with interpreted rules"),
        }
        if self.n_solved > 0 {
            text += &format!(", {} moves of a line that was solved", self.n_solved);
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_told_in_one_line() {
        let agent: AgentSpec = "uct:c=0.7".parse().unwrap();
        let mut account = Account::default();
        assert_eq!(account.text(&agent), None);
        let first =
            Searched { iterations: 100, value: Some(0.5), depth: Some(4), is_interpreted: true };
        account.add(Some(first));
        account.add(Some(Searched {
            iterations: 201,
            value: Some(0.75),
            depth: Some(9),
            is_interpreted: false,
        }));
        assert_eq!(
            account.text(&agent).unwrap(),
            "played by uct:c=0.7: 2 decisions, 301 iterations, 150 each, main lines of 6.5 moves, 9 at \
             most, value 50.0 at first, 75.0 at last, 1 with interpreted rules"
        );
        account.add(None);
        assert!(account.text(&agent).unwrap().ends_with(", 1 moves of a line that was solved"));
    }
}
