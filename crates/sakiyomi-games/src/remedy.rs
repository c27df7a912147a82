//! Changes of a game of two that may make it fair: the pie rule, by which the second player may take
//! the first player's side after the first turn, and matches that begin in positions that are judged
//! equal.
//!
//! The game itself is one whose types are erased ([`AnyGame`]), so that the searches are compiled for
//! all changed games once.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use sakiyomi_core::{
    AnyAction, AnyGame, AnyState, CellShape, Colour, Effect, Encode, Game, Hint, HintSet, Hints,
    LegendEntry, Orders, Payoffs, Phrase, Player, Players, Rng, Scratch, Show, Turn, View, Way,
};

/// A game with a change.
pub struct Remedy {
    game: Box<dyn AnyGame>,
    change: Change,
}

/// What is changed.
#[derive(Clone, Debug)]
pub enum Change {
    /// When the second player chooses for the first time, it may take the other side instead.
    Pie,
    /// Chance draws one of these positions, in which the match begins.
    Openings(Vec<Opening>),
}

/// A position in which a match may begin.
#[derive(Clone, Debug)]
pub struct Opening {
    pub state: AnyState,
    /// What was played to reach it.
    pub text: String,
}

/// A position of the game, and how far the change has come.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct State {
    inner: AnyState,
    phase: Phase,
    /// Whether the players have changed sides.
    is_swapped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    /// An opening is to be drawn.
    Undrawn,
    /// No player has chosen yet.
    Unbegun,
    /// This player makes the first turn.
    FirstTurn(Player),
    /// The other player chooses, and may take the side of the first.
    Offered,
    /// Nothing is changed any more.
    Settled,
}

/// The second player takes the first player's side.
const SWAP: AnyAction = AnyAction::beside(0);
const SWAP_TEXT: &str = "swap";

impl Clone for State {
    fn clone(&self) -> State {
        State { inner: self.inner.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &State) {
        let State { inner, phase, is_swapped } = source;
        self.inner.clone_from(inner);
        (self.phase, self.is_swapped) = (*phase, *is_swapped);
    }
}

impl std::fmt::Debug for Remedy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remedy").field("change", &self.change).finish_non_exhaustive()
    }
}

impl Remedy {
    /// The changed game. The game must have two players, who choose in turn.
    pub fn new(game: Box<dyn AnyGame>, change: Change) -> Remedy {
        debug_assert_eq!(game.players(), 2);
        Remedy { game, change }
    }

    fn is_pie(&self) -> bool {
        matches!(self.change, Change::Pie)
    }

    /// Openings that chance may draw.
    fn openings(&self) -> &[Opening] {
        match &self.change {
            Change::Pie => &[],
            Change::Openings(openings) => openings,
        }
    }

    fn opening(&self, outcome: AnyAction) -> &Opening {
        &self.openings()[outcome.number_beside().map_or(0, |number| number as usize)]
    }

    /// Follows who chooses until the offer was made and answered.
    fn advance(&self, state: &mut State) {
        if !self.is_pie() || state.phase == Phase::Settled {
            return;
        }
        let chooser = match self.game.turn(&state.inner) {
            Turn::Choose(who) => who.single(),
            _ => None,
        };
        state.phase = match (state.phase, chooser) {
            (Phase::Unbegun, Some(player)) => Phase::FirstTurn(player),
            (Phase::FirstTurn(first), Some(player)) if player != first => Phase::Offered,
            (Phase::Offered, _) => Phase::Settled,
            (phase, _) => phase,
        };
    }
}

impl State {
    /// The side of a player, or the player of a side.
    fn side(&self, player: Player) -> Player {
        if self.is_swapped { Player(1 - player.0) } else { player }
    }

    fn swapped(&self, payoffs: Payoffs) -> Payoffs {
        match self.is_swapped {
            true => Payoffs::of([payoffs[Player(1)], payoffs[Player(0)]]),
            false => payoffs,
        }
    }

    fn has_offer(&self) -> bool {
        self.phase == Phase::Offered
    }
}

impl Game for Remedy {
    type State = State;
    type Action = AnyAction;

    fn players(&self) -> usize {
        self.game.players()
    }

    fn start(&self) -> State {
        let phase = if self.is_pie() { Phase::Unbegun } else { Phase::Undrawn };
        let mut state = State { inner: self.game.start(), phase, is_swapped: false };
        self.advance(&mut state);
        state
    }

    fn turn(&self, state: &State) -> Turn {
        if state.phase == Phase::Undrawn {
            return Turn::Chance;
        }
        match self.game.turn(&state.inner) {
            Turn::Choose(who) if state.is_swapped => {
                Turn::Choose(who.fold(Players::NONE, |all, side| all.with(state.side(side))))
            }
            Turn::Over(payoffs) => Turn::Over(state.swapped(payoffs)),
            turn => turn,
        }
    }

    fn actions(&self, state: &State, player: Player, out: &mut Vec<AnyAction>) {
        self.game.actions(&state.inner, state.side(player), out);
        if state.has_offer() {
            out.push(SWAP);
        }
    }

