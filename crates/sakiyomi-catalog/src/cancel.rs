//! Work that can be cancelled from outside: rules that are compiled, and what is played by rules that
//! are interpreted. Other games open in milliseconds and need no such thing.
//!
//! A stop holds for a piece of work on one thread, or for the whole program.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use sakiyomi_core::Stop;

thread_local! {
    static CURRENT: RefCell<Option<Arc<Stop>>> = const { RefCell::new(None) };
}

static PROGRAM: OnceLock<Arc<Stop>> = OnceLock::new();

/// Does work on this thread in which games are opened that end as soon as `stop` is requested:
/// compiling them is an error then, and their matches end where they are.
pub fn cancellable<T>(stop: &Arc<Stop>, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Arc<Stop>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let _before = Restore(CURRENT.replace(Some(Arc::clone(stop))));
    work()
}

/// The same for all other work of the program. What was said first holds.
pub fn cancel_with(stop: Arc<Stop>) {
    let _ = PROGRAM.set(stop);
}

/// What cancels work on this thread.
pub(crate) fn current_stop() -> Option<Arc<Stop>> {
    CURRENT.with_borrow(Clone::clone).or_else(|| PROGRAM.get().cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_holds_for_its_own_work() {
        let stops = [Arc::new(Stop::new()), Arc::new(Stop::new())];
        stops[1].request();
        let requested = || current_stop().map(|stop| stop.requested());
        let inside = cancellable(&stops[0], || {
            let inner = cancellable(&stops[1], requested);
            (inner, requested())
        });
        assert_eq!(inside, (Some(true), Some(false)));
        assert_eq!(requested(), None);
    }
}
