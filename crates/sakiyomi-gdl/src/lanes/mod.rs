//! Stage 5: 512 random matches at a time.
//!
//! Takes a network and its sequence of phases, gives [`Lanes`]: what a match needs as straight-line
//! code over words with one bit per match, a lane each. Nothing branches on a single match, so one
//! instruction does for 512 of them what the engine of `run` does for one; but a ply costs the same
//! whatever changes in it, and for one match as for 512.
//!
//! - [`moves`] turns the network into [`logic`], once for every phase of a short cycle (whose turn
//!   it is): what the phase decides is folded away, and all lanes are in the same phase.
//! - [`pick`] adds the tree of counts that finds the k-th legal move of every lane at once, and
//!   [`draw`] draws k by the rule of `run/draw.rs`, so a match is the same one here and there.
//! - [`order`] makes [`code`] of it: runs of equal operations over few slots. [`run`] executes it.
//! - [`batch`] holds 512 lanes, [`play`] streams matches through them: a lane that ends takes the
//!   next. Goals are computed for many lanes together, when a lane ends for the second time.
//! - [`tournament`] has matches in which moves compete: the best of a few that are drawn is made.
//! - [`expand`] looks at states that a search gives, and makes the moves that it asks for.
//! - `cuda`, with the feature of that name, is the same for graphics processors.
//!
//! Making the code is bounded in time and memory; beyond that there are no lanes, and a
//! [`Refusal`] that says why.
//!
//! Must not know: players, seats, payoffs, boards, core's games, and the positions of `run`.

mod batch;
mod code;
#[cfg(any(test, feature = "cuda"))]
pub(crate) mod cuda;
mod draw;
pub(crate) mod expand;
mod logic;
mod moves;
mod order;
mod pick;
pub(crate) mod play;
mod run;
#[cfg(test)]
mod tests;
pub(crate) mod tournament;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use sakiyomi_core::Stop;

use crate::ground::meter::Limits;
use crate::lanes::code::{Code, Output};
use crate::lanes::logic::Logic;
use crate::lanes::moves::{Fixed, Form, GoalLogic, PhaseLogic};
use crate::lanes::order::{Wanted, order};
use crate::lanes::run::{Word, execute};
use crate::network::gates::{FALSE, Lit};
use crate::network::graph::Network;
use crate::network::sequence::Sequence;

/// Words of 64 bits in one of lanes.
const WIDTH: usize = 8;

/// How many matches are played at a time.
pub(crate) const N_LANES: usize = 64 * WIDTH;

/// Why a game is not played in lanes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("the rules are interpreted, and lanes need a network")]
    NoNetwork,
    #[error("the code for lanes has over {limit} inputs")]
    TooLarge { limit: usize },
    #[error("the code for lanes takes over {seconds} s to make")]
    TooSlow { seconds: f64 },
    #[error("making the code for lanes was stopped")]
    Stopped,
}

/// How much may be spent on the code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneLimits {
    pub(crate) seconds: f64,
    /// Inputs of the operations of one phase.
    pub(crate) inputs: usize,
}

impl LaneLimits {
    /// As much time as the rules have, and as many inputs as their memory holds.
    pub(crate) fn of(limits: &Limits) -> LaneLimits {
        let inputs = usize::try_from(limits.bytes / BYTES_PER_INPUT).unwrap_or(usize::MAX);
        LaneLimits { seconds: limits.seconds, inputs }
    }
}

/// What an input takes in all forms that the code goes through.
const BYTES_PER_INPUT: u64 = 100;

#[derive(Clone, Copy, Debug)]
struct Bounds<'a> {
    limits: LaneLimits,
    started: ThreadTime,
    stop: Option<&'a Stop>,
}

impl Bounds<'_> {
    fn check(&self, logic: &Logic) -> Result<(), Refusal> {
        let LaneLimits { seconds, inputs: limit } = self.limits;
        if logic.n_inputs() > limit {
            return Err(Refusal::TooLarge { limit });
        }
        if self.started.elapsed().as_secs_f64() > seconds {
            return Err(Refusal::TooSlow { seconds });
        }
        if self.stop.is_some_and(Stop::requested) {
            return Err(Refusal::Stopped);
        }
        Ok(())
    }
}

/// The code of a game; shared by all threads.
#[derive(Debug)]
pub(crate) struct Lanes {
    n_fluents: usize,
    n_roles: usize,
    phases: Vec<Phase>,
    /// Per role the moves between which it has a choice in some phase, if picks are repeated.
    competing: Vec<Vec<u32>>,
    goals: Goals,
    n_slots: usize,
}

