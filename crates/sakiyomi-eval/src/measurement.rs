//! What is measured of one game and one agent, beside matches between agents. A measurement is a row of
//! numbered runs, each of which gives readings: values with names.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, SpecError, Visitor, open_table};
use sakiyomi_core::{Player, Rng, Stop, Turn};
use sakiyomi_search::{MctsSettings, ProbeReport, ProbeSettings};
use serde::{Deserialize, Serialize};

use crate::exploit::Exploit;
use crate::{TaskError, run_exploit};

/// The values of one run, by their names.
pub type Readings = BTreeMap<String, f64>;

/// One agent at one game, and what is measured of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    pub game: GameSpec,
    pub agent: AgentSpec,
    pub of: Measured,
    pub seed: u64,
}

/// What is measured. Its text is how a store calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Measured {
    /// How exploitable the agent is: the reading `nash_conv`. Run number `n` is what `sakiyomi exploit`
    /// measures with the seed plus `n`; `fresh` asks the agent again in every state instead of following
    /// one tree from the start.
    NashConv { fresh: bool },
    /// Where a search with experience finds similar positions. Run number `n` is what `sakiyomi probe`
    /// measures with the seed plus `n`: `distance`, `deviation` (in thousandths), `hits` (the share of nodes with a similar
    /// position) and `hits_at@0`, `hits_at@1` .. (the share of hits at each distance).
    Probe { playouts: u64, plies: usize },
    /// A random match: its `turns`, the `kinds` of pieces seen in it, the share of turns after which the
    /// number of pieces has changed (`changes`), and the most actions of a player in a turn (`choices`).
    Features,
    /// A run of the paper's evolution of maps, judged by the agent: the `best`, the `mean` and the `worst`
    /// fitness of every generation, as `best@1`. Its worker is in the crate that evolves.
    Evolution(EvolutionSize),
}

/// How large a run of evolution is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvolutionSize {
    pub population: usize,
    /// Games that judge a map.
    pub games: u64,
    pub generations: usize,
    pub aircraft: bool,
}

/// Memory for the values of states of a measurement, in bytes.
const MEASURE_MEMORY: u64 = 4 << 30;

impl Measurement {
    pub fn is_evolution(&self) -> bool {
        matches!(self.of, Measured::Evolution(_))
    }

    /// Whether the agent can be measured so, before anything is begun.
    pub(crate) fn check(&self) -> Result<(), TaskError> {
        match self.of {
            Measured::NashConv { .. } => Ok(self.exploit(0).check()?),
            Measured::Probe { .. } => {
                self.experience()?;
                self.try_seat()
            }
            Measured::Features if self.agent.to_string() != "random" => {
                Err(self.wrong("features are those of games of `random`"))
            }
            Measured::Features => self.game.with(HasCells(self))?,
            Measured::Evolution(_) if self.game.to_string() != "tubstap" => {
                Err(self.wrong("evolution is of maps of `tubstap`"))
            }
            Measured::Evolution(_) => self.try_seat(),
        }
    }

    /// One run; nothing if it was stopped.
    pub(crate) fn run(&self, number: u64, stop: &Stop) -> Result<Option<Readings>, TaskError> {
        let readings = match self.of {
            Measured::NashConv { .. } => {
                match run_exploit(&self.exploit(number), stop, &mut |_| {}) {
                    _ if stop.requested() => return Ok(None),
                    measured => {
                        Readings::from([("nash_conv".to_owned(), measured?.last.nash_conv)])
                    }
                }
            }
            Measured::Probe { playouts, plies } => {
                let settings = ProbeSettings { playouts, plies };
                let seed = self.seed.wrapping_add(number);
                let search = self.experience()?;
                probe_readings(&self.game.with(Probe { search, settings, seed, stop })?)
            }
            Measured::Features => self.game.with(RandomMatch { seed: self.seed, number, stop })?,
            Measured::Evolution(_) => {
                return Err(self.wrong("evolution is no work of this worker"));
            }
        };
        Ok((!stop.requested()).then_some(readings))
    }

    fn exploit(&self, number: u64) -> Exploit {
        let budget = self.agent.tree_search().and_then(|settings| settings.budget.iterations);
        Exploit {
            game: self.game.clone(),
            agent: self.agent.clone(),
            checkpoints: budget.into_iter().collect(),
            fresh: self.of == Measured::NashConv { fresh: true },
            seed: self.seed.wrapping_add(number),
            memory: MEASURE_MEMORY,
        }
    }

    fn experience(&self) -> Result<&MctsSettings, TaskError> {
        let has_experience = |settings: &&MctsSettings| {
            let ucb1 = settings.selection.ucb().and_then(|ucb| ucb.ucb1());
            ucb1.is_some_and(|ucb1| ucb1.experience.is_some())
        };
        let search = self.agent.tree_search().filter(has_experience);
        search.ok_or_else(|| {
            self.wrong("it has no experience by one code; expected for example experience:huffman")
        })
    }

