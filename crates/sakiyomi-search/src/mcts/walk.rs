//! The walk through one tree. An iteration is a descent by the picks of the selection to a leaf,
//! the evaluation of that leaf, and its absorption: the payoffs are backed up. Playouts evaluate at
//! once; a leaf that waits for another evaluator (see `puct.rs`) descends and is absorbed in the
//! same way.

use std::sync::Arc;
use std::time::Duration;

use sakiyomi_core::{Budget, Game, Hint, Hints, MAX_PLAYERS, Payoffs, Rng, Scratch, Stop, Turn};

use super::candidates::Candidates;
use super::game_tree::{GameTree, Room, TooManyActions};
use super::leaf::Leaf;
use super::leaf_batch::{InBatches, Pace};
use super::look_ahead::LookAhead;
use super::path::{NodeId, ROOT};
use super::playout::policy::{LeafBatch, PlayoutPolicy, PlayoutSettings, Policy, Until};
use super::select::Select;
use super::select::solver::Proofs;
use super::select::ucb::{Bound, Estimate};
use super::settings::{MctsSettings, TreeSettings};
use super::tree::{Kind, Slot, Tree};
use super::value::Value;
use crate::exact::{Exact, Solution};
use crate::experience::lend::Experience;
use crate::experience::settings::ExperienceSettings;

/// Is told how far a walk is, and how many iterations it has done.
pub(super) struct Report<'a, G: Game> {
    pub(super) period: Duration,
    pub(super) tell: &'a mut dyn FnMut(&Walk<G>, u64),
}

/// One tree and what is needed to walk it, on one thread.
#[derive(Debug)]
pub(super) struct Walk<G: Game> {
    pub(super) tree: GameTree<G::Action>,
    pub(super) select: Select,
    pub(super) candidates: Candidates,
    pub(super) experience: Option<Box<Experience>>,
    /// Whether experience measures what it finds.
    pub(super) surveys: bool,
    settings: TreeSettings,
    pub(super) playout: PlayoutSettings,
    /// What the tree may take, in bytes.
    memory: u64,
    /// Whether known results are proven, and looked for ahead.
    pub(super) proofs: Proofs,
    experience_settings: Option<ExperienceSettings>,
    pub(super) scratch: Scratch<G::Action>,
    pub(super) policy: Policy,
    /// Whether the actions of iterations are written down, and playouts go step by step.
    keeps_trail: bool,
    pub(super) ahead: LookAhead<G>,
    /// The solver of the last turns, and how many.
    oracle: Option<(u32, Exact<G>)>,
    /// Where the last iteration ended; its buffers are used again.
    leaf: Option<Leaf<G>>,
    /// The iteration in which each node of a graph was last on the path.
    last_on_path: Vec<u32>,
    n_descents: u32,
    /// What visits cost, if leaves wait for playouts.
    pub(super) pace: Pace,
    /// What positions are worth, if that was learned and is of use.
    pub(super) value: Option<Arc<Value>>,
}

/// Where a descent ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reached {
    /// What everyone gets is known there.
    Known(Payoffs),
    /// The leaf has to be evaluated.
    Open,
}

