//! A view as text, for the terminal.

use sakiyomi_core::{Board, Cell, Grid, View};

/// Colours of the players' pieces in terminals that show colours.
const COLOURS: [&str; 8] = ["36", "33", "35", "32", "34", "31", "96", "93"];

/// Draws the board, the panels and the caption, one below the other.
pub fn draw(view: &View, in_colour: bool) -> String {
    let mut text = String::new();
    if let Some(board) = &view.board {
        text += &draw_board(board, in_colour);
    }
    for panel in &view.panels {
        text += &format!("{}: {}\n", panel.title, panel.text);
    }
    if !view.caption.is_empty() {
        text += &view.caption;
        text.push('\n');
    }
    text
}

fn draw_board(board: &Board, in_colour: bool) -> String {
    match board.grid {
        Grid::Square => draw_squares(board, in_colour),
        Grid::Hex => draw_hexagons(board, in_colour),
    }
}

/// Rows of cells, each half a cell further left than the one above it, so that the six neighbours of
/// a cell stand around it.
fn draw_hexagons(board: &Board, in_colour: bool) -> String {
    let columns = board.column_labels.len();
    let widest = |texts: &[String]| texts.iter().map(|text| text.chars().count()).max();
    let symbols: Vec<String> = board.cells.iter().map(|cell| cell.symbol.clone()).collect();
    let width = widest(&symbols).max(widest(&board.column_labels)).unwrap_or(1).max(1);
    let margin = widest(&board.row_labels).unwrap_or(1);
    // An even distance, of which there is a half.
    let pitch = (width + 1).next_multiple_of(2);
    let indent = |row: usize| " ".repeat((board.row_labels.len() - 1 - row) * pitch / 2);
    let mut text = String::new();
    for (row, label) in board.row_labels.iter().enumerate() {
        text += &format!("{}{label:>margin$}", indent(row));
        for cell in &board.cells[row * columns..(row + 1) * columns] {
            text += &" ".repeat(pitch - width);
            text += &draw_cell(cell, width, in_colour);
        }
        text.push('\n');
    }
    let labels = board.column_labels.iter().map(|label| format!("{label:>pitch$}"));
    text + &format!("{:margin$}{}\n", "", labels.collect::<String>())
}

/// Rows of cells with their labels on all sides.
fn draw_squares(board: &Board, in_colour: bool) -> String {
    let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(1);
    let symbols = board.cells.iter().map(|cell| cell.symbol.chars().count());
    let labels = board.column_labels.iter().map(|label| label.chars().count());
    let width = widest(&mut symbols.chain(labels)).max(1);
    let margin = widest(&mut board.row_labels.iter().map(|label| label.chars().count()));
    let columns = board.column_labels.len();
    let header: String =
        board.column_labels.iter().map(|label| format!(" {label:>width$}")).collect();
    let header = format!("{:margin$}{header}\n", "");
    let mut text = header.clone();
    for (row, label) in board.row_labels.iter().enumerate() {
        text += &format!("{label:>margin$}");
        for cell in &board.cells[row * columns..(row + 1) * columns] {
            text += &format!(" {}", draw_cell(cell, width, in_colour));
        }
        text += &format!(" {label}\n");
    }
    text + &header
}

fn draw_cell(cell: &Cell, width: usize, in_colour: bool) -> String {
    let symbol = match (&cell.symbol, &cell.ground) {
        (symbol, _) if !symbol.is_empty() => symbol,
        (_, Some(ground)) => ground,
        _ => ".",
    };
    let text = format!("{symbol:>width$}");
    match cell.owner {
        Some(owner) if in_colour => {
            format!("\x1b[1;{}m{text}\x1b[0m", COLOURS[owner as usize % COLOURS.len()])
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::{Panel, Player};

    #[test]
    fn a_board_has_labels_on_all_sides() {
        let board = Board::square(3, 10, |column, row| match (column, row) {
            (1, 9) => Cell::piece("x", Player(0)),
            _ => Cell::default(),
        });
        let view = View {
            board: Some(board),
            panels: vec![Panel { title: "score".into(), text: "3 to 1".into() }],
            caption: "x to move".into(),
        };
        let drawn = draw(&view, false);
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], "   a b c");
        assert_eq!(lines[1], "10 . x . 10");
        assert_eq!(lines[10], " 1 . . . 1");
        assert_eq!(lines[12..], ["score: 3 to 1", "x to move"]);
        assert!(draw(&view, true).contains("\x1b[1;36mx\x1b[0m"));
    }

    #[test]
    fn neighbours_of_a_hexagon_stand_around_it() {
        let mut board = Board::square(3, 3, |column, row| match (column, row) {
            (1, 1) => Cell::piece("x", Player(0)),
            _ => Cell::default(),
        });
        board.grid = Grid::Hex;
        let drawn = draw(&View { board: Some(board), ..View::default() }, false);
        assert_eq!(drawn, "  3 . . .\n 2 . x .\n1 . . .\n  a b c\n");
    }
}
