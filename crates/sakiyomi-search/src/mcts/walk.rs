//! The common walk through one tree. An iteration is a descent by the bandits' picks to a leaf, the
//! evaluation of that leaf by a playout, and its absorption: the payoffs are backed up.
//!
//! SM-UCT and outcome sampling pick and back up in their own way (`smuct.rs`, `oos.rs`).

use std::sync::Arc;

use sakiyomi_core::{Budget, Game, Hints, Payoffs, Rng, Scratch, Stop, Turn};

use super::amaf;
use super::bandit::{Bandit, Exploration};
use super::experience::Experience;
use super::joint::Visit;
use super::knowledge;
use super::oos::Sampling;
use super::playout::{Observer, Policy, Steps, Trail, Unobserved};
use super::spread::Spread;
use super::tree::{Kind, Node, NodeId, Room, Row, TooManyActions, Tree};
use super::{MctsSettings, ROOT};
use crate::exact::{Exact, Solution};

/// Payoffs of earlier decisions that the spread remembers.
const SPREAD_KEPT: f64 = 1_000.0;

/// Is told how far a walk is, and how many iterations it has done.
pub(super) type Report<'a, G, O> = dyn FnMut(&Walk<G, O>, u64) + 'a;

/// One tree and what is needed to walk it, on one thread.
#[derive(Debug)]
pub(super) struct Walk<G: Game, O = Unobserved> {
    pub(super) tree: Tree<G::Action>,
    pub(super) settings: MctsSettings,
    pub(super) observer: O,
    pub(super) scratch: Scratch<G::Action>,
    /// What outcome sampling needs.
    pub(super) sampling: Sampling,
    pub(super) policy: Policy,
    pub(super) experience: Option<Box<Experience>>,
    /// Whether experience measures what it finds.
    pub(super) surveys: bool,
    /// Whether the actions of iterations are written down, and playouts go step by step.
    keeps_trail: bool,
    /// How far the payoffs lie apart, if the exploration constant follows that.
    spread: Option<Box<Spread>>,
    /// A buffer for the states that a node looks ahead to.
    ahead: Option<G::State>,
    /// The node whose AMAF values are used on this descent.
    reference: NodeId,
    /// The solver of the last turns, and how many.
    oracle: Option<(u32, Exact<G>)>,
    /// Where the last iteration ended; its buffers are used again.
    leaf: Option<Leaf<G>>,
    /// The iteration in which each node of a graph was last on the path.
    last_on_path: Vec<u32>,
    n_descents: u32,
}

/// Where an iteration leaves the tree, with the path that leads there. It is a value of its own, so
/// that its evaluation can wait.
#[derive(Clone, Debug)]
pub(super) struct Leaf<G: Game> {
    pub(super) state: G::State,
    pub(super) path: Vec<Step>,
    /// The picks of all steps of the path, one per choosing player each.
    pub(super) picks: Vec<u16>,
    /// How likely each of them was, if the bandit draws.
    pub(super) odds: Vec<f64>,
    /// The actions of the path, and then those of the playout, if these are of interest.
    steps: Steps<G::Action>,
}

/// A node on the path. A leaf, and a node of chance, has no picks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    pub(super) first_pick: u32,
    pub(super) n_picks: u32,
}

impl<G: Game> Leaf<G> {
    pub(super) fn new(root: G::State) -> Leaf<G> {
        Leaf {
            state: root,
            path: Vec::new(),
            picks: Vec::new(),
            odds: Vec::new(),
            steps: Steps::default(),
        }
    }

    /// Goes back to the root.
    pub(super) fn restart(&mut self, root: &G::State) {
        self.state.clone_from(root);
        self.path.clear();
        self.picks.clear();
        self.odds.clear();
        self.steps.clear();
    }

    /// Adds a node to the path; its picks follow.
    #[inline]
    pub(super) fn enter(&mut self, node: NodeId) {
        self.path.push(Step { node, first_pick: self.picks.len() as u32, n_picks: 0 });
    }

    /// Counts the picks that were made since the last node was entered.
    #[inline]
    pub(super) fn count_picks(&mut self) {
        if let Some(step) = self.path.last_mut() {
            step.n_picks = self.picks.len() as u32 - step.first_pick;
        }
    }

