//! The search against brute force on tiny games of every kind.

mod experience;
mod leaf_batch;
mod simultaneous;

use super::*;
use crate::mcts::answer::Answer;
use crate::mcts::playout::learned::LearningRule;
use crate::mcts::playout::policy::PlayoutPolicy;
use crate::mcts::select::Selection;
use crate::mcts::select::grave::Grave;
use crate::mcts::select::mixed::Mixed;
use crate::mcts::select::solver::Proofs;
use crate::mcts::select::ucb::{Bound, Estimate, Ucb, Ucb1};
use crate::mcts::settings::TreeSettings;
use sakiyomi_core::toy::{Toy, Word};
use sakiyomi_core::{Payoffs, Players, Stop};

fn settings(iterations: u64) -> MctsSettings {
    MctsSettings::new(Budget::iterations(iterations))
}

/// The same search with other options of UCB.
fn ucb(mut settings: MctsSettings, change: impl FnOnce(&mut Ucb)) -> MctsSettings {
    change(settings.selection.ucb_mut().unwrap());
    settings
}

/// The same search whose trees grow in another way.
fn grown(mut settings: MctsSettings, change: impl FnOnce(&mut TreeSettings)) -> MctsSettings {
    change(&mut settings.tree);
    settings
}

fn proving(iterations: u64) -> MctsSettings {
    ucb(settings(iterations), |ucb| ucb.proofs = Proofs::Solver)
}

fn estimate(estimate: Estimate) -> Bound {
    Bound::Ucb1(Ucb1 { estimate, ..Ucb1::default() })
}

fn decide(toy: &Toy, player: u8, settings: MctsSettings, seed: u64) -> Choice<Word> {
    let mut context = Context { rng: &mut Rng::new(seed), stop: &Stop::new() };
    Mcts::new(settings).choose(toy, &toy.start(), Player(player), &mut context).unwrap()
}

fn share(choice: &Choice<Word>, action: Word) -> f64 {
    choice.policy.iter().find(|(a, _)| *a == action).map_or(0.0, |(_, share)| *share)
}

/// A full tree of binary choices; who chooses at each depth repeats `who`. Payoffs of two players
/// are tenths that add up to 1.
fn random_tree(depth: u32, who: &[&str], n_players: usize, rng: &mut Rng) -> Toy {
    random_tree_with(depth, who, n_players, 10, rng)
}

fn random_tree_with(
    depth: u32,
    who: &[&str],
    n_players: usize,
    steps: usize,
    rng: &mut Rng,
) -> Toy {
    let inner = (1usize << depth) - 1;
    let mut text = String::new();
    for i in 0..inner {
        let mut target = |child: usize| {
            if child < inner {
                return format!("p{child}");
            }
            let first = rng.below(steps + 1) as f64 / steps as f64;
            match n_players {
                2 => format!("{first} {}", 1.0 - first),
                _ => (0..n_players).map(|_| format!("{} ", rng.below(1001) as f64 / 1e3)).collect(),
            }
        };
        let (left, right) = (target(2 * i + 1), target(2 * i + 2));
        let who = who[usize::ilog2(i + 1) as usize % who.len()];
        text += &match who {
            "chance" => format!("p{i}: chance l 0.3 -> {left} r 0.7 -> {right}\n"),
            _ => format!("p{i}: {who} l -> {left} r -> {right}\n"),
        };
    }
    Toy::read(&text).unwrap()
}

/// The payoffs under best play, by looking at everything.
fn solve(toy: &Toy, state: u16) -> Payoffs {
    let after = |action: Word| {
        let mut next = state;
        toy.apply(&mut next, &[action]);
        solve(toy, next)
    };
    match toy.turn(&state) {
        Turn::Over(payoffs) => payoffs,
        Turn::Chance => {
            let mut outcomes = vec![];
            toy.outcomes(&state, &mut outcomes);
            let mut mean = Payoffs::default();
            for (outcome, probability) in outcomes {
                mean.add_scaled(&after(outcome), probability);
            }
            mean
        }
        Turn::Choose(who) => {
            let player = who.single().expect("these trees have no simultaneous turns");
            let mut actions = vec![];
            toy.actions(&state, player, &mut actions);
            let each = actions.into_iter().map(after);
            each.max_by(|a, b| a[player].total_cmp(&b[player])).unwrap()
        }
    }
}

