//! The figures of reports and of the page: what they show, as data, and how it is drawn, once, as
//! SVG.

use serde::{Deserialize, Serialize};

mod axis;
mod drawing;
mod maps;
mod plots;
use drawing::Drawing;

pub use maps::{MapPicture, UnitPicture};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Written on top, unless it is empty.
    pub title: String,
    pub content: Content,
}

/// What a figure shows, without its title.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Content {
    /// One point per bar with its 95 % interval, beside the value of a paper if there is one.
    /// Bars of several series share a row if they have the same label.
    Bars { value_label: String, bars: Vec<Bar>, baseline: Option<f64> },
    /// Lines over numbers; names are no numbers and have [`Content::Bars`].
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
    Maps { maps: Vec<MapPicture> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    pub label: String,
    /// Empty if there is only one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub series: String,
    /// Nothing if only a paper has it; then there is no interval either.
    pub value: Option<f64>,
    pub low: f64,
    pub high: f64,
    pub reference: Option<f64>,
}

/// The references are points (x, y) of a paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    pub name: String,
    pub points: Vec<CurvePoint>,
    pub references: Vec<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    pub x: f64,
    pub y: f64,
    pub low: f64,
    pub high: f64,
}

/// How often each value occurred; the values are mostly integers, such as turns of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    pub name: String,
    pub counts: Vec<(f64, u64)>,
}

impl Figure {
    pub fn to_svg(&self) -> String {
        let mut drawing = Drawing::new(&self.title);
        match &self.content {
            Content::Bars { value_label, bars, baseline } => {
                plots::draw_bars(&mut drawing, value_label, bars, *baseline);
            }
            Content::Curves { x_label, y_label, log_x, curves, baseline } => {
                let labels = [x_label.as_str(), y_label];
                plots::draw_curves(&mut drawing, labels, *log_x, curves, *baseline);
            }
            Content::Histogram { x_label, y_label, series } => {
                plots::draw_histogram(&mut drawing, [x_label, y_label], series);
            }
            Content::HeatMap { x_label, y_label, value_label, columns, rows, values, range } => {
                let labels = [x_label.as_str(), y_label, value_label];
                plots::draw_heat_map(&mut drawing, labels, columns, rows, values, *range);
            }
            Content::Maps { maps } => maps::draw_maps(&mut drawing, maps),
        }
        drawing.into_svg()
    }
}

impl Content {
    /// The values as a table: comma-separated, with a line of names on top.
    pub fn to_csv(&self) -> String {
        let text = |text: &str| text.to_owned();
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let rows: Vec<Vec<String>> = match self {
            Content::Bars { value_label, bars, .. } => {
                let header = ["name", "series", value_label, "low", "high", "paper"].map(text);
                let row = |bar: &Bar| {
                    let [low, high] = [bar.low, bar.high].map(|end| bar.value.and(Some(end)));
                    let numbers = [bar.value, low, high, bar.reference].map(number);
                    [bar.label.clone(), bar.series.clone()].into_iter().chain(numbers).collect()
                };
                [header.to_vec()].into_iter().chain(bars.iter().map(row)).collect()
            }
            Content::Curves { x_label, y_label, curves, .. } => {
                let header = ["series", x_label, y_label, "low", "high", "paper"].map(text);
                [header.to_vec()].into_iter().chain(curves.iter().flat_map(curve_rows)).collect()
            }
            Content::Histogram { x_label, series, .. } => {
                let rows = series.iter().flat_map(|Counts { name, counts }| {
                    counts
                        .iter()
                        .map(|(value, n)| vec![name.clone(), value.to_string(), n.to_string()])
                });
                [["series", x_label, "games"].map(text).to_vec()].into_iter().chain(rows).collect()
            }
            Content::HeatMap { x_label, y_label, columns, rows, values, .. } => {
                let corner = format!("{y_label} \\ {x_label}");
                let header = [corner].into_iter().chain(columns.iter().cloned()).collect();
                let row = |(i, name): (usize, &String)| {
                    let cells = (0..columns.len()).map(|column| i * columns.len() + column);
                    let cells = cells.map(|cell| number(values.get(cell).copied().flatten()));
                    [name.clone()].into_iter().chain(cells).collect()
                };
                [header].into_iter().chain(rows.iter().enumerate().map(row)).collect()
            }
            Content::Maps { .. } => Vec::new(),
        };
        let line = |row: Vec<String>| {
            row.iter().map(|cell| csv_cell(cell)).collect::<Vec<_>>().join(",") + "\n"
        };
        rows.into_iter().map(line).collect()
    }
}

