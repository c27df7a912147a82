//! The statistics of the arms of a tree, in columns. A row of arms is what one choosing player has
//! at one node: a range of the columns. A column that the selection does not need stays empty.

use std::ops::Range;

/// The columns that arms have beside visits and sums.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    pub(super) squares: bool,
    pub(super) ready: bool,
    pub(super) joint: bool,
    pub(super) weights: bool,
    pub(super) strategies: bool,
    pub(super) priors: bool,
    pub(super) lent: bool,
    pub(super) numbers: bool,
}

/// The statistics of all arms of a tree, in columns; a row is a range of them. A column that the
/// bandit does not need stays empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Arms {
    pub(super) visits: Vec<u32>,
    pub(super) sums: Vec<f64>,
    /// Sums of squared payoffs, for UCB1-Tuned.
    pub(super) squares: Vec<f64>,
    /// The mean and one over the root of the visits, for UCB1: kept up to date for the one arm that
    /// learns, so that the many that are compared cost a multiplication each.
    pub(super) ready: Vec<[f32; 2]>,
    /// The means and one over the root of the visits, added up over joint actions, for SM-UCT.
    pub(super) joint: Vec<[f64; 2]>,
    /// Estimated payoffs of Exp3, or regrets.
    pub(super) weights: Vec<f64>,
    /// Strategies added up, for those whose answer is their average.
    pub(super) strategies: Vec<f64>,
    /// What an evaluator expects of an arm before it is tried, for PUCT.
    pub(super) priors: Vec<f32>,
    /// Visits and payoffs that similar positions lend, for UCB1.
    pub(super) lent: Vec<[f32; 2]>,
    /// The numbers of the actions, for GRAVE.
    pub(super) numbers: Vec<u32>,
    /// What is lent is divided by 1 + this times own visits.
    pub(super) lent_decay: f32,
}

/// Applies an expression to every column that is kept.
macro_rules! each_column {
    ($columns:expr, $apply:ident $(, $argument:expr)*) => {{
        let Columns { squares, ready, joint, weights, strategies, priors, lent, numbers } = $columns;
        $apply!(visits $(, $argument)*);
        $apply!(sums $(, $argument)*);
        if squares { $apply!(squares $(, $argument)*); }
        if ready { $apply!(ready $(, $argument)*); }
        if joint { $apply!(joint $(, $argument)*); }
        if weights { $apply!(weights $(, $argument)*); }
        if strategies { $apply!(strategies $(, $argument)*); }
        if priors { $apply!(priors $(, $argument)*); }
        if lent { $apply!(lent $(, $argument)*); }
        if numbers { $apply!(numbers $(, $argument)*); }
    }};
}

impl Arms {
    /// The visits and payoffs of an arm, with what is lent to it.
    #[inline]
    pub(super) fn visits_and_sum(&self, arm: usize) -> [f32; 2] {
        let own = [self.visits[arm] as f32, self.sums[arm] as f32];
        match self.lent.get(arm) {
            None => own,
            Some(&[visits, sum]) => {
                let weight = 1.0 / (1.0 + self.lent_decay * own[0]);
                [own[0] + weight * visits, own[1] + weight * sum]
            }
        }
    }

    /// Brings what UCB1 keeps ready of an arm up to date. An arm without visits comes first.
    #[inline]
    pub(super) fn make_ready(&mut self, arm: usize) {
        let [visits, sum] = self.visits_and_sum(arm);
        self.ready[arm] = match visits > 0.0 {
            true => [sum / visits, 1.0 / visits.sqrt()],
            false => [0.0, f32::MAX],
        };
    }

    /// The same after a visit whose payoffs are to come. Its mean stays what it was, and that of an
    /// arm that has none yet is 0.
    #[inline]
    pub(super) fn make_ready_unseen(&mut self, arm: usize) {
        let [visits, _] = self.visits_and_sum(arm);
        let mean = if visits > 1.0 { self.ready[arm][0] } else { 0.0 };
        self.ready[arm] = [mean, 1.0 / visits.sqrt()];
    }

    /// Lends visits and payoffs to an arm. They count in its score when it learns the next time.
    pub(super) fn lend(&mut self, arm: usize, visits: f64, sum: f64) {
        let lent = &mut self.lent[arm];
        lent[0] += visits as f32;
        lent[1] += sum as f32;
    }

    /// Lends visits to an untried arm of UCB1, which count at once.
    pub(super) fn begin_with(&mut self, arm: usize, visits: f64, mean: f64) {
        self.lend(arm, visits, visits * mean);
        self.ready[arm] = [mean as f32, 1.0 / (visits as f32).sqrt()];
    }

    pub(super) fn clear(&mut self, columns: Columns) {
        macro_rules! clear {
            ($column:ident) => {
                self.$column.clear()
            };
        }
        each_column!(columns, clear);
    }

    /// Appends `n` untried arms.
    pub(super) fn grow(&mut self, columns: Columns, n: usize) {
        macro_rules! grow {
            ($column:ident) => {
                make_room(&mut self.$column, n);
                let len = self.$column.len() + n;
                self.$column.resize(len, Default::default());
            };
        }
        each_column!(columns, grow);
    }

    /// Appends a copy of some arms of another tree.
    pub(super) fn copy(&mut self, columns: Columns, from: &Arms, row: &Range<usize>) {
        macro_rules! copy {
            ($column:ident) => {
                make_room(&mut self.$column, row.len());
                self.$column.extend_from_slice(&from.$column[row.clone()])
            };
        }
        each_column!(columns, copy);
    }

    /// Bytes that the columns have allocated.
    pub(super) fn bytes(&self, columns: Columns) -> usize {
        let mut bytes = 0;
        macro_rules! add {
            ($column:ident) => {
                bytes += column_bytes(&self.$column)
            };
        }
        each_column!(columns, add);
        bytes
    }
}

impl Columns {
    /// Bytes that an arm takes.
    pub(super) fn bytes_per_arm(self) -> usize {
        let arms = Arms::default();
        let mut bytes = 0;
        macro_rules! add {
            ($column:ident) => {
                bytes += entry_bytes(&arms.$column)
            };
        }
        each_column!(self, add);
        bytes
    }
}

fn entry_bytes<T>(_: &[T]) -> usize {
    size_of::<T>()
}

/// Bytes that a column has allocated.
pub(super) fn column_bytes<T>(column: &Vec<T>) -> usize {
    column.capacity() * size_of::<T>()
}

/// Columns up to this size double when they are full, larger ones grow by a quarter.
const DOUBLING_BYTES: usize = 1 << 20;

/// Makes room for `n` more entries.
#[inline]
pub(super) fn make_room<T>(column: &mut Vec<T>, n: usize) {
    if column.capacity() - column.len() < n {
        column.reserve_exact(growth(column, n));
    }
}

/// By how many entries a column that has no room for `n` more grows.
pub(super) fn growth<T>(column: &[T], n: usize) -> usize {
    let len = column.len();
    let more = if size_of_val(column) < DOUBLING_BYTES { len.max(64) } else { len / 4 };
    more.max(n)
}
