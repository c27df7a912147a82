use sakiyomi_core::{Agent, Context, Game, Hint, HintSet, Players};

use super::*;
use crate::mcts::agent::Mcts;
use crate::mcts::playout::learned::LearningRule;
use crate::mcts::playout::policy::PlayoutPolicy;
use crate::mcts::select::Selection;
use crate::mcts::select::ucb::{Bound, Estimate, Ucb, Ucb1, ValuePrior};
use crate::mcts::settings::MctsSettings;

const N_CELLS: usize = 8;
const N_TURNS: u32 = 10;

/// Two players take cells in turn, also from each other if `takes`; who has the higher numbers in the
/// end wins.
struct Cells {
    takes: bool,
}

/// The owner of each cell is two facts, and the number of turns is in a word of its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Position([u64; 2]);

impl Position {
    fn player(&self) -> Player {
        Player((self.0[1].trailing_zeros() % 2) as u8)
    }

    fn has(&self, player: Player, cell: usize) -> bool {
        self.0[0] >> (2 * cell + player.index()) & 1 == 1
    }
}

impl Game for Cells {
    type State = Position;
    type Action = u8;

    fn players(&self) -> usize {
        2
    }

    fn start(&self) -> Position {
        Position([0, 1])
    }

    fn turn(&self, state: &Position) -> Turn {
        let is_full = (0..N_CELLS).all(|cell| state.0[0] >> (2 * cell) & 3 != 0);
        if self.takes && state.0[1] < 1 << N_TURNS || !self.takes && !is_full {
            return Turn::Choose(Players::one(state.player()));
        }
        let of =
            |player| (0..N_CELLS).filter(|&cell| state.has(player, cell)).sum::<usize>() as i64;
        Turn::Over(Payoffs::best_of(&[of(Player(0)), of(Player(1))]))
    }

    fn actions(&self, state: &Position, player: Player, out: &mut Vec<u8>) {
        let other = Player(1 - player.0);
        let is_free =
            |&cell: &usize| !state.has(player, cell) && (self.takes || !state.has(other, cell));
        out.extend((0..N_CELLS).filter(is_free).map(|cell| cell as u8));
        if out.is_empty() {
            out.push(0);
        }
    }

    fn apply(&self, state: &mut Position, actions: &[u8]) {
        let (player, cell) = (state.player(), usize::from(actions[0]));
        state.0[0] &= !(3 << (2 * cell));
        state.0[0] |= 1 << (2 * cell + player.index());
        state.0[1] <<= 1;
    }

    /// So that several playouts tell what a state is worth.
    fn playouts_at_once(&self) -> u64 {
        2
    }
}

impl Hints for Cells {
    fn provides(&self) -> HintSet {
        HintSet::of(&[Hint::Facts])
    }

    fn facts<'s>(&self, state: &'s Position) -> &'s [u64] {
        &state.0
    }
}

fn settings(budget: Budget) -> MctsSettings {
    let ucb1 =
        Ucb1 { estimate: Estimate::Value(ValuePrior { visits: 3.0, c: 0.2 }), ..Ucb1::default() };
    let ucb = Ucb { bound: Bound::Ucb1(ucb1), ..Ucb::new(0.4) };
    let mut settings = MctsSettings { selection: Selection::Ucb(ucb), ..MctsSettings::new(budget) };
    settings.playout.cut = Some(2);
    settings.playout.policy =
        PlayoutPolicy::Learned(LearningRule::Tournament { draws: 2 }.lasting());
    settings
}

fn learned(game: &Cells) -> Learner {
    let budget = Budget::iterations(1);
    let mut learner = Learner::new(game, &game.start(), &settings(budget).playout);
    learner.prepare_match(game, &Stop::new(), &mut Rng::new(1));
    learner
}

#[test]
fn who_has_more_is_expected_to_win() {
    let game = Cells { takes: true };
    let learner = learned(&game);
    assert!(learner.explained > 0.3, "{}", learner.explained);
    let value = learner.value().unwrap();
    // Late in the match, one player has the three highest cells.
    let with = |owner: usize| {
        let own = (5..8).fold(0, |facts, cell| facts | 1 << (2 * cell + owner));
        value.of(&[own, 1 << (N_TURNS - 2)])
    };
    let [first, second] = [with(0), with(1)];
    assert!(first[Player(0)] > 0.7 && second[Player(0)] < 0.3, "{first:?} {second:?}");
    assert!((first[Player(0)] + first[Player(1)] - 1.0).abs() < 1e-3, "{first:?}");
    assert!(learner.preparation().unwrap().found.contains("explains"));
}

/// Where nothing ever goes away there is no value.
#[test]
fn where_cells_are_only_filled_nothing_is_learned() {
    let game = Cells { takes: false };
    let learner = learned(&game);
    assert_eq!(learner.changes.returning(), 0.0);
    assert!(learner.value().is_none() && learner.is_in_vain());
    assert!(learner.preparation().unwrap().found.contains("no value"));
    assert_eq!(learned(&Cells { takes: true }).changes.returning(), 1.0);
}

#[test]
fn the_time_for_learning_is_taken_from_the_search() {
    let game = Cells { takes: true };
    let cpu = Duration::from_millis(10);
    let whole = Budget { iterations: None, cpu: Some(cpu), ..Budget::iterations(1) };
    let mut learner = Learner::new(&game, &game.start(), &settings(whole).playout);
    learner.debt = Duration::from_millis(10);
    let mut left = Vec::new();
    for _ in 0..3 {
        let mut budget = whole;
        let (stop, rng) = (Stop::new(), &mut Rng::new(1));
        learner.prepare_search(&game, &game.start(), &mut budget, &stop, rng);
        left.push(budget.cpu.unwrap());
    }
    // What is owed is paid before more is learned.
    assert_eq!(left[..2], [cpu / 2, cpu / 2]);
    assert!(left[2] <= cpu - Duration::from_millis(2) && left[2] >= cpu / 2, "{left:?}");
    assert!(learner.n_seen > 0);
}

/// The same seed gives the same decisions, and those are good ones.
#[test]
fn a_search_with_a_value_is_repeatable_and_plays_well() {
    let game = Cells { takes: true };
    let play = |seed| {
        let mut agent = Mcts::new(settings(Budget::iterations(200)));
        let (mut state, mut rng, mut made) = (game.start(), Rng::new(seed), Vec::new());
        loop {
            let player = match game.turn(&state) {
                Turn::Over(payoffs) => return (payoffs, made),
                _ => state.player(),
            };
            let action = if player == Player(0) {
                let mut context = Context { rng: &mut rng, stop: &Stop::new() };
                let choice = agent.choose(&game, &state, player, &mut context).unwrap();
                made.push((choice.action, choice.value));
                choice.action
            } else {
                game.random_action(&state, player, &mut Vec::new(), &mut rng)
            };
            agent.observe(&game, &state, &[action]);
            game.apply(&mut state, &[action]);
        }
    };
    assert_eq!(play(3), play(3));
    let won: f64 = (0..20).map(|seed| play(seed).0[Player(0)]).sum();
    assert!(won > 15.0, "{won} of 20");
}
