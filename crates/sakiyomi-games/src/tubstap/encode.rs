//! States and actions as numbers. Units are counted by side, one's own first, so that both sides see and do the
//! same things with the same numbers.

use sakiyomi_core::{Encode, ObservationShape, Player, Symmetry};

use super::cells::bits;
use super::units::{Kind, Terrain};
use super::{Action, State, Tubstap};
use crate::two_players::{Status, opponent};

/// Terrain that has a plane; most of a map is plain, and forbidden cells are never entered.
const TERRAIN: [Terrain; 5] =
    [Terrain::Sea, Terrain::Wood, Terrain::Mountain, Terrain::Road, Terrain::Fortress];

// The planes. Those of kinds come in pairs, one's own and the enemy's; those of numbers come last, one's own first.
const READY: usize = 2 * Kind::ALL.len();
const FIRST_TERRAIN: usize = READY + 1;
const TURNS_LEFT: usize = FIRST_TERRAIN + TERRAIN.len();
const TO_MOVE: usize = TURNS_LEFT + 1;
const BEGAN: usize = TO_MOVE + 1;
const NUMBERS: usize = BEGAN + 1;

impl<const W: usize, const N: usize> sakiyomi_core::Orders for Tubstap<W, N> {}

impl<const W: usize, const N: usize> Encode for Tubstap<W, N> {
    /// Hit points of each kind, one's own and the enemy's, in tenths; one's own units that have not acted; terrain; the share of turns that
    /// are left; whether one is to move, and whether one is the side that began; a plane for each of one's own units and of the enemy's, in
    /// the order of the numbers by which actions name them. Rows are counted from the top.
    fn observation_shape(&self) -> Option<ObservationShape> {
        let grid = &self.rules.grid;
        let (rows, columns) = (grid.height.into(), grid.width.into());
        Some(ObservationShape { planes: NUMBERS + 2 * self.max_units(), rows, columns })
    }

    fn observe(&self, state: &State<W, N>, player: Player, out: &mut [f32]) {
        out.fill(0.0);
        let n_cells = self.n_cells();
        let at = |plane: usize, cell: u16| plane * n_cells + self.cell_number(cell);
        for unit in bits(state.alive).map(usize::from) {
            let whose = usize::from(self.side(unit) != player);
            let cell = state.cells[unit];
            let kind = 2 * self.rules.kinds[unit] as usize + whose;
            out[at(kind, cell)] = f32::from(state.hit_points[unit]) / 10.0;
            out[at(NUMBERS + whose * self.max_units() + self.number_in_side(unit), cell)] = 1.0;
            if whose == 0 && state.finished >> unit & 1 == 0 {
                out[at(READY, cell)] = 1.0;
            }
        }
        for (cell, terrain) in (0..).zip(&self.rules.terrain) {
            if let Some(i) = TERRAIN.iter().position(|other| other == terrain) {
                out[at(FIRST_TERRAIN + i, cell)] = 1.0;
            }
        }
        let limit = f32::from(self.rules.map.turn_limit.max(1));
        let of_all = [
            (TURNS_LEFT, 1.0 - f32::from(state.turn) / limit),
            (TO_MOVE, f32::from(u8::from(state.status == Status::ToMove(player)))),
            (BEGAN, f32::from(u8::from(player == Player(0)))),
        ];
        for (plane, value) in of_all {
            out[plane * n_cells..][..n_cells].fill(value);
        }
    }

    /// For every unit of one's own and every cell where it may go: no attack, or an attack on one of the enemy's units;
    /// then the end of the turn.
    fn n_action_indices(&self) -> usize {
        let n_units = self.max_units();
        n_units * self.n_cells() * (1 + n_units) + 1
    }

    fn action_index(&self, _: &State<W, N>, player: Player, action: Action) -> Option<usize> {
        if action == Action::END {
            return Some(self.n_action_indices() - 1);
        }
        let unit = usize::from(action.unit);
        debug_assert!(self.side(unit) == player, "a unit of {:?}", opponent(player));
        let target = match action.is_attack() {
            true => 1 + self.number_in_side(action.target.into()),
            false => 0,
        };
        let place = self.number_in_side(unit) * self.n_cells() + self.cell_number(action.to);
        Some(place * (1 + self.max_units()) + target)
    }

