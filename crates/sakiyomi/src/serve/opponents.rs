//! Opponents of increasing strength for a person who does not want to choose parameters.

use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, Seat, Visitor};
use sakiyomi_core::{MAX_PLAYERS, Player, Turn};

use super::api::{AgentCheck, ApiError, Level, Opponent};
use super::{guard, networks};

const LEVELS: [Level; 4] = [Level::Easy, Level::Medium, Level::Hard, Level::Strongest];

/// Opponents in games that have none of their own. Those by time end as soon as a move is proven.
const IN_TURN: [&str; 4] =
    ["uct:iterations=30", "uct:iterations=2000", "uct:time=1s,solver", "uct:time=5s,solver"];
const AT_ONCE: [&str; 4] = ["rm:iterations=30", "rm:iterations=2000", "rm:time=1s", "rm:time=5s"];

/// The opponents that can play a game, the easiest first. There is always one.
pub(super) fn opponents(game: &GameSpec, turn: &Turn, agents: &[String]) -> Vec<Opponent> {
    let is_at_once = matches!(turn, Turn::Choose(who) if who.len() > 1);
    let usual = if is_at_once { AT_ONCE } else { IN_TURN };
    let can_play = |spec: &str| agents.iter().any(|agent| spec.split(':').next() == Some(agent));
    let levels = LEVELS.into_iter().zip(game.opponents().unwrap_or(usual));
    let found: Vec<Opponent> = levels
        .filter(|(_, spec)| can_play(spec))
        .map(|(level, spec)| Opponent { level, agent: spec.to_owned() })
        .collect();
    if found.is_empty() {
        vec![Opponent { level: Level::Easy, agent: "random".to_owned() }]
    } else {
        found
    }
}

/// Who is proposed at first: not the easiest, not the strongest.
pub(super) fn suggested(opponents: &[Opponent]) -> String {
    let medium = opponents.iter().find(|opponent| opponent.level == Level::Medium);
    medium.or(opponents.first()).map_or(String::new(), |opponent| opponent.agent.clone())
}

/// The names of the agents that can play a game with their defaults, and the agents of networks that fit it.
pub(super) struct Suited<'a>(pub(super) &'a GameSpec);

impl Visitor for Suited<'_> {
    type Out = Vec<String>;

    fn visit<G: CatalogGame>(self, game: G) -> Vec<String> {
        let seat = Seat { game: self.0, player: Player(0), seed: 1 };
        let can_play = |name: &str| {
            // As it would think for the page: with the same limits.
            guard::agent(name).is_ok_and(|agent| agent.build(&game, &seat).is_ok())
        };
        let names = AgentSpec::entries().iter().map(|agent| agent.name.to_owned());
        names.chain(networks::offered_agents()).filter(|name| can_play(name)).collect()
    }
}

/// Whether each of these agents can play a game.
pub(super) struct Check<'a> {
    pub(super) game: &'a GameSpec,
    pub(super) agents: &'a [String],
}

impl Visitor for Check<'_> {
    type Out = Vec<AgentCheck>;

    fn visit<G: CatalogGame>(self, game: G) -> Vec<AgentCheck> {
        let seat = Seat { game: self.game, player: Player(0), seed: 1 };
        let check = |text: &String| {
            let built = guard::agent(text).and_then(|agent| {
                agent.build(&game, &seat).map_err(|error| ApiError::agent(&error))
            });
            AgentCheck {
                agent: text.clone(),
                problem: built.err().map_or(String::new(), |error| error.message),
                is_cut_short: guard::is_cut_short(text),
            }
        };
        self.agents.iter().take(MAX_PLAYERS).map(check).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spec_is_one() {
        let games = GameSpec::entries().iter().map(|entry| entry.name.parse::<GameSpec>().unwrap());
        let own = games.filter_map(|game| game.opponents());
        for spec in own.chain([IN_TURN, AT_ONCE]).flatten() {
            let agent: AgentSpec = spec.parse().unwrap_or_else(|error| panic!("{spec}: {error}"));
            assert_eq!(agent.to_string(), spec, "a page recognises a level by its text");
        }
    }
}
