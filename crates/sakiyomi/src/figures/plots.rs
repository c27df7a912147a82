//! How each kind of figure is laid out.

use super::axis::*;
use super::drawing::*;
use super::{Bar, Counts, Curve};

/// A row for each name, with a point for each series in it.
pub(super) fn draw_bars(
    drawing: &mut Drawing,
    value_label: &str,
    bars: &[Bar],
    baseline: Option<f64>,
) {
    let baseline = baseline.filter(usable);
    let rows = Rows::new(bars);
    let is_alone = rows.series.len() < 2;
    let references = || bars.iter().filter_map(|bar| bar.reference).filter(usable);
    let measured = || bars.iter().filter(|bar| bar.value.is_some());
    let values = measured().flat_map(|bar| [bar.value.unwrap_or(bar.low), bar.low, bar.high]);
    let range = value_range(values.chain(references()).chain(baseline));
    drawing.legend(&bar_keys(&rows, bars));

    let numbers: Vec<_> = bars.iter().map(|bar| bar_number(bar, range)).collect();
    let numbers_width = if is_alone { widest(&numbers, SMALL) + 12.0 } else { 0.0 };
    let left = MARGIN + widest(rows.labels.iter().copied(), SMALL) + 12.0;
    drawing.width = drawing.width.max(left + 300.0 + numbers_width + MARGIN);
    let (right, top) = (drawing.width - numbers_width - MARGIN, drawing.bottom + 12.0);
    let height = ROW.max(10.0 + SUBROW * rows.series.len() as f64);
    let frame = Frame { left, right, top, bottom: top + height * rows.labels.len().max(1) as f64 };
    let axis = Axis::new(range, (left + 14.0, right - 14.0));
    for row in 0..rows.labels.len() {
        // A line leads from a name to its point, or keeps rows of several points apart.
        let y = top + (row as f64 + if is_alone { 0.5 } else { 1.0 }) * height;
        drawing.line(&[(left, y), (right, y)], &GRID);
        let y = top + (row as f64 + 0.5) * height + 5.0;
        drawing.text((left - 12.0, y), rows.labels[row], END);
    }
    drawing.horizontal_axis(&axis, &frame, value_label, bars.is_empty());
    if let Some(x) = baseline.map(|value| axis.position(value)) {
        drawing.line(&[(x, top), (x, frame.bottom)], &BASELINE);
    }
    for ((bar, number), &(row, series)) in bars.iter().zip(&numbers).zip(&rows.places) {
        let shift = (series as f64 - (rows.series.len() as f64 - 1.0) / 2.0) * SUBROW;
        let y = top + (row as f64 + 0.5) * height + if is_alone { 0.0 } else { shift };
        if is_alone {
            drawing.text((right + 12.0, y + 5.0), number, START);
        }
        let half = if is_alone { height / 2.0 } else { SUBROW / 2.0 };
        let (from, to) = ((left, y - half), (right, y + half));
        draw_bar(drawing, bar, &axis, y, series, is_alone, (from, to));
    }
}

/// The distance of two series in a row.
const SUBROW: f64 = 14.0;

/// Which bars share a row, and which series there are.
struct Rows<'a> {
    labels: Vec<&'a String>,
    series: Vec<&'a String>,
    /// Row and series of every bar.
    places: Vec<(usize, usize)>,
}

impl<'a> Rows<'a> {
    fn new(bars: &'a [Bar]) -> Rows<'a> {
        let mut rows = Rows { labels: Vec::new(), series: Vec::new(), places: Vec::new() };
        let place = |list: &mut Vec<&'a String>, name: &'a String| {
            list.iter().position(|each| *each == name).unwrap_or_else(|| {
                list.push(name);
                list.len() - 1
            })
        };
        for bar in bars {
            let row = if bar.series.is_empty() {
                rows.labels.push(&bar.label);
                rows.labels.len() - 1
            } else {
                place(&mut rows.labels, &bar.label)
            };
            rows.places.push((row, place(&mut rows.series, &bar.series)));
        }
        rows
    }
}

fn bar_keys<'a>(rows: &Rows<'a>, bars: &[Bar]) -> Vec<(Key, &'a str)> {
    let mut keys: Vec<(Key, &str)> = match rows.series.len() {
        0 | 1 => vec![(Key::Marker(0, Paint::Series(0)), "measured")],
        _ => {
            let names = rows.series.iter().map(|name| name.as_str()).enumerate();
            names.map(|(index, name)| (Key::Marker(index, Paint::Series(index)), name)).collect()
        }
    };
    let is_measured = |bar: &Bar| bar.value.is_some() && is_interval(bar.low, bar.high);
    keys.extend(bars.iter().any(is_measured).then_some(INTERVAL));
    let has_paper = bars.iter().any(|bar| bar.reference.is_some_and(|value| usable(&value)));
    let (shape, name) =
        if rows.series.len() < 2 { (DIAMOND, "paper") } else { (0, "paper (hollow)") };
    keys.extend(has_paper.then_some((Key::Hollow(shape), name)));
    keys
}