impl<G: Hints> Walk<G> {
    pub(super) fn new(game: &G, settings: &MctsSettings) -> Walk<G> {
        let MctsSettings { mut selection, tree, mut playout, .. } = *settings;
        if game.playouts_at_once() <= 1 {
            playout.batch = LeafBatch::SINGLE;
        }
        if playout.batch != LeafBatch::SINGLE && Policy::new(&playout).competing().is_none() {
            playout.policy = PlayoutPolicy::Uniform;
        }
        let tree = TreeSettings { expand: tree.expand.max(1), ..tree };
        let policy = Policy::new(&playout);
        if let Some(ucb1) = selection.ucb_mut().and_then(|ucb| ucb.ucb1_mut()) {
            // Without cells nothing is similar, without means of actions or facts there is no prior.
            ucb1.experience = ucb1.experience.filter(|_| game.cell_shape().is_some());
            let is_known = match ucb1.estimate {
                Estimate::Prior(_) => policy.learns(),
                Estimate::Value(_) => game.provides().contains(Hint::Facts),
                Estimate::None | Estimate::Grave(_) => true,
            };
            if !is_known {
                ucb1.estimate = Estimate::None;
            }
        }
        let select = Select::new(selection, tree.expand, settings.memory());
        let mut walk = Walk::with(game, select, tree, settings.memory());
        if let Some(ucb) = selection.ucb() {
            walk.candidates.groups = ucb.groups;
            walk.candidates.by_rank = ucb.widen.is_some();
            walk.proofs = ucb.proofs;
            if let Bound::Ucb1(ucb1) = ucb.bound {
                walk.experience_settings = ucb1.experience;
                walk.keeps_trail =
                    matches!(ucb1.estimate, Estimate::Grave(_)) || ucb1.experience.is_some();
                walk.tree.arms.lent_decay =
                    ucb1.experience.map_or(0.0, |experience| experience.decay());
            }
        }
        walk.candidates.options = playout.options;
        walk.keeps_trail |= policy.learns();
        (walk.playout, walk.policy) = (playout, policy);
        walk
    }

    /// A walk by this selection, with uniform playouts.
    pub(super) fn with(game: &G, select: Select, settings: TreeSettings, memory: u64) -> Walk<G> {
        let tree = Tree::new(select.columns(), select.means(), settings.graph, game.players());
        let playout = PlayoutSettings::default();
        Walk {
            tree: GameTree::new(tree),
            select,
            candidates: Candidates {
                options: playout.options,
                listed_order: settings.listed_order,
                by_rank: false,
                groups: None,
            },
            experience: None,
            surveys: false,
            settings,
            playout,
            memory,
            proofs: Proofs::Off,
            experience_settings: None,
            scratch: Scratch::default(),
            policy: Policy::Uniform,
            keeps_trail: false,
            ahead: LookAhead::default(),
            oracle: (settings.endgame > 0)
                .then(|| (settings.endgame, Exact::new(memory, Arc::default()))),
            leaf: None,
            last_on_path: Vec::new(),
            n_descents: 0,
            pace: Pace::default(),
            value: None,
        }
    }

    /// Whether known results are proven.
    pub(super) fn proves(&self) -> bool {
        self.proofs != Proofs::Off
    }

    /// Lets what was learned so far weigh less than what is to come.
    pub(super) fn reduce(&mut self) {
        self.policy.reduce();
        self.select.reduce();
    }

    /// Empties the tree, whose memory is used again.
    pub(super) fn forget(&mut self) {
        self.tree.clear();
        self.select.forget();
    }

    /// Keeps what lies below a node, which becomes the root.
    pub(super) fn follow(&mut self, child: NodeId) {
        let (below, moved) = self.tree.below(child);
        self.tree = below;
        self.select.follow(&moved);
    }

    /// Searches from `root`, and returns how many iterations were done.
    pub(super) fn run(
        &mut self,
        game: &G,
        root: &G::State,
        budget: Budget,
        stop: &Stop,
        rng: &mut Rng,
        mut report: Option<Report<'_, G>>,
    ) -> Result<u64, TooManyActions> {
        self.plant(game, root);
        let entry = self.tree.nodes[ROOT as usize];
        if entry.kind() == Kind::Choose && !entry.has_rows() {
            self.grow(game, ROOT, root, rng)?;
        }
        self.begin_experience(game, root, rng);
        let room = Room::of(&budget, self.settings.reuse);
        let mut meter = budget.begin(stop);
        if let Some(report) = &mut report {
            meter.report(report.period);
            // What was kept of an earlier search is there before the first iteration has ended.
            if self.tree.nodes[ROOT as usize].visits > 0 {
                (report.tell)(self, 0);
            }
        }
        if let Some(batch) = self.leaf_batch() {
            let is_repeatable = budget.is_repeatable();
            let search = InBatches { game, root, room, stop, batch, is_repeatable };
            search.run(self, &mut meter, rng, report)?;
            return Ok(meter.done());
        }
        while self.tree.nodes[ROOT as usize].kind() != Kind::Proven && meter.another() {
            if !self.iterate(game, root, room, stop, meter.done() == 1, rng)? {
                break;
            }
            if let (true, Some(report)) = (meter.is_report_due(), &mut report) {
                (report.tell)(self, meter.done());
            }
        }
        Ok(meter.done())
    }

