//! Matches between agents, at full speed. Everything random in a match follows from the seed and
//! the match's number.

use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, Record, Seat, SpecError, Visitor};
use sakiyomi_core::stats::Tally;
use sakiyomi_core::{Agent, Context, Game, Hint, Payoffs, Player, Rng, Show, Stop, Turn};

/// Two agents at one game, and the seed of all their matches.
///
/// A round is one match per seat: the first agent takes each seat once and the second agent all
/// others. The chance of the game is the same in all matches of a round.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairing {
    pub game: GameSpec,
    pub agents: [AgentSpec; 2],
    pub seed: u64,
}

/// One numbered match of a pairing, as it counts for the first agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    pub number: u64,
    pub outcome: Outcome,
    pub payoff: f64,
    pub n_turns: u32,
    /// The rounds that were begun, if the game counts rounds; otherwise the turns.
    pub length: u32,
    /// Whether it was the first agent that gave up, and why.
    pub forfeit: Option<(bool, String)>,
    /// What was played, if it was to be kept.
    pub record: Option<Record>,
}

/// A payoff compared with the best of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Win,
    Draw,
    Loss,
}

impl Outcome {
    pub fn tally(self) -> Tally {
        let is = |outcome| u64::from(self == outcome);
        Tally { wins: is(Outcome::Win), draws: is(Outcome::Draw), losses: is(Outcome::Loss) }
    }
}

impl Pairing {
    /// Tries to build both agents, so that what cannot be played is an error before the first match.
    pub fn check<G: CatalogGame>(&self, game: &G) -> Result<(), SpecError> {
        let seat = Seat { game: &self.game, player: Player(0), seed: self.seed };
        self.agents.iter().try_for_each(|agent| agent.build(game, &seat).map(drop))
    }

    /// [`Pairing::check`] on the game itself.
    pub fn try_out(&self) -> Result<(), SpecError> {
        struct TryOut<'a>(&'a Pairing);
        impl Visitor for TryOut<'_> {
            type Out = Result<(), SpecError>;
            fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
                self.0.check(&game)
            }
        }
        self.game.with(TryOut(self))?
    }

    /// Plays the match with this number. The pairing must have been checked.
    pub fn play<G: CatalogGame>(&self, game: &G, number: u64, keep: bool, stop: &Stop) -> Played {
        let n_players = game.players() as u64;
        let first = Player((number % n_players) as u8);
        let players = || (0..n_players).map(|i| Player(i as u8));
        let mut agents: Vec<_> = players()
            .map(|player| {
                let seat = Seat { game: &self.game, player, seed: self.seed ^ number };
                let agent = &self.agents[usize::from(player != first)];
                agent.build(game, &seat).expect("both agents were built before")
            })
            .collect();
        // Streams by purpose: 0 is chance, which the matches of a round share; then the seats.
        let chance = Rng::stream(&[self.seed, number / n_players, 0]);
        let stream = |player: Player| Rng::stream(&[self.seed, number, 1 + u64::from(player.0)]);
        let mut rngs: Vec<Rng> = players().map(stream).collect();
        let mut moves = Vec::new();
        let counts_rounds = game.provides().contains(Hint::Rounds);
        let mut n_rounds = 0;
        let played =
            play_match(game, &mut agents, chance, &mut rngs, stop, &mut |state, actions| {
                n_rounds = game.round(state) + 1;
                if keep {
                    moves.push(texts(game, state, actions));
                }
            });
        let others = players().filter(|&player| player != first);
        let best_other = others.map(|player| played.payoffs[player]).fold(f64::MIN, f64::max);
        let payoff = played.payoffs[first];
        Played {
            number,
            outcome: match payoff {
                _ if payoff > best_other => Outcome::Win,
                _ if payoff < best_other => Outcome::Loss,
                _ => Outcome::Draw,
            },
            payoff,
            n_turns: played.n_turns,
            length: if counts_rounds { n_rounds } else { played.n_turns },
            forfeit: played.forfeit.map(|(player, reason)| (player == first, reason)),
            record: keep.then(|| Record { game: self.game.clone(), seed: self.seed, moves }),
        }
    }
}

/// One text per action of a step.
fn texts<G: Show>(game: &G, state: &G::State, actions: &[G::Action]) -> Vec<String> {
    match game.turn(state) {
        Turn::Choose(who) => {
            who.zip(actions).map(|(player, &a)| game.action_text(state, player, a)).collect()
        }
        _ => vec![game.outcome_text(state, actions[0])],
    }
}

/// How a match went.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    pub payoffs: Payoffs,
    /// Steps in which players chose.
    pub n_turns: u32,
    /// Who gave up, and why.
    pub forfeit: Option<(Player, String)>,
}

/// Who sees every step of a match: the state before it, and what is played there.
pub type Watch<'a, G> = dyn FnMut(&<G as Game>::State, &[<G as Game>::Action]) + 'a;

/// Plays one match from the start; `agents` has one agent per player. `chance` decides what nature
/// does, and each player draws from a stream of its own, so that nobody's luck depends on how much
/// another one thinks.
pub fn play_match<G: Game>(
    game: &G,
    agents: &mut [Box<dyn Agent<G>>],
    mut chance: Rng,
    players: &mut [Rng],
    stop: &Stop,
    watch: &mut Watch<'_, G>,
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
        watch(&state, &joint);
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
        play_match(toy, &mut agents, Rng::new(0), &mut rngs, &Stop::new(), &mut |_, _| {})
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
