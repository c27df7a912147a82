//! The tree search as an agent, which keeps its trees over the decisions of one match.

use std::sync::Arc;
use std::thread;

use sakiyomi_core::{
    Agent, Budget, Choice, Context, Forfeit, Game, Hint, Hints, Insight, InsightRow, Player,
    Preparation, Rng, Turn, Watch,
};

use super::answer::RootArm;
use super::game_tree::TooManyActions;
use super::insight::insight_row;
use super::path::ROOT;
use super::playout::policy::{LeafBatch, Policy};
use super::settings::MctsSettings;
use super::strategy::TreeStrategy;
use super::value::Learner;
use super::walk::{Report, Walk};
use crate::experience::lend::ExperienceCounts;
use crate::experience::survey::Survey;

#[derive(Debug)]
pub struct Mcts<G: Game> {
    settings: MctsSettings,
    root: Option<G::State>,
    walks: Vec<Walk<G>>,
    /// Whether experience measures what it finds.
    surveys: bool,
    is_prepared: bool,
    learner: Option<Learner>,
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

impl<G: Hints> TreeSearch<G> for Mcts<G> {
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
        Some(TreeStrategy::new(walk, self.settings.selection.answer()))
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
        Mcts {
            settings,
            root: None,
            walks: Vec::new(),
            surveys: false,
            is_prepared: false,
            learner: None,
        }
    }

    /// A search whose experience measures what it finds.
    pub(crate) fn surveying(settings: MctsSettings) -> Mcts<G> {
        Mcts { surveys: true, ..Mcts::new(settings) }
    }

    /// How often experience was of use so far, over all trees.
    pub fn experience_counts(&self) -> ExperienceCounts {
        let mut counts = ExperienceCounts::default();
        let each = self.walks.iter().filter_map(|walk| walk.experience.as_ref());
        each.for_each(|experience| counts.add(&experience.counts()));
        counts
    }

    /// What the experience of the first tree has measured.
    pub(crate) fn survey(&self) -> Option<&Survey> {
        self.walks.first()?.experience.as_ref()?.survey()
    }

