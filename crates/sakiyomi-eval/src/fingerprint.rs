//! Fingerprints of behaviour, so that results of code that played differently are never mixed, and
//! commits that change nothing for a pairing void nothing.
//!
//! The fingerprint of a game and agents is what they do in a short probe with fixed seeds: the legal
//! actions of a random match, and a short match of the agents, seated and with their own settings, so
//! that what they keep from one decision to the next is part of it. Only their iterations are bounded.
//! A program is known by its command alone.
//!
//! What a budget in time allows depends on how fast the agent is, and where. The probe then has a
//! number of iterations instead of the time; the time itself, the machine and the class of the
//! agent's speed there (the binary logarithm of its decisions per CPU second) are part of the
//! fingerprint. Speeds that are measured vary: results are taken to be of the same class up to half
//! or twice its speed.
//!
//! The hash is FNV-1a, of lengths and numbers as little-endian bytes, so that no library decides
//! whether results are stale.

use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;
use sakiyomi_catalog::{AgentSpec, GameSpec, RandomSpec, TableError, open_table};
use sakiyomi_core::hash::Fnv64;
use sakiyomi_core::{Budget, Stop, Turn};

use crate::machine::machine;
use crate::short_match::{self, Decision, Length, hash_payoffs, hash_thought};

/// Iterations of a decision in the probe, at most.
const PROBE_ITERATIONS: u64 = 2_000;
const PROBE_LENGTH: Length = Length { opening: 2, decisions: 4, decisions_each: 1, steps: 12 };
/// Steps of the random match, at most.
const MAX_STEPS: usize = 300;
/// How far the logarithm of a speed may be from its class to be taken for it.
const SPEED_SLACK: f64 = 1.0;

/// Tells behaviours apart.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    text: String,
    /// Where budgets are times: the part of the text before the classes of speed, the measured
    /// logarithms of the speeds, and the part after the classes.
    timed: Option<Timed>,
    /// About what a match takes, as the probe was; it tells nothing apart.
    match_seconds: Option<f64>,
}

