//! Tests of how sheets without a piece file are drawn.

use std::path::Path;

use sakiyomi_core::{Board, Game, Grid, Player, Show};

use crate::{EngineChoice, GdlGame, Limits, Settings};

/// Both players pass until one gives up; `more` says what there is to be seen.
fn sheet(more: &str) -> String {
    format!(
        "(role white) (role black) (init (control white))
         (<= (legal ?p pass) (true (control ?p)))
         (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
         (<= (next (control black)) (true (control white)))
         (<= (next (control white)) (true (control black)))
         (<= terminal (true over)) (goal white 50) (goal black 50)
         (init dummy) (<= (next over) (true never)) {more}"
    )
}

fn game(rules: &str) -> GdlGame {
    GdlGame::new(rules, &Settings::default()).unwrap()
}

fn board(rules: &str) -> Board {
    let game = game(rules);
    game.view(&game.start()).board.expect("a board")
}

/// What stands on the cells, row by row from the top; a hole is a space.
fn symbols(board: &Board) -> Vec<String> {
    let symbol = |cell: &sakiyomi_core::Cell| match (cell.top(), cell.amount, &cell.ground) {
        _ if cell.is_hole => " ".to_owned(),
        (Some(piece), ..) => piece.symbol.clone(),
        (None, Some(amount), _) => amount.to_string(),
        (None, None, Some(ground)) => ground[..1].to_owned(),
        _ => ".".to_owned(),
    };
    let columns = board.column_labels.len();
    board.cells.chunks(columns).map(|row| row.iter().map(symbol).collect()).collect()
}

#[test]
fn cells_of_a_role_and_a_kind_are_chessmen() {
    let men = "(init (cell a 1 white king)) (init (cell b 1 white pawn)) (init (cell a 2 black queen))
               (init (cell b 2 black guard)) (<= (next (cell ?x ?y ?p ?k)) (true (cell ?x ?y ?p ?k)))
               (<= (legal ?p (move king a 1 b 2)) (true (control ?p)))";
    let rules = sheet(men);
    let drawn = board(&rules);
    assert_eq!(symbols(&drawn), ["♛bg", "♔♙"]);
    let owners: Vec<_> = drawn.cells.iter().map(|cell| cell.top().unwrap().owner).collect();
    assert_eq!(owners, [Some(1), Some(1), Some(0), Some(0)]);
    let game = game(&rules);
    let start = game.start();
    let action = game.parse(&start, Player(0), "(move king a 1 b 2)").unwrap();
    assert_eq!(game.action_cells(&start, Player(0), action), [2, 1]);
}

#[test]
fn names_of_cells_are_a_board_or_a_star() {
    let cell = |name: String| format!("(init (cell {name} blank)) ");
    let square: String =
        (0..9).map(|i| cell(format!("{}{}", ["a", "b", "c"][i / 3], i % 3 + 1))).collect();
    let rest = "(init (mark a1)) (<= (next (cell ?c ?p)) (does ?p (put ?c)))
                (<= (next (cell ?c ?x)) (true (cell ?c ?x)))
                (<= (legal ?p (put ?c)) (true (control ?p)) (true (cell ?c blank)))";
    let rules = sheet(&(square + rest));
    let drawn = board(&rules);
    assert_eq!((drawn.grid, drawn.column_labels.join("")), (Grid::Square, "abc".to_owned()));
    assert_eq!(drawn.row_labels, ["3", "2", "1"]);
    let game = game(&rules);
    let mut state = game.start();
    let action = game.parse(&state, Player(0), "(put b1)").unwrap();
    assert_eq!(game.action_cells(&state, Player(0), action), [7]);
    game.apply(&mut state, &[action]);
    assert_eq!(symbols(&game.view(&state).board.unwrap()), ["...", "...", ".w."]);
    // Lines of 1, 2, 5, 4 and 5 lie centred.
    let star: String = [1, 2, 5, 4, 5]
        .iter()
        .zip('a'..)
        .flat_map(|(&n, letter)| (1..=n).map(move |i| cell(format!("{letter}{i}"))))
        .collect();
    let drawn = board(&sheet(&(star + rest)));
    assert_eq!(drawn.grid, Grid::Hex);
    assert_eq!(symbols(&drawn), [" .    ", " ..   ", "..... ", " .... ", " ....."]);
}

#[test]
fn points_of_the_compass_lie_on_rings() {
    let points = ["n", "ne", "e", "se", "s", "sw", "w", "nw"];
    let pits: String = ["outer", "inner"]
        .iter()
        .flat_map(|ring| {
            points.iter().map(move |point| format!("(init (pit {ring} {point} empty)) "))
        })
        .collect();
    let rest = "(<= (next (pit ?r ?d ?p)) (does ?p (place ?r ?d)))
                (<= (next (pit ?r ?d ?x)) (true (pit ?r ?d ?x)))
                (<= (legal ?p (place ?r ?d)) (true (control ?p)) (true (pit ?r ?d empty)))";
    let rules = sheet(&(pits + rest));
    assert_eq!(symbols(&board(&rules)), [". . .", " ... ", ".. ..", " ... ", ". . ."]);
    let game = game(&rules);
    let start = game.start();
    let action = game.parse(&start, Player(0), "(place inner e)").unwrap();
    assert_eq!(game.action_cells(&start, Player(0), action), [13]);
}

#[test]
fn lines_are_drawn_between_dots() {
    let lines = "(index 1) (index 2) (step 1 2)
                 (<= (legal ?p (draw ?x 1 ?x 2)) (true (control ?p)) (index ?x))
                 (<= (legal ?p (draw 1 ?y 2 ?y)) (true (control ?p)) (index ?y))
                 (<= (next (line ?a ?b ?c ?d)) (does ?p (draw ?a ?b ?c ?d)))
                 (<= (next (line ?a ?b ?c ?d)) (true (line ?a ?b ?c ?d)))
                 (<= (next (box 1 1 ?p)) (does ?p (draw 1 1 1 2)))";
    let game = game(&sheet(lines));
    let mut state = game.start();
    assert_eq!(symbols(&game.view(&state).board.unwrap()), ["d.d", "...", "d.d"]);
    let action = game.parse(&state, Player(0), "(draw 1 1 1 2)").unwrap();
    assert_eq!(game.action_cells(&state, Player(0), action), [3]);
    game.apply(&mut state, &[action]);
    let view = game.view(&state);
    assert_eq!(symbols(view.board.as_ref().unwrap()), ["d.d", "l..", "d.d"]);
}

#[test]
fn pieces_that_are_told_before_their_place_stand_on_the_board() {
    let moves = "(index 1) (index 2) (index 3) (init (at white 1 1)) (init (at black 3 3))
                 (<= (next (cell ?x ?y stone)) (true (at ?p ?a ?b)) (index ?x) (index ?y))
                 (<= (next (cell ?x ?y stone)) (true (cell ?x ?y stone)))
                 (<= (next (at ?p ?x ?y)) (does ?p pass) (index ?x) (true (at ?p ?x ?y)) (index ?y))
                 (<= (next (at ?p ?x ?y)) (does ?p noop) (index ?x) (true (at ?p ?x ?y)) (index ?y))
                 (<= (base (cell ?x ?y stone)) (index ?x) (index ?y))
                 (<= (base (at ?p ?x ?y)) (role ?p) (index ?x) (index ?y))";
    let game = game(&sheet(moves));
    let view = game.view(&game.start());
    let drawn = view.board.unwrap();
    assert_eq!(symbols(&drawn), ["wwb", "www", "www"]);
    assert_eq!(drawn.cells[0].ground.as_deref(), Some("wall"));
    assert_eq!(drawn.cells[6].top().unwrap().owner, Some(0));
    let titles: Vec<String> = view.facts.iter().map(|fact| fact.title.to_string()).collect();
    assert!(!titles.contains(&"at".to_owned()), "{titles:?}");
}

#[test]
fn heaps_stand_in_rows_of_their_owners() {
    let heaps = "(init (heap a 3)) (init (heap b 12)) (init (heap c 0))
                 (<= (next (heap ?h ?n)) (true (heap ?h ?n)))
                 (<= (legal ?p (take ?h)) (true (control ?p)) (true (heap ?h ?n)))";
    let drawn = board(&sheet(heaps));
    assert_eq!(
        (symbols(&drawn), drawn.column_labels.join("")),
        (vec!["3120".to_owned()], "abc".to_owned())
    );
    let pits = "(owner white p1) (owner white p2) (owner white store1x) (owner black p3) (owner black p4)
                (owner black home)
                (init (pit p1 s1)) (init (pit p2 s2)) (init (pit p3 s3)) (init (pit p4 s4))
                (init (pit store1x s5)) (init (pit home s6)) (<= (next (pit ?h ?n)) (true (pit ?h ?n)))";
    assert_eq!(symbols(&board(&sheet(pits))), ["521 ", " 346"]);
    // Points of players are no heaps.
    let points =
        "(init (points white 1)) (init (points black 2)) (<= (next (points ?h 3)) (role ?h))
                  (<= (next (points ?h ?n)) (true (points ?h ?n)))";
    let game = game(&sheet(points));
    assert_eq!(game.view(&game.start()).board, None);
}

#[test]
fn cells_that_touch_like_hexagons_are_hexagons() {
    let cells: String =
        (0..9).map(|i| format!("(init (cell {} {} blank)) ", i % 3 + 1, i / 3 + 1)).collect();
    let rest = "(<= (next (cell ?x ?y ?p)) (does ?p (mark ?x ?y))) (<= (next (cell ?x ?y ?z)) (true (cell ?x ?y ?z)))
                (<= (legal ?p (mark ?x ?y)) (true (control ?p)) (true (cell ?x ?y blank)))
                (same 1 1) (same 2 2) (same 3 3) (after 1 2) (after 2 3)
                (<= (neighbour ?a ?b ?c ?d) (same ?b ?d) (or (after ?a ?c) (after ?c ?a)))
                (<= (neighbour ?a ?b ?c ?d) (after ?b ?d) (or (same ?a ?c) (after ?a ?c)))
                (<= (neighbour ?a ?b ?c ?d) (after ?d ?b) (or (same ?a ?c) (after ?c ?a)))";
    let drawn = board(&sheet(&(cells.clone() + rest)));
    assert_eq!((drawn.grid, drawn.row_labels.join("")), (Grid::Hex, "123".to_owned()));
    // Without the diagonal they are squares.
    let squares = rest.replace("(or (same ?a ?c) (after ?a ?c))", "(same ?a ?c)");
    let squares = squares.replace("(or (same ?a ?c) (after ?c ?a))", "(same ?a ?c)");
    let drawn = board(&sheet(&(cells.clone() + &squares)));
    assert_eq!((drawn.grid, drawn.row_labels.join("")), (Grid::Square, "321".to_owned()));
    // Rules that are interpreted know the pieces of players, too.
    let settings = Settings { engine: EngineChoice::Interpreter, ..Settings::default() };
    let game = GdlGame::new(&sheet(&(cells + rest)), &settings).unwrap();
    let mut state = game.start();
    let action = game.parse(&state, Player(0), "(mark 2 1)").unwrap();
    game.apply(&mut state, &[action]);
    let drawn = game.view(&state).board.unwrap();
    let stone = drawn.cells[1].top().unwrap();
    assert_eq!((stone.symbol.as_str(), stone.owner), ("w", Some(0)));
}

#[test]
fn rules_that_are_interpreted_have_whole_boards() {
    let men =
        "(init (cell a 1 white king)) (init (cell d 1 white rook)) (init (cell a 5 black king))
               (<= (next (cell ?x ?y ?p ?k)) (true (cell ?x ?y ?p ?k)))";
    let settings = Settings { engine: EngineChoice::Interpreter, ..Settings::default() };
    let game = GdlGame::new(&sheet(men), &settings).unwrap();
    let drawn = game.view(&game.start()).board.unwrap();
    assert_eq!(symbols(&drawn), ["♚...", "....", "....", "....", "♔..♖"]);
}

/// A single player who may do what `more` says.
fn puzzle(more: &str) -> String {
    format!(
        "(role robot) (<= terminal (true over)) (<= (next over) (true never)) (goal robot 50) {more}"
    )
}

/// Facts for all places that two parts in two coordinates name.
fn in_four(fact: impl Fn([usize; 4]) -> String) -> String {
    let places = (0..16).map(|i| [i / 8, i / 4 % 2, i / 2 % 2, i % 2].map(|part| part + 1));
    places.map(fact).collect()
}

#[test]
fn boards_of_boards_are_drawn_as_one() {
    let cells = in_four(|[a, b, c, d]| match [a, b, c, d] {
        [1, 1, 1, 1] => "(init (cell 1 1 1 1 3)) ".to_owned(),
        [1, 2, 1, 1] => "(init (cell 1 2 1 1 4)) ".to_owned(),
        _ => format!("(init (cell {a} {b} {c} {d} b)) "),
    });
    let rest = "(<= (next (cell ?a ?b ?c ?d ?x)) (does robot (mark ?a ?b ?c ?d ?x)))
                (<= (legal robot (mark ?a ?b ?c ?d ?x)) (true (cell ?a ?b ?c ?d b)) (digit ?x))
                (digit 1) (digit 2) (digit 3) (digit 4)
                (<= (next seen) (true (cell 1 1 ?c ?d ?x)))";
    let columns = "(<= (next seen) (true (cell ?a ?b 2 1 ?x)))";
    // Rules go over columns and rows of two parts each.
    let rules = puzzle(&format!("{cells}{rest}{columns}"));
    let drawn = board(&rules);
    assert_eq!(drawn.column_labels.join("") + &drawn.row_labels.join(""), "abcd1234");
    assert_eq!(symbols(&drawn), ["34ss", "..ss", "ss..", "ss.."]);
    let game = game(&rules);
    let start = game.start();
    let action = game.parse(&start, Player(0), "(mark 1 2 2 1 4)").unwrap();
    assert_eq!(game.action_cells(&start, Player(0), action), [9]);
    // Otherwise the first two say which board, and the others where on it.
    let drawn = board(&puzzle(&format!("{cells}{rest}")));
    assert_eq!(symbols(&drawn), ["3.4s", "..ss", "ss..", "ss.."]);
}

#[test]
fn three_coordinates_are_layers() {
    let cells: String = (0..27)
        .map(|i| format!("(init (cell {} {} {} b)) ", i % 3 + 1, i / 3 % 3 + 1, i / 9 + 1))
        .collect();
    let rest = "(<= (next (cell ?x ?y ?z white)) (does ?p (put ?x ?y ?z)))
                (<= (next (cell ?x ?y ?z ?c)) (true (cell ?x ?y ?z ?c)) (true (control black)))
                (<= (legal ?p (put ?x ?y ?z)) (true (control ?p)) (true (cell ?x ?y ?z b)))";
    let rules = sheet(&(cells + rest));
    let drawn = board(&rules);
    let rows = ["...sss", "...sss", "...sss", "sss   ", "sss   ", "sss   "];
    assert_eq!(symbols(&drawn), rows);
    let game = game(&rules);
    let start = game.start();
    let action = game.parse(&start, Player(0), "(put 2 3 2)").unwrap();
    assert_eq!(game.action_cells(&start, Player(0), action), [4]);
}

#[test]
fn numbers_with_a_word_are_written_on_the_board() {
    let cells =
        "(init (cell 1 1 5 e)) (init (cell 1 2 3 b)) (init (cell 2 1 5 e)) (init (cell 2 2 4 e))
                 (<= (next (cell ?x ?y ?n b)) (does robot (write ?x ?y ?n b)))
                 (<= (legal robot (write ?x ?y ?n b)) (true (cell ?x ?y ?n e)))";
    let drawn = board(&puzzle(cells));
    assert_eq!(symbols(&drawn), ["34", "55"]);
    let grounds: Vec<_> = drawn.cells.iter().map(|cell| cell.ground.as_deref()).collect();
    assert_eq!(grounds, [Some("dark"), None, None, None]);
}

#[test]
fn places_that_are_only_marked_are_a_board() {
    let rules = "(index 1) (index 2) (index 3)
                 (<= (legal robot (mark ?x ?y)) (index ?x) (index ?y))
                 (<= (next (marked ?x ?y)) (does robot (mark ?x ?y)))
                 (<= (next (marked ?x ?y)) (true (marked ?x ?y)))";
    let game = game(&puzzle(rules));
    let mut state = game.start();
    let action = game.parse(&state, Player(0), "(mark 2 3)").unwrap();
    assert_eq!(game.action_cells(&state, Player(0), action), [1]);
    game.apply(&mut state, &[action]);
    assert_eq!(symbols(&game.view(&state).board.unwrap()), [".●.", "...", "..."]);
}

#[test]
fn what_is_off_is_empty_and_a_single_kind_needs_no_letter() {
    let lights = "(init (cell 1 1 light)) (init (cell 1 2 nolight)) (init (cell 2 1 nolight)) (init (cell 2 2 light))
                  (<= (next (cell 1 1 nolight)) (does robot off)) (legal robot off) (legal robot on)";
    assert_eq!(symbols(&board(&puzzle(lights))), [".●", "●."]);
    let walls = "(init (cell 1 1 white)) (init (cell 1 2 wall)) (init (cell 2 1 blank)) (init (cell 2 2 black))
                 (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)))";
    let drawn = board(&sheet(walls));
    assert_eq!(symbols(&drawn), ["wb", "w."]);
    assert!(drawn.cells[0].top().is_none() && drawn.cells[0].ground.as_deref() == Some("wall"));
}

