//! The walk through one tree: down by the bandits' picks, arrive at a new state, play out, back up.

use std::sync::Arc;

use sakiyomi_core::{Budget, Game, Hints, Payoffs, Player, Rng, Scratch, Stop, Turn};

use super::advice::{self, Groups};
use super::around;
use super::bandit::{Bandit, Exploration};
use super::tree::{self, Kind, Node, NodeId, Row, Tree};
use super::{MctsSettings, ROOT};
use crate::exact::{Exact, Solution};

/// Is told how far a walk is, and how many iterations it has done.
pub(super) type Report<'a, G> = dyn FnMut(&Walk<G>, u64) + 'a;

/// One tree and what is needed to walk it, on one thread.
#[derive(Debug)]
pub(super) struct Walk<G: Game> {
    pub(super) tree: Tree<G::Action>,
    pub(super) settings: MctsSettings,
    /// Who knows the last turns exactly, and how many.
    pub(super) oracle: Option<(u32, Exact<G>)>,
    pub(super) state: G::State,
    pub(super) scratch: Scratch<G::Action>,
    pub(super) path: Vec<Step>,
    /// The picks of all steps of the path, one per choosing player each.
    pub(super) picks: Vec<u16>,
    /// How likely each of them was, if the bandit draws.
    pub(super) odds: Vec<f64>,
    /// Who explores in this iteration of outcome sampling.
    pub(super) explorer: Player,
    /// How likely the explorer's picks were up to each step.
    pub(super) reaches: Vec<f64>,
}

/// A node on the path. A leaf, and a node of chance, has no picks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    pub(super) first_pick: u32,
    pub(super) n_picks: u32,
}

impl<G: Hints> Walk<G> {
    pub(super) fn new(game: &G, settings: &MctsSettings) -> Walk<G> {
        Walk {
            tree: Tree::new(settings.bandit, settings.graph, game.players()),
            settings: MctsSettings { expand: settings.expand.max(1), ..*settings },
            oracle: (settings.endgame > 0).then(|| {
                let memory = settings.budget.memory / u64::from(settings.trees.max(1));
                (settings.endgame, Exact::new(memory, Arc::default()))
            }),
            state: game.start(),
            scratch: Scratch::default(),
            path: Vec::new(),
            picks: Vec::new(),
            odds: Vec::new(),
            explorer: Player(0),
            reaches: Vec::new(),
        }
    }

    pub(super) fn run(
        &mut self,
        game: &G,
        root: &G::State,
        budget: Budget,
        stop: &Stop,
        rng: &mut Rng,
        mut report: Option<&mut Report<'_, G>>,
    ) -> u64 {
        if self.tree.nodes.is_empty() {
            self.tree.add(&game.turn(root));
            self.tree.remember(game.key(root), ROOT);
        }
        self.state.clone_from(root);
        let entry = self.tree.nodes[ROOT as usize];
        if entry.kind() == Kind::Choose && !entry.has_rows() {
            self.grow(game, ROOT, rng);
        }
        let room = Room::of(&budget);
        let mut meter = budget.begin(stop);
        if report.is_some() {
            meter.report();
        }
        while self.tree.nodes[ROOT as usize].kind() != Kind::Proven && meter.another() {
            self.state.clone_from(root);
            let payoffs = self.walk_down(game, room, rng);
            self.back_up(&payoffs);
            self.explorer = Player((self.explorer.0 + 1) % game.players() as u8);
            if let (true, Some(report)) = (meter.is_report_due(), &mut report) {
                report(self, meter.done());
            }
        }
        meter.done()
    }

    /// Follows the tree to an end, or to a state new to the tree, which it adds and plays out.
    fn walk_down(&mut self, game: &G, room: Room, rng: &mut Rng) -> Payoffs {
        self.path.clear();
        self.picks.clear();
        self.odds.clear();
        let mut node = ROOT;
        loop {
            let first_pick = self.picks.len();
            self.path.push(Step { node, first_pick: first_pick as u32, n_picks: 0 });
            let entry = self.tree.nodes[node as usize];
            let slot = match entry.kind() {
                Kind::Proven => return *self.tree.proof(node).expect("a proven node has a proof"),
                Kind::Over => return self.play_out(game, rng),
                Kind::Chance => {
                    let outcome = game.sample(&self.state, &mut self.scratch.outcomes, rng);
                    game.apply(&mut self.state, &[outcome]);
                    self.tree.chance_slot(node, &outcome)
                }
                Kind::Choose => {
                    if !entry.has_rows() {
                        if entry.visits < self.settings.expand || room.is_taken(&self.tree) {
                            return self.play_out(game, rng);
                        }
                        if let Some(payoffs) = self.solve(game) {
                            self.tree.prove(node, payoffs);
                            return payoffs;
                        }
                        self.grow(game, node, rng);
                    }
                    self.pick(game, node, rng);
                    match self.scratch.joint.as_slice() {
                        [action] if self.settings.groups == Some(Groups::Shared) => {
                            self.tree.chance_slot(node, action)
                        }
                        _ => self.tree.slot(node, &self.picks[first_pick..]),
                    }
                }
            };
            match self.tree.child(slot) {
                Some(child) => node = child,
                None if room.is_taken(&self.tree) => return self.play_out(game, rng),
                None => {
                    let (child, is_new) = self.arrive(game);
                    self.tree.set_child(slot, child);
                    if is_new {
                        self.path.push(Step { node: child, first_pick: 0, n_picks: 0 });
                        return self.play_out(game, rng);
                    }
                    node = child;
                }
            }
            // In a graph a match may come back to where it was; from there it is played out.
            if self.tree.is_graph() && self.path.iter().any(|step| step.node == node) {
                return self.play_out(game, rng);
            }
        }
    }

