//! What can come up in a layer: which leads a player can have in a row of it, as a set of numbers
//! from -127 to 127, or by points only which rows.

use sakiyomi_core::Stop;

use super::pairs::{Pairs, Successor};
use super::slots::Slots;

/// The largest lead that is told apart.
pub(super) const MAX_LEAD: i32 = 127;

const WORDS: usize = 4;

/// A set of leads; lead `d` is bit `d + 128`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Leads([u64; WORDS]);

impl Leads {
    pub(super) fn none() -> Leads {
        Leads::default()
    }

    /// No lead for anyone.
    pub(super) fn even() -> Leads {
        Leads([0, 0, 1, 0])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(super) fn add(&mut self, other: &Leads) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }

    /// The leads of the other player.
    pub(super) fn mirrored(&self) -> Leads {
        let [a, b, c, d] = self.0.map(u64::reverse_bits);
        // The reversed bits stand one place too low.
        Leads([d, c, b, a]).shifted(1)
    }

    /// All leads larger by this much; those that are too large are lost.
    pub(super) fn shifted(&self, by: i32) -> Leads {
        let mut shifted = [0; WORDS];
        let (words, places) = ((by.unsigned_abs() / 64) as usize, by.unsigned_abs() % 64);
        for (i, word) in shifted.iter_mut().enumerate() {
            let at = |back: usize| match by >= 0 {
                true => i.checked_sub(back).map_or(0, |from| self.0[from]),
                false => self.0.get(i + back).copied().unwrap_or(0),
            };
            let (near, far) = (at(words), at(words + 1));
            *word = match (places, by >= 0) {
                (0, _) => near,
                (_, true) => near << places | far >> (64 - places),
                (_, false) => near >> places | far << (64 - places),
            };
        }
        Leads(shifted)
    }

    /// Those that are at most `limit`, for either player.
    pub(super) fn within(&self, limit: i32) -> Leads {
        let limit = limit.min(MAX_LEAD);
        let mut kept = *self;
        for (i, word) in kept.0.iter_mut().enumerate() {
            let first = 64 * i as i32 - 128;
            let below = (-limit - first).clamp(0, 64) as u32;
            let above = (first + 63 - limit).clamp(0, 64) as u32;
            *word &= u64::MAX.checked_shl(below).unwrap_or(0);
            *word &= u64::MAX.checked_shr(above).unwrap_or(0);
        }
        kept
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            let mut word = word;
            std::iter::from_fn(move || {
                let place = (word != 0).then(|| word.trailing_zeros());
                word &= word.wrapping_sub(1);
                place.map(|place| 64 * i as i32 + place as i32 - 128)
            })
        })
    }

    /// The smallest and the largest.
    pub(super) fn ends(&self) -> Option<(i32, i32)> {
        let low = self.0.iter().position(|&word| word != 0)?;
        let high = self.0.iter().rposition(|&word| word != 0)?;
        let number = |word: usize, place: u32| 64 * word as i32 + place as i32 - 128;
        Some((number(low, self.0[low].trailing_zeros()), number(high, self.0[high].ilog2())))
    }
}

/// A layer with what is known of its rows, by pair and then by slot.
type Marked<'a, T> = (&'a Pairs, &'a Slots, &'a [T]);
type MarkedNext<'a, T> = (&'a Pairs, &'a Slots, &'a mut [T]);

/// Where both have the same cards, either may be the one who leads.
pub(super) fn close_under_mirrors(pairs: &Pairs, leads: &mut [Leads]) {
    let n_slots = leads.len() / pairs.hands.len();
    for pair in (0..pairs.hands.len()).filter(|&pair| pairs.is_its_own_mirror(pair)) {
        for leads in &mut leads[pair * n_slots..][..n_slots] {
            let mirrored = leads.mirrored();
            leads.add(&mirrored);
        }
    }
}

/// Notes in the layer below which leads can come up there.
pub(super) fn reach_leads(
    (pairs, slots, leads): Marked<'_, Leads>,
    (next_pairs, next_slots, next_leads): MarkedNext<'_, Leads>,
    stop: &Stop,
) {
    let n_next = next_slots.list.len();
    each_row(pairs, slots, next_pairs, stop, |row, slot, successors| {
        let leads = &leads[row];
        if leads.is_empty() {
            return;
        }
        let mirrored = leads.mirrored();
        for step in slots.steps(slot) {
            // By who played the higher card, and whether the seats are exchanged.
            let found = [-1, 0, 1].map(|higher| {
                let (slot, gain) = step.to(higher);
                let limit = next_slots.list[slot].limit;
                (slot, [leads.shifted(gain), mirrored.shifted(-gain)].map(|all| all.within(limit)))
            });
            for to in successors {
                let (slot, found) = &found[(to.higher + 1) as usize];
                next_leads[to.pair as usize * n_next + slot].add(&found[usize::from(to.exchanged)]);
            }
        }
    });
}

/// Notes in the layer below which rows can come up there.
pub(super) fn reach_rows(
    (pairs, slots, rows): Marked<'_, bool>,
    (next_pairs, next_slots, next_rows): MarkedNext<'_, bool>,
    stop: &Stop,
) {
    let n_next = next_slots.list.len();
    each_row(pairs, slots, next_pairs, stop, |row, slot, successors| {
        if rows[row] {
            for step in slots.steps(slot) {
                for to in successors {
                    next_rows[to.pair as usize * n_next + step.to(to.higher).0] = true;
                }
            }
        }
    });
}

/// Tells every row with its slot and where its pair leads, until it is stopped.
fn each_row(
    pairs: &Pairs,
    slots: &Slots,
    next_pairs: &Pairs,
    stop: &Stop,
    mut tell: impl FnMut(usize, usize, &[Successor]),
) {
    let n_slots = slots.list.len();
    let mut successors = Vec::new();
    for pair in (0..pairs.hands.len()).take_while(|_| !stop.requested()) {
        pairs.successors(pair, next_pairs, &mut successors);
        (0..n_slots).for_each(|slot| tell(pair * n_slots + slot, slot, &successors));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::Rng;

    /// Against lists of numbers.
    #[test]
    fn sets_are_moved_mirrored_and_cut_like_lists() {
        let mut rng = Rng::new(1);
        for _ in 0..500 {
            let mut list: Vec<i32> = (0..6).map(|_| rng.below(255) as i32 - 127).collect();
            list.sort_unstable();
            list.dedup();
            let mut set = Leads::none();
            list.iter().for_each(|&lead| set.add(&Leads::even().shifted(lead)));
            assert_eq!(set.iter().collect::<Vec<_>>(), list);
            assert_eq!(set.ends(), Some((list[0], list[list.len() - 1])));
            let mirror: Vec<i32> = list.iter().rev().map(|lead| -lead).collect();
            assert_eq!(set.mirrored().iter().collect::<Vec<_>>(), mirror);
            let (by, limit) = (rng.below(201) as i32 - 100, rng.below(128) as i32);
            let moved: Vec<i32> =
                list.iter().map(|lead| lead + by).filter(|lead| lead.abs() <= limit).collect();
            assert_eq!(set.shifted(by).within(limit).iter().collect::<Vec<_>>(), moved);
        }
    }
}
