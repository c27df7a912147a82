//! Matches of an agent of the catalog against itself, to be learned from: what a network can begin with instead of
//! with nothing (Silver et al. 2016 began with matches of people). Every result depends on the seed alone.

use rayon::prelude::*;
use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, Seat, Visitor};
use sakiyomi_core::{Agent, Context, Forfeit, Player, Rng, Stop, Turn};

use crate::many_matches::{check, checked_payoffs, of_one_shape, opened};
use crate::numbers::Layout;
use crate::self_play::{GameRecord, SelfPlayError, Step};

/// Matches between two looks at whether to stop.
const AT_ONCE: u64 = 64;

/// What is to be played.
#[derive(Clone, Debug)]
pub struct AgentMatches {
    /// One game, or several of the same shape, which matches take in turn.
    pub games: Vec<GameSpec>,
    /// The agent of all seats.
    pub agent: AgentSpec,
    pub matches: u64,
    /// Every second match begins with up to this many random moves, which are not learned from.
    pub opening_plies: usize,
    /// In this many moves of a match the action is drawn from the agent's policy.
    pub drawn_moves: u32,
    pub seed: u64,
    /// Threads that play; 0 for one per core.
    pub threads: usize,
}

/// Plays all matches. `progress` is told how many have ended.
pub fn play_agent_matches(
    settings: &AgentMatches,
    stop: &Stop,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<GameRecord>, SelfPlayError> {
    let wrong = |what, found, expected| SelfPlayError::Setting { what, found, expected };
    let first = settings.games.first();
    let first = first.ok_or_else(|| wrong("games", "none".to_owned(), "at least one game"))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).build();
    let pool = pool.map_err(|error| {
        wrong("threads", format!("{} ({error})", settings.threads), "fewer threads")
    })?;
    first.with(Run { settings, stop, progress, pool: &pool })?
}

struct Run<'a> {
    settings: &'a AgentMatches,
    stop: &'a Stop,
    progress: &'a mut dyn FnMut(u64),
    pool: &'a rayon::ThreadPool,
}

impl Visitor for Run<'_> {
    type Out = Result<Vec<GameRecord>, SelfPlayError>;

    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        let Run { settings, stop, progress, pool } = self;
        let layout = Layout::of(&game);
        check(&layout, &settings.games[0])?;
        let games = of_one_shape(game, layout, &settings.games)?;
        let rules = Rules { games, layout, settings, stop };
        let mut records = Vec::new();
        while (records.len() as u64) < settings.matches {
            let first = records.len() as u64;
            let numbers = first..(first + AT_ONCE).min(settings.matches);
            let played: Result<Vec<_>, _> =
                pool.install(|| numbers.into_par_iter().map(|number| rules.play(number)).collect());
            records.append(&mut played?);
            if stop.requested() {
                return Err(SelfPlayError::Stopped);
            }
            progress(records.len() as u64);
        }
        Ok(records)
    }
}

struct Rules<'a, G> {
    games: Vec<G>,
    layout: Layout,
    settings: &'a AgentMatches,
    stop: &'a Stop,
}

impl<G: CatalogGame> Rules<'_, G> {
    fn play(&self, number: u64) -> Result<GameRecord, SelfPlayError> {
        let AgentMatches { games, opening_plies, drawn_moves, seed, .. } = self.settings;
        let place = (number % games.len() as u64) as usize;
        let (game, spec) = (&self.games[place], &games[place]);
        let mut agents = self.agents(game, spec, number)?;
        let mut rng = Rng::stream(&[*seed, number]);
        let mut state = opened(game, number, *opening_plies, &mut rng);
        let (mut steps, mut moves) = (Vec::new(), 0);
        let forfeit = |Forfeit { reason }| SelfPlayError::Forfeit { number, reason };
        loop {
            let in_turn = || SelfPlayError::NotInTurn { game: spec.to_string() };
            let player = match game.turn(&state) {
                Turn::Over(payoffs) => {
                    let payoffs = checked_payoffs(&payoffs, game.players()).ok_or_else(in_turn)?;
                    return Ok(GameRecord { number, seat: None, steps, payoffs });
                }
                Turn::Choose(who) => who.single().ok_or_else(in_turn)?,
                Turn::Chance => return Err(in_turn()),
            };
            let mut context = Context { rng: &mut rng, stop: self.stop };
            let choice = agents[player.index()].choose(game, &state, player, &mut context);
            let choice = choice.map_err(forfeit)?;
            let value = choice.value.unwrap_or(0.5);
            steps.push(Step::of(game, &self.layout, &state, player, &choice.policy, value));
            let action = match moves < *drawn_moves && !choice.policy.is_empty() {
                true => choice.policy[rng.weighted(choice.policy.iter().map(|each| each.1))].0,
                false => choice.action,
            };
            for agent in &mut agents {
                agent.observe(game, &state, &[action]);
            }
            game.apply(&mut state, &[action]);
            moves += 1;
        }
    }

    fn agents(
        &self,
        game: &G,
        spec: &GameSpec,
        number: u64,
    ) -> Result<Vec<Box<dyn Agent<G>>>, SelfPlayError> {
        let AgentMatches { agent, seed, .. } = self.settings;
        let seat = |player| Seat { game: spec, player, seed: seed.wrapping_add(number) };
        let players = (0..game.players()).map(|i| Player(i as u8));
        Ok(players.map(|player| agent.build(game, &seat(player))).collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(game: &str, agent: &str, threads: usize) -> Vec<GameRecord> {
        let settings = AgentMatches {
            games: vec![game.parse().unwrap()],
            agent: agent.parse().unwrap(),
            matches: 70,
            opening_plies: 3,
            drawn_moves: 2,
            seed: 3,
            threads,
        };
        play_agent_matches(&settings, &Stop::new(), &mut |_| {}).unwrap()
    }

    #[test]
    fn matches_are_those_of_the_agent_and_do_not_depend_on_threads() {
        let records = play("tic-tac-toe", "uct:iterations=400", 1);
        let numbers: Vec<u64> = records.iter().map(|record| record.number).collect();
        assert_eq!(numbers, (0..70).collect::<Vec<_>>());
        let again = play("tic-tac-toe", "uct:iterations=400", 2);
        assert_eq!(format!("{records:?}"), format!("{again:?}"));
        for step in records.iter().flat_map(|record| &record.steps) {
            let sum: f32 = step.policy.iter().map(|(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-3, "{sum}");
            assert!((0.0..=1.0).contains(&step.value));
        }
        // Most that begin without random moves are drawn, although the first two moves follow the visits.
        let drawn =
            |record: &&GameRecord| record.number.is_multiple_of(2) && record.payoffs == [0.5, 0.5];
        assert!(records.iter().filter(drawn).count() > 17);
        let random = play("tic-tac-toe", "random", 1);
        assert!(random.iter().filter(drawn).count() < 10);
    }

    #[test]
    fn games_that_no_search_in_turn_plays_are_refused() {
        let settings = AgentMatches {
            games: vec!["sangoku".parse().unwrap()],
            agent: "random".parse().unwrap(),
            matches: 1,
            opening_plies: 0,
            drawn_moves: 0,
            seed: 1,
            threads: 1,
        };
        let refused = play_agent_matches(&settings, &Stop::new(), &mut |_| {});
        assert!(matches!(refused, Err(SelfPlayError::NotInTurn { .. })), "{refused:?}");
    }
}
