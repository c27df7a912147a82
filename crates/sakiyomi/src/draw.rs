//! A view as text, for the terminal.

use std::borrow::Cow;

use sakiyomi_core::{Board, Card, Cell, Grid, Piece, Pile, PlayerView, View};

/// Colours of the players' pieces in terminals that show colours.
const COLOURS: [&str; 8] = ["36", "33", "35", "32", "34", "31", "96", "93"];

/// Columns of a terminal. Fields of hexagons that are wider get smaller cells.
const MAX_WIDTH: usize = 100;

/// Draws the board, what stands beside it and the caption, one below the other.
pub fn draw(view: &View, in_colour: bool) -> String {
    let mut lines = Vec::new();
    if let Some(board) = &view.board {
        lines.extend(piece_lines(board));
    }
    lines.extend(view.piles.iter().map(pile_line));
    lines.extend(view.players.iter().filter_map(player_line));
    lines.extend(view.facts.iter().map(|fact| format!("{}: {}", fact.title, fact.text)));
    match &view.note {
        Some(note) => lines.push(format!("{}, {note}", view.caption)),
        None if view.caption.is_empty() => {}
        None => lines.push(view.caption.to_string()),
    }
    let board = view.board.as_ref().map_or(String::new(), |board| draw_board(board, in_colour));
    lines.iter().fold(board, |text, line| text + line + "\n")
}

/// What is known of every piece beyond its symbol, by owner and symbol.
fn piece_lines(board: &Board) -> Vec<String> {
    let cells = board.cells.iter().enumerate();
    let mut pieces: Vec<(usize, &Piece)> =
        cells.flat_map(|(i, cell)| cell.pieces.iter().map(move |piece| (i, piece))).collect();
    pieces.retain(|(_, piece)| piece.gauge.is_some() || !piece.facts.is_empty());
    pieces.sort_by_key(|(cell, piece)| (piece.owner, piece.symbol.len(), &piece.symbol, *cell));
    let line = |(cell, piece): (usize, &Piece)| {
        let gauge = piece.gauge.iter().map(|gauge| format!("{} {}", gauge.value, gauge.unit));
        let facts: Vec<String> = gauge.chain(piece.facts.iter().map(ToString::to_string)).collect();
        format!("{} {}: {}", piece.symbol, board.cell_label(cell), facts.join(", "))
    };
    pieces.into_iter().map(line).collect()
}

fn pile_line(pile: &Pile) -> String {
    let note = pile.note.as_ref().map_or(String::new(), |note| format!(", {note}"));
    format!("{}: {}{note}", pile.title, card_texts(&pile.cards))
}

/// A player's score and hand, if there is one or the other.
fn player_line(player: &PlayerView) -> Option<String> {
    let score = player.score.as_ref().map(|score| score.text.to_string());
    let hand = player.hand.as_ref().map(|hand| format!("holds {}", card_texts(hand)));
    let facts: Vec<String> = score.into_iter().chain(hand).collect();
    (!facts.is_empty()).then(|| format!("{}: {}", player.name, facts.join(", ")))
}

fn card_texts(cards: &[Card]) -> String {
    let text = |card: &Card| if card.is_known { card.text.clone() } else { "?".to_owned() };
    let texts: Vec<String> = cards.iter().map(text).collect();
    if texts.is_empty() { "nothing".to_owned() } else { texts.join(" ") }
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
    let symbols: Vec<String> = board.cells.iter().map(|cell| symbol(cell).into_owned()).collect();
    let width = widest(&symbols).max(widest(&board.column_labels)).unwrap_or(1).max(1);
    let margin = widest(&board.row_labels).unwrap_or(1);
    // An even distance, of which there is a half.
    let pitch = (width + 1).next_multiple_of(2);
    if margin + pitch * columns + pitch / 2 * board.row_labels.len() > MAX_WIDTH {
        return draw_small_hexagons(board, in_colour);
    }
    let indent = |row: usize| " ".repeat((board.row_labels.len() - 1 - row) * pitch / 2);
    let mut text = String::new();
    for (row, label) in board.row_labels.iter().enumerate() {
        text += &format!("{}{label:>margin$}", indent(row));
        for cell in &board.cells[row * columns..(row + 1) * columns] {
            text += &" ".repeat(pitch - width);
            text += &coloured(&format!("{:>width$}", symbol(cell)), cell, in_colour);
        }
        text.push('\n');
    }
    let labels = board.column_labels.iter().map(|label| format!("{label:>pitch$}"));
    text + &format!("{:margin$}{}\n", "", labels.collect::<String>())
}

