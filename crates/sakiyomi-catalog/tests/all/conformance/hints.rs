//! What a game says it knows holds: hints, encodings, keys, and playouts that follow hints.

use std::collections::{HashMap, HashSet};

use sakiyomi_catalog::Visitor;
use sakiyomi_core::toy::Plain;
use sakiyomi_core::{
    Canonical, Context, Hint, Hints, Payoffs, Playable, Player, PlayoutOptions, PruneLevel, Rng,
    Scratch, Stop, Turn,
};
use sakiyomi_players::PlayerSettings;

use super::{CatalogGame, check_all, random_states};

fn is_share(payoffs: &Payoffs, n_players: usize) -> bool {
    payoffs.as_slice(n_players).iter().all(|payoff| (0.0..=1.0).contains(payoff))
}

/// What was seen of each hint over some matches.
#[derive(Default)]
struct Seen(HashSet<Hint>);

impl Seen {
    /// Notes that a hint did something.
    fn note(&mut self, hint: Hint, does_something: bool) {
        if does_something {
            self.0.insert(hint);
        }
    }
}

struct Knowledge;

impl Visitor for Knowledge {
    /// The most agents that a player commands.
    type Out = usize;

    fn visit<G: CatalogGame>(self, game: G) -> usize {
        let (mut seen, mut n_agents) = (Seen::default(), 0);
        let (mut rows, mut facts) = (HashSet::new(), HashSet::new());
        random_states(&game, 20, |state, turn| {
            if let Turn::Choose(who) = turn {
                who.for_each(|player| {
                    check_hints_of_actions(&game, state, player, &mut seen);
                    n_agents = n_agents.max(check_orders(&game, state, player));
                });
            }
            check_hints_of_state(&game, state, turn, &mut seen);
            let mut cells = Vec::new();
            game.cells(state, &mut cells);
            rows.insert(cells);
            let is_as_long = game.facts(state).len() == game.facts(&game.start()).len();
            assert!(is_as_long, "all states have the same number of facts");
            facts.insert(game.facts(state).to_vec());
        });
        seen.note(Hint::Cells, rows.len() > 1);
        seen.note(Hint::Facts, facts.len() > 1);
        seen.note(Hint::Batches, game.playouts_at_once() > 1);
        for hint in Hint::ALL {
            let (says, does) = (game.provides().contains(hint), seen.0.contains(&hint));
            // Nothing happens unannounced, and random matches show every hint at work.
            assert!(says || !does, "{hint:?} does something that `provides` does not name");
            assert!(does || !says, "{hint:?} is provided and did nothing in 20 matches");
        }
        check_rounds_and_turns(&game);
        n_agents
    }
}

fn check_hints_of_actions<G: Playable>(
    game: &G,
    state: &G::State,
    player: Player,
    seen: &mut Seen,
) {
    let mut actions = Vec::new();
    game.actions(state, player, &mut actions);
    let keeps = |change: &dyn Fn(&mut Vec<G::Action>)| {
        let mut kept = actions.clone();
        change(&mut kept);
        assert!(!kept.is_empty(), "at least one action stays");
        assert!(kept.iter().all(|action| actions.contains(action)), "nothing is added");
        kept.len() < actions.len()
    };
    let prune = |level: PruneLevel| keeps(&|kept| game.prune(state, player, level, kept));
    seen.note(Hint::Prune, prune(PruneLevel::Actions));
    seen.note(Hint::PrunePairs, prune(PruneLevel::Pairs));
    seen.note(Hint::Urgent, keeps(&|kept| game.urgent(state, player, kept)));
    let ranks: Vec<f32> = actions.iter().map(|&a| game.rank(state, player, a)).collect();
    assert!(ranks.iter().all(|rank| rank.is_finite()), "{ranks:?}");
    seen.note(Hint::Ranks, ranks.iter().any(|&rank| rank != ranks[0]));
    let groups: HashSet<u32> = actions.iter().map(|&a| game.group(state, player, a)).collect();
    seen.note(Hint::Groups, groups.len() > 1 && groups.len() < actions.len());
    check_encoding(game, state, player, &actions);
}

