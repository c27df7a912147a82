//! What a paper reports of a cell, and whether our games agree with it.
//!
//! A paper's score comes from games and has an error like ours, so that "agrees" is a statement about
//! two samples: the 95 % interval of the difference between our score and the paper's contains 0.
//! It says something only if that interval is narrow; otherwise, and with fewer games than a claim needs,
//! there are not enough games. Where it does not contain 0, but our games too show who is stronger, by
//! less than the paper's, they agree, but the effect is smaller.

use sakiyomi_core::stats::{Tally, Z95, bounded_mean_interval};

use super::claim::Verdict;
use super::evidence::Estimate;

/// What a paper reports of a cell: counts, per seat if it says so, or only a score.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaperNumbers {
    pub score: f64,
    pub tally: Option<Tally>,
    pub seats: Vec<Tally>,
    /// The games that the score is of.
    pub games: Option<u64>,
    /// The score that it prints for the other side of a pair, which need not be 1 minus the first.
    pub turned: Option<f64>,
}

impl PaperNumbers {
    /// A score without counts.
    pub(super) fn of_score(score: f64, games: Option<u64>) -> PaperNumbers {
        PaperNumbers { score, games, ..PaperNumbers::default() }
    }

    /// The score with its interval, if the paper says how many games it is of.
    pub fn estimate(&self) -> Option<Estimate> {
        let interval = match (self.tally, self.games) {
            (Some(tally), _) => tally.interval(),
            (None, Some(games)) => bounded_mean_interval(self.score, games, Z95),
            (None, None) => return None,
        };
        Some(Estimate::within((self.score, interval)))
    }

    /// Whether our games of the whole cell agree; nothing if we have none, or the paper does not say
    /// how many it has.
    pub fn judge(&self, ours: &Tally) -> Option<Verdict> {
        judge(ours, &self.estimate()?)
    }

    /// Whether our games of one seat agree, if the paper tells the seats apart.
    pub fn judge_seat(&self, seat: usize, ours: &Tally) -> Option<Verdict> {
        let paper = self.seats.get(seat)?;
        judge(ours, &Estimate::within((paper.score()?, paper.interval())))
    }
}

fn judge(ours: &Tally, paper: &Estimate) -> Option<Verdict> {
    let n_games = ours.games();
    let ours = Estimate::within((ours.score()?, ours.interval()));
    let difference = ours.minus(paper);
    Some(if n_games < Verdict::LEAST_GAMES {
        Verdict::NotEnoughGames
    } else if difference.low > 0.0 || difference.high < 0.0 {
        match is_smaller_effect(&ours, paper) {
            true => Verdict::AgreesButSmaller,
            false => Verdict::Differs,
        }
    } else if difference.high - difference.low > 2.0 * Verdict::RESOLUTION {
        Verdict::NotEnoughGames
    } else {
        Verdict::Agrees
    })
}

/// Whether our score is for certain on the paper's side of one half, and nearer to it.
fn is_smaller_effect(ours: &Estimate, paper: &Estimate) -> bool {
    let above = ours.low > 0.5 && ours.value < paper.value;
    let below = ours.high < 0.5 && ours.value > paper.value;
    above || below
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(wins: u64, draws: u64, losses: u64) -> Tally {
        Tally { wins, draws, losses }
    }

    /// Method 10 of Newcombe, "Interval estimation for the difference between independent
    /// proportions" (1998), table II, examples (a), (b) and (c).
    #[test]
    fn the_interval_of_a_difference_is_that_of_newcombe() {
        let estimate = |wins: u64, n: u64| {
            let tally = tally(wins, 0, n - wins);
            Estimate::within((tally.score().unwrap(), tally.interval()))
        };
        for (first, second, low, high) in [
            ((56, 70), (48, 80), 0.0524, 0.3339),
            ((9, 10), (3, 10), 0.1705, 0.8090),
            ((6, 7), (2, 7), 0.0582, 0.8062),
        ] {
            let interval = estimate(first.0, first.1).minus(&estimate(second.0, second.1));
            assert!((interval.low - low).abs() < 5e-5, "{first:?} {second:?}: {interval:?}");
            assert!((interval.high - high).abs() < 5e-5, "{first:?} {second:?}: {interval:?}");
        }
    }

    /// 212 of 400 are 0.530 (0.481 to 0.578): a paper's 0.585 lies outside. If that is of 1,000 games,
    /// the difference is -0.055 (-0.113 to 0.002), worked out with scipy's Wilson intervals.
    #[test]
    fn the_paper_has_an_error_too() {
        let paper = PaperNumbers::of_score(0.585, Some(1000));
        let ours = tally(212, 0, 188);
        assert!(ours.interval().high < paper.score, "our interval alone does not hold it");
        assert_eq!(paper.judge(&ours), Some(Verdict::Agrees));
        assert_eq!(paper.judge(&tally(200, 0, 200)), Some(Verdict::Differs));
        let exact = PaperNumbers::of_score(0.585, Some(100_000_000));
        assert_eq!(exact.judge(&ours), Some(Verdict::Differs));
    }

    #[test]
    fn the_same_direction_with_a_smaller_effect_is_told_apart() {
        let paper = PaperNumbers::of_score(0.8, Some(1000));
        assert_eq!(paper.judge(&tally(260, 0, 140)), Some(Verdict::AgreesButSmaller));
        assert_eq!(paper.judge(&tally(200, 0, 200)), Some(Verdict::Differs), "no direction");
        assert_eq!(paper.judge(&tally(380, 0, 20)), Some(Verdict::Differs), "larger");
        let lost = PaperNumbers::of_score(0.2, Some(1000));
        assert_eq!(lost.judge(&tally(140, 0, 260)), Some(Verdict::AgreesButSmaller));
        assert_eq!(lost.judge(&tally(260, 0, 140)), Some(Verdict::Differs), "the other side");
    }

    #[test]
    fn few_games_give_no_agreement() {
        let paper = PaperNumbers::of_score(0.77, Some(1000));
        assert_eq!(paper.judge(&tally(31, 1, 14)), Some(Verdict::NotEnoughGames));
        assert_eq!(paper.judge(&tally(12, 2, 32)), Some(Verdict::Differs), "few, and far off");
        assert_eq!(
            paper.judge(&tally(0, 0, 29)),
            Some(Verdict::NotEnoughGames),
            "far off, too few"
        );
        assert_eq!(paper.judge(&tally(0, 0, 30)), Some(Verdict::Differs));
        assert_eq!(paper.judge(&Tally::default()), None);
        assert_eq!(PaperNumbers::of_score(0.77, None).judge(&tally(310, 10, 140)), None);
        let seats = vec![tally(40, 0, 0), tally(30, 0, 10)];
        let counted = PaperNumbers { seats, ..PaperNumbers::default() };
        assert_eq!(counted.judge_seat(0, &tally(200, 0, 0)), Some(Verdict::Agrees));
        assert_eq!(counted.judge_seat(0, &tally(150, 0, 50)), Some(Verdict::AgreesButSmaller));
        assert_eq!(counted.judge_seat(1, &tally(150, 0, 50)), Some(Verdict::NotEnoughGames));
        assert_eq!(counted.judge_seat(2, &tally(150, 0, 50)), None);
    }
}
