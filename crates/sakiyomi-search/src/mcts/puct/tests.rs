//! PUCT with evaluators made by hand, on tiny games.

use super::*;
use crate::PlayoutEvaluator;
use sakiyomi_core::toy::{Toy, Word};
use sakiyomi_core::{PlayoutOptions, Stop};

fn settings(iterations: u64, batch: usize) -> PuctSettings {
    PuctSettings { batch, ..PuctSettings::new(Budget::iterations(iterations)) }
}

fn decide<E: LeafEvaluator<Toy>>(
    toy: &Toy,
    player: u8,
    settings: PuctSettings,
    evaluator: E,
    seed: u64,
) -> Result<Choice<Word>, Forfeit> {
    let mut context = Context { rng: &mut Rng::new(seed), stop: &Stop::new() };
    PuctSearch::new(settings, evaluator).choose(toy, &toy.start(), Player(player), &mut context)
}

fn share(choice: &Choice<Word>, action: Word) -> f64 {
    choice.policy.iter().find(|(a, _)| *a == action).map_or(0.0, |(_, share)| *share)
}

/// Evaluates every leaf as even, prefers some words, and notes the sizes of batches.
#[derive(Clone, Debug, Default)]
struct Prefers {
    words: Vec<(Word, f32)>,
    batches: Vec<usize>,
}

impl LeafEvaluator<Toy> for Prefers {
    fn evaluate(
        &mut self,
        _: &Toy,
        leaves: &[LeafPosition<'_, Toy>],
        _: &mut Rng,
    ) -> Result<Vec<Evaluation>, EvaluationError> {
        self.batches.push(leaves.len());
        let mut states: Vec<u16> = leaves.iter().map(|leaf| *leaf.state).collect();
        states.sort_unstable();
        states.dedup();
        assert_eq!(states.len(), leaves.len(), "no leaf is evaluated twice");
        let weight = |word: &Word| {
            self.words.iter().find(|(known, _)| known == word).map_or(1.0, |(_, weight)| *weight)
        };
        let each = |leaf: &LeafPosition<'_, Toy>| Evaluation {
            payoffs: Payoffs::uniform(2, 0.5),
            priors: Some(leaf.actions.iter().map(weight).collect()),
        };
        Ok(leaves.iter().map(each).collect())
    }
}

/// A tree of four levels in which the way to the best end is `b`, `d`, `a`, `c`.
fn deep() -> Toy {
    let mut text = String::new();
    for i in 0..85 {
        text += &format!("p{i}: {}", u8::from(!(1..5).contains(&i) && i > 20));
        for (k, word) in ["a", "b", "c", "d"].iter().enumerate() {
            let child = 4 * i + 1 + k;
            let payoff = if child == 4 * (4 * (4 + 4 * 2) + 1) + 3 { 1.0 } else { 0.4 };
            match child < 85 {
                true => text += &format!(" {word} -> p{child}"),
                false => text += &format!(" {word} -> {payoff} {}", 1.0 - payoff),
            }
        }
        text += "\n";
    }
    Toy::read(&text).unwrap()
}

#[test]
fn good_priors_lead_and_bad_ones_are_overcome() {
    // Two of three actions are traps: the other player takes all.
    let toy = Toy::read(
        "start: 0  a -> x  b -> y  c -> z
         x: 1  l -> 0 1  r -> 0.1 0.9
         y: 1  l -> 0.9 0.1  r -> 0.8 0.2
         z: 1  l -> 0 1  r -> 0.2 0.8",
    )
    .unwrap();
    for batch in [1, 8] {
        let good = Prefers { words: vec![(toy.word("b"), 20.0)], ..Prefers::default() };
        let bad = Prefers { words: vec![(toy.word("b"), 0.05)], ..Prefers::default() };
        let early = decide(&toy, 0, settings(16, batch), good.clone(), 1).unwrap();
        assert_eq!(early.action, toy.word("b"), "batch {batch}");
        assert!(share(&early, toy.word("b")) > 0.8, "batch {batch}: {:?}", early.policy);
        let misled = decide(&toy, 0, settings(16, batch), bad.clone(), 1).unwrap();
        assert!(share(&misled, toy.word("b")) < 0.5, "batch {batch}: {:?}", misled.policy);
        let late = decide(&toy, 0, settings(3_000, batch), bad, 1).unwrap();
        assert_eq!(late.action, toy.word("b"), "batch {batch}");
        assert!((late.value.unwrap() - 0.8).abs() < 0.05, "batch {batch}: {:?}", late.value);
    }
}

