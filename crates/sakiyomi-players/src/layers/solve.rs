//! One layer solved from the one below it, on several threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use cpu_time::ThreadTime;
use sakiyomi_core::Stop;
use sakiyomi_games::hagetaka::{Card, MAX_CARDS};
use sakiyomi_search::{MatrixGame, Solution, Support};

use super::pairs::{Successor, bits};
use super::slots::Step;
use super::{Layer, LayerOpening, Layers, LayersError};

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub struct LayerProgress {
    /// Of the layer that is being solved.
    pub rounds_left: usize,
    /// States that are solved, and all of them.
    pub n_solved: u64,
    pub n_states: u64,
    /// The share of the work that is done: states with more cards take longer.
    pub done: f64,
}

/// Pairs of hands that a thread takes at a time.
const BLOCK: usize = 8;

impl Layers {
    /// Solves the next layer. The values are the same on any number of threads. If it is stopped,
    /// the layer counts as not begun.
    pub fn solve_next(
        &mut self,
        n_threads: usize,
        stop: &Stop,
        progress: &mut dyn FnMut(LayerProgress),
    ) -> Result<(), LayersError> {
        let Some(at) = self.next_layer() else { return Ok(()) };
        let (layer, below) = (&self.layers[at], &self.layers[at - 1]);
        let n_values = *layer.starts.last().unwrap_or(&0) as usize;
        let mut values = vec![0.0; n_values];
        let blocks = Mutex::new(layer.blocks(&mut values));
        let n_done = AtomicU64::new(0);
        let next_block = || blocks.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let by_points = self.by_points;
        let work = |tell: &mut dyn FnMut(u64)| {
            let begin = ThreadTime::now();
            let mut worker = Worker::new(layer, below, by_points);
            while let Some(block) = next_block() {
                for (pair, values) in block {
                    if stop.requested() {
                        return (worker.largest_gap, begin.elapsed());
                    }
                    worker.solve_pair(pair, values);
                    tell(n_done.fetch_add(1, Ordering::Relaxed) + 1);
                }
            }
            (worker.largest_gap, begin.elapsed())
        };
        let mut tell = |n_pairs: u64| progress(self.progress(at, n_pairs));
        let (largest_gap, cpu_time) = thread::scope(|scope| {
            let others: Vec<_> =
                (1..n_threads).map(|_| scope.spawn(|| work(&mut |_| {}))).collect();
            let own = work(&mut tell);
            // A panic of a thread is one of the whole, as without threads.
            others.into_iter().fold(own, |(gap, time), other| match other.join() {
                Ok((other_gap, other_time)) => (f64::max(gap, other_gap), time + other_time),
                Err(panic) => std::panic::resume_unwind(panic),
            })
        });
        if n_done.into_inner() < layer.pairs.hands.len() as u64 {
            return Err(LayersError::Stopped);
        }
        drop(blocks);
        self.cpu_time += cpu_time;
        self.finish(values, largest_gap);
        Ok(())
    }

    pub(super) fn progress(&self, at: usize, n_pairs: u64) -> LayerProgress {
        // A state with n cards has n matrix games of n rows and columns.
        let work = |rounds: usize| {
            let n_states = *self.plan.states.get(rounds.wrapping_sub(1)).unwrap_or(&0);
            n_states as f64 * (rounds as f64).powi(3)
        };
        let share = n_pairs as f64 / self.layers[at].pairs.hands.len() as f64;
        let all: f64 = (1..self.layers.len()).map(work).sum();
        let before: f64 = (1..at).map(work).sum();
        let n_before: u64 = self.plan.states[..at - 1].iter().sum();
        LayerProgress {
            rounds_left: at,
            n_solved: n_before + (share * self.plan.states[at - 1] as f64) as u64,
            n_states: self.plan.n_states(),
            done: (before + share * work(at)) / all,
        }
    }

    /// What is best in the first turn, after every card that may be turned over, once the layer
    /// before the last is solved.
    pub fn openings(&self) -> Vec<LayerOpening> {
        let [.., below, layer] = self.layers.as_slice() else { return Vec::new() };
        let mut worker = Worker::new(layer, below, self.by_points);
        layer.pairs.successors(0, &below.pairs, &mut worker.successors);
        let steps = layer.slots.steps(0);
        let cards = || bits(layer.pairs.hands[0][0]).map(|card| Card(card as u8));
        let n_cards = cards().count();
        let opening = |step: &Step| {
            worker.find_links(step);
            worker.fill(n_cards, 0);
            let value = self.payoff(worker.matrix.solve());
            let strategies = worker
                .matrix
                .strategies
                .each_ref()
                .map(|shares| cards().zip(shares.iter().copied()).collect());
            (Some(step.card).filter(|_| steps.len() > 1), Solution { strategies, value })
        };
        steps.iter().map(opening).collect()
    }
}

