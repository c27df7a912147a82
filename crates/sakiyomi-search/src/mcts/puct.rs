//! PUCT search whose leaves wait for a batch (Silver et al. 2017), by the same walk as the other
//! searches. Leaves are collected by descents; each counts as a lost visit until its evaluation is
//! there (virtual loss), so that the next descent goes elsewhere. A node is expanded when it is
//! evaluated, with the priors that the evaluator gives.
//!
//! It departs from the paper in three ways. Payoffs are per player, so players who choose at once
//! have a row each (decoupled PUCT). An arm that was never tried has the mean of its row instead of
//! a loss. And a batch ends early when a descent arrives at a leaf that already waits.

use sakiyomi_core::{
    Agent, Budget, Choice, Context, Forfeit, Game, Hints, Insight, Payoffs, Player, Rng, Stop, Turn,
};

use super::evaluate::{self, Evaluation, EvaluationError, LeafEvaluator, LeafPosition};
use super::game_tree::{Room, TooManyActions};
use super::leaf::Leaf;
use super::path::{NodeId, ROOT};
use super::select::Select;
use super::select::prior::{PriorAnswer, PriorSelect, RootNoise};
use super::settings::TreeSettings;
use super::tree::{Kind, Row};
use super::walk::Walk;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PuctSettings {
    /// The weight of priors and exploration.
    pub c: f64,
    /// Leaves that are evaluated together; at least 1.
    pub batch: usize,
    /// Iterations are evaluations, and ends that were reached.
    pub budget: Budget,
    /// Noise in the priors of the root, for self-play.
    pub noise: Option<RootNoise>,
    /// The move is drawn in proportion to visits^(1 / temperature); 0 takes the most visited.
    pub temperature: f64,
    /// Keeps the tree between moves instead of starting from nothing at every decision.
    pub reuse: bool,
}

impl PuctSettings {
    pub fn new(budget: Budget) -> PuctSettings {
        PuctSettings { c: 1.25, batch: 1, budget, noise: None, temperature: 0.0, reuse: true }
    }

    /// A walk that leaves it to the evaluator when nodes are expanded.
    fn walk<G: Hints>(&self, game: &G) -> Walk<G> {
        let select = Select::Prior(PriorSelect::new(self.c));
        let tree = TreeSettings { expand: u32::MAX, ..TreeSettings::default() };
        Walk::with(game, select, tree, self.budget.memory)
    }
}

/// The agent. It keeps its tree over the decisions of one match.
#[derive(Debug)]
pub struct PuctSearch<G: Game, E> {
    settings: PuctSettings,
    evaluator: E,
    root: Option<G::State>,
    walk: Option<Walk<G>>,
}

impl<G: Hints, E: LeafEvaluator<G>> PuctSearch<G, E> {
    pub fn new(settings: PuctSettings, evaluator: E) -> PuctSearch<G, E> {
        PuctSearch { settings, evaluator, root: None, walk: None }
    }

    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    fn forget(&mut self) {
        (self.root, self.walk) = (None, None);
    }
}

impl<G: Hints, E: LeafEvaluator<G>> Agent<G> for PuctSearch<G, E> {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        if !self.settings.reuse || self.root.as_ref() != Some(state) {
            self.forget();
            self.root = Some(state.clone());
        }
        let walk = self.walk.take().unwrap_or_else(|| self.settings.walk(game));
        let PuctSearch { settings, evaluator, .. } = self;
        let (waiting, spare) = (Vec::new(), Vec::new());
        let mut search = Search { game, root: state, settings, evaluator, walk, waiting, spare };
        let searched = search.run(context.stop, context.rng);
        let choice = searched.map(|iterations| search.choice(player, iterations, context.rng));
        self.walk = Some(search.walk);
        choice.map_err(|error| {
            self.forget();
            Forfeit { reason: error.to_string() }
        })
    }

    fn insight(&self, game: &G, state: &G::State, places: usize) -> Option<Insight<G::Action>> {
        let walk = self.walk.as_ref().filter(|walk| !walk.tree.nodes.is_empty())?;
        (self.root.as_ref() == Some(state)).then(|| walk.insight(game, state, 0, places))
    }

    fn observe(&mut self, game: &G, before: &G::State, actions: &[G::Action]) {
        let is_kept = self.settings.reuse && self.root.as_ref() == Some(before);
        let walk = self.walk.as_mut().filter(|_| is_kept);
        let below = walk.and_then(|walk| {
            let child = walk.child_after(game, ROOT, before, actions)?;
            walk.follow(child);
            Some(())
        });
        match (below, &mut self.root) {
            (Some(()), Some(root)) => game.apply(root, actions),
            _ => self.forget(),
        }
    }
}

/// Why a search gave up.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum PuctError {
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    #[error(transparent)]
    TooManyActions(#[from] TooManyActions),
}

/// One decision.
struct Search<'a, G: Game, E> {
    game: &'a G,
    root: &'a G::State,
    settings: &'a PuctSettings,
    evaluator: &'a mut E,
    walk: Walk<G>,
    waiting: Vec<Waiting<G>>,
    /// Leaves whose buffers are used again.
    spare: Vec<Leaf<G>>,
}

/// A leaf that waits for its evaluation. It has no node if the tree is full.
struct Waiting<G: Game> {
    leaf: Leaf<G>,
    node: Option<NodeId>,
    players: Vec<(Player, usize)>,
    actions: Vec<G::Action>,
}

impl<G: Game> Waiting<G> {
    fn position(&self) -> LeafPosition<'_, G> {
        let Waiting { leaf, players, actions, .. } = self;
        LeafPosition { state: &leaf.state, players, actions }
    }
}

