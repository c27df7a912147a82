//! `tubstap-best`, our own player: MCTS over actions of single units with sound values at the enemy's
//! nodes, statistics shared by all orders of actions that lead to the same state, progressive widening
//! along an order of actions by what they win, lose and risk, and playouts in which attacks that do
//! damage nearly always go first. The value of a playout is its result and, in part, its lead.
//!
//! The tree lives for a turn: what was found for the first unit serves the others.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::time::Duration;

use rustc_hash::FxHasher;
use sakiyomi_core::{Agent, Budget, Choice, Context, Forfeit, Game, Player, Rng};

use super::{budget, not_to_move};
use crate::tubstap::cells::bits;
use crate::tubstap::hints::WORTH;
use crate::tubstap::playout::{AttackFirst, Options};
use crate::tubstap::{Action, Attacks, State, Tubstap};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestSettings {
    /// Per action.
    pub iterations: u64,
    pub exploration: f64,
    /// Actions that a node begins with, and how many more the square root of its visits adds.
    pub width: f64,
    pub widening: f64,
    /// How often attacks go first in playouts; only those that do damage count.
    pub attack_first: f64,
    /// How much of the value of a finished match is its lead in worth and hit points.
    pub lead_share: f64,
    /// Processor time for a whole turn, shared equally by the units of the side.
    pub cpu_per_turn: Option<Duration>,
}

impl BestSettings {
    pub const DEFAULT: BestSettings = BestSettings {
        iterations: 4_000,
        exploration: 0.2,
        width: 4.0,
        widening: 1.0,
        attack_first: 0.95,
        lead_share: 0.3,
        cpu_per_turn: None,
    };

    /// All iterations that fit into the processor time of a turn.
    pub fn timed(cpu_per_turn: Duration) -> BestSettings {
        BestSettings {
            iterations: u64::MAX,
            cpu_per_turn: Some(cpu_per_turn),
            ..BestSettings::DEFAULT
        }
    }
}

player_settings!(BestSettings, DEFAULT, |settings, n| settings.iterations = n);

/// Nodes beyond this are not added.
const MAX_NODES: usize = 1 << 20;
/// A lead of this share of all that is left is half of the way to a sure win.
const LEAD_SCALE: f64 = 0.3;
/// How much an expected loss counts against a move, and nearness for it, in the order of actions.
const RISK: f64 = 0.5;
const NEARNESS: f64 = 0.1;

#[derive(Clone, Debug)]
pub struct Best<const W: usize, const N: usize> {
    settings: BestSettings,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Node by the key of its state.
    known: HashMap<u64, u32, BuildHasherDefault<FxHasher>>,
    /// The turn of the match that the tree was made for.
    turn: Option<u16>,
    path: Vec<u32>,
    actions: Vec<Action>,
    ranked: Vec<(f64, Action)>,
    options: Options<W, N>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    visits: u32,
    /// Sum of the first seat's values.
    sum: f64,
    first_edge: u32,
    n_edges: u32,
    mover: u8,
    is_expanded: bool,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    action: Action,
    /// The node it leads to, or none yet.
    child: u32,
    visits: u32,
}

const NO_CHILD: u32 = u32::MAX;

impl<const W: usize, const N: usize> Best<W, N> {
    pub fn new(settings: BestSettings) -> Best<W, N> {
        Best {
            settings,
            nodes: Vec::new(),
            edges: Vec::new(),
            known: HashMap::default(),
            turn: None,
            path: Vec::new(),
            actions: Vec::new(),
            ranked: Vec::new(),
            options: Options::new(),
        }
    }

    /// The node of a state, which is added if it is new.
    fn node_of(&mut self, game: &Tubstap<W, N>, state: &State<W, N>) -> u32 {
        let new = self.nodes.len() as u32;
        let node = *self.known.entry(game.key(state)).or_insert(new);
        if node == new {
            let mover = state.to_move().map_or(2, |player| player.0);
            self.nodes.push(Node {
                visits: 0,
                sum: 0.0,
                first_edge: 0,
                n_edges: 0,
                mover,
                is_expanded: false,
            });
        }
        node
    }

    /// Adds all actions as edges, the most promising first.
    fn expand(&mut self, game: &Tubstap<W, N>, state: &State<W, N>, node: u32) {
        let player = state.status.mover();
        self.ranked.clear();
        for unit in bits(game.unfinished(state, player)) {
            self.actions.clear();
            game.actions_of(state, unit, Attacks::Effective, &mut self.actions);
            for &action in &self.actions {
                self.ranked.push((promise(game, state, action), action));
            }
        }
        self.ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let entry = &mut self.nodes[node as usize];
        entry.first_edge = self.edges.len() as u32;
        entry.n_edges = self.ranked.len() as u32;
        entry.is_expanded = true;
        self.edges.extend(self.ranked.iter().map(|&(_, action)| Edge {
            action,
            child: NO_CHILD,
            visits: 0,
        }));
    }

