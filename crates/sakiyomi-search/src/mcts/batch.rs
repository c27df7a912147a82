//! PUCT search whose leaves wait for a batch (Silver et al. 2017), over the same tree as the other
//! searches. Leaves are collected by descents; each counts as a lost visit until its evaluation is
//! there (virtual loss), so that the next descent goes elsewhere. A node is expanded when it is
//! evaluated, with the priors that the evaluator gives.
//!
//! It departs from the paper in three ways. Payoffs are per player, so players who choose at once
//! have a row each (decoupled PUCT). An arm that was never tried has the mean of its row instead of a
//! loss. And a batch ends early when a descent arrives at a leaf that already waits.

use sakiyomi_core::{
    Agent, Budget, Choice, Context, Forfeit, Game, Hints, Meter, Payoffs, Player, Rng, Turn,
};

use super::bandit::{Bandit, Exploration};
use super::evaluate::{self, Evaluation, EvaluationError, LeafEvaluator, LeafPosition};
use super::tree::{Kind, NodeId, Room, Row, TooManyActions, Tree};
use super::walk::Leaf;
use super::{ROOT, knowledge};

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
    /// Starts from nothing at every decision instead of keeping the tree between moves.
    pub fresh: bool,
}

/// Dirichlet noise: priors become (1 - share) prior + share noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootNoise {
    pub alpha: f64,
    pub share: f64,
}

impl PuctSettings {
    pub fn new(budget: Budget) -> PuctSettings {
        PuctSettings { c: 1.25, batch: 1, budget, noise: None, temperature: 0.0, fresh: false }
    }
}

/// The agent. It keeps its tree over the decisions of one match.
#[derive(Debug)]
pub struct PuctSearch<G: Game, E> {
    settings: PuctSettings,
    evaluator: E,
    root: Option<G::State>,
    tree: Option<Tree<G::Action>>,
}

impl<G: Hints, E: LeafEvaluator<G>> PuctSearch<G, E> {
    pub fn new(settings: PuctSettings, evaluator: E) -> PuctSearch<G, E> {
        PuctSearch { settings, evaluator, root: None, tree: None }
    }

    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    fn forget(&mut self) {
        (self.root, self.tree) = (None, None);
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
        if self.settings.fresh || self.root.as_ref() != Some(state) {
            self.forget();
            self.root = Some(state.clone());
        }
        let bandit = Bandit::Puct { c: self.settings.c };
        let tree = self.tree.take().unwrap_or_else(|| Tree::new(bandit, false, game.players()));
        let PuctSearch { settings, evaluator, .. } = self;
        let mut search = Search {
            game,
            root: state,
            settings,
            evaluator,
            tree,
            waiting: Vec::new(),
            spare: Vec::new(),
        };
        let searched = search.run(settings.budget.begin(context.stop), context.rng);
        let choice = searched.map(|iterations| search.choice(player, iterations, context.rng));
        self.tree = Some(search.tree);
        choice.map_err(|error| {
            self.forget();
            Forfeit { reason: error.to_string() }
        })
    }

