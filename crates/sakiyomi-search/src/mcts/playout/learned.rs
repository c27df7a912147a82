//! Playout policies that learn which actions tend to win.
//!
//! - *MAST* (Finnsson and Björnsson 2008): an action is drawn in proportion to exp(mean / tau),
//!   where the mean is that of the payoffs of all iterations in which this player chose it.
//! - *NST* (Tak, Winands and Björnsson 2012): the score of an action is the mean of the means of
//!   the sequences of 1, 2 and 3 actions that end with it; the longer ones count from 7 visits on,
//!   as there. The highest score is taken, or any action with probability epsilon. Actions that
//!   players choose at the same time are not known to each other: the sequence before them is the
//!   same.
//!
//! - *Tournament*: a few actions are drawn uniformly and the one with the best mean of MAST is
//!   taken. The more are drawn, the greedier. Actions need not be listed, so where a game draws
//!   actions fast this is several times faster than MAST.
//!
//! All learn from whole iterations, tree and playout, and take 1, the best payoff, for an action
//! that they have never seen. A table belongs to one tree and lives as long as the agent; before
//! every further search its counts are multiplied by what it keeps. It holds at most
//! [`MAX_ENTRIES`]: when it is full, what was seen least often is dropped, until half is free.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use sakiyomi_core::{ActionMeans, Payoffs, Player, PlayoutOptions, Rng};

use super::trail::Trail;

/// A policy that learns which actions tend to win.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Learning {
    pub rule: LearningRule,
    /// The share of its counts that it keeps from one decision to the next.
    pub keep: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LearningRule {
    /// By the mean payoff of the action, with a Gibbs distribution of temperature `tau`.
    Mast { tau: f64 },
    /// By the mean payoffs of sequences of up to 3 actions, epsilon-greedy.
    Nst { epsilon: f64 },
    /// The best of `draws` random actions, by their mean payoffs.
    Tournament { draws: u32 },
}

impl LearningRule {
    /// Learning that forgets nothing.
    pub const fn lasting(self) -> Learning {
        Learning { rule: self, keep: 1.0 }
    }
}

/// Visits from which sequences of 2 and 3 actions count.
const MIN_VISITS: f64 = 7.0;
/// What an action is worth before it was ever seen.
const UNSEEN: f64 = 1.0;
/// Actions of the longest sequence.
const MAX_LENGTH: usize = 3;
/// Actions and sequences that are remembered.
const MAX_ENTRIES: usize = 1 << 20;
/// Counts below this are forgotten when counts are reduced.
const MIN_COUNT: f64 = 0.25;

/// A policy with what it has learned.
#[derive(Clone, Debug)]
pub(in crate::mcts) struct Learned {
    pub(super) options: PlayoutOptions,
    rule: LearningRule,
    /// The share of its counts that is kept from one decision to the next.
    keep: f64,
    /// Means by action or sequence.
    means: FxHashMap<u64, Mean>,
    /// How often each sequence came before a turn. One that came too seldom has no longer sequence
    /// that counts, which saves a look at every action.
    contexts: FxHashMap<u64, f64>,
    max_entries: usize,
    /// A buffer for the weights or scores of the actions of a step.
    scores: Vec<f32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    visits: f64,
    /// Payoffs, added up.
    sum: f64,
    /// exp(mean / tau), up to a factor that all have, or for tournaments the mean: computed when
    /// the mean changes, because it is read far more often.
    weight: f32,
}

impl Mean {
    fn value(&self) -> f64 {
        self.sum / self.visits
    }
}

impl Learned {
    pub(super) fn new(learning: Learning, options: PlayoutOptions) -> Learned {
        Learned {
            options,
            rule: learning.rule,
            keep: learning.keep,
            means: FxHashMap::default(),
            contexts: FxHashMap::default(),
            max_entries: MAX_ENTRIES,
            scores: Vec::new(),
        }
    }

    /// How many actions compete for a turn, if that is how it picks.
    pub(super) fn competing(&self) -> Option<u32> {
        match self.rule {
            LearningRule::Tournament { draws } if self.options.is_plain() => Some(draws),
            _ => None,
        }
    }

    /// Picks the best of a few actions that `draw` draws, if that is how it picks.
    #[inline]
    pub(super) fn pick_drawn<A: Copy + Hash>(
        &self,
        player: Player,
        mut draw: impl FnMut() -> A,
    ) -> Option<A> {
        let draws = self.competing()?;
        let mut best = draw();
        let mut top = self.mean(player, &best);
        for _ in 1..draws {
            let other = draw();
            let mean = self.mean(player, &other);
            if mean > top {
                (best, top) = (other, mean);
            }
        }
        Some(best)
    }

