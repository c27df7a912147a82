//! The rule by which random matches draw their moves, the same for matches that are played one at
//! a time and for those in lanes.
//!
//! A match has a key of 64 bits. What a role draws at a ply follows from the key, the ply and the
//! role alone: `turn` is the ply, counted from the start of the game, times the number of roles,
//! plus the role. `scramble(key + turn * STEP)`, which is SplitMix64 from the key on, is mapped to
//! a number k below the count n of legal moves as the upper half of its product with n. The role
//! makes the k-th of its legal moves in the order of their numbers. A role with one legal move
//! makes it; with the same rule, since nothing but 0 is below 1.
//!
//! A role that draws several times at a ply, to choose between what it draws, adds [`AGAIN`] to the
//! turn with every further draw.
//!
//! So a match does not depend on which engine plays it, on its lane, or on what is played beside it.

/// The distance of two draws of a match.
pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// More turns than a match has.
pub(crate) const AGAIN: u64 = 1 << 40;

/// The finaliser of SplitMix64: a bijection that spreads every bit.
#[inline(always)]
pub(crate) fn scramble(x: u64) -> u64 {
    let z = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The upper half of the product of 64 random bits and `n`, which is below 2^32. Written as two
/// products of 32 bits, which every processor does for several lanes at once.
#[inline(always)]
pub(crate) fn below(bits: u64, n: u64) -> u64 {
    let low = (bits & 0xffff_ffff) * (n & 0xffff_ffff);
    let high = (bits >> 32) * (n & 0xffff_ffff);
    (high + (low >> 32)) >> 32
}

/// The number of the move, among the `n` legal ones, that a role makes at a turn.
#[inline(always)]
pub(crate) fn draw(key: u64, turn: u64, n: usize) -> usize {
    below(scramble(key.wrapping_add(turn.wrapping_mul(STEP))), n as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By matches, plies and roles alike: chi-square within 4 standard deviations of its mean.
    #[test]
    fn every_legal_move_is_drawn_as_often() {
        let draws: [fn(u64, usize) -> usize; 3] = [
            |i, n| draw(scramble(i), 5, n),
            |i, n| draw(7, i, n),
            |i, n| draw(scramble(i / 64), i % 64, n),
        ];
        for by in draws {
            for n in [2usize, 3, 7, 30, 200] {
                let mut counts = vec![0u32; n];
                let expected = 500.0;
                for i in 0..n as u64 * 500 {
                    counts[by(i, n)] += 1;
                }
                let chi: f64 =
                    counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
                let freedom = (n - 1) as f64;
                assert!((chi - freedom).abs() < 4.0 * (2.0 * freedom).sqrt(), "{n}: {chi}");
            }
        }
        assert_eq!(draw(123, 4, 1), 0);
        assert_eq!(below(u64::MAX, 87_000), 86_999);
    }
}