    fn try_seat(&self) -> Result<(), TaskError> {
        let mut table =
            open_table(&self.game, 0).map_err(|error| self.wrong(&error.to_string()))?;
        table.seat(Player(0), &self.agent).map_err(|error| self.wrong(&error.to_string()))
    }

    /// An error that names the agent.
    pub fn wrong(&self, message: &str) -> TaskError {
        SpecError { spec: self.agent.to_string(), message: message.to_owned() }.into()
    }
}

/// The name of a reading at a distance or of a generation.
pub fn reading_at(name: &str, x: &str) -> String {
    format!("{name}@{x}")
}

struct Probe<'a> {
    search: &'a MctsSettings,
    settings: ProbeSettings,
    seed: u64,
    stop: &'a Stop,
}

impl Visitor for Probe<'_> {
    type Out = ProbeReport;
    fn visit<G: CatalogGame>(self, game: G) -> ProbeReport {
        game.probe(self.search, self.settings, &mut Rng::new(self.seed), self.stop)
    }
}

fn probe_readings(report: &ProbeReport) -> Readings {
    let total = report.histograms.iter().flatten().sum::<u64>().max(1) as f64;
    let n_bins = report.histograms.iter().map(Vec::len).max().unwrap_or(0).max(N_DISTANCES);
    let hits_at = |distance: usize| -> u64 {
        report.histograms.iter().filter_map(|histogram| histogram.get(distance)).sum()
    };
    let shares = (0..n_bins).map(|distance| {
        (reading_at("hits_at", &distance.to_string()), hits_at(distance) as f64 / total)
    });
    let hits = report.counts.hits as f64 / report.counts.nodes.max(1) as f64;
    let own = [("deviation", Some(1000.0 * report.deviation)), ("hits", Some(hits))];
    let own = own.into_iter().chain([("distance", report.mean_distance)]);
    let own = own.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    own.chain(shares).collect()
}

/// Distances at which the share of hits is told even if there are none.
const N_DISTANCES: usize = 31;

struct HasCells<'a>(&'a Measurement);

impl Visitor for HasCells<'_> {
    type Out = Result<(), TaskError>;
    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        let wrong = || {
            let message = "it has no board of cells, of which pieces could be counted".to_owned();
            SpecError { spec: self.0.game.to_string(), message }.into()
        };
        game.cell_shape().map(drop).ok_or_else(wrong)
    }
}

/// Plays one random match and counts.
struct RandomMatch<'a> {
    seed: u64,
    number: u64,
    stop: &'a Stop,
}

impl Visitor for RandomMatch<'_> {
    type Out = Readings;
    fn visit<G: CatalogGame>(self, game: G) -> Readings {
        let mut rng = Rng::stream(&[self.seed, self.number, FEATURES]);
        let (mut state, mut actions, mut outcomes) = (game.start(), Vec::new(), Vec::new());
        let (mut n_turns, mut n_changes, mut most, mut cells) = (0u64, 0u64, 0, Vec::new());
        let mut kinds = std::collections::BTreeSet::new();
        let mut count = |state: &G::State| {
            cells.clear();
            game.cells(state, &mut cells);
            kinds.extend(cells.iter().copied().filter(|&piece| piece != 0));
            cells.iter().filter(|&&piece| piece != 0).count()
        };
        let mut n_pieces = count(&state);
        while !self.stop.requested() {
            match game.turn(&state) {
                Turn::Over(_) => break,
                Turn::Chance => {
                    let outcome = game.sample(&state, &mut outcomes, &mut rng);
                    game.apply(&mut state, &[outcome]);
                }
                Turn::Choose(who) => {
                    let mut joint = Vec::new();
                    for player in who {
                        actions.clear();
                        game.actions(&state, player, &mut actions);
                        most = most.max(actions.len());
                        joint.push(game.random_action(&state, player, &mut actions, &mut rng));
                    }
                    game.apply(&mut state, &joint);
                    n_turns += 1;
                    let before = std::mem::replace(&mut n_pieces, count(&state));
                    n_changes += u64::from(before != n_pieces);
                }
            }
        }
        let changes = n_changes as f64 / n_turns.max(1) as f64;
        [
            ("turns", n_turns as f64),
            ("kinds", kinds.len() as f64),
            ("changes", changes),
            ("choices", most as f64),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

/// Part of the address of random streams.
const FEATURES: u64 = 0x6665_6174;

const NASH_CONV: &str = "nash-conv";
const NASH_CONV_FRESH: &str = "nash-conv:fresh";
const PROBE: &str = "probe:";
const FEATURES_TEXT: &str = "features";
const EVOLUTION: &str = "evolution:";

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measured::NashConv { fresh: false } => f.write_str(NASH_CONV),
            Measured::NashConv { fresh: true } => f.write_str(NASH_CONV_FRESH),
            Measured::Probe { playouts, plies } => {
                write!(f, "{PROBE}playouts={playouts},plies={plies}")
            }
            Measured::Features => f.write_str(FEATURES_TEXT),
            Measured::Evolution(EvolutionSize { population, games, generations, aircraft }) => {
                write!(f, "{EVOLUTION}population={population},games={games},")?;
                write!(f, "generations={generations},aircraft={aircraft}")
            }
        }
    }
}