#[test]
fn the_best_move_is_found_whatever_kind_of_tree() {
    let kinds: [(&[&str], usize); 4] = [
        (&["0", "1"], 2),
        (&["0", "0", "1", "1"], 2),
        (&["0", "chance", "1"], 2),
        (&["0", "1", "2"], 3),
    ];
    let mut rng = Rng::new(4);
    for (who, n_players) in kinds {
        for rule in [Ucb::new(0.7), Ucb { bound: Bound::Tuned, ..Ucb::new(1.0) }] {
            for graph in [false, true] {
                // With three players one who is nearly indifferent decides what the others get, so
                // only a small tree is likely to be clear.
                let toy = random_tree(if n_players > 2 { 3 } else { 6 }, who, n_players, &mut rng);
                let best = solve(&toy, toy.start())[Player(0)];
                let settings = grown(settings(60_000), |tree| tree.graph = graph);
                let settings = MctsSettings { selection: Selection::Ucb(rule), ..settings };
                let choice = decide(&toy, 0, settings, 1);
                let mut next = toy.start();
                toy.apply(&mut next, &[choice.action]);
                let regret = best - solve(&toy, next)[Player(0)];
                assert!(regret < 1e-9, "{who:?} {rule:?}: lost {regret}");
                let error = (choice.value.unwrap() - best).abs();
                assert!(error < 0.06, "{who:?} {rule:?}: value off by {error}");
            }
        }
    }
}

#[test]
fn the_solver_proves_what_brute_force_finds_and_stops() {
    let mut rng = Rng::new(8);
    for who in [["0", "1"], ["0", "0"]] {
        for graph in [false, true] {
            let toy = random_tree_with(7, &who, 2, 1, &mut rng);
            let best = solve(&toy, toy.start())[Player(0)];
            let settings = grown(proving(1_000_000), |tree| tree.graph = graph);
            let choice = decide(&toy, 0, settings, 1);
            assert!(choice.iterations < 1_000, "{} iterations", choice.iterations);
            assert_eq!(choice.value, Some(best));
        }
    }
}

/// With more results than won and lost, exact arms compete with the others by what they give.
#[test]
fn the_solver_finds_the_best_of_many_results() {
    let mut rng = Rng::new(9);
    for _ in 0..10 {
        let toy = random_tree(7, &["0", "1"], 2, &mut rng);
        let best = solve(&toy, toy.start())[Player(0)];
        let choice = decide(&toy, 0, proving(20_000), 1);
        assert!((choice.value.unwrap() - best).abs() < 0.02, "{:?} {best}", choice.value);
    }
}

#[test]
fn a_proven_loss_is_not_played_and_a_proven_win_is() {
    let toy = Toy::read(
        "start: 0  trap -> t  fine -> f
         t: 1  kill -> 0 1   a -> 1 0   b -> 1 0   c -> 1 0   d -> 1 0
         f: 1  x -> 0.4 0.6   y -> 0.5 0.5",
    )
    .unwrap();
    let choice = decide(&toy, 0, proving(5_000), 3);
    assert_eq!((choice.action, choice.value), (toy.word("fine"), Some(0.4)));
    let toy = Toy::read("start: 0 a -> 0 1 b -> 0.5 0.5 c -> 1 0 d -> 0 1").unwrap();
    let choice = decide(&toy, 0, proving(100), 3);
    assert_eq!((choice.action, choice.value), (toy.word("c"), Some(1.0)));
    assert!(choice.iterations <= 4);
}

