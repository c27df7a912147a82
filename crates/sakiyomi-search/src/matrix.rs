//! Matrix games of two players with constant sum, solved exactly: the simplex method on a dense
//! tableau, which for the few rows and columns of a turn is faster than any library's set-up.
//!
//! The row player wants a large entry, the column player a small one. With all entries made
//! positive, the column player maximises the sum of q >= 0 under A q <= 1; then 1 / sum is the
//! value and q in proportion its strategy, and the dual gives the row player's. Ends by Bland's
//! rule if the steepest choice turns in circles.

/// A solver with the buffers that it uses again.
#[derive(Clone, Debug, Default)]
pub struct MatrixGame {
    n_rows: usize,
    n_columns: usize,
    entries: Vec<f64>,
    tableau: Vec<f64>,
    /// What stands for each row and column of the tableau: a column's variable, or beyond those the
    /// slack of a row.
    row_names: Vec<usize>,
    column_names: Vec<usize>,
    /// The row player's strategy, and the column player's.
    pub strategies: [Vec<f64>; 2],
    /// The rows and columns of the support that is tried, and the shares there.
    picks: [Vec<usize>; 2],
    shares: [Vec<f64>; 2],
    /// The matrix of that support, row by row, then its factors and the order of its rows.
    equations: Vec<f64>,
    order: Vec<usize>,
    solved: Vec<f64>,
}

/// The rows and columns that an equilibrium uses, as sets of bits; nothing if none is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Support([u32; 2]);

impl Support {
    /// The most rows and columns of a game whose support is noted.
    const MOST: usize = u32::BITS as usize;
}

/// Entries closer to 0 than this do not count in the simplex method.
const TINY: f64 = 1e-12;

/// A solution with a larger gap is looked for again.
const SMALL_GAP: f64 = 1e-11;

/// With a larger one the equations of the support are solved.
const FINE_GAP: f64 = 1e-14;

/// Which entries of the tableau are taken as pivots.
#[derive(Clone, Copy)]
struct Pivoting {
    /// Smaller ones are not.
    least: f64,
    /// Of equal rows the one with the largest, which loses least to rounding.
    by_size: bool,
    /// Entries of the game are rounded to multiples of this, so that those that differ by rounding
    /// errors alone are equal; 0 for none.
    grain: f64,
}

/// In the order in which they are tried.
const PIVOTING: [Pivoting; 5] = [
    Pivoting { least: TINY, by_size: false, grain: 0.0 },
    Pivoting { least: 1e-10, by_size: true, grain: 0.0 },
    Pivoting { least: 1e-8, by_size: true, grain: 0.0 },
    Pivoting { least: 1e-9, by_size: true, grain: 1e-11 },
    Pivoting { least: 1e-8, by_size: true, grain: 1e-9 },
];

impl MatrixGame {
    /// Sets the game: entries row by row.
    pub fn set(&mut self, n_rows: usize, n_columns: usize, entries: impl Iterator<Item = f64>) {
        (self.n_rows, self.n_columns) = (n_rows, n_columns);
        self.entries.clear();
        self.entries.extend(entries);
        debug_assert_eq!(self.entries.len(), n_rows * n_columns);
    }

    /// The value of the game; the strategies are there afterwards.
    pub fn solve(&mut self) -> f64 {
        match self.solve_purely() {
            Some(value) => value,
            None => self.solve_by_simplex(),
        }
    }

    /// The same, and tries first whether an equilibrium uses the rows and columns of one that is
    /// likely: those of similar games often are the same. If they are others, they are noted there.
    /// Gives the value and [`MatrixGame::gap`].
    pub fn solve_like(&mut self, likely: &mut Support) -> (f64, f64) {
        if let Some(value) = self.solve_purely() {
            return (value, 0.0);
        }
        if let Some(found) = self.solve_on_support(likely) {
            return found;
        }
        let value = self.solve_by_simplex();
        let gap = self.gap();
        if self.n_rows.max(self.n_columns) <= Support::MOST {
            *likely = Support(self.strategies.each_ref().map(|strategy| {
                let used = strategy.iter().enumerate().filter(|(_, share)| **share > 0.0);
                used.fold(0, |set, (pick, _)| set | 1 << pick)
            }));
        }
        if gap <= FINE_GAP {
            return (value, gap);
        }
        // The equations of its support are more exact than the tableau.
        let strategies = self.strategies.clone();
        match self.solve_on_support(likely) {
            Some(found) => found,
            None => {
                self.strategies = strategies;
                (value, gap)
            }
        }
    }

