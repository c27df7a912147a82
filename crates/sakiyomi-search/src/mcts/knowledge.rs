//! How the search follows what a game knows beyond its rules: which actions become arms, in which
//! order, how many of them are shown, and what an early end is worth.
//!
//! - *Groups* (Kato et al. 2013, section 6.2): one representative of each group of actions is an
//!   arm; or the group shares one arm, whose action is drawn on every visit. What lies below
//!   is kept apart by action, so that a shared arm is an arm with chance behind it. The action that
//!   is played is the one of the group that ranks highest.
//! - *Progressive widening* (Coulom 2007; Chaslot et al. 2008): 1 + widen * sqrt(visits) arms are
//!   considered, best rank first.
//! - *Bonus* (Kato et al. 2013, section 6.3): every round that passes before the end brings the
//!   payoffs closer to even, so that a win is better sooner, and a loss later.

use std::hash::Hash;

use sakiyomi_core::order::sort_descending;
use sakiyomi_core::{Hints, Payoffs, Player, Rng, Turn};

use super::bandit::Arms;
use super::playout::Observer;
use super::tree::{NodeId, Slot, Tree};
use super::walk::Walk;
use super::{Mcts, MctsSettings};

/// How actions of one group are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// One action stands for its group.
    Representative,
    /// The group is one arm; an action of it is drawn on every visit.
    Shared,
}

impl MctsSettings {
    /// Whether an arm stands for all actions of a group. It is then an arm with chance behind it:
    /// an action is drawn on every visit, and children are kept by action instead of by arm. This
    /// holds where one player chooses.
    pub(super) fn shares_arms(&self) -> bool {
        self.groups == Some(Groups::Shared)
    }

    /// Turns the legal actions into arms, in the order in which they are tried.
    pub(super) fn arrange<G: Hints>(
        &self,
        game: &G,
        state: &G::State,
        player: Player,
        actions: &mut Vec<G::Action>,
        rng: &mut Rng,
    ) {
        self.playout.prune(game, state, player, actions);
        // Untried arms are taken in order, so the order is drawn.
        if !self.ordered {
            rng.shuffle(actions);
        }
        if self.widen.is_some() || self.groups.is_some() {
            let rank = |&action: &G::Action| game.rank(state, player, action);
            let mut ranked: Vec<_> = actions.iter().map(|action| (rank(action), *action)).collect();
            sort_descending(&mut ranked, |&(rank, _)| f64::from(rank));
            actions.clear();
            actions.extend(ranked.into_iter().map(|(_, action)| action));
        }
        if self.groups.is_some() {
            let mut seen = Vec::new();
            actions.retain(|&action| {
                let group = game.group(state, player, action);
                let is_new = !seen.contains(&group);
                if is_new {
                    seen.push(group);
                }
                is_new
            });
        }
    }

    /// Draws an action of the group that a shared arm stands for.
    pub(super) fn draw_member<G: Hints>(
        &self,
        game: &G,
        state: &G::State,
        player: Player,
        arm: G::Action,
        actions: &mut Vec<G::Action>,
        rng: &mut Rng,
    ) -> G::Action {
        actions.clear();
        game.actions(state, player, actions);
        self.playout.prune(game, state, player, actions);
        let group = game.group(state, player, arm);
        actions.retain(|&action| game.group(state, player, action) == group);
        actions[rng.below(actions.len())]
    }

    /// How many of `n` arms are considered after this many visits: all, or the number that progressive
    /// widening allows.
    pub(super) fn n_shown(&self, n: usize, visits: u32) -> usize {
        match self.widen {
            Some(pace) => n.min(1 + (pace * f64::from(visits).sqrt()) as usize),
            None => n,
        }
    }

