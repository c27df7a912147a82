//! One state of a game with its types erased, whose actions are numbers. Unlike a match at a table it can be
//! copied and compared, and chance waits for its outcome: what tree searches, solvers and wrappers of other
//! libraries need.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;
use sakiyomi_catalog::{CatalogGame, GameSpec, SpecError, Visitor};
use sakiyomi_core::{Colour, Player, Symmetry, Turn, View};

use crate::numbers::{Layout, numbered};

/// A state of a game. Copies share the rules.
pub trait Position: Send + Sync {
    fn layout(&self) -> &Layout;
    fn turn(&self) -> Turn;

    /// The numbers of the legal actions of a player, in ascending order; none if the player does not choose.
    fn legal(&self, player: Player) -> Vec<u32>;

    /// The text of a legal action.
    fn action_text(&self, player: Player, action: u32) -> Result<String, PositionError>;

    /// The number of the legal action that a text means.
    fn action_of(&self, player: Player, text: &str) -> Result<u32, PositionError>;

    /// The outcomes of chance with their probabilities; none if it is not chance's turn.
    fn outcomes(&self) -> Vec<(String, f64)>;

    /// Applies one action per choosing player, in player order, or the number of an outcome of chance. Nothing
    /// changes if it is not legal.
    fn apply(&mut self, numbers: &[u32]) -> Result<(), PositionError>;

    /// Appends what a player knows, as numbers. Appends nothing if the game has no observations.
    fn observe(&self, player: Player, out: &mut Vec<f32>);

    /// The symmetries of the game, beside leaving everything as it is.
    fn symmetries(&self) -> Vec<Symmetry>;

    /// The cells that actions belong to, see [`sakiyomi_core::Encode::cells_of_indices`].
    fn cells_of_indices(&self) -> Vec<Option<usize>>;

    fn player_name(&self, player: Player) -> String;
    fn player_colour(&self, player: Player) -> Option<Colour>;
    fn view(&self) -> View;

    /// Everything that tells this state from others, as text.
    fn state_text(&self) -> String;

    /// Equal for equal states.
    fn state_hash(&self) -> u64;

    fn copy(&self) -> Box<dyn Position>;
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    #[error("the match is over")]
    Over,
    #[error("{expected} choose now, but {found} actions were given")]
    Count { expected: usize, found: usize },
    #[error("action {action} is not legal for {name}; legal: {legal}")]
    Illegal { action: String, name: String, legal: String },
    #[error("{name} does not choose now")]
    NotChoosing { name: String },
    #[error("outcome {number} does not exist; chance has {n} outcomes here, counted from 0")]
    Outcome { number: u32, n: usize },
}

/// The first state of a game.
pub fn open_position(game: &GameSpec) -> Result<Box<dyn Position>, SpecError> {
    struct Open;
    impl Visitor for Open {
        type Out = Box<dyn Position>;
        fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
            let layout = Layout::of(&game);
            Box::new(PositionOf { layout, state: game.start(), game: Arc::new(game) })
        }
    }
    game.with(Open)
}

struct PositionOf<G: CatalogGame> {
    game: Arc<G>,
    layout: Layout,
    state: G::State,
}

impl<G: CatalogGame> PositionOf<G> {
    fn numbered(&self, player: Player) -> Vec<(u32, G::Action)> {
        let mut actions = Vec::new();
        if matches!(self.turn(), Turn::Choose(who) if who.contains(player)) {
            let buffer = &mut Vec::new();
            numbered(&*self.game, &self.layout, &self.state, player, buffer, &mut actions);
        }
        actions
    }

    fn action(&self, player: Player, number: u32) -> Result<G::Action, PositionError> {
        let legal = self.numbered(player);
        match legal.iter().find(|(own, _)| *own == number) {
            Some(&(_, action)) => Ok(action),
            None => {
                let texts: Vec<String> = legal.iter().map(|(own, _)| own.to_string()).collect();
                Err(self.not_legal(player, number.to_string(), &texts))
            }
        }
    }

    fn not_legal(&self, player: Player, action: String, legal: &[String]) -> PositionError {
        let name = self.player_name(player);
        match (self.turn(), legal.is_empty()) {
            (Turn::Over(_), _) => PositionError::Over,
            (_, true) => PositionError::NotChoosing { name },
            _ => PositionError::Illegal { action, name, legal: legal.join(" ") },
        }
    }
}