    /// How much the best replies to the strategies gain over each other: 0 at an equilibrium, and
    /// infinite if these are no strategies, which the simplex method may leave behind.
    pub fn gap(&self) -> f64 {
        let [best, worst] = self.best_replies();
        let are_strategies =
            self.strategies.iter().all(|shares| shares.iter().sum::<f64>().is_finite());
        if are_strategies { best - worst } else { f64::INFINITY }
    }

    /// Most turns have an equilibrium without mixing: an entry that is the lowest of its row and
    /// the highest of its column.
    fn solve_purely(&mut self) -> Option<f64> {
        let lowest = |row: &[f64]| row.iter().copied().fold(f64::MAX, f64::min);
        let mut best = (0, f64::MIN);
        for (i, row) in self.entries.chunks(self.n_columns).enumerate() {
            let low = lowest(row);
            if low > best.1 {
                best = (i, low);
            }
        }
        let (row, value) = best;
        let column = (0..self.n_columns).find(|&column| {
            self.entries.iter().skip(column).step_by(self.n_columns).all(|&entry| entry <= value)
        })?;
        for (strategy, (n, pick)) in
            self.strategies.iter_mut().zip([(self.n_rows, row), (self.n_columns, column)])
        {
            strategy.clear();
            strategy.resize(n, 0.0);
            strategy[pick] = 1.0;
        }
        Some(value)
    }

    /// The equilibrium with these rows and columns, if there is one, with its gap: both players make
    /// the other indifferent among them, and nothing else is better.
    fn solve_on_support(&mut self, support: &Support) -> Option<(f64, f64)> {
        let [rows, columns] = support.0;
        let size = rows.count_ones() as usize;
        let reaches =
            |set: u32, n: usize| set.checked_ilog2().is_some_and(|last| (last as usize) < n);
        if size != columns.count_ones() as usize
            || !reaches(rows, self.n_rows)
            || !reaches(columns, self.n_columns)
        {
            return None;
        }
        for (picks, set) in self.picks.iter_mut().zip(support.0) {
            picks.clear();
            picks.extend((0..u32::BITS as usize).filter(|pick| set >> pick & 1 == 1));
        }
        let bounds = |(low, high): (f64, f64), &entry: &f64| (low.min(entry), high.max(entry));
        let (lowest, highest) = self.entries.iter().fold((f64::MAX, f64::MIN), bounds);
        let shift = 1.0 - lowest;
        self.equations.clear();
        for &row in &self.picks[0] {
            let entries = &self.entries[row * self.n_columns..][..self.n_columns];
            self.equations.extend(self.picks[1].iter().map(|&column| entries[column] + shift));
        }
        factorize(&mut self.equations, size, &mut self.order)?;
        self.solve_factorized(size);
        let mut value = 0.0;
        for player in 0..2 {
            let shares = &self.shares[player];
            let sum: f64 = shares.iter().sum();
            if sum <= TINY || shares.iter().any(|&share| share < 0.0) {
                return None;
            }
            value = 1.0 / sum - shift;
            let strategy = &mut self.strategies[player];
            strategy.clear();
            strategy.resize([self.n_rows, self.n_columns][player], 0.0);
            for (&pick, share) in self.picks[player].iter().zip(shares) {
                strategy[pick] = share / sum;
            }
        }
        let slack = TINY * (highest - lowest).max(1.0);
        let [best, worst] = self.best_replies_to_picks();
        (best <= value + slack && worst >= value - slack).then_some((value, best - worst))
    }

    /// With the matrix `M` of a support as factors, `M y = 1` for the columns' shares and the
    /// transposed equations for the rows'.
    fn solve_factorized(&mut self, n: usize) {
        let factors = |row: usize, column: usize| self.equations[row * n + column];
        let [row_shares, column_shares] = &mut self.shares;
        column_shares.clear();
        for row in 0..n {
            let known: f64 = (0..row).map(|k| factors(row, k) * column_shares[k]).sum();
            column_shares.push(1.0 - known);
        }
        for row in (0..n).rev() {
            let known: f64 = (row + 1..n).map(|k| factors(row, k) * column_shares[k]).sum();
            column_shares[row] = (column_shares[row] - known) / factors(row, row);
        }
        let solved = &mut self.solved;
        solved.clear();
        for row in 0..n {
            let known: f64 = (0..row).map(|k| factors(k, row) * solved[k]).sum();
            solved.push((1.0 - known) / factors(row, row));
        }
        for row in (0..n).rev() {
            let known: f64 = (row + 1..n).map(|k| factors(k, row) * solved[k]).sum();
            solved[row] -= known;
        }
        row_shares.clear();
        row_shares.resize(n, 0.0);
        for (&row, &share) in self.order.iter().zip(&*solved) {
            row_shares[row] = share;
        }
    }