    /// Lets every choosing player pick an arm, and plays the joint action.
    #[inline]
    fn pick(&mut self, game: &G, node: NodeId, rng: &mut Rng) {
        if self.tree.bandit.is_mixed() {
            self.draw(node, rng);
        } else {
            self.pick_by_score(game, node, rng);
        }
        game.apply(&mut self.state, &self.scratch.joint);
        if let Some(step) = self.path.last_mut() {
            step.n_picks = self.picks.len() as u32 - step.first_pick;
        }
    }

    #[inline]
    fn pick_by_score(&mut self, game: &G, node: NodeId, rng: &mut Rng) {
        let Walk { tree, scratch, picks, settings, .. } = self;
        let Node { visits, .. } = tree.nodes[node as usize];
        let alone = tree.nodes[node as usize].choosing().len() == 1;
        let exploration = Exploration::of(visits.saturating_add(settings.expand));
        scratch.joint.clear();
        let untried = match tree.bandit {
            Bandit::JointUcb1 { tried: false, .. } => {
                around::UntriedJoint::after(tree.rows(node), visits)
            }
            _ => None,
        };
        for (i, Row { player, first, len }) in tree.rows(node).enumerate() {
            let n_shown = settings.n_shown(len, visits);
            let pick = if let Some(joint) = &untried {
                joint.pick(i, len)
            } else if !alone && !settings.strict {
                tree.bandit.pick_loosely(&tree.arms, first, len, visits, exploration, rng)
            } else if let (true, Some(untried)) =
                (alone && n_shown < len, advice::untried(&tree.arms, first, n_shown))
            {
                untried
            } else if alone && settings.solver && visits as usize >= n_shown {
                let shown = Row { player, first, len: n_shown };
                pick_with_proofs(tree, node, shown, exploration)
            } else {
                tree.bandit.pick(&tree.arms, first, n_shown, visits, exploration)
            };
            picks.push(pick as u16);
            let mut action = tree.actions[first + pick];
            if alone && settings.groups == Some(Groups::Shared) {
                let Scratch { actions, .. } = scratch;
                action = settings.draw_member(game, &self.state, player, action, actions, rng);
            }
            scratch.joint.push(action);
        }
    }

    fn draw(&mut self, node: NodeId, rng: &mut Rng) {
        let Walk { tree, scratch, picks, odds, explorer, .. } = self;
        scratch.joint.clear();
        for i in 0..tree.nodes[node as usize].choosing().len() {
            let Some(Row { player, first, len }) = tree.rows(node).nth(i) else { break };
            let explores = player == *explorer;
            let (pick, probability) = tree.bandit.draw(&mut tree.arms, first, len, explores, rng);
            picks.push(pick as u16);
            odds.push(probability);
            scratch.joint.push(tree.actions[first + pick]);
        }
    }

    /// The node of the current state, to which this path leads for the first time, and whether it
    /// is new to the tree.
    fn arrive(&mut self, game: &G) -> (NodeId, bool) {
        let key = if self.tree.is_graph() { game.key(&self.state) } else { 0 };
        if let Some(node) = self.tree.known(key) {
            return (node, false);
        }
        let turn = game.turn(&self.state);
        let node = self.tree.add(&turn);
        self.tree.remember(key, node);
        if let (true, Turn::Over(payoffs)) = (self.settings.solver, turn) {
            let payoffs = self.settings.with_bonus(game, &self.state, payoffs);
            self.tree.prove(node, payoffs);
        }
        (node, true)
    }

    /// The payoffs of the current state, if it is one of those that are solved exactly.
    fn solve(&mut self, game: &G) -> Option<Payoffs> {
        let (endgame, oracle) = self.oracle.as_mut()?;
        let is_near = game.turns_left(&self.state)? <= *endgame;
        is_near.then(|| oracle.payoffs(game, &self.state).ok())?
    }

    /// The solution of a state in which players choose, if it is one of those.
    pub(super) fn endgame(&mut self, game: &G, state: &G::State) -> Option<Solution<G::Action>> {
        let (endgame, oracle) = self.oracle.as_mut()?;
        let is_near = game.turns_left(state)? <= *endgame;
        is_near.then(|| oracle.solve(game, state).ok())?
    }