    fn apply(&self, state: &mut State, actions: &[AnyAction]) {
        if state.phase == Phase::Undrawn {
            state.inner.clone_from(&self.opening(actions[0]).state);
            state.phase = Phase::Settled;
        } else if actions == [SWAP] {
            (state.is_swapped, state.phase) = (true, Phase::Settled);
        } else {
            self.game.apply(&mut state.inner, actions);
            self.advance(state);
        }
    }

    fn outcomes(&self, state: &State, out: &mut Vec<(AnyAction, f64)>) {
        if state.phase != Phase::Undrawn {
            return self.game.outcomes(&state.inner, out);
        }
        let n = self.openings().len();
        out.extend((0..n).map(|i| (AnyAction::beside(i as u32), 1.0 / n as f64)));
    }

    fn trouble(&self, state: &State) -> Option<String> {
        self.game.trouble(&state.inner)
    }

    fn key(&self, state: &State) -> u64 {
        let mut hasher = FxHasher::default();
        (self.game.key(&state.inner), state.phase, state.is_swapped).hash(&mut hasher);
        hasher.finish()
    }

    fn seen_by<'s>(&self, state: &'s State, player: Player) -> Cow<'s, State> {
        match self.game.seen_by(&state.inner, state.side(player)) {
            Cow::Borrowed(_) => Cow::Borrowed(state),
            Cow::Owned(inner) => Cow::Owned(State { inner, ..*state }),
        }
    }

    /// Once nothing is changed any more, the game plays by itself.
    fn playout(
        &self,
        state: &mut State,
        scratch: &mut Scratch<AnyAction>,
        rng: &mut Rng,
    ) -> Payoffs {
        loop {
            let step = match self.turn(state) {
                _ if state.phase == Phase::Settled => {
                    let payoffs = self.game.playout(&mut state.inner, rng);
                    return state.swapped(payoffs);
                }
                Turn::Over(payoffs) => return payoffs,
                Turn::Chance => self.sample(state, &mut scratch.outcomes, rng),
                Turn::Choose(who) => {
                    let player = who.single().unwrap_or(Player(0));
                    self.random_action(state, player, &mut scratch.actions, rng)
                }
            };
            self.apply(state, &[step]);
        }
    }

    fn constant_sum(&self) -> bool {
        self.game.constant_sum()
    }
}

/// What stays true after sides were changed.
const KEPT_HINTS: [Hint; 5] =
    [Hint::Estimate, Hint::Progress, Hint::Rounds, Hint::TurnsLeft, Hint::Cells];

impl Hints for Remedy {
    fn provides(&self) -> HintSet {
        let provided = self.game.provides();
        let kept = KEPT_HINTS.into_iter().filter(|&hint| provided.contains(hint));
        kept.fold(HintSet::NONE, HintSet::with)
    }

    fn estimate(&self, state: &State) -> Option<Payoffs> {
        Some(state.swapped(self.game.estimate(&state.inner)?))
    }

    fn progress(&self, state: &State) -> Payoffs {
        state.swapped(self.game.progress(&state.inner))
    }

    fn round(&self, state: &State) -> u32 {
        self.game.round(&state.inner)
    }

    fn turns_left(&self, state: &State) -> Option<u32> {
        let offer = u32::from(self.is_pie() && state.phase != Phase::Settled);
        Some(self.game.turns_left(&state.inner)? + offer)
    }

    fn cell_shape(&self) -> Option<CellShape> {
        self.game.cell_shape()
    }

    fn cells(&self, state: &State, out: &mut Vec<u8>) {
        self.game.cells(&state.inner, out);
    }
}

impl Orders for Remedy {}

impl Encode for Remedy {
    fn n_action_indices(&self) -> usize {
        match self.game.n_action_indices() {
            0 => 0,
            n => n + usize::from(self.is_pie()),
        }
    }

    fn action_index(&self, state: &State, player: Player, action: AnyAction) -> Option<usize> {
        match self.game.n_action_indices() {
            0 => None,
            n if action == SWAP => Some(n),
            _ => self.game.action_index(&state.inner, state.side(player), action),
        }
    }
}

/// What of an action of the game itself; of the others there is nothing.
macro_rules! of_action {
    ($($name:ident -> $Out:ty;)+) => {$(
        fn $name(&self, state: &State, player: Player, action: AnyAction) -> $Out {
            match action.number_beside() {
                Some(_) => Default::default(),
                None => self.game.$name(&state.inner, state.side(player), action),
            }
        }
    )+};
}

impl Show for Remedy {
    fn action_text(&self, state: &State, player: Player, action: AnyAction) -> String {
        match action.number_beside() {
            Some(_) => SWAP_TEXT.to_owned(),
            None => self.game.action_text(&state.inner, state.side(player), action),
        }
    }

