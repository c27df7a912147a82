//! The rules one by one, and the fast paths against plain ones.

use std::collections::{HashMap, HashSet, VecDeque};

use sakiyomi_core::toy::Plain;
use sakiyomi_core::{
    Game, Hints, Payoffs, Player, PlayoutOptions, PruneLevel, Rng, Scratch, Show, Turn, cell_name,
};

use super::*;

/// A battle in which nothing is dealt: `a2 fire 50 60 70` is a piece with its ability, attack,
/// defence and intellect, the last three of which may be left out.
fn battle(first: &[&str], second: &[&str]) -> Skirmish {
    Skirmish::new(&scenario("", first, second)).unwrap()
}

fn scenario(head: &str, first: &[&str], second: &[&str]) -> Scenario {
    let mut text = head.to_owned();
    for (side, pieces) in [("first", first), ("second", second)] {
        for piece in pieces {
            let words: Vec<&str> = piece.split(' ').collect();
            text += &format!("\n[[{side}]]\ncell = '{}'\nability = '{}'\n", words[0], words[1]);
            for (name, value) in ["attack", "defence", "intellect"].iter().zip(&words[2..]) {
                text += &format!("{name} = {value}\n");
            }
        }
    }
    Scenario::read(&text).unwrap()
}

fn mover<G: Game>(game: &G, state: &G::State) -> Player {
    match game.turn(state) {
        Turn::Choose(who) => who.single().unwrap(),
        turn => panic!("no player chooses: {turn:?}"),
    }
}

fn texts<G: Show>(game: &G, state: &G::State) -> Vec<String> {
    let player = mover(game, state);
    let mut actions = Vec::new();
    game.actions(state, player, &mut actions);
    actions.into_iter().map(|action| game.action_text(state, player, action)).collect()
}

/// Plays texts from the start; `works` and `fails` decide for chance.
fn play<G: Show>(game: &G, moves: &[&str]) -> G::State {
    let mut state = game.start();
    for text in moves {
        let action = if game.turn(&state) == Turn::Chance {
            let mut outcomes = Vec::new();
            game.outcomes(&state, &mut outcomes);
            let is_it = |o: &&(G::Action, f64)| game.outcome_text(&state, o.0) == *text;
            outcomes.iter().find(is_it).unwrap_or_else(|| panic!("no outcome {text}")).0
        } else {
            let legal = texts(game, &state);
            let player = mover(game, &state);
            game.parse(&state, player, text).unwrap_or_else(|| panic!("{text} is not in {legal:?}"))
        };
        game.apply(&mut state, &[action]);
    }
    state
}

/// Hit points by cell, of all that live.
fn hit_points(game: &Skirmish, moves: &[&str]) -> Vec<(String, u16)> {
    let state = play(game, moves);
    let name = |cell: u16| cell_name(usize::from(cell) % 8, usize::from(cell) / 8);
    bits(state.alive)
        .map(|piece| &state.pieces[piece as usize])
        .map(|piece| (name(piece.cell), piece.hit_points))
        .collect()
}

fn check_hit_points(game: &Skirmish, moves: &[&str], expected: &[(&str, u16)]) {
    let found = hit_points(game, moves);
    let found: Vec<(&str, u16)> = found.iter().map(|(cell, hp)| (cell.as_str(), *hp)).collect();
    assert_eq!(found, expected, "after {moves:?}");
}

/// Where the piece in a cell may move.
fn moves_from(game: &Skirmish, state: &Position<1, 6>, from: &str) -> HashSet<String> {
    let prefix = format!("{from}-");
    texts(game, state)
        .iter()
        .filter_map(|text| Some(text.strip_prefix(&prefix)?.to_owned()))
        .collect()
}