    /// One iteration. False if it was stopped in the middle, which the first one never is.
    pub(super) fn iterate(
        &mut self,
        game: &G,
        root: &G::State,
        room: Room,
        stop: &Stop,
        is_first: bool,
        rng: &mut Rng,
    ) -> Result<bool, TooManyActions> {
        let mut leaf = self.leaf.take().unwrap_or_else(|| Leaf::new(root.clone()));
        leaf.restart(root);
        if let Some(experience) = &mut self.experience {
            experience.restart();
        }
        let payoffs = match self.descend(game, room, &mut leaf, stop, rng)? {
            Reached::Known(payoffs) => payoffs,
            Reached::Open => self.play_out(game, &mut leaf, rng),
        };
        // A game may end its playouts in the middle when it is stopped; what they give then means
        // nothing.
        let counts = is_first || !stop.requested();
        if counts {
            self.absorb(game, &leaf, &payoffs);
        }
        self.leaf = Some(leaf);
        Ok(counts)
    }

    /// How leaves wait for playouts, if they do.
    fn leaf_batch(&mut self) -> Option<LeafBatch> {
        // What is learned from the steps of a playout is learned from the game's own as well, if
        // actions compete; GRAVE and experience want to see them.
        let is_seen = self.keeps_trail && self.policy.competing().is_none()
            || self.experience_settings.is_some()
            || self.select.ucb_mut().is_some_and(|ucb| ucb.amaf_mut().is_some());
        let can_wait = self.select.counts_ahead() && !is_seen && self.playout.is_plain();
        Some(self.playout.batch).filter(|&batch| can_wait && batch != LeafBatch::SINGLE)
    }

    /// Makes the root, if there is none.
    pub(super) fn plant(&mut self, game: &G, root: &G::State) {
        if self.tree.nodes.is_empty() {
            self.tree.add(&game.turn(root));
            self.tree.remember(game.key(root), ROOT);
        }
    }

    /// Follows the tree from the root to an end, or to a state new to the tree, which it adds.
    pub(super) fn descend(
        &mut self,
        game: &G,
        room: Room,
        leaf: &mut Leaf<G>,
        stop: &Stop,
        rng: &mut Rng,
    ) -> Result<Reached, TooManyActions> {
        self.n_descents = self.n_descents.wrapping_add(1);
        self.select.restart();
        let mut node = ROOT;
        loop {
            // Where a stop ends an action in the middle the state means nothing.
            if node != ROOT && stop.requested() {
                return Ok(Reached::Open);
            }
            let first_pick = leaf.path.picks.len();
            leaf.path.enter(node);
            self.mark(node);
            let entry = self.tree.nodes[node as usize];
            let slot = match entry.kind() {
                Kind::Proven => return Ok(self.known(node)),
                Kind::Over => return Ok(Reached::Open),
                Kind::Chance => {
                    let outcome = game.sample(&leaf.state, &mut self.scratch.outcomes, rng);
                    game.apply(&mut leaf.state, &[outcome]);
                    self.tree.chance_slot(node, &outcome)
                }
                Kind::Choose => {
                    if !entry.has_rows()
                        && let Some(end) = self.expand(game, room, node, leaf, rng)?
                    {
                        return Ok(end);
                    }
                    self.pick(game, node, leaf, rng)
                }
            };
            if let Some(experience) = &mut self.experience {
                experience.pass(game, &leaf.state);
            }
            match self.tree.child(slot) {
                Some(child) => node = child,
                None if self.tree.is_full(room) || stop.requested() => return Ok(Reached::Open),
                None => {
                    let (child, is_new) = self.arrive(game, &leaf.state);
                    self.tree.set_child(slot, child);
                    if is_new && !self.goes_on_at(child) {
                        self.lend(node, child, &leaf.path.picks[first_pick..]);
                        leaf.path.enter(child);
                        return Ok(Reached::Open);
                    }
                    node = child;
                }
            }
            // In a graph a match may come back to where it was; from there it is played out.
            if self.tree.is_graph() && self.is_on_path(node) {
                return Ok(Reached::Open);
            }
        }
    }

