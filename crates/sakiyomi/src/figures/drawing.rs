//! What all figures are drawn with: text, lines, markers, axes and legends in a scene of kuva.

use kuva::plot::FillPattern::{self, *};
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};
use kuva::render::render_utils::{generate_ticks, generate_ticks_log};

pub(super) type Point = (f64, f64);

pub(super) const MARGIN: f64 = 20.0;
pub(super) const LINE: f64 = 20.0;
pub(super) const ROW: f64 = 34.0;
pub(super) const INTERVAL: (Key, &str) = (Key::Interval, "95 % interval");

/// Elements from the top down; `bottom` is where the next part of the figure begins.
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) bottom: f64,
    pub(super) elements: Vec<Primitive>,
}

impl Drawing {
    pub(super) fn new(title: &str) -> Drawing {
        let mut drawing = Drawing { width: WIDTH, bottom: 10.0, elements: Vec::new() };
        for line in wrap(title, WIDTH - 2.0 * MARGIN, TITLE) {
            drawing.bottom += 26.0;
            drawing.text((MARGIN, drawing.bottom), &line, Look { size: TITLE, ..START });
        }
        drawing.bottom += 12.0;
        drawing
    }

    pub(super) fn into_scene(self) -> Scene {
        let mut scene = Scene::new(self.width.ceil(), (self.bottom + 16.0).ceil());
        scene.font_family = Some(FONTS.to_string());
        scene.defs = STYLES.iter().map(|style| style.3.1.svg_def().to_string()).collect();
        scene.elements = self.elements;
        scene
    }

    pub(super) fn legend(&mut self, entries: &[(Key, &str)]) {
        let (mut x, mut y) = (MARGIN, self.bottom + 14.0);
        for &(key, name) in entries {
            let indent = if matches!(key, Key::Nothing) { 0.0 } else { 52.0 };
            let width = indent + text_width(name, SMALL);
            if x > MARGIN && x + width > WIDTH - MARGIN {
                (x, y) = (MARGIN, y + LINE);
            }
            self.key(key, (x + 22.0, y - 5.0));
            self.text((x + indent, y), name, START);
            self.width = self.width.max(x + width + MARGIN);
            self.bottom = y;
            x += width + 24.0;
        }
    }

    pub(super) fn key(&mut self, key: Key, (x, y): Point) {
        match key {
            Key::Nothing => {}
            Key::Marker(shape, hollow) => self.marker((x, y), shape, 7.0, hollow),
            Key::Fill(fill) => self.filled((x - 16.0, y - 9.0), (x + 20.0, y + 8.0), fill),
            Key::Interval => self.interval((x - 14.0, y), (x + 14.0, y), BLACK),
            Key::Series(index) => {
                self.line(&[(x - 22.0, y), (x + 22.0, y)], &series_stroke(index));
                self.marker((x, y), index, 7.0, false);
            }
        }
    }

    /// Begins a plot with two numeric axes and draws the vertical one.
    pub(super) fn plot(&mut self, range: Point, whole: bool, label: &str) -> (Frame, Axis) {
        let top = self.bottom + 14.0;
        let bottom = top + text_width(label, LARGE).max(400.0);
        let axis = Axis { whole, ..Axis::new(range, (bottom, top + 8.0)) };
        let ticks = axis.ticks();
        let left = MARGIN + LINE + widest(ticks.iter().map(|tick| &tick.1), SMALL) + 16.0;
        let frame = Frame { left, right: self.width - MARGIN, top, bottom };
        for (value, text) in &ticks {
            let y = axis.position(*value);
            self.line(&[(left, y), (frame.right, y)], &GRID);
            self.text((left - 8.0, y + 5.0), text, END);
        }
        self.line(&[(left, top), (left, bottom)], &FRAME);
        self.label_beside((top + bottom) / 2.0, label);
        (frame, axis)
    }