#[test]
fn the_start_is_the_papers_with_abilities_dealt() {
    let game = Skirmish::new(&Scenario::named("a").unwrap()).unwrap();
    let mut state = game.start();
    let mut outcomes = Vec::new();
    for piece in ["A", "B", "C", "a", "b", "c"] {
        outcomes.clear();
        game.outcomes(&state, &mut outcomes);
        let texts: Vec<_> = outcomes.iter().map(|o| game.outcome_text(&state, o.0)).collect();
        let words = ["sprint", "fire", "valour", "charge", "confuse"];
        assert_eq!(texts, words.map(|word| format!("{piece} {word}")));
        game.apply(&mut state, &[outcomes[1].0]);
    }
    assert_eq!(mover(&game, &state), Player(0));
    let view = game.view(&state);
    let board = view.board.unwrap();
    let at = |cell: usize| Some((board.cells[cell].top()?, board.cell_label(cell)));
    let mut titles = Vec::new();
    for (piece, cell) in (0..board.cells.len()).filter_map(at) {
        titles.push(format!("{} {cell}", piece.symbol));
        let facts: Vec<String> = piece.facts.iter().map(ToString::to_string).collect();
        assert_eq!(facts, ["attack 50", "defence 50", "intellect 50", "fire"]);
        let gauge = piece.gauge.as_ref().unwrap();
        assert_eq!((gauge.value, gauge.max, gauge.unit.as_str()), (1000, 1000, "hp"));
        assert_eq!(piece.badge.as_ref().unwrap().letter, "F");
        assert!(!piece.has_acted);
    }
    assert_eq!(titles, ["a g5", "C a4", "b g4", "B a3", "c g3", "A a2"]);
    assert_eq!(view.caption, "blue to act");
    assert_eq!(view.note.unwrap(), "round 1 of 10");
    assert_eq!(view.players[1].score.as_ref().unwrap().value, 3000.0);
}

#[test]
fn zones_of_control_stop_a_move_and_do_not_hold_a_piece() {
    let game = battle(&["a1 valour", "g6 valour"], &["c2 valour"]);
    let start = game.start();
    let from_corner = moves_from(&game, &start, "a1");
    assert!(from_corner.contains("b2") && from_corner.contains("c1"), "next to the enemy");
    assert!(!from_corner.contains("d1"), "c1 is next to the enemy and ends the move");
    assert!(from_corner.contains("a5") && !from_corner.contains("a6"), "four cells");
    // It stands next to the enemy now, and leaves as it likes in its next turn.
    let beside = play(&game, &["a1-b2", "end", "end"]);
    let away = moves_from(&game, &beside, "b2");
    assert!(away.contains("b6") && away.contains("a1") && !away.contains("d2"));
}

#[test]
fn own_pieces_are_passed_and_enemies_are_not() {
    let head = "width = 7\nheight = 1";
    let line = Skirmish::new(&scenario(head, &["a1 valour", "b1 valour"], &["g1 valour"])).unwrap();
    let moves = moves_from(&line, &line.start(), "a1");
    assert_eq!(moves, HashSet::from(["c1", "d1", "e1"].map(str::to_owned)));
    let wall = Skirmish::new(&scenario(head, &["a1 valour"], &["c1 valour"])).unwrap();
    assert_eq!(moves_from(&wall, &wall.start(), "a1"), HashSet::from(["b1".to_owned()]));
    let sprint = Skirmish::new(&scenario(head, &["a1 sprint"], &["g1 valour"])).unwrap();
    assert!(moves_from(&sprint, &sprint.start(), "a1").contains("f1"));
}

#[test]
fn attacks_hurt_both() {
    let game = battle(&["b2 sprint", "a6 sprint"], &["c2 sprint", "g6 sprint"]);
    let one = ["b2 attack c2"];
    check_hit_points(&game, &one, &[("b2", 800), ("a6", 1000), ("c2", 400), ("g6", 1000)]);
    let two = ["b2 attack c2", "end", "c2 attack b2"];
    check_hit_points(&game, &two, &[("b2", 200), ("a6", 1000), ("c2", 200), ("g6", 1000)]);
    // A killing blow costs as much as any other: both fall.
    let three = [&two[..], &["end", "b2 attack c2"]].concat();
    check_hit_points(&game, &three, &[("a6", 1000), ("g6", 1000)]);
    let valour = battle(&["b2 valour"], &["c2 sprint"]);
    check_hit_points(&valour, &one, &[("b2", 796), ("c2", 388)]);
}

#[test]
fn wiping_out_wins_and_falling_together_draws() {
    let game = battle(&["b2 sprint"], &["c2 sprint"]);
    let last = play(&game, &["b2 attack c2", "end", "c2 attack b2", "end", "b2 attack c2"]);
    assert_eq!(game.turn(&last), Turn::Over(Payoffs::of([0.5, 0.5])));
    assert_eq!(game.view(&last).caption, "draw: both sides are wiped out");
    assert_eq!(game.estimate(&last), Some(Payoffs::of([0.5, 0.5])));
    let strong = battle(&["b2 sprint 100"], &["c2 sprint"]);
    let won = play(&strong, &["b2 attack c2"]);
    assert_eq!(strong.turn(&won), Turn::Over(Payoffs::of([1.0, 0.0])));
    assert_eq!(strong.view(&won).caption, "blue wins by wiping out the other side");
}

