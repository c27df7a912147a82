//! Leaves that wait for a batch of playouts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::*;
use crate::mcts::tree::Kind;
use sakiyomi_core::{ActionMeans, EndAhead, Scratch, each_end_ahead};

/// A toy that plays many playouts at once, and counts how many it is asked for.
struct AtOnce {
    toy: Toy,
    batches: AtomicU64,
    playouts: AtomicU64,
    /// Whether actions compete in its playouts, and how often they were asked to.
    tournaments: Option<AtomicU64>,
    /// Requested when that many batches were played.
    stop: (Stop, u64),
    /// CPU time that a batch takes, and a playout by itself.
    takes: [Duration; 2],
    /// How often it looked for ends one action away, and how many states that were.
    looks: [AtomicU64; 2],
}

impl AtOnce {
    fn new(toy: Toy) -> AtOnce {
        let [batches, playouts] = [AtomicU64::new(0), AtomicU64::new(0)];
        let (stop, takes) = ((Stop::new(), u64::MAX), [Duration::ZERO; 2]);
        let looks = [0, 0].map(AtomicU64::new);
        AtOnce { toy, batches, playouts, tournaments: None, stop, takes, looks }
    }
}

impl Game for AtOnce {
    type State = u16;
    type Action = Word;

    fn players(&self) -> usize {
        self.toy.players()
    }

    fn start(&self) -> u16 {
        self.toy.start()
    }

    fn turn(&self, state: &u16) -> Turn {
        self.toy.turn(state)
    }

    fn actions(&self, state: &u16, player: Player, out: &mut Vec<Word>) {
        self.toy.actions(state, player, out);
    }

    fn apply(&self, state: &mut u16, actions: &[Word]) {
        self.toy.apply(state, actions);
    }

    fn outcomes(&self, state: &u16, out: &mut Vec<(Word, f64)>) {
        self.toy.outcomes(state, out);
    }

    fn playout(&self, state: &mut u16, scratch: &mut Scratch<Word>, rng: &mut Rng) -> Payoffs {
        spend(self.takes[1]);
        self.toy.playout(state, scratch, rng)
    }

    fn playouts(
        &self,
        states: &[u16],
        starts: &[u32],
        scratch: &mut Scratch<Word>,
        rng: &mut Rng,
        out: &mut Vec<Payoffs>,
    ) {
        self.playouts.fetch_add(starts.len() as u64, Ordering::Relaxed);
        spend(self.takes[0]);
        if self.batches.fetch_add(1, Ordering::Relaxed) + 1 >= self.stop.1 {
            self.stop.0.request();
            // What is told after a stop means nothing.
            return out.extend(starts.iter().map(|_| Payoffs::of([9.0, 9.0])));
        }
        self.toy.playouts(states, starts, scratch, rng, out);
    }

    /// Teaches that the first action of the first player always loses.
    fn tournament_playouts(
        &self,
        states: &[u16],
        starts: &[u32],
        draws: u32,
        means: &mut dyn ActionMeans<Word>,
        rng: &mut Rng,
        out: &mut Vec<Payoffs>,
    ) -> bool {
        let Some(tournaments) = &self.tournaments else { return false };
        assert_eq!(draws, 2);
        let mut actions = Vec::new();
        self.actions(&self.start(), Player(0), &mut actions);
        let mean = means.mean(Player(0), actions[0]);
        let n_before = tournaments.fetch_add(1, Ordering::Relaxed);
        assert!(n_before == 0 || mean < 0.6, "what was taught is known: {mean}");
        means.add(Player(0), actions[0], starts.len() as f64, 0.0);
        self.toy.playouts(states, starts, &mut Scratch::default(), rng, out);
        true
    }

    fn ends_ahead(
        &self,
        states: &[u16],
        scratch: &mut Scratch<Word>,
        out: &mut Vec<EndAhead<Word>>,
    ) {
        self.looks[0].fetch_add(1, Ordering::Relaxed);
        self.looks[1].fetch_add(states.len() as u64, Ordering::Relaxed);
        each_end_ahead(self, states, scratch, out);
    }

    fn playouts_at_once(&self) -> u64 {
        512
    }
}

impl Hints for AtOnce {}

fn spend(time: Duration) {
    let (stop, cpu) = (Stop::new(), Some(time));
    let clock = Budget { iterations: None, cpu, ..Budget::iterations(0) }.begin(&stop);
    while time > Duration::ZERO && !clock.is_over() {}
}

fn batched(settings: MctsSettings, leaves: u32, playouts: u32) -> MctsSettings {
    let mut settings = settings;
    settings.playout.batch = LeafBatch { leaves, playouts };
    settings
}