/// The first and the last order of every agent combine to legal actions. Returns how many agents
/// there are.
fn check_orders<G: Playable>(game: &G, state: &G::State, player: Player) -> usize {
    let n_agents = game.agents(state, player);
    assert!(n_agents > 0);
    let orders = (0..n_agents).map(|agent| {
        let mut orders = Vec::new();
        game.orders(state, player, agent, &mut orders);
        orders
    });
    let orders: Vec<Vec<G::Action>> = orders.collect();
    for pick in [0, usize::MAX] {
        let chosen: Vec<G::Action> =
            orders.iter().map(|of_agent| of_agent[pick.min(of_agent.len() - 1)]).collect();
        assert!(game.legal(state, player, game.combine(state, player, &chosen)));
    }
    n_agents
}

fn check_encoding<G: Playable>(game: &G, state: &G::State, player: Player, actions: &[G::Action]) {
    let mut numbers = vec![f32::NAN; game.observation_shape().map_or(0, |shape| shape.len())];
    game.observe(state, player, &mut numbers);
    assert!(numbers.iter().all(|number| number.is_finite()), "all of it is written");
    let n = game.n_action_indices();
    let indices: HashSet<usize> =
        actions.iter().filter_map(|&action| game.action_index(state, player, action)).collect();
    assert!(indices.iter().all(|&index| index < n), "{indices:?}");
    assert!(indices.is_empty() || indices.len() == actions.len(), "an index for each action");
    assert_eq!(n == 0, indices.is_empty());
    let mut mask = vec![true; n];
    game.legal_mask(state, player, &mut mask);
    let is_right = |(index, &is_legal): (usize, &bool)| is_legal == indices.contains(&index);
    assert!(mask.iter().enumerate().all(is_right), "{indices:?} are legal");
    // The default lists all actions for each of them.
    let n_asked = if game.has_direct_indices() { n } else { n.min(5) };
    for index in (0..n_asked).chain([n, n + 1, 300, usize::MAX]) {
        let action = game.action_at(state, player, index);
        assert_eq!(action.is_some(), indices.contains(&index), "index {index}");
        let is_same = |action| game.action_index(state, player, action) == Some(index);
        assert!(action.is_none_or(|action| actions.contains(&action) && is_same(action)));
    }
    let chooses = |player| matches!(game.turn(state), Turn::Choose(who) if who.contains(player));
    for other in (0..game.players()).map(|i| Player(i as u8)).filter(|&other| !chooses(other)) {
        game.legal_mask(state, other, &mut mask);
        assert!(!mask.contains(&true), "{other:?} does not choose");
        assert!(game.action_at(state, other, 0).is_none());
    }
}

fn check_hints_of_state<G: Playable>(game: &G, state: &G::State, turn: Turn, seen: &mut Seen) {
    let n_players = game.players();
    let is_over = matches!(turn, Turn::Over(_));
    let estimate = game.estimate(state).filter(|_| !is_over);
    assert!(estimate.is_none_or(|payoffs| is_share(&payoffs, n_players)), "{estimate:?}");
    let says = game.provides().contains(Hint::Estimate);
    assert!(is_over || says == estimate.is_some(), "an estimate of every state, or of none");
    seen.note(Hint::Estimate, estimate.is_some());
    let progress = game.progress(state);
    assert!(is_share(&progress, n_players), "{progress:?}");
    seen.note(Hint::Progress, progress != Payoffs::uniform(n_players, 0.5));
    seen.note(Hint::Rounds, game.round(state) > 0);
    seen.note(Hint::TurnsLeft, game.turns_left(state).is_some());
    match game.canonical(state) {
        Canonical::State { state: simplest, exchanged, .. } => {
            let again = game.canonical(&simplest);
            let same = Canonical::same(simplest.clone());
            assert_eq!(again, same, "the canonical state is its own");
            seen.note(Hint::Canonical, exchanged || simplest != *state);
        }
        Canonical::Settled(payoffs) => {
            let end = game.playout(&mut state.clone(), &mut Scratch::default(), &mut Rng::new(1));
            assert_eq!(end, payoffs, "whatever is played");
            seen.note(Hint::Canonical, true);
        }
    }
    let mut cells = vec![u8::MAX];
    game.cells(state, &mut cells);
    let shape = game.cell_shape();
    assert_eq!(shape.is_some(), game.provides().contains(Hint::Cells));
    assert_eq!(cells.len(), 1 + shape.map_or(0, |shape| shape.n_cells()), "cells are appended");
    let n_codes = shape.map_or(0, |shape| shape.n_codes);
    assert!(cells[1..].iter().all(|&code| usize::from(code) < n_codes), "{cells:?}");
}

