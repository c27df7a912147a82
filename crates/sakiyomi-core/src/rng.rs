//! The one random source: xoshiro256++ (Blackman and Vigna), whose output never changes with a
//! library's version. Streams are derived from numbers (seed, game, seat), never from threads.

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A seeded stream of random numbers. It is passed in wherever something is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng::stream(&[seed])
    }

    /// The stream with this address. Different addresses give independent streams: all 256 bits
    /// of the generator's state depend on every part of the address and on its length.
    pub fn stream(address: &[u64]) -> Rng {
        let mut hash = 0x243f_6a88_85a3_08d3 ^ address.len() as u64;
        let mut seed = [0; 32];
        for (lane, bytes) in seed.chunks_exact_mut(8).enumerate() {
            hash = scramble(hash ^ lane as u64);
            for &part in address {
                hash = scramble(hash.rotate_left(23) ^ scramble(part));
            }
            bytes.copy_from_slice(&hash.to_le_bytes());
        }
        Rng(Xoshiro256PlusPlus::from_seed(seed))
    }

    /// 64 fresh random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`, which must be positive. The bias of the multiplication is under n / 2^64.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        debug_assert!(n > 0);
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A number in [0, 1) with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// An index drawn with these probabilities, which add up to 1. Rounding falls to the last
    /// index whose probability is not 0.
    pub fn weighted(&mut self, probabilities: impl Iterator<Item = f64>) -> usize {
        let mut roll = self.unit();
        let mut last = 0;
        for (i, probability) in probabilities.enumerate() {
            if probability > 0.0 {
                last = i;
                if roll < probability {
                    break;
                }
                roll -= probability;
            }
        }
        last
    }
}

/// The finaliser of SplitMix64 after its increment: a bijection that spreads every bit.
fn scramble(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored matches are replayed from seeds, so these values may never change.
    #[test]
    fn streams_are_pinned() {
        let mut rng = Rng::stream(&[1, 2]);
        let first: Vec<u64> = (0..3).map(|_| rng.bits()).collect();
        assert_eq!(first, PINNED);
        assert_eq!(Rng::new(7), Rng::stream(&[7]));
    }
    const PINNED: [u64; 3] = [3846759740540512474, 7424772383976718228, 392406943218117710];

    #[test]
    fn streams_differ_in_every_part_of_the_address() {
        let addresses: [&[u64]; 7] = [&[], &[0], &[0, 0], &[1], &[0, 1], &[1, 0], &[u64::MAX]];
        let mut firsts: Vec<u64> = addresses.iter().map(|a| Rng::stream(a).bits()).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), addresses.len());
    }

    /// The correlation of neighbouring streams is within 4 standard errors of 0, and so is the
    /// mean of their first numbers within 4 of 1/2.
    #[test]
    fn neighbouring_streams_are_uncorrelated() {
        let n = 20_000;
        let first = |i: u64| Rng::stream(&[42, i]).unit() - 0.5;
        let mean: f64 = (0..n).map(first).sum::<f64>() / n as f64;
        let lag: f64 = (0..n).map(|i| first(i) * first(i + 1)).sum::<f64>() / n as f64 * 12.0;
        assert!(mean.abs() < 4.0 * (1.0 / 12.0f64 / n as f64).sqrt(), "mean {mean}");
        assert!(lag.abs() < 4.0 / (n as f64).sqrt(), "lag {lag}");
    }

    #[test]
    fn below_is_uniform() {
        let mut rng = Rng::new(3);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7)] += 1;
        }
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 1e4).powi(2) / 1e4).sum();
        assert!(chi2 < 22.5, "chi-square {chi2} with 6 degrees of freedom, p < 0.001");
    }

    #[test]
    fn weighted_never_returns_an_impossible_index() {
        let mut rng = Rng::new(5);
        let mut counts = [0u32; 4];
        for _ in 0..10_000 {
            counts[rng.weighted([0.0, 0.25, 0.75, 0.0].into_iter())] += 1;
        }
        assert_eq!((counts[0], counts[3]), (0, 0));
        assert!((2_300..2_700).contains(&counts[1]), "{counts:?}");
        // Probabilities that add up to less than 1 by rounding must not fall off the end.
        assert!((0..1000).all(|_| rng.weighted([0.5, 0.4, 0.0].into_iter()) < 2));
    }

    #[test]
    fn shuffle_reaches_every_order_evenly() {
        let mut rng = Rng::new(6);
        let mut counts = [0u32; 6];
        for _ in 0..6_000 {
            let mut items = [0, 1, 2];
            rng.shuffle(&mut items);
            counts[items[0] * 2 + usize::from(items[1] > items[2])] += 1;
        }
        assert!(counts.iter().all(|&c| (880..1_120).contains(&c)), "{counts:?}");
    }
}
