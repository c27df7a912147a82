//! Where a cell stands in its experiment.

use std::fmt;

use super::Evidence;

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
type Counts<'a> = &'a [(&'a Address, &'a Evidence)];

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
}