/// Rounds never go back, and a match never lasts longer than was said.
fn check_rounds_and_turns<G: Playable>(game: &G) {
    let mut so_far: Vec<(u32, Option<u32>)> = Vec::new();
    random_states(game, 20, |state, turn| match turn {
        Turn::Choose(_) => {
            let round = game.round(state);
            assert!(
                so_far.last().is_none_or(|&(before, _)| before <= round),
                "a round comes again"
            );
            so_far.push((round, game.turns_left(state)));
        }
        Turn::Over(_) => {
            for (i, (_, bound)) in so_far.drain(..).rev().enumerate() {
                let n_left = i as u32 + 1;
                assert!(bound.is_none_or(|bound| n_left <= bound), "{n_left} turns of {bound:?}");
            }
        }
        Turn::Chance => {}
    });
}

#[test]
fn hints_are_what_they_say() {
    check_all(|game| {
        let n_agents = game.with(Knowledge).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(n_agents, if game.name() == "mizugame" { 3 } else { 1 }, "{game}");
    });
}

/// `legal` says what the list says, also of actions that are legal in other states and of players
/// who do not choose.
struct Legality;

impl Visitor for Legality {
    type Out = ();

    fn visit<G: CatalogGame>(self, game: G) {
        let mut known: Vec<G::Action> = Vec::new();
        random_states(&game, 4, |state, turn| {
            for player in (0..game.players()).map(|i| Player(i as u8)) {
                let chooses = matches!(turn, Turn::Choose(who) if who.contains(player));
                let mut listed = Vec::new();
                if chooses {
                    game.actions(state, player, &mut listed);
                }
                assert!(listed.iter().all(|&action| game.legal(state, player, action)));
                for &action in &known {
                    let says = game.legal(state, player, action);
                    assert!(says == listed.contains(&action) || !game.lists_all_actions());
                }
                listed.retain(|action| !known.contains(action));
                known.extend(listed.into_iter().take(200usize.saturating_sub(known.len())));
            }
        });
        assert!(known.len() > 1);
    }
}

#[test]
fn legal_agrees_with_the_list() {
    check_all(|game| game.with(Legality).unwrap_or_else(|error| panic!("{error}")));
}

/// States that are kept at a time, in bytes.
const MAX_BYTES: usize = 32 << 20;

/// Equal states have equal keys and cells, however they came about, and unequal states have unequal
/// keys.
struct Keys;

impl Visitor for Keys {
    type Out = ();

    fn visit<G: CatalogGame>(self, game: G) {
        let mut states: HashMap<G::State, (u64, Vec<u8>)> = HashMap::new();
        let mut keys: HashMap<u64, G::State> = HashMap::new();
        random_states(&game, 300, |state, _| {
            if states.len() >= MAX_BYTES / size_of::<G::State>().max(MAX_BYTES / 20_000) {
                return;
            }
            let key = game.key(state);
            let mut cells = Vec::new();
            game.cells(state, &mut cells);
            if let Some(known) = states.get(state) {
                assert_eq!(*known, (key, cells), "equal states differ: {state:?}");
                return;
            }
            if let Some(other) = keys.insert(key, state.clone()) {
                panic!("one key of two states: {other:?} and {state:?}");
            }
            states.insert(state.clone(), (key, cells));
        });
        assert!(states.len() > 100, "{} states", states.len());
    }
}

#[test]
fn keys_tell_states_apart() {
    check_all(|game| game.with(Keys).unwrap_or_else(|error| panic!("{error}")));
}

/// Every player that only this game has chooses legal actions, from the start of a match to its
/// end.
struct OwnPlayers;

impl Visitor for OwnPlayers {
    type Out = usize;

