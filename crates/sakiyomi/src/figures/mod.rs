//! The figures of experiment reports, as SVG and PNG.
//!
//! Only the scene of kuva and its two backends are used, not its ready-made plots: the values
//! of papers, cell texts that contrast and labels of any length need exact places.

use kuva::backend::raster::RasterBackend;
use kuva::backend::svg::SvgBackend;
use kuva::plot::FillPattern::Solid;
use kuva::render::render::Scene;
use kuva::render::render_utils::compute_tick_step;
use serde::{Deserialize, Serialize};

mod drawing;
mod maps;
use drawing::*;

pub use maps::{MapPicture, UnitPicture};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    pub title: String,
    pub content: Content,
}

/// What a figure shows, without its title.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Figure"))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Content {
    /// One point per row with its 95 % interval, beside the value of a paper if there is one.
    Bars { value_label: String, bars: Vec<Bar>, baseline: Option<f64> },
    Curves {
        x_label: String,
        y_label: String,
        log_x: bool,
        curves: Vec<Curve>,
        baseline: Option<f64>,
    },
    /// One series is drawn as counts, several as shares in percent of each series.
    Histogram { x_label: String, y_label: String, series: Vec<Counts> },
    /// The values are row-major; a value that is missing or not a number is drawn as "-".
    HeatMap {
        x_label: String,
        y_label: String,
        value_label: String,
        columns: Vec<String>,
        rows: Vec<String>,
        values: Vec<Option<f64>>,
        range: (f64, f64),
    },
    /// Maps of units on terrain. They are drawn here only.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    Maps { maps: Vec<MapPicture> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Bar {
    pub label: String,
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub reference: Option<f64>,
}

/// The references are points (x, y) of a paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Curve {
    pub name: String,
    pub points: Vec<CurvePoint>,
    pub references: Vec<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CurvePoint {
    pub x: f64,
    pub y: f64,
    pub low: f64,
    pub high: f64,
}

/// How often each value occurred; the values are mostly integers, such as turns of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Counts {
    pub name: String,
    pub counts: Vec<(f64, u64)>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot draw the figure as PNG: {0}")]
pub struct FigureError(String);

impl Figure {
    pub fn to_svg(&self) -> String {
        let scene = self.scene();
        // Without a view box, a page could not scale the picture.
        let root = format!("<svg viewBox=\"0 0 {} {}\" ", scene.width, scene.height);
        SvgBackend::new().with_pretty(true).render_scene(&scene).replacen("<svg ", &root, 1)
    }

    /// Two pixels per unit, so that text stays sharp; a huge heat map gets fewer.
    pub fn to_png(&self) -> Result<Vec<u8>, FigureError> {
        let scene = self.scene();
        let scale = (64e6 / (scene.width * scene.height)).sqrt().min(2.0);
        RasterBackend::new().with_scale(scale as f32).render_scene(&scene).map_err(FigureError)
    }

    fn scene(&self) -> Scene {
        let mut drawing = Drawing::new(&self.title);
        match &self.content {
            Content::Bars { value_label, bars, baseline } => {
                draw_bars(&mut drawing, value_label, bars, baseline.filter(usable));
            }
            Content::Curves { x_label, y_label, log_x, curves, baseline } => {
                let baseline = baseline.filter(usable);
                draw_curves(&mut drawing, [x_label, y_label], *log_x, curves, baseline);
            }
            Content::Histogram { x_label, y_label, series } => {
                draw_histogram(&mut drawing, [x_label, y_label], series);
            }
            Content::HeatMap { x_label, y_label, value_label, columns, rows, values, range } => {
                let labels = [x_label.as_str(), y_label, value_label];
                draw_heat_map(&mut drawing, labels, columns, rows, values, *range);
            }
            Content::Maps { maps } => maps::draw_maps(&mut drawing, maps),
        }
        drawing.into_scene()
    }
}

