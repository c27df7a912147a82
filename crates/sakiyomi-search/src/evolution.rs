//! Online evolution of whole turns (Justesen, Mahlmann and Togelius 2016), for games in which a turn
//! is several actions.
//!
//! A plan is the list of one's own actions up to the end of the turn. A generation tries every plan
//! once: it is carried out, actions that have become illegal being replaced by random ones, and
//! then played out. The better half survives; the others become children of two survivors, each
//! action taken from either, and some replaced by random ones (mutation).
//!
//! It departs from the paper in three ways. Plans are rated by playouts, which every game has, so
//! what a plan is worth is the mean of all its trials; a plan is even before it was tried, so that
//! one lucky trial does not make it the best. A decision is one action, so the plans of a turn are
//! kept and evolve further while it lasts. And who chooses at the same moment as others goes on
//! planning until it does not choose any more, the others being drawn at random.

use sakiyomi_core::order::sort_descending;
use sakiyomi_core::{
    Agent, Budget, Choice, Context, Forfeit, Game, Hints, Player, PlayoutOptions, Rng, Scratch,
    Turn,
};

/// Pseudo-trials with payoff 1/2 that are added to every plan.
const PRIOR_TRIALS: f64 = 4.0;
/// Actions beyond which a plan is not made.
const MAX_PLAN_ACTIONS: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvolutionSettings {
    /// Iterations are trials of a plan.
    pub budget: Budget,
    /// Plans that compete.
    pub population: usize,
    /// The probability with which an action of a child is replaced by a random one.
    pub mutation: f64,
    /// What is left out when actions are drawn, and how playouts go.
    pub playout: PlayoutOptions,
}

/// The agent. It keeps its plans over the decisions of one turn.
#[derive(Debug)]
pub struct Evolution<G: Game> {
    settings: EvolutionSettings,
    plans: Vec<Plan<G::Action>>,
    player: Player,
}

#[derive(Clone, Debug)]
struct Plan<A> {
    /// What is still to be drawn is none.
    actions: Vec<Option<A>>,
    sum: f64,
    n: u32,
}

impl<A> Plan<A> {
    fn new(actions: Vec<Option<A>>) -> Plan<A> {
        Plan { actions, sum: 0.0, n: 0 }
    }

    fn rating(&self) -> f64 {
        (self.sum + 0.5 * PRIOR_TRIALS) / (f64::from(self.n) + PRIOR_TRIALS)
    }
}

impl<G: Hints> Evolution<G> {
    pub fn new(settings: EvolutionSettings) -> Evolution<G> {
        Evolution { settings, plans: Vec::new(), player: Player(0) }
    }

    /// Replaces the worse half, and what is missing, by children of the better half.
    fn breed(&mut self, rng: &mut Rng) {
        let EvolutionSettings { population, mutation, .. } = self.settings;
        self.merge();
        sort_descending(&mut self.plans, |plan| plan.rating());
        self.plans.truncate(population.div_ceil(2));
        let n_parents = self.plans.len();
        while self.plans.len() < population {
            let child = match n_parents {
                0 => Vec::new(),
                n => {
                    let [a, b] = [rng.below(n), rng.below(n)].map(|i| &self.plans[i].actions);
                    let longer = a.len().max(b.len());
                    let gene = |i: usize, rng: &mut Rng| {
                        let parents = if rng.unit() < 0.5 { [a, b] } else { [b, a] };
                        let inherited = parents.iter().find_map(|parent| parent.get(i).copied());
                        if rng.unit() < mutation { None } else { inherited.flatten() }
                    };
                    (0..longer).map(|i| gene(i, rng)).collect()
                }
            };
            self.plans.push(Plan::new(child));
        }
    }

    /// Makes one plan of those that are the same, with the trials of all of them.
    fn merge(&mut self) {
        let mut merged: Vec<Plan<G::Action>> = Vec::with_capacity(self.settings.population);
        for plan in self.plans.drain(..) {
            match merged.iter_mut().find(|known| known.actions == plan.actions) {
                Some(known) => {
                    known.sum += plan.sum;
                    known.n += plan.n;
                }
                None => merged.push(plan),
            }
        }
        self.plans = merged;
    }

    fn best(&self) -> Option<&Plan<G::Action>> {
        let tried = self.plans.iter().filter(|plan| plan.n > 0);
        tried.max_by(|a, b| a.rating().total_cmp(&b.rating()))
    }
}

impl<G: Hints> Agent<G> for Evolution<G> {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        self.player = player;
        let mut trial = Trial {
            game,
            options: self.settings.playout,
            player,
            state: state.clone(),
            scratch: Scratch::default(),
        };
        let mut meter = self.settings.budget.begin(context.stop);
        'evolve: loop {
            self.breed(context.rng);
            for plan in &mut self.plans {
                if !meter.another() {
                    break 'evolve;
                }
                trial.state.clone_from(state);
                plan.sum += trial.run(plan, context.rng);
                plan.n += 1;
            }
        }
        let best = self.best();
        let action = best.and_then(|plan| plan.actions.first().copied().flatten());
        let reason = || Forfeit { reason: "no plan has an action".to_owned() };
        let action = action.ok_or_else(reason)?;
        Ok(Choice {
            action,
            policy: vec![(action, 1.0)],
            value: best.map(Plan::rating),
            iterations: meter.done(),
            nodes: self.plans.len() as u64,
        })
    }

    /// Keeps the rest of the plans that began as the turn did.
    fn observe(&mut self, game: &G, before: &G::State, actions: &[G::Action]) {
        match game.turn(before) {
            Turn::Chance => {}
            Turn::Choose(mut who) if who.contains(self.player) => {
                let own = who.position(|player| player == self.player).map(|i| actions[i]);
                self.plans.retain(|plan| plan.actions.len() > 1 && plan.actions[0] == own);
                for plan in &mut self.plans {
                    *plan = Plan::new(plan.actions.split_off(1));
                }
            }
            _ => self.plans.clear(),
        }
    }
}

