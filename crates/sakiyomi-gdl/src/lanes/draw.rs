//! Numbers below the counts of 512 lanes, drawn for all of them at once.
//!
//! Counts come, and numbers go, one bit of all lanes per word. Eight such words are turned into 512
//! bytes, one per lane, and back, by exchanging blocks of bits (Warren, "Hacker's Delight", 7-3).

use multiversion::multiversion;

use crate::lanes::run::Word;
use crate::run::draw::{STEP, below, scramble};

/// Draws for every lane a number below its count, `counts` and `numbers` lowest bit first. Row i of
/// `keys` has the keys of the lanes i, 64 + i, 128 + i, ..; `turn` is added to all of them.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2",
    "x86_64+avx2+bmi1+bmi2",
))]
pub(super) fn draw<const W: usize>(
    counts: &[Word<W>],
    numbers: &mut [Word<W>],
    keys: &[Word<W>; 64],
    turn: u64,
) {
    let offset = turn.wrapping_mul(STEP);
    let n_rounds = counts.len().max(numbers.len()).div_ceil(8).min(ROUNDS);
    let mut bytes = [[Word::<W>::ZERO; 8]; ROUNDS];
    let mut plane = 0;
    while plane < counts.len() {
        bytes[plane / 8][plane % 8] = counts[plane];
        plane += 1;
    }
    let mut round = 0;
    while round < n_rounds {
        exchange_bytes(&mut bytes[round]);
        exchange_bits(&mut bytes[round]);
        round += 1;
    }
    if n_rounds == 1 {
        draw_rows::<1, W>(&mut bytes, keys, offset);
    } else {
        draw_rows::<ROUNDS, W>(&mut bytes, keys, offset);
    }
    let mut round = 0;
    while round < n_rounds {
        exchange_bits(&mut bytes[round]);
        exchange_bytes(&mut bytes[round]);
        round += 1;
    }
    let mut plane = 0;
    while plane < numbers.len() {
        numbers[plane] = bytes[plane / 8][plane % 8];
        plane += 1;
    }
}

/// Counts have at most eight times as many bits.
const ROUNDS: usize = 4;

/// Replaces counts by numbers below them.
#[inline(always)]
fn draw_rows<const N: usize, const W: usize>(
    bytes: &mut [[Word<W>; 8]; ROUNDS],
    keys: &[Word<W>; 64],
    offset: u64,
) {
    let mut group = 0;
    while group < 8 {
        let mut numbers = [Word::<W>::ZERO; N];
        let mut byte = 0;
        while byte < 8 {
            let keys = &keys[group * 8 + byte];
            let mut i = 0;
            while i < W {
                let mut n = 0;
                let mut round = 0;
                while round < N {
                    n |= (bytes[round][group].0[i] >> (8 * byte) & 0xff) << (8 * round);
                    round += 1;
                }
                let number = below(scramble(keys.0[i].wrapping_add(offset)), n);
                round = 0;
                while round < N {
                    numbers[round].0[i] |= (number >> (8 * round) & 0xff) << (8 * byte);
                    round += 1;
                }
                i += 1;
            }
            byte += 1;
        }
        let mut round = 0;
        while round < N {
            bytes[round][group] = numbers[round];
            round += 1;
        }
        group += 1;
    }
}

/// Byte i of word j becomes byte j of word i.
#[inline(always)]
fn exchange_bytes<const W: usize>(words: &mut [Word<W>; 8]) {
    const MASKS: [u64; 3] = [0x00ff_00ff_00ff_00ff, 0xffff_0000_ffff, 0xffff_ffff];
    let mut stage = 0;
    while stage < 3 {
        let (distance, mask) = (1 << stage, MASKS[stage]);
        let shift = distance * 8;
        let mut first = 0;
        while first < 8 {
            if first & distance == 0 {
                let mut i = 0;
                while i < W {
                    let (low, high) = (words[first].0[i], words[first + distance].0[i]);
                    let moved = (low >> shift ^ high) & mask;
                    words[first].0[i] = low ^ moved << shift;
                    words[first + distance].0[i] = high ^ moved;
                    i += 1;
                }
            }
            first += 1;
        }
        stage += 1;
    }
}

/// In every word, bit i of byte j becomes bit j of byte i.
#[inline(always)]
fn exchange_bits<const W: usize>(words: &mut [Word<W>; 8]) {
    let mut at = 0;
    while at < 8 {
        let mut i = 0;
        while i < W {
            let mut word = words[at].0[i];
            let moved = (word ^ word >> 7) & 0x00aa_00aa_00aa_00aa;
            word ^= moved ^ moved << 7;
            let moved = (word ^ word >> 14) & 0x0000_cccc_0000_cccc;
            word ^= moved ^ moved << 14;
            let moved = (word ^ word >> 28) & 0xf0f0_f0f0;
            words[at].0[i] = word ^ moved ^ moved << 28;
            i += 1;
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::Rng;

    /// Lane by lane it is what one lane would draw, for counts of every size.
    #[test]
    fn lanes_draw_what_one_would() {
        let mut rng = Rng::new(1);
        for n_bits in [1, 3, 8, 9, 17, 20] {
            let counts: Vec<u64> = (0..512).map(|_| rng.bits() & ((1 << n_bits) - 1)).collect();
            let mut keys = [Word::<8>::ZERO; 64];
            let mut planes = vec![Word::<8>::ZERO; n_bits];
            for (lane, &count) in counts.iter().enumerate() {
                keys[lane % 64].0[lane / 64] = rng.bits();
                for (bit, plane) in planes.iter_mut().enumerate() {
                    plane.set(lane, count >> bit & 1 == 1);
                }
            }
            let mut numbers = vec![Word::<8>::ZERO; n_bits];
            draw(&planes, &mut numbers, &keys, 7);
            for (lane, &count) in counts.iter().enumerate() {
                let number = (numbers.iter().rev())
                    .fold(0, |number, plane| number << 1 | u64::from(plane.get(lane)));
                let key = keys[lane % 64].0[lane / 64];
                assert_eq!(number, below(scramble(key.wrapping_add(STEP.wrapping_mul(7))), count));
            }
        }
    }
}