    /// [`MatrixGame::best_replies`] to strategies that use only the picks.
    fn best_replies_to_picks(&mut self) -> [f64; 2] {
        let [rows, columns] = &self.strategies;
        let row_value = |row: &[f64]| -> f64 {
            self.picks[1].iter().map(|&column| row[column] * columns[column]).sum()
        };
        let best = self.entries.chunks(self.n_columns).map(row_value).fold(f64::MIN, f64::max);
        let sums = &mut self.solved;
        sums.clear();
        sums.resize(self.n_columns, 0.0);
        for &row in &self.picks[0] {
            let entries = &self.entries[row * self.n_columns..][..self.n_columns];
            sums.iter_mut().zip(entries).for_each(|(sum, entry)| *sum += rows[row] * entry);
        }
        [best, sums.iter().copied().fold(f64::MAX, f64::min)]
    }

    /// What the row player gets at most against the columns' strategy, and leaves at least with its
    /// own.
    fn best_replies(&self) -> [f64; 2] {
        let [rows, columns] = &self.strategies;
        let row_value = |row: &[f64]| row.iter().zip(columns).map(|(x, y)| x * y).sum::<f64>();
        let best = self.entries.chunks(self.n_columns).map(row_value).fold(f64::MIN, f64::max);
        let column_value = |column: usize| {
            let entries = self.entries.iter().skip(column).step_by(self.n_columns);
            entries.zip(rows).map(|(x, y)| x * y).sum::<f64>()
        };
        [best, (0..self.n_columns).map(column_value).fold(f64::MAX, f64::min)]
    }

    /// The simplex method. Entries that differ by rounding errors alone can lead it astray: then it is
    /// tried again with pivots that are larger and with rounded entries, and the best solution is
    /// taken.
    fn solve_by_simplex(&mut self) -> f64 {
        let mut best: Option<(f64, f64, [Vec<f64>; 2])> = None;
        for pivoting in PIVOTING {
            let value = self.try_simplex(pivoting);
            let gap = self.gap();
            if gap <= SMALL_GAP {
                return value;
            }
            if best.as_ref().is_none_or(|(least, ..)| gap < *least) {
                best = Some((gap, value, self.strategies.clone()));
            }
        }
        let (_, value, strategies) = best.unwrap_or_default();
        self.strategies = strategies;
        value
    }

    fn try_simplex(&mut self, pivoting: Pivoting) -> f64 {
        let lowest = self.entries.iter().copied().fold(f64::MAX, f64::min);
        let shift = 1.0 - lowest;
        self.fill(shift, pivoting.grain);
        let most = 50 * (self.n_rows + self.n_columns);
        for step in 0..4 * most {
            let Some(column) = self.entering(step >= most) else { break };
            let Some(row) = self.leaving(column, pivoting, step >= most) else { break };
            self.exchange(row, column);
        }
        self.read_strategies() - shift
    }

    /// One more column for the right side, and one more row for what is maximised.
    fn fill(&mut self, shift: f64, grain: f64) {
        let rounded = |entry: f64| match grain > 0.0 {
            true => (entry / grain).round() * grain,
            false => entry,
        };
        self.tableau.clear();
        for row in self.entries.chunks(self.n_columns) {
            self.tableau.extend(row.iter().map(|&entry| rounded(entry + shift)));
            self.tableau.push(1.0);
        }
        self.tableau.extend(std::iter::repeat_n(-1.0, self.n_columns));
        self.tableau.push(0.0);
        self.column_names.clear();
        self.column_names.extend(0..self.n_columns);
        self.row_names.clear();
        self.row_names.extend(self.n_columns..self.n_columns + self.n_rows);
    }

    fn entering(&self, bland: bool) -> Option<usize> {
        let width = self.n_columns + 1;
        let goal = &self.tableau[self.n_rows * width..][..self.n_columns];
        let open = (0..self.n_columns).filter(|&column| goal[column] < -TINY);
        match bland {
            true => open.min_by_key(|&column| self.column_names[column]),
            false => open.min_by(|&a, &b| goal[a].total_cmp(&goal[b])),
        }
    }

