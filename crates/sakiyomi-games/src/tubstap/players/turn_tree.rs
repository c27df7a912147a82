//! MCTS over whole turns.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::time::Duration;

use rustc_hash::FxHasher;
use sakiyomi_core::{Agent, Choice, Context, Forfeit, Game, Player, Rng};

use super::turns::Taste;
use super::{Plan, budget, decided, not_to_move};
use crate::tubstap::playout::{AttackFirst, Options};
use crate::tubstap::{Action, Attacks, State, Status, Tubstap};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnTreeSettings {
    /// Per turn.
    pub iterations: u64,
    pub exploration: f64,
    /// Turns that a node begins with, and how many more the square root of its visits adds.
    pub width: f64,
    pub widening: f64,
    /// How often attacks go first in playouts; only those that do damage count.
    pub attack_first: f64,
    /// How many turns of a playout are made of good exchanges.
    pub guided_turns: u32,
    pub guided_noise: f64,
    /// How much of the value of a finished match is its lead in worth and hit points.
    pub lead_share: f64,
    pub change: f64,
    /// Processor time for a whole turn.
    pub cpu_per_turn: Option<Duration>,
}

impl TurnTreeSettings {
    pub const DEFAULT: TurnTreeSettings = TurnTreeSettings {
        iterations: 4_000,
        exploration: 0.2,
        width: 3.0,
        widening: 1.0,
        attack_first: 0.95,
        guided_turns: 1,
        guided_noise: 0.5,
        lead_share: 0.3,
        change: 0.7,
        cpu_per_turn: None,
    };

    /// As many iterations as fit into the processor time of a turn.
    pub fn timed(cpu_per_turn: Duration) -> TurnTreeSettings {
        TurnTreeSettings {
            iterations: u64::MAX,
            cpu_per_turn: Some(cpu_per_turn),
            ..TurnTreeSettings::DEFAULT
        }
    }
}

const MAX_NODES: usize = 1 << 18;
const LEAD_SCALE: f64 = 0.3;

#[derive(Clone, Debug)]
struct Node<const W: usize, const N: usize> {
    state: State<W, N>,
    visits: u32,
    /// Sum of the first seat's values.
    sum: f64,
    children: Vec<Child>,
    /// Drawing found nothing new this often.
    n_failed: u32,
}

#[derive(Clone, Copy, Debug)]
struct Child {
    node: u32,
    visits: u32,
    /// Its actions in the list of all.
    first_action: u32,
    n_actions: u32,
}

#[derive(Clone, Debug)]
pub struct TurnTree<const W: usize, const N: usize> {
    settings: TurnTreeSettings,
    nodes: Vec<Node<W, N>>,
    actions: Vec<Action>,
    known: HashMap<u64, u32, BuildHasherDefault<FxHasher>>,
    path: Vec<u32>,
    options: Options<W, N>,
    plan: Plan<W, N>,
}

impl<const W: usize, const N: usize> TurnTree<W, N> {
    pub fn new(settings: TurnTreeSettings) -> TurnTree<W, N> {
        TurnTree {
            settings,
            nodes: Vec::new(),
            actions: Vec::new(),
            known: HashMap::default(),
            path: Vec::new(),
            options: Options::new(),
            plan: Plan::default(),
        }
    }

    fn node_of(&mut self, game: &Tubstap<W, N>, state: &State<W, N>) -> u32 {
        let new = self.nodes.len() as u32;
        let node = *self.known.entry(game.key(state)).or_insert(new);
        if node == new {
            self.nodes.push(Node {
                state: *state,
                visits: 0,
                sum: 0.0,
                children: Vec::new(),
                n_failed: 0,
            });
        }
        node
    }

    fn iterate(&mut self, game: &Tubstap<W, N>, rng: &mut Rng) {
        let mut at = 0;
        self.path.clear();
        self.path.push(0);
        loop {
            let node = &self.nodes[at as usize];
            if game.is_over(&node.state) || (node.visits == 0 && at != 0) {
                break;
            }
            let wide = self.settings.width + self.settings.widening * f64::from(node.visits).sqrt()
                - f64::from(node.n_failed);
            let mut new = None;
            if (node.children.len() as f64) < wide && self.nodes.len() < MAX_NODES {
                new = self.add_child(game, at, rng);
            }
            let child = match new {
                Some(child) => child,
                None if self.nodes[at as usize].children.is_empty() => break,
                None => self.select(at),
            };
            let child = &mut self.nodes[at as usize].children[child];
            child.visits += 1;
            at = child.node;
            self.path.push(at);
        }
        let mut state = self.nodes[at as usize].state;
        let value = self.play_out(game, &mut state, rng);
        for &node in &self.path {
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.sum += value;
        }
    }

