//! The face of a game that was described by rules: a board if its facts have one, the other facts
//! as panels, and moves as they are written in the rules.

use std::collections::BTreeMap;

use sakiyomi_core::{
    Board, Cell, Colour, Fact, Game, Phrase, Piece as PieceView, Player, PlayerView, Score, Shape,
    Show, Turn, View,
};

use crate::draw::shape::{BoardShape, Piece, flat};
use crate::game::gdl_game::GdlGame;
use crate::game::state::{Move, State};

impl Show for GdlGame {
    fn action_text(&self, _state: &State, _player: Player, action: Move) -> String {
        self.move_text(action)
    }

    fn view(&self, state: &State) -> View {
        let facts = self.facts(state);
        let board = self.board().map(|shape| self.draw(shape, state, &facts));
        let (facts, players) = (self.view_facts(facts), self.goals(state));
        View { board, facts, players, caption: self.caption(state), ..View::default() }
    }

    fn action_cells(&self, _state: &State, _player: Player, action: Move) -> Vec<u16> {
        let text = self.move_text(action);
        let Some((shape, (_, arguments))) = self.board().zip(flat(&text)) else {
            return Vec::new();
        };
        let cells = shape.cells_of_move(&arguments);
        cells.into_iter().map(|cell| drawn_at(shape, cell)).collect()
    }

    fn outcome_text(&self, _state: &State, outcome: Move) -> String {
        self.move_text(outcome)
    }

    /// As the rules write it: a name of theirs is not translated.
    fn player_name(&self, player: Player) -> Phrase {
        self.roles()[self.role_of(player)].as_str().into()
    }

    fn player_colour(&self, player: Player) -> Option<Colour> {
        Colour::named(&self.roles()[self.role_of(player)])
    }
}

impl GdlGame {
    /// The names of the pieces that [`Hints::cells`](sakiyomi_core::Hints::cells) numbers, the
    /// first of which has number 1.
    pub fn piece_names(&self) -> Vec<&str> {
        self.board().map_or_else(Vec::new, |shape| {
            shape.pieces.iter().map(|piece| piece.name.as_str()).collect()
        })
    }

    /// Columns and rows of the board, if there is one.
    pub fn board_size(&self) -> Option<(usize, usize)> {
        self.board().map(|shape| (shape.columns.len(), shape.rows.len()))
    }

    fn draw(&self, shape: &BoardShape, state: &State, facts: &[String]) -> Board {
        let mut pieces = Vec::new();
        self.read_board(shape, state, &mut pieces);
        let mut cells = vec![Cell::default(); shape.n_cells()];
        for (cell, &piece) in pieces.iter().enumerate() {
            let drawn = &mut cells[usize::from(drawn_at(shape, cell))];
            drawn.is_hole = !shape.exists[cell];
            let Some(piece) = usize::from(piece).checked_sub(1).map(|i| &shape.pieces[i]) else {
                continue;
            };
            drawn.ground = piece.ground.map(str::to_owned);
            drawn.amount = piece.count;
            if piece.ground.is_none() && piece.count.is_none() {
                let owner = piece.role.and_then(|role| self.player_of(role));
                drawn.pieces.push(PieceView {
                    symbol: piece.symbol.clone(),
                    owner: owner.map(|player| player.0),
                    shape: shape.piece_shape,
                    ..PieceView::default()
                });
            }
        }
        for (cell, role) in shape.movers(facts) {
            let number = self.roles().iter().position(|other| other == role);
            cells[usize::from(drawn_at(shape, cell))].pieces.push(PieceView {
                symbol: role.chars().take(1).collect(),
                owner: number.and_then(|role| self.player_of(role)).map(|player| player.0),
                shape: Shape::Stone,
                ..PieceView::default()
            });
        }
        let mut mark = |cell: usize, ground: &str| {
            cells[usize::from(drawn_at(shape, cell))].ground = Some(ground.to_owned());
        };
        let shaded = shape.shaded.iter().filter(|&&cell| shape.exists[cell]);
        shaded.for_each(|&cell| mark(cell, "shaded"));
        shape.dots.iter().for_each(|&dot| mark(dot, "dot"));
        shape.drawn_lines(facts).for_each(|line| mark(line, "line"));
        Board {
            grid: shape.grid,
            column_labels: shape.columns.clone(),
            row_labels: shape.rows.iter().rev().cloned().collect(),
            cells,
            marked: Vec::new(),
            edges: [None; 4],
        }
    }

    /// The facts that are not on the board, by relation.
    fn view_facts(&self, facts: Vec<String>) -> Vec<Fact> {
        let mut relations: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for fact in facts {
            if self.board().is_some_and(|shape| shape.shows(&fact)) {
                continue;
            }
            let (title, text) = match fact.strip_prefix('(').and_then(|f| f.strip_suffix(')')) {
                Some(inner) => inner.split_once(' ').unwrap_or((inner, "")),
                None => (fact.as_str(), ""),
            };
            relations.entry(title.to_owned()).or_default().push(text.to_owned());
        }
        let fact = |(title, texts): (String, Vec<String>)| Fact {
            title: title.into(),
            text: texts.join(", ").into(),
        };
        relations.into_iter().map(fact).chain(self.legend()).collect()
    }

    /// What the symbols mean, where a piece file says so.
    fn legend(&self) -> Option<Fact> {
        let named = |piece: &Piece| Some(format!("{} {}", piece.symbol, piece.long_name.as_ref()?));
        let names: Vec<String> = self.board()?.pieces.iter().filter_map(named).collect();
        (!names.is_empty())
            .then(|| Fact { title: Phrase::new("pieces"), text: names.join(", ").into() })
    }

    /// What everyone got, once it is over.
    fn goals(&self, state: &State) -> Vec<PlayerView> {
        let Turn::Over(payoffs) = self.turn(state) else { return Vec::new() };
        let player = |player: Player| {
            let value = (payoffs[player] * 100.0).round();
            let text = Phrase::new("goal {0}").with(value);
            let score = Some(Score { value, text });
            PlayerView { name: self.player_name(player), score, hand: None }
        };
        (0..self.players() as u8).map(|i| player(Player(i))).collect()
    }

    fn caption(&self, state: &State) -> Phrase {
        let name = |player| self.player_name(player);
        match self.turn(state) {
            Turn::Choose(who) => match who.single() {
                Some(player) => Phrase::to_move(name(player)),
                None => {
                    let names = Phrase::all_of(who.map(name));
                    Phrase::new("{0} choose at the same time").with(names)
                }
            },
            Turn::Chance => Phrase::new("chance moves"),
            Turn::Over(_) => Phrase::new("over"),
        }
    }
}

/// Where a cell of the shape, whose lowest row comes first, is drawn: the highest row comes first.
fn drawn_at(shape: &BoardShape, cell: usize) -> u16 {
    let (columns, rows) = (shape.columns.len(), shape.rows.len());
    Board::square_index(columns, rows, cell % columns, cell / columns)
}