/// With three players the others' fate decides whether equal arms are the same to them.
#[test]
fn the_solver_leaves_open_what_an_indifferent_player_decides() {
    let toy = Toy::read(
        "start: 0  a -> x  b -> 0.5 0.2 0.3
         x: 1  l -> 0.9 0.5 0.1   r -> 0.1 0.5 0.9",
    )
    .unwrap();
    let choice = decide(&toy, 0, proving(2_000), 1);
    assert_eq!(choice.iterations, 2_000, "nothing is proven, so the search goes on");
}

#[test]
fn simultaneous_rows_mix_where_they_must_and_find_what_dominates() {
    // Matching pennies, each right only half the time.
    let toy = Toy::matrix(&[&[1.0, 0.0], &[0.0, 1.0]]);
    let mix = |iterations| ucb(settings(iterations), |ucb| ucb.answer = Answer::Mix);
    for player in [0, 1] {
        let choice = decide(&toy, player, mix(50_000), 7);
        assert!((choice.policy[0].1 - 0.5).abs() < 0.1, "{:?}", choice.policy);
        assert!((choice.value.unwrap() - 0.5).abs() < 0.05);
    }
    // Row 1 dominates, and against it column 2 is best: the value is 0.6.
    let toy = Toy::matrix(&[&[0.1, 0.5, 0.2], &[0.9, 0.8, 0.6], &[0.3, 0.7, 0.5]]);
    let (row, column) =
        (decide(&toy, 0, settings(20_000), 1), decide(&toy, 1, settings(20_000), 1));
    assert_eq!((row.action, column.action), (toy.word("r1"), toy.word("c2")));
    assert!((row.value.unwrap() - 0.6).abs() < 0.03);
    assert_eq!((share(&row, toy.word("r1")), share(&column, toy.word("c2"))), (1.0, 1.0));
    let (row, column) = (decide(&toy, 0, mix(20_000), 1), decide(&toy, 1, mix(20_000), 1));
    assert!(share(&row, toy.word("r1")) > 0.9 && share(&column, toy.word("c2")) > 0.8);
}

/// Three players with 12 actions each have more joint actions than a table holds.
#[test]
fn many_joint_actions_are_kept_apart() {
    let mut text = "start: 0+1+2".to_owned();
    for (i, j, k) in (0..1728).map(|n| (n / 144, n / 12 % 12, n % 12)) {
        let like = |x: i32, best: i32| 1.0 - f64::from((x - best).abs()) / 12.0;
        text += &format!(" a{i}/b{j}/c{k} -> {} {} {}", like(i, 3), like(j, 7), like(k, 11));
    }
    let toy = Toy::read(&text).unwrap();
    for (player, best) in [(0, "a3"), (1, "b7"), (2, "c11")] {
        let choice = decide(&toy, player, settings(20_000), 2);
        assert_eq!(choice.action, toy.word(best));
        assert!(choice.nodes > 100 && choice.nodes <= 1729, "{}", choice.nodes);
    }
}

/// A simultaneous turn below other turns: the walk must keep the rows of all choosers apart.
#[test]
fn turns_of_all_kinds_in_one_tree() {
    let toy = Toy::read(
        "start: 1  go -> coin  stay -> 0.5 0.5
         coin: chance h 0.5 -> duel  t 0.5 -> 0.2 0.8
         duel: 0+1  a/x -> 0.9 0.1  a/y -> 0.4 0.6  b/x -> 0.3 0.7  b/y -> 0.1 0.9",
    )
    .unwrap();
    // In the duel `a` dominates, then `y` is best: 0.6 for player 1, with the coin 0.7.
    for graph in [false, true] {
        let choice = decide(&toy, 1, grown(settings(20_000), |tree| tree.graph = graph), 1);
        assert_eq!(choice.action, toy.word("go"));
        assert!((choice.value.unwrap() - 0.7).abs() < 0.02, "{:?}", choice.value);
    }
}

