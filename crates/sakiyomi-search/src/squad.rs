//! Squad: a search for players who command several agents, such as the robots of a team.
//!
//! It improves the agents' orders in turn (coordinate ascent). While one agent is considered the
//! others keep their orders; its own are compared by sequential halving: all are tried equally often,
//! the better half is kept and tried twice as often, until one is left. After all agents have had
//! their turn the next sweep begins, with twice the trials, until the budget is spent.
//!
//! A trial carries out the action, draws what everyone else does and what follows for some turns from
//! the [`Orders::orders`] of every agent, and then takes the payoffs, the game's estimate, or a playout
//! if it has none. The trials of one comparison share their random numbers, so that orders are not
//! preferred for their opponents' luck.

use sakiyomi_core::order::sort_descending;
use sakiyomi_core::{
    Agent, Budget, Choice, Context, Forfeit, Game, Hint, Hints, Meter, Orders, Player, Rng,
    Scratch, Turn,
};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SquadSettings {
    /// Iterations are trials of an action.
    pub budget: Budget,
    /// Turns that a trial goes on after the action, before it estimates. Where orders have a
    /// latency, it must be at least as long as that.
    pub horizon: u32,
    /// How often each order is tried at first in the first sweep.
    pub first_trials: u32,
}

impl SquadSettings {
    pub fn new(budget: Budget) -> SquadSettings {
        SquadSettings { budget, horizon: 2, first_trials: 2 }
    }
}

/// The agent. It keeps nothing between decisions.
#[derive(Clone, Copy, Debug)]
pub struct Squad {
    settings: SquadSettings,
}

impl Squad {
    pub fn new(settings: SquadSettings) -> Squad {
        Squad { settings }
    }
}

impl<G: Hints + Orders> Agent<G> for Squad {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let orders: Vec<Vec<G::Action>> = (0..game.agents(state, player))
            .map(|agent| {
                let mut orders = Vec::new();
                game.orders(state, player, agent, &mut orders);
                orders
            })
            .collect();
        if orders.iter().any(Vec::is_empty) {
            return Err(Forfeit { reason: "an agent has no orders to choose from".to_owned() });
        }
        let mut ascent = Ascent {
            trial: Trial::new(game, state, player, self.settings.horizon),
            chosen: vec![0; orders.len()],
            orders,
            value: None,
        };
        let mut meter = self.settings.budget.begin(context.stop);
        let mut n_trials = self.settings.first_trials.max(1);
        let mut turns: Vec<usize> = (0..ascent.orders.len()).collect();
        while ascent.sweep(&mut turns, n_trials, &mut meter, context.rng) {
            n_trials = n_trials.saturating_mul(2);
        }
        let action = ascent.action(None);
        Ok(Choice {
            action,
            policy: vec![(action, 1.0)],
            value: ascent.value,
            iterations: meter.done(),
            nodes: ascent.orders.iter().map(Vec::len).sum::<usize>() as u64,
        })
    }
}

/// Orders that are being improved.
struct Ascent<'a, G: Game> {
    trial: Trial<'a, G>,
    orders: Vec<Vec<G::Action>>,
    /// The order of each agent.
    chosen: Vec<usize>,
    /// The mean payoff of what is chosen, in the last comparison.
    value: Option<f64>,
}

/// An order in a comparison.
#[derive(Clone, Copy)]
struct Arm {
    order: usize,
    sum: f64,
    n: u32,
}

impl Arm {
    fn mean(&self) -> f64 {
        self.sum / f64::from(self.n.max(1))
    }
}

