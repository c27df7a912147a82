//! Tables as text, which are also Markdown.

use std::fmt;

/// A header and rows; columns are padded, so that the text reads as a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextTable {
    /// The header first.
    lines: Vec<Vec<String>>,
}

impl TextTable {
    pub fn new<T: Into<String>>(header: impl IntoIterator<Item = T>) -> TextTable {
        let mut table = TextTable::default();
        table.add_row(header);
        table
    }

    pub fn add_row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let cell = |cell: T| cell.into().replace('|', "\\|").replace('\n', " ");
        self.lines.push(cells.into_iter().map(cell).collect());
    }
}

impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_columns = self.lines.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..n_columns).map(width).collect();
        for (i, line) in self.lines.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            for (column, width) in widths.iter().enumerate() {
                let cell = line.get(column).map_or("", String::as_str);
                write!(f, "| {cell:width$} ")?;
            }
            f.write_str("|")?;
            if i == 0 {
                f.write_str("\n")?;
                widths.iter().try_for_each(|width| write!(f, "|{}", "-".repeat(width + 2)))?;
                f.write_str("|")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned_and_markdown() {
        let mut table = TextTable::new(["a", "score"]);
        table.add_row(["x|y", "1 < 2"]);
        table.add_row(["先読み".to_owned(), String::new()]);
        table.add_row(["short"]);
        let text = "| a     | score |\n|-------|-------|\n| x\\|y  | 1 < 2 |\n\
                    | 先読み   |       |\n| short |       |";
        assert_eq!(table.to_string(), text);
    }
}