fn draw_bars(drawing: &mut Drawing, value_label: &str, bars: &[Bar], baseline: Option<f64>) {
    let references = || bars.iter().filter_map(|bar| bar.reference).filter(usable);
    let values = bars.iter().flat_map(|bar| [bar.value, bar.low, bar.high]);
    let range = value_range(values.chain(references()).chain(baseline));
    let mut keys = vec![(Key::Marker(0, false), "measured")];
    keys.extend(bars.iter().any(|bar| is_interval(bar.low, bar.high)).then_some(INTERVAL));
    keys.extend(references().next().map(|_| (Key::Marker(3, true), "paper")));
    drawing.legend(&keys);

    let numbers: Vec<_> = bars.iter().map(|bar| bar_number(bar, range)).collect();
    let right_of_plot = widest(&numbers, SMALL) + 12.0 + MARGIN;
    let left = MARGIN + widest(bars.iter().map(|bar| &bar.label), SMALL) + 12.0;
    drawing.width = drawing.width.max(left + 300.0 + right_of_plot);
    let (right, top) = (drawing.width - right_of_plot, drawing.bottom + 12.0);
    let frame = Frame { left, right, top, bottom: top + ROW * bars.len().max(2) as f64 };
    let axis = Axis::new(range, (left + 14.0, right - 14.0));
    drawing.horizontal_axis(&axis, &frame, value_label, bars.is_empty());
    if let Some(x) = baseline.map(|value| axis.position(value)) {
        drawing.line(&[(x, top), (x, frame.bottom)], &BASELINE);
    }
    for (row, (bar, number)) in bars.iter().zip(&numbers).enumerate() {
        let y = top + (row as f64 + 0.5) * ROW;
        let at = |value| (axis.position(value), y);
        drawing.line(&[(left, y), (right, y)], &GRID);
        drawing.text((left - 12.0, y + 5.0), &bar.label, END);
        drawing.text((right + 12.0, y + 5.0), number, START);
        if let Some(reference) = bar.reference.filter(usable) {
            drawing.marker(at(reference), 3, 10.0, true);
        }
        if is_interval(bar.low, bar.high) {
            drawing.interval(at(bar.low), at(bar.high), BLACK);
        }
        if usable(&bar.value) {
            drawing.marker(at(bar.value), 0, 6.0, false);
        }
    }
}

fn bar_number(bar: &Bar, (low, high): Point) -> String {
    let digits = decimals(high - low, 3);
    let paper = bar.reference.map(|value| format!(" (paper {})", number(value, digits)));
    number(bar.value, digits) + &paper.unwrap_or_default()
}

fn draw_curves(
    drawing: &mut Drawing,
    [x_label, y_label]: [&str; 2],
    log_x: bool,
    curves: &[Curve],
    baseline: Option<f64>,
) {
    let shown = |x: f64, y: f64| usable(&x) && usable(&y) && (!log_x || x > 0.0);
    let points = || curves.iter().flat_map(|c| &c.points).filter(|p| shown(p.x, p.y));
    let references = || curves.iter().flat_map(|c| &c.references).filter(|r| shown(r.0, r.1));
    let mut keys: Vec<(Key, &str)> = Vec::new();
    if curves.len() > 1 || references().next().is_some() {
        let names = curves.iter().map(|curve| curve.name.as_str());
        keys.extend(names.enumerate().map(|(index, name)| (Key::Series(index), name)));
    }
    keys.extend(points().any(|p| is_interval(p.low, p.high)).then_some(INTERVAL));
    keys.extend(references().next().map(|_| (Key::Marker(0, true), "paper (hollow)")));
    drawing.legend(&keys);

    let ys = points().flat_map(|p| [p.y, p.low, p.high]).chain(references().map(|r| r.1));
    let (frame, y_axis) = drawing.plot(value_range(ys.chain(baseline)), false, y_label);
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
        for &(x, y) in curve.references.iter().filter(|r| shown(r.0, r.1)) {
            drawing.marker(at(x, y), index, 10.0, true);
        }
        for run in curve.points.split(|p| !shown(p.x, p.y)) {
            let line: Vec<_> = run.iter().map(|p| at(p.x, p.y)).collect();
            drawing.line(&line, &series_stroke(index));
            for point in run.iter().filter(|p| is_interval(p.low, p.high)) {
                let colour = style(index).0;
                drawing.interval(at(point.x, point.low), at(point.x, point.high), colour);
            }
            line.into_iter().for_each(|point| drawing.marker(point, index, 7.0, false));
        }
    }
}