/// A large field: a letter for each cell, two columns apart, and rows that begin and end with their
/// first and last cells. What the letters mean stands below.
fn draw_small_hexagons(board: &Board, in_colour: bool) -> String {
    let (columns, rows) = (board.column_labels.len(), board.row_labels.len());
    let margin = board.row_labels.iter().map(|label| label.chars().count()).max().unwrap_or(1);
    let row_of = |row: usize| &board.cells[row * columns..(row + 1) * columns];
    let ends = |row: usize| {
        let is_there = |cell: &Cell| !cell.is_hole;
        let first = row_of(row).iter().position(is_there)?;
        Some((first, row_of(row).iter().rposition(is_there)?))
    };
    let indent = |row: usize, first: usize| 2 * first + rows - 1 - row;
    let least = (0..rows).filter_map(|row| Some(indent(row, ends(row)?.0))).min().unwrap_or(0);
    let mut text = String::new();
    for (row, label) in board.row_labels.iter().enumerate() {
        let Some((first, last)) = ends(row) else { continue };
        text += &format!("{}{label:>margin$}", " ".repeat(indent(row, first) - least));
        for cell in &row_of(row)[first..=last] {
            let letter = letter(cell, in_colour);
            text += &format!(" {}", coloured(&letter.to_string(), cell, in_colour));
        }
        text += &format!("  {}-{}\n", board.column_labels[first], board.column_labels[last]);
    }
    let mut grounds: Vec<&str> =
        board.cells.iter().filter_map(|cell| cell.ground.as_deref()).collect();
    grounds.sort_unstable();
    grounds.dedup();
    let meanings = grounds.iter().map(|ground| format!("{} {ground}", &ground[..1]));
    let water = board.cells.iter().any(|cell| cell.amount.is_some());
    let numbers = match in_colour {
        true => "numbers: amounts, + for more than 9",
        false => "numbers: the player who holds the cell",
    };
    let lines: Vec<String> = meanings.chain(water.then(|| numbers.to_owned())).collect();
    if lines.is_empty() { text } else { text + &lines.join(", ") + "\n" }
}

/// One letter for a cell: its piece, how much lies on it or whose it is, or its ground. Without colours the
/// owner says more than the amount.
fn letter(cell: &Cell, in_colour: bool) -> char {
    let first = |text: &str| text.chars().next();
    let piece = cell.top().and_then(|piece| first(&piece.symbol));
    let digit = |number: u32| char::from_digit(number, 10).unwrap_or('+');
    let amount = cell.amount.map(|amount| match (in_colour, cell.owners.first()) {
        (false, Some(owner)) => digit(u32::from(*owner) + 1),
        _ => digit(amount.max(0) as u32),
    });
    let ground = cell.ground.as_deref().and_then(first);
    let empty = if cell.is_hole { ' ' } else { '.' };
    piece.or(amount).or(ground).unwrap_or(empty)
}

/// Rows of cells with their labels on all sides.
fn draw_squares(board: &Board, in_colour: bool) -> String {
    let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(1);
    let symbols = board.cells.iter().map(|cell| symbol_on_ground(cell).chars().count());
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
            let symbol = format!("{:>width$}", symbol_on_ground(cell));
            text += &format!(" {}", coloured(&symbol, cell, in_colour));
        }
        text += &format!(" {label}\n");
    }
    text + &header
}

fn coloured(text: &str, cell: &Cell, in_colour: bool) -> String {
    let owner = cell.top().and_then(|piece| piece.owner).or(cell.owners.first().copied());
    match owner {
        Some(owner) if in_colour => {
            format!("\x1b[1;{}m{text}\x1b[0m", COLOURS[owner as usize % COLOURS.len()])
        }
        _ => text.to_owned(),
    }
}

/// What stands for a cell: its piece, what lies on it, its ground, or a dot.
fn symbol(cell: &Cell) -> Cow<'_, str> {
    let piece = cell.top().map(|piece| piece.symbol.as_str()).filter(|symbol| !symbol.is_empty());
    match (piece, cell.amount, &cell.ground) {
        (Some(symbol), ..) => symbol.into(),
        (None, Some(amount), _) => amount.to_string().into(),
        (None, None, Some(ground)) => ground.as_str().into(),
        (None, None, None) if cell.is_hole => " ".into(),
        (None, None, None) => ".".into(),
    }
}