    fn search_watched(
        &mut self,
        game: &G,
        state: &G::State,
        context: &mut Context<'_>,
        watch: Option<&mut Watch<'_, G::Action>>,
    ) -> Result<u64, TooManyActions> {
        let MctsSettings { mut budget, tree, .. } = self.settings;
        self.plant(game);
        self.learn_value(game, state, &mut budget, context);
        if !tree.reuse || self.root.as_ref() != Some(state) {
            self.forget();
            self.root = Some(state.clone());
        }
        self.walks.iter_mut().for_each(Walk::reduce);
        let (seed, stop) = (context.rng.bits(), context.stop);
        let run = |i: usize, walk: &mut Walk<G>, report: Option<Report<'_, G>>| {
            let mut rng = Rng::stream(&[seed, i as u64]);
            let share = budget.share(i as u64, u64::from(tree.trees.max(1)));
            walk.run(game, state, share, stop, &mut rng, report)
        };
        let period = watch.as_ref().map(|watch| watch.period);
        let mut tell = watch.map(|Watch { places, tell, .. }| {
            move |walk: &Walk<G>, done: u64| tell(walk.insight(game, state, done, *places))
        });
        let Some((first, others)) = self.walks.split_first_mut() else { return Ok(0) };
        // What is told while several trees grow is what the first one knows.
        thread::scope(|scope| {
            let run = &run;
            let start = |(i, walk)| scope.spawn(move || run(i + 1, walk, None));
            let threads: Vec<_> = others.iter_mut().enumerate().map(start).collect();
            let report = tell.as_mut().zip(period).map(|(tell, period)| Report { period, tell });
            let done = run(0, first, report);
            let mut sum = done?;
            for thread in threads {
                sum += thread.join().expect("no search panics")?;
            }
            Ok(sum)
        })
    }

    /// Whether what positions are worth is learned.
    fn uses_value(&self, game: &G) -> bool {
        self.settings.uses_value() && game.provides().contains(Hint::Facts)
    }

    /// Learns what positions are worth, if this search uses it, and takes the time out of its budget.
    fn learn_value(
        &mut self,
        game: &G,
        state: &G::State,
        budget: &mut Budget,
        context: &mut Context<'_>,
    ) {
        if !self.uses_value(game) {
            return;
        }
        let new = || Learner::new(game, state, &self.settings.playout);
        let learner = self.learner.get_or_insert_with(new);
        learner.prepare_search(game, state, budget, context.stop, context.rng);
        let value = learner.value().cloned().map(Arc::new);
        self.walks.iter_mut().for_each(|walk| walk.value.clone_from(&value));
    }

    /// Lets the game get ready for batches of playouts, once.
    fn prepare_batches(&mut self, game: &G) {
        let was_prepared = std::mem::replace(&mut self.is_prepared, true);
        if self.settings.playout.batch != LeafBatch::SINGLE && !was_prepared {
            self.prepare_playouts(game);
        }
    }

    fn prepare_playouts(&self, game: &G) {
        match Policy::new(&self.settings.playout).competing() {
            Some(_) => game.prepare_tournaments(),
            None => game.prepare_playouts(),
        }
    }

    /// Makes the trees, if they are not there yet.
    fn plant(&mut self, game: &G) {
        if self.walks.is_empty() {
            let new = |_| {
                let mut walk = Walk::new(game, &self.settings);
                walk.surveys = self.surveys;
                walk
            };
            self.walks = (0..self.settings.tree.trees.max(1)).map(new).collect();
        }
    }

    /// Empties the trees, whose memory is used again.
    fn forget(&mut self) {
        self.walks.iter_mut().for_each(Walk::forget);
        self.root = None;
    }

    /// What all trees together know about the actions of `player` at the root.
    fn root_arms(&self, actions: &[G::Action], player: Player) -> Vec<RootArm<G::Action>> {
        let mut arms: Vec<_> = actions.iter().map(|&action| RootArm::new(action)).collect();
        for walk in &self.walks {
            let Some(row) = walk.tree.row(ROOT, player) else { continue };
            let is_alone = walk.tree.nodes[ROOT as usize].choosing().len() == 1;
            for pick in 0..row.len {
                let action = walk.tree.actions[row.first + pick];
                let Some(arm) = arms.iter_mut().find(|arm| arm.action == action) else { continue };
                arm.visits += u64::from(walk.tree.arms.visits[row.first + pick]);
                arm.weight += walk.tree.weight(row.first + pick);
                arm.sum += walk.tree.arms.sums[row.first + pick];
                let prior = walk.tree.arms.priors.get(row.first + pick);
                arm.prior = arm.prior.or(prior.map(|&prior| f64::from(prior)));
                if walk.proves() && is_alone {
                    let proof = walk.tree.arm_proof(ROOT, pick).map(|payoffs| payoffs[player]);
                    arm.proven = arm.proven.or(proof);
                }
            }
        }
        arms
    }

    /// What all trees together know about the actions of everyone who chooses in `state`.
    fn root_rows(&self, game: &G, state: &G::State) -> Vec<InsightRow<G::Action>> {
        let Turn::Choose(who) = game.turn(state) else { return Vec::new() };
        let row = |player| {
            insight_row(player, self.root_arms(&self.candidates(game, state, player), player))
        };
        who.map(row).collect()
    }

    /// The actions that the search looks at.
    fn candidates(&self, game: &G, state: &G::State, player: Player) -> Vec<G::Action> {
        let mut actions = Vec::new();
        game.actions(state, player, &mut actions);
        self.settings.playout.options.prune(game, state, player, &mut actions);
        actions
    }

    fn decide(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
        watch: Option<&mut Watch<'_, G::Action>>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        self.plant(game);
        // Without a clock a game gets ready when that is worth it.
        if !self.settings.budget.is_repeatable() {
            self.prepare_batches(game);
        }
        if let Some(solution) = self.walks.first_mut().and_then(|walk| walk.endgame(game, state)) {
            return Ok(solution.choice(player, context, self.n_nodes() as u64));
        }
        let iterations = self
            .search_watched(game, state, context, watch)
            .map_err(|error| Forfeit { reason: error.to_string() })?;
        let arms = self.root_arms(&self.candidates(game, state, player), player);
        let is_alone = matches!(game.turn(state), Turn::Choose(who) if who.len() == 1);
        let choice = self.settings.selection.answer().choose(&arms, is_alone, context.rng);
        Ok(Choice { iterations, nodes: self.n_nodes() as u64, ..choice })
    }
}

impl<G: Hints> Agent<G> for Mcts<G> {
    fn prepare(&mut self, game: &G, context: &mut Context<'_>) {
        self.prepare_batches(game);
        if self.uses_value(game) && self.learner.is_none() {
            self.prepare_playouts(game);
            let mut learner = Learner::new(game, &game.start(), &self.settings.playout);
            learner.prepare_match(game, context.stop, context.rng);
            self.learner = Some(learner);
        }
    }

    fn preparation(&self) -> Option<Preparation> {
        self.learner.as_ref()?.preparation()
    }

    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        self.decide(game, state, player, context, None)
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
        if !self.settings.tree.reuse || self.root.as_ref() != Some(before) {
            return self.forget();
        }
        for walk in &mut self.walks {
            match walk.child_after(game, ROOT, before, actions) {
                Some(child) => walk.follow(child),
                None => return self.forget(),
            }
        }
        if let Some(root) = &mut self.root {
            game.apply(root, actions);
        }
    }
}

#[cfg(test)]
mod tests;
