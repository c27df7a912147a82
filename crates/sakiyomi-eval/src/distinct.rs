//! How many games of a series are different. Agents that always decide alike play the same few games again and
//! again, and a repeated game is no further evidence.

use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::{Openings, Played};

/// Games that are told apart, at most: 16 MB of keys. Later ones are not looked at.
const MAX_GAMES: usize = 1 << 20;

/// Counts different games by their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistinctCounter {
    keys: FxHashSet<u64>,
    n_games: u64,
}

/// How many games were played, and how many of them were different.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DistinctGames {
    /// The games that were compared: all, or the first million. Games of before have no keys.
    pub games: u64,
    pub distinct: u64,
}

impl DistinctCounter {
    pub fn add(&mut self, played: &Played) {
        if let Some(key) = played.key
            && self.n_games < MAX_GAMES as u64
        {
            self.n_games += 1;
            self.keys.insert(key);
        }
    }

    pub fn add_all(&mut self, games: &[Played]) {
        games.iter().for_each(|played| self.add(played));
    }

    /// Nothing if there were no games with keys.
    pub fn count(&self) -> Option<DistinctGames> {
        let distinct = self.keys.len() as u64;
        (self.n_games > 0).then_some(DistinctGames { games: self.n_games, distinct })
    }
}

impl DistinctGames {
    /// What a reader of the result should know: nothing if most games were different. Agents that draw at random
    /// may meet in the same game by chance, which says nothing against the result.
    pub fn remark(&self, seats: u64, openings: Option<Openings>) -> Option<String> {
        let DistinctGames { games, distinct } = *self;
        // Games that deterministic agents could play, each of which must have come up twice to tell.
        let possible = seats.saturating_mul(openings.map_or(1, |openings| openings.n.get()));
        let why = match () {
            () if distinct <= possible && games >= possible.saturating_mul(2) => {
                "the agents are deterministic, and games that are repeated are no further evidence"
            }
            () if distinct.saturating_mul(4) <= games => "the agents often repeat themselves",
            () => return None,
        };
        let more = if openings.is_some() { "more " } else { "" };
        Some(format!("of {games} games {distinct} are different: {why}; use {more}--openings"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Measures, Outcome};

    fn count(keys: impl Iterator<Item = Option<u64>>) -> Option<DistinctGames> {
        let mut counter = DistinctCounter::default();
        for (key, number) in keys.zip(0..) {
            let (outcome, measures) = (Outcome::Win, Measures::default());
            counter.add(&Played { number, outcome, measures, key, forfeit: None, record: None });
        }
        counter.count()
    }

    #[test]
    fn repeated_games_are_told() {
        let few = count((0..400).map(|i| Some(i % 2))).unwrap();
        assert_eq!(few, DistinctGames { games: 400, distinct: 2 });
        let remark = few.remark(2, None).unwrap();
        assert!(remark.starts_with("of 400 games 2 are different: the agents are deterministic"));
        assert!(remark.ends_with("use --openings"));
        let openings = Some("openings=6,plies=4".parse().unwrap());
        let twelve = count((0..400).map(|i| Some(i % 12))).unwrap();
        assert!(twelve.remark(2, None).unwrap().contains("repeat themselves"));
        let remark = twelve.remark(2, openings).unwrap();
        assert!(remark.contains("deterministic") && remark.ends_with("use more --openings"));
        assert_eq!(count((0..400).map(|i| Some(i % 101))).unwrap().remark(2, None), None);
        assert_eq!(count((0..2).map(Some)).unwrap().remark(2, None), None, "nothing is repeated");
        let chance = count((0..40).map(|i| Some(i % 39))).unwrap();
        let many = Some("openings=200,plies=4".parse().unwrap());
        assert_eq!(chance.remark(2, many), None, "one game that came up twice proves nothing");
    }

    #[test]
    fn games_of_before_have_no_keys_and_memory_is_bounded() {
        assert_eq!(count([None, None].into_iter()), None);
        let many = count((0..MAX_GAMES as u64 + 5).map(Some)).unwrap();
        assert_eq!(many, DistinctGames { games: 1 << 20, distinct: 1 << 20 });
    }
}
