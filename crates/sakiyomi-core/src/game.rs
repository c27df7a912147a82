//! The rules of a game, and the few words that they need: players, payoffs, turns.

use std::borrow::Cow;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::ops::{Index, IndexMut};

use rustc_hash::FxHasher;

use crate::Rng;

/// The most players that a game may have.
pub const MAX_PLAYERS: usize = 8;

/// The rules of a game: immutable and shared by all threads, so maps and tables live here.
///
/// Five methods say everything: who plays, where it starts, what happens next, what is legal, and
/// what an action does. The provided methods follow from these; they are correct for every game
/// and are overridden for speed only (games with chance must also say what may happen, in
/// [`Game::outcomes`]). A sequential game lets one player choose at a time, a turn of several
/// actions lets the same player choose again, and a simultaneous game lets several choose at once.
pub trait Game: Send + Sync {
    /// A position: a plain value, inline where that is possible.
    type State: Clone + Eq + Hash + Debug + Send + Sync;
    /// One choice of one player, or one outcome of chance. At most 16 bytes.
    type Action: Copy + Eq + Hash + Debug + Send + Sync + 'static;

    fn players(&self) -> usize;

    fn start(&self) -> Self::State;

    fn turn(&self, state: &Self::State) -> Turn;

    /// Appends the legal actions of `player`, who is one of those choosing: at least one, each once,
    /// and all of them if [`Game::lists_all_actions`].
    fn actions(&self, state: &Self::State, player: Player, out: &mut Vec<Self::Action>);

    /// Applies one action per choosing player, in player order, or the one outcome of chance.
    fn apply(&self, state: &mut Self::State, actions: &[Self::Action]);

    /// Appends the outcomes of chance with their probabilities. Games without chance keep this.
    fn outcomes(&self, _state: &Self::State, _out: &mut Vec<(Self::Action, f64)>) {}

    /// Draws one outcome of chance.
    fn sample(
        &self,
        state: &Self::State,
        outcomes: &mut Vec<(Self::Action, f64)>,
        rng: &mut Rng,
    ) -> Self::Action {
        outcomes.clear();
        self.outcomes(state, outcomes);
        outcomes[rng.weighted(outcomes.iter().map(|outcome| outcome.1))].0
    }

    /// Why a match ends in this state although its rules do not say so: they could not be followed
    /// to it within their limits. Such a match has no result.
    fn trouble(&self, _state: &Self::State) -> Option<String> {
        None
    }

    /// Equal states have equal keys, and unequal ones practically never do.
    fn key(&self, state: &Self::State) -> u64 {
        let mut hasher = FxHasher::default();
        state.hash(&mut hasher);
        hasher.finish()
    }

    /// Whether [`Game::actions`] lists all legal actions. A game that has too many lists some
    /// candidates, and overrides [`Game::legal`] and [`Game::random_action`].
    fn lists_all_actions(&self) -> bool {
        true
    }

    /// Whether `player` is one of those choosing and may choose this action.
    fn legal(&self, state: &Self::State, player: Player, action: Self::Action) -> bool {
        let chooses = matches!(self.turn(state), Turn::Choose(who) if who.contains(player));
        let mut actions = Vec::new();
        if chooses {
            self.actions(state, player, &mut actions);
        }
        actions.contains(&action)
    }

