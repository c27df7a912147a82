//! A game as numbers, for networks and other learners: a state as planes, an action as an index.

use crate::{CellShape, Hint, Hints, MatchBatch, Player, Players, Turn};

/// The shape of an observation: `planes` times `rows` times `columns` numbers, plane by plane and row
/// by row. A flat vector is one plane of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservationShape {
    pub planes: usize,
    pub rows: usize,
    pub columns: usize,
}

impl ObservationShape {
    /// A flat vector.
    pub fn flat(n: usize) -> ObservationShape {
        ObservationShape { planes: 1, rows: 1, columns: n }
    }

    /// How many numbers an observation has.
    pub fn len(&self) -> usize {
        self.planes * self.rows * self.columns
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A way to turn or mirror all of a game: what is true of a state is true of its image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// For each number of the image's observation, which number of the state's it is.
    pub numbers: Vec<usize>,
    /// For each index of an action in the image, which index it is in the state.
    pub actions: Vec<usize>,
}

impl Symmetry {
    /// The symmetry that moves the cells of every plane: the image's (row, column) shows `from` it.
    pub fn of_cells(
        shape: ObservationShape,
        from: impl Fn(usize, usize) -> (usize, usize),
        actions: Vec<usize>,
    ) -> Symmetry {
        let ObservationShape { planes, rows, columns } = shape;
        let mut numbers = Vec::with_capacity(shape.len());
        for plane in 0..planes {
            for (row, column) in (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x))) {
                let (y, x) = from(row, column);
                numbers.push((plane * rows + y) * columns + x);
            }
        }
        Symmetry { numbers, actions }
    }
}

/// States and actions as numbers. The default is made of [`Hints::cells`]: a plane for every code and
/// for every player who chooses now, seen from the same side by all. Actions have indices only if the
/// game says so.
pub trait Encode: Hints {
    /// The shape of all observations of this game, if it has any.
    fn observation_shape(&self) -> Option<ObservationShape> {
        let CellShape { rows, columns, n_codes } = self.cell_shape()?;
        Some(ObservationShape { planes: n_codes - 1 + self.players(), rows, columns })
    }

    /// Writes what `player` knows in this state. `out` has the length of the shape, and all of it is written.
    fn observe(&self, state: &Self::State, _player: Player, out: &mut [f32]) {
        observe_cells(self, state, out);
    }

    /// How many indices of actions there are; 0 if actions have none.
    fn n_action_indices(&self) -> usize {
        0
    }

    /// The index of an action of `player`, below [`Encode::n_action_indices`]. Legal actions of one
    /// state have different indices.
    fn action_index(
        &self,
        _state: &Self::State,
        _player: Player,
        _action: Self::Action,
    ) -> Option<usize> {
        None
    }

    /// The legal action of `player` with this index. The default looks through all of them.
    fn action_at(&self, state: &Self::State, player: Player, index: usize) -> Option<Self::Action> {
        let has_index =
            |action: &Self::Action| self.action_index(state, player, *action) == Some(index);
        actions_of(self, state, player).into_iter().find(has_index)
    }

    /// Writes for every index whether an action of `player` with this index is legal. All are
    /// `false` if the player does not choose in this state.
    fn legal_mask(&self, state: &Self::State, player: Player, out: &mut [bool]) {
        out.fill(false);
        for action in actions_of(self, state, player) {
            if let Some(index) = self.action_index(state, player, action) {
                out[index] = true;
            }
        }
    }

    /// For each index of an action the cell of the board in an observation that it belongs to, if it belongs to one, so that
    /// a network can answer cell by cell. Cells have the same number of indices, in the same order of meaning. Empty
    /// if indices have nothing to do with cells.
    fn cells_of_indices(&self) -> Vec<Option<usize>> {
        Vec::new()
    }

    /// The symmetries of the game beside leaving everything as it is. They hold for every player's observations. Where an
    /// observation shows all that differs between games of one shape, such as maps, the image may be a position of another.
    fn symmetries(&self) -> Vec<Symmetry> {
        Vec::new()
    }

    /// So many matches that are played on together, if the game does that faster than one after the
    /// other.
    fn match_batch(&self, _n: usize) -> Option<Box<dyn MatchBatch>> {
        None
    }

    /// Whether [`Encode::action_at`] and [`Encode::legal_mask`] are overridden and need no list of
    /// actions. A batch of environments then keeps none.
    fn has_direct_indices(&self) -> bool {
        false
    }
}

/// The legal actions of a player; none if it does not choose.
fn actions_of<G: Hints + ?Sized>(game: &G, state: &G::State, player: Player) -> Vec<G::Action> {
    let mut actions = Vec::new();
    if matches!(game.turn(state), Turn::Choose(who) if who.contains(player)) {
        game.actions(state, player, &mut actions);
    }
    actions
}

