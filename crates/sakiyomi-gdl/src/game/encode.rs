//! States and moves of a rule sheet as numbers, for networks.
//!
//! A move's index is its place among all moves that its role has in the whole game, so it means the
//! same in every state. Only a grounded game knows them all; one whose rules are interpreted has no
//! indices. What is observed is the board, if one was found in the rules, with a plane for every
//! piece and every player, and otherwise all facts of the state in one row. Facts that put nothing
//! on a board, such as the number of a step, are not observed beside it.

use std::ops::Range;

use sakiyomi_core::{Encode, Game, MatchBatch, ObservationShape, Player, observe_cells};

use crate::game::gdl_game::GdlGame;
use crate::game::match_batch::LaneMatches;
use crate::game::state::{Move, State};

/// A game with more moves than this has no indices: masks and networks would be larger than the
/// game.
const MAX_INDICES: usize = 1 << 16;

impl sakiyomi_core::Orders for GdlGame {}

impl Encode for GdlGame {
    fn observation_shape(&self) -> Option<ObservationShape> {
        if let Some(board) = self.board() {
            let (rows, columns) = (board.rows.len(), board.columns.len());
            let planes = board.pieces.len() + self.players();
            return Some(ObservationShape { planes, rows, columns });
        }
        let n_facts = self.n_facts();
        (n_facts > 0).then(|| ObservationShape::flat(n_facts))
    }

    fn observe(&self, state: &State, _: Player, out: &mut [f32]) {
        if self.board().is_some() {
            return observe_cells(self, state, out);
        }
        for (fluent, out) in (0..).zip(out) {
            *out = f32::from(u8::from(state.fact(fluent)));
        }
    }

    fn n_action_indices(&self) -> usize {
        let seats = (0..self.players()).map(|seat| self.moves_of(Player(seat as u8)).len());
        seats.max().filter(|&n| n <= MAX_INDICES).unwrap_or(0)
    }

    fn action_index(&self, _: &State, player: Player, action: Move) -> Option<usize> {
        let index = (action.0 as usize).checked_sub(self.moves_of(player).start)?;
        (index < self.n_action_indices()).then_some(index)
    }

    fn match_batch(&self, n: usize) -> Option<Box<dyn MatchBatch>> {
        Some(Box::new(LaneMatches::new(self, n)?))
    }
}

impl GdlGame {
    /// The numbers of all moves of a player; none if the rules are interpreted.
    pub(super) fn moves_of(&self, player: Player) -> Range<usize> {
        let compiled = self.engine().compiled();
        compiled.map_or(0..0, |compiled| compiled.network.role_moves[self.role_of(player)].clone())
    }

    /// How many facts a state may have; 0 if the rules are interpreted.
    fn n_facts(&self) -> usize {
        self.engine().compiled().map_or(0, |compiled| compiled.network.fluents.len())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use sakiyomi_core::{Rng, Turn};

    use super::*;
    use crate::{EngineChoice, Settings};

    /// Two players name numbers at once, of which the first may not be named twice; no board.
    const NUMBERS: &str = "
        (role left) (role right) (number 1) (number 2) (number 3)
        (init (open 1)) (init (open 2)) (init (open 3)) (init (step 0))
        (<= (legal left (name ?n)) (true (open ?n)))
        (<= (legal right (name ?n)) (number ?n)) (legal right wait)
        (<= (next (open ?n)) (true (open ?n)) (not (does left (name ?n))))
        (succ 0 1) (succ 1 2) (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= terminal (true (step 2))) (goal left 50) (goal right 50)";

    fn open(engine: EngineChoice) -> GdlGame {
        GdlGame::new(NUMBERS, &Settings { engine, ..Settings::default() }).unwrap()
    }

    #[test]
    fn a_move_has_the_same_index_in_every_state() {
        let game = open(EngineChoice::Network);
        assert_eq!(game.n_action_indices(), 4, "the right player has one move more");
        let mut texts: [Vec<HashSet<String>>; 2] =
            [vec![HashSet::new(); 4], vec![HashSet::new(); 4]];
        for seed in 0..20 {
            let (mut state, mut rng) = (game.start(), Rng::new(seed));
            while let Turn::Choose(who) = game.turn(&state) {
                let mut joint = Vec::new();
                for player in who {
                    let mut actions = Vec::new();
                    game.actions(&state, player, &mut actions);
                    let mut mask = [false; 4];
                    game.legal_mask(&state, player, &mut mask);
                    assert_eq!(mask.iter().filter(|&&legal| legal).count(), actions.len());
                    for &action in &actions {
                        let index = game.action_index(&state, player, action).unwrap();
                        texts[player.index()][index].insert(game.move_text(action));
                    }
                    joint.push(actions[rng.below(actions.len())]);
                }
                game.apply(&mut state, &joint);
            }
        }
        let counts = texts.map(|of_role| of_role.iter().map(HashSet::len).collect::<Vec<_>>());
        assert_eq!(counts, [vec![1, 1, 1, 0], vec![1, 1, 1, 1]]);
    }

    #[test]
    fn without_a_board_all_facts_are_observed() {
        let game = open(EngineChoice::Network);
        assert!(game.board().is_none());
        let n = game.observation_shape().unwrap().len();
        let observe = |state: &State| {
            let mut numbers = vec![7.0; n];
            game.observe(state, Player(0), &mut numbers);
            assert!(numbers.iter().all(|&number| number == 0.0 || number == 1.0));
            numbers
        };
        let mut state = game.start();
        let before = observe(&state);
        assert_eq!(before.iter().sum::<f32>() as usize, game.facts(&state).len());
        let joint = [Player(0), Player(1)].map(|player| {
            let mut actions = Vec::new();
            game.actions(&state, player, &mut actions);
            actions[0]
        });
        game.apply(&mut state, &joint);
        assert_eq!(observe(&state).iter().sum::<f32>() as usize, game.facts(&state).len());
        assert_ne!(observe(&state), before);
    }

    #[test]
    fn interpreted_rules_have_no_indices() {
        let game = open(EngineChoice::Interpreter);
        let (state, mut actions) = (game.start(), Vec::new());
        game.actions(&state, Player(0), &mut actions);
        assert_eq!(game.n_action_indices(), 0);
        assert_eq!(game.action_index(&state, Player(0), actions[0]), None);
        assert!(game.observation_shape().is_none());
    }
}
