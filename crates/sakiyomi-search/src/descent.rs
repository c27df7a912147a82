//! Descent (Cohen-Solal 2020): best-first minimax without a bound that follows the best actions to the end of the match, with a
//! network that says what positions are worth. What is learned are the minimax values of all positions of its tree, which grows
//! through the whole match.
//!
//! It departs from the paper in one way: what is proven comes before what is expected only where it is the most or the least
//! that can be had, since payoffs may be more than won and lost.

use sakiyomi_core::{Encode, Player, Rng, Turn};

use crate::stepwise::{StepError, choosing};

const NONE: u32 = u32::MAX;
/// How fast shares of the policy that is learned fall with what an action is expected to lose.
const POLICY_TEMPERATURE: f32 = 0.05;

#[derive(Debug)]
struct Node<S> {
    state: S,
    player: Player,
    first: u32,
    /// Actions; none before the node is expanded.
    len: u32,
    value: Worth,
}

/// What the first player gets.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Worth {
    value: f32,
    /// Whether that is proven.
    is_exact: bool,
}

impl Worth {
    /// The order in which a player wants them.
    fn key(self, player: Player) -> (i8, f32) {
        let own = if player.0 == 0 { self.value } else { 1.0 - self.value };
        let proven = match self.is_exact {
            true => i8::from(own >= 1.0) - i8::from(own <= 0.0),
            false => 0,
        };
        (proven, own)
    }
}

#[derive(Debug)]
struct Edge<A> {
    action: A,
    child: u32,
    value: Worth,
}

/// A position of the tree whose minimax value is learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned<S, A> {
    pub state: S,
    pub player: Player,
    /// What the player expects, from 0 to 1.
    pub value: f64,
    pub policy: Vec<(A, f32)>,
}

/// The search of one match.
#[derive(Debug)]
pub struct DescentSearch<G: Encode> {
    /// Evaluations for a move; the descent in which they are spent goes on to its end.
    evaluations: u32,
    nodes: Vec<Node<G::State>>,
    edges: Vec<Edge<G::Action>>,
    root: u32,
    path: Vec<u32>,
    /// The node that is being expanded, and its edges that wait for what the network says.
    at: u32,
    waiting: Vec<u32>,
    leaves: Vec<(G::State, Player)>,
    spent: u32,
}

impl<G: Encode> DescentSearch<G> {
    pub fn new(evaluations: u32) -> DescentSearch<G> {
        DescentSearch {
            evaluations,
            nodes: Vec::new(),
            edges: Vec::new(),
            root: 0,
            path: Vec::new(),
            at: NONE,
            waiting: Vec::new(),
            leaves: Vec::new(),
            spent: 0,
        }
    }

    /// Begins a match in this state, in which a player chooses.
    pub fn begin(&mut self, game: &G, root: &G::State) -> Result<(), StepError> {
        self.nodes.clear();
        self.edges.clear();
        let worth = Worth { value: 0.5, is_exact: false };
        self.root = self.add(game, root.clone(), worth)?;
        self.restart();
        Ok(())
    }

    fn restart(&mut self) {
        self.path.clear();
        (self.at, self.spent) = (NONE, 0);
    }

    fn add(&mut self, game: &G, state: G::State, value: Worth) -> Result<u32, StepError> {
        let player = choosing(game, &state)?;
        self.nodes.push(Node { state, player, first: 0, len: 0, value });
        Ok(self.nodes.len() as u32 - 1)
    }

    /// The states that are to be evaluated next, with the players who choose there; none if the search for this move is done.
    pub fn next_leaves(&mut self, game: &G) -> Result<&[(G::State, Player)], StepError> {
        self.leaves.clear();
        while self.leaves.is_empty() {
            if self.at == NONE {
                let is_done =
                    self.spent >= self.evaluations && self.nodes[self.root as usize].len > 0;
                if is_done || self.nodes[self.root as usize].value.is_exact {
                    break;
                }
                self.at = self.root;
            }
            self.go_down(game)?;
        }
        Ok(&self.leaves)
    }