    /// The row that limits the variable first, of equals the one with the lowest name or the largest
    /// pivot.
    fn leaving(&self, column: usize, pivoting: Pivoting, bland: bool) -> Option<usize> {
        let width = self.n_columns + 1;
        let mut best: Option<(f64, usize)> = None;
        for row in 0..self.n_rows {
            let entry = self.tableau[row * width + column];
            if entry <= pivoting.least {
                continue;
            }
            let ratio = self.tableau[row * width + self.n_columns] / entry;
            let is_better = best.is_none_or(|(least, other)| {
                let is_preferred = match pivoting.by_size && !bland {
                    true => entry > self.tableau[other * width + column],
                    false => self.row_names[row] < self.row_names[other],
                };
                ratio < least - TINY || ratio <= least + TINY && is_preferred
            });
            if is_better {
                best = Some((ratio, row));
            }
        }
        best.map(|(_, row)| row)
    }

    /// Exchanges the variables of a row and a column.
    fn exchange(&mut self, row: usize, column: usize) {
        let width = self.n_columns + 1;
        let inverse = 1.0 / self.tableau[row * width + column];
        let (above, rest) = self.tableau.split_at_mut(row * width);
        let (pivot_row, below) = rest.split_at_mut(width);
        pivot_row[column] = 1.0;
        pivot_row.iter_mut().for_each(|entry| *entry *= inverse);
        for other in above.chunks_mut(width).chain(below.chunks_mut(width)) {
            let factor = other[column];
            if factor != 0.0 {
                other[column] = 0.0;
                other.iter_mut().zip(&*pivot_row).for_each(|(x, pivot)| *x -= factor * pivot);
            }
        }
        std::mem::swap(&mut self.row_names[row], &mut self.column_names[column]);
    }

    /// The strategies in proportion to the solution and its dual, and the value of the shifted
    /// game.
    fn read_strategies(&mut self) -> f64 {
        let width = self.n_columns + 1;
        let [rows, columns] = &mut self.strategies;
        rows.clear();
        rows.resize(self.n_rows, 0.0);
        columns.clear();
        columns.resize(self.n_columns, 0.0);
        for (row, &name) in self.row_names.iter().enumerate() {
            if name < self.n_columns {
                columns[name] = self.tableau[row * width + self.n_columns].max(0.0);
            }
        }
        for (column, &name) in self.column_names.iter().enumerate() {
            if name >= self.n_columns {
                rows[name - self.n_columns] = self.tableau[self.n_rows * width + column].max(0.0);
            }
        }
        let mut value = 0.0;
        for strategy in &mut self.strategies {
            let sum: f64 = strategy.iter().sum();
            strategy.iter_mut().for_each(|share| *share /= sum);
            value = 1.0 / sum;
        }
        value
    }
}

