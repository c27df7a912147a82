//! Monte-Carlo tree search: UCT (Kocsis and Szepesvári 2006) over every kind of turn.
//!
//! One iteration walks down the tree by the bandits' picks, adds the first state that is new to the
//! tree, plays out from there and backs the payoffs up. Where one player chooses there is one row of
//! arms; where several choose at once each has a row and picks for itself; chance is sampled. Each
//! row learns its own player's payoff, so nothing is ever negated.
//!
//! Options:
//! - *Graph*: states that meet share a node (Childs et al. 2008, UCT1): what is below is shared,
//!   the arms above keep their own statistics.
//! - *Solver*: MCTS-Solver (Winands et al. 2008). Ends are proven; a node is proven when its player
//!   has an arm that is proven to give 1, or when all arms are proven. It departs from the paper in
//!   that payoffs are not only win or loss: an arm that is proven is scored by its exact payoff.
//!   Proofs stop at chance and at simultaneous turns. With more than two players a node whose best
//!   arms differ for the others stays open.
//! - *Look ahead*: a node that is expanded looks at the ends that are one action away (decisive moves,
//!   Teytaud and Teytaud 2010, in the tree), which the solver then knows.
//! - *Spread*: the exploration constant follows the spread of the payoffs, see `spread.rs`.
//! - *Endgame*: the last turns of a game of two are solved exactly, as matrix games, when a node is
//!   expanded there and when the match itself is there.
//! - *Trees*: root parallelism (Chaslot et al. 2008): several trees on several threads, each with
//!   its own stream and share of the iterations; their roots are added up.
//! - *MAST, NST and tournaments*: playouts that learn, see `learned.rs`; *GRAVE*: see `amaf.rs`.
//! - *Experience*: statistics of similar positions, see `experience/`.
//! - What a game knows beyond its rules: see `knowledge.rs`, and [`PlayoutOptions`] for playouts.

mod amaf;
mod bandit;
mod batch;
mod evaluate;
mod experience;
mod insight;
mod joint;
mod knowledge;
mod learned;
mod oos;
mod playout;
mod rehearsal;
mod rows;
mod smuct;
mod spread;
mod strategy;
mod tree;
mod walk;

use std::thread;

use sakiyomi_core::{
    Agent, Budget, Choice, Context, Forfeit, Game, Hints, Insight, Player, PlayoutOptions,
    Preparation, RestrictBy, Rng, Turn, Watch,
};

pub use amaf::Grave;
pub use bandit::Bandit;
pub use batch::{PuctSearch, PuctSettings, RootNoise};
pub use evaluate::{Evaluation, EvaluationError, LeafEvaluator, LeafPosition, PlayoutEvaluator};
pub use experience::{
    CodeIndex, Decide, Encoding, ExperienceCounts, ExperienceSettings, MAX_DISTANCE,
    PROBE_PLAYOUTS, ProbeReport, Trial, codes_of_matches, probe, try_encodings,
};
pub use knowledge::Groups;
pub use learned::PlayoutPolicy;
pub use playout::{Observer, Trail, Unobserved};
pub use rows::{LeafRows, evaluations_of_rows, one_value_is_enough};
pub use strategy::{NodeRef, TreeStrategy};
use tree::NodeId;
pub use tree::TooManyActions;
use walk::{Report, Walk};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsSettings {
    pub bandit: Bandit,
    pub answer: Answer,
    /// Takes the highest score where players choose at once, instead of drawing among those that
    /// are close to it.
    pub strict: bool,
    /// Tries arms in the order in which the game lists its actions, instead of a drawn one.
    pub ordered: bool,
    pub budget: Budget,
    /// Expansion threshold: visits before a leaf is expanded.
    pub expand: u32,
    /// States that meet share a node.
    pub graph: bool,
    /// Known results are proven and backed up.
    pub solver: bool,
    /// A node that is expanded proves the ends one action away; goes with the solver.
    pub look_ahead: bool,
    /// The exploration constant is multiplied by the spread of the payoffs.
    pub spread: bool,
    /// How playouts go, and which actions are left out there and in the tree.
    pub playout: PlayoutOptions,
    /// How a playout picks among the actions that are left.
    pub policy: PlayoutPolicy,
    /// The share of its counts that a policy keeps from one decision to the next.
    pub keep: f64,
    /// Visits with which the arms of a new node begin, at the mean payoff of their action, instead of being tried once
    /// each; goes with a policy that learns, [`Bandit::Ucb1`] and nodes where one player chooses.
    pub prior: Option<f64>,
    /// Scores arms with AMAF values too; goes with [`Bandit::Ucb1`].
    pub grave: Option<Grave>,
    /// Similar positions lend to new nodes what was found there; goes with [`Bandit::Ucb1`] and a game
    /// with cells.
    pub experience: Option<ExperienceSettings>,
    /// Actions of one group have one arm.
    pub groups: Option<Groups>,
    /// Progressive widening: 1 + widen * sqrt(visits) arms, best rank first; otherwise all arms.
    pub widen: Option<f64>,
    /// Searches the game restricted to fewer actions.
    pub restrict: Option<RestrictBy>,
    /// The share of a payoff that every round before the end takes away.
    pub bonus: f64,
    /// Trees that are grown at the same time.
    pub trees: u32,
    /// Starts from nothing at every decision instead of keeping the tree between moves.
    pub fresh: bool,
    /// The last turns, this many, are solved exactly; see [`Hints::turns_left`].
    pub endgame: u32,
}

