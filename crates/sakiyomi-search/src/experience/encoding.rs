//! Positions as codes of up to 64 bits, of which similar positions have similar ones.
//!
//! A position is the row of its cells ([`Hints::cells`]), an empty cell being a piece like others.
//! The first three encodings are those of Uemiya and Yokoyama; the last one is ours. Codes of their
//! encodings do not say whose turn it is, those of ours do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sakiyomi_core::{Hints, Players, Rng, Scratch, Turn};

/// How a position becomes a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Random bits, this many, for every piece on every cell, all XORed (Zobrist).
    Random { bits: u32 },
    /// Pieces are numbered in the order in which they first appear and written as binary numbers,
    /// one cell after the other: 0, 1, 10, 11, 100 and so on.
    Order,
    /// Pieces are written in a Huffman code, which is made from 10 random games.
    Huffman,
    /// Every piece on every cell has one bit, and an empty cell has none. A piece that moves
    /// changes two bits wherever it is; in the encodings of variable width a piece may shift all
    /// that comes after it.
    OneHot,
}

impl Encoding {
    /// Bits of a code.
    pub(super) fn n_bits(self) -> u32 {
        match self {
            Encoding::Random { bits } => bits.clamp(1, 64),
            Encoding::Order | Encoding::Huffman | Encoding::OneHot => 64,
        }
    }
}

/// Random games from which Huffman codes are made.
const GAMES: usize = 10;
/// Strings of groups of cells that are kept at most: few enough for the fastest cache.
const MAX_GROUPS: usize = 1024;

/// Encodes the positions of one game.
#[derive(Clone, Debug)]
pub(super) struct Encoder {
    encoding: Encoding,
    n_codes: usize,
    /// What a piece on a cell is XORed with.
    words: Vec<u64>,
    /// The bit string of every piece, once it has one.
    strings: Vec<Option<BitString>>,
    n_strings: u32,
    /// Cells whose strings are put together at once.
    group_size: usize,
    /// The string of every group of pieces, once it was needed; empty until then. A position is
    /// encoded in every step of every playout, and each string has to wait for the length of those
    /// before.
    groups: Vec<BitString>,
    /// What the players who choose are XORed with.
    turns: Vec<u64>,
    cells: Vec<u8>,
}

/// The last `len` bits of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct BitString {
    bits: u64,
    len: u32,
}

impl BitString {
    /// This one and another after it, if they have 64 bits at most.
    fn and_then(self, after: BitString) -> Option<BitString> {
        let len = self.len + after.len;
        (len <= 64).then(|| BitString {
            bits: self.bits.checked_shl(after.len).unwrap_or(0) | after.bits,
            len,
        })
    }
}

impl Encoder {
    /// None for a game without cells.
    pub(super) fn new<G: Hints>(game: &G, encoding: Encoding, rng: &mut Rng) -> Option<Encoder> {
        let shape = game.cell_shape()?;
        let n_words = shape.n_cells() * shape.n_codes;
        let mut encoder = Encoder::empty(encoding, vec![None; shape.n_codes]);
        match encoding {
            Encoding::Random { .. } => {
                let unused = 64 - encoding.n_bits();
                encoder.words.extend((0..n_words).map(|_| rng.bits() >> unused));
            }
            Encoding::Order => {}
            Encoding::Huffman => {
                let strings = huffman(&piece_counts(game, shape.n_codes, rng));
                encoder.strings = strings.into_iter().map(Some).collect();
            }
            Encoding::OneHot => {
                let n_pieces = shape.n_codes.saturating_sub(1).max(1);
                encoder.words.extend((0..n_words).map(|word| {
                    let (cell, piece) = (word / shape.n_codes, word % shape.n_codes);
                    // The string of one bit for each, folded into 64.
                    piece.checked_sub(1).map_or(0, |piece| 1 << ((cell * n_pieces + piece) % 64))
                }));
                encoder.turns.extend((0..=u8::MAX).map(|_| rng.bits()));
            }
        }
        Some(encoder)
    }

    fn empty(encoding: Encoding, strings: Vec<Option<BitString>>) -> Encoder {
        let n_codes = strings.len();
        let (mut group_size, mut n_groups) = (1, n_codes);
        while n_codes > 1 && n_groups * n_codes <= MAX_GROUPS {
            (group_size, n_groups) = (group_size + 1, n_groups * n_codes);
        }
        Encoder {
            encoding,
            n_codes,
            words: Vec::new(),
            strings,
            n_strings: 0,
            group_size,
            groups: vec![BitString::default(); n_groups],
            turns: Vec::new(),
            cells: Vec::new(),
        }
    }

    pub(super) fn encode<G: Hints>(&mut self, game: &G, state: &G::State) -> u64 {
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        game.cells(state, &mut cells);
        let mut code = self.encode_cells(&cells);
        self.cells = cells;
        if !self.turns.is_empty() {
            code ^= self.turns[turn_number(&game.turn(state))];
        }
        code
    }