/// What comes of a descent.
enum End {
    /// The match is over there.
    Over(Payoffs),
    /// Players choose there, in the state of this node if it has one.
    Open(Option<NodeId>),
    /// The leaf waits already.
    Taken,
}

impl<G: Hints, E: LeafEvaluator<G>> Search<'_, G, E> {
    fn run(&mut self, stop: &Stop, rng: &mut Rng) -> Result<u64, PuctError> {
        let mut meter = self.settings.budget.begin(stop);
        self.walk.plant(self.game, self.root);
        if !self.walk.tree.nodes[ROOT as usize].has_rows() {
            let leaf = Leaf::new(self.root.clone());
            self.wait(leaf, Some(ROOT));
            self.evaluate(rng)?;
        }
        let priors = self.walk.tree.arms.priors.clone();
        if let Some(noise) = self.settings.noise {
            PriorSelect::add_noise(&mut self.walk.tree, noise, rng);
        }
        let mut is_granted = false;
        loop {
            while self.waiting.len() < self.settings.batch.max(1) {
                // An iteration that ended at a leaf that waits is done again after the batch.
                if !is_granted && !meter.another() {
                    break;
                }
                is_granted = true;
                let (leaf, end) = self.descend(stop, rng)?;
                if let End::Taken = end {
                    self.spare.push(leaf);
                    break;
                }
                PriorSelect::count_ahead(&mut self.walk.tree, &leaf.path);
                match end {
                    End::Over(payoffs) => self.absorb(leaf, &payoffs),
                    End::Open(node) => self.wait(leaf, node),
                    End::Taken => {}
                }
                is_granted = false;
            }
            if self.waiting.is_empty() {
                break;
            }
            self.evaluate(rng)?;
        }
        let n_root: usize = self.walk.tree.rows(ROOT).map(|row| row.len).sum();
        self.walk.tree.arms.priors[..n_root].copy_from_slice(&priors[..n_root]);
        Ok(meter.done())
    }

    /// Follows the tree, and beyond it if it is full, until a player chooses or the match is over.
    fn descend(&mut self, stop: &Stop, rng: &mut Rng) -> Result<(Leaf<G>, End), PuctError> {
        let mut leaf = self.spare.pop().unwrap_or_else(|| Leaf::new(self.root.clone()));
        leaf.restart(self.root);
        let room = Room::of(&self.settings.budget, self.settings.reuse);
        self.walk.descend(self.game, room, &mut leaf, stop, rng)?;
        let mut outcomes = Vec::new();
        loop {
            match self.game.turn(&leaf.state) {
                Turn::Over(payoffs) => return Ok((leaf, End::Over(payoffs))),
                Turn::Choose(_) => break,
                Turn::Chance => {
                    let outcome = self.game.sample(&leaf.state, &mut outcomes, rng);
                    self.game.apply(&mut leaf.state, &[outcome]);
                }
            }
        }
        // The node of a leaf in the tree has neither picks nor rows.
        let last = leaf.path.steps.last().filter(|step| step.n_picks == 0);
        let node = last
            .map(|step| step.node)
            .filter(|&node| self.walk.tree.nodes[node as usize].kind() == Kind::Choose);
        let is_taken = node.is_some() && self.waiting.iter().any(|other| other.node == node);
        Ok((leaf, if is_taken { End::Taken } else { End::Open(node) }))
    }

    /// Puts a leaf among those that wait.
    fn wait(&mut self, leaf: Leaf<G>, node: Option<NodeId>) {
        let (mut players, mut actions) = (Vec::new(), Vec::new());
        if let Turn::Choose(who) = self.game.turn(&leaf.state) {
            for player in who {
                let n_before = actions.len();
                self.game.actions(&leaf.state, player, &mut actions);
                players.push((player, actions.len() - n_before));
            }
        }
        self.waiting.push(Waiting { leaf, node, players, actions });
    }

    /// Has all leaves that wait evaluated, expands their nodes and backs their payoffs up.
    fn evaluate(&mut self, rng: &mut Rng) -> Result<(), PuctError> {
        let waiting = std::mem::take(&mut self.waiting);
        let positions: Vec<LeafPosition<'_, G>> = waiting.iter().map(Waiting::position).collect();
        let mut evaluations = self.evaluator.evaluate(self.game, &positions, rng)?;
        evaluate::check(self.game, &positions, &mut evaluations)?;
        for (waiting, Evaluation { payoffs, priors }) in waiting.into_iter().zip(evaluations) {
            let Waiting { leaf, node, players, actions } = waiting;
            if let Some(node) = node {
                let lengths: Vec<usize> = players.iter().map(|(_, n)| *n).collect();
                self.walk.tree.grow(node, &actions, &lengths)?;
                PriorSelect::set_priors(&mut self.walk.tree, node, priors.as_deref());
            }
            self.absorb(leaf, &payoffs);
        }
        Ok(())
    }

    /// Backs up the payoffs of a leaf, whose visits were counted ahead.
    fn absorb(&mut self, leaf: Leaf<G>, payoffs: &Payoffs) {
        self.walk.absorb(self.game, &leaf, payoffs);
        self.spare.push(leaf);
    }

    fn choice(&self, player: Player, iterations: u64, rng: &mut Rng) -> Choice<G::Action> {
        let tree = &self.walk.tree;
        let row = tree.row(ROOT, player).unwrap_or(Row::EMPTY);
        let answer = PriorAnswer::of(&tree.arms, row, self.settings.temperature, rng);
        let actions = &tree.actions[row.first..row.first + row.len];
        Choice {
            action: actions[answer.pick],
            policy: actions.iter().copied().zip(answer.shares).collect(),
            value: answer.value,
            iterations,
            nodes: tree.nodes.len() as u64,
        }
    }
}

#[cfg(test)]
mod tests;
