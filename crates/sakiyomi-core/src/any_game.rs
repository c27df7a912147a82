//! Games whose types are erased, so that what is made of any game, such as another rule on top of it,
//! is one type: the searches are compiled for it once, and not once more for every game.
//!
//! A state is in a box, and an action is its place among those that the game lists, with a code by
//! which equal actions are recognised in other states too. Rules cost a call through a pointer, and
//! finding an action again costs listing them; whole playouts run at the speed of the game itself.

use std::any::Any;
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::{
    CellShape, Colour, Effect, HintSet, LegendEntry, Payoffs, Phrase, Playable, Player, Rng,
    Scratch, Turn, View, Way,
};

/// An action of a game whose types are erased. Equal actions have equal codes.
#[derive(Clone, Copy)]
pub struct AnyAction {
    code: u64,
    place: u32,
}

/// Codes of actions of the game itself are below this.
const OWN_CODES: u64 = 1 << 63;

impl AnyAction {
    fn of<A: Hash>(place: usize, action: &A) -> AnyAction {
        let mut hasher = FxHasher::default();
        action.hash(&mut hasher);
        AnyAction { code: hasher.finish() % OWN_CODES, place: place as u32 }
    }

    /// An action that no game has, for rules on top of it.
    pub const fn beside(number: u32) -> AnyAction {
        AnyAction { code: OWN_CODES + number as u64, place: number }
    }

    /// The number of an action that no game has.
    pub fn number_beside(self) -> Option<u32> {
        (self.code >= OWN_CODES).then_some(self.place)
    }

    /// The action, which `listed` has.
    fn find<A: Copy + Hash>(self, listed: impl Fn(usize) -> Option<A>) -> A {
        let is_same = |action: &A| AnyAction::of(0, action) == self;
        let at_place = listed(self.place as usize).filter(is_same);
        let anywhere = || (0..).map_while(&listed).find(is_same);
        at_place.or_else(anywhere).expect("the action is legal")
    }
}

impl PartialEq for AnyAction {
    fn eq(&self, other: &AnyAction) -> bool {
        self.code == other.code
    }
}

impl Eq for AnyAction {}

impl Hash for AnyAction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.code.hash(state);
    }
}

impl Debug for AnyAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.code)
    }
}

/// A state of a game whose types are erased.
pub struct AnyState(Box<dyn HeldState>);

trait HeldState: Any + Debug + Send + Sync {
    fn copy(&self) -> Box<dyn HeldState>;
    fn copy_to(&self, target: &mut AnyState);
    fn equals(&self, other: &dyn HeldState) -> bool;
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

impl<S: Clone + Eq + Hash + Debug + Send + Sync + 'static> HeldState for S {
    fn copy(&self) -> Box<dyn HeldState> {
        Box::new(self.clone())
    }

    /// Without an allocation where the target holds such a state already.
    fn copy_to(&self, target: &mut AnyState) {
        match (&mut *target.0 as &mut dyn Any).downcast_mut::<S>() {
            Some(held) => held.clone_from(self),
            None => target.0 = self.copy(),
        }
    }

    fn equals(&self, other: &dyn HeldState) -> bool {
        (other as &dyn Any).downcast_ref::<S>() == Some(self)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

impl AnyState {
    pub fn of<S: Clone + Eq + Hash + Debug + Send + Sync + 'static>(state: S) -> AnyState {
        AnyState(Box::new(state))
    }

    fn get<S: 'static>(&self) -> &S {
        (&*self.0 as &dyn Any).downcast_ref().expect("a state of this game")
    }

    fn get_mut<S: 'static>(&mut self) -> &mut S {
        (&mut *self.0 as &mut dyn Any).downcast_mut().expect("a state of this game")
    }
}

impl Clone for AnyState {
    fn clone(&self) -> AnyState {
        AnyState((*self.0).copy())
    }

    fn clone_from(&mut self, source: &AnyState) {
        (*source.0).copy_to(self);
    }
}

impl PartialEq for AnyState {
    fn eq(&self, other: &AnyState) -> bool {
        (*self.0).equals(&*other.0)
    }
}