    #[inline]
    fn mean<A: Hash>(&self, player: Player, action: &A) -> f32 {
        self.means.get(&key(player, action)).map_or(UNSEEN as f32, |mean| mean.weight)
    }

    /// The mean payoff of the iterations with an action.
    pub(super) fn mean_payoff<A: Hash>(&self, player: Player, action: &A) -> f64 {
        self.means.get(&key(player, action)).map_or(UNSEEN, |mean| mean.sum / mean.visits)
    }

    /// Picks one of `actions`, of which there is at least one, after the actions `before`.
    pub(super) fn pick<A: Copy + Hash>(
        &mut self,
        player: Player,
        before: &[(Player, A)],
        actions: &[A],
        rng: &mut Rng,
    ) -> usize {
        if actions.len() == 1 {
            return 0;
        }
        let mut scores = std::mem::take(&mut self.scores);
        scores.clear();
        let pick = match self.rule {
            LearningRule::Mast { .. } => {
                let weight =
                    |action| self.means.get(&key(player, action)).map_or(1.0, |m| m.weight);
                scores.extend(actions.iter().map(weight));
                draw(&scores, rng)
            }
            LearningRule::Tournament { draws } => {
                let mut best = rng.below(actions.len());
                for _ in 1..draws {
                    let other = rng.below(actions.len());
                    let mean = |i: usize| self.mean(player, &actions[i]);
                    best = if mean(other) > mean(best) { other } else { best };
                }
                best
            }
            LearningRule::Nst { epsilon } if rng.unit() < epsilon => rng.below(actions.len()),
            LearningRule::Nst { .. } => {
                let context = self.frequent(Context::of(before));
                let score = |action| self.score(key(player, action), context) as f32;
                scores.extend(actions.iter().map(score));
                highest(&scores, rng)
            }
        };
        self.scores = scores;
        pick
    }

    /// Learns from an iteration: all actions from the root to the end, and what they gave.
    pub(super) fn learn<A: Copy + Hash>(&mut self, trail: Trail<'_, A>, payoffs: &Payoffs) {
        for (player, action) in trail.steps {
            self.add(key(*player, action), 1.0, payoffs[*player]);
        }
        if matches!(self.rule, LearningRule::Nst { .. }) {
            self.learn_sequences(trail, payoffs);
        }
        self.keep_to_limit();
    }

    fn keep_to_limit(&mut self) {
        while self.means.len() > self.max_entries {
            self.drop_rarest();
        }
    }

    fn learn_sequences<A: Copy + Hash>(&mut self, trail: Trail<'_, A>, payoffs: &Payoffs) {
        for turn in trail.turns() {
            let context = Context::of(&trail.steps[..turn.start]);
            for hash in context.0.into_iter().flatten() {
                *self.contexts.entry(hash).or_default() += 1.0;
            }
            for (player, action) in &trail.steps[turn] {
                for sequence in context.sequences(key(*player, action)).into_iter().flatten() {
                    self.add(sequence, 1.0, payoffs[*player]);
                }
            }
        }
    }

    /// Multiplies all counts, so that what is learned from now on weighs more.
    pub(super) fn reduce(&mut self) {
        let keep = self.keep;
        if keep < 1.0 {
            self.means.retain(|_, mean| {
                mean.visits *= keep;
                mean.sum *= keep;
                mean.visits >= MIN_COUNT
            });
            self.contexts.retain(|_, visits| {
                *visits *= keep;
                *visits >= MIN_COUNT
            });
        }
    }

    fn add(&mut self, key: u64, visits: f64, payoff: f64) {
        let mean = self.means.entry(key).or_default();
        mean.visits += visits;
        mean.sum += payoff;
        match self.rule {
            LearningRule::Mast { tau } => {
                mean.weight = libm::exp((mean.sum / mean.visits - UNSEEN) / tau) as f32;
            }
            LearningRule::Tournament { .. } => mean.weight = (mean.sum / mean.visits) as f32,
            LearningRule::Nst { .. } => {}
        }
    }

    fn score(&self, last: u64, context: Context) -> f64 {
        let mut sum = self.means.get(&last).map_or(UNSEEN, Mean::value);
        let mut n = 1.0;
        for sequence in context.sequences(last).into_iter().flatten() {
            let Some(mean) = self.means.get(&sequence) else { continue };
            if mean.visits >= MIN_VISITS {
                sum += mean.value();
                n += 1.0;
            }
        }
        sum / n
    }

    /// The part of a context after which some sequence may have enough visits to count.
    fn frequent(&self, context: Context) -> Context {
        let is_frequent =
            |hash: &u64| self.contexts.get(hash).is_some_and(|&visits| visits >= MIN_VISITS);
        Context(context.0.map(|hash| hash.filter(is_frequent)))
    }

