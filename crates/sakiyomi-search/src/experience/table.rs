//! The table of experience: payoffs by code, and the codes within a Hamming distance of another.
//!
//! Neighbours are found by multi-index hashing (Norouzi, Punjani and Fleet 2012). For distance d
//! the 64 bits are cut into d + 2 blocks. Two codes that differ in at most d bits agree in at least
//! two blocks, so there is a hash table for every pair of blocks, and only the codes that agree
//! with the query there are compared. Bits of real codes differ much in how often they change, so
//! that equal blocks would leave hundreds of codes under one key: bits are dealt out so that the
//! entropies of the blocks are about equal, again whenever the table has doubled. Where there are
//! few codes at that distance at all (short random codes), they are looked up one by one instead.
//!
//! Memory is bounded. When the table is full, the half of the entries with the fewest visits is
//! dropped, of equals the oldest.

use sakiyomi_core::Payoffs;

/// Ends a chain.
const NONE: u32 = u32::MAX;
/// Up to this many codes are looked up one by one.
const MAX_PROBES: usize = 512;
/// Entries for which there is room from the beginning, as a power of two.
const FIRST_LOG2: u32 = 10;
/// Codes from which entropies are estimated.
const SAMPLE: usize = 4096;
/// Entries at most, whatever the memory.
const MAX_ENTRIES: usize = 1 << 24;

#[derive(Clone, Debug)]
pub(super) struct Table {
    n_players: usize,
    distance: u32,
    /// The bits that codes use, if there are so few that all codes nearby are looked up.
    short: Option<u64>,
    max_entries: usize,
    entries: Vec<Entry>,
    /// Payoffs added up, `n_players` for each entry.
    sums: Vec<f32>,
    /// A number that is given with the entry.
    marks: Vec<u32>,
    /// The bits that make up the key of each hash table; the first one has all.
    masks: Vec<u64>,
    /// The first entry of every chain, `1 << log2` of them for each hash table.
    heads: Vec<u32>,
    log2: u32,
    /// The next entry of the chain, one for each hash table after the first and each entry.
    links: Vec<u32>,
}

/// What looking up a code needs stands together: a large table is out of the cache, and every
/// position of every playout is looked up.
#[derive(Clone, Copy, Debug)]
struct Entry {
    code: u64,
    visits: u32,
    /// The next entry of the chain in the first hash table.
    next: u32,
}

/// An entry nearby, and at which distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Neighbour {
    pub(super) entry: u32,
    pub(super) distance: u32,
}

/// What is lent to a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lent {
    pub(crate) visits: f64,
    /// Payoffs, added up.
    pub(crate) sums: Payoffs,
}

impl Table {
    /// A table for codes of `n_bits` bits, of which those up to `distance` apart are neighbours.
    pub(super) fn new(n_players: usize, n_bits: u32, distance: u32, memory: u64) -> Table {
        let short = n_probes(n_bits, distance) <= MAX_PROBES;
        let n_blocks = distance as usize + 2;
        let n_tables = if short { 1 } else { 1 + n_blocks * (n_blocks - 1) / 2 };
        // A table has up to two heads for an entry.
        let bytes = 8 + 4 + 4 + 4 * n_players + 12 * n_tables;
        let mut table = Table {
            n_players,
            distance,
            short: short.then(|| u64::MAX >> (64 - n_bits)),
            max_entries: ((memory / bytes as u64) as usize).clamp(16, MAX_ENTRIES),
            entries: Vec::new(),
            sums: Vec::new(),
            marks: Vec::new(),
            masks: vec![u64::MAX; n_tables],
            heads: Vec::new(),
            log2: FIRST_LOG2,
            links: Vec::new(),
        };
        table.rebuild();
        table
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    fn codes(&self) -> impl Iterator<Item = u64> + '_ {
        self.entries.iter().map(|entry| entry.code)
    }

    pub(super) fn visits(&self, entry: u32) -> u32 {
        self.entries[entry as usize].visits
    }

    /// The payoffs of an entry, added up, one for each player.
    pub(super) fn sums(&self, entry: u32) -> &[f32] {
        &self.sums[entry as usize * self.n_players..][..self.n_players]
    }

    pub(super) fn mark(&self, entry: u32) -> u32 {
        self.marks[entry as usize]
    }