    fn encode_cells(&mut self, cells: &[u8]) -> u64 {
        match self.encoding {
            Encoding::Random { .. } | Encoding::OneHot => {
                let words = cells.iter().enumerate();
                words.fold(0, |code, (cell, &piece)| {
                    code ^ self.words[cell * self.n_codes + usize::from(piece)]
                })
            }
            Encoding::Order | Encoding::Huffman => {
                let mut folded = Folded::default();
                let groups = cells.chunks_exact(self.group_size);
                let rest = groups.remainder();
                for group in groups {
                    let number =
                        group.iter().fold(0, |n, &piece| n * self.n_codes + piece as usize);
                    match self.groups[number] {
                        BitString { len: 0, .. } => self.push_group(group, number, &mut folded),
                        string => folded.push(string),
                    }
                }
                rest.iter().for_each(|&piece| folded.push(self.string(piece)));
                folded.code
            }
        }
    }

    /// Puts the strings of a group together one by one, and keeps them as one if they are short
    /// enough.
    #[cold]
    fn push_group(&mut self, group: &[u8], number: usize, folded: &mut Folded) {
        let mut whole = Some(BitString::default());
        for &piece in group {
            let string = self.string(piece);
            folded.push(string);
            whole = whole.and_then(|before| before.and_then(string));
        }
        self.groups[number] = whole.unwrap_or_default();
    }

    /// The string of a piece; a piece that appears for the first time gets the next number.
    fn string(&mut self, piece: u8) -> BitString {
        let n_strings = &mut self.n_strings;
        *self.strings[usize::from(piece)].get_or_insert_with(|| {
            let bits = u64::from(*n_strings);
            *n_strings += 1;
            BitString { bits, len: (64 - bits.leading_zeros()).max(1) }
        })
    }
}

/// A string of bits, padded with 0 to a multiple of 64 and folded into 64 bits by XOR. The first
/// bit is the highest one.
#[derive(Clone, Copy, Debug, Default)]
struct Folded {
    code: u64,
    len: u32,
}

impl Folded {
    #[inline]
    fn push(&mut self, BitString { bits, len }: BitString) {
        self.code ^= (bits << (64 - len)).rotate_right(self.len);
        self.len = (self.len + len) % 64;
    }
}

fn turn_number(turn: &Turn) -> usize {
    let choosing = match turn {
        Turn::Choose(who) => *who,
        Turn::Chance | Turn::Over(_) => Players::NONE,
    };
    choosing.fold(0, |set, player| set | 1 << player.index())
}

/// How often each piece stands on a cell in random games, over all their positions.
fn piece_counts<G: Hints>(game: &G, n_codes: usize, rng: &mut Rng) -> Vec<u64> {
    let mut counts = vec![0; n_codes];
    let mut scratch = Scratch::default();
    let mut cells = Vec::new();
    for _ in 0..GAMES {
        let mut state = game.start();
        loop {
            cells.clear();
            game.cells(&state, &mut cells);
            cells.iter().for_each(|&piece| counts[usize::from(piece)] += 1);
            scratch.joint.clear();
            match game.turn(&state) {
                Turn::Over(_) => break,
                Turn::Chance => {
                    let outcome = game.sample(&state, &mut scratch.outcomes, rng);
                    scratch.joint.push(outcome);
                }
                Turn::Choose(who) => {
                    for player in who {
                        let action = game.random_action(&state, player, &mut scratch.actions, rng);
                        scratch.joint.push(action);
                    }
                }
            }
            game.apply(&mut state, &scratch.joint);
        }
    }
    counts
}

/// A Huffman code for these counts. It is the canonical one: shorter strings are smaller, and among
/// strings of one length those of frequent pieces.
fn huffman(counts: &[u64]) -> Vec<BitString> {
    let mut lengths = huffman_lengths(counts);
    // A piece that is alone still needs a bit.
    if let [length] = &mut lengths[..] {
        *length = 1;
    }
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&piece| (lengths[piece], Reverse(counts[piece]), piece));
    let mut strings = vec![BitString { bits: 0, len: 1 }; counts.len()];
    let mut next = BitString { bits: 0, len: 0 };
    for piece in order {
        let len = lengths[piece];
        next = BitString { bits: next.bits << (len - next.len), len };
        strings[piece] = next;
        next.bits += 1;
    }
    strings
}

