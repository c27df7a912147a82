//! A match as the protocol and recorded matches see it: every role moves at every ply.

use sakiyomi_core::{Game, Turn};

use crate::game::gdl_game::GdlGame;
use crate::game::state::{Move, State};
use crate::run::engine::Position;

impl GdlGame {
    /// A match ply by ply, in which nothing is skipped.
    pub fn stepper(&self) -> Stepper {
        Stepper { game: self.clone(), position: self.engine().start(), plies: 0 }
    }

    /// The state of the game after what a stepper has played.
    pub fn state(&self, stepper: &Stepper) -> State {
        self.settled(stepper.position.clone(), stepper.plies)
    }

    /// Takes a state of the game past one ply of a match, in which `plies` were played before. The
    /// steps that the ply means to the game are told with the state before each: none if no role
    /// had a choice, what the players chose, what chance did, or both.
    pub fn follow(
        &self,
        state: &mut State,
        plies: u32,
        joint: &[Move],
        mut tell: impl FnMut(&State, &[Move]),
    ) {
        while state.plies() == plies {
            let actions: Vec<Move> = match self.turn(state) {
                Turn::Over(_) => return,
                Turn::Choose(who) => who.map(|player| joint[self.role_of(player)]).collect(),
                Turn::Chance => self.random_role().map(|role| joint[role]).into_iter().collect(),
            };
            tell(state, &actions);
            self.apply(state, &actions);
        }
    }
}

/// A match ply by ply: every role moves at every ply, also where it has no choice.
#[derive(Clone, Debug)]
pub struct Stepper {
    game: GdlGame,
    position: Position,
    plies: u32,
}

/// A joint move that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    #[error("{got} moves for {expected} roles")]
    Count { got: usize, expected: usize },
    #[error("`{text}` is not a legal move of {role}")]
    Illegal { role: String, text: String },
}

impl Stepper {
    pub fn plies(&self) -> u32 {
        self.plies
    }

    pub fn is_terminal(&self) -> bool {
        self.game.engine().is_terminal(&self.position)
    }

    /// The goal of each role, where exactly one holds.
    pub fn goals(&self) -> Vec<Option<u8>> {
        let mut goals = vec![None; self.game.roles().len()];
        self.game.engine().goals(&mut self.position.clone(), &mut goals);
        goals
    }

    pub fn facts(&self) -> Vec<String> {
        self.game.engine().facts(&self.position)
    }

    /// The legal moves of a role, sorted.
    pub fn legal(&self, role: usize) -> Vec<Move> {
        let engine = self.game.engine();
        let n = engine.n_legal(&self.position, role);
        let mut moves: Vec<Move> =
            (0..n).map(|i| Move(engine.legal(&self.position, role, i))).collect();
        moves.sort_unstable();
        moves
    }

    /// The legal moves of a role after one legal move per role, sorted. They are known before
    /// everything else is that [`Stepper::step`] works out.
    pub fn legal_after(&self, joint: &[Move], role: usize) -> Vec<Move> {
        let numbers: Vec<u32> = joint.iter().map(|action| action.0).collect();
        let legal = self.game.engine().legal_after(&self.position, &numbers, role);
        let mut moves: Vec<Move> = legal.into_iter().map(Move).collect();
        moves.sort_unstable();
        moves
    }

    /// The legal move of a role with this text. A text that differs in case only is found if no
    /// move has exactly this text.
    pub fn find(&self, role: usize, text: &str) -> Option<Move> {
        let moves = self.legal(role);
        let texts: Vec<String> = moves.iter().map(|&m| self.game.move_text(m)).collect();
        let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let exact = texts.iter().position(|other| *other == spaced);
        let found = exact.or_else(|| texts.iter().position(|t| t.eq_ignore_ascii_case(&spaced)));
        found.map(|i| moves[i])
    }

    /// Plays one move per role.
    pub fn step(&mut self, joint: &[Move]) -> Result<(), StepError> {
        let expected = self.game.roles().len();
        if joint.len() != expected {
            return Err(StepError::Count { got: joint.len(), expected });
        }
        for (role, action) in joint.iter().enumerate() {
            if !self.legal(role).contains(action) {
                return Err(self.illegal(role, self.game.move_text(*action)));
            }
        }
        let numbers: Vec<u32> = joint.iter().map(|action| action.0).collect();
        self.game.engine().step(&mut self.position, &numbers, None);
        self.plies += 1;
        Ok(())
    }