/// Well-known kinds of games in public sheets, if they are there, and whether they draw as
/// boards.
#[test]
fn well_known_kinds_draw_as_boards() {
    let Some(shared) = std::env::var_os("SAKIYOMI_SHARED") else {
        eprintln!("skipped: SAKIYOMI_SHARED names no folder with public sheets");
        return;
    };
    let kinds = [
        ("chess", "chess_200", Grid::Square),
        ("draughts", "englishDraughts", Grid::Square),
        ("connect four", "connectFour", Grid::Square),
        ("othello", "othello-comp2007", Grid::Square),
        ("hex", "laikLee_hex", Grid::Hex),
        ("nine men's morris", "merrills", Grid::Square),
        ("kalaha", "kalaha6x2x4", Grid::Square),
        ("Chinese checkers", "chineseCheckers3", Grid::Hex),
        ("dots and boxes", "dotsAndBoxes", Grid::Square),
        ("nim", "nim3", Grid::Square),
        ("sudoku", "sudokuGrade3", Grid::Square),
        ("nine boards", "nineBoardTicTacToe", Grid::Square),
        ("tic-tac-toe x 9", "tictactoex9", Grid::Square),
        ("hitori", "hitori", Grid::Square),
        ("nonogram", "nonogram_10x10_1", Grid::Square),
        ("lights out", "lightsOut", Grid::Square),
        ("tron", "tron_10x10", Grid::Square),
        ("queens", "queens06ug", Grid::Square),
        ("knight's tour", "knightsTour", Grid::Square),
        ("pegs", "peg", Grid::Square),
        ("snake", "snake_2008", Grid::Square),
        ("tic-tac-toe of three dimensions", "tictactoe_3d_6player", Grid::Square),
        ("cubicup", "cubicup", Grid::Square),
    ];
    for (kind, name, grid) in kinds {
        let file = Path::new(&shared).join(format!("data/kif/{name}.kif"));
        let rules = std::fs::read_to_string(&file).unwrap();
        let limits = Limits { seconds: 5.0, ..Limits::default() };
        let game = GdlGame::new(&rules, &Settings { limits, ..Settings::default() }).unwrap();
        let drawn = game.view(&game.start()).board;
        let drawn = drawn.unwrap_or_else(|| panic!("{kind} is no board"));
        assert_eq!(drawn.grid, grid, "{kind}");
        eprintln!("{kind}:\n{}", symbols(&drawn).join("\n"));
    }
}
