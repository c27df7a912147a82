//! What all figures are drawn with: text, lines, markers and legends, written as SVG.
//!
//! Every colour stands twice: as an attribute, for programs that know no style sheets, and as a
//! class whose colour follows the scheme, light or dark, of the page that the drawing is part of.

use std::fmt::Write;

use super::axis::*;
use crate::picture::{escape, number as short};

pub(super) const MARGIN: f64 = 20.0;
pub(super) const LINE: f64 = 20.0;
pub(super) const ROW: f64 = 34.0;
pub(super) const INTERVAL: (Key, &str) = (Key::Interval, "95 % interval");
pub(super) const WIDTH: f64 = 900.0;
pub(super) const SMALL: f64 = 14.0;
pub(super) const LARGE: f64 = 16.0;
pub(super) const TITLE: f64 = 20.0;
/// The sine and cosine of the 45 degrees by which long labels of columns are turned.
pub(super) const SLANT: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Verdana has the widths of DejaVu Sans; the others have the Japanese letters that it lacks.
const FONTS: &str = "DejaVu Sans, Verdana, Noto Sans CJK JP, Noto Sans JP, Hiragino Sans, \
                     Yu Gothic, Meiryo, sans-serif";

/// What shapes are painted with.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Paint {
    None,
    Ink,
    Soft,
    Grid,
    Paper,
    Series(usize),
    /// The same in both schemes.
    Fixed([u8; 3]),
}

/// Names of colours with what they are in the light and in the dark. A page may set
/// `--figure-NAME`.
const COLOURS: [(&str, &str, &str); 12] = [
    ("ink", "#1c1a17", "#ece7dd"),
    ("soft", "#5f5a51", "#b3ab9d"),
    ("grid", "#dddddd", "#4a463f"),
    ("paper", "#ffffff", "#211f1b"),
    ("s0", "#0072b2", "#5bb3ea"),
    ("s1", "#c04a00", "#ff9350"),
    ("s2", "#007a5a", "#3ecfa0"),
    ("s3", "#aa4499", "#e39cc8"),
    ("s4", "#b07a00", "#f3c04d"),
    ("s5", "#2f86bd", "#8fd0ff"),
    ("s6", "#6b6b6b", "#b5b5b5"),
    ("s7", "#7a5195", "#b79ad8"),
];
const N_SERIES: usize = 8;
const FIRST_SERIES: usize = COLOURS.len() - N_SERIES;

impl Paint {
    fn colour(self) -> Option<&'static (&'static str, &'static str, &'static str)> {
        Some(
            &COLOURS[match self {
                Paint::None | Paint::Fixed(_) => return None,
                Paint::Ink => 0,
                Paint::Soft => 1,
                Paint::Grid => 2,
                Paint::Paper => 3,
                Paint::Series(series) => FIRST_SERIES + series % N_SERIES,
            }],
        )
    }

    /// As the value of an attribute.
    fn plain(self) -> String {
        match (self, self.colour()) {
            (Paint::Fixed([red, green, blue]), _) => format!("#{red:02x}{green:02x}{blue:02x}"),
            (_, Some((_, light, _))) => (*light).to_owned(),
            (_, None) => "none".to_owned(),
        }
    }

    fn class(self, what: &str) -> String {
        self.colour().map_or_else(String::new, |(name, ..)| format!("{what}-{name} "))
    }
}

fn style_sheet() -> String {
    let mut style = String::from(":root.sakiyomi-figure{color-scheme:light dark}");
    for (name, light, dark) in COLOURS {
        let colour = format!("var(--figure-{name},light-dark({light},{dark}))");
        let _ = write!(style, ".sakiyomi-figure .fill-{name}{{fill:{colour}}}");
        let _ = write!(style, ".sakiyomi-figure .line-{name}{{stroke:{colour}}}");
    }
    style
}

/// Elements from the top down; `bottom` is where the next part of the figure begins.
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) bottom: f64,
    title: String,
    body: String,
}