/// Which action is chosen in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The one with the most visits.
    Max,
    /// One that is drawn from the strategy that was learned: the average strategy of regret
    /// matching and outcome sampling, the shares of visits of the others.
    Mix,
}

impl MctsSettings {
    /// Plain UCT.
    pub fn new(budget: Budget) -> MctsSettings {
        MctsSettings {
            bandit: Bandit::Ucb1 { c: 1.0 },
            answer: Answer::Max,
            strict: false,
            ordered: false,
            budget,
            expand: 1,
            graph: false,
            solver: false,
            look_ahead: false,
            spread: false,
            playout: PlayoutOptions::default(),
            policy: PlayoutPolicy::Uniform,
            keep: 1.0,
            prior: None,
            grave: None,
            experience: None,
            groups: None,
            widen: None,
            restrict: None,
            bonus: 0.0,
            trees: 1,
            fresh: false,
            endgame: 0,
        }
    }
}

/// The agent. It keeps its trees over the decisions of one match.
#[derive(Debug)]
pub struct Mcts<G: Game, O = Unobserved> {
    settings: MctsSettings,
    root: Option<G::State>,
    walks: Vec<Walk<G, O>>,
    /// What the observers of new trees start as.
    observer: O,
    /// The game restricted to fewer actions.
    restricted: Option<G>,
    /// Whether experience measures what it finds.
    surveys: bool,
    /// What a probe before the first decision has shown, if there was one.
    preparation: Option<Preparation>,
}

/// A tree search as those see it who measure trees. They hold it boxed, so that the search need not
/// be compiled again for every game where it is measured.
pub trait TreeSearch<G: Game>: Agent<G> {
    /// Searches from `state`, on top of what is known about it, and returns the iterations done.
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        context: &mut Context<'_>,
    ) -> Result<u64, TooManyActions>;

    /// Changes the budget of the searches to come.
    fn set_budget(&mut self, budget: Budget);

    /// The strategy of the first tree, once there is one.
    fn strategy(&self) -> Option<TreeStrategy<'_, G>>;

    /// Nodes in memory, over all trees.
    fn n_nodes(&self) -> usize;

    /// Bytes in memory, over all trees.
    fn bytes(&self) -> usize;

    /// Bytes that one arm takes, with its entry in the table of children.
    fn bytes_per_arm(&self) -> usize;
}

