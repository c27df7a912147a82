//! Games that other machines play. A run has a thread of its own, which waits here for what comes
//! back; the program that talks to the machines takes units from here and brings their results, in any
//! order. So a cluster of any kind can play, and the run keeps its checkpoints.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sakiyomi_core::Stop;
use sakiyomi_eval::{DoneUnit, Handed, OpenWorks, Standing, Ticket, Unit, Work};

use crate::series::schedule;
use crate::{Endings, EvolveError, GameRunner};

/// Hands games out and waits for their results.
#[derive(Debug)]
pub struct HandOut {
    workers: usize,
    state: Mutex<State>,
    /// There are other units, or other results.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    open: Option<OpenWorks<Endings>>,
    /// Counts the works that were handed out, so that late results of others are told apart.
    stage: u64,
}

/// Which unit a result belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageTicket {
    stage: u64,
    ticket: Ticket,
}

/// How often a stop is looked for.
const TICK: Duration = Duration::from_millis(50);

impl HandOut {
    /// For this number of units that are done at the same time.
    pub fn new(workers: usize) -> HandOut {
        HandOut { workers, state: Mutex::default(), changed: Condvar::new() }
    }

    /// A unit that is to be done; nothing if there is none at the moment.
    pub fn next(&self) -> Option<(StageTicket, Unit)> {
        let mut state = self.lock();
        let stage = state.stage;
        match state.open.as_mut()?.hand_out() {
            Handed::Unit(ticket, unit) => Some((StageTicket { stage, ticket }, *unit)),
            Handed::Wait | Handed::Nothing => None,
        }
    }

    /// Takes the results of a unit. Those of a stage that has ended, since the run was stopped, are
    /// left out.
    pub fn enter(&self, ticket: &StageTicket, done: DoneUnit) -> Result<(), EvolveError> {
        ticket.ticket.check(&done)?;
        self.change(ticket, |open| Ok(open.enter(&ticket.ticket, done)?))
    }

    /// Takes a unit back that is lost, so that it is handed out again.
    pub fn lose(&self, ticket: &StageTicket) -> Result<(), EvolveError> {
        self.change(ticket, |open| Ok(open.lose(&ticket.ticket)?))
    }

    /// Waits until something has changed, but not long.
    pub fn wait(&self) {
        let waited = self.changed.wait_timeout(self.lock(), TICK);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    fn change(
        &self,
        ticket: &StageTicket,
        change: impl FnOnce(&mut OpenWorks<Endings>) -> Result<(), EvolveError>,
    ) -> Result<(), EvolveError> {
        let mut state = self.lock();
        let is_now = state.stage == ticket.stage;
        let changed = state.open.as_mut().filter(|_| is_now).map_or(Ok(()), change);
        self.changed.notify_all();
        changed
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GameRunner for HandOut {
    fn threads(&self) -> usize {
        self.workers
    }

    fn run(
        &self,
        works: Vec<Work>,
        endings: Endings,
        stop: &Stop,
        tell: &dyn Fn(&Endings),
    ) -> Result<Endings, EvolveError> {
        let mut state = self.lock();
        state.stage += 1;
        state.open = Some(OpenWorks::new(works, schedule(self.workers), endings));
        self.changed.notify_all();
        loop {
            let open = state.open.take().expect("only this takes it away");
            let Standing { done, wanted, .. } = open.standing();
            tell(open.sink());
            if done == wanted || stop.requested() {
                return Ok(open.into_sink());
            }
            state.open = Some(open);
            let waited = self.changed.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use sakiyomi_eval::run_unit;

    use super::*;
    use crate::Threads;
    use crate::series::play_series;
    use crate::series::tests::series;

    /// Does all units on another thread, some of them only after they were lost, until `n` are
    /// done; then it stops the run.
    fn play(n: usize, stop: &Stop) -> Vec<Vec<Option<crate::Ending>>> {
        let noise = ",noise-hp,noise-position";
        let all = [series(noise, 0..7), series(noise, 3..5)];
        let there = HandOut::new(2);
        thread::scope(|scope| {
            scope.spawn(|| {
                let (mut n_done, mut lost) = (0, 3);
                while !stop.requested() {
                    let Some((ticket, unit)) = there.next() else {
                        there.wait();
                        continue;
                    };
                    if lost > 0 {
                        lost -= 1;
                        there.lose(&ticket).unwrap();
                        continue;
                    }
                    let results = run_unit(&unit, &Stop::new()).unwrap();
                    let done = DoneUnit { first: unit.numbers.start, results, seconds: 0.1 };
                    let wrong = DoneUnit { first: done.first + 1, ..done.clone() };
                    let error = there.enter(&ticket, wrong).unwrap_err().to_string();
                    assert!(error.starts_with("a result that came back is of numbers"), "{error}");
                    there.enter(&ticket, done).unwrap();
                    n_done += 1;
                    if n_done == n {
                        stop.request();
                    }
                }
            });
            let endings = play_series(&all, &there, stop, &|_| {}).unwrap();
            // The other thread ends too.
            stop.request();
            endings
        })
    }

    #[test]
    fn games_that_are_handed_out_end_as_those_that_are_played_here() {
        let noise = ",noise-hp,noise-position";
        let all = [series(noise, 0..7), series(noise, 3..5)];
        let here = play_series(&all, &Threads(2), &Stop::new(), &|_| {}).unwrap();
        assert_eq!(play(usize::MAX, &Stop::new()), here);
        let some = play(4, &Stop::new());
        let n_played = some.iter().flatten().flatten().count();
        assert_eq!(n_played, 4, "what came back before the stop is kept");
    }
}
