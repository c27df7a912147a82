//! M-UCT (Muto), winner of the contests at GAT 2016 and 2017: UCT on a tree whose edges are actions of
//! single units, with playouts that attack first. The tree is rebuilt for each unit.
//!
//! Quirks of the original that are kept, as they change its strength:
//! - rewards are those of the root's side and are maximised at the enemy's nodes too;
//! - exploration uses the total of simulations at the root, at every node;
//! - the playout always starts with the root's side and counts a turn for it, so from a leaf inside
//!   the enemy's turn the game is cut one turn early;
//! - a lead of exactly the threshold counts as a win, though the game calls it a draw;
//! - the child with the highest mean is played, not the most visited one.

use super::*;

pub(super) const DECLARATION: Declaration = Declaration::searching(
    "m-uct",
    "M-UCT of TUBSTAP: UCT over the actions of single units",
    "simulations an action; 2,000 if nothing is said",
);

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MUctSettings {
    /// Per action.
    pub simulations: u64,
    pub exploration: f64,
    /// A node gets children when it has more visits than this.
    pub expansion_threshold: u32,
    pub playout: AttackFirst,
    /// Processor time for a whole turn, shared equally by the units of the side.
    pub cpu_per_turn: Option<Duration>,
}

impl MUctSettings {
    /// As in version 1.08.
    pub const STOCK: MUctSettings = MUctSettings {
        simulations: 2_000,
        exploration: 0.15,
        expansion_threshold: 10,
        playout: AttackFirst::M_UCT,
        cpu_per_turn: None,
    };
}

player_settings!(
    MUctSettings,
    STOCK,
    |settings, n| settings.simulations = n,
    timed: STOCK { simulations: u64::MAX }
);

/// Nodes beyond this are not added.
const MAX_NODES: usize = 1 << 24;
/// What an unvisited child is worth.
const UNVISITED: f64 = 100.0;

#[derive(Clone, Debug)]
pub struct MUct<const W: usize, const N: usize> {
    settings: MUctSettings,
    nodes: Vec<Node>,
    actions: Vec<Action>,
    path: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    action: Action,
    visits: u32,
    sum: f64,
    first_child: u32,
    n_children: u32,
}

impl Node {
    fn new(action: Action) -> Node {
        Node { action, visits: 0, sum: 0.0, first_child: 0, n_children: 0 }
    }

    fn mean(&self) -> f64 {
        if self.visits == 0 { 0.0 } else { self.sum / f64::from(self.visits) }
    }
}

impl<const W: usize, const N: usize> MUct<W, N> {
    pub fn new(settings: MUctSettings) -> MUct<W, N> {
        MUct { settings, nodes: Vec::new(), actions: Vec::new(), path: Vec::new() }
    }

    /// Adds the actions of the side to act as children.
    fn expand(&mut self, game: &Tubstap<W, N>, state: &State<W, N>, side: usize, node: usize) {
        self.actions.clear();
        for unit in bits(game.unfinished(state, Player(side as u8))) {
            game.actions_of(state, unit, Attacks::Effective, &mut self.actions);
        }
        self.nodes[node].first_child = self.nodes.len() as u32;
        self.nodes[node].n_children = self.actions.len() as u32;
        self.nodes.extend(self.actions.iter().map(|&action| Node::new(action)));
    }

    /// The child with the best mean and exploration; the first unvisited one if there is any.
    fn select(&self, node: usize, log_total: f64) -> usize {
        let Node { first_child, n_children, .. } = self.nodes[node];
        let first = first_child as usize;
        let (mut best, mut best_score) = (first, f64::NEG_INFINITY);
        let scale = self.settings.exploration * self.settings.exploration * log_total;
        for (i, child) in self.nodes[first..first + n_children as usize].iter().enumerate() {
            let visits = f64::from(child.visits);
            let score = if child.visits == 0 {
                UNVISITED
            } else {
                child.sum / visits + (scale / visits).sqrt()
            };
            if score > best_score {
                (best, best_score) = (first + i, score);
                if child.visits == 0 {
                    break;
                }
            }
        }
        best
    }