impl PartialEq for Fingerprint {
    fn eq(&self, other: &Fingerprint) -> bool {
        self.text == other.text && self.timed == other.timed
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Timed {
    before: String,
    /// Of the agents whose budgets are times, in their order.
    speeds: Vec<f64>,
    after: String,
}

impl Timed {
    fn text(&self) -> String {
        let classes: Vec<String> = self.speeds.iter().map(|x| format!("{x:.0}")).collect();
        format!("{}{}{}", self.before, classes.join(","), self.after)
    }

    /// Whether the text is of the same behaviour and machine, and of speeds that are not too far off.
    fn is_of(&self, stored: &str) -> bool {
        let classes = stored.strip_prefix(&self.before).and_then(|s| s.strip_suffix(&self.after));
        let classes: Vec<f64> =
            classes.into_iter().flat_map(|s| s.split(',')).filter_map(|c| c.parse().ok()).collect();
        let mut pairs = classes.iter().zip(&self.speeds);
        classes.len() == self.speeds.len()
            && pairs.all(|(class, speed)| (class - speed).abs() <= SPEED_SLACK)
    }
}

impl Fingerprint {
    /// Of a game and agents; nothing if it was stopped. It cannot change while the program runs, so
    /// it is worked out once; a game in a file may, and is probed every time.
    pub fn new(
        game: &GameSpec,
        agents: &[AgentSpec],
        stop: &Stop,
    ) -> Result<Option<Fingerprint>, TableError> {
        static KNOWN: LazyLock<Mutex<FxHashMap<String, Fingerprint>>> =
            LazyLock::new(Mutex::default);
        if game.file().is_some() {
            return probe(game, agents, stop);
        }
        let names: Vec<String> = agents.iter().map(ToString::to_string).collect();
        let key = format!("{game} {}", names.join(" "));
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fingerprint) = known().get(&key) {
            return Ok(Some(fingerprint.clone()));
        }
        let fingerprint = probe(game, agents, stop)?;
        if let Some(fingerprint) = &fingerprint {
            known().insert(key, fingerprint.clone());
        }
        Ok(fingerprint)
    }

    /// 16 hexadecimal digits; then, where budgets are times, `@`, classes of speed and the machine;
    /// and a mark if there is one.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether results that are known by this text are of the same behaviour.
    pub fn is_of(&self, stored: &str) -> bool {
        match &self.timed {
            None => self.text == stored,
            Some(timed) => timed.is_of(stored),
        }
    }

    /// Seconds of one thread that a match of the agents takes, roughly: their decisions in the probe, at
    /// their own budgets, as often as players decide in a random match.
    pub fn match_seconds(&self) -> Option<f64> {
        self.match_seconds
    }

    /// The same with a mark at its end.
    #[must_use]
    pub fn marked(&self, mark: &str) -> Fingerprint {
        let timed = self.timed.clone();
        Fingerprint {
            text: format!("{}{mark}", self.text),
            timed: timed.map(|timed| Timed { after: format!("{}{mark}", timed.after), ..timed }),
            match_seconds: self.match_seconds,
        }
    }
}

/// Where and how fast results by time were played, for people, from the text of a fingerprint:
/// `AMD EPYC 7763, 2 cores, speed class 9`. Nothing if no budget is a time.
pub fn speed_text(fingerprint: &str) -> Option<String> {
    let (_, timed) = fingerprint.split_once('@')?;
    let (classes, machine) = timed.split_once(' ')?;
    let machine = machine.split('+').next().unwrap_or(machine);
    Some(format!("{machine}, speed class {}", classes.replace(',', " and ")))
}

#[cfg(test)]
impl From<&str> for Fingerprint {
    fn from(text: &str) -> Fingerprint {
        Fingerprint { text: text.to_owned(), timed: None, match_seconds: None }
    }
}

fn probe(
    game: &GameSpec,
    agents: &[AgentSpec],
    stop: &Stop,
) -> Result<Option<Fingerprint>, TableError> {
    let mut hash = Fnv64::default();
    let decisions = probe_rules(game, stop, &mut hash)?;
    let mut times = vec![TimeOf::default(); agents.len()];
    for (agent, time) in agents.iter().zip(&mut times) {
        hash_budget(agent, time, &mut hash);
    }
    // Programs and solutions, which have no short form, sit out.
    let short = |agent: &AgentSpec| agent.shortened(PROBE_ITERATIONS);
    let seated: Vec<AgentSpec> =
        agents.iter().map(|agent| short(agent).unwrap_or(RandomSpec.into())).collect();
    let look = &mut |decision: &Decision<'_>| {
        hash_thought(&mut hash, decision.thought);
        for arm in decision.thought.policy() {
            hash.write(&arm.share.to_bits().to_le_bytes());
        }
        times[decision.agent].add(decision);
    };
    let table = short_match::play(game, &seated, PROBE_LENGTH, stop, look)?;
    hash_payoffs(&mut hash, table.as_ref());
    if stop.requested() {
        return Ok(None);
    }
    let before = format!("{:016x}", hash.finish());
    let match_seconds = seconds_of(&decisions, &times);
    let speeds: Vec<f64> = times.iter().filter_map(TimeOf::speed).collect();
    if speeds.is_empty() {
        return Ok(Some(Fingerprint { text: before, timed: None, match_seconds }));
    }
    let (before, after) = (format!("{before}@"), format!(" {}", machine()));
    let timed = Timed { before, speeds, after };
    Ok(Some(Fingerprint { text: timed.text(), timed: Some(timed), match_seconds }))
}

/// What a match takes in which each player decides so often. The first agent has the first seat.
fn seconds_of(decisions: &[u32], times: &[TimeOf]) -> Option<f64> {
    let seconds = |(player, n): (usize, &u32)| {
        let time = &times[short_match::agent_of(player, times.len())];
        Some(f64::from(*n) * time.own_seconds()?)
    };
    decisions.iter().enumerate().map(seconds).sum()
}

