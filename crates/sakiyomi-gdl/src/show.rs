//! The face of a game that was described by rules: a board if its facts have one, the other facts
//! as panels, and moves as they are written in the rules.

use std::collections::BTreeMap;

use sakiyomi_core::{Board, Cell, Game, Panel, Player, Show, Turn, View};

use crate::board::{BoardShape, Piece, cell, flat};
use crate::game::{GdlGame, Move, State};

impl Show for GdlGame {
    fn action_text(&self, _state: &State, _player: Player, action: Move) -> String {
        self.move_text(action)
    }

    fn view(&self, state: &State) -> View {
        let board = self.board().map(|shape| self.draw(shape, state));
        View { board, panels: self.panels(state), caption: self.caption(state) }
    }

    fn action_cells(&self, _state: &State, _player: Player, action: Move) -> Vec<u16> {
        let text = self.move_text(action);
        let Some((shape, (_, arguments))) = self.board().zip(flat(&text)) else {
            return Vec::new();
        };
        let mut cells = Vec::new();
        let mut rest = &arguments[..];
        while let [first, second, ..] = rest {
            match shape.cell(first, second) {
                Some(cell) => {
                    cells.push(drawn_at(shape, cell));
                    rest = &rest[2..];
                }
                None => rest = &rest[1..],
            }
        }
        cells
    }

    fn outcome_text(&self, _state: &State, outcome: Move) -> String {
        self.move_text(outcome)
    }

    fn player_name(&self, player: Player) -> String {
        self.roles()[self.role_of(player)].clone()
    }
}

impl GdlGame {
    /// The names of the pieces that [`Hints::cells`](sakiyomi_core::Hints::cells) numbers, the first of which has number 1.
    pub fn piece_names(&self) -> Vec<&str> {
        self.board().map_or_else(Vec::new, |shape| {
            shape.pieces.iter().map(|piece| piece.name.as_str()).collect()
        })
    }

    /// Columns and rows of the board, if there is one.
    pub fn board_size(&self) -> Option<(usize, usize)> {
        self.board().map(|shape| (shape.columns.len(), shape.rows.len()))
    }

    fn draw(&self, shape: &BoardShape, state: &State) -> Board {
        let mut pieces = Vec::new();
        shape.read(self.engine(), &state.position, &mut pieces);
        let mut cells = vec![Cell::default(); shape.n_cells()];
        for (cell, &piece) in pieces.iter().enumerate() {
            let drawn = &mut cells[usize::from(drawn_at(shape, cell))];
            if !shape.exists[cell] {
                drawn.ground = Some("hole".to_owned());
            }
            if let Some(piece) = usize::from(piece).checked_sub(1).map(|i| &shape.pieces[i]) {
                drawn.symbol.clone_from(&piece.symbol);
                drawn.owner =
                    piece.role.and_then(|role| self.player_of(role)).map(|player| player.0);
            }
        }
        Board {
            grid: shape.grid,
            column_labels: shape.columns.clone(),
            row_labels: shape.rows.iter().rev().cloned().collect(),
            cells,
        }
    }

    /// The facts that are not on the board, by relation.
    fn panels(&self, state: &State) -> Vec<Panel> {
        let mut panels: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for fact in self.facts(state) {
            let on_board = |shape: &BoardShape| {
                cell(&fact).is_some_and(|(relation, _)| relation == shape.relation)
            };
            if self.board().is_some_and(on_board) {
                continue;
            }
            let (title, text) = match fact.strip_prefix('(').and_then(|f| f.strip_suffix(')')) {
                Some(inner) => inner.split_once(' ').unwrap_or((inner, "")),
                None => (fact.as_str(), ""),
            };
            panels.entry(title.to_owned()).or_default().push(text.to_owned());
        }
        let panel = |(title, texts): (String, Vec<String>)| Panel { title, text: texts.join(", ") };
        panels.into_iter().map(panel).chain(self.legend()).collect()
    }

    /// What the symbols mean, where a piece file says so.
    fn legend(&self) -> Option<Panel> {
        let named = |piece: &Piece| Some(format!("{} {}", piece.symbol, piece.long_name.as_ref()?));
        let names: Vec<String> = self.board()?.pieces.iter().filter_map(named).collect();
        (!names.is_empty()).then(|| Panel { title: "pieces".to_owned(), text: names.join(", ") })
    }

    fn caption(&self, state: &State) -> String {
        let name = |player| self.player_name(player);
        match self.turn(state) {
            Turn::Choose(who) => match who.single() {
                Some(player) => format!("{} to move", name(player)),
                None => {
                    let names: Vec<String> = who.map(name).collect();
                    format!("{} choose at the same time", names.join(" and "))
                }
            },
            Turn::Chance => "chance moves".to_owned(),
            Turn::Over(payoffs) => {
                let results: Vec<String> = (0..self.players() as u8)
                    .map(Player)
                    .map(|player| format!("{} {:.0}", name(player), payoffs[player] * 100.0))
                    .collect();
                format!("over: {}", results.join(", "))
            }
        }
    }
}

/// Where a cell of the shape, whose lowest row comes first, is drawn: the highest row comes first.
fn drawn_at(shape: &BoardShape, cell: usize) -> u16 {
    let (columns, rows) = (shape.columns.len(), shape.rows.len());
    Board::square_index(columns, rows, cell % columns, cell / columns)
}