#[test]
fn states_that_meet_share_a_node_and_cycles_end() {
    // Two orders of the same two moves meet in `both`.
    let toy = Toy::read(
        "start: 0  x -> x  y -> y
         x: 0  y -> both   z -> 0.1 0.9
         y: 0  x -> both   z -> 0.2 0.8
         both: 1  l -> 0.6 0.4   r -> 0.7 0.3",
    )
    .unwrap();
    let nodes = |graph| decide(&toy, 0, grown(settings(500), |tree| tree.graph = graph), 1).nodes;
    // The four ends are states of their own in the text, so they never meet.
    assert_eq!((nodes(false), nodes(true)), (11, 8));
    let cycle = Toy::read(
        "start: 0  on -> b  out -> 0.4 0.6
         b: 1  back -> start  out -> 0.3 0.7",
    )
    .unwrap();
    let choice = decide(&cycle, 0, grown(settings(2_000), |tree| tree.graph = true), 1);
    assert_eq!((choice.iterations, choice.action), (2_000, cycle.word("out")));
}

#[test]
fn the_tree_is_kept_between_moves() {
    let toy = random_tree(8, &["0", "1"], 2, &mut Rng::new(2));
    let stop = Stop::new();
    for (trees, graph) in [(1, false), (1, true), (3, false)] {
        let mut rng = Rng::new(1);
        let mut context = Context { rng: &mut rng, stop: &stop };
        let mut agent =
            Mcts::new(grown(settings(3_000), |tree| (tree.trees, tree.graph) = (trees, graph)));
        let mut state = toy.start();
        let choice = agent.choose(&toy, &state, Player(0), &mut context).unwrap();
        let before = agent.n_nodes();
        let visits: Vec<u32> =
            agent.walks.iter().map(|w| child_visits(&toy, w, choice.action)).collect();
        agent.observe(&toy, &state, &[choice.action]);
        toy.apply(&mut state, &[choice.action]);
        assert!(agent.n_nodes() > 0 && agent.n_nodes() < before);
        let kept: Vec<u32> =
            agent.walks.iter().map(|w| w.tree.nodes[ROOT as usize].visits).collect();
        // A node counts again from its expansion on, after one visit as a leaf.
        assert_eq!(kept, visits.iter().map(|v| v - 1).collect::<Vec<_>>());
        agent.choose(&toy, &state, Player(1), &mut context).unwrap();
        let now: u32 = agent.walks.iter().map(|w| w.tree.nodes[ROOT as usize].visits).sum();
        assert_eq!(now, kept.iter().sum::<u32>() + 3_000);
    }
}

fn child_visits(toy: &Toy, walk: &Walk<Toy>, action: Word) -> u32 {
    let row = walk.tree.row(ROOT, Player(0)).unwrap();
    let arm = (row.first..row.first + row.len).find(|&i| walk.tree.actions[i] == action).unwrap();
    assert!(walk.child_after(toy, ROOT, &toy.start(), &[action]).is_some());
    walk.tree.arms.visits[arm]
}

/// Children that move from the hash map into a table are found where they were, also in a copy.
#[test]
fn a_busy_simultaneous_node_gets_a_table_and_keeps_its_children() {
    use crate::mcts::arms::Columns;
    use crate::mcts::means::Means;
    use crate::mcts::tree::{Slot, Tree};
    let mut tree = Tree::new(Columns::default(), Means::OfAll, false, 2);
    let root = tree.add(&Turn::Choose(Players::all(2)));
    tree.grow(root, &[40, 40]);
    let tried: [[u16; 2]; 3] = [[0, 0], [7, 21], [39, 39]];
    for (i, picks) in tried.iter().enumerate() {
        let child = tree.add(&Turn::Over(Payoffs::default()));
        tree.nodes[child as usize].visits = 10 + i as u32;
        tree.set_child(tree.slot(root, picks), child);
    }
    let check = |tree: &Tree| {
        for (i, picks) in tried.iter().enumerate() {
            let child = tree.child(tree.slot(root, picks)).unwrap();
            assert_eq!(tree.nodes[child as usize].visits, 10 + i as u32, "{picks:?}");
        }
        assert_eq!(tree.child(tree.slot(root, &[21, 7])), None);
    };
    for has_table in [false, true] {
        assert_eq!(matches!(tree.slot(root, &[0, 0]), Slot::Table(_)), has_table);
        check(&tree);
        check(&tree.below(root).0);
        for _ in 0..256 {
            tree.learn(root, &tried[1], &Payoffs::default(), |_, _, _| {});
        }
    }
}

