//! Leaves that wait for a batch of playouts. Where a game plays many playouts at once far faster
//! than one after the other, descents leave their leaves behind, each counted as a visit whose
//! payoffs are to come, and all are played out together. A leaf gets several playouts, since by then
//! a descent costs more than a playout; their mean is backed up as one visit. Where actions compete
//! in playouts, their means change from batch to batch.
//!
//! What waits is a small part of the visits of the root, so a small tree grows leaf by leaf. With a
//! clock the search measures what a visit costs alone and what a batch costs: it goes on leaf by
//! leaf as long as that is faster, for good where a game gains too little, and a leaf gets no more
//! playouts than take as long as its descent, or as fill a batch. Everything happens on one thread
//! and in order, so without a clock the tree follows from the seed alone.

use std::time::Duration;

use sakiyomi_core::{Hints, Meter, Payoffs, Rng, Stop};

use super::game_tree::{Room, TooManyActions};
use super::leaf::Leaf;
use super::path::ROOT;
use super::playout::policy::LeafBatch;
use super::tree::Kind;
use super::walk::{Reached, Report, Walk};

/// At most one in this number of visits of the root waits: more make the tree weaker than several
/// times as many visits make it stronger.
const VISITS_PER_WAITING: u32 = 32;

/// A few may wait in a small tree, one in this number of visits.
const FEW: u32 = 8;
const VISITS_PER_FEW: u32 = 4;

/// If a batch must be larger to be faster than leaf by leaf, what it gains is lost again by what
/// waits.
const MOST_TO_BREAK_EVEN: f64 = 8.0;

/// Playouts of a batch before it is known what one costs.
const USUAL_BATCH: u32 = 128;

/// With fewer playouts a batch takes as long.
const FULL_BATCH: f64 = 512.0;

/// Iterations alone with which a search with a clock begins, to know what one costs.
const MIN_ALONE: u32 = 8;

/// What visits have cost on this thread, in seconds of CPU time, as far as that is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// One visit alone.
    alone: Option<f64>,
    /// The descent of a leaf that waits.
    descent: Option<f64>,
    /// A batch of playouts.
    batch: Option<f64>,
}

impl Pace {
    /// From how many leaves on a batch is faster than one leaf after the other.
    fn break_even(&self) -> Option<f64> {
        let gain = self.alone? - self.descent?;
        Some(if gain > 0.0 { self.batch? / gain } else { f64::INFINITY })
    }

    /// How many playouts of a leaf take as long as its descent.
    fn playouts_per_descent(&self) -> Option<f64> {
        Some(self.descent? * FULL_BATCH / self.batch?)
    }

    /// Games may become faster as they are played, so what is new counts half.
    fn note_alone(&mut self, seconds: f64) {
        self.alone = Some(self.alone.map_or(seconds, |before| (before + seconds) / 2.0));
    }

    fn note_batch(&mut self, descent: f64, playouts: f64, n_playouts: usize) {
        let add = |mean: &mut Option<f64>, new: f64| {
            *mean = Some(mean.map_or(new, |mean| mean + (new - mean) / 8.0));
        };
        if n_playouts >= LeafBatch::MIN_AT_ONCE {
            add(&mut self.descent, descent);
            add(&mut self.batch, playouts / (n_playouts as f64 / FULL_BATCH).max(1.0));
        }
    }
}

/// One decision.
pub(super) struct InBatches<'a, G: Hints> {
    pub(super) game: &'a G,
    pub(super) root: &'a G::State,
    pub(super) room: Room,
    pub(super) stop: &'a Stop,
    pub(super) batch: LeafBatch,
    /// Whether no clock ends the search.
    pub(super) is_repeatable: bool,
}

/// The leaves that wait, with buffers that are used again.
struct Waiting<G: Hints> {
    /// The first `n` of them wait.
    leaves: Vec<Leaf<G>>,
    /// The states of these leaves.
    states: Vec<G::State>,
    n: usize,
    starts: Vec<u32>,
    payoffs: Vec<Payoffs>,
}