#[test]
fn leaves_wait_for_a_batch_and_go_elsewhere() {
    let toy = deep();
    let mut agent = PuctSearch::new(settings(200, 8), Prefers::default());
    let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
    let choice = agent.choose(&toy, &toy.start(), Player(0), &mut context).unwrap();
    assert_eq!(choice.iterations, 200);
    let batches = &agent.evaluator().batches;
    assert_eq!(batches[0], 1, "the root comes first");
    // The four children of the root are all that is there at first; later batches are full.
    assert!(batches[1] >= 4 && batches.iter().filter(|&&n| n == 8).count() > 5, "{batches:?}");
    let visits: f64 = choice.policy.iter().map(|(_, share)| share).sum();
    assert!((visits - 1.0).abs() < 1e-9);
    // What was counted ahead was completed: the root has one visit for each iteration.
    let tree = &agent.walk.as_ref().unwrap().tree;
    let row = tree.row(ROOT, Player(0)).unwrap();
    let visits: u32 = tree.arms.visits[row.first..row.first + row.len].iter().sum();
    assert_eq!((visits, tree.nodes[ROOT as usize].visits), (200, 200));
}

#[test]
fn every_kind_of_turn_is_searched_by_playouts() {
    let toy = Toy::read(
        "start: 1  go -> coin  stay -> 0.5 0.5
         coin: chance h 0.5 -> duel  t 0.5 -> 0.2 0.8
         duel: 0+1  a/x -> 0.9 0.1  a/y -> 0.4 0.6  b/x -> 0.3 0.7  b/y -> 0.1 0.9",
    )
    .unwrap();
    for batch in [1, 8] {
        let evaluator = PlayoutEvaluator::new(PlayoutOptions::default());
        let choice = decide(&toy, 1, settings(20_000, batch), evaluator, 1).unwrap();
        assert_eq!(choice.action, toy.word("go"));
        // In the duel `a` dominates, then `y` is best: 0.6 for player 1, with the coin 0.7.
        assert!((choice.value.unwrap() - 0.7).abs() < 0.03, "{:?}", choice.value);
    }
}

#[test]
fn insight_has_priors_beside_visits() {
    let toy = deep();
    let prefers = Prefers { words: vec![(toy.word("b"), 5.0)], ..Prefers::default() };
    let mut agent = PuctSearch::new(settings(200, 8), prefers);
    let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
    agent.choose(&toy, &toy.start(), Player(0), &mut context).unwrap();
    let insight = agent.insight(&toy, &toy.start(), 10).unwrap();
    let arms = &insight.rows[0].arms;
    assert_eq!(arms.iter().map(|arm| arm.visits).sum::<u64>(), 200);
    let prior = |word: &str| {
        arms.iter().find(|arm| arm.action == toy.word(word)).and_then(|arm| arm.prior).unwrap()
    };
    // Five to one against each of the three others.
    assert!((prior("b") - 0.625).abs() < 1e-6 && (prior("a") - 0.125).abs() < 1e-6, "{arms:?}");
    assert!(insight.root.children.len() > 2, "its tree is shown");
    assert!(agent.insight(&toy, &1, 10).is_none(), "it knows one state");
}

#[test]
fn the_tree_is_kept_and_limits_hold() {
    let toy = deep();
    let mut agent = PuctSearch::new(settings(300, 4), Prefers::default());
    let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
    let first = agent.choose(&toy, &toy.start(), Player(0), &mut context).unwrap();
    let mut state = toy.start();
    agent.observe(&toy, &state, &[first.action]);
    toy.apply(&mut state, &[first.action]);
    let kept = agent.walk.as_ref().unwrap().tree.nodes[ROOT as usize].visits;
    assert!(kept > 20, "{kept}");
    agent.choose(&toy, &state, Player(0), &mut context).unwrap();
    assert_eq!(agent.walk.as_ref().unwrap().tree.nodes[ROOT as usize].visits, kept + 300);
    let budget = Budget { nodes: Some(10), ..Budget::iterations(500) };
    let limited = PuctSettings { batch: 4, ..PuctSettings::new(budget) };
    let choice = decide(&toy, 0, limited, Prefers::default(), 1).unwrap();
    assert_eq!((choice.nodes, choice.iterations), (10, 500));
}

