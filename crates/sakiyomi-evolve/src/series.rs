//! Series of games of judges, as works of the scheduler, and where they are played.

use std::convert::Infallible;
use std::fmt;
use std::ops::Range;

use sakiyomi_catalog::{AgentSpec, GameSpec};
use sakiyomi_core::Stop;
use sakiyomi_eval::{
    DoneUnit, News, Order, Pairing, ScheduleError, ScheduleSettings, Sink, Task, Work, run_unit,
    run_works,
};

use crate::{Ending, EvolveError};

/// Games of an agent against itself. How each ends depends on game, agent, seed and its number
/// alone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub game: GameSpec,
    pub agent: AgentSpec,
    /// How many first choices of each side are drawn at random.
    pub random_choices: u32,
    pub seed: u64,
    /// The numbers that are wanted.
    pub numbers: Range<u64>,
    /// Those of them that need not be played.
    pub known: Vec<u64>,
}

/// Units that every thread gets of all series, about: the last ones are done by all threads
/// together.
const UNITS_A_THREAD: u64 = 8;
/// Sizes of units follow from the number of games, not from their time.
const UNIT_SECONDS: f64 = 1.0;

impl Series {
    /// The matches in which the agent, against itself, has the first seat.
    fn work(&self, unit_size: u64) -> Work {
        let Series { game, agent, random_choices, seed, numbers, known } = self;
        let pairing = Pairing::new(game.clone(), [agent.clone(), agent.clone()], *seed);
        let task =
            Task::Matches(Pairing { first_seat: true, random_choices: *random_choices, ..pairing });
        let mut work = Work::new(agent.to_string(), task, numbers.end);
        work.unit_size = Some(unit_size);
        work.leave_out(0..numbers.start);
        known.iter().for_each(|&number| work.leave_out(number..number + 1));
        work
    }

    pub(crate) fn n_missing(&self) -> u64 {
        self.numbers.end - self.numbers.start - self.known.len() as u64
    }
}

/// Plays what is missing of the series. For each of them the endings come back in the order of its
/// numbers; those that were known or not played, since it was stopped, are missing. `tell` is
/// called from time to time with what is done so far.
pub(crate) fn play_series(
    series: &[Series],
    runner: &dyn GameRunner,
    stop: &Stop,
    tell: &dyn Fn(&Endings),
) -> Result<Vec<Vec<Option<Ending>>>, EvolveError> {
    let n_missing: u64 = series.iter().map(Series::n_missing).sum();
    // Games of one series share what is made of its map, so a unit has as many as leaves enough
    // units for all threads.
    let unit_size = n_missing.div_ceil(UNITS_A_THREAD * runner.threads().max(1) as u64).max(1);
    let works = series.iter().map(|one| one.work(unit_size)).collect();
    let played = series.iter().map(|one| Column {
        first: one.numbers.start,
        endings: vec![None; (one.numbers.end - one.numbers.start) as usize],
    });
    let endings = Endings { unit_size, played: played.collect(), n_done: 0 };
    let endings = runner.run(works, endings, stop, tell)?;
    Ok(endings.played.into_iter().map(|column| column.endings).collect())
}

/// Where games are played. What comes out depends on the games alone.
pub trait GameRunner: fmt::Debug + Sync {
    /// Games that are played at the same time.
    fn threads(&self) -> usize;

    /// Does the works, or as much of them as is done before it is stopped.
    fn run(
        &self,
        works: Vec<Work>,
        endings: Endings,
        stop: &Stop,
        tell: &dyn Fn(&Endings),
    ) -> Result<Endings, EvolveError>;
}

/// This number of threads of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(pub usize);

impl GameRunner for Threads {
    fn threads(&self) -> usize {
        self.0
    }

    fn run(
        &self,
        works: Vec<Work>,
        mut endings: Endings,
        stop: &Stop,
        tell: &dyn Fn(&Endings),
    ) -> Result<Endings, EvolveError> {
        run_works(works, schedule(self.0), &mut endings, stop, &mut |_, endings| tell(endings))?;
        Ok(endings)
    }
}

pub(crate) fn schedule(threads: usize) -> ScheduleSettings {
    let order = Order::Ascending;
    ScheduleSettings { threads, unit_seconds: UNIT_SECONDS, order, worker: run_unit }
}

/// How the games of works ended: the sink of the scheduler.
#[derive(Clone, Debug)]
pub struct Endings {
    unit_size: u64,
    played: Vec<Column>,
    n_done: u64,
}

impl Endings {
    /// Games that are done.
    pub(crate) fn n_done(&self) -> u64 {
        self.n_done
    }

