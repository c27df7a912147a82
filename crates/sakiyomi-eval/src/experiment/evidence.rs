//! What was counted in a cell, and what it says about a quantity.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use sakiyomi_core::stats::{Interval, Tally, Z95, mean_interval, wilson};
use serde::Serialize;

use super::Kind;
use crate::measure::{Measure, PerMeasure};
use crate::{Played, Results};

/// A value and the 95 % interval in which the truth lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// All that a report or a claim may ask for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    pub tally: Tally,
    pub seats: Vec<Tally>,
    pub measures: PerMeasure<Distribution>,
    /// What was measured by name, one value a run, if it was not games that were played.
    pub readings: BTreeMap<String, Vec<f64>>,
    pub n_runs: u64,
}

/// The results of the games with each value of a measure, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution(BTreeMap<Value, Tally>);

/// A number with a total order.
#[derive(Clone, Copy, Debug)]
struct Value(f64);

impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}

/// What one asks of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    Score,
    /// The score over all cells of a row of a round robin.
    Row,
    /// The mean score of a series of a curve over all values of x.
    MeanScore,
    Wins,
    Draws,
    Losses,
    Won,
    Drawn,
    Lost,
    /// The mean of a measure.
    Mean(Measure),
    /// The mean of what was measured in runs.
    Measured(Reading),
}

/// What is measured in runs, as claims and figures call it. A cell has one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    NashConv,
    /// The mean distance in the tree of similar positions.
    Distance,
    /// How much the shares of hits at each distance change from game to game.
    Deviation,
    /// The share of nodes with a similar position.
    Hits,
    /// The share of hits at a distance.
    HitsAt,
    /// Something of random games.
    Feature,
    /// Of the best, the mean or the worst individual of a generation.
    Fitness,
}

impl Reading {
    pub const ALL: [Reading; 7] = [
        Reading::NashConv,
        Reading::Distance,
        Reading::Deviation,
        Reading::Hits,
        Reading::HitsAt,
        Reading::Feature,
        Reading::Fitness,
    ];

    /// As claims and files write it.
    pub fn name(self) -> &'static str {
        match self {
            Reading::NashConv => "nash_conv",
            Reading::Distance => "distance",
            Reading::Deviation => "deviation",
            Reading::Hits => "hits",
            Reading::HitsAt => "hits_at",
            Reading::Feature => "feature",
            Reading::Fitness => "fitness",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Reading::NashConv => "NashConv",
            Reading::Distance => "mean distance in the tree",
            Reading::Deviation => "deviation between games, in thousandths",
            Reading::Hits => "share of nodes with a similar position",
            Reading::HitsAt => "share of hits",
            Reading::Feature => "mean of random games",
            Reading::Fitness => "fitness",
        }
    }

    /// The kind of the experiments that measure it.
    pub(super) fn kind(self) -> Kind {
        match self {
            Reading::NashConv => Kind::Exploitability,
            Reading::Distance | Reading::Deviation | Reading::Hits | Reading::HitsAt => Kind::Probe,
            Reading::Feature => Kind::Features,
            Reading::Fitness => Kind::Evolution,
        }
    }
}

/// Which games of a cell are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    All,
    /// From 0.
    Seat(usize),
    Won,
    Drawn,
    Lost,
}

impl Quantity {
    const NAMES: [(&'static str, Quantity); 9] = [
        ("score", Quantity::Score),
        ("row", Quantity::Row),
        ("mean", Quantity::MeanScore),
        ("wins", Quantity::Wins),
        ("draws", Quantity::Draws),
        ("losses", Quantity::Losses),
        ("won", Quantity::Won),
        ("drawn", Quantity::Drawn),
        ("lost", Quantity::Lost),
    ];

    /// All names, those of measures included.
    pub fn all() -> impl Iterator<Item = (&'static str, Quantity)> {
        let measures = Measure::all().map(|m| (m.entry().name, Quantity::Mean(m)));
        let readings = Reading::ALL.into_iter().map(|r| (r.name(), Quantity::Measured(r)));
        Quantity::NAMES.into_iter().chain(readings).chain(measures)
    }

    pub fn named(name: &str) -> Option<Quantity> {
        Quantity::all().find(|(known, _)| *known == name).map(|(_, quantity)| quantity)
    }

    /// What a figure writes beside its axis.
    pub fn label(self) -> &'static str {
        match self {
            Quantity::Score | Quantity::Row | Quantity::MeanScore => "score",
            Quantity::Wins => "share of wins",
            Quantity::Draws => "share of draws",
            Quantity::Losses => "share of losses",
            Quantity::Won => "games won",
            Quantity::Drawn => "games drawn",
            Quantity::Lost => "games lost",
            Quantity::Mean(measure) => measure.entry().label,
            Quantity::Measured(reading) => reading.label(),
        }
    }

