//! The agents of the catalog: one file for each kind, and the list that names them. Everything else
//! follows from the list: reading and writing specifications, building agents, what is listed.

mod evolution;
mod exact;
pub(crate) mod exec;
mod flat;
mod halving;
mod maxn;
mod puct;
mod random;
mod restricted;
mod scripted;
mod search;
mod sequential;
mod squad;
mod tree;

use sakiyomi_core::{Agent, Budget, Hint, Hints, Player};
use sakiyomi_players::PlayerSettings;
use sakiyomi_search::{EvolutionSettings, MctsSettings, SequentialUct, SquadSettings};

pub use exact::ExactSpec;
pub use exec::ExecSpec;
pub use flat::FlatSpec;
pub use halving::HalvingSpec;
pub use maxn::MaxNSpec;
pub use puct::{NetworkSource, PuctSpec};
pub use random::RandomSpec;
pub use restricted::RestrictedSpec;
pub use sequential::SequentialSpec;
pub use tree::TreeSpec;

use crate::list::catalog;
use crate::parameter::{Defined, Named};
use crate::{CatalogGame, GameSpec, SpecError};

catalog! { $
    /// Which agent, with all its parameters. The text form is `name:key=value,flag`.
    pub enum AgentSpec, "agent" {
        Random(RandomSpec),
        Flat(FlatSpec),
        Halving(HalvingSpec),
        Tree(TreeSpec),
        Puct(PuctSpec),
        Sequential(SequentialSpec),
        Exact(ExactSpec),
        MaxN(MaxNSpec),
        Evolution(EvolutionSettings),
        Squad(SquadSettings),
        Restricted(RestrictedSpec),
        Scripted(PlayerSettings),
        Exec(ExecSpec),
    }
}

/// What the catalog asks of an agent's settings. An entry is a file that implements this trait and
/// [`Defined`], and a line in the list above.
pub(crate) trait AgentSettings: Defined {
    /// The agent itself, ready to play one match, or why it cannot play this game.
    fn build<G: CatalogGame>(&self, game: &G, seat: &Seat<'_>)
    -> Result<Box<dyn Agent<G>>, String>;

    /// What limits its thinking, if it is a search.
    fn budget_mut(&mut self) -> Option<&mut Budget>;

    /// Whether it can do without [`Game::actions`](sakiyomi_core::Game::actions) being complete.
    fn plays_without_list(&self) -> bool {
        false
    }

    /// Makes it quick for a test of what it does, beyond its budget; false if there is no way.
    fn shorten(&mut self) -> bool {
        true
    }

    /// Whether the same seed gives the same decisions again.
    fn is_repeatable(&self) -> bool {
        self.clone().budget_mut().is_none_or(|budget| budget.is_repeatable())
    }

    /// Whether it uses files or programs of the machine.
    fn uses_machine(&self) -> bool {
        false
    }
}

/// Which seat of which match an agent is built for.
#[derive(Clone, Copy, Debug)]
pub struct Seat<'a> {
    pub game: &'a GameSpec,
    pub player: Player,
    pub seed: u64,
}

impl AgentSpec {
    /// The agent itself, ready to play one match.
    pub fn build<G: CatalogGame>(
        &self,
        game: &G,
        seat: &Seat<'_>,
    ) -> Result<Box<dyn Agent<G>>, SpecError> {
        game.agent(self, seat)
    }

    /// The same for any game. It pulls in every search, so only [`CatalogGame`] may call it. The search
    /// that makes turns sequential is compiled only for games that need it, so it is handed over.
    pub(crate) fn compile<G: CatalogGame>(
        &self,
        game: &G,
        seat: &Seat<'_>,
        sequential: Option<MakeSequential<G>>,
    ) -> Result<Box<dyn Agent<G>>, SpecError> {
        let needs = each_kind!(self, named => named.definition.needs(&named.settings));
        let is_missing = |need: &&(&str, Hint)| !game.provides().contains(need.1);
        let has_no_list = !game.lists_all_actions();
        let built = match needs.iter().find(is_missing) {
            _ if has_no_list && !each_kind!(self, named => named.settings.plays_without_list()) => {
                Err(format!(
                    "it needs a list of all actions, and {} has too many to list; `random`, \
                     `squad`, programs and the game's own players ({}) do without",
                    seat.game,
                    scripted::player_names::<G>()
                ))
            }
            Some((word, hint)) => Err(format!(
                "`{word}` would do nothing: {} does not provide {}",
                seat.game,
                hint.meaning()
            )),
            None => match self {
                AgentSpec::Sequential(named) => named.settings.compile(game, seat, sequential),
                _ => each_kind!(self, named => named.settings.build(game, seat)),
            },
        };
        built.map_err(|message| self.to_fields().error(message))
    }