impl<G: Hints + Orders> Ascent<'_, G> {
    /// The chosen orders as an action, with another order for one agent.
    fn action(&self, instead: Option<(usize, usize)>) -> G::Action {
        let order = |agent: usize| match instead {
            Some((other, order)) if other == agent => order,
            _ => self.chosen[agent],
        };
        let orders: Vec<G::Action> =
            (0..self.orders.len()).map(|agent| self.orders[agent][order(agent)]).collect();
        self.trial.game.combine(self.trial.state, self.trial.player, &orders)
    }

    /// Improves each agent once, in a random order. False if the budget is spent, or if there is
    /// nothing to choose.
    fn sweep(
        &mut self,
        turns: &mut [usize],
        n_trials: u32,
        meter: &mut Meter<'_>,
        rng: &mut Rng,
    ) -> bool {
        rng.shuffle(turns);
        let mut has_choice = false;
        for &agent in &*turns {
            if self.orders[agent].len() > 1 {
                has_choice = true;
                let Some(best) = self.compare(agent, n_trials, meter, rng) else { return false };
                self.chosen[agent] = best.order;
                self.value = Some(best.mean());
            }
        }
        has_choice
    }

    /// The best order of an agent by sequential halving; none if the budget does not last.
    fn compare(
        &mut self,
        agent: usize,
        n_trials: u32,
        meter: &mut Meter<'_>,
        rng: &mut Rng,
    ) -> Option<Arm> {
        let n_orders = self.orders[agent].len();
        let mut arms: Vec<Arm> = (0..n_orders).map(|order| Arm { order, sum: 0.0, n: 0 }).collect();
        let seed = rng.bits();
        let mut until = n_trials;
        while arms.len() > 1 {
            for arm in &mut arms {
                let action = self.action(Some((agent, arm.order)));
                while arm.n < until {
                    if !meter.another() {
                        return None;
                    }
                    let mut luck = Rng::stream(&[seed, arm.n.into()]);
                    arm.sum += self.trial.run(action, &mut luck);
                    arm.n += 1;
                }
            }
            // What is chosen already stays in front of others that are as good.
            let current = self.chosen[agent];
            if let Some(at) = arms.iter().position(|arm| arm.order == current) {
                arms[..=at].rotate_right(1);
            }
            sort_descending(&mut arms, |arm| arm.mean());
            arms.truncate(arms.len().div_ceil(2));
            until = until.saturating_mul(2);
        }
        arms.first().copied()
    }
}

/// What is needed to try actions.
struct Trial<'a, G: Game> {
    game: &'a G,
    state: &'a G::State,
    player: Player,
    horizon: u32,
    estimates: bool,
    scratch: Scratch<G::Action>,
    orders: Vec<G::Action>,
}

impl<'a, G: Hints + Orders> Trial<'a, G> {
    fn new(game: &'a G, state: &'a G::State, player: Player, horizon: u32) -> Trial<'a, G> {
        Trial {
            game,
            state,
            player,
            horizon,
            estimates: game.provides().contains(Hint::Estimate),
            scratch: Scratch::default(),
            orders: Vec::new(),
        }
    }

    /// What the player gets from an action in one trial.
    fn run(&mut self, action: G::Action, rng: &mut Rng) -> f64 {
        let mut state = self.state.clone();
        let mut own = Some(action);
        let mut n_turns = 0;
        loop {
            match self.game.turn(&state) {
                Turn::Over(payoffs) => return payoffs[self.player],
                Turn::Chance => {
                    let outcome = self.game.sample(&state, &mut self.scratch.outcomes, rng);
                    self.game.apply(&mut state, &[outcome]);
                }
                Turn::Choose(who) => {
                    if own.is_none() && n_turns > self.horizon {
                        return self.rate(state, rng);
                    }
                    let mut joint = std::mem::take(&mut self.scratch.joint);
                    joint.clear();
                    for player in who {
                        let planned = if player == self.player { own.take() } else { None };
                        joint.push(planned.unwrap_or_else(|| self.draw(&state, player, rng)));
                    }
                    self.game.apply(&mut state, &joint);
                    self.scratch.joint = joint;
                    n_turns += 1;
                }
            }
        }
    }

    fn rate(&mut self, mut state: G::State, rng: &mut Rng) -> f64 {
        let estimate = if self.estimates { self.game.estimate(&state) } else { None };
        let payoffs =
            estimate.unwrap_or_else(|| self.game.playout(&mut state, &mut self.scratch, rng));
        payoffs[self.player]
    }

    /// An action of random orders.
    fn draw(&mut self, state: &G::State, player: Player, rng: &mut Rng) -> G::Action {
        let mut drawn = std::mem::take(&mut self.orders);
        drawn.clear();
        for agent in 0..self.game.agents(state, player) {
            let orders = &mut self.scratch.actions;
            orders.clear();
            self.game.orders(state, player, agent, orders);
            drawn.push(orders[rng.below(orders.len())]);
        }
        let action = self.game.combine(state, player, &drawn);
        self.orders = drawn;
        action
    }
}