    pub(super) fn horizontal_axis(&mut self, axis: &Axis, frame: &Frame, label: &str, empty: bool) {
        let mut free = f64::NEG_INFINITY;
        for (value, text) in axis.ticks() {
            let (x, half) = (axis.position(value), text_width(&text, SMALL) / 2.0);
            self.line(&[(x, frame.top), (x, frame.bottom)], &GRID);
            if x - half > free {
                self.text((x, frame.bottom + 20.0), &text, MIDDLE);
                free = x + half + 8.0;
            }
        }
        self.line(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], &FRAME);
        self.bottom = frame.bottom + 24.0;
        let centre = (frame.left + frame.right) / 2.0;
        self.label_below(centre, label);
        if empty {
            self.text((centre, (frame.top + frame.bottom) / 2.0), "no data", MIDDLE);
        }
    }

    pub(super) fn label_below(&mut self, centre: f64, label: &str) {
        for line in wrap(label, self.width - 2.0 * MARGIN, LARGE) {
            let reach = text_width(&line, LARGE) / 2.0 + MARGIN;
            self.bottom += LINE + 2.0;
            let at = (centre.min(self.width - reach).max(reach), self.bottom);
            self.text(at, &line, Look { size: LARGE, ..MIDDLE });
        }
    }

    pub(super) fn label_beside(&mut self, centre: f64, label: &str) {
        let look = Look { size: LARGE, rotate: Some(-90.0), ..MIDDLE };
        self.text((MARGIN + 12.0, centre), label, look);
    }

    pub(super) fn text(&mut self, (x, y): Point, content: &str, look: Look) {
        let Look { size, anchor, rotate, colour } = look;
        // XML has no control characters, and kuva would read dollars as formulas.
        let is_bad =
            |letter: char| letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}');
        let content = content.replace(is_bad, " ").replace('$', "\\$");
        let (size, color, bold) = (size as u32, Some(colour.into()), false);
        self.elements.push(Primitive::Text { x, y, content, size, anchor, rotate, bold, color });
    }

    pub(super) fn line(&mut self, points: &[Point], stroke: &Stroke) {
        let (colour, width, dash) = *stroke;
        self.path(dashes(points, dash), Color::None, colour, width);
    }

    /// A whisker with caps, along one of the axes.
    pub(super) fn interval(&mut self, from: Point, to: Point, colour: &'static str) {
        let stroke = (colour, 1.6, [].as_slice());
        let (x, y) = if from.1 == to.1 { (0.0, 5.0) } else { (5.0, 0.0) };
        self.line(&[from, to], &stroke);
        for end in [from, to] {
            self.line(&[(end.0 - x, end.1 - y), (end.0 + x, end.1 + y)], &stroke);
        }
    }

    pub(super) fn marker(&mut self, at: Point, series: usize, radius: f64, hollow: bool) {
        let (corners, inner, turn) = style(series).2;
        let corner = |step: usize| {
            let radius = if step.is_multiple_of(2) { radius } else { radius * inner };
            let angle = (turn + 180.0 * step as f64 / corners as f64).to_radians();
            (at.0 + radius * angle.cos(), at.1 + radius * angle.sin())
        };
        let outline = dashes(&(0..=2 * corners).map(corner).collect::<Vec<_>>(), &[]);
        let colour = style(series).0;
        if hollow {
            self.path(outline, Color::None, colour, 2.0);
        } else {
            self.path(outline, colour.into(), "#ffffff", 0.8);
        }
    }

    pub(super) fn filled(&mut self, (left, top): Point, (right, bottom): Point, fill: Fill) {
        let outline = format!("M{left:.1} {top:.1}H{right:.1}V{bottom:.1}H{left:.1}Z");
        let ([red, green, blue], pattern) = fill;
        self.path(outline.clone(), Color::Rgb(red, green, blue), "#444444", 1.0);
        if pattern.is_patterned() {
            let hatch = Color::Css(format!("url(#{})", pattern.id()).into());
            self.path(outline, hatch, "#444444", 1.0);
        }
    }

    pub(super) fn path(&mut self, d: String, fill: Color, stroke: &str, stroke_width: f64) {
        let (fill, stroke) = (Some(fill), stroke.into());
        let path =
            PathData { d, fill, stroke, stroke_width, opacity: None, stroke_dasharray: None };
        self.elements.push(Primitive::Path(Box::new(path)));
    }
}

/// What stands before a name in the legend.
#[derive(Clone, Copy)]
pub(super) enum Key {
    Nothing,
    Interval,
    Series(usize),
    Marker(usize, bool),
    Fill(Fill),
}

pub(super) type Fill = ([u8; 3], FillPattern);

#[derive(Clone, Copy)]
pub(super) struct Look {
    pub(super) size: f64,
    pub(super) anchor: TextAnchor,
    pub(super) rotate: Option<f64>,
    pub(super) colour: &'static str,
}

/// Colour, width and dashes.
pub(super) type Stroke = (&'static str, f64, &'static [f64]);

pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

pub(super) const BLACK: &str = "#000000";
pub(super) const WHITE: [u8; 3] = [255; 3];
pub(super) const WIDTH: f64 = 900.0;
pub(super) const SMALL: f64 = 14.0;
pub(super) const LARGE: f64 = 16.0;
pub(super) const TITLE: f64 = 20.0;
/// The sine and cosine of the 45 degrees by which long labels of columns are turned.
pub(super) const SLANT: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Verdana has the widths of DejaVu Sans; the others have the Japanese letters that it lacks.
pub(super) const FONTS: &str = "DejaVu Sans, Verdana, Noto Sans CJK JP, Noto Sans JP, Hiragino Sans, \
                     Yu Gothic, Meiryo, sans-serif";
