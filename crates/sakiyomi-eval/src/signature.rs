//! The signature of all behaviour: a table of short matches of fixed games, agents and seeds, and a
//! hash of what was decided in each.
//!
//! Its entries follow from the catalog: every game with every agent that plays it, every parameter
//! of every agent, every parameter of every game, and some combinations. Agents are seated, so that
//! they keep their trees, and play all seats. Names are not part of a hash: a parameter with another
//! name leaves it as it is.

use std::fmt;

use rustc_hash::FxHashSet;
use sakiyomi_catalog::{
    AgentSpec, Entry, GameSpec, Named, ParameterEntry, SpecError, Table, TableError, Values,
    game_presets, open_table,
};
use sakiyomi_core::hash::Fnv64;
use sakiyomi_core::{Player, Stop};

use crate::short_match::{self, Decision, Length, hash_payoffs, hash_thought};

/// One line of the table: who plays what, and the parameter that it is there for.
#[derive(Clone, Debug)]
pub struct SignatureEntry {
    pub game: GameSpec,
    pub agent: AgentSpec,
    /// The name of the parameter that it is there for, with that of its game or agent.
    pub parameter: Option<(&'static str, &'static str)>,
    /// The same without the parameter, which decides otherwise if the parameter does something.
    pub without: Option<(GameSpec, AgentSpec)>,
}

/// The entries, and the parameters for which there is none.
#[derive(Clone, Debug, Default)]
pub struct SignatureEntries {
    pub entries: Vec<SignatureEntry>,
    /// Name of the game or agent, and of the parameter.
    pub left_out: Vec<(&'static str, &'static str)>,
    known: FxHashSet<String>,
}

impl SignatureEntry {
    fn new(game: GameSpec, agent: AgentSpec) -> SignatureEntry {
        SignatureEntry { game, agent, parameter: None, without: None }
    }
}

impl fmt::Display for SignatureEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.game, self.agent)
    }
}

/// Combinations beyond what follows from the catalog.
const COMBINATIONS: &[(&str, &[&str])] = &[
    ("tic-tac-toe", &["random", "uct:iterations=500,solver", "maxn:depth=9"]),
    ("connect-four", &["uct:iterations=1000", "uct:tuned,graph", "maxn:depth=4"]),
    ("connect-four:9x7", &["uct:expand=5", "flat"]),
    ("breakthrough", &["uct:c=0.5", "uct:pruned,trees=3"]),
    ("breakthrough:6x6", &["uct:solver,graph", "maxn:depth=3", "maxn:pruned"]),
    ("othello", &["maxn:depth=3"]),
    ("gdl", &["uct:iterations=400,solver,leaf-batch=32,playouts-per-leaf=16"]),
    ("gdl:sheet=breakthrough", &["uct:iterations=400,cut=2", "uct:iterations=400,value-prior=3"]),
    ("sangoku", &["uct:c=0.15,expand=10,pruned,round-limit=10"]),
    ("sangoku:scenario=c", &["sangoku-best", "uct:groups=shared", "oep:urgent=0.8"]),
    (
        "sangoku:scenario=field",
        &["restricted:agent=(uct:iterations=20)", "restricted:margin=4,agent=(uct:iterations=20)"],
    ),
    ("hagetaka", &["rm", "oos", "exp3", "smuct", "duct:mix", "sp:reading=rank"]),
    ("hagetaka:n=10,players=3", &["rm:plus", "oos", "ducb1t"]),
    ("goofspiel:n=10", &["rm:endgame=4", "rm:graph", "duct:tie-break=first", "sequential"]),
    ("goofspiel:n=5,order=descending", &["exact"]),
];
/// Games on which parameters of agents are tried, the first of each list that takes one: a game
/// that is played to its end, games in which players choose in turn, and at once.
const AGENT_GAMES: [&[&str]; 3] = [
    &["tic-tac-toe"],
    &[
        "connect-four",
        "breakthrough:5x6",
        "sangoku:scenario=c",
        "tubstap",
        "gdl:sheet=breakthrough",
    ],
    &["hagetaka:n=8", "mizugame:teams=2,sessions=6"],
];
/// Agents that try parameters of games, as far as they play them.
const GAME_AGENTS: [&str; 4] =
    ["uct:iterations=20", "squad:iterations=20", "mizugame-best:iterations=100", "sucker"];
/// Of the values of a parameter that is a text, at most.
const MAX_TEXTS: usize = 2;
/// What is said of games beside a parameter, so that their matches are short.
const SHORT_GAMES: &[(&str, &[&str])] =
    &[("hagetaka", &["n=8"]), ("goofspiel", &["n=8"]), ("mizugame", &["teams=2", "sessions=6"])];
/// Values of parameters that are texts, where presets of the game have none.
const TEXTS: &[(&str, &str)] = &[
    ("deck", "deck=-3/-2/-1/1/2/3/4/9"),
    ("agent", "agent=(uct:iterations=100,c=0.1)"),
    ("game", "game=breakthrough:5x5"),
];
/// Of every decision, at most, where a combination does not say more.
const ITERATIONS: u64 = 100;
const LENGTH: Length = Length { opening: 3, decisions: 6, decisions_each: 2, steps: 12 };