/// What is needed to carry out plans.
struct Trial<'a, G: Game> {
    game: &'a G,
    options: PlayoutOptions,
    player: Player,
    state: G::State,
    scratch: Scratch<G::Action>,
}

impl<G: Hints> Trial<'_, G> {
    /// Carries out a plan from the state, writes into it what was drawn, and returns what the
    /// player got in the end.
    fn run(&mut self, plan: &mut Plan<G::Action>, rng: &mut Rng) -> f64 {
        let Trial { game, options, player, state, scratch } = self;
        let mut n_done = 0;
        loop {
            match game.turn(state) {
                Turn::Chance => {
                    let outcome = game.sample(state, &mut scratch.outcomes, rng);
                    game.apply(state, &[outcome]);
                }
                Turn::Choose(who) if who.contains(*player) && n_done < MAX_PLAN_ACTIONS => {
                    let planned = plan.actions.get(n_done).copied().flatten();
                    scratch.joint.clear();
                    for other in who {
                        let actions = &mut scratch.actions;
                        actions.clear();
                        game.actions(state, other, actions);
                        options.prune(*game, state, other, actions);
                        let kept = planned.filter(|a| other == *player && actions.contains(a));
                        scratch.joint.push(kept.unwrap_or_else(|| {
                            let probability = options.urgent_probability;
                            if probability > 0.0 && rng.unit() < probability {
                                game.urgent(state, other, actions);
                            }
                            actions[rng.below(actions.len())]
                        }));
                        if other == *player {
                            plan.actions.resize(plan.actions.len().max(n_done + 1), None);
                            plan.actions[n_done] = scratch.joint.last().copied();
                        }
                    }
                    game.apply(state, &scratch.joint);
                    n_done += 1;
                }
                _ => break,
            }
        }
        plan.actions.truncate(n_done);
        let payoffs = match options.is_plain() {
            true => game.playout(state, scratch, rng),
            false => game.guided_playout(state, options, scratch, rng),
        };
        payoffs[*player]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::Stop;
    use sakiyomi_core::toy::Toy;

    fn agent(iterations: u64) -> Evolution<Toy> {
        Evolution::new(EvolutionSettings {
            budget: Budget::iterations(iterations),
            population: 10,
            mutation: 0.2,
            playout: PlayoutOptions::default(),
        })
    }

    /// Only both of two actions of one turn, in this order, win; the other player can do nothing.
    const TURN: &str = "start: 0  a -> one  b -> two  c -> 0.4 0.6
         one: 0  x -> then  y -> 0 1  z -> 0 1
         two: 0  x -> 0 1  y -> 0 1  z -> 0.1 0.9
         then: 1  p -> 1 0  q -> 0.9 0.1";

    #[test]
    fn the_actions_of_a_turn_are_found_together_and_kept() {
        let toy = Toy::read(TURN).unwrap();
        let mut agent = agent(400);
        let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
        let mut state = toy.start();
        for word in ["a", "x"] {
            let choice = agent.choose(&toy, &state, Player(0), &mut context).unwrap();
            assert_eq!(choice.action, toy.word(word));
            assert_eq!(choice.iterations, 400);
            agent.observe(&toy, &state, &[choice.action]);
            toy.apply(&mut state, &[choice.action]);
            let next = agent.plans.first().and_then(|plan| plan.actions[0]);
            assert_eq!(next, (word == "a").then(|| toy.word("x")), "plans go on with the turn");
        }
        agent.observe(&toy, &state, &[toy.word("p")]);
        assert!(agent.plans.is_empty(), "the turn of another ends all plans");
    }

    #[test]
    fn chance_and_others_who_choose_too_are_played() {
        let toy = Toy::read(
            "start: 0+1  a/x -> coin  a/y -> 0 1  b/x -> 0 1  b/y -> 0.1 0.9
             coin: chance h 0.5 -> last  t 0.5 -> 1 0
             last: 0  p -> 0 1  q -> 1 0",
        )
        .unwrap();
        let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
        let choice = agent(1_000).choose(&toy, &toy.start(), Player(0), &mut context).unwrap();
        assert_eq!(choice.action, toy.word("a"));
        // A player who takes a gets 1 if the other takes x, which is half the time, and then plays q. The
        // plans that survive are the lucky ones, so the value is too high, but not by all.
        let value = choice.value.unwrap();
        assert!(value > 0.3 && value < 0.95, "{value}");
    }

    #[test]
    fn one_trial_is_enough_for_a_legal_answer() {
        let toy = Toy::read(TURN).unwrap();
        let mut context = Context { rng: &mut Rng::new(3), stop: &Stop::new() };
        let choice = agent(1).choose(&toy, &toy.start(), Player(0), &mut context).unwrap();
        assert_eq!(choice.policy, [(choice.action, 1.0)]);
    }
}
