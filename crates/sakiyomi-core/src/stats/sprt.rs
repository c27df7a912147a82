//! The sequential test that decides when a match may stop.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Tally, expected_score};

/// A sequential test of H0, "the Elo difference is `elo0`", against H1, "it is `elo1`".
///
/// The log-likelihood ratio of the games so far is compared with two bounds after each game or
/// each pair of games, and the test stops at the first bound that is reached. H1 is then accepted
/// under H0 with a probability of about `alpha` at most, and H0 under H1 of about `beta` at most.
///
/// [`Sprt::new`] and reading with serde check the values, and the guarantees of the methods hold
/// for values that pass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedSprt")]
pub struct Sprt {
    pub elo0: f64,
    pub elo1: f64,
    pub alpha: f64,
    pub beta: f64,
}

/// One of the two hypotheses of an [`Sprt`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hypothesis {
    /// The Elo difference is `elo0`.
    H0,
    /// The Elo difference is `elo1`.
    H1,
}

/// Why the values of an [`Sprt`] make no test.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SprtError {
    #[error(
        "elo0 = {elo0} and elo1 = {elo1} must be numbers from -{limit} to {limit}",
        limit = Sprt::ELO_LIMIT
    )]
    EloOutOfRange { elo0: f64, elo1: f64 },
    #[error("elo0 = {elo0} must be less than elo1 = {elo1}, for example elo0 = 0 and elo1 = 5")]
    EloOrder { elo0: f64, elo1: f64 },
    #[error(
        "alpha = {alpha}, the risk of accepting H1 under H0, must be greater than 0 and less than \
         0.5, for example 0.05"
    )]
    Alpha { alpha: f64 },
    #[error(
        "beta = {beta}, the risk of accepting H0 under H1, must be greater than 0 and less than \
         0.5, for example 0.05"
    )]
    Beta { beta: f64 },
}

impl Sprt {
    /// The largest Elo difference a hypothesis may have, which expects one point lost in 10^10.
    pub const ELO_LIMIT: f64 = 4000.0;

    /// A test with checked values: `elo0 < elo1`, both within [`Sprt::ELO_LIMIT`], and both error
    /// rates greater than 0 and less than one half.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        // The comparisons are written so that NaN fails them.
        let in_range = |elo: f64| elo.abs() <= Self::ELO_LIMIT;
        let is_risk = |risk: f64| risk > 0.0 && risk < 0.5;
        if !(in_range(elo0) && in_range(elo1)) {
            return Err(SprtError::EloOutOfRange { elo0, elo1 });
        }
        if elo0 >= elo1 {
            return Err(SprtError::EloOrder { elo0, elo1 });
        }
        if !is_risk(alpha) {
            return Err(SprtError::Alpha { alpha });
        }
        if !is_risk(beta) {
            return Err(SprtError::Beta { beta });
        }
        Ok(Self { elo0, elo1, alpha, beta })
    }

    /// Wald's bounds of the log-likelihood ratio: H0 is accepted at the first, H1 at the second.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of H1 to H0 for games that are independent of each other. It is
    /// always finite, and 0 without games.
    pub fn llr_trinomial(&self, tally: &Tally) -> f64 {
        self.log_likelihood_ratio(&[tally.losses, tally.draws, tally.wins])
    }

    /// The log-likelihood ratio of H1 to H0 for pairs of games, which may depend on each other
    /// within a pair, as two games from one opening do. It is always finite, and 0 without pairs.
    ///
    /// `pairs` counts the pairs with 0, 1/2, 1, 3/2 and 2 points.
    pub fn llr_pentanomial(&self, pairs: &[u64; 5]) -> f64 {
        self.log_likelihood_ratio(pairs)
    }

    /// The hypothesis that this log-likelihood ratio accepts, or `None` if the test goes on.
    pub fn verdict(&self, llr: f64) -> Option<Hypothesis> {
        let (lower, upper) = self.bounds();
        if llr >= upper {
            Some(Hypothesis::H1)
        } else if llr <= lower {
            Some(Hypothesis::H0)
        } else {
            None
        }
    }

    /// The generalised log-likelihood ratio for counts of outcomes whose scores are evenly spaced
    /// from 0 to 1: each hypothesis is as likely as the likeliest distribution that has its
    /// expected score.
    fn log_likelihood_ratio<const OUTCOMES: usize>(&self, counts: &[u64; OUTCOMES]) -> f64 {
        if counts.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let weights = counts.map(|count| if count == 0 { UNSEEN_WEIGHT } else { count as f64 });
        let total: f64 = weights.iter().sum();
        let shares = weights.map(|weight| weight / total);
        total * (log_likelihood_loss(&shares, self.elo0) - log_likelihood_loss(&shares, self.elo1))
    }
}