impl Drawing {
    /// Without a title nothing is written on top.
    pub(super) fn new(title: &str) -> Drawing {
        let (title, body) = (title.to_owned(), String::new());
        let mut drawing = Drawing { width: WIDTH, bottom: 10.0, title, body };
        if !drawing.title.is_empty() {
            for line in wrap(&drawing.title.clone(), WIDTH - 2.0 * MARGIN, TITLE) {
                drawing.bottom += 26.0;
                drawing.text((MARGIN, drawing.bottom), &line, Look { size: TITLE, ..START });
            }
            drawing.bottom += 12.0;
        }
        drawing
    }

    pub(super) fn into_svg(self) -> String {
        let Drawing { width, bottom, title, body } = self;
        let (width, height) = (width.ceil(), (bottom + 16.0).ceil());
        let title = match title.as_str() {
            "" => String::new(),
            title => format!("<title>{}</title>\n", escape(&clean(title))),
        };
        let paper = Paint::Paper;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sakiyomi-figure\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\" role=\"img\">\n\
             {title}<style>{}</style>\n\
             <rect class=\"{}\" width=\"100%\" height=\"100%\" fill=\"{}\"/>\n{body}</svg>\n",
            style_sheet(),
            paper.class("fill").trim_end(),
            paper.plain()
        )
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into a string cannot fail.
        let _ = self.body.write_fmt(text);
    }

    /// Draws what belongs to one value. Its numbers are told where one points at the box.
    pub(super) fn value(
        &mut self,
        told: &Told,
        (left, top): Point,
        (right, bottom): Point,
        draw: impl FnOnce(&mut Drawing),
    ) {
        let name = escape(&clean(told.name));
        let mut numbers = vec![("value", told.value)];
        if told.value.is_some() && is_interval(told.low, told.high) {
            numbers.extend([("low", Some(told.low)), ("high", Some(told.high))]);
        }
        numbers.push(("paper", told.paper));
        self.write(format_args!("<g class=\"value\" data-name=\"{name}\""));
        for (key, value) in numbers {
            if let Some(value) = value.filter(usable) {
                self.write(format_args!(" data-{key}=\"{value}\""));
            }
        }
        self.write(format_args!("><title>{name}: {}</title>\n", told.text()));
        let (left, top, right, bottom) = (short(left), short(top), short(right), short(bottom));
        let outline = format!("M{left} {top}H{right}V{bottom}H{left}Z");
        self.write(format_args!("<path d=\"{outline}\" fill=\"none\" pointer-events=\"all\"/>\n"));
        draw(self);
        self.write(format_args!("</g>\n"));
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
            self.text((x + indent, y), name, Look { is_word: true, ..START });
            self.width = self.width.max(x + width + MARGIN);
            self.bottom = y;
            x += width + 24.0;
        }
    }

    fn key(&mut self, key: Key, (x, y): Point) {
        match key {
            Key::Nothing => {}
            Key::Marker(shape, paint) => self.marker((x, y), shape, 7.0, paint, false),
            Key::Hollow(shape) => self.marker((x, y), shape, 7.0, Paint::Ink, true),
            Key::Fill(fill) => self.filled((x - 16.0, y - 9.0), (x + 20.0, y + 8.0), fill),
            Key::Interval => self.interval((x - 14.0, y), (x + 14.0, y), Paint::Ink),
            Key::Series(index) => {
                self.line(&[(x - 22.0, y), (x + 22.0, y)], &series_stroke(index));
                self.marker((x, y), index, 7.0, Paint::Series(index), false);
            }
        }
    }

    /// Begins a plot with two numeric axes and draws the vertical one; `unit` follows its numbers.
    pub(super) fn plot(
        &mut self,
        range: Point,
        whole: bool,
        label: &str,
        unit: &str,
    ) -> (Frame, Axis) {
        let top = self.bottom + 14.0;
        let bottom = top + text_width(label, LARGE).max(400.0);
        let axis = Axis { whole, ..Axis::new(range, (bottom, top + 8.0)) };
        let ticks: Vec<(f64, String)> =
            axis.ticks().into_iter().map(|(value, text)| (value, text + unit)).collect();
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
            self.text(at, &line, Look { size: LARGE, is_word: true, ..MIDDLE });
        }
    }

    pub(super) fn label_beside(&mut self, centre: f64, label: &str) {
        let look = Look { size: LARGE, rotate: Some(-90.0), is_word: true, ..MIDDLE };
        self.text((MARGIN + 12.0, centre), label, look);
    }

    pub(super) fn text(&mut self, (x, y): Point, content: &str, look: Look) {
        let Look { size, anchor, rotate, paint, is_word } = look;
        let (x, y) = (short(x), short(y));
        let turn = rotate.map(|angle| format!(" transform=\"rotate({angle} {x} {y})\""));
        let anchor = match anchor {
            "start" => String::new(),
            anchor => format!(" text-anchor=\"{anchor}\""),
        };
        let class = paint.class("fill") + if is_word { "word" } else { "" };
        self.write(format_args!(
            "<text class=\"{}\" x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{}\"{anchor}{}>{}</text>\n",
            class.trim_end(),
            paint.plain(),
            turn.unwrap_or_default(),
            escape(&clean(content))
        ));
    }

    pub(super) fn line(&mut self, points: &[Point], &(paint, width, dashes): &Stroke) {
        let dashes = match dashes {
            "" => String::new(),
            dashes => format!(" stroke-dasharray=\"{dashes}\""),
        };
        self.shape(&path_of(points), Paint::None, paint, width, &dashes);
    }

    /// A whisker with caps, along one of the axes.
    pub(super) fn interval(&mut self, from: Point, to: Point, paint: Paint) {
        let (x, y) = if from.1 == to.1 { (0.0, 5.0) } else { (5.0, 0.0) };
        let cap = |end: Point| path_of(&[(end.0 - x, end.1 - y), (end.0 + x, end.1 + y)]);
        let whole = path_of(&[from, to]) + &cap(from) + &cap(to);
        self.path(&whole, Paint::None, paint, 1.6);
    }

    /// The shape of a series; hollow shapes are the values of papers.
    pub(super) fn marker(
        &mut self,
        at: Point,
        shape: usize,
        radius: f64,
        paint: Paint,
        hollow: bool,
    ) {
        let (corners, inner, turn) = MARKERS[shape % MARKERS.len()];
        let corner = |step: usize| {
            let radius = if step.is_multiple_of(2) { radius } else { radius * inner };
            let angle = (turn + 180.0 * step as f64 / corners as f64).to_radians();
            (at.0 + radius * angle.cos(), at.1 + radius * angle.sin())
        };
        let outline = path_of(&(0..2 * corners).map(corner).collect::<Vec<_>>()) + "Z";
        match hollow {
            true => self.path(&outline, Paint::None, paint, 2.0),
            false => self.path(&outline, paint, Paint::Paper, 0.8),
        }
    }

    /// A filled box. Series differ in their stripes too, for copies in black and white.
    pub(super) fn filled(&mut self, (left, top): Point, (right, bottom): Point, fill: Paint) {
        let [x, y, to_x, to_y] = [left, top, right, bottom].map(short);
        self.path(&format!("M{x} {y}H{to_x}V{to_y}H{x}Z"), fill, Paint::Soft, 1.0);
        let Paint::Series(series) = fill else { return };
        let mut stripes = String::new();
        let (is_across, from, to) = match series % 3 {
            0 => return,
            1 => (true, top, bottom),
            _ => (false, left, right),
        };
        for i in 1..((to - from) / STRIPE).ceil().clamp(1.0, 200.0) as usize {
            let at = short(from + i as f64 * STRIPE);
            let _ = match is_across {
                true => write!(stripes, "M{x} {at}H{to_x}"),
                false => write!(stripes, "M{at} {y}V{to_y}"),
            };
        }
        self.path(&stripes, Paint::None, Paint::Paper, 1.2);
    }

    pub(super) fn path(&mut self, outline: &str, fill: Paint, stroke: Paint, width: f64) {
        self.shape(outline, fill, stroke, width, "");
    }

    fn shape(&mut self, outline: &str, fill: Paint, stroke: Paint, width: f64, more: &str) {
        if outline.is_empty() {
            return;
        }
        let class = fill.class("fill") + &stroke.class("line");
        self.write(format_args!(
            "<path class=\"{}\" d=\"{outline}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{width}\"{more}/>\n",
            class.trim_end(),
            fill.plain(),
            stroke.plain()
        ));
    }
}

