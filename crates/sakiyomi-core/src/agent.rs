//! Who plays: an agent chooses actions within a budget, and says what it thought.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use crate::{Game, Insight, Player, Rng};

/// Someone who plays one seat of one match.
pub trait Agent<G: Game>: Send {
    /// Chooses for `player`, who is one of those choosing in `state`.
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit>;

    /// Gets ready for the match before its first decision, until it is done or asked to stop: what an
    /// agent that learns about the game does while a start clock runs. What was not done here is
    /// done by the first decision, outside its budget.
    fn prepare(&mut self, _game: &G, _context: &mut Context<'_>) {}

    /// What getting ready has shown and cost, once it was done; none if there was nothing to do.
    fn preparation(&self) -> Option<Preparation> {
        None
    }

    /// Is told every step of the match, those of its own included: the state before it, and what
    /// was played there (one action per choosing player, or the outcome of chance).
    fn observe(&mut self, _game: &G, _before: &G::State, _actions: &[G::Action]) {}

    /// Makes the same choice as [`Agent::choose`] and tells `watch` from time to time what it has
    /// found so far. An agent that cannot tell just chooses.
    fn choose_watched(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
        _watch: &mut Watch<'_, G::Action>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        self.choose(game, state, player, context)
    }

    /// What it knows about `state`, where it has just chosen, with up to `places` places of its
    /// tree; none if it keeps no tree.
    fn insight(&self, _game: &G, _state: &G::State, _places: usize) -> Option<Insight<G::Action>> {
        None
    }
}

/// Someone who is told how a search goes: as soon as there is something to tell, and then from time
/// to time.
pub struct Watch<'a, A> {
    /// How much time lies between two reports, more or less.
    pub period: Duration,
    /// How many places of the tree are told, the state itself included.
    pub places: usize,
    pub tell: &'a mut dyn FnMut(Insight<A>),
}

impl<'a, A> Watch<'a, A> {
    /// For people who look on: the line that is expected, ten times a second.
    pub fn new(tell: &'a mut dyn FnMut(Insight<A>)) -> Watch<'a, A> {
        Watch { period: Duration::from_millis(100), places: 24, tell }
    }

    /// For those who may need an answer at any moment: only the actions of the state itself, every
    /// few milliseconds.
    pub fn closely(tell: &'a mut dyn FnMut(Insight<A>)) -> Watch<'a, A> {
        Watch { period: Duration::from_millis(5), places: 1, tell }
    }
}

impl<A> fmt::Debug for Watch<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Watch { period, places, .. } = self;
        f.debug_struct("Watch").field("period", period).field("places", places).finish()
    }
}

/// What an agent decided and why: the policy is what exploitability and inspectors read.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<A> {
    pub action: A,
    /// Every action it considered with its share; the shares add up to 1.
    pub policy: Vec<(A, f64)>,
    /// What the player expects to get, from 0 to 1, if the agent has an opinion.
    pub value: Option<f64>,
    /// Playouts or other units of thinking spent on this decision.
    pub iterations: u64,
    /// Positions that it holds in memory, or visited if it holds none.
    pub nodes: u64,
}

/// An agent that cannot go on: it crashed, ran out of time or answered nonsense. It loses the match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Forfeit {
    pub reason: String,
}

/// What an agent did to get ready for a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Preparation {
    /// What it found, in a few words.
    pub found: String,
    /// Playouts that it took.
    pub playouts: u64,
    /// CPU time that it took.
    pub cpu: Duration,
}

/// What an agent gets from outside for one decision.
#[derive(Debug)]
pub struct Context<'a> {
    pub rng: &'a mut Rng,
    pub stop: &'a Stop,
}

/// A request to stop thinking and answer with what is there. Shared by reference between threads.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    pub const fn new() -> Stop {
        Stop(AtomicBool::new(false))
    }

    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How much an agent may think about one decision. The first limit that is reached ends it.
///
/// Iterations are repeatable. Wall time is for play against people and clocks. CPU time, summed over
/// the threads that think, is for fair matches at equal time on a busy machine.
/// `nodes` and `memory` end no search: they stop a tree from growing, and the search goes on in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    pub iterations: Option<u64>,
    pub wall: Option<Duration>,
    pub cpu: Option<Duration>,
    pub nodes: Option<u64>,
    /// In bytes, for the whole tree.
    pub memory: u64,
}

impl Budget {
    pub const DEFAULT_MEMORY: u64 = 1 << 30;

    pub fn iterations(n: u64) -> Budget {
        Budget {
            iterations: Some(n),
            wall: None,
            cpu: None,
            nodes: None,
            memory: Budget::DEFAULT_MEMORY,
        }
    }

    /// Whether the same seed gives the same decision again.
    pub fn is_repeatable(&self) -> bool {
        self.wall.is_none() && self.cpu.is_none()
    }