/// A subtree that is kept holds exactly what it held: searching on gives the same as before.
#[test]
fn a_kept_tree_is_a_faithful_copy() {
    let toy = Toy::read(
        "start: 0+1  a/x -> coin  a/y -> 1 0  b/x -> 0 1  b/y -> coin
         coin: chance h 0.5 -> duel  t 0.5 -> last
         duel: 0+1  a/x -> last  a/y -> 0.2 0.8  b/x -> 0.7 0.3  b/y -> last
         last: 0  p -> 0.1 0.9  q -> 0.6 0.4",
    )
    .unwrap();
    let mut walk: Walk<Toy> = Walk::new(&toy, &settings(0));
    let mut rng = Rng::new(1);
    walk.run(&toy, &toy.start(), Budget::iterations(5_000), &Stop::new(), &mut rng, None).unwrap();
    let copy = walk.tree.below(ROOT).0;
    assert_eq!(copy.nodes.len(), walk.tree.nodes.len());
    assert!(copy.bytes() <= walk.tree.bytes(), "a copy has no room to spare");
    let mut other: Walk<Toy> = Walk::new(&toy, &settings(0));
    other.tree = copy;
    let policies = [&mut walk, &mut other].map(|walk| {
        let budget = Budget::iterations(1_000);
        walk.run(&toy, &toy.start(), budget, &Stop::new(), &mut Rng::new(5), None).unwrap();
        let row = walk.tree.row(ROOT, Player(1)).unwrap();
        walk.tree.arms.visits[row.first..row.first + row.len].to_vec()
    });
    assert_eq!(policies[0], policies[1]);
}

#[test]
fn an_action_that_the_tree_does_not_know_starts_a_new_one() {
    let toy = random_tree(5, &["0", "1"], 2, &mut Rng::new(2));
    let mut rng = Rng::new(1);
    let stop = Stop::new();
    let mut context = Context { rng: &mut rng, stop: &stop };
    let mut agent: Mcts<Toy> = Mcts::new(settings(1));
    let mut state = toy.start();
    agent.choose(&toy, &state, Player(0), &mut context).unwrap();
    let tried = agent.walks[0].tree.actions[0];
    let other = if tried == toy.word("l") { toy.word("r") } else { toy.word("l") };
    agent.observe(&toy, &state, &[other]);
    assert_eq!(agent.n_nodes(), 0);
    toy.apply(&mut state, &[other]);
    assert_eq!(agent.choose(&toy, &state, Player(1), &mut context).unwrap().iterations, 1);
}

#[test]
fn the_same_seed_gives_the_same_choice_and_trees_share_the_iterations() {
    let toy = random_tree(9, &["0", "1"], 2, &mut Rng::new(3));
    for trees in [1, 2, 5] {
        let settings = grown(settings(1_001), |tree| tree.trees = trees);
        let (first, again) = (decide(&toy, 0, settings, 9), decide(&toy, 0, settings, 9));
        assert_eq!(first, again);
        assert_eq!(first.iterations, 1_001);
        assert_ne!(first, decide(&toy, 0, settings, 10));
    }
}