impl<G: CatalogGame> Position for PositionOf<G> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn turn(&self) -> Turn {
        self.game.turn(&self.state)
    }

    fn legal(&self, player: Player) -> Vec<u32> {
        let mut numbers: Vec<u32> =
            self.numbered(player).into_iter().map(|(number, _)| number).collect();
        numbers.sort_unstable();
        numbers
    }

    fn action_text(&self, player: Player, action: u32) -> Result<String, PositionError> {
        let action = self.action(player, action)?;
        Ok(self.game.action_text(&self.state, player, action))
    }

    fn action_of(&self, player: Player, text: &str) -> Result<u32, PositionError> {
        let legal = self.numbered(player);
        let meant = match legal.is_empty() {
            true => None,
            false => self.game.parse(&self.state, player, text),
        };
        let found = legal.iter().find(|(_, action)| Some(*action) == meant);
        found.map(|(number, _)| *number).ok_or_else(|| {
            let own = |&(_, action): &(u32, G::Action)| {
                self.game.action_text(&self.state, player, action)
            };
            let texts: Vec<String> = legal.iter().map(own).collect();
            self.not_legal(player, text.to_owned(), &texts)
        })
    }

    fn outcomes(&self) -> Vec<(String, f64)> {
        let mut outcomes = Vec::new();
        if self.turn() == Turn::Chance {
            self.game.outcomes(&self.state, &mut outcomes);
        }
        let text =
            |(outcome, probability)| (self.game.outcome_text(&self.state, outcome), probability);
        outcomes.into_iter().map(text).collect()
    }

    fn apply(&mut self, numbers: &[u32]) -> Result<(), PositionError> {
        let wrong = |expected| PositionError::Count { expected, found: numbers.len() };
        let actions: Vec<G::Action> = match self.turn() {
            Turn::Over(_) => return Err(PositionError::Over),
            Turn::Chance => {
                let &[number] = numbers else { return Err(wrong(1)) };
                let mut outcomes = Vec::new();
                self.game.outcomes(&self.state, &mut outcomes);
                let drawn = outcomes.get(number as usize);
                let n = outcomes.len();
                vec![drawn.ok_or(PositionError::Outcome { number, n })?.0]
            }
            Turn::Choose(who) if who.len() != numbers.len() => return Err(wrong(who.len())),
            Turn::Choose(who) => who
                .zip(numbers)
                .map(|(player, &number)| self.action(player, number))
                .collect::<Result<_, _>>()?,
        };
        self.game.apply(&mut self.state, &actions);
        Ok(())
    }

    fn observe(&self, player: Player, out: &mut Vec<f32>) {
        if self.layout.observation.is_some() {
            let first = out.len();
            out.resize(first + self.layout.observation_len(), 0.0);
            self.game.observe(&self.state, player, &mut out[first..]);
        }
    }

    fn symmetries(&self) -> Vec<Symmetry> {
        self.game.symmetries()
    }

    fn cells_of_indices(&self) -> Vec<Option<usize>> {
        self.game.cells_of_indices()
    }

    fn player_name(&self, player: Player) -> String {
        self.game.player_name(player).to_string()
    }

    fn player_colour(&self, player: Player) -> Option<Colour> {
        self.game.player_colour(player)
    }

    fn view(&self) -> View {
        self.game.view(&self.state)
    }

    fn state_text(&self) -> String {
        format!("{:?}", self.state)
    }

    fn state_hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.state.hash(&mut hasher);
        hasher.finish()
    }

    fn copy(&self) -> Box<dyn Position> {
        let (game, state) = (Arc::clone(&self.game), self.state.clone());
        Box::new(PositionOf { game, layout: self.layout, state })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(game: &str) -> Box<dyn Position> {
        open_position(&game.parse().unwrap()).unwrap()
    }

    #[test]
    fn numbers_and_texts_name_the_same_actions() {
        let mut position = open("connect-four");
        let first = Player(0);
        assert_eq!(position.legal(first), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(position.action_text(first, 3).unwrap(), "d");
        assert_eq!(position.action_of(first, "d").unwrap(), 3);
        let before = position.copy();
        position.apply(&[3]).unwrap();
        assert!(position.legal(first).is_empty());
        assert_eq!(position.turn(), Turn::Choose(sakiyomi_core::Players::one(Player(1))));
        assert_eq!(before.legal(first).len(), 7, "a copy stays where it was");
        assert_ne!(before.state_hash(), position.state_hash());
        assert_ne!(before.state_text(), position.state_text());
    }

    #[test]
    fn wrong_numbers_change_nothing() {
        let mut position = open("tic-tac-toe");
        let text = position.state_text();
        let error = position.apply(&[9]).unwrap_err();
        assert!(matches!(error, PositionError::Illegal { .. }), "{error}");
        assert_eq!(position.apply(&[]), Err(PositionError::Count { expected: 1, found: 0 }));
        assert!(matches!(
            position.action_text(Player(1), 0),
            Err(PositionError::NotChoosing { .. })
        ));
        assert_eq!(position.state_text(), text);
    }

    #[test]
    fn chance_waits_for_its_outcome() {
        let mut position = open("goofspiel:n=3");
        assert_eq!(position.turn(), Turn::Chance);
        let outcomes = position.outcomes();
        assert_eq!(outcomes.len(), 3);
        assert!((outcomes.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(position.apply(&[3]), Err(PositionError::Outcome { number: 3, n: 3 }));
        position.apply(&[1]).unwrap();
        assert!(position.layout().is_simultaneous);
        position.apply(&[0, 2]).unwrap();
        assert_eq!(position.turn(), Turn::Chance);
    }

    #[test]
    fn a_game_without_indices_is_numbered_by_rank() {
        let position = open("tubstap");
        let layout = *position.layout();
        if layout.is_ranked {
            let legal = position.legal(Player(0));
            assert_eq!(legal, (0..legal.len() as u32).collect::<Vec<_>>());
        }
        assert!(layout.n_actions > 0);
    }
}