pub(super) const START: Look =
    Look { size: SMALL, anchor: TextAnchor::Start, rotate: None, colour: BLACK };
pub(super) const MIDDLE: Look = Look { anchor: TextAnchor::Middle, ..START };
pub(super) const END: Look = Look { anchor: TextAnchor::End, ..START };
pub(super) const FRAME: Stroke = (BLACK, 1.2, &[]);
pub(super) const GRID: Stroke = ("#dddddd", 1.0, &[]);
pub(super) const BASELINE: Stroke = ("#555555", 1.2, &[7.0, 5.0]);

/// How series differ, in black and white too: the colour, dashes and marker of a curve, and the
/// ground and pattern of a bar. A marker is its corners, the radius halfway between two corners
/// and the degrees of the first corner.
pub(super) struct Style(
    pub(super) &'static str,
    &'static [f64],
    (usize, f64, f64),
    pub(super) Fill,
);

pub(super) const STYLES: [Style; 8] = [
    Style(BLACK, &[], (12, 1.0, 0.0), ([70, 90, 110], Solid)),
    Style("#0072b2", &[10.0, 5.0], (4, SLANT, 45.0), (WHITE, DiagonalForward)),
    Style("#c04a00", &[2.0, 5.0], (3, 0.5, -90.0), ([185, 200, 215], Solid)),
    Style("#007a5a", &[12.0, 5.0, 2.0, 5.0], (4, SLANT, 0.0), (WHITE, DiagonalCrosshatch)),
    Style("#aa4499", &[20.0, 6.0], (3, 0.5, 90.0), ([120, 140, 160], Vertical)),
    Style("#d08c00", &[], (5, 0.45, -90.0), (WHITE, Dots)),
    Style("#3f9bd0", &[5.0, 4.0], (4, 0.45, 45.0), ([200, 200, 200], DiagonalBack)),
    Style("#777777", &[12.0, 4.0, 2.0, 4.0, 2.0, 4.0], (4, 0.45, 0.0), (WHITE, Horizontal)),
];

pub(super) fn style(series: usize) -> &'static Style {
    &STYLES[series % STYLES.len()]
}

pub(super) fn series_stroke(series: usize) -> Stroke {
    (style(series).0, 2.0, style(series).1)
}

/// Light to dark blue, so that a copy in black and white keeps the order.
pub(super) fn shade(value: f64, low: f64, high: f64) -> Fill {
    let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
    let mix = |from: f64, to: f64| (from + (to - from) * share).round() as u8;
    ([mix(247.0, 8.0), mix(251.0, 48.0), mix(255.0, 107.0)], Solid)
}

pub(super) fn contrast(([_, green, _], _): Fill) -> &'static str {
    if green < 125 { "#ffffff" } else { BLACK }
}

/// Cut here, because the PNG backend restarts the dashes at every point of a line.
pub(super) fn dashes(points: &[Point], pattern: &[f64]) -> String {
    let mut lengths = pattern.iter().copied().cycle().chain([f64::INFINITY]);
    let mut left = lengths.next().unwrap_or(f64::INFINITY);
    let (mut x, mut y) = points.first().copied().unwrap_or_default();
    let (mut path, mut is_drawn) = (format!("M{x:.1} {y:.1}"), true);
    for to in points.iter().skip(1) {
        loop {
            let rest = (to.0 - x).hypot(to.1 - y);
            let share = if rest > left { left / rest } else { 1.0 };
            (x, y) = (x + (to.0 - x) * share, y + (to.1 - y) * share);
            path += &format!("{}{x:.1} {y:.1}", if is_drawn { 'L' } else { 'M' });
            left = (left - rest).max(0.0);
            if share == 1.0 {
                break;
            }
            left = lengths.next().unwrap_or(f64::INFINITY);
            is_drawn = !is_drawn;
        }
    }
    path
}

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
        let powers = if self.log { generate_ticks_log(self.low, self.high) } else { Vec::new() };
        let ticks = match powers.len() {
            0..3 => generate_ticks(self.low, self.high, most),
            count => powers.into_iter().step_by(count.div_ceil(12)).collect(),
        };
        let ticks = ticks.into_iter().filter(|tick| !self.whole || tick.fract() == 0.0);
        ticks.map(|tick| (tick, tick_text(tick))).collect()
    }
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
