//! Goofspiel and Hagetaka of two players solved exactly, layer by layer: all states with one round
//! left, then all with two, up to the start, as Rhoads and Bartholdi (2012) did. What can come up
//! is known before anything is solved, so values stand in flat arrays whose places are computed,
//! memory is known in advance, and the pairs of hands of a layer are shared out to threads. What is
//! solved depends on no thread: one pair of hands is solved from the layer below alone.
//!
//! A state before a round is a pair of hands (`pairs.rs`), what is face down with what was carried
//! over (a slot), and the lead of the first player (`reach.rs`); by point difference the lead does
//! not matter for what is best, so it is left out. Values are those of the first player, from -1 to
//! 1 or in points yet to be won, so that a change of seats is a change of sign.

mod pairs;
mod reach;
mod slots;
mod solve;

use std::time::Duration;

use cpu_time::ThreadTime;
use sakiyomi_core::{Game, Stop};
use sakiyomi_games::Hagetaka;
use sakiyomi_games::hagetaka::{Card, Order, Payoff, Position, Ties};
use sakiyomi_search::Solution;

use pairs::Pairs;
use reach::{Leads, MAX_LEAD, close_under_mirrors, reach_leads, reach_rows};
use slots::Slots;

pub use solve::LayerProgress;

/// A game that is being solved.
#[derive(Debug)]
pub struct Layers {
    game: Hagetaka,
    by_points: bool,
    /// By rounds left; the first has nothing to solve.
    layers: Vec<Layer>,
    /// Layers whose values are known.
    n_solved: usize,
    keeps_all: bool,
    plan: Plan,
    largest_gaps: Vec<f64>,
    cpu_time: Duration,
}

#[derive(Debug)]
struct Layer {
    pairs: Pairs,
    slots: Slots,
    reached: Reached,
    /// Where the values of a pair begin, and where the last ones end.
    starts: Vec<u64>,
    values: Vec<f64>,
    n_states: u64,
}

/// What can come up in every row, which is one pair in one slot; by pair, then by slot.
#[derive(Debug)]
enum Reached {
    /// By win and loss: where the values stand, and of which leads.
    Leads { rows: Vec<Row>, leads: Vec<Leads> },
    /// By points every row has one value.
    Rows(Vec<bool>),
}

/// The values of one pair in one slot: for the leads `low`, `low + 1` and so on.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// From where the values of the pair begin.
    offset: u32,
    low: i16,
    len: u16,
}

/// What will be needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// States by rounds left, symmetric ones counted once.
    pub states: Vec<u64>,
    /// At most, with all that is held at one time.
    pub bytes: u64,
}

impl Plan {
    pub fn n_states(&self) -> u64 {
        self.states.iter().sum()
    }
}

/// Why a game cannot be solved by layers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayersError {
    #[error("layers are for two players, and for decks whose values add up to at most {}", 2 * MAX_LEAD)]
    Unsuitable,
    #[error(
        "it needs {} MiB and {} MiB are allowed; a smaller game or more `memory` would be right",
        needed >> 20, allowed >> 20
    )]
    Memory { needed: u64, allowed: u64 },
    #[error("the values of {found} states were found for a layer of {expected}")]
    Values { found: usize, expected: usize },
    #[error("the solution was stopped")]
    Stopped,
}

/// A first turn: the place of the card that is turned over, if chance has done it, and what is
/// best.
pub type LayerOpening = (Option<Card>, Solution<Card>);

impl Layers {
    /// Whether the game can be solved by layers at all.
    pub fn suits(game: &Hagetaka) -> bool {
        let sum: i32 = game.settings().deck.iter().map(|value| i32::from(value.abs())).sum();
        game.players() == 2 && sum <= 2 * MAX_LEAD
    }

