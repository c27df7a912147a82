//! Anytime sequential halving (Sagers, Winands and Soemers 2024), after sequential halving of Karnin,
//! Koren and Somekh (2013): playouts after every action, spent on the promising half.
//!
//! A pass gives one playout to every action, then one to the better half by their means so far, then
//! one to the better half of these, down to a single action; passes repeat until the budget ends. So
//! the number of playouts need not be known in advance. Others who choose at the same moment are
//! drawn at random, as in flat Monte Carlo.
//!
//! Where the game plays many playouts at once, an action gets several of them when its turn comes:
//! their number grows with the playouts so far, so that a pass stays a small part of all.

use sakiyomi_core::order::sort_descending;
use sakiyomi_core::{Agent, Budget, Choice, Context, Forfeit, Game, Player, Scratch, Turn};

use crate::flat::AfterAction;

#[derive(Clone, Debug)]
pub struct SequentialHalving {
    budget: Budget,
}

impl SequentialHalving {
    pub fn new(budget: Budget) -> SequentialHalving {
        SequentialHalving { budget }
    }
}

/// A round is at most one part in this many of all playouts, times the share of actions in it.
const PASSES: u64 = 16;

#[derive(Clone, Copy, Debug)]
struct Arm {
    /// The place of its action.
    place: usize,
    sum: f64,
    n: u64,
}

impl Arm {
    fn mean(&self) -> f64 {
        if self.n == 0 { f64::NEG_INFINITY } else { self.sum / self.n as f64 }
    }
}

impl<G: Game> Agent<G> for SequentialHalving {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let Turn::Choose(who) = game.turn(state) else { panic!("no player chooses in this state") };
        let mut actions = Vec::new();
        game.actions(state, player, &mut actions);
        // Ties go to the first, so the order is drawn: a fixed one would favour some actions.
        context.rng.shuffle(&mut actions);
        let mut arms: Vec<Arm> =
            (0..actions.len()).map(|place| Arm { place, sum: 0.0, n: 0 }).collect();
        let mut meter = self.budget.begin(context.stop);
        let mut scratch = Scratch::default();
        let mut playouts = AfterAction::new(game, state, who, player);
        let (mut batch, mut payoffs) = (Vec::new(), Vec::new());
        // The arms before `n_open` take part in this round of the pass, each with `n_each` playouts.
        let (mut n_open, mut n_each) = (arms.len(), 1);
        // The playouts of this round that are done.
        let mut at = 0;
        loop {
            let round = n_open as u64 * n_each;
            let n = meter.several(round - at);
            if n == 0 {
                break;
            }
            batch.clear();
            batch.extend((at..at + n).map(|i| arms[i as usize % n_open].place));
            payoffs.clear();
            playouts.play(&batch, &actions, &mut scratch, context, &mut payoffs);
            for (i, payoff) in (at..).zip(&payoffs) {
                let arm = &mut arms[i as usize % n_open];
                arm.sum += payoff;
                arm.n += 1;
            }
            at += n;
            if at == round {
                sort_descending(&mut arms[..n_open], |arm| arm.mean());
                n_open = if n_open == 1 { arms.len() } else { n_open.div_ceil(2) };
                n_each = (meter.done() / (PASSES * arms.len() as u64)).max(1);
                n_each = n_each.min(playouts.most().div_ceil(n_open as u64));
                at = 0;
            }
        }
        // The most playouts went to the arm that survived most often; of equals the better mean.
        let by_playouts = |a: &&Arm, b: &&Arm| a.n.cmp(&b.n).then(a.mean().total_cmp(&b.mean()));
        let best = *arms.iter().max_by(by_playouts).expect("someone who chooses has an action");
        let share = |arm: &Arm| f64::from(u8::from(arm.place == best.place));
        Ok(Choice {
            action: actions[best.place],
            policy: arms.iter().map(|arm| (actions[arm.place], share(arm))).collect(),
            value: Some(best.mean()),
            iterations: meter.done(),
            nodes: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::toy::Toy;
    use sakiyomi_core::{Rng, Stop};

    fn choose(toy: &Toy, iterations: u64) -> Choice<sakiyomi_core::toy::Word> {
        let mut agent = SequentialHalving::new(Budget::iterations(iterations));
        let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
        agent.choose(toy, &toy.start(), Player(0), &mut context).unwrap()
    }

    #[test]
    fn the_best_of_many_arms_is_found() {
        let toy = Toy::read(
            "start: 0 a -> coin  b -> 0.4 0.6  c -> 0.3 0.7  d -> 0.45 0.55  e -> 0.1 0.9
             coin: chance heads 0.5 -> 1 0 tails 0.5 -> 0 1",
        )
        .unwrap();
        let choice = choose(&toy, 2_000);
        assert_eq!(choice.action, toy.word("a"));
        assert!((choice.value.unwrap() - 0.5).abs() < 0.05);
        assert_eq!(choice.iterations, 2_000);
    }

    #[test]
    fn a_budget_smaller_than_the_number_of_arms_still_answers() {
        let toy = Toy::read("start: 0 a -> 0 1  b -> 1 0  c -> 0.5 0.5").unwrap();
        assert_eq!(choose(&toy, 1).iterations, 1);
        assert_eq!(choose(&toy, 3).action, toy.word("b"));
    }

    #[test]
    fn others_who_choose_at_once_are_drawn_at_random() {
        // Against a random column, row r1 earns 0.6 on average and r0 only 0.5.
        let toy = Toy::matrix(&[&[1.0, 0.0], &[0.5, 0.7]]);
        assert_eq!(choose(&toy, 4_000).action, toy.word("r1"));
    }
}
