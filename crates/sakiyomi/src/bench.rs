//! Speed, counted in CPU time of the measuring thread, on one thread.

use std::time::Duration;

use cpu_time::ThreadTime;
use sakiyomi_catalog::{CatalogGame, GameSpec, SpecError, Visitor};
use sakiyomi_core::{Budget, Context, Playable, Rng, Scratch, Stop, Turn};
use sakiyomi_search::{MctsSettings, TreeSettings};
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
        ..from_nothing(settings)
    };
    game.with(MeasureSpeed { spec: game, settings, simulations, least })
}

/// The same search with one tree that is not kept.
fn from_nothing(settings: MctsSettings) -> MctsSettings {
    let tree = TreeSettings { trees: 1, reuse: false, ..settings.tree };
    MctsSettings { tree, ..settings }
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
                let settings = MctsSettings { budget, ..from_nothing(self.0) };
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
