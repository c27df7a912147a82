//! Sets of numbers as ranges that do not touch each other.

use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    pub(crate) fn add(&mut self, range: Range<u64>) {
        let Range { mut start, mut end } = range;
        if start >= end {
            return;
        }
        if let Some((&before, &its_end)) = self.0.range(..start).next_back()
            && its_end >= start
        {
            start = before;
            end = end.max(its_end);
        }
        while let Some((&next, &its_end)) = self.0.range(start..=end).next() {
            self.0.remove(&next);
            end = end.max(its_end);
        }
        self.0.insert(start, end);
    }

    pub(crate) fn remove(&mut self, range: &Range<u64>) {
        let touched: Vec<(u64, u64)> = self
            .0
            .range(..range.end)
            .rev()
            .take_while(|&(_, &end)| end > range.start)
            .map(|(&start, &end)| (start, end))
            .collect();
        for (start, end) in touched {
            self.0.remove(&start);
            self.add(start..range.start.min(end));
            self.add(range.end.max(start)..end);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Range<u64>> {
        self.0.iter().map(|(&start, &end)| start..end)
    }

    /// How many numbers below `end` are in it.
    pub(crate) fn count_below(&self, end: u64) -> u64 {
        self.0.range(..end).map(|(&start, &its_end)| its_end.min(end) - start).sum()
    }

    /// The first number that is not in it.
    pub(crate) fn first_gap(&self) -> u64 {
        self.0.get(&0).copied().unwrap_or(0)
    }

    /// The numbers below `end` that are not in it.
    pub(crate) fn gaps_below(&self, end: u64) -> impl Iterator<Item = Range<u64>> {
        let starts = self.0.keys().copied().chain([end]).map(move |start| start.min(end));
        let ends = [0].into_iter().chain(self.0.values().copied());
        ends.zip(starts).map(|(from, to)| from..to).filter(|gap| !gap.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::Rng;

    /// Against a plain set of numbers.
    #[test]
    fn ranges_are_sets() {
        const N: u64 = 60;
        let mut rng = Rng::new(1);
        for _ in 0..200 {
            let (mut ranges, mut plain) = (Ranges::default(), [false; N as usize]);
            for _ in 0..12 {
                let start = rng.below(N as usize) as u64;
                let range = start..(start + rng.below(15) as u64).min(N);
                let is_added = rng.below(3) > 0;
                plain[range.start as usize..range.end as usize].fill(is_added);
                if is_added {
                    ranges.add(range);
                } else {
                    ranges.remove(&range);
                }
                let count =
                    |end: u64| plain[..end as usize].iter().filter(|&&is| is).count() as u64;
                assert_eq!(ranges.count_below(N), count(N));
                assert_eq!(ranges.count_below(23), count(23));
                let gap = plain.iter().position(|&is| !is).unwrap_or(N as usize);
                assert_eq!(ranges.first_gap(), gap as u64);
                let mut in_gaps = [false; N as usize];
                for gap in ranges.gaps_below(N) {
                    in_gaps[gap.start as usize..gap.end as usize].fill(true);
                }
                assert!(in_gaps.iter().zip(&plain).all(|(gap, is)| gap != is));
            }
        }
    }
}