/// Hashes what can be played in a random match, and what comes of it. Returns how often each player
/// decided.
fn probe_rules(game: &GameSpec, stop: &Stop, hash: &mut Fnv64) -> Result<Vec<u32>, TableError> {
    let mut table = open_table(game, 0)?;
    let mut decisions = vec![0; table.players()];
    for _ in 0..MAX_STEPS {
        let Turn::Choose(who) = table.turn() else { break };
        if stop.requested() {
            break;
        }
        let mut texts = Vec::new();
        for player in who {
            for action in table.legal(player) {
                hash.write_field(action.text.as_bytes());
            }
            texts.push(table.advise(&RandomSpec.into(), player, stop)?.action);
            decisions[player.index()] += 1;
        }
        table.play(&texts.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    hash_payoffs(hash, table.as_ref());
    Ok(decisions)
}

/// What an agent took in the probe.
#[derive(Clone, Copy, Debug, Default)]
struct TimeOf {
    /// Whether its own budget is a time.
    is_timed: bool,
    /// On several threads, of which none can be measured alone.
    is_parallel: bool,
    seconds: f64,
    decisions: u32,
    /// Its own budget, where that is a time, and how many times that of the probe it is where it is not.
    own_time: Option<f64>,
    longer: f64,
}

impl TimeOf {
    fn add(&mut self, decision: &Decision<'_>) {
        self.decisions += 1;
        self.seconds += match self.is_parallel {
            true => decision.thought.seconds,
            false => decision.cpu.as_secs_f64(),
        };
    }

    /// What a decision takes with its own budget.
    fn own_seconds(&self) -> Option<f64> {
        let probed = || self.longer * self.seconds / f64::from(self.decisions);
        self.own_time.or_else(|| (self.decisions > 0).then(probed))
    }

    /// The binary logarithm of its decisions a second.
    fn speed(&self) -> Option<f64> {
        let speed = f64::from(self.decisions) / self.seconds.max(1e-9);
        (self.is_timed && self.decisions > 0).then(|| speed.log2())
    }
}

/// Hashes what the probe cannot see of an agent: a time, or a program.
fn hash_budget(agent: &AgentSpec, time: &mut TimeOf, hash: &mut Fnv64) {
    if agent.shortened(PROBE_ITERATIONS).is_none() {
        hash.write_field(agent.to_string().as_bytes());
    }
    let mut agent = agent.clone();
    time.is_parallel = agent.tree_search_mut().is_some_and(|settings| settings.tree.trees > 1);
    time.longer = 1.0;
    let Some(&mut Budget { wall, cpu, iterations, .. }) = agent.budget_mut() else { return };
    time.is_timed = wall.is_some() || cpu.is_some();
    time.own_time = wall.into_iter().chain(cpu).min().map(|limit: Duration| limit.as_secs_f64());
    time.longer = iterations.map_or(1.0, |n| (n as f64 / PROBE_ITERATIONS as f64).max(1.0));
    for limit in [wall, cpu] {
        let micros = limit.map_or(0, |limit: Duration| limit.as_micros() as u64);
        hash.write(&micros.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(game: &str, agents: [&str; 2]) -> Fingerprint {
        let agents = agents.map(|agent| agent.parse().unwrap());
        Fingerprint::new(&game.parse().unwrap(), &agents, &Stop::new()).unwrap().unwrap()
    }

    fn fingerprint(game: &str, first: &str, second: &str) -> String {
        full(game, [first, second]).as_str().to_owned()
    }

    /// Results in stores are found by these. A change of the code must not change them unless an agent or a game
    /// behaves differently.
    #[test]
    fn fingerprints_are_pinned() {
        let found = PINNED.map(|(game, first, second, _)| fingerprint(game, first, second));
        assert_eq!(found, PINNED.map(|(.., pinned)| pinned));
    }

    const PINNED: [(&str, &str, &str, &str); 3] = [
        ("tic-tac-toe", "random", "random", "c034eae1984e4c29"),
        (
            "connect-four",
            "uct:iterations=100,c=1,tuned",
            "uct:iterations=100,c=1",
            "45cad0793aaff455",
        ),
        ("hagetaka", "rm:iterations=10000", "sp", "379aea3537a61ffb"),
    ];

    #[test]
    fn marks_are_part_of_it() {
        let plain: Fingerprint = "b".into();
        let marked = plain.marked("+records");
        assert!(marked.is_of("b+records") && !marked.is_of("b"));
        let timed = full("tic-tac-toe", ["uct:cpu=1ms", "random"]);
        let marked = timed.marked("+records");
        assert!(marked.is_of(marked.as_str()) && !marked.is_of(timed.as_str()));
        assert_eq!(speed_text(marked.as_str()), speed_text(timed.as_str()));
    }

    #[test]
    fn what_plays_differently_has_another_fingerprint() {
        let all = [
            fingerprint("connect-four", "uct:iterations=300", "random"),
            fingerprint("connect-four", "uct:iterations=300,reuse=false", "random"),
            fingerprint("connect-four", "uct:iterations=1000", "random"),
            fingerprint("connect-four", "uct:iterations=5000", "random"),
            fingerprint("connect-four", "uct:iterations=5000,reuse=false", "random"),
            fingerprint("connect-four", "uct:iterations=300,playout=mast", "random"),
            fingerprint("connect-four", "uct:iterations=300,playout=mast,decay=0.5", "random"),
            fingerprint("connect-four", "uct:cpu=1ms", "random"),
            fingerprint("connect-four", "uct:cpu=20ms", "random"),
            fingerprint("connect-four", "uct:time=20ms", "random"),
            fingerprint("connect-four:8x6", "uct", "random"),
            fingerprint("connect-four", "uct:c=1.1", "random"),
            fingerprint("connect-four", "uct", "flat"),
            fingerprint("connect-four", "exec:./a", "random"),
            fingerprint("connect-four", "exec:./b", "random"),
        ];
        for (i, text) in all.iter().enumerate() {
            assert_eq!(all.iter().position(|other| other == text), Some(i), "{all:#?}");
        }
    }

    #[test]
    fn budgets_in_time_are_told_apart_by_machine_and_class_of_speed() {
        let timed = full("connect-four", ["uct:cpu=10s", "maxn:depth=9,time=10s"]);
        let again = probe(
            &"connect-four".parse().unwrap(),
            &["uct:cpu=10s".parse().unwrap(), "maxn:depth=9,time=10s".parse().unwrap()],
            &Stop::new(),
        );
        let again = again.unwrap().unwrap();
        let hash = |text: &str| text.split('@').next().unwrap().to_owned();
        assert_eq!(hash(timed.as_str()), hash(again.as_str()));
        assert!(timed.as_str().ends_with(&format!(" {}", machine())), "{}", timed.as_str());
        assert!(speed_text(timed.as_str()).unwrap().contains("speed class"));
        assert_eq!(speed_text("0123456789abcdef+records"), None);
        let measured = |speeds: [f64; 2]| {
            let timed = Timed { speeds: speeds.into(), ..timed.timed.clone().unwrap() };
            Fingerprint { text: timed.text(), timed: Some(timed), match_seconds: None }
        };
        let stored = measured([9.4, 12.0]);
        assert!(stored.as_str().contains("@9,12 "), "{}", stored.as_str());
        assert!(measured([9.9, 12.9]).is_of(stored.as_str()), "noise is not another class");
        assert!(!measured([10.1, 12.0]).is_of(stored.as_str()), "twice as fast");
        assert!(!measured([9.0, 10.9]).is_of(stored.as_str()), "half as fast");
        assert!(!measured([9.0, 12.0]).is_of("0123456789abcdef"));
    }

    #[test]
    fn what_a_match_takes_follows_from_budgets() {
        let seconds =
            |first: &str| full("connect-four", [first, "random"]).match_seconds().unwrap();
        // At most 21 decisions of a player.
        assert!((3.0..21.1).contains(&seconds("uct:cpu=1s")));
        assert!((0.3..2.11).contains(&seconds("uct:cpu=100ms")));
        // Fifty times as much as the probe may think.
        assert!(seconds("uct:iterations=100000") > 5.0 * seconds("uct:iterations=1000"));
    }

    #[test]
    fn a_probe_can_be_stopped() {
        let stop = Stop::new();
        stop.request();
        let agents = ["uct:iterations=2000,c=0.123".parse().unwrap(), RandomSpec.into()];
        let game = "othello".parse().unwrap();
        assert_eq!(Fingerprint::new(&game, &agents, &stop).unwrap(), None);
        assert!(Fingerprint::new(&game, &agents, &Stop::new()).unwrap().is_some());
    }
}