/// A search that proves everything: payoffs lie between 0 and 1, so all actions have to be proven.
fn exploring(iterations: u64) -> MctsSettings {
    ucb(proving(iterations), |ucb| ucb.c = 16.0)
}

fn search(game: &AtOnce, settings: MctsSettings) -> (Mcts<AtOnce>, Choice<Word>) {
    let mut context = Context { rng: &mut Rng::new(2), stop: &game.stop.0 };
    let mut mcts = Mcts::new(settings);
    let choice = mcts.choose(game, &game.start(), Player(0), &mut context).unwrap();
    (mcts, choice)
}

#[test]
fn the_best_move_is_found_by_leaves_that_wait() {
    let kinds: [(&[&str], u32); 3] =
        [(&["0", "1"], 6), (&["0", "chance", "1"], 6), (&["0", "0", "1"], 6)];
    let mut rng = Rng::new(8);
    for (who, depth) in kinds {
        for rule in [Ucb::new(0.4), Ucb { bound: Bound::Tuned, ..Ucb::new(1.0) }] {
            for (leaves, playouts) in [(64, 1), (16, 8), (1, 64)] {
                for graph in [false, true] {
                    let game = AtOnce::new(random_tree(depth, who, 2, &mut rng));
                    let best = solve(&game.toy, game.start())[Player(0)];
                    let settings = grown(settings(40_000), |tree| tree.graph = graph);
                    let settings = MctsSettings { selection: Selection::Ucb(rule), ..settings };
                    let (_, choice) = search(&game, batched(settings, leaves, playouts));
                    let mut next = game.start();
                    game.apply(&mut next, &[choice.action]);
                    let regret = best - solve(&game.toy, next)[Player(0)];
                    assert!(regret < 1e-9, "{who:?} {rule:?} {leaves}: lost {regret}");
                    let error = (choice.value.unwrap() - best).abs();
                    assert!(error < 0.06, "{who:?} {rule:?} {leaves}: value off by {error}");
                }
            }
        }
    }
}

/// The visits of the root's arms, after checking that no virtual loss is left anywhere.
fn visits_without_losses(mcts: &Mcts<AtOnce>) -> u32 {
    let tree = &mcts.walks[0].tree;
    for node in 0..tree.nodes.len() as u32 {
        let entry = tree.nodes[node as usize];
        // A visit of what is proven has no picks.
        if !entry.has_rows() || entry.kind() == Kind::Proven {
            continue;
        }
        for row in tree.rows(node) {
            let visits: u32 = tree.arms.visits[row.first..row.first + row.len].iter().sum();
            assert_eq!(visits, tree.nodes[node as usize].visits);
        }
    }
    tree.nodes[ROOT as usize].visits
}

#[test]
fn every_visit_has_its_payoffs() {
    // All ends pay 1 to both, so a visit that was counted and not paid would show in the sums.
    let toy = Toy::read(
        "a: 0 l -> b r -> c\n b: 1 l -> c r -> d\n c: 0+1 x/x -> d x/y -> e y/x -> e y/y -> d\n \
         d: chance l 0.5 -> e r 0.5 -> 1 1\n e: 0 l -> 1 1 r -> 1 1\n",
    )
    .unwrap();
    for graph in [false, true] {
        let game = AtOnce::new(toy.clone());
        let settings = grown(settings(5_000), |tree| (tree.graph, tree.expand) = (graph, 3));
        let (mcts, choice) = search(&game, batched(settings, 32, 4));
        assert_eq!(visits_without_losses(&mcts), 5_000);
        let arms = &mcts.walks[0].tree.arms;
        for (visits, sum) in arms.visits.iter().zip(&arms.sums) {
            assert!((f64::from(*visits) - sum).abs() < 1e-9);
        }
        assert_eq!((choice.iterations, choice.value), (5_000, Some(1.0)));
        // Leaves get four playouts each, but for the first thousand, which do not wait.
        let playouts = game.playouts.load(Ordering::Relaxed);
        assert!((15_500..16_500).contains(&playouts), "{playouts}");
        assert!(game.batches.load(Ordering::Relaxed) < 500);
    }
}

#[test]
fn the_tree_follows_from_the_seed() {
    let game = AtOnce::new(random_tree(8, &["0", "1"], 2, &mut Rng::new(3)));
    let settings = batched(settings(3_000), 16, 8);
    assert_eq!(search(&game, settings).1, search(&game, settings).1);
}

