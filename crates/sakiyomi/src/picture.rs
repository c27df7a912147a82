//! A view as SVG, for notebooks and documents: the board, the cards, the scores and the caption. The page draws
//! views by itself.

use std::fmt::Write;

use sakiyomi_core::{Board, Card, Cell, Colour, Grid, Piece, Shape, View};

/// The side of a square, and the distance of hexagons that touch, in SVG units.
const CELL: f64 = 40.0;
const MARGIN: f64 = 26.0;
const LINE: f64 = 20.0;
const CARD: (f64, f64) = (26.0, 36.0);
const INK: &str = "#24211d";
const BOARD: &str = "#ecdcb6";
const BOARD_LINE: &str = "#8a744c";
/// Colours of players whose game names none.
const PLAYERS: [&str; 8] =
    ["#25231f", "#fbf7ec", "#b5341f", "#2f5d92", "#3f7145", "#d8a62f", "#6f4a86", "#2a7a7a"];

/// Draws a view; `colours` are those of the players, where the game has them.
pub fn to_svg(view: &View, colours: &[Option<Colour>]) -> String {
    let mut drawing = Drawing { body: String::new(), width: 240.0, y: MARGIN / 2.0, colours };
    if let Some(board) = &view.board {
        drawing.board(board);
    }
    for pile in &view.piles {
        let note = pile.note.as_ref().map_or_else(String::new, |note| format!(", {note}"));
        drawing.cards(&format!("{}{note}", pile.title), &pile.cards);
    }
    for player in &view.players {
        let score = player.score.as_ref().map(|score| format!(": {}", score.text));
        let title = format!("{}{}", player.name, score.unwrap_or_default());
        match &player.hand {
            Some(hand) => drawing.cards(&title, hand),
            None => drawing.line(&title),
        }
    }
    for fact in &view.facts {
        drawing.line(&format!("{}: {}", fact.title, fact.text));
    }
    let note = view.note.as_ref().map_or_else(String::new, |note| format!(", {note}"));
    let caption = format!("{}{note}", view.caption);
    if !caption.is_empty() {
        drawing.line(&caption);
    }
    drawing.finish(&caption)
}

/// What is drawn so far, from top to bottom.
struct Drawing<'a> {
    body: String,
    width: f64,
    /// Where what comes next begins.
    y: f64,
    colours: &'a [Option<Colour>],
}

