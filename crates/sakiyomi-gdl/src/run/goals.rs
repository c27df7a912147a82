//! The goals of a state, computed when they are asked for.
//!
//! Small goals are computed gate by gate. Large ones are counted from the start of the match on, as
//! long as that is less work on average.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::network::gates::{Kind, Lit};
use crate::network::graph::Network;
use crate::run::buffers::Buffers;
use crate::run::formula::{Code, Counting, Formulas, localise, read};
use crate::run::layout::Layout;
use crate::run::live::Live;

/// Inputs of goals that are too many to be looked at for every payoff.
const LARGE_GOALS: usize = 2_000;

#[derive(Debug)]
pub(crate) struct Goals {
    /// Per role, the values with the codes that grant them.
    by_role: Vec<Vec<(u8, Code)>>,
    formulas: Formulas,
    /// The same for large formulas.
    counting: Option<Counting>,
    /// How many edges there were to look at when goals were counted, on average.
    pub(super) count_work: AtomicUsize,
}

impl Goals {
    /// `first` is the state from which large goals are counted.
    pub(super) fn new(network: &Network, layout: &Layout, first: &Live) -> Goals {
        let gate = |node| (network.gates.kind(node) == Kind::And, network.gates.inputs(node));
        let lits: Vec<Lit> = network.goals.iter().flatten().map(|&(_, lit)| lit).collect();
        let (gates, codes) = localise(&lits, |lit| layout.try_live_lit(lit), gate);
        let mut codes = codes.into_iter();
        let by_role = (network.goals.iter())
            .map(|goals| goals.iter().map(|&(value, _)| value).zip(&mut codes).collect())
            .collect();
        let formulas = Formulas::new(&gates);
        let is_large = formulas.n_inputs() > LARGE_GOALS;
        let counting = is_large.then(|| Counting::new(&formulas, first));
        Goals { by_role, formulas, counting, count_work: AtomicUsize::new(0) }
    }

    /// Counts also if goals are small.
    #[cfg(test)]
    pub(super) fn count_always(&mut self, first: &Live) {
        self.counting = Some(Counting::new(&self.formulas, first));
    }

    /// The goal of each role, or nothing where not exactly one value holds.
    pub(super) fn read(&self, live: &Live, buffers: &mut Buffers, out: &mut [Option<u8>]) {
        let work = self.count_work.load(Ordering::Relaxed);
        let counting = self.counting.as_ref();
        let Some(counting) = counting.filter(|_| work < self.formulas.n_inputs()) else {
            self.formulas.evaluate(live, &mut buffers.values);
            return self.choose(out, |code| read(code, live, &buffers.values));
        };
        let counts = buffers.counts.get_or_insert_default();
        counting.count(live, counts);
        self.choose(out, |code| counting.read(code, live, counts));
        self.count_work.store((work * 7 + counting.undo(counts)).div_ceil(8), Ordering::Relaxed);
    }

    /// Says for every role which goal holds, if it is exactly one.
    fn choose(&self, out: &mut [Option<u8>], mut holds: impl FnMut(Code) -> bool) {
        for (goals, out) in self.by_role.iter().zip(out) {
            let mut held = (goals.iter()).filter(|&&(_, code)| holds(code));
            let first = held.next().map(|&(value, _)| value);
            *out = first.filter(|_| held.next().is_none());
        }
    }
}
