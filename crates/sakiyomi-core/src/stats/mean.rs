//! How sure a mean is.

use super::{Interval, Z95};

/// The mean of `n` observations with its 95 % interval by Student's t, from their sum and the sum
/// of their squares; `None` without observations. One observation tells nothing about the spread,
/// so its interval is open to all sides.
pub fn mean_interval(n: u64, sum: f64, squares: f64) -> Option<(f64, Interval)> {
    if n == 0 {
        return None;
    }
    let count = n as f64;
    let mean = sum / count;
    let half = match n {
        1 => f64::INFINITY,
        _ => {
            let variance = (squares / count - mean * mean).max(0.0) * count / (count - 1.0);
            student_t95(n - 1) * (variance / count).sqrt()
        }
    };
    Some((mean, Interval { low: mean - half, high: mean + half }))
}

/// The quantile of 0.975 of Student's t: from a table, and beyond it by the expansion of Cornish
/// and Fisher, which is off by less than 0.0002 there.
fn student_t95(freedom: u64) -> f64 {
    const TABLE: [f64; 9] = [
        12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
        2.262_157,
    ];
    if let Some(known) = TABLE.get(freedom as usize - 1) {
        return *known;
    }
    let (z, n) = (Z95, freedom as f64);
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / n + second / n.powi(2) + third / n.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles as printed in tables of the distribution.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, expected) in
            [(1, 12.7062), (4, 2.7764), (9, 2.2622), (10, 2.2281), (20, 2.0860), (100, 1.9840)]
        {
            let found = student_t95(freedom);
            assert!((found - expected).abs() < 3e-4, "{freedom}: {found}, not {expected}");
        }
    }

    #[test]
    fn a_mean_is_as_sure_as_its_observations_are_alike() {
        assert_eq!(mean_interval(0, 0.0, 0.0), None);
        let (mean, Interval { low, high }) = mean_interval(1, 3.0, 9.0).unwrap();
        assert_eq!((mean, low, high), (3.0, f64::NEG_INFINITY, f64::INFINITY));
        // 1, 2, 3, 4, 5: standard deviation sqrt(2.5), half width 2.7764 * sqrt(2.5 / 5).
        let (mean, Interval { low, high }) = mean_interval(5, 15.0, 55.0).unwrap();
        assert_eq!(mean, 3.0);
        assert!((high - low - 2.0 * 2.776_445 * 0.5f64.sqrt()).abs() < 1e-9, "{low} to {high}");
    }
}
