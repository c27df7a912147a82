//! Reading experiment files. What is wrong is said with file, line, column and field.

mod measured;

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use sakiyomi_catalog::{AgentSpec, GameSpec, SpecError, read_text};
use sakiyomi_core::Fault;
use sakiyomi_core::stats::Tally;
use serde::Deserialize;
use toml::{Spanned, Value};

use super::claim::{Claim, Test};
use super::{
    Address, Axis, Cell, Experiment, Kind, Layout, PaperNumbers, Quantity, Reading, Scale,
};
use crate::{
    EvolutionSize, Measure, Measured, Measurement, Openings, Pairing, Task, parse_agents,
    reading_at,
};

/// What is wrong with an experiment file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentError {
    #[error("{}: {message}", file.display())]
    File { file: PathBuf, message: String },
    #[error("{}:{line}:{column}: {message}", file.display())]
    Place { file: PathBuf, line: usize, column: usize, message: String },
}

impl Fault for ExperimentError {}

pub(super) fn load(path: &Path) -> Result<Experiment, ExperimentError> {
    let text = read_text(path).map_err(|error| ExperimentError::File {
        file: path.to_owned(),
        message: format!("cannot be read: {error}"),
    })?;
    read(path, &text)
}

/// The file as written. Which of these are needed depends on the kind.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    id: Spanned<String>,
    title: String,
    kind: Spanned<String>,
    repeats: Option<String>,
    notes: Option<String>,
    #[serde(default = "one")]
    seed: u64,
    #[serde(default)]
    keep: bool,
    openings: Option<Spanned<u64>>,
    #[serde(rename = "opening-plies")]
    opening_plies: Option<Spanned<u32>>,
    /// The games that each of the paper's scores is of.
    paper_games: Option<u64>,
    scale: BTreeMap<String, BTreeMap<String, Value>>,
    measure: Option<Spanned<String>>,
    game: Option<Spanned<String>>,
    first: Option<Spanned<String>>,
    second: Option<Spanned<String>>,
    x: Option<AxisFile>,
    y: Option<AxisFile>,
    /// Who judges maps, if the series have no agents.
    judge: Option<Spanned<String>>,
    evolution: Option<measured::EvolutionFile>,
    #[serde(default)]
    duel: Vec<Row>,
    #[serde(default)]
    series: Vec<Row>,
    #[serde(default)]
    agent: Vec<AgentRow>,
    #[serde(default)]
    paper: Vec<PaperCell>,
    #[serde(default)]
    claim: Vec<ClaimFile>,
}

fn one() -> u64 {
    1
}