#[test]
fn a_piece_moves_once_and_strikes_once_in_either_order() {
    let game = battle(&["b2 fire", "a6 sprint"], &["c2 sprint"]);
    let struck = play(&game, &["b2 attack c2"]);
    assert!(texts(&game, &struck).iter().all(|text| !text.contains("c2")), "no second strike");
    let left = play(&game, &["b2 attack c2", "b2-a2"]);
    assert!(moves_from(&game, &left, "a2").is_empty());
    let burned = play(&game, &["b2-a2", "a2 fire c2"]);
    assert!(texts(&game, &burned).iter().all(|text| !text.starts_with("a2")));
    check_hit_points(&game, &["b2 fire c2"], &[("b2", 1000), ("a6", 1000), ("c2", 700)]);
}

#[test]
fn fire_reaches_two_cells_and_no_further() {
    let at = |cell: &str| battle(&["b2 fire"], &[&format!("{cell} sprint")]);
    for (cell, is_near) in [("c2", true), ("d2", true), ("c3", true), ("d3", false), ("e2", false)]
    {
        let game = at(cell);
        let has_fire = texts(&game, &game.start()).contains(&format!("b2 fire {cell}"));
        assert_eq!(has_fire, is_near, "{cell}");
    }
    // Rows do not run on into each other.
    let edges = battle(&["g1 fire"], &["a2 sprint", "a1 sprint"]);
    assert!(texts(&edges, &edges.start()).iter().all(|text| !text.contains("fire")));
}

#[test]
fn charge_pushes_what_survives_into_a_free_cell() {
    let charge = ["b2 charge c2"];
    let open = battle(&["b2 charge"], &["c2 sprint"]);
    check_hit_points(&open, &charge, &[("b2", 800), ("d2", 400)]);
    let blocked = battle(&["b2 charge"], &["c2 sprint", "d2 sprint"]);
    check_hit_points(&blocked, &charge, &[("b2", 800), ("c2", 400), ("d2", 1000)]);
    let edge = battle(&["f2 charge"], &["g2 sprint"]);
    check_hit_points(&edge, &["f2 charge g2"], &[("f2", 800), ("g2", 400)]);
    let corner = battle(&["a2 charge"], &["a1 sprint"]);
    check_hit_points(&corner, &["a2 charge a1"], &[("a2", 800), ("a1", 400)]);
    let kill = battle(&["b2 charge 100"], &["c2 sprint", "g6 sprint"]);
    check_hit_points(&kill, &charge, &[("b2", 631), ("g6", 1000)]);
    let gentle = scenario("charge-hurts = false", &["b2 charge"], &["c2 sprint"]);
    check_hit_points(&Skirmish::new(&gentle).unwrap(), &charge, &[("b2", 1000), ("d2", 1000)]);
}

#[test]
fn confusion_takes_the_next_turn_by_chance() {
    let game = battle(&["b2 confuse", "a6 sprint"], &["d2 sprint", "g6 sprint"]);
    let attempt = play(&game, &["b2 confuse d2"]);
    assert_eq!(game.turn(&attempt), Turn::Chance);
    let mut outcomes = Vec::new();
    game.outcomes(&attempt, &mut outcomes);
    assert!((outcomes[0].1 - 0.58).abs() < 1e-12 && (outcomes[1].1 - 0.42).abs() < 1e-12);
    let failed = play(&game, &["b2 confuse d2", "fails", "end"]);
    assert!(!moves_from(&game, &failed, "d2").is_empty());
    let worked = play(&game, &["b2 confuse d2", "works", "end"]);
    assert!(texts(&game, &worked).iter().all(|text| !text.starts_with("d2")));
    let board = game.view(&worked).board.unwrap();
    let cell = (0..board.cells.len()).find(|&cell| board.cell_label(cell) == "d2").unwrap();
    let confused = board.cells[cell].top().unwrap();
    assert_eq!(*confused.facts.last().unwrap(), "confused");
    assert!(confused.has_acted);
    // Its zone of control still stops others, and the turn after the next it is free.
    let later = play(&game, &["b2 confuse d2", "works", "end", "end", "end"]);
    assert!(!moves_from(&game, &later, "d2").is_empty());
    let alone = battle(&["b2 confuse"], &["d2 sprint"]);
    let skipped = play(&alone, &["b2 confuse d2", "works", "b2-b3"]);
    assert_eq!(mover(&alone, &skipped), Player(0), "the turn passes by itself");
    assert_eq!(skipped.round, 1);
}

