//! The fast paths have the distribution of the provided methods that they replace.

use sakiyomi_core::{Game, Payoffs, Player, Rng, Scratch, Turn};
use sakiyomi_games::tubstap::{
    Action, AttackFirst, Attacks, Medium, Settings, Small, State, Tubstap, read_map,
};

const FORD: &[u8] = include_bytes!("../../../../games/tubstap/ford.tbsmap");
const AIR: &[u8] = include_bytes!("../../../../games/tubstap/air.tbsmap");
const COAST: &[u8] = include_bytes!("../../../../games/tubstap/coast.tbsmap");

fn small(bytes: &[u8], settings: Settings) -> Small {
    Small::new(&read_map(bytes).unwrap().0, settings).unwrap()
}

/// A position after some random actions, before the end.
fn random_position<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    n_actions: usize,
    rng: &mut Rng,
) -> State<W, N> {
    'retry: loop {
        let mut state = game.start();
        for _ in 0..n_actions {
            let Some((_, actions)) = choices(game, &state) else { continue 'retry };
            game.apply(&mut state, &[actions[rng.below(actions.len())]]);
        }
        if choices(game, &state).is_some() {
            return state;
        }
    }
}

fn choices<G: Game>(game: &G, state: &G::State) -> Option<(Player, Vec<G::Action>)> {
    let Turn::Choose(who) = game.turn(state) else { return None };
    let player = who.single().unwrap();
    let mut actions = Vec::new();
    game.actions(state, player, &mut actions);
    Some((player, actions))
}

/// Fails if the counts are more than five standard deviations from where a fair draw puts them.
fn assert_fair(counts: &[u32], what: &str) {
    let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    let chi_square: f64 =
        counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
    let freedom = counts.len() as f64 - 1.0;
    assert!(chi_square <= freedom + 5.0 * (2.0 * freedom).sqrt(), "{what}: {counts:?}");
}

fn check_random_actions<const W: usize, const N: usize>(game: &Tubstap<W, N>, lengths: &[usize]) {
    for &n_actions in lengths {
        let mut rng = Rng::stream(&[1, n_actions as u64]);
        let state = random_position(game, n_actions, &mut rng);
        let (player, actions) = choices(game, &state).unwrap();
        assert!(actions.iter().all(|&a| game.is_legal(&state, player, a, game.settings().attacks)));
        let mut counts = vec![0; actions.len()];
        for _ in 0..1_000 * actions.len() {
            let action = game.random_action(&state, player, &mut Vec::new(), &mut rng);
            counts[actions.iter().position(|&legal| legal == action).expect("legal")] += 1;
        }
        assert_fair(&counts, &format!("{state:?}"));
    }
}

/// Payoff of RED, completed turns and hit points of both sides at the end.
type Sample = [f64; 4];

fn sample<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    n: u64,
    mut play: impl FnMut(&mut State<W, N>, &mut Rng) -> Payoffs,
) -> Vec<Sample> {
    let mut rng = Rng::new(5);
    (0..n)
        .map(|_| {
            let mut state = *state;
            let payoffs = play(&mut state, &mut rng);
            assert_eq!(game.turn(&state), Turn::Over(payoffs), "{state:?}");
            let [red, blue] = game.totals(&state).map(f64::from);
            [payoffs[Player(0)], state.turns().into(), red, blue]
        })
        .collect()
}

/// The means of two samples are within four standard errors of each other.
fn assert_same(fast: &[Sample], slow: &[Sample], what: &str) {
    for i in 0..4 {
        let mean = |all: &[Sample]| all.iter().map(|s| s[i]).sum::<f64>() / all.len() as f64;
        let variance = |all: &[Sample]| {
            let mean = mean(all);
            all.iter().map(|s| (s[i] - mean).powi(2)).sum::<f64>() / all.len() as f64
        };
        let error =
            (variance(fast) / fast.len() as f64 + variance(slow) / slow.len() as f64).sqrt();
        let difference = mean(fast) - mean(slow);
        assert!(difference.abs() <= 4.0 * error + 1e-9, "{what}, {i}: {difference} of {error}");
    }
}

/// The provided loop over listed actions.
fn plain_playout<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &mut State<W, N>,
    rng: &mut Rng,
) -> Payoffs {
    let mut outcomes = Vec::new();
    loop {
        match game.turn(state) {
            Turn::Over(payoffs) => return payoffs,
            Turn::Chance => {
                let outcome = game.sample(state, &mut outcomes, rng);
                game.apply(state, &[outcome]);
            }
            Turn::Choose(_) => {
                let (_, actions) = choices(game, state).unwrap();
                game.apply(state, &[actions[rng.below(actions.len())]]);
            }
        }
    }
}

/// The attack-first policy, written from its description over listed actions.
fn plain_attack_first<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &mut State<W, N>,
    probability: f64,
    rng: &mut Rng,
) -> Payoffs {
    loop {
        let Some((_, mut actions)) = choices(game, state) else {
            let Turn::Over(payoffs) = game.turn(state) else { panic!("chance") };
            return payoffs;
        };
        actions.retain(|&action| action != Action::END);
        let is_attack = |action: &Action| action.target().is_some();
        if actions.iter().any(is_attack) && rng.unit() < probability {
            actions.retain(is_attack);
        } else {
            let mut units: Vec<_> = actions.iter().map(|action| action.unit()).collect();
            units.dedup();
            let unit = units[rng.below(units.len())];
            actions.retain(|action| action.unit() == unit);
        }
        game.apply(state, &[actions[rng.below(actions.len())]]);
    }
}