    /// Gives a node without rows its rows, unless the descent ends there.
    fn expand(
        &mut self,
        game: &G,
        room: Room,
        node: NodeId,
        leaf: &Leaf<G>,
        rng: &mut Rng,
    ) -> Result<Option<Reached>, TooManyActions> {
        let state = &leaf.state;
        let visits = self.tree.nodes[node as usize].visits;
        if visits < self.settings.expand || self.tree.is_full(room) {
            return Ok(Some(Reached::Open));
        }
        if let Some(payoffs) = self.solve(game, state) {
            self.tree.prove(node, payoffs);
            return Ok(Some(Reached::Known(payoffs)));
        }
        self.grow(game, node, state, rng)?;
        if !self.looks_ahead(node) {
            return Ok(None);
        }
        if self.ahead.waits {
            self.ahead.add(leaf);
            return Ok(None);
        }
        Ok(self.look_ahead(game, node, state).map(Reached::Known))
    }

    /// What is proven of a node.
    fn known(&self, node: NodeId) -> Reached {
        self.tree.proof(node).map_or(Reached::Open, |&payoffs| Reached::Known(payoffs))
    }

    /// Whether a descent goes on at a new node: evaluators are asked about states where players
    /// choose.
    #[inline]
    fn goes_on_at(&self, node: NodeId) -> bool {
        matches!(self.select, Select::Prior(_))
            && self.tree.nodes[node as usize].kind() == Kind::Chance
    }

    /// Begins a search with experience, which is made before the first one.
    fn begin_experience(&mut self, game: &G, root: &G::State, rng: &mut Rng) {
        let Some(settings) = self.experience_settings else { return };
        if self.experience.is_none() {
            // A quarter of the memory that a tree may take.
            let made = Experience::new(game, settings, self.memory / 4, rng);
            self.experience = made.map(Box::new);
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
            tree.lend(parent, picks, child, lent.visits, &lent.sums);
        }
    }

    /// Backs up the payoffs that the evaluation of a leaf gave.
    pub(super) fn absorb(&mut self, game: &G, leaf: &Leaf<G>, payoffs: &Payoffs) {
        let Walk { tree, select, .. } = self;
        select.back_up(tree, &leaf.path, payoffs, game.players());
        if self.keeps_trail {
            let trail = leaf.steps.trail();
            self.policy.learn(trail, payoffs);
            if let Some(amaf) = select.ucb_mut().and_then(|ucb| ucb.amaf_mut()) {
                amaf.learn(tree, &leaf.path, trail.steps, payoffs);
            }
            if let Some(experience) = &mut self.experience {
                experience.finish(payoffs);
            }
        }
    }

    /// Lets every choosing player pick an arm, plays the joint action, and returns where the child
    /// after it is kept.
    #[inline]
    fn pick(&mut self, game: &G, node: NodeId, leaf: &mut Leaf<G>, rng: &mut Rng) -> Slot {
        let Walk { tree, select, scratch, .. } = self;
        let first_pick = leaf.path.picks.len();
        select.pick(tree, node, &mut leaf.path, rng);
        leaf.path.count_picks();
        let picks = &leaf.path.picks[first_pick..];
        scratch.joint.clear();
        if let &[pick] = picks {
            scratch.joint.push(tree.actions[tree.first_arm(node) + pick as usize]);
        } else {
            let arms = tree.rows(node).zip(picks).map(|(row, &pick)| row.first + pick as usize);
            scratch.joint.extend(arms.map(|arm| tree.actions[arm]));
        }
        let slot = match self.candidates.shares_arms() && picks.len() == 1 {
            false => tree.slot(node, picks),
            true => self.draw_member(game, node, &leaf.state, rng),
        };
        if self.keeps_trail {
            let choosing = self.tree.nodes[node as usize].choosing();
            leaf.steps.extend(choosing.zip(self.scratch.joint.iter().copied()));
        }
        game.apply(&mut leaf.state, &self.scratch.joint);
        slot
    }

