//! What is measured while a search with experience goes on: how far apart similar positions are in
//! the tree, and how well the payoffs that they lend foretell what comes.

use rustc_hash::FxHashMap;
use sakiyomi_core::{Payoffs, Player};

use super::table::{Lent, Neighbour, Table};

/// What is measured while a search with experience goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Survey {
    /// Paths from the root, as a tree: where each goes on from, and its length.
    above: Vec<(u32, u32)>,
    longer: FxHashMap<(u32, u64), u32>,
    /// The path on which the match is.
    root: u32,
    /// The path to each position of this iteration.
    paths: Vec<u32>,
    /// Hits by tree distance.
    pub(super) distances: Vec<u64>,
    /// What was foretold in this iteration: for whom, what without and with similar positions.
    foretold: Option<(Player, f64, f64)>,
    pub(super) agreement: Agreement,
}

impl Survey {
    /// Begins a search.
    pub(super) fn begin(&mut self) {
        if self.above.is_empty() {
            self.above.push((0, 0));
        }
        self.paths.clear();
        self.paths.push(self.root);
    }

    /// The match goes on to this position.
    pub(super) fn advance(&mut self, code: u64) {
        if !self.above.is_empty() {
            self.root = self.extend(self.root, code);
        }
    }

    pub(super) fn restart(&mut self) {
        self.paths.truncate(1);
        self.foretold = None;
    }

    pub(super) fn pass(&mut self, code: u64) {
        let Some(&last) = self.paths.last() else { return };
        let path = self.extend(last, code);
        self.paths.push(path);
    }

    /// The path to position `i` of this iteration.
    pub(super) fn path_at(&self, i: usize) -> u32 {
        self.paths[i]
    }

    pub(super) fn hit(
        &mut self,
        table: &Table,
        found: &[Neighbour],
        lent: &Lent,
        value: Option<(Player, f64)>,
    ) {
        let Some(&here) = self.paths.last() else { return };
        for neighbour in found {
            let distance = self.tree_distance(here, table.mark(neighbour.entry));
            self.distances.resize(self.distances.len().max(distance + 1), 0);
            self.distances[distance] += 1;
        }
        let (Some((player, value)), true) = (value, lent.visits > 0.0) else { return };
        self.foretold = Some((player, value, lent.sums[player] / lent.visits));
    }

    pub(super) fn finish(&mut self, payoffs: &Payoffs) {
        self.agreement.nodes += 1.0;
        if let Some((player, value, foretold)) = self.foretold.take() {
            self.agreement.note(foretold - value, payoffs[player] - value);
        }
    }

    /// The path that goes on with this position.
    fn extend(&mut self, path: u32, code: u64) -> u32 {
        *self.longer.entry((path, code)).or_insert_with(|| {
            self.above.push((path, self.above[path as usize].1 + 1));
            self.above.len() as u32 - 1
        })
    }

    /// Edges between the ends of two paths.
    fn tree_distance(&self, mut a: u32, mut b: u32) -> usize {
        let mut n_edges = 0;
        while a != b {
            let ((above_a, depth_a), (above_b, depth_b)) =
                (self.above[a as usize], self.above[b as usize]);
            if depth_a >= depth_b {
                a = above_a;
                n_edges += 1;
            }
            if depth_b >= depth_a {
                b = above_b;
                n_edges += 1;
            }
        }
        n_edges
    }
}

/// How far what was foretold agrees with what came.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Agreement {
    /// Iterations, with and without something foretold.
    nodes: f64,
    n: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Agreement {
    fn note(&mut self, x: f64, y: f64) {
        self.n += 1.0;
        self.xx += x * x;
        self.xy += x * y;
        self.yy += y * y;
    }

    pub(super) fn add(&mut self, other: &Agreement) {
        self.nodes += other.nodes;
        self.n += other.n;
        self.xx += other.xx;
        self.xy += other.xy;
        self.yy += other.yy;
    }

    /// Squared error that is saved, per node, by believing what is lent as it is. Below 0 it
    /// misleads.
    pub(super) fn gain(&self) -> f64 {
        (2.0 * self.xy - self.xx) / self.nodes.max(1.0)
    }

    /// The best multiple of what was lent.
    pub(super) fn fit(&self) -> Fit {
        if self.xx <= 0.0 || self.n < 2.0 {
            return Fit::default();
        }
        let slope = self.xy / self.xx;
        let rest = (self.yy - slope * self.xy).max(0.0);
        Fit {
            explained: self.xy.max(0.0) * slope / self.nodes.max(1.0),
            slope,
            slope_error: (rest / (self.n - 1.0) / self.xx).sqrt(),
        }
    }
}

/// A regression through the origin: what came over what was lent, both beyond the mean above.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Fit {
    /// Squared error that is explained, per node.
    pub(super) explained: f64,
    /// The best multiple of what is lent, and its standard error.
    pub(super) slope: f64,
    pub(super) slope_error: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_distances_are_counted_over_the_last_common_position() {
        let mut survey = Survey::default();
        let mut walk = |codes: &[u64]| {
            survey.begin();
            codes.iter().for_each(|&code| survey.pass(code));
            *survey.paths.last().unwrap()
        };
        let (root, a, b) = (walk(&[]), walk(&[1, 2, 3]), walk(&[1, 4]));
        let (c, again) = (walk(&[5]), walk(&[1, 2, 3]));
        assert_eq!(a, again);
        let distance = |a, b| survey.tree_distance(a, b);
        assert_eq!([distance(a, a), distance(root, a), distance(a, root)], [0, 3, 3]);
        assert_eq!([distance(a, b), distance(b, c), distance(c, a)], [3, 3, 4]);
        // The match goes on to the position 1, and from there to 4.
        survey.advance(1);
        survey.begin();
        survey.pass(4);
        assert_eq!(*survey.paths.last().unwrap(), b);
    }

    #[test]
    fn agreement_is_a_regression_through_the_origin() {
        let mut agreement = Agreement::default();
        // y = x / 2 up to a deviation that cancels out.
        for (x, y) in [(0.4, 0.3), (0.4, 0.1), (-0.2, 0.0), (-0.2, -0.2)] {
            agreement.nodes += 2.0;
            agreement.note(x, y);
        }
        let fit = agreement.fit();
        assert!((fit.slope - 0.5).abs() < 1e-12);
        // A quarter of the sum of x squared, 0.4, over 8 nodes.
        assert!((fit.explained - 0.1 / 8.0).abs() < 1e-12);
        // What is left: 4 * 0.1^2, over 3 degrees of freedom and 0.4.
        assert!((fit.slope_error - (0.04f64 / 3.0 / 0.4).sqrt()).abs() < 1e-12);
        // Twice the sum of xy, 0.2, less that of x squared, over 8 nodes: y is half of x, so
        // nothing is saved.
        assert!(agreement.gain().abs() < 1e-12);
        agreement.note(0.1, 0.1);
        assert!((agreement.gain() - 0.01 / 8.0).abs() < 1e-12);
        assert_eq!(Agreement::default().fit(), Fit::default());
    }
}
