//! Who plays: kinds of players that every game has, and those that only this game has.

use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, Seat, SpecError, Visitor};
use sakiyomi_core::Player;
use sakiyomi_search::{PlayoutPolicy, Proofs};
use serde::{Deserialize, Serialize};

/// Searches of rising strength, each with four times the iterations of the one before.
pub const LEVELS: usize = 4;
pub(super) const FACTOR: u64 = 4;
/// Players that only one game has, at most.
const MAX_OWN: usize = 3;

/// How a player comes to its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Random,
    Search,
    Rules,
    Greedy,
    Learning,
    Solving,
    Mixed,
}

impl Kind {
    pub fn of(agent: &AgentSpec) -> Kind {
        let is_mast = |agent: &AgentSpec| {
            let search = agent.tree_search();
            search.is_some_and(|search| search.playout.policy != PlayoutPolicy::Uniform)
        };
        let proofs = |agent: &AgentSpec| {
            let ucb = agent.tree_search().and_then(|search| search.selection.ucb());
            ucb.is_some_and(|ucb| ucb.proofs != Proofs::Off)
        };
        match agent {
            AgentSpec::Random(_) => Kind::Random,
            AgentSpec::Scripted(_) => Kind::Rules,
            AgentSpec::Flat(_) | AgentSpec::MaxN(_) | AgentSpec::Halving(_) => Kind::Greedy,
            AgentSpec::Exact(_) => Kind::Solving,
            agent if is_mast(agent) => Kind::Learning,
            agent if proofs(agent) => Kind::Solving,
            AgentSpec::Tree(named) if named.settings.search.selection.ucb().is_none() => {
                Kind::Mixed
            }
            _ => Kind::Search,
        }
    }

    /// What it is, for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Kind::Random => "random moves",
            Kind::Search => "search",
            Kind::Rules => "follows rules",
            Kind::Greedy => "greedy",
            Kind::Learning => "learning playouts",
            Kind::Solving => "solves what it can",
            Kind::Mixed => "mixed strategy",
        }
    }
}

/// The search of a strength.
pub(super) fn search_of(iterations: u64) -> AgentSpec {
    spec(&format!("uct:iterations={iterations}"))
}

/// A specification of this file.
fn spec(text: &str) -> AgentSpec {
    text.parse().expect("the specifications of this file are well formed")
}

/// The players beside random moves and the ladder of searches: for each kind the first that can play
/// this game.
pub(super) fn others(game: &GameSpec, iterations: u64) -> Result<Vec<AgentSpec>, SpecError> {
    let by = |agents: &[&str]| agents.iter().map(|text| spec(text)).collect::<Vec<_>>();
    let n = iterations;
    let kinds = [
        by(&["maxn:depth=1", &format!("flat:iterations={n}")]),
        by(&[&format!("uct:iterations={n},playout=mast")]),
        by(&[&format!("uct:iterations={n},solver"), &format!("rm:iterations={n}")]),
    ];
    let own = AgentSpec::entries().iter().filter_map(|entry| entry.name.parse().ok());
    let own: Vec<AgentSpec> =
        own.filter(|agent| matches!(agent, AgentSpec::Scripted(_)) && !is_solver(agent)).collect();
    let mut players = playable(game, &own)?;
    players.truncate(MAX_OWN);
    for kind in kinds {
        players.extend(playable(game, &kind)?.into_iter().next());
    }
    Ok(players)
}

/// What it does is told by the exact value, and its games are all the same.
fn is_solver(agent: &AgentSpec) -> bool {
    agent.name() == super::exact::PERFECT
}

/// Those that can play the game.
pub(super) fn playable(game: &GameSpec, agents: &[AgentSpec]) -> Result<Vec<AgentSpec>, SpecError> {
    struct Playable<'a>(&'a GameSpec, &'a [AgentSpec]);
    impl Visitor for Playable<'_> {
        type Out = Vec<AgentSpec>;
        fn visit<G: CatalogGame>(self, game: G) -> Vec<AgentSpec> {
            let seat = Seat { game: self.0, player: Player(0), seed: 1 };
            let can_play = |agent: &&AgentSpec| agent.build(&game, &seat).is_ok();
            self.1.iter().filter(can_play).cloned().collect()
        }
    }
    game.with(Playable(game, agents))
}