    fn drop_rarest(&mut self) {
        let mut least = 2.0;
        // A context has at least the visits of what follows it: what is kept keeps its context.
        while self.means.len() > self.max_entries / 2 {
            self.means.retain(|_, mean| mean.visits >= least);
            self.contexts.retain(|_, visits| *visits >= least);
            least *= 2.0;
        }
    }
}

/// The means of actions, for a game that plays out by itself.
pub(super) struct LearnedMeans<'a> {
    pub(super) learned: &'a mut Learned,
    /// What a playout counts for.
    pub(super) weight: f64,
}

impl<A: Copy + Hash> ActionMeans<A> for LearnedMeans<'_> {
    fn mean(&self, player: Player, action: A) -> f32 {
        self.learned.mean(player, &action)
    }

    fn add(&mut self, player: Player, action: A, playouts: f64, payoffs: f64) {
        let LearnedMeans { learned, weight } = self;
        learned.add(key(player, &action), playouts * *weight, payoffs * *weight);
        learned.keep_to_limit();
    }
}

/// The actions before a turn, the last one alone and the last two together.
#[derive(Clone, Copy, Debug, Default)]
struct Context([Option<u64>; MAX_LENGTH - 1]);

impl Context {
    fn of<A: Hash>(before: &[(Player, A)]) -> Context {
        let mut context = Context::default();
        let mut hash = 0;
        for (part, (player, action)) in context.0.iter_mut().zip(before.iter().rev()) {
            hash = chain(hash, key(*player, action));
            *part = Some(hash);
        }
        context
    }

    /// The sequences of more than one action that end with this one.
    fn sequences(self, last: u64) -> [Option<u64>; MAX_LENGTH - 1] {
        self.0.map(|before| Some(chain(before?, last)))
    }
}

/// The number of an action of a player. Actions with equal numbers share their statistics, which
/// happens to different actions with probability 2^-64.
#[inline]
pub(in crate::mcts) fn key<A: Hash>(player: Player, action: &A) -> u64 {
    let mut hasher = FxHasher::default();
    action.hash(&mut hasher);
    player.0.hash(&mut hasher);
    hasher.finish()
}