/// XML has no control characters.
fn clean(text: &str) -> String {
    let is_bad = |letter: char| letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}');
    text.replace(is_bad, " ")
}

fn path_of(points: &[Point]) -> String {
    let mut path = String::new();
    for (i, &(x, y)) in points.iter().enumerate() {
        let _ = write!(path, "{}{} {}", if i == 0 { 'M' } else { 'L' }, short(x), short(y));
    }
    path
}

/// The numbers of one value.
pub(super) struct Told<'a> {
    pub(super) name: &'a str,
    pub(super) value: Option<f64>,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) paper: Option<f64>,
}

impl Told<'_> {
    fn text(&self) -> String {
        let digits = |value: f64| number(value, decimals(value.abs(), 2).min(4));
        let mut text = self.value.map_or_else(String::new, digits);
        if self.value.is_some() && is_interval(self.low, self.high) {
            text += &format!(" [{}, {}]", digits(self.low), digits(self.high));
        }
        match self.paper.filter(usable) {
            Some(paper) if text.is_empty() => format!("paper {}", digits(paper)),
            Some(paper) => format!("{text}, paper {}", digits(paper)),
            None => text,
        }
    }
}

/// What stands before a name in the legend.
#[derive(Clone, Copy)]
pub(super) enum Key {
    Nothing,
    Interval,
    Series(usize),
    Marker(usize, Paint),
    Hollow(usize),
    Fill(Paint),
}