impl<G: Hints, O: Observer<G>> TreeSearch<G> for Mcts<G, O> {
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        context: &mut Context<'_>,
    ) -> Result<u64, TooManyActions> {
        self.search_watched(game, state, context, None)
    }

    fn set_budget(&mut self, budget: Budget) {
        self.settings.budget = budget;
    }

    fn strategy(&self) -> Option<TreeStrategy<'_, G>> {
        let walk = self.walks.first().filter(|walk| !walk.tree.nodes.is_empty())?;
        Some(TreeStrategy::new(walk))
    }

    fn n_nodes(&self) -> usize {
        self.walks.iter().map(|walk| walk.tree.nodes.len()).sum()
    }

    fn bytes(&self) -> usize {
        self.walks.iter().map(|walk| walk.tree.bytes()).sum()
    }

    fn bytes_per_arm(&self) -> usize {
        self.walks.first().map_or(0, |walk| walk.tree.bytes_per_arm())
    }
}

impl<G: Hints> Mcts<G> {
    pub fn new(settings: MctsSettings) -> Mcts<G> {
        Mcts::observed(settings, Unobserved)
    }

    /// A search whose experience measures what it finds.
    fn surveying(settings: MctsSettings) -> Mcts<G> {
        Mcts { surveys: true, ..Mcts::new(settings) }
    }
}

impl<G: Hints, O: Observer<G>> Mcts<G, O> {
    /// A search whose positions are handed to a copy of `observer` for each tree.
    pub fn observed(settings: MctsSettings, observer: O) -> Mcts<G, O> {
        Mcts {
            settings,
            root: None,
            walks: Vec::new(),
            observer,
            restricted: None,
            surveys: false,
            preparation: None,
        }
    }

    /// How often experience was of use so far, over all trees.
    pub fn experience_counts(&self) -> ExperienceCounts {
        let mut counts = ExperienceCounts::default();
        let each = self.walks.iter().filter_map(|walk| walk.experience.as_ref());
        each.for_each(|experience| counts.add(&experience.counts()));
        counts
    }

    /// What the experience of the first tree has measured.
    fn survey(&self) -> Option<&experience::Survey> {
        self.walks.first()?.experience.as_ref()?.survey()
    }

    /// The observers of the trees, once there are trees.
    pub fn observers(&self) -> impl Iterator<Item = &O> {
        self.walks.iter().map(|walk| &walk.observer)
    }

