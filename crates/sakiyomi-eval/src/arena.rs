//! Matches between agents, at full speed. Everything random in a match follows from the seed and
//! the match's number.

use sakiyomi_catalog::{
    AgentSpec, CatalogGame, GameSpec, Record, Seat, SpecError, Visitor, step_texts,
};
use sakiyomi_core::hash::Fnv64;
use sakiyomi_core::stats::Tally;
use sakiyomi_core::{Agent, Context, Game, Hint, Payoffs, Player, Rng, Stop, Turn};
use serde::{Deserialize, Serialize};

use crate::course::Course;
use crate::measure::{Ended, Measures};
use crate::opening::{LateAgent, Openings};

/// Agents at one game, and the seed of all their matches.
///
/// A round is one match per seat: the first agent takes each seat once and the second agent all
/// others. If there are more agents, those after the first take the seats that follow it in turn.
/// The chance of the game is the same in all matches of a round, and so is their opening.
///
/// An agent alone plays against itself: it has all seats, each match is a round, and what happens along
/// the match is measured too, which takes longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pairing {
    pub game: GameSpec,
    /// The first, and others unless it plays against itself.
    pub agents: Vec<AgentSpec>,
    pub seed: u64,
    /// Random first moves, if matches do not begin at the start of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<Openings>,
    /// The first agent always has the first seat: there is only the first match of each round, and
    /// match `n` is that of round `n`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_seat: bool,
    /// How many first choices of each player are drawn at random, for agents that would always play
    /// the same game. Unlike an opening they are drawn for every match.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub random_choices: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// One numbered match of a pairing, as it counts for the first agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    pub number: u64,
    pub outcome: Outcome,
    pub measures: Measures,
    /// A hash of the first agent's seat and of all that was played: matches with the same key are
    /// the same match. Results of before have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<Forfeited>,
    /// What was played, if it was to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
}

/// How a match was given up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forfeited {
    /// Whether it was the first agent that gave up.
    pub first: bool,
    pub reason: String,
}

/// A payoff compared with the best of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    #[serde(rename = "W")]
    Win,
    #[serde(rename = "D")]
    Draw,
    #[serde(rename = "L")]
    Loss,
}

impl Outcome {
    pub fn tally(self) -> Tally {
        let is = |outcome| u64::from(self == outcome);
        Tally { wins: is(Outcome::Win), draws: is(Outcome::Draw), losses: is(Outcome::Loss) }
    }

    pub fn letter(self) -> char {
        match self {
            Outcome::Win => 'W',
            Outcome::Draw => 'D',
            Outcome::Loss => 'L',
        }
    }

    pub fn from_letter(letter: char) -> Option<Outcome> {
        [Outcome::Win, Outcome::Draw, Outcome::Loss].into_iter().find(|o| o.letter() == letter)
    }
}

impl Pairing {
    pub fn new(game: GameSpec, agents: [AgentSpec; 2], seed: u64) -> Pairing {
        Pairing::of(game, agents.into(), seed)
    }

    /// An agent against itself.
    pub fn self_play(game: GameSpec, agent: AgentSpec, seed: u64) -> Pairing {
        Pairing::of(game, vec![agent], seed)
    }

    /// These agents, from the start of the game and in all seats.
    pub fn of(game: GameSpec, agents: Vec<AgentSpec>, seed: u64) -> Pairing {
        Pairing { game, agents, seed, openings: None, first_seat: false, random_choices: 0 }
    }

    pub fn is_self_play(&self) -> bool {
        self.agents.len() == 1
    }

    /// Whether every match is a round of its own, in which the first agent has the first seat.
    pub(crate) fn has_single_rounds(&self) -> bool {
        self.first_seat || self.is_self_play()
    }

    /// Everyone but the first agent, as one text.
    pub fn others_text(&self) -> String {
        let others = self.agents.iter().skip(1).map(AgentSpec::to_string);
        others.collect::<Vec<_>>().join(JOINED)
    }

    pub(crate) fn check_number(&self, n_players: usize) -> Result<(), SpecError> {
        let n_agents = self.agents.len();
        if (1..=n_players.max(2)).contains(&n_agents) {
            return Ok(());
        }
        let message = format!("{n_agents} agents; it has seats for 1 to {n_players}");
        Err(SpecError { spec: self.game.to_string(), message })
    }

    /// The agent of a player in a match in which the first agent has the seat `first`.
    fn agent_of(&self, player: Player, first: Player, n_players: usize) -> &AgentSpec {
        let offset = (player.index() + n_players - first.index()) % n_players;
        let n_others = self.agents.len() - 1;
        &self.agents[if offset == 0 || n_others == 0 { 0 } else { 1 + (offset - 1) % n_others }]
    }

