//! What is face down, with what was carried over: the slots of a layer, and where a round leads.

use rustc_hash::FxHashMap;
use sakiyomi_core::{Game, Turn};
use sakiyomi_games::Hagetaka;
use sakiyomi_games::hagetaka::{Card, Order, Ties};

use super::pairs::{bits, subsets};

#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) deck: u32,
    pub(super) carried: i16,
    /// A lead beyond this is not lost any more.
    pub(super) limit: i32,
}

/// What happens if a card is turned over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) card: Card,
    pub(super) probability: f64,
    stake: i16,
    /// The slot after one has taken the stake, and after equal cards.
    taken: u32,
    tied: u32,
}

impl Step {
    /// The slot that follows and what the first player gains, if this one played the higher card
    /// (1), the lower (-1) or the same (0).
    pub(super) fn to(&self, higher: i8) -> (usize, i32) {
        let gain = i32::from(self.stake);
        match higher {
            0 => (self.tied as usize, 0),
            // A negative stake goes to the lower card, so the higher one gains by it too.
            1 => (self.taken as usize, gain.abs()),
            _ => (self.taken as usize, -gain.abs()),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Slots {
    pub(super) list: Vec<Slot>,
    numbers: FxHashMap<(u32, i16), u32>,
    steps: Vec<Step>,
    /// Where the steps of a slot begin, and where the last ones end.
    starts: Vec<usize>,
}

impl Slots {
    /// The slots with this many rounds left, and the steps to those below.
    pub(super) fn new(game: &Hagetaka, rounds: u32, below: Option<&Slots>) -> Slots {
        let mut slots = Slots::default();
        let all = ((1u64 << game.settings().deck.len()) - 1) as u32;
        let carries = game.settings().ties == Ties::Carry;
        for deck in decks(game, all, rounds) {
            let value = |place: u32| game.value_at(place as u8);
            // What is on the table after the last round is lost.
            let carried = match carries && rounds > 0 {
                true => sums(bits(all & !deck).map(value)),
                false => vec![0],
            };
            for carried in carried {
                slots.numbers.insert((deck, carried), slots.list.len() as u32);
                let limit = game.at_stake(&game.before_round([0; 2], deck, carried, 0));
                slots.list.push(Slot { deck, carried, limit });
            }
        }
        if let Some(below) = below {
            slots.find_steps(game, below);
        }
        slots
    }

    fn find_steps(&mut self, game: &Hagetaka, below: &Slots) {
        let carries = game.settings().ties == Ties::Carry;
        let mut outcomes = Vec::new();
        for slot in &self.list {
            self.starts.push(self.steps.len());
            let position = game.before_round([0; 2], slot.deck, slot.carried, 0);
            outcomes.clear();
            match game.turn(&position) {
                Turn::Chance => game.outcomes(&position, &mut outcomes),
                _ => outcomes.push((Card(position.turned), 1.0)),
            }
            for &(card, probability) in &outcomes {
                let deck = slot.deck & !(1 << card.0);
                let stake = slot.carried + game.value_at(card.0);
                let tied = if carries && deck != 0 { stake } else { 0 };
                let number = |carried: i16| below.numbers[&(deck, carried)];
                let (taken, tied) = (number(0), number(tied));
                self.steps.push(Step { card, probability, stake, taken, tied });
            }
        }
        self.starts.push(self.steps.len());
    }

    pub(super) fn steps(&self, slot: usize) -> &[Step] {
        &self.steps[self.starts[slot]..self.starts[slot + 1]]
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.list.as_slice()) * 3 + size_of_val(self.steps.as_slice())
    }
}

/// What may be face down with this many rounds left.
fn decks(game: &Hagetaka, all: u32, rounds: u32) -> Vec<u32> {
    let n = all.count_ones();
    match game.settings().order {
        Order::Random => subsets(all, rounds).collect(),
        Order::Ascending => vec![all & !((1u64 << (n - rounds)) - 1) as u32],
        Order::Descending => vec![((1u64 << rounds) - 1) as u32],
    }
}

/// All sums of some of these values, in ascending order.
fn sums(values: impl Iterator<Item = i16>) -> Vec<i16> {
    let mut sums = vec![0];
    for value in values {
        sums.extend(sums.clone().into_iter().map(|sum| sum + value));
        sums.sort_unstable();
        sums.dedup();
    }
    sums
}