#[test]
fn limits_stop_the_growth_and_not_the_search() {
    let toy = random_tree(12, &["0", "1"], 2, &mut Rng::new(3));
    let budget = Budget { nodes: Some(100), ..Budget::iterations(20_000) };
    let choice = decide(&toy, 0, MctsSettings::new(budget), 1);
    assert_eq!((choice.nodes, choice.iterations), (100, 20_000));
    // A tree that is kept leaves memory for its copy.
    for (graph, reuse, most) in
        [(false, false, 200_000), (true, false, 200_000), (true, true, 80_000)]
    {
        let budget = Budget { memory: 200_000, ..Budget::iterations(20_000) };
        let limited = MctsSettings::new(budget);
        let mut agent = Mcts::new(grown(limited, |tree| (tree.graph, tree.reuse) = (graph, reuse)));
        let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
        assert_eq!(agent.search(&toy, &toy.start(), &mut context), Ok(20_000));
        let bytes = agent.bytes();
        assert!(bytes <= most && bytes > most / 3, "{bytes} of {most} bytes");
        let used = agent.n_nodes() * (16 + 2 * agent.bytes_per_arm()) / 2;
        assert!(bytes > used, "{bytes} bytes hold {used}");
    }
}

/// Players who have the same number of actions and then are done.
#[derive(Debug)]
struct Wide {
    players: usize,
    n: u32,
}

impl Game for Wide {
    type State = bool;
    type Action = u32;

    fn players(&self) -> usize {
        self.players
    }

    fn start(&self) -> bool {
        false
    }

    fn turn(&self, is_over: &bool) -> Turn {
        match is_over {
            true => Turn::Over(Payoffs::uniform(self.players, 0.5)),
            false => Turn::Choose(Players::all(self.players)),
        }
    }

    fn actions(&self, _: &bool, _: Player, out: &mut Vec<u32>) {
        out.extend(0..self.n);
    }

    fn apply(&self, is_over: &mut bool, _: &[u32]) {
        *is_over = true;
    }
}

impl Hints for Wide {}

#[test]
fn more_actions_than_a_tree_can_number_are_an_error() {
    let choose = |players, n| {
        let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
        let mut agent: Mcts<Wide> = Mcts::new(settings(50));
        agent.choose(&Wide { players, n }, &false, Player(0), &mut context)
    };
    assert_eq!(choose(1, 65_535).unwrap().policy.len(), 65_535);
    let forfeit = choose(1, 65_536).unwrap_err();
    assert!(forfeit.reason.contains("65536 actions") && forfeit.reason.contains("prune"));
    assert_eq!(choose(8, 255).unwrap().iterations, 50);
    let forfeit = choose(8, 256).unwrap_err();
    assert!(forfeit.reason.contains("joint actions"), "{forfeit}");
}

#[test]
fn a_leaf_is_expanded_after_its_visits() {
    let toy = random_tree(12, &["0", "1"], 2, &mut Rng::new(3));
    let nodes =
        |expand| decide(&toy, 0, grown(settings(300), |tree| tree.expand = expand), 1).nodes;
    assert_eq!(nodes(1), 301);
    // The root's two children are leaves for ten visits each, and so on below.
    assert!(nodes(10) < 70, "{}", nodes(10));
}

#[test]
fn a_stop_is_answered_with_what_is_there() {
    let toy = random_tree(5, &["0", "1"], 2, &mut Rng::new(3));
    let stop = Stop::new();
    stop.request();
    let mut context = Context { rng: &mut Rng::new(1), stop: &stop };
    let choice = Mcts::new(settings(1_000_000)).choose(&toy, &0, Player(0), &mut context).unwrap();
    assert_eq!(choice.iterations, 1);
}