#[test]
fn noise_and_temperature_make_matches_differ() {
    let toy =
        Toy::read("start: 0  a -> x  b -> x  c -> x\nx: 1  l -> 0.5 0.5  r -> 0.5 0.5").unwrap();
    let plain = settings(30, 1);
    let noise = Some(RootNoise { alpha: 0.3, share: 0.5 });
    let policies = |settings: PuctSettings| -> Vec<Choice<Word>> {
        (0..20).map(|seed| decide(&toy, 0, settings, Prefers::default(), seed).unwrap()).collect()
    };
    let same = policies(plain);
    assert!(same.iter().all(|choice| *choice == same[0]), "nothing is drawn");
    let noisy = policies(PuctSettings { noise, ..plain });
    assert!(noisy.iter().any(|choice| choice.policy != noisy[0].policy));
    let warm = policies(PuctSettings { temperature: 1.0, ..plain });
    assert!(["a", "b", "c"].iter().all(|w| warm.iter().any(|c| c.action == toy.word(w))));
    // The noise is gone after the decision.
    let mut agent = PuctSearch::new(PuctSettings { noise, ..plain }, Prefers::default());
    let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
    agent.choose(&toy, &toy.start(), Player(0), &mut context).unwrap();
    let priors = &agent.walk.as_ref().unwrap().tree.arms.priors[..3];
    assert!(priors.iter().all(|prior| (prior - 1.0 / 3.0).abs() < 1e-6), "{priors:?}");
}

/// An evaluator that answers with something wrong.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    Count,
    Payoff(f64),
    PriorCount,
    Prior(f32),
    NoPrior,
}

impl LeafEvaluator<Toy> for Wrong {
    fn evaluate(
        &mut self,
        _: &Toy,
        leaves: &[LeafPosition<'_, Toy>],
        _: &mut Rng,
    ) -> Result<Vec<Evaluation>, EvaluationError> {
        let each = |leaf: &LeafPosition<'_, Toy>| {
            let mut payoffs = Payoffs::uniform(2, 0.5);
            let mut priors = vec![1.0; leaf.actions.len()];
            match *self {
                Wrong::Count => {}
                Wrong::Payoff(value) => payoffs[Player(1)] = value,
                Wrong::PriorCount => priors.push(1.0),
                Wrong::Prior(value) => priors[0] = value,
                Wrong::NoPrior => priors.fill(0.0),
            }
            Evaluation { payoffs, priors: Some(priors) }
        };
        let mut all: Vec<Evaluation> = leaves.iter().map(each).collect();
        if let Wrong::Count = self {
            all.pop();
        }
        Ok(all)
    }
}

#[test]
fn wrong_evaluations_are_errors() {
    let toy = deep();
    for (wrong, message) in [
        (Wrong::Count, "0 evaluations for 1 leaves"),
        (Wrong::Payoff(f64::NAN), "the payoff of player 2 is NaN: expected 0 to 1"),
        (Wrong::Payoff(1.5), "the payoff of player 2 is 1.5"),
        (Wrong::PriorCount, "5 priors for 4 actions"),
        (Wrong::Prior(f32::NAN), "the prior of action 0 is NaN"),
        (Wrong::Prior(-0.5), "the prior of action 0 is -0.5"),
        (Wrong::Prior(f32::INFINITY), "the prior of action 0 is inf"),
        (Wrong::NoPrior, "the priors of player 1 add up to 0"),
    ] {
        let forfeit = decide(&toy, 0, settings(50, 8), wrong, 1).unwrap_err();
        assert!(forfeit.reason.contains(message), "{forfeit}");
    }
}