fn draw_bar(
    drawing: &mut Drawing,
    bar: &Bar,
    axis: &Axis,
    y: f64,
    series: usize,
    is_alone: bool,
    (from, to): (Point, Point),
) {
    let at = |value| (axis.position(value), y);
    let name = match bar.series.as_str() {
        "" => bar.label.clone(),
        series => format!("{}, {series}", bar.label),
    };
    let Bar { value, low, high, reference, .. } = *bar;
    let told = Told { name: &name, value, low, high, paper: reference };
    let paint = Paint::Series(series);
    drawing.value(&told, from, to, |drawing| {
        if let Some(reference) = reference.filter(usable) {
            let (shape, radius, paint) =
                if is_alone { (DIAMOND, 10.0, Paint::Ink) } else { (series, 8.0, paint) };
            drawing.marker(at(reference), shape, radius, paint, true);
        }
        let Some(value) = value.filter(usable) else { return };
        if is_interval(low, high) {
            drawing.interval(at(low), at(high), paint);
        }
        drawing.marker(at(value), series, 6.0, paint, false);
    });
}

fn bar_number(bar: &Bar, (low, high): Point) -> String {
    let digits = decimals(high - low, 3);
    let paper = bar.reference.map(|value| format!(" (paper {})", number(value, digits)));
    number(bar.value.unwrap_or(f64::NAN), digits) + &paper.unwrap_or_default()
}

pub(super) fn draw_curves(
    drawing: &mut Drawing,
    [x_label, y_label]: [&str; 2],
    log_x: bool,
    curves: &[Curve],
    baseline: Option<f64>,
) {
    let baseline = baseline.filter(usable);
    let shown = |x: f64, y: f64| usable(&x) && usable(&y) && (!log_x || x > 0.0);
    let points = || curves.iter().flat_map(|c| &c.points).filter(|p| shown(p.x, p.y));
    let references = || curves.iter().flat_map(|c| &c.references).filter(|r| shown(r.0, r.1));
    let mut keys: Vec<(Key, &str)> = Vec::new();
    if curves.len() > 1 || references().next().is_some() {
        let has_data = |curve: &Curve| !(curve.points.is_empty() && curve.references.is_empty());
        let named = curves.iter().enumerate().filter(|(_, curve)| has_data(curve));
        keys.extend(named.map(|(index, curve)| (Key::Series(index), curve.name.as_str())));
    }
    keys.extend(points().any(|p| is_interval(p.low, p.high)).then_some(INTERVAL));
    keys.extend(references().next().map(|_| (Key::Hollow(0), "paper (hollow)")));
    drawing.legend(&keys);

    let ys = points().flat_map(|p| [p.y, p.low, p.high]).chain(references().map(|r| r.1));
    let (frame, y_axis) = drawing.plot(value_range(ys.chain(baseline)), false, y_label, "");
    let xs = || points().map(|p| p.x).chain(references().map(|r| r.0));
    let whole = xs().all(|x| x.fract() == 0.0);
    let xs = bounds(xs());
    let mut x_axis = Axis::new(xs.unwrap_or((1.0, 10.0)), (frame.left + 20.0, frame.right - 20.0));
    (x_axis.log, x_axis.whole) = (log_x, whole);
    drawing.horizontal_axis(&x_axis, &frame, x_label, xs.is_none());
    if let Some(y) = baseline.map(|value| y_axis.position(value)) {
        drawing.line(&[(frame.left, y), (frame.right, y)], &BASELINE);
    }
    for (index, curve) in curves.iter().enumerate() {
        // Curves share their x values; moved a little, their intervals do not cover each other.
        let shift = (index as f64 - (curves.len() as f64 - 1.0) / 2.0) * 3.0;
        let shift = if curves.len() <= 8 { shift } else { 0.0 };
        let at = |x, y| (x_axis.position(x) + shift, y_axis.position(y));
        for run in curve.points.split(|p| !shown(p.x, p.y)) {
            let line: Vec<_> = run.iter().map(|p| at(p.x, p.y)).collect();
            drawing.line(if line.len() > 1 { &line } else { &[] }, &series_stroke(index));
        }
        draw_points(drawing, index, curve, &at, &shown);
    }
}

