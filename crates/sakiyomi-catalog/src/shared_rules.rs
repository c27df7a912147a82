//! What is made from a text at some cost and then shared: found by content, kept as long as all of it
//! together stays within a number of bytes. What was not used for longest goes first.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

#[derive(Debug)]
pub(crate) struct SharedRules<K, V> {
    max_bytes: u64,
    kept: Mutex<Kept<K, V>>,
}

#[derive(Debug)]
struct Kept<K, V> {
    entries: FxHashMap<K, Entry<V>>,
    n_bytes: u64,
    n_uses: u64,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    n_bytes: u64,
    last_use: u64,
}

impl<K: Clone + Eq + Hash, V: Clone> SharedRules<K, V> {
    pub(crate) fn new(max_bytes: u64) -> SharedRules<K, V> {
        let kept = Kept { entries: FxHashMap::default(), n_bytes: 0, n_uses: 0 };
        SharedRules { max_bytes, kept: Mutex::new(kept) }
    }

    pub(crate) fn get<Q>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.n_uses += 1;
        let now = kept.n_uses;
        let entry = kept.entries.get_mut(key)?;
        entry.last_use = now;
        Some(entry.value.clone())
    }

    /// Keeps a value that takes `n_bytes`, its key included. What is larger than all that may be kept is not
    /// kept at all.
    pub(crate) fn put(&self, key: K, value: V, n_bytes: u64) {
        if n_bytes > self.max_bytes {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.remove(&key);
        while kept.n_bytes + n_bytes > self.max_bytes {
            let oldest = kept.entries.iter().min_by_key(|(_, entry)| entry.last_use);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { break };
            kept.remove(&oldest);
        }
        kept.n_uses += 1;
        kept.n_bytes += n_bytes;
        let last_use = kept.n_uses;
        kept.entries.insert(key, Entry { value, n_bytes, last_use });
    }
}

impl<K: Eq + Hash, V> Kept<K, V> {
    fn remove(&mut self, key: &K) {
        if let Some(entry) = self.entries.remove(key) {
            self.n_bytes -= entry.n_bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_limit_and_the_oldest_goes_first() {
        let shared = SharedRules::new(100);
        for (key, n_bytes) in [("a", 40), ("b", 40)] {
            shared.put(key, n_bytes, n_bytes);
        }
        assert_eq!(shared.get(&"a"), Some(40));
        shared.put("c", 30, 30);
        assert_eq!(["a", "b", "c"].map(|key| shared.get(&key).is_some()), [true, false, true]);
        shared.put("d", 101, 101);
        assert_eq!(shared.get(&"d"), None, "it would have pushed out everything");
        assert_eq!(shared.get(&"c"), Some(30));
        shared.put("c", 100, 100);
        assert_eq!(["a", "c"].map(|key| shared.get(&key)), [None, Some(100)]);
        assert_eq!(shared.kept.lock().unwrap().n_bytes, 100);
    }
}
