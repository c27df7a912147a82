//! The hands of two players as far as they matter: how their cards compare. A pair is kept with the
//! larger hand first, as a set of bits, and with no place that neither of them has.

use rustc_hash::FxHashMap;
use sakiyomi_games::hagetaka::gather;

/// All pairs of hands with the same number of cards, numbered.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    pub(super) hands: Vec<[u32; 2]>,
    numbers: FxHashMap<[u32; 2], u32>,
}

/// Where a pair leads if both play a card.
#[derive(Clone, Copy, Debug)]
pub(super) struct Successor {
    pub(super) pair: u32,
    /// The players have changed seats there.
    pub(super) exchanged: bool,
    /// Who played the higher card: 1 for the first player, -1 for the second, 0 if they are equal.
    pub(super) higher: i8,
}

impl Pairs {
    /// All pairs of `size` cards each that can come up with cards 1 to `cards`.
    pub(super) fn new(size: u32, cards: u32) -> Pairs {
        let mut pairs = Pairs::default();
        for n_places in size..=cards.min(2 * size) {
            let all = (1u32 << n_places) - 1;
            for first in subsets(all, size) {
                // The second has all that the first has not, and shares the rest.
                let missing = all & !first;
                let n_shared = 2 * size - n_places;
                let seconds = subsets(first, n_shared).map(|shared| missing | shared);
                for second in seconds.filter(|&second| second <= first) {
                    let number = pairs.hands.len() as u32;
                    pairs.numbers.insert([first, second], number);
                    pairs.hands.push([first, second]);
                }
            }
        }
        pairs
    }

    /// How many there are, without listing them: at most, as both seats are counted.
    pub(super) fn count(size: u32, cards: u32) -> f64 {
        let choose =
            |n: u32, k: u32| (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product::<f64>();
        let n_places = size..=cards.min(2 * size);
        n_places.map(|n| choose(n, size) * choose(size, 2 * size - n)).sum()
    }

    /// Both players have the same cards, so they can change seats.
    pub(super) fn is_its_own_mirror(&self, pair: usize) -> bool {
        self.hands[pair][0] == self.hands[pair][1]
    }

    /// Where each joint action leads, by the cards of the first player and then of the second.
    pub(super) fn successors(&self, pair: usize, next: &Pairs, out: &mut Vec<Successor>) {
        out.clear();
        let [first, second] = self.hands[pair];
        for own in bits(first) {
            for other in bits(second) {
                let hands = [first & !(1 << own), second & !(1 << other)];
                let all = hands[0] | hands[1];
                let gathered = hands.map(|hand| gather(hand, all));
                let exchanged = gathered[0] < gathered[1];
                let key = if exchanged { [gathered[1], gathered[0]] } else { gathered };
                let higher = own.cmp(&other) as i8;
                out.push(Successor { pair: next.numbers[&key], exchanged, higher });
            }
        }
    }
}

/// The places of the set bits, in ascending order.
pub(super) fn bits(mut set: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = (set != 0).then(|| set.trailing_zeros());
        set &= set.wrapping_sub(1);
        place
    })
}

/// All subsets with `size` elements.
pub(super) fn subsets(of: u32, size: u32) -> impl Iterator<Item = u32> {
    let places: Vec<u32> = bits(of).collect();
    let (n, end) = (places.len() as u32, 1u64 << places.len());
    // The next number with as many bits is the next subset.
    let first = (size <= n).then_some((1u64 << size) - 1);
    let next = move |&last: &u64| {
        if last == 0 {
            return None;
        }
        let low = last & last.wrapping_neg();
        let ripple = last + low;
        let next = ripple | (((last ^ ripple) / low) >> 2);
        (next < end).then_some(next)
    };
    std::iter::successors(first, next).map(move |chosen| {
        places
            .iter()
            .enumerate()
            .fold(0, |set, (i, place)| set | (((chosen >> i & 1) as u32) << place))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_all_of_their_size() {
        let found: Vec<u32> = subsets(0b10110, 2).collect();
        assert_eq!(found, [0b00110, 0b10010, 0b10100]);
        assert_eq!(subsets(0b101, 0).collect::<Vec<_>>(), [0]);
        assert_eq!(subsets(0b101, 3).count(), 0);
        assert_eq!(subsets(0, 0).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn the_count_is_that_of_both_seats() {
        for (size, cards) in [(0, 3), (1, 4), (2, 4), (3, 4), (4, 4), (3, 9)] {
            let pairs = Pairs::new(size, cards);
            let n_mirrors = (0..pairs.hands.len()).filter(|&p| pairs.is_its_own_mirror(p)).count();
            let both = 2 * pairs.hands.len() - n_mirrors;
            assert_eq!(both as f64, Pairs::count(size, cards), "{size} of {cards}");
        }
    }
}