    /// Finds all states that can come up, and the memory that their values take. `keeps_all` keeps
    /// the values of every layer, for [`Layers::each_value`]; otherwise only those that the next
    /// layer needs.
    pub fn plan(
        game: &Hagetaka,
        memory: u64,
        keeps_all: bool,
        stop: &Stop,
    ) -> Result<Layers, LayersError> {
        if !Layers::suits(game) {
            return Err(LayersError::Unsuitable);
        }
        let by_points = game.settings().payoff == Payoff::PointDifference;
        check_rows(game, memory)?;
        let mut layers = Layers {
            layers: Layer::all(game),
            game: game.clone(),
            by_points,
            n_solved: 1,
            keeps_all,
            plan: Plan { states: Vec::new(), bytes: 0 },
            largest_gaps: Vec::new(),
            cpu_time: Duration::ZERO,
        };
        let fixed = layers.fixed_bytes();
        if fixed > memory {
            return Err(LayersError::Memory { needed: fixed, allowed: memory });
        }
        let begin = ThreadTime::now();
        layers.find_states(stop)?;
        layers.cpu_time = begin.elapsed();
        layers.plan.states = layers.layers[1..].iter().map(|layer| layer.n_states).collect();
        layers.plan.bytes = fixed + layers.value_bytes();
        if layers.plan.bytes > memory {
            return Err(LayersError::Memory { needed: layers.plan.bytes, allowed: memory });
        }
        // Once the deck is empty nothing is won any more.
        let n_values = *layers.layers[0].starts.last().unwrap_or(&0) as usize;
        layers.layers[0].values = vec![0.0; n_values];
        Ok(layers)
    }

    /// CPU time that planning and solving took, of all threads.
    pub fn cpu_time(&self) -> Duration {
        self.cpu_time
    }

    pub fn planned(&self) -> &Plan {
        &self.plan
    }

    /// The rounds left of the layer that comes next; none once all are solved.
    pub fn next_layer(&self) -> Option<usize> {
        (self.n_solved < self.layers.len()).then_some(self.n_solved)
    }

    /// How many layers are to be solved.
    pub fn n_layers(&self) -> usize {
        self.layers.len() - 1
    }

    /// The share of the work that is done: see [`LayerProgress::done`].
    pub fn share_done(&self) -> f64 {
        self.next_layer().map_or(1.0, |layer| self.progress(layer, 0).done)
    }

    /// The values of a layer that was solved last, in their order.
    pub fn values(&self, layer: usize) -> &[f64] {
        &self.layers[layer].values
    }

    /// Of a layer that was solved: how far its matrix games are from equilibria at most.
    pub fn largest_gap(&self, layer: usize) -> f64 {
        self.largest_gaps[layer - 1]
    }

    /// Takes the values of the next layer, and its largest gap, as they were found before.
    pub fn take_values(&mut self, values: Vec<f64>, largest_gap: f64) -> Result<(), LayersError> {
        let Some(layer) = self.next_layer() else { return Ok(()) };
        let expected = *self.layers[layer].starts.last().unwrap_or(&0) as usize;
        if values.len() != expected {
            return Err(LayersError::Values { found: values.len(), expected });
        }
        self.finish(values, largest_gap);
        Ok(())
    }

    /// A bound of the NashConv of the solution in payoffs from 0 to 1: in every state a player can
    /// gain at most what its matrix game leaves open, once per round.
    pub fn nash_conv_bound(&self) -> f64 {
        self.largest_gaps.iter().sum::<f64>() * self.scale()
    }

    /// What the first player gets, from 0 to 1, once all layers are solved.
    pub fn value(&self) -> Option<f64> {
        let last = self.layers.last()?;
        last.values.first().map(|value| self.payoff(*value))
    }

    /// Every state whose value is kept, as its canonical state, with what the first player gets.
    pub fn each_value(&self, mut tell: impl FnMut(&Position, f64)) {
        for layer in &self.layers[1..] {
            for (pair, &hands) in layer.pairs.hands.iter().enumerate() {
                for (at, slot) in layer.slots.list.iter().enumerate() {
                    let row = layer.row(pair, at);
                    let Some(values) = layer.row_values(pair, row) else { continue };
                    let mut tell_one = |lead: i32| {
                        if lead < 0 && layer.pairs.is_its_own_mirror(pair) {
                            return;
                        }
                        let value = values[(lead - i32::from(row.low)) as usize];
                        let position =
                            self.game.before_round(hands, slot.deck, slot.carried, lead as i16);
                        tell(&position, self.payoff(value));
                    };
                    layer.each_lead(pair, at, &mut tell_one);
                }
            }
        }
    }