impl<G: Hints> InBatches<'_, G> {
    pub(super) fn run(
        &self,
        walk: &mut Walk<G>,
        meter: &mut Meter<'_>,
        rng: &mut Rng,
        mut report: Option<Report<'_, G>>,
    ) -> Result<(), TooManyActions> {
        let (leaves, states, starts, payoffs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut waiting = Waiting { leaves, states, n: 0, starts, payoffs };
        let is_open = |walk: &Walk<G>| walk.tree.nodes[ROOT as usize].kind() != Kind::Proven;
        let (mut n_alone, before) = (0u32, meter.cpu_time());
        while is_open(walk) {
            let most = self.most_waiting(walk, n_alone);
            let n = if most > 1 { self.grant(meter, most) } else { u64::from(meter.another()) };
            if n == 0 {
                break;
            }
            let is_first = meter.done() == n;
            let is_small = !self.is_repeatable
                && walk.pace.break_even().is_some_and(|leaves| (n as f64) < leaves);
            if most == 1 || is_small {
                for _ in 0..n {
                    if !walk.iterate(self.game, self.root, self.room, self.stop, is_first, rng)? {
                        return Ok(());
                    }
                }
                let was_short = n_alone < MIN_ALONE;
                n_alone += n as u32;
                if !self.is_repeatable && was_short && n_alone >= MIN_ALONE {
                    let spent = meter.cpu_time().saturating_sub(before);
                    walk.pace.note_alone(spent.as_secs_f64() / f64::from(n_alone));
                }
            } else {
                self.batch(walk, &mut waiting, (n, is_first), meter, rng)?;
            }
            if let (true, Some(report)) = (meter.is_report_due(), &mut report) {
                (report.tell)(walk, meter.done());
            }
        }
        Ok(())
    }

    /// One batch of `n` iterations.
    fn batch(
        &self,
        walk: &mut Walk<G>,
        waiting: &mut Waiting<G>,
        (n, is_first): (u64, bool),
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<(), TooManyActions> {
        let begin = meter.cpu_time();
        walk.ahead.waits = true;
        for _ in 0..n {
            if walk.tree.nodes[ROOT as usize].kind() != Kind::Proven {
                self.descend(walk, waiting, rng)?;
            }
        }
        walk.look_ahead_together(self.game);
        let middle = meter.cpu_time();
        let n_playouts = self.play_out(walk, waiting, is_first, rng);
        let seconds = |from: Duration, to: Duration| to.saturating_sub(from).as_secs_f64();
        let (descents, playouts) = (seconds(begin, middle), seconds(middle, meter.cpu_time()));
        walk.pace.note_batch(descents / n as f64, playouts, n_playouts);
        Ok(())
    }

    /// How many leaves may wait now; one if they had better not.
    fn most_waiting(&self, walk: &Walk<G>, n_alone: u32) -> u32 {
        let visits = walk.tree.nodes[ROOT as usize].visits;
        let n_arms = walk.tree.rows(ROOT).map(|row| row.len).max().unwrap_or(0) as u32;
        let LeafBatch { leaves, playouts } = self.batch;
        // Whatever the others give, each arm of the root is tried once.
        let n_untried = n_arms.saturating_sub(visits);
        let few = (visits / VISITS_PER_FEW).min(FEW);
        let most = n_untried.max(visits / VISITS_PER_WAITING).max(few).clamp(1, leaves.max(1));
        if !self.is_repeatable && n_alone < MIN_ALONE {
            return 1;
        }
        let enough = match walk.pace.break_even().filter(|_| !self.is_repeatable) {
            Some(leaves) => leaves <= MOST_TO_BREAK_EVEN && f64::from(most) >= leaves,
            None => most * playouts >= USUAL_BATCH.min(leaves * playouts),
        };
        if enough { most } else { 1 }
    }

    /// How many iterations are done before the next batch is played.
    fn grant(&self, meter: &mut Meter<'_>, most: u32) -> u64 {
        // How many wait decides where the next ones go, so a clock may have a say only if it ends
        // the search.
        if self.is_repeatable {
            return (0..most).take_while(|_| meter.another()).count() as u64;
        }
        meter.several(most.into())
    }

    /// Goes down to a leaf, which waits unless its payoffs are known.
    fn descend(
        &self,
        walk: &mut Walk<G>,
        waiting: &mut Waiting<G>,
        rng: &mut Rng,
    ) -> Result<(), TooManyActions> {
        let n = waiting.n;
        if waiting.leaves.len() == n {
            waiting.leaves.push(Leaf::new(self.root.clone()));
            waiting.states.push(self.root.clone());
        }
        let leaf = &mut waiting.leaves[n];
        leaf.restart(self.root);
        match walk.descend(self.game, self.room, leaf, self.stop, rng)? {
            Reached::Known(payoffs) => walk.absorb(self.game, leaf, &payoffs),
            Reached::Open => {
                walk.select.count_ahead(&mut walk.tree, &mut leaf.path);
                std::mem::swap(&mut leaf.state, &mut waiting.states[n]);
                waiting.n += 1;
            }
        }
        Ok(())
    }

    /// Plays out from all leaves that wait, backs their payoffs up, and returns how many playouts that
    /// took.
    fn play_out(
        &self,
        walk: &mut Walk<G>,
        waiting: &mut Waiting<G>,
        is_first: bool,
        rng: &mut Rng,
    ) -> usize {
        let n = std::mem::take(&mut waiting.n);
        let per_leaf = self.playouts_per_leaf(walk, n);
        let Waiting { leaves, states, starts, payoffs, .. } = waiting;
        // What was proven meanwhile needs no playouts.
        let known = |leaf: &Leaf<G>| leaf.path.steps.iter().find_map(|at| walk.tree.proof(at.node));
        starts.clear();
        for (number, _) in leaves[..n].iter().enumerate().filter(|(_, leaf)| known(leaf).is_none())
        {
            starts.extend((0..per_leaf).map(|_| number as u32));
        }
        payoffs.clear();
        let (game, states) = (self.game, &states[..n]);
        let competes =
            walk.policy.competing().zip(walk.policy.means::<G::Action>(1.0 / per_leaf as f64));
        let is_done = competes.is_some_and(|(draws, mut means)| {
            game.tournament_playouts(states, starts, draws, &mut means, rng, payoffs)
        });
        if !is_done {
            game.playouts(states, starts, &mut walk.scratch, rng, payoffs);
        }
        // A game may end its playouts in the middle when it is stopped; what they give then means
        // nothing.
        let is_stopped = self.stop.requested() && !is_first;
        let played = starts.chunks_exact(per_leaf).zip(payoffs.chunks_exact(per_leaf));
        let mut played = played.map(|(starts, payoffs)| (starts[0] as usize, payoffs)).peekable();
        for (number, leaf) in leaves[..n].iter_mut().enumerate() {
            let own = played.next_if(|&(other, _)| other == number).map(|(_, own)| mean(own));
            let known = leaf.path.steps.iter().find_map(|at| walk.tree.proof(at.node)).copied();
            if is_stopped {
                walk.select.take_back(&mut walk.tree, &mut leaf.path);
            } else if let Some(payoffs) = known.or(own) {
                walk.absorb(self.game, leaf, &payoffs);
            }
        }
        starts.len()
    }

    fn playouts_per_leaf(&self, walk: &Walk<G>, n_leaves: usize) -> usize {
        let most = self.batch.playouts.max(1) as usize;
        if n_leaves * most < LeafBatch::MIN_AT_ONCE {
            return 1;
        }
        match walk.pace.playouts_per_descent().filter(|_| !self.is_repeatable) {
            Some(n) => (n.max(FULL_BATCH / n_leaves as f64) as usize).clamp(1, most),
            None => most,
        }
    }
}

fn mean(all: &[Payoffs]) -> Payoffs {
    let mut mean = Payoffs::default();
    all.iter().for_each(|payoffs| mean.add_scaled(payoffs, 1.0 / all.len() as f64));
    mean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_begin_where_they_are_faster() {
        let pace = Pace { alone: Some(10e-6), descent: Some(2e-6), batch: Some(400e-6) };
        assert!((pace.break_even().unwrap() - 50.0).abs() < 1e-6);
        // 512 playouts in 400 microseconds.
        assert!((pace.playouts_per_descent().unwrap() - 2.56).abs() < 1e-6);
        assert_eq!(Pace { alone: Some(2e-6), ..pace }.break_even(), Some(f64::INFINITY));
        assert_eq!(Pace { alone: None, ..pace }.break_even(), None);
    }

    #[test]
    fn small_batches_cost_as_much_as_full_ones() {
        let mut pace = Pace::default();
        pace.note_batch(2e-6, 1e-3, 256);
        assert_eq!((pace.descent, pace.batch), (Some(2e-6), Some(1e-3)));
        pace.note_batch(2e-6, 2e-3, 1024);
        assert_eq!(pace.batch, Some(1e-3));
        // What is too small for a batch says nothing.
        pace.note_batch(1.0, 1.0, 2);
        assert_eq!(pace.batch, Some(1e-3));
    }
}