    /// The cell where the unit goes.
    fn cells_of_indices(&self) -> Vec<Option<usize>> {
        let cell = |index: usize| index / (1 + self.max_units()) % self.n_cells();
        let n_of_units = self.n_action_indices() - 1;
        (0..n_of_units).map(|index| Some(cell(index))).chain([None]).collect()
    }

    /// The turned and mirrored maps; those of a board that is no square keep its sides.
    fn symmetries(&self) -> Vec<Symmetry> {
        let Some(shape) = self.observation_shape() else { return Vec::new() };
        let ObservationShape { rows, columns, .. } = shape;
        let (n_targets, end) = (1 + self.max_units(), self.n_action_indices() - 1);
        let symmetry = |code: usize| {
            let from = |y: usize, x: usize| {
                let (y, x) = if code & 4 > 0 { (x, y) } else { (y, x) };
                let flip = |is_flipped, i, n| if is_flipped { n - 1 - i } else { i };
                (flip(code & 1 > 0, y, rows), flip(code & 2 > 0, x, columns))
            };
            let action = |index: usize| {
                let (place, target) = (index / n_targets, index % n_targets);
                let (unit, cell) = (place / (rows * columns), place % (rows * columns));
                let (y, x) = from(cell / columns, cell % columns);
                ((unit * rows + y) * columns + x) * n_targets + target
            };
            Symmetry::of_cells(shape, from, (0..end).map(action).chain([end]).collect())
        };
        (1..if rows == columns { 8 } else { 4 }).map(symmetry).collect()
    }
}

impl<const W: usize, const N: usize> Tubstap<W, N> {
    fn n_cells(&self) -> usize {
        self.rules.grid.n_cells().into()
    }

    /// The units of the side that has more.
    fn max_units(&self) -> usize {
        self.rules.sides.map(u64::count_ones).into_iter().max().unwrap_or(0) as usize
    }

    /// How many units of the same side come before this one.
    fn number_in_side(&self, unit: usize) -> usize {
        let side = self.rules.sides[self.side(unit).index()];
        (side & ((1 << unit) - 1)).count_ones() as usize
    }

    /// A cell, counted row by row from the top.
    fn cell_number(&self, cell: u16) -> usize {
        let grid = &self.rules.grid;
        let (x, y) = grid.place(cell);
        usize::from(y) * usize::from(grid.width) + usize::from(x)
    }
}

#[cfg(test)]
mod tests {
    use sakiyomi_core::{Game, Turn};

    use super::*;
    use crate::tubstap::{Map, Settings};

    /// A tank and an infantry unit of each side on a board of 4 x 3, red on top.
    fn game() -> Tubstap<1, 16> {
        let map = Map::from_code("6x5-8-0-111131111111-P1.1.10_I2.1.5_p4.3.10_i3.3.7").unwrap();
        Tubstap::new(&map, Settings::default()).unwrap()
    }

    #[test]
    fn both_sides_see_their_own_units_first() {
        let game = game();
        let shape = game.observation_shape().unwrap();
        assert_eq!((shape.planes, shape.rows, shape.columns), (25, 3, 4));
        let observe = |state: &State<1, 16>, player| {
            let mut numbers = vec![7.0; shape.len()];
            game.observe(state, Player(player), &mut numbers);
            numbers.chunks_exact(12).map(<[f32]>::to_vec).collect::<Vec<_>>()
        };
        let (state, infantry) = (game.start(), 2 * Kind::Infantry as usize);
        let [red, blue] = [observe(&state, 0), observe(&state, 1)];
        assert_eq!((red[infantry][1], red[infantry + 1][10]), (0.5, 0.7));
        assert_eq!((blue[infantry + 1][1], blue[infantry][10]), (0.5, 0.7));
        assert_eq!((red[NUMBERS][0], red[NUMBERS + 1][1]), (1.0, 1.0));
        assert_eq!((red[NUMBERS + 3][10], blue[NUMBERS + 1][10]), (1.0, 1.0));
        assert_eq!(red[FIRST_TERRAIN + 1][4], 1.0, "the wood in the second row");
        for (player, seen) in [(0, &red), (1, &blue)] {
            assert_eq!(seen[TURNS_LEFT], [1.0; 12]);
            assert_eq!(seen[TO_MOVE], [f32::from(u8::from(player == 0)); 12]);
            assert_eq!(seen[BEGAN], [f32::from(u8::from(player == 0)); 12]);
        }
        // One of red's units acts, then the turn ends.
        let mut state = state;
        let mut actions = Vec::new();
        game.actions(&state, Player(0), &mut actions);
        let step = *actions.iter().find(|action| **action != Action::END).unwrap();
        game.apply(&mut state, &[step]);
        let ready = |state: &State<1, 16>| observe(state, 0)[READY].iter().sum::<f32>();
        assert_eq!(ready(&state), 1.0, "the other unit may still act");
        game.apply(&mut state, &[Action::END]);
        assert_eq!(observe(&state, 1)[TURNS_LEFT], [1.0 - 1.0 / 8.0; 12]);
    }

