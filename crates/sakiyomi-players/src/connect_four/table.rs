//! What the solver keeps of positions: bounds of their scores.

/// Between which scores the truth lies, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) low: i32,
    pub(super) high: i32,
}

impl Bounds {
    /// The bound that says whether the score is above `alpha`, if one does.
    pub(super) fn beyond(self, alpha: i32) -> Option<i32> {
        if self.high <= alpha { Some(self.high) } else { (self.low > alpha).then_some(self.low) }
    }

    /// With what was found out: a bound from below if it is above `alpha`, else from above.
    pub(super) fn and(self, found: i32, alpha: i32) -> Bounds {
        match found > alpha {
            true => Bounds { low: self.low.max(found), ..self },
            false => Bounds { high: self.high.min(found), ..self },
        }
    }
}

/// Buckets of positions, each of half a cache line. In a full one the position goes that was the least work.
#[derive(Debug)]
pub(super) struct Table {
    /// A position is the part of its hash that does not number its bucket, both bounds, and the work as a power of two; 0 is
    /// empty.
    buckets: Vec<[u64; 4]>,
    /// By how much a hash is shifted to the number of its bucket.
    shift: u32,
}

/// The fewest bits of the hash that number the bucket, and so bits that are free for what is known.
const BITS: u32 = 20;
const KNOWN: u64 = (1 << BITS) - 1;
/// Odd, so that no two positions have the same hash.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
/// A bound is kept as a score plus this, in seven bits.
const ZERO: i32 = 64;

impl Table {
    /// With two to the power of `bits` buckets, at least 20 bits.
    pub(super) fn new(bits: u32) -> Table {
        let bits = bits.max(BITS);
        Table { buckets: vec![[0; 4]; 1 << bits], shift: u64::BITS - bits }
    }

    pub(super) fn get(&self, key: u64) -> Option<Bounds> {
        let hash = key.wrapping_mul(FACTOR);
        let bucket = &self.buckets[(hash >> self.shift) as usize];
        let entry = bucket.iter().find(|&&entry| entry > 0 && entry & !KNOWN == hash << BITS)?;
        let bound = |shift: u32| (entry >> shift & 127) as i32 - ZERO;
        Some(Bounds { low: bound(13), high: bound(6) })
    }

    /// Keeps bounds, with the number of positions that were looked at for them.
    pub(super) fn keep(&mut self, key: u64, bounds: Bounds, work: u64) {
        let hash = key.wrapping_mul(FACTOR);
        let bucket = &mut self.buckets[(hash >> self.shift) as usize];
        let own = bucket.iter_mut().position(|entry| *entry & !KNOWN == hash << BITS);
        let least = || (0..bucket.len()).min_by_key(|&at| bucket[at] & 63).unwrap_or(0);
        let bound = |score: i32| (score + ZERO) as u64;
        bucket[own.unwrap_or_else(least)] = hash << BITS
            | bound(bounds.low) << 13
            | bound(bounds.high) << 6
            | u64::from(u64::BITS - work.leading_zeros());
    }
}
