//! Exact equilibria by backward induction, for two players whose payoffs add up to 1: the value of
//! every state that can come up, one matrix game each, as Rhoads and Bartholdi (2012) solved
//! Goofspiel. States are told apart by their canonical state ([`Hints::canonical`]), so symmetric ones are
//! solved once; only those from which chance or the first turn starts are kept.

use std::marker::PhantomData;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use sakiyomi_core::{
    Agent, Budget, Canonical, Choice, Context, Forfeit, Hints, Payoffs, Player, Turn,
};

use crate::matrix::MatrixGame;

/// Values of the first player, by the key of the canonical state.
pub type Values = FxHashMap<u64, f64>;

/// Bytes that the tables may take with so many values: hash tables double when they are 7/8 full,
/// and the old one stays until the new one is filled.
pub fn bytes_for(n_values: usize) -> u64 {
    let slots = ((n_values as u64 * 8).div_ceil(7)).next_power_of_two();
    slots * 17 * 3 / 2
}

/// The solver, with all values that it knows.
#[derive(Debug)]
pub struct Exact<G> {
    values: Values,
    /// Values that were there before and are shared.
    known: Arc<Values>,
    most_values: usize,
    games: Vec<MatrixGame>,
    game: PhantomData<fn(&G)>,
}

/// Why a state could not be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsolved {
    #[error("exact solutions need two players whose payoffs add up to 1")]
    Players,
    #[error("the memory for exact values is used up")]
    Memory,
    #[error("the solution was stopped")]
    Stopped,
}

/// Both players' strategies in a state, by their actions, and what the first player gets.
#[derive(Clone, Debug)]
pub struct Solution<A> {
    pub strategies: [Vec<(A, f64)>; 2],
    pub value: f64,
}

impl<G: Hints> Exact<G> {
    /// A solver whose tables stay within `memory` bytes.
    pub fn new(memory: u64, known: Arc<Values>) -> Exact<G> {
        // So many values fill a table of a power of two slots.
        let mut most_values = 7usize << 7;
        while bytes_for(most_values * 2) <= memory {
            most_values *= 2;
        }
        let (values, games) = (Values::default(), Vec::new());
        Exact { values, known, most_values, games, game: PhantomData }
    }

    /// Whether the game can be solved at all.
    pub fn suits(game: &G) -> bool {
        game.players() == 2 && game.constant_sum()
    }

    /// Values that were computed here, without those that were known before.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// What the first player gets in equilibrium. `watch` is told now and then how many values are
    /// known, and says whether to go on.
    pub fn value(
        &mut self,
        game: &G,
        state: &G::State,
        watch: &mut dyn FnMut(usize) -> bool,
    ) -> Result<f64, Unsolved> {
        if !Self::suits(game) {
            return Err(Unsolved::Players);
        }
        self.value_at(game, state, true, 0, watch)
    }

    /// The payoffs in equilibrium.
    pub fn payoffs(&mut self, game: &G, state: &G::State) -> Result<Payoffs, Unsolved> {
        let value = self.value(game, state, &mut |_| true)?;
        Ok(Payoffs::of([value, 1.0 - value]))
    }

    /// The equilibrium strategies in a state in which somebody chooses.
    pub fn solve(&mut self, game: &G, state: &G::State) -> Result<Solution<G::Action>, Unsolved> {
        self.solve_watched(game, state, &mut |_| true)
    }