#[test]
fn the_turn_passes_when_nothing_is_left_to_do() {
    let game = battle(&["a1 sprint", "a2 sprint"], &["g6 sprint"]);
    let state = play(&game, &["a1-b1"]);
    assert_eq!(mover(&game, &state), Player(0));
    let state = play(&game, &["a1-b1", "a2-b2"]);
    assert_eq!(mover(&game, &state), Player(1));
}

#[test]
fn after_the_last_round_hit_points_decide() {
    let short = scenario("rounds = 1", &["b2 sprint"], &["c2 sprint"]);
    let game = Skirmish::new(&short).unwrap();
    let even = play(&game, &["end", "end"]);
    assert_eq!(game.turn(&even), Turn::Over(Payoffs::of([0.5, 0.5])));
    assert_eq!(game.view(&even).caption, "draw with 1000 hit points each");
    let ahead = play(&game, &["b2 attack c2", "end", "end"]);
    assert_eq!(game.turn(&ahead), Turn::Over(Payoffs::of([1.0, 0.0])));
    assert_eq!(game.view(&ahead).caption, "blue wins by 800 to 400 hit points");
    let worthless = scenario("rounds = 1\ndraw = 0.0", &["b2 sprint"], &["c2 sprint"]);
    let game = Skirmish::new(&worthless).unwrap();
    assert!(!game.constant_sum());
    assert_eq!(game.turn(&play(&game, &["end", "end"])), Turn::Over(Payoffs::of([0.0, 0.0])));
}

/// Looks at the states of random matches.
fn random_states<G: Game>(game: &G, n_matches: u64, mut look: impl FnMut(&G::State)) {
    let mut rng = Rng::new(17);
    let mut actions = Vec::new();
    for _ in 0..n_matches {
        let mut state = game.start();
        loop {
            let action = match game.turn(&state) {
                Turn::Over(_) => break,
                Turn::Chance => game.sample(&state, &mut Vec::new(), &mut rng),
                Turn::Choose(who) => {
                    look(&state);
                    actions.clear();
                    game.actions(&state, who.single().unwrap(), &mut actions);
                    actions[rng.below(actions.len())]
                }
            };
            game.apply(&mut state, &[action]);
        }
    }
}

/// Where a piece may go, one cell after the other.
fn plain_reach<const W: usize, const N: usize>(
    game: &Sangoku<W, N>,
    state: &Position<W, N>,
    piece: usize,
) -> HashSet<u16> {
    let Rules { stride, board, scenario, sides, .. } = &*game.rules;
    let side = usize::from(sides[0] >> piece & 1 == 0);
    let next = |cell: u16| {
        let steps = [1, -1, *stride as i32, -(*stride as i32)];
        let cells = steps.map(|step| i32::from(cell) + step);
        cells
            .into_iter()
            .filter_map(|c| u16::try_from(c).ok())
            .filter(|&c| usize::from(c) < Cells::<W>::BITS && board.has(c))
    };
    let is_enemy = |cell: u16| state.occupied[1 - side].has(cell);
    let start = state.pieces[piece].cell;
    let steps = scenario.movement + u8::from(state.pieces[piece].ability == Ability::Sprint);
    let mut distance = HashMap::from([(start, 0)]);
    let mut queue = VecDeque::from([start]);
    while let Some(cell) = queue.pop_front() {
        let stops = cell != start && next(cell).any(is_enemy);
        if distance[&cell] == steps || stops {
            continue;
        }
        for other in next(cell).filter(|&c| !is_enemy(c)) {
            if !distance.contains_key(&other) {
                distance.insert(other, distance[&cell] + 1);
                queue.push_back(other);
            }
        }
    }
    let is_free = |cell: &u16| !state.occupied.iter().any(|side| side.has(*cell));
    distance.into_keys().filter(is_free).collect()
}

