//! Exact equilibria by backward induction, for two players whose payoffs add up to 1: the value of
//! every state that can come up, one matrix game each, as Rhoads and Bartholdi (2012) solved
//! Goofspiel. States are told apart by their canonical state ([`Hints::canonical`]), so symmetric
//! ones are solved once; only those from which chance or the first turn starts are kept.

use std::marker::PhantomData;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use sakiyomi_core::{
    Agent, Budget, Canonical, Choice, Context, Forfeit, Hints, Payoffs, Player, Turn,
};

use crate::census::fewest_states;
use crate::matrix::MatrixGame;

/// Values of the first player, by the key of a canonical state.
pub type Values = FxHashMap<u64, f64>;

/// Bytes that the tables may take with `n` values: hash tables double when they are 7/8 full,
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
    /// Whether a player who can get all there is looks no further.
    stops_at_wins: bool,
    most_values: usize,
    memory: u64,
    /// The turn that was solved last.
    matrix: MatrixGame,
    game: PhantomData<fn(&G)>,
}

/// Why a state could not be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsolved {
    #[error("exact solutions need two players whose payoffs add up to 1")]
    Players,
    #[error(
        "the memory for exact values is used up; a smaller game or more `memory` would be right"
    )]
    Memory,
    #[error(
        "it has more than {states} states, and the memory for exact values holds {most}; a smaller game, \
         more `memory` or a search such as `uct` would be right"
    )]
    States { states: u64, most: u64 },
    #[error("the solution was stopped")]
    Stopped,
}

/// Both players' strategies in a state, by their actions, and what the first player gets.
#[derive(Clone, Debug)]
pub struct Solution<A> {
    pub strategies: [Vec<(A, f64)>; 2],
    pub value: f64,
}

/// Is told now and then how many values are known, and says whether to go on.
type Watch<'a> = &'a mut dyn FnMut(usize) -> bool;

/// States that are opened between two looks at the watch.
const WATCH_INTERVAL: u64 = 4096;

impl<G: Hints> Exact<G> {
    /// A solver whose tables stay within `memory` bytes.
    pub fn new(memory: u64, known: Arc<Values>) -> Exact<G> {
        let (values, matrix) = (Values::default(), MatrixGame::default());
        let most_values = most_values(memory);
        let stops_at_wins = false;
        Exact { values, known, stops_at_wins, most_values, memory, matrix, game: PhantomData }
    }

    /// The same for who asks for values alone: a player who chooses alone and can get all there is
    /// looks no further, so that far fewer states come up.
    pub fn stopping_at_wins(self) -> Exact<G> {
        Exact { stops_at_wins: true, ..self }
    }

    /// Whether the game can be solved at all.
    pub fn suits(game: &G) -> bool {
        game.players() == 2 && game.constant_sum()
    }

    /// Whether the game can be solved within `memory` bytes, as far as a sample of its states
    /// tells. What is refused has certainly too many states; what is not refused may still turn out
    /// to be too large.
    pub fn check(game: &G, memory: u64) -> Result<(), Unsolved> {
        if !Self::suits(game) {
            return Err(Unsolved::Players);
        }
        let most = most_values(memory) as u64;
        let states = fewest_states(game, most);
        match states > most {
            true => Err(Unsolved::States { states, most }),
            false => Ok(()),
        }
    }

    /// Values that were computed here, without those that were known before.
    pub fn values(&self) -> &Values {
        &self.values
    }

    pub fn into_values(self) -> Values {
        self.values
    }

    /// What the first player gets in equilibrium. `watch` is told now and then how many values are
    /// known, and says whether to go on.
    pub fn value(&mut self, game: &G, state: &G::State, watch: Watch<'_>) -> Result<f64, Unsolved> {
        if !Self::suits(game) {
            return Err(Unsolved::Players);
        }
        match self.open(game, state.clone(), true) {
            Opened::Known(value) => Ok(value),
            Opened::Frame(frame) => self.run(game, frame, watch),
        }
    }