    fn observe(&mut self, game: &G, before: &G::State, actions: &[G::Action]) {
        let is_kept = !self.settings.fresh && self.root.as_ref() == Some(before);
        let is_chance = game.turn(before) == Turn::Chance;
        let below = self.tree.as_ref().filter(|_| is_kept).and_then(|tree| {
            let child = knowledge::child_after(tree, ROOT, actions, is_chance, false)?;
            Some(tree.below(child))
        });
        match (below, &mut self.root) {
            (Some(below), Some(root)) => {
                game.apply(root, actions);
                self.tree = Some(below);
            }
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
    tree: Tree<G::Action>,
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

/// Where a descent ended.
enum End<G: Game> {
    /// The match is over there.
    Over(Leaf<G>, Payoffs),
    /// Players choose there.
    Open(Leaf<G>, Option<NodeId>),
    /// The leaf waits already.
    Taken(Leaf<G>),
}

impl<G: Hints, E: LeafEvaluator<G>> Search<'_, G, E> {
    fn run(&mut self, mut meter: Meter<'_>, rng: &mut Rng) -> Result<u64, PuctError> {
        if self.tree.nodes.is_empty() {
            self.tree.add(&self.game.turn(self.root));
        }
        if !self.tree.nodes[ROOT as usize].has_rows() {
            let leaf = Leaf::new(self.root.clone());
            self.wait(leaf, Some(ROOT));
            self.evaluate(rng)?;
        }
        let priors = self.tree.arms.priors.clone();
        self.add_noise(rng);
        let mut is_granted = false;
        loop {
            while self.waiting.len() < self.settings.batch.max(1) {
                // An iteration that ended at a leaf that waits is done again after the batch.
                if !is_granted && !meter.another() {
                    break;
                }
                is_granted = true;
                match self.descend(rng) {
                    End::Taken(leaf) => {
                        self.cancel(leaf);
                        break;
                    }
                    End::Over(leaf, payoffs) => self.absorb(leaf, &payoffs),
                    End::Open(leaf, node) => self.wait(leaf, node),
                }
                is_granted = false;
            }
            if self.waiting.is_empty() {
                break;
            }
            self.evaluate(rng)?;
        }
        let n_root: usize = self.tree.rows(ROOT).map(|row| row.len).sum();
        self.tree.arms.priors[..n_root].copy_from_slice(&priors[..n_root]);
        Ok(meter.done())
    }

    /// Follows the tree to an end or to a leaf, counting every visit ahead.
    fn descend(&mut self, rng: &mut Rng) -> End<G> {
        let mut leaf = self.spare.pop().unwrap_or_else(|| Leaf::new(self.root.clone()));
        leaf.restart(self.root);
        let mut outcomes = Vec::new();
        let mut node = ROOT;
        loop {
            leaf.enter(node);
            let entry = self.tree.nodes[node as usize];
            let slot = match (entry.kind(), self.game.turn(&leaf.state)) {
                (_, Turn::Over(payoffs)) => {
                    self.tree.visit_ahead(node, &[]);
                    return End::Over(leaf, payoffs);
                }
                (Kind::Chance, _) => {
                    self.tree.visit_ahead(node, &[]);
                    let outcome = self.game.sample(&leaf.state, &mut outcomes, rng);
                    self.game.apply(&mut leaf.state, &[outcome]);
                    self.tree.chance_slot(node, &outcome)
                }
                _ if !entry.has_rows() => {
                    self.tree.visit_ahead(node, &[]);
                    let waits = self.waiting.iter().any(|waiting| waiting.node == Some(node));
                    return if waits { End::Taken(leaf) } else { End::Open(leaf, Some(node)) };
                }
                _ => {
                    let joint = self.pick(node, &mut leaf);
                    self.game.apply(&mut leaf.state, &joint);
                    let first_pick = leaf.path.last().map_or(0, |step| step.first_pick as usize);
                    let picks = &leaf.picks[first_pick..];
                    self.tree.visit_ahead(node, picks);
                    self.tree.slot(node, picks)
                }
            };
            node = match self.tree.child(slot) {
                Some(child) => child,
                None if self.is_full() => return self.leave_tree(leaf, rng),
                None => {
                    let child = self.tree.add(&self.game.turn(&leaf.state));
                    self.tree.set_child(slot, child);
                    child
                }
            };
        }
    }

    /// Goes on without nodes until a player chooses or the match is over.
    fn leave_tree(&self, mut leaf: Leaf<G>, rng: &mut Rng) -> End<G> {
        let mut outcomes = Vec::new();
        loop {
            match self.game.turn(&leaf.state) {
                Turn::Over(payoffs) => return End::Over(leaf, payoffs),
                Turn::Choose(_) => return End::Open(leaf, None),
                Turn::Chance => {
                    let outcome = self.game.sample(&leaf.state, &mut outcomes, rng);
                    self.game.apply(&mut leaf.state, &[outcome]);
                }
            }
        }
    }

    /// Picks an arm for every choosing player.
    fn pick(&self, node: NodeId, leaf: &mut Leaf<G>) -> Vec<G::Action> {
        let Tree { bandit, arms, actions, nodes, .. } = &self.tree;
        let visits = nodes[node as usize].visits;
        let mut joint = Vec::with_capacity(1);
        for Row { first, len, .. } in self.tree.rows(node) {
            let pick = bandit.pick(arms, first, len, visits, Exploration::of(visits));
            leaf.picks.push(pick as u16);
            joint.push(actions[first + pick]);
        }
        leaf.count_picks();
        joint
    }

    fn is_full(&self) -> bool {
        self.tree.is_full(Room::of(&self.settings.budget, !self.settings.fresh))
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
                let first = self.tree.actions.len();
                self.tree.grow(node, &actions, &lengths)?;
                if let Some(priors) = priors {
                    self.tree.arms.priors[first..].copy_from_slice(&priors);
                }
            }
            self.absorb(leaf, &payoffs);
        }
        Ok(())
    }

