//! Works whose units are done elsewhere, such as on the machines of a cluster: it says what is to
//! be done next, takes what comes back, in any order, and forgets what was lost. Units, results and
//! sinks are those of [`run_works`](crate::run_works), and so are the numbers in the end.

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use sakiyomi_core::Stop;

use crate::experiment::Experiment;
use crate::runner::{
    Opened, RunError, RunProgress, RunSettings, RunSummary, StoreSink, WorkNames, open_works,
};
use crate::schedule::{
    Brought, Entry, Next, Order, ScheduleError, ScheduleSettings, Shared, Sink, Standing, Summary,
    Work,
};
use crate::store::Store;
use crate::{DoneUnit, Results, Unit};

/// Works of which this hands out the units.
#[derive(Debug)]
pub struct OpenWorks<S> {
    sink: S,
    plan: Shared,
    settings: ScheduleSettings,
    start: Instant,
    summary: Summary,
}

/// Which unit a result belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    work: usize,
    numbers: Range<u64>,
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq)]
pub enum Handed {
    Unit(Ticket, Box<Unit>),
    /// Nothing now; if what was handed out is lost, there will be more.
    Wait,
    /// All is done.
    Nothing,
}

/// A result that is not one of the unit that was handed out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a result that came back is of {found}; expected {expected}")]
pub struct WrongAnswer {
    found: String,
    expected: String,
}

impl Ticket {
    /// Whether results have the numbers of the unit, from the first on.
    pub fn check(&self, done: &DoneUnit) -> Result<(), WrongAnswer> {
        let Range { start, end } = self.numbers;
        let mut numbers = done.results.games().iter().map(|played| played.number);
        let is_in_order = numbers.by_ref().zip(start..).all(|(number, own)| number == own);
        if done.first == start && done.numbers().end <= end && is_in_order {
            return Ok(());
        }
        let text = |numbers: Range<u64>| format!("numbers {} to {}", numbers.start, numbers.end);
        Err(WrongAnswer { found: text(done.numbers()), expected: text(start..end) })
    }
}

impl<S: Sink> OpenWorks<S> {
    /// `settings.threads` is the number of units that are done at the same time.
    pub fn new(works: Vec<Work>, settings: ScheduleSettings, sink: S) -> OpenWorks<S> {
        let (plan, start) = (Shared::new(works, settings), Instant::now());
        OpenWorks { sink, plan, settings, start, summary: Summary::default() }
    }

    /// Hands out a unit.
    pub fn hand_out(&mut self) -> Handed {
        match self.plan.next_now() {
            Next::Unit(work, unit) => {
                let numbers = unit.numbers.clone();
                Handed::Unit(Ticket { work, numbers }, unit)
            }
            Next::Wait => Handed::Wait,
            Next::Nothing => Handed::Nothing,
        }
    }

    /// Takes what came of a unit and hands it to the sink.
    pub fn enter(
        &mut self,
        ticket: &Ticket,
        done: DoneUnit,
    ) -> Result<(), ScheduleError<S::Error>> {
        let Ticket { work, numbers } = ticket.clone();
        let DoneUnit { results, seconds, .. } = done;
        self.bring(Brought { work, given: numbers, results: Ok(results), seconds })
    }

    /// Forgets that a unit was handed out: it is lost and will be handed out again.
    pub fn lose(&mut self, ticket: &Ticket) -> Result<(), ScheduleError<S::Error>> {
        let Ticket { work, numbers } = ticket.clone();
        let results = Ok(Results::default());
        self.bring(Brought { work, given: numbers, results, seconds: 0.0 })
    }

    pub fn standing(&self) -> Standing {
        let OpenWorks { plan, settings, start, summary, .. } = self;
        Entry { plan, settings: *settings, start: *start, summary: *summary }.standing()
    }

    pub fn sink(&self) -> &S {
        &self.sink
    }

    pub fn into_sink(self) -> S {
        self.sink
    }

    fn bring(&mut self, brought: Brought) -> Result<(), ScheduleError<S::Error>> {
        let OpenWorks { sink, plan, settings, start, summary } = self;
        let mut entry = Entry { plan, settings: *settings, start: *start, summary: *summary };
        let entered = entry.enter(brought, sink).and_then(|()| entry.look(sink));
        *summary = entry.summary;
        entered
    }
}