fn check_reach<const W: usize, const N: usize>(name: &str, n_matches: u64) {
    let game = Sangoku::<W, N>::new(&Scenario::named(name).unwrap()).unwrap();
    let mut n_looks = 0;
    random_states(&game, n_matches, |state| {
        n_looks += 1;
        if n_looks % 7 != 0 {
            return;
        }
        let player = mover(&game, state);
        let enemies = game.enemies(state, player);
        for piece in bits(game.ready(state, player)[0]) {
            let here = &state.pieces[piece as usize];
            let landing = game.landing(state, game.reach(here, enemies, game.zone(enemies)));
            let plain = plain_reach(&game, state, piece as usize);
            assert_eq!(landing.iter().collect::<HashSet<_>>(), plain);
        }
    });
}

#[test]
fn reach_by_bits_is_reach_by_steps() {
    check_reach::<1, 6>("random", 100);
    check_reach::<7, 16>("field", 10);
    check_reach::<26, 64>("plain", 1);
}

/// The same battle in the forms for large boards has the same actions and results.
#[test]
fn large_forms_play_the_same_game() {
    let scenario = Scenario::named("random").unwrap();
    let small = Skirmish::new(&scenario).unwrap();
    let medium = Battle::new(&scenario).unwrap();
    let large = War::new(&scenario).unwrap();
    assert!(Skirmish::new(&Scenario::named("field").unwrap()).is_none());
    let mut rng = Rng::new(5);
    for _ in 0..20 {
        let (mut a, mut b, mut c) = (small.start(), medium.start(), large.start());
        while !matches!(small.turn(&a), Turn::Over(_)) {
            assert_eq!((small.turn(&a), small.turn(&a)), (medium.turn(&b), large.turn(&c)));
            let action = if small.turn(&a) == Turn::Chance {
                small.sample(&a, &mut Vec::new(), &mut rng)
            } else {
                let mut lists = [Vec::new(), Vec::new(), Vec::new()];
                let player = mover(&small, &a);
                small.actions(&a, player, &mut lists[0]);
                medium.actions(&b, player, &mut lists[1]);
                large.actions(&c, player, &mut lists[2]);
                assert!(lists[0] == lists[1] && lists[0] == lists[2]);
                lists[0][rng.below(lists[0].len())]
            };
            small.apply(&mut a, &[action]);
            medium.apply(&mut b, &[action]);
            large.apply(&mut c, &[action]);
        }
        assert_eq!((small.turn(&a), small.turn(&a)), (medium.turn(&b), large.turn(&c)));
    }
}

#[test]
fn pruning_keeps_what_the_paper_keeps() {
    let game = battle(&["a1 valour"], &["d2 valour"]);
    let start = game.start();
    let mut actions = Vec::new();
    game.actions(&start, Player(0), &mut actions);
    game.prune(&start, Player(0), PruneLevel::Actions, &mut actions);
    let kept: HashSet<String> =
        actions.iter().map(|&action| game.action_text(&start, Player(0), action)).collect();
    // Next to the enemy: c2, d1, d3 is too far. Four cells away: a5, b4, c3.
    let expected = ["a1-c2", "a1-d1", "a1-a5", "a1-b4", "a1-c3", "end"].map(str::to_owned);
    assert_eq!(kept, HashSet::from(expected));
}

#[test]
fn a_prepared_strike_is_not_left_out() {
    let game = battle(&["a1 valour", "a6 valour"], &["d1 valour"]);
    let kept = |moves: &[&str]| {
        let state = play(&game, moves);
        let mut actions = Vec::new();
        game.actions(&state, Player(0), &mut actions);
        game.prune(&state, Player(0), PruneLevel::Pairs, &mut actions);
        actions.contains(&Order::END)
    };
    assert!(kept(&[]) && kept(&["a1-a2"]));
    assert!(!kept(&["a1-c1"]), "c1 is next to the enemy");
    assert!(kept(&["a1-c1", "c1 attack d1"]));
}

#[test]
fn moves_are_grouped_by_what_they_are_for() {
    let game = battle(&["b2 fire"], &["d2 valour", "g6 valour"]);
    let start = game.start();
    let group = |text: &str| {
        let action = game.parse(&start, Player(0), text).unwrap();
        game.group(&start, Player(0), action)
    };
    assert_eq!(group("b2-c2"), group("b2-d1"), "both approach d2");
    assert_ne!(group("b2-c2"), group("b2-a1"));
    assert_eq!(group("b2-a1"), group("b2-a2"), "both withdraw");
    let all = ["b2-c2", "b2-a1", "b2 fire d2", "end"].map(group);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 4, "{all:?}");
    let rank = |text: &str| {
        let action = game.parse(&start, Player(0), text).unwrap();
        game.rank(&start, Player(0), action)
    };
    assert!(rank("b2 fire d2") > rank("b2-c2") && rank("b2-c2") > rank("b2-a1"));
}

