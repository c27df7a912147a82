//! Speed and signature. Speed is counted in CPU time of the measuring thread, on one thread.

use std::time::Duration;

use cpu_time::ThreadTime;
use sakiyomi_catalog::{
    AgentSpec, CatalogGame, GameSpec, RandomSpec, SpecError, TableError, Thought, Visitor,
    open_table,
};
use sakiyomi_core::hash::Fnv64;
use sakiyomi_core::{Budget, Context, Playable, Player, Rng, Scratch, Stop, Turn};
use sakiyomi_search::{CodeIndex, Encoding, MctsSettings};
use serde::Serialize;

/// How fast a game and the tree search on it are, from the start position.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    /// The short text of its specification.
    pub game: String,
    pub playouts_per_cpu_second: f64,
    /// Steps in which players choose, over at least 200 random matches.
    pub turns_per_playout: f64,
    pub simulations_per_cpu_second: f64,
    /// Of one search, each from nothing.
    pub simulations: u64,
    /// The whole tree, arms included, over its nodes.
    pub bytes_per_node: f64,
    pub bytes_per_arm: usize,
}

/// Measures playouts and searches for at least `seconds` of CPU time each.
pub fn measure_speed(
    game: &GameSpec,
    settings: MctsSettings,
    simulations: u64,
    seconds: f64,
) -> Result<Speed, SpecError> {
    let least = Duration::from_secs_f64(seconds);
    let settings = MctsSettings {
        budget: Budget { memory: u64::MAX, ..Budget::iterations(simulations) },
        trees: 1,
        fresh: true,
        ..settings
    };
    game.with(MeasureSpeed { spec: game, settings, simulations, least })
}

struct MeasureSpeed<'a> {
    spec: &'a GameSpec,
    settings: MctsSettings,
    simulations: u64,
    least: Duration,
}

impl Visitor for MeasureSpeed<'_> {
    type Out = Speed;

    fn visit<G: CatalogGame>(self, game: G) -> Speed {
        let MeasureSpeed { spec, settings, simulations, least } = self;
        let (start, mut state) = (first_choice(&game), game.start());
        let (mut rng, mut scratch) = (Rng::new(1), Scratch::default());
        let playouts_per_cpu_second = rate(least, |n| {
            for _ in 0..n {
                state.clone_from(&start);
                std::hint::black_box(game.playout(&mut state, &mut scratch, &mut rng));
            }
        });
        let mut agent = G::tree_search(settings);
        let stop = Stop::new();
        let searches_per_cpu_second = rate(least, |n| {
            for _ in 0..n {
                let mut context = Context { rng: &mut rng, stop: &stop };
                agent.search(&game, &start, &mut context).expect("the games of the bench fit");
            }
        });
        Speed {
            game: spec.to_string(),
            playouts_per_cpu_second,
            turns_per_playout: turns_per_playout(&game, least),
            simulations_per_cpu_second: searches_per_cpu_second * simulations as f64,
            simulations,
            bytes_per_node: agent.bytes() as f64 / agent.n_nodes() as f64,
            bytes_per_arm: agent.bytes_per_arm(),
        }
    }
}

/// The first state in which someone chooses, after what chance deals at the start.
fn first_choice<G: Playable>(game: &G) -> G::State {
    let (mut state, mut rng) = (game.start(), Rng::new(3));
    while game.turn(&state) == Turn::Chance {
        let outcome = game.sample(&state, &mut Vec::new(), &mut rng);
        game.apply(&mut state, &[outcome]);
    }
    state
}

/// How often `work` gets done in a second of CPU time. It is told how often to do it at once: often
/// enough that reading the clock, a call to the system, does not count.
fn rate(least: Duration, mut work: impl FnMut(u64)) -> f64 {
    work(1); // Fills caches and buffers.
    let (mut done, mut at_once) = (0, 1);
    let start = ThreadTime::now();
    loop {
        work(at_once);
        done += at_once;
        let elapsed = start.elapsed();
        if elapsed >= least {
            return done as f64 / elapsed.as_secs_f64();
        }
        if elapsed < least / 50 {
            at_once *= 2;
        }
    }
}

/// The mean number of turns of the random matches that can be played by the plain rules, without a
/// game's own playouts, which do not count them, in this CPU time: enough that it is not left to chance.
fn turns_per_playout<G: Playable>(game: &G, least: Duration) -> f64 {
    const MIN_MATCHES: u64 = 200;
    let (start, mut state) = (first_choice(game), game.start());
    let (mut rng, mut joint) = (Rng::new(2), Vec::new());
    let (mut actions, mut outcomes) = (Vec::new(), Vec::new());
    let (mut n_turns, mut n_matches) = (0u64, 0u64);
    let clock = ThreadTime::now();
    while n_matches < MIN_MATCHES || clock.elapsed() < least {
        state.clone_from(&start);
        n_matches += 1;
        loop {
            match game.turn(&state) {
                Turn::Over(_) => break,
                Turn::Chance => {
                    let outcome = game.sample(&state, &mut outcomes, &mut rng);
                    game.apply(&mut state, &[outcome]);
                }
                Turn::Choose(who) => {
                    n_turns += 1;
                    joint.clear();
                    joint
                        .extend(who.map(|p| game.random_action(&state, p, &mut actions, &mut rng)));
                    game.apply(&mut state, &joint);
                }
            }
        }
    }
    n_turns as f64 / n_matches as f64
}