    /// What limits its thinking, if it is a search.
    pub fn budget_mut(&mut self) -> Option<&mut Budget> {
        each_kind!(self, named => named.settings.budget_mut())
    }

    /// Whether the same seed gives the same decisions again.
    pub fn is_repeatable(&self) -> bool {
        each_kind!(self, named => named.settings.is_repeatable())
    }

    /// Whether it uses files or programs of the machine, which a stranger may not ask for.
    pub fn uses_machine(&self) -> bool {
        each_kind!(self, named => named.settings.uses_machine())
    }

    /// Whether it tries things out before its first decision, which takes much longer than the decision.
    pub fn prepares(&self) -> bool {
        matches!(self, AgentSpec::Tree(named) if named.settings.prepare.is_some())
    }

    /// The same agent with at most this number of iterations and no limit of time, for a test of
    /// what it does; none if that takes long anyway, or would say nothing.
    #[must_use]
    pub fn shortened(&self, iterations: u64) -> Option<AgentSpec> {
        let mut short = self.clone();
        if !short.shorten() {
            return None;
        }
        if let Some(budget) = short.budget_mut() {
            let Budget { memory, nodes, .. } = *budget;
            let iterations = budget.iterations.unwrap_or(iterations).min(iterations);
            *budget = Budget { memory, nodes, ..Budget::iterations(iterations) };
        }
        Some(short)
    }

    fn shorten(&mut self) -> bool {
        each_kind!(self, named => named.settings.shorten())
    }

    /// The agent that thinks: itself, or the one that it restricts.
    pub fn thinking_mut(&mut self) -> &mut AgentSpec {
        match self {
            AgentSpec::Restricted(Named {
                settings: RestrictedSpec { agent: Ok(agent), .. },
                ..
            }) => agent.thinking_mut(),
            agent => agent,
        }
    }

    /// Whether an option would do nothing in this game because of how its players choose.
    pub fn check_turns<G: Hints>(&self, game: &G, name: &str) -> Result<(), SpecError> {
        let checked = match self {
            AgentSpec::Tree(named) => named.settings.check_game(game, name),
            _ => Ok(()),
        };
        checked.map_err(|message| self.to_fields().error(message))
    }

    /// Switches off options of the tree search that would do nothing, for those who do not know beforehand what they are
    /// going to play.
    pub fn fit<G: Hints>(&mut self, game: &G) {
        if let AgentSpec::Tree(named) = self {
            named.settings.fit(game);
        }
    }

    /// The settings of the tree search, if it is one, to be changed.
    pub fn tree_search_mut(&mut self) -> Option<&mut MctsSettings> {
        match self {
            AgentSpec::Tree(named) => Some(&mut named.settings.search),
            _ => None,
        }
    }

    /// The settings of the tree search, if it is one with which a match begins.
    pub fn tree_search(&self) -> Option<&MctsSettings> {
        match self {
            AgentSpec::Tree(named) if named.settings.prepare.is_none() => {
                Some(&named.settings.search)
            }
            _ => None,
        }
    }
}

/// Makes the agent `sequential` for a game.
pub(crate) type MakeSequential<G> = fn(MctsSettings) -> Box<dyn Agent<G>>;

/// The agent `sequential` for a game in which players choose at once.
pub(crate) fn make_sequential<G: CatalogGame>(settings: MctsSettings) -> Box<dyn Agent<G>> {
    Box::new(SequentialUct::new(settings))
}