#[test]
fn a_battlefield_is_cut_out_around_the_fight() {
    let game = Battle::new(&Scenario::named("field").unwrap()).unwrap();
    let boxed = |margin| Restriction::Box { margin };
    assert!(game.restrict(&game.start(), Player(0), boxed(2)).is_none(), "no enemy is near");
    let head = "width = 20\nheight = 20";
    let near = scenario(head, &["a1 valour", "t20 valour"], &["c1 valour", "a20 valour"]);
    let game = Battle::new(&near).unwrap();
    let start = game.start();
    let moves = |game: &Battle| {
        let all = texts(game, &start);
        let of = |from: &str| all.iter().filter(|text| text.starts_with(from)).count();
        (of("a1-"), of("t20-"))
    };
    let (whole, boxed) = (moves(&game), game.restrict(&start, Player(0), boxed(1)));
    let boxed = boxed.unwrap();
    assert_eq!(moves(&boxed).0, 4, "a2, b1, b2 and c2");
    assert_eq!(moves(&boxed).1, whole.1, "who cannot get there goes where it likes");
    let reach = game.restrict(&start, Player(0), Restriction::Reach).unwrap();
    assert!(moves(&reach).0 <= whole.0 && moves(&reach).0 > 0);
    // What is legal on the battlefield is legal on the board.
    let all: HashSet<String> = texts(&game, &start).into_iter().collect();
    assert!([boxed, reach].iter().all(|cut| texts(cut, &start).iter().all(|t| all.contains(t))));
}

/// The mean and the variance of the first player's payoff, and the mean round of the end.
fn moments<G: Hints>(game: &G, options: &PlayoutOptions, seed: u64) -> [f64; 3] {
    let n = 6_000;
    let (mut rng, mut scratch) = (Rng::new(seed), Scratch::default());
    let [mut sum, mut squares, mut rounds] = [0.0; 3];
    for _ in 0..n {
        let mut state = game.start();
        let payoff = game.guided_playout(&mut state, options, &mut scratch, &mut rng)[Player(0)];
        sum += payoff;
        squares += payoff * payoff;
        rounds += f64::from(game.round(&state));
    }
    let mean = sum / f64::from(n);
    [mean, squares / f64::from(n) - mean * mean, rounds / f64::from(n)]
}

#[test]
fn guided_playouts_have_the_distribution_of_the_plain_ones() {
    let fast = Skirmish::new(&Scenario::named("random").unwrap()).unwrap();
    let plain = Plain(&fast);
    let off = PlayoutOptions::default();
    for options in [
        PlayoutOptions { prune: true, ..off },
        PlayoutOptions { prune_pairs: true, urgent_probability: 0.5, ..off },
        PlayoutOptions { prune: true, round_limit: Some(5), ..off },
        PlayoutOptions { urgent_probability: 0.8, round_limit: Some(4), balance: true, ..off },
        PlayoutOptions { prune: true, urgent_probability: 0.8, horizon: Some(2), ..off },
    ] {
        let [mean, variance, rounds] = moments(&fast, &options, 1);
        let [plain_mean, _, plain_rounds] = moments(&plain, &options, 2);
        let error = (2.0 * variance / 6_000.0).sqrt();
        assert!((mean - plain_mean).abs() < 5.0 * error, "{options:?}: {mean} {plain_mean}");
        assert!((rounds - plain_rounds).abs() < 0.2, "{options:?}: {rounds} {plain_rounds}");
    }
}

#[test]
fn a_cut_playout_is_worth_what_was_killed() {
    let game = battle(&["b2 sprint 100", "a1 sprint"], &["c2 sprint", "g6 sprint"]);
    let state = play(&game, &["b2 attack c2"]);
    let shares = |balance: bool| {
        let options = PlayoutOptions { round_limit: Some(1), balance, ..PlayoutOptions::default() };
        options.cut_payoffs(&game, &state)
    };
    assert_eq!(shares(false), Payoffs::of([0.5, 0.0]));
    assert_eq!(shares(true), Payoffs::of([0.75, 0.25]));
    let limit = PlayoutOptions { round_limit: Some(10), ..PlayoutOptions::default() };
    assert_eq!([0, 5, 7, 9].map(|round| limit.last_round(round)), [10, 10, 12, 14]);
    assert_eq!(PlayoutOptions::default().last_round(9), u32::MAX);
}
