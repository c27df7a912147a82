//! One scheduler for all work: it hands out units of tasks to threads and gives what they bring to
//! a sink, which keeps it in memory (a duel, a generation of evolution) or in a store (a run, or a
//! duel that can be resumed).
//!
//! The threads share a plan of what is done and what is being done, under a lock that is held for
//! moments only. Results go through a channel to the thread that called; it alone talks to the
//! sink, so no lock is held while a disk is waited for. The channel is short: threads wait for a
//! sink that is slower than they are, instead of filling the memory.
//!
//! The first units of a task are small and tell how long a number takes; later ones take about as
//! long as was asked for. What comes out depends on neither, since results depend on the task and
//! their number alone.

use std::ops::Range;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use sakiyomi_core::Stop;

use crate::Results;
use crate::ranges::Ranges;
use crate::task::{DoneUnit, Task, TaskError, Unit, Worker};

/// Numbers in a unit, at most.
const MAX_UNIT: u64 = 100_000;
/// Units that may be ahead of the first number that is not done, for each thread, if numbers are
/// wanted in order.
const MAX_UNITS_AHEAD: u64 = 4;
/// How often progress is told, at least.
const TICK: Duration = Duration::from_millis(100);

/// Takes the results, on the thread that called [`run_works`].
pub trait Sink {
    /// Why it cannot take them.
    type Error;

    /// Takes what was done of a work, and returns all that is known to be done since it was last
    /// asked, by whichever process did it.
    fn take(&mut self, work: usize, unit: DoneUnit) -> Result<Vec<News>, Self::Error>;

    /// What was done elsewhere in the meantime.
    fn look(&mut self) -> Result<Vec<News>, Self::Error> {
        Ok(Vec::new())
    }

    /// The size of further units of a work, of which this would be right for the time that units
    /// should take.
    fn unit_size(&mut self, _work: usize, suggested: u64) -> Result<u64, Self::Error> {
        Ok(suggested)
    }

    /// Whether no more is needed, however much was wanted.
    fn is_decided(&self) -> bool {
        false
    }
}

/// Numbers of a work that are done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    pub work: usize,
    pub numbers: Range<u64>,
}

/// A task and how much of it is wanted.
#[derive(Clone, Debug)]
pub struct Work {
    pub name: String,
    pub task: Task,
    /// The numbers below this.
    pub wanted: u64,
    /// Whether matches are kept as records.
    pub keep: bool,
    /// The size of units as long as nothing else is known.
    pub first_unit: u64,
    pub unit_size: Option<u64>,
    /// About what a number takes, before one was done.
    pub expected_seconds: Option<f64>,
    /// What was done before.
    pub(crate) done: Ranges,
}

impl Work {
    pub fn new(name: String, task: Task, wanted: u64) -> Work {
        let done = Ranges::default();
        Work {
            name,
            task,
            wanted,
            keep: false,
            first_unit: 1,
            unit_size: None,
            expected_seconds: None,
            done,
        }
    }

    /// Leaves out numbers that were done before.
    pub fn leave_out(&mut self, numbers: Range<u64>) {
        self.done.add(numbers);
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ScheduleSettings {
    pub threads: usize,
    /// How long a unit should take.
    pub unit_seconds: f64,
    pub order: Order,
    pub worker: Worker,
}

/// In which order units are handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they are numbered, and never far ahead of what is done.
    Ascending,
    /// Work after work in turn and spread over their numbers, so that several processes seldom do
    /// the same.
    Spread,
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    pub done: u64,
    pub wanted: u64,
    pub seconds_left: Option<f64>,
    /// The work of the latest unit.
    pub latest: Option<usize>,
}

/// What was done in all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Numbers that were done here.
    pub done_here: u64,
    pub done: u64,
    pub wanted: u64,
    pub sink_seconds: f64,
}

/// Why works were not done: the sink could not take a result, or a task cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum ScheduleError<E> {
    #[error("{0}")]
    Sink(E),
    #[error("{name}: {error}")]
    Task { name: String, error: TaskError },
}