impl Eq for AnyState {}

impl Hash for AnyState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (*self.0).hash_into(state);
    }
}

impl Debug for AnyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (*self.0).fmt(f)
    }
}

/// A game whose types are erased: what [`Game`](crate::Game), [`Hints`](crate::Hints), [`Encode`](crate::Encode)
/// and [`Show`](crate::Show) say of a state or an action, for those of this game.
pub trait AnyGame: Send + Sync {
    fn players(&self) -> usize;
    fn start(&self) -> AnyState;
    fn turn(&self, state: &AnyState) -> Turn;
    fn actions(&self, state: &AnyState, player: Player, out: &mut Vec<AnyAction>);
    fn apply(&self, state: &mut AnyState, actions: &[AnyAction]);
    fn outcomes(&self, state: &AnyState, out: &mut Vec<(AnyAction, f64)>);
    fn trouble(&self, state: &AnyState) -> Option<String>;
    fn key(&self, state: &AnyState) -> u64;
    fn lists_all_actions(&self) -> bool;
    fn seen_by<'s>(&self, state: &'s AnyState, player: Player) -> Cow<'s, AnyState>;
    fn playout(&self, state: &mut AnyState, rng: &mut Rng) -> Payoffs;
    fn constant_sum(&self) -> bool;

    fn provides(&self) -> HintSet;
    fn estimate(&self, state: &AnyState) -> Option<Payoffs>;
    fn progress(&self, state: &AnyState) -> Payoffs;
    fn round(&self, state: &AnyState) -> u32;
    fn turns_left(&self, state: &AnyState) -> Option<u32>;
    fn cell_shape(&self) -> Option<CellShape>;
    fn cells(&self, state: &AnyState, out: &mut Vec<u8>);

    fn n_action_indices(&self) -> usize;
    fn action_index(&self, state: &AnyState, player: Player, action: AnyAction) -> Option<usize>;

    fn action_text(&self, state: &AnyState, player: Player, action: AnyAction) -> String;
    fn view(&self, state: &AnyState) -> View;
    fn action_cells(&self, state: &AnyState, player: Player, action: AnyAction) -> Vec<u16>;
    fn action_area(&self, state: &AnyState, player: Player, action: AnyAction) -> Vec<u16>;
    fn action_card(&self, state: &AnyState, player: Player, action: AnyAction) -> Option<u16>;
    fn action_kind(&self, state: &AnyState, player: Player, action: AnyAction) -> Option<Phrase>;
    fn action_effects(&self, state: &AnyState, player: Player, action: AnyAction) -> Vec<Effect>;
    fn ends_turn(&self, state: &AnyState, player: Player, action: AnyAction) -> bool;
    fn ways(&self, state: &AnyState, actions: &[AnyAction]) -> Vec<Way>;
    fn outcome_text(&self, state: &AnyState, outcome: AnyAction) -> String;
    fn player_name(&self, player: Player) -> Phrase;
    fn player_colour(&self, player: Player) -> Option<Colour>;
    fn legend(&self) -> Vec<LegendEntry>;
}

/// Erases the types of a game.
pub fn erase<G: Playable>(game: G) -> Box<dyn AnyGame> {
    Box::new(Erased(game))
}

struct Erased<G>(G);

impl<G: Playable> Erased<G> {
    /// The action of a player.
    fn action(&self, state: &G::State, player: Player, action: AnyAction) -> G::Action {
        with_scratch(|scratch: &mut Scratch<G::Action>| {
            scratch.actions.clear();
            self.0.actions(state, player, &mut scratch.actions);
            action.find(|place| scratch.actions.get(place).copied())
        })
    }

    fn outcome(&self, state: &G::State, outcome: AnyAction) -> G::Action {
        with_scratch(|scratch: &mut Scratch<G::Action>| {
            scratch.outcomes.clear();
            self.0.outcomes(state, &mut scratch.outcomes);
            outcome.find(|place| scratch.outcomes.get(place).map(|outcome| outcome.0))
        })
    }

