//! Which actions become arms, and in which order.
//!
//! - *Pruning*: what the playout options leave out is left out in the tree as well.
//! - *Groups* (Kato et al. 2013, section 6.2): one representative of each group of actions is an
//!   arm; or the group shares one arm, whose action is drawn on every visit. What lies below
//!   is kept apart by action, so that a shared arm is an arm with chance behind it. The action that
//!   is played is the one of the group that ranks highest.
//! - Where arms are grouped or shown by and by, those with the best rank come first.

use sakiyomi_core::order::sort_descending;
use sakiyomi_core::{Hints, Player, PlayoutOptions, Rng};

/// How actions of one group are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// One action stands for its group.
    Representative,
    /// The group is one arm; an action of it is drawn on every visit.
    Shared,
}

/// How actions become arms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidates {
    pub(super) options: PlayoutOptions,
    /// Arms are tried in the order in which the game lists its actions.
    pub(super) listed_order: bool,
    /// Best rank first.
    pub(super) by_rank: bool,
    pub(super) groups: Option<Groups>,
}

impl Candidates {
    /// Whether an arm stands for all actions of a group. It is then an arm with chance behind it:
    /// an action is drawn on every visit, and children are kept by action instead of by arm. This
    /// holds where one player chooses.
    #[inline]
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
        self.options.prune(game, state, player, actions);
        // Untried arms are taken in order, so the order is drawn.
        if !self.listed_order {
            rng.shuffle(actions);
        }
        if self.by_rank || self.groups.is_some() {
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
        self.options.prune(game, state, player, actions);
        let group = game.group(state, player, arm);
        actions.retain(|&action| game.group(state, player, action) == group);
        actions[rng.below(actions.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::agent::Mcts;
    use crate::mcts::playout::policy::PlayoutSettings;
    use crate::mcts::select::solver::Proofs;
    use crate::mcts::settings::MctsSettings;
    use sakiyomi_core::toy::Toy;
    use sakiyomi_core::{Agent, Budget, Context, Game, Payoffs, Stop, Turn};

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

        fn progress(&self, _: &Self::State) -> Payoffs {
            Payoffs::of([0.2, 0.6])
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
        let grouped = Candidates {
            options: PlayoutOptions::default(),
            listed_order: false,
            by_rank: false,
            groups: Some(Groups::Shared),
        };
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
        let early = PlayoutSettings { discount: 0.1, ..PlayoutSettings::default() };
        let shaped = early.shaped(&game, &game.start(), Payoffs::of([1.0, 0.0]));
        let [win, loss] = [shaped[Player(0)], shaped[Player(1)]];
        // Two rounds keep 0.81 of the way from even.
        assert!((win - 0.905).abs() < 1e-12 && (loss - 0.095).abs() < 1e-12, "{shaped:?}");
        assert_eq!(early.shaped(&game, &game.start(), Payoffs::uniform(2, 0.5))[Player(0)], 0.5);
    }

    #[test]
    fn progress_counts_by_its_weight() {
        let game = ranked();
        let mut settings = PlayoutSettings { progress_weight: 0.25, ..PlayoutSettings::default() };
        let win = Payoffs::of([1.0, 0.0]);
        // The progress of the two is 0.2 and 0.6.
        let shaped = settings.shaped(&game, &game.start(), win);
        assert!((shaped[Player(0)] - 0.8).abs() < 1e-12, "{shaped:?}");
        assert!((shaped[Player(1)] - 0.15).abs() < 1e-12, "{shaped:?}");
        // Balanced, it is 0.3 and 0.7.
        settings.options.balance = true;
        let shaped = settings.shaped(&game, &game.start(), win);
        assert!((shaped[Player(0)] - 0.825).abs() < 1e-12, "{shaped:?}");
        assert!((shaped[Player(1)] - 0.175).abs() < 1e-12, "{shaped:?}");
    }

    /// With every option the search still finds the best action of a tiny game.
    #[test]
    fn options_do_not_hide_the_best_action() {
        let options: [fn(&mut MctsSettings); 4] = [
            |settings| settings.selection.ucb_mut().unwrap().widen = Some(0.5),
            |settings| {
                let ucb = settings.selection.ucb_mut().unwrap();
                (ucb.widen, ucb.proofs) = (Some(0.5), Proofs::Solver);
            },
            |settings| {
                settings.selection.ucb_mut().unwrap().proofs = Proofs::Solver;
                settings.playout.discount = 0.02;
            },
            |settings| settings.playout.options.urgent_probability = 0.5,
        ];
        for option in options {
            let mut settings = MctsSettings::new(Budget::iterations(500));
            option(&mut settings);
            let game = ranked();
            let mut context = Context { rng: &mut Rng::new(3), stop: &Stop::new() };
            let mut agent = Mcts::new(settings);
            let choice = agent.choose(&game, &game.start(), Player(0), &mut context).unwrap();
            assert_eq!(choice.action, game.0.word("c"), "{settings:?}");
        }
    }
}