#[inline]
fn chain(hash: u64, key: u64) -> u64 {
    (hash.rotate_left(25) ^ key).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// An index, drawn in proportion to the weights.
fn draw(weights: &[f32], rng: &mut Rng) -> usize {
    let sum: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    if sum <= 0.0 {
        return rng.below(weights.len());
    }
    rng.weighted(weights.iter().map(|&weight| f64::from(weight) / sum))
}

/// The index of the highest score, drawn among equals.
fn highest(scores: &[f32], rng: &mut Rng) -> usize {
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let n = scores.iter().filter(|&&score| score == top).count();
    let nth = if n > 1 { rng.below(n) } else { 0 };
    let mut best = scores.iter().enumerate().filter(|&(_, &score)| score == top);
    best.nth(nth).map_or(0, |(i, _)| i)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: Player = Player(0);
    const OTHER: Player = Player(1);

    fn learned(rule: LearningRule) -> Learned {
        Learned::new(rule.lasting(), PlayoutOptions::default())
    }

    /// Alternating turns of one action each.
    fn learn(policy: &mut Learned, actions: &[u8], payoffs: [f64; 2], times: usize) {
        let steps: Vec<_> =
            actions.iter().enumerate().map(|(i, &a)| (Player(i as u8 % 2), a)).collect();
        let turns: Vec<u32> = (0..actions.len() as u32).collect();
        for _ in 0..times {
            let trail = Trail { steps: &steps, turns: &turns };
            policy.learn(trail, &Payoffs::of(payoffs));
        }
    }

    fn shares(
        policy: &mut Learned,
        player: Player,
        before: &[(Player, u8)],
        actions: &[u8],
    ) -> Vec<f64> {
        let mut counts = vec![0; actions.len()];
        let mut rng = Rng::new(1);
        for _ in 0..20_000 {
            counts[policy.pick(player, before, actions, &mut rng)] += 1;
        }
        counts.into_iter().map(|n| f64::from(n) / 20_000.0).collect()
    }

    #[test]
    fn mast_draws_with_gibbs_probabilities() {
        let mut policy = learned(LearningRule::Mast { tau: 0.5 });
        learn(&mut policy, &[7], [1.0, 0.0], 3);
        learn(&mut policy, &[7], [0.0, 1.0], 1);
        learn(&mut policy, &[8], [0.0, 1.0], 4);
        // Means 3/4 and 0, and 1 for the one that was never seen.
        let weights = [libm::exp(1.5), libm::exp(0.0), libm::exp(2.0)];
        let sum: f64 = weights.iter().sum();
        for (share, weight) in shares(&mut policy, ME, &[], &[7, 8, 9]).iter().zip(weights) {
            assert!((share - weight / sum).abs() < 0.015, "{share} {}", weight / sum);
        }
        // The other player's actions are other actions.
        assert!((shares(&mut policy, OTHER, &[], &[7, 8])[0] - 0.5).abs() < 0.015);
    }

    #[test]
    fn a_tournament_takes_the_best_of_those_that_it_draws() {
        let mut policy = learned(LearningRule::Tournament { draws: 2 });
        learn(&mut policy, &[7], [1.0, 0.0], 3);
        learn(&mut policy, &[7], [0.0, 1.0], 1);
        learn(&mut policy, &[8], [0.0, 1.0], 4);
        // The worst of three wins only against itself, the second also against that.
        let expected = [3.0 / 9.0, 1.0 / 9.0, 5.0 / 9.0];
        for (share, expected) in shares(&mut policy, ME, &[], &[7, 8, 9]).iter().zip(expected) {
            assert!((share - expected).abs() < 0.015, "{share} {expected}");
        }
        let mut rng = Rng::new(1);
        let drawn = (0..9_000).map(|_| policy.pick_drawn(ME, || 7 + rng.below(3) as u8).unwrap());
        let n_worst = drawn.filter(|&action| action == 8).count();
        assert!((900..1_100).contains(&n_worst), "{n_worst}");
    }

    #[test]
    fn nst_takes_the_best_reply_to_what_was_played_before() {
        let mut policy = learned(LearningRule::Nst { epsilon: 0.2 });
        // Against 1 the reply 5 wins, against 2 the reply 6.
        for (first, reply, payoffs) in
            [(1, 5, [0.0, 1.0]), (1, 6, [1.0, 0.0]), (2, 5, [1.0, 0.0]), (2, 6, [0.0, 1.0])]
        {
            learn(&mut policy, &[first, reply], payoffs, 10);
        }
        let after = |policy: &mut Learned, first| shares(policy, OTHER, &[(ME, first)], &[5, 6])[0];
        assert!((after(&mut policy, 1) - 0.9).abs() < 0.015);
        assert!((after(&mut policy, 2) - 0.1).abs() < 0.015);
        // Nothing is known about replies to 3: equal scores are drawn from.
        assert!((after(&mut policy, 3) - 0.5).abs() < 0.015);
    }

    #[test]
    fn longer_sequences_count_from_seven_visits_on() {
        let score = |times| {
            let mut policy = learned(LearningRule::Nst { epsilon: 0.0 });
            learn(&mut policy, &[1, 5], [1.0, 0.0], 100);
            learn(&mut policy, &[4, 3, 2, 5], [0.0, 1.0], times);
            let before = [(ME, 4u8), (OTHER, 3), (ME, 2)];
            policy.score(key(OTHER, &5u8), Context::of(&before))
        };
        assert!((score(6) - 6.0 / 106.0).abs() < 1e-5, "{}", score(6));
        // The mean of 7/107 for the action, of 1 for the pair and of 1 for the three.
        assert!((score(7) - (7.0 / 107.0 + 2.0) / 3.0).abs() < 1e-5, "{}", score(7));
    }

    #[test]
    fn players_who_choose_at_once_do_not_know_each_others_action() {
        let mut policy = learned(LearningRule::Nst { epsilon: 0.0 });
        let steps = [(ME, 1u8), (OTHER, 5)];
        let trail = Trail { steps: &steps, turns: &[0] };
        (0..20).for_each(|_| policy.learn(trail, &Payoffs::of([0.0, 1.0])));
        assert_eq!(policy.means.len(), 2, "there are no pairs");
    }

    #[test]
    fn reduced_counts_make_room_for_new_results() {
        let mean_after = |keep: f64| {
            let mut policy = learned(LearningRule::Mast { tau: 1.0 });
            learn(&mut policy, &[1], [1.0, 0.0], 8);
            policy.keep = keep;
            policy.reduce();
            learn(&mut policy, &[1], [0.0, 1.0], 2);
            policy.means[&key(ME, &1u8)].value()
        };
        assert!((mean_after(1.0) - 0.8).abs() < 1e-6);
        assert!((mean_after(0.25) - 0.5).abs() < 1e-6);
        assert!(mean_after(0.0).abs() < 1e-6);
    }

    #[test]
    fn a_full_table_keeps_what_was_seen_often() {
        let mut policy = learned(LearningRule::Mast { tau: 1.0 });
        policy.max_entries = 100;
        learn(&mut policy, &[200], [1.0, 0.0], 5);
        for action in 0..150 {
            learn(&mut policy, &[action], [0.0, 1.0], 1);
            assert!(policy.means.len() <= 100);
        }
        assert!(policy.means.contains_key(&key(ME, &200u8)));
    }
}