/// A duel, or a series of a curve or histogram.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// Other than the scale says.
    games: Option<Spanned<Value>>,
    game: Option<Spanned<String>>,
    first: Option<Spanned<String>>,
    second: Option<Spanned<String>>,
    /// Of a series that is measured.
    agent: Option<Spanned<String>>,
    /// Which feature of random games, or whose fitness, a series shows.
    of: Option<Spanned<String>>,
    /// Of a probe.
    playouts: Option<Spanned<Value>>,
    plies: Option<Spanned<Value>>,
    /// Asks that agent afresh in every state.
    #[serde(default)]
    fresh: bool,
    paper: Option<PaperFile>,
    paper_seats: Option<Vec<Tally>>,
    /// Of a curve, one score for each value of x.
    paper_scores: Option<Spanned<Vec<f64>>>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum PaperFile {
    Tally(Tally),
    Score { score: f64 },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentRow {
    name: String,
    spec: Spanned<String>,
}

/// A number of a round robin's table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PaperCell {
    row: Spanned<String>,
    column: Spanned<String>,
    score: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AxisFile {
    label: String,
    values: Spanned<Vec<Value>>,
    #[serde(default)]
    log: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimFile {
    text: String,
    test: Spanned<String>,
}

pub(super) fn read(path: &Path, text: &str) -> Result<Experiment, ExperimentError> {
    let source = Source { path, text };
    let file: File = toml::from_str(text).map_err(|error| match error.span() {
        Some(span) => source.error(&span, error.message()),
        None => ExperimentError::File { file: path.to_owned(), message: error.to_string() },
    })?;
    let id = file.id.get_ref();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if id.is_empty() || !id.chars().all(is_plain) {
        return Err(source.error(&file.id.span(), "an id has small letters, digits and hyphens"));
    }
    let kind = file.kind.get_ref().parse();
    let kind = kind.map_err(|message: String| source.error(&file.kind.span(), message))?;
    let reader = Reader { source, file: &file, kind };
    let layout = reader.layout()?;
    let quick = reader.cells(&layout, Scale::Quick)?;
    let paper = reader.cells(&layout, Scale::Paper)?;
    Ok(Experiment {
        id: id.clone(),
        title: file.title.clone(),
        repeats: file.repeats.clone(),
        notes: file.notes.clone(),
        claims: reader.claims(&layout, &quick)?,
        layout,
        file: path.to_owned(),
        quick,
        paper,
    })
}

#[derive(Clone, Copy)]
struct Source<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    fn error(&self, span: &Range<usize>, message: impl Into<String>) -> ExperimentError {
        let before = &self.text[..span.start.min(self.text.len())];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ExperimentError::Place {
            file: self.path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }
}

/// The variables of one cell: `{x}`, `{y}` and those of the scale.
type Variables = Vec<(String, String)>;

struct Reader<'a> {
    source: Source<'a>,
    file: &'a File,
    kind: Kind,
}

impl Reader<'_> {
    fn missing(&self, field: &str) -> ExperimentError {
        let message = format!("an experiment of kind `{}` needs `{field}`", self.kind);
        self.source.error(&self.file.kind.span(), message)
    }

    fn layout(&self) -> Result<Layout, ExperimentError> {
        let file = self.file;
        let names = |rows: &[Row]| rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>();
        let need =
            |is_there: bool, field: &str| if is_there { Ok(()) } else { Err(self.missing(field)) };
        Ok(match self.kind {
            Kind::Duels => {
                need(!file.duel.is_empty(), "[[duel]]")?;
                Layout::Duels
            }
            Kind::RoundRobin => {
                need(file.agent.len() > 1, "two or more [[agent]]")?;
                Layout::RoundRobin { agents: file.agent.iter().map(|a| a.name.clone()).collect() }
            }
            Kind::Curve | Kind::Exploitability | Kind::Probe | Kind::Features | Kind::Evolution => {
                need(!file.series.is_empty(), "[[series]]")?;
                let x = self.axis(file.x.as_ref(), "x")?;
                let measure = match self.kind.is_measured() {
                    true => Quantity::Measured(self.reading()?),
                    false => self.measure()?,
                };
                Layout::Curve { x, series: names(&file.series), measure }
            }
            Kind::Histogram => {
                need(!file.series.is_empty(), "[[series]]")?;
                Layout::Histogram { series: names(&file.series) }
            }
            Kind::Sweep => Layout::Sweep {
                x: self.axis(file.x.as_ref(), "x")?,
                y: self.axis(file.y.as_ref(), "y")?,
                measure: self.measure()?,
            },
            Kind::Game => Layout::Game,
        })
    }

    fn axis(&self, axis: Option<&AxisFile>, name: &str) -> Result<Axis, ExperimentError> {
        let axis = axis.ok_or_else(|| self.missing(name))?;
        let values: Vec<String> = axis.values.get_ref().iter().map(value_text).collect();
        let is_number = |value: &String| value.parse::<f64>().is_ok_and(|x| !axis.log || x > 0.0);
        let message = match () {
            () if values.is_empty() => "`values` must not be empty",
            () if axis.log && !values.iter().all(is_number) => {
                "`values` of an axis with `log = true` must be positive numbers"
            }
            () => {
                return Ok(Axis { label: axis.label.clone(), values, log: axis.log });
            }
        };
        Err(self.source.error(&axis.values.span(), message))
    }

    fn measure(&self) -> Result<Quantity, ExperimentError> {
        let Some(measure) = &self.file.measure else { return Ok(Quantity::Score) };
        let shown = |quantity: &Quantity| {
            matches!(quantity, Quantity::Score | Quantity::Draws | Quantity::Mean(_))
        };
        let name = measure.get_ref();
        Quantity::named(name).filter(shown).ok_or_else(|| {
            let known: Vec<&str> = ["score", "draws"]
                .into_iter()
                .chain(Measure::all().map(|m| m.entry().name))
                .collect();
            let message = format!("`{name}` is no measure; known: {}", known.join(", "));
            self.source.error(&measure.span(), message)
        })
    }

    /// The random first moves of all matches of the file.
    fn openings(&self) -> Result<Option<Openings>, ExperimentError> {
        let plies = self.file.opening_plies.as_ref();
        let Some(n) = &self.file.openings else {
            return match plies {
                None => Ok(None),
                Some(plies) => {
                    let message = "`opening-plies` needs `openings`, the number of openings";
                    Err(self.source.error(&plies.span(), message))
                }
            };
        };
        let positive = NonZeroU64::new(*n.get_ref());
        let n = positive.ok_or_else(|| self.source.error(&n.span(), "expected at least 1"))?;
        let plies = plies.map_or(Openings::DEFAULT_PLIES, |plies| *plies.get_ref());
        Ok(Some(Openings { n, plies }))
    }

    fn cells(&self, layout: &Layout, scale: Scale) -> Result<Vec<Cell>, ExperimentError> {
        let (games, variables) = self.scale(scale)?;
        let cells = match layout {
            Layout::Duels | Layout::Histogram { .. } => self
                .rows()
                .iter()
                .map(|row| self.row_cell(row, Address::named(&row.name), games, &variables))
                .collect::<Result<Vec<_>, _>>()?,
            Layout::RoundRobin { .. } => self.round_robin(games, &variables)?,
            Layout::Curve { x, .. } => self.curve(x, games, &variables)?,
            Layout::Sweep { x, y, .. } => {
                let mut cells = Vec::new();
                for (x, y) in x.values.iter().flat_map(|x| y.values.iter().map(move |y| (x, y))) {
                    let variables = with(&with(&variables, "x", x), "y", y);
                    cells.push(self.cell(Address::grid(x, y), [None; 3], games, &variables)?);
                }
                cells
            }
            Layout::Game => {
                let cell = self.cell(Address::Game, [None; 3], 1, &variables)?;
                vec![Cell { keep: true, ..cell }]
            }
        };
        for (i, cell) in cells.iter().enumerate() {
            if cells[..i].iter().any(|other| other.address == cell.address) {
                let message = format!("two cells are called `{}`", cell.address);
                return Err(self.source.error(&self.file.kind.span(), message));
            }
        }
        Ok(cells)
    }

    /// The number of games at this scale, and its other variables.
    fn scale(&self, scale: Scale) -> Result<(u64, Variables), ExperimentError> {
        let variables = self.file.scale.get(&scale.to_string());
        let variables = variables.ok_or_else(|| self.missing(&format!("[scale.{scale}]")))?;
        let count = self.kind.counted();
        let games = match (self.kind, variables.get(count)) {
            (Kind::Game, _) => 1,
            (_, Some(Value::Integer(n))) if *n > 0 => *n as u64,
            _ => return Err(self.missing(&format!("a positive `{count}` in [scale.{scale}]"))),
        };
        let text = |(name, value): (&String, &Value)| (name.clone(), value_text(value));
        Ok((games, variables.iter().map(text).collect()))
    }

    fn rows(&self) -> &[Row] {
        if self.file.duel.is_empty() { &self.file.series } else { &self.file.duel }
    }

    fn row_cell(
        &self,
        row: &Row,
        address: Address,
        games: u64,
        variables: &Variables,
    ) -> Result<Cell, ExperimentError> {
        if self.kind.is_measured() {
            return self.measured_cell(row, address, games, variables);
        }
        let fields = [row.game.as_ref(), row.first.as_ref(), row.second.as_ref()];
        let games = self.games_of_row(row, games, variables)?;
        let mut cell = self.cell(address, fields, games, variables)?;
        let seats = row.paper_seats.clone().unwrap_or_default();
        let tally = match row.paper {
            Some(PaperFile::Tally(tally)) => Some(tally),
            _ => (!seats.is_empty()).then(|| seats.iter().sum()),
        };
        let score = match row.paper {
            Some(PaperFile::Score { score }) => Some(score),
            _ => tally.as_ref().and_then(Tally::score),
        };
        let numbers = |score| PaperNumbers {
            tally,
            seats,
            ..PaperNumbers::of_score(score, self.file.paper_games)
        };
        cell.paper = score.map(numbers);
        Ok(cell)
    }

    /// The games of a row: its own number or variable, or those of the scale.
    fn games_of_row(
        &self,
        row: &Row,
        games: u64,
        variables: &Variables,
    ) -> Result<u64, ExperimentError> {
        let Some(own) = &row.games else { return Ok(games) };
        let text = Spanned::new(own.span(), value_text(own.get_ref()));
        let own: u64 = self.parse(&text, variables)?;
        match own {
            0 => Err(self.source.error(&text.span(), "`games` must be at least 1")),
            _ => Ok(own),
        }
    }

    fn curve(
        &self,
        x: &Axis,
        games: u64,
        variables: &Variables,
    ) -> Result<Vec<Cell>, ExperimentError> {
        let mut cells = Vec::new();
        for row in &self.file.series {
            let scores = row.paper_scores.as_ref();
            if let Some(scores) = scores.filter(|scores| scores.get_ref().len() != x.values.len()) {
                let message = format!("expected {} scores, one per value of x", x.values.len());
                return Err(self.source.error(&scores.span(), message));
            }
            for (i, value) in x.values.iter().enumerate() {
                let address = Address::point(&row.name, value);
                let mut cell = self.row_cell(row, address, games, &with(variables, "x", value))?;
                let score = scores.map(|scores| scores.get_ref()[i]);
                let numbers = |score| PaperNumbers::of_score(score, self.file.paper_games);
                cell.paper = score.map(numbers).or(cell.paper);
                cells.push(cell);
            }
        }
        Ok(cells)
    }

    fn round_robin(&self, games: u64, variables: &Variables) -> Result<Vec<Cell>, ExperimentError> {
        let agents = &self.file.agent;
        for cell in &self.file.paper {
            for name in [&cell.row, &cell.column] {
                if !agents.iter().any(|agent| agent.name == *name.get_ref()) {
                    let message = format!("no agent is called `{}`", name.get_ref());
                    return Err(self.source.error(&name.span(), message));
                }
            }
        }
        let n_players = self.n_players(variables)?;
        let mut cells = Vec::new();
        for (i, j) in (0..agents.len()).flat_map(|i| (0..agents.len()).map(move |j| (i, j))) {
            let (row, column) = (&agents[i], &agents[j]);
            // One against two of another is not two against one of it.
            if i < j || i > j && n_players > 2 {
                let fields = [None, Some(&row.spec), Some(&column.spec)];
                let address = Address::pair(&row.name, &column.name);
                let mut cell = self.cell(address, fields, games, variables)?;
                let is = |paper: &&PaperCell, row: &str, column: &str| {
                    paper.row.get_ref() == row && paper.column.get_ref() == column
                };
                let straight = self.file.paper.iter().find(|p| is(p, &row.name, &column.name));
                let turned = self.file.paper.iter().find(|p| is(p, &column.name, &row.name));
                let turned = turned.filter(|_| n_players == 2).map(|p| p.score);
                let score = straight.map(|p| p.score).or(turned.map(|score| 1.0 - score));
                let numbers = |score| PaperNumbers {
                    turned,
                    ..PaperNumbers::of_score(score, self.file.paper_games)
                };
                cell.paper = score.map(numbers);
                cells.push(cell);
            }
        }
        Ok(cells)
    }

    /// The players of the game that the whole file is about.
    fn n_players(&self, variables: &Variables) -> Result<usize, ExperimentError> {
        let text = self.file.game.as_ref().ok_or_else(|| self.missing("game"))?;
        let game: GameSpec = self.parse(text, variables)?;
        game.players().map_err(|error| self.source.error(&text.span(), error.to_string()))
    }

    /// A cell out of its own fields (game, first, second) or, where it has none, the file's.
    fn cell(
        &self,
        address: Address,
        own: [Option<&Spanned<String>>; 3],
        games: u64,
        variables: &Variables,
    ) -> Result<Cell, ExperimentError> {
        let file = self.file;
        let common = [file.game.as_ref(), file.first.as_ref(), file.second.as_ref()];
        let field = |i: usize, label: &str| own[i].or(common[i]).ok_or_else(|| self.missing(label));
        let (game, first, second) = (field(0, "game")?, field(1, "first")?, field(2, "second")?);
        let game: GameSpec = self.parse(game, variables)?;
        let first: AgentSpec = self.parse(first, variables)?;
        let others: Others = self.parse(second, variables)?;
        let agents = [vec![first], others.0].concat();
        let openings = self.openings()?;
        let task = Task::Matches(Pairing { openings, ..Pairing::of(game, agents, file.seed) });
        Ok(Cell { address, task, games, keep: file.keep, paper: None, reading: None })
    }

    /// Fills in the variables and reads the specification.
    fn parse<S: FromStr>(
        &self,
        template: &Spanned<String>,
        variables: &Variables,
    ) -> Result<S, ExperimentError>
    where
        S::Err: std::fmt::Display,
    {
        let mut text = template.get_ref().clone();
        for (name, value) in variables {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        if let Some(open) = text.find('{') {
            let name: String = text[open..].chars().take_while(|c| *c != '}').skip(1).collect();
            let known: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
            let message = format!("`{{{name}}}` is not set; known here: {}", known.join(", "));
            return Err(self.source.error(&template.span(), message));
        }
        text.parse().map_err(|error: S::Err| self.source.error(&template.span(), error.to_string()))
    }

    fn claims(&self, layout: &Layout, cells: &[Cell]) -> Result<Vec<Claim>, ExperimentError> {
        let mut claims = Vec::new();
        for claim in &self.file.claim {
            let wrong = |message| self.source.error(&claim.test.span(), message);
            let test = Test::parse(claim.test.get_ref()).map_err(wrong)?;
            let parsed = Claim { text: claim.text.clone(), test };
            for (name, quantity) in parsed.names() {
                let known: Vec<String> = match (quantity, layout) {
                    (Quantity::Row, Layout::RoundRobin { agents }) => agents.clone(),
                    (Quantity::MeanScore, Layout::Curve { series, .. }) => series.clone(),
                    (Quantity::Row | Quantity::MeanScore, _) => Vec::new(),
                    _ if cells.iter().any(|cell| cell.address.is_called(name)) => continue,
                    _ => cells.iter().map(|cell| cell.address.to_string()).collect(),
                };
                if !known.iter().any(|known| known == name) {
                    let known = known.join("; ");
                    return Err(wrong(format!("nothing is called `{name}`; known: {known}")));
                }
            }
            claims.push(parsed);
        }
        Ok(claims)
    }
}

/// One agent, or several with ` + ` between them.
struct Others(Vec<AgentSpec>);

impl FromStr for Others {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Others, SpecError> {
        parse_agents(text).map(Others)
    }
}

fn with(variables: &Variables, name: &str, value: &str) -> Variables {
    let mut variables = variables.clone();
    variables.push((name.to_owned(), value.to_owned()));
    variables
}

/// A value as it is written into a specification.
fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