fn draw_histogram(drawing: &mut Drawing, [x_label, y_label]: [&str; 2], series: &[Counts]) {
    let bins = Bins::new(series);
    let several = series.len() > 1;
    if several {
        let names = series.iter().map(|counts| counts.name.as_str());
        let keys = names.enumerate().map(|(index, name)| (Key::Fill(style(index).3), name));
        drawing.legend(&keys.collect::<Vec<_>>());
    }
    let largest = bins.heights.iter().flatten().fold(0.0, |a: f64, &b| a.max(b));
    let y_range = (0.0, if largest > 0.0 { largest * 1.08 } else { 1.0 });
    let unit = if several { " (% of each series)" } else { "" };
    let (frame, y_axis) = drawing.plot(y_range, !several, &format!("{y_label}{unit}"));
    let last = bins.first + bins.width * bins.count as f64;
    let mut x_axis = Axis::new((bins.first, last), (frame.left, frame.right));
    x_axis.whole = bins.whole;
    let unit = match bins.width {
        1.0 => String::new(),
        width => format!(" (bins of {})", tick_text(width)),
    };
    drawing.horizontal_axis(&x_axis, &frame, &format!("{x_label}{unit}"), largest == 0.0);
    for (index, heights) in bins.heights.iter().enumerate() {
        for (bin, &height) in heights.iter().enumerate().filter(|(_, height)| **height > 0.0) {
            let edge = |index: usize| {
                let share = 0.1 + 0.8 * index as f64 / series.len() as f64;
                x_axis.position(bins.first + (bin as f64 + share) * bins.width)
            };
            let (left, right, top) = (edge(index), edge(index + 1), y_axis.position(height));
            drawing.filled((left, top), (right, frame.bottom), style(index).3);
            let text = number(height, 0);
            if !several && text_width(&text, SMALL) < right - left + 4.0 {
                drawing.text(((left + right) / 2.0, top - 5.0), &text, MIDDLE);
            }
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
        // Narrower bars than these would hide their patterns.
        let most = (80 / series.len().max(1)).clamp(8, 40);
        let width = match high - low {
            span if whole && span <= most as f64 => 1.0,
            0.0 => 1.0,
            _ if whole => compute_tick_step(low, high, most * 2 / 3).ceil(),
            _ => compute_tick_step(low, high, most * 2 / 3),
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
}

fn draw_heat_map(
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
        for column in 0..columns.len() {
            let index = row * columns.len() + column;
            let value = values.get(index).copied().flatten().filter(usable);
            let fill = value.map_or((WHITE, Solid), |value| shade(value, low, high));
            let x = left + column as f64 * width;
            drawing.filled((x, y), (x + width, y + height), fill);
            let at = (x + width / 2.0, y + height / 2.0 + 5.0);
            let text = texts.get(index).map_or("-", String::as_str);
            drawing.text(at, text, Look { colour: contrast(fill), ..MIDDLE });
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

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: [f64; 8] = [0.0, 0.5, -3.0, 1e-320, 1e99, f64::NAN, f64::INFINITY, f64::MAX];
    const LABELS: [&str; 4] =
        ["uct:iterations=5000,tuned vs uct", "a & b < c", "$x$", "\u{1}先読み"];

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|index| LABELS[index % 4].to_string()).collect()
    }

    /// One figure of each kind, with that many parts, over these values.
    fn figures(parts: usize, values: &[f64], log_x: bool) -> [Figure; 5] {
        let [x_label, y_label, value_label] = ["x & axis", "y", "value"].map(String::from);
        let value = |index: usize| values.get(index % values.len().max(1)).copied().unwrap_or(0.5);
        let bar = |(index, label)| {
            let (value, reference) = (value(index), values.get(index + 1).copied());
            Bar { label, value, low: value, high: value + 0.1, reference }
        };
        let references: Vec<_> = values.iter().map(|&value| (value, value)).collect();
        let pairs = values.iter().flat_map(|&x| values.iter().map(move |&y| (x, y)));
        let points = pairs.map(|(x, y)| CurvePoint { x, y, low: y - 0.1, high: y });
        let points: Vec<_> = points.collect();
        let curve = |name| Curve { name, points: points.clone(), references: references.clone() };
        let counts = |name| Counts { name, counts: values.iter().map(|&v| (v, 3)).collect() };
        let bars = names(parts).into_iter().enumerate().map(bar).collect();
        let curves = names(parts).into_iter().map(curve).collect();
        let series = names(parts).into_iter().map(counts).collect();
        let (columns, rows, range) = (names(parts), names(parts), (value(0), value(1)));
        let baseline = values.first().copied();
        let values = (1..parts * parts).map(|i| (i % 3 > 0).then_some(value(i))).collect();
        let (x, y) = (x_label.clone(), y_label.clone());
        let unit = UnitPicture { x: 1, y: 1, mark: 'P', team: 1, hit_points: 9 };
        let map = |title| MapPicture {
            title,
            lines: vec!["a <line>".to_owned()],
            columns: 3,
            terrain: vec![0, 1, 2, 3, 4, 5, 6, 7, 1],
            units: vec![unit.clone(), UnitPicture { x: 0, team: 0, ..unit.clone() }],
        };
        let maps = names(parts).into_iter().map(map).collect();
        [
            Content::Bars { value_label: value_label.clone(), bars, baseline },
            Content::Curves { x_label: x.clone(), y_label: y.clone(), log_x, curves, baseline },
            Content::Histogram { x_label: x, y_label: y, series },
            Content::HeatMap { x_label, y_label, value_label, columns, rows, values, range },
            Content::Maps { maps },
        ]
        .map(|content| Figure { title: "A <title> & more".to_string(), content })
    }

    fn assert_well_formed(svg: &str) {
        let mut open: Vec<&str> = Vec::new();
        for part in svg.split('<').skip(1) {
            let (tag, text) = part.split_once('>').expect("a tag ends");
            let name = tag.split(' ').next().expect("a tag has a name");
            match tag {
                _ if tag.starts_with("!--") || tag.ends_with('/') => {}
                _ if tag.starts_with('/') => assert_eq!(open.pop(), Some(&name[1..])),
                _ => open.push(name),
            }
            assert!(!text.contains(|c: char| c == '>' || c.is_control() && c != '\n'));
            let entities = text.split('&').skip(1);
            entities.for_each(|rest| assert!(rest.find(';').is_some_and(|end| end < 5)));
        }
        assert!(open.is_empty() && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn odd_data_gives_well_formed_pictures() {
        let some: [&[f64]; 4] = [&[], &[0.0], &[0.5, 0.5], &ODD];
        for (parts, values) in [0, 1, 2, 9].into_iter().flat_map(|n| some.map(|data| (n, data))) {
            for log_x in [false, true] {
                figures(parts, values, log_x).iter().for_each(|f| assert_well_formed(&f.to_svg()));
            }
        }
        assert!(figures(2, &ODD, true).iter().all(|figure| figure.to_png().is_ok()));
    }

    #[test]
    fn every_label_is_written() {
        for figure in figures(4, &[0.25, 0.5, 0.75, 60.0], false) {
            let svg = figure.to_svg();
            let texts = ["uct:iterations=5000,tuned", "a &amp; b &lt; c", ">$x$<", "先読み<"];
            for text in texts.into_iter().chain(["A &lt;title&gt; &amp; more"]) {
                assert!(svg.contains(text), "{text} is not in {svg}");
            }
        }
    }

    #[test]
    fn curves_over_whole_numbers_have_no_ticks_between_them() {
        let point = |x| CurvePoint { x, y: 0.5, low: 0.4, high: 0.6 };
        let svg = |xs: [f64; 2]| {
            let curve =
                Curve { name: "a".into(), points: xs.map(point).to_vec(), references: Vec::new() };
            let (x_label, y_label) = ("cards".into(), "y".into());
            let curves = vec![curve];
            let content =
                Content::Curves { x_label, y_label, log_x: false, curves, baseline: None };
            Figure { title: String::new(), content }.to_svg()
        };
        assert!(svg([2.0, 6.0]).contains(">3<") && !svg([2.0, 6.0]).contains(">2.5<"));
        assert!(svg([2.0, 5.5]).contains(">2.5<"));
    }

    #[test]
    fn a_picture_has_twice_the_size_in_pixels() {
        for figure in figures(3, &[0.25, 0.5], false) {
            let png = figure.to_png().expect("drawn");
            assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
            assert_eq!(png[16..20], 1800_u32.to_be_bytes());
        }
    }
}