    /// How the iteration went at step `i` of the path.
    pub(super) fn visit(&self, i: usize) -> Visit<'_> {
        let Step { node, first_pick, n_picks } = self.path[i];
        let range = first_pick as usize..(first_pick + n_picks) as usize;
        let child = self.path.get(i + 1).map(|step| step.node);
        let odds = self.odds.get(range.clone()).unwrap_or_default();
        Visit { node, picks: &self.picks[range], odds, child }
    }
}

impl<G: Hints, O: Observer<G>> Walk<G, O> {
    pub(super) fn new(game: &G, settings: &MctsSettings, observer: O) -> Walk<G, O> {
        let memory = settings.budget.memory / u64::from(settings.trees.max(1));
        let policy = Policy::new(settings.policy, settings.playout);
        let mut tree = Tree::new(settings.bandit, settings.graph, game.players());
        if let Some(grave) = settings.grave {
            tree.keep_amaf(grave, memory);
        }
        // Arms of other bandits have nothing to which visits could be lent.
        let lends = matches!(settings.bandit, Bandit::Ucb1 { .. }) && game.cell_shape().is_some();
        let experience = settings.experience.filter(|_| lends);
        let prior = settings.prior.filter(|_| policy.learns());
        if experience.is_some() || prior.is_some() {
            tree.keep_lent(experience.map_or(0.0, |experience| experience.decay()));
        }
        Walk {
            tree,
            settings: MctsSettings {
                expand: settings.expand.max(1),
                experience,
                prior,
                ..*settings
            },
            observer,
            scratch: Scratch::default(),
            sampling: Sampling::default(),
            experience: None,
            surveys: false,
            keeps_trail: O::OBSERVES
                || policy.learns()
                || settings.grave.is_some()
                || experience.is_some(),
            policy,
            spread: settings.spread.then(|| Box::new(Spread::new())),
            ahead: None,
            reference: ROOT,
            oracle: (settings.endgame > 0)
                .then(|| (settings.endgame, Exact::new(memory, Arc::default()))),
            leaf: None,
            last_on_path: Vec::new(),
            n_descents: 0,
        }
    }

    /// Lets what was learned so far weigh less than what is to come.
    pub(super) fn reduce(&mut self, keep: f64) {
        self.policy.reduce(keep);
        if let Some(spread) = &mut self.spread {
            spread.reduce(SPREAD_KEPT);
        }
    }

    /// Searches from `root`, and returns how many iterations were done.
    pub(super) fn run(
        &mut self,
        game: &G,
        root: &G::State,
        budget: Budget,
        stop: &Stop,
        rng: &mut Rng,
        mut report: Option<&mut Report<'_, G, O>>,
    ) -> Result<u64, TooManyActions> {
        if self.tree.nodes.is_empty() {
            self.tree.add(&game.turn(root));
            self.tree.remember(game.key(root), ROOT);
        }
        let mut leaf = self.leaf.take().unwrap_or_else(|| Leaf::new(root.clone()));
        leaf.restart(root);
        let entry = self.tree.nodes[ROOT as usize];
        if entry.kind() == Kind::Choose && !entry.has_rows() {
            self.grow(game, ROOT, root, rng)?;
        }
        self.begin_experience(game, root, rng);
        let room = Room::of(&budget, !self.settings.fresh);
        let mut meter = budget.begin(stop);
        if report.is_some() {
            meter.report();
        }
        while self.tree.nodes[ROOT as usize].kind() != Kind::Proven && meter.another() {
            leaf.restart(root);
            if let Some(experience) = &mut self.experience {
                experience.restart();
            }
            let payoffs = match self.descend(game, room, &mut leaf, stop, rng)? {
                Some(known) => known,
                None => self.play_out(game, &mut leaf, rng),
            };
            // A game may end its playouts in the middle when it is stopped; what they give then means
            // nothing.
            if stop.requested() && meter.done() > 1 {
                break;
            }
            self.absorb(game, &leaf, &payoffs);
            if let (true, Some(report)) = (meter.is_report_due(), &mut report) {
                report(self, meter.done());
            }
        }
        self.leaf = Some(leaf);
        Ok(meter.done())
    }

