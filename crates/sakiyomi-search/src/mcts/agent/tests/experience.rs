//! What similar positions lend to nodes and arms.

use super::*;
use crate::experience::encoding::Encoding;
use crate::experience::settings::ExperienceSettings;
use crate::experience::tests::{GAME, Pairs, searched, settings};
use crate::mcts::tree::Tree;

/// The answer counts what really happened: visits of the arms add up to the iterations.
#[test]
fn what_is_lent_is_no_visit() {
    for distance in [0, 2] {
        let agent =
            searched(settings(300, ExperienceSettings::paper(Encoding::Huffman, distance)), 3);
        let tree = &agent.walks[0].tree;
        let row = tree.row(ROOT, Player(0)).unwrap();
        let visits: u32 = tree.arms.visits[row.first..row.first + row.len].iter().sum();
        assert_eq!(visits, 300);
        let n_arms = tree.arms.visits.len();
        let own: u32 = tree.arms.visits.iter().sum();
        let total: f32 = (0..n_arms).map(|arm| tree.arms.visits_and_sum(arm)[0]).sum();
        assert!(total > own as f32, "nothing was lent at distance {distance}");
        let counts = agent.experience_counts();
        assert!(counts.hits > 0 && counts.hits <= counts.nodes && counts.neighbours >= counts.hits);
        let arms = agent.root_arms(&[0, 1, 2, 3, 4, 5, 6], Player(0));
        assert_eq!(arms.iter().map(|arm| arm.visits).sum::<u64>(), 300);
    }
}

/// A tree that is kept keeps what its arms were lent, and the table goes on.
#[test]
fn what_is_lent_is_kept_with_the_tree() {
    let mut agent = searched(settings(500, ExperienceSettings::paper(Encoding::OneHot, 2)), 4);
    let before = agent.walks[0].tree.clone();
    let entries = agent.experience_counts().entries;
    let action = 3;
    let child = before.child_after(ROOT, &[action], false, false).unwrap();
    agent.observe(&GAME, &GAME.start(), &[action]);
    let after = &agent.walks[0].tree;
    let (old, new) = (before.row(child, Player(1)).unwrap(), after.row(ROOT, Player(1)).unwrap());
    let totals = |tree: &Tree, first: usize| -> Vec<[f32; 2]> {
        (0..new.len).map(|pick| tree.arms.visits_and_sum(first + pick)).collect()
    };
    assert_eq!(totals(&before, old.first), totals(after, new.first));
    assert_eq!(before.lent_visits(child), after.lent_visits(ROOT));
    assert_eq!(agent.experience_counts().entries, entries);
}

#[test]
fn what_is_lent_counts_less_with_own_visits() {
    let experience =
        ExperienceSettings { half: Some(8.0), ..ExperienceSettings::paper(Encoding::OneHot, 2) };
    let mut walk: Walk<Pairs> = Walk::new(&GAME, &settings(0, experience));
    let tree = &mut walk.tree;
    let root = tree.add(&GAME.turn(&GAME.start()));
    tree.grow(root, &[0, 1], &[2]).unwrap();
    let child = tree.add(&GAME.turn(&vec![1, 0, 0]));
    tree.lend(root, &[1], child, 6.0, &Payoffs::of([3.0, 3.0]));
    assert_eq!(tree.arms.visits_and_sum(1), [6.0, 3.0]);
    assert_eq!(tree.arms.visits_and_sum(0), [0.0, 0.0]);
    for _ in 0..8 {
        tree.learn(root, &[1], &Payoffs::of([1.0, 0.0]), |_, _, _| {});
    }
    assert_eq!(tree.arms.visits_and_sum(1), [8.0 + 3.0, 8.0 + 1.5]);
    assert_eq!(tree.lent_visits(child), 6);
}
