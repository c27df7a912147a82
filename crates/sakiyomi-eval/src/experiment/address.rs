//! Where a cell stands in its experiment.

use std::fmt;

use sakiyomi_core::stats::Interval;

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

/// The pairs of one agent of a round robin, each of which counts the same however many games it has.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The places of its pairs among the cells, and the agent's score in each.
    pairs: Vec<(usize, Estimate)>,
    pub n_games: u64,
}

impl Row {
    /// The row of an agent; nothing as long as one of its pairs has no games, since opponents are not
    /// equally strong. With more than two players only those pairs count in which it is one against
    /// several of another.
    pub fn of(cells: Counts<'_>, agent: &str) -> Option<Row> {
        let mut row = Row { pairs: Vec::new(), n_games: 0 };
        for (at, (address, evidence)) in cells.iter().enumerate() {
            let Address::Pair { row: first, column: second } = address else { continue };
            let is_of_two = evidence.seats.len() <= 2;
            let seen = match (first == agent, second == agent && is_of_two) {
                (true, _) => (*evidence).clone(),
                (_, true) => evidence.mirrored(),
                _ => continue,
            };
            row.pairs.push((at, seen.estimate(Quantity::Score, Part::All)?));
            row.n_games += seen.tally.games();
        }
        (row.n_games > 0).then_some(row)
    }

    /// The mean over its pairs. The interval is put together from theirs (Zou and Donner 2008).
    pub fn estimate(&self) -> Estimate {
        mean(self.pairs.iter().map(|(_, score)| *score))
    }

    /// The interval of the difference of two rows. A pair of both counts once, and twofold, since what
    /// one wins the other loses; all others are independent.
    pub(super) fn minus(&self, other: &Row) -> Interval {
        let difference = self.estimate().value - other.estimate().value;
        let (n, m) = (self.pairs.len() as f64, other.pairs.len() as f64);
        let (mut below, mut above) = (0.0f64, 0.0f64);
        for (at, Estimate { value, low, high }) in &self.pairs {
            let is_shared = other.pairs.iter().any(|(known, _)| known == at);
            let weight = 1.0 / n + if is_shared { 1.0 / m } else { 0.0 };
            below = below.hypot(weight * (value - low));
            above = above.hypot(weight * (high - value));
        }
        let is_own = |at: &usize| self.pairs.iter().any(|(known, _)| known == at);
        for (_, Estimate { value, low, high }) in other.pairs.iter().filter(|(at, _)| !is_own(at)) {
            below = below.hypot((high - value) / m);
            above = above.hypot((value - low) / m);
        }
        Interval { low: difference - below, high: difference + above }
    }
}

/// The mean of estimates that each count the same.
fn mean(estimates: impl Iterator<Item = Estimate>) -> Estimate {
    let (mut sum, mut below, mut above, mut n) = (0.0, 0.0f64, 0.0f64, 0.0);
    for Estimate { value, low, high } in estimates {
        sum += value;
        below = below.hypot(value - low);
        above = above.hypot(high - value);
        n += 1.0;
    }
    let value = sum / n;
    Estimate { value, low: value - below / n, high: value + above / n }
}

/// The mean score of a series of a curve over all values of x, each counting the same however many games
/// it has, and the number of games. Nothing if one of them has none. The interval is put together from
/// those of the points (Zou and Donner 2008).
pub fn mean_of_series(cells: Counts<'_>, wanted: &str) -> Option<(Estimate, u64)> {
    let is_point =
        |address: &Address| matches!(address, Address::Point { series, .. } if series == wanted);
    let (mut scores, mut n_games) = (Vec::new(), 0);
    for (_, evidence) in cells.iter().filter(|(address, _)| is_point(address)) {
        scores.push(evidence.estimate(Quantity::Score, Part::All)?);
        n_games += evidence.tally.games();
    }
    (n_games > 0).then(|| (mean(scores.into_iter()), n_games))
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
        assert_eq!(evidence_at(&[(&ab, &none)], &ab), None, "a cell without games says nothing");
        // A name that looks like a pair is no pair.
        let named = Address::named("a - b");
        assert_eq!(evidence_called(&[(&named, &won)], "b - a"), None);
    }

    /// A row of two opponents with very different numbers of games, and one of which a pair is missing.
    #[test]
    fn a_row_needs_all_its_pairs_and_weighs_them_equally() {
        let addresses = [("a", "b"), ("c", "a"), ("b", "c")].map(|(x, y)| Address::pair(x, y));
        let (many, few, none) = (evidence(90, 0, 10), evidence(5, 0, 5), Evidence::default());
        let cells = [(&addresses[0], &many), (&addresses[1], &few), (&addresses[2], &none)];
        let row = Row::of(&cells, "a").unwrap();
        assert!((row.estimate().value - 0.7).abs() < 1e-12, "{row:?}");
        assert_eq!(row.n_games, 110);
        assert_eq!(Row::of(&cells, "b"), None, "b has not played c");
        assert_eq!(Row::of(&cells, "d"), None);
        // Of three players only the pairs in which it is alone are its own.
        let three = Evidence { seats: vec![Default::default(); 3], ..evidence(4, 0, 4) };
        let cells = [(&addresses[0], &three), (&addresses[1], &three)];
        assert_eq!(Row::of(&cells, "a").unwrap().n_games, 8);
    }

    /// With two agents each row is the one pair: a - b has twice the error of a, not its root.
    #[test]
    fn rows_that_share_a_pair_are_not_independent() {
        let (ab, ac, bc) =
            (Address::pair("a", "b"), Address::pair("a", "c"), Address::pair("b", "c"));
        let (first, second, third) =
            (evidence(60, 0, 40), evidence(55, 0, 45), evidence(52, 0, 48));
        let alone = [(&ab, &first)];
        let [a, b] = ["a", "b"].map(|agent| Row::of(&alone, agent).unwrap());
        let (score, interval) = (a.estimate(), a.minus(&b));
        assert!((interval.low - (0.2 - 2.0 * (score.value - score.low))).abs() < 1e-12);
        assert!((interval.high - (0.2 + 2.0 * (score.high - score.value))).abs() < 1e-12);
        let all = [(&ab, &first), (&ac, &second), (&bc, &third)];
        let [a, b] = ["a", "b"].map(|agent| Row::of(&all, agent).unwrap());
        let independent = a.estimate().minus(&b.estimate());
        let shared = a.minus(&b);
        // In units of one pair's error: the root of 4 + 1 + 1 instead of that of 4 pairs.
        let ratio = (shared.high - shared.low) / (independent.high - independent.low);
        assert!((ratio - 1.5f64.sqrt()).abs() < 0.01, "{ratio}");
        let opposite = b.minus(&a);
        assert!((opposite.low + shared.high).abs() < 1e-12 && opposite.high > 0.0 - shared.high);
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