fn huffman_lengths(counts: &[u64]) -> Vec<u32> {
    // Of equal counts those come first that were made first, which keeps the strings of pieces that
    // were never seen short.
    let leaves = counts.iter().enumerate().map(|(piece, &count)| Reverse((count, piece)));
    let mut heap: BinaryHeap<_> = leaves.collect();
    let mut parents = vec![0; counts.len()];
    while let (Some(Reverse((a, i))), Some(Reverse((b, j)))) = (heap.pop(), heap.pop()) {
        let parent = parents.len();
        (parents[i], parents[j]) = (parent, parent);
        parents.push(parent);
        heap.push(Reverse((a + b, parent)));
    }
    let depth = |piece: usize| {
        let up = std::iter::successors(Some(piece), |&node| {
            (parents[node] != node).then_some(parents[node])
        });
        up.count() as u32 - 1
    };
    (0..counts.len()).map(depth).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the paper: x on (2,2) and (3,3), and o on (3,1) or on (3,2).
    #[test]
    fn the_huffman_codes_of_the_paper() {
        let strings = huffman(&[60, 25, 15]);
        let text = |piece: usize| {
            let BitString { bits, len } = strings[piece];
            format!("{bits:0len$b}", len = len as usize)
        };
        assert_eq!([text(0), text(1), text(2)], ["0", "10", "11"]);
        let mut encoder =
            Encoder::empty(Encoding::Huffman, strings.into_iter().map(Some).collect());
        let first = encoder.encode_cells(&[0, 0, 0, 0, 1, 0, 2, 0, 1]);
        let second = encoder.encode_cells(&[0, 0, 0, 0, 1, 0, 0, 2, 1]);
        assert_eq!(format!("{first:064b}"), format!("000010011010{}", "0".repeat(52)));
        assert_eq!(format!("{second:064b}"), format!("000010001110{}", "0".repeat(52)));
        assert_eq!((first ^ second).count_ones(), 2);
    }

    #[test]
    fn a_huffman_code_is_prefix_free_and_as_short_as_possible() {
        let mut rng = Rng::new(2);
        for n in 2..40 {
            let counts: Vec<u64> = (0..n).map(|_| rng.below(1_000) as u64 / 3 * 3).collect();
            let strings = huffman(&counts);
            for (i, a) in strings.iter().enumerate() {
                for (j, b) in strings.iter().enumerate().filter(|&(_, b)| b.len >= a.len) {
                    assert!(i == j || b.bits >> (b.len - a.len) != a.bits, "{strings:?}");
                }
            }
            // The sum of all inner nodes of a Huffman tree, merged by hand, is its length.
            let (mut rest, mut expected) = (counts.clone(), 0);
            while rest.len() > 1 {
                rest.sort_unstable_by_key(|&count| Reverse(count));
                let sum = rest.pop().unwrap() + rest.pop().unwrap();
                expected += sum;
                rest.push(sum);
            }
            let bits = counts.iter().zip(&strings).map(|(count, s)| count * u64::from(s.len));
            assert_eq!(bits.sum::<u64>(), expected);
        }
        assert_eq!(huffman(&[7]), [BitString { bits: 0, len: 1 }]);
    }

    #[test]
    fn strings_longer_than_64_bits_are_folded() {
        let strings = [BitString { bits: 0, len: 1 }, BitString { bits: 0b101, len: 3 }];
        let mut encoder = Encoder::empty(Encoding::Huffman, strings.map(Some).to_vec());
        let mut rng = Rng::new(3);
        for n in [1, 20, 63, 64, 65, 100, 361] {
            let cells: Vec<u8> = (0..n).map(|_| rng.below(2) as u8).collect();
            let mut text: String = cells.iter().map(|&c| ["0", "101"][usize::from(c)]).collect();
            while !text.len().is_multiple_of(64) {
                text.push('0');
            }
            let words = text
                .as_bytes()
                .chunks(64)
                .map(|word| u64::from_str_radix(std::str::from_utf8(word).unwrap(), 2).unwrap());
            assert_eq!(encoder.encode_cells(&cells), words.fold(0, |code, word| code ^ word));
        }
    }

    /// Groups of cells give what cells one by one give, also for strings that make groups too long.
    #[test]
    fn groups_of_cells_change_nothing() {
        let mut rng = Rng::new(4);
        for n_codes in [1, 2, 3, 7, 30, 200] {
            let counts: Vec<u64> = (0..n_codes).map(|i| 1 << (i % 50)).collect();
            let strings: Vec<_> = huffman(&counts).into_iter().map(Some).collect();
            let mut grouped = Encoder::empty(Encoding::Huffman, strings.clone());
            let mut single = Encoder::empty(Encoding::Huffman, strings);
            single.group_size = usize::MAX;
            for _ in 0..200 {
                let cells: Vec<u8> = (0..50).map(|_| rng.below(n_codes) as u8).collect();
                assert_eq!(grouped.encode_cells(&cells), single.encode_cells(&cells));
            }
        }
    }

    #[test]
    fn pieces_are_numbered_as_they_appear() {
        let mut encoder = Encoder::empty(Encoding::Order, vec![None; 6]);
        let top = |code: u64, n: u32| code >> (64 - n);
        // 3 first, then 0, 5, 1 and 2: 0, 1, 10, 11, 100.
        assert_eq!(top(encoder.encode_cells(&[3, 0, 3, 5]), 5), 0b01010);
        assert_eq!(top(encoder.encode_cells(&[1, 2, 0]), 6), 0b111001);
        assert_eq!(top(encoder.encode_cells(&[3, 0, 3, 5]), 5), 0b01010);
    }
}
