//! Searches on the largest board, 40x40 with 32 pieces a side: they answer, legally, and stay within
//! the memory that they are given.

use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, Visitor, open_table};
use sakiyomi_core::{Budget, Context, Player, Rng, Stop, Turn};
use sakiyomi_search::MctsSettings;

const ITERATIONS: u64 = 120;
const PLAIN: &str = "sangoku:scenario=plain";

#[test]
fn every_kind_of_search_answers_with_a_legal_action() {
    let mut table = open_table(&PLAIN.parse().unwrap(), 1).unwrap();
    let agents = [
        "uct:iterations=40",
        "restricted:by=reach,agent=(uct:iterations=40,pruned,round-limit=10)",
        "sangoku-best:iterations=40",
        "oep:iterations=40,urgent=0.8",
        "rule-based",
    ];
    for text in agents {
        let Turn::Choose(mut who) = table.turn() else { panic!("it is over") };
        let player = who.next().unwrap();
        let agent: AgentSpec = text.parse().unwrap();
        let advice = table.advise(&agent, player, &Stop::new()).unwrap();
        let legal = table.legal(player);
        assert!(legal.iter().any(|action| action.text == advice.action), "{text}: {advice:?}");
        table.play(&[&advice.action]).unwrap();
    }
}

#[test]
fn a_tree_stays_within_its_memory() {
    struct Grow(u64);
    impl Visitor for Grow {
        type Out = (usize, u64);
        fn visit<G: CatalogGame>(self, game: G) -> (usize, u64) {
            let budget = Budget { memory: self.0, ..Budget::iterations(ITERATIONS) };
            let mut search = G::tree_search(MctsSettings::new(budget));
            let (mut state, mut rng) = (game.start(), Rng::new(1));
            while game.turn(&state) == Turn::Chance {
                let dealt = game.sample(&state, &mut Vec::new(), &mut rng);
                game.apply(&mut state, &[dealt]);
            }
            let mut context = Context { rng: &mut rng, stop: &Stop::new() };
            let choice = search.choose(&game, &state, Player(0), &mut context).unwrap();
            (search.bytes(), choice.iterations)
        }
    }
    let game: GameSpec = PLAIN.parse().unwrap();
    // The root has more than a thousand arms, which is most of this tree.
    let sizes = [20_000, 1 << 30].map(|memory| {
        let (bytes, iterations) = game.with(Grow(memory)).unwrap();
        assert_eq!(iterations, ITERATIONS, "the search goes on when the tree is full");
        // The root is made in any case, and the node that fills the tree is still added.
        assert!((bytes as u64) < memory.max(28_500) + 100, "{bytes} of {memory} bytes");
        bytes
    });
    assert!(sizes[0] < sizes[1], "the limit made no difference: {sizes:?}");
}