    /// The part of share `i` of `n` equal ones that run at the same time: iterations, memory and
    /// CPU time are divided, wall time is not.
    #[must_use]
    pub fn share(&self, i: u64, n: u64) -> Budget {
        let part = |whole: u64| whole / n + u64::from(i < whole % n);
        Budget {
            iterations: self.iterations.map(part),
            nodes: self.nodes.map(part),
            cpu: self.cpu.map(|cpu| cpu / n.clamp(1, u32::MAX.into()) as u32),
            memory: self.memory / n,
            ..*self
        }
    }

    /// Starts the clocks, on the thread that will do the thinking.
    pub fn begin<'a>(&self, stop: &'a Stop) -> Meter<'a> {
        Meter {
            iterations: self.iterations.unwrap_or(u64::MAX),
            start: Instant::now(),
            wall: self.wall,
            cpu_start: ThreadTime::now(),
            cpu: self.cpu,
            stop,
            done: 0,
            next_check: 1,
            next_report: u64::MAX,
            reports: None,
        }
    }
}

const NANOSECOND: Duration = Duration::from_nanos(1);
/// About how long a stop goes unnoticed at most, if iterations are shorter than that.
const STOP_LATENCY: Duration = Duration::from_millis(2);

/// A budget that is being spent.
#[derive(Debug)]
pub struct Meter<'a> {
    iterations: u64,
    start: Instant,
    wall: Option<Duration>,
    cpu_start: ThreadTime,
    cpu: Option<Duration>,
    stop: &'a Stop,
    done: u64,
    next_check: u64,
    next_report: u64,
    reports: Option<Reports>,
}

/// How often reports are due.
#[derive(Clone, Copy, Debug)]
struct Reports {
    period: Duration,
    /// When the last report was due, and after how many iterations.
    last: Option<(Instant, u64)>,
}