/// What an outcome that has not been seen counts, as in fishtest. With it every expected score is
/// possible, so that a likelihood is never zero.
const UNSEEN_WEIGHT: f64 = 1e-3;

/// An [`Sprt`] as read, before it is checked.
#[derive(Deserialize)]
#[serde(rename = "Sprt")]
struct UncheckedSprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

impl TryFrom<UncheckedSprt> for Sprt {
    type Error = SprtError;

    fn try_from(sprt: UncheckedSprt) -> Result<Self, SprtError> {
        Self::new(sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta)
    }
}

/// How much log-likelihood per observation is lost by the constraint that the expected score is
/// that of `elo`.
///
/// With `a` the score of an outcome and `s` the expected one, the likeliest distribution under the
/// constraint has the probability `share / (1 + x(a - s))` for one multiplier `x`.
fn log_likelihood_loss<const OUTCOMES: usize>(shares: &[f64; OUTCOMES], elo: f64) -> f64 {
    let deviations = deviations(elo);
    let multiplier = multiplier(shares, &deviations);
    let loss = |(share, deviation): (&f64, &f64)| {
        // A probability is at most 1, so the denominator is at least the share. Rounding can break
        // that for a tiny share, where the logarithm could become infinite.
        share * (multiplier * deviation).ln_1p().max(share.ln())
    };
    shares.iter().zip(&deviations).map(loss).sum()
}

/// The score of each outcome minus the score that is expected at this Elo difference.
fn deviations<const OUTCOMES: usize>(elo: f64) -> [f64; OUTCOMES] {
    // Both expectations are computed, so that the deviation at a full point keeps its digits when
    // the expected score is next to 1.
    let (expected, expected_missing) = (expected_score(elo), expected_score(-elo));
    let last = (OUTCOMES - 1) as f64;
    std::array::from_fn(|index| {
        let gained = index as f64 / last;
        let missed = (OUTCOMES - 1 - index) as f64 / last;
        gained * expected_missing - missed * expected
    })
}

/// The root `x` of `sum(share * deviation / (1 + x * deviation))`.
///
/// The sum falls from plus to minus infinity between the two poles that keep all probabilities
/// positive. Newton's steps are taken where they stay in the bracket, and halves of it elsewhere.
fn multiplier<const OUTCOMES: usize>(
    shares: &[f64; OUTCOMES],
    deviations: &[f64; OUTCOMES],
) -> f64 {
    const MAX_STEPS: usize = 200;
    let mut low = -1.0 / deviations[OUTCOMES - 1];
    let mut high = -1.0 / deviations[0];
    let mut root = 0.0;
    for _ in 0..MAX_STEPS {
        let (mut value, mut slope) = (0.0, 0.0);
        for (share, deviation) in shares.iter().zip(deviations) {
            let term = deviation / (1.0 + root * deviation);
            value += share * term;
            slope -= share * term * term;
        }
        if value == 0.0 {
            return root;
        }
        if value > 0.0 {
            low = root;
        } else {
            high = root;
        }
        let newton = root - value / slope;
        let next = if newton > low && newton < high { newton } else { low + (high - low) / 2.0 };
        if (next - root).abs() <= f64::EPSILON * root.abs().max(1.0) {
            return next;
        }
        root = next;
    }
    root
}

#[cfg(test)]
mod tests {
    use serde::de::value::{Error as ValueError, MapDeserializer};

    use super::*;
    use crate::stats::tests::{assert_close, tally};