/// A search that is watched chooses the same, and what it shows adds up.
#[test]
fn insight_shows_the_tree_as_it_is() {
    let rps = Toy::matrix(&[&[0.5, 0.0, 1.0], &[1.0, 0.5, 0.0], &[0.0, 1.0, 0.5]]);
    let trees = [["0", "chance", "1"], ["0", "0", "1"]]
        .map(|who| random_tree(6, &who, 2, &mut Rng::new(8)));
    for (toy, least) in trees.into_iter().map(|tree| (tree, 30)).chain([(rps, 10)]) {
        let mut context = Context { rng: &mut Rng::new(3), stop: &Stop::new() };
        let mut watched = Mcts::new(grown(settings(4_000), |tree| tree.trees = 2));
        let choice = watched.choose_watched(
            &toy,
            &toy.start(),
            Player(0),
            &mut context,
            &mut Watch::new(&mut |insight: Insight<Word>| {
                assert!(insight.root.visits >= insight.iterations);
            }),
        );
        let plain = decide(&toy, 0, grown(settings(4_000), |tree| tree.trees = 2), 3);
        assert_eq!(choice.unwrap(), plain);

        let insight = watched.insight(&toy, &toy.start(), 30).unwrap();
        let visits: u64 = insight.rows[0].arms.iter().map(|arm| arm.visits).sum();
        assert_eq!(visits, 4_000, "the arms of both trees");
        for row in &insight.rows {
            let shares: f64 = row.arms.iter().map(|arm| arm.share).sum();
            assert!((shares - 1.0).abs() < 1e-9);
        }
        let mut places = vec![&insight.root];
        let mut n = 0;
        while let Some(place) = places.pop() {
            n += 1;
            let below: u64 = place.children.iter().map(|child| child.visits).sum();
            assert!(below <= place.visits, "{below} of {}", place.visits);
            assert!(place.children.is_sorted_by_key(|child| std::cmp::Reverse(child.visits)));
            places.extend(&place.children);
        }
        assert!((least..40).contains(&n), "{n} places");
        let first = &insight.root.children[0];
        assert_eq!(first.values.len(), first.actions.len());
        assert!(watched.insight(&toy, &1, 30).is_none(), "it knows nothing of another state");
    }
}

/// A caller that may need an answer at any moment has one as soon as the first iteration has ended, or
/// at once if a tree was kept.
#[test]
fn the_best_move_so_far_is_told_from_the_first_iteration_on() {
    let toy = random_tree(4, &["0", "1"], 3, &mut Rng::new(5));
    let mut search = Mcts::new(settings(1));
    let mut told = Vec::new();
    for _ in 0..2 {
        let mut context = Context { rng: &mut Rng::new(2), stop: &Stop::new() };
        let mut tell = |insight: Insight<Word>| {
            let best = insight.best(Player(0)).map(|arm| (arm.action, arm.visits));
            told.push((insight.iterations, best));
        };
        let watch = &mut Watch::closely(&mut tell);
        let choice =
            search.choose_watched(&toy, &toy.start(), Player(0), &mut context, watch).unwrap();
        let (_, best) = told.last().unwrap();
        assert_eq!(best.unwrap().0, choice.action);
    }
    let iterations: Vec<u64> = told.iter().map(|(iterations, _)| *iterations).collect();
    assert_eq!(iterations, [1, 0, 1]);
    assert!(told.iter().all(|(_, best)| best.is_some_and(|(_, visits)| visits > 0)));
}