    /// What is chosen in this state, one action per choosing player or an outcome of chance, into
    /// `out`.
    fn joint(&self, state: &G::State, actions: &[AnyAction], out: &mut Vec<G::Action>) {
        out.clear();
        match self.0.turn(state) {
            Turn::Choose(who) => out.extend(
                who.zip(actions).map(|(player, &action)| self.action(state, player, action)),
            ),
            _ => out.extend(actions.iter().map(|&outcome| self.outcome(state, outcome))),
        }
    }
}

impl<G: Playable> AnyGame for Erased<G> {
    fn players(&self) -> usize {
        self.0.players()
    }

    fn start(&self) -> AnyState {
        AnyState::of(self.0.start())
    }

    fn turn(&self, state: &AnyState) -> Turn {
        self.0.turn(state.get())
    }

    fn actions(&self, state: &AnyState, player: Player, out: &mut Vec<AnyAction>) {
        with_scratch(|scratch: &mut Scratch<G::Action>| {
            scratch.actions.clear();
            self.0.actions(state.get(), player, &mut scratch.actions);
            let listed = scratch.actions.iter().enumerate();
            out.extend(listed.map(|(place, action)| AnyAction::of(place, action)));
        });
    }

    fn apply(&self, state: &mut AnyState, actions: &[AnyAction]) {
        // A scratch of its own is taken out while the actions are found with another one.
        with_scratch(|joint: &mut Joint<G::Action>| {
            self.joint(state.get(), actions, &mut joint.0);
            self.0.apply(state.get_mut(), &joint.0);
        });
    }

    fn outcomes(&self, state: &AnyState, out: &mut Vec<(AnyAction, f64)>) {
        with_scratch(|scratch: &mut Scratch<G::Action>| {
            scratch.outcomes.clear();
            self.0.outcomes(state.get(), &mut scratch.outcomes);
            let listed = scratch.outcomes.iter().enumerate();
            out.extend(listed.map(|(place, (action, p))| (AnyAction::of(place, action), *p)));
        });
    }

    fn trouble(&self, state: &AnyState) -> Option<String> {
        self.0.trouble(state.get())
    }

    fn key(&self, state: &AnyState) -> u64 {
        self.0.key(state.get())
    }

    fn lists_all_actions(&self) -> bool {
        self.0.lists_all_actions()
    }