    /// Follows the tree from the root to an end, or to a state new to the tree, which it adds. The
    /// payoffs are returned if they are known there; otherwise the leaf has to be evaluated.
    fn descend(
        &mut self,
        game: &G,
        room: Room,
        leaf: &mut Leaf<G>,
        stop: &Stop,
        rng: &mut Rng,
    ) -> Result<Option<Payoffs>, TooManyActions> {
        self.n_descents = self.n_descents.wrapping_add(1);
        self.reference = ROOT;
        let mut node = ROOT;
        loop {
            // Where a stop ends an action in the middle the state means nothing.
            if node != ROOT && stop.requested() {
                return Ok(None);
            }
            let first_pick = leaf.picks.len();
            leaf.enter(node);
            self.mark(node);
            let entry = self.tree.nodes[node as usize];
            let slot = match entry.kind() {
                Kind::Proven => return Ok(self.tree.proof(node).copied()),
                Kind::Over => return Ok(None),
                Kind::Chance => {
                    let outcome = game.sample(&leaf.state, &mut self.scratch.outcomes, rng);
                    game.apply(&mut leaf.state, &[outcome]);
                    self.tree.chance_slot(node, &outcome)
                }
                Kind::Choose => {
                    if !entry.has_rows() {
                        if entry.visits < self.settings.expand || self.tree.is_full(room) {
                            return Ok(None);
                        }
                        if let Some(payoffs) = self.solve(game, &leaf.state) {
                            self.tree.prove(node, payoffs);
                            return Ok(Some(payoffs));
                        }
                        self.grow(game, node, &leaf.state, rng)?;
                        if let Some(payoffs) = self.look_ahead(game, node, &leaf.state) {
                            return Ok(Some(payoffs));
                        }
                    }
                    if self.tree.amaf().is_some_and(|amaf| amaf.is_reference(node, entry.visits)) {
                        self.reference = node;
                    }
                    self.pick(game, node, leaf, rng);
                    self.slot_after(node, &leaf.picks[first_pick..], &self.scratch.joint)
                }
            };
            if let Some(experience) = &mut self.experience {
                experience.pass(game, &leaf.state);
            }
            if O::OBSERVES {
                self.observer.pass(game, &leaf.state, leaf.steps.trail());
            }
            match self.tree.child(slot) {
                Some(child) => node = child,
                None if self.tree.is_full(room) || stop.requested() => return Ok(None),
                None => {
                    let (child, is_new) = self.arrive(game, &leaf.state);
                    self.tree.set_child(slot, child);
                    if is_new {
                        self.lend(node, child, &leaf.picks[first_pick..]);
                        leaf.path.push(Step { node: child, first_pick: 0, n_picks: 0 });
                        return Ok(None);
                    }
                    node = child;
                }
            }
            // In a graph a match may come back to where it was; from there it is played out.
            if self.tree.is_graph() && self.is_on_path(node) {
                return Ok(None);
            }
        }
    }

    /// Begins a search with experience, which is made before the first one.
    fn begin_experience(&mut self, game: &G, root: &G::State, rng: &mut Rng) {
        let Some(settings) = self.settings.experience else { return };
        if self.experience.is_none() {
            // A quarter of the memory that a tree may take.
            let memory = self.settings.budget.memory / u64::from(self.settings.trees.max(1)) / 4;
            self.experience = Experience::new(game, settings, memory, rng).map(Box::new);
            if let (true, Some(experience)) = (self.surveys, &mut self.experience) {
                experience.keep_survey();
            }
        }
        if let Some(experience) = &mut self.experience {
            experience.begin(game, root);
        }
    }

    /// Lends what is known about similar positions to a new node, to which these picks lead.
    fn lend(&mut self, parent: NodeId, child: NodeId, picks: &[u16]) {
        let Walk { tree, experience: Some(experience), .. } = self else { return };
        if matches!(tree.nodes[child as usize].kind(), Kind::Over | Kind::Proven) {
            return;
        }
        if let Some(lent) = experience.lend(|| tree.mean_payoff(parent)) {
            tree.lend(parent, picks, child, &lent);
        }
    }

