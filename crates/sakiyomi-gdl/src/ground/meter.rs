//! What grounding costs: time, memory, and a way to stop it in the middle.

use std::time::Duration;

use cpu_time::ThreadTime;

use crate::read::error::GdlError;

/// What grounding may cost. Beyond this a game is played by interpreting its rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Seconds of CPU time.
    pub seconds: f64,
    /// Bytes of all that grounding holds at the same time.
    pub bytes: u64,
}

impl Limits {
    pub fn new(time: Duration, bytes: u64) -> Limits {
        Limits { seconds: time.as_secs_f64(), bytes }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::new(Duration::from_secs(20), 600_000_000)
    }
}

/// How far grounding has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What is being done.
    pub stage: &'static str,
    /// What has been made in this stage so far: facts, ground rules or gates.
    pub n: usize,
    /// CPU seconds and bytes that all stages took.
    pub seconds: f64,
    pub bytes: u64,
}

/// Is told from time to time how far grounding has come; false ends it.
pub type Watcher<'a> = dyn FnMut(&Progress) -> bool + 'a;

/// Counts the cost, and ends what costs too much.
pub(crate) struct Meter<'a> {
    limits: Limits,
    start: ThreadTime,
    watcher: &'a mut Watcher<'a>,
    stage: &'static str,
    /// Bytes that are held beside what the stage makes.
    held: u64,
    n_ticks: u64,
    /// The stage is given up after this many ticks, if that is set.
    max_ticks: u64,
    over: Option<Over>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Over {
    Seconds,
    Bytes,
    Ticks,
    Stopped,
}

/// Ticks between two looks at the clock.
const INTERVAL: u64 = 1 << 12;

impl<'a> Meter<'a> {
    pub(crate) fn new(limits: &Limits, watcher: &'a mut Watcher<'a>) -> Meter<'a> {
        Meter {
            limits: *limits,
            start: ThreadTime::now(),
            watcher,
            stage: "",
            held: 0,
            n_ticks: 0,
            max_ticks: u64::MAX,
            over: None,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Begins a stage beside which this many bytes are held.
    pub(crate) fn begin(&mut self, stage: &'static str, held: u64) {
        (self.stage, self.held, self.n_ticks) = (stage, held, 0);
    }

    /// Lets each stage from now on take this many ticks.
    pub(crate) fn allow_ticks(&mut self, max: u64) {
        self.max_ticks = max;
        if max == 0 {
            self.over = self.over.or(Some(Over::Ticks));
        }
    }

    /// Forgets that a stage took too many ticks.
    pub(crate) fn forgive_ticks(&mut self) {
        self.max_ticks = u64::MAX;
        self.over = self.over.filter(|&over| over != Over::Ticks);
    }

    /// Forgets what was spent, and allows it once more.
    pub(crate) fn start_again(&mut self) {
        (self.start, self.over, self.max_ticks) = (ThreadTime::now(), None, u64::MAX);
    }

    /// Counts one step. `made` says how many things the stage has made, and their bytes.
    #[inline]
    pub(crate) fn tick(&mut self, made: impl FnOnce() -> (usize, u64)) {
        self.n_ticks += 1;
        if self.n_ticks.is_multiple_of(INTERVAL) {
            self.look(made());
        }
    }

    /// Compares the cost with the limits now.
    pub(crate) fn look(&mut self, (n, bytes): (usize, u64)) {
        let bytes = self.held + bytes;
        let seconds = self.start.elapsed().as_secs_f64();
        let over = match () {
            () if bytes > self.limits.bytes => Some(Over::Bytes),
            () if seconds > self.limits.seconds => Some(Over::Seconds),
            () if self.n_ticks > self.max_ticks => Some(Over::Ticks),
            () if !(self.watcher)(&Progress { stage: self.stage, n, seconds, bytes }) => {
                Some(Over::Stopped)
            }
            () => None,
        };
        self.over = self.over.or(over);
    }

    pub(crate) fn over(&self) -> Option<Over> {
        self.over
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    pub(crate) fn check(&self) -> Result<(), GdlError> {
        let limit = match self.over {
            None => return Ok(()),
            Some(Over::Stopped) => return Err(GdlError::Stopped),
            Some(Over::Seconds) => format!("{} seconds", self.limits.seconds),
            Some(Over::Ticks) => format!("{} steps", self.max_ticks),
            Some(Over::Bytes) => format!("{:.1} MB", self.limits.bytes as f64 / 1e6),
        };
        Err(GdlError::TooLarge { limit })
    }
}

impl std::fmt::Debug for Meter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut meter = f.debug_struct("Meter");
        meter.field("stage", &self.stage).field("over", &self.over).finish_non_exhaustive()
    }
}
