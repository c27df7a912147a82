//! Fingerprints of behaviour, so that results of code that played differently are never mixed, and
//! commits that change nothing for a pairing void nothing.
//!
//! The fingerprint of a game and agents is what they do in a short probe with fixed
//! seeds: the views and moves of a random match, and the agents' decisions in a few positions of
//! it. Budgets in time are replaced by iterations, so that the probe can be repeated. An agent that tries
//! things out before its first decision, for seconds, is asked once. A program is known by its command
//! alone.
//!
//! The hash is FNV-1a, of lengths and numbers as little-endian bytes, so that no library decides whether results are
//! stale. Before, it was that of a library; a store that knows results by it takes them over when they are asked for.

use std::hash::Hasher;
use std::sync::{LazyLock, Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHasher};
use sakiyomi_catalog::{AgentSpec, GameSpec, RandomSpec, Table, TableError, open_table};
use sakiyomi_core::hash::Fnv64;
use sakiyomi_core::{Player, Stop, Turn};

/// Matches and decisions of a probe. They take some milliseconds.
const PROBE_MATCHES: u64 = 2;
const PROBE_ITERATIONS: u64 = 300;
/// Steps of a match before which the agents are asked.
const PROBE_STEPS: [usize; 3] = [0, 3, 8];
const MAX_STEPS: usize = 300;

/// Tells behaviours apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    text: String,
    /// The fingerprint of the same behaviour by which results of before are known.
    before: String,
}

impl Fingerprint {
    /// Of a game and agents. It cannot change while the program runs, so it is worked out once; a game in a file
    /// may, and is probed every time.
    pub fn new(game: &GameSpec, agents: &[AgentSpec]) -> Result<Fingerprint, TableError> {
        static KNOWN: LazyLock<Mutex<FxHashMap<String, Fingerprint>>> =
            LazyLock::new(Mutex::default);
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

    /// 16 hexadecimal digits, and a mark if there is one.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn before(&self) -> &str {
        &self.before
    }

    /// Whether results that are known by this text are of the same behaviour.
    pub fn is_of(&self, stored: &str) -> bool {
        self.text == stored || self.before == stored
    }

    /// The same with a mark at its end.
    #[must_use]
    pub fn marked(&self, mark: &str) -> Fingerprint {
        let marked = |text: &str| format!("{text}{mark}");
        Fingerprint { text: marked(&self.text), before: marked(&self.before) }
    }
}

#[cfg(test)]
impl From<&str> for Fingerprint {
    fn from(text: &str) -> Fingerprint {
        Fingerprint { text: text.to_owned(), before: text.to_owned() }
    }
}

fn probe(game: &GameSpec, agents: &[AgentSpec]) -> Result<Fingerprint, TableError> {
    let mut hash = ProbeHash::default();
    for seed in 0..PROBE_MATCHES {
        let mut table = open_table(game, seed)?;
        for step in 0..MAX_STEPS {
            let is_first = seed == 0 && step == 0;
            let asked = |agent: &&AgentSpec| is_first || !agent.prepares();
            let agents: Vec<&AgentSpec> = match PROBE_STEPS.contains(&step) {
                true => agents.iter().filter(asked).collect(),
                false => Vec::new(),
            };
            if !probe_step(&agents, table.as_mut(), &mut hash)? {
                break;
            }
        }
    }
    let ProbeHash { hash, before } = hash;
    let text = |hash: u64| format!("{hash:016x}");
    Ok(Fingerprint { text: text(hash.finish()), before: text(before.finish()) })
}

/// Both hashes of what is seen in a probe.
#[derive(Default)]
struct ProbeHash {
    hash: Fnv64,
    before: FxHasher,
}

impl ProbeHash {
    fn text(&mut self, text: &str) {
        self.hash.write_field(text.as_bytes());
        self.before.write(text.as_bytes());
    }

    fn number(&mut self, number: u64) {
        self.hash.write(&number.to_le_bytes());
        self.before.write_u64(number);
    }
}

/// Hashes one step of a match, with what these agents would do, and plays it at random. False at the end.
fn probe_step(
    agents: &[&AgentSpec],
    table: &mut dyn Table,
    hash: &mut ProbeHash,
) -> Result<bool, TableError> {
    let who = match table.turn() {
        Turn::Choose(who) => who,
        Turn::Over(payoffs) => {
            let each = payoffs.as_slice(table.players());
            each.iter().for_each(|payoff| hash.number(payoff.to_bits()));
            return Ok(false);
        }
        Turn::Chance => return Ok(false),
    };
    let mut texts = Vec::new();
    for player in who {
        for action in table.legal(player) {
            hash.text(&action.text);
        }
        for agent in agents {
            probe_agent(agent, table, player, hash)?;
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
    player: Player,
    hash: &mut ProbeHash,
) -> Result<(), TableError> {
    let Some(agent) = agent.shortened(PROBE_ITERATIONS) else {
        hash.text(&agent.to_string());
        return Ok(());
    };
    let advice = table.advise(&agent, player, &Stop::new())?;
    hash.text(&advice.action);
    hash.number(advice.nodes);
    for arm in advice.policy() {
        hash.number(arm.share.to_bits());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(game: &str, first: &str, second: &str) -> String {
        let agents = [first.parse().unwrap(), second.parse().unwrap()];
        Fingerprint::new(&game.parse().unwrap(), &agents).unwrap().as_str().to_owned()
    }

    /// Results in stores are found by these. A change of the code must not change them unless an agent or a game
    /// behaves differently.
    #[test]
    fn fingerprints_are_pinned() {
        for (game, first, second, pinned) in PINNED {
            assert_eq!(fingerprint(game, first, second), pinned, "{game} {first} {second}");
        }
    }

    const PINNED: [(&str, &str, &str, &str); 3] = [
        ("tic-tac-toe", "random", "random", "59a1a3675649c480"),
        ("connect-four", "uct:iterations=100,c=1", "random", "60b6488de6aecb84"),
        ("hagetaka:n=4", "rm:iterations=100", "flat:iterations=50", "080df71d91a5dfa7"),
    ];

    #[test]
    fn marks_are_part_of_it() {
        let plain: Fingerprint = "b".into();
        let marked = plain.marked("+records");
        assert!(marked.is_of("b+records") && !marked.is_of("b"));
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
