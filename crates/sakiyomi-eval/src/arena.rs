//! One match between agents, at full speed.

use sakiyomi_core::{Agent, Context, Game, Payoffs, Player, Rng, Stop, Turn};

/// How a match went.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    pub payoffs: Payoffs,
    /// Steps in which players chose.
    pub n_turns: u32,
    /// Who gave up, and why.
    pub forfeit: Option<(Player, String)>,
}

/// Plays one match from the start; `agents` has one agent per player. `chance` decides what nature
/// does, and each player draws from a stream of its own, so that nobody's luck depends on how much
/// another one thinks.
pub fn play_match<G: Game>(
    game: &G,
    agents: &mut [Box<dyn Agent<G>>],
    mut chance: Rng,
    players: &mut [Rng],
    stop: &Stop,
) -> Match {
    let mut state = game.start();
    let (mut joint, mut outcomes) = (Vec::new(), Vec::new());
    let mut n_turns = 0;
    loop {
        joint.clear();
        match game.turn(&state) {
            Turn::Over(payoffs) => return Match { payoffs, n_turns, forfeit: None },
            Turn::Chance => joint.push(game.sample(&state, &mut outcomes, &mut chance)),
            Turn::Choose(who) => {
                n_turns += 1;
                for player in who {
                    let mut context = Context { rng: &mut players[player.index()], stop };
                    let agent = &mut agents[player.index()];
                    match agent.choose(game, &state, player, &mut context) {
                        Ok(choice) => joint.push(choice.action),
                        Err(forfeit) => {
                            let payoffs = Payoffs::forfeit(player, game.players());
                            let forfeit = Some((player, forfeit.reason));
                            return Match { payoffs, n_turns, forfeit };
                        }
                    }
                }
            }
        }
        for agent in agents.iter_mut() {
            agent.observe(game, &state, &joint);
        }
        game.apply(&mut state, &joint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::toy::{Toy, Word};
    use sakiyomi_core::{Choice, Forfeit};

    /// Plays the words it was given, then gives up.
    struct Script(Vec<Word>);

    impl Agent<Toy> for Script {
        fn choose(
            &mut self,
            _: &Toy,
            _: &u16,
            _: Player,
            _: &mut Context<'_>,
        ) -> Result<Choice<Word>, Forfeit> {
            let action = self.0.pop().ok_or(Forfeit { reason: "no more words".into() })?;
            Ok(Choice { action, policy: vec![(action, 1.0)], value: None, iterations: 0, nodes: 0 })
        }
    }

    fn play(toy: &Toy, scripts: [&[&str]; 2]) -> Match {
        let agent = |words: &[&str]| -> Box<dyn Agent<Toy>> {
            Box::new(Script(words.iter().rev().map(|word| toy.word(word)).collect()))
        };
        let mut agents = scripts.map(agent);
        let mut rngs = [Rng::new(1), Rng::new(2)];
        play_match(toy, &mut agents, Rng::new(0), &mut rngs, &Stop::new())
    }

    #[test]
    fn turns_chance_and_simultaneous_choices_are_played_in_order() {
        let toy = Toy::read(
            "start: 1 go -> coin
             coin: chance only 1 -> duel
             duel: 0+1 a/x -> 0.1 0.9  a/y -> 0.2 0.8  b/x -> 0.3 0.7  b/y -> 0.4 0.6",
        )
        .unwrap();
        let game = play(&toy, [&["b"], &["go", "x"]]);
        assert_eq!(game.payoffs, Payoffs::of([0.3, 0.7]));
        assert_eq!((game.n_turns, game.forfeit), (2, None));
    }

    #[test]
    fn giving_up_loses_the_match() {
        let toy = Toy::read("start: 0 a -> b\nb: 1 x -> 0 1").unwrap();
        let game = play(&toy, [&["a"], &[]]);
        assert_eq!(game.payoffs, Payoffs::of([1.0, 0.0]));
        assert_eq!(game.forfeit, Some((Player(1), "no more words".to_owned())));
    }
}
