//! The place of a bit in a word, nearly without branches: which bit is taken is random, so a branch
//! on it would be predicted badly (Vigna, "Broadword implementation of rank/select queries", 2008).

const EACH_BYTE: u64 = 0x0101_0101_0101_0101;
const HIGHEST: u64 = EACH_BYTE << 7;

/// For every byte, how many bits are set in it and in those below; the highest byte has them all.
#[inline]
fn ranks(word: u64) -> u64 {
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    ((nibbles + (nibbles >> 4)) & (EACH_BYTE * 0x0f)).wrapping_mul(EACH_BYTE)
}

/// The place of the set bit with this number, from 0; there must be one.
#[inline]
pub(super) fn select(word: u64, number: u32) -> u32 {
    if number < FEW {
        let mut word = word;
        for _ in 0..number {
            word &= word - 1;
        }
        return word.trailing_zeros();
    }
    let (number, ranks) = (u64::from(number), ranks(word));
    // The bytes whose bits, with those below, come before the one that is looked for.
    let before = (((number * EACH_BYTE) | HIGHEST) - ranks) & HIGHEST;
    let shift = ((before >> 7).wrapping_mul(EACH_BYTE) >> 56) * 8;
    let rank = number - ((ranks << 8) >> shift & 0xff);
    let byte = word >> shift & 0xff;
    shift as u32 + u32::from(IN_BYTE[(rank as usize & 7) << 8 | byte as usize])
}

/// Numbers below this are counted one by one, which is quicker.
const FEW: u32 = 8;

/// The place of a bit in a byte, by its number and the byte.
static IN_BYTE: [u8; 2048] = {
    let mut places = [0; 2048];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut rank) = (0, 0);
        while place < 8 {
            if byte >> place & 1 == 1 {
                places[rank << 8 | byte] = place as u8;
                rank += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    places
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_found_by_their_numbers(word: u64, dense: u64, sparse: u64) {
            for word in [word, word | dense, word & sparse, u64::MAX, 1 << 63, 1] {
                assert_eq!(ranks(word) >> 56, u64::from(word.count_ones()));
                let places = (0..64).filter(|place| word >> place & 1 == 1);
                for (number, place) in places.enumerate() {
                    assert_eq!(select(word, number as u32), place);
                }
            }
        }
    }
}