    /// On a map that is the mirror image of another one, the image of a match is seen and named by the image of its numbers.
    #[test]
    fn images_are_positions_of_the_mirrored_map() {
        let game = game();
        let map = Map::from_code("6x5-8-0-111111131111-P4.1.10_I3.1.5_p1.3.10_i2.3.7").unwrap();
        let image = Tubstap::<1, 16>::new(&map, Settings::default()).unwrap();
        let symmetries = game.symmetries();
        assert_eq!(symmetries.len(), 3);
        let mirrored = &symmetries[1];
        let (mut state, mut of_image) = (game.start(), image.start());
        let mut rng = sakiyomi_core::Rng::new(1);
        while let Turn::Choose(who) = game.turn(&state) {
            let player = who.single().unwrap();
            let look = |game: &Tubstap<1, 16>, state| {
                let shape = game.observation_shape().unwrap();
                let mut numbers = vec![0.0; shape.len()];
                game.observe(state, player, &mut numbers);
                let mut mask = vec![false; game.n_action_indices()];
                game.legal_mask(state, player, &mut mask);
                (numbers, mask)
            };
            let (numbers, mask) = look(&game, &state);
            let (seen, legal) = look(&image, &of_image);
            assert!(mirrored.numbers.iter().zip(&seen).all(|(&own, seen)| numbers[own] == *seen));
            assert!(mirrored.actions.iter().zip(&legal).all(|(&own, legal)| mask[own] == *legal));
            let action = game.random_action(&state, player, &mut Vec::new(), &mut rng);
            let index = game.action_index(&state, player, action).unwrap();
            let index = mirrored.actions.iter().position(|&own| own == index).unwrap();
            let action_of_image = image.action_at(&of_image, player, index).unwrap();
            game.apply(&mut state, &[action]);
            image.apply(&mut of_image, &[action_of_image]);
        }
        assert!(matches!(image.turn(&of_image), Turn::Over(_)));
    }

    #[test]
    fn both_sides_name_their_actions_by_the_same_indices() {
        let game = game();
        assert_eq!(game.n_action_indices(), 2 * 12 * 3 + 1);
        let mut state = game.start();
        for player in [Player(0), Player(1)] {
            assert!(matches!(game.turn(&state), Turn::Choose(who) if who.contains(player)));
            let mut actions = Vec::new();
            game.actions(&state, player, &mut actions);
            let index = |action| game.action_index(&state, player, action).unwrap();
            let stay =
                Action::go(if player.0 == 0 { 1 } else { 3 }, state.cells[1 + 2 * player.index()]);
            let cell = if player.0 == 0 { 1 } else { 10 };
            assert_eq!(index(stay), (12 + cell) * 3, "the second unit stays where it is");
            assert_eq!(index(Action::END), game.n_action_indices() - 1);
            let mut indices: Vec<usize> = actions.iter().map(|&action| index(action)).collect();
            indices.sort_unstable();
            indices.dedup();
            assert_eq!(indices.len(), actions.len());
            game.apply(&mut state, &[Action::END]);
        }
    }
}