    /// Payoffs that come in this state, with the bonus for what comes early.
    pub(super) fn with_bonus<G: Hints>(
        &self,
        game: &G,
        state: &G::State,
        payoffs: Payoffs,
    ) -> Payoffs {
        if self.bonus == 0.0 {
            return payoffs;
        }
        let keep = (1.0 - self.bonus).powi(game.round(state) as i32);
        let n_players = game.players();
        let mut shaped = Payoffs::uniform(n_players, (1.0 - keep) / n_players as f64);
        shaped.add_scaled(&payoffs, keep);
        shaped
    }
}

impl<G: Hints, O: Observer<G>> Walk<G, O> {
    /// The action that is played when an arm is picked where one player chooses.
    #[inline]
    pub(super) fn action_of_arm(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        arm: G::Action,
        rng: &mut Rng,
    ) -> G::Action {
        match self.settings.shares_arms() {
            false => arm,
            true => {
                let actions = &mut self.scratch.actions;
                self.settings.draw_member(game, state, player, arm, actions, rng)
            }
        }
    }

    /// Where the child after a joint action and its picks is kept.
    #[inline]
    pub(super) fn slot_after(&self, node: NodeId, picks: &[u16], joint: &[G::Action]) -> Slot {
        match joint {
            [action] if self.settings.shares_arms() => self.tree.chance_slot(node, action),
            _ => self.tree.slot(node, picks),
        }
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
        child_after(&self.tree, node, actions, is_chance, self.settings.shares_arms())
    }
}

/// The child that these actions lead to: one per choosing player, or the outcome of chance.
pub(super) fn child_after<A: Copy + Eq + Hash>(
    tree: &Tree<A>,
    node: NodeId,
    actions: &[A],
    is_chance: bool,
    shares_arms: bool,
) -> Option<NodeId> {
    match is_chance || shares_arms && actions.len() == 1 {
        true => tree.child(tree.chance_slot(node, &actions[0])),
        false => tree.child_after(node, actions),
    }
}

/// The first arm of a row that is shown and was never tried. Arms are tried in their order.
pub(super) fn untried(arms: &Arms, first: usize, n_shown: usize) -> Option<usize> {
    let tried = (0..n_shown).rev().find(|&pick| arms.visits[first + pick] > 0);
    let next = tried.map_or(0, |pick| pick + 1);
    (next < n_shown).then_some(next)
}

