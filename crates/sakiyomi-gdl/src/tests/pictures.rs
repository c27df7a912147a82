//! Tests of piece files.

use sakiyomi_core::{Game, Grid, Player, Show, View};

use crate::tests::sheets::{LINES, PATHS};
use crate::{GdlGame, Settings};

fn game(rules: &str, picture: &str) -> Result<GdlGame, String> {
    GdlGame::with_picture(rules, &Settings::default(), Some(picture))
        .map_err(|error| error.to_string())
}

/// The view after cross has put a mark in column 1, row 2.
fn view(picture: &str) -> View {
    let game = game(LINES, picture).unwrap();
    let mut state = game.start();
    let action = game.parse(&state, Player(0), "(put 1 2)").unwrap();
    game.apply(&mut state, &[action]);
    game.view(&state)
}

fn marked(view: &View) -> usize {
    let cells = &view.board.as_ref().unwrap().cells;
    cells.iter().position(|cell| cell.top().is_some_and(|p| !p.symbol.is_empty())).unwrap()
}

#[test]
fn boards_are_laid_out_as_the_file_says() {
    assert_eq!(marked(&view("")), 3);
    assert_eq!(marked(&view("columns = \"right-to-left\"")), 5);
    assert_eq!(marked(&view("first = \"row\"")), 7);
    assert_eq!(marked(&view("first = \"row\"\nrows = \"top-to-bottom\"")), 1);
    let upside_down = view("rows = \"top-to-bottom\"");
    assert_eq!(upside_down.board.unwrap().row_labels, ["1", "2", "3"]);
    let hex = view("board = \"hex\"\nrelation = \"square\"").board.unwrap();
    assert_eq!(hex.grid, Grid::Hex);
    let game = game(LINES, "first = \"row\"").unwrap();
    let start = game.start();
    let action = game.parse(&start, Player(0), "(put 1 2)").unwrap();
    assert_eq!(game.action_cells(&start, Player(0), action), [7]);
}

#[test]
fn pieces_are_named_and_pictured() {
    let text = "[pieces]\ncross = { symbol = \"✗\", name = \"a cross\", owner = 1 }\n\
                ring = { owner = \"cross\" }\nfree = { symbol = \"·\" }";
    let view = view(text);
    let cells = view.board.unwrap().cells;
    let piece = |cell: usize| cells[cell].top().unwrap();
    assert_eq!((piece(3).symbol.as_str(), piece(3).owner), ("✗", Some(1)));
    assert_eq!(piece(0).symbol, "·");
    let legend = view.facts.iter().find(|fact| fact.title == "pieces").unwrap();
    assert_eq!(legend.text, "✗ a cross");
}

#[test]
fn errors_name_line_column_and_field() {
    let error = |text: &str| game(LINES, text).unwrap_err();
    for (text, parts) in [
        ("board = \"round\"", ["line 1, column 9", "square"]),
        ("\nshape = 1", ["line 2, column 1", "shape"]),
        ("relation = \"cell\"", ["line 1, column 12", "boards: square"]),
        ("[pieces]\nx = { symbol = \"x\" }", ["line 2, column 5", "known: cross, free, ring"]),
        ("[pieces]\nring = { owner = \"nobody\" }", ["pieces.ring.owner", "roles: cross, ring"]),
        ("[pieces]\nring = { owner = 2 }", ["pieces.ring.owner", "line 2"]),
        ("[pieces]\nring = { owner = 1.5 }", ["line 2", "name of a role"]),
        ("[pieces]\nring = { symbol = \"RRRRRR\" }", ["pieces.ring.symbol", "at most 4"]),
        ("[pieces]\nring = { colour = 1 }", ["line 2", "colour"]),
        ("board =", ["the piece file, line 1", ""]),
    ] {
        let message = error(text);
        assert!(parts.iter().all(|part| message.contains(part)), "{text}: {message}");
    }
    assert!(game(PATHS, "relation = \"stone\"").is_ok());
}
