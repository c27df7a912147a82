//! Numbers as people read them.

use sakiyomi_core::stats::Interval;

pub fn score_text(score: Option<f64>) -> String {
    score.map_or_else(|| "-".to_owned(), |score| format!("{score:.3}"))
}

pub fn interval_text(Interval { low, high }: Interval) -> String {
    format!("[{low:.3}, {high:.3}]")
}

/// A p value, which may be too small for a number.
pub fn p_text(p: f64) -> String {
    match p {
        p if p < 1e-99 => "< 1e-99".to_owned(),
        p if p < 0.001 => format!("{p:.1e}"),
        p => format!("{p:.3}"),
    }
}

/// A number with commas between thousands.
pub fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time of some length, roughly.
pub fn seconds_text(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5_400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(thousands(1_234_567.4), "1,234,567");
        assert_eq!(thousands(12.0), "12");
        assert_eq!((p_text(0.0421), p_text(1.23e-9)), ("0.042".into(), "1.2e-9".into()));
        assert_eq!(p_text(0.0), "< 1e-99");
        assert_eq!(seconds_text(7_200.0), "2.0 h");
    }
}