#[cfg(test)]
mod tests {
    use sakiyomi_core::Stop;
    use sakiyomi_core::toy::{Blotto, MAX_SOLDIERS, Posting, Toy};

    use super::*;

    fn choose<G: Hints + Orders>(
        game: &G,
        state: &G::State,
        trials: u64,
        seed: u64,
    ) -> Choice<G::Action> {
        let mut squad = Squad::new(SquadSettings::new(Budget::iterations(trials)));
        let (mut rng, stop) = (Rng::new(seed), Stop::new());
        let context = &mut Context { rng: &mut rng, stop: &stop };
        squad.choose(game, state, Player(0), context).unwrap()
    }

    /// Every posting of soldiers, with its exact value against an opponent who posts at random.
    fn values(game: &Blotto, n_soldiers: u32, n_posts: u32) -> Vec<(Posting, f64)> {
        let n = n_posts.pow(n_soldiers);
        let posting = |number: u32| {
            let mut posts = [0; MAX_SOLDIERS];
            for (i, post) in posts.iter_mut().enumerate().take(n_soldiers as usize) {
                *post = (number / n_posts.pow(i as u32) % n_posts) as u8;
            }
            Posting(posts)
        };
        let value = |own: Posting| {
            let payoff = |other: u32| match game.turn(&Some([own, posting(other)])) {
                Turn::Over(payoffs) => payoffs[Player(0)],
                turn => panic!("{turn:?}"),
            };
            (0..n).map(payoff).sum::<f64>() / f64::from(n)
        };
        (0..n).map(|own| (posting(own), value(posting(own)))).collect()
    }

    /// Five soldiers on three posts: 243 actions, of which only 15 orders are ever compared. What is
    /// found is as good as the best of all, and its value is what it is worth.
    #[test]
    fn orders_are_improved_to_the_best_action() {
        let game = Blotto::new(5, 3);
        let values = values(&game, 5, 3);
        let best = values.iter().map(|value| value.1).fold(0.0, f64::max);
        let worst = values.iter().map(|value| value.1).fold(1.0, f64::min);
        let mean = values.iter().map(|value| value.1).sum::<f64>() / values.len() as f64;
        assert!(best > mean + 0.02 && mean > worst + 0.05, "{best} {mean} {worst}");
        let mut sum = 0.0;
        for seed in 0..5 {
            let choice = choose(&game, &game.start(), 50_000, seed);
            let (_, worth) = values.iter().find(|value| value.0 == choice.action).unwrap();
            assert!((choice.value.unwrap() - worth).abs() < 0.05, "{choice:?} {worth}");
            assert_eq!((choice.iterations, choice.nodes), (50_000, 15));
            assert_eq!(choice, choose(&game, &game.start(), 50_000, seed));
            sum += worth;
        }
        assert!(sum / 5.0 > best - 0.005, "{} of {best}", sum / 5.0);
    }

    #[test]
    fn too_many_actions_to_list_are_no_problem() {
        let game = Blotto::new(12, 6);
        let choice = choose(&game, &game.start(), 5_000, 1);
        assert!(game.legal(&game.start(), Player(0), choice.action));
        // All soldiers at one post, where it starts from, take one post of six.
        let posts: std::collections::HashSet<u8> = choice.action.0.into_iter().collect();
        assert!(posts.len() >= 4, "{choice:?}");
        let short = choose(&game, &game.start(), 1, 1);
        assert!(game.legal(&game.start(), Player(0), short.action), "the first trial is granted");
    }

    /// In a game without agents it compares the actions.
    #[test]
    fn a_plain_game_has_one_agent() {
        let text = "start: 0 a -> 0 1  b -> x  c -> 0.2 0.8\nx: chance u 0.5 -> 1 0  v 0.5 -> 0 1";
        let toy = Toy::read(text).unwrap();
        let choice = choose(&toy, &0, 2_000, 3);
        assert_eq!(choice.action, toy.word("b"));
        let forced = Toy::read("start: 0 a -> 0 1").unwrap();
        assert_eq!(choose(&forced, &0, 100, 3).action, forced.word("a"));
    }
}
