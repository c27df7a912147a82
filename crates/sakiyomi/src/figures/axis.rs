//! Axes with round ticks, numbers as text, and about how wide a text is.

pub(super) type Point = (f64, f64);

pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) log: bool,
    pub(super) whole: bool,
}

impl Axis {
    /// An axis over one value alone is widened around it.
    pub(super) fn new((low, high): Point, (start, end): Point) -> Axis {
        let more = if low < high { 0.0 } else { low.abs() * 0.1 };
        let more = if low == 0.0 && high == 0.0 { 1.0 } else { more };
        Axis { low: low - more, high: high + more, start, end, log: false, whole: false }
    }

    pub(super) fn position(&self, value: f64) -> f64 {
        let scale = |value: f64| if self.log { value.ln() } else { value };
        let share = (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low));
        let share = if share.is_nan() { 0.5 } else { share.clamp(0.0, 1.0) };
        self.start + share * (self.end - self.start)
    }

    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let most = ((self.end - self.start).abs() / 70.0).clamp(2.0, 10.0) as usize;
        let powers = if self.log { self.powers_of_ten() } else { Vec::new() };
        let ticks = match powers.len() {
            0..3 => self.multiples(most),
            count => powers.into_iter().step_by(count.div_ceil(12)).collect(),
        };
        let ticks = ticks.into_iter().filter(|tick| !self.whole || tick.fract() == 0.0);
        ticks.map(|tick| (tick, tick_text(tick))).collect()
    }

    fn powers_of_ten(&self) -> Vec<f64> {
        let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
        (first..=last).map(|power| 10f64.powi(power)).collect()
    }

    fn multiples(&self, most: usize) -> Vec<f64> {
        let step = round_step((self.high - self.low) / most as f64);
        let (first, last) = ((self.low / step - 1e-9).ceil(), (self.high / step + 1e-9).floor());
        let count = (last - first).clamp(0.0, 20.0) as usize;
        (0..=count).map(|i| rounded((first + i as f64) * step)).collect()
    }
}

/// The least of 1, 2, 2.5, 5 and 10 times a power of ten that is not less than this.
pub(super) fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0].map(|factor| factor * power);
    steps.into_iter().find(|step| *step >= least * 0.999).unwrap_or(10.0 * power)
}

/// Without the traces that sums leave in the last digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// Scores get the whole range from 0 to 1, other values what they need.
pub(super) fn value_range(values: impl Iterator<Item = f64>) -> Point {
    let (low, high) = bounds(values).unwrap_or((0.0, 1.0));
    let more = (high - low) * 0.05;
    match () {
        () if low >= 0.0 && high <= 1.0 && (high == 0.0 || high >= 0.25) => (0.0, 1.0),
        () if low >= 0.0 && low < high / 2.0 => (0.0, high + more),
        () => (low - more, high + more),
    }
}

pub(super) fn bounds(values: impl Iterator<Item = f64>) -> Option<Point> {
    values.filter(usable).fold(None, |bounds, value| match bounds {
        Some((low, high)) => Some((value.min(low), value.max(high))),
        None => Some((value, value)),
    })
}

/// Whether a value has a place on an axis; the bound keeps differences finite.
pub(super) fn usable(value: &f64) -> bool {
    value.is_finite() && value.abs() < 1e100
}

pub(super) fn is_interval(low: f64, high: f64) -> bool {
    usable(&low) && usable(&high) && low < high
}

pub(super) fn number(value: f64, digits: usize) -> String {
    if !usable(&value) {
        return "-".to_string();
    }
    if value.abs() >= 1e7 {
        return format!("{:e}", format!("{value:.3e}").parse().unwrap_or(value));
    }
    let text = format!("{value:.digits$}");
    let is_zero = text.chars().all(|letter| "-0.".contains(letter));
    if is_zero { text.replace('-', "") } else { text }
}

pub(super) fn decimals(span: f64, digits: i32) -> usize {
    let magnitude = if usable(&span) && span > 0.0 { span.log10().floor() as i32 } else { 0 };
    (digits - magnitude).clamp(0, 9) as usize
}

pub(super) fn tick_text(value: f64) -> String {
    let is_plain = value == 0.0 || (1e-4..1e7).contains(&value.abs());
    if is_plain { format!("{}", value + 0.0) } else { format!("{value:e}") }
}

pub(super) fn wrap(text: &str, most: f64, size: f64) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for letter in text.chars() {
        if !line.is_empty()
            && text_width(&line, size) + text_width(&letter.to_string(), size) > most
        {
            let end = line.rfind([' ', ',', ';', ':', '/']).map_or(line.len(), |at| at + 1);
            let rest = line.split_off(end);
            lines.push(std::mem::replace(&mut line, rest));
        }
        line.push(letter);
    }
    lines.push(line);
    lines
}

pub(super) fn widest<'a>(texts: impl IntoIterator<Item = &'a String>, size: f64) -> f64 {
    texts.into_iter().map(|text| text_width(text, size)).fold(0.0, f64::max)
}

/// About the width in DejaVu Sans; rather too wide than too narrow.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let width = |letter| match letter {
        ' ' | '.' | ',' | ':' | ';' | 'i' | 'j' | 'l' | '|' | '!' | '\'' | 'I' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 0.42,
        'm' | 'M' | 'W' | '@' | '%' => 0.99,
        'w' | '=' | '+' | '<' | '>' | 'A'..='Z' => 0.82,
        letter if letter > '\u{2000}' => 1.0,
        _ => 0.64,
    };
    text.chars().map(width).sum::<f64>() * size
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(low: f64, high: f64, log: bool) -> Vec<f64> {
        let axis = Axis { log, ..Axis::new((low, high), (0.0, 420.0)) };
        axis.ticks().into_iter().map(|tick| tick.0).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(0.0, 1.0, false), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(ticks(0.13, 0.47, false), [0.2, 0.3, 0.4]);
        assert_eq!(ticks(100.0, 100_000.0, true), [100.0, 1e3, 1e4, 1e5]);
    }
}
