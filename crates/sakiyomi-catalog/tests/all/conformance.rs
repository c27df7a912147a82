//! What every game of the catalog must keep to, whatever its rules are.

mod hints;

use std::collections::{BTreeSet, HashSet};

use sakiyomi_catalog::{CatalogGame, GameSpec, Visitor};
use sakiyomi_core::toy::{Blotto, CHANCE_AFTER_CHANCE, Corridor, Toy};
use sakiyomi_core::{
    Effect, Game, MAX_PLAYERS, Payoffs, Playable, Player, Rng, Scratch, Turn, View,
};

/// Every game at its defaults, and sizes that take other code paths.
fn all_games() -> Vec<GameSpec> {
    let defaults = GameSpec::entries().iter().map(|entry| entry.name);
    let examples = GameSpec::entries().iter().map(|entry| entry.example);
    let sizes = [
        "connect-four:4x4",
        "connect-four:9x7",
        "breakthrough:5x5",
        "breakthrough:11x9",
        "sangoku:scenario=random",
    ];
    let mut specs: Vec<GameSpec> = Vec::new();
    for text in defaults.chain(examples).chain(sizes) {
        let spec = text.parse().unwrap_or_else(|error| panic!("{error}"));
        if !specs.contains(&spec) {
            specs.push(spec);
        }
    }
    specs
}

fn check_all(check: impl Fn(&GameSpec) + Copy) {
    for game in all_games() {
        check(&game);
    }
}

/// Plays random matches by the plain rules and looks at every state on the way. Where actions cannot
/// be listed, players choose among all of them or among the listed ones in turn, so that more happens,
/// and fewer matches will do, since these are long.
fn random_states<G: Game>(game: &G, n_matches: u64, look: impl FnMut(&G::State, Turn)) {
    let mut n_picks = 0;
    let mut actions = Vec::new();
    let n_matches = if game.lists_all_actions() { n_matches } else { n_matches.div_ceil(10) };
    play_random(game, n_matches, look, |state, player, rng| {
        n_picks += 1;
        if !game.lists_all_actions() && n_picks % 3 != 0 {
            let action = game.random_action(state, player, &mut actions, rng);
            assert!(game.legal(state, player, action), "a random action is legal");
            return action;
        }
        actions.clear();
        game.actions(state, player, &mut actions);
        actions[rng.below(actions.len())]
    });
}

fn play_random<G: Game>(
    game: &G,
    n_matches: u64,
    mut look: impl FnMut(&G::State, Turn),
    mut pick: impl FnMut(&G::State, Player, &mut Rng) -> G::Action,
) {
    let mut outcomes = Vec::new();
    for seed in 0..n_matches {
        let mut rng = Rng::stream(&[7, seed]);
        let mut state = game.start();
        for step in 0.. {
            assert!(step < 10_000, "a match does not end");
            let turn = game.turn(&state);
            look(&state, turn);
            match turn {
                Turn::Over(_) => break,
                Turn::Chance => {
                    let outcome = game.sample(&state, &mut outcomes, &mut rng);
                    game.apply(&mut state, &[outcome]);
                }
                Turn::Choose(who) => {
                    let joint: Vec<G::Action> =
                        who.map(|player| pick(&state, player, &mut rng)).collect();
                    game.apply(&mut state, &joint);
                }
            }
        }
    }
}

struct Rules;

impl Visitor for Rules {
    type Out = ();

    fn visit<G: CatalogGame>(self, game: G) {
        check_rules(&game);
    }
}

fn check_rules<G: Playable>(game: &G) {
    assert!(size_of::<G::Action>() <= 16, "actions are small");
    assert!((1..=MAX_PLAYERS).contains(&game.players()));
    let mut sums = HashSet::new();
    random_states(game, 30, |state, turn| match turn {
        Turn::Over(payoffs) => check_payoffs(game, &payoffs, &mut sums),
        Turn::Chance => {
            let mut outcomes = Vec::new();
            game.outcomes(state, &mut outcomes);
            let sum: f64 = outcomes.iter().map(|outcome| outcome.1).sum();
            assert!((sum - 1.0).abs() < 1e-9, "probabilities add up to {sum}");
        }
        Turn::Choose(who) => {
            assert!(!who.is_empty(), "someone chooses");
            for player in who {
                assert!(player.index() < game.players());
                check_actions(game, state, player);
            }
        }
    });
    assert!(!game.constant_sum() || sums.len() == 1, "sums of payoffs: {sums:?}");
}

fn check_payoffs<G: Game>(game: &G, payoffs: &Payoffs, sums: &mut HashSet<i64>) {
    let each = payoffs.as_slice(game.players());
    assert!(each.iter().all(|payoff| (0.0..=1.0).contains(payoff)), "{each:?}");
    let empty_seats = &payoffs.as_slice(MAX_PLAYERS)[game.players()..];
    assert!(empty_seats.iter().all(|&payoff| payoff == 0.0));
    sums.insert((each.iter().sum::<f64>() * 1e6).round() as i64);
}

