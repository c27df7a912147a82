//! What is counted of a duel: results are entered as they come, counted in the order of their numbers, and then
//! forgotten. A sequential test (SPRT) looks at complete batches only, so it ends at the same game on any number
//! of threads; games beyond it are not counted.

use std::collections::BTreeMap;

use sakiyomi_core::stats::{Sprt, Tally};

use crate::experiment::Evidence;
use crate::{DistinctCounter, Forfeited, Played};

/// Rounds between two looks of the sequential test.
const BATCH_ROUNDS: u64 = 16;
/// Forfeits that are kept with their reasons; all are counted.
const MAX_FORFEITS: usize = 10;

#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    n_players: u64,
    /// The most that is counted.
    games: u64,
    sprt: Option<Sprt>,
    /// All numbers before this one were counted, or wait for the rest of their round.
    next: u64,
    /// Results that came before those with lower numbers.
    early: BTreeMap<u64, Vec<Played>>,
    round: Vec<Played>,
    pub(crate) evidence: Evidence,
    pub(crate) distinct: DistinctCounter,
    pub(crate) n_forfeits: u64,
    /// The first of them, with their numbers.
    pub(crate) forfeits: Vec<(u64, Forfeited)>,
    /// Pairs of games with swapped seats that brought 0, 1/2, 1, 3/2 and 2 points.
    pairs: [u64; 5],
    is_decided: bool,
}

impl Ledger {
    pub(crate) fn new(games: u64, n_players: u64, sprt: Option<Sprt>) -> Ledger {
        let mut evidence = Evidence::default();
        evidence.seats.resize(n_players as usize, Tally::default());
        Ledger {
            n_players,
            games,
            sprt,
            next: 0,
            early: BTreeMap::new(),
            round: Vec::new(),
            evidence,
            distinct: DistinctCounter::default(),
            n_forfeits: 0,
            forfeits: Vec::new(),
            pairs: [0; 5],
            is_decided: false,
        }
    }

    /// Enters games whose numbers follow each other, each of which is entered once.
    pub(crate) fn enter(&mut self, games: Vec<Played>) {
        let Some(first) = games.first().map(|played| played.number) else { return };
        self.early.insert(first, games);
        while let Some(games) = self.early.remove(&self.next) {
            self.next += games.len() as u64;
            games.into_iter().for_each(|played| self.count(played));
        }
    }

    /// The first number that was not entered.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Whether the sequential test has ended it.
    pub(crate) fn is_decided(&self) -> bool {
        self.is_decided
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.is_decided || self.evidence.tally.games() == self.games
    }

    /// The log-likelihood ratio of what was counted: of pairs with swapped seats if there are two players, which
    /// takes the advantage of a seat out of the variance.
    pub(crate) fn llr(&self, sprt: &Sprt) -> f64 {
        match self.n_players {
            2 => sprt.llr_pentanomial(&self.pairs),
            _ => sprt.llr_trinomial(&self.evidence.tally),
        }
    }

    fn count(&mut self, played: Played) {
        if self.is_decided || played.number >= self.games {
            return;
        }
        self.round.push(played);
        if self.round.len() as u64 == self.n_players {
            self.count_round();
        }
    }

    fn count_round(&mut self) {
        let mut sum = Tally::default();
        for mut played in std::mem::take(&mut self.round) {
            sum += played.outcome.tally();
            self.evidence.count_game(&played, self.n_players);
            self.distinct.add(&played);
            if let Some(forfeit) = played.forfeit.take() {
                self.n_forfeits += 1;
                if self.forfeits.len() < MAX_FORFEITS {
                    self.forfeits.push((played.number, forfeit));
                }
            }
        }
        if self.n_players == 2 {
            self.pairs[(2 * sum.wins + sum.draws) as usize] += 1;
        }
        let n = self.evidence.tally.games();
        if let Some(sprt) = self.sprt
            && (n.is_multiple_of(BATCH_ROUNDS * self.n_players) || n == self.games)
        {
            self.is_decided = sprt.verdict(self.llr(&sprt)).is_some();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Measures, Outcome};

    fn game(number: u64, outcome: Outcome) -> Played {
        let measures = Measures::default();
        Played { number, outcome, measures, key: Some(number), forfeit: None, record: None }
    }

    fn won(numbers: std::ops::Range<u64>) -> Vec<Played> {
        numbers.map(|number| game(number, Outcome::Win)).collect()
    }

    #[test]
    fn only_whole_rounds_without_a_gap_are_counted() {
        let mut ledger = Ledger::new(12, 3, None);
        ledger.enter(won(0..2));
        ledger.enter(won(5..9));
        assert_eq!((ledger.evidence.tally.games(), ledger.next()), (0, 2));
        ledger.enter(won(2..5));
        assert_eq!((ledger.evidence.tally.wins, ledger.next()), (9, 9));
        assert!(ledger.evidence.seats.iter().all(|seat| seat.wins == 3));
        ledger.enter(won(9..20));
        assert_eq!(ledger.evidence.tally.wins, 12, "more than was wanted is not counted");
        assert!(ledger.is_complete() && !ledger.is_decided());
    }

    /// However the games arrive, the test ends at the same one.
    #[test]
    fn the_test_does_not_depend_on_the_order_of_arrival() {
        let sprt = Sprt::new(0.0, 100.0, 0.05, 0.05).unwrap();
        let games: Vec<Played> = (0..4000)
            .map(|n| game(n, if n * 7 % 10 < 6 { Outcome::Win } else { Outcome::Loss }))
            .collect();
        let run = |size: usize, backwards: bool| {
            let mut ledger = Ledger::new(4000, 2, Some(sprt));
            let mut parts: Vec<Vec<Played>> = games.chunks(size).map(<[Played]>::to_vec).collect();
            if backwards {
                parts.reverse();
            }
            parts.into_iter().for_each(|part| ledger.enter(part));
            (ledger.evidence.tally, ledger.is_decided(), ledger.llr(&sprt).to_bits())
        };
        let (tally, is_decided, llr) = run(1, false);
        assert!(
            is_decided && tally.games() < 1000 && tally.games().is_multiple_of(32),
            "{tally:?}"
        );
        for size in [1, 7, 100, 4000] {
            assert_eq!(run(size, true), (tally, is_decided, llr));
        }
    }

    #[test]
    fn forfeits_are_counted_and_the_first_are_kept() {
        let mut ledger = Ledger::new(40, 2, None);
        let mut games = won(0..40);
        for played in &mut games[..30] {
            played.forfeit = Some(Forfeited { first: false, reason: "late".to_owned() });
        }
        ledger.enter(games);
        assert_eq!((ledger.n_forfeits, ledger.forfeits.len()), (30, MAX_FORFEITS));
    }
}
