//! Rules for players who choose at once, on matrix games whose equilibria are known.

use super::*;
use crate::mcts::select::joint::JointUcb;
use crate::mcts::select::sampling::OutcomeSampling;
use crate::mcts::select::scores::Ties;

fn joint(c: f64, tried_only: bool) -> Selection {
    Selection::Joint(JointUcb { c, tried_only, ties: Ties::Draw })
}

fn sampling(raw_payoff: bool) -> Selection {
    Selection::Sampling(OutcomeSampling { explore: 0.6, raw_payoff })
}

fn regrets(plus: bool) -> Selection {
    Selection::Mixed(Mixed::RegretMatching { explore: 0.025, plus })
}

fn mixing(ucb: Ucb) -> Selection {
    Selection::Ucb(Ucb { answer: Answer::Mix, ..ucb })
}

fn by(selection: Selection, iterations: u64) -> MctsSettings {
    MctsSettings { selection, ..settings(iterations) }
}

/// How far two strategies are apart: half of the sum of all differences.
fn distance(choice: &Choice<Word>, expected: &[(Word, f64)]) -> f64 {
    expected.iter().map(|&(word, p)| (share(choice, word) - p).abs()).sum::<f64>() / 2.0
}

/// Each rule finds the known equilibria. Those that converge come within 0.03 of them after 200,000
/// iterations, outcome sampling within 0.01; the shares of visits of DUCT and Exp3 hold what they
/// explored, and come within 0.12.
#[test]
fn equilibria_of_matrix_games_are_found() {
    let skewed = Toy::matrix(&[&[0.5, 0.25, 1.0], &[0.75, 0.5, 0.25], &[0.0, 0.75, 0.5]]);
    let pennies = Toy::matrix(&[&[1.0, 0.0], &[0.25, 0.5]]);
    let dominated = Toy::matrix(&[&[0.8, 0.2, 0.9], &[0.3, 0.6, 0.7], &[0.2, 0.1, 0.6]]);
    // Row and column strategies that make the other indifferent, worked out by hand.
    let games: [(&Toy, [&[f64]; 2]); 3] = [
        (&skewed, [&[0.25, 0.5, 0.25], &[0.25, 0.5, 0.25]]),
        (&pennies, [&[0.2, 0.8], &[0.4, 0.6]]),
        (&dominated, [&[1.0 / 3.0, 2.0 / 3.0, 0.0], &[4.0 / 9.0, 5.0 / 9.0, 0.0]]),
    ];
    let rules = [
        (mixing(Ucb::new(1.5)), 0.12),
        (mixing(Ucb { bound: Bound::Tuned, ..Ucb::new(1.0) }), 0.12),
        (Selection::Mixed(Mixed::Exp3 { explore: 0.05 }), 0.12),
        (regrets(false), 0.03),
        (regrets(true), 0.03),
        (sampling(false), 0.01),
    ];
    for (toy, strategies) in games {
        for (rule, most) in rules {
            for (player, (letter, shares)) in ["r", "c"].iter().zip(strategies).enumerate() {
                let words = (0..shares.len()).map(|i| toy.word(&format!("{letter}{i}")));
                let expected: Vec<(Word, f64)> = words.zip(shares.iter().copied()).collect();
                let choice = decide(toy, player as u8, by(rule, 200_000), 5);
                let distance = distance(&choice, &expected);
                assert!(distance < most, "{rule:?} {expected:?}: {:?}", choice.policy);
            }
        }
    }
}

/// SM-UCT plays every joint action once before it adds up scores, so that no arm leads only because
/// it was tried with more replies.
#[test]
fn every_joint_action_comes_once_before_any_comes_again() {
    let toy = Toy::matrix(&[&[0.1, 0.5, 0.2], &[0.9, 0.8, 0.6]]);
    for iterations in [2, 6] {
        let mut agent: Mcts<Toy> = Mcts::new(by(joint(1.0, false), iterations));
        let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
        agent.search(&toy, &toy.start(), &mut context).unwrap();
        assert_eq!(agent.n_nodes() as u64, 1 + iterations, "a joint action came twice");
        let visits = |player| {
            let row = agent.walks[0].tree.row(ROOT, Player(player)).unwrap();
            agent.walks[0].tree.arms.visits[row.first..row.first + row.len].to_vec()
        };
        assert!(visits(0).iter().all(|&n| u64::from(n) == iterations / 2), "{:?}", visits(0));
        assert!(visits(1).iter().all(|&n| u64::from(n) <= iterations / 2), "{:?}", visits(1));
    }
}

/// As the paper has it: every arm is tried once, in the order of the list, and then the sums over
/// what was tried decide. Worked out by hand: after the diagonal the row player leads with r0 (0.9,
/// 0.1, 0.2) and the column player with c1 (0.1, 0.9, 0.8), and `r0 c1` only makes both sums
/// larger.
#[test]
fn sums_over_joint_actions_that_were_tried() {
    let toy = Toy::matrix(&[&[0.9, 0.0, 0.5], &[0.5, 0.1, 0.5], &[0.5, 0.5, 0.2]]);
    let rule = JointUcb { c: 0.0, tried_only: true, ties: Ties::First };
    let strict = grown(by(Selection::Joint(rule), 20), |tree| tree.listed_order = true);
    for seed in 0..5 {
        let mut agent: Mcts<Toy> = Mcts::new(strict);
        let mut context = Context { rng: &mut Rng::new(seed), stop: &Stop::new() };
        agent.search(&toy, &toy.start(), &mut context).unwrap();
        assert_eq!(agent.n_nodes(), 1 + 4);
        for (player, visits) in [(0, [18, 1, 1]), (1, [1, 18, 1])] {
            let row = agent.walks[0].tree.row(ROOT, Player(player)).unwrap();
            assert_eq!(agent.walks[0].tree.arms.visits[row.first..row.first + 3], visits);
        }
    }
}

