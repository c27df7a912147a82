//! What a kernel is given, and what it gives back.

use crate::lanes::Lanes;
use crate::lanes::cuda::source::n_fact_words;
use crate::lanes::play::{Match, Start};

/// Matches that begin in the same phase.
#[derive(Debug, Default)]
pub(super) struct Job {
    pub(super) phase: u32,
    /// The facts of all starts, and how many plies they are from the start of the game.
    pub(super) facts: Vec<u32>,
    pub(super) plies_at: Vec<u32>,
    /// By match: where it begins, its key, and its number for the caller.
    pub(super) start_of: Vec<u32>,
    pub(super) keys: Vec<u64>,
    pub(super) numbers: Vec<u32>,
}

/// Keys are given by match; else they are counted.
pub(super) const HAS_KEYS: u32 = 1;
/// Starts are given by match; else there is one.
pub(super) const HAS_STARTS: u32 = 2;
/// Results are told match by match; else in sums.
pub(super) const TELLS_EACH: u32 = 4;

/// In the plies that are told: the rules ended the match.
pub(super) const IS_TERMINAL: u32 = 1 << 31;

/// Sorts matches by the phase in which they begin.
pub(super) fn jobs(lanes: &Lanes, starts: &[Start<'_>], matches: &[Match]) -> Vec<Job> {
    let phase_of = |start: &Start<'_>| start.phase % lanes.period();
    let (mut facts, mut plies_at) = (Vec::new(), Vec::new());
    for start in starts {
        push_facts(start, lanes.n_fluents, &mut facts);
        plies_at.push(start.plies);
    }
    let mut jobs: Vec<Job> =
        (0..lanes.period() as u32).map(|phase| Job { phase, ..Job::default() }).collect();
    for (number, one) in matches.iter().enumerate() {
        let job = &mut jobs[phase_of(&starts[one.start as usize])];
        job.start_of.push(one.start);
        job.keys.push(one.key);
        job.numbers.push(number as u32);
    }
    jobs.retain(|job| !job.numbers.is_empty());
    for job in &mut jobs {
        (job.facts, job.plies_at) = (facts.clone(), plies_at.clone());
    }
    jobs
}

/// Adds the facts of a start as words of 32 bits.
pub(super) fn push_facts(start: &Start<'_>, n_fluents: usize, facts: &mut Vec<u32>) {
    let end = facts.len() + n_fact_words(n_fluents);
    facts.extend(start.facts.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]));
    facts.resize(end, 0);
}

impl Job {
    pub(super) fn mode(&self) -> u32 {
        let has_starts = if self.plies_at.len() > 1 { HAS_STARTS } else { 0 };
        HAS_KEYS | TELLS_EACH | has_starts
    }
}

/// How often the phase in which matches begin comes before goals are computed and lanes that are
/// over take the next matches: often if that costs little beside the plies in between.
pub(super) fn cycles_between_goals(lanes: &Lanes) -> u32 {
    let cycle: usize = lanes.phases.iter().map(|phase| phase.code.work()).sum();
    let goals = lanes.goals.code.work() + 3 * lanes.n_fluents + 500;
    (4 * goals / cycle.max(1)).clamp(1, 16) as u32
}
