//! Max^n (Luckhardt and Irani 1986) by iterative deepening: everyone takes what is best for
//! themselves. With two players and payoffs of a constant sum it is minimax, and alpha-beta cuts
//! are sound; in all other games nothing is cut.
//!
//! Where the search stops it asks [`Hints::estimate`], and without an estimate it assumes an even
//! game. Players who choose at once are taken to choose in order, the searching player first, each
//! seeing the choices before theirs: a cautious view of a simultaneous turn. A player who is
//! indifferent is taken to choose the first of the best actions.

use sakiyomi_core::{
    Agent, Budget, Choice, Context, Forfeit, Hints, MAX_PLAYERS, Meter, Payoffs, Player, Players,
    PruneLevel, Turn,
};

/// Steps of players and of chance that a line may have; where it is longer, the search stops as it does at its
/// depth. Chance does not count as depth, so that alone would not limit a line.
const MAX_STEPS: u32 = 4_096;
/// Every step needs less than this of the stack. Where less is left, a new piece is added.
const STACK_FOR_A_STEP: usize = 128 << 10;
const STACK_PIECE: usize = 2 << 20;

#[derive(Clone, Debug)]
pub struct MaxN {
    depth: u32,
    pruned: bool,
    budget: Budget,
}

impl MaxN {
    /// Looks `depth` decisions ahead, or less if the budget, which counts positions, ends before.
    pub fn new(depth: u32, pruned: bool, budget: Budget) -> MaxN {
        MaxN { depth, pruned, budget }
    }
}

impl<G: Hints> Agent<G> for MaxN {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let Turn::Choose(who) = game.turn(state) else { panic!("no player chooses in this state") };
        let mut search = Search {
            game,
            first: player,
            pruned: self.pruned,
            cuts: game.players() == 2 && game.constant_sum(),
            meter: self.budget.begin(context.stop),
            n_steps: 0,
        };
        let mut actions = search.actions(state, player);
        // Equal values go to the first, so the order is drawn: matches differ, none is preferred.
        context.rng.shuffle(&mut actions);
        let (mut best, mut value) = (0, None);
        for depth in 1..=self.depth.max(1) {
            let Some((found, payoff)) = search.root(state, who, &actions, depth) else { break };
            // A sure loss is put off: the move that looked best before it was seen stays.
            if payoff > 0.0 || value.is_none() {
                best = found;
            }
            value = Some(payoff);
            if payoff <= 0.0 || payoff >= 1.0 {
                break;
            }
            // What was best so far is looked at first: cuts come earlier, and a deeper search that
            // is interrupted has at least looked at it.
            actions.swap(0, best);
            best = 0;
        }
        let share = |i: usize| f64::from(u8::from(i == best));
        Ok(Choice {
            action: actions[best],
            policy: actions.iter().enumerate().map(|(i, &action)| (action, share(i))).collect(),
            value,
            iterations: search.meter.done(),
            nodes: search.meter.done(),
        })
    }
}

/// One decision. Values are `None` when the budget ran out, and all who called then give up.
struct Search<'a, G> {
    game: &'a G,
    first: Player,
    pruned: bool,
    cuts: bool,
    meter: Meter<'a>,
    /// From the root to where the search is now.
    n_steps: u32,
}

/// What player 0 is sure of, and what player 1 will hold them to, as in alpha-beta.
#[derive(Clone, Copy)]
struct Window {
    low: f64,
    high: f64,
}

impl Window {
    const OPEN: Window = Window { low: f64::NEG_INFINITY, high: f64::INFINITY };
}