    /// Whether one can ask for it in this part of the games.
    pub(super) fn has(self, part: Part) -> bool {
        match (self, part) {
            (_, Part::All) => true,
            (Quantity::Mean(_), part) => !matches!(part, Part::Seat(_)),
            (Quantity::Measured(_) | Quantity::MeanScore | Quantity::Row, _) => false,
            (_, part) => matches!(part, Part::Seat(_)),
        }
    }
}

impl Estimate {
    pub fn exactly(value: f64) -> Estimate {
        Estimate { value, low: value, high: value }
    }

    pub(super) fn within((value, Interval { low, high }): (f64, Interval)) -> Estimate {
        Estimate { value, low, high }
    }

    /// The same for what cannot be below 0, such as a length.
    fn not_negative((value, Interval { low, high }): (f64, Interval)) -> Estimate {
        Estimate::within((value, Interval { low: low.max(0.0), high }))
    }

    pub fn interval(&self) -> Interval {
        Interval { low: self.low, high: self.high }
    }

    /// The interval of the difference of two independent estimates, from theirs (Zou and Donner
    /// 2008, "MOVER").
    pub(super) fn minus(&self, other: &Estimate) -> Interval {
        let difference = self.value - other.value;
        let below = (self.value - self.low).hypot(other.high - other.value);
        let above = (self.high - self.value).hypot(other.value - other.low);
        Interval { low: difference - below, high: difference + above }
    }
}

impl Distribution {
    /// Counts one game, or several.
    pub fn add(&mut self, value: f64, tally: Tally) {
        *self.0.entry(Value(value)).or_default() += tally;
    }

    /// Values and their games, in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (f64, Tally)> {
        self.0.iter().map(|(&Value(value), &tally)| (value, tally))
    }

    /// The mean over a part of the games.
    pub fn mean(&self, part: Part) -> Option<Estimate> {
        let (mut n, mut sum, mut squares) = (0, 0.0, 0.0);
        for (value, tally) in self.iter() {
            let count = match part {
                Part::All => tally.games(),
                Part::Won => tally.wins,
                Part::Drawn => tally.draws,
                Part::Lost => tally.losses,
                Part::Seat(_) => return None,
            };
            n += count;
            sum += value * count as f64;
            squares += value.powi(2) * count as f64;
        }
        mean_interval(n, sum, squares).map(Estimate::not_negative)
    }

    fn mirrored(&self) -> Distribution {
        Distribution(self.0.iter().map(|(&value, tally)| (value, tally.mirrored())).collect())
    }
}

impl Evidence {
    /// Games played, or measurements made.
    pub fn n(&self) -> u64 {
        self.tally.games() + self.n_runs
    }

    /// Games of this part.
    pub(super) fn n_games(&self, part: Part) -> u64 {
        match part {
            Part::All => self.tally.games(),
            Part::Seat(seat) => self.seats.get(seat).map_or(0, Tally::games),
            Part::Won => self.tally.wins,
            Part::Drawn => self.tally.draws,
            Part::Lost => self.tally.losses,
        }
    }

    /// Counts results; `round` is the number of seats.
    pub fn count(&mut self, results: &Results, round: u64) {
        match results {
            Results::Games(games) => games.iter().for_each(|played| self.count_game(played, round)),
            Results::Readings(runs) => {
                self.n_runs += runs.len() as u64;
                for (name, value) in runs.iter().flatten() {
                    self.readings.entry(name.clone()).or_default().push(*value);
                }
            }
        }
    }

    /// Counts one game.
    pub fn count_game(&mut self, played: &Played, round: u64) {
        let tally = played.outcome.tally();
        self.tally += tally;
        self.seats.resize(self.seats.len().max(round as usize), Tally::default());
        self.seats[(played.number % round) as usize] += tally;
        for (measure, values) in self.measures.iter_mut() {
            if let Some(value) = played.measures[measure] {
                values.add(value, tally);
            }
        }
    }

    /// Adds the counts of other games.
    pub fn add(&mut self, other: &Evidence) {
        self.tally += other.tally;
        self.seats.resize(self.seats.len().max(other.seats.len()), Tally::default());
        for (seat, more) in self.seats.iter_mut().zip(&other.seats) {
            *seat += *more;
        }
        for (measure, values) in self.measures.iter_mut() {
            other.measures[measure].iter().for_each(|(value, tally)| values.add(value, tally));
        }
        self.n_runs += other.n_runs;
        for (name, values) in &other.readings {
            self.readings.entry(name.clone()).or_default().extend(values);
        }
    }