#[derive(Debug)]
struct Phase {
    code: Code,
    roles: Vec<RoleDraw>,
    /// Per role whether each of its moves is legal.
    legal: Vec<Vec<Output>>,
    /// Per role that draws the moves that it can make, and whether it does, if picks are repeated.
    does: Vec<Vec<(u32, Output)>>,
    /// The fluents that have one value whenever the phase comes; lanes do not hold them.
    fixed: Vec<(u32, bool)>,
}

/// What a role draws in one phase.
#[derive(Clone, Debug)]
struct RoleDraw {
    /// The outputs that count its legal moves, lowest bit first.
    count: Range<usize>,
    /// The slots of the number that is drawn; none if it can have one legal move only.
    draws: Range<usize>,
}

#[derive(Debug)]
struct Goals {
    code: Code,
    /// The slots of the fluents that goals depend on.
    slots: Vec<u32>,
    /// Per role the values, in the order of the outputs.
    values: Vec<Vec<u8>>,
}

/// How often moves are picked in a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Picks {
    Once,
    /// Several times, to choose between what was drawn; more is kept for that.
    Repeated,
}

/// A cycle of more phases is not folded away.
const MAX_PERIOD: usize = 8;

impl Lanes {
    pub(crate) fn new(
        network: &Network,
        sequence: &Sequence,
        picks: Picks,
        limits: LaneLimits,
        stop: Option<&Arc<Stop>>,
    ) -> Result<Lanes, Refusal> {
        let stop = stop.map(|stop| &**stop);
        let bounds = Bounds { limits, started: ThreadTime::now(), stop };
        let phases = (cycle(sequence, network.fluents.len()).into_iter())
            .map(|fixed| Phase::new(network, &fixed, picks, &bounds))
            .collect::<Result<Vec<Phase>, Refusal>>()?;
        let goals = Goals::new(network, &bounds)?;
        let n_roles = network.role_moves.len();
        Ok(Lanes {
            n_fluents: network.fluents.len(),
            n_roles,
            competing: (0..n_roles).map(|role| competing(&phases, role)).collect(),
            n_slots: phases.iter().map(|phase| phase.code.n_slots).max().unwrap_or(0),
            phases,
            goals,
        })
    }

    /// Words of a state whose fluents are packed as bits.
    pub(crate) fn n_words(&self) -> usize {
        self.n_fluents.div_ceil(64).max(1)
    }

    /// How many phases the matches of a batch go through together.
    pub(crate) fn period(&self) -> usize {
        self.phases.len()
    }

    /// Inputs of the operations of one ply, the mean of the phases.
    pub(crate) fn work(&self) -> usize {
        let all: usize = self.phases.iter().map(|phase| phase.code.work()).sum();
        all / self.phases.len().max(1)
    }
}

/// The moves that a role can make in some phase.
fn competing(phases: &[Phase], role: usize) -> Vec<u32> {
    let moves = phases.iter().flat_map(|phase| &phase.does[role]);
    let mut moves: Vec<u32> = moves.map(|&(index, _)| index).collect();
    moves.sort_unstable();
    moves.dedup();
    moves
}

/// The fluents that repeat their values within a few plies whatever is played, phase by phase.
fn cycle(sequence: &Sequence, n_fluents: usize) -> Vec<Fixed> {
    let phases = sequence.phases();
    let holds = |phase: usize, fluent: u32| phases[phase].binary_search(&fluent).is_ok();
    let period_of = |fluent: u32| {
        (1..=MAX_PERIOD).find(|&period| {
            // The phase `period` plies after each one.
            let mut later = (0..period).fold(0, |phase, _| sequence.next(phase));
            (0..phases.len()).all(|phase| {
                let is_same = holds(phase, fluent) == holds(later, fluent);
                later = sequence.next(later);
                is_same
            })
        })
    };
    let (mut period, mut fixed) = (1, Vec::new());
    for fluent in (0..n_fluents as u32).filter(|&fluent| sequence.contains(fluent as usize)) {
        if let Some(own) = period_of(fluent) {
            let common = lcm(period, own);
            if common <= MAX_PERIOD {
                period = common;
                fixed.push(fluent);
            }
        }
    }
    let mut phase = 0;
    let mut result = Vec::new();
    for _ in 0..period {
        result.push(fixed.iter().map(|&fluent| (fluent, holds(phase, fluent))).collect());
        phase = sequence.next(phase);
    }
    result
}