/// Policies that learn and GRAVE find what brute force finds, and the same seed finds it again.
#[test]
fn learning_playouts_and_grave_find_the_best_move() {
    let mut rng = Rng::new(21);
    let grave = Estimate::Grave(Grave { reference: 20, bias: 0.01 });
    let mast = LearningRule::Mast { tau: 0.3 };
    let nst = LearningRule::Nst { epsilon: 0.2 };
    let variants = [
        (Some(mast), Estimate::None),
        (Some(nst), Estimate::None),
        (Some(mast), Estimate::Prior(5.0)),
        (Some(nst), Estimate::Prior(0.5)),
        (None, grave),
        (Some(nst), grave),
    ];
    for variant in variants {
        for (who, solver) in [(["0", "1"], false), (["0", "0"], false), (["0", "1"], true)] {
            let toy = random_tree(6, &who, 2, &mut rng);
            let best = solve(&toy, toy.start())[Player(0)];
            let (rule, known) = variant;
            let proofs = if solver { Proofs::Solver } else { Proofs::Off };
            let rule_of_arms = Ucb { bound: estimate(known), proofs, ..Ucb::new(0.7) };
            let mut settings =
                MctsSettings { selection: Selection::Ucb(rule_of_arms), ..settings(30_000) };
            if let Some(rule) = rule {
                settings.playout.policy = PlayoutPolicy::Learned(rule.lasting());
            }
            let choice = decide(&toy, 0, settings, 1);
            assert_eq!(choice, decide(&toy, 0, settings, 1));
            let mut next = toy.start();
            toy.apply(&mut next, &[choice.action]);
            let regret = best - solve(&toy, next)[Player(0)];
            assert!(regret < 1e-9, "{who:?} {variant:?}: lost {regret}");
        }
    }
}

/// An action that is known to be bad is not tried in a new node before the others have shown to be
/// as bad.
#[test]
fn with_a_prior_actions_are_not_tried_once_each() {
    let ends = "0 a -> 1 0 b -> 1 0 c -> 1 0 bad -> 0 1";
    let text =
        format!("start: 0 a -> p b -> q c -> r bad -> 0 1\np: {ends}\nq: {ends}\nr: {ends}\n");
    let toy = Toy::read(&text).unwrap();
    let n_tried = |known| {
        let mut settings = ucb(settings(200), |ucb| ucb.bound = estimate(known));
        let rule = LearningRule::Tournament { draws: 2 };
        settings.playout.policy = PlayoutPolicy::Learned(rule.lasting());
        let mut agent = Mcts::new(settings);
        let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
        agent.choose(&toy, &toy.start(), Player(0), &mut context).unwrap();
        let tree = &agent.walks[0].tree;
        let below = ["a", "b", "c"]
            .map(|good| tree.child_after(ROOT, &[toy.word(good)], false, false).unwrap());
        let tried = below.into_iter().filter(|&node| {
            let row = tree.rows(node).next().unwrap();
            let mut arms = row.first..row.first + row.len;
            let bad = arms.find(|&arm| tree.actions[arm] == toy.word("bad")).unwrap();
            assert!(tree.nodes[node as usize].visits > 30);
            tree.arms.visits[bad] > 0
        });
        tried.count()
    };
    assert_eq!([n_tried(Estimate::None), n_tried(Estimate::Prior(3.0))], [3, 0]);
}

/// What a tree knows by AMAF belongs to its nodes, also after those above are gone.
#[test]
fn amaf_values_are_kept_with_the_tree() {
    let toy = random_tree(5, &["0", "1"], 2, &mut Rng::new(3));
    let grave = estimate(Estimate::Grave(Grave { reference: 5, bias: 0.01 }));
    let mut agent = Mcts::new(ucb(settings(500), |ucb| ucb.bound = grave));
    let mut rng = Rng::new(1);
    let mut state = toy.start();
    for player in [0, 1, 0] {
        let mut context = Context { rng: &mut rng, stop: &Stop::new() };
        let choice = agent.choose(&toy, &state, Player(player), &mut context).unwrap();
        let amaf_of = |walk: &mut Walk<Toy>, node| {
            walk.select.ucb_mut().and_then(|ucb| ucb.amaf_mut()).unwrap().of_node(node)
        };
        let walk = &mut agent.walks[0];
        let child = walk.tree.child_after(ROOT, &[choice.action], false, false).unwrap();
        let before = amaf_of(walk, child);
        agent.observe(&toy, &state, &[choice.action]);
        assert_eq!(amaf_of(&mut agent.walks[0], ROOT), before);
        assert!(!before.is_empty());
        toy.apply(&mut state, &[choice.action]);
    }
}