/// The default of [`Encode::observe`]: a plane for every code that is not 0, and a plane for every
/// player, which is 1 if the player chooses in this state.
pub fn observe_cells<G: Hints + ?Sized>(game: &G, state: &G::State, out: &mut [f32]) {
    let Some(shape) = game.cell_shape().filter(|_| game.provides().contains(Hint::Cells)) else {
        return;
    };
    let mut cells = Vec::with_capacity(shape.n_cells());
    game.cells(state, &mut cells);
    let choosing = match game.turn(state) {
        Turn::Choose(who) => who,
        _ => Players::NONE,
    };
    cells_as_planes(shape, &cells, choosing, out);
}

/// Writes a plane for every code that is not 0, and a plane for every player, which is 1 if the
/// player chooses.
pub fn cells_as_planes(shape: CellShape, cells: &[u8], choosing: Players, out: &mut [f32]) {
    let n_cells = shape.n_cells();
    let (of_codes, of_players) = out.split_at_mut((shape.n_codes - 1) * n_cells);
    of_codes.fill(0.0);
    for (cell, &code) in cells.iter().enumerate().filter(|(_, code)| **code > 0) {
        of_codes[(usize::from(code) - 1) * n_cells + cell] = 1.0;
    }
    for (player, plane) in (0..).zip(of_players.chunks_exact_mut(n_cells)) {
        plane.fill(f32::from(u8::from(choosing.contains(Player(player)))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, HintSet, Payoffs, Players};

    /// Two players fill a board of two cells in turn.
    struct Cells;

    impl Game for Cells {
        type State = Vec<u8>;
        type Action = u8;

        fn players(&self) -> usize {
            2
        }

        fn start(&self) -> Vec<u8> {
            vec![0; 2]
        }

        fn turn(&self, state: &Vec<u8>) -> Turn {
            match state.iter().filter(|&&code| code > 0).count() {
                2 => Turn::Over(Payoffs::uniform(2, 0.5)),
                n => Turn::Choose(Players::one(Player(n as u8))),
            }
        }

        fn actions(&self, state: &Vec<u8>, _: Player, out: &mut Vec<u8>) {
            out.extend((0..2).filter(|&cell| state[usize::from(cell)] == 0));
        }

        fn apply(&self, state: &mut Vec<u8>, actions: &[u8]) {
            let code = 1 + state.iter().filter(|&&code| code > 0).count() as u8;
            state[usize::from(actions[0])] = code;
        }
    }

    impl Hints for Cells {
        fn provides(&self) -> HintSet {
            HintSet::of(&[Hint::Cells])
        }

        fn cell_shape(&self) -> Option<CellShape> {
            Some(CellShape { rows: 1, columns: 2, n_codes: 3 })
        }

        fn cells(&self, state: &Vec<u8>, out: &mut Vec<u8>) {
            out.extend_from_slice(state);
        }
    }

    impl Encode for Cells {
        fn n_action_indices(&self) -> usize {
            2
        }

        fn action_index(&self, _: &Vec<u8>, _: Player, action: u8) -> Option<usize> {
            Some(action.into())
        }
    }

    #[test]
    fn the_default_observation_has_a_plane_per_code_and_per_player() {
        let shape = Cells.observation_shape().unwrap();
        assert_eq!((shape, shape.len()), (ObservationShape { planes: 4, rows: 1, columns: 2 }, 8));
        let observe = |state: &[u8]| {
            let mut numbers = [7.0; 8];
            Cells.observe(&state.to_vec(), Player(0), &mut numbers);
            numbers
        };
        assert_eq!(observe(&[0, 0]), [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
        assert_eq!(observe(&[0, 1]), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(observe(&[2, 1]), [0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn masks_name_what_is_legal() {
        let mask = |state: &[u8], player: u8| {
            let mut mask = [true; 2];
            Cells.legal_mask(&state.to_vec(), Player(player), &mut mask);
            mask
        };
        assert_eq!(mask(&[0, 0], 0), [true, true]);
        assert_eq!(mask(&[0, 0], 1), [false, false], "it is not their turn");
        assert_eq!(mask(&[1, 0], 1), [false, true]);
        assert_eq!(mask(&[1, 2], 1), [false, false], "it is over");
        assert_eq!(Cells.action_at(&vec![1, 0], Player(1), 1), Some(1));
        assert_eq!(Cells.action_at(&vec![1, 0], Player(1), 0), None, "the cell is taken");
        assert_eq!(Cells.action_at(&vec![1, 0], Player(0), 1), None, "it is not their turn");
    }

    #[test]
    fn a_game_without_cells_has_no_observation() {
        let toy = crate::toy::Toy::read("start: 0  a -> 1 0").unwrap();
        toy.observe(&0, Player(0), &mut []);
        assert!(toy.observation_shape().is_none());
    }
}
