//! What a search answers: which action, with which shares, and what it is worth.

use sakiyomi_core::{Choice, Rng};

/// Which action is chosen in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The one with the most visits.
    Max,
    /// One that is drawn from the strategy that was learned: the average strategy of regret
    /// matching and outcome sampling, the shares of visits of the others.
    Mix,
}

/// What all trees together know about an action at the root.
#[derive(Clone, Debug)]
pub(super) struct RootArm<A> {
    pub(super) action: A,
    pub(super) visits: u64,
    pub(super) sum: f64,
    /// The part in the strategy, before all parts are made to add up to 1.
    pub(super) weight: f64,
    pub(super) proven: Option<f64>,
    pub(super) prior: Option<f64>,
}

impl<A> RootArm<A> {
    pub(super) fn new(action: A) -> RootArm<A> {
        RootArm { action, visits: 0, sum: 0.0, weight: 0.0, proven: None, prior: None }
    }

    pub(super) fn value(&self) -> Option<f64> {
        self.proven.or_else(|| (self.visits > 0).then(|| self.sum / self.visits as f64))
    }
}

impl Answer {
    /// The choice of a player with these arms, who chooses alone or not.
    pub(super) fn choose<A: Copy>(
        self,
        arms: &[RootArm<A>],
        is_alone: bool,
        rng: &mut Rng,
    ) -> Choice<A> {
        let best = best_arm(arms);
        // A proof counts more than visits. Where players choose at once, one who takes the most
        // visited arm does not mix, and the policy says so to those who measure it.
        let is_certain = arms[best].proven.is_some();
        let is_pure = is_certain || self == Answer::Max && !is_alone;
        let total: f64 = arms.iter().map(|arm| arm.weight).sum();
        let share = |(i, arm): (usize, &RootArm<A>)| match is_pure {
            true => f64::from(u8::from(i == best)),
            false if total > 0.0 => arm.weight / total,
            false => 1.0 / arms.len() as f64,
        };
        let shares: Vec<f64> = arms.iter().enumerate().map(share).collect();
        let chosen = match self {
            Answer::Mix if !is_certain => rng.weighted(shares.iter().copied()),
            _ => best,
        };
        Choice {
            action: arms[chosen].action,
            policy: arms.iter().map(|arm| arm.action).zip(shares).collect(),
            value: match self {
                Answer::Max => arms[best].value(),
                Answer::Mix => mean_value(arms),
            },
            iterations: 0,
            nodes: 0,
        }
    }
}

/// What the row as a whole gave.
fn mean_value<A>(arms: &[RootArm<A>]) -> Option<f64> {
    let visits: u64 = arms.iter().map(|arm| arm.visits).sum();
    (visits > 0).then(|| arms.iter().map(|arm| arm.sum).sum::<f64>() / visits as f64)
}

/// The most visited arm, of equals the one with the better mean. What is proven counts more than
/// visits: an arm that is proven to give at least the mean of that one is taken instead, and that
/// one is not taken if it is proven to give less than the mean of another.
pub(super) fn best_arm<A>(arms: &[RootArm<A>]) -> usize {
    let by_visits = |&i: &usize, &j: &usize| {
        let rank = |k: usize| (arms[k].visits, arms[k].value().unwrap_or(-1.0));
        let ((n, value), (m, other)) = (rank(i), rank(j));
        n.cmp(&m).then(value.total_cmp(&other)).then(j.cmp(&i))
    };
    let open = (0..arms.len()).filter(|&i| arms[i].proven.is_none()).max_by(by_visits);
    let proven = |i: usize| arms[i].proven.unwrap_or(-1.0);
    let known = (0..arms.len())
        .filter(|&i| arms[i].proven.is_some())
        .max_by(|&i, &j| proven(i).total_cmp(&proven(j)).then(j.cmp(&i)));
    match (open, known) {
        (Some(open), Some(known)) if proven(known) < arms[open].value().unwrap_or(0.0) => open,
        (_, Some(known)) if proven(known) > 0.0 => known,
        (Some(open), _) => open,
        (None, known) => known.unwrap_or(0),
    }
}
