//! Exact statements about a share of successes, on the tails of the binomial law.
//!
//! Binomial probabilities follow C. Loader, "Fast and accurate computation of binomial
//! probabilities" (2000), whose relative error stays small for any number of games; differences of
//! log-gamma values would lose half of the digits at a million games.

use std::f64::consts::{LN_2, PI};

use super::Interval;

/// Clopper and Pearson's interval for a share of successes, which covers the true share with at
/// least the given `confidence`; `[0, 1]` for `n = 0`.
///
/// The bounds are the beta quantiles at which the observed count is just in the upper respectively
/// lower tail of probability `(1 - confidence)/2`. They are found on the binomial tail itself.
///
/// # Panics
///
/// If there are more successes than trials, or `confidence` is not strictly between 0 and 1.
pub fn clopper_pearson(successes: u64, n: u64, confidence: f64) -> Interval {
    assert!(successes <= n, "{successes} successes in {n} trials: there cannot be more than {n}");
    assert!(
        confidence > 0.0 && confidence < 1.0,
        "a confidence of {confidence} must be strictly between 0 and 1, for example 0.95"
    );
    if n == 0 {
        return Interval::UNKNOWN_SHARE;
    }
    let tail = (1.0 - confidence) / 2.0;
    // With no success, or no failure, the tail is the n-th power of a share.
    let ln_root = tail.ln() / n as f64;
    let low = match successes {
        0 => 0.0,
        _ if successes == n => ln_root.exp(),
        _ => logistic(-logit_of_lower_tail(n - successes, n, tail)),
    };
    let high = match successes {
        0 => -ln_root.exp_m1(),
        _ if successes == n => 1.0,
        _ => logistic(logit_of_lower_tail(successes, n, tail)),
    };
    Interval { low, high }
}

/// The exact two-sided p-value of numbers of wins and losses when both are equally likely; draws say
/// nothing and are left out. It is 1 without games.
///
/// A p-value below the smallest number of type `f64`, about 5e-324, is 0.
pub fn sign_test(wins: u64, losses: u64) -> f64 {
    let (fewer, more) = (wins.min(losses), wins.max(losses));
    // The two tails then meet or overlap.
    if more - fewer <= 1 {
        return 1.0;
    }
    let games = fewer + more;
    if fewer == 0 {
        return (1.0 - games as f64).exp2();
    }
    let tail = LowerTail::new(fewer, games, 0.0);
    (tail.ln_probability + LN_2).exp().min(1.0)
}

/// The exact two-sided p-value of a number of successes in `n` trials when each succeeds with the
/// probability `share`: the probability of all counts that are at most as likely as this one. It is 1
/// without trials. At a share of one half this is [`sign_test`].
///
/// # Panics
///
/// If there are more successes than trials, or `share` is not strictly between 0 and 1.
pub fn binomial_test(successes: u64, n: u64, share: f64) -> f64 {
    assert!(successes <= n, "{successes} successes in {n} trials: there cannot be more than {n}");
    assert!(share > 0.0 && share < 1.0, "a share of {share} must be strictly between 0 and 1");
    if share == 0.5 {
        return sign_test(successes, n - successes);
    }
    let logit = (share / (1.0 - share)).ln();
    let expected = share * n as f64;
    if successes as f64 > expected {
        return both_tails(n - successes, n, n as f64 - expected, -logit);
    }
    both_tails(successes, n, expected, logit)
}

