//! What the games of two players share.

use sakiyomi_core::{Cell, Payoffs, Phrase, Piece, Player, Players, Shape, Turn};

use crate::bits::Word;

/// Who is to move, or how it ended: kept in the positions, so that nothing has to be searched for
/// to tell whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    ToMove(Player),
    Won(Player),
    Drawn,
}

impl Status {
    #[inline]
    pub fn turn(self) -> Turn {
        match self {
            Status::ToMove(player) => Turn::Choose(Players::one(player)),
            over => Turn::Over(over.payoffs()),
        }
    }

    /// What the two get; nothing as long as someone is to move.
    #[inline]
    pub fn payoffs(self) -> Payoffs {
        match self {
            Status::ToMove(_) => Payoffs::default(),
            Status::Won(player) => Payoffs::win(player),
            Status::Drawn => Payoffs::uniform(2, 0.5),
        }
    }

    /// The player to move; there must be one.
    #[inline]
    pub fn mover(self) -> Player {
        match self {
            Status::ToMove(player) => player,
            over => panic!("no player is to move: {over:?}"),
        }
    }
}

#[inline]
pub fn opponent(player: Player) -> Player {
    Player(player.0 ^ 1)
}

/// Keeps the actions that are `good`, unless that would leave none.
pub(crate) fn keep_good<A>(actions: &mut Vec<A>, good: impl Fn(&A) -> bool) {
    if actions.iter().any(&good) {
        actions.retain(good);
    }
}

/// Payoffs out of a score that is positive if the first player stands better; a score of `scale`
/// is half of the way from even to a sure win. No exponential, so that every machine gets the same
/// number.
pub(crate) fn squash(score: f64, scale: f64) -> Payoffs {
    let first = 0.5 + 0.5 * score / (scale + score.abs());
    Payoffs::of([first, 1.0 - first])
}

/// A cell that is empty or holds a piece of one player.
pub(crate) fn piece_cell(owner: Option<usize>, symbols: [&str; 2], shape: Shape) -> Cell {
    owner.map_or_else(Cell::default, |owner| {
        Cell::of(Piece { shape, ..Piece::new(symbols[owner], Player(owner as u8)) })
    })
}

/// The names of the two players.
pub(crate) fn name_of(player: Player, names: [&str; 2]) -> Phrase {
    Phrase::new(names[player.index()])
}

/// The code of a cell in [`Hints::cells`](sakiyomi_core::Hints::cells): 0 if it is empty, otherwise
/// one more than the player whose piece stands there.
#[inline]
pub(crate) fn owner_code([first, second]: [bool; 2]) -> u8 {
    u8::from(first) + 2 * u8::from(second)
}

/// Writes three planes as `player` sees the board: its own pieces, those of the opponent, and ones
/// if it is to move. `place` is the cell of a bit of the pieces. Few pieces of a board are set, so setting them
/// one by one in planes of zeros is faster than looking at every cell.
#[inline(always)]
pub(crate) fn observe_pieces<W: Word>(
    player: Player,
    status: Status,
    pieces: [W; 2],
    place: impl Fn(u32) -> usize,
    out: &mut [f32],
) {
    let n_cells = out.len() / 3;
    let (of_pieces, to_move) = out.split_at_mut(2 * n_cells);
    of_pieces.fill(0.0);
    let (own, other) = of_pieces.split_at_mut(n_cells);
    pieces[player.index()].indices().for_each(|bit| own[place(bit)] = 1.0);
    pieces[opponent(player).index()].indices().for_each(|bit| other[place(bit)] = 1.0);
    to_move.fill(f32::from(u8::from(status == Status::ToMove(player))));
}

/// Writes for every cell whether it is one of these.
#[inline]
pub(crate) fn write_mask<W: Word>(cells: W, out: &mut [bool]) {
    for (cell, is_one) in (0..).zip(out) {
        *is_one = cells.has(cell);
    }
}