/// Everything that is part of the signature.
pub fn signature_entries() -> Result<SignatureEntries, SpecError> {
    let mut all = SignatureEntries::default();
    for game in GameSpec::entries() {
        let game: GameSpec = short_text(game.name, None).parse()?;
        let mut table = open_table(&game, 0)?;
        for entry in AgentSpec::entries() {
            let agent: AgentSpec = entry.name.parse().or_else(|_| entry.example.parse())?;
            // Programs, and solutions, which take long, have no short form.
            let Some(agent) = agent.shortened(ITERATIONS) else { continue };
            if has_network(&agent) {
                continue;
            }
            if table.seat(Player(0), &agent).is_ok() {
                all.add(SignatureEntry::new(game.clone(), agent));
            }
        }
    }
    for (game, agents) in COMBINATIONS {
        for agent in *agents {
            let said: AgentSpec = agent.parse()?;
            let short = said.shortened(ITERATIONS).filter(|_| !agent.contains("iterations"));
            all.add(SignatureEntry::new(game.parse()?, short.unwrap_or(said)));
        }
    }
    let mut tables = Tables::open()?;
    for entry in AgentSpec::entries() {
        all.add_agent(entry, &mut tables);
    }
    for entry in GameSpec::entries() {
        all.add_game(entry)?;
    }
    Ok(all)
}

impl SignatureEntries {
    fn add(&mut self, entry: SignatureEntry) {
        if self.known.insert(entry.to_string()) {
            self.entries.push(entry);
        }
    }

    /// Every parameter of an agent, alone or beside another one that it needs.
    fn add_agent(&mut self, entry: &'static Entry, tables: &mut Tables) {
        let all: Vec<String> = entry.parameters.iter().flat_map(|p| values(entry, p)).collect();
        let beside = || std::iter::once(None).chain(all.iter().map(Some));
        for parameter in &entry.parameters {
            let values = values(entry, parameter);
            // All words are tried, and of numbers the first that is taken.
            let ways: Vec<&[String]> = match parameter.values {
                Values::Word { .. } => values.chunks(1).collect(),
                _ => vec![&values],
            };
            let mut is_played = false;
            let lists = 0..AGENT_GAMES.len();
            for (i, way) in lists.flat_map(|i| ways.iter().map(move |way| (i, *way))) {
                let tries = beside().flat_map(|other| way.iter().map(move |value| (other, value)));
                let found = tries.into_iter().find_map(|(other, value)| {
                    let base = short_agent(entry.name, other, None)?;
                    let agent = short_agent(entry.name, other, Some(value))?;
                    let game = (agent != base).then(|| tables.seating(i, [&agent, &base]))??;
                    Some((game, agent, base))
                });
                if let Some((game, agent, base)) = found {
                    is_played = true;
                    self.add(SignatureEntry {
                        parameter: Some((entry.name, parameter.name)),
                        without: Some((game.clone(), base)),
                        ..SignatureEntry::new(game, agent)
                    });
                }
            }
            if !is_played {
                self.left_out.push((entry.name, parameter.name));
            }
        }
    }

    /// Every parameter of a game.
    fn add_game(&mut self, entry: &'static Entry) -> Result<(), SpecError> {
        let base: GameSpec = short_text(entry.name, None).parse()?;
        for parameter in &entry.parameters {
            let n_values = if matches!(parameter.values, Values::Text) { MAX_TEXTS } else { 1 };
            let games = values(entry, parameter).into_iter().filter_map(|value| {
                let game: GameSpec = short_text(entry.name, Some(&value)).parse().ok()?;
                let table = open_table(&game, 0).ok().filter(|_| game != base)?;
                Some((game, table))
            });
            let mut is_played = false;
            for (game, mut table) in games.take(n_values) {
                for agent in GAME_AGENTS {
                    let agent: AgentSpec = agent.parse()?;
                    if table.seat(Player(0), &agent).is_ok() {
                        is_played = true;
                        self.add(SignatureEntry {
                            parameter: Some((entry.name, parameter.name)),
                            without: Some((base.clone(), agent.clone())),
                            ..SignatureEntry::new(game.clone(), agent)
                        });
                    }
                }
            }
            if !is_played {
                self.left_out.push((entry.name, parameter.name));
            }
        }
        Ok(())
    }
}

/// Tables at which parameters of agents are tried, by the lists of games.
struct Tables(Vec<Vec<Box<dyn Table>>>);

impl Tables {
    fn open() -> Result<Tables, SpecError> {
        let open = |game: &&str| open_table(&game.parse()?, 0);
        let all = |games: &&[&str]| games.iter().map(open).collect();
        AGENT_GAMES.iter().map(all).collect::<Result<_, SpecError>>().map(Tables)
    }