    /// The state as `player` may know it, which is what agents are handed. What others have chosen
    /// and what is not public yet is as if it had not been chosen. Usually everything is public.
    fn seen_by<'s>(&self, state: &'s Self::State, _player: Player) -> Cow<'s, Self::State> {
        Cow::Borrowed(state)
    }

    /// Draws one legal action of `player`, each with the same probability.
    fn random_action(
        &self,
        state: &Self::State,
        player: Player,
        actions: &mut Vec<Self::Action>,
        rng: &mut Rng,
    ) -> Self::Action {
        actions.clear();
        self.actions(state, player, actions);
        actions[rng.below(actions.len())]
    }

    /// Plays uniformly at random to the end.
    fn playout(
        &self,
        state: &mut Self::State,
        scratch: &mut Scratch<Self::Action>,
        rng: &mut Rng,
    ) -> Payoffs {
        loop {
            match self.turn(state) {
                Turn::Over(payoffs) => return payoffs,
                Turn::Chance => {
                    let outcome = self.sample(state, &mut scratch.outcomes, rng);
                    self.apply(state, &[outcome]);
                }
                Turn::Choose(who) => {
                    scratch.joint.clear();
                    for player in who {
                        let action = self.random_action(state, player, &mut scratch.actions, rng);
                        scratch.joint.push(action);
                    }
                    self.apply(state, &scratch.joint);
                }
            }
        }
    }

    /// Plays to the end uniformly at random from many states: playout i begins at
    /// `states[starts[i]]`, and `out` gets what it pays. The same as one [`Game::playout`] after the
    /// other, also in what is drawn from `rng`; games that can play many at once override it.
    fn playouts(
        &self,
        states: &[Self::State],
        starts: &[u32],
        scratch: &mut Scratch<Self::Action>,
        rng: &mut Rng,
        out: &mut Vec<Payoffs>,
    ) {
        let Some(mut state) = states.first().cloned() else { return };
        for &start in starts {
            state.clone_from(&states[start as usize]);
            out.push(self.playout(&mut state, scratch, rng));
        }
    }

    /// The same, but of `draws` legal actions that it draws a player takes the one with the best mean,
    /// as far as means can be told apart quickly. Those of the actions that were taken are added to
    /// the means when all playouts are over. False, and nothing else, if the game has no way of its
    /// own for that.
    fn tournament_playouts(
        &self,
        _states: &[Self::State],
        _starts: &[u32],
        _draws: u32,
        _means: &mut dyn ActionMeans<Self::Action>,
        _rng: &mut Rng,
        _out: &mut Vec<Payoffs>,
    ) -> bool {
        false
    }

    /// Appends the ends that are one action away from states in which one player chooses, state by
    /// state. Games that can look at many states at once override it.
    fn ends_ahead(
        &self,
        states: &[Self::State],
        scratch: &mut Scratch<Self::Action>,
        out: &mut Vec<EndAhead<Self::Action>>,
    ) {
        each_end_ahead(self, states, scratch, out);
    }

    /// How many playouts a search should ask for at once where it can: 1 unless
    /// [`Game::playouts`] is faster than one after the other. It does not change with time.
    fn playouts_at_once(&self) -> u64 {
        1
    }

    /// Gets ready for [`Game::playouts`], where that takes a while the first time. Without it a game
    /// does so when many were asked for.
    fn prepare_playouts(&self) {}

    /// The same for [`Game::tournament_playouts`].
    fn prepare_tournaments(&self) {}

    /// Whether the payoffs of every end add up to the same sum, so that with two players what one
    /// gains the other loses. Alpha-beta is sound only then, and a search may not guess it.
    fn constant_sum(&self) -> bool {
        false
    }
}

/// [`Game::ends_ahead`], one action after the other.
pub fn each_end_ahead<G: Game + ?Sized>(
    game: &G,
    states: &[G::State],
    scratch: &mut Scratch<G::Action>,
    out: &mut Vec<EndAhead<G::Action>>,
) {
    let Some(mut ahead) = states.first().cloned() else { return };
    for (number, state) in states.iter().enumerate() {
        let Turn::Choose(who) = game.turn(state) else { continue };
        let Some(player) = who.single() else { continue };
        scratch.actions.clear();
        game.actions(state, player, &mut scratch.actions);
        for &action in &scratch.actions {
            ahead.clone_from(state);
            game.apply(&mut ahead, &[action]);
            if let Turn::Over(payoffs) = game.turn(&ahead) {
                out.push(EndAhead { state: number as u32, action, payoffs });
            }
        }
    }
}

/// An end of the match that is one action away from a state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EndAhead<A> {
    /// The number of the state among those that were asked about.
    pub state: u32,
    pub action: A,
    pub payoffs: Payoffs,
}

/// What is known of actions, whatever the state.
pub trait ActionMeans<A> {
    /// The mean payoff of the playouts in which the player took the action.
    fn mean(&self, player: Player, action: A) -> f32;

    /// Adds playouts with the action, and what they paid the player together.
    fn add(&mut self, player: Player, action: A, playouts: f64, payoffs: f64);
}

/// What happens next in a state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Turn {
    /// These players choose now: one of them, or several at once.
    Choose(Players),
    /// Nature chooses.
    Chance,
    /// The match is over, and this is what everyone gets.
    Over(Payoffs),
}

/// A seat at the table, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Player(pub u8);

impl Player {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of players; iterates in player order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Players(u8);

impl Players {
    pub const NONE: Players = Players(0);

    pub fn one(player: Player) -> Players {
        Players(1 << player.0)
    }

    pub fn all(n: usize) -> Players {
        debug_assert!(n <= MAX_PLAYERS);
        Players(((1u16 << n) - 1) as u8)
    }

    #[must_use]
    pub fn with(self, player: Player) -> Players {
        Players(self.0 | 1 << player.0)
    }

    #[must_use]
    pub fn without(self, player: Player) -> Players {
        Players(self.0 & !(1 << player.0))
    }

    pub fn contains(self, player: Player) -> bool {
        self.0 >> player.0 & 1 == 1
    }

    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The only member, if there is exactly one.
    pub fn single(self) -> Option<Player> {
        (self.0.is_power_of_two()).then(|| Player(self.0.trailing_zeros() as u8))
    }
}

impl Iterator for Players {
    type Item = Player;