    fn search_watched(
        &mut self,
        game: &G,
        state: &G::State,
        context: &mut Context<'_>,
        watch: Option<&mut Watch<'_, G::Action>>,
    ) -> Result<u64, TooManyActions> {
        let MctsSettings { trees, budget, fresh, .. } = self.settings;
        self.plant(game, context);
        if fresh || self.root.as_ref() != Some(state) {
            self.forget();
            self.root = Some(state.clone());
        }
        let keep = self.settings.keep;
        self.walks.iter_mut().for_each(|walk| walk.reduce(keep));
        self.restrict(game, state);
        let game = self.restricted.as_ref().unwrap_or(game);
        let (seed, stop) = (context.rng.bits(), context.stop);
        let run = |i: usize, walk: &mut Walk<G, O>, report: Option<&mut Report<'_, G, O>>| {
            let mut rng = Rng::stream(&[seed, i as u64]);
            let share = budget.share(i as u64, u64::from(trees.max(1)));
            walk.run(game, state, share, stop, &mut rng, report)
        };
        let mut tell = watch.map(|watch| {
            move |walk: &Walk<G, O>, done: u64| {
                watch(walk.insight(game, state, done, insight::WHILE_THINKING));
            }
        });
        let Some((first, others)) = self.walks.split_first_mut() else { return Ok(0) };
        // What is told while several trees grow is what the first one knows.
        thread::scope(|scope| {
            let run = &run;
            let start = |(i, walk)| scope.spawn(move || run(i + 1, walk, None));
            let threads: Vec<_> = others.iter_mut().enumerate().map(start).collect();
            let done = run(0, first, tell.as_mut().map(|tell| tell as &mut Report<'_, G, O>));
            let mut sum = done?;
            for thread in threads {
                sum += thread.join().expect("no search panics")?;
            }
            Ok(sum)
        })
    }

    /// Makes the trees, if they are not there yet. A probe that decides about experience comes first;
    /// it has a budget of its own, beside that of the decision.
    fn plant(&mut self, game: &G, context: &mut Context<'_>) {
        if self.walks.is_empty() {
            self.preparation = self.settings.decide_experience(game, context.rng, context.stop);
            let new = |_| {
                let mut walk = Walk::new(game, &self.settings, self.observer.clone());
                walk.surveys = self.surveys;
                walk
            };
            self.walks = (0..self.settings.trees.max(1)).map(new).collect();
        }
    }

    /// Empties the trees, whose memory is used again.
    fn forget(&mut self) {
        self.walks.iter_mut().for_each(|walk| walk.tree.clear());
        self.root = None;
    }

    /// What all trees together know about the actions of `player` at the root.
    fn root_arms(&self, actions: &[G::Action], player: Player) -> Vec<RootArm<G::Action>> {
        let mut arms: Vec<_> = actions.iter().map(|&action| RootArm::new(action)).collect();
        for walk in &self.walks {
            let Some(row) = walk.tree.row(ROOT, player) else { continue };
            for pick in 0..row.len {
                let action = walk.tree.actions[row.first + pick];
                let Some(arm) = arms.iter_mut().find(|arm| arm.action == action) else { continue };
                arm.visits += u64::from(walk.tree.arms.visits[row.first + pick]);
                arm.weight += walk.tree.weight(row.first + pick);
                arm.sum += walk.tree.arms.sums[row.first + pick];
                if self.settings.solver && walk.tree.nodes[ROOT as usize].choosing().len() == 1 {
                    let proof = walk.tree.arm_proof(ROOT, pick).map(|payoffs| payoffs[player]);
                    arm.proven = arm.proven.or(proof);
                }
            }
        }
        arms
    }
}

impl<G: Hints, O: Observer<G>> Agent<G> for Mcts<G, O> {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        self.decide(game, state, player, context, None)
    }

    fn prepare(&mut self, game: &G, context: &mut Context<'_>) {
        self.plant(game, context);
    }

    fn preparation(&self) -> Option<Preparation> {
        self.preparation.clone()
    }

    fn choose_watched(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
        watch: &mut Watch<'_, G::Action>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        self.decide(game, state, player, context, Some(watch))
    }

    fn insight(&self, game: &G, state: &G::State, places: usize) -> Option<Insight<G::Action>> {
        let walk = self.walks.first()?;
        if self.root.as_ref() != Some(state) || walk.tree.nodes.is_empty() {
            return None;
        }
        let game = self.restricted.as_ref().unwrap_or(game);
        let insight = walk.insight(game, state, 0, places);
        Some(Insight { rows: self.root_rows(game, state), nodes: self.n_nodes() as u64, ..insight })
    }

    fn observe(&mut self, game: &G, before: &G::State, actions: &[G::Action]) {
        if self.surveys {
            let mut after = before.clone();
            game.apply(&mut after, actions);
            let each = self.walks.iter_mut().filter_map(|walk| walk.experience.as_mut());
            each.for_each(|experience| experience.advance(game, &after));
        }
        if self.settings.fresh || self.root.as_ref() != Some(before) {
            return self.forget();
        }
        for walk in &mut self.walks {
            match walk.child_after(game, ROOT, before, actions) {
                Some(child) => walk.tree = walk.tree.below(child),
                None => return self.forget(),
            }
        }
        if let Some(root) = &mut self.root {
            game.apply(root, actions);
        }
    }
}