#[test]
fn leaves_do_not_wait_where_the_game_plays_one_at_a_time() {
    let toy = random_tree(8, &["0", "1"], 2, &mut Rng::new(3));
    let mut learning = settings(2_000);
    let rule = LearningRule::Tournament { draws: 2 };
    learning.playout.policy = PlayoutPolicy::Learned(rule.lasting());
    for settings in [settings(2_000), learning] {
        let plain = decide(&toy, 0, settings, 1);
        assert_eq!(decide(&toy, 0, batched(settings, 64, 8), 1), plain);
    }
    // Where many are played at once and the game knows no tournaments they are uniform.
    let mut game = AtOnce::new(toy);
    search(&game, batched(learning, 64, 8));
    let n_uniform = game.batches.load(Ordering::Relaxed);
    game.tournaments = Some(AtomicU64::new(0));
    search(&game, batched(learning, 64, 8));
    assert_eq!(game.batches.load(Ordering::Relaxed), n_uniform);
    assert!(game.tournaments.is_some_and(|n| n.load(Ordering::Relaxed) > 20));
}

#[test]
fn leaves_that_wait_are_taken_back_when_the_search_is_stopped() {
    for rule in [Ucb::new(0.4), Ucb { bound: Bound::Tuned, ..Ucb::new(1.0) }] {
        let mut game = AtOnce::new(random_tree(8, &["0", "1"], 2, &mut Rng::new(3)));
        game.stop.1 = 60;
        let settings = MctsSettings { selection: Selection::Ucb(rule), ..settings(1_000_000) };
        let (mcts, choice) = search(&game, batched(settings, 64, 8));
        assert!(game.stop.0.requested());
        let visits = visits_without_losses(&mcts);
        assert!(u64::from(visits) < choice.iterations, "{visits} of {}", choice.iterations);
        let arms = &mcts.walks[0].tree.arms;
        for (visits, sum) in arms.visits.iter().zip(&arms.sums) {
            assert!(*sum <= f64::from(*visits) + 1e-9, "no payoff is above 1");
        }
        assert!(arms.ready.iter().all(|[mean, width]| mean.is_finite() && width.is_finite()));
    }
}

#[test]
fn what_is_proven_ends_the_search() {
    let toy = random_tree(6, &["0", "1"], 2, &mut Rng::new(3));
    let best = solve(&toy, toy.start())[Player(0)];
    let game = AtOnce::new(toy);
    let (mcts, choice) = search(&game, batched(exploring(100_000), 64, 8));
    assert!(choice.iterations < 100_000, "{}", choice.iterations);
    assert_eq!(choice.value, Some(best));
    visits_without_losses(&mcts);
}

/// Nodes that were expanded for the leaves of a batch look for ends together. Nothing but these ends
/// is known before all is proven.
#[test]
fn the_nodes_of_a_batch_look_ahead_together() {
    for seed in 0..6 {
        let toy = random_tree(6, &["0", "1"], 3, &mut Rng::new(seed));
        let best = solve(&toy, toy.start())[Player(0)];
        let game = AtOnce::new(toy);
        let with = |proofs| ucb(exploring(100_000), |ucb| ucb.proofs = proofs);
        let solver = search(&game, batched(with(Proofs::Solver), 64, 32)).1;
        assert_eq!(game.looks[0].load(Ordering::Relaxed), 0);
        let (mcts, choice) = search(&game, batched(with(Proofs::LookAhead), 64, 32));
        assert_eq!((choice.value, solver.value), (Some(best), Some(best)));
        visits_without_losses(&mcts);
        let [looks, states] = [0, 1].map(|i| game.looks[i].load(Ordering::Relaxed));
        assert!(looks > 0 && states > 2 * looks, "{states} states in {looks} batches");
    }
}

/// With a clock a search finds out what a batch costs, and goes on leaf by leaf if that is faster.
#[test]
fn leaves_do_not_wait_where_batches_are_slow() {
    let toy = random_tree(12, &["0", "1"], 2, &mut Rng::new(3));
    let n_batches = |takes| {
        let game = AtOnce { takes, ..AtOnce::new(toy.clone()) };
        let mut settings = batched(settings(0), 64, 32);
        let cpu = Some(Duration::from_millis(100));
        settings.budget = Budget { iterations: None, cpu, ..settings.budget };
        search(&game, settings);
        game.batches.load(Ordering::Relaxed)
    };
    // One is tried.
    let (long, short) = (Duration::from_millis(10), Duration::from_micros(400));
    assert!(n_batches([long, Duration::ZERO]) <= 2);
    assert!(n_batches([Duration::ZERO, short]) > 10);
}