    /// The same with a `watch` as for [`Exact::value`].
    fn solve_watched(
        &mut self,
        game: &G,
        state: &G::State,
        watch: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Solution<G::Action>, Unsolved> {
        if !Self::suits(game) {
            return Err(Unsolved::Players);
        }
        let actions = actions_of_both(game, state);
        let value = self.solve_turn(game, state, &actions, 0, watch)?;
        let strategies = [0, 1].map(|player| {
            let listed = &actions[player];
            match listed.is_empty() {
                true => Vec::new(),
                false => listed
                    .iter()
                    .copied()
                    .zip(self.games[0].strategies[player].iter().copied())
                    .collect(),
            }
        });
        Ok(Solution { strategies, value })
    }

    fn value_at(
        &mut self,
        game: &G,
        state: &G::State,
        keeps: bool,
        depth: usize,
        watch: &mut dyn FnMut(usize) -> bool,
    ) -> Result<f64, Unsolved> {
        let turn = game.turn(state);
        if let Turn::Over(payoffs) = turn {
            return Ok(payoffs[Player(0)]);
        }
        if !keeps {
            let actions = actions_of_both(game, state);
            return self.solve_turn(game, state, &actions, depth, watch);
        }
        let (state, exchanged) = match game.canonical(state) {
            Canonical::Settled(payoffs) => return Ok(payoffs[Player(0)]),
            Canonical::State { state, exchanged } => (state, exchanged),
        };
        let own = |value: f64| if exchanged { 1.0 - value } else { value };
        let key = game.key(&state);
        if let Some(&value) = self.values.get(&key).or_else(|| self.known.get(&key)) {
            return Ok(own(value));
        }
        let value = match turn {
            Turn::Chance => {
                let mut outcomes = Vec::new();
                game.outcomes(&state, &mut outcomes);
                let mut mean = 0.0;
                for (outcome, probability) in outcomes {
                    let mut next = state.clone();
                    game.apply(&mut next, &[outcome]);
                    mean += probability * self.value_at(game, &next, false, depth, watch)?;
                }
                mean
            }
            _ => {
                let actions = actions_of_both(game, &state);
                self.solve_turn(game, &state, &actions, depth, watch)?
            }
        };
        self.keep(key, value, watch)?;
        Ok(own(value))
    }

    fn keep(
        &mut self,
        key: u64,
        value: f64,
        watch: &mut dyn FnMut(usize) -> bool,
    ) -> Result<(), Unsolved> {
        if self.values.len() >= self.most_values {
            return Err(Unsolved::Memory);
        }
        self.values.insert(key, value);
        match self.values.len().is_multiple_of(4096) && !watch(self.values.len()) {
            true => Err(Unsolved::Stopped),
            false => Ok(()),
        }
    }

    /// Solves the matrix game of a turn. A player who does not choose has one action that is none.
    fn solve_turn(
        &mut self,
        game: &G,
        state: &G::State,
        actions: &[Vec<G::Action>; 2],
        depth: usize,
        watch: &mut dyn FnMut(usize) -> bool,
    ) -> Result<f64, Unsolved> {
        let [n_rows, n_columns] = [0, 1].map(|player: usize| actions[player].len().max(1));
        let mut entries = Vec::with_capacity(n_rows * n_columns);
        let mut joint = Vec::with_capacity(2);
        for row in 0..n_rows {
            for column in 0..n_columns {
                joint.clear();
                joint.extend(actions[0].get(row));
                joint.extend(actions[1].get(column));
                let mut next = state.clone();
                game.apply(&mut next, &joint);
                entries.push(self.value_at(game, &next, true, depth + 1, watch)?);
            }
        }
        // Deeper turns are done with their buffers, but the caller reads those of depth 0.
        if self.games.len() <= depth {
            self.games.resize(depth + 1, MatrixGame::default());
        }
        self.games[depth].set(n_rows, n_columns, entries.into_iter());
        Ok(self.games[depth].solve())
    }
}

/// The actions of both players; none for one who does not choose.
fn actions_of_both<G: Hints>(game: &G, state: &G::State) -> [Vec<G::Action>; 2] {
    let mut actions = [Vec::new(), Vec::new()];
    if let Turn::Choose(who) = game.turn(state) {
        for player in who {
            game.actions(state, player, &mut actions[player.index()]);
        }
    }
    actions
}

/// The player who knows the solution, or works it out.
#[derive(Debug)]
pub struct ExactPlayer<G> {
    exact: Exact<G>,
}

impl<G: Hints> ExactPlayer<G> {
    /// A player who starts from values that are known.
    pub fn new(memory: u64, known: Arc<Values>) -> ExactPlayer<G> {
        ExactPlayer { exact: Exact::new(memory, known) }
    }
}

impl<G: Hints> Default for ExactPlayer<G> {
    fn default() -> Self {
        ExactPlayer::new(Budget::DEFAULT_MEMORY, Arc::default())
    }
}

impl<G: Hints> Agent<G> for ExactPlayer<G> {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let nodes = self.exact.values.len();
        let go_on = &mut |_| !context.stop.requested();
        let solution = self.exact.solve_watched(game, state, go_on);
        let solution = solution.map_err(|error| Forfeit { reason: error.to_string() })?;
        let nodes = (self.exact.values.len() - nodes) as u64;
        Ok(solution.choice(player, context, nodes))
    }
}

impl<A: Copy> Solution<A> {
    /// Draws the player's action.
    pub(crate) fn choice(
        mut self,
        player: Player,
        context: &mut Context<'_>,
        nodes: u64,
    ) -> Choice<A> {
        let policy = std::mem::take(&mut self.strategies[player.index()]);
        let pick = context.rng.weighted(policy.iter().map(|(_, share)| *share));
        let value = if player.index() == 0 { self.value } else { 1.0 - self.value };
        Choice { action: policy[pick].0, policy, value: Some(value), iterations: 0, nodes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::toy::Toy;
    use sakiyomi_core::{Game, Rng, Stop};

    #[test]
    fn turns_of_every_kind_are_solved() {
        let toy = Toy::read(
            "start: 0  coin -> coin  sure -> 0.3 0.7
             coin: chance h 0.25 -> pennies  t 0.75 -> last
             pennies: 0+1  h/h -> 1 0  h/t -> 0 1  t/h -> 0 1  t/t -> 1 0
             last: 1  a -> 0.6 0.4  b -> 0.4 0.6",
        )
        .unwrap();
        let mut exact = Exact::new(1 << 20, Arc::default());
        let solution = exact.solve(&toy, &toy.start()).unwrap();
        assert!((solution.value - (0.25 * 0.5 + 0.75 * 0.4)).abs() < 1e-12);
        assert_eq!(solution.strategies[0], [(toy.word("coin"), 1.0), (toy.word("sure"), 0.0)]);
        assert!(solution.strategies[1].is_empty());
    }

    #[test]
    fn what_cannot_be_solved_is_an_error() {
        let three = Toy::read("start: 0 a -> 0.2 0.3 0.5").unwrap();
        let mut player = ExactPlayer::default();
        let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
        let forfeit = player.choose(&three, &0, Player(0), &mut context).unwrap_err();
        assert!(forfeit.reason.contains("two players"), "{forfeit}");
        let toy =
            Toy::read("start: chance a 0.5 -> b  c 0.5 -> b\nb: 0 l -> 1 0 r -> 0 1").unwrap();
        let mut exact = Exact::new(1 << 20, Arc::default());
        exact.most_values = 0;
        assert_eq!(exact.value(&toy, &0, &mut |_| true), Err(Unsolved::Memory));
    }

    #[test]
    fn the_player_mixes() {
        let toy = Toy::matrix(&[&[1.0, 0.0], &[0.25, 0.5]]);
        let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
        let mut player = ExactPlayer::default();
        let mut n_first = 0;
        for _ in 0..2_000 {
            let choice = player.choose(&toy, &0, Player(0), &mut context).unwrap();
            n_first += u32::from(choice.action == toy.word("r0"));
        }
        // The first row with 1/5, the value 2/5.
        assert!((340..460).contains(&n_first), "{n_first}");
    }
}