    /// Backs up the payoffs of a leaf, whose visits were counted ahead.
    fn absorb(&mut self, leaf: Leaf<G>, payoffs: &Payoffs) {
        for i in 0..leaf.path.len() {
            let visit = leaf.visit(i);
            self.tree.complete_visit(visit.node, visit.picks, payoffs);
        }
        self.spare.push(leaf);
    }

    fn cancel(&mut self, leaf: Leaf<G>) {
        for i in 0..leaf.path.len() {
            let visit = leaf.visit(i);
            self.tree.cancel_visit(visit.node, visit.picks);
        }
        self.spare.push(leaf);
    }

    fn add_noise(&mut self, rng: &mut Rng) {
        let Some(RootNoise { alpha, share }) = self.settings.noise else { return };
        let rows: Vec<Row> = self.tree.rows(ROOT).collect();
        for Row { first, len, .. } in rows {
            let draws: Vec<f64> = (0..len).map(|_| gamma(alpha, rng)).collect();
            let sum: f64 = draws.iter().sum();
            let priors = &mut self.tree.arms.priors[first..first + len];
            for (prior, draw) in priors.iter_mut().zip(draws) {
                let noise = if sum > 0.0 { draw / sum } else { 1.0 / len as f64 };
                *prior = ((1.0 - share) * f64::from(*prior) + share * noise) as f32;
            }
        }
    }

    fn choice(&self, player: Player, iterations: u64, rng: &mut Rng) -> Choice<G::Action> {
        let Tree { arms, actions, nodes, .. } = &self.tree;
        let row = self.tree.row(ROOT, player).unwrap_or(Row::EMPTY);
        let range = row.first..row.first + row.len;
        let most = arms.visits[range.clone()].iter().copied().max().unwrap_or(0).max(1);
        let power = match self.settings.temperature {
            0.0 => 1.0,
            temperature => 1.0 / temperature,
        };
        let weight = |&n: &u32| libm::pow(f64::from(n) / f64::from(most), power);
        let mut shares: Vec<f64> = arms.visits[range.clone()].iter().map(weight).collect();
        let sum: f64 = shares.iter().sum();
        // Without any visit the priors are all that is known.
        let by_prior = arms.priors[range.clone()].iter().map(|&prior| f64::from(prior));
        match sum > 0.0 {
            true => shares.iter_mut().for_each(|share| *share /= sum),
            false => shares = by_prior.collect(),
        }
        let mean =
            |pick: usize| arms.sums[row.first + pick] / f64::from(arms.visits[row.first + pick]);
        let better = |&a: &usize, &b: &usize| {
            let by_mean = mean(a).total_cmp(&mean(b));
            shares[a].total_cmp(&shares[b]).then(by_mean).then(b.cmp(&a))
        };
        let best = (0..row.len).max_by(better).unwrap_or(0);
        let pick = match self.settings.temperature {
            0.0 => best,
            _ => rng.weighted(shares.iter().copied()),
        };
        let visits: f64 = arms.visits[range.clone()].iter().map(|&n| f64::from(n)).sum();
        Choice {
            action: actions[row.first + pick],
            policy: actions[range.clone()].iter().copied().zip(shares).collect(),
            value: (visits > 0.0).then(|| arms.sums[range].iter().sum::<f64>() / visits),
            iterations,
            nodes: nodes.len() as u64,
        }
    }
}

/// A number from the gamma distribution with this shape and scale 1 (Marsaglia and Tsang 2000).
fn gamma(shape: f64, rng: &mut Rng) -> f64 {
    if shape < 1.0 {
        let unit = (1.0 - rng.unit()).max(f64::MIN_POSITIVE);
        return gamma(shape + 1.0, rng) * libm::pow(unit, 1.0 / shape.max(1e-6));
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        let unit = 1.0 - rng.unit();
        if v > 0.0 && libm::log(unit) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}

/// A number from the normal distribution (Box and Muller 1958).
fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - rng.unit())).sqrt();
    radius * libm::cos(std::f64::consts::TAU * rng.unit())
}

#[cfg(test)]
mod tests;