    /// Adds a visit to the entry of a code, which is made with this mark if there is none.
    pub(super) fn add(&mut self, code: u64, payoffs: &Payoffs, mark: u32) {
        let entry = match self.find(code) {
            Some(entry) => entry as usize,
            None => self.insert(code, mark),
        };
        let visits = &mut self.entries[entry].visits;
        *visits = visits.saturating_add(1);
        let sums = &mut self.sums[entry * self.n_players..][..self.n_players];
        for (sum, &payoff) in sums.iter_mut().zip(payoffs.as_slice(self.n_players)) {
            *sum += payoff as f32;
        }
    }

    pub(super) fn find(&self, code: u64) -> Option<u32> {
        let mut number = self.heads[self.head(0, code)];
        while number != NONE {
            let entry = &self.entries[number as usize];
            if entry.code == code {
                return Some(number);
            }
            number = entry.next;
        }
        None
    }

    /// Writes all entries within the distance of a code, each once, in an order that depends on
    /// nothing but what was added. Returns how many codes were compared or looked up.
    pub(super) fn neighbours(&self, code: u64, found: &mut Vec<Neighbour>) -> usize {
        found.clear();
        if let Some(bits) = self.short {
            return self.look_up_all(code, bits, found);
        }
        let mut n_compared = 0;
        for table in 1..self.masks.len() {
            let mut entry = self.heads[self.head(table, code)];
            while entry != NONE {
                n_compared += 1;
                let difference = self.entries[entry as usize].code ^ code;
                let distance = difference.count_ones();
                // What agrees in several pairs of blocks belongs to the first of them.
                if distance <= self.distance
                    && self.masks[1..].iter().position(|mask| difference & mask == 0)
                        == Some(table - 1)
                {
                    found.push(Neighbour { entry, distance });
                }
                entry = self.links[entry as usize * (self.masks.len() - 1) + table - 1];
            }
        }
        n_compared
    }

    /// Looks up all codes within the distance that differ in these bits only.
    fn look_up_all(&self, code: u64, bits: u64, found: &mut Vec<Neighbour>) -> usize {
        let mut n_looked_up = 0;
        for_each_within(code, bits, self.distance, &mut |near: u64| {
            n_looked_up += 1;
            if let Some(entry) = self.find(near) {
                found.push(Neighbour { entry, distance: (near ^ code).count_ones() });
            }
        });
        n_looked_up
    }

    fn insert(&mut self, code: u64, mark: u32) -> usize {
        if self.entries.len() >= self.max_entries {
            self.drop_half();
        } else if self.entries.len() >> self.log2 > 0 {
            self.log2 += 1;
            self.rebuild();
        }
        self.entries.push(Entry { code, visits: 0, next: NONE });
        self.sums.resize(self.sums.len() + self.n_players, 0.0);
        self.marks.push(mark);
        let entry = self.entries.len() - 1;
        self.link(entry);
        entry
    }

    /// Puts an entry at the head of its chain in every hash table.
    fn link(&mut self, entry: usize) {
        let code = self.entries[entry].code;
        for table in 0..self.masks.len() {
            let head = self.head(table, code);
            let next = std::mem::replace(&mut self.heads[head], entry as u32);
            match table {
                0 => self.entries[entry].next = next,
                _ => self.links.push(next),
            }
        }
    }