fn check_playouts<const W: usize, const N: usize>(game: &Tubstap<W, N>, lengths: &[usize], n: u64) {
    for &n_actions in lengths {
        let state = random_position(game, n_actions, &mut Rng::stream(&[2, n_actions as u64]));
        let mut scratch = Scratch::default();
        let fast = sample(game, &state, n, |state, rng| game.playout(state, &mut scratch, rng));
        let slow = sample(game, &state, n / 2, |state, rng| plain_playout(game, state, rng));
        assert_same(&fast, &slow, "uniform");
        for probability in [0.8, 1.0] {
            let policy = AttackFirst { probability, attacks: game.settings().attacks };
            let fast =
                sample(game, &state, n, |state, rng| game.attack_first_playout(state, policy, rng));
            let slow = sample(game, &state, n / 2, |state, rng| {
                plain_attack_first(game, state, probability, rng)
            });
            assert_same(&fast, &slow, "attack first");
        }
    }
}

#[test]
fn small_maps_are_drawn_uniformly() {
    for attacks in [Attacks::Effective, Attacks::Power, Attacks::All] {
        let settings = Settings { attacks, ..Settings::default() };
        check_random_actions(&small(FORD, settings), &[0, 20, 47, 80]);
        check_random_actions(&small(AIR, settings), &[0, 33]);
        check_playouts(&small(FORD, settings), &[0, 40], 4_000);
        check_playouts(&small(AIR, settings), &[0, 50], 3_000);
    }
}

#[test]
fn larger_maps_are_drawn_uniformly() {
    let game = Medium::new(&read_map(COAST).unwrap().0, Settings::default()).unwrap();
    check_random_actions(&game, &[0, 60]);
    check_playouts(&game, &[30], 1_000);
}

#[test]
fn all_size_classes_play_the_same_game() {
    let (map, _) = read_map(AIR).unwrap();
    let small = Small::new(&map, Settings::default()).unwrap();
    let medium = Medium::new(&map, Settings::default()).unwrap();
    let large = sakiyomi_games::tubstap::Large::new(&map, Settings::default()).unwrap();
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let (mut a, mut b, mut c) = (small.start(), medium.start(), large.start());
        while let Some((_, actions)) = choices(&small, &a) {
            assert_eq!(choices(&medium, &b).unwrap().1, actions);
            assert_eq!(choices(&large, &c).unwrap().1, actions);
            let action = actions[rng.below(actions.len())];
            small.apply(&mut a, &[action]);
            medium.apply(&mut b, &[action]);
            large.apply(&mut c, &[action]);
            assert_eq!(small.state_text(&a), medium.state_text(&b));
            assert_eq!(small.state_text(&a), large.state_text(&c));
        }
        assert_eq!(large.turn(&c), small.turn(&a));
        assert_eq!(medium.turn(&b), small.turn(&a));
    }
}

/// Noise changes hit points by one and positions by one step, and nothing else.
#[test]
fn noise_is_dealt_before_the_start() {
    let settings = Settings { noise_hp: true, noise_position: true, ..Settings::default() };
    let game = small(AIR, settings);
    let plain = small(AIR, Settings::default());
    let (mut n_moved, mut n_changed, mut n_units) = (0, 0, 0);
    for seed in 0..200 {
        let (mut state, mut rng) = (game.start(), Rng::new(seed));
        let mut outcomes = Vec::new();
        while game.turn(&state) == Turn::Chance {
            let outcome = game.sample(&state, &mut outcomes, &mut rng);
            let sum: f64 = outcomes.iter().map(|outcome| outcome.1).sum();
            assert!((sum - 1.0).abs() < 1e-12);
            game.apply(&mut state, &[outcome]);
        }
        for unit in 0..game.map().units.len() {
            let (x, y) = game.position(&state, unit).unwrap();
            let (from_x, from_y) = plain.position(&plain.start(), unit).unwrap();
            let steps = x.abs_diff(from_x) + y.abs_diff(from_y);
            let change = state.hit_points(unit).abs_diff(plain.start().hit_points(unit));
            assert!(steps <= 1 && change <= 1);
            assert!((1..=10).contains(&state.hit_points(unit)));
            n_moved += steps;
            n_changed += change;
            n_units += 1;
        }
        assert_eq!(state.turns(), 0);
        assert!(choices(&game, &state).is_some());
    }
    assert!(n_moved > n_units / 3 && n_changed > u32::from(n_units) / 2, "{n_moved} {n_changed}");
    let n = 3_000;
    let mut scratch = Scratch::default();
    let fast = sample(&game, &game.start(), n, |state, rng| game.playout(state, &mut scratch, rng));
    let slow = sample(&game, &game.start(), n, |state, rng| plain_playout(&game, state, rng));
    assert_same(&fast, &slow, "noise");
}

/// The second half of an auto-battle: BLUE moves first with the units that were RED's.
#[test]
fn sides_can_be_swapped() {
    let swapped = small(FORD, Settings { swapped: true, ..Settings::default() });
    let plain = small(FORD, Settings::default());
    assert_eq!(swapped.start().to_move(), Some(Player(1)));
    let (mut rng, mut same) = (Rng::new(3), Rng::new(3));
    let mut scratch = Scratch::default();
    for _ in 0..50 {
        let a = plain.playout(&mut plain.start(), &mut scratch, &mut rng);
        let b = swapped.playout(&mut swapped.start(), &mut scratch, &mut same);
        assert_eq!((a[Player(0)], a[Player(1)]), (b[Player(1)], b[Player(0)]));
    }
}
