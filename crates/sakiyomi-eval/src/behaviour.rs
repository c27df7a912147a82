//! Fingerprints of behaviour, so that results of code that played differently are never mixed, and
//! commits that change nothing for a pairing void nothing.
//!
//! The fingerprint of a game and agents is what they do in a short probe with fixed
//! seeds: the views and moves of a random match, and the agents' decisions in a few positions of
//! it. Budgets in time are replaced by iterations, so that the probe can be repeated. A program is
//! known by its command alone.

use std::hash::Hasher;
use std::sync::{LazyLock, Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHasher};
use sakiyomi_catalog::{AgentSpec, GameSpec, RandomSpec, Table, TableError, open_table};
use sakiyomi_core::{Stop, Turn};

/// Matches and decisions of a probe. They take some milliseconds.
const PROBE_MATCHES: u64 = 2;
const PROBE_ITERATIONS: u64 = 300;
/// Steps of a match before which the agents are asked.
const PROBE_STEPS: [usize; 3] = [0, 3, 8];
const LONGEST_MATCH: usize = 300;

/// The fingerprint, as 16 hexadecimal digits. It cannot change while the program runs, so it is worked
/// out once; a game in a file may, and is probed every time.
pub fn behaviour(game: &GameSpec, agents: &[AgentSpec]) -> Result<String, TableError> {
    static KNOWN: LazyLock<Mutex<FxHashMap<String, String>>> = LazyLock::new(Mutex::default);
    if game.file().is_some() {
        return probe(game, agents);
    }
    let names: Vec<String> = agents.iter().map(ToString::to_string).collect();
    let key = format!("{game} {}", names.join(" "));
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(fingerprint) = known().get(&key) {
        return Ok(fingerprint.clone());
    }
    let fingerprint = probe(game, agents)?;
    known().insert(key, fingerprint.clone());
    Ok(fingerprint)
}

fn probe(game: &GameSpec, agents: &[AgentSpec]) -> Result<String, TableError> {
    let mut hasher = FxHasher::default();
    for seed in 0..PROBE_MATCHES {
        let mut table = open_table(game, seed)?;
        for step in 0..LONGEST_MATCH {
            if !probe_step(agents, table.as_mut(), step, &mut hasher)? {
                break;
            }
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// Hashes one step of a match and plays it at random. False at the end.
fn probe_step(
    agents: &[AgentSpec],
    table: &mut dyn Table,
    step: usize,
    hasher: &mut FxHasher,
) -> Result<bool, TableError> {
    let who = match table.turn() {
        Turn::Choose(who) => who,
        Turn::Over(payoffs) => {
            let each = payoffs.as_slice(table.players());
            each.iter().for_each(|payoff| hasher.write_u64(payoff.to_bits()));
            return Ok(false);
        }
        Turn::Chance => return Ok(false),
    };
    let mut texts = Vec::new();
    for player in who {
        for action in table.legal(player) {
            hasher.write(action.text.as_bytes());
        }
        if PROBE_STEPS.contains(&step) {
            for agent in agents {
                probe_agent(agent, table, player, hasher)?;
            }
        }
        texts.push(table.advise(&RandomSpec.into(), player, &Stop::new())?.action);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    table.play(&texts)?;
    Ok(true)
}

fn probe_agent(
    agent: &AgentSpec,
    table: &dyn Table,
    player: sakiyomi_core::Player,
    hasher: &mut FxHasher,
) -> Result<(), TableError> {
    let Some(agent) = agent.shortened(PROBE_ITERATIONS) else {
        hasher.write(agent.to_string().as_bytes());
        return Ok(());
    };
    let advice = table.advise(&agent, player, &Stop::new())?;
    hasher.write(advice.action.as_bytes());
    hasher.write_u64(advice.nodes);
    for arm in advice.policy() {
        hasher.write_u64(arm.share.to_bits());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(game: &str, first: &str, second: &str) -> String {
        let agents = [first.parse().unwrap(), second.parse().unwrap()];
        behaviour(&game.parse().unwrap(), &agents).unwrap()
    }

    #[test]
    fn what_plays_differently_has_another_fingerprint() {
        let base = fingerprint("connect-four", "uct", "random");
        assert_eq!(base, fingerprint("connect-four", "uct", "random"));
        assert_ne!(base, fingerprint("connect-four:8x6", "uct", "random"));
        assert_ne!(base, fingerprint("connect-four", "uct:c=1.1", "random"));
        assert_ne!(base, fingerprint("connect-four", "uct", "flat"));
        assert_ne!(
            fingerprint("tic-tac-toe", "exec:./a", "random"),
            fingerprint("tic-tac-toe", "exec:./b", "random")
        );
    }

    #[test]
    fn budgets_in_time_can_be_probed() {
        let timed = fingerprint("connect-four", "uct:cpu=10s", "maxn:depth=9,time=10s");
        assert_eq!(timed, fingerprint("connect-four", "uct:cpu=10s", "maxn:depth=9,time=10s"));
    }
}
