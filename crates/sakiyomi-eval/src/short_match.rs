//! A short match of seated agents, in which signatures and fingerprints see what agents do. They keep
//! their trees and whatever else they keep during a match.

use std::time::Duration;

use cpu_time::ThreadTime;
use sakiyomi_catalog::{AgentSpec, GameSpec, RandomSpec, Table, TableError, Thought, open_table};
use sakiyomi_core::hash::Fnv64;
use sakiyomi_core::{Player, Stop, Turn};

/// How long a match is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Length {
    /// Random moves before the agents are seated.
    pub(crate) opening: usize,
    /// It ends after this number of decisions, if every player has decided often enough.
    pub(crate) decisions: usize,
    pub(crate) decisions_each: usize,
    /// It ends after this number of steps in any case.
    pub(crate) steps: usize,
}

/// Who decided what, and the CPU time that it took.
pub(crate) struct Decision<'a> {
    /// Its place among the agents.
    pub(crate) agent: usize,
    pub(crate) thought: &'a Thought,
    pub(crate) cpu: Duration,
}

/// Plays it. The first agent has the first seat, and the others have the seats after it in turn; one
/// alone has all seats. `look` sees every decision. Returns the table as the match has left it.
pub(crate) fn play(
    game: &GameSpec,
    agents: &[AgentSpec],
    length: Length,
    stop: &Stop,
    look: &mut dyn FnMut(&Decision<'_>),
) -> Result<Box<dyn Table>, TableError> {
    let mut table = open_table(game, SEED)?;
    let random = AgentSpec::from(RandomSpec);
    for _ in 0..length.opening {
        step(table.as_mut(), |table, player| table.advise(&random, player, stop))?;
    }
    let agent_of = |player: usize| agent_of(player, agents.len());
    for player in 0..table.players() {
        table.seat(Player(player as u8), &agents[agent_of(player)])?;
    }
    let mut decided = vec![0; table.players()];
    for _ in 0..length.steps {
        let is_long = decided.iter().sum::<usize>() >= length.decisions;
        if is_long && decided.iter().all(|&n| n >= length.decisions_each) || stop.requested() {
            break;
        }
        step(table.as_mut(), |table, player| {
            let start = ThreadTime::now();
            let thought = table.think(player, stop)?;
            let (agent, cpu) = (agent_of(player.index()), start.elapsed());
            look(&Decision { agent, thought: &thought, cpu });
            decided[player.index()] += 1;
            Ok(thought)
        })?;
    }
    Ok(table)
}

const SEED: u64 = 1;

/// Who of this many agents has the seat of a player.
pub(crate) fn agent_of(player: usize, n_agents: usize) -> usize {
    match (player, n_agents) {
        (0, _) | (_, 1) => 0,
        (_, n) => 1 + (player - 1) % (n - 1),
    }
}

/// Plays what is thought for everyone who chooses now; nothing at the end of the match.
fn step(
    table: &mut dyn Table,
    mut think: impl FnMut(&mut dyn Table, Player) -> Result<Thought, TableError>,
) -> Result<(), TableError> {
    let Turn::Choose(who) = table.turn() else { return Ok(()) };
    let thoughts: Vec<Thought> =
        who.map(|player| think(&mut *table, player)).collect::<Result<_, TableError>>()?;
    table.play(&thoughts.iter().map(|thought| thought.action.as_str()).collect::<Vec<_>>())
}

/// Adds what was decided, but for names.
pub(crate) fn hash_thought(hash: &mut Fnv64, thought: &Thought) {
    hash.write_field(thought.action.as_bytes());
    hash.write(&thought.iterations.to_le_bytes());
    hash.write(&thought.nodes.to_le_bytes());
    hash.write(&thought.value.unwrap_or(-1.0).to_bits().to_le_bytes());
}

/// Adds what everyone got, if the match is over.
pub(crate) fn hash_payoffs(hash: &mut Fnv64, table: &dyn Table) {
    if let Turn::Over(payoffs) = table.turn() {
        let payoffs = payoffs.as_slice(table.players()).iter();
        payoffs.for_each(|payoff| hash.write(&payoff.to_bits().to_le_bytes()));
    }
}