    /// Backs up the payoffs that the evaluation of a leaf gave.
    fn absorb(&mut self, game: &G, leaf: &Leaf<G>, payoffs: &Payoffs) {
        match self.tree.bandit {
            Bandit::JointUcb1 { .. } => self.back_up_sums(leaf, payoffs),
            Bandit::OutcomeSampling { .. } => {
                self.back_up_outcome(leaf, payoffs);
                self.sampling.rotate(game.players());
            }
            Bandit::Exp3 { .. } | Bandit::RegretMatching { .. } => {
                for i in 0..leaf.path.len() {
                    self.tree.learn_more(leaf.visit(i), payoffs);
                }
            }
            Bandit::Ucb1 { .. } | Bandit::Ucb1Tuned { .. } | Bandit::Puct { .. } => {
                for step in &leaf.path {
                    let picks = &leaf.picks[step.first_pick as usize..][..step.n_picks as usize];
                    self.tree.learn(step.node, picks, payoffs);
                }
            }
        }
        if self.settings.solver {
            self.back_up_proofs(leaf);
        }
        if let Some(spread) = &mut self.spread {
            spread.learn(payoffs, game.players());
        }
        if self.keeps_trail {
            let trail = leaf.steps.trail();
            self.policy.learn(trail, payoffs);
            self.tree.learn_amaf(&leaf.path, trail.steps, payoffs);
            if let Some(experience) = &mut self.experience {
                experience.finish(payoffs);
            }
            if O::OBSERVES {
                self.observer.finish(game, trail, payoffs);
            }
        }
    }

    /// Lets every choosing player pick an arm, and plays the joint action.
    #[inline]
    fn pick(&mut self, game: &G, node: NodeId, leaf: &mut Leaf<G>, rng: &mut Rng) {
        self.scratch.joint.clear();
        match self.tree.bandit {
            Bandit::Ucb1 { .. } | Bandit::Ucb1Tuned { .. } | Bandit::Puct { .. } => {
                self.pick_by_score(game, node, leaf, rng);
            }
            Bandit::JointUcb1 { .. } => self.pick_by_sums(node, leaf, rng),
            Bandit::Exp3 { .. } | Bandit::RegretMatching { .. } => self.draw(node, leaf, rng),
            Bandit::OutcomeSampling { .. } => self.draw_outcome(node, leaf, rng),
        }
        if self.keeps_trail {
            let choosing = self.tree.nodes[node as usize].choosing();
            leaf.steps.extend_in_tree(choosing.zip(self.scratch.joint.iter().copied()));
        }
        game.apply(&mut leaf.state, &self.scratch.joint);
        leaf.count_picks();
    }

    #[inline]
    fn pick_by_score(&mut self, game: &G, node: NodeId, leaf: &mut Leaf<G>, rng: &mut Rng) {
        let Walk { tree, settings, spread, .. } = self;
        let entry = tree.nodes[node as usize];
        if entry.choosing().len() > 1 {
            return self.pick_at_once(node, leaf, rng);
        }
        let Node { visits, .. } = entry;
        let lent = tree.lent_visits(node);
        let exploration =
            Exploration::of(visits.saturating_add(settings.expand).saturating_add(lent));
        let Some(Row { player, first, len }) = tree.rows(node).next() else { return };
        let exploration = exploration.scaled(spread.as_deref(), player);
        let n_shown = settings.n_shown(len, visits);
        // Arms that begin with visits are not tried once each before scores count.
        let visits = if settings.prior.is_some() { visits.max(n_shown as u32) } else { visits };
        let row = Row { player, first, len: n_shown };
        let untried = (n_shown < len).then(|| knowledge::untried(&tree.arms, first, n_shown));
        let pick = match (untried.flatten(), tree.amaf()) {
            (_, Some(values)) => amaf::pick(tree, values, (node, self.reference), row, exploration),
            (Some(untried), None) => untried,
            (None, None) if settings.solver && visits as usize >= n_shown => {
                pick_with_proofs(tree, node, row, exploration)
            }
            (None, None) => tree.bandit.pick(&tree.arms, first, n_shown, visits, exploration),
        };
        leaf.picks.push(pick as u16);
        let arm = tree.actions[first + pick];
        let action = self.action_of_arm(game, &leaf.state, player, arm, rng);
        self.scratch.joint.push(action);
    }