    /// Goes on with the descent until states have to be evaluated, or it ends.
    fn go_down(&mut self, game: &G) -> Result<(), StepError> {
        if self.nodes[self.at as usize].len == 0 {
            self.expand(game)?;
            if !self.waiting.is_empty() {
                return Ok(());
            }
        }
        // What was proven ends the descent.
        let edges = self.edges_of(self.at);
        let player = self.nodes[self.at as usize].player;
        let best = self.best(edges.clone(), player, |_| true);
        let is_won = self.edges[best].value.key(player).0 == 1;
        let open = |edge: &Edge<G::Action>| !edge.value.is_exact;
        if is_won || !self.edges[edges.clone()].iter().any(open) {
            self.back_up();
            return Ok(());
        }
        let edge = self.best(edges, player, open);
        self.path.push(self.at);
        if self.edges[edge].child == NONE {
            let Edge { action, value, .. } = self.edges[edge];
            let mut state = self.nodes[self.at as usize].state.clone();
            game.apply(&mut state, &[action]);
            self.edges[edge].child = self.add(game, state, value)?;
        }
        self.at = self.edges[edge].child;
        Ok(())
    }

    /// Makes the edges of the node, and collects those whose state the network is to look at.
    fn expand(&mut self, game: &G) -> Result<(), StepError> {
        let at = self.at as usize;
        let first = self.edges.len();
        let mut actions = Vec::new();
        game.actions(&self.nodes[at].state, self.nodes[at].player, &mut actions);
        self.waiting.clear();
        for action in actions {
            let mut state = self.nodes[at].state.clone();
            game.apply(&mut state, &[action]);
            let value = match game.turn(&state) {
                Turn::Over(payoffs) => Worth { value: payoffs[Player(0)] as f32, is_exact: true },
                _ => {
                    let player = choosing(game, &state)?;
                    self.waiting.push(self.edges.len() as u32);
                    self.leaves.push((state, player));
                    Worth { value: 0.5, is_exact: false }
                }
            };
            self.edges.push(Edge { action, child: NONE, value });
        }
        let node = &mut self.nodes[at];
        (node.first, node.len) = (first as u32, (self.edges.len() - first) as u32);
        Ok(())
    }

    /// The states that wait.
    pub fn leaves(&self) -> &[(G::State, Player)] {
        &self.leaves
    }

    /// Takes what the player who chooses in each of the states gets.
    pub fn supply(&mut self, values: &[f32]) {
        for ((&edge, (_, player)), &value) in self.waiting.iter().zip(&self.leaves).zip(values) {
            let of_first = if player.0 == 0 { value } else { 1.0 - value };
            self.edges[edge as usize].value.value = of_first;
        }
        self.spent += values.len() as u32;
        self.waiting.clear();
    }

    /// Ends the descent: every node on its path is worth as much as its best action.
    fn back_up(&mut self) {
        self.path.push(self.at);
        while let Some(at) = self.path.pop() {
            let (edges, player) = (self.edges_of(at), self.nodes[at as usize].player);
            let best = self.edges[self.best(edges.clone(), player, |_| true)].value;
            let is_exact = best.is_exact
                && (best.key(player).0 == 1
                    || self.edges[edges].iter().all(|edge| edge.value.is_exact));
            let value = Worth { is_exact, ..best };
            self.nodes[at as usize].value = value;
            if let Some(&above) = self.path.last() {
                let edge = self.edges_of(above).find(|&edge| self.edges[edge].child == at);
                if let Some(edge) = edge {
                    self.edges[edge].value = value;
                }
            }
        }
        self.at = NONE;
    }

    fn edges_of(&self, node: u32) -> std::ops::Range<usize> {
        let Node { first, len, .. } = self.nodes[node as usize];
        first as usize..(first + len) as usize
    }