fn draw_points(
    drawing: &mut Drawing,
    index: usize,
    curve: &Curve,
    at: &impl Fn(f64, f64) -> Point,
    shown: &impl Fn(f64, f64) -> bool,
) {
    let paint = Paint::Series(index);
    let around = |(x, y): Point| ((x - 11.0, y - 11.0), (x + 11.0, y + 11.0));
    let name = |x: f64| format!("{}, {}", curve.name, tick_text(x));
    for &(x, y) in curve.references.iter().filter(|r| shown(r.0, r.1)) {
        let told = Told { name: &name(x), value: None, low: 0.0, high: 0.0, paper: Some(y) };
        let (from, to) = around(at(x, y));
        let draw = |drawing: &mut Drawing| drawing.marker(at(x, y), index, 10.0, paint, true);
        drawing.value(&told, from, to, draw);
    }
    for point in curve.points.iter().filter(|p| shown(p.x, p.y)) {
        let (low, high) = (point.low, point.high);
        let told = Told { name: &name(point.x), value: Some(point.y), low, high, paper: None };
        let (from, to) = around(at(point.x, point.y));
        drawing.value(&told, from, to, |drawing| {
            if is_interval(low, high) {
                drawing.interval(at(point.x, low), at(point.x, high), paint);
            }
            drawing.marker(at(point.x, point.y), index, 6.0, paint, false);
        });
    }
}

pub(super) fn draw_histogram(
    drawing: &mut Drawing,
    [x_label, y_label]: [&str; 2],
    series: &[Counts],
) {
    let bins = Bins::new(series);
    let several = series.len() > 1;
    let width = format!("bins of {}", tick_text(bins.width));
    let mut keys = Vec::new();
    if several {
        let names = series.iter().map(|counts| counts.name.as_str());
        keys.extend(names.enumerate().map(|(i, name)| (Key::Fill(Paint::Series(i)), name)));
    }
    keys.extend((bins.width != 1.0).then_some((Key::Nothing, width.as_str())));
    drawing.legend(&keys);
    let largest = bins.heights.iter().flatten().fold(0.0, |a: f64, &b| a.max(b));
    let y_range = (0.0, if largest > 0.0 { largest * 1.08 } else { 1.0 });
    let unit = if several { " %" } else { "" };
    let (frame, y_axis) = drawing.plot(y_range, !several, y_label, unit);
    let last = bins.first + bins.width * bins.count as f64;
    let mut x_axis = Axis::new((bins.first, last), (frame.left, frame.right));
    x_axis.whole = bins.whole;
    drawing.horizontal_axis(&x_axis, &frame, x_label, largest == 0.0);
    for (index, (heights, counts)) in bins.heights.iter().zip(series).enumerate() {
        for (bin, &height) in heights.iter().enumerate().filter(|(_, height)| **height > 0.0) {
            let edge = |index: usize| {
                let share = 0.1 + 0.8 * index as f64 / series.len() as f64;
                x_axis.position(bins.first + (bin as f64 + share) * bins.width)
            };
            let (left, right, top) = (edge(index), edge(index + 1), y_axis.position(height));
            let name = format!("{}, {}", counts.name, bins.name(bin));
            let told = Told { name: &name, value: Some(height), low: 0.0, high: 0.0, paper: None };
            let (from, to) = ((left, top), (right, frame.bottom));
            drawing.value(&told, from, to, |drawing| {
                drawing.filled(from, to, Paint::Series(index));
                let text = number(height, 0);
                if !several && text_width(&text, SMALL) < right - left + 4.0 {
                    drawing.text(((left + right) / 2.0, top - 5.0), &text, MIDDLE);
                }
            });
        }
    }
}

/// The heights of all series over the same bins: counts of one series, or shares of several.
struct Bins {
    first: f64,
    width: f64,
    count: usize,
    whole: bool,
    heights: Vec<Vec<f64>>,
}

