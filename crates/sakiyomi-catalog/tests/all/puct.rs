//! PUCT with an evaluator made by hand, on a real game.

use sakiyomi_core::{
    Agent, Budget, Context, Encode, Game, Payoffs, Player, PlayoutOptions, Rng, Show, Stop, Turn,
};
use sakiyomi_games::TicTacToe;
use sakiyomi_search::{
    Evaluation, EvaluationError, LeafEvaluator, LeafPosition, PlayoutEvaluator, PuctSearch,
    PuctSettings, RandomPlayer,
};

/// Prefers the middle and the corners, or the other cells, and knows nothing else.
#[derive(Clone, Copy, Debug)]
struct ByCell {
    likes_middle: bool,
}

impl LeafEvaluator<TicTacToe> for ByCell {
    fn evaluate(
        &mut self,
        game: &TicTacToe,
        leaves: &[LeafPosition<'_, TicTacToe>],
        _: &mut Rng,
    ) -> Result<Vec<Evaluation>, EvaluationError> {
        let each = |leaf: &LeafPosition<'_, TicTacToe>| {
            let player = leaf.players[0].0;
            let prior = |&action: &_| {
                let cell = game.action_index(leaf.state, player, action).unwrap();
                let is_good = cell.is_multiple_of(2);
                if is_good == self.likes_middle { 1.0 } else { 0.05 }
            };
            let priors = Some(leaf.actions.iter().map(prior).collect());
            Evaluation { payoffs: Payoffs::uniform(2, 0.5), priors }
        };
        Ok(leaves.iter().map(each).collect())
    }
}

fn settings(iterations: u64, batch: usize) -> PuctSettings {
    PuctSettings { batch, ..PuctSettings::new(Budget::iterations(iterations)) }
}

/// The action after these moves, as text.
fn answer(moves: &[&str], mut agent: impl Agent<TicTacToe>) -> String {
    let game = TicTacToe;
    let mut state = game.start();
    let mut player = Player(0);
    for text in moves {
        let action = game.parse(&state, player, text).unwrap();
        game.apply(&mut state, &[action]);
        player = Player(1 - player.0);
    }
    let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
    let choice = agent.choose(&game, &state, player, &mut context).unwrap();
    game.action_text(&state, player, choice.action)
}

#[test]
fn wins_and_threats_are_found_whatever_the_priors_are() {
    for batch in [1, 8] {
        for likes_middle in [true, false] {
            let agent =
                |iterations| PuctSearch::new(settings(iterations, batch), ByCell { likes_middle });
            assert_eq!(answer(&["a1", "b1", "a2", "b2"], agent(400)), "a3", "wins");
            assert_eq!(answer(&["a1", "b2", "a2"], agent(2_000)), "a3", "stops the other");
        }
        let first =
            answer(&[], PuctSearch::new(settings(20, batch), ByCell { likes_middle: true }));
        assert!(["a1", "a3", "b2", "c1", "c3"].contains(&first.as_str()), "{first}");
        let first =
            answer(&[], PuctSearch::new(settings(20, batch), ByCell { likes_middle: false }));
        assert!(["a2", "b1", "b3", "c2"].contains(&first.as_str()), "{first}");
    }
}

#[test]
fn playouts_as_evaluator_do_not_lose_to_random_play() {
    let game = TicTacToe;
    for batch in [1, 8] {
        for number in 0..20 {
            let mut rng = Rng::new(number);
            let own = Player((number % 2) as u8);
            let mut state = game.start();
            let evaluator = PlayoutEvaluator::new(PlayoutOptions::default());
            let mut agent = PuctSearch::new(settings(600, batch), evaluator);
            while let Turn::Choose(who) = game.turn(&state) {
                let player = who.single().unwrap();
                let mut context = Context { rng: &mut rng, stop: &Stop::new() };
                let choice = match player == own {
                    true => agent.choose(&game, &state, player, &mut context),
                    false => RandomPlayer.choose(&game, &state, player, &mut context),
                };
                let action = choice.unwrap().action;
                agent.observe(&game, &state, &[action]);
                game.apply(&mut state, &[action]);
            }
            let Turn::Over(payoffs) = game.turn(&state) else { unreachable!() };
            assert!(payoffs[own] > 0.0, "batch {batch}, match {number}");
        }
    }
}