    /// Gives the node of the current state a row for each choosing player.
    fn grow(&mut self, game: &G, node: NodeId, rng: &mut Rng) {
        let Scratch { actions, joint: all, .. } = &mut self.scratch;
        let mut lengths = [0; sakiyomi_core::MAX_PLAYERS];
        let choosing = self.tree.nodes[node as usize].choosing();
        all.clear();
        for (length, player) in lengths.iter_mut().zip(choosing) {
            actions.clear();
            game.actions(&self.state, player, actions);
            self.settings.arrange(game, &self.state, player, actions, rng);
            *length = actions.len();
            all.extend_from_slice(actions);
        }
        self.tree.grow(node, all, &lengths[..choosing.len()]);
    }

    fn play_out(&mut self, game: &G, rng: &mut Rng) -> Payoffs {
        let Walk { state, scratch, settings, .. } = self;
        let payoffs = match &settings.playout {
            options if options.is_plain() => game.playout(state, scratch, rng),
            options => game.guided_playout(state, options, scratch, rng),
        };
        settings.with_bonus(game, state, payoffs)
    }

    fn back_up(&mut self, payoffs: &Payoffs) {
        if self.tree.bandit.learns_more() {
            self.back_up_more(payoffs);
        } else {
            for step in &self.path {
                let picks = &self.picks[step.first_pick as usize..][..step.n_picks as usize];
                self.tree.learn(step.node, picks, payoffs);
            }
        }
        if self.settings.solver {
            self.back_up_proofs();
        }
    }

    /// Carries the proof of the path's last node up as far as it goes.
    fn back_up_proofs(&mut self) {
        let Some((last, above)) = self.path.split_last() else { return };
        let mut child = last.node;
        for step in above.iter().rev() {
            if self.tree.proof(child).is_none() || step.n_picks != 1 {
                return;
            }
            let parent = step.node;
            if self.tree.nodes[parent as usize].kind() == Kind::Proven {
                return;
            }
            self.tree.mark_proven(parent, self.picks[step.first_pick as usize]);
            if let Some(payoffs) = proof_by_arms(&self.tree, parent) {
                self.tree.prove(parent, payoffs);
            }
            child = parent;
        }
    }

    /// The child that the real actions lead to, if the tree has it.
    pub(super) fn child_after(
        &self,
        game: &G,
        node: NodeId,
        before: &G::State,
        actions: &[G::Action],
    ) -> Option<NodeId> {
        if game.turn(before) == Turn::Chance
            || (actions.len() == 1 && self.settings.groups == Some(Groups::Shared))
        {
            return self.tree.child(self.tree.chance_slot(node, &actions[0]));
        }
        if !self.tree.nodes[node as usize].has_rows() {
            return None;
        }
        let picks: Option<Vec<u16>> = self
            .tree
            .rows(node)
            .zip(actions)
            .map(|(row, action)| {
                let arms = &self.tree.actions[row.first..row.first + row.len];
                arms.iter().position(|arm| arm == action).map(|pick| pick as u16)
            })
            .collect();
        self.tree.child(self.tree.slot(node, &picks?))
    }
}

/// How large a tree may become.
#[derive(Clone, Copy, Debug)]
struct Room {
    nodes: usize,
    bytes: usize,
}

impl Room {
    fn of(budget: &Budget) -> Room {
        let nodes = budget.nodes.unwrap_or(u64::MAX).min(tree::MOST_NODES as u64);
        Room { nodes: nodes as usize, bytes: budget.memory as usize }
    }

    #[inline]
    fn is_taken<A: Copy + Eq + std::hash::Hash>(self, tree: &Tree<A>) -> bool {
        tree.nodes.len() >= self.nodes || tree.bytes() >= self.bytes
    }
}

/// Picks where one player chooses and some arms may be proven: these are scored by what they give.
fn pick_with_proofs<A: Copy + Eq + std::hash::Hash>(
    tree: &Tree<A>,
    node: NodeId,
    row: Row,
    exploration: Exploration,
) -> usize {
    let (mut best, mut top) = (0, f32::NEG_INFINITY);
    for pick in 0..row.len {
        let score = match tree.arm_proof(node, pick) {
            Some(payoffs) => payoffs[row.player] as f32,
            None => tree.bandit.score(&tree.arms, row.first + pick, exploration),
        };
        if score > top {
            (best, top) = (pick, score);
        }
    }
    best
}

/// What the arms of a node where one player chooses prove: a sure 1, or the best of all.
fn proof_by_arms<A: Copy + Eq + std::hash::Hash>(tree: &Tree<A>, node: NodeId) -> Option<Payoffs> {
    let row = tree.rows(node).next()?;
    let mut best: Option<Payoffs> = None;
    let mut differ = false;
    let mut open = false;
    for pick in 0..row.len {
        let Some(payoffs) = tree.arm_proof(node, pick) else {
            open = true;
            continue;
        };
        if payoffs[row.player] >= 1.0 {
            return Some(*payoffs);
        }
        match best {
            Some(known) if known[row.player] > payoffs[row.player] => {}
            Some(known) if known[row.player] == payoffs[row.player] => differ |= known != *payoffs,
            _ => (best, differ) = (Some(*payoffs), false),
        }
    }
    if open || differ { None } else { best }
}