    fn next(&mut self) -> Option<Player> {
        if self.0 == 0 {
            return None;
        }
        let player = Player(self.0.trailing_zeros() as u8);
        self.0 &= self.0 - 1;
        Some(player)
    }
}

impl Debug for Players {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.map(|player| player.0)).finish()
    }
}

/// What each player gets, from 0 (worst) to 1 (best). Seats that are not taken stay 0.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Payoffs([f64; MAX_PLAYERS]);

impl Payoffs {
    pub fn of<const N: usize>(each: [f64; N]) -> Payoffs {
        Payoffs::from_slice(&each)
    }

    pub fn from_slice(each: &[f64]) -> Payoffs {
        let mut payoffs = Payoffs::default();
        payoffs.0[..each.len()].copy_from_slice(each);
        payoffs
    }

    /// The same payoff for each of `n` players.
    pub fn uniform(n: usize, payoff: f64) -> Payoffs {
        let mut payoffs = Payoffs::default();
        payoffs.0[..n].fill(payoff);
        payoffs
    }

    /// One point for the winner and none for the other of two players.
    pub fn win(winner: Player) -> Payoffs {
        let mut payoffs = Payoffs::default();
        payoffs[winner] = 1.0;
        payoffs
    }

    /// One point shared by the players with the best score.
    pub fn best_of(scores: &[i64]) -> Payoffs {
        let best = scores.iter().copied().max().unwrap_or_default();
        let share = 1.0 / scores.iter().filter(|&&score| score == best).count().max(1) as f64;
        let mut payoffs = Payoffs::default();
        for (payoff, &score) in payoffs.0.iter_mut().zip(scores) {
            if score == best {
                *payoff = share;
            }
        }
        payoffs
    }

    /// The result when `player` gives up: nothing for them, one point shared by the others.
    pub fn forfeit(player: Player, n_players: usize) -> Payoffs {
        let mut payoffs =
            Payoffs::uniform(n_players, 1.0 / n_players.saturating_sub(1).max(1) as f64);
        payoffs[player] = 0.0;
        payoffs
    }

    pub fn as_slice(&self, n_players: usize) -> &[f64] {
        &self.0[..n_players]
    }

    /// Adds `weight` times `other`.
    pub fn add_scaled(&mut self, other: &Payoffs, weight: f64) {
        for (sum, payoff) in self.0.iter_mut().zip(other.0) {
            *sum += weight * payoff;
        }
    }
}

impl Index<Player> for Payoffs {
    type Output = f64;

    fn index(&self, player: Player) -> &f64 {
        &self.0[player.index()]
    }
}

impl IndexMut<Player> for Payoffs {
    fn index_mut(&mut self, player: Player) -> &mut f64 {
        &mut self.0[player.index()]
    }
}

/// Buffers of one thread, handed to playouts so that nothing allocates once they have grown.
#[derive(Clone, Debug)]
pub struct Scratch<A> {
    pub actions: Vec<A>,
    pub joint: Vec<A>,
    pub outcomes: Vec<(A, f64)>,
}

impl<A> Default for Scratch<A> {
    fn default() -> Self {
        Scratch { actions: Vec::new(), joint: Vec::new(), outcomes: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_players_iterates_in_order() {
        let set = Players::NONE.with(Player(5)).with(Player(0)).with(Player(7));
        assert_eq!(set.map(|p| p.0).collect::<Vec<_>>(), [0, 5, 7]);
        assert_eq!(set.len(), 3);
        assert!(set.contains(Player(5)) && !set.contains(Player(1)));
        assert_eq!(set.without(Player(0)).without(Player(7)).single(), Some(Player(5)));
        assert_eq!(set.single(), None);
        assert_eq!(Players::NONE.single(), None);
        assert_eq!(Players::all(MAX_PLAYERS).len(), MAX_PLAYERS);
        assert_eq!(format!("{set:?}"), "{0, 5, 7}");
    }

    #[test]
    fn payoffs_are_shared_by_the_best() {
        assert_eq!(Payoffs::best_of(&[3, 7, 7]), Payoffs::of([0.0, 0.5, 0.5]));
        assert_eq!(Payoffs::best_of(&[-3, -7]), Payoffs::of([1.0, 0.0]));
        assert_eq!(Payoffs::forfeit(Player(1), 2), Payoffs::of([1.0, 0.0]));
        assert_eq!(Payoffs::forfeit(Player(0), 3), Payoffs::of([0.0, 0.5, 0.5]));
        assert_eq!(Payoffs::forfeit(Player(0), 1), Payoffs::of([0.0]));
    }
}