    /// Tries to build both agents, so that what cannot be played is an error before the first
    /// match.
    pub fn check<G: CatalogGame>(&self, game: &G) -> Result<(), SpecError> {
        let seat = Seat { game: &self.game, player: Player(0), seed: self.seed };
        self.check_number(game.players())?;
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

    /// Plays the match with this number; the agents must be as many as [`Pairing::check`] wants.
    pub fn play<G: CatalogGame>(
        &self,
        game: &G,
        number: u64,
        keep: bool,
        stop: &Stop,
    ) -> Result<Played, SpecError> {
        let n_players = game.players() as u64;
        let own_number = number;
        let number = if self.has_single_rounds() { number * n_players } else { number };
        let first = Player((number % n_players) as u8);
        let players = || (0..n_players).map(|i| Player(i as u8));
        let mut agents = players()
            .map(|player| self.seated(game, player, first, number))
            .collect::<Result<Vec<_>, _>>()?;
        let mut course = self.is_self_play().then(|| Course::new(game));
        if let Some(course) = &course {
            agents = agents.into_iter().map(|agent| course.listen_to(agent)).collect();
        }
        // Streams by purpose: 0 is chance, which the matches of a round share; then the seats.
        let chance = Rng::stream(&[self.seed, number / n_players, 0]);
        let stream = |player: Player| Rng::stream(&[self.seed, number, 1 + u64::from(player.0)]);
        let mut rngs: Vec<Rng> = players().map(stream).collect();
        let opening = self.openings.map(|all| all.steps(game, self.seed, number / n_players));
        let (mut moves, mut n_rounds) = (Vec::new(), 0);
        let mut key = Fnv64::default();
        key.write(&[first.0]);
        let mut watch = |state: &G::State, actions: &[G::Action]| {
            n_rounds = game.round(state) + 1;
            if let Some(course) = &mut course {
                course.step(game, state);
            }
            let texts = step_texts(game, state, actions);
            texts.iter().for_each(|text| key.write_field(text.as_bytes()));
            if keep {
                moves.push(texts);
            }
        };
        let opening = opening.unwrap_or_default();
        let played = play_match(game, &mut agents, &opening, chance, &mut rngs, stop, &mut watch);
        if let Some(message) = game.trouble(&played.end) {
            return Err(SpecError { spec: self.game.to_string(), message });
        }
        let has = |hint| game.provides().contains(hint);
        let course = course.map(|course| course.measures(&played.payoffs)).unwrap_or_default();
        Ok(Played {
            number: own_number,
            outcome: outcome(&played.payoffs, first, game.players()),
            measures: Measures::read(&Ended {
                payoffs: played.payoffs,
                first,
                n_players: game.players(),
                n_turns: played.n_turns,
                n_rounds: has(Hint::Rounds).then_some(n_rounds),
                progress: has(Hint::Progress).then(|| game.progress(&played.end)),
                estimate: match has(Hint::Estimate) {
                    true => game.estimate(&played.end),
                    false => None,
                },
                course,
            }),
            key: Some(key.finish()),
            forfeit: played
                .forfeit
                .map(|(player, reason)| Forfeited { first: player == first, reason }),
            record: keep.then(|| Record { game: self.game.clone(), seed: self.seed, moves }),
        })
    }

    /// The agent of a player, ready for the match with this number.
    fn seated<G: CatalogGame>(
        &self,
        game: &G,
        player: Player,
        first: Player,
        number: u64,
    ) -> Result<Box<dyn Agent<G>>, SpecError> {
        let seat = Seat { game: &self.game, player, seed: self.seed ^ number };
        let agent = self.agent_of(player, first, game.players()).build(game, &seat)?;
        Ok(match self.random_choices {
            0 => agent,
            n => Box::new(LateAgent::new(agent, n)),
        })
    }
}

/// What stands between the texts of several agents.
const JOINED: &str = " + ";

/// Reads the text of one agent, or of several with ` + ` between them.
pub fn parse_agents(text: &str) -> Result<Vec<AgentSpec>, SpecError> {
    // A program may have this sign among its arguments.
    match text.parse() {
        Ok(agent) => Ok(vec![agent]),
        Err(_) if text.contains(JOINED) => text.split(JOINED).map(str::parse).collect(),
        Err(error) => Err(error),
    }
}

pub(crate) fn outcome(payoffs: &Payoffs, first: Player, n_players: usize) -> Outcome {
    let others = (0..n_players).map(|i| Player(i as u8)).filter(|&player| player != first);
    let best_other = others.map(|player| payoffs[player]).fold(f64::MIN, f64::max);
    match payoffs[first] {
        own if own > best_other => Outcome::Win,
        own if own < best_other => Outcome::Loss,
        _ => Outcome::Draw,
    }
}

/// How a match went, and where it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Match<S> {
    pub payoffs: Payoffs,
    pub end: S,
    /// Steps in which players chose.
    pub n_turns: u32,
    /// Who gave up, and why.
    pub forfeit: Option<(Player, String)>,
}

/// Who sees every step of a match: the state before it, and what is played there.
pub type Watch<'a, G> = dyn FnMut(&<G as Game>::State, &[<G as Game>::Action]) + 'a;

