//! A search with a network that hands out one leaf at a time and goes on when its evaluation is there, so that one
//! thread has thousands of searches wait for the same batch. For games in which one player chooses at a time, without
//! chance, and what one of at most two players gets says what the other gets.
//!
//! Two rules: PUCT (Silver et al. 2017), and Gumbel AlphaZero (Danihelka et al. 2022): at the root sequential halving
//! over actions that are drawn without replacement by Gumbel noise, below it the action whose share of the visits is
//! furthest behind the improved policy; what is learned is that policy, with completed values.

use sakiyomi_core::{Encode, Player, Rng, Turn};

use crate::mcts::select::prior::{RootNoise, gamma};

/// By which rule actions are picked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepRule {
    Gumbel {
        /// How many actions of the root are looked at.
        considered: usize,
        /// Without noise the search looks at the likeliest ones and is the same every time.
        is_noisy: bool,
    },
    Puct {
        c: f64,
        noise: Option<RootNoise>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepSettings {
    /// Evaluations below the root, and ends that were reached.
    pub simulations: u32,
    pub rule: StepRule,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct StepAnswer<A> {
    pub action: A,
    /// What a network is to learn: the improved policy, or shares of visits.
    pub policy: Vec<(A, f32)>,
    /// What the player expects, from 0 to 1.
    pub value: f64,
}

/// Why a search cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    #[error("several players choose at once, or chance does")]
    Turn,
    #[error("a legal action has no number")]
    NoIndex,
}

const NONE: u32 = u32::MAX;
/// How values weigh against priors: (50 + most visits) times the value, as in the paper for values from 0 to 1.
const VISITS_AHEAD: f32 = 50.0;
const VALUE_SCALE: f32 = 1.0;
/// Below this a prior counts as this, so that its logarithm is a number.
const LEAST_PRIOR: f32 = 1e-9;

#[derive(Debug)]
struct Node {
    player: Player,
    first: u32,
    len: u32,
    visits: u32,
    /// What the network says that the first player gets.
    value: f32,
}

#[derive(Debug)]
struct Edge<A> {
    action: A,
    prior: f32,
    logit: f32,
    child: u32,
    visits: u32,
    /// Of what the player who chooses here got.
    sum: f32,
}

impl<A> Edge<A> {
    fn mean(&self) -> f32 {
        self.sum / self.visits.max(1) as f32
    }
}

/// A search for one decision after the other. Buffers are used again.
#[derive(Debug)]
pub struct StepSearch<G: Encode> {
    settings: StepSettings,
    root: G::State,
    nodes: Vec<Node>,
    edges: Vec<Edge<G::Action>>,
    /// Gumbel noise of the root's edges.
    noise: Vec<f32>,
    /// How many visits an edge must have to be picked at the root, simulation after simulation.
    schedule: Vec<u32>,
    done: u32,
    leaf: G::State,
    path: Vec<u32>,
    actions: Vec<G::Action>,
    scratch: Vec<f32>,
}

impl<G: Encode> StepSearch<G> {
    pub fn new(settings: StepSettings, root: G::State) -> StepSearch<G> {
        StepSearch {
            settings,
            leaf: root.clone(),
            root,
            nodes: Vec::new(),
            edges: Vec::new(),
            noise: Vec::new(),
            schedule: Vec::new(),
            done: 0,
            path: Vec::new(),
            actions: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Begins a decision in this state, in which a player chooses.
    pub fn begin(&mut self, root: &G::State) {
        self.root.clone_from(root);
        self.nodes.clear();
        self.edges.clear();
        self.path.clear();
        self.done = 0;
    }

    /// The next leaf that is to be evaluated, with the player who chooses there; none if the search is done.
    pub fn next_leaf(&mut self, game: &G) -> Result<Option<(&G::State, Player)>, StepError> {
        self.path.clear();
        self.leaf.clone_from(&self.root);
        if self.nodes.is_empty() {
            let player = choosing(game, &self.root)?;
            return Ok(Some((&self.leaf, player)));
        }
        while self.done < self.settings.simulations {
            self.path.clear();
            self.leaf.clone_from(&self.root);
            if let Some(player) = self.descend(game)? {
                return Ok(Some((&self.leaf, player)));
            }
        }
        Ok(None)
    }

    /// The player who chooses at the leaf that waits for its evaluation.
    pub fn player(&self, game: &G) -> Result<Player, StepError> {
        choosing(game, &self.leaf)
    }

    /// Goes down to a new leaf; none if the end was reached, whose payoffs are then backed up.
    fn descend(&mut self, game: &G) -> Result<Option<Player>, StepError> {
        let mut node = 0;
        loop {
            let edge = self.pick(node);
            self.path.push(edge as u32);
            let Edge { action, child, .. } = self.edges[edge];
            game.apply(&mut self.leaf, &[action]);
            if child != NONE {
                node = child as usize;
                continue;
            }
            if let Turn::Over(payoffs) = game.turn(&self.leaf) {
                self.back_up(payoffs[Player(0)] as f32);
                return Ok(None);
            }
            return choosing(game, &self.leaf).map(Some);
        }
    }

    /// Takes the evaluation of the leaf: weights of all actions, and what the player who chooses there gets.
    pub fn supply(
        &mut self,
        game: &G,
        priors: &[f32],
        value: f32,
        rng: &mut Rng,
    ) -> Result<(), StepError> {
        let player = choosing(game, &self.leaf)?;
        let mut actions = std::mem::take(&mut self.actions);
        actions.clear();
        game.actions(&self.leaf, player, &mut actions);
        let first = self.edges.len();
        let mut sum = 0.0;
        for &action in &actions {
            let index = game.action_index(&self.leaf, player, action).ok_or(StepError::NoIndex)?;
            let prior = priors[index].max(LEAST_PRIOR);
            sum += prior;
            let edge = Edge { action, prior, logit: 0.0, child: NONE, visits: 0, sum: 0.0 };
            self.edges.push(edge);
        }
        for edge in &mut self.edges[first..] {
            edge.prior /= sum;
            edge.logit = edge.prior.ln();
        }
        let of_first = if player.0 == 0 { value } else { 1.0 - value };
        let (first, len) = (first as u32, actions.len() as u32);
        self.actions = actions;
        let new = self.nodes.len() as u32;
        self.nodes.push(Node { player, first, len, visits: 0, value: of_first });
        match self.path.last() {
            Some(&edge) => {
                self.edges[edge as usize].child = new;
                self.back_up(of_first);
            }
            None => self.prepare_root(rng),
        }
        Ok(())
    }

    fn back_up(&mut self, of_first: f32) {
        let mut node = 0;
        for &edge in &self.path {
            let Node { player, visits, .. } = &mut self.nodes[node];
            *visits += 1;
            let edge = &mut self.edges[edge as usize];
            edge.visits += 1;
            edge.sum += if player.0 == 0 { of_first } else { 1.0 - of_first };
            node = edge.child as usize;
        }
        self.done += 1;
    }

    /// Draws the noise of the root.
    fn prepare_root(&mut self, rng: &mut Rng) {
        let len = self.edges.len();
        self.noise.clear();
        self.noise.resize(len, 0.0);
        match self.settings.rule {
            StepRule::Gumbel { considered, is_noisy } => {
                if is_noisy {
                    self.noise.fill_with(|| gumbel(rng));
                }
                let considered = considered.clamp(1, len);
                self.schedule = halving_schedule(considered, self.settings.simulations as usize);
                // What is not considered is never picked.
                let mut order: Vec<usize> = (0..len).collect();
                let score = |edge: usize| self.noise[edge] + self.edges[edge].logit;
                order.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
                for &edge in &order[considered..] {
                    self.noise[edge] = f32::NEG_INFINITY;
                }
            }
            StepRule::Puct { noise: Some(RootNoise { alpha, share }), .. } => {
                let draws: Vec<f64> = (0..len).map(|_| gamma(alpha, rng)).collect();
                let sum: f64 = draws.iter().sum();
                for (edge, draw) in self.edges.iter_mut().zip(draws).filter(|_| sum > 0.0) {
                    let mixed = (1.0 - share) * f64::from(edge.prior) + share * draw / sum;
                    edge.prior = mixed as f32;
                }
            }
            StepRule::Puct { noise: None, .. } => {}
        }
    }

    /// The edge that is followed from a node.
    fn pick(&mut self, node: usize) -> usize {
        match self.settings.rule {
            StepRule::Puct { c, .. } => self.pick_by_puct(node, c as f32),
            StepRule::Gumbel { .. } if node == 0 => {
                let wanted = self.schedule.get(self.done as usize).copied().unwrap_or(0);
                self.best_of_root(wanted)
            }
            StepRule::Gumbel { .. } => self.pick_by_policy(node),
        }
    }

    fn pick_by_puct(&self, node: usize, c: f32) -> usize {
        let Node { first, len, visits, .. } = self.nodes[node];
        let edges = &self.edges[first as usize..(first + len) as usize];
        let sum: f32 = edges.iter().map(|edge| edge.sum).sum();
        let unknown = if visits > 0 { sum / visits as f32 } else { 0.5 };
        let weight = c * (visits.max(1) as f32).sqrt();
        let score = |edge: &Edge<G::Action>| {
            let mean = if edge.visits > 0 { edge.mean() } else { unknown };
            mean + weight * edge.prior / (1.0 + edge.visits as f32)
        };
        first as usize + highest(edges.iter().map(score))
    }

    /// Among the root's edges with this many visits the one with the highest noise, logit and value.
    fn best_of_root(&mut self, visits: u32) -> usize {
        self.complete(0);
        let score = |edge: usize| match self.edges[edge].visits == visits {
            true => self.noise[edge] + self.scratch[edge],
            false => f32::NEG_INFINITY,
        };
        highest((0..self.noise.len()).map(score))
    }

    /// The edge whose share of the visits is furthest behind the improved policy.
    fn pick_by_policy(&mut self, node: usize) -> usize {
        self.complete(node);
        soften(&mut self.scratch);
        let Node { first, len, visits, .. } = self.nodes[node];
        let edges = &self.edges[first as usize..(first + len) as usize];
        let behind = edges
            .iter()
            .zip(&self.scratch)
            .map(|(edge, share)| share - edge.visits as f32 / (1.0 + visits as f32));
        first as usize + highest(behind)
    }

    /// Writes logit + scaled value of every edge of a node. The value of an edge that was never tried is a mean of
    /// what the network says of the node and of what was tried, weighted by priors.
    fn complete(&mut self, node: usize) {
        let Node { player, first, len, visits, value } = self.nodes[node];
        let edges = &self.edges[first as usize..(first + len) as usize];
        let own = if player.0 == 0 { value } else { 1.0 - value };
        let (mut weight, mut of_tried, mut most) = (0.0, 0.0, 0);
        for edge in edges.iter().filter(|edge| edge.visits > 0) {
            weight += edge.prior;
            of_tried += edge.prior * edge.mean();
            most = most.max(edge.visits);
        }
        let tried = if weight > 0.0 { of_tried / weight } else { own };
        let mixed = (own + visits as f32 * tried) / (1.0 + visits as f32);
        let scale = (VISITS_AHEAD + most as f32) * VALUE_SCALE;
        self.scratch.clear();
        self.scratch.extend(edges.iter().map(|edge| {
            let value = if edge.visits > 0 { edge.mean() } else { mixed };
            edge.logit + scale * value
        }));
    }

    /// What was found, after the last leaf.
    pub fn answer(&mut self) -> StepAnswer<G::Action> {
        let len = self.nodes[0].len as usize;
        let pick = match self.settings.rule {
            StepRule::Gumbel { .. } => {
                let most = self.edges[..len].iter().map(|edge| edge.visits).max().unwrap_or(0);
                let pick = self.best_of_root(most);
                self.complete(0);
                soften(&mut self.scratch);
                pick
            }
            StepRule::Puct { .. } => {
                let total = self.nodes[0].visits.max(1) as f32;
                self.scratch.clear();
                let shares = self.edges[..len].iter().map(|edge| edge.visits as f32 / total);
                self.scratch.extend(shares);
                highest(self.edges[..len].iter().map(|edge| edge.visits as f32 + edge.mean() / 2.0))
            }
        };
        let Node { player, visits, value, .. } = self.nodes[0];
        let own = if player.0 == 0 { value } else { 1.0 - value };
        let sum: f32 = self.edges[..len].iter().map(|edge| edge.sum).sum();
        let policy = self.edges[..len].iter().zip(&self.scratch);
        StepAnswer {
            action: self.edges[pick].action,
            policy: policy.map(|(edge, share)| (edge.action, *share)).collect(),
            value: f64::from((own + sum) / (1.0 + visits as f32)),
        }
    }
}

pub(crate) fn choosing<G: Encode>(game: &G, state: &G::State) -> Result<Player, StepError> {
    match game.turn(state) {
        Turn::Choose(who) => who.single().ok_or(StepError::Turn),
        _ => Err(StepError::Turn),
    }
}

/// The place of the highest score, the first of equal ones.
fn highest(scores: impl Iterator<Item = f32>) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (i, score) in scores.enumerate() {
        if score > best.1 {
            best = (i, score);
        }
    }
    best.0
}

fn soften(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores.iter_mut().for_each(|score| *score = (*score - largest).exp());
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
}

fn gumbel(rng: &mut Rng) -> f32 {
    let unit = (1.0 - rng.unit()).max(f64::MIN_POSITIVE);
    -libm::log((-libm::log(unit)).max(f64::MIN_POSITIVE)) as f32
}

/// How many visits the edge of each simulation has: all that are considered in turn, then the better half, and so on.
fn halving_schedule(considered: usize, simulations: usize) -> Vec<u32> {
    if considered <= 1 {
        return (0..simulations as u32).collect();
    }
    let phases = considered.next_power_of_two().trailing_zeros() as usize;
    let (mut schedule, mut visits, mut n) = (Vec::new(), vec![0; considered], considered);
    while schedule.len() < simulations {
        for _ in 0..(simulations / (phases * n)).max(1) {
            schedule.extend_from_slice(&visits[..n]);
            visits[..n].iter_mut().for_each(|visits| *visits += 1);
        }
        n = (n / 2).max(2);
    }
    schedule.truncate(simulations);
    schedule
}

#[cfg(test)]
mod tests;