/// How one search fares as its tree grows.
#[derive(Clone, Debug, Serialize)]
pub struct Growth {
    pub iterations: u64,
    pub nanoseconds_per_iteration: f64,
    pub nodes: usize,
    pub bytes: usize,
}

/// Searches from the start with each of these numbers of iterations.
pub fn measure_growth(
    game: &GameSpec,
    settings: MctsSettings,
    iterations: &[u64],
) -> Result<Vec<Growth>, SpecError> {
    struct MeasureGrowth<'a>(MctsSettings, &'a [u64]);
    impl Visitor for MeasureGrowth<'_> {
        type Out = Vec<Growth>;

        fn visit<G: CatalogGame>(self, game: G) -> Vec<Growth> {
            let (stop, start_state) = (Stop::new(), first_choice(&game));
            let each = |&iterations: &u64| {
                let budget = Budget { memory: u64::MAX, ..Budget::iterations(iterations) };
                let settings = MctsSettings { budget, trees: 1, fresh: true, ..self.0 };
                let mut agent = G::tree_search(settings);
                let mut rng = Rng::new(1);
                // Small searches are repeated, so that all are measured over a similar time.
                let repetitions = (300_000 / iterations).max(1);
                let start = ThreadTime::now();
                for _ in 0..repetitions {
                    let mut context = Context { rng: &mut rng, stop: &stop };
                    let searched = agent.search(&game, &start_state, &mut context);
                    searched.expect("the games of the bench fit");
                }
                let nanoseconds = start.elapsed().as_nanos() as f64;
                Growth {
                    iterations,
                    nanoseconds_per_iteration: nanoseconds / (iterations * repetitions) as f64,
                    nodes: agent.n_nodes(),
                    bytes: agent.bytes(),
                }
            };
            self.1.iter().map(each).collect()
        }
    }
    game.with(MeasureGrowth(settings, iterations))
}

/// How neighbours are found among the codes of matches.
#[derive(Clone, Debug, Serialize)]
pub struct IndexSpeed {
    pub game: String,
    pub codes: usize,
    pub neighbours_per_query: f64,
    pub compared_per_query: f64,
    pub nanoseconds_per_query: f64,
    /// The same by looking up every code within the distance.
    pub nanoseconds_by_masks: f64,
}

/// Distance within which neighbours are looked for.
const INDEX_DISTANCE: u32 = 2;
const INDEX_QUERIES: usize = 2_000;

/// Measures the index of experience on this number of Huffman codes of matches of this search.
pub fn measure_index(
    game: &GameSpec,
    settings: MctsSettings,
    n_codes: usize,
) -> Result<IndexSpeed, SpecError> {
    struct Codes(MctsSettings, usize);
    impl Visitor for Codes {
        type Out = Vec<u64>;

        fn visit<G: CatalogGame>(self, game: G) -> Vec<u64> {
            game.codes(&self.0, Encoding::Huffman, self.1, &mut Rng::new(1))
        }
    }
    let codes = game.with(Codes(settings, n_codes))?;
    let mut index = CodeIndex::new(&codes, INDEX_DISTANCE);
    // Queries are like those of a search: codes that are there, and codes next to them.
    let mut rng = Rng::new(2);
    let mut query = |i: usize| match i % 2 {
        0 => codes[rng.below(codes.len())],
        _ => codes[rng.below(codes.len())] ^ 1 << rng.below(64),
    };
    let queries: Vec<u64> = (0..INDEX_QUERIES).map(&mut query).collect();
    let n = queries.len() as f64;
    let start = ThreadTime::now();
    let (mut n_found, mut n_compared) = (0, 0);
    for &code in &queries {
        let (found, compared) = index.neighbours(code);
        n_found += found;
        n_compared += compared;
    }
    let nanoseconds_per_query = start.elapsed().as_nanos() as f64 / n;
    let start = ThreadTime::now();
    let n_by_masks: usize = queries.iter().map(|&code| index.neighbours_by_masks(code)).sum();
    let nanoseconds_by_masks = start.elapsed().as_nanos() as f64 / n;
    assert_eq!(n_found, n_by_masks, "the index finds what trying all masks finds");
    Ok(IndexSpeed {
        game: game.to_string(),
        codes: codes.len(),
        neighbours_per_query: n_found as f64 / n,
        compared_per_query: n_compared as f64 / n,
        nanoseconds_per_query,
        nanoseconds_by_masks,
    })
}