    /// Plays one move per role, given as texts.
    pub fn step_texts(&mut self, texts: &[impl AsRef<str>]) -> Result<(), StepError> {
        let joint = self.joint(texts)?;
        self.step(&joint)
    }

    /// The legal moves with these texts, one per role.
    pub fn joint(&self, texts: &[impl AsRef<str>]) -> Result<Vec<Move>, StepError> {
        let expected = self.game.roles().len();
        if texts.len() != expected {
            return Err(StepError::Count { got: texts.len(), expected });
        }
        let find = |(role, text): (usize, &_)| {
            let text = AsRef::<str>::as_ref(text);
            self.find(role, text).ok_or_else(|| self.illegal(role, text.to_owned()))
        };
        texts.iter().enumerate().map(find).collect()
    }

    fn illegal(&self, role: usize, text: String) -> StepError {
        StepError::Illegal { role: self.game.roles()[role].clone(), text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::gdl_game::Settings;
    use sakiyomi_core::Rng;

    /// Asked for in advance or not, the legal moves and all that follows from them are the same.
    #[test]
    fn legal_moves_in_advance_are_those_of_the_next_ply() {
        for text in crate::tests::sheets::ALL {
            let compiled = GdlGame::new(text, &Settings::default()).unwrap();
            let interpreted = GdlGame::interpreted(text).unwrap();
            for game in [compiled, interpreted] {
                let mut rng = Rng::new(4);
                let (mut plain, mut asked) = (game.stepper(), game.stepper());
                while !plain.is_terminal() {
                    let n_roles = game.roles().len();
                    let any = |role| {
                        let legal = plain.legal(role);
                        legal[rng.below(legal.len())]
                    };
                    let joint: Vec<Move> = (0..n_roles).map(any).collect();
                    let role = rng.below(n_roles);
                    let legal = asked.legal_after(&joint, role);
                    asked.step(&joint).unwrap();
                    plain.step(&joint).unwrap();
                    assert_eq!(legal, plain.legal(role));
                    assert_eq!((asked.facts(), asked.goals()), (plain.facts(), plain.goals()));
                    let all = |stepper: &Stepper| -> Vec<Vec<Move>> {
                        (0..n_roles).map(|role| stepper.legal(role)).collect()
                    };
                    assert_eq!(all(&asked), all(&plain));
                    assert_eq!(asked.is_terminal(), plain.is_terminal());
                }
            }
        }
    }

    /// A horizon ends playouts and states, and nothing of the game itself.
    #[test]
    fn a_game_ends_at_its_horizon() {
        let text = crate::tests::sheets::LINES;
        for game in
            [GdlGame::new(text, &Settings::default()).unwrap(), GdlGame::interpreted(text).unwrap()]
        {
            let near = game.with_horizon(2);
            let (mut state, mut actions) = (near.start(), Vec::new());
            for plies in 0..2 {
                assert_eq!((state.plies(), near.turn(&state)), (plies, game.turn(&state)));
                actions.clear();
                near.actions(&state, sakiyomi_core::Player(plies as u8 % 2), &mut actions);
                near.apply(&mut state, &actions[..1]);
            }
            assert!(matches!(near.turn(&state), Turn::Over(_)));
            let mut state = near.start();
            near.playout(&mut state, &mut Default::default(), &mut Rng::new(1));
            assert_eq!(state.plies(), 2);
        }
    }

    /// Plays random matches ply by ply and follows them as a game; both must stay together.
    #[test]
    fn a_match_is_followed_as_a_game() {
        for text in crate::tests::sheets::ALL {
            let game = GdlGame::new(text, &Settings::default()).unwrap();
            for seed in 0..20 {
                let mut rng = Rng::new(seed);
                let (mut stepper, mut state) = (game.stepper(), game.start());
                let mut replayed = game.start();
                while !stepper.is_terminal() {
                    let joint: Vec<Move> = (0..game.roles().len())
                        .map(|role| {
                            let legal = stepper.legal(role);
                            legal[rng.below(legal.len())]
                        })
                        .collect();
                    let plies = stepper.plies();
                    stepper.step(&joint).unwrap();
                    game.follow(&mut state, plies, &joint, |before, actions| {
                        assert_eq!(*before, replayed);
                        game.apply(&mut replayed, actions);
                    });
                    assert_eq!(state, game.state(&stepper));
                    assert_eq!(state, replayed);
                }
                assert!(matches!(game.turn(&state), Turn::Over(_)));
            }
        }
    }
}