/// A run of experiments whose units are done elsewhere.
#[derive(Debug)]
pub struct OpenRun {
    works: OpenWorks<StoreSink>,
    names: WorkNames,
}

impl OpenRun {
    /// Looks up what is missing. `settings.threads` is the number of units that are done at the
    /// same time.
    pub fn new(
        experiments: &[&Experiment],
        settings: RunSettings,
        store_file: &Path,
    ) -> Result<OpenRun, RunError> {
        let RunSettings { scale, threads, unit_seconds, worker } = settings;
        let settings = ScheduleSettings { threads, unit_seconds, order: Order::Spread, worker };
        let mut sink = StoreSink::new(Store::open(store_file)?)?;
        let Opened { works, .. } = open_works(experiments, scale, &mut sink, &Stop::new())?;
        let names = WorkNames::of(&works);
        Ok(OpenRun { works: OpenWorks::new(works, settings, sink), names })
    }

    /// Hands out a unit.
    pub fn hand_out(&mut self) -> Handed {
        self.works.hand_out()
    }

    /// Takes what came of a unit and keeps it in the store. Results that are there already are not
    /// kept twice.
    pub fn enter(&mut self, ticket: &Ticket, done: DoneUnit) -> Result<(), RunError> {
        ticket.check(&done)?;
        Ok(self.works.enter(ticket, done)?)
    }

    /// Forgets that a unit was handed out: it is lost and will be handed out again.
    pub fn lose(&mut self, ticket: &Ticket) -> Result<(), RunError> {
        Ok(self.works.lose(ticket)?)
    }

    pub fn progress(&self) -> RunProgress {
        self.names.progress(&self.works.standing(), self.works.sink())
    }

    pub fn summary(&self) -> RunSummary {
        let OpenWorks { summary, start, .. } = &self.works;
        let Standing { done, wanted, .. } = self.works.standing();
        RunSummary {
            games_played: summary.done_here,
            games_done: done,
            games: wanted,
            seconds: start.elapsed().as_secs_f64(),
            store_seconds: summary.sink_seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Scale;
    use crate::{Pairing, run_experiments, run_unit};

    fn experiment() -> Experiment {
        let agents = ["uct:iterations=30".parse().unwrap(), "random".parse().unwrap()];
        let pairing = Pairing::new("tic-tac-toe".parse().unwrap(), agents, 5);
        Experiment::of_duel("test", pairing, 40)
    }

    fn settings() -> RunSettings {
        RunSettings { scale: Scale::Quick, threads: 2, unit_seconds: 0.01, worker: run_unit }
    }

    #[test]
    fn units_done_elsewhere_give_the_numbers_of_a_local_run() {
        let folder = tempfile::tempdir().unwrap();
        let experiment = experiment();
        let [local, remote] = ["local", "remote"].map(|name| folder.path().join(name));
        let mut tally = None;
        let progress = &mut |progress: &RunProgress| tally = Some(progress.tallies[0].tally);
        run_experiments(&[&experiment], settings(), &local, &Stop::new(), progress).unwrap();
        let mut run = OpenRun::new(&[&experiment], settings(), &remote).unwrap();
        let mut waiting = Vec::new();
        let mut n_lost = 0;
        loop {
            let handed = run.hand_out();
            let is_waiting = matches!(handed, Handed::Wait);
            match handed {
                Handed::Unit(ticket, unit) => waiting.push((ticket, unit)),
                Handed::Wait => assert!(!waiting.is_empty(), "nothing is being done"),
                Handed::Nothing => break,
            }
            // The last that was handed out comes back first, and some are lost.
            if !is_waiting && waiting.len() < 3 {
                continue;
            }
            let (ticket, unit) = waiting.pop().unwrap();
            if n_lost < 3 {
                n_lost += 1;
                run.lose(&ticket).unwrap();
                continue;
            }
            let results = run_unit(&unit, &Stop::new()).unwrap();
            let done = DoneUnit { first: unit.numbers.start, results, seconds: 0.01 };
            let shifted = DoneUnit { first: done.first + 1, ..done.clone() };
            assert!(matches!(run.enter(&ticket, shifted), Err(RunError::Answer(_))));
            run.enter(&ticket, done).unwrap();
        }
        assert_eq!(run.summary().games_done, 40);
        assert_eq!(run.progress().tallies[0].tally, tally.unwrap());
        assert_eq!(n_lost, 3);
    }
}