    /// Half of a win is a draw, and points are scaled as the game says.
    fn payoff(&self, value: f64) -> f64 {
        0.5 + self.scale() * value
    }

    fn scale(&self) -> f64 {
        match self.by_points {
            true => 0.25 / self.game.settings().largest_distance(),
            false => 0.5,
        }
    }

    /// All that stands beside the values.
    fn fixed_bytes(&self) -> u64 {
        let row = row_bytes(self.by_points);
        let bytes = |layer: &Layer| {
            layer.n_rows() * row + layer.pairs.hands.len() * 40 + layer.slots.bytes()
        };
        self.layers.iter().map(bytes).sum::<usize>() as u64
    }

    fn value_bytes(&self) -> u64 {
        let sizes: Vec<u64> =
            self.layers.iter().map(|layer| 8 * layer.starts.last().unwrap_or(&0)).collect();
        match self.keeps_all {
            true => sizes.iter().sum(),
            false => sizes.windows(2).map(|two| two[0] + two[1]).max().unwrap_or(0),
        }
    }

    /// Walks from the start to the end of the deck, and then numbers what was found.
    fn find_states(&mut self, stop: &Stop) -> Result<(), LayersError> {
        let all_come_up = self.by_points && self.game.settings().ties == Ties::Discard;
        for layer in &mut self.layers {
            layer.reached = match self.by_points {
                true => Reached::Rows(vec![all_come_up; layer.n_rows()]),
                false => {
                    Reached::Leads { rows: Vec::new(), leads: vec![Leads::none(); layer.n_rows()] }
                }
            };
        }
        if let Some(start) = self.layers.last_mut() {
            match &mut start.reached {
                Reached::Leads { leads, .. } => leads[0] = Leads::even(),
                Reached::Rows(rows) => rows[0] = true,
            }
        }
        for rounds in (1..self.layers.len()).rev() {
            let (below, rest) = self.layers.split_at_mut(rounds);
            let (layer, next) = (&mut rest[0], &mut below[rounds - 1]);
            // Any hands can meet any deck where nothing is carried over and no lead is kept.
            if !all_come_up {
                layer.reach(next, stop);
            }
            if stop.requested() {
                return Err(LayersError::Stopped);
            }
            layer.number();
        }
        self.layers[0].number();
        Ok(())
    }

    fn finish(&mut self, values: Vec<f64>, largest_gap: f64) {
        self.layers[self.n_solved].values = values;
        self.largest_gaps.push(largest_gap);
        self.n_solved += 1;
        // What is best in the first turn follows from the layer before the last.
        if !self.keeps_all && self.n_solved < self.layers.len() {
            self.layers[self.n_solved - 2].values = Vec::new();
        }
    }
}

/// What a row takes beside its values.
fn row_bytes(by_points: bool) -> usize {
    if by_points { size_of::<bool>() } else { size_of::<Row>() + size_of::<Leads>() }
}

/// A first look, before anything is listed: whether one row per pair and deck fits.
fn check_rows(game: &Hagetaka, memory: u64) -> Result<(), LayersError> {
    let settings = game.settings();
    let by_points = settings.payoff == Payoff::PointDifference;
    let (cards, n_deck) = (settings.cards as u32, settings.deck.len() as u32);
    let mut rows = 0.0;
    for rounds in 1..=n_deck {
        let decks = match settings.order {
            Order::Random => {
                (0..rounds).map(|i| f64::from(n_deck - i) / f64::from(i + 1)).product::<f64>()
            }
            _ => 1.0,
        };
        rows += Pairs::count(rounds + cards - n_deck, cards) / 2.0 * decks;
    }
    let needed = rows * row_bytes(by_points) as f64;
    match needed > memory as f64 {
        true => Err(LayersError::Memory { needed: needed as u64, allowed: memory }),
        false => Ok(()),
    }
}

