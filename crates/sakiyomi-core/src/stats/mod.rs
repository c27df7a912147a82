//! Statistics of match results: how sure a score is, and when a match may stop.
//!
//! - [`Tally`] counts wins, draws and losses, and gives the score, its interval, its sign test and
//!   its [`Elo`] difference.
//! - [`wilson`] and [`clopper_pearson`] are intervals for a share of successes, after E. B. Wilson,
//!   "Probable inference, the law of succession, and statistical inference" (1927), and
//!   C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the
//!   case of the binomial" (1934).
//! - [`mean_interval`] is Student's interval for a mean.
//! - [`sign_test`] is the exact two-sided binomial test against one half, [`binomial_test`] that against
//!   any share.
//! - [`Sprt`] is the generalised sequential probability ratio test (GSPRT) on the expected score,
//!   after M. Van den Bergh's notes as fishtest uses them: the constrained maximum likelihood is
//!   Proposition 1.1 of <https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf>.
//! - [`bradley_terry`] rates several agents by the results of their pairs.
//!
//! Everything here is a pure function of its arguments.

mod binomial;
mod bradley_terry;
mod mean;
mod sprt;

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use binomial::{binomial_test, clopper_pearson, sign_test};
pub use bradley_terry::{PairTally, Rating, bradley_terry};
pub use mean::mean_interval;
pub use sprt::{Hypothesis, Sprt, SprtError};

/// The standard normal quantile of 0.975, which makes a two-sided 95 % interval.
pub const Z95: f64 = 1.959963984540054;

/// A closed range of plausible values; serialised as `[low, high]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "[f64; 2]", from = "[f64; 2]")]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// What is known about a share before anything has been observed.
    const UNKNOWN_SHARE: Self = Self { low: 0.0, high: 1.0 };
}

impl From<Interval> for [f64; 2] {
    fn from(interval: Interval) -> Self {
        [interval.low, interval.high]
    }
}

impl From<[f64; 2]> for Interval {
    fn from([low, high]: [f64; 2]) -> Self {
        Self { low, high }
    }
}

/// The results of a series of games, as one of the two sides sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl Tally {
    /// The number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The mean points per game, a draw being half a point, or `None` without games.
    pub fn score(&self) -> Option<f64> {
        let games = self.games();
        (games > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / games as f64)
    }

    /// The same games as the other side sees them.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// The 95 % interval of the expected score; `[0, 1]` without games.
    ///
    /// This is Wilson's quadratic with the variance of a score that may be a half: with expected
    /// score `p` and draw probability `d`, one game has variance `p(1-p) - d/4`. The bounds solve
    /// `(s - p)^2 = z^2/n * (p(1-p) - d/4)` for the observed score `s`, with `d` estimated as
    /// `draws/(n + z^2)`. The `z^2` pseudo-games without a draw keep a series of draws only from
    /// collapsing to a point. Without draws it is exactly [`wilson`].
    ///
    /// Its exact coverage at 30 and at 60 games is at least 0.929 for all win, draw and loss
    /// probabilities in steps of 0.05 of which neither a win nor a loss is rarer than 0.05. As with
    /// Wilson's interval it is lower next to the ends: 0.812 at 30 games when 95 % are won, 5 % are
    /// drawn and none is lost.
    pub fn interval(&self) -> Interval {
        score_interval(self, Z95)
    }

    /// The p-value of the wins against the losses; see [`sign_test`].
    pub fn sign_test(&self) -> f64 {
        sign_test(self.wins, self.losses)
    }

    /// The p-value of the wins against the losses when one player sits down with `n_players - 1`
    /// others of equal strength, so that it wins one game in `n_players`; see [`binomial_test`].
    ///
    /// Games that it ties with the best are left out, games that two others tie are losses. Where
    /// those occur it wins a little less than its share of the rest, so that a p-value for a strong
    /// player is on the safe side.
    pub fn sign_test_of(&self, n_players: usize) -> f64 {
        match n_players {
            0..=2 => self.sign_test(),
            _ => binomial_test(self.wins, self.wins + self.losses, 1.0 / n_players as f64),
        }
    }

    /// The Elo difference with its 95 % interval, or `None` without games.
    pub fn elo(&self) -> Option<Elo> {
        self.score().map(|score| Elo::from_score(score, self.interval()))
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), Self::add)
    }
}

impl<'a> Sum<&'a Tally> for Tally {
    fn sum<I: Iterator<Item = &'a Tally>>(tallies: I) -> Self {
        tallies.copied().sum()
    }
}

/// Wilson's score interval for a share of successes, at `z` standard deviations; `[0, 1]` for
/// `n = 0`.
///
/// # Panics
///
/// If there are more successes than trials, or `z` is negative or not finite.
pub fn wilson(successes: u64, n: u64, z: f64) -> Interval {
    assert!(successes <= n, "{successes} successes in {n} trials: there cannot be more than {n}");
    score_interval(&Tally { wins: successes, draws: 0, losses: n - successes }, z)
}