impl FromStr for Measured {
    type Err = String;

    fn from_str(text: &str) -> Result<Measured, String> {
        match text {
            NASH_CONV => return Ok(Measured::NashConv { fresh: false }),
            NASH_CONV_FRESH => return Ok(Measured::NashConv { fresh: true }),
            FEATURES_TEXT => return Ok(Measured::Features),
            _ => {}
        }
        let wrong = || format!("`{text}` is nothing that is measured");
        let fields = |text: &str, names: &[&str]| -> Option<Vec<String>> {
            let fields: Vec<&str> = text.split(',').collect();
            let values = fields
                .iter()
                .zip(names)
                .map(|(field, name)| Some(field.strip_prefix(name)?.strip_prefix('=')?.to_owned()));
            if fields.len() == names.len() { values.collect() } else { None }
        };
        let number = |text: &String| text.parse().map_err(|_| wrong());
        if let Some(rest) = text.strip_prefix(PROBE) {
            let values = fields(rest, &["playouts", "plies"]).ok_or_else(wrong)?;
            let plies = values[1].parse().map_err(|_| wrong())?;
            return Ok(Measured::Probe { playouts: number(&values[0])?, plies });
        }
        let rest = text.strip_prefix(EVOLUTION).ok_or_else(wrong)?;
        let names = ["population", "games", "generations", "aircraft"];
        let values = fields(rest, &names).ok_or_else(wrong)?;
        Ok(Measured::Evolution(EvolutionSize {
            population: values[0].parse().map_err(|_| wrong())?,
            games: number(&values[1])?,
            generations: values[2].parse().map_err(|_| wrong())?,
            aircraft: values[3].parse().map_err(|_| wrong())?,
        }))
    }
}

impl TryFrom<String> for Measured {
    type Error = String;
    fn try_from(text: String) -> Result<Measured, String> {
        text.parse()
    }
}

impl From<Measured> for String {
    fn from(measured: Measured) -> String {
        measured.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurement(game: &str, agent: &str, of: &str) -> Measurement {
        let (game, agent) = (game.parse().unwrap(), agent.parse().unwrap());
        Measurement { game, agent, of: of.parse().unwrap(), seed: 5 }
    }

    #[test]
    fn what_is_measured_is_read_as_it_is_written() {
        for text in [
            "nash-conv",
            "nash-conv:fresh",
            "probe:playouts=250,plies=10",
            "features",
            "evolution:population=20,games=10,generations=3,aircraft=false",
        ] {
            assert_eq!(text.parse::<Measured>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "probe:",
            "probe:plies=1,playouts=2",
            "evolution:population=x",
            "probe:playouts=1,plies=2,",
        ] {
            assert!(text.parse::<Measured>().is_err(), "{text}");
        }
    }

    /// In tic-tac-toe every turn adds a piece, the first has nine choices, and there are two kinds.
    #[test]
    fn features_of_tic_tac_toe() {
        let measurement = measurement("tic-tac-toe", "random", "features");
        measurement.check().unwrap();
        for number in 0..20 {
            let readings = measurement.run(number, &Stop::new()).unwrap().unwrap();
            assert_eq!(
                [readings["kinds"], readings["changes"], readings["choices"]],
                [2.0, 1.0, 9.0]
            );
            assert!((5.0..=9.0).contains(&readings["turns"]));
        }
    }

    #[test]
    fn a_probe_tells_where_hits_are() {
        let measurement =
            measurement("tic-tac-toe", "experience:huffman", "probe:playouts=30,plies=4");
        measurement.check().unwrap();
        let readings = measurement.run(0, &Stop::new()).unwrap().unwrap();
        let shares: f64 =
            readings.iter().filter(|(name, _)| name.starts_with("hits_at@")).map(|(_, x)| x).sum();
        assert!((shares - 1.0).abs() < 1e-9, "{readings:?}");
        assert!(readings["distance"] > 0.0 && readings["hits"] > 0.0);
        assert_eq!(measurement.run(0, &Stop::new()).unwrap().unwrap(), readings);
        assert_ne!(measurement.run(1, &Stop::new()).unwrap().unwrap(), readings);
    }

    #[test]
    fn what_cannot_be_measured_is_an_error_at_once() {
        let refused = |game: &str, agent: &str, of: &str, part: &str| {
            let error = measurement(game, agent, of).check().unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        refused("tic-tac-toe", "uct", "probe:playouts=9,plies=2", "no experience");
        refused("tic-tac-toe", "uct", "features", "`random`");
        let evolution = "evolution:population=6,games=4,generations=2,aircraft=true";
        refused("othello", "uct", evolution, "`tubstap`");
        let stop = Stop::new();
        stop.request();
        let stopped = measurement("tic-tac-toe", "random", "features").run(0, &stop).unwrap();
        assert_eq!(stopped, None);
    }
}