impl Layer {
    fn all(game: &Hagetaka) -> Vec<Layer> {
        let settings = game.settings();
        let (cards, n_deck) = (settings.cards as u32, settings.deck.len() as u32);
        let mut layers: Vec<Layer> = Vec::new();
        for rounds in 0..=n_deck {
            let below = layers.last().map(|layer: &Layer| &layer.slots);
            layers.push(Layer {
                pairs: Pairs::new(rounds + cards - n_deck, cards),
                slots: Slots::new(game, rounds, below),
                reached: Reached::Rows(Vec::new()),
                starts: Vec::new(),
                values: Vec::new(),
                n_states: 0,
            });
        }
        layers
    }

    fn n_rows(&self) -> usize {
        self.pairs.hands.len() * self.slots.list.len()
    }

    fn row(&self, pair: usize, slot: usize) -> Row {
        let at = pair * self.slots.list.len() + slot;
        match &self.reached {
            Reached::Leads { rows, .. } => rows[at],
            Reached::Rows(rows) => Row { offset: slot as u32, low: 0, len: rows[at].into() },
        }
    }

    /// The leads that can come up in a row that does.
    fn each_lead(&self, pair: usize, slot: usize, tell: &mut dyn FnMut(i32)) {
        match &self.reached {
            Reached::Leads { leads, .. } => {
                leads[pair * self.slots.list.len() + slot].iter().for_each(tell);
            }
            Reached::Rows(_) => tell(0),
        }
    }

    /// The values of a row; none if it cannot come up, or if they are not kept.
    fn row_values(&self, pair: usize, row: Row) -> Option<&[f64]> {
        let start = self.starts[pair] as usize + row.offset as usize;
        (row.len > 0).then(|| self.values.get(start..start + usize::from(row.len))).flatten()
    }

    /// Notes in the layer below what can come up there.
    fn reach(&mut self, next: &mut Layer, stop: &Stop) {
        let Layer { pairs, slots, reached, .. } = self;
        match (reached, &mut next.reached) {
            (Reached::Leads { leads, .. }, Reached::Leads { leads: next_leads, .. }) => {
                close_under_mirrors(pairs, leads);
                let next = (&next.pairs, &next.slots, next_leads.as_mut_slice());
                reach_leads((pairs, slots, leads), next, stop);
            }
            (Reached::Rows(rows), Reached::Rows(next_rows)) => {
                let next = (&next.pairs, &next.slots, next_rows.as_mut_slice());
                reach_rows((pairs, slots, rows), next, stop);
            }
            // All layers are of one kind.
            _ => {}
        }
    }

    /// Gives every row its place among the values.
    fn number(&mut self) {
        let n_slots = self.slots.list.len();
        let n_pairs = self.pairs.hands.len();
        match &mut self.reached {
            Reached::Leads { rows, leads } => {
                let mut start = 0;
                rows.reserve_exact(leads.len());
                for pair in 0..n_pairs {
                    self.starts.push(start);
                    let mut offset = 0u32;
                    for leads in &leads[pair * n_slots..][..n_slots] {
                        let (low, high) = leads.ends().unwrap_or((0, -1));
                        let len = (high - low + 1) as u16;
                        rows.push(Row { offset, low: low as i16, len });
                        offset += u32::from(len);
                        self.n_states += match self.pairs.is_its_own_mirror(pair) {
                            true => u64::from(leads.len().div_ceil(2)),
                            false => u64::from(leads.len()),
                        };
                    }
                    start += u64::from(offset);
                }
                self.starts.push(start);
            }
            Reached::Rows(rows) => {
                self.starts.extend((0..=n_pairs).map(|pair| (pair * n_slots) as u64));
                self.n_states = rows.iter().filter(|is_reached| **is_reached).count() as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests;