    /// The first game of a list that both agents play. Trying things out before the first decision
    /// takes long everywhere but on the smallest game.
    fn seating(&mut self, list: usize, agents: [&AgentSpec; 2]) -> Option<GameSpec> {
        if list > 0 && agents.iter().any(|agent| agent.prepares()) {
            return None;
        }
        let takes = |table: &mut Box<dyn Table>| {
            agents.iter().all(|agent| table.seat(Player(0), agent).is_ok())
        };
        let mut tables = self.0[list].iter_mut();
        tables.find_map(|table| takes(table).then(|| table.game().clone()))
    }
}

/// What a network answers may differ in the last digits between machines.
fn has_network(agent: &AgentSpec) -> bool {
    matches!(agent, AgentSpec::Puct(Named { settings, .. }) if settings.network.is_some())
}

/// An agent of this name with these parameters, in its short form; none if it is refused.
fn short_agent(name: &str, other: Option<&String>, value: Option<&String>) -> Option<AgentSpec> {
    let said: Vec<&str> = other.into_iter().chain(value).map(String::as_str).collect();
    let agent = spec_text(name, &said).parse::<AgentSpec>().ok()?.shortened(ITERATIONS);
    agent.filter(|agent| !has_network(agent))
}

/// The text of a game whose matches are short, with this value.
fn short_text(name: &str, value: Option<&String>) -> String {
    let short = SHORT_GAMES.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, s)| s);
    let key = value.and_then(|value| value.split('=').next());
    let others = short.iter().copied().filter(|part| part.split('=').next() != key);
    let said: Vec<&str> = others.chain(value.map(String::as_str)).collect();
    spec_text(name, &said)
}

fn spec_text(name: &str, said: &[&str]) -> String {
    match said {
        [] => name.to_owned(),
        said => format!("{name}:{}", said.join(",")),
    }
}

/// Values of a parameter other than its default, as `key=value`, the best ones to try first.
fn values(entry: &Entry, parameter: &ParameterEntry) -> Vec<String> {
    let (name, default) = (parameter.name, parameter.default.as_str());
    let texts: Vec<String> = match parameter.values {
        Values::Flag => vec![if default == "on" { "false" } else { "true" }.to_owned()],
        Values::Integer { min, max } => {
            let usual = default.parse::<u64>().ok();
            let around = usual.into_iter().flat_map(|n| [n.saturating_mul(2), n / 2]);
            let all = around.chain([5, 2, 50, 20, 1, min]);
            let fits = |n: &u64| *n >= min && max.is_none_or(|max| *n <= max);
            all.filter(fits).map(|n| n.to_string()).collect()
        }
        Values::Number { min, max } => {
            let usual = default.parse::<f64>().ok();
            let around = usual.into_iter().flat_map(|x| [x * 2.0, x / 2.0]);
            let all = around.chain([0.5, 2.0, min, max]);
            all.filter(|x| (min..=max).contains(x)).map(|x| x.to_string()).collect()
        }
        Values::Bytes => ["20KiB", "64KiB", "1MiB"].map(str::to_owned).into(),
        Values::Word { words } => words.iter().map(|&word| word.to_owned()).collect(),
        // A time is not repeatable.
        Values::Time => Vec::new(),
        Values::Text => return text_values(entry, name),
    };
    let differs = |text: &&String| *text != default;
    texts.iter().filter(differs).map(|text| format!("{name}={text}")).collect()
}

/// Values of a parameter that is a text: those of the game's presets.
fn text_values(entry: &Entry, name: &str) -> Vec<String> {
    let presets = game_presets(entry);
    let said = presets.iter().filter_map(|text| text.split_once(':')).map(|(_, said)| said);
    let known = TEXTS.iter().filter(|(key, _)| *key == name).map(|(_, text)| *text);
    let is_of = |said: &&str| said.split_once('=').is_some_and(|(key, _)| key == name);
    said.filter(is_of).chain(known).map(str::to_owned).collect()
}

/// A line of the table: an entry, and the hash of what was decided in its match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureLine {
    pub hash: u64,
    /// The game and the agent.
    pub name: String,
}

impl fmt::Display for SignatureLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x} {}", self.hash, self.name)
    }
}

/// Plays the match of every entry.
pub fn signature_table() -> Result<Vec<SignatureLine>, TableError> {
    let line = |entry: &SignatureEntry| {
        let hash = decisions_hash(&entry.game, &entry.agent)?;
        Ok(SignatureLine { hash, name: entry.to_string() })
    };
    signature_entries()?.entries.iter().map(line).collect()
}

/// One number for all lines: it does not know their names.
pub fn signature(table: &[SignatureLine]) -> u64 {
    let mut all = Fnv64::default();
    table.iter().for_each(|line| all.write(&line.hash.to_le_bytes()));
    all.finish()
}

/// What is decided in a short match of an agent against itself, hashed with FNV-1a, of lengths and
/// numbers as little-endian bytes.
pub fn decisions_hash(game: &GameSpec, agent: &AgentSpec) -> Result<u64, TableError> {
    let mut hash = Fnv64::default();
    let agents = std::slice::from_ref(agent);
    let look = &mut |decision: &Decision<'_>| hash_thought(&mut hash, decision.thought);
    let table = short_match::play(game, agents, LENGTH, &Stop::new(), look)?;
    hash_payoffs(&mut hash, table.as_ref());
    Ok(hash.finish())
}