    /// Those games: the place of their series, their number and how they ended.
    pub(crate) fn done(&self) -> impl Iterator<Item = (usize, u64, Ending)> {
        self.played.iter().enumerate().flat_map(|(at, column)| {
            let numbered = (column.first..).zip(&column.endings);
            numbered.filter_map(move |(number, ending)| Some((at, number, (*ending)?)))
        })
    }
}

/// The endings of one work.
#[derive(Clone, Debug)]
struct Column {
    /// The number of the first of them.
    first: u64,
    endings: Vec<Option<Ending>>,
}

impl Sink for Endings {
    type Error = Infallible;

    fn take(&mut self, work: usize, unit: DoneUnit) -> Result<Vec<News>, Infallible> {
        let Column { first, endings } = &mut self.played[work];
        let numbers = unit.numbers();
        for played in unit.results.games() {
            endings[(played.number - *first) as usize] = Some(Ending::of(played));
        }
        self.n_done += numbers.end - numbers.start;
        Ok(vec![News { work, numbers }])
    }

    fn unit_size(&mut self, _: usize, _: u64) -> Result<u64, Infallible> {
        Ok(self.unit_size)
    }
}

impl From<ScheduleError<Infallible>> for EvolveError {
    fn from(error: ScheduleError<Infallible>) -> EvolveError {
        match error {
            ScheduleError::Task { error, .. } => EvolveError::Play(error),
            ScheduleError::Sink(never) => match never {},
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Evidence;
    use sakiyomi_eval::Outcome;

    pub(crate) fn series(noise: &str, numbers: Range<u64>) -> Series {
        let game = format!("tubstap:map=ford,attacks=all{noise}").parse().unwrap();
        let agent = "sample".parse().unwrap();
        Series { game, agent, random_choices: 0, seed: 3, numbers, known: Vec::new() }
    }

    fn play(series: &[Series], threads: usize) -> Vec<Vec<Option<Ending>>> {
        play_series(series, &Threads(threads), &Stop::new(), &|_| {}).unwrap()
    }

    #[test]
    fn endings_depend_on_the_games_alone() {
        let noise = ",noise-hp,noise-position";
        let all = play(&[series(noise, 0..20)], 1).remove(0);
        assert!(all.iter().all(Option::is_some));
        let parts = [series(noise, 7..9), series(noise, 0..20), series(noise, 19..20)];
        let parts = play(&parts, 3);
        assert_eq!(parts, [all[7..9].to_vec(), all.clone(), all[19..].to_vec()]);
        let known = Series { known: vec![8, 5], ..series(noise, 4..9) };
        let mut expected = all[4..9].to_vec();
        (expected[1], expected[4]) = (None, None);
        assert_eq!(play(&[known], 2)[0], expected);
        let evidence = |endings: &[Option<Ending>]| {
            let mut evidence = Evidence::default();
            endings.iter().flatten().for_each(|ending| evidence.add(ending));
            evidence
        };
        let whole = evidence(&all);
        assert!(whole.distinct() > 10, "noise makes games differ: {}", whole.distinct());
        let mut halves = evidence(&all[..10]);
        halves.merge(&evidence(&all[10..]));
        assert_eq!(halves.tally, whole.tally);
        assert_eq!((halves.turns, halves.keys), (whole.turns, whole.keys));
    }

    #[test]
    fn a_stop_leaves_games_out_and_a_fault_is_told() {
        let stop = Stop::new();
        stop.request();
        let stopped = play_series(&[series("", 0..3)], &Threads(2), &stop, &|_| {}).unwrap();
        assert_eq!(stopped, [[None, None, None]]);
        let wrong = Series { game: "connect-four".parse().unwrap(), ..series("", 0..1) };
        let wrong = play_series(&[wrong], &Threads(1), &Stop::new(), &|_| {});
        assert!(matches!(wrong, Err(EvolveError::Play(_))));
    }

    /// The estimate of a wipe-out is the same in the games that are judged by hit points.
    #[test]
    fn wipe_outs_are_told_from_judgements() {
        let play = |code: &str| {
            let game = format!("tubstap:code={code}").parse().unwrap();
            play(&[Series { game, seed: 1, ..series("", 0..1) }], 1)[0][0].unwrap()
        };
        let won = play("4x3-4-5-11-P1.1.10_i2.1.1");
        assert_eq!(won.outcome, Outcome::Win);
        assert!(won.is_wipe_out(), "{won:?}");
        let judged = play("11x3-1-5-111111111-P1.1.10_i9.1.1");
        assert_eq!(judged.outcome, Outcome::Win);
        assert!(!judged.is_wipe_out(), "{judged:?}");
    }
}