/// Options of agents and games that the catalog's lists do not reach by themselves.
const SIGNATURE: &[(&str, &[&str])] = &[
    ("tic-tac-toe", &["random", "uct:iterations=500,solver", "maxn:depth=9"]),
    ("connect-four", &["uct:iterations=2000", "uct:iterations=500,tuned,graph", "maxn:depth=5"]),
    ("connect-four:9x7", &["uct:iterations=300,expand=5", "flat:iterations=300"]),
    ("breakthrough", &["uct:iterations=500,c=0.5", "uct:iterations=300,pruned,trees=3"]),
    ("breakthrough:6x6", &["uct:iterations=500,solver,graph", "maxn:depth=3"]),
    ("othello", &["uct:iterations=500", "flat:iterations=200", "maxn:depth=3"]),
    ("sangoku", &["uct:iterations=300,c=0.15,expand=10,pruned,limit=10", "rule-based"]),
    (
        "sangoku:scenario=c",
        &[
            "sangoku-best:iterations=300",
            "uct:iterations=200,groups=shared",
            "oep:iterations=300,keen=0.8",
        ],
    ),
    (
        "hagetaka",
        &[
            "rm:iterations=300",
            "oos:iterations=300",
            "exp3:iterations=300",
            "smuct",
            "duct:mix",
            "sp:reading=rank",
        ],
    ),
    ("hagetaka:n=10,players=3", &["rm:iterations=300,plus", "oos:iterations=300", "ducb1t"]),
    ("goofspiel:n=10", &["rm:endgame=4", "rm:graph", "duct:strict", "sequential:iterations=300"]),
    ("goofspiel:n=5,order=descending", &["exact"]),
];
/// Random moves before a decision.
const SIGNATURE_PLIES: [usize; 3] = [0, 4, 9];
/// Of agents that are listed, at most.
const SIGNATURE_ITERATIONS: u64 = 100;

/// One number that every change of behaviour changes: games, agents and seeds are fixed, and what
/// they decide and why is hashed, with FNV-1a of lengths and numbers as little-endian bytes.
pub fn signature() -> Result<u64, anyhow::Error> {
    let mut hash = Fnv64::default();
    for (game, agent) in signature_pairs()? {
        for plies in SIGNATURE_PLIES {
            hash.write_field(game.to_string().as_bytes());
            hash.write_field(agent.to_string().as_bytes());
            if let Some(advice) = decide(&game, &agent, plies)? {
                hash.write_field(advice.action.as_bytes());
                hash.write(&advice.iterations.to_le_bytes());
                hash.write(&advice.nodes.to_le_bytes());
                hash.write(&advice.value.unwrap_or(-1.0).to_bits().to_le_bytes());
            }
        }
    }
    Ok(hash.finish())
}

/// Every listed game with every listed agent that plays it, and then the options above.
pub fn signature_pairs() -> Result<Vec<(GameSpec, AgentSpec)>, anyhow::Error> {
    let mut pairs = Vec::new();
    for game in GameSpec::entries() {
        let game: GameSpec = game.name.parse()?;
        for entry in AgentSpec::entries() {
            let agent: AgentSpec = entry.name.parse().or_else(|_| entry.example.parse())?;
            // Programs, and solutions, which take long, have no short form.
            let Some(agent) = agent.shortened(SIGNATURE_ITERATIONS) else { continue };
            if open_table(&game, 0)?.seat(Player(0), &agent).is_ok() {
                pairs.push((game.clone(), agent));
            }
        }
    }
    for (game, agents) in SIGNATURE {
        for agent in *agents {
            pairs.push((game.parse()?, agent.parse()?));
        }
    }
    Ok(pairs)
}

/// What an agent decides after some random moves; nothing if there is nothing to decide.
fn decide(game: &GameSpec, agent: &AgentSpec, plies: usize) -> Result<Option<Thought>, TableError> {
    let mut table = open_table(game, plies as u64)?;
    let random = AgentSpec::from(RandomSpec);
    for _ in 0..plies {
        let Turn::Choose(who) = table.turn() else { break };
        let advise = |player| table.advise(&random, player, &Stop::new());
        let actions = who.map(|player| Ok(advise(player)?.action));
        let actions: Vec<String> = actions.collect::<Result<_, TableError>>()?;
        table.play(&actions.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    let Some(player) = mover(&table.turn()) else { return Ok(None) };
    table.advise(agent, player, &Stop::new()).map(Some)
}

fn mover(turn: &Turn) -> Option<Player> {
    match turn {
        Turn::Choose(who) => who.into_iter().next(),
        _ => None,
    }
}