    #[inline]
    fn head(&self, table: usize, code: u64) -> usize {
        let key = (code & self.masks[table]).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // The upper half of a product depends on the lower bits; fold, so that it does on all.
        let spread = (key ^ key >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (table << self.log2) + (spread >> (64 - self.log2)) as usize
    }

    /// Deals out the bits to blocks by what is known now, and makes all chains.
    fn rebuild(&mut self) {
        if self.masks.len() > 1 {
            let codes: Vec<u64> = self.codes().collect();
            let blocks = balanced_blocks(&codes, self.distance as usize + 2);
            let pairs = (0..blocks.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            for (mask, (i, j)) in self.masks[1..].iter_mut().zip(pairs) {
                *mask = blocks[i] | blocks[j];
            }
        }
        self.heads.clear();
        self.heads.resize(self.masks.len() << self.log2, NONE);
        self.links.clear();
        (0..self.entries.len()).for_each(|entry| self.link(entry));
    }

    fn drop_half(&mut self) {
        let mut order: Vec<u32> = (0..self.entries.len() as u32).collect();
        let n_dropped = order.len() / 2;
        order.select_nth_unstable_by_key(n_dropped, |&entry| (self.visits(entry), entry));
        let mut kept = order.split_off(n_dropped);
        kept.sort_unstable();
        for (new, &old) in kept.iter().enumerate() {
            let old = old as usize;
            self.entries[new] = self.entries[old];
            self.marks[new] = self.marks[old];
            let n = self.n_players;
            self.sums.copy_within(old * n..(old + 1) * n, new * n);
        }
        self.entries.truncate(kept.len());
        self.marks.truncate(kept.len());
        self.sums.truncate(kept.len() * self.n_players);
        self.rebuild();
    }
}

/// How many codes of `n` bits are within the distance of one.
fn n_probes(n_bits: u32, distance: u32) -> usize {
    let n_bits = n_bits as usize;
    let mut term = 1;
    let terms = (1..=distance as usize).map(|i| {
        term = term * (n_bits + 1 - i.min(n_bits + 1)) / i;
        term
    });
    1 + terms.sum::<usize>()
}

/// Calls `each` with every code that differs from `code` in at most `distance` of these bits.
fn for_each_within(code: u64, bits: u64, distance: u32, each: &mut dyn FnMut(u64)) {
    each(code);
    if distance == 0 {
        return;
    }
    let mut rest = bits;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest &= rest - 1;
        // Only bits above this one follow, so that every set of bits comes once.
        for_each_within(code ^ bit, rest, distance - 1, each);
    }
}

/// Cuts 64 bits into blocks with about the same sum of entropies, by the codes so far: the bit that
/// tells most goes to the block that has least.
fn balanced_blocks(codes: &[u64], n_blocks: usize) -> Vec<u64> {
    let step = codes.len().div_ceil(SAMPLE).max(1);
    let n_sampled = codes.iter().step_by(step).count();
    let entropy = |bit: u32| {
        let ones = codes.iter().step_by(step).filter(|&code| code >> bit & 1 == 1).count();
        match ones as f64 / n_sampled.max(1) as f64 {
            share if share <= 0.0 || share >= 1.0 => 0.0,
            share => -share * libm::log2(share) - (1.0 - share) * libm::log2(1.0 - share),
        }
    };
    let mut bits: Vec<(f64, u32)> = (0..64).map(|bit| (entropy(bit), bit)).collect();
    bits.sort_by(|(a, i), (b, j)| b.total_cmp(a).then(i.cmp(j)));
    let mut blocks = vec![(0.0f64, 0u32, 0u64); n_blocks];
    for (entropy, bit) in bits {
        let least = blocks.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some((sum, n_bits, block)) = least else { break };
        *sum += entropy;
        *n_bits += 1;
        *block |= 1 << bit;
    }
    blocks.into_iter().map(|(_, _, block)| block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::Rng;

    const ROOMY: u64 = 1 << 30;

    /// Codes as positions give them: bits that change often, seldom and never, and neighbours.
    fn skewed_codes(n: usize, rng: &mut Rng) -> Vec<u64> {
        let mut codes: Vec<u64> = Vec::new();
        for _ in 0..n {
            let seldom = rng.bits() & rng.bits() & rng.bits() & 0x00ff_ffff_0000_0000;
            let fresh = (rng.bits() & 0x0000_0000_00ff_ffff) | seldom;
            let code = match codes.is_empty() || rng.below(2) == 0 {
                true => fresh,
                false => codes[rng.below(codes.len())] ^ 1 << rng.below(56) ^ 1 << rng.below(56),
            };
            codes.push(code);
        }
        codes
    }

    /// All neighbours, found by trying all masks.
    fn by_masks(table: &Table, code: u64, bits: u64) -> Vec<Neighbour> {
        let mut found = Vec::new();
        for_each_within(code, bits, table.distance, &mut |near| {
            let distance = (near ^ code).count_ones();
            found.extend(table.find(near).map(|entry| Neighbour { entry, distance }));
        });
        found.sort();
        found
    }

    #[test]
    fn the_index_finds_what_trying_all_masks_finds() {
        let mut rng = Rng::new(5);
        for distance in 0..=3 {
            let mut table = Table::new(2, 64, distance, ROOMY);
            let codes = skewed_codes(5_000, &mut rng);
            codes.iter().for_each(|&code| table.add(code, &Payoffs::of([1.0, 0.0]), 0));
            let mut found = Vec::new();
            let mut n_found = 0;
            for query in codes.iter().step_by(if distance == 3 { 499 } else { 50 }) {
                let query = query ^ 1 << rng.below(64);
                table.neighbours(query, &mut found);
                found.sort();
                assert_eq!(found, by_masks(&table, query, u64::MAX), "distance {distance}");
                n_found += found.len();
            }
            assert!(n_found > 0 || distance == 0, "distance {distance}");
        }
    }

    #[test]
    fn short_codes_are_looked_up_and_give_the_same() {
        let mut rng = Rng::new(6);
        let mut short = Table::new(2, 20, 2, ROOMY);
        let mut indexed = Table::new(2, 64, 2, ROOMY);
        assert!(short.short.is_some() && indexed.short.is_none());
        for _ in 0..3_000 {
            let code = rng.bits() >> 44;
            short.add(code, &Payoffs::of([0.5, 0.5]), 0);
            indexed.add(code, &Payoffs::of([0.5, 0.5]), 0);
        }
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for _ in 0..200 {
            let query = rng.bits() >> 44;
            assert_eq!(short.neighbours(query, &mut a), 1 + 20 + 190);
            indexed.neighbours(query, &mut b);
            a.sort();
            b.sort();
            assert_eq!(a, b);
        }
    }

    #[test]
    fn entries_add_up_visits_and_payoffs() {
        let mut table = Table::new(3, 64, 1, ROOMY);
        table.add(9, &Payoffs::of([1.0, 0.25, 0.0]), 4);
        table.add(9, &Payoffs::of([0.0, 0.25, 1.0]), 5);
        table.add(8, &Payoffs::of([0.0, 0.0, 1.0]), 6);
        let entry = table.find(9).unwrap();
        assert_eq!((table.visits(entry), table.sums(entry)), (2, &[1.0, 0.5, 1.0][..]));
        assert_eq!((table.mark(entry), table.len()), (4, 2));
        assert_eq!(table.find(7), None);
    }

    #[test]
    fn a_full_table_keeps_the_half_that_was_visited_most() {
        let mut table = Table::new(1, 64, 2, ROOMY);
        table.max_entries = 64;
        let payoffs = Payoffs::of([1.0]);
        for code in 0..64u64 {
            // The codes that are divisible by 4 have three visits, the others one.
            let times = if code % 4 == 0 { 3 } else { 1 };
            (0..times).for_each(|_| table.add(code << 20, &payoffs, code as u32));
        }
        table.add(1, &payoffs, 99);
        assert_eq!(table.len(), 33);
        for code in 0..64u64 {
            // Sixteen with three visits, and the sixteen youngest of the others.
            let is_kept = code % 4 == 0 || code >= 43;
            let entry = table.find(code << 20);
            assert_eq!(entry.is_some(), is_kept, "{code}");
            if let Some(entry) = entry {
                assert_eq!(u64::from(table.mark(entry)), code);
                assert_eq!(table.sums(entry)[0], table.visits(entry) as f32);
            }
        }
        let mut found = Vec::new();
        table.neighbours(1, &mut found);
        found.sort();
        assert_eq!(found, by_masks(&table, 1, u64::MAX));
    }

    #[test]
    fn blocks_have_about_the_same_entropy() {
        let codes = skewed_codes(4_000, &mut Rng::new(7));
        let blocks = balanced_blocks(&codes, 4);
        assert_eq!(blocks.iter().fold(0, |all, block| all ^ block), u64::MAX);
        // 24 bits change at random: each block gets 6 of them.
        for block in blocks {
            assert_eq!((block & 0x00ff_ffff).count_ones(), 6, "{block:x}");
        }
    }

    #[test]
    fn codes_nearby_are_counted() {
        assert_eq!(n_probes(64, 2), 1 + 64 + 2016);
        assert_eq!(n_probes(20, 0), 1);
        assert_eq!(n_probes(20, 3), 1 + 20 + 190 + 1140);
    }
}