    /// The payoffs in equilibrium.
    pub fn payoffs(&mut self, game: &G, state: &G::State) -> Result<Payoffs, Unsolved> {
        let value = self.value(game, state, &mut |_| true)?;
        Ok(Payoffs::of([value, 1.0 - value]))
    }

    /// The equilibrium strategies in a state in which a player chooses.
    pub fn solve(&mut self, game: &G, state: &G::State) -> Result<Solution<G::Action>, Unsolved> {
        self.solve_watched(game, state, &mut |_| true)
    }

    /// The same with a `watch` as for [`Exact::value`].
    fn solve_watched(
        &mut self,
        game: &G,
        state: &G::State,
        watch: Watch<'_>,
    ) -> Result<Solution<G::Action>, Unsolved> {
        if !Self::suits(game) {
            return Err(Unsolved::Players);
        }
        let actions = actions_of_both(game, state);
        // Its own value may be known, but not its strategies: those are of the turn solved last.
        let value = self.run(game, Frame::of_turn(state.clone(), actions.clone()), watch)?;
        let mut learned = self.matrix.strategies.iter();
        let strategies = actions.map(|listed| {
            let shares = learned.next().into_iter().flatten().copied();
            listed.into_iter().zip(shares).collect()
        });
        Ok(Solution { strategies, value })
    }

    /// Solves what the frame needs, then the frame. States that wait for others stand in a list and
    /// not on the stack of the thread, so the length of a match is limited by memory alone.
    fn run(&mut self, game: &G, root: Frame<G>, watch: Watch<'_>) -> Result<f64, Unsolved> {
        let mut waiting_bytes = root.bytes();
        let mut waiting = Vec::new();
        let mut frame = root;
        let mut n_opened = 0u64;
        loop {
            let Some((next, keeps)) = frame.next(game) else {
                let value = self.close(&mut frame)?;
                let Some(parent) = waiting.pop() else { return Ok(value) };
                waiting_bytes -= frame.bytes();
                frame = parent;
                frame.take(value, self.stops_at_wins);
                continue;
            };
            match self.open(game, next, keeps) {
                Opened::Known(value) => frame.take(value, self.stops_at_wins),
                Opened::Frame(opened) => {
                    n_opened += 1;
                    if n_opened.is_multiple_of(WATCH_INTERVAL) && !watch(self.values.len()) {
                        return Err(Unsolved::Stopped);
                    }
                    waiting_bytes += opened.bytes();
                    if waiting_bytes > self.memory {
                        return Err(Unsolved::Memory);
                    }
                    waiting.push(std::mem::replace(&mut frame, opened));
                }
            }
        }
    }

    /// Looks a state up. What chance has just led to is not kept, since the state before is, unless
    /// chance goes on from there.
    fn open(&self, game: &G, state: G::State, keeps: bool) -> Opened<G> {
        let turn = game.turn(&state);
        let is_chance = turn == Turn::Chance;
        if let Turn::Over(payoffs) = turn {
            return Opened::Known(payoffs[Player(0)]);
        }
        if !keeps && !is_chance {
            let actions = actions_of_both(game, &state);
            return Opened::Frame(Frame::of_turn(state, actions));
        }
        let (state, seen) = match game.canonical(&state) {
            Canonical::Settled(payoffs) => return Opened::Known(payoffs[Player(0)]),
            Canonical::State { state, exchanged, offset } => {
                (state, Seen { exchanged, offset: offset[Player(0)] })
            }
        };
        let key = game.key(&state);
        if let Some(&value) = self.values.get(&key).or_else(|| self.known.get(&key)) {
            return Opened::Known(seen.value(value));
        }
        let frame = if is_chance {
            let mut outcomes = Vec::new();
            game.outcomes(&state, &mut outcomes);
            Frame::of_chance(state, outcomes)
        } else {
            let actions = actions_of_both(game, &state);
            Frame::of_turn(state, actions)
        };
        Opened::Frame(Frame { kept: Some((key, seen)), ..frame })
    }

