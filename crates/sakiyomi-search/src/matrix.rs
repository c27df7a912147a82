//! Matrix games of two players with constant sum, solved exactly: the simplex method on a dense
//! tableau, which for the few rows and columns of a turn is faster than any library's set-up.
//!
//! The row player wants a large entry, the column player a small one. With all entries made
//! positive, the column player maximises the sum of q >= 0 under A q <= 1; then 1 / sum is the value
//! and q in proportion its strategy, and the dual gives the row player's. Ends by Bland's rule if
//! the steepest choice turns in circles.

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
}

/// Entries closer to 0 than this do not count in the simplex method.
const TINY: f64 = 1e-12;

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

    /// How much the best replies to the strategies gain over each other: 0 at an equilibrium.
    pub fn gap(&self) -> f64 {
        let [rows, columns] = &self.strategies;
        let row_value = |row: &[f64]| row.iter().zip(columns).map(|(x, y)| x * y).sum::<f64>();
        let best = self.entries.chunks(self.n_columns).map(row_value).fold(f64::MIN, f64::max);
        let column_value = |column: usize| {
            let entries = self.entries.iter().skip(column).step_by(self.n_columns);
            entries.zip(rows).map(|(x, y)| x * y).sum::<f64>()
        };
        best - (0..self.n_columns).map(column_value).fold(f64::MAX, f64::min)
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

    fn solve_by_simplex(&mut self) -> f64 {
        let lowest = self.entries.iter().copied().fold(f64::MAX, f64::min);
        let shift = 1.0 - lowest;
        self.fill(shift);
        let most = 50 * (self.n_rows + self.n_columns);
        for step in 0.. {
            let Some(column) = self.entering(step >= most) else { break };
            let Some(row) = self.leaving(column) else { break };
            self.exchange(row, column);
        }
        self.read_strategies() - shift
    }

    /// One more column for the right side, and one more row for what is maximised.
    fn fill(&mut self, shift: f64) {
        self.tableau.clear();
        for row in self.entries.chunks(self.n_columns) {
            self.tableau.extend(row.iter().map(|entry| entry + shift));
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

    /// The row that limits the variable first, of equals the one with the lowest name.
    fn leaving(&self, column: usize) -> Option<usize> {
        let width = self.n_columns + 1;
        let mut best: Option<(f64, usize)> = None;
        for row in 0..self.n_rows {
            let entry = self.tableau[row * width + column];
            if entry <= TINY {
                continue;
            }
            let ratio = self.tableau[row * width + self.n_columns] / entry;
            let is_better = best.is_none_or(|(least, other)| {
                ratio < least - TINY
                    || ratio <= least + TINY && self.row_names[row] < self.row_names[other]
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

    /// The strategies in proportion to the solution and its dual, and the value of the shifted game.
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