fn lcm(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

impl Phase {
    /// The better of the two forms that effects of moves can have.
    fn new(
        network: &Network,
        fixed: &Fixed,
        picks: Picks,
        bounds: &Bounds<'_>,
    ) -> Result<Phase, Refusal> {
        let gates = Phase::of_form(network, fixed, Form::Gates, picks, bounds)?;
        // Vectors that are much larger than the gates are not made to the end.
        let inputs = (gates.code.work() * 4).max(100_000).min(bounds.limits.inputs);
        let bounds = Bounds { limits: LaneLimits { inputs, ..bounds.limits }, ..*bounds };
        match Phase::of_form(network, fixed, Form::Vectors, picks, &bounds) {
            Ok(vectors) if vectors.is_faster_than(&gates) => Ok(vectors),
            Ok(_) | Err(Refusal::TooLarge { .. }) => Ok(gates),
            Err(refusal) => Err(refusal),
        }
    }

    fn of_form(
        network: &Network,
        fixed: &Fixed,
        form: Form,
        picks: Picks,
        bounds: &Bounds<'_>,
    ) -> Result<Phase, Refusal> {
        let built = PhaseLogic::new(network, fixed, form, bounds)?;
        let n_fluents = network.fluents.len();
        let mut outputs: Vec<Lit> = vec![built.terminal, built.stuck];
        let mut roles = Vec::new();
        let mut n_draws = 0;
        for (count, draws) in &built.roles {
            let start = outputs.len();
            outputs.extend(count);
            let slot = |draw: u32| 1 + n_fluents + draw as usize;
            let draws = slot(draws.start)..slot(draws.end);
            n_draws += draws.len() as u32;
            roles.push(RoleDraw { count: start..outputs.len(), draws });
        }
        let n_outputs = outputs.len();
        outputs.extend(&built.legal);
        let made: Vec<Vec<u32>> = (network.role_moves.iter().zip(&roles))
            .map(|(moves, own)| {
                let is_repeated = picks == Picks::Repeated && !own.draws.is_empty();
                let can_be = |index: &u32| is_repeated && built.legal[*index as usize] != FALSE;
                (moves.start as u32..moves.end as u32).filter(can_be).collect()
            })
            .collect();
        let does: Vec<Lit> = made.iter().flatten().map(|&m| built.does[m as usize]).collect();
        let wanted = Wanted { outputs: &outputs, picks: &does, next: &built.next };
        let mut code = order(&built.logic, n_fluents, n_draws, wanted);
        code.finish();
        let legal = code.outputs.split_off(n_outputs);
        let legal = network.role_moves.iter().map(|moves| legal[moves.clone()].to_vec()).collect();
        let mut fixed: Vec<(u32, bool)> = fixed.iter().map(|(&f, &value)| (f, value)).collect();
        fixed.sort_unstable();
        let mut does = std::mem::take(&mut code.picks).into_iter();
        let does =
            made.into_iter().map(|moves| moves.into_iter().zip(does.by_ref()).collect()).collect();
        Ok(Phase { code, roles, legal, does, fixed })
    }

    /// By the number of operands if that is clear, else by the clock. Which form is taken changes
    /// the speed and nothing else.
    fn is_faster_than(&self, other: &Phase) -> bool {
        let (own, others) = (self.code.work(), other.code.work());
        if own * 2 < others || own > others * 2 {
            return own < others;
        }
        let time = |phase: &Phase| {
            let mut words: Vec<Word> = vec![Word::ZERO; phase.code.n_slots];
            let mut once = || {
                let clock = Instant::now();
                phase.code.segments().for_each(|segment| execute(segment, &mut words));
                clock.elapsed()
            };
            (0..9).map(|_| once()).min().unwrap_or(Duration::MAX)
        };
        time(self) < time(other)
    }
}

impl Goals {
    fn new(network: &Network, bounds: &Bounds<'_>) -> Result<Goals, Refusal> {
        let GoalLogic { logic, goals } = GoalLogic::new(network, bounds)?;
        let outputs: Vec<Lit> = goals.iter().flatten().map(|&(_, lit)| lit).collect();
        let wanted = Wanted { outputs: &outputs, picks: &[], next: &[] };
        let mut code = order(&logic, network.fluents.len(), 0, wanted);
        code.finish();
        let slots = (0..logic.len())
            .filter(|&node| logic.op(node) == logic::Op::Fluent)
            .map(|node| 1 + logic.number(node))
            .collect();
        let values =
            goals.iter().map(|goals| goals.iter().map(|&(value, _)| value).collect()).collect();
        Ok(Goals { code, slots, values })
    }
}