/// [`binomial_test`] of not more successes than expected.
fn both_tails(successes: u64, n: u64, expected: f64, logit: f64) -> f64 {
    // Counts that are equally likely must not be told apart by rounding.
    const ROUNDING: f64 = 1e-7;
    if n == 0 || successes as f64 == expected {
        return 1.0;
    }
    let bound = ln_probability(successes, n, logit) + ROUNDING;
    // Above the expectation counts become less likely one by one: the first that is unlikely enough
    // lies between these two.
    let (mut low, mut high) = (expected.ceil() as u64, n + 1);
    while low < high {
        let middle = low.midpoint(high);
        match ln_probability(middle, n, logit) <= bound {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    let upper = if low > n { 0.0 } else { lower_tail(n - low, n, -logit) };
    (lower_tail(successes, n, logit) + upper).min(1.0)
}

/// The logarithm of the probability of exactly this number of successes.
fn ln_probability(successes: u64, n: u64, logit: f64) -> f64 {
    match successes {
        0 => n as f64 * logistic(-logit).ln(),
        _ if successes == n => n as f64 * logistic(logit).ln(),
        _ => ln_binomial_probability(successes as f64, (n - successes) as f64, logit),
    }
}

/// The probability of at most this number of successes, which must not be more than expected.
fn lower_tail(successes: u64, n: u64, logit: f64) -> f64 {
    match successes {
        0 => ln_probability(0, n, logit).exp(),
        _ => LowerTail::new(successes, n, logit).ln_probability.exp(),
    }
}

/// The probability of at most some number of successes, in the lower tail of a binomial law.
struct LowerTail {
    /// The logarithm of the probability, which does not underflow.
    ln_probability: f64,
    /// How often the probability of the last term, the largest one, is contained in the tail.
    multiple_of_last: f64,
}

impl LowerTail {
    /// The tail of `0 < successes < n`, which must not be more than expected, for a probability of
    /// success that is given by its logit.
    fn new(successes: u64, n: u64, logit: f64) -> Self {
        // The terms fall from the last one down at least as fast as a normal density, so that a few
        // multiples of the square root of n are enough.
        let odds_against = (-logit).exp();
        let mut left = successes as f64;
        let mut failures = (n - successes) as f64;
        let mut term = 1.0;
        let mut sum = 0.0;
        while term > sum * (f64::EPSILON / 16.0) {
            sum += term;
            failures += 1.0;
            term *= left / failures * odds_against;
            left -= 1.0;
        }
        let ln_last = ln_binomial_probability(successes as f64, (n - successes) as f64, logit);
        Self { ln_probability: ln_last + sum.ln(), multiple_of_last: sum }
    }
}

/// The logit of the probability of success at which at most `successes` of `n` have the probability
/// `tail`, which is less than one half, for `0 < successes < n`.
fn logit_of_lower_tail(successes: u64, n: u64, tail: f64) -> f64 {
    const MAX_STEPS: usize = 100;
    let failures = (n - successes) as f64;
    let newton_step = |logit: f64| {
        let lower = LowerTail::new(successes, n, logit);
        let slope = failures * logistic(logit) / lower.multiple_of_last;
        (lower.ln_probability - tail.ln()) / slope
    };
    // The logarithm of the tail falls and is concave in the logit. Where all is as expected the
    // tail is at least one half, so the first of Newton's steps from there goes beyond the root,
    // and all others come back towards it until rounding is all that is left.
    let observed = (successes as f64 / failures).ln();
    let mut logit = observed + newton_step(observed);
    for _ in 0..MAX_STEPS {
        let next = logit + newton_step(logit);
        if next >= logit {
            break;
        }
        logit = next;
    }
    logit
}

/// The logarithm of the binomial probability of numbers of successes and failures, both positive, by
/// Loader's saddle-point expansion.
fn ln_binomial_probability(successes: f64, failures: f64, logit: f64) -> f64 {
    let n = successes + failures;
    let corrections = stirling_error(n) - stirling_error(successes) - stirling_error(failures);
    let deviances =
        deviance(successes, n * logistic(logit)) + deviance(failures, n * logistic(-logit));
    corrections - deviances + 0.5 * (n / (2.0 * PI * successes * failures)).ln()
}

/// `count * ln(count/expected) + expected - count`, without cancellation where both are close.
fn deviance(count: f64, expected: f64) -> f64 {
    let difference = count - expected;
    let ratio = difference / (count + expected);
    if ratio.abs() >= 0.1 {
        return count * (count / expected).ln() - difference;
    }
    // The logarithm is twice the inverse hyperbolic tangent of the ratio.
    let mut sum = difference * ratio;
    let mut power = 2.0 * count * ratio;
    let mut divisor = 1.0;
    loop {
        power *= ratio * ratio;
        divisor += 2.0;
        let next = sum + power / divisor;
        if next == sum {
            return sum;
        }
        sum = next;
    }
}

/// The logarithm of `n!` minus Stirling's formula for it, for a positive whole number.
fn stirling_error(n: f64) -> f64 {
    if n < 16.0 {
        let factorial: f64 = (1..=n as u32).map(f64::from).product();
        return factorial.ln() - ((n + 0.5) * n.ln() - n + 0.5 * (2.0 * PI).ln());
    }
    let square = n * n;
    let tail = 1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / (1188.0 * square)) / square;
    (1.0 / 12.0 - (1.0 / 360.0 - tail / square) / square) / n
}

/// The probability whose logit this is.
fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::tests::{assert_close, assert_interval, tally};

    /// mpmath: bisection of `sum(binomial(n, j) p^j (1-p)^(n-j), j <= k) = (1 - confidence)/2` and
    /// of its mirror image. `scipy.stats.binomtest(k, n).proportion_ci(confidence, "exact")` agrees
    /// to an absolute 5e-13 in all of them.
    #[test]
    fn clopper_pearson_matches_mpmath_and_scipy() {
        let expected = [
            (280, 500, 0.95, 0.5152439389690651, 0.6040425887961992),
            (280, 500, 0.999999, 0.4498220154736297, 0.6662777240008395),
            (1, 1, 0.95, 0.025, 1.0),
            (0, 1, 0.95, 0.0, 0.975),
            (0, 10, 0.95, 0.0, 0.30849710781876083),
            (10, 10, 0.95, 0.6915028921812392, 1.0),
            (3, 10, 0.95, 0.06673951117773447, 0.6524528500599973),
            (5, 10, 0.99, 0.12831055393508325, 0.8716894460649167),
            (0, 1_000_000, 0.95, 0.0, 3.688872650206489e-06),
            (1, 1_000_000, 0.95, 2.5317807663794178e-08, 5.571630655172244e-06),
            (3, 1_000_000, 0.95, 6.186725501906399e-07, 8.767247788145223e-06),
            (560_000, 1_000_000, 0.95, 0.5590264268570181, 0.5609732255899315),
            (999_999, 1_000_000, 0.95, 0.9999944283693448, 0.9999999746821924),
            (0, 10_000_000, 0.95, 0.0, 3.6888787737224387e-07),
            (5_000_000, 10_000_000, 0.95, 0.4996900525213711, 0.5003099474786289),
        ];
        for (successes, n, confidence, low, high) in expected {
            // At a confidence of 0.999999 the difference to 1 has only ten digits left.
            let relative = if confidence > 0.99 { 1e-11 } else { 1e-14 };
            assert_interval(clopper_pearson(successes, n, confidence), low, high, relative);
        }
        assert_eq!(clopper_pearson(0, 0, 0.95), Interval { low: 0.0, high: 1.0 });
    }

    #[test]
    fn clopper_pearson_contains_the_share_at_any_confidence() {
        for n in [1, 2, 3, 10, 101, 100_000] {
            for successes in [0, 1, n / 3, n / 2, n - 1, n] {
                for confidence in [1e-9, 0.5, 0.95, 1.0 - 1e-15] {
                    let Interval { low, high } = clopper_pearson(successes, n, confidence);
                    let share = successes as f64 / n as f64;
                    assert!(0.0 <= low && low <= share && share <= high && high <= 1.0);
                    let mirrored = clopper_pearson(n - successes, n, confidence);
                    assert!((mirrored.low - (1.0 - high)).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "strictly between 0 and 1")]
    fn clopper_pearson_rejects_a_percentage() {
        clopper_pearson(1, 2, 95.0);
    }

    /// mpmath: `2 * sum(binomial(n, j), j <= min(wins, losses)) / 2^n`. The relative difference to
    /// `scipy.stats.binomtest(wins, n).pvalue` is at most 2e-12 up to a million games.
    #[test]
    fn sign_test_matches_mpmath_and_scipy() {
        let expected = [
            (280, 220, 0.008261421816982497),
            (7, 3, 0.34375),
            (60, 40, 0.05688793364098079),
            (700, 300, 1.7665678007950136e-37),
            (1000, 0, 1.8665272370064378e-301),
            (500, 1500, 1.474397522976895e-115),
            (502_000, 498_000, 6.360933750082489e-05),
            (510_000, 490_000, 5.5443632876992246e-89),
            (515_000, 485_000, 9.452406252571584e-198),
            (500_100_000, 499_900_000, 2.540148359754567e-10),
        ];
        for (wins, losses, p) in expected {
            assert_close(sign_test(wins, losses), p, 1e-12);
            assert_eq!(tally(wins, 99, losses).sign_test(), sign_test(losses, wins));
        }
    }

    /// mpmath with 50 digits: the sum of `binomial(n, j) share^j (1 - share)^(n - j)` over all j for
    /// which that is at most as large as for the observed count.
    /// `scipy.stats.binomtest(k, n, share).pvalue` agrees.
    #[test]
    fn binomial_test_matches_mpmath_and_scipy() {
        let third = 1.0 / 3.0;
        let expected = [
            (120, 300, third, 0.016773360741067785),
            (0, 10, third, 0.037003166861420175),
            (10, 10, third, 1.6935087808430275e-05),
            (1, 10, third, 0.18061271147690902),
            (6, 10, third, 0.09390506189774593),
            (284, 484, third, 5.6291533963685054e-30),
            (150, 500, third, 0.11759330818304227),
            (85, 100, 0.9, 0.09628404792835744),
            (2, 6, 0.2, 0.34464000000000006),
            (400, 1000, third, 1.0784598869618679e-05),
            (3, 4, 0.25, 0.05078125),
            (1700, 5000, third, 0.3221702351846691),
        ];
        for (successes, n, share, p) in expected {
            assert_close(binomial_test(successes, n, share), p, 1e-11);
        }
        assert_eq!(binomial_test(0, 0, third), 1.0);
        assert_eq!(binomial_test(3, 9, third), 1.0);
        assert_eq!(binomial_test(7, 10, 0.5), sign_test(7, 3));
    }

    /// A player of three who wins 4 of 10 games does not lose, and one who wins half of 100 is strong.
    #[test]
    fn with_three_players_a_third_is_even() {
        assert_eq!(tally(100, 7, 200).sign_test_of(3), 1.0);
        assert!(tally(100, 7, 200).sign_test() < 1e-8);
        assert!(tally(50, 0, 50).sign_test_of(3) < 0.001);
        assert_eq!(tally(50, 0, 50).sign_test_of(2), 1.0);
    }

    #[test]
    fn sign_test_is_exact_at_the_edges() {
        assert_eq!(sign_test(0, 0), 1.0);
        assert_eq!(sign_test(1, 0), 1.0);
        assert_eq!(sign_test(0, 2), 0.5);
        assert_eq!(sign_test(5, 0), 0.0625);
        assert_eq!(sign_test(500_000, 500_000), 1.0);
        assert_eq!(sign_test(500_000, 499_999), 1.0);
        assert_eq!(tally(0, 50, 0).sign_test(), 1.0);
        assert_eq!(sign_test(1_000_000, 0), 0.0);
        assert_eq!(sign_test(999_999, 1), 0.0);
        // The p-value just below one of an even number of games is 1 - binomial(n, n/2) / 2^n.
        assert_close(sign_test(6, 4), 0.75390625, 1e-14);
    }
}
