//! Who wins from the first positions of the usual board: the outcomes of all positions with six stones, up to
//! mirror images, come with the program (`openings.txt`), and those with fewer follow from them.
//!
//! The example `openings` of this crate writes the file: a sign for each position, from a loss of the player to move
//! (`-`) over a draw (`=`) to a win (`+`), in the order of the solver's keys.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::solver::{Solver, Stones};

/// Positions with this number of stones are in the file.
pub(super) const STONES: u32 = 6;

/// Outcomes of all positions with at most [`STONES`] stones in which no player has won, by their keys.
#[derive(Debug)]
pub(super) struct Openings(HashMap<u64, i8>);

impl Openings {
    /// Those of the usual board, whose solver gives the keys.
    pub(super) fn get(rules: &Solver) -> &'static Openings {
        static OPENINGS: OnceLock<Openings> = OnceLock::new();
        OPENINGS.get_or_init(|| Openings::read(rules, include_str!("../../openings.txt")))
    }

    pub(super) fn outcome(&self, key: u64) -> Option<i32> {
        self.0.get(&key).map(|&outcome| i32::from(outcome))
    }

    fn read(rules: &Solver, text: &str) -> Openings {
        let mut layers = layers(rules);
        let mut known = HashMap::new();
        let signs = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
        for (stones, sign) in layers.pop().unwrap_or_default().into_iter().zip(signs) {
            let outcome = match sign {
                b'+' => 1,
                b'-' => -1,
                _ => 0,
            };
            known.insert(rules.opening_key(stones), outcome);
        }
        for stones in layers.into_iter().rev().flatten() {
            let outcome_of = |x| match rules.wins_with(stones, x) {
                true => Some(1),
                false => Some(-*known.get(&rules.opening_key(rules.after(stones, x)?))?),
            };
            let best = (0..7).filter_map(outcome_of).max().unwrap_or(0);
            known.insert(rules.opening_key(stones), best);
        }
        Openings(known)
    }
}

/// All positions of the usual board with 0, 1, .. 6 stones in which no player has won, one of each pair of mirror
/// images, in the order of their keys.
pub fn layers(rules: &Solver) -> Vec<Vec<Stones>> {
    let mut layers = vec![vec![Stones { own: 0, both: 0 }]];
    for n in 0..STONES as usize {
        let mut next: Vec<Stones> = Vec::new();
        for &stones in &layers[n] {
            let goes_on = (0..7).filter(|&x| !rules.wins_with(stones, x));
            next.extend(goes_on.filter_map(|x| rules.after(stones, x)));
        }
        next.sort_by_cached_key(|&stones| (rules.opening_key(stones), stones.own));
        next.dedup_by_key(|stones| rules.opening_key(*stones));
        layers.push(next);
    }
    layers
}