    /// Draws a turn and adds it, unless it leads to where another turn of this node leads.
    fn add_child(&mut self, game: &Tubstap<W, N>, at: u32, rng: &mut Rng) -> Option<usize> {
        let first_action = self.actions.len();
        let node = &self.nodes[at as usize];
        let mut state = node.state;
        let player = state.status.mover();
        let n = node.children.len();
        let mut list = std::mem::take(&mut self.actions);
        if n == 0 {
            game.draw_turn(&mut state, player, Taste::PLAIN, rng, &mut list);
        } else if n == 1 || rng.unit() >= self.settings.change {
            game.draw_turn(&mut state, player, Taste::draw(rng), rng, &mut list);
        } else {
            let parent = self.pick_parent(at, rng);
            let mut turn: [Action; N] = [Action::END; N];
            let n = (parent.n_actions as usize).min(N);
            let first = parent.first_action as usize;
            turn[..n].copy_from_slice(&list[first..first + n]);
            let mut changed = 0u64;
            let n_changed = if rng.below(3) == 0 { 2 } else { 1 };
            if n > 0 {
                for _ in 0..n_changed {
                    let i = rng.below(n);
                    changed |= 1 << turn[i].unit;
                    // It may act earlier or later than it did.
                    let j = rng.below(n);
                    turn.swap(i, j);
                }
            }
            game.play_changed(&mut state, player, &turn[..n], changed, rng, &mut list);
        }
        self.actions = list;
        if !matches!(state.status, Status::ToMove(_)) {
            self.actions.truncate(first_action);
            return None;
        }
        game.pass_turns(&mut state);
        let child = self.node_of(game, &state);
        let node = &mut self.nodes[at as usize];
        if node.children.iter().any(|other| other.node == child) || child == at {
            node.n_failed += 1;
            self.actions.truncate(first_action);
            return None;
        }
        let n_actions = (self.actions.len() - first_action) as u32;
        let first_action = first_action as u32;
        node.children.push(Child { node: child, visits: 0, first_action, n_actions });
        Some(n)
    }

    /// A turn to change: the more visited of some.
    fn pick_parent(&self, at: u32, rng: &mut Rng) -> Child {
        let children = &self.nodes[at as usize].children;
        let mut best = children[rng.below(children.len())];
        for _ in 0..3 {
            let other = children[rng.below(children.len())];
            if other.visits > best.visits {
                best = other;
            }
        }
        best
    }

    fn select(&self, at: u32) -> usize {
        let node = &self.nodes[at as usize];
        let is_first = node.state.status == Status::ToMove(Player(0));
        let log = libm::log(f64::from(node.visits.max(1)));
        let scale = self.settings.exploration * self.settings.exploration * log;
        let (mut best, mut best_score) = (0, f64::NEG_INFINITY);
        for (i, child) in node.children.iter().enumerate() {
            let next = &self.nodes[child.node as usize];
            let mean = next.sum / f64::from(next.visits.max(1));
            let mean = if is_first { mean } else { 1.0 - mean };
            let score = mean + (scale / f64::from(child.visits.max(1))).sqrt();
            if score > best_score {
                (best, best_score) = (i, score);
            }
        }
        best
    }

    /// Plays to the end and returns what the first seat gets.
    fn play_out(&mut self, game: &Tubstap<W, N>, state: &mut State<W, N>, rng: &mut Rng) -> f64 {
        for _ in 0..self.settings.guided_turns {
            let Status::ToMove(player) = state.status else { break };
            game.play_turn_of_exchanges(state, player, self.settings.guided_noise, rng);
            game.pass_turns(state);
        }
        let probability = self.settings.attack_first;
        let policy = AttackFirst { probability, attacks: Attacks::Effective };
        let payoffs = if game.is_over(state) {
            state.status.payoffs()
        } else {
            game.play_attack_first(state, policy, &mut self.options, rng)
        };
        let share = self.settings.lead_share;
        payoffs[Player(0)] * (1.0 - share) + lead_value(game, state) * share
    }
}

fn lead_value<const W: usize, const N: usize>(game: &Tubstap<W, N>, state: &State<W, N>) -> f64 {
    let [red, blue] = game.totals(state).map(f64::from);
    let lead = (red - blue) / (red + blue).max(1.0);
    0.5 + 0.5 * lead / (LEAD_SCALE + lead.abs()) * (1.0 + LEAD_SCALE)
}

impl<const W: usize, const N: usize> Agent<Tubstap<W, N>> for TurnTree<W, N> {
    fn choose(
        &mut self,
        game: &Tubstap<W, N>,
        state: &State<W, N>,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Action>, Forfeit> {
        if let Some(action) = self.plan.next(game, state) {
            return Ok(decided(action, None, 1, 0));
        }
        if game.unfinished(state, player) == 0 || game.is_over(state) {
            return Err(not_to_move());
        }
        self.nodes.clear();
        self.actions.clear();
        self.known.clear();
        self.node_of(game, state);
        let mut meter =
            budget(self.settings.iterations, self.settings.cpu_per_turn).begin(context.stop);
        while meter.another() {
            self.iterate(game, context.rng);
        }
        let children = &self.nodes[0].children;
        let best = children.iter().rev().max_by_key(|c| c.visits).ok_or_else(not_to_move)?;
        let next = &self.nodes[best.node as usize];
        let mean = next.sum / f64::from(next.visits.max(1));
        let value = if player.0 == 0 { mean } else { 1.0 - mean };
        let first = best.first_action as usize;
        let turn = self.actions[first..first + best.n_actions as usize].to_vec();
        self.plan.set(state, &turn);
        let action = self.plan.next(game, state).unwrap_or(Action::END);
        Ok(decided(action, Some(value), meter.done(), self.nodes.len() as u64))
    }
}
