//! A run whose units are done elsewhere, such as on the machines of a cluster: it says what is to be done next,
//! takes what comes back, in any order, and forgets what was lost. Units, results and store are those of
//! [`run_experiments`](crate::run_experiments), and so are the numbers in the end.

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use crate::experiment::Experiment;
use crate::runner::{RunError, RunProgress, RunSettings, RunSummary, StoreSink, WorkNames, works};
use crate::schedule::{Brought, Entry, Next, Order, Settings, Shared, Standing, Summary};
use crate::store::Store;
use crate::{DoneUnit, Results, Unit};

#[derive(Debug)]
pub struct OpenRun {
    sink: StoreSink,
    plan: Shared,
    settings: Settings,
    names: WorkNames,
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

impl OpenRun {
    /// Looks up what is missing. `settings.threads` is the number of units that are done at the same time.
    pub fn new(
        experiments: &[&Experiment],
        settings: RunSettings,
        store_file: &Path,
    ) -> Result<OpenRun, RunError> {
        let RunSettings { scale, threads, unit_seconds } = settings;
        let settings = Settings { threads, unit_seconds, order: Order::Spread };
        let mut sink = StoreSink::new(Store::open(store_file)?)?;
        let works = works(experiments, scale, &mut sink)?;
        Ok(OpenRun {
            sink,
            names: WorkNames::of(&works),
            plan: Shared::new(works, settings),
            settings,
            start: Instant::now(),
            summary: Summary::default(),
        })
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

    /// Takes what came of a unit and keeps it in the store. Results that are there already are not kept twice.
    pub fn enter(&mut self, ticket: &Ticket, done: DoneUnit) -> Result<(), RunError> {
        let Ticket { work, numbers } = ticket.clone();
        let DoneUnit { results, seconds, .. } = done;
        self.bring(Brought { work, given: numbers, results: Ok(results), seconds })
    }

    /// Forgets that a unit was handed out: it is lost and will be handed out again.
    pub fn lose(&mut self, ticket: &Ticket) -> Result<(), RunError> {
        let Ticket { work, numbers } = ticket.clone();
        let results = Ok(Results::default());
        self.bring(Brought { work, given: numbers, results, seconds: 0.0 })
    }

    pub fn progress(&self) -> RunProgress {
        self.names.progress(&self.standing(), &self.sink)
    }

    pub fn summary(&self) -> RunSummary {
        let Standing { done, wanted, .. } = self.standing();
        RunSummary {
            games_played: self.summary.done_here,
            games_done: done,
            games: wanted,
            seconds: self.start.elapsed().as_secs_f64(),
            store_seconds: self.summary.sink_seconds,
        }
    }

    fn bring(&mut self, brought: Brought) -> Result<(), RunError> {
        let OpenRun { sink, plan, settings, start, summary, .. } = self;
        let mut entry = Entry { plan, settings: *settings, start: *start, summary: *summary };
        let entered = entry.enter(brought, sink).and_then(|()| entry.look(sink));
        *summary = entry.summary;
        Ok(entered?)
    }

    fn standing(&self) -> Standing {
        let OpenRun { plan, settings, start, summary, .. } = self;
        Entry { plan, settings: *settings, start: *start, summary: *summary }.standing()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Scale;
    use crate::{Pairing, run_experiments, run_unit};
    use sakiyomi_core::Stop;

    fn experiment() -> Experiment {
        let agents = ["uct:iterations=30".parse().unwrap(), "random".parse().unwrap()];
        let pairing = Pairing::new("tic-tac-toe".parse().unwrap(), agents, 5);
        Experiment::of_duel("test", pairing, 40)
    }

    fn settings() -> RunSettings {
        RunSettings { scale: Scale::Quick, threads: 2, unit_seconds: 0.01 }
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
            run.enter(&ticket, done).unwrap();
        }
        assert_eq!(run.summary().games_done, 40);
        assert_eq!(run.progress().tallies[0].tally, tally.unwrap());
        assert_eq!(n_lost, 3);
    }
}
