//! What the stages of a rule sheet cost: time, memory, and a way to stop them in the middle.
//!
//! Grounding, the network and the first position together have one limit of time, and each of them
//! one of bytes; in a match every position that is interpreted has both limits for itself.

use std::sync::Arc;
use std::time::Duration;

use cpu_time::ThreadTime;

use crate::read::error::GdlError;
use crate::read::parse::RulePlace;

/// What a rule sheet may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Seconds of CPU time until there is a game. Grounding has most of it; where that does not
    /// suffice, the rules are interpreted. A position that is interpreted may take as long again.
    pub seconds: f64,
    /// Bytes of all that is held at the same time.
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

/// How far compiling has come.
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

/// Is told from time to time how far compiling has come; false ends it.
pub type Watcher<'a> = dyn FnMut(&Progress) -> bool + 'a;

/// Counts the cost, and ends what costs too much.
pub(crate) struct Meter<'a> {
    limits: Limits,
    start: ThreadTime,
    watcher: &'a mut Watcher<'a>,
    stage: &'static str,
    /// Seconds from the start at which the stage is given up.
    seconds: f64,
    /// Bytes that are held beside what the stage makes.
    held: u64,
    n_ticks: u64,
    /// The stage is given up after this many ticks, if that is set.
    max_ticks: u64,
    /// Work without ticks since the last look.
    n_work: u64,
    /// The rule that is looked at.
    rule: Option<Arc<RulePlace>>,
    over: Option<Over>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Over {
    Seconds,
    Bytes,
    Ticks,
    Stopped,
    /// A term whose text is longer than [`MAX_WRITTEN`].
    Term,
    /// Proofs nest deeper than [`MAX_DEPTH`].
    Depth,
}

/// Ticks, or steps of other work, between two looks at the clock.
const INTERVAL: u64 = 1 << 12;

/// Bytes that are made between two looks, about.
const UNTIL_NEXT_LOOK: u64 = INTERVAL * 64;

/// What a position that is interpreted may take in any case.
const MIN_SECONDS: f64 = 1.0;
const MIN_BYTES: u64 = 16_000_000;

/// The longest text that a term may have. Terms are walked by recursion, so this also bounds how
/// deep they nest.
pub(crate) const MAX_WRITTEN: u64 = 10_000;
/// How deep proofs may nest before they are given up.
pub(crate) const MAX_DEPTH: usize = 20_000;

impl<'a> Meter<'a> {
    pub(crate) fn new(limits: &Limits, watcher: &'a mut Watcher<'a>) -> Meter<'a> {
        Meter {
            limits: *limits,
            start: ThreadTime::now(),
            watcher,
            stage: "",
            seconds: limits.seconds,
            held: 0,
            n_ticks: 0,
            max_ticks: u64::MAX,
            n_work: 0,
            rule: None,
            over: None,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The share of the time that has passed.
    pub(crate) fn share_passed(&self) -> f64 {
        self.start.elapsed().as_secs_f64() / self.limits.seconds
    }

    /// Begins a stage beside which this many bytes are held.
    pub(crate) fn begin(&mut self, stage: &'static str, held: u64) {
        (self.stage, self.held, self.n_ticks, self.rule) = (stage, held, 0, None);
    }

    /// Notes which rule is looked at.
    pub(crate) fn at(&mut self, rule: &Arc<RulePlace>) {
        if self.over.is_none() {
            self.rule = Some(Arc::clone(rule));
        }
    }

    /// Notes in which rule the cost was too much, if that is not known yet.
    pub(crate) fn blame(&mut self, rule: &Arc<RulePlace>) {
        self.rule.get_or_insert_with(|| Arc::clone(rule));
    }

    /// Lets stages go on until this share of the time has passed, and forgets that one has cost too
    /// much. A request to stop is not forgotten.
    pub(crate) fn allow_share(&mut self, share: f64) {
        self.seconds = self.limits.seconds * share;
        self.over = self.over.filter(|&over| over == Over::Stopped);
        self.max_ticks = u64::MAX;
    }

    /// Lets the rules be interpreted until all of the time has passed. A position needs some time
    /// and memory however small the limits are.
    pub(crate) fn allow_interpreting(&mut self) {
        self.limits.seconds = self.limits.seconds.max(MIN_SECONDS);
        self.limits.bytes = self.limits.bytes.max(MIN_BYTES);
        self.allow_share(1.0);
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

    /// Counts one step. `made` says how many things the stage has made, and their bytes.
    #[inline]
    pub(crate) fn tick(&mut self, made: impl FnOnce() -> (usize, u64)) {
        self.n_ticks += 1;
        if self.n_ticks.is_multiple_of(INTERVAL) {
            self.look(made());
            if self.n_ticks > self.max_ticks {
                self.give_up(Over::Ticks);
            }
        }
    }

    /// Counts work that makes nothing, in steps that take about as long as a tick.
    #[inline]
    pub(crate) fn work(&mut self, n_steps: usize, made: impl FnOnce() -> (usize, u64)) {
        self.n_work += n_steps as u64;
        if self.n_work >= INTERVAL {
            self.n_work = 0;
            self.look(made());
        }
    }

    /// Compares the cost with the limits now.
    pub(crate) fn look(&mut self, (n, bytes): (usize, u64)) {
        if self.is_over() {
            return;
        }
        let bytes = self.held + bytes;
        let seconds = self.start.elapsed().as_secs_f64();
        let over = match () {
            () if bytes + UNTIL_NEXT_LOOK > self.limits.bytes => Some(Over::Bytes),
            () if seconds > self.seconds => Some(Over::Seconds),
            () if !(self.watcher)(&Progress { stage: self.stage, n, seconds, bytes }) => {
                Some(Over::Stopped)
            }
            () => None,
        };
        self.over = over;
    }

    /// Ends the stage if a term is too long.
    #[inline]
    pub(crate) fn note_written(&mut self, written: u64) {
        if written > MAX_WRITTEN {
            self.give_up(Over::Term);
        }
    }

    pub(crate) fn give_up(&mut self, over: Over) {
        self.over = self.over.or(Some(over));
    }

    pub(crate) fn over(&self) -> Option<Over> {
        self.over
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    pub(crate) fn check(&self) -> Result<(), GdlError> {
        let (stage, rule) = (self.stage, self.rule.as_deref().cloned());
        let limit = match self.over {
            None => return Ok(()),
            Some(Over::Stopped) => return Err(GdlError::Stopped),
            Some(Over::Term) => return Err(GdlError::LongTerm { stage, limit: MAX_WRITTEN, rule }),
            Some(Over::Depth) => return Err(GdlError::TooDeep { limit: MAX_DEPTH }),
            Some(Over::Seconds) => format!("{:.3} s of CPU time", self.seconds),
            Some(Over::Ticks) => format!("{} steps", self.max_ticks),
            Some(Over::Bytes) => format!("{:.1} MB", self.limits.bytes as f64 / 1e6),
        };
        Err(GdlError::TooLarge { stage, limit, rule })
    }
}

impl std::fmt::Debug for Meter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut meter = f.debug_struct("Meter");
        meter.field("stage", &self.stage).field("over", &self.over).finish_non_exhaustive()
    }
}