#[derive(Clone, Copy)]
pub(super) struct Look {
    pub(super) size: f64,
    pub(super) anchor: &'static str,
    pub(super) rotate: Option<f64>,
    pub(super) paint: Paint,
    /// It can be translated.
    pub(super) is_word: bool,
}

/// Paint, width and dashes.
pub(super) type Stroke = (Paint, f64, &'static str);

pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

pub(super) const START: Look =
    Look { size: SMALL, anchor: "start", rotate: None, paint: Paint::Ink, is_word: false };
pub(super) const MIDDLE: Look = Look { anchor: "middle", ..START };
pub(super) const END: Look = Look { anchor: "end", ..START };
pub(super) const FRAME: Stroke = (Paint::Ink, 1.2, "");
pub(super) const GRID: Stroke = (Paint::Grid, 1.0, "");
pub(super) const BASELINE: Stroke = (Paint::Soft, 1.2, "7 5");
const STRIPE: f64 = 6.0;

/// Shapes of markers: their corners, the radius halfway between two corners and the degrees of the
/// first corner. There are fewer than colours, so that more series can be told apart than either
/// has.
const MARKERS: [(usize, f64, f64); 7] = [
    (12, 1.0, 0.0),
    (4, SLANT, 45.0),
    (3, 0.5, -90.0),
    (4, SLANT, 0.0),
    (3, 0.5, 90.0),
    (5, 0.45, -90.0),
    (4, 0.45, 45.0),
];
/// The marker of a paper beside a series that stands alone.
pub(super) const DIAMOND: usize = 3;

const DASHES: [&str; 5] = ["", "10 5", "2 5", "12 5 2 5", "20 6"];

pub(super) fn series_stroke(series: usize) -> Stroke {
    (Paint::Series(series), 2.0, DASHES[series % DASHES.len()])
}

/// Light to dark blue, so that a copy in black and white keeps the order.
pub(super) fn shade(value: f64, low: f64, high: f64) -> Paint {
    let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
    let mix = |from: f64, to: f64| (from + (to - from) * share).round() as u8;
    Paint::Fixed([mix(247.0, 8.0), mix(251.0, 48.0), mix(255.0, 107.0)])
}

/// What can be read on it.
pub(super) fn contrast(fill: Paint) -> Paint {
    match fill {
        Paint::Fixed([_, green, _]) if green < 125 => Paint::Fixed([255; 3]),
        Paint::Fixed(_) => Paint::Fixed([0; 3]),
        _ => Paint::Ink,
    }
}