    fn sprt(elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05).expect("the test's values are in order")
    }

    #[test]
    fn sprt_checks_its_values() {
        let nan = f64::NAN;
        assert!(Sprt::new(0.0, 5.0, 0.05, 0.05).is_ok());
        assert!(Sprt::new(-Sprt::ELO_LIMIT, Sprt::ELO_LIMIT, 1e-9, 0.499).is_ok());
        for (elo0, elo1) in [(5.0, 0.0), (1.0, 1.0)] {
            let error = Sprt::new(elo0, elo1, 0.05, 0.05);
            assert_eq!(error, Err(SprtError::EloOrder { elo0, elo1 }));
        }
        for (elo0, elo1) in [(nan, 5.0), (0.0, nan), (0.0, f64::INFINITY), (-4001.0, 0.0)] {
            let error = Sprt::new(elo0, elo1, 0.05, 0.05);
            assert!(matches!(error, Err(SprtError::EloOutOfRange { .. })));
        }
        for risk in [0.0, 0.5, -0.1, 5.0, nan] {
            let alpha = Sprt::new(0.0, 5.0, risk, 0.05);
            assert!(matches!(alpha, Err(SprtError::Alpha { .. })));
            let beta = Sprt::new(0.0, 5.0, 0.05, risk);
            assert!(matches!(beta, Err(SprtError::Beta { .. })));
        }
        let message = SprtError::EloOutOfRange { elo0: 0.0, elo1: 9000.0 }.to_string();
        assert_eq!(message, "elo0 = 0 and elo1 = 9000 must be numbers from -4000 to 4000");
    }

    #[test]
    fn sprt_is_checked_when_read() {
        let read = |alpha: f64| {
            let fields = [("elo0", 0.0), ("elo1", 5.0), ("alpha", alpha), ("beta", 0.1)];
            Sprt::deserialize(MapDeserializer::<_, ValueError>::new(fields.into_iter()))
        };
        assert_eq!(read(0.05), Ok(Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.1 }));
        assert!(read(0.7).is_err_and(|error| error.to_string().contains("alpha = 0.7")));
    }

    /// The bounds at 5 % are fishtest's well-known -2.94 and 2.94, which are
    /// `math.log(0.05 / 0.95)` and `math.log(0.95 / 0.05)`.
    #[test]
    fn sprt_stops_at_its_bounds() {
        let test = sprt(0.0, 5.0);
        let (lower, upper) = test.bounds();
        assert_close(lower, -2.9444389791664403, 1e-14);
        assert_close(upper, 2.9444389791664403, 1e-14);
        assert_eq!(test.verdict(upper), Some(Hypothesis::H1));
        assert_eq!(test.verdict(lower), Some(Hypothesis::H0));
        assert_eq!(test.verdict(2.94), None);
        assert_eq!(test.verdict(-2.94), None);
        let uneven = Sprt::new(0.0, 5.0, 0.01, 0.2).expect("the values are in order");
        let (lower, upper) = uneven.bounds();
        assert_close(lower, (0.2f64 / 0.99).ln(), 1e-14);
        assert_close(upper, 80f64.ln(), 1e-14);
    }

    /// mpmath: bisection of the equation for the multiplier. All but the last two, which are too
    /// extreme for them, agree to a relative 1e-11 with three other computations:
    /// `scipy.optimize.brentq` on the equation, fishtest's formula for `LLR_logistic`, and the
    /// likelihood itself, maximised by `scipy.optimize.minimize_scalar` over the draw probabilities
    /// that allow the expected score.
    #[test]
    fn trinomial_llr_matches_mpmath_and_scipy() {
        let expected = [
            (tally(40, 120, 30), 0.0, 5.0, 0.337717676843117),
            (tally(400, 1200, 300), 0.0, 5.0, 3.37717676843117),
            (tally(280, 0, 220), 0.0, 20.0, 2.6259167895790445),
            (tally(1, 0, 0), 0.0, 5.0, 0.014287371438330195),
            (tally(0, 1, 0), 0.0, 5.0, -0.01150010629610199),
            (tally(0, 100, 0), 0.0, 5.0, -1.4419061648166516),
            (tally(100, 0, 0), 0.0, 10.0, 2.8368151761108855),
            (tally(0, 0, 100), 0.0, 10.0, -2.9196475552223116),
            (tally(250_000, 600_000, 150_000), 0.0, 2.0, 1399.1596893971284),
            (tally(1_000_000, 0, 0), 0.0, 2.0, 5739.894392360233),
            (tally(1_000_000_000_000_000, 0, 0), -5.0, 5.0, 28_782_313_662_425.57),
            (tally(40, 120, 30), -4000.0, 4000.0, 245.1717689067357),
        ];
        for (tally, elo0, elo1, llr) in expected {
            assert_close(sprt(elo0, elo1).llr_trinomial(&tally), llr, 1e-11);
        }
    }

    /// As for the trinomial ratio, but the likelihood itself is maximised by Newton's method with
    /// numpy over the three free parameters. `scipy.optimize.minimize` with the two constraints and
    /// `method="trust-constr"` agrees in the first, second and fourth case, and does not converge
    /// in those with a single kind of outcome.
    #[test]
    fn pentanomial_llr_matches_mpmath_and_scipy() {
        let expected = [
            ([10, 50, 100, 60, 12], 0.0, 5.0, 0.35934987636760735),
            ([98, 4752, 10_123, 5035, 112], 0.5, 2.5, 2.992866702716258),
            ([0, 0, 50, 0, 0], 0.0, 5.0, -0.7176058361124835),
            ([0, 3, 5, 4, 0], -3.0, 1.0, 0.042129276526417604),
            ([0, 0, 0, 0, 7], 0.0, 5.0, 0.10004160399868603),
            ([0, 0, 0, 0, 1], 0.0, 5.0, 0.014315849412829824),
            ([0, 0, 0, 0, 1_000_000], 0.0, 5.0, 14287.607736300279),
            ([200_000, 1_000_000, 2_500_000, 1_020_000, 201_000], 0.0, 2.0, -98.91940084699014),
        ];
        for (pairs, elo0, elo1, llr) in expected {
            assert_close(sprt(elo0, elo1).llr_pentanomial(&pairs), llr, 1e-11);
        }
    }

    #[test]
    fn llr_is_zero_without_games_and_always_finite() {
        assert_eq!(sprt(0.0, 5.0).llr_trinomial(&Tally::default()), 0.0);
        assert_eq!(sprt(0.0, 5.0).llr_pentanomial(&[0; 5]), 0.0);
        let counts = [0, 1, 1000, 1_000_000_000_000, u64::MAX / 4];
        let limit = Sprt::ELO_LIMIT;
        let tests = [(0.0, 1e-9), (0.0, 5.0), (-limit, limit), (-limit, -3999.0), (3999.0, limit)];
        for (elo0, elo1) in tests {
            for wins in counts {
                for draws in counts {
                    for losses in counts {
                        let test = sprt(elo0, elo1);
                        assert!(test.llr_trinomial(&tally(wins, draws, losses)).is_finite());
                        let pairs = [losses, 0, draws, wins, 0];
                        assert!(test.llr_pentanomial(&pairs).is_finite());
                    }
                }
            }
        }
    }

    #[test]
    fn llr_changes_sign_with_the_side() {
        let mut random = Random(7);
        for _ in 0..500 {
            let [elo0, width] = [random.below(200) as f64 - 100.0, 1.0 + random.below(30) as f64];
            let (test, mirrored) = (sprt(elo0, elo0 + width), sprt(-elo0 - width, -elo0));
            let results = tally(random.below(90), random.below(90), random.below(90));
            let sum = test.llr_trinomial(&results) + mirrored.llr_trinomial(&results.mirrored());
            assert!(sum.abs() < 1e-10, "{sum} for {results:?}");
            let pairs = [(); 5].map(|()| random.below(40));
            let mut reversed = pairs;
            reversed.reverse();
            let sum = test.llr_pentanomial(&pairs) + mirrored.llr_pentanomial(&reversed);
            assert!(sum.abs() < 1e-10, "{sum} for {pairs:?}");
        }
    }

    /// The generator SplitMix64 by Steele, Lea and Flood.
    struct Random(u64);

    impl Random {
        fn unit(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        }

        fn below(&mut self, bound: u64) -> u64 {
            (self.unit() * bound as f64) as u64
        }

        /// The half points of one game at this Elo difference and share of draws.
        fn game(&mut self, elo: f64, draws: f64) -> usize {
            let (win, unit) = (expected_score(elo) - draws / 2.0, self.unit());
            if unit < win {
                2
            } else if unit < win + draws {
                1
            } else {
                0
            }
        }
    }

    /// The share of tests that accept H1 when the Elo difference is `elo`.
    fn share_accepting_h1(test: &Sprt, elo: f64, draws: f64, in_pairs: bool) -> f64 {
        const RUNS: u32 = 3000;
        let mut random = Random(1);
        let mut accepted = 0;
        for _ in 0..RUNS {
            let (mut games, mut pairs) = ([0u64; 3], [0u64; 5]);
            let verdict = loop {
                let (first, second) = (random.game(elo, draws), random.game(elo, draws));
                games[first] += 1;
                games[second] += 1;
                pairs[first + second] += 1;
                let llr = if in_pairs {
                    test.llr_pentanomial(&pairs)
                } else {
                    test.llr_trinomial(&tally(games[2], games[1], games[0]))
                };
                if let Some(verdict) = test.verdict(llr) {
                    break verdict;
                }
            };
            accepted += u32::from(verdict == Hypothesis::H1);
        }
        f64::from(accepted) / f64::from(RUNS)
    }

    #[test]
    fn sprt_keeps_its_error_rates() {
        // One standard deviation of a rate of 0.05 in 3000 runs is 0.004, and the bound three of
        // them above it.
        for (in_pairs, draws) in [(false, 0.3), (true, 0.6)] {
            let test = sprt(0.0, 40.0);
            let false_h1 = share_accepting_h1(&test, 0.0, draws, in_pairs);
            let false_h0 = 1.0 - share_accepting_h1(&test, 40.0, draws, in_pairs);
            assert!(false_h1 <= 0.062 && false_h0 <= 0.062, "{false_h1} and {false_h0}");
            // A test that hardly ever errs would stop too late.
            assert!(false_h1 >= 0.03 && false_h0 >= 0.03, "{false_h1} and {false_h0}");
        }
    }
}
