//! Where a cell stands in its experiment.

use std::fmt;

use super::{Estimate, Evidence, Part, Quantity};

/// The place of a cell. Its text is how claims and reports call it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// A duel, or a series of a histogram, by its name.
    Named(String),
    /// A pair of a round robin, seen from the agent of the row: `row - column`.
    Pair { row: String, column: String },
    /// A point of a curve: `series @ x`.
    Point { series: String, x: String },
    /// A point of a sweep: `x, y`.
    Grid { x: String, y: String },
    /// The one match of an experiment that shows a match: `game`.
    Game,
}

impl Address {
    pub fn named(name: &str) -> Address {
        Address::Named(name.to_owned())
    }

    pub fn pair(row: &str, column: &str) -> Address {
        Address::Pair { row: row.to_owned(), column: column.to_owned() }
    }

    pub fn point(series: &str, x: &str) -> Address {
        Address::Point { series: series.to_owned(), x: x.to_owned() }
    }

    pub fn grid(x: &str, y: &str) -> Address {
        Address::Grid { x: x.to_owned(), y: y.to_owned() }
    }

    /// The same pair seen from the other agent.
    pub fn turned(&self) -> Option<Address> {
        match self {
            Address::Pair { row, column } => Some(Address::pair(column, row)),
            _ => None,
        }
    }

    /// Whether a claim may call it this, from either side.
    pub fn is_called(&self, text: &str) -> bool {
        self.to_string() == text || self.turned().is_some_and(|turned| turned.to_string() == text)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Named(name) => f.write_str(name),
            Address::Pair { row, column } => write!(f, "{row} - {column}"),
            Address::Point { series, x } => write!(f, "{series} @ {x}"),
            Address::Grid { x, y } => write!(f, "{x}, {y}"),
            Address::Game => f.write_str("game"),
        }
    }
}

/// Cells with what was counted in them.
pub type Counts<'a> = &'a [(&'a Address, &'a Evidence)];

/// What was counted at an address, if there is anything; a pair may be asked for from either side.
pub fn evidence_at(cells: Counts<'_>, wanted: &Address) -> Option<Evidence> {
    let at = |address: &Address| {
        cells.iter().find(|(known, _)| *known == address).map(|(_, evidence)| *evidence)
    };
    let turned = || at(&wanted.turned()?).map(Evidence::mirrored);
    at(wanted).cloned().or_else(turned).filter(|evidence| evidence.n() > 0)
}

/// [`evidence_at`] the address that a claim calls this.
pub fn evidence_called(cells: Counts<'_>, text: &str) -> Option<Evidence> {
    let straight = cells.iter().find(|(address, _)| address.to_string() == text);
    let turned = || cells.iter().find(|(address, _)| address.is_called(text));
    match straight {
        Some((address, _)) => evidence_at(cells, address),
        None => evidence_at(cells, &turned()?.0.turned()?),
    }
}

/// All games of one agent of a round robin. With more than two players only those count in which it
/// is one against several of another.
pub fn evidence_of_row(cells: Counts<'_>, agent: &str) -> Option<Evidence> {
    let mut sum = Evidence::default();
    for (address, evidence) in cells {
        match address {
            Address::Pair { row, .. } if row == agent => sum.add(evidence),
            Address::Pair { column, .. } if column == agent && evidence.seats.len() == 2 => {
                sum.add(&evidence.mirrored());
            }
            _ => {}
        }
    }
    (sum.tally.games() > 0).then_some(sum)
}

/// The mean score of a series of a curve over all values of x, each counting the same however many games
/// it has, and the number of games. Nothing if one of them has none. The interval is put together from
/// those of the points (Zou and Donner 2008).
pub fn mean_of_series(cells: Counts<'_>, wanted: &str) -> Option<(Estimate, u64)> {
    let is_point =
        |address: &Address| matches!(address, Address::Point { series, .. } if series == wanted);
    let (mut mean, mut below, mut above) = (0.0, 0.0f64, 0.0f64);
    let (mut n_points, mut n_games) = (0.0, 0);
    for (_, evidence) in cells.iter().filter(|(address, _)| is_point(address)) {
        let Estimate { value, low, high } = evidence.estimate(Quantity::Score, Part::All)?;
        mean += value;
        below = below.hypot(value - low);
        above = above.hypot(high - value);
        n_points += 1.0;
        n_games += evidence.tally.games();
    }
    let value = mean / n_points;
    let estimate =
        Estimate { value, low: value - below / n_points, high: value + above / n_points };
    (n_games > 0).then_some((estimate, n_games))
}

#[cfg(test)]
mod tests {
    use super::super::evidence::tests::evidence;
    use super::*;

    #[test]
    fn pairs_are_found_from_either_side() {
        let (ab, ac) = (Address::pair("a", "b"), Address::pair("a", "c"));
        let (won, lost, none) = (evidence(3, 0, 1), evidence(0, 0, 5), Evidence::default());
        let cells = [(&ab, &won), (&ac, &lost)];
        assert_eq!(evidence_called(&cells, "a - b"), Some(won.clone()));
        assert_eq!(evidence_called(&cells, "b - a"), Some(won.mirrored()));
        assert_eq!(evidence_at(&cells, &Address::pair("b", "c")), None);
        assert_eq!(evidence_of_row(&cells, "a").unwrap().tally.losses, 6);
        assert_eq!(evidence_of_row(&cells, "c").unwrap().tally.wins, 5);
        assert_eq!(evidence_at(&[(&ab, &none)], &ab), None, "a cell without games says nothing");
        // A name that looks like a pair is no pair.
        let named = Address::named("a - b");
        assert_eq!(evidence_called(&[(&named, &won)], "b - a"), None);
    }

    #[test]
    fn the_mean_of_a_series_counts_every_point_the_same() {
        let points = ["x", "y"].map(|x| Address::point("a", x));
        let (many, few) = (evidence(300, 0, 100), evidence(10, 20, 10));
        let cells = [(&points[0], &many), (&points[1], &few)];
        let (mean, n_games) = mean_of_series(&cells, "a").unwrap();
        assert!((mean.value - 0.625).abs() < 1e-12 && n_games == 440);
        let [one, other] = [&many, &few].map(|e| e.estimate(Quantity::Score, Part::All).unwrap());
        let below = (one.value - one.low).hypot(other.value - other.low) / 2.0;
        assert!((mean.value - mean.low - below).abs() < 1e-12);
        assert_eq!(mean_of_series(&cells, "b"), None);
        assert_eq!(mean_of_series(&[(&points[0], &Evidence::default())], "a"), None);
    }
}