impl Meter<'_> {
    /// Whether there is budget for one more iteration, which the caller then does. The first one
    /// is always granted, so that there is something to answer.
    #[inline]
    pub fn another(&mut self) -> bool {
        if self.done >= self.iterations.max(1) {
            return false;
        }
        if self.done >= self.next_check && self.out_of_time() {
            return false;
        }
        self.done += 1;
        true
    }

    /// Budget for several iterations at once, which the caller then does: at least one and at most
    /// `most`, or none if the budget is spent. Half as many as were granted before, and no more
    /// than take an eighth of the time so far, so that limits of time are overrun by little.
    pub fn several(&mut self, most: u64) -> u64 {
        let before = self.done;
        if !self.another() {
            return 0;
        }
        let left = self.iterations.max(1) - before;
        let mut n = most.min(before / 2).min(left).max(1);
        // What is not more than would be granted one by one without a look at the clocks needs none.
        if before + n > self.next_check {
            let elapsed = self.start.elapsed();
            let mut longest = (elapsed / 8).max(STOP_LATENCY);
            if let Some(wall) = self.wall {
                longest = longest.min(wall.saturating_sub(elapsed) / 2);
            }
            if let Some(cpu) = self.cpu {
                longest = longest.min(cpu.saturating_sub(self.cpu_time()) / 2);
            }
            let per_iteration = (elapsed.as_nanos() / u128::from(before.max(1))).max(1);
            n = n.min((longest.as_nanos() / per_iteration) as u64).max(1);
        }
        self.done = before + n;
        n
    }

    /// Iterations granted so far.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// CPU time of the calling thread so far, which must be the one that began.
    pub fn cpu_time(&self) -> Duration {
        self.cpu_start.elapsed()
    }

    /// Whether a limit of time is reached, or a stop was asked for.
    pub fn is_over(&self) -> bool {
        let is_over =
            |elapsed: Duration, limit: Option<Duration>| limit.is_some_and(|l| elapsed >= l);
        self.stop.requested()
            || is_over(self.start.elapsed(), self.wall)
            || self.cpu.is_some() && is_over(self.cpu_time(), self.cpu)
    }

    /// From now on [`Meter::is_report_due`] is true after the next iteration, and then about once in
    /// every `period`.
    pub fn report(&mut self, period: Duration) {
        self.reports = Some(Reports { period, last: None });
        self.next_report = self.done + 1;
    }

    /// Whether it is time to tell what was found so far.
    #[inline]
    pub fn is_report_due(&mut self) -> bool {
        self.done >= self.next_report && self.check_report()
    }

    fn check_report(&mut self) -> bool {
        let Some(Reports { period, last }) = &mut self.reports else { return false };
        let Some((before, at)) = *last else {
            *last = Some((Instant::now(), self.done));
            self.next_report = self.done + 1;
            return true;
        };
        let elapsed = before.elapsed();
        let per_iteration = (elapsed / (self.done - at).max(1) as u32).max(NANOSECOND);
        let left = period.saturating_sub(elapsed);
        if left.is_zero() {
            *last = Some((Instant::now(), self.done));
        }
        let pause = if left.is_zero() { *period } else { left };
        self.next_report = self.done + 1 + (pause.as_nanos() / per_iteration.as_nanos()) as u64 / 2;
        left.is_zero()
    }

    /// Reads the clocks, which costs up to a microsecond, and decides when to read them again:
    /// after a fiftieth of the time that is left, but soon enough to notice a stop.
    fn out_of_time(&mut self) -> bool {
        if self.stop.requested() {
            return true;
        }
        let mut step = (self.done / 8).clamp(1, 4096);
        let mut wait = |elapsed: Duration, longest: Duration| {
            let per_iteration = elapsed.as_nanos() as u64 / self.done.max(1);
            step = step.min(longest.as_nanos() as u64 / per_iteration.max(1)).max(1);
        };
        let elapsed = self.start.elapsed();
        wait(elapsed, STOP_LATENCY);
        let clocks = [
            self.wall.map(|limit| (elapsed, limit)),
            self.cpu.map(|limit| (self.cpu_start.elapsed(), limit)),
        ];
        for (elapsed, limit) in clocks.into_iter().flatten() {
            if elapsed >= limit {
                return true;
            }
            wait(elapsed, (limit - elapsed) / 50);
        }
        self.next_check = self.done + step;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spend(budget: Budget, stop: &Stop) -> u64 {
        let mut meter = budget.begin(stop);
        while meter.another() {
            std::hint::black_box(Rng::new(meter.done()).bits());
        }
        meter.done()
    }

    #[test]
    fn several_iterations_at_once_are_as_many() {
        for iterations in [0, 1, 2, 3, 10, 1_000, 12_345] {
            let stop = Stop::new();
            let mut meter = Budget::iterations(iterations).begin(&stop);
            let granted: Vec<u64> =
                std::iter::repeat_with(|| meter.several(100)).take_while(|&n| n > 0).collect();
            assert_eq!(granted.iter().sum::<u64>(), iterations.max(1));
            assert!(granted.iter().all(|&n| n <= 100));
            assert_eq!(meter.done(), iterations.max(1));
        }
    }

    #[test]
    fn iterations_are_exact() {
        for n in [1, 2, 7, 1000] {
            assert_eq!(spend(Budget::iterations(n), &Stop::new()), n);
        }
        assert_eq!(spend(Budget::iterations(0), &Stop::new()), 1, "one is always granted");
    }

    #[test]
    fn time_ends_a_search_without_an_iteration_limit() {
        let limit = Some(Duration::from_millis(5));
        for (wall, cpu) in [(limit, None), (None, limit), (limit, limit)] {
            let budget = Budget { iterations: None, wall, cpu, ..Budget::iterations(0) };
            assert!(spend(budget, &Stop::new()) > 1);
        }
        let none_left = Some(Duration::ZERO);
        let budget = Budget { iterations: None, wall: none_left, ..Budget::iterations(0) };
        assert_eq!(spend(budget, &Stop::new()), 1);
    }

    #[test]
    fn a_stop_is_noticed() {
        let stop = Stop::new();
        let budget = Budget { iterations: None, ..Budget::iterations(0) };
        let mut meter = budget.begin(&stop);
        for _ in 0..100_000 {
            assert!(meter.another());
        }
        stop.request();
        let late = (0..).take_while(|_| meter.another()).count();
        assert!(late <= 4096, "{late}");
    }

    #[test]
    fn reports_are_due_only_if_asked_for() {
        let stop = Stop::new();
        let budget = Budget { iterations: None, ..Budget::iterations(0) };
        let mut silent = budget.begin(&stop);
        assert!((0..100_000).all(|_| silent.another() && !silent.is_report_due()));
        let mut told = budget.begin(&stop);
        told.report(Duration::from_millis(5));
        assert!(told.another() && told.is_report_due(), "the first iteration is told at once");
        let mut due = 0;
        while due < 2 && told.another() {
            due += u32::from(told.is_report_due());
        }
        assert!(told.done() > 2, "there is work between reports");
    }

    #[test]
    fn shares_add_up() {
        let budget = Budget::iterations(1003);
        let parts: Vec<_> = (0..4).map(|i| budget.share(i, 4).iterations.unwrap()).collect();
        assert_eq!(parts, [251, 251, 251, 250]);
        assert_eq!(budget.share(0, 4).memory, Budget::DEFAULT_MEMORY / 4);
        let timed = Budget { cpu: Some(Duration::from_millis(50)), wall: budget.wall, ..budget };
        assert_eq!(timed.share(3, 4).cpu, Some(Duration::from_micros(12_500)));
    }
}