impl Bins {
    fn new(series: &[Counts]) -> Bins {
        let pairs = || series.iter().flat_map(|counts| &counts.counts).filter(|pair| pair.1 > 0);
        let (low, high) = bounds(pairs().map(|pair| pair.0)).unwrap_or((0.0, 1.0));
        let whole = pairs().all(|pair| pair.0.fract() == 0.0 || !usable(&pair.0));
        // Narrower bars than these would hide their stripes.
        let most = (80 / series.len().max(1)).clamp(8, 40);
        let step = || round_step((high - low) / (most * 2 / 3) as f64);
        let width = match high - low {
            span if whole && span <= most as f64 => 1.0,
            0.0 => 1.0,
            _ if whole => step().ceil(),
            _ => step(),
        };
        // A bin of whole numbers lies around them, so that bars stand over their ticks.
        let first = (low / width).floor() * width - if whole { 0.5 } else { 0.0 };
        let count = (((high - first) / width).floor() + 1.0).clamp(1.0, 100.0) as usize;
        let heights_of = |counts: &Counts| {
            let mut heights = vec![0.0; count];
            for (value, times) in counts.counts.iter().filter(|pair| usable(&pair.0)) {
                let bin = ((value - first) / width).floor().max(0.0) as usize;
                heights[bin.min(count - 1)] += *times as f64;
            }
            let total = heights.iter().sum::<f64>().max(1.0);
            let unit = if series.len() > 1 { 100.0 / total } else { 1.0 };
            heights.into_iter().map(|height| height * unit).collect()
        };
        Bins { first, width, count, whole, heights: series.iter().map(heights_of).collect() }
    }

    /// The values in a bin: `7`, or `10 to 14`.
    fn name(&self, bin: usize) -> String {
        let low = self.first + bin as f64 * self.width;
        match self.whole {
            true if self.width == 1.0 => tick_text(low + 0.5),
            true => format!("{} to {}", tick_text(low + 0.5), tick_text(low + self.width - 0.5)),
            false => format!("{} to {}", tick_text(low), tick_text(low + self.width)),
        }
    }
}

pub(super) fn draw_heat_map(
    drawing: &mut Drawing,
    [x_label, y_label, value_label]: [&str; 3],
    columns: &[String],
    rows: &[String],
    values: &[Option<f64>],
    (low, high): Point,
) {
    let digits = decimals(high - low, 2);
    let swatches = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| low + (high - low) * share);
    let names = swatches.map(|value| number(value, digits));
    let keys = swatches.iter().zip(&names);
    let keys = keys.map(|(&value, name)| (Key::Fill(shade(value, low, high)), name.as_str()));
    drawing.legend(&[(Key::Nothing, value_label)].into_iter().chain(keys).collect::<Vec<_>>());

    let texts: Vec<_> =
        values.iter().map(|value| number(value.unwrap_or(f64::NAN), digits)).collect();
    // Slanted labels reach to the left of the first column by most of their width.
    let slanted = widest(columns, SMALL) * SLANT;
    let left = MARGIN + LINE + 20.0 + widest(rows, SMALL).max(slanted - 10.0);
    let room = (WIDTH - MARGIN - left) / columns.len().max(1) as f64;
    let width = room.min(120.0).max(widest(&texts, SMALL) + 10.0);
    let height = ROW.max(text_width(y_label, LARGE) / rows.len().max(1) as f64);
    let (right, top) = (left + width * columns.len() as f64, drawing.bottom + 12.0);
    let bottom = top + height * rows.len().max(1) as f64;
    drawing.width = drawing.width.max(right + MARGIN);
    drawing.label_beside((top + bottom) / 2.0, y_label);
    for (row, label) in rows.iter().enumerate() {
        let y = top + row as f64 * height;
        drawing.text((left - 10.0, y + height / 2.0 + 5.0), label, END);
        for (column, column_label) in columns.iter().enumerate() {
            let index = row * columns.len() + column;
            let value = values.get(index).copied().flatten().filter(usable);
            let fill = value.map_or(Paint::Paper, |value| shade(value, low, high));
            let x = left + column as f64 * width;
            let name = format!("{label}, {column_label}");
            let told = Told { name: &name, value, low: 0.0, high: 0.0, paper: None };
            let (from, to) = ((x, y), (x + width, y + height));
            drawing.value(&told, from, to, |drawing| {
                drawing.filled(from, to, fill);
                let at = (x + width / 2.0, y + height / 2.0 + 5.0);
                let text = texts.get(index).map_or("-", String::as_str);
                drawing.text(at, text, Look { paint: contrast(fill), ..MIDDLE });
            });
        }
    }
    for (column, label) in columns.iter().enumerate() {
        let x = left + (column as f64 + 0.5) * width + 6.0;
        drawing.text((x, bottom + 16.0), label, Look { rotate: Some(-45.0), ..END });
    }
    if columns.is_empty() || rows.is_empty() {
        drawing.text((left, top + LINE), "no data", START);
    }
    drawing.bottom = bottom + 20.0 + slanted;
    drawing.label_below((left + right) / 2.0, x_label);
}