    /// The value of a state whose followers are all known.
    fn close(&mut self, frame: &mut Frame<G>) -> Result<f64, Unsolved> {
        let value = match &mut frame.work {
            Work::Chance { mean, .. } => *mean,
            Work::Turn { actions, entries, .. } => {
                let [n_rows, n_columns] = sizes(actions);
                self.matrix.set(n_rows, n_columns, entries.drain(..));
                self.matrix.solve()
            }
        };
        let Some((key, seen)) = frame.kept else { return Ok(value) };
        if self.values.len() >= self.most_values {
            return Err(Unsolved::Memory);
        }
        self.values.insert(key, value);
        Ok(seen.value(value))
    }
}

/// What a look at a state has brought: its value, or what is to be done for it.
enum Opened<G: Hints> {
    Known(f64),
    Frame(Frame<G>),
}

/// How the canonical state differs from the one that was asked for.
#[derive(Clone, Copy)]
struct Seen {
    exchanged: bool,
    /// What the first player gets beyond the value of the canonical state.
    offset: f64,
}

impl Seen {
    /// The value of the state that was asked for.
    fn value(self, canonical: f64) -> f64 {
        self.offset + if self.exchanged { 1.0 - canonical } else { canonical }
    }
}

/// A state whose value is being worked out.
struct Frame<G: Hints> {
    state: G::State,
    /// Its key in the table, and how it was seen; nothing if it is not kept.
    kept: Option<(u64, Seen)>,
    /// The follower that is asked for next.
    at: usize,
    work: Work<G::Action>,
}

enum Work<A> {
    Chance {
        outcomes: Vec<(A, f64)>,
        mean: f64,
    },
    /// The matrix game of a turn. A player who does not choose has one action that is none.
    Turn {
        actions: [Vec<A>; 2],
        entries: Vec<f64>,
    },
}

impl<G: Hints> Frame<G> {
    fn of_turn(state: G::State, actions: [Vec<G::Action>; 2]) -> Frame<G> {
        let [n_rows, n_columns] = sizes(&actions);
        let entries = Vec::with_capacity(n_rows * n_columns);
        Frame { state, kept: None, at: 0, work: Work::Turn { actions, entries } }
    }

    fn of_chance(state: G::State, outcomes: Vec<(G::Action, f64)>) -> Frame<G> {
        Frame { state, kept: None, at: 0, work: Work::Chance { outcomes, mean: 0.0 } }
    }

    /// The state whose value is needed next, and whether it is kept.
    fn next(&mut self, game: &G) -> Option<(G::State, bool)> {
        let mut next;
        match &self.work {
            Work::Chance { outcomes, .. } => {
                let (outcome, _) = outcomes.get(self.at)?;
                next = self.state.clone();
                game.apply(&mut next, &[*outcome]);
            }
            Work::Turn { actions, .. } => {
                let [n_rows, n_columns] = sizes(actions);
                let (row, column) = (self.at / n_columns, self.at % n_columns);
                if row == n_rows {
                    return None;
                }
                next = self.state.clone();
                match (actions[0].get(row), actions[1].get(column)) {
                    (Some(&first), Some(&second)) => game.apply(&mut next, &[first, second]),
                    (Some(&only), None) | (None, Some(&only)) => game.apply(&mut next, &[only]),
                    (None, None) => return None,
                }
            }
        }
        self.at += 1;
        Some((next, matches!(self.work, Work::Turn { .. })))
    }

    /// Takes in the value of the state that was asked for last.
    fn take(&mut self, value: f64, stops_at_wins: bool) {
        match &mut self.work {
            Work::Chance { outcomes, mean } => *mean += outcomes[self.at - 1].1 * value,
            Work::Turn { actions: [first, second], entries } => {
                entries.push(value);
                let most = match (first.is_empty(), second.is_empty()) {
                    (false, true) => 1.0,
                    (true, false) => 0.0,
                    _ => return,
                };
                if stops_at_wins && value == most {
                    self.at = first.len().max(second.len());
                    entries.resize(self.at, most);
                }
            }
        }
    }

    fn bytes(&self) -> u64 {
        let lists = match &self.work {
            Work::Chance { outcomes, .. } => size_of_val(outcomes.as_slice()),
            Work::Turn { actions: [first, second], entries } => {
                size_of_val(first.as_slice())
                    + size_of_val(second.as_slice())
                    + entries.capacity() * size_of::<f64>()
            }
        };
        (size_of::<Frame<G>>() + lists) as u64
    }
}