/// The same, and below a piece its ground, which counts where there are several kinds.
fn symbol_on_ground(cell: &Cell) -> Cow<'_, str> {
    let piece = cell.top().is_some_and(|piece| !piece.symbol.is_empty());
    match &cell.ground {
        Some(ground) if piece => format!("{}/{ground}", symbol(cell)).into(),
        _ => symbol(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::{Fact, Gauge, Phrase, Player};

    #[test]
    fn a_board_has_labels_on_all_sides() {
        let board = Board::square(3, 10, |column, row| match (column, row) {
            (1, 9) => Cell::piece("x", Player(0)),
            _ => Cell::default(),
        });
        let view = View {
            board: Some(board),
            facts: vec![Fact { title: "score".into(), text: "3 to 1".into() }],
            caption: "x to move".into(),
            note: Some(Phrase::new("round {0}").with(2)),
            ..View::default()
        };
        let drawn = draw(&view, false);
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], "   a b c");
        assert_eq!(lines[1], "10 . x . 10");
        assert_eq!(lines[10], " 1 . . . 1");
        assert_eq!(lines[12..], ["score: 3 to 1", "x to move, round 2"]);
        assert!(draw(&view, true).contains("\x1b[1;36mx\x1b[0m"));
    }

    #[test]
    fn numbers_of_pieces_hands_and_scores_are_written() {
        let piece = |symbol: &str, owner: u8, value: i32| Piece {
            gauge: Some(Gauge { value, max: 10, unit: "hp".to_owned() }),
            facts: vec![Phrase::new("attack {0}").with(5), Phrase::new("moved")],
            ..Piece::new(symbol, Player(owner))
        };
        let board = Board::square(2, 1, |column, _| match column {
            0 => Cell::of(piece("b", 1, 3)),
            _ => Cell { pieces: vec![piece("t", 0, 9), piece("A", 0, 10)], ..Cell::default() },
        });
        let hidden = Card { text: String::new(), value: None, is_known: false, is_playable: false };
        let pile = Pile { title: "deck".into(), cards: Vec::new(), note: Some("3 lost".into()) };
        let view = View {
            board: Some(board),
            piles: vec![pile],
            players: vec![PlayerView {
                name: "x".into(),
                hand: Some(vec![Card::number(7, true), hidden]),
                ..PlayerView::default()
            }],
            ..View::default()
        };
        let drawn = draw(&view, false);
        let lines: Vec<&str> = drawn.lines().skip(3).collect();
        let facts = "attack 5, moved";
        assert_eq!(drawn.lines().nth(1), Some("1 b A 1"));
        assert_eq!(lines[0], format!("A b1: 10 hp, {facts}"));
        assert_eq!(lines[1], format!("t b1: 9 hp, {facts}"));
        assert_eq!(lines[2], format!("b a1: 3 hp, {facts}"));
        assert_eq!(lines[3..], ["deck: nothing, 3 lost", "x: holds 7 ?"]);
    }

    #[test]
    fn the_ground_below_pieces_is_seen() {
        let wood = Some("wood".to_owned());
        let board = Board::square(3, 1, |column, _| match column {
            0 => Cell { ground: wood.clone(), ..Cell::piece("P", Player(0)) },
            1 => Cell { ground: wood.clone(), ..Cell::default() },
            _ => Cell::piece("i", Player(1)),
        });
        let drawn = draw(&View { board: Some(board), ..View::default() }, false);
        assert_eq!(drawn.lines().nth(1), Some("1 P/wood   wood      i 1"));
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

    #[test]
    fn a_large_field_of_hexagons_fits_into_a_terminal() {
        let side = 41usize;
        let mut board = Board::square(side, side, |_, _| Cell::default());
        board.grid = Grid::Hex;
        let labels = || (0..side).map(|i| i.to_string()).collect();
        (board.column_labels, board.row_labels) = (labels(), labels());
        for (i, cell) in board.cells.iter_mut().enumerate() {
            cell.is_hole = (i % side).abs_diff(i / side) > 20;
        }
        board.cells[0] = Cell::piece("a", Player(1));
        board.cells[1].ground = Some("rough".to_owned());
        board.cells[2] = Cell { owners: vec![3], amount: Some(12), ..Cell::default() };
        let view = View { board: Some(board), ..View::default() };
        let drawn = draw(&view, false);
        let lines: Vec<&str> = drawn.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() <= MAX_WIDTH), "{drawn}");
        assert_eq!(lines.len(), side + 1);
        assert!(lines[0].trim_start().starts_with("0 a r 4 . ."), "{drawn}");
        assert!(lines[20].starts_with("20 . .") && lines[20].ends_with(" .  0-40"), "{drawn}");
        assert!(lines[40].ends_with(" .  20-40"), "{drawn}");
        assert_eq!(lines[41], "r rough, numbers: the player who holds the cell");
        assert!(draw(&view, true).contains("+\x1b[0m"));
    }
}
