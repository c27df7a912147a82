//! Work by kinds. Each kind has its own turns, taken in the order in which they were asked for, and
//! its own bound on how much waits, so that no kind keeps another one from its turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::api::{ApiError, ErrorCode};

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Positions of the catalog's own games.
    Positions,
    /// Rules that were handed over: compiled, and positions by them.
    Rules,
    /// Lists and files: what is known, stored or evolved.
    Reading,
    /// Verdicts on maps.
    Judging,
}

/// The queues of all kinds.
#[derive(Debug)]
pub(super) struct Queues {
    positions: Queue,
    rules: Queue,
    reading: Queue,
    judging: Queue,
}

impl Queues {
    pub(super) fn new() -> Queues {
        Queues {
            positions: Queue::new("positions", 16, 512),
            // Each may take all the time and memory that a rule sheet may take.
            rules: Queue::new("rule sheets", 2, 32),
            reading: Queue::new("lists", 8, 512),
            judging: Queue::new("verdicts on maps", 1, 16),
        }
    }

    pub(super) fn of(&self, kind: Kind) -> &Queue {
        match kind {
            Kind::Positions => &self.positions,
            Kind::Rules => &self.rules,
            Kind::Reading => &self.reading,
            Kind::Judging => &self.judging,
        }
    }
}

/// Turns of one kind of work.
#[derive(Debug)]
pub(super) struct Queue {
    /// What is done, in the plural.
    what: &'static str,
    turns: Arc<Semaphore>,
    n_waiting: AtomicUsize,
    max_waiting: usize,
}

impl Queue {
    pub(super) fn new(what: &'static str, n_turns: usize, max_waiting: usize) -> Queue {
        let turns = Arc::new(Semaphore::new(n_turns));
        Queue { what, turns, n_waiting: AtomicUsize::new(0), max_waiting }
    }

    /// Waits for a turn that counts as `n`. Who would wait for too long, or behind too many, is
    /// told to come back; who goes away waits no further.
    pub(super) async fn turn(&self, n: u32) -> Result<OwnedSemaphorePermit, ApiError> {
        let _place = Place::take(&self.n_waiting);
        if self.n_waiting.load(Ordering::Relaxed) > self.max_waiting {
            return Err(self.busy());
        }
        let turn = timeout(MAX_WAIT, Arc::clone(&self.turns).acquire_many_owned(n)).await;
        turn.ok().and_then(Result::ok).ok_or_else(|| self.busy())
    }

    fn busy(&self) -> ApiError {
        let message = format!("many {} are worked on; try again in a moment", self.what);
        ApiError::new(ErrorCode::Busy, message)
    }
}

/// How long a turn is waited for.
const MAX_WAIT: Duration = Duration::from_secs(15);

/// A place among those that wait.
struct Place<'a>(&'a AtomicUsize);

impl Place<'_> {
    fn take(n_waiting: &AtomicUsize) -> Place<'_> {
        n_waiting.fetch_add(1, Ordering::Relaxed);
        Place(n_waiting)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn kinds_do_not_wait_for_each_other() {
        let queues = Queues::new();
        let rules = queues.of(Kind::Rules);
        let _all = [rules.turn(1).await.unwrap(), rules.turn(1).await.unwrap()];
        let soon = Duration::from_millis(50);
        assert!(timeout(soon, rules.turn(1)).await.is_err(), "a third is not let in");
        assert!(queues.of(Kind::Positions).turn(1).await.is_ok());
    }

    #[tokio::test]
    async fn behind_too_many_nobody_waits() {
        let queue = Queue::new("things", 1, 2);
        let _held = queue.turn(1).await.unwrap();
        let waiting = || timeout(Duration::from_millis(50), queue.turn(1));
        let (first, second, third) = tokio::join!(waiting(), waiting(), waiting());
        assert!(first.is_err() && second.is_err(), "two wait");
        assert_eq!(third.unwrap().unwrap_err().code, ErrorCode::Busy);
        // Those that went away have left their places.
        assert!(waiting().await.is_err());
    }
}