    /// The best of the edges that count, the first of equal ones.
    fn best(
        &self,
        edges: std::ops::Range<usize>,
        player: Player,
        counts: impl Fn(&Edge<G::Action>) -> bool,
    ) -> usize {
        let mut best = edges.start;
        let mut key = (i8::MIN, 0.0);
        for edge in edges.filter(|&edge| counts(&self.edges[edge])) {
            let own = self.edges[edge].value.key(player);
            if own.0 > key.0 || own.0 == key.0 && own.1 > key.1 {
                (best, key) = (edge, own);
            }
        }
        best
    }

    /// What the player who is to move expects, from 0 to 1, and the best action.
    pub fn best_action(&self) -> (G::Action, f64) {
        let Node { player, .. } = self.nodes[self.root as usize];
        let Edge { action, value, .. } =
            self.edges[self.best(self.edges_of(self.root), player, |_| true)];
        (action, f64::from(value.key(player).1))
    }

    /// An action of the root by its place in the order of values (the ordinal law of the paper): each in turn is taken with a
    /// probability that grows from an equal share to `share` and beyond.
    pub fn draw(&self, share: f64, rng: &mut Rng) -> G::Action {
        let Node { player, .. } = self.nodes[self.root as usize];
        let mut edges: Vec<usize> = self.edges_of(self.root).collect();
        edges.sort_by(|&a, &b| {
            let (a, b) = (self.edges[a].value.key(player), self.edges[b].value.key(player));
            b.0.cmp(&a.0).then(b.1.total_cmp(&a.1))
        });
        for (i, &edge) in edges.iter().enumerate() {
            if rng.unit() < share + (1.0 - share) / (edges.len() - i) as f64 {
                return self.edges[edge].action;
            }
        }
        self.edges[edges[0]].action
    }

    /// Keeps the tree below an action of the root, which is made.
    pub fn follow(&mut self, game: &G, action: G::Action) -> Result<(), StepError> {
        let taken = self.edges_of(self.root).find(|&edge| self.edges[edge].action == action);
        let edge = taken.ok_or(StepError::NoIndex)?;
        if self.edges[edge].child == NONE {
            let mut state = self.nodes[self.root as usize].state.clone();
            game.apply(&mut state, &[action]);
            if let Turn::Over(_) = game.turn(&state) {
                return Ok(());
            }
            let value = self.edges[edge].value;
            self.edges[edge].child = self.add(game, state, Worth { is_exact: false, ..value })?;
        }
        self.root = self.edges[edge].child;
        self.restart();
        Ok(())
    }

    /// All positions of the match's tree whose actions were looked at.
    pub fn learned(&self) -> Vec<Learned<G::State, G::Action>> {
        let expanded =
            (0..self.nodes.len() as u32).filter(|&node| self.nodes[node as usize].len > 0);
        let learned = |node: u32| {
            let Node { state, player, value, .. } = &self.nodes[node as usize];
            let (state, player, value) = (state.clone(), *player, f64::from(value.key(*player).1));
            Learned { state, player, value, policy: self.policy(node) }
        };
        expanded.map(learned).collect()
    }

    /// Shares by what actions are worth.
    fn policy(&self, node: u32) -> Vec<(G::Action, f32)> {
        let player = self.nodes[node as usize].player;
        let edges = &self.edges[self.edges_of(node)];
        // What is proven to be best or worst is worth a little more than what is only expected.
        let own = |edge: &Edge<G::Action>| {
            let (proven, value) = edge.value.key(player);
            value + f32::from(proven)
        };
        let most = edges.iter().map(own).fold(f32::NEG_INFINITY, f32::max);
        let weight = |edge: &Edge<G::Action>| ((own(edge) - most) / POLICY_TEMPERATURE).exp();
        let sum: f32 = edges.iter().map(weight).sum();
        edges.iter().map(|edge| (edge.action, weight(edge) / sum)).collect()
    }
}

#[cfg(test)]
mod tests;