/// An Elo difference with its interval; positive numbers favour the side whose score it is.
///
/// A score of 0 or 1 is infinitely far away. JSON has no infinity, so a value that is not finite
/// is serialised as `null` in every format. Reading puts the infinity back: a missing `low` is
/// minus infinity, a missing `high` plus infinity, and a missing `difference` takes the side of
/// the bound that is missing with it. It is an error if that does not name one side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "FiniteElo", try_from = "FiniteElo")]
pub struct Elo {
    pub difference: f64,
    pub low: f64,
    pub high: f64,
}

impl Elo {
    /// The Elo difference that makes this score expected, with the bounds of its interval.
    pub fn from_score(score: f64, interval: Interval) -> Self {
        Self {
            difference: elo_difference(score),
            low: elo_difference(interval.low),
            high: elo_difference(interval.high),
        }
    }
}

/// The logistic Elo difference that makes this score expected: minus infinity for 0, plus infinity
/// for 1.
pub fn elo_difference(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The score that is expected at this logistic Elo difference.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The form of [`Elo`] in files, in which values that are not finite are missing.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename = "Elo")]
struct FiniteElo {
    difference: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
}

/// An Elo difference is missing, and the bounds do not say on which side it is infinite.
#[derive(Clone, Copy, Debug, Error)]
#[error(
    "an Elo difference without a value needs exactly one bound without a value: `low` for minus \
     infinity or `high` for plus infinity"
)]
struct UnknownSide;

impl From<Elo> for FiniteElo {
    fn from(elo: Elo) -> Self {
        let finite = |value: f64| value.is_finite().then_some(value);
        Self { difference: finite(elo.difference), low: finite(elo.low), high: finite(elo.high) }
    }
}

impl TryFrom<FiniteElo> for Elo {
    type Error = UnknownSide;

    fn try_from(elo: FiniteElo) -> Result<Self, UnknownSide> {
        let difference = match (elo.difference, elo.low, elo.high) {
            (Some(difference), _, _) => difference,
            (None, None, Some(_)) => f64::NEG_INFINITY,
            (None, Some(_), None) => f64::INFINITY,
            _ => return Err(UnknownSide),
        };
        Ok(Self {
            difference,
            low: elo.low.unwrap_or(f64::NEG_INFINITY),
            high: elo.high.unwrap_or(f64::INFINITY),
        })
    }
}

/// An interval for the mean of `n` values between 0 and 1 that are otherwise unknown, at `z`
/// standard deviations; `[0, 1]` for `n = 0`. No such values vary more than zeros and ones with the
/// same mean, so this is Wilson's interval of those, and wide for values that vary less.
///
/// # Panics
///
/// If the mean is not between 0 and 1, or `z` is negative or not finite.
pub fn bounded_mean_interval(mean: f64, n: u64, z: f64) -> Interval {
    assert!((0.0..=1.0).contains(&mean), "a mean of {mean} is not between 0 and 1");
    match n {
        0 => Interval::UNKNOWN_SHARE,
        n => interval_around(mean, 4.0 * mean * (1.0 - mean), n as f64, z),
    }
}

/// The interval that [`Tally::interval`] describes, at `z` standard deviations.
fn score_interval(tally: &Tally, z: f64) -> Interval {
    let Some(score) = tally.score() else {
        return Interval::UNKNOWN_SHARE;
    };
    let n = tally.games() as f64;
    let share = |count: u64| count as f64 / n;
    let (wins, draws, losses) = (share(tally.wins), share(tally.draws), share(tally.losses));
    // With d = draws/(n + z^2) the discriminant of the quadratic depends on the draws only through
    // the observed variance, of which this is four times, written as a sum so that it is never
    // negative.
    let variance = 4.0 * wins * losses + draws * (wins + losses);
    interval_around(score, variance, n, z)
}