    /// The picks of players who choose at the same time.
    fn pick_at_once(&mut self, node: NodeId, leaf: &mut Leaf<G>, rng: &mut Rng) {
        let Walk { tree, scratch, settings, spread, .. } = self;
        let Node { visits, .. } = tree.nodes[node as usize];
        let lent = tree.lent_visits(node);
        let exploration =
            Exploration::of(visits.saturating_add(settings.expand).saturating_add(lent));
        for i in 0..tree.nodes[node as usize].choosing().len() {
            let Some(Row { player, first, len }) = tree.rows(node).nth(i) else { break };
            let exploration = exploration.scaled(spread.as_deref(), player);
            let Tree { arms, bandit, .. } = &mut *tree;
            let pick = match settings.strict {
                true => {
                    bandit.pick(arms, first, settings.n_shown(len, visits), visits, exploration)
                }
                false => bandit.pick_loosely(arms, first, len, visits, exploration, rng),
            };
            leaf.picks.push(pick as u16);
            scratch.joint.push(tree.actions[first + pick]);
        }
    }

    fn draw(&mut self, node: NodeId, leaf: &mut Leaf<G>, rng: &mut Rng) {
        let Walk { tree, scratch, .. } = self;
        for i in 0..tree.nodes[node as usize].choosing().len() {
            let Some(Row { first, len, .. }) = tree.rows(node).nth(i) else { break };
            let (pick, probability) = tree.bandit.draw(&mut tree.arms, first, len, rng);
            leaf.picks.push(pick as u16);
            leaf.odds.push(probability);
            scratch.joint.push(tree.actions[first + pick]);
        }
    }

    /// The node of a state, to which the path leads for the first time, and whether it is new to
    /// the tree.
    fn arrive(&mut self, game: &G, state: &G::State) -> (NodeId, bool) {
        let key = if self.tree.is_graph() { game.key(state) } else { 0 };
        if let Some(node) = self.tree.known(key) {
            return (node, false);
        }
        let turn = game.turn(state);
        let node = self.tree.add(&turn);
        self.tree.remember(key, node);
        if let (true, Turn::Over(payoffs)) = (self.settings.solver, turn) {
            let payoffs = self.settings.with_bonus(game, state, payoffs);
            self.tree.prove(node, payoffs);
        }
        (node, true)
    }

    /// Notes that a node of a graph is on the path of this descent.
    #[inline]
    fn mark(&mut self, node: NodeId) {
        if self.tree.is_graph() {
            if self.last_on_path.len() <= node as usize {
                self.last_on_path.resize(self.tree.nodes.len(), 0);
            }
            self.last_on_path[node as usize] = self.n_descents;
        }
    }

    fn is_on_path(&self, node: NodeId) -> bool {
        self.last_on_path.get(node as usize) == Some(&self.n_descents)
    }

    /// The payoffs of a state, if it is one of those that are solved exactly.
    fn solve(&mut self, game: &G, state: &G::State) -> Option<Payoffs> {
        let (endgame, oracle) = self.oracle.as_mut()?;
        let is_near = game.turns_left(state)? <= *endgame;
        is_near.then(|| oracle.payoffs(game, state).ok())?
    }

    /// The solution of a state in which players choose, if it is one of those.
    pub(super) fn endgame(&mut self, game: &G, state: &G::State) -> Option<Solution<G::Action>> {
        let (endgame, oracle) = self.oracle.as_mut()?;
        let is_near = game.turns_left(state)? <= *endgame;
        is_near.then(|| oracle.solve(game, state).ok())?
    }

    /// Gives the node of a state a row for each choosing player.
    fn grow(
        &mut self,
        game: &G,
        node: NodeId,
        state: &G::State,
        rng: &mut Rng,
    ) -> Result<(), TooManyActions> {
        let Scratch { actions, joint: all, .. } = &mut self.scratch;
        let mut lengths = [0; sakiyomi_core::MAX_PLAYERS];
        let choosing = self.tree.nodes[node as usize].choosing();
        all.clear();
        for (length, player) in lengths.iter_mut().zip(choosing) {
            actions.clear();
            game.actions(state, player, actions);
            self.settings.arrange(game, state, player, actions, rng);
            *length = actions.len();
            all.extend_from_slice(actions);
        }
        self.tree.grow(node, all, &lengths[..choosing.len()])?;
        self.begin_arms(node);
        Ok(())
    }

