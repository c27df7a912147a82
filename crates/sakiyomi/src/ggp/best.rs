//! The best move so far, which a thread that searches publishes and another one takes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::lock;

/// A move, and why it is that. It has two places, which are written in turn: one who publishes may lose the
/// processor at any moment, also while it writes, and a reader then takes the other place
/// instead of waiting.
#[derive(Debug, Default)]
pub(super) struct BestSoFar {
    places: [Mutex<Option<(String, String)>>; 2],
    newest: AtomicUsize,
}

impl BestSoFar {
    /// Only one thread publishes.
    pub(super) fn publish(&self, text: String, remark: String) {
        let next = 1 - self.newest.load(Ordering::Relaxed);
        *lock(&self.places[next]) = Some((text, remark));
        self.newest.store(next, Ordering::Release);
    }

    /// What was published last, or just before. Does not wait.
    pub(super) fn get(&self) -> Option<(String, String)> {
        let newest = self.newest.load(Ordering::Acquire);
        [newest, 1 - newest].into_iter().find_map(|i| self.places[i].try_lock().ok()?.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_published_can_be_read_while_the_next_is_written() {
        let best = BestSoFar::default();
        assert_eq!(best.get(), None);
        for text in ["a", "b", "c"] {
            best.publish(text.to_owned(), String::new());
            assert_eq!(best.get().unwrap().0, text);
        }
        // As if the publisher had stopped in the middle, at either place.
        for (i, text) in [(0, "c"), (1, "b")] {
            let _writing = best.places[i].lock().unwrap();
            assert_eq!(best.get().unwrap().0, text);
        }
    }
}