/// The solution of the quadratic, from four times the observed variance.
fn interval_around(score: f64, variance: f64, n: f64, z: f64) -> Interval {
    assert!(z >= 0.0 && z.is_finite(), "z = {z} must be finite and not negative, for example 1.96");
    let pull = z * z / n;
    let middle = score + pull / 2.0;
    let half_width = (pull * (variance + pull)).sqrt() / 2.0;
    // At the ends a bound is exactly 0 or 1, which rounding must not spoil.
    let low = if score == 0.0 { 0.0 } else { (middle - half_width) / (1.0 + pull) };
    let high = if score == 1.0 { 1.0 } else { (middle + half_width) / (1.0 + pull) };
    Interval { low: low.clamp(0.0, 1.0), high: high.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Reference values come from Python 3.11 with scipy 1.17.1 and mpmath. "mpmath" stands for the
    // defining sum or equation evaluated with at least 50 digits, where scipy keeps too few.

    pub(super) fn tally(wins: u64, draws: u64, losses: u64) -> Tally {
        Tally { wins, draws, losses }
    }

    #[track_caller]
    pub(super) fn assert_close(actual: f64, expected: f64, relative: f64) {
        let error = (actual - expected).abs();
        assert!(error <= relative * expected.abs(), "{actual:e} is not {expected:e}: {error:e}");
    }

    #[track_caller]
    pub(super) fn assert_interval(actual: Interval, low: f64, high: f64, relative: f64) {
        assert_close(actual.low, low, relative);
        assert_close(actual.high, high, relative);
    }

    #[test]
    fn tally_counts_games_and_points() {
        assert_eq!(tally(3, 4, 5).games(), 12);
        assert_eq!(tally(3, 4, 5).score(), Some(5.0 / 12.0));
        assert_eq!(tally(1, 0, 0).score(), Some(1.0));
        assert_eq!(tally(0, 7, 0).score(), Some(0.5));
        assert_eq!(Tally::default().score(), None);
        assert_eq!(tally(3, 4, 5).mirrored(), tally(5, 4, 3));
    }

    #[test]
    fn tallies_add_up() {
        let parts = [tally(1, 2, 3), tally(10, 20, 30), tally(100, 200, 300)];
        let mut total = parts[0] + parts[1];
        total += parts[2];
        assert_eq!(total, tally(111, 222, 333));
        assert_eq!(parts.iter().sum::<Tally>(), total);
        assert_eq!(parts.into_iter().sum::<Tally>(), total);
        assert_eq!(std::iter::empty::<Tally>().sum::<Tally>(), Tally::default());
    }

    /// `scipy.stats.binomtest(k, n).proportion_ci(0.95, "wilson")`.
    #[test]
    fn wilson_matches_scipy() {
        let expected = [
            (280, 500, 0.5161968735863126, 0.602888205558301),
            (0, 10, 0.0, 0.27753279986288926),
            (10, 10, 0.7224672001371109, 1.0),
            (1, 1, 0.20654931437723745, 1.0),
            (3, 10, 0.10779126740630102, 0.6032218525388546),
            (560_000, 1_000_000, 0.559026870818486, 0.5609726682082263),
        ];
        for (successes, n, low, high) in expected {
            assert_interval(wilson(successes, n, Z95), low, high, 1e-14);
        }
        assert_eq!(wilson(0, 0, Z95), Interval { low: 0.0, high: 1.0 });
        assert_eq!(wilson(1, 4, 0.0), Interval { low: 0.25, high: 0.25 });
    }

    #[test]
    #[should_panic(expected = "3 successes in 2 trials")]
    fn wilson_rejects_more_successes_than_trials() {
        wilson(3, 2, Z95);
    }

    /// `scipy.optimize.brentq` on the equation in the documentation of [`Tally::interval`].
    #[test]
    fn score_interval_solves_its_equation() {
        let expected = [
            (tally(40, 120, 30), 0.48250620098945113, 0.5690823500916162),
            (tally(0, 100, 0), 0.48150325089650714, 0.5184967491034929),
            (tally(0, 1, 0), 0.10327465718861872, 0.8967253428113813),
            (tally(1, 1, 0), 0.23604078104671875, 0.9351493327066078),
            (tally(250_000, 600_000, 150_000), 0.5493878087066942, 0.5506118071488995),
        ];
        for (tally, low, high) in expected {
            assert_interval(tally.interval(), low, high, 1e-14);
            assert_interval(tally.mirrored().interval(), 1.0 - high, 1.0 - low, 1e-14);
        }
    }

    #[test]
    fn score_interval_is_wilson_without_draws_and_unknown_without_games() {
        for (wins, losses) in [(280, 220), (0, 9), (9, 0), (1, 0), (0, 1)] {
            assert_eq!(tally(wins, 0, losses).interval(), wilson(wins, wins + losses, Z95));
        }
        assert_eq!(Tally::default().interval(), Interval { low: 0.0, high: 1.0 });
        assert_eq!(tally(5, 0, 0).interval().high, 1.0);
        assert_eq!(tally(0, 0, 5).interval().low, 0.0);
    }

    #[test]
    fn the_interval_of_a_mean_is_that_of_zeros_and_ones() {
        for (ones, n) in [(0, 9), (3, 9), (280, 500), (7, 7)] {
            let Interval { low, high } = wilson(ones, n, Z95);
            assert_interval(
                bounded_mean_interval(ones as f64 / n as f64, n, Z95),
                low,
                high,
                1e-15,
            );
        }
        assert_eq!(bounded_mean_interval(0.5, 0, Z95), Interval { low: 0.0, high: 1.0 });
    }

    /// All outcomes of `n` games, each with its multinomial coefficient's logarithm.
    fn outcomes(games: u64) -> Vec<(Tally, f64)> {
        let ln_factorial = |n: u64| (1..=n).map(|factor| (factor as f64).ln()).sum::<f64>();
        let mut outcomes = Vec::new();
        for wins in 0..=games {
            for draws in 0..=games - wins {
                let losses = games - wins - draws;
                let ln_count = ln_factorial(games)
                    - ln_factorial(wins)
                    - ln_factorial(draws)
                    - ln_factorial(losses);
                outcomes.push((tally(wins, draws, losses), ln_count));
            }
        }
        outcomes
    }

    /// The exact probability that the interval contains the expected score, by enumeration, for
    /// probabilities of a win, a draw and a loss in twentieths.
    fn coverage(outcomes: &[(Tally, f64)], twentieths: [u32; 3]) -> f64 {
        let [win, draw, loss] = twentieths.map(|count| f64::from(count) / 20.0);
        let expected = win + draw / 2.0;
        let ln_power =
            |base: f64, count: u64| if count == 0 { 0.0 } else { count as f64 * base.ln() };
        let probability = |(tally, ln_count): &(Tally, f64)| {
            (ln_count
                + ln_power(win, tally.wins)
                + ln_power(draw, tally.draws)
                + ln_power(loss, tally.losses))
            .exp()
        };
        let contains = |tally: &Tally| {
            let Interval { low, high } = tally.interval();
            low <= expected && expected <= high
        };
        outcomes.iter().filter(|(tally, _)| contains(tally)).map(probability).sum()
    }

    #[test]
    fn score_interval_covers_as_documented() {
        for games in [30, 60] {
            let outcomes = outcomes(games);
            for wins in 1..=19 {
                for losses in 1..=20 - wins {
                    let twentieths = [wins, 20 - wins - losses, losses];
                    let coverage = coverage(&outcomes, twentieths);
                    assert!(coverage >= 0.929, "{coverage} at {twentieths:?} and {games} games");
                }
            }
        }
        assert!((coverage(&outcomes(30), [19, 1, 0]) - 0.8122).abs() < 1e-4);
    }

    /// `400 * math.log10(s / (1 - s))` of the score and of the brentq bounds above.
    #[test]
    fn elo_follows_the_score_and_its_interval() {
        let elo = tally(40, 120, 30).elo().expect("there are games");
        assert_close(elo.difference, 18.30299622427002, 1e-12);
        assert_close(elo.low, -12.16090040786802, 1e-12);
        assert_close(elo.high, 48.3123334557609, 1e-12);
        assert_eq!(tally(0, 100, 0).elo().map(|elo| elo.difference), Some(0.0));
        assert_eq!(Tally::default().elo(), None);
        // The published table of the logistic model: 75 % are 191 Elo, 400 Elo are 10 to 1.
        assert_eq!(elo_difference(0.75).round(), 191.0);
        assert_close(expected_score(400.0), 10.0 / 11.0, 1e-15);
        assert_close(elo_difference(expected_score(-123.0)), -123.0, 1e-13);
    }

    #[test]
    fn elo_of_an_end_is_infinite() {
        let won = tally(5, 0, 0).elo().expect("there are games");
        assert_eq!((won.difference, won.high), (f64::INFINITY, f64::INFINITY));
        // `400 * math.log10(s / (1 - s))` with s = 5 / (5 + 1.959963984540054**2).
        assert_close(won.low, 45.78952891829847, 1e-12);
        let lost = tally(0, 0, 5).elo().expect("there are games");
        assert_eq!((lost.difference, lost.low), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        assert_close(lost.high, -won.low, 1e-12);
    }

    #[test]
    fn elo_leaves_out_infinities_in_files_and_finds_them_again() {
        for tally in [tally(5, 0, 0), tally(0, 0, 5), tally(3, 1, 2), tally(0, 1, 0)] {
            let elo = tally.elo().expect("there are games");
            let written = FiniteElo::from(elo);
            assert_eq!(written.difference.is_none(), elo.difference.is_infinite());
            assert_eq!(written.low.is_none(), elo.low.is_infinite());
            assert_eq!(written.high.is_none(), elo.high.is_infinite());
            assert_eq!(Elo::try_from(written).ok(), Some(elo));
        }
        let nowhere = FiniteElo { difference: None, low: Some(1.0), high: Some(2.0) };
        assert!(Elo::try_from(nowhere).is_err());
        let everywhere = FiniteElo { difference: None, low: None, high: None };
        assert!(Elo::try_from(everywhere).is_err());
    }
}