impl Drawing<'_> {
    fn board(&mut self, board: &Board) {
        let (columns, rows) = (board.column_labels.len(), board.row_labels.len());
        let is_hex = board.grid == Grid::Hex;
        // Hexagons stand on a corner; each row begins half a cell further left than the one above.
        let pitch = if is_hex { CELL * 3f64.sqrt() / 2.0 } else { CELL };
        let shift = |row: usize| if is_hex { (rows - 1 - row) as f64 * CELL / 2.0 } else { 0.0 };
        let top = self.y;
        for (i, cell) in board.cells.iter().enumerate().filter(|(_, cell)| !cell.is_hole) {
            let (row, column) = (i / columns, i % columns);
            let x = MARGIN + shift(row) + (column as f64 + 0.5) * CELL;
            let y = top + (row as f64 + 0.5) * pitch + if is_hex { CELL * 0.08 } else { 0.0 };
            self.ground(cell, x, y, is_hex, board.marked.contains(&(i as u16)));
            self.content(cell, x, y);
        }
        for (row, label) in board.row_labels.iter().enumerate() {
            self.label(MARGIN / 2.0 + shift(row), top + (row as f64 + 0.5) * pitch, label);
        }
        self.y = top + rows as f64 * pitch + LINE / 2.0 + if is_hex { CELL * 0.16 } else { 0.0 };
        for (column, label) in board.column_labels.iter().enumerate() {
            self.label(MARGIN + (column as f64 + 0.5) * CELL, self.y, label);
        }
        self.y += LINE;
        let board_width = columns as f64 * CELL + shift(0) + 2.0 * MARGIN;
        self.width = self.width.max(board_width);
    }

    fn ground(&mut self, cell: &Cell, x: f64, y: f64, is_hex: bool, is_marked: bool) {
        let fill = match (cell.ground.as_deref(), cell.owners.first()) {
            _ if is_marked => "#d9a441",
            (Some("forest" | "wood"), _) => "#9db88a",
            (Some("mountain" | "mountains"), _) => "#b9a78a",
            (Some("water" | "sea" | "river"), _) => "#9fc1d4",
            (Some("wall" | "fortress" | "castle"), _) => "#a9a29a",
            (Some("road"), _) => "#e4d9c2",
            _ => BOARD,
        };
        let corners: Vec<(f64, f64)> = match is_hex {
            true => (0..6)
                .map(|i| {
                    let angle = f64::from(i) * std::f64::consts::FRAC_PI_3;
                    let radius = CELL / 3f64.sqrt();
                    (x + radius * angle.sin(), y + radius * angle.cos())
                })
                .collect(),
            false => {
                let half = CELL / 2.0;
                vec![
                    (x - half, y - half),
                    (x + half, y - half),
                    (x + half, y + half),
                    (x - half, y + half),
                ]
            }
        };
        let points: Vec<String> =
            corners.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
        self.write(format_args!(
            r#"<polygon points="{}" fill="{fill}" stroke="{BOARD_LINE}"/>"#,
            points.join(" ")
        ));
        if let Some(owner) = cell.owners.first() {
            let fill = self.colour(*owner);
            self.write(format_args!(
                r#"<polygon points="{}" fill="{fill}" fill-opacity="0.25"/>"#,
                points.join(" ")
            ));
        }
    }

    fn content(&mut self, cell: &Cell, x: f64, y: f64) {
        if let Some(piece) = cell.top() {
            self.piece(piece, x, y);
        }
        if let Some(amount) = cell.amount {
            self.text(x, y + CELL * 0.42, CELL * 0.26, INK, &amount.to_string());
        }
    }

    fn piece(&mut self, piece: &Piece, x: f64, y: f64) {
        let fill = piece.owner.map_or("#b4ab9a", |owner| self.colour(owner));
        let radius = CELL * 0.38;
        let opacity = if piece.has_acted { 0.55 } else { 1.0 };
        let (x, y) = (number(x), number(y));
        if piece.shape == Shape::Mark {
            let ink = self.colour(piece.owner.unwrap_or(0));
            let ink = if ink == PLAYERS[1] { "#2f5d92" } else { ink };
            return self.mark(piece, &x, &y, ink);
        }
        self.write(format_args!(
            r#"<circle cx="{x}" cy="{y}" r="{}" fill="{fill}" stroke="{INK}" opacity="{opacity}"/>"#,
            number(radius)
        ));
        if piece.shape == Shape::Token {
            let ink = if is_dark(fill) { "#fbf7ec" } else { INK };
            let text = match &piece.gauge {
                Some(gauge) => format!("{}{}", piece.symbol, gauge.value),
                None => piece.symbol.clone(),
            };
            let size = if text.chars().count() > 2 { CELL * 0.28 } else { CELL * 0.4 };
            self.write(format_args!(
                r#"<text x="{x}" y="{y}" font-size="{}" fill="{ink}" text-anchor="middle" dominant-baseline="central">{}</text>"#,
                number(size),
                escape(&text)
            ));
        }
    }

    /// A cross for the first player and a ring for all others.
    fn mark(&mut self, piece: &Piece, x: &str, y: &str, ink: &str) {
        let radius = CELL * 0.3;
        match piece.owner {
            Some(0) => self.write(format_args!(
                r#"<path d="M{x} {y}m-{r} -{r}l{d} {d}m0 -{d}l-{d} {d}" stroke="{ink}" stroke-width="5" fill="none" stroke-linecap="round"/>"#,
                r = number(radius),
                d = number(2.0 * radius),
            )),
            _ => self.write(format_args!(
                r#"<circle cx="{x}" cy="{y}" r="{}" stroke="{ink}" stroke-width="5" fill="none"/>"#,
                number(radius)
            )),
        }
    }

    /// Cards in a row below their title.
    fn cards(&mut self, title: &str, cards: &[Card]) {
        self.line(title);
        for (i, card) in cards.iter().enumerate() {
            let x = MARGIN + i as f64 * (CARD.0 + 4.0);
            let fill = if card.is_known { "#fdf9ef" } else { "#8d8168" };
            self.write(format_args!(
                r#"<rect x="{}" y="{}" width="{}" height="{}" rx="3" fill="{fill}" stroke="{INK}"/>"#,
                number(x),
                number(self.y),
                CARD.0,
                CARD.1
            ));
            if card.is_known {
                self.text(x + CARD.0 / 2.0, self.y + CARD.1 / 2.0, 14.0, INK, &card.text);
            }
            self.width = self.width.max(x + CARD.0 + MARGIN);
        }
        self.y += if cards.is_empty() { 0.0 } else { CARD.1 + LINE / 2.0 };
    }

    fn line(&mut self, text: &str) {
        self.y += LINE / 2.0;
        self.write(format_args!(
            r#"<text x="{MARGIN}" y="{}" font-size="14" fill="{INK}" dominant-baseline="central">{}</text>"#,
            number(self.y),
            escape(text)
        ));
        self.y += LINE * 0.75;
        self.width = self.width.max(2.0 * MARGIN + 7.5 * text.chars().count() as f64);
    }

    fn label(&mut self, x: f64, y: f64, text: &str) {
        self.text(x, y, 12.0, "#5b5347", text);
    }

    fn text(&mut self, x: f64, y: f64, size: f64, ink: &str, text: &str) {
        self.write(format_args!(
            r#"<text x="{}" y="{}" font-size="{}" fill="{ink}" text-anchor="middle" dominant-baseline="central">{}</text>"#,
            number(x),
            number(y),
            number(size),
            escape(text)
        ));
    }

    fn colour(&self, owner: u8) -> &'static str {
        match self.colours.get(usize::from(owner)).copied().flatten() {
            Some(Colour::White) => "#fbf7ec",
            Some(Colour::Black) => "#25231f",
            Some(Colour::Red) => "#b5341f",
            Some(Colour::Blue) => "#2f5d92",
            Some(Colour::Green) => "#3f7145",
            Some(Colour::Yellow) => "#d8a62f",
            None => PLAYERS[usize::from(owner) % PLAYERS.len()],
        }
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into a string cannot fail.
        let _ = self.body.write_fmt(text);
    }

    fn finish(self, title: &str) -> String {
        let (width, height) = (number(self.width), number(self.y + MARGIN / 2.0));
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" role="img"><title>{}</title><rect width="100%" height="100%" fill="#f6f0e3"/>{}</svg>"##,
            escape(title),
            self.body
        )
    }
}