fn check_actions<G: Playable>(game: &G, state: &G::State, player: Player) {
    let mut actions = Vec::new();
    game.actions(state, player, &mut actions);
    assert!(!actions.is_empty(), "a player who chooses has an action");
    let unique: HashSet<G::Action> = actions.iter().copied().collect();
    assert_eq!(unique.len(), actions.len(), "every action is listed once");
    // The list is appended to what is there.
    let mut appended = actions.clone();
    game.actions(state, player, &mut appended);
    assert_eq!(appended, [actions.clone(), actions.clone()].concat());
}

#[test]
fn rules_keep_their_promises() {
    check_all(|game| game.with(Rules).unwrap_or_else(|error| panic!("{error}")));
}

struct Face;

impl Visitor for Face {
    type Out = ();

    fn visit<G: CatalogGame>(self, game: G) {
        let names: HashSet<String> =
            (0..game.players()).map(|i| game.player_name(Player(i as u8)).to_string()).collect();
        assert_eq!(names.len(), game.players(), "players have different names");
        let mut seen: BTreeSet<String> = BTreeSet::new();
        random_states(&game, 5, |state, turn| {
            let view = game.view(state);
            assert!(!view.caption.is_empty(), "a caption says what happens now");
            assert!([0, game.players()].contains(&view.players.len()), "one entry per player");
            if let Some(board) = &view.board {
                let n_cells = board.column_labels.len() * board.row_labels.len();
                assert_eq!(board.cells.len(), n_cells, "a board is full of cells");
                let pieces = board.cells.iter().flat_map(|cell| &cell.pieces);
                for piece in pieces {
                    assert!(piece.owner.is_none_or(|owner| (owner as usize) < game.players()));
                    let gauge = piece.gauge.as_ref();
                    assert!(gauge.is_none_or(|g| (0..=g.max).contains(&g.value)), "{gauge:?}");
                }
                assert!(board.marked.iter().all(|&cell| (cell as usize) < n_cells));
            }
            let Turn::Choose(who) = turn else { return };
            for player in who {
                let mut actions = Vec::new();
                game.actions(state, player, &mut actions);
                if !game.lists_all_actions() {
                    let mut rng = Rng::new(seen.len() as u64);
                    actions.push(game.random_action(state, player, &mut Vec::new(), &mut rng));
                }
                actions
                    .iter()
                    .for_each(|&action| check_face_of(&game, state, player, action, &view));
                check_wrong_texts(&game, state, player);
                // What is legal elsewhere is not legal here, and no parser lets it pass.
                for text in &seen {
                    let found = game.parse(state, player, text);
                    let is_legal = |action| match game.lists_all_actions() {
                        true => actions.contains(&action),
                        false => game.legal(state, player, action),
                    };
                    assert!(found.is_none_or(is_legal), "{text}");
                }
                if seen.len() < 40 {
                    let texts = actions.iter().map(|&a| game.action_text(state, player, a));
                    seen.extend(texts.take(3));
                }
            }
            // Only those who choose have moves.
            for player in (0..game.players()).map(|i| Player(i as u8)) {
                assert!(who.contains(player) || game.parse(state, player, "pass").is_none());
            }
        });
    }
}

/// An action's text can be typed back, and its cells, card and effects are on the view.
fn check_face_of<G: CatalogGame>(
    game: &G,
    state: &G::State,
    player: Player,
    action: G::Action,
    view: &View,
) {
    let text = game.action_text(state, player, action);
    assert!(!text.is_empty() && text.trim() == text && !text.contains(['\t', '\n']));
    assert_eq!(game.parse(state, player, &text), Some(action), "{text}");
    let shouted = format!("  {}\n", text.to_uppercase());
    assert_eq!(game.parse(state, player, &shouted), Some(action), "{text}");
    let cells = game.action_cells(state, player, action);
    let area = game.action_area(state, player, action);
    let n_cells = view.board.as_ref().map_or(0, |board| board.cells.len());
    assert!(cells.iter().chain(&area).all(|&cell| (cell as usize) < n_cells));
    if let Some(card) = game.action_card(state, player, action) {
        let hand = view.players.get(player.index()).and_then(|p| p.hand.as_ref());
        let card = &hand.expect("a card is in a hand")[usize::from(card)];
        assert!(card.is_known && card.is_playable, "{text}: {card:?}");
    }
    check_effects(&game.action_effects(state, player, action), view);
}

/// What is read from a wrong text is written as that text.
fn check_wrong_texts<G: CatalogGame>(game: &G, state: &G::State, player: Player) {
    for wrong in ["no such move", "", "a", "a0", "zz99", "-", "a1-", "0", "999", "+1"] {
        let found = game.parse(state, player, wrong);
        let read_back = found.map(|action| game.action_text(state, player, action));
        assert!(read_back.is_none_or(|text| text.eq_ignore_ascii_case(wrong)), "{wrong}");
    }
}