impl<G: Hints, O: Observer<G>> Mcts<G, O> {
    fn decide(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
        watch: Option<&mut Watch<'_, G::Action>>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let mut actions = Vec::new();
        game.actions(state, player, &mut actions);
        self.settings.playout.prune(game, state, player, &mut actions);
        self.plant(game, context);
        if let Some(solution) = self.walks.first_mut().and_then(|walk| walk.endgame(game, state)) {
            return Ok(solution.choice(player, context, self.n_nodes() as u64));
        }
        let iterations = self
            .search_watched(game, state, context, watch)
            .map_err(|error| Forfeit { reason: error.to_string() })?;
        let arms = self.root_arms(&actions, player);
        let alone = matches!(game.turn(state), Turn::Choose(who) if who.len() == 1);
        let best = best_arm(&arms);
        // A proof counts more than visits. Where players choose at once, one who takes the most
        // visited arm does not mix, and the policy says so to those who measure it.
        let certain = arms[best].proven.is_some();
        let is_pure = certain || self.settings.answer == Answer::Max && !alone;
        let total: f64 = arms.iter().map(|arm| arm.weight).sum();
        let share = |(i, arm): (usize, &RootArm<G::Action>)| match is_pure {
            true => f64::from(u8::from(i == best)),
            false if total > 0.0 => arm.weight / total,
            false => 1.0 / arms.len() as f64,
        };
        let shares: Vec<f64> = arms.iter().enumerate().map(share).collect();
        let chosen = match self.settings.answer {
            Answer::Mix if !certain => context.rng.weighted(shares.iter().copied()),
            _ => best,
        };
        Ok(Choice {
            action: arms[chosen].action,
            policy: arms.iter().map(|arm| arm.action).zip(shares).collect(),
            value: match self.settings.answer {
                Answer::Max => arms[best].value(),
                Answer::Mix => mean_value(&arms),
            },
            iterations,
            nodes: self.n_nodes() as u64,
        })
    }
}

#[derive(Clone, Debug)]
struct RootArm<A> {
    action: A,
    visits: u64,
    sum: f64,
    /// The part in the strategy, before all parts are made to add up to 1.
    weight: f64,
    proven: Option<f64>,
}

impl<A> RootArm<A> {
    fn new(action: A) -> RootArm<A> {
        RootArm { action, visits: 0, sum: 0.0, weight: 0.0, proven: None }
    }

    fn value(&self) -> Option<f64> {
        self.proven.or_else(|| (self.visits > 0).then(|| self.sum / self.visits as f64))
    }
}

/// What the row as a whole gave.
fn mean_value<A>(arms: &[RootArm<A>]) -> Option<f64> {
    let visits: u64 = arms.iter().map(|arm| arm.visits).sum();
    (visits > 0).then(|| arms.iter().map(|arm| arm.sum).sum::<f64>() / visits as f64)
}

/// The most visited arm, of equals the one with the better mean. What is proven counts more than
/// visits: an arm that is proven to give at least the mean of that one is taken instead, and that
/// one is not taken if it is proven to give less than the mean of another.
fn best_arm<A>(arms: &[RootArm<A>]) -> usize {
    let by_visits = |&i: &usize, &j: &usize| {
        let rank = |k: usize| (arms[k].visits, arms[k].value().unwrap_or(-1.0));
        let ((n, value), (m, other)) = (rank(i), rank(j));
        n.cmp(&m).then(value.total_cmp(&other)).then(j.cmp(&i))
    };
    let open = (0..arms.len()).filter(|&i| arms[i].proven.is_none()).max_by(by_visits);
    let proven = |i: usize| arms[i].proven.unwrap_or(-1.0);
    let known = (0..arms.len())
        .filter(|&i| arms[i].proven.is_some())
        .max_by(|&i, &j| proven(i).total_cmp(&proven(j)).then(j.cmp(&i)));
    match (open, known) {
        (Some(open), Some(known)) if proven(known) < arms[open].value().unwrap_or(0.0) => open,
        (_, Some(known)) if proven(known) > 0.0 => known,
        (Some(open), _) => open,
        (None, known) => known.unwrap_or(0),
    }
}

const ROOT: NodeId = 0;

#[cfg(test)]
mod tests;