    fn seen_by<'s>(&self, state: &'s AnyState, player: Player) -> Cow<'s, AnyState> {
        match self.0.seen_by(state.get(), player) {
            Cow::Borrowed(_) => Cow::Borrowed(state),
            Cow::Owned(seen) => Cow::Owned(AnyState::of(seen)),
        }
    }

    fn playout(&self, state: &mut AnyState, rng: &mut Rng) -> Payoffs {
        with_scratch(|scratch: &mut Scratch<G::Action>| {
            self.0.playout(state.get_mut(), scratch, rng)
        })
    }

    fn constant_sum(&self) -> bool {
        self.0.constant_sum()
    }

    fn provides(&self) -> HintSet {
        self.0.provides()
    }

    fn estimate(&self, state: &AnyState) -> Option<Payoffs> {
        self.0.estimate(state.get())
    }

    fn progress(&self, state: &AnyState) -> Payoffs {
        self.0.progress(state.get())
    }

    fn round(&self, state: &AnyState) -> u32 {
        self.0.round(state.get())
    }

    fn turns_left(&self, state: &AnyState) -> Option<u32> {
        self.0.turns_left(state.get())
    }

    fn cell_shape(&self) -> Option<CellShape> {
        self.0.cell_shape()
    }

    fn cells(&self, state: &AnyState, out: &mut Vec<u8>) {
        self.0.cells(state.get(), out);
    }

    fn n_action_indices(&self) -> usize {
        self.0.n_action_indices()
    }

    fn action_index(&self, state: &AnyState, player: Player, action: AnyAction) -> Option<usize> {
        let state = state.get();
        self.0.action_index(state, player, self.action(state, player, action))
    }

    fn action_text(&self, state: &AnyState, player: Player, action: AnyAction) -> String {
        let state = state.get();
        self.0.action_text(state, player, self.action(state, player, action))
    }

    fn view(&self, state: &AnyState) -> View {
        self.0.view(state.get())
    }

    fn action_cells(&self, state: &AnyState, player: Player, action: AnyAction) -> Vec<u16> {
        let state = state.get();
        self.0.action_cells(state, player, self.action(state, player, action))
    }

    fn action_area(&self, state: &AnyState, player: Player, action: AnyAction) -> Vec<u16> {
        let state = state.get();
        self.0.action_area(state, player, self.action(state, player, action))
    }

    fn action_card(&self, state: &AnyState, player: Player, action: AnyAction) -> Option<u16> {
        let state = state.get();
        self.0.action_card(state, player, self.action(state, player, action))
    }

    fn action_kind(&self, state: &AnyState, player: Player, action: AnyAction) -> Option<Phrase> {
        let state = state.get();
        self.0.action_kind(state, player, self.action(state, player, action))
    }

    fn action_effects(&self, state: &AnyState, player: Player, action: AnyAction) -> Vec<Effect> {
        let state = state.get();
        self.0.action_effects(state, player, self.action(state, player, action))
    }

    fn ends_turn(&self, state: &AnyState, player: Player, action: AnyAction) -> bool {
        let state = state.get();
        self.0.ends_turn(state, player, self.action(state, player, action))
    }

    fn ways(&self, state: &AnyState, actions: &[AnyAction]) -> Vec<Way> {
        let mut joint = Vec::new();
        self.joint(state.get(), actions, &mut joint);
        self.0.ways(state.get(), &joint)
    }

    fn outcome_text(&self, state: &AnyState, outcome: AnyAction) -> String {
        let state = state.get();
        self.0.outcome_text(state, self.outcome(state, outcome))
    }

    fn player_name(&self, player: Player) -> Phrase {
        self.0.player_name(player)
    }

    fn player_colour(&self, player: Player) -> Option<Colour> {
        self.0.player_colour(player)
    }

    fn legend(&self) -> Vec<LegendEntry> {
        self.0.legend()
    }
}

/// A joint action of a game.
struct Joint<A>(Vec<A>);

impl<A> Default for Joint<A> {
    fn default() -> Joint<A> {
        Joint(Vec::new())
    }
}

/// Lends buffers that this thread has kept, so that nothing allocates once they have grown. Work that
/// asks for the same kind again while it has them gets others.
fn with_scratch<B: Default + 'static, T>(work: impl FnOnce(&mut B) -> T) -> T {
    thread_local! {
        static KEPT: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
    }
    let kept = KEPT.with_borrow_mut(|kept| {
        let at = kept.iter().position(|buffers| buffers.is::<B>())?;
        Some(kept.swap_remove(at))
    });
    let mut buffers = kept.unwrap_or_else(|| Box::new(B::default()));
    let done = work(buffers.downcast_mut().expect("buffers of this kind"));
    KEPT.with_borrow_mut(|kept| kept.push(buffers));
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_recognised_wherever_they_are_listed() {
        let listed = ["a", "b", "c"];
        let all: Vec<AnyAction> =
            listed.iter().enumerate().map(|(place, text)| AnyAction::of(place, text)).collect();
        assert_eq!(all[1], AnyAction::of(7, &"b"));
        assert_ne!(all[1], all[2]);
        let find = |action: AnyAction| action.find(|place| listed.get(place).copied());
        assert_eq!(find(all[2]), "c");
        assert_eq!(find(AnyAction::of(0, &"b")), "b", "its place was that of another state");
        assert_eq!(AnyAction::beside(3).number_beside(), Some(3));
        assert_eq!(all[0].number_beside(), None);
    }

    #[test]
    fn states_are_compared_and_copied_by_value() {
        let (a, b) = (AnyState::of(vec![1, 2]), AnyState::of(vec![1, 3]));
        let mut copy = b.clone();
        assert!(copy == b && copy != a && a != AnyState::of(5_u8));
        copy.clone_from(&a);
        assert_eq!(copy, a);
        copy.clone_from(&AnyState::of(5_u8));
        assert_eq!(copy, AnyState::of(5_u8));
        assert_eq!(format!("{a:?}"), "[1, 2]");
    }
}