    /// The edge to follow: the best mean with exploration among those that are open by now.
    fn select(&self, node: &Node) -> usize {
        let wide = self.settings.width + self.settings.widening * f64::from(node.visits).sqrt();
        let n_open = (wide as u32).clamp(1, node.n_edges);
        let first = node.first_edge as usize;
        let log = libm::log(f64::from(node.visits.max(1)));
        let scale = self.settings.exploration * self.settings.exploration * log;
        let (mut best, mut best_score) = (first, f64::NEG_INFINITY);
        for (i, edge) in self.edges[first..first + n_open as usize].iter().enumerate() {
            if edge.child == NO_CHILD || edge.visits == 0 {
                return first + i;
            }
            let child = &self.nodes[edge.child as usize];
            let mean = child.sum / f64::from(child.visits.max(1));
            let mean = if node.mover == 0 { mean } else { 1.0 - mean };
            let score = mean + (scale / f64::from(edge.visits)).sqrt();
            if score > best_score {
                (best, best_score) = (first + i, score);
            }
        }
        best
    }

    fn iterate(&mut self, game: &Tubstap<W, N>, root: &State<W, N>, root_node: u32, rng: &mut Rng) {
        let mut state = *root;
        let mut node = root_node;
        self.path.clear();
        self.path.push(node);
        while !game.is_over(&state) {
            let entry = self.nodes[node as usize];
            if !entry.is_expanded {
                if entry.visits == 0 && node != root_node || self.nodes.len() >= MAX_NODES {
                    break;
                }
                self.expand(game, &state, node);
            }
            let edge = self.select(&self.nodes[node as usize]);
            game.act(&mut state, self.edges[edge].action);
            game.pass_turns(&mut state);
            if self.edges[edge].child == NO_CHILD {
                self.edges[edge].child = self.node_of(game, &state);
            }
            self.edges[edge].visits += 1;
            node = self.edges[edge].child;
            self.path.push(node);
        }
        let value = self.play_out(game, &mut state, rng);
        for &node in &self.path {
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.sum += value;
        }
    }

    /// Plays to the end and returns what the first seat gets.
    fn play_out(&mut self, game: &Tubstap<W, N>, state: &mut State<W, N>, rng: &mut Rng) -> f64 {
        let probability = self.settings.attack_first;
        let policy = AttackFirst { probability, attacks: Attacks::Effective };
        let payoffs = game.play_attack_first(state, policy, &mut self.options, rng);
        let share = self.settings.lead_share;
        payoffs[Player(0)] * (1.0 - share) + lead_value(game, state) * share
    }
}

/// How good an action looks before it is searched.
fn promise<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    action: Action,
) -> f64 {
    let gain = if action.is_attack() { game.exchange_worth(state, action) } else { 0.0 };
    let unit = action.unit as usize;
    let kind = game.rules.kinds[unit];
    let worth = WORTH[kind as usize];
    let (mut risk, mut near) = (0u32, 0.0f64);
    for enemy in bits(state.alive & game.rules.sides[game.enemy_index(action.unit)]) {
        let other = game.rules.kinds[enemy as usize];
        let cell = state.cells[enemy as usize];
        if enemy != action.target
            && game.rules.threat[usize::from(cell)][other as usize].has(action.to)
        {
            let hit_points = state.hit_points[enemy as usize];
            let left = state.hit_points[unit];
            risk += u32::from(game.rules.damage(other, hit_points, kind, left, action.to));
        }
        let distance = f64::from(game.rules.distance(action.to, cell));
        near = near.max(f64::from(kind.power(other)) / (distance + 5.0));
    }
    let risk = f64::from(risk.min(state.hit_points[unit].into()));
    gain - RISK * worth * risk + NEARNESS * near * worth
}

/// The lead of the first seat in hit points at the end, from 0 to 1: it tells more than the result,
/// which is the same for many ends.
fn lead_value<const W: usize, const N: usize>(game: &Tubstap<W, N>, state: &State<W, N>) -> f64 {
    let [red, blue] = game.totals(state).map(f64::from);
    let lead = (red - blue) / (red + blue).max(1.0);
    0.5 + 0.5 * lead / (LEAD_SCALE + lead.abs()) * (1.0 + LEAD_SCALE)
}

impl<const W: usize, const N: usize> Agent<Tubstap<W, N>> for Best<W, N> {
    fn choose(
        &mut self,
        game: &Tubstap<W, N>,
        state: &State<W, N>,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Action>, Forfeit> {
        if game.unfinished(state, player) == 0 || game.is_over(state) {
            return Err(not_to_move());
        }
        if self.turn != Some(state.turn) {
            self.turn = Some(state.turn);
            self.nodes.clear();
            self.edges.clear();
            self.known.clear();
        }
        let cpu = self.settings.cpu_per_turn.map(|turn| turn / game.n_sharing(state, player));
        let mut meter = budget(self.settings.iterations, cpu).begin(context.stop);
        let root = self.node_of(game, state);
        while meter.another() {
            self.iterate(game, state, root, context.rng);
        }
        let Node { first_edge, n_edges, .. } = self.nodes[root as usize];
        let edges = &self.edges[first_edge as usize..(first_edge + n_edges) as usize];
        let best = edges.iter().rev().max_by_key(|edge| edge.visits).ok_or_else(not_to_move)?;
        let mean =
            self.nodes.get(best.child as usize).map(|child| child.sum / f64::from(child.visits));
        let total: u32 = edges.iter().map(|edge| edge.visits).sum();
        let share = |edge: &Edge| f64::from(edge.visits) / f64::from(total.max(1));
        Ok(Choice {
            action: best.action,
            policy: edges.iter().map(|edge| (edge.action, share(edge))).collect(),
            value: mean.map(|mean| if player.0 == 0 { mean } else { 1.0 - mean }),
            iterations: meter.done(),
            nodes: self.nodes.len() as u64,
        })
    }
}