/// Does what is missing of the works. A stop ends it with what is complete by then.
pub fn run_works<S: Sink>(
    works: Vec<Work>,
    settings: ScheduleSettings,
    sink: &mut S,
    stop: &Stop,
    tell: &mut dyn FnMut(&Standing, &S),
) -> Result<Summary, ScheduleError<S::Error>> {
    let threads = settings.threads.max(1);
    let plan = Shared::new(works, settings);
    let mut entry =
        Entry { plan: &plan, settings, start: Instant::now(), summary: Summary::default() };
    let mut failed = None;
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(2 * threads);
        for _ in 0..threads {
            let (plan, sender) = (&plan, sender.clone());
            scope.spawn(move || work(plan, settings.worker, stop, &sender));
        }
        drop(sender);
        tell(&entry.standing(), sink);
        loop {
            let entered = match receiver.recv_timeout(TICK) {
                // After an error results are still received, so that the threads can end.
                Ok(_) if failed.is_some() => Ok(()),
                Ok(brought) => entry.enter(brought, sink),
                Err(RecvTimeoutError::Timeout) => entry.look(sink),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Err(error) = entered {
                failed.get_or_insert(error);
                plan.lock().is_closed = true;
            }
            plan.changed.notify_all();
            tell(&entry.standing(), sink);
        }
    });
    let Standing { done, wanted, .. } = entry.standing();
    match failed {
        Some(error) => Err(error),
        None => Ok(Summary { done, wanted, ..entry.summary }),
    }
}

/// What a thread brings: the work, the numbers it was given, and what came of them.
pub(crate) struct Brought {
    pub(crate) work: usize,
    pub(crate) given: Range<u64>,
    pub(crate) results: Result<Results, TaskError>,
    pub(crate) seconds: f64,
}

fn work(plan: &Shared, worker: Worker, stop: &Stop, sender: &SyncSender<Brought>) {
    // If an agent panics, the other threads must not wait for what it was doing.
    let _guard = CloseOnPanic(plan);
    while let Some((work, unit)) = plan.next(stop) {
        let start = Instant::now();
        let results = worker(&unit, stop);
        let seconds = start.elapsed().as_secs_f64();
        if sender.send(Brought { work, given: unit.numbers, results, seconds }).is_err() {
            return;
        }
    }
}

struct CloseOnPanic<'a>(&'a Shared);

impl Drop for CloseOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().is_closed = true;
            self.0.changed.notify_all();
        }
    }
}

#[derive(Debug)]
pub(crate) struct Shared {
    plan: Mutex<Plan>,
    /// Something was entered.
    changed: Condvar,
}

impl Shared {
    pub(crate) fn new(works: Vec<Work>, settings: ScheduleSettings) -> Shared {
        Shared { plan: Mutex::new(Plan::new(works, settings)), changed: Condvar::new() }
    }

    /// The next unit if there is one now.
    pub(crate) fn next_now(&self) -> Next {
        self.lock().next()
    }