/// Effects speak of pieces that are there.
fn check_effects(effects: &[Effect], view: &View) {
    for effect in effects {
        match *effect {
            Effect::Damage { cell, amount, left } | Effect::Counter { cell, amount, left } => {
                let board = view.board.as_ref().expect("a cell is on a board");
                let piece = board.cells[usize::from(cell)].top().expect("a piece is hit");
                let before = piece.gauge.as_ref().expect("it has hit points").value;
                assert_eq!(left, (before - amount).max(0));
            }
            Effect::Chance { probability } => assert!((0.0..=1.0).contains(&probability)),
            Effect::Points { player, .. } => assert!(usize::from(player) < view.players.len()),
        }
    }
}

#[test]
fn texts_and_views_can_be_read_and_typed() {
    check_all(|game| game.with(Face).unwrap_or_else(|error| panic!("{error}")));
}

/// An override of `playout` or `random_action` has the distribution of the plain rules: the mean
/// payoff of every player agrees within 5 standard errors, and actions are uniform.
struct Overrides;

impl Visitor for Overrides {
    type Out = ();

    fn visit<G: CatalogGame>(self, game: G) {
        let n = if game.lists_all_actions() { 4_000 } else { 400 };
        let (mut plain, mut fast) = ([0.0; MAX_PLAYERS], [0.0; MAX_PLAYERS]);
        let add = |_: &G::State, turn| {
            if let Turn::Over(payoffs) = turn {
                plain.iter_mut().zip(payoffs.as_slice(MAX_PLAYERS)).for_each(|(s, p)| *s += p);
            }
        };
        let mut actions = Vec::new();
        play_random(&game, n, add, |state, player, rng| {
            if !game.lists_all_actions() {
                return game.random_action(state, player, &mut actions, rng);
            }
            actions.clear();
            game.actions(state, player, &mut actions);
            actions[rng.below(actions.len())]
        });
        let (mut rng, mut scratch) = (Rng::new(99), Scratch::default());
        for _ in 0..n {
            let payoffs = game.playout(&mut game.start(), &mut scratch, &mut rng);
            fast.iter_mut().zip(payoffs.as_slice(MAX_PLAYERS)).for_each(|(s, p)| *s += p);
        }
        for (plain, fast) in plain.iter().zip(fast) {
            // A payoff in 0..1 has a variance of at most 1/4.
            let error = (2.0 * 0.25 * n as f64).sqrt();
            assert!((plain - fast).abs() < 5.0 * error, "{plain} by the rules, {fast} by playouts");
        }
        check_random_actions(&game);
    }
}

fn check_random_actions<G: Game>(game: &G) {
    let (mut rng, mut buffer) = (Rng::new(5), Vec::new());
    let mut n_states = 0;
    random_states(game, 1, |state, turn| {
        let Turn::Choose(who) = turn else { return };
        n_states += 1;
        if n_states % 4 != 1 {
            return;
        }
        for player in who {
            let mut actions = Vec::new();
            game.actions(state, player, &mut actions);
            if !game.lists_all_actions() {
                // They are too many to be counted, so hardly any comes twice.
                let draw = |_| game.random_action(state, player, &mut buffer, &mut rng);
                let drawn: HashSet<G::Action> = (0..100).map(draw).collect();
                assert!(drawn.len() > 90, "{} different actions of 100", drawn.len());
                assert!(drawn.iter().all(|&action| game.legal(state, player, action)));
                continue;
            }
            let per_action = 400.0;
            let mut counts = vec![0.0; actions.len()];
            for _ in 0..actions.len() * per_action as usize {
                let action = game.random_action(state, player, &mut buffer, &mut rng);
                let at = actions.iter().position(|&a| a == action);
                counts[at.expect("a random action is legal")] += 1.0;
            }
            let chi2: f64 =
                counts.iter().map(|c: &f64| (c - per_action).powi(2) / per_action).sum();
            let freedom = (actions.len() - 1) as f64;
            assert!(chi2 <= freedom + 6.0 * (2.0 * freedom).sqrt() + 1e-9, "chi-square {chi2}");
        }
    });
}

#[test]
fn fast_paths_have_the_distribution_of_the_rules() {
    check_all(|game| game.with(Overrides).unwrap_or_else(|error| panic!("{error}")));
}

/// The games of the tests keep to the same rules: those that the catalog does not have, such as matches of any
/// length, would prove nothing otherwise.
#[test]
fn toy_games_keep_to_the_rules() {
    check_rules(&Blotto::new(7, 3));
    check_rules(&Toy::read(CHANCE_AFTER_CHANCE).unwrap());
    check_rules(&Corridor { n_steps: 5_000, has_doors: false });
    check_rules(&Corridor { n_steps: 5_000, has_doors: true });
}
