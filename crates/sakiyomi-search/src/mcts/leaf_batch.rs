//! Leaves that wait for a batch of playouts. Where a game plays many playouts at once far faster
//! than one after the other, descents leave their leaves behind, each counted as a lost visit
//! (virtual loss, Chaslot et al. 2008), and all are played out together. A leaf gets several
//! playouts, since by then a descent costs more than a playout; their mean is backed up as one
//! visit.
//!
//! What waits is a part of the visits of the root, so a small tree grows by a few leaves at a time.
//! Everything happens on one thread and in order, so the tree follows from the seed alone.

use sakiyomi_core::{Hints, Meter, Payoffs, Rng, Stop};

use super::game_tree::{Room, TooManyActions};
use super::leaf::Leaf;
use super::path::ROOT;
use super::playout::policy::LeafBatch;
use super::tree::Kind;
use super::walk::{Reached, Report, Walk};

/// At most one in this number of visits of the root waits.
const VISITS_PER_WAITING: u32 = 4;

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
        while is_open(walk) {
            let n = self.grant(walk, meter);
            if n == 0 {
                break;
            }
            for _ in 0..n {
                if is_open(walk) {
                    self.descend(walk, &mut waiting, rng)?;
                }
            }
            let is_first = meter.done() == n;
            self.play_out(walk, &mut waiting, is_first, rng);
            if let (true, Some(report)) = (meter.is_report_due(), &mut report) {
                (report.tell)(walk, meter.done());
            }
        }
        Ok(())
    }

    /// How many iterations are done before the next batch is played.
    fn grant(&self, walk: &Walk<G>, meter: &mut Meter<'_>) -> u64 {
        let visits = walk.tree.nodes[ROOT as usize].visits;
        let n_arms = walk.tree.rows(ROOT).map(|row| row.len).max().unwrap_or(0) as u32;
        // Whatever the others give, each arm of the root is tried once.
        let n_untried = n_arms.saturating_sub(visits).min(self.batch.leaves);
        let most = match n_untried {
            0 => (visits / VISITS_PER_WAITING).clamp(1, self.batch.leaves.max(1)),
            n => n,
        };
        // How many wait decides where the next ones go, so a clock may have a say only if it ends
        // the search.
        if self.is_repeatable || n_untried > 0 {
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

    /// Plays out from all leaves that wait, and backs their payoffs up.
    fn play_out(
        &self,
        walk: &mut Walk<G>,
        waiting: &mut Waiting<G>,
        is_first: bool,
        rng: &mut Rng,
    ) {
        let n = std::mem::take(&mut waiting.n);
        let per_leaf = self.playouts_per_leaf(n);
        let Waiting { leaves, states, starts, payoffs, .. } = waiting;
        starts.clear();
        starts.extend((0..n as u32).flat_map(|leaf| (0..per_leaf).map(move |_| leaf)));
        payoffs.clear();
        self.game.playouts(&states[..n], starts, &mut walk.scratch, rng, payoffs);
        // A game may end its playouts in the middle when it is stopped; what they give then means
        // nothing.
        let is_stopped = self.stop.requested() && !is_first;
        for (leaf, payoffs) in leaves[..n].iter_mut().zip(payoffs.chunks_exact(per_leaf)) {
            if is_stopped {
                walk.select.take_back(&mut walk.tree, &mut leaf.path);
            } else {
                walk.absorb(self.game, leaf, &mean(payoffs));
            }
        }
    }

    fn playouts_per_leaf(&self, n_leaves: usize) -> usize {
        let playouts = self.batch.playouts.max(1) as usize;
        if n_leaves * playouts < LeafBatch::MIN_AT_ONCE { 1 } else { playouts }
    }
}

fn mean(all: &[Payoffs]) -> Payoffs {
    let mut mean = Payoffs::default();
    all.iter().for_each(|payoffs| mean.add_scaled(payoffs, 1.0 / all.len() as f64));
    mean
}