    fn simulate(
        &mut self,
        game: &Tubstap<W, N>,
        root: &State<W, N>,
        own: usize,
        options: &mut Options<W, N>,
        rng: &mut Rng,
    ) {
        let limit = game.rules().map.turn_limit;
        let log_total = libm::log(f64::from(self.nodes[0].visits.max(1)));
        let mut state = *root;
        let (mut node, mut side, mut turn) = (0, own, root.turn);
        self.path.clear();
        self.path.push(0);
        loop {
            if self.nodes[node].n_children == 0 {
                let may_grow = self.nodes[node].visits > self.settings.expansion_threshold
                    && turn < limit
                    && self.nodes.len() < MAX_NODES;
                let acting = may_grow.then(|| acting_side(game, &mut state, own)).flatten();
                let Some(acting) = acting else { break };
                self.expand(game, &state, acting, node);
            }
            let acting = acting_side(game, &mut state, own).expect("it has children");
            turn += u16::from(acting != side);
            side = acting;
            node = self.select(node, log_total);
            game.act(&mut state, self.nodes[node].action);
            self.path.push(node as u32);
        }
        let reward = play_out(game, &mut state, own, turn, self.settings.playout, options, rng);
        for &node in &self.path {
            self.nodes[node as usize].visits += 1;
            self.nodes[node as usize].sum += reward;
        }
    }
}

/// The side whose units act next in the tree: the root's as long as it has any that have not acted,
/// then the enemy's, then all again. None if a side has no unit.
fn acting_side<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &mut State<W, N>,
    own: usize,
) -> Option<usize> {
    if game.is_wiped_out(state, 0) || game.is_wiped_out(state, 1) {
        return None;
    }
    let has_unfinished =
        |state: &State<W, N>, side: usize| game.unfinished(state, Player(side as u8)) != 0;
    if has_unfinished(state, own) {
        return Some(own);
    }
    if has_unfinished(state, own ^ 1) {
        return Some(own ^ 1);
    }
    state.finished = 0;
    Some(own)
}

/// Plays to the turn limit and returns the reward of the root's side.
fn play_out<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &mut State<W, N>,
    own: usize,
    mut turn: u16,
    policy: AttackFirst,
    options: &mut Options<W, N>,
    rng: &mut Rng,
) -> f64 {
    let mut side = own;
    while turn < game.rules().map.turn_limit
        && !game.is_wiped_out(state, 0)
        && !game.is_wiped_out(state, 1)
    {
        game.play_turn_attack_first(state, Player(side as u8), policy, options, rng);
        game.refresh(state, side);
        turn += 1;
        side ^= 1;
    }
    if game.is_wiped_out(state, own) {
        return 0.0;
    }
    if game.is_wiped_out(state, own ^ 1) {
        return 1.0;
    }
    let totals = game.totals(state).map(i64::from);
    let lead = totals[own] - totals[own ^ 1];
    let threshold = i64::from(game.rules().map.hp_threshold);
    if lead >= threshold {
        1.0
    } else if lead.abs() < threshold {
        0.5
    } else {
        0.0
    }
}

impl<const W: usize, const N: usize> Agent<Tubstap<W, N>> for MUct<W, N> {
    fn choose(
        &mut self,
        game: &Tubstap<W, N>,
        state: &State<W, N>,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Action>, Forfeit> {
        check_turn(game, state, player)?;
        let n_sharing = n_sharing(game, state, player);
        let cpu = self.settings.cpu_per_turn.map(|turn| turn / n_sharing);
        let mut options = Options::default();
        self.nodes.clear();
        self.nodes.push(Node::new(Action::END));
        self.expand(game, state, player.index(), 0);
        let mut meter = budget(self.settings.simulations, cpu).begin(context.stop);
        while meter.another() {
            self.simulate(game, state, player.index(), &mut options, context.rng);
        }
        let children = &self.nodes[1..=self.nodes[0].n_children as usize];
        let mut best = &children[0];
        for child in children {
            if child.mean() > best.mean() {
                best = child;
            }
        }
        let total = f64::from(self.nodes[0].visits);
        Ok(Choice {
            action: best.action,
            policy: children.iter().map(|c| (c.action, f64::from(c.visits) / total)).collect(),
            value: Some(best.mean()),
            iterations: meter.done(),
            nodes: self.nodes.len() as u64,
        })
    }
}