impl<G: Hints, O: Observer<G>> Mcts<G, O> {
    /// Restricts the game for this decision, unless a restriction that is kept was found before.
    pub(super) fn restrict(&mut self, game: &G, state: &G::State) {
        let Some(by) = self.settings.restrict else { return };
        let Turn::Choose(mut who) = game.turn(state) else { return };
        let is_kept = game.restrictions().iter().any(|kind| kind.name == by.name && kind.is_kept);
        if is_kept && self.restricted.is_some() {
            return;
        }
        if let Some(player) = who.next() {
            self.restricted = game.restrict(state, player, by);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::toy::Toy;
    use sakiyomi_core::{Budget, Game, PlayoutOptions};

    fn settings() -> MctsSettings {
        MctsSettings::new(Budget::iterations(1))
    }

    #[test]
    fn arms_are_shown_one_by_one() {
        let widening = MctsSettings { widen: Some(1.0), ..settings() };
        let shown = [0, 1, 3, 4, 8, 9, 100].map(|visits| widening.n_shown(5, visits));
        assert_eq!(shown, [1, 2, 2, 3, 3, 4, 5]);
        assert_eq!(settings().n_shown(5, 0), 5);
    }

    #[test]
    fn the_next_arm_is_the_first_that_was_never_tried() {
        let mut arms = Arms::default();
        arms.visits.extend([9, 2, 1, 0, 0]);
        let next = [1, 2, 3, 4].map(|n_shown| untried(&arms, 1, n_shown));
        assert_eq!(next, [None, None, Some(2), Some(2)]);
        assert_eq!(untried(&arms, 3, 2), Some(0));
    }

    /// A game in which the second of three actions ranks highest, and the others are one group.
    struct Ranked(Toy);

    impl Game for Ranked {
        type State = <Toy as Game>::State;
        type Action = <Toy as Game>::Action;

        fn players(&self) -> usize {
            self.0.players()
        }

        fn start(&self) -> Self::State {
            self.0.start()
        }

        fn turn(&self, state: &Self::State) -> Turn {
            self.0.turn(state)
        }

        fn actions(&self, state: &Self::State, player: Player, out: &mut Vec<Self::Action>) {
            self.0.actions(state, player, out);
        }

        fn apply(&self, state: &mut Self::State, actions: &[Self::Action]) {
            self.0.apply(state, actions);
        }
    }

    impl Hints for Ranked {
        fn rank(&self, _: &Self::State, _: Player, action: Self::Action) -> f32 {
            f32::from(u8::from(action == self.0.word("b")))
        }

        fn group(&self, _: &Self::State, _: Player, action: Self::Action) -> u32 {
            u32::from(action == self.0.word("b"))
        }

        fn round(&self, _: &Self::State) -> u32 {
            2
        }
    }

    fn ranked() -> Ranked {
        Ranked(Toy::read("start: 0 a -> 0.2 0.8  b -> 0.5 0.5  c -> 0.9 0.1").unwrap())
    }

    #[test]
    fn groups_have_one_arm_each_and_the_best_rank_first() {
        let game = ranked();
        let grouped = MctsSettings { groups: Some(Groups::Shared), ..settings() };
        let mut rng = Rng::new(1);
        let mut actions = Vec::new();
        game.actions(&game.start(), Player(0), &mut actions);
        grouped.arrange(&game, &game.start(), Player(0), &mut actions, &mut rng);
        assert_eq!((actions.len(), actions[0]), (2, game.0.word("b")));
        // Both members of the other group are drawn for its arm.
        let arm = actions[1];
        let mut draw =
            || grouped.draw_member(&game, &game.start(), Player(0), arm, &mut actions, &mut rng);
        let drawn: Vec<_> = (0..50).map(|_| draw()).collect();
        assert!(drawn.contains(&game.0.word("a")) && drawn.contains(&game.0.word("c")));
        assert!(!drawn.contains(&game.0.word("b")));
    }

    #[test]
    fn an_early_win_is_worth_more() {
        let game = ranked();
        let early = MctsSettings { bonus: 0.1, ..settings() };
        let shaped = early.with_bonus(&game, &game.start(), Payoffs::of([1.0, 0.0]));
        let [win, loss] = [shaped[Player(0)], shaped[Player(1)]];
        // Two rounds keep 0.81 of the way from even.
        assert!((win - 0.905).abs() < 1e-12 && (loss - 0.095).abs() < 1e-12, "{shaped:?}");
        assert_eq!(
            early.with_bonus(&game, &game.start(), Payoffs::uniform(2, 0.5))[Player(0)],
            0.5
        );
    }

    /// With every option the search still finds the best action of a tiny game.
    #[test]
    fn options_do_not_hide_the_best_action() {
        use sakiyomi_core::{Agent, Context, Stop};
        let plain = MctsSettings::new(Budget::iterations(500));
        for settings in [
            MctsSettings { widen: Some(0.5), ..plain },
            MctsSettings { widen: Some(0.5), solver: true, ..plain },
            MctsSettings { bonus: 0.02, solver: true, ..plain },
            MctsSettings {
                playout: PlayoutOptions { urgent_probability: 0.5, ..PlayoutOptions::default() },
                ..plain
            },
        ] {
            let game = ranked();
            let mut context = Context { rng: &mut Rng::new(3), stop: &Stop::new() };
            let mut agent = Mcts::new(settings);
            let choice = agent.choose(&game, &game.start(), Player(0), &mut context).unwrap();
            assert_eq!(choice.action, game.0.word("c"), "{settings:?}");
        }
    }
}