#[test]
fn arms_are_tried_in_the_order_of_the_list_if_asked() {
    let toy = Toy::matrix(&[&[0.5; 8][..]; 8]);
    let mut listed = Vec::new();
    toy.actions(&toy.start(), Player(0), &mut listed);
    toy.actions(&toy.start(), Player(1), &mut listed);
    let arms = |is_listed, seed| {
        let mut agent: Mcts<Toy> =
            Mcts::new(grown(settings(1), |tree| tree.listed_order = is_listed));
        let mut context = Context { rng: &mut Rng::new(seed), stop: &Stop::new() };
        agent.search(&toy, &toy.start(), &mut context).unwrap();
        agent.walks[0].tree.actions.clone()
    };
    for seed in 0..3 {
        assert_eq!(arms(true, seed), listed);
        assert_ne!(arms(false, seed), listed);
    }
}

/// The regrets of outcome sampling as the paper of 2013 writes it, after the second iteration, from
/// its formulas: X is the payoff of the joint action that was played, the mean of what was played
/// before, and else (which the paper leaves open) the mean of the node.
#[test]
fn outcome_sampling_backs_up_the_payoff_if_asked() {
    const PAYOFFS: [[f64; 2]; 2] = [[0.9, 0.2], [0.4, 0.7]];
    let toy = Toy::matrix(&[&PAYOFFS[0], &PAYOFFS[1]]);
    let joints: Vec<[usize; 2]> = (0..4).map(|joint| [joint / 2, joint % 2]).collect();
    let word = |letter: &str, i: usize| toy.word(&format!("{letter}{i}"));
    let mut n_told_apart = 0;
    for seed in 0..30 {
        let mut agent: Mcts<Toy> = Mcts::new(by(sampling(true), 1));
        let mut context = Context { rng: &mut Rng::new(seed), stop: &Stop::new() };
        let mut played = Vec::new();
        for _ in 0..2 {
            agent.search(&toy, &toy.start(), &mut context).unwrap();
            let is_new = |&[row, column]: &[usize; 2]| {
                let actions = [word("r", row), word("c", column)];
                !played.contains(&[row, column])
                    && agent.walks[0].child_after(&toy, ROOT, &toy.start(), &actions).is_some()
            };
            played.extend(joints.iter().copied().find(is_new));
        }
        let [first, second] = played[..] else { continue };
        // The second explorer is the column player, who gets 1 minus the payoff of the row.
        let payoff = |[row, column]: [usize; 2]| 1.0 - PAYOFFS[row][column];
        let x = |joint| if joint == second { payoff(second) } else { payoff(first) };
        let worth = [0, 1].map(|column| 0.5 * x([0, column]) + 0.5 * x([1, column]));
        let mean = (worth[0] + worth[1]) / 2.0;
        let tree = &agent.walks[0].tree;
        let row = tree.row(ROOT, Player(1)).unwrap();
        for (column, worth) in worth.iter().enumerate() {
            let action = word("c", column);
            let arm = (row.first..row.first + 2).find(|&arm| tree.actions[arm] == action).unwrap();
            let regret = tree.arms.weights[arm];
            assert!((regret - (worth - mean)).abs() < 1e-12, "{played:?}: {regret}");
        }
        n_told_apart += 1;
    }
    assert!(n_told_apart > 10, "{n_told_apart}");
}

/// SM-UCT does not converge, but it finds what dominates.
#[test]
fn joint_scores_find_what_dominates() {
    let toy = Toy::matrix(&[&[0.1, 0.5, 0.05], &[0.9, 0.8, 0.6], &[0.3, 0.7, 0.2]]);
    let settings = by(joint(1.0, false), 20_000);
    assert_eq!(decide(&toy, 0, settings, 1).action, toy.word("r1"));
    assert_eq!(decide(&toy, 1, settings, 1).action, toy.word("c2"));
}

/// Three players, for whom one of two sides is better whatever the others do, and better still for
/// one who is alone there: every rule finds it, and what it learns is a strategy.
#[test]
fn every_rule_finds_what_dominates_for_three_players() {
    let mut text = "start: 0+1+2".to_owned();
    for joint in 0..8 {
        let side = |player: usize| joint >> player & 1;
        let payoff = |player: usize| {
            let alone = (0..3).filter(|&other| side(other) == side(player)).count() == 1;
            0.1 + 0.6 * side(player) as f64 + if alone { 0.2 } else { 0.0 }
        };
        text += &format!(
            " {}/{}/{} -> {} {} {}",
            side(0),
            side(1),
            side(2),
            payoff(0),
            payoff(1),
            payoff(2)
        );
    }
    let toy = Toy::read(&text).unwrap();
    for rule in [
        joint(1.0, false),
        joint(1.0, true),
        Selection::Mixed(Mixed::Exp3 { explore: 0.2 }),
        regrets(true),
        sampling(false),
        sampling(true),
    ] {
        for player in 0..3 {
            let choice = decide(&toy, player, by(rule, 5_000), 1);
            let sum: f64 = choice.policy.iter().map(|(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-9 && choice.policy.len() == 2, "{:?}", choice.policy);
            let better = share(&choice, toy.word("1"));
            assert!(better > 0.7, "{rule:?}, player {player}: {better}");
            // All on the better side give 0.7 each; exploring costs some of it.
            let value = choice.value.unwrap();
            assert!((0.5..0.75).contains(&value), "{rule:?}, player {player}: {value}");
        }
    }
}
