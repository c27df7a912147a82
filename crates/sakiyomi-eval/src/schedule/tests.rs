use super::*;
use crate::{Pairing, run_unit};
use std::sync::atomic::{AtomicU64, Ordering};

fn work_of(wanted: u64, unit_size: Option<u64>) -> Work {
    let agents = ["random".parse().unwrap(), "random".parse().unwrap()];
    let task = Task::Matches(Pairing::new("tic-tac-toe".parse().unwrap(), agents, 1));
    Work { first_unit: 2, unit_size, ..Work::new("work".to_owned(), task, wanted) }
}

fn state(wanted: u64, unit_size: Option<u64>) -> WorkState {
    WorkState::new(work_of(wanted, unit_size))
}

#[test]
fn units_cover_all_numbers_once_in_any_order() {
    for (order, turn_step) in
        [(Order::Spread, 1), (Order::Spread, 3), (Order::Spread, 7), (Order::Ascending, 1)]
    {
        let mut state = state(103, None);
        assert_eq!(state.next_range(order, 5, 1), Some(0..2), "the first ones tell the time");
        state.in_flight.add(0..2);
        assert_eq!(state.next_range(order, 5, 1), Some(2..4), "other threads need not wait for it");
        state.in_flight.remove(&(0..2));
        state.work.done.add(0..2);
        state.work.unit_size = Some(10);
        let mut times = vec![0; 103];
        times[..2].fill(1);
        let mut turn = 0;
        while let Some(numbers) = state.next_range(order, turn, 1) {
            let (first, end) = (numbers.start, numbers.end);
            assert!(end - first <= 10 && first / 10 == (end - 1) / 10, "a unit stays on its grid");
            times[first as usize..end as usize].iter_mut().for_each(|n| *n += 1);
            state.work.done.add(numbers);
            turn += turn_step;
        }
        assert!(times.iter().all(|&n| n == 1), "{times:?}");
        assert_eq!(WorkState::new(state.work).n_done, 103);
    }
}

#[test]
fn numbers_beyond_what_is_wanted_do_not_count() {
    let mut work = work_of(10, Some(4));
    work.leave_out(0..4);
    work.leave_out(8..12);
    let state = WorkState::new(work);
    assert_eq!(state.n_done, 6);
    assert_eq!(state.next_range(Order::Spread, 99, 1), Some(4..8));
}

/// Results that wait for one with a lower number are bounded.
#[test]
fn ascending_units_are_never_far_ahead() {
    let mut state = state(100_000_000, Some(10));
    let mut n = 0;
    while let Some(numbers) = state.next_range(Order::Ascending, n, 2) {
        assert_eq!(numbers.start, n * 10);
        state.in_flight.add(numbers);
        n += 1;
    }
    assert_eq!(n, 2 * MAX_UNITS_AHEAD);
    state.work.done.add(0..10);
    assert!(state.next_range(Order::Ascending, n, 2).is_some());
}

/// Keeps the numbers, and may be full or satisfied.
#[derive(Default)]
struct Numbers {
    taken: Vec<u64>,
    enough_at: Option<usize>,
    fails_at: Option<usize>,
}

impl Sink for Numbers {
    type Error = &'static str;

    fn take(&mut self, work: usize, unit: DoneUnit) -> Result<Vec<News>, &'static str> {
        self.taken.extend(unit.results.games().iter().map(|played| played.number));
        if self.fails_at.is_some_and(|n| self.taken.len() >= n) {
            return Err("full");
        }
        Ok(vec![News { work, numbers: unit.numbers() }])
    }

    fn is_decided(&self) -> bool {
        self.enough_at.is_some_and(|n| self.taken.len() >= n)
    }
}

fn settings(threads: usize, order: Order) -> ScheduleSettings {
    ScheduleSettings { threads, unit_seconds: 0.002, order, worker: run_unit }
}

#[test]
fn every_number_is_done_once_on_any_number_of_threads() {
    for threads in [1, 2, 5] {
        for order in [Order::Ascending, Order::Spread] {
            let mut sink = Numbers::default();
            let mut work = work_of(700, None);
            work.done.add(100..300);
            let settings = settings(threads, order);
            let done =
                run_works(vec![work], settings, &mut sink, &Stop::new(), &mut |_, _| {}).unwrap();
            sink.taken.sort_unstable();
            assert!(sink.taken.iter().copied().eq((0..100).chain(300..700)));
            assert_eq!((done.done, done.wanted, done.done_here), (700, 700, 500));
        }
    }
}

#[test]
fn a_sink_that_fails_or_has_enough_ends_it() {
    let run = |sink: &mut Numbers, stop: &Stop| {
        let settings = settings(3, Order::Ascending);
        run_works(vec![work_of(100_000_000, None)], settings, sink, stop, &mut |_, _| {})
    };
    let mut fails = Numbers { fails_at: Some(50), ..Numbers::default() };
    assert!(matches!(run(&mut fails, &Stop::new()), Err(ScheduleError::Sink("full"))));
    let mut decided = Numbers { enough_at: Some(500), ..Numbers::default() };
    let done = run(&mut decided, &Stop::new()).unwrap();
    assert!(decided.taken.len() >= 500 && done.done < 1_000_000);
    let stop = Stop::new();
    stop.request();
    assert_eq!(run(&mut Numbers::default(), &stop).unwrap().done, 0);
}

/// A stop keeps the numbers of a unit that were complete.
#[test]
fn a_stop_keeps_what_is_complete() {
    let (stop, n_told) = (Stop::new(), AtomicU64::new(0));
    let mut sink = Numbers::default();
    let work = work_of(100_000_000, Some(10_000_000));
    let settings = ScheduleSettings { unit_seconds: 1e6, ..settings(2, Order::Ascending) };
    let done = run_works(vec![work], settings, &mut sink, &stop, &mut |_, _| {
        // Told at the start, and again after a tick, in the middle of the first units.
        if n_told.fetch_add(1, Ordering::Relaxed) == 1 {
            stop.request();
        }
    });
    let done = done.unwrap().done;
    assert!(done > 0 && done == sink.taken.len() as u64, "{done}");
}
