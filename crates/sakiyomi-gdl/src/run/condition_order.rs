//! In which order the interpreter meets the conditions of a rule: learned from how many steps the
//! proofs took.
//!
//! Facts before relations that rules define is right for most rules, above all for recursion. But a
//! rule that joins several relations of facts with a relation of few instances then asks for each
//! combination of the facts by itself. For such rules the other order is tried twice, and the one
//! that took fewer steps is kept. What is counted is steps and not time, so that the order follows
//! from the rules alone.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ground::program::Program;
use crate::read::check::atoms;
use crate::read::parse::Atom;
use crate::read::term::Functor;

/// Which conditions come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Facts,
    /// Relations that rules define and of which something is known.
    Rules,
}

/// Proofs that took fewer steps than this on average are left as they are.
const FEW_STEPS: u64 = 256;
/// How often each order is tried before one of them is kept.
const TRIALS: u64 = 2;

#[derive(Clone, Copy, Debug, Default)]
struct Trial {
    runs: u64,
    steps: u64,
}

impl Trial {
    fn mean(self) -> u64 {
        self.steps / self.runs.max(1)
    }
}

/// What was learned, by rule and by the arguments of its head that are known.
#[derive(Debug, Default)]
pub(super) struct Orders {
    trials: FxHashMap<(usize, u64), [Trial; 2]>,
}

impl Orders {
    pub(super) fn choose(&self, rule: usize, known: u64) -> Order {
        let [facts, rules] = self.trials.get(&(rule, known)).copied().unwrap_or_default();
        let is_settled = facts.runs < TRIALS || facts.mean() < FEW_STEPS;
        match !is_settled && (rules.runs < TRIALS || rules.mean() < facts.mean()) {
            true => Order::Rules,
            false => Order::Facts,
        }
    }

    pub(super) fn note(&mut self, rule: usize, known: u64, order: Order, steps: u64) {
        let trial = &mut self.trials.entry((rule, known)).or_default()[order as usize];
        trial.runs += 1;
        trial.steps += steps;
    }

    pub(super) fn bytes(&self) -> u64 {
        48 * self.trials.capacity() as u64
    }
}

/// The relations that rules define without asking for themselves, directly or not: only these may
/// be asked for more than one instance at a time.
pub(super) fn without_recursion(program: &Program) -> FxHashSet<(Functor, usize)> {
    let mut uses: FxHashMap<(Functor, usize), Vec<(Functor, usize)>> = FxHashMap::default();
    for rule in &program.rules {
        uses.entry(rule.head.key()).or_default().extend(atoms(rule).map(Atom::key));
    }
    let is_recursive = |key: &(Functor, usize)| {
        let (mut seen, mut open) = (FxHashSet::default(), vec![*key]);
        while let Some(next) = open.pop() {
            for &used in uses.get(&next).into_iter().flatten() {
                if used == *key {
                    return true;
                }
                if seen.insert(used) {
                    open.push(used);
                }
            }
        }
        false
    };
    uses.keys().filter(|key| !is_recursive(key)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_with_fewer_steps_is_kept() {
        let mut orders = Orders::default();
        let mut run = |rule: usize, facts: u64, rules: u64| {
            let order = orders.choose(rule, 1);
            orders.note(rule, 1, order, if order == Order::Facts { facts } else { rules });
            order
        };
        let taken: Vec<Order> = (0..8).map(|_| run(0, 1_000, 30)).collect();
        assert_eq!(taken[..2], [Order::Facts; 2]);
        assert_eq!(taken[2..], [Order::Rules; 6]);
        let taken: Vec<Order> = (0..8).map(|_| run(1, 1_000, 3_000)).collect();
        assert_eq!(taken[2..4], [Order::Rules; 2]);
        assert_eq!(taken[4..], [Order::Facts; 4]);
        assert!((0..8).all(|_| run(2, 100, 1) == Order::Facts));
    }
}