impl<G: Hints> Search<'_, G> {
    fn actions(&self, state: &G::State, player: Player) -> Vec<G::Action> {
        let mut actions = Vec::new();
        self.game.actions(state, player, &mut actions);
        if self.pruned {
            self.game.prune(state, player, PruneLevel::Actions, &mut actions);
        }
        actions
    }

    /// The index of the best of `actions` for the searching player, and its payoff.
    fn root(
        &mut self,
        state: &G::State,
        who: Players,
        actions: &[G::Action],
        depth: u32,
    ) -> Option<(usize, f64)> {
        let mut joint = [None; MAX_PLAYERS];
        let mut window = Window::OPEN;
        let mut best = (0, f64::NEG_INFINITY);
        for (i, &action) in actions.iter().enumerate() {
            joint[self.first.index()] = Some(action);
            let waiting = who.without(self.first);
            let payoffs = self.choose(state, who, waiting, &mut joint, depth, window)?;
            if payoffs[self.first] > best.1 {
                best = (i, payoffs[self.first]);
                self.narrow(&mut window, self.first, &payoffs);
            }
            if best.1 >= 1.0 {
                break;
            }
        }
        Some(best)
    }

    /// Lets those `waiting` choose, the searching player first, then plays the joint action.
    fn choose(
        &mut self,
        state: &G::State,
        who: Players,
        waiting: Players,
        joint: &mut [Option<G::Action>; MAX_PLAYERS],
        depth: u32,
        mut window: Window,
    ) -> Option<Payoffs> {
        let first = waiting.contains(self.first).then_some(self.first);
        let Some(player) = first.or_else(|| waiting.into_iter().next()) else {
            let actions: Vec<G::Action> = who.filter_map(|p| joint[p.index()]).collect();
            let mut next = state.clone();
            self.game.apply(&mut next, &actions);
            return self.step(&next, depth - 1, window);
        };
        let mut best: Option<Payoffs> = None;
        for action in self.actions(state, player) {
            joint[player.index()] = Some(action);
            let found = self.choose(state, who, waiting.without(player), joint, depth, window)?;
            if best.is_none_or(|best| found[player] > best[player]) {
                best = Some(found);
                if self.narrow(&mut window, player, &found) {
                    break;
                }
            }
        }
        best
    }

    /// Takes what `player` has found into the window. True if the others will not let it come to
    /// this, so that the rest need not be looked at.
    fn narrow(&self, window: &mut Window, player: Player, found: &Payoffs) -> bool {
        if !self.cuts {
            return false;
        }
        let value = found[Player(0)];
        if player == Player(0) {
            window.low = window.low.max(value);
        } else {
            window.high = window.high.min(value);
        }
        window.low >= window.high
    }

    /// The value one step further down.
    fn step(&mut self, state: &G::State, depth: u32, window: Window) -> Option<Payoffs> {
        self.n_steps += 1;
        let value =
            stacker::maybe_grow(STACK_FOR_A_STEP, STACK_PIECE, || self.value(state, depth, window));
        self.n_steps -= 1;
        value
    }

    fn value(&mut self, state: &G::State, depth: u32, window: Window) -> Option<Payoffs> {
        if !self.meter.another() {
            return None;
        }
        match self.game.turn(state) {
            Turn::Over(payoffs) => Some(payoffs),
            Turn::Choose(_) | Turn::Chance if self.n_steps >= MAX_STEPS => Some(self.guess(state)),
            Turn::Choose(_) if depth == 0 => Some(self.guess(state)),
            Turn::Choose(who) => {
                self.choose(state, who, who, &mut [None; MAX_PLAYERS], depth, window)
            }
            Turn::Chance => {
                let mut outcomes = Vec::new();
                self.game.outcomes(state, &mut outcomes);
                let mut mean = Payoffs::default();
                for (outcome, probability) in outcomes {
                    let mut next = state.clone();
                    self.game.apply(&mut next, &[outcome]);
                    // A mean of bounds is no bound of the mean, so nothing is cut below chance.
                    mean.add_scaled(&self.step(&next, depth, Window::OPEN)?, probability);
                }
                Some(mean)
            }
        }
    }

    /// What a state is taken for where the search stops.
    fn guess(&self, state: &G::State) -> Payoffs {
        let n = self.game.players();
        self.game.estimate(state).unwrap_or_else(|| Payoffs::uniform(n, 1.0 / n as f64))
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use sakiyomi_core::toy::{CHANCE_AFTER_CHANCE, Corridor, Step, Toy, Word};
    use sakiyomi_core::{Game, Rng, Stop};

    fn decide(toy: &Toy, player: u8, depth: u32, budget: u64) -> Choice<Word> {
        let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
        let mut agent = MaxN::new(depth, false, Budget::iterations(budget));
        agent.choose(toy, &toy.start(), Player(player), &mut context).unwrap()
    }

    #[test]
    fn each_player_takes_the_best_for_themselves() {
        // The textbook case: player 0 would like `a` to give 0.9, but player 1 takes 0.6 there.
        let toy = Toy::read(
            "start: 0  a -> x  b -> y
             x: 1  l -> 0.9 0.1 0.0   r -> 0.2 0.6 0.2
             y: 2  l -> 0.3 0.3 0.4   r -> 0.8 0.1 0.1",
        )
        .unwrap();
        let choice = decide(&toy, 0, 5, 1_000);
        assert_eq!((choice.action, choice.value), (toy.word("b"), Some(0.3)));
    }

    #[test]
    fn chance_is_averaged_and_estimates_stand_in_for_what_is_deeper() {
        let toy = Toy::read(
            "start: 0  risk -> coin  safe -> 0.55 0.45
             coin: chance heads 0.5 -> 1 0   tails 0.5 -> deep
             deep: 1  l -> 0.3 0.7  r -> 0.2 0.8",
        )
        .unwrap();
        assert_eq!(decide(&toy, 0, 2, 1_000).value, Some(0.6), "0.5 * 1 + 0.5 * 0.2");
        assert_eq!(decide(&toy, 0, 1, 1_000).value, Some(0.75), "`deep` is taken as even");
        let toy = toy.with_estimate("deep", Payoffs::of([0.0, 1.0]));
        assert_eq!(decide(&toy, 0, 1, 1_000).action, toy.word("safe"));
    }

    #[test]
    fn at_once_means_committing_first() {
        // Matching pennies: the player who commits first gets nothing.
        let toy = Toy::matrix(&[&[1.0, 0.0], &[0.0, 1.0]]);
        assert_eq!(decide(&toy, 0, 1, 100).value, Some(0.0));
        assert_eq!(decide(&toy, 1, 1, 100).value, Some(0.0));
    }

    #[test]
    fn cuts_save_work_and_change_nothing() {
        // A random tree of depth 6; player 1's payoff is what is left of 1.
        let mut rng = Rng::new(9);
        for _ in 0..20 {
            let mut text = String::new();
            for i in 0..63 {
                let target = |child: usize, rng: &mut Rng| {
                    let payoff = rng.below(11) as f64 / 10.0;
                    if child < 63 {
                        format!("p{child}")
                    } else {
                        format!("{payoff} {}", 1.0 - payoff)
                    }
                };
                let depth = usize::ilog2(i + 1) % 2;
                let (l, r) = (target(2 * i + 1, &mut rng), target(2 * i + 2, &mut rng));
                text += &format!("p{i}: {depth} l -> {l} r -> {r}\n");
            }
            let toy = Toy::read(&text).unwrap();
            let choice = decide(&toy, 0, 6, u64::MAX);
            assert!((choice.value.unwrap() - minimax(&toy, 0)).abs() < 1e-12);
            // Six depths of full trees are 126 + 62 + 30 + 14 + 6 + 2 positions.
            assert!(choice.nodes < 240, "{} positions: nothing was cut", choice.nodes);
        }
    }

    fn minimax(toy: &Toy, state: u16) -> f64 {
        let Turn::Choose(who) = toy.turn(&state) else {
            let Turn::Over(payoffs) = toy.turn(&state) else { unreachable!() };
            return payoffs[Player(0)];
        };
        let values = ["l", "r"].map(|word| {
            let mut next = state;
            toy.apply(&mut next, &[toy.word(word)]);
            minimax(toy, next)
        });
        if who.contains(Player(0)) { values[0].max(values[1]) } else { values[0].min(values[1]) }
    }

    #[test]
    fn chance_after_chance_is_averaged() {
        let text = format!("root: 0 on -> start off -> 0.4 0.6\n{}", CHANCE_AFTER_CHANCE.trim());
        let choice = decide(&Toy::read(&text).unwrap(), 0, 9, 10_000);
        // The pennies are worth nothing to a player who commits first: 0.125 * 0.5 less than with mixing.
        assert_eq!(choice.value, Some(0.4), "{choice:?}");
        assert_eq!(choice.policy[0].1 + choice.policy[1].1, 1.0);
    }

    /// A thousand decisions, with chance between them, on a stack that holds far fewer.
    #[test]
    fn the_depth_of_a_search_does_not_depend_on_the_stack() {
        let search = || {
            let corridor = Corridor { n_steps: 200_000, has_doors: true };
            let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
            let mut agent = MaxN::new(1_000, false, Budget::iterations(300_000));
            agent.choose(&corridor, &0, Player(0), &mut context).unwrap().action
        };
        let small_stack = thread::Builder::new().stack_size(256 << 10);
        assert_eq!(small_stack.spawn(search).unwrap().join().unwrap(), Step::On);
    }

    #[test]
    fn a_line_of_chance_alone_ends() {
        let toy =
            Toy::read("start: 0 a -> x b -> 0 1\nx: chance h 0.999 -> x t 0.001 -> 1 0").unwrap();
        let choice = decide(&toy, 0, 1, 100_000);
        assert_eq!(choice.action, toy.word("a"));
    }

    #[test]
    fn an_interrupted_search_still_answers() {
        let toy = Toy::read("start: 0 a -> x b -> x\nx: 1 l -> start r -> start").unwrap();
        let choice = decide(&toy, 0, 1_000_000, 500);
        assert!(choice.iterations <= 500);
        assert_eq!(choice.policy.iter().map(|p| p.1).sum::<f64>(), 1.0);
    }
}