fn sizes<A>(actions: &[Vec<A>; 2]) -> [usize; 2] {
    [0, 1].map(|player: usize| actions[player].len().max(1))
}

/// The number of values that fit into tables of `memory` bytes: they fill a table of a power of two
/// slots.
fn most_values(memory: u64) -> usize {
    let mut most = 7usize << 7;
    while bytes_for(most * 2) <= memory {
        most *= 2;
    }
    most
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
    use std::thread;

    use super::*;
    use sakiyomi_core::toy::{CHANCE_AFTER_CHANCE, Corridor, Toy};
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
    fn chance_after_chance_is_solved() {
        let toy = Toy::read(CHANCE_AFTER_CHANCE).unwrap();
        let mut exact = Exact::new(1 << 20, Arc::default());
        let value = exact.value(&toy, &toy.start(), &mut |_| true).unwrap();
        assert!((value - 0.4375).abs() < 1e-12, "{value}");
    }

    /// The one who can win at once looks no further, and neither does the one who then loses.
    #[test]
    fn a_win_ends_the_search_for_a_value() {
        let toy = Toy::read(
            "start: 0  a -> over  b -> long
             over: 1  win -> 0 1  on -> long  far -> other
             long: 0  a -> 1 0  b -> other
             other: 1  a -> 0.5 0.5  b -> 0.3 0.7",
        )
        .unwrap();
        let solve = |stops: bool| {
            let mut exact = Exact::new(1 << 20, Arc::default());
            if stops {
                exact = exact.stopping_at_wins();
            }
            (exact.value(&toy, &toy.start(), &mut |_| true), exact.values().len())
        };
        assert_eq!((solve(false), solve(true)), ((Ok(1.0), 4), (Ok(1.0), 3)));
    }

    /// On a stack on which a call per step would not fit.
    #[test]
    fn a_match_of_any_length_is_solved() {
        let corridor = Corridor { n_steps: 200_000, has_doors: true };
        let solve = move |memory: u64| {
            let mut exact = Exact::new(memory, Arc::default());
            exact.solve(&corridor, &corridor.start()).map(|solution| solution.value)
        };
        let small_stack = thread::Builder::new().stack_size(128 << 10);
        let solved = small_stack.spawn(move || (solve(1 << 30), solve(1 << 20))).unwrap();
        assert_eq!(solved.join().unwrap(), (Ok(0.5), Err(Unsolved::Memory)));
    }

    #[test]
    fn a_solution_can_be_stopped_on_the_way_down() {
        let corridor = Corridor { n_steps: 1_000_000, has_doors: false };
        let mut exact = Exact::new(1 << 30, Arc::default());
        let mut n_looks = 0;
        let stopped = exact.value(&corridor, &0, &mut |n_values| {
            assert_eq!(n_values, 0);
            n_looks += 1;
            n_looks < 3
        });
        assert_eq!((stopped, n_looks), (Err(Unsolved::Stopped), 3));
    }

    #[test]
    fn a_game_that_comes_back_to_a_state_ends_by_memory() {
        let toy = Toy::read("start: 0 a -> x b -> 1 0\nx: 1 l -> start r -> 0 1").unwrap();
        let mut exact = Exact::new(1 << 20, Arc::default());
        assert_eq!(exact.value(&toy, &0, &mut |_| true), Err(Unsolved::Memory));
    }

    #[test]
    fn small_games_are_not_refused() {
        let toy = Toy::read(CHANCE_AFTER_CHANCE).unwrap();
        assert_eq!(Exact::check(&toy, 1 << 10), Ok(()));
        let corridor = Corridor { n_steps: 200_000, has_doors: false };
        assert_eq!(Exact::check(&corridor, 1 << 30), Ok(()));
        let three = Toy::read("start: 0 a -> 0.2 0.3 0.5").unwrap();
        assert_eq!(Exact::check(&three, 1 << 30), Err(Unsolved::Players));
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