    fn lock(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next unit, as soon as there is one; nothing if there will be none.
    fn next(&self, stop: &Stop) -> Option<(usize, Unit)> {
        let mut plan = self.lock();
        loop {
            if stop.requested() {
                return None;
            }
            match plan.next() {
                Next::Unit(work, unit) => return Some((work, *unit)),
                Next::Nothing => return None,
                Next::Wait => {
                    let waited = self.changed.wait_timeout(plan, TICK);
                    plan = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }
}

/// What the calling thread does with what the others bring.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) plan: &'a Shared,
    pub(crate) settings: ScheduleSettings,
    pub(crate) start: Instant,
    pub(crate) summary: Summary,
}

impl Entry<'_> {
    pub(crate) fn enter<S: Sink>(
        &mut self,
        brought: Brought,
        sink: &mut S,
    ) -> Result<(), ScheduleError<S::Error>> {
        let Brought { work, given, results, seconds } = brought;
        let results = results.map_err(|error| {
            let name = self.plan.lock().works[work].work.name.clone();
            ScheduleError::Task { name, error }
        })?;
        let start = Instant::now();
        let unit = DoneUnit { first: given.start, results, seconds };
        let n = unit.results.len() as u64;
        let mut news = Vec::new();
        let mut unit_size = None;
        if n > 0 {
            news = sink.take(work, unit).map_err(ScheduleError::Sink)?;
            let suggested = (self.settings.unit_seconds * n as f64 / seconds.max(1e-9)).round();
            let suggested = (suggested as u64).clamp(1, MAX_UNIT);
            unit_size = Some(sink.unit_size(work, suggested).map_err(ScheduleError::Sink)?);
            self.summary.done_here += n;
        }
        self.summary.sink_seconds += start.elapsed().as_secs_f64();
        let mut plan = self.plan.lock();
        plan.enter(&news);
        let at = &mut plan.works[work];
        at.in_flight.remove(&given);
        if n > 0 {
            at.work.unit_size = unit_size;
            at.seconds_per_number = Some(seconds / n as f64);
            plan.latest = Some(work);
        }
        plan.is_closed |= sink.is_decided();
        Ok(())
    }

    pub(crate) fn look<S: Sink>(&mut self, sink: &mut S) -> Result<(), ScheduleError<S::Error>> {
        let news = sink.look().map_err(ScheduleError::Sink)?;
        self.plan.lock().enter(&news);
        Ok(())
    }

    pub(crate) fn standing(&self) -> Standing {
        let plan = self.plan.lock();
        let threads = self.settings.threads.max(1) as f64;
        let here = self.summary.done_here;
        let mean = (here > 0).then(|| self.start.elapsed().as_secs_f64() * threads / here as f64);
        let left = plan.works.iter().map(|at| {
            let left = at.work.wanted - at.n_done;
            Some(left as f64 * at.seconds_per_number.or(at.work.expected_seconds).or(mean)?)
        });
        Standing {
            done: plan.works.iter().map(|at| at.n_done).sum(),
            wanted: plan.works.iter().map(|at| at.work.wanted).sum(),
            seconds_left: left.sum::<Option<f64>>().map(|all| all / threads),
            latest: plan.latest,
        }
    }
}

#[derive(Debug)]
struct Plan {
    works: Vec<WorkState>,
    order: Order,
    threads: u64,
    /// Counts up with every unit that is handed out; where it starts differs between processes.
    turn: u64,
    latest: Option<usize>,
    /// Nothing more is handed out.
    is_closed: bool,
}

#[derive(Debug)]
struct WorkState {
    work: Work,
    /// Numbers that are done, of those that are wanted.
    n_done: u64,
    /// Handed out here, and not entered yet.
    in_flight: Ranges,
    seconds_per_number: Option<f64>,
}

pub(crate) enum Next {
    Unit(usize, Box<Unit>),
    /// Others are at work on what this depends on.
    Wait,
    Nothing,
}

impl Plan {
    fn new(works: Vec<Work>, settings: ScheduleSettings) -> Plan {
        Plan {
            works: works.into_iter().map(WorkState::new).collect(),
            order: settings.order,
            threads: settings.threads.max(1) as u64,
            turn: match settings.order {
                Order::Ascending => 0,
                Order::Spread => u64::from(std::process::id()),
            },
            latest: None,
            is_closed: false,
        }
    }

    fn enter(&mut self, news: &[News]) {
        for News { work, numbers } in news {
            let at = &mut self.works[*work];
            at.work.done.add(numbers.clone());
            at.n_done = at.work.done.count_below(at.work.wanted);
        }
    }

    /// Hands out the next unit, work after work in turn.
    fn next(&mut self) -> Next {
        let n = self.works.len();
        if self.is_closed || n == 0 {
            return Next::Nothing;
        }
        let mut waits = false;
        for i in 0..n {
            let at = (self.turn as usize).wrapping_add(i) % n;
            let state = &mut self.works[at];
            if state.n_done >= state.work.wanted {
                continue;
            }
            match state.next_range(self.order, self.turn, self.threads) {
                Some(numbers) => {
                    self.turn = self.turn.wrapping_add(1);
                    state.in_flight.add(numbers.clone());
                    let Work { task, keep, .. } = &state.work;
                    let unit = Unit { task: task.clone(), numbers, keep: *keep };
                    return Next::Unit(at, Box::new(unit));
                }
                None => waits = true,
            }
        }
        if waits { Next::Wait } else { Next::Nothing }
    }
}

impl WorkState {
    fn new(work: Work) -> WorkState {
        let n_done = work.done.count_below(work.wanted);
        WorkState { work, n_done, in_flight: Ranges::default(), seconds_per_number: None }
    }

    /// Numbers that are neither done nor being done here, of one unit on the grid of units.
    fn next_range(&self, order: Order, turn: u64, threads: u64) -> Option<Range<u64>> {
        let Work { wanted, first_unit, unit_size, done, .. } = &self.work;
        let unit = unit_size.unwrap_or(*first_unit).max(1);
        let mut taken = done.clone();
        self.in_flight.iter().for_each(|range| taken.add(range));
        let gaps: Vec<Range<u64>> = taken.gaps_below(*wanted).collect();
        let units_in = |gap: &Range<u64>| gap.end.div_ceil(unit) - gap.start / unit;
        let total: u64 = gaps.iter().map(units_in).sum();
        if total == 0 {
            return None;
        }
        // Without a size yet the first numbers are as good as any, and the others stay in one
        // piece.
        let mut pick = match order {
            Order::Spread if unit_size.is_some() => turn % total,
            _ => 0,
        };
        for gap in &gaps {
            let here = units_in(gap);
            if pick < here {
                let start = gap.start.max((gap.start / unit + pick) * unit);
                let end = ((start / unit + 1) * unit).min(gap.end);
                let limit = done.first_gap() + MAX_UNITS_AHEAD * threads * unit;
                return (order == Order::Spread || start < limit).then_some(start..end);
            }
            pick -= here;
        }
        None
    }
}

#[cfg(test)]
mod tests;