    /// Lets the arms of a new node begin with what is known of their actions.
    fn begin_arms(&mut self, node: NodeId) {
        let Walk { tree, policy, settings, .. } = self;
        let Some(visits) = settings.prior else { return };
        if tree.nodes[node as usize].choosing().len() > 1 {
            return;
        }
        let Some(row) = tree.rows(node).next() else { return };
        for arm in row.first..row.first + row.len {
            if let Some(mean) = policy.mean_payoff(row.player, &tree.actions[arm]) {
                tree.arms.begin_with(arm, visits, mean);
            }
        }
    }

    /// Proves the ends that are one action away from a node that was just expanded, and the payoffs
    /// of the node itself if they follow from them.
    fn look_ahead(&mut self, game: &G, node: NodeId, state: &G::State) -> Option<Payoffs> {
        let MctsSettings { solver, look_ahead, groups, .. } = self.settings;
        if !(solver && look_ahead) || groups.is_some() {
            return None;
        }
        self.tree.nodes[node as usize].choosing().single()?;
        let row = self.tree.rows(node).next()?;
        let mut ahead = self.ahead.take().unwrap_or_else(|| state.clone());
        let mut is_any = false;
        for pick in 0..row.len {
            ahead.clone_from(state);
            game.apply(&mut ahead, &[self.tree.actions[row.first + pick]]);
            let turn = game.turn(&ahead);
            if let Turn::Over(payoffs) = turn {
                let child = self.tree.add(&turn);
                let payoffs = self.settings.with_bonus(game, &ahead, payoffs);
                self.tree.prove(child, payoffs);
                let slot = self.tree.slot(node, &[pick as u16]);
                self.tree.set_child(slot, child);
                self.tree.mark_proven(node, pick as u16);
                is_any = true;
                if payoffs[row.player] >= 1.0 {
                    break;
                }
            }
        }
        self.ahead = Some(ahead);
        let payoffs = proof_by_arms(&self.tree, node).filter(|_| is_any)?;
        self.tree.prove(node, payoffs);
        Some(payoffs)
    }

    fn play_out(&mut self, game: &G, leaf: &mut Leaf<G>, rng: &mut Rng) -> Payoffs {
        let Walk { scratch, settings, policy, observer, experience, .. } = self;
        let Leaf { state, steps, .. } = leaf;
        let reach = settings.experience.and_then(|experience| experience.reach);
        let mut n_left = reach.unwrap_or(u32::MAX);
        // Others want to see the whole playout.
        let n_steps = reach.filter(|_| !O::OBSERVES && settings.grave.is_none());
        let pass = |state: &G::State, trail: Trail<'_, G::Action>| {
            if let Some(experience) = experience
                && n_left > 0
            {
                n_left -= 1;
                experience.pass(game, state);
            }
            observer.pass(game, state, trail);
        };
        let payoffs = match self.keeps_trail {
            true => policy.play_out_by_steps(game, state, steps, scratch, n_steps, pass, rng),
            false => policy.play_out(game, state, scratch, rng),
        };
        settings.with_bonus(game, state, payoffs)
    }

    /// Carries the proof of the path's last node up as far as it goes.
    fn back_up_proofs(&mut self, leaf: &Leaf<G>) {
        let Some((last, above)) = leaf.path.split_last() else { return };
        let mut child = last.node;
        for step in above.iter().rev() {
            if self.tree.proof(child).is_none() || step.n_picks != 1 {
                return;
            }
            let parent = step.node;
            if self.tree.nodes[parent as usize].kind() == Kind::Proven {
                return;
            }
            self.tree.mark_proven(parent, leaf.picks[step.first_pick as usize]);
            if let Some(payoffs) = proof_by_arms(&self.tree, parent) {
                self.tree.prove(parent, payoffs);
            }
            child = parent;
        }
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