/// Factors a matrix of `n` rows into a lower triangle with ones on its diagonal and an upper one, in
/// its place, with the largest pivots; `order` says which row came to stand where. None if the rows
/// are nearly dependent.
fn factorize(matrix: &mut [f64], n: usize, order: &mut Vec<usize>) -> Option<()> {
    order.clear();
    order.extend(0..n);
    for column in 0..n {
        let size = |row: &usize| matrix[row * n + column].abs();
        let pivot = (column..n).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        if size(&pivot) < 1e-9 {
            return None;
        }
        if pivot != column {
            order.swap(column, pivot);
            (0..n).for_each(|place| matrix.swap(column * n + place, pivot * n + place));
        }
        let (above, below) = matrix.split_at_mut((column + 1) * n);
        let own = &above[column * n..];
        let inverse = 1.0 / own[column];
        for row in below.chunks_mut(n) {
            let factor = row[column] * inverse;
            row[column] = factor;
            let pairs = row[column + 1..].iter_mut().zip(&own[column + 1..]);
            pairs.for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::Rng;

    fn solve(rows: &[&[f64]]) -> (f64, MatrixGame) {
        let mut game = MatrixGame::default();
        let entries = rows.iter().flat_map(|row| row.iter().copied());
        game.set(rows.len(), rows[0].len(), entries);
        (game.solve(), game)
    }

    #[test]
    fn known_games_have_their_known_values() {
        let (value, game) = solve(&[&[0.5, 0.0, 1.0], &[1.0, 0.5, 0.0], &[0.0, 1.0, 0.5]]);
        assert!((value - 0.5).abs() < 1e-12 && game.gap() < 1e-12);
        assert!(game.strategies[0].iter().all(|share| (share - 1.0 / 3.0).abs() < 1e-12));
        let (value, game) = solve(&[&[3.0, -1.0], &[-2.0, 1.0]]);
        assert!((value - 1.0 / 7.0).abs() < 1e-12, "{value}");
        assert!((game.strategies[0][0] - 3.0 / 7.0).abs() < 1e-12);
        assert!((game.strategies[1][0] - 2.0 / 7.0).abs() < 1e-12);
        let (value, game) = solve(&[&[0.2, 0.7], &[0.1, 0.9]]);
        assert_eq!((value, &game.strategies[0][..]), (0.2, &[1.0, 0.0][..]));
    }

    /// Along a line of similar games one support often does, and the values are those of the
    /// simplex method.
    #[test]
    fn similar_games_are_solved_on_the_same_support() {
        let mut rng = Rng::new(3);
        let (mut warm, mut cold) = (MatrixGame::default(), MatrixGame::default());
        let mut n_kept = 0;
        for _ in 0..200 {
            let (n_rows, n_columns) = (2 + rng.below(7), 2 + rng.below(7));
            let mut entries: Vec<f64> =
                (0..n_rows * n_columns).map(|_| rng.below(9) as f64 / 4.0 - 1.0).collect();
            let mut likely = Support::default();
            for _ in 0..10 {
                let place = rng.below(entries.len());
                entries[place] += 0.1 * rng.unit();
                warm.set(n_rows, n_columns, entries.iter().copied());
                cold.set(n_rows, n_columns, entries.iter().copied());
                let before = likely;
                let ((found, gap), expected) = (warm.solve_like(&mut likely), cold.solve());
                n_kept += u32::from(before != Support::default() && likely == before);
                assert!((found - expected).abs() < 1e-11, "{found} {expected}");
                assert!(gap < 1e-11 && (warm.gap() - gap).abs() < 1e-12, "{gap} {}", warm.gap());
            }
        }
        assert!(n_kept > 500, "{n_kept}");
    }

    /// What the simplex method leaves behind where it fails must not pass for a solution.
    #[test]
    fn shares_that_are_no_numbers_are_no_equilibrium() {
        let mut game = MatrixGame::default();
        game.set(2, 2, [1.0, 0.0, 0.0, 1.0].into_iter());
        game.solve();
        assert!(game.gap() < 1e-12);
        game.strategies[1].fill(f64::NAN);
        assert_eq!(game.gap(), f64::INFINITY);
    }

    /// The last resort: a solution of the rounded entries is one of the game but for the grain.
    #[test]
    fn rounded_entries_are_solved_whatever_the_noise() {
        let mut rng = Rng::new(11);
        let mut game = MatrixGame::default();
        let coarsest = PIVOTING[PIVOTING.len() - 1];
        for round in 0..20_000 {
            let (n, n_values) = (2 + rng.below(11), 2 + rng.below(4));
            let noise = 10f64.powi(-10 - (round % 6));
            let entries: Vec<f64> =
                (0..n * n).map(|_| rng.below(n_values) as f64 / 3.0 + noise * rng.unit()).collect();
            game.set(n, n, entries.iter().copied());
            game.try_simplex(coarsest);
            assert!(game.gap() < 5.0 * coarsest.grain, "{} {entries:?}", game.gap());
        }
    }

    /// Entries that are equal but for rounding errors must not be taken for different ones.
    #[test]
    fn noise_leads_no_solution_astray() {
        let mut rng = Rng::new(5);
        let mut game = MatrixGame::default();
        let mut likely = Support::default();
        for round in 0..20_000 {
            let n = 2 + rng.below(8);
            let noise = 10f64.powi(-10 - (round % 6));
            let entries: Vec<f64> = (0..n * n)
                .map(|_| rng.below(3) as f64 / 2.0 + noise * (rng.unit() - 0.5))
                .collect();
            game.set(n, n, entries.iter().copied());
            game.solve();
            assert!(game.gap() < 1e-10, "{n}: {} {entries:?}", game.gap());
            let (_, gap) = game.solve_like(&mut likely);
            assert!(gap < 1e-10, "{n}: {gap} {entries:?}");
        }
    }

    /// Games of win, draw and loss have many ties, on which a careless pivot goes in circles.
    #[test]
    fn random_games_are_solved_whatever_their_shape() {
        let mut rng = Rng::new(1);
        let mut game = MatrixGame::default();
        for round in 0..4_000 {
            let (n_rows, n_columns) = (1 + rng.below(20), 1 + rng.below(20));
            let entries: Vec<f64> = (0..n_rows * n_columns)
                .map(|_| if round % 2 == 0 { rng.unit() } else { rng.below(3) as f64 / 2.0 })
                .collect();
            game.set(n_rows, n_columns, entries.into_iter());
            game.solve();
            assert!(game.gap() < 1e-11, "{n_rows}x{n_columns}: {}", game.gap());
        }
    }
}
