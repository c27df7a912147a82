//! A game as numbers, for networks and other learners: a state as planes, an action as an index.

use crate::{CellShape, Hint, Hints, Player, Turn};

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
    let n_cells = shape.n_cells();
    let mut cells = Vec::with_capacity(n_cells);
    game.cells(state, &mut cells);
    let (of_codes, of_players) = out.split_at_mut((shape.n_codes - 1) * n_cells);
    of_codes.fill(0.0);
    for (cell, &code) in cells.iter().enumerate().filter(|(_, code)| **code > 0) {
        of_codes[(usize::from(code) - 1) * n_cells + cell] = 1.0;
    }
    let turn = game.turn(state);
    for (player, plane) in (0..).zip(of_players.chunks_exact_mut(n_cells)) {
        let chooses = matches!(turn, Turn::Choose(who) if who.contains(Player(player)));
        plane.fill(f32::from(u8::from(chooses)));
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
