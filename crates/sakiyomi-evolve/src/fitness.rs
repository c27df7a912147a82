//! How fair the games of a genome were, as one number from 0 to 1.

use serde::{Deserialize, Serialize};

use crate::Evidence;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fitness {
    /// The paper's: 1 - (|win rate of the first - win rate of the second| + draw rate), which is
    /// twice the smaller win rate. It is 0 wherever one side never wins.
    Paper,
    /// Slopes everywhere: half of the balance comes from the estimates of the last states, so that
    /// a side that always wins but ever more narrowly is seen to improve. Draws cost as much as in
    /// the paper's, but less if they were nearly won.
    Graded,
}

impl std::str::FromStr for Fitness {
    type Err = String;
    fn from_str(name: &str) -> Result<Fitness, String> {
        match name {
            "paper" => Ok(Fitness::Paper),
            "graded" => Ok(Fitness::Graded),
            _ => Err("expected paper or graded".to_owned()),
        }
    }
}

impl Fitness {
    /// Of one judge's games; 0 without games.
    pub fn of(self, evidence: &Evidence) -> f64 {
        let n = evidence.games();
        if n == 0 {
            return 0.0;
        }
        match self {
            Fitness::Paper => {
                2.0 * evidence.tally.wins.min(evidence.tally.losses) as f64 / n as f64
            }
            Fitness::Graded => {
                let score = evidence.tally.score().unwrap_or(0.5);
                let soft = (score + evidence.mean(evidence.estimates)) / 2.0;
                let balance = 1.0 - (2.0 * soft - 1.0).abs();
                balance * (1.0 - evidence.mean(evidence.evenness))
            }
        }
    }

    /// Of several judges: half of it is the mean and half the worst, since a map should be fair for
    /// all of them.
    pub fn of_all(self, judges: &[Evidence]) -> f64 {
        let each = || judges.iter().map(|evidence| self.of(evidence));
        let mean = each().sum::<f64>() / judges.len().max(1) as f64;
        let worst = each().fold(f64::INFINITY, f64::min);
        if judges.is_empty() { 0.0 } else { (mean + worst) / 2.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::stats::Tally;

    fn evidence(wins: u64, draws: u64, losses: u64, estimate: f64) -> Evidence {
        let tally = Tally { wins, draws, losses };
        let n = tally.games() as f64;
        Evidence { tally, estimates: estimate * n, evenness: draws as f64, ..Evidence::default() }
    }

    /// 1 - (|w1 - w2| + d), written out.
    #[test]
    fn the_papers_formula_is_twice_the_smaller_win_rate() {
        for (wins, draws, losses) in
            [(50, 0, 50), (100, 0, 0), (0, 100, 0), (30, 20, 50), (1, 98, 1)]
        {
            let share = |n: u64| n as f64 / 100.0;
            let paper = 1.0 - ((share(wins) - share(losses)).abs() + share(draws));
            let found = Fitness::Paper.of(&evidence(wins, draws, losses, 0.5));
            assert!((found - paper).abs() < 1e-12, "{wins}-{draws}-{losses}: {found} {paper}");
        }
    }

    #[test]
    fn graded_fitness_slopes_where_the_papers_is_flat() {
        let graded = |wins, draws, losses, estimate| {
            Fitness::Graded.of(&evidence(wins, draws, losses, estimate))
        };
        assert!(graded(100, 0, 0, 0.6) > graded(100, 0, 0, 0.9));
        assert!(graded(50, 0, 50, 0.5) > graded(40, 20, 40, 0.5));
        assert!(graded(30, 40, 30, 0.5) > graded(0, 100, 0, 0.5));
        let nearly_won = Evidence { evenness: 60.0, ..evidence(0, 100, 0, 0.5) };
        assert!(Fitness::Graded.of(&nearly_won) > graded(0, 100, 0, 0.5));
        assert!((graded(50, 0, 50, 0.5) - 1.0).abs() < 1e-12);
        assert_eq!(Fitness::Graded.of(&Evidence::default()), 0.0);
    }

    #[test]
    fn the_worst_judge_counts_half() {
        let judges = [evidence(50, 0, 50, 0.5), evidence(100, 0, 0, 0.9)];
        assert_eq!(Fitness::Paper.of_all(&judges), 0.25);
        assert_eq!(Fitness::Paper.of_all(&[]), 0.0);
    }
}