    fn view(&self, state: &State) -> View {
        let mut view = self.game.view(&state.inner);
        if state.phase == Phase::Undrawn {
            view.caption = Phrase::new("an opening is drawn");
        }
        if state.is_swapped && view.players.len() == 2 {
            view.players.swap(0, 1);
        }
        let side = |player: u8| self.game.player_name(Player(player));
        let sides = match (state.has_offer(), state.is_swapped) {
            (true, _) => Phrase::new("{0} may take the other side: {1}")
                .with(self.player_name(Player(1)))
                .with(Phrase::Literal(SWAP_TEXT.to_owned())),
            (_, true) => Phrase::new("sides were changed: the first player is {0}, the second {1}")
                .with(side(1))
                .with(side(0)),
            _ => return view,
        };
        view.note = Some(match view.note {
            Some(note) => Phrase::new("{0}; {1}").with(note).with(sides),
            None => sides,
        });
        view
    }

    of_action! {
        action_cells -> Vec<u16>;
        action_area -> Vec<u16>;
        action_card -> Option<u16>;
        action_kind -> Option<Phrase>;
        action_effects -> Vec<Effect>;
        ends_turn -> bool;
    }

    fn ways(&self, state: &State, actions: &[AnyAction]) -> Vec<Way> {
        match actions.iter().any(|action| action.number_beside().is_some()) {
            true => Vec::new(),
            false => self.game.ways(&state.inner, actions),
        }
    }

    fn outcome_text(&self, state: &State, outcome: AnyAction) -> String {
        match state.phase {
            Phase::Undrawn => self.opening(outcome).text.clone(),
            _ => self.game.outcome_text(&state.inner, outcome),
        }
    }

    /// With the pie rule players have no side of their own.
    fn player_name(&self, player: Player) -> Phrase {
        match (&self.change, player) {
            (Change::Openings(_), player) => self.game.player_name(player),
            (Change::Pie, Player(0)) => Phrase::new("first player"),
            (Change::Pie, _) => Phrase::new("second player"),
        }
    }

    fn player_colour(&self, player: Player) -> Option<Colour> {
        self.game.player_colour(player)
    }

    fn legend(&self) -> Vec<LegendEntry> {
        self.game.legend()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hex, TicTacToe};
    use sakiyomi_core::erase;

    fn play(game: &Remedy, texts: &[&str]) -> State {
        let mut state = game.start();
        for text in texts {
            let Turn::Choose(who) = game.turn(&state) else { panic!("{text}: nobody chooses") };
            let player = who.single().unwrap();
            let action = game.parse(&state, player, text).unwrap_or_else(|| panic!("{text}"));
            game.apply(&mut state, &[action]);
        }
        state
    }

    #[test]
    fn the_second_player_may_take_the_first_side_once() {
        let game = Remedy::new(erase(Hex::<u64>::new(3, 3).unwrap()), Change::Pie);
        let offered = play(&game, &["b2"]);
        let texts = |state: &State, player: u8| -> Vec<String> {
            let mut actions = Vec::new();
            game.actions(state, Player(player), &mut actions);
            actions.iter().map(|&a| game.action_text(state, Player(player), a)).collect()
        };
        assert_eq!(texts(&offered, 1).len(), 9);
        assert_eq!(texts(&offered, 1).last().unwrap(), "swap");
        let swapped = play(&game, &["b2", "swap"]);
        assert_eq!(game.turn(&swapped), Turn::Choose(Players::one(Player(0))));
        assert_eq!(texts(&swapped, 0).len(), 8, "the offer is made once");
        let kept = play(&game, &["b2", "a1"]);
        assert!(!texts(&kept, 0).contains(&"swap".to_owned()));
        assert_ne!(game.key(&swapped), game.key(&offered));
        // The stones of the first turn win for the second player.
        let won = play(&game, &["b2", "swap", "a1", "b1", "a2", "b3"]);
        assert_eq!(game.turn(&won), Turn::Over(Payoffs::of([0.0, 1.0])));
    }

    #[test]
    fn without_a_change_of_sides_it_is_the_game_itself() {
        let game = Remedy::new(erase(TicTacToe), Change::Pie);
        let moves = ["a1", "b1", "a2", "b2", "a3"];
        assert_eq!(game.turn(&play(&game, &moves)), Turn::Over(Payoffs::of([1.0, 0.0])));
    }

    #[test]
    fn matches_begin_in_one_of_the_openings() {
        let plain = erase(TicTacToe);
        let openings = [0, 4].map(|place| {
            let (mut state, mut actions) = (plain.start(), Vec::new());
            plain.actions(&state, Player(0), &mut actions);
            let text = plain.action_text(&state, Player(0), actions[place]);
            plain.apply(&mut state, &[actions[place]]);
            Opening { state, text }
        });
        let game = Remedy::new(plain, Change::Openings(openings.to_vec()));
        let mut drawn = game.start();
        assert_eq!(game.turn(&drawn), Turn::Chance);
        let mut outcomes = Vec::new();
        game.outcomes(&drawn, &mut outcomes);
        assert_eq!(outcomes.len(), 2);
        game.apply(&mut drawn, &[outcomes[1].0]);
        assert_eq!(drawn.inner, openings[1].state);
        assert_eq!(game.turn(&drawn), Turn::Choose(Players::one(Player(1))));
    }
}
