//! Cells that measure instead of playing matches: which run is theirs, and which of its readings they show.

use super::*;

/// What a run of evolution has in a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EvolutionFile {
    population: Spanned<Value>,
    games: Spanned<Value>,
    generations: Spanned<Value>,
    aircraft: bool,
}

/// What a series of features may show.
const FEATURES: [&str; 4] = ["turns", "kinds", "changes", "choices"];
/// Whose fitness a series may show.
const INDIVIDUALS: [&str; 3] = ["best", "mean", "worst"];
/// The probe of the paper, where a series does not say otherwise.
const PLAYOUTS: u64 = sakiyomi_search::PROBE_PLAYOUTS;
const PLIES: u64 = 10;

impl Reader<'_> {
    /// What an experiment of this kind measures.
    pub(super) fn reading(&self) -> Result<Reading, ExperimentError> {
        let of_kind = || Reading::ALL.into_iter().filter(|reading| reading.kind() == self.kind);
        let named = self.file.measure.as_ref();
        let found = match (named, of_kind().count()) {
            (Some(name), _) => of_kind().find(|reading| reading.name() == name.get_ref()),
            (None, 1) => of_kind().next(),
            (None, _) => return Err(self.missing("measure")),
        };
        let span = named.map_or_else(|| self.file.kind.span(), Spanned::span);
        found.ok_or_else(|| {
            let known: Vec<&str> = of_kind().map(Reading::name).collect();
            self.source.error(&span, format!("no such `measure`; known: {}", known.join(", ")))
        })
    }

    pub(super) fn measured_cell(
        &self,
        row: &Row,
        address: Address,
        runs: u64,
        variables: &Variables,
    ) -> Result<Cell, ExperimentError> {
        let reading = self.reading()?;
        let x = variables.iter().rev().find(|(name, _)| name == "x").map(|(_, value)| value);
        let of = self.measured(row, variables)?;
        let name = match reading {
            Reading::HitsAt => self.numbered(reading.name(), x)?,
            Reading::Feature => self.one_of(row, &FEATURES)?.to_owned(),
            Reading::Fitness => self.numbered(self.one_of(row, &INDIVIDUALS)?, x)?,
            _ => reading.name().to_owned(),
        };
        let agent = match (self.kind, &row.agent) {
            (Kind::Features, None) => AgentSpec::from(sakiyomi_catalog::RandomSpec),
            (_, agent) => {
                let agent = agent.as_ref().or(self.file.judge.as_ref());
                self.parse(
                    agent.ok_or_else(|| self.missing("agent in every [[series]]"))?,
                    variables,
                )?
            }
        };
        let game = row.game.as_ref().or(self.file.game.as_ref());
        let game = self.parse(game.ok_or_else(|| self.missing("game"))?, variables)?;
        let task = Task::Measure(Measurement { game, agent, of, seed: self.file.seed });
        let reading = Some((name, reading));
        Ok(Cell { address, task, games: runs, keep: false, paper: None, reading })
    }

    fn measured(&self, row: &Row, variables: &Variables) -> Result<Measured, ExperimentError> {
        let number = |value: Option<&Spanned<Value>>, default| match value {
            Some(value) => self.positive(value, variables),
            None => Ok(default),
        };
        Ok(match self.kind {
            Kind::Probe => Measured::Probe {
                playouts: number(row.playouts.as_ref(), PLAYOUTS)?,
                plies: number(row.plies.as_ref(), PLIES)? as usize,
            },
            Kind::Features => Measured::Features,
            Kind::Evolution => {
                let size =
                    self.file.evolution.as_ref().ok_or_else(|| self.missing("[evolution]"))?;
                Measured::Evolution(EvolutionSize {
                    population: self.positive(&size.population, variables)? as usize,
                    games: self.positive(&size.games, variables)?,
                    generations: self.positive(&size.generations, variables)? as usize,
                    aircraft: size.aircraft,
                })
            }
            _ => Measured::NashConv { fresh: row.fresh },
        })
    }

    /// A number above 0, or a variable that is one.
    fn positive(
        &self,
        value: &Spanned<Value>,
        variables: &Variables,
    ) -> Result<u64, ExperimentError> {
        let text = Spanned::new(value.span(), value_text(value.get_ref()));
        match self.parse(&text, variables)? {
            0 => Err(self.source.error(&value.span(), "expected at least 1")),
            number => Ok(number),
        }
    }

    /// What a series shows of several.
    fn one_of(&self, row: &Row, known: &[&'static str]) -> Result<&'static str, ExperimentError> {
        let of = row.of.as_ref().ok_or_else(|| self.missing("of in every [[series]]"))?;
        known.iter().find(|known| *known == of.get_ref()).copied().ok_or_else(|| {
            let message = format!("`of` is one of: {}", known.join(", "));
            self.source.error(&of.span(), message)
        })
    }

    /// The name of a reading at a value of x.
    fn numbered(&self, name: &str, x: Option<&String>) -> Result<String, ExperimentError> {
        let x = x.filter(|x| x.parse::<u32>().is_ok());
        let wrong = || {
            let span = self.file.x.as_ref().map_or(0..0, |x| x.values.span());
            self.source.error(&span, "`values` must be whole numbers from 0 on here")
        };
        x.map(|x| reading_at(name, x)).ok_or_else(wrong)
    }
}