    /// Keeps one reading of those that its runs have, under the name of what it is.
    #[must_use]
    pub(super) fn reading(mut self, name: &str, reading: Reading) -> Evidence {
        let values = self.readings.remove(name);
        self.readings =
            values.map(|values| (reading.name().to_owned(), values)).into_iter().collect();
        self
    }

    /// The same games of two players as the second agent sees them.
    #[must_use]
    pub fn mirrored(&self) -> Evidence {
        let mut measures = PerMeasure::default();
        for (measure, values) in self.measures.iter() {
            if !measure.entry().of_first {
                measures[measure] = values.mirrored();
            }
        }
        Evidence {
            tally: self.tally.mirrored(),
            seats: self.seats.iter().rev().map(Tally::mirrored).collect(),
            measures,
            readings: self.readings.clone(),
            n_runs: self.n_runs,
        }
    }

    /// What is known of a quantity; nothing if there are no games of this part.
    pub fn estimate(&self, quantity: Quantity, part: Part) -> Option<Estimate> {
        match quantity {
            Quantity::Mean(measure) => return self.measures[measure].mean(part),
            Quantity::Measured(reading) => {
                let values = self.readings.get(reading.name())?;
                let squares = values.iter().map(|value| value * value).sum();
                let measured = mean_interval(values.len() as u64, values.iter().sum(), squares);
                // Nothing that is measured can be below 0.
                return measured.map(Estimate::not_negative);
            }
            _ => {}
        }
        let tally = match part {
            Part::Seat(seat) => *self.seats.get(seat)?,
            _ => self.tally,
        };
        let n = tally.games();
        let score = tally.score()?;
        let share = |count: u64| Estimate::within((count as f64 / n as f64, wilson(count, n, Z95)));
        Some(match quantity {
            Quantity::Wins => share(tally.wins),
            Quantity::Draws => share(tally.draws),
            Quantity::Losses => share(tally.losses),
            Quantity::Won => Estimate::exactly(tally.wins as f64),
            Quantity::Drawn => Estimate::exactly(tally.draws as f64),
            Quantity::Lost => Estimate::exactly(tally.losses as f64),
            _ => Estimate::within((score, tally.interval())),
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn evidence(wins: u64, draws: u64, losses: u64) -> Evidence {
        let tally = Tally { wins, draws, losses };
        let mut turns = Distribution::default();
        turns.add(10.0, Tally { losses, ..Tally::default() });
        turns.add(12.0, Tally { wins, draws, losses: 0 });
        let mut measures = PerMeasure::<Distribution>::default();
        measures[Measure::LENGTH] = turns.clone();
        measures[Measure::TURNS] = turns;
        let seats = vec![tally, Tally::default()];
        Evidence { tally, seats, measures, ..Evidence::default() }
    }

    pub(in super::super) fn nash_convs(values: &[f64]) -> Evidence {
        let readings = [("nash_conv".to_owned(), values.to_vec())].into();
        Evidence { readings, n_runs: values.len() as u64, ..Evidence::default() }
    }

    #[test]
    fn evidence_adds_up() {
        let mut sum = evidence(1, 2, 3);
        sum.add(&evidence(10, 20, 30));
        assert_eq!(sum.tally, Tally { wins: 11, draws: 22, losses: 33 });
        let turns: Vec<_> = sum.measures[Measure::TURNS].iter().collect();
        assert_eq!(turns[1], (12.0, Tally { wins: 11, draws: 22, losses: 0 }));
        let mut empty = Evidence::default();
        empty.add(&sum);
        assert_eq!(empty, sum);
        assert_eq!(Evidence::default().estimate(Quantity::Score, Part::All), None);
        let turns = Quantity::Mean(Measure::TURNS);
        let one = evidence(1, 0, 0).estimate(turns, Part::All).unwrap();
        assert!(one.high.is_infinite() && one.low == 0.0, "{one:?}");
        let two = evidence(1, 0, 1).estimate(turns, Part::All).unwrap();
        assert!(two.low == 0.0 && two.high > 12.0, "no game has a negative length: {two:?}");
    }

    #[test]
    fn lengths_are_of_a_part_of_the_games() {
        let games = evidence(10, 0, 20);
        let length = Quantity::Mean(Measure::LENGTH);
        let mean = |part| games.estimate(length, part).map(|mean| mean.value);
        assert_eq!(
            (mean(Part::Won), mean(Part::Lost), mean(Part::Drawn)),
            (Some(12.0), Some(10.0), None)
        );
        assert_eq!(games.mirrored().estimate(length, Part::Won).map(|mean| mean.value), Some(10.0));
        let values = nash_convs(&[0.2, 0.4]);
        let measured = Quantity::Measured(Reading::NashConv);
        let estimate = values.estimate(measured, Part::All).unwrap();
        assert!((estimate.value - 0.3).abs() < 1e-12 && estimate.low == 0.0 && values.n() == 2);
    }
}