    fn visit<G: CatalogGame>(self, game: G) -> usize {
        let stop = Stop::new();
        for player in G::PLAYERS {
            let name = player.declaration.name;
            let mut agent = (player.make)(&PlayerSettings::new(player.declaration));
            let mut rng = Rng::new(7);
            let mut n_states = 0;
            random_states(&game, 2, |state, turn| {
                let Turn::Choose(who) = turn else { return };
                n_states += 1;
                // Some think for a while, so they are asked at the start and then now and then.
                let is_start = game.lists_all_actions() && n_states <= 8;
                if !is_start && n_states % 16 != 1 {
                    return;
                }
                for player in who {
                    let mut context = Context { rng: &mut rng, stop: &stop };
                    let seen = game.seen_by(state, player);
                    let choice = agent.choose(&game, &seen, player, &mut context).unwrap();
                    assert!(game.legal(state, player, choice.action), "{name}");
                }
            });
        }
        G::PLAYERS.len()
    }
}

#[test]
fn own_players_play_by_the_rules() {
    let n_players = std::cell::Cell::new(0);
    check_all(|game| {
        let n = game.with(OwnPlayers).unwrap_or_else(|error| panic!("{error}"));
        n_players.set(n_players.get() + n);
    });
    assert!(n_players.get() > 10, "tubstap and mizugame have most of them");
}

/// What a player may know of a state is a state in which they have the same actions, and by itself
/// it says no more. What is hidden does not change what agents choose, since they are handed no
/// more.
struct Hidden;

impl Visitor for Hidden {
    type Out = u64;

    fn visit<G: CatalogGame>(self, game: G) -> u64 {
        let mut n_hidden = 0;
        random_states(&game, 4, |state, turn| {
            let Turn::Choose(who) = turn else { return };
            for player in who {
                let seen = game.seen_by(state, player);
                n_hidden += u64::from(*seen != *state);
                assert_eq!(*game.seen_by(&seen, player), *seen, "seen twice is seen once");
                assert_eq!(game.turn(&seen), turn);
                let list = |state: &G::State| {
                    let mut actions = Vec::new();
                    game.actions(state, player, &mut actions);
                    actions
                };
                assert!(n_hidden % 50 != 1 || list(&seen) == list(state));
            }
        });
        n_hidden
    }
}

#[test]
fn what_players_see_is_a_state_of_the_game() {
    check_all(|spec| {
        let n_hidden = spec.with(Hidden).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(n_hidden > 0, spec.name() == "mizugame", "{spec}: {n_hidden}");
    });
}

/// Guided playouts have the distribution of the plain loop: the mean payoff of the first player
/// agrees within 5 standard errors.
struct Guided;

impl Visitor for Guided {
    type Out = ();

    fn visit<G: CatalogGame>(self, game: G) {
        let has = |hint| game.provides().contains(hint);
        let off = PlayoutOptions::default();
        let urgent_probability = if has(Hint::Urgent) { 0.5 } else { 0.0 };
        let round_limit = has(Hint::Rounds).then_some(3);
        let horizon = (has(Hint::Rounds) && has(Hint::Estimate)).then_some(2);
        let (prune, prune_pairs) = (has(Hint::Prune), has(Hint::PrunePairs));
        for options in [
            off,
            PlayoutOptions { prune, ..off },
            PlayoutOptions { prune_pairs, urgent_probability, ..off },
            PlayoutOptions { prune, round_limit, balance: true, ..off },
            PlayoutOptions { urgent_probability, horizon, ..off },
        ] {
            // What the game has nothing for was compared already.
            if options.is_plain() && options != off {
                continue;
            }
            let n = if game.lists_all_actions() { 800 } else { 100 };
            let (fast, plain) = (mean(&game, &options, n, 1), mean(&Plain(&game), &options, n, 2));
            let error = (2.0 * 0.25 / f64::from(n)).sqrt();
            assert!((fast - plain).abs() < 5.0 * error, "{options:?}: {fast} and {plain}");
        }
    }
}

fn mean<G: Hints>(game: &G, options: &PlayoutOptions, n: u32, seed: u64) -> f64 {
    let (mut rng, mut scratch) = (Rng::new(seed), Scratch::default());
    let each = (0..n).map(|_| {
        let payoffs = game.guided_playout(&mut game.start(), options, &mut scratch, &mut rng);
        payoffs[Player(0)]
    });
    each.sum::<f64>() / f64::from(n)
}

#[test]
fn guided_playouts_have_the_distribution_of_the_plain_loop() {
    check_all(|game| game.with(Guided).unwrap_or_else(|error| panic!("{error}")));
}