/// Plays one match from the start; `agents` has one agent per player. The steps of the opening are
/// played as they are. Then `chance` decides what nature does, and each player draws from a stream
/// of its own, so that the luck of one does not depend on how much another one thinks.
pub fn play_match<G: Game>(
    game: &G,
    agents: &mut [Box<dyn Agent<G> + '_>],
    opening: &[Vec<G::Action>],
    mut chance: Rng,
    players: &mut [Rng],
    stop: &Stop,
    watch: &mut Watch<'_, G>,
) -> Match<G::State> {
    let mut state = game.start();
    let (mut joint, mut outcomes) = (Vec::new(), Vec::new());
    let mut n_turns = 0;
    let mut opening = opening.iter();
    loop {
        joint.clear();
        let turn = game.turn(&state);
        let given = opening.next();
        joint.extend(given.into_iter().flatten());
        match turn {
            Turn::Over(payoffs) => return Match { payoffs, end: state, n_turns, forfeit: None },
            turn if given.is_some() => n_turns += u32::from(turn != Turn::Chance),
            Turn::Chance => joint.push(game.sample(&state, &mut outcomes, &mut chance)),
            Turn::Choose(who) => {
                n_turns += 1;
                for player in who {
                    let mut context = Context { rng: &mut players[player.index()], stop };
                    let agent = &mut agents[player.index()];
                    match agent.choose(game, &game.seen_by(&state, player), player, &mut context) {
                        Ok(choice) => joint.push(choice.action),
                        Err(forfeit) => {
                            let payoffs = Payoffs::forfeit(player, game.players());
                            let forfeit = Some((player, forfeit.reason));
                            return Match { payoffs, end: state, n_turns, forfeit };
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

    fn play(toy: &Toy, scripts: [&[&str]; 2]) -> Match<u16> {
        let agent = |words: &[&str]| -> Box<dyn Agent<Toy>> {
            Box::new(Script(words.iter().rev().map(|word| toy.word(word)).collect()))
        };
        let mut agents = scripts.map(agent);
        let mut rngs = [Rng::new(1), Rng::new(2)];
        play_match(toy, &mut agents, &[], Rng::new(0), &mut rngs, &Stop::new(), &mut |_, _| {})
    }

    /// Agents see the opening and choose after it; it is the same from every seat and follows from
    /// its number.
    #[test]
    fn openings_are_shared_by_the_seats_of_a_round() {
        let agents = ["uct:iterations=30".parse().unwrap(), "random".parse().unwrap()];
        let openings = Some("openings=3,plies=4".parse().unwrap());
        for game in ["connect-four", "hagetaka:n=6,players=3", "sangoku"] {
            let game: GameSpec = game.parse().unwrap();
            let n_players = game.players().unwrap() as u64;
            let pairing = Pairing { openings, ..Pairing::new(game, agents.clone(), 3) };
            let records: Vec<Record> = (0..5 * n_players)
                .map(|number| {
                    struct Play<'a>(&'a Pairing, u64);
                    impl Visitor for Play<'_> {
                        type Out = Played;
                        fn visit<G: CatalogGame>(self, game: G) -> Played {
                            self.0.play(&game, self.1, true, &Stop::new()).unwrap()
                        }
                    }
                    pairing.game.with(Play(&pairing, number)).unwrap().record.unwrap()
                })
                .collect();
            let opening =
                |round: u64, seat: u64| &records[(round * n_players + seat) as usize].moves[..4];
            for round in 0..5 {
                assert!((1..n_players).all(|seat| opening(round, seat) == opening(round, 0)));
            }
            assert_eq!(opening(0, 0), opening(3, 0), "openings come again");
            assert_ne!(opening(0, 0), opening(1, 0), "{:?}", opening(0, 0));
            records.iter().for_each(|record| drop(sakiyomi_catalog::replay(record).unwrap()));
        }
    }

    #[test]
    fn more_agents_take_the_seats_after_the_first_in_turn() {
        let texts = ["rm:iterations=1", "random", "rule-based"];
        let agents: Vec<AgentSpec> = texts.map(|text| text.parse().unwrap()).into();
        let game: GameSpec = "hagetaka:n=6,players=4".parse().unwrap();
        let pairing = Pairing::of(game, agents, 1);
        let seats = |first: u8| -> Vec<String> {
            (0..4).map(|i| pairing.agent_of(Player(i), Player(first), 4).to_string()).collect()
        };
        assert_eq!(seats(0), ["rm:iterations=1", "random", "rule-based", "random"]);
        assert_eq!(seats(2), ["rule-based", "random", "rm:iterations=1", "random"]);
        assert_eq!(pairing.others_text(), "random + rule-based");
        assert_eq!(parse_agents(&pairing.others_text()).unwrap(), pairing.agents[1..]);
        assert_eq!(parse_agents("exec:sh -c 'a + b'").unwrap().len(), 1);
        assert!(parse_agents("random + nobody").unwrap_err().to_string().contains("`nobody`"));
        let alone = Pairing { agents: pairing.agents[..1].to_vec(), ..pairing.clone() };
        assert_eq!(alone.agent_of(Player(2), Player(0), 4), &alone.agents[0]);
        let few = Pairing { agents: Vec::new(), ..pairing.clone() };
        assert!(few.try_out().unwrap_err().to_string().contains("0 agents"));
        let two_seats = Pairing { game: "tic-tac-toe".parse().unwrap(), ..pairing };
        assert!(two_seats.try_out().unwrap_err().to_string().contains("seats for 1 to 2"));
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