/// Our points with those of the paper beside them, then those that only the paper has.
fn curve_rows(curve: &Curve) -> Vec<Vec<String>> {
    let Curve { name, points, references } = curve;
    let paper = |x: f64| references.iter().find(|reference| reference.0 == x).map(|r| r.1);
    let ours = points.iter().map(|p| (p.x, Some([p.y, p.low, p.high]), paper(p.x)));
    let is_alone = |reference: &&(f64, f64)| points.iter().all(|point| point.x != reference.0);
    let theirs = references.iter().filter(is_alone).map(|&(x, y)| (x, None, Some(y)));
    let row = |(x, ours, paper): (f64, Option<[f64; 3]>, Option<f64>)| {
        let ours = ours.map_or_else(Default::default, |ours| ours.map(|value| value.to_string()));
        let paper = paper.map_or_else(String::new, |paper| paper.to_string());
        [name.clone(), x.to_string()].into_iter().chain(ours).chain([paper]).collect()
    };
    ours.chain(theirs).map(row).collect()
}

/// Quoted where it must be.
fn csv_cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
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
            let series = if log_x { format!("series {}", index % 2) } else { String::new() };
            let (low, high) = (value, value + 0.1);
            Bar { label, series, value: Some(value), low, high, reference }
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

    fn bar(label: &str, series: &str, value: Option<f64>, reference: Option<f64>) -> Bar {
        let [label, series] = [label, series].map(str::to_owned);
        let (low, high) = value.map_or((0.0, 0.0), |value| (value - 0.1, value + 0.1));
        Bar { label, series, value, low, high, reference }
    }

    fn bars(bars: Vec<Bar>) -> Figure {
        let content = Content::Bars { value_label: "score".to_owned(), bars, baseline: None };
        Figure { title: String::new(), content }
    }

    #[test]
    fn series_share_the_rows_of_their_names_and_no_line_joins_them() {
        let svg = bars(vec![
            bar("hex", "a", Some(0.5), Some(0.6)),
            bar("hex", "b", Some(0.25), None),
            bar("go", "a", None, Some(0.75)),
        ])
        .to_svg();
        assert_eq!((svg.matches(">hex<").count(), svg.matches(">go<").count()), (1, 1), "{svg}");
        assert_eq!(svg.matches("class=\"value\"").count(), 3);
        assert!(svg.contains("<title>hex, a: 0.500 [0.400, 0.600], paper 0.600</title>"), "{svg}");
        assert!(svg.contains("data-name=\"go, a\" data-paper=\"0.75\"><title>go, a: paper 0.750"));
        let is_series_line = |line: &str| line.contains("line-s") && line.contains("fill=\"none\"");
        // Whiskers and hollow markers are the only shapes that are not filled.
        assert_eq!(svg.lines().filter(|line| is_series_line(line)).count(), 4, "{svg}");
    }

    #[test]
    fn colours_follow_the_scheme_and_have_plain_ones_beside_them() {
        for figure in figures(3, &[0.25, 0.5], false) {
            let svg = figure.to_svg();
            assert!(svg.contains("var(--figure-ink,light-dark("), "{svg}");
            for shape in svg.lines().filter(|line| line.starts_with("<text")) {
                assert!(shape.contains("fill=\"#"), "{shape}");
            }
        }
    }

    #[test]
    fn figures_are_tables_too() {
        let [curves, histogram, map] = [1, 2, 3].map(|i| figures(2, &[0.5, 2.0], false)[i].clone());
        let lines = |csv: &str| csv.lines().map(str::to_owned).collect::<Vec<_>>();
        let bars = bars(vec![bar("a, b", "", Some(0.5), None), bar("c", "", None, Some(1.0))]);
        let expected = ["name,series,score,low,high,paper", "\"a, b\",,0.5,0.4,0.6,", "c,,,,,1"];
        assert_eq!(lines(&bars.content.to_csv()), expected);
        assert_eq!(lines(&curves.content.to_csv())[0], "series,x & axis,y,low,high,paper");
        let name = format!("\"{}\"", LABELS[0]);
        assert!(curves.content.to_csv().contains(&format!("\n{name},0.5,0.5,0.4,0.5,0.5\n")));
        assert!(histogram.content.to_csv().contains(&format!("\n{name},2,3\n")));
        assert!(map.content.to_csv().starts_with(&format!("y \\ x & axis,{name},a & b < c\n")));
    }
}
