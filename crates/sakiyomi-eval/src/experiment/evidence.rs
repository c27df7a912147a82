//! What was counted in a cell, and what it says about a quantity.

use std::collections::BTreeMap;

use sakiyomi_core::stats::{Interval, Tally, Z95, mean_interval, wilson};
use serde::Serialize;

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
    pub turns: Lengths,
    /// In rounds, where the game counts rounds, and otherwise in turns.
    pub lengths: Lengths,
    /// What was measured, if it was not games that were played.
    pub values: Vec<f64>,
}

/// The results of the games of each length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lengths(pub BTreeMap<u32, Tally>);

/// What one asks of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    Score,
    /// The score over all cells of a row of a round robin.
    Row,
    Wins,
    Draws,
    Losses,
    Won,
    Drawn,
    Lost,
    Turns,
    Length,
    NashConv,
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
    pub(super) const NAMES: [(&'static str, Quantity); 11] = [
        ("score", Quantity::Score),
        ("row", Quantity::Row),
        ("wins", Quantity::Wins),
        ("draws", Quantity::Draws),
        ("losses", Quantity::Losses),
        ("won", Quantity::Won),
        ("drawn", Quantity::Drawn),
        ("lost", Quantity::Lost),
        ("turns", Quantity::Turns),
        ("length", Quantity::Length),
        ("nash_conv", Quantity::NashConv),
    ];

    /// What a figure writes beside its axis.
    pub fn label(self) -> &'static str {
        match self {
            Quantity::Score | Quantity::Row => "score",
            Quantity::Wins => "share of wins",
            Quantity::Draws => "share of draws",
            Quantity::Losses => "share of losses",
            Quantity::Won => "games won",
            Quantity::Drawn => "games drawn",
            Quantity::Lost => "games lost",
            Quantity::Turns => "turns a game",
            Quantity::Length => "length of a game",
            Quantity::NashConv => "NashConv",
        }
    }

    /// Whether one can ask for it in this part of the games.
    pub(super) fn has(self, part: Part) -> bool {
        match (self, part) {
            (_, Part::All) => true,
            (Quantity::Turns | Quantity::Length, Part::Seat(_)) => false,
            (Quantity::Turns | Quantity::Length, _) => true,
            (Quantity::NashConv, _) => false,
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

impl Lengths {
    /// Counts one game, or several.
    pub fn add(&mut self, length: u32, tally: Tally) {
        *self.0.entry(length).or_default() += tally;
    }

    /// The mean length of a part of the games.
    pub fn mean(&self, part: Part) -> Option<Estimate> {
        let (mut n, mut sum, mut squares) = (0, 0.0, 0.0);
        for (&length, tally) in &self.0 {
            let count = match part {
                Part::All => tally.games(),
                Part::Won => tally.wins,
                Part::Drawn => tally.draws,
                Part::Lost => tally.losses,
                Part::Seat(_) => return None,
            };
            n += count;
            sum += f64::from(length) * count as f64;
            squares += f64::from(length).powi(2) * count as f64;
        }
        mean_interval(n, sum, squares).map(Estimate::not_negative)
    }

    fn mirrored(&self) -> Lengths {
        Lengths(self.0.iter().map(|(&length, tally)| (length, tally.mirrored())).collect())
    }
}

impl Evidence {
    /// Games played, or measurements made.
    pub fn n(&self) -> u64 {
        self.tally.games() + self.values.len() as u64
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

    /// Adds the counts of other games.
    pub fn add(&mut self, other: &Evidence) {
        self.tally += other.tally;
        self.seats.resize(self.seats.len().max(other.seats.len()), Tally::default());
        for (seat, more) in self.seats.iter_mut().zip(&other.seats) {
            *seat += *more;
        }
        other.turns.0.iter().for_each(|(&turns, &tally)| self.turns.add(turns, tally));
        other.lengths.0.iter().for_each(|(&length, &tally)| self.lengths.add(length, tally));
        self.values.extend_from_slice(&other.values);
    }

    /// The same games of two players as the second agent sees them.
    #[must_use]
    pub fn mirrored(&self) -> Evidence {
        Evidence {
            tally: self.tally.mirrored(),
            seats: self.seats.iter().rev().map(Tally::mirrored).collect(),
            turns: self.turns.mirrored(),
            lengths: self.lengths.mirrored(),
            values: self.values.clone(),
        }
    }

    /// What is known of a quantity; nothing if there are no games of this part.
    pub fn estimate(&self, quantity: Quantity, part: Part) -> Option<Estimate> {
        match quantity {
            Quantity::Turns => return self.turns.mean(part),
            Quantity::Length => return self.lengths.mean(part),
            Quantity::NashConv => {
                let squares = self.values.iter().map(|value| value * value).sum();
                let n = self.values.len() as u64;
                let measured = mean_interval(n, self.values.iter().sum(), squares);
                // No strategy is worse than its best response, so nothing is below 0.
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
        let mut turns = Lengths::default();
        turns.add(10, Tally { losses, ..Tally::default() });
        turns.add(12, Tally { wins, draws, losses: 0 });
        let seats = vec![tally, Tally::default()];
        Evidence { tally, seats, lengths: turns.clone(), turns, values: Vec::new() }
    }

    #[test]
    fn evidence_adds_up() {
        let mut sum = evidence(1, 2, 3);
        sum.add(&evidence(10, 20, 30));
        assert_eq!(sum.tally, Tally { wins: 11, draws: 22, losses: 33 });
        assert_eq!(sum.turns.0[&12], Tally { wins: 11, draws: 22, losses: 0 });
        let mut empty = Evidence::default();
        empty.add(&sum);
        assert_eq!(empty, sum);
        assert_eq!(Evidence::default().estimate(Quantity::Score, Part::All), None);
        let one = evidence(1, 0, 0).estimate(Quantity::Turns, Part::All).unwrap();
        assert!(one.high.is_infinite() && one.low == 0.0, "{one:?}");
        let two = evidence(1, 0, 1).estimate(Quantity::Turns, Part::All).unwrap();
        assert!(two.low == 0.0 && two.high > 12.0, "no game has a negative length: {two:?}");
    }

    #[test]
    fn lengths_are_of_a_part_of_the_games() {
        let games = evidence(10, 0, 20);
        let mean = |part| games.lengths.mean(part).map(|mean| mean.value);
        assert_eq!(
            (mean(Part::Won), mean(Part::Lost), mean(Part::Drawn)),
            (Some(12.0), Some(10.0), None)
        );
        assert_eq!(games.mirrored().lengths.mean(Part::Won).map(|mean| mean.value), Some(10.0));
        let values = Evidence { values: vec![0.2, 0.4], ..Evidence::default() };
        let estimate = values.estimate(Quantity::NashConv, Part::All).unwrap();
        assert!((estimate.value - 0.3).abs() < 1e-12 && estimate.low == 0.0 && values.n() == 2);
    }
}