    /// Draws an action of the group whose arm was picked, and returns where the child after it is
    /// kept.
    fn draw_member(&mut self, game: &G, node: NodeId, state: &G::State, rng: &mut Rng) -> Slot {
        let Walk { tree, candidates, scratch: Scratch { actions, joint, .. }, .. } = self;
        let player = tree.nodes[node as usize].choosing().into_iter().next();
        if let (Some(player), Some(action)) = (player, joint.first_mut()) {
            *action = candidates.draw_member(game, state, player, *action, actions, rng);
        }
        tree.chance_slot(node, &joint[0])
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
        if let (true, Turn::Over(payoffs)) = (self.proves(), turn) {
            let payoffs = self.playout.shaped(game, state, payoffs);
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
        let mut lengths = [0; MAX_PLAYERS];
        let choosing = self.tree.nodes[node as usize].choosing();
        all.clear();
        for (length, player) in lengths.iter_mut().zip(choosing) {
            actions.clear();
            game.actions(state, player, actions);
            self.candidates.arrange(game, state, player, actions, rng);
            *length = actions.len();
            all.extend_from_slice(actions);
        }
        self.tree.grow(node, all, &lengths[..choosing.len()])?;
        self.begin_arms(node);
        Ok(())
    }

    /// Lets the arms of a new node begin with what is known of their actions.
    fn begin_arms(&mut self, node: NodeId) {
        let Walk { tree, policy, select, .. } = self;
        let Some(ucb) = select.ucb_mut() else { return };
        let prior = ucb.prior();
        if let Some(amaf) = ucb.amaf_mut() {
            for i in 0..tree.nodes[node as usize].choosing().len() {
                let Some(row) = tree.rows(node).nth(i) else { break };
                for arm in row.first..row.first + row.len {
                    tree.arms.numbers[arm] = amaf.number(row.player, &tree.actions[arm]);
                }
            }
        }
        let Some(visits) = prior else { return };
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

    fn play_out(&mut self, game: &G, leaf: &mut Leaf<G>, rng: &mut Rng) -> Payoffs {
        let Walk { scratch, playout, policy, select, experience, .. } = self;
        let cut = playout.cut.zip(self.value.as_deref());
        if !self.keeps_trail && cut.is_none() {
            let payoffs = policy.play_out(game, &mut leaf.state, scratch, rng);
            return playout.shaped(game, &leaf.state, payoffs);
        }
        let reach = self.experience_settings.and_then(|experience| experience.reach);
        let mut n_left = reach.unwrap_or(u32::MAX);
        // GRAVE wants to see the whole playout.
        let has_grave = select.ucb_mut().is_some_and(|ucb| ucb.amaf_mut().is_some());
        let until = match (cut, reach.filter(|_| !has_grave)) {
            (Some((n_steps, value)), _) => Until::Cut(n_steps, value),
            (None, Some(n_steps)) => Until::Watched(n_steps),
            (None, None) => Until::TheEnd,
        };
        let pass = |state: &G::State| {
            if let Some(experience) = experience
                && n_left > 0
            {
                n_left -= 1;
                experience.pass(game, state);
            }
        };
        let payoffs = policy.play_out_by_steps(game, leaf, scratch, until, pass, rng);
        playout.shaped(game, &leaf.state, payoffs)
    }

    /// The child that the real actions, or the outcome of chance, lead to, if the tree has it.
    pub(super) fn child_after(
        &self,
        game: &G,
        node: NodeId,
        before: &G::State,
        actions: &[G::Action],
    ) -> Option<NodeId> {
        let is_chance = game.turn(before) == Turn::Chance;
        self.tree.child_after(node, actions, is_chance, self.candidates.shares_arms())
    }
}
