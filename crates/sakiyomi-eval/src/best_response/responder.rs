//! The response as a player: it follows the tree where that is known well, and elsewhere goes on
//! looking for an answer in games against the agent that begin where the match is.

use std::time::{Duration, Instant};

use sakiyomi_catalog::CatalogGame;
use sakiyomi_core::{Agent, Choice, Context, Forfeit, Game, Player, Rng};

use super::sparring::{Beginning, Limit, Opponent, Own, Step, Trainee};
use super::tree::{Edge, ResponseTree};

/// Games after which a place of the tree is known so well that no time is spent on it.
const WELL_KNOWN: u64 = 200;

/// How long it looks for an answer where the tree does not reach.
#[derive(Clone, Copy, Debug)]
pub(super) enum PerDecision {
    Wall(Duration),
    Games(u64),
}

impl PerDecision {
    fn limit(self) -> Limit {
        match self {
            PerDecision::Wall(time) => Limit::At(Instant::now() + time),
            PerDecision::Games(games) => Limit::Games(games),
        }
    }

    /// Games after which looking further would not help.
    fn enough(self) -> u64 {
        match self {
            PerDecision::Wall(_) => WELL_KNOWN,
            PerDecision::Games(games) => games,
        }
    }
}

pub(super) struct Responder<'a, G: Game> {
    pub(super) opponent: &'a Opponent<'a, G>,
    pub(super) tree: &'a ResponseTree,
    pub(super) own: Own,
    pub(super) search: Box<dyn Agent<G>>,
    pub(super) per_decision: PerDecision,
    /// Where it is in the tree, as long as that reaches.
    pub(super) before: Option<Edge>,
    pub(super) steps: Vec<Step<G>>,
}

impl<G: CatalogGame> Agent<G> for Responder<'_, G> {
    fn choose(
        &mut self,
        game: &G,
        seen: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let mut actions = Vec::new();
        game.actions(seen, player, &mut actions);
        let place = self.before.and_then(|before| self.tree.find(before, game.key(seen)));
        let visits = place.map_or(0, |node| u64::from(self.tree.visits(node)));
        let few = 2 * actions.len() as u64;
        let (here, games) = match visits >= few.max(self.per_decision.enough()) {
            true => (None, 0),
            false => self.search_here(game, seen, player, &actions, context)?,
        };
        // Who has seen more games knows better; with too few the search does.
        let action = match (place, here) {
            (Some(node), _) if visits >= games.max(few) => self.tree.most_tried(node),
            (_, Some(best)) if games >= few => best,
            _ => {
                let choice = self.search.choose(game, seen, player, context)?;
                actions.iter().position(|&action| action == choice.action).unwrap_or(0)
            }
        };
        self.before = place.map(|node| ResponseTree::edge(node, action));
        let action = actions[action];
        Ok(Choice { action, policy: vec![(action, 1.0)], value: None, iterations: 0, nodes: 0 })
    }

    fn observe(&mut self, _: &G, before: &G::State, actions: &[G::Action]) {
        self.steps.push((before.clone(), actions.to_vec()));
    }
}

impl<G: CatalogGame> Responder<'_, G> {
    /// The action that does best in games from here on, and how many there were.
    fn search_here(
        &mut self,
        game: &G,
        seen: &G::State,
        player: Player,
        actions: &[G::Action],
        context: &mut Context<'_>,
    ) -> Result<(Option<usize>, u64), Forfeit> {
        if actions.len() == 1 {
            return Ok((Some(0), u64::MAX));
        }
        let mut tree = ResponseTree::default();
        let from = Beginning { steps: &self.steps, state: seen };
        let search = self.search.as_mut();
        let mut trainee = Trainee { tree: &mut tree, own: self.own, search, games: 0 };
        let limit = self.per_decision.limit();
        let rng = &mut Rng::new(context.rng.bits());
        let sparred = self.opponent.spar(&from, &[player], limit, &mut trainee, rng);
        let sparred = sparred.map_err(|error| Forfeit { reason: error.to_string() })?;
        let root = tree.find(ResponseTree::before(player.index()), game.key(seen));
        Ok((root.map(|root| tree.most_tried(root)), sparred.games))
    }
}