/// A pair of hands by its number, with the place of its values.
type Job<'a> = (usize, &'a mut [f64]);

impl Layer {
    /// The places of all values in blocks; those of the last pairs, which have most cards in
    /// common, come first.
    fn blocks<'a>(&self, mut values: &'a mut [f64]) -> Vec<Vec<Job<'a>>> {
        let mut jobs = Vec::with_capacity(self.pairs.hands.len());
        for (pair, ends) in self.starts.windows(2).enumerate() {
            let (own, rest) = values.split_at_mut((ends[1] - ends[0]) as usize);
            jobs.push((pair, own));
            values = rest;
        }
        let mut blocks = Vec::new();
        while !jobs.is_empty() {
            blocks.push(jobs.split_off(jobs.len().saturating_sub(BLOCK)));
        }
        blocks
    }
}

/// Where the value after a joint action stands.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The place of the value, for a lead of 0 afterwards.
    place: i64,
    /// -1 if the players have changed seats.
    sign: i32,
    gain: i32,
    limit: i32,
}

struct Worker<'a> {
    layer: &'a Layer,
    below: &'a Layer,
    by_points: bool,
    successors: Vec<Successor>,
    links: Vec<Link>,
    matrix: MatrixGame,
    largest_gap: f64,
}

impl<'a> Worker<'a> {
    fn new(layer: &'a Layer, below: &'a Layer, by_points: bool) -> Worker<'a> {
        let (successors, links, matrix) = (Vec::new(), Vec::new(), MatrixGame::default());
        Worker { layer, below, by_points, successors, links, matrix, largest_gap: 0.0 }
    }

    /// The values of all states with this pair of hands. Nothing is left of the pair before, so
    /// that it does not matter which thread solves it.
    fn solve_pair(&mut self, pair: usize, values: &mut [f64]) {
        let Worker { layer, below, .. } = *self;
        let n_cards = layer.pairs.hands[pair][0].count_ones() as usize;
        let n_slots = layer.slots.list.len();
        let is_mirror = layer.pairs.is_its_own_mirror(pair);
        let mut successors = std::mem::take(&mut self.successors);
        layer.pairs.successors(pair, &below.pairs, &mut successors);
        self.successors = successors;
        // By the card that is turned over: what is best changes least with the lead and the deck.
        let mut likely = [Support::default(); MAX_CARDS];
        for slot in 0..n_slots {
            let row = layer.row(pair, slot);
            let values = &mut values[row.offset as usize..][..usize::from(row.len)];
            if values.is_empty() {
                continue;
            }
            let place = |lead: i32| (lead - i32::from(row.low)) as usize;
            for step in layer.slots.steps(slot) {
                self.find_links(step);
                let mut solve_at = |lead: i32| {
                    // Who has the same cards and no lead has no advantage.
                    if !is_mirror || lead > 0 {
                        self.fill(n_cards, lead);
                        let likely = &mut likely[usize::from(step.card.0)];
                        let (value, gap) = self.matrix.solve_like(likely);
                        values[place(lead)] += step.probability * value;
                        self.largest_gap = self.largest_gap.max(gap);
                    }
                };
                layer.each_lead(pair, slot, &mut solve_at);
            }
            if is_mirror {
                for lead in i32::from(row.low)..0 {
                    values[place(lead)] = -values[place(-lead)];
                }
            }
        }
    }

    /// Where each joint action leads if this card is turned over.
    fn find_links(&mut self, step: &Step) {
        let below = self.below;
        self.links.clear();
        self.links.extend(self.successors.iter().map(|to| {
            let (slot, gain) = step.to(to.higher);
            let row = below.row(to.pair as usize, slot);
            let start = below.starts[to.pair as usize] + u64::from(row.offset);
            let limit = below.slots.list[slot].limit;
            let sign = if to.exchanged { -1 } else { 1 };
            Link { place: start as i64 - i64::from(row.low), sign, gain, limit }
        }));
    }

    /// The matrix game for this lead.
    fn fill(&mut self, n_cards: usize, lead: i32) {
        let Worker { below, by_points, links, matrix, .. } = self;
        let values = &below.values;
        let by_lead = |link: &Link| {
            let lead = lead + link.gain;
            if lead.abs() > link.limit {
                return f64::from(lead.signum());
            }
            f64::from(link.sign) * values[(link.place + i64::from(link.sign * lead)) as usize]
        };
        let by_points_won =
            |link: &Link| f64::from(link.gain) + f64::from(link.sign) * values[link.place as usize];
        match by_points {
            true => matrix.set(n_cards, n_cards, links.iter().map(by_points_won)),
            false => matrix.set(n_cards, n_cards, links.iter().map(by_lead)),
        }
    }
}
