//! Sorting in code that is generic over games.
//!
//! A sort is large, and one over a game's own types is compiled for every game. Here numbers are sorted,
//! which is compiled once, and only the exchange of the items is generic.

/// Sorts by descending key; items with equal keys keep their order.
pub fn sort_descending<T>(items: &mut [T], key: impl Fn(&T) -> f64) {
    let keys: Vec<f64> = items.iter().map(key).collect();
    let mut sources = descending(&keys);
    for to in 0..items.len() {
        // What belongs here was moved when its place was filled: follow where it went.
        let mut from = sources[to];
        while from < to {
            from = sources[from];
        }
        items.swap(to, from);
        sources[to] = from;
    }
}

/// The indices of `keys` by descending key.
fn descending(keys: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[b].total_cmp(&keys[a]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    #[test]
    fn sorts_like_a_stable_sort() {
        let mut rng = Rng::new(7);
        for n in 0..60 {
            let mut items: Vec<(f64, usize)> =
                (0..n).map(|i| (rng.below(8) as f64 - 3.0, i)).collect();
            let mut expected = items.clone();
            expected.sort_by(|a, b| b.0.total_cmp(&a.0));
            sort_descending(&mut items, |item| item.0);
            assert_eq!(items, expected);
        }
    }
}
