//! What may be asked for: games, agents and networks by the text of a request.

use std::time::Duration;

use sakiyomi_catalog::{
    AgentSpec, GameSpec, GdlSpec, Named, NetworkSource, Record, RuleSheet, kept_rules,
};
use sakiyomi_core::Budget;

use super::api::{ApiError, ErrorCode, MatchRecord};
use super::limits::LIMITS;
use super::networks;
use super::queues::Kind;

/// Reads a game. A page may not name files of the server, nor ask for more than is usual to make it.
pub(super) fn game(text: &str) -> Result<GameSpec, ApiError> {
    let mut game: GameSpec = text.parse()?;
    if game.file().is_some() {
        let message =
            format!("`{text}`: files of the server are not for the page; hand over the text");
        return Err(ApiError::new(ErrorCode::Refused, message));
    }
    if let GameSpec::Gdl(Named { settings: spec, .. }) = game.base_mut() {
        if let RuleSheet::Kept(name) = &spec.sheet
            && kept_rules(name).is_none()
        {
            let message = format!("the rules `{name}` are not here; hand over their text again");
            return Err(ApiError::new(ErrorCode::UnknownRules, message));
        }
        let usual = GdlSpec::new(spec.sheet.clone());
        spec.time = spec.time.min(usual.time);
        spec.memory = spec.memory.min(usual.memory);
    }
    Ok(game)
}

/// Rules that were handed over have a queue of their own.
pub(super) fn kind(game: &str) -> Kind {
    let game = game.parse::<GameSpec>();
    match game.as_ref().map(GameSpec::base) {
        Ok(GameSpec::Gdl(Named { settings, .. }))
            if matches!(settings.sheet, RuleSheet::Kept(_)) =>
        {
            Kind::Rules
        }
        _ => Kind::Positions,
    }
}

pub(super) fn record(record: &MatchRecord) -> Result<Record, ApiError> {
    let MatchRecord { game: name, seed, moves } = record;
    Ok(Record { game: game(name)?, seed: *seed, moves: moves.clone() })
}

/// Reads an agent that thinks for a page, and keeps it within the limits.
pub(super) fn agent(text: &str) -> Result<AgentSpec, ApiError> {
    let mut agent = player(text)?;
    if let AgentSpec::Exact(Named { settings, .. }) = agent.thinking_mut() {
        settings.memory = settings.memory.min(LIMITS.memory_bytes);
    }
    if let Some(budget) = agent.budget_mut() {
        let limit = Duration::from_secs_f64(LIMITS.seconds);
        budget.wall = Some(budget.wall.map_or(limit, |wall| wall.min(limit)));
        budget.memory = budget.memory.min(LIMITS.memory_bytes);
    }
    Ok(agent)
}

/// Whether an agent asks for more time than it gets.
pub(super) fn is_cut_short(text: &str) -> bool {
    let limit = Duration::from_secs_f64(LIMITS.seconds);
    let agent: Option<AgentSpec> = text.parse().ok();
    agent.is_some_and(|mut agent| {
        agent.budget_mut().is_some_and(|budget| budget.wall.is_some_and(|wall| wall > limit))
    })
}

/// What an agent that thinks for a page may hold.
pub(super) fn memory(agent: &AgentSpec) -> u64 {
    match agent.clone().thinking_mut() {
        AgentSpec::Exact(Named { settings, .. }) => settings.memory,
        _ => agent.clone().budget_mut().map_or(SMALL_MEMORY, |budget| budget.memory),
    }
}

/// Threads of an agent that thinks for a page.
pub(super) fn threads(agent: &AgentSpec) -> u32 {
    match agent.clone().thinking_mut() {
        AgentSpec::Tree(Named { settings, .. }) => settings.search.tree.trees.clamp(1, MAX_TREES),
        _ => 1,
    }
}

/// For agents without a tree.
const SMALL_MEMORY: u64 = 1 << 20;

/// Reads an agent that plays in a job. Its results are found by its name, so only what is beyond the
/// usual is cut. A page may not start programs or name files.
pub(super) fn player(text: &str) -> Result<AgentSpec, ApiError> {
    let mut agent: AgentSpec = text.parse().map_err(|error| ApiError::agent(&error))?;
    if agent.uses_machine() && resolve(&mut agent).is_none() {
        let message = format!(
            "`{text}`: programs and files of the server are not for the page; a network is, if it is \
             offered with `sakiyomi serve --network FILE`"
        );
        return Err(ApiError::new(ErrorCode::Refused, message));
    }
    match agent.thinking_mut() {
        AgentSpec::Exact(Named { settings, .. }) => {
            settings.memory = settings.memory.min(Budget::DEFAULT_MEMORY);
        }
        AgentSpec::Tree(Named { settings, .. }) => {
            let trees = &mut settings.search.tree.trees;
            *trees = (*trees).min(MAX_TREES);
        }
        _ => {}
    }
    if let Some(budget) = agent.budget_mut() {
        budget.memory = budget.memory.min(Budget::DEFAULT_MEMORY);
    }
    Ok(agent)
}

/// Puts the file of a network that is offered in the place of its name; nothing if it is none.
fn resolve(agent: &mut AgentSpec) -> Option<()> {
    let AgentSpec::Puct(Named { settings, .. }) = agent else { return None };
    let Some(NetworkSource::File(name)) = &mut settings.network else { return None };
    *name = networks::file_of(name)?.to_string_lossy().into_owned();
    Some(())
}

/// Trees, and so threads, of one search.
const MAX_TREES: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_names_networks_without_their_folders() {
        networks::offer_networks(vec!["nets/four.onnx".to_owned()]);
        assert!(networks::offered_agents().contains(&"net:file=four.onnx".to_owned()));
        let agent = player("net:file=four.onnx,iterations=100").unwrap();
        assert!(agent.to_string().contains("nets/four.onnx"), "{agent}");
        for text in [
            "net:file=nets/four.onnx",
            "net:file=other.onnx",
            "exec:./bot.py",
            "exact:file=a.solution",
        ] {
            assert!(player(text).is_err(), "{text}");
        }
    }

    #[test]
    fn programs_and_files_are_refused() {
        for text in ["exec:./bot.py", "exact:file=x.solution"] {
            assert_eq!(agent(text).unwrap_err().code, ErrorCode::Refused, "{text}");
        }
        for text in ["gdl:../../etc/passwd.kif", "gdl:file=x", "sangoku:file=x.toml"] {
            assert_eq!(game(text).unwrap_err().code, ErrorCode::Refused, "{text}");
        }
        assert_eq!(game("gdl:rules=r1").unwrap_err().code, ErrorCode::UnknownRules);
        assert_eq!(game("chess").unwrap_err().code, ErrorCode::UnknownGame);
        assert_eq!(agent("alphazero").unwrap_err().code, ErrorCode::UnknownAgent);
    }

    #[test]
    fn agents_stay_within_the_limits() {
        assert_eq!(player("uct:iterations=5").unwrap().to_string(), "uct:iterations=5");
        let mut agent = agent("uct:time=1000s,memory=100GiB,trees=200").unwrap();
        assert_eq!(agent.tree_search().unwrap().tree.trees, MAX_TREES);
        let budget = agent.budget_mut().unwrap();
        assert_eq!(budget.wall, Some(Duration::from_secs(60)));
        assert_eq!(budget.memory, LIMITS.memory_bytes);
    }
}