/// With one decimal at most, so that the text is short and the same everywhere.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

fn is_dark(colour: &str) -> bool {
    let part = |at: usize| u32::from_str_radix(&colour[at..at + 2], 16).unwrap_or(0);
    3 * part(1) + 6 * part(3) + part(5) < 1_280
}

/// Text as content or attribute of XML and HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_catalog::open_table;

    fn svg_of(game: &str) -> String {
        let table = open_table(&game.parse().unwrap(), 1).unwrap();
        let colours: Vec<_> = (0..table.players())
            .map(|i| table.player_face(sakiyomi_core::Player(i as u8)).colour)
            .collect();
        to_svg(&table.view(), &colours)
    }

    #[test]
    fn boards_have_a_cell_each_and_cards_their_numbers() {
        let count = |svg: &str, part: &str| svg.matches(part).count();
        let board = svg_of("breakthrough:6x6");
        assert_eq!((count(&board, "<polygon"), count(&board, "<circle")), (36, 24), "{board}");
        let hex = svg_of("hex:5x5");
        assert_eq!(count(&hex, "<polygon"), 25);
        let cards = svg_of("goofspiel:n=4,order=descending");
        assert!(count(&cards, "<rect") > 8 && cards.contains(">4</text>"), "{cards}");
    }

    #[test]
    fn texts_are_escaped_and_elements_closed() {
        let view = View { caption: "a < b & c".into(), ..View::default() };
        let svg = to_svg(&view, &[]);
        assert!(svg.contains("a &lt; b &amp; c") && !svg.contains("< b"), "{svg}");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"));
    }
}
